"""The command: DESIGN.md's JSON contract, exit statuses, one line for every bad input, nothing half-written."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction

import mpmath
import pytest
import typer

from shufflecert.verify import cli
from shufflecert.verify.commands import given, options
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural, probability, rational
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue
from tests import judge_of_claims, oracle
from tests.helpers import COMMAND, asked, call, cyclic, is_one_line, refused, written_json
from tests.reference import real

KRR = ("krr", "-p", "k=3", "-p", "gamma=3/10")
SCOPE = {"adjacency", "view", "n", "datasets", "by", "pairs", "stands_for", "two_sided", "worst"}


def significant(decimal):
    return len(decimal.split("e")[0].replace(".", "").lstrip("0"))


# Answers -------------------------------------------------------------------------------------------------------------


def test_delta(capsys):
    answer = asked(capsys, "delta", *KRR, "--n", 4, "--eps", "3/10")
    A, B = oracle.delta_parts(oracle.krr(3, "3/10"), 4, Fraction(3, 10))
    value, scope = answer["delta"], answer["scope"]
    assert (answer["system"], answer["eps"]) == ("krr", "3/10")
    assert value["exact"] == {"A": str(A), "B": str(B)}
    with mpmath.workdps(60):
        truth = real(A)
        truth -= real(B) * mpmath.exp(mpmath.mpf(3) / 10)
        assert mpmath.mpf(value["lower"]) < truth < mpmath.mpf(value["upper"])
    assert significant(value["lower"]) <= 30 and significant(value["upper"]) == 30
    assert Fraction(value["upper"]) - Fraction(value["lower"]) == Fraction(1, 10**30)
    assert set(scope) == SCOPE
    # 3 * 2 ordered pairs of inputs times C(5, 3) multisets of 3 others
    assert (scope["adjacency"], scope["view"], scope["n"], scope["datasets"], scope["stands_for"]) == (
        *("replace", "shuffled", 4, "all", 60),
    )
    assert set(scope["worst"]) == {"from", "to", "others"} and sum(scope["worst"]["others"].values()) == 3


@pytest.mark.parametrize(("delta", "known"), [("0", 13), ("0.1", None), ("1", 1)])
def test_epsilon(capsys, delta, known):
    # krr k = 3, gamma = 1/5: truth 4/5 + 1/15 = 13/15, lie 1/15; pure eps is log 13 in every view
    system = ("krr", "-p", "k=3", "-p", "gamma=1/5")
    answer = asked(capsys, "epsilon", *system, "--n", 2, "--delta", delta)
    power = oracle.epsilon_ratio(oracle.krr(3, "1/5"), 2, Fraction(delta))
    assert answer["epsilon"]["exact"] == f"log({power})"
    assert known is None or power == known
    with mpmath.workdps(60):
        truth = mpmath.log(real(power))
        assert mpmath.mpf(answer["epsilon"]["lower"]) <= truth <= mpmath.mpf(answer["epsilon"]["upper"])
    assert set(answer["scope"]) == SCOPE and answer["delta"] == str(Fraction(delta))


def test_epsilon_is_infinite_where_it_is(capsys):
    answer = asked(capsys, "epsilon", "r_gap", "--view", "local", "--delta", 0)
    assert answer["epsilon"] == {"lower": "inf", "upper": "inf", "exact": "inf"}
    assert answer["scope"]["n"] == 1 and answer["scope"]["view"] == "local"
    assert "infinite" in call(capsys, "epsilon", "r_gap", "--view", "local", "--delta", 0)[1]


@pytest.mark.parametrize(("eps", "verdict", "status"), [("log(2)", "PROVED", 0), ("1/2", "REFUTED", 1)])
def test_certify_and_check(capsys, tmp_path, eps, verdict, status):
    file = tmp_path / "c.json"
    answer = asked(capsys, "certify", "r_gap", "--n", 3, "--eps", eps, "--delta", 0, "-o", file, status=status)
    assert (answer["verdict"], answer["certificate"]) == (verdict, str(file))
    assert answer["claim"] == {"eps": eps, "delta": "0"} and set(answer["scope"]) == SCOPE
    assert ("refutation" in answer) == (verdict == "REFUTED")
    written = file.read_bytes()
    assert judge_of_claims.judge(json.loads(written)) and json.loads(written)["verdict"] == verdict
    assert [p.name for p in tmp_path.iterdir()] == ["c.json"]
    assert oct(file.stat().st_mode & 0o777) == oct(0o666 & ~writing._umask())
    rows = asked(capsys, "check", file)
    assert [(row["certificate"], row["status"]) for row in rows] == [(str(file), "accepted")]
    # the words say the same
    words = call(capsys, "certify", "r_gap", "--n", 3, "--eps", eps, "--delta", 0)
    assert words[0] == status and words[1].startswith(verdict) and "no certificate written" in words[1]


def test_check_tells_statuses_apart(capsys, tmp_path):
    good, lie, torn = (tmp_path / name for name in ("good.json", "lie.json", "torn.json"))
    call(capsys, "certify", "rr", "-p", "flip=1/4", "--n", 2, "--eps", "log(3)", "--delta", 0, "-o", good)
    # pure eps of rr is log 3 exactly: the same claim for a smaller eps is untrue
    lie.write_text(good.read_text().replace("log(3)", "log(299/100)"))
    torn.write_text(good.read_text()[:-20])
    missing = tmp_path / "missing.json"
    for group, status in [([good], 0), ([lie], 1), ([good, lie], 1), ([lie, torn], 2), ([missing], 2)]:
        code, out, _ = call(capsys, "check", *group, "--json")
        assert code == status
        assert [row["certificate"] for row in json.loads(out)] == [str(f) for f in group]
    assert call(capsys, "check", good, "--max-work", 1)[0] == 3


def test_undecided_has_status_3_and_no_file(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(Eps, "bounds", lambda self, bits: (Fraction(2), Fraction(4)))
    arguments = ("certify", "rr", "-p", "flip=1/4", "--n", 2, "--eps", 1, "--delta", 0, "-o", tmp_path / "c.json")
    answer = asked(capsys, *arguments, status=3)
    assert answer["verdict"] == "UNDECIDED" and answer["reason"] and answer["certificate"] is None
    assert call(capsys, *arguments)[1].startswith("UNDECIDED: ")
    assert not (tmp_path / "c.json").exists()
    status, out, err = call(capsys, "delta", "rr", "-p", "flip=1/4", "--n", 2, "--eps", 1)
    assert (status, out) == (3, "") and is_one_line(err) and "undecided" in err
    assert list(tmp_path.iterdir()) == []


def test_a_randomizer_file_is_a_system(capsys, tmp_path):
    tree = cyclic()
    (tmp_path / "my.json").write_text(written_json(tree))
    answer = asked(capsys, "delta", tmp_path / "my.json", "--n", 2, "--eps", "log(2)")
    exact = {name: Fraction(value) for name, value in answer["delta"]["exact"].items()}
    assert exact["A"] - 2 * exact["B"] == oracle.delta(tree, 2, Fraction(2))


PYTHON = """
from __future__ import annotations
from dataclasses import dataclass
from shufflecert.verify.exact.randomizer import Randomizer
SHARED = Randomizer.of({0: {"a": "3/4", "b": "1/4"}, 1: {"a": "1/4", "b": "3/4"}})
class Mine:
    def __init__(self, q="1/4"):
        self.q = q
    def randomizer(self):
        return SHARED if self.q == "1/4" else Randomizer.of({0: {"a": self.q, "b": "1/2"}, 1: {"b": 1}})
