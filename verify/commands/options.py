"""What several commands share: options, how their texts are read, where answers go, the interval so far."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from pathlib import Path
from threading import Lock, Timer
from typing import Annotated, Any

from typer import Argument, Context, Option

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import Answer, stated
from shufflecert.verify.bound.question import TOLERANCE, Effort
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import ADJACENCIES, Presence, Randomizer
from shufflecert.verify.exact.rational import decimal_above, decimal_below, natural, probability, rational, shorten
from shufflecert.verify.exact.views import VIEWS
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import Target, is_file, named_values, parameters_of

OK, REFUTED, BAD_INPUT, UNDECIDED, NOT_DONE, INTERRUPTED = 0, 1, 2, 3, 4, 130  # exit statuses
STATUS = {"PROVED": OK, "REFUTED": REFUTED, "UNDECIDED": UNDECIDED}
CHECKED = {"malformed": BAD_INPUT, "rejected": REFUTED, "undecided": UNDECIDED, "accepted": OK}  # the gravest first


def _known(name: str) -> str:
    """A wrong name is told before what is missing beside it. Raises BadInput."""
    if not is_file(name):
        parameters_of(name)
    elif not atomic_files.exists(_file(name)):
        raise BadInput(f"{_file(name)}: no such file")
    return name


def _each_known(names: str) -> str:
    for name in filter(None, map(str.strip, names.split(","))):
        _known(name)
    return names


def _file(name: str) -> Path:
    """The file of my.toml, or of my.py:Mine."""
    return Path(name.partition(".py:")[0] + ".py" if ".py:" in name else name)


def _beginning(incomplete: str) -> list[str]:
    """The systems whose names begin so, for a shell that completes; of a list, after its last comma."""
    before, comma, last = incomplete.rpartition(",")
    known = import_module("shufflecert.verify.systems.catalogue").names()
    return [before + comma + name for name in known if name.startswith(last)]


def _one_of(*values: str) -> Callable[[str], list[str]]:
    """What completes an option that takes one of these."""

    def beginning(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return beginning


def _parameter(context: Context, incomplete: str) -> list[str]:
    """The parameters of the systems that were named, as NAME=."""
    rest = [word for word in context.args if not word.startswith("-")]  # of a line that ends in `-p`
    names = str(context.params.get("system") or "".join(rest[:1]))
    with suppress(BadInput):
        known = [own for name in names.split(",") if name for own in parameters_of(name.strip())]
        return [f"{own}=" for own in dict.fromkeys(known) if own.startswith(incomplete)]
    return []


System = Annotated[
    str,
    Argument(
        help="A system (see `systems`), a .toml or .json randomizer file, or my.py:Mine.",
        show_default=False,
        callback=_known,
        autocompletion=_beginning,
    ),
]
Systems = Annotated[
    str,
    Argument(
        metavar="SYSTEM[,SYSTEM...]",
        help="Systems, randomizer files, my.py:Mine.",
        show_default=False,
        callback=_each_known,
        autocompletion=_beginning,
    ),
]
Parameters = Annotated[
    list[str] | None,
    Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="A parameter of the system, exact: p=3/4.",
        autocompletion=_parameter,
    ),
]
EachParameters = Annotated[
    list[str] | None,
    Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="A parameter, exact: gamma=3/4; of one of several systems: krr.k=4.",
        autocompletion=_parameter,
    ),
]
Users = Annotated[str | None, Option("--n", metavar="N", help="Number of users.")]
EpsOption = Annotated[str, Option("--eps", metavar="E", help="eps in nats: 1/2, 0.5 or log(3/2).", show_default=False)]
DeltaOption = Annotated[
    str, Option("--delta", metavar="D", help="delta, exact: 1e-6 is 1/1000000.", show_default=False)
]
LeastEps = Annotated[
    str | None,
    Option("--eps", metavar="E", help="eps in nats; left out, the least that is proved.", show_default=False),
]
LeastDelta = Annotated[
    str | None,
    Option("--delta", metavar="D", help="delta, exact; left out, the least that is proved.", show_default=False),
]
ViewOption = Annotated[
    str, Option("--view", metavar="|".join(VIEWS), help="What the adversary sees.", autocompletion=_one_of(*VIEWS))
]
MaxWork = Annotated[
    str | None,
    Option("--max-work", metavar="UNITS", help="Enumerate datasets up to this estimated work (see docs/trust.md)."),
]
Tolerance = Annotated[
    str | None,
    Option(
        "--tolerance",
        metavar="T",
        help="Target relative width of the answer's interval (1e-3), where datasets are too many to enumerate.",
    ),
]
Paper = Annotated[
    bool, Option("--paper", help="Use the parameters that the system's paper prescribes for (n, eps, delta).")
]
Others = Annotated[
    str | None, Option("--others", metavar="X=COUNT,...", help="Only datasets whose other users hold these inputs.")
]
Adjacency = Annotated[
    str,
    Option(
        "--adjacency",
        metavar="replace|add-remove|deletion",
        autocompletion=_one_of(*ADJACENCIES),
        help="Neighbours: one user's input is replaced; a user is added or removed; or holds --reference instead.",
    ),
]
Reference = Annotated[
    str | None,
    Option(
        "--reference",
        metavar="INPUT|FILE",
        help="With deletion: an input, a mixture a=1/2,b=1/2 of inputs, or a file with one row, a law of its own.",
    ),
]
Honest = Annotated[
    str | None,
    Option("--honest", metavar="H", help="At least this many users are honest (all n); the others may be corrupted."),
]
TakePart = Annotated[
    str | None,
    Option("--take-part", metavar="Q", help="Each user participates with this probability (1), else sends nothing."),
]
PaperEps = Annotated[str | None, Option("--eps", metavar="E", help="With --paper: the eps to prescribe for.")]
PaperDelta = Annotated[str | None, Option("--delta", metavar="D", help="With --paper: the delta to prescribe for.")]
Both = Annotated[Path | None, Option("-o", "--output", help="Write certificates of both bounds here.")]
Points = Annotated[
    Path | None, Option("-o", "--output", help="Write certificates here: one file, a claim for each point.")
]
Force = Annotated[bool, Option("--force", help="Write over files that exist.")]
Patience = Annotated[
    int | None,
    Option(
        "--patience",
        min=0,
        metavar="SECONDS",
        help="With --dask: how long to wait for lost workers to come back (120).",
    ),
]
Json = Annotated[bool, Option("--json", help="Answer in JSON on standard output.")]


def patient(seconds: int | None, dask: str | None) -> dict[str, int]:
    """The option --patience as an argument, where it is given. Raises BadInput without a cluster."""
    if seconds is not None and dask is None:
        raise BadInput("--patience: expected with --dask: processes of this machine are started anew at once")
    return {} if seconds is None else {"patience": seconds}


def users(n: str | None, view: str, expected: str = "the number of users") -> int:
    """The number of users that --n gives, 1 where it is not given. Raises BadInput."""
    if n is None and view == "shuffled":
        raise BadInput(f"--n: missing: expected {expected}")
    return natural("1" if n is None else n, "n", most=MAX_TRIALS)


def target(paper: bool, n: int, eps: str | None, delta: str | None) -> Target | None:
    """The target for a paper's parameters, if these are asked for. Raises BadInput where eps or delta is missing."""
    if not paper:
        return None
    for name, value in (("eps", eps), ("delta", delta)):
        if value is None:
            raise BadInput(f"--paper: no --{name}: expected the {name} that the parameters are chosen for")
    return Target(n, Eps.of(eps), probability(delta, "delta"))


