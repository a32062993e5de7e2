"""Addresses, which are others in every process: in text, and in the order of sets. Both are refused where they arise.

An address gets into text where an object has none of its own (`<map object at 0x7f...>`), by any road: f-strings, `%`,
str, print, json, the message of an exception, an array that becomes text. All roads end in the slot tp_repr of the
object's type. While a function runs, this slot of every type that is not known to write no address leads to `_text`;
that of iterating a set to `_iterated`; set.pop and dict.fromkeys, which read a set without it, to `_popped` and
`_keyed`. They remember a refusal (`NotFollowed`), which stands whatever the function does with what it gets.

The slots stand where CPython's headers put them, which `found()` checks in two independent structures before any is
written; under another Python code that makes text, or a set, is not followed.
"""

import array
import collections
import ctypes
import dis
import functools
import itertools
import operator
import re
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from types import CodeType
from typing import Any

from verify.audit.guard.allowed import of_python
from verify.audit.guard.guarded import HERE, ON, UNORDERED, one_order, refuse
from verify.audit.guard.state import HEAP
from verify.errors import BadInput

REPR, ITER, BUFFER = 88, 216, 160  # bytes from the beginning of a type to its slots tp_repr, tp_iter, tp_as_buffer
WRAPPED, METHOD, CALLED = 48, 40, 8  # from a slot wrapper to its function, a method to its definition, that to its own
WALK = tuple(
    f"{HERE}/{place}" for place in ("merge/", "code/", "guard/catching.py", "guard/world.py", "guard/state.py")
)
WRITES = {"str", "repr", "ascii", "format", "format_map", "Template", "dumps"}
PLAIN: tuple[Any, ...] = (  # whose text is that of their contents, and of no address
    int, float, complex, bool, str, bytes, bytearray, type(None), type(...), type(NotImplemented), type, range, slice,
    list, tuple, dict, set, frozenset, type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType,
    BaseException, Decimal, collections.OrderedDict, collections.defaultdict, collections.deque, array.array,
    types.SimpleNamespace, types.GenericAlias, types.UnionType, functools.partial, itertools.count, itertools.repeat,
    operator.itemgetter, operator.attrgetter, operator.methodcaller, re.Pattern, re.Match,
    types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
)  # fmt: skip
TO_TEXT = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
TO_POP = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_void_p)
TO_KEYS = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.POINTER(ctypes.py_object), ctypes.c_ssize_t)
TO_BUFFER = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)
TO_BYTES = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object, ctypes.c_void_p)


class _Own:
    def __repr__(self) -> str:
        return ""


def _at(address: int) -> Any:
    return ctypes.c_void_p.from_address(address)


def _of(wrapper: Any) -> Any:
    """The function that a slot wrapper, such as int.__repr__, calls."""
    return _at(id(wrapper) + WRAPPED)


def _called(method: Any) -> Any:
    """The function that a method of a builtin type, such as set.pop, calls."""
    return _at(_at(id(method) + METHOD).value + CALLED)


@functools.cache
def found() -> bool:
    """Whether the slots stand where they are looked for: in types, in slot wrappers and in definitions of methods."""
    if (
        sys.implementation.name != "cpython"
        or ctypes.sizeof(ctypes.c_void_p) != 8
        or sysconfig.get_config_var("Py_GIL_DISABLED")
    ):
        return False
    for cls in (int, list, type, object, set, BaseException):
        if _at(id(cls) + REPR).value != _of(vars(cls)["__repr__"]).value:
            return False
    for kind in (set, frozenset, list):
        if _at(id(kind) + ITER).value != _of(vars(kind)["__iter__"]).value:
            return False
    for method, name in ((vars(set)["pop"], b"pop"), (vars(dict)["fromkeys"], b"fromkeys")):
        if ctypes.c_char_p.from_address(_at(id(method) + METHOD).value).value != name:
            return False
    same = _at(id(map) + REPR).value == _at(id(object) + REPR).value
    return bool(same) and _at(id(int) + REPR).value != _at(id(object) + REPR).value


# What the slots lead to -----------------------------------------------------------------------------------------------

BEFORE: dict[int, int] = {}  # what stood in a slot, by its address


