"""Balle, Bell, Gascon & Nissim 2019, Section 1.1.3: amplification of every eps0-private randomizer, with a constant.

The document has the statement without its formulas, restored as: for eps0 <= log(n / log(1/delta)) / 2 the shuffled
protocol is (eps, delta)-DP with eps = O(min(1, eps0) e^eps0 sqrt(log(1/delta) / n)). Here it is proved with 3 in the
place of the O, for delta <= 1/4.
"""

from fractions import Fraction

from flint import arb

from shufflecert.proofs.lemmas import BITS, one_plus, tanh_above
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rr import RR
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision
from shufflecert.verify.reduce.reduction import worst_delta

FACTOR, LARGEST = 3, Fraction(1, 4)  # in the place of the O; delta is at most that
LOCAL = (Fraction(11, 10), Fraction(2), Fraction(6))  # e^eps0
SIZES, BOUNDS = (1000, 100_000), (Fraction(1, 10**3), Fraction(1, 10**8))


def rate(power: Fraction, n: int, bound: Fraction) -> arb:
    """min(1, eps0) e^eps0 sqrt(log(1/delta) / n), eps0 = log(power)."""
    return ball(power).log().min(arb(1)) * ball(power) * (-ball(bound).log() / n).sqrt()


def keeps(system: RR | KRR, n: int, eps: arb, bound: Fraction) -> bool:
    """Whether it keeps a little less than eps, for all datasets."""
    at = Fraction(int(dyadic(eps.lower()) * 10**6), 10**6)
    return worst_delta(system.reach(n), Eps.of(at), enough=bound).value.high <= bound


def blanket_tail() -> None:
    """delta(eps) <= F e^-X, F = g b^2 (1 + e^eps)^2 / (4 e (e^eps - 1) n), X = n g (1 - e^-u), u = 2 t^2 / (g b)^2.

    Here b = e^eps0 - 1, t = tanh(eps/2), and g in [e^-eps0, 1] is the blanket's weight. The blanket lemma
    (verify/CERTIFICATE.md, "Blocks"; c = min over z of R(z), g its sum, so no message has c = 0) gives
    n delta <= E max(S, 0), S a sum of n independent terms, each l(y) = (R(x)(y) - e^eps R(x')(y)) / c(y) with
    probability c(y), else 0. As c <= R(z) <= e^eps0 c, l lies in an interval of width c0 = b (1 + e^eps), and given
    that it is not 0 its mean is -a / g, a = e^eps - 1. For s > 0: max(S, 0) <= e^(sS) / (e s), since v <= e^(v-1); and
    by Hoeffding's lemma E e^(s l) <= exp(-s a / g + s^2 c0^2 / 8), which is e^-u at s = 4 a / (g c0^2). So
    n delta <= (1 - g + g e^-u)^n / (e s) <= e^-X / (e s).

    Hoeffding: a law with mean 0 on an interval of width c0 has, by convexity, E e^(sl) <= e^phi(s c0), phi(v) = -p v +
    log(1 - p + p e^v); phi and phi' are 0 at 0, phi'' = w (1 - w) <= 1/4 for a w in [0, 1].
    """
    from sympy import Symbol, diff, exp, log, simplify, symbols

    one_plus()  # v <= e^(v - 1)
    v, p = Symbol("v", real=True), Symbol("p", positive=True)
    phi = -p * v + log(1 - p + p * exp(v))
    w = p * exp(v) / (1 - p + p * exp(v))
    step(phi.subs(v, 0) == 0 and simplify(diff(phi, v).subs(v, 0)) == 0, "phi and its slope are 0 at 0")
    step(simplify(diff(phi, v, 2) - w * (1 - w)) == 0, "phi'' = w (1 - w)")
    x = Symbol("x", real=True)
    step(simplify(Fraction(1, 4) - x * (1 - x) - (x - Fraction(1, 2)) ** 2) == 0, "w (1 - w) <= 1/4")
    a, g, c0, b, power = symbols("a g c0 b power", positive=True)
    s = 4 * a / (g * c0**2)
    step(simplify(-s * a / g + s**2 * c0**2 / 8 + 2 * a**2 / (g * c0) ** 2) == 0, "the exponent at its best s")
    width = b * (1 + power)
    t = (power - 1) / (power + 1)
    step(simplify((2 * a**2 / (g * c0) ** 2 - 2 * t**2 / (g * b) ** 2).subs(c0, width).subs(a, power - 1)) == 0, "u")
    prefactor = (1 / s).subs(c0, width).subs(a, power - 1)
    step(simplify(prefactor - g * b**2 * (1 + power) ** 2 / (4 * (power - 1))) == 0, "F, times e n")


