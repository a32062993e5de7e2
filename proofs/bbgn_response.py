"""Balle, Bell, Gascon & Nissim 2019, Section 3: k-ary randomized response, and any randomizer's blanket."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod

from flint import arb

from shufflecert.proofs.lemmas import chernoff
from shufflecert.proofs.small import families, ordered_law, randomizer
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.krr import KRR
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, precision
from shufflecert.verify.reduce.reduction import worst_delta

FIRST, SECOND = Fraction(14), Fraction(27)  # of Theorem 3.1's gamma
POWERS = (Fraction(1), Fraction(3, 2), Fraction(3))
FAMILIES = ((2, 2, 6), (2, 3, 4), (3, 3, 2))


@statement("BBGN mechanism", "3", "k-ary RR: truth w.p. 1-gamma, uniform w.p. gamma; analyzer histogram")
def mechanism() -> Finding:
    """Truth with probability 1 - gamma, else uniform over all k values; the analyzer counts each value's messages."""
    for k, gamma in product((2, 3, 5), (Fraction(0), Fraction(1, 3), Fraction(1))):
        rows = KRR(k, gamma).randomizer().rows
        for x in range(k):
            coins = [((1 - gamma), x), *((gamma / k, y) for y in range(k))]
            law = {(str(y),): sum(p for p, sent in coins if sent == y) for y in range(k)}
            step({y: p for y, p in law.items() if p} == dict(rows[str(x)].items()), f"the row of {x}, k = {k}")
    k, gamma, n = 3, Fraction(1, 4), 2
    for data in product("012", repeat=n):
        mean = [Fraction(0)] * k
        for words, p in ordered_law(KRR(k, gamma).randomizer(), data).items():
            estimate = KRR(k, gamma).analyze(Counter(words), n)
            mean = [m + p * e for m, e in zip(mean, estimate, strict=True)]
        step(mean == [Fraction(data.count(str(y)), n) for y in range(k)], "unbiased")
    evidence = (
        "rows for k = 2, 3, 5, gamma = 0, 1/3, 1 by their coins",
        "the engine's analyzer takes the bias gamma/k out",
    )
    return finding("proved", "definition; all k, gamma: Pr[y | x] = gamma/k + (1 - gamma) 1[x = y]", *evidence)


@statement("BBGN worst dataset", "3.2", "the bound holds for any data of the others")
def worst_dataset() -> Finding:
    """The bound of the proof holds whatever the others' data are: they are revealed. The exact delta depends on them.

    For every dataset delta is at most the blanket's (post-processing). Which data are worst varies: for k = 3 mostly
    all others on the third value, but for gamma = 1/2, n = 4, eps = 1 others on (0, 0, 2).
    """
    values = values_by_data(3, Fraction(1, 2), 4)
    blanket = worst_delta(KRR(3, Fraction(1, 2)).reach(4), Eps.of(1)).value
    step(all(bool(value <= ball(blanket.high)) for value in values.values()), "every dataset is below the blanket")
    step(bool(values["0", "0", "2"] > values["2", "2", "2"]), "(0, 0, 2) is worse than (2, 2, 2)")
    mostly = values_by_data(3, Fraction(1, 10), 4)
    third = mostly["2", "2", "2"]
    step(all(bool(value < third) for others, value in mostly.items() if others != ("2", "2", "2")), "gamma = 1/10")
    evidence = (
        f"k = 3, gamma = 1/2, n = 4, eps = 1: all {len(values)} multisets of others are below the blanket",
        "there (0, 0, 2) > (2, 2, 2); for gamma = 1/10 (2, 2, 2) is the worst: no one dataset always is",
    )
    return finding(
        "proved", "the bound: all data; that no dataset is worst for all parameters: n = 4, k = 3", *evidence
    )


def sent_law(counts: tuple[int, ...], x: int) -> Fraction:
    """Pr[the multiset is `counts`], one message x and the others uniform."""
    m, k = sum(counts) - 1, len(counts)
    rest = [c - (y == x) for y, c in enumerate(counts)]
    if min(rest) < 0:
        return Fraction(0)
    return Fraction(factorial(m), prod(map(factorial, rest)) * k**m)


