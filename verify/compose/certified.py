"""Certificates of compositions: an upper end as one that is PROVED, a lower end as one that is REFUTED.

Of each system a certificate says what is seen and, for a proof, which pairs of laws bound all neighbours': those of a
number or a histogram with noise as they are (`data` same), else dots on the system's curve, each with a proof of its
own. The lattice is evaluated here as the kernel will evaluate it; the kernel has the last word.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

from verify import certificate as writing
from verify import kernel_new as kernel
from verify.bound.lattice import Grid, Part, delta, guessed
from verify.compose.components import Component
from verify.compose.composition import Composed, Composition, Run
from verify.compose.dots import powers
from verify.decide.worst_case import enumerate_or_reduce
from verify.enclose.interval import Interval
from verify.errors import BadInput, Undecided
from verify.exact.epsilon import Delta, Eps
from verify.exact.neighbours import Neighbours
from verify.exact.randomizer import randomizer_of
from verify.exact.rational import text
from verify.pairs.connect_the_dots import Exact, dominating, mirrored
from verify.reduce.presence import known_reach
from verify.reduce.reduction import Reduction, worst_delta
from verify.systems.population import presence_of, unwritten, without_presence

Tree = dict[str, Any]
CELLS, DOTS = 1 << 13, 20  # of the lattice; of each curve that needs dots
MARGIN = Fraction(1, 10**7)  # of a claimed delta, relatively: the kernel's windows differ a little
DOT_MARGIN = Fraction(1, 1000)  # of a dot's delta, so that its proof is short
FEW = 4  # pairs of laws of one system that are composed one by one
TRIES = 8  # eps that are tried above one that is enough
DIGITS = 12  # significant digits of what is claimed
EXACT = ("count", "histogram", "correlated", "correlated histogram", "sampled", "release", "strings")


@dataclass(frozen=True)
class Side:
    """What a certificate says of one system: what is seen, why some pairs bound all neighbours', and these pairs."""

    seen: Tree
    proof: Tree
    pairs: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Made:
    """A file's certificates, the upper end first; why one of them is missing."""

    certificates: list[Tree]
    missing: str = ""

    def text(self) -> str:
        """The file's content."""
        return json.dumps(self.certificates, indent=1) + "\n"


def certified(composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None) -> Made:
    """Certificates of what was found at this eps, or of the eps that was found for this delta; the kernel accepts all.

    Raises BadInput for what no certificate states: groups of users, and neighbours other than by replacement.
    """
    if composition.group > 1:
        raise BadInput("-o: expected one user: no certificate states a group's privacy")
    if presence_of(composition.runs[0].system).adjacency != "replace":
        raise BadInput("-o: expected --adjacency replace: other compositions have no certificate yet")
    if all(run.times == 1 for run in composition.runs) and len(composition.runs) == 1:
        raise BadInput("-o: one run alone: use certify")
    made, missing = list[Tree](), list[str]()
    for one in (_upper, _lower):
        try:
            made.append(one(composition, found, eps, bound))
        except Undecided as undecided:
            missing.append(str(undecided))
    return Made(made, "; ".join(missing))


def _claim(composition: Composition, sides: Sequence[Tree], eps: str, bound: Fraction) -> Tree:
    runs = [(seen, run.times) for seen, run in zip(sides, composition.runs, strict=True)]
    return writing.claim(runs, "replace", eps, bound, "same" if composition.data == "same" else "any")


def _accepted(tree: Tree) -> Tree:
    verdict = kernel.check(json.dumps(tree).encode())
    if verdict.status != "accepted":
        raise Undecided(f"{tree['verdict'].lower()} by what the kernel finds {verdict.status}: {verdict.reason}")
    return tree


