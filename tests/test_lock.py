"""One writer of a journal at a time, in one process and in several; readers are not kept out."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shufflecert.verify.runs.journal import Header, Lock, create_or_resume, owner, read
from tests.helpers import refused

HEADER = Header.of("table", "1", {"eps": "1/2", "n": [10, 100]}, 30)


def test_one_writer_at_a_time_in_one_process(tmp_path):
    path = tmp_path / "a.journal"
    with create_or_resume(path, HEADER) as record:
        refused(lambda: create_or_resume(path, HEADER), f"in use by process {os.getpid()}")
        record.record(0, "1", None, 1)  # the refusal has cost the first one nothing
        refused(lambda: create_or_resume(path, HEADER), "in use")
        with read(path) as reader:
            assert dict(reader.results()) == {0: 1} and reader.status().running
            record.record(1, "2", None, 1)
            assert reader.finished() == [0, 1]
    assert owner(path) is None
    with read(path) as reader:
        assert not reader.status().running
        with create_or_resume(path, HEADER) as record:  # a reader does not keep a writer out
            record.record(2, "3", None, 1)
        assert reader.finished() == [0, 1, 2]


HOLDER = """
import os, sys, time
from pathlib import Path
from shufflecert.verify.runs.journal import Header, create_or_resume
record = create_or_resume(Path(sys.argv[1]), Header.of("table", "1", {"eps": "1/2", "n": [10, 100]}, 30))
record.record(7, '"kept"', None, 1)
if sys.argv[2] == "fork" and os.fork() == 0:
    print(os.getpid(), flush=True)
    time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["alone", "fork"])
def test_a_live_process_keeps_others_out_and_a_killed_one_does_not(tmp_path, kind):
    """Not even where a child that it forked lives on."""
    path = tmp_path / "a.journal"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path, kind], stdout=subprocess.PIPE, text=True)
    said = [holder.stdout.readline().strip() for _ in range(2 if kind == "fork" else 1)]
    child = next((int(word) for word in said if word.isdigit()), None)
    try:
        refused(lambda: create_or_resume(path, HEADER), f"in use by process {holder.pid}")
        with read(path) as reader:
            assert reader.status().running
        time.sleep(0.2 if child else 0)  # until the child has closed its copy
        holder.kill()
        holder.wait()
        with create_or_resume(path, HEADER) as record:
            assert dict(record.results()) == {7: "kept"}
    finally:
        holder.stdout.close()
        if child:
            os.kill(child, signal.SIGKILL)
    assert [file.name for file in tmp_path.iterdir()] == ["a.journal"]


def test_what_a_killed_process_left_is_no_lock(tmp_path):
    """And a lock is released once, with its file."""
    path = tmp_path / "a"
    Path(f"{path}-lock").write_text("1")
    assert owner(path) is None
    first = Lock(path)
    assert owner(path) == os.getpid()
    refused(lambda: Lock(path), "in use")
    first.release()
    first.release()
    assert owner(path) is None and list(tmp_path.iterdir()) == []
