"""Verdicts around the verified checker: "accepted" is said only where it returned true, of what its theorem is about.

The other verdicts rest on this file and on hints.py; nothing in them can make a false certificate pass.
"""

import gc
import math
import sys
from collections import Counter
from functools import partial

from shufflecert.verify.checked import program as c
from shufflecert.verify.checked.blocks import Block, Entry, NoBlock, Shared, by_renamings, column_trees, entries_of
from shufflecert.verify.checked.hints import (
    MOST_TABLE,
    MOST_USERS,
    MOST_WORK,
    SMALL_WORK,
    TooMuch,
    any_way,
    begun,
    bits_between,
    by_boxes,
    coarse,
    columns_hint,
    dots_of,
    exact,
    few_users,
    finer,
    lattice_plans,
    line_beside,
    looks,
    many_users,
    most_boxes,
    narrow,
    number_hint,
    one_bucket,
    one_class,
    pairs_of,
    plane,
    polys_of,
    precision,
    products_work,
    rounded,
    sizes,
    steep,
    steepest,
    steps_of,
    symmetries_work,
    table_work,
    threshold_work,
    work,
)
from shufflecert.verify.checked.reader import Malformed, NotCovered, certificates, parse, read
from shufflecert.verify.checked.words import (
    by,
    cons,
    items,
    neighbours_of,
    of_any,
    of_columns,
    of_crowd,
    of_number,
    of_one,
    of_runs,
    one_changes,
    seen_of_any,
    seen_of_columns,
    seen_of_crowd,
    seen_of_number,
)

MOST_STEPS = 5 * 10**8  # of all loops: a minute or so
MOST_CALLS = 200_000  # within each other
ALONE_WORK = 1e5  # from where it is tried whether one user keeps a claim without the others
RENAMING_STEPS = 100.0  # to see what one renaming makes of one pair
TOPMOST_BITS = (64, 512)  # of e^eps, where chances of the highest sum are compared
NO_RENAMING = "rejected", "because.renamings: one is none"
NOT_ABOVE = "because.pair: its delta(eps) is not above delta"
MOST_SPAN = 10_000  # of one user's sums of weights, of which powers are one product of integers


def ready(claim, names):
    """Sizes, where the rows are a randomizer's and not too many or too long."""
    _, called = names
    messages = c.length(called)
    found = sizes(claim, messages)
    if not c.valid(found.unit_of, claim.rows):
        raise Malformed("claim.randomizer.rows: expected weights above 0 that sum to exactly 1")
    begun(table_work(claim, found, messages), MOST_TABLE)
    return found


def kept(crowd, s, proof):
    """Whether the proof is one of the claim."""
    return c.check_crowd(crowd, own_unit(crowd), s.unit_of, proof)


def certain(crowd, s, judge):
    """Whether delta is at least 1: then there is nothing to say of any pair."""
    return crowd.crowd_delta.qnum >= crowd.crowd_delta.qden and judge(crowd, s, c.Certain())


def broken(crowd, s, p, gap):
    """Whether the pair has this gap."""
    return c.check_crowd_false(crowd, own_unit(crowd), s.unit_of, p, gap)


def own_unit(crowd):
    return math.lcm(*(p.qden for r in items(crowd.each) for _, p in items(r)))


def proved(names, crowd):
    """What is said of a claim that is true."""
    return "accepted", f"PROVED: {of_crowd(names, crowd)}: {by('check_crowd_sound', 'Presence.v')} the claim is true"


def refuted(names, crowd, words):
    """What is said of one that is false."""
    sound = by("check_crowd_false_sound", "Presence.v")
    return "accepted", f"REFUTED: {of_crowd(names, crowd)}: {sound} the claim is false: {words}"


def renamed(claim, symmetries, s):
    """Whether all renamings that a proof lists are such."""
    begun(symmetries_work(claim, symmetries), MOST_TABLE)
    return c.symmetries_hold(claim, s, symmetries)


