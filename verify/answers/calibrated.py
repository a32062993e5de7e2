"""The answer of calibrate: the least noise that keeps a promise, next to a value that is shown to fail."""

from dataclasses import dataclass
from fractions import Fraction
from shlex import quote
from typing import TYPE_CHECKING, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.answer import (
    OK,
    UNDECIDED,
    Answer,
    Dated,
    DeltaValue,
    Ends,
    EpsValue,
    Promised,
    Scope,
    columns,
    scope_tree,
)
from shufflecert.verify.answers.decided import Nearest
from shufflecert.verify.answers.words import Lines
from shufflecert.verify.calibrate.objective import Goal
from shufflecert.verify.calibrate.tuned_system import Tuned
from shufflecert.verify.decide.certify import local_epsilon
from shufflecert.verify.enclose.interval import quotient
from shufflecert.verify.errors import BadInput
from shufflecert.verify.errors import Undecided as NotDecided
from shufflecert.verify.exact.epsilon import Tree, delta_value, ends, eps_value
from shufflecert.verify.exact.rational import decimal_above, decimal_below, plain, text
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import Accuracy, accuracy_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT, FEW = 24, 9  # characters of a parameter that are shown in full; digits of the one that is chosen else


class Failing(TypedDict):
    """The value beside the calibrated one that is shown to break the promise."""

    delta: DeltaValue
    adjacent: bool


class SearchedPoint(Ends):
    """A value of the parameter that was looked at, with delta between two ends there, as far as it is known."""

    value: str


Searched = TypedDict(
    "Searched",
    {
        "step": str,
        "from": str,
        "to": str | None,
        "evaluated": int,
        "candidates": int,
        "lemma": str | None,
        "complete": bool,
        "reason": str,
        "points": list[SearchedPoint],
    },
)  # what a calibration looked at, and why that is enough


class Objective(Ends):
    """What was to be small, and its limits."""

    name: str
    most_rmse: str | None
    most_messages: str | None


class Cost(TypedDict):
    """The error, in users, and what a user sends."""

    rmse: Ends | None
    expected_messages: Ends
    bits_per_message: int


class CalibratedPaper(TypedDict):
    """The same with the parameters that the system's paper prescribes."""

    parameters: dict[str, str]
    rmse: Ends
    ratio: Ends


class WrittenCertificate(TypedDict):
    """A certificate that was written, or why there is none."""

    verdict: str
    certificate: str | None
    reason: str | None


class Undecided(TypedDict):
    """Why the kernel accepts no certificate of the value that was found, and the nearest delta with one."""

    reason: str
    nearest: Nearest | None


class CalibrateAnswer(Dated):
    """The answer of `calibrate`: the least noise that keeps a promise, next to a value that is shown to fail."""

    system: str
    n: int
    target: Promised
    parameter: str
    value: str
    decimal: str
    fails_at: str | None
    parameters: dict[str, str]
    delta: DeltaValue
    scope: Scope
    fails: Failing | None
    search: Searched
    objective: Objective | None
    accuracy: Cost | None
    paper: CalibratedPaper | None
    local_epsilon: EpsValue | None
    certificates: list[WrittenCertificate]
    undecided: NotRequired[Undecided]


