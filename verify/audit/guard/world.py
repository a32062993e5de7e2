"""What a function can reach while it is followed, walked; what is not known to be always the same is kept from it.

A function is given nothing but its arguments; all else it reaches by names: globals of its module, its closure, its
defaults, attributes of these, imports. `World` walks them before the first run, and puts `verify.audit.guard.guarded`'s
stand-ins in the place of what is not known; modules are handed on in parts, as they are asked. Whatever is changeable
is handed to `verify.audit.guard.state`, which finds what a call has changed. At the end everything is as it was.
"""

import builtins
import dis
import functools
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Context
from typing import Any

from verify.audit.guard.addresses import building, keep, kept_out, refuse_text
from verify.audit.guard.allowed import ATTRIBUTES, IMMUTABLE, MUTABLE, OURS, known, of_package, of_python, top
from verify.audit.guard.caches import remembering
from verify.audit.guard.guarded import Frozen, Kept, Part, Seeded, Set, ordered
from verify.audit.guard.questions import CHANGED, SUBSTITUTES
from verify.audit.guard.reading import called, kind_of, of_a_user, of_python_s, refuse_names, slots_of
from verify.audit.guard.state import State
from verify.errors import BadInput

Undo = Callable[[], object]
DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


class World:
    """Everything that a function reaches. `trust`: packages whose code is taken as it is; `trusted`: those it uses."""

    def __init__(self, trust: Sequence[str] = ()) -> None:
        self.trust, self.trusted = {*trust}, set[str]()
        self.known, self.state = known(), State()
        self.undo = list[Undo]()
        self.seen: dict[int, tuple[Any, Any]] = {}  # by identity: (what was met, what stands for it)
        self.namespaces: dict[int, dict[str, Any]] = {}
        self.catching: set[types.CodeType] = set()

    # -- one object ----------------------------------------------------------------------------------------------------

    def admit(self, value: Any, name: str) -> Any:
        """The object itself where it is known, else what stands for it."""
        kind = type(value)
        if kind in IMMUTABLE or kind in (Kept, Part, Seeded):
            return value
        if id(value) in self.seen:
            return self.seen[id(value)][1]
        if id(value) in SUBSTITUTES:
            return SUBSTITUTES[id(value)]
        if id(value) in self.known:
            self.state.watch_known(value)
            return value
        self.seen[id(value)] = (value, value)
        found = self._judged(value, kind, name)
        self.seen[id(value)] = (value, found)
        return found

    def _judged(self, value: Any, kind: type, name: str) -> Any:
        if issubclass(kind, types.ModuleType):
            return self._module(value)
        package = top(value)
        for *_, plain in value.compiled if kind.__name__ == "Place" and package in OURS else ():
            self.admit(plain, name)  # of --patch: the Python of functions that numba compiled
        if package in OURS or package in self.trust:
            self.trusted |= {package} - {*OURS}
            return value
        if kind is types.FunctionType:
            return self._function(value, name)
        if issubclass(kind, type):
            return value if self._class(value) else Kept(name, value)
        if kind is types.MethodType:
            owner = self.admit(value.__self__, name)
            called = self.admit(value.__func__, name)
            same = owner is value.__self__ and called is value.__func__
            return value if same else Kept(name, value)
        if kind in (types.BuiltinMethodType, types.MethodWrapperType):
            return value if self._of_data(value, name) else Kept(name, value)
        if kind in (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType):
            fits = id(value.__objclass__) in self.known and value.__name__ not in ATTRIBUTES
            return value if fits else Kept(name, value)
        if found := (value,) if kind in DESCRIPTORS else self._wrapped(value, kind, name):
            return found[0]
        if kind.__module__ == "numpy" or kind.__module__.startswith("numpy."):
            return self._of_numpy(value, kind, name)
        return self._data(value, kind, name)

    def _module(self, value: types.ModuleType) -> Any:
        if value.__name__.partition(".")[0] in self.trust:
            self.trusted.add(value.__name__.partition(".")[0])
            return value
        if value.__name__.partition(".")[0] in OURS:
            return value
        self.known |= known() if value.__name__.startswith(("numpy", "scipy")) else {}
        if numpy := sys.modules.get("numpy.random"):
            for maker in ("default_rng", "RandomState"):
                real = getattr(numpy, maker)
                self.seen[id(real)] = real, Seeded(f"numpy.random.{maker}", real, real)
        return Part(value, self.admit)

    def _of_data(self, value: Any, name: str) -> bool:
        """A method of something that is data, or of a type that is known, as list.append or dict.fromkeys."""
        owner = value.__self__
        if isinstance(owner, types.ModuleType) or owner is None or value.__name__ in ATTRIBUTES:
            return False
        if isinstance(owner, type):
            return id(owner) in self.known
        return self.admit(owner, name) is owner

    def _wrapped(self, value: Any, kind: type, name: str) -> tuple[Any] | None:
        """Descriptors and wrappers of functions, which are judged by what they wrap."""
        if kind in (staticmethod, classmethod):
            inner = self.admit(value.__func__, name)
            return (value if inner is value.__func__ else Kept(name, value),)
        if kind is property:
            owned = [part for part in (value.fget, value.fset, value.fdel) if part is not None]
            return (value if all(self.admit(part, name) is part for part in owned) else Kept(name, value),)
        if kind is functools.cached_property:
            return (value if self.admit(value.func, name) is value.func else Kept(name, value),)
        if kind is functools.partial:
            parts = [self.admit(part, name) for part in (value.func, *value.args)]
            named = {key: self.admit(part, name) for key, part in value.keywords.items()}
            return (functools.partial(parts[0], *parts[1:], **named),)
        if kind is functools._lru_cache_wrapper:
            same = self.admit(value.__wrapped__, name) is value.__wrapped__
            return (remembering(value.__wrapped__, name, self.state) if same else Kept(name, value),)
        return None

    def _of_numpy(self, value: Any, kind: type, name: str) -> Any:
        import numpy

        if isinstance(value, numpy.generic | numpy.dtype):
            return value
        if kind is numpy.ndarray and value.dtype != object:
            self.state.watch(value)
            return value
        if kind is numpy.ndarray:
            for i, part in enumerate(value.flat):
                if self.admit(part, name) is not part:
                    return Kept(f"{name}[{i}]", value)
            self.state.watch(value)
            return value
        return Kept(name, value)

    # -- containers and instances --------------------------------------------------------------------------------------

    def _data(self, value: Any, kind: type, name: str) -> Any:
        if issubclass(kind, tuple):
            parts = [self.admit(part, name) for part in value]
            if all(a is b for a, b in zip(parts, value, strict=True)):
                return value if kind is tuple or self._class(kind) else Kept(name, value)
            return tuple(parts) if kind is tuple else Kept(name, value)
        if issubclass(kind, frozenset | set):
            return self._set(value, kind, name)
        if issubclass(kind, types.MappingProxyType):
            return value if all(self.admit(part, name) is part for part in value.values()) else Kept(name, value)
        fits = kind in MUTABLE or id(kind) in self.known or self._class(kind)
        if not fits or isinstance(value, Iterator | Context):
            return Kept(name, value)
        return self._contents(value, name)

    def _contents(self, value: Any, name: str) -> Any:
        if isinstance(value, dict):
            for key, part in list(value.items()):
                self._replace(value, key, part, f"{name}[{key!r}]"[:80])
            if isinstance(value, defaultdict) and value.default_factory is not None:
                made = value.default_factory
                if (other := self.admit(made, name)) is not made:
                    value.default_factory = other
                    self.undo.append(lambda: setattr(value, "default_factory", made))
        elif isinstance(value, list):
            for i, part in enumerate(list(value)):
                self._replace(value, i, part, f"{name}[{i}]")
        elif type(value) in MUTABLE and any(self.admit(part, name) is not part for part in value):
            return Kept(name, value)
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            for key, part in list(held.items()):
                self._replace(held, key, part, f"{name}.{key}")
        for slot in slots_of(type(value)):
            part = getattr(value, slot, None)
            if self.admit(part, f"{name}.{slot}") is not part:
                return Kept(f"{name}.{slot}", value)
        self.state.watch(value)
        return value

    def _replace(self, held: Any, key: Any, part: Any, name: str) -> None:
        if (other := self.admit(part, name)) is not part:
            held[key] = other
            self.undo.append(lambda: held.__setitem__(key, part))

    def _set(self, value: Any, kind: type, name: str) -> Any:
        if kind in (Set, Frozen) or all(map(ordered, value)):
            self.state.watch(value)
            return value
        if kind not in (set, frozenset) or any(self.admit(part, name) is not part for part in value):
            return Kept(name, value)
        made = Set(value) if kind is set else Frozen(value)
        self.state.watch(made)
        return made

    # -- code ----------------------------------------------------------------------------------------------------------

    def _function(self, value: Any, name: str) -> Any:
        file = value.__code__.co_filename
        if of_package(file, "numpy") or of_package(file, "scipy"):
            return Kept(name, value)
        if of_python(file) and not value.__closure__:
            return Kept(name, value)
        if not of_python(file):
            self._code(value.__code__, value.__globals__, getattr(value, "__qualname__", name))
        for key, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            self._cell(cell, key)
        if value.__defaults__:
            self._defaults(value, "__defaults__", tuple(self.admit(part, name) for part in value.__defaults__))
        for key, part in (value.__kwdefaults__ or {}).items():
            self._replace(value.__kwdefaults__, key, part, f"{name}({key})")
        for key, part in list(value.__dict__.items()):
            if key != "__wrapped__":
                self._replace(value.__dict__, key, part, f"{name}.{key}")
        self.state.watch(value)
        return value

    def _defaults(self, value: Any, which: str, made: Any) -> None:
        old = getattr(value, which)
        if any(a is not b for a, b in zip(made, old, strict=True)):
            setattr(value, which, made)
            self.undo.append(lambda: setattr(value, which, old))

    def _cell(self, cell: Any, name: str) -> None:
        try:
            old = cell.cell_contents
        except ValueError:
            return
        if (made := self.admit(old, name)) is not old:
            cell.cell_contents = made
            self.undo.append(lambda: setattr(cell, "cell_contents", old))
        self.state.watch(cell)

    def _code(self, code: types.CodeType, held: dict[str, Any], name: str) -> None:
        """The names of a function's code, in its module; and of the code within it."""
        self.namespaces[id(held)] = held
        instructions = list(dis.get_instructions(code))
        refuse_names(code, name)
        if any(step.opname in ("PUSH_EXC_INFO", "WITH_EXCEPT_START") for step in instructions):
            self.catching.add(code)
        refuse_text(code, instructions, held, f"{name}: line {code.co_firstlineno}")
        for step in instructions:
            if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                self.state.watch_name(held, step.argval)
        for key in code.co_names:
            if type(held.get(key)).__module__ == "verify.audit.code.patch":
                continue  # rng, for the time of a call
            if key in held:
                self._replace(held, key, held[key], key)
                self.state.watch_name(held, key)
            elif key in CHANGED and key not in code.co_varnames:
                held[key] = CHANGED[key]
                self.undo.append(lambda key=key: held.pop(key, None))  # type: ignore[misc]
        for part in code.co_consts:
            if isinstance(part, types.CodeType):
                self._code(part, held, name)

    def _class(self, cls: type) -> bool:
        """Whether it is a user's own, or known; its methods and attributes are walked."""
        if cls in (object, type) or cls in IMMUTABLE or cls in MUTABLE or id(cls) in self.known:
            return True
        if id(cls) in self.seen and self.seen[id(cls)][1] is not self.seen[id(cls)][0]:
            return False
        if cls in self.state.classes:
            return True
        if not isinstance(vars(cls).get("__module__"), str) or not of_a_user(cls):
            return False
        if not all(self._class(base) or of_python_s(base) for base in cls.__bases__):
            return False
        if not keep(cls, self.undo):
            return False
        self.state.watch_class(cls)
        for key, part in list(vars(cls).items()):
            if key in ("__dict__", "__weakref__", "__doc__", "__module__", "__abc_impl", "_abc_impl", "__slots__"):
                continue
            if isinstance(part, types.FunctionType) and of_python(part.__code__.co_filename):
                continue
            other = self.admit(part, f"{cls.__name__}.{key}")
            if other is not part and not key.startswith("__"):
                setattr(cls, key, other)
                self.undo.append(lambda key=key, part=part: setattr(cls, key, part))  # type: ignore[misc]
        self.state.watch_class(cls)
        return True

    # -- while functions run -------------------------------------------------------------------------------------------

    @contextmanager
    def entered(self, function: Any) -> Iterator[Any]:
        """The function with all that it reaches walked; as it was afterwards."""
        real_import, real_class = builtins.__import__, builtins.__build_class__

        def imported(name: str, held: Any = None, local: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            module = real_import(name, held, local, fromlist, level)
            return self.admit(module, name) if id(held) in self.namespaces else module

        try:
            found = self.admit(function, called(function))
            if isinstance(found, Kept):
                raise BadInput(
                    f"{called(function)}: {kind_of(function)}, not known to give the same answer always: expected a"
                    " Python function f(x, rng) that draws from rng alone; else --black-box or --trust " + top(function)
                )
            builtins.__import__, builtins.__build_class__ = imported, building(real_class)  # type: ignore[assignment]
            with kept_out():
                yield found
        finally:
            builtins.__import__, builtins.__build_class__ = real_import, real_class
            self.state.restore()
            while self.undo:
                self.undo.pop()()
