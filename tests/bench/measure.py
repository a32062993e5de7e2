"""Time and memory of one job in a process of its own."""

import importlib
import multiprocessing
import os
import resource
import time


def _work(send, name, arguments, warm):
    module, _, job = name.rpartition(".")
    function = getattr(importlib.import_module(f"tests.bench.{module or 'jobs'}"), job)
    function(*warm)
    start = time.perf_counter()
    result = function(*arguments)
    send.send((time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))


def chosen(rows, which, step=1):
    """Rows of a table: "all", "some" (each step-th), or the "smallest" alone, the first: to see that it runs."""
    return list(rows)[:1] if which == "smallest" else list(rows)[:: step if which == "some" else 1]


def measure(name, *arguments, warm, timeout=60.0, ground_types=""):
    """(seconds, peak MiB, result) of one job in a fresh process, None when it takes longer than `timeout` or fails.

    `name` is a function of `jobs`, or "module.function" of another module here. The job is run once on the small `warm`
    arguments first, so that imports are not counted.
    """
    os.environ["SYMPY_GROUND_TYPES"] = ground_types or "auto"
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(send, name, arguments, warm))
    process.start()
    send.close()
    try:
        return receive.recv() if receive.poll(timeout + 2) else None
    except EOFError:  # it ended without an answer
        return None
    finally:
        process.kill()
        process.join()
