"""Cheu & Zhilyaev 2022, Section III: the histogram protocol with fake users, its privacy and its error."""

from fractions import Fraction
from itertools import product

from flint import arb

from shufflecert.proofs.lemmas import chernoff, never_negative
from shufflecert.proofs.small import unordered
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import gathered
from shufflecert.verify.exact.rational import ball, precision
from shufflecert.verify.reduce.reduction import worst_delta

PRIVACY = Fraction(33, 5)  # the constant of Claim III.1: q (1 - q) n k >= 33/5 T^2 ln(4/delta)
ERROR = 2  # the constant of Claim III.2


def algorithm(x: int, d: int, k: int, q: Fraction) -> dict[tuple[str, ...], Fraction]:
    """Algorithms 1 and 2, coin by coin: the law of the k + 1 strings, the first of the one-hot string."""
    law: list[tuple[tuple[str, ...], Fraction]] = []
    for flips in product((0, 1), repeat=d * (k + 1)):
        bits = [(int(i == x) if i < d else 0) ^ flip for i, flip in enumerate(flips)]
        strings = tuple("".join(map(str, bits[i : i + d])) for i in range(0, len(bits), d))
        law.append((strings, q ** sum(flips) * (1 - q) ** (len(flips) - sum(flips))))
    return gathered(law)


@statement(
    "CZ Alg 1/2/3", "3", "R_FLIP: 1 real + k fake strings, each bit flipped w.p. q; A: z_j=(1/n) sum_i (y_ij-q)/(1-2q)"
)
def algorithms() -> Finding:
    """The engine's rows are Algorithms 1 and 2 under all their coins, up to the order that the shuffler forgets.

    Algorithm 3's z_j = (1/n) sum over i of (y_ij - q) / (1 - 2q): a bit of mean b (1-q) + (1-b) q contributes b, so z_j
    is unbiased, and it is the engine's (column sum / n - (k+1) q) / (1 - 2q).
    """
    from sympy import expand, simplify, symbols

    count = 0
    for d, k, q in ((2, 0, "1/3"), (2, 1, "1/4"), (2, 2, "2/5"), (3, 1, "1/3")):
        system = FakeUsers(d, k, Fraction(q))
        for x in range(d):
            mine, found = algorithm(x, d, k, Fraction(q)), system.randomizer().rows[str(x + 1)]
            step(unordered(found.items()) == unordered(mine.items()), f"the row of {x + 1}, d = {d}, k = {k}")
            count += 1
    b, q_, n, k_, total = symbols("b q n k S")
    step(simplify((b * (1 - q_) + (1 - b) * q_ - q_) / (1 - 2 * q_) - b) == 0, "unbiased")
    printed = (total - (n * k_ + n) * q_) / (n * (1 - 2 * q_))
    step(simplify(expand(printed - (total / n - (k_ + 1) * q_) / (1 - 2 * q_))) == 0, "the analyzers agree")
    estimate = FakeUsers(2, 1, Fraction(1, 4)).analyze({"10": 5, "11": 1, "00": 2}, 4)
    step(estimate[0] == (Fraction(6, 4) - Fraction(1, 2)) * 2, "the engine's analyzer")
    evidence = (f"{count} rows equal, by all coins, d (k+1) <= 6", "E z_j = hist_j for all n, d, k, q < 1/2")
    return finding("proved", "all d, k, n, q in (0, 1/2); rows enumerated for d (k+1) <= 6", *evidence)


def tails(constant: Fraction) -> tuple[arb, arb]:
    """The least exponents of the two tails of Claim III.1, in units of ln(4/delta) >= ln 4, T >= 1: see there."""
    slack = 1 - 1 / (ball(constant) * ball(Fraction(4)).log())
    return slack**2 * ball(constant * Fraction(3, 8)), ball(constant * Fraction(3, 8))


