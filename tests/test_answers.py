"""Answers as objects: ends, JSON that fits the schema, words, tables, pictures; least promises; what goes wrong.

Expected numbers are the oracle's, or worked out beside the test.
"""

import hashlib
import json
import os
import subprocess
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from math import inf, log

import pytest

import shufflecert
from shufflecert import certify, delta, epsilon
from shufflecert.verify import kernel
from shufflecert.verify.answers import schema
from shufflecert.verify.answers.answer import float_above, float_below
from shufflecert.verify.answers.page import fragment
from shufflecert.verify.commands import options
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from shufflecert.verify.systems.catalogue import system
from tests import oracle
from tests.answers_fit import check
from tests.helpers import COMMAND, asked, call, is_one_line
from tests.random_tables import table

KRR = system("krr", k=3, gamma="3/10")
POWER = Fraction(3, 2)


def test_the_schema_in_the_package_is_the_one_that_the_types_make():
    assert schema.FILE.read_text() == schema.text(), "run python -m shufflecert.verify.answers.schema"


def test_the_check_of_answers_notices_what_is_not_declared():
    tree = shufflecert.delta(KRR, 3, "1/2").to_json()
    check(tree)
    for broken in ({**tree, "more": 1}, {k: v for k, v in tree.items() if k != "scope"}, {**tree, "eps": 1}):
        with pytest.raises(AssertionError, match="fits no declared form"):
            check(broken)


def test_ends_are_rationals_around_the_truth_whatever_the_road():
    """Enumerated, and enclosed by a reduction."""
    exact = shufflecert.delta(KRR, 3, f"log({POWER})")
    truth = oracle.delta(oracle.krr(3, "3/10"), 3, POWER)
    assert isinstance(exact.lower, Fraction) and isinstance(exact.upper, Fraction)
    assert exact.lower <= truth <= exact.upper and exact.delta == truth
    large = shufflecert.delta(system("krr", k=10, gamma="0.157"), 10_000, "1/5")
    assert isinstance(large.lower, Fraction) and 0 < large.lower < large.upper
    endless = shufflecert.epsilon(system("r_gap"), 1, 0, "preshuffle")
    assert endless.upper == endless.lower == inf == endless.upper_float()


def test_no_float_is_made_in_silence():
    found = shufflecert.delta(KRR, 3, "1/2")
    with pytest.raises(TypeError, match="upper_float"):
        float(found)
    assert Fraction(found.lower_float()) <= found.lower <= found.upper <= Fraction(found.upper_float())


@pytest.mark.parametrize(
    "number", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 10), Fraction(1, 2), Fraction(10) ** 400]
)
def test_floats_are_rounded_outwards(number):
    low, high = float_below(number), float_above(number)
    assert low <= number <= high and (low == high) == (number == Fraction(1, 2))


def test_integers_of_numpy_are_integers():
    numpy = pytest.importorskip("numpy")
    assert shufflecert.delta(KRR, numpy.int64(3), "1/2").tree == shufflecert.delta(KRR, 3, "1/2").tree
    with pytest.raises(BadInput):
        shufflecert.delta(KRR, numpy.bool_(True), "1/2")


def test_words_repr_and_a_table():
    pandas = pytest.importorskip("pandas")
    found = shufflecert.epsilon(KRR, 4, "1/10")
    assert repr(found) == f"<Epsilon: {str(found).splitlines()[0]}>" and "local eps" in repr(found)
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["n"]) == [4]
    assert frame["lower"][0] <= found.lower <= found.upper <= frame["upper"][0]


def test_the_local_eps_is_that_of_one_user():
    """gamma/k against 1 - gamma + gamma/k: the ratio is (1 - 3/10 + 1/10) / (1/10) = 8."""
    local = shufflecert.delta(KRR, 3, "1/2").tree["local_epsilon"]
    assert local["exact"] == "log(8)" and abs(float(local["lower"]) - log(8)) < 1e-15
    assert shufflecert.epsilon(KRR, 1, 0, "local").tree["epsilon"]["exact"] == "log(8)"
    assert shufflecert.delta(Randomizer.of({0: {"a": 1}, 1: {"b": 1}}), 3, 1).tree["local_epsilon"] is None


def test_saved_and_read(tmp_path):
    found = shufflecert.delta(KRR, 3, "1/2")
    assert json.loads(found.save(tmp_path / "a.json").read_text()) == found.to_json()
    assert "<!DOCTYPE html>" in found.save(tmp_path / "a.html").read_text()
    with pytest.raises(BadInput, match="exists"):
        found.save(tmp_path / "a.json")
    with pytest.raises(BadInput, match="suffix"):
        found.save(tmp_path / "a.doc")