OBJECT = Mine()
NOTHING = 5
FLOAT = lambda: None
class Fails:
    def __init__(self):
        raise ValueError("two\\nlines")
@dataclass(frozen=True)
class Postponed:
    p: str = "3/4"
    def randomizer(self):
        return Randomizer.of({0: {"a": self.p, "b": "1/4"}, 1: {"a": "1/4", "b": "3/4"}})
class Divides:
    def randomizer(self):
        return 1 / 0
class Number:
    def randomizer(self):
        return 5
class Leaves:
    def randomizer(self):
        raise SystemExit(0)
"""


@pytest.mark.parametrize(
    ("arguments", "delta"),
    # rr with flip 1/4 at n = 1: 3/4 - 1/4; q = 1/2: a has 1/2 against 0
    [
        (("SHARED",), "0.5"),
        (("OBJECT",), "0.5"),
        (("Mine",), "0.5"),
        (("Mine", "-p", "q=1/2"), "0.5"),
        (("Postponed",), "0.5"),
    ],
)
def test_a_python_file_is_a_system(capsys, tmp_path, arguments, delta):
    (tmp_path / "my.py").write_text(PYTHON)
    answer = asked(capsys, "delta", f"{tmp_path}/my.py:{arguments[0]}", *arguments[1:], "--view", "local", "--eps", 0)
    assert answer["delta"]["lower"] == answer["delta"]["upper"] == delta


def test_a_python_file_is_executed_as_it_stands(capsys, tmp_path, monkeypatch):
    """One that was changed within a second, its size as before, had the answer of the file before it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for p, delta in (("3/4", "0.5"), ("7/8", "0.75")):
        rows = f'{{0: {{"a": "{p}", "b": 1 - F("{p}")}}, 1: {{"a": 1 - F("{p}"), "b": "{p}"}}}}'
        (tmp_path / "mine.py").write_text("from fractions import Fraction as F\nfrom shufflecert import Randomizer\n")
        with (tmp_path / "mine.py").open("a") as file:
            file.write(f"R = Randomizer.of({rows})\n")
        os.utime(tmp_path / "mine.py", (10**9, 10**9))
        answer = asked(capsys, "delta", f"{tmp_path}/mine.py:R", "--view", "local", "--eps", 0)
        assert answer["delta"]["lower"] == delta
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("NOTHING", "expected a Randomizer"),
        ("FLOAT", "expected a Randomizer"),
        ("Fails", "ValueError: two lines"),
        ("Divides", "my.py:Divides"),
        ("Number", "my.py:Number"),
        ("Leaves", "my.py:Leaves"),
        ("Absent", "my.py: there is no 'Absent' in it"),
        ("OBJECT -p q=1", "takes no parameters"),
        ("Mine -p r=1", "unexpected keyword argument 'r'"),
        ("Mine -p q=2/3", "the probabilities sum to 7/6"),
        ("Mine -p q=abc", "'abc' is not an exact number"),
    ],
)
def test_a_python_file_that_fails_is_one_line(capsys, tmp_path, name, complaint):
    (tmp_path / "my.py").write_text(PYTHON)
    status, out, err = call(capsys, "delta", *f"{tmp_path}/my.py:{name}".split(), "--view", "local", "--eps", 0)
    assert (status, out) == (2, "") and is_one_line(err) and complaint in err


