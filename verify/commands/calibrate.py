"""Calibrate: from a target (eps, delta) to the least noise that is certified, next to a value that is shown to fail."""

from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from verify.calibrate.least_noise import Promise
from verify.calibrate.objective import OBJECTIVES, Goal
from verify.calibrate.tuned_system import Task, Tuned, central_rmse, tune
from verify.commands import options
from verify.commands.options import OK, DeltaOption, EpsOption, Force, Json, MaxWork, Parameters, Tolerance, Users
from verify.decide.answer_json import delta_tree, eps_tree, scope_tree
from verify.decide.certify import Certified
from verify.decide.certify import certify as decide
from verify.decide.least_promise import local_epsilon
from verify.decide.worst_case import WorstDelta
from verify.enclose.interval import Interval
from verify.errors import BadInput, Undecided
from verify.exact.epsilon import Eps
from verify.exact.rational import decimals, natural, plain, rational, text
from verify.report import words
from verify.runs import atomic_files
from verify.systems.accuracy import Accuracy
from verify.systems.load import named_values

Tree = dict[str, Any]
SHORT = 24  # characters of a parameter that are shown in full


def calibrate(
    system: options.System,
    eps: EpsOption,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    over: Annotated[
        str | None,
        typer.Option("--over", metavar="NAME[,NAME...]", help="What to choose (all noise that is not given)."),
    ] = None,
    objective: Annotated[
        str | None, typer.Option("--objective", metavar="|".join(OBJECTIVES), help="What is to be small (rmse).")
    ] = None,
    alpha: Annotated[
        str | None, typer.Option("--alpha", metavar="A", help="With --objective failure: Pr[|error| > A].")
    ] = None,
    rmse_slack: Annotated[
        str | None,
        typer.Option("--rmse-slack", metavar="S", help="RMSE at most S times that of central discrete Laplace noise."),
    ] = None,
    max_rmse: Annotated[str | None, typer.Option("--max-rmse", metavar="R", help="RMSE at most R users.")] = None,
    max_messages: Annotated[
        str | None, typer.Option("--max-messages", metavar="M", help="At most M expected messages of a user.")
    ] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="S", help="The grid: multiples of S (2^-64, and 1 for integers).")
    ] = None,
    within: Annotated[
        str | None, typer.Option("--range", metavar="LOW:HIGH", help="Only values from LOW to HIGH.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the certificate here, the failing one beside."),
    ] = None,
    force: Force = False,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """The least noise that keeps (eps, delta): a value that is certified, and the next one, which is shown to fail."""
    paths = None if output is None else _both(output, force)
    chosen = tuple(name.strip() for name in over.split(",")) if over is not None else ()
    task = Task(system, named_values(param or ()), chosen, _positive(step, "step"), _range(within))
    if "n" in chosen and n is not None:
        raise BadInput("--over n: it is given as well: expected one of the two")
    users = "1" if "n" in chosen else n
    limits = options.work(max_work), options.tolerance(tolerance)
    promise = Promise.of(options.users(users, "shuffled"), eps, delta, *limits)
    goal = _goal(task, promise.eps, objective, alpha, rmse_slack, max_rmse, max_messages)
    with options.busy(f"calibrating {system}"):
        found = tune(task, promise, goal)
        certificates = [] if paths is None else _certified(found, paths)
    answer = answer_json(found, goal if len(found.best.values) > 1 else None)
    answer["certificates"] = certificates
    words.show(answer, answer_text, json)
    return OK


def _both(output: Path, force: bool) -> tuple[Path, Path]:
    """Where the certificate goes, and the failing one. Raises BadInput for a place that cannot be written."""
    atomic_files.check_new(output, force)
    beside = output.with_suffix(".fails" + (output.suffix or ".json"))
    atomic_files.check_new(beside, force)
    return output, beside