@statement(
    "BBGN Thm 3.1 (stripped)",
    "3.2",
    "restored: gamma=max{14k log(2/d)/((n-1)eps^2), 27k/((n-1)eps)}<1, eps<=1, d in(0,1] => (eps,d)-DP; R is "
    "eps0-LDP, eps0=log(1+k(1-gamma)/gamma)",
)
def theorem() -> Finding:
    """Proof for all n >= 2, k >= 2, eps in (0, 1], delta in (0, 1] with gamma <= 1. The blanket: reveal all the others.

    Show who sent a random value, and the truthful others' messages. If the user's own message is random nothing
    differs. Else P/Q = N1/N2 (`ratio`), so delta <= Pr[N1 >= c e^(eps/2)] + Pr[N2 <= c e^(-eps/2)], c = gamma (n-1)/k
    the mean of the binomials. c >= 14 log(2/delta)/eps^2 and c >= 27/eps. Above: Bin >= c (1 + x) with x =
    e^(eps/2) - 1 - 1/c >= (1/2 - 1/27) eps: at most exp(-c x^2/3), as 2 (1 + x/3) <= 3 there. Below: at most
    exp(-c (1 - e^(-eps/2))^2 / 2), and 1 - e^(-eps/2) >= (1 - e^(-1/2)) eps. By `constants` each is at most delta/2.
    With 2 (1 + x/3) <= 2.31 in the place of 3, 13 instead of 14 suffices. Local eps: the largest ratio is
    (1 - gamma + gamma/k) / (gamma/k) = 1 + k (1 - gamma)/gamma.
    """
    constants()
    ratio()
    x = Fraction(1, 2) - 1 / SECOND
    step(2 * (1 + x / 3) <= Fraction(231, 100), "the upper exponent's denominator")
    with precision(96):
        step(bool(ball(Fraction(13, 2)) * (1 - ball(Fraction(-1, 2)).exp()) ** 2 >= 1), "13 below")
    step(13 * x**2 / Fraction(231, 100) >= 1, "13 above")
    shown = []
    for k, n, eps, bound in ((2, 2000, "1", "1e-3"), (4, 5000, "1/2", "1/10")):
        gamma = KRR.paper(n, Eps.of(eps), Fraction(bound), {"k": str(k)})["gamma"]
        found = worst_delta(KRR(k, gamma).reach(n), Eps.of(eps), enough=Fraction(bound)).value
        step(found.high <= Fraction(bound), "the engine's delta")
        shown.append(f"k = {k}, n = {n}, eps = {eps}, delta = {bound}: delta at most {found.enclosure(3)[1]}")
        rows = KRR(k, gamma).randomizer().rows
        step(max(rows["0"]["0",] / rows["1"]["0",], Fraction(1)) == 1 + k * (1 - gamma) / gamma, "local eps")
    evidence = (chernoff(), "both tails at most delta/2", "sharper: 13 in the place of 14", *shown)
    return finding(
        "proved", "all n, k >= 2, eps, delta in (0, 1], gamma < 1; local eps = log(1 + k(1-gamma)/gamma)", *evidence
    )


@statement("BBGN proof 3.1 ratio", "3.2", "Pr ratio = N1/N2, N1~Bin(n-1,gamma/k)+1, N2~Bin(n-1,gamma/k) (restored)")
def ratio() -> Finding:
    """One message a and m uniform ones: Pr[counts] = m! n_a / (k^m prod n_y!), so the ratio of a to b is n_a / n_b.

    Under a, n_a = 1 + Bin(m, 1/k) and n_b = Bin(m, 1/k); with m ~ Bin(n-1, gamma) the binomials have parameter gamma/k.
    """
    from sympy import expand, symbols

    for m, k in ((3, 2), (4, 3), (3, 4)):
        for chosen in combinations_with_replacement(range(k), m + 1):
            counts = tuple(chosen.count(y) for y in range(k))
            for a, b in ((0, 1), (1, 0)):
                step(sent_law(counts, a) * counts[b] == sent_law(counts, b) * counts[a], "the ratio is n_a / n_b")
    z, gamma, k_ = symbols("z gamma k")
    inner = 1 - gamma + gamma * (1 - 1 / k_ + z / k_)
    step(expand(inner - (1 + gamma / k_ * (z - 1))) == 0, "thinning: Bin(Bin(n-1, gamma), 1/k) = Bin(n-1, gamma/k)")
    evidence = ("m! n_a / (k^m prod n_y!) for every multiset", "N1 = 1 + Bin(n-1, gamma/k), N2 = Bin(n-1, gamma/k)")
    return finding("proved", "all n, k, gamma; enumerated for m <= 4, k <= 4", *evidence)


def values_by_data(k: int, gamma: Fraction, n: int) -> dict[tuple[str, ...], arb]:
    """The larger divergence at eps = 1 of a user on 0 and on 1, both ways, for every multiset of others."""
    given, values = KRR(k, gamma).randomizer(), {}
    with precision(96):
        e, zero = ball(Fraction(1)).exp(), arb(0)
        for others in combinations_with_replacement([str(y) for y in range(k)], n - 1):
            laws = [ordered_law(given, (x, *others)) for x in "01"]
            both = []
            for P, Q in (laws, laws[::-1]):
                gaps = (ball(p) - e * ball(Q.get(y, Fraction(0))) for y, p in P.items())
                both.append(sum((gap.max(zero) for gap in gaps), zero))
            values[others] = both[0].max(both[1])
    return values


