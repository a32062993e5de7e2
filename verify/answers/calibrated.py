"""The answer of calibrate: the least noise that keeps a promise, next to a value that is shown to fail."""

from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING

from shufflecert.verify.answers.answer import Answer, columns
from shufflecert.verify.bound.bound import WorstDelta
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.objective import Goal
from shufflecert.verify.calibrate.tuned_system import Task, Tuned, tune
from shufflecert.verify.decide.answer_json import scope_tree
from shufflecert.verify.decide.least_promise import local_epsilon
from shufflecert.verify.enclose.interval import quotient
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.rational import decimal_above, decimal_below, plain, text
from shufflecert.verify.report import words
from shufflecert.verify.report.calibration_plot import calibration_figure
from shufflecert.verify.shapes.calibrated import CalibrateAnswer
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import counted, delta_value, ends, eps_value, interval
from shufflecert.verify.systems.accuracy import Accuracy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = 24  # characters of a parameter that are shown in full


@dataclass(frozen=True, repr=False)
class Calibration(Answer):
    """The answer of `calibrate`: a value that is certified, and the value beside it that is shown to fail."""

    shape, value = CalibrateAnswer, "delta"

    def words(self) -> str:
        """The value, what it keeps, the value that fails, and what was looked at."""
        return calibration_text(self.tree)

    def rows(self) -> list[Tree]:
        """A row for each value that was looked at, with delta there; the kept one and the failing one among them."""
        return [
            {self.tree["parameter"]: float(Fraction(p["value"])), **columns({"delta": p}, ["delta"])}
            for p in self.tree["search"]["points"]
        ]

    def plot(self) -> "Figure":
        """delta as the parameter moves, at the values that were looked at; the kept value is marked."""
        return calibration_figure(self.tree)


def calibrate(
    task: Task | str,
    promise: Promise | None = None,
    goal: Goal | None = None,
    *,
    n: object = None,
    eps: object = None,
    delta: object = None,
    over: str = "",
    **given: object,
) -> Calibration:
    """The least noise of a system that keeps (eps, delta) for n users, next to a value that is shown to fail.

    `task` is a system's name, with the parameters that are `given`; `over` names what to choose (all noise that is not
    given). A `Task` with a `Promise` says the same. Raises BadInput where no value satisfies (eps, delta).

        >>> calibrate("krr", n=1, eps="log(3)", delta=0, k=2).parameters["gamma"]
        '1/2'
        >>> calibrate(Task("krr", {"k": "2"}), Promise.of(n=1, eps="log(3)", delta=0)).parameters["gamma"]
        '1/2'
    """
    if isinstance(task, str):
        chosen = tuple(name.strip() for name in over.split(",") if name.strip())
        task = Task(task, {name: str(value) for name, value in given.items()}, chosen)
    if promise is None:
        promise = Promise.of(1 if "n" in task.chosen and n is None else n, eps, delta)
    found = tune(task, promise, goal)
    return of(found, goal)


def of(found: Tuned, goal: Goal | None) -> Calibration:
    """The answer about a system that was tuned for a goal."""
    tree = calibration_json(found, goal if len(found.best.values) > 1 else None)
    return Calibration(tree | {"certificates": []}, found)


def calibration_json(found: Tuned, goal: Goal | None = None) -> Tree:
    """The answer of `calibrate` as JSON; `goal` where several parameters were chosen."""
    best, promise = found.best, found.promise
    calibrated, grid = best.calibrated, best.calibrated.grid
    searched = calibrated.searched
    fails_at = None if calibrated.fails_at is None else text(calibrated.fails_at)
    reached = [grid.value(level) for level in (grid.lowest, grid.highest) if level is not None]
    return {
        "system": found.task.name,
        "n": promise.n,
        "target": {"eps": str(promise.eps), "delta": text(promise.delta)},
        "parameter": best.parameter,
        "value": text(calibrated.value),
        "decimal": grid.decimal(calibrated.value),
        "fails_at": fails_at,
        "parameters": dict(found.parameters),
        "delta": delta_value(calibrated.worst.delta),
        "scope": scope_tree(calibrated.worst.scope),
        "fails": None if calibrated.fails is None else _failing(calibrated.fails, calibrated.adjacent),
        "search": {
            "step": text(grid.step),
            "from": text(min(reached)),
            "to": text(max(reached)) if grid.highest is not None else None,
            "evaluated": searched.evaluated,
            "candidates": best.tried,
            "lemma": searched.lemma,
            "complete": searched.complete and len(best.values) == 1,
            "reason": searched.reason,
            "points": [{"value": text(value), **ends(seen)} for value, seen in searched.points],
        },
        "objective": None if goal is None or best.accuracy is None else _objective(goal, best.accuracy),
        "accuracy": None if best.accuracy is None else _accuracy(best.accuracy),
        "paper": _paper(found),
        "local_epsilon": None if (local := local_epsilon(found.system)) is None else eps_value(local),
    }


