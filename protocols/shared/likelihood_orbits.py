"""One message a user, from any alphabet: bounds by the law of likelihood ratios, with outputs counted and never listed.

A user who changes holds x (law p) or x' (law q), the n - 1 = N others hold z_1, .., z_N and send by v_1, .., v_N. An
`Orbit` is a set of outputs on which p, q, v and a reference law mu are proportional, with the mass of each: what a
symmetric randomizer needs is a list of orbits for each kind of z (`Likelihoods`), however large its alphabet is.
Write D_t(P, Q) = sum max(P - t Q, 0), t = e^eps.

*Lower bound.* All others on one z: outputs of an orbit are one output, both ways by post-processing, and the divergence
is that of the multinomial form (1/n) E max(sum of l(Y_i), 0), Y_1, .., Y_n from v, l = (p - t q)/v: exact
(verify/reduce/privacy_blanket.py).

*Upper bound, the blanket.* The same with c(y), the minimum over all inputs, in the place of v (there, too).

*Upper bound, by exchange.* The blanket is far from the truth where an output is likely for some inputs and the others'
inputs are not known: c is small everywhere. This bound needs no minimum. Let mu be a law on outputs, g_i = mu / v_i.

Lemma 1. Let W_0 be drawn from mu and W_i from v_i, i = 1..N, independently. For all inputs of the others

    D_t <= E max(sum_j l_j(W_j) / A_j, 0),   l_j = (p - t q)/v_j,   A_j = g_j(W_0) + sum over i != j of g_i(W_i).

Proof. Let Y_0 be the message of the user who changes, Y_i that of the ith other. Draw J in 1..N with probability
g_J(Y_J) / sum_i g_i(Y_i), and exchange Y_0 and Y_J; call the sequence W. Who sees W sees the multiset, so the
divergence of W's laws is no smaller. W = w comes from J = j and the sequence with w_0 and w_j exchanged:

    P(w) = sum_j p(w_j) v_j(w_0) prod_{i != j} v_i(w_i) g_j(w_0) / A_j(w)
         = mu(w_0) prod_i v_i(w_i) sum_j (p/v_j)(w_j) / A_j(w),

since v_j g_j = mu. Likewise Q. So the divergence of W's laws is the right-hand side. QED

Where all v_i are v = mu it is (1/N) E max(sum of N l(W_j), 0), the truth but for one user. In general A_j is near N:

Lemma 2. Let g_i take values between g_- and g_+ (their difference D), eta_-, eta_+ >= 0, eta the larger of them,
N (1 - eta_-) > D, and

    rho   = Pr[sum_i g_i(Y_i) < N (1 - eta_-) + D] + Pr[sum_i g_i(Y_i) > N (1 + eta_+) - D],  Y_i from v_i,
    C     = max(e^-eta_- / (1 - eta_-), e^eta_+ / (1 + eta_+)),
    kappa = D (N eta + D) / (N (N (1 - eta_-) - D)),
    X_j   = l_j (1 + (g_j - gamma_j) / N) + kappa |l_j|,     tau_j = N / (N - 1 + g_j).

Then D_t <= rho + (C / N) max E [prod_j tau_j(W_j) max(sum_j X_j(W_j), 0)], the maximum over gamma_j in {g_-, g_+}.

Proof. Let A = sum_i g_i(w_i), G the set of w with N (1 - eta_-) <= A <= N (1 + eta_+). Outside G, max(P - t Q, 0) <= P,
and of w and y, of which one comes from the other by an exchange, the sums A differ by at most D: P(not G) <= rho. In G,
A_j = A + d_j with d_j = g_j(w_0) - g_j(w_j) between -D and D, and A / A_j = 1 - d_j / A_j. As |1 / A_j - 1 / N| <=
(N eta + D) / (N (N (1 - eta_-) - D)), l_j A / A_j <= l_j (1 - d_j / N) + kappa |l_j| = X_j for gamma_j = g_j(w_0). With
x_j = (g_j(w_j) - 1) / N > -1, prod (1 + x_j) <= e^(A/N - 1) <= C A / N, where the last is for w in G: e^u / (1 + u)
falls up to u = 0 and then rises. So 1 / A <= (C / N) prod tau_j(w_j). What is summed is not negative: it may be summed
over all w. Given w_0 it is convex in each gamma_j: no larger than at one of the ends, whatever w_0 is. QED

Lemma 3. For theta > 0, tau >= 0 and M_j(s) = E tau_j(W_j) e^(s X_j), let each M_j be a mean of some M_k, and

    I_k = (1 / 2 pi) int over u of |M_k(theta + i u)|^N e^(tau^2 (theta^2 - u^2) / 2) / (theta^2 + u^2) du.

Then E [prod tau_j max(sum X_j, 0)] is at most the largest I_k.

Proof. Adding an independent normal variable of variance tau^2 to the sum makes the left side no smaller (Jensen), and
then it is the integral of prod_j M_j(s) e^(tau^2 s^2 / 2) / s^2 along s = theta + i u, over 2 pi: 1 / s^2 is the
transform of max(y, 0). prod_j |M_j| is at most a mean of products of N of the |M_k|, and the integral of such a product
at most the geometric mean of the I_k of its factors (Hoelder's inequality). QED

So the bound holds for all datasets at once: the M_k are those of all kinds of z and both gamma. It is the saddlepoint
integral without its phase: as N grows, eps by it over that of the worst z tends to 1, but for the little that tau and
the phase cost.

rho is bounded by Chernoff's inequality: for sign = 1, -1 and lam >= 0, Pr[sign (sum g_i(Y_i) - N) > N eta] is at most
the largest of (E e^(lam sign (g_k(Y) - 1) - lam eta))^N, Y from v_k: these, too, are linear in the masses of orbits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import ceil, log, sqrt
from typing import Any, NamedTuple

from flint import arb

from shufflecert.protocols.any_ldp import as_any, held_in
from shufflecert.protocols.shared.saddle_point import (
    FAR,
    GROWTH,
    NEAR,
    SMOOTH,
    STEP,
    cumulants,
    near_to,
    padded,
    saddle,
)
from shufflecert.verify.enclose.interval import Interval, ToDigits
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import DIGITS, ball, ceiling_of, precision
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket, Blankets, Member, event_of
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair, Reduction, Threshold

UPPER_DIGITS, ROUGHLY = 5, 3  # of the upper end; of the blanket, which is asked for more where that may be less
SHARE = 5000.0  # of the bound that rho may be, one part
SMALL = 1e-4  # an angle
LEAST_BITS = 5000  # no bound is less than 2^-LEAST_BITS
TRIED, WIDER = 40, 1.08  # values of lam on either side of a guess, and the factor between them
FINER = (1 << 17, 1 << 18)  # cells of a lattice where an event is to show nearly all that is attained
LARGEST = 10**100  # e^eps beyond which no guess is made

BY = """others on one input (below); the exchange of a message, or the blanket (above; proof in
protocols/shared/likelihood_orbits.py)"""


class Orbit(NamedTuple):
    """Outputs on which the laws are proportional: what x, x', z send there in all, and the mass of the reference mu."""

    p: Fraction
    q: Fraction
    v: Fraction
    mu: Fraction

    @classmethod
    def at(cls, mu: Fraction, p: Fraction, q: Fraction, v: Fraction) -> "Orbit":
        """The orbit of mass `mu` under the reference, with these densities with respect to it."""
        return cls(mu * p, mu * q, mu * v, mu)


