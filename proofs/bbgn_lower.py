"""Balle, Bell, Gascon & Nissim 2019, Section 4.2: no single-message sum errs less than n^(1/3), lemma by lemma."""

from fractions import Fraction
from itertools import product
from random import Random

from shufflecert.proofs.bc_model import by_definition
from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.small import families, randomizer
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.verify.exact.randomizer import Randomizer, gathered
from shufflecert.verify.exact.rational import text

Table = list[list[Fraction]]  # a row for every input, a column for every message
POWERS = (Fraction(1), Fraction(2))  # e^eps


def joint_error(table: Table, prior: list[Fraction], inputs: list[Fraction], n: int) -> tuple[Fraction, Fraction]:
    """(least E (A - sum X)^2 over all analyzers of the multiset, that of the sum of posterior means), enumerated."""
    k, messages = len(inputs), len(table[0])
    seen: dict[tuple[int, ...], list[Fraction]] = {}
    means = []
    for y in range(messages):
        mass = sum(prior[x] * table[x][y] for x in range(k))
        means.append(sum(prior[x] * table[x][y] * inputs[x] for x in range(k)) / mass if mass else Fraction(0))
    step(all(0 <= mean <= 1 for mean in means), "posterior means lie in [0, 1]")
    ours = Fraction(0)
    for xs, ys in product(product(range(k), repeat=n), product(range(messages), repeat=n)):
        p = Fraction(1)
        for x, y in zip(xs, ys, strict=True):
            p *= prior[x] * table[x][y]
        total = sum(inputs[x] for x in xs)
        moments = seen.setdefault(tuple(sorted(ys)), [Fraction(0)] * 3)
        for order in range(3):
            moments[order] += p * total**order
        ours += p * (sum(means[y] for y in ys) - total) ** 2
    least = sum((m[2] - m[1] ** 2 / m[0] for m in seen.values() if m[0]), Fraction(0))
    return least, ours


@statement(
    "BBGN Lem 4.1",
    "4.2.1",
    "iid inputs: WLOG image [0,1], analyzer = sum (posterior mean), MSE not larger, DP preserved",
)
def lemma_1() -> Finding:
    """Replace every message y by E[X | R(X) = y], which lies in [0, 1] as X does, and add up.

    Among all functions of (Y_1, ..., Y_n), hence of the multiset, E[sum X_i | Y] is nearest to sum X_i in mean square
    (it is the projection); users are independent, so it is sum E[X_i | Y_i], a function of the multiset. Privacy: a map
    applied to every message commutes with the shuffler, so it is post-processing.
    """
    count = 0
    for columns in families(2, 2, 3):
        table = [[Fraction(c[x], sum(column[x] for column in columns)) for c in columns] for x in range(2)]
        for prior in ([Fraction(1, 2)] * 2, [Fraction(1, 3), Fraction(2, 3)]):
            for n in (1, 2, 3):
                least, ours = joint_error(table, prior, [Fraction(0), Fraction(1)], n)
                step(ours == least, f"posterior means are best, n = {n}")
                count += 1
    at = Fraction(3, 2)
    for columns in families(2, 3, 3):
        given = randomizer(columns)
        joined = {
            x: gathered((("0",) if y == ("0",) else ("1",), p) for y, p in row.items()) for x, row in given.rows.items()
        }
        deltas = [by_definition(one, "shuffled", 2, at) for one in (Randomizer.of(joined), given)]
        step(deltas[0] <= deltas[1], "a map of messages")
    evidence = (
        f"{count} priors, protocols and n: the least error of any analyzer is that of posterior means, exactly",
    )
    return finding("proved", "all protocols, priors on [0, 1] and n; enumerated for 2 inputs, n <= 3", *evidence)


@statement("BBGN Lem 4.2", "4.2.2", "restored: E[(sum R(X_i)-sum X_i)^2] >= n E[(R(X)-X)^2]")
def lemma_2() -> Finding:
    """With W_i = R(X_i) - X_i, independent and of one law: E (sum W_i)^2 = n E W^2 + n (n-1) (E W)^2 >= n E W^2.

    So it holds with equality for unbiased errors, and no bias needs to be taken away.
    """
    from sympy import expand, symbols

    n, second, mean = symbols("n second mean")
    variance = n * (second - mean**2) + (n * mean) ** 2
    step(expand(variance - n * second - n * (n - 1) * mean**2) == 0, "variance and mean of the sum")
    random = Random(1)
    for size in (2, 3):
        law = [(Fraction(random.randint(-5, 5), 3), Fraction(1, 3)) for _ in range(3)]
        moments = [sum(p * w**order for w, p in law) for order in (1, 2)]
        total = sum(sum(w for w, _ in draw) ** 2 * Fraction(1, 3) ** size for draw in product(law, repeat=size))
        step(total == size * moments[1] + size * (size - 1) * moments[0] ** 2, f"enumerated, n = {size}")
    return finding("proved", "all n and R; the reading: >= n E (R(X) - X)^2", "n (n-1) (E W)^2 >= 0 is what is left")


