"""Ghazi, Kumar, Manurangsi & Pagh 2021, Sections 1.2 and 5.1: randomized response beside the Poisson mechanism, and n.

The printed numbers are in `proofs.gkmp_experiments`; "the least" is meant as there.
"""

from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpq, fmpq_poly

from shufflecert.proofs.gkmp_experiments import (
    DELTA,
    EXCESS,
    FLIPS,
    ONE,
    N,
    least_flip,
    least_lam,
    poisson_rmse,
    quotient,
    response_rmse,
)
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.correlated import Correlated
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared.one_column import AllColumns
from shufflecert.verify.calibrate.tuned_system import central_rmse
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.enclose.interval import Interval, exactly, scaled
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, dyadic, precision, text

PRINTED = tuple(map(Fraction, ("0", "1/10", "1/3", "1/2")))
SIZES = (1, 10, 1000, 10**5, 10**9)
MEAN = Fraction("34.068")  # of the Poisson noise at eps = 1
TERMS, DRAWS = 12, (2, 3, 7)
CLOSE = Fraction(4, 1000)
SWEEP = [key for key in FLIPS if key[0] == N and key != (N, "1", "1e-6")]


def printed(p: Fraction) -> Randomizer:
    """ "x w.p. p, and 1 - x w.p. 1 - p"."""
    return Randomizer.of({x: {(x,): p, (1 - x,): 1 - p} for x in (0, 1)})


@statement(
    "GKMP §5.1 RR 'x w.p. p, 1-x w.p. 1-p, p in[0,1/2]'",
    "5.1",
    "RR sends x w.p. p, 1-x w.p. 1-p, p in [0,1/2]",
    name="GKMP-sec-5.1-rr-x-w-p-p",
)
def rr_printed() -> Finding:
    """As printed, with p in [0, 1/2], a user lies at least as often as not: x and 1 - x have changed places.

    Renaming the messages 0 and 1 takes the printed randomizer to the one that sends 1 - x with probability p, and a
    renaming changes no divergence in any view; so the privacy is the same, and with an analyzer that renames as well
    the error. Read without renaming, the number of ones falls in the number of true ones.
    """
    for p in PRINTED:
        renamed = {x: {(str(1 - int(y)),): w for (y,), w in row.items()} for x, row in printed(p).rows.items()}
        step(renamed == {x: dict(row.items()) for x, row in RR(p).randomizer().rows.items()}, f"renamed, p = {p}")
        for n in (1, 2, 5):
            one, other = (delta(given, n, "1/3").delta for given in (printed(p), RR(p)))
            step(one == other, f"one delta, p = {p}, n = {n}")
    ones = [printed(Fraction(1, 3)).rows[x].items() for x in ("0", "1")]
    fall = [sum(w for (y,), w in row if y == "1") for row in ones]
    step(fall == [Fraction(2, 3), Fraction(1, 3)], "p = 1/3: fewer ones from ones")
    evidence = (
        "p = 0 is allowed, and always sends 1 - x; p = 1/3: a user on 0 sends 1 with probability 2/3, on 1 with 1/3",
        f"corrected: x with probability 1 - p; that is it with messages renamed: same rows, p = {shown(PRINTED)}, "
        "same delta",
        "the text's own Bin(n, p) ~ Poi(np) is about flips of probability p",
    )
    return finding("misprint", "p in [0, 1/2]: x with probability 1 - p, 1 - x with probability p", *evidence)


