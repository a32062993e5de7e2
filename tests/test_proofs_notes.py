"""BC Theorem 12 and a reader's notes: their verdicts, and false variants that the checks reject."""

from fractions import Fraction

import pytest

from shufflecert.proofs import (
    bc_applications,
    bc_earlier_work,
    bc_histogram,
    bc_related,
    notes_histogram,
    notes_smooth,
    notes_sum,
)
from shufflecert.proofs.ledger import statements_of
from shufflecert.proofs.results import verdicts
from shufflecert.proofs.small import exact_delta
from shufflecert.proofs.statement import StepFailed
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.pointer_chasing import PointerChasing
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer

VERDICTS = {
    bc_histogram: {
        "BC-sec-2-6-permutations": "proved",
        "BC-def-9-10": "proved",
        "BC-fig-2": "proved",
        "BC-thm-12-i": "proved",
        "BC-thm-12-ii": "proved",
        "BC-thm-12-iii": "proved",
        "BC-thm-12-iv": "proved",
    },
    bc_applications: {
        "BC-def-13": "proved",
        "BC-claim-14": "proved",
        "BC-claim-14-proof-delta-1-200h-1": "misprint",
        "BC-claim-14-proof-threshold": "proved",
        "BC-claim-14-coupon-collector": "proved",
        "BC-fn-3": "proved",
        "BC-sec-3.3-8-t": "not machine-checkable",
        "BC-def-15-16": "proved",
    },
    bc_related: {
        "BC-thm-1-informal": "proved",
        "BC-thm-2-informal": "not machine-checkable",
        "BC-sec-1.1-comparison": "proved",
        "BC-table-1-6-rows": "not machine-checkable",
        "BC-sec-3.2-stability-alg": "proved",
        "BC-pc-mpj-bounds-table-2-6-cells": "not machine-checkable",
    },
    bc_earlier_work: {
        "BC-sec-1.2-8-lemma": "proved",
        "BC-sec-1.2-bernoulli-mean": "not machine-checkable",
        "BC-sec-1.2-12-lemma": "not machine-checkable",
        "BC-sec-3.2-single-message-lb": "not machine-checkable",
        "BC-fn-2": "not machine-checkable",
    },
    notes_histogram: {
        "NOTES-takeaways": "not machine-checkable",
        "NOTES-hist-analyser-step-3": "misprint",
        "NOTES-thm-hist-3": "refuted",
        "NOTES-hist-part-iii-chain": "misprint",
        "NOTES-hist-part-i": "misprint",
        "NOTES-part-iv": "proved",
        "NOTES-notlocalnotshuffle": "misprint",
        "NOTES-only-works-because-single-bit": "refuted",
        "NOTES-r-gap-perfect-shuffle-privacy-for-some": "proved",
        "NOTES-q-r-gap-why": "proved",
        "NOTES-q-histogram-vs-mean-local-accuracy-sep": "not machine-checkable",
    },
    notes_smooth: {
        "NOTES-smooth-def": "refuted",
        "NOTES-lemma-2": "proved",
        "NOTES-lemma-3": "misprint",
        "NOTES-lemma-3-g-inclusion": "refuted",
        "NOTES-lemma-3-chernoff": "proved",
        "NOTES-lemma-3-event-formula": "misprint",
        "NOTES-lemma-3-k-0-ratio-1-a": "refuted",
        "NOTES-q-products-alpha": "proved",
    },
    notes_sum: {
        "NOTES-q-why-sqrt5": "proved",
        "NOTES-clearly-eps-sqrt5-alpha": "refuted",
        "NOTES-n-alpha-gamma-2": "proved",
        "NOTES-randomiser": "proved",
        "NOTES-thm-binhist": "misprint",
        "NOTES-q-part-ii-many-typos": "refuted",
    },
}


@pytest.mark.parametrize("module", VERDICTS, ids=lambda module: module.__name__)
def test_verdicts(module):
    """As MAP.md has them; tests/test_proofs.py runs every check and holds MAP.md to what it finds."""
    found = {name: verdict for name, (verdict, _) in verdicts().items()}
    assert {one.name: found[one.name] for one in statements_of(module)} == VERDICTS[module]


