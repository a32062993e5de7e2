"""Functions with a cache: the same as without one, as long as they are functions of their arguments alone."""

from collections.abc import Callable
from typing import Any

from verify.audit.guard.guarded import refuse
from verify.audit.guard.state import State
from verify.audit.rng.recording import Source
from verify.audit.rng.symbolic_draw import Draw


def remembering(inner: Callable[..., Any], name: str, state: State) -> Callable[..., Any]:
    """`inner` with a cache in the place of its own: what that holds is watched by `state`, and no draw may enter it."""
    held = dict[Any, Any]()

    def call(*given: Any, **named: Any) -> Any:
        parts = (*given, *named.items())
        if any(isinstance(part, Source | Draw) for part in (*given, *named.values())):
            raise refuse(f"keeps what {name} draws in a cache")
        key = (*parts, *map(type, parts))
        if key not in held:
            held[key] = inner(*given, **named)
            state.watch(held[key])
        return held[key]

    return call
