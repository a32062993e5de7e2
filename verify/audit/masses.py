"""Masses in a graph of states: where paths meet they are added up, and loops are closed by solving for them.

A vertex is a state in which a question is put. From it lead ends (outputs) and steps (to other vertices), each with
the exact probability of getting there next, along any answers between; what is left of 1 was not followed. So the
states are a Markov chain that ends, and with v the expected number of visits, v = e_root + P^T v, an output has the
probability sum over vertices of v times that of the output. The chain is solved one strongly connected component after
the other, in the order in which mass flows; in a component the vertices at which loops close are unknowns of a linear
system over the rationals, all others follow from them. It has one solution wherever mass leaves the component; where
none does, what flows in never ends.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from shufflecert.verify.errors import TooMuchWork

MOST_UNKNOWN = 400  # loops of one component that close at different states


@dataclass
class Sums:
    """Probabilities added up: numerators by denominator, so that no fraction is reduced on the way."""

    parts: dict[int, int] = field(default_factory=dict)

    def add(self, num: int, den: int) -> None:
        """Add num/den."""
        self.parts[den] = self.parts.get(den, 0) + num

    def total(self) -> Fraction:
        """Pairwise, so that denominators grow late."""
        listed = [Fraction(num, den) for den, num in self.parts.items()]
        while len(listed) > 1:
            listed = [a + b for a, b in zip(listed[::2], [*listed[1::2], Fraction(0)], strict=False)]
        return listed[0] if listed else Fraction(0)


@dataclass(eq=False, slots=True)
class Vertex:
    """A state; num/den is the probability of the path on which it was first met."""

    num: int
    den: int
    ends: dict[Any, Sums] = field(default_factory=dict)
    steps: "dict[Vertex, Sums]" = field(default_factory=dict)

    def end(self, output: Any, num: int, den: int) -> None:
        """A path of probability num/den through here ends."""
        self.ends.setdefault(output, Sums()).add(*self._share(num, den))

    def step(self, to: "Vertex", num: int, den: int) -> None:
        """A path of probability num/den through here comes to another vertex, or to this one again."""
        self.steps.setdefault(to, Sums()).add(*self._share(num, den))

    def _share(self, num: int, den: int) -> tuple[int, int]:
        if self.num == self.den:
            return num, den
        share = Fraction(num * self.den, den * self.num)
        return share.numerator, share.denominator


def law(vertices: list[Vertex]) -> tuple[dict[Any, Fraction], Fraction]:
    """The probability of every output from the first vertex, and that of never coming to an end.

    Raises TooMuchWork where more than MOST_UNKNOWN loops hang together.
    """
    found: dict[Any, Sums] = {}
    endless = fmpq(0)
    inflow: dict[Vertex, fmpq] = {vertices[0]: fmpq(1)}
    ways = {v: {w: _rational(sums.total()) for w, sums in v.steps.items()} for v in vertices}
    for component in _components(vertices[0], ways):
        if all(v not in inflow for v in component):
            continue
        visits = _visits(component, ways, inflow)
        if visits is None:
            endless += sum((inflow.get(v, fmpq(0)) for v in component), fmpq(0))
            continue
        inside = set(component)
        for v, times in visits.items():
            for w, p in ways[v].items():
                if w not in inside:
                    inflow[w] = inflow.get(w, fmpq(0)) + times * p
            for output, sums in v.ends.items():
                p = times * _rational(sums.total())
                found.setdefault(output, Sums()).add(int(p.p), int(p.q))
    return {output: sums.total() for output, sums in found.items()}, Fraction(int(endless.p), int(endless.q))


def _rational(p: Fraction) -> fmpq:
    return fmpq(p.numerator, p.denominator)


def _visits(
    component: list[Vertex], ways: dict[Vertex, dict[Vertex, fmpq]], inflow: dict[Vertex, fmpq]
) -> dict[Vertex, fmpq] | None:
    """The expected visits of a component's vertices; None where nothing ever leaves it."""
    if len(component) == 1 and component[0] not in ways[component[0]]:
        return {component[0]: inflow[component[0]]}
    inside = set(component)
    stays = {v: {w: p for w, p in ways[v].items() if w in inside} for v in component}
    if all(sum(out.values(), fmpq(0)) == 1 for out in stays.values()):
        return None
    order = _order(component, stays)
    at = {v: i for i, v in enumerate(order)}
    closing = list({w: None for v in order for w in stays[v] if at[w] <= at[v]})
    if len(closing) > MOST_UNKNOWN:
        raise TooMuchWork(f"loops that close at {len(closing)} states: expected at most {MOST_UNKNOWN}")
    return _solved(order, closing, stays, inflow)


def _solved(
    order: list[Vertex], closing: list[Vertex], stays: dict[Vertex, dict[Vertex, fmpq]], inflow: dict[Vertex, fmpq]
) -> dict[Vertex, fmpq]:
    """Visits as 1 and the unknowns, by column (-1 and 0, 1, ...), pushed on in order; then the unknowns."""
    column = {v: i for i, v in enumerate(closing)}
    into: dict[Vertex, dict[int, fmpq]] = {v: {-1: inflow[v]} if v in inflow else {} for v in order}
    visits: dict[Vertex, dict[int, fmpq]] = {}
    for v in order:
        visits[v] = {column[v]: fmpq(1)} if v in column else into[v]
        for w, p in stays[v].items():
            for i, times in visits[v].items():
                into[w][i] = into[w].get(i, fmpq(0)) + p * times
    size = len(closing)
    matrix, known = fmpq_mat(size, size), fmpq_mat(size, 1)
    for v, i in column.items():
        matrix[i, i] = fmpq(1)
        for j, times in into[v].items():
            if j >= 0:
                matrix[i, j] -= times
            else:
                known[i, 0] = times
    unknown = matrix.solve(known)
    values = [*(unknown[i, 0] for i in range(size)), fmpq(1)]  # the last one is column -1
    return {v: sum((values[i] * times for i, times in row.items()), fmpq(0)) for v, row in visits.items()}


def _order(component: list[Vertex], stays: dict[Vertex, dict[Vertex, fmpq]]) -> list[Vertex]:
    """A component from its first vertex on, so that as few steps as a search finds lead back."""
    return _finished([component[0]], stays)[::-1]


def _finished(starts: Iterable[Vertex], ways: dict[Vertex, dict[Vertex, fmpq]]) -> list[Vertex]:
    """Vertices in the order in which a depth-first search leaves them."""
    seen: set[Vertex] = set()
    left: list[Vertex] = []
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(ways[start]))]
        while stack:
            v, following = stack[-1]
            for w in following:
                if w not in seen:
                    seen.add(w)
                    stack.append((w, iter(ways[w])))
                    break
            else:
                left.append(v)
                stack.pop()
    return left


def _components(start: Vertex, ways: dict[Vertex, dict[Vertex, fmpq]]) -> list[list[Vertex]]:
    """The strongly connected components that can be reached, so that steps lead to later ones; each from the vertex
    where a search came into it (Kosaraju: the search again, backwards, in the order of the first one's ends)."""
    left = _finished([start], ways)
    back: dict[Vertex, list[Vertex]] = {v: [] for v in left}
    for v in left:
        for w in ways[v]:
            back[w].append(v)
    seen: set[Vertex] = set()
    components: list[list[Vertex]] = []
    for first in reversed(left):
        if first in seen:
            continue
        seen.add(first)
        component, waiting = [], [first]
        while waiting:
            v = waiting.pop()
            component.append(v)
            for w in back[v]:
                if w not in seen:
                    seen.add(w)
                    waiting.append(w)
        components.append(component)
    return components
