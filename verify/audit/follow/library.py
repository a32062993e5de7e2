"""What followed code may use of Python and its libraries: an explicit list, with the meaning that each has here.

Functions of plain values are Python's and numpy's own, given values of exact types, and what they give is looked at
again. `exp`, `log` and powers of floats, whose last digit is the machine's, are the correctly rounded ones; answers say
that this was assumed. What is handed something iterable is written in the subset itself (prelude.py).
"""

import ast
import bisect
import itertools
import math
import string
import sys
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy
from flint import arb, ctx

from shufflecert.verify.audit.follow.code import Code, compiled
from shufflecert.verify.audit.follow.machine import METHODS as OPERATOR_METHODS
from shufflecert.verify.audit.follow.machine import MOST_BITS, MOST_ITEMS, OPERATORS, Machine
from shufflecert.verify.audit.follow.values import (
    ATOMS,
    DRAWS,
    MISSING,
    NUMBERS,
    SCALARS,
    TYPES,
    UNBOUND,
    Bound,
    Class,
    Frame,
    Function,
    Generator,
    Instance,
    Iterator,
    Library,
    Module,
    Native,
    Opaque,
    Partial,
    Unknown,
    View,
    Wrapped,
    kind_name,
    refuse,
)
from shufflecert.verify.audit.rng.arrays import Draws
from shufflecert.verify.audit.rng.exact_input import NotFollowed
from shufflecert.verify.audit.rng.recording import Fails, Lacks, OtherLibrary, Refused, Source
from shufflecert.verify.errors import exception_text

PRELUDE = Path(__file__).with_name("prelude.py")
PRECISION = 200
LARGE = {"math.factorial": 10**5, "math.comb": 10**6, "math.perm": 10**6, "digits": 1000}  # beyond it takes long


def words(listed: str) -> list[str]:
    """Names that stand in one text."""
    return listed.split()


# Exceptions -----------------------------------------------------------------------------------------------------------

EXCEPTIONS: dict[str, Class] = {}
for _name, _base in (
    ("BaseException", None), ("Exception", "BaseException"), ("ArithmeticError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"), ("OverflowError", "ArithmeticError"), ("LookupError", "Exception"),
    ("IndexError", "LookupError"), ("KeyError", "LookupError"), ("ValueError", "Exception"),
    ("TypeError", "Exception"), ("RuntimeError", "Exception"), ("NotImplementedError", "RuntimeError"),
    ("StopIteration", "Exception"), ("AssertionError", "Exception"), ("AttributeError", "Exception"),
    ("NameError", "Exception"), ("UnboundLocalError", "NameError"), ("FrozenInstanceError", "AttributeError"),
    ("ImportError", "Exception"), ("ModuleNotFoundError", "ImportError"),
):  # fmt: skip
    EXCEPTIONS[_name] = Class(_name, EXCEPTIONS[_base] if _base else None, {}, [])


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


def pure(name: str, function: Callable[..., Any], *, named: bool = True) -> Native:
    """A function of plain values, without an effect."""

    def call(m: Machine, f: Frame, args: list[Any], more: dict[str, Any]) -> None:
        for value in (*args, *more.values()):
            if isinstance(value, Opaque):
                refuse(f"{name} of {kind_name(value)}")
            m.plain(value)
            if name in LARGE and type(value) is int and value > LARGE[name]:
                refuse(f"{name} of more than {LARGE[name]}")
        if name == "round" and len(args) == 2 and type(args[1]) is int and abs(args[1]) > LARGE["digits"]:
            refuse(f"round to more than {LARGE['digits']} digits")
        if more and not named:
            m.throw("TypeError")
        f.stack.append(m.checked(function(*args, **more)))

    return Native(name, call)


def native(name: str) -> Callable[[Callable[..., Any]], Native]:
    """A function that gets the machine and its arguments, and whose value is left on the stack."""

    def made_of(function: Callable[..., Any]) -> Native:
        def call(m: Machine, f: Frame, args: list[Any], more: dict[str, Any]) -> None:
            try:
                f.stack.append(function(m, *args, **more))
            except TypeError as error:
                if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                    refuse(f"{name} of these arguments")
                raise

        return Native(name, call)

    return made_of


def entering(name: str) -> Native:
    """A function of the prelude."""

    def call(m: Machine, f: Frame, args: list[Any], more: dict[str, Any]) -> None:
        m.enter(prelude(name), args, more)

    return Native(name, call)


def rounded(name: str, function: Callable[..., arb]) -> Native:
    """A function of floats, correctly rounded."""

    def call(m: Machine, f: Frame, args: list[Any], more: dict[str, Any]) -> None:
        numbers = []
        for value in args:
            if type(value) in DRAWS or isinstance(value, Draws):
                raise NotFollowed(f"{name} of a draw of random(): expected comparisons, +, -, *, / with one number")
            if type(value) not in NUMBERS and type(value) not in (numpy.float64, numpy.int64):
                refuse(f"{name} of {kind_name(value)}")
            if type(value) is int and value.bit_length() > 1000:
                refuse(f"{name} of an integer beyond floats")
            numbers.append(float(value))
        if more or not numbers:
            m.throw("TypeError")
        if any(number == 0 and math.copysign(1, number) < 0 for number in numbers):
            refuse(f"{name} of -0.0")
        m.assumed.add(f"{name} (correctly rounded)")
        if name == "math.log" and len(numbers) == 2:  # which is Python's quotient of two
            log, base = (correct(m, name, function, [number]) for number in numbers)
            f.stack.append(log / base)
        else:
            f.stack.append(correct(m, name, function, numbers))

    return Native(name, call)


