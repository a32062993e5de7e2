"""What shows the kernel that a bound is kept, or is not: proofs over all datasets, and two datasets with an event.

A proof is an enumeration, a cover (a tree of cuts whose leaves are corners of boxes, or blocks with their grids), a
blanket or what a system has of its own.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, isqrt, prod
from typing import Any

from flint import fmpz

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.block import taken
from shufflecert.verify.bound.bound import Certified, Claim, WorstDelta
from shufflecert.verify.bound.box_blocks import Leaf
from shufflecert.verify.bound.law import bits_of
from shufflecert.verify.bound.question import Question
from shufflecert.verify.bound.search import TOLD, Search, Spent
from shufflecert.verify.bound.table import Box, Table, sure_of
from shufflecert.verify.bound.table import Pair as Inputs
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Case, Neighbourhood, Neighbours
from shufflecert.verify.exact.randomizer import NOBODY, Messages, Randomizer
from shufflecert.verify.exact.views import Permutation, symmetries, view_of
from shufflecert.verify.reduce.privacy_blanket import event_of
from shufflecert.verify.reduce.reduction import NamedPair, Reduction

MOST_DATASETS = 2_000_000  # of the others, one by one, by the kernel
MOST_EACH = 1_200_000  # outcomes of all of them that it has the time for, at most: some 200 steps each
MOST_BITS_OF_LAW = 10_000_000  # of all outcomes' weights: that the kernel has the memory for
MOST_ZEROS = 10_000  # of a delta
MOST_CHECKED = 4_000_000  # outcomes of all of them, beyond which boxes of datasets are asked first
SPARE = 72  # bits below a delta, of windows
COVER_WORK = 60_000_000  # cells and terms that a cover looks at
TRIES, CLOSER = 3, Fraction(999, 1000)  # of a cover, each of a smaller delta
MOST_STEPS = 2_000_000_000  # of 64 bits, by which the kernel comes to a dataset's laws: outcomes, users and words
Tree = dict[str, Any]
Proof = Callable[[Eps, Fraction], Mapping[str, Any]]


def by_pairs(
    claim: Claim, reach: Reduction, worst: WorstDelta, attains: NamedPair | None, proof: Proof | None = None
) -> Certified:
    """The verdict on a claim from an enclosure of the worst, with what a reduction's pairs show of it.

    `attains` are the datasets of the lower bound, and `proof`, where given, shows for a table that (eps, delta) is
    kept. UNDECIDED where the claimed delta lies inside the enclosure, and where no certificate shows what was found.
    """
    assert isinstance(worst.delta, Interval)
    claim = replace(claim, mechanism=reach.mechanism)
    try:
        holds = worst.delta.against(claim.delta) <= 0
    except Undecided as undecided:
        return Certified(claim, "UNDECIDED", worst, reason=str(undecided))
    verdict = "PROVED" if holds else "REFUTED"
    because: Mapping[str, Any] | None = None
    why = f"{verdict} by a proof that no form of certificate covers: delta is in "
    why += "[{}, {}]".format(*worst.delta.enclosure(12))
    try:
        if reach.evidence is not None:
            because = reach.evidence(claim.eps, claim.delta, attains, holds)
        elif reach.mechanism is None:
            kept = proof if holds else None
            because = kept(claim.eps, claim.delta) if kept else _of_table(claim, reach, attains, holds)
        elif (stated := _stated(claim, reach, worst.delta, attains, holds)) is not None:
            claim, because = stated
    except Undecided as undecided:
        why = f"{verdict} by a proof that no certificate shows: {undecided}"
    if because is None:
        return Certified(claim, "UNDECIDED", worst, reason=why)
    return Certified(claim, verdict, worst, because)


def _stated(
    claim: Claim, reach: Reduction, value: Interval, attains: NamedPair | None, holds: bool
) -> tuple[Claim, Tree] | None:
    """The claim about a mechanism that a certificate of the verdict states, and why; None where it does not hold."""
    mechanism, family = reach.stated(holds)
    own = family is reach.attained or family is reach.dominating
    value = value if own else family.worst(claim.eps)[0]
    if mechanism is None or (value.high > claim.delta if holds else value.low <= claim.delta):
        return None
    claim = replace(claim, mechanism=mechanism)
    if holds:
        return claim, writing.proof_of(claim.seen, claim.neighbours, family.tree(claim.eps, claim.delta))
    worst = attains if own and attains else family.worst(claim.eps)[1]
    assert worst is not None
    return claim, writing.event(ends_of_mechanism(claim.seen, worst.neighbours))


def ends_of_mechanism(seen: Mapping[str, Any], worst: Neighbours) -> Tree:
    """The pair of neighbours of a mechanism that a refutation names."""
    ends = [None if end == NOBODY else end for end in (worst.source, worst.target)]
    if "one of" not in seen["each"]:
        return writing.neighbours(ends[0], ends[1], {} if "columns" in seen["each"] else None)
    others = (worst.others or {}) if seen["users"] > 1 else {}  # of one user there are no others
    held = {end: others.get(end, 0) for end in ends if end is not None}
    names = [None if end is None else "a" if i == 0 or None in ends else "b" for i, end in enumerate(ends)]
    counts = dict(zip([name for name in names if name], held.values(), strict=True))
    return writing.neighbours(names[0], names[1], {**counts, "other": seen["users"] - 1 - sum(counts.values())})


# Tables --------------------------------------------------------------------------------------------------------------


def ends_of(rows: Randomizer) -> list[tuple[str | None, str | None]]:
    """All ordered pairs of ends of the user who changes; None is to be absent, or on the reference."""
    return writing.ends(rows.inputs, "add-remove" if NOBODY in rows.rows else "replace")


def _of_table(claim: Claim, reach: Reduction, attains: NamedPair | None, holds: bool) -> Tree:
    """A proof or a refutation of a claim about a table. Raises Undecided where there is none."""
    rows, asked = claim.question.randomizer, claim.question
    if holds and reach.dominating is not None:
        return writing.of_blanket(ends_of(rows), reach.dominating.hints(claim.eps, claim.delta))
    assert attains is not None and attains.others is not None
    if not holds:
        return refutation(claim, rows, attains)
    n, view = asked.counted, view_of(rows)  # the pairs that are attained stand for all: the kernel enumerates them
    datasets = comb(n - 1 + len(view.classes) - 1, n - 1)
    if datasets * view.terms(n) > MOST_CHECKED:
        with suppress(Undecided):
            return Shown(rows, n).trees(claim.eps, claim.delta)
    if datasets > MOST_DATASETS:
        raise Undecided(f"{datasets} datasets of the others: expected at most {MOST_DATASETS} to be checked again")
    return enumerated(Neighbourhood(rows, view, 2, tuple(symmetries(view))), claim)


def too_many(made: Certified) -> bool:
    """Whether a proof looks at the others' datasets one by one, of a table of which one number matters, and they are
    more than the kernel has the time for, as is foreseen."""
    asked, pairs = made.claim.question, (made.because or {}).get("pairs", ())
    trees = [one["tree"] for one in pairs if "tree" in one]
    if made.claim.mechanism is not None or asked.view != "shuffled" or not trees or any(t != ["each"] for t in trees):
        return False
    table, n = Table.of(asked.randomizer, reduced=False), asked.counted
    datasets = comb(n + len(table.bases) - 2, n - 1)
    return table.rank == 1 and datasets * _outcomes(table, n, made.claim.delta) > MOST_EACH


def faintest(asked: Question) -> Fraction:
    """The least power of 1/10 for which the kernel has room for the law of all users of a table of which one number
    matters, as is foreseen; 0 where that is not so, or even 1 is too much."""
    if asked.view != "shuffled" or (table := Table.of(asked.randomizer, reduced=False)).rank != 1:
        return Fraction(0)

    def room(zeros: int) -> bool:
        delta = Fraction(1, 10**zeros)
        return _outcomes(table, asked.counted, delta) * (SPARE + bits_of(delta)) <= MOST_BITS_OF_LAW

    zeros = bisect_left(range(MOST_ZEROS), True, key=lambda zeros: not room(zeros)) - 1
    return Fraction(1, 10**zeros) if 0 <= zeros < MOST_ZEROS - 1 else Fraction(0)


def _outcomes(table: Table, n: int, delta: Fraction) -> int:
    """About how many sums of n users the kernel's windows hold for a delta: what they leave out is far below it."""
    bits = SPARE + bits_of(delta)
    moments = [[sum(weight * at[0] ** k for at, weight in row.items()) for k in (1, 2)] for row in table.rows]
    variance = max(Fraction(square, table.unit) - Fraction(mean, table.unit) ** 2 for mean, square in moments)
    most = n * max(at[0] for row in table.rows for at in row)
    return min(most, 2 * isqrt(int(variance * n * bits * 7 / 5))) + 1  # 2 ln 2


