"""The gallery: every table is its algorithm, run under all its random choices; every local eps is a closed form."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import combinations

import mpmath
import pytest

from shufflecert.protocols.gallery import GALLERY
from shufflecert.verify.decide import worst_case
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import oracle
from tests.gallery_algorithms import ALGORITHMS, ENTRIES, R_5, law
from tests.reference import real

F = Fraction


# The algorithms as their papers print them, run under every outcome of their coins ------------------------------------


def test_the_paths_of_a_small_algorithm():
    # two fair dice, the second thrown only after an even first: 1/2 of odd, 1/12 each of the six sums' second dice
    def throw(coins, _):
        first = coins.uniform(range(1, 7))
        return coins.uniform(range(1, 7)) if first % 2 == 0 else "odd"

    assert law(throw, None) == {("odd",): F(1, 2)} | {(str(y),): F(1, 12) for y in range(1, 7)}


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.sampled(2)
def test_the_table_is_the_algorithm(name):
    randomizer = ENTRIES[name].randomizer()
    assert {x: dict(row.items()) for x, row in randomizer.rows.items()} == {
        x: law(ALGORITHMS[name], x) for x in randomizer.inputs
    }


# e^eps: what the source's formula gives for these parameters, and what the randomizer keeps ---------------------------


Q_HALF, P_HALF = F(1, 2) * F(5, 4) / 2 + F(1, 2) * F(3, 4), F(1, 2) * F(5, 4) / 2 + F(1, 2) * F(1, 2)  # q*, p*, f = 1/2
Q_CHROME, P_CHROME = F(3, 4) * F(5, 4) / 2 + F(1, 4) * F(3, 4), F(3, 4) * F(5, 4) / 2 + F(1, 4) * F(1, 2)  # f = 3/4


def in_report_odds(f):
    """q* (1 - p*) / (p* (1 - q*)) for p = 1/2, q = 3/4."""
    one, zero = (f * F(5, 8) + (1 - f) * F(p) for p in ("3/4", "1/2"))
    return one * (1 - zero) / (zero * (1 - one))


def both_one(memoized):
    """The probability that two reports of a bit are both 1, B' being 1 with probability `memoized`."""
    return memoized * F(3, 4) ** 2 + (1 - memoized) * F(1, 2) ** 2


def both_zero(memoized):
    return memoized * F(1, 4) ** 2 + (1 - memoized) * F(1, 2) ** 2


TWO_REPORTS = both_one(F(3, 4)) / both_one(F(1, 4)) * both_zero(F(1, 4)) / both_zero(F(3, 4))

TIGHT = {  # the randomizer keeps exactly what is claimed
    "rappor_one_time": (F(3, 4) / F(1, 4)) ** 2,
    "rappor_report": Q_HALF * (1 - P_HALF) / (P_HALF * (1 - Q_HALF)),
    "rappor_chrome": (Q_CHROME * (1 - P_CHROME) / (P_CHROME * (1 - Q_CHROME))) ** 2,
    "symmetric_unary_encoding": F(2) ** 2,
    "optimal_unary_encoding": F(3),
    "d_bit_flip": F(2) ** 2,
    "one_bit_mean": F(3),
    "randomized_response": F(3),
    "subset_selection": F(3, 2),
    "hadamard_response": F(3),
    "projective_geometry_response": F(2),
    "optimal_local_hashing": F(2),
    "binary_local_hashing": F(3),
    "pckv_ue": max(F(3), 2 * 2 / (1 + F(1, 3))),
    "truncated_geometric": F(2) ** 4,
    "square_wave": F(3),
    "harmony": F(3),
    "nprr": 1 + 3 * F(2, 5) / F(3, 5),
}
LOOSE = {  # (claimed, kept)
    "rappor_two_reports": (F(9), TWO_REPORTS),
    "rappor_google_client": (in_report_odds(F(3, 10)) ** 2, in_report_odds(F(39, 128)) ** 2),
    "one_bit_flip": (F(2) ** 2, F(2)),  # a single bit shows e^(eps/2)
    "priv_kv": (F(3) * F(3), max(F(3), 3 * 2 / (1 + F(1, 3)))),  # PCKV's budget
}
ROUNDED = {"count_mean_sketch": F("7.389") ** 2, "hadamard_count_mean_sketch": F("54.598")}  # for a claim of eps = 4
ROUNDED["attribution_reporting_event"] = F("1202604.284")  # of eps = 14
MORE = {  # (claimed, kept): the claim is broken
    "nprr_package": (F(3), (F(2, 5) + F(3, 5) / 4) / (F(3, 5) / 4)),  # (r + (1 - r) / 2G) / ((1 - r) / 2G)
}
AT_DELTA = {"ipa_padding": Eps.log(2), "ipa_padding_of_ten": Eps.of(5)}  # no pure eps: the least count shows the input
SILENT = {  # the source claims nothing locally
    "cheu_bit": F(7),
    "cheu_vector": F(7) ** 2,
    "cheu_real": F(7) ** 3,
    "three_digit_sum": 3 * 3 * F(4),  # (1/2 + 1/4) / (1/4) twice, (1/2 + 1/6) / (1/6)
    "split_and_mix": None,
}


