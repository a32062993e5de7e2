"""`zsum`: binary sums with two messages, exact on all-zero data (BC Figure 1, Theorem 11).

A user with bit x draws z ~ Ber(p) and sends x + z copies of the message 1. Only the number of messages is seen:

    s + Bin(n, p),   s = x_1 + ... + x_n.

The analyzer takes c = (number of messages) / n and answers c - p if c > 1, else 0. With Z ~ Bin(n, 1 - p) users who add
nothing, c > 1 just if Z < s: the error is (1 - p) - Z/n there, and -s/n where Z >= s.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, floor, isqrt

from flint import arb

from shufflecert.protocols.shared.arrival import arrival_reach
from shufflecert.protocols.shared.counts import count_reach, tail_event
from shufflecert.verify.enclose.interval import Interval, chance, enclose, exactly, largest, root_of
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer, bernoulli, binomial, shift
from shufflecert.verify.exact.rational import ball, precision, probability, shorten
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import BITS, Accuracy, System, bits_for, parameter, prescribed

WRITTEN = 1_000  # variance of the noise up to which a certificate is about the randomizer


@dataclass(frozen=True)
class ZSum(System):
    """The binary sum protocol of BC Figure 1. BC prescribe 1 - p = 50 ln(2/delta) / (eps^2 n)."""

    SERVES = ("sum",)
    REACH = "exact over all datasets: a binomial count and its shift by one, both directions"

    p: Fraction = parameter("probability of a noise message", probability, order=BITS)

    def randomizer(self) -> Randomizer:
        """The table: input x sends x + z messages, z ~ Ber(p)."""
        noise = bernoulli(self.p)
        return Randomizer.of({x: {("1",) * (x + z): p for z, p in noise.items()} for x in (0, 1)})

    def reduction(self, n: int) -> Iterator[Pair]:
        """Bin(n, p) + 1 against Bin(n, p), and back: the others only shift both (BC proof of Theorem 11(i))."""
        noise = binomial(n, self.p)
        one_more = Pair.of(shift(noise, 1), noise)
        yield one_more
        yield one_more.reversed()

    def reach(self, n: int) -> Reduction:
        """The reduction to Bin(n, p) + 1 against Bin(n, p), and back, at any n.

        A certificate is about the randomizer where windows are short, else about the count.
        """
        noise, by = Binomial(n, self.p), "the others only shift both sides (BC proof of Theorem 11(i))"
        known = count_reach(noise, by)
        if noise.variance > WRITTEN:
            return known
        up = SumPair((noise,), (noise,), 1)
        pairs = [
            NamedPair(ShiftedNoise(noise, j), x, y, {"0": n - 1}, tail_event(up, "1", j < 0))
            for j, x, y in ((1, "1", "0"), (-1, "0", "1"))
        ]
        return Reduction(Pairs(pairs), by, 2)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes, n honest with that one: x + Bin(n, p) against Bin(n - 1, p), and back."""
        return arrival_reach(Binomial(n, self.p), Binomial(n - 1, self.p) if n > 1 else None, others={"0": n - 1})

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The estimated fraction of ones: c - p if c > 1 else 0, for c = (number of messages) / n."""
        c = Fraction(messages.get("1", 0), n)
        return c - self.p if c > 1 else Fraction(0)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The exact law of the error, the largest over all datasets: `worst_square` and `worst_miss`."""
        square, sums = worst_square(n, self.p)
        at = f"rmse with {' or '.join(map(str, sums))} ones"
        if alpha is not None and alpha < 1:
            at += f", failure with {floor(alpha * n) + 1}"
        return Accuracy(
            "the fraction of ones",
            root_of(square),
            None if alpha is None else worst_miss(n, self.p, alpha),
            exactly(1 + self.p),
            bits_for(1),
            f"the largest over all datasets: {at}",
            Fraction(n),
        )

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error| of the number of ones, in users, over all datasets: `worst_deviation`."""
        return worst_deviation(n, self.p)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{p}: 1 - p = 50 ln(2/delta) / (eps^2 n), rounded up (BC Figure 1).

        BC's proof holds for every larger 1 - p up to 1/2. Raises BadInput unless 0 < eps <= 1, 0 < delta <= 1 and
        n >= (100 / eps^2) ln(2/delta), which is 1 - p <= 1/2 (BC Theorem 11).
        """
        return {} if "p" in given else {"p": 1 - least_noise(n, eps, delta, 1, "BC Theorem 11")}


