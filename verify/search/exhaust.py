"""The search through a whole space: blocks of ranks, carried out anywhere, recorded in a journal, then put together.

A block's result holds how many cases it had, the least ranks at which the conjecture fails, how many there are, and
the cases at which the predicate raised. Neither the way in which cases are decided nor the blocks' size nor the order
of work is part of the record, so its digest is that of the search alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided, meant
from shufflecert.verify.runs.journal import Header, Journal, create_or_resume
from shufflecert.verify.runs.work import canonical, digest
from shufflecert.verify.search.arrays import Arrays, Truth
from shufflecert.verify.search.chunks import Array, Chunk, batches
from shufflecert.verify.search.claim import Claim, NotBatched
from shufflecert.verify.search.conjecture import Conjecture, Parameters
from shufflecert.verify.search.explain import Hit, explained
from shufflecert.verify.search.spaces import Table

VERSION = "2"  # of what a block's result holds
BLOCK, LEAST = 2048, 4  # ranks of a block: at most, where not more than MOST_BLOCKS would be needed; at least
LONG_BLOCK, LONG_LEAST = 1 << 22, 1 << 14  # the same, where many cases are decided at once
BATCH = 8192  # cases that are: their arrays fit in a processor's cache
MEMORY = 1 << 28  # bytes of the arrays of a batch
SHARES = 256  # blocks that a small space is cut into, so that all workers end at about the same time
MOST_BLOCKS = 100_000
MOST_HITS, MOST_FAILURES = 20, 20  # of a block that are kept
MAX_SIZE, MOST_TOGETHER = 20_000_000, 5_000_000_000  # ranks, without being told
LOOKED = 4096  # ranks among which a case is looked for, to try a claim on
CELLS = 40


@dataclass(frozen=True)
class Record:
    """What a finished search found: the number of cases, the hits, and a digest of the whole.

    `hits` are (rank, case), the smallest first; `hit_count` counts all of them. `alone` counts the cases of a claim
    that were decided one at a time, and `where` the hits by cells "i,j": i is row[0][0], j row[1][0], in CELLS parts.
    """

    conjecture: Conjecture
    parameters: Parameters
    cases: int
    hit_count: int
    hits: tuple[tuple[int, Any], ...]
    failures: tuple[tuple[int, str], ...]
    digest: str
    alone: int = 0
    where: Mapping[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """ "refuted", "exhausted", or "unfinished" where the predicate raised and nothing was hit."""
        return "refuted" if self.hits else "unfinished" if self.failures else "exhausted"

    def smallest(self) -> Hit | None:
        """The smallest case at which the conjecture fails, explained; None where there is none."""
        if not self.hits:
            return None
        case = self.hits[0][1]
        if self.conjecture.explain is not None:
            return self.conjecture.explain(case, **self.parameters)
        asked = self.conjecture.claim(self.parameters)
        return None if asked is None else explained(case, *asked)


def parameters_of(conjecture: Conjecture, given: Mapping[str, str | int]) -> Parameters:
    """The conjecture's parameters: those given, and defaults for the others. Raises BadInput for unknown ones."""
    found: dict[str, int | str] = dict(conjecture.defaults)
    for name, value in given.items():
        if name not in found:
            known = ", ".join(found) or "none"
            raise BadInput(f"{conjecture.name}: no parameter {name}{meant(name, found)}: expected one of {known}")
        if isinstance(found[name], int):
            try:
                found[name] = int(value)
            except ValueError:
                raise BadInput(f"{conjecture.name}: {name} = {value}: expected an integer") from None
            if not 0 < int(found[name]) < 10**6:
                raise BadInput(f"{conjecture.name}: {name} = {value}: expected from 1 to 999999")
        else:
            found[name] = str(value)
    return found


