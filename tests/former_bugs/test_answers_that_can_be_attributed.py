"""A JSON answer said {"system": "krr", "eps": "3/10"}: not with which parameters, by which version, and when."""

import hashlib
import json
import os
import subprocess
from datetime import UTC, datetime

import pytest

from tests.helpers import COMMAND, asked, call, is_one_line

KRR = ("krr", "-p", "k=3", "-p", "gamma=3/10", "--n", 6)
ASKED = {
    "delta": ("delta", *KRR, "--eps", 1),
    "epsilon": ("epsilon", *KRR, "--delta", "1/10"),
    "certify": ("certify", *KRR, "--eps", 1, "--delta", 1),
    "profile": ("profile", *KRR, "--eps", "0,1"),
    "renyi": ("profile", *KRR, "--renyi", 2),
    "accuracy": ("accuracy", *KRR),
    "compose": ("compose", *KRR, "--times", 2, "--eps", 1),
    "export": ("export", *KRR, "--to", "csv", "--eps-max", "1", "-o", "a.csv"),
    "calibrate": ("calibrate", "rr", "--n", 6, "--eps", 1, "--delta", "1/10"),
    "audit": ("audit", *KRR[:-2], "--n", 1, "--large", 2),
}
LISTS = {
    "systems": ("systems",),
    "search list": ("search", "list"),
    "claims": ("claims", "BC-claim-19"),
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.sampled(3)
def test_an_answer_says_of_what_by_what_and_when(capsys, monkeypatch, tmp_path, version, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    answer = asked(capsys, *ASKED[name])
    given = {"k": "3", "gamma": "3/10"}
    told = answer[{"profile": "curves", "renyi": "renyi"}[name]][0] if name in ("profile", "renyi") else answer
    if name == "calibrate":
        assert answer["parameters"]["flip"] == answer["value"]
    else:
        assert told["parameters"] == ([given] if name == "compose" else given)
    assert answer["system"] == ASKED[name][1] and answer["n"] == ([1] if name == "audit" else 6)
    assert (answer["version"], answer["date"]) == (version, "1970-01-02T00:00:00Z")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_says_so_in_every_row(capsys, monkeypatch, version, name):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    rows = asked(capsys, *LISTS[name])
    assert rows and {(row["version"], row["date"]) for row in rows} == {(version, "1970-01-02T00:00:00Z")}


@pytest.fixture(scope="module")
def version():
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


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


def test_the_date_is_now_unless_it_is_set():
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    before = datetime.now(UTC).replace(microsecond=0)
    done = subprocess.run([*COMMAND, "delta", *map(str, KRR), "--eps", "1", "--json"], env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert before <= datetime.fromisoformat(json.loads(done.stdout)["date"]) <= datetime.now(UTC)


@pytest.mark.parametrize("value", ["", "now", "-1", "1e9", "9" * 30])
def test_a_date_that_is_none(capsys, monkeypatch, value):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    status, out, err = call(capsys, "delta", *KRR, "--eps", 1, "--json")
    assert (status, out) == (2, "") and is_one_line(err) and "SOURCE_DATE_EPOCH" in err
