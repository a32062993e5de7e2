"""`pointer_jumping`: the labelled path from the root of a tree, by support identification (BC Definition 16).

MPJ(s, h): a complete s-ary tree has s^(i-1) nodes at level i (the root is level 1), and Z_i labels each of those with
one of 0..s-1. Every one of the n users holds one of Z_1, ..., Z_h, uniformly; wanted is the path from the root whose
next node is always the child that the label names. BC identify the support of the users' data, h of the

    d = s + s^s + s^(s^2) + ... + s^(s^(h-1))

values (i, labels of level i), with `hist` over all of them (see `support_identification`, and there for the threshold),
and then follow the labels.

Values are written "2:0-2-1", for the labels 0, 2, 1 of the three nodes at level 2, from left to right.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from shufflecert.protocols.hist import one_bin_each
from shufflecert.protocols.support_identification import Identifying, chosen, noise_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.systems.declare import BITS, parameter, whole

MAX_SIZE = 10**6  # bits of the number of values

levels = whole(1, 20)


@dataclass(frozen=True)
class PointerJumping(Identifying):
    """MPJ(s, h) by support identification with `zsum`'s noise (BC Section 3.3)."""

    ends = "1:0", "1:1"

    s: int = parameter("number of children of every node of the tree", whole(2, 10**6))
    h: int = parameter("number of levels that are labelled; there are s + s^s + ... + s^(s^(h-1)) values", levels)
    p: Fraction = parameter("probability of a noise message for each value", probability, order=BITS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.s ** (self.h - 1) * self.s.bit_length() > MAX_SIZE:
            raise BadInput(
                f"s, h: {self.s}, {self.h}: s^(s^(h-1)) values have too many digits: expected s^(h-1) log2(s) <= 10^6"
            )

    @property
    def d(self) -> int:
        """The number of values."""
        return sum(self.s**nodes for nodes in self._nodes())

    def _nodes(self) -> list[int]:
        """The number of nodes at each level."""
        return [self.s**i for i in range(self.h)]

    def randomizer(self) -> Randomizer:
        """The randomizer of `hist` over all values. Raises BadInput where they are more than 12."""
        self.check_written()
        return one_bin_each(list(self._values()), self.p)

    def _values(self) -> Iterator[str]:
        for level, nodes in enumerate(self._nodes(), 1):
            for labels in product(range(self.s), repeat=nodes):
                yield f"{level}:{'-'.join(map(str, labels))}"

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[int, ...] | None:
        """Which child the path takes at each level, or None unless exactly one labelling of every level is chosen."""
        found = [value.partition(":") for value in chosen(messages, n, self.h, self.p)]
        labels = {int(level): [int(label) for label in text.split("-")] for level, _, text in found}
        if len(found) != self.h or sorted(labels) != list(range(1, self.h + 1)):
            return None
        path: list[int] = []
        node = 0
        for level in range(1, self.h + 1):
            path.append(labels[level][node])
            node = node * self.s + path[-1]
        return tuple(path)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{p}, `hist`'s for (eps, delta), with the conditions of BC Claim 14 for the h that is given."""
        return noise_of(n, eps, delta, given, levels(given["h"], "h") if "h" in given else 1)