@dataclass(frozen=True, repr=False)
class Calibration(Answer):
    """The answer of `calibrate`: a value that is certified, and the value beside it that is shown to fail."""

    called = "calibration"
    shape, value, keys = CalibrateAnswer, "delta", ("parameter", "fails_at")
    caption = "delta at the values that were evaluated, log scale: upper bounds point down, lower bounds up."

    def lines(self, wide: int) -> Lines:
        """The value, what it keeps, the value that fails, and what was looked at."""
        answer = self.tree
        target, search = answer["target"], answer["search"]
        eps, bound = plain(target["eps"]), plain(target["delta"])
        lines = _value_lines(answer)
        if others := [f"{x} = {_shown(v)}" for x, v in answer["parameters"].items() if x != answer["parameter"]]:
            lines.append(f"  with {', '.join(others)}")
        lines.append(f"  satisfies delta({eps}) <= {bound}: it is {words.interval(answer['delta'])}")
        lines += words.promises_nothing(target["delta"])
        if answer["fails"] is None:
            lines.append("  no value with less noise was found to fail")
        else:
            which = "the next value of the grid" if answer["fails"]["adjacent"] else "what is shown to fail next"
            fails_at = decimal_below(Fraction(answer["fails_at"]))
            lines.append(f"  {which}, about {fails_at}, fails: {words.interval(answer['fails']['delta'])}")
        lines += words.scope_lines(answer["scope"])
        tried = f"{search['evaluated']} values"
        if search["candidates"] > 1:
            tried += f", after {search['candidates']} candidates for the others: none is proved to be the best"
        lines.append(f"  looked at {tried}; {search['reason']}")
        if accuracy := answer["accuracy"]:
            messages, bits = words.interval(accuracy["expected_messages"]), accuracy["bits_per_message"]
            error = f"root mean square error {words.interval(accuracy['rmse'])} users, " if accuracy["rmse"] else ""
            error = (
                "where all users are there and honest: " * ({"honest", "take_part"} & {*answer["scope"]} != set())
                + error
            )
            lines.append(f"  {error}{messages} messages per user expected, {words.counted(bits, 'bit')} each")
        if paper := answer["paper"]:
            lines.append(f"  the paper's parameters have {words.interval(paper['ratio'], 4)} times this error")
        for row in answer["certificates"]:
            shown = f"{row['certificate']} (check accepts it)" if row["certificate"] else f"none: {row['reason']}"
            lines.append(f"  certificate ({row['verdict']}): {shown}")
        if undecided := answer.get("undecided"):
            head = f"UNDECIDED: PROVED at {str(lines[0]).split(';')[0]}, but {undecided['reason']}"
            lines = [head, *words.nearest_lines(undecided["nearest"]), *_with_certificate(answer), *lines]
        return lines

    @property
    def exit_status(self) -> int:
        """The command's exit status: 3 where the kernel does not accept the certificate that was asked for."""
        return UNDECIDED if "undecided" in self.tree else OK

    def rows(self) -> list[Tree]:
        """A row for each value that was looked at, with delta there; the kept one and the failing one among them."""
        return [
            {self.tree["parameter"]: float(Fraction(p["value"])), **columns({"delta": p}, ["delta"])}
            for p in self.tree["search"]["points"]
        ]

    def plot(self) -> "Figure":
        """delta as the parameter moves; the answer, the failing value and the paper's are marked.

        Raises BadInput where too few values were looked at for a picture, or matplotlib is missing.
        """
        answer = self.tree
        points = [
            tuple(float(Fraction(p[key])) for key in ("value", "lower", "upper")) for p in answer["search"]["points"]
        ]
        known = [p for p in points if p[1] > 0 or p[2] < 1]
        if len(known) < 2:
            raise BadInput("plot: fewer than two values were looked at: expected a parameter with more of them")
        target, parameter = answer["target"], answer["parameter"]
        marks = [_mark(answer["value"], answer["delta"], "satisfies (eps, delta)")]
        if answer["fails"] is not None:
            fails = _mark(answer["fails_at"], answer["fails"]["delta"], "fails")
            span = max(p[0] for p in known) - min(p[0] for p in known)
            if abs(fails.x - marks[0].x) > span / 50:
                marks.append(fails)
            else:  # no eye tells them apart
                marks = [plots.Mark(marks[0].x, marks[0].y, "satisfies (eps, delta); the next value fails")]
        bound = float(Fraction(target["delta"]))
        return plots.moving_figure(parameter, [(p[0], p[1], p[2]) for p in known], bound, marks, _papers(answer))