def enumerated(claim, s, first, check, wrong, accepted, others=None):
    """All datasets, or those of a pair with such `others`: `check` of hints in turn, and what is `wrong` with one."""
    single, one = not claim.rows[1], others is not None
    every, few = (0.0, 0.0) if single else work(claim, s, first, one)
    if one and many_users(claim):  # who are not spelled out
        every = math.inf
    line, boxes, bits = None, 0, [first, first + 32, max(2 * first + 128, first + steep(claim.eps) if one else 0)]
    if every > SMALL_WORK and one:
        line = line_beside(polys_of(c.core(claim), s), others, bits[-1])
        boxes = 1 if line else 0
    elif every > SMALL_WORK:
        line = steps_of(claim, s)
        boxes = most_boxes(claim, line, bits[-1]) if line else 0
    alone = one or one_class(claim, s)
    boxed = boxes >= (1 if alone else 20)
    if not boxed:
        if one:
            few_users(claim)
        begun(min(every, few), MOST_WORK)
    decided = isinstance(claim.eps, c.Log) or claim.eps.q.qnum == 0
    if boxed:
        rounds = [by_boxes(claim.eps, claim.users, line, boxes, b if alone else coarse(claim), b) for b in bits]
    else:
        rounds = [rounded(claim.eps, claim.users, b) for b in bits]

    def by_turns(hints):
        for hint in hints:
            if check((hint, ())):
                return accepted()
            if why := wrong(hint):
                return "rejected", why
        return None

    def exactly():
        hints = (exact(claim.eps, b) for b in ([64] if decided else [first + 32, 512, 2048, 8192, 32768]))
        return by_turns(hints) or ("undecided", "too few bits: 32768 bits of e^eps do not decide")

    if every <= max(few, SMALL_WORK):
        return exactly()
    borne_out = boxed or few <= MOST_WORK
    if borne_out and (found := by_turns(rounds) if one else check(cons(rounds)) and accepted()):
        return found
    if every <= MOST_WORK:
        return exactly()
    return "undecided", "with rounded weights it is not borne out, and exactly it is too much work"


def turned(claim, side, hint):
    """The claim for an end of e^eps."""
    return claim._replace(eps=c.Log(c.Qmake(*side(claim.eps, hint.precise)))) if isinstance(claim.eps, c.Of) else claim


def decide_each(crowd, symmetries, names, judge=kept):
    """On all neighbouring datasets: where there are renamings, of pairs that these do not move to others."""
    claim = c.claim_of(crowd)
    s = ready(claim, names)
    apart = symmetries or judge is kept  # points of several runs are looked at together
    if apart and isinstance(claim.sees, c.Shuffled) and claim.rows[1] and not steps_of(claim, s):
        pairs = [Entry(a, b, ["each"]) for a, b in items(c.all_moves(c.length(claim.rows)))]
        return decide_trees(crowd, symmetries, cons([()] * c.length(claim.rows)), pairs, names, judge)
    if not renamed(claim, symmetries, s):
        return NO_RENAMING
    if certain(crowd, s, judge):
        return proved(names, crowd)
    if not one_class(claim, s):
        few_users(claim)

    def wrong(hint):
        holds = c.upper_holds(c.core(turned(claim, c.from_above, hint)), s, hint)
        return None if holds else "because: delta(eps) is above delta for a pair"

    def check(hints):
        return judge(crowd, s, c.AllDatasets(s, symmetries, hints))

    return enumerated(claim, s, 40 + bits_between(claim.delta), check, wrong, lambda: proved(names, crowd))


def told_by_few_bits(crowd, s, p):
    """Whether the best event of counts modulo a power of 2 exceeds delta, where counts themselves are on no line."""
    claim, first = c.claim_of(crowd), 40 + bits_between(crowd.crowd_delta)
    others, table = c.others_of(claim, p), c.core(claim)
    one_by_one = math.inf if many_users(claim) else min(work(claim, s, first, True))
    if one_by_one <= SMALL_WORK or line_beside(polys_of(table, s), others, first):
        return False
    fewer, tried = narrow(claim, s, others, first - 24), (first, first + 32)
    line = line_beside(polys_of(table, fewer), others, tried[-1], MOST_USERS, one_by_one)
    shown = cons(by_boxes(claim.eps, claim.users, line, 1, b, b) for b in tried if line)
    return broken(crowd, fewer, p, c.BestEvent(fewer, shown))


def told_by_one_message(crowd, s, p):
    """Whether, where delta is 0, as many of one message as there can be, or as few, tell that it is exceeded."""
    claim = c.claim_of(crowd)
    if claim.delta.qnum or not isinstance(claim.sees, c.Shuffled) or not (found := steepest(claim, s.unit_of, p)):
        return False
    tops = (c.Topmost(found, s.unit_of, precision(claim.eps, bits)) for bits in TOPMOST_BITS)
    return any(broken(crowd, s, p, one) for one in tops)


