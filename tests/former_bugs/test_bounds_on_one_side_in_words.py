"""A verdict that knows delta from one side only printed `delta(0.836) = [0, 9.84e-7] <= 1e-6`, as if 0 were a finding.

What is known is written as it is known: at most, at least, equal to, or between.
"""

from fractions import Fraction

import pytest

from shufflecert.verify.answers.words import known
from shufflecert.verify.exact.written import ends_of

CASES = (
    (0, "9.84e-7", "<= 9.84e-7"),
    ("9.84e-7", 1, ">= 9.84e-7"),
    (0, 0, "= 0"),
    (1, 1, "= 1"),
    (0, 1, "<= 1"),
    ("1/4", "1/4", "= 0.25"),
    ("1/4", "1/2", "= [0.25, 0.5]"),
)


@pytest.mark.parametrize(("low", "high", "said"), CASES)
def test_a_number_is_written_as_it_is_known(low, high, said):
    assert known(ends_of(Fraction(low), Fraction(high)), most="1") == said


def test_a_number_without_a_largest_value_keeps_its_upper_bound():
    """An eps of [1/4, 1] is no eps of at least 1/4: 1 is nothing special to it."""
    assert known(ends_of(Fraction(1, 4), Fraction(1))) == "= [0.25, 1]"
