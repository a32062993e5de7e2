"""Jobs that leave a trace of every time they are begun, and a process that runs them into a journal, to be killed."""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from logging import CRITICAL
from pathlib import Path
from uuid import uuid4

from shufflecert.verify import progress
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.runs import executors, journal, run

RUNNING = {"now": 0, "most": 0}


def square(number):
    return number * number


def traced(argument):
    """Leave an empty file NUMBER-PROCESS-..., work for some milliseconds, give the square as text."""
    folder, number, milliseconds = argument
    Path(folder, f"{number}-{os.getpid()}-{uuid4().hex}").touch()
    time.sleep(milliseconds / 1000)
    return {"square": str(number * number), "number": number}


def mortal(argument):
    """`traced`, by a worker that is killed at the first attempt at every fifth block."""
    folder, number, _ = argument
    found = traced(argument)
    if number % 5 == 2 and begun(folder)[number] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return found


def deadly(argument):
    """`traced`, by a worker that is killed at every attempt at block 3."""
    found = traced(argument)
    if argument[1] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return found


def picky(argument):
    """`traced`, but block 3 raises."""
    if argument[1] == 3:
        raise ValueError("three")
    return traced(argument)


def troubled(number):
    """Every way to fail that leaves the worker alive."""
    match number:
        case 1:
            raise BadInput("mine.toml: rows:\n expected a row \udc80")
        case 2:
            raise Undecided("too few bits")
        case 3:
            sys.exit(1)
        case 4:
            return 0.5
        case 5:
            return 10**5000
        case 6:
            return {1: "one"}
        case 7:
            return square
    return square(number)


def repaired(number):
    """`troubled`, a day later; only what failed may be asked for again."""
    assert number in range(1, 8)
    return square(number)


def mended(argument):
    """`picky`, a day later; only what failed may be asked for again."""
    assert argument[1] == 3
    time.sleep(1 / 2)
    return traced(argument)


def counting(number):
    """The number of calls at one time in this process, at most."""
    with LOCK:
        RUNNING["now"] += 1
        RUNNING["most"] = max(RUNNING.values())
    time.sleep(1 / 50)
    with LOCK:
        RUNNING["now"] -= 1
    return number


LOCK = threading.Lock()


def masked():
    """Whether SIGINT is kept from this thread."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def begun(folder):
    """How often each block was begun."""
    return Counter(int(file.name.split("-")[0]) for file in Path(folder).iterdir())


def processes(folder):
    """The processes that began a block."""
    return {int(file.name.split("-")[1]) for file in Path(folder).iterdir()}


def arguments(folder, count, milliseconds):
    return [[str(folder), number, milliseconds] for number in range(count)]


def header(folder, count, milliseconds):
    return journal.Header.of("traced", "1", {"milliseconds": milliseconds}, arguments(folder, count, milliseconds))


@contextmanager
def executor(workers_, dask, **patience):
    """That of the command, and for "local" the one of a Dask client of a cluster in this process."""
    if dask != "local":
        with executors.executor_of(workers_, dask, **patience) as found:
            yield found
        return
    from distributed import Client, LocalCluster

    # No dashboard; and the scheduler listens on a free port: with None it asks for 8787, and warns where that is taken.
    # At the end a worker of a busy machine may find the scheduler gone before itself, and logs that as an error.
    quiet = {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}, "silence_logs": CRITICAL}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster,
        Client(cluster) as client,
        client.get_executor() as found,
    ):
        yield found


def main():
    """Run blocks into a journal; print its digest, or one line on standard error. As the command will do it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("journal", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--milliseconds", type=int, default=20)
    parser.add_argument("--job", default="traced")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--dask")
    parser.add_argument("--patience", type=int)
    asked = parser.parse_args()
    patience = {} if asked.patience is None else {"patience": asked.patience}
    shape = (asked.folder, asked.count, asked.milliseconds)
    try:
        with (
            journal.create_or_resume(asked.journal, header(*shape)) as record,
            executor(asked.workers, asked.dask, **patience) as found,
        ):
            run.run(record, f"tests.jobs:{asked.job}", arguments(*shape), found, progress=progress.watched)
            print(json.dumps({"digest": record.digest(), "attempts": list(record.attempts().values())}))
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
