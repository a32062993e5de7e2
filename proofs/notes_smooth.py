"""A reader's notes on Balcer & Cheu, the background: smooth laws, their Lemmas 2 and 3, and the reader's questions.

Their Lemma 3 is BC's Lemma 23; what holds of it for all parameters is proved in `proofs.bc_smooth`.
"""

from fractions import Fraction
from itertools import product
from math import prod

from shufflecert.proofs.bc_smooth import (
    SMALL,
    at,
    binomial,
    factors,
    laws_of_four,
    lemma_23,
    one_step,
    rough,
    tails_of_g,
)
from shufflecert.proofs.lemmas import chernoff, never_negative
from shufflecert.proofs.small import hockey_stick
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.verify.exact.randomizer import Messages

HALF = Fraction(1, 2)


@statement("NOTES smooth def", "1", "second form Pr[E<e^{|k'|eps}]>1-delta; 'prob within window [Y-k',Y+k']'")
def smooth_definition() -> Finding:
    """ "Pr[E < e^(|k'| eps)] > 1 - delta" is not the same as "Pr[E >= e^(|k'| eps)] <= delta": at equality it fails.

    The complement has >=. And the event is about one point at distance k', not about a window of that width.
    """
    law, power = [HALF, HALF], Fraction(2)  # Bin(1, 1/2), k' = 1
    event = rough(law, 1, power)
    step(event == HALF, "Pr[E >= 2] = 1/2 = delta: the first form holds")
    step(not (1 - event > 1 - HALF) and 1 - event >= 1 - HALF, "the second does not, with >= it does")
    for law in laws_of_four(5):
        for shift, delta in product((-1, 1), (Fraction(1, 5), HALF)):
            event = rough(law, shift, power)
            step((event <= delta) is (1 - event >= 1 - delta), "corrected")
    spread = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 4)]
    window = sum(at(spread, y) for y in range(0, 3))
    step(rough(spread, 1, power) == Fraction(1, 4) and window == Fraction(3, 4), "a point is not a window")
    return finding(
        "refuted",
        "Bin(1, 1/2), k' = 1, e^eps = 2, delta = 1/2; corrected: Pr[E < e^(|k'| eps)] >= 1 - delta, for all laws",
        "Pr[E >= 2] = 1/2 <= delta, but Pr[E < 2] = 1/2 is not above 1 - delta",
        "E compares Pr[Y' = Y] with Pr[Y' = Y + k'], one point; the chance of a window [Y - k', Y + k'] is another "
        "number",
        "and, as in BC Definition 21, k' = 0 must be left out",
    )


def joint_gap(law: list[Fraction], moves: tuple[int, ...], power: Fraction) -> Fraction:
    """delta at e^eps = power of independent noise `law` in every coordinate, against its shift by `moves`."""
    span = range(-2, len(law) + 2)
    P: dict[Messages, Fraction] = {}
    Q: dict[Messages, Fraction] = {}
    for y in product(span, repeat=len(moves)):
        key = tuple(map(str, y))
        P[key] = prod((at(law, v) for v in y), start=Fraction(1))
        Q[key] = prod((at(law, v + m) for v, m in zip(y, moves, strict=True)), start=Fraction(1))
    return hockey_stick(P, Q, power)


@statement(
    "NOTES Lemma 2",
    "1",
    "f: X^n->Z^m k-incremental, Delta-sensitive, iid (eps,delta,k)-smooth noise => (eps*Delta, delta*Delta)-DP",
)
def lemma_2() -> Finding:
    """Read with Delta the l1-sensitivity: at most Delta coordinates change, by k_j with |k_j| <= k, sum |k_j| <= Delta.

    If in no changed coordinate P(y_j) >= e^(|k_j| eps) P(y_j + k_j), the product of the ratios is below e^(Delta eps).
    So delta(Delta eps) is at most the chance that it is so in one of them, Delta delta at most. With Delta a bound on
    each coordinate alone the lemma is false.
    """
    from sympy import symbols

    count, spare = symbols("count spare", nonnegative=True)
    step(never_negative((count + spare) - count, count, spare), "as integers: coordinates that change <= sum |k_j|")
    compared = 0
    for law, moves, power in product(laws_of_four(3), ((1, 1), (1, -1), (2, 0), (2, 1)), (Fraction(2),)):
        changed = [m for m in moves if m]
        delta = max(rough(law, m, power ** abs(m)) for m in changed)
        bound = sum(map(abs, changed))
        step(joint_gap(law, moves, power**bound) <= bound * delta, f"{law}, {moves}")
        compared += 1
    law, power = [Fraction(w, 10) for w in (1, 2, 4, 2, 1)], Fraction(5, 2)
    delta = max(rough(law, 1, power), rough(law, -1, power))
    both = joint_gap(law, (1, 1), power)
    step(both > delta, "coordinate by coordinate")
    return finding(
        "proved",
        "Delta the l1-sensitivity (restored; the notes write |f(x) - f(x')|), integer-valued f, all eps, delta, k, m; "
        "false with Delta the largest change of one coordinate",
        "at most Delta coordinates change, and each is rough with probability <= delta: union bound",
        f"{compared} cases with two coordinates, exactly",
        f"largest-coordinate reading: (1, 2, 4, 2, 1)/10 twice, both moved by 1, e^eps = 5/2: {both} > {delta}",
        "the notes' k_j <= k is |k_j| <= k",
    )


