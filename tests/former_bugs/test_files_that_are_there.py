"""`certify -o` and `audit -o` replaced a file without a word: a certificate of PROVED became one of REFUTED."""

import pytest

from tests.former_bugs.test_what_the_machine_refuses import HUNT, WRITERS
from tests.helpers import call, is_one_line

WRITTEN = {name: next(word for word in words if word.startswith("a.")) for name, words in WRITERS.items()
           if name not in ("search", "journal")}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text("p,q\n1/2,1/3\n1/2,2/3\n")
    return tmp_path


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_is_there_is_replaced_by_force_only(folder, capsys, name):
    file = folder / WRITTEN[name]
    file.write_text("before")
    status, out, err = call(capsys, *WRITERS[name])
    assert (status, out) == (2, "") and is_one_line(err) and "exists" in err and "--force" in err
    assert file.read_text() == "before" and len(list(folder.iterdir())) == 2
    assert call(capsys, *WRITERS[name], "--force")[0] in (0, 1) and file.read_bytes() != b"before"


def test_the_certificates_of_a_search(folder, capsys):
    """A folder that is missing is made; a certificate in it is left alone."""
    hunt = (*HUNT, "2", "--denominator", "5", "-o", folder / "new" / "folder")
    assert call(capsys, *hunt)[0] == 1
    made = sorted((folder / "new" / "folder").iterdir())
    assert [path.name for path in made] == ["preshuffle-gap-1.json", "preshuffle-gap-2.json"]
    made[0].write_text("before")
    status, out, err = call(capsys, *hunt)
    assert (status, out) == (2, "") and is_one_line(err) and "--force" in err and made[0].read_text() == "before"
    assert call(capsys, *hunt, "--force")[0] == 1 and made[0].read_text() != "before"


def test_a_search_that_finds_nothing_makes_no_folder(folder, capsys):
    assert call(capsys, *HUNT, "1", "--denominator", "3", "-o", folder / "new")[0] == 0
    assert not (folder / "new").exists()


def test_the_certificates_of_a_table(folder, capsys):
    assert call(capsys, *WRITERS["table"])[0] == 0
    (folder / "new").mkdir()
    there = folder / "new" / "poisson-1-refuted.json"
    there.write_text("before")
    check = ("table", "a.csv", "--check", "--certificates", folder / "new")
    assert call(capsys, *check)[0] == 2 and there.read_text() == "before" and len(list(there.parent.iterdir())) == 1
    assert call(capsys, *check, "--force")[0] == 0 and there.read_text() != "before"
    assert sorted(path.name for path in there.parent.iterdir()) == ["poisson-1-proved.json", "poisson-1-refuted.json"]
