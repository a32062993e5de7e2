"""What a claim's counterexample is, in words: its two numbers side by side, who attains them, and certificates."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from shufflecert.verify.decide.certify import Certified, certify
from shufflecert.verify.exact.rational import decimals, shorten, text
from shufflecert.verify.search.claim import Claim, Failing
from shufflecert.verify.search.numbers import Nats, Real
from shufflecert.verify.search.one import Asked, One
from shufflecert.verify.search.spaces import Table

LONG = 24  # characters of a number that is shown in full
CLOSE = Fraction(1, 2**20)  # relatively, below an attained value: what is refuted there
VIEWS = {"local_delta": "local", "local_epsilon": "local", "delta": "shuffled", "epsilon": "shuffled"}


@dataclass(frozen=True)
class Hit:
    """A case at which a conjecture fails: in words, with numbers, and with certificates by name."""

    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    certificates: Mapping[str, Certified] = field(default_factory=dict)


def explained(case: Table, claim: Claim, bound: Sequence[Mapping[str, Any]]) -> Hit | None:
    """A case at which a claim fails, in words, with certificates of both of its numbers; None where it holds.

    delta(n, eps) > w is shown by a certificate that REFUTES delta <= w, a number that is attained by one that PROVES
    it and one that REFUTES a little less. There is none of a pair of datasets by itself, nor of a blanket.
    """
    names = next((names for names in bound if claim.holds(One(case), names) is False), None)
    if names is None:
        return None
    comparisons = claim.failing(One(case), names)
    if not comparisons:  # a `not` around more than a comparison
        return Hit(f"{case}{_named(names, claim.tree)}: not {claim.text}", {"table": case.to_json()})
    first = comparisons[0]
    words, told, certificates = [], [], dict[str, Certified]()
    attained: dict[str, str] = {}
    for one in comparisons:
        sides = [_asked(claim, case, node, one.bound) for node in (one.left, one.right)]
        left, right = (_said(claim, *side) for side in zip((one.left, one.right), one.values, strict=True))
        words.append(f"{left} {one.sign} {right}")
        told.append(
            {
                "left": {"of": claim.written(one.left), "value": exactly(one.values[0])},
                "right": {"of": claim.written(one.right), "value": exactly(one.values[1])},
                "bound": {name: str(value) for name, value in one.bound.items()},
            }
        )
        attained |= _attained(sides)
        certificates |= _certificates(case, one, sides)
    head = f"{case}{_named(first.bound, first.left, first.right)}: {' and '.join(words)}"
    by = [f"{what} is attained by {at}" for what, at in attained.items() if at]
    numbers = {"table": case.to_json(), "comparisons": told, "attained": attained}
    return Hit("; ".join([head, *by]), numbers, certificates)


def _asked(claim: Claim, case: Table, node: ast.expr, bound: Mapping[str, Any]) -> list[Asked]:
    """What a part of a claim asks."""
    world = One(case)
    claim.value(node, world, bound)
    return world.asked


def _said(claim: Claim, node: ast.expr, value: Any) -> str:
    """One side of a comparison, and its value unless that is how it is written."""
    written = claim.written(node)
    plain = not any(isinstance(one, ast.Call | ast.Subscript) for one in ast.walk(node))
    return written if plain and written in (shown(value), "inf") else f"{written} = {shown(value)}"


def _named(bound: Mapping[str, Any], *nodes: ast.expr) -> str:
    used = {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}
    return "".join(f", {name} = {value}" for name, value in bound.items() if name in used)


def shown(value: Any) -> str:
    """A number for people: in full where it is short, else its first digits."""
    if isinstance(value, Fraction) and len(text(value)) > LONG:
        return decimals(value, value, 12)[0] + "..."
    return shorten(exactly(value), 3 * LONG)


def exactly(value: Any) -> str:
    """A number as exact text, p/q where it is a fraction."""
    return text(value) if isinstance(value, Fraction) else str(value)


def _told(one: Asked) -> str:
    argument = exactly(one.of) if one.function != "d.epsilon" else text(one.of)
    users = "" if one.function.startswith("local") else f"{one.n}, "
    return f"{one.function.removeprefix('d.')}({users}{argument})"


def _attained(sides: Sequence[Sequence[Asked]]) -> dict[str, str]:
    """{what was asked for: the datasets that attain it}; of pairs that were asked one by one, the largest."""
    found: dict[str, str] = {}
    for side in sides:
        own = [one for one in side if one.function.startswith("d.")]
        found |= {_told(one): one.worst for one in side if one not in own}
        if own:
            best = max(own, key=lambda one: one.value)
            found[f"the largest {_told(best)} of single pairs"] = best.worst
    return found


def _certificates(case: Table, failing: Failing, sides: Sequence[Sequence[Asked]]) -> dict[str, Certified]:
    """What both numbers are, as far as certificates state it."""
    found: dict[str, Certified] = {}
    system = One(case).system
    left, right = failing.values
    for side, node, mine, other in (
        (sides[0], failing.left, left, right),
        (sides[1], failing.right, right, left),
    ):
        asked = [one for one in side if one.function in VIEWS]
        alone = isinstance(node, ast.Call) and len(side) == len(asked) == 1 and asked[0].value is not None
        for one in asked:
            view = VIEWS[one.function]
            if alone and mine > other and (below := _between(other, mine)) is not None:
                found[f"{_told(one)} is more than {shown(below)}"] = _claimed(system, one, below, view)
                continue
            if (above := _at_most(one.value)) is not None:
                found[f"{_told(one)} is at most {shown(above)}"] = _claimed(system, one, above, view)
            if not (alone and mine < other) and (below := _between(None, one.value)) is not None:
                found[f"{_told(one)} is more than {shown(below)}"] = _claimed(system, one, below, view)
    return found


def _claimed(system: Any, one: Asked, value: Any, view: str) -> Certified:
    """The verdict on: what was asked for is at most this."""
    if one.function.endswith("delta"):
        return certify(system, one.n, one.of.eps(), value, view)
    return certify(system, one.n, Nats.of(value).eps(), one.of, view)  # type: ignore[union-attr]


def _at_most(value: Any) -> Any:
    """A number that is stated exactly, and at least this one; None where there is none, or it says nothing."""
    if isinstance(value, Nats):
        return None if value.power is None else value
    most = Fraction(decimals(*value.bounds(128), 12)[1]) if isinstance(value, Real) else value
    return most if most < 1 else None


def _between(least: Any, value: Any) -> Any:
    """A number stated exactly, less than the value, and at least `least` (None: near); None where there is none."""
    if isinstance(value, Nats):
        return _eps_between(None if least is None else Nats.of(least), value)
    if least is not None and not isinstance(least, Real | Fraction):
        return None
    if isinstance(least, Fraction) and least >= 0:
        return least
    low = value.bounds(128)[0] if isinstance(value, Real) else value
    near = low * (1 - CLOSE)
    if least is not None and not least <= near:
        near = Fraction(decimals(*least.bounds(256), 30)[1]) if isinstance(least, Real) else Fraction(0)
    return near if 0 <= near < value and (least is None or least <= near) else None


def _eps_between(least: Nats | None, value: Nats) -> Nats | None:
    if least is not None and ((least.root == 1 and not least.shift) or least.power == 1):
        return least if least >= 0 else None
    if value.power is None:
        return Nats(Fraction(100), Fraction(1))
    if value.shift or value.root != 1:
        return None
    near = Nats.log(1 + (value.power - 1) * (1 - CLOSE))
    return near if near < value and (least is None or least <= near) else None
