"""Claims: what their text may say, what it means for one case, and that arrays of cases agree with the engine on it."""

import json
import random
import sys
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from shufflecert.proofs import conjectures
from shufflecert.verify import kernel, progress
from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.run import Block
from shufflecert.verify.search import (
    Claim,
    Joined,
    One,
    Supports,
    Systems,
    Table,
    bits,
    several_messages,
    single_messages,
)
from shufflecert.verify.search.arrays import Arrays, exceeds
from shufflecert.verify.search.chunks import Chunk, batches
from shufflecert.verify.search.claim import ABSENT, NotBatched, pairs
from shufflecert.verify.search.conjecture import OWN
from shufflecert.verify.search.exhaust import exhaust, look, one_at_a_time, parameters_of
from shufflecert.verify.search.numbers import INFINITE, Nats, real
from tests import oracle
from tests.claim_samples import SHAPES, claim_text, table_of
from tests.helpers import call, cases

F = Fraction


def stacked(tables):
    """Some tables of one shape as a chunk."""
    weights = np.ascontiguousarray(np.array([one.rows for one in tables], dtype=np.int64).transpose(1, 2, 0))
    denominators = np.array([one.denominator for one in tables], dtype=np.int64)
    return Chunk(np.arange(len(tables)), weights, denominators, tables[0])


def compared(rng, shape, count):
    """Random claims about random tables of a shape: (cases that were compared, left open, not batched)."""
    seen = left = single = 0
    while seen + left + single < count:
        tables = [table_of(rng, shape) for _ in range(20)]
        claim = Claim.of(claim_text(rng))
        try:
            truth = claim.holds(Arrays(stacked(tables)), {})
        except NotBatched:
            single += len(tables)
            continue
        for i, table in enumerate(tables if truth is not True and truth is not False else ()):
            yes, no = (bool(np.broadcast_to(part, len(tables))[i]) for part in (truth.yes, truth.no))
            if not yes and not no:
                left += 1
                continue
            assert yes != no and yes == claim.holds(One(table), {}), (claim.text, str(table))
            seen += 1
    return seen, left, single


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.sampled(6)
def test_arrays_and_the_engine_agree(shape):
    """Random claims, random tables with ties, equal and reflected rows, and weights beyond 32 and 64 bits."""
    count = cases(5_000, 400)
    seen, left, single = compared(random.Random(shape), shape, count)
    assert seen > count / 2 and left < count / 20 and single < count * 3 / 20


RR = Table(((3, 1), (1, 3)), 4, (("a",), ("b",)))
BITS = bits(2, 2, 1).send


def rows_of(table):
    return {
        str(x): {send: F(w, table.denominator) for send, w in zip(table.send, row, strict=True) if w}
        for x, row in enumerate(table.rows)
    }


@pytest.mark.parametrize("table", [RR, Table(((0, 3), (2, 1)), 3, RR.send), Table(((1, 1, 3), (1, 2, 2)), 5, BITS)])
def test_delta_and_epsilon_of_a_case_are_the_oracle_s(table):
    """Against all ordered datasets by enumeration of what everybody sends."""
    for n in (1, 2, 3):
        for power in (F(1), F(3, 2), F(2)):
            expected = oracle.delta(rows_of(table), n, power)
            assert One(table).delta(n, Nats.log(power)) == expected
            assert one_value(table, lambda world, n=n, power=power: world.delta(n, Nats.log(power))) == expected
        expected = oracle.pure_epsilon_ratio(rows_of(table), n)
        assert One(table).epsilon(n, F(0)).power == expected
        found = Arrays(stacked([table])).epsilon(n, F(0))
        assert (F(int(found.above[0]), int(found.below[0])) if found.below[0] else None) == expected


def one_value(table, asked):
    found = asked(Arrays(stacked([table])))
    assert found.exact
    return F(int(found.low[0]), found.scale * table.denominator**found.power)


def test_an_infinite_eps_compares_as_one():
    leak = Table(((0, 2), (1, 1)), 2, (("a",), ("b",)))
    for text, holds in (
        ("epsilon(1) == inf", True),
        ("epsilon(2) < inf", False),
        ("epsilon(2) + log(2) == epsilon(1)", True),
        ("max(epsilon(1), 3) > 60 * log(2)", True),
        ("min(epsilon(1), 1/2) <= 1/2", True),
        ("local_epsilon(1/2) < log(2)", True),
    ):
        claim = Claim.of(text)
        assert claim.holds(One(leak), {}) is holds, text
        try:
            truth = claim.holds(Arrays(stacked([leak])), {})
        except NotBatched:
            continue
        assert truth if isinstance(truth, bool) else bool(truth.yes[0]) is holds and bool(truth.no[0]) is not holds


