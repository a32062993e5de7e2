"""Traps in the place of clocks and sources of chance, for a process in which a file is loaded and nothing else is done.

They give what is asked for, and note the line that asked, the first one. A generator may be made without a seed; what
is drawn from it is noted. One with a seed gives the same in every process. Nothing is put back: the process ends.
"""

import builtins
import datetime
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from verify.audit.guard.allowed import of_package, of_python
from verify.audit.guard.guarded import ordered

CLOCKS = ["time", "monotonic", "perf_counter", "process_time", "thread_time"]
CLOCKS += [f"{name}_ns" for name in CLOCKS] + ["clock_gettime", "clock_gettime_ns"]
NOW = {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}  # the clock, with no more arguments
OF_THE_SYSTEM = "urandom getrandom getpid getppid times getloadavg"
EVENTS = (
    "subprocess.Popen os.system os.fork os.forkpty os.posix_spawn os.exec socket.connect socket.getaddrinfo"
    " socket.gethostbyname _thread.start_new_thread ctypes.dlopen ctypes.dlsym ctypes.addressof"
)
DEVICES = ("/dev/", "/proc/", "/sys/")
OURS = str(Path(__file__).parents[2])  # verify


class Traps:
    """`used` is what was used first, and where, in words."""

    def __init__(self, trust: Sequence[str]) -> None:
        self.trust, self.used, self.on, self.quiet = {*trust}, "", False, False
        self.native: set[str] = set()  # packages that have opened a library of their own

    def __enter__(self) -> None:
        import uuid

        import numpy.random  # before it is asked for under a trap

        self._of_time()
        self._of_python()
        self._of_numpy(numpy.random)
        for module in (os, sys.modules["posix"]):
            for name in OF_THE_SYSTEM.split():
                if hasattr(module, name):
                    setattr(module, name, self._trap(getattr(module, name), f"os.{name}"))
        random._urandom = os.urandom  # type: ignore[attr-defined]
        uuid.uuid1 = self._trap(uuid.uuid1, "uuid.uuid1")
        real_hash = builtins.hash

        def hash_(value: Any) -> int:
            if not ordered(value):
                self.note("the hash() of what is no number", direct=True)
            return real_hash(value)

        builtins.hash = hash_
        sys.addaudithook(self._heard)
        sys.setprofile(self._called)
        self.on = True

    def __exit__(self, *given: object) -> None:
        sys.setprofile(None)
        self.on = False

    # -- who asked -----------------------------------------------------------------------------------------------------

    def note(self, what: str, direct: bool = False) -> None:
        """Notes what is used, where code of a user is at work on it, and no import of another library is."""
        if not self.on or self.quiet or self.used:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if "importlib" in file:
                return
            if not file.startswith((OURS, "<")) and not self._of_a_library(file):
                if self._package(file) not in self.trust:
                    self.used = f"{what} in {Path(file).name}:{frame.f_lineno}"
                return
            if direct and not file.startswith(OURS):
                return
            frame = frame.f_back

    def _of_a_library(self, file: str) -> bool:
        return of_python(file) or of_package(file, "numpy") or of_package(file, "scipy")

    def _package(self, file: str) -> str:
        """The package that a file is installed with; "" for a user's own."""
        parts = Path(file).parts
        for folder in ("site-packages", "dist-packages"):
            if folder in parts:
                return parts[parts.index(folder) + 1].removesuffix(".py")
        return ""

    def _trap(self, real: Callable[..., Any], name: str, unless: int | None = None) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if unless is None or len(given) + len(named) <= unless:
                self.note(name)
            return real(*given, **named)

        return call

    # -- what is asked -------------------------------------------------------------------------------------------------

    def _of_time(self) -> None:
        for name in CLOCKS:
            setattr(time, name, self._trap(getattr(time, name), f"time.{name}"))
        for name, most in NOW.items():
            setattr(time, name, self._trap(getattr(time, name), f"time.{name}", most))
        note, names = self.note, ("now", "utcnow", "today")

        def clocked(kind: Any) -> Any:
            def method(name: str) -> Any:
                def call(cls: Any, *given: Any) -> Any:
                    note(f"datetime.{name}")
                    return getattr(super(made, cls), name)(*given)

                return classmethod(call)

            made: Any = type(kind.__name__, (kind,), {n: method(n) for n in names if hasattr(kind, n)})
            return made

        for kind in (datetime.datetime, datetime.date):
            setattr(datetime, kind.__name__, clocked(kind))

    def _of_python(self) -> None:
        note, real = self.note, random.Random

        class Random(real):  # type: ignore[valid-type, misc]
            by_chance = True

            def seed(self, a: Any = None, version: int = 2) -> None:
                self.by_chance = a is None
                super().seed(a, version)

            def random(self) -> float:
                if self.by_chance:
                    note("random.random without a seed")
                return super().random()  # type: ignore[no-any-return]

            def getrandbits(self, k: int) -> int:
                if self.by_chance:
                    note("random without a seed")
                return super().getrandbits(k)  # type: ignore[no-any-return]

            def getstate(self) -> Any:
                if self.by_chance:
                    note("random.getstate without a seed")
                return super().getstate()

        old, made = random._inst, Random()
        vars(random).update(Random=Random, _inst=made)
        for name, value in list(vars(random).items()):
            if getattr(value, "__self__", None) is old:
                setattr(random, name, getattr(made, name))

    def _of_numpy(self, theirs: Any) -> None:
        note, traps, real_rng = self.note, self, theirs.default_rng

        def drawing(kind: Any) -> Any:
            class Drawing(kind):  # type: ignore[misc]
                def __getattribute__(self, name: str) -> Any:
                    if not name.startswith("_"):
                        note(f"numpy.random's {name} without a seed")
                    return super().__getattribute__(name)

            Drawing.__name__ = kind.__name__
            return Drawing

        generator, state = drawing(theirs.Generator), drawing(theirs.RandomState)

        def default_rng(seed: Any = None) -> Any:
            if seed is not None:
                return real_rng(seed)
            traps.quiet = True
            made = generator(theirs.PCG64())
            traps.quiet = False
            return made

        class RandomState(theirs.RandomState):  # type: ignore[misc]
            def __new__(cls, seed: Any = None) -> Any:
                if seed is not None:
                    return super().__new__(cls, seed)
                traps.quiet = True
                made = state()
                traps.quiet = False
                return made

        seeded = [False]

        def seed(a: Any = None) -> None:
            seeded[0] = a is not None
            theirs_seed(a)

        def of_all(name: str, value: Any) -> Any:
            def call(*given: Any, **named: Any) -> Any:
                if not seeded[0]:
                    note(f"numpy.random.{name} without a seed")
                return value(*given, **named)

            return call

        theirs_seed = theirs.seed
        for name, value in list(vars(theirs).items()):
            if isinstance(getattr(value, "__self__", None), theirs.RandomState):
                setattr(theirs, name, of_all(name, value))
        theirs.seed, theirs.default_rng, theirs.RandomState = seed, default_rng, RandomState

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        """What Python tells of itself: sys.addaudithook."""
        if not self.on:
            return
        if event == "ctypes.dlopen" and given and given[0]:
            self.native.add(self._package(str(given[0])))
        if event == "builtins.id":
            self.note("id()", direct=True)
        elif event == "open":
            if isinstance(given[0], str) and given[0].startswith(DEVICES) and given[0] != os.devnull:
                self.note(given[0])
        elif event in EVENTS.split():
            self.note(event)

    def _called(self, frame: FrameType, event: str, given: Any) -> None:
        """Compiled code of another package that gives plain data: sys.setprofile."""
        if event == "c_call":
            package = str(getattr(given, "__module__", None) or "").partition(".")[0]
            known = {"", "numpy", "scipy"} | self.trust | {*sys.stdlib_module_names}
            if package not in known and self._package(str(getattr(sys.modules.get(package), "__file__", None))):
                self.note(f"compiled code of {package}")
        elif event == "return" and frame.f_back is not None and not self.used:
            package = self._package(frame.f_code.co_filename)
            known = {"", "numpy", "scipy"} | self.trust
            if package in known or self._package(frame.f_back.f_code.co_filename) == package:
                return
            compiled = frame.f_code.co_name == "_compile_for_args"  # of numba: it is about to be called
            if (compiled or _is_data(given)) and self._is_native(package):
                self.note(f"compiled code of {package}")

    def _is_native(self, package: str) -> bool:
        if package in self.native:
            return True
        inside = [m for name, m in list(sys.modules.items()) if name.partition(".")[0] == package]
        return any(str(getattr(module, "__file__", None)).endswith((".so", ".pyd")) for module in inside)


def _is_data(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_data, value))
    return isinstance(value, int | float | str | bytes | dict) or hasattr(value, "dtype")