def too_little(claim, polys, d, p, hint, event=None):
    """Whether an event of a pair, or its best one, is seen not to exceed delta, with all that this hint leaves out."""
    z, unit = c.from_below(claim.eps, hint.precise)
    v = c.law_of(polys, d, hint.precise, hint.fine, hint.cut, hint.fast, c.others_of(claim, p))
    ends = [c.beside(hint.fast, c.nth(y, polys, ()), v.low) for y in (p.from_told, p.to_told)]
    most = unit * c.weight_in(event, ends[0]) - z * c.weight_in(event, ends[1]) if event else c.stick(unit, z, *ends, 0)
    return (most + unit * d * v.lost) * claim.delta.qden <= claim.delta.qnum * v.scale * d * unit


def on_event(crowd, s, p, names, gap, holds, why, words, event=None):
    """On an event of a pair: `gap` of sizes and hints is the program's; `why` unless it `holds` at an end of e^eps."""
    claim = c.claim_of(crowd)
    first, polys = 40 + bits_between(claim.delta), cons(polys_of(c.core(claim), s))

    def check(hints):
        return broken(crowd, s, p, gap(s, hints))

    def wrong(hint):
        if hint.rounded:
            return why if too_little(claim, polys, s.unit_of, p, hint, event) else None
        return None if holds(turned(claim, c.from_below, hint), s, p, hint) else why

    return enumerated(claim, s, first, check, wrong, lambda: refuted(names, crowd, words), c.others_of(claim, p))


def decide_pair(crowd, p, s, names):
    """On the best event of a pair."""
    words = "the named pair's delta(eps) exceeds delta"
    if told_by_one_message(crowd, s, p) or told_by_few_bits(crowd, s, p):
        return refuted(names, crowd, words)
    return on_event(crowd, s, p, names, c.BestEvent, c.pair_exceeds, NOT_ABOVE, words)


def decide_outcomes(crowd, p, outcomes, s, names):
    """On an event whose outcomes are listed."""

    def holds(claim, s, p, hint):
        return c.event_holds(claim, s, p, outcomes, hint)

    why = "because.event: P(event) - e^eps Q(event) is not above delta"
    words = "the listed event of the named pair exceeds delta"
    event = c.among(c.listed_keys(c.claim_of(crowd), s, outcomes))
    return on_event(crowd, s, p, names, partial(c.Listed, outcomes), holds, why, words, event)


def with_hints(hints, says):
    """What the first of these hints says that says anything."""
    unknown = (
        "because: the probabilities of the noise, to as many digits as are tried, do not tell delta(eps) from delta"
    )
    return next(filter(None, map(says, hints)), ("undecided", unknown))


def decide_number(claim, *ends):
    """On a number that is seen with noise; `ends`: what the user holds who changes, of one that is refuted."""
    claimed, tried = of_number(claim), finer(claim.number_eps, claim.number_delta)
    proved, refuted = (f"{a}: {claimed}: " for a in ("PROVED", "REFUTED"))

    def says(hint):
        if not ends and c.check_number(claim, hint):
            return "accepted", f"{proved}{by('check_number_sound', 'Shifts.v')} the claim is true"
        if not ends and c.number_exceeded(claim, hint):
            return "rejected", "because: delta(eps) is above delta"
        if ends and c.check_number_false(claim, hint, *ends):
            return "accepted", f"{refuted}{by('check_number_false_sound', 'Shifts.v')} the claim is false"
        if ends and c.number_not_exceeded(claim, hint, *ends):
            return "rejected", NOT_ABOVE
        return None

    return with_hints((number_hint(claim, fine, *ends) for fine in tried), says)


# ---- any randomizer, thresholds, covers ----
def decide_any(claim, step, cells, judge=c.check_any):
    """On all randomizers that are so private."""
    for more in (0, 32):
        found = any_way(claim, step, cells, more)
        if found is None:
            return "undecided", "because: too few cells for one step, or too much work"
        bits = found.bits_of + 64
        both = max(precision(claim.any_local, bits), precision(claim.any_eps, bits), key=lambda p: p.halvings)
        if judge(claim, both, found):
            words = "the claim is true of every randomizer with finitely many outputs"
            return "accepted", f"PROVED: {of_any(claim)}: {by('check_any_sound', 'CheckAny.v')} {words}"
    return "undecided", "because: the bound for all randomizers, with these hints, is above delta"


def private_at(local, share, claim, s):
    """A hint for which the randomizer is as private as it is said to be; None where it is not."""
    rows = list(items(claim.rows))
    begun(400.0 * len(rows) ** 2 * max(len(list(items(r))) for r in rows), MOST_TABLE)
    alone = c.alone(local, share, claim)
    for bits in (64, 512, 2048, 8192):
        hint = exact(local, bits)
        if c.upper_holds(alone, s, hint):
            return hint
        if not c.upper_holds(alone._replace(eps=c.Log(c.Qmake(*c.from_above(local, hint.precise)))), s, hint):
            return None
    raise NotCovered("too few bits: 8192 bits of e^local do not decide")


