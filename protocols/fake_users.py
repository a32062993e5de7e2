"""`fake_users`: noisy one-hot strings among those of fake users (CZ Algorithms 1-3).

A user with value x in 1..d sends k + 1 strings of d bits: the one-hot string of x, and k times the zero string, every
bit of each flipped independently with probability flip. Shuffled, n (k + 1) strings are seen. The analyzer adds up each
column and takes the bias out: (column sum / n - (k + 1) flip) / (1 - 2 flip).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import floor, isqrt, prod

from flint import arb, fmpz

from shufflecert.protocols.rr import FAIR, flip_probability
from shufflecert.protocols.shared.bits import flipped, written
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.protocols.shared.counts import check_target
from shufflecert.protocols.shared.one_hot import length
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import EnclosedPair, Ends, Interval
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.enclose.window import Window
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.ball import ball, precision
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.pairs.windowed import Between, Product, Reversed, SumPair, WindowPair, coin
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction, Threshold
from shufflecert.verify.systems.accuracy import Accuracy
from shufflecert.verify.systems.declare import FEWER, FLIPS, System, counted, parameter, prescribed, whole
from shufflecert.verify.systems.noise_order import Order

MAX_WRITTEN = 12  # d (k + 1) up to which the 2^(d (k + 1)) outputs of every input are written out
STEPS = (16, 12, 9, 7, 6, 5, 4, 3, 2, 1, 0, -1)  # standard deviations below the mean at which a sum over a law is cut
APART = 6  # digits of ends that are a tenth apart
WIDE = 512  # bits of a window that holds all of these

MORE = "more fake strings are more messages whose law no input changes"
FAKES = Order(Fraction(0), Fraction(10**6), whole=True, lemma=MORE)


@dataclass(frozen=True)
class FakeUsers(System):
    """The histogram protocol with fake users of CZ: a noisy one-hot string and k noisy zero strings."""

    SERVES = ("histogram d",)
    ALIKE = 1, "d"
    REACH = "two-sided: all others on one value (attained), their strings partly known (dominating); proofs in its file"
    WITHIN = "poisson_hist"

    d: int = parameter("number of bits, the inputs are 1..d", length, order=counted(2, 10**6, FEWER))
    k: int = parameter("number of fake strings of each user", whole(0, 10**6), order=FAKES)
    flip: Fraction = parameter("probability that a bit is flipped, at most 1/2", flip_probability, order=FLIPS)

    def unwritten(self) -> str | None:
        """Why there is no table for d (k + 1) > 12; else None."""
        written = f"written out for d (k + 1) <= {MAX_WRITTEN} only"
        said = f"d: {self.d}: the randomizer's 2^(d (k + 1)) outputs, k = {self.k}, are {written}"
        return said if self.d * (self.k + 1) > MAX_WRITTEN else None

    def randomizer(self) -> Randomizer:
        """2^(d (k + 1)) outputs of k + 1 strings for each of d inputs. Raises BadInput for d (k + 1) > 12."""
        self.check_written()
        of = {x: {written(y): p for y, p in flipped(self.d, [x], self.flip)} for x in range(self.d + 1)}
        fake = of.pop(0)
        rests = {rest: prod((fake[y] for y in rest), start=Fraction(1)) for rest in product(fake, repeat=self.k)}
        return Randomizer.of(
            {x: {(y, *rest): p * q for y, p in row.items() for rest, q in rests.items()} for x, row in of.items()}
        )

    def reach(self, n: int) -> Reduction:
        """The reduction to `dominating` and `attained` (d >= 3); for d = 2 to two columns, all others on one value."""
        if self.flip in (0, Fraction(1, 2)):
            return self._noiseless(n) if self.flip == 0 else _fair_coins(self.d)
        least = Pairs([NamedPair(among(self.flip, n * self.k + 1, 1 - self.flip), "1", "2")])
        mechanism = certificate.strings(n * self.k + 1, self.flip)
        above = Pairs([NamedPair(Revealed(n, self.k, self.flip), "1", "2")], APART)
        by = "others all on one value; others' strings unlike fakes revealed (proofs in protocols/fake_users.py)"
        if self.d == 2:
            return Reduction(Pairs(two_values(n, self.k, self.flip), APART), by, 2, above, mechanism, certified=least)
        others, strings = _all_on("3", n), n * (self.k + 1)
        columns = NamedPair(among(self.flip, strings, 1 - self.flip), "1", "2", others)
        below = Pairs([columns, NamedPair(Marked(n, self.k, self.flip), "1", "2", others)], APART)
        more = certificate.strings(strings, self.flip)
        return Reduction(
            below, by, self.d, above, mechanism, more, certified=least, attained_certified=Pairs([columns])
        )

    def _noiseless(self, n: int) -> Reduction:
        """flip = 0: the one-hot string of 1 is seen just if somebody is on 1, so delta(eps) = 1 for every eps."""
        string = "1" + "0" * (self.d - 1)
        pair = SumPair((Binomial(1, Fraction(1)),), (Binomial(1, Fraction(0)),))
        told = NamedPair(pair, "1", "2", _all_on("2", n), lambda *_: Threshold({string: 1}, 0))
        return Reduction(Pairs([told]), "nothing is flipped: who is alone on a value is seen", self.d)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for flip = 1/2."""
        sums = [sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.d)]
        return self._column(n).fractions(sums, FAIR)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one value's estimate: the column's sum is Bin(c, 1 - flip) + Bin(n (k + 1) - c, flip), c users on it."""
        return column_accuracy(self._column(n), alpha, "the fraction of users on a value", self.k + 1, self.d)

    def simultaneous(self, n: int) -> Interval:
        """The expected largest error, E max over values of |error|, in users, over all datasets: `columns_maximum`."""
        return columns_maximum(self._column(n), self.d, independent=True)

    def _column(self, n: int) -> Column:
        return Column(n, 1 - self.flip, self.flip, n * self.k)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{flip}: the q < 1/2 with q (1 - q) = 33/(5 n k) ((e^eps + 1)/(e^eps - 1))^2 ln(4/delta), rounded up.

        CZ Theorem III.3; private by Claim III.1, as larger q are. Its other term, ln(20) / (n k + n), is
        never the larger one: q >= 33/(5 n k) ln 4.

        Raises BadInput unless k >= 1 is given, eps > 0, 0 < delta < 1 and there is such a q.
        """
        if "flip" in given:
            return {}
        if "k" not in given:
            raise BadInput("k: no value: expected -p k=..., the fake strings of a user (CZ Theorem III.3)")
        k, half = natural(given["k"], "k", least=1, most=10**6), Fraction(1, 2)
        check_target(eps, delta, "CZ Theorem III.3")

        def product_of() -> arb:
            t = eps.ball()
            return ball(Fraction(33, 5 * n * k)) * ((t.exp() + 1) / t.expm1()) ** 2 * ball(4 / delta).log()

        def flip() -> arb:
            c = product_of()
            return 2 * c / (1 + (1 - 4 * c).sqrt())

        with precision(256):
            if not 4 * product_of() < 1:
                needed = "n k > 132/5 ((e^eps + 1) / (e^eps - 1))^2 ln(4/delta)"
                raise BadInput(f"n: {n} users with {k} fake strings each: expected {needed} (CZ Theorem III.3)")
        return {"flip": min(half, prescribed(flip, up=True))}


