"""A reader's notes on Balcer & Cheu, the binary histogram: the square root of 5, the randomiser, and part II."""

from fractions import Fraction

from flint import arb

from shufflecert.proofs.bc_binary_sum import (
    GRID,
    alpha_below,
    alpha_prime,
    chernoff,
    error_split,
    failure_bound,
    theorem_11_ii,
)
from shufflecert.proofs.bc_privacy import noise
from shufflecert.proofs.lemmas import certainly, tanh_above
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.zsum import ZSum, worst_miss
from shufflecert.verify.exact.randomizer import binomial
from shufflecert.verify.exact.rational import ball


@statement("NOTES Q: why sqrt5", "2", "smallest integer m with tanh(e/2)>=e/sqrt m on [0,1]")
def why_5() -> Finding:
    """tanh(eps/2) >= eps / sqrt(m) on [0, 1] just where it holds at 1 (concavity): m >= 1 / tanh(1/2)^2 = 4.68...

    So 5 is the smallest integer, and 4 fails for every eps > 0, as tanh x < x.
    """
    tanh_above(5)
    step(certainly(lambda: (arb(1) / 2).tanh() < 1 / arb(4).sqrt()), "4 fails at eps = 1")
    low, high = Fraction("4.682"), Fraction("4.683")
    step(certainly(lambda: ball(low) < 1 / (arb(1) / 2).tanh() ** 2), "4.682 <")
    step(certainly(lambda: 1 / (arb(1) / 2).tanh() ** 2 < ball(high)), "< 4.683")
    return finding(
        "proved",
        "all eps in [0, 1]: the real m that serve are those >= 1/tanh(1/2)^2 = 4.682...",
        "5 is the smallest integer; sqrt(4.683) would do, and 4 fails at every eps > 0",
    )


@statement("NOTES 'Clearly eps/sqrt5>=alpha'", "2", "eps/sqrt5>=alpha")
def clearly() -> Finding:
    """It is reversed: alpha = tanh(eps/2) >= eps/sqrt(5) on [0, 1], equal at eps = 0 only (`tanh_above`)."""
    tanh_above()
    step(certainly(lambda: (arb(1) / 2).tanh() > 1 / arb(5).sqrt()), "eps = 1: 0.4621 > 0.4472")
    return finding(
        "refuted",
        "every eps in (0, 1]; corrected: eps/sqrt(5) <= alpha on [0, 1], as in BC",
        "eps = 1: alpha = 0.46211..., 1/sqrt(5) = 0.44721...",
        "the notes' own display (1) uses the right direction",
    )


@statement("NOTES n alpha gamma>=2", "2", "=10 sqrt5/eps ln(2/delta)>=10 sqrt5 ln 2=15.5")
def incremental() -> Finding:
    """n gamma = 50 L / eps^2, and alpha >= eps / sqrt(5): n alpha gamma >= 10 sqrt(5) L / eps >= 10 sqrt(5) ln 2 >= 2.

    The first is an equality for the smallest alpha that the bound allows. L = ln(2/delta) >= ln 2, eps <= 1.
    """
    from sympy import simplify, sqrt, symbols

    tanh_above()
    L, e = symbols("L e", positive=True)
    step(simplify(50 * L / e**2 * e / sqrt(5) - 10 * sqrt(5) / e * L) == 0, "50 / sqrt(5) = 10 sqrt(5)")
    low, high = Fraction("15.49"), Fraction("15.5")

    def least() -> arb:
        return 10 * arb(5).sqrt() * arb(2).log()

    step(certainly(lambda: least() >= ball(low)) and certainly(lambda: least() <= ball(high)), "15.5, rounded")
    step(low >= 2, "at least 2")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta)",
        "10 sqrt(5) ln(2/delta) / eps >= 10 sqrt(5) ln 2 = 15.49... >= 2",
    )


