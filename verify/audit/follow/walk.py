"""A followed function as questions: from a state, in which it asks for chance, to the next one or to its end."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, NoReturn

from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.follow.machine import Asked, Machine, Thrown
from shufflecert.verify.audit.follow.values import Bound, Frame, Function, Instance, Module, Partial, frozen, thawed
from shufflecert.verify.audit.rng.order_statistics import on_path
from shufflecert.verify.audit.rng.recording import Fails
from shufflecert.verify.audit.walk import Pick, Question, Run, path_to
from shufflecert.verify.errors import BadInput


class States:
    """Goes on from the states of a machine. A question is known by its state and by what was answered to the
    instruction that puts it, which is done anew with each answer."""

    def __init__(self, machine: Machine, start: Frame, output: Callable[[Any], Hashable], name: str) -> None:
        self.machine, self.output, self.name = machine, output, name
        self.start = frozen([start], machine.kept), tuple[int, ...]()

    def __call__(self, one: Question | None, answer: int, pick: Pick) -> Run:
        machine = self.machine
        state, answers = self.start if one is None else (one.state[0], (*one.state[1], answer))
        machine.frames = thawed(state, machine.kept)
        try:
            return Run([], True, self.output(machine.run(answers)))
        except Asked as asked:
            if machine.asking.step == 0 and machine.asking.answers == ():
                at = frozen(machine.frames, machine.kept), tuple[int, ...]()
            else:
                at = state, machine.asking.answers
            return Run([Question(at, asked.question, asked.weights, at, one, answer)])
        except Thrown as thrown:
            self.complain(Fails, f"raises {library.text_of(thrown.value)} ({machine.raised})", one, answer)
        except BadInput as error:
            self.complain(type(error), str(error), one, answer)

    def complain(self, kind: type[BadInput], what: str, one: Question | None, answer: int) -> NoReturn:
        """Says what went wrong, and on which path."""
        mass = Fraction(1) if one is None or one.vertex is None else Fraction(*one.mass(answer))
        raise kind(f"input {self.name}: {what}; {on_path(path_to(one, answer), mass)}") from None


def entry(function: Any, x: Any, rng: Any, each: bool) -> Frame:
    """The frame in which f(x, rng) is called, and its messages are gathered."""
    code = Code("the call", "", 0)
    code.instructions = [
        ("const", function, 0), ("load", "x", 0), ("load", "rng", 0), ("call", (2, ()), 0),
        *([("listed", None, 0)] if yields(function) else []), ("sent", each or yields(function), 0), ("ret", None, 0),
    ]  # fmt: skip
    names = frozenset({"x", "rng"})
    code.live = [names, names, frozenset({"rng"}), *[frozenset[str]()] * 4]
    frame = Frame(code, Module("the call", ""))
    frame.names = {"x": x, "rng": rng}
    return frame


def yields(function: Any) -> bool:
    """Whether a call gives a generator."""
    while isinstance(function, Partial | Bound):
        function = function.function if isinstance(function, Partial) else function.what
    if isinstance(function, Instance):
        function = function.kind.find("__call__")
    return isinstance(function, Function) and function.code.generator
