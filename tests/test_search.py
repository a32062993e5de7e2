"""Search: spaces are complete and without repetition; one record whatever the blocks and workers; known verdicts."""

import json
import os
import signal
import subprocess
import time
from fractions import Fraction as F
from itertools import permutations, product
from math import gcd

import pytest

from shufflecert.proofs import conjectures, searches
from shufflecert.verify import kernel
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.runs.journal import create_or_resume
from shufflecert.verify.runs.work import canonical
from shufflecert.verify.search import (
    Compositions,
    Conjecture,
    Grid,
    Joined,
    Supports,
    Table,
    Tables,
    bits,
    single_messages,
)
from shufflecert.verify.search.exhaust import blocks_of, header_of, look, one_at_a_time, parameters_of, record_of
from shufflecert.verify.search.spaces import composition
from tests import oracle
from tests.helpers import COMMAND, call

# Spaces


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (5, 1), (4, 2), (3, 4), (6, 3)])
def test_compositions_come_in_order_and_once(total, parts):
    """Against all tuples that have this sum, in lexicographic order."""
    expected = [row for row in product(range(total + 1), repeat=parts) if sum(row) == total]
    assert [composition(i, total, parts) for i in range(len(expected))] == expected


def every(space):
    """All cases of a space, with their ranks."""
    return [(rank, case) for rank in range(space.size) if (case := space.case(rank)) is not None]


def renamed(rows, order):
    return tuple(tuple(row[order.index(y)] for y in range(len(row))) for row in rows)


def classes(inputs, outputs, denominator, orders, used):
    """Brute force: the classes of all tables in lowest terms under renaming inputs and these orders of outputs."""
    every_row = [row for row in product(range(denominator + 1), repeat=outputs) if sum(row) == denominator]
    found = set()
    for rows in product(every_row, repeat=inputs):
        if gcd(denominator, *(w for row in rows for w in row)) > 1:
            continue
        if used and not all(any(column) for column in zip(*rows, strict=True)):
            continue
        images = [renamed(rows, order) for order in orders]
        found.add(
            frozenset(tuple(image[i] for i in seats) for image in images for seats in permutations(range(inputs)))
        )
    return found


@pytest.mark.parametrize(("inputs", "messages", "denominator"), [(2, 2, 4), (2, 3, 3), (3, 2, 3), (2, 3, 4), (3, 3, 2)])
def test_every_randomizer_comes_once_up_to_renaming(inputs, messages, denominator):
    space = single_messages(inputs, messages, denominator)
    cases = [case.rows for _, case in every(space)]
    expected = classes(inputs, messages, denominator, list(permutations(range(messages))), used=True)
    met = [next(one for one in expected if rows in one) for rows in cases]
    assert len(set(met)) == len(met) == len(expected)


@pytest.mark.parametrize(("count", "denominator"), [(1, 5), (2, 3), (3, 3), (2, 5)])
def test_every_randomizer_of_bits_comes_once(count, denominator):
    space = bits(2, count, denominator)
    orders = [tuple(range(count + 1)), tuple(reversed(range(count + 1)))]
    expected = classes(2, count + 1, denominator, orders, used=False)
    met = [next(one for one in expected if case.rows in one) for _, case in every(space)]
    assert len(set(met)) == len(met) == len(expected)


@pytest.mark.parametrize(
    "space",
    [
        single_messages(2, 3, 4),
        bits(2, 3, 3),
        Joined((single_messages(2, 2, 2), single_messages(2, 2, 3), bits(2, 2, 3))),
        Grid("any", {"a": ("1", "2", "3"), "b": ("x", "y")}),
        Compositions(4, 3),
        Supports(2, (("a",), ("b",))),
    ],
)
def test_every_case_comes_once(space):
    cases = [json.dumps(case.to_json() if isinstance(case, Table) else case) for _, case in every(space)]
    assert cases and len(set(cases)) == len(cases)
    assert json.loads(json.dumps(space.describe()))


def test_a_table_comes_at_the_least_rank_of_its_renamings():
    """Ranks of tables are the lexicographic order of their rows: none of a case's renamings comes before it."""
    space = single_messages(2, 3, 4)
    for _, case in every(space):
        images = [renamed(case.rows, order) for order in permutations(range(3))]
        assert case.rows == min(seats for rows in images for seats in (rows, rows[::-1]))
    assert (rows := [case.rows for _, case in every(space)]) == sorted(rows)


