"""Running a protocol: users' messages drawn exactly, shuffled together, and analyzed (BC Definition 7)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any, Generic, TypeVar

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Law, label
from shufflecert.verify.systems.declare import System

T = TypeVar("T", bound=Hashable)
SHOWN = 10  # inputs listed in a message


@dataclass(frozen=True)
class Run:
    """What one run of a protocol gives: the shuffler's output, in its order, and the analyzer's."""

    messages: tuple[str, ...]
    output: Any


def run(system: System, data: Iterable[object], rng: Random | int) -> Run:
    """Run the protocol once on `data`, an input for each user, with a seed or a generator of one's own.

    No probability is rounded: with perfect random bits the messages have exactly the laws that the randomizer states.
    The same seed gives the same run. A pseudo-random generator is for experiments; it protects nobody. Raises
    BadInput for no users, and for a datum that is not an input, by its position; and where the analyzer does.

        >>> sorted(run(system("krr", k=3, gamma="1e-9"), [0, 1, 1], rng=7).messages)
        ['0', '1', '1']
    """
    rows = system.randomizer().rows
    users = _read(data, tuple(rows))
    generator = rng if isinstance(rng, Random) else Random(rng)
    samplers = {x: Sampler(rows[x]) for x in dict.fromkeys(users)}
    messages = [m for x in users for m in samplers[x].draw(generator)]
    generator.shuffle(messages)
    return Run(tuple(messages), system.analyze(Counter(messages), len(users)))


class Sampler(Generic[T]):
    """Draws from an exact law: a uniform integer below its denominator falls among its cumulated integer weights."""

    def __init__(self, law: Law[T]) -> None:
        self.outcomes = tuple(law)
        self.ends = tuple(accumulate(int(weight) for weight in law.weights.values()))

    def draw(self, rng: Random) -> T:
        """One draw of the law."""
        return self.outcomes[bisect_right(self.ends, rng.randrange(self.ends[-1]))]


def _read(data: Iterable[object], inputs: tuple[str, ...]) -> list[str]:
    if isinstance(data, str):
        raise BadInput("data: text is not a list of inputs: expected one input for each user, such as ['0', '1']")
    users = []
    for position, datum in enumerate(data, 1):
        x = label(datum, f"data, position {position}")
        if x not in inputs:
            known = ", ".join(inputs[:SHOWN]) + (", ..." if len(inputs) > SHOWN else "")
            raise BadInput(f"data, position {position}: {x!r} is not an input: expected one of {known}")
        users.append(x)
    if not users:
        raise BadInput("data: no users: expected at least one input")
    return users
