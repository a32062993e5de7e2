"""Certificates of compositions: an upper bound as one that is PROVED, a lower bound as one that is REFUTED.

Of each system a certificate says the view and, for a proof, which pairs of laws bound all neighbours': those of a
number or a histogram with noise as they are (`data` same), else dots on the system's curve, each with a proof of its
own. The lattice is evaluated here as the kernel will evaluate it; the kernel has the last word.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.evidence import ends_of_mechanism
from shufflecert.verify.bound.law import DatasetPair
from shufflecert.verify.compose.boxes import Boxes
from shufflecert.verify.compose.components import COSTLY, STEPS, Component, SystemProfile, powers
from shufflecert.verify.compose.composition import GUESSES, Composed, Composition, Run
from shufflecert.verify.enclose.interval import Interval, exactly
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.randomizer import EVERYBODY, randomizer_of
from shufflecert.verify.exact.rational import fraction, shorten, text
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.pairs.connect_the_dots import Exact, dominating, mirrored
from shufflecert.verify.pairs.lattice import delta
from shufflecert.verify.pairs.lattice_guess import Grid, Part, further, guessed
from shufflecert.verify.reduce.reduction import known_reach
from shufflecert.verify.systems.population import presence_of, unwritten, without_presence

Tree = dict[str, Any]
Recheck = Callable[[bytes], tuple[str, str]]
CELLS = 1 << 13  # of a lattice, at most
ROOMY = 4  # times as many cells has the kernel, whose lattice is not tilted
MOST_STEPS = 17 * 10**7  # of the kernel's work with a lattice, about
DOTS, MANY_DOTS, SOME_DOTS = 20, 64, 64  # of a curve that takes a while, of noise, of datasets that are enumerated
STEEP = 20  # times what a claimed eps gives way, of corners of boxes: what a claimed delta does
MARGIN = Fraction(1, 10**7)  # of a claimed delta, relatively: the kernel's windows differ a little
LEAST = Fraction(1, 10**100)  # what is claimed of a delta that is 0, where the kernel's lattice does not come to that
DOT_MARGIN = Fraction(1, 200)  # of a dot's delta, so that its proof is short
FEW = 4  # pairs of laws of one system that are composed one by one
FEWER = 1, 3, 6  # times
BEYOND = Fraction(1, 10**4)  # of an answer: what lies beyond a last dot
TRIES = 8  # eps that are tried above one that is enough
DIGITS = 12  # significant digits of what is claimed
CORNERS = (
    Fraction(0),
    Fraction(1, 200),
    Fraction(1, 50),
    Fraction(1, 10),
    Fraction(1, 4),
    Fraction(1, 2),
)  # of an eps: by how much it is above the answer
MOST_CORNERS, SAFELY = 160, Fraction(49, 50)  # of boxes; of a delta, so that a lattice that is not tilted will do
CORNER_CELLS, CORNER_MOST = (1 << 9, 1 << 11, 1 << 13), 1 << 14  # of a lattice; of a dataset's law


@dataclass(frozen=True)
class Side:
    """What a certificate says of one system: the view, why some pairs bound all neighbours', and these pairs.

    `dots`, where one pair is made from them: e^eps, an upper bound on delta(eps), and its proof.
    """

    seen: Tree
    proof: Tree
    pairs: list[tuple[Any, ...]]
    dots: tuple[tuple[Fraction, Fraction, Tree], ...] = ()

    @classmethod
    def dotted(cls, seen: Tree, dots: Sequence[tuple[Fraction, Fraction, Tree]]) -> "Side":
        """The pair of these dots."""
        points = [[text(x), text(high), proof] for x, high, proof in dots]
        pair = Exact(dominating(mirrored([(x, high) for x, high, _ in dots])))
        return cls(seen, {"points": points}, [(pair,)], tuple(dots))

    def thinned(self, fewer: int) -> "Side":
        """With about so many times fewer dots."""
        return Side.dotted(self.seen, [*self.dots[:-1:fewer], self.dots[-1]]) if self.dots else self


@dataclass(frozen=True)
class Made:
    """A file's certificates, the upper bound first; why one of them is missing."""

    certificates: list[Tree]
    missing: str = ""

    def text(self) -> str:
        """The file's content."""
        return json.dumps(self.certificates, indent=1) + "\n"


def check_stated(runs: Sequence[Run], group: int) -> None:
    """Raises BadInput for what no certificate states: groups of users, and neighbours other than by replacement."""
    if group > 1:
        raise BadInput("-o: expected one user: no certificate states a group's privacy")
    if presence_of(runs[0].system).adjacency != "replace":
        raise BadInput("-o: expected --adjacency replace: other compositions have no certificate yet")
    if all(run.times == 1 for run in runs) and len(runs) == 1:
        raise BadInput("-o: one run alone: use certify")


