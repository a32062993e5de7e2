"""The report on an answer that a command gave as JSON: a comparison, a calibration, profiles, or any other.

An answer is no certificate: the report shows what the file says, and says that nobody checked it.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, TypeGuard

from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.rational import rational, shorten
from verify.report.html.audit import audit_sections
from verify.report.html.page import (
    HUGE,
    SHOWN,
    Block,
    Code,
    Details,
    Facts,
    Items,
    Line,
    Page,
    Picture,
    Section,
    Table,
    Text,
    Verdict,
    bars,
    curves,
    embedded,
    interval,
    without_plots,
)
from verify.report.words import first_digits

Tree = Mapping[str, Any]
FEW, BRIEF = 5, 14  # digits in a table; characters up to which a number stands there as it is
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
CURVES = {  # the kind of answer, the key of x, the vertical axis, what the curve is of
    "curves": ("profile", "eps", "delta", "delta as a function of eps of"),
    "trade_off": ("trade-off curve", "alpha", "type II error", "The trade-off curve of f-DP of"),
    "renyi": ("Renyi privacy", "order", "Renyi divergence", "Renyi divergences, in nats, of"),
}
COSTS = ("rmse", "simultaneous", "expected_messages", "bits_per_message", "bits")
KNOWN = ("delta", "epsilon", "rmse", "verdict", "times", "local", "conjecture")  # one of them is in every other answer
LISTS = ("status", "verdict", "what")  # one of them is in every row of an answer that is a list


def page(name: str, data: bytes, tree: Any, made: str) -> tuple[str, Page]:
    """The report on an answer, after what kind it is. Raises BadInput where it is none, or not of its shape."""
    try:
        kind, headline, sections = _read(name, tree)
    except RecursionError:
        raise BadInput(f"{name}: nested too deeply: expected a JSON answer") from None
    lines = (
        "This is what a file says. It is no certificate: nothing in it was checked for this report, and a report on a"
        " certificate (shufflecert certify ... -o FILE, then shufflecert report FILE) is what can be re-checked.",
        "Numbers in brackets are enclosures: the value lies between the two ends, which are rounded outwards.",
    )
    verdict = Verdict("plain", kind.capitalize(), headline, lines)
    foot = f"Made by {made}. {without_plots()}".strip()
    return kind, Page(
        f"Report on {name}", f"An answer of shufflecert: {kind}", verdict, [*sections, _file(name, data)], foot
    )


def _read(name: str, tree: Any) -> tuple[str, str, list[Section]]:
    if isinstance(tree, dict) and "task" in tree and "rows" in tree:
        return "comparison", *_comparison(name, tree)
    if isinstance(tree, dict) and ("gallery" in tree or ("audit" in tree and "shuffled" in tree)):
        return "audit", *audit_sections(name, tree)
    for key, (kind, *_) in CURVES.items():
        if isinstance(tree, dict) and key in tree:
            return kind, *_curves(name, tree, key)
    if isinstance(tree, dict) and "parameter" in tree and "fails_at" in tree:
        return "calibration", *_calibration(name, tree)
    if isinstance(tree, dict) and any(key in tree for key in KNOWN):
        return "answer", _subject(tree), _sections(tree)
    if isinstance(tree, list) and tree and all(isinstance(row, dict) and any(k in row for k in LISTS) for row in tree):
        return "list", f"{len(tree)} rows.", [Section("The answer", [_table("What the answer lists.", tree)])]
    raise BadInput(f"{name}: neither a certificate nor an answer: expected what `certify -o` or a --json answer wrote")


def _subject(tree: Tree) -> str:
    said = [
        f"{key} = {shown(tree[key])}" for key in ("system", "n", "eps", "delta", "verdict") if _scalar(tree.get(key))
    ]
    return ", ".join(said) or "See below."


def _file(name: str, data: bytes) -> Section:
    text = Details("Its text", [Code(data.decode("utf-8", "replace")[:20_000], "The answer's text")], printed=False)
    return Section("The answer's file", [embedded(name, data), Facts([("SHA-256", sha256(data).hexdigest())]), text])


# Comparison ----------------------------------------------------------------------------------------------------------


def _comparison(name: str, tree: Tree) -> tuple[str, list[Section]]:
    rows = _rows(name, tree, "rows")
    of = "sum of all inputs" if tree["task"] == "sum" else shown(tree["task"])
    where = f", {shown(tree['buckets'])} buckets" if tree.get("buckets") is not None else ""
    asked = ", ".join(f"{key} = {shown(tree[key])}" for key in ("n", "eps", "delta") if key in tree)
    costs = [cost for cost in COSTS if any(row.get(cost) is not None for row in rows)]
    header = ["System", "Parameters", NAMES["delta"], *(NAMES[cost].capitalize() for cost in costs)]
    cells = [[_name(row), *(brief(row.get(key)) for key in ("parameters", "delta", *costs))] for row in rows]
    caption = f"Every system with parameters for {asked}. Errors are in users; the mean largest error is the mean, over"
    caption += " the noise, of the largest error in any bucket."
    sections = [Section("The systems", [Table(caption, header, cells)])]
    drawn = [
        *_bars(rows, "rmse", "Root mean square error in users, upper ends: shorter is more accurate."),
        *_bars(rows, "expected_messages", "Messages that a user sends on average, upper ends: shorter is cheaper."),
        *_bars(rows, "bits", "Bits that a user sends on average, upper ends: shorter is cheaper."),
    ]
    if drawn:
        sections.append(Section("Side by side", drawn))
    papers = [(_name(row), row["paper"]) for row in rows if isinstance(row.get("paper"), dict)]
    if papers:
        costs = [cost for cost in COSTS if any(paper.get(cost) is not None for _, paper in papers)]
        head = ["System", "The paper's parameters", *(NAMES[cost].capitalize() for cost in costs), "Times those above"]
        listed = [[name, *(brief(paper.get(key)) for key in ("parameters", *costs, "ratio"))] for name, paper in papers]
        caption = "With the parameters that each system's paper prescribes for the same promise."
        sections.append(Section("What the papers prescribe", [Table(caption, head, listed)]))
    notes = [f"{_name(row)}: {shown(row['note'])}" for row in rows if row.get("note")]
    headline = f"{len(rows)} systems for one task: {of}{where}; {asked}."
    return headline, sections + [Section("Notes", [Items(notes)])] * bool(notes)


def _name(row: Tree) -> str:
    return shown(row.get("system")) + " (central model)" * (row.get("central") is True)


def _bars(rows: Sequence[Tree], key: str, caption: str) -> tuple[Picture, ...]:
    drawn = []
    for row in rows:
        paper = row["paper"].get(key) if isinstance(row.get("paper"), dict) else None
        for label, value in ((_name(row), row.get(key)), (f"{_name(row)}, the paper's", paper)):
            found = _rational(value["upper"] if _ends(value) else value)
            drawn += [] if found is None else [(label, found)]
    return bars(drawn, NAMES[key], caption)


# Profile and calibration ---------------------------------------------------------------------------------------------


def _curves(name: str, tree: Tree, key: str) -> tuple[str, list[Section]]:
    found: list[Line] = []
    sections = []
    x_name, y_label, what = CURVES[key][1:]
    for i, curve in enumerate(_rows(name, tree, key)):
        where = f"{name}: {key}[{i}]"
        label, points = shown(curve.get("system", f"curve {i + 1}")), _rows(where, curve, "points")
        x, lower, upper = (_column(f"{where}.points", points, part) for part in (x_name, "lower", "upper"))
        found.append((f"{label} (in part infinite)" if HUGE in upper else label, x, lower, upper))
        rows = [[shown(point[x_name]), interval(point["lower"], point["upper"])] for point in points[:MANY]]
        cut = f" (the first {MANY} of them)" * (len(points) > MANY)
        listed = Table(f"{what} {label}.", (x_name, y_label), rows)
        facts = [(NAMES[part], shown(curve[part])) for part in ("parameters", "rho") if curve.get(part)]
        facts += _facts(curve["scope"]) if isinstance(curve.get("scope"), dict) else []
        folded = Details(f"{len(points)} points{cut}", [listed], printed=False)
        sections.append(Section(label, [*([Facts(facts)] if facts else []), folded]))
    log = key == "curves"
    caption = f"{what} every system{', log scale' * log}. At every point it lies between the two ends listed below;"
    caption += " between points the lines are for the eye."
    alt = f"{y_label} over {x_name}: {'; '.join(label for label, *_ in found)}."
    drawn = curves(found, (x_name, y_label), caption, alt, log) or [Text("There is no picture.")]
    return f"{what} {len(found)} system{'s' * (len(found) != 1)}.", [Section("The curves", drawn), *sections]


def _column(where: str, points: Sequence[Tree], key: str) -> list[Fraction]:
    """One number of every point, for a picture; an infinite one is larger than any that is drawn."""
    column = []
    for point in points:
        value = point.get(key)
        try:
            column.append(HUGE if value == "inf" else rational(Eps.of(value).enclosure()[0] if key == "eps" else value))
        except BadInput:
            raise BadInput(f"{where}: {key}: {shorten(str(value))}: expected text such as 1/2 or 1e-6") from None
    return column


def _calibration(name: str, tree: Tree) -> tuple[str, list[Section]]:
    parameter, target = shown(tree["parameter"]), tree.get("target")
    promise = "the promise"
    if isinstance(target, dict):
        promise = f"(eps, delta) = ({shown(target.get('eps'))}, {shown(target.get('delta'))})"
    kept = f"{parameter} = {first_digits(str(tree.get('value')), SHOWN)}"
    fails = tree["fails"].get("delta") if isinstance(tree.get("fails"), dict) else None
    facts = [
        (parameter, shown(tree.get("value"))),
        (f"{parameter}, in decimals", shown(tree.get("decimal"))),
        (f"{NAMES['delta']} there", _full(tree.get("delta"))),
        (f"{parameter} that fails", "none: the least noise keeps it" if fails is None else shown(tree["fails_at"])),
    ]
    facts += [] if fails is None else [(f"{NAMES['delta']} there", _full(fails))]
    rest = {
        key: value for key, value in tree.items() if key not in ("parameter", "value", "decimal", "fails_at", "delta")
    }
    headline = f"{shown(tree.get('system'))}: {kept} keeps {promise}."
    return headline, [Section("The least noise", [Facts(facts)]), *_sections(rest)]


def _full(value: Any) -> str:
    """A value with so many digits that the two ends of a fine grid differ."""
    return interval(value["lower"], value["upper"], 24) if _ends(value) else shown(value)


# Any answer ----------------------------------------------------------------------------------------------------------


def _sections(tree: Tree) -> list[Section]:
    """What has a single value first, then a section for every part."""
    parts = {key: value for key, value in tree.items() if isinstance(value, dict | list) and value and not _ends(value)}
    plain = _facts({key: value for key, value in tree.items() if key not in parts})
    sections = [Section("The answer", [Facts(plain)])] if plain else []
    for key, value in parts.items():
        heading = NAMES.get(key, key.replace("_", " ")).capitalize()
        sections.append(Section(heading, _part(heading, value)))
    return sections


def _part(heading: str, value: Any) -> list[Block]:
    if isinstance(value, dict):
        return [Facts(_facts(value))]
    if all(isinstance(row, dict) for row in value):
        return [_table(heading, value)]
    return [Items([shown(item) for item in value[:MANY]])]


def _facts(tree: Tree) -> list[tuple[str, str]]:
    return [(NAMES.get(key, key.replace("_", " ")), shown(value)) for key, value in tree.items()]


def _table(caption: str, rows: Sequence[Tree]) -> Table:
    keys = list(dict.fromkeys(key for row in rows for key in row))
    more = f" The first {MANY} of {len(rows)} rows." if len(rows) > MANY else ""
    header = [NAMES.get(key, key.replace("_", " ")) for key in keys]
    return Table(caption + more, header, [[shown(row.get(key)) for key in keys] for row in rows[:MANY]])


def shown(value: Any, leaf: Callable[[str], str] = lambda text: shorten(text, 200)) -> str:
    """Any part of an answer, on one line: enclosures as intervals, objects as names and values."""
    if value is None or value == {} or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _ends(value):
        exact = value.get("exact")
        if isinstance(exact, dict) and exact.keys() == {"A", "B"}:
            exact = f"{shorten(str(exact['A']))} - {shorten(str(exact['B']))} e^eps"
        text = interval(value["lower"], value["upper"], FEW if leaf is _few else SHOWN)
        text += f", exactly {shorten(exact, 120)}" if isinstance(exact, str) and leaf is not _few else ""
        more = {key: item for key, item in value.items() if key not in ("lower", "upper", "exact") and item is not None}
        return f"{text} ({shown(more, leaf)})" if more else text
    if isinstance(value, dict) and {"from", "to"} <= value.keys():
        pair = f"one user on {shown(value['from'])} against {shown(value['to'])}"
        others = value.get("others", {})
        held = [f"{count} on {x}" for x, count in others.items()] if isinstance(others, dict) else ["any"]
        return f"{pair}, the others: {', '.join(held)}" if held else pair
    if isinstance(value, dict):
        named = ((NAMES.get(key, key.replace("_", " ")), shown(item, leaf)) for key, item in value.items())
        return ", ".join(f"{name} = {item}" for name, item in named)
    if isinstance(value, list):
        return "; ".join(shown(item, leaf) for item in value)
    return leaf(str(value))


def brief(value: Any) -> str:
    """Any part of an answer, on one line of a table: few digits."""
    return shown(value, _few)


def _few(text: str) -> str:
    if len(text) <= BRIEF or _rational(text) is None:
        return shorten(text, 80)
    return first_digits(text, FEW)


def _rational(value: Any) -> Fraction | None:
    try:
        return rational(value) if isinstance(value, str) else None
    except BadInput:
        return None


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _ends(value: Any) -> TypeGuard[Tree]:
    return isinstance(value, dict) and all(isinstance(value.get(end), str) for end in ("lower", "upper"))


def _rows(name: str, tree: Tree, key: str) -> list[Tree]:
    rows = tree.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{name}: {key}: expected a list of objects")
    return rows
