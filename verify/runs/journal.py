"""Journals: the record of a long run, a row for every finished block of work, in a file that survives a kill.

A run is cut into blocks 0..N-1, each a function of its argument alone. The journal holds their results as canonical
JSON, so that its digest is one and the same whatever the order, the number of workers and the interruptions. It is an
SQLite database in write-ahead mode, on a local disk: one writer, and readers at any time (https://sqlite.org/wal.html).

The one writer holds a lock on the journal's path. The operating system takes it back with the process, however it ends.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from shufflecert.verify.errors import BadInput, MachineRefused
from shufflecert.verify.runs.work import canonical, digest
from shufflecert.verify.runs.writing import check_writable, followed, refusal

REFUSED, CORRUPT = (7, 10, 13), (11, 26)  # SQLite's NOMEM, IOERR, FULL; its CORRUPT, NOTADB
APPLICATION, FORMAT = 0x5348434A, 1  # "SHCJ": these two, in SQLite's own header, tell a journal from other databases
SCHEMA = (
    "CREATE TABLE header (name TEXT NOT NULL, version TEXT NOT NULL, parameters TEXT NOT NULL, blocks INTEGER NOT NULL,"
    " arguments TEXT NOT NULL, digest TEXT NOT NULL)",
    "CREATE TABLE block (number INTEGER PRIMARY KEY, result TEXT, failure TEXT, seal TEXT NOT NULL,"
    " attempts INTEGER NOT NULL, seconds REAL NOT NULL, session REAL NOT NULL, ended REAL NOT NULL,"
    " CHECK ((result IS NULL) <> (failure IS NULL)))",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
)
KEEP = (
    "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET result = excluded.result,"
    " failure = excluded.failure, seal = excluded.seal, attempts = attempts + excluded.attempts,"
    " seconds = excluded.seconds, session = excluded.session, ended = excluded.ended WHERE block.result IS NULL"
)
WAIT, STEP = 1 / 5, 1 / 100  # seconds: `owner` holds the lock for an instant too; an owner proper holds it for good


@dataclass(frozen=True)
class Header:
    """What a journal records: the run's name, version, parameters and blocks. One header, one record."""

    name: str
    version: str  # of the work: another one means that finished blocks are not to be used
    parameters: str  # canonical JSON
    blocks: int
    arguments: str  # sha256 of the blocks' arguments; "" where they are 0..blocks-1

    @classmethod
    def of(cls, name: str, version: str, parameters: object, blocks: int | Sequence[Any]) -> "Header":
        """A header from parameters as a JSON tree, and from the number of blocks or the sequence of their arguments.

        Raises BadInput where these are not JSON (`canonical`), and for a negative number.
        """
        tree = canonical(parameters, f"{name}: parameters")
        if not isinstance(blocks, int):
            return cls(name, version, tree, len(blocks), digest(canonical(list(blocks), f"{name}: arguments")))
        if blocks < 0:
            raise BadInput(f"{name}: blocks: {blocks}: expected at least 0")
        return cls(name, version, tree, blocks, "")

    @property
    def digest(self) -> str:
        """The SHA-256 of the canonical JSON of [name, version, parameters, blocks, arguments]."""
        return digest(canonical([self.name, self.version, json.loads(self.parameters), self.blocks, self.arguments]))


@dataclass(frozen=True)
class Status:
    """How far a run is; times in seconds. Only for people: no verdict depends on it."""

    total: int
    done: int
    failed: int  # among the others: the last attempt raised, and a resume tries again
    spent: float  # in finished blocks, summed over workers
    rate: float | None  # finished blocks per second in the latest session; None before the first
    left: float | None  # the rest at this rate
    last: float | None  # when a block was finished last, since the epoch
    running: bool  # a live process has the journal open


MEMORY = "journal in memory"


