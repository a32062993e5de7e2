"""The table of certified parameters: made in blocks, resumed, shipped, and checked row by row."""

import csv
import json
import signal
import subprocess
import time
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from shufflecert.verify import kernel
from shufflecert.verify.calibrate import parameter_table
from shufflecert.verify.errors import BadInput
from tests.helpers import COMMAND, asked, call, is_one_line
from tests.reference import real

SHIPPED = Path(__file__).parent.parent / "protocols" / "certified_parameters.csv"
SMALL = ("--systems", "poisson,zsum", "--n", "1000,100000", "--eps", "1/2,1", "--delta", "1e-6")


def rows(file):
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def binomial_delta(n, p, eps):
    """max over both directions of sum max(P - e^eps Q, 0), P = Bin(n, p) + 1, Q = Bin(n, p), by mpmath at 60 digits."""
    with mpmath.workdps(60):
        p, q, power = (
            real(p),
            1 - real(p),
            mpmath.exp(eps),
        )
        law = [mpmath.binomial(n, k) * p**k * q ** (n - k) for k in range(n + 1)]
        up = [mpmath.mpf(0), *law]
        down = [*law, mpmath.mpf(0)]
        forth = sum(max(x - power * y, 0) for x, y in zip(up, down, strict=True))
        back = sum(max(y - power * x, 0) for x, y in zip(up, down, strict=True))
        return max(forth, back)


def test_rows_are_what_a_closed_form_says(capsys, tmp_path):
    file = tmp_path / "t.csv"
    answer = asked(capsys, "table", file, *SMALL, "--workers", 1)
    assert {"table": str(file), "rows": 8, "without_value": 0, "failures": []}.items() <= answer.items()
    found = rows(file)
    assert [row["system"] for row in found] == ["poisson"] * 4 + ["zsum"] * 4 and list(tmp_path.iterdir()) == [file]
    row = next(row for row in found if (row["system"], row["n"], row["eps"]) == ("zsum", "1000", "1/2"))
    value, fails = Fraction(row["value"]), Fraction(row["fails_at"])
    assert fails - value == Fraction(1, 2**64) and row["adjacent"] == "yes" and Fraction(row["decimal"]) == value
    with mpmath.workdps(60):
        bound = mpmath.mpf("1e-6")
        assert binomial_delta(1000, value, mpmath.mpf("0.5")) <= bound < binomial_delta(1000, fails, mpmath.mpf("0.5"))
    papers = next(row for row in found if (row["system"], row["n"], row["eps"]) == ("zsum", "100000", "1"))
    with mpmath.workdps(40):  # 1 - p = 50 ln(2/delta) / (eps^2 n), BC Figure 1, over ours
        quiet = 1 - Fraction(papers["value"])
        factor = 50 * mpmath.log(2 * 10**6) / 10**5 / (real(quiet))
        low, high = mpmath.mpf(papers["noise_factor_lower"]), mpmath.mpf(papers["noise_factor_upper"])
        assert low * (1 - mpmath.mpf(2) ** -50) <= factor <= high * (1 + mpmath.mpf(2) ** -50)


def test_every_row_is_checked_again(capsys, tmp_path):
    file = tmp_path / "t.csv"
    call(capsys, "table", file, *SMALL, "--workers", 1)
    kept = tmp_path / "kept"
    kept.mkdir()
    answer = asked(capsys, "table", file, "--check", "--certificates", kept, "--n", "100000")
    assert [line["verdict"] for line in answer] == ["PROVED", "REFUTED"] * 4
    assert {line["status"] for line in answer} == {"accepted"}
    assert len(list(kept.iterdir())) == 8
    assert {kernel.check_file(certificate).status for certificate in kept.iterdir()} == {"accepted"}
    text = file.read_text()
    one = rows(file)[0]
    file.write_text(text.replace(one["value"], one["fails_at"]))  # a row that claims too much
    status, out, _ = call(capsys, "table", file, "--check", "--systems", "poisson", "--json")
    assert status == 1 and "rejected" in {line["status"] for line in json.loads(out)}


def test_a_killed_run_goes_on_and_ends_the_same(capsys, tmp_path):
    """SIGKILL in mid-run; the second run repeats no finished row, and the table is that of an undisturbed run."""
    whole, torn = tmp_path / "whole.csv", tmp_path / "torn.csv"
    assert call(capsys, "table", whole, *SMALL, "--workers", 1)[0] == 0
    run = [*COMMAND, "table", str(torn), *SMALL, "--workers", "1"]
    process = subprocess.Popen(run, stdout=subprocess.DEVNULL)
    record = torn.with_name("torn.csv.journal")
    from shufflecert.verify.runs.journal import read

    done, end = 0, time.monotonic() + 300
    while not done and process.poll() is None and time.monotonic() < end:
        if record.exists():
            try:
                with read(record) as journal:
                    done = len(journal.finished())
            except BadInput:  # not yet a journal
                pass
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not torn.exists()
    assert call(capsys, "table", torn, *SMALL, "--workers", 2)[0] == 0
    assert torn.read_bytes() == whole.read_bytes() and not record.exists()


