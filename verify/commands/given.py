"""What a command or a call is given, as texts or as objects, and how it is read.

While its answer is being found a line shows the interval so far: on a terminal, and nothing in a pipe.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import wraps
from inspect import signature
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from shufflecert.verify import progress
from shufflecert.verify.answers import plots
from shufflecert.verify.answers.answer import stated
from shufflecert.verify.answers.words import parameter_line
from shufflecert.verify.bound.question import TOLERANCE, Effort, Question, Tick
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps, Tree
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import decimal_above, decimal_below, natural, probability, rational, shorten
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue, randomizer_file
from shufflecert.verify.systems.catalogue import Kind, Target, derived, is_file, load, named_values
from shufflecert.verify.systems.declare import System as Declared
from shufflecert.verify.systems.population import Population, populated

Exact = int | str | Fraction | Decimal  # a rational: 3, "3/10", "0.3", Fraction(3, 10); a float is refused
EpsValue = Exact | Eps  # in nats; also "log(3/2)"
Asked = str | Path | Randomizer | System  # a system's name, a file, "my.py:Mine", or the object itself
Sampler = Callable[..., object]  # a function f(x, rng)
Reference = str | Mapping[str, Exact] | Randomizer  # of deletion: an input, a mixture, a law of its own
File = str | Path
Call = TypeVar("Call", bound=Callable[..., object])
PARAM = "param"  # among a call's parameters: a list of the command's NAME=VALUE, whatever these are called


def written(value: object) -> str:
    """A number as the command's text for it. Raises BadInput for a float."""
    if isinstance(value, float):
        raise BadInput(f'{value!r} is a float, and floats are not exact: write "{value!r}"')
    return str(value)


def text(value: object) -> str | None:
    """A value as the command's text for it, several with commas between them; None where nothing is given."""
    if value is None or isinstance(value, str):
        return value
    return ",".join(map(written, value)) if isinstance(value, Sequence) else written(value)


def texts(**values: object) -> dict[str, Any]:
    """Several values as the command's texts. Raises BadInput for a float."""
    return {name: text(value) for name, value in values.items()}


def path(file: File | None) -> Path | None:
    """A file's name as a path."""
    return None if file is None else Path(file)


def new_files(force: bool, *files: File | None) -> list[Path | None]:
    """Names of files to write, as paths. Raises BadInput for one that exists, unless it may be written over."""
    places = [path(file) for file in files]
    for place in filter(None, places):
        writing.check_new(place, force)
    return places


def parameters(given: Mapping[str, Any]) -> list[str]:
    """Parameters as the command's NAME=VALUE. Raises BadInput for a float."""
    found: list[str] = []
    for name, value in given.items():
        if isinstance(value, float):
            raise BadInput(f'{name} = {value!r} is a float, and floats are not exact: write "{value!r}"')
        found += value if name == PARAM and isinstance(value, list) else [f"{name}={value}"]
    return found


def system_of(asked: Asked, given: Mapping[str, Exact], paper: Target | None = None) -> Any:
    """The system that is meant. Raises BadInput for parameters beside an object, and for a function."""
    if isinstance(asked, str | Path):
        return load(str(asked), parameters(given), paper)
    if given or paper:
        raise BadInput(f"{', '.join(given) or 'paper'}: expected with a system's name; the object has its parameters")
    if not isinstance(asked, Randomizer) and not callable(getattr(asked, "randomizer", None)):
        what = "a function: audit(f, inputs=[...]) finds its law" if callable(asked) else f"{type(asked).__name__}"
        raise BadInput(f"system: got {what}: expected a system's name, a file's, a Randomizer, or a system")
    return asked


class Named(NamedTuple):
    """A question, the system as it was `made` and is called, and what the answer's JSON says first.

    `more` are lines below the answer: the parameters, where they were not given as they are.
    """

    question: Question
    made: Any
    name: str
    head: Tree
    more: tuple[str, ...]


def question(
    system: Asked,
    given: Mapping[str, Exact],
    n: Exact | None,
    view: str = "shuffled",
    who: Presence = EVERYBODY,
    paper: bool = False,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    others: Mapping[Any, int] | str | None = None,
) -> Named:
    """A question about a system; with `paper`, the parameters for (eps, delta). Raises BadInput."""
    count = users(n, view)
    made = system_of(system, given, target(paper, count, eps, delta))
    held, asked = others_of(others), peopled(made, who)
    named, texts = isinstance(system, str | Path), parameters(given)
    name = str(system) if named else catalogue.name_of(made)
    head = about(name, made, count, texts)
    whose = derived(name, texts, paper) if named else ""
    more = [parameter_line(whose, head["parameters"])] if whose else []
    return Named(Question.of(asked, count, view, held), made, name, head, tuple(more))


