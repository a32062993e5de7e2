"""Ghazi, Kumar, Manurangsi & Pagh 2021, Sections 2 to 4: the two mechanisms, what they show, error and messages."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from shufflecert.proofs.small import Words, hockey_stick
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.correlated import Correlated
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.enclose.interval import exactly
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, Randomizer, gathered

Law = Mapping[int, Fraction]
POWERS = tuple(Fraction(t) for t in ("1", "3/2", "4"))  # e^eps
PARTS: tuple[Law, ...] = (  # of one user; any laws on 0, 1, ... serve, the view is of their sum
    {0: Fraction(1, 2), 1: Fraction(1, 2)},
    {0: Fraction(2, 3), 1: Fraction(1, 4), 3: Fraction(1, 12)},
    {0: Fraction(1)},
)
USERS = (1, 2, 3)


def total(part: Law, n: int) -> dict[int, Fraction]:
    """The law of the sum of n independent draws."""
    law = {0: Fraction(1)}
    for _ in range(n):
        law = gathered((k + j, p * q) for k, p in law.items() for j, q in part.items())
    return law


def distributed(part: Law, sensitivity: int) -> Randomizer:
    """Algorithm 1: an input x in 0..sensitivity sends x + Z messages 1."""
    rows = {x: {("1",) * (x + z): p for z, p in part.items()} for x in range(sensitivity + 1)}
    return Randomizer.of(rows)


def central(noise: Law, sensitivity: int, t: Fraction) -> Fraction:
    """The largest divergence of the D Mechanism for sums of inputs 0..sensitivity: all shifts, both directions."""

    def at(s: int) -> Words:
        return {(str(s + k),): p for k, p in noise.items()}

    shifts = range(1, sensitivity + 1)
    return max(hockey_stick(*pair, t) for j in shifts for pair in ((at(0), at(j)), (at(j), at(0))))


@statement("GKMP Def 5-7", "2", "DP, D Mechanism, infinite divisibility")
def definitions() -> Finding:
    """Definition 5 is BC's Definition 4; 6 is a shift of the noise; 7 is (generating function of D_/n)^n = that of D.

    Poi(lam) has exp(lam (z - 1)), NB(r, p) has ((1 - p) / (1 - p z))^r, so parts of parameters lam / n and r / n, p
    sum to them, and DLap, a difference of two geometric laws, is infinitely divisible. The definition rules laws out:
    a bounded law that is not constant has no parts on 0, 1, ...: (1 + z) / 2 has the root sqrt((1 + z) / 2) with a
    negative coefficient of z^2.
    """
    from sympy import Rational, Symbol, log, series, simplify, sqrt

    z, lam, r, p, n = (Symbol(name, positive=True) for name in ("z", "lam", "r", "p", "n"))
    for whole, part in (
        (lam * (z - 1), lam / n * (z - 1)),
        (r * (log(1 - p) - log(1 - p * z)), r / n * (log(1 - p) - log(1 - p * z))),
    ):
        step(simplify(n * part - whole) == 0, "n parts sum to the whole")
    root = series(sqrt((1 + z) / 2), z, 0, 3).removeO()
    step(simplify(root.coeff(z, 2) + Rational(1, 8) / sqrt(2)) == 0, "the root of (1 + z) / 2 is no law")
    for part_law, n_users in product(PARTS, USERS):
        noise = total(part_law, n_users)
        step(sum(noise.values()) == 1, "a law")
    return finding(
        "proved",
        "definitions; all lam, r > 0, p in (0, 1), n >= 1",
        "Poi(lam/n), NB(r/n, p) sum to Poi(lam), NB(r, p), by generating functions; hence DLap is divisible too",
        "a fair coin is not: the square root of (1 + z)/2 has a negative coefficient",
    )


def compared(sensitivity: int) -> int:
    """How many values of delta of Algorithm 1, over all datasets, were those of the D Mechanism. Raises StepFailed."""
    count = 0
    for part, n, t in product(PARTS, USERS, POWERS):
        found = delta(distributed(part, sensitivity), n, Eps.log(t)).delta
        step(found == central(total(part, n), sensitivity, t), f"delta of {part}, n = {n}, t = {t}")
        count += 1
    return count


@statement("GKMP Alg 1/2", "3", "send x+Z ones, Z~D_{/n}; output U-E[D]")
def algorithms_1_2() -> Finding:
    """All messages are equal, so a multiset of them is their number U = s + Z_1 + ... + Z_n, Z_i the users' noises.

    By Definition 7 the sum of the noises is one draw of D, whatever n is. U - E[D] has mean s.
    """
    count = compared(1)
    for system in (PoissonSum(Fraction(7)), NegativeBinomialSum(Fraction(2), Fraction(1, 2))):
        mean = system.accuracy(1).expected_messages.high - 1
        for n in (1, 5):
            step(system.analyze({"1": 9}, n) == 9 - mean, "U - E[D]")
    evidence = (
        f"{count} values of delta, all datasets of {USERS} users, are those of s + the sum of the parts",
        "the analyzers of poisson and negative_binomial return U - E[D]",
    )
    return finding("proved", "all infinitely divisible D on 0, 1, ..., all n", *evidence)


@statement("GKMP Obs 8", "3", "shuffle DP of D-Dist <=> central DP of D Mechanism (Delta-sum)")
def observation_8() -> Finding:
    """U has the law of s + D (see `algorithms_1_2`), and the multiset of equal messages is U and no more.

    So both mechanisms show the same law on every dataset, hence have the same divergences. The pairs of neighbours are
    (s, s + j), 0 < |j| <= Delta, and every such j occurs, for n = 1 already: the worst pair does not depend on n.
    """
    count = sum(compared(sensitivity) for sensitivity in (1, 2, 3))
    evidence = (
        f"{count} values of delta over all datasets equal the D Mechanism's, Delta = 1, 2, 3, n = {USERS}, "
        f"{len(PARTS)} laws of parts, e^eps = {', '.join(map(str, POWERS))}",
        "the same random variable U = s + D on every dataset: equal for every eps and delta, in both directions",
    )
    return finding("proved", "all infinitely divisible D on 0, 1, ..., all Delta, n, eps >= 0 and delta", *evidence)


@statement("GKMP Obs 9", "3", "error = D-E[D]")
def observation_9() -> Finding:
    """U - E[D] - s = D - E[D], as U = s + D. The squared error is Var D."""
    systems: tuple[PoissonSum | NegativeBinomialSum, ...] = (
        PoissonSum(Fraction(7)),
        NegativeBinomialSum(Fraction(2), Fraction(1, 3)),
    )
    laws = (Fraction(7), NegativeBinomial(Fraction(2), Fraction(1, 3)).variance)
    for system, variance in zip(systems, laws, strict=True):
        rmse = system.accuracy(3).rmse
        step(rmse.low**2 <= variance <= rmse.high**2, "the squared error is Var D")
    for part, n, s in product(PARTS, USERS, (0, 1)):
        noise = total(part, n)
        mean = sum(k * p for k, p in noise.items())
        seen = {s + k: p for k, p in noise.items()}
        errors = {u - mean - s: p for u, p in seen.items()}
        step(errors == {k - mean: p for k, p in noise.items()}, "D - E[D]")
    evidence = ("(s + D) - E[D] - s = D - E[D]", "the systems' squared error is Var D")
    return finding("proved", "all D with a mean, all data and n", *evidence)


@statement("GKMP Obs 10", "3", "E[#messages]<=Delta+E[D]/n")
def observation_10() -> Finding:
    """A user on x sends x + Z messages; n E[Z] = E[D] by linearity, and x <= Delta."""
    for part, n, sensitivity in product(PARTS, USERS, (1, 2)):
        given = distributed(part, sensitivity)
        share = sum(k * p for k, p in total(part, n).items()) / n
        sent = {int(x): sum(len(send) * p for send, p in row.items()) for x, row in given.rows.items()}
        step(sent == {x: x + share for x in sent} and max(sent) == sensitivity, "x + E[D]/n")
    for n in (1, 1000):
        most = PoissonSum(Fraction(7), 2).accuracy(n).expected_messages
        step(most == exactly(2 + Fraction(7, n)), "the system's")
    evidence = ("a user on x sends x + E[D]/n, with equality at x = Delta", "the systems' expected messages are that")
    return finding("proved", "all D with a mean, all Delta and n", *evidence)


# The correlated mechanism --------------------------------------------------------------------------------------------


def correlated(one: Law, two: Law, three: Law) -> Randomizer:
    """The table of GKMP Algorithm 3 where these are the laws of one user's Z1, Z2 and Z3."""
    rows: dict[int, dict[Messages, Fraction]] = {}
    for x in (0, 1):
        runs = product(one.items(), two.items(), three.items())
        rows[x] = gathered((("+",) * (x + a + c) + ("-",) * (b + c), p * q * r) for (a, p), (b, q), (c, r) in runs)
    return Randomizer.of(rows)