@statement("NOTES Lemma 3", "1", "as BC Lem 23 but k<=alpha gamma/2")
def lemma_3() -> Finding:
    """k <= alpha gamma / 2 is at most 1/4, so no k' other than 0 is left: the n of alpha gamma n / 2 is missing.

    The notes' own proof has k <= alpha mu / 2 with mu = n gamma, and so has BC.
    """
    step(max(a * g / 2 for _, g, a in SMALL) == Fraction(1, 4), "alpha gamma / 2 <= 1/4")
    return finding(
        "misprint",
        "as printed: about no integer k >= 1; with k <= alpha gamma n / 2 it is BC Lemma 23",
        "alpha <= 1 and gamma <= 1/2 leave k <= 1/4",
        *lemma_23().evidence[1:],
    )


@statement("NOTES Lemma 3 G inclusion", "1", "k<=alpha mu/2 => G=[(1-a)mu+k,(1+a)mu-k] subset [(1-a/2)mu,(1+a/2)mu]")
def inclusion() -> Finding:
    """It is the other way round: k <= alpha mu / 2 makes G = [(1-a) mu + k, (1+a) mu - k] contain the shorter interval.

    Which is what the proof needs: Y outside G is then outside [(1 - a/2) mu, (1 + a/2) mu].
    """
    a, mu, k = HALF, 8, 1
    G, inner = ((1 - a) * mu + k, (1 + a) * mu - k), ((1 - a / 2) * mu, (1 + a / 2) * mu)
    step(k <= a * mu / 2 and [*G, *inner] == [5, 11, 6, 10], "alpha = 1/2, mu = 8, k = 1")
    step(not (inner[0] <= G[0] and G[1] <= inner[1]), "not a subset")
    tails_of_g()
    return finding(
        "refuted",
        "alpha = 1/2, mu = 8, k = 1: [5, 11], [6, 10]; corrected: G contains it, for all alpha, mu, k <= alpha mu / 2",
        "G is a subset only for k >= alpha mu / 2",
        "the union bound over the two Chernoff tails needs the superset",
    )


@statement("NOTES Lemma 3 Chernoff", "1", "Pr[Y>=(1+a/2)mu]<=e^{-a^2 mu/(8+2a)}, lower e^{-a^2 mu/8}")
def tails() -> Finding:
    """Chernoff at relative distance x = alpha / 2: x^2 / (2 + x) = alpha^2 / (8 + 2 alpha), x^2 / 2 = alpha^2 / 8."""
    chernoff()
    tails_of_g()
    return finding(
        "proved",
        "all n, gamma in [0, 1], alpha in [0, 1]",
        "Markov for e^(tY) and 1 + z <= e^z; the rates by two derivatives: (4x + 6x^2 + x^3) / ((1+x)(2+x)^3) >= 0",
        "gamma <= 1/2 is not needed here",
    )


@statement(
    "NOTES Lemma 3 Event formula",
    "1",
    "(1-g)^{k'}/y^{k'} * (y+1)..(y+k')/((n-y)..(n-y-k'+1)); k'<=0 variant with denominator y..(y-|k'|)",
)
def event_formula() -> Finding:
    """P(y) / P(y + 1) = (1 - g) (y + 1) / (g (n - y)) (`one_step`); a longer ratio is the product of |k'| such factors.

    So the printed y^(k') in the first denominator is gamma^(k'), and for k' < 0 the product y (y-1) ... ends with
    y - |k'| + 1: the printed one has a factor too many.
    """
    one_step()
    n, y, g = 9, 4, Fraction(1, 3)
    law = binomial(n, g)
    for k in range(1, 5):
        up = prod(Fraction(y + i, n - y - i + 1) for i in range(1, k + 1))
        down = prod(Fraction(n - y + i, y - i + 1) for i in range(1, k + 1))
        step(law[y] / law[y + k] == ((1 - g) / g) ** k * up, f"corrected, k' = {k}")
        step(law[y] / law[y - k] == (g / (1 - g)) ** k * down, f"corrected, k' = -{k}")
        step(law[y] / law[y + k] != (1 - g) ** k / Fraction(y) ** k * up, f"as printed, k' = {k}")
        if k < y:
            printed = Fraction(y) ** k / (1 - g) ** k * down / (y - k)
            step(law[y] / law[y - k] != printed, f"as printed, k' = -{k}")
    return finding(
        "misprint",
        "as printed: n = 9, y = 4, gamma = 1/3; corrected for all n, y, gamma, k'",
        "((1-gamma)/gamma)^k' (y+1)...(y+k') / ((n-y)...(n-y-k'+1)) for k' > 0",
        "(gamma/(1-gamma))^|k'| (n-y+1)...(n-y+|k'|) / (y...(y-|k'|+1)) for k' < 0",
    )