def about(names: str, made: Any, n: object, param: Sequence[str] = ()) -> Tree:
    """What every answer begins with: the system, its parameters, the number of users, and what was in the files.

    `param` are the parameters of a Python file's system. `made` is the system, or a list of several.
    """
    several = isinstance(made, list)
    given: Any = [catalogue.values(one) for one in made] if several else catalogue.values(made) or named_values(param)
    listed = [name.strip() for name in names.split(",")] if several else [names]
    found = {str(file_of(name)): writing.digest(file_of(name)) for name in listed if is_file(name)}
    return {"system": names, "parameters": given, **stated(made), "n": n} | ({"files": found} if found else {})


def file_of(name: str) -> Path:
    """The file of my.toml, or of my.py:Mine."""
    return Path(name.partition(".py:")[0] + ".py" if ".py:" in name else name)


def named(system: Any, parameters: Mapping[str, Exact]) -> Any:
    """Names with commas as they are; else pairs (name, system). Raises BadInput."""
    if isinstance(system, str):
        return system
    if isinstance(system, Mapping):
        pairs = list(system.items())
    elif isinstance(system, Sequence):
        pairs = [one if isinstance(one, tuple) else (None, one) for one in system]
    else:
        return [(catalogue.name_of(system), system_of(system, parameters))]
    if parameters:
        raise BadInput(f"{', '.join(parameters)}: expected with systems' names; objects have their parameters")
    made = [(name, one, system_of(one, {})) for name, one in pairs]
    return [(name or (one if isinstance(one, str) else catalogue.name_of(found)), found) for name, one, found in made]


def tuned(asked: Asked, given: Mapping[str, Exact], over: str | None) -> tuple[Kind, dict[str, str]]:
    """What is to be calibrated, and its parameters that are fixed, as text: of an object all but those in `over`.

    Raises BadInput for an object without `over`, or with `parameters`, or one that says already neighbours and
    participation.
    """
    if isinstance(asked, str | Path):
        return str(asked), named_values(parameters(given))
    made = system_of(asked, given)
    if isinstance(made, Population):
        raise BadInput("system: it was `populated`: expected the system, and adjacency, honest, take_part beside it")
    if over is None:
        raise BadInput("over: missing: an object has all its parameters: expected the names of those to choose")
    if not isinstance(made, Declared):
        return randomizer_of(made), {}
    chosen = {name.strip() for name in over.split(",")}
    return type(made), {name: value for name, value in catalogue.values(made).items() if name not in chosen}


def effort(max_work: Exact | None, tolerance: Exact | None, tick: Tick | None = None) -> Effort:
    """The effort that max_work and tolerance ask for; `tick` is told of the interval so far. Raises BadInput."""
    return Effort(width(text(tolerance)), work(text(max_work)), progress=tracked(tick), tick=tick)


def work(text: str | None) -> int | None:
    """The limit of --max-work; None where it is not given. Raises BadInput."""
    return None if text is None else natural(text, "--max-work", most=10**30)


def width(text: str | None) -> Fraction:
    """The relative width of --tolerance. Raises BadInput for what is none."""
    if text is None:
        return TOLERANCE
    width = rational(text, "--tolerance")
    if not 0 < width < 1:
        raise BadInput(f"--tolerance {shorten(text)}: expected a rational above 0 and below 1")
    return width


def patient(seconds: int | None, dask: str | None) -> dict[str, int]:
    """The option --patience as an argument, where it is given. Raises BadInput without a cluster."""
    if seconds is not None and dask is None:
        raise BadInput("--patience: expected with --dask: processes of this machine are started anew at once")
    return {} if seconds is None else {"patience": seconds}


def users(n: object, view: str, expected: str = "the number of users") -> int:
    """The number of users, 1 where it is not given; needed where messages are shuffled. Raises BadInput."""
    if n is None and view == "shuffled":
        raise BadInput(f"--n: missing: expected {expected}")
    return natural("1" if n is None else n, "n", most=MAX_TRIALS)


def target(paper: bool, n: int, eps: EpsValue | None, delta: Exact | None) -> Target | None:
    """The target for a paper's parameters, if these are asked for. Raises BadInput where eps or delta is missing."""
    if not paper:
        return None
    for name, value in (("eps", eps), ("delta", delta)):
        if value is None:
            raise BadInput(f"--paper: no --{name}: expected the {name} that the parameters are chosen for")
    return Target(n, Eps.of(eps), probability(delta, "delta"))


def presence(adjacency: str, reference: Reference | None, honest: Exact | None, take_part: Exact | None) -> Presence:
    """Neighbours and participation, of adjacency, reference, honest and take_part. Raises BadInput.

    A reference is an input, a mixture {input: weight} or its text, or a law: a Randomizer or a file with one row.
    """
    mixture: Any = dict(reference) if isinstance(reference, Mapping) else reference
    if isinstance(reference, str) and reference.endswith((".toml", ".json")):
        mixture = randomizer_file.load(reference)[0]
    elif isinstance(reference, str) and "=" in reference:
        parts = [item.rpartition("=") for item in reference.split(",")]
        mixture = {name: weight for name, _, weight in parts}
        if len(mixture) < len(parts):
            raise BadInput(
                f"--reference {shorten(reference)}: expected INPUT, or INPUT=WEIGHT,... with every input once"
            )
    return Presence.of(adjacency, mixture, honest, 1 if take_part is None else take_part)


