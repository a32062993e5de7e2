"""One sampler of the corpus, with what it promises."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Laws = Mapping[Hashable, Mapping[Hashable, Fraction]]


@dataclass(frozen=True)
class Sample:
    """`function(x, rng)` for x in `inputs`, with a claim: kept where `why` is empty, else broken by that bug.

    The claim: (eps, delta) in `view` for all neighbouring datasets of n users; `eps` (nats) and `delta` are text.
    `reference`, where there is one, is {input: {what the function returns: probability}} in closed form, of infinite
    laws the middle. `tight`: no smaller eps goes with this delta. `residual`: the mass that need not be followed where
    a function can draw for ever; some have too many paths down to 2^-64. It is so small that the claims stay clear of
    it: a right one has delta >= (1 + e^eps) n residual.
    """

    function: Callable[[Any, Any], Hashable]
    inputs: tuple[Hashable, ...]
    eps: str
    delta: str = "0"
    n: int = 1
    view: str = "local"
    why: str = ""
    reference: Laws | None = None
    tight: bool = False
    numpy: bool = False
    each: bool = False  # what the function returns has several messages: its elements
    residual: Fraction = Fraction(1, 2**64)

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def right(self) -> bool:
        return not self.why


def two_sided(ratio: Fraction, x: int, reach: int) -> dict[int, Fraction]:
    """Pr[y] = (1 - a)/(1 + a) a^|y - x|, a the ratio, for |y - x| <= reach: the two-sided geometric law around x."""
    return {x + k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-reach, reach + 1)}


def mostly(truth: Hashable, outputs: tuple[Hashable, ...], p: Fraction) -> dict[Hashable, Fraction]:
    """The truth with probability p, else one of the other outputs uniformly."""
    return {y: p if y == truth else (1 - p) / (len(outputs) - 1) for y in outputs}
