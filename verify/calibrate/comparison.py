"""A comparison of all systems that solve one task, each at the least noise that satisfies (eps, delta).

Errors are in users; messages and bits are compared as well. Where one parameter is free it is calibrated
(verify/calibrate/least_noise.py); where its delta lies between two bounds, to within a thousandth of the least that is
shown, with room for a certificate. Where several are, they are chosen for few messages (verify/calibrate/objective.py)
with a root mean square error of at most `slack` times that of the system which the class names as WITHIN: some systems
trade error for messages without an end.

The baseline of the central model, where a curator adds discrete Laplace noise with ratio q = e^-eps to a sum, and with
q = e^(-eps/2) to every bucket, keeps (eps, 0): a neighbour moves one count by 1, or two of them.
"""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any

from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.objective import Goal
from shufflecert.verify.calibrate.tuned_system import Task, tune
from shufflecert.verify.enclose.interval import Interval, exactly, quotient, root_of, scaled
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps, Tree, delta_value, ends
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, presence_tree
from shufflecert.verify.exact.rational import natural, rational, text
from shufflecert.verify.runs.executors import Processes
from shufflecert.verify.runs.work import Outcome, carry_out
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import accuracy_of, bits_for
from shufflecert.verify.systems.largest_error import Errors, expected_maximum

TASKS = {
    "sum": "the number of ones among n bits",
    "histogram": "how many of n users hold each bucket",
    "mean": "the mean of n numbers of a range",
}
CENTRAL = "discrete_laplace"
NUMBERS = ("parameters", "delta", "rmse", "simultaneous", "expected_messages", "bits_per_message", "bits")
JOB = "shufflecert.verify.calibrate.comparison:written"


@dataclass(frozen=True)
class ComparedTask:
    """A task for n users who are promised (eps, delta). `buckets` is None for sums; `slack` see above.

    `presence` states neighbours and participation; errors are those of all n users.
    """

    task: str
    n: int
    eps: Eps
    delta: Fraction
    buckets: int | None
    slack: Fraction
    presence: Presence = EVERYBODY

    @classmethod
    def of(
        cls, task: str, n: object, eps: object, delta: object, buckets: object = None, slack: object = "6/5", **who: Any
    ) -> "ComparedTask":
        """Read a question.

        `who`: as for Presence.of. Raises BadInput for an unknown task, numbers out of range, and buckets missing or not
        asked for.
        """
        if task not in TASKS:
            raise BadInput(f"task: {task[:60]!r} is unknown: expected one of {', '.join(TASKS)}")
        promise = Promise.of(n, eps, delta)
        if promise.eps == Eps.of(0):
            raise BadInput("eps: 0: expected eps > 0")
        if not 0 < promise.delta < 1:
            raise BadInput(f"delta: {text(promise.delta)}: expected a rational strictly between 0 and 1")
        if (task == "histogram") != (buckets is not None):
            shown = "missing" if buckets is None else buckets
            raise BadInput(f"buckets: {shown}: expected a number of buckets for a histogram, and there only")
        wide = rational(slack, "rmse-slack")
        if wide <= 1:
            raise BadInput(f"rmse-slack: {text(wide)}: expected a rational above 1")
        count = None if buckets is None else natural(buckets, "buckets", least=2, most=10**6)
        presence = Presence.of(**who)
        presence.counted(promise.n)
        return cls(task, promise.n, promise.eps, promise.delta, count, wide, presence)

    @property
    def promise(self) -> Promise:
        """The promise that every system has to keep."""
        return Promise(self.n, self.eps, self.delta)

    def to_json(self) -> Tree:
        """The question as JSON: the arguments of `of`."""
        eps, delta, slack = str(self.eps), text(self.delta), text(self.slack)
        asked = {"task": self.task, "n": self.n, "eps": eps, "delta": delta, "buckets": self.buckets, "slack": slack}
        return asked | {"adjacency": self.presence.adjacency, **presence_tree(self.presence)}


@dataclass(frozen=True)
class Solution:
    """A system at its parameters: the worst delta(eps), enclosed, its errors, and what it costs to send."""

    parameters: dict[str, str]
    delta: Delta | Interval
    rmse: Interval
    simultaneous: Interval | None
    messages: Interval
    bits: int