def of(found: Tuned, goal: Goal | None) -> Calibration:
    """The answer about a system that was tuned for a goal, which is told where several parameters were chosen."""
    best, promise = found.best, found.promise
    several = goal if len(best.values) > 1 else None
    calibrated, grid = best.calibrated, best.calibrated.grid
    searched = calibrated.searched
    fails_at = None if calibrated.fails_at is None else text(calibrated.fails_at)
    reached = [grid.value(level) for level in (grid.lowest, grid.highest) if level is not None]
    tree = {
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
        "fails": None
        if calibrated.fails is None
        else {"delta": delta_value(calibrated.fails.delta), "adjacent": calibrated.adjacent},
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
        "objective": None if several is None or best.accuracy is None else _objective(several, best.accuracy),
        "accuracy": None if best.accuracy is None else _accuracy(best.accuracy),
        "paper": _paper(found),
        "local_epsilon": None if (local := local_epsilon(found.system)) is None else eps_value(local),
        "certificates": [],
    }
    return Calibration(tree, found)


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
    promise = found.promise
    if found.task.kind is None:
        return None
    kept = {x: v for x, v in found.parameters.items() if x not in found.best.values}
    try:
        values = catalogue.prescribe(found.task.kind, kept, promise.n, promise.eps, promise.delta)
        theirs = accuracy_of(catalogue.make(found.task.kind, values), found.task.name, promise.n).rmse_in_users
    except (BadInput, NotDecided):
        return None
    ratio = None if mine is None or theirs is None else quotient(theirs, mine)
    return None if ratio is None else {"parameters": values, "rmse": ends(theirs), "ratio": ends(ratio)}


def _shown(value: str) -> str:
    """A parameter of few digits; else the first of them (--json has all)."""
    return value if len(value) <= SHORT else words.first_digits(value, 12)


def _value_lines(answer: Tree) -> Lines:
    """The value in few digits: with more noise, where that is proved to be at least as private; then all its digits."""
    name, whole, beside = answer["parameter"], answer["decimal"], words.beside(answer)
    if len(whole) <= SHORT:
        return [f"{name} = {whole}{beside}"]
    if answer["search"]["lemma"] is None or answer["fails_at"] is None:
        return [f"{name} = {words.first_digits(whole, FEW)}{beside}", f"  all its digits: {whole}"]
    value = Fraction(answer["value"])
    short = (decimal_below if value < Fraction(answer["fails_at"]) else decimal_above)(value, FEW)
    return [f"{name} = {short}{beside}", f"  rounded to more noise from {whole}, of which the following is said"]


def _with_certificate(answer: Tree) -> Lines:
    """The command that finds a value with a certificate, where only one about any eps0-private randomizer is left."""
    target, name = answer["target"], answer["parameter"]
    promise = f"--eps {quote(plain(target['eps']))} --delta {plain(target['delta'])} -o FILE"
    if answer["undecided"]["nearest"] is not None or answer.get("local_epsilon") is None:
        return []
    asked = f"--over eps0 --n {answer['n']}"
    if name == "n":
        asked = f"-p {quote('eps0=' + answer['parameters'].get('eps0', ''))} --over n"
    elif name != "eps0":
        return []
    return [f"  with a certificate, about any eps0-private randomizer: shufflecert calibrate any_ldp {asked} {promise}"]


# The picture ---------------------------------------------------------------------------------------------------------


def _papers(answer: Tree) -> float | None:
    """The value that the paper prescribes; None where there is none, or where other parameters of it differ."""
    theirs, parameter = (answer.get("paper") or {}).get("parameters") or {}, answer["parameter"]
    others = {name: value for name, value in answer["parameters"].items() if name != parameter}
    if parameter not in theirs or any(theirs.get(name) != value for name, value in others.items()):
        return None
    return float(Fraction(theirs[parameter]))


def _mark(value: str, delta: Tree, label: str) -> plots.Mark:
    return plots.Mark(float(Fraction(value)), float(Fraction(delta["upper"])), label)
