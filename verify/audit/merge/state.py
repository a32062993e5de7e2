"""The state in which a function puts a question, in a form that can be compared: equal states go on equally.

A path is followed by running a function anew, so a state is never restored; it is only recognised. What the function
will do from a question on is determined by

    its frames, from the first to the one that called rng: code, instruction, the locals that may still be read, and
        what waits on the stack of each;
    what these refer to, by value, exact type and identity (two names of one list are not two equal lists), with the
        draws that are not yet numbers: their maps, and the cells that hold all that is known of them (draws.py);
    which question is put, through which method of rng, with which arguments;
    what else the code can reach (states_world.py);
    and the answers to come, which are independent of everything but the cells.

`key` writes all that down, or gives None: where C code stands between two frames (`sorted` with a key, numpy), where
something waits on a stack that is not known to be a local or a constant, where a value is of a type that is not in the
lists here, and at all but the first question of one call to rng, whose own frames then hold more than its arguments.
So two paths with one key, put to the same answers, run the same instructions on the same values, by induction over the
instructions, and send the same with the same conditional probabilities. What is left out of a key cannot be read again:
locals that are not live, and the identity of immutable values, as the code compares nothing by `is` but singletons.
"""

import builtins
import math
import sys
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from verify.audit.code.runner import Runner
from verify.audit.guard.questions import CAUGHT, DRAWN
from verify.audit.merge.bytecode import NULL, NotUnderstood, Point, Stack, Symbol, at, names
from verify.audit.merge.surroundings import ATOMS, ITERATORS, World, add_up, pick, world_of
from verify.audit.merge.values import CONTAINERS, DRAWS, SOURCES, Writer
from verify.audit.rng.exact_input import REFUSED

OURS = "verify.audit."
CONVERSIONS: tuple[Any, ...] = (int, bool)  # call one method once, whatever they are given
OF_DRAWS: tuple[Any, ...] = (abs, round, math.floor, math.ceil, math.trunc)  # ... and once for every element of arrays
SHORT: tuple[Any, ...] = (any, all)  # remember nothing of what they have seen
GENERATOR = 0x20  # co_flags


class States:
    """Writes down states of one function's runs."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: FrameType | None = None  # the call to rng that put the last question

    def entry(self) -> FrameType | None:
        """The frame of the method of rng, or of the draw, through which the question came that is being put."""
        frame, found = sys._getframe(1), None
        while frame is not None and _is_ours(frame):
            frame, found = frame.f_back, frame  # type: ignore[assignment]
        return found

    def answered(self) -> None:
        """The question that is being put is one of its call's: the next one is not its first."""
        self.asked = self.entry()

    def key(self, question: Hashable) -> Hashable | None:
        """The state in which a new question is put; None where it is not understood."""
        entry = self.entry()
        first, self.asked = entry is not self.asked, entry
        if not first or entry is None or entry.f_back is None:
            return None
        if CAUGHT or REFUSED or sys.gettrace() is not None:  # what a path has caught is told at its end (catching.py)
            return None
        try:
            frames = self._frames(entry)
            writer = Writer(self.world, [frame for frame, _ in frames], entry)
            roots = tuple(writer.put(look_up()) for look_up in self.world.roots)
            stack = tuple(self._written(frame, point, writer) for frame, point in frames)
            method = id(entry.f_code), id(entry.f_locals.get("method"))  # of rng, where it is heard (questions.py)
            return question, DRAWN[0], roots, stack, method, _arguments(entry, writer)
        except (NotUnderstood, RecursionError, ValueError, KeyError):
            return None

    def _frames(self, entry: FrameType) -> list[tuple[FrameType, Point]]:
        """The function's frames, the innermost first, each linked to the next without anything hidden between."""
        listed: list[tuple[FrameType, Point]] = []
        inner, frame = entry, entry.f_back
        while frame is not None and not _is_ours(frame):
            if id(frame.f_code) not in self.world.ids:
                raise NotUnderstood("other code")
            point = at(frame.f_code, frame.f_lasti)
            _linked(frame, point, inner, inner is entry)
            listed.append((frame, point))
            inner, frame = frame, frame.f_back
        outside = frame is not None and frame.f_code is Runner._called.__code__
        if not listed or not outside or inner.f_code is not self.world.function.__code__:
            raise NotUnderstood("called by others")
        return listed

    def _written(self, frame: FrameType, point: Point, writer: Writer) -> Hashable:
        waiting, found = _waiting(point), frame.f_locals
        for symbol in waiting:
            _waits(frame, symbol)
        code = frame.f_code
        wanted = point.live.union(code.co_cellvars, code.co_freevars, *(names(symbol) for symbol in waiting))
        values = tuple((name, writer.put(found[name]) if name in found else None) for name in sorted(wanted))
        return id(code), point.offset, values


@contextmanager
def states_of(function: Any) -> Iterator[Callable[[], States] | None]:
    """Makes what writes down the states of a function, while its loops are made plain; None if it is not understood."""
    with world_of(function) as world:
        yield None if world is None else lambda: States(world)


def _is_ours(frame: FrameType) -> bool:
    """Whether a frame is of the source or the walk, and not of what stands in for a builtin."""
    module = frame.f_globals.get("__name__", "")
    if module == "random":  # the library's own code, which a source has
        return type(frame.f_locals.get("self")) in SOURCES
    return module.startswith(OURS) and frame.f_code is not add_up.__code__


