"""Every state of a followed function: the exact law of what it sends, by the states in which it asks for chance.

A state is a vertex of a Markov chain; an answer leads to the next question, or to an end. Two paths that come to equal
states meet there, so that loops close, and their masses are those of the chain (`masses.law`). States are followed in
the order of the mass of the path on which they were met first, until what is left is small enough.
"""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd
from typing import Any

from shufflecert.verify.audit.callables import Options
from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.follow.machine import Asked, Machine, Thrown
from shufflecert.verify.audit.follow.masses import Vertex, law
from shufflecert.verify.audit.follow.values import Bound, Frame, Function, Instance, Module, Partial, frozen, thawed
from shufflecert.verify.audit.patience import SOON, Paths, drawn
from shufflecert.verify.audit.rng.order_statistics import on_path
from shufflecert.verify.audit.rng.recording import Fails, Source
from shufflecert.verify.errors import BadInput

DEEPEST = 20_000  # questions on one path
ORDERS = 4  # halvings within which the newest states go first
LONGEST = 500  # questions of a path that is drawn to guess how many there are


@dataclass(eq=False, slots=True)
class Open:
    """A question that was put in a state, with the answers that are still to be followed, the most probable first."""

    state: bytes
    answers: tuple[int, ...]
    weights: Sequence[int] | int
    order: Sequence[int]
    total: int
    at: int
    vertex: Vertex
    depth: int
    before: "Open | None"
    question: Hashable
    answer: int


@dataclass
class Walked:
    """What was found of one input: `law` sums to 1 - `unexplored`; how many answers were followed, and states met."""

    law: dict[Any, Fraction]
    unexplored: Fraction
    paths: int
    states: int