def peopled(made: Any, who: Presence) -> Any:
    """The system among these users. Raises BadInput where the object states its own already."""
    if who != EVERYBODY and isinstance(made, Population):
        raise BadInput("adjacency, honest, take_part: the system was `populated` with others: expected one of the two")
    return populated(made, who)


def others_of(counts: Mapping[Any, int] | str | None) -> dict[str, int] | None:
    """The other users' inputs, {input: count}, also from "a=9000,b=999". Raises BadInput."""
    if counts is None:
        return None
    listed = counts.split(",") if isinstance(counts, str) else [f"{x}={count}" for x, count in counts.items()]
    found: dict[str, int] = {}
    for item in filter(None, listed):
        name, equals, count = item.rpartition("=")
        if not equals or name in found:
            raise BadInput(f"--others {item}: expected INPUT=COUNT, every input once")
        found[name] = natural(count, f"--others {name}", least=0, most=MAX_TRIALS)
    return found


def outputs(csv: File | None, plot: File | None, output: File | None, force: bool) -> list[Path | None]:
    """Names of a table, of a picture and of certificates to write, as paths.

    Raises BadInput, before any work, where a file could not be written, or two options name one file.
    """
    table, place = new_files(force, csv, output)
    if (picture := path(plot)) is not None:
        plots.check_plot(picture, force)
    named = {"--csv": table, "--plot": picture, "-o": place}
    for (one, a), (other, b) in combinations(((option, file) for option, file in named.items() if file), 2):
        if writing.followed(a) == writing.followed(b):
            raise BadInput(f"{a}: {one} and {other} are one file: expected two")
    return [table, picture, place]


def arguments_named(function: Call) -> Call:
    """A call that, where it is refused and a keyword is no argument but looks like one, asks whether that was meant.

    All other keywords are a system's parameters, so that a slip would be told of as one of these, or not at all.
    """
    own = [x for x, one in signature(function).parameters.items() if one.kind is not one.VAR_KEYWORD]

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BadInput as error:
            if isinstance(error, TooMuchWork) or PARAM in kwargs:
                raise
            free = {name: name for name in own[len(args) :] if name not in kwargs}
            free |= {"epsilon": "eps"} if "eps" in free else {}
            for name in kwargs.keys() - {*own, "eps0", *_parameters_of(args[0] if args else None)}:
                if len(name) > 1 and (close := get_close_matches(name.lower(), free, 1)):
                    called = f"{function.__name__}: {shorten(name)!r} is no argument"
                    raise BadInput(f"{called} (did you mean {free[close[0]]}?)") from None
            raise

    return run  # type: ignore[return-value]


def _parameters_of(system: object) -> Collection[str]:
    """The names of a system's parameters, as far as it is one of the catalogue."""
    with suppress(BadInput):
        return catalogue.orders(system) if isinstance(system, str) else ()
    return ()


def needed(value: Any, name: str, example: str) -> Any:
    """A value that must be given."""
    if value is None:
        raise BadInput(f"{name}: missing: expected one, such as {name}={example}")
    return value


def between(what: str, low: Fraction, high: Fraction | None) -> str:
    """The interval of an answer so far, in words."""
    return f"{what} in [{decimal_below(low, 6)}, {'?' if high is None else decimal_above(high, 6)}]"


class Line(progress.Line):
    """A line that shows the interval so far, from 0 to `most` while nothing else is known."""

    def __init__(self, what: str, most: Fraction | None) -> None:
        self._what = what
        super().__init__(between(what, Fraction(0), most))

    def __call__(self, low: Fraction, high: Fraction | None) -> None:
        """The interval so far."""
        self.say(between(self._what, low, high))

    def track(self, items: Iterable[Any], total: int) -> Iterable[Any]:
        """Go through some items with a bar of their own, after which no other line is shown."""
        self.end()
        return progress.track(items, total)


@contextmanager
def closing(what: str, most: Callable[[], Fraction | None] = lambda: Fraction(1)) -> Iterator[Tick | None]:
    """On a terminal, a line with the interval so far, `most()` its upper end at first; nothing is shown in a pipe."""
    if not progress.on_terminal():
        yield None
        return
    line = Line(what, most())
    try:
        yield line
    finally:
        line.end()


def tracked(tick: Tick | None) -> progress.Progress:
    """The bar of what is gone through one by one, in the place of the line that `closing` shows."""
    return tick.track if isinstance(tick, Line) else progress.track
