"""`dbitflip`: noisy bits of d random buckets out of k, one message (Ding, Kulkarni and Yekhanin 2017).

A user with value x in 1..k draws d buckets without replacement and sends them with a bit each, which is 1 with
probability a = e^(eps0/2) / (e^(eps0/2) + 1) for bucket x, b = 1 - a for any other. Local eps = eps0, half of it for
d = 1 (NIPS 2017, Sec. 2). The analyzer counts, for each bucket, the ones of those who drew it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.shared.bits import independent
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import SMALLER, LocalSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered
from shufflecert.verify.systems.declare import Synonyms, parameter, whole

MAX_WRITTEN = 3000  # outputs up to which the table is written out


@dataclass(frozen=True)
class DBitFlip(LocalSystem):
    """dBitFlip: the noisy bits of d random buckets out of k, as one message."""

    SYNONYMS: ClassVar[Synonyms] = {"dBitFlipPM": {}, "d_bit_flip": {}}
    ALIKE = 1, "k"

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    k: int = parameter("number of buckets, the inputs are 1..k", whole(2, 10**6))
    d: int = parameter("number of buckets that a user sends bits of", whole(1, 10**6))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d > self.k:
            raise BadInput(f"d: {self.d}: expected at most k = {self.k} buckets")

    def unwritten(self) -> str | None:
        """Why the table is not written out, of more than 3000 outputs; None where it is."""
        if self.k > MAX_WRITTEN or comb(self.k, self.d) << self.d > MAX_WRITTEN:
            return f"k: {self.k}: the randomizer's C(k, d) 2^d outputs are written out up to {MAX_WRITTEN} only"
        return None

    def randomizer(self) -> Randomizer:
        """A message is a list of buckets and bits such as "1:0 3:1". Raises BadInput for more than 3000 of them."""
        self.check_written()
        values, flip, chance = range(1, self.k + 1), self.flip, Fraction(1, comb(self.k, self.d))
        return Randomizer.of(
            {
                x: gathered(
                    (" ".join(f"{j}:{bit}" for j, bit in zip(drawn, bits, strict=True)), weight * chance)
                    for drawn in combinations(values, self.d)
                    for bits, weight in independent([1 - flip if j == x else flip for j in drawn])
                )
                for x in values
            }
        )

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2 or 3; in the reference all bits are 1 with probability b.

        Proof. A permutation of the values renames the buckets: one pair stands for all, one third value for all. Over
        the reference x has a/b = e^(eps0/2) where its bucket is drawn with a 1, the inverse where it is with a 0, else
        1: likelihoods depend on the draw and the bits of x, x' and z. Over all inputs they are at least e^(-eps0/2).
        """
        flip = self.flip
        sent = {1: (1 - flip) / flip, 0: flip / (1 - flip), None: Fraction(1)}
        seen = {1: flip, 0: 1 - flip, None: Fraction(1)}

        def share(*bits: int | None) -> Fraction:
            """The probability that of certain buckets those with a bit are drawn, with these bits, and no others."""
            total, inside, outside = Fraction(1), self.d, self.k - self.d
            for i, bit in enumerate(bits):
                drawn = bit is not None
                total *= Fraction(inside if drawn else outside, self.k - i) * seen[bit]
                inside, outside = inside - drawn, outside - (not drawn)
            return total

        return Likelihoods.alike(share, sent, self.k > 2)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..k. Raises BadInput for eps0 = 0."""
        self.check_flip()
        flip = self.flip
        found = [Fraction(0)] * self.k
        for message, count in messages.items():
            for part in message.split(" "):
                bucket, _, bit = part.partition(":")
                found[int(bucket) - 1] += count * (int(bit) - flip) / (1 - 2 * flip)
        return tuple(total * self.k / (self.d * n) for total in found)
