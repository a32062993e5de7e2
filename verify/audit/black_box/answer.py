"""The answer of an audit of a black box: its JSON form, and the same in words."""

from fractions import Fraction
from typing import Any

from shufflecert.verify.audit.black_box.estimate import BlackBox, Event
from shufflecert.verify.exact.rational import decimal_above, decimal_below, decimal_text, plain, shorten, text
from shufflecert.verify.shapes.numbers import counted

SHOWN = 20  # outputs of an event


def to_json(found: BlackBox) -> dict[str, Any]:
    """The answer as the command prints it; bounds are rounded outwards."""
    view = "local" if found.n is None else "preshuffle" if found.n == 1 else "shuffled"
    verdict = ("contradicted" if found.contradicted else "not contradicted") if found.claimed else None
    can = found.detectable
    return {
        "black_box": found.what,
        "rng": found.rng,
        "inputs": list(found.inputs),
        "view": view,
        "n": found.n or 1,
        "others": found.others if (found.n or 1) > 1 else None,
        "samples": found.samples,
        "confidence": decimal_text(found.confidence),
        "seed": found.seed,
        "outputs": found.outputs,
        "claim": {"eps": str(found.eps), "delta": text(found.delta)} if found.claimed else None,
        "verdict": verdict,
        "epsilon": {
            "delta": text(found.delta),
            "lower": found.eps_lower.enclosure()[0],
            "shown_by": _event_tree(found.by_eps),
        },
        "delta": [
            {
                "eps": str(found.eps),
                "lower": decimal_below(found.delta_lower),
                "shown_by": _event_tree(found.by_delta),
            }
        ],
        "detectable": {
            "power": decimal_text(can.power),
            "leak": None if can.leak is None else decimal_above(can.leak, 3),
            "randomized_response": None if can.eps is None else can.eps.enclosure(4)[1],
        },
        "statement": _statement(found, verdict),
    }


def _statement(found: BlackBox, verdict: str | None) -> str:
    sure = f"with probability at least {decimal_text(found.confidence)} over independent runs all these bounds hold"
    if verdict == "contradicted":
        return f"{sure}: a statistical finding, not a certificate"
    return f"{sure}; not finding is not proving: an event that was not looked at, or a rarer one, may still leak more"


def words(tree: dict[str, Any]) -> str:
    """The JSON answer in words."""
    (at, eps), sure = (tree["delta"][0], tree["epsilon"]), f"at confidence {tree['confidence']}"
    shown = f"delta({plain(at['eps'])}) >= {_down(at['lower'])}"
    if claim := tree["claim"]:
        compared = f"{'>' if tree['verdict'] == 'contradicted' else 'against the claimed'} {plain(claim['delta'])}"
        head = f"{tree['verdict']} {sure}: {shown} {compared}"
    else:
        head = f"{sure}: {shown}"
    others = f", the others: {tree['n'] - 1} on {tree['others']}" if tree["others"] is not None else ""
    source = f" of {tree['rng']}" if tree.get("rng") else ""
    lines = [
        head,
        f"  eps({plain(eps['delta'])}) >= {_down(eps['lower'])}",
        f"  {tree['view']} view, n = {tree['n']}{others}, seed {tree['seed']}{source}",
        f"  {tree['samples']} runs on each of {len(tree['inputs'])} inputs,"
        f" {counted(tree['outputs'], 'different output')}: one half chose the event, the other measured it",
    ]
    by = {"delta": at["shown_by"], "eps": eps["shown_by"]}
    if by["delta"] == by["eps"]:
        by = {"both": by["delta"]}
    lines += [f"  event for {name}: {_event_text(event)}" for name, event in by.items()]
    can = tree["detectable"]
    least = [] if can["leak"] is None else [f"an event of probability {can['leak']} that the other input never has"]
    if can["randomized_response"] is not None:
        least.append(f"randomized response with eps = {can['randomized_response']}")
    found = " or ".join(least) or "nothing, however large: more samples are needed"
    lines += [
        f"  what so many runs find with power {can['power']}, once an event is picked that shows it:",
        f"    {found}",
    ]
    return "\n".join([*lines, *(f"  {part}" for part in tree["statement"].split("; ", 1))])


def _event_tree(event: Event) -> dict[str, Any]:
    return {
        "from": event.source,
        "to": event.target,
        "event": [list(output) for output in event.outputs[:SHOWN]],
        "outputs": len(event.outputs),
        "counts": {"from": event.hits[0], "to": event.hits[1], "of": event.of},
        "probability": {
            "from": {"lower": decimal_below(event.low)},
            "to": {"upper": decimal_above(event.high)},
        },
    }


def _event_text(event: dict[str, Any]) -> str:
    shown = "; ".join(f"({', '.join(output)})" for output in event["event"][:5])
    more = "; ..." if event["outputs"] > 5 else ""
    counts = event["counts"]
    return (
        f"one user on {event['from']} against {event['to']}: {counted(event['outputs'], 'output')}: "
        f"{shorten(shown, 200)}{more}: {counts['from']} against {counts['to']} of {counts['of']} runs"
    )


def _down(written: str) -> str:
    return decimal_below(Fraction(written), 12)
