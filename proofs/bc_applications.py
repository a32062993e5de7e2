"""Balcer & Cheu 2020, Section 3.3: support identification, and the sample complexity of Claim 14, with constants.

H has h items; n users hold independent uniform samples of it. L stands for ln(4/delta) and l for ln(1/delta): for
(eps, delta) the histogram runs with eps/2 and delta/2 (Theorem 12), and then errs by at most t/n with chance 1/(200 h),

    t = 200 L / eps^2 + (2 / eps) sqrt(200 L ln(400 h)).
"""

from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import ceil, comb, factorial

from flint import arb, fmpq, fmpq_poly

from shufflecert.proofs.bc_binary_sum import failure_bound, theorem_11_ii
from shufflecert.proofs.bc_histogram import union
from shufflecert.proofs.lemmas import certainly, chernoff, never_negative
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.pointer_chasing import PointerChasing
from shufflecert.protocols.pointer_jumping import PointerJumping
from shufflecert.protocols.support_identification import SupportIdentification, threshold
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.randomizer import binomial
from shufflecert.verify.exact.rational import ball, dyadic, precision

SAMPLES = 7700  # n <= SAMPLES h l / eps^2 users are enough, for all h >= 1
COUPONS = 70  # n <= COUPONS k h ln h, for h >= 2
HALF = Fraction(1, 2)


@statement("BC Def 13", "3.3", "(h,d)-support identification, success 99/100")
def definition_13() -> Finding:
    """The engine's failure probability for (h, d) = (2, 3) is Definition 13's, by enumeration of samples and noise."""
    p, compared = Fraction(24, 25), 0
    for n in (4, 8, 12):
        system = SupportIdentification(2, 3, p)
        noise, right = binomial(n, p), Fraction(0)
        for c in range(n + 1):
            for (x, v), (y, w) in product(noise.items(), repeat=2):
                for z in (0, n):  # what the item outside H can do at most
                    found = system.analyze({"1": c + x, "2": n - c + y, "3": z}, n)
                    step(3 not in found, "nothing outside H is chosen")
                right += v * w * Fraction(comb(n, c), 2**n) * (found == (1, 2))
                compared += 1
        failure = system.accuracy(n, HALF).failure_probability
        step(failure is not None and failure.low <= 1 - right <= failure.high, f"n = {n}: {1 - right}")
    return finding(
        "proved",
        "definition; h = 2, d = 3, n = 4, 8, 12, p = 24/25",
        f"{compared} outcomes of samples and noise, each analyzed: the engine's failure probability is exact",
    )


@statement("BC Claim 14", "3.3", "eps in(0,1], delta<(1/200h)^{1/25}: n=O(h log h log(1/delta)/eps^2)")
def claim_14() -> Finding:
    """n = h max(2 (2t + 1), 8 ln(200 h)) users, rounded up, are at most 7700 h l / eps^2: without the factor log h.

    E_samp by `coupons` with k = 2t + 1, E_priv by Theorem 11(ii) for h items (`union`, footnote 3), whose conditions
    are (delta/2)^25 <= 1/(200 h) and n >= 400 L / eps^2: n >= 4t >= 800 L / eps^2. delta < (1/(200 h))^(1/25) is
    25 l > ln(200 h), so ln h costs nothing beside l. As h log h >= h ln 2 for h >= 2 the printed bound follows; at
    h = 1 it is 0, and a sample is needed.
    """
    theorem_11_ii()
    failure_bound()
    coupons()
    separation()
    union(2, 2)
    step(certainly(lambda: 4 * sample_constants()[2] >= 200), "8 ln(200 h) is the smaller")
    step(certainly(lambda: 4 * sample_constants()[2] + 3 * 25 / arb(200).log() <= SAMPLES), f"constant {SAMPLES}")
    shown = []
    for h, delta in ((1, HALF), (2, HALF), (3, Fraction(1, 10))):
        with precision(128):
            n = int(dyadic((SAMPLES * h * (-ball(delta).log())).lower()))
            q = dyadic((200 * ball(4 / delta).log() / n).upper())
        found = SupportIdentification(h, 10**6, 1 - q).accuracy(n, HALF).failure_probability
        step(found is not None and found.high <= Fraction(1, 100), f"h = {h}, delta = {delta}")
        assert found is not None
        shown.append(f"h = {h}, delta = {delta}, n = {n}: fails with at most {float(found.high) or 1e-300:.2g}")
    return finding(
        "proved",
        "all eps in (0, 1], delta < (1/(200 h))^(1/25), d, h >= 2; and n <= 7700 h ln(1/delta) / eps^2, without log h, "
        "for all h >= 1 (as printed it is 0 at h = 1)",
        "n = ceil(h max(4t + 2, 8 ln(200 h))), t = 200 ln(4/delta)/eps^2 + (2/eps) sqrt(200 ln(4/delta) ln(400 h))",
        "ln(200 h) < 25 ln(1/delta) is the claim's own condition: the factor log h is not needed",
        f"the engine at eps = 1, d = 10^6: {'; '.join(shown)}",
    )


