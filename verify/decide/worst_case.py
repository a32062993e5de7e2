"""The worst over all neighbouring datasets: delta, eps and the privacy profile, each asked of a question's Bound.

A privacy profile D(t), t = e^eps >= 1, is the largest delta(eps) = sum_y max(P(y) - t Q(y), 0) over the pairs (P, Q) of
neighbours, which hold both directions. As each pair's does, D falls from D(1) <= 1, is convex, and loses at most t' - t
from t to t'. `verify.bound.bound.Bound.curve` finds it at many eps at once: grids of eps stand here as texts name them,
and the ends of values as they are printed.
"""

from collections.abc import Mapping
from fractions import Fraction

from shufflecert.verify.bound.bound import WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import scope_of
from shufflecert.verify.bound.enumeration import cases, worst_case
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Profile
from shufflecert.verify.exact.neighbours import MAX_WORK, neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import natural, probability, rational, shorten
from shufflecert.verify.pairs.connect_the_dots import largest_profile
from shufflecert.verify.progress import Progress
from shufflecert.verify.systems.population import presence_of

__all__ = [
    "WorstDelta",
    "WorstEpsilon",
    "delta",
    "eps_grid",
    "epsilon",
    "even_grid",
    "number_grid",
    "privacy_profile",
    "scope_of",
    "short_ends",
    "worst_case",
]

MAX_POINTS = 10_000


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


def eps_grid(text: str, where: str = "eps") -> list[Eps]:
    """The values of eps that a text names: "0:4:81", the ends of even steps from 0 to 4, or a list "1/2,1,log(3)".

    Rising. Raises BadInput.
    """
    if ":" in text:
        return [Eps.of(number, where) for number in even_grid(text, where)]
    return sorted({Eps.of(item, where) for item in text.split(",")})


def number_grid(text: str, where: str) -> list[Fraction]:
    """The rationals that a text names: a grid "0:1:41" or a list "1/10,1/2"; rising. Raises BadInput."""
    return even_grid(text, where) if ":" in text else sorted({rational(item, where) for item in text.split(",")})


def even_grid(text: str, where: str) -> list[Fraction]:
    """The evenly spaced rationals that LOW:HIGH:COUNT names, both ends included.

    Raises BadInput unless LOW < HIGH, COUNT >= 2.
    """
    parts = text.split(":")
    if len(parts) != 3:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT or a list with commas")
    low, high = (rational(part, f"{where}, {name}") for part, name in zip(parts, ("LOW", "HIGH"), strict=False))
    if low >= high:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT with LOW below HIGH")
    count = natural(parts[2], f"{where}, COUNT", least=2, most=MAX_POINTS)
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def short_ends(value: Delta | Interval) -> Interval:
    """An interval around a value whose ends are its printed digits, rounded outwards: exact values may be long."""
    lower, upper = value.enclosure()
    return Interval(max(Fraction(lower), Fraction(0)), min(Fraction(upper), Fraction(1)))
