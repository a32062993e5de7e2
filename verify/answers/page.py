"""A report: one HTML file that needs nothing else, for readers who do not have this tool.

A page is a verdict and sections of blocks, all of them text and numbers; `html` makes the file. It needs no network and
no font of its own, and reads the same without scripts; the one that its policy allows, by hash, adds a button. What a
block holds is escaped, and what would not show, or would turn other text around, is written as an escape. The template
is verify/templates/report.html.
"""

import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from math import inf
from typing import Any, ClassVar

from shufflecert.verify.answers import plots
from shufflecert.verify.answers.words import first_digits
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import between, decimals, rational, shorten

_FRACTION = re.compile(r"(?<![\w./])\d+/\d+(?![\w./])", re.ASCII)
LONG = 24  # characters of a fraction from which on it is shown as a decimal
SHOWN = 12  # digits of a number in the text; in full it stands in a table beside
WIDTH = 4.8  # inches of a picture: so that its letters can be read on a phone
POINTS = 240  # of a curve
HUGE = Fraction(10**290)  # a double beyond is none


@dataclass(frozen=True)
class Text:
    """A paragraph; `strong` for what must not be missed."""

    kind: ClassVar[str] = "text"
    text: str
    strong: bool = False


@dataclass(frozen=True)
class Facts:
    """A list of names and their values."""

    kind: ClassVar[str] = "facts"
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; the first cell of a row names it. On a phone every row becomes a list."""

    kind: ClassVar[str] = "table"
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Items:
    """A list; `ordered` for steps."""

    kind: ClassVar[str] = "items"
    items: Sequence[str]
    ordered: bool = False


@dataclass(frozen=True)
class Code:
    """A command, or a file's text."""

    kind: ClassVar[str] = "code"
    text: str
    label: str


@dataclass(frozen=True)
class Picture:
    """An SVG as a data: address, what is to be seen in it in words, and a caption."""

    kind: ClassVar[str] = "picture"
    address: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Download:
    """A file that the report carries."""

    kind: ClassVar[str] = "download"
    name: str
    address: str
    size: int


@dataclass(frozen=True)
class Details:
    """Blocks behind a summary, closed at first; `printed`: open on paper."""

    kind: ClassVar[str] = "details"
    summary: str
    blocks: Sequence["Block"]
    printed: bool = True


Block = Text | Facts | Table | Items | Code | Picture | Download | Details


@dataclass(frozen=True)
class Section:
    """A part of a page: a heading and blocks."""

    heading: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Verdict:
    """What a reader sees first. `tone`: good, bad, open (nothing is settled), or plain (nothing was checked)."""

    tone: str
    word: str
    headline: str
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """A whole report: its verdict, its sections, and a foot."""

    title: str
    subtitle: str
    verdict: Verdict
    sections: Sequence[Section]
    foot: str
    script: str = ""  # the only one that the page's policy allows


def with_decimals(section: Section) -> Section:
    """A section with decimals for long fractions, cut and not rounded, and the fractions in a fold at its end."""
    exact: dict[str, str] = {}

    def decimal(found: re.Match[str]) -> str:
        whole = found[0]
        if len(whole) <= LONG:
            return whole
        shown = first_digits(whole, SHOWN)
        exact[shown] = shorten(whole, 4000)
        return shown

    def short(text: str) -> str:
        return _FRACTION.sub(decimal, text)

    blocks: list[Block] = []
    for block in section.blocks:
        match block:
            case Text():
                block = replace(block, text=short(block.text))
            case Facts():
                block = replace(block, rows=[(name, short(value)) for name, value in block.rows])
            case Table():
                block = replace(block, rows=[[short(cell) for cell in row] for row in block.rows])
            case Items():
                block = replace(block, items=[short(item) for item in block.items])
        blocks.append(block)
    if exact:
        blocks.append(Details("The exact values", [Facts(list(exact.items()))], printed=False))
    return Section(section.heading, blocks)


