"""A function run as it stands, on every path, some of them twice and in another order; what goes wrong in one line."""

import copy
import gc
import os
import pickle
import random
import re
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from inspect import isgenerator
from typing import Any, NoReturn

from shufflecert.verify.audit import walk as walks
from shufflecert.verify.audit.callables import Function, Options, name_of
from shufflecert.verify.audit.messages import Names, label_of, sent
from shufflecert.verify.audit.rng.draws import REFUSED
from shufflecert.verify.audit.rng.order_statistics import on_path
from shufflecert.verify.audit.rng.recording import Fails, Lacks, OtherLibrary, Source
from shufflecert.verify.audit.rng.source import SOURCES
from shufflecert.verify.audit.walk import DEEPEST, Node, Pick, Run, Walked, likeliest, path_to
from shufflecert.verify.audit.watch import Stopped, Watch
from shufflecert.verify.errors import BadInput, exception_text
from shufflecert.verify.exact.randomizer import Messages

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


AGAIN = 16  # one path of so many is run twice, and again after the walk
UNFIT = re.compile(r"\w*(Source|Random)\.\w+\(\) ")  # a method of a source, called as its library does not
KEPT = 200  # paths of an input that are run once more at the end


@dataclass
class Runner:
    """Runs the function on one path for one input, some of them once more."""

    function: Function
    x: Any
    source: Callable[[Path], Source]
    names: Names
    watch: Watch
    each: bool
    runs: int = 0
    kept: list[tuple[Path, Messages | None]] = field(default_factory=list)  # to be run again in another order

    @property
    def name(self) -> str:
        return label_of(self.x, "input")

    def __call__(self, path: Path) -> Messages | None:
        found = self.run(path)
        self.runs += 1
        if path.cut or (self.runs & (self.runs - 1) and self.runs % AGAIN):
            return found  # the first ones, and every 2^k-th, and every AGAIN-th are run again at once and at the end
        self.check(path, found)
        if len(self.kept) < KEPT:
            self.kept.append((path, found))
        return found

    def begin(self, path: Path) -> None:
        """A call before all others, which is run again at the end."""
        with suppress(BadInput):  # which is told on a path of the walk
            found = self.run(path)
            if not path.cut:
                self.kept.append((path, found))

    def check(self, path: Path, found: Messages | None) -> None:
        if self.run(Path(path.asked, path.mass)) != found:
            self.complain(path, "two runs on one path differ: expected all randomness from rng")

    def run(self, path: Path) -> Messages | None:
        """What is sent on this path. Whatever the function may have caught, what it was refused is raised here."""
        self.watch.runs += 1
        x = copy.deepcopy(self.x)
        REFUSED.clear()
        messages: Messages | None = None
        try:
            value = self.function(x, self.source(path))
            several = isgenerator(value)
            messages = self.names.messages(sent(list(value) if several else value, self.each or several))
        except (Astray, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt):
                raise
        except Stopped:
            messages = None
        except BadInput as error:
            self.complain(path, REFUSED[0] if REFUSED else str(error))
        except BaseException as error:
            if not path.cut and path.astray is None and not self.watch.stopped:
                said = f"raises {f'AttributeError: {error}' if isinstance(error, Lacks) else exception_text(error)}"
                self.complain(path, *((REFUSED[0],) if REFUSED else (said, _of_whom(error))))
        if self.watch.stopped:
            self.complain(path, f"no answer and no question to rng within {self.watch.seconds} seconds")
        if REFUSED:
            self.complain(path, REFUSED[0])
        if path.astray is not None:
            known, asked = path.astray.args
            self.complain(path, f"two runs on one path differ ({known[0]} {known[1:]}, {asked[0]} {asked[1:]})")
        if not path.cut and path.step < path.recorded:
            self.complain(path, "two runs on one path differ: one asks less: expected all randomness from rng")
        if not _same(x, self.x):
            self.complain(path, f"changes its input to {ascii(x)[:60]}: expected it unchanged")
        return None if path.cut else messages

    def complain(self, path: Path, what: str, kind: type[BadInput] = BadInput) -> NoReturn:
        where = on_path(path.asked, path.mass)
        raise kind(f"{name_of(self.function)}: input {self.name}: {what}; {where}") from None