# Theorem 12 ------------------------------------------------------------------------------------------------------


def test_the_joint_delta_at_half_of_eps_is_above_the_composed_one(monkeypatch):
    """Where the composed claim is made for too small an eps it is false, and the check sees it."""
    monkeypatch.setattr(bc_histogram, "delta", lambda system, n, eps: delta(system, n, Eps.of(eps.exponent / 4)))
    with pytest.raises(StepFailed, match="joint"):
        bc_histogram.theorem_12_i()


def test_a_histogram_that_shares_its_noise_is_not_figure_2(monkeypatch):
    class Shared(Hist):
        def randomizer(self):
            every = tuple(str(j) for j in range(1, self.d + 1))
            return Randomizer.of(
                {x: {tuple(sorted((x, *every))): self.p, (x,): 1 - self.p} for x in map(str, range(1, self.d + 1))}
            )

    monkeypatch.setattr(bc_histogram, "Hist", Shared)
    with pytest.raises(StepFailed, match="d = 2"):
        bc_histogram.figure_2()


def test_a_randomizer_that_sends_more_is_not_counted_as_d_and_one(monkeypatch):
    class Loud(Hist):
        def randomizer(self):
            rows = super().randomizer().rows
            return Randomizer.of({x: {(*sent, "1"): w for sent, w in row.items()} for x, row in rows.items()})

    monkeypatch.setattr(bc_histogram, "Hist", Loud)
    with pytest.raises(StepFailed, match="d \\+ 1"):
        bc_histogram.theorem_12_iv()


def test_a_smaller_alpha_is_not_kept_simultaneously(monkeypatch):
    """With 7/10 of alpha some dataset fails more often than beta."""
    true = bc_histogram.alpha_below
    monkeypatch.setattr(bc_histogram, "alpha_below", lambda n, eps, d, beta: true(n, eps, d, beta) * 7 / 10)
    with pytest.raises(StepFailed, match="beta"):
        bc_histogram.theorem_12_iii()


def test_per_query_accuracy_is_about_the_worst_bin(monkeypatch):
    monkeypatch.setattr(bc_histogram, "bin_law", lambda n, p, users, alpha: Fraction(users, 10))
    with pytest.raises(StepFailed):
        bc_histogram.definitions_9_10()


# The notes -------------------------------------------------------------------------------------------------------


def test_lemma_2_with_a_ratio_that_forgets_empty_outcomes_fails(monkeypatch):
    def finite(law, shift, power):
        return sum(w for y, w in enumerate(law) if 0 <= y + shift < len(law) and w >= power * law[y + shift])

    monkeypatch.setattr(notes_smooth, "rough", finite)
    with pytest.raises(StepFailed):
        notes_smooth.lemma_2()


def test_the_printed_intermediate_inequality_holds_where_its_counterexample_is_not(monkeypatch):
    monkeypatch.setattr(notes_smooth, "counterexample", lambda: (Fraction(3, 2), Fraction(3, 2)))
    with pytest.raises(StepFailed, match="2 against 3/2"):
        notes_smooth.intermediate()


def test_joint_gap_by_hand():
    half = [Fraction(1, 2), Fraction(1, 2)]
    assert notes_smooth.joint_gap(half, (1,), Fraction(1)) == Fraction(1, 2)
    assert notes_smooth.joint_gap(half, (1, 0), Fraction(1)) == Fraction(1, 2)
    assert notes_smooth.joint_gap(half, (1, 1), Fraction(1)) == Fraction(3, 4)


def test_another_counterexample_to_the_window(monkeypatch):
    monkeypatch.setattr(notes_smooth, "rough", lambda law, shift, power: Fraction(1, 3))
    with pytest.raises(StepFailed):
        notes_smooth.smooth_definition()