@statement(
    "CZ Claim III.1 (stripped)",
    "3.1",
    "restored from proof: q(1-q)>=(33/(5nk))((e^eps+1)/(e^eps-1))^2 ln(4/delta) => (eps,delta)-shuffle-DP",
)
def claim_1() -> Finding:
    """Proof for all eps > 0, delta in (0, 1], q in (0, 1/2), d >= 2, n, k >= 1. Write m = n k, M = m + 1, T = 1/tau.

    Reveal the other users' real strings: what is left is the user's string among m fake ones. Given bits 1 and 2 of
    the strings, the other bits are independent of everything, with the same law: they drop out. A string's ratio under
    e_1 and under 0 is (1-q)/q where its bit 1 is set and q/(1-q) where not, and summing over which string is real,
    P(view) is proportional to C1 (1-q)/q + (M - C1) q/(1-q), hence to X1 = C1 (1-2q) + M q^2 (`sympy`), C1 the sum of
    column 1, and Q to X2 = C2 (1-2q) + M q^2. So P/Q = X1/X2, and delta <= Pr_P[X1 > e^eps X2].

    Let mu = M q (1-q), which is E X2 under P, where C2 ~ Bin(M, q), C1 <= 1 + Bin(m, q) in law. X1 > e^eps X2 implies
    X1 > mu (1 + tau) or X2 < mu (1 - tau), tau = (e^eps - 1)/(e^eps + 1), as (1 + tau)/(1 - tau) = e^eps. A deviation
    of mu a of (1-2q) Bin(M, q) is one of u times its mean M q, u = a (1-q)/(1-2q); Chernoff's exponent is at least
    M q u^2 / (2 (1 + u/3)) = mu a^2 (1-q) / (2 (1-2q) ((1-2q) + a (1-q)/3)) >= (3/8) mu a^2 for a <= 1, as 1-2q <= 1-q
    and (1-2q) + (1-q)/3 <= 4/3. Below that is a = tau; above, the one real bit takes (1-2q)(1-q) <= 1 of mu tau, and
    mu tau >= c ln(4/delta)/tau >= c ln 4, c = 33/5: a >= tau (1 - 1/(c ln 4)); there the law is Bin(m, q), whose mean
    is smaller, and x^2/(2 (v + x/3)) falls in v. With mu tau^2 >= c ln(4/delta) both exponents are above ln(4/delta),
    so delta/4 for each tail. With c = 4 they are still.
    """
    from sympy import Symbol, exp, simplify

    q, C, M, e, v = (Symbol(name, positive=True) for name in ("q", "C", "M", "e", "v"))
    ratio = C * (1 - q) / q + (M - C) * q / (1 - q)
    step(simplify(ratio * q * (1 - q) - (C * (1 - 2 * q) + M * q**2)) == 0, "P is proportional to X1")
    step(simplify((C * (1 - 2 * q) + M * q**2).subs(C, M * q) - M * q * (1 - q)) == 0, "E X2 = M q (1-q)")
    tau = (exp(e) - 1) / (exp(e) + 1)
    step(simplify((1 + tau) / (1 - tau) - exp(e)) == 0, "the two levels")
    a = Symbol("a", nonnegative=True)
    u = a * (1 - q) / (1 - 2 * q)
    left = M * q * u**2 / (2 * (1 + u / 3))
    right = M * q * (1 - q) * a**2 * (1 - q) / (2 * (1 - 2 * q) * ((1 - 2 * q) + a * (1 - q) / 3))
    step(simplify(left - right) == 0, "the exponent")
    half, unit = v / (1 + v) / 2, a / (1 + a)
    inner = ((1 - q) / (2 * (1 - 2 * q) * ((1 - 2 * q) + unit * (1 - q) / 3))).subs(q, half) - Fraction(3, 8)
    step(never_negative(inner, v, a), "at least 3/8")
    with precision(96):
        for constant in (PRIVACY, Fraction(4)):
            step(all(bool(tail > 1) for tail in tails(constant)), f"both tails at most delta/4, c = {constant}")
        step(not all(bool(tail > 1) for tail in tails(Fraction(7, 2))), "c = 7/2 is not shown")
    shown = []
    for n, k, eps, bound in ((1000, 10, "1", "1e-3"), (200, 50, "3", "1/2")):
        flip = FakeUsers.paper(n, Eps.of(eps), Fraction(bound), {"k": str(k)})["flip"]
        reach = FakeUsers(2, k, flip).reach(n)
        found = worst_delta(reach, Eps.of(eps)).value
        step(found.high <= Fraction(bound), "the engine's delta")
        shown.append(f"n = {n}, k = {k}, eps = {eps}, delta = {bound}: delta at most {found.enclosure(3)[1]}")
    evidence = (chernoff(), "P/Q depends on the two column sums only; both tails are at most delta/4", *shown)
    return finding(
        "proved", "all eps > 0, delta in (0, 1], q < 1/2, n, k, d; sharper: 4 in the place of 33/5", *evidence
    )