def refutation(claim: Claim, rows: Randomizer, attains: NamedPair) -> Tree:
    """Two datasets with an event that exceeds delta, by a threshold or listed. Raises Undecided where there is none."""
    asked, eps, delta = claim.question, claim.eps, claim.delta
    named = attains.neighbours.deleted(asked.presence)
    threshold = attains.threshold if named == attains.neighbours else None
    if threshold is None:
        threshold = event_of(rows, named.source, named.target, named.others or {}).threshold
    try:
        event = threshold(eps, delta)
        return writing.event(pair_json(named, "shuffled"), event.weights, event.above)
    except Undecided:  # an event that is no threshold, such as the even numbers, may show it
        if (case := case_of(rows, asked.counted, named)) is None:
            raise
        outcomes = outcomes_of(rows, asked.counted, case, small_event(case, eps, delta))
        listed = [outcome_json(seen, "shuffled") for seen in outcomes]
        return writing.event(pair_json(case.neighbours, "shuffled"), outcomes=listed)


def enumerated(around: Neighbourhood, claim: Claim) -> Tree:
    """The proof that looks at every composition of the others, but those that a symmetry makes of another one."""
    messages = [send[0] for send in around.view.messages] if around.symmetries else []
    renamings = [
        {"inputs": _moved(around.view.inputs, s.inputs), "messages": _moved(messages, s.messages)}
        for s in around.symmetries
    ]
    return writing.enumerated(ends_of(around.randomizer), renamings)


