"""`priv_unit`: a random unit vector, likely in a cap around the user's (Bhowmick et al. 2018).

A user with a unit vector x in dimension `dim` sends a unit vector, uniform on the cap {y: y . x >= c} with probability
p, else uniform on its complement. With s the share of the sphere that the cap has, the two densities are p / s and
(1 - p) / (1 - s), and E = e^eps0 is their ratio:

    p = E s / (E s + 1 - s).

Local eps = eps0 (arXiv 1812.00984, Algorithm 1). The cap is given by its share; the analyzer adds the vectors up and
divides by the mean of y . x, which `dim` and the share decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NoReturn

from shufflecert.protocols.shared.caps import Caps
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import LocalSystem
from shufflecert.protocols.shared.two_levels import corners, least, orbits_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import decimal_below, rational, shorten
from shufflecert.verify.systems.declare import Synonyms, parameter, whole


def cap_share(value: object, where: str) -> Fraction:
    """The share of the sphere of a cap, at least 0 and at most 1/2."""
    share = rational(value, where)
    if not 0 <= share <= Fraction(1, 2):
        raise BadInput(f"{where}: {shorten(share)}: expected a rational in [0, 1/2]")
    return share


@dataclass(frozen=True)
class PrivUnit(LocalSystem):
    """PrivUnit: a random unit vector, e^eps0 times as likely in a cap around the user's as elsewhere."""

    SYNONYMS: ClassVar[Synonyms] = {"PrivUnit": {}, "PrivUnit2": {}}
    UNWRITTEN = "unit vectors are sent, so there is no table"
    REACH = """two-sided over all unit vectors: all others on one vector (attained) and the exchange of a message, for
    caps that keep away from each other as far as caps can (dominating); about the density, not about the floats that
    are sent in its place"""

    dim: int = parameter("dimension of the vectors", whole(2, 10**9))
    cap: Fraction = parameter("share of the sphere in the cap; 0: 1 / (e^eps0 + 1)", cap_share, Fraction(0))

    @property
    def share(self) -> Fraction:
        """The share of the sphere in the cap."""
        return self.cap or 1 / (self.ratio + 1)

    def likelihoods(self) -> Likelihoods:
        """Attained: a user on x or on -x, whose caps do not meet, the others on one of them; and a user on x or x' at
        an angle, the others opposite to the middle of the two, whose caps keep away from theirs as far as caps can.

        No cap keeps further away from two others than protocols/shared/caps.py says: there the polytope is cut, where
        the mean square of a likelihood ratio, which decides for many users, is largest (lam = 1 - 1/E).
        """
        share, zero, caps, lam = self.share, Fraction(0), Caps(self.dim, self.share), 1 - 1 / self.ratio
        kinds = {
            "x": orbits_of(share, self.ratio, share, (share, zero, zero, zero)),
            "-x": orbits_of(share, self.ratio, share, (zero, share, zero, zero)),
        }
        turns = caps.apart(lam)
        both, near, off = caps.opposite(turns)
        angle, blanket = f"x' at {decimal_below(180 * turns, 6)} degrees", least(share, share, self.ratio)
        held = {"-(x + x')": orbits_of(share, self.ratio, share - both, (near, near, zero, share - 2 * near))}
        more = Likelihoods.of("x", angle, held, blanket, off=16 * self.ratio * off)
        around = corners(share, share, self.ratio, (lam, caps.away(lam)))
        return Likelihoods.of("x", "-x", kinds, blanket, around, [more] if turns < 1 else [])

    def analyze(self, messages: Mapping[str, int], n: int) -> NoReturn:
        """Vectors are not added up here: raises BadInput."""
        raise BadInput("priv_unit: vectors are not added up here")
