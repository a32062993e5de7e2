"""Answers in words: what their parts are called, numbers between two ends, and how any answer is printed."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from csv import writer
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from importlib import import_module
from io import StringIO
from shutil import get_terminal_size
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree
from shufflecert.verify.exact.rational import (
    between,
    decimal_above,
    decimal_below,
    decimals,
    plain,
    rational,
    shorten,
    text,
)

LONG, ROUNDED = 24, 9  # characters of a number that is shown as it is; significant digits of a longer one


def show(answer: Any, words: Callable[[Any], str], as_json: bool) -> None:
    """Print an answer, in words or as JSON; what the terminal lacks is escaped."""
    shown = json.dumps(dated(answer), indent=2) if as_json else words(answer)
    encoding = sys.stdout.encoding or "utf-8"
    print(shown.encode(encoding, "backslashreplace").decode(encoding))


def dated(answer: Any) -> Any:
    """An answer with the version that gave it, and when; of a list every row."""
    made = {"version": version(), "date": now().strftime("%Y-%m-%dT%H:%M:%SZ")}
    return [{**row, **made} for row in answer] if isinstance(answer, list) else {**answer, **made}


def version() -> str:
    """The version of this installation."""
    found: str = import_module("importlib.metadata").version("shufflecert")
    return found


def now() -> datetime:
    """The time in UTC; for outputs that can be made again SOURCE_DATE_EPOCH, in seconds after 1970, sets it."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if fixed is None:
        return datetime.now(UTC)
    if not fixed.isascii() or not fixed.isdigit() or len(fixed) > 11:
        raise BadInput(f"SOURCE_DATE_EPOCH: {fixed[:40]!r}: expected seconds since 1970")
    return datetime.fromtimestamp(int(fixed), UTC)


def minute() -> str:
    """Now, as a page says it: 24 November 2026, 01:23 UTC."""
    time = now()
    return f"{time.day} {time:%B %Y, %H:%M} UTC"


def counted(number: int, what: str) -> str:
    """So many of something, in words: 1 bit, 2 bits."""
    return f"{number} {what}{'s' * (number != 1)}"


def rationals(value: Tree) -> tuple[Fraction, Fraction]:
    """The two ends, both finite, of a number in an answer."""
    return Fraction(value["lower"]), Fraction(value["upper"])


def bounded(value: Tree, digits: int = 5) -> str:
    """A number in words by its upper end, rounded up: "= 0.5" where both ends are equal, else "<= 0.51"."""
    low, high = decimals(*rationals(value), digits)
    return f"{'=' if low == high else '<='} {high}"


def known(value: Tree, most: str | None = None) -> str:
    """A number in words as what is known of it: "= 0.5", "<= 0.51" where the lower bound is 0, else "= [0.49, 0.51]".

    `most` is the largest that it can be at all, 1 of a probability: where the upper bound is that, ">= 0.49".
    """
    low, high = rationals(value)
    shown = interval(value)
    if low == 0 < high:
        return f"<= {decimals(high, high, 12)[1]}"
    if most is not None and high == Fraction(most) > low:
        return f">= {decimals(low, low, 12)[0]}"
    return f"= {shown}"


def interval(value: Tree, digits: int = 12) -> str:
    """Two finite ends in words, rounded outwards again to fewer digits; one number where they are equal."""
    return between(*decimals(*rationals(value), digits))


def exactly(value: Tree) -> list[str]:
    """The line with the exact value of a delta, or of an eps, where there is one."""
    if isinstance(value["exact"], str):
        return [f"  exactly {shorten(value['exact'], 80)}"]
    if value["exact"]:
        return [f"  exactly {shorten(value['exact']['A'])} - {shorten(value['exact']['B'])} e^eps"]
    return []


