"""`pointer_chasing`: following pointers between two permutations, by support identification (BC Definition 15).

PC(k, l): there are two permutations a and b of 1..l. Every one of the n users holds (1, a) or (2, b), each with
probability 1/2; wanted is the k-th integer of the sequence a_1, b_(a_1), a_(b_(a_1)), ... BC identify the support of
the users' data, h = 2 of the d = 2 l! values (1, permutation) and (2, permutation), with `hist` over all d of them (see
`support_identification`, and there for the threshold), and then chase. The sample complexity has neither k nor l in it.

Values are written "1:3-1-2", for the permutation with a_1 = 3, a_2 = 1, a_3 = 2.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import factorial

from shufflecert.protocols.hist import one_bin_each
from shufflecert.protocols.support_identification import Identifying, chosen, noise_of
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.systems.declare import BITS, FEWER, counted, parameter, whole

SUPPORT = 2


@dataclass(frozen=True)
class PointerChasing(Identifying):
    """PC(k, l) by support identification with `zsum`'s noise (BC Section 3.3)."""

    h = SUPPORT

    k: int = parameter("which integer of the sequence a_1, b_(a_1), a_(b_(a_1)), ... is wanted", whole(1, 10**6))
    l: int = parameter(  # noqa: E741
        "length of the permutations; there are 2 l! values", whole(1, 10**4), order=counted(1, 10**4, FEWER)
    )
    p: Fraction = parameter("probability of a noise message for each value", probability, order=BITS)

    @property
    def d(self) -> int:
        """The number of values, 2 l!."""
        return 2 * factorial(self.l)

    @property
    def ends(self) -> tuple[str, str]:
        """The identity, as either permutation."""
        identity = tuple(range(1, self.l + 1)) if self.l < 10 else (1, 2, 3, "...", self.l)
        return _value(1, identity), _value(2, identity)

    def randomizer(self) -> Randomizer:
        """The randomizer of `hist` over all values. Raises BadInput for l > 3, where they are more than 12."""
        self.check_written()
        orders = list(permutations(range(1, self.l + 1)))
        return one_bin_each([_value(who, order) for who in (1, 2) for order in orders], self.p)

    def analyze(self, messages: Mapping[str, int], n: int) -> int | None:
        """The k-th integer, or None unless exactly one (1, a) and one (2, b) are chosen."""
        found = [value.partition(":") for value in sorted(chosen(messages, n, SUPPORT, self.p))]
        if [who for who, _, _ in found] != ["1", "2"]:
            return None
        maps = [[int(image) for image in order.split("-")] for _, _, order in found]
        at = 1
        for step in range(self.k):
            at = maps[step % 2][at - 1]
        return at

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{p}, `hist`'s for (eps, delta), with the conditions of BC Claim 14 for h = 2."""
        return noise_of(n, eps, delta, given, SUPPORT)


def _value(who: int, order: Iterable[object]) -> str:
    return f"{who}:{'-'.join(map(str, order))}"