def test_python_in_a_toml_file_is_not_executed(capsys, tmp_path):
    (tmp_path / "my.toml").write_text(f"open({str(tmp_path / 'done')!r}, 'w')\n")
    for name in ("my.toml", "my.toml:Mine"):
        status, out, err = call(capsys, "delta", tmp_path / name, "--n", 2, "--eps", 0)
        assert (status, out) == (2, "") and is_one_line(err)
    assert not (tmp_path / "done").exists()


# Bad input -----------------------------------------------------------------------------------------------------------

RR = "rr -p flip=1/4 --n 2 --eps 1 --delta 0"


def test_an_empty_name_of_a_file_is_seen_before_the_work(capsys, monkeypatch):
    monkeypatch.setattr(cli, "decide", lambda *_, **__: pytest.fail("it worked first"))
    status, out, err = call(capsys, "certify", *RR.split(), "-o", "")
    assert (status, out) == (2, "") and is_one_line(err)


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_there_whole_or_not_at_all(capsys, tmp_path, monkeypatch, fault):
    (tmp_path / "c.json").write_text("before")
    names = sorted(tmp_path.iterdir())

    def fails(*_):
        raise fault

    monkeypatch.setattr("pathlib.Path.replace", fails)
    status, out, _ = call(capsys, "certify", *RR.split(), "-o", tmp_path / "c.json", "--force")
    assert (status, out) == (4 if isinstance(fault, OSError) else 130, "")
    assert (tmp_path / "c.json").read_text() == "before" and sorted(tmp_path.iterdir()) == names


