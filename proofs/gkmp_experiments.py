"""Ghazi, Kumar, Manurangsi & Pagh 2021, Section 5.1: the numbers of its experiments on binary sums.

n = 10000 users and delta = 10^-6 unless said. "The least" value of a parameter is certified at two neighbours on the
grid of 2^-64: one keeps (eps, delta) for all neighbouring datasets, the one below breaks it. More noise never breaks
what less keeps (lemmas of `protocols`), so the least real value lies between them. Errors are root mean squares, in
users; messages are what a user is expected to send beyond one.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb

from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.correlated import CorrelatedPair, messages_expected
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared.one_column import AllColumns
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import Task, central_rmse, tune
from shufflecert.verify.enclose.interval import Interval, exactly, root_of, scaled
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, decimal_below, dyadic, precision, text
from shufflecert.verify.reduce.reduction import worst_delta

N, DELTA, GRID, EXCESS = 10_000, Fraction(1, 10**6), Fraction(1, 1 << 64), Fraction(6, 5)
ONE, TENTH = Eps.of(1), Eps.of("1/10")
RATIOS = {ONE: "0.911", TENTH: "0.9908"}  # p of Z3, near the one that needs the fewest messages
SMALLEST = Fraction(1, 1 << 12)  # box, relatively
FLIPS = {  # (n, eps, delta): the least flip of randomized response, found by `calibrate`, in units of the grid
    (100, "1", "1e-6"): 3146307265185166469,
    (1000, "1", "1e-6"): 567064223957182904,
    (N, "1", "1e-6"): 62194341387954807,
    (N, "1/50", "1e-6"): 6518677871129044274,
    (N, "1/10", "1e-6"): 1846692463479106307,
    (N, "1/4", "1e-6"): 476983043955061830,
    (N, "2", "1e-6"): 31718282912332300,
    (N, "1", "1e-3"): 23454851048195581,
    (N, "1", "1e-9"): 104067402396022253,
    (N, "1", "1e-12"): 146523507974701148,
}
AT_ONE, AT_TENTH = "n = 10^4, eps = 1, delta = 10^-6", "n = 10^4, eps = 1/10, delta = 10^-6"


@dataclass(frozen=True)
class Least:
    """`value` keeps the promise, value - GRID breaks it; what `parameter` has less of breaks it as well."""

    parameter: str
    value: Fraction

    def __str__(self) -> str:
        return f"the least {self.parameter} = {text(self.value / GRID)}/2^64 = {exactly(self.value)}"


def least(task: Task, promise: Promise) -> Least:
    """The least value of a task's one parameter, certified at both neighbours."""
    best = tune(task, promise).best
    found = best.calibrated
    step(found.searched.lemma is not None and found.fails_at == found.value - GRID, "neighbours, in order")
    for side, worst in ((-1, found.worst), (1, found.fails)):
        assert worst is not None and isinstance(worst.delta, Interval)
        step(worst.delta.against(promise.delta) == side, "one keeps the promise, the other breaks it")
    return Least(best.parameter, found.value)


def least_lam(eps: Eps, delta: Fraction = DELTA) -> Least:
    """The least mean of Poisson noise that keeps (eps, delta)."""
    return least(Task("poisson"), Promise(N, eps, delta))


def poisson_rmse(lam: Least) -> Interval:
    """The error for the least real lam."""
    below, above = (PoissonSum(value).accuracy(N).rmse for value in (lam.value - GRID, lam.value))
    return Interval(below.low, above.high)


def least_flip(n: int, eps: str, delta: str) -> Least:
    """Of randomized response: FLIPS, certified for all datasets, and the neighbour below for the worst of them."""
    flip, bound, at = FLIPS[n, eps, delta] * GRID, Fraction(delta), Eps.of(eps)
    found = worst_delta(RR(flip).reach(n), at)
    step(found.value.against(bound) == -1, f"flip {flip} keeps {eps}, {delta} for {n} users")
    assert found.worst is not None and found.worst.others is not None
    less = AllColumns(flip - GRID, n - 1).value(found.worst.others.get("1", 0), at)
    step(less.against(bound) == 1, f"the flip below {flip} breaks {eps}, {delta} for {n} users")
    return Least("flip", flip)


def response_rmse(flip: Least, n: int = N) -> Interval:
    """The error for the least real flip."""
    below, above = (RR(value).accuracy(n, None).rmse_in_users for value in (flip.value - GRID, flip.value))
    assert below is not None and above is not None
    return Interval(below.low, above.high)


