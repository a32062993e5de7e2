"""Every statement's check runs and finds what MAP.md says; and every step rejects a statement that is wrong."""

import re
import subprocess
import sys
from fractions import Fraction
from itertools import permutations, product
from math import gcd

import pytest

from shufflecert.proofs import bc_single_message, constants, results, small, theorems
from shufflecert.proofs.bc_model import VARIABLE_LENGTH
from shufflecert.proofs.bc_multi_message import COUNTS, computed, fills_from, gap_law, sumset
from shufflecert.proofs.bc_single_message import (
    disagreement,
    enumerate_families,
    keeps_below,
    unanimous_ratio,
    unsimulated,
)
from shufflecert.proofs.ledger import select, settle, statements, to_json
from shufflecert.proofs.map import FILE, HEADER, TITLE, render, row
from shufflecert.proofs.statement import Finding, Statement, StepFailed, step
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.rr import RR
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Randomizer

R_INFINITY = RInfinity().randomizer()
R_GAP = RGap().randomizer()


# The statements ------------------------------------------------------------------------------------------------------


def map_rows() -> list[str]:
    text = FILE.read_text(encoding="utf-8")
    assert text.startswith(TITLE)
    return text.removeprefix(TITLE).partition(constants.TITLE)[0].splitlines()


def test_the_map_ends_with_the_theorems_in_coq():
    """Each of them is a theorem or lemma of its file, and among those whose axioms Axioms.v prints."""
    text = FILE.read_text(encoding="utf-8")
    assert text.endswith(constants.table() + theorems.table()), "run: python -m shufflecert.proofs.map"
    printed = (theorems.FOLDER / "Axioms.v").read_text(encoding="utf-8")
    for one in theorems.THEOREMS:
        text = one.path.read_text(encoding="utf-8")
        assert re.search(rf"^(Theorem|Lemma) {one.name}\b", text, flags=re.MULTILINE), one.name
        assert re.search(rf"@{one.name}\b", printed), one.name


SLOW = ("BC-claim-18", "BC-def-4", "BC-thm-17", "GKMP-corr-exact", "GKMP-sec-5.1-0.278")  # 11 s: `make test-long`


@pytest.mark.parametrize(
    "one", [pytest.param(one, id=one.name, marks=[pytest.mark.long] * (one.name in SLOW)) for one in statements()]
)
@pytest.mark.sampled(4)
def test_a_check_finds_its_verdict_and_the_map_has_it(one):
    settled = settle(one)
    answer = to_json(settled)
    keys = ["name", "place", "statement", "verdict", "range", "evidence", "seconds", "certificates", "evaluations"]
    assert list(answer) == keys
    assert bool(settled.certificates or settled.evaluations) is (answer["verdict"] == "refuted")
    assert answer["evidence"] and answer["range"]
    assert one.check.__doc__, "the docstring is the proof"
    assert f"| {' | '.join(row(settled))} |" in map_rows(), "run: python -m shufflecert.proofs.map"
    for sharper in results.SHARPER:
        if sharper.name == one.name:  # what RESULTS.md says is what the check found
            assert any(sharper.proved in text for text in (answer["range"], *answer["evidence"]))


def test_the_map_lists_all_statements_in_order_and_nothing_else():
    head, line, *rows = map_rows()
    assert head == f"| {' | '.join(HEADER)} |" and set(line) <= set("| -")
    assert [text.split("`")[1] for text in rows] == [one.name for one in statements()]


def test_map_cells_escape_bars():
    finding = Finding("proved", "all", ("x",))
    one = Statement("X", "BC X", "1", "H(P||Q)", lambda: finding)
    assert r"H(P\|\|Q)" in render([settle(one)])


def test_select_takes_names_and_globs_in_any_case():
    assert [one.name for one in select(["bc-claim-1?"])] == ["BC-claim-14", "BC-claim-18", "BC-claim-19"]
    assert [one.name for one in select(["BC-claim-19", "BC-def-4"])] == ["BC-def-4", "BC-claim-19"]
    assert select() == statements()


def test_select_names_the_closest_statement():
    with pytest.raises(BadInput, match=r"^claims: 'BC-clam-20' matches no statement: .* such as BC-claim-20$"):
        select(["BC-claim-18", "BC-clam-20"])


def test_listing_the_statements_does_not_import_sympy():
    code = "import sys, shufflecert.proofs.ledger as s; s.statements(); sys.exit('sympy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_verdicts_are_refused():
    with pytest.raises(ValueError, match="expected one of"):
        Finding("true", "all", ())


@pytest.mark.parametrize("holds", [False, None, 1, "yes"])
def test_a_step_holds_only_when_it_is_true(holds):
    with pytest.raises(StepFailed, match="this"):
        step(holds, "this")


# The families and the shuffler ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("inputs", "messages", "most"), [(2, 2, 5), (2, 3, 3), (3, 2, 3), (3, 3, 2)])
def test_families_are_all_randomizers_up_to_renaming(inputs, messages, most):
    seen = set()
    for d in range(1, most + 1):
        rows = [w for w in product(range(d + 1), repeat=messages) if sum(w) == d]
        for chosen in product(rows, repeat=inputs):
            if gcd(d, *(w for one in chosen for w in one)) == 1:
                orders = (
                    tuple(sorted(c for c in zip(*order, strict=True) if any(c))) for order in permutations(chosen)
                )
                seen.add(min(orders))
    listed = [
        min(
            tuple(sorted(tuple(column[x] for x in order) for column in columns))
            for order in permutations(range(inputs))
        )
        for columns in small.families(inputs, messages, most)
    ]
    assert len(listed) == len(set(listed)) and set(listed) == seen


