"""`fake_users`: noisy one-hot strings among those of fake users (CZ Algorithms 1-3).

A user with value x in 1..d sends k + 1 strings of d bits: the one-hot string of x, and k times the zero string, every
bit of each flipped independently with probability flip. Shuffled, n (k + 1) strings are seen. The analyzer adds up each
column and takes the bias out: (column sum / n - (k + 1) flip) / (1 - 2 flip).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import floor, isqrt, prod

from flint import arb

from shufflecert.protocols.rr import FAIR, flip_probability
from shufflecert.protocols.shared.bits import flipped, written
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.protocols.shared.counts import check_target
from shufflecert.protocols.shared.one_hot import length
from shufflecert.protocols.shared.two_columns import SPARE, Among, Tail, digits_of, faintest, reach, tilted
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import EnclosedPair, Ends, Interval
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, above, below
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, dyadic, natural, precision
from shufflecert.verify.pairs.windowed import Between, Product, Reversed, SumPair, WindowPair, coin, sum_window
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction, Threshold
from shufflecert.verify.systems.declare import (
    FEWER,
    FLIPS,
    Accuracy,
    Order,
    System,
    counted,
    parameter,
    prescribed,
    whole,
)

MAX_WRITTEN = 12  # d (k + 1) up to which the 2^(d (k + 1)) outputs of every input are written out
STEPS = (-7, -5, -3, -2, -1, 0, 1, 2, 3, 5, 7)  # standard deviations from the mean at which a sum over a law is cut
MOST_STEPS = 60  # of a few values each
ROUNDS = 20  # of a search for the tilt of a law
UNIT = 1 << 40  # of tilts, one over it
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


def among(flip: Fraction, strings: int, held: Fraction) -> Among:
    """(A, B) against (B, A): A = Ber(held) + Bin(strings - 1, flip) and B = Bin(strings, flip), independent.

    Its own reverse, up to the order of the columns. Its delta falls or stays as strings grows, and as held falls
    towards flip: to add fake strings, or to show fake ones only in some share of cases, is post-processing.

    Lemma. For held = 1 - flip it is the pair of a user on 1 or on 2 whose string is seen among strings - 1 fake ones.
    Proof. R_x and F are the laws of the real string of a user on x and of a fake one. Of the multiset h of all strings,
    R_1 against R_2 with the rest from F, Pr_1[h] / Pr_2[h] = sum_y h_y R_1(y) / F(y) over the same sum for R_2, and
    R_x(y) / F(y) = (1 - flip) / flip where y_x = 1 and its inverse where y_x = 0. So the sum for x depends on h by the
    sum of column x only: the sums of columns 1 and 2 have the same divergence as h. Bits are independent, so they are.
    """
    return Among.of(flip, strings, held)


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
    first, last = marked.span()
    others = Tilted.of(marked.others, Fraction(1), WIDE)
    held, rest = coin(marked.held(others, first)), Binomial(last - 2, flip)
    seen = SumPair((*marked.others, coin(1 - flip)), (*marked.others, coin(flip)))
    return Between(seen, first, last - 1), SumPair((held, rest), (coin(flip), rest))


class Stairs:
    """A bound on delta: the sum over steps of Pr[first <= M < end] delta(pair), for M a sum of independent bits.

    All pairs are `among`, their own reverses up to the order of the columns, and M has one law on both sides. Where
    delta is faint, the steps are about the M that count there: those of M's law tilted by how fast delta falls.
    """

    whole = False  # steps may leave out the ends of M's law

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around the sum, closer together for more bits; every subclass has its own."""
        raise TypeError("says which pair stands for which M")

    def reversed(self) -> "Stairs":
        """(Q, P): has the same divergence."""
        return self

    def infinity_mass(self) -> Fraction:
        return Fraction(0)