def _moved(labels: Any, permutation: Permutation) -> dict[str, str]:
    """A permutation without the labels that stay in their place."""
    return {labels[i]: labels[j] for i, j in enumerate(permutation) if i != j}


def listed(around: Neighbourhood, case: Case, claim: Claim) -> tuple[tuple[Any, ...], tuple[Fraction, Fraction], Tree]:
    """(an event of the worst pair that exceeds delta, its two probabilities, the refutation)."""
    chosen = small_event(case, claim.eps, claim.delta)
    view = around.view.name
    event = tuple(outcome_json(outcome, view) for outcome in around.outcomes(case, chosen))
    refuted = writing.event(pair_json(case.neighbours, view), outcomes=[*event])
    return event, case.pair.probabilities(chosen), refuted


def pair_json(neighbours: Neighbours, view: str) -> Tree:
    """A pair of neighbours as a certificate writes it, with the others in the shuffled view."""
    others = dict(neighbours.others or {}) if view == "shuffled" else None
    return writing.neighbours(neighbours.source, neighbours.target, others)


def outcome_json(outcome: Mapping[Messages, int], view: str) -> Any:
    """An outcome of a view: a list of messages in the local one, else how many of each are seen."""
    if view == "local":
        return list(next(iter(outcome)))
    return {message[0]: count for message, count in outcome.items()}


# Covers --------------------------------------------------------------------------------------------------------------