@statement("NOTES randomiser", "2", "1-p=50 ln(2/d)/(eps^2 n), z~Ber(p); later z~Ber(1-gamma), gamma=1-p")
def randomiser() -> Finding:
    """z ~ Ber(p) with 1 - p = 50 L / (eps^2 n), and z ~ Ber(1 - gamma) with gamma = 1 - p, are one law; log is ln.

    Both give n - Bin(n, gamma) coins in all: Bin(n, 1 - gamma) turned round.
    """
    from sympy import log, simplify, symbols

    e, n, d = symbols("e n d", positive=True)
    gamma = 50 / (e**2 * n) * log(2 / d)
    step(simplify((1 - (1 - gamma)) - gamma) == 0, "1 - gamma = p")
    step(simplify(gamma - 50 * log(2 / d) / (e**2 * n)) == 0, "BC's 1 - p")
    for p in (Fraction(1, 2), Fraction(5, 6)):
        row = {len(sent): w for sent, w in ZSum(p).randomizer().rows["0"].items()}
        step(row == {1: p, 0: 1 - p}, f"z ~ Ber(p), p = {p}")
        for n_ in (1, 4, 9):
            one, other = dict(binomial(n_, p).items()), dict(binomial(n_, 1 - p).items())
            step(one == {n_ - k: w for k, w in other.items()}, "Bin(n, p) = n - Bin(n, 1 - p)")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (50 / eps^2) ln(2/delta)",
        "gamma = 1 - p throughout, so Ber(p) = Ber(1 - gamma); the logarithm is the natural one, as in BC",
    )


@statement("NOTES Thm binHist", "2", "beta>delta^25 (paper >=); alpha never stated")
def theorem() -> Finding:
    """The notes never say what alpha is, so part 2 says nothing. With BC's alpha it holds, also for beta = delta^25."""
    theorem_11_ii()
    point = (400, "1", "1/10")
    beta = Fraction(point[2]) ** 25
    found = worst_miss(400, 1 - noise(*point), alpha_below(*point, beta))
    step(found.high <= beta, "beta = delta^25 itself")
    step(worst_miss(400, 1 - noise(*point), Fraction(1, 400)).low > beta, "some alpha must be named: 1/n is too small")
    return finding(
        "misprint",
        "alpha is not stated; with BC's alpha: all eps, delta in (0, 1], beta >= delta^25",
        '"beta > delta^25" is BC\'s beta >= delta^25 without its end, which holds too',
        f"n = 400, eps = 1, delta = 1/10, beta = delta^25: the worst dataset fails with {float(found.high):.2g}",
    )


@statement("NOTES Q: part II 'many typos'", "2", "part II of the proof has many typos")
def typos() -> Finding:
    """Every step of BC's proof of part (ii) is settled: one is misprinted, alpha = (1 - p) + alpha' for >=.

    The Chernoff bound and its condition hold (`chernoff`, `failure_bound`), both cases of the analyzer too
    (`error_split`); the equality is off by the factor sqrt(p) in alpha' (`alpha_prime`), on the safe side.
    """
    steps = {"alpha = (1 - p) + alpha'": alpha_prime().verdict, "the Chernoff bound": chernoff().verdict}
    failure_bound()
    error_split()
    step(list(steps.values()) == ["refuted", "proved"], "one slip")
    theorem_11_ii()
    for n, eps, bound, power in GRID:
        beta = max(Fraction(bound) ** power, Fraction(1, 10**60))
        alpha = alpha_below(n, eps, bound, beta)
        quarter = worst_miss(n, 1 - noise(n, eps, bound), alpha / 2)
        step(quarter.low > 0, "the failure probability is positive: the check can fail")
    return finding(
        "refuted",
        "BC's proof of Theorem 11(ii), its six steps; corrected: one slip, alpha >= (1 - p) + alpha' for =",
        "proved: the Chernoff bound; its condition on beta; |c - p - x| <= alpha' for c > 1; x <= (1 - p) + alpha' "
        "for c <= 1; the theorem",
        "refuted: alpha = (1 - p) + alpha' (a factor sqrt(p) is missing, harmlessly)",
    )
