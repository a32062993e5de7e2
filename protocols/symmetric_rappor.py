"""`symmetric_rappor`: strings with `m` ones, flipped symmetrically (IETF draft-wang-ppm-differential-privacy).

The client randomization of the Prio draft. A user holds d bits of which exactly `m` are 1 (for m = 1 a value x
in 1..d, the string of x alone; "1+3" for m = 2), and flips every bit independently with probability flip; the servers
of Prio add the strings up, so that the view is the d sums. With c_j users whose bit j is 1 the sum of column j is

    Bin(c_j, 1 - flip) + Bin(n - c_j, flip),   independently for all j,

which is what `fragmented_rappor` shows once shuffled: here nobody shuffles, and the sums are all there is. Local eps =
2m log((1 - flip) / flip); `-p eps0=` takes that in the place of flip. (The draft's EPSILON_0 is that of one bit,
log((1 - flip) / flip).) The draft speaks of one-hot strings, and its circuit bounds the number of ones: up to `m`
ones for each user have the same worst case, see `reach`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import accumulate, combinations, combinations_with_replacement, pairwise
from math import comb
from typing import Any

from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.shared.one_column import AllColumns, changed, exact_laws
from shufflecert.verify.bound.columns import Columns, Datasets, Held
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import NOBODY, Law, Messages, Randomizer
from shufflecert.verify.exact.rational import natural, shorten
from shufflecert.verify.reduce.reduction import NamedPair, Reduction
from shufflecert.verify.systems.declare import least_share, parameter

FEW = 10**4  # bits; of more, inputs are not counted


def ones_of(value: object, where: str) -> int:
    """The number of ones in a string, 1 to 1000."""
    return natural(value, where, most=1000)


@dataclass(frozen=True)
class SymmetricRAPPOR(FragmentedRAPPOR):
    """Symmetric RAPPOR of strings with `m` ones, summed by servers that show nothing else."""

    REACH = "between the worst real dataset found and a bound on all, by the curves of two columns for each one"
    SERVES = ()  # `fragmented_rappor` stands for it where systems are compared
    NULLS = ("0",)  # the string without a one, the reference of the draft's deletion privacy

    m: int = parameter("number of ones in a user's string; above 1 at most a third of d", ones_of, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m > 1 and 3 * self.m > self.d:
            raise BadInput(f"m: {self.m} of d = {self.d} bits: expected 1, or at most a third of the bits")

    def randomizer(self) -> Randomizer:
        """2^d outputs of d messages for each string with `m` ones. Raises BadInput for d > 12."""
        self.check_written()
        strings = combinations(range(1, self.d + 1), self.m)
        return Randomizer.of({"+".join(map(str, ones)): self._row(*ones) for ones in strings})

    def reduction(self, n: int) -> Iterator[Pair]:
        """For m > 1 the products of 2m column pairs (P_c, Q_c), for all multisets of numbers c = 0..n-1.

        P_c = A_c + Ber(1 - flip), Q_c = A_c + Ber(flip), A_c = Bin(c, 1 - flip) + Bin(n - 1 - c, flip). Proof: `reach`.
        """
        if self.m == 1:
            yield from super().reduction(n)
            return
        columns: tuple[list[Law[Any]], ...] = exact_laws(self.flip, n - 1)
        for held in combinations_with_replacement(range(n), 2 * self.m):
            yield Pair.of(*(reduce(Law.times, [side[c] for c in held]) for side in columns))

    def reach(self, n: int) -> Reduction:
        """For m > 1 a product of 2m columns, each with any number of the others on it (verify/bound/columns.py).

        Proof. Given the data columns are independent, and one in which the user's two strings x and y agree has the
        same law on both sides: it cancels. Where x and y differ in fewer than 2m bits, they share a one in a column c,
        and there is a column z in which both are zero (d >= 3m). Exchanging c and z in y leaves the others, and all
        columns that differed, as they are, and adds two that differ: the pair is that of x and y times a further one,
        and no smaller. So x has m ones where y has zeros, and y m where x has zeros. Of the N = n - 1 others i_k hold
        the kth of the former, j_k of the latter: the pairs are (P_i, Q_i) and (Q_j, P_j), and the latter is (P_c, Q_c)
        with c = N - j by reversal (one_column.py).

        Any numbers c_1 <= ... <= c_2m in 0..N occur, in one order or another: let i be the m smallest. Then the sum of
        all i_k and j_k is sum(c_1..c_m) + m N - sum(c_m+1..c_2m), at most m N, and m further columns, of at most N
        each, hold what is left of the others' m N ones; and N strings of m ones have any numbers up to N in the
        columns that sum to m N (`strings`). The product does not depend on the order. Reverses are pairs of this
        family again (N - c), so both directions are in it.

        Up to m ones: numbers c that occur are still in 0..N, and strings x and y that differ in fewer columns are
        dominated as above by columns added. So the worst case is the same.
        """
        if self.m == 1:
            return super().reach(n)
        by = "two columns for each one (proof in protocols/symmetric_rappor.py, reach; verify/bound/columns.py)"
        return self._together(n, 2 * self.m, by)

    def deletion(self, n: int, reference: str) -> Reduction | None:
        """Of a user against a reference: a string of `m` ones as in `reach`; the null string "0", which nobody holds.

        Proof. From the null string a user differs in the `m` columns of its ones only. Of the others any c hold each
        (columns m + 1 to 2m take the others' ones that are left), and a pair's reverse is one of N - c (one_column.py),
        so the pairs are those of `m` runs of `rr`.
        """
        if reference not in self.NULLS:
            if self.m == 1 or not self.stands_for_all(reference):
                found: Reduction | None = super().deletion(n, reference)
                return found
            by = "two columns for each one (proof in protocols/symmetric_rappor.py, reach; verify/bound/columns.py)"
            return self._together(n, 2 * self.m, by, tuple(map(int, reference.split("+"))))
        by = "the columns that the null string lacks (proof in protocols/symmetric_rappor.py, deletion)"
        if self.m == 1:
            return Reduction(AllColumns(self.flip, n - 1, ("1", NOBODY), "2"), by, self.d)
        return self._together(n, self.m, by)

    def reference_law(self, name: str) -> Law[Messages]:
        """The null string "0", without a one, each bit flipped. Raises BadInput for d > 12."""
        self.check_written()
        return Law.of(self._row())

    def _together(self, n: int, columns: int, by: str, target: tuple[int, ...] = ()) -> Reduction:
        """The reduction to so many columns: `m` that are set, and as many cleared, or none: those of the `target`."""
        free = [j for j in range(1, min(self.d, 4 * self.m) + 1) if j not in target]
        bits = (*free[: self.m], *target, *free[self.m :])
        family = Columns(((changed(self.flip), 1),) * columns, n - 1, partial(self._strings, bits, n - 1))
        inputs = comb(self.d, self.m) if self.d < FEW else FEW
        return Reduction(family, by, inputs, mechanism={"users": n, "each": {}}, evidence=_no_evidence)

    def _strings(self, bits: tuple[int, ...], others: int, held: Held) -> Datasets:
        """The two datasets of `reach` where so many others have a one in each of these bits, `held` in rising order."""
        ones = [*held[: self.m], *(others - c for c in held[self.m :])]
        left = self.m * others - sum(ones)
        while left:
            ones.append(min(left, others))
            left -= ones[-1]
        source, target = ("+".join(map(str, sorted(bits[k : k + self.m]))) for k in (0, self.m))
        columns = strings(dict(zip(bits, ones, strict=False)), others, self.m)
        return source, target if len(held) > self.m else NOBODY, columns

    def stands_for_all(self, reference: str) -> bool:
        """Whether the pairs with this string as one of two stand for all: with any string, by permuting the bits."""
        if self.m == 1:
            return super().stands_for_all(reference)
        ones = reference.split("+")
        places = [int(one) for one in ones if one.isascii() and one.isdigit() and len(one) < 8]
        rising = all(a < b for a, b in pairwise([0, *places, self.d + 1]))
        if len(ones) == len(places) == self.m and rising and list(map(str, places)) == ones:
            return True
        example = "+".join(str(k) for k in range(1, self.m + 1))
        raise BadInput(f"reference: {shorten(reference)!r} is no input: expected {self.m} rising bits as in {example}")

    def simultaneous(self, n: int) -> Interval | None:
        """As `OneHot.simultaneous`; not for m > 1, where nothing is proved."""
        return super().simultaneous(n) if self.m == 1 else None

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The flip of a local eps0, 1 / (1 + e^(eps0 / (2m))): two inputs differ in 2m bits."""
        return least_share(eps0, 2, 2 * ones_of(given.get("m", "1"), "m")) / 2


def strings(held: Mapping[int, int], users: int, ones: int) -> dict[str, int]:
    """{string: users} such that `held` = {column: users} have a 1 in each column, and every user has `ones` of them.

    Each column's users follow those of the one before, round and round: nobody comes twice to one column, which has at
    most all users. Raises StopIteration where the numbers do not sum to users x ones.
    """
    columns, ends = list(held), list(accumulate(held.values()))
    counts: dict[str, int] = {}
    for first, after in pairwise(sorted({0, users, *(end % users for end in ends)}) if users else ()):
        places = sorted(
            next(j for j, end in zip(columns, ends, strict=True) if first + i * users < end) for i in range(ones)
        )
        name = "+".join(map(str, places))
        counts[name] = counts.get(name, 0) + after - first
    return counts


def _no_evidence(eps: Eps, bound: Fraction, worst: NamedPair | None, holds: bool) -> Mapping[str, Any]:
    """Raise Undecided: no certificate states several columns of one user."""
    raise Undecided("no form of certificate covers several ones of a user")
