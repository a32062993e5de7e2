"""Curves: the privacy profile, the trade-off curve of f-DP, Renyi privacy; as a table, JSON, CSV, a picture."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from verify.commands import options
from verify.commands.options import (
    OK,
    Adjacency,
    Force,
    Honest,
    Json,
    MaxWork,
    Paper,
    Parameters,
    Reference,
    TakePart,
    Tolerance,
    Users,
    ViewOption,
)
from verify.decide import answer_json
from verify.decide.privacy_profile import eps_grid, number_grid, profile_curve
from verify.decide.renyi import renyi_curve
from verify.decide.trade_off import trade_off
from verify.enclose.interval import Interval
from verify.errors import BadInput
from verify.exact.epsilon import Delta, Eps
from verify.exact.neighbours import Scope
from verify.exact.rational import decimals, probability, shorten, text
from verify.report import plots, words
from verify.runs import atomic_files
from verify.systems.load import Target, load_each
from verify.systems.population import populated

SHOWN = 6  # digits in a table
Tree = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of curve: its key in JSON, the name of its x there, and words for axes and the table's head."""

    key: str
    x: str
    x_label: str
    y_label: str
    what: str
    log: bool = False


PROFILE = Kind("curves", "eps", "eps (nats)", "delta", "delta, the largest over all neighbouring datasets", True)
TRADE_OFF = Kind(
    "trade_off",
    "alpha",
    "type I error alpha",
    "type II error",
    "trade-off curve f of f-DP, type II error at type I error alpha",
)
RENYI = Kind(
    "renyi",
    "order",
    "order",
    "Renyi divergence (nats)",
    "Renyi divergence in nats, the largest over all neighbouring datasets",
)


def profile(
    system: options.Systems,
    param: Parameters = None,
    n: Users = None,
    eps: Annotated[
        str, typer.Option("--eps", metavar="GRID", help="LOW:HIGH:COUNT, both ends included, or 1/2,1,log(3).")
    ] = "0:4:81",
    view: ViewOption = "shuffled",
    tests: Annotated[bool, typer.Option("--trade-off", help="The trade-off curve f(alpha) of f-DP instead.")] = False,
    alpha: Annotated[
        str | None,
        typer.Option("--alpha", metavar="GRID", help="With --trade-off: type I errors; 0:1:41 unless given."),
    ] = None,
    renyi: Annotated[
        str | None, typer.Option("--renyi", metavar="GRID", help="Renyi divergences of these orders instead: 2:32:31.")
    ] = None,
    paper: Paper = False,
    promise: Annotated[
        str | None, typer.Option("--for", metavar="EPS:DELTA", help="With --paper: what to prescribe for.")
    ] = None,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the points here.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the bands here: .png, .svg or .pdf.")
    ] = None,
    force: Force = False,
    adjacency: Adjacency = "replace",
    reference: Reference = None,
    honest: Honest = None,
    take_part: TakePart = None,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """delta as a function of eps, over all neighbouring datasets and both directions, certified at each eps of a grid.

    With --trade-off what a test of neighbours can do, with --renyi Renyi and zero-concentrated privacy.
    """
    if tests and renyi is not None:
        raise BadInput("--trade-off, --renyi: expected one of them at a time")
    if alpha is not None and not tests:
        raise BadInput("--alpha: there is no --trade-off: expected both")
    kind = TRADE_OFF if tests else RENYI if renyi is not None else PROFILE
    grid = eps_grid(eps, "--eps")
    alphas, orders = (
        number_grid(default if given is None else given, option)
        for given, default, option in ((alpha, "0:1:41", "--alpha"), (renyi, "2", "--renyi"))
    )
    _check_files(table, plot, force)
    users, limit, width = options.users(n, view), options.work(max_work), options.tolerance(tolerance)
    systems = load_each(system, param or (), _target(paper, promise, users))
    who = options.presence(adjacency, reference, honest, take_part)
    curves: list[Tree] = []
    for name, made in systems:
        more: Tree = {"parameters": options.values(made)}
        points: Sequence[tuple[Any, Delta | Interval | None]]
        asked = populated(made, who)
        if kind is RENYI:
            divergences = renyi_curve(asked, users, orders, view, max_work=limit, progress=options.track)
            points, scope, more = divergences.points, divergences.scope, more | {"rho": _ends(divergences.rho)}
        elif kind is TRADE_OFF:
            errors = trade_off(
                asked, users, alphas, grid, view, max_work=limit, tolerance=width, progress=options.track
            )
            points, scope = errors.points, errors.scope
        else:
            deltas = profile_curve(asked, users, grid, view, max_work=limit, tolerance=width, progress=options.track)
            points, scope = deltas.points, deltas.scope
        curves.append(_curve(name, kind, points, scope, more))
    about = options.about(system, [made for _, made in systems], users)
    answer: Tree = {name: value for name, value in about.items() if name != "parameters"} | {kind.key: curves}
    if table is not None:
        atomic_files.write_whole(table, _csv(kind, curves))
    if plot is not None:
        title = f"{view} view" + (f", n = {users}" if view == "shuffled" else "")
        bands = [_band(kind, curve) for curve in curves]
        plots.save(plots.bands_figure(bands, kind.x_label, kind.y_label, title, kind.log), plot, force)
    words.show(answer, lambda tree: _words(kind, tree[kind.key], [f for f in (table, plot) if f], paper), json)
    return OK