def _same(one: Any, two: Any) -> bool:
    try:
        return bool(one == two)
    except ValueError:  # of arrays
        return repr(one) == repr(two)


def _of_whom(error: BaseException) -> type[BadInput]:
    """Whether an exception says that the function was written for another library."""
    unfit = isinstance(error, TypeError) and UNFIT.match(exception_text(error).partition(": ")[2])
    return OtherLibrary if isinstance(error, Lacks) or unfit else Fails


def observed(
    function: Function,
    inputs: Sequence[Any],
    library: str,
    options: Options,
    each: bool,
    first: Pick | None = None,
) -> tuple[dict[str, Walked], set[str]]:
    """What is sent on every input, path by path, and the methods of the source that are taken as exact. `first` answers
    a call before all others, which must not matter to them."""
    assumed, thresholds, names = set[str](), dict[Any, Any](), Names()
    before, runners, found = _global_state(), list[Runner](), dict[str, Walked]()
    with redirect_stdout(sys.stderr):
        for x in inputs:
            runner = Runner(
                function,
                x,
                lambda path: SOURCES[library](path, options.deployed, thresholds, assumed),
                names,
                Watch(options.seconds, partial(_give_up, name_of(function), label_of(x, "input"))),
                each,
            )
            with runner.watch.watching():
                if first is not None:
                    runner.begin(Path([], pick=first))
                found[runner.name] = walk(runner, options.residual, options.max_paths, runner.name)
            runners.append(runner)
        mixed = [(runner, *kept) for runner in runners for kept in runner.kept]
        random.Random(1).shuffle(mixed)
        for runner, path, messages in mixed:
            with runner.watch.watching():
                runner.check(path, messages)
    if _global_state() != before:
        raise BadInput(
            f"{name_of(function)}: uses the global source of randomness (random or numpy.random): expected only rng"
        )
    return found, assumed


def _global_state() -> tuple[Any, ...]:
    """The state of the sources that belong to nobody."""
    import numpy

    theirs: Any = numpy.random.get_state()
    return random.getstate(), *(part.tolist() if hasattr(part, "tolist") else part for part in theirs)


# In a process of its own ----------------------------------------------------------------------------------------------

GIVE_UP: list[Callable[[str], None]] = []  # of a process that is no longer needed: tells why, and ends it


def _give_up(function: str, x: str) -> None:
    for end in GIVE_UP:
        end(f"{function}: input {x}: does not end, and cannot be stopped: expected an answer")


def answer(out: int, call: Callable[[], Any]) -> NoReturn:
    """Writes what `call` gives, or the BadInput that it raises, and ends this process."""

    def told(what: Any) -> None:
        data = pickle.dumps(what)
        while data:
            data = data[os.write(out, data) :]
        os._exit(0)

    GIVE_UP[:] = [lambda said: told((False, BadInput(said)))]
    gc.callbacks.clear()  # Python drops what is raised in them, a stop of the watch too
    try:
        found = (True, call())
    except BadInput as error:
        found = (False, error)
    except KeyboardInterrupt:
        found = (False, KeyboardInterrupt())
    except BaseException as error:  # whatever the function has left behind
        found = (False, BadInput(f"ends with {exception_text(error)}"))
    told(found)
    os._exit(1)


def taken(data: bytes, name: str) -> Any:
    """What such a process has written. Raises its BadInput."""
    try:
        fine, found = pickle.loads(data)
    except (pickle.UnpicklingError, EOFError):
        raise BadInput(f"{name}: gives no answer in a process of its own: expected a function that returns") from None
    if not fine:
        raise found
    return found


def in_a_fork(name: str, call: Callable[[], Any]) -> Any:
    """The result of a call that is run in a forked copy of this process, so that nothing it changes stays.

    Raises BadInput where the system cannot make such copies, as Windows cannot.
    """
    if not hasattr(os, "fork"):
        raise BadInput(
            f"{name}: a function that is not followed is run in a copy of this process, which this system lacks"
        )
    inside, outside = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads hold nothing that is used here
        child = os.fork()
    if child == 0:
        os.close(inside)
        with suppress(BaseException):
            answer(outside, call)
        os._exit(1)
    os.close(outside)
    try:
        with os.fdopen(inside, "rb") as stream:
            data = stream.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.waitpid(child, 0)
    return taken(data, name)
