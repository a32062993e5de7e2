"""Decide: systems, delta, epsilon, accuracy, certify, check, claims."""

import json as trees
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from shufflecert.verify import progress
from shufflecert.verify.answers import decided as answers
from shufflecert.verify.answers.listed import Claims, Systems
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.commands import certificates, options
from shufflecert.verify.decide.certify import certify as decide
from shufflecert.verify.decide.least_promise import local_epsilon
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.exact.rational import DIGITS, probability
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import derived, load
from shufflecert.verify.systems.population import flags_of, populated


def systems(
    name: Annotated[str | None, Argument(metavar="[NAME]", help="One system, in full.", show_default=False)] = None,
    json: options.Json = False,
) -> int:
    """List the systems by task, or one in full: parameters, views, source, how far answers go."""
    return options.shown(Systems(listed(name)), json)


def listed(name: str | None) -> list[Tree]:
    """What is known of all systems, or of one. Raises BadInput for an unknown name."""
    catalogue = import_module("shufflecert.verify.systems.catalogue")
    rows: list[Tree] = catalogue.describe()
    if name is None:
        return rows
    catalogue.system_class(name)  # refuses a wrong name
    return [row for row in rows if row["name"] == catalogue.resolved(name)[0]]


def delta(
    system: options.System,
    eps: options.EpsOption,
    param: options.Parameters = None,
    n: options.Users = None,
    view: options.ViewOption = "shuffled",
    others: options.Others = None,
    paper: options.Paper = False,
    delta: options.PaperDelta = None,
    adjacency: options.Adjacency = "replace",
    reference: options.Reference = None,
    honest: options.Honest = None,
    take_part: options.TakePart = None,
    max_work: options.MaxWork = None,
    tolerance: options.Tolerance = None,
    output: options.Both = None,
    force: options.Force = False,
    json: options.Json = False,
) -> int:
    """delta(eps), the largest over all neighbouring datasets and both directions: exact, or enclosed."""
    _new(output, force, others)
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    held, asked = options.others(others), populated(made, options.presence(adjacency, reference, honest, take_part))
    head = options.about(system, made, users, param)
    with options.closing("delta") as tick:
        effort = options.effort(max_work, tolerance, tick)
        found = answers.delta(Question.of(asked, users, view, held), eps, effort, head)
    status = options.shown(found, json, derived(system, param or (), paper))
    if output is not None:
        certificates.say(
            certificates.write_ends(output, asked, users, view, ends_of(found), effort=effort.silent), json
        )
    return options.ended(found.scope.stopped, status)


def epsilon(
    system: options.System,
    delta: options.DeltaOption,
    param: options.Parameters = None,
    n: options.Users = None,
    view: options.ViewOption = "shuffled",
    others: options.Others = None,
    paper: options.Paper = False,
    eps: options.PaperEps = None,
    adjacency: options.Adjacency = "replace",
    reference: options.Reference = None,
    honest: options.Honest = None,
    take_part: options.TakePart = None,
    max_work: options.MaxWork = None,
    tolerance: options.Tolerance = None,
    output: options.Both = None,
    force: options.Force = False,
    json: options.Json = False,
) -> int:
    """The smallest eps for this delta, over all neighbouring datasets and both directions: exact, or enclosed."""
    _new(output, force, others)
    bound, users = probability(delta, "delta"), options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    held, asked = options.others(others), populated(made, options.presence(adjacency, reference, honest, take_part))
    head = options.about(system, made, users, param)
    with options.closing("eps", lambda: _local(asked)) as tick:
        effort = options.effort(max_work, tolerance, tick)
        found = answers.epsilon(Question.of(asked, users, view, held), bound, effort, head)
    status = options.shown(found, json, derived(system, param or (), paper))
    if output is not None:
        certificates.say(
            certificates.write_ends(output, asked, users, view, ends_of(found), effort=effort.silent), json
        )
    return options.ended(found.scope.stopped, status)


def _local(asked: Any) -> Fraction | None:
    """An upper bound on every eps of a system: that of one user's messages, in order; None where it is not finite."""
    value = local_epsilon(asked)
    return None if value is None else Fraction(value.enclosure(DIGITS)[1])


def ends_of(found: answers.Delta | answers.Epsilon) -> list[certificates.End]:
    """What is certified of an answer: each end, or if it has no certificate one that is relatively a little wider."""
    low, high = found.lower, found.upper
    if isinstance(found, answers.Delta):
        at = Eps.of(found.tree["eps"])
        above = [(at, delta) for delta in certificates.above(Fraction(high))]
        below = [(at, Fraction(low) * (1 - slack)) for slack in certificates.CLOSE[1:] if low]
    else:
        bound = Fraction(found.tree["delta"])
        above = [(Eps.of(high * (1 + slack)), bound) for slack in certificates.CLOSE if isinstance(high, Fraction)]
        below = [
            (Eps.of(low * (1 - slack)), bound) for slack in certificates.CLOSE[1:] if low and isinstance(low, Fraction)
        ]
    return [("PROVED", above), ("REFUTED", below)]


