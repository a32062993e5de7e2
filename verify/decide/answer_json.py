"""Answers as JSON: delta, eps, accuracy, verdicts and their scope, as plain trees."""

from fractions import Fraction

from verify.decide.certify import Certified
from verify.decide.least_promise import Nearest
from verify.decide.worst_case import WorstDelta, WorstEpsilon
from verify.enclose.interval import Interval
from verify.exact.epsilon import Delta, Eps
from verify.exact.neighbours import Scope
from verify.exact.randomizer import Presence, Randomizer, System
from verify.exact.rational import decimals, text
from verify.reduce.presence import number_of_messages
from verify.shapes.common import Tree
from verify.systems.accuracy import Accuracy


def delta_tree(value: Delta | Interval) -> Tree:
    """A value of delta as JSON: outward decimals `lower` and `upper`, and `exact` {A, B} where it is A - B e^eps."""
    lower, upper = value.enclosure()
    exact = {"A": text(value.A), "B": text(value.B)} if isinstance(value, Delta) else None
    return {"lower": lower, "upper": upper, "exact": exact}


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
    """Who is there, as JSON: what differs from everybody's being there and honest."""
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
    value: Tree = {} if eps is None else {"delta": _ends(told.delta(eps))}
    return {"number_of_messages": {"each": told.each} | value}


def delta_json(found: WorstDelta) -> Tree:
    """The answer of `delta` as JSON: eps, delta and its scope."""
    return {"eps": str(found.eps), "delta": delta_tree(found.delta), "scope": scope_tree(found.scope)}


def epsilon_json(found: WorstEpsilon, delta: Fraction) -> Tree:
    """The answer of `epsilon` as JSON: the delta asked for, the smallest eps ("inf" for none), its scope."""
    if found.eps is None and found.interval is None:
        value: Tree = {"lower": "inf", "upper": "inf", "exact": "inf"}
    elif found.eps is None:
        assert found.interval is not None
        low, high = found.interval
        lower, upper = decimals(low, low if high is None else high)
        value = {"lower": lower, "upper": "inf" if high is None else upper, "exact": None}
    else:
        value = eps_tree(found.eps)
    return {"delta": text(delta), "epsilon": value, "scope": scope_tree(found.scope)}


def eps_tree(eps: Eps) -> Tree:
    """A value of eps as JSON, exact as the logarithm of a rational where it is one."""
    lower, upper = eps.enclosure()
    return {"lower": lower, "upper": upper, "exact": str(eps) if eps.power is None else f"log({text(eps.power)})"}


def nearest_json(eps: Eps, found: Nearest) -> Tree:
    """What is decided beside a claim that is not, as JSON."""
    sides = {"proved": found.proved, "refuted": found.refuted}
    promised = {side: None if d is None else {"eps": str(eps), "delta": text(d)} for side, d in sides.items()}
    return {**promised, "more": found.more}


def accuracy_json(found: Accuracy, alpha: Fraction | None) -> Tree:
    """The answer of `accuracy` as JSON."""
    ends = ("rmse", "failure_probability", "expected_messages")
    values = {name: _ends(getattr(found, name)) for name in ends}
    return {
        "error_of": found.error_of,
        "alpha": None if alpha is None else text(alpha),
        **values,
        "bits_per_message": found.bits_per_message,
        "datasets": found.datasets,
    }


def _ends(value: Interval | None) -> Tree | None:
    return None if value is None else dict(zip(("lower", "upper"), value.enclosure(), strict=True))


def certify_json(result: Certified, written: str | None) -> Tree:
    """The answer of `certify` as JSON; `written` is the file that the certificate went to."""
    answer: Tree = {
        "verdict": result.verdict,
        "claim": {"eps": str(result.claim.eps), "delta": text(result.claim.delta)},
        "delta": delta_tree(result.worst.delta) if result.worst else None,
        "scope": scope_tree(result.worst.scope) if result.worst else None,
        "certificate": written,
    }
    if result.verdict == "UNDECIDED":
        answer["reason"] = result.reason
    if result.certificate and result.probabilities:
        of_event = [dict(zip(("lower", "upper"), decimals(p, p), strict=True)) for p in result.probabilities]
        answer["refutation"] = {**result.certificate["evidence"], "P": of_event[0], "Q": of_event[1]}
    return answer
