"""Decide: systems, delta, epsilon, accuracy, certify, check, claims."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from verify import answers, files
from verify.certify import Certified
from verify.certify import certify as decide
from verify.commands import options
from verify.commands.options import (
    OK,
    DeltaOption,
    EpsOption,
    Json,
    MaxWork,
    Others,
    Paper,
    PaperDelta,
    PaperEps,
    Parameters,
    System,
    Users,
    ViewOption,
)
from verify.errors import BadInput
from verify.load import load
from verify.number import MAX_BITS, probability, rational
from verify.worst import delta as worst_delta
from verify.worst import epsilon as worst_epsilon

STATUS = {"PROVED": OK, "REFUTED": options.REFUTED, "UNDECIDED": options.UNDECIDED}
CHECKED = {
    "malformed": options.BAD_INPUT,
    "rejected": options.REFUTED,
    "undecided": options.UNDECIDED,
    "accepted": OK,
}  # the gravest first


def systems(json: Json = False) -> int:
    """List the systems: parameters, views, source."""
    rows = import_module("protocols.catalogue").describe()
    answers.show(rows, answers.systems_table, json)
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
    max_work: MaxWork = None,
    json: Json = False,
) -> int:
    """delta(eps), the largest over all neighbouring datasets and both directions: exact, or enclosed."""
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    found = worst_delta(
        made, users, eps, view, others=options.others(others), max_work=options.work(max_work), progress=options.track
    )
    answers.show(answers.delta_json(found, system), answers.delta_text, json, options.values(made) if paper else None)
    return OK


def epsilon(
    system: System,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    others: Others = None,
    paper: Paper = False,
    eps: PaperEps = None,
    max_work: MaxWork = None,
    json: Json = False,
) -> int:
    """The smallest eps for this delta, over all neighbouring datasets and both directions: exact, or enclosed."""
    bound, users = probability(delta, "delta"), options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    found = worst_epsilon(
        made, users, bound, view, others=options.others(others), max_work=options.work(max_work), progress=options.track
    )
    answers.show(
        answers.epsilon_json(found, system, bound), answers.epsilon_text, json, options.values(made) if paper else None
    )
    return OK


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
    if not hasattr(made, "accuracy"):
        raise BadInput(f"{system}: has no analyzer whose error is known: see `shufflecert systems`")
    found = made.accuracy(users, radius)
    answer = answers.accuracy_json(found, system, users, radius)
    answers.show(answer, answers.accuracy_text, json, options.values(made) if paper else None)
    return OK


def certify(
    system: System,
    eps: EpsOption,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the certificate here.")] = None,
    paper: Paper = False,
    max_work: MaxWork = None,
    max_bits: Annotated[int, typer.Option(min=1, help="Precision at which a comparison is undecided.")] = MAX_BITS,
    json: Json = False,
) -> int:
    """Decide whether the system keeps (eps, delta), and write a certificate that `check` re-checks."""
    if output is not None:
        files.check_writable(output)
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    values = options.values(made)
    note = " ".join([system, *(f"-p {name}={value}" for name, value in values.items()), f"--n {users}"])
    result = decide(
        made,
        users,
        eps,
        delta,
        view,
        note=note,
        max_work=options.work(max_work),
        max_bits=max_bits,
        progress=options.track,
    )
    written = _write(result, output)
    answers.show(answers.certify_json(result, system, written), answers.certify_text, json, values if paper else None)
    return STATUS[result.verdict]


def check(
    certificates: Annotated[
        list[Path], typer.Argument(metavar="CERT...", help="Certificate files.", show_default=False)
    ],
    max_bits: Annotated[int | None, typer.Option(min=1, help="Precision at which the kernel gives up.")] = None,
    max_work: Annotated[int | None, typer.Option(min=1, help="Work at which the kernel gives up.")] = None,
    json: Json = False,
) -> int:
    """Re-check certificates with the kernel (the same as `python3 -I -S verify/kernel.py CERT...`)."""
    kernel = import_module("verify.kernel")
    limits = {k: v for k, v in (("max_bits", max_bits), ("max_work", max_work)) if v is not None}
    verdicts = [(str(path), kernel.check_file(path, **limits)) for path in certificates]
    rows = [{"certificate": path, "status": verdict.status, "reason": verdict.reason} for path, verdict in verdicts]
    answers.show(rows, answers.check_text, json)
    statuses = {verdict.status for _, verdict in verdicts}
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
    answers.show(settled, answers.claims_text, json)
    return OK


def _write(result: Certified, output: Path | None) -> str | None:
    if output is None or result.certificate is None:
        return None
    files.write_whole(output, result.certificate_text())
    return str(output)
