"""Calibrate: from a target (eps, delta) to the least noise that is certified, next to a value that is shown to fail."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from shufflecert.verify import progress
from shufflecert.verify.answers import calibrated as answers
from shufflecert.verify.answers.decided import nearest_tree
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.objective import OBJECTIVES, Goal
from shufflecert.verify.calibrate.tuned_system import Task, Tuned, central_rmse, tune
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Reference
from shufflecert.verify.decide.certify import Certified, Nearest
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps, Tree
from shufflecert.verify.exact.rational import natural, rational
from shufflecert.verify.reduce.reduction import uncertified
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.population import flags_of, presence_of


@given.arguments_named
def calibrate(
    system: Asked,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    *,
    over: str | Sequence[str] | None = None,
    objective: str | None = None,
    alpha: Exact | None = None,
    rmse_slack: Exact | None = None,
    max_rmse: Exact | None = None,
    max_messages: Exact | None = None,
    step: Exact | None = None,
    range: str | None = None,
    output: File | None = None,
    force: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    **parameters: Exact,
) -> answers.Calibration:
    """The least noise that keeps (eps, delta): a value that is certified, and the next one, which is shown to fail.

    `over` names what to choose (all noise that is not among the `parameters`); an object has all its parameters, those
    in `over` are chosen anew, and of a table only "n". `range` is "LOW:HIGH"; `output` gets the certificate, and the
    failing one beside it. Raises BadInput where no value satisfies (eps, delta).

        >>> calibrate("krr", n=1, eps="log(3)", delta=0, k=2).parameters["gamma"]
        '1/2'
        >>> calibrate(system("krr", k=2, gamma="1/3"), eps="1/2", delta="1e-3", over="n").parameters["gamma"]
        '1/3'
    """
    who, effort = given.presence(adjacency, reference, honest, take_part), given.effort(max_work, tolerance).silent
    listed = given.text(over)
    kind, fixed = given.tuned(system, parameters, listed)
    eps, delta = given.needed(eps, "eps", "1"), given.needed(delta, "delta", '"1e-6"')
    paths = None
    if output is not None:
        place = Path(output)
        given.new_files(force, place)  # before its suffix is changed: not every path has a name
        paths = place, place.with_suffix(".fails" + (place.suffix or ".json"))
        given.new_files(force, paths[1])
    chosen = tuple(name.strip() for name in listed.split(",")) if listed is not None else ()
    task = Task(kind, fixed, chosen, _positive(given.text(step), "step"), _range(range), who)
    if "n" in chosen and n is not None:
        raise BadInput("--over n: it is given as well: expected one of the two")
    if "n" in chosen and who.honest is not None:
        raise BadInput("--over n: with --honest, by which n does not matter: expected one of the two")
    count = given.users("1" if "n" in chosen else n, "shuffled", "the number of users, or --over n")
    promise = Promise.of(count, eps, delta, effort)
    aim = given.texts(
        objective=objective, alpha=alpha, slack=rmse_slack, most_rmse=max_rmse, most_messages=max_messages
    )
    goal = _goal(task, promise.eps, **aim)
    try:
        with progress.busy(f"calibrating {task.name}", wait=0):
            found = tune(task, promise, goal)
            written, beside = ([], None) if paths is None else _certified(found, paths)
    except KeyboardInterrupt as stop:
        stop.add_note("no partial result; --range LOW:HIGH, a larger --step, or no -o are faster")
        raise
    answer = answers.of(found, goal)
    answer.tree["certificates"] = written
    if paths is not None and written[0]["certificate"] is None:
        nearest = None if beside is None else nearest_tree(promise.eps, beside)
        answer.tree["undecided"] = {"reason": written[0]["reason"], "nearest": nearest}
    return answer


def _certified(found: Tuned, paths: tuple[Path, Path]) -> tuple[list[Tree], Nearest | None]:
    """Both certificates, written where there are such: both or neither, but over a file that exists.

    And what is decided beside the promise, where the kernel does not accept what proves it with its defaults.
    Raises Undecided, and writes nothing, where one of them contradicts what calibration found.
    """
    asked = [((found.system, found.promise), "PROVED", paths[0])]
    if found.failing is not None:
        asked.append((found.failing, "REFUTED", paths[1]))
    results: list[tuple[Certified | None, str, str, Path]] = []
    for (system, promise), verdict, path in asked:
        values = catalogue.values(system)
        note = " ".join([found.task.name, *(f"-p {x}={v}" for x, v in values.items()), f"--n {promise.n}"])
        note = " ".join([note, *flags_of(presence_of(system))])
        of = promise
        if refusal := uncertified(system, of.n):
            results.append((None, refusal, verdict, path))
            continue
        result = replace(of.bound(system).decided(of.eps, of.delta), note=note)
        if result.verdict not in (verdict, "UNDECIDED"):
            raise Undecided(f"{note}: {result.verdict} where calibration found {verdict}")
        results.append((result, result.reason, verdict, path))
    made = {path: result for result, _, _, path in results if result is not None}
    written = certificates.write_all([(result, path) for path, result in made.items()])
    places = dict(zip(made, written, strict=True))
    rows = [
        {"verdict": verdict, "certificate": one.place, "reason": None if one.place else one.refusal or reason}
        for _, reason, verdict, path in results
        for one in [places.get(path, certificates.Written(None))]
    ]
    kept, beside = results[0][0], None
    if kept is not None and kept.certificate is not None and rows[0]["certificate"] is None:
        bound = found.promise.bound(found.system)
        beside = certificates.nearest_accepted(kept, bound.decided)
    return rows, beside


# What is asked ---------------------------------------------------------------------------------------------------


def _goal(
    task: Task,
    eps: Eps,
    objective: str | None = None,
    alpha: str | None = None,
    slack: str | None = None,
    most_rmse: str | None = None,
    most_messages: str | None = None,
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
    if task.kind is None:
        raise BadInput(f"--rmse-slack: {task.name}: nothing is known of a table's error: expected a system")
    known = {**catalogue.defaults(task.kind), **task.given}
    moved = 1 if "sensitivity" in task.over else natural(known.get("sensitivity", "1"), "sensitivity")
    return 2 if catalogue.system_class(task.kind).serves("histogram", 2) is not None else moved


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
