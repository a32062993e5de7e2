"""Functions of Python's that followed code may call, made of the functions that do it; and its exceptions."""

import builtins
import operator
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from typing import Any
from unicodedata import ucd_3_2_0

import numpy

from shufflecert.verify.audit.follow.values import (
    ATOMS,
    CONTAINERS,
    DRAWS,
    MANY_BITS,
    MANY_ITEMS,
    MOST_BITS,
    MOST_ITEMS,
    PLAIN,
    SCALARS,
    UNBOUND,
    Bound,
    Class,
    Frame,
    Function,
    Instance,
    Native,
    Opaque,
    Unknown,
    kind_name,
    refuse,
)
from shufflecert.verify.audit.rng.draws import Draws
from shufflecert.verify.audit.rng.recording import Source
from shufflecert.verify.errors import exception_text

HOLDING = CONTAINERS | {Instance}
SINGLETONS = (type(None), bool, type(...))


def plain(value: Any) -> None:
    """Refuses what is of no type on the list."""
    kind = type(value)
    if kind in PLAIN or (kind is numpy.ndarray and value.dtype.kind in "biufUS"):
        return
    if isinstance(value, Source):
        refuse("rng in an operation", "its methods called")
    if kind is numpy.ndarray:
        refuse(f"an array of {value.dtype}", "one of numbers")
    refuse(kind_name(value))


def checked(value: Any) -> Any:
    """A result: integers of a size that can be had, numpy's numbers and arrays of numbers."""
    if type(value) is not int:
        plain(value)
    elif value.bit_length() > MOST_BITS:
        refuse(MANY_BITS)
    return value


def not_gone_through(value: Any) -> None:
    """Refuses a range that is too long for what goes through it at one go."""
    if type(value) is range and value[:MOST_ITEMS] != value:
        refuse(MANY_ITEMS)


def not_unfolded(value: Any) -> None:
    """Refuses what holds one thing in so many places that it takes for ever to go through all of them."""
    if many(value, {}) > MOST_ITEMS:
        refuse(f"what holds {MANY_ITEMS}, each as often as it stands in it,")


def many(value: Any, met: dict[int, int]) -> int:
    """How many things a value holds, each as often as it stands in it; each is looked at once."""
    if type(value) not in HOLDING:
        return 1
    if id(value) not in met:
        met[id(value)] = 1  # where it holds itself
        held = value.attributes if type(value) is Instance else value
        held = held.values() if type(held) is dict else held
        flat = HOLDING.isdisjoint(map(type, held))
        met[id(value)] = 1 + (len(held) if flat else sum(many(part, met) for part in held))
    return met[id(value)]


def same(left: Any, right: Any) -> bool:
    """`is`, where Python says what it is: not of numbers and text, which may or may not be one object."""
    if type(left) in SINGLETONS or type(right) in SINGLETONS:
        for value in (left, right):
            if type(value) is Unknown and "." in value.name and not value.own:
                refuse(f"`is` of {value.name}")  # which may be None
        return type(left) is type(right) and left is right
    for value in (left, right):
        if type(value) in ATOMS or type(value) in (float, tuple, frozenset, Bound) or type(value) in SCALARS:
            if type(left) is type(right):
                refuse(f"`is` of {kind_name(value)}", "==")
            return False
    return left is right


def set_of(values: Any, listed: bool = True) -> set[Any]:
    """A set; of values that were `listed` Python asks no more once one has no hash."""
    for value in values:
        keyed(value) if listed else hashable(value)
    return set(values)


def keyed(value: Any) -> None:
    """Refuses what has no hash, where what else Python evaluates hangs on when it is asked."""
    try:
        hashable(value)
    except TypeError:
        refuse("what has no hash among several")


def hashable(value: Any) -> None:
    """Refuses as a key what is not compared by value."""
    kind = type(value)
    if kind is slice:
        refuse("a slice as a key, which Python 3.12 takes in another way")
    if kind in ATOMS or kind in SCALARS or kind in (Class, Function, Instance) or isinstance(value, type):
        return
    if kind is float:
        if value != value:
            refuse("nan as a key")
    elif kind is tuple or kind is frozenset:
        for part in value:
            if type(part) in HOLDING:
                not_unfolded(part)
            hashable(part)
    elif kind in DRAWS or isinstance(value, Opaque):
        refuse(f"{kind_name(value)} as a key")
    else:
        hash(value)  # which raises


