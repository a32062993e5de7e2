"""Deletion with a reference that is no mixture of inputs: given as a law of its own, or named by the system."""

import json
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement

import numpy as np
import pytest

from shufflecert import BadInput, Eps, certify, system
from shufflecert.verify.calibrate.tuned_system import Task
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Delta
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.reduce.reduction import known_reach, uncertified, worst_delta
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.helpers import call
from tests.test_several_ones import ERROR, column_law, hockey_stick, some, subsets

NULL = """
[[rows]]
input = "null"
outputs = [{send = ["0"], p = "1/2"}, {send = ["1"], p = "1/4"}, {send = [], p = "1/4"}]
"""


def worst_deletion(d, m, n, flip, eps):
    """The largest delta(eps), both ways, of a string of `m` ones against none, over all strings of the others."""
    most = 0.0
    for others in combinations_with_replacement(subsets(d, [m]), n - 1):
        counts = [sum(j in ones for ones in others) for j in range(d)]
        for x in subsets(d, [m]):
            laws = [
                reduce(
                    np.multiply.outer,
                    [column_law(c + (j in ones), n - c - (j in ones), flip) for j, c in enumerate(counts)],
                )
                for ones in (x, ())
            ]
            most = max(most, hockey_stick(*laws, eps), hockey_stick(*laws[::-1], eps))
    return most


@pytest.mark.parametrize("d, m, n, count", [(2, 1, 3, 20), (3, 1, 3, 20), (3, 1, 4, 5), (6, 2, 1, 20), (6, 2, 2, 5)])
def test_the_null_string(d, m, n, count):
    for flip, eps in some(d + m + n, count):
        made = populated(system("symmetric_rappor", d=d, m=m, flip=flip), Presence.of("deletion", "0"))
        expected = worst_deletion(d, m, n, float(flip), float(eps))
        found = worst_delta(known_reach(made, n), Eps.of(eps)).value
        assert found.low == pytest.approx(expected, abs=ERROR) == found.high


def test_the_null_string_in_the_table():
    for d, m, n in ((3, 1, 2), (6, 2, 1)):
        made = populated(system("symmetric_rappor", d=d, m=m, flip="1/5"), Presence.of("deletion", "0"))
        answer = delta(made, n, "1/2")
        assert isinstance(answer.delta, Delta)
        expected = worst_deletion(d, m, n, 0.2, 0.5)
        assert float(answer.delta.enclosure()[0]) == pytest.approx(expected, abs=ERROR)


def test_one_of_many_columns_is_randomized_response():
    for honest in (None, 300):
        made = populated(system("symmetric_rappor", d=500, flip="1/20"), Presence.of("deletion", "0", honest))
        found, expected = delta(made, 400, "1/4").delta, delta(system("rr", flip="1/20"), honest or 400, "1/4").delta
        assert found.enclosure() == expected.enclosure()


def test_a_reference_string_is_that_of_the_named_datasets():
    one = system("symmetric_rappor", d=40, m=2, flip="1/5")
    answer = delta(populated(one, Presence.of("deletion", "1+7")), 4, 1)
    assert answer.delta == delta(one, 4, 1).delta and answer.scope.worst.target == ""
    assert not set(answer.scope.worst.source.split("+")) & {"1", "7"}
    assert all(len(set(text.split("+"))) == 2 for text in answer.scope.worst.others)
    for wrong in ("7+1", "1", "41+2", "1+41", "null"):
        with pytest.raises(BadInput, match="is no input"):
            delta(populated(one, Presence.of("deletion", wrong)), 4, 1)


def test_composition_and_calibration():
    law = Randomizer.of({"null": {"0": "1/2", "1": "1/2"}})
    who, flip = Presence.of("deletion", law), Fraction(1, 5)
    made = populated(system("rr", flip=flip), who)
    twice = prepare([Run(made, 1, 2)]).delta(0).delta
    rows = [Fraction(4, 5), Fraction(1, 5)]
    expected = sum(max(p * q - Fraction(1, 4), 0) for p in rows for q in rows)
    assert expected == twice.A - twice.B
    assert Task("rr", {}, ("flip",), presence=who).orders["flip"].lemma is None
    assert Task("rr", {}, ("flip",)).orders["flip"].lemma is not None


def test_commands(tmp_path, capsys):
    path = tmp_path / "null.toml"
    path.write_text(NULL, encoding="utf-8")
    asked = ["--n", "3", "--eps", "log(3/2)", "--adjacency", "deletion", "--reference", str(path)]
    tree = json.loads(call(capsys, "delta", "rr", "-p", "flip=1/4", *asked, "--json")[1])
    rows = {x: {(b,): Fraction(3, 4) if b == x else Fraction(1, 4) for b in "01"} for x in "01"}
    law = {("0",): Fraction(1, 2), ("1",): Fraction(1, 4), (): Fraction(1, 4)}
    t = Fraction(3, 2)
    expected = oracle.attended_delta(rows, 3, t, adjacency="deletion", reference={"null": Fraction(1)}, law=law)
    assert Fraction(tree["delta"]["lower"]) <= expected <= Fraction(tree["delta"]["upper"])
    assert tree["scope"]["reference"] == {"null": "1"}
    for command in (
        ["certify", "rr", "-p", "flip=1/4", *asked, "--delta", "1/2"],
        ["compare", "sum", *asked, "--delta", "1/2"],
    ):
        status, out, told = call(capsys, *command)
        assert (status, out, told.count("\n")) == (2, "", 1) and "law" in told
    mixed = call(capsys, "delta", "rr", "-p", "flip=1/4", *asked[:-1], "0=1/3,1=2/3")
    assert mixed[0] == 0 and "0 (1/3) or 1 (2/3)" in mixed[1]
    path.write_text(NULL + NULL.replace("null", "other"), encoding="utf-8")
    assert "2 rows: expected one" in call(capsys, "delta", "rr", "-p", "flip=1/4", *asked)[2]


def test_what_is_refused():
    law = Randomizer.of({"0": {"0": 1}})
    rr = system("rr", flip="1/4")
    with pytest.raises(BadInput, match="is an input"):
        delta(populated(rr, Presence.of("deletion", law)), 2, 1)
    with pytest.raises(BadInput, match="no form of certificate"):
        certify(populated(rr, Presence.of("deletion", Randomizer.of({"null": {"0": 1}}))), 2, 1, "1/2")
    for d in (3, 60):
        made = populated(system("symmetric_rappor", d=d, flip="1/5"), Presence.of("deletion", "0"))
        assert "no form of certificate" in uncertified(made, 5)
    with pytest.raises(BadInput, match="needs one"):
        delta(populated(system("poisson", lam=3), Presence.of("deletion", Randomizer.of({"null": {"0": 1}}))), 2, 1)
    with pytest.raises(BadInput, match="only there"):
        Presence.of("replace", law)
