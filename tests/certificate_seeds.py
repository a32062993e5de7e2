"""Small certificates, true by the oracle's numbers, and how certificates are written."""

import json
from bisect import bisect_left
from fractions import Fraction
from itertools import combinations_with_replacement

from tests import oracle


def certificate(randomizer, view, n, eps, delta=None, verdict="PROVED", symmetries=(), digits=4, note=None):
    """The certificate of a randomizer (as in the oracle) as a tree, with the worst pair found by the oracle.

    `eps` is the text of the format. `delta` is a Fraction; None takes the largest delta(eps), rounded to `digits`
    decimals, up for PROVED and down for REFUTED.
    """
    parts = {}
    for pair, P, Q in _pairs(randomizer, view, n):
        event = [y for y, p in P.items() if _sign(p, Q.get(y, Fraction(0)), eps) > 0]
        a, b = sum((P[y] for y in event), Fraction(0)), sum((Q.get(y, Fraction(0)) for y in event), Fraction(0))
        parts[json.dumps(pair)] = a, b, event
    worst = None
    for key, (a, b, _) in parts.items():
        if worst is None or _sign(a - parts[worst][0], b - parts[worst][1], eps) > 0:
            worst = key
    a, b, event = parts[worst] if worst else (Fraction(0), Fraction(0), [])
    unit = Fraction(1, 10**digits)
    above = bisect_left(range(10**digits + 1), True, key=lambda k: _sign(a - k * unit, b, eps) < 0)
    lower = (above - 1) * unit
    upper = lower if _sign(a - lower, b, eps) == 0 else lower + unit
    if delta is None:
        delta = upper if verdict == "PROVED" else lower if upper > lower else lower - unit
    claim = claim_of(randomizer, view, n, eps, delta)
    if verdict == "PROVED":
        ends = {"lower": _decimal(lower, digits), "upper": _decimal(upper, digits)}
        evidence = {
            "symmetries": [{"inputs": dict(s), "messages": dict(t)} for s, t in symmetries],
            "worst": {"pair": json.loads(worst), "delta": ends} if worst else None,
        }
    else:
        outcomes = [list(y) if view == "local" else _counts(y) for y in event]
        evidence = {"pair": json.loads(worst), "event": outcomes}
    top = {"format": "shufflecert certificate", "version": 1}
    top |= {} if note is None else {"note": note}
    return top | {"claim": claim, "verdict": verdict, "evidence": evidence}


def claim_of(randomizer, view, n, eps, delta):
    """The claim of a randomizer as in the oracle."""
    rows = [
        {"input": x, "outputs": [{"send": list(send), "p": str(p)} for send, p in row.items()]}
        for x, row in randomizer.items()
    ]
    claim = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": view, "n": n, "datasets": "all"}
    return claim | {"eps": eps, "delta": str(delta)}


def _pairs(randomizer, view, n):
    for start in randomizer:
        for end in randomizer:
            if start == end:
                continue
            if view != "shuffled":
                law = oracle.local_law if view == "local" else oracle.preshuffle_law
                yield {"from": start, "to": end}, law(randomizer, start), law(randomizer, end)
            else:
                for others in combinations_with_replacement(sorted(randomizer), n - 1):
                    P, Q = (oracle.convolved_law(randomizer, (*others, x)) for x in (start, end))
                    yield {"from": start, "to": end, "others": _counts(others)}, P, Q


def _sign(a, b, eps):
    """Of a - b e^eps, eps in the format's text."""
    if eps.startswith("log("):
        return oracle.sign_with_exp(a, b * Fraction(eps[4:-1]), Fraction(0))
    return oracle.sign_with_exp(a, b, Fraction(eps))


def _counts(labels):
    return {label: labels.count(label) for label in sorted(set(labels))}


def _decimal(value, digits):
    text = str(int(value * 10**digits)).rjust(digits + 1, "0")
    return text[:-digits] + "." + text[-digits:]


