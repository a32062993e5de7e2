"""Where blocks of work are carried out: in this process, in processes of this machine, or on a Dask cluster.

Each is a `concurrent.futures.Executor`; any other one will do as well.
"""

import logging
import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, InvalidStateError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from threading import Thread, current_thread, main_thread
from types import ModuleType
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.work import OtherSources, line, sources

ADDRESS = re.compile(r"(?:tcp|tls|ws|wss|ucx)://[^/\s]+:\d+")
CONNECT = 5  # seconds for a cluster to answer at the start
ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
PATIENCE = 120  # seconds for workers, or a scheduler, that were there to come back, unless told otherwise
SILENT = 3  # seconds that they may be away before a word is said

P = ParamSpec("P")
T = TypeVar("T")


class Here(Executor):
    """An executor that works in this process, one call at a time, at once."""

    width = 1

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Carry out the call; the future that is returned is done."""
        future: Future[T] = Future()
        try:
            future.set_result(task(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Processes(Executor):
    """An executor of `width` processes of this machine, each a pool of its own: one that dies takes only its own call.

    The call's future raises BrokenProcessPool; the next one finds a new process. Processes are spawned, not forked: a
    fork copies the locks of other threads (the progress bar's, a pool's, FLINT's) in the state they happen to be in,
    and a child that needs one waits forever.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._pools: list[ProcessPoolExecutor | None] = [None] * width
        self._calls: list[set[Future[Any]]] = [set() for _ in range(width)]

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Give the call to the process with the least to do."""
        for calls in self._calls:
            calls -= {call for call in calls if call.done()}
        slot = min(range(self.width), key=lambda slot: len(self._calls[slot]))
        resource_tracker.ensure_running()  # started on the way, it would undo the mask
        with _undisturbed(), _apart_from_main(), _without_interrupts():
            future = self._into(slot, task, *args, **kwargs)
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
        """End the processes; with `cancel_futures` the calls that run are killed as well."""
        for pool, calls in zip(self._pools, self._calls, strict=True):
            if pool is not None:
                if cancel_futures and not all(call.done() for call in calls):
                    for process in list((pool._processes or {}).values()):  # kill_workers() from Python 3.14 on
                        process.kill()
                pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that end this process wait: a child whose start is left half-way finds its pipe closed, and says so."""
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    mine = numbers if current_thread() is main_thread() else []  # elsewhere nothing is interrupted
    before = {number: signal.getsignal(number) for number in mine}
    waiting: list[int] = []
    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):
            signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)


@contextmanager
def _apart_from_main() -> Iterator[None]:
    """A child that is spawned does not execute the user's script a second time, of which it needs nothing."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A child inherits the mask: Ctrl-C at the terminal reaches the whole group, and only the parent is to answer."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _die_with_parent() -> None:
    """A pool's process waits for work forever when its parent was killed; it is to end then, whatever it is doing."""
    Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Absence:
    """How long the workers, or the scheduler, have been away: told once on standard error, waited for with patience."""

    def __init__(self, place: str, patience: int) -> None:
        self._place, self._patience = place, patience
        self._since: float | None = None
        self._told = False

    def of(self, what: str) -> float:
        """Note that it is away now; returns for how many seconds it has been. Raises BadInput beyond the patience."""
        now = time.monotonic()
        self._since = self._since or now
        away = now - self._since
        if away > self._patience:
            kept = "what is finished is in the journal, if there is one"
            raise BadInput(f"{self._place}: no {what} for {self._patience} seconds: expected them back; {kept}")
        if away > min(SILENT, self._patience) and not self._told:
            self._told = True
            print(f"{self._place}: no {what}: waiting up to {self._patience} seconds for new ones", file=sys.stderr)
        return away

    def over(self) -> None:
        """Note that it is there again."""
        if self._told:
            print(f"{self._place}: goes on", file=sys.stderr)
        self._since, self._told = None, False