# -- what a frame is waiting for --------------------------------------------------------------------------------------


def _waiting(point: Point) -> Stack:
    """What stays on the stack below what the instruction consumes."""
    if point.name == "CALL":
        return point.stack[: -point.count - 2]
    if point.name in ("COMPARE_OP", "BINARY_OP"):
        return point.stack[:-2]
    if point.name == "FOR_ITER":
        return point.stack
    raise NotUnderstood(point.name)


def _linked(frame: FrameType, point: Point, inner: FrameType, is_entry: bool) -> None:
    """The instruction runs the inner frame itself, and nothing in C between that remembers anything."""
    if point.name == "FOR_ITER":
        symbol = point.stack[-1]
        if symbol[0] == "iterator":
            symbol = symbol[1]
        made = _value(frame, symbol)
        linked = not is_entry and type(made) is GeneratorType and made.gi_frame is inner
    elif point.name in ("COMPARE_OP", "BINARY_OP"):
        linked = is_entry and any(_is_draw(frame, symbol, inner) for symbol in point.stack[-2:])
    elif point.name == "CALL":
        linked = _is_called(frame, point.stack[-point.count - 2 :], inner, is_entry)
    else:
        linked = False
    if not linked:
        raise NotUnderstood(point.name)


def _is_draw(frame: FrameType, symbol: Symbol, inner: FrameType) -> bool:
    """Whether an operand is the very draw whose method runs, not a list or an array that has it."""
    if symbol[0] == "random":
        source = _value(frame, symbol[1])
        return type(source) in SOURCES and type(inner.f_locals.get("self")) in DRAWS
    return symbol[0] in ("local", "deref") and _value(frame, symbol) is inner.f_locals.get("self", frame)


def _is_called(frame: FrameType, part: Stack, inner: FrameType, is_entry: bool) -> bool:
    first, second, *given = part
    if first[0] == "method":
        owner = _value(frame, first[1])
        if type(owner) not in SOURCES:
            return first[1][0] == "global" and len(given) == 1 and is_entry and _converts(frame, first, given[0], inner)
        method = getattr(type(owner), first[2], None)
        code = getattr(method, "__code__", None)
        return is_entry and code is inner.f_code and inner.f_locals.get("self") is owner
    if first != NULL:
        return False
    called = _value(frame, second) if second[0] != "function" else None
    if second[0] == "function":
        return not is_entry and _constant(frame, second[1]) is inner.f_code and not inner.f_code.co_flags & GENERATOR
    if type(called) is FunctionType:
        return not is_entry and called.__code__ is inner.f_code and not inner.f_code.co_flags & GENERATOR
    if type(called) is MethodType:
        return is_entry and type(called.__self__) in SOURCES and called.__func__.__code__ is inner.f_code
    if any(called is known for known in SHORT) and len(given) == 1 and given[0][0] == "generator":
        return not is_entry and _constant(frame, given[0][1]) is inner.f_code
    if not is_entry or len(given) != 1 or type(inner.f_locals.get("self")) not in DRAWS:
        return False
    if any(called is one for one in CONVERSIONS):
        return True
    return any(called is one for one in OF_DRAWS) and _is_draw(frame, given[0], inner)


def _converts(frame: FrameType, method: Symbol, given: Symbol, inner: FrameType) -> bool:
    """math.floor(draw) and the like."""
    module = _value(frame, method[1])
    known = module is math and any(getattr(math, method[2], None) is one for one in OF_DRAWS)
    return known and _is_draw(frame, given, inner)


def _waits(frame: FrameType, symbol: Symbol) -> None:
    """Raises NotUnderstood unless a slot is a function of the locals that its symbol names."""
    kind = symbol[0]
    if kind in ("local", "deref", "global", "const", "null"):
        return
    if kind in ("method", "self"):
        owner = _value(frame, symbol[1])
        if type(owner) in CONTAINERS or type(owner) in SOURCES or type(owner) is ModuleType:
            return
    if kind == "binary":  # of numbers and text that are what they were
        for part in symbol[2:]:
            if part[0] != "binary" and type(_value(frame, part)) not in ATOMS:
                raise NotUnderstood(kind)
            _waits(frame, part)
        return
    if kind == "iterator" and symbol[1][0] in ("local", "deref"):
        made = _value(frame, symbol[1])
        if type(made) in ITERATORS or type(made) is GeneratorType:
            return
    raise NotUnderstood(kind)


def _value(frame: FrameType, symbol: Symbol) -> Any:
    kind = symbol[0]
    if kind in ("local", "deref"):
        if symbol[1] in frame.f_locals:
            return frame.f_locals[symbol[1]]
    elif kind == "global":
        name = symbol[1]
        return frame.f_globals[name] if name in frame.f_globals else getattr(builtins, name)
    elif kind == "const":
        return _constant(frame, symbol)
    elif kind == "picked" and _constant(frame, symbol[1]) is pick:
        return pick(_value(frame, symbol[2]))
    raise NotUnderstood(kind)


def _constant(frame: FrameType, symbol: Symbol) -> Any:
    return frame.f_code.co_consts[symbol[1]]


def _arguments(entry: FrameType, writer: Writer) -> Hashable:
    """Of the method of rng or of a draw, as they are now: before its first question it keeps nothing else."""
    code, found = entry.f_code, entry.f_locals
    many = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return tuple(writer.put(found[name]) for name in code.co_varnames[:many])
