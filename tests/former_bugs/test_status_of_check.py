"""`check` took its exit status from a function that the kernel did not have, and limits of 0 that mean nothing."""

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.commands import decide
from tests.helpers import call, is_one_line


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["accepted"], 0),
        (["accepted", "rejected"], 1),
        (["undecided", "accepted"], 3),
        (["rejected", "undecided"], 1),
        (["rejected", "malformed", "undecided"], 2),
    ],
)
def test_the_gravest_status_decides(capsys, monkeypatch, tmp_path, statuses, code):
    monkeypatch.setattr(kernel, "check", lambda data, **_: kernel.Verdict(data.decode(), "as named"))
    monkeypatch.setattr(decide, "_stated", lambda data: {})
    for status in statuses:
        (tmp_path / status).write_text(status)
    assert call(capsys, "check", "--by", "kernel", *(tmp_path / status for status in statuses))[0] == code


@pytest.mark.parametrize("limit", ["--max-bits", "--max-work"])
@pytest.mark.parametrize("value", ["0", "-5", "many"])
def test_limits_are_positive(capsys, limit, value):
    status, out, err = call(capsys, "check", "absent.json", limit, value)
    assert (status, out) == (2, "") and is_one_line(err) and limit in err