class Dask(Executor):
    """An executor over the workers of a Dask cluster, by its scheduler's address; shufflecert is installed on each.

    Workers may come and go. Calls of a worker that died go to another one, also those whose results are on their way
    at that instant; where none is left they wait for a new one. When the scheduler is lost, all futures are cancelled
    or fail, and the next call waits for it to come back. Either is told on standard error after SILENT seconds, and
    raises BadInput after `patience` seconds. Start workers with `--nthreads 1`: threads of one process take turns.

    Raises BadInput, in one line, where the package or the cluster is missing, or its workers are of other sources.
    """

    def __init__(self, address: str, patience: int = PATIENCE) -> None:
        self._address, self._absence = address, Absence(f"dask {address}", patience)
        if not ADDRESS.fullmatch(address):
            raise BadInput(f"dask {address}: not an address: expected tcp://host:port")
        try:
            import distributed
        except ImportError:
            raise BadInput("dask: no package distributed: expected pip install 'shufflecert[dask]'") from None
        self._distributed = distributed
        # they log, over the progress bar, what is mended here, or told in a line
        for name in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._calls: WeakKeyDictionary[Future[Any], Any] = WeakKeyDictionary()  # and the connection that each went by
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
        """Give the call to the cluster. Raises BadInput after `patience` seconds without its scheduler."""
        while True:
            if self._found_again():
                try:
                    future: Future[T] = self._client.get_executor(pure=False).submit(task, *args, **kwargs)
                    self._calls[future] = self._client.scheduler_comm
                    self._absence.over()
                    return future
                except Exception:
                    if self._client.status == "running":
                        raise
            time.sleep(1)

    def check(self) -> None:
        """Check that there are workers; say so where there are none, and raise BadInput after `patience` seconds."""
        if self._found_again():
            try:
                there = self._client.sync(self._client.scheduler.ncores, callback_timeout=CONNECT)
            except Exception:
                self._absence.of("scheduler")
                return
            self._fail_lost()
            if there:
                self._absence.over()
            else:
                self._absence.of("workers")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; it is not ended."""
        self._client.close()

    def _connected(self) -> Any:
        client: Any = self._distributed.Client
        return client(self._address, timeout=CONNECT, set_as_default=False)

    def _found_again(self) -> bool:
        """Whether the scheduler is there. A client that has given it up, or looks in vain for long, is replaced.

        It looks for CONNECT seconds and is closed then, or loses its way and stays as it is, and so would its calls.
        """
        if self._client.status == "running":
            return True
        if self._absence.of("scheduler") > 3 * CONNECT or self._client.status == "closed":
            with suppress(OSError):
                self._client = self._connected()
                return True
        return False

    def _fail_lost(self) -> None:
        """Fail what went by a connection that is no more.

        The client cancels its calls when the scheduler is lost, but forgets one whose result it is just asking for.
        """
        for call, connection in list(self._calls.items()):
            if connection is not self._client.scheduler_comm:
                del self._calls[call]
                with suppress(InvalidStateError):  # it is done
                    call.set_exception(ConnectionError("the scheduler was lost"))


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def executor_of(workers: int | None = None, dask: str | None = None, patience: int = PATIENCE) -> Iterator[Executor]:
    """The executor for `workers` processes (None: one for every processor; 1: no other process) or a Dask cluster.

    On the way out what still runs in the processes is killed, and a cluster is left to itself. `patience` is for how
    many seconds a cluster's workers, or its scheduler, may be away. Raises BadInput for both, for less than one worker,
    for a negative patience, and for a cluster that is not there.
    """
    if patience < 0:
        raise BadInput(f"patience: {patience}: expected seconds, at least 0")
    if dask is not None and workers is not None:
        raise BadInput("workers and dask: both given: expected one, since a cluster has its own workers")
    if workers is not None and workers < 1:
        raise BadInput(f"workers: {workers}: expected at least 1")
    if dask is not None:
        executor: Executor = Dask(dask, patience)
    else:
        executor = Here() if (width := workers or processors()) == 1 else Processes(width)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)
