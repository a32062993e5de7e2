"""The worst over all neighbouring datasets: delta, eps and the privacy profile, each asked of a question's Bound."""

from collections.abc import Mapping
from fractions import Fraction

from shufflecert.verify.bound.bound import WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import scope_of
from shufflecert.verify.bound.enumeration import cases, worst_case
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Profile
from shufflecert.verify.exact.neighbours import MAX_WORK, neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.pairs.connect_the_dots import largest_profile
from shufflecert.verify.progress import Progress
from shufflecert.verify.systems.population import presence_of

__all__ = ["WorstDelta", "WorstEpsilon", "delta", "epsilon", "privacy_profile", "scope_of", "worst_case"]


def delta(
    system: Randomizer | System,
    n: object = 1,
    eps: object = 0,
    view: str = "shuffled",
    *,
    others: Mapping[str, int] | None = None,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
    enough: Fraction = Fraction(0),
) -> WorstDelta:
    """The largest delta(eps) over all neighbouring datasets of n users, both directions.

    eps in nats, delta a probability. Exact, A - B e^eps, where datasets are enumerated; else an enclosure, to 30 digits
    or between real datasets and a dominating pair, as the scope says; enclosures up to `enough` may have any lower end.
    With `others` only the datasets whose other users hold these inputs count. With Ctrl-C the interval reached so far
    is the answer (`Scope.stopped`). Raises BadInput, and TooMuchWork where enumeration would exceed the effort's `work`
    and nothing else is known.
    """
    at = Eps.of(eps)
    return bound_of(Question.of(system, n, view, others), effort).delta(at, enough)


def epsilon(
    system: Randomizer | System,
    n: object = 1,
    delta: object = 0,
    view: str = "shuffled",
    *,
    others: Mapping[str, int] | None = None,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
) -> WorstEpsilon:
    """The smallest eps with delta(eps) <= delta for all neighbouring datasets of n users.

    Exactly log(p/q), or None, where datasets are enumerated; else an interval. Raises as `delta` does.
    """
    bound = probability(delta, "delta")
    return bound_of(Question.of(system, n, view, others), effort).epsilon(bound)


def privacy_profile(
    system: Randomizer | System,
    n: object = 1,
    view: str = "shuffled",
    *,
    max_work: int | None = None,
    progress: Progress | None = None,
) -> Profile:
    """The privacy profile, delta as an exact piecewise-linear function of e^eps >= 1: the largest over all neighbours.

    Raises as `delta` does.

        >>> privacy_profile(system("krr", k=2, gamma="1/2"), n=1).delta(Eps.of("log(2)"))
        0.25
    """
    around = neighbourhood(randomizer_of(system), n, view, max_work or MAX_WORK, presence_of(system))
    return largest_profile(case.pair for case in cases(around, progress))
