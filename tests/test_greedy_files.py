"""Whatever a file asks for, the kernel ends within its budget, in work and in memory, and says so on one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from shufflecert.verify import kernel
from tests.greedy_files import GREEDY

MOST = 320 * 2**20  # bytes of a process that checks one file
RUN = f"""
import sys, time
sys.path.insert(0, sys.argv[1])
import {Path(kernel.__file__).stem} as kernel
print(*kernel.check_file(sys.argv[2], max_work=int(sys.argv[3])), sep="\\n")
print([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].split()[1])
print(time.process_time())
"""
WORK = 10**7  # of which a step is about 0.1 microseconds
QUICK = {"columns, hashes", "a threshold, hashes", "a threshold, weights", "messages"}  # which are decided
LARGE = {"numbers", "objects", "a wide text"}  # to read these alone takes more


def ends(name, folder, work):
    path = folder / "greedy.json"
    path.write_text(GREEDY[name]())
    command = [sys.executable, "-I", "-S", "-c", RUN, str(Path(kernel.__file__).parent), str(path), str(work)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
    status, reason, kilobytes, seconds = done.stdout.splitlines()
    too_much = reason.startswith(("too much", "too few", "because: too few"))
    assert too_much if status == "undecided" else name in QUICK, (status, reason)
    assert int(kilobytes) * 1024 < MOST
    return float(seconds)


@pytest.mark.parametrize("name", [name for name in GREEDY if name not in LARGE])
@pytest.mark.sampled(20)
def test_a_greedy_file_ends_within_a_small_budget(name, tmp_path):
    assert ends(name, tmp_path, WORK) < 20  # seconds of the processor, for one of steps


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*LARGE, *[*GREEDY][::4]}))
def test_a_greedy_file_ends_within_the_budget(name, tmp_path):
    """Those that are large, and one in four: what files do with twenty times the steps is the same for longer."""
    ends(name, tmp_path, kernel.MAX_WORK)
