"""Of values that each outweigh all draws of the later ones only the first was taken out of the sum.

What was left had values too far apart for a line: normal noise of 1/10 gave 2.9e-7 for a delta(1) near 1.
"""

from fractions import Fraction
from math import comb

from protocols.gaussian import Gaussian
from verify.exact.epsilon import Eps
from verify.reduce.multinomial_form import spread_positive_part


def test_ten_values_far_apart_are_summed_closely():
    """E max(Y, 0) of ten users whose values are powers of 10^9, against all numbers of draws of the two likeliest."""
    n, rare = 10, Fraction(1, 10**12)
    far = [(rare, Fraction(10) ** (9 * i)) for i in range(2, 12)]
    near = [(Fraction(1, 3), Fraction(1)), (1 - Fraction(1, 3) - 10 * rare, Fraction(-1))]
    low, high = spread_positive_part([*far, *near], n, 6)
    mean = n * sum(w * v for w, v in far)  # each of them makes up for what the others sum to, at most n
    none = sum(comb(n, i) * near[0][0] ** i * near[1][0] ** (n - i) * max(2 * i - n, 0) for i in range(n + 1))
    assert low <= high <= low * (1 + Fraction(1, 10**4))
    assert low <= mean + none and high >= mean - n * n * sum(w for w, _ in far)


def test_a_user_whose_message_nobody_hides_is_seen():
    """With all others a tenth of the way beyond reach delta(1) is nearly 1."""
    (attained, *_) = Gaussian(Fraction(1, 10)).reach(10_000).attained.worst(Eps.of(1), 4)
    assert attained.low > Fraction(99, 100)
