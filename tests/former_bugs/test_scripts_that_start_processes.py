"""A worker executed the script that asked a second time; one that was being started said so when the run was ended."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import is_one_line

COMPARE = """
print("once", flush=True)
from shufflecert import compare
found = compare("sum", n=100, eps="1", delta="1e-3", systems=["discrete_laplace", "poisson"]{more})
print([row["rmse_upper"] is not None for row in found.rows()])
"""
SEARCH = """
print("once", flush=True)
from shufflecert import search
print(search("claim-18", messages=2, denominator=3, workers=2).verdict)
"""
# As `shufflecert search` is ended at the moment at which a worker has been started and waits for its work.
ENDED = """
import os
from multiprocessing import util

start = util.spawnv_passfds


def started(path, arguments, passed):
    found = start(path, arguments, passed)
    if "spawn_main" in "".join(map(os.fsdecode, arguments)):
        os.kill(os.getpid(), {number})
    return found


util.spawnv_passfds = started
from shufflecert.verify.cli import main

main({arguments})
"""


def run(folder, text):
    (folder / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, str(folder / "script.py")],
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)],
    )


@pytest.mark.parametrize(
    "text",
    [pytest.param(COMPARE.format(more=""), marks=pytest.mark.long), COMPARE.format(more=", workers=2"), SEARCH],
)
def test_a_plain_script_runs_once(tmp_path, text):
    done = run(tmp_path, text)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[0] == "once" and done.stdout.splitlines()[1:] in (["[True, True]"], ["exhausted"])


HUNT = ["search", "preshuffle-gap", "--max-messages", "3", "--denominator", "9", "--workers", "2"]
SUMS = ["compare", "sum", "--n", "1000", "--eps", "1", "--delta", "1e-6", "--workers", "2"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("arguments", [HUNT, SUMS], ids=lambda arguments: arguments[0])
@pytest.mark.sampled(3)
def test_a_worker_that_is_being_started_says_nothing(tmp_path, number, arguments):
    """The pipe to it was closed before its work was written: "EOFError: Ran out of input"."""
    done = run(tmp_path, ENDED.format(number=int(number), arguments=arguments))
    assert done.returncode == 128 + number and done.stdout == "" and is_one_line(done.stderr), done.stderr