def separation(shift: int = 1) -> None:
    """Frequencies of at least (2t + 1)/n and 0, errors of at most t/n: estimates of at least (t + 1)/n, at most t/n."""
    from sympy import symbols

    t, over, slack = symbols("t over slack", nonnegative=True)
    estimate = (2 * t + 1 + over) - (t - slack)  # in users: a frequency of at least 2t + 1, an error of at most t
    step(never_negative(estimate - (t + shift), t, over, slack), "items of H are chosen")
    step(((t + shift) - t).is_positive, "others are not")


@statement(
    "BC Claim 14 proof 'delta > (1/200h)^{1/25}'",
    "3.3",
    "need beta=1/200 >= h delta^25",
    name="BC-claim-14-proof-delta-1-200h-1",
)
def accuracy_condition() -> Finding:
    """beta = 1/200 >= h delta^25 is delta <= (1/(200 h))^(1/25): the claim's "<", not the ">" that its proof prints.

    x -> x^25 grows on [0, 1]. For delta above it, h delta^25 > 1/200, and Theorem 12's condition fails.
    """
    from sympy import Rational, Symbol, diff, simplify

    x, h = Symbol("x", positive=True), Symbol("h", positive=True)
    step(diff(x**25, x).is_positive, "x^25 grows")
    edge = (1 / (200 * h)) ** Rational(1, 25)
    step(simplify(h * edge**25 - Rational(1, 200)) == 0, "equality at the edge")
    above, below, size = Fraction(9, 10), Fraction(7, 10), 3
    step(size * above**25 > Fraction(1, 200) >= size * below**25, "h = 3: delta = 9/10 and 7/10")
    return finding(
        "misprint",
        '"delta > (1/200h)^(1/25)" in the proof is "<" (as in the claim): all h',
        "h delta^25 <= 1/200 just for delta <= (1/(200 h))^(1/25)",
        "h = 3, delta = 9/10: 3 delta^25 = 0.215... > 1/200",
    )


def coupon_chance(n: int, h: int, k: int) -> Fraction:
    """Pr[n uniform samples of h items hold each at least k times]: n! / h^n times the coefficient of z^n."""
    one = fmpq_poly([0] * k + [fmpq(1, factorial(j)) for j in range(k, n + 1)])
    power = fmpq_poly([1])
    for _ in range(h):
        power = (power * one).truncate(n + 1) if hasattr(power, "truncate") else power * one
    c = power[n] * factorial(n) / fmpq(h) ** n
    return Fraction(int(c.p), int(c.q))


def enough(h: int, k: int) -> int:
    """ceil(h max(2k, 8 ln(200 h)))."""
    with precision(128):
        return max(2 * k * h, ceil(dyadic((8 * h * ball(200 * h).log()).upper())))


@statement("BC Claim 14 proof threshold", "3.3", "E_samp: freq>=(2t+1)/n, output items with estimate>=(t+1)/n")
def proof_threshold() -> Finding:
    """`separation`: with both events the items of estimate at least (t + 1)/n are exactly those of H."""
    separation()
    return finding(
        "proved", "all n, t >= 0, H", "2t + 1 - t = t + 1 in H, at most t outside; even 0 there, by Theorem 11(iii)"
    )


def sample_constants() -> tuple[arb, arb, arb]:
    """(a, b, c) with L <= a l, ln(400 h) <= b l, t <= c l / eps^2, where 25 l > ln(200 h) >= ln 200, eps <= 1."""
    least = arb(200).log() / 25  # of l
    a, b = 1 + arb(4).log() / least, 25 + arb(2).log() / least
    return a, b, 200 * a + 2 * (200 * a * b).sqrt()


@statement("BC Claim 14 coupon collector", "3.3", "n=O(k h log h) => each >=k times w.p. 199/200")
def coupons() -> Finding:
    """n = ceil(h max(2k, 8 ln(200 h))) samples are enough, and that is at most 70 k h ln h for h >= 2, k >= 1.

    An item's count is Bin(n, 1/h) with mean mu >= 2k: below k with at most e^(-mu/8) <= 1/(200 h) (Chernoff at half the
    mean); h items, 1/200. And 2k <= (2 / ln 2) k ln h, 8 ln(200 h) <= 8 (1 + ln 200 / ln 2) ln h. For h = 1 the
    printed k h log h is 0.
    """
    chernoff()
    step(certainly(lambda: ball(HALF) ** 2 / 2 >= ball(Fraction(1, 8))), "rate at half the mean")

    def constant() -> arb:
        return 8 * (1 + arb(200).log() / arb(2).log()) + 1 / (2 * arb(2).log())  # the last for the rounding up

    step(certainly(lambda: constant() <= COUPONS) and certainly(lambda: 2 / arb(2).log() <= COUPONS - 1), "constant")
    shown = []
    for h, k in ((1, 1), (2, 1), (2, 5), (3, 2), (5, 1)):
        n = enough(h, k)
        least = next(m for m in range(1, n + 1) if coupon_chance(m, h, k) >= Fraction(199, 200))
        shown.append(f"h = {h}, k = {k}: {least} of {n}")
    return finding(
        "proved",
        "all h >= 2, k >= 1: n <= 70 k h ln h; for all h >= 1 n = ceil(h max(2k, 8 ln(200 h))) (at h = 1 log h is 0)",
        "Chernoff at half the mean, and a union over h items",
        f"the least n that has it, by exact enumeration, of the n that the proof gives: {'; '.join(shown)}",
    )


