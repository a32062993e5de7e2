"""From a Python function f(x, rng) to a randomizer: its exact law, for every input, over tuples of messages.

Where mass is left unexplored (loops without an end), the randomizer sends it to one more output for each input, "not
followed from x". The function is a post-processing of that randomizer: who sees such an output knows x, and can draw
what the function would have sent. So the randomizer dominates the function: what is proved of the one holds for the
other. From below, an event of n users that avoids these outputs has at least the randomizer's P, and at most its Q and
the probability n r that any of n users is not followed, r the largest residual.
"""

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from importlib import import_module
from inspect import unwrap
from pathlib import Path as File
from typing import Any

from verify.audit.code.callables import Function, checked, name_of
from verify.audit.code.messages import Names, label_of
from verify.audit.code.paths import Path, Walked, walk
from verify.audit.code.runner import NEVER, Runner
from verify.audit.code.watch import Stopped, Watch
from verify.audit.guard.questions import guarded
from verify.audit.guard.world import World
from verify.audit.merge.state import states_of
from verify.audit.rng.recording import Fails, OtherLibrary
from verify.audit.rng.source import LIBRARIES, SOURCES
from verify.errors import BadInput, TooMuchWork
from verify.exact.randomizer import Messages, Randomizer

RESIDUAL, MAX_PATHS, SECONDS = Fraction(1, 2**64), 10**6, 10
NOT_FOLLOWED = "not followed from "


@dataclass(frozen=True)
class Followed:
    """The exact law of a function's outputs, by the labels of its inputs: laws[x] sums to 1 - residual[x].

    `randomizer` has the residual as outputs of their own, and dominates the function. `assumed` are the methods of the
    source that are taken as exact though the deployed ones round, `trusted` the packages whose code is taken
    to give the same answer always; `digest` is the SHA-256 of the file that the function stands in.
    """

    laws: Mapping[str, Mapping[Messages, Fraction]]
    residual: Mapping[str, Fraction]
    paths: Mapping[str, int]
    randomizer: Randomizer
    deployed: bool
    assumed: tuple[str, ...] = ()
    library: str = LIBRARIES[0]  # whose source rng is; " or " between two that give the same law
    trusted: tuple[str, ...] = ()
    file: str = ""
    digest: str = ""

    @property
    def note(self) -> str:
        """What a certificate is about, and what was assumed."""
        assumed = ", ".join((*self.assumed, *self.trusted)) or "nothing more"
        of = f"{self.file}, SHA-256 {self.digest}" if self.digest else "a function of no file"
        return f"the law that was followed of {of}; rng: {self.library}; assumed: {assumed}"


def enumerate_sampler(
    function: Function,
    inputs: Sequence[Any],
    *,
    deployed: bool = False,
    residual: Fraction = RESIDUAL,
    max_paths: int = MAX_PATHS,
    seconds: int = SECONDS,
    legacy: bool = False,
    library: str | None = None,
    trust: Sequence[str] = (),
    tick: Callable[[int], object] | None = None,
) -> Followed:
    """Every path of f(x, rng) for every input x, until at most `residual` of the mass is unexplored.

    rng is the source of a `library`, one of `verify.audit.rng.source.SOURCES` (`legacy`: numpy's RandomState). Without
    one it is random.Random's and numpy's Generator in turn: the function is for the one that has all its methods, and
    where both have them the laws must be equal, or it is refused. Floats that are compared with draws stand
    for the decimals that they are written as; `deployed`, they are what they are, and random() is a multiple of 2^-53.
    Raises BadInput for a function that raises, sends what is no tuple of messages, uses another source of randomness,
    changes its input or puts no question for `seconds`, with the path; TooMuchWork where it is estimated to have more
    than twice `max_paths` paths, else the walk stops at `max_paths` and leaves a larger residual.
    """
    if not inputs:
        raise BadInput("inputs: none: expected at least one")
    checked(function)
    given: dict[str, Any] = {"deployed": deployed, "residual": residual, "max_paths": max_paths, "seconds": seconds}
    given["trust"] = trust
    if legacy or library:
        return _of_library(function, inputs, "numpy's RandomState" if legacy else str(library), tick=tick, **given)
    found, refused = dict[str, Followed](), dict[str, BadInput]()
    for name in LIBRARIES:
        try:
            found[name] = _of_library(function, inputs, name, tick=tick, **given)
        except TooMuchWork:
            raise
        except BadInput as error:
            refused[name] = error
    return _agreed(name_of(function), found, refused)


