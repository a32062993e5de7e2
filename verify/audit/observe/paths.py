"""Every path of a function that draws, by running it again for each: on the answers so far, then on the likeliest ones.

A path is the list of answers to the questions that the function puts to its source of randomness. Paths that are not
followed to their end keep their mass apart, as the law's residual.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from shufflecert.verify.audit import walk as walks
from shufflecert.verify.audit.walk import DEEPEST, Node, Pick, Run, Walked, likeliest, path_to

Weigh = Callable[[], Sequence[int]]  # the integer weights of a question's answers
SMALLER = Fraction(1, 2**24)  # how much less probable than its beginning a path may become at one go


class Cut(BaseException):
    """Raised inside a function whose path is not followed further; no business of its `except Exception`."""


class Astray(BaseException):
    """Two runs on the same path asked different questions."""


class Path:
    """One run: answers what is asked as recorded in `asked`, then as `pick` says, and notes these questions. It follows
    the answer `answer` to the question `one`; `mass` is the probability of all answers so far, None of a run again."""

    __slots__ = ("answer", "asked", "astray", "cut", "least", "mass", "one", "pick", "questions", "recorded", "step")

    def __init__(
        self,
        asked: list[tuple[Any, int]],
        mass: Fraction = Fraction(1),  # it is frozen
        one: Node | None = None,
        answer: int = 0,
        pick: Pick = likeliest,
    ) -> None:
        self.asked, self.recorded, self.mass, self.least = list(asked), len(asked), mass, mass * SMALLER
        self.one, self.answer, self.pick = one, answer, pick
        self.step = 0
        self.questions: list[Node] = []
        self.cut: bool = False
        self.astray: Astray | None = None  # remembered, should the function catch it

    def choose(self, question: Any, count: int, weigh: Weigh | None = None) -> int:
        """The answer, 0 .. count - 1, to a question; without weights all are equally probable."""
        if self.cut:
            raise Cut
        if self.astray is not None:
            raise self.astray
        step = self.step
        self.step = step + 1
        if step < self.recorded:
            known, answer = self.asked[step]
            if known != question:
                self.astray = Astray(known, question)
                raise self.astray
            return answer
        weights = count if weigh is None else weigh()
        self.questions.append(Node(None, question, weights, None, self.one, self.answer))
        if step >= DEEPEST or self.mass < self.least:
            self.cut = True
            raise Cut
        self.one, self.answer = self.questions[-1], self.pick(weights)
        one_in = (count, 1) if isinstance(weights, int) else (sum(weights), weights[self.answer])
        self.mass *= Fraction(one_in[1], one_in[0])
        self.asked.append((question, self.answer))
        return self.answer


def walk(run: Callable[[Path], Any], residual: Fraction, max_paths: int, name: str = "") -> Walked:
    """The law of `run`, which runs a function on a path and gives its output, in a form that can be compared."""

    def runs(one: Node | None, answer: int, pick: Pick) -> Run:
        mass = Fraction(1) if one is None or one.vertex is None else one.mass(answer)
        path = Path(path_to(one, answer), mass, one, answer, pick)
        output = run(path)
        return Run(path.questions, not path.cut, output, path.cut)

    return walks.walk(runs, residual, max_paths, name)