def epsilon_lines(answer: Tree) -> list[str]:
    """An eps in words, and below it the exact value where there is one."""
    value, delta = answer["epsilon"], plain(answer["delta"])
    if value["exact"] == "inf":
        return [f"eps({delta}) = infinite: no finite eps satisfies this delta"]
    if value["upper"] == "inf":
        return [f"eps({delta}) = more than {value['lower']}: no finite eps is shown to satisfy this delta"]
    return [f"eps({delta}) {known(value)}", *promises_nothing(answer["delta"]), *exactly(value)]


def parameter_line(whose: str, *of: Mapping[str, str]) -> str:
    """What the parameters of some systems are, where they were not given as they are."""
    listed = (", ".join(f"{name} = {value}" for name, value in one.items()) for one in of)
    return f"  parameters ({whose}, 64 bits): {'; '.join(listed)}"


def promises_nothing(delta: str) -> list[str]:
    """What to say of delta = 1, which everything keeps."""
    return ["  delta = 1 guarantees nothing: every protocol satisfies it"] if Fraction(delta) == 1 else []


def beside(answer: Tree) -> str:
    """The local eps, for the first line of an answer, where a finite one is known."""
    local = answer.get("local_epsilon")
    return f"; local eps {bounded(local)}" if local else ""


def promise_text(verdict: str, eps: Eps, delta: Fraction) -> str:
    """delta(eps) <= delta of what is PROVED, and > of what is REFUTED.

    Long numbers are rounded to the side on which the inequality still holds: up where it is PROVED, else down.
    """
    proved = verdict == "PROVED"
    at, value = plain(str(eps)), text(delta)
    if len(at) > LONG:
        at = eps.enclosure(ROUNDED)[proved]
    if len(value) > LONG:
        value = (decimal_above if proved else decimal_below)(delta, ROUNDED)
    return f"delta({at}) {'<=' if proved else '>'} {plain(value)}"


def nearest_lines(found: Tree | None) -> list[str]:
    """What is decided beside a claim that is not."""
    if found is None:
        return []
    sides = [
        f"{word}: delta({plain(side['eps'])}) <= {plain(side['delta'])}"
        for word, side in (("PROVED", found["proved"]), ("REFUTED", found["refuted"]))
        if side
    ]
    return [f"  decided nearby: {'; '.join(sides)}"] * bool(sides) + [f"  {found['more']}"]


def width() -> int:
    """How wide a table may be: the terminal's columns; of a pipe COLUMNS, or 118."""
    return get_terminal_size((118, 24)).columns


def aligned(rows: Sequence[Sequence[str]], most: int | None = None) -> tuple[list[str], int]:
    """The lines of a table under its header, two spaces between columns, and how many columns they have.

    Columns from the right are left out until the lines are at most `most` wide, but for two. A row with fewer cells
    than the header says something else in its last one, and sets no width.
    """
    header = rows[0]
    whole = [row for row in rows if len(row) == len(header)]
    widths = [max(len(row[i]) for row in whole) for i in range(len(header))]
    shown = len(header)
    while shown > 2 and most is not None and sum(widths[:shown]) + 2 * (shown - 1) > most:
        shown -= 1
    cut = [row[:shown] if len(row) == len(header) else row for row in rows]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False)).rstrip() for row in cut], shown


