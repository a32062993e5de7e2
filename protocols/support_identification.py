"""`support_identification`: which h of d items the users hold, found through a histogram (BC Section 3.3, Claim 14).

The n users' items are independent samples from the uniform law on an unknown set H of h items in 1..d (Definition 13).
They run `hist` over all d items, with parameter p. For an integer t the analyzer chooses the items of estimated
frequency at least (t + 1)/n, and answers H where it has chosen H exactly. If every item of H is held by at least 2t + 1
users (E_samp) and every estimate errs by at most t/n (E_priv), it does. Here t is what BC's proofs give: the error
that `zsum` keeps with probability 1 - 1/(200 h) (Theorem 11(ii)), so that h items keep it with 199/200 (footnote 3),

    t = ceil(n (1 - p) + 2 sqrt(n p (1 - p) ln(400 h))).

With Z_j ~ Bin(n, 1 - p) users who add no noise message j, item j of c_j users is chosen just if c_j - Z_j >= a, for
a = ceil(t + 1 - n (1 - p)) >= 1. No item outside H ever is. So the answer is right just if no item of H is missed, the
event of `protocols.shared.occupancy`, whatever H and d are.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from shufflecert.protocols.hist import Hist, one_bin_each, too_many
from shufflecert.protocols.shared.counts import histogram_reach
from shufflecert.protocols.shared.occupancy import some_missed
from shufflecert.protocols.zsum import least_noise
from shufflecert.verify.enclose.interval import exactly, root_of
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, probability, shorten
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import (
    BITS,
    FEWER,
    Accuracy,
    System,
    bits_for,
    counted,
    parameter,
    prescribed,
    whole,
)

MAX_BUCKETS = 10**15  # the most that a certificate writes

support = whole(1, 10**6)


class Identifying(System):
    """Systems that identify which `h` of `d` values the users hold, by `hist` over all of them with `p`.

    A subclass has these, the first two as parameters or as properties, and `ends`, two of the values.
    """

    REACH = "exact over all datasets: the two bins that move, jointly"
    p: Fraction

    @property
    @abstractmethod
    def ends(self) -> tuple[str, str]:
        """Two values, from the one to the other of which a user moves in the pair that stands for all."""

    def sizes(self) -> tuple[int, int]:
        """h and d."""
        return self.h, self.d  # type: ignore[attr-defined]

    def unwritten(self) -> str | None:
        """Why there is no table for more than 12 values; else None."""
        return too_many(self.sizes()[1])

    def reduction(self, n: int) -> Iterator[Pair]:
        """The pairs of `hist`: what is sent is a histogram, and the pair is the same for every number of values."""
        return Hist(2, self.p).reduction(n)

    def reach(self, n: int) -> Reduction:
        """The reduction to the pair of `reduction` at any n.

        Of d > 10^15 bins a certificate writes 10^15: the pair is the same for every number of them from 2 on.
        """
        d, by = self.sizes()[1], "a histogram, of which the other bins and users drop out"
        by += " (proof in protocols/hist.py, reduction)"
        reach = histogram_reach(Binomial(n, self.p), min(d, MAX_BUCKETS), by)
        assert isinstance(reach.attained, Pairs)
        pairs = Pairs([NamedPair(member.pair, *self.ends) for member in reach.attained.members])
        return replace(reach, attained=pairs, inputs=d)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """How often the support is not identified; then the analyzer has no answer. The users' data are samples from
        the uniform law on any support."""
        return identification(n, *self.sizes(), self.p, alpha)


@dataclass(frozen=True)
class SupportIdentification(Identifying):
    """(h, d)-support identification by a histogram with `zsum`'s noise (BC Claim 14)."""

    ends = "1", "2"

    h: int = parameter("number of items in the support H, at most d", support)
    d: int = parameter("number of items, the inputs are 1..d", whole(2, MAX_BUCKETS), order=counted(2, 10**6, FEWER))
    p: Fraction = parameter("probability of a noise message for each item", probability, order=BITS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.h > self.d:
            raise BadInput(f"h: {self.h}: expected at most d = {self.d}, the support is a set of the items")

    def randomizer(self) -> Randomizer:
        """The randomizer of `hist` over all items. Raises BadInput for d > 12."""
        self.check_written()
        return one_bin_each([str(item) for item in range(1, self.d + 1)], self.p)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[int, ...]:
        """The items of estimated frequency at least (t + 1)/n, in order: H, if all went well."""
        return tuple(sorted(int(item) for item in chosen(messages, n, self.h, self.p)))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{p}, `hist`'s for (eps, delta), with the conditions of BC Claim 14 for the h that is given: `noise_of`."""
        return noise_of(n, eps, delta, given, support(given["h"], "h") if "h" in given else 1)


def threshold(n: int, h: int, p: Fraction) -> int:
    """t = ceil(n (1 - p) + 2 sqrt(n p (1 - p) ln(400 h))): no rounding hides in it, the logarithm is transcendental."""
    m = n * (1 - p)
    if p in (0, 1):
        return ceil(m)
    return ceil(prescribed(lambda: ball(m) + 2 * (ball(m * p) * ball(400 * h).log()).sqrt(), up=True))


def chosen(messages: Mapping[str, int], n: int, h: int, p: Fraction) -> list[str]:
    """The messages of estimated frequency at least (t + 1)/n, in order of appearance.

    `zsum` estimates (number of messages) / n - p where that number exceeds n, as every number of at least
    n p + t + 1 >= n + 1 does.
    """
    least = n * p + threshold(n, h, p) + 1
    return [message for message, count in messages.items() if count >= least]


def identification(n: int, h: int, d: int, p: Fraction, alpha: Fraction | None) -> Accuracy:
    """How often the support is not what is chosen; `alpha` >= 0 only matters from 1 on, as the error is 0 or 1."""
    if alpha is not None and alpha < 0:
        raise BadInput(f"alpha: {shorten(alpha)}: expected a rational of at least 0")
    a = ceil(threshold(n, h, p) + 1 - n * (1 - p))
    wrong = some_missed(n, h, Binomial(n, 1 - p), a)
    return Accuracy(
        "the answer (1 where it is wrong, 0 where it is right)",
        root_of(wrong),
        wrong if alpha is None or alpha < 1 else exactly(0),
        exactly(1 + d * p),
        bits_for(d),
        f"the users' data are independent samples from the uniform law on any {h} of {shorten(Fraction(d))} values",
    )


def noise_of(n: int, eps: Eps, delta: Fraction, given: Mapping[str, str], h: int) -> dict[str, Fraction]:
    """{p} as `hist` has it: 1 - p = 200 ln(4/delta) / (eps^2 n), rounded up (BC Theorem 12 for eps/2 and delta/2).

    Raises BadInput unless 0 < eps <= 1, delta < (1/(200 h))^(1/25) (BC Claim 14) and n >= (400 / eps^2) ln(4/delta).
    How many samples are enough BC give as O(h log h log(1/delta) / eps^2); `identification` tells it for this n.
    """
    if "p" in given:
        return {}
    if eps > Eps.of(1):
        raise BadInput(f"eps: {shorten(str(eps))}: expected above 0 and at most 1 (BC Claim 14)")
    if 200 * h * delta**25 >= 1:
        raise BadInput(f"delta: {shorten(delta)}: expected below (1/(200 h))^(1/25) for h = {h} (BC Claim 14)")
    return {"p": 1 - least_noise(n, eps, delta, 2, "BC Theorem 12 for eps/2 and delta/2")}