def decide_one(local, share, crowd, p, threshold, names):
    """On a threshold event of one randomizer, which refutes a claim about any that is (local, share)-private."""
    claim = c.claim_of(crowd)
    s = ready(claim, names)
    hint = private_at(local, share, claim, s)
    if hint is None:
        return "rejected", "because.rows: less private than claimed of all"
    words = "the randomizer of the evidence is as private as is claimed, and its threshold event exceeds delta"
    good = "accepted", f"REFUTED: {of_one(local, share, claim)}: {by('check_one_sound', 'CheckAny.v')} {words}"

    def check(p, *last):
        return c.check_one(local, share, claim, p, threshold, s, hint, *last)

    return on_threshold(claim, s, p, threshold, check, lambda: good)


def decide_threshold(crowd, p, threshold, s, names):
    """On a threshold event."""

    def check(p, *last):
        return broken(crowd, s, p, c.Above(threshold, s.unit_of, *last))

    def highest(p, precise):
        return broken(crowd, s, p, c.Topmost(threshold, s.unit_of, precise))

    def accepted():
        return refuted(names, crowd, "the named pair's threshold event exceeds delta")

    return on_threshold(c.claim_of(crowd), s, p, threshold, check, accepted, highest)


def on_threshold(claim, s, p, threshold, check, accepted, highest=None):
    """Whether a pair's threshold event is shown to exceed delta, by `check` of ever more bits; of a delta of 0 first by
    whether it is the `highest` sum.
    """
    d, first = s.unit_of, max(32, 40 + claim.delta.qden.bit_length() - claim.delta.qnum.bit_length())
    tried = [first, 2 * first, max(8 * first, first + steep(claim.eps))]
    if highest and claim.delta.qnum == 0 and any(highest(p, precision(claim.eps, bits)) for bits in TOPMOST_BITS):
        return accepted()
    polys = [c.normal(c.row_by(lambda sent: c.weighed(threshold.weights, sent), d, r)) for r in items(claim.rows)]
    line, as_list = line_beside(polys, p.others_told, tried[-1], MOST_SPAN), cons(polys)
    if not line:
        few_users(claim)
        begun(threshold_work(claim, threshold, {x for x, _ in items(p.others_told)}), MOST_WORK)

    for bits in tried:
        h = by_boxes(claim.eps, claim.users, line, 0, bits, bits) if line else rounded(claim.eps, claim.users, bits)
        if check(p, h.precise, h.fine, h.cut, h.fast):
            return accepted()
        if too_little(claim, as_list, d, p, h, lambda k: threshold.above < k):
            return "rejected", "because.event: P(event) - e^eps Q(event) is not above delta"
    return "undecided", "so many bits do not decide"