def seen(s: int, laws: tuple[Law, ...]) -> Words:
    """The law of (s + Z1 + Z3, Z2 + Z3)."""
    runs = product(*(law.items() for law in laws))
    return gathered(((str(s + a + c), str(b + c)), p * q * r) for (a, p), (b, q), (c, r) in runs)


@statement("GKMP Alg 3/4", "4", "send x+Z1+Z3 '+1', Z2+Z3 '-1'; output U+ - U- - E[D1-D2]")
def algorithms_3_4() -> Finding:
    """A multiset of two kinds of messages is a pair of numbers, (s + Z1 + Z3, Z2 + Z3), all users' noises summed."""
    count = 0
    for parts, n, t in product(product(PARTS[:2], repeat=3), (1, 2), POWERS):
        laws = tuple(total(part, n) for part in parts)
        views = seen(0, laws), seen(1, laws)
        expected = max(hockey_stick(P, Q, t) for P, Q in (views, views[::-1]))
        step(delta(correlated(*parts), n, Eps.log(t)).delta == expected, f"delta, n = {n}, t = {t}")
        count += 1
    step(Correlated(Fraction(1, 2), Fraction(1), Fraction(1, 2)).analyze({"+1": 9, "-1": 4}, 7) == 5, "U+ - U-")
    evidence = (
        f"{count} values of delta over all datasets are those of (s + Z1 + Z3, Z2 + Z3), s = 0 and 1, both directions",
        "the analyzer returns U+ - U-, and E[D1 - D2] is 0 for D1 = D2",
    )
    return finding("proved", "all infinitely divisible D1, D2, D3 on 0, 1, ..., all n", *evidence)


