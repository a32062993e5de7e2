"""What every source of randomness shares: one branch for each outcome, and answers about itself as the real one's.

A source stands for one library's: `random.Random` or numpy's (`verify.audit.rng.source`). A method that the library has
and that is not followed is there, and refuses when it is used; one that the library lacks is not there.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import comb, lcm
from typing import Any

from shufflecert.verify.audit.rng.draws import Draw, NotFollowed, Whole, exact
from shufflecert.verify.audit.rng.order_statistics import LATTICE, Path, fresh
from shufflecert.verify.errors import BadInput

BRANCHES = 256  # beyond which a whole number waits until it is compared
MOST_TRIALS = 10_000


class Fails(BadInput):
    """The function raises an exception of its own, or of this library's source."""


class OtherLibrary(Fails):
    """The function asks for what this library's source does not have: it was written for another one."""


class Lacks(AttributeError):
    """A source has no such method, as the real one has not."""


CONTINUOUS = {  # methods of random.Random, of numpy's Generator, and of torch
    *("gauss", "normalvariate", "lognormvariate", "expovariate", "betavariate", "gammavariate", "vonmisesvariate"),
    *("paretovariate", "weibullvariate", "triangular", "normal", "lognormal", "standard_normal", "laplace", "logistic"),
    *("exponential", "standard_exponential", "gamma", "standard_gamma", "beta", "chisquare", "noncentral_chisquare"),
    *("standard_cauchy", "standard_t", "f", "noncentral_f", "gumbel", "pareto", "power", "rayleigh", "vonmises"),
    *("wald", "weibull", "dirichlet", "multivariate_normal", "rand", "randn"),
}


class Refused:
    """A method that is not followed: refused as soon as it is used."""

    def __init__(self, name: str, followed: str) -> None:
        self._said = f"rng.{name} is not followed: expected one of {followed}; else audit it with --black-box"
        if name in CONTINUOUS:
            self._said = (
                f"rng.{name} is not followed: it is continuous noise, whose law no table holds: expected discrete"
                f" noise, drawn from {followed}, or a system (`shufflecert systems`); with --black-box a number that"
                " is rounded and sent as text or as an integer"
            )

    def __call__(self, *given: Any, **named: Any) -> Any:
        raise NotFollowed(self._said)

    def __getattr__(self, name: str) -> Any:
        raise NotFollowed(self._said)


class Source:
    """What is passed as `rng`; one for each run. `thresholds` and `assumed` are shared by all runs of a walk."""

    KEPT = ""

    def __init__(self, path: Path, deployed: bool, thresholds: dict[Any, Any], assumed: set[str]) -> None:
        self._path, self._deployed, self._thresholds, self._assumed = path, deployed, thresholds, assumed

    @classmethod
    def _real(cls) -> type:
        raise NotImplementedError

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what isinstance() is told
        return self._real()

    def __getattr__(self, name: str) -> Any:
        real = self._real()
        if not hasattr(real, name) and name not in self.KEPT.split(", "):
            raise Lacks(f"{real.__name__!r} object has no attribute {name!r}")
        if name.startswith("__"):
            raise AttributeError(name)
        return Refused(name, self.KEPT)

    def __deepcopy__(self, memo: Any = None) -> Any:
        raise NotFollowed("a copy of rng is not followed, which would draw the same again: expected one rng")

    __copy__ = __deepcopy__

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise NotFollowed("a copy of rng is not followed, which would draw the same again: expected one rng")

    # -- one branch for each outcome -----------------------------------------------------------------------------------

    def _draw(self, like: Any, points: int = LATTICE) -> Draw:
        lattice = points if self._deployed else None
        return Draw(self._path, fresh(lattice), lattice, self._thresholds, like)

    def _below(self, n: int) -> int:
        return self._path.choose(("one of", n), n) if n > 1 else 0

    def _many(self, n: int, like: Any) -> Any:
        """One of 0 .. n - 1, of the type of `like`; it waits where it is one of many."""
        if n <= BRANCHES:
            return type(like)(self._below(n))
        return Whole(self._path, fresh(n), n, self._thresholds, like)

    def _probability(self, method: str, p: Any) -> Fraction:
        if self._deployed:
            self._assumed.add(method)
        chance = exact(p)
        if not 0 <= chance <= 1:
            raise ValueError("p < 0, p > 1 or p contains NaNs")
        return chance

    def _trials(self, n: int, chance: Fraction) -> int:
        """Bin(n, chance)."""
        if not 0 <= n <= MOST_TRIALS:
            raise NotFollowed(f"binomial of {n} trials: expected 0 to {MOST_TRIALS}")
        a, b = chance.numerator, chance.denominator - chance.numerator
        question = ("binomial", n, chance)
        return self._path.choose(question, n + 1, lambda: [comb(n, k) * a**k * b ** (n - k) for k in range(n + 1)])

    def _until(self, chance: Fraction) -> int:
        """How many trials there are up to the first success."""
        weights, count = (chance.denominator - chance.numerator, chance.numerator), 1
        while not self._path.choose(("geometric", chance), 2, lambda: weights):
            count += 1
        return count

    def _weighted(self, p: Any) -> Callable[[], int]:
        """Draws 0 .. len(p) - 1 in proportion to p: both libraries divide by the sum."""
        shares = [exact(share) for share in p]
        if min(shares) < 0 or not any(shares):
            raise NotFollowed("weights that are negative, or all 0: expected others")
        unit = lcm(*(share.denominator for share in shares))
        weights = [int(share * unit) for share in shares]
        question = ("choice", *weights)
        return lambda: self._path.choose(question, len(weights), lambda: weights)

    def _ordered(self, n: int) -> list[int]:
        """0 .. n - 1 in one of n! orders, each as probable as the others."""
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self._below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def _between(self, low: Any, high: Any, u: Draw) -> Any:
        """low + (high - low) u, as both libraries take it; ideal, with the decimals that the ends are written as."""
        if self._deployed:
            return low + (high - low) * u
        like = low + (high - low) * u.like
        made = exact(low) + (exact(high) - exact(low)) * u
        return made.retyped(like) if isinstance(made, Draw) else like


def cumulated(weights: Any) -> list[Any]:
    return list(accumulate(weights))