@statement("BBGN Lem 4.3", "4.2.2", "restored: sum_{a in I, a!=b}(|a-b|-1/(2k))^2 >= (k/48)(1-1/k^2)")
def lemma_3() -> Finding:
    """Midpoints are 1/k apart: |a - b| - 1/(2k) = (|i-j| - 1/2)/k >= |i-j|/(2k) for i != j (`aux`).

    So the sum is at least (1/(4k^2)) sum over j of (i-j)^2 >= (1/(4k^2)) k (k^2-1)/12 = (k/48) (1 - 1/k^2).
    """
    from sympy import Symbol, simplify

    aux()
    k = Symbol("k", positive=True)
    step(simplify(k * (k**2 - 1) / 12 / (4 * k**2) - k / 48 * (1 - 1 / k**2)) == 0, "the constant")
    least = None
    for size in range(2, 30):
        points = [Fraction(2 * h + 1, 2 * size) for h in range(size)]
        found = min(sum((abs(a - b) - Fraction(1, 2 * size)) ** 2 for a in points if a != b) for b in points)
        bound = Fraction(size, 48) * (1 - Fraction(1, size**2))
        step(found >= bound, f"k = {size}")
        least = min(least or found / bound, found / bound)
    assert least is not None
    evidence = (
        "(|i-j| - 1/2)^2 >= |i-j|^2/4, then the sum of squares",
        f"k = 2..29: at least {text(least)} of it, at k = 3",
    )
    return finding("proved", "all k >= 1 and all midpoints b", *evidence)


@statement("BBGN Lem 4.3 aux", "4.2.2", "(u-1/2)^2>=u^2/4 for u>=1; sum_j (i-j)^2>=k(k^2-1)/12")
def aux() -> Finding:
    """u - 1/2 >= u/2 >= 0 for u >= 1, squared. sum over j = 1..k of (i-j)^2 = k(k^2-1)/12 + k (i - (k+1)/2)^2."""
    from sympy import Rational, Symbol, expand, simplify, summation

    u, k, i = Symbol("u", nonnegative=True), Symbol("k", positive=True), Symbol("i")
    j = Symbol("j", integer=True)
    v = u + 1
    step(never_negative((v - Rational(1, 2)) ** 2 - v**2 / 4, u), "(u - 1/2)^2 >= u^2/4")
    total = summation((i - j) ** 2, (j, 1, k))
    rest = k * (k**2 - 1) / 12 + k * (i - (k + 1) / 2) ** 2
    step(simplify(total - rest) == 0, "the sum of squares")
    for size in range(1, 8):
        spelled = sum((i - h) ** 2 for h in range(1, size + 1))
        step(expand(total.subs(k, size) - spelled) == 0, "the sum's meaning")
    return finding("proved", "all u >= 1, k >= 1, real i", "a square is what is left: k (i - (k+1)/2)^2 >= 0")


@statement("BBGN Lem 4.4", "4.2.2", "restored: E[(R(X)-X)^2]>=sum_b min{(1-p_bb)/(4k^3), (1-1/k^2) min_{a!=b}p_ab/48}")
def lemma_4() -> Finding:
    """X uniform on the k midpoints. Outside b's own interval the error is at least 1/(2k): the first bound.

    E (R(X) - X)^2 >= (1/k) sum over b of (1 - p_bb)/(4k^2) = sum over b of A_b, A_b = (1 - p_bb)/(4k^3). In b's
    interval for X = a it is at least |a-b| - 1/(2k) >= 0: E >= (1/k) sum over a != b of p_ab (|a-b| - 1/(2k))^2
    >= sum of B_b, B_b = min p_ab (1 - 1/k^2)/48 by Lemma 4.3. And E >= max(sum A, sum B) >= sum min(A_b, B_b).
    """
    lemma_3()
    random = Random(7)
    for size in (2, 3, 4):
        points = [Fraction(2 * h + 1, 2 * size) for h in range(size)]
        for _ in range(40):
            spots = [(h, Fraction(random.randint(0, 12), 12 * size)) for h in range(size)]  # a place in each interval
            rows = [[Fraction(random.randint(0, 6)) + (h == a) for h in range(size)] for a in range(size)]
            rows = [[w / sum(row) for w in row] for row in rows]
            error = sum(
                p * (Fraction(h, size) + place - points[a]) ** 2 / size
                for a, row in enumerate(rows)
                for p, (h, place) in zip(row, spots, strict=True)
            )
            bound = sum(
                min(
                    (1 - rows[b][b]) / (4 * size**3),
                    (1 - Fraction(1, size**2)) * min(rows[a][b] for a in range(size) if a != b) / 48,
                )
                for b in range(size)
            )
            step(error >= bound, f"a randomizer, k = {size}")
    evidence = ("both bounds, then max of sums >= sum of mins", "120 random randomizers, k = 2, 3, 4, exactly")
    return finding("proved", "all randomizers into [0, 1], k >= 2", *evidence)