@statement("BC fn 3", "3.3", "delta bound uses h not n")
def footnote_3() -> Finding:
    """At most h values occur, so at most h bins can err: beta >= h delta^25 does in place of n delta^25 (`union`)."""
    union(10**6, 3)
    union(3, 10**6)
    h, n, delta = 3, 10**4, Fraction(7, 10)
    step(h * delta**25 <= Fraction(1, 200) < n * delta**25, "h = 3, n = 10^4, delta = 7/10: only with h")
    return finding(
        "proved",
        "all data with at most h different values",
        "Theorem 12's proof sums over the bins that hold a user: at most min(h, n) of them",
    )


def spread(d: int, n: int = 10**4, q: Fraction = Fraction(1, 10)) -> int:
    """The least error in users that d counts with independent Bin(n, q) noise, none truncated, keep with 199/200."""
    noise, mean = Binomial(n, q), int(n * q)

    def keeps(t: int) -> bool:
        one = noise.survival(mean + t + 1) + noise.cdf(mean - t - 1)
        return (1 - (1 - one) ** d <= ball(Fraction(1, 200))) is True

    with precision(192):
        return bisect_left(range(n // 2), True, 1, key=keeps)


@statement("BC §3.3 [8] t", "3.3", "t=Omega((1/eps)sqrt(log d log 1/delta))")
def other_t() -> Finding:
    """[8]'s protocol is not in these documents. What can be checked: noise on all d counts makes t grow with d.

    The same binomial noise, without truncation at empty bins, beside the t of `support_identification`, which knows no
    d.
    """
    sizes = (10, 10**3, 10**6, 10**9)
    found = [spread(d) for d in sizes]
    step(all(one < other for one, other in pairwise(found)), "t grows with d")
    return finding(
        "not machine-checkable",
        "a lower bound on a protocol of a cited paper; shadow: n = 10^4, Bin(n, 1/10) noise on all of d counts",
        "Omega(sqrt(log d log(1/delta)) / eps) is about [8], whose protocol and analysis are cited only",
        f"least t kept with 199/200: {', '.join(f'd = {d}: {t}' for d, t in zip(sizes, found, strict=True))}",
        f"with truncation, h = 2, for every d: t = {threshold(10**4, 2, Fraction(9, 10))} suffices",
    )


@statement("BC Def 15/16", "3.3", "PC(k,l), MPJ(s,h)")
def definitions_15_16() -> Finding:
    """Whoever has the support has the answer: all instances with l <= 3, and all of MPJ(2, 2) and MPJ(3, 2).

    The definition is followed word by word and compared with the engine's analyzer on messages without noise.
    """
    chased = 0
    for size in (1, 2, 3):
        for a, b in product(permutations(range(1, size + 1)), repeat=2):
            sequence = [a[0]]
            for i in range(1, 6):
                sequence.append((b if i % 2 else a)[sequence[-1] - 1])
            seen = {f"{who}:{'-'.join(map(str, m))}": 9 for who, m in ((1, a), (2, b))}
            found = [PointerChasing(k, size, Fraction(1)).analyze(seen, 8) for k in range(1, 7)]
            step(found == sequence, f"{a}, {b}")
            chased += 1
    jumped = 0
    for s in (2, 3):
        for root, level in product(range(s), product(range(s), repeat=s)):
            seen = {f"1:{root}": 9, f"2:{'-'.join(map(str, level))}": 9}
            step(PointerJumping(s, 2, Fraction(1)).analyze(seen, 8) == (root, level[root]), "path")
            jumped += 1
    step(PointerChasing(1, 3, HALF).d == 2 * factorial(3) and PointerJumping(3, 2, HALF).d == 3 + 27, "values")
    return finding(
        "proved",
        "definitions; PC(k, l) for k <= 6, l <= 3, MPJ(s, 2) for s = 2, 3, all instances",
        f"{chased} pairs of permutations and {jumped} labellings: the support determines the answer",
    )
