"""`binomial_noise`: a server's sum with the number of heads among fair coins, cpSGD's noise (Agarwal et al. 2018).

A curator is handed the inputs x in 0..sensitivity and releases one number,

    s + Bin(coins, 1/2),   s = x_1 + ... + x_n,

reduced as an implementation does (protocols/shared/central.py). The proposal for Interoperable Private Attribution
draws it so, from a formula that asks for many more coins than are needed.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared import central
from shufflecert.protocols.shared.counts import (
    any_input,
    check_target,
    count_accuracy,
    count_reach,
    sensitivities,
)
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, natural, precision, shorten
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy, Order, bits_for, parameter, whole

# Not where the noise is reduced before it is added: among 2 bits 3 coins are more private than 5.
LEMMA, REDUCED = "more coins add independent noise", ("bits", "wrap")
MORE = Order(Fraction(1), Fraction(10**9), whole=True, lemma=LEMMA, unless=REDUCED)


@dataclass(frozen=True)
class BinomialNoise(central.Curated):
    """The binomial mechanism of the central model: a curator releases s + Bin(coins, 1/2)."""

    coins: int = parameter("number of fair coins", whole(1, 10**9), order=MORE)
    sensitivity: int = any_input()
    bits: int = central.word_of_noise()
    modulo: int = central.modulus_of_sum()
    wrap: int = central.modulus_of_noise()

    def reach(self, n: int) -> Reduction:
        """The reduction to the noise against its shifts: the others' inputs are known numbers."""
        noise = Binomial(self.coins, Fraction(1, 2))
        if self.bits or self.modulo or self.wrap:
            return central.central_reach(noise, self.sensitivity, self.bits, self.modulo, self.wrap)
        by = "the others only shift both sides, and the largest shift is the worst"
        return count_reach(noise, f"{by} (proof in protocols/shared/counts.py, count_reach)", self.sensitivity)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The released number without the mean of the noise. Raises BadInput unless it is the one message."""
        return central.released_number(messages) - Fraction(self.coins, 2)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The accuracy of a release, with the error Bin(coins, 1/2) - coins/2. Raises BadInput for reduced numbers."""
        natural(n, "n", most=MAX_TRIALS)
        central.not_reduced(self.bits, self.modulo, self.wrap)
        noise = Binomial(self.coins, Fraction(1, 2))
        return count_accuracy(noise, alpha, Fraction(0), bits_for(self.sensitivity + 1))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """The least number of coins that cpSGD Theorem 1 allows for one coordinate, which IPA's proposal follows.

        With D the sensitivity and V = coins/4, it asks for V >= max(23 ln(10/delta), 2 D) and for

            eps >= D sqrt(2 ln(1.25/delta) / V) + (D 7/(2 sqrt 2) sqrt(ln(10/delta)) + D/3) / (V (1 - delta/10))
                   + (2 D ln(1.25/delta) / 3 + 2 D ln(20/delta) ln(10/delta) / 3) / V.

        n does not matter. Raises BadInput unless eps > 0 and 0 < delta < 1.
        """
        check_target(eps, delta, "cpSGD Theorem 1")
        if "coins" in given:
            return {}
        D = sensitivities(given.get("sensitivity", 1), "sensitivity")

        def enough(coins: int) -> bool:
            with precision(128):
                V = ball(Fraction(coins, 4))
                ten, twenty, less = (ball(number / delta).log() for number in (10, 20, Fraction(5, 4)))
                first = D * (2 * less / V).sqrt()
                second = (D * 7 * (ten / 8).sqrt() + ball(Fraction(D, 3))) / (V * ball(1 - delta / 10))
                third = 2 * D * (less + twenty * ten) / (3 * V)
                return bool(23 * ten <= V and V >= 2 * D and first + second + third <= eps.ball())

        low, high = 0, 1
        while not enough(high):
            low, high = high, 2 * high
            if high > 2**60:
                raise BadInput(f"eps: {shorten(str(eps))}: more than 2^60 coins: expected a larger eps or delta")
        return {"coins": Fraction(bisect_left(range(high), True, low + 1, key=enough))}
