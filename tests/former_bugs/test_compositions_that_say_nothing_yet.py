"""compose showed a bar without the interval: what is known so far is told, and what is told holds the answer."""

from fractions import Fraction

import pytest

from shufflecert.verify.commands import line
from shufflecert.verify.compose.composition import Run, prepare
from tests import oracle
from tests.helpers import engine

THREE = {
    str(x): {(y,): Fraction(3, 5) if i == x else Fraction(1, 5) for i, y in enumerate("abc")} for x in range(3)
}  # truth with 2/5, else one of three


def told(question):
    """What is told while a question about three runs of THREE by four users is answered, and the answer."""
    seen = []
    prepared = prepare([Run(engine(THREE), 4, 3)], "adaptive", points=17, seen=lambda *ends: seen.append(ends))
    return question(prepared), seen


def test_a_delta_is_told_from_both_sides():
    found, seen = told(lambda asked: asked.delta(1))
    assert seen and any(low > 0 and high < 1 for low, high in seen)
    assert all(low <= found.delta.low + found.delta.low / 100 for low, _ in seen)
    assert all(high >= found.delta.low for _, high in seen)


@pytest.mark.parametrize("bound", ["1/20", "1/100"])
def test_an_eps_is_told_from_both_sides(bound):
    found, seen = told(lambda asked: asked.epsilon(bound))
    low, high = found.interval
    assert any(least > 0 for least, _ in seen) and any(most is not None for _, most in seen)
    assert all(least <= low for least, _ in seen) and all(most is None or most >= high for _, most in seen)
    assert oracle.delta(THREE, 4, 1) > 0 and low > 0


def test_ends_are_rounded_outwards():
    shown = line.between("delta", Fraction(2, 3), Fraction(2, 3))
    assert shown == "delta in [0.666666, 0.666667]"
