"""`pckv_grr`: key-value pairs by padding, sampling and generalized randomized response (Gu et al. 2020).

A user has some of d keys, each with a value that is rounded to +1 or -1. Who has fewer than l pairs adds as many of l
dummy keys, each with a fair sign; then one pair is drawn and sent through randomized response over keys and signs,
d + l keys in all: with E = e^eps0 and the paper's best parameters (USENIX Security 2020, Algorithm 4 and Sec. 5.2)

    a p = (l (E - 1) + 1) / D   for the drawn pair,   1 / D for any other,   D = l (E - 1) + 2 (d + l).

As the pair is drawn from l, a pair that the user has is sent with probability E / D, and any other with 1 / D: local
eps = eps0. The analyzer estimates how many have each key, and the mean of their values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import MAX_KEYS, SMALLER, KeyValues
from shufflecert.protocols.shared.two_levels import corners, least, orbits_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import Synonyms, parameter, whole


@dataclass(frozen=True)
class PckvGrr(KeyValues):
    """PCKV-GRR: one of a user's key-value pairs, padded to l of them, by generalized randomized response."""

    SYNONYMS: ClassVar[Synonyms] = {"PCKV": {}, "PCKV-GRR": {}}

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    l: int = parameter("length to which users' pairs are padded", whole(1, 10**9), 1)  # noqa: E741

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.l > self.d:
            raise BadInput(f"l: {self.l}: expected at most d = {self.d} keys")

    @property
    def share(self) -> Fraction:
        """The share of the pairs that a user has, padded."""
        return Fraction(self.l, 2 * (self.d + self.l))

    @property
    def low(self) -> Fraction:
        """1 / D."""
        return 1 / (self.l * (self.ratio - 1) + 2 * (self.d + self.l))

    def randomizer(self) -> Randomizer:
        """Inputs such as "+0-", a character for each key; a message is "1:+". Raises BadInput for more than 3 keys."""
        self.check_written()
        rows = dict[str, dict[str, Fraction]]()
        for kinds in product("+-0", repeat=self.d):
            own = self.d - kinds.count("0")
            chance = Fraction(min(own, self.l), own or 1)  # that a pair is among the l
            padded = Fraction(max(self.l - own, 0), 2 * self.l)  # that a dummy is, with this sign
            among = {f"{j}:{v}": chance * (kind == v) for j, kind in enumerate(kinds, 1) for v in "+-"}
            among |= {f"{self.d + j}:{v}": padded for j in range(1, self.l + 1) for v in "+-"}
            rows["".join(kinds)] = {sent: self.low * (1 + (self.ratio - 1) * w) for sent, w in among.items()}
        return Randomizer.of(rows)

    def likelihoods(self) -> Likelihoods:
        """The likelihoods of a worst pair: a user's l keys all have the value +1, or all -1.

        The others hold one of these two inputs or, if d is large enough, l other keys: three sets of l pairs
        (key, value) of which no two meet.

        Proof. The law of who has more than l pairs, a value between +1 and -1, or dummies, is a mixture of laws of two
        levels, high on l of the 2 (d + l) pairs: by convexity it is enough to look at those, as in
        protocols/shared/two_levels.py, whose lemma is for sets of any shape.
        """
        share, zero = self.share, Fraction(0)
        rest = "0" * (self.d - self.l)
        named = {"+": "+" * self.l + rest, "-": "-" * self.l + rest}
        if self.d > MAX_KEYS:
            named = {v: f"l keys with {v}1" for v in "+-"}
        kinds = {
            named["+"]: orbits_of(share, self.ratio, share, (share, zero, zero, zero)),
            named["-"]: orbits_of(share, self.ratio, share, (zero, share, zero, zero)),
        }
        if self.d >= 2 * self.l:
            third = "0" * self.l + "+" * self.l + "0" * (self.d - 2 * self.l) if self.d <= MAX_KEYS else "l other keys"
            kinds[third] = orbits_of(share, self.ratio, share, (zero, zero, zero, share))
        around = corners(share, share, self.ratio)
        return Likelihoods.of(named["+"], named["-"], kinds, least(share, share, self.ratio), around)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[tuple[Fraction, Fraction], ...]:
        """For each key estimates of the fraction of users who have it, and of the sum of their values over n: unbiased
        where nobody has more than l keys. Raises BadInput for eps0 = 0."""
        if self.ratio == 1:
            raise BadInput("eps0: 0 sends the same of all values: expected eps0 > 0 to estimate anything")
        low, above = self.low, self.low * (self.ratio - 1)
        found = list[tuple[Fraction, Fraction]]()
        for j in range(1, self.d + 1):
            plus, minus = (Fraction(messages.get(f"{j}:{v}", 0), n) for v in "+-")
            found.append(((plus + minus - 2 * low) / above, (plus - minus) / above))
        return tuple(found)