def test_a_rank_beyond_the_last_is_refused():
    space = Joined((single_messages(2, 2, 3),))
    with pytest.raises(BadInput, match="rank"):
        space.case(space.size)


# Hunts


def smooth(case, *, most):
    """No weight of a case is as large as `most`."""
    return max(w for row in case.rows for w in row) < most


ANY = Conjecture(
    "any", "weights are small", lambda most: Tables(2, (("a",), ("b",)), 6, ((0, 1),)), smooth, {"most": 5}
)


def record(conjecture, blocks, order=1):
    parameters = parameters_of(conjecture, {})
    with create_or_resume(None, header_of(conjecture, "any", parameters, blocks)) as kept:
        for number, (_, _, start, stop) in list(enumerate(blocks))[::order]:
            kept.record(number, canonical(look(conjecture, parameters, start, stop)), None, 0.0)
        return record_of(conjecture, parameters, kept)


def cut(width):
    return [["any", {"most": 5}, at, min(at + width, 49)] for at in range(0, 49, width)]


def test_the_record_is_the_same_whatever_the_blocks():
    found = [record(ANY, cut(width), order) for width, order in ((49, 1), (10, 1), (7, -1), (1, -1))]
    assert {one.digest for one in found} == {found[0].digest} and found[0].verdict == "refuted"
    expected = [(rank, case) for rank, case in every(ANY.space(most=5)) if not smooth(case, most=5)]
    assert found[0].hit_count == len(expected) and list(found[0].hits) == expected[:20]
    assert found[0].cases == len(list(every(ANY.space(most=5))))


def test_a_claim_and_a_function_have_one_record():
    """The same predicate as text, decided for all cases at once, whatever the blocks."""
    together = Conjecture(
        "any", ANY.statement, ANY.space, "max(row[x][y] for x in (0, 1) for y in (0, 1)) * 6 < most", ANY.defaults
    )
    assert one_at_a_time(together, {"most": 5}) == "" != one_at_a_time(ANY, {"most": 5})
    for width in (49, 10, 1):
        assert record(together, cut(width)).digest == record(ANY, cut(10)).digest


def test_a_predicate_that_raises_is_reported_with_its_case_and_the_search_goes_on():
    def broken(case, *, most):
        return 1 // (case.rows[0][0] - 2) < most

    found = record(Conjecture("any", "", ANY.space, broken, ANY.defaults), cut(7))
    assert found.verdict == "unfinished" and found.failures and "ZeroDivisionError" in found.failures[0][1]
    assert all(ANY.space(most=5).case(rank).rows[0][0] == 2 for rank, _ in found.failures)


def test_an_answer_that_is_neither_true_nor_false_is_no_answer():
    found = record(Conjecture("any", "", ANY.space, lambda case, most: None, ANY.defaults), cut(49))
    assert found.verdict == "unfinished" and "expected True or False" in found.failures[0][1]


def test_bad_parameters_and_large_spaces():
    with pytest.raises(BadInput, match="no parameter"):
        parameters_of(ANY, {"least": 1})
    with pytest.raises(BadInput, match="expected an integer"):
        parameters_of(ANY, {"most": "x"})
    with pytest.raises(TooMuchWork, match="49 ranks: expected at most 10"):
        blocks_of(ANY, {"most": 5}, "any", max_size=10)


# The library


def test_the_smallest_gap_is_what_the_oracle_says():
    """Two bits a user, weights (1, 1, 3)/5 and (1, 2, 2)/5: log(2) alone, log(3/2) for two, by enumeration."""
    case = next(hit for hit in (bits(2, 2, 5).case(rank) for rank in range(bits(2, 2, 5).size)) if hit and gap(hit))
    assert case.rows == ((1, 1, 3), (1, 2, 2))
    assert [power(case, n) for n in (1, 2)] == [2, F(3, 2)]


def power(case, n):
    """e^eps at delta = 0 by the oracle; None where infinite."""
    rows = {
        str(x): {send: F(w, case.denominator) for send, w in zip(case.send, row, strict=True) if w}
        for x, row in enumerate(case.rows)
    }
    return oracle.pure_epsilon_ratio(rows, n)


