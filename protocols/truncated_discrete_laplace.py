"""`truncated_discrete_laplace`: a server's sum with discrete Laplace noise of bounded size (GKMP Section 1.2, cut off).

A curator is handed the inputs x in 0..sensitivity and releases one number,

    s + X,   s = x_1 + ... + x_n,   Pr[X = k] proportional to q^|k| for |k| <= bound,

reduced as an implementation does (protocols/shared/central.py).
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from shufflecert.protocols.shared import central
from shufflecert.protocols.shared.counts import any_input, count_reach
from shufflecert.verify.enclose.interval import enclose, exactly, root_of
from shufflecert.verify.enclose.noise_laws import MAX_BOUND, MAX_TRIALS, TruncatedDiscreteLaplace, open_unit
from shufflecert.verify.exact.rational import ball, natural
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy, Order, bits_for, misses, parameter, whole

SCALE = Order(Fraction(0), Fraction(1), open_ends=True)
ROOM = Order(Fraction(1), Fraction(MAX_BOUND), whole=True)


@dataclass(frozen=True)
class TruncatedDiscreteLaplaceSum(central.Curated):
    """Bounded discrete Laplace noise in the central model: a curator releases s + X, |X| <= bound."""

    q: Fraction = parameter("ratio of the noise: e^-s for the scale 1/s", open_unit, order=SCALE)
    bound: int = parameter("largest size of the noise", whole(1, MAX_BOUND), order=ROOM)
    sensitivity: int = any_input()
    bits: int = central.word_of_noise()
    modulo: int = central.modulus_of_sum()
    wrap: int = central.modulus_of_noise()

    @property
    def noise(self) -> TruncatedDiscreteLaplace:
        """The law of the noise."""
        return TruncatedDiscreteLaplace(self.q, self.bound)

    def reach(self, n: int) -> Reduction:
        """The reduction to the noise against its shifts: the others' inputs are known numbers."""
        reach = central.central_reach(self.noise, self.sensitivity, self.bits, self.modulo, self.wrap)
        if self.bits or self.modulo or self.wrap:
            return reach
        return replace(count_reach(self.noise, reach.by, self.sensitivity), mechanism=reach.mechanism)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The accuracy of a release, with the error X: E X^2 = 2 (sum of k^2 q^k) / Z.

        Raises BadInput for reduced numbers.
        """
        natural(n, "n", most=MAX_TRIALS)
        central.not_reduced(self.bits, self.modulo, self.wrap)
        noise, B = self.noise, self.bound

        def square() -> arb:
            q = ball(self.q)
            rest = (B + 1) ** 2 - (2 * B * B + 2 * B - 1) * q + B * B * q * q
            total = q * (1 + q - q**B * rest) / (1 - q) ** 3  # sum of k^2 q^k, k = 1..B
            return 2 * total * (1 - q) / (1 + q - 2 * q ** (B + 1))

        failure = None if alpha is None else misses(noise, Fraction(0), alpha)
        rmse = root_of(enclose(square))
        all_data = "all: the error has one law"
        return Accuracy(
            "the sum of the inputs", rmse, failure, exactly(0), bits_for(self.sensitivity + 1), all_data, Fraction(1)
        )