def _failing(fails: WorstDelta, adjacent: bool) -> Tree:
    return {"delta": delta_value(fails.delta), "adjacent": adjacent}


def _objective(goal: Goal, accuracy: Accuracy) -> Tree:
    most = {"most_rmse": goal.most_rmse, "most_messages": goal.most_messages}
    limits = {name: None if value is None else decimal_above(value) for name, value in most.items()}
    return {"name": goal.objective, **ends(goal.value(accuracy)), **limits}


def _accuracy(accuracy: Accuracy) -> Tree:
    rmse = accuracy.rmse_in_users
    return {
        "rmse": ends(rmse),
        "expected_messages": ends(accuracy.expected_messages),
        "bits_per_message": accuracy.bits_per_message,
    }


def _paper(found: Tuned) -> Tree | None:
    """What the system's paper prescribes for the same promise, and how many times the error that is."""
    mine = None if found.best.accuracy is None else found.best.accuracy.rmse_in_users
    promise, catalogue = found.promise, import_module("shufflecert.verify.systems.catalogue")
    if found.task.kind is None:
        return None
    kept = {x: v for x, v in found.parameters.items() if x not in found.best.values}
    try:
        values = catalogue.prescribe(found.task.kind, kept, promise.n, promise.eps, promise.delta)
        theirs = catalogue.load(found.task.kind, values).accuracy(promise.n, None).rmse_in_users
    except (BadInput, Undecided):
        return None
    ratio = None if mine is None or theirs is None else quotient(theirs, mine)
    return None if ratio is None else {"parameters": values, "rmse": ends(theirs), "ratio": ends(ratio)}


def _shown(value: str) -> str:
    """A parameter of few digits; else the first of them (--json has all)."""
    return value if len(value) <= SHORT else words.first_digits(value, 12)


def calibration_text(answer: Tree) -> str:
    """The answer of `calibrate` in words."""
    target, search = answer["target"], answer["search"]
    eps, bound = plain(target["eps"]), plain(target["delta"])
    lines = [f"{answer['parameter']} = {answer['decimal']}{words.beside(answer)}"]
    if others := [f"{x} = {_shown(v)}" for x, v in answer["parameters"].items() if x != answer["parameter"]]:
        lines.append(f"  with {', '.join(others)}")
    lines.append(f"  satisfies delta({eps}) <= {bound}: it is {interval(answer['delta'])}")
    lines += words.promises_nothing(target["delta"])
    if answer["fails"] is None:
        lines.append("  no value with less noise was found to fail")
    else:
        which = "the next value of the grid" if answer["fails"]["adjacent"] else "what is shown to fail next"
        fails_at = decimal_below(Fraction(answer["fails_at"]))
        lines.append(f"  {which}, about {fails_at}, fails: {interval(answer['fails']['delta'])}")
    lines.append(words.scope_text(answer["scope"]))
    tried = f"{search['evaluated']} values"
    if search["candidates"] > 1:
        tried += f", after {search['candidates']} candidates for the others: none is proved to be the best"
    lines.append(f"  looked at {tried}; {search['reason']}")
    if accuracy := answer["accuracy"]:
        messages, bits = interval(accuracy["expected_messages"]), accuracy["bits_per_message"]
        error = f"root mean square error {interval(accuracy['rmse'])} users, " if accuracy["rmse"] else ""
        error = (
            "where all users are there and honest: " * ({"honest", "take_part"} & {*answer["scope"]} != set()) + error
        )
        lines.append(f"  {error}{messages} messages per user expected, {counted(bits, 'bit')} each")
    if paper := answer["paper"]:
        lines.append(f"  the paper's parameters have {interval(paper['ratio'], 4)} times this error")
    for row in answer["certificates"]:
        shown = row["certificate"] or f"none: {row['reason']}"
        lines.append(f"  certificate ({row['verdict']}): {shown}")
    if undecided := answer.get("undecided"):
        head = f"UNDECIDED: PROVED at {answer['parameter']} = {answer['decimal']}, but {undecided['reason']}"
        lines = [head, *words.nearest_lines(undecided["nearest"]), *lines]
    return "\n".join(lines)
