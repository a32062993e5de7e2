"""Compose: systems seen together, each many times, by one user or a group of them, on the same data or on fresh."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Any

import typer

from verify.commands import options
from verify.commands.options import OK, Adjacency, Honest, Json, MaxWork, Parameters, Reference, TakePart, Tolerance
from verify.compose.assignments import Walk
from verify.compose.composition import DATA, MAX_TIMES, POINTS, Composed, Run, Worst, prepare
from verify.compose.parallel import apart
from verify.decide import answer_json
from verify.enclose.noise_laws import MAX_TRIALS
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Presence
from verify.exact.rational import decimals, natural, plain, probability, shorten, text
from verify.report import words
from verify.systems.load import Target, load_each
from verify.systems.population import populated

Tree = dict[str, Any]
MEANING = {
    "same": "a user holds one input for all runs of a system",
    "fresh": "a user's input may differ from run to run, fixed beforehand",
    "adaptive": "a user's input may differ from run to run, chosen on seeing what the runs before have shown",
}


def compose(
    system: options.Systems,
    param: Parameters = None,
    n: Annotated[
        str | None, typer.Option("--n", metavar="N[,N...]", help="Number of users, of all systems or of each.")
    ] = None,
    times: Annotated[
        str, typer.Option("--times", metavar="K[,K...]", help="How often, all systems or each of them.")
    ] = "1",
    eps: Annotated[str | None, typer.Option("--eps", metavar="E", help="Asks for delta(E), E in nats.")] = None,
    delta: Annotated[
        str | None, typer.Option("--delta", metavar="D", help="Instead of --eps: asks for the smallest eps.")
    ] = None,
    data: Annotated[
        str, typer.Option("--data", metavar="|".join(DATA), help="Whether inputs differ from run to run, see below.")
    ] = "same",
    group: Annotated[
        str, typer.Option("--group", metavar="G", help="Group privacy: up to G users are replaced.")
    ] = "1",
    parallel: Annotated[
        bool, typer.Option("--parallel", help="Every user is in one of the systems only: the largest of their deltas.")
    ] = False,
    paper_for: Annotated[
        str | None,
        typer.Option("--paper-for", metavar="E,D", help="The parameters that papers prescribe for (E, D), of one run."),
    ] = None,
    digits: Annotated[
        str | None,
        typer.Option("--digits", metavar="K", help="Digits of a composition (9; 6 for eps; 4 where dots err more)."),
    ] = None,
    points: Annotated[
        str, typer.Option("--points", metavar="K", help="Dots on curves that need them; the error falls as K^-2.")
    ] = str(POINTS),
    adjacency: Adjacency = "replace",
    reference: Reference = None,
    honest: Honest = None,
    take_part: TakePart = None,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """delta(eps), or eps, of systems seen together, each many times: between what is attained and what dominates.

    Neighbouring datasets: with --data same, a user holds one input for all runs of a system; with fresh, inputs may
    differ from run to run and are fixed beforehand; with adaptive they are chosen on seeing the runs before.
    """
    if (eps is None) == (delta is None):
        raise BadInput("--eps, --delta: expected one of them: --eps asks for delta, --delta asks for the smallest eps")
    size = natural(group, "--group", most=MAX_TRIALS)
    if parallel and size > 1:
        raise BadInput("--group: with --parallel: expected one of them, a group may be in several systems")
    at = None if eps is None else Eps.of(eps, "--eps")
    bound = None if delta is None else probability(delta, "--delta")
    counts = system.count(",") + 1
    users, often = _each(n, counts, "--n", MAX_TRIALS), _each(times, counts, "--times", MAX_TIMES)
    who = options.presence(adjacency, reference, honest, take_part)
    systems = _systems(system, param or (), users, paper_for)
    runs = [
        Run(populated(made, who), n_users, k, name)
        for (name, made), n_users, k in zip(systems, users, often, strict=True)
    ]
    limit, width, found = options.work(max_work), options.tolerance(tolerance), []
    with _shown() as progress:
        for some in [[run] for run in runs] if parallel else [runs]:
            limits: dict[str, Any] = {"max_work": limit, "tolerance": width, "progress": progress}
            one = prepare(some, data, size, digits=digits, points=points, **limits)
            found.append(one.delta(at) if at is not None else one.epsilon(bound))
    answer = options.about(system, [made for _, made in systems], users[0] if len(set(users)) == 1 else users)
    answer["times"] = often[0] if len(often) == 1 else often
    composed = apart(found) if parallel else found[0]
    answer |= _found(composed, at, bound)
    answer |= {"scope": _scope(composed, runs, data, size, parallel, who)}
    words.show(answer, lambda tree: _words(tree, paper_for is not None), json)
    return OK


@contextmanager
def _shown() -> Iterator[Walk]:
    """Show a line that moves on a terminal, with a bar below it for each part of known length; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda items, _: items
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:

        def walk(items: Iterable[Any], total: int) -> Iterator[Any]:
            task = bar.add_task("", total=total)
            for item in items:
                yield item
                bar.advance(task)
            bar.remove_task(task)

        bar.add_task("", total=None)
        yield walk


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