@dataclass(frozen=True)
class Revealed(Stairs):
    """`dominating`: E delta(`among` n k + 1 + K strings), K ~ Bin(n - 1, flip / (1 - flip)), from above, in steps.

    Proof. R_x = c F + (1 - c) (another law) with c = flip / (1 - flip), the least of R_x(y) / F(y). So each other
    user's real string is a fake one with probability c; let all those that are not be known and be removed from view,
    which only helps whoever looks. What is left is the user's string among n k + K fake ones. `among` falls or stays in
    the number of strings, so each step takes its first K. (K = 0 alone is what a certificate states.) Of the K beyond
    all steps Chernoff's bound on `among` is taken, C psi^K (protocols/shared/two_columns.py): its mean over them is
    C (1 - c + c psi)^(n - 1) times their mass in the law of K tilted by psi.
    """

    n: int
    k: int
    flip: Fraction

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around the sum, and above what is beyond all steps."""
        others, chance, least = self.n - 1, self.flip / (1 - self.flip), self.n * self.k + 1
        tail = Tail.least(self.flip, 1 - self.flip, eps.bounds(bits + SPARE)[0])
        if tail is None:
            return Fraction(0), Fraction(0)
        with precision(bits + SPARE):
            psi = tail.growth
            spread = 1 - ball(chance) + ball(chance) * psi
            most, leaning = tail.bound(least) * spread**others, tilted(ball(chance), 1 - ball(chance), psi)
            if most < arb(2) ** -faintest(bits):
                return Fraction(0), Fraction(1, 1 << faintest(bits))
            law = Tilted.of((Binomial(others, chance),), psi, bits)
            begin, last = reach(others, float(leaning[0].mid()), digits_of(bits))
            edges = [begin, *(edge for edge in law.edges() if begin < edge <= last), last + 1]
            if law.tilt == 1:  # more strings count little: a last step without end
                edges = [*(edge for edge in edges if edge <= law.mean + 2 * law.deviation), self.n]
            beyond = below(others, leaning, edges[0] - 1) + above(others, leaning, edges[-1])
            low, high = law.climb(edges, lambda first, _: among(self.flip, least + first, 1 - self.flip), eps, bits)
            return low, min(high + dyadic((most * beyond).upper()), Fraction(1))


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

    @property
    def others(self) -> tuple[Binomial, Binomial]:
        return Binomial(self.n * self.k, 1 - self.flip), Binomial(self.n - 1, self.flip)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around the sum."""
        with precision(bits + SPARE):
            law = Tilted.of((*self.others, coin(1 - self.flip)), self._tilt(eps), bits)
            others = Tilted.of(self.others, law.tilt, bits)
            edges = sorted({min(max(edge, 1), self.n * (self.k + 1) + 1) for edge in law.edges()})
            return law.climb(edges, lambda a, b: among(self.flip, b - 1, self.held(others, a)), eps, bits)

    def _tilt(self, eps: Eps) -> arb:
        """About how fast delta falls with every string, at the M that count most. A guess."""
        power, psi = eps.bounds(64)[0], arb(1)
        for _ in range(ROUNDS):
            odds = (1 - self.flip) * dyadic(psi.mid()) / self.flip  # of rho, where M' has ratio 1 / psi
            held = self.flip + (odds / (1 + odds)).limit_denominator(1 << 64) * (1 - 2 * self.flip)
            tail = Tail.least(self.flip, held, power)
            if tail is None:
                break
            psi = tail.growth
        return psi

    def span(self) -> tuple[int, int]:
        """The first and the last M that are kept where all of them are one step."""
        law = (*self.others, coin(1 - self.flip))
        mean, width = floor(sum(part.mean for part in law)), isqrt(int(sum(part.variance for part in law))) + 1
        return max(mean - 16 * width, 1), min(mean + 7 * width, self.n * (self.k + 1) + 1)

    def held(self, others: "Tilted", m: int) -> Fraction:
        """flip + rho(m) (1 - 2 flip), rounded down to 2^-64."""
        window = others.window
        place = m - window.first
        if not 1 <= place < len(window.low) or not window.low[place - 1]:
            return self.flip
        inside = (1 - self.flip) * int(window.low[place - 1]) * others.tilt
        outside = self.flip * int(window.high[place])
        rho = Fraction(floor(inside / (inside + outside) * 2**64), 2**64)
        return self.flip + rho * (1 - 2 * self.flip)


