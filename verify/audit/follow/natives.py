"""Functions of Python's that followed code may call, made of the functions that do it; and its exceptions."""

import builtins
import operator
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from typing import Any

from shufflecert.verify.audit.follow.checks import checked, hashable, not_gone_through, not_unfolded
from shufflecert.verify.audit.follow.values import (
    ATOMS,
    UNBOUND,
    Class,
    Frame,
    Instance,
    Native,
    Opaque,
    kind_name,
    refuse,
)
from shufflecert.verify.audit.rng.recording import Source
from shufflecert.verify.errors import exception_text

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
