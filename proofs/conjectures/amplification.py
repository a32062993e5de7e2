"""Published bounds on amplification by shuffling, held against k-ary randomized response over all datasets.

The randomizer: the truth with probability E/(E + k - 1), E = e^eps0, each other value with 1/(E + k - 1). Both papers
bound delta(eps) of n users by that of a pair (P, Q) of laws of two counts (a, b): each other user adds a unit on the
left with probability r, on the right with probability r, else nothing; the user in question adds one on the left with
probability x, on the right with y, else nothing, under P, and the mirror image of that under Q.

Variation-ratio (Wang, Peng, Li, Wen, Li, Yu, Wang & Yang, "Privacy Amplification via Shuffling: Unified, Simplified,
and Tightened", VLDB 2024, arXiv 2304.05007). P = (A + D1, C - A + D2), Q = (A + D2, C - A + D1) with C ~ Bin(n-1, 2r),
A ~ Bin(C, 1/2), D1 ~ Bernoulli(p alpha), D2 ~ Bin(1 - D1, alpha/(1 - p alpha)), alpha = beta/(p - 1), r = alpha p/q: so
x = p alpha, y = alpha. Their table has for randomized response on k options p = q = E, beta = (E - 1)/(E + k - 1), so
that x = E/(E + k - 1), y = r = 1/(E + k - 1). Read: the appendix (proofs of Lemmas 4.4 to 4.6, of Theorems 4.2, 4.3,
4.8 and 5.1), the table and the code, as the authors released them (appendix.pdf, README.md, unifiedamplification.py of
wangsw/PrivacyAmplification at 34ca048), and of the paper itself the abstract. `Delta` of that code is `variation_ratio`
here, in floats; tests/test_amplification.py holds values of it.

Stronger clones (Feldman, McMillan & Talwar, "Stronger Privacy Amplification by Shuffling for Renyi and Approximate
Differential Privacy", SODA 2023, arXiv 2208.04591). C ~ Bin(n-1, 2p), D1 ~ Bernoulli(E p), D2 ~ Bin(1 - D1,
p/(1 - E p)): so x = E p, y = r = p. p = 1/(E + 1) is the bound for any randomizer (Theorems 3.1, 3.2); Lemma 3.5 has
p up to that, and a smaller one claims more: the least that randomized response allows is p = 1/(E + k - 1), since
(E - 1) p is at least the total variation distance of two inputs. Read: the abstract and the opening of the errata, no
more of the paper was to be had, so that its own sentence on k-ary response was not seen; the law is that of Wang et al.
App. C, which generalizes Lemma 3.5, and of the code of Koskela, Heikkila & Honkela 2023, which takes p = 1/(E + 1)
(DPBayes/numerical-shuffler-experiments at 75068f3, clones_comparison_fig1/delta_shuffler_fa.py). The code released by
the authors themselves (apple/ml-shuffling-amplification at 993d285) computes an earlier bound, that of "Hiding Among
the Clones", C ~ Bin(n-1, 1/E), which is not in question. With p = 1/(E + k - 1) the two papers' pairs for k-ary
response are one and the same.

Errata. Feldman et al.: the proof of Lemma 3.5 errs where p < 1/(E + 1), which affects Theorems 3.1 and 3.2, Corollary
4.3 and Theorem 5.2; the first two, and the figures, hold for a restricted class, and the lemma with another
decomposition. For Wang et al. none was found; they say of their Lemma 4.5 that its proof is like that of the
stronger clones. (Su, Cheng & Wang, arXiv 2504.07414, were read in the abstract and the code only.)

What goes wrong: the step from (a, b) back to the messages replaces "a uniformly random one" of the n - a - b users left
over by the user in question, with a probability that is taken to depend on a + b alone. Under P and Q it depends on a
and on b. It does no harm where the user is never left over, x + y = 1: `stronger-clones-krr-general`.

For k >= 3 the bound is wrong at every n >= 2 and every E > 1. All n messages on the user's value a have under all
others on a the probabilities (E/(E + k - 1))^n and 1/E of it, so that delta >= (1 - e^eps/E) (E/(E + k - 1))^n. In the
pair P/Q = E only at (n, 0), of probability E/(E + k - 1)^n: for e^eps from the next ratio up to E the bound is
(1 - e^eps/E) of this, and delta is at least E^(n-1) times the bound. Nor is it ever above delta: all others on a third
value, with all values but two counted as one, give the pair itself (this is Wang et al., Theorem 5.1).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from math import comb

from shufflecert.proofs.small import value_of
from shufflecert.protocols.krr import KRR, MAX_WRITTEN
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import worst_case
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Case, neighbourhood
from shufflecert.verify.exact.randomizer import Law, Randomizer
from shufflecert.verify.exact.rational import natural, rational, text
from shufflecert.verify.search import Conjecture, Grid, Hit

Bound = Callable[[int, int, Fraction], Pair]  # k, n, E to the pair that is said to dominate
RATIOS = "3/2,2,3,4,5,8"
MOST_USERS = 100  # of which datasets can be enumerated, for k = 3
PART = "(e^eps - 1)/(E - 1)"


# The bounds ----------------------------------------------------------------------------------------------------------


def two_counts(n: int, x: Fraction, y: Fraction, r: Fraction) -> Pair:
    """(P, Q) as above, exactly. Both directions of it are equal. Raises BadInput unless x + y <= 1 and 2 r <= 1."""

    def others(a: int, b: int) -> Fraction:
        if min(a, b, n - 1 - a - b) < 0:
            return Fraction(0)
        return Fraction(comb(n - 1, a) * comb(n - 1 - a, b) * r ** (a + b) * (1 - 2 * r) ** (n - 1 - a - b))

    law = Law.of(
        {
            (a, b): x * others(a - 1, b) + y * others(a, b - 1) + (1 - x - y) * others(a, b)
            for a in range(n + 1)
            for b in range(n + 1 - a)
        }
    )
    mirrored = Law({(b, a): weight for (a, b), weight in law.weights.items()}, law.denominator)
    return Pair.of(law, mirrored)


def variation_ratio(n: int, p: Fraction, beta: Fraction, q: Fraction) -> Pair:
    """The pair of Wang et al. for these parameters, in their letters. Raises BadInput where there is none."""
    alpha = beta / (p - 1)
    return two_counts(n, p * alpha, alpha, alpha * p / q)


def stronger_clones(n: int, E: Fraction, p: Fraction) -> Pair:
    """The pair of Feldman, McMillan & Talwar 2022 for eps0 = log(E) and p. Raises BadInput where there is none."""
    return two_counts(n, E * p, p, p)


def _variation_ratio_krr(k: int, n: int, E: Fraction) -> Pair:
    return variation_ratio(n, E, (E - 1) / (E + k - 1), E)


def _stronger_clones_krr(k: int, n: int, E: Fraction) -> Pair:
    return stronger_clones(n, E, 1 / (E + k - 1))


def _stronger_clones_general(k: int, n: int, E: Fraction) -> Pair:
    """Proved for k-ary randomized response, all k and n: the search can find nothing.

    Q0 = (E R(a) - R(b))/(E - 1) and Q1 = (E R(b) - R(a))/(E - 1) are laws, R(a) = (E Q0 + Q1)/(E + 1) and R(b) is its
    mirror image. Every R(z) is at least (Q0 + Q1)/(E + 1) = (R(a) + R(b))/(E + 1): on a and b this is 1/(E + k - 1),
    the least probability there is, and elsewhere 2/(E + 1) of that. So another user draws from Q0 or from Q1, each with
    probability p = 1/(E + 1), else from a law of its own. The user in question always draws from Q0 or Q1; hence, given
    the counts (a, b) of such draws, those who do not draw so are a uniformly random n - a - b of the others, under P
    and Q alike, and what the shuffler shows is a random function of (a, b).
    """
    return stronger_clones(n, E, 1 / (E + 1))


# The comparison ------------------------------------------------------------------------------------------------------


def response(k: int, E: Fraction) -> Randomizer:
    """k-ary randomized response of local eps log(E): `krr` with gamma = k/(E + k - 1)."""
    return KRR(k, k / (E + k - 1)).randomizer()


def worst_response(k: int, n: int, E: Fraction, power: Fraction) -> tuple[Fraction, Case]:
    """delta at e^eps = power, the largest over all neighbouring datasets, by enumeration; and the pair that has it.

    Exact. Raises TooMuchWork where the datasets are too many to be enumerated.
    """
    _, case = worst_case(neighbourhood(response(k, E), n), Eps.log(power))
    assert case is not None
    return delta_of(case.pair, power), case


def delta_of(pair: Pair, power: Fraction) -> Fraction:
    """delta of P against Q at e^eps = power, exactly."""
    return value_of(pair.delta(Eps.log(power)), power)


def _grid(k: int, n: int, ratios: str, steps: int) -> Grid:
    """n first, then E, then e^eps from 1 up to E. Raises BadInput for k or n out of range or a ratio at most 1."""
    natural(k, "k", least=2, most=MAX_WRITTEN)
    natural(n, "n", least=2, most=MOST_USERS)
    found = sorted({rational(ratio.strip(), "ratios") for ratio in ratios.split(",")})
    if found[0] <= 1:
        raise BadInput(f"ratios: {text(found[0])}: expected local e^eps above 1")
    parts = [Fraction(i, steps) for i in range(steps + 1)]
    values = {
        "n": [str(users) for users in range(2, n + 1)],
        "E": [text(ratio) for ratio in found],
        PART: [text(part) for part in parts],
    }
    return Grid(f"{k}-ary randomized response of local eps log(E), n users", values)


def _read(case: Mapping[str, str]) -> tuple[int, Fraction, Fraction]:
    """(n, E, e^eps)"""
    E = Fraction(case["E"])
    return int(case["n"]), E, 1 + (E - 1) * Fraction(case[PART])


def _holds(bound: Bound, case: Mapping[str, str], *, k: int, **_: int | str) -> bool:
    n, E, power = _read(case)
    return worst_response(k, n, E, power)[0] <= delta_of(bound(k, n, E), power)


def _explain(bound: Bound, case: Mapping[str, str], *, k: int, **_: int | str) -> Hit:
    n, E, power = _read(case)
    delta, worst = worst_response(k, n, E, power)
    allowed = delta_of(bound(k, n, E), power)
    around = worst.neighbours
    others = ", ".join(f"{count} on {x}" for x, count in (around.others or {}).items() if count)
    words = (
        f"k = {k}, n = {n}, E = {text(E)}, e^eps = {text(power)}: delta = {text(delta)} for one user on {around.source}"
        f" against {around.target}, the others: {others}; the bound is {text(allowed)}"
    )
    numbers = {
        "k": k,
        "n": n,
        "E": text(E),
        "e^eps": text(power),
        "delta": text(delta),
        "bound": text(allowed),
        "times": text(delta / allowed) if allowed else "inf",
        "worst": {"source": around.source, "target": around.target, "others": dict(around.others or {})},
    }
    refuted = certify(response(k, E), n, Eps.log(power), allowed)
    return Hit(words, numbers, {f"delta is more than the bound {text(allowed)}": refuted})


def _conjecture(name: str, statement: str, bound: Bound, source: str) -> Conjecture:
    return Conjecture(
        name,
        statement,
        _grid,
        partial(_holds, bound),
        {"k": 3, "n": 5, "ratios": RATIOS, "steps": 8},
        source,
        explain=partial(_explain, bound),
    )


CONJECTURES = (
    _conjecture(
        "variation-ratio-krr",
        "The variation-ratio bound, with the parameters listed for it, holds for k-ary randomized response.",
        _variation_ratio_krr,
        "Wang et al. 2024 (arXiv 2304.05007), Theorem 4.7 and the table of parameters",
    ),
    _conjecture(
        "stronger-clones-krr",
        "The stronger-clones bound with p = 1/(e^eps0 + k - 1) holds for k-ary randomized response.",
        _stronger_clones_krr,
        "Feldman, McMillan & Talwar 2022 (arXiv 2208.04591), Lemma 3.5; its errata say that the proof errs for such p",
    ),
    _conjecture(
        "stronger-clones-krr-general",
        "The stronger-clones bound for all randomizers, p = 1/(e^eps0 + 1), holds for k-ary randomized response.",
        _stronger_clones_general,
        "Feldman, McMillan & Talwar 2022 (arXiv 2208.04591), Theorems 3.1 and 3.2",
    ),
)