def decide_trees(crowd, symmetries, sent, entries, names, judge=kept):
    """On boxes of compositions, pair by pair: one by one, by their corners, by fewer users, and by blocks of users."""
    table = c.claim_of(crowd)
    s, claim = ready(table, names), c.core(table)
    used = symmetries if claim is table else ()
    if not used and not renamed(table, symmetries, s):
        return NO_RENAMING
    polys, line, first = polys_of(claim, s), steps_of(claim, s), max(32, coarse(claim) + 24)
    shared, pairs = Shared(claim, c.length(crowd.each), s, polys, sent), [(one.start, one.to) for one in entries]
    begun(RENAMING_STEPS * c.length(used) * len(entries), MOST_TABLE)
    entries, *renamings = by_renamings(entries, used)
    apart = Counter(one.kept for one in entries) if all(one.tree == ["each"] for one in entries) else None
    every, few = work(claim, s, first, groups=apart and [(k, len(kept)) for kept, k in apart.items()])
    decided = isinstance(claim.eps, c.Log) or claim.eps.q.qnum == 0
    prec, known = precision(claim.eps, first + 64), cons(shared.known)
    if apart and judge is kept and min(every, few) > ALONE_WORK:
        nobody = c.Here(c.Fewer(cons([0] * len(shared.classes))))
        alone = c.Covered(cons(pairs), (nobody, ()))
        if judge(crowd, s, c.Trees(s, (), 0, (prec, ()), prec, known, (alone, ()), (), ())):
            return proved(names, crowd) if renamed(table, used, s) else NO_RENAMING

    tried = False
    for bits, affordable in ((first, SMALL_WORK), (first + 64, SMALL_WORK), (first + 64, MOST_WORK)):
        try:
            trees = shared.covers(entries, bits)
        except NoBlock:
            return "rejected", "because: no block in a box"
        if certain(crowd, s, judge):
            return proved(names, crowd) if renamed(table, used, s) else NO_RENAMING
        leaves = list(shared.corners(trees))
        corners = [(pairs, m) for pairs, m in leaves if m is not None]
        one_by_one = len(corners) < len(leaves)
        spelled = claim._replace(users=1 + max((sum(items(m)) for _, m in corners), default=0))
        exactly, about = (each * len(corners) for each in work(spelled, s, first, one=True))
        along = line or plane(polys, spelled.users, len(corners), about)
        wide = len(corners) > looks(spelled, line, first, polys) and every > SMALL_WORK and few > MOST_WORK
        if wide and (line or not along):
            return "undecided", "too much work: many wide boxes"
        if one_by_one:
            few_users(table)
            begun(min(every, few), MOST_WORK)
        few_users(spelled)
        hint = by_boxes(claim.eps, spelled.users, along or (1, -1), 0, bits, bits)
        many = max((k.bit_length() for _, m in corners for k in items(m)), default=0)
        if one_by_one:
            exactly, about = max(exactly, every), few
        exact_too = bool(leaves) and exactly <= max(about, affordable)
        if affordable > SMALL_WORK and exact_too == tried:
            break
        tried = exact_too
        only = exact_too and (exactly <= about or (one_by_one and not corners))
        rounds = hint.rounds if leaves and not only else ()
        ties = (hint.precise, ()) if exact_too else ()
        proof = c.Trees(s, rounds, many, ties, precision(claim.eps, bits + 64), known, trees, *renamings)
        if judge(crowd, s, proof):
            return proved(names, crowd)
        if not renamed(table, used, s):
            return NO_RENAMING
        if any(shared.exceeded(r, many, corners) for r in items(rounds)):
            return "rejected", "because: exceeded for the corner of a box"
        if exact_too and not any(isinstance(node, Block) for one in entries for node in one.tree):
            least = turned(claim, c.from_above, hint).eps
            if decided or not judge(crowd._replace(crowd_eps=least), s, proof):
                return "rejected", "because: delta(eps) is above delta for a pair, or for the corner of a box"
    return "undecided", "because: a bound, with these hints, is above delta"


def decide_rows(found, judge=kept):
    """On what rows keep: all at once where there is nothing to say of any pair, else pair by pair."""
    crowd, symmetries, proof, names = found
    if isinstance(proof, c.EachPair):
        return decide_each(crowd, symmetries, names, judge)
    sent, entries = proof
    return decide_trees(crowd, symmetries, sent, entries_of(entries), names, judge)


def decide_broken_rows(found):
    """On a pair of neighbours and an event: false where what the user sends who changes, without the others, is."""
    crowd, p, gap, names = found
    claim = c.claim_of(crowd)
    s = ready(claim, names)
    polys, alone = cons(polys_of(c.core(claim), s)), p._replace(others_told=())
    if too_little(claim, polys, s.unit_of, alone, exact(claim.eps, 64)):
        return "rejected", NOT_ABOVE
    if isinstance(gap, c.OnOutcomes):
        return decide_outcomes(crowd, p, gap[0], s, names)
    if isinstance(gap, c.OnThreshold):
        return decide_threshold(crowd, p, gap[0], s, names)
    return decide_pair(crowd, p, s, names)


def decide_columns(wide, entries):
    """On independent columns: by the two columns in which inputs differ."""
    claim, size, inputs, _ = wide
    claimed, tried = of_columns(claim, size, inputs), finer(claim.columns_eps, claim.columns_delta)
    trees, one = column_trees(entries), one_bucket(claim, size)
    if one and c.check_pure_histogram(one, precision(claim.columns_eps, tried[0] + 24)):
        return "accepted", f"PROVED: {claimed}: {by('check_pure_histogram_sound', 'Pure.v')} the claim is true"

    def says(hint):
        if c.check_columns(claim, size, hint, trees):
            return "accepted", f"PROVED: {claimed}: {by('check_columns_sound', 'Columns.v')} the claim is true"
        if any(c.bound_exceeded(claim, size, hint, one) for one in items(trees)):
            return "rejected", "because: delta(eps) is above delta for a pair"
        return None

    return with_hints((columns_hint(claim, fine) for fine in tried), says)


