"""Theorem 18 of GKMP, as printed and as corrected, and what composing two bins of a histogram promises."""

from fractions import Fraction
from functools import partial

from flint import arb

from shufflecert.proofs.conjectures.datasets import POWERS
from shufflecert.proofs.small import exact_delta
from shufflecert.protocols.correlated import CorrelatedPair
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.enclose.noise_laws import NegativeBinomial, Noise, geometric
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import dyadic, precision, text
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.search import Conjecture, Grid, Hit

BITS = 128
Ends = tuple[Fraction, Fraction]


def _noises(steps: int) -> Grid:
    """D1 = D2 = NB(1, q), D3 = NB(r, p): e^eps1 = 1/q, and Delta and e^eps2 of the theorem."""
    shares = [text(Fraction(i, steps)) for i in range(1, steps)]
    values = {
        "q": shares,
        "r": ["1/2", "1", "3", "10"],
        "p": shares,
        "Delta": ["1", "2", "4"],
        "e^eps2": ["1", "3/2", "4"],
    }
    return Grid("correlated noise", values)


def _laws(case: dict[str, str]) -> tuple[Fraction, Noise, Noise, int, Fraction]:
    """(q, D2, D3, Delta, e^eps2), where NB(1, q) fails with ratio q."""
    q, p = Fraction(case["q"]), Fraction(case["p"])
    shared = NegativeBinomial(Fraction(case["r"]), p)
    return q, geometric(1 - q), shared, int(case["Delta"]), Fraction(case["e^eps2"])


def _ends(value: arb) -> Ends:
    return dyadic(value.lower()), dyadic(value.upper())


def _promised(case: dict[str, str], printed: bool) -> Ends:
    """e^eps1 delta2 + 2 e^(2 eps1) delta3, delta3 = Pr[D > Delta], D = D3 as printed, D2 as corrected."""
    q, second, shared, most, power = _laws(case)
    shifts = [ShiftedNoise(shared, by).divergence(Eps.log(power), BITS) for by in (most, -most)]
    with precision(BITS):
        tail = _ends((shared if printed else second).upper(most + 1))
    low, high = (max(ends[i] for ends in shifts) / q + 2 * tail[i] / q**2 for i in (0, 1))
    return low, high


def _kept(case: dict[str, str]) -> Ends:
    """delta(eps1 + eps2) of the correlated mechanism, the larger direction."""
    q, _, shared, _, power = _laws(case)
    pairs = [CorrelatedPair(q, shared, back).divergence(Eps.log(power / q), BITS) for back in (False, True)]
    return max(ends[0] for ends in pairs), max(ends[1] for ends in pairs)


def _theorem_18(case: dict[str, str], *, printed: bool, **_: int) -> bool:
    kept, promised = _kept(case), _promised(case, printed)
    if kept[1] <= promised[0]:
        return True
    if kept[0] > promised[1]:
        return False
    raise Undecided(f"delta in {kept}, promise in {promised}")


def _vacuous(case: dict[str, str], **_: int) -> bool:
    return _promised(case, True)[0] >= Fraction(1, 2)


# Histograms ----------------------------------------------------------------------------------------------------------


def _bins(n: int, denominator: int) -> Grid:
    ps = [text(Fraction(i, denominator)) for i in range(-(-denominator // 2), denominator)]
    powers = [text(power) for power in POWERS]
    return Grid("two bins with the same noise", {"n": [str(i) for i in range(1, n + 1)], "p": ps, "e^eps": powers})


def _two_bins(case: dict[str, str]) -> tuple[Fraction, Fraction]:
    """(delta of the histogram at 2 eps, twice delta of one bin at eps), exactly."""
    n, p, power = int(case["n"]), Fraction(case["p"]), Fraction(case["e^eps"])
    return exact_delta(Hist(2, p).randomizer(), n, power**2), 2 * exact_delta(ZSum(p).randomizer(), n, power)


def _bound(case: dict[str, str], **_: int) -> bool:
    both, twice = _two_bins(case)
    return both <= twice


def _attained(case: dict[str, str], **_: int) -> bool:
    both, twice = _two_bins(case)
    return both == min(twice, Fraction(1))


def _loose(case: dict[str, str], **_: int) -> Hit:
    both, twice = _two_bins(case)
    words = (
        f"n = {case['n']}, p = {case['p']}, e^eps = {case['e^eps']}: delta(2 eps) of two bins is {text(both)},"
        f" and twice delta(eps) of one is {text(twice)}"
    )
    return Hit(words, {"two bins": text(both), "twice one": text(twice)})


CONJECTURES = (
    Conjecture(
        "theorem-18-corrected",
        "GKMP Theorem 18 with D2 in its third condition: what it promises of correlated noise is kept.",
        _noises,
        partial(_theorem_18, printed=False),
        {"steps": 4},
        "GKMP 2021, Theorem 18, with the condition that its proof uses",
    ),
    Conjecture(
        "theorem-18-printed",
        "GKMP Theorem 18 as printed, with D3 in its third condition: what it promises of correlated noise is kept.",
        _noises,
        partial(_theorem_18, printed=True),
        {"steps": 4},
        "GKMP 2021, Theorem 18",
    ),
    Conjecture(
        "theorem-18-printed-is-vacuous",
        "GKMP Theorem 18 as printed promises no delta below 1/2, for e^eps2 up to 4.",
        _noises,
        _vacuous,
        {"steps": 4},
        "Proved in proofs/gkmp_experiments.py, as_printed",
    ),
    Conjecture(
        "two-bins-bound",
        "Balcer & Cheu's histogram: delta(2 eps) is at most twice delta(eps) of one bin.",
        _bins,
        _bound,
        {"n": 5, "denominator": 6},
        "Balcer & Cheu 2020, proof of Theorem 12, by basic composition",
        explain=_loose,
    ),
    Conjecture(
        "two-bins-tight",
        "Balcer & Cheu's histogram: composing two bins is tight, delta(2 eps) is twice delta(eps) of one bin.",
        _bins,
        _attained,
        {"n": 5, "denominator": 6},
        "What the constant in Balcer & Cheu 2020, Theorem 12, takes for granted",
        explain=_loose,
    ),
)