def _agreed(name: str, found: "dict[str, Followed]", refused: dict[str, BadInput]) -> "Followed":
    """The law that the function has with the source that it was written for."""
    unknown = [error for error in refused.values() if not isinstance(error, Fails)]
    failing = [error for error in refused.values() if not isinstance(error, OtherLibrary)]
    if unknown or (not found and failing):
        raise (unknown or failing)[0]
    if not found:
        raise BadInput("; ".join(map(str, refused.values())))
    one, *rest = found.values()
    if any(one.laws != two.laws for two in rest):
        if all(_may_agree(one, two) for two in rest):  # they were not followed equally far
            return min(found.values(), key=lambda followed: max(followed.residual.values()))
        raise BadInput(
            f"{name}: random.Random and numpy's Generator give different laws: expected the one that it is written for "
            "(--rng random or --rng numpy)"
        )
    return replace(one, library=" or ".join(found))


def _may_agree(one: "Followed", two: "Followed") -> bool:
    """Whether two laws are no further apart than what was not followed of them."""
    for x, law in one.laws.items():
        other, left, right = two.laws[x], one.residual[x], two.residual[x]
        apart = [law.get(sent, 0) - other.get(sent, 0) for sent in {*law, *other}]
        if not all(-left <= p <= right for p in apart):
            return False
    return True


def _of_library(
    function: Function,
    inputs: Sequence[Any],
    library: str,
    *,
    deployed: bool,
    residual: Fraction,
    max_paths: int,
    seconds: int,
    trust: Sequence[str],
    tick: Callable[[int], object] | None,
) -> Followed:
    import_module("numpy")  # before the function does: its global source is looked at
    if library not in SOURCES:
        raise BadInput(f"rng: {library}: expected one of {', '.join(SOURCES)}")
    shared: tuple[dict[Any, Any], set[str]] = {}, set()
    made, found, names = guarded(SOURCES[library]), dict[str, Walked](), Names()
    before, world, again = _global_state(), World(trust), list[Runner]()
    with states_of(function) as states, world.entered(function) as followed:
        for x in inputs:
            runner = Runner(
                followed,
                x,
                label_of(x, "input"),
                lambda path: made(path, deployed, *shared),
                names,
                Watch(seconds),
                world,
            )
            if runner.name in found:
                raise BadInput(f"inputs: {runner.name} stands twice")
            try:
                with redirect_stdout(sys.stderr), runner.watch.watching():
                    estimate = partial(runner.estimate, residual, max_paths)
                    if states is None:
                        estimate()
                    found[runner.name] = walk(
                        runner, residual, max_paths, tick, states and states(), estimate if states else None
                    )
            except Stopped:  # between two runs
                raise BadInput(f"{name_of(function)}: input {runner.name}: no path within {seconds} seconds") from None
            again.append(runner)
        _in_another_order(again, function)
    if _global_state() != before:
        raise BadInput(
            f"{name_of(function)}: uses the global source of randomness (random or numpy.random): expected only rng"
        )
    laws = {x: {messages: p for messages, p in walked.law.items() if p} for x, walked in found.items()}
    left = {x: walked.unexplored for x, walked in found.items()}
    rows = [(x, [*law.items(), *([((NOT_FOLLOWED + x,), left[x])] if left[x] else [])]) for x, law in laws.items()]
    paths = {x: walked.paths for x, walked in found.items()}
    taken = tuple(sorted(shared[1])), library, tuple(sorted(world.trusted))
    return Followed(laws, left, paths, Randomizer.build(rows), deployed, *taken, *_file_of(function))


def _file_of(function: Any) -> tuple[str, str]:
    """The name and the SHA-256 of the file that a function or an object's class stands in; "" where there is none."""
    function = unwrap(function) if hasattr(function, "__wrapped__") else function  # of `patch.through`, a decorator's
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    module = sys.modules.get(type(function).__module__)
    file = File(code.co_filename if code else getattr(module, "__file__", None) or "")
    try:
        return file.name, sha256(file.read_bytes()).hexdigest()
    except OSError:
        return "", ""


def _in_another_order(runners: Sequence[Runner], function: Function) -> None:
    """Paths of all inputs once more, mixed: what they send must not hang on what was run before."""
    mixed = [(runner, node, sent) for runner in runners for node, sent in runner.kept]
    random.Random(1).shuffle(mixed)
    for runner, node, sent in mixed:
        with redirect_stdout(sys.stderr), runner.watch.watching():
            if runner.run(Path(node, NEVER)) != sent:
                runner.complain(node, "two runs on one path differ: expected all randomness from rng")


def _global_state() -> tuple[Any, ...]:
    """The state of the sources that belong to nobody."""
    numpy = sys.modules.get("numpy")
    theirs = numpy.random.get_state() if numpy else ()
    return random.getstate(), *(part.tolist() if hasattr(part, "tolist") else part for part in theirs)
