"""`bloom_rappor`: a noisy Bloom filter as one message (Erlingsson, Pihur and Korolova 2014).

A user's value sets `hashes` different ones of `bits` bits, and every bit is flipped with probability
f/2 = 1 / (1 + e^(eps0 / (2 hashes))): the permanent randomized response of RAPPOR. Local eps = eps0, as two values may
differ in 2 hashes bits (CCS 2014, Theorem 1). Deployed with 128 bits and 2 hashes. The inputs are all sets of so many
bits, so what holds does so whatever the hash functions are, as long as they do not collide on one value. The analyzer
counts the ones at each bit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.hist import too_many
from shufflecert.protocols.shared.bits import as_strings
from shufflecert.protocols.shared.column_accuracy import Column
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, Orbit
from shufflecert.protocols.shared.local_system import SMALLER, LocalSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import Synonyms, least_share, parameter, whole

MOST = 3  # hashes: of more the patterns of three inputs are too many


@dataclass(frozen=True)
class BloomRappor(LocalSystem):
    """RAPPOR's noisy Bloom filter: a string with `hashes` ones, every bit flipped, as one message."""

    SYNONYMS: ClassVar[Synonyms] = {"RAPPOR Bloom": {}}

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    bits: int = parameter("bits of the filter", whole(2, 10**6))
    hashes: int = parameter("ones of a value's filter, at most 3", whole(1, MOST))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits < 3 * self.hashes:
            raise BadInput(f"bits: {self.bits}: expected at least {3 * self.hashes}, three values without a common one")

    @property
    def inputs(self) -> int:
        """The sets of bits."""
        return comb(self.bits, self.hashes)

    @property
    def flip(self) -> Fraction:
        """f/2, the probability that a bit is flipped."""
        return least_share(self.eps0, 2, 2 * self.hashes) / 2

    def unwritten(self) -> str | None:
        """Why there is no table for more than 12 bits; else None."""
        return too_many(self.bits)

    def randomizer(self) -> Randomizer:
        """The inputs are sets of bits such as "1 4". Raises BadInput for more than 12 bits."""
        self.check_written()
        places, flip = range(1, self.bits + 1), self.flip
        inputs = {" ".join(map(str, chosen)): chosen for chosen in combinations(places, self.hashes)}
        return as_strings({x: [1 - flip if j in chosen else flip for j in places] for x, chosen in inputs.items()})

    def likelihoods(self) -> Likelihoods:
        """Attained: two values without a common bit, the others on one of them or on a third. The rest: all patterns.

        Proof. A permutation of the bits carries any three inputs to any others that meet likewise. Over the reference,
        in which every bit is 1 with probability f/2, x has (1 - f/2) / (f/2) for each of its ones, and the inverse for
        each of its zeros; so a pattern is how many bits are in which of x, x' and z. The blanket is that of any
        eps0-private randomizer: (E, 1, 1) and (1, E, 1), with mass 1 / (E + 1) each (verify/CERTIFICATE.md).
        """
        size, ratio = self.hashes, ((1 - self.flip) / self.flip) ** (2 * self.hashes)
        names = [" ".join(str(i * size + j) for j in range(1, size + 1)) for i in range(3)]
        apart = {0: (size, 0, 0), 1: (0, size, 0), 2: (0, 0, 0)}
        kinds = {names[i]: list(self._orbits(0, *held)) for i, held in apart.items()}
        share = 1 / (ratio + 1)
        low = [Orbit(ratio * share, share, share, share), Orbit(share, ratio * share, share, share)]
        hull = [
            list(self._orbits(common, a, b, c))
            for common in range(size + 1)
            for a, b in product(range(size - common + 1), repeat=2)
            for c in range(common + 1)
            if a + b + c <= size
        ]
        return Likelihoods.of(names[0], names[1], kinds, low, hull)

    def _orbits(self, common: int, first: int, second: int, both: int) -> Iterator[Orbit]:
        """The orbits where x, x' have so many common bits, and z holds so many of x alone, of x' alone, of both."""
        size, flip = self.hashes, self.flip
        groups = [  # how many bits, in x, in x', in z
            (first, 1, 0, 1),
            (size - common - first, 1, 0, 0),
            (second, 0, 1, 1),
            (size - common - second, 0, 1, 0),
            (both, 1, 1, 1),
            (common - both, 1, 1, 0),
            (size - first - second - both, 0, 0, 1),
        ]
        ratio = (1 - flip) / flip
        for ones in product(*(range(many + 1) for many, *_ in groups)):
            mass = prod(
                (
                    comb(many, i) * flip**i * (1 - flip) ** (many - i)
                    for (many, *_), i in zip(groups, ones, strict=True)
                ),
                start=Fraction(1),
            )
            powers = [sum((2 * i - g[0]) * g[at] for g, i in zip(groups, ones, strict=True)) for at in (1, 2, 3)]
            yield Orbit.at(mass, *(ratio**power for power in powers))

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users with each bit. Raises BadInput for eps0 = 0."""
        ones = (sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.bits))
        silent = "eps0: 0 sends the same of all values: expected eps0 > 0"
        return Column(n, 1 - self.flip, self.flip).fractions(ones, silent)
