"""Masses in a graph of states: where paths meet they are added up, and loops are closed by solving for them.

A vertex is a state in which a question is put. From it lead ends (outputs) and steps (to other vertices), each with
the exact probability of getting there next, along any answers between; what is left of 1 was not followed. So the
states are a Markov chain that ends, and with v the expected number of visits, v = e_root + P^T v, an output has the
probability sum over vertices of v times that of the output. The chain is solved one strongly connected component after
the other, in the order in which mass flows; in a component the vertices at which loops close are unknowns of a linear
system over the rationals, all others follow from them. It has one solution wherever mass leaves the component; where
none does, what flows in never ends.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat

from shufflecert.verify.errors import TooMuchWork

NONE = fmpq(0)
MOST_UNKNOWN = 400  # loops of one component that close at different states


@dataclass(eq=False, slots=True)
class Vertex:
    """A state; `mass` is the probability of the path on which it was first met."""

    mass: fmpq
    ends: dict[Any, fmpq] = field(default_factory=dict)
    steps: "dict[Vertex, fmpq]" = field(default_factory=dict)

    def end(self, output: Any, share: fmpq) -> None:
        """Of what comes here, a share that ends."""
        self.ends[output] = self.ends.get(output, NONE) + share

    def step(self, to: "Vertex", share: fmpq) -> None:
        """Of what comes here, a share that comes to another vertex, or to this one again."""
        self.steps[to] = self.steps.get(to, NONE) + share


def law(vertices: list[Vertex]) -> dict[Any, Fraction]:
    """The probability of every output from the first vertex.

    Raises TooMuchWork where more than MOST_UNKNOWN loops hang together.
    """
    found: dict[Any, list[fmpq]] = {}
    inflow: dict[Vertex, fmpq] = {vertices[0]: fmpq(1)}
    ways = {v: v.steps for v in vertices}
    for component in _components(vertices[0], ways):
        if all(v not in inflow for v in component):
            continue
        visits = _visits(component, ways, inflow) or {}
        inside = set(component)
        for v, times in visits.items():
            for w, p in ways[v].items():
                if w not in inside:
                    inflow[w] = inflow.get(w, NONE) + times * p
            for output, p in v.ends.items():
                found.setdefault(output, []).append(times * p)
    return {output: fraction(_sum(parts)) for output, parts in found.items()}


def fraction(p: fmpq) -> Fraction:
    """As Python's."""
    return Fraction(int(p.p), int(p.q))


def _sum(parts: list[fmpq]) -> fmpq:
    """Pairwise, so that denominators grow late."""
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], [*parts[1::2], NONE], strict=False)]
    return parts[0]


def _visits(
    component: list[Vertex], ways: dict[Vertex, dict[Vertex, fmpq]], inflow: dict[Vertex, fmpq]
) -> dict[Vertex, fmpq] | None:
    """The expected visits of a component's vertices; None where nothing ever leaves it."""
    if len(component) == 1 and component[0] not in ways[component[0]]:
        return {component[0]: inflow[component[0]]}
    inside = set(component)
    stays = {v: {w: p for w, p in ways[v].items() if w in inside} for v in component}
    if all(sum(out.values(), NONE) == 1 for out in stays.values()):
        return None
    order = _finished(component[0], stays, set())[::-1]  # so that as few steps as a search finds lead back
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
                into[w][i] = into[w].get(i, NONE) + p * times
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
    return {v: sum((values[i] * times for i, times in row.items()), NONE) for v, row in visits.items()}


def _finished(start: Vertex, ways: Mapping[Vertex, Iterable[Vertex]], seen: set[Vertex]) -> list[Vertex]:
    """Vertices in the order in which a depth-first search leaves them, but for those that were seen before."""
    seen.add(start)
    left, stack = list[Vertex](), [(start, iter(ways[start]))]
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
    left = _finished(start, ways, set())
    back: dict[Vertex, list[Vertex]] = {v: [] for v in left}
    for v in left:
        for w in ways[v]:
            back[w].append(v)
    seen = set[Vertex]()
    return [_finished(first, back, seen)[::-1] for first in reversed(left) if first not in seen]
