"""Compose: systems seen together, each many times, by one user or a group of them, on the same data or on fresh."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from shufflecert.verify import progress
from shufflecert.verify.answers import composed, words
from shufflecert.verify.bound.question import Effort, Tick
from shufflecert.verify.commands import options
from shufflecert.verify.commands.options import (
    OK,
    Adjacency,
    EachParameters,
    Honest,
    Json,
    MaxWork,
    Reference,
    TakePart,
    Tolerance,
)
from shufflecert.verify.compose.composition import DATA, MAX_TIMES, POINTS, Run
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import Target, load_each
from shufflecert.verify.systems.population import populated


def compose(
    system: options.Systems,
    param: EachParameters = None,
    n: Annotated[
        str | None, Option("--n", metavar="N[,N...]", help="Number of users, of all systems or of each.")
    ] = None,
    times: Annotated[str, Option("--times", metavar="K[,K...]", help="How often, all systems or each of them.")] = "1",
    eps: Annotated[str | None, Option("--eps", metavar="E", help="Asks for delta(E), E in nats.")] = None,
    delta: Annotated[
        str | None, Option("--delta", metavar="D", help="Instead of --eps: asks for the smallest eps.")
    ] = None,
    data: Annotated[
        str, Option("--data", metavar="|".join(DATA), help="Whether inputs differ from run to run: see above.")
    ] = "same",
    group: Annotated[str, Option("--group", metavar="G", help="Group privacy: up to G users are replaced.")] = "1",
    parallel: Annotated[
        bool, Option("--parallel", help="Every user is in one of the systems only: the largest of their deltas.")
    ] = False,
    paper_for: Annotated[
        str | None,
        Option("--paper-for", metavar="E,D", help="The parameters that papers prescribe for (E, D), of one run."),
    ] = None,
    digits: Annotated[
        str | None,
        Option("--digits", metavar="K", help="Digits of a composition (5; 4 where dots err more)."),
    ] = None,
    points: Annotated[
        str, Option("--points", metavar="K", help="Dots on curves that need them; the error falls as K^-2.")
    ] = str(POINTS),
    adjacency: Adjacency = "replace",
    reference: Reference = None,
    honest: Honest = None,
    take_part: TakePart = None,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    output: Annotated[Path | None, Option("-o", "--output", help="Write certificates of both bounds here.")] = None,
    force: options.Force = False,
    json: Json = False,
) -> int:
    """delta(eps), or eps, of systems seen together, each many times: between what is attained and what dominates.

    Neighbouring datasets: with --data same, a user holds one input for all runs of a system; with fresh, inputs may
    differ from run to run and are fixed beforehand; with adaptive they are chosen on seeing the runs before.
    """
    who = options.presence(adjacency, reference, honest, take_part)
    asked: dict[str, Any] = {"n": n, "times": times, "eps": eps, "delta": delta, "group": group, "parallel": parallel}
    asked |= {"paper_for": paper_for, "digits": digits, "points": points, "output": output, "force": force}
    effort = Effort(options.tolerance(tolerance), options.work(max_work))
    asked["param"] = param or ()
    what = "delta" if delta is None else "eps"
    most = Fraction(1) if delta is None else None
    with progress.parts(options.between(what, Fraction(0), most)) as (walk, say):
        asked["seen"] = lambda low, high: say(options.between(what, low, high))
        found = composed_of(system, data, who, effort=replace(effort, progress=walk), **asked)
    words.show(found.tree, lambda _: found.words(paper_for is not None), json)
    return OK


def composed_of(
    system: Any,
    data: str,
    who: Presence,
    *,
    param: Sequence[str],
    n: str | None,
    times: str,
    eps: Any,
    delta: Any,
    group: str,
    parallel: bool,
    paper_for: str | None,
    digits: Any,
    points: Any,
    output: Path | None,
    force: bool,
    effort: Effort,
    seen: Tick | None = None,
) -> composed.Composition:
    """The answer of `compose`, its certificates written; from Python `system` may be pairs (name, object).

    Raises BadInput.
    """
    if output is not None:
        atomic_files.check_new(output, force)
    size = natural(group, "--group", most=MAX_TRIALS)
    if parallel and size > 1:
        raise BadInput("--group: with --parallel: expected one of them, a group may be in several systems")
    counts = system.count(",") + 1 if isinstance(system, str) else len(system)
    users, often = _each(n, counts, "--n", MAX_TRIALS), _each(times, counts, "--times", MAX_TIMES)
    systems = _systems(system, param, users, paper_for) if isinstance(system, str) else system
    runs = [
        Run(populated(made, who), n_users, k, name)
        for (name, made), n_users, k in zip(systems, users, often, strict=True)
    ]
    names = system if isinstance(system, str) else ",".join(name for name, _ in systems)
    head = options.about(names, [made for _, made in systems], users[0] if len(set(users)) == 1 else users)
    head["times"] = often[0] if len(often) == 1 else often
    asked: dict[str, Any] = {"eps": eps, "delta": delta, "parallel": parallel, "head": head}
    asked["presence"] = None if who == EVERYBODY else who  # from Python a system may say itself who is there
    asked |= {"effort": effort, "digits": digits, "points": points}
    asked |= {"output": output, "recheck": import_module("shufflecert.verify.kernel").check}
    return composed.compose(runs, data, size, seen=seen, **asked)


def _each(written: str | None, counts: int, where: str, most: int) -> list[int]:
    """One number for all systems, or one for each."""
    if written is None:
        raise BadInput(f"{where}: missing: expected the number of users")
    listed = [natural(part.strip(), where, most=most) for part in written.split(",")]
    if len(listed) not in (1, counts):
        raise BadInput(f"{where}: {len(listed)} numbers for {counts} systems: expected one, or one for each")
    return listed * counts if len(listed) == 1 else listed


def _systems(
    names: str, parameters: Sequence[str], users: Sequence[int], paper_for: str | None
) -> list[tuple[str, Any]]:
    if paper_for is None:
        return load_each(names, parameters)
    eps, comma, delta = paper_for.partition(",")
    if not comma:
        raise BadInput(f"--paper-for: {paper_for[:60]!r}: expected EPS,DELTA of one run, such as 1,1e-6")
    if len(set(users)) > 1:
        raise BadInput("--paper-for: with different numbers of users: expected one --n for all systems")
    target = Target(users[0], Eps.of(eps.strip(), "--paper-for"), probability(delta.strip(), "--paper-for"))
    return load_each(names, parameters, target)