def _check_files(table: Path | None, plot: Path | None, force: bool) -> None:
    """Raises BadInput, before any work, where a file could not be written."""
    if table is not None:
        atomic_files.check_new(table, force)
    if plot is not None:
        plots.check_plot(plot, force)
    if table is not None and plot is not None and table.resolve() == plot.resolve():
        raise BadInput(f"{table}: --csv and --plot are one file: expected two")


def _target(paper: bool, promise: str | None, users: int) -> Target | None:
    if paper != (promise is not None):
        raise BadInput("--paper, --for EPS:DELTA: expected both, or neither")
    if promise is None:
        return None
    eps, colon, delta = promise.partition(":")
    if not colon:
        raise BadInput(f"--for: {shorten(promise)!r}: expected EPS:DELTA such as 1:1e-6")
    return Target(users, Eps.of(eps, "--for, eps"), probability(delta, "--for, delta"))


def _curve(
    name: str, kind: Kind, points: Sequence[tuple[Any, Delta | Interval | None]], scope: Scope, more: Tree
) -> Tree:
    rows = [{kind.x: text(x) if isinstance(x, Fraction) else str(x), **_ends(value)} for x, value in points]
    return {"system": name, **more, "scope": answer_json.scope_tree(scope), "points": rows}


def _ends(value: Delta | Interval | None) -> Tree:
    """Outward decimals; None is infinite."""
    lower, upper = ("inf", "inf") if value is None else value.enclosure()
    return {"lower": lower, "upper": upper}


def _csv(kind: Kind, curves: Sequence[Tree]) -> str:
    written = StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["system", kind.x, "lower", "upper"])
    for curve in curves:
        rows.writerows([curve["system"], _plain(p[kind.x]), p["lower"], p["upper"]] for p in curve["points"])
    return written.getvalue()


def _plain(x: str) -> str:
    """A decimal where it is exact, as spreadsheets want it; else the text: 1/3, log(3)."""
    if x.startswith("log"):
        return x
    lower, upper = decimals(Fraction(x), Fraction(x))
    return lower if lower == upper else x


def _band(kind: Kind, curve: Tree) -> plots.Band:
    """A curve for a picture, where doubles are exact enough: no verdict comes from it."""
    x = [float(Eps.of(p["eps"]).enclosure()[0] if kind is PROFILE else Fraction(p[kind.x])) for p in curve["points"]]
    lower, upper = ([float(p[end]) for p in curve["points"]] for end in ("lower", "upper"))
    infinite = " (infinite)" if "inf" in (p["lower"] for p in curve["points"]) else ""
    return plots.Band(curve["system"] + infinite, x, lower, upper)


def _words(kind: Kind, curves: Sequence[Tree], written: Sequence[Path], paper: bool) -> str:
    """A table of all systems, then what was looked at for each."""
    columns = [[kind.x, *(shorten(_plain(p[kind.x]), 24) for p in curves[0]["points"])]]
    columns += [[curve["system"], *(_interval(p) for p in curve["points"])] for curve in curves]
    scope = curves[0]["scope"]
    lines = [f"{kind.what}: {scope['view']} view, n = {scope['n']}"]
    if scope["adjacency"] != "replace" or "honest" in scope or "take_part" in scope:
        lines.append(f"  neighbours: {words.adjacency_text(scope)}")
    first = 1
    while first < len(columns):  # as many systems beside each other as the terminal takes
        beside, shown = words.aligned(list(zip(columns[0], *columns[first:], strict=True)), words.width() - 2)
        lines += ["  " + line for line in beside]
        first += shown - 1
    for curve in curves:
        lines += [f"{curve['system']}:", *_scope_words(curve["scope"])]
        if "rho" in curve:
            lines.append(f"  zero-concentrated privacy: rho = {_interval(curve['rho'])}")
        if paper:
            values = ", ".join(f"{name} = {value}" for name, value in curve["parameters"].items())
            lines.append(f"  parameters (the paper's, 64 bits): {values}")
    return "\n".join([*lines, *(f"written: {path}" for path in written)])


def _interval(value: Tree) -> str:
    if value["lower"] == "inf":
        return "infinite"
    lower, upper = decimals(Fraction(value["lower"]), Fraction(value["upper"]), SHOWN)
    return lower if lower == upper else f"[{lower}, {upper}]"


def _scope_words(scope: Tree) -> list[str]:
    stands_for = "countless" if scope["stands_for"] is None else shorten(str(scope["stands_for"]))
    lines = [f"  {scope['pairs']} of {stands_for} pairs evaluated: {scope['by']}"]
    if scope["two_sided"]:
        lines.append("  lower ends: attained by real datasets; upper ends: pairs that dominate all datasets")
    if worst := scope["worst"]:
        held = ", ".join(f"{count} on {x}" for x, count in (worst["others"] or {}).items())
        others = "any" if worst["others"] is None else held
        pair = f"  worst: {words.pair_text(scope)}"
        lines.append(f"{pair}, the others: {others}" if others else pair)
    return lines
