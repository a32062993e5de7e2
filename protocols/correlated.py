"""`correlated`: binary sums with the accuracy of the central model, from messages +1 and -1 (GKMP Algorithms 3 and 4).

A user with bit x draws Z1, Z2 ~ NB(1/n, q) and Z3 ~ NB(r/n, p), and sends x + Z1 + Z3 messages +1 and Z2 + Z3 messages
-1. Only the two numbers are seen. Sums of n draws are NB(1, q), that is geometric, and NB(r, p), whatever n is:

    (u, v) = (s + Z1 + Z3, Z2 + Z3),   s = x_1 + ... + x_n,   Z1, Z2 ~ NB(1, q), Z3 ~ NB(r, p).

The analyzer answers u - v: its error Z1 - Z2 is discrete Laplace noise with ratio q.

Lemma. The others' inputs only shift u, so the pairs of neighbours are s = 1 (P) against s = 0 (Q), and back. For any
law of Z3 let H(u) = Pr[Z3 + G = u] with Pr[G = k] = (1 - q^2) q^(2k); so H(u) = (1 - q^2) Pr[Z3 = u] + q^2 H(u - 1),
and H = 0 below Z3's start. Merging outcomes of equal ratio P/Q, which changes no divergence, leaves the atoms (P, Q)

    (1, q) / (1 + q)   once,   and   (q H(u - 1), H(u)) / (1 + q)   for u = 0, 1, 2, ...

Proof. With a = u - s and m = min(a, v), Pr[(u, v) | s] = sum over c <= m of Pr[Z3 = c] (1 - q)^2 q^(a - c) q^(v - c)
= (1 - q)^2 q^|a - v| sum of Pr[Z3 = c] q^(2(m - c)) = (1 - q)/(1 + q) q^|a - v| H(m). For v >= u the minima are u - 1
(P) and u (Q): the ratio is q H(u - 1)/H(u) for every such v, and sum q^(v - u) = 1/(1 - q). For v < u they are v and v,
and the exponents u - 1 - v and u - v: the ratio is 1/q, and all such P sum to 1/(1 + q).

Hence, with t = q e^eps: P against Q has divergence 0 for e^eps >= 1/q, since H(u) >= q^2 H(u - 1); and Q against P has
that of H against its shift by 1 at t, divided by 1 + q. Adding G only helps, so Z3 need protect no more than one unit,
where the paper's Theorem 18 asks for as many as Z2 may reach.

Lemma. For log-concave Z3 the ratio H(u) / H(u - 1) never rises. Proof. W(u) = sum over i >= 0 of
q^(2i) Pr[Z3 = u - i] / Pr[Z3 = u] is H(u) / ((1 - q^2) Pr[Z3 = u]), and no term falls in u. By the recurrence
1 - q^2 H(u - 1)/H(u) = 1/W(u), which never rises. So each event {P > e^eps Q} is a tail {u < T} or {u >= T}, with
Pr[Z3 + G > k] = Pr[Z3 > k] + H(k) q^2 / (1 - q^2).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpz

from shufflecert.protocols.negative_binomial import theorem_13
from shufflecert.protocols.shared.counts import check_target, count_accuracy, decay, endless
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import Ends, Interval
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import (
    MAX_TRIALS,
    DiscreteLaplace,
    NegativeBinomial,
    Noise,
    open_unit,
    positive,
)
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, natural, precision, shorten
from shufflecert.verify.pairs.shifted_noise import bracket, ends_of, power_ball, stretch
from shufflecert.verify.pairs.windowed import Atoms, WindowPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import ADDED, RATIO, Accuracy, System, parameter
from shufflecert.verify.systems.largest_error import mean_deviation

MAX_TERMS = 5_000_000  # of one sum
SPLIT = Fraction(99, 100)  # of eps for the discrete Laplace noise (GKMP Section 4.1)


@dataclass(frozen=True)
class CorrelatedPair(WindowPair):
    """The pair of the sums s = 1 and s = 0, for any law of Z3; with `back` it is s = 0 against s = 1."""

    q: Fraction
    noise: Noise
    back: bool = False

    def atoms(self, bits: int) -> Atoms:
        """The atoms of the lemma on the window of Z3, and those beyond it as one.

        Raises TooMuchWork for a long window.
        """
        atoms = _atoms(self.q, self.noise, bits)
        return atoms.reversed() if self.back else atoms

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around sum max(P - e^eps Q, 0): by tails where Z3 is log-concave and has a start, else by all atoms."""
        if not self.back and Eps.log(1 / self.q) <= eps:
            return Fraction(0), Fraction(0)
        if not self.noise.log_concave or self.noise.low is None:
            return super().divergence(eps, bits)
        with precision(bits + 32):
            tails = Tails(self.q, self.noise)
            return ends_of(tails.back(eps) if self.back else tails.forth(eps))

    def reversed(self) -> "CorrelatedPair":
        """The pair in the other direction, (Q, P)."""
        return replace(self, back=not self.back)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): nothing, and (1 - q) Pr[Z3 at its start] going back."""
        if not self.back or self.noise.low is None:
            return Fraction(0)
        with precision(128):
            return ends_of((1 - ball(self.q)) * self.noise.pmf(self.noise.low))[0]


@lru_cache(maxsize=16)
def _atoms(q: Fraction, noise: Noise, bits: int) -> Atoms:
    """The atoms of P against Q, with P/Q rising for log-concave noise; the last but one is all of u > window's end.

    Before the window H is at most Pr[Z3 there]. With z = Pr[Z3 beyond] and L the window's end, S = sum of H(u - 1)
    over u > L is z + H(L) / (1 - q^2); the atoms there are (q H(u - 1), q^2 H(u - 1)), of one ratio, merged to
    (q S, q^2 S), and (0, (1 - q^2) Pr[Z3 = u]), which are added to the second mass and to what is outside.
    """
    window = Window.of(noise, bits)
    a, b = map(fmpz, q.as_integer_ratio())
    whole, fade = b * b, a * a
    fresh, both, outside = whole - fade, a + b, fmpz(window.outside)
    low, high = fmpz(0), fmpz(0) if window.first == noise.low else outside
    p_low, p_high, q_low, q_high = [], [], [], []  # type: tuple[list[fmpz], list[fmpz], list[fmpz], list[fmpz]]
    for z_low, z_high in zip(window.low, window.high, strict=True):
        p_low.append(a * low // both)
        p_high.append(-(-a * high // both))
        low = (fresh * z_low + fade * low) // whole
        high = -(-(fresh * z_high + fade * high) // whole)
        q_low.append(b * low // both)
        q_high.append(-(-b * high // both))
    rest_low, rest_high = low * whole // fresh, -(-high * whole // fresh) + outside
    unit = fmpz(1) << bits
    p_low += [a * rest_low // both, unit * b // both]
    p_high += [-(-a * rest_high // both), -(-unit * b // both)]
    q_low += [fade * rest_low // (b * both), unit * a // both]
    q_high += [-(-(fade * rest_high + fresh * outside) // (b * both)), -(-unit * a // both)]
    return Atoms((p_low, p_high), (q_low, q_high), (window.outside, window.outside), bits)


@dataclass(frozen=True)
class Tails:
    """The divergences of both directions for a log-concave Z3, by the tails of Y = Z3 + G, as balls."""

    q: Fraction
    Z: Noise

    @property
    def start(self) -> int:
        """The least value of Z3."""
        assert self.Z.low is not None
        return self.Z.low

    def back(self, eps: Eps) -> arb:
        """s = 0 against s = 1: (H(T) - (t - 1) Pr[Y <= T - 1]) / (1 + q), t = q e^eps, by the event {u <= T}."""
        q, t, limit = ball(self.q), power_ball(eps, ctx.prec) * ball(self.q), self.Z.limit()
        if limit >= self.q and eps <= Eps.log(limit / self.q):  # no ratio is below t
            return (1 - t) / (1 + q)
        if limit >= self.q and not t > ball(limit):  # those below it are so by less than can be told
            return (1 - t + stretch(arb(1), t - ball(limit))) / (1 + q)
        last, first, found = self._crossing(t)
        value = self._mass(last) - (t - 1) * self._below(last - 1)
        if not found or first - last > 1:
            mass = self._above(last + 1) - (self._above(first) if found else 0)
            value += stretch(mass, 1 - t / self._ratio(last + 1))
        return value / (1 + q)

    def forth(self, eps: Eps) -> arb:
        """s = 1 against s = 0, e^eps < 1/q: (1 - e^eps q + q Pr[Y >= T - 1] - e^eps Pr[Y >= T]) / (1 + q), {u >= T}."""
        q, power, limit = ball(self.q), power_ball(eps, ctx.prec), self.Z.limit()
        value = 1 - power * q
        if limit and (limit >= self.q or eps >= Eps.log(self.q / limit)):  # no ratio is below q / e^eps
            return value / (1 + q)
        least = ball(max(limit, self.q**2))
        if not q > least * power:  # those below it are so by less than can be told
            return (value + stretch(q, 1 - least * power / q)) / (1 + q)
        last, first, found = self._crossing(q / power)
        if found:
            value += q * self._mass(first - 1) + (q - power) * self._above(first)
        if not found or first - last > 1:
            mass = q * (self._above(last) - (self._above(first - 1) if found else 0))
            value += stretch(mass, 1 - (self._ratio(first - 1) if found else least) * power / q)
        return value / (1 + q)

    def _crossing(self, c: arb) -> tuple[int, int, bool]:
        """(last, first, True): H(u) > c H(u - 1) for u <= last, < for u >= first; False where no `first` counts."""
        need, start, high = 1 - ball(self.q**2) / c, self.start, self.Z.high

        def falls(u: int) -> bool | None:
            """Whether W(u) (1 - q^2 / c) > 1; None where the balls do not decide."""
            if high is not None and u > high:
                return True
            product = self._weight(u, 1 / need) * need
            return True if product > 1 else False if product < 1 else None

        end = None if high is None else high + 1
        return bracket(falls, start, max(start, self.Z.mode) + 1, end, self._mass)

    def _ratio(self, u: int) -> arb:
        """H(u) / H(u - 1), u in the support and not its start."""
        return ball(self.q**2) / (1 - 1 / self._weight(u))

    def _weight(self, u: int, enough: arb | None = None) -> arb:
        """W(u), or some lower bound on it above `enough`. The ratios of its terms fall along the sum."""
        total, term, square = arb(1), arb(1), ball(self.q**2)
        small, start = arb(2) ** -(ctx.prec + 8), self.start
        for j in range(u, max(start, u - MAX_TERMS), -1):
            a, b = self.Z.ratio(j)
            term = term * b / a * square
            total += term
            if j % 8 == 0 and j > start + 1:
                if enough is not None and total > enough:
                    return total
                a, b = self.Z.ratio(j - 1)
                ratio = square * b / a
                if ratio < 1 and (rest := term * ratio / (1 - ratio)) < total * small:
                    return total + rest.union(arb(0))
        if u - MAX_TERMS > start:
            raise TooMuchWork(f"{self.Z}: a sum of over {MAX_TERMS} terms: expected a smaller variance or q")
        return total

    def _mass(self, u: int) -> arb:
        """H(u) = Pr[Y = u]."""
        if u < self.start:
            return arb(0)
        if self.Z.high is not None and u > self.Z.high:
            return self._mass(self.Z.high) * ball(self.q) ** (2 * (u - self.Z.high))
        return (1 - ball(self.q**2)) * self.Z.pmf(u) * self._weight(u)

    def _below(self, u: int) -> arb:
        """Pr[Y <= u]."""
        return self.Z.cdf(u) - self._mass(u) * ball(self.q**2 / (1 - self.q**2))

    def _above(self, u: int) -> arb:
        """Pr[Y >= u]."""
        return self.Z.survival(u) + self._mass(u - 1) * ball(self.q**2 / (1 - self.q**2))


@dataclass(frozen=True)
class Correlated(System):
    """The Correlated Distributed Mechanism with D1 = D2 = NB(1, q) and D3 = NB(r, p), for bits."""

    SERVES = ("sum",)
    UNWRITTEN = endless("NB(1/n, q), NB(r/n, p)")
    REACH = "exact over all datasets, whatever n: an exact one-dimensional pair, both directions"
    WITHIN = "discrete_laplace"

    q: Fraction = parameter(
        "ratio of the noise that is left in the answer: e^-s for discrete Laplace noise", open_unit, order=RATIO
    )
    r: Fraction = parameter("shape of the noise that both messages share, of all users together", positive, order=ADDED)
    p: Fraction = parameter(
        "ratio of the noise that both messages share: its mean is r p / (1 - p)", open_unit, order=RATIO
    )

    @property
    def shared(self) -> NegativeBinomial:
        """The law of Z3, summed over all users."""
        return NegativeBinomial(self.r, self.p)

    def reach(self, n: int) -> Reduction:
        """The reduction by the lemma: its pair and that pair's reverse."""
        pairs = [CorrelatedPair(self.q, self.shared), CorrelatedPair(self.q, self.shared, back=True)]
        named = Pairs([NamedPair(pairs[0], "1", "0"), NamedPair(pairs[1], "0", "1")])
        seen = certificate.correlated(self.q, self.shared.to_json())
        return Reduction(named, "the others only shift the view (lemma in protocols/correlated.py)", 2, mechanism=seen)

    def analyze(self, messages: Mapping[str, int], n: int) -> int:
        """The estimated sum of the bits: (number of messages +1) - (number of messages -1)."""
        return messages.get("+1", 0) - messages.get("-1", 0)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The error Z1 - Z2, discrete Laplace; `messages_expected` messages at most (GKMP Observations 16 and 17)."""
        return count_accuracy(DiscreteLaplace(self.q), alpha, messages_expected(self.q, self.shared, n), 1)

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error|, in users, whatever the data and n are."""
        return mean_deviation(DiscreteLaplace(self.q))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """q, r and p of GKMP Theorem 1 with gamma = 1/100 (another split: give q), `theorem_1`; n does not matter."""
        return theorem_1(eps, delta, given)


