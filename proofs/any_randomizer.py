"""After Balle, Bell, Gascon & Nissim 2019, Lemma 5.3: one bound for all (eps0, delta0)-private randomizers.

The proof in words is in verify/CERTIFICATE.md, "Any randomizer"; here its algebra is carried out, with
E = e^eps0 and a = e^eps as unknowns, and its conclusion is compared with exact divergences of small randomizers.
"""

from fractions import Fraction
from itertools import product
from typing import Any

from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.any_ldp import AnyLDP, responses
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.reduction import worst_delta

# (E, a) of the exact comparisons, and the weights of outputs of ratios (u, v, w) = 1 or E that are tried
SMALL = ((Fraction(2), Fraction(1)), (Fraction(3), Fraction(2)), (Fraction(5), Fraction(3, 2)))
QUOTED = (("4", 10**4, "1/5", "1.0078e-3", "1.0659e-3"),)


def kept_mean(law: Any, value: Any) -> bool:
    """Whether a law, as (weight, value) pairs of any total weight, has this mean."""
    from sympy import simplify

    total = sum(weight for weight, _ in law)
    return bool(simplify(sum(weight * v for weight, v in law) - total * value) == 0)


def splitting() -> None:
    """Step 2: (u, v) = s (E, 1) + t (1, 1) for u >= v >= u / E, L keeps its mean, and the totals are equal."""
    from sympy import simplify, solve, symbols

    E, a, d, f, u, v = symbols("E a d f u v", positive=True)
    s, t = (u - v) / (E - 1), (E * v - u) / (E - 1)
    step(simplify(s * E + t - u) == 0 and simplify(s + t - v) == 0, "the parts sum to (u, v)")
    step(simplify(s + t / E - u / E) == 0, "and to c = u / E")
    inside = {u: d + v, E: 1 + f}  # u = v + d; then s >= 0, and t >= 0 is E v >= u
    step(never_negative(s.subs(inside), d, f, v), "s >= 0")
    step(never_negative(t.subs({E: 1 + f, u: E * v - d}).subs(E, 1 + f), d, f, v), "t >= 0")
    step(kept_mean([(s, E - a), (t / E, E * (1 - a))], (u - a * v) / (u / E)), "the mean of L, u >= v")
    back = [(s, 1 - a * E), (t / E, E * (1 - a))]  # u and v exchanged
    step(kept_mean(back, (v - a * u) / (u / E)), "the mean of L, v > u")
    p, q, r = symbols("p q r")
    [found] = solve([p * E + q + r - 1, p + q * E + r - 1], [p, q], dict=True)
    step(simplify(found[p] - found[q]) == 0 and simplify(1 - (E + 1) * found[p] - r) == 0, "p = p' = (1 - r)/(E + 1)")
    step(simplify(1 - 2 * p - (1 - (E + 1) * p) / E - (1 - 1 / E) * (1 - p)) == 0, "what is left is no less than 0")


def ordering() -> None:
    """Step 4: M is below L in convex order: equal means, and E max(L - x, 0) - E max(M - x, 0) >= 0."""
    from sympy import simplify, symbols

    E, a, x, y, b, d = symbols("E a x y b d")
    mean = ((E - a) + (1 - a * E)) / (E + 1)
    step(simplify(mean - (1 - a)) == 0 and simplify(E * (1 - a) / E - (1 - a)) == 0, "both have mean 1 - a")
    step(simplify(E * (1 - a) - (1 - a * E) - (E - 1)) == 0, "1 - aE <= E (1 - a) for E >= 1")
    above = ((E - a - x) + (E - 1) * (-x)) / (E + 1)  # for 1 - aE <= x <= 0 <= E - a
    below = (1 - 1 / E) * (-x)  # for E (1 - a) <= x <= 0
    gap = simplify(above - below)
    step(simplify(gap - (E * (E - a) - x) / (E * (E + 1))) == 0, "the gap")
    step(never_negative(gap.subs({x: -y, E: 1 + b + d}).subs(a, 1 + b), y, b, d), "the gap is >= 0 for a <= E, x <= 0")


def counting() -> None:
    """Step 1: C(n-1, k) / (k + 1) = C(n, k + 1) / n; and c = max(u, v)/E is at most u, of mass at most 2/(E + 1)."""
    from sympy import binomial, combsimp, simplify, symbols

    n, k, E = symbols("n k E", positive=True)
    step(combsimp(binomial(n - 1, k) / (k + 1) * n / binomial(n, k + 1)) == 1, "averaging over k")
    share = 1 / (
        E + 1
    )  # Pr_P - Pr_Q of {u > v} is at most (E - 1)/(E + 1): x - y <= that for x <= E y, 1 - y <= E (1 - x)
    step(simplify((1 + (E - 1) * share) / E - 2 * share) == 0, "the mass of c")


