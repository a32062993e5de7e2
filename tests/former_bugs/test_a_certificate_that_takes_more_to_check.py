"""A certificate that the kernel leaves undecided with its default limits was written without a word about that."""

import pytest

from tests.helpers import call
from verify.kernel import check_file

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


@pytest.mark.parametrize("more, accepted", [(["--max-work", "1"], False), ([], True)], ids=["an event", "enumerated"])
def test_who_writes_a_certificate_is_told_what_check_finds(more, accepted, tmp_path, capsys):
    """With --max-work 1 an event refutes the claim whose weights are too large for the kernel's default memory."""
    table, written = tmp_path / "table.toml", tmp_path / "certificate.json"
    table.write_text(TABLE)
    code, _, err = call(capsys, "certify", table, *ASKED, *more, "-o", written)
    status, reason = check_file(written)
    assert code == 1 and status == ("accepted" if accepted else "undecided")
    assert err == ("" if accepted else f"shufflecert: {written}: written; check finds it {status}: {reason}\n")