def values(system: object) -> dict[str, str]:
    """A system's parameters as text; {} for a randomizer file's."""
    return import_module("shufflecert.verify.systems.catalogue").values(system)  # type: ignore[no-any-return]


def as_given(system: object) -> dict[str, str]:
    """A system's parameters with the local eps that was given; {} where none was."""
    return import_module("shufflecert.verify.systems.catalogue").as_given(system)  # type: ignore[no-any-return]


def about(names: str, made: Any, n: object, param: list[str] | None = None) -> Tree:
    """What every answer begins with: the system, its parameters, the number of users, and what was in the files.

    `param` are the parameters of a Python file's system. `made` is the system, or a list of several.
    """
    several = isinstance(made, list)
    given: Any = [values(one) for one in made] if several else values(made) or named_values(param or ())
    listed = [name.strip() for name in names.split(",")] if several else [names]
    found = {str(_file(name)): atomic_files.digest(_file(name)) for name in listed if is_file(name)}
    return {"system": names, "parameters": given, **stated(made), "n": n} | ({"files": found} if found else {})


def presence(adjacency: str, reference: Any, honest: str | None, take_part: str | None) -> Presence:
    """Neighbours and participation, of the options --adjacency, --reference, --honest and --take-part. Raises BadInput.

    From Python a reference may also be a mixture {input: weight}, or a Randomizer with the one row that is its law.
    """
    mixture: str | dict[str, object] | Randomizer | None = reference
    if not isinstance(reference, str):
        mixture = dict(reference) if isinstance(reference, Mapping) else reference
    elif reference.endswith((".toml", ".json")):
        mixture = import_module("shufflecert.verify.systems.randomizer_file").load(reference)[0]
    elif "=" in reference:
        parts = [item.rpartition("=") for item in reference.split(",")]
        mixture = {name: weight for name, _, weight in parts}
        if len(mixture) < len(parts):
            raise BadInput(
                f"--reference {shorten(reference)}: expected INPUT, or INPUT=WEIGHT,... with every input once"
            )
    return Presence.of(adjacency, mixture, honest, 1 if take_part is None else take_part)


