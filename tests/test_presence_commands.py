"""Commands say who is there, and refuse in one line what cannot be combined with it."""

import csv
import json
import math
from fractions import Fraction

import pytest

import shufflecert
from shufflecert.verify.compose.composition import Run
from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems.catalogue import load
from tests import oracle
from tests.helpers import asked, call

ZSUM = ("zsum", "-p", "p=1/2", "--n", 30)
CROWD = ("--adjacency", "add-remove", "--honest", 20, "--take-part", "2/3")


def test_commands_say_who_is_there(capsys, tmp_path):
    status, out, _ = call(capsys, "delta", *ZSUM, "--eps", 1, *CROWD, "--json")
    scope = json.loads(out)["scope"]
    assert (status, scope["adjacency"], scope["honest"], scope["take_part"]) == (0, "add-remove", 20, "2/3")
    assert (scope["n"], scope["worst"]["from"], scope["worst"]["to"]) == (30, "1", None)
    path = tmp_path / "c.json"
    status, out, _ = call(capsys, "certify", *ZSUM, "--eps", 1, "--delta", "0.1", *CROWD, "-o", path)
    assert status == 0
    assert "one user, counted in n, added or removed; at least 20 honest users" in out
    assert "every user participates with probability 2/3" in out
    assert "one user on 1 against nobody" in out
    assert call(capsys, "check", path)[0] == 0
    assert "--adjacency add-remove --honest 20 --take-part 2/3" in json.loads(path.read_text())["note"]
    status, out, _ = call(capsys, "compose", *ZSUM, "--eps", 1, "--times", 2, *CROWD, "--json")
    assert (status, json.loads(out)["scope"]["honest"]) == (0, 20)
    status, out, _ = call(capsys, "profile", *ZSUM, "--eps", "0:1:2", *CROWD)
    assert (status, "at least 20 honest users" in out) == (0, True)


def test_the_number_of_messages_tells(capsys):
    """Everybody sends one message: who is not there is missing in their number, and nothing hides it."""
    status, out, _ = call(capsys, "delta", "rr", "-p", "flip=1/4", "--n", 9, "--eps", 1, "--adjacency", "add-remove")
    assert (status, out.splitlines()[0]) == (0, "delta(1) = 1")
    assert "every participant sends 1 message: the number of messages alone reveals a user with delta = 1" in out
    status, out, _ = call(
        capsys,
        *("delta", "rr", "-p", "flip=1/4", "--n", 9, "--eps", 0, "--adjacency", "add-remove"),
        *("--take-part", "1/2", "--json"),
    )
    told = json.loads(out)["number_of_messages"]
    laws = [{k: Fraction(math.comb(n, k), 2**n) for k in range(n + 1)} for n in (9, 8)]
    expected = max(oracle.hockey_stick(*laws, 1), oracle.hockey_stick(*laws[::-1], 1))
    assert told["each"] == 1
    assert Fraction(told["delta"]["lower"]) <= expected <= Fraction(told["delta"]["upper"])


def test_the_face_and_objects():
    """Compositions say who is there of themselves, and refuse runs that differ in it."""
    made = shufflecert.populated(load("zsum", ["p=1/2"]), shufflecert.Presence.of("add-remove", None, 9))
    answer = shufflecert.compose([Run(made, 12, 2)], eps=1)
    assert (answer.tree["scope"]["adjacency"], answer.tree["scope"]["honest"]) == ("add-remove", 9)
    assert shufflecert.delta(made, 12, 1).tree["scope"]["honest"] == 9
    with pytest.raises(BadInput, match="presence: differs from run to run"):
        shufflecert.compose([Run(made, 12), Run(load("zsum", ["p=1/2"]), 12)], eps=1)


def test_exports_say_who_is_there(capsys, tmp_path):
    file, asks = tmp_path / "p.csv", ["krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 4]
    who = ["--adjacency", "deletion", "--reference", "1", "--honest", 3, "--take-part", "1/2"]
    told = asked(capsys, "export", *asks, *who, "--to", "csv", "-o", file, "--interval", "1/2", "--eps-max", "1")
    assert told["adjacency"] == "deletion" and told["reference"] == {"1": "1"} and told["take_part"] == "1/2"
    lines = [*csv.DictReader(file.read_text().splitlines())]
    assert [line["eps"] for line in lines] == ["0", "0.5", "1"]
    for line in lines:
        found = asked(capsys, "delta", *asks, *who, "--eps", line["eps"])["delta"]
        assert Fraction(line["lower"]) <= Fraction(found["upper"]) and Fraction(line["upper"]) >= Fraction(
            found["lower"]
        )
        assert Fraction(line["upper"]) - Fraction(line["lower"]) < Fraction(1, 10**9)
    pld = tmp_path / "p.json"
    asked(capsys, "export", *asks, *who, "--to", "opendp", "-o", pld, "--interval", "1/2", "--eps-max", "1")
    points = json.loads(pld.read_text())["profile"]
    exact = asked(capsys, "delta", *asks, *who, "--eps", "1/2")["delta"]["upper"]
    assert all(d >= float(Fraction(exact)) for e, d in zip(points["epsilon"], points["delta"], strict=True) if e <= 0.5)


def test_comparisons_say_who_is_there(capsys):
    asks = ["--n", 200, "--eps", 1, "--delta", "1e-3"]
    who = ["--honest", 100]
    found = asked(capsys, "compare", "sum", *asks, *who, "--systems", "poisson,discrete_laplace")
    rows = {row["system"]: row for row in found["rows"]}
    assert found["honest"] == 100 and found["adjacency"] == "replace"
    same = asked(capsys, "calibrate", "poisson", *asks, *who)
    assert rows["poisson"]["parameters"]["lam"] == same["value"]
    assert Fraction(same["value"]) > Fraction(asked(capsys, "calibrate", "poisson", *asks)["value"])
    found = asked(
        capsys,
        "compare",
        "histogram",
        "--buckets",
        3,
        *asks,
        "--adjacency",
        "add-remove",
        "--systems",
        "discrete_laplace",
    )
    noise = {k: Fraction(found["rows"][0]["parameters"]["q"]) ** abs(k) for k in range(-9, 10)}
    assert max(noise[k] / noise[k + 1] for k in range(8)) <= Fraction(
        27183, 10000
    )  # one bucket moves by 1: e^1 is enough
    assert max(noise[k] / noise[k + 1] for k in range(8)) >= Fraction(27182, 10000)


@pytest.mark.parametrize("command", ["table", "audit x.py", "report x.json", "accuracy zsum -p p=1/2"])
@pytest.mark.parametrize("option", ["--adjacency", "--reference", "--honest", "--take-part"])
def test_who_is_there_matters_not_everywhere(capsys, command, option):
    status, out, err = call(capsys, *command.split(), option, "1")
    assert status == 2 and not out and err.count("\n") == 1
    assert f"No such option: {option}" in err and ": delta, epsilon, certify, profile" in err
