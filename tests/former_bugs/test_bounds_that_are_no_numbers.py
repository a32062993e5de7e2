"""e^(theta Y) of values 10^200 apart is more than a ball can hold, and what that gave, no number, was rounded up to 0.

A table with probabilities of 10^-300 had "delta(500) = 0, eps at most 512" where they are 2/19 and 687.3.
The expectations are summed here over all draws, in fractions.
"""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import arb

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.ball import ceiling_of, dyadic, floor_of, least_of
from shufflecert.verify.reduce.multinomial_form import spread_positive_part
from tests.helpers import asked, written_json


def laws():
    """Five outputs: of the first input in nineteenths, of the second four that are next to impossible."""
    first = [Fraction(w, 19) for w in (4, 6, 2, 5, 2)]
    second = [Fraction(3, 10**12), Fraction(1, 10**30), Fraction(1, 10**30), Fraction(1, 10**300)]
    return first, [*second, 1 - sum(second)]


@pytest.mark.parametrize("power", [10**3, 10**217, 10**260], ids=["1e3", "1e217", "1e260"])
def test_values_that_differ_by_far(power):
    """The blanket of three users: c = (p - e^eps q) / min(p, q), with probability min(p, q), else 0."""
    p, q = laws()
    points = [(min(a, b), (a - power * b) / min(a, b)) for a, b in zip(p, q, strict=True)]
    points.append((1 - sum(w for w, _ in points), Fraction(0)))
    draws = product(points, repeat=3)
    truth = sum((prod(w for w, _ in drawn) * max(sum(c for _, c in drawn), 0) for drawn in draws), Fraction(0))
    low, high = spread_positive_part(points, 3, 4)
    assert truth > 0 and low <= truth <= high <= 3 * sum(w * max(c, 0) for w, c in points) * (1 + Fraction(1, 10**9))


LAWS = [
    (1, [("1/4", "-20"), ("5e-255", "70"), ("75e-240", "5"), ("3/4", "-6e224")]),
    (1, [("1/2", "6"), ("4e-260", "-5"), ("1/2", "80")]),
    (2, [("1/4", "1e120"), ("5e-104", "-3e-112"), ("1/2", "70"), ("1/4", "-1")]),
    (5, [("1e-51", "-8"), ("8e-118", "9"), ("1/2", "-6")]),
]


@pytest.mark.parametrize(("n", "law"), LAWS)
def test_values_of_which_no_line_tells_apart(n, law):
    """Where 160 bits show no variance, no line of integration can be laid: that was a traceback."""
    points = [(Fraction(w), Fraction(v)) for w, v in law]
    draws = product(points, repeat=n)
    truth = sum((prod(w for w, _ in drawn) * max(sum(v for _, v in drawn), 0) for drawn in draws), Fraction(0))
    low, high = spread_positive_part(points, n, 4)
    assert low <= truth <= high <= n * sum(w * max(v, 0) for w, v in points) * (1 + Fraction(1, 10**9))


def test_a_table_of_tiny_probabilities(capsys, tmp_path, n=3):
    """The others on 1 send `bab`, up to 10^-11: then `aa` has probability 5/19 with a user on 0, n 10^-300 else."""
    p, q = laws()
    sent = [("b", "b"), ("b",), ("a", "b"), ("a", "a"), ("b", "a", "b")]
    rows = {str(x): dict(zip(sent, row, strict=True)) for x, row in enumerate((p, q))}
    (tmp_path / "tiny.json").write_text(written_json(rows))
    found = asked(capsys, "delta", tmp_path / "tiny.json", "--eps", 500, "--n", n, "--max-work", 1)["delta"]
    assert Fraction(found["upper"]) >= Fraction(5, 19) * (1 - Fraction(1, 10**10))


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_no_number_is_not_rounded(text):
    for rounded in (floor_of, ceiling_of, dyadic):
        with pytest.raises(Undecided, match="precision"):
            rounded(arb(text))
    assert least_of(arb(2), [arb("nan"), arb("inf"), arb(3)]) == 2 and least_of(arb(2), [arb("nan"), arb(1)]) == 1
