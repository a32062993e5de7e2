"""Decide: systems, delta, epsilon, accuracy, certify, check, claims."""

import json as trees
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from shufflecert.verify import progress
from shufflecert.verify.answers import decided as answers
from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import messages_tree, scope_tree
from shufflecert.verify.answers.listed import Claims, Systems
from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Question
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.certificates import kernel
from shufflecert.verify.commands.certificates import report as write_report
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Reference, closing
from shufflecert.verify.decide.certify import (
    larger_accepted,
    least_delta,
    least_eps,
    local_epsilon,
    nearest,
    to_decide,
)
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS, MAX_EPS, Eps, Tree, delta_value, ends, eps_value
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.rational import DIGITS, MOST_USERS, natural, plain, probability, rational, text
from shufflecert.verify.reduce.reduction import given_away
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import accuracy_of
from shufflecert.verify.systems.population import flags_of

Checker = Callable[[bytes], tuple[str, str]]
Ended = TypeVar("Ended", answers.Delta, answers.Epsilon)
BOTH_MISSING = "--eps or --delta: missing: give one of them, and the smallest provable value of the other is found"
LARGE = MAX_EPS, 1000, 100, 10  # of each it is tried to show that it is not enough, where no finite eps is


def systems(name: str | None = None) -> Systems:
    """List the systems by task, or one in full: parameters, views, source, how far answers go.

    Raises BadInput for an unknown name.

        >>> [row["name"] for row in systems("krr")]
        ['krr']
    """
    rows: list[Tree] = catalogue.describe()
    if name is not None:
        catalogue.system_class(name)  # refuses a wrong name
        rows = [row for row in rows if row["name"] == catalogue.resolved(name)[0]]
    return Systems(rows)


@given.arguments_named
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
) -> answers.Delta:
    """delta(eps), the largest over all neighbouring datasets and both directions: exact, or enclosed.

    `system` is a name with its `parameters`, a file, "my.py:Mine", or an object; n users, eps in nats. `lower` and
    `upper` of the answer enclose delta, `delta` is exact where it is known so. `others` fixes the other users' inputs;
    `paper` takes the parameters that the system's paper prescribes for (n, eps, delta); `output` gets certificates of
    both ends. Raises BadInput; TooMuchWork beyond `max_work`; Undecided.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> delta(rr, n=2, eps="log(3/2)").upper
        Fraction(9, 32)
        >>> delta("krr", n=2, eps="log(3/2)", k=2, gamma="1/2").delta == delta(rr, n=2, eps="log(3/2)").delta
        True
    """
    eps = given.needed(eps, "eps", "1")
    place = _new(output, force, others)
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta, others)
    with closing("delta") as tick:
        asked, at = bound_of(of.question, given.effort(max_work, tolerance, tick)), Eps.of(eps)
        found = asked.delta(at)
        value = {"eps": str(found.eps), "delta": delta_value(found.delta), "scope": scope_tree(found.scope)}
        tree = of.head | value | _beside(of.question, found.scope, at)
    return _ended(answers.Delta(tree, found, system=of.question.protocol), of, asked, place)


@given.arguments_named
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
) -> answers.Epsilon:
    """The smallest eps for this delta, over all neighbouring datasets and both directions: exact, or enclosed.

    That is, the smallest with delta(eps) <= delta. `lower` and `upper` enclose it, inf where no finite eps is enough;
    `eps` is exact where it is known so. Arguments and errors as of `delta`.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> epsilon(rr, delta=0, view="local").eps
        log(3)
        >>> epsilon("any_ldp", n=10_000, delta="1e-6", eps0=1).upper_float() < 0.05
        True
    """
    place = _new(output, force, others)
    bound = probability(given.needed(delta, "delta", '"1e-6"'), "delta")
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta, others)
    with closing("eps", lambda: _local(of.question.protocol)) as tick:
        asked = bound_of(of.question, given.effort(max_work, tolerance, tick))
        found = asked.epsilon(bound)
        value = {"delta": text(bound), "epsilon": eps_value(found.eps, found.interval)}
        value |= {"scope": scope_tree(found.scope)}
        tree = of.head | value | _beside(of.question, found.scope, None)
    return _ended(answers.Epsilon(tree, found, system=of.question.protocol), of, asked, place)