def _new(output: Path | None, force: bool, others: str | None) -> None:
    """Check -o. Raises BadInput where the file exists already, or with --others, which no certificate can state."""
    if output is not None:
        atomic_files.check_new(output, force)
        if others is not None:
            raise BadInput("-o: with --others: expected one of them; a certificate is about all datasets")


def accuracy(
    system: options.System,
    param: options.Parameters = None,
    n: options.Users = None,
    alpha: Annotated[
        str | None, Option("--alpha", metavar="A", help="Also Pr[|error| > A], in the estimate's unit.")
    ] = None,
    paper: options.Paper = False,
    eps: options.PaperEps = None,
    delta: options.PaperDelta = None,
    json: options.Json = False,
) -> int:
    """The analyzer's error, exactly, and what a user sends: RMSE, failure probability, expected messages."""
    users = options.users(n, "shuffled")
    made = load(system, param or (), options.target(paper, users, eps, delta))
    head = options.about(system, made, users, param)
    with progress.busy(f"the error of {system}"):
        answer = answers.accuracy(made, users, alpha, head=head, name=system)
    return options.shown(answer, json, derived(system, param or (), paper))


def certify(
    system: options.System,
    eps: options.LeastEps = None,
    delta: options.LeastDelta = None,
    param: options.Parameters = None,
    n: options.Users = None,
    view: options.ViewOption = "shuffled",
    output: Annotated[Path | None, Option("-o", "--output", help="Write the certificate here.")] = None,
    report: Annotated[Path | None, Option("--report", metavar="FILE", help="Write one HTML page about it.")] = None,
    force: options.Force = False,
    paper: options.Paper = False,
    adjacency: options.Adjacency = "replace",
    reference: options.Reference = None,
    honest: options.Honest = None,
    take_part: options.TakePart = None,
    max_work: options.MaxWork = None,
    tolerance: options.Tolerance = None,
    max_bits: Annotated[int, Option(min=1, help="Precision at which a comparison is undecided.")] = MAX_BITS,
    json: options.Json = False,
) -> int:
    """Decide whether the system satisfies (eps, delta), and write a certificate that `check` re-checks.

    Without --eps, or without --delta, the least one that is proved is certified, rounded up to three digits.
    """
    for place in filter(None, (output, report)):
        atomic_files.check_new(place, force)
    users = options.users(n, view)
    made = load(system, param or (), options.target(paper, users, eps, delta))
    who = options.presence(adjacency, reference, honest, take_part)
    asked, note = populated(made, who), noted(system, made, users, who)
    head = options.about(system, made, users, param)
    with options.closing("delta") as tick:
        question, effort = Question.of(asked, users, view), options.effort(max_work, tolerance, tick)
        found = certified(question, eps, delta, effort, output, head=head, note=note, max_bits=max_bits)
    if report is not None:
        report_on(found, output, report, force)
    stopped = found.verdict == "UNDECIDED" and found.worst is not None and found.worst.scope.stopped
    return options.ended(
        stopped, options.shown(found, json, derived(system, param or (), paper)) or options.STATUS[found.verdict]
    )


def noted(system: str, made: Any, users: int, who: Presence) -> str:
    """What a certificate notes of the question: the command's words."""
    values = options.as_given(made) or options.values(made)
    told = (f"-p {name}={value}" for name, value in values.items())
    return " ".join([system, *told, f"--n {users}", *flags_of(who)])


def report_on(found: answers.Certificate, certificate: Path | None, page: Path, force: bool) -> None:
    """Write a page about a promise: about its certificate, where there is one."""
    written = certificate if found.tree["certificate"] is not None else None
    import_module("shufflecert.verify.commands.report").reported(written or found, page, force)


def certified(
    question: Question,
    eps: object,
    delta: object,
    effort: Effort,
    output: Path | None,
    *,
    head: Tree | None,
    note: str,
    max_bits: int,
    handed_on: bool = False,
) -> answers.Certificate:
    """The answer about a promise, with its certificate written; UNDECIDED where the kernel does not accept that.

    Where no file is asked for, and the answer with its certificate is not `handed_on`, what is proved is proved: that
    its certificate would not be accepted is a line.
    """
    found = answers.certify(question, eps, delta, effort, head=head, note=note, max_bits=max_bits)
    written = certificates.write(found.found, output)
    if written.refusal is not None and output is None and not handed_on:
        found.tree["reason"] = written.refusal
    elif written.refusal is not None:
        asked = question.protocol, question.n, found.found.claim.eps
        ask = partial(decide, *asked, view=question.view, note=note, max_bits=max_bits, effort=effort)
        found = found.unaccepted(
            written.refusal, certificates.nearest_accepted(found.found, lambda delta: ask(delta=delta))
        )
    found.tree["certificate"] = written.place
    return found