SAY_IT_THEMSELVES, QUICK = {"calibrate", "compare", "search", "table"}, {"systems", "accuracy", "import"}


@pytest.mark.parametrize("name", sorted({*options.EXAMPLES} - SAY_IT_THEMSELVES - QUICK))
def test_whoever_stops_a_command_is_told_what_was_kept_and_which_options_are_quicker(capsys, monkeypatch, name):
    def stopped(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", stopped)
    status, out, err = call(capsys, name, "delta")  # the word that names the command is the first
    assert (status, out) == (130, "") and is_one_line(err)
    assert err.startswith(("shufflecert: interrupted: no partial result; ", "shufflecert: interrupted: nothing "))
    known = {option for one in typer.main.get_command(cli.app).commands[name].params for option in one.opts}
    named = set(re.findall(r"--[a-z-]+", err))
    assert named <= known and (named or name == "claims")


def test_a_defect_is_not_dressed_up_as_bad_input_nor_as_a_verdict(capsys, monkeypatch):
    monkeypatch.setattr(given, "load", lambda *_: 1 // 0)
    status, out, err = call(capsys, "delta", *KRR, "--n", "2", "--eps", "0")
    assert (status, out) == (4, "") and "Traceback" in err and "defect" in err.splitlines()[-1]


# Processes -----------------------------------------------------------------------------------------------------------


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (("delta", *KRR, "--n", "9", "--eps", "1"), ["%"]),
        (("profile", "zsum", "-p", "p=0.999", "--n", "1000000", "--eps", "0:1:5", "--json"), ["%"]),
        (("calibrate", "zsum", "--n", "1000", "--eps", "1", "--delta", "1e-6"), ["calibrating zsum"]),
        (("claims", "BC-thm-11-iii", "BC-thm-11-iv"), ["BC-thm-11-iii", "BC-thm-11-iv"]),  # and seconds, in its words
    ],
    ids=["delta", "profile", "calibrate", "claims"],
)
@pytest.mark.sampled(4)
def test_a_progress_bar_on_a_terminal_and_none_in_a_pipe(question, words):
    piped = run(*question)
    assert (piped.returncode, piped.stderr) == (0, "") and "\x1b" not in piped.stdout
    ours, terminal = os.openpty()
    environment = os.environ | {"TERM": "xterm"}
    shown = subprocess.run(
        [*COMMAND, *question], stdout=subprocess.PIPE, stderr=terminal, env=environment, text=True, check=True
    )
    os.close(terminal)
    bar = os.read(ours, 10**6).decode()
    os.close(ours)
    assert all(word in bar for word in words) and (question[0] == "claims" or shown.stdout == piped.stdout)