@dataclass(frozen=True)
class Tilted:
    """The law of a sum M of independent bits near the M that count: Pr[M = m] = e^h w^-m T(m).

    T is the law of the sum of bits whose chances p are p w / (1 - p + p w), and h the sum of log(1 - p + p w). Its
    window is as sharp, relatively, however unlikely these M are.
    """

    parts: tuple[Binomial, ...]
    tilt: Fraction  # w
    mean: int  # of T, and what comes next
    deviation: int
    window: Window

    @classmethod
    def of(cls, parts: tuple[Binomial, ...], tilt: Fraction | arb, bits: int) -> "Tilted":
        """Tilted by about so much, where that moves the mean by more than a standard deviation."""
        w = tilt if isinstance(tilt, Fraction) else Fraction(max(floor(dyadic(tilt.mid()) * UNIT), 1), UNIT)
        leaned = tuple(Binomial(law.n, law.p * w / (1 - law.p + law.p * w)) for law in parts)
        mean, width = floor(sum(law.mean for law in leaned)), isqrt(int(sum(law.variance for law in leaned))) + 1
        if w != 1 and sum(law.mean for law in parts) - mean <= width:
            return cls.of(parts, Fraction(1), bits)
        return cls(parts, w, mean, width, sum_window(leaned, bits))

    def edges(self) -> list[int]:
        """Where steps begin: at so many standard deviations from the mean of T, and between if that is not far."""
        fine = max(MOST_STEPS // self.deviation, 1)
        places = {step * self.deviation for step in STEPS}
        if fine > 1:
            places |= {i * self.deviation // fine for i in range(-4 * fine, 4 * fine)}
        return sorted(self.mean + place for place in places)

    def climb(self, edges: list[int], pair: Callable[[int, int], EnclosedPair], eps: Eps, bits: int) -> Ends:
        """Rational ends around the sum of Pr[a <= M < b] delta(pair) over steps [a, b)."""
        low, high = Fraction(0), Fraction(0)
        for a, b in pairwise(edges):
            ends, mass = pair(a, b).divergence(eps, bits), self.chance(a, b)
            low, high = low + ends[0] * max(dyadic(mass.lower()), Fraction(0)), high + ends[1] * dyadic(mass.upper())
        return low, high

    def chance(self, first: int, end: int) -> arb:
        """Pr[first <= M < end] as a ball, at the precision in force."""
        window, rise = self.window, 1 / ball(self.tilt)
        if self.tilt == 1:
            inside = window.beyond(first, end - 1)
            return 1 - ball(inside[0]).union(ball(inside[1]))
        start, stop = min(first, window.first), max(end, window.first + len(window.low))
        lows, highs = (law[first - start : end - start] for law in window.on(start, stop - 1))
        least, most = arb(0), arb(0)
        for fewest, many in zip(reversed(lows), reversed(highs), strict=True):
            least, most = least * rise + fewest, most * rise + many
        mass = sum((law.n * (1 - ball(law.p) + ball(law.p * self.tilt)).log() for law in self.parts), arb(0))
        return least.union(most) * (mass - first * ball(self.tilt).log()).exp() / arb(2) ** window.bits


def _all_on(value: str, n: int) -> dict[str, int]:
    return {value: n - 1} if n > 1 else {}


def _fair_coins(d: int) -> Reduction:
    """flip = 1/2: every bit is a fair coin, whatever the data. One string says as much as all."""
    nothing = SumPair((Binomial(0, Fraction(0)),), (Binomial(0, Fraction(0)),))
    mechanism = certificate.strings(1, Fraction(1, 2))
    return Reduction(Pairs([NamedPair(nothing, "1", "2")]), "every bit is a fair coin", d, mechanism=mechanism)