def others(text: str | None) -> dict[str, int] | None:
    """The other users' inputs, {input: count}, from "a=9000,b=999". Raises BadInput."""
    if text is None:
        return None
    counts: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, equals, count = item.rpartition("=")
        if not equals or name in counts:
            raise BadInput(f"--others {item}: expected INPUT=COUNT, every input once")
        counts[name] = natural(count, f"--others {name}", least=0, most=MAX_TRIALS)
    return counts


def check_files(table: Path | None, plot: Path | None, output: Path | None, force: bool) -> None:
    """Raises BadInput, before any work, where a file could not be written, or two options name one file."""
    for place in filter(None, (table, output)):
        atomic_files.check_new(place, force)
    if plot is not None:
        import_module("shufflecert.verify.answers.plots").check_plot(plot, force)
    named = {"--csv": table, "--plot": plot, "-o": output}
    for (one, a), (other, b) in combinations(((option, file) for option, file in named.items() if file), 2):
        if a.resolve() == b.resolve():
            raise BadInput(f"{a}: {one} and {other} are one file: expected two")


def work(text: str | None) -> int | None:
    """The limit of --max-work; None where it is not given. Raises BadInput."""
    return None if text is None else natural(text, "--max-work", most=10**30)


def tolerance(text: str | None) -> Fraction:
    """A relative width. Raises BadInput for what is none."""
    if text is None:
        return TOLERANCE
    width = rational(text, "--tolerance")
    if not 0 < width < 1:
        raise BadInput(f"--tolerance {shorten(text)}: expected a rational above 0 and below 1")
    return width


def effort(
    max_work: str | None, tolerance_text: str | None, tick: Callable[[Fraction, Fraction | None], None] | None = None
) -> Effort:
    """The effort that --max-work and --tolerance ask for; `tick` shows the interval so far. Raises BadInput."""
    return Effort(tolerance(tolerance_text), work(max_work), progress=tracked(tick), tick=tick)


def shown(answer: Answer, json: bool, paper: str = "") -> int:
    """Print an answer, as JSON or in words, with its parameters where `paper` says whose they are; its status."""
    words.show(answer.tree, lambda _: answer.words(), json, paper)
    return OK


def between(what: str, low: Fraction, high: Fraction | None) -> str:
    """The interval of an answer so far, in words."""
    return f"{what} in [{decimal_below(low, 6)}, {'?' if high is None else decimal_above(high, 6)}]"


class Line:
    """On a terminal, a line that moves and shows the interval so far: from 0 to `most` while nothing else is known.

    It starts by itself after progress.WAIT seconds, and ends where a bar of known length takes its place (`track`).
    """

    def __init__(self, what: str, most: Fraction | None) -> None:
        self._what, self._bar, self._lock, self._ended = what, progress.moving(), Lock(), False
        self._timer = Timer(progress.WAIT, self._show, [between(what, Fraction(0), most)])
        self._timer.daemon = True
        self._timer.start()

    def __call__(self, low: Fraction, high: Fraction | None) -> None:
        """The interval so far."""
        self._show(between(self._what, low, high))

    def _show(self, said: str) -> None:
        with self._lock:
            if self._ended:
                return
            if not self._bar.live.is_started:
                self._timer.cancel()
                self._bar.start()
                self._bar.add_task(said, total=None)
            self._bar.update(self._bar.tasks[0].id, description=said)

    def track(self, items: Iterable[Any], total: int) -> Iterable[Any]:
        """Go through some items with a bar of their own, after which no other line is shown."""
        self.end()
        return progress.track(items, total)

    def end(self) -> None:
        """Take the line away."""
        with self._lock:
            self._ended = True
            self._timer.cancel()
            if self._bar.live.is_started:
                self._bar.stop()


@contextmanager
def closing(
    what: str, most: Callable[[], Fraction | None] = lambda: Fraction(1)
) -> Iterator[Callable[[Fraction, Fraction | None], None] | None]:
    """On a terminal, a line with the interval so far, `most()` its upper end at first; nothing is shown in a pipe."""
    if not progress.on_terminal():
        yield None
        return
    line = Line(what, most())
    try:
        yield line
    finally:
        line.end()


def tracked(tick: Callable[[Fraction, Fraction | None], None] | None) -> progress.Progress:
    """The bar of what is gone through one by one, in the place of the line that `closing` shows."""
    return tick.track if isinstance(tick, Line) else progress.track


def ended(stopped: bool, status: int = OK) -> int:
    """The status of an answer; with a word where somebody did not wait for its end."""
    if not stopped:
        return status
    how = "a larger --tolerance stops there by itself; the same command starts again"
    print(f"shufflecert: stopped by Ctrl-C: this is the interval reached so far; {how}", file=sys.stderr)
    return INTERRUPTED
