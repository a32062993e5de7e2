"""Compose: systems seen together, each many times, by one user or a group of them, on the same data or on fresh."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers import composed as answers
from shufflecert.verify.commands import given
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Reference
from shufflecert.verify.commands.line import between
from shufflecert.verify.compose.composition import MAX_TIMES, POINTS, Run
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import EVERYBODY
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.systems.load import Target, load_each
from shufflecert.verify.systems.population import populated


@given.arguments_named
def compose(
    system: Asked | Sequence[Asked] | Sequence[tuple[str, Asked]] | Sequence[Run],
    n: Exact | Sequence[Exact] | None = None,
    times: Exact | Sequence[Exact] = 1,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    *,
    data: str = "same",
    group: Exact = 1,
    parallel: bool = False,
    paper_for: str | None = None,
    digits: Exact | None = None,
    points: Exact = POINTS,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    output: File | None = None,
    force: bool = False,
    **parameters: Exact,
) -> answers.Composition:
    """delta(eps), or eps, of systems seen together, each many times: between what is attained and what dominates.

    One of eps and delta is given, the other is found. One system, "several,names", a list of systems, or of `Run`s,
    which hold n and times. `data`: a user's input is the "same" in all runs, "fresh" in each, or "adaptive"; `group`:
    up to so many users are replaced; `parallel`: every user is in one of the systems only. `output` gets certificates
    of both bounds. Raises BadInput.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> compose(rr, n=1, times=2, eps="log(3)").upper, compose(rr, n=1, times=2, delta=0).power
        (Fraction(3, 8), Fraction(9, 1))
        >>> compose([Run(rr, n=1, times=2)], eps="log(3)").upper
        Fraction(3, 8)
    """
    who = given.presence(adjacency, reference, honest, take_part)
    effort = given.effort(max_work, tolerance)
    asked: Any = system
    if isinstance(system, Sequence) and not isinstance(system, str) and any(isinstance(one, Run) for one in system):
        listed: list[Any] = list(system)
        if n is not None or times != 1 or not all(isinstance(run, Run) for run in listed):
            raise BadInput("n, times: each Run has its own: expected them left out, and Runs only")
        name_of = import_module("shufflecert.verify.systems.catalogue").name_of
        asked = [(run.name or name_of(run.system), run.system) for run in listed]
        n, times = [run.n for run in listed], [run.times for run in listed]
    systems = given.named(asked, parameters)
    (place,) = given.new_files(force, output)
    size = natural(group, "--group", most=MAX_TRIALS)
    if parallel and size > 1:
        raise BadInput("--group: with --parallel: expected one of them, a group may be in several systems")
    counts = systems.count(",") + 1 if isinstance(systems, str) else len(systems)
    users, often = (
        _each(given.text(n), counts, "--n", MAX_TRIALS),
        _each(given.text(times), counts, "--times", MAX_TIMES),
    )
    if isinstance(systems, str):
        systems = _systems(systems, given.parameters(parameters), users, paper_for)
    runs = [
        Run(populated(made, who), n_users, k, name)
        for (name, made), n_users, k in zip(systems, users, often, strict=True)
    ]
    names = system if isinstance(system, str) else ",".join(name for name, _ in systems)
    head = given.about(names, [made for _, made in systems], users[0] if len(set(users)) == 1 else users)
    head["times"] = often[0] if len(often) == 1 else often
    told: dict[str, Any] = {"eps": eps, "delta": delta, "parallel": parallel, "head": head}
    told["presence"] = None if who == EVERYBODY else who  # from Python a system may say itself who is there
    told |= {"digits": digits, "points": points}
    told |= {"output": place, "recheck": import_module("shufflecert.verify.kernel").check}
    what, most = ("delta", Fraction(1)) if delta is None else ("eps", None)
    with progress.parts(between(what, Fraction(0), most)) as (walk, say):
        told |= {"effort": replace(effort, progress=walk), "seen": lambda low, high: say(between(what, low, high))}
        found = answers.compose(runs, data, size, **told)
    return found if paper_for is None else replace(found, more=tuple(answers.parameter_lines(found.tree)))


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