def certified(
    composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None, recheck: Recheck
) -> Made:
    """Certificates of what was found at this eps, or of the eps that was found for this delta.

    `recheck` is the kernel, which says (status, why) of each: only what it accepts is written. What no certificate
    states is refused before (`check_stated`).
    """
    made, missing = list[Tree](), list[str]()
    for one in (_upper, _lower):
        try:
            made.append(one(composition, found, eps, bound, recheck))
        except Undecided as undecided:
            missing.append(f"the {'upper' if one is _upper else 'lower'} end: {undecided}")
    return Made(made, "; ".join(missing))


def _claim(composition: Composition, sides: Sequence[Tree], eps: str, bound: Fraction) -> Tree:
    runs = [(seen, run.times) for seen, run in zip(sides, composition.runs, strict=True)]
    return writing.claim(runs, "replace", eps, bound, "same" if composition.data == "same" else "any")


def _accepted(tree: Tree, recheck: Recheck) -> Tree:
    status, why = recheck(json.dumps(tree).encode())
    if status != "accepted":
        raise Undecided(f"{tree['verdict'].lower()} by what the kernel finds {status}: {why}")
    return tree


def _upper(
    composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None, recheck: Recheck
) -> Tree:
    """The upper bound, PROVED: with fewer dots where those that are close take the kernel too long."""
    if not _finite(found):
        raise Undecided("no finite eps satisfies this delta")
    if eps is None:
        _claimed(_highest(found))
    if composition.boxes is not None:
        try:
            return _by_corners(composition, composition.boxes, found, eps, bound, recheck)
        except Undecided:
            if found.boxed:  # dots on the curve of so many boxes would take longer still
                raise
    reason, size = "", bound or _delta_of(found).high
    sides = [_side(composition, k, run, size) for k, run in enumerate(composition.runs)]
    for fewer in FEWER:
        try:
            some = [side.thinned(fewer) for side in sides]
            tree = _upper_by(composition, some, _highest(found), eps, bound, size)
            return _first_accepted(tree, _claims(found, fraction(tree["claim"]["delta"])), recheck)
        except Undecided as undecided:
            reason = str(undecided)
            if "too much" not in reason:
                break
    raise Undecided(reason)


def _claims(found: Composed, value: Fraction) -> list[Fraction]:
    """What is claimed where a lattice comes to this delta, the closest first: beside it about what was found, if that
    is far below, or if no lattice of the kernel may come to 0.
    """
    least = value if found.delta is None else max(_delta_of(found).high * (1 + MARGIN), LEAST)
    near = _rounded(min(least, Fraction(1)), up=True)
    if value == near or (0 < value <= 2 * near and value < 1):
        return [value]
    return [claimed for claimed in sorted({value, near}) if claimed < 1]


def _first_accepted(tree: Tree, claims: Sequence[Fraction], recheck: Recheck) -> Tree:
    """The certificate with the first of these deltas that the kernel accepts. Raises Undecided with the last reason."""
    reason = "no lattice comes to less than delta = 1"
    for claimed in claims:
        try:
            return _accepted(tree | {"claim": tree["claim"] | {"delta": text(claimed)}}, recheck)
        except Undecided as undecided:
            reason = str(undecided)
    raise Undecided(reason)