def merged(orbits: Iterable[Orbit]) -> tuple[Orbit, ...]:
    """Orbits on which the laws are proportional, as one; none that is empty."""
    found = dict[tuple[Fraction, ...], Orbit]()
    for one in orbits:
        if unit := next((part for part in one if part), None):
            key = tuple(part / unit for part in one)
            before = found.get(key, Orbit(*[Fraction(0)] * 4))
            found[key] = Orbit(*(a + b for a, b in zip(before, one, strict=True)))
    return tuple(found.values())


@dataclass(frozen=True)
class Likelihoods:
    """The likelihoods of a pair of inputs, which stands for all pairs: by symmetry, or as none has larger ones.

    `kinds`: for each kind of input that the others may hold, one such input and its orbits; v > 0 on each of them.
    `least`: orbits with the minimum over all inputs, or less, in the place of v; may be empty, for no blanket. `hull`:
    orbits of laws at one of which each |M| of lemma 3 is largest, for all pairs of inputs and all z; none: the `kinds`.
    `more`: other pairs of inputs that are looked at, where one does not stand for all; then there is a hull for all.
    `off`: how far, in total variation, these laws may be from what is sent: in what is attained that is allowed for.
    """

    source: str
    target: str
    kinds: Mapping[str, tuple[Orbit, ...]]
    least: tuple[Orbit, ...] = ()
    hull: tuple[tuple[Orbit, ...], ...] = ()
    more: tuple["Likelihoods", ...] = ()
    off: Fraction = Fraction(0)

    @classmethod
    def of(
        cls,
        source: str,
        target: str,
        kinds: Mapping[str, Iterable[Orbit]],
        least: Iterable[Orbit] = (),
        hull: Iterable[Iterable[Orbit]] = (),
        more: Iterable["Likelihoods"] = (),
        off: Fraction = Fraction(0),
    ) -> "Likelihoods":
        """The same with alike orbits as one.

        Raises ValueError where a law has not mass 1, or v is 0 somewhere, or there are several pairs and no hull.
        """
        kept = {z: merged(orbits) for z, orbits in kinds.items()}
        around = tuple(merged(orbits) for orbits in hull)
        for z, orbits in [*kept.items(), *(("a corner", corner) for corner in around)]:
            masses = [sum(part, Fraction(0)) for part in zip(*orbits, strict=True)]
            if masses != [1] * 4 or any(one.v <= 0 for one in orbits):
                raise ValueError(f"others on {z}: masses {masses}: expected 1, and v > 0")
        several = tuple(more)
        if several and not around:
            raise ValueError("several pairs of inputs: expected a hull for all of them")
        return cls(source, target, kept, merged(least), around, several, off)

    @classmethod
    def alike(
        cls,
        share: Callable[..., Fraction],
        sent: Mapping[Any, Fraction],
        third: bool,
        every: Fraction = Fraction(0),
        names: Sequence[str] = "123",
    ) -> "Likelihoods":
        """Of inputs that are all alike: 1 and 2, the others on 1, 2 or, if there is a `third`, on 3: or other `names`.

        What is sent depends on an input by an event of its own. `sent` has the densities of these events, over a
        reference of which `share` gives the probability that two or three inputs have certain ones. The least density
        is that of some input everywhere but where all have the likeliest event, which is of mass `every`.
        """
        both, top, low = list(product(sent, repeat=2)), max(sent, key=lambda one: sent[one]), min(sent.values())
        kinds = {
            z: [Orbit.at(share(*pair), sent[pair[0]], sent[pair[1]], sent[pair[at]]) for pair in both]
            for at, z in enumerate(names[:2])
        }
        if third:
            every_three = product(sent, repeat=3)
            kinds[names[2]] = [Orbit.at(share(*three), *(sent[one] for one in three)) for three in every_three]
        least = [
            Orbit.at(share(*pair) - every * (pair == (top, top)), sent[pair[0]], sent[pair[1]], low) for pair in both
        ]
        return cls.of(names[0], names[1], kinds, [*least, Orbit.at(every, *[sent[top]] * 3)])

    @classmethod
    def one_hot(cls, d: int, a: Fraction, b: Fraction, most: int) -> "Likelihoods":
        """Of a noisy one-hot string of d bits: 1 with probability a at the input's place, with b < a at any other.

        Of a user on 1 or on 2, the others on 1, 2 or 3; in the reference all bits are 1 with probability b. The string
        of ones is told from others for up to so many bits.

        Proof. A permutation of the values permutes the bits: one pair stands for all, one third value for all. Over the
        reference x has a/b where bit x is 1 and (1 - a)/(1 - b) where it is 0: the likelihoods depend on the bits of x,
        x' and z. As a > b, the least over all inputs is (1 - a)/(1 - b), but for the string of ones.
        """

        def share(*bits: int) -> Fraction:
            return b ** sum(bits) * (1 - b) ** (len(bits) - sum(bits))

        every = b**d if d <= most else Fraction(0)
        return cls.alike(share, {0: (1 - a) / (1 - b), 1: a / b}, d > 2, every)

    def table(self, z: str) -> Randomizer:
        """The randomizer of three inputs x, x', z whose outputs are the orbits: those inputs', post-processed."""
        orbits = self.kinds[z]
        laws = {self.source: [o.p for o in orbits], self.target: [o.q for o in orbits], z: [o.v for o in orbits]}
        return Randomizer.of({x: {f"orbit {i}": w for i, w in enumerate(law) if w} for x, law in laws.items()})

    def attained(self, z: str, n: int, written: Callable[[], Randomizer] | None = None) -> Member:
        """What the pair attains with all others on z; events are of the table `written`, or of `table`."""
        bound = Blanket(Form.of([Category(o.p / o.v, o.q / o.v, o.v) for o in self.kinds[z]], n))
        pair = Near(bound, n * self.off) if self.off else bound

        held = {z: n - 1} if n > 1 else {}

        def event() -> Event:
            rows = written() if written is not None else self.table(z)
            return event_of(rows, self.source, self.target, held)

        return Member(pair, NamedPair(pair, self.source, self.target, held, closely(event)), bound)

    def blanket(self, n: int) -> Blanket:
        """The bound by the blanket; 1 where there is none."""
        if not self.least:
            return Blanket(Form.of([Category(Fraction(0), Fraction(0), Fraction(1))], n), ((Fraction(1), Fraction(0)),))
        inside = [Category(o.p / o.v, o.q / o.v, o.v) for o in self.least if o.v]
        null = Category(Fraction(0), Fraction(0), 1 - sum((c.w for c in inside), Fraction(0)))
        return Blanket(Form.of([*inside, null], n), tuple((o.p, o.q) for o in self.least if not o.v))


