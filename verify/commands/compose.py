"""Compose: systems seen together, each many times, by one user or a group of them, on the same data or on fresh."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import messages_tree, worst_tree
from shufflecert.verify.answers.composed import MEANING, Composition
from shufflecert.verify.commands import given
from shufflecert.verify.commands.certificates import kernel
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Reference, between
from shufflecert.verify.compose.certified import Made, certified, check_stated
from shufflecert.verify.compose.composition import MAX_TIMES, POINTS, Composed, Run, Worst, apart, prepare
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree, delta_value, eps_value
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, presence_tree
from shufflecert.verify.exact.rational import fraction, natural, probability, text
from shufflecert.verify.runs import writing
from shufflecert.verify.systems.catalogue import Target, load_each, name_of
from shufflecert.verify.systems.population import populated, presence_of


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
) -> Composition:
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
        asked = [(run.name or name_of(run.system), run.system) for run in listed]
        n, times = [run.n for run in listed], [run.times for run in listed]
    systems = given.named(asked, parameters)
    (place,) = given.new_files(force, output)
    size = natural(group, "--group", most=MAX_TRIALS)
    if parallel and size > 1:
        raise BadInput("--group: with --parallel: expected one of them, a group may be in several systems")
    if place is not None and parallel:
        raise BadInput("-o: with --parallel: expected one of them; certify each system alone")
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
    if place is not None:
        check_stated(runs, size)
    names = system if isinstance(system, str) else ",".join(name for name, _ in systems)
    head = given.about(names, [made for _, made in systems], users[0] if len(set(users)) == 1 else users)
    head["times"] = often[0] if len(often) == 1 else often
    what, most = ("delta", Fraction(1)) if delta is None else ("eps", None)
    with progress.parts(between(what, Fraction(0), most)) as (walk, say):
        if (eps is None) == (delta is None):
            raise BadInput(
                "--eps, --delta: expected one of them: --eps asks for delta, --delta asks for the smallest eps"
            )
        at = None if eps is None else Eps.of(eps, "--eps")
        bound = None if delta is None else probability(delta, "--delta")
        limits: dict[str, Any] = {"digits": digits, "points": points, "effort": replace(effort, progress=walk)}
        limits["seen"] = lambda low, high: say(between(what, low, high))
        found = []
        for some in [[run] for run in runs] if parallel else [runs]:
            one = prepare(some, data, size, **limits)
            found.append(one.delta(at) if at is not None else one.epsilon(bound))
        composed = apart(found) if parallel else found[0]
        written = _written(certified(one, composed, at, bound, kernel.check), place) if place else {}
    present = presence_of(runs[0].system) if who == EVERYBODY else who  # an object may say itself who is there
    scope = _scope(composed, runs, data, size, parallel, present)
    more = messages_tree(runs[0].system, runs[0].n, "shuffled", None) if len(runs) == 1 else {}
    tree = head | _found(composed, at, bound) | {"scope": scope} | more | written
    told = () if paper_for is None else (words.parameter_line("the papers'", *tree["parameters"]),)
    return Composition(tree, composed, more=told)


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


def _written(made: Made, output: Path) -> Tree:
    """Certificates of the ends, in a file, and what they state."""
    if made.certificates:
        writing.write_whole(output, made.text())
    states = []
    for one in made.certificates:
        claim = one["claim"]
        said = words.promise_text(one["verdict"], Eps.of(claim["eps"]), fraction(claim["delta"]))
        states.append(f"{one['verdict']}: {said}")
    return {"certificate": {"file": str(output) if states else "", "states": states, "missing": made.missing}}


def _found(composed: Composed, at: Eps | None, bound: Fraction | None) -> Tree:
    if at is not None:
        assert composed.delta is not None
        return {"eps": str(at), "delta": delta_value(composed.delta)}
    assert bound is not None
    exact = None if composed.power is None else Eps.log(composed.power)
    return {"delta": text(bound), "epsilon": eps_value(exact, composed.interval)}


def _scope(composed: Composed, runs: Sequence[Run], data: str, group: int, parallel: bool, who: Presence) -> Tree:
    users = [run.n for run in runs]
    return {
        "adjacency": who.adjacency,
        "group": group,
        "view": "shuffled",
        "n": users[0] if len(set(users)) == 1 else users,
        "datasets": "all",
        "users": "of one system each" if parallel else "the same in all runs",
        "data": data,
        "inputs": MEANING[data],
        "by": composed.by,
        "pairs": composed.compositions,
        "stands_for": composed.stands_for,
        "two_sided": composed.two_sided,
        "worst": [_worst(one) for one in composed.worst],
    } | presence_tree(who)


def _worst(one: Worst) -> Tree:
    return {"system": one.name, "times": one.times, **worst_tree(one.neighbours)}
