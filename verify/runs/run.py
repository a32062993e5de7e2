"""Runs: the missing blocks of a journal are carried out, in any order, and each is recorded when it is finished.

A run that is killed at any moment loses the blocks in flight; the next one begins with the first that is missing.
"""

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.executors import Here, Processes, processors
from shufflecert.verify.runs.journal import Header, Journal
from shufflecert.verify.runs.work import OtherSources, Outcome, canonical, carry_out, function, line, sources

RETRIES = 3
LOOK = 1  # second between two looks at whether a cluster still has workers


@dataclass(frozen=True)
class Block:
    """A block that was recorded just now: its result as JSON, or what it raised."""

    number: int
    failure: str | None
    result: str | None = None


Watch = Callable[[Iterable[Block], int, int], Iterable[Block]]  # of the blocks to come, total, and done before


def run(
    journal: Journal,
    job: str,
    blocks: int | Sequence[Any],
    executor: Executor | None = None,
    *,
    progress: Watch | None = None,
    retries: int = RETRIES,
    width: int | None = None,
) -> None:
    """Carry out `job`, "module:function", for every block that the journal misses, on an executor (None: here).

    `blocks` is what the journal's header was made from: the number of blocks, whose arguments are then 0, 1, ..., or
    the sequence of their arguments. Arguments and results are JSON (`canonical`), and a result depends on its argument
    alone. At most `width` blocks are in flight (None: as the executor says).

    A job that raises is recorded as that block's failure, and the run goes on: see `journal.failures()`; the next run
    tries it again. A block whose worker dies is tried `retries` times more, and is a failure after that. On Ctrl-C
    KeyboardInterrupt is raised; what was finished is recorded.

    Raises BadInput for blocks or a job that are not the journal's or not there, where the journal cannot be written,
    where a worker is of other sources and where a cluster or its workers do not come back; BrokenExecutor for an
    executor that takes no calls after a worker's death (a process pool of the standard library: use `executor_of`).
    """
    header = journal.header
    if Header.of(header.name, header.version, json.loads(header.parameters), blocks) != header:
        raise BadInput(f"{journal.place}: blocks: not those of its header: expected the same number and arguments")
    function(job)
    missing = journal.missing()
    with closing(_carried_out(journal, job, blocks, executor or Here(), missing, retries, width)) as found:
        shown = progress(found, header.blocks, header.blocks - len(missing)) if progress else found
        for _ in shown:
            pass


def _carried_out(
    journal: Journal,
    job: str,
    blocks: int | Sequence[Any],
    executor: Executor,
    missing: list[int],
    retries: int,
    width: int | None,
) -> Generator[Block, None, None]:
    # Processes of this machine import the same files; a cluster's may be of last week
    expected = None if isinstance(executor, Here | Processes) else sources()
    waiting = ((number, 1) for number in missing)
    again: list[tuple[int, int]] = []
    flight: dict[Future[Outcome], tuple[int, int]] = {}
    try:
        while True:
            room = (width or _width(executor)) - len(flight)
            while room > 0 and (block := again.pop() if again else next(waiting, None)):
                argument = canonical(block[0] if isinstance(blocks, int) else blocks[block[0]])
                flight[executor.submit(carry_out, job, argument, expected)] = block
                room -= 1
            if not flight:
                return
            # No future is kept while its block is recorded: Dask would repeat the block if its worker died meanwhile
            landed = [(flight.pop(future), _landed(future)) for future in _done(flight, executor)]
            recorded = []
            for (number, attempt), outcome in landed:
                if isinstance(outcome, Exception):
                    if attempt <= retries:
                        again.append((number, attempt + 1))
                        continue
                    outcome = Outcome(None, f"its worker died {attempt} times: {line(outcome)}", 0)
                journal.record(number, outcome.result, outcome.failure, outcome.seconds, attempt)
                recorded.append(Block(number, outcome.failure, outcome.result))
            yield from recorded
    finally:
        for future in flight:
            future.cancel()


def _done(flight: Iterable[Future[Outcome]], executor: Executor) -> set[Future[Outcome]]:
    """Futures that are done, at least one; the executor is asked meanwhile whether there is still somebody at work."""
    check = getattr(executor, "check", None)
    while not (done := wait(flight, LOOK if check else None, FIRST_COMPLETED).done):
        if check:
            check()
    return done


def _landed(future: Future[Outcome]) -> Outcome | Exception:
    """What came of a call, or what happened to its worker, or on the way to it: a job's own errors are outcomes."""
    try:
        return future.result()
    except OtherSources:
        raise
    except Exception as error:
        return error


def _width(executor: Executor) -> int:
    return getattr(executor, "width", None) or getattr(executor, "_max_workers", None) or processors()