class Journal:
    """A journal, open. Made by `create_or_resume` and `read`; a context manager that closes it.

    Every method raises BadInput, in one line, where the file cannot be read or written or is corrupt.
    """

    def __init__(self, place: str, database: sqlite3.Connection, header: Header, lock: "Lock | None" = None) -> None:
        self.place, self.header = place, header
        self._database, self._lock, self._session = database, lock, time.time()

    def finished(self) -> list[int]:
        """The numbers of the blocks that have a result, ascending."""
        return [number for (number,) in self._ask("SELECT number FROM block WHERE result IS NOT NULL ORDER BY number")]

    def missing(self) -> list[int]:
        """The numbers of the other blocks, failed ones included, ascending."""
        finished = set(self.finished())
        return [number for number in range(self.header.blocks) if number not in finished]

    def results(self) -> Iterator[tuple[int, Any]]:
        """Every finished block as (number, result), ascending; each is compared with its seal."""
        return ((number, json.loads(text)) for number, text in self._texts())

    def failures(self) -> dict[int, str]:
        """The failures of blocks, by number: what the last attempt raised, as "BadInput: ..."."""
        return dict(self._ask("SELECT number, failure FROM block WHERE failure IS NOT NULL ORDER BY number"))

    def attempts(self) -> dict[int, int]:
        """The number of attempts at each block, over all sessions, as far as the writing process lived to know."""
        return dict(self._ask("SELECT number, attempts FROM block ORDER BY number"))

    def digest(self) -> str:
        """The SHA-256 of the canonical JSON of all results in block order. Raises BadInput while one is missing."""
        if missing := len(self.missing()):
            raise BadInput(f"{self.place}: {missing} of {self.header.blocks} blocks missing: expected a finished run")
        found = sha256(b"[")
        for number, text in self._texts():
            found.update(("," * (number > 0) + text).encode())
        found.update(b"]")
        return found.hexdigest()

    def record(self, number: int, result: str | None, failure: str | None, seconds: float, attempts: int = 1) -> None:
        """Write down one block, durably: its result as `canonical` JSON, or its failure. A result is never replaced."""
        if not 0 <= number < self.header.blocks:
            raise BadInput(f"{self.place}: block {number}: expected one of 0 to {self.header.blocks - 1}")
        seal = self._seal(number, result)
        row = (number, result, failure, seal, attempts, seconds, self._session, time.time())
        self._ask(KEEP, row)

    def status(self) -> Status:
        """How far the run is, and at what rate."""
        ((done, failed, spent, last),) = self._ask(
            "SELECT count(result), count(failure), total(seconds) FILTER (WHERE result IS NOT NULL),"
            " max(ended) FILTER (WHERE result IS NOT NULL) FROM block"
        )
        ((count, time_taken),) = self._ask(
            "SELECT count(*), max(ended) - max(session) FROM block"
            " WHERE result IS NOT NULL AND session = (SELECT max(session) FROM block WHERE result IS NOT NULL)"
        )
        rate = count / time_taken if count and time_taken > 0 else None
        left = (self.header.blocks - done) / rate if rate else None
        running = self._lock is not None or (self.place != MEMORY and owner(Path(self.place)) is not None)
        return Status(self.header.blocks, done, failed, spent, rate, left, last, running)

    def close(self) -> None:
        """Close the file; what was recorded is in it either way."""
        with _told(self.place):
            if self._lock is not None:
                with suppress(sqlite3.OperationalError):  # a reader is there
                    self._database.execute("PRAGMA busy_timeout = 0")
                    self._database.execute("PRAGMA journal_mode = DELETE")  # else later readers leave files behind
            self._database.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _ask(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with _told(self.place):
            return self._database.execute(query, values).fetchall()

    def _texts(self) -> Iterator[tuple[int, str]]:
        """(number, canonical JSON) of every finished block, ascending, piece by piece: all may be more than memory."""
        query = (
            "SELECT number, result, seal FROM block WHERE result IS NOT NULL AND number >= ? ORDER BY number LIMIT 1000"
        )
        start = 0
        while rows := self._ask(query, (start,)):
            for number, result, seal in rows:
                if seal != self._seal(number, result):
                    raise BadInput(f"{self.place}: corrupt: block {number} is not what was recorded")
                yield number, result
            start = rows[-1][0] + 1

    def _seal(self, number: int, result: str | None) -> str:
        # SQLite keeps no checksums: a bit that flips inside a text would pass as another number
        return digest(f"{self.header.digest} {number} {result}")

    def _check(self) -> None:
        problems = [text for (text,) in self._ask("PRAGMA quick_check(1)")]
        if problems != ["ok"]:
            raise BadInput(f"{self.place}: corrupt: {' '.join(problems[0].split())}")
        for number, _ in self._texts():
            if not 0 <= number < self.header.blocks:
                raise BadInput(f"{self.place}: corrupt: block {number} of {self.header.blocks}")


def read(path: Path) -> Journal:
    """An existing journal, to be looked at; a live process may be writing it.

    Raises BadInput where there is none, or something else.
    """
    path = followed(path)
    if not path.is_file():
        raise BadInput(f"{path}: no such file: expected a journal")
    with _told(path):
        database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        try:
            header = _header(path, database)
            if header is None:
                raise BadInput(f"{path}: empty: expected a journal")
            return Journal(str(path), database, header)
        except BaseException:
            database.close()
            raise


def forget(path: Path) -> None:
    """Remove a journal that was closed, and what SQLite may have left beside it, and no other file.

    Of a link both ends go. The lock took its own file along.
    """
    whole = followed(path)
    for file in (path, whole, *(whole.with_name(whole.name + end) for end in ("-wal", "-shm"))):
        file.unlink(missing_ok=True)


def create_or_resume(path: Path | None, header: Header) -> Journal:
    """The journal at `path`, open for writing: a new one, or the one that is there if it has this very header.

    None keeps it in memory. Everything in it is checked. Raises BadInput where a live process holds it (a killed one
    does not), where it is of another header, corrupt or no journal at all, and where the place cannot be written; what
    is there is not changed then.
    """
    if path is None:
        database = sqlite3.connect(":memory:", isolation_level=None)
        _create(database, header)
        return Journal(MEMORY, database, header)
    path = followed(path)
    check_writable(path)
    lock = Lock(path)
    try:
        with _told(path):
            present = _present(path)
            if present is not None and present != header:
                raise BadInput(f"{path}: a journal of something else: {_difference(present, header)}")
            database = sqlite3.connect(path, isolation_level=None)
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
                if present is None:
                    _create(database, header)
            except BaseException:
                database.close()
                raise
    except BaseException:
        lock.release()
        raise
    return Journal(str(path), database, header, lock)


def _present(path: Path) -> Header | None:
    """The header of the journal at `path`, checked without the least change to what may be somebody else's file."""
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)) as database:
        header = _header(path, database)
        if header is not None:
            Journal(str(path), database, header)._check()
        return header


