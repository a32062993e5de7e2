"""The worst over all neighbouring datasets: delta, eps and the privacy profile, with the scope of the answer."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from flint import fmpq, fmpz

from verify.divergence import Profile
from verify.neighbours import MAX_WORK, Case, Neighbourhood, Progress, Scope, neighbourhood
from verify.number import MAX_BITS, Delta, Eps, probability, rational
from verify.randomizer import Randomizer


class System(Protocol):
    """Anything that states its randomizer; the systems of `protocols` do."""

    def randomizer(self) -> Randomizer: ...


@dataclass(frozen=True)
class WorstDelta:
    delta: Delta
    scope: Scope


@dataclass(frozen=True)
class WorstEpsilon:
    """`eps` is exact, or None where no finite eps keeps the delta asked for."""

    eps: Eps | None
    scope: Scope


def randomizer_of(system: Randomizer | System) -> Randomizer:
    return system if isinstance(system, Randomizer) else system.randomizer()


def delta(
    system: Randomizer | System,
    n: object = 1,
    eps: object = 0,
    view: str = "shuffled",
    *,
    max_work: int = MAX_WORK,
    progress: Progress | None = None,
) -> WorstDelta:
    """The largest delta(eps) = A - B e^eps over all neighbouring datasets of n users, both directions: exact.

    eps in nats, delta a probability. Raises BadInput, and TooMuchWork where enumeration would exceed `max_work`.
    """
    around = neighbourhood(randomizer_of(system), n, view, max_work)
    return worst_case(around, Eps.of(eps), progress)[0]


def worst_case(
    around: Neighbourhood, eps: Eps, progress: Progress | None = None, max_bits: int = MAX_BITS
) -> tuple[WorstDelta, Case | None]:
    """The largest delta(eps) of a neighbourhood and the case that attains it (None when there is a single input).

    Raises Undecided where `max_bits` bits of e^eps do not decide a comparison.
    """
    best, worst, pairs = Delta(fmpz(0), fmpz(0), fmpz(1), eps), None, 0
    for case in cases(around, progress):
        pairs += 1
        value = case.pair.delta(eps, max_bits)
        if worst is None or value.minus(best).sign(max_bits) > 0:
            best, worst = value, case
    return WorstDelta(best, around.scope(pairs, worst.neighbours if worst else None)), worst


def epsilon(
    system: Randomizer | System,
    n: object = 1,
    delta: object = 0,
    view: str = "shuffled",
    *,
    max_work: int = MAX_WORK,
    progress: Progress | None = None,
) -> WorstEpsilon:
    """The smallest eps with delta(eps) <= delta for all neighbouring datasets of n users: exactly log(p/q), or None.

    Raises BadInput, and TooMuchWork where enumeration would exceed `max_work`.
    """
    bound = probability(delta, "delta")
    power, worst, pairs = fmpq(1), None, 0
    around = neighbourhood(randomizer_of(system), n, view, max_work)
    for case in cases(around, progress):
        pairs += 1
        if worst is None or not case.pair.within(power, bound):
            reached = case.pair.epsilon_power(bound, power)
            if reached is None:
                return WorstEpsilon(None, around.scope(pairs, case.neighbours))
            if worst is None or reached > power:
                power, worst = reached, case.neighbours
    return WorstEpsilon(Eps.log(rational(power)), around.scope(pairs, worst))


def profile(
    system: Randomizer | System,
    n: object = 1,
    view: str = "shuffled",
    *,
    max_work: int = MAX_WORK,
    progress: Progress | None = None,
) -> Profile:
    """delta as an exact piecewise-linear function of e^eps >= 1, the largest over all neighbouring datasets."""
    result = Profile.envelope([(fmpq(0), fmpq(0))])
    for case in cases(neighbourhood(randomizer_of(system), n, view, max_work), progress):
        result = result.maximum(case.pair.profile())
    return result


def cases(around: Neighbourhood, progress: Progress | None = None) -> Iterable[Case]:
    """The representatives, through a progress bar where one is given."""
    chosen = around.representatives()
    walk = around.cases(chosen)
    return progress(walk, sum(len(pairs) for pairs in chosen.values())) if progress else walk
