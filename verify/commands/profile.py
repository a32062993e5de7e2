"""Curves: the privacy profile, the trade-off curve of f-DP, Renyi privacy; as a table, JSON, CSV, a picture."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers import profiled as answers
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.commands import certificates, options
from shufflecert.verify.decide.privacy_profile import eps_grid, number_grid
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.exact.rational import probability, shorten
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import Target, load_each
from shufflecert.verify.systems.population import populated

SHOWN = 6  # digits in a table


def profile(
    system: options.Systems,
    param: options.EachParameters = None,
    n: options.Users = None,
    eps: Annotated[
        str, Option("--eps", metavar="GRID", help="LOW:HIGH:COUNT, both ends included, or 1/2,1,log(3).")
    ] = "0:4:81",
    view: options.ViewOption = "shuffled",
    tests: Annotated[bool, Option("--trade-off", help="The trade-off curve f(alpha) of f-DP instead.")] = False,
    alpha: Annotated[
        str | None, Option("--alpha", metavar="GRID", help="With --trade-off: type I errors; 0:1:41 unless given.")
    ] = None,
    renyi: Annotated[
        str | None, Option("--renyi", metavar="GRID", help="Renyi divergences of these orders instead: 2:32:31.")
    ] = None,
    paper: options.Paper = False,
    promise: Annotated[
        str | None, Option("--for", metavar="EPS:DELTA", help="With --paper: what to prescribe for.")
    ] = None,
    table: Annotated[Path | None, Option("--csv", metavar="FILE", help="Write the points here.")] = None,
    plot: Annotated[
        Path | None, Option("--plot", metavar="FILE", help="Draw the bands here: .png, .svg or .pdf.")
    ] = None,
    output: options.Points = None,
    force: options.Force = False,
    adjacency: options.Adjacency = "replace",
    reference: options.Reference = None,
    honest: options.Honest = None,
    take_part: options.TakePart = None,
    max_work: options.MaxWork = None,
    tolerance: options.Tolerance = None,
    json: options.Json = False,
) -> int:
    """delta as a function of eps, over all neighbouring datasets and both directions, certified at each eps of a grid.

    With --trade-off what a test of neighbours can do, with --renyi Renyi and zero-concentrated privacy.
    """
    who = options.presence(adjacency, reference, honest, take_part)
    asked: dict[str, Any] = {"tests": tests, "alpha": alpha, "renyi": renyi, "paper": paper, "promise": promise}
    asked |= {"table": table, "plot": plot, "output": output, "force": force, "param": param or ()}
    asked["effort"] = options.effort(max_work, tolerance)
    found = profiled(system, options.users(n, view), eps, view, who, **asked)
    words.show(found.tree, lambda _: found.words([f for f in (table, plot) if f], paper), json)
    certificates.say(found.certified, json)
    return options.ended(found.stopped)


def profiled(
    system: Any,
    users: int,
    eps: str,
    view: str,
    who: Presence,
    *,
    param: Sequence[str],
    tests: bool,
    alpha: str | None,
    renyi: str | None,
    paper: bool,
    promise: str | None,
    table: Path | None,
    plot: Path | None,
    output: Path | None,
    force: bool,
    effort: Effort,
) -> answers.Profile:
    """The answer of `profile`, written where asked for; from Python `system` may be pairs (name, object).

    Raises BadInput.
    """
    if tests and renyi is not None:
        raise BadInput("--trade-off, --renyi: expected one of them at a time")
    if alpha is not None and not tests:
        raise BadInput("--alpha: there is no --trade-off: expected both")
    if output is not None and (tests or renyi is not None):
        raise BadInput("-o: with --trade-off or --renyi: expected neither; a certificate is about delta at an eps")
    grid, alphas, orders = eps_grid(eps, "--eps"), "0:1:41" if alpha is None else alpha, "2" if renyi is None else renyi
    number_grid(alphas, "--alpha")
    number_grid(orders, "--renyi")
    options.check_files(table, plot, output, force)
    aim = _target(paper, promise, users)
    systems = load_each(system, param, aim) if isinstance(system, str) else system
    names = system if isinstance(system, str) else ",".join(name for name, _ in systems)
    about = options.about(names, [made for _, made in systems], users)
    asked: dict[str, Any] = {"alpha": alphas, "orders": orders, "effort": effort}
    asked |= {"kind": "trade_off" if tests else "curves" if renyi is None else "renyi"}
    asked |= {"head": {name: value for name, value in about.items() if name not in ("parameters", "given")}}
    asked |= {"given": {name: options.values(made) for name, made in systems}}
    present = [(name, populated(made, who)) for name, made in systems]
    found = answers.profile(present, users, grid, view, **asked)
    if output is not None:
        points = [
            (f"{name} at eps = {at['eps']}", made, [(Eps.of(at["eps"]), delta) for delta in above])
            for (name, made), curve in zip(present, found.curves, strict=True)
            for at in curve["points"]
            for above in [certificates.above(Fraction(at["upper"]))]
        ]
        found = replace(found, certified=tuple(certificates.write_points(output, points, users, view, effort=effort)))
    if table is not None:
        atomic_files.write_whole(table, found.csv())
    if plot is not None:
        plots.save(found.plot(), plot, force)
    return found


def _target(paper: bool, promise: str | None, users: int) -> Target | None:
    if paper != (promise is not None):
        raise BadInput("--paper, --for EPS:DELTA: expected both, or neither")
    if promise is None:
        return None
    eps, colon, delta = promise.partition(":")
    if not colon:
        raise BadInput(f"--for: {shorten(promise)!r}: expected EPS:DELTA such as 1:1e-6")
    return Target(users, Eps.of(eps, "--for, eps"), probability(delta, "--for, delta"))
