"""Every command that writes certificates writes them whole, re-checks them, and refuses a wrong place in one line."""

import os
from pathlib import Path

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.commands import certificates
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.errors import MachineRefused
from shufflecert.verify.exact.randomizer import Randomizer
from tests.helpers import call, is_one_line

ROOT = Path(__file__).parent.parent
ONE_FILE = {
    "certify": ("certify", "rr", "-p", "flip=1/4", "--n", "2", "--eps", "1", "--delta", "1/2"),
    "calibrate": ("calibrate", "rr", "--n", "2", "--eps", "1", "--delta", "1/8", "--step", "1/16"),
    "audit": ("audit", "rr", "-p", "flip=1/4", "--n", "1", "--eps", "1", "--large", "2", "--claim", "eps=2"),
}
INTO_A_FOLDER = {"search": ("search", "multi-message-gap", "--workers", "1", "-o")}
TABLE = ("--systems", "zsum", "--n", "1000", "--eps", "1", "--delta", "1e-6", "--workers", "1")
UNDECIDED = kernel.Verdict("undecided", "memory: expected a smaller one")
REFUSED = "check finds its certificate undecided: memory: expected a smaller one"


def files(folder):
    """What is in a folder and below it."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", [*ONE_FILE, *INTO_A_FOLDER])
def test_what_the_kernel_does_not_accept_is_not_written(name, tmp_path, capsys, monkeypatch):
    """The kernel's answer is put in its place: it is repeated, and no file is there."""
    monkeypatch.setattr(kernel, "check", lambda *_, **__: UNDECIDED)
    place = tmp_path / "kept" if name in INTO_A_FOLDER else tmp_path / "made.json"
    asked = (*INTO_A_FOLDER[name], place) if name in INTO_A_FOLDER else (*ONE_FILE[name], "-o", place)
    status, out, err = call(capsys, *asked)
    assert not files(tmp_path) and REFUSED in out + err
    assert status == (3 if name == "certify" else status) in (0, 1, 3)


def test_a_table_says_it_of_each_certificate_that_is_asked_for(tmp_path, capsys, monkeypatch):
    file, kept = tmp_path / "t.csv", tmp_path / "kept"
    call(capsys, "table", file, *TABLE)
    monkeypatch.setattr(kernel, "check", lambda *_, **__: UNDECIDED)
    _, _, err = call(capsys, "table", file, "--check", "--certificates", kept)
    assert not files(kept) and err.count(REFUSED) == len(err.splitlines()) == 2
    assert call(capsys, "table", file, "--check")[2] == ""


@pytest.mark.parametrize("name", ONE_FILE)
@pytest.mark.parametrize("place", ["full", "folder", "there", "pipe", "below", "nowhere", "proc"])
def test_a_wrong_place_is_one_line_before_any_work(name, place, tmp_path, capsys, monkeypatch):
    places = {"full": Path("/dev/full"), "nowhere": tmp_path / "no" / "made.json", "proc": Path("/proc/made.json")}
    path = places.get(place, tmp_path / "made.json")
    if place == "folder":
        path.mkdir()
    elif place == "pipe":
        os.mkfifo(path)
    elif place in ("there", "below"):
        path.write_text("mine")
    kind = os.lstat(path).st_mode if path.exists() else None
    there, path = path, path / "c.json" if place == "below" else path
    before = files(tmp_path)
    monkeypatch.setattr("shufflecert.verify.progress.track", None)  # no work begins
    status, out, err = call(capsys, *ONE_FILE[name], "-o", path)
    assert status == 2 and out == "" and is_one_line(err) and err.startswith(f"shufflecert: {path}: ")
    assert files(tmp_path) == before and (place not in ("there", "below") or there.read_text() == "mine")
    assert kind is None or os.lstat(there).st_mode == kind


@pytest.mark.parametrize("place", ["file", "there", "proc"])
def test_a_wrong_folder_is_one_line_before_any_work(place, tmp_path, capsys):
    table, path = tmp_path / "t.csv", Path("/proc/made") if place == "proc" else tmp_path / "kept"
    call(capsys, "table", table, *TABLE)
    if place == "file":
        path.write_text("mine")
    elif place == "there":
        path.mkdir()
        (path / "multi-message-gap-1.json").write_text("mine")
        (path / "zsum-1-proved.json").write_text("mine")
    before = files(tmp_path)
    for asked in ((*INTO_A_FOLDER["search"], path), ("table", table, "--check", "--certificates", path)):
        status, out, err = call(capsys, *asked)
        assert status == 2 and out == "" and is_one_line(err) and files(tmp_path) == before, asked


def test_of_several_all_are_written_or_no_new_one(tmp_path, monkeypatch):
    """The disk is full at the second: the first, which is new, goes; one that was there before stays."""
    made = certify(Randomizer.of({0: {"a": "3/4", "b": "1/4"}, 1: {"a": "1/4", "b": "3/4"}}), 2, 1, "1/2")
    first, second, write = tmp_path / "1.json", tmp_path / "2.json", certificates.writing.write_whole

    def full(path, content):
        if path == second:
            raise MachineRefused(f"{path}: cannot be written: No space left on device")
        write(path, content)

    monkeypatch.setattr(certificates.writing, "write_whole", full)
    for there in (False, True):
        if there:
            first.write_text("before")
        with pytest.raises(MachineRefused):
            certificates.write_all([(made, first), (made, second)])
        assert files(tmp_path) == ([first] if there else [])