def systems(task: str, buckets: int | None) -> list[str]:
    """The names of the systems that solve a task, the central baseline first, which is one for counts."""
    names = catalogue.names()
    central = [CENTRAL] if task != "mean" else []
    return [*central, *(name for name in names if name != CENTRAL and _fixed(name, task, buckets) is not None)]


def row(asked: Tree) -> Tree:
    """The row of one system, from {"system": its name, "question": `Question.to_json`}; an error becomes its note."""
    name, question = asked["system"], ComparedTask.of(**asked["question"])
    try:
        found = central(question) if name == CENTRAL else solve(name, question)
    except (BadInput, Undecided) as error:
        more_work = isinstance(error, TooMuchWork | Undecided)
        return empty(name, str(error).removeprefix(f"{name}: "), finished=not more_work)
    if name == CENTRAL:
        return _tree(name, found, None, "central model, the baseline: (eps, 0)-private")
    try:
        return _tree(name, found, _paper(name, question, found), None)
    except (BadInput, Undecided) as error:
        return _tree(name, found, None, f"its paper: {error}")


def empty(name: str, note: str, finished: bool = False) -> Tree:
    """The row of a system of which nothing is known but a note; `finished` where it was found to have no value."""
    known = {"system": name, "central": name == CENTRAL, **dict.fromkeys(NUMBERS), "paper": None, "note": note}
    return known | {"finished": finished}


def central(question: ComparedTask) -> Solution:
    """The baseline: discrete Laplace noise from a curator."""
    moved = 1 if question.buckets is None or question.presence.adjacency == "add-remove" else 2
    q = _prescribed(CENTRAL, {"sensitivity": str(moved)}, question)["q"]
    noise = DiscreteLaplace(Fraction(q))
    error = expected_maximum([Errors.of(noise, question.buckets or 1)])
    nothing, bits = exactly(0), bits_for(question.buckets or 2)
    return Solution({"q": q}, nothing, root_of(noise.variance), error, nothing, bits)


def solve(name: str, question: ComparedTask) -> Solution:
    """The system with the least noise that is enough, or few messages. Raises BadInput where none is found."""
    fixed = _fixed(name, question.task, question.buckets)
    assert fixed is not None
    task, limit = Task(name, fixed, presence=question.presence), None
    if len(task.chosen) > 1 and (within := catalogue.system_class(name).WITHIN):
        task.grids()  # what it is refused for itself is said first
        try:
            known = central(question) if within == CENTRAL else solve(within, question)
        except (BadInput, Undecided) as error:
            why = str(error).removeprefix(f"{within}: ")
            raise type(error)(f"{within}, beside whose error few messages are looked for: {why}") from None
        limit = question.slack * known.rmse.low
    best = tune(task, question.promise, Goal("messages", most_rmse=limit), kept_alone=True).best
    values = {**fixed, **{x: text(value) for x, value in best.values.items()}}
    made = catalogue.make(name, values)
    found = accuracy_of(made, name, question.n)
    rmse, delta = found.rmse_in_users, best.calibrated.worst.delta
    assert rmse is not None
    try:
        simultaneous = made.simultaneous(question.n)
    except (BadInput, Undecided):  # too wide a law
        simultaneous = None
    return Solution(values, delta, rmse, simultaneous, found.expected_messages, found.bits_per_message)


def _paper(name: str, question: ComparedTask, ours: Solution) -> Tree:
    """What the paper prescribes: parameters, errors, messages, and their ratios to ours. Raises BadInput for nothing.

    Whole numbers, which papers leave to be chosen, are as ours.
    """
    fixed = _fixed(name, question.task, question.buckets)
    system = catalogue.system_class(name)
    if not system.offers("paper"):
        raise BadInput("prescribes no parameters")
    assert fixed is not None
    whole = [x for x, order in catalogue.orders(name).items() if order is not None and order.whole]
    given = {**fixed, **{x: ours.parameters[x] for x in whole if x in ours.parameters}}
    values = _prescribed(name, given, question)
    accuracy = accuracy_of(catalogue.make(name, values), name, question.n)
    rmse, messages = accuracy.rmse_in_users, accuracy.expected_messages
    assert rmse is not None
    ratios = {"rmse": quotient(rmse, ours.rmse), "expected_messages": quotient(messages, ours.messages)}
    return {
        "parameters": {x: values[x] for x in ours.parameters},
        "rmse": ends(rmse),
        "expected_messages": ends(messages),
        "ratio": {name: ends(ratio) for name, ratio in ratios.items()},
    }


