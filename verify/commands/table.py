"""The table of certified parameters: made in many small blocks, resumed where it was stopped, checked row by row."""

import csv
from collections.abc import Mapping
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.listed import Table, TableChecked
from shufflecert.verify.commands import options
from shufflecert.verify.commands.options import OK, REFUTED, Force, Json, MaxWork, Patience
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.runs import atomic_files

MAX_BYTES = 2**28  # of a table that is read
VERSION = "1"  # of what a row holds: journals of another one are not resumed
STATED = ("PROVED", "REFUTED")


def table(
    file: Annotated[Path, Argument(metavar="FILE.csv", help="Where the table goes, or is.", show_default=False)],
    systems: Annotated[
        str | None, Option("--systems", metavar="A,B", help="These systems (those that are quick).")
    ] = None,
    n: Annotated[str | None, Option("--n", metavar="N,...", help="Numbers of users (10^3 to 10^9).")] = None,
    eps: Annotated[str | None, Option("--eps", metavar="E,...", help="(1/10, 1/4, 1/2, 1, 2)")] = None,
    delta: Annotated[str | None, Option("--delta", metavar="D,...", help="(1e-6, 1e-9, 1e-12)")] = None,
    journal: Annotated[
        Path | None, Option("--journal", metavar="FILE", help="The record of what is done (FILE.csv.journal).")
    ] = None,
    workers: Annotated[int | None, Option("--workers", min=1, help="Processes (one for each core).")] = None,
    dask: Annotated[str | None, Option("--dask", metavar="tcp://...", help="A Dask cluster instead.")] = None,
    patience: Patience = None,
    check: Annotated[
        bool, Option("--check", help="Make the certificates of a table's rows again, and re-check them.")
    ] = False,
    certificates: Annotated[
        Path | None, Option("--certificates", metavar="FOLDER", help="With --check: keep them in this folder.")
    ] = None,
    max_work: MaxWork = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Certified parameters for systems x n x eps x delta, as CSV; can be interrupted and goes on where it stopped."""
    lists = {"systems": systems, "users": n, "eps": eps, "deltas": delta}
    if check:
        found = checked(file, lists, certificates, max_work, force)
        options.shown(found, json)
        return REFUTED if any(row["status"] in ("rejected", "malformed") for row in found.tree) else OK
    if certificates is not None:
        raise BadInput("--certificates: expected with --check: a table is made without them")
    where = {"workers": workers, "dask": dask, **options.patient(patience, dask)}
    return options.shown(made(file, lists, journal, where, force), json)


def checked(
    file: Path, lists: Mapping[str, str | None], certificates: Path | None, max_work: str | None, force: bool
) -> TableChecked:
    """The rows of these systems, users, eps and deltas, decided from scratch and re-checked. Raises BadInput."""
    chosen = {name: _listed(value, name) for name, value in lists.items() if value is not None}
    return TableChecked(_checked(_selected(_read(file), chosen), certificates, max_work, force))


def made(
    file: Path, lists: Mapping[str, str | None], journal: Path | None, where: Mapping[str, Any], force: bool
) -> Table:
    """The table, made; goes on where a journal says that it was stopped. Raises BadInput."""
    rows = import_module("shufflecert.verify.calibrate.parameter_table")
    atomic_files.check_new(file, force)
    cells = rows.cells(**{name: _listed(value, name) for name, value in lists.items() if value is not None})
    record = journal or file.with_name(file.name + ".journal")
    if record.resolve() == file.resolve():
        raise BadInput(f"{file}: the table and --journal are one file: expected two")
    try:
        done, failed = _made(cells, record, where)
    except KeyboardInterrupt as stop:
        stop.add_note(f"what was finished is kept in {record}: the same command goes on")
        raise
    atomic_files.write_whole(
        file, words.csv_text([rows.COLUMNS, *([row.get(name) for name in rows.COLUMNS] for row in done)])
    )
    answer = {"table": str(file), "rows": len(done), "without_value": _without(done), "failures": failed}
    if not failed and journal is None:
        _forget(record)
    return Table(answer)


def _made(cells: list[list[str]], record: Path, where: Mapping[str, Any]) -> tuple[list[Tree], list[Tree]]:
    """The rows, in the order of the cells, and what failed."""
    journals, blocks, pools = (
        import_module(f"shufflecert.verify.runs.{name}") for name in ("journal", "run", "executors")
    )
    job = import_module("shufflecert.verify.calibrate.parameter_table").JOB
    header = journals.Header.of("table of certified parameters", VERSION, {}, cells)
    with journals.create_or_resume(record, header) as kept, pools.executor_of(**where) as executor:
        blocks.run(kept, job, cells, executor, progress=progress.watched)
        failures = [{"cell": cells[number], "reason": reason} for number, reason in sorted(kept.failures().items())]
        return [row for _, row in kept.results()], failures


def _checked(rows: list[dict[str, str]], folder: Path | None, max_work: str | None, force: bool) -> list[Tree]:
    """Every row's certificates, decided from scratch and re-checked by the kernel."""
    table = import_module("shufflecert.verify.calibrate.parameter_table")
    writer = import_module("shufflecert.verify.commands.certificates")
    if folder is not None:
        atomic_files.check_folder(folder)
        for path in (_place(folder, row, i, verdict) for i, row in enumerate(rows, 1) for verdict in STATED):
            if atomic_files.exists(path):
                atomic_files.check_new(path, force)
        atomic_files.make_folder(folder)
    work = options.work(max_work)
    limits = {} if work is None else {"max_work": work}
    found = []
    for number, row in progress.track(list(enumerate(rows, 1)), len(rows)):
        for verdict, result in table.certificates(row):
            status, reason = "no certificate", result.reason
            if result.certificate is not None:
                checked = writer.check(result.certificate_text().encode(), **limits)
                if folder is not None:
                    place = _place(folder, row, number, verdict)
                    writer.tell(place, writer.write(result, place).refusal)
                agrees = result.verdict == verdict or checked.status != "accepted"
                status, reason = (checked.status, checked.reason) if agrees else ("rejected", f"{result.verdict} now")
            elif result.verdict not in (verdict, "UNDECIDED"):
                status, reason = "rejected", f"{result.verdict} now"
            found.append({"row": table.describe(row), "verdict": verdict, "status": status, "reason": reason})
    return found


def _place(folder: Path, row: Mapping[str, str], number: int, verdict: str) -> Path:
    return folder / f"{row['system']}-{number}-{verdict.lower()}.json"


def _selected(rows: list[dict[str, str]], chosen: Mapping[str, list[str]]) -> list[dict[str, str]]:
    columns = {"systems": "system", "users": "n", "eps": "eps", "deltas": "delta"}
    wanted = [row for row in rows if all(row[columns[name]] in values for name, values in chosen.items())]
    if not wanted:
        raise BadInput("the table has no such rows: expected systems, n, eps and delta as they stand in it")
    return wanted


def _read(file: Path) -> list[dict[str, str]]:
    columns = import_module("shufflecert.verify.calibrate.parameter_table").COLUMNS
    try:
        reader = csv.DictReader(StringIO(atomic_files.read_whole(file, MAX_BYTES).decode(), newline=""))
        if tuple(reader.fieldnames or ()) != columns:
            raise BadInput(f"{file}: not a table of this command: expected the columns {', '.join(columns[:5])}, ...")
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{file}: cannot be read: {error}") from None
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise BadInput(f"{file}: line {line}: expected {len(columns)} values")
    return rows


def _forget(record: Path) -> None:
    """The journal of a finished table, and what SQLite and the lock left beside it."""
    for path in record.parent.glob(record.name + "*"):
        path.unlink(missing_ok=True)


def _listed(value: str, name: str) -> list[str]:
    items = [item.strip() for item in value.split(",")]
    if not all(items):
        raise BadInput(f"{name}: {value[:60]!r}: expected a list with commas")
    return items


def _without(rows: list[Tree]) -> int:
    return sum(not row["value"] for row in rows)