def blocks_of(
    conjecture: Conjecture, parameters: Parameters, name: str, max_size: int | None = None
) -> list[list[Any]]:
    """The blocks' arguments, [name, parameters, start, stop]. Raises TooMuchWork for a space too large.

    Some ranks take a thousand times as long as others, and often lie together: so blocks are many where ranks are few.
    Where cases are decided many at a time, blocks are longer. Raises BadInput for a claim that cannot be evaluated.
    """
    size = conjecture.space(**parameters).size
    together = not one_at_a_time(conjecture, parameters)
    most = max_size or (MOST_TOGETHER if together else MAX_SIZE)
    if size > most:
        raise TooMuchWork(f"{conjecture.name}: {size} ranks: expected at most {most} (--max-work)")
    if together:
        width = max(min(LONG_BLOCK, max(LONG_LEAST, size // SHARES)), -(-size // MOST_BLOCKS))
    else:
        width = max(min(BLOCK, max(LEAST, size // SHARES)), -(-size // MOST_BLOCKS))
    return [[name, dict(parameters), at, min(at + width, size)] for at in range(0, size, width)]


def one_at_a_time(conjecture: Conjecture, parameters: Parameters) -> str:
    """Why cases are decided one at a time, in words; empty where many are at once. Raises BadInput for a bad claim."""
    asked = conjecture.claim(parameters)
    if asked is None:
        return "a function decides"
    space = conjecture.space(**parameters)
    first = next((case for rank in range(min(space.size, LOOKED)) if (case := space.case(rank)) is not None), None)
    if first is not None:
        with suppress(ZeroDivisionError, Undecided):
            conjecture.decided(first, parameters)
    try:
        chunk = next(iter(batches(space, 0, min(space.size, LOOKED), 1)), None)
        if chunk is not None:
            _together(asked[0], asked[1], chunk)
    except (NotBatched, ZeroDivisionError) as reason:
        return str(reason)
    return ""


def header_of(conjecture: Conjecture, name: str, parameters: Parameters, blocks: Sequence[Any]) -> Header:
    """The journal's header; `search resume` finds in it what it needs."""
    told = {"name": name, "statement": conjecture.said(parameters), "parameters": dict(parameters)}
    return Header.of("search", VERSION, told, blocks)


def exhaust(conjecture: Conjecture, **given: str | int) -> Record:
    """Search a whole space here and now, with nothing kept but the record: for small spaces, and for notebooks.

    Raises BadInput for parameters that the conjecture does not have, TooMuchWork for a space that is too large.
    """
    parameters = parameters_of(conjecture, given)
    blocks = blocks_of(conjecture, parameters, conjecture.name)
    with create_or_resume(None, header_of(conjecture, conjecture.name, parameters, blocks)) as kept:
        for number, (_, _, start, stop) in enumerate(blocks):
            kept.record(number, canonical(look(conjecture, parameters, start, stop)), None, 0)
        return record_of(conjecture, parameters, kept)


def look(conjecture: Conjecture, parameters: Parameters, start: int, stop: int) -> dict[str, Any]:
    """Search one block of ranks; the result as JSON.

    A claim is decided for many cases at a time, and by the engine for those that this leaves open (`alone` counts
    them), or for all where its arithmetic is beyond that.
    """
    space, found = conjecture.space(**parameters), _Found()
    asked = conjecture.claim(parameters)
    at = start
    if asked is not None:
        with suppress(NotBatched):
            for chunk in _fitting(asked[0], asked[1], batches(space, start, stop, BATCH)):
                fails, left = _together(asked[0], asked[1], chunk)
                found.cases += len(chunk.ranks)
                found.add(chunk, fails)
                for i in np.flatnonzero(left).tolist():
                    found.alone += 1
                    if _fails(conjecture, parameters, found, int(chunk.ranks[i]), chunk.table(i)):
                        found.add(chunk, np.arange(len(chunk.ranks)) == i)
                at = int(chunk.ranks[-1]) + 1
            at = stop
    for rank in range(at, stop):
        if (case := space.case(rank)) is None:
            continue
        found.cases += 1
        found.alone += asked is not None
        if _fails(conjecture, parameters, found, rank, case):
            found.one(rank, case)
    return found.to_json()


def _fitting(claim: Claim, bound: Sequence[Mapping[str, Any]], chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """The chunks, cut where the arrays of all their cases would be more than MEMORY: of each shape one is tried."""
    sizes: dict[object, int] = {}
    for chunk in chunks:
        bits = int(chunk.denominators.max()).bit_length()
        if (chunk.key, bits) not in sizes:
            i = int(chunk.denominators.argmax())
            world = Arrays(chunk.part(i, i + 1))
            for names in bound:
                claim.holds(world, names)
            sizes[chunk.key, bits] = max(1, MEMORY // max(1, world.held()))
            world.forget()
        step = sizes[chunk.key, bits]
        for at in range(0, len(chunk.ranks), step):
            yield chunk.part(at, at + step) if step < len(chunk.ranks) else chunk


def _together(claim: Claim, bound: Sequence[Mapping[str, Any]], chunk: Chunk) -> tuple[Array, Array]:
    """For each case whether the claim surely fails, and whether that is left open. Raises NotBatched."""
    world, truth = Arrays(chunk), Truth(np.ones(len(chunk.ranks), dtype=bool), np.zeros(len(chunk.ranks), dtype=bool))
    for names in bound:
        truth = truth & claim.holds(world, names)
    world.forget()
    return truth.no, ~truth.no & ~truth.yes


def _fails(conjecture: Conjecture, parameters: Parameters, found: "_Found", rank: int, case: Any) -> bool:
    """Whether the conjecture fails for one case; what goes wrong is written down."""
    try:
        answer = conjecture.decided(case, parameters)
    except Exception as error:
        found.failures.append([rank, f"{type(error).__name__}: {error}"])
        return False
    if answer is not True and answer is not False:
        found.failures.append([rank, f"the predicate gave {answer!r}: expected True or False"])
    return answer is False


@dataclass
class _Found:
    """What one block holds so far; `where` counts hits by cells of row[0][0] and row[1][0], CELLS of each."""

    cases: int = 0
    hits: list[int] = field(default_factory=list)
    hit_count: int = 0
    failures: list[list[Any]] = field(default_factory=list)
    alone: int = 0
    where: Counter[str] = field(default_factory=Counter)

    def add(self, chunk: Chunk, fails: Array) -> None:
        """Write down the cases of a chunk that fail."""
        if not fails.any():
            return
        self.hit_count += int(fails.sum())
        self.hits = sorted([*self.hits, *chunk.ranks[fails][:MOST_HITS].tolist()])[:MOST_HITS]
        if len(chunk.weights) > 1:
            x, y = (np.minimum(w[0][fails] * CELLS // chunk.denominators[fails], CELLS - 1) for w in chunk.weights[:2])
            cells, counts = np.unique(x * CELLS + y, return_counts=True)
            for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
                self.where[f"{cell // CELLS},{cell % CELLS}"] += count

    def one(self, rank: int, case: Any) -> None:
        """Write down one case that fails."""
        self.hit_count += 1
        self.hits = sorted([*self.hits, rank])[:MOST_HITS]
        if isinstance(case, Table) and len(case.rows) > 1:
            x, y = (min(row[0] * CELLS // case.denominator, CELLS - 1) for row in case.rows[:2])
            self.where[f"{x},{y}"] += 1

    def to_json(self) -> dict[str, Any]:
        """The block's result."""
        told = {"cases": self.cases, "hits": self.hits, "hit_count": self.hit_count, "alone": self.alone}
        return told | {"failures": sorted(self.failures)[:MOST_FAILURES], "where": dict(self.where)}


def record_of(conjecture: Conjecture, parameters: Parameters, journal: Journal) -> Record:
    """The record of a journal that is complete. Raises BadInput for one that is not."""
    if missing := len(journal.missing()):
        reasons = sorted(set(journal.failures().values()))
        why = f": {reasons[0]}" if reasons else ""
        raise BadInput(f"{journal.place}: {missing} blocks are missing{why}: expected a search that is finished")
    space = conjecture.space(**parameters)
    cases, count, alone, where = 0, 0, 0, Counter[str]()
    ranks: list[int] = []
    failures: list[tuple[int, str]] = []
    for _, result in journal.results():
        cases, count, alone = cases + result["cases"], count + result["hit_count"], alone + result["alone"]
        where.update(result["where"])
        ranks += result["hits"]
        failures += [(rank, reason) for rank, reason in result["failures"]]
    ranks.sort()
    told = {
        "conjecture": conjecture.name,
        "parameters": dict(parameters),
        "space": space.describe(),
        "cases": cases,
        "hit_count": count,
        "hits": ranks[:MOST_HITS],
        "failures": [[rank, reason] for rank, reason in sorted(failures)[:MOST_FAILURES]],
    }
    return Record(
        conjecture,
        parameters,
        cases,
        count,
        tuple((rank, space.case(rank)) for rank in ranks[:MOST_HITS]),
        tuple(sorted(failures)[:MOST_FAILURES]),
        digest(canonical(told)),
        alone,
        dict(where),
    )