def _by_corners(
    composition: Composition,
    boxes: Boxes,
    found: Composed,
    eps: Eps | None,
    bound: Fraction | None,
    recheck: Recheck,
) -> Tree:
    """The upper bound of runs on the same data by trees of boxes, each with its corner's pair as it is, composed.

    As close to the answer as the kernel has the time for: what its work will be is known before it is begun.
    """
    (run,), high, reason = composition.runs, _highest(found), "no corners of boxes are shown to be enough"
    if boxes.cells > CORNER_MOST:
        raise Undecided(f"one run has {boxes.cells} outcomes, more than a check has the time for: ask for fewer users")
    size = bound or _delta_of(found).low
    work = {cells: _work(composition, size, cells) for cells in CORNER_CELLS}
    many = min(MOST_CORNERS, MOST_STEPS // work[CORNER_CELLS[0]])
    for width in CORNERS:
        at = eps or _claimed(_rounded((high or Fraction(0)) * (1 + width), up=True))
        limit = bound or _delta_of(found).high * (1 if found.delta is None else 1 + STEEP * width)
        trees = boxes.trees(at, min(limit, Fraction(1)) * SAFELY, many)
        if trees is None:
            reason = f"the corners of boxes that would be enough are more than the {many} that a check has the time for"
            continue
        most, steps, lattices, entries = Fraction(0), 0, list[tuple[Fraction, int]](), list[Tree]()
        for ends in writing.ends(boxes.guess.search.table.inputs, "replace"):
            nodes: list[Any] = trees.get(ends, ["corner"])  # of equal rows nothing is to be shown
            entries.append(writing.entry(*ends, [node if isinstance(node, list) else "corner" for node in nodes]))
            for pair in (node for node in nodes if isinstance(node, DatasetPair) and steps <= MOST_STEPS):
                parts: list[Part] = [(pair, run.times)]
                for cells in CORNER_CELLS:
                    grid, _ = guessed(parts, at, cells)
                    if (value := delta(parts, at, grid, True, limit)) <= limit * SAFELY:
                        break
                most, steps = max(most, value), steps + work[cells]
                lattices.append((grid.step, ROOMY * grid.cells))
            if nodes == ["corner"] and lattices:
                lattices.append(lattices[-1])
        if steps > MOST_STEPS:
            reason = "the corners of boxes that would be enough are more work than a check has the time for"
            continue
        claimed = bound if bound is not None else _rounded(min(most * (1 + STEEP * MARGIN), Fraction(1)), up=True)
        proof = writing.composed([writing.cover(entries)], lattices)
        claim = _claim(composition, [_table(run)], str(at), claimed)
        try:
            return _accepted(writing.certificate(claim, "PROVED", proof), recheck)
        except Undecided as undecided:
            reason = str(undecided)
    raise Undecided(reason)


def _upper_by(
    composition: Composition,
    sides: Sequence[Side],
    high: Fraction | None,
    eps: Eps | None,
    bound: Fraction | None,
    size: Fraction,
) -> Tree:
    """delta at this eps, or an eps from `high` on that is enough for the delta, about `size`."""
    at = eps or _claimed(high)
    choices = [list(zip(chosen, composition.times, strict=True)) for chosen in product(*(side.pairs for side in sides))]
    listed = [[(part, times) for parts, times in chosen for part in parts] for chosen in choices]
    for i in range(TRIES):
        value, grids = _largest(listed, at, _cells(composition, size))
        claimed = bound if bound is not None else _rounded(min(value * (1 + MARGIN), Fraction(1)), up=True)
        if eps is not None or value * (1 + MARGIN) <= claimed:
            lattices = [(grid.step, ROOMY * grid.cells) for grid in grids]
            proof = writing.composed([side.proof for side in sides], lattices)
            claim = _claim(composition, [side.seen for side in sides], str(at), claimed)
            return writing.certificate(claim, "PROVED", proof)
        more = _farther(grids[0], at, value, claimed) * 2**i
        at = _claimed(_rounded(Fraction(at.enclosure(DIGITS)[1]) + more, up=True))
    raise Undecided("the lattice comes to no eps that is enough")


def _lower(
    composition: Composition, found: Composed, eps: Eps | None, bound: Fraction | None, recheck: Recheck
) -> Tree:
    """The lower bound, REFUTED: at real neighbouring datasets, by what they show on the lattice."""
    low = _lowest(found)
    if (low if found.delta is None else _delta_of(found).low) == 0 and _finite(found):
        raise Undecided("it is 0")
    if len(found.worst) != len(composition.runs):
        raise Undecided("the lower end is not of one pair of datasets for each system")
    at = eps or Eps.of(min(_rounded(low * (1 - MARGIN), up=False), Fraction(MAX_EPS)))
    size = bound or _delta_of(found).low
    if (boxed := composition.boxed(eps or bound or Fraction(1))) is not None:
        real = [one for _, one, _ in boxed.members]
    else:
        real = [_real(composition, i, worst.neighbours, size) for i, worst in enumerate(found.worst)]
    sides = [_shown(composition, i, one.neighbours) for i, one in enumerate(real)]
    both = zip(real, composition.runs, strict=True)
    parts: list[Part] = [(part, run.times) for one, run in both for part in one.parts]
    grid, size = guessed(parts, at, _cells(composition, size))
    value = delta(parts, at, grid, False, size)
    for i in range(TRIES):
        if bound is None or value * (1 - MARGIN) > bound or not at.enclosure(DIGITS)[0].strip("0."):
            break
        less = _farther(grid, at, bound, value) * 2**i
        at = Eps.of(max(_rounded(Fraction(at.enclosure(DIGITS)[0]) - less, up=False), Fraction(0)))
        value = delta(parts, at, grid, False, size)
    claimed = bound if bound is not None else _rounded(value * (1 - MARGIN), up=False)
    why = writing.composed([{"pair": pair} for _, pair in sides], [(grid.step, ROOMY * grid.cells)])
    claim = _claim(composition, [seen for seen, _ in sides], str(at), claimed)
    return _accepted(writing.certificate(claim, "REFUTED", why), recheck)


def _delta_of(found: Composed) -> Interval:
    """The delta that was found; 1 where that is an eps."""
    return exactly(1) if found.delta is None else Interval.of(found.delta, DIGITS)


def _highest(found: Composed) -> Fraction | None:
    if found.interval is not None:
        return found.interval[1]
    return None if found.power is None else Fraction(Eps.log(found.power).enclosure(DIGITS)[1])


def _farther(grid: Grid, at: Eps, above: Fraction, below: Fraction) -> Fraction:
    """About by how much an eps changes delta from `above` to `below`; of what is 0 nothing tells that."""
    return further(grid, above / below) if above and below else Fraction(at.enclosure(DIGITS)[1]) / 1000


def _finite(found: Composed) -> bool:
    """Whether what was found is no infinite eps."""
    return (found.delta, found.interval, found.power) != (None, None, None)


def _lowest(found: Composed) -> Fraction:
    if found.interval is not None:
        return found.interval[0]
    return Fraction(0) if found.power is None else Fraction(Eps.log(found.power).enclosure(DIGITS)[0])


def _cells(composition: Composition, size: Fraction) -> int:
    """As many cells, up to CELLS, as the kernel has the time for."""
    cells = CELLS
    while cells > CELLS >> 4 and _work(composition, size, cells) > MOST_STEPS:
        cells //= 2
    return cells


def _work(composition: Composition, size: Fraction, cells: int) -> int:
    """About the kernel's steps on a lattice: it has two products of polynomials, of P and of Q, for each doubling and
    each one bit of how often a pair is seen, of numbers as long as a delta of this size asks."""
    bits = 100 + 2 * sum(composition.times).bit_length() + (size.denominator // max(size.numerator, 1)).bit_length()
    products = 2 * (sum(times.bit_length() + times.bit_count() - 1 for times in composition.times) - 1)
    return max(products, 1) * (2 * bits * 2 * ROOMY * cells // 7)


def _largest(listed: Sequence[Sequence[Part]], at: Eps, cells: int) -> tuple[Fraction, list[Grid]]:
    """The largest upper bound of some compositions, and a lattice for each."""
    found = [guessed(parts, at, cells) for parts in listed]
    lows = [delta(parts, at, grid, False, size) for parts, (grid, size) in zip(listed, found, strict=True)]
    size = max(lows) or max(size for _, size in found)
    ends = [delta(parts, at, grid, True, size) for parts, (grid, _) in zip(listed, found, strict=True)]
    return max(ends), [grid for grid, _ in found]


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


def _claimed(high: Fraction | None) -> Eps:
    """The eps of a claim that is PROVED. Raises Undecided where no claim has one that is so large."""
    if high is None:
        raise Undecided("no finite eps is shown to satisfy this delta")
    if high > MAX_EPS:
        raise Undecided(f"no eps up to {MAX_EPS}, the largest of a claim, is shown to be enough")
    return Eps.of(high)


def _mechanism(composition: Composition, i: int) -> Tree | None:
    """The view of a system, where a certificate states it without a table: not where datasets are enumerated."""
    run = composition.runs[i]
    if composition.ones[i].bound.around is not None:
        return None
    reach = known_reach(run.system, run.n)
    seen = None if reach is None or reach.dominating is not None else reach.mechanism
    if seen is None or not writing.of_numbers(seen):
        return None
    return {**seen, "users": run.n} if "up to" in seen["each"] else dict(seen)


def _table(run: Run) -> Tree:
    reach = known_reach(run.system, run.n)
    if reach is not None and reach.mechanism is not None and "private" in reach.mechanism["each"]:
        return dict(reach.mechanism)
    if reason := unwritten(run.system):
        raise Undecided(f"no certificate states what is seen: {reason}")
    who = presence_of(run.system)
    rows = randomizer_of(without_presence(run.system)).to_json()
    return writing.rows(rows, run.n, "shuffled", who.honest, text(who.take_part))


def _only_shifts(run: Run) -> bool:
    """Whether the others of a table's users only shift what is seen, of two inputs: its pairs are the two ways."""
    if unwritten(run.system) or presence_of(run.system) != EVERYBODY:
        return False
    rows = randomizer_of(run.system)
    return len(rows.inputs) == 2 and len(view_of(rows).classes) == 1


def _last(profile: SystemProfile, run: Run, size: Fraction) -> Fraction:
    """The eps of a last dot: what is beyond adds little to an answer of this size."""
    last, before, room = profile.first, set[Fraction](), size * BEYOND / run.times
    while last not in before:
        before.add(last)
        last = profile.further(last, room)
    last = max(last, *before)
    steps = (last * k / STEPS for k in range(STEPS // 2 + 1, STEPS))
    return next((step for step in steps if profile.reached(step, room)), last)


def _side(composition: Composition, i: int, run: Run, size: Fraction) -> Side:
    """A system's pairs as they are, where they are few and `data` is same; else one pair by dots."""
    seen, profile = _mechanism(composition, i), composition.ones[i]
    if composition.data == "same" and profile.whole and len(profile.sides) <= FEW:
        if seen is not None:
            return Side(seen, writing.proof_of(seen), [side.parts for side in profile.sides])
        if len(profile.sides) == 2 and _only_shifts(run):
            sides = sorted(profile.sides, key=lambda side: (side.neighbours.source, side.neighbours.target))
            pairs = [(side.neighbours.source, side.neighbours.target) for side in sides]
            return Side(_table(run), writing.enumerated(pairs, []), [side.parts for side in sides])
    bound = profile.bound.stated
    if bound.covers is None and bound.reach is not None:
        family = bound.reach.stated(proved=True)[1]
        curve = cache(lambda x: family.worst(Eps.log(x), COSTLY)[0].high)
        profile = replace(profile, above=curve, infinity_mass=family.infinity_mass())
    last = _last(profile, run, size)
    dots = SOME_DOTS if bound.around is not None else DOTS if seen is None else MANY_DOTS
    made = [(x, *_dot(bound, seen, Eps.log(x))) for x in powers(last, dots)]
    seen = made[0][3]
    if any(one[3] != seen for one in made):
        raise Undecided("its curve is proved of different views, each at some eps")
    return Side.dotted(seen, [dot[:3] for dot in made])


def _dot(bound: Bound, seen: Tree | None, at: Eps) -> tuple[Fraction, Tree, Tree]:
    """An upper bound on the largest delta at an eps, its proof, and what is seen, which the proof is about."""
    if seen is not None:
        least = bound.upper(at, DIGITS).high
        return _rounded(min(least * (1 + MARGIN), Fraction(1)), up=True), writing.proof_of(seen), seen
    high = _rounded(min(Interval.of(bound.delta(at).delta, DIGITS).high * (1 + DOT_MARGIN), Fraction(1)), up=True)
    made = bound.decided(at, high)
    if made.because is None or made.verdict != "PROVED":
        raise Undecided(f"no proof of delta({shorten(str(at))}) <= {shorten(high)} of one run")
    return high, dict(made.because), made.claim.seen


def _real(composition: Composition, i: int, neighbours: Neighbours, size: Fraction) -> Component:
    """The component of a real pair."""
    profile, run = composition.systems[i], composition.runs[i]
    sides = [side for side in profile.sides if side.parts]
    if not any(side.neighbours == neighbours for side in sides):
        last = _last(composition.ones[i], run, size)
        guesses = [Eps.of(last * part) for part in GUESSES]
        near = [side.drawn(powers(last, 3 * DOTS), profile.above) for side in profile.near(guesses)]
        sides = [way for side in near if side.parts for way in (side, side.reversed())]
    if not sides:
        raise Undecided("the worst pair's laws are not known by outcomes")
    return next((side for side in sides if side.neighbours == neighbours), sides[0])


def _shown(composition: Composition, i: int, neighbours: Neighbours) -> tuple[Tree, Tree]:
    """The view and the pair of datasets of a system, as a refutation in a certificate states them."""
    seen, run, bound = _mechanism(composition, i), composition.runs[i], composition.ones[i].bound
    if seen is None and bound.reach is not None and bound.reach.attained_mechanism is not None:
        seen = dict(bound.reach.attained_mechanism)
    if seen is None and (reason := unwritten(run.system)):
        raise Undecided(f"no certificate states what is seen: {reason}")
    if seen is None:
        return _table(run), writing.neighbours(neighbours.source, neighbours.target, neighbours.others or {})
    each = seen["each"]
    if "up to" in each:
        return seen, writing.neighbours(neighbours.source, neighbours.target, None)
    if "columns" in each:
        return seen, writing.neighbours("1", "0", {})
    return seen, ends_of_mechanism(seen, neighbours)
