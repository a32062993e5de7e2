"""The answer of an audit as JSON."""

from fractions import Fraction

from shufflecert.verify.audit.audit import Audited, Users, kept_but_for_rounding
from shufflecert.verify.audit.sampler import NOT_FOLLOWED, OBSERVED, Followed
from shufflecert.verify.audit.slack import Slack
from shufflecert.verify.bound.bound import WorstEpsilon
from shufflecert.verify.decide.answer_json import certify_json, scope_tree
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import decimal_above, text
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import INFINITE, delta_value, ends_of, eps_value, exactly, rationals


def to_json(found: Audited, name: str, followed: Followed | None = None, certificate: str | None = None) -> Tree:
    """The answer of an audit of a randomizer as JSON.

    The keys `local`, `preshuffle`, `shuffled`, `large`, `leaks`, `blanket`, `communication`, `symmetries`, `attack`,
    `claim`; of code `sampler` as well.
    """
    r, local = found.randomizer, found.local
    answer: Tree = {
        "audit": name,
        "inputs": list(r.inputs),
        "messages": len({m for m in r.messages if not m.startswith(NOT_FOLLOWED)}),
        "local": {"epsilon": epsilon_tree(local)},
        "preshuffle": {"epsilon": epsilon_tree(found.preshuffle)},
        "shuffled": [_users(users, found, local) for users in found.users],
        "large": _users(found.large, found, local),
        "leaks": [
            {
                "output": list(leak.messages),
                "of": leak.x,
                "never_of": leak.y,
                "probability": text(leak.p),
                "unexplored": decimal_above(leak.hidden),
            }
            for leak in found.leaks
        ],
        "blanket": _blanket(found),
        "communication": {
            "expected_messages": {x: text(e) for x, e in found.expected.items()},
            "bits_per_message": found.bits,
        },
        "symmetries": [dict(moved) for moved in found.symmetric],
        "attack": _verdict(found.attack, None if found.verdict else certificate, found.slack),
        "claim": _claim(found, certificate),
    }
    if followed is not None:
        answer["sampler"] = sampler_json(followed)
        if followed.tier == OBSERVED and answer["claim"] and answer["claim"]["verdict"] == "PROVED":
            answer["claim"]["verdict"] = "HOLDS"  # for the law that was observed
    return answer


def sampler_json(followed: Followed) -> Tree:
    """What is known of a function whose paths were followed, as JSON: how many, and what was not followed."""
    return {
        "tier": followed.tier,
        "assumes": list(followed.assumes),
        "refused": followed.refused or None,
        "each": followed.several,
        "deployed": followed.deployed,
        "rng": followed.library,
        "paths": dict(followed.paths),
        "residual": {x: exactly(r) for x, r in followed.residual.items()},
        "assumed_exact": list(followed.assumed),
        "of": {"file": followed.file, "sha256": followed.digest} if followed.digest else None,
        "laws": {
            x: [{"send": list(m), "p": text(p)} for m, p in law.items()]
            for x, law in followed.laws.items()
            if len(law) <= 64 and all(p.denominator < 2**256 for p in law.values())
        },
    }


def compared_json(deployed: Followed, ideal: Followed, both: dict[str, Audited]) -> Tree:
    """The difference that floats make, as JSON: total variation distance of every input, and pure eps."""
    distance = {}
    for x, law in deployed.laws.items():
        other = ideal.laws[x]
        outputs = {*law, *other}
        apart = sum((abs(law.get(m, Fraction(0)) - other.get(m, Fraction(0))) for m in outputs), Fraction(0)) / 2
        slack = deployed.residual[x] + ideal.residual[x]
        distance[x] = ends_of(max(Fraction(0), apart - slack), apart + slack)
    eps = {name: epsilon_tree(audited.local) for name, audited in both.items()}
    return {"total_variation": distance, "local_epsilon": eps}


def _claim(found: Audited, certificate: str | None) -> Tree | None:
    """The verdict on the claim; where it is broken and 2^-40 more eps, or delta, would keep it, that eps."""
    answer = _verdict(found.verdict, certificate, found.slack)
    kept = kept_but_for_rounding(found.randomizer, found.promise, found.verdict, found.slack)
    if answer is None or kept is None:
        return answer
    return answer | {"by_rounding": exactly(kept)}


def _verdict(found: Certified | None, certificate: str | None, slack: Slack) -> Tree | None:
    """Where mass was not followed, the certificate is of the randomizer that dominates: it refutes a larger delta than
    the promised one, and delta and the event's probabilities are the function's only as far as that."""
    if found is None:
        return None
    answer, claim, asked = certify_json(found, certificate), found.claim, found.claim.question
    if slack.residual:
        margin, unseen = slack.margin(claim.eps, asked.n), asked.n * slack.residual
        if found.verdict == "REFUTED":
            answer["claim"]["delta"] = text(claim.delta - margin)
            answer["refuted_delta"] = text(claim.delta)
        if answer["delta"]:
            answer["delta"] = {**_widened(answer["delta"], margin, Fraction(0)), "exact": None}
        for side in "PQ" if "refutation" in answer else "":
            answer["refutation"][side] = _widened(answer["refutation"][side], unseen, unseen)
    return {"n": asked.n, "view": asked.view, **answer}


def _widened(value: Tree, less: Fraction, more: Fraction) -> Tree:
    low, high = rationals(value)
    return ends_of(max(Fraction(0), low - less), min(Fraction(1), high + more))


def _blanket(found: Audited) -> Tree:
    """The weight of the blanket: exact, or at most every input's residual more than what was followed of it."""
    if not found.slack.residual:
        return {"gamma": text(found.blanket), **exactly(found.blanket)}
    most = min(Fraction(1), found.blanket + len(found.randomizer.inputs) * found.slack.residual)
    return {"gamma": None, **ends_of(found.blanket, most)}


def epsilon_tree(found: WorstEpsilon) -> Tree:
    """A value of eps as JSON: its ends, and the exact value where it is known."""
    return eps_value(found.eps, found.interval)


def _users(users: Users, found: Audited, local: WorstEpsilon) -> Tree:
    if users.pure is None or users.epsilon is None:
        return {"n": users.n, "refused": users.refused}
    at = epsilon_tree(users.epsilon)
    answer: Tree = {
        "n": users.n,
        "epsilon": epsilon_tree(users.pure),
        "epsilon_at_delta": {"delta": text(found.delta), **at},
        "amplification": _ratio(epsilon_tree(local), at),
        "delta": [{"eps": str(value.eps), **delta_value(value.delta)} for value in users.deltas],
        "scope": scope_tree((users.deltas[0] if users.deltas else users.pure).scope),
        "envelope": None,
    }
    if users.envelope is not None:
        answer["envelope"] = [
            {"from": str(Eps.log(start)), "A": text(a), "B": text(b)}
            for start, (a, b) in zip(users.envelope.starts, users.envelope.lines, strict=True)
        ]
    return answer


def _ratio(local: Tree, shuffled: Tree) -> Tree | None:
    """Local eps over shuffled eps."""
    if INFINITE in (local["upper"], shuffled["upper"]) or Fraction(shuffled["lower"]) == 0:
        return None
    (low, high), (least, most) = rationals(local), rationals(shuffled)
    return ends_of(low / most, high / least)