def _found(composed: Composed, at: Eps | None, bound: Fraction | None) -> Tree:
    if at is not None:
        assert composed.delta is not None
        return {"eps": str(at), "delta": answer_json.delta_tree(composed.delta)}
    assert bound is not None
    value: Tree = {"lower": "inf", "upper": "inf", "exact": "inf"}
    if composed.power is not None:
        eps = Eps.log(composed.power)
        value = dict(zip(("lower", "upper"), eps.enclosure(), strict=True)) | {"exact": f"log({text(composed.power)})"}
    elif composed.interval is not None:
        low, high = composed.interval
        ends = decimals(low, low if high is None else high)
        value = {"lower": ends[0], "upper": "inf" if high is None else ends[1], "exact": None}
    return {"delta": text(bound), "epsilon": value}


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
    } | answer_json.presence_tree(who)


def _worst(one: Worst) -> Tree:
    side = one.neighbours
    others = None if side.others is None else dict(side.others)
    return {
        "system": one.name,
        "times": one.times,
        "from": side.source or None,
        "to": side.target or None,
        "others": others,
    }


def _words(answer: Tree, paper: bool) -> str:
    scope = answer["scope"]
    if "eps" in answer:
        lines = [f"delta({plain(answer['eps'])}) = {words.interval(answer['delta'])}", *words.exactly(answer["delta"])]
    else:
        lines = words.epsilon_lines(answer)
    users = "users of one system each" if scope["users"].startswith("of") else "the same users"
    often = answer["times"] if isinstance(answer["times"], list) else [answer["times"]]
    names = zip(answer["system"].split(","), often, strict=True)
    what = ", ".join(f"{name.strip()} {_times(k)}" for name, k in names)
    lines.append(f"  {what}, by {users}: {scope['inputs']}")
    n = ", ".join(map(str, scope["n"])) if isinstance(scope["n"], list) else scope["n"]
    many = "one user" if scope["group"] == 1 else f"up to {scope['group']} users"
    changed = words.adjacency_text(scope).replace("one user", many, 1)
    lines.append(f"  shuffled view, n = {n}, all neighbouring datasets ({changed})")
    of = "" if scope["stands_for"] is None else f" for {shorten(str(scope['stands_for']))}"
    lines.append(f"  {scope['pairs']} composition{'s' * (scope['pairs'] > 1)} evaluated{of}: {scope['by']}")
    if scope["two_sided"]:
        lines.append("  lower end: attained by real datasets; upper end: compositions that dominate all datasets")
    for one in scope["worst"]:
        held = ", ".join(f"{count} on {x}" for x, count in (one["others"] or {}).items())
        held = "any" if one["others"] is None else held or "none"
        runs = f"{one['system']} {_times(one['times'])}"
        start, end = words.ends_text(scope["adjacency"], one)
        lines.append(f"  worst: {runs} with {start} against {end}, the others: {held}")
    return "\n".join([*lines, *(_parameter_words(answer) if paper else [])])


def _parameter_words(answer: Tree) -> list[str]:
    values = [", ".join(f"{name} = {value}" for name, value in one.items()) for one in answer["parameters"]]
    return [f"  parameters (the papers', 64 bits): {'; '.join(values)}"] if values else []


def _times(k: int) -> str:
    return "once" if k == 1 else "twice" if k == 2 else f"{k} times"
