"""One function, one input, path by path: run under guard, run again, and told in one line what went wrong."""

import copy
import random
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.audit.code.callables import Function, name_of
from verify.audit.code.messages import Names
from verify.audit.code.paths import Astray, Node, Path
from verify.audit.code.watch import Stopped, Watch
from verify.audit.guard.catching import Catching
from verify.audit.guard.guarded import ON
from verify.audit.guard.questions import CAUGHT, DRAWN
from verify.audit.guard.world import World
from verify.audit.rng.exact_input import REFUSED
from verify.audit.rng.order_statistics import described
from verify.audit.rng.recording import Fails, Lacks, OtherLibrary, Source
from verify.errors import BadInput, TooMuchWork, exception_text
from verify.exact.randomizer import Messages
from verify.exact.rational import text

PROBES = 64
AGAIN = 16  # one path of so many is run twice, and again after the walk
NEVER = 10**9  # halvings
UNFIT = re.compile(r"\w*(Source|Random)\.\w+\(\) ")  # a method of a source, called as its library does not


@dataclass
class Runner:
    """Runs the function on one path for one input, some of them once more, and says in one line what goes wrong."""

    function: Function
    x: Any
    name: str
    source: Callable[[Path], Source]
    names: Names
    watch: Watch
    world: World
    runs: int = 0
    kept: list[tuple[Node, Messages | None]] = field(default_factory=list)  # to be run again in another order

    def __call__(self, path: Path) -> Messages | None:
        watched = len(self.world.catching)
        sent = self.run(path)
        self.runs += 1
        if len(self.world.catching) > watched and not path.cut:
            self.run(Path(path.node, NEVER))  # code with handlers that was met only now
        if self.runs & (self.runs - 1) and self.runs % AGAIN:
            return sent  # the first ones, and every 2^k-th, and every AGAIN-th are run again at once and at the end
        if not path.cut:
            if self.run(Path(path.node, NEVER)) != sent:
                self.complain(path.node, "two runs on one path differ: expected all randomness from rng")
            self.kept.append((path.node, sent))
        return sent

    def run(self, path: Path) -> Messages | None:
        """What is sent on this path. Whatever the function may have caught, what it was refused is raised here."""
        self.watch.runs += 1
        frozen = isinstance(self.x, str | int | bool | bytes | frozenset)
        x = self.x if frozen else copy.deepcopy(self.x)
        REFUSED.clear()
        CAUGHT.clear()
        DRAWN[0] = False
        met: list[tuple[BaseException, str]] = []
        try:
            sent = self._called(x, self.source(path), met)
            messages = None if path.cut else self.names.messages(sent)
        except Astray:
            messages = None
        except Stopped:
            self.complain(path.node, f"no answer and no question to rng within {self.watch.seconds} seconds")
        except BadInput as error:
            self.complain(path.node, REFUSED[0] if REFUSED else str(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if not path.cut and path.astray is None:
                said = f"raises {f'AttributeError: {error}' if isinstance(error, Lacks) else exception_text(error)}"
                self.complain(path.node, *((REFUSED[0],) if REFUSED else (said, _of_whom(error))))
            messages = None
        self._settled(path, [said for _, said in (*CAUGHT, *met)])
        if not frozen and x != self.x:
            self.complain(path.node, f"changes its input to {ascii(x)[:60]}: expected it unchanged")
        return messages

    def _called(self, x: Any, rng: Source, met: list[Any]) -> Any:
        watching = Catching(self.world.catching) if self.world.catching else None
        old, ON[0] = sys.gettrace(), True
        try:
            if watching is not None:
                sys.settrace(watching)
            return self.function(x, rng)
        finally:
            ON[0] = False
            if watching is not None:
                sys.settrace(old)
                met.extend(watching.met)

    def _settled(self, path: Path, caught: list[str]) -> None:
        """Raises what the function was told and did not heed, and what it left behind."""
        if REFUSED:
            self.complain(path.node, REFUSED[0])
        if path.astray is not None:
            known, asked = path.astray.args
            self.complain(path.node, f"two runs on one path differ ({known[0]} {known[1:]}, {asked[0]} {asked[1:]})")
        if self.watch.stopped:
            self.complain(path.node, f"no answer and no question to rng within {self.watch.seconds} seconds")
        if not path.cut and path.step < len(path.recorded):
            self.complain(path.node, "two runs on one path differ: one asks less: expected all randomness from rng")
        if caught and not path.cut:
            self.complain(path.node, f"{caught[0]}: whether the real rng would lead there is not known")
        if changed := self.world.state.changed():
            self.complain(path.node, f"changes {changed}: expected no state that survives a call")

    def estimate(self, residual: Fraction, max_paths: int) -> None:
        """Raises TooMuchWork where it seems to take more paths than `max_paths` to leave no more than `residual`.

        A path that is drawn by chance, of probability p, stands for 1/p paths; the least probable ones may stay behind.
        """
        guess, counts = random.Random(0), list[Fraction]()  # chooses where to look, and is no part of any answer
        began = time.monotonic()
        while len(counts) < PROBES:
            probe = Probe(guess)
            self.run(probe)
            if probe.cut or probe.node.mass == 1:
                return
            counts.append(1 / probe.node.mass)
        kept = sorted(counts)[: PROBES - int(residual * PROBES)]
        if (about := sum(kept) / PROBES) > 2 * max_paths:
            minutes = about * Fraction((time.monotonic() - began) / PROBES) / 60
            raise TooMuchWork(
                f"{name_of(self.function)}: input {self.name}: about {float(about):.1e} paths,"
                f" {float(minutes):.1g} minutes: expected at most {max_paths} (--max-paths), or a larger --residual"
            )

    def complain(self, node: Node, what: str, kind: type[BadInput] = BadInput) -> None:
        steps = [described(answer.question, answer.answer) for answer in node.answers()]
        shown = ", ".join(steps[:6]) + (f", ... ({len(steps)} answers)" if len(steps) > 6 else "")
        where = f"; on the path [{shown}] of probability {_short(node.mass)}" if steps else ""
        raise kind(f"{name_of(self.function)}: input {self.name}: {what}{where}") from None


class Probe(Path):
    """A path whose answers are drawn by chance, to guess how many there are."""

    __slots__ = ("guess",)

    def __init__(self, guess: random.Random) -> None:
        super().__init__(Node(None, (), 0, 1, 1), NEVER)
        self.guess = guess

    def _open(self, question: Any, count: int, weigh: Any) -> int:
        before = self.node
        super()._open(question, count, weigh)
        later = self.opened.pop() if self.opened else None
        if later is None:
            return self.node.answer
        at = self.guess.randrange(later.total)
        for i, answer in enumerate(later.order):
            later.at = i
            at -= 1 if isinstance(later.weights, int) else later.weights[answer]
            if at < 0:
                break
        assert later.before is before
        self.node = later.node()
        return self.node.answer


def _of_whom(error: BaseException) -> type[BadInput]:
    """Whether an exception says that the function was written for another library."""
    unfit = isinstance(error, TypeError) and UNFIT.match(exception_text(error).partition(": ")[2])
    return OtherLibrary if isinstance(error, Lacks) or unfit else Fails


def _short(p: Fraction) -> str:
    return text(p) if p.denominator < 10**12 else f"about 2^-{p.denominator.bit_length() - p.numerator.bit_length()}"