def test_the_door_opens_without_the_heavy_libraries():
    heavy = ("sympy", "scipy", "mpmath", "matplotlib", "numpy", "shufflecert.protocols", "shufflecert.proofs")
    heavy += ("shufflecert.verify.kernel", "shufflecert.verify.calibrate.parameter_table", "sqlite3")
    code = f"""
import sys
from shufflecert.verify.cli import main
try:
    main(["--help"])
except SystemExit as stopped:
    assert not stopped.code
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]" and "certify" in done.stdout


def test_a_refutation_shows_its_sum(capsys):
    """zsum with p = 0, one user: on input 1 one message is sent for sure, on input 0 none."""
    arguments = ("certify", "zsum", "-p", "p=0", "--n", 1, "--eps", 1, "--delta", "1/2")
    refutation = asked(capsys, *arguments, status=1)["refutation"]
    assert (refutation["P"], refutation["Q"]) == ({"lower": "1", "upper": "1"}, {"lower": "0", "upper": "0"})
    assert "of probability 1 against 0" in call(capsys, *arguments)[1]


# Typed input that is meant well: it is read, or the one line that refuses it shows the form that is read.


FLIPPED = "rr -p flip=1/4"


def test_what_check_cannot_find_is_a_row(capsys, tmp_path, monkeypatch):
    """All else that is typed and refused is in tests/test_bad_input.py."""
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, "check", "none.json")
    assert (status, err) == (2, "") and "no such file" in out and "Errno" not in out
    os.mkfifo("pipe.json")  # is not waited for
    status, out, err = call(capsys, "check", "pipe.json")
    assert (status, err) == (2, "") and "malformed" in out


ALIKE = {  # what is typed, and another way to write it
    f"delta {FLIPPED} --n 2_000 --eps 1": f"delta {FLIPPED} --n 2000 --eps 1",
    f"delta {FLIPPED} --n 2,000 --eps 1": f"delta {FLIPPED} --n 2000 --eps 1",
    f"delta {FLIPPED} --n 3 --eps ln(3/2)": f"delta {FLIPPED} --n 3 --eps log(3/2)",
    f"delta {FLIPPED} --n 3 --eps 0.000_1": f"delta {FLIPPED} --n 3 --eps 1/10000",
}


@pytest.mark.parametrize("typed", ALIKE)
def test_what_is_read_is_what_was_meant(capsys, typed):
    found, expected = (asked(capsys, *line.split(" ")) for line in (typed, ALIKE[typed]))
    assert (found["n"], found["delta"], found["eps"]) == (expected["n"], expected["delta"], expected["eps"])


def test_a_comma_parts_thousands_where_only_whole_numbers_are_read():
    """1,500 is 1.5 elsewhere: where a fraction may be meant it is refused, and so is what groups no thousands."""
    assert (natural("1,234,567", "n"), natural("12_345", "n"), rational("1_000/3")) == (
        1234567,
        12345,
        Fraction(1000, 3),
    )
    for bad in ("1,23", "0,500", ",500", "1234,567", "1_", "_1", "1__0", "1,000.5", "1.000,5", "1,000e3"):
        refused(lambda bad=bad: natural(bad, "n"), "n: ", "expected an integer")
    for bad in ("1,500", "0,5", "1_/3", "_1", "1._5", "1e_3"):
        refused(lambda bad=bad: rational(bad, "x"), "x: ")
    refused(lambda: probability("50%"), "write 0.5")
    assert Eps.of("ln(2)") == Eps.of("log(2)")


SETS = [
    ("krr", {"k": "3"}),
    ("blanket_sum", {"k": "3"}),
    ("rr", {}),
    ("rappor", {"d": "3"}),
    ("symmetric_rappor", {"d": "4"}),
]


@pytest.mark.parametrize(("name", "more"), SETS)
def test_systems_lists_eps0(capsys, name, more):
    """With the parameter in whose place it stands; with both given the line says so."""
    status, out, _ = call(capsys, "systems", name)
    (row,) = asked(capsys, "systems", name)
    sets = catalogue.system_class(name).LOCAL
    assert status == 0 and f"-p eps0=...  the local eps, in the place of {sets}" in out and row["eps0_sets"] == sets
    assert sets in [parameter["name"] for parameter in row["parameters"]]
    refused(lambda: catalogue.make(name, {**more, "eps0": "1", sets: "1/3"}), f"{sets} is given as well")
    assert catalogue.make(name, {**more, "eps0": "1"})


def test_systems_lists_no_eps0_where_none_is_read(capsys):
    assert "eps0=... " not in call(capsys, "systems", "zsum")[1]
    assert call(capsys, "systems", "any_ldp")[1].count("-p eps0=") == 1  # a parameter of its own
    assert {row["name"] for row in asked(capsys, "systems") if row["eps0_sets"]} >= {name for name, _ in SETS}


@pytest.mark.parametrize("command", ["profile", "compose"])
def test_the_help_shows_a_parameter_of_one_of_several_systems(capsys, command):
    assert "krr.k=4" in call(capsys, command, "--help")[1]
    assert "krr.k=4" not in call(capsys, "delta", "--help")[1]


def test_an_answer_without_a_certificate_names_the_option(capsys):
    status, out, _ = call(capsys, "certify", *FLIPPED.split(" "), "--n", 3, "--eps", 2, "--delta", "1/10")
    assert status == 0 and "no certificate written; add -o cert.json" in out