# Pairs -------------------------------------------------------------------------------------------------------------


def among(flip: Fraction, strings: int, held: Fraction) -> Product:
    """(A, B) against (B, A): A = Ber(held) + Bin(strings - 1, flip) and B = Bin(strings, flip), independent.

    Its own reverse, up to the order of the columns. Its delta falls or stays as strings grows, and as held falls
    towards flip: to add fake strings, or to show fake ones only in some share of cases, is post-processing.

    Lemma. For held = 1 - flip it is the pair of a user on 1 or on 2 whose string is seen among strings - 1 fake ones.
    Proof. R_x and F are the laws of the real string of a user on x and of a fake one. Of the multiset h of all strings,
    R_1 against R_2 with the rest from F, Pr_1[h] / Pr_2[h] = sum_y h_y R_1(y) / F(y) over the same sum for R_2, and
    R_x(y) / F(y) = (1 - flip) / flip where y_x = 1 and its inverse where y_x = 0. So the sum for x depends on h by the
    sum of column x only: the sums of columns 1 and 2 have the same divergence as h. Bits are independent, so they are.
    """
    column = SumPair((coin(held), Binomial(strings - 1, flip)), (coin(flip), Binomial(strings - 1, flip)))
    return Product(column, Reversed(column))


def two_values(n: int, k: int, flip: Fraction) -> list[NamedPair]:
    """`attained`, d = 2, all others on 2, both directions: the column sums; and `marked_by_two`."""
    one, two = (Binomial(n * k + n - 1, flip),), (Binomial(n - 1, 1 - flip), Binomial(n * k, flip))
    sums = SumPair((coin(1 - flip), *one), (coin(flip), *one)), SumPair((coin(flip), *two), (coin(1 - flip), *two))
    pairs, others = [sums, marked_by_two(n, k, flip)], _all_on("2", n)
    up = [NamedPair(Product(*pair), "1", "2", others) for pair in pairs]
    return up + [NamedPair(Product(Reversed(a), Reversed(b)), "2", "1", others) for a, b in pairs]