def messages_expected(q: Fraction, shared: Noise, n: int, copies: int = 1) -> Fraction:
    """The expected messages of a user with input 1, who sends most: 1 + copies (2 E NB(1, q) + 2 E Z3) / n."""
    return 1 + copies * 2 * (q / (1 - q) + shared.mean) / natural(n, "n", most=MAX_TRIALS)


def theorem_1(eps: Eps, delta: Fraction, given: Mapping[str, str], parts: int = 1) -> dict[str, Fraction]:
    """What GKMP Section 4.1 sets, for eps / parts and delta / parts in the place of eps and delta:

        q = e^-eps1 for eps1 = 0.99 eps,   r and p of Theorem 13 for (eps - eps1, delta2) and Delta-summation,

    with what Theorem 18 needs of the rest: delta2 = delta q / 2 and delta3 = delta q^2 / 4 make e^eps1 delta2 +
    2 e^(2 eps1) delta3 = delta, and Pr[Z2 > Delta] = q^(Delta + 1) <= delta3. (The theorem prints D3 there; its proof
    needs D2, which is Z2.) All rounded up to 64 bits: a larger q has a smaller eps1, and the rest is for the rounded q.
    The lemma above proves these values by Theorem 13 alone. Raises BadInput where q is given and log(1/q) >= eps.
    """
    check_target(eps, delta, "GKMP Theorem 1")
    q = open_unit(given["q"], "q") if "q" in given else decay(eps, SPLIT / parts)
    if Eps.log(q**-parts) >= eps:
        raise BadInput(f"q: {shorten(q)}: expected log(1/q) below eps{f' / {parts}' * (parts > 1)} (GKMP Theorem 18)")
    with precision(128):
        tail = 1 + int(dyadic((ball(4 * parts / delta).log() / -ball(q).log()).upper())) + 1
    share = Fraction(1, parts)
    values = {"q": q, **theorem_13(eps, delta / parts * q / 2, tail, share, q**parts)}
    return {name: value for name, value in values.items() if name not in given}
