"""What followed code may use of Python and its libraries: an explicit list, with the meaning that each has here.

Functions of plain values are Python's and numpy's own, given values of exact types, and what they give is looked at
again. `exp`, `log` and powers of floats, whose last digit is the machine's, are the correctly rounded ones; answers say
that this was assumed. What is handed something iterable is written in the subset itself (prelude.py).
"""

import ast
import bisect
import builtins
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
from flint import arb

from shufflecert.verify.audit.follow.classes import (
    ENUM,
    LIKE_DICTS,
    bare,
    dataclass_,
    field_,
    replace_,
)
from shufflecert.verify.audit.follow.code import Code, compiled
from shufflecert.verify.audit.follow.machine import Machine
from shufflecert.verify.audit.follow.natives import (
    EXCEPTIONS,
    GIVEN,
    OPERATORS,
    PRELUDE_NAMES,
    Args,
    Guard,
    Named,
    checked,
    entering,
    is_exception,
    listing,
    native,
    not_unfolded,
    plain,
    prelude,
    printable,
    pure,
    set_of,
    words,
)
from shufflecert.verify.audit.follow.natives import METHODS as OPERATOR_METHODS
from shufflecert.verify.audit.follow.values import (
    DRAWS,
    MANY_BITS,
    MANY_ITEMS,
    MISSING,
    MOST_BITS,
    MOST_ITEMS,
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
from shufflecert.verify.audit.messages import sent
from shufflecert.verify.audit.rng.draws import Draws, NotFollowed
from shufflecert.verify.audit.rng.recording import Fails, OtherLibrary, Refused, Source
from shufflecert.verify.errors import BadInput, exception_text
from shufflecert.verify.exact.rational import ball, precision

PRELUDE = Path(__file__).with_name("prelude.py")
PRECISION = 200
MOST_FACTORS = 2 * 10**6  # bits of the factors that factorial, perm and comb multiply
MOST_DIGITS = 1000
EXACT = frozenset({int, bool, Fraction})
MOST_EXACT = 10**5  # bits of a Fraction, of which each operation takes the greatest common divisor
MOST_MODULAR = 10**12  # bits of an exponent, times those of its modulus twice
TEXT_BITS = 14_000  # of an integer that Python writes


def rounded(name: str, function: Callable[..., arb]) -> Native:
    """A function of floats, correctly rounded."""

    def call(m: Machine, f: Frame, args: Args, more: Named) -> None:
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
    for bits in (PRECISION, 4 * PRECISION, 16 * PRECISION):
        with precision(bits):
            value = function(*(ball(Fraction(x)) for x in numbers))
            low, high = float(value.lower()), float(value.upper())
        if not value.is_finite():
            refuse(f"{name} of what it is not finite at")
        if low == high:
            return m.throw("OverflowError") if math.isinf(low) else low
    refuse(f"{name} of what lies between two floats")


# Guarded operators ----------------------------------------------------------------------------------------------------


def size(value: Any) -> int:
    """The bits of an exact number, or how many items something has; 0 of others."""
    if type(value) is int or type(value) is bool:
        return value.bit_length()
    if type(value) is Fraction:
        return value.numerator.bit_length() + value.denominator.bit_length()
    return len(value) if type(value) in (str, bytes, list, tuple) else 0


def foresee(op: str, left: Any, right: Any) -> None:
    """Refuses what would take long, or much memory, before it is computed: by the size that the result has at most."""
    kinds, one, two = {type(left), type(right)}, size(left), size(right)
    if kinds <= EXACT:
        if op == "Pow":
            whole = type(right) is not Fraction and (right >= 0 or type(left) is Fraction)
            many = one * abs(right) if whole else 0
        elif op == "LShift":
            many = one + max(right, 0) if one else 0
        else:
            many = one + two if op == "Mult" or Fraction in kinds else max(one, two)
        if many > (MOST_EXACT if Fraction in kinds else MOST_BITS):
            refuse(f"a Fraction of more than {MOST_EXACT} bits" if Fraction in kinds else MANY_BITS)
    elif op == "Mult" and kinds & {int, bool} and type(left) is not type(right):
        if one and two and (two * left if type(left) in (int, bool) else one * right) > MOST_ITEMS:
            refuse(MANY_ITEMS)
    elif op == "Add" and one + two > MOST_ITEMS:
        refuse(MANY_ITEMS)


def guarded(m: Machine, op: str, left: Any, right: Any) -> Any:
    """The value of an operator that needs care, UNBOUND where it needs none."""
    foresee(op, left, right)
    if op == "Mod" and type(left) in (str, bytes):
        if type(left) is bytes:
            refuse("% of bytes")
        printable(right)
    elif op == "MatMult":
        if DOT.when([left, right], {}):
            refuse(DOT.what.format("@"), DOT.instead)
    elif op == "Pow" and numpy.ndarray in (type(left), type(right)):
        if DOT.when([left, right], {}) and not (type(right) is int and right == 2):
            refuse("a power of floats by numpy", "a product, or Python's floats")
    elif op == "Pow":
        return _power(m, left, right)
    return UNBOUND


def _power(m: Machine, left: Any, right: Any) -> Any:
    kinds = type(left), type(right)
    if not NUMBERS.issuperset(kinds):
        if not DRAWS.isdisjoint(kinds) or not SCALARS.isdisjoint(kinds):
            refuse(f"a power of {kind_name(left)} and {kind_name(right)}", "Python's integers, Fractions or floats")
        return UNBOUND
    if kinds[1] is Fraction and right.denominator == 1 and kinds[0] is not float:
        right = right.numerator
        foresee("Pow", left, right)
        if kinds[0] is not Fraction and right < 0:
            refuse("this power")
    if type(right) in (int, bool) and kinds[0] is not float and (right >= 0 or kinds[0] is Fraction):
        return UNBOUND
    if left == 0 or (left < 0 and (not math.isfinite(right) or Fraction(right).denominator != 1)):
        refuse("this power of 0 or of a negative number")
    m.assumed.add("** of floats (correctly rounded)")
    sign = -1.0 if left < 0 and int(right) % 2 else 1.0
    return sign * correct(m, "**", lambda a, b: a**b, [abs(float(left)), float(right)])


def _array(value: Any) -> Any:
    try:
        return numpy.asarray(value)
    except ValueError:
        refuse(f"an array of {kind_name(value)}")


def _not_added(args: Args, named: Named) -> bool:
    """Whether numpy would add more floats than it adds one after the other."""
    arrays = [_array(part) for part in args if type(part) in (list, tuple, numpy.ndarray)]
    return any(part.dtype.kind == "f" and part.size > 7 for part in arrays)


def _ties(args: Args, named: Named) -> bool:
    if named.get("kind") == "stable" or not args or isinstance(args[0], Draws):
        return False
    values = _array(args[0]).ravel().tolist()
    return len(set(values)) < len(values)


def _of_size(place: int) -> Callable[[Args, Named], bool]:
    def many(args: Args, named: Named) -> bool:
        size = args[place] if len(args) > place else 0
        size = math.prod(size) if type(size) is tuple else size
        return type(size) is int and size > MOST_ITEMS

    return many


# What is refused of some arguments ------------------------------------------------------------------------------------

ASCII = Guard(lambda a, n: not a[0].isascii(), "{} of text that is not ASCII")
WIDE = Guard(_of_size(1), MANY_ITEMS)
LONGER = Guard(lambda a, n: size(a[0]) * size(a[2] if len(a) > 2 else 0) > MOST_ITEMS, MANY_ITEMS)
PLAIN_TEXT = Guard(
    lambda a, n: any(type(v) is str and (not v.isascii() or ("/" in v and len(v.split()) > 1)) for v in a),
    "{} of text that versions of Python read in their own ways",
)
BY_PLACE = Guard(lambda a, n: bool(n), "{} with keywords, which later versions of Python have")
DIGITS = Guard(lambda a, n: len(a) > 1 and type(a[1]) is int and abs(a[1]) > MOST_DIGITS, "{} to so many digits")
DRAWN = Guard(lambda a, n: any(type(value) in DRAWS or type(value) is Draws for value in a), "{} of a draw")
FACTORS = Guard(lambda a, n: {*map(type, a)} == {int} and a[-1] * size(a[0]) > MOST_FACTORS, "{} of such numbers")
CHOSEN = Guard(
    lambda a, n: {*map(type, a)} == {int} and FACTORS.when([a[0], min(a[-1], a[0] - a[-1])], n), FACTORS.what
)
MANY_BYTES = Guard(_of_size(0), MANY_ITEMS)
OF_SET = Guard(lambda a, n: len(a) > 1 and type(a[1]) is set, "{} of a set", "frozenset(...) around it")
OF_SETS = Guard(
    lambda a, n: not {*map(type, a)} <= {set, frozenset, list, tuple, range}, "{} of what is no set, list or tuple"
)
OUT = Guard(lambda a, n: n.keys() & {"out", "where", "key"}, "{} with out= or where=")
SUM = Guard(_not_added, "a sum of more than 7 floats by numpy, whose order is its own", "math.fsum, or a loop")
DOT = Guard(
    lambda a, n: any(_array(part).dtype.kind == "f" for part in a),
    "{} of floats, whose sums are the machine's own", "math.fsum, or a loop",
)  # fmt: skip
RISING = Guard(lambda a, n: type(a[0]) not in (list, tuple, range, numpy.ndarray), "{} in what is no list", "a list")
TIES = Guard(_ties, "{} of equal numbers", 'kind="stable"')
NUMPYS = {  # of functions of numpy's, and of methods of arrays
    **{name: (SUM,) for name in words("sum prod mean bincount average")}, "outer": (DOT,), "argsort": (TIES,),
    **{name: (SUM, DOT) for name in words("dot inner matmul")},
    **{name: (Guard(_of_size(0), MANY_ITEMS),) for name in words("zeros ones full arange eye identity")},
    **{name: (Guard(_of_size(1), MANY_ITEMS),) for name in words("repeat tile")},
    "linspace": (Guard(_of_size(2), MANY_ITEMS),),
}  # fmt: skip


def guards_of(name: str) -> tuple[Guard, ...]:
    return (OUT, *NUMPYS.get(name, ()))


# Python's own functions -----------------------------------------------------------------------------------------------


@native("isinstance")
def _isinstance(m: Machine, value: Any, kinds: Any) -> bool:
    listed = kinds if type(kinds) is tuple else (kinds,)
    found = False
    for kind in listed:
        if type(kind) is Class:
            found = found or (type(value) is Instance and value.kind.is_a(kind))
        elif isinstance(kind, type) and (kind in TYPES or kind in SCALARS or kind is numpy.ndarray):
            if type(value) is Instance and value.kind.python is not None:
                found = found or issubclass(value.kind.python, kind)
            elif isinstance(value, Opaque | Source) and kind is not object:
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
    plain(value)
    if type(value) in DRAWS:
        return type(value.like)
    return type(value)


@native("callable")
def _callable(m: Machine, value: Any) -> bool:
    if isinstance(value, Unknown | Wrapped):
        refuse(f"callable of {kind_name(value)}")
    return _called(value)


def _called(value: Any) -> bool:
    """Whether it can be called."""
    if type(value) is Instance:
        return value.kind.find("__call__") is not UNBOUND
    return isinstance(value, Function | Native | Bound | Class | Partial | type)


@native("len")
def _len(m: Machine, value: Any, /) -> Any:
    value = bare(value)
    if type(value) is Class and value.is_a(ENUM):
        value = [*m.iterator(value).of]
    if type(value) is Instance:
        return m.enter(prelude("_len"), [value], {})
    if type(value) is View:
        value = value.of
    if isinstance(value, Opaque | Source):
        refuse(f"len of {kind_name(value)}")
    plain(value)
    return len(value)


@native("getattr")
def _getattr(m: Machine, value: Any, name: Any, default: Any = MISSING, /) -> Any:
    if type(name) is numpy.str_:
        refuse("getattr by numpy's text", "str(...)")
    if type(name) is not str:
        m.throw("TypeError")
    if type(value) is not Instance or value.kind.python is not None:
        refuse(f"getattr of {kind_name(value)}", "the attribute written out")
    if default is not MISSING:
        found = value.kind.find(name)
        if name.startswith("__") or type(found) is Wrapped:
            refuse(f"getattr of {name}")
        _known(value, name)
        if name not in value.attributes and found is UNBOUND:
            return default
    m.frames[-1].stack.append(value)
    m.of_object(m.frames[-1], value, name)
    return UNBOUND


@native("hasattr")
def _hasattr(m: Machine, value: Any, name: Any) -> bool:
    if type(value) is not Instance or type(name) is not str or name.startswith("__") or value.kind.python is not None:
        refuse(f"hasattr of {kind_name(value)}", "the method called")
    found = value.kind.find(name)
    if type(found) is Wrapped:
        refuse("hasattr of a property")
    _known(value, name)
    return name in value.attributes or found is not UNBOUND


def _known(value: Instance, name: str) -> None:
    """Refuses to say that an exception lacks what Python may have given it."""
    if is_exception(value.kind) and name in GIVEN and name not in value.attributes:
        refuse(f"whether {kind_name(value)} has {name}")


@native("print")
def _print(m: Machine, *args: Any, **named: Any) -> None:
    for value in args:
        if isinstance(value, Opaque | Draws | Source) or type(value) in DRAWS:
            refuse(f"print of {kind_name(value)}")
        str(value)  # which may raise
    if set(named) - {"end", "sep", "flush"}:
        refuse("print to a file")
    if any(type(named.get(name)) not in (str, type(None)) for name in ("end", "sep")):
        m.throw("TypeError")


@native("hash")
def _hash(m: Machine, *args: Any) -> None:
    refuse("hash()", "a function that is the same in every process, such as zlib.crc32")


def _wrapping(kind: str) -> Native:
    @native(kind)
    def wrap(m: Machine, what: Any) -> Any:
        if type(what) is not Function:
            refuse(f"{kind} of {kind_name(what)}")
        return Wrapped(kind, what)

    return wrap


def _told(kind: Any) -> Native:
    """str, repr or ascii of one value; of several arguments str alone."""
    name, plainly = kind.__name__, pure(kind.__name__, kind)

    def call(m: Machine, f: Frame, args: Args, named: Named) -> None:
        if len(args) != 1 or named:
            plainly.call(m, f, args, named)
        elif type(args[0]) is Instance and name != "ascii" and args[0].kind.find(f"__{name}__") is not UNBOUND:
            m.enter(prelude(f"_{name}"), args, {})
        else:
            value = _said(args[0], name) if type(args[0]) is Instance else args[0]
            printable(value, name == "repr")
            if type(value) is int and value.bit_length() > TEXT_BITS:
                refuse(f"an integer of more than {TEXT_BITS} bits as text")
            f.stack.append(kind(value))

    return Native(name, call)


def _said(value: Instance, name: str) -> Any:
    """What an exception has as its text."""
    held, plain = value.attributes.get("args"), is_exception(value.kind) and not value.kind.is_a(EXCEPTIONS["KeyError"])
    if name != "str" or not plain or held is None or len(held) > 1:
        refuse(f"text of {kind_name(value)}")
    return held[0] if held else ""


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
def _sorted(m: Machine, keys: list[Any], items: list[Any], reverse: Any, in_place: bool) -> list[Any]:
    not_unfolded(keys)
    for key in keys:
        _comparable(key)
    if type(reverse) not in (bool, int):
        refuse(f"reverse={kind_name(reverse)}")
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
    except TypeError:
        if in_place:
            refuse("a list that is sorted halfway")
        raise
    return [items[i] for i in order]


def _comparable(key: Any) -> None:
    if type(key) in (tuple, list):
        for part in key:
            _comparable(part)
    elif type(key) in (set, frozenset) or isinstance(key, Opaque) or type(key) in (numpy.ndarray, Draws):
        refuse(f"an order of {kind_name(key)}")
    elif isinstance(key, float) and key != key:
        refuse("an order of nan")


def _only(name: str, fits: Callable[[Any], bool], otherwise: str, instead: str = "") -> Native:
    """A check of the prelude's: a value as it is, if it fits."""

    @native(name)
    def check(m: Machine, value: Any) -> Any:
        if not fits(value):
            refuse(otherwise.format(kind_name(value)), instead)
        return value

    return check


CHECKS = (
    _only("_whole", lambda v: type(v) is int and v >= 0, "a length that is {}"),
    _only("_number", lambda v: type(v) in NUMBERS and type(v) is not bool, "{} as a number"),
    _only("_integer", lambda v: type(v) is int and abs(v) <= sys.maxsize, "{} as a number of items, or a place",
          "an integer"),
    _only("_text", lambda v: type(v) is str, "a text that is {}"),
    native("_bare")(lambda m, value: bare(value)),
)  # fmt: skip


@native("_sent")
def _sent(m: Machine, value: Any, each: bool) -> Any:
    """What was returned, as plain messages."""
    if type(value) is Generator or type(value) is Iterator:
        refuse("an iterator that is returned", "`yield` for several messages, or a tuple")
    not_unfolded(value)
    return sent(value, each)


@native("_counter")
def _counter(m: Machine, value: Any) -> Any:
    if type(value) is not Instance or value.kind is not PRELUDE_NAMES["Counter"]:
        refuse(f"an operator on a Counter and {kind_name(value)}")
    return bare(value)


@native("_filled")
def _filled(m: Machine, name: str, /, *, held: Any, r: Any) -> Iterator:
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


@native("pow")
def _pow(m: Machine, left: Any, right: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return m.combined("Pow", left, right)
    for value in (left, right, modulus):
        plain(value)
    if size(right) * size(modulus) ** 2 > MOST_MODULAR:
        refuse("a power of such a modulus, which takes long,")
    return checked(pow(left, right, modulus))


@native("reversed")
def _reversed(m: Machine, held: Any, /) -> Any:
    if type(held) is dict:
        return Iterator(View(held, "keys"), 0, tuple(reversed(held)))
    if type(held) not in (list, tuple, str, range, bytes):
        refuse("reversed of what is no list, tuple, text, range or dict")
    return m.enter(prelude("_reversed"), [held, len(held) - 1], {})


BUILTINS: dict[str, Any] = {
    **EXCEPTIONS,
    **{kind.__name__: kind for kind in TYPES if kind is not type(None) and kind is not Fraction},
    "isinstance": _isinstance, "type": _type, "callable": _callable, "hasattr": _hasattr, "print": _print, "pow": _pow,
    "hash": _hash, "len": _len, "getattr": _getattr, "iter": native("iter")(lambda m, value: m.iterator(value)),
    "repr": _told(repr), "ascii": _told(ascii), "reversed": _reversed,
    "round": pure("round", round, DIGITS),
    **{name: pure(name, getattr(builtins, name)) for name in words("abs divmod bin hex oct chr ord")},
    **{name: entering(name) for name in words("sum any all max min sorted enumerate zip map filter")},
    **{name: _wrapping(name) for name in ("staticmethod", "classmethod", "property")},
}  # fmt: skip
del BUILTINS["FrozenInstanceError"]


# Types ----------------------------------------------------------------------------------------------------------------


def construct(m: Machine, f: Frame, kind: type, args: Args, named: Named) -> None:
    """Follow a call of a type, which makes a value: int(...), list(...), Fraction(...), numpy.uint8(...)."""
    found = MAKERS.get(kind)
    if found is None:
        refuse(f"{kind.__name__}()")
    found.call(m, f, args, named)


def _made_of(kind: Any) -> Native:
    """What a type makes of one thing that is iterable, or else of anything."""

    def whole(m: Machine, held: Any) -> Any:
        try:
            return kind(set_of(held) if type(held) is not set and kind in (set, frozenset) else held)
        except (TypeError, ValueError):
            refuse(f"{kind.__name__} of these, of which Python asks no more once one does not fit")

    listed = listing(kind.__name__, sets=kind in (set, frozenset))(whole)
    plainly = pure(kind.__name__, kind, DRAWN, *((MANY_BYTES,) if kind is bytes else ()))

    def call(m: Machine, f: Frame, args: Args, named: Named) -> None:
        one = len(args) == 1 and not named and not (kind is bytes and type(args[0]) in BYTES_OF)
        (listed if one else plainly).call(m, f, args, named)

    return Native(kind.__name__, call)


@native("bool")
def _bool(m: Machine, value: Any = False, /) -> Any:
    value = bare(value)
    if type(value) is Instance:
        return m.enter(prelude("_bool"), [value], {})
    m.frames[-1].stack.append(value)
    m.do_truth(m.frames[-1], None)
    return UNBOUND


@native("dict")
def _dict(m: Machine, given: Any = (), /, **named: Any) -> Any:
    given = bare(given)
    if type(given) is Instance:
        refuse(f"a dict of {kind_name(given)}")
    return {**given, **named} if type(given) is dict else m.enter(prelude("_to_dict"), [given, named], {})


BYTES_OF = frozenset({int, bool, str, numpy.ndarray, Draws}) | SCALARS
MAKERS: dict[Any, Native] = {
    **{kind: _made_of(kind) for kind in (list, tuple, set, frozenset, bytes)},
    **{kind: pure(kind.__name__, kind, PLAIN_TEXT) for kind in (int, float, range, *SCALARS)},
    Fraction: pure("Fraction", Fraction, DRAWN, PLAIN_TEXT), bool: _bool, str: _told(str), dict: _dict,
}  # fmt: skip


# Attributes and methods -----------------------------------------------------------------------------------------------


def _method(name: str) -> Callable[..., Any]:
    return lambda value, *args, **named: getattr(value, name)(*args, **named)


SETS = "union intersection difference symmetric_difference issubset issuperset isdisjoint"
ARRAYS = "tolist astype argmax argmin max min copy ravel flatten reshape transpose item"
HOLDS, CHANGES = {"holds": True}, {"holds": True, "changes": True}
METHODS: dict[tuple[Any, str], Native] = {
    (kind, name): pure(name, _method(name), *(guards_of(name) if kind is numpy.ndarray else guards), **how)
    for kinds, names, guards, how in (
        ((str,), "split rsplit strip lstrip rstrip rfind encode splitlines partition rpartition removeprefix "
                 "removesuffix", (), {}),
        ((str,), "isdigit isalpha upper lower title capitalize", (ASCII,), {}),
        ((str,), "zfill rjust ljust center", (WIDE,), {}),
        ((str,), "replace", (BY_PLACE, LONGER), {}),
        ((str, bytes), "find count index startswith endswith", (), {}),
        ((bytes,), "hex decode", (), {}),
        ((int, bool), "bit_length bit_count", (), {}),
        ((int,), "to_bytes", (WIDE,), {}),
        ((int, float, Fraction), "as_integer_ratio", (), {}),
        ((float,), "is_integer hex", (), {}),
        ((Fraction,), "limit_denominator", (), {}),
        ((tuple, range, list), "index count", (), HOLDS),
        ((list, dict, set, frozenset), "copy", (), HOLDS),
        ((list,), "append insert pop remove clear reverse", (), CHANGES),
        ((dict,), "pop popitem setdefault clear", (), CHANGES),
        ((dict,), "get", (), HOLDS),
        ((set,), "add discard remove clear", (OF_SET,), {"changes": True}),
        ((set, frozenset), SETS, (OF_SETS,), {}),
        ((numpy.ndarray,), ARRAYS + " sum any all cumsum nonzero tobytes searchsorted prod clip round dot repeat",
         (), {}),
        ((Draws,), ARRAYS + " argsort", (), {}),
        (tuple(SCALARS), "item tolist astype", (), {}),
        (tuple(DRAWS), "item", (), {}),
    )
    for kind in kinds for name in words(names)
}  # fmt: skip


@native("update")
def _update_set(m: Machine, value: set[Any], *more: Any) -> None:
    m.may_change(value)
    for part in more:
        listed = part if type(part) in (set, frozenset) else m.sequence(part)
        if listed is None:
            refuse("update of a set by what is no list", "list(...) around it")
        value.update(listed if listed is part else set_of(listed))


@native("update")
def _update_dict(m: Machine, value: dict[Any, Any], *args: Any, **named: Any) -> None:
    m.may_change(value)
    args = tuple(map(bare, args))
    if len(args) > 1 or (args and type(args[0]) is not dict):
        refuse("update of a dict by what is no dict", "dict(...) around it")
    value.update(*args, **named)


@native("extend")
def _extend(m: Machine, value: Any, more: Any, /) -> Any:
    m.may_change(value)
    listed = m.sequence(more)
    if listed is None:
        return m.enter(prelude("_extend"), [more, value], {})
    foresee("Add", value, listed)
    return value.extend(list(listed))


@native("sort")
def _sort(m: Machine, value: Any, /, **named: Any) -> Any:
    m.may_change(value)
    return m.enter(prelude("_sort"), [value], named)


@native("format")
def _format(m: Machine, value: str, *args: Any, **named: Any) -> str:
    for part in (*args, *named.values()):
        printable(part)
        if type(part) is Fraction and any(spec for _, _, spec, _ in string.Formatter().parse(value)):
            refuse("a Fraction in a format, which Python has from 3.12 on")
    if any(set(name or "") & set(".[") for _, name, _, _ in string.Formatter().parse(value)):
        refuse("an attribute in a format")
    return value.format(*args, **named)


def _viewed(kind: str) -> Native:
    return native(kind)(lambda m, value: View(value, kind))


SPECIAL: dict[tuple[Any, str], Native] = {
    (list, "extend"): _extend, (list, "sort"): _sort, (set, "update"): _update_set,
    (dict, "update"): _update_dict, (str, "format"): _format,
    **{(kind, "join"): listing("join")(lambda m, value, held: value.join(held)) for kind in (str, bytes)},
    **{(dict, kind): _viewed(kind) for kind in ("keys", "values", "items")},
    **{(kind, "__getitem__"): native("__getitem__")(lambda m, held, key: m.item(held, key)) for kind in (list, dict)},
}  # fmt: skip
METHODS |= SPECIAL
STATIC: dict[tuple[Any, str], Native] = {
    (dict, "fromkeys"): entering("_fromkeys"), (int, "from_bytes"): pure("int.from_bytes", int.from_bytes),
    (bytes, "fromhex"): pure("bytes.fromhex", bytes.fromhex),
}  # fmt: skip
DATA: dict[Any, str] = {
    int: "numerator denominator real", bool: "numerator denominator", Fraction: "numerator denominator",
    float: "real", range: "start stop step", numpy.ndarray: "shape size ndim T", Draws: "shape size ndim T",
}  # fmt: skip


def attribute(m: Machine, value: Any, name: str) -> Any:
    """The attribute of a plain value, of rng, of a function."""
    kind = type(value)
    if isinstance(value, Source):
        return _of_source(value, name)
    if (found := METHODS.get((kind, name))) is not None:
        return Bound(found, value)
    if name in DATA.get(kind, "").split():
        return getattr(value, name)
    if kind is Function:
        if name in value.attributes:
            return value.attributes[name]
        if name == "__name__":
            return value.code.name
    if isinstance(value, type):
        if name == "__name__":
            return value.__name__
        if (value, name) in STATIC:
            return Native(name, STATIC[value, name].call)  # another one each time
    if kind is Native and name == "from_iterable" and value.name == "chain":
        return entering("from_iterable")
    if kind is Bound and type(value.what) is Function and name in value.what.attributes:
        return value.what.attributes[name]
    if kind is Unknown and m.loading and not value.own:
        return Unknown(f"{value.name}.{name}")
    refuse(f"{name} of {kind_name(value)}")


def _of_source(value: Any, name: str) -> Bound:
    if name.startswith("_"):
        refuse(f"{name} of rng", "its methods")
    if isinstance(getattr(value, name), Refused):
        raise NotFollowed(getattr(value, name)._said)
    return Bound(_drawing(name), value)


@lru_cache(None)
def _drawing(name: str) -> Native:
    return Native(name, lambda m, f, args, named: f.stack.append(_drawn(m, args[0], name, args[1:], named)))


def _drawn(m: Machine, source: Any, name: str, args: Args, named: Named) -> Any:
    """What rng gives. What it raises is told at once: whether the real one would is not for the function to decide."""
    args = [part.listed() if type(part) is View and i else part for i, part in enumerate(args)]
    for part in (*args, *named.values()):
        if isinstance(part, Opaque | Source):
            refuse(f"{name} of {kind_name(part)}", "a list")
        if not isinstance(part, type):
            plain(part)
        if type(part) in (set, frozenset):
            refuse(f"{name} of a set, whose order is not known", "sorted(...) around it")
    if name in ("shuffle", "permuted") and args:
        m.may_change(args[0])
    if "out" in named:
        refuse("out=")
    try:
        found = getattr(source, name)(*args, **named)
    except BadInput:
        raise
    except TypeError as error:
        raise OtherLibrary(f"raises {exception_text(error)}") from None
    except (ValueError, IndexError, KeyError, ZeroDivisionError, OverflowError) as error:
        raise Fails(f"raises {exception_text(error)}") from None
    if isinstance(found, Opaque):
        return found  # one of a list
    return checked(found) if found is not None else None


# Libraries ------------------------------------------------------------------------------------------------------------


@native("partial")
def _partial(m: Machine, function: Any, *args: Any, **named: Any) -> Partial:
    if not _called(function) and type(function) is not Unknown:
        refuse(f"partial of {kind_name(function)}")
    return Partial(function, args, named)


def _by_operator(op: str) -> Native:
    @native(op)
    def combine(m: Machine, left: Any, right: Any) -> Any:
        if type(left) is Instance or type(right) is Instance:
            refuse(f"operator.{op} of objects")
        return m.combined(op, left, right)

    return combine


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
            "floor ceil trunc sqrt gcd lcm isqrt fabs isnan isinf isfinite fsum copysign fmod ldexp frexp modf ulp"
        )},
        "nextafter": pure("math.nextafter", math.nextafter, BY_PLACE),
        **{name: pure(f"math.{name}", getattr(math, name), FACTORS) for name in ("factorial", "perm")},
        "comb": pure("math.comb", math.comb, CHOSEN),
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
    "bisect": {name: pure(name, getattr(bisect, name), RISING, holds=True) for name in
               ("bisect", "bisect_left", "bisect_right")},
    "fractions": {"Fraction": Fraction},
    "enum": {"Enum": ENUM, "auto": native("auto")(lambda m: Wrapped("auto()", None))},
    "dataclasses": {
        "dataclass": dataclass_, "field": field_, "replace": replace_,
        "FrozenInstanceError": EXCEPTIONS["FrozenInstanceError"],
    },
    "zlib": {"crc32": pure("zlib.crc32", zlib.crc32), "adler32": pure("zlib.adler32", zlib.adler32)},
    "numpy": {
        **{name: pure(f"numpy.{name}", getattr(numpy, name), *guards_of(name)) for name in words(NUMPY)
           if hasattr(numpy, name)},
        **{name: getattr(numpy, name) for name in
           words("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 bool_ intp")},
        "ndarray": numpy.ndarray, "pi": math.pi, "e": math.e, "inf": math.inf, "newaxis": None,
    },
    "string": {
        name: getattr(string, name)
        for name in ("ascii_lowercase", "ascii_uppercase", "ascii_letters", "digits", "hexdigits")
    },
    "importlib.metadata": {"version": native("version")(lambda m, *args: Unknown("a version"))},
    "logging": {"getLogger": native("getLogger")(lambda m, *args: Unknown("a logger"))},
    "typing": {"TypeVar": native("TypeVar")(lambda m, *args, **named: Unknown("a type"))},
}  # fmt: skip
LOADED = {name: Library(name, names) for name, names in LIBRARIES.items()}