@dataclass(frozen=True)
class Grid:
    """A table in an answer: in words under each other, on a page as a table with its caption."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    indent: str = "  "

    def within(self, wide: int, least: int = 2) -> "Grid":
        """The table without as many columns from the right as make it so wide; with `least` of them."""
        shown = max(least, aligned([self.header, *self.rows], wide)[1])
        return replace(self, header=self.header[:shown], rows=[row[:shown] for row in self.rows])


Lines = list[str | Grid]  # an answer, for people: its first line is a headline


def text_of(lines: Sequence[str | Grid]) -> str:
    """An answer as text, its tables as wide as they are."""
    text = list[str]()
    for line in lines:
        table = isinstance(line, Grid) and aligned([line.header, *line.rows])[0]
        text += [line.indent + row for row in table] if isinstance(line, Grid) and table else [str(line)]
    return "\n".join(text)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """A table, its header first, as CSV."""
    written = StringIO()
    writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def first_digits(number: str, digits: int) -> str:
    """An exact number as it is where it is short; else its first digits and "...".

    Never a rounded one, which may be on the other side of a limit, and no interval, of which not all was looked at.
    """
    try:
        value = rational(number)
    except BadInput:
        return shorten(number)
    if len(number) <= digits + 2:
        return number
    shown = decimal_below(abs(value), digits)
    sign = "-" if value < 0 else ""
    return f"{sign}{shown}" if Fraction(shown) == abs(value) else f"{sign}{_dotted(shown)}"


def _dotted(shown: str) -> str:
    mantissa, e, exponent = shown.partition("e")
    return f"{mantissa}...{e}{exponent}"


def scope_lines(scope: Tree) -> list[str]:
    """The scope of an answer in words: view, n, how many pairs were evaluated, why that is enough, the worst."""
    seen = f"  {scope['view']} view, n = {scope['n']}, all neighbouring datasets ({adjacency_text(scope)})"
    sides = "lower bound: attained by real datasets; upper bound: a pair that dominates all datasets"
    return [seen, *pairs_lines(scope, sides)]


def held(others: Mapping[str, int]) -> str:
    """The inputs that the other users hold, in words; nothing where there are none."""
    return ", ".join(f"{count} on {x}" for x, count in others.items())


def pairs_lines(scope: Tree, sides: str) -> list[str]:
    """The lines on pairs of datasets: how many were evaluated, why that is enough, on which `sides`, and the worst."""
    stands_for = "infinitely many" if scope["stands_for"] is None else shorten(str(scope["stands_for"]))
    lines = [f"  {scope['pairs']} of {stands_for} pairs evaluated: {scope['by']}"]
    if scope["two_sided"]:
        lines.append(f"  {sides}")
    if worst := scope["worst"]:
        lines.append(f"  worst: {worst_text(scope['adjacency'], worst)}")
    return lines


def worst_text(adjacency: str, worst: Tree) -> str:
    """Two neighbouring datasets: the user who changes, and what the others hold."""
    others = "any" if worst["others"] is None else held(worst["others"])
    start, end = ends_text(adjacency, worst)
    changed = f"{start} against one user on {end}" if worst["from"] is None else f"one user on {start} against {end}"
    return f"{changed}, the others: {others}" if others else changed


def adjacency_text(scope: Tree) -> str:
    """In which way neighbours differ, and who is there, in words."""
    words = {"replace": "one user replaced", "add-remove": "one user, counted in n, added or removed"}
    if "reference" in scope:
        mixed = " or ".join(z if weight == "1" else f"{z} ({weight})" for z, weight in scope["reference"].items())
        words["deletion"] = f"one user deleted: on the reference {mixed} instead"
    honest = f"; at least {scope['honest']} honest users, the others corrupted" if "honest" in scope else ""
    share = f"; every user participates with probability {scope['take_part']}" if "take_part" in scope else ""
    return words[scope["adjacency"]] + honest + share


def ends_text(adjacency: str, worst: Tree) -> tuple[str, str]:
    """What the user who changes is on, in the one dataset and in the other."""
    none = "nobody" if adjacency == "add-remove" else "the reference"
    start, end = (none if worst[side] is None else worst[side] for side in ("from", "to"))
    return start, end


def messages_lines(answer: Tree) -> list[str]:
    """What the number of messages alone tells, in words."""
    if "number_of_messages" not in answer:
        return []
    told = answer["number_of_messages"]
    hides = "" if "take_part" in answer["scope"] else "; --take-part Q below 1 hides participation"
    each = f"  every participant sends {counted(told['each'], 'message')}: the number of messages alone"
    if "delta" not in told:
        return [f"{each} reveals a user{hides}"]
    return [f"{each} reveals a user with delta = {interval(told['delta'])}{hides}"]
