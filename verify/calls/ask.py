"""What a system keeps, from Python: systems, delta, epsilon, accuracy, profile, compose."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shufflecert.verify.answers import composed, decided, listed, profiled
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.calls import given
from shufflecert.verify.calls.given import Asked, EpsValue, Exact, File, Reference
from shufflecert.verify.commands import certificates
from shufflecert.verify.commands.compose import composed_of
from shufflecert.verify.commands.decide import ends_of
from shufflecert.verify.commands.decide import listed as rows_of
from shufflecert.verify.commands.profile import profiled as profile_of
from shufflecert.verify.commands.report import reported as report
from shufflecert.verify.compose.composition import POINTS, Run
from shufflecert.verify.decide.worst_case import profile as privacy_profile
from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.catalogue import name_of

__all__ = ["accuracy", "compose", "delta", "epsilon", "privacy_profile", "profile", "report", "systems"]


def systems(name: str | None = None) -> listed.Systems:
    """The systems by task, or one in full: parameters, views, source, how far answers go.

    Raises BadInput for an unknown name.

        >>> [row["name"] for row in systems("krr")]
        ['krr']
    """
    return listed.Systems(rows_of(name))


def delta(
    system: Asked,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    view: str = "shuffled",
    *,
    others: Mapping[Any, int] | str | None = None,
    paper: bool = False,
    delta: Exact | None = None,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    output: File | None = None,
    force: bool = False,
    **parameters: Exact,
) -> decided.Delta:
    """The largest delta(eps) over all neighbouring datasets of n users, both directions: exact, or enclosed.

    `system` is a name with its `parameters`, a file, "my.py:Mine", or an object; eps is in nats. `lower` and `upper`
    of the answer enclose delta, `delta` is exact where it is known so. `others` fixes the other users' inputs; `paper`
    takes the parameters that the system's paper prescribes for (n, eps, delta); `output` gets certificates of both
    ends. Raises BadInput; TooMuchWork beyond `max_work`; Undecided.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> delta(rr, n=2, eps="log(3/2)").upper
        Fraction(9, 32)
        >>> delta("krr", n=2, eps="log(3/2)", k=2, gamma="1/2").delta == delta(rr, n=2, eps="log(3/2)").delta
        True
    """
    eps = given.needed(eps, "eps", "1")
    _writable(output, force, others)
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta, others)
    effort = given.effort(max_work, tolerance)
    found = decided.delta(of.question, eps, effort, of.head)
    _certified(output, of.question, found, effort)
    return found


def epsilon(
    system: Asked,
    n: Exact | None = None,
    delta: Exact | None = None,
    view: str = "shuffled",
    *,
    others: Mapping[Any, int] | str | None = None,
    paper: bool = False,
    eps: EpsValue | None = None,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    output: File | None = None,
    force: bool = False,
    **parameters: Exact,
) -> decided.Epsilon:
    """The smallest eps with delta(eps) <= delta for all neighbouring datasets of n users, both directions.

    `lower` and `upper` enclose it, inf where no finite eps is enough; `eps` is exact where it is known so. Arguments
    and errors as of `delta`.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> epsilon(rr, delta=0, view="local").eps
        log(3)
        >>> epsilon("any_ldp", n=1000, delta="1e-6", eps0=1).upper_float() < 0.5
        True
    """
    delta = given.needed(delta, "delta", '"1e-6"')
    _writable(output, force, others)
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta, others)
    effort = given.effort(max_work, tolerance)
    found = decided.epsilon(of.question, delta, effort, of.head)
    _certified(output, of.question, found, effort)
    return found


def accuracy(
    system: Asked,
    n: Exact | None = None,
    alpha: Exact | None = None,
    *,
    paper: bool = False,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    **parameters: Exact,
) -> decided.Accuracy:
    """The analyzer's error, exactly, and what a user sends; with `alpha` also Pr[|error| > alpha]. Raises BadInput.

    >>> accuracy("discrete_laplace", n=10, q="1/2").upper
    Fraction(2, 1)
    """
    question, made, head = given.question(system, parameters, n, paper=paper, eps=eps, delta=delta)
    name = str(system) if head is not None else None
    return decided.accuracy(made, question.n, alpha, head=head, name=name)


def profile(
    system: Asked | Mapping[str, Asked] | Sequence[tuple[str, Asked]],
    n: Exact | None = None,
    eps: str | Sequence[EpsValue] = "0:4:81",
    view: str = "shuffled",
    *,
    trade_off: bool = False,
    alpha: str | Sequence[Exact] | None = None,
    renyi: str | Sequence[Exact] | Exact | None = None,
    paper: bool = False,
    promise: str | None = None,
    csv: File | None = None,
    plot: File | None = None,
    output: File | None = None,
    force: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    **parameters: Exact,
) -> profiled.Profile:
    """delta as a function of eps, over all neighbouring datasets and both directions, certified at each eps of a grid.

    One system, "several,names", {name: system} or pairs of both. A grid is "LOW:HIGH:COUNT", or values. `trade_off`:
    the type II error at the type I errors `alpha` instead (f-DP); `renyi`: Renyi divergences of these orders. `promise`
    is the "EPS:DELTA" of `paper`; `csv`, `plot` and `output` (certificates, a claim for each point) are files to write.
    Raises as `delta` does.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> profile(rr, n=2, eps="0,log(3)").curves[0]["points"]
        [{'eps': '0', 'lower': '0.375', 'upper': '0.375'}, {'eps': 'log(3)', 'lower': '0', 'upper': '0'}]
    """
    asked = given.texts(alpha=alpha, renyi=renyi) | given.paths(table=csv, plot=plot, output=output)
    asked |= {"tests": trade_off, "paper": paper, "promise": promise, "force": force}
    asked |= {"param": given.parameters(parameters), "effort": given.effort(max_work, tolerance)}
    who = given.presence(adjacency, reference, honest, take_part)
    return profile_of(_named(system, parameters), given.users(n, view), str(given.text(eps)), view, who, **asked)


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
) -> composed.Composition:
    """delta(eps) of systems seen together, each so many times, or the smallest eps for a delta: one of them is given.

    One system, "several,names", a list of systems, or of `Run`s, which hold n and times. `data`: a user's input is the
    "same" in all runs, "fresh" in each, or "adaptive"; `group`: up to so many users are replaced; `parallel`: every
    user is in one of the systems only. `output` gets certificates of both bounds. Raises BadInput.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> compose(rr, n=1, times=2, eps="log(3)").upper, compose(rr, n=1, times=2, delta=0).power
        (Fraction(3, 8), Fraction(9, 1))
        >>> compose([Run(rr, n=1, times=2)], eps="log(3)").upper
        Fraction(3, 8)
    """
    who = given.presence(adjacency, reference, honest, take_part)
    asked = given.texts(n=n, times=times, group=group, points=points, digits=digits)
    asked |= {"eps": eps, "delta": delta, "parallel": parallel, "paper_for": paper_for, "output": given.path(output)}
    asked |= {"force": force, "param": given.parameters(parameters), "effort": given.effort(max_work, tolerance)}
    named: Any = system
    if isinstance(system, Sequence) and not isinstance(system, str) and any(isinstance(one, Run) for one in system):
        runs: list[Any] = list(system)
        if n is not None or times != 1 or not all(isinstance(run, Run) for run in runs):
            raise BadInput("n, times: each Run has its own: expected them left out, and Runs only")
        named = [(run.name or name_of(run.system), run.system) for run in runs]
        asked |= {key: ",".join(str(getattr(run, key)) for run in runs) for key in ("n", "times")}
    return composed_of(_named(named, parameters), data, who, **asked)


def _named(system: Any, parameters: Mapping[str, Exact]) -> Any:
    """Names with commas as they are; else pairs (name, system). Raises BadInput."""
    if isinstance(system, str):
        return system
    if isinstance(system, Mapping):
        pairs = list(system.items())
    elif isinstance(system, Sequence):
        pairs = [one if isinstance(one, tuple) else (None, one) for one in system]
    else:
        return [(name_of(system), given.system_of(system, parameters))]
    if parameters:
        raise BadInput(f"{', '.join(parameters)}: expected with systems' names; objects have their parameters")
    made = [(name, one, given.system_of(one, {})) for name, one in pairs]
    return [(name or (one if isinstance(one, str) else name_of(found)), found) for name, one, found in made]


def _certified(output: File | None, question: Question, found: decided.Delta | decided.Epsilon, effort: Effort) -> None:
    """Certificates of both bounds, where a file is asked for."""
    if output is not None:
        asked = question.protocol, question.n, question.view
        certificates.write_ends(Path(output), *asked, ends_of(found), effort=effort)


def _writable(output: File | None, force: bool, others: Any) -> None:
    if output is not None:
        atomic_files.check_new(Path(output), force)
        if others is not None:
            raise BadInput("output: with others: expected one of them; a certificate is about all datasets")