@statement("BBGN Lem 4.5", "4.2.2", "restored: delta<1/2 => p_bb<1-e^{-eps}/2 or p_ab>=(1/n)(1/2-delta)")
def lemma_5() -> Finding:
    """Let p_bb >= 1 - e^-eps/2 and p_ab < (1/n)(1/2 - delta). Ask of (a, ..., a, b) and (a, ..., a) whether b is empty.

    The event "no message in b's interval" has probability at most 1 - p_bb <= e^-eps/2 with the user on b, and
    (1 - p_ab)^n >= 1 - n p_ab > 1/2 + delta without. But (eps, delta)-DP says at most e^eps e^-eps/2 + delta = 1/2 +
    delta: a contradiction.
    """
    from sympy import Symbol, expand

    p, m = Symbol("p", nonnegative=True), Symbol("m", nonnegative=True)
    # induction for Bernoulli: (1 - m p)(1 - p) - (1 - (m + 1) p) = m p^2 >= 0
    step(
        expand((1 - m * p) * (1 - p) - (1 - (m + 1) * p) - m * p**2) == 0, "Bernoulli's inequality, its induction step"
    )
    count = 0
    for columns in families(2, 2, 3):
        given = randomizer(columns)
        rows = {x: dict(row.items()) for x, row in given.rows.items()}
        for n, power in product((1, 2, 4), POWERS):
            exact = by_definition(given, "shuffled", n, power)
            for y, (a, b) in product(rows["0"], (("0", "1"), ("1", "0"))):
                own, other = (rows[x].get(y, Fraction(0)) for x in (b, a))
                allowed = own < 1 - 1 / (2 * power) or n * other >= Fraction(1, 2) - exact
                step(allowed or exact >= Fraction(1, 2), f"{rows}, n = {n}")
                count += 1
    evidence = ("the event 'nobody in b' breaks the promise otherwise", f"{count} cases of small randomizers, exactly")
    return finding("proved", "all single-message protocols, n >= 1, eps >= 0, delta < 1/2, disjoint sets", *evidence)


@statement("BBGN §4.2 MSE Omega(n^{1/3})", "4.2", "MSE Omega(n^{1/3})")
def lower_bound() -> Finding:
    """With k = ceil(n^(1/3)) >= 2 intervals, Lemmas 4.1, 4.2, 4.4, 4.5: MSE >= n sum over b of min(A_b, B_b).

    By Lemma 4.5 either A_b >= e^-eps/(8k^3), or p_ab >= (1/2 - delta)/n for all a and B_b >= (1 - 1/k^2)(1/2 - delta)
    / (48 n). So MSE >= min(n e^-eps/(8 k^2), k (1 - 1/k^2)(1/2 - delta)/48), n^(1/3) <= k <= 2 n^(1/3), and
    1 - 1/k^2 >= 3/4 give n^(1/3) min(e^-eps/32, (1/2 - delta)/64), for all n >= 2.
    """
    from sympy import Rational, Symbol, simplify

    for check in (lemma_2, lemma_3, lemma_4):
        check()
    n = Symbol("n", positive=True)
    third = n ** Rational(1, 3)
    step(simplify(n / (8 * (2 * third) ** 2) - third / 32) == 0, "the first constant")
    smallest = (1 - Fraction(1, 4)) / 48  # k >= 2
    step(smallest == Fraction(1, 64), "the second constant")
    sizes = [(size, next(m for m in range(1, 9) if m**3 >= size)) for size in range(2, 500)]
    step(all((m - 1) ** 3 < size <= m**3 <= 8 * size for size, m in sizes), "k = ceil(n^(1/3)) <= 2 n^(1/3)")
    evidence = ("MSE >= n^(1/3) min(e^-eps/32, (1/2 - delta)/64)", "from Lemmas 4.1, 4.2, 4.4 and 4.5, each settled")
    return finding("proved", "single-message, n >= 2, eps >= 0, delta < 1/2; the worst data", *evidence)