def decide_broken_columns(wide, p):
    """On a pair of neighbours, by the columns in which they differ."""
    claim, size, inputs, _ = wide
    claimed = of_columns(claim, size, inputs)

    def says(hint):
        if c.check_columns_false(claim, size, hint, p):
            return "accepted", f"REFUTED: {claimed}: {by('check_columns_false_sound', 'Columns.v')} the claim is false"
        if c.not_exceeded(claim, size, hint, p):
            return "rejected", NOT_ABOVE
        return None

    return with_hints((columns_hint(claim, fine) for fine in finer(claim.columns_eps, claim.columns_delta)), says)


def rows_point(td, found, sure):
    """The proof of a point by rows, as it is looked at with the runs; None where there is none.

    Unless `sure` the first one is taken as it is.
    """
    proofs = []

    def judge(crowd, s, proof):
        proofs.append(c.ForRows(own_unit(crowd), s.unit_of, proof))
        return not sure or kept(crowd, s, proof)

    status, _ = decide_rows(found, judge)
    return c.Points(cons([td]), proofs[-1]) if status == "accepted" else None


def any_point(td, found, sure):
    """The same of any randomizer."""
    proofs, ((claim, step), cells) = [], found

    def judge(claim, precise, way):
        proofs.append(c.ForAny(precise, way))
        return not sure or c.check_any(claim, precise, way)

    status, _ = decide_any(claim, step, cells, judge)
    return c.Points(cons([td]), proofs[-1]) if status == "accepted" else None


def curve(deltas, found, sure):
    """The same of what is numbered, at all these points."""
    fine = (40 + max(bits_between(d) for _, d in items(deltas))) * (4 if sure else 1)
    points = c.Points(deltas, c.ForEnds(way_of(found, fine)))
    return points if not sure or c.check_points(seen_of(found)[0], points) else None


SHOWN_AT = {c.RowsAt: rows_point, c.AnyAt: any_point, c.NumberedAt: curve}


def enumerated_in(points):
    """Whether all datasets are gone through exactly."""
    proof = points.shown_by.because if isinstance(points.shown_by, c.ForRows) else None
    return isinstance(proof, c.AllDatasets) and [h.rounded for h in items(proof.hints)] == [False]


def proofs_of(run, sure):
    """The proofs of a run's points; None where one is not shown.

    Points of which all datasets are gone through exactly are one: their renamings have been looked at one by one. Those
    without renamings need no look of their own, unless what is known has to be `sure`.
    """
    proofs, exact = [], False
    for at, found in items(run[0]):
        alike = exact and not sure and not found[1] and isinstance(found[2], c.EachPair)
        one = proofs[-1]._replace(at_points=(at, ())) if alike else SHOWN_AT[type(run)](at, found, sure)
        if one is None:
            return None
        if exact and enumerated_in(one):
            proofs[-1] = proofs[-1]._replace(at_points=(one.at_points[0], proofs[-1].at_points))
        else:
            proofs.append(one)
            exact = enumerated_in(one)
    return proofs


def points_of(run):
    """All ratios and deltas that a run has."""
    found = [at for at, _ in items(run[0])]
    return [td for deltas in found for td in items(deltas)] if isinstance(run, c.NumberedAt) else found


def seen_of(found):
    """(the program's kind of what is seen of a run, what its labels are called)"""
    if type(found) in SHOWN_AT:
        (_, first), _ = found[0]
        return (c.OfAny(first[0][0]), None) if isinstance(found, c.AnyAt) else seen_of(first)
    if isinstance(found, c.RowsAsTheyAre | c.NumberedAsTheyAre):
        return seen_of(found[0])
    if isinstance(found, c.RowsKept | c.PairOfRows):
        return c.OfRows(found[0]), found[-1]
    if isinstance(found, c.NumberKept | c.PairOfNumber):
        return c.OfNumbers(found[0]), None
    claim, size, inputs, _ = found[0]
    return c.OfColumns(claim, size), inputs


def in_words(kind, names):
    """How neighbours differ, and what is seen."""
    if isinstance(kind, c.OfAny):
        return one_changes(False), seen_of_any(*kind[0][:3])
    if isinstance(kind, c.OfRows):
        return neighbours_of(names, kind[0]), seen_of_crowd(names, kind[0])
    if isinstance(kind, c.OfColumns):
        return one_changes(kind[0].arriving), seen_of_columns(*kind, names)
    return one_changes(kind[0].arrives), seen_of_number(kind[0])


def runs_in_words(seen, claim):
    """The claim about several runs, of each of which is said how often it is."""
    found = [(*in_words(*one), times) for one, times in seen]
    return of_runs(found[0][0], [(times, words) for _, words, times in found], claim)