# The least promise ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "chosen"), [({"eps": "1/2"}, "delta"), ({"delta": "1/10"}, "eps")])
def test_the_least_promise_is_proved_and_no_shorter_number_is(given, chosen):
    """Three digits: one unit of the last less is refuted."""
    found = shufflecert.certify(KRR, 5, **given)
    assert (found.verdict, found.tree["chosen"]) == ("PROVED", chosen)
    assert shufflecert.check(found).status == "accepted"
    least = Fraction(found.tree["claim"][chosen])
    unit = next(Fraction(1, 10**k) for k in range(9) if least >= Fraction(100, 10**k))  # of the third digit
    assert (least / unit).denominator == 1
    assert shufflecert.certify(KRR, 5, **given, **{chosen: least - unit}).verdict == "REFUTED"


def test_where_no_eps_is_enough_that_is_said(capsys):
    code, out, err = call(capsys, "certify", "r_gap", "--view", "preshuffle", "--delta", 0)
    assert (code, out) == (2, "") and is_one_line(err) and "no finite eps satisfies delta = 0" in err


def test_what_is_undecided_names_what_is_decided_beside_it(capsys):
    """A claim between both ends: above the upper end it is proved, below the lower end refuted."""
    krr = ["certify", "krr", "-p", "k=10", "-p", "gamma=0.157", "--n", 10000, "--eps", "1/5"]
    answer = asked(capsys, *krr, "--delta", "0.00069139", status=3)
    assert Fraction(answer["delta"]["lower"]) < Fraction("0.00069139") < Fraction(answer["delta"]["upper"])
    for side, status in (("proved", 0), ("refuted", 1)):
        beside = answer["nearest"][side]
        assert asked(capsys, *krr, "--delta", beside["delta"], status=status)["verdict"] == side.upper()
    assert "decided nearby" in call(capsys, *krr, "--delta", "0.00069139")[1]


# One object for each command -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers():
    """One of each, small."""
    krr = system("krr", k=2, gamma="1/2")
    return {
        "profile": shufflecert.profile({"a": krr, "b": KRR}, 3, "0:2:5"),
        "compose": shufflecert.compose([shufflecert.Run(krr, 2, 2)], delta="1/10"),
        "calibrate": shufflecert.calibrate("poisson", n=100, eps=1, delta="1e-3"),
        "audit": shufflecert.audit(krr, n=[1, 2], large=10),
        "search": shufflecert.search("preshuffle-gap", max_messages=1, denominator=3),
    }


def test_every_answer_fits_its_form_and_has_words_a_table_and_a_page(answers):
    pytest.importorskip("pandas")
    for name, found in answers.items():
        check(found.to_json())
        assert found.words().splitlines()[0] in repr(found) + str(found), name
        assert len(found.to_frame()) >= (name != "search")
        if name != "search":
            assert "<!DOCTYPE html>" in found.html()
        with pytest.raises(TypeError, match="upper_float"):
            float(found)


