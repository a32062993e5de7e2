"""Every path of a function that draws: the exact law of its output, path by path, the most probable ones first.

A path is the list of answers to the questions that the function puts to its source of randomness. The function is run
again for every path, on the answers so far, and the first new question opens the next branches; what was computed for a
path's beginning is kept. Where it is known in which state a question is put, a path stops that comes to a state met
before, and its mass flows on from there (verify/audit/merge/masses.py). Paths that are not followed to their end keep
their mass apart, as the law's residual.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd
from typing import Any, Protocol

from verify.audit.merge.masses import Sums, Vertex, law

Question = tuple[Any, ...]  # what was asked, as far as two runs on one path must agree
Weigh = Callable[[], Sequence[int]]  # the integer weights of a question's answers
DEEPEST = 20_000  # questions on one path
QUESTIONS = 5_000  # asked in any case, so that what is finite and rare is followed to its end
BARREN = 500  # paths without an end, one after the other, before the rest is left unexplored
SMALLER = 24  # how many times half as probable as its beginning a path may become at one go
ORDERS = 4  # halvings within which the newest branches go first
SOON = 100  # paths that are followed before their number is estimated, where some may meet
PATIENCE, SELDOM = 5_000, 50  # states written down before they must have been met again, one of so many


class Cut(BaseException):
    """Raised inside a function whose path is not followed further; no business of its `except Exception`."""


@dataclass(eq=False, slots=True)
class Node:
    """The answer to one question, after `before`; its mass, the probability of the path so far, is num/den.

    `base` is the last state that was met on the way, `vertex` the one in which the next question is put, if known.
    """

    before: "Node | None"
    question: Question
    answer: int
    num: int
    den: int
    depth: int = 0
    base: Vertex = field(default_factory=lambda: Vertex(1, 1))
    vertex: Vertex | None = None

    def answers(self) -> "list[Node]":
        listed, node = list[Node](), self
        while node.before is not None:
            listed.append(node)
            node = node.before
        return listed[::-1]

    @property
    def mass(self) -> Fraction:
        return Fraction(self.num, self.den)

    @property
    def halvings(self) -> int:
        """About -log2 of the mass."""
        return self.den.bit_length() - self.num.bit_length()


@dataclass(eq=False, slots=True)
class Later:
    """Answers to one question that are still to be followed: order[at:], the most probable ones first."""

    before: Node
    question: Question
    weights: Sequence[int] | int  # an integer: that many answers, all equally probable
    order: Sequence[int]
    total: int
    at: int

    def node(self) -> Node:
        answer = self.order[self.at]
        weight = 1 if isinstance(self.weights, int) else self.weights[answer]
        return child(self.before, self.question, answer, weight, self.total)


def child(before: Node, question: Question, answer: int, weight: int, total: int) -> Node:
    common = gcd(weight, total)
    num, den = before.num * (weight // common), before.den * (total // common)
    return Node(before, question, answer, num, den, before.depth + 1, before.vertex or before.base)


class States(Protocol):
    """Tells in which state a function puts a question (verify/audit/merge/state.py)."""

    def answered(self) -> None: ...

    def key(self, question: Hashable) -> Hashable | None: ...


@dataclass(eq=False)
class Met:
    """The states of a walk: vertices by key, the first one that of the beginning."""

    states: States | None
    vertices: list[Vertex]
    known: dict[Hashable, Vertex] = field(default_factory=dict)
    again: int = 0

    def met(self, node: Node, question: Question) -> bool:
        """Whether the state in which a question is put after `node` was met before; its mass then flows there."""
        if self.states is None or (key := self.states.key(question)) is None:
            return False
        old = self.known.get(key)
        if old is None:
            old = self.known[key] = node.vertex = Vertex(node.num, node.den)
            self.vertices.append(old)
            node.base.step(old, node.num, node.den)
            if len(self.known) > PATIENCE + SELDOM * self.again:
                self.states = None
            return False
        self.again += 1
        node.base.step(old, node.num, node.den)
        return True


class Path:
    """One run: answers what is asked as recorded, then takes the most probable answer and notes the others."""

    __slots__ = ("astray", "cut", "merged", "met", "most_halvings", "node", "opened", "recorded", "step")

    def __init__(self, start: Node, most_halvings: int, met: Met | None = None) -> None:
        self.recorded = start.answers()
        self.node = start
        self.step = 0
        self.most_halvings = most_halvings
        self.opened: list[Later] = []
        self.cut: bool = False
        self.astray: Astray | None = None  # remembered, should the function catch it
        self.met = met
        self.merged = False

    def choose(self, question: Question, count: int, weigh: Weigh | None = None) -> int:
        """The answer, 0 .. count - 1, to a question; without weights all are equally probable."""
        if self.cut:
            raise Cut
        if self.astray is not None:
            raise self.astray
        step = self.step
        self.step = step + 1
        if step < len(self.recorded):
            known = self.recorded[step]
            if known.question != question:
                self.astray = Astray(known.question, question)
                raise self.astray
            if self.step == len(self.recorded) and self.met is not None and self.met.states is not None:
                self.met.states.answered()
            return known.answer
        return self._open(question, count, weigh)

    def _open(self, question: Question, count: int, weigh: Weigh | None) -> int:
        node, order = self.node, range(count)
        if self.met is not None and self.met.met(node, question):
            self.cut = self.merged = True
            raise Cut
        weights: Sequence[int] | int = count
        total = count
        if weigh is not None:
            weights = weigh()
            total = sum(weights)
            order = sorted((i for i in order if weights[i]), key=weights.__getitem__, reverse=True)  # type: ignore[assignment]
        later = Later(node, question, weights, order, total, 0)
        if self.step > DEEPEST or node.halvings > self.most_halvings:
            self.cut = True
            self.opened.append(later)
            raise Cut
        self.node = later.node()
        if len(order) > 1:
            later.at = 1
            self.opened.append(later)
        return self.node.answer


class Astray(BaseException):
    """Two runs on the same path asked different questions."""


@dataclass
class Walked:
    """What was found of one input: exact probabilities of outputs; `paths` that ended, `unexplored` mass of others.

    `merged` paths ended in a state that was met before; `endless` is the part of the unexplored mass that never ends.
    """

    law: dict[Any, Fraction]
    paths: int
    unexplored: Fraction
    deepest: int = 0
    merged: int = 0
    endless: Fraction = Fraction(0)


Run = Callable[[Path], Any]  # runs the function on a path and gives its output, in a form that can be compared


def walk(
    run: Run,
    residual: Fraction,
    max_paths: int,
    tick: Callable[[int], object] | None = None,
    states: States | None = None,
    estimate: Callable[[], object] | None = None,
) -> Walked:
    """The law of `run`, until at most `residual` of the mass is unexplored or `max_paths` paths were followed.

    Paths that come to a state met before stop there, where `states` tells them. `estimate` is called once, where
    SOON paths did not suffice and few of them met, to raise what it must.
    """
    node = Node(None, (), 0, 1, 1)
    met = Met(states, [node.base])
    waiting: list[tuple[int, int, Later]] = []
    serial, paths, asked, deepest, barren, look = 0, 0, 0, 0, 0, QUESTIONS
    explored = Sums()
    while True:
        path = Path(node, node.halvings + SMALLER, met)
        output = run(path)
        barren = barren + 1 if path.cut and not path.merged else 0
        if not path.cut:
            path.node.base.end(output, path.node.num, path.node.den)
            explored.add(path.node.num, path.node.den)
        paths, asked, deepest = paths + 1, asked + path.step, max(deepest, path.step)
        if tick is not None:
            tick(paths)
        for later in path.opened:
            if later.at < len(later.order) and later.before.depth < DEEPEST:
                serial += 1
                heappush(waiting, (_rank(later), -serial, later))
        if not waiting or paths >= max_paths or barren > BARREN + paths // 2:
            break
        if estimate is not None and paths >= SOON and 10 * met.again < paths:
            estimate()
            estimate = None
        if residual and asked >= look:
            look = asked + max(QUESTIONS, asked // 8)
            seen = sum(law(met.vertices)[0].values(), Fraction(0)) if met.again else explored.total()
            if 1 - seen <= residual:
                break
        later = waiting[0][2]
        node = later.node()
        later.at += 1
        if later.at == len(later.order):
            heappop(waiting)
    found, endless = law(met.vertices)
    return Walked(found, paths, 1 - sum(found.values(), Fraction(0)), deepest, met.again, endless)


def _rank(later: Later) -> int:
    """Which to follow first: by the order of magnitude of the mass, then the newest."""
    return later.before.halvings // ORDERS
