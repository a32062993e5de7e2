"""The table of certified parameters: made in many small blocks, resumed where it was stopped, checked row by row."""

import csv
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.listed import ParameterTable, TableChecked
from shufflecert.verify.commands import certificates as written_certificates
from shufflecert.verify.commands import given
from shufflecert.verify.commands.certificates import kernel
from shufflecert.verify.commands.given import EpsValue, Exact, File
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.runs import writing

MAX_BYTES = 2**28  # of a table that is read
VERSION = "1"  # of what a row holds: journals of another one are not resumed
STATED = ("PROVED", "REFUTED")


def table(
    file: File,
    systems: str | Sequence[str] | None = None,
    n: Exact | Sequence[Exact] | None = None,
    eps: EpsValue | Sequence[EpsValue] | None = None,
    delta: Exact | Sequence[Exact] | None = None,
    *,
    journal: File | None = None,
    workers: int | None = None,
    dask: str | None = None,
    patience: int | None = None,
    check: bool = False,
    certificates: File | None = None,
    max_work: Exact | None = None,
    force: bool = False,
) -> ParameterTable | TableChecked:
    """Certified parameters for systems x n x eps x delta, as CSV; can be interrupted and goes on where it stopped.

    Raises BadInput. `check`: the certificates of a table's rows are made again, and re-checked; `certificates` is a
    folder for them.

        >>> table("mine.csv", "poisson", n=100, eps=1, delta="1e-6", workers=1).tree["rows"]
        1
    """
    place, record = Path(file), given.path(journal)
    lists = given.texts(systems=systems, users=n, eps=eps, deltas=delta)
    if check:
        chosen = {name: _listed(value, name) for name, value in lists.items() if value is not None}
        rows = _selected(_read(place), chosen)
        return TableChecked(_checked(rows, given.path(certificates), given.text(max_work), force))
    for option, value in (("certificates", certificates), ("max-work", max_work)):
        if value is not None:
            raise BadInput(f"--{option}: expected with --check: a table is made without")
    where = {"workers": workers, "dask": dask, **given.patient(patience, dask)}
    made = import_module("shufflecert.verify.calibrate.parameter_table")
    writing.check_new(place, force)
    cells = made.cells(**{name: _listed(value, name) for name, value in lists.items() if value is not None})
    record = record or place.with_name(place.name + ".journal")
    if writing.followed(record) == writing.followed(place):
        raise BadInput(f"{place}: the table and --journal are one file: expected two")
    try:
        done, failed = _made(cells, record, where)
    except KeyboardInterrupt as stop:
        stop.add_note(f"what was finished is kept in {record}: the same command goes on")
        raise
    writing.write_whole(
        place, words.csv_text([made.COLUMNS, *([row.get(name) for name in made.COLUMNS] for row in done)])
    )
    answer = {"table": str(place), "rows": len(done), "without_value": _without(done), "failures": failed}
    if not failed and journal is None:
        import_module("shufflecert.verify.runs.journal").forget(record)
    return ParameterTable(answer)


def _made(cells: list[list[str]], record: Path, where: Mapping[str, Any]) -> tuple[list[Tree], list[Tree]]:
    """The rows, in the order of the cells, and what failed."""
    journals, blocks, pools = (
        import_module(f"shufflecert.verify.runs.{name}") for name in ("journal", "run", "executors")
    )
    job = import_module("shufflecert.verify.calibrate.parameter_table").JOB
    header = journals.Header.of("table of certified parameters", VERSION, {}, cells)
    with pools.executor_of(**where) as executor, journals.create_or_resume(record, header) as kept:
        blocks.run(kept, job, cells, executor, progress=progress.watched)
        failures = [{"cell": cells[number], "reason": reason} for number, reason in sorted(kept.failures().items())]
        return [row for _, row in kept.results()], failures


def _checked(rows: list[dict[str, str]], folder: Path | None, max_work: str | None, force: bool) -> list[Tree]:
    """Every row's certificates, decided from scratch and re-checked by the kernel."""
    table = import_module("shufflecert.verify.calibrate.parameter_table")
    claims = [table.stated(row) for row in rows]  # what is none is said before any work
    if folder is not None:
        writing.check_folder(folder)
        for path in (_place(folder, row, i, verdict) for i, row in enumerate(rows, 1) for verdict in STATED):
            if writing.exists(path):
                writing.check_new(path, force)
        writing.make_folder(folder)
    work = given.work(max_work)
    limits = {} if work is None else {"max_work": work}
    found = []
    for number, (row, of) in progress.track(list(enumerate(zip(rows, claims, strict=True), 1)), len(rows)):
        for verdict, result in table.certificates(of, work):
            status = "undecided" if result.verdict == "UNDECIDED" else "no certificate"
            reason = result.reason
            if result.certificate is not None:
                checked = kernel.check(result.certificate_text().encode(), **limits)
                if folder is not None:
                    place = _place(folder, row, number, verdict)
                    written_certificates.tell(place, written_certificates.write(result, place).refusal)
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
        reader = csv.DictReader(StringIO(writing.read_whole(file, MAX_BYTES).decode(), newline=""))
        if tuple(reader.fieldnames or ()) != columns:
            raise BadInput(f"{file}: not a table of this command: expected the columns {', '.join(columns[:5])}, ...")
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{file}: cannot be read: {error}") from None
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise BadInput(f"{file}: line {line}: expected {len(columns)} values")
    return rows


def _listed(value: str, name: str) -> list[str]:
    items = [item.strip() for item in value.split(",")]
    if not all(items):
        raise BadInput(f"{name}: {value[:60]!r}: expected a list with commas")
    return items


def _without(rows: list[Tree]) -> int:
    return sum(not row["value"] for row in rows)
