"""Words that said more than was shown: intervals of which one end fails, REFUTED where nobody had claimed anything."""

import json
import re
from fractions import Fraction as F

import pytest
from hypothesis import given

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.verify.answers.words import first_digits
from shufflecert.verify.audit.audit import infinite_for_all
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import oracle
from tests.helpers import asked, call, engine, few, randomizers

TARGET = ("rr", "--n", 30, "--eps", 1, "--delta", "1/1000")


def test_a_calibrated_value_is_no_interval(capsys, tmp_path):
    """`report` said "p in [0.99659, 0.9966] keeps (eps, delta)": the value that fails lies in between."""
    answer = asked(capsys, "calibrate", *TARGET)
    (tmp_path / "a.json").write_text(json.dumps(answer))
    assert call(capsys, "report", tmp_path / "a.json")[0] == 0
    page = (tmp_path / "a.html").read_text()
    headline = re.search(r'class="headline">(.*?)</p>', page)[1]
    assert " in [" not in headline
    value, shown = F(answer["value"]), re.search(r"flip = ([0-9]+\.[0-9]+)", headline)[1]
    more = F(shown) - value  # rounded to more noise, which a larger flip below 1/2 is
    assert 0 <= more < F(1, 10 ** len(shown.partition(".")[2]))


def test_nor_are_those_of_a_comparison(capsys, tmp_path):
    """`compare` rounded lam, to a value that may not keep the promise; its report gave an interval."""
    question = ("sum", "--systems", "poisson,zsum", "--workers", 1, "--n", 1000, "--eps", 1, "--delta", "1e-3")
    answer = asked(capsys, "compare", *question)
    (tmp_path / "a.json").write_text(json.dumps(answer))
    assert call(capsys, "report", tmp_path / "a.json")[0] == 0
    values = {row["system"]: row["parameters"] for row in answer["rows"]}
    for text in (call(capsys, "compare", *question)[1], (tmp_path / "a.html").read_text()):
        shown = re.search(r"lam ?= ?([0-9.]+)\.\.\.", text)[1]
        value = F(values["poisson"]["lam"])
        assert F(shown) <= value < F(shown) + F(1, 10 ** len(shown.partition(".")[2]))
        assert "lam in [" not in text


@pytest.mark.parametrize(
    ("number", "shown"),
    [("1/3", "1/3"), ("0.125", "0.125"), ("2000000001/3", "6.6666e8..."), ("-12345678901/7", "-1.7636e9...")],
)
def test_first_digits_are_cut_and_not_rounded(number, shown):
    found = first_digits(number, 5)
    assert (found == number) == (number == shown)
    if found != number:
        low = F(found.replace("...", "").lstrip("-"))
        assert (
            low <= abs(F(number)) < low * F(10001, 10000)
            and "..." in found
            and found.startswith("-") == (F(number) < 0)
        )


HEALTHY = ("audit", "rr", "-p", "flip=1/4", "--n", "1:2", "--large", 3)


def test_an_attack_refutes_no_promise(capsys, tmp_path):
    """A healthy randomizer's audit ended with REFUTED above its own PROVED."""
    status, out, _ = call(capsys, *HEALTHY, "--claim", "eps=log(3)", "--report", tmp_path / "a.html")
    assert status == 0 and "PROVED: delta(log(3))" in out and "REFUTED" not in out
    assert "attack: an event that distinguishes two datasets\n  delta(0) = 0.5\n" in out
    assert "REFUTED" not in re.sub(r"<details.*", "", (tmp_path / "a.html").read_text(), flags=re.S)
    status, out, _ = call(capsys, *HEALTHY, "-o", tmp_path / "c.json")
    assert status == 0 and "it states that (0, 0.495) in the shuffled view, n = 1 is false" in out


DOUBLE = str(F(1 / 3))  # just below 1/3: the ratio of flips is above 2


@pytest.mark.parametrize(
    ("flip", "eps", "rounding"), [(DOUBLE, "log(2)", True), ("33/100", "log(2)", False), ("0", "log(2)", False)]
)
def test_a_claim_that_fails_by_rounding_says_so(capsys, tmp_path, flip, eps, rounding):
    """The largest ratio is (1 - flip) / flip: above 2 by 2^-52 or so, by 0.03, without end."""
    question = ("audit", "rr", "-p", f"flip={flip}", "--n", 1, "--large", 2, "--claim", f"eps={eps},view=local")
    answer = asked(capsys, *question, status=1)
    status, out, _ = call(capsys, *question, "--report", tmp_path / "a.html")
    assert answer["claim"]["verdict"] == "REFUTED" and ("by_rounding" in answer["claim"]) == rounding
    assert status == 1 and ("by rounding" in out) == rounding == ("by rounding" in (tmp_path / "a.html").read_text())


@pytest.mark.parametrize(("claimed", "rounding"), [("1.0986122886681096", True), ("1.09", False), ("1.1", None)])
def test_an_entry_of_the_gallery_whose_claim_fails_by_rounding_says_so(capsys, monkeypatch, claimed, rounding):
    """log(3) = 1.098612288668109691...; it was REFUTED as one that fails by 0.1."""
    half = {0: {"a": F(3, 4), "b": F(1, 4)}, 1: {"a": F(1, 4), "b": F(3, 4)}}
    mine = Entry("mine", "a coin", "nobody", {}, Eps.of(claimed), "log(3)", lambda: Randomizer.of(half))
    monkeypatch.setattr("shufflecert.protocols.gallery.GALLERY", (mine,))
    (row,) = asked(capsys, "audit", "--gallery", "mine", "--large", 2)["gallery"]
    out = call(capsys, "audit", "--gallery", "mine", "--large", 2)[1]
    assert row["verdict"] == ("PROVED" if rounding is None else "REFUTED")
    assert ("by_rounding" in row) == bool(rounding) == ("REFUTED, by rounding" in out)


# Pure eps ------------------------------------------------------------------------------------------------------------


def test_pure_eps_of_many_users_is_infinite_where_it_is(capsys, tmp_path):
    """[0, inf] was printed. Whoever sends two messages is seen in the total of any number of users."""
    rows = '[[rows]]\ninput = {}\noutputs = [{{send = {}, p = "1/2"}}, {{send = ["a"], p = "1/2"}}]\n'
    (tmp_path / "my.toml").write_text(rows.format(0, '["a", "b"]') + rows.format(1, '["b"]'))
    answer = asked(capsys, "audit", tmp_path / "my.toml", "--n", 1, "--large", 40, "--max-work", 1000)
    assert answer["large"]["epsilon"]["exact"] == "inf"


@few
@given(randomizers())
def test_it_is_said_only_where_enumeration_agrees(tree):
    """All datasets of up to three users: an infinite ratio for every one of these numbers, in some direction."""
    if infinite_for_all(engine(tree)):
        assert all(oracle.pure_epsilon_ratio(tree, n) is None for n in (1, 2, 3))


def test_what_other_users_hide_is_not_called_infinite():
    """BC Claim 20: infinite for one user, log(5/2) for two."""
    from shufflecert.protocols.r_gap import RGap

    assert not infinite_for_all(RGap().randomizer())
