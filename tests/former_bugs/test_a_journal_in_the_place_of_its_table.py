"""`table FILE --journal FILE` wrote the table over its journal; a damaged journal was quoted at length."""

import sqlite3
from contextlib import closing

import pytest

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.journal import Header, create_or_resume, read
from tests.helpers import call, is_one_line

ASKED = ("--systems", "zsum", "--n", 1000, "--eps", 1, "--delta", "1e-6", "--workers", 1)


@pytest.mark.parametrize("other", ["one.csv", "./one.csv", "sub/../one.csv"])
def test_they_are_two_files(tmp_path, capsys, monkeypatch, other):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, "table", "one.csv", *ASKED, "--journal", other)
    assert (status, out) == (2, "") and is_one_line(err) and "the table and --journal are one file" in err
    assert [p.name for p in tmp_path.iterdir()] == ["sub"]


def test_a_result_that_is_no_text(tmp_path):
    path = tmp_path / "run.journal"
    with create_or_resume(path, Header.of("run", "1", {}, 1)) as journal:
        journal.record(0, '"' + "long " * 1000 + '"', None, 0.0)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE block SET result = CAST(x'ff' || CAST(result AS BLOB) AS TEXT)")
    with pytest.raises(BadInput) as refused, read(path) as journal:
        list(journal.results())
    assert is_one_line(f"shufflecert: {refused.value}\n") and len(str(refused.value)) < len(str(path)) + 60
