"""What can be called as f(x, rng), what it is called in messages, its inputs, and how far it is followed."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from shufflecert.verify.errors import BadInput

Function = Callable[[Any, Any], Any]
INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


RESIDUAL, MAX_PATHS, SECONDS = Fraction(1, 2**64), 10**6, 10


@dataclass(frozen=True)
class Options:
    """How far a function is followed; `residual` is the mass that may stay unexplored, `each` None for its own."""

    deployed: bool = False
    residual: Fraction = RESIDUAL
    max_paths: int = MAX_PATHS
    seconds: int = SECONDS
    each: bool | None = None
    library: str | None = None

    def several(self, own: Any) -> bool:
        """Whether what is returned has several messages; `own` is what the function's attribute `each` says."""
        return own is True if self.each is None else self.each


def listed_inputs(given: Any) -> list[Any]:
    """The inputs that --inputs or a function's attribute `inputs` name: text such as "0,1", whose parts are integers
    where they are written so, else text; or the values themselves. Raises BadInput where there are none."""
    if given is None:
        raise BadInput("--inputs: missing: expected a function's inputs as in --inputs 0,1, or its attribute `inputs`")
    if isinstance(given, str):
        return [int(part) if INTEGER.fullmatch(part) else part for part in given.split(",")]
    if not hasattr(given, "__len__") or not hasattr(given, "__getitem__") or hasattr(given, "keys"):
        raise BadInput(f"inputs: a {type(given).__name__}: expected a tuple or a list of them, or text such as '0,1'")
    return given.tolist() if hasattr(given, "tolist") else list(given)


def name_of(function: Any) -> str:
    """The name of a function, of what a partial calls, or of an object's class."""
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def place_of(function: Any) -> str:
    """module:name, as the answer of an audit shows it."""
    while isinstance(function, partial):
        function = function.func
    module = getattr(function, "__module__", None) or type(function).__module__
    return f"{module}:{getattr(function, '__qualname__', None) or type(function).__qualname__}"


def checked(function: Any) -> Function:
    """The function, if it can be called as f(x, rng) and returns at once. Raises BadInput else."""
    name, called = name_of(function), function
    if not callable(function):
        raise BadInput(f"{name}: cannot be called: expected a function f(x, rng)")
    while isinstance(called, partial):
        called = called.func
    if not inspect.isroutine(called) and not isinstance(called, type):
        called = type(called).__call__
    if inspect.isasyncgenfunction(called) or inspect.iscoroutinefunction(called):
        raise BadInput(f"{name}: is an `async def`: expected a function f(x, rng) that returns a tuple of messages")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of what is not Python's
        return function  # type: ignore[no-any-return]
    try:
        signature.bind(None, None)
    except TypeError:
        raise BadInput(f"{name}{signature}: cannot be called with an input and a source: expected f(x, rng)") from None
    return function  # type: ignore[no-any-return]
