"""Exceptions that a function catches after it has drawn: whether the real rng's numbers would raise them is not known.

Only code that has handlers is watched. What a function raises by `raise`, and what lists, dictionaries and divisions
raise, is its own; a TypeError that met a draw is not, and neither is what rng raised.
"""

import dis
import functools
from types import CodeType, FrameType
from typing import Any

from verify.audit.code.paths import Astray, Cut
from verify.audit.code.watch import Stopped
from verify.audit.guard.guarded import HERE
from verify.audit.guard.questions import DRAWN
from verify.audit.rng.exact_input import NotFollowed

OWN = (LookupError, ZeroDivisionError, StopIteration, StopAsyncIteration, GeneratorExit, AssertionError)


class Catching:
    """A trace function for sys.settrace: `met` are the exceptions that passed code with handlers, in words."""

    def __init__(self, codes: set[CodeType]) -> None:
        self.codes = codes
        self.met: list[tuple[BaseException, str]] = []

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code not in self.codes:
            return None
        frame.f_trace_lines = False
        return self._look

    def _look(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception" and DRAWN[0]:
            kind, error, trace = arg
            while trace.tb_next is not None:
                trace = trace.tb_next
            inside = trace.tb_frame.f_code.co_filename.startswith(HERE)
            raised = not inside and trace.tb_lasti in raises(trace.tb_frame.f_code)
            ours = issubclass(kind, Cut | Stopped | Astray | NotFollowed)
            if not (raised or ours or (issubclass(kind, OWN) and not inside)):
                where = f"{trace.tb_frame.f_code.co_name}, line {trace.tb_lineno}"
                self.met.append((error, f"catches {kind.__name__} ({error}) of {where}"))
        return self._look


@functools.lru_cache(None)
def raises(code: CodeType) -> frozenset[int]:
    """Where a function's code has a `raise` of its own."""
    return frozenset(s.offset for s in dis.get_instructions(code) if s.opname in ("RAISE_VARARGS", "RERAISE"))
