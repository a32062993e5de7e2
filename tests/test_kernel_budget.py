"""Whatever a file asks for, the kernel's budget refuses it: nothing passes it, in work or in memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile import HOSTILE
from verify import kernel

MOST = 300 * 2**20  # bytes of a process that checks one file
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import kernel
print(*kernel.check_file(sys.argv[2]), sep="\\n")
print([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].split()[1])
"""


SLOW = {
    "columns, boxes",
    "thresholded, counts",
    "event, digits",
    "event, users",
    "a line, places",
    "denominators",
    "symmetries",
}
NAMES = [pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in HOSTILE]


@pytest.mark.parametrize("name", NAMES)
def test_refused_by_the_budget(name: str, tmp_path: Path) -> None:
    """The time limit is for a kernel that does not end; what holds it to seconds is its budget, which is asserted."""
    path = tmp_path / "hostile.json"
    path.write_text(HOSTILE[name]())
    command = [sys.executable, "-I", "-S", "-c", RUN, str(Path(kernel.__file__).parent), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    status, reason, kilobytes = done.stdout.splitlines()
    assert status == "undecided" and reason.startswith(("too much work", "too much memory")), reason
    assert int(kilobytes) * 1024 < MOST


def test_what_is_allowed_more_is_decided() -> None:
    """The budget is the only thing in the way of a claim that is true: a Poisson law of a large mean."""
    seen = {"view": "count", "noise": {"law": "poisson", "lam": "100000"}, "sensitivity": 1}
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": "1/100", "delta": "1/2"}
    tree = {"format": "shufflecert certificate", "version": 2, "claim": claim, "verdict": "PROVED"}
    data = json.dumps(tree | {"evidence": {"delta": {"lower": "0", "upper": "1"}}}).encode()
    assert kernel.check(data, max_work=10**4).reason.startswith("too much work: more than 10000 steps")
    assert kernel.check(data).status == "accepted"