def check(
    files: Annotated[list[Path], Argument(metavar="CERT...", help="Certificate files.", show_default=False)],
    max_bits: Annotated[int | None, Option(min=1, help="Precision at which the kernel gives up.")] = None,
    max_work: Annotated[int | None, Option(min=1, help="Work at which the kernel gives up.")] = None,
    verified: Annotated[
        bool, Option("--verified", help="With the kernel that a theorem is proved of (`make coq` builds it).")
    ] = False,
    by: Annotated[
        str | None,
        Option(
            metavar="WHO",
            help="verified (made from its proof, in Python), kernel (verify/kernel.py), or both of them (the default).",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Re-check certificates: by the checker that is made from its proof, and by verify/kernel.py."""
    with progress.busy(f"checking {files[0] if len(files) == 1 else f'{len(files)} files'}"):
        rows = checked(files, max_bits, max_work, verified, by)
    options.shown(answers.Checked(rows), json)
    return gravest(rows)[1]


def gravest(rows: Sequence[Tree]) -> tuple[str, int]:
    """The gravest status of what `check` found, and the exit status that goes with it."""
    statuses = {row["status"] for row in rows}
    return next((status, code) for status, code in options.CHECKED.items() if status in statuses)


def checked(
    files: Sequence[Path], max_bits: int | None, max_work: int | None, verified: bool, by: str | None
) -> list[dict[str, Any]]:
    """What is found of each certificate file. Raises BadInput for options that do not go together.

    `by`: verified, kernel or both; None for both, and for the kernel where its limits, or the binary, are asked for.
    """
    limits: dict[str, Any] = {k: v for k, v in (("max_bits", max_bits), ("max_work", max_work)) if v is not None}
    kernel = import_module("shufflecert.verify.kernel")
    if verified and limits:
        raise BadInput("--verified: expected neither --max-bits nor --max-work, which are limits of the other kernel")
    if by is None:
        by = "kernel" if limits or verified else "both"
    if by not in ("kernel", "verified", "both") or (verified and by != "kernel"):
        raise BadInput(f"--by {by}: expected kernel, verified or both, and no --verified, which is a binary")
    if by == "verified" and limits:
        raise BadInput("--by verified: expected neither --max-bits nor --max-work, limits of the other kernel")
    made = import_module("shufflecert.verify.commands.verified")
    recheck: Any = partial(kernel.check, **limits)
    if verified:
        recheck = partial(made.by_binary, made.binary())
    elif by != "kernel":
        recheck = made.by_python if by == "verified" else partial(made.by_both, recheck)
    rows = []
    for path in files:
        data = kernel.read_file(path)
        status, reason = data if isinstance(data, kernel.Verdict) else recheck(data)
        stated = _stated(data) if status == "accepted" else {"verdict": None, "claim": None}
        rows.append({"certificate": str(path), "status": status, "reason": reason, **stated})
    return rows


def _stated(data: bytes) -> dict[str, Any]:
    """What an accepted certificate states, in fields; of a file of several, the first."""
    tree = trees.loads(data)
    first = tree[0] if isinstance(tree, list) else tree
    said, around = first["claim"], first["claim"]["neighbours"]
    seen = said["runs"][0]["seen"]
    adjacency = around if isinstance(around, str) else next(iter(around))
    claim = {"eps": said["eps"], "delta": said["delta"], "adjacency": adjacency, "datasets": "all"}
    return {"verdict": first["verdict"], "claim": {**claim, "view": seen.get("view"), "n": seen["users"]}}


def claims(
    names: Annotated[
        list[str] | None, Argument(metavar="[ID...]", help="Statements by name; globs such as 'BC-*'.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Settle papers' statements: what was checked, over what range, the verdict and the evidence."""
    return options.shown(Claims(settled(names or ["*"])), json)


def settled(names: Sequence[str]) -> list[Tree]:
    """Statements of these names, or that match these globs, each settled now. Raises BadInput for an unknown one."""
    proofs = import_module("shufflecert.proofs.ledger")
    chosen = proofs.select(names)
    return [proofs.to_json(proofs.settle(statement)) for statement in progress.named(chosen, len(chosen))]