def walk(
    machine: Machine,
    source: Source,
    shared: dict[Any, Any],
    start: Frame,
    output: Callable[[Any], Hashable],
    options: Options,
    name: str,
    tick: Callable[[int], object] | None = None,
) -> Walked:
    """The law of what `start` returns, as far as the options want it."""
    residual, max_paths = options.residual, options.max_paths
    root = Vertex(1, 1)
    for one_for_all in (machine.asking, source, shared):
        machine.kept.number(id(one_for_all), one_for_all)
    vertices, known = [root], dict[Hashable, Open]()
    waiting: list[tuple[int, int, Open]] = []
    serial, paths, again, look, patience = 0, 0, 0, SOON, Paths(name, residual, max_paths)

    def follow(
        frames: list[Frame], base: bytes, given: tuple[int, ...], one: Open | None, num: int, den: int
    ) -> None:
        """Runs on to the next question, or to the end."""
        nonlocal serial, again
        machine.frames = frames
        vertex = root if one is None else one.vertex
        try:
            sent = output(machine.run(given))
        except Asked as asked:
            if machine.asking.step == 0 and machine.asking.answers == ():
                state, answers = frozen(machine.frames, machine.kept), tuple[int, ...]()
            else:
                state, answers = base, machine.asking.answers
            key = (state, answers)
            found = known.get(key)
            if found is None:
                weights = asked.weights
                if isinstance(weights, int):
                    order: Sequence[int] = range(weights)
                    total = weights
                else:
                    order = sorted(
                        (i for i in range(len(weights)) if weights[i]), key=weights.__getitem__, reverse=True
                    )
                    total = sum(weights)
                to = Vertex(num, den)
                answer = one.order[one.at - 1] if one is not None else 0
                depth = one.depth + 1 if one is not None else 0
                found = Open(state, answers, weights, order, total, 0, to, depth, one, asked.question, answer)
                known[key] = found
                vertices.append(to)
                if depth < DEEPEST:
                    serial += 1
                    heappush(waiting, (_rank(to), -serial, found))
            else:
                again += 1
            vertex.step(found.vertex, num, den)
        except Thrown as thrown:
            raise complaint(Fails, f"raises {library.text_of(thrown.value)} ({machine.raised})", one, name) from None
        except BadInput as error:
            raise complaint(type(error), str(error), one, name) from None
        else:
            vertex.end(sent, num, den)

    def probe(guess: random.Random) -> Fraction | None:
        """One over the probability of a path that is drawn by chance; None where it does not end soon."""
        assert first is not None
        state, answers, many = first.state, first.answers, Fraction(1)
        weights = first.weights
        for _ in range(LONGEST):
            answer, times = drawn(guess, weights)
            many *= times
            machine.frames = thawed(state, machine.kept)
            try:
                machine.run((*answers, answer))
            except Asked as asked:
                if machine.asking.step == 0 and machine.asking.answers == ():
                    state, answers = frozen(machine.frames, machine.kept), ()
                else:
                    answers = machine.asking.answers
                weights = asked.weights
            except (BadInput, Thrown):
                return None  # which is told on its own path
            else:
                return many
        return None

    def left() -> Fraction:
        return 1 - sum(law(vertices)[0].values(), Fraction(0))

    follow([start], b"", (), None, 1, 1)
    first = waiting[0][2] if waiting else None
    while waiting and paths < max_paths:
        one = waiting[0][2]
        answer = one.order[one.at]
        one.at += 1
        if one.at == len(one.order):
            heappop(waiting)
        weight = 1 if isinstance(one.weights, int) else one.weights[answer]
        common = gcd(weight, one.total)
        num, den = one.vertex.num * (weight // common), one.vertex.den * (one.total // common)
        given = (*one.answers, answer)
        frames = thawed(one.state, machine.kept)
        follow(frames, one.state, given, one, num, den)
        paths += 1
        if one.at == len(one.order) and one is not first:
            one.state = b""
        if paths == SOON and 10 * again < paths:
            patience.foresee(probe, paths)
        if tick is not None:
            tick(paths)
        if residual and paths >= look:
            look = paths + max(SOON, paths // 4)
            if left() <= residual:
                break
        patience.look(paths, left)
    found, _ = law(vertices)
    return Walked(found, 1 - sum(found.values(), Fraction(0)), paths, len(vertices))


def _rank(vertex: Vertex) -> int:
    return (vertex.den.bit_length() - vertex.num.bit_length()) // ORDERS


def complaint(kind: type[BadInput], what: str, one: Open | None, name: str) -> BadInput:
    """What went wrong, and on which path."""
    asked, at, mass = list[Any](), one, Fraction(1)
    if one is not None:
        answer = one.order[one.at - 1]
        weight = 1 if isinstance(one.weights, int) else one.weights[answer]
        mass = Fraction(one.vertex.num * weight, one.vertex.den * one.total)
        while at is not None:
            asked.append((at.question, answer))
            answer, at = at.answer, at.before
    return kind(f"input {name}: {what}; {on_path(asked[::-1], mass)}")


def entry(function: Any, x: Any, rng: Any, each: bool) -> Frame:
    """The frame in which f(x, rng) is called, and its messages are gathered."""
    code = Code("the call", "", 0)
    code.instructions = [
        ("const", function, 0), ("load", "x", 0), ("load", "rng", 0), ("call", (2, ()), 0),
        *([("listed", None, 0)] if yields(function) else []), ("sent", each or yields(function), 0), ("ret", None, 0),
    ]  # fmt: skip
    names = frozenset({"x", "rng"})
    code.live = [names, names, frozenset({"rng"}), *[frozenset[str]()] * 4]
    frame = Frame(code, Module("the call", ""))
    frame.names = {"x": x, "rng": rng}
    return frame


def yields(function: Any) -> bool:
    """Whether a call gives a generator."""
    while isinstance(function, Partial | Bound):
        function = function.function if isinstance(function, Partial) else function.what
    if isinstance(function, Instance):
        function = function.kind.find("__call__")
    return isinstance(function, Function) and function.code.generator