def marked_by_two(n: int, k: int, flip: Fraction) -> tuple[WindowPair, WindowPair]:
    """All others on 2: M, how many strings have 0 as second bit, and the ones in column 1 among these, from below.

    The user's string is one of them with probability 1 - flip for a user on 1, and flip for one on 2. Given M, the ones
    are those of `Marked` for a user on 1, those of M fake strings for a user on 2. What is kept is the event that M is
    within some standard deviations, and its last M and first rho there in the place of all: a pair independent of M.
    """
    marked = Marked(n, k, flip)
    first, *_, last = marked.edges()
    held, rest = coin(marked.held(_window(marked.others, WIDE), first)), Binomial(last - 2, flip)
    seen = SumPair((*marked.others, coin(1 - flip)), (*marked.others, coin(flip)))
    return Between(seen, first, last - 1), SumPair((held, rest), (coin(flip), rest))


class Stairs:
    """A bound on delta: the sum over steps of Pr[first <= M <= last] delta(pair), for M a sum of independent noises.

    All pairs are `among`, their own reverses up to the order of the columns, and M has one law on both sides.
    """

    whole = False  # steps may leave out the ends of M's law

    def reversed(self) -> "Stairs":
        """(Q, P): has the same divergence."""
        return self

    def law(self) -> tuple[Binomial, ...]:
        raise TypeError("says which noises sum to M")

    def steps(self) -> Sequence[tuple[int, int, EnclosedPair]]:
        raise TypeError("says which pair stands for which M")

    def divergence(self, eps: Eps, bits: int) -> Ends:
        window, low, high = _window(self.law(), bits), Fraction(0), Fraction(0)
        for first, last, pair in self.steps():
            least, most = pair.divergence(eps, bits)
            start, end = (min(max(0, edge - window.first), len(window.low)) for edge in (first, last + 1))
            inside = sum(window.low[start:end], fmpz(0)), sum(window.high[start:end], fmpz(0)) + window.outside
            low += Fraction(int(inside[0]), 1 << bits) * max(least, Fraction(0))
            high += min(Fraction(1), Fraction(int(inside[1]), 1 << bits)) * most
        return low, high

    def infinity_mass(self) -> Fraction:
        return Fraction(0)


@dataclass(frozen=True)
class Revealed(Stairs):
    """`dominating`: E delta(`among` n k + 1 + K strings), K ~ Bin(n - 1, flip / (1 - flip)), from above, in steps.

    Proof. R_x = c F + (1 - c) (another law) with c = flip / (1 - flip), the least of R_x(y) / F(y). So each other
    user's real string is a fake one with probability c; let all those that are not be known and be removed from view,
    which only helps whoever looks. What is left is the user's string among n k + K fake ones. `among` falls or stays in
    the number of strings, so each step takes its first K. (K = 0 alone is what a certificate states.)
    """

    n: int
    k: int
    flip: Fraction

    def law(self) -> tuple[Binomial, ...]:
        """Of M = K."""
        return (Binomial(self.n - 1, self.flip / (1 - self.flip)),)

    def steps(self) -> list[tuple[int, int, EnclosedPair]]:
        (law,), least = self.law(), self.n * self.k + 1
        edges = [0, *_edges(law.mean, law.variance, 0, self.n - 1), self.n]
        return [(a, b - 1, among(self.flip, least + a, 1 - self.flip)) for a, b in pairwise(sorted({*edges}))]