@statement(
    "BBGN proof 3.1 constants",
    "3.2",
    "(14/3)(1/2-1/27)^2>=1; (14/2)(1-e^{-1/2})^2>=1; e^{eps/2}-1>=eps/2; 1-e^{-eps/2}>=(1-e^{-1/2})eps",
)
def constants() -> Finding:
    """Exact, and by convexity: e^x - 1 >= x; 1 - e^(-x/2) is concave, so above its chord (1 - e^(-1/2)) x on [0, 1]."""
    from sympy import Symbol, exp, simplify

    first = FIRST / 3 * (Fraction(1, 2) - 1 / SECOND) ** 2
    step(first >= 1, "(14/3) (1/2 - 1/27)^2 >= 1")
    with precision(96):
        second = ball(FIRST / 2) * (1 - ball(Fraction(-1, 2)).exp()) ** 2
        step(bool(second >= 1), "(14/2) (1 - e^(-1/2))^2 >= 1")
    x = Symbol("x", positive=True)
    up, down = exp(x / 2) - 1 - x / 2, 1 - exp(-x / 2) - (1 - exp(-Fraction(1, 2))) * x
    step(
        up.diff(x, 2).is_positive is True and up.subs(x, 0) == 0 and up.diff(x).subs(x, 0) == 0,
        "e^(eps/2) - 1 >= eps/2",
    )
    step(down.diff(x, 2).is_negative is True and down.subs(x, 0) == 0, "concave, 0 at 0")
    step(simplify(down.subs(x, 1)) == 0, "0 at 1")
    evidence = (f"(14/3)(1/2 - 1/27)^2 = {first} >= 1: tight to 3 in 10^4", "(14/2)(1 - e^(-1/2))^2 = 1.08... >= 1")
    return finding("proved", "0 <= eps <= 1", *evidence)


@statement("BBGN 3.1 '~gamma n random values'", "3.1", "blanket intuition")
def blanket_size() -> Finding:
    """Each user is in the blanket with probability gamma, independently: |B| ~ Bin(n, gamma), of mean gamma n.

    By Chebyshev | |B| - gamma n | > a has probability at most n gamma (1-gamma)/a^2; the n - |B| others are truthful.
    """
    from sympy import Symbol, diff, simplify

    z, gamma, n = (Symbol(name, positive=True) for name in ("z", "gamma", "n"))
    generating = (1 - gamma + gamma * z) ** n
    mean = diff(generating, z).subs(z, 1)
    step(simplify(mean - gamma * n) == 0, "the mean")
    variance = diff(generating, z, 2).subs(z, 1) + mean - mean**2
    step(simplify(variance - n * gamma * (1 - gamma)) == 0, "the variance")
    return finding("proved", "all n, gamma: gamma n expected, +- sqrt(n gamma (1-gamma))", "|B| ~ Bin(n, gamma)")


@statement("BBGN blanket decomposition", "5", "R(x)=(1-g)nu_x+g w, g=sum_y min_x R(x)(y)")
def decomposition() -> Finding:
    """Let m(y) = min over x of R(x)(y), g = sum m. For 0 < g < 1, w = m/g and nu_x = (R(x) - m)/(1 - g) are laws.

    nu_x >= 0 and sums to (1 - g)/(1 - g). No larger g is possible: R(x) = (1-g') nu' + g' w' for all x gives
    g' w' <= m, so g' <= g. For g = 1 all rows are equal, for g = 0 there is no blanket. If R is eps0-LDP, m(y) >=
    e^-eps0 R(x)(y) for any x, so g >= e^-eps0.
    """
    count = 0
    for columns in (c for family in FAMILIES for c in families(*family)):
        given = randomizer(columns)
        outputs = {y for row in given.rows.values() for y, p in row.items() if p}
        rows = {x: dict(row.items()) for x, row in given.rows.items()}
        least = {y: min(row.get(y, Fraction(0)) for row in rows.values()) for y in outputs}
        g = sum(least.values(), Fraction(0))
        step(0 <= g <= 1, "g is a probability")
        if 0 < g < 1:
            for row in rows.values():
                nu = {y: (row.get(y, Fraction(0)) - least[y]) / (1 - g) for y in outputs}
                step(sum(nu.values()) == 1 and min(nu.values()) >= 0, "nu is a law")
                step(all(row.get(y, 0) == (1 - g) * nu[y] + g * (least[y] / g) for y in outputs), "R(x)")
            if min(least.values()) > 0:
                power = max(row[y] / least[y] for row in rows.values() for y in outputs)
                step(g * power >= 1, "g >= e^-eps0")
        step((g == 1) is (len({tuple(sorted(row.items())) for row in rows.values()}) == 1), "g = 1: equal rows")
        count += 1
    gamma, k = Fraction(1, 3), 4
    rows4 = KRR(k, gamma).randomizer().rows
    step(sum(min(row[str(y),] for row in rows4.values()) for y in range(k)) == gamma, "krr's blanket is gamma")
    return finding(
        "proved",
        "all finite randomizers, also to multisets of messages; g is the largest possible, g >= e^-eps0",
        "nu_x = (R(x) - m)/(1-g) >= 0 sums to 1",
        f"{count} randomizers, exactly",
        "krr: g = gamma, w uniform",
    )
