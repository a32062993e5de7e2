"""What a followed function computes with, and whole states of it, frozen into tuples: equal iff they go on alike.

Integers, floats, Fractions, text, bytes, ranges, tuples, lists, dicts and sets are Python's own, of just these types;
numpy's numbers and arrays are numpy's, without objects. Everything that could run code of a user's class is of a type
that stands here. These refuse what Python would ask them behind our back (`==` in a list, `str` of a tuple), so that no
operation on plain values reaches code that is not followed.

A state is written by pickle: what cannot change by value and exact type, what can where it is first met, so that two
names of one list are not two equal lists. What was made while the file was loaded has a number, since it never changes.
A draw that is not yet a number is its maps and its place in a cell, with all that is known of the cell. A state goes on
from what was written of it alone, so states that are written alike are one.
"""

import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from types import FunctionType
from typing import Any, NoReturn

import numpy

from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.messages import one_of
from shufflecert.verify.audit.rng.draws import Draw, Draws, Whole
from shufflecert.verify.audit.rng.order_statistics import Cell as Places
from shufflecert.verify.audit.rng.order_statistics import Place, place_of
from shufflecert.verify.audit.rng.recording import Source
from shufflecert.verify.errors import BadInput

MOST_BITS, MOST_ITEMS = 10**6, 10**6
MANY_ITEMS, MANY_BITS = f"more than {MOST_ITEMS} items", f"an integer of more than {MOST_BITS} bits"
ATOMS = frozenset({int, bool, str, bytes, Fraction, range, type(None), type(...), slice})
NUMBERS = frozenset({int, bool, float, Fraction})
SCALARS = frozenset(
    {numpy.bool_, numpy.float32, numpy.float64, numpy.str_}
    | {getattr(numpy, f"{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)}
    | {type(numpy.array([1], dtype=code)[0]) for code in "bBhHiIlLqQ"}
)
CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
DRAWS = frozenset({Draw, Whole})
PLAIN = ATOMS | CONTAINERS | SCALARS | DRAWS | {float, Draws}  # of which nothing needs to be looked at
TYPES: dict[Any, str] = {kind: kind.__name__ for kind in (
    int, bool, float, str, bytes, list, tuple, dict, set, frozenset, range, Fraction, type(None), slice, object,
)}  # fmt: skip


class Refused(BadInput):
    """Something that is not in the subset that is followed: what, and what to write instead."""


def refuse(what: str, instead: str = "") -> NoReturn:
    raise Refused(f"{what} is not followed" + (f": expected {instead}" if instead else ""))


class Opaque:
    """A value of ours: what Python asks of it unseen is refused."""

    __slots__ = ()

    def _asked(self, *_: Any, **__: Any) -> NoReturn:
        refuse(f"what Python asks of {kind_name(self)} within an operation")

    __str__ = __repr__ = __format__ = __bool__ = __iter__ = __next__ = __len__ = __contains__ = __call__ = _asked
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mul__ = __rmul__ = __mod__ = __getitem__ = _asked
    __index__ = __int__ = __float__ = __array__ = __reduce_ex__ = __fspath__ = __bytes__ = __rmod__ = _asked


@dataclass(eq=False, repr=False, slots=True)
class Cell(Opaque):
    """A local that functions inside refer to; `value` is UNBOUND before it is assigned."""

    value: Any


class Unbound(Opaque):
    __slots__ = ()


UNBOUND = Unbound()  # no value at all


@dataclass(eq=False, repr=False, slots=True)
class Module(Opaque):
    """A file of the user's, with its names."""

    name: str
    file: str
    package: str = ""  # that it stands in, or is; of the file that is audited none
    names: dict[str, Any] = field(default_factory=dict)
    code: Any = None


@dataclass(eq=False, repr=False, slots=True)
class Function(Opaque):
    """A function of the user's file. `attributes` may be set while the file is loaded."""

    code: Code
    module: Module
    defaults: tuple[Any, ...]
    named: dict[str, Any]
    cells: dict[str, Cell]
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False, repr=False, slots=True)
class Class(Opaque):
    """A plain class of the user's file, a dataclass of it, or one of Python's exceptions."""

    name: str
    base: "Class | None"
    attributes: dict[str, Any]
    fields: list[str]
    given: dict[str, Any] | None = None  # the arguments of @dataclass
    stub: Any = None  # a class of Python's with these fields and defaults, where it is a dataclass or above one
    python: Any = None  # the class of Python's that the prelude's stands for, or that of an enumeration

    def find(self, name: str) -> Any:
        """The attribute of a class or of what it is derived from; UNBOUND where there is none."""
        one: Class | None = self
        while one is not None:
            if name in one.attributes:
                return one.attributes[name]
            one = one.base
        held = () if self.python is None or name == "__hash__" else self.python.__mro__[:-1]
        return refuse(f"{name} of {self.name}") if any(name in vars(kind) for kind in held) else UNBOUND

    def is_a(self, other: "Class") -> bool:
        one: Class | None = self
        while one is not None and one is not other:
            one = one.base
        return one is not None

    def dataclass(self) -> "Class | None":
        """The nearest dataclass in what it is derived from, itself first."""
        one: Class | None = self
        while one is not None and one.given is None:
            one = one.base
        return one

    def all_fields(self) -> list[str]:
        """Of a dataclass, its bases' fields first."""
        return [one.name for one in fields(self.stub)]


@dataclass(eq=False, repr=False, slots=True)
class Super(Opaque):
    """`super()` in a method of a class, of an object or of a class derived from it."""

    kind: Class
    of: Any


@dataclass(eq=False, repr=False, slots=True)
class Generated(Opaque):
    """A method that @dataclass writes: __init__, __eq__ or __hash__, by the fields of this class."""

    of: Class


@dataclass(eq=False, repr=False, slots=True)
class Instance(Opaque):
    """An object of a class of the user's file, or an exception."""

    kind: Class
    attributes: dict[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        """A field of a dataclass; of one that its own __init__ did not set, the default of the class."""
        found = self.attributes.get(name, UNBOUND)
        found = self.kind.find(name) if found is UNBOUND else found
        if found is UNBOUND or type(found) is Wrapped:
            refuse(f"the field {name} of {kind_name(self)}, which was not set")
        return found

    def _fields(self, made: Class) -> tuple[Any, ...]:
        return tuple(map(self.part, made.all_fields()))

    def __eq__(self, other: object) -> Any:
        found = self.kind.find("__eq__")
        if found is UNBOUND:
            return True if self is other else NotImplemented
        if type(found) is not Generated:
            refuse(f"an `==` of {self.kind.name} within an operation", "the two compared by themselves")
        if not isinstance(other, Instance) or other.kind is not self.kind:
            return NotImplemented
        mine, others = self._fields(found.of), other._fields(found.of)
        if any(a is b and (type(a) in (numpy.ndarray, Draws) or a != a) for a, b in zip(mine, others, strict=True)):
            refuse("an `==` of dataclasses that hold nan, or an array, which Python 3.13 takes in another way")
        return mine == others

    def __hash__(self) -> int:
        found = self.kind.find("__hash__")
        if found is UNBOUND:
            return object.__hash__(self)
        if found is None:
            raise TypeError(f"unhashable type: '{self.kind.name}'")
        if type(found) is not Generated:
            refuse(f"the hash of {self.kind.name}")
        return hash(self._fields(found.of))


@dataclass(eq=False, repr=False, slots=True)
class Bound(Opaque):
    """A method with its object: a user's function, or the name of a method of a plain value, or of rng."""

    what: Any
    of: Any

    def __eq__(self, other: object) -> Any:
        refuse("an `==` of methods")

    def __hash__(self) -> int:
        refuse("the hash of a method")


@dataclass(eq=False, repr=False, slots=True)
class Native(Opaque):
    """Something of Python's, or of a library's, that is on the list: `call(machine, args, named)` does it."""

    name: str
    call: Callable[..., Any]

    def __eq__(self, other: object) -> Any:
        return True if self is other else refuse(f"an `==` of {self.name}")

    __hash__ = object.__hash__


@dataclass(eq=False, repr=False, slots=True)
class Library(Opaque):
    """A module of which a list is known; `names` are its values."""

    name: str
    names: dict[str, Any]


@dataclass(eq=False, repr=False, slots=True)
class Unknown(Opaque):
    """What was imported, or made, and is not on any list: it may be named, and not used."""

    name: str
    own: bool = False  # a class of the user's file, whose making may run code of its own


MISSING = Unknown("a default that is not given")


@dataclass(eq=False, repr=False, slots=True)
class Partial(Opaque):
    """functools.partial."""

    function: Any
    args: tuple[Any, ...]
    named: dict[str, Any]


@dataclass(eq=False, repr=False, slots=True)
class Wrapped(Opaque):
    """A staticmethod, classmethod or property; or a field() of a dataclass, with its arguments."""

    kind: str
    what: Any


@dataclass(eq=False, repr=False, slots=True)
class Iterator(Opaque):
    """Where a loop is in a list, tuple, text, range or array; of a dict's view, `keys` are those it had at first."""

    of: Any
    at: int = 0
    keys: tuple[Any, ...] | None = None


@dataclass(eq=False, repr=False, slots=True)
class View(Opaque):
    """A dict's keys, values or items."""

    of: dict[Any, Any]
    kind: str

    def __eq__(self, other: object) -> Any:
        refuse("an `==` of a dict's views")

    def __hash__(self) -> int:
        refuse("the hash of a dict's view")

    def listed(self) -> list[Any]:
        return list(getattr(self.of, self.kind)())

    def at(self, key: Any) -> Any:
        """What it shows of a key."""
        return key if self.kind == "keys" else self.of[key] if self.kind == "values" else (key, self.of[key])


@dataclass(eq=False, repr=False, slots=True)
class Frame(Opaque):
    """A call that is under way. `blocks` are the handlers around, each with the height of the stack there."""

    code: Code
    module: Module
    at: int = 0
    names: dict[str, Any] = field(default_factory=dict)
    cells: dict[str, Cell] = field(default_factory=dict)
    stack: list[Any] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)
    of: "Generator | None" = None
    made: Any = None  # of a class's body: its fields; of __init__: the object, and that None is returned; of an
    # iterator of Python's: whether, asked again after its end, it asks what it is of


@dataclass(eq=False, repr=False, slots=True)
class Generator(Opaque):
    """A generator that waits, runs (`frame.of`) or has ended (no frame)."""

    frame: Frame | None
    running: bool = False


SAID = {"Whole": "draw", "Draws": "array of draws", "View": "dict's view", "Bound": "method"}


def kind_name(value: Any) -> str:
    if isinstance(value, Instance):
        return f"an object of {value.kind.name}"
    if isinstance(value, Function):
        return f"the function {value.code.name}"
    if isinstance(value, Unknown | Native | Library | Module | Class):
        return value.name
    if isinstance(value, Source):
        return "rng"
    if isinstance(value, Wrapped):
        return one_of(value.kind)
    return one_of(SAID.get(name := type(value).__name__, name.lower()))


def owner(array: Any) -> Any:
    """The array whose memory this one shows."""
    while type(array.base) is numpy.ndarray:
        array = array.base
    return array


def parts(value: Any) -> list[Any] | None:
    """What a value holds; None of one that holds nothing and cannot change."""
    kind = type(value)
    if kind in (tuple, list, set, frozenset):
        return list(value)
    if kind is dict:
        return [*value.keys(), *value.values()]
    if isinstance(value, Opaque) and kind not in (Native, Library, Unknown, Unbound):
        return [getattr(value, name) for name in kind.__slots__]
    return [] if kind is numpy.ndarray else None


# States ---------------------------------------------------------------------------------------------------------------

WRITTEN: tuple[Any, ...] = (  # kinds of which a state has the parts, which are set again
    Cell, Function, Instance, Super, Bound, Partial, Iterator, View, Generator, Frame, Draws, Draw, Places, Place,
)  # fmt: skip
PARTS: dict[Any, tuple[str, ...]] = {kind: kind.__slots__ for kind in WRITTEN} | {Whole: Draw.__slots__}
NAMES, PLACE = PARTS[Frame].index("names"), PARTS[Draw].index("place")
AS_THEY_ARE = frozenset({Native, Library, Unknown, Unbound, Class, Module, Code, FunctionType, partial})
BY_VALUE = frozenset({str, bytes, Fraction, type(...)}) | SCALARS


def _filled(value: Any, parts: list[Any]) -> None:
    for name, part in zip(PARTS[type(value)], parts, strict=True):
        setattr(value, name, part)


def _array(data: bytearray, dtype: str, shape: tuple[int, ...], order: Any) -> Any:
    made = numpy.empty(shape, dtype, order=order)
    made[...] = numpy.frombuffer(data, dtype).reshape(shape, order=order)
    return made


def _objects(listed: list[Any], shape: tuple[int, ...], order: Any) -> Any:
    made = numpy.empty(len(listed), object)
    for i, value in enumerate(listed):
        made[i] = value
    return made.reshape(shape, order=order)


def _view(base: Any, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    return numpy.ndarray(shape, dtype, base, offset, strides)


MADE = {kind: partial(object.__new__, kind) for kind in PARTS}


class Kept:
    """What states name by a number: what never changes, by its identity, and text and such numbers by their value."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.values: list[Any] = []

    def number(self, key: Any, value: Any) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.values)
            self.values.append(value)
        return found


MOST_PARTS = 10**6


class Writer(pickle.Pickler):
    """Writes a state: two that are written alike are made again alike, and so go on alike."""

    def __init__(self, into: Any, kept: Kept) -> None:
        super().__init__(into, 5)
        self.kept, self.sets, self.parts_met = kept, dict[int, Any](), 0

    def persistent_id(self, value: Any) -> Any:
        """A number for what is kept; for a tuple its items, so that equal ones are written alike, and for a set its
        elements in order."""
        kind = type(value)
        if kind is int or kind is bool or value is None:
            return None
        if kind is tuple:
            self.parts_met += len(value)
            if self.parts_met > MOST_PARTS:
                refuse(f"a tuple of more than {MOST_PARTS} parts, in all, that is kept over a question")
            return list(value) or None
        if kind is float or kind in SCALARS:
            if value != value:
                refuse("nan that is kept over a question")  # it is known by its identity
            if kind is float:
                return None
            return self.kept.number((kind, str(value) if kind is numpy.str_ else value.tobytes()), value)
        if kind in BY_VALUE:
            return self.kept.number((kind, value), value)
        if kind in AS_THEY_ARE or isinstance(value, type):
            return self.kept.number(id(value), value)
        found = self.kept.numbers.get(id(value))
        if found is None and (kind is set or kind is frozenset):
            return self.sets.setdefault(id(value), {kind is frozenset: self.ordered(value)})
        return found

    def ordered(self, values: Any) -> list[Any]:
        if not all(type(value) in ATOMS or type(value) in (float, tuple) for value in values):
            refuse("a set of what is no number, text or tuple of these")
        return sorted(values, key=lambda value: (type(value).__name__, repr(value)))

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind in PARTS:
            return MADE[kind], (), self.parts(kind, value), None, None, _filled
        if kind is slice or kind is range:
            return kind, (value.start, value.stop, value.step)
        if kind is numpy.ndarray:
            return self.array(value)
        refuse(f"a {kind.__name__} that is kept over a question")

    def parts(self, kind: Any, value: Any) -> list[Any]:
        parts = [getattr(value, name) for name in PARTS[kind]]
        if kind is Frame:  # of the locals those that may still be read
            live = value.code.live[value.at]
            parts[NAMES] = {name: value.names[name] for name in sorted(live & value.names.keys())}
        elif kind in DRAWS:
            parts[PLACE] = place_of(value.place)
        return parts

    def array(self, array: Any) -> Any:
        if array.dtype.kind not in "biufUSO":
            refuse(f"an array of {array.dtype}")
        if (base := owner(array)) is not array:
            offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            return _view, (base, array.dtype.str, array.shape, array.strides, offset)
        if not array.flags.forc:
            refuse("an array that is laid out in another order than C's or Fortran's, and kept over a question,")
        order = "F" if array.flags.fnc else "C"
        if array.dtype.kind == "O":
            return _objects, (array.ravel(order).tolist(), array.shape, order)
        return _array, (bytearray(array.tobytes(order)), array.dtype.str, array.shape, order)


class Reader(pickle.Unpickler):
    """Makes the values of a state again."""

    def __init__(self, written: bytes, kept: Kept) -> None:
        super().__init__(io.BytesIO(written))
        self.kept, self.sets = kept, dict[int, Any]()

    def persistent_load(self, pid: Any) -> Any:
        if type(pid) is int:
            return self.kept.values[pid]
        if type(pid) is list:
            return tuple(pid)
        ((frozen, values),) = pid.items()
        return self.sets.setdefault(id(pid), (pid, frozenset(values) if frozen else set(values)))[1]


def frozen(frames: list[Frame], kept: Kept) -> bytes:
    """A whole state."""
    into = io.BytesIO()
    try:
        Writer(into, kept).dump(frames)
    except RecursionError:
        refuse("what is nested so deeply, and kept over a question,")
    return into.getvalue()


def thawed(state: bytes, kept: Kept) -> list[Frame]:
    """The frames of a state."""
    return Reader(state, kept).load()  # type: ignore[no-any-return]
