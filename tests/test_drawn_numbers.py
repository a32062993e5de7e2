"""Numbers that wait for their draw, against every value of it: random arithmetic of Python's and numpy's integers.

A function of one drawn integer is run as it stands on each value that may be drawn, by Python and numpy, which count
as the truth: where one of these runs raises there is no law. Overflow goes round, types change, quotients are rounded.
"""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shufflecert.verify.audit.sampler import Options, enumerate_file
from shufflecert.verify.errors import BadInput
from tests.helpers import cases

TYPES = ("int16", "uint16", "int32", "uint32", "int64", "uint64", "")  # numpy's, and Python's
CONSTANTS = (0, 1, 2, 3, 5, 7, -1, -2, -5, 100, 200, 300, 500, 1000, 30000, 32767, 60000, 2**31 - 1, 2**62)
WRITTEN = ("{}", "{}", *(f"np.{name}({{}})" for name in TYPES if name), "np.int8({})", "{}.5", "np.float32({})")
FIRST = (0, 0, 1000, 32000, 50, -200, -32768)
FILE = """import math
import numpy as np
def g(v):
    return {}
def f(x, rng):
    return g({})
"""
OUTER = ("int({}) // 100", "math.floor({}) // 100", "int(np.floor({})) // 100")


def constant(rng):
    """A number as it is written."""
    return rng.choice(WRITTEN).format(rng.choice(CONSTANTS))


def expression(rng):
    """Arithmetic on `v`, compared or rounded at last."""
    text = "v"
    for _ in range(rng.randint(1, 3)):
        sign, other = rng.choice(["+", "-", "*", "+", "-", "*", "//", "/", ">>"]), constant(rng)
        first = rng.random() < 0.6 or sign in ("//", "/", ">>")
        text = f"({text} {sign} {other})" if first else f"({other} {sign} {text})"
        text = rng.choice((*["{}"] * 8, "(-{})", "abs({})")).format(text)
    compared = f"bool({text} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {constant(rng)})"
    return rng.choice((compared, rng.choice(OUTER).format(text)))


def of_every_value(function, kind, values):
    """The law by a run on each value; None where one of them raises."""
    law = Counter()
    with np.errstate(all="ignore"):
        for value in values:
            try:
                law[str(int(function(np.dtype(kind).type(value) if kind else value)))] += Fraction(1, len(values))
            except (ArithmeticError, ValueError, TypeError):
                return None
    return law


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore")
def test_arithmetic_on_a_drawn_integer_is_that_of_python_and_numpy_or_refused(seed, tmp_path):
    rng, file, alike = random.Random(seed), tmp_path / "drawn.py", 0
    for _ in range(cases(400)):
        kind, size = rng.choice(TYPES), rng.choice((300, 400))
        first = rng.choice(FIRST[:5] if kind.startswith("u") else FIRST)
        ends = f"{first}, {first + size}"
        draw = f"rng.integers({ends}, dtype=np.{kind})" if kind else f"rng.randrange({ends})"
        text = FILE.format(expression(rng), draw)
        file.write_text(text)
        known = {}
        exec(text, known)
        truth = of_every_value(known["g"], kind, range(first, first + size))
        library = "numpy's Generator" if kind else "random.Random"
        try:
            laws = enumerate_file(f"{file}:f", {}, [0], Options(library=library), strict=True).laws
        except BadInput as refusal:
            assert truth is None or " raises " not in str(refusal), text
            continue
        assert {message: p for (message,), p in laws["0"].items()} == truth, text
        alike += 1
    assert alike