def worst_square(n: int, p: Fraction) -> tuple[Interval, list[int]]:
    """(the largest expected squared error over s = 0..n, the s that attains it: two where balls do not tell).

    Lemma. With q = 1 - p, m = nq, w(k) = Pr[Z = k], T(k) = Pr[Z >= k], the expected squared error f(s) satisfies

        n^2 f(s)              = s^2 T(s) + sum_{k < s} (k - m)^2 w(k)
                              = s^2 T(s) + m p (1 - T(s)) - (s - m - q) s p w(s)
        n^2 (f(s+1) - f(s))   = (2s + 1) T(s + 1) - m (2s - m) w(s),

    and f rises up to one s and falls after it. Proof. The first line is the definition. With h(k) = k p w(k), the
    ratio of binomial weights gives h(k + 1) - h(k) = (m - k) w(k); so (k - m)^2 w(k) = (k - m) (h(k) - h(k + 1)), and
    summation by parts leaves sum_{0 < k < s} h(k) - (s - 1 - m) h(s), where again sum_{k < s} (k - m) w(k) = -h(s):
    the second line. The third is the first at s + 1 less that at s, with T(s) = T(s + 1) + w(s). Divided by
    (2s + 1) w(s) it is T(s + 1) / w(s) - m (2s - m) / (2s + 1): the first falls in s or stays, Z being log-concave,
    and the second rises strictly. So it changes its sign once, from plus to minus.
    """
    if p in (0, 1):  # nothing is ever above n; nothing is ever wrong
        return exactly(1 - p), [n if p == 0 else 0]
    m = n * (1 - p)
    sums = _turning(Binomial(n, 1 - p), lambda s: m * (2 * s - m) / (2 * s + 1))
    return largest([enclose(partial(_square, n, p, s)) for s in sums]), sums


def _square(n: int, p: Fraction, s: int) -> arb:
    quiet, m = Binomial(n, 1 - p), n * (1 - p)
    above, below = quiet.survival(s), quiet.cdf(s - 1)
    return (s * s * above + ball(m * p) * below - ball((s - m - 1 + p) * s * p) * quiet.pmf(s)) / n**2


def worst_deviation(n: int, p: Fraction) -> Interval:
    """The largest expected |error| over s = 0..n, in users.

    Lemma. With q = 1 - p, m = nq, w and T as in `worst_square`, h(k) = k p w(k) and M = floor(m) + 1, it is

        e(s) = s T(s) + h(s) for s <= M,   s T(s) + 2 h(M) - h(s) for s >= M,
        e(s+1) - e(s) = T(s + 1) - min(2s - m, m) w(s),

    and e rises up to one s and falls after it. Proof. e(s) = s T(s) + sum_{k < s} |k - m| w(k), and h(k + 1) - h(k) =
    (m - k) w(k). Divided by w(s), the difference is T(s + 1) / w(s), which falls or stays, less what rises or stays.
    """
    if p in (0, 1):
        return exactly(n * (1 - p))
    m = n * (1 - p)
    sums = _turning(Binomial(n, 1 - p), lambda s: min(2 * s - m, m))
    return largest([enclose(partial(deviation, n, p, s)) for s in sums])


def deviation(n: int, p: Fraction, s: int) -> arb:
    """e(s) of the lemma: the expected absolute error in users, with s users on 1."""
    quiet = Binomial(n, 1 - p)
    return s * quiet.survival(s) + below(quiet, s)