def _header(path: Path, database: sqlite3.Connection) -> Header | None:
    ((tables,),) = database.execute("SELECT count(*) FROM sqlite_master").fetchall()
    marks = tuple(database.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version"))
    if not tables and marks == (0, 0):  # a process that was killed before it had written the header
        return None
    if marks[0] != APPLICATION:
        raise BadInput(f"{path}: not a journal: expected one, or a new file")
    if marks[1] != FORMAT:
        raise BadInput(f"{path}: a journal of format {marks[1]}: expected format {FORMAT}")
    rows = database.execute("SELECT name, version, parameters, blocks, arguments, digest FROM header").fetchall()
    try:
        ((*fields, written),) = rows
        if (header := Header(*fields)).digest == written:
            return header
    except ValueError:
        pass
    raise BadInput(f"{path}: corrupt: no header, or not the one that was recorded")


def _create(database: sqlite3.Connection, header: Header) -> None:
    database.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA:
        database.execute(statement)
    row = (header.name, header.version, header.parameters, header.blocks, header.arguments, header.digest)
    database.execute("INSERT INTO header VALUES (?, ?, ?, ?, ?, ?)", row)
    database.execute("COMMIT")


def _difference(present: Header, wanted: Header) -> str:
    there, here = _fields(present), _fields(wanted)
    field = next(field for field in {**there, **here} if there.get(field) != here.get(field))
    return f"{field}: {_short(there.get(field, 'nothing'))} there: expected {_short(here.get(field, 'nothing'))}"


def _fields(header: Header) -> dict[str, str]:
    tree = json.loads(header.parameters)
    parameters = {"parameters": canonical(tree)}
    if isinstance(tree, dict):
        parameters = {f"parameter {name}": canonical(tree[name]) for name in tree}
    counts = {"blocks": str(header.blocks), "arguments": header.arguments}
    return {"name": header.name, "version": header.version, **parameters, **counts}


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


@contextmanager
def _told(place: str | Path) -> Iterator[None]:
    """SQLite's errors as one line of ours."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where SQLite's message quotes a damaged page
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        what = "no journal, or a corrupt one" if code in CORRUPT else "journal"
        said = "corrupt: bytes that are no UTF-8" if " UTF-8 " in str(error) else error
        raise (MachineRefused if code in REFUSED else BadInput)(f"{place}: {what}: {said}") from None


class Lock:
    """The lock on `path`, held until `release`; its file stands beside `path` while it is held.

    Raises BadInput, naming the process, where another one holds it, or this one already; MachineRefused where its file
    cannot be written. A file that a killed process left behind is no lock, nor does a forked child hold it.
    """

    def __init__(self, path: Path) -> None:
        self._file = _beside(path)
        self._lock = FileLock(self._file, mode=0o666, thread_local=False)
        try:
            self._lock.acquire(timeout=WAIT, poll_interval=STEP)
        except Timeout:
            who = owner(path)
            raise BadInput(
                f"{path}: in use by {f'process {who}' if who else 'another process'}: expected it to be free"
            ) from None
        except OSError as error:
            raise refusal(path, "cannot be locked", error) from None
        with suppress(PermissionError):  # Windows lets nobody write to a file that is locked
            self._file.write_text(str(os.getpid()))

    def release(self) -> None:
        """Release the lock; a second time does nothing."""
        if self._lock.is_locked:
            with suppress(OSError):  # Windows removes it after the release
                self._file.unlink()
            self._lock.release()


def owner(path: Path) -> int | None:
    """The process that holds the lock on `path`; 0 where it has not said which, None where nobody holds it."""
    file = _beside(path)
    with suppress(OSError):
        if not file.exists():
            return None
        try:
            with FileLock(file, mode=0o666, thread_local=False).acquire(timeout=0):
                return None
        except Timeout:
            written = file.read_text(errors="replace")[:20]
            return int(written) if written.isdigit() else 0
    return 0 if file.exists() else None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")
