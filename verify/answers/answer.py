"""An answer: one object for each command, made from one tree of the form that `verify/shapes` declares.

The command prints its words or its JSON; a notebook shows it as HTML; a report is a page of it. What the engine found,
exact, is behind it: every attribute of that is one of the answer (`answer.scope`, `answer.verdict`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from math import inf, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from shufflecert.verify.errors import BadInput
from shufflecert.verify.report import words
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.systems.catalogue import as_given, name_of, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

End = Fraction | float  # a rational, or the float inf where there is no finite value


@dataclass(frozen=True, repr=False)
class Answer:
    """What a command answers: `tree` is its JSON, without version and date; `found` what the engine found, if known."""

    tree: Tree
    found: Any = field(default=None, compare=False)
    shape: ClassVar[type]  # the type of the tree, with version and date
    value: ClassVar[str] = ""  # the key of the number that was asked for

    def words(self) -> str:
        """The answer in words: what is asked for in the first line, then for which datasets and why."""
        raise NotImplementedError

    def to_json(self) -> Tree:
        """The answer as a JSON tree, with the version that gave it, and the date."""
        dated: Tree = words.dated(self.tree)
        return dated

    def rows(self) -> list[Tree]:
        """The rows of `to_frame`: ends as floats, rounded outwards."""
        return [{**_flat(self.tree), **_ends(self.tree.get(self.value))}]

    @property
    def lower(self) -> End:
        """The lower end of the number that was asked for: an exact rational, at most the number; or inf."""
        return self._end("lower")

    @property
    def upper(self) -> End:
        """The upper end of the number that was asked for: an exact rational, at least the number; or inf."""
        return self._end("upper")

    def lower_float(self) -> float:
        """The lower end as a float, rounded down."""
        return float_below(self.lower)

    def upper_float(self) -> float:
        """The upper end as a float, rounded up."""
        return float_above(self.upper)

    def to_frame(self) -> Any:
        """The answer as a pandas DataFrame, ends as floats rounded outwards. Raises BadInput without pandas."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise BadInput("to_frame: pandas is missing: expected `pip install pandas`") from None
        return pandas.DataFrame(self.rows())

    def plot(self) -> "Figure":
        """A picture of the answer, as a matplotlib Figure. Raises BadInput where there is none, or no matplotlib."""
        raise BadInput(f"{type(self).__name__}: has no picture: expected a profile, a comparison, a calibration")

    def html(self, title: str = "", name: str = "answer.json", check: Any = None) -> str:
        """The answer as one HTML page, which needs nothing else and carries its JSON under a name.

        With `check`, the kernel's function, also the certificates that it names.
        """
        pages, page = (import_module(f"shufflecert.verify.report.html.{part}") for part in ("answer", "page"))
        data = self.text().encode()
        when = f"shufflecert {words.version()}, {words.minute()}"
        made = pages.page(name, data, json.loads(data), when, Path(), check)[1]
        written: str = page.html(replace(made, title=title) if title else made)
        return written

    def text(self) -> str:
        """The answer as JSON text."""
        return json.dumps(self.to_json(), indent=2) + "\n"

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write the answer: .json, .html, or .txt for its words. Raises BadInput for a file that exists."""
        path = Path(path)
        if path.suffix not in (".json", ".html", ".txt"):
            raise BadInput(f"{path}: suffix {path.suffix or 'missing'}: expected .json, .html or .txt")
        atomic_files.check_new(path, force)
        content = {".json": self.text, ".html": self.html}.get(path.suffix, self.words)()
        atomic_files.write_whole(path, content.rstrip("\n") + "\n")
        return path

    def _end(self, end: str) -> End:
        value = self.tree.get(self.value) if self.value else None
        if not isinstance(value, Mapping):
            raise BadInput(f"{type(self).__name__}: no single number was asked for: expected one of its other parts")
        return inf if value[end] == "inf" else Fraction(value[end])

    def _repr_html_(self) -> str:
        fragment: str = import_module("shufflecert.verify.report.html.page").fragment(self.words(), _picture(self))
        return fragment

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self.__dict__.get("found") is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return getattr(self.found, name)

    def __float__(self) -> NoReturn:
        raise TypeError("an answer is no float: expected .upper_float(), rounded up, or .lower_float(), rounded down")

    def __str__(self) -> str:
        return self.words()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.words().splitlines()[0]}>"


def about(system: Any, n: object, name: str | None = None) -> Tree:
    """What the answer of a call from Python says first: the system, its parameters, and the number of users."""
    return {"system": name or name_of(system), "parameters": values(system), **stated(system), "n": n}


def stated(made: Any) -> Tree:
    """{"given": the parameters as they were given} where a local eps was, of a system or of a list; else nothing."""
    if isinstance(made, list):
        return {"given": [as_given(one) or values(one) for one in made]} if any(map(as_given, made)) else {}
    found = as_given(made)
    return {"given": found} if found else {}


def float_below(number: End) -> float:
    """The largest float that is at most a number."""
    near = _near(number)
    return near if near <= number else nextafter(near, -inf)


def float_above(number: End) -> float:
    """The least float that is at least a number."""
    near = _near(number)
    return near if near >= number else nextafter(near, inf)


def _near(number: End) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _flat(tree: Tree) -> Tree:
    return {
        key: value for key, value in tree.items() if isinstance(value, str | int | None) and not key.startswith("_")
    }


def _ends(value: Any) -> Tree:
    """Both ends as floats; nothing where there are none."""
    if not isinstance(value, Mapping):
        return {}
    ends = {end: inf if value[end] == "inf" else Fraction(value[end]) for end in ("lower", "upper")}
    return {"lower": float_below(ends["lower"]), "upper": float_above(ends["upper"])}


def columns(row: Mapping[str, Any], names: Sequence[str]) -> Tree:
    """Several values of a row, each with its two ends as floats, rounded outwards."""
    found: Tree = {}
    for name in names:
        ends = _ends(row.get(name)) or {"lower": None, "upper": None}
        found |= {f"{name}_{end}": value for end, value in ends.items()}
    return found


def _picture(answer: Answer) -> str | None:
    """The picture as SVG, where there is one that costs no new computation, and something draws."""
    if type(answer).plot is Answer.plot or not getattr(answer, "draws_at_once", True):
        return None
    try:
        drawn: str = import_module("shufflecert.verify.report.plots").svg(answer.plot())
    except BadInput:
        return None
    return drawn