def test_a_right_equality_would_be_noticed(monkeypatch):
    from shufflecert.proofs.statement import Finding

    monkeypatch.setattr(notes_sum, "alpha_prime", lambda: Finding("proved", "all", ("x",)))
    with pytest.raises(StepFailed, match="one slip"):
        notes_sum.typos()


def test_randomiser_with_another_coin(monkeypatch):
    from shufflecert.protocols.zsum import ZSum

    monkeypatch.setattr(notes_sum, "ZSum", lambda p: ZSum(1 - p / 3))
    with pytest.raises(StepFailed):
        notes_sum.randomiser()


# Applications ----------------------------------------------------------------------------------------------------


def test_a_threshold_of_t_takes_others_in():
    bc_applications.separation()
    with pytest.raises(StepFailed, match="others"):
        bc_applications.separation(0)
    with pytest.raises(StepFailed, match="chosen"):
        bc_applications.separation(2)


def test_coupons_by_hand():
    assert bc_applications.coupon_chance(2, 2, 1) == Fraction(1, 2)
    assert bc_applications.coupon_chance(3, 2, 1) == Fraction(3, 4)
    assert bc_applications.coupon_chance(3, 2, 2) == 0
    assert bc_applications.coupon_chance(4, 2, 2) == Fraction(3, 8)


def test_smaller_constants_are_not_carried(monkeypatch):
    monkeypatch.setattr(bc_applications, "COUPONS", 69)
    with pytest.raises(StepFailed, match="constant"):
        bc_applications.coupons()
    monkeypatch.setattr(bc_applications, "COUPONS", 70)
    monkeypatch.setattr(bc_applications, "SAMPLES", 7600)
    with pytest.raises(StepFailed, match="constant"):
        bc_applications.claim_14()


def test_another_pointer_is_not_the_definition_s(monkeypatch):
    class Later(PointerChasing):
        def analyze(self, messages, n):
            return PointerChasing(self.k + 1, self.l, self.p).analyze(messages, n)

    monkeypatch.setattr(bc_applications, "PointerChasing", Later)
    with pytest.raises(StepFailed):
        bc_applications.definitions_15_16()


# Introduction, and the notes on the histogram -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "name", "value", "check"),
    [
        (bc_related, "ERROR", 790, bc_related.theorem_1),
        (bc_related, "CENTRAL", 13, bc_related.stability),
        (bc_related, "CENTRAL_SAMPLES", 290, bc_related.table_2),
        (notes_histogram, "gap_law", lambda n: Fraction(8, 5), notes_histogram.perfect),
        (
            notes_histogram,
            "many_bins",
            lambda: (70, Fraction(1), Fraction(1, 3), Fraction(1, 4)),
            notes_histogram.theorem_3,
        ),
        (notes_histogram, "KRR", lambda k, gamma: RInfinity(), notes_histogram.single_bit),
        (notes_histogram, "literally", lambda messages, n, p: Fraction(0), notes_histogram.analyser),
    ],
)
def test_constants_and_variants_that_are_false(monkeypatch, module, name, value, check):
    monkeypatch.setattr(module, name, value)
    with pytest.raises(StepFailed):
        check()


def test_the_lemma_of_8_needs_the_logarithm_of_n(monkeypatch):
    """With eps in place of eps + ln n it is false: shuffling amplifies."""

    def forgetful(given, n, t, view="shuffled"):
        return exact_delta(given, n, t / 3 if t >= 3 else t, view)

    monkeypatch.setattr(bc_earlier_work, "exact_delta", forgetful)
    with pytest.raises(StepFailed, match="n ="):
        bc_earlier_work.lemma_8()


def test_the_vertices_are_of_randomizers_with_finite_eps(monkeypatch):
    monkeypatch.setattr(bc_earlier_work, "power", lambda given, n: Fraction(2))
    with pytest.raises(StepFailed):
        bc_earlier_work.lemma_12()


def test_two_counts_move_for_one(monkeypatch):
    monkeypatch.setattr(notes_histogram, "Hist", lambda d, p: notes_histogram.ZSum(p))
    with pytest.raises(StepFailed, match="n = 50"):
        notes_histogram.conceptual()
