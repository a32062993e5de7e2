"""QUESTIONS.md: what a reader of BC asks in the notes, answered one by one.

`python -m shufflecert.proofs.questions` writes it.

Every number is computed when the page is written, by balls or fractions, and rounded outwards or said to be rounded;
what is called proved is a statement of MAP.md, whose check the page names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

from flint import arb

from shufflecert.proofs.bc_smooth import binomial
from shufflecert.proofs.ledger import table
from shufflecert.proofs.results import verdicts
from shufflecert.proofs.small import power
from shufflecert.proofs.statement import step
from shufflecert.protocols.correlated import Correlated
from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, decimal_above, decimal_below, decimals, dyadic, precision
from shufflecert.verify.reduce.reduction import worst_epsilon
from shufflecert.verify.runs.writing import write_whole
from shufflecert.verify.systems.declare import Accuracy

FILE = Path(__file__).with_name("QUESTIONS.md")
HEAD = """# A reader's questions, answered

The notes on Balcer & Cheu (NOTES in [MAP.md](MAP.md)) ask seven times. The answers are computed: this page is made by
`python -m shufflecert.proofs.questions`, a test holds it current, and the statements that it names are checks which
run. The notebook `notebooks/errata.ipynb` draws the counterexamples.
"""
DELTA = Fraction(1, 10**6)


@dataclass(frozen=True)
class Question:
    """A question of the notes, the answer (computed when it is asked for), and the statements that carry it."""

    asked: str
    answer: Callable[[], str]
    names: tuple[str, ...]


def shown(value: arb, digits: int = 4) -> str:
    """A ball, as the decimal at or below it with so many digits."""
    return decimals(dyadic(value.lower()), dyadic(value.upper()), digits)[0]


def square_root() -> str:
    """Why the square root of 5: tanh(eps/2) against eps / sqrt(m)."""
    rows = []
    with precision(96):
        for numerator in range(1, 5):
            e = ball(Fraction(numerator, 4))
            cells = ((e / 2).tanh(), e / arb(5).sqrt(), e / 2)
            step(bool(cells[0] > cells[1]) and bool(cells[0] < cells[2]), "between")
            rows.append((f"{numerator}/4", *map(shown, cells)))
        real = 1 / (arb(1) / 2).tanh() ** 2
    return (
        "alpha is tanh(eps/2), which is concave: on [0, 1] it is above eps / sqrt(m) just where it is at eps"
        f" = 1, that is for m >= 1 / tanh(1/2)^2 = {shown(real)}... So 5 is the smallest whole number, and"
        f" sqrt(4) = 2 fails at every"
        ' eps > 0, since tanh x < x. The direction in the notes ("clearly eps/sqrt(5) >= alpha") is the wrong one.\n\n'
        + table(("eps", "alpha = tanh(eps/2)", "eps/sqrt(5), below it", "eps/sqrt(4), above it"), rows)
    )


def products() -> str:
    """How the products become alpha: each factor at the end of G."""
    n, g, a, k = 160, Fraction(1, 4), Fraction(1, 2), 4
    mu = n * g
    end = int((1 + a) * mu) - k
    law = binomial(n, g)
    whole, each, limit = law[end] / law[end + k], (1 - g) * (1 + a) / (1 - (1 + a) * g), (1 + a) / (1 - a)
    factors = [law[end + i - 1] / law[end + i] for i in range(1, k + 1)]
    step(max(factors) <= each <= limit and whole <= each**k, "each factor")
    step(whole > (1 + a) ** k, "not (1 + alpha)^k'")
    rows: list[tuple[str, ...]] = [
        (f"P({end + i - 1}) / P({end + i})", decimal_below(f, 5)) for i, f in enumerate(factors, 1)
    ]
    rows += [
        ("(1-gamma)(1+alpha) / (1-(1+alpha)gamma), above each", decimal_above(each, 5)),
        ("(1+alpha)/(1-alpha), above that", decimal_above(limit, 5)),
    ]
    return (
        "By one factor at a time. P(y)/P(y+k') is a product of k' ratios of neighbours, ((1-gamma)/gamma)"
        " v/(n+1-v) for v = y+1, ..., y+k'. Each grows with v, and v <= (1+alpha) mu as y is in G: so each"
        " is at most (1-gamma)(1+alpha) / (1-(1+alpha)gamma), and that is at most (1+alpha)/(1-alpha) just"
        " because alpha (1 - 2 gamma) >= 0: it is here that gamma <= 1/2 is used. Downwards alike. The step"
        " over (1+alpha)^k' in the notes is false, and not needed; the printed y^k' in the first denominator"
        f" is gamma^k'.\n\nn = {n}, gamma = 1/4, alpha = 1/2, k = {k}, from the last y of G, {end}: the product is"
        f" {decimal_below(whole, 5)}, above (1+alpha)^4 = {decimal_below((1 + a) ** k, 5)}\n\n"
        + table(("factor", "value"), rows)
    )


def gap() -> str:
    """Why R^gap works on the train: what one user cannot send, two can."""
    rows = []
    for n in range(1, 6):
        sums = {sum(part) for part in product((0, 1, 3, 4), repeat=n)}
        missing = sorted(set(range(4 * n + 1)) - sums)
        ratio = power(RGap().randomizer(), n)
        found = "infinite" if ratio is None else f"log({ratio})"
        rows.append((str(n), ", ".join(map(str, missing)) or "none", found))
    return (
        "After the shuffler only the number of ones can be seen. A user on 1 sends 0, 1, 3 or 4 of them,"
        " never 2; a user on 0 any number. Alone, a 2 gives the input away. But 2 = 1 + 1: two users on 1"
        " reach every number from 0 to 8, and one more user never opens a hole ({0..4n} + {0, 1, 3, 4} is"
        " {0..4n+4}). So on every dataset every outcome is possible, finitely many ratios are finite, and"
        " eps is the logarithm of the largest. It is no *perfect* privacy:"
        ' with uniform weights eps ends at log(8/5), since "no ones at all" has ratio (1/10)/(1/16) for any n.\n\n'
        + table(("users on 1", "sums that cannot occur", "eps of n shuffled users"), rows)
    )


def rounded(value: Interval) -> str:
    """An enclosure to three digits, upper end."""
    return value.enclosure(3)[1]


def accuracy() -> str:
    """Which accuracy claims survive."""
    claims = (
        ("BC-thm-11-ii", "one binary sum, its alpha"),
        ("BC-thm-11-ii-big-o", "that alpha as O(log(1/delta) / (eps^2 n))"),
        ("BC-thm-11-iii", "no error at all on data of zeros"),
        ("BC-thm-12-ii", "histogram, each query"),
        ("BC-thm-12-iii", "histogram, all at once, beta >= n delta^25"),
        ("NOTES-thm-hist-3", "histogram, all at once, beta > delta^25 as the notes have it"),
        ("BC-thm-1-informal", "the error does not depend on d"),
        ("BC-proof-11-ii-chernoff", "step: the Chernoff bound"),
        ("BC-proof-11-ii-b-2e-np-1", "step: its condition on beta"),
        ("BC-proof-11-ii-alpha", "step: alpha = (1 - p) + alpha'"),
    )
    rows: list[tuple[str, ...]] = [(f"`{name}`", what, *verdicts()[name]) for name, what in claims]
    return (
        "Every step of part II has been checked: one is misprinted, alpha = (1 - p) + alpha' for >= (a"
        " factor sqrt(p) is missing, on the safe side), and the theorem stands. What does not stand is the"
        " big O for delta near 1, where log(1/delta) is 0 and alpha is not, and the notes' histogram with"
        " beta > delta^25: the union over n bins needs"
        " n delta^25.\n\n" + table(("statement", "claim", "verdict", "range"), rows)
    )


def harder() -> str:
    """Whether a histogram is harder than one mean."""
    n, p = 1000, Fraction(9, 10)
    rows = []
    for name, system in (
        ("one binary sum", ZSum(p)),
        ("histogram of 2", Hist(2, p)),
        ("histogram of 1000", Hist(1000, p)),
    ):
        low, high, _ = worst_epsilon(system.reach(n), DELTA)
        assert low is not None and high is not None
        found: Accuracy = system.accuracy(n, None)
        rmse = found.rmse_in_users
        assert rmse is not None
        rows.append((name, decimals(low, high, 4)[1], rounded(rmse)))
    return (
        "A histogram is harder, by a factor that does not depend on the number of bins: a user who moves changes two"
        " counts, so for the same noise eps is larger, and every bin has its own noise, so one count is as"
        " good as the sum. Here are n = 1000 users, coins of weight 1/10 in every bin, delta = 10^-6.\n\n"
        + table(("task", "eps at most", "worst RMSE of one count, in users"), rows)
    )


def local() -> str:
    """What local models achieve, beside the shuffled one."""
    power_, rows = Fraction(3), []
    for n in (10**4, 10**5, 10**6):
        given = ZSum.paper(n, Eps.of(1), DELTA, {})["p"]
        systems = (RR(1 / (1 + power_)), ZSum(given), DiscreteLaplaceSum(1 / power_))
        errors = [system.accuracy(n, None).rmse_in_users for system in systems]
        rows.append((str(n), *(rounded(error) for error in errors if error is not None)))
    return (
        "Randomized response with eps = log 3, each user alone, errs by sqrt(3 n)/2 users exactly, which"
        " grows with n; the shuffled sum with BC's noise for (1, 10^-6) by a number that does not; and so"
        " does the central discrete Laplace mechanism, with eps = log 3 and no delta. With the printed"
        " constant the shuffled sum is the better one at n = 10^6 only; with the least constant (see"
        " [RESULTS.md](RESULTS.md)) far earlier. (The lower bounds that say no local protocol does better"
        " are theorems of other papers: not checked here.)\n\n"
        + table(("n", "local, RMSE in users", "shuffled (BC), at most", "central"), rows)
    )


def later() -> str:
    """The answer to which of BC's results the September 2021 paper (GKMP) changes, as text of the page."""
    n = 10**4
    given = Correlated.paper(n, Eps.of(1), DELTA, {})
    sent = Correlated(**given).accuracy(n, None).expected_messages
    return (
        "Nothing in BC becomes false. Its equivalence (Theorem 17, Claim 18) is about pure privacy with exactly one"
        " message a user, and it is proved for every randomizer and every n. The later protocol (GKMP) sends"
        " more than one message now and then, and has a delta: both conditions are given up. With the"
        f" constants it prints, eps = 1, delta = 10^-6 and n = 10^4 take up to {rounded(sent)} messages a"
        " user; with the least noise that keeps the promise, and 20 % more error than the central mechanism,"
        " 1.04 (GKMP-sec-5.1-0.04).\n"
    )


