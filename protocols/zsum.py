"""`zsum`: binary sums with two messages, exact on all-zero data (BC Figure 1, Theorem 11).

A user with bit x draws z ~ Ber(p) and sends x + z copies of the message 1. Only the number of messages is seen:

    s + Bin(n, p),   s = x_1 + ... + x_n.

The analyzer takes c = (number of messages) / n and answers c - p if c > 1, else 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from protocols.counts import count_reach
from protocols.parameters import System, parameter
from verify.divergence import Pair
from verify.law import bernoulli, binomial, shift
from verify.noise import Binomial
from verify.number import probability
from verify.randomizer import Randomizer
from verify.reach import Reach


@dataclass(frozen=True)
class ZSum(System):
    """The binary sum protocol of BC Figure 1. BC prescribe 1 - p = 50 ln(2/delta) / (eps^2 n)."""

    REACH = "exact over all datasets: a binomial count and its shift by one, both directions"

    p: Fraction = parameter("probability of a noise message", probability)

    def randomizer(self) -> Randomizer:
        noise = bernoulli(self.p)
        return Randomizer.of({x: {("1",) * (x + z): p for z, p in noise.items()} for x in (0, 1)})

    def reduction(self, n: int) -> Iterator[Pair]:
        """Bin(n, p) + 1 against Bin(n, p), and back: the others only shift both (BC proof of Theorem 11(i))."""
        noise = binomial(n, self.p)
        one_more = Pair.of(shift(noise, 1), noise)
        yield one_more
        yield one_more.reversed()

    def reach(self, n: int) -> Reach:
        """`reduction` at any n: Bin(n, p) + 1 against Bin(n, p), and back."""
        return count_reach(Binomial(n, self.p), "the others only shift both sides (BC proof of Theorem 11(i))")

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The estimated fraction of ones: c - p if c > 1 else 0, for c = (number of messages) / n."""
        c = Fraction(messages.get("1", 0), n)
        return c - self.p if c > 1 else Fraction(0)