def noise_ratios(eps: Eps) -> tuple[Fraction, Fraction]:
    """Neighbours on the grid around q = e^-eps1, sinh(eps1 / 2) = (5/6) sinh(eps / 2) (`rmse_20`)."""
    with precision(256):
        q = (-2 * ((eps.ball() / 2).sinh() * ball(1 / EXCESS)).asinh()).exp() / ball(GRID)
        below, above = floor(dyadic(q.lower())) * GRID, ceil(dyadic(q.upper())) * GRID
    limit = scaled(central_rmse(eps), EXCESS)
    least, most = (root_of(DiscreteLaplace(end).variance) for end in (below, above))
    step(above - below == GRID and least.high <= limit.low, "q is at least that")
    step(limit.high <= most.low, "q is at most that")
    return below, above


def additional(eps: Eps, p: str, delta: Fraction = DELTA) -> tuple[Fraction, Least]:
    """(messages of the correlated mechanism with the least r for this p, that r), at 1.2 times the central error."""
    q = noise_ratios(eps)[0]
    r = least(Task("correlated", {"q": text(q), "p": p}, ("r",)), Promise(N, eps, delta))
    return messages_expected(q, NegativeBinomial(r.value, Fraction(p)), N) - 1, r


def boxes(eps: Eps, most: Fraction) -> int:
    """Show that no r, p keep (eps, DELTA) with at most so many messages, at 1.2 times the central error.

    Returns the number of boxes that cover all of them. Proof. log E z^NB(r, p) = r sum of p^k (z^k - 1) / k. Let p1 <=
    p <= p2 and E Z3 = r p / (1 - p) <= M. Then r p^k = E Z3 (1 - p) p^(k-1) <= M (1 - p1) p2^(k-1) = r' p2^k for r' =
    M (1 - p1) / p2, so NB(r', p2) is NB(r, p) and an independent (compound Poisson) part, for p1 = 0 also Poi(E Z3)
    and such a part. That is more noise, hence post-processing: where (r', p2) breaks the promise, with q from above,
    so does all of the box. For p near 1, x = 1 - p <= x0: u = 0 is impossible for s = 1 and has probability (1 - q)
    Pr[Z3 = 0] for s = 0; and Pr[Z3 = 0] = x^r >= exp(-M x log(1/x) / (1 - x)), where x log(1/x) / (1 - x) rises on (0,
    1), as log(1/x) > 1 - x.
    """
    below, above = noise_ratios(eps)
    M, x0, count = N * most / 2 - below / (1 - below), Fraction(1, 2), 0

    def telling(x: Fraction) -> bool:
        with precision(128):
            return bool(ball(1 - above) * (ball(M * x / (1 - x)) * ball(x).log()).exp() > ball(DELTA))

    while not telling(x0):
        x0 /= 2
    left = [(x0 * 2**i, x0 * 2 ** (i + 1)) for i in range(x0.denominator.bit_length() - 1)]  # x from, to
    while left:
        low, high = left.pop()
        r = ceil(M * high / (1 - low) * 2**20) / Fraction(2**20)
        pair = CorrelatedPair(above, NegativeBinomial(r, 1 - low), back=True)
        if pair.divergence(eps, 32)[0] > DELTA:
            count += 1
            continue
        step(high - low > SMALLEST * high, f"no box at p = {1 - low} breaks the promise")
        left += [(low, (low + high) / 2), ((low + high) / 2, high)]
    return count


def least_mean(Delta: int, t: arb, delta2: arb) -> arb:
    """E D3 is at least this, for a law D3 on 0, 1, ... that keeps (log t, delta2) for Delta-summation, t > 1.

    Proof. Let a_k = Pr[D3 < k Delta]: a_0 = 0, and D3 against D3 + Delta gives a_k <= t a_(k-1) + delta2. And E D3 =
    sum of Pr[D3 >= j] >= Delta sum of (1 - a_k), j and k from 1 on; terms below 0 are left out.
    """
    total, a = arb(0), delta2
    while a < 1:
        total, a = total + 1 - a, a * t + delta2
    return Delta * total


def theorem_18(eps: Eps) -> Fraction:
    """A lower bound on the messages where Theorem 18, with D2 in its third condition, shows (eps, DELTA), for any D3.

    Proof. D1 - D2 is eps1-DP for no eps1 < log(1/q), and e^eps1 delta2 + 2 e^(2 eps1) delta3 <= delta, so
    delta2 <= delta q, delta3 <= delta q^2 / 2, e^eps2 <= t = q e^eps, and q^(Delta + 1) = Pr[D2 > Delta] <= delta3.
    """
    below, above = noise_ratios(eps)
    with precision(256):
        q, delta2 = ball(above), ball(DELTA * above)
        Delta = ceil(dyadic(((2 / (delta2 * q)).log() / -ball(below).log()).lower())) - 1
        shared = least_mean(Delta, q * eps.ball().exp(), delta2)
        return 2 * (below / (1 - below) + dyadic(shared.lower())) / N


