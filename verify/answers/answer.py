"""An answer: one object for each command. Its `shape` declares the form of its JSON; its `lines` are for people.

The command prints its lines as text, or its JSON; a notebook and a report show the same lines as HTML, with its
picture. What the engine found, exact, is behind it: every attribute of that is one of the answer (`answer.scope`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from math import inf, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.words import Lines
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree, ends
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.neighbours import Scope as FoundScope
from shufflecert.verify.exact.randomizer import Randomizer, System, presence_tree
from shufflecert.verify.exact.rational import shorten
from shufflecert.verify.reduce.reduction import number_of_messages
from shufflecert.verify.runs import writing
from shufflecert.verify.systems.catalogue import as_given, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OK, REFUTED, BAD_INPUT, UNDECIDED, NOT_DONE, INTERRUPTED = 0, 1, 2, 3, 4, 130  # exit statuses
STATUS = {"PROVED": OK, "REFUTED": REFUTED, "UNDECIDED": UNDECIDED, "contradicted": REFUTED}
CHECKED = {"malformed": BAD_INPUT, "rejected": REFUTED, "undecided": UNDECIDED, "accepted": OK}  # the gravest first
STATUS |= {"refuted": REFUTED, "unfinished": UNDECIDED}
End = Fraction | float  # a rational, or the float inf where there is no finite value


@dataclass(frozen=True, repr=False)
class Answer:
    """What a command answers: `tree` is its JSON, without version and date; `found` what the engine found, if known.

    `more` are lines below its own; `stopped`: Ctrl-C ended it.
    """

    tree: Tree
    found: Any = field(default=None, compare=False)
    more: tuple[str, ...] = field(default=(), compare=False)
    stopped: bool = field(default=False, compare=False)
    called: ClassVar[str] = "answer"  # the kind of its page, in a word
    shape: ClassVar[Any]  # the type of the tree, with version and date
    keys: ClassVar[tuple[str, ...]]  # that no other answer has together: by these a file is told from others
    value: ClassVar[str] = ""  # the key of the number that was asked for
    caption: ClassVar[str] = ""  # of the picture

    def lines(self, wide: int) -> Lines:
        """The answer for people, tables in at most so many columns: what is asked for in the first line."""
        raise NotImplementedError

    def words(self) -> str:
        """The answer in words, as the command prints it: what is asked for, for which datasets, and why."""
        return words.text_of([*self.lines(words.width()), *self.more, *certificate_lines(self.tree)])

    @property
    def exit_status(self) -> int:
        """The command's exit status: that of the verdict, where there is one."""
        verdict = self.tree.get("verdict") or (self.tree.get("claim") or {}).get("verdict")
        return STATUS.get(str(verdict), OK)

    def left(self) -> str:
        """What Ctrl-C left undone."""
        how = "a larger --tolerance stops there by itself; the same command starts again"
        return f"this is the interval reached so far; {how}"

    def headline(self) -> str:
        """The answer in a line: which system, how many users, and the first of its lines."""
        system, n = self.tree.get("system"), self.tree.get("n")
        about = f"{shorten(system)}, n = {n}: " if system is not None and isinstance(n, int) else ""
        return f"{about}{self.words().splitlines()[0]}."

    def to_json(self) -> Tree:
        """The answer as a JSON tree, with the version that gave it, and the date."""
        dated: Tree = words.dated(self.tree)
        return dated

    def rows(self) -> list[Tree]:
        """The rows of `to_frame`: ends as floats, rounded outwards."""
        return [{**_flat(self.tree), **float_ends(self.tree.get(self.value))}]

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

    def pictures(self) -> list[tuple[Callable[[], "Figure"], str]]:
        """What draws the pictures of a page, each with its caption."""
        return [(self.plot, self.caption)]

    def html(self, title: str = "", name: str = "answer.json", check: Any = None) -> str:
        """The answer as one HTML page, which needs nothing else and carries its JSON under a name.

        With `check`, the kernel's function, also the certificates that it names.
        """
        pages, page = (import_module(f"shufflecert.verify.answers.{part}") for part in ("answer_page", "page"))
        made = pages.page(name, self.text().encode(), self, Path(), check)
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
        writing.check_new(path, force)
        content = {".json": self.text, ".html": self.html}.get(path.suffix, self.words)()
        writing.write_whole(path, content.rstrip("\n") + "\n")
        return path

    def _end(self, end: str) -> End:
        value = self.tree.get(self.value) if self.value else None
        if not isinstance(value, Mapping):
            raise BadInput(f"{type(self).__name__}: no single number was asked for: expected one of its other parts")
        return inf if value[end] == "inf" else Fraction(value[end])

    def _repr_html_(self) -> str:
        fragment: str = import_module("shufflecert.verify.answers.page").fragment(self.words(), _picture(self))
        return fragment

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__.get("found")
        if name.startswith("_") or not hasattr(found, name):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return getattr(found, name)

    def __float__(self) -> NoReturn:
        raise TypeError("an answer is no float: expected .upper_float(), rounded up, or .lower_float(), rounded down")

    def __str__(self) -> str:
        return self.words()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.words().splitlines()[0]}>"


