"""Values of a running function written down, so that two are written alike only where no program tells them apart.

By value and exact type: 1, 1.0 and True differ, and so do 0.0 and -0.0. What can change, or is compared by identity, is
numbered where it is first met, so that two names of one list are not two equal lists. A draw that is not yet a number
is its maps and its place in a cell, with all that is known of the cell (verify/audit/rng/order_statistics.py). What is
of a type that is not in the lists here is not understood: sets (whose order hides their past), generators that wait,
views of arrays, and the objects of classes, among others.
"""

from collections.abc import Hashable
from fractions import Fraction
from types import BuiltinFunctionType, BuiltinMethodType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from verify.audit.guard.questions import guarded
from verify.audit.merge.bytecode import NotUnderstood
from verify.audit.merge.surroundings import ATOMS, CLASSES, HARMLESS, ITERATORS, MODULES, World
from verify.audit.rng.order_statistics import place_of
from verify.audit.rng.source import SOURCES as LIBRARIES
from verify.audit.rng.symbolic_draw import Draw, Whole

SOURCES, DRAWS = tuple(guarded(made) for made in LIBRARIES.values()), (Draw, Whole)
ATTRIBUTES = {"_path", "_deployed", "_thresholds", "_assumed"}  # of a source: no others are known
CONTAINERS = (list, dict, tuple, str)  # whose methods are what they are


class Writer:
    """Values as tuples of text and numbers; what can change, or has an identity, is numbered where first met."""

    def __init__(self, world: World, frames: list[FrameType], entry: FrameType) -> None:
        self.world, self.frames, self.entry = world, frames, entry
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no number of what was made on the way is given twice

    def put(self, value: Any) -> Hashable:
        kind = type(value)
        if kind is str or kind is int or value is None:
            return (kind, value)
        if kind in ATOMS:
            return _atom(kind, value)
        if kind is tuple:
            return (kind, *map(self.put, value))
        if any(value is known for known in (*HARMLESS, *CLASSES)):
            return ("known", id(value))
        if kind is ModuleType and value.__name__.split(".")[0] in MODULES:
            return ("module", value.__name__)
        return self._numbered(kind, value)

    def _numbered(self, kind: type, value: Any) -> Hashable:
        if kind.__module__ == "numpy" and (scalar := _scalar(kind, value)) is not None:
            return scalar
        if (number := self.numbers.get(id(value))) is not None:
            return ("again", number)
        self.numbers[id(value)] = len(self.numbers)
        self.kept.append(value)
        if kind is list:
            return (kind, *map(self.put, value))
        if kind is dict:
            return (kind, *((self.put(k), self.put(v)) for k, v in value.items()))
        if kind in DRAWS:
            return self._draw(value)
        if kind in SOURCES and set(vars(value)) == ATTRIBUTES:
            return ("source", kind.__module__, kind.__qualname__)
        if kind in ITERATORS:
            parts = value.__reduce__()
            return (kind, *map(self.put, parts[1:]))
        if kind is GeneratorType:
            return self._generator(value)
        return self._callable(kind, value) if kind.__module__ != "numpy" else self._array(kind, value)

    def _generator(self, value: Any) -> Hashable:
        """One that runs now is known by its frame."""
        for i, frame in enumerate(self.frames):
            if value.gi_frame is frame:
                return ("frame", i)
        raise NotUnderstood("a generator that waits")

    def _callable(self, kind: type, value: Any) -> Hashable:
        if kind is FunctionType and id(value.__code__) in self.world.ids:
            if value.__kwdefaults__ or value.__dict__:
                raise NotUnderstood("attributes")
            cells = tuple(self.put(cell.cell_contents) for cell in value.__closure__ or ())
            return (kind, id(value.__code__), cells, self.put(value.__defaults__), id(value.__globals__))
        if kind is MethodType and type(value.__self__) in SOURCES:
            return (kind, id(value.__func__), self.put(value.__self__))
        if kind in (BuiltinFunctionType, BuiltinMethodType):
            owner = value.__self__
            if type(owner) in CONTAINERS or (type(owner) is ModuleType and owner.__name__ in MODULES):
                return (kind, value.__name__, self.put(owner))
        raise NotUnderstood(kind.__name__)

    def _draw(self, draw: Draw) -> Hashable:
        maps = tuple((name, self.put(by), *kinds) for name, by, *kinds in draw.maps)
        kind = (type(draw), draw.base, self.put(draw.like), draw.points, draw.slope)
        return (*kind, maps, self._place(place_of(draw.place)))

    def _place(self, place: Any) -> Hashable:
        cell = place.cell
        index = next(i for i, one in enumerate(cell.places) if one is place)
        if (number := self.numbers.get(id(cell))) is not None:
            return ("again", number, index)
        self.numbers[id(cell)] = len(self.numbers)
        self.kept.append(cell)
        ends = (Fraction(cell.low), Fraction(cell.high), len(cell.places))
        return (cell.points, *ends, index)

    def _array(self, kind: type, value: Any) -> Hashable:
        import numpy

        if kind is numpy.ndarray and value.base is None and value.dtype.kind in "biufUO":
            held = tuple(map(self.put, value.ravel().tolist())) if value.dtype.kind == "O" else value.tobytes()
            return (kind, value.dtype.str, value.shape, value.strides, value.flags.writeable, held)
        raise NotUnderstood(kind.__name__)


def _scalar(kind: type, value: Any) -> Hashable | None:
    """A number of numpy's."""
    import numpy

    if isinstance(value, numpy.generic) and value.dtype.kind in "biufU" and value == value:
        return (kind, value.dtype.str, value.tobytes())
    return None


def _atom(kind: type, value: Any) -> Hashable:
    """Equal only where type and value are: 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    if kind is float:
        if value != value:
            raise NotUnderstood("nan is not equal to itself")
        return (kind, value.hex())
    if kind is complex:
        return (kind, _atom(float, value.real), _atom(float, value.imag))
    if kind is range:
        return (kind, value.start, value.stop, value.step)
    return (kind, value)