def test_every_entry_is_judged():
    assert sorted([*TIGHT, *LOOSE, *ROUNDED, *SILENT, *MORE, *AT_DELTA]) == sorted(entry.name for entry in GALLERY)
    assert len(GALLERY) >= 12


@pytest.mark.parametrize("name", ENTRIES)
def test_local_eps_is_the_closed_form(name):
    pairs = {n: exact for n, (_, exact) in (LOOSE | MORE).items()}
    known = {**TIGHT, **pairs, **ROUNDED, **SILENT, **dict.fromkeys(AT_DELTA)}[name]
    found = worst_case.epsilon(ENTRIES[name].randomizer(), 1, 0, "local").eps
    assert found == (None if known is None else Eps.log(known))


@pytest.mark.parametrize("name", ENTRIES)
def test_the_claim_is_what_the_formula_gives(name):
    claimed = ENTRIES[name].claimed_local_eps
    if name in SILENT:
        assert claimed is None and ENTRIES[name].claim_formula.startswith("none: ")
    elif name in ROUNDED:
        # rounded to the private side, and by little: eps - 0.0001 < ln(e^eps) < eps, where e^x = mpmath's
        eps = 14 if name == "attribution_reporting_event" else 4
        assert claimed == Eps.of(eps)
        power = mpmath.mpf(ROUNDED[name].numerator) / ROUNDED[name].denominator
        assert mpmath.e ** mpmath.mpf(f"{eps - 1}.9999") < power < mpmath.e**eps
    elif name in AT_DELTA:
        assert claimed == AT_DELTA[name] and ENTRIES[name].claimed_delta
    else:
        assert claimed == Eps.log(TIGHT[name] if name in TIGHT else (LOOSE | MORE)[name][0])


def test_what_others_claim():
    others = {e.name: [c.local_eps for c in e.others_claims] for e in GALLERY if e.others_claims}
    assert others == {
        "rappor_two_reports": [Eps.log(TIGHT["rappor_report"])],
        "priv_kv": [Eps.log(LOOSE["priv_kv"][1])],
        **{name: [Eps.log(SILENT[name])] for name in SILENT if SILENT[name]},
    }
    assert TIGHT["rappor_report"] < TWO_REPORTS < 9  # two reports show more than Theorem 2 allows one


def test_chrome_is_what_the_paper_prints():
    # Erlingsson et al., Sec. 5.4: eps_1 = 0.5343
    with mpmath.workdps(30):
        assert mpmath.nstr(mpmath.log(mpmath.mpf(74529) / 43681), 4) == "0.5343"
    assert ENTRIES["rappor_chrome"].claimed_local_eps == Eps.log(F(74529, 43681))


