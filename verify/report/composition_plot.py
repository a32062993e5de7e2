"""The picture of a composition: the privacy profile of one run of each system, with the answer for all runs marked."""

from fractions import Fraction
from typing import TYPE_CHECKING

from verify.decide.privacy_profile import profile_curve
from verify.decide.worst_case import epsilon
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.randomizer import System
from verify.exact.rational import natural, probability
from verify.report import plots
from verify.shapes.common import Tree
from verify.systems import catalogue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, WORK, MOST_USERS = 15, 2_000_000, 10**6  # of a curve; units of enumeration, and users, that it may cost
FAR = 10**6  # a delta that many times below the answer's is not shown


def composition_figure(answer: Tree) -> "Figure":
    """delta over eps of one run of each system alone, and the point (eps, delta) of all runs together.

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
    marks = [plots.Mark(float(eps), float(delta), "all runs together")]
    bands = [
        _band(f"{name}, one run", system, n, last, delta)
        for name, system, n in dict.fromkeys(zip(names, systems, users, strict=True))
    ]
    return plots.bands_figure(bands, "eps (nats)", "delta", marks=marks)


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
    found = epsilon(system, n, delta, max_work=WORK)
    high = Fraction(found.eps.enclosure()[1]) if found.eps is not None else found.interval and found.interval[1]
    if not high:
        raise BadInput("plot: one run alone is not shown to keep this delta with a finite eps above 0")
    return high * 4 / 3


def _band(label: str, system: System, n: int, last: Fraction, delta: Fraction) -> plots.Band:
    """A curve as far as it is near the answer's delta."""
    grid = [Eps.of(last * i / (POINTS - 1)) for i in range(POINTS)]
    found = profile_curve(system, n, grid, max_work=WORK).points
    shown = [tuple(Fraction(end) for end in (eps.enclosure()[1], *value.enclosure(12))) for eps, value in found]
    kept = [one for one in shown if one[2] * FAR >= delta] or shown[:1]
    x, low, high = ([float(one[i]) for one in kept] for i in range(3))
    return plots.Band(label, x, low, high)
