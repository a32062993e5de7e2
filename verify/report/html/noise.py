"""The report on a comparison and on a calibration: the systems side by side, delta as a parameter moves."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import plain
from shufflecert.verify.report.calibration_plot import calibration_figure
from shufflecert.verify.report.html import parts
from shufflecert.verify.report.html.page import (
    SHOWN,
    Block,
    Facts,
    Items,
    Picture,
    Section,
    Table,
    bars,
    interval,
    picture,
)
from shufflecert.verify.report.html.parts import Tree
from shufflecert.verify.report.words import beside, first_digits

COSTS = ("rmse", "simultaneous", "expected_messages", "bits_per_message", "bits")


def comparison(name: str, tree: Tree) -> tuple[str, list[Section]]:
    """The headline and the sections of the report on a comparison."""
    rows = parts.rows(name, tree, "rows")
    of = "sum of all inputs" if tree["task"] == "sum" else parts.shown(tree["task"])
    where = f", {parts.shown(tree['buckets'])} buckets" if tree.get("buckets") is not None else ""
    asked = ", ".join(f"{key} = {plain(str(tree[key]))}" for key in ("n", "eps", "delta") if key in tree)
    costs = [cost for cost in COSTS if any(row.get(cost) is not None for row in rows)]
    header = ["System", "Parameters", parts.NAMES["delta"], *(parts.NAMES[cost].capitalize() for cost in costs)]
    cells = [[_name(row), *(parts.brief(row.get(key)) for key in ("parameters", "delta", *costs))] for row in rows]
    caption = f"Every system with parameters for {asked}. Errors are in users; the mean largest error is the mean, over"
    caption += " the noise, of the largest error in any bucket."
    sections = [Section("The systems", [Table(caption, header, cells)])]
    drawn = [
        *_bars(rows, "rmse", "Root mean square error in users, upper bounds: shorter is more accurate."),
        *_bars(rows, "expected_messages", "Messages that a user sends on average, upper bounds: shorter is cheaper."),
        *_bars(rows, "bits", "Bits that a user sends on average, upper bounds: shorter is cheaper."),
    ]
    if drawn:
        sections.append(Section("Side by side", drawn))
    papers = [(_name(row), row["paper"]) for row in rows if isinstance(row.get("paper"), dict)]
    if papers:
        costs = [cost for cost in COSTS if any(paper.get(cost) is not None for _, paper in papers)]
        head = [
            "System",
            "The paper's parameters",
            *(parts.NAMES[cost].capitalize() for cost in costs),
            "Times those above",
        ]
        listed = [
            [name, *(parts.brief(paper.get(key)) for key in ("parameters", *costs, "ratio"))] for name, paper in papers
        ]
        caption = "With the parameters that each system's paper prescribes for the same (eps, delta)."
        sections.append(Section("What the papers prescribe", [Table(caption, head, listed)]))
    notes = [f"{_name(row)}: {parts.shown(row['note'])}" for row in rows if row.get("note")]
    headline = f"{len(rows)} systems for one task: {of}{where}; {asked}.{_best(rows)}"
    return headline, sections + [Section("Notes", [Items(notes)])] * bool(notes)


def _best(rows: Sequence[Tree]) -> str:
    """Which system has the least error, and which were not finished."""
    known = [(found, row) for row in rows if (found := _upper(row.get("rmse"))) is not None and not row.get("central")]
    if not known:
        return ""
    row = min(known, key=lambda pair: pair[0])[1]
    unknown = [_name(one) for one in rows if one.get("finished") is False]
    unless = f", unless {' or '.join(unknown)}, not finished, has less" if unknown else ""
    return f" Least error: {_name(row)}, {first_digits(str(row['rmse']['upper']), parts.FEW)} users{unless}."


def _upper(value: Any) -> Fraction | None:
    return parts.number_of(value["upper"]) if parts.ends(value) else None


def _name(row: Tree) -> str:
    return parts.shown(row.get("system")) + " (central model)" * (row.get("central") is True)


def _bars(rows: Sequence[Tree], key: str, caption: str) -> tuple[Picture, ...]:
    drawn: list[tuple[str, Fraction | None]] = []
    for row in rows:
        paper = row["paper"].get(key) if isinstance(row.get("paper"), dict) else None
        for label, value in ((_name(row), row.get(key)), (f"{_name(row)}, the paper's", paper)):
            found = parts.number_of(value["upper"] if parts.ends(value) else value)
            drawn += [] if found is None else [(label, found)]
        if row.get("finished") is False:
            drawn.append((f"{_name(row)}: not finished", None))
    return bars(drawn, parts.NAMES[key], caption)


def calibration(name: str, tree: Tree) -> tuple[str, list[Section]]:
    """The headline and the sections of the report on a calibration."""
    parameter, target = parts.shown(tree["parameter"]), tree.get("target")
    promise = "the promise"
    if isinstance(target, dict):
        promise = f"(eps, delta) = ({plain(str(target.get('eps')))}, {plain(str(target.get('delta')))})"
    kept = f"{parameter} = {first_digits(str(tree.get('value')), SHOWN)}"
    fails = tree["fails"].get("delta") if isinstance(tree.get("fails"), dict) else None
    facts = [
        (parameter, parts.shown(tree.get("value"))),
        (f"{parameter}, in decimals", parts.shown(tree.get("decimal"))),
        (f"{parts.NAMES['delta']} there", _full(tree.get("delta"))),
        (
            f"{parameter} that fails",
            "none: the least noise satisfies it" if fails is None else parts.shown(tree["fails_at"]),
        ),
    ]
    facts += [] if fails is None else [(f"{parts.NAMES['delta']} there", _full(fails))]
    rest = {
        key: value for key, value in tree.items() if key not in ("parameter", "value", "decimal", "fails_at", "delta")
    }
    value = tree.get("delta")
    there = ""
    if parts.ends(value):
        there = f" delta is {interval(value['lower'], value['upper'], 6)} there{beside(dict(tree))}."
    headline = f"{parts.shown(tree.get('system'))}: {kept} keeps {promise}.{there}"
    points = None
    if isinstance(rest.get("search"), dict):
        points = rest["search"].get("points")
        rest["search"] = {key: item for key, item in rest["search"].items() if key != "points"}
    blocks: list[Block] = [Facts(facts), *(_moving(tree, points) if points else ())]
    return headline, [Section("The least noise", blocks), *parts.sections(rest)]


def _moving(tree: Tree, points: list[Tree]) -> tuple[Picture, ...]:
    """delta as the parameter moves."""
    parameter = parts.shown(tree["parameter"])
    caption = (
        f"delta at the values of {parameter} that were evaluated, log scale: upper bounds point down, lower bounds up,"
    )
    caption += " where they differ, and each was computed where it is drawn. The kept value is marked, and the"
    caption += " failing one where it can be told apart; the dashed line is the delta that is claimed."
    kept = parts.shown(tree.get("decimal"))
    alt = f"delta over {parameter}: {len(points)} values; {parameter} = {kept} keeps the promise."
    try:
        return picture(lambda: calibration_figure({**tree, "search": {"points": points}}), alt, caption)
    except (BadInput, KeyError, TypeError, ValueError):
        return ()


def _full(value: Any) -> str:
    """A value with so many digits that the two ends of a fine grid differ."""
    return interval(value["lower"], value["upper"], 24) if parts.ends(value) else parts.shown(value)
