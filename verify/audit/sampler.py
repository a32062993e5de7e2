"""From a Python function f(x, rng) to a randomizer: its exact law, for every input, over tuples of messages.

In two tiers. *Followed* (verify/audit/follow/): the function and what it calls stay in a subset of Python in which
every operation has a meaning that is defined there; what is not in it is refused. *Observed* (verify/audit/observe/):
the function is run as it stands, and its law is that of its runs, if it keeps no state and draws from rng alone.

Where mass is left unexplored (loops without an end), the randomizer sends it to one more output for each input, "not
followed from x". The function is a post-processing of that randomizer: who sees such an output knows x, and can draw
what the function would have sent. So the randomizer dominates the function: what is proved of the one holds for the
other. From below, an event of n users that avoids these outputs has at least the randomizer's P, and at most its Q and
the probability n r that any of n users is not followed, r the largest residual.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from importlib import import_module
from inspect import unwrap
from pathlib import Path as File
from typing import Any

from shufflecert.verify.audit.callables import (
    MAX_PATHS,
    RESIDUAL,
    SECONDS,
    Function,
    Options,
    checked,
    listed_inputs,
    name_of,
)
from shufflecert.verify.audit.messages import label_of
from shufflecert.verify.audit.rng.recording import Fails, OtherLibrary
from shufflecert.verify.audit.rng.source import LIBRARIES, SOURCES
from shufflecert.verify.audit.walk import Found, Walked, may_agree
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.randomizer import Messages, Randomizer

NOT_FOLLOWED = "not followed from "
FOLLOWED, OBSERVED = "followed", "observed"
FOLLOW = "shufflecert.verify.audit.follow.follow"
ASSUMES = ("the function has no state and draws from rng alone",)  # of a law that was observed


@dataclass(frozen=True)
class Followed:
    """The exact law of a function's outputs, by the labels of its inputs: laws[x] sums to 1 - residual[x].

    `randomizer` has the residual as outputs of their own, and dominates the function. `tier` is "followed" or
    "observed", `refused` why it is not followed, `assumes` what an observed law rests on. `assumed` are the operations
    that are taken as exact though a computer rounds them; `digest` is the SHA-256 of the file that the function stands
    in; `several`, whether its messages are what it yields, or the elements of what it returns, not what it returns.
    """

    laws: Mapping[str, Mapping[Messages, Fraction]]
    residual: Mapping[str, Fraction]
    paths: Mapping[str, int]
    randomizer: Randomizer
    deployed: bool
    assumed: tuple[str, ...] = ()
    library: str = LIBRARIES[0]  # whose source rng is; " or " between two that give the same law
    file: str = ""
    digest: str = ""
    tier: str = FOLLOWED
    refused: str = ""
    several: bool = False

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the law rests on, besides the meaning of Python."""
        return ASSUMES if self.tier == OBSERVED else ()

    @property
    def note(self) -> str:
        """What a certificate is about, and what was assumed."""
        assumed = ", ".join((*self.assumes, *self.assumed)) or "nothing more"
        of = f"{self.file}, SHA-256 {self.digest}" if self.digest else "a function of no file"
        return f"the law that was {self.tier} of {of}; rng: {self.library}; assumed: {assumed}"


def enumerate_sampler(
    function: Function,
    inputs: Sequence[Any],
    *,
    deployed: bool = False,
    residual: Fraction = RESIDUAL,
    max_paths: int = MAX_PATHS,
    seconds: int = SECONDS,
    each: bool | None = None,
    library: str | None = None,
    strict: bool = False,
    tick: Callable[[int], object] | None = None,
) -> Followed:
    """The law of f(x, rng) for every input x, until at most `residual` of the mass is unexplored.

    Followed from the text of its file where that is in the subset, else observed, in a copy of this process; `strict`
    refuses instead. What f returns is one message, or with `each` (None: its attribute of that name) its elements are;
    what it yields are several. rng is the source of a `library`, one of `verify.audit.rng.source.SOURCES`. Without one
    it is random.Random's and numpy's Generator in turn: the function is for the one that has all its methods, and
    where both have them the laws must be equal, or it is refused. Floats that are compared with draws stand for the
    decimals that they are written as; `deployed`, they are what they are, and random() is a multiple of 2^-53. Raises
    BadInput for a function that raises, sends what is no message, or puts no question for `seconds`, with the path.
    """
    listed, name = _inputs(inputs), name_of(function)
    checked(function)
    options = Options(deployed, residual, max_paths, seconds, each, library)

    def followed() -> tuple[Any, list[Any]]:
        return import_module(FOLLOW).of_object(function, listed, seconds), listed

    found = _in_tiers(name, options, strict, tick, followed, partial(_observed, function, listed, options))
    file, digest = _file_of(function)
    return replace(found, file=file, digest=digest)


