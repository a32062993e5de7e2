"""A function that swallowed a refusal, kept state from call to call, or drew from elsewhere than rng got a false law.

`try: rng.laplace() except Exception: return 0` was "eps 0, PROVED" where the truth is infinite; a mutable default that
sends the first input raw, a memo and a counter gave the law of whichever call came first; `secrets.randbelow(20) == 0`
behind a branch was PROVED in 5 of 8 runs, and OpenDP's compiled code in 5 of 60. All of them are refused, and every one
is tried twenty times, since what chance decides may go well once.
"""

import runpy
from contextlib import suppress

import pytest

from tests.corpus.unfollowed import REFUSED, RIGHT
from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.errors import BadInput

TIMES = 20


@pytest.mark.parametrize("sample", REFUSED, ids=lambda sample: sample.function.__name__)
def test_refused_every_time(sample):
    for _ in range(TIMES):
        with pytest.raises(BadInput) as caught:
            enumerate_sampler(sample.function, sample.inputs, trust=())
        said = str(caught.value)
        assert sample.says in said
        assert "\n" not in said


@pytest.mark.parametrize("sample", RIGHT, ids=lambda sample: sample.function.__name__)
def test_right_ones_of_these_shapes_are_followed(sample):
    """By hand: the law that each states of itself."""
    found = enumerate_sampler(sample.function, sample.inputs)
    assert set(found.residual.values()) == {0}
    for x in sample.inputs:
        assert {y: p for (y,), p in found.laws[str(x)].items()} == {str(y): p for y, p in sample.law(x).items() if p}


OPENDP = """import opendp.prelude as dp
dp.enable_features("contrib")
ANSWER = dp.m.make_randomized_response_bool(0.75)
def whole(x, rng):
    return int(ANSWER(bool(x)))
def on_a_rare_path(x, rng):
    if rng.random() < 0.01:
        return int(ANSWER(True))
    return 0
def invoked(x, rng):
    return 0 if ANSWER.invoke(True) or rng.random() < 0.5 else x
"""
NUMBA = """import numba
import numpy as np
@numba.njit
def coin(p):
    return np.random.random() < p
@numba.vectorize(["float64(float64)"])
def shifted(a):
    return a + np.random.random()
def whole(x, rng):
    return x if coin(0.75) else 1 - x
def on_a_rare_path(x, rng):
    return x if rng.random() < 0.01 and coin(0.05) else 0
def by_a_ufunc(x, rng):
    return x if shifted(1.0) > 1.95 else 0
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "source", "name"),
    [
        *(("opendp", OPENDP, name) for name in ("whole", "on_a_rare_path", "invoked")),
        *(("numba", NUMBA, name) for name in ("whole", "on_a_rare_path", "by_a_ufunc")),
    ],
)
def test_compiled_code_is_refused_twenty_times_of_twenty(tmp_path, package, source, name):
    """OpenDP's randomized response, and functions that numba compiled, draw where nothing can be followed."""
    pytest.importorskip(package)
    (tmp_path / "mine.py").write_text(source)
    made = runpy.run_path(str(tmp_path / "mine.py"))
    for _ in range(TIMES):
        with pytest.raises(BadInput) as caught:
            enumerate_sampler(made[name], (0, 1))
        assert "expected all randomness from rng" in str(caught.value) and "\n" not in str(caught.value)


def test_all_is_as_it_was():
    """Names, defaults and attributes that were kept from a function lead again to what they led to."""
    from tests.corpus import unfollowed

    before = {name: id(value) for name, value in vars(unfollowed).items()}
    for sample in (*REFUSED, *RIGHT):
        with suppress(BadInput):
            enumerate_sampler(sample.function, sample.inputs)
    after = {name: id(value) for name, value in vars(unfollowed).items()}
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} == set()


def test_a_seam_is_trusted_by_name_and_said():
    def opaque(x, rng):
        return x if rng.random() < 0.75 else 1 - x

    opaque.__module__ = "elsewhere.module"
    found = enumerate_sampler(opaque, (0, 1), trust=("elsewhere",))
    assert found.trusted == ("elsewhere",)