QUESTIONS = (
    Question("Why the square root of 5?", square_root, ("NOTES-q-why-sqrt5", "NOTES-clearly-eps-sqrt5-alpha")),
    Question(
        "How do they go from products to alpha inequalities?",
        products,
        ("NOTES-q-products-alpha", "NOTES-lemma-3-k-0-ratio-1-a", "NOTES-lemma-3-event-formula", "BC-lem-23"),
    ),
    Question(
        'Why does R^gap work? ("On the train I can work it out.")',
        gap,
        ("NOTES-q-r-gap-why", "BC-claim-20", "BC-claim-20-sumset", "NOTES-r-gap-perfect-shuffle-privacy-for-some"),
    ),
    Question("Part II has many typos: which accuracy claims survive?", accuracy, ("NOTES-q-part-ii-many-typos",)),
    Question(
        "Is a histogram harder than the mean of a discrete population?",
        harder,
        ("NOTES-q-histogram-vs-mean-local-accuracy-sep", "BC-thm-12-i"),
    ),
    Question(
        "What accuracy do local models guarantee?",
        local,
        ("NOTES-q-histogram-vs-mean-local-accuracy-sep", "BC-thm-11-ii"),
    ),
    Question(
        "A paper of Sep 2021 has near-central guarantees with few messages: how does it affect these findings?",
        later,
        ("BC-claim-18", "BC-thm-17", "GKMP-thm-1", "GKMP-sec-5.1-0.04"),
    ),
)


def page() -> str:
    """The text of QUESTIONS.md."""
    parts = [HEAD]
    for number, one in enumerate(QUESTIONS, 1):
        known = verdicts()
        carried = ", ".join(f"`{name}` ({known[name][0]})" for name in one.names)
        parts += [f"## {number}. {one.asked}\n", one.answer(), f"`shufflecert claims`: {carried}.\n"]
    return "\n".join(parts)


if __name__ == "__main__":
    write_whole(FILE, page())
