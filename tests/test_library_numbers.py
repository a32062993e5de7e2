"""What rng gives has the type that the library gives it: walked laws against seeded runs of the library's own source.

Every program is walked, and run with a seeded `random.Random`, numpy `Generator` or `RandomState`; all outputs' counts
lie in exact confidence intervals, which with fresh seeds would fail with probability below 1e-9 each.
"""

import copy
import math
import operator
import random
from bisect import bisect
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from shufflecert.verify.audit.messages import Names, sent
from shufflecert.verify.errors import BadInput
from tests.sampler_laws import enumerate_several as enumerate_sampler
from tests.sampler_laws import share
from tests.test_corpus import CHANCE, implausible

RUNS = 4000
pytestmark = pytest.mark.filterwarnings("ignore:.*overflow encountered:RuntimeWarning")  # which is meant
MAKE = {
    "random.Random": random.Random,
    "numpy's Generator": np.random.default_rng,
    "numpy's RandomState": np.random.RandomState,
}
PYTHON, GENERATOR, STATE = MAKE


def first_of(pair, rng):
    items = list(pair)
    rng.shuffle(items)
    return tuple(items)


def in_place(array, rng, *given):
    made = np.array(array)
    rng.shuffle(made, *given)
    return tuple(map(int, made.ravel()))


P32 = np.float32(0.3)
SOFTMAX = np.exp([0.1, 0.7, 1.3]) / np.exp([0.1, 0.7, 1.3]).sum()
SOFT32 = (np.exp(np.float32([0.1, 0.7, 1.3])) / np.exp(np.float32([0.1, 0.7, 1.3])).sum()).astype(np.float32)