def index(key: Any) -> None:
    kind = type(key)
    if kind is tuple:
        for part in key:
            index(part)
    elif kind is slice:
        for part in (key.start, key.stop, key.step):
            index(part)
    elif isinstance(key, Opaque):
        refuse(f"{kind_name(key)} as an index")
    else:
        plain(key)


def printable(value: Any, quoted: bool = True) -> None:
    """Refuses what has no text of its own: its text would show an address, or another order; what is long; and
    within quotes characters that are newer than some version of Python, which writes them as numbers."""
    waiting, met = [value], 0
    while waiting:
        part = waiting.pop()
        kind, met = type(part), met + 1
        if met > MOST_ITEMS:
            refuse(MANY_ITEMS)
        if kind is str:
            if (quoted or met > 1) and not part.isascii() and "Cn" in map(ucd_3_2_0.category, part):
                refuse("the text of text with such characters")
        elif kind in (list, tuple):
            waiting += part
        elif kind is dict:
            waiting += [*part.keys(), *part.values()]
        elif kind in (set, frozenset):
            waiting += ordered(part)
        elif isinstance(part, Opaque | Source | Draws | type):
            refuse(f"text of {kind_name(part)}")
        else:
            plain(part)


def ordered(value: Any) -> tuple[Any, ...]:
    """A set's elements, where their order is not asked."""
    if len(value) > 1:
        refuse("the order of a set", "sorted(...) around it")
    return tuple(value)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow, "LShift": operator.lshift,
    "RShift": operator.rshift, "BitOr": operator.or_, "BitXor": operator.xor, "BitAnd": operator.and_,
    "MatMult": operator.matmul,
}  # fmt: skip
CAREFUL = frozenset({"Pow", "LShift", "Mult", "Mod", "MatMult"})
SIZED = frozenset({Fraction, str, bytes, list, tuple})
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge,
}  # fmt: skip
METHODS = {op: function.__name__.rstrip("_") for op, function in (OPERATORS | COMPARISONS).items()}  # of objects
TURNED = {"Lt": "gt", "LtE": "ge", "Gt": "lt", "GtE": "le", "Eq": "eq", "NotEq": "ne"}
UNARY: dict[str, Callable[[Any], Any]] = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}

PRELUDE_NAMES: dict[str, Any] = {}


def words(listed: str) -> list[str]:
    """Names that stand in one text."""
    return listed.split()


def prelude(name: str) -> Any:
    """A function, or a class, of the prelude."""
    return PRELUDE_NAMES[name]


# Exceptions -----------------------------------------------------------------------------------------------------------

EXCEPTIONS: dict[str, Class] = {}
GIVEN = {name for kind in (Exception, ImportError, AttributeError, StopIteration) for name in dir(kind)}
for _kind in (*(getattr(builtins, name) for name in words(
    "BaseException Exception ArithmeticError ZeroDivisionError OverflowError LookupError IndexError KeyError "
    "ValueError TypeError RuntimeError NotImplementedError StopIteration AssertionError AttributeError NameError "
    "UnboundLocalError ImportError ModuleNotFoundError"
)), FrozenInstanceError):  # fmt: skip
    EXCEPTIONS[_kind.__name__] = Class(_kind.__name__, EXCEPTIONS.get(_kind.__base__.__name__), {}, [])


def is_exception(kind: Class) -> bool:
    return kind.is_a(EXCEPTIONS["BaseException"])


def made(name: str, *args: Any) -> Instance:
    """An exception that Python itself raises; what it says is not known, since versions differ in that."""
    return Instance(EXCEPTIONS[name])


def exception(error: Exception) -> Instance:
    """The followed program's exception for one that Python raised in an instruction."""
    if "read-only" in str(error):
        refuse("a change of an array that was there before the call, or is a view that cannot be written")
    kind = type(error)
    if kind.__name__ in EXCEPTIONS and kind not in (Exception, BaseException):
        return made(kind.__name__)
    refuse(f"what raises {exception_text(error)}")


