"""Systems that send a real number, uniform on an interval that depends on the input, or else on the rest."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import LocalSystem
from shufflecert.protocols.shared.two_levels import corners, least, windows


@dataclass(frozen=True)
class WindowSystem(LocalSystem):
    """A density of two levels, in the ratio e^eps0, the higher on an interval of a given share of the range.

    The interval moves from one end of the range to the other as the input goes from the first of `ENDS` to the second.
    """

    UNWRITTEN = "real numbers are sent, so there is no table"
    REACH = """two-sided over all real inputs: all others on one value (attained) and the exchange of a message
    (dominating); about the density, not about the floats that are sent in its place"""
    ENDS = "-1", "1", "0"  # and the middle

    @property
    @abstractmethod
    def share(self) -> Fraction:
        """The length of the interval in which outputs are likelier, as a fraction of the range."""

    def likelihoods(self) -> Likelihoods:
        """Attained: a user on one end or the other, all others on an end or in the middle. The rest is `two_levels`."""
        share, most = self.share, min(self.share, 1 - self.share)
        first, last, middle = self.ENDS
        begins = {first: Fraction(0), last: 1 - share, middle: (1 - share) / 2}
        kinds = {z: windows(share, self.ratio, begin) for z, begin in begins.items()}
        return Likelihoods.of(first, last, kinds, least(share, most, self.ratio), corners(share, most, self.ratio))
