"""What a call from Python is given, as the command's texts or as objects, and how it is read."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.commands import options
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.systems.catalogue import values
from shufflecert.verify.systems.declare import System as Declared
from shufflecert.verify.systems.load import Kind, Target, load, named_values
from shufflecert.verify.systems.population import Population, populated

Exact = int | str | Fraction | Decimal  # a rational: 3, "3/10", "0.3", Fraction(3, 10); a float is refused
EpsValue = Exact | Eps  # in nats; also "log(3/2)"
Asked = str | Path | Randomizer | System  # a system's name, a file, "my.py:Mine", or the object itself
Sampler = Callable[..., object]  # a function f(x, rng)
Reference = str | Mapping[str, Exact] | Randomizer  # of deletion: an input, a mixture, a law of its own
File = str | Path


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


def paths(**files: File | None) -> dict[str, Any]:
    """Names of files as paths."""
    return {name: path(file) for name, file in files.items()}


def parameters(given: Mapping[str, Exact]) -> list[str]:
    """Parameters as the command's NAME=VALUE. Raises BadInput for a float."""
    for name, value in given.items():
        if isinstance(value, float):
            raise BadInput(f'{name} = {value!r} is a float, and floats are not exact: write "{value!r}"')
    return [f"{name}={value}" for name, value in given.items()]


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
    """A question, the system as it was `made`, and the answer's head.

    `head` is what the answer begins with where a name was given: the command's words; else None, for the object's own.
    """

    question: Question
    made: Any
    head: Tree | None


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
    asked = peopled(made, who)
    named = isinstance(system, str | Path)
    head = options.about(str(system), made, count, parameters(given)) if named else None
    return Named(Question.of(asked, count, view, others_of(others)), made, head)


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
    return type(made), {name: value for name, value in values(made).items() if name not in chosen}


def effort(max_work: Exact | None, tolerance: Exact | None) -> Effort:
    """The effort: the relative width aimed at, and the limit of work. Raises BadInput."""
    return Effort(options.tolerance(text(tolerance)), options.work(text(max_work)))


def users(n: Exact | None, view: str) -> int:
    """The number of users; needed where messages are shuffled."""
    if n is None and view == "shuffled":
        raise BadInput("n: missing: expected the number of users")
    return options.users(n, view)  # type: ignore[arg-type]  # it reads numbers as well


def target(paper: bool, n: int, eps: EpsValue | None, delta: Exact | None) -> Target | None:
    """For whom a paper's parameters are asked."""
    if not paper:
        return None
    if eps is None or delta is None:
        raise BadInput("paper: expected eps and delta, which the parameters are chosen for")
    return Target(n, Eps.of(eps), probability(delta, "delta"))


def presence(adjacency: str, reference: Reference | None, honest: Exact | None, take_part: Exact | None) -> Presence:
    """Neighbours and participation. Raises BadInput."""
    if isinstance(reference, str):
        return options.presence(adjacency, reference, text(honest), text(take_part))
    mixture: Any = reference if isinstance(reference, Randomizer) or reference is None else dict(reference)
    return Presence.of(adjacency, mixture, honest, 1 if take_part is None else take_part)


def peopled(made: Any, who: Presence) -> Any:
    """The system among these users. Raises BadInput where the object states its own already."""
    if who != EVERYBODY and isinstance(made, Population):
        raise BadInput("adjacency, honest, take_part: the system was `populated` with others: expected one of the two")
    return populated(made, who)


def others_of(counts: Mapping[Any, int] | str | None) -> dict[str, int] | None:
    """The other users' inputs."""
    if counts is None or isinstance(counts, str):
        return options.others(counts)
    return options.others(",".join(f"{x}={count}" for x, count in counts.items()))


def needed(value: Any, name: str, example: str) -> Any:
    """A value that must be given."""
    if value is None:
        raise BadInput(f"{name}: missing: expected one, such as {name}={example}")
    return value
