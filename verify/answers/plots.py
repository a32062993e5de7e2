"""Pictures of certified numbers: bands between a lower and an upper end, bars; PNG, SVG, PDF, SVG for a page.

Ends are doubles here, exact enough to look at, and no verdict comes from a picture. matplotlib is the extra `plots`.
Equal data make equal files: no dates, no random ids, and nothing of the user's own style sheets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO, StringIO
from math import ceil, floor, isfinite, log10, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.writing import check_new, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}  # with the metadata that would differ from day to day, or from machine to machine
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito's
DASHES = ("-", "--", "-.", ":")
FEW = 25  # points up to which each is marked: what is between them is a straight line and no more
STYLE = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.dpi": 150,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "shufflecert",
    "pdf.fonttype": 42,
}
_TAG, _ID = re.compile(r"<[^>]+>"), re.compile(r'(\sid="|href="#|url\(#)')
_SHEET = re.compile(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


@dataclass(frozen=True)
class Band:
    """A curve that lies between `lower` and `upper` at every x; equal ends are a line. Raises BadInput for lengths."""

    label: str
    x: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.lower) == len(self.upper):
            raise BadInput(f"{self.label}: {len(self.x)} x: expected as many lower and upper ends")


@dataclass(frozen=True)
class Mark:
    """A point that a picture points out, with what it is."""

    x: float
    y: float
    label: str


def bands_figure(
    bands: Sequence[Band], x_label: str, y_label: str, title: str = "", log: bool = True, marks: Sequence[Mark] = ()
) -> "Figure":
    """Bands in one picture, filled, with a line along each end: one line where they cannot be told apart.

    A band that nowhere leaves an earlier one, as far as the eye sees, is dashed, so that both are seen. `marks` are
    points with lines to both axes.

    On the log scale a 0 leaves the picture downwards; where there is nothing above 0 the scale is linear. An end
    that is no finite number is a gap. Raises BadInput where matplotlib is missing.
    """
    with _style():
        figure, axes = _blank(x_label, y_label, title, 4.5)
        ends = [y for band in bands for y in (*band.lower, *band.upper) if isfinite(y)]
        ends += [mark.y for mark in marks]
        styles = _styles(bands, log)
        log = log and any(y > 0 for y in ends)
        least, most = _log_range(ends) if log else (min(ends, default=0.0), max(ends, default=1.0))
        for i, band in enumerate(bands):
            lower, upper = (
                [(max(y, least / 1e6) if log else y) if isfinite(y) else nan for y in end]
                for end in (band.lower, band.upper)
            )
            axes.fill_between(band.x, lower, upper, **_area(i))
            for end in (upper, lower):
                axes.plot(band.x, end, **styles[i], marker="." if len(band.x) <= FEW else "")
        for i, mark in enumerate(marks):
            _point_out(axes, mark, COLOURS[(len(bands) + i) % len(COLOURS)])
        if log:
            axes.set_yscale("log")
            axes.set_ylim(least, most)
        if not ends:
            _nothing_finite(axes, [x for band in bands for x in band.x if isfinite(x)])
        _legend(axes, [band.label for band in bands], styles)
        return figure


def moving_figure(
    parameter: str,
    points: Sequence[tuple[float, float, float]],
    target: float,
    marks: Sequence[Mark],
    papers: float | None = None,
) -> "Figure":
    """delta as a parameter moves: (value, lower end, upper end) at some values, the target, and marked values.

    Of a value often one end alone was computed; the other one, 0 or 1, says nothing and is not drawn.

    `papers` is the value that a paper prescribes: a line, since nothing is known of delta there.

    What lies more than six decades from the target is left out. Raises BadInput where matplotlib is missing.
    """
    with _style():
        figure, axes = _blank(parameter, "delta", "", 4.5)
        near = [p for p in points if not target or (target / 1e6 <= p[2] and p[1] <= target * 1e6)] or list(points)
        lower = [(x, low) for x, low, high in near if low > 0]
        upper = [(x, high) for x, low, high in near if high > 0 and (high < 1 or low == 1)]
        both = [p for p in near if (p[0], p[1]) in lower and (p[0], p[2]) in upper]
        if len(both) > 1:
            axes.fill_between([p[0] for p in both], [p[1] for p in both], [p[2] for p in both], **_area(0))
        for end, marker in ((upper, "v"), (lower, "^")) if upper != lower else ((upper, "."),):
            axes.plot([x for x, _ in end], [y for _, y in end], **_line(0), marker=marker, markersize=5)
        if target:
            axes.axhline(target, color=COLOURS[6], linewidth=0.9, linestyle="--")
            below: dict[str, Any] = {
                "xycoords": axes.get_yaxis_transform(),
                "textcoords": "offset points",
                "fontsize": 9,
                "va": "top",
            }
            axes.annotate("delta claimed", (1, target), (0, -3), ha="right", **below)
        axes.set_yscale("log")
        axes.locator_params(axis="x", nbins=6)
        if papers is not None:
            _papers(axes, papers)
        for i, mark in enumerate(marks):
            _point_out(axes, mark, COLOURS[1 + i % (len(COLOURS) - 1)])
        return figure


def _papers(axes: "Axes", value: float) -> None:
    """The value that a paper prescribes, as a line; in words where it is so far away that the rest would vanish."""
    first, last = axes.get_xlim()
    right, far = value > (first + last) / 2, not abs(value - (first + last) / 2) < 10 * (last - first)
    place = (float(right) if far else value, 0.98)
    said = f"the paper's value, {value:.4g}, is far {'right' if right else 'left'}" if far else "the paper's value"
    if not far:
        axes.axvline(value, color=COLOURS[3], linewidth=1.2, linestyle="-.")
    seen = axes.transAxes if far else axes.get_xaxis_transform()
    shift, side = (-4 if right else 4, 0), "right" if right else "left"
    axes.annotate(said, place, shift, xycoords=seen, textcoords="offset points", fontsize=9, va="top", ha=side)


def _styles(bands: Sequence[Band], log: bool) -> list[dict[str, Any]]:
    """A line for each band, dashed where it runs on an earlier one."""
    styles: list[dict[str, Any]] = []
    for i, band in enumerate(bands):
        under = sum(_coincide(band, other, log) for other in bands[:i])
        dashed = {"linestyle": (0, (4, 4 * under)), "linewidth": 1.8} if under else {}
        styles.append(_line(i) | dashed)
    return styles


def _coincide(one: Band, other: Band, log: bool) -> bool:
    """Whether no eye tells two bands apart: on the log scale a twentieth, else a hundredth of all that is shown."""
    if list(one.x) != list(other.x):
        return False
    span = 0.01 * max((y for y in (*one.upper, *other.upper) if isfinite(y)), default=1.0)
    pairs = [(y, z) for a, b in ((one.lower, other.lower), (one.upper, other.upper)) for y, z in zip(a, b, strict=True)]
    apart = [y != z and not (abs(y - z) <= (0.05 * max(y, z) if log else span)) for y, z in pairs]
    return sum(apart) * 2 <= len(apart)


def _point_out(axes: "Axes", mark: Mark, colour: str) -> None:
    """A point with thin lines through it, and its label beside."""
    axes.axvline(mark.x, color=colour, linewidth=0.8, linestyle=":")
    axes.axhline(mark.y, color=colour, linewidth=0.8, linestyle=":")
    axes.plot([mark.x], [mark.y], marker="o", color=colour, linestyle="")
    right = mark.x > sum(axes.get_xlim()) / 2
    text = axes.annotate(mark.label, (mark.x, mark.y), (-6 if right else 6, 6), textcoords="offset points", fontsize=9)
    text.set_horizontalalignment("right" if right else "left")
    text.set_parse_math(False)


def bars_figure(rows: Sequence[tuple[str, float]], x_label: str, title: str = "", log: bool = False) -> "Figure":
    """Horizontal bars for values >= 0, from top to bottom, with the values at their ends; on a log scale a 0 has none.

    Raises BadInput where matplotlib is missing.
    """
    with _style():
        figure, axes = _blank(x_label, "", title, 1.2 + 0.35 * max(1, len(rows)))
        values = [value if isfinite(value) else 0.0 for _, value in rows]
        log = log and any(value > 0 for value in values)
        least, most = _log_range(values) if log else (0.0, max(values, default=1.0))
        places = range(len(rows))
        axes.barh(places, [max(value - least, 0.0) for value in values], left=least, color=COLOURS[0], height=0.6)
        for place, (_, value) in zip(places, rows, strict=True):
            at = max(least, value if isfinite(value) else least)
            said = f"{value:.3g}" if isfinite(value) else ""
            axes.annotate(said, (at, place), (4, 0), textcoords="offset points", va="center", fontsize=9)
        axes.set_yticks(places, [label for label, _ in rows])
        for text in axes.get_yticklabels():
            text.set_parse_math(False)
        axes.invert_yaxis()
        axes.grid(False, axis="y")
        if log:
            axes.set_xscale("log")
            axes.set_xlim(least, most * 3)
        elif most > 0:
            axes.set_xlim(0.0, 1.12 * most)
        return figure


def cells_figure(
    counts: Mapping[tuple[int, ...], int], cells: int, labels: tuple[str, str], title: str = ""
) -> "Figure":
    """How many lie in each of cells x cells cells of the unit square, {(i, j): count}; empty cells stay white.

    Raises BadInput where matplotlib is missing.
    """
    with _style():
        figure, axes = _blank(*labels, title, 5.6)
        grid = [[float(counts.get((i, j), 0)) or nan for i in range(cells)] for j in range(cells)]
        extent = (0.0, 1.0, 0.0, 1.0)
        drawn = axes.imshow(grid, origin="lower", extent=extent, cmap="viridis", interpolation="nearest")
        figure.colorbar(drawn, ax=axes, label="counterexamples")
        return figure


def check_plot(path: Path, force: bool) -> None:
    """Raise BadInput, before any work, where `save` could not write: the suffix, the place, or matplotlib missing."""
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path}: suffix {path.suffix or 'missing'}: expected {', '.join(SUFFIXES)}")
    check_new(path, force)
    _matplotlib()


def save(figure: "Figure", path: Path, force: bool = False) -> None:
    """Write a picture, whole or not at all: .png, .svg or .pdf. Raises BadInput as `check_plot` does."""
    check_plot(path, force)
    drawn, kind = BytesIO(), path.suffix.lower()
    with _style():
        figure.savefig(drawn, format=kind[1:], metadata=SUFFIXES[kind])
    write_whole(path, drawn.getvalue())


def svg(figure: "Figure") -> str:
    """The picture as one <svg> element for an HTML page: ids begin with a digest of the picture, so they differ."""
    written = StringIO()
    with _style():
        figure.savefig(written, format="svg", metadata=SUFFIXES[".svg"])
    text = written.getvalue()
    text = _SHEET.sub("", _METADATA.sub("", text[text.index("<svg") :])).strip()  # a sheet would be the whole page's
    text = text.replace("<svg ", '<svg style="stroke-linejoin: round; stroke-linecap: butt" ', 1)
    prefix = f"p{sha256(text.encode()).hexdigest()[:10]}-"
    return _TAG.sub(lambda tag: _ID.sub(rf"\g<1>{prefix}", tag[0]), text)


def _blank(x_label: str, y_label: str, title: str, height: float) -> tuple["Figure", "Axes"]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, height), layout="constrained")
    axes = figure.add_subplot()
    for text in (axes.set_xlabel(x_label), axes.set_ylabel(y_label), axes.set_title(title, fontsize=11)):
        text.set_parse_math(False)  # a name may hold a $
    return figure, axes


def _nothing_finite(axes: "Axes", x: Sequence[float]) -> None:
    """Where the curves would be, and that they are not to be seen."""
    if x:
        axes.set_xlim(min(x), max(x) if max(x) > min(x) else min(x) + 1)
    axes.set_yticks([])
    axes.text(0.5, 0.5, "infinite everywhere", transform=axes.transAxes, ha="center", va="center")


def _legend(axes: "Axes", labels: Sequence[str], styles: Sequence[Mapping[str, Any]]) -> None:
    """Names as they are: matplotlib would leave out one that begins with an underscore."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [(Patch(**_area(i)), Line2D([], [], **style)) for i, style in enumerate(styles)]
    if not handles:
        return
    legend = axes.legend(handles, [str(i) for i in range(len(labels))], frameon=False, fontsize=9)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)


def _area(i: int) -> dict[str, Any]:
    return {"facecolor": COLOURS[i % len(COLOURS)], "alpha": 0.25, "linewidth": 0}


def _line(i: int) -> dict[str, Any]:
    return {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i // len(COLOURS) % len(DASHES)], "linewidth": 1.3}


def _log_range(values: Sequence[float]) -> tuple[float, float]:
    """Powers of ten around the positive values; a decade more below where some are 0."""
    positive = [value for value in values if value > 0]
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    low -= int(len(positive) < len(values) or low == high)
    return 10.0 ** max(low, -307), 10.0 ** min(high, 307)


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise BadInput("plots: matplotlib is missing: expected `pip install 'shufflecert[plots]'`") from None
    return matplotlib


@contextmanager
def _style() -> Iterator[None]:
    """matplotlib's own defaults and `STYLE`, whatever the user's are; restored on the way out."""
    _matplotlib()
    from matplotlib import style

    with style.context(["default", STYLE], after_reset=True):
        yield