@pytest.mark.parametrize("name", ENTRIES)
def test_local_and_preshuffle_eps_agree_with_the_oracle(name):
    randomizer = ENTRIES[name].randomizer()
    rows = {x: dict(row.items()) for x, row in randomizer.rows.items()}
    for view in ("local", "preshuffle"):
        power, found = oracle.pure_epsilon_ratio(rows, 1, view), worst_case.epsilon(randomizer, 1, 0, view).eps
        assert found == (None if power is None else Eps.log(power)), view


def tail(r, n, sensitivity):
    """The probability of the last `sensitivity` values of noise, those that the smaller count never reaches."""
    weights = {z: r ** abs(z - n) for z in range(2 * n + 1)}
    return sum(weights[z] for z in range(sensitivity)) / sum(weights.values())


@pytest.mark.parametrize(
    ("name", "r", "n", "sensitivity"), [("ipa_padding", F(1, 2), 6, 1), ("ipa_padding_of_ten", R_5, 12, 10)]
)
def test_padding_keeps_the_sensitivity_times_eps(name, r, n, sensitivity):
    """delta(eps) is the tail where a user changes the count by 1; by 10, it is the tail at 10 eps, nearly 1 at eps."""
    entry = ENTRIES[name]
    assert tail(r, n, sensitivity) <= entry.claimed_delta < tail(r, n - 1, sensitivity)
    assert mpmath.exp(-5) < real(R_5) < mpmath.exp(mpmath.mpf("-4.9999999"))
    randomizer = entry.randomizer()
    kept = worst_case.delta(randomizer, 1, Eps.log(r**-sensitivity), "local").delta
    assert kept.minus(tail(r, n, sensitivity)).sign() == 0
    assert certify(randomizer, 1, entry.claimed_local_eps, entry.claimed_delta, "local").verdict == (
        "PROVED" if sensitivity == 1 else "REFUTED"
    )
    if sensitivity == 10:  # counts up to 4 above n are more than e^5 times as probable from the smaller count
        shown = worst_case.delta(randomizer, 1, Eps.of(5), "local").delta
        assert shown.minus(F(99, 100)).sign() > 0


def test_shares_show_their_sum_at_any_n():
    # the shuffled shares have the sum mod q, so neighbours with other sums never look alike: delta = 1
    randomizer = ENTRIES["split_and_mix"].randomizer()
    for n in (1, 2, 3):
        assert worst_case.delta(randomizer, n, Eps.of(10)).delta == 1
    shares = {x: dict(row.items()) for x, row in randomizer.rows.items()}
    for place in combinations(range(3), 2):  # while any two of the three are uniform, whatever the input
        for row in shares.values():
            seen = {}
            for sent, p in row.items():
                two = tuple(sent[i] for i in place)
                seen[two] = seen.get(two, 0) + p
            assert set(seen.values()) == {F(1, 25)}


def test_the_half_width_of_the_square_wave():
    # Li et al. 2020: b = d (eps e^eps - e^eps + 1) / (2 e^eps (e^eps - 1 - eps)) rounded down, d = 5, e^eps = 3
    eps = mpmath.log(3)
    assert ENTRIES["square_wave"].parameters["b"] == str(int(5 * (3 * eps - 3 + 1) / (2 * 3 * (3 - 1 - eps))))


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_complete_and_small(name):
    entry = ENTRIES[name]
    randomizer = entry.randomizer()
    assert isinstance(randomizer, Randomizer) and entry.randomizer() == randomizer
    assert len(randomizer.inputs) <= 64 and max(len(row.weights) for row in randomizer.rows.values()) <= 300
    assert name == name.lower() and name.isidentifier()
    assert all(text.strip() == text and text for text in (entry.title, entry.source, entry.claim_formula))
    assert any(str(year) in entry.source for year in range(1965, 2026))
    assert entry.parameters and all(isinstance(v, str) and v for v in entry.parameters.values())
    with pytest.raises(FrozenInstanceError):
        entry.name = "other"