@statement("GKMP Obs 16", "4", "error=(D1-D2)-E")
def observation_16() -> Finding:
    """(s + Z1 + Z3) - (Z2 + Z3) - E[D1 - D2] - s = (Z1 - Z2) - E[D1 - D2]: Z3 cancels."""
    from sympy import expand, symbols

    s, z1, z2, z3, mean = symbols("s z1 z2 z3 mean")
    step(expand((s + z1 + z3) - (z2 + z3) - mean - s - (z1 - z2 - mean)) == 0, "Z3 cancels")
    q = Fraction(1, 3)
    rmse = Correlated(q, Fraction(5), Fraction(1, 2)).accuracy(4).rmse
    step(rmse.low**2 <= DiscreteLaplace(q).variance <= rmse.high**2, "the system's error is that of DLap")
    evidence = ("Z3 cancels", "the squared error is Var D1 + Var D2")
    return finding("proved", "all D1, D2, D3 with means, all data and n", *evidence)


@statement("GKMP Obs 17", "4", "E[#]<=1+(E D1+E D2+2E D3)/n")
def observation_17() -> Finding:
    """A user on x sends x + Z1 + Z3 messages +1 and Z2 + Z3 messages -1; n E[Zi] = E[Di], and x <= 1."""
    for parts, n in product(product(PARTS, repeat=3), (1, 2)):
        means = [sum(k * p for k, p in total(part, n).items()) for part in parts]
        rows = correlated(*parts).rows
        sent = {x: sum(len(send) * p for send, p in row.items()) for x, row in rows.items()}
        step(sent["1"] == 1 + (means[0] + means[1] + 2 * means[2]) / n == sent["0"] + 1, "1 + ... / n")
    q, r, p = Fraction(1, 3), Fraction(5), Fraction(1, 2)
    found = Correlated(q, r, p).accuracy(10).expected_messages
    step(found == exactly(1 + (2 * q / (1 - q) + 2 * r * p / (1 - p)) / 10), "the system's")
    evidence = ("with equality for a user on 1", "the system's as well")
    return finding("proved", "all D1, D2, D3 with means, all n", *evidence)