def test_six_messages_of_three_users_come_in_720_orders():
    law = small.ordered_law(Randomizer.of({i: {(f"{i}a", f"{i}b"): 1} for i in range(3)}), ("0", "1", "2"))
    assert len(law) == 720 and set(law.values()) == {Fraction(1, 720)}


def test_neighbouring_datasets_differ_in_exactly_one_row():
    pairs = list(small.neighbouring(("a", "b", "c"), 3))
    assert len(pairs) == len(set(pairs)) == 27 * 3 * 2
    assert all(sum(x != y for x, y in zip(one, other, strict=True)) == 1 for one, other in pairs)


def test_the_largest_event_is_found():
    P, Q = {("a",): Fraction(1)}, {("b",): Fraction(1)}
    assert small.largest_gap(P, Q, Fraction(2)) == small.hockey_stick(P, Q, Fraction(2)) == 1
    assert small.largest_gap(P, P, Fraction(2)) == small.hockey_stick(P, P, Fraction(2)) == 0


# Wrong statements are rejected: single messages ----------------------------------------------------------------------


def test_claim_18_is_false_for_two_messages_and_the_comparison_says_so():
    assert disagreement(R_INFINITY, (1, 2)) == (R_INFINITY, 1, None, Fraction(1))
    assert disagreement(R_GAP, (1, 2, 3)) == (R_GAP, 2, None, Fraction(5, 2))
    assert disagreement(RR(Fraction(1, 4)).randomizer(), (1, 2, 3)) is None


def test_a_counterexample_among_the_families_refutes_claim_18(monkeypatch):
    planted = ((1, 1), (2, 3), (3, 2))
    assert small.pure_power(planted, 3) == Fraction(3, 2)
    monkeypatch.setattr(bc_single_message, "FAMILIES", ((2, 2, 6), (2, 3, 6)))
    build = small.pure_power
    monkeypatch.setattr(bc_single_message, "pure_power", lambda c, n: Fraction(1) if c == planted else build(c, n))
    finding = bc_single_message.claim_18()
    assert finding.verdict == "refuted" and "e^eps shuffled 1, local 3/2" in finding.evidence[-1]


@pytest.mark.parametrize(("inputs", "messages", "most"), [(2, 2, 7), (2, 3, 4), (3, 2, 4), (3, 3, 2)])
def test_the_products_of_small_weights_are_the_engine_s(inputs, messages, most):
    for columns in small.families(inputs, messages, most):
        for n in (1, 2, 3):
            assert small.pure_power(columns, n) == small.power(small.randomizer(columns), n)


def test_only_unanimous_outcomes_have_the_local_ratio():
    from sympy import symbols

    z, a, b = (symbols(f"{name}:2", positive=True) for name in "zab")
    f_a, f_b = (sum(row[y] * z[y] for y in range(2)) for row in (a, b))
    assert unanimous_ratio(f_a, f_b, z, z[0], 3) == a[0] / b[0] != a[1] / b[1]
    one_or_two, none_or_one = a[0] * z[0] + a[1] * z[0] ** 2, b[0] * z[0] + b[1]  # not single-message
    assert unanimous_ratio(one_or_two, none_or_one, z, z[0], 3) != a[0] / b[0]


def test_nothing_stays_below_without_the_hypothesis():
    assert keeps_below(2, 2)
    assert not keeps_below(2, 2, assumed=False)
    assert not keeps_below(3, 0, assumed=False)


def test_permuting_users_is_not_shuffling_messages_when_there_are_several():
    assert unsimulated(R_INFINITY, 1) == ("0",)
    assert unsimulated(Randomizer.of(VARIABLE_LENGTH), 1) == ("0",)
    assert unsimulated(RR(Fraction(1, 4)).randomizer(), 3) is None


# Wrong statements are rejected: several messages ---------------------------------------------------------------------


@pytest.mark.parametrize("base", range(1, 8))
def test_the_sums_of_0_1_4_have_holes(base):
    with pytest.raises(StepFailed, match="base"):
        fills_from(frozenset({0, 1, 4}), base)


def test_one_user_of_r_gap_has_a_hole_and_the_step_needs_a_user():
    with pytest.raises(StepFailed, match="base"):
        fills_from(COUNTS, 1)
    with pytest.raises(StepFailed, match="step"):
        fills_from(COUNTS, 0)
    fills_from(COUNTS, 2)


def test_counts_without_0_do_not_keep_the_smaller_sums():
    with pytest.raises(StepFailed):
        fills_from(frozenset({1, 2, 3, 4}), 2)


def test_sumsets_by_hand():
    assert sumset({0, 1, 4}, 2) == {0, 1, 2, 4, 5, 8}
    assert sumset(COUNTS, 0) == {0}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_final_eps_of_r_gap_is_wrong_below_four_users(n):
    with pytest.raises(StepFailed, match=f"for {n} users"):
        computed(R_GAP, lambda _: Fraction(8, 5), [n])
    assert computed(R_GAP, gap_law, [n]) == [gap_law(n)]


def test_the_eps_of_r_gap_is_that_of_uniform_weights():
    other = RGap(weights1="1/5,1/5,0,1/5,2/5").randomizer()
    with pytest.raises(StepFailed, match="for 2 users"):
        computed(other, gap_law, range(1, 5))


# Larger families -----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("space", [(2, 2, 80), (2, 3, 24), (2, 4, 12), (2, 5, 8), (3, 3, 9), (3, 4, 6), (4, 3, 4)])
def test_claim_18_on_larger_families(space):
    evidence, found = enumerate_families((space,), range(1, 7))
    assert found is None and evidence
