"""The picture of a composition: the privacy profile of all runs together, the answer marked, and of one run each."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import System
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.report import plots
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.systems import catalogue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, MOST_USERS = 15, 10**6  # of a curve; users that it may cost
EFFORT = Effort(work=2_000_000)
MANY_RUNS = 11  # points of the curve of all runs
FAR = 10**6  # a delta that many times below the answer's is not shown


def composition_figure(answer: Tree) -> "Figure":
    """delta over eps of all runs together, the point (eps, delta) that was asked for, and one run of each system alone.

    Only systems that are known by name are looked at, users who are all there, and one user who is replaced. Raises
    BadInput where there are no such, where the answer has no such point, or where matplotlib is missing.
    """
    scope, names = answer["scope"], str(answer["system"]).split(",")
    listed = answer["n"] if isinstance(answer["n"], list) else [answer["n"]] * len(names)
    if not {*names} <= {*catalogue.names()} or scope["adjacency"] != "replace" or {"honest", "take_part"} & {*scope}:
        raise BadInput("plot: expected systems by name, and users who are all there")
    if str(scope["group"]) != "1":
        raise BadInput("plot: a group of users: expected one user")
    users = [natural(n, "n", most=MOST_USERS) for n in listed]
    systems = [catalogue.load(name, values) for name, values in zip(names, answer["parameters"], strict=True)]
    eps, delta = _point(answer)
    last = 2 * eps if "eps" in answer else max(map(_reach, systems, users, [delta] * len(users)))
    marks = [plots.Mark(float(eps), float(delta), "the answer")]
    often = answer["times"] if isinstance(answer["times"], list) else [answer["times"]] * len(names)
    runs = [Run(*one) for one in zip(systems, users, map(int, often), names, strict=True)]
    bands = [] if scope["users"].startswith("of one") else [_together(runs, scope["data"], eps, delta)]
    bands += [
        _band(f"{name}, one run", system, n, last, delta)
        for name, system, n in dict.fromkeys(zip(names, systems, users, strict=True))
    ]
    return plots.bands_figure(bands, "eps (nats)", "delta", marks=marks)


def _together(runs: list[Run], data: str, eps: Fraction, delta: Fraction) -> plots.Band:
    """The curve of all runs, to two digits, up to a quarter beyond the answer's eps."""
    composed = prepare(runs, data, digits=2, effort=EFFORT)
    points = []
    for i in range(MANY_RUNS):
        at = eps * 5 * i / (4 * (MANY_RUNS - 1))
        found = composed.delta(at).delta
        assert found is not None
        points.append((at, *(Fraction(end) for end in found.enclosure(12))))
    return _drawn("all runs together", points, delta)


def _point(answer: Tree) -> tuple[Fraction, Fraction]:
    """(eps, delta) of all runs together."""
    if "eps" in answer:
        eps, delta = Eps.of(answer["eps"]).enclosure()[1], answer["delta"]["upper"]
    else:
        eps, delta = answer["epsilon"]["upper"], answer["delta"]
    if eps == "inf" or not probability(delta, "delta") or not Fraction(eps):
        raise BadInput("plot: no such point on a log scale: expected a finite eps, and a delta above 0")
    return Fraction(eps), Fraction(delta)


def _reach(system: System, n: int, delta: Fraction) -> Fraction:
    """The eps up to which one run is drawn: a third beyond that of the delta."""
    found = epsilon(system, n, delta, effort=EFFORT)
    high = Fraction(found.eps.enclosure()[1]) if found.eps is not None else found.interval and found.interval[1]
    if not high:
        raise BadInput("plot: one run alone is not shown to satisfy this delta with a finite eps above 0")
    return high * 4 / 3


def _band(label: str, system: System, n: int, last: Fraction, delta: Fraction) -> plots.Band:
    """The curve of one run."""
    grid = [Eps.of(last * i / (POINTS - 1)) for i in range(POINTS)]
    found = bound_of(Question.of(system, n), EFFORT).curve(grid).points
    ends = [(Fraction(eps.enclosure()[1]), *map(Fraction, value.enclosure(12))) for eps, value in found]
    return _drawn(label, ends, delta)


def _drawn(label: str, points: Sequence[tuple[Fraction, ...]], delta: Fraction) -> plots.Band:
    """A band through (eps, low, high), as far as it is near the answer's delta."""
    kept = [one for one in points if one[2] * FAR >= delta] or points[:1]
    x, low, high = ([float(one[i]) for one in kept] for i in range(3))
    return plots.Band(label, x, low, high)