def _shown() -> bool:
    """Whether it is the function that gets to see it: not the walk, while it writes a state down, nor an import."""
    frame, below = sys._getframe(2), ""
    while frame.f_back is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if file.startswith(WALK):
            return name == "_called"  # by the runner: all between is the function's
        if "importlib" in file and below not in ("", "<module>"):
            return False
        frame, below = frame.f_back, name
    return True


def _text(value: Any) -> Any:
    """The text of an object whose type is not known to write no address."""
    if (
        not ON[0]
        or not _shown()
        or (type(value) is types.BuiltinFunctionType and isinstance(value.__self__, types.ModuleType))
    ):
        cls: Any = next(c for c in type(value).__mro__ if id(c) + REPR in BEFORE)
        return _or_refused(lambda: TO_TEXT(BEFORE[id(cls) + REPR])(value), "repr") or "<an object>"
    _refused(f"makes text of a {type(value).__name__}, which holds its address", "expected a __repr__ of its own")
    return "<an object>"


def _refused(what: str, advice: str) -> None:
    refuse(what, advice)  # which is remembered; an exception would not come through C


def _in_any_order(value: Any) -> None:
    if ON[0] and isinstance(value, set | frozenset) and not one_order(value) and _shown():
        _refused(*UNORDERED)


def _iterated(value: Any) -> Any:
    _in_any_order(value)
    return TO_TEXT(BEFORE[id(set if isinstance(value, set) else frozenset) + ITER])(value)


def _popped(value: Any, nothing: Any) -> Any:
    _in_any_order(value)
    return _or_refused(lambda: TO_POP(BEFORE[_address(vars(set)["pop"])])(value, nothing), "set.pop")


def _keyed(cls: Any, given: Any, count: int) -> Any:
    _in_any_order(given[0] if count else None)
    return _or_refused(lambda: TO_KEYS(BEFORE[_address(vars(dict)["fromkeys"])])(cls, given, count), "dict.fromkeys")


def _buffered(value: Any, view: Any, flags: int) -> int:
    _of_objects(value)
    return _or_refused(lambda: TO_BUFFER(BEFORE[_buffer(type(value))])(value, view, flags), "a buffer") or 0


def _in_bytes(value: Any, given: Any, named: Any) -> Any:
    _of_objects(value)
    return _or_refused(lambda: TO_BYTES(BEFORE[_address(_tobytes())])(value, given, named), "tobytes")


def _of_objects(value: Any) -> None:
    if ON[0] and value.dtype.hasobject:
        _refused("reads the memory of an array of objects, which holds their addresses", "expected its tolist()")


def _tobytes() -> Any:
    return vars(sys.modules["numpy"].ndarray)["tobytes"]


def _buffer(cls: Any) -> int:
    return int(_at(id(next(c for c in cls.__mro__ if c.__module__ == "numpy")) + BUFFER).value)


def _or_refused(call: Callable[[], Any], name: str) -> Any:
    """An exception does not come through C: it is refused."""
    try:
        return call()
    except Exception as error:
        _refused(f"{name} raises {type(error).__name__}", "expected what it can be called with")
        return None


def _address(method: Any) -> int:
    return int(_at(id(method) + METHOD).value + CALLED)


TEXT, ITERATED, POPPED, KEYED = TO_TEXT(_text), TO_TEXT(_iterated), TO_POP(_popped), TO_KEYS(_keyed)
BUFFERED, IN_BYTES = TO_BUFFER(_buffered), TO_BYTES(_in_bytes)


# For the time of a walk -----------------------------------------------------------------------------------------------


