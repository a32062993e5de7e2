"""The answer of compose: systems seen together, each many times."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.answer import (
    About,
    Answer,
    CertificateFile,
    DeltaValue,
    EpsValue,
    NumberOfMessages,
)
from shufflecert.verify.answers.words import Lines
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree
from shufflecert.verify.exact.randomizer import System
from shufflecert.verify.exact.rational import natural, plain, probability, shorten
from shufflecert.verify.systems import catalogue

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN, MOST_USERS = 15, 10**6  # of a curve; users that it may cost
EFFORT = Effort(work=2_000_000)
MANY_RUNS = 11  # points of the curve of all runs
FAR = 10**6  # a delta that many times below the answer's is not shown
MEANING = {
    "same": "a user holds one input for all runs of a system",
    "fresh": "a user's input may differ from run to run, fixed beforehand",
    "adaptive": "a user's input may differ from run to run, chosen on seeing what the runs before have shown",
}


WorstRun = TypedDict(
    "WorstRun", {"system": str, "times": int, "from": str | None, "to": str | None, "others": dict[str, int] | None}
)


class ComposedScope(TypedDict):
    """For which datasets a composition's answer holds."""

    adjacency: str
    group: int
    view: str
    n: int | list[int]
    datasets: str
    users: str
    data: str
    inputs: str
    by: str
    pairs: int
    stands_for: int | None
    two_sided: bool
    worst: list[WorstRun]
    reference: NotRequired[dict[str, str]]
    honest: NotRequired[int]
    take_part: NotRequired[str]


class ComposeAnswer(About):
    """The answer of `compose`: delta, or eps, of systems seen together."""

    times: int | list[int]
    eps: NotRequired[str]
    delta: DeltaValue | str
    epsilon: NotRequired[EpsValue]
    scope: ComposedScope
    number_of_messages: NotRequired[NumberOfMessages]
    certificate: NotRequired[CertificateFile]


@dataclass(frozen=True, repr=False)
class Composition(Answer):
    """The answer of `compose`: delta(eps), or the smallest eps, of systems seen together."""

    called = "composition"
    shape, keys = ComposeAnswer, ("times", "scope")
    draws_at_once: ClassVar[bool] = False
    caption = "delta as a function of eps of all runs together, and of one run of each system alone, log scale."

    @property
    def value(self) -> str:  # type: ignore[override]
        """The key of the number that was asked for."""
        return "delta" if "eps" in self.tree else "epsilon"

    def lines(self, wide: int) -> Lines:
        """delta or eps, what is composed, and the worst of it."""
        answer = self.tree
        scope = answer["scope"]
        if "eps" in answer:
            lines: Lines = [
                f"delta({plain(answer['eps'])}) = {words.interval(answer['delta'])}",
                *words.exactly(answer["delta"]),
            ]
        else:
            lines = [*words.epsilon_lines(answer)]
        users = "users of one system each" if scope["users"].startswith("of") else "the same users"
        lines.append(f"  {_what(answer)}, by {users}: {scope['inputs']}")
        n = ", ".join(map(str, scope["n"])) if isinstance(scope["n"], list) else scope["n"]
        many = "one user" if scope["group"] == 1 else f"up to {scope['group']} users"
        changed = words.adjacency_text(scope).replace("one user", many, 1)
        lines.append(f"  shuffled view, n = {n}, all neighbouring datasets ({changed})")
        of = "" if scope["stands_for"] is None else f" for {shorten(str(scope['stands_for']))}"
        lines.append(f"  {words.counted(scope['pairs'], 'composition')} evaluated{of}: {scope['by']}")
        if scope["two_sided"]:
            lines.append(
                "  lower bound: attained by real datasets; upper bound: compositions that dominate all datasets"
            )
        for one in scope["worst"]:
            held = "any" if one["others"] is None else words.held(one["others"]) or "none"
            runs = f"{one['system']} {_times(one['times'])}"
            start, end = words.ends_text(scope["adjacency"], one)
            lines.append(f"  worst: {runs} with {start} against {end}, the others: {held}")
        lines += words.messages_lines(answer)
        return lines

    def headline(self) -> str:
        """How often each system runs, and the answer."""
        return f"{_what(self.tree)}, seen together: {self.lines(0)[0]}."

    def plot(self) -> "Figure":
        """delta over eps of all runs, the answer marked, and of one run of each system alone.

        Only of systems by name, of users who are all there, and of one who is replaced: else raises BadInput, as where
        the answer has no such point, or where matplotlib is missing.
        """
        answer = self.tree
        scope, names = answer["scope"], str(answer["system"]).split(",")
        listed = answer["n"] if isinstance(answer["n"], list) else [answer["n"]] * len(names)
        if (
            not {*names} <= {*catalogue.names()}
            or scope["adjacency"] != "replace"
            or {"honest", "take_part"} & {*scope}
        ):
            raise BadInput("plot: expected systems by name, and users who are all there")
        if str(scope["group"]) != "1":
            raise BadInput("plot: a group of users: expected one user")
        users = [natural(n, "n", most=MOST_USERS) for n in listed]
        systems = [catalogue.make(name, values) for name, values in zip(names, answer["parameters"], strict=True)]
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


def _what(answer: Tree) -> str:
    """Each system, and how often it runs."""
    often = answer["times"] if isinstance(answer["times"], list) else [answer["times"]]
    return ", ".join(f"{name.strip()} {_times(k)}" for name, k in zip(answer["system"].split(","), often, strict=True))


def _times(k: int) -> str:
    return "once" if k == 1 else "twice" if k == 2 else f"{k} times"


# The picture ---------------------------------------------------------------------------------------------------------


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
    grid = [Eps.of(last * i / (DRAWN - 1)) for i in range(DRAWN)]
    found = bound_of(Question.of(system, n), EFFORT).curve(grid).points
    ends = [(Fraction(eps.enclosure()[1]), *map(Fraction, value.enclosure(12))) for eps, value in found]
    return _drawn(label, ends, delta)


def _drawn(label: str, points: Sequence[tuple[Fraction, ...]], delta: Fraction) -> plots.Band:
    """A band through (eps, low, high), as far as it is near the answer's delta."""
    kept = [one for one in points if one[2] * FAR >= delta] or points[:1]
    x, low, high = ([float(one[i]) for one in kept] for i in range(3))
    return plots.Band(label, x, low, high)
