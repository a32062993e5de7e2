"""`hist`: histograms over d bins with at most 1 + d messages (BC Figure 2, Theorem 12).

A user with value x in 1..d runs `zsum` in every bin: for j = 1..d it draws z_j ~ Ber(p) and sends 1[x = j] + z_j
copies of the message j. Only the number of messages of each value is seen; the bins are independent:

    c_j + Bin(n, p),   c_j = |{i: x_i = j}|,   j = 1..d.

The analyzer takes every bin's count y_j / n and answers y_j / n - p if that count exceeds 1, else 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from protocols.counts import histogram_reach
from protocols.parameters import System, parameter
from verify.divergence import Pair
from verify.errors import BadInput
from verify.law import binomial, shift
from verify.noise import Binomial
from verify.number import natural, probability
from verify.randomizer import Messages, Randomizer
from verify.reach import Reach

MAX_WRITTEN = 12  # d up to which the 2^d outputs of every input are written out; the reduction has no such limit


def bins(value: object, where: str) -> int:
    """The number of bins, 2 to 10^6."""
    return natural(value, where, least=2, most=10**6)


@dataclass(frozen=True)
class Hist(System):
    """The histogram protocol of BC Figure 2: `zsum` in every bin, with its parameter p."""

    REACH = "exact over all datasets: the two bins that move, jointly"

    d: int = parameter("number of bins, the inputs are 1..d", bins)
    p: Fraction = parameter("probability of a noise message in each bin", probability)

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        if self.d > MAX_WRITTEN:
            raise BadInput(f"d: {self.d}: the randomizer's d 2^d outputs are written out for d <= {MAX_WRITTEN} only")
        noises = {z: prod((self.p if bit else 1 - self.p) for bit in z) for z in product((0, 1), repeat=self.d)}
        return Randomizer.of({x: {_send(x, z): p for z, p in noises.items()} for x in range(1, self.d + 1)})

    def reduction(self, n: int) -> Iterator[Pair]:
        """(X + 1, Y) against (X, Y + 1), for X, Y iid Bin(n, p).

        Proof. Let a user move from bin a to bin b. Given the dataset the bins are independent, and the bins other
        than a and b have the same law on both sides: they cancel from sum max(P - e^eps Q, 0). The other users shift
        bins a and b by amounts that are the same on both sides, a bijection of the outcomes. What is left is the pair
        above, whatever a, b and the others are; exchanging its two coordinates exchanges its two sides, so it is its
        own reverse.
        """
        noise = binomial(n, self.p)
        more = shift(noise, 1)
        yield Pair.of(more.times(noise), noise.times(more))

    def reach(self, n: int) -> Reach:
        """`reduction` at any n."""
        by = "the other bins and users drop out (proof in protocols/hist.py, reduction)"
        return histogram_reach(Binomial(n, self.p), self.d, by)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """The estimated fraction of users in each bin: c - p if c > 1 else 0, for c = (number of its messages) / n."""
        counts = (Fraction(messages.get(str(j), 0), n) for j in range(1, self.d + 1))
        return tuple(c - self.p if c > 1 else Fraction(0) for c in counts)


def _send(x: int, noise: tuple[int, ...]) -> Messages:
    return tuple(str(j) for j, z in enumerate(noise, 1) for _ in range(z + (x == j)))
