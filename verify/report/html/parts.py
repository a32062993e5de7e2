"""Parts of any answer as blocks of a page: values on one line, names and values, tables, sections."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeGuard

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import rational, shorten
from shufflecert.verify.report.html.page import SHOWN, Block, Facts, Items, Section, Table, interval
from shufflecert.verify.report.words import first_digits, held

Tree = Mapping[str, Any]
FEW, BRIEF = 5, 14  # digits in a table; characters up to which a number stands there as it is
WIDE = 12  # columns of a matrix
MANY = 500  # rows of a table
NAMES = {
    "delta": "delta(eps)",
    "rmse": "root mean square error",
    "simultaneous": "mean largest error",
    "expected_messages": "messages per user",
    "bits_per_message": "bits per message",
    "bits": "bits per user",
    "failure_probability": "failure probability",
    "fails_at": "fails at",
    "stands_for": "pairs that these stand for",
    "pairs": "pairs evaluated",
    "by": "how",
    "times": "repetitions",
    "error_of": "error of",
    "parameters": "parameters",
    "rho": "rho of zero-concentrated privacy",
    "most_rmse": "root mean square error at most",
    "most_messages": "messages at most",
}


def sections(tree: Tree) -> list[Section]:
    """What has a single value first, then a section for every part."""
    tree = as_given(tree)
    parts = {key: value for key, value in tree.items() if isinstance(value, dict | list) and value and not ends(value)}
    plain = facts({key: value for key, value in tree.items() if key not in parts})
    sections = [Section("The answer", [Facts(plain)])] if plain else []
    for key, value in parts.items():
        heading = NAMES.get(key, key.replace("_", " ")).capitalize()
        sections.append(Section(heading, _part(heading, value)))
    return sections


def _part(heading: str, value: Any) -> list[Block]:
    if isinstance(value, dict):
        return [Facts(facts(value))]
    if all(isinstance(row, dict) for row in value):
        return [table(heading, value)]
    return [Items([shown(item) for item in value[:MANY]])]


def as_given(tree: Tree) -> Tree:
    """An answer whose parameters are those that were given: a local eps, and what it set as rounded to more noise."""
    given, made = tree.get("given"), tree.get("parameters")
    if isinstance(given, dict) and isinstance(made, dict):
        merged: Any = _merged(given, made)
    elif isinstance(given, list) and isinstance(made, list) and len(given) == len(made):
        merged = [
            _merged(*both) if all(isinstance(x, dict) for x in both) else both[1]
            for both in zip(given, made, strict=True)
        ]
    else:
        return tree
    return {key: merged if key == "parameters" else value for key, value in tree.items() if key != "given"}


def _merged(given: Tree, made: Tree) -> Tree:
    return {**given, **{f"{key}, which keeps it": value for key, value in made.items() if key not in given}}


def facts(tree: Tree) -> list[tuple[str, str]]:
    """Names and values, on one line each."""
    return [(NAMES.get(key, key.replace("_", " ")), shown(value)) for key, value in tree.items()]


def table(caption: str, rows: Sequence[Tree]) -> Table:
    """Rows of an answer as a table, cut where they are many."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    more = f" The first {MANY} of {len(rows)} rows." if len(rows) > MANY else ""
    header = [NAMES.get(key, key.replace("_", " ")) for key in keys]
    return Table(caption + more, header, [[shown(row.get(key)) for key in keys] for row in rows[:MANY]])


def shown(value: Any, leaf: Callable[[str], str] = lambda text: text if whole(text) else shorten(text, 200)) -> str:
    """Any part of an answer, on one line: enclosures as intervals, objects as names and values."""
    if value is None or value == {} or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if ends(value):
        exact = value.get("exact")
        if isinstance(exact, dict) and exact.keys() == {"A", "B"}:
            exact = f"{_kept(str(exact['A']))} - {_kept(str(exact['B']))} e^eps"
        text = interval(value["lower"], value["upper"], FEW if leaf is _few else SHOWN)
        text += f", exactly {_kept(exact)}" if isinstance(exact, str) and leaf is not _few else ""
        more = {key: item for key, item in value.items() if key not in ("lower", "upper", "exact") and item is not None}
        return f"{text} ({shown(more, leaf)})" if more else text
    if isinstance(value, dict) and {"from", "to"} <= value.keys():
        pair = f"one user on {shown(value['from'])} against {shown(value['to'])}"
        others = value.get("others", {})
        rest = held(others) if isinstance(others, dict) else "any"
        return f"{pair}, the others: {rest}" if rest else pair
    if isinstance(value, dict):
        named = ((NAMES.get(key, key.replace("_", " ")), shown(item, leaf)) for key, item in value.items())
        return ", ".join(f"{name} = {item}" for name, item in named)
    if isinstance(value, list):
        return "; ".join(shown(item, leaf) for item in value)
    return leaf(str(value))


def _kept(exact: str) -> str:
    """An exact value, a fraction or its logarithm: whole where `with_decimals` shows a part of it, and folds it."""
    return exact if whole(exact.removeprefix("log(").removesuffix(")")) else shorten(exact, 120)


def whole(text: str) -> bool:
    """Whether a text is a fraction, of which `with_decimals` shows a part, and carries all."""
    return len(text) <= 4000 and text.replace("/", "", 1).isdigit() and "/" in text


def brief(value: Any) -> str:
    """Any part of an answer, on one line of a table: few digits."""
    return shown(value, _few)


def _few(text: str) -> str:
    if len(text) <= BRIEF or number_of(text) is None:
        return shorten(text, 80)
    return first_digits(text, FEW)


def number_of(value: Any) -> Fraction | None:
    """The number that a text is; None for what is none. Named for the eye only."""
    try:
        return rational(value) if isinstance(value, str) else None
    except BadInput:
        return None


def scalar(value: Any) -> bool:
    """Whether a value is one text or number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def ends(value: Any) -> TypeGuard[Tree]:
    """Whether a value lies between two ends."""
    return isinstance(value, dict) and all(isinstance(value.get(end), str) for end in ("lower", "upper"))


def rows(name: str, tree: Tree, key: str) -> list[Tree]:
    """The rows under a key. Raises BadInput where it holds no list of objects."""
    rows = tree.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{name}: {key}: expected a list of objects")
    return rows
