"""Decide: systems, delta, epsilon, accuracy, certify, check, claims."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from verify.commands import options
from verify.commands.options import (
    OK,
    Adjacency,
    DeltaOption,
    EpsOption,
    Force,
    Honest,
    Json,
    MaxWork,
    Others,
    Paper,
    PaperDelta,
    PaperEps,
    Parameters,
    Reference,
    System,
    TakePart,
    Tolerance,
    Users,
    ViewOption,
)
from verify.decide import answer_json
from verify.decide.certify import Certified
from verify.decide.certify import certify as decide
from verify.decide.worst_case import delta as worst_delta
from verify.decide.worst_case import epsilon as worst_epsilon
from verify.errors import BadInput
from verify.exact.epsilon import MAX_BITS
from verify.exact.rational import probability, rational
from verify.report import words
from verify.runs import atomic_files
from verify.systems.load import load
from verify.systems.population import populated

STATUS = {"PROVED": OK, "REFUTED": options.REFUTED, "UNDECIDED": options.UNDECIDED}
CHECKED = {
    "malformed": options.BAD_INPUT,
    "rejected": options.REFUTED,
    "undecided": options.UNDECIDED,
    "accepted": OK,
}  # the gravest first


def systems(json: Json = False) -> int:
    """List the systems: parameters, views, source."""
    rows = import_module("verify.systems.catalogue").describe()
    words.show(rows, words.systems_table, json)
    return OK


def delta(
    system: System,
    eps: EpsOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    others: Others = None,
    paper: Paper = False,
    delta: PaperDelta = None,
    adjacency: Adjacency = "replace",
    reference: Reference = None,
    honest: Honest = None,
    take_part: TakePart = None,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """delta(eps), the largest over all neighbouring datasets and both directions: exact, or enclosed."""
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    limits: dict[str, Any] = {"max_work": options.work(max_work), "tolerance": options.tolerance(tolerance)}
    held, asked = options.others(others), populated(made, options.presence(adjacency, reference, honest, take_part))
    with options.closing("delta") as tick:
        found = worst_delta(asked, users, eps, view, others=held, progress=options.track, tick=tick, **limits)
    answer = options.about(system, made, users, param) | answer_json.delta_json(found)
    answer |= answer_json.messages_json(asked, users, view, found.eps)
    words.show(answer, words.delta_text, json, paper)
    return options.ended(found.scope.stopped)


def epsilon(
    system: System,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    others: Others = None,
    paper: Paper = False,
    eps: PaperEps = None,
    adjacency: Adjacency = "replace",
    reference: Reference = None,
    honest: Honest = None,
    take_part: TakePart = None,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """The smallest eps for this delta, over all neighbouring datasets and both directions: exact, or enclosed."""
    bound, users = probability(delta, "delta"), options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    limits: dict[str, Any] = {"max_work": options.work(max_work), "tolerance": options.tolerance(tolerance)}
    held, asked = options.others(others), populated(made, options.presence(adjacency, reference, honest, take_part))
    with options.closing("eps") as tick:
        found = worst_epsilon(asked, users, bound, view, others=held, progress=options.track, tick=tick, **limits)
    answer = options.about(system, made, users, param) | answer_json.epsilon_json(found, bound)
    answer |= answer_json.messages_json(asked, users, view, None)
    words.show(answer, words.epsilon_text, json, paper)
    return options.ended(found.scope.stopped)


def accuracy(
    system: System,
    param: Parameters = None,
    n: Users = None,
    alpha: Annotated[
        str | None, typer.Option("--alpha", metavar="A", help="Also Pr[|error| > A], in the estimate's unit.")
    ] = None,
    paper: Paper = False,
    eps: PaperEps = None,
    delta: PaperDelta = None,
    json: Json = False,
) -> int:
    """The analyzer's error, exactly, and what a user sends: RMSE, failure probability, expected messages."""
    users = options.users(n, "shuffled")
    made = load(system, param or (), options.target(paper, users, eps, delta))
    radius = None if alpha is None else rational(alpha, "alpha")
    if radius is not None and radius < 0:
        raise BadInput(f"alpha: {alpha}: expected a rational of at least 0")
    found = import_module("verify.systems.declare").accuracy_of(made, system, users, radius)
    answer = options.about(system, made, users, param) | answer_json.accuracy_json(found, radius)
    words.show(answer, words.accuracy_text, json, paper)
    return OK


