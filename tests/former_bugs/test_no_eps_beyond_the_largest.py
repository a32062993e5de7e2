"""A table whose eps is above every one that is asked about: blocks looked for one further out, which was refused."""

from fractions import Fraction

import pytest

from tests.helpers import LABELS, engine
from verify.exact.epsilon import MAX_EPS
from verify.exact.views import view_of
from verify.reduce.block_cover.reach import EPS_WIDTHS, Closing
from verify.reduce.block_cover.search import Search

TABLE = engine({x: {(m,): Fraction(1, 3) for m in LABELS} for x in "01"})


@pytest.mark.parametrize(
    "low, high, count", [(MAX_EPS, None, 0), (MAX_EPS - 1, None, 1), (MAX_EPS // 2, MAX_EPS, 5), (1, None, 11)]
)
def test_what_is_tried_is_an_eps_above_the_lower_end(low, high, count):
    """Upper ends are tried at 5 times the lower, then closer: 2, 1.3, 1.1 times, and so on."""
    view = view_of(TABLE)
    search = Search(view, 10, 1000, lambda: None)
    closing = Closing(view, Fraction(1, 1000), None, Fraction(low), high and Fraction(high), search)
    tried = list(closing.targets(EPS_WIDTHS))
    assert all(low < target <= MAX_EPS for target in tried)
    assert len(tried) >= count and (count > 0 or not tried)
