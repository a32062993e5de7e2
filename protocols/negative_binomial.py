"""`negative_binomial`: sums with negative binomial noise, in the number of equal messages (GKMP Alg. 1, 2, Theorem 13).

A user with input x in 0..sensitivity draws Z ~ NB(r/n, p) and sends x + Z copies of the message 1. Only the number of
messages is seen; the sum of n draws of NB(r/n, p) is one of NB(r, p), whatever n is:

    s + NB(r, p),   s = x_1 + ... + x_n,   Pr[NB(r, p) = k] = C(k + r - 1, k) (1 - p)^r p^k.

The analyzer takes the number of messages and subtracts the mean r p / (1 - p).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from shufflecert.protocols.shared.arrival import arrival_reach
from shufflecert.protocols.shared.counts import NoisyCount, any_input, check_target, decay, endless, sensitivities
from shufflecert.verify.enclose.noise_laws import NegativeBinomial, open_unit, positive
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import ADDED, RATIO, parameter, prescribed


@dataclass(frozen=True)
class NegativeBinomialSum(NoisyCount):
    """The Negative Binomial Mechanism, distributed: s + NB(r, p) messages, for inputs 0 to `sensitivity`."""

    REACH = "exact over all datasets, whatever n: the noise and its shift by the sensitivity, both directions"
    WITHIN = "poisson"
    UNWRITTEN = endless("NB(r/n, p)")

    r: Fraction = parameter("shape of the noise, of all users together", positive, order=ADDED)
    p: Fraction = parameter("ratio of the noise: its mean is r p / (1 - p)", open_unit, order=RATIO)
    sensitivity: int = any_input()

    @property
    def noise(self) -> NegativeBinomial:
        """The noise of all users together, NB(r, p)."""
        return NegativeBinomial(self.r, self.p)

    def share_of(self, part: Fraction) -> "NegativeBinomialSum":
        """What a part of the users adds together: s + NB(part r, p)."""
        return NegativeBinomialSum(self.r * part, self.p, self.sensitivity)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes, n of `users` honest with that one: noise of shape n r/users or (n - 1) r/users."""
        coming, without = (self.r * k / users for k in (n, n - 1))
        return arrival_reach(
            NegativeBinomial(coming, self.p), NegativeBinomial(without, self.p) if without else None, self.sensitivity
        )

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """r and p of GKMP Theorem 13 (which allows delta = 0, where r is infinite), `theorem_13`; n does not matter."""
        check_target(eps, delta, "GKMP Theorem 13")
        sensitivity = sensitivities(given.get("sensitivity", 1), "sensitivity")
        return {name: value for name, value in theorem_13(eps, delta, sensitivity).items() if name not in given}


def theorem_13(
    eps: Eps, delta: Fraction, sensitivity: int, share: Fraction = Fraction(1), factor: Fraction = Fraction(1)
) -> dict[str, Fraction]:
    """p = e^(-0.1 eps / sensitivity) and r = 50 e^(eps / sensitivity) ln(1/delta), both 64 bits, rounded up.

    For share (eps + ln(factor)) in the place of eps. Up is the private side: p' >= p belongs to a smaller eps', which
    asks for a smaller r', so (r', p') keeps (eps', delta); and for r >= r' a draw of NB(r, p') is one of NB(r', p') and
    one of NB(r - r', p'), and adding independent noise is post-processing. Raises BadInput where p is 1 in 64 bits.
    """
    each = share / sensitivity
    p = decay(eps, each / 10, factor)

    def r() -> arb:
        return 50 * ((eps.ball() + ball(factor).log()) * ball(each)).exp() * -ball(delta).log()

    return {"r": prescribed(r, up=True), "p": p}