@statement(
    "GKMP §5.1 'Bin(n,p)->Poi(np), p constant'",
    "5.1",
    "Bin(n,p) converges to Poi(np) as n->inf and p is kept constant",
    name="GKMP-sec-5.1-bin-n-p-poi-np",
)
def binomial_poisson() -> Finding:
    """With p kept constant, Bin(n, p) stays away from Poi(np); with np kept constant it converges to it.

    Constant p in (0, 1]: take t with 1 - cos t = 1/n. The characteristic functions there have |B|^2 =
    (1 - 2p (1 - p) / n)^n >= 1 - 2p + 2p^2 (Bernoulli) and |P|^2 = e^-2p. And |B|^2 - |P|^2 <= 2 |B - P| <= 4 TV. So
    TV >= (1 - 2p + 2p^2 - e^-2p) / 4 for every n, which is positive: e^-x < 1 - x + x^2 / 2 for x > 0.

    np = lam: Ber(p) and Poi(p) are at distance p (1 - e^-p) <= p^2, only Pr[1] being larger in the former; sums of
    independent terms are at most as far apart as the terms together: TV <= n p^2 = lam^2 / n.
    """
    evidence = []
    for p in (Fraction(1, 2), Fraction(1, 10)):
        least, found = apart(p), {n: distance(n, p) for n in (10, 100, 1000)}
        step(least > 0 and all(value.low >= least for value in found.values()), f"TV from below, p = {p}")
        values = ", ".join(f"{value.enclosure(4)[0]} for n = {n}" for n, value in found.items())
        evidence.append(f"p = {p}: TV = {values}; at least {exactly(least).enclosure(4)[0]} for all n")
    found = {n: distance(n, MEAN / n) for n in (100, 1000, N, 10 * N)}
    step(all(value.high <= MEAN**2 / n for n, value in found.items()), "TV at most lam^2 / n")
    step(all(one.low > 8 * other.high for one, other in pairwise(found.values())), "TV falls like 1 / n")
    values = ", ".join(f"{value.enclosure(4)[1]} for n = {n}" for n, value in found.items())
    evidence.append(f"corrected, np constant: TV <= (np)^2 / n; np = {MEAN}: TV = {values}")
    return finding("refuted", "every constant p in (0, 1]; true for np constant", *evidence)


def distance(n: int, p: Fraction) -> Interval:
    """The total variation distance of Bin(n, p) and Poi(n p): the sum of max(Bin - Poi, 0)."""
    one, other, last = Binomial(n, p), Poisson(n * p), min(n, int(2 * n * p) + 100)
    with precision(128):
        total = sum(((one.pmf(k) - other.pmf(k)).max(arb(0)) for k in range(last + 1)), arb(0))
        return Interval(dyadic(total.lower()), dyadic((total + one.survival(last + 1)).upper()))


def apart(p: Fraction) -> Fraction:
    """A lower bound on the distance of Bin(n, p) and Poi(n p) for every n: (1 - 2p + 2p^2 - e^-2p) / 4."""
    with precision(128):
        return dyadic(((ball(1 - 2 * p + 2 * p * p) - ball(-2 * p).exp()) / 4).lower())


@statement("GKMP §5.1 'RR always one message'", "5.1", "RR always sends one message")
def one_message() -> Finding:
    """RR sends one message, whatever x, p and chance are. The Poisson mechanism sends x + Poi(lam/n).

    All users together send n messages in the one and s + lam, expected, in the other, s the number of ones: RR sends
    no more just where s >= n - lam.
    """
    for p in PRINTED:
        sent = {len(send) for row in RR(p).randomizer().rows.values() for send, _ in row.items()}
        step(sent == {1}, f"one message, p = {p}")
        step(RR(Fraction(1, 3)).accuracy(N, None).expected_messages == exactly(1), "one message expected")
    lam = least_lam(ONE)
    most = PoissonSum(lam.value).accuracy(N).expected_messages
    step(most == exactly(1 + lam.value / N), "the input 1 sends 1 + lam / n")
    evidence = (
        "both rows of RR hold tuples of one message only",
        f"Poisson, eps = 1: a user on 1 sends {most} expected, on 0 {exactly(lam.value / N)}",
        "so all users send n with RR and s + lam with Poisson: fewer with Poisson unless s >= n - lam",
    )
    return finding("proved", "all x, p and n", *evidence)


def many_draws(p: Fraction, r: Fraction, lam: Fraction, n: int) -> bool:
    """Whether n draws of NB(r/n, p), and of Poi(lam/n), sum to NB(r, p), and Poi(lam), in their first coefficients.

    Without the factors (1 - p)^(r/n) and e^(-lam/n), whose n-th powers are those of the sums.
    """

    def binomials(r: Fraction) -> fmpq_poly:
        row = [Fraction(1)]
        for k in range(1, TERMS):
            row.append(row[-1] * (r + k - 1) / k * p)
        return series(row)

    def exponential(lam: Fraction) -> fmpq_poly:
        row = [Fraction(1)]
        for k in range(1, TERMS):
            row.append(row[-1] * lam / k)
        return series(row)

    pairs = ((binomials(r / n), binomials(r)), (exponential(lam / n), exponential(lam)))
    return all([(part**n)[k] for k in range(TERMS)] == [whole[k] for k in range(TERMS)] for part, whole in pairs)


def series(row: list[Fraction]) -> fmpq_poly:
    """The power series with these coefficients."""
    return fmpq_poly([fmpq(x.numerator, x.denominator) for x in row])


