"""Forms: E max(c . h, 0) / n by a finite sum and by an integral, against the sum over all multinomial counts."""

import random
from fractions import Fraction

import pytest

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce import multinomial_form
from shufflecert.verify.reduce.multinomial_form import Category, Form, rounded, spread_positive_part
from tests.oracle import exp_bounds
from tests.reference import positive_part_of_sum


def enumerated(form, power):
    law = [(c.w, c.a - power * c.b) for c in form.categories]
    return positive_part_of_sum(law, form.n) / form.n


def random_form(seed, kinds, n):
    draw = random.Random(seed)
    weights = [draw.randint(1, 9) for _ in range(kinds)]
    pairs = [(Fraction(draw.randint(0, 9), draw.randint(1, 5)), Fraction(draw.randint(0, 9), 3)) for _ in range(kinds)]
    return Form.of([Category(a, b, Fraction(w, sum(weights))) for (a, b), w in zip(pairs, weights, strict=True)], n)


@pytest.mark.parametrize("seed", range(24))
def test_few_categories_or_draws_to_any_number_of_digits(seed):
    form, power = random_form(seed, 1 + seed % 7, 1 + seed % 6), Fraction(5, 4)
    exact = enumerated(form, power)
    found = form.value(Eps.log(power), 30)
    assert found.low <= exact <= found.high and found.relative_width * 10**30 <= 1


@pytest.mark.parametrize("seed", range(6))
def test_more_categories(seed, monkeypatch):
    monkeypatch.setattr(multinomial_form, "FEW", 0)  # counts are not listed
    form, power = random_form(50 + seed, 5 + seed % 2, 3 + seed % 3), Fraction(5, 4)
    exact = enumerated(form, power)
    found = form.value(Eps.log(power), 4, 20_000)
    assert len(form.categories) > 4 and found.low <= exact <= found.high
    assert found.high - found.low <= exact / 50 + Fraction(1, 10**9)


@pytest.mark.parametrize("exponent", [Fraction(1, 10), Fraction(3, 2)])
def test_irrational_powers(exponent):
    """Between the values at rationals around e^eps, by its Taylor series; both roads."""
    form = random_form(3, 4, 6)
    low, high = (enumerated(form, power) for power in reversed(exp_bounds(exponent, 40)))
    assert high - low < Fraction(1, 10**30)
    for digits in (4, 25):
        found = form.value(Eps.of(exponent), digits)
        assert found.low <= high and low <= found.high and found.relative_width < Fraction(1, 10**3)


def test_the_roads_agree_at_a_size_that_is_not_enumerated():
    """k-ary randomized response, k = 10, local eps about 4, n = 1000, all others on a third value."""
    n, miss, hit = 1000, Fraction(1, 64), 1 - Fraction(9, 64)
    ratio, one = hit / miss, Fraction(1)
    categories = [Category(ratio, one, miss), Category(one, ratio, miss), Category(1 / ratio, 1 / ratio, hit)]
    form = Form.of([*categories, Category(one, one, 7 * miss)], n)
    finite = form.value(Eps.of("1/5"), 30)
    above, _ = rounded(Eps.of("1/5"), 256)
    low, high = (end / n for end in spread_positive_part(form.points(above), n, 6))
    assert low <= finite.high and finite.low <= high + Fraction(1, 10**60)
    assert finite.relative_width < Fraction(1, 10**30) and high - low < finite.low / 10**5


def test_a_grid_only_adds():
    """Values moved to multiples of a step around them, means kept: the sum's positive part can only grow."""
    form, power = random_form(8, 4, 6), Fraction(5, 4)
    exact, before = enumerated(form, power), None
    for step in (Fraction(2), Fraction(1, 3), Fraction(1, 40)):
        split = form.split(power, step)
        assert sum(w for w, _ in split) == 1 and all((v / step).denominator == 1 for _, v in split)
        assert sum(w * v for w, v in split) == sum(w * v for w, v in form.points(power))
        coarse = Form(tuple(Category(max(v, Fraction(0)), max(-v, Fraction(0)), w) for w, v in split), form.n)
        if len(split) <= 8:
            grown = enumerated(coarse, Fraction(1))
            assert grown >= exact and (before is None or grown <= before)
            before = grown
    assert before is not None


def test_nothing_to_gain():
    form = Form.of(
        [Category(Fraction(1), Fraction(2), Fraction(1, 3)), Category(Fraction(0), Fraction(1), Fraction(2, 3))], 9
    )
    assert form.value(Eps.of(0), 30).high == 0
    assert Form((), 9).value(Eps.of(0), 30).high == 0