def _upper(composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None) -> Tree:
    """The upper end, PROVED: delta at this eps, or an eps that is enough for the delta."""
    high = _highest(found)
    if eps is None and high is None:
        raise Undecided("no eps is shown to be enough")
    at = eps or Eps.of(high or 0)
    sides = [_side(composition, i, run, at) for i, run in enumerate(composition.runs)]
    choices = [list(zip(chosen, composition.times, strict=True)) for chosen in product(*(side.pairs for side in sides))]
    listed = [[(part, times) for parts, times in chosen for part in parts] for chosen in choices]
    for _ in range(TRIES):
        value, grid = _largest(listed, at)
        claimed = bound if bound is not None else _rounded(value * (1 + MARGIN), up=True)
        if eps is not None or value * (1 + MARGIN) <= claimed:
            proof = writing.composed([side.proof for side in sides], grid.step, grid.cells, grid.tilt)
            claim = _claim(composition, [side.seen for side in sides], str(at), claimed)
            return _accepted(writing.certificate(claim, "PROVED", proof))
        slope = max(log(float(grid.tilt)) / log(float(grid.step)), 1e-3)
        more = Fraction((log(value / claimed) + 1e-6) / slope).limit_denominator(10**12)
        at = Eps.of(_rounded(Fraction(at.enclosure(DIGITS)[1]) + more, up=True))
    raise Undecided("the lattice comes to no eps that is enough")


def _lower(composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None) -> Tree:
    """The lower end, REFUTED: at real neighbouring datasets, by what they show on the lattice."""
    if bound == 0 or len(found.worst) != len(composition.runs):
        raise Undecided("the lower end is not of one pair of datasets for each system")
    low = _lowest(found)
    at = eps or Eps.of(_rounded(low * (1 - MARGIN), up=False))
    sides = [_shown(run, worst.neighbours) for run, worst in zip(composition.runs, found.worst, strict=True)]
    real = [_real(composition, i, worst.neighbours) for i, worst in enumerate(found.worst)]
    parts: list[Part] = [(part, run.times) for one, run in zip(real, composition.runs, strict=True) for part in one.parts]
    grid, size = guessed(parts, at, CELLS)
    value = delta(parts, at, grid, False, size)
    for _ in range(TRIES):
        if bound is None or value * (1 - MARGIN) > bound or not at.enclosure(DIGITS)[0].strip("0."):
            break
        slope = max(log(float(grid.tilt)) / log(float(grid.step)), 1e-3)
        less = Fraction((log(bound / value) + 1e-6) / slope).limit_denominator(10**12)
        at = Eps.of(max(_rounded(Fraction(at.enclosure(DIGITS)[0]) - less, up=False), Fraction(0)))
        value = delta(parts, at, grid, False, size)
    claimed = bound if bound is not None else _rounded(value * (1 - MARGIN), up=False)
    why = writing.composed([{"pair": pair} for _, pair in sides], grid.step, grid.cells, grid.tilt)
    claim = _claim(composition, [seen for seen, _ in sides], str(at), claimed)
    return _accepted(writing.certificate(claim, "REFUTED", why))


def _highest(found: Composed) -> Fraction | None:
    if found.interval is not None:
        return found.interval[1]
    return None if found.power is None else Fraction(Eps.log(found.power).enclosure(DIGITS)[1])


def _lowest(found: Composed) -> Fraction:
    if found.interval is not None:
        return found.interval[0]
    return Fraction(0) if found.power is None else Fraction(Eps.log(found.power).enclosure(DIGITS)[0])


def _largest(listed: Sequence[Sequence[Part]], at: Eps) -> tuple[Fraction, Grid]:
    """The largest upper end of some compositions on the lattice that suits the worst of them."""
    grids = [guessed(parts, at, CELLS) for parts in listed]
    lows = [delta(parts, at, grid, False, size) for parts, (grid, size) in zip(listed, grids, strict=True)]
    worst = max(range(len(lows)), key=lows.__getitem__)
    grid, size = grids[worst]
    return max(delta(parts, at, grid, True, lows[worst] or size) for parts in listed), grid


