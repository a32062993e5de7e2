"""The search through a whole space: blocks of ranks, carried out anywhere, recorded in a journal, then put together.

A block's result holds how many cases it had, the least ranks at which the conjecture fails, how many there are, and
the cases at which the predicate raised. Neither the screen nor the blocks' size nor the order of work is part of the
record, so its digest is that of the search alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.errors import BadInput, TooMuchWork, meant
from verify.runs.canonical_json import canonical, digest
from verify.runs.journal import Header, Journal, create_or_resume
from verify.search.conjecture import Conjecture, Hit, Parameters

VERSION = "1"  # of what a block's result holds
BLOCK, LEAST = 2048, 4  # ranks of a block: at most, where not more than MOST_BLOCKS would be needed; at least
SHARES, SCREENED = 256, 64  # blocks that a small space is cut into, so that all workers end at about the same time
MOST_BLOCKS = 100_000
MOST_HITS, MOST_FAILURES = 20, 20  # of a block that are kept
MAX_SIZE = 20_000_000  # ranks, without being told


@dataclass(frozen=True)
class Record:
    """What a finished search found: the number of cases, the hits, and a digest of the whole.

    `hits` are (rank, case), the smallest first; `hit_count` counts all of them.
    """

    conjecture: Conjecture
    parameters: Parameters
    cases: int
    hit_count: int
    hits: tuple[tuple[int, Any], ...]
    failures: tuple[tuple[int, str], ...]
    digest: str

    @property
    def verdict(self) -> str:
        """ "refuted", "exhausted", or "unfinished" where the predicate raised and nothing was hit."""
        return "refuted" if self.hits else "unfinished" if self.failures else "exhausted"

    def smallest(self) -> Hit | None:
        """The smallest case at which the conjecture fails, explained; None where there is none."""
        if not self.hits or self.conjecture.explain is None:
            return None
        return self.conjecture.explain(self.hits[0][1], **self.parameters)


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
    conjecture: Conjecture, parameters: Parameters, name: str, screen: bool = True, max_size: int = MAX_SIZE
) -> list[list[Any]]:
    """The blocks' arguments, [name, parameters, screen, start, stop]. Raises TooMuchWork for a space too large.

    Some ranks take a thousand times as long as others, and often lie together: so blocks are many where ranks are few.
    A screen takes many ranks at once, and is begun for every block.
    """
    size = conjecture.space(**parameters).size
    if size > max_size:
        raise TooMuchWork(f"{conjecture.name}: {size} ranks: expected at most {max_size} (--max-work)")
    shares = SCREENED if screen and conjecture.screen is not None else SHARES
    width = max(min(BLOCK, max(LEAST, size // shares)), -(-size // MOST_BLOCKS))
    return [[name, dict(parameters), screen, at, min(at + width, size)] for at in range(0, size, width)]


def header_of(conjecture: Conjecture, name: str, parameters: Parameters, screen: bool, blocks: Sequence[Any]) -> Header:
    """The journal's header; `search resume` finds in it what it needs."""
    told = {"name": name, "statement": conjecture.statement, "parameters": dict(parameters), "screen": screen}
    return Header.of("search", VERSION, told, blocks)


def exhaust(conjecture: Conjecture, **given: str | int) -> Record:
    """Search a whole space here and now, with nothing kept but the record: for small spaces, and for notebooks.

    Raises BadInput for parameters that the conjecture does not have, TooMuchWork for a space that is too large.
    """
    parameters = parameters_of(conjecture, given)
    blocks = blocks_of(conjecture, parameters, conjecture.name)
    with create_or_resume(None, header_of(conjecture, conjecture.name, parameters, True, blocks)) as kept:
        for number, (_, _, screen, start, stop) in enumerate(blocks):
            kept.record(number, canonical(look(conjecture, parameters, start, stop, screen)), None, 0)
        return record_of(conjecture, parameters, kept)


def look(conjecture: Conjecture, parameters: Parameters, start: int, stop: int, screen: bool = True) -> dict[str, Any]:
    """Search one block of ranks; the result as JSON."""
    space = conjecture.space(**parameters)
    cases, hits, failures = 0, list[int](), list[list[Any]]()
    ranks: Iterable[int] = range(start, stop)
    screened = screen and conjecture.screen is not None
    if screened and conjecture.screen is not None:
        cases, ranks = conjecture.screen(start, stop, **parameters)
    for rank in ranks:
        if (case := space.case(rank)) is None:
            continue
        cases += not screened
        try:
            answer = conjecture.holds(case, **parameters)
        except Exception as error:
            failures.append([rank, f"{type(error).__name__}: {error}"])
            continue
        if answer is not True and answer is not False:
            failures.append([rank, f"the predicate gave {answer!r}: expected True or False"])
        elif not answer:
            hits.append(rank)
    return {"cases": cases, "hits": hits[:MOST_HITS], "hit_count": len(hits), "failures": failures[:MOST_FAILURES]}


def record_of(conjecture: Conjecture, parameters: Parameters, journal: Journal) -> Record:
    """The record of a journal that is complete. Raises BadInput for one that is not."""
    if missing := len(journal.missing()):
        reasons = sorted(set(journal.failures().values()))
        why = f": {reasons[0]}" if reasons else ""
        raise BadInput(f"{journal.place}: {missing} blocks are missing{why}: expected a search that is finished")
    space = conjecture.space(**parameters)
    cases, count = 0, 0
    ranks: list[int] = []
    failures: list[tuple[int, str]] = []
    for _, result in journal.results():
        cases, count = cases + result["cases"], count + result["hit_count"]
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
    )