def _prescribed(name: str, given: dict[str, str], question: ComparedTask) -> dict[str, str]:
    found: dict[str, str] = catalogue.prescribe(name, given, question.n, question.eps, question.delta)
    return found


def _fixed(name: str, task: str, buckets: int | None) -> dict[str, str] | None:
    found: dict[str, str] | None = catalogue.system_class(name).serves(task, buckets)
    return found


def _tree(name: str, found: Solution, paper: Tree | None, note: str | None) -> Tree:
    return {
        "system": name,
        "central": name == CENTRAL,
        "parameters": found.parameters,
        "delta": delta_value(found.delta),
        "rmse": ends(found.rmse),
        "simultaneous": ends(found.simultaneous),
        "expected_messages": ends(found.messages),
        "bits_per_message": found.bits,
        "bits": ends(scaled(found.messages, found.bits)),
        "paper": paper,
        "note": note,
        "finished": True,
    }


# In processes ------------------------------------------------------------------------------------------------------


def rows(names: Sequence[str], question: ComparedTask, workers: int | None, seconds: int) -> Iterator[Tree]:
    """The rows of these systems, in the order in which they are ready, `workers` at a time, the quick first.

    Each is found in another process, and one that takes more than so many seconds is given up with its process; where
    `workers` is None all are found in this process, without a limit of time. Whatever ends the iteration ends the
    processes, and waits for their end: an interpreter that ends meanwhile writes to pipes that are closed.
    """
    waiting = list(foreseen(names, question))
    asked = {name: {"system": name, "question": question.to_json()} for name in names}
    if workers is None:
        yield from (json.loads(written(asked[name])) for name in waiting)
        return
    running, started, idle = dict[Future[Outcome], tuple[str, Processes, float]](), set[Processes](), list[Processes]()
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                name, process = waiting.pop(0), idle.pop() if idle else Processes(1)
                started.add(process)
                running[process.submit(carry_out, JOB, json.dumps(asked[name]))] = name, process, monotonic() + seconds
            left = min(deadline for _, _, deadline in running.values()) - monotonic()
            wait(running, timeout=max(0, left), return_when=FIRST_COMPLETED)
            for future, (name, process, deadline) in list(running.items()):
                if future.done() or monotonic() >= deadline:
                    del running[future]
                    late = not future.done()
                    if late or future.exception() is not None:
                        process.shutdown(cancel_futures=True)
                        started.remove(process)
                    else:
                        idle.append(process)  # for the next one: a new process loads everything anew
                    yield empty(name, f"not calibrated in {seconds} seconds") if late else _came(name, future)
    finally:
        for process in started:
            process.shutdown(cancel_futures=True)


def foreseen(names: Sequence[str], question: ComparedTask) -> dict[str, int]:
    """About how many milliseconds each row takes, in the order in which they are found: what takes long is last.

    Several parameters to choose take longest, and answers between two sides longer than exact ones.
    """

    def needed(name: str) -> int:
        fixed = _fixed(name, question.task, question.buckets)
        if name == CENTRAL or fixed is None:
            return 20
        exact = catalogue.system_class(name).REACH.strip().startswith("exact")
        between = 5000 if question.task == "mean" else 1500
        return 200 + (0 if exact else between) + (3000 if len(Task(name, fixed).chosen) > 1 else 0)

    return dict(sorted(((name, needed(name)) for name in names), key=lambda one: one[1]))


def _came(name: str, future: "Future[Outcome]") -> Tree:
    try:
        outcome = future.result()
    except BrokenExecutor:
        return empty(name, "its process ended, perhaps for want of memory")
    if outcome.result is None:
        raise RuntimeError(f"{name}: {outcome.failure}")
    found: Tree = json.loads(json.loads(outcome.result))
    return found


def written(asked: Tree) -> str:
    """The row of one system, as `row`, written as text with its keys in order."""
    return json.dumps(row(asked))