GENERATORS = {
    "not a bool of Python": lambda x, rng: int(~(rng.random() < 0.25)),
    "not a bool of numpy": lambda x, rng: int(~(rng.random() < np.float64(0.25))),
    "not an element's": lambda x, rng: int(~(rng.random(2)[0] < 0.25)),
    "not while iterating": lambda x, rng: tuple(int(~(u < 0.25)) for u in rng.random(2)),
    "not of tolist": lambda x, rng: tuple(int(~(u < 0.25)) for u in rng.random(2).tolist()),
    "not of an array": lambda x, rng: tuple((~(rng.random(2) < 0.25)).tolist()),
    "sum of bools": lambda x, rng: int((rng.random() < 0.5) + (rng.random() < 0.5)),
    "sum of numpy's bools": lambda x, rng: int((rng.random() < np.float64(0.5)) + (rng.random() < np.float64(0.5))),
    "sum of elements' bools": lambda x, rng: int(sum(u < 0.5 for u in rng.random(3))),
    "two elements' bools": lambda x, rng: int(operator.add(*(rng.random(2) < 0.5))),
    "xor with an int": lambda x, rng: int(1 ^ (rng.random() < np.float64(0.25))),
    "product of bools": lambda x, rng: int((rng.random() < 0.5) * np.True_ * 3),
    "a float32": lambda x, rng: bool(rng.random() < P32),
    "a float32 draw": lambda x, rng: int(rng.random(dtype=np.float32) * 4),
    "float32 draws": lambda x, rng: tuple((rng.random(2, dtype="f4") < 0.25).tolist()),
    "Decimal": lambda x, rng: bool(rng.random() < Decimal("0.25")),
    "Fraction": lambda x, rng: bool(rng.random() < Fraction(1, 3)),
    "times a Fraction": lambda x, rng: bool(rng.random() * Fraction(1, 3) < 0.1),
    "integers": lambda x, rng: rng.integers(3),
    "a pad in uint8": lambda x, rng: int(np.uint8(x + 254) + rng.integers(4, dtype=np.uint8)),
    "pads in uint8": lambda x, rng: tuple(
        int(v) % 8 for v in np.uint8([254, 255]) + rng.integers(0, 4, 2, dtype=np.uint8)
    ),
    "int8": lambda x, rng: tuple((np.int8([127]) + rng.integers(0, 2, size=1, dtype=np.int8)).tolist()),
    "not of an integer": lambda x, rng: int(~rng.integers(2)),
    "not of an unsigned one": lambda x, rng: int(~rng.integers(2, dtype=np.uint8)),
    "minus an unsigned one": lambda x, rng: int(-rng.integers(2, dtype="u2")),
    "a coin": lambda x, rng: int(~rng.integers(2, dtype=bool)),
    "coins": lambda x, rng: tuple((~rng.integers(0, 2, 2, dtype=bool)).tolist()),
    "an int": lambda x, rng: int(~rng.integers(2, dtype=int)),
    "int64 overflows": lambda x, rng: int((np.int64(2**63 - 1) + rng.integers(2)) < 0),
    "many values": lambda x, rng: int(rng.integers(1000) % 3),
    "many values, by halves": lambda x, rng: int(rng.integers(2**20) // 2**18),
    "many uint16": lambda x, rng: int(rng.integers(2**16, dtype=np.uint16) >> 14),
    "many, compared": lambda x, rng: int(~(rng.integers(2**40) < 2**39)),
    "bounds of arrays": lambda x, rng: tuple(rng.integers([0, 5], [3, 7]).tolist()),
    "with its endpoint": lambda x, rng: rng.integers(1, 3, endpoint=True),
    "choice": lambda x, rng: ~rng.choice(2),
    "choice of bools": lambda x, rng: int(~rng.choice([True, False])),
    "choice of mixed": lambda x, rng: rng.choice(["a", 1]),
    "choice of None": lambda x, rng: rng.choice([None, 1]) is None,
    "choice of pairs": lambda x, rng: tuple(rng.choice([(0, 1), (1, 0), (1, 1)]).tolist()),
    "choice of columns": lambda x, rng: tuple(rng.choice([[0, 1], [2, 3]], axis=1).tolist()),
    "choice of uint8": lambda x, rng: int(rng.choice(np.uint8([254, 255])) + np.uint8(1)),
    "choice of a matrix": lambda x, rng: rng.choice(3, size=(2, 1)).shape == (2, 1),
    "choice by softmax": lambda x, rng: rng.choice(3, p=SOFTMAX),
    "choice of two": lambda x, rng: tuple(rng.choice(3, 2, replace=False).tolist()),
    "choice of long text": lambda x, rng: rng.choice(np.array(["a", "abc"], dtype="U2")),
    "multinomial by softmax": lambda x, rng: int(rng.multinomial(1, SOFTMAX).argmax()),
    "multinomial of float32": lambda x, rng: tuple(rng.multinomial(2, SOFT32.astype(float)).tolist()),
    "multinomial rows": lambda x, rng: tuple(map(tuple, rng.multinomial(1, [0.5, 0.5], size=2).tolist())),
    "multinomial that is short": lambda x, rng: tuple(rng.multinomial(2, [0.25, 0.25]).tolist()),
    "binomial": lambda x, rng: ~rng.binomial(2, 0.5),
    "binomials": lambda x, rng: tuple(rng.binomial([1, 2], 0.5).tolist()),
    "geometric": lambda x, rng: min(rng.geometric(0.75), 3),
    "permutation": lambda x, rng: tuple(rng.permutation(["a", 1, "c"]).tolist()),
    "permutation of columns": lambda x, rng: tuple(rng.permutation([[0, 1], [2, 3]], axis=1).ravel().tolist()),
    "permuted": lambda x, rng: tuple(rng.permuted([[0, 1], [2, 3]]).ravel().tolist()),
    "permuted rows": lambda x, rng: tuple(rng.permuted([[0, 1], [2, 3]], axis=1).ravel().tolist()),
    "shuffle": lambda x, rng: first_of((x, 1 - x, 2), rng),
    "shuffle of rows": lambda x, rng: in_place([[0, 1], [2, 3], [4, 5]], rng),
    "shuffle of columns": lambda x, rng: in_place([[0, 1, 2], [3, 4, 5]], rng, 1),
    "where": lambda x, rng: tuple(np.where(rng.random(2) < 0.25, np.uint8([0, 9]), np.uint8([1, 8])).tolist()),
    "a mask": lambda x, rng: tuple(np.arange(3)[rng.random(3) < 0.5].tolist()),
    "a mask that is assigned": lambda x, rng: tuple(
        operator.setitem(bits := np.array([x, 1, 0]), rng.random(3) < 0.25, 7) or bits.tolist()
    ),
    "argmax": lambda x, rng: int(rng.random(3).argmax()),
    "argmax of rows": lambda x, rng: tuple(rng.random((2, 2)).argmax(axis=1).tolist()),
    "argsort": lambda x, rng: tuple(np.argsort(rng.random(3), kind="stable").tolist()),
    "parts of arrays": lambda x, rng: tuple((rng.random((2, 2)) * 3).astype(int).ravel().tolist()),
    "floor": lambda x, rng: int(np.floor(rng.random() * 3)),
    "floors": lambda x, rng: tuple(np.floor(rng.random(2) * 2).astype(np.uint8).tolist()),
    "searchsorted": lambda x, rng: int(np.searchsorted(np.cumsum([0.5, 0.25, 0.25]), rng.random())),
    "searchsorted right": lambda x, rng: int(np.searchsorted([0.5, 0.75], rng.random(), side="right")),
    "digits of a uniform": lambda x, rng: int(rng.uniform(2, 5)),
    "uniforms": lambda x, rng: tuple((rng.uniform([0, 1], [1, 3]) < 1.5).tolist()),
    "reversed": lambda x, rng: tuple((1 - rng.random(2) < 0.25).tolist()),
    "is True": lambda x, rng: (rng.random() < np.float64(0.5)) is True,
    "is True, of Python's": lambda x, rng: (rng.random() < 0.5) is True,
    "isinstance": lambda x, rng: isinstance(rng.random(2)[0] < 0.5, bool),
    "asked what it is": lambda x, rng: (isinstance(rng, np.random.Generator), hasattr(rng, "laplace")),
    "asked what a draw is": lambda x, rng: (isinstance(rng.random(), float), isinstance(rng.random(2), np.ndarray)),
    "bisect": lambda x, rng: bisect([0.25, 0.5], rng.random()),
    "one more uint8 than a byte": lambda x, rng: int((rng.integers(200, 256, dtype=np.uint8) + np.uint8(60)) < 10),
}
RANDOMS = {
    "not a bool": lambda x, rng: ~(rng.random() < 0.25),
    "sum of bools": lambda x, rng: (rng.random() < 0.5) + (rng.random() < 0.5),
    "not a bool of numpy": lambda x, rng: int(~(rng.random() < np.float64(0.25))),
    "randint": lambda x, rng: rng.randint(1, 3),
    "not of randint": lambda x, rng: ~rng.randint(0, 1),
    "randrange of many": lambda x, rng: rng.randrange(10, 1010) % 3,
    "bits": lambda x, rng: rng.getrandbits(16) & 3,
    "bits beyond 64": lambda x, rng: rng.getrandbits(70) * 2 > 2**70,
    "choice": lambda x, rng: rng.choice(["a", 1]) == 1,
    "choice of a tuple": lambda x, rng: rng.choice([(0, 1), (1, 0)]),
    "choices": lambda x, rng: tuple(rng.choices("ab", [0.1, 0.3], k=2)),
    "choices of float32": lambda x, rng: rng.choices("ab", np.float32([0.1, 0.3]))[0],
    "choices cumulated": lambda x, rng: rng.choices("abc", cum_weights=[1, 1.5, 4])[0],
    "sample": lambda x, rng: tuple(rng.sample("abc", 2)),
    "sample counted": lambda x, rng: tuple(rng.sample("ab", 2, counts=[2, 1])),
    "shuffle": lambda x, rng: first_of((x, 1 - x, 2), rng),
    "shuffle of rows, which are views": lambda x, rng: in_place([[0, 1], [2, 3], [4, 5]], rng),
    "uniform": lambda x, rng: int(rng.uniform(-1.5, 1.5)),
    "bytes": lambda x, rng: rng.randbytes(1)[0] % 4,
    "asked what it is": lambda x, rng: (
        isinstance(rng, random.Random),
        hasattr(rng, "gauss"),
        hasattr(rng, "integers"),
    ),
    "floor": lambda x, rng: math.floor(3 * rng.random()),
    "a float32": lambda x, rng: bool(rng.random() * np.float32(4) < np.float32(1)),
    "numpy's floor": lambda x, rng: int(np.floor(4 * rng.random())),
}
STATES = {
    "randint": lambda x, rng: ~rng.randint(2),
    "randint of uint8": lambda x, rng: int(~rng.randint(2, dtype=np.uint8)),
    "rand": lambda x, rng: tuple((~(rng.rand(2) < 0.25)).tolist()),
    "choice": lambda x, rng: ~rng.choice(2),
    "choice by softmax": lambda x, rng: int(rng.choice(3, p=SOFTMAX)),
    "shuffle": lambda x, rng: in_place([[0, 1], [2, 3]], rng),
    "permutation": lambda x, rng: tuple(rng.permutation(3).tolist()),
    "binomial": lambda x, rng: rng.binomial(2, 0.5),
}
PROGRAMS = [
    pytest.param(library, programs[name], id=f"{library.split()[-1]}: {name}")
    for library, programs in ((GENERATOR, GENERATORS), (PYTHON, RANDOMS), (STATE, STATES))
    for name in programs
]


@pytest.mark.parametrize(
    "deployed", [pytest.param(False, id="ideal", marks=pytest.mark.long), pytest.param(True, id="deployed")]
)
@pytest.mark.parametrize(("library", "program"), PROGRAMS)
@pytest.mark.sampled(64)
def test_programs_against_seeded_runs(library, program, deployed):
    found = enumerate_sampler(program, [0, 1], deployed=deployed, library=library, residual=Fraction(1, 2**20))
    for x in (0, 1):
        rng, names = MAKE[library](1 + x), Names()
        counted = Counter(names.messages(sent(s, isinstance(s, tuple))) for s in (program(x, rng) for _ in range(RUNS)))
        wrong = implausible(counted, found.laws[str(x)], found.residual[str(x)], CHANCE)
        assert not wrong, [(m, counted[m], found.laws[str(x)].get(m)) for m in wrong]


# Which library a function is written for -----------------------------------------------------------------------------


def library_of(function):
    return enumerate_sampler(function, [0, 1]).library


def test_the_library_is_found_out():
    assert library_of(lambda x, rng: rng.random() < 0.5) == "random.Random or numpy's Generator"
    assert library_of(lambda x, rng: rng.randint(0, 1)) == "random.Random"
    assert library_of(lambda x, rng: rng.integers(2)) == "numpy's Generator"
    assert library_of(lambda x, rng: rng.choice(2, p=[0.5, 0.5])) == "numpy's Generator"
    assert library_of(lambda x, rng: int(rng.random() < 0.5) or rng.getrandbits(1)) == "random.Random"
    assert library_of(lambda x, rng: rng.choice("ab")) == "random.Random"


REFUSED = {
    "two libraries": (lambda x, rng: rng.randrange(2) + int(rng.integers(2)), "has no attribute 'integers'"),
    "shuffled rows": (lambda x, rng: in_place([[0, 1], [2, 3], [4, 5]], rng), "give different laws"),
    "a type of choice": (lambda x, rng: rng.choice(["a", 1]) == 1, "give different laws"),
    "of neither": (lambda x, rng: rng.nothing(), "has no attribute 'nothing'"),
    "numpy makes an array": (lambda x, rng: tuple(np.array([rng.random(), rng.random()]) < 0.5), "an array"),
    "a copy of rng": (lambda x, rng: copy.deepcopy(rng).random() < 0.5, "cop"),
    "a sum of an array": (lambda x, rng: rng.random(3).sum() < 1.5, ".sum() of an array of draws"),
    "a logarithm": (lambda x, rng: int(np.log(rng.random())), "numpy.log of a draw"),
    "a float of a draw": (lambda x, rng: int(float(rng.random()) * 2), "of a draw of random()"),
    "an array of draws": (lambda x, rng: rng.random(2), "sends a float"),
    "a rounded bound": (lambda x, rng: rng.integers(2.5), "expected an integer"),
    "overflow of many": (lambda x, rng: bool(rng.integers(2**62) * 4 < 5), "overflow"),
    "overflow of many uint16": (lambda x, rng: int(rng.integers(1000, dtype="u2") * np.uint16(99)), "overflow"),
    "another array of a draw": (lambda x, rng: int(np.array([1, 2]).searchsorted(rng.random())), "an array that numpy"),
    "a text of an array": (lambda x, rng: str(rng.random(2)), "text of an array"),
    "unstable order": (lambda x, rng: tuple(np.argsort(rng.random(3)).tolist()), "not stable"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.sampled(4)
def test_what_is_refused(name):
    function, said = REFUSED[name]
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, [0, 1], deployed=name == "unstable order")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# Deployed, exactly ---------------------------------------------------------------------------------------------------


EXACT = {  # a comparison, of how many points, and what a draw is when it is compared
    "a float with float32": (lambda u: u < P32, 2**53, float),
    "a float64 with float32": (lambda u: u < P32, 2**53, np.float64),
    "a float times float32": (lambda u: u * np.float32(3) < 1, 2**53, float),
    "a float32 with a float": (lambda u: u < 0.3, 2**24, np.float32),
    "a float16": (lambda u: u + np.float16(1) < np.float16(1.3), 2**53, float),
    "a longdouble": (lambda u: u < np.longdouble(1) / 3, 2**53, float),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.sampled(3)
def test_deployed_precision(name):
    holds, points, kind = EXACT[name]
    draw = {
        float: lambda rng: rng.random(),
        np.float64: lambda rng: rng.random(1)[0],
        np.float32: lambda rng: rng.random(1, dtype=np.float32)[0],
    }[kind]
    found = enumerate_sampler(lambda x, rng: bool(holds(draw(rng))), [0], deployed=True, library=GENERATOR)
    assert found.laws["0"]["1",] == share(holds, points, kind)


def test_bytes_of_numpy_are_bytes():
    """They were written otherwise, so that the two inputs sent different messages."""
    found = enumerate_sampler(lambda x, rng: (np.bytes_(b"a"), np.str_("b")) if x else (b"a", "b"), [0, 1])
    assert found.laws["0"] == found.laws["1"] == {("b'a'", "b"): Fraction(1)}


def test_a_one_time_pad_in_bytes_hides_everything():
    """uint8 wraps round: 256 equal outputs, whatever is sent."""

    def pad(x, rng):
        return tuple((np.uint8([x]) + rng.integers(0, 256, size=1, dtype=np.uint8)).tolist())

    found = enumerate_sampler(pad, [0, 200])
    assert found.laws["0"] == found.laws["200"] == {(str(k),): Fraction(1, 256) for k in range(256)}


# A number of numpy's before one that waits, which may go round; and what numbers have of Python's methods -----------

WAITING = {  # from where on, how many, of which type; what is made of v: the law is that of all of them
    "a number less one, that goes round": (0, 1000, "uint16", lambda v: bool(np.uint16(500) - v >= 300)),
    "of 64 bits": (0, 1000, "uint64", lambda v: bool(np.uint64(500) - v > 600)),
    "in an array": (0, 1000, "uint16", lambda v: bool((np.array([500], np.uint16) - v)[0] >= 300)),
    "Python's times numpy's": (0, 300, None, lambda v: bool(v * np.uint16(100) - np.uint16(300) > 60000)),
    "large, rounded down": (50, 400, "uint16", lambda v: int(np.floor(np.uint64(2**62) - v)) // 100),
    "over all that the type has": (-(2**15), 2**16, "int16", lambda v: bool(v // np.int16(3) > 5000)),
    "shifted by less than nothing": (0, 300, None, lambda v: bool(v >> np.int64(-1) < 5)),
    "times nothing, where it does not fit": (0, 300, None, lambda v: bool(np.int8(0) * v < 1)),
    "sums that stay": (100, 400, "int16", lambda v: bool(np.int16(500) - v * np.int16(10) > 100)),
    "an array that is all nothing": (0, 300, "int32", lambda v: int(np.floor(np.array([v]) * 0)[0])),
}


@pytest.mark.parametrize("name", WAITING)
def test_whole_numbers_that_wait(name):
    """Of 50 - v and the like the law of what does not go round was said; and that v // 3 raises OverflowError."""
    start, many, kind, made = WAITING[name]

    def drawn(x, rng):
        if kind is None:
            return made(rng.randrange(start, start + many))
        return made(rng.integers(start, start + many, dtype=kind))

    values, raised = Counter(), False
    with np.errstate(over="ignore"):
        for v in range(start, start + many):
            try:
                values[str(int(made(v if kind is None else np.dtype(kind).type(v)))),] += Fraction(1, many)
            except OverflowError:
                raised = True
    try:
        found = enumerate_sampler(drawn, [0], library=GENERATOR if kind else "random.Random")
    except BadInput as error:
        assert raised or "raises" not in str(error)
    else:
        assert found.laws["0"] == values and not raised


def test_what_a_float32_has_of_pythons_methods():
    """int() of a deployed one was refused as one that raises TypeError, and trunc() followed, which does."""
    found = enumerate_sampler(lambda x, rng: int(rng.random(1, np.float32)[0] * 2), [0], deployed=True)
    assert found.laws["0"] == {("0",): Fraction(1, 2), ("1",): Fraction(1, 2)}
    if hasattr(np.float32, "__trunc__"):
        return
    with pytest.raises(BadInput, match="raises TypeError"):
        enumerate_sampler(lambda x, rng: math.trunc(rng.random(1, np.float32)[0]), [0])


def test_a_remainder_has_the_type_that_it_has():
    """~ of a bool of numpy's is one: it was -1 or -2."""
    found = enumerate_sampler(lambda x, rng: int(~(rng.random(1)[0] % 1 < 0.25)), [0])
    assert found.laws["0"] == {("0",): Fraction(1, 4), ("1",): Fraction(3, 4)}
