"""The kernel by itself waited for a named pipe, and ended with a traceback and status 1 on a full disk or `| head`.

1 means rejected. What the machine refuses is 4, in one line; a reader that has gone is no failure.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import COMMAND

HERE = Path(__file__).parent.parent
KERNEL = [sys.executable, "-I", "-S", str(HERE.parent / "verify" / "kernel.py")]
GOOD, FALSE = str(HERE / "accepted" / "rr-two.json"), str(HERE / "rejected" / "rr-n.json")
STATUS = {GOOD: 0, FALSE: 1}


def is_one_line(said):
    return said.startswith("kernel.py: ") and said.count("\n") == 1 and said.endswith("\n")


def run(*arguments, **options):
    return subprocess.run(
        [*KERNEL, *arguments], text=True, check=False, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **options
    )


@pytest.mark.parametrize("file", STATUS)
def test_a_full_disk_takes_no_verdict(file):
    with Path("/dev/full").open("w") as full:
        done = run(file, stdout=full)
    assert done.returncode == 4 and is_one_line(done.stderr) and "No space left" in done.stderr


@pytest.mark.parametrize("file", STATUS)
def test_a_reader_that_has_gone_is_no_failure(file):
    read, write = os.pipe()
    os.close(read)
    done = run(GOOD, file, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (STATUS[file], "")


def test_a_closed_output():
    done = run(FALSE, preexec_fn=lambda: os.close(1))
    assert done.returncode == 4 and is_one_line(done.stderr) and "standard output is closed" in done.stderr


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    done = run(str(tmp_path / "pipe.json"), stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 2 and "malformed: file: " in done.stdout and "named pipe" in done.stdout


@pytest.mark.parametrize("command", [KERNEL, [*COMMAND, "check"]], ids=["kernel", "check"])
def test_the_pipe_of_a_shell_is_read(command):
    """It can be read once, and `check` wanted to read it again."""
    read, write = os.pipe()
    os.write(write, Path(GOOD).read_bytes())
    os.close(write)
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "timeout": 300}
    done = subprocess.run([*command, f"/dev/fd/{read}"], pass_fds=(read,), check=False, **told)
    os.close(read)
    assert done.returncode == 0 and ": accepted: PROVED" in done.stdout


def test_no_memory(tmp_path):
    """A file of 60 MiB, which is read, where the process may have 40."""
    (tmp_path / "long.json").write_bytes(b" " * 60 * 2**20)

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (40 * 2**20, 40 * 2**20))

    done = run(str(tmp_path / "long.json"), stdout=subprocess.PIPE, preexec_fn=little)
    assert done.returncode == 4 and is_one_line(done.stderr) and "MemoryError" in done.stderr