def seeds():
    """Certificates that are true: both verdicts, three views, eps rational, zero and a log, delta zero and not."""
    half, third, quarter = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
    swap = ({"0": "1", "1": "0"}, {"0": "1", "1": "0"})
    turn, flip = ({"0": "1", "1": "2", "2": "0"},) * 2, ({"1": "2", "2": "1"},) * 2
    bits = ({"1": "2", "2": "1"}, {"1:0": "2:0", "2:0": "1:0", "1:1": "2:1", "2:1": "1:1"})
    mute = {"a": {(): half, ("x", "y"): quarter, ("y", "x"): quarter}, "é": {(): third, ("x",): 2 * third}}
    shrug = {"only": {("x",): third, ("y",): third, (): third}}
    gap, infinity = oracle.r_gap(), oracle.r_infinity()
    return [
        certificate(oracle.rr(third), "shuffled", 2, "log(2)", symmetries=[swap]),
        certificate(oracle.rr(quarter), "shuffled", 3, "1/2", symmetries=[swap], digits=6),
        certificate(oracle.rr(quarter), "shuffled", 4, "3/4", verdict="REFUTED"),
        certificate(oracle.rr(Fraction(1, 10)), "shuffled", 1, "2", verdict="REFUTED", digits=7),
        certificate(oracle.krr(3, half), "local", 4, "log(4)", symmetries=[turn, flip], note="three answers"),
        certificate(oracle.krr(3, half), "shuffled", 2, "1/3", symmetries=[turn, flip]),
        certificate(oracle.krr(3, quarter), "shuffled", 2, "1", verdict="REFUTED", delta=quarter),
        certificate(oracle.zsum(half), "shuffled", 3, "0"),
        certificate(oracle.zsum(third), "shuffled", 2, "log(7/5)", delta=half, note="by hand"),
        certificate(oracle.zsum(third), "preshuffle", 2, "5", verdict="REFUTED", delta=Fraction(0)),
        certificate(gap, "shuffled", 2, "1/2", symmetries=[({}, swap[1])], digits=5),
        certificate(gap, "preshuffle", 2, "log(3)", verdict="REFUTED"),
        certificate(infinity, "shuffled", 3, "0", symmetries=[swap, (swap[0], {})]),
        certificate(infinity, "local", 1, "10", verdict="REFUTED", delta=Fraction(999, 1000)),
        certificate(oracle.hist(2, third), "shuffled", 2, "log(3/2)", symmetries=[flip]),
        certificate(oracle.fragmented_rappor(2, quarter), "preshuffle", 3, "1/4", symmetries=[bits]),
        certificate(oracle.rappor(2, third), "local", 2, "2/3", symmetries=[(flip[0], {"01": "10", "10": "01"})]),
        certificate(mute, "preshuffle", 1, "1/5", symmetries=[({"a": "a"}, {"y": "y", "x": "x"})]),
        certificate(mute, "local", 3, "0", verdict="REFUTED"),
        certificate(shrug, "shuffled", 4, "1/9", symmetries=[({}, swapped("x", "y")), ({}, {})], delta=Fraction(0)),
    ]


def swapped(x, y):
    """The map that swaps two labels."""
    return {x: y, y: x}


class Pairs(list):
    """An object as a list of (key, value), so that a key can come twice."""


def dump(tree, ascii_only=False, comma=", "):
    """JSON text of a tree of dicts, Pairs, lists and plain values; raw text is given as a Number-like tuple (text,)."""
    if isinstance(tree, dict | Pairs):
        items = tree.items() if isinstance(tree, dict) else tree
        return "{" + comma.join(f"{dump(k, ascii_only)}: {dump(v, ascii_only, comma)}" for k, v in items) + "}"
    if isinstance(tree, list):
        return "[" + comma.join(dump(part, ascii_only, comma) for part in tree) + "]"
    return tree[0] if isinstance(tree, tuple) else json.dumps(tree, ensure_ascii=ascii_only)