def _certified(found: Tuned, paths: tuple[Path, Path]) -> list[Tree]:
    """Both certificates, written where there are such: both or neither, but over a file that exists.

    Raises Undecided, and writes nothing, where one of them contradicts what calibration found.
    """
    asked = [((found.system, found.promise), "PROVED", paths[0])]
    if found.failing is not None:
        asked.append((found.failing, "REFUTED", paths[1]))
    results: list[tuple[Certified | None, str, str, Path]] = []
    for (system, promise), verdict, path in asked:
        values = import_module("verify.systems.catalogue").values(system)
        note = " ".join([found.task.system, *(f"-p {x}={v}" for x, v in values.items()), f"--n {promise.n}"])
        try:
            of = promise
            result = decide(system, of.n, of.eps, of.delta, note=note, max_work=of.work, **of.closeness)
        except BadInput as error:  # a randomizer that is too large to be written out
            results.append((None, str(error), verdict, path))
            continue
        if result.verdict not in (verdict, "UNDECIDED"):
            raise Undecided(f"{note}: {result.verdict} where calibration found {verdict}")
        results.append((result, result.reason, verdict, path))
    new = [path for *_, path in results if not path.exists()]
    try:
        return [_written(*result) for result in results]
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise


def _written(result: Certified | None, reason: str, verdict: str, path: Path) -> Tree:
    if result is None or result.certificate is None:
        return {"verdict": verdict, "certificate": None, "reason": reason}
    atomic_files.write_whole(path, result.certificate_text())
    return {"verdict": verdict, "certificate": str(path), "reason": None}


# What is asked ---------------------------------------------------------------------------------------------------


def _goal(
    task: Task,
    eps: Eps,
    objective: str | None,
    alpha: str | None,
    slack: str | None,
    most_rmse: str | None,
    most_messages: str | None,
) -> Goal:
    if objective is not None and objective not in OBJECTIVES:
        raise BadInput(f"--objective {objective[:40]}: expected one of {', '.join(OBJECTIVES)}")
    if (alpha is not None) != (objective == "failure"):
        raise BadInput("--alpha: expected with --objective failure, and only there: the error that counts as one")
    radius = None if alpha is None else rational(alpha, "alpha")
    if radius is not None and radius < 0:
        raise BadInput(f"alpha: {alpha}: expected a rational of at least 0")
    limit = None if most_rmse is None else _positive(most_rmse, "max-rmse")
    if slack is not None:
        times = _positive(slack, "rmse-slack")
        assert times is not None
        allowed = central_rmse(eps, _parts(task)).low * times
        limit = allowed if limit is None else min(limit, allowed)
    messages = None if most_messages is None else _positive(most_messages, "max-messages")
    return Goal(objective or "rmse", limit, messages, radius)


def _parts(task: Task) -> int:
    """By how much a neighbour moves the counts: the central noise has ratio e^(-eps / parts).

    Two buckets of a histogram, or a sum by its sensitivity, which is at least 1 where it is to be chosen.
    """
    catalogue = import_module("verify.systems.catalogue")
    known = {**catalogue.defaults(task.system), **task.given}
    moved = 1 if "sensitivity" in task.over else natural(known.get("sensitivity", "1"), "sensitivity")
    return 2 if catalogue.system_class(task.system).serves("histogram", 2) is not None else moved


def _positive(value: str | None, name: str) -> Fraction | None:
    if value is None:
        return None
    number = rational(value, name)
    if number <= 0:
        raise BadInput(f"--{name} {value}: expected a rational above 0")
    return number


def _range(value: str | None) -> tuple[Fraction, Fraction] | None:
    if value is None:
        return None
    low, colon, high = value.partition(":")
    if not colon:
        raise BadInput(f"--range {value[:60]}: expected LOW:HIGH")
    return rational(low, "--range"), rational(high, "--range")


# What is answered --------------------------------------------------------------------------------------------------


def answer_json(found: Tuned, goal: Goal | None = None) -> Tree:
    """The answer of `calibrate` as JSON; `goal` where several parameters were chosen."""
    best, promise = found.best, found.promise
    calibrated, grid = best.calibrated, best.calibrated.grid
    searched = calibrated.searched
    fails_at = None if calibrated.fails_at is None else text(calibrated.fails_at)
    reached = [grid.value(level) for level in (grid.lowest, grid.highest) if level is not None]
    return {
        "system": found.task.system,
        "n": promise.n,
        "target": {"eps": str(promise.eps), "delta": text(promise.delta)},
        "parameter": best.parameter,
        "value": text(calibrated.value),
        "decimal": grid.decimal(calibrated.value),
        "fails_at": fails_at,
        "parameters": dict(found.parameters),
        "delta": delta_tree(calibrated.worst.delta),
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
        },
        "objective": None if goal is None or best.accuracy is None else _objective(goal, best.accuracy),
        "accuracy": None if best.accuracy is None else _accuracy(best.accuracy),
        "paper": _paper(found),
        "local_epsilon": None if (local := local_epsilon(found.system)) is None else eps_tree(local),
    }


