"""Small things: empty options, a name told last, profiles that rise, pipes that block, a hidden mark."""

import os
from fractions import Fraction

import pytest

from shufflecert.verify.answers.plots import Band, bands_figure
from shufflecert.verify.errors import MachineRefused
from shufflecert.verify.runs.journal import Header, create_or_resume
from tests.helpers import asked, call, is_one_line

RR = ("rr", "-p", "flip=1/4", "--n", 2)


@pytest.mark.parametrize("more", [("--renyi", ""), ("--trade-off", "--alpha", ""), ("--eps", "")])
def test_an_empty_grid_is_none(capsys, more):
    status, out, err = call(capsys, "profile", *RR, *more)
    assert (status, out) == (2, "") and is_one_line(err)


SHORT = (
    *("delta {}", "epsilon {}", "certify {}", "profile {}", "calibrate {}", "accuracy {}", "delta {} --eps 1"),
    *("compose zsum,{} --eps 1", "profile zsum,{}", "export {} --to csv -o a.csv"),
)


@pytest.mark.parametrize("arguments", SHORT)
@pytest.mark.parametrize("name", ["zsumm", "none.toml", "none.py:Mine"])
def test_a_wrong_name_is_told_before_what_is_missing(capsys, tmp_path, monkeypatch, arguments, name):
    """`delta zsumm` complained that there was no --eps, and then of --n."""
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, *arguments.format(name).split())
    assert (status, out) == (2, "") and is_one_line(err) and name.partition(":")[0] in err and "--" not in err


FALLING = {
    "it rises": "eps,delta\n0,0.1\n1,0.5\n",
    "it rises, unsorted": "eps,delta\n1,0.5\n0,0.1\n",
    "it rises past a logarithm": "eps,delta\n1,0.1\nlog(3),0.2\n",
    "two values": "eps,delta\n1,0.1\n1,0.2\n",
    "its bounds contradict": "system,eps,lower,upper\nx,0,0.1,0.2\nx,1,0.3,0.4\n",
    "only a header": "eps,delta\n",
    "only a header of laws": "outcome,p,q\n",
    "no columns": "\n",
    "other columns": "a,b\n1,2\n",
}


@pytest.mark.parametrize("name", FALLING)
def test_what_is_no_profile(capsys, tmp_path, name):
    (tmp_path / "a.csv").write_text(FALLING[name])
    for more in ((), ("--binary",)):
        status, out, err = call(capsys, "import", tmp_path / "a.csv", "-o", tmp_path / "a.toml", *more)
        assert (status, out) == (2, "") and is_one_line(err) and not (tmp_path / "a.toml").exists()


def test_bounds_that_overlap_are_a_profile(capsys, tmp_path):
    """The upper end alone may rise: the ends were rounded."""
    (tmp_path / "a.csv").write_text("system,eps,lower,upper\nx,0,0.1,0.2\nx,1,0.1,0.21\n")
    assert call(capsys, "import", tmp_path / "a.csv", "-o", tmp_path / "a.toml")[0] == 0


@pytest.mark.parametrize("command", ["check", "report", "import", "delta", "table"])
def test_a_named_pipe_is_not_waited_for(capsys, tmp_path, command):
    suffix = {"check": ".json", "report": ".json", "delta": ".toml"}.get(command, ".csv")
    os.mkfifo(tmp_path / f"p{suffix}")
    more = {"delta": ("--n", 2, "--eps", 1), "import": ("-o", tmp_path / "t.toml"), "table": ("--check",)}
    status, out, err = call(capsys, command, tmp_path / f"p{suffix}", *more.get(command, ()))
    assert status == 2 and (is_one_line(err) if command != "check" else "malformed" in out)


def test_a_chart_of_what_is_infinite_says_so(capsys, tmp_path):
    """It was empty, over orders below 0."""
    asked(capsys, "profile", "r_gap", "--view", "preshuffle", "--renyi", "2:8:4", "--plot", tmp_path / "a.svg")
    assert "infinite everywhere" in (tmp_path / "a.svg").read_text()
    axes = bands_figure([Band("x", [2.0, 8.0], [float("inf")] * 2, [float("inf")] * 2)], "order", "y").axes[0]
    assert axes.get_xlim() == (2.0, 8.0) and not axes.get_yticklabels()