def ends_suffice() -> None:
    """g (1 - e^(-z / g^2)) first rises in g and then falls: on [e^-eps0, 1] it is least at an end.

    Its derivative is 1 - (1 + 2u) e^-u at u = z / g^2, and (1 + 2u) e^-u is 1 at u = 0, rises up to 1/2, and falls to 0
    after that: so the derivative changes sign once in u, from minus to plus, and u falls in g.
    """
    from sympy import Symbol, diff, exp, limit, oo, simplify

    g, z, u = (Symbol(name, positive=True) for name in "gzu")
    slope = 1 - (1 + 2 * u) * exp(-u)
    step(simplify(diff(g * (1 - exp(-z / g**2)), g) - slope.subs(u, z / g**2)) == 0, "the derivative")
    step(simplify(diff(slope, u) - (2 * u - 1) * exp(-u)) == 0, "falls up to u = 1/2, rises after that")
    step(slope.subs(u, 0) == 0 and limit(slope, u, oo) == 1, "0 at u = 0, 1 in the end")


def falling() -> None:
    """(1 - e^-v) / v and tanh(v) / v fall in v > 0: 1 - e^-v and tanh are concave, and 0 at 0."""
    from sympy import Symbol, diff, exp, simplify, tanh

    v = Symbol("v", positive=True)
    step(diff(1 - exp(-v), v, 2).is_negative is True and (1 - exp(-v)).subs(v, 0) == 0, "1 - e^-v")
    step(simplify(diff(tanh(v), v, 2) + 2 * tanh(v) * (1 - tanh(v) ** 2)) == 0 and tanh(v).subs(v, 0) == 0, "tanh")


def rates() -> tuple[tuple[arb, arb], tuple[arb, arb]]:
    """((rho, C) of case A, (rho, C) of case B): X >= rho L and F <= C / L there, L = log(1/delta)."""
    K, e = ball(Fraction(FACTOR)), ball(Fraction(1)).exp()
    t = (arb(1) / 2).tanh()
    first = K**2 * (1 - (-2 * t**2 / (e - 1) ** 2).exp()), (e**2 - 1) ** 2 / (8 * e**2 * K**2)
    top = (K / 2).tanh() ** 2
    rho = ((2 - 2 / (e + 1) ** 2) * top).min(e * (1 - (-2 * top).exp()))
    return first, (rho, (K.exp() + 3 + 4 / K) / (4 * e))