def true_of_runs(claim):
    """Of what a claim about several runs is true."""
    if not any(isinstance(kind, c.OfAny) for kind, _ in items(claim.kinds)):
        return "the claim is true"
    if claim.same_pairs:
        return "the claim is true of every randomizer with finitely many outputs"
    return "the claim is true of all randomizers with finitely many outputs, each run's its own"


def way_of(found, fine):
    """How a number, or columns, are known, to about so many bits."""
    if isinstance(found, c.NumberKept):
        return c.OnShifts(number_hint(found[0], fine))
    wide, entries = found
    return c.InTrees(columns_hint(wide.of_columns_said, fine), column_trees(entries))


def by_trees(found, bits):
    """The pairs of the corners of boxes, of blocks, or of all compositions, with laws to about so many bits."""
    crowd, symmetries, proof, names = found
    table, inputs = c.claim_of(crowd), c.length(crowd.each)
    s, claim = ready(table, names), c.core(table)
    if not renamed(table, symmetries, s):
        return None
    if isinstance(proof, c.EachPair):
        sent = cons([()] * c.length(table.rows))
        entries = [Entry(a, b, ["each"]) for a, b in items(c.all_changes(crowd.changes, inputs))]
    else:
        sent, entries = proof[0], entries_of(proof[1])
    shared, line = Shared(claim, inputs, s, polys_of(claim, s), sent, alone=True), steps_of(claim, s)
    try:
        trees = shared.covers(entries, bits)
    except NoBlock:
        return None
    corners = [m for _, m in shared.corners(trees)]
    if None in corners:
        few_users(table)
        begun(min(work(claim, s, bits)), MOST_WORK)
    most = claim.users if None in corners else 1 + max((sum(items(m)) for m in corners), default=0)
    few_users(claim._replace(users=most))
    hint = by_boxes(claim.eps, most, line or (1, -1), 0, bits, bits)
    many = max((k.bit_length() for m in corners if m is not None for k in items(m)), default=0)
    return c.ByTrees(own_unit(crowd), s, hint.rounds[0], many, cons(shared.known), trees)


def decide_runs(runs, same, eps, delta, grids):
    """On several runs: each by dots on its curve, or by its pairs, and their products on a lattice."""
    runs, all_times = [*items(runs)], sum(times for _, times in items(runs))
    plans = lattice_plans([*items(grids)], eps, delta, all_times)
    seen = [(seen_of(run), times) for run, times in runs]
    claim = c.Composition(cons((kind, times) for (kind, _), times in seen), same, eps, delta)
    near = precision(eps, plans[0].sharp)
    pairs = math.prod(pairs_of(run[0]) for run, _ in runs if isinstance(run, c.NumberedAsTheyAre))
    products_work(plans[-1], all_times, pairs)
    hints = [
        c.ByEnds(way_of(run[0], plans[0].bits))
        if isinstance(run, c.NumberedAsTheyAre)
        else by_trees(run[0], plans[0].bits - 12)
        if isinstance(run, c.RowsAsTheyAre)
        else dots_of(plans[0], points_of(run))
        for run, _ in runs
    ]
    if None in hints:
        return "rejected", "because.runs: a renaming is none, or there is no block in a box"
    for sure in (False, True)[delta.qnum >= delta.qden :]:  # where the runs themselves ask nothing of points
        parts = []
        for (run, _), hint in zip(runs, hints, strict=True):
            if type(run) not in SHOWN_AT:
                parts.append(hint)
                continue
            proofs = proofs_of(run, sure)
            if proofs is None:
                return "undecided", "because.runs: a point is not shown"
            parts.append(c.ByPoints(cons(proofs), *hint))
        if c.check_runs(claim, cons(plans), near, cons(parts)):
            sound = by("check_runs_sound", "CheckRuns.v")
            return "accepted", f"PROVED: {runs_in_words(seen, claim)}: {sound} {true_of_runs(claim)}"
        if not any(type(run) in SHOWN_AT for run, _ in runs):
            break
    return "undecided", "because.lattices: with these hints the bound is above delta"


