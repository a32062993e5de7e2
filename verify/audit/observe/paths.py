"""Every path of a function that draws: the exact law of its output, path by path, the most probable ones first.

A path is the list of answers to the questions that the function puts to its source of randomness. The function is run
again for every path, on the answers so far, and the first new question opens the next branches. Paths that are not
followed to their end keep their mass apart, as the law's residual.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from math import gcd
from typing import Any

from shufflecert.verify.audit.follow.masses import Sums
from shufflecert.verify.audit.patience import SOON, Paths, drawn

Question = Any  # what was asked, as far as two runs on one path must agree
Weigh = Callable[[], Sequence[int]]  # the integer weights of a question's answers
LONGEST = 500  # questions of a path that is drawn to guess how many there are
DEEPEST = 20_000  # questions on one path
QUESTIONS = 5_000  # asked in any case, so that what is finite and rare is followed to its end
BARREN = 500  # paths without an end, one after the other, before the rest is left unexplored
SMALLER = 24  # how many times half as probable as its beginning a path may become at one go
ORDERS = 4  # halvings within which the newest branches go first


class Cut(BaseException):
    """Raised inside a function whose path is not followed further; no business of its `except Exception`."""


@dataclass(eq=False, slots=True)
class Node:
    """The answer to one question, after `before`; its mass, the probability of the path so far, is num/den."""

    before: "Node | None"
    question: Question
    answer: int
    num: int
    den: int
    depth: int = 0

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
    return Node(before, question, answer, num, den, before.depth + 1)


class Path:
    """One run: answers what is asked as recorded, then takes the most probable answer and notes the others."""

    __slots__ = ("astray", "cut", "most_halvings", "node", "opened", "recorded", "step")

    def __init__(self, start: Node, most_halvings: int) -> None:
        self.recorded = start.answers()
        self.node = start
        self.step = 0
        self.most_halvings = most_halvings
        self.opened: list[Later] = []
        self.cut: bool = False
        self.astray: Astray | None = None  # remembered, should the function catch it

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
            return known.answer
        return self._open(question, count, weigh)

    def _open(self, question: Question, count: int, weigh: Weigh | None) -> int:
        node, order = self.node, range(count)
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
    """What was found of one input: exact probabilities of outputs, `paths` run, and the mass of the others."""

    law: dict[Any, Fraction]
    paths: int
    unexplored: Fraction


Run = Callable[[Path], Any]  # runs the function on a path and gives its output, in a form that can be compared


def walk(run: Run, residual: Fraction, max_paths: int, name: str = "") -> Walked:
    """The law of `run`, until at most `residual` of the mass is unexplored or `max_paths` paths were run."""
    node = Node(None, (), 0, 1, 1)
    waiting: list[tuple[int, int, Later]] = []
    serial, paths, asked, barren, look = 0, 0, 0, 0, QUESTIONS
    patience = Paths(name, residual, max_paths)
    found, explored = dict[Any, Sums](), Sums()
    while True:
        path = Path(node, node.halvings + SMALLER)
        output = run(path)
        barren = barren + 1 if path.cut else 0
        if not path.cut:
            found.setdefault(output, Sums()).add(path.node.num, path.node.den)
            explored.add(path.node.num, path.node.den)
        paths, asked = paths + 1, asked + path.step
        for later in path.opened:
            if later.at < len(later.order) and later.before.depth < DEEPEST:
                serial += 1
                heappush(waiting, (_rank(later), -serial, later))
        if not waiting or paths >= max_paths or barren > BARREN + paths // 2:
            break
        if paths == SOON:
            patience.foresee(partial(_probe, run), paths)
        if residual and asked >= look:
            look = asked + max(QUESTIONS, asked // 8)
            if 1 - explored.total() <= residual:
                break
        patience.look(paths, lambda: 1 - explored.total())
        later = waiting[0][2]
        node = later.node()
        later.at += 1
        if later.at == len(later.order):
            heappop(waiting)
    law = {output: sums.total() for output, sums in found.items()}
    return Walked(law, paths, 1 - sum(law.values(), Fraction(0)))


class Probe(Path):
    """A path whose answers are drawn by chance, to guess how many there are."""

    __slots__ = ("guess", "many")

    def __init__(self, guess: random.Random) -> None:
        super().__init__(Node(None, (), 0, 1, 1), 10**9)
        self.guess, self.many = guess, Fraction(1)

    def _open(self, question: Question, count: int, weigh: Weigh | None) -> int:
        if self.step > LONGEST:
            self.cut = True
            raise Cut
        weights = count if weigh is None else weigh()
        answer, times = drawn(self.guess, weights)
        self.many *= times
        total, weight = (count, 1) if isinstance(weights, int) else (sum(weights), weights[answer])
        self.node = child(self.node, question, answer, weight, total)
        return answer


def _probe(run: Run, guess: random.Random) -> Fraction | None:
    probe = Probe(guess)
    run(probe)
    return None if probe.cut else probe.many


def _rank(later: Later) -> int:
    """Which to follow first: by the order of magnitude of the mass, then the newest."""
    return later.before.halvings // ORDERS
