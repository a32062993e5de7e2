"""`count_mean_sketch`: a hash function, and a noisy one-hot string of the hashed value (Apple 2017).

k public hash functions map values to 1..m. A user draws one of them, j, uniformly, and sends j and a string of m bits
that is 1 at the hashed value only, every bit flipped with probability 1 / (e^(eps0/2) + 1). Local eps = eps0. Deployed
with m = 1024, k = 65536, eps0 = 4 (emoji). The analyzer takes, for each value, the mean over the functions of what is
counted at its places.

The functions are taken as ideal: of a function drawn at random, any three values have independent uniform places. What
k given functions do is a table (the gallery has one).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, Orbit
from shufflecert.protocols.shared.local_system import SMALLER, LocalSystem
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems.declare import Accuracy, Synonyms, parameter, whole


@dataclass(frozen=True)
class CountMeanSketch(LocalSystem):
    """Count mean sketch: one of k hash functions, and the hashed value as a noisy one-hot string of m bits."""

    SYNONYMS: ClassVar[Synonyms] = {"CMS": {}}
    UNWRITTEN = "its hash functions are ideal and not written out"

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    m: int = parameter("number of hashed values, the bits of a message", whole(3, 10**6))
    k: int = parameter("number of hash functions", whole(1, 10**9))

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2 or 3; the reference is a random j and the zero string's noise.

        Proof. What is sent of a function depends on a value by its place only: over the reference, (1 - f)/f where the
        bit there is 1, f/(1 - f) where it is 0, f the flip. The places of x, x' and z may be equal or not: that is the
        partition of the three, with the probabilities that independent uniform places have; given it the bits at
        different places are independent. Over all inputs it is at least f/(1 - f).
        """
        f, m = self.flip, self.m
        sent = {1: (1 - f) / f, 0: f / (1 - f)}
        same = Fraction(1, m)

        def share(bits: tuple[int, ...], places: tuple[int, ...]) -> Fraction:
            """The probability of the places, numbered as they are met, and of the bits there; 0 if these clash."""
            total, seen = Fraction(1), dict[int, int]()
            for bit, place in zip(bits, places, strict=True):
                if place in seen:
                    total *= same * (seen[place] == bit)
                else:
                    total *= (1 - len(seen) * same) * (f if bit else 1 - f)
                    seen[place] = bit
            return total

        def orbits(patterns: Sequence[tuple[int, ...]], third: int) -> list[Orbit]:
            return [
                Orbit.at(share(bits, places), sent[bits[0]], sent[bits[1]], sent[bits[third]])
                for places in patterns
                for bits in product((0, 1), repeat=len(places))
            ]

        two, three = ((0, 0), (0, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
        least = [Orbit(o.p, o.q, o.mu * sent[0], o.mu) for o in orbits(two, 0)]
        return Likelihoods.of("1", "2", {"1": orbits(two, 0), "2": orbits(two, 1), "3": orbits(three, 2)}, least)

    def analyze(self, messages: Mapping[str, int], n: int) -> dict[str, Fraction]:
        """The sketch: for each "j:place" the unbiased estimate of the fraction of users that were hashed there by j.

        Messages are "j:bits". Raises BadInput for eps0 = 0.
        """
        self.check_flip()
        sketch = dict[str, Fraction]()
        for message, count in messages.items():
            j, _, bits = message.partition(":")
            for place, bit in enumerate(bits, 1):
                worth = (Fraction(int(bit)) - self.flip) / (1 - 2 * self.flip) * count / n
                sketch[f"{j}:{place}"] = sketch.get(f"{j}:{place}", Fraction(0)) + worth
        return sketch

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one value's estimated fraction, for the worst data, over the functions and the noise: the ones at its
        places are Bin(s, 1 - f) + Bin(n - s, 1/m (1 - f) + (1 - 1/m) f) for s users on it. BadInput for eps0 = 0."""
        f = self.flip
        column = Column(n, 1 - f, f + (1 - 2 * f) / self.m)
        bits = self.m + (self.k - 1).bit_length()
        return column_accuracy(column, alpha, "the fraction of users on one value", 1, bits)

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """A histogram, by the sketch as it was deployed."""
        return {"m": "1024", "k": "65536"} if task == "histogram" else None