def _failing(fails: WorstDelta, adjacent: bool) -> Tree:
    return {"delta": delta_tree(fails.delta), "adjacent": adjacent}


def _objective(goal: Goal, accuracy: Accuracy) -> Tree:
    most = {"most_rmse": goal.most_rmse, "most_messages": goal.most_messages}
    limits = {name: None if value is None else decimals(value, value)[1] for name, value in most.items()}
    return {"name": goal.objective, **_ends(goal.value(accuracy)), **limits}


def _accuracy(accuracy: Accuracy) -> Tree:
    rmse = accuracy.rmse_in_users
    return {
        "rmse": None if rmse is None else _ends(rmse),
        "expected_messages": _ends(accuracy.expected_messages),
        "bits_per_message": accuracy.bits_per_message,
    }


def _paper(found: Tuned) -> Tree | None:
    """What the system's paper prescribes for the same promise, and how many times the error that is."""
    mine = None if found.best.accuracy is None else found.best.accuracy.rmse_in_users
    promise, catalogue = found.promise, import_module("verify.systems.catalogue")
    kept = {x: v for x, v in found.parameters.items() if x not in found.best.values}
    try:
        values = catalogue.prescribe(found.task.system, kept, promise.n, promise.eps, promise.delta)
        theirs = catalogue.load(found.task.system, values).accuracy(promise.n, None).rmse_in_users
    except (BadInput, Undecided):
        return None
    if mine is None or theirs is None or not mine.low:
        return None
    ratio = Interval(theirs.low / mine.high, theirs.high / mine.low)
    return {"parameters": values, "rmse": _ends(theirs), "ratio": _ends(ratio)}


def _ends(value: Interval) -> Tree:
    return dict(zip(("lower", "upper"), value.enclosure(), strict=True))


def _shown(value: str) -> str:
    """A parameter of few digits; else the first of them (--json has all)."""
    return value if len(value) <= SHORT else words.first_digits(value, 12)


def answer_text(answer: Tree) -> str:
    """The answer of `calibrate` in words."""
    target, search = answer["target"], answer["search"]
    eps, bound = plain(target["eps"]), plain(target["delta"])
    lines = [f"{answer['parameter']} = {answer['decimal']}{words.beside(answer)}"]
    if others := [f"{x} = {_shown(v)}" for x, v in answer["parameters"].items() if x != answer["parameter"]]:
        lines.append(f"  with {', '.join(others)}")
    lines.append(f"  keeps delta({eps}) <= {bound}: it is {words.interval(answer['delta'])}")
    if answer["fails"] is None:
        lines.append("  no value with less noise was found to fail")
    else:
        which = "the next value of the grid" if answer["fails"]["adjacent"] else "what is shown to fail next"
        fails_at = decimals(Fraction(answer["fails_at"]), Fraction(answer["fails_at"]))[0]
        lines.append(f"  {which}, about {fails_at}, fails: {words.interval(answer['fails']['delta'])}")
    lines.append(words.scope_text(answer["scope"]))
    tried = f"{search['evaluated']} values"
    if search["candidates"] > 1:
        tried += f", after {search['candidates']} candidates for the others: none is proved to be the best"
    lines.append(f"  looked at {tried}; {search['reason']}")
    if accuracy := answer["accuracy"]:
        messages, bits = words.interval(accuracy["expected_messages"]), accuracy["bits_per_message"]
        error = f"root mean square error {words.interval(accuracy['rmse'])} users, " if accuracy["rmse"] else ""
        lines.append(f"  {error}{messages} messages per user expected, {bits} bit{'s' * (bits > 1)} each")
    if paper := answer["paper"]:
        lines.append(f"  the paper's parameters have {words.interval(paper['ratio'], 4)} times this error")
    for row in answer["certificates"]:
        shown = row["certificate"] or f"none: {row['reason']}"
        lines.append(f"  certificate ({row['verdict']}): {shown}")
    return "\n".join(lines)