def as_printed(eps: Eps) -> None:
    """With D3 in its third condition, as printed, Theorem 18 shows no delta < 1/2 (for e^eps2 <= 4).

    Proof. D3 + Delta is never below Delta, so Pr[D3 = 0] <= Pr[D3 < Delta] <= delta2; and Pr[D3 > 0] =
    Pr[D3 + Delta > Delta] <= e^eps2 Pr[D3 > Delta] + delta2 <= e^eps2 delta3 + delta2. The sum of both is
    1 <= 2 delta2 + e^eps2 delta3 <= 2 (delta2 + 2 delta3) <= 2 (e^eps1 delta2 + 2 e^(2 eps1) delta3).
    """
    step(eps.bounds(64)[1] * noise_ratios(eps)[1] <= 4, "e^eps2 <= 4")


def quotient(one: Interval, other: Interval) -> Interval:
    """An enclosure of the quotient of two positive numbers."""
    return Interval(one.low / other.high, one.high / other.low)


def rounds_to(number: Interval, printed: str) -> bool:
    """Whether all of an enclosure rounds to a printed decimal."""
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return Fraction(printed) - half < number.low and number.high < Fraction(printed) + half


# The statements ------------------------------------------------------------------------------------------------------


@statement("GKMP §5.1 RMSE +20%", "5.1", "e1 s.t. RMSE=1.2 RMSE(DLap(eps))")
def rmse_20() -> Finding:
    """There is one eps1 for which D1 = D2 = NB(1, e^-eps1) err 1.2 times as much as DLap(eps), whatever eps > 0 is.

    With q = e^-s the error D1 - D2 is DLap(s), of variance 2 q / (1 - q)^2 = 1 / (2 sinh(s/2)^2), which falls from
    infinity to 0 in s. So sinh(eps1/2) = sinh(eps/2) / 1.2 has one solution; it is below eps, which leaves something
    for Z3 to hide, and above eps / 1.2, as sinh is convex on s > 0 and 0 at 0. Data, n and delta do not occur.
    """
    from sympy import Symbol, exp, simplify, sinh

    s, q = Symbol("s", positive=True), Symbol("q", positive=True)
    variance = 2 * q / (1 - q) ** 2
    step(simplify((variance.subs(q, exp(-s)) - 1 / (2 * sinh(s / 2) ** 2)).rewrite(exp)) == 0, "the variance by sinh")
    step(simplify(variance.diff(q) - 2 * (1 + q) / (1 - q) ** 3) == 0, "the variance rises in q")
    evidence = ["sinh(eps1 / 2) = (5/6) sinh(eps / 2) has one solution, eps / 1.2 < eps1 < eps"]
    for eps in (ONE, TENTH):
        below, above = noise_ratios(eps)
        for end in (below, above):
            of_both = 2 * NegativeBinomial(Fraction(1), end).variance
            step(of_both == DiscreteLaplace(end).variance == 2 * end / (1 - end) ** 2, "the variance of Z1 - Z2")
        low, high = Eps.log(1 / above).enclosure(12)[0], Eps.log(1 / below).enclosure(12)[1]
        central = central_rmse(eps)
        evidence.append(f"eps = {eps}: eps1 in [{low}, {high}], RMSE {scaled(central, EXCESS)}, central {central}")
    return finding("proved", "all eps > 0, whatever n, delta and the data are", *evidence)


@statement(
    "GKMP §5.1 ratio 3.5",
    "5.1",
    "eps=1,d=1e-6: Poisson and RR RMSE / Corr RMSE = 3.5; Poisson and RR essentially coincide",
)
def ratio() -> Finding:
    """At eps = 1 the errors for the least lam and the least flip, against 1.2 times the error of the central model.

    Both errors rise in their parameter, and all three are the same for all data.
    """
    lam, flip, limit = least_lam(ONE), least_flip(N, "1", "1e-6"), scaled(central_rmse(ONE), EXCESS)
    poisson, response = poisson_rmse(lam), response_rmse(flip)
    evidence = [f"correlated: RMSE {limit}, 1.2 times the central one"]
    for found, error in ((lam, poisson), (flip, response)):
        times = quotient(error, limit)
        step(times.low >= Fraction("3.5") and rounds_to(times, "3.58"), f"3.58 times, {found}")
        evidence.append(f"{found}: RMSE {error}, {times} times that of correlated")
    same = quotient(response, poisson)
    step(Fraction("0.99988") < same.low and same.high < Fraction("0.99989"), "they essentially coincide")
    evidence += [f"RR has {same} times the error of Poisson", "the ratio is 3.58: 3.5 is cut off, rounded it is 3.6"]
    return finding("proved", f"{AT_ONE}: at least 3.5, exactly 3.58...", *evidence)


