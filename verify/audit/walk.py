"""All that a function may be asked and answer: its exact law, by the questions that it puts to its source of chance.

A question is a vertex of a Markov chain; an answer leads to the next question, or to an end. Questions of one key meet,
so that loops close, and masses are those of the chain (`masses.law`). Questions are followed in the order of the mass
of the path on which they were met first, until what is left is small enough.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from flint import fmpq

from shufflecert.verify.audit.masses import Vertex, fraction, law
from shufflecert.verify.audit.patience import SOON, Guess, Paths, drawn
from shufflecert.verify.errors import BadInput

DEEPEST = 20_000  # questions on one path
ORDERS = 4  # halvings within which the newest questions go first
LONGEST = 500  # questions of a path that is drawn to guess how many there are
BARREN = 500  # runs that were cut, one after the other, before the rest is left unexplored

Weights = Sequence[int] | int  # the integer weights of answers; an integer: that many, all equally probable
Pick = Callable[[Weights], int]


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