@dataclass(frozen=True)
class Marked(Stairs):
    """`attained`, d >= 3, all others on 3: only the strings whose third bit is 0 are looked at. From below, in steps.

    Let M be the number of these strings, from n k fake ones, n - 1 others' and the user's. The third bits are
    independent of the other bits, so given M the columns 1 and 2 among them are a mixture: with probability rho(M) the
    user's string is there, and else M fake ones, as others' strings look in columns 1 and 2: `among` M strings with
    held = flip + rho(M) (1 - 2 flip). Each step takes the last M of it, and the rho of its first.

    Lemma. rho rises or stays. Proof. With M' = M without the user, rho(m) = 1 / (1 + flip / (1 - flip) Pr[M' = m] /
    Pr[M' = m - 1]), and M', a sum of independent bits, is log-concave.
    """

    n: int
    k: int
    flip: Fraction

    def law(self) -> tuple[Binomial, ...]:
        return (*self.others, coin(1 - self.flip))

    @property
    def others(self) -> tuple[Binomial, Binomial]:
        return Binomial(self.n * self.k, 1 - self.flip), Binomial(self.n - 1, self.flip)

    def edges(self) -> list[int]:
        law = self.law()
        mean, variance = sum((part.mean for part in law), Fraction(0)), sum((p.variance for p in law), Fraction(0))
        return sorted({*_edges(mean, variance, 1, self.n * (self.k + 1) + 1, both=True)})

    def steps(self) -> list[tuple[int, int, EnclosedPair]]:
        others = _window(self.others, WIDE)
        return [(a, b - 1, among(self.flip, b - 1, self.held(others, a))) for a, b in pairwise(self.edges())]

    def held(self, others: Window, m: int) -> Fraction:
        """flip + rho(m) (1 - 2 flip), rounded down to 2^-64."""
        place = m - others.first
        if not 1 <= place < len(others.low) or not others.low[place - 1]:
            return self.flip
        inside, outside = (1 - self.flip) * int(others.low[place - 1]), self.flip * int(others.high[place])
        rho = Fraction(floor(inside / (inside + outside) * 2**64), 2**64)
        return self.flip + rho * (1 - 2 * self.flip)


def _edges(mean: Fraction, variance: Fraction, low: int, high: int, both: bool = False) -> list[int]:
    """Where a sum over a law is cut into steps: so many standard deviations from the mean, within [low, high]."""
    width = isqrt(int(variance)) + 1
    places = [floor(mean) - step * width for step in STEPS]
    places += [floor(mean) + step * width for step in range(2, 8)] if both else []
    return [min(max(low, place), high) for place in places]


def _window(noises: tuple[Binomial, ...], bits: int) -> Window:
    """The law of a sum; what comes from outside a summand's window may be anywhere (`Window.plus`)."""
    window, *more = [Window.of(noise, bits) for noise in noises]
    for other in more:
        window = window.plus(other)
    return replace(window, high=[weight + window.outside for weight in window.high])


def _all_on(value: str, n: int) -> dict[str, int]:
    return {value: n - 1} if n > 1 else {}


def _fair_coins(d: int) -> Reduction:
    """flip = 1/2: every bit is a fair coin, whatever the data. One string says as much as all."""
    nothing = SumPair((Binomial(0, Fraction(0)),), (Binomial(0, Fraction(0)),))
    mechanism = certificate.strings(1, Fraction(1, 2))
    return Reduction(Pairs([NamedPair(nothing, "1", "2")]), "every bit is a fair coin", d, mechanism=mechanism)
