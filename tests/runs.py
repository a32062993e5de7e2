"""Processes that run blocks into a journal (tests/jobs.py), watched from outside and killed."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from hashlib import sha256

import psutil

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.journal import read
from tests.jobs import begun, processes

DEADLINE = 300  # seconds, on a busy machine too; what takes longer hangs


def digest(count):
    """Of the results of `traced` on 0..count-1, by the definition: sha256 of one JSON text."""
    results = [{"number": n, "square": str(n * n)} for n in range(count)]
    return sha256(json.dumps(results, separators=(",", ":")).encode()).hexdigest()


@contextmanager
def started(path, folder, *arguments, **more):
    """The process of tests/jobs.py, in a group of its own; what is left of it is killed on the way out."""
    command = [sys.executable, "-m", "tests.jobs", str(path), str(folder), *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, start_new_session=True, **{**pipes, **more})
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ended(process):
    """(its answer or None, its standard error), once it has ended."""
    out, err = process.communicate(timeout=DEADLINE)
    return json.loads(out) if out.strip() else None, err


def kill(process):
    """SIGKILL, to it alone; its workers are to notice."""
    process.kill()
    process.communicate(timeout=DEADLINE)


def until(condition, what, process=None):
    """Wait for it; a `process` that is to bring it about and has ended fails at once, with what it said."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert process is None or process.poll() is None, f"no {what}: {process.communicate()}"
        assert time.monotonic() < end, f"no {what} for {DEADLINE} s"
        time.sleep(1 / 200)


def screen(path, folder, *arguments):
    """What the process of tests/jobs.py writes to a terminal on standard error, without its colours."""
    outside, inside = pty.openpty()
    shown = bytearray()

    def read_on():
        with suppress(OSError):  # the terminal is gone with its last writer
            while piece := os.read(outside, 1 << 16):
                shown.extend(piece)

    reader = threading.Thread(target=read_on)
    reader.start()
    with started(path, folder, *arguments, stderr=inside) as process:
        os.close(inside)
        ended(process)
    reader.join()
    os.close(outside)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", shown.decode())


def alive(process):
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def nobody_left(folder):
    """Wait until every process that ever began a block is gone."""
    until(lambda: not any(alive(process) for process in processes(folder)), "end of the workers")


def finished(path):
    """The finished blocks; [] for a journal that was killed before it was one."""
    try:
        with read(path) as record:
            return record.finished()
    except BadInput as error:
        assert "no such file" in str(error) or "empty" in str(error), error
        return []


def kept(folder, path, before):
    """How often each block finished by now was begun; asserts that what was finished `before` was not begun again."""
    counts = begun(folder)
    assert all(counts[number] == times for number, times in before.items()), "a finished block was begun again"
    return {number: counts[number] for number in finished(path)}
