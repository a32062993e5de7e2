"""Where blocks of work are carried out: in this process, in processes of this machine, or on a Dask cluster.

Each is a `concurrent.futures.Executor`; any other one serves as well. What is sent is text: the name of a function and
its argument as JSON, since polynomials and balls do not pickle. What comes back is text.
"""

import json
import logging
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import resource_tracker
from pathlib import Path
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

from verify.canonical import canonical
from verify.errors import BadInput

PACKAGES = ("verify", "protocols", "proofs")
ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://[^/\s]+:\d+")
CONNECT = 5  # seconds for a cluster to answer at the start
PATIENCE = 120  # seconds for a scheduler that was there to come back
ALONE = Lock()  # flint's precision belongs to the process: one block at a time, on a worker with threads too

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Outcome:
    """What a block came to: its result as canonical JSON, or its failure, "BadInput: ..."; seconds of work."""

    result: str | None
    failure: str | None
    seconds: float


class OtherSources(BadInput):
    """A worker runs other sources of shufflecert than the process that asks: its results would not be ours."""


def function(job: str) -> Callable[[Any], Any]:
    """The function "module:name". Raises BadInput where there is none."""
    module, _, name = job.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"job {job}: {error}: expected module:function") from None
    if not callable(found):
        raise BadInput(f"job {job}: not a function: expected module:function")
    return found  # type: ignore[no-any-return]


def carry_out(job: str, argument: str, expected: str | None = None) -> Outcome:
    """In a worker: call "module:name" with an argument given as JSON; what it raises is its outcome, too.

    Raises OtherSources where `sources()` is not as `expected`.
    """
    if expected is not None and expected != sources():
        raise OtherSources(
            f"a worker on {os.uname().nodename}: other sources of shufflecert: expected the same as here"
        )
    with ALONE:
        start = time.perf_counter()
        result = failure = None
        try:
            result = canonical(function(job)(json.loads(argument)), f"job {job}: result")
        except (Exception, SystemExit) as error:
            failure = f"{type(error).__name__}: {line(error)}"
        return Outcome(result, failure, time.perf_counter() - start)


@cache
def sources() -> str:
    """sha256 over the Python sources of this installation, as they were when first asked for."""
    found = sha256()
    for package in PACKAGES:
        for place in ((spec := find_spec(package)) and spec.submodule_search_locations) or ():
            for file in sorted(Path(place).rglob("*.py")):
                found.update(f"{package}/{file.relative_to(place).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return found.hexdigest()


class Here(Executor):
    """This process, one call at a time, at once."""

    width = 1

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(task(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Executor):
    """`width` processes of this machine, each a pool of its own: one that dies takes only its own call with it.

    The call's future raises BrokenProcessPool; the next one finds a new process. Processes are spawned, not forked: a
    fork copies the locks of other threads (the progress bar's, a pool's, FLINT's) in the state they happen to be in,
    and a child that needs one waits forever.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._pools: list[ProcessPoolExecutor | None] = [None] * width
        self._calls: list[set[Future[Any]]] = [set() for _ in range(width)]

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The process with the least to do gets the call."""
        for calls in self._calls:
            calls -= {call for call in calls if call.done()}
        slot = min(range(self.width), key=lambda slot: len(self._calls[slot]))
        # A child inherits the mask: Ctrl-C at the terminal reaches the whole group, and only the parent is to answer
        resource_tracker.ensure_running()  # this one, started on the way, would undo it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            future = self._into(slot, task, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._calls[slot].add(future)
        return future

    def _into(self, slot: int, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if (pool := self._pools[slot]) is not None:
            try:
                return pool.submit(task, *args, **kwargs)
            except BrokenExecutor:
                pool.shutdown(wait=False)
        context = multiprocessing.get_context("spawn")
        pool = self._pools[slot] = ProcessPoolExecutor(1, context, initializer=_die_with_parent)
        return pool.submit(task, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As every executor's; with `cancel_futures` the calls that run are killed as well."""
        for pool, calls in zip(self._pools, self._calls, strict=True):
            if pool is not None:
                if cancel_futures and not all(call.done() for call in calls):
                    for process in list((pool._processes or {}).values()):  # kill_workers() from Python 3.14 on
                        process.kill()
                pool.shutdown(wait, cancel_futures=cancel_futures)


def _die_with_parent() -> None:
    """A pool's process waits for work forever when its parent was killed; it is to end then, whatever it is doing."""
    Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Dask(Executor):
    """The workers of a Dask cluster, by the address of its scheduler; shufflecert is installed on each of them.

    Workers may come and go. Calls of a worker that died go to another one, also those whose results are on their way
    at that instant; when the scheduler is lost, all futures are cancelled, and the next call waits for it to come back,
    PATIENCE seconds, and raises BadInput then. Start workers with `--nthreads 1`: threads of one process take turns.

    Raises BadInput, in one line, where the package or the cluster is missing, or its workers are of other sources.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        if not ADDRESS.fullmatch(address):
            raise BadInput(f"dask {address}: not an address: expected tcp://host:port")
        try:
            import distributed
        except ImportError:
            raise BadInput("dask: no package distributed: expected pip install 'shufflecert[dask]'") from None
        self._distributed = distributed
        for name in ("distributed", "distributed.client"):  # they log, over the progress bar, what is mended here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = self._connected()
        except OSError as error:
            raise BadInput(f"dask {address}: {line(error)}: expected a scheduler there") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT)
            found = self._client.run(sources)
        except BaseException as error:
            self._client.close()
            if not isinstance(error, Exception):
                raise
            if isinstance(error, TimeoutError):
                raise BadInput(f"dask {address}: no workers: expected at least one") from None
            raise BadInput(f"dask {address}: {line(error)}: expected shufflecert on every worker") from None
        if others := [worker for worker, theirs in found.items() if theirs != sources()]:
            self._client.close()
            raise OtherSources(f"dask worker {others[0]}: other sources of shufflecert: expected the same as here")

    @property
    def width(self) -> int:
        """Twice the workers' threads at the moment, so that none waits for the next block."""
        try:
            return 2 * sum(self._client.nthreads().values()) or 1
        except Exception:  # the scheduler is away
            return 1

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if self._client.status == "closed":  # it looks for a lost scheduler by itself, but not for long
                    self._client = self._connected()
                if self._client.status == "running":
                    future: Future[T] = self._client.get_executor(pure=False).submit(task, *args, **kwargs)
                    return future
            except Exception:
                if self._client.status == "running":
                    raise
            time.sleep(1)
        raise BadInput(f"dask {self._address}: lost for {PATIENCE} seconds: expected its scheduler to come back")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._client.close()

    def _connected(self) -> Any:
        client: Any = self._distributed.Client
        return client(self._address, timeout=CONNECT, set_as_default=False)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def line(error: BaseException) -> str:
    """What an error says, in one line of text that can be written anywhere."""
    return " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()


@contextmanager
def executor_of(workers: int | None = None, dask: str | None = None) -> Iterator[Executor]:
    """The executor for `workers` processes (None: one for every processor; 1: no other process) or a Dask cluster.

    On the way out what still runs in the processes is killed, and a cluster is left to itself. Raises BadInput for
    both, for less than one worker, and for a cluster that is not there.
    """
    if dask is not None and workers is not None:
        raise BadInput("workers and dask: both given: expected one, since a cluster has its own workers")
    if workers is not None and workers < 1:
        raise BadInput(f"workers: {workers}: expected at least 1")
    if dask is not None:
        executor: Executor = Dask(dask)
    else:
        executor = Here() if (width := workers or processors()) == 1 else Processes(width)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)
