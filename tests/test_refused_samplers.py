"""Samplers that the enumerating source of randomness refuses, each in one line."""

import os
import random
import secrets
import time
from fractions import Fraction
from itertools import count
from math import log

import numpy as np
import pytest

from shufflecert.verify.audit.observe.runner import Path
from shufflecert.verify.audit.rng.draws import Draw
from shufflecert.verify.audit.rng.order_statistics import fresh
from shufflecert.verify.audit.sampler import Options, enumerate_file, enumerate_sampler
from shufflecert.verify.errors import BadInput
from tests.sampler_laws import law, refused


def test_raising_on_one_path():
    """With the choices that lead there and their probability."""

    def fails(x, rng):
        if rng.random() < 0.25 and rng.randrange(3) == 2:
            raise KeyError("lost")
        return x

    said = refused(fails)
    assert said.startswith("fails: input 0: raises KeyError: 'lost'; on the path [random() < 1/4, ")
    assert said.endswith("of probability 1/12")


def test_exceptions_that_a_function_catches_are_its_own():
    def careful(x, rng):
        try:
            [][rng.randrange(2)]
        except IndexError:
            return x
        return 1 - x

    assert law(careful) == {("0",): Fraction(1)}


GLOBAL = {
    "random": lambda x, rng: random.random() < 0.5,
    "numpy": lambda x, rng: int(np.random.randint(2)),
    "randrange": lambda x, rng: (random.randrange(10**6), rng.randrange(2)),
}


@pytest.mark.parametrize("name", GLOBAL)
def test_global_randomness(name):
    states = random.getstate(), np.random.get_state()
    try:
        said = refused(GLOBAL[name])
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
    assert "expected all randomness from rng" in said or "expected only rng" in said  # whichever is noticed first


def test_global_randomness_that_changes_no_answer():
    state = random.getstate()
    try:
        assert "uses the global source of randomness" in refused(lambda x, rng: (random.random(), x)[1])
    finally:
        random.setstate(state)


@pytest.mark.parametrize("draw", [lambda: secrets.randbelow(10**9), lambda: os.urandom(8).hex(), time.perf_counter_ns])
def test_other_randomness_is_refused(draw):
    assert "expected all randomness from rng" in refused(lambda x, rng: draw())


def test_randomness_that_decides_what_is_asked():
    runs = count()

    def wanders(x, rng):
        return rng.randrange(2 + next(runs))

    assert "two runs on one path differ" in refused(wanders)


BAD = {  # a function, and what is said of it
    "a dict within": (lambda x, rng: ({},), "sends a dict"),
    "a float": (lambda x, rng: 0.5, "sends a float"),
    "a float of numpy": (lambda x, rng: (np.float64(1),), "sends a float"),
    "a draw": (lambda x, rng: rng.random(), "sends a float"),
    "gauss": (lambda x, rng: rng.gauss(0, 1), "rng.gauss is not followed"),
    "laplace": (lambda x, rng: rng.laplace(), "rng.laplace is not followed"),
    "a logarithm": (lambda x, rng: int(-log(rng.random())), "random()"),
    "two draws in one sum": (lambda x, rng: rng.random() + rng.random() < 1, "two draws of random() in one sum"),
    "two maps": (lambda x, rng: rng.random() < 2 * rng.random(), "compared after different arithmetic"),
    "a power": (lambda x, rng: rng.random() ** 2 < 0.5, "a power of a draw"),
    "text of a draw": (lambda x, rng: f"{rng.random()}", "text of a draw"),
    "not a number": (lambda x, rng: rng.random() < float("nan"), "nan"),
    "compared with text": (lambda x, rng: rng.random() < "a", "compared with 'a': expected a number"),
    "division by zero": (lambda x, rng: rng.random() / 0 < 1, "raises ZeroDivisionError"),
    "leaves": (lambda x, rng: exit(3), "raises SystemExit"),
    "an empty choice": (lambda x, rng: rng.choice([]), "raises IndexError"),
    "a probability above 1": (lambda x, rng: rng.binomial(2, 1.5), "raises ValueError"),
    "an empty range": (lambda x, rng: rng.randrange(0), "raises ValueError"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(3)
def test_bad_functions(name):
    function, said = BAD[name]
    told = refused(function)
    assert said in told
    assert "input 0: " in told


def test_labels_that_coincide():
    assert "both written 1" in refused(lambda x, rng: (1, "1"), each=True)


def test_bytes_bools_and_nested_messages_have_names():
    sent = law(lambda x, rng: (b"ab", True, (1, "a"), frozenset({2}), np.int64(7)))
    assert list(sent) == [("b'ab'", "1", "(1, 'a')", "{2}", "7")]


def test_an_input_that_is_changed():
    def appends(x, rng):
        x.append(1)
        return len(x)

    assert "changes its input to [0, 1]: expected it unchanged" in refused(appends, inputs=([0], [1]))


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.sampled(2)
def test_a_function_that_never_returns(cut):
    def hangs(x, rng):
        if cut == 0 or rng.random() < 0.5:
            while True:
                pass
        return x

    began = time.process_time()
    said = refused(hangs, seconds=1, library="random.Random")
    assert "no answer and no question to rng within 1 seconds" in said
    assert time.process_time() - began < 20


def test_inputs():
    assert refused(lambda x, rng: x, inputs=()) == "inputs: none: expected at least one"
    assert refused(lambda x, rng: x, inputs=(0, "0")) == "inputs: 0 stands twice"


def test_interrupts_are_not_swallowed():
    def interrupted(x, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_sampler(interrupted, [0])


def test_draws_have_no_value_before_they_are_compared():
    path = Path([])
    draw = Draw(path, fresh(None), None, {})
    for read in (float, str, hash, lambda d: [1, 2][d]):
        with pytest.raises((BadInput, TypeError)):
            read(draw)


KEEPS = {  # between calls: what a call before all others, answered in another way, leaves behind
    "the first answer, for all": (
        "T = {}\ndef f(x, rng):\n    T.setdefault('a', rng.getrandbits(1))\n    return T['a']\n", "its law is another"
    ),
    "the first answer to each": (
        "T = {}\ndef f(x, rng):\n    if x not in T:\n        T[x] = rng.random() < 0.5\n    return T[x]\n", "asks less"
    ),
    "how many there were, up to three": (
        "def f(x, rng, seen=[]):\n    seen.append(x)\n    return min(len(seen), 3) * rng.getrandbits(1)\n", "differ"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEEPS)
def test_what_a_file_keeps_between_calls_is_no_law(tmp_path, name):
    text, said = KEEPS[name]
    file = tmp_path / "keeps.py"
    file.write_text(text)
    with pytest.raises(BadInput, match=said):
        enumerate_file(f"{file}:f", {}, [0, 1], Options())


def test_a_table_that_is_kept_is_no_state(tmp_path):
    file = tmp_path / "keeps.py"
    file.write_text(
        "from functools import lru_cache\n@lru_cache\ndef t(n):\n    return [0, 0, 1]\n"
        "def f(x, rng):\n    return t(3)[rng.randrange(3)]\n"
    )
    found = enumerate_file(f"{file}:f", {}, [0, 1], Options())
    assert found.tier == "observed"
    assert found.laws["1"] == {("0",): Fraction(2, 3), ("1",): Fraction(1, 3)}