def certify(
    system: System,
    eps: EpsOption,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the certificate here.")] = None,
    force: Force = False,
    paper: Paper = False,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    max_bits: Annotated[int, typer.Option(min=1, help="Precision at which a comparison is undecided.")] = MAX_BITS,
    json: Json = False,
) -> int:
    """Decide whether the system keeps (eps, delta), and write a certificate that `check` re-checks."""
    if output is not None:
        atomic_files.check_new(output, force)
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    values = options.values(made)
    note = " ".join([system, *(f"-p {name}={value}" for name, value in values.items()), f"--n {users}"])
    limits: dict[str, Any] = {"max_work": options.work(max_work), "tolerance": options.tolerance(tolerance)}
    limits |= {"max_bits": max_bits, "progress": options.track}
    with options.closing("delta") as tick:
        result = decide(made, users, eps, delta, view, note=note, tick=tick, **limits)
    written = _write(result, output)
    answer = options.about(system, made, users, param) | answer_json.certify_json(result, written)
    words.show(answer, words.certify_text, json, paper)
    stopped = result.verdict == "UNDECIDED" and result.worst is not None and result.worst.scope.stopped
    return options.ended(stopped, STATUS[result.verdict])


def check(
    certificates: Annotated[
        list[Path], typer.Argument(metavar="CERT...", help="Certificate files.", show_default=False)
    ],
    max_bits: Annotated[int | None, typer.Option(min=1, help="Precision at which the kernel gives up.")] = None,
    max_work: Annotated[int | None, typer.Option(min=1, help="Work at which the kernel gives up.")] = None,
    verified: Annotated[
        bool, typer.Option("--verified", help="With the kernel that a theorem is proved of (`make coq` builds it).")
    ] = False,
    json: Json = False,
) -> int:
    """Re-check certificates with the kernel (the same as `python3 -I -S verify/kernel.py CERT...`)."""
    limits = {k: v for k, v in (("max_bits", max_bits), ("max_work", max_work)) if v is not None}
    kernel = import_module("verify.kernel")
    if verified and limits:
        raise BadInput("--verified: expected neither --max-bits nor --max-work, which are limits of the other kernel")
    recheck = import_module("verify.commands.verified").checker() if verified else partial(kernel.check_file, **limits)
    pipe = kernel.Verdict("malformed", "file: expected one that holds its text, not a named pipe")
    found = [pipe if atomic_files.is_named_pipe(path) else recheck(path) for path in certificates]
    rows = [
        {"certificate": str(path), "status": status, "reason": reason}
        for path, (status, reason) in zip(certificates, found, strict=True)
    ]
    words.show(rows, words.check_text, json)
    statuses = {status for status, _ in found}
    return next(code for status, code in CHECKED.items() if status in statuses)


def claims(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Statements by name; globs such as 'BC-*'.")
    ] = None,
    json: Json = False,
) -> int:
    """Settle papers' statements: what was checked, over what range, the verdict and the evidence."""
    proofs = import_module("proofs.statement")
    chosen = proofs.select(names or ["*"])
    settled = [proofs.to_json(proofs.settle(statement)) for statement in options.track(chosen, len(chosen))]
    words.show(settled, words.claims_text, json)
    return OK


def _write(result: Certified, output: Path | None) -> str | None:
    if output is None or result.certificate is None:
        return None
    atomic_files.write_whole(output, result.certificate_text())
    return str(output)