def counterexample() -> tuple[Fraction, Fraction]:
    """(the ratio, (1 + alpha)^k') at n = 8, gamma = alpha = 1/2, k = k' = 1, y = 5, the upper end of G."""
    n, g, a, k = 8, HALF, HALF, 1
    step(k <= a * g * n / 2, "k is allowed")
    y = (1 + a) * g * n - k
    step(y == 5 and (1 - a) * g * n + k <= y, "y = 5 is in G")
    law = binomial(n, g)
    return law[5] / law[6], (1 + a) ** k


@statement(
    "NOTES Lemma 3 'k'>=0: ratio<=(1+a)^{k'}'", "1", "intermediate inequality", name="NOTES-lemma-3-k-0-ratio-1-a"
)
def intermediate() -> Finding:
    """At the upper end of G the ratio is 2 > 3/2. What holds is ((1 - gamma) (1 + a) / (1 - (1 + a) gamma))^k'.

    That is above (1 + a)^k', and at most ((1 + a) / (1 - a))^k' for gamma <= 1/2 (`factors`): the conclusion stands.
    """
    from sympy import simplify, symbols

    ratio, bound = counterexample()
    step(ratio == 2 and bound == Fraction(3, 2), "2 against 3/2")
    factors()
    g, a = symbols("g a", positive=True)
    excess = (1 - g) - (1 - (1 + a) * g)
    step(simplify(excess - a * g) == 0, "(1 - gamma) / (1 - (1 + a) gamma) exceeds 1 by a gamma over its denominator")
    return finding(
        "refuted",
        "n = 8, gamma = alpha = 1/2, k = k' = 1, y = 5: 2 > 3/2; corrected: <= ((1-gamma)(1+alpha) / "
        "(1-(1+alpha)gamma))^k' <= ((1+alpha)/(1-alpha))^k', for all n, gamma <= 1/2, alpha < 1",
        "P(5)/P(6) = 2 for Bin(8, 1/2)",
        "(1-gamma) / (1-(1+alpha)gamma) > 1 always; for gamma = 1/2 the middle term is (1+alpha)/(1-alpha)",
    )


@statement("NOTES Q: products -> alpha", "1", "how products yield ((1+a)/(1-a))^{|k'|}")
def products() -> Finding:
    """Each of the |k'| factors is bounded by itself, at the end of G where it is largest: `factors`.

    Upwards ((1 - gamma) / gamma) v / (n + 1 - v) at v = (1 + a) mu; the n + 1 may be n, which leaves
    (1 - gamma) (1 + a) / (1 - (1 + a) gamma). That this is at most (1 + a) / (1 - a) is, multiplied out,
    a (1 - 2 gamma) >= 0: it is here that gamma <= 1/2 is used. Downwards alike.
    """
    from sympy import expand, symbols

    factors()
    g, a = symbols("g a")
    step(expand((1 - (1 + a) * g) - (1 - g) * (1 - a) - a * (1 - 2 * g)) == 0, "upwards: a (1 - 2 gamma)")
    step(expand((1 + a) * (1 - g) - (1 - (1 - a) * g) - a * (1 - 2 * g)) == 0, "downwards: a (1 - 2 gamma)")
    return finding(
        "proved",
        "all n, gamma in (0, 1/2], alpha in [0, 1), y in G, 0 < |k'| <= k",
        "upwards: y + i <= (1+alpha) mu for i <= k' <= k, each factor below (1-gamma)(1+alpha)/(1-(1+alpha)gamma)",
        "downwards: y - i + 1 > (1-alpha) mu, each factor below (1-(1-alpha)gamma)/((1-gamma)(1-alpha))",
        "both are at most (1+alpha)/(1-alpha): the differences are alpha (1 - 2 gamma) over positive denominators",
    )