def free_of_n(system: PoissonSum | NegativeBinomialSum | Correlated) -> bool:
    """Whether its pairs, and its error, are those of one user for every n in SIZES."""
    pairs, rmse = system.reach(1).attained, system.accuracy(1).rmse
    return all(system.reach(n).attained == pairs and system.accuracy(n).rmse == rmse for n in SIZES)


INFINITELY_DIVISIBLE = (
    PoissonSum(MEAN),
    NegativeBinomialSum(Fraction(19), Fraction("0.91")),
    Correlated(Fraction("0.43"), Fraction("19.5"), Fraction("0.911")),
)


@statement("GKMP 'size-free'", "1.2", "noise parameter independent of n for inf-div; not for RR")
def size_free() -> Finding:
    """The view of an infinitely divisible mechanism is s + D: n is not in it, so neither is it in the least parameter.

    n draws with generating function G^(1/n) sum to one with G: exp(lam (z - 1) / n)^n = exp(lam (z - 1)), and likewise
    ((1 - p) / (1 - pz))^(r/n). The others' inputs shift both sides. For RR the least flip depends on n, and n times
    the least flip as well.
    """
    for n in DRAWS:
        step(many_draws(Fraction("0.91"), Fraction(19), MEAN, n), f"{n} draws")
    step(all(free_of_n(system) for system in INFINITELY_DIVISIBLE), "no n in the pairs")
    flips = {n: least_flip(n, "1", "1e-6") for n in (100, 1000, N)}
    means = [n * flip.value for n, flip in flips.items()]
    step(all(one * Fraction("1.05") < other for one, other in pairwise(means)), "n flip is not constant")
    small = AllColumns(flips[N].value, 999).value(999, ONE)
    step(small.against(DELTA) == 1, "the flip of 10000 users is too small for 1000")
    evidence = (
        "Poisson, negative binomial, correlated: the same pairs (P, Q) and RMSE for every n",
        *(f"RR, n = {n}: {flip}, n flip = {exactly(n * flip.value)}" for n, flip in flips.items()),
        f"RR with the flip of n = {N} has delta(1) >= {small.enclosure(6)[0]} for n = 1000",
        "how long computing a flip takes is not settled here",
    )
    return finding("proved", f"all n; RR: n = 100, 1000, {N}, eps = 1, delta = 10^-6", *evidence)


@statement(
    "GKMP Fig 2/3, 'scales linearly in 1/n'",
    "5.1",
    "additional messages scale linearly in 1/n; RMSE of RR and Poisson essentially the same",
    name="GKMP-fig-2-3-scales-linearly-in-1",
)
def figures() -> Finding:
    """Additional messages are E[D] / n, in proportion to 1/n, as the law D does not depend on n (`size_free`).

    By linearity the mean of a draw of D/n is E[D] / n. The errors, of Poisson and RR against 1.2 times the central
    one, are certified at some points of the sweeps over eps and delta for n = 10000.
    """
    for system in INFINITELY_DIVISIBLE:
        sent = {n * (system.accuracy(n).expected_messages.high - 1) for n in SIZES}
        step(len(sent) == 1 and min(sent) > 0 and free_of_n(system), "n times the additional messages is constant")
    evidence = ["n (messages - 1) is the same number for all n; a tenth of it for ten times the users"]
    for n, eps, bound in SWEEP:
        lam, flip = least_lam(Eps.of(eps), Fraction(bound)), least_flip(n, eps, bound)
        poisson, response = poisson_rmse(lam), response_rmse(flip)
        same = quotient(response, poisson)
        step(same.low > 1 - CLOSE and same.high < 1 + CLOSE, f"within {CLOSE}, eps = {eps}, delta = {bound}")
        correlated = scaled(central_rmse(Eps.of(eps)), EXCESS)
        errors = (
            f"{eps}, delta = {bound}: Poisson {seven(poisson)}, RR {seven(response)}, correlated {seven(correlated)}"
        )
        evidence.append(f"eps = {errors}, RR / Poisson {seven(same)}")
    evidence.append(
        "so they coincide within 0.4 %, either way, and where p is no rare flip as well: eps = 1/50, p = 0.353"
    )
    return finding(
        "proved", f"all n; the errors for n = {N} at {len(SWEEP)} points, eps 1/50 to 2, delta 1e-3 to 1e-12", *evidence
    )


def seven(number: Interval) -> str:
    """The lower end of an enclosure to seven digits."""
    return number.enclosure(7)[0]


def shown(numbers: tuple[Fraction, ...]) -> str:
    """Some numbers in one line of text."""
    return ", ".join(map(text, numbers))
