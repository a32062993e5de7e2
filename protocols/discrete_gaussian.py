"""`discrete_gaussian`: a server's sum with discrete Gaussian noise (Canonne, Kamath & Steinke 2020, Definition 1).

A curator is handed the inputs x in 0..sensitivity and releases one number,

    s + X,   s = x_1 + ... + x_n,   Pr[X = k] proportional to e^(-k^2 / (2 variance)),

reduced as an implementation does (protocols/shared/central.py).
"""

from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared import central
from shufflecert.protocols.shared.counts import any_input
from shufflecert.verify.enclose.interval import Ends, Interval, exactly, refine, root_of
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, DiscreteGaussian, positive
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy, Order, bits_for, parameter

WIDER = Order(Fraction(0), Fraction(10**6), open_ends=True)


@dataclass(frozen=True)
class DiscreteGaussianSum(central.Curated):
    """Discrete Gaussian noise in the central model: a curator releases s + X."""

    variance: Fraction = parameter("sigma^2 of the weights e^(-k^2 / (2 sigma^2))", positive, order=WIDER)
    sensitivity: int = any_input()
    bits: int = central.word_of_noise()
    modulo: int = central.modulus_of_sum()
    wrap: int = central.modulus_of_noise()

    def reach(self, n: int) -> Reduction:
        """The reduction to the noise against its shifts: the others' inputs are known numbers."""
        noise = DiscreteGaussian(self.variance)
        return central.central_reach(noise, self.sensitivity, self.bits, self.modulo, self.wrap)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The accuracy of a release, with the error X. Raises BadInput for reduced numbers."""
        natural(n, "n", most=MAX_TRIALS)
        central.not_reduced(self.bits, self.modulo, self.wrap)
        noise = DiscreteGaussian(self.variance)

        def beyond(bits: int) -> Ends:
            assert alpha is not None
            first, low, high, outside = noise.window(bits)
            sums = [sum(w for i, w in enumerate(side) if abs(first + i) > alpha) for side in (low, high)]
            return Fraction(sums[0], 1 << bits), Fraction(sums[1] + outside, 1 << bits)

        failure: Interval | None = None if alpha is None else refine(beyond)
        rmse = root_of(refine(noise.second_moment))
        all_data = "all: the error has one law"
        return Accuracy(
            "the sum of the inputs", rmse, failure, exactly(0), bits_for(self.sensitivity + 1), all_data, Fraction(1)
        )