def test_calibration_looks_at_values_and_draws_them(answers):
    """At each value delta lies between the two ends: at the kept one both are at most the promise."""
    found = answers["calibrate"]
    points = found.tree["search"]["points"]
    assert len(points) == found.tree["search"]["evaluated"]
    for point in points[:: max(1, len(points) // 5)]:
        there = shufflecert.delta(system("poisson", lam=point["value"]), 100, 1)
        assert Fraction(point["lower"]) <= there.upper and there.lower <= Fraction(point["upper"])
    assert "satisfies (eps, delta)" in [text.get_text() for text in found.plot().axes[0].texts][-1]


# Help ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(options.EXAMPLES))
def test_help_has_an_example_groups_and_no_type_of_a_switch(capsys, monkeypatch, name):
    """Every option of the example is one of the command's."""
    monkeypatch.setenv("COLUMNS", "200")
    out = call(capsys, name, "--help")[1]
    assert f"Example: {options.EXAMPLES[name]}" in " ".join(out.split()) and "<bool>" not in out
    words = options.EXAMPLES[name].split()
    assert words[:2] == ["shufflecert", name]
    for option in (word for word in words if word.startswith("-")):
        assert f" {option} " in out, option


def test_commands_are_listed_by_purpose(capsys):
    out = call(capsys, "--help")[1]
    assert all(f"─ {heading} ─" in out for heading in options.PURPOSES) and "<bool>" not in out


def test_systems_by_task_and_one_in_full(capsys):
    listed, full = call(capsys, "systems")[1], call(capsys, "systems", "krr")[1]
    assert listed.index("Sums") < listed.index("zsum") < listed.index("Histograms") < listed.index("poisson_hist")
    assert full.startswith("krr (GRR, k-RR): ") and "-p gamma=" in full and "large n: " in full
    assert [row["name"] for row in asked(capsys, "systems", "krr")] == ["krr"]
    assert {row["name"] for row in asked(capsys, "systems")} > {"krr", "zsum", "r_gap"}
    for wrong in (("systems", "nosuch"), ("claims", "no-such-claim")):
        code, out, err = call(capsys, *wrong)
        assert (code, out) == (2, "") and is_one_line(err)


def test_a_notebook_shows_the_answer_its_picture_and_nothing_but_text(answers):
    pytest.importorskip("matplotlib")
    for name, found in answers.items():
        shown = found._repr_html_()
        assert shown.startswith("<div><p><strong>"), name
        assert ("<img " in shown) == (name in ("profile", "calibrate", "audit")), name
    hostile = shufflecert.delta(KRR, 3, "1/2")
    assert "<script" not in fragment("<script>1\n<b>", None) and "&lt;b&gt;" in fragment("a\n<b>", None)
    assert "<img " not in hostile._repr_html_()  # its picture would be a new computation: `plot` makes it


# An answer in JSON did not say with which parameters, by which version, and when.


FILES = {
    "mine.toml": '[[rows]]\ninput = 0\noutputs = [{send = [0], p = "1"}]\n'
    '[[rows]]\ninput = 1\noutputs = [{send = [1], p = "1"}]\n',
    "mine.py": "from shufflecert.verify.exact.randomizer import Randomizer\n\n\nclass Mine:\n"
    "    def __init__(self, p):\n        self.p = p\n\n"
    '    def randomizer(self):\n        return Randomizer.of({x: {(x,): "1"} for x in (0, 1)})\n',
}


@pytest.mark.parametrize(("name", "more"), [("mine.toml", ()), ("mine.py:Mine", ("-p", "p=1/3"))])
def test_a_file_is_told_by_its_digest(capsys, monkeypatch, tmp_path, name, more):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name.partition(":")[0]
    file.write_text(FILES[file.name])
    answer = asked(capsys, "delta", name, *more, "--n", 2, "--eps", 1)
    assert answer["files"] == {file.name: hashlib.sha256(file.read_bytes()).hexdigest()}
    assert answer["parameters"] == ({"p": "1/3"} if more else {})


def test_an_answer_says_by_what_and_when():
    """The date is now unless it is set; all else that an answer says of itself is in the golden files."""
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    before = datetime.now(UTC).replace(microsecond=0)
    done = subprocess.run([*COMMAND, "systems", "krr", "--json"], env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    (row,) = json.loads(done.stdout)
    assert before <= datetime.fromisoformat(row["date"]) <= datetime.now(UTC)
    assert row["version"] == version("shufflecert")


@pytest.mark.parametrize("value", ["", "now", "-1", "1e9", "9" * 30])
def test_a_date_that_is_none(capsys, monkeypatch, value):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    status, out, err = call(capsys, "systems", "krr", "--json")
    assert (status, out) == (2, "") and is_one_line(err) and "SOURCE_DATE_EPOCH" in err


# `certify` without --eps or --delta asked a blanket alone, where `epsilon` and `delta` close in.


USERS, BOUND = 40, Fraction(1, 1000)


@pytest.fixture
def randomizer(reduced_tables):
    return Randomizer.of(table(1, "one of three", 2))


def digits_above(end):
    """The largest number of three digits that is no more than the end rounded up: a part in 100 above it at most."""
    return end * Fraction(101, 100)


def test_the_least_eps_is_that_of_epsilon(randomizer):
    high = epsilon(randomizer, USERS, BOUND).upper
    assert high * Fraction(51, 50) < worst_epsilon(reach_of(randomizer, USERS), BOUND)[1]  # what a blanket alone shows
    found = certify(randomizer, USERS, delta=BOUND)
    assert found.verdict == "PROVED" and high <= Fraction(found.tree["claim"]["eps"]) <= digits_above(high)
    assert kernel.check(found.found.certificate_text().encode()).status == "accepted"


def test_the_least_delta_is_that_of_delta(randomizer):
    eps = Eps.of("1/2")
    high = delta(randomizer, USERS, eps).upper
    assert high * Fraction(51, 50) < worst_delta(reach_of(randomizer, USERS), eps).value.high
    found = certify(randomizer, USERS, eps)
    assert found.verdict == "PROVED" and high <= Fraction(found.tree["claim"]["delta"]) <= digits_above(high)
    assert kernel.check(found.found.certificate_text().encode()).status == "accepted"