def broken_pair(plan, run, few):
    """How the laws of a run's pair are known; of rows what is narrow, to 2^-few."""
    if isinstance(run, c.PairOfColumns):
        wide, p = run
        return c.OfEnds(c.OfColumn(columns_hint(wide.of_columns_said, plan.bits), p))
    if isinstance(run, c.PairOfNumber):
        claim, *ends = run
        return c.OfEnds(c.OfShift(number_hint(claim, plan.bits, *ends), *ends))
    crowd, p, names = run
    claim = c.claim_of(crowd)
    s = ready(claim, names)
    s = narrow(claim, s, p.others_told, few) if few else s
    users, polys = c.core(claim).users, polys_of(c.core(claim), s)
    one_by_one = math.inf if many_users(claim) else min(work(claim, s, plan.bits, True))
    line = line_beside(polys, c.others_of(claim, p), plan.bits, MOST_USERS, max(one_by_one, SMALL_WORK))
    if line:
        h = by_boxes(claim.eps, users, line, 0, plan.bits, plan.bits)
    else:
        few_users(claim)
        begun(one_by_one, MOST_WORK)
        h = rounded(claim.eps, users, plan.bits)
    return c.OfTwo(own_unit(crowd), s, p, h.precise, h.fine, h.cut, h.fast)


def decide_broken_runs(runs, same, eps, delta, grids):
    """On several runs, by a pair of neighbours of each."""
    runs = [*items(runs)]
    plans = lattice_plans([*items(grids)], eps, delta, sum(times for _, times in runs))
    seen = [(seen_of(run), times) for run, times in runs]
    claim = c.Composition(cons((kind, times) for (kind, _), times in seen), same, eps, delta)
    narrowed = [16 + bits_between(delta)] if any(isinstance(run, c.PairOfRows) for run, _ in runs) else []
    for few in (*narrowed, None):
        pairs = cons(broken_pair(plans[0], run, few) for run, _ in runs)
        if any(c.check_runs_false(claim, plan, precision(eps, plan.sharp), pairs) for plan in plans):
            sound = by("check_runs_false_sound", "CheckRunsFalse.v")
            return "accepted", f"REFUTED: {runs_in_words(seen, claim)}: {sound} the claim is false"
    return "undecided", "because.lattices: with these hints what is shown is not above delta"


DECIDED = {
    c.KeptByRuns: decide_runs,
    c.BrokenByRuns: decide_broken_runs,
    c.KeptByRows: decide_rows,
    c.BrokenByRows: decide_broken_rows,
    c.BrokenByOne: decide_one,
    c.KeptByAny: decide_any,
    c.KeptByNumber: decide_number,
    c.BrokenByNumber: decide_number,
    c.KeptByColumns: decide_columns,
    c.BrokenByColumns: decide_broken_columns,
}
ORDER = ("accepted", "undecided", "rejected", "malformed")


def decided(job, steps, left=None):
    """(status, reason) of a job that may end early: after so many steps, or with those that are `left` of a file's."""
    c.budget.steps = left or iter(range(steps))
    try:
        return job()
    except Malformed as why:
        return "malformed", str(why)
    except NotCovered as why:
        return "undecided", str(why)
    except (TooMuch, ArithmeticError, ValueError) as why:
        return "undecided", f"too much work: {why}"
    except c.OutOfSteps:
        return "undecided", f"too much work: more than {steps} steps"
    except (MemoryError, RecursionError):
        return "undecided", "too much work: no room for it"


def one(tree):
    """On one certificate."""
    found = read(tree)
    return DECIDED[type(found)](*found)


def of_file(data, steps, left):
    """The verdict that is worst of a file's certificates, and what is accepted of all."""
    tree = parse(data)  # while calls within each other are few: the parser's own take room on the machine's stack
    sys.setrecursionlimit(max(sys.getrecursionlimit(), MOST_CALLS))  # since Python 3.11 those of Python take none
    trees = certificates(tree)
    found = [decided(lambda tree=tree: one(tree), steps, left) for tree in trees]
    if type(tree) is list:
        found = [(status, f"[{i}]: {why}" if status != "accepted" else why) for i, (status, why) in enumerate(found)]
    status, why = max(found, key=lambda verdict: ORDER.index(verdict[0]))
    return status, why if status != "accepted" else " | ".join(words for _, words in found)


def verdict(data, steps=MOST_STEPS, most=None):
    """(accepted, rejected, undecided or malformed; what is claimed and what the theorem says, or why).

    `steps` are those of each certificate, `most` those of a whole file, where given.
    """
    steps, left = (steps, None) if most is None else (most, iter(range(most)))
    digits, calls, before = sys.get_int_max_str_digits(), sys.getrecursionlimit(), c.budget.steps
    rare = gc.get_threshold()
    sys.set_int_max_str_digits(0)
    gc.set_threshold(300_000, 10, 50)  # lists of the program's are long and have no cycles
    try:
        return decided(lambda: of_file(data, steps, left), steps, left)
    finally:
        gc.set_threshold(*rare)
        sys.setrecursionlimit(calls)
        sys.set_int_max_str_digits(digits)
        c.budget.steps = before
