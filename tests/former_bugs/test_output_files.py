"""`-o` onto what is not a regular file replaced it (a pipe, a device), or was refused only after all the work."""

import os

import pytest

from tests.helpers import call, is_one_line

CLAIM = ("certify", "rr", "-p", "flip=1/4", "--n", 2, "--eps", 0, "--delta", 1, "-o")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_regular_file_is_left_alone(tmp_path, capsys, monkeypatch, make):
    make(tmp_path / "there")
    before = os.lstat(tmp_path / "there")
    monkeypatch.setattr(
        "shufflecert.verify.answers.decided.decide", lambda *_, **__: pytest.fail("it was seen only after the work")
    )
    status, out, err = call(capsys, *CLAIM, tmp_path / "there")
    assert (status, out) == (2, "") and is_one_line(err) and "there" in err
    assert os.lstat(tmp_path / "there").st_mode == before.st_mode
    assert [p.name for p in tmp_path.iterdir()] == ["there"]


def test_a_link_keeps_being_one(tmp_path, capsys):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "file").write_text("old")
    assert call(capsys, *CLAIM, tmp_path / "link", "--force")[0] == 0
    assert (tmp_path / "link").is_symlink() and "shufflecert" in (tmp_path / "file").read_text()
