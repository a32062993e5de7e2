"""The answer of profile: privacy profiles, trade-off curves, Renyi divergences, certified at each point of a grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shufflecert.verify.answers.answer import Answer, columns, stated
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide import answer_json
from shufflecert.verify.decide.privacy_profile import eps_grid, number_grid
from shufflecert.verify.decide.renyi import renyi_curve
from shufflecert.verify.decide.trade_off import trade_off
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import MOST_USERS, decimal_text, natural, shorten, text
from shufflecert.verify.report import plots, words
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.curves import ProfileAnswer
from shufflecert.verify.shapes.numbers import INFINITE, ends, interval
from shufflecert.verify.systems.catalogue import name_of, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 6  # digits in a table
SIDES = "lower bounds: attained by real datasets; upper bounds: pairs that dominate all datasets"


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


KINDS = {kind.key: kind for kind in (PROFILE, TRADE_OFF, RENYI)}


@dataclass(frozen=True, repr=False)
class Profile(Answer):
    """The answer of `profile`: one curve for each system; `stopped` where Ctrl-C ended the closing in on one.

    `certified` are lines about the certificates that were written.
    """

    stopped: bool = False
    certified: tuple[str, ...] = ()

    shape = ProfileAnswer

    @property
    def kind(self) -> Kind:
        """What kind of curve it is."""
        return next(kind for key, kind in KINDS.items() if key in self.tree)

    @property
    def curves(self) -> list[Tree]:
        """The curves, one for each system."""
        found: list[Tree] = self.tree[self.kind.key]
        return found

    def words(self, written: Sequence[Path] = (), paper: bool = False) -> str:
        """A table of all systems, then what was looked at for each."""
        return profile_text(self.kind, self.curves, written, paper)

    def rows(self) -> list[Tree]:
        """A row for each point of each system."""
        x = self.kind.x
        return [
            {"system": curve["system"], x: float(_number(self.kind, p[x])), **_float_ends(p)}
            for curve in self.curves
            for p in curve["points"]
        ]

    def csv(self) -> str:
        """The points as CSV, every end with all its digits."""
        return csv_text(self.kind, self.curves)

    def plot(self) -> "Figure":
        """The bands of all systems in one picture."""
        scope, kind = self.curves[0]["scope"], self.kind
        title = f"{scope['view']} view" + (f", n = {scope['n']}" if scope["view"] == "shuffled" else "")
        bands = [_band(kind, curve) for curve in self.curves]
        return plots.bands_figure(bands, kind.x_label, kind.y_label, title, kind.log)


def profile(
    systems: Randomizer | System | Mapping[str, Any] | Sequence[tuple[str, Any]],
    n: object = 1,
    eps: str | Sequence[Eps] = "0:4:81",
    view: str = "shuffled",
    *,
    kind: str = "curves",
    alpha: str = "0:1:41",
    orders: str = "2",
    head: Tree | None = None,
    given: Mapping[str, dict[str, str]] | None = None,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
) -> Profile:
    """delta as a function of eps, over all neighbouring datasets and both directions, certified at each eps of a grid.

    One system, {name: system}, or pairs of both. `kind` is "curves", "trade_off" (at the type I errors `alpha`) or
    "renyi" (of these `orders`); a grid is "LOW:HIGH:COUNT", or a list with commas. Raises as `delta` does.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> profile(rr, n=2, eps="0,log(3)").curves[0]["points"]
        [{'eps': '0', 'lower': '0.375', 'upper': '0.375'}, {'eps': 'log(3)', 'lower': '0', 'upper': '0'}]
    """
    if isinstance(systems, Mapping):
        systems = list(systems.items())
    named = list(systems) if isinstance(systems, Sequence) else [(name_of(systems), systems)]
    grid = eps_grid(eps, "eps") if isinstance(eps, str) else list(eps)
    curves, stopped = [], False
    for name, system in named:
        more: Tree = {"parameters": (given or {}).get(name, values(system))} | stated(system)
        points: Sequence[tuple[Any, Delta | Interval | None]]
        bound = bound_of(Question.of(system, n, view), effort)
        if kind == RENYI.key:
            divergences = renyi_curve(bound, number_grid(orders, "orders"))
            points, scope, more = divergences.points, divergences.scope, more | {"rho": _ends(divergences.rho)}
        elif kind == TRADE_OFF.key:
            errors = trade_off(bound, number_grid(alpha, "alpha"), grid)
            points, scope = errors.points, errors.scope
        else:
            deltas = bound.curve(grid)
            points, scope = deltas.points, deltas.scope
        more |= answer_json.messages_json(system, scope.n, view, None)
        curves.append(_curve(name, KINDS[kind], points, scope, more))
        stopped = stopped or scope.stopped
    head = head or {"system": ",".join(name for name, _ in named), "n": natural(n, "n", most=MOST_USERS)}
    return Profile(head | {kind: curves}, stopped=stopped)


def _curve(
    name: str, kind: Kind, points: Sequence[tuple[Any, Delta | Interval | None]], scope: Scope, more: Tree
) -> Tree:
    rows = [{kind.x: text(x) if isinstance(x, Fraction) else str(x), **_ends(value)} for x, value in points]
    return {"system": name, **more, "scope": answer_json.scope_tree(scope), "points": rows}


def _ends(value: Delta | Interval | None) -> Tree:
    return {"lower": INFINITE, "upper": INFINITE} if value is None else ends(value)


def _plain(x: str) -> str:
    """A decimal where it is exact, as spreadsheets want it; else the text: 1/3, log(3)."""
    return x if x.startswith("log") else decimal_text(Fraction(x))


def _band(kind: Kind, curve: Tree) -> plots.Band:
    """A curve for a picture, where doubles are exact enough: no verdict comes from it."""
    x = [float(Eps.of(p["eps"]).enclosure()[0] if kind is PROFILE else Fraction(p[kind.x])) for p in curve["points"]]
    lower, upper = ([float(p[end]) for p in curve["points"]] for end in ("lower", "upper"))
    infinite = " (infinite)" if "inf" in (p["lower"] for p in curve["points"]) else ""
    return plots.Band(curve["system"] + infinite, x, lower, upper)


def _interval(value: Tree) -> str:
    return "infinite" if value["lower"] == INFINITE else interval(value, SHOWN)


def csv_text(kind: Kind, curves: Sequence[Tree]) -> str:
    """The points of all curves as CSV."""
    points = [(curve["system"], _plain(p[kind.x]), p["lower"], p["upper"]) for curve in curves for p in curve["points"]]
    return words.csv_text([("system", kind.x, "lower", "upper"), *points])


def profile_text(kind: Kind, curves: Sequence[Tree], written: Sequence[Path] = (), paper: bool = False) -> str:
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
        lines += [f"{curve['system']}:", *words.pairs_text(curve["scope"], SIDES), *words.messages_text(curve)]
        if "rho" in curve:
            lines.append(f"  zero-concentrated privacy: rho = {_interval(curve['rho'])}")
        if paper:
            values = ", ".join(f"{name} = {value}" for name, value in curve["parameters"].items())
            lines.append(f"  parameters (the paper's, 64 bits): {values}")
    return "\n".join([*lines, *(f"written: {path}" for path in written)])


def _number(kind: Kind, x: str) -> Fraction:
    return Fraction(Eps.of(x).enclosure()[0]) if kind is PROFILE else Fraction(x)


def _float_ends(point: Tree) -> Tree:
    found = columns({"y": point}, ["y"])
    return {"lower": found["y_lower"], "upper": found["y_upper"]}
