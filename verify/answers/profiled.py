"""The answer of profile: privacy profiles, trade-off curves, Renyi divergences, certified at each point of a grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.answer import (
    Answer,
    CertificateFile,
    Dated,
    Ends,
    NumberOfMessages,
    float_ends,
)
from shufflecert.verify.answers.answer import Scope as ScopeTree
from shufflecert.verify.answers.words import Grid, Lines
from shufflecert.verify.exact.epsilon import INFINITE, Eps, Tree
from shufflecert.verify.exact.rational import decimal_text, plain, shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 6  # digits in a table
FEW = 4  # curves whose ends stand in a headline
SIDES = "lower bounds: attained by real datasets; upper bounds: pairs that dominate all datasets"


@dataclass(frozen=True)
class Kind:
    """A kind of curve: its key in JSON, what a page calls it, the name of its x, and words for axes and tables."""

    key: str
    called: str
    x: str
    x_label: str
    y_label: str
    what: str
    log: bool = False


PROFILE = Kind(
    "curves", "profile", "eps", "eps (nats)", "delta", "delta, the largest over all neighbouring datasets", True
)
TRADE_OFF = Kind(
    "trade_off",
    "trade-off curve",
    "alpha",
    "type I error alpha",
    "type II error",
    "trade-off curve f of f-DP, type II error at type I error alpha",
)
RENYI = Kind(
    "renyi",
    "Renyi privacy",
    "order",
    "order",
    "Renyi divergence (nats)",
    "Renyi divergence in nats, the largest over all neighbouring datasets",
)


KINDS = {kind.key: kind for kind in (PROFILE, TRADE_OFF, RENYI)}


class Point(Ends):
    """A point of a curve: its x is `eps`, `alpha` or `order`."""

    eps: NotRequired[str]
    alpha: NotRequired[str]
    order: NotRequired[str]


class Curve(TypedDict):
    """One system's curve."""

    system: str
    parameters: dict[str, str]
    given: NotRequired[dict[str, str]]
    rho: NotRequired[Ends]
    scope: ScopeTree
    number_of_messages: NotRequired[NumberOfMessages]
    points: list[Point]


class ProfileAnswer(Dated):
    """The answer of `profile`: privacy profiles, or trade-off curves, or Renyi divergences."""

    system: str
    n: int
    files: NotRequired[dict[str, str]]
    curves: NotRequired[list[Curve]]
    trade_off: NotRequired[list[Curve]]
    renyi: NotRequired[list[Curve]]
    certificate: NotRequired[CertificateFile]


@dataclass(frozen=True, repr=False)
class Profile(Answer):
    """The answer of `profile`: one curve for each system; `paper` where a paper's parameters are shown with it."""

    paper: bool = False

    shape, keys = ProfileAnswer, ("curves", "trade_off", "renyi")
    caption = "At every point the curve lies between the two bounds that are listed; between points lines are drawn."

    @property
    def called(self) -> str:  # type: ignore[override]
        """The kind of its page, in a word or two."""
        return self.kind.called

    @property
    def kind(self) -> Kind:
        """What kind of curve it is."""
        return next(kind for key, kind in KINDS.items() if key in self.tree)

    @property
    def curves(self) -> list[Tree]:
        """The curves, one for each system."""
        found: list[Tree] = self.tree[self.kind.key]
        return found

    def lines(self, wide: int) -> Lines:
        """A table of all systems, then what was looked at for each."""
        kind, curves = self.kind, self.curves
        columns = [[kind.x, *(shorten(_plain(p[kind.x]), 24) for p in curves[0]["points"])]]
        columns += [[curve["system"], *(_interval(p) for p in curve["points"])] for curve in curves]
        scope = curves[0]["scope"]
        lines: Lines = [f"{kind.what}: {scope['view']} view, n = {scope['n']}"]
        if scope["adjacency"] != "replace" or "honest" in scope or "take_part" in scope:
            lines.append(f"  neighbours: {words.adjacency_text(scope)}")
        first = 1
        while first < len(columns):  # as many systems beside each other as the terminal takes
            header, *rows = zip(columns[0], *columns[first:], strict=True)
            lines.append(table := Grid(kind.what, header, rows).within(wide - 2))
            first += len(table.header) - 1
        for curve in curves:
            lines += [f"{curve['system']}:", *words.pairs_lines(curve["scope"], SIDES), *words.messages_lines(curve)]
            if "rho" in curve:
                lines.append(f"  zero-concentrated privacy: rho = {_interval(curve['rho'])}")
            if self.paper:
                lines.append(words.parameter_line("the paper's", curve["parameters"]))
        return lines

    def headline(self) -> str:
        """The two ends of the first curves, in words."""
        said = []
        for curve in self.curves[:FEW]:
            ends = [curve["points"][0], *curve["points"][1:][-1:]]
            at = (f"{_interval(one)} at {self.kind.x} = {plain(one[self.kind.x], 6)}" for one in ends)
            said.append(f"{curve['system']}: {self.kind.y_label.removesuffix(' (nats)')} is {', and '.join(at)}")
        return f"{'; '.join(said)}{'; ...' * (len(self.curves) > FEW)}."

    def rows(self) -> list[Tree]:
        """A row for each point of each system."""
        x = self.kind.x
        return [
            {"system": curve["system"], x: float(_number(self.kind, p[x])), **float_ends(p)}
            for curve in self.curves
            for p in curve["points"]
        ]

    def csv(self) -> str:
        """The points as CSV, every end with all its digits."""
        kind, curves = self.kind, self.curves
        points = [
            (curve["system"], _plain(p[kind.x]), p["lower"], p["upper"]) for curve in curves for p in curve["points"]
        ]
        return words.csv_text([("system", kind.x, "lower", "upper"), *points])

    def plot(self) -> "Figure":
        """The bands of all systems in one picture."""
        scope, kind = self.curves[0]["scope"], self.kind
        title = f"{scope['view']} view" + (f", n = {scope['n']}" if scope["view"] == "shuffled" else "")
        bands = [_band(kind, curve) for curve in self.curves]
        return plots.bands_figure(bands, kind.x_label, kind.y_label, title, kind.log)


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
    return "infinite" if value["lower"] == INFINITE else words.interval(value, SHOWN)


def _number(kind: Kind, x: str) -> Fraction:
    return Fraction(Eps.of(x).enclosure()[0]) if kind is PROFILE else Fraction(x)