@dataclass
class Shown:
    """Covers of a table of n users that the kernel finds to keep a delta."""

    randomizer: Randomizer
    n: int
    max_work: int = COVER_WORK

    def trees(self, eps: Eps, bound: Fraction, level: Eps | None = None) -> dict[str, Any]:
        """A proof: trees for all pairs of inputs whose leaves keep delta(eps) <= bound. Raises Undecided if none do.

        What seems to do is looked for at a `level`, where given: a smaller eps at which delta is about the same.
        """
        table = Table.of(self.randomizer, reduced=False)
        search = Search(table, self.n, self.max_work, plain=True, least=min(bound, TOLD))
        aimed = bound
        for _ in range(TRIES):
            try:
                found = search.cover(table.pairs, [level or eps], [aimed], {}) if table.pairs else {}
                if not isinstance(found, dict):
                    break
                most = search.most([leaf for leaves in found.values() for leaf in leaves], [eps], [aimed])[0]
            except Spent:
                break
            if most <= bound:
                return self._written(search, found, eps, bound)
            aimed = aimed * bound / most * CLOSER
        raise Undecided("no cover that is short enough to be checked again was found")

    def _written(self, search: Search, found: Mapping[Inputs, list[Leaf]], eps: Eps, bound: Fraction) -> dict[str, Any]:
        table = search.table
        pairs = ends_of(self.randomizer)
        if all(leaf.cuts is None for leaves in found.values() for leaf in leaves):
            boxes = [{leaf.box for leaf in leaves} for leaves in found.values()]
            tree = list(self._corners(search, search.root, boxes))
            return writing.cover([writing.entry(a, b, tree) for a, b in pairs])
        rows = dict(zip(table.inputs, table.rows, strict=True))
        alike = [(a, b, str(a or b)) for a, b in pairs if rows[a or NOBODY] == rows[b or NOBODY]]
        covers = [writing.entry(a, b, [writing.block({held: 1}, 0, held)]) for a, b, held in alike]
        for (a, b), leaves in found.items():
            nodes = [
                self._node(search, node, eps, bound)
                for node in search.tree(search.root, {leaf.box: leaf for leaf in leaves})
            ]
            covers.append(writing.entry(table.inputs[a] or None, table.inputs[b] or None, nodes))
        return writing.cover(covers, known=self._known())

    def _corners(self, search: Search, box: Box, left: list[set[Box]]) -> Iterator[list[Any] | str]:
        """One tree for all pairs, whose leaves are cut where a pair's is."""
        left = [boxes for boxes in left if box not in boxes]
        cut = search.cut(box) if left else None
        if cut is None:
            yield "corner"
            return
        yield [search.table.inputs[search.table.firsts[cut[0]]], cut[1]]
        for part in box.parts(*cut, search.total):
            yield from self._corners(search, part, left)

    def _node(self, search: Search, node: tuple[int, int] | Leaf, eps: Eps, bound: Fraction) -> Any:
        table = search.table
        names = [table.inputs[x] for x in table.firsts]
        if not isinstance(node, Leaf):
            return [names[node[0]], node[1]]
        if node.cuts is None:
            return "corner"
        block = node.kinds[0].block  # the only one: certificates have blocks of one kind
        place = taken(table, block, *node.pair)
        if block.place is not None and place is not None:
            names[block.place] = table.inputs[place]
        grid = search.grid(node, eps, bound)
        users = dict(zip(names, block.users, strict=True))
        end = None if place is None else table.inputs[place]
        return writing.block(users, block.open, end, writing.grid(grid.step, grid.cells, grid.tilt, grid.above))

    def _known(self) -> dict[str, dict[str, int]]:
        """What each input is sure to send."""
        view = view_of(self.randomizer)
        sure = zip(view.inputs, sure_of(view), strict=False)
        return {
            x: {view.messages[i][0]: count for i, count in sent.items() if count}
            for x, sent in sure
            if any(sent.values())
        }


# Events that are listed: where datasets are too many to enumerate, one may be small enough to be known exactly --------


def case_of(rows: Randomizer, n: int, named: Neighbours) -> Case | None:
    """The laws of two neighbouring datasets of n users, exactly; None where the kernel would take long to find them."""
    view, held = view_of(rows), dict(named.others or {})
    outputs = max(map(len, view.rows))
    if n * view.terms(n) * outputs * (1 + n * view.denominator.bit_length() // 64) > MOST_STEPS:
        return None
    counts = tuple(sum(held.get(view.inputs[z], 0) for z in group) for group in view.classes)
    others = prod((base**count for base, count in zip(view.bases, counts, strict=True)), start=view.ring.constant(1))
    p, q = (view.polynomials[view.inputs.index(x)] * others for x in (named.source, named.target))
    pair, monomials = Pair.aligned((p.monoms(), p.coeffs()), (q.monoms(), q.coeffs()), fmpz(view.denominator) ** n)
    firsts = (view.inputs[group[0]] for group in view.classes)
    alike = {z: count for z, count in zip(firsts, counts, strict=True) if count}  # of one class: the same but a shift
    return Case(Neighbours(named.source, named.target, alike), pair, counts, monomials)


def outcomes_of(rows: Randomizer, n: int, case: Case, chosen: Iterable[int]) -> list[dict[Messages, int]]:
    """The outcomes at these indices, as multisets of messages."""
    return Neighbourhood(rows, view_of(rows), n, ()).outcomes(case, chosen)


def small_event(case: Case, eps: Eps, delta: Fraction) -> list[int]:
    """Find few outcomes (by index), the most telling first, with P(E) - e^eps Q(E) > delta.

    There must be such an event.
    """
    pair, bits = case.pair, 64
    while bits <= MAX_BITS:
        _, upper = eps.bounds(bits)
        above, below = map(fmpz, upper.as_integer_ratio())
        excess = [p * below - above * q for p, q in zip(pair.p, pair.q, strict=True)]
        total, needed, chosen = fmpz(0), pair.denominator * below * delta.numerator, []
        for i in sorted(range(len(excess)), key=excess.__getitem__, reverse=True):
            if excess[i] <= 0:
                break
            total += excess[i]
            chosen.append(i)
            if total * delta.denominator > needed:
                return chosen
        bits *= 2
    raise Undecided(f"no event of {case.neighbours} exceeds delta at {MAX_BITS} bits")
