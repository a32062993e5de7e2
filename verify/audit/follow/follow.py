"""A function f(x, rng) followed: from its file's text to its exact law, without a line of it being run by Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from shufflecert.verify.audit.callables import Options
from shufflecert.verify.audit.follow import library, load
from shufflecert.verify.audit.follow.machine import Machine
from shufflecert.verify.audit.follow.values import UNBOUND, Bound, Function, Instance, Partial, Refused
from shufflecert.verify.audit.follow.walk import States, entry, yields
from shufflecert.verify.audit.messages import Names, label_of
from shufflecert.verify.audit.rng.exact_input import REFUSED
from shufflecert.verify.audit.rng.source import SOURCES
from shufflecert.verify.audit.walk import Walked, walk


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
            start, name = entry(self.function, x, rng, each), label_of(x, "input")
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
    called = function
    while isinstance(called, Partial | Bound):
        called = called.function if isinstance(called, Partial) else called.what
    attributes = called.attributes if isinstance(called, Function) else {}
    if isinstance(called, Instance):
        named = {name: called.attributes.get(name, called.kind.find(name)) for name in ("inputs", "each")}
        attributes = {name: value for name, value in named.items() if value is not UNBOUND}
    if not isinstance(called, Function) and not isinstance(called, Instance):
        raise Refused("what is no function of the file is not followed: expected a function f(x, rng)")
    load.freeze(machine, [function, *inputs])
    return Program(machine, function, dict(attributes), set(machine.assumed))