def html(page: Page) -> str:
    """The report as one HTML file. Raises BadInput where jinja2 is missing."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise BadInput("report: jinja2 is missing: expected `pip install jinja2`") from None

    def shown(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else printable(value)

    loader = PackageLoader("shufflecert.verify", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, finalize=shown, trim_blocks=True, lstrip_blocks=True
    )
    hashed = b64encode(sha256(page.script.encode("utf-8")).digest()).decode("ascii")
    allowed = f"; script-src 'sha256-{hashed}'; worker-src blob:" if page.script else ""
    template = environment.get_template("report.html")
    page = replace(page, sections=[with_decimals(section) for section in page.sections])
    return template.render(page=page, script=Markup(page.script), allowed=Markup(allowed))


def recheck_script() -> str:
    """The verified kernel as JavaScript (`make -C proofs/coq browser` makes it), and the button that runs it."""
    folder = files("shufflecert.verify").joinpath("templates")
    kernel, button = (folder.joinpath(name).read_text("utf-8") for name in ("kernel.js", "recheck.js"))
    return f"const kernel = function () {{\n{kernel}\n}};\n{button}"


def printable(text: str) -> str:
    """Text with what does not show, or turns text around, written as an escape; lines stay lines."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def interval(lower: str, upper: str, digits: int = SHOWN) -> str:
    """An enclosure for people: `digits` digits rounded outwards, one number where the ends are equal."""
    try:
        lower, upper = decimals(rational(lower), rational(upper), digits)
    except BadInput:  # an end such as 1e-50000, or inf
        lower, upper = shorten(lower), shorten(upper)
    return between(lower, upper)


def number(text: str, digits: int = SHOWN) -> str:
    """An exact number, followed by decimals where these add something; a long fraction is left to `with_decimals`."""
    if _FRACTION.fullmatch(text) and len(text) > LONG:
        return text
    shown = interval(text, text, digits)
    if shown == text or shown == shorten(text):
        return shown
    return f"{shorten(text)}, in {shown}" if shown.startswith("[") else f"{shorten(text)} = {shown}"


def address(content: bytes, kind: str) -> str:
    """The content as a data: address."""
    return f"data:{kind};base64,{b64encode(content).decode('ascii')}"


def embedded(name: str, content: bytes) -> Download:
    """A file for the report to carry."""
    return Download(name, address(content, "application/json"), len(content))


def without_plots() -> str:
    """The reason why there are no pictures, or nothing."""
    if find_spec("matplotlib"):
        return ""
    return "There are no pictures: matplotlib is missing (pip install 'shufflecert[plots]')."


Line = tuple[str, Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]  # a name, x, lower and upper ends


def curves(
    bands: Sequence[Line],
    labels: tuple[str, str],
    caption: str,
    alt: str,
    log: bool = True,
    marks: Sequence[plots.Mark] = (),
) -> tuple[Picture, ...]:
    """Curves between lower and upper ends over x, on a log scale or a linear one; `marks` are points to point out."""
    drawn = []
    for name, *columns in bands:
        step = -(-len(columns[0]) // POINTS)
        x, lower, upper = ([float(value) if value < HUGE else inf for value in column[::step]] for column in columns)
        drawn.append(plots.Band(printable(shorten(name, 44)), x, lower, upper))
    x_label, y_label = (printable(shorten(label, 60)) for label in labels)
    return picture(lambda: plots.bands_figure(drawn, x_label, y_label, "", log, marks), alt, caption)


def picture(draw: Callable[[], Any], alt: str, caption: str) -> tuple[Picture, ...]:
    """What `draw` draws with matplotlib, for a page; nothing where that is missing."""
    if without_plots():
        return ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a label's letter that matplotlib's own font lacks: the reader's may have it
        figure = draw()
        figure.set_size_inches(WIDTH, figure.get_size_inches()[1])
        drawn = plots.svg(figure)
    return (Picture(address(drawn.encode("utf-8"), "image/svg+xml"), alt, caption),)


def fragment(words: str, drawn: str | None) -> str:
    """An answer for a notebook: its first line, a picture as SVG where there is one, and the rest folded."""
    first, _, rest = words.partition("\n")
    shown, more = escape(printable(first)), escape(printable(rest))
    image = ""
    if drawn is not None:
        source, style = address(drawn.encode("utf-8"), "image/svg+xml"), "max-width: 38rem; width: 100%"
        image = f'<img src="{source}" alt="{shown}" style="{style}; background: #fff">'
    folded = f"<details><summary>For which datasets, and why</summary><pre>{more}</pre></details>" if rest else ""
    return f"<div><p><strong>{shown}</strong></p>{image}{folded}</div>"