def additive() -> None:
    """delta0 > 0: three parts of delta0/E for each of n - 1 users, in P and a times in Q, and delta0 of the user."""
    from sympy import simplify, symbols

    E, a, n, share = symbols("E a n share", positive=True)
    missing = (share + share + share) / E
    stated = share * (1 + 3 * (1 + a) * (n - 1) / E)
    step(simplify(share + (1 + a) * (n - 1) * missing - stated) == 0, "the additive term")
    for E0, a0 in SMALL:
        for users, part in product((1, 2, 3), (Fraction(1, 1000), Fraction(1, 10))):
            system, at = AnyLDP(Eps.log(E0), part), Eps.log(a0)
            found = worst_delta(system.reach(users), at).value
            for others in ("0", "2"):
                values = 3 if others == "2" else 2
                real = delta(responses(values, E0, part, others), users, at, "shuffled").delta
                step(
                    isinstance(real, Delta) and real <= found.high, f"E = {E0}, a = {a0}, n = {users}, delta0 = {part}"
                )


def extremes(E: Fraction) -> list[Randomizer]:
    """Randomizers of three rows, whose outputs have ratios 1 or E: the vertices of their weights, exactly."""
    from sympy import Matrix, Rational

    ratios = [r for r in product((Fraction(1), E), repeat=3) if len(set(r)) > 1]
    found = {}
    for chosen in product(ratios, repeat=3):
        columns = Matrix([[Rational(r[i].numerator, r[i].denominator) for r in chosen] for i in range(3)])
        if len(set(chosen)) < 3 or columns.det() == 0:
            continue
        weights = columns.LUsolve(Matrix([1, 1, 1]))
        if all(w >= 0 for w in weights):
            kept = [(r, Fraction(int(w.p), int(w.q))) for r, w in zip(chosen, weights, strict=True) if w]
            found[tuple(sorted(kept))] = kept
    return [
        Randomizer.of({x: {f"y{i}": w * r[x] for i, (r, w) in enumerate(kept)} for x in range(3)})
        for kept in found.values()
    ]


@statement(
    "BBGN Lemma 5.3, for all randomizers",
    "5.3",
    "R any (eps0,delta0)-DP, E=e^eps0, a=e^eps: delta <= (1/n) E max(L_1+...+L_n,0) + "
    "delta0(1+3(1+a)(n-1)/E), L = E-a, 1-aE w.p. 1/(E+1) each, else 0",
    name="ANY-randomizer",
)
def theorem() -> Finding:
    """Steps 1 to 4 and the additive term, and then the bound against exact divergences.

    With E = 2, 3, 5 and n = 1, 2, 3, all randomizers of three inputs whose outputs have ratios 1 and E, at the vertices
    of their weights: the largest delta(eps) over all datasets is at most the bound, which is attained for n = 1.
    """
    splitting()
    ordering()
    counting()
    additive()
    count = 0
    for E, a in SMALL:
        some = extremes(E)
        for n in (1, 2, 3):
            high = worst_delta(AnyLDP(Eps.log(E)).reach(n), Eps.log(a)).value.high
            worst = [delta(one, n, Eps.log(a)).delta for one in some]
            step(all(isinstance(value, Delta) and value <= high for value in worst), f"E = {E}, a = {a}, n = {n}")
            if n == 1:
                step(0 <= high / ((E - a) / (E + 1)) - 1 < Fraction(1, 10**5), "n = 1: the local bound")
            count += len(worst)
    evidence = (
        "splitting, Jensen, totals, convex order, averaging over k, additive term: exact algebra in E, a, n",
        f"{count} exact worst cases of vertices, n <= 3, none above the bound; n = 1 attains it",
        "words: densities on any measurable space, Jensen for kernels (verify/CERTIFICATE.md)",
    )
    return finding("proved", "all eps0 >= 0, eps >= 0, delta0, n >= 1; all randomizers, finite or not", *evidence)


@statement(
    "BBGN Lemma 5.3, for all randomizers, numbers",
    "5.3",
    "attained within 6 % at n = 10^4, eps0 = 4, eps = 1/5",
    name="ANY-randomizer-numbers",
)
def numbers() -> Finding:
    """The bound, next to real randomizers of the same eps0, at points for which floats had been quoted."""
    shown = []
    for eps0, n, eps, low, high in QUOTED:
        value = worst_delta(AnyLDP(Eps.of(eps0)).reach(n), Eps.of(eps)).value
        step(abs(value.low / Fraction(low) - 1) < Fraction(1, 10**4), f"lower end at {eps0}, {n}")
        step(abs(value.high / Fraction(high) - 1) < Fraction(1, 10**4), f"upper end at {eps0}, {n}")
        shown.append(f"eps0 = {eps0}, n = {n}, eps = {eps}: [{low}, {high}]")
    return finding("holds on a grid", "eps0 = 4, n = 10^4, eps = 1/5", *shown)
