"""Curves: the privacy profile, the trade-off curve of f-DP, Renyi privacy; as a table, JSON, CSV, a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from shufflecert.verify.answers import plots
from shufflecert.verify.answers import profiled as answers
from shufflecert.verify.answers.answer import messages_tree, scope_tree, stated
from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Question
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Reference
from shufflecert.verify.decide.renyi import renyi_curve
from shufflecert.verify.decide.trade_off import trade_off as trade_off_curve
from shufflecert.verify.decide.worst_case import eps_grid, number_grid
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import INFINITE, Delta, Eps, Tree, ends
from shufflecert.verify.exact.rational import probability, shorten, text
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import Target, load_each
from shufflecert.verify.systems.population import populated


@given.arguments_named
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
) -> answers.Profile:
    """delta as a function of eps, over all neighbouring datasets and both directions, certified at each eps of a grid.

    One system, "several,names", {name: system} or pairs of both. A grid is "LOW:HIGH:COUNT", or values. `trade_off`:
    the type II error at the type I errors `alpha` instead (f-DP); `renyi`: Renyi divergences of these orders. `promise`
    is the "EPS:DELTA" of `paper`; `csv`, `plot` and `output` (certificates, a claim for each point) are files to write.
    Raises as `delta` does.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> profile(rr, n=2, eps="0,log(3)").curves[0]["points"]
        [{'eps': '0', 'lower': '0.375', 'upper': '0.375'}, {'eps': 'log(3)', 'lower': '0', 'upper': '0'}]
    """
    who, users = given.presence(adjacency, reference, honest, take_part), given.users(n, view)
    effort = given.effort(max_work, tolerance)
    if trade_off and renyi is not None:
        raise BadInput("--trade-off, --renyi: expected one of them at a time")
    if alpha is not None and not trade_off:
        raise BadInput("--alpha: there is no --trade-off: expected both")
    if output is not None and (trade_off or renyi is not None):
        raise BadInput("-o: with --trade-off or --renyi: expected neither; a certificate is about delta at an eps")
    grid = eps_grid(str(given.text(eps)), "--eps")
    alphas = "0:1:41" if alpha is None else str(given.text(alpha))
    orders = "2" if renyi is None else str(given.text(renyi))
    asked_alphas, asked_orders = number_grid(alphas, "--alpha"), number_grid(orders, "--renyi")
    table, picture, place = given.outputs(csv, plot, output, force)
    aim, systems = _target(paper, promise, users), given.named(system, parameters)
    if isinstance(systems, str):
        systems = load_each(systems, given.parameters(parameters), aim)
    names = system if isinstance(system, str) else ",".join(name for name, _ in systems)
    about = given.about(names, [made for _, made in systems], users)
    kind = answers.TRADE_OFF if trade_off else answers.PROFILE if renyi is None else answers.RENYI
    present, curves = [(name, populated(made, who)) for name, made in systems], list[Tree]()
    bounds, stopped = list[Bound](), False
    for name, made in present:
        bounds.append(bound := bound_of(Question.of(made, users, view), effort))
        found: Any
        if kind is answers.RENYI:
            found = renyi_curve(bound, asked_orders)
        else:
            found = trade_off_curve(bound, asked_alphas, grid) if trade_off else bound.curve(grid)
        rows = [{kind.x: text(x) if isinstance(x, Fraction) else str(x), **_ends(value)} for x, value in found.points]
        curve: Tree = {"system": name, "parameters": catalogue.values(made), **stated(made)}
        curve |= {"rho": _ends(found.rho)} if kind is answers.RENYI else {}
        curve |= messages_tree(made, found.scope.n, view, None)
        curves.append(curve | {"scope": scope_tree(found.scope), "points": rows})
        stopped = stopped or found.scope.stopped
    tree = {name: value for name, value in about.items() if name not in ("parameters", "given")} | {kind.key: curves}
    answer = answers.Profile(tree, stopped=stopped)
    if place is not None:
        points = [
            (f"{curve['system']} at eps = {at['eps']}", bound, [(Eps.of(at["eps"]), delta) for delta in above])
            for bound, curve in zip(bounds, answer.curves, strict=True)
            for at in curve["points"]
            for above in [certificates.above(Fraction(at["upper"]))]
        ]
        answer = certificates.write_points(answer, place, points)
    if table is not None:
        writing.write_whole(table, answer.csv())
    if picture is not None:
        plots.save(answer.plot(), picture, force)
    written = tuple(f"written: {file}" for file in (table, picture) if file is not None)
    return replace(answer, more=written, paper=paper)


def _target(paper: bool, promise: str | None, users: int) -> Target | None:
    if paper != (promise is not None):
        raise BadInput("--paper, --for EPS:DELTA: expected both, or neither")
    if promise is None:
        return None
    eps, colon, delta = promise.partition(":")
    if not colon:
        raise BadInput(f"--for: {shorten(promise)!r}: expected EPS:DELTA such as 1:1e-6")
    return Target(users, Eps.of(eps, "--for, eps"), probability(delta, "--for, delta"))


def _ends(value: Delta | Interval | None) -> Tree:
    return {"lower": INFINITE, "upper": INFINITE} if value is None else ends(value)
