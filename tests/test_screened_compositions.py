"""The first look in doubles at many compositions keeps the largest: against each of them, evaluated by itself."""

import random
from fractions import Fraction

from shufflecert import Eps
from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared.screened_compositions import screened
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.compose.fourier_accountant import compose_parts


def compositions(flip, n, times):
    return prepare([Run(RR(flip), n, times)], "fresh", effort=Effort(work=10**6)).all


def test_the_largest_is_kept():
    rng = random.Random(8)
    for n, times, count in ((5, 4, 6), (3, 5, 6), (6, 2, 6), (20, 2, 2)):
        for _ in range(count):
            listed, eps = (
                compositions(Fraction(rng.randint(1, 19), 40), n, times),
                Eps.of(Fraction(rng.randint(0, 12), 4)),
            )
            values = [compose_parts(one.parts, eps).low for one in listed]
            kept = {id(one) for one in screened(listed, eps)}
            best = max(values)
            if best == 0:
                assert len(kept) == 1
                continue
            dropped = [value for one, value in zip(listed, values, strict=True) if id(one) not in kept]
            assert all(value < best for value in dropped) and len(kept) <= 2 + sum(v > best * 0.999 for v in values)


def test_what_doubles_cannot_tell_is_kept_and_of_zeros_one():
    for flip, eps, kept in ((Fraction(1, 10**60), 1, 70), (Fraction(1, 4), 400, 70), (Fraction(1, 4), 20, 1)):
        assert len(screened(compositions(flip, 5, 4), Eps.of(eps))) == kept


def test_what_is_enough_is_enclosed_less_closely_and_still_encloses():
    """Against the 30 digits that are given without `enough`; where the value is above that, the same ones."""
    one = compositions(Fraction(1, 3), 6, 2)[-1]
    for eps in (Eps.of("1/2"), Eps.of(30)):
        whole = compose_parts(one.parts, eps)
        for enough in (Fraction(1, 10**12), whole.low / 2, Fraction(1, 2)):
            value = compose_parts(one.parts, eps, enough=enough)
            assert value.low <= whole.low and whole.high <= value.high
            assert value.high <= enough or value == whole