def _new(output: File | None, force: bool, others: Any) -> Path | None:
    """Where certificates go. Raises BadInput where the file exists, or with others, which no certificate can state."""
    (place,) = given.new_files(force, output)
    if place is not None and others is not None:
        raise BadInput("-o: with --others: expected one of them; a certificate is about all datasets")
    return place


def _ended(found: Ended, of: given.Named, asked: Bound, place: Path | None) -> Ended:
    """The answer, with certificates of both bounds where a file is asked for."""
    found = replace(found, more=of.more, stopped=found.scope.stopped)
    return found if place is None else certificates.write_ends(found, place, asked, ends_of(found))


def _local(asked: Any) -> Fraction | None:
    """An upper bound on every eps of a system: that of one user's messages, in order; None where it is not finite."""
    value = local_epsilon(asked)
    return None if value is None else Fraction(value.enclosure(DIGITS)[1])


def ends_of(found: answers.Delta | answers.Epsilon) -> list[certificates.End]:
    """What is certified of an answer: each end, or if it has no certificate one that is relatively a little wider.

    Of an infinite eps: that some that are large are not enough.
    """
    low, high = found.lower, found.upper
    above: certificates.Tried = "no finite eps is shown to satisfy this delta"
    below: certificates.Tried = "it is 0"
    if isinstance(found, answers.Delta):
        at = Eps.of(found.tree["eps"])
        above = [(at, delta) for delta in certificates.above(Fraction(high))]
        if low:
            below = [(at, Fraction(low) * (1 - slack)) for slack in certificates.GIVES]
        return [("PROVED", above), ("REFUTED", below)]
    bound = Fraction(found.tree["delta"])
    if isinstance(high, Fraction):
        above = certificates.enough(high, bound)
    if not isinstance(low, Fraction):
        above = "no finite eps satisfies this delta"
        below = [(Eps.of(large), bound) for large in LARGE]
    elif low:
        below = [(Eps.of(min(low * (1 - slack), Fraction(MAX_EPS))), bound) for slack in certificates.GIVES]
    return [("PROVED", above), ("REFUTED", below)]


@given.arguments_named
def accuracy(
    system: Asked,
    n: Exact | None = None,
    alpha: Exact | None = None,
    *,
    paper: bool = False,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    **parameters: Exact,
) -> answers.Accuracy:
    """The analyzer's error, exactly, and what a user sends: RMSE, failure probability, expected messages.

    The failure probability is Pr[|error| > alpha]. Raises BadInput.

        >>> accuracy("discrete_laplace", n=10, q="1/2").upper
        Fraction(2, 1)
    """
    of = given.question(system, parameters, n, paper=paper, eps=eps, delta=delta)
    radius = None if alpha is None else rational(alpha, "alpha")
    if radius is not None and radius < 0:
        raise BadInput(f"alpha: {alpha}: expected a rational of at least 0")
    with progress.busy(f"the error of {of.name}"):
        found = accuracy_of(of.made, of.name, natural(of.question.n, "n", most=MOST_USERS), radius)
    tree = of.head | {"error_of": found.error_of, "alpha": None if radius is None else text(radius)}
    tree |= {name: ends(getattr(found, name)) for name in ("rmse", "failure_probability", "expected_messages")}
    tree |= {"bits_per_message": found.bits_per_message, "datasets": found.datasets}
    return answers.Accuracy(tree, found, more=of.more)