def test_a_promise_that_nothing_keeps_is_a_row_with_the_reason():
    row = parameter_table.row(["zsum", "10", "1/10", "1e-9"])
    assert (
        not row["value"]
        and "no value is shown to satisfy (eps, delta)" in row["note"]
        and set(row) == set(parameter_table.COLUMNS)
    )


def test_files_that_are_there_are_not_written_over(capsys, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("mine")
    assert call(capsys, "table", file, *SMALL)[0] == 2 and file.read_text() == "mine"
    assert call(capsys, "table", file, "--check")[0] == 2  # and it is not a table


def test_the_shipped_table_is_whole_and_its_rows_hold(capsys):
    """Every cell of the command's default is there; a sample of rows, another one for each system, is made again."""
    found = rows(SHIPPED)
    assert [[row["system"], row["n"], row["eps"], row["delta"]] for row in found] == parameter_table.cells()
    for i, system in enumerate(parameter_table.QUICK):
        mine = [row for row in found if row["system"] == system and row["value"]]
        row = mine[(37 * i + 11) % len(mine)]
        assert parameter_table.row([row["system"], row["n"], row["eps"], row["delta"]]) == row
        for verdict, result in parameter_table.certificates(parameter_table.stated(row)):
            assert result.verdict == verdict and kernel.check(result.certificate_text().encode()).status == "accepted"


def written(file, **changed):
    """A table with one row, that of zsum for 50 users at p = 3/4, in which something was changed."""
    row = dict.fromkeys(parameter_table.COLUMNS, "")
    row |= {"system": "zsum", "n": "50", "eps": "1", "delta": "1/10", "parameter": "p", "value": "3/4"} | changed
    with file.open("w", newline="") as out:
        maker = csv.DictWriter(out, parameter_table.COLUMNS)
        maker.writeheader()
        maker.writerow(row)


NO_ROWS = {
    "given": ("zz", "zz"),
    "value": ("abc", "abc"),
    "n": ("x", "n: 'x'"),
    "eps": ("log(0)", "eps"),
    "system": ("mine.py:Mine", "has no rows"),  # code beside the table is not run
}


@pytest.mark.parametrize("column", NO_ROWS)
def test_a_row_that_is_none_is_named_before_any_work(capsys, tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parameter_table, "certify", lambda *_, **__: pytest.fail("work was begun"))
    (tmp_path / "mine.py").write_text("raise SystemExit('it was run')")
    text, said = NO_ROWS[column]
    written(tmp_path / "t.csv", **{column: text})
    status, out, err = call(capsys, "table", "t.csv", "--check", "--certificates", "kept")
    assert (status, out) == (2, "") and is_one_line(err) and said in err and "n=" in err
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    "changed, more, status, found",
    [
        ({}, (), 0, "accepted"),
        ({"value": "99/100"}, (), 1, "rejected"),
        ({}, ("--max-work", 1), 3, "undecided"),
    ],
)
def test_the_exit_status_is_that_of_check(capsys, tmp_path, changed, more, status, found):
    """By the sum over a binomial law; the kernel begins nothing with one unit of work."""
    p = Fraction(changed.get("value", "3/4"))
    assert (binomial_delta(50, p, 1) <= 0.1) == (found != "rejected")
    written(tmp_path / "t.csv", **changed)
    code, out, _ = call(capsys, "table", tmp_path / "t.csv", "--check", *more, "--json")
    assert code == status and [line["status"] for line in json.loads(out)] == [found]


@pytest.mark.parametrize("name", ["mine.csv", "*.csv", "[m]ine.csv", "none/../mine.csv"])
def test_a_table_removes_its_journal_and_no_other_file(capsys, tmp_path, monkeypatch, name):
    """It removed every file whose name begins with, or as a pattern matches, that of its journal."""
    monkeypatch.chdir(tmp_path)
    kept = {"mine.csv.journal.bak", "old.csv.journal", "m.csv.journal-of-last-year"}
    for other in kept:
        (tmp_path / other).write_text("somebody's")
    given = ("--systems", "zsum", "--n", 100, "--eps", 1, "--delta", "1e-6", "--workers", 1)
    assert call(capsys, "table", name, *given)[0] == 0
    assert {file.name for file in tmp_path.iterdir()} == kept | {name.rpartition("/")[2]}