@dataclass(frozen=True, repr=False)
class Listing(Answer):
    """An answer of several rows, each a tree; `listing[i]` is one of them."""

    called = "list"
    tree: Any

    @property
    def exit_status(self) -> int:
        """The command's exit status."""
        return OK

    def headline(self) -> str:
        """How many rows there are."""
        return f"{len(self.tree)} rows."

    def rows(self) -> list[Tree]:
        """Each row's texts and numbers."""
        return [_flat(row) for row in self.tree]

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, i: int) -> Tree:
        found: Tree = self.tree[i]
        return found


# The parts of JSON that several answers share: numbers are exact text ("1/3", "log(3)"), or decimals rounded outwards
# (`lower` down, `upper` up; "inf" where there is no finite value).

Verdict = Literal["PROVED", "REFUTED", "UNDECIDED", "HOLDS"]  # HOLDS: of code, for the law that was observed


class Ends(TypedDict):
    """A number between two decimals, which are rounded outwards; an infinite end is "inf"."""

    lower: str
    upper: str


class Parts(TypedDict):
    """The value A - B e^eps, exactly."""

    A: str
    B: str


class DeltaValue(Ends):
    """A value of delta, and exactly where it is known so."""

    exact: Parts | None


class EpsValue(Ends):
    """A value of eps, and exactly where it is known so: "log(p/q)", or "inf"."""

    exact: str | None


Worst = TypedDict("Worst", {"from": str | None, "to": str | None, "others": dict[str, int] | None})


class Neighbouring(TypedDict):
    """Which datasets are neighbours, and who is there."""

    adjacency: str
    reference: NotRequired[dict[str, str]]
    honest: NotRequired[int]
    take_part: NotRequired[str]


class Scope(Neighbouring):
    """For which datasets an answer holds, and why the pairs that were evaluated are enough."""

    view: str
    n: int
    datasets: str
    by: str
    pairs: int
    stands_for: int | None
    two_sided: bool
    worst: Worst | None


class CertificateFile(TypedDict):
    """A file of certificates that the kernel has accepted: what each states, and what could not be written."""

    file: str
    states: list[str]
    missing: str


def certificate_lines(answer: Any) -> list[str]:
    """What an answer says of the file of certificates that it names, and of what has none."""
    made = answer.get("certificate") if isinstance(answer, dict) else None
    if not isinstance(made, dict):
        return []
    lines = [f"  certificate: {made['file']}: {one} (check accepts {_them(one)})" for one in made["states"]]
    return lines + ([f"  no certificate of {made['missing']}"] if made["missing"] else [])


def _them(stated: str) -> str:
    return "all" if stated.endswith("claims") else "it"


class Dated(TypedDict):
    """What every answer ends with."""

    version: str
    date: str


class About(Dated):
    """What every answer about systems says: which, their parameters, users, and digests of the files that were read.

    `given` has the parameters with the local eps that was given, where one was, in the place of what it set.
    """

    system: str
    parameters: dict[str, str] | list[dict[str, str]]
    given: NotRequired[dict[str, str] | list[dict[str, str]]]
    n: int | list[int] | str | None
    files: NotRequired[dict[str, str]]


class Promised(TypedDict):
    """A promise (eps, delta), exactly."""

    eps: str
    delta: str


class NumberOfMessages(TypedDict):
    """What the number of messages alone tells of a user who comes or goes, where all send equally many."""

    each: int
    delta: NotRequired[Ends]


def worst_tree(pair: Neighbours) -> Tree:
    """Two neighbouring datasets as JSON: the user who changes, and the others' inputs."""
    others = None if pair.others is None else dict(pair.others)
    return {"from": pair.source or None, "to": pair.target or None, "others": others}


def scope_tree(scope: FoundScope) -> Tree:
    """The scope of an answer as JSON."""
    own = ("view", "n", "datasets", "by", "pairs", "stands_for", "two_sided")
    said = {"adjacency": scope.presence.adjacency} | {name: getattr(scope, name) for name in own}
    return said | {"worst": worst_tree(scope.worst) if scope.worst else None} | presence_tree(scope.presence)


def messages_tree(system: Randomizer | System, n: int, view: str, eps: Eps | None) -> Tree:
    """What the number of messages alone reveals of a user who comes or goes, where all send equally many; else nothing.

    As {"number_of_messages": {"each": K, "delta": {"lower", "upper"} at this eps}}; without eps no delta is given.
    """
    found = number_of_messages(system, n) if view == "shuffled" else None
    if found is None:
        return {}
    value: Tree = {} if eps is None else {"delta": ends(found.delta(eps))}
    return {"number_of_messages": {"each": found.each} | value}


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


def float_ends(value: Any) -> Tree:
    """Both ends as floats; nothing where there are none."""
    if not isinstance(value, Mapping):
        return {}
    found = {end: inf if value[end] == "inf" else Fraction(value[end]) for end in ("lower", "upper")}
    return {"lower": float_below(found["lower"]), "upper": float_above(found["upper"])}


def columns(row: Mapping[str, Any], names: Sequence[str]) -> Tree:
    """Several values of a row, each with its two ends as floats, rounded outwards."""
    found: Tree = {}
    for name in names:
        both = float_ends(row.get(name)) or {"lower": None, "upper": None}
        found |= {f"{name}_{end}": value for end, value in both.items()}
    return found


def _picture(answer: Answer) -> str | None:
    """The picture as SVG, where there is one that costs no new computation, and something draws."""
    if type(answer).plot is Answer.plot or not getattr(answer, "draws_at_once", True):
        return None
    try:
        drawn: str = plots.svg(answer.plot())
    except BadInput:
        return None
    return drawn