@given.arguments_named
def certify(
    system: Asked,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    view: str = "shuffled",
    *,
    output: File | None = None,
    report: File | None = None,
    force: bool = False,
    paper: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    max_bits: int = MAX_BITS,
    **parameters: Exact,
) -> answers.Certificate:
    """Decide whether the system satisfies (eps, delta), and write a certificate that `check` re-checks.

    Where eps or delta is left out, the least one that a certificate shows is taken, rounded up to three digits.
    `verdict` is PROVED, REFUTED or UNDECIDED, this also where the kernel does not accept the certificate; which is
    `certificate_text()`, and goes to the file `output`. `report` gets a page about it, in HTML. Other arguments as of
    `delta`. Raises BadInput where both are left out, or no finite eps satisfies delta.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> certify(rr, n=2, eps="log(3/2)", delta="9/32").verdict
        'PROVED'
        >>> certify("krr", n=2, eps="log(3/2)", delta="1/4", k=2, gamma="1/2").verdict
        'REFUTED'
    """
    place, page = given.new_files(force, output, report)
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta)
    if eps is None and delta is None:
        raise BadInput(BOTH_MISSING)
    note = ""
    if isinstance(system, str | Path):
        values = catalogue.as_given(of.made) or catalogue.values(of.made)
        told = (f"-p {name}={value}" for name, value in values.items())
        note = " ".join([of.name, *told, f"--n {of.question.n}", *flags_of(who)])
    with closing("delta") as tick:
        effort = replace(given.effort(max_work, tolerance, tick), bits=max_bits)
        asked = to_decide(of.question, effort)
        at, bound, chosen = _least(asked, eps, delta)

        def ask(at: Eps, bound: Fraction) -> answers.Certified:
            return replace(asked.decided(at, bound), note=note)

        result, looked = ask(at, bound), list[Fraction]()
        written = certificates.write(result, place)
        if chosen and place is not None and (why := _unshown(result, written, chosen["chosen"])):

            def accepted(at: Eps, bound: Fraction) -> tuple[answers.Certified, certificates.Written] | None:
                if chosen["chosen"] == "delta":
                    looked.append(bound)
                return certificates.first_accepted("PROVED", [(at, bound)], ask, place)

            other = larger_accepted(asked, chosen["chosen"], at, bound, accepted, result.certificate is not None)
            if other is not None:
                (result, written), chosen = other, chosen | {"reason": why}
        result = written.made or result
        tree = of.head | answers.certified_tree(result, None) | chosen
        if result.verdict == "UNDECIDED" and (near := nearest(result)) is not None:
            tree["nearest"] = answers.nearest_tree(result.claim.eps, near)
        worst = result.worst
        tree |= _beside(of.question, worst.scope, result.claim.eps) if worst else {"local_epsilon": None}
        found = answers.Certificate(tree, result, system=of.question.protocol)
        if written.refusal is not None and place is None and certificates.too_much(written.refusal):
            found = found.unwritten(written.refusal)
        elif written.refusal is not None:
            found = found.unaccepted(written.refusal, certificates.nearest_accepted(result, ask, looked))
        found.tree["certificate"] = written.place
    if page is not None:
        about = found if written.place is None else written.place
        write_report(about, page, force)
    stopped = found.verdict == "UNDECIDED" and found.worst is not None and found.worst.scope.stopped
    return replace(found, more=of.more, stopped=stopped)


def _least(asked: Bound, eps: EpsValue | None, delta: Exact | None) -> tuple[Eps, Fraction, Tree]:
    """eps and delta; where one is left out the least that is proved as certificates state it, rounded up, and which
    one that is.

    Raises BadInput where no finite eps keeps delta.
    """
    question = asked.question
    if eps is None:
        bound, shuffled = probability(delta, "delta"), question.view == "shuffled"
        found = asked.stated.epsilon(bound)
        why = given_away(question.protocol, question.n) if shuffled else None
        return least_eps(found, bound, why), bound, {"chosen": "eps"}
    at = Eps.of(eps)
    if delta is None:
        return at, least_delta(asked.stated.delta(at)), {"chosen": "delta"}
    return at, probability(delta, "delta"), {}


def _unshown(result: answers.Certified, written: certificates.Written, name: str) -> str:
    """Why no certificate shows the eps or delta that was found to be the least; empty where one does."""
    least = plain(str(result.claim.eps) if name == "eps" else result.claim.delta)
    if result.verdict == "UNDECIDED":
        return f"{least}: {result.reason}"
    refused = written.refusal is not None and certificates.too_much(written.refusal)
    return f"{least}: {result.verdict}, but {written.refusal}" if refused else ""


def _beside(question: Question, scope: Scope, eps: Eps | None) -> Tree:
    """Beside an answer: the local eps, unless the answer is one itself, and what the number of messages reveals."""
    local = None
    if scope.view != "local" and scope.presence.adjacency == "replace" and scope.presence.take_part == 1:
        local = local_epsilon(question.protocol)
    more = messages_tree(question.protocol, question.n, question.view, eps)
    return {"local_epsilon": None if local is None else eps_value(local)} | more