def below(quiet: Binomial, s: int) -> arb:
    """sum_{k < s} |k - m| w(k): h(s), or 2 h(M) - h(s)."""

    def h(k: int) -> arb:
        return k * ball(1 - quiet.p) * quiet.pmf(k)

    top = floor(quiet.mean) + 1
    return h(s) if s <= top else 2 * h(top) - h(s)


def _turning(quiet: Binomial, level: Callable[[int], Fraction]) -> list[int]:
    """The least s where R(s) = T(s + 1) / w(s) is at most a rising level; also those next to it that balls leave open.

    R is walked downwards by R(s - 1) = (w(s) / w(s - 1)) (1 + R(s)), from an s where it is below.
    """
    n = quiet.n
    step = isqrt(int(quiet.variance)) + 1
    found: list[int] = []
    with precision(192):
        s = min(n - 1, ceil(quiet.mean))
        while True:
            ratio = quiet.survival(s + 1) / quiet.pmf(s)
            if s == n - 1 or ratio < ball(level(s)):
                break
            s, step = min(n - 1, s + step), 2 * step
        while True:
            rise = ratio - ball(level(s))
            if rise > 0:
                return sorted({*found, s + 1})
            if not rise < 0:
                found += [s, s + 1]
            a, b = quiet.ratio(s)
            s, ratio = s - 1, (1 + ratio) * a / b


def worst_miss(n: int, p: Fraction, alpha: Fraction) -> Interval:
    """Pr[|error| > alpha], the largest over s = 0..n: 0 for alpha >= 1, else that of s = floor(alpha n) + 1 = t,

        Pr[Z >= t or Z < n (1 - p) - alpha n].

    Proof. For s < t an error of -s/n is none, so the miss is {Z < s and |Z/n - (1 - p)| > alpha}; as
    Z < s <= alpha n <= (1 - p) n + alpha n, only Z < (1 - p) n - alpha n counts: part of the event above. For s >= t
    the miss is {Z >= s, or s > Z > (1 - p) n + alpha n, or Z < s and Z < (1 - p) n - alpha n}; each lies in the event
    above, the second because Z > alpha n means Z >= t. For s = t the second is empty, and the others are the event.
    """
    t = floor(alpha * n) + 1
    return exactly(0) if t > n else chance(lambda: miss(Binomial(n, 1 - p), alpha, t))


def miss(quiet: Binomial, alpha: Fraction, s: int) -> arb:
    """Pr[|error| > alpha] with s > alpha n ones: two tails of Z, {Z >= s or |Z - n (1 - p)| > alpha n}."""
    m, radius = quiet.mean, alpha * quiet.n
    return quiet.survival(min(s, floor(m + radius) + 1)) + quiet.cdf(min(s, ceil(m - radius)) - 1)


def least_noise(n: int, eps: Eps, delta: Fraction, parts: int, source: str) -> Fraction:
    """50 ln(2/delta') / (eps'^2 n) rounded up to 64 bits, for eps' = eps / parts and delta' = delta / parts.

    It is the 1 - p of BC Figure 1. Raises BadInput, naming the `source`, unless 0 < eps' <= 1, 0 < delta' <= 1 and
    n >= (100 / eps'^2) ln(2/delta').
    """
    limit = f"({source})"
    if eps <= Eps.of(0) or eps > Eps.of(parts):
        raise BadInput(f"eps: {shorten(str(eps))}: expected above 0 and at most {parts} {limit}")
    if not 0 < delta <= 1:
        raise BadInput(f"delta: {shorten(delta)}: expected above 0 and at most 1 {limit}")

    def users() -> arb:  # (100 / eps'^2) ln(2/delta')
        exponent = eps.ball() / parts
        return 100 * ball(2 * parts / delta).log() / exponent**2

    least = prescribed(users, up=True)
    if least > n:
        raise BadInput(f"n: {n}: expected at least {ceil(least)} for this eps and delta {limit}")
    return prescribed(lambda: users() / (2 * n), up=True)