@contextmanager
def kept_out() -> Iterator[None]:
    """While a function runs (`ON`), text and orders that hold addresses are refused, whoever makes them."""
    if not found():
        yield
        return
    classes, places = _classes(), list[tuple[Any, int]]()
    plain = [*PLAIN, _Own, *_of_numpy(classes)]
    known = {_at(id(cls) + REPR).value for cls in plain} - {_at(id(object) + REPR).value}
    text, iterated = (ctypes.cast(made, ctypes.c_void_p).value for made in (TEXT, ITERATED))
    for cls in classes:
        if (old := _at(id(cls) + REPR).value) and old not in known:
            places.append((text, id(cls) + REPR))
            if type(wrapper := vars(cls).get("__repr__")) is types.WrapperDescriptorType:
                places.append((text, id(wrapper) + WRAPPED))
    places += [(iterated, id(vars(kind)["__iter__"]) + WRAPPED) for kind in (set, frozenset)]
    reading = {_at(id(kind) + ITER).value for kind in (set, frozenset)}
    places += [(iterated, id(cls) + ITER) for cls in classes if _at(id(cls) + ITER).value in reading]
    for mine, method in ((POPPED, vars(set)["pop"]), (KEYED, vars(dict)["fromkeys"])):
        places.append((ctypes.cast(mine, ctypes.c_void_p).value, _address(method)))
    if numpy := sys.modules.get("numpy"):
        array = _at(id(numpy.ndarray) + BUFFER).value  # its slot for getting a buffer stands first
        for mine_too, place in ((BUFFERED, array), (IN_BYTES, _address(_tobytes()))):
            places.append((ctypes.cast(mine_too, ctypes.c_void_p).value, place))
    try:
        for new, place in places:  # each once
            BEFORE[place] = _at(place).value
            _at(place).value = new
        yield
    finally:
        for _, place in places:
            _at(place).value = BEFORE[place]
        for cls in classes:  # they were kept until here; those that are made at run time may end now
            if cls.__flags__ & HEAP:
                BEFORE.pop(id(cls) + REPR, None)


def _classes() -> list[Any]:
    found: dict[int, Any] = {id(object): object}
    waiting = [object]
    while waiting:
        more = {id(cls): cls for cls in type.__subclasses__(waiting.pop())}
        waiting += [cls for key, cls in more.items() if key not in found]
        found |= more
    return [*found.values()]


def _of_numpy(classes: list[Any]) -> list[Any]:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return []
    return [numpy.ndarray, numpy.dtype, numpy.ufunc, *(c for c in classes if numpy.generic in c.__mro__)]


# Classes of a user, and another Python --------------------------------------------------------------------------------


def no_hash(self: Any) -> int:
    """The __hash__ of objects that have none of their own."""
    raise refuse(f"hashes a {type(self).__name__} by its address", "expected a __hash__ of its own, or lists")


def keep(cls: Any, undo: list[Callable[[], object]]) -> bool:
    """Whether hashes of a class's objects are its own, or are refused from now on."""
    if cls.__hash__ is not object.__hash__:
        return True
    try:
        cls.__hash__ = no_hash
    except (TypeError, AttributeError):
        return False
    undo.append(lambda: delattr(cls, "__hash__"))
    return True


def building(real: Callable[..., Any]) -> Callable[..., Any]:
    """builtins.__build_class__, for classes that are made while a function runs."""

    def built(body: Any, name: str, *bases: Any, **named: Any) -> Any:
        cls = real(body, name, *bases, **named)
        file = body.__code__.co_filename
        if not of_python(file) and not file.startswith(HERE) and not keep(cls, []):
            raise refuse(f"makes the class {name}, whose objects' hash may hold an address")
        return cls

    return built


def refuse_text(code: CodeType, steps: list[dis.Instruction], held: dict[str, Any], where: str) -> None:
    """Under a Python whose slots are not found: no text is made, and no set."""
    if found():
        return
    sets = any(step.opname in ("BUILD_SET", "SET_ADD", "SET_UPDATE") for step in steps)
    if sets or {"keys", "items"} & {*code.co_names} or makes_text(code, steps, held):
        raise BadInput(
            f"{where}: makes text, or a set, which may hang on addresses: expected CPython, under which it is followed;"
            " else audit it with --black-box"
        )


def makes_text(code: CodeType, steps: list[dis.Instruction], held: dict[str, Any]) -> bool:
    """Whether code formats values."""
    called = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_METHOD", "LOAD_ATTR")}
    if called & WRITES or any(step.opname == "FORMAT_VALUE" for step in steps):
        return True
    texts = [*code.co_consts, *(held.get(name) for name in code.co_names)]
    percent = any(step.opname == "BINARY_OP" and step.argrepr in ("%", "%=") for step in steps)
    return percent and any(isinstance(text, str | bytes) and "%" in str(text) for text in texts)
