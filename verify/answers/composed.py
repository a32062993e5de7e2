"""The answer of compose: systems seen together, each many times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from shufflecert.verify.answers.answer import Answer, stated
from shufflecert.verify.compose.certified import Made, Recheck, certified
from shufflecert.verify.compose.composition import Composed, Run, Worst, prepare
from shufflecert.verify.compose.parallel import apart
from shufflecert.verify.decide import answer_json
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.exact.rational import plain, probability, shorten, text
from shufflecert.verify.report import words
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.curves import ComposeAnswer
from shufflecert.verify.shapes.numbers import counted, delta_value, eps_value, interval
from shufflecert.verify.systems.catalogue import name_of, values
from shufflecert.verify.systems.population import presence_of

MEANING = {
    "same": "a user holds one input for all runs of a system",
    "fresh": "a user's input may differ from run to run, fixed beforehand",
    "adaptive": "a user's input may differ from run to run, chosen on seeing what the runs before have shown",
}


@dataclass(frozen=True, repr=False)
class Composition(Answer):
    """The answer of `compose`: delta(eps), or the smallest eps, of systems seen together."""

    shape = ComposeAnswer

    @property
    def value(self) -> str:  # type: ignore[override]
        """The key of the number that was asked for."""
        return "delta" if "eps" in self.tree else "epsilon"

    def words(self) -> str:
        """delta or eps, what is composed, and the worst of it."""
        return composition_text(self.tree)


def compose(
    runs: Sequence[Run],
    data: str = "same",
    group: int = 1,
    *,
    eps: object = None,
    delta: object = None,
    parallel: bool = False,
    presence: Presence | None = None,
    head: Tree | None = None,
    output: Path | None = None,
    recheck: Recheck | None = None,
    **limits: Any,
) -> Composition:
    """delta(eps) of several runs seen together, or the smallest eps for a delta: one of the two is given.

    `data` is "same", "fresh" or "adaptive"; `group`: up to so many users are replaced; `parallel`: every user is in one
    of the systems only. `limits` are those of `verify.compose.composition.prepare`. `output`, where given, is a new
    file of certificates of both ends (`verify.compose.certified`), which `recheck`, the kernel, accepts. Raises
    BadInput.

        >>> twice = Run(system("krr", k=2, gamma="1/2"), n=1, times=2)
        >>> compose([twice], eps="log(3)").upper, compose([twice], delta=0).power
        (Fraction(3, 8), Fraction(9, 1))
    """
    if (eps is None) == (delta is None):
        raise BadInput("--eps, --delta: expected one of them: --eps asks for delta, --delta asks for the smallest eps")
    runs = [replace(run, name=run.name or name_of(run.system)) for run in runs]
    at = None if eps is None else Eps.of(eps, "--eps")
    bound = None if delta is None else probability(delta, "--delta")
    found = []
    for some in [[run] for run in runs] if parallel else [list(runs)]:
        one = prepare(some, data, group, **limits)
        found.append(one.delta(at) if at is not None else one.epsilon(bound))
    composed = apart(found) if parallel else found[0]
    if output is not None and parallel:
        raise BadInput("-o: with --parallel: expected one of them; certify each system alone")
    written = _written(certified(one, composed, at, bound, recheck), output) if output and recheck else {}
    scope = _scope(composed, runs, data, group, parallel, presence or presence_of(runs[0].system))
    more = answer_json.messages_json(runs[0].system, runs[0].n, "shuffled", None) if len(runs) == 1 else {}
    tree = (head or _head(runs)) | _found(composed, at, bound) | {"scope": scope} | more | written
    return Composition(tree, composed)


def _written(made: Made, output: Path) -> Tree:
    """Certificates of the ends, in a file, and what they state."""
    if made.certificates:
        atomic_files.write_whole(output, made.text())
    states = []
    for one in made.certificates:
        claim = one["claim"]
        said = words.promise_text(one["verdict"], Eps.of(claim["eps"]), Fraction(claim["delta"]))
        states.append(f"{one['verdict']}: {said}")
    return {"certificate": {"file": str(output) if states else "", "states": states, "missing": made.missing}}


def _head(runs: Sequence[Run]) -> Tree:
    users, often = [run.n for run in runs], [run.times for run in runs]
    return {
        "system": ",".join(run.name for run in runs),
        "parameters": [values(run.system) for run in runs],
        **stated([run.system for run in runs]),
        "n": users[0] if len(set(users)) == 1 else users,
        "times": often[0] if len(often) == 1 else often,
    }


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


def composition_text(answer: Tree, paper: bool = False) -> str:
    """The answer of `compose` in words."""
    scope = answer["scope"]
    if "eps" in answer:
        lines = [f"delta({plain(answer['eps'])}) = {interval(answer['delta'])}", *words.exactly(answer["delta"])]
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
    lines.append(f"  {counted(scope['pairs'], 'composition')} evaluated{of}: {scope['by']}")
    if scope["two_sided"]:
        lines.append("  lower bound: attained by real datasets; upper bound: compositions that dominate all datasets")
    for one in scope["worst"]:
        held = "any" if one["others"] is None else words.held(one["others"]) or "none"
        runs = f"{one['system']} {_times(one['times'])}"
        start, end = words.ends_text(scope["adjacency"], one)
        lines.append(f"  worst: {runs} with {start} against {end}, the others: {held}")
    lines += words.messages_text(answer)
    if "certificate" in answer:
        made = answer["certificate"]
        lines += [f"  certificate: {made['file']}: {one} (check accepts it)" for one in made["states"]]
        lines += [f"  no certificate of an end: {made['missing']}"] if made["missing"] else []
    return "\n".join([*lines, *(_parameter_words(answer) if paper else [])])


def _parameter_words(answer: Tree) -> list[str]:
    values = [", ".join(f"{name} = {value}" for name, value in one.items()) for one in answer["parameters"]]
    return [f"  parameters (the papers', 64 bits): {'; '.join(values)}"] if values else []


def _times(k: int) -> str:
    return "once" if k == 1 else "twice" if k == 2 else f"{k} times"