def _rounded(value: Fraction, up: bool) -> Fraction:
    """To DIGITS significant digits."""
    if value <= 0:
        return Fraction(0)
    places = DIGITS
    while value * 10**places < 10**DIGITS:
        places += 1
    whole = -(-value.numerator * 10**places // value.denominator) if up else value * 10**places // 1
    found = Fraction(whole, 10**places)
    return min(found, Fraction(1)) if value <= 1 else found


def _mechanism(run: Run) -> Tree | None:
    """What is seen, where a certificate can state it without a table."""
    reach = known_reach(run.system, run.n)
    exact = reach is not None and reach.mechanism is not None and reach.dominating is None
    return writing.seen_of(reach.mechanism) if exact and reach and reach.mechanism and _plain(reach) else None


def _plain(reach: Reduction) -> bool:
    return reach.mechanism is not None and reach.mechanism["view"] in EXACT


def _table(run: Run) -> Tree:
    if reason := unwritten(run.system):
        raise Undecided(f"no certificate states what is seen: {reason}")
    who = presence_of(run.system)
    rows = randomizer_of(without_presence(run.system)).to_json()
    return writing.rows(rows, run.n, "shuffled", who.honest, text(who.take_part))


def _side(composition: Composition, i: int, run: Run, at: Eps) -> Side:
    """A system's pairs as they are, where they are few and `data` is same; else one pair by dots."""
    seen, profile = _mechanism(run), composition.ones[i]
    if seen is not None and composition.data == "same" and profile.whole and len(profile.sides) <= FEW:
        return Side(seen, writing.proof_of(seen), [side.parts for side in profile.sides])
    points, last = list[list[Any]](), composition.last_dot(i, at)
    curve = list[tuple[Fraction, Fraction]]()
    for x in powers(last, DOTS):
        high, proof = _dot(run, seen, Eps.log(x))
        points.append([text(x), text(high), proof])
        curve.append((x, high))
    pair = Exact(dominating(mirrored(curve)))
    return Side(seen or _table(run), {"points": points}, [(pair,)])


def _dot(run: Run, seen: Tree | None, at: Eps) -> tuple[Fraction, Tree]:
    """An upper bound on the largest delta at an eps, and its proof."""
    way = enumerate_or_reduce(run.system, run.n, "shuffled", None, patient=True)
    if seen is not None and isinstance(way, Reduction):
        high = worst_delta(way, at).value.high
        return _rounded(min(high * (1 + MARGIN), Fraction(1)), up=True), writing.proof_of(seen)
    from verify.decide.certify import certify

    least = worst_delta(way, at).value.high if isinstance(way, Reduction) else _enumerated(way, at)
    high = _rounded(min(least * (1 + DOT_MARGIN), Fraction(1)), up=True)
    made = certify(run.system, run.n, at, high, patient=True)
    if made.certificate is None or made.verdict != "PROVED":
        raise Undecided(f"no proof of delta({at}) <= {float(high):.3g} of one run")
    return high, writing.converted(dict(made.certificate))[0]["because"]


def _enumerated(way: Any, at: Eps) -> Fraction:
    from verify.decide.worst_case import worst_case

    worst, _ = worst_case(way, at, None)
    value = worst.delta
    return Fraction(value.enclosure()[1]) if isinstance(value, Delta) else value.high


def _real(composition: Composition, i: int, neighbours: Neighbours) -> Component:
    """The component of a real pair."""
    for side in (*composition.systems[i].sides, *composition.real(i)):
        if side.neighbours == neighbours and side.parts:
            return side
    raise Undecided("the worst pair's laws are not known by outcomes")


def _shown(run: Run, neighbours: Neighbours) -> tuple[Tree, Tree]:
    """What is seen, and the pair of datasets, as a refutation writes them."""
    seen = _mechanism(run)
    if seen is None:
        return _table(run), writing.neighbours(neighbours.source, neighbours.target, neighbours.others or {})
    each = seen["each"]
    if "up to" in each:
        return seen, writing.neighbours(neighbours.source, neighbours.target, None)
    ends = ("1", "0") if "columns" in each else ("a", "b")
    return seen, writing.neighbours(*ends, {})


def value_of(interval: Interval) -> Fraction:
    """The upper end."""
    return interval.high
