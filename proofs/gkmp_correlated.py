"""Ghazi, Kumar, Manurangsi & Pagh 2021: Theorem 18 and what rests on it, Theorem 1 and Corollary 2."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import ceil, factorial
from random import Random

from shufflecert.proofs.gkmp_model import seen
from shufflecert.proofs.gkmp_noise import shown_13
from shufflecert.proofs.lemmas import compose, never_negative
from shufflecert.proofs.small import Words, hockey_stick
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.correlated import Correlated, CorrelatedPair
from shufflecert.protocols.correlated_hist import CorrelatedHist
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.verify.enclose.noise_laws import NegativeBinomial, Noise, Poisson, geometric
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import gathered
from shufflecert.verify.exact.rational import ball, decimal_above, decimal_below, decimals, dyadic, precision
from shufflecert.verify.reduce.reduction import worst_delta

STEP_ONE, STEP_TWO, RATIO = 13, 7, Fraction(999, 1000)  # D1 = 13 NB(1, 0.999), D2 = 7 NB(1, 0.999)
UP, DOWN = (6, 11), (1, 2)  # 13 * 6 - 7 * 11 = 1 and 13 * 1 - 7 * 2 = -1
CASES, FAR = 150, 8


@statement(
    "GKMP Thm 18 as printed",
    "4",
    "(a) D1-D2 eps1-DP; (b) D3 (e2,d2)-DP for Delta-sum; (c) Pr[D3>Delta]<=d3 => (e1+e2, e^{e1}d2+2e^{2e1}d3)-DP",
)
def as_printed() -> Finding:
    """D1 = 13 G, D2 = 7 G', G, G' ~ NB(1, 0.999), D3 = Poi(1), Delta = 1: infinitely divisible, on 0, 1, 2, ...

    (a) With (G, G') -> (G + 6, G' + 11) a value z of D1 - D2 becomes z + 1, and with (G + 1, G' + 2) it becomes z - 1;
    so neighbouring probabilities have a ratio of at most 0.999^-17: eps1 = 17 log(1000/999). (b) Poi(k - 1) / Poi(k) =
    k: it is below 1 only at k = 0, so Poi(1) keeps (0, 1/e). (c) as printed: Pr[Poi(1) > 1] = 1 - 2/e. The theorem
    promises delta = e^eps1 / e + 2 e^(2 eps1) (1 - 2/e) < 0.93 at eps1 < 1/50.

    Look at T = {u - (v mod 7) is divisible by 13}. If Z3 <= 6 then v mod 7 = Z3, so for s = 0, u - Z3 = 13 G: T holds.
    For s = 1, T says 1 + Z3 - (Z3 mod 7) = 1 + 7 j is divisible by 13, so j = 11, 24, ..., and Z3 >= 77. So delta(eps)
    is at least Pr[Poi(1) <= 6] - e^eps Pr[Poi(1) >= 77], which is over 0.9999 for every eps <= 100.
    """
    for shift, moves in ((1, UP), (-1, DOWN)):
        step(STEP_ONE * moves[0] - STEP_TWO * moves[1] == shift, f"D1 - D2 moves by {shift}")
    first = next(j for j in range(100) if (1 + STEP_TWO * j) % STEP_ONE == 0)
    noise = Poisson(Fraction(1))
    with precision(256):
        e, power = ball(Fraction(1)).exp(), ball(RATIO) ** -max(sum(UP), sum(DOWN))
        promised = power / e + 2 * power**2 * (1 - 2 / e)
        low = sum(Fraction(1, factorial(k)) for k in range(STEP_TWO))
        high = Fraction(2, factorial(STEP_TWO * first))  # the terms at least halve
        shown = ball(low) / e - ball(Fraction(100)).exp() * ball(high) / e
        step(bool(power.log() < ball(Fraction(1, 50))), "eps1 < 1/50")
        step(bool((1 - noise.pmf(0) - noise.pmf(1)).overlaps(1 - 2 / e)), "Pr[D3 > Delta]")
        step(bool(promised < shown) and bool(shown > ball(Fraction(9999, 10000))), "delta is above what is promised")
        ends = dyadic(promised.lower()), dyadic(promised.upper())
        least = dyadic(shown.lower())
    one = worst_delta(PoissonSum(Fraction(1)).reach(1), Eps.of(0)).value
    step(one.high < Fraction(36788, 100000) and one.low > Fraction(36787, 100000), "(0, 1/e)")
    evidence = (
        f"D1 = 13 NB(1, .999), D2 = 7 NB(1, .999), D3 = Poi(1), Delta = 1: promised delta = {decimals(*ends, 6)[1]} at "
        "eps = 17 log(1000/999) + 0",
        f"but Pr[u - (v mod 7) in 13 Z] gives delta(eps) >= {decimal_below(least, 6)} for every eps <= 100",
        "corrected: D2 in the place of D3 in the third condition (GKMP-thm-18-corrected)",
    )
    return finding("refuted", "as printed, with D3 in the third condition", *evidence)


def scalar_steps() -> None:
    """The inequality that the proof of Theorem 18 uses, for y, x >= 0, a in [0, 1], r <= t x (unknowns >= 0).

    r min(1, y) <= t x min(1, y) <= t x ((1 - a) y + a): for y <= 1 because (1 - a) y + a >= y, and
    for y > 1 because (1 - a) y + a >= 1.
    """
    from sympy import Symbol

    y, x, t, v = (Symbol(name, nonnegative=True) for name in "yxtv")
    a, small, large = v / (1 + v), y / (1 + y), 1 + y
    step(never_negative(t * x * ((1 - a) * small + a) - t * x * small, y, x, t, v), "y <= 1")
    step(never_negative(t * x * ((1 - a) * large + a) - t * x, y, x, t, v), "y > 1")


@statement("GKMP Thm 18 corrected", "4", "(c) Pr[D2>Delta]<=d3")
def corrected() -> Finding:
    """Proof, with t = e^eps1, y = e^eps2, Delta >= 1, and a sharper constant: delta2 + (1 + t) delta3.

    Let r(w) = Pr[D1 - D2 = w], a(w) = Pr[Z2 > Delta | D1 - D2 = w]: sum r a <= delta3. The view is (w, v), w = u - v,
    v = Z2 + Z3; given w and s, w - s is the value of D1 - D2 and Z3 is independent of Z2. Given Z2 <= Delta as well,
    v has a law A (for s = 0) or B (s = 1), mixtures of D3 + i, 0 <= i <= Delta; any two of these are (eps2,
    delta2)-close by (b), hence their mixtures (joint convexity), A(T) <= y B(T) + delta2. For an event T and s = 0,

        P0(T) <= sum r(w) a(w) + sum r(w) (1 - a(w)) A(T_w) <= delta3 + sum r(w) (delta2 + min(1, y B(T_w))),

    and r(w) <= t r(w-1) by (a): r(w) min(1, y B) <= t r(w-1) ((1 - a(w-1)) y B + a(w-1)) (`scalar_steps`). The sum over
    w of r(w-1) (1 - a(w-1)) B(T_w) is at most P1(T), so P0(T) <= t y P1(T) + delta2 + (1 + t) delta3. The other
    direction has the same steps. As t >= 1, delta2 + (1 + t) delta3 <= t delta2 + 2 t^2 delta3, which is printed.
    """
    from sympy import Symbol

    scalar_steps()
    u, d2, d3 = (Symbol(name, nonnegative=True) for name in ("u", "d2", "d3"))
    t = 1 + u
    step(never_negative(t * d2 + 2 * t**2 * d3 - d2 - (1 + t) * d3, u, d2, d3), "the printed delta is larger")
    tight = max(case(Random(seed)) for seed in range(CASES))
    evidence = (
        "sharper: (eps1 + eps2, delta2 + (1 + e^eps1) delta3)-DP",
        f"{CASES} exact cases (rational laws, Delta = 1, 2): delta is at most this, and up to "
        f"{decimal_below(tight, 3)} of it",
    )
    return finding("proved", "all D1, D2, D3 on 0, 1, ..., all Delta >= 1: delta2 + (1 + e^eps1) delta3", *evidence)


def weights(random: Random, size: int) -> list[Fraction]:
    """A random law on `size` points."""
    drawn = [random.randint(0, 9) ** 2 for _ in range(size)]
    return [Fraction(w + (not any(drawn)), sum(drawn) + size * (not any(drawn))) for w in drawn]


def convolved(one: list[Fraction], other: list[Fraction]) -> dict[int, Fraction]:
    """The law of the sum of two independent numbers."""
    return gathered((i + j, p * q) for (i, p), (j, q) in product(enumerate(one), enumerate(other)))


def case(random: Random, counted: int = 1) -> Fraction:
    """delta / (delta2 + (1 + t) delta3) of a random case of the proof: any laws r_0, r_1 of w, and of Z2 given w and s.

    Raises StepFailed where it is above 1. With `counted` = 0 the third condition is left out, which is false.
    """
    reach, places = random.choice((1, 2)), range(random.choice((2, 3)))
    r = [[Fraction(random.randint(4, 9)) for _ in places] for _ in (0, 1)]
    r = [[p / sum(row) for p in row] for row in r]
    t = max(max(p / q, q / p) for p, q in zip(*r, strict=True))
    two = [[weights(random, reach + 2) for _ in places] for _ in (0, 1)]
    two = [[[*law[:-1], *[Fraction(0)] * FAR, law[-1]] for law in row] for row in two]
    three = random.choice((weights(random, 5), [Fraction(1, FAR)] * FAR))
    y = Fraction(random.choice((1, 2, 4)))
    moved: list[Mapping[tuple[str, ...], Fraction]] = [
        {(str(i + j),): p for i, p in enumerate(three)} for j in range(reach + 1)
    ]
    delta2 = max(hockey_stick(P, Q, y) for P, Q in product(moved, repeat=2))
    delta3 = max(sum(p * law[-1] for p, law in zip(r[s], two[s], strict=True)) for s in (0, 1))
    views: list[Mapping[tuple[str, ...], Fraction]] = []
    for s in (0, 1):
        laws = [convolved(two[s][w], three) for w in places]
        views.append({(str(w), str(v)): r[s][w] * p for w in places for v, p in laws[w].items()})
    found = max(hockey_stick(P, Q, t * y) for P, Q in (views, views[::-1]))
    bound = delta2 + counted * (1 + t) * delta3
    step(found <= bound, "a case of Theorem 18")
    return found / bound if bound else Fraction(0)


def in_the_plane(s: int, q: Fraction, shared: Noise, bits: int = 56) -> Words:
    """The law of (s + Z1 + Z3, Z2 + Z3), Z1, Z2 ~ NB(1, q), from below: without what windows of the three leave out."""
    windows = [noise.window(bits) for noise in (geometric(q), geometric(q), shared)]
    laws = [{first + i: Fraction(w, 2**bits) for i, w in enumerate(low)} for first, low, _, _ in windows]
    return seen(s, tuple(laws))


def divergence(P: Words, Q: Words, power: Fraction) -> tuple[Fraction, Fraction]:
    """Ends around delta at e^eps = power of laws of which P and Q are parts: what they lack counts on either side."""
    part = hockey_stick(P, Q, power)
    return part - power * (1 - sum(Q.values())), part + 1 - sum(P.values())


@statement(
    "GKMP exact view of the correlated mechanism",
    "4",
    "D1=D2=Geo(q),q=e^{-e1}, any D3, eps>=e1: delta(eps)=H_{e^{eps-e1}}(D3+Geo(q^2) || shift 1)/(1+q); "
    "reverse direction 0",
    name="GKMP-corr-exact",
)
def exact_view() -> Finding:
    """For D1 = D2 = NB(1, q), q = e^-eps1, and any D3: the lemma of protocols/correlated.py, its steps carried out.

    Pr[(u, v) | s] is linear in the law of Z3, so it is enough for Z3 = c. With a = u - s, m = min(a, v), G ~ NB(1, q^2)
    and H(m) = Pr[Z3 + G = m]: (1-q)^2 q^(a-c) q^(v-c) = (1-q)/(1+q) q^|a-v| (1-q^2) q^(2(m-c)) as a + v = |a-v| + 2m.
    For v >= u the ratio of s = 1 to s = 0 depends on u only, for v < u it is 1/q: merged, these are the atoms
    (q H(u-1), H(u)) / (1+q) and (1, q) / (1+q). So with t = e^eps the divergence of s = 0 from s = 1 is the sum of
    [H(u) - t q H(u-1)]_+ / (1+q) and [q - t]_+ / (1+q) = 0, that is the divergence of Z3 + G from its shift by 1 at
    t q = e^(eps - eps1), over 1 + q, for every eps >= 0; and of s = 1 from s = 0 it is 0 for t >= 1/q, as
    H(u) >= q^2 H(u-1).
    """
    from sympy import Symbol, simplify

    q, m, gap, c = (Symbol(name, positive=True) for name in ("q", "m", "g", "c"))
    for a, v in ((m, m + gap), (m + gap, m)):
        left = (1 - q) ** 2 * q ** (a - c) * q ** (v - c)
        right = (1 - q) / (1 + q) * q**gap * (1 - q**2) * q ** (2 * (m - c))
        step(simplify(left / right) == 1, "Pr[(u, v) | s], Z3 = c")
    factor, geometric_sum = (1 - q) / (1 + q), 1 / (1 - q)
    step(simplify(factor * geometric_sum - 1 / (1 + q)) == 0, "v >= u: the exponents v - u sum to 1 / (1 - q)")
    step(simplify(1 / (1 + q) + q / (1 + q) - 1) == 0, "both laws' atoms have mass 1")
    compared = []
    for ratio, shared in (
        (Fraction(1, 2), Poisson(Fraction(3))),
        (Fraction(2, 5), NegativeBinomial(Fraction(3, 2), Fraction(1, 2))),
    ):
        P, Q, formula = in_the_plane(1, ratio, shared), in_the_plane(0, ratio, shared), CorrelatedPair(ratio, shared)
        for power in (Fraction(1), 1 / ratio, 3 / ratio):
            for one, two, pair in ((P, Q, formula), (Q, P, formula.reversed())):
                (low, high), (least, most) = divergence(one, two, power), pair.divergence(Eps.log(power), 64)
                step(low <= most and least <= high and high - low < Fraction(1, 10**9), "two dimensions, and one")
                compared.append(high)
    step(min(compared) < Fraction(1, 10**9) and max(compared) > Fraction(1, 20), "none and some")
    evidence = (
        "the view's law, merged to one dimension; adding G only helps, so D3 need protect one unit only",
        f"{len(compared)} divergences of the two-dimensional law overlap the formula's, within 1e-9",
    )
    return finding("proved", "all q in (0, 1), any law D3 on the integers, all eps >= 0, both directions", *evidence)


@statement(
    "GKMP Thm 1",
    "1.1",
    "eps<=O(1), delta,gamma in(0,1/2): error DLap((1-gamma)eps), 1+O(log^2(1/delta)/(gamma eps^2 n)) bits expected",
)
def theorem_1() -> Finding:
    """q = e^-(1-gamma)eps, D3 = NB(r, p) of Theorem 13 for (gamma eps, delta), Delta = 1: a proof without Theorem 18.

    By the exact view delta(eps) is that of D3 + G at gamma eps over 1 + q one way, at most delta (adding G is
    post-processing), and 0 the other. The error is D1 - D2 = DLap((1-gamma) eps). Messages, one bit each: at most
    1 + (2 q/(1-q) + 2 E D3) / n, where q/(1-q) = 1/(e^s - 1) <= 1/s, s = (1-gamma) eps >= eps/2, and
    E D3 <= 500 e^(gamma eps) L / (gamma eps), L = log(1/delta) (Corollary 14). For eps <= 1, gamma, delta <= 1/2 the
    first is at most 4/eps <= 2.9 L / (gamma eps): in all 1 + 1652 L / (gamma eps n). That is less than printed, by a
    factor L / eps, and implies it: 1 <= 1.45 L.
    """
    shown = shown_13()
    with precision(96):
        two, half = ball(Fraction(2)).log(), ball(Fraction(1, 2))
        step(bool(2 / two + 1000 * half.exp() < 1652), "the constant")
        step(bool(1 / two < ball(Fraction(29, 20))), "log(1/delta) >= log 2")
    found = []
    for eps, delta, gamma in (("1", "1/3", Fraction(1, 2)),):
        with precision(96):
            e, share = ball(Fraction(eps)), gamma * Fraction(eps)
            exact = (
                (-(1 - ball(gamma)) * e).exp(),
                50 * ball(share).exp() * -ball(Fraction(delta)).log(),
                (-ball(share) / 10).exp(),
            )
            q, r, p = (Fraction(ceil(dyadic(x.upper()) * 4096), 4096) for x in exact)  # up is the private side
            most = 1652 * -ball(Fraction(delta)).log() / ball(share)
        system = Correlated(q, r, p)
        value = worst_delta(system.reach(1), Eps.of(eps), enough=Fraction(delta)).value
        step(value.high <= Fraction(delta), "the engine's delta")
        sent = system.accuracy(1).expected_messages.high - 1
        step(bool(ball(sent) <= most), "the messages")
        found.append(f"eps {eps}, delta {delta}, gamma {gamma}: delta at most {value.enclosure(3)[1]}")
    evidence = (*shown, "delta(eps) <= delta / (1 + q), by the exact view", *found)
    return finding(
        "proved",
        "eps <= 1, gamma, delta <= 1/2: 1 + 1652 log(1/delta) / (gamma eps n) bits; private for all",
        *evidence,
    )


@statement(
    "GKMP Cor 2",
    "1.1",
    "histogram, DLap((1-gamma)eps/2) per bin, 1+O(B log^2(1/delta)/(gamma eps^2 n)) messages of ceil(log B)+1 bits",
)
def corollary_2() -> Finding:
    """Independent copies for B bins with eps/2, delta/2: a user who moves changes two bins, by one unit each.

    Both bins' pairs are (eps/2, delta/2)-close (Theorem 1), so together (eps, delta)-close (`compose`); the others are
    equal. Errors are independent, DLap((1-gamma) eps/2) each. A user sends its one message, of bin and sign, and B
    times the noise: 1 + B 1652 log(2/delta) 2 / (gamma eps n) at most, and log(2/delta) <= 2 log(1/delta) for
    delta <= 1/2. The bin takes ceil(log2 B) bits, the sign 1.
    """
    compose()
    with precision(64):
        step(
            bool(ball(Fraction(4)).log() <= 2 * ball(Fraction(2)).log() * ball(Fraction(10**9 + 1, 10**9))),
            "log 2/delta",
        )
    one = Correlated(Fraction(2, 3), Fraction(60), Fraction(19, 20))
    noise = one.accuracy(50).expected_messages.high - 1
    for buckets in (2, 5, 9):
        system = CorrelatedHist(buckets, one.q, one.r, one.p)
        found = system.accuracy(50, None)
        step(found.expected_messages.high == 1 + buckets * noise, "messages")
        step(found.bits_per_message == (buckets - 1).bit_length() + 1, "bits")
    single = worst_delta(one.reach(1), Eps.of("1/2")).value
    both = worst_delta(CorrelatedHist(3, one.q, one.r, one.p).reach(1), Eps.of(1)).value
    step(both.high <= 2 * single.high, "two bins: at most twice delta at twice eps")
    evidence = (
        "(eps/2, delta/2) for each of two bins compose to (eps, delta)",
        "1 + 6608 B log(1/delta) / (gamma eps n) messages of ceil(log2 B) + 1 bits, eps <= 1, gamma, delta <= 1/2",
        f"q = 2/3, r = 60, p = 19/20: two bins have delta(1) = {both.enclosure(3)[1]}, twice one's delta(1/2) is "
        f"{decimal_above(2 * single.high, 3)}",
    )
    return finding("proved", "all B >= 2, eps <= 1, gamma, delta <= 1/2; private for all", *evidence)


@statement(
    "GKMP '1+o(1)','ceil(log B)+1+o(1) bits'",
    "1.1",
    "const eps, delta=1/poly n: 1+o(1) messages, ceil(log B)+1+o(1) bits",
    name="GKMP-1-o-1-ceil-log-b-1",
)
def vanishing() -> Finding:
    """For constant eps, gamma, B and delta = n^-c: C log(1/delta) / n = C c log(n) / n -> 0, also times B and bits."""
    from sympy import Symbol, limit, log, oo

    n, c, C, B = (Symbol(name, positive=True) for name in ("n", "c", "C", "B"))
    step(limit(C * c**2 * log(n) ** 2 / n, n, oo) == 0, "1 + o(1), with the printed square")
    bits = Symbol("b", positive=True)
    step(
        limit(bits * (1 + B * C * c**2 * log(n) ** 2 / n) - bits, n, oo) == 0, "b (1 + o(1)) = b + o(1) for constant b"
    )
    evidence = (
        "C log^2(n) / n -> 0; ceil(log B) + 1 bits a message, B constant",
        "for B growing: B log B log^2 n = o(n)",
    )
    return finding("proved", "constant eps, gamma, B, delta = n^-c, n -> infinity", *evidence)