def test_the_blanket_is_the_lemma_s():
    """BBGN Lemma 5.3 by hand: (1/(gamma n)) E max(L_1 + ... + L_M, 0), M ~ Bin(n, gamma), over what is drawn."""
    table, n, power = Table(((1, 4), (3, 2)), 5, (("a",), ("b",))), 3, F(3, 2)
    common = [F(min(column), 5) for column in zip(*table.rows, strict=True)]
    gamma = sum(common)
    expected = F(0)
    for x, y in ((0, 1), (1, 0)):
        ratios = [(F(table.rows[x][m], 5) - power * F(table.rows[y][m], 5)) / common[m] * gamma for m in (0, 1)]
        total = F(0)
        for drawn in product((None, 0, 1), repeat=n):  # each of n from the blanket, or not at all
            chance = F(1)
            for m in drawn:
                chance *= 1 - gamma if m is None else common[m]
            total += chance * max(sum((ratios[m] for m in drawn if m is not None), F(0)), F(0))
        expected = max(expected, total / (gamma * n))
    assert One(table).blanket(n, Nats.log(power)) == expected
    assert one_value(table, lambda world: world.blanket(n, Nats.log(power))) == expected
    assert expected >= One(table).delta(n, Nats.log(power))


def test_row_is_the_probability_and_0_beyond():
    world = One(RR)
    assert Claim.of("row[0][0] == 3/4 and row[1][7] == 0").holds(world, {})
    with pytest.raises(BadInput, match="from 0 to 1"):
        Claim.of("row[2][0] == 0").holds(world, {})


def test_datasets_are_all_pairs_in_both_directions():
    assert len(pairs(3, 2)) == 2 * 3 and len(pairs(2, 3)) == 6 * 3
    for n, inputs, adjacency, users in (
        (1, 2, "add-remove", {(0, ABSENT), (ABSENT, 0), (1, ABSENT), (ABSENT, 1)}),
        (2, 3, "deletion", {(1, 0), (0, 1), (2, 0), (0, 2)}),
    ):
        assert {(d.source, d.target) for d in pairs(n, inputs, adjacency)} == users
    text = "sum(1 for d in datasets(n) if d.others[0] == n - 1) == 2"
    assert Claim.of(text, ["n"]).holds(One(RR), {"n": F(4)})


# Numbers


def test_sums_of_powers_of_e_are_compared_exactly():
    e, root = real({F(1): 1}), real({F(1, 2): F(1)})
    assert root * root == e and root < e and e - e == 0 and 2 < e < 3 and abs(1 - e) > F(17, 10)
    assert not e < F(271828182845904523536028747135266249775, 10**38) < e
    assert e * 0 == 0 and F(1, 3) * e / F(1, 3) == e


def test_amounts_of_eps_are_compared_exactly():
    log = Nats.log
    assert log(F(4)) == log(F(2)) * 2 and log(F(2)) / 2 < F(1, 2) < log(F(2)) < INFINITE
    assert log(F(3)) - F(1) < F(1, 10) < log(F(3)) - F(99, 100) < F(109, 1000)
    assert -log(F(3)) + 1 < 0 < 1 - log(F(5, 2)) and log(F(1)) == 0
    for wrong in (lambda: log(F(0)), lambda: INFINITE - INFINITE, lambda: log(F(2)) * 0, lambda: log(F(2)) * F(-1)):
        with pytest.raises(BadInput):
            wrong()


def test_products_in_two_words_are_compared_as_integers():
    """At random, next to each other, and at the ends of 63 bits."""
    rng = random.Random(5)
    ends = [0, 1, 2, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 62) + 1, (1 << 63) - 1]
    drawn = [
        [rng.choice(ends) if rng.random() < 0.5 else rng.getrandbits(rng.randint(1, 63)) for _ in range(4)]
        for _ in range(20_000)
    ]
    drawn += [[a, b, b, a] for a, b, _, _ in drawn] + [[a, b, b, max(a - 1, 0)] for a, b, _, _ in drawn]
    a, b, c, d = (np.array(column, dtype=np.int64) for column in zip(*drawn, strict=True))
    found = exceeds(a, b, (1 << 63) - 1, c, d, (1 << 63) - 1)
    assert found.tolist() == [a * b > c * d for a, b, c, d in drawn]