def enumerate_file(
    name: str,
    values: Mapping[str, str],
    inputs: Sequence[Any] | None,
    options: Options,
    *,
    patch: Sequence[str] = (),
    strict: bool = False,
    tick: Callable[[int], object] | None = None,
) -> Followed:
    """As `enumerate_sampler`, of `my.py:name`; None for its own inputs. Observed, it is in three fresh processes."""
    path, _, attribute = name.partition(".py:")
    file = File(path + ".py")

    def followed() -> tuple[Any, list[Any]]:
        follow = import_module(FOLLOW)
        if patch or values:
            given = "--patch" if patch else "-p"
            raise follow.Refused(f"a function with {given} is not followed: expected one that is called f(x, rng)")
        program = follow.of_file(str(file), attribute, inputs or (), options.seconds)
        return program, _inputs(inputs if inputs is not None else listed_inputs(program.attributes.get("inputs")))

    def observed(library: str) -> Found:
        fresh = import_module("shufflecert.verify.audit.observe.fresh")
        return fresh.in_fresh_processes(  # type: ignore[no-any-return]
            name, values, patch, inputs if inputs is None else _inputs(inputs), replace(options, library=library)
        )

    found = _in_tiers(name, options, strict, tick, followed, observed)
    refused, digest = found.refused.removeprefix(f"{name}: "), sha256(file.read_bytes()).hexdigest()
    return replace(found, file=file.name, digest=digest, refused=refused)


def _in_tiers(
    name: str,
    options: Options,
    strict: bool,
    tick: Callable[[int], object] | None,
    followed: Callable[[], tuple[Any, list[Any]]],
    observed: Callable[[str], Found],
) -> Followed:
    """The law as it is followed, or where that is refused, as it is observed."""
    try:
        program, inputs = followed()
        return _of_libraries(name, options, lambda library: _followed(program, name, library, inputs, options, tick))
    except import_module(FOLLOW).Refused as error:
        refused = str(error) if str(error).startswith(name) else f"{name}: {error}"
        if strict:
            raise BadInput(refused) from None
    return _of_libraries(name, options, observed, refused)


def _inputs(inputs: Sequence[Any]) -> list[Any]:
    if not inputs:
        raise BadInput("inputs: none: expected at least one")
    names = [label_of(x, "input") for x in inputs]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"inputs: {name} stands twice")
    return list(inputs)


def _observed(function: Function, inputs: Sequence[Any], options: Options, library: str) -> Found:
    runner = import_module("shufflecert.verify.audit.observe.runner")
    several = options.several(getattr(function, "each", False))
    call = partial(runner.observed, function, inputs, library, options, several)
    return *runner.in_a_fork(name_of(function), call), several


def _followed(
    program: Any,
    name: str,
    library: str,
    inputs: Sequence[Any],
    options: Options,
    tick: Callable[[int], object] | None,
) -> Found:
    each = options.several(program.attributes.get("each", False))
    try:
        found, assumed = program.laws(library, inputs, options, each, tick)
    except TooMuchWork:
        raise
    except BadInput as error:
        raise type(error)(f"{name}: {error}") from None
    return found, assumed, each or program.yields


def _made(
    found: Mapping[str, Walked], assumed: set[str], several: bool, options: Options, library: str, refused: str
) -> Followed:
    laws = {x: {messages: p for messages, p in walked.law.items() if p} for x, walked in found.items()}
    left = {x: walked.unexplored for x, walked in found.items()}
    rows = [(x, [*law.items(), *([((NOT_FOLLOWED + x,), left[x])] if left[x] else [])]) for x, law in laws.items()]
    return Followed(
        laws,
        left,
        {x: walked.paths for x, walked in found.items()},
        Randomizer.build(rows),
        options.deployed,
        tuple(sorted(assumed)),
        library,
        tier=OBSERVED if refused else FOLLOWED,
        refused=refused,
        several=several,
    )


def _of_libraries(name: str, options: Options, of: Callable[[str], Found], refused: str = "") -> Followed:
    """The law that the function has with the source that it was written for."""

    def law(library: str) -> Followed:
        return _made(*of(library), options, library, refused)

    if options.library is not None:
        if options.library not in SOURCES:
            raise BadInput(f"rng: {options.library}: expected one of {', '.join(SOURCES)}")
        return law(options.library)
    found, failed = dict[str, Followed](), dict[str, BadInput]()
    for library in LIBRARIES:
        try:
            found[library] = law(library)
        except TooMuchWork:
            raise
        except BadInput as error:
            failed[library] = error
    unknown = [error for error in failed.values() if not isinstance(error, Fails)]
    failing = [error for error in failed.values() if not isinstance(error, OtherLibrary)]
    if unknown or (not found and failing):
        raise (unknown or failing)[0]
    if not found:
        raise BadInput("; ".join(map(str, failed.values())))
    one, *rest = found.values()
    if any(one.laws != two.laws for two in rest):
        if all(_may_agree(one, two) for two in rest):  # they were not followed equally far
            return min(found.values(), key=lambda followed: max(followed.residual.values()))
        raise BadInput(
            f"{name}: random.Random and numpy's Generator give different laws: expected the one that it is written for "
            "(--rng random or --rng numpy)"
        )
    return replace(one, library=" or ".join(found))


def _may_agree(one: Followed, two: Followed) -> bool:
    return all(may_agree(law, one.residual[x], two.laws[x], two.residual[x]) for x, law in one.laws.items())


def _file_of(function: Any) -> tuple[str, str]:
    """The name and the SHA-256 of the file that a function or an object's class stands in."""
    function = unwrap(function) if hasattr(function, "__wrapped__") else function  # of `patch.through`, a decorator's
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    module = sys.modules.get(type(function).__module__)
    file = File(code.co_filename if code else getattr(module, "__file__", None) or "")
    try:
        return file.name, sha256(file.read_bytes()).hexdigest()
    except OSError:
        return "", ""