def correct(m: Machine, name: str, function: Callable[..., arb], numbers: Sequence[float]) -> float:
    """The float that is nearest to a function's value."""
    if not all(map(math.isfinite, numbers)):
        refuse(f"{name} of what is not finite")
    old = ctx.prec
    try:
        for bits in (PRECISION, 4 * PRECISION, 16 * PRECISION):
            ctx.prec = bits
            value = function(*(_arb(Fraction(x)) for x in numbers))
            if not value.is_finite():
                refuse(f"{name} of what it is not finite at")
            low, high = (_float(m, end) for end in (value.lower(), value.upper()))
            if low == high:
                return low
    finally:
        ctx.prec = old
    refuse(f"{name} of what lies between two floats")


def _arb(x: Fraction) -> arb:
    return arb(x.numerator) / arb(x.denominator)


def _float(m: Machine, end: arb) -> float:
    mantissa, exponent = (int(part) for part in end.man_exp())
    if exponent + mantissa.bit_length() > 1100:
        m.throw("OverflowError")
    if exponent + mantissa.bit_length() < -1100:
        return 0.0
    return float(mantissa * Fraction(2) ** exponent)


# Guarded operators ----------------------------------------------------------------------------------------------------


def guarded(m: Machine, op: str, left: Any, right: Any) -> Any:
    """The value of an operator that needs care, UNBOUND where it needs none."""
    kinds = type(left), type(right)
    if op == "Mod" and kinds[0] in (str, bytes):
        if kinds[0] is bytes:
            refuse("% of bytes")
        m.printable(right)
    elif op == "MatMult" or any(kind is numpy.ndarray for kind in kinds):
        if op == "Pow" or op == "MatMult":
            exactly_summed(left, right)
    elif op == "Mult":
        for held, times in ((left, right), (right, left)):
            if (
                type(held) in (str, bytes, list, tuple)
                and type(times) in (int, bool)
                and len(held) * times > MOST_ITEMS
            ):
                refuse(f"more than {MOST_ITEMS} items")
        if kinds == (int, int) and left.bit_length() + right.bit_length() > MOST_BITS:
            refuse(f"an integer of more than {MOST_BITS} bits")
    elif op == "LShift" and type(right) is int and right > MOST_BITS:
        refuse(f"an integer of more than {MOST_BITS} bits")
    elif op == "Pow":
        return _power(m, left, right)
    return UNBOUND


def _power(m: Machine, left: Any, right: Any) -> Any:
    whole = (int, bool)
    if type(right) in whole and type(left) in (*whole, Fraction) and (right >= 0 or type(left) is Fraction):
        if abs(right) * max(Fraction(left).numerator.bit_length(), Fraction(left).denominator.bit_length()) > MOST_BITS:
            refuse(f"an integer of more than {MOST_BITS} bits")
        return UNBOUND
    if type(left) not in NUMBERS or type(right) not in NUMBERS:
        if type(left) in DRAWS or type(right) in DRAWS or {type(left), type(right)} & SCALARS:
            refuse(f"a power of {kind_name(left)} and {kind_name(right)}", "Python's integers, Fractions or floats")
        return UNBOUND
    if type(right) is Fraction and right.denominator == 1 and type(left) is not float:
        return _power(m, left, right.numerator) if type(left) is Fraction or right >= 0 else refuse("this power")
    if left == 0 or (left < 0 and (not math.isfinite(right) or Fraction(right).denominator != 1)):
        refuse("this power of 0 or of a negative number")
    m.assumed.add("** of floats (correctly rounded)")
    sign = -1.0 if left < 0 and int(right) % 2 else 1.0
    return sign * correct(m, "**", lambda a, b: a**b, [abs(float(left)), float(right)])


def exactly_summed(*values: Any) -> None:
    """Refuses sums of many floats, whose order is numpy's own."""
    for value in values:
        if isinstance(value, numpy.ndarray) and value.dtype.kind == "f" and value.size > 7:
            refuse("a sum of more than 7 floats by numpy, whose order is its own", "math.fsum, or a loop")


# Python's own functions -----------------------------------------------------------------------------------------------


@native("isinstance")
def _isinstance(m: Machine, value: Any, kinds: Any) -> bool:
    listed = kinds if type(kinds) is tuple else (kinds,)
    found = False
    for kind in listed:
        if type(kind) is Class:
            found = found or (type(value) is Instance and value.kind.is_a(kind))
        elif isinstance(kind, type) and (kind in TYPES or kind in SCALARS or kind is numpy.ndarray):
            if isinstance(value, Opaque | Source) and kind is not object:
                if not isinstance(value, Instance | Class | Function | Generator):
                    refuse(f"isinstance of {kind_name(value)}")
            else:
                found = found or isinstance(value, kind)
        else:
            refuse(f"isinstance of {kind_name(kind)}")
    return found


@native("type")
def _type(m: Machine, value: Any) -> Any:
    if type(value) is Instance:
        return value.kind
    m.plain(value)
    if type(value) in DRAWS:
        return type(value.like)
    return type(value)


@native("callable")
def _callable(m: Machine, value: Any) -> bool:
    if type(value) is Instance:
        return value.kind.find("__call__") is not UNBOUND
    if isinstance(value, Unknown | Wrapped):
        refuse(f"callable of {kind_name(value)}")
    return isinstance(value, Function | Native | Bound | Class | Partial | type)


