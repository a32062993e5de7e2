"""Compare: the systems that serve one task, at the least noise that keeps one promise, in one table."""

from csv import writer
from fractions import Fraction
from io import StringIO
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from verify.commands import options
from verify.commands.options import OK, DeltaOption, EpsOption, Force, Json
from verify.errors import BadInput
from verify.exact.rational import decimals, natural, plain, text
from verify.report import words
from verify.runs import atomic_files
from verify.shapes.common import Tree

if TYPE_CHECKING:
    from verify.calibrate.comparison import Question

SORTS = {
    "rmse": "root mean square error, in users",
    "messages": "expected messages of a user",
    "bits": "bits of a user",
}
NUMBERS = ("rmse", "simultaneous", "expected_messages", "bits")
DIGITS = 5  # of the table's numbers
CLOSE = 1000  # ends that differ by one part in so many are shown as one number


def compare(
    task: Annotated[str, typer.Argument(metavar="sum|histogram", help="What is estimated.", show_default=False)],
    eps: EpsOption,
    delta: DeltaOption,
    n: options.Users = None,
    buckets: Annotated[str | None, typer.Option("--buckets", metavar="B", help="Buckets of the histogram.")] = None,
    systems: Annotated[str | None, typer.Option("--systems", metavar="A,B,...", help="Only these.")] = None,
    rmse_slack: Annotated[
        str, typer.Option("--rmse-slack", metavar="S", help="How far errors may rise to save messages, where they can.")
    ] = "1.2",
    sort: Annotated[str, typer.Option("--sort", metavar="rmse|messages|bits", help="Order of the rows.")] = "rmse",
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the table here, too.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw what is sorted by: .png, .svg or .pdf.")] = None,
    force: Force = False,
    workers: Annotated[
        str | None, typer.Option("--workers", metavar="W", help="Systems at a time, each in a process of its own.")
    ] = None,
    seconds: Annotated[
        str, typer.Option("--seconds", metavar="S", help="Time after which a system is given up.")
    ] = "900",
    json: Json = False,
) -> int:
    """All systems that serve a task, at the least noise that keeps (eps, delta): errors in users, messages, bits."""
    from verify.calibrate import comparison
    from verify.runs.executors import processors

    question = comparison.Question.of(task, options.users(n, "shuffled"), eps, delta, buckets, rmse_slack)
    names = _chosen(systems, comparison.systems(question.task, question.buckets))
    if sort not in SORTS:
        raise BadInput(f"--sort {sort[:40]}: expected one of {', '.join(SORTS)}")
    at_once = processors() if workers is None else natural(workers, "--workers", most=1024)
    patience = natural(seconds, "--seconds", most=10**7)
    if csv is not None:
        atomic_files.check_new(csv, force)
    if plot is not None:
        from verify.report import plots

        plots.check_plot(plot, force)
    found = options.track(comparison.rows(names, question, at_once, patience), len(names))
    tree = {
        **question.to_json(),
        "rows": sorted(found, key=lambda row: (_place(row, sort), names.index(row["system"]))),
    }
    tree["unfinished"] = [row["system"] for row in tree["rows"] if not row["finished"]]
    if csv is not None:
        atomic_files.write_whole(csv, _lines(tree["rows"]))
    if plot is not None:
        _draw(tree["rows"], question, sort, plot, force)
    words.show(tree, _table, json)
    return OK


def _chosen(systems: str | None, known: list[str]) -> list[str]:
    if systems is None:
        return known
    names = list(dict.fromkeys(name.strip() for name in systems.split(",")))
    for name in names:
        if name not in known:
            raise BadInput(f"--systems {name[:40]!r}: does not serve this task: expected some of {', '.join(known)}")
    return names


def _place(row: Tree, sort: str) -> tuple[bool, Fraction]:
    """Rows without numbers come last."""
    value = row["expected_messages" if sort == "messages" else sort]
    return value is None, Fraction(0) if value is None else Fraction(value["upper"])


# In words ----------------------------------------------------------------------------------------------------------