@statement(
    "BBGN §1.1.3 amplification", "1.1.3", "restored: eps0<=log(n/log(1/d))/2 => eps=O((1^eps0)e^{eps0}sqrt(log(1/d)/n))"
)
def amplification() -> Finding:
    """Proof for all eps0 > 0, n, delta <= 1/4 with y = e^eps0 sqrt(L/n) <= 1: eps = 3 min(1, eps0) y, any randomizer.

    If eps >= eps0 the local promise suffices. Let eps < eps0, B = e^eps0, b = B - 1, K = 3; n = B^2 L / y^2. By
    `blanket_tail` delta(eps) <= F e^-X, by `ends_suffice` X >= min(X1, X2), X1 = n (1 - e^-u) and X2 = (n/B)
    (1 - e^(-u B^2)) with u = 2 t^2 / b^2; and F is largest at g = 1.

    A: eps0 <= 1. Then K y < 1. t >= tanh(1/2) eps (`tanh_above`) and b <= (e-1) eps0 (convexity), so u >= k y^2 with
    k = 2 (tanh(1/2) K / (e-1))^2. X1 >= B^2 L (1 - e^(-k y^2)) / y^2, which falls in y (`falling`): X1 >= K^2 B^2 L
    (1 - e^(-k/K^2)), and X2 >= K^2 B L (1 - e^(-k/K^2)). F <= ((e-1) eps0)^2 (1+e)^2 / (4 e eps n) = (e^2-1)^2 eps0 y /
    (4 e K B^2 L) <= (e^2-1)^2 / (8 e^2 K^2 L), as eps0 e^(-2 eps0) <= 1/(2e).

    B: eps0 > 1. t < tanh(eps0/2) = b / (B+1), so u < 2/(e+1)^2 and 1 - e^-u >= u (1 - u/2): X1 >= (2 - 2/(e+1)^2)
    (t/y)^2 L, X2 >= (B L / y^2) (1 - e^(-2 t^2)) with B > e; at t = tanh(K y / 2) both fall in y, so y = 1. With E =
    e^(Ky): F < y^2 (1+E)^2 / (4 e (E-1) L), and (1+E)^2 / (E-1) = E + 3 + 4/(E-1), y^2 (E + 3) <= e^K + 3, and
    4 y^2/(E-1) <= 4 y / K <= 4/K.

    So F e^-X <= (C/L) e^(-rho L) (`rates`), which is at most e^-L where log(C/L) <= (rho - 1) L: for L >= log 4, since
    the left side falls in L and the right one rises (rho > 1).
    """
    from sympy import E, Symbol, exp, simplify

    blanket_tail()
    ends_suffice()
    falling()
    tanh_above()
    z, q = Symbol("z", positive=True), Symbol("q", positive=True)
    step((exp(z) - 1).diff(z, 2).is_positive is True, "e^x - 1 is convex: below its chord (e-1) x on [0, 1]")
    step(simplify((z * exp(-2 * z)).diff(z) - (1 - 2 * z) * exp(-2 * z)) == 0, "x e^-2x is largest at 1/2: 1/(2e)")
    step(simplify((E - 1) ** 2 * (1 + E) ** 2 - (E**2 - 1) ** 2) == 0, "(e-1)(e+1)")
    step(simplify((1 + q) ** 2 / (q - 1) - (q + 3 + 4 / (q - 1))) == 0, "(1+E)^2/(E-1)")
    with precision(BITS):
        least = -ball(LARGEST).log()
        for name, (rho, most) in zip("AB", rates(), strict=True):
            step(bool(rho > 1), f"{name}: rho > 1")
            step(bool((most / least).log() <= (rho - 1) * least), f"{name}: at delta = {LARGEST}")
    count = compared()
    evidence = (
        "delta(eps) <= F e^-X by the blanket, e^(sS)/(es) in the place of max(S, 0), and Hoeffding's lemma",
        f"eps = {FACTOR} min(1, eps0) e^eps0 sqrt(log(1/delta)/n) suffices: X >= 1.2 L and F < 1 (eps0 <= 1), X >= "
        "1.5 L and F <= 2.3 / L (eps0 > 1), L = log(1/delta)",
        f"rr and krr, exact: {count} points of the regime keep it, over all datasets",
    )
    return finding(
        "proved",
        "all finite eps0-private randomizers (also of several messages), n, delta <= 1/4: constant 3",
        *evidence,
    )


def compared() -> int:
    """Binary and k-ary randomized response at points of the regime, by the engine: how many. Each must keep it."""
    count = 0
    for power in LOCAL:
        for n in SIZES:
            for bound in BOUNDS:
                with precision(96):
                    if not ball(power) ** 2 <= ball(Fraction(n)) / -ball(bound).log():
                        continue
                    eps = ball(Fraction(FACTOR)) * rate(power, n, bound)
                    step(keeps(RR(1 / (1 + power)), n, eps, bound), f"rr, e^eps0 = {power}, n = {n}, delta = {bound}")
                    gamma = Fraction(3) / (power + 2)  # 1 + 3 (1 - gamma)/gamma = power
                    if n == SIZES[0]:
                        step(keeps(KRR(3, gamma), n, eps, bound), f"krr, e^eps0 = {power}, delta = {bound}")
                    count += 1 + (n == SIZES[0])
    return count