def _len(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or named:
        m.throw("TypeError")
    value = args[0]
    if type(value) is Instance:
        m.enter(prelude("_len"), args, {})
        return
    if type(value) is View:
        value = value.of
    if isinstance(value, Opaque | Source):
        refuse(f"len of {kind_name(value)}")
    m.plain(value)
    f.stack.append(len(value))


def _getattr(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) not in (2, 3) or named or type(args[1]) is not str:
        m.throw("TypeError")
    value, name = args[:2]
    if type(value) is not Instance:
        refuse(f"getattr of {kind_name(value)}", "the attribute written out")
    if len(args) == 3 and name not in value.attributes and value.kind.find(name) is UNBOUND:
        if name.startswith("__"):
            refuse(f"getattr of {name}")
        f.stack.append(args[2])
        return
    f.stack.append(value)
    m.of_object(f, value, name)


@native("hasattr")
def _hasattr(m: Machine, value: Any, name: Any) -> bool:
    if type(value) is not Instance or type(name) is not str or name.startswith("__"):
        refuse(f"hasattr of {kind_name(value)}", "the method called")
    found = value.kind.find(name)
    if type(found) is Wrapped:
        refuse("hasattr of a property")
    return name in value.attributes or found is not UNBOUND


@native("print")
def _print(m: Machine, *args: Any, **named: Any) -> None:
    for value in args:
        if isinstance(value, Opaque | Draws | Source) or type(value) in DRAWS:
            refuse(f"print of {kind_name(value)}")
    if set(named) - {"end", "sep", "flush"}:
        refuse("print to a file")


@native("hash")
def _hash(m: Machine, *args: Any) -> None:
    refuse("hash()", "a function that is the same in every process, such as zlib.crc32")


def _iter(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or named:
        refuse("iter() of several arguments")
    f.stack.append(args[0])
    m.do_iter(f, None)


def _wrapping(kind: str) -> Native:
    @native(kind)
    def wrap(m: Machine, what: Any) -> Any:
        if type(what) is not Function:
            refuse(f"{kind} of {kind_name(what)}")
        return Wrapped(kind, what)

    return wrap


def _text(m: Machine, f: Frame, args: list[Any], name: str) -> None:
    (value,) = args
    if type(value) is Instance:
        if value.kind.find(f"__{name}__") is not UNBOUND:
            m.enter(prelude(f"_{name}"), args, {})
            return
        held = value.attributes.get("args")
        if (
            name == "repr"
            or not is_exception(value.kind)
            or held is None
            or len(held) > 1
            or value.kind.is_a(EXCEPTIONS["KeyError"])
        ):
            refuse(f"text of {kind_name(value)}")
        value = held[0] if held else ""
    m.printable(value)
    if type(value) is int and value.bit_length() > 14_000:
        refuse("an integer of more than 4,200 digits as text")
    f.stack.append(str(value) if name == "str" else repr(value))


def _repr(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or named:
        m.throw("TypeError")
    _text(m, f, args, "repr")


@native("_carry")
def _carry(m: Machine, total: Any, value: Any, carry: float) -> float:
    """What Python 3.12 and later carry beside a sum of floats (Neumaier)."""
    if type(total) is not float or type(value) not in (float, int, bool):
        return carry
    more = float(value)
    summed = total + more
    if not math.isfinite(summed):
        return math.nan  # which versions carry on in their own ways
    if type(value) is not float and Fraction(summed) != Fraction(total) + value:
        return math.nan  # of integers among floats some versions carry something, and others nothing
    return carry + ((total - summed) + more if abs(total) >= abs(more) else (more - summed) + total)


@native("_summed")
def _summed(m: Machine, total: Any, carry: float) -> Any:
    if carry and type(total) is float and total + carry != total:
        refuse("sum() of these floats, which Python 3.12 rounds in another way than 3.11", "math.fsum, or a loop")
    return total


@native("_unordered")
def _unordered(m: Machine, value: Any, summed: bool = False) -> Any:
    """What is asked of a set without its order."""
    if type(value) not in (set, frozenset) or len(value) < 2:
        return value
    kinds = set(map(type, value))
    if not (kinds <= {int, bool, Fraction} or (len(kinds) == 1 and kinds <= {str, bytes, float} and not summed)):
        refuse("the order of a set of such elements")
    return sorted(value)


@native("_sorted")
def _sorted(m: Machine, keys: list[Any], items: list[Any], reverse: Any) -> list[Any]:
    for key in keys:
        _comparable(key)
    if type(reverse) not in (bool, int):
        refuse(f"reverse={kind_name(reverse)}")
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
    return [items[i] for i in order]


def _comparable(key: Any) -> None:
    if type(key) in (tuple, list):
        for part in key:
            _comparable(part)
    elif type(key) in (set, frozenset) or isinstance(key, Opaque) or type(key) in (numpy.ndarray, Draws):
        refuse(f"an order of {kind_name(key)}")
    elif isinstance(key, float) and key != key:
        refuse("an order of nan")


@native("_whole")
def _whole(m: Machine, value: Any) -> int:
    if type(value) is not int or value < 0:
        refuse(f"a length that is {kind_name(value)}")
    return value


@native("_integer")
def _integer(m: Machine, value: Any) -> int:
    if type(value) is not int or abs(value) > sys.maxsize:
        refuse(f"{kind_name(value)} as a number of items, or a place", "an integer")
    return value


@native("_text")
def _told(m: Machine, value: Any) -> str:
    if type(value) is not str:
        refuse(f"a text that is {kind_name(value)}")
    return value


@native("_filled")
def _filled(m: Machine, name: str, held: Any, r: Any) -> Iterator:
    """What itertools makes of lists, at once."""
    if name == "product":
        many = math.prod(map(len, held)) ** r
        found: Any = itertools.product(*held, repeat=r)
    else:
        n, r = len(held), len(held) if r is None else r
        many = math.perm(n, r) if name == "permutations" else math.comb(n, r)
        found = getattr(itertools, name)(held, r)
    if many > MOST_ITEMS:
        refuse(f"{name} of more than {MOST_ITEMS} items")
    return Iterator(list(found))


BUILTINS: dict[str, Any] = {
    **EXCEPTIONS,
    **{kind.__name__: kind for kind in TYPES if kind is not type(None) and kind is not Fraction},
    "isinstance": _isinstance, "type": _type, "callable": _callable, "hasattr": _hasattr, "print": _print,
    "hash": _hash, "len": Native("len", _len), "getattr": Native("getattr", _getattr), "iter": Native("iter", _iter),
    "repr": Native("repr", _repr), "__name__": "a_randomizer",
    **{name: pure(name, function) for name, function in (
        ("abs", abs), ("round", round), ("divmod", divmod), ("bin", bin), ("hex", hex), ("oct", oct), ("chr", chr),
        ("ord", ord), ("ascii", ascii))},
    **{name: entering(name) for name in words("sum any all max min sorted enumerate zip map filter")},
    **{name: _wrapping(name) for name in ("staticmethod", "classmethod", "property")},
}  # fmt: skip


def builtin(name: str) -> Any:
    return BUILTINS.get(name, UNBOUND)


@native("pow")
def _pow(m: Machine, left: Any, right: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return m.combined("Pow", left, right)
    for value in (left, right, modulus):
        m.plain(value)
    return m.checked(pow(left, right, modulus))


def _reversed(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or type(args[0]) not in (list, tuple, str, range, bytes, dict):
        refuse("reversed of what is no list, tuple, text, range or dict")
    held = list(args[0]) if type(args[0]) is dict else args[0]
    m.enter(prelude("_reversed"), [held, len(held) - 1], {})


BUILTINS |= {"pow": _pow, "reversed": Native("reversed", _reversed)}
del BUILTINS["FrozenInstanceError"]


# Types ----------------------------------------------------------------------------------------------------------------


def construct(m: Machine, f: Frame, kind: type, args: list[Any], named: dict[str, Any]) -> None:
    """Follow a call of a type, which makes a value: int(...), list(...), Fraction(...), numpy.uint8(...)."""
    for value in (*args, *named.values()):
        if isinstance(value, Source):
            refuse("rng as an argument")
    if kind in (list, tuple, set, frozenset, bytes) and args and not named:
        _collected(m, f, kind, args)
    elif kind is dict:
        _dict(m, f, args, named)
    elif kind is str and len(args) == 1 and not named:
        _text(m, f, args, "str")
    elif kind is bool and len(args) == 1 and not named:
        if type(args[0]) is Instance:
            m.enter(prelude("_bool"), args, {})
        else:
            f.stack.append(args[0])
            m.do_truth(f, None)
    elif kind is object or kind is slice or (kind not in TYPES and kind not in SCALARS):
        refuse(f"{kind.__name__}()")
    else:
        for value in (*args, *named.values()):
            if isinstance(value, Opaque):
                refuse(f"{kind.__name__} of {kind_name(value)}")
            m.plain(value)
        if kind is Fraction and any(type(value) in DRAWS for value in args):
            refuse("a Fraction of a draw")
        f.stack.append(m.checked(kind(*args, **named)))


def _collected(m: Machine, f: Frame, kind: Any, args: list[Any]) -> None:
    if len(args) != 1:
        refuse(f"{kind.__name__} of several arguments", "text.encode()")
    value = args[0]
    if kind is bytes and (type(value) in SCALARS or type(value) in (numpy.ndarray, Draws)):
        refuse(f"bytes() of {kind_name(value)}", "int(...) or list(...) around it")
    if kind is bytes and type(value) in (int, bool):
        if value > MOST_ITEMS:
            refuse(f"more than {MOST_ITEMS} items")
        f.stack.append(bytes(value))
        return
    if type(value) in (set, frozenset) and kind in (set, frozenset):
        f.stack.append(kind(value))
        return
    listed = m.sequence(value)
    if listed is None:
        m.enter(prelude("_collected"), [value, kind], {})
    elif kind in (set, frozenset):
        f.stack.append(kind(m.set_of(listed)))
    else:
        if len(listed) > MOST_ITEMS:
            refuse(f"more than {MOST_ITEMS} items")
        f.stack.append(kind(listed))


def _dict(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) > 1:
        m.throw("TypeError")
    if not args or type(args[0]) is dict:
        f.stack.append({**(args[0] if args else {}), **named})
    else:
        m.enter(prelude("_to_dict"), [args[0], named], {})


# Attributes and methods -----------------------------------------------------------------------------------------------

PURE_METHODS: dict[Any, str] = {
    str: "split rsplit strip lstrip rstrip startswith endswith replace zfill rjust ljust center find rfind count index "
    "encode splitlines partition rpartition removeprefix removesuffix isdigit isalpha upper lower title capitalize",
    bytes: "hex decode count find index startswith endswith",
    int: "bit_length bit_count to_bytes as_integer_ratio",
    bool: "bit_length bit_count",
    float: "is_integer as_integer_ratio hex",
    Fraction: "limit_denominator as_integer_ratio",
    tuple: "index count",
    range: "index count",
    list: "index count copy",
    dict: "copy",
    set: "union intersection difference symmetric_difference issubset issuperset isdisjoint copy",
    frozenset: "union intersection difference symmetric_difference issubset issuperset isdisjoint copy",
    numpy.ndarray: "tolist astype sum argmax argmin max min copy ravel flatten reshape any all cumsum transpose item "
    "nonzero tobytes searchsorted prod clip round dot repeat",
    Draws: "tolist astype argmax argmin max min copy ravel flatten reshape transpose item argsort",
}
CHANGING_METHODS: dict[Any, str] = {
    list: "append insert pop remove clear reverse extend sort",
    dict: "pop popitem setdefault update clear",
    set: "add discard remove clear update",
}
OTHER_METHODS: dict[Any, str] = {str: "join format", dict: "get keys values items", bytes: "join"}
DATA: dict[Any, str] = {
    int: "numerator denominator real", bool: "numerator denominator", Fraction: "numerator denominator",
    float: "real", range: "start stop step", numpy.ndarray: "shape size ndim T", Draws: "shape size ndim T",
}  # fmt: skip
SUMS = ("sum", "prod", "dot")


@lru_cache(None)
def _listed_methods(kind: Any) -> frozenset[str]:
    return frozenset(" ".join(table.get(kind, "") for table in (PURE_METHODS, CHANGING_METHODS, OTHER_METHODS)).split())


def attribute(m: Machine, value: Any, name: str) -> Any:
    """The attribute of a plain value, of rng, of a function."""
    kind = type(value)
    if isinstance(value, Source):
        return _of_source(value, name)
    if name in _listed_methods(kind):  # type: ignore[arg-type]
        return Bound(name, value)
    if name in DATA.get(kind, "").split():
        return getattr(value, name)
    if kind in SCALARS and name in ("item", "tolist", "astype"):
        return Bound(name, value)
    if kind in DRAWS and name == "item":
        return Bound(name, value)
    if kind is Function:
        if name in value.attributes:
            return value.attributes[name]
        if name == "__name__":
            return value.code.name
    if isinstance(value, type):
        if name == "__name__":
            return value.__name__
        if value is dict and name == "fromkeys":
            return entering("_fromkeys")
        if value is int and name == "from_bytes":
            return pure("int.from_bytes", int.from_bytes)
        if value is bytes and name == "fromhex":
            return pure("bytes.fromhex", bytes.fromhex)
    if kind is Native and name == "from_iterable" and value.name == "chain":
        return entering("from_iterable")
    if kind is Bound and type(value.what) is Function and name in value.what.attributes:
        return value.what.attributes[name]
    if kind is Unknown and m.loading and not value.own:
        return Unknown(f"{value.name}.{name}")
    if (kind is list and name == "__getitem__") or (kind is dict and name == "__getitem__"):
        return Bound(name, value)
    refuse(f"{name} of {kind_name(value)}")


def _of_source(value: Any, name: str) -> Bound:
    if name.startswith("_"):
        refuse(f"{name} of rng", "its methods")
    if isinstance(getattr(value, name), Refused):
        raise NotFollowed(getattr(value, name)._said)
    return Bound(name, value)


def method(m: Machine, f: Frame, value: Any, name: str, args: list[Any], named: dict[str, Any]) -> None:
    """Follow a call of a method of a plain value, or of rng."""
    kind = type(value)
    if isinstance(value, Source):
        f.stack.append(_drawn(m, value, name, args, named))
        return
    if name == "__getitem__":
        f.stack.append(m.item(value, *args))
        return
    changing = name in CHANGING_METHODS.get(kind, "").split()
    if changing:
        m.may_change(value)
    special = SPECIAL.get((kind, name))
    if special is not None:
        special(m, f, value, args, named)
        return
    for part in (*args, *named.values()):
        if (
            isinstance(part, Opaque)
            and not (changing and kind in (list, dict))
            and name not in ("get", "index", "count")
        ):
            refuse(f"{name} of {kind_name(part)}")
        if isinstance(part, Source):
            refuse("rng as an argument")
    if kind is dict and name in ("get", "pop", "setdefault") and args and (value or name != "pop"):
        m.hashable(args[0])
    if kind is set and changing and args:
        if type(args[0]) is set:
            refuse(f"{name} of a set", "frozenset(...) around it")
        m.hashable(args[0])
    if (
        kind in (set, frozenset)
        and any(type(part) not in (set, frozenset, list, tuple, range) for part in args)
        and not changing
    ):
        refuse(f"{name} of what is no set, list or tuple")
    if kind is numpy.ndarray:
        if "out" in named:
            refuse("out=")
        if name in SUMS:
            exactly_summed(value, *args)
        if name == "dot" and any(numpy.asarray(part).dtype.kind == "f" for part in (value, *args)):
            refuse("dot of floats, whose sums are the machine's own", "math.fsum, or a loop")
    if kind is str and name in ("upper", "lower", "title", "capitalize", "isdigit", "isalpha") and not value.isascii():
        refuse(f"{name} of text that is not ASCII")
    wide = kind in (str, bytes) and name in ("zfill", "rjust", "ljust", "center")
    if wide and args and type(args[0]) is int and args[0] > MOST_ITEMS:
        refuse(f"more than {MOST_ITEMS} items")
    found = getattr(value, name)(*args, **named)
    if kind in (list, dict) and name in ("pop", "popitem", "get", "setdefault", "copy"):
        f.stack.append(found)
    else:
        f.stack.append(m.checked(found) if found is not None else None)


def _drawn(m: Machine, source: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    """What rng gives. What it raises is told at once: whether the real one would is not for the function to decide."""
    for i, part in enumerate(args):
        if type(part) is View:
            args[i] = part = part.listed()
        if isinstance(part, Opaque | Source):
            refuse(f"{name} of {kind_name(part)}", "a list")
        if not isinstance(part, type):
            m.plain(part)
        if type(part) in (set, frozenset):
            refuse(f"{name} of a set, whose order is not known", "sorted(...) around it")
    if name in ("shuffle", "permuted") and args:
        m.may_change(args[0])
    if "out" in named:
        refuse("out=")
    try:
        found = getattr(source, name)(*args, **named)
    except Lacks as error:
        raise OtherLibrary(f"raises AttributeError: {error}") from None
    except TypeError as error:
        raise OtherLibrary(f"raises {exception_text(error)}") from None
    except (ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError) as error:
        raise Fails(f"raises {exception_text(error)}") from None
    if isinstance(found, Opaque):
        return found  # one of a list
    return m.checked(found) if found is not None else None


def _extend(m: Machine, f: Frame, value: list[Any], args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or named:
        m.throw("TypeError")
    listed = m.sequence(args[0])
    if listed is None:
        m.enter(prelude("_extend"), [args[0], value], {})
    else:
        value.extend(list(listed))
        f.stack.append(None)


def _update_set(m: Machine, f: Frame, value: set[Any], args: list[Any], named: dict[str, Any]) -> None:
    if named:
        m.throw("TypeError")
    for part in args:
        if type(part) in (set, frozenset):
            value.update(part)
            continue
        listed = m.sequence(part)
        if listed is None:
            refuse("update of a set by what is no list", "list(...) around it")
        value.update(m.set_of(listed))
    f.stack.append(None)


def _update_dict(m: Machine, f: Frame, value: dict[Any, Any], args: list[Any], named: dict[str, Any]) -> None:
    if len(args) > 1 or (args and type(args[0]) is not dict):
        refuse("update of a dict by what is no dict", "dict(...) around it")
    value.update(*args, **named)
    f.stack.append(None)


def _join(m: Machine, f: Frame, value: Any, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or named:
        m.throw("TypeError")
    listed = m.sequence(args[0])
    if listed is None:
        m.enter(prelude("_join"), [args[0], value], {})
    else:
        f.stack.append(value.join(listed))


def _format(m: Machine, f: Frame, value: str, args: list[Any], named: dict[str, Any]) -> None:
    for part in (*args, *named.values()):
        m.printable(part)
        if type(part) is Fraction and any(spec for _, _, spec, _ in string.Formatter().parse(value)):
            refuse("a Fraction in a format, which Python has from 3.12 on")
    if any(set(name or "") & set(".[") for _, name, _, _ in string.Formatter().parse(value)):
        refuse("an attribute in a format")
    f.stack.append(value.format(*args, **named))


def _viewed(kind: str) -> Callable[..., None]:
    def view(m: Machine, f: Frame, value: dict[Any, Any], args: list[Any], named: dict[str, Any]) -> None:
        if args or named:
            m.throw("TypeError")
        f.stack.append(View(value, kind))

    return view


SPECIAL: dict[tuple[Any, str], Callable[..., None]] = {
    (list, "extend"): _extend,
    (list, "sort"): lambda m, f, v, a, n: m.enter(prelude("_sort"), [v, *a], n),
    (set, "update"): _update_set,
    (dict, "update"): _update_dict,
    (str, "join"): _join,
    (bytes, "join"): _join,
    (str, "format"): _format,
    **{(dict, kind): _viewed(kind) for kind in ("keys", "values", "items")},
}


# Classes --------------------------------------------------------------------------------------------------------------

SPECIALS = {
    *words(
        "init post_init str repr eq ne lt le gt ge hash bool len call getitem iter contains neg pos invert doc module "
        "qualname match_args"
    ),
    *(prefix + name for name in OPERATOR_METHODS.values() for prefix in ("", "r", "i")),
}


def class_of(frame: Frame) -> Any:
    """The class whose body has run; Unknown where it is none of the plain ones."""
    names = dict(frame.names)
    base, fields = names.pop(".base"), frame.made or []
    name = frame.code.name
    if base is object:
        base = None
    if isinstance(base, Unknown) and base.own:
        refuse(f"the class {name} on {base.name}")
    if base is not None and type(base) is not Class:
        return Unknown(f"{name} (a class on {kind_name(base) if not isinstance(base, type) else base.__name__})", True)
    for key in names:
        if key.startswith("__") and key.strip("_") not in SPECIALS:
            return Unknown(f"{name} (a class with {key})", True)
    for value in names.values():
        if isinstance(value, Unknown):
            return Unknown(f"{name} (a class with {value.name})", True)
    return Class(name, base, names, fields)


def fill(m: Machine, made_: Instance, kind: Class, args: Sequence[Any], named: dict[str, Any]) -> None:
    """The __init__ of a dataclass."""
    fields = kind.all_fields()
    if len(args) > len(fields) or any(key not in fields for key in named):
        m.throw("TypeError")
    values = dict(zip(fields, args, strict=False))
    for key, value in named.items():
        if key in values:
            m.throw("TypeError")
        values[key] = value
    for key in fields:
        if type(made_.kind.find(key)) is Wrapped and made_.kind.find(key).kind != "field":
            refuse(f"the field {key} of {made_.kind.name} under a {made_.kind.find(key).kind}")
        if key not in values:
            default = kind.default(key)
            if type(default) is Wrapped:
                values[key] = _default(m, default.what)
            elif default is UNBOUND:
                m.throw("TypeError")
            else:
                values[key] = default
    made_.attributes.update({key: values[key] for key in fields})


def _default(m: Machine, given: dict[str, Any]) -> Any:
    if "default" in given:
        return given["default"]
    maker = given.get("default_factory")
    if maker in (list, dict, set):
        return maker()
    if maker is None:
        m.throw("TypeError")
    refuse("a default_factory that is not list, dict or set")


def _dataclass(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if set(named) - {"frozen", "eq", "repr", "init"} or any(type(v) is not bool for v in named.values()):
        f.stack.append(
            Native("dataclass", lambda m, f, a, n: f.stack.append(Unknown(f"a dataclass with {', '.join(named)}")))
        )
    elif not args:
        f.stack.append(Native("dataclass", lambda m, f, a, n: _dataclass(m, f, a, named)))
    else:
        (kind,) = args
        if type(kind) is Class:
            if named.get("init") is False:
                refuse("dataclass(init=False)")
            if any(type(kind.attributes.get(key)) in (list, dict, set) for key in kind.fields):
                refuse(f"a default of {kind.name} that can change", "field(default_factory=...)")
            kind.given = dict(named)
            _check_bases(m, kind)
        elif type(kind) is not Unknown:
            refuse(f"dataclass of {kind_name(kind)}")
        f.stack.append(kind)


def _check_bases(m: Machine, kind: Class) -> None:
    """Raises TypeError for a field without a default after one with it, and where one is frozen and another not."""
    defaults = [kind.default(key) for key in kind.all_fields()]
    given = [not (one is UNBOUND or (type(one) is Wrapped and one.what == {})) for one in defaults]
    base = kind.base.dataclass() if kind.base is not None else None
    if given != sorted(given) or (base is not None and _is_frozen(base) is not _is_frozen(kind)):
        m.throw("TypeError")


def _is_frozen(kind: Class) -> bool:
    return kind.given is not None and kind.given.get("frozen") is True


@native("field")
def _field(m: Machine, **named: Any) -> Any:
    if set(named) - {"default", "default_factory"}:
        return Unknown(f"field({', '.join(named)})")
    return Wrapped("field", named)


def _replace(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
    if len(args) != 1 or type(args[0]) is not Instance or (kind := args[0].kind).given is None:
        refuse("replace of what is no dataclass")
    values = {key: args[0].attributes[key] for key in kind.all_fields()}
    m.construct(f, kind, (), values | named)


# Libraries ------------------------------------------------------------------------------------------------------------


@native("partial")
def _partial(m: Machine, function: Any, *args: Any, **named: Any) -> Partial:
    return Partial(function, args, named)


def _by_operator(op: str) -> Native:
    @native(op)
    def combine(m: Machine, left: Any, right: Any) -> Any:
        if type(left) is Instance or type(right) is Instance:
            refuse(f"operator.{op} of objects")
        return m.combined(op, left, right)

    return combine


def _bisected(name: str) -> Native:
    @native(name)
    def search(m: Machine, held: Any, value: Any, low: int = 0, high: Any = None) -> int:
        if type(held) not in (list, tuple, range, numpy.ndarray):
            refuse(f"{name} in {kind_name(held)}", "a list")
        m.plain(value)
        return int(getattr(bisect, name)(held, value, low, len(held) if high is None else high))

    return search


def _array(value: Any) -> Any:
    try:
        return numpy.asarray(value)
    except ValueError:
        refuse(f"an array of {kind_name(value)}")


def _of_numpy(name: str) -> Native:
    function = getattr(numpy, name)

    def call(m: Machine, f: Frame, args: list[Any], named: dict[str, Any]) -> None:
        if set(named) & {"out", "where", "key"}:
            refuse(f"numpy.{name} with out= or where=")
        for value in (*args, *named.values()):
            if isinstance(value, Opaque | Source):
                refuse(f"numpy.{name} of {kind_name(value)}")
            if not isinstance(value, type):
                m.plain(value)
            elif value not in TYPES and value not in SCALARS:
                refuse(f"numpy.{name} of {value.__name__}")
        if name in ("sum", "prod", "dot", "mean", "inner", "matmul", "bincount", "average"):
            exactly_summed(*(_array(part) for part in args if type(part) is list), *args)
        if name in ("dot", "inner", "matmul", "outer") and any(_array(part).dtype.kind == "f" for part in args):
            refuse(f"numpy.{name} of floats, whose sums are the machine's own", "math.fsum, or a loop")
        if name == "argsort" and named.get("kind") != "stable" and not any(isinstance(p, Draws) for p in args):
            if type(args[0]) not in (list, tuple, numpy.ndarray):
                refuse(f"numpy.argsort of {kind_name(args[0])}")
            values = _array(args[0]).ravel().tolist()
            if len(set(values)) < len(values):
                refuse("numpy.argsort of equal numbers", 'kind="stable"')
        if name in ("zeros", "ones", "full", "arange", "eye", "repeat", "tile") and args:
            size = math.prod(args[0]) if type(args[0]) is tuple else args[0]
            if type(size) is int and size > MOST_ITEMS:
                refuse(f"more than {MOST_ITEMS} items")
        found = function(*args, **named)
        if type(found) is tuple:
            f.stack.append(tuple(map(m.checked, found)))
        else:
            f.stack.append(found if type(found) in DRAWS or isinstance(found, Draws) else m.checked(found))

    return Native(f"numpy.{name}", call)


NUMPY = (
    "array asarray zeros ones full arange eye identity where argmax argmin roll cumsum searchsorted diff "
    "concatenate stack hstack vstack repeat tile isin flatnonzero nonzero sum prod any all bincount sort "
    "argsort clip minimum maximum abs absolute sign floor ceil trunc rint mod floor_divide logical_and "
    "logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor invert packbits unpackbits "
    "zeros_like ones_like full_like array_equal outer dot sqrt max min ravel reshape transpose add subtract "
    "multiply divide true_divide less less_equal greater greater_equal equal not_equal negative copy shape "
    "size ndim amax amin flip count_nonzero delete append insert unique linspace isfinite isnan digitize mean "
    "atleast_1d take array_split split square left_shift right_shift cumprod"
)

LIBRARIES: dict[str, dict[str, Any]] = {
    "math": {
        **{name: getattr(math, name) for name in ("pi", "e", "tau", "inf")},
        **{name: pure(f"math.{name}", getattr(math, name)) for name in
           words(
            "floor ceil trunc sqrt gcd lcm comb perm factorial isqrt fabs isnan isinf isfinite fsum "
            "copysign fmod ldexp frexp modf nextafter ulp"
        )},
        "exp": rounded("math.exp", lambda x: x.exp()), "expm1": rounded("math.expm1", lambda x: x.expm1()),
        "log2": rounded("math.log2", lambda x: x.log() / arb(2).log()),
        "log10": rounded("math.log10", lambda x: x.log() / arb(10).log()),
        "log1p": rounded("math.log1p", lambda x: x.log1p()), "pow": rounded("math.pow", lambda x, y: x**y),
        "log": rounded("math.log", lambda x: x.log()),
        "prod": entering("prod"),
    },
    "itertools": {
        **{name: entering(name) for name in words("chain repeat count accumulate takewhile islice")},
        "product": entering("_product"), "combinations": entering("_combinations"),
        "permutations": entering("_permutations"),
    },
    "functools": {"reduce": entering("reduce"), "partial": _partial},
    "operator": {
        **{name + "_" * (name in ("or", "and")): _by_operator(op)
           for op, name in OPERATOR_METHODS.items() if op in OPERATORS},
        "itemgetter": entering("itemgetter"),
    },
    "bisect": {name: _bisected(name) for name in ("bisect", "bisect_left", "bisect_right")},
    "fractions": {"Fraction": Fraction},
    "dataclasses": {
        "dataclass": Native("dataclass", _dataclass), "field": _field, "replace": Native("replace", _replace),
        "FrozenInstanceError": EXCEPTIONS["FrozenInstanceError"],
    },
    "zlib": {"crc32": pure("zlib.crc32", zlib.crc32), "adler32": pure("zlib.adler32", zlib.adler32)},
    "numpy": {
        **{name: _of_numpy(name) for name in words(NUMPY) if hasattr(numpy, name)},
        **{name: getattr(numpy, name) for name in
           words("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 bool_ intp")},
        "ndarray": numpy.ndarray, "pi": math.pi, "e": math.e, "inf": math.inf, "newaxis": None,
    },
    "string": {
        name: getattr(string, name)
        for name in ("ascii_lowercase", "ascii_uppercase", "ascii_letters", "digits", "hexdigits")
    },
    "logging": {"getLogger": Native("getLogger", lambda m, f, a, n: f.stack.append(Unknown("a logger")))},
    "typing": {"TypeVar": Native("TypeVar", lambda m, f, a, n: f.stack.append(Unknown("a type")))},
}  # fmt: skip
LOADED = {name: Library(name, names) for name, names in LIBRARIES.items()}


def submodule(library: str, name: str) -> Any:
    return Unknown(f"{library}.{name}")


def imported(m: Machine, frame: Frame, module: str, name: str | None, level: int) -> Any:
    """What an import binds: a listed library or a part of it, a file of the user's, or what may only be named."""
    top = module.partition(".")[0]
    if (not level and m.loader is not None and m.loader.is_local(top, frame.module)) or level:
        if m.loader is None or not m.loading:
            refuse(f"an import of {module} within a call", "the import at the top of the file")
        found = m.loader.module(module, level, frame.module)
        if found is None or name is None:
            return found if found is not None else Unknown(module)
        if name in found.names:
            return found.names[name]
        inner = m.loader.module(f"{module}.{name}" if module else name, level, frame.module)
        return inner if inner is not None else Unknown(f"{module}.{name}")
    if top not in sys.modules and find_spec(top) is None:
        m.throw("ModuleNotFoundError")
    tried = any(one.blocks for one in m.frames)
    if module not in LOADED:
        if tried and (name is not None or module != top):
            refuse(f"an import from {module} within `try`", "the import of a whole library")
        return Unknown(module if name is None else f"{module}.{name}")
    if name is None:
        return LOADED[module]
    if name not in LOADED[module].names and not hasattr(import_module(module), name):
        m.throw("ImportError")
    return LOADED[module].names.get(name, Unknown(f"{module}.{name}"))


# The prelude ----------------------------------------------------------------------------------------------------------


def _next_of() -> Function:
    code = Code("next", "", 0, positional=("it", "default"), only_positional=2)
    code.instructions = [("load", "it", 0), ("load", "default", 0), ("next", None, 0), ("ret", None, 0)]
    code.live = [frozenset({"it", "default"}), frozenset({"default"}), frozenset(), frozenset()]
    return Function(code, Module("prelude", ""), (MISSING,), {}, {})


NEXT = _next_of()
BUILTINS["next"] = Native("next", lambda m, f, a, n: m.enter(NEXT, a, n))
PRELUDE_NAMES: dict[str, Any] = {}


def prelude(name: str) -> Any:
    """A function of the prelude."""
    if not PRELUDE_NAMES:
        text = PRELUDE.read_text().rpartition("# Followed")[2]
        code = compiled(ast.parse(text), "")
        module = Module("prelude", "")
        module.names = PRELUDE_NAMES
        PRELUDE_NAMES.update(
            _carry=_carry, _end=Unknown("the end"), _filled=_filled, _integer=_integer, _missing=MISSING, _next=NEXT,
            _sorted=_sorted, _summed=_summed, _text=_told, _unordered=_unordered, _whole=_whole,
        )  # fmt: skip
        m = Machine(None)
        m.library = __import__("shufflecert.verify.audit.follow.library", fromlist=["x"])
        m.loading = True
        m.frames.append(Frame(code, module))
        m.run()
    return PRELUDE_NAMES[name]