def _table(tree: Tree) -> str:
    of = f", {tree['buckets']} buckets" if tree["buckets"] else ""
    head = f"{tree['task']}, n = {tree['n']}{of}, eps = {plain(tree['eps'])}, delta at most {plain(tree['delta'])}"
    titles = ("system", "rmse", "simultaneous", "messages", "bits", "paper's rmse", "messages", "parameters")
    cells = [_cells(row) for row in tree["rows"]]
    lines, shown = words.aligned([titles, *cells], words.width())
    below = [] if shown == len(titles) else [f"  {row[0]}: {row[-1]}" for row in cells if row[-1] != "-"]
    notes = [f"  {row['system']}: {row['note']}" for row in tree["rows"] if row["note"]]
    about = "errors in users, messages and bits of one user: upper ends, or both; x: how many times ours the paper has"
    if dropped := titles[shown:-1]:
        about += f"; --json has more: {', '.join(dropped)}"
    return "\n".join([f"{head}{_best(tree)}", *lines, *wrap(about, words.width()), *below, *notes])


def _best(tree: Tree) -> str:
    """Which system has the least error, and which might have less: nothing is known of those that were not finished."""
    rows = [row for row in tree["rows"] if row["rmse"] is not None and not row["central"]]
    if not rows:
        return ""
    best = min(rows, key=lambda row: Fraction(row["rmse"]["upper"]))
    open_ = tree["unfinished"]
    unless = f", unless {' or '.join(open_)}, not finished, has less" if open_ else ""
    return f": least error by {best['system']}, {_shown(best['rmse'])}{unless}"


def _cells(row: Tree) -> tuple[str, ...]:
    if row["parameters"] is None:
        return (row["system"], *["-"] * 7)
    ratio = row["paper"]["ratio"] if row["paper"] else {}
    times = [
        f"{shown} x" if (shown := _shown(ratio.get(name))) != "-" else "-" for name in ("rmse", "expected_messages")
    ]
    values = " ".join(f"{name}={_parameter(value)}" for name, value in row["parameters"].items())
    numbers = [_shown(row[name]) for name in NUMBERS]
    return row["system"], *numbers, *times, values


def _shown(value: Tree | None) -> str:
    """The upper end, rounded up; both ends where they differ."""
    if value is None:
        return "-"
    low, high = Fraction(value["lower"]), Fraction(value["upper"])
    lower, upper = decimals(low, high, DIGITS)
    return upper if (high - low) * CLOSE <= high else f"[{lower}, {upper}]"


def _parameter(value: str) -> str:
    """Its first digits: the JSON has all. Probabilities next to 1 are shown by what is missing."""
    if len(value) < 8:
        return value
    missing = 1 - Fraction(value)
    close = 0 < missing < Fraction(1, 100)
    return f"1-{words.first_digits(text(missing), 6)}" if close else words.first_digits(value, 6)


# In files ----------------------------------------------------------------------------------------------------------


def _lines(rows: list[Tree]) -> str:
    written = StringIO()
    columns = [(name, end) for name in ("delta", *NUMBERS) for end in ("lower", "upper")]
    paper = [f"paper_{name}" for name in ("parameters", "rmse", "rmse_ratio", "messages_ratio")]
    table = writer(written, lineterminator="\n")
    table.writerow(
        [
            "system",
            "central",
            "parameters",
            *("_".join(column) for column in columns),
            "bits_per_message",
            *paper,
            "note",
        ]
    )
    for row in rows:
        numbers = [(row[name] or {}).get(end) for name, end in columns]
        theirs, ratio = row["paper"] or {}, (row["paper"] or {}).get("ratio", {})
        uppers = [
            (value or {}).get("upper")
            for value in (theirs.get("rmse"), ratio.get("rmse"), ratio.get("expected_messages"))
        ]
        table.writerow(
            [
                row["system"],
                int(row["central"]),
                _written(row["parameters"]),
                *numbers,
                row["bits_per_message"],
                _written(theirs.get("parameters")),
                *uppers,
                row["note"],
            ]
        )
    return written.getvalue()


def _written(parameters: dict[str, str] | None) -> str:
    return " ".join(f"{name}={value}" for name, value in (parameters or {}).items())


def _draw(rows: list[Tree], question: "Question", sort: str, path: Path, force: bool) -> None:
    from verify.report import plots

    name = "expected_messages" if sort == "messages" else sort
    bars = [(row["system"], float(Fraction(row[name]["upper"]))) for row in rows if row[name] is not None]
    values = [value for _, value in bars if value > 0]
    of = f", {question.buckets} buckets" if question.buckets else ""
    title = f"{question.task}{of}, n = {question.n}, eps = {question.eps}, delta = {plain(question.delta)}"
    figure = plots.bars_figure(bars, SORTS[sort], title, log=bool(values) and max(values) > 20 * min(values))
    plots.save(figure, path, force)
