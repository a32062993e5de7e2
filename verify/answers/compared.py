"""The answer of compare: the systems that serve one task, at the least noise that keeps one promise."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.answer import Answer, CertificateFile, Dated, DeltaValue, Ends, Neighbouring, columns
from shufflecert.verify.answers.words import Grid, Lines
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.exact.rational import decimals, plain, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from shufflecert.verify.calibrate.comparison import ComparedTask

SORTS = {
    "rmse": "root mean square error, in users",
    "messages": "expected messages of a user",
    "bits": "bits of a user",
}
NUMBERS = ("rmse", "simultaneous", "expected_messages", "bits")
DIGITS = 5  # of the table's numbers
CLOSE = 1000  # ends that differ by one part in so many are shown as one number


class ComparedPaper(TypedDict):
    """A system with its paper's parameters."""

    parameters: dict[str, str]
    rmse: Ends
    expected_messages: Ends
    ratio: dict[str, Ends | None]


class ComparedRow(TypedDict):
    """One system at the least noise that keeps the promise; without numbers where there are none, and the note why."""

    system: str
    central: bool
    parameters: dict[str, str] | None
    delta: DeltaValue | None
    rmse: Ends | None
    simultaneous: Ends | None
    expected_messages: Ends | None
    bits_per_message: int | None
    bits: Ends | None
    paper: ComparedPaper | None
    note: str | None
    finished: bool


class CompareAnswer(Dated, Neighbouring):
    """The answer of `compare`: every system that serves a task; `unfinished` names those of which nothing is known."""

    task: str
    n: int
    eps: str
    delta: str
    buckets: int | None
    slack: str
    rows: list[ComparedRow]
    unfinished: list[str]
    certificate: NotRequired[CertificateFile]


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """The answer of `compare`: a row for each system; `stopped` where Ctrl-C ended the calibration of some."""

    called = "comparison"
    shape, keys = CompareAnswer, ("task", "rows")

    def lines(self, wide: int) -> Lines:
        """The table, as wide as that."""
        tree = self.tree
        of = f", {tree['buckets']} buckets" if tree["buckets"] else ""
        head = f"{tree['task']}, n = {tree['n']}{of}, eps = {plain(tree['eps'])}, delta at most {plain(tree['delta'])}"
        if tree["adjacency"] != "replace" or {"honest", "take_part"} & {*tree}:
            head += f", {words.adjacency_text(tree)}"
        titles = ("system", "rmse", "simultaneous", "messages", "bits", "paper's rmse", "messages", "parameters")
        cells = [_cells(row) for row in tree["rows"]]
        table = Grid("", titles, cells, "").within(wide)
        shown = len(table.header)
        below = [] if shown == len(titles) else [f"  {row[0]}: {row[-1]}" for row in cells if row[-1] != "-"]
        notes = [f"  {row['system']}: {row['note']}" for row in tree["rows"] if row["note"]]
        about = "errors in users; messages and bits per user: upper bounds, or both bounds; x: paper/ours ratio"
        if dropped := titles[shown:-1]:
            about += f"; --json has more: {', '.join(dropped)}"
        return [f"{head}{_best(tree)}", replace(table, caption=about), *wrap(about, wide), *below, *notes]

    def pictures(self) -> list[tuple[Callable[[], "Figure"], str]]:
        """Bars for errors, for messages, and for bits."""
        return [(partial(self.plot, sort), f"{name.capitalize()}: upper bounds.") for sort, name in SORTS.items()]

    def left(self) -> str:
        """What Ctrl-C left undone."""
        return f"not finished: {', '.join(self.tree['unfinished'])}"

    def rows(self) -> list[Tree]:
        """A row for each system, ends as floats rounded outwards."""
        return [{"system": row["system"], **columns(row, NUMBERS), "note": row["note"]} for row in self.tree["rows"]]

    def csv(self) -> str:
        """The table as CSV, every end with all its digits."""
        rows = self.tree["rows"]
        columns = [(name, end) for name in ("delta", *NUMBERS) for end in ("lower", "upper")]
        numbers = ["_".join(column) for column in columns]
        paper = [f"paper_{name}" for name in ("parameters", "rmse", "rmse_ratio", "messages_ratio")]
        table: list[list[object]] = [["system", "central", "parameters", *numbers, "bits_per_message", *paper, "note"]]
        for row in rows:
            theirs, ratio = row["paper"] or {}, (row["paper"] or {}).get("ratio", {})
            values = (theirs.get("rmse"), ratio.get("rmse"), ratio.get("expected_messages"))
            table.append(
                [
                    *(row["system"], int(row["central"]), _written(row["parameters"])),
                    *((row[name] or {}).get(end) for name, end in columns),
                    *(row["bits_per_message"], _written(theirs.get("parameters"))),
                    *((value or {}).get("upper") for value in values),
                    row["note"],
                ]
            )
        return words.csv_text(table)

    def plot(self, sort: str = "rmse") -> "Figure":
        """Bars for every system, the ones that were not finished named without one."""
        tree, name = self.tree, "expected_messages" if sort == "messages" else sort
        bars = [(row["system"], _height(row[name])) for row in tree["rows"] if row[name] is not None]
        values = [value for _, value in bars if value > 0]
        bars += [(f"{row['system']} (not finished)", float("nan")) for row in tree["rows"] if not row["finished"]]
        of = f", {tree['buckets']} buckets" if tree["buckets"] else ""
        title = f"{tree['task']}{of}, n = {tree['n']}, eps = {plain(tree['eps'])}, delta = {plain(tree['delta'])}"
        return plots.bars_figure(bars, SORTS[sort], title, log=bool(values) and max(values) > 20 * min(values))


def of(
    question: "ComparedTask", found: Iterable[Tree], names: Sequence[str], sort: str = "rmse", stopped: bool = False
) -> Comparison:
    """The answer of the rows that were found, in order of what is sorted by."""
    rows = sorted(found, key=lambda row: (_place(row, sort), names.index(row["system"])))
    unfinished = [row["system"] for row in rows if not row["finished"]]
    return Comparison({**question.to_json(), "rows": rows, "unfinished": unfinished}, stopped=stopped)


def line(row: Tree) -> str:
    """A row by itself, as it is found."""
    return f"{row['system']}: {row['note'] if row['rmse'] is None else 'rmse ' + _shown(row['rmse'])}"


def _height(value: Tree) -> float:
    return float(Fraction(value["upper"]))


def _place(row: Tree, sort: str) -> tuple[bool, Fraction]:
    """Rows without numbers come last."""
    value = row["expected_messages" if sort == "messages" else sort]
    return value is None, Fraction(0) if value is None else Fraction(value["upper"])


# In words ----------------------------------------------------------------------------------------------------------


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
    low, high = words.rationals(value)
    lower, upper = decimals(low, high, DIGITS)
    return upper if (high - low) * CLOSE <= high else f"[{lower}, {upper}]"


def _parameter(value: str) -> str:
    """Its first digits: the JSON has all. Probabilities next to 1 are shown by what is missing."""
    if len(value) < 8:
        return value
    missing = 1 - Fraction(value)
    close = 0 < missing < Fraction(1, 100)
    return f"1-{words.first_digits(text(missing), 6)}" if close else words.first_digits(value, 6)


def _written(parameters: dict[str, str] | None) -> str:
    return " ".join(f"{name}={value}" for name, value in (parameters or {}).items())