@dataclass(frozen=True)
class Near(ToDigits):
    """The pair of a table whose laws of all users' messages are within `off`, in total variation, of what is sent."""

    bound: Blanket
    off: Fraction

    def reversed(self) -> "Near":
        """The pair in the other direction."""
        return Near(self.bound.reversed(), self.off)

    def enclosure(self, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        """An enclosure of delta(eps), to about so many digits: it is within (1 + e^eps) off of the table's."""
        value, more = self.bound.enclosure(eps, digits, enough), self.off * (1 + eps.bounds(64)[1])
        return Interval(max(value.low - more, Fraction(0)), value.high + more)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): all that is sent can be sent by all."""
        return Fraction(0)


def closely(made: Callable[[], Event]) -> Callable[[Eps, Fraction], Threshold]:
    """The threshold events with P - e^eps Q > bound of datasets that are made when first asked, on finer lattices where
    the usual show none."""
    once = cache(made)
    return lambda eps, bound: once().threshold(eps, bound, FINER)


@dataclass(frozen=True)
class Exchange(Family):
    """The upper bound for all datasets: the least of what holds anyway, such as the blanket, and one by exchange.

    `by_exchange` is the latter, of eps and of what is small enough to be brought no closer; None where there is none.
    """

    anyway: Family
    by_exchange: Callable[[Eps, Fraction], Fraction | None]
    costly: bool = False

    digits = UPPER_DIGITS + 1

    @classmethod
    def of(cls, likelihoods: Likelihoods, n: int) -> "Exchange":
        """The blanket, and the bound of this module, of n users."""
        pairs = [(one, one.blanket(n)) for one in (likelihoods, *likelihoods.more)]
        blanket = Blankets.of((bound, NamedPair(bound, one.source, one.target)) for one, bound in pairs)
        laws = likelihoods.hull or tuple(likelihoods.kinds.values())
        return cls(blanket, lambda eps, _: exchange_bound(laws, n, eps))

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """A bound on the largest delta(eps) of all datasets, rounded up."""
        anyway, named, _ = self.anyway.worst(eps, min(digits, ROUGHLY), enough)
        found = self.by_exchange(eps, enough) if anyway.high > enough else None
        if digits > ROUGHLY and anyway.high > enough and (found is None or found > anyway.low):
            anyway, named, _ = self.anyway.worst(eps, min(digits, self.digits), enough)
        if found is None or found >= anyway.high:
            return anyway, named, 1
        return Interval(found, found), named, 1

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): none is known of what dominates."""
        return Fraction(0)

    def hints(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """The grid on which the kernel finds that what holds anyway keeps `bound`."""
        return self.anyway.hints(eps, bound)


def orbit_reach(
    likelihoods: Likelihoods, n: int, inputs: int | None, eps0: Eps, written: Callable[[], Randomizer] | None
) -> Reduction:
    """The reduction of an eps0-private randomizer with these likelihoods.

    Where its table is `written` out, certificates are about that. Else a claim that is kept is certified as
    one about any eps0-private randomizer, where that keeps it; and one that is not kept as one about such a randomizer
    that the others' and the user's inputs show: the three inputs' table, with outputs of an orbit as one.

    Lemma. The smallest eps with delta(eps) = 0 is log E for all n, E the largest p / q. Proof. Shuffling is
    post-processing of what users send, and p <= E q for every pair of inputs. With all others on x', let S be the orbit
    with p = E q: "n messages in S" has probability p(S) q(S)^(n-1) with the user on x, and q(S)^n > 0 on x'.
    """
    pairs = (likelihoods, *likelihoods.more)
    attained = Blankets([pair.attained(z, n, written) for pair in pairs for z in pair.kinds])
    dominating = Exchange.of(likelihoods, n)
    by = " ".join(BY.split())

    def pure() -> tuple[Fraction, Fraction, Found]:
        exact = Eps.log(max(o.p / o.q for orbits in likelihoods.kinds.values() for o in orbits))
        ends, named = exact.enclosure(DIGITS), likelihoods.attained(likelihoods.target, n, written).named
        why = "the local eps, attained by n alike messages (proof in protocols/shared/likelihood_orbits.py)"
        nothing = Interval(Fraction(0), Fraction(0))
        return Fraction(ends[0]), Fraction(ends[1]), Found(nothing, named, 1, by=why, exact=exact)

    if written is not None:
        return Reduction(attained, by, inputs, dominating, certified=dominating.anyway, pure=pure)

    def table(worst: NamedPair) -> Randomizer:
        ends = {worst.source, worst.target}
        return next(pair for pair in pairs if {pair.source, pair.target} == ends).table(held_in(worst))

    mechanism, evidence, of_any = as_any(eps0, Fraction(0), n, table)
    return Reduction(attained, by, inputs, dominating, mechanism, certified=of_any, evidence=evidence, pure=pure)


def blanket_reach(
    likelihoods: Likelihoods | None, n: int, inputs: int, shown: Sequence[str], written: Callable[[], Randomizer]
) -> Reduction:
    """The reduction of a randomizer with these likelihoods by the blanket alone.

    Of one without noise, None, `shown` are the two inputs of a user and that of the others.
    """
    if likelihoods is None:
        (x, y, z), clear = shown, Blanket(Form((), n), ((Fraction(1), Fraction(0)),))
        event = closely(lambda: event_of(written(), x, y, {z: n - 1}))
        return Reduction(Blankets.of([(clear, NamedPair(clear, x, y, {z: n - 1}, event))]), "no noise", inputs)
    attained = Blankets([likelihoods.attained(z, n, written) for z in likelihoods.kinds])
    bound = likelihoods.blanket(n)
    by = "all others on one value (below); the blanket of BBGN Lemma 5.3 (above; proof in verify/CERTIFICATE.md)"
    dominating = Blankets.of([(bound, NamedPair(bound, likelihoods.source, likelihoods.target))])
    return Reduction(attained, by, inputs, dominating)


# The bound by exchange ---------------------------------------------------------------------------------------------


def exchange_bound(kinds: Sequence[Sequence[Orbit]], n: int, eps: Eps) -> Fraction | None:
    """An upper bound on delta(eps) over all datasets of n users of these kinds, by the three lemmas, rounded up.

    None where there are too few users for it. eta_-, eta_+, theta and tau are guesses, at which the bound is certain.
    """
    t, others = eps.bounds(128)[0], n - 1
    if t > LARGEST:
        return None
    ratios = [one.mu / one.v for orbits in kinds for one in orbits]
    least, most = min(ratios), max(ratios)
    guess = Guess.of(kinds, others, float(t), float(least), float(most)) if others > 1 else None
    if guess is None:
        return None
    below, above, spread = Fraction(guess.below), Fraction(guess.above), most - least
    room = others * (1 - below) - spread
    if room <= 0:
        return None
    kappa = spread * (others * max(below, above) + spread) / (others * room)
    laws = [
        [
            (
                one.v * others / (others - 1 + one.mu / one.v),
                (c := (one.p - t * one.q) / one.v) * (1 + (one.mu / one.v - gamma) / others) + kappa * abs(c),
            )
            for one in orbits
        ]
        for orbits in kinds
        for gamma in sorted({least, most})
    ]
    with precision(160 + 2 * n.bit_length()):
        factor = ((-ball(below)).exp() / (1 - ball(below))).max(ball(above).exp() / (1 + ball(above)))
        rho = sum((_beyond(kinds, others, *way) for way in guess.ways if spread), arb(0))
        theta = near_to(guess.theta, laws, others, guess.spread)
        found = rho + factor * line(laws, others, theta, guess.spread) / others + arb(2) ** -LEAST_BITS
        return min(ceiling_of(found), Fraction(1)) if found.is_finite() else None


def _beyond(kinds: Sequence[Sequence[Orbit]], others: int, sign: int, lam: float, eta: float) -> arb:
    """The bound on one part of rho: on Pr[sign (sum of g - N) > N eta], by Chernoff's inequality, or where it is 0."""
    rate, top = arb(lam), arb(0)
    if max(sign * (one.mu / one.v - 1) for orbits in kinds for one in orbits) <= Fraction(eta):
        return top
    for orbits in kinds:
        top = top.max(sum((ball(one.v) * (sign * rate * ball(one.mu / one.v - 1)).exp() for one in orbits), arb(0)))
    return (others * (top.log() - rate * arb(eta))).exp()


def line(laws: Sequence[Sequence[tuple[Any, Any]]], others: int, theta: float, spread: float, rough: int = 1) -> arb:
    """The largest of the integrals of lemma 3, one for each law, from above, with steps that are `rough` times as large
    as they might be."""
    real, smooth = arb(theta), arb(spread / SMOOTH)
    places = [STEP * rough * i for i in range(ceil(NEAR / STEP / rough) + 1)]
    while places[-1] < FAR:
        places.append(places[-1] * (1 + GROWTH * rough))
    steps = list[tuple[arb, arb]]()  # of u, and the rest of the integrand in it
    for first, last in pairwise(places):
        low, high = arb(first / spread), arb(last / spread)
        weight = (smooth**2 * (real**2 - low**2) / 2).exp() * (high - low) / (real**2 + low**2)
        steps.append((low.union(high), weight.upper()))
    end = arb(places[-1] / spread)
    rest = (smooth**2 * (real**2 - end**2) / 2).exp() / end
    whole = sum((weight for _, weight in steps), rest)

    atoms = [[(ball(w) * (real * ball(x)).exp(), ball(x)) for w, x in law] for law in laws]
    tops = [sum((w for w, _ in law), arb(0)) for law in atoms]  # on the line |M| is largest on the real axis
    total = arb(0)
    for i in sorted(range(len(atoms)), key=lambda i: -float(tops[i])):
        if tops[i] ** others * whole < total:
            continue
        found = tops[i] ** others * rest
        for u, weight in steps:
            sine, cosine = arb(0), arb(0)
            for w, x in atoms[i]:
                one, other = (u * x).sin_cos()
                if abs(u * x) < SMALL:  # there 1 - 2 sin^2 of the half is closer than cos of a ball is
                    half = (u * x / 2).sin()
                    other = 1 - 2 * half * half
                sine, cosine = sine + w * one, cosine + w * other
            found += (sine * sine + cosine * cosine).upper().sqrt() ** others * weight
        total = total.max(found)
    return total / arb.pi()


class Guess(NamedTuple):
    """Where the bound is evaluated: theta, the standard deviation of the sum there, eta_- and eta_+; for rho, either
    way, the sign, lam and eta of Chernoff's inequality."""

    theta: float
    spread: float
    below: float
    above: float
    ways: tuple[tuple[int, float, float], ...]

    @classmethod
    def of(cls, kinds: Sequence[Sequence[Orbit]], others: int, t: float, least: float, most: float) -> "Guess | None":
        """A guess in floating point; None where none is found."""
        laws = [[(float(o.v), (float(o.p) - t * float(o.q)) / float(o.v)) for o in orbits] for orbits in kinds]
        if (found := saddle(laws, others)) is None:
            return None
        theta, size, value = found
        level = (log(SHARE) - value) / others
        if level <= 0:  # the bound would be far above 1
            return None
        ratios = [[(float(o.v), float(o.mu / o.v) - 1) for o in orbits] for orbits in kinds]
        ways = tuple((sign, *_deviation(ratios, sign, level)) for sign in (-1, 1))
        below, above = ((way[2] + (most - least) / others) * (1 + 1e-12) for way in ways)
        return cls(theta, size, below, above, ways) if below < 1 else None


def _deviation(laws: Sequence[Sequence[tuple[float, float]]], sign: int, level: float) -> tuple[float, float]:
    """A guess at lam and the least eta at which log E e^(lam sign g) - lam eta is -level, or less, for all the laws of
    g, (weight, value), which have mean 0."""
    weights, ratios = padded(laws)
    ratios = sign * ratios
    size = sqrt(float((weights * ratios * ratios).sum(1).max()))
    if not size:
        return 0.0, 0.0
    found = []
    for i in range(-TRIED, TRIED + 1):
        lam = sqrt(2 * level) / size * WIDER**i
        found.append(((float(cumulants(weights, ratios, lam)[0].max()) + level) / lam, lam))
    eta, lam = min(found)
    return lam, min(eta, float(ratios.max()) * (1 + 1e-12))
