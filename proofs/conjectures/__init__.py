"""Beliefs about small cases, to be hunted: each module offers `CONJECTURES`, found by name, or by my.py:NAME."""

import time
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from json import loads
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.progress import watched
from shufflecert.verify.runs.executors import PATIENCE, Here, executor_of
from shufflecert.verify.runs.journal import create_or_resume
from shufflecert.verify.runs.run import Block, run
from shufflecert.verify.search.conjecture import OWN, Conjecture, Parameters
from shufflecert.verify.search.exhaust import Record, blocks_of, header_of, look, record_of
from shufflecert.verify.systems.catalogue import from_python

JOB = f"{__name__}:block"
MOMENT = 1  # seconds of work in this process before others are started, where nobody said how many


def library() -> dict[str, Conjecture]:
    """The conjectures of every module of this package, by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [one for module in modules for one in getattr(module, "CONJECTURES", ())]
    return {one.name: one for one in sorted(found, key=lambda one: str(one.name))}


def by_name(name: str) -> Conjecture:
    """The conjecture of the library, or the object that my.py:NAME names, whose file is executed. Raises BadInput.

    "claim" is the one whose claim is a parameter (`verify.search.conjecture`).
    """
    if name == OWN.name:
        return OWN
    if ".py:" in name:
        found = from_python(name)
        if not isinstance(found, Conjecture):
            raise BadInput(f"{name}: expected a verify.search.Conjecture")
        return found
    known = library()
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ": see `shufflecert search list`"
        raise BadInput(f"{name}: no such conjecture{hint}")
    return known[name]


def hunt(
    conjecture: Conjecture,
    name: str,
    parameters: Parameters,
    *,
    place: Path | None = None,
    max_size: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    patience: int = PATIENCE,
) -> Record:
    """Carry out what the journal at `place` misses (None: in memory), on processes or a cluster; its record.

    `name` is what a worker finds the conjecture by; `patience` is that of `verify.runs.executors.Dask`. Raises
    BadInput as the journal and the executor do, TooMuchWork for a space of more than `max_size` ranks.
    """
    blocks = blocks_of(conjecture, parameters, name, max_size)
    with create_or_resume(place, header_of(conjecture, name, parameters, blocks)) as kept:
        if workers is None and dask is None:
            run(kept, JOB, blocks, Here(), progress=_for_a_moment)
        if kept.missing():
            with executor_of(workers, dask, patience) as executor:
                run(kept, JOB, blocks, executor, progress=partial(watched, what="cases", size=_cases))
        return record_of(conjecture, parameters, kept)


def _for_a_moment(found: Iterable[Block], total: int, done: int) -> Iterator[Block]:
    """The blocks of the first moment: other processes are not worth their start before."""
    end = time.monotonic() + MOMENT
    for one in found:
        yield one
        if time.monotonic() > end:
            return


def _cases(block: Block) -> int:
    return int(loads(block.result)["cases"]) if block.result is not None else 0


def block(argument: Sequence[Any]) -> dict[str, Any]:
    """Carry out one block in a worker; the argument is [name, parameters, start, stop]."""
    name, parameters, start, stop = argument
    return look(by_name(name), parameters, start, stop)
