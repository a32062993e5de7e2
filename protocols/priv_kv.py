"""`priv_kv`: which of d keys a user has, and for each a value in [-1, 1] (Ye, Hu, Meng and Zheng 2019).

A user draws a key j of 1..d. If the user has it, its value v is rounded to +1 with probability (1 + v)/2, else to -1,
and flipped with probability f; the pair is sent with probability 1 - f, else "j:0", for none. If not, "j:0" is sent
with probability 1 - f, else "j:+" or "j:-" with equal probabilities (IEEE S&P 2019, Algorithm 3, with eps1 = eps2).
f = 1 / (e^(eps0/2) + 1). The paper says eps1 + eps2 = eps0; the local eps is less (PCKV, USENIX Security 2020):

    log(2 e^eps0 / (e^(eps0/2) + 1)).

The analyzer estimates how many have each key, and the mean of their values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, Orbit
from shufflecert.protocols.shared.local_system import MAX_KEYS, SMALLER, KeyValues
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import Synonyms, parameter

KINDS = "+-0"  # of a key: there with +1, with -1, and not there


@dataclass(frozen=True)
class PrivKV(KeyValues):
    """PrivKV: one key of d, drawn, and whether the user has it, with the sign of its value."""

    SYNONYMS: ClassVar[Synonyms] = {"PrivKV": {}, "PrivKVM": {}}
    ALIKE = 1, "d"

    eps0: Eps = parameter("the paper's eps1 + eps2, in nats; each is half of it", local_eps, order=SMALLER)

    @property
    def rows(self) -> dict[str, dict[str, Fraction]]:
        """What is sent of one key, by its kind."""
        flip = self.flip
        keep = 1 - flip
        return {
            "+": {"+": keep * keep, "-": keep * flip, "0": flip},
            "-": {"+": keep * flip, "-": keep * keep, "0": flip},
            "0": {"+": flip / 2, "-": flip / 2, "0": keep},
        }

    @property
    def local_epsilon(self) -> Eps:
        """The local eps, log((1 - f)^2 / (f/2)), which is less than eps0."""
        return Eps.log((1 - self.flip) ** 2 * 2 / self.flip)

    def randomizer(self) -> Randomizer:
        """Inputs such as "+0-", a character for each key; a message is "1:+". Raises BadInput for more than 3 keys."""
        self.check_written()
        return Randomizer.of(
            {
                "".join(kinds): {
                    f"{j}:{sent}": w / self.d for j, kind in enumerate(kinds, 1) for sent, w in self.rows[kind].items()
                }
                for kinds in product(KINDS, repeat=self.d)
            }
        )

    def likelihoods(self) -> Likelihoods:
        """Of users all of whose keys are of one kind, the others' too.

        Proof. The reference draws a key, too, and sends of it the mean of the three rows. So in each |M| of lemma 3 M
        is the mean over the keys of what it is where all keys are of the kinds that this one has for x, x' and z, of
        which |M| is at most the largest (`hull`). Values between +1 and -1 have mixtures of the laws of those: by
        convexity none is worse. Signs of all may be exchanged: three pairs of kinds stand for all in `least`, which is
        the blanket where the drawn key is shown: others draw this one with probability 1/d; D_t is at most the mean of
        that over the keys. At "+" the ratio of the first pair is the largest, (1 - f)^2 / (f/2).
        """
        hull = [self._orbits(*kinds) for kinds in product(KINDS, repeat=3)]
        first, *more = [self._pair(x, y) for x, y in ("+0", "0+", "+-")]
        return Likelihoods.of(first.source, first.target, first.kinds, first.least, hull, more)

    def _pair(self, x: str, y: str) -> Likelihoods:
        kinds = {self._named(z): self._orbits(x, y, z) for z in KINDS}
        return Likelihoods.of(self._named(x), self._named(y), kinds, self._least(x, y))

    def _named(self, kind: str) -> str:
        """All keys of one kind: the input, or a word for it where there is no table."""
        return kind * self.d if self.d <= MAX_KEYS else f"all {kind}"

    def _orbits(self, x: str, y: str, z: str) -> Iterator[Orbit]:
        rows = self.rows
        for sent in KINDS:
            mean = sum((row[sent] for row in rows.values()), Fraction(0)) / 3
            yield Orbit(rows[x][sent], rows[y][sent], rows[z][sent], mean)

    def _least(self, x: str, y: str) -> Iterator[Orbit]:
        rows = self.rows
        for sent in KINDS:
            yield Orbit(rows[x][sent], rows[y][sent], min(row[sent] for row in rows.values()) / self.d, Fraction(0))

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[tuple[Fraction, Fraction], ...]:
        """For each key unbiased estimates of the fraction of users who have it, and of the sum of their values over n.

        Raises BadInput for eps0 = 0.
        """
        self.check_flip()
        flip = self.flip
        keep, found = 1 - 2 * flip, list[tuple[Fraction, Fraction]]()
        for j in range(1, self.d + 1):
            plus, minus, none = (messages.get(f"{j}:{sent}", 0) for sent in KINDS)
            drawn = plus + minus + none
            have = (plus + minus - flip * drawn) * self.d / (keep * n)
            found.append((have, (plus - minus) * self.d / ((1 - flip) * keep * n)))
        return tuple(found)