@statement(
    "CZ Claim III.2 (stripped)",
    "3.2",
    "restored: Pr[|z_j-hist_j| > (2/(1-2q)) sqrt((k+1)q ln(2/b)/n)] <= b, q>=ln(2/b)/(nk+n)",
)
def claim_2() -> Finding:
    """The reading settled: Pr[|z_j - hist_j| > 2/(1-2q) sqrt((k+1) q ln(2/beta) / n)] <= beta, q >= ln(2/beta)/(nk+n).

    With N = nk + n, L = ln(2/beta): z_j - hist_j = (S - E S) / (n (1-2q)), S the column sum; the event is |S - E S| >
    2 sqrt(N q L). Of the N bits c are set before flips: S - E S is Bin(N - c, q) - Bin(c, q), centred, and for x >= 0
    log E e^(+-x (S - ES)) <= N q (e^x - 1 - x), since e^-x - 1 + x <= e^x - 1 - x (sinh x >= x). Chernoff with
    u = 2 sqrt(L / (N q)) <= 2: exponent N q u^2 / (2 (1 + u/3)) >= 4 L / (2 (1 + 2/3)) = 6/5 L. Two tails: beta.
    """
    from sympy import Symbol, exp, simplify, sinh

    x = Symbol("x", positive=True)
    gap = (exp(x) - 1 - x) - (exp(-x) - 1 + x)
    step(simplify((gap - 2 * (sinh(x) - x)).rewrite(exp)) == 0, "the smaller of the two")
    step(sinh(x).diff(x, 2).is_positive is True, "sinh is convex on x > 0: sinh x >= x")
    worst = Fraction(ERROR**2) / (2 * (1 + Fraction(ERROR, 3)))
    step(worst > 1, "the exponent, in units of L")
    for trials, flip, beta in ((200, Fraction(1, 20), Fraction(1, 10)), (50, Fraction(1, 4), Fraction(1, 100))):
        with precision(96):
            L = ball(2 / beta).log()
            step(bool(ball(trials * flip) >= L), "q is large enough")
            radius = int(float((ERROR * (ball(trials * flip) * L).sqrt()).lower()))
            law = Binomial(trials, flip)
            mean = int(trials * flip)
            both = law.upper(mean + radius + 1) + (law.lower(mean - radius - 1) if mean > radius else arb(0))
            step(bool(both < ball(beta)), "exact tails")
    evidence = (chernoff(), "both tails together at most 2 exp(-(6/5) ln(2/beta)) <= beta", "exact tails at two points")
    return finding("proved", "all q in [ln(2/beta)/(nk+n), 1/2), n >= 1, k >= 0, beta in (0, 1), all data", *evidence)


def larger() -> None:
    """For n k > (132/5) T^2 ln(4/delta): the root q^ < 1/2 is above 9/(n k), and q~ = ln 20/(nk+n) below 3/(n k)."""
    with precision(96):
        step(bool(ball(PRIVACY) * ball(Fraction(4)).log() > 9), "q^ >= q^ (1-q^) > 9/(nk)")
        step(bool(ball(Fraction(20)).log() < 3), "q~ < 3/(nk)")
        step(bool(4 * ball(PRIVACY) * ball(Fraction(4)).log() > 36), "nk > 36, so q~ < 1/12")


@statement(
    "CZ Thm III.3",
    "3.3",
    "n k > (132/5)((e^eps+1)/(e^eps-1))^2 ln(4/d): exists q<1/2: private; error<(1/n)((e^eps+1)/(e^eps-1)) "
    "sqrt((264/5)ln(4/d) ln 20) g(k) w.p. 9/10, g->1 from above",
)
def theorem_3() -> Finding:
    """Set q = q^ (`maximum`). (a) is Claim III.1. (b) By Claim III.2 with beta = 1/10 the error is at most

        (2/n) sqrt(N q ln 20)/(1-2q) < (2/n) sqrt(2 N q (1-q) ln 20)/(1-2q),  N = n (k+1),  as 1 - q > 1/2,

    and q (1-q) = (33/5) T^2 ln(4/delta)/(nk) makes that (T/n) sqrt((264/5) ln(4/delta) ln 20) g(k) with
    g(k) = sqrt((k+1)/k) / (1-2q^). (k+1)/k falls to 1, and 1 - 2q^ = sqrt(1 - (132/5) T^2 ln(4/delta)/(nk)) rises to 1:
    g falls to 1 strictly.
    """
    from sympy import Rational, Symbol, limit, oo, simplify, sqrt

    larger()
    n, k, T, L, c = (Symbol(name, positive=True) for name in ("n", "k", "T", "L", "c"))
    square = 4 * 2 * (n * (k + 1)) * Rational(33, 5) * T**2 * L / (n * k) / n**2
    step(simplify(square - T**2 * Rational(264, 5) * L * (k + 1) / k / n**2) == 0, "the factor sqrt(264/5)")
    q = (1 - sqrt(1 - 4 * c / k)) / 2  # c = (33/5) T^2 ln(4/delta) / n
    step(simplify(q * (1 - q) - c / k) == 0 and simplify(1 - 2 * q - sqrt(1 - 4 * c / k)) == 0, "the root")
    g_squared = (k + 1) / k / (1 - 4 * c / k)
    falls = simplify(-g_squared.diff(k).subs(k, 4 * c + n))  # any k > 4c
    step(never_negative(falls, n, c) and falls != 0 and limit(g_squared, k, oo) == 1, "g falls to 1")
    q_small = Fraction(49, 100)
    step(2 * q_small * (1 - q_small) < q_small * 2 and 2 * (1 - q_small) > 1, "q < 2 q (1-q) just for q < 1/2")
    evidence = (
        "q^ solves q (1-q) = 33/(5nk) T^2 ln(4/delta), q^ < 1/2, q^ > q~; private by Claim III.1",
        "g(k) = sqrt((k+1)/k)/(1-2q^), falling to 1; the inequality is strict as q^ < 1/2",
    )
    return finding("proved", "all eps > 0, delta in (0, 1), nk > (132/5) T^2 ln(4/delta), all j and data", *evidence)