def per_user(lam: Least, printed: str) -> str:
    """lam / n, in words, where it rounds to what is printed."""
    number = Interval((lam.value - GRID) / N, lam.value / N)
    step(rounds_to(number, printed), f"lam / n = {printed}")
    return f"{lam}: lam / n = {number}, that is {printed}"


@statement("GKMP §5.1 0.04", "5.1", "Corr sends 0.04 more, eps=1,d=1e-6")
def messages_04() -> Finding:
    """At eps = 1 some r, p send 0.04 additional messages, to two digits, and none send fewer (`boxes`)."""
    (sent, r), fewest = additional(ONE, RATIOS[ONE]), Fraction("0.0395")
    count, other = boxes(ONE, fewest), theorem_18(ONE)
    step(rounds_to(Interval(fewest, sent), "0.04") and sent < Fraction("0.03995"), "0.04")
    step(other > Fraction("0.28"), "far from Theorem 18")
    evidence = (
        f"p = {RATIOS[ONE]}, {r}: {exactly(sent)} messages",
        f"no r, p send 0.0395 or fewer: {count} boxes that break the promise cover them all",
        f"by Theorem 18, with D2 in its third condition, no D3 sends fewer than {decimal_below(other, 4)}",
    )
    return finding("proved", f"{AT_ONE}: the least of all NB(r, p), in [0.0395, 0.03995]", *evidence)


@statement("GKMP §5.1 0.0003", "5.1", "Poisson sends 0.0003 more, eps=1")
def messages_0003() -> Finding:
    """At eps = 1 nobody keeps the promise with 0.0003 additional messages: 0.0034 are needed.

    lam / n rounds to 0.0003 for lam < 3.5 only. delta(eps) does not rise in lam, as Poi(lam') is Poi(lam) and
    independent noise for lam' > lam, so lam = 3.5 stands for all of them.
    """
    lam, most = least_lam(ONE), Fraction("0.00035") * N
    shown = per_user(lam, "0.0034")
    few = worst_delta(PoissonSum(most).reach(N), ONE).value
    step(few.against(DELTA) == 1, "lam = 3.5 breaks the promise")
    worst = f"lam / n < 0.00035 is lam < 3.5; at 3.5 delta(1) = {few}, and less noise never has a smaller delta"
    step(rounds_to(exactly(lam.value / 10**5), "0.0003"), "0.0003 for n = 10^5")
    return finding("misprint", f"{AT_ONE}: 0.0034", worst, shown, "0.0003 is right for n = 10^5")


@statement("GKMP §5.1 0.278", "5.1", "Corr sends 0.278 more, eps=.1")
def messages_278() -> Finding:
    """At eps = 0.1 some r, p send 0.278 additional messages, but that is not the least: see `boxes`."""
    as_printed(TENTH)
    (sent, r), (more, other), (spared, _) = (
        additional(TENTH, p, delta)
        for p, delta in ((RATIOS[TENTH], DELTA), ("0.988", DELTA), (RATIOS[TENTH], DELTA * 9 / 10))
    )
    count, accounted = boxes(TENTH, Fraction("0.27")), theorem_18(TENTH)
    step(sent < Fraction("0.27357") and accounted > 18, "0.27357 are enough")
    step(rounds_to(exactly(more), "0.278") and rounds_to(exactly(spared), "0.278"), "0.278")
    evidence = (
        f"p = 0.988, {other}: {exactly(more)} messages, that is 0.278",
        f"p = {RATIOS[TENTH]}, {r}: {exactly(sent)} messages, which is less",
        f"no r, p send 0.27 or fewer: {count} boxes that break the promise cover them all",
        f"a guess at its origin: p = {RATIOS[TENTH]} with a tenth of delta set aside sends {exactly(spared)}",
        "its origin is not Theorem 18: with D2 in its third condition no D3 sends fewer than "
        f"{decimal_below(accounted, 4)}; with D3, as printed, no delta < 1/2 is shown",
    )
    return finding("proved", f"{AT_TENTH}: some NB(r, p); the least is in [0.27, 0.27357]", *evidence)


@statement("GKMP §5.1 0.141", "5.1", "Poisson sends 0.141 more, eps=.1")
def messages_141() -> Finding:
    """At eps = 0.1 the least lam is 0.141 n, to three digits."""
    return finding("proved", AT_TENTH, per_user(least_lam(TENTH), "0.141"))
