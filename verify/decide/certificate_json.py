"""Parts of a certificate, as verify/CERTIFICATE.md has them: pairs, outcomes, symmetries, and ends of delta."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.bound.bound import WorstDelta
from verify.enclose.interval import Interval
from verify.exact.epsilon import Delta
from verify.exact.neighbours import Case, Neighbourhood, Neighbours
from verify.exact.randomizer import Messages
from verify.exact.symmetry import Permutation

SMALLEST = 100_000  # a certificate writes no smaller power of ten than 10^-100000
LITTLE = Fraction(1, 10**200)  # an end of a mechanism's delta below it is not written, to spare the kernel its bits


def symmetries_json(around: Neighbourhood) -> list[dict[str, dict[str, str]]]:
    """The symmetries of a neighbourhood, without labels that stay in their place."""
    messages = [send[0] for send in around.view.messages] if around.symmetries else []
    return [
        {"inputs": _moved(around.view.inputs, s.inputs), "messages": _moved(messages, s.messages)}
        for s in around.symmetries
    ]


def _moved(labels: Any, permutation: Permutation) -> dict[str, str]:
    return {labels[i]: labels[j] for i, j in enumerate(permutation) if i != j}


def worst_json(worst: WorstDelta, case: Case | None) -> dict[str, Any] | None:
    """The worst pair, and its delta; None where there is no pair."""
    if case is None:
        return None
    return {"pair": pair_json(case.neighbours, worst.scope.view), "delta": ends_json(worst.delta)}


def near_ends(value: Interval, bound: Fraction) -> dict[str, str]:
    """The ends of a mechanism's delta as a certificate writes them, with 0 and the bound for those below LITTLE."""
    high = value.high if value.high > LITTLE else max(value.high, bound)
    return ends_json(Interval(value.low if value.low > LITTLE else Fraction(0), high))


def ends_json(value: Delta | Interval) -> dict[str, str]:
    """An enclosure as a certificate writes it."""
    ends = value.enclosure()
    small = [int(end.partition("e-")[2] or 0) > SMALLEST for end in ends]
    return {"lower": "0" if small[0] else ends[0], "upper": f"1e-{SMALLEST}" if small[1] else ends[1]}


def pair_json(neighbours: Neighbours, view: str) -> dict[str, Any]:
    """A pair of neighbours, with the others in the shuffled view."""
    pair: dict[str, Any] = {"from": neighbours.source or None, "to": neighbours.target or None}
    return {**pair, "others": dict(neighbours.others or {})} if view == "shuffled" else pair


def outcome_json(outcome: Mapping[Messages, int], view: str) -> Any:
    """An outcome of a view: a list of messages in the local one, else how many of each are seen."""
    if view == "local":
        return list(next(iter(outcome)))
    return {message[0]: count for message, count in outcome.items()}
