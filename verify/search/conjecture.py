"""Conjectures: statements about every case of a finite space, with a predicate that decides each case."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verify.decide.certify import Certified
from verify.search.spaces import Space

Parameters = Mapping[str, int | str]


@dataclass(frozen=True)
class Hit:
    """A case at which a conjecture fails: in words, with numbers, and with certificates by name."""

    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    certificates: Mapping[str, Certified] = field(default_factory=dict)


@dataclass(frozen=True)
class Conjecture:
    """A statement about every case of a finite space: `holds(case, **parameters)` is True or False, nothing else.

    The cases are those of `space(**parameters)`; `defaults` are the parameters, by name. `screen(start, stop,
    **parameters)` gives (how many cases these ranks have, the ranks at which it is not certain that the conjecture
    holds), and has to prove its error margin where it computes in floats; `explain(case, **parameters)` tells a hit.
    """

    name: str
    statement: str
    space: Callable[..., Space]
    holds: Callable[..., bool]
    defaults: Parameters = field(default_factory=dict)
    source: str = ""
    screen: Callable[..., tuple[int, Sequence[int]]] | None = None
    explain: Callable[..., Hit] | None = None