def text_of(value: Instance) -> str:
    """An exception in words, for the report of a path that ends in one."""
    args = value.attributes.get("args", ())
    said = ", ".join(str(part) if type(part) in ATOMS else "..." for part in args)
    return f"{value.kind.name}: {said}" if said else value.kind.name


# Natives --------------------------------------------------------------------------------------------------------------

Args = list[Any]
Named = dict[str, Any]


@dataclass(frozen=True)
class Guard:
    """Arguments for which a function is refused: `what` is said of it, its name in the place of {}."""

    when: Callable[[Args, Named], Any]
    what: str
    instead: str = ""

    def meets(self, args: Args, named: Named) -> bool:
        """Whether they are such arguments, or others that it cannot look at."""
        try:
            return bool(self.when(args, named))
        except Exception:
            return True


def pure(name: str, function: Callable[..., Any], *guards: Guard, holds: bool = False, changes: bool = False) -> Native:
    """A function of plain values. What `holds` is a container's, and may give anything that this has; what `changes`
    is a method of an object that may be changed."""

    def call(m: Any, f: Frame, args: Args, more: Named) -> None:
        for value in (*args, *more.values()):
            if isinstance(value, Source) or (isinstance(value, Opaque) and not holds):
                refuse(f"{name} of {kind_name(value)}")
            if not (holds and args and type(args[-1]) is int):  # of which a range knows where it is
                not_gone_through(value)
        if name in ("index", "count", "remove") and type(args[-1]) is not int:
            not_unfolded(args[0])
        if changes:
            m.may_change(args[0])
            if type(args[0]) in (dict, set) and name in ("pop", "popitem", "discard", "remove", "clear"):
                m.may_shrink(args[0])
        for guard in guards:
            if guard.meets(args, more):
                refuse(guard.what.format(name), guard.instead)
        if (holds or changes) and type(args[0]) in (dict, set) and len(args) > 1 and (args[0] or name != "pop"):
            hashable(args[1])  # a key
        found = function(*args, **more)
        if not holds:
            found = tuple(map(checked, found)) if type(found) is tuple else checked(found)
        f.stack.append(found)

    return Native(name, call)


def native(name: str) -> Callable[[Callable[..., Any]], Native]:
    """A function that gets the machine and its arguments, and whose value is left on the stack; UNBOUND where it is
    there already, or comes once what was entered has returned."""

    def made_of(function: Callable[..., Any]) -> Native:
        code: Any = function.__code__
        by_place = code.co_varnames[code.co_posonlyargcount : code.co_argcount]

        def call(m: Any, f: Frame, args: Args, more: Named) -> None:
            if not more.keys().isdisjoint(by_place):
                refuse(f"{name} of these arguments")
            try:
                if (value := function(m, *args, **more)) is not UNBOUND:
                    f.stack.append(value)
            except TypeError as error:
                if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                    refuse(f"{name} of these arguments")
                raise

        return Native(name, call)

    return made_of


def written_in_python(value: Native) -> bool:
    """Whether a function that is a class's attribute would be called with the object, as those of Python's text are."""
    return value.name.startswith("numpy.") or value.name in ("dataclass", "field", "replace", "getLogger")


def listing(name: str, *, sets: bool = False) -> Callable[[Callable[..., Any]], Native]:
    """A function whose last argument may be anything iterable: it is a sequence, or a set where `sets` are taken as
    they are, once the function has it."""

    def made_of(function: Callable[..., Any]) -> Native:
        done = native(name)(function)

        def call(m: Any, f: Frame, args: Args, more: Named) -> None:
            if not args:
                m.throw("TypeError")
            held = args[-1]
            made = held if sets and type(held) in (set, frozenset) else m.sequence(held)
            if made is None:
                m.enter(prelude("_then"), [held, done, args[:-1], more], {})
            else:
                done.call(m, f, [*args[:-1], made], more)

        return Native(name, call)

    return made_of


def entering(name: str) -> Native:
    """A function of the prelude."""

    def call(m: Any, f: Frame, args: Args, more: Named) -> None:
        m.enter(prelude(name), args, more)

    return Native(name, call)
