"""A certificate that the kernel leaves undecided with its default limits was written without a word about that."""

import pytest

from tests.helpers import call
from verify import kernel

TABLE = """
[[rows]]
input = "0"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["c", "b"], p = "49/50"}]
[[rows]]
input = "1"
outputs = [{send = ["b", "c", "c"], p = "1/50"}, {send = ["b", "c", "b"], p = "49/50"}]
[[rows]]
input = "2"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["b", "c"], p = "49/50"}]
"""
ASKED = [
    "--n",
    "3",
    "--adjacency",
    "deletion",
    "--reference",
    "0=1/2,1=1/6,2=1/3",
    "--eps",
    "1/2",
    "--delta",
    "333/400",
]


@pytest.mark.parametrize("steps, accepted", [(100, False), (kernel.MAX_WORK, True)], ids=["few steps", "default"])
@pytest.mark.parametrize("more", [["--max-work", "1"], []], ids=["an event", "enumerated"])
def test_who_writes_a_certificate_is_told_what_check_finds(more, steps, accepted, tmp_path, capsys, monkeypatch):
    """With --max-work 1 an event refutes the claim, else enumeration; the kernel's default is made to be too little."""
    monkeypatch.setattr(kernel.check, "__defaults__", (kernel.MAX_BITS, steps, kernel.SPARE))
    table, written = tmp_path / "table.toml", tmp_path / "certificate.json"
    table.write_text(TABLE)
    code, _, err = call(capsys, "certify", table, *ASKED, *more, "-o", written)
    status, reason = kernel.check(written.read_bytes(), max_work=steps)
    assert code == 1 and status == ("accepted" if accepted else "undecided")
    assert err == ("" if accepted else f"shufflecert: {written}: written; check finds it {status}: {reason}\n")