# The grammar


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true') == 0",
        "(lambda: 1)() < 2",
        "delta(n, 0).__class__ == 1",
        "[x for x in (1, 2)] == 3",
        "'a' < 'b'",
        "True",
        "n",
        "delta(n, eps=0) < 1",
        "delta(n) < 1",
        "delta(n, 0) < m",
        "open < 1",
        "n < n if n else n",
        "2 ** 100 < 3",
        "2 ** n < 3",
        "all(n < 3 for n in (1, 2))",
        "all(delta(x, 0) < 1 for x in (1, 2), 3)",
        "(yield n) < 1",
        "d.kinds < 1",
        "1 < 2j",
        "n @ n < 1",
        "f'{n}' < 1",
        "(n := 2) < 3",
        "epsilon(n) == delta(n, 1/2)",
        "epsilon(n) + delta(n, 0) < 1",
        "epsilon(n) * epsilon(n) < 1",
        "epsilon(n) * row[0][0] < 1",
        "1 / epsilon(n) < 1",
        "delta(n, delta(n, 0)) < 1",
        "epsilon(n, log(2)) < 1",
        "max(epsilon(n), row[0][0]) < 1",
        "all(delta(n, x) < x for x in (log(2), 1))",
        "(delta(n, 0) < 1) + 1 < 3",
        "delta(*[1, 2]) < 1",
        "delta(n, log(2)) <=",
        "x" * 3000 + " < 1",
        "(" * 500 + "1" + ")" * 500 + " < 2",
        "not " * 2000 + "n < 1",
    ],
)
def test_what_is_no_claim_is_refused_in_one_line(text):
    with pytest.raises(BadInput) as refusal:
        Claim.of(text, ["n"])
    assert "\n" not in str(refusal.value) and str(refusal.value).startswith("claim")


@pytest.mark.parametrize(
    "text",
    [
        "delta(0, 0) < 1",
        "delta(65, 0) < 1",
        "delta(1/2, 0) < 1",
        "delta(n, -1) < 1",
        "delta(n, inf) < 1",
        "delta(n, log(2) / 2) < 1",
        "epsilon(n, 2) < 1",
        "max(d.delta(0) for d in datasets(n) if d.kinds > 9) < 1",
        "datasets(n) < 1",
        "all(delta(n, 0))",
        "epsilon(n) * -1 < 1",
        "log(0) < 1",
        "row[9][0] < 1",
        "row[0] < 1",
        "(((((2 ** 16) ** 16) ** 16) ** 16) ** 16) ** 16 < 1",
        "sum(1 for x in range(0, 10000000)) < 1",
        "sum(x * y for x in range(0, 10000) for y in range(0, 10000)) < 1",
        "all(d < 1 for d in datasets(n))",
        "d.delta(0) < 1 and all(d.kinds < 1 for d in datasets(n))",
    ],
)
def test_what_means_nothing_is_refused_before_the_search(text, capsys):
    status, out, err = call(capsys, "search", "--claim", text, "--denominator", 3, "--workers", 1)
    assert (status, out, err.count("\n")) == (2, "", 1), err


def test_and_or_not_and_chains():
    world, bound = One(RR), {"n": F(2)}
    for text, holds in (
        ("1 < 2 < 3", True),
        ("1 < 3 < 2", False),
        ("not 1 < 2 or 2 == 2", True),
        ("not (1 < 2 and 2 < 1)", True),
        ("any(x == 2 for x in (1, 2))", True),
        ("all(x == 2 for x in (1, 2))", False),
        ("all(x == 2 for x in (1, 2) if x > 1)", True),
        ("min(3, 2, 5) == 2 and max(1/2, 0.5) == 0.5", True),
        ("0.1 + 0.2 == 0.3", True),
        ("1e-6 * 10 ** 6 == 1", True),
        ("delta(n, 0) == 1/2 or n == 3 or delta(n, 0) < 1", True),
        ("inputs == 2 and outputs == 2", True),
    ):
        assert Claim.of(text, bound).holds(world, bound) is holds, text


# Spaces