@statement("CZ max(q^,q~)", "3.3", "q=max(root, ln(2/b)/(nk+n))<1/2")
def maximum() -> Finding:
    """Of the two flip probabilities, both below 1/2, q^ is always the larger: q~ never matters. beta = 1/10.

    4 * 33/(5nk) T^2 ln(4/delta) < 1 gives q^ = (1 - sqrt(1 - that))/2 in (0, 1/2). T >= 1, ln(4/delta) >= ln 4 give
    q^ > 9/(nk) > q~. For a general beta the claim is false: beta < 2 e^(-(nk+n)/2) has q~ > 1/2.
    """
    larger()
    with precision(96):
        step(
            bool(ball(Fraction(2)) * (-ball(Fraction(30))).exp() < ball(Fraction(1, 10**12))),
            "beta = 10^-12, nk+n = 60",
        )
        step(
            bool(ball(Fraction(2 * 10**12)).log() / 50 > ball(Fraction(1, 2))), "q~ > 1/2 for nk + n = 50, beta = 1e-12"
        )
    evidence = (
        "q^ > 9/(nk) > ln 20/(nk+n) = q~, and q^ < 1/2",
        "beta = 10^-12, nk + n = 50: q~ > 1/2; so it is about 9/10",
    )
    return finding("proved", "all eps > 0, delta in (0, 1), nk > (132/5) T^2 ln(4/delta); beta = 1/10", *evidence)


@statement(
    "CZ 'k=0: q prop 1/sqrt n, error n^{-3/4}' (Thm C.1)",
    "3",
    "k=0: q prop 1/sqrt n, error n^{-3/4}",
    name="CZ-k-0-q-prop-1-sqrt-n",
)
def no_fakes() -> Finding:
    """With k = 0 and q = c/sqrt(n) one estimate's standard deviation is sqrt(n q (1-q))/(n (1-2q)) ~ sqrt(c) n^(-3/4).

    That (eps, delta) is kept by such a q is Theorem C.1 of an appendix that the fragment lacks; checked here: at q =
    4/sqrt(n) the attained delta(1), from below, stays under 1/1000 for three n, which refutes nothing.
    """
    from sympy import Symbol, limit, oo, simplify, sqrt

    n, c = Symbol("n", positive=True), Symbol("c", positive=True)
    q = c / sqrt(n)
    variance = n * q * (1 - q) / (n * (1 - 2 * q)) ** 2
    step(simplify(limit(simplify(variance * n ** Fraction(3, 2)), n, oo) - c) == 0, "n^(3/2) Var -> c")
    shown = []
    for users, flip in ((100, Fraction(2, 5)), (400, Fraction(1, 5)), (1600, Fraction(1, 10))):
        found = worst_delta(FakeUsers(3, 0, flip).reach(users), Eps.of(1)).value
        step(found.low < Fraction(1, 1000), f"delta of real datasets, n = {users}")
        shown.append(
            f"n = {users}, q = 4/sqrt(n) = {flip}: delta(1) of real datasets is {found.enclosure(3)[0]} or more"
        )
    evidence = ("reason: the proof (Theorem C.1) is in an appendix that the fragment does not hold", *shown)
    return finding(
        "not machine-checkable", "the error: all c, n -> infinity; privacy: three sizes from below", *evidence
    )
