"""Where a sum along a line gave no number, as for thresholded counts composed, the accountant ended in a traceback."""

from fractions import Fraction

import pytest
from flint import arb

from shufflecert.verify.compose import fourier_accountant
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import SumPair, coin

F = Fraction
DIGITS = 8  # more than a lattice is asked for
PAIR = SumPair((coin(F(1, 3)),), (coin(F(1, 2)),))


def line():
    return fourier_accountant.along_line([(PAIR, 50)], Eps.of(0), DIGITS, 1 << 22)


@pytest.mark.parametrize("nothing", ["inf", "nan"])
@pytest.mark.parametrize("end", [0, 1])
def test_an_end_that_is_no_number_bounds_nothing(monkeypatch, end, nothing):
    """delta(0) of 50 coins, from the same sum with few outcomes: still inside, and the other end as close as before."""
    exact = compose([PAIR], 50, 0)
    closer, bounds = line(), fourier_accountant._bounds

    def broken(*asked):
        found = list(bounds(*asked))
        found[end] = arb(nothing)
        return tuple(found)

    monkeypatch.setattr(fourier_accountant, "_bounds", broken)
    found = line()
    assert 0 <= found.low <= exact.low <= exact.high <= found.high <= 1
    assert found.high < closer.high * F(3, 2) if end == 0 else found.low > closer.low / 2
