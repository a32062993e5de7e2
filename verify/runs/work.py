"""A block of work: a function by its name, its argument as JSON, and what becomes of it, on whatever machine.

What is sent is text, since polynomials and balls do not pickle. What comes back is text. It is canonical JSON, which
has one text for each value, for journals and digests as well.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from shufflecert.verify.errors import BadInput

PACKAGES = tuple(f"shufflecert.{name}" for name in ("verify", "protocols", "proofs"))
ALONE = Lock()  # flint's precision belongs to the process: one block at a time, on a worker with threads too


def canonical(value: object, where: str = "value") -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII.

    Strings, integers, true, false, null, lists and tuples of them, and mappings from strings: BadInput for all else,
    a float included, since two machines need not agree on its last digit.
    """
    _check(value, where)
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except ValueError:  # Python writes no integer of more than 4300 digits
        raise BadInput(f"{where}: an integer of over 4300 digits: expected it as text") from None


def digest(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


def _check(value: object, where: str) -> None:
    if value is None or isinstance(value, str | int):
        return
    if isinstance(value, list | tuple):
        for item in value:
            _check(item, where)
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for item in value.values():
            _check(item, where)
    else:
        kind = "dict whose keys are not strings" if isinstance(value, dict) else type(value).__name__
        raise BadInput(f"{where}: a {kind}: expected strings, integers, booleans, null, lists and dicts with text keys")


@dataclass(frozen=True)
class Outcome:
    """What became of a block: its result as canonical JSON, or its failure, "BadInput: ..."; seconds of work."""

    result: str | None
    failure: str | None
    seconds: float


class OtherSources(BadInput):
    """A worker runs other sources of shufflecert than the process that asks: its results would not be ours."""


def function(job: str) -> Callable[[Any], Any]:
    """The function that "module:name" names. Raises BadInput where there is none."""
    module, _, name = job.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BadInput(f"job {job}: {error}: expected module:function") from None
    if not callable(found):
        raise BadInput(f"job {job}: not a function: expected module:function")
    return found  # type: ignore[no-any-return]


def carry_out(job: str, argument: str, expected: str | None = None) -> Outcome:
    """Carry out a block in a worker: call "module:name" with an argument given as JSON; an error is an outcome, too.

    Raises OtherSources where `sources()` is not as `expected`.
    """
    if expected is not None and expected != sources():
        raise OtherSources(
            f"a worker on {os.uname().nodename}: other sources of shufflecert: expected the same as here"
        )
    with ALONE:
        start = time.perf_counter()
        result = failure = None
        try:
            result = canonical(function(job)(json.loads(argument)), f"job {job}: result")
        except (Exception, SystemExit) as error:
            failure = f"{type(error).__name__}: {line(error)}"
        return Outcome(result, failure, time.perf_counter() - start)


@cache
def sources() -> str:
    """The SHA-256 over the Python sources of this installation, as they were when first asked for.

    What is built beside the proofs, and may be while others ask, is none of them.
    """
    found = sha256()
    for package in PACKAGES:
        for place in ((spec := find_spec(package)) and spec.submodule_search_locations) or ():
            for file in sorted(one for one in Path(place).rglob("*.py") if "_build" not in one.parts):
                found.update(f"{package}/{file.relative_to(place).as_posix()}\0".encode() + file.read_bytes() + b"\0")
    return found.hexdigest()


def line(error: BaseException) -> str:
    """The message of an error, in one line of text that can be written anywhere."""
    return " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()