def imported(m: Machine, frame: Frame, module: str, name: str | None, level: int, above: bool = False) -> Any:
    """What an import binds: a listed library or a part of it, a file of the user's, or what may only be named; where
    `above`, the package that all the others stand in."""
    if level:
        around = frame.module.package.split(".") if frame.module.package else []
        if level > len(around):
            refuse("a relative import beyond a package")
        module = ".".join([*around[: len(around) - level + 1], *([module] if module else [])])
    top = module.partition(".")[0]
    if m.loader is not None and (level or m.loader.is_local(top)):
        if not m.loading:
            refuse(f"an import of {module} within a call", "the import at the top of the file")
        if name is not None and m.loader.live and (inner := m.loader.module(f"{module}.{name}")) is not None:
            return inner
        first = m.loader.module(top) if above else None
        found = m.loader.module(module)
        if found is None:
            m.throw("ModuleNotFoundError")
        if name is None:
            return first if above else found
        if name not in found.names and (inner := m.loader.module(f"{module}.{name}")) is not None:
            return inner
        return found.names[name] if name in found.names else m.throw("ImportError")
    if top not in sys.modules and find_spec(top) is None:
        m.throw("ModuleNotFoundError")
    tried = any(one.blocks for one in m.frames)
    if above and not (tried and module != top):
        module = top
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
    code = Code("next", "", 0, binder=(lambda it, default, /: {"it": it, "default": default}).__code__)
    code.instructions = [("load", "it", 0), ("load", "default", 0), ("next", None, 0), ("ret", None, 0)]
    code.live = [frozenset({"it", "default"}), frozenset({"default"}), frozenset(), frozenset()]
    return Function(code, Module("prelude", ""), (MISSING,), {}, {})


NEXT = _next_of()
BUILTINS["next"] = Native("next", lambda m, f, a, n: m.enter(NEXT, a, n))


def _made_ready() -> None:
    code, module = compiled(ast.parse(PRELUDE.read_text().rpartition("# Followed")[2]), ""), Module("prelude", "")
    module.names = PRELUDE_NAMES
    ours = (*CHECKS, *(one for one in globals().values() if type(one) is Native and one.name[0] == "_"))
    PRELUDE_NAMES.update({one.name: one for one in ours})
    PRELUDE_NAMES.update(_end=Unknown("the end"), _missing=MISSING, _next=NEXT)
    m = Machine(sys.modules[__name__])
    m.loading = True
    m.frames.append(Frame(code, module))
    m.run()
    LIBRARIES["collections"] = {name: PRELUDE_NAMES[name] for name in LIKE_DICTS}
    LOADED["collections"] = Library("collections", LIBRARIES["collections"])


_made_ready()