def test_a_journal_on_a_full_disk(tmp_path):
    """SQLite's own word for it came as bad input; a page limit stands for the disk."""
    with create_or_resume(tmp_path / "a.journal", Header.of("some", "1", {}, 9)) as journal:
        pages = journal._database.execute("PRAGMA page_count").fetchone()[0]
        journal._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(MachineRefused, match="full"):
            journal.record(0, "x" * 10**6, None, 0.0)


def test_a_byte_order_mark_is_named(capsys, tmp_path):
    """Some editors put it first, and show it nowhere: "not TOML: Invalid statement (at line 1, column 1)"."""
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfname = 'a'\n")
    status, out, err = call(capsys, "delta", tmp_path / "a.toml", "--n", 2, "--eps", 1)
    assert (status, out) == (2, "") and is_one_line(err) and "byte order mark" in err


# A finished table removed every file whose name begins with, or as a pattern matches, that of its journal.


@pytest.mark.parametrize("name", ["mine.csv", "*.csv", "[m]ine.csv", "none/../mine.csv"])
def test_a_table_removes_its_journal_and_no_other_file(capsys, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    kept = {"mine.csv.journal.bak", "old.csv.journal", "m.csv.journal-of-last-year"}
    for other in kept:
        (tmp_path / other).write_text("somebody's")
    given = ("--systems", "zsum", "--n", 100, "--eps", 1, "--delta", "1e-6", "--workers", 1)
    assert call(capsys, "table", name, *given)[0] == 0
    assert {file.name for file in tmp_path.iterdir()} == kept | {name.rpartition("/")[2]}


# What is no name of a file, or a link in a circle, was called a defect of the program, with a traceback.


CLAIM = ("search", "--claim", "delta(n, 0) < 1", "--n", 2, "--denominator", 2, "--workers", 1)
NO_PLACES = [
    ("calibrate", "rr", "--n", 3, "--eps", 1, "--delta", "1/10", "-o", "."),
    ("calibrate", "rr", "--n", 3, "--eps", 1, "--delta", "1/10", "-o", "/"),
    ("calibrate", "rr", "--n", 3, "--eps", 1, "--delta", "1/10", "-o", "circle.py"),
    ("table", "new.csv", "--systems", "zsum", "--n", 100, "--eps", 1, "--delta", "1e-6", "--journal", "circle.py"),
    (*CLAIM, "--journal", "circle.py"),
    (*CLAIM, "-o", "circle.py"),
    ("search", "status", "circle.py"),
    ("search", "resume", "circle.py"),
    ("search", "circle.py:mine"),
]


@pytest.mark.parametrize(
    "arguments", NO_PLACES, ids=lambda arguments: " ".join(map(str, (*arguments[:2], *arguments[-2:])))
)
def test_a_place_that_is_none(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "circle.py").symlink_to("circle.py")
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "") and is_one_line(err) and len([*tmp_path.iterdir()]) == 1


# What refused another system, beside whose error few messages are looked for, was said of the system itself.


@pytest.mark.parametrize("who", [("--take-part", "1/2"), ("--adjacency", "add-remove")])
def test_whose_trouble_it_is(capsys, who):
    given = ("--buckets", 2, "--n", 2, "--eps", 1, "--delta", "1/10", "--systems", "fake_users")
    (row,) = asked(capsys, "compare", "histogram", *given, *who)["rows"]
    assert row["note"].startswith("poisson_hist, beside whose error few messages are looked for: ")


# A grid finer than the balls by which it is searched was searched bit by bit, for minutes.


def test_a_step_is_no_finer_than_a_search_tells_apart(capsys):
    given = ("calibrate", "rr", "--n", 1, "--eps", "log(3)", "--delta", "1/10")
    answer = asked(capsys, *given, "--step", Fraction(1, 2**256))
    value, fails = Fraction(answer["value"]), Fraction(answer["fails_at"])
    assert 1 - value - 3 * value <= Fraction(1, 10) < 1 - fails - 3 * fails and value - fails == Fraction(1, 2**256)
    status, out, err = call(capsys, *given, "--step", "1e-300")
    assert (status, out) == (2, "") and is_one_line(err) and "2^-256" in err
