"""How a system declares its parameters: a dataclass field with a meaning and a reader that checks it.

    @dataclass(frozen=True)
    class Mine(System):
        p: Fraction = parameter("probability of a noise message", probability)

The reader takes (value, name) and returns the exact value or raises BadInput; `verify.number` has `rational`,
`probability`, `natural`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from typing import Any

from verify.randomizer import Randomizer


def parameter(meaning: str, read: Callable[[object, str], Any], default: Any = MISSING) -> Any:
    """A dataclass field whose value is read exactly when the system is made."""
    return field(default=default, metadata={"meaning": meaning, "read": read})


class System(ABC):
    """A shuffled protocol: a randomizer and an analyzer (BC Definition 7).

    Subclasses are frozen dataclasses whose fields are `parameter`s. A system whose pairs of neighbours are known by a
    proof also has

        reduction(n) -> iterator of verify.divergence.Pair

    a set of pairs whose largest delta(eps) is, for every eps, the largest over all neighbouring datasets of n users:
    the second road to every number, walked against the first by the tests.
    """

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            read = declared.metadata["read"]
            object.__setattr__(self, declared.name, read(getattr(self, declared.name), declared.name))

    @abstractmethod
    def randomizer(self) -> Randomizer:
        """The law of one user's messages, for every input."""

    @abstractmethod
    def analyze(self, messages: Mapping[str, int], n: int) -> Any:
        """The protocol's output from the shuffled messages of n users, as a multiset {message: count}."""