def gap(case):
    return power(case, 1) != power(case, 2)


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (["preshuffle-gap", "--max-messages", "2", "--denominator", "5"], "refuted"),
        (["preshuffle-gap", "--max-messages", "2", "--denominator", "4"], "exhausted"),
        (["claim-18", "--messages", "3", "--denominator", "3", "--n", "3"], "exhausted"),
        (["multi-message-gap"], "refuted"),
        (["others-equal"], "refuted"),
        (["third-value-krr", "-p", "denominator=4"], "refuted"),
        (["local-eps-plus-log-n", "--denominator", "3"], "exhausted"),
        (["zsum-monotone"], "refuted"),
        (["pure-eps-falls", "--denominator", "3"], "exhausted"),
    ],
)
def test_the_command_hunts_and_the_kernel_accepts_what_it_finds(capsys, tmp_path, arguments, verdict):
    status, out, err = call(capsys, "search", *arguments, "--workers", "1", "-o", str(tmp_path), "--json")
    assert err == "" and status == {"refuted": 1, "exhausted": 0}[verdict]
    answer = json.loads(out)
    assert {"conjecture", "verdict", "hits", "space", "cases", "digest"} <= set(answer) and answer["verdict"] == verdict
    made = [one for hit in answer["hits"] for one in hit.get("certificates", [])]
    assert bool(made) is (verdict == "refuted")
    for one in made:
        assert one["file"] and kernel.check_file(one["file"]).status == "accepted"


def test_the_list_names_all(capsys):
    status, out, _ = call(capsys, "search", "list", "--json")
    assert status == 0 and {row["name"] for row in json.loads(out)} == set(conjectures.library())


MINE = """
from shufflecert.verify.search import Conjecture, Grid
import os
import time

def holds(case, *, least):
    time.sleep(float(os.environ.get("SECONDS_A_CASE", 0)))
    return int(case["a"]) * int(case["b"]) != 1763

def pairs(least):
    return Grid("pairs", {name: [str(i) for i in range(least, 60)] for name in "ab"})

MINE = Conjecture("mine", "no product is 1763", pairs, holds, {"least": 2})
"""


def test_killed_and_resumed_it_ends_with_the_same_record(capsys, tmp_path):
    """A search is killed with SIGKILL once a block is done; resumed, it repeats none and has the record of one run."""
    (tmp_path / "my.py").write_text(MINE)
    journal, name = tmp_path / "a.journal", f"{tmp_path}/my.py:MINE"
    command = [*COMMAND, "search", name, "-p", "least=40", "--workers", "1", "--journal", str(journal)]
    process = subprocess.Popen(command, env={**os.environ, "SECONDS_A_CASE": "0.005"}, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    done = 0
    while not done and time.monotonic() < deadline:
        time.sleep(0.1)
        if journal.is_file():
            status, out, _ = call(capsys, "search", "status", str(journal), "--json")
            done = json.loads(out)["done"] if status == 0 else 0
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = json.loads(call(capsys, "search", "status", str(journal), "--json")[1])
    assert 0 < before["done"] < before["total"] and not before["running"]
    status, out, _ = call(capsys, "search", "resume", str(journal), "--workers", "1", "--json")
    resumed = json.loads(out)
    assert status == 1 and [hit["case"] for hit in resumed["hits"]] == [{"a": "41", "b": "43"}, {"a": "43", "b": "41"}]
    whole = json.loads(call(capsys, "search", name, "-p", "least=40", "--workers", "1", "--json")[1])
    assert whole["digest"] == resumed["digest"]


# The page of searches


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=[pytest.mark.long] * (one not in searches.QUICK)) for one in searches.RUNS]
)
@pytest.mark.sampled(4)
def test_a_search_of_the_page_is_found_again(command):
    found = searches.made(command, 1 if command in searches.QUICK else None)
    assert f"\n{searches.section(command, found)}\n" in searches.FILE.read_text(encoding="utf-8")


def test_the_page_has_nothing_but_its_searches():
    head, *sections = searches.FILE.read_text(encoding="utf-8").split("\n\n## ")
    assert head == searches.HEAD.rstrip()
    assert [one.splitlines()[0] for one in sections] == [f"`search {command}`" for command in searches.RUNS]
