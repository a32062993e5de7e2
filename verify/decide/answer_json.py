"""Answers as JSON: delta, eps, accuracy, verdicts and their scope, as plain trees."""

from fractions import Fraction

from shufflecert.verify.bound.bound import WorstDelta, WorstEpsilon
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.decide.least_promise import Nearest
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.randomizer import Presence, Randomizer, System
from shufflecert.verify.exact.rational import shorten, text
from shufflecert.verify.reduce.presence import number_of_messages
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import delta_value, ends, eps_value, exactly
from shufflecert.verify.systems.accuracy import Accuracy


def scope_tree(scope: Scope) -> Tree:
    """The scope of an answer as JSON."""
    worst = None
    if scope.worst:
        others = None if scope.worst.others is None else dict(scope.worst.others)
        worst = {"from": scope.worst.source or None, "to": scope.worst.target or None, "others": others}
    who = scope.presence
    return {
        "adjacency": who.adjacency,
        "view": scope.view,
        "n": scope.n,
        "datasets": scope.datasets,
        "by": scope.by,
        "pairs": scope.pairs,
        "stands_for": scope.stands_for,
        "two_sided": scope.two_sided,
        "worst": worst,
    } | presence_tree(who)


def presence_tree(who: Presence) -> Tree:
    """Neighbours and participation, as JSON: what differs from everybody's being there and honest."""
    reference = {z: text(weight) for z, weight in who.reference}
    named = {"reference": reference or None, "honest": who.honest}
    share = {} if who.take_part == 1 else {"take_part": text(who.take_part)}
    return {name: value for name, value in named.items() if value is not None} | share


def messages_json(system: Randomizer | System, n: int, view: str, eps: Eps | None) -> Tree:
    """What the number of messages alone tells of a user who comes or goes, where all send equally many; else nothing.

    As {"number_of_messages": {"each": K, "delta": {"lower", "upper"} at this eps}}; without eps the delta is not told.
    """
    told = number_of_messages(system, n) if view == "shuffled" else None
    if told is None:
        return {}
    value: Tree = {} if eps is None else {"delta": ends(told.delta(eps))}
    return {"number_of_messages": {"each": told.each} | value}


def delta_json(found: WorstDelta) -> Tree:
    """The answer of `delta` as JSON: eps, delta and its scope."""
    return {"eps": str(found.eps), "delta": delta_value(found.delta), "scope": scope_tree(found.scope)}


def epsilon_json(found: WorstEpsilon, delta: Fraction) -> Tree:
    """The answer of `epsilon` as JSON: the delta asked for, the smallest eps ("inf" for none), its scope."""
    return {"delta": text(delta), "epsilon": eps_value(found.eps, found.interval), "scope": scope_tree(found.scope)}


def nearest_json(eps: Eps, found: Nearest) -> Tree:
    """What is decided beside a claim that is not, as JSON."""
    sides = {"proved": found.proved, "refuted": found.refuted}
    promised = {side: None if d is None else {"eps": str(eps), "delta": text(d)} for side, d in sides.items()}
    return {**promised, "more": found.more}


def accuracy_json(found: Accuracy, alpha: Fraction | None) -> Tree:
    """The answer of `accuracy` as JSON."""
    return {
        "error_of": found.error_of,
        "alpha": None if alpha is None else text(alpha),
        "rmse": ends(found.rmse),
        "failure_probability": ends(found.failure_probability),
        "expected_messages": ends(found.expected_messages),
        "bits_per_message": found.bits_per_message,
        "datasets": found.datasets,
    }


def certify_json(result: Certified, written: str | None) -> Tree:
    """The answer of `certify` as JSON; `written` is the file that the certificate went to."""
    answer: Tree = {
        "verdict": result.verdict,
        "claim": {"eps": str(result.claim.eps), "delta": text(result.claim.delta)},
        "delta": delta_value(result.worst.delta) if result.worst else None,
        "scope": scope_tree(result.worst.scope) if result.worst else None,
        "certificate": written,
    }
    if written_of := private_claim(result):
        answer["states"] = written_of
    if result.verdict == "UNDECIDED":
        answer["reason"] = result.reason
    if result.certificate and result.probabilities:
        p, q = map(exactly, result.probabilities)
        because = result.certificate["because"]
        answer["refutation"] = {"pair": because["pair"], "event": because["event"]["outcomes"], "P": p, "Q": q}
    return answer


def private_claim(result: Certified) -> str | None:
    """What a certificate is about in the place of the system: any randomizer with this local promise."""
    if result.certificate is None:
        return None
    (run, *_) = result.certificate["claim"]["runs"]
    local = run["seen"]["each"].get("private")
    if local is None:
        return None
    eps0, delta0 = (shorten(str(end), 24) for end in local)
    private = f"{eps0}-private" if delta0 == "0" else f"({eps0}, {delta0})-private"
    if result.verdict == "PROVED":
        return f"any {private} randomizer (any_ldp), of which this is one"
    return f"not every {private} randomizer (any_ldp) satisfies it: shown by what these inputs of this one send"
