"""All that a function may be asked and answer: its exact law, by the questions that it puts to its source of chance.

A question is a vertex of a graph; an answer leads to the next question, or to an end. Questions of one key meet, so
that loops close. Questions are followed in the order of the mass of the path on which they were met first, until what
is left is small enough. Where paths meet masses are added up, and loops are closed by solving for them (`law`).

From a vertex lead ends (outputs) and steps (to other vertices), each with the exact probability of getting there next,
along any answers between; what is left of 1 was not followed. So the states are a Markov chain that ends, and with v
the expected number of visits, v = e_root + P^T v, an output has the probability sum over vertices of v times that of
the output. The chain is solved one strongly connected component after the other, in the order in which mass flows; in a
component the vertices at which loops close are unknowns of a linear system over the rationals, all others follow from
them. It has one solution wherever mass leaves the component; where none does, what flows in never ends.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from flint import fmpq, fmpq_mat

from shufflecert.verify.audit.patience import SOON, Guess, Paths, drawn
from shufflecert.verify.errors import BadInput, TooMuchWork

NONE = fmpq(0)
MOST_UNKNOWN = 400  # loops of one component that close at different states
DEEPEST = 20_000  # questions on one path
ORDERS = 4  # halvings within which the newest questions go first
LONGEST = 500  # questions of a path that is drawn to guess how many there are
BARREN = 500  # runs that were cut, one after the other, before the rest is left unexplored

Weights = Sequence[int] | int  # the integer weights of answers; an integer: that many, all equally probable
Pick = Callable[[Weights], int]


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


@dataclass(eq=False, slots=True)
class Node:
    """What was asked, after an answer to the question `before`; `order` are answers, the most probable ones first, of
    which those from `at` on are still to be followed. Two with one `key` go on alike; `state` is what goes on."""

    key: Hashable | None
    asked: Any
    weights: Weights
    state: Any
    before: "Node | None"
    answer: int
    depth: int = 0
    vertex: Any = None
    order: Sequence[int] = ()
    total: int = 0
    at: int = 0

    def met(self, vertex: Vertex) -> None:
        """Makes ready a question that was put for the first time."""
        self.vertex, weights = vertex, self.weights
        self.depth = 0 if self.before is None else self.before.depth + 1
        if isinstance(weights, int):
            self.order, self.total = range(weights), weights
        else:
            self.order = sorted(answers(weights), key=weights.__getitem__, reverse=True)
            self.total = sum(weights)

    def share(self, answer: int) -> fmpq:
        """The probability of an answer."""
        return fmpq(1 if isinstance(self.weights, int) else self.weights[answer], self.total)

    def mass(self, answer: int) -> Fraction:
        """The probability of the path on which it was met and of an answer."""
        return fraction(self.vertex.mass * self.share(answer))


@dataclass
class Run:
    """The new questions of one run, all but the last one answered as was picked, the last one too if the run `ended`,
    with `output`. One that was `cut` could not go on."""

    questions: list[Node]
    ended: bool = False
    output: Any = None
    cut: bool = False


Runs = Callable[[Node | None, int, Pick], Run]  # goes on from the start, or from a question and its answer


@dataclass
class Walked:
    """What was found of one input: `law` sums to 1 - `unexplored`; how many answers were followed, and states met."""

    law: dict[Any, Fraction]
    unexplored: Fraction
    paths: int
    states: int


def may_agree(one: Mapping[Any, Fraction], left: Fraction, two: Mapping[Any, Fraction], right: Fraction) -> bool:
    """Whether two laws are no further apart than what was not followed of them, `left` and `right`."""
    apart = [one.get(sent, 0) - two.get(sent, 0) for sent in {*one, *two}]
    return all(-left <= p <= right for p in apart)


def path_to(one: Node | None, answer: int) -> list[tuple[Any, int]]:
    """What was asked on a path up to an answer to a question, and what was answered."""
    asked = list[tuple[Any, int]]()
    while one is not None:
        asked.append((one.asked, answer))
        answer, one = one.answer, one.before
    return asked[::-1]


Found = tuple[Mapping[str, Walked], set[str], bool]  # by input; what was taken as exact; whether several are sent


def answers(weights: Weights) -> Sequence[int]:
    """The answers that are possible."""
    return range(weights) if isinstance(weights, int) else [i for i in range(len(weights)) if weights[i]]


def likeliest(weights: Weights) -> int:
    """The most probable answer."""
    return 0 if isinstance(weights, int) else max(range(len(weights)), key=weights.__getitem__)


def walk(
    run: Runs, residual: Fraction, max_paths: int, name: str, tick: Callable[[int], object] | None = None
) -> Walked:
    """The law of what ends, until at most `residual` of the mass is unexplored, or `max_paths` answers are followed."""
    root = Vertex(fmpq(1))
    vertices, known = [root], dict[Hashable, Node]()
    waiting: list[tuple[int, int, Node]] = []
    serial, paths, again, barren, look, patience = 0, 0, 0, 0, SOON, Paths(name, residual, max_paths)

    def follow(one: Node | None, answer: int) -> bool:
        """One run; whether it ended at once, with no question."""
        nonlocal serial, again, barren
        found, vertex = run(one, answer, likeliest), root if one is None else one.vertex
        share = fmpq(1) if one is None else one.share(answer)
        new = list[Node]()
        for i, question in enumerate(found.questions):
            first = question if question.key is None else known.setdefault(question.key, question)
            if first is question:
                question.met(Vertex(vertex.mass * share))
                vertices.append(question.vertex)
                new.append(question)
            else:
                again += 1
            vertex.step(first.vertex, share)
            vertex = first.vertex
            if found.ended or i < len(found.questions) - 1:
                share = question.share(question.order[0])
                question.at = 1
        for question in new:
            if question.depth < DEEPEST and question.at < len(question.order):
                serial += 1
                heappush(waiting, (_rank(question.vertex), -serial, question))
        if found.ended:
            vertex.end(found.output, share)
        barren = barren + 1 if found.cut else 0
        return found.ended

    def probe(guess: Guess) -> Fraction | None:
        """One over the probability of a path that is drawn by chance; None where it does not end soon."""
        many, asked = Fraction(1), 0
        one: Node | None = None
        answer = 0

        def pick(weights: Weights) -> int:
            nonlocal many
            found, times = drawn(guess, weights)
            many *= times
            return found

        while asked <= LONGEST:
            try:
                found = run(one, answer, pick)
            except BadInput:
                return None  # which is told on its own path
            if found.ended:
                return many
            asked += len(found.questions)
            one = found.questions[-1]
            answer = pick(one.weights)
        return None

    def left() -> Fraction:
        return 1 - sum(law(vertices).values(), Fraction(0))

    paths += follow(None, 0)
    while waiting and paths < max_paths and barren <= BARREN + paths // 2:
        one = waiting[0][2]
        answer = one.order[one.at]
        one.at += 1
        if one.at == len(one.order):
            heappop(waiting)
        follow(one, answer)
        paths += 1
        if one.at == len(one.order):
            one.state = None
        if paths == SOON and 10 * again < paths:
            patience.foresee(probe, paths)
        if tick is not None:
            tick(paths)
        if residual and paths >= look:
            look = paths + max(SOON, paths // 4)
            if left() <= residual:
                break
        patience.look(paths, left)
    found = law(vertices)
    return Walked(found, 1 - sum(found.values(), Fraction(0)), paths, len(vertices))


def _rank(vertex: Vertex) -> int:
    return int(vertex.mass.q.bit_length() - vertex.mass.p.bit_length()) // ORDERS
