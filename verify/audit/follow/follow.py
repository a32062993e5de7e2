"""A function f(x, rng) followed: from its file's text to its exact law, without a line of it being run by Python."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy

from shufflecert.verify.audit.callables import Options
from shufflecert.verify.audit.follow import library, load
from shufflecert.verify.audit.follow.machine import Asked, Machine, Thrown
from shufflecert.verify.audit.follow.natives import prelude, text_of
from shufflecert.verify.audit.follow.values import (
    UNBOUND,
    Bound,
    Frame,
    Function,
    Instance,
    Partial,
    Refused,
    frozen,
    thawed,
)
from shufflecert.verify.audit.messages import Names, label_of
from shufflecert.verify.audit.rng.draws import REFUSED
from shufflecert.verify.audit.rng.order_statistics import on_path
from shufflecert.verify.audit.rng.recording import Fails
from shufflecert.verify.audit.rng.source import SOURCES
from shufflecert.verify.audit.walk import Node, Pick, Run, Walked, path_to, walk
from shufflecert.verify.errors import BadInput


@dataclass
class Program:
    """A function of a loaded file, with the machine that follows it."""

    machine: Machine
    function: Any
    attributes: dict[str, Any]
    at_load: set[str]  # what was taken as exact while the file was loaded

    @property
    def yields(self) -> bool:
        """Whether what it sends is what it yields."""
        return yields(self.function)

    def laws(
        self,
        source: str,
        inputs: Sequence[Any],
        options: Options,
        each: bool,
        tick: Callable[[int], object] | None = None,
    ) -> tuple[dict[str, Walked], set[str]]:
        """The law of what is sent on every input, by one of `SOURCES`; and what was taken as exact."""
        machine, names, found = self.machine, Names(), dict[str, Walked]()
        thresholds, machine.assumed = dict[Any, Any](), set(self.at_load)
        rng = SOURCES[source](machine.asking, options.deployed, thresholds, machine.assumed)
        for same in (machine.asking, rng, thresholds):
            machine.kept.number(id(same), same)
        for x in inputs:
            REFUSED.clear()
            start, name = entry(machine, self.function, x, rng, each), label_of(x, "input")
            with numpy.errstate(all="ignore"):
                states = States(machine, start, names.messages, name)
                found[name] = walk(states, options.residual, options.max_paths, name, tick)
        return found, machine.assumed


def of_file(path: str, name: str, inputs: Sequence[Any], seconds: int = 10) -> Program:
    """`my.py:name`. Raises Refused, with the line, where the file is not in the subset."""
    machine = Machine(library, seconds)
    return _ready(machine, load.loaded(Path(path), name, machine), inputs)


def of_object(function: Any, inputs: Sequence[Any], seconds: int = 10) -> Program:
    """A function of this process. Raises Refused where it, its file, or an input is not in the subset."""
    machine = Machine(library, seconds)
    load.plain(list(inputs))
    return _ready(machine, load.of_native(function, machine), inputs)


def _ready(machine: Machine, function: Any, inputs: Sequence[Any]) -> Program:
    called = _called(function)
    attributes = called.attributes if isinstance(called, Function) else {}
    if isinstance(called, Instance):
        named = {name: called.attributes.get(name, called.kind.find(name)) for name in ("inputs", "each")}
        attributes = {name: value for name, value in named.items() if value is not UNBOUND}
    if not isinstance(called, Function) and not isinstance(called, Instance):
        raise Refused("what is no function of the file is not followed: expected a function f(x, rng)")
    load.freeze(machine, [function, *inputs])
    return Program(machine, function, dict(attributes), set(machine.assumed))


# A function as questions ----------------------------------------------------------------------------------------------


class States:
    """Goes on from the states of a machine. A question is known by its state and by what was answered to the
    instruction that puts it, which is done anew with each answer."""

    def __init__(self, machine: Machine, start: Frame, output: Callable[[Any], Hashable], name: str) -> None:
        self.machine, self.output, self.name = machine, output, name
        self.start = frozen([start], machine.kept), tuple[int, ...]()

    def __call__(self, one: Node | None, answer: int, pick: Pick) -> Run:
        machine = self.machine
        state, answers = self.start if one is None else (one.state[0], (*one.state[1], answer))
        machine.frames = thawed(state, machine.kept)
        try:
            return Run([], True, self.output(machine.run(answers)))
        except Asked as asked:
            at = state, machine.asking.answers
            if machine.asking.step == 0 and machine.asking.answers == ():
                at = self.kept(one, answer), ()
            return Run([Node(at, asked.question, asked.weights, at, one, answer)])
        except Thrown as thrown:
            self.complain(Fails, f"raises {text_of(thrown.value)} ({machine.raised})", one, answer)
        except BadInput as error:
            self.complain(type(error), str(error), one, answer)

    def kept(self, one: Node | None, answer: int) -> bytes:
        """The state in which a question is put."""
        machine = self.machine
        try:
            return frozen(machine.frames, machine.kept)
        except Refused as error:
            frame = machine.frames[-1]
            self.complain(Refused, str(machine.placed(error, frame, frame.at)), one, answer)

    def complain(self, kind: type[BadInput], what: str, one: Node | None, answer: int) -> NoReturn:
        """Says what went wrong, and on which path."""
        mass = Fraction(1) if one is None or one.vertex is None else one.mass(answer)
        raise kind(f"input {self.name}: {what}; {on_path(path_to(one, answer), mass)}") from None


def entry(machine: Machine, function: Any, x: Any, rng: Any, each: bool) -> Frame:
    """The frame in which f(x, rng) is called, and its messages are gathered."""
    name, args = ("_yielded", ()) if yields(function) else ("_returned", (each,))
    return machine.opened(prelude(name), (function, x, rng, *args), {})


def yields(function: Any) -> bool:
    """Whether a call gives a generator."""
    function = _called(function)
    if isinstance(function, Instance):
        function = function.kind.find("__call__")
    return isinstance(function, Function) and function.code.generator


def _called(function: Any) -> Any:
    """What is called in the end, with arguments before those that are given."""
    while isinstance(function, Partial | Bound):
        function = function.function if isinstance(function, Partial) else function.what
    return function