@pytest.mark.parametrize(
    "space",
    [
        single_messages(2, 2, 7),
        single_messages(2, 3, 5),
        single_messages(3, 2, 5),
        single_messages(3, 3, 3),
        single_messages(4, 2, 3),
        single_messages(2, 4, 4),
        single_messages(1, 2, 4),
        single_messages(2, 3, 5, "deletion"),
        single_messages(3, 3, 3, "deletion"),
        bits(2, 3, 4),
        several_messages(2, 2, 0, 2, 3),
        several_messages(2, 3, 1, 1, 3, "add-remove"),
        Supports(2, bits(2, 2, 1).send),
        Joined((single_messages(2, 2, 2), single_messages(2, 2, 3), bits(2, 2, 3))),
    ],
)
def test_batches_hold_every_case_once(space):
    """At the same ranks, in the same order, as asking for every rank; however the ranks are cut."""
    expected = [(rank, case.rows) for rank in range(space.size) if (case := space.case(rank)) is not None]
    for cuts in ((0, space.size), sorted({0, space.size // 7, space.size // 3, space.size // 2, space.size})):
        found = []
        for start, stop in pairwise(cuts):
            for chunk in batches(space, start, stop, 64):
                found += [(rank, chunk.table(i).rows) for i, rank in enumerate(chunk.ranks.tolist())]
        assert found == expected


def test_users_who_send_several_messages_come_once_up_to_renaming():
    """Against all tables of weights: classes under exchanging inputs, and a with b in every output."""
    space, send = several_messages(2, 2, 0, 2, 3), [(), ("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "b")]
    assert list(space.send) == send
    swap = [send.index(tuple(sorted("ab"["ba".index(m)] for m in sent))) for sent in send]
    rows = [row for row in product(range(4), repeat=6) if sum(row) == 3]
    classes = set()
    for table in product(rows, repeat=2):
        if all(w % 3 == 0 for row in table for w in row):
            continue
        moved = tuple(tuple(row[swap[y]] for y in range(6)) for row in table)
        classes.add(frozenset((table, table[::-1], moved, moved[::-1])))
    assert sum(len(chunk.ranks) for chunk in batches(space, 0, space.size, 99)) == len(classes)


def test_systems_over_a_grid(capsys):
    status, out, _ = call(
        capsys, "search", "krr", "-p", "k=2:3", "-p", "gamma=1/8:7/8:1/8", "--n", "2:3", "--workers", 1, "--json",
        "--claim", "delta(n, log(2)) <= delta(n - 1, log(2))",
    )  # fmt: skip
    answer = json.loads(out)
    assert (status, answer["verdict"], answer["cases"], answer["alone"]) == (0, "exhausted", 14, 0)
    assert answer["parameters"]["system"] == "krr" and "denominator" not in answer["parameters"]
    assert isinstance(OWN.space(**parameters_of(OWN, {"system": "krr", "parameters": "k=3 gamma=1/4"})), Systems)


# Searches


def test_a_claim_s_counterexample_is_told_with_both_numbers_and_certificates(capsys, tmp_path):
    """delta is not convex in the number of users: the least case, by the oracle; its certificates are accepted."""
    text = "delta(n - 1, 0) + delta(n + 1, 0) >= 2 * delta(n, 0)"
    arguments = ["--claim", text, "--n", "2:5", "--denominator", 3, "--workers", 1]
    picture = tmp_path / "at.svg"
    status, out, _ = call(capsys, "search", *arguments, "-o", tmp_path / "kept", "--plot", picture, "--json")
    answer = json.loads(out)
    hit = answer["hits"][0]
    rows = rows_of(Table(tuple(map(tuple, hit["case"]["rows"])), hit["case"]["denominator"], RR.send))
    deltas = {n: oracle.delta(rows, n, F(1)) for n in (4, 5, 6)}
    (comparison,) = hit["numbers"]["comparisons"]
    assert status == 1 and hit["case"]["rows"] == [[1, 2], [2, 1]] and comparison["bound"]["n"] == "5"
    assert F(comparison["left"]["value"]) == deltas[4] + deltas[6] < 2 * deltas[5] == F(comparison["right"]["value"])
    assert {one["verdict"] for one in hit["certificates"]} == {"PROVED", "REFUTED"}
    assert all(kernel.check_file(one["file"]).status == "accepted" for one in hit["certificates"])
    assert "<svg" in picture.read_text() and sum(answer["where"].values()) == answer["hit_count"]
    told = call(capsys, "search", *arguments)[1]
    assert "is not >= 2 * delta(n, 0) = 22/81" in told and "the others: 2 on 0, 2 on 1" in told


@pytest.mark.parametrize(
    "text",
    [
        "epsilon(n) < epsilon(n - 1)",
        "local_epsilon() <= 1/2",
        "not delta(n, 1/2) < 1/10",
        "delta(n, 1/2) <= delta(n, log(5/3))",
        "delta(n, 0) + blanket(n, 0) < 1",
        "epsilon(n, 1/10) != epsilon(n, 1/9) and epsilon(n) < inf",
        "max(d.delta(0) for d in datasets(n)) < 1/2",
    ],
)
def test_certificates_of_hits_are_accepted(capsys, tmp_path, text):
    status, out, err = call(
        capsys, "search", "--claim", text, "--denominator", 4, "--n", 2, "--workers", 1, "-o", tmp_path, "--json"
    )
    answer = json.loads(out)
    assert status == 1 and err == ""
    for one in answer["hits"][0]["certificates"]:
        assert kernel.check_file(one["file"]).status == "accepted", one
        assert one["verdict"] == ("REFUTED" if " is more than " in one["of"] else "PROVED")


def test_what_cannot_be_batched_is_decided_one_at_a_time_and_says_so(capsys):
    text = "delta(2, 0) / (delta(1, 0) + 1) <= 1/2"
    given = {"claim": text, "denominator": 4}
    assert "delta(2, 0) / " in one_at_a_time(OWN, parameters_of(OWN, given))
    same = {"claim": "2 * delta(2, 0) <= delta(1, 0) + 1", "denominator": 4}
    single, together = exhaust(OWN, **given), exhaust(OWN, **same)
    assert (single.alone, together.alone) == (single.cases, 0) and single.hits == together.hits
    told = call(capsys, "search", "--claim", text, "--denominator", 4, "--workers", 1)[1]
    assert f"{single.cases} of them were decided one at a time" in told


def test_what_an_enclosure_leaves_open_is_decided_by_the_engine():
    """At a tie of delta(1/2) no enclosure of e^(1/2) decides."""
    parameters = parameters_of(OWN, {"claim": "delta(n, 1/2) < max(0, delta(n, 1/2))", "denominator": 4, "n": "2"})
    found = look(OWN, parameters, 0, OWN.space(**parameters).size)
    expected = [
        rank
        for rank in range(OWN.space(**parameters).size)
        if (case := OWN.space(**parameters).case(rank)) is not None and not OWN.decided(case, parameters)
    ]
    assert found["alone"] > 0 and found["hits"] == expected[:20] and found["hit_count"] == len(expected)


def test_batches_are_cut_where_arrays_would_be_large(monkeypatch):
    given = {"claim": "epsilon(n) <= epsilon(n - 1) and delta(n, 0) < 1/2", "denominator": 9, "n": "2:4"}
    whole = exhaust(OWN, **given)
    monkeypatch.setattr(sys.modules["shufflecert.verify.search.exhaust"], "MEMORY", 20_000)
    sizes = []
    watched = Arrays.forget
    monkeypatch.setattr(Arrays, "forget", lambda world: (sizes.append((world.size, world.held())), watched(world)))
    assert exhaust(OWN, **given).digest == whole.digest
    assert 1 < max(size for size, _ in sizes) < 100 and max(held for _, held in sizes) <= 40_000


def test_a_picture_of_nothing_is_not_drawn_and_that_is_said(capsys, tmp_path):
    claim = ["--claim", "delta(n, 0) <= 1", "--denominator", 3, "--workers", 1]
    _, out, _ = call(capsys, "search", *claim, "--plot", tmp_path / "a.png", "-o", tmp_path / "kept")
    assert "nothing written to" in out and "nothing drawn to" in out and list(tmp_path.iterdir()) == []


def test_progress_is_in_cases_a_second(monkeypatch):
    """On a terminal: the cases of finished blocks over the time since the first."""
    shown = []

    class Bar:
        tasks = (type("Task", (), {"speed": 1.0}),)
        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *error: None  # noqa: E731
        add_task = advance = lambda self, *given, **fields: 0
        update = lambda self, task, **fields: shown.append(fields["rate"])  # noqa: E731

    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "bar", lambda *columns, **options: Bar())
    clock = iter((100.0, 102.0, 104.0))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    blocks = [Block(i, None, json.dumps({"cases": 3000})) for i in range(2)]
    assert list(progress.watched(blocks, 2, 0, "cases", conjectures._cases)) == blocks
    assert shown == ["1.5e+03 cases/s", "1.5e+03 cases/s"]


def test_a_search_for_a_claim_is_resumed_and_has_one_record(capsys, tmp_path):
    journal = tmp_path / "a.journal"
    arguments = ["--claim", "delta(n, 0) < delta(n - 1, 0)", "--n", "2:3", "--denominator", 6, "--json"]
    first = json.loads(call(capsys, "search", *arguments, "--workers", 1, "--journal", journal)[1])
    again = json.loads(call(capsys, "search", "resume", journal, "--json")[1])
    two = json.loads(call(capsys, "search", *arguments, "--workers", 2)[1])
    assert first["digest"] == again["digest"] == two["digest"] and first["verdict"] == "refuted"
    assert json.loads(call(capsys, "search", "status", journal, "--json")[1])["search"] == "claim"