def check(
    *files: File | bytes | answers.Certificate,
    max_bits: int | None = None,
    max_work: int | None = None,
    verified: bool = False,
    by: str | None = None,
) -> answers.Checked:
    """Re-check certificates: by the checker that is made from its proof, and by verify/kernel.py.

    Files, the bytes of one, or what `certify` answered; `status` is accepted, rejected, undecided or malformed, the
    gravest of all. `by`: verified (the checker made from its proof), kernel (verify/kernel.py) or both, which is the
    default; the kernel alone with its limits `max_bits` and `max_work`. `verified`: the binary that `make coq` builds.
    Raises BadInput.

        >>> promise = certify("krr", n=2, eps="log(3/2)", delta="9/32", k=2, gamma="1/2")
        >>> check(promise).status, check(b"{}").status
        ('accepted', 'malformed')
    """
    if not files:
        raise BadInput("check: no certificate: expected a file, the bytes of one, or the answer of certify")
    recheck, rows = _checker(max_bits, max_work, verified, by), []
    with progress.busy(f"checking {words.counted(len(files), 'file')}"):
        for number, file in enumerate(files, 1):
            data = _bytes(file) if not isinstance(file, str | Path) else kernel.read_file(file)
            status, reason = data if isinstance(data, kernel.Verdict) else recheck(data)
            stated = _stated(data) if status == "accepted" else {"verdict": None, "claim": None}
            name = str(file) if isinstance(file, str | Path) else f"certificate {number}"
            rows.append({"certificate": name, "status": status, "reason": reason, **stated})
    return answers.Checked(rows)


def _checker(max_bits: int | None, max_work: int | None, verified: bool, by: str | None) -> Checker:
    """What takes a file's bytes to (status, reason). Raises BadInput for options that do not go together.

    `by`: verified, kernel or both; None for both, and for the kernel where its limits, or the binary, are asked for.
    """
    limits: dict[str, Any] = {k: v for k, v in (("max_bits", max_bits), ("max_work", max_work)) if v is not None}
    if verified and limits:
        raise BadInput("--verified: expected neither --max-bits nor --max-work, which are limits of the other kernel")
    if by is None:
        by = "kernel" if limits or verified else "both"
    if by not in ("kernel", "verified", "both") or (verified and by != "kernel"):
        raise BadInput(f"--by {by}: expected kernel, verified or both, and no --verified, which is a binary")
    if by == "verified" and limits:
        raise BadInput("--by verified: expected neither --max-bits nor --max-work, limits of the other kernel")
    alone: Checker = partial(kernel.check, **limits)
    if verified:
        return partial(certificates.by_binary, certificates.binary())
    both = partial(certificates.by_both, alone)
    named: dict[str, Checker] = {"kernel": alone, "verified": certificates.by_python, "both": both}
    return named[by]


def _bytes(answer: Any) -> bytes:
    """The certificate of what `check` was given in the place of a file's name."""
    if isinstance(answer, bytes):
        return answer
    if not isinstance(answer, answers.Certificate):
        raise BadInput(f"check: got {type(answer).__name__}: expected a file, bytes, or the answer of certify")
    if answer.found.certificate is None:
        raise BadInput(f"check: {answer.verdict}, without a certificate: {answer.reason}")
    return str(answer.found.certificate_text()).encode()


def _stated(data: bytes) -> dict[str, Any]:
    """What an accepted certificate states, in fields; of a file of several, the first."""
    tree = trees.loads(data)
    first = tree[0] if isinstance(tree, list) else tree
    said, around = first["claim"], first["claim"]["neighbours"]
    seen = said["runs"][0]["seen"]
    adjacency = around if isinstance(around, str) else next(iter(around))
    claim = {"eps": said["eps"], "delta": said["delta"], "adjacency": adjacency, "datasets": "all"}
    return {"verdict": first["verdict"], "claim": {**claim, "view": seen.get("view"), "n": seen["users"]}}


def claims(names: str | Iterable[str] | None = None) -> Claims:
    """Settle papers' statements: what was checked, over what range, the verdict and the evidence.

    `names` are those of statements, or globs such as "BC-*"; all unless given. Raises BadInput for an unknown one.

        >>> claims("BC-claim-19")[0]["verdict"]
        'proved'
    """
    proofs = import_module("shufflecert.proofs.ledger")
    chosen = proofs.select([names] if isinstance(names, str) else list(names or ["*"]))
    return Claims([proofs.to_json(proofs.settle(statement)) for statement in progress.named(chosen, len(chosen))])
