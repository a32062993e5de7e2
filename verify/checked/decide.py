"""Verdicts around the verified checker: "accepted" is said only where it returned true, of what its theorem is about.

The other verdicts rest on this file and on hints.py; nothing in them can make a false certificate pass.
"""

import math
import sys

from verify.checked import program as c
from verify.checked.hints import (
    MOST_TABLE,
    MOST_USERS,
    MOST_WORK,
    SMALL_WORK,
    TooMuch,
    any_way,
    begun,
    blanket_way,
    blanket_work,
    by_boxes,
    coarse,
    exact,
    likely,
    line_of,
    most_boxes,
    multisets,
    polys_of,
    precision,
    rounded,
    sizes,
    steps_of,
    symmetries_work,
    table_work,
    to_float,
    walk,
    work,
)
from verify.checked.reader import Malformed, NotCovered, cons, read
from verify.checked.words import by, ending, items, of_any, of_claim, of_count, of_histogram, of_one

MOST_STEPS = 5 * 10**8  # of all loops: a minute or so
MOST_CALLS = 200_000  # within each other


def ready(claim, names):
    """Sizes, where the rows are a randomizer's and not too many or too long."""
    found = sizes(claim, len(names.messages))
    if not c.valid(found.unit_of, claim.rows):
        raise Malformed("claim.randomizer.rows: expected weights above 0 that sum to exactly 1")
    begun(table_work(claim, found, len(names.messages)), MOST_TABLE)
    return found


def few_users(claim):
    """Raises TooMuch where users are too many to be spelled out."""
    if claim.users > MOST_USERS:
        raise TooMuch(f"more than {MOST_USERS} users")


def refuted(claim, evidence, s, hint):
    def turned(side):
        return (
            claim._replace(eps=c.Log(c.Qmake(*side(claim.eps, hint.precise)))) if isinstance(claim.eps, c.Of) else claim
        )

    below, above = turned(c.from_below), turned(c.from_above)
    if isinstance(evidence, c.Refuted):
        return (
            None
            if c.event_holds(below, s, evidence.p, evidence.outcomes, hint)
            else ("evidence.event: P(event) - e^eps Q(event) is not above delta")
        )
    if evidence.worst is None:
        return "a listed symmetry is none"
    (((p, lower), upper),) = evidence.worst
    if not c.symmetries_hold(claim, s, evidence.symmetries):
        return "evidence.symmetries: one is none"
    if not c.lower_holds(below._replace(delta=lower), s, p, hint):
        return "evidence.worst.delta.lower: the pair does not reach it"
    if not c.upper_holds(c.core(above._replace(delta=c.smaller(upper, claim.delta))), s, hint):
        return "claim.delta or evidence.worst.delta.upper: exceeded by a pair"
    return None


def accepted_as(claim, evidence, names):
    """The verdict on evidence that all datasets were enumerated for, or an event."""
    claimed, sound = of_claim(names, claim), by("check_sound", "Kernel.v")
    if isinstance(evidence, c.Refuted):
        words = f"{sound} the claim is false: the listed event of the named pair exceeds delta"
        return "accepted", f"REFUTED: {claimed}: {words}"
    if evidence.worst is None:
        return "accepted", f"PROVED: {claimed}: {sound} there are no neighbours, and so the claim is true"
    (((_, lower), upper),) = evidence.worst
    words = f"the claim is true, the named pair's delta(eps) is at least {ending(lower)}, and that of all pairs at most"
    return "accepted", f"PROVED: {claimed}: {sound} {words} {ending(upper)}"


def decide(claim, evidence, names):
    """On version 1."""
    s = ready(claim, names)
    single = not claim.rows[1]
    if isinstance(claim.sees, c.Shuffled) and not single:
        few_users(claim)
    evidence = evidence()
    if isinstance(evidence, c.Proved):
        begun(symmetries_work(claim, evidence.symmetries), MOST_TABLE)
    first = max(32, likely(claim, evidence))
    every, few = (0.0, 0.0) if single else work(claim, s, first)
    line = None if every <= SMALL_WORK else steps_of(claim, s)
    boxes = most_boxes(claim, line, 2 * first + 128) if line else 0
    if boxes < 20:
        begun(min(every, few), MOST_WORK)
    decided = isinstance(claim.eps, c.Log) or claim.eps.q.qnum == 0
    bits = [first, first + 32, 2 * first + 128]
    if line and boxes >= 20:
        rounds = [by_boxes(claim.eps, claim.users, line, boxes, coarse(claim), b) for b in bits]
    else:
        rounds = [rounded(claim.eps, claim.users, b) for b in bits]

    def exactly():
        for b in [64] if decided else [first + 32, 512, 2048, 8192, 32768]:
            hint = exact(claim.eps, b)
            if c.check(claim, evidence, s, (hint, ())):
                return accepted_as(claim, evidence, names)
            why = refuted(claim, evidence, s, hint)
            if why:
                return "rejected", why
        return "undecided", "too few bits: 32768 bits of e^eps do not decide"

    if every <= max(few, SMALL_WORK):
        return exactly()
    if (boxes >= 20 or few <= MOST_WORK) and c.check(claim, evidence, s, cons(rounds)):
        return accepted_as(claim, evidence, names)
    if every <= MOST_WORK:
        return exactly()
    return "undecided", "with rounded weights it is not borne out, and exactly it is too much work"


def decide_count(count, said, lower, upper, histogram):
    between = c.Qmake(upper.qnum * lower.qden - lower.qnum * upper.qden, upper.qden * lower.qden)

    def size(q):
        return q.qden.bit_length() - q.qnum.bit_length()

    apart = between.qnum > 0
    relative = max(0, size(between) - size(upper)) if apart else 200
    absolute = max(0, size(between) if apart else size(upper) + 200)
    under = c.Qmake(lower.qnum * (2**80 - 1), lower.qden * 2**80)
    proved = isinstance(said, c.PROVED)
    if histogram is None:
        claimed, sound = of_count(count), by("check_count_sound", "CountKernel.v")
        of, check, upper_end, lower_end = count, c.check_count, c.upper_end, c.lower_end
    else:
        claimed, sound = of_histogram(histogram), by("check_histogram_sound", "Histogram.v")
        of, check, upper_end, lower_end = histogram, c.check_histogram, c.histogram_upper, c.histogram_lower
    is_ = "true" if proved else "false"
    words = f"the claim is {is_}, and the largest delta(eps) lies in [{ending(lower)}, {ending(upper)}]"
    accepted = "accepted", f"{'PROVED' if proved else 'REFUTED'}: {claimed}: {sound} {words}"
    law = count.law_of
    if isinstance(law, c.Binomial) and law.p.qnum in (0, law.p.qden):
        if histogram:
            raise NotCovered("a histogram whose noise is a known number")
        hint = c.HintOfCount(precision(count.count_eps, 64), 0, 0, 0)
        return (
            accepted
            if check(of, said, lower, upper, hint)
            else ("rejected", "evidence.delta or claim.delta: delta(eps) is 1")
        )
    for more in (16, 128 + absolute):
        hint = walk(count, absolute + more, relative + more, histogram is not None)
        if hint is None:
            return "undecided", "too much work: the law is too wide to walk along"
        if check(of, said, lower, upper, hint):
            return accepted
        if lower_end(of, hint, upper, True):
            return "rejected", "evidence.delta.upper: delta(eps) is above"
        if upper_end(of, hint, under):
            return "rejected", "evidence.delta.lower: delta(eps) is below"
        if proved and lower_end(of, hint, count.count_delta, True):
            return "rejected", "claim.delta: exceeded"
        if not proved and upper_end(of, hint, count.count_delta):
            return "rejected", "claim.delta: kept"
    return "undecided", "so many bits do not decide"


def decide_blanket(claim, step, cells, names):
    """On the privacy blanket."""
    s = ready(claim, names)
    if sum(1 for r in items(claim.rows) for _ in items(r)) > 20_000:
        raise TooMuch("more than 20000 outputs")
    begun(blanket_work(claim), MOST_TABLE)
    for more in (0, 64):
        way = blanket_way(claim, step, cells, more, s.unit_of)
        if way is None:
            return "undecided", "evidence.blanket: too few cells for one step, or too much work"
        if c.check_blanket(claim, s.unit_of, precision(claim.eps, way.bits_of + 64), way):
            words = "the claim is true, and so is that the blanket's bound is at most delta for every pair of inputs"
            return (
                "accepted",
                f"PROVED: {of_claim(names, claim)}: {by('check_blanket_sound', 'CheckBlanket.v')} {words}",
            )
    return "undecided", "evidence.blanket: the bound, with these hints, is above delta"


# ---- any randomizer, thresholds, covers ----
def decide_any(claim, step, cells):
    for more in (0, 64):
        found = any_way(claim, step, cells, more)
        if found is None:
            return "undecided", "evidence.blanket: too few cells for one step, or too much work"
        bits = found.bits_of + 64
        both = max(precision(claim.any_local, bits), precision(claim.any_eps, bits), key=lambda p: p.halvings)
        if c.check_any(claim, both, found):
            words = "the claim is true of every randomizer with finitely many outputs"
            return "accepted", f"PROVED: {of_any(claim)}: {by('check_any_sound', 'CheckAny.v')} {words}"
    return "undecided", "evidence.blanket: the bound for all randomizers, with these hints, is above delta"


def threshold_work(claim, threshold):
    sums = [to_float(c.weighed(threshold.weights, sent)) for r in items(claim.rows) for sent, _ in items(r)]
    most = max([1.0] + [abs(x) for x in sums])
    n, kinds = float(claim.users), float(len(set(sums)))
    wide = min(2.0 * n * most, 80.0 * math.sqrt(n) * most)
    return n * min(wide, multisets(n, kinds)) * kinds * 4.0


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


def decide_threshold(claim, p, threshold, names, local):
    """On a threshold event; local: (eps0, delta0) where it refutes a claim about any randomizer."""
    s = ready(claim, names)
    few_users(claim)
    begun(threshold_work(claim, threshold), MOST_WORK)
    p, d = p(), s.unit_of
    if local:
        hint = private_at(*local, claim, s)
        if hint is None:
            return "rejected", "evidence.randomizer: less private than claim.mechanism says"
    polys = [c.normal(c.row_by(lambda sent: c.weighed(threshold.weights, sent), d, r)) for r in items(claim.rows)]
    line, as_list = line_of(polys), cons(polys)

    def event(k):
        return threshold.above < k

    def false_at(h):
        z, unit = c.from_below(claim.eps, h.precise)
        v = c.law_of(as_list, d, h.precise, h.fine, h.cut, h.fast, p.others)
        high = c.weight_in(event, c.one_more(as_list, p.from_, v.high)) + d * v.lost
        low = c.weight_in(event, c.one_more(as_list, p.to, v.low))
        return (unit * high - z * low) * claim.delta.qden <= claim.delta.qnum * v.scale * d * unit

    first = max(32, 40 + claim.delta.qden.bit_length() - claim.delta.qnum.bit_length())
    for bits in (first, 2 * first, 8 * first):
        h = by_boxes(claim.eps, claim.users, line, 0, bits, bits) if line else rounded(claim.eps, claim.users, bits)
        last = h.precise, h.fine, h.cut, h.fast
        if local and c.check_one(*local, claim, p, threshold, s, hint, *last):
            words = "the randomizer of the evidence is as private as is claimed, and its threshold event exceeds delta"
            return "accepted", f"REFUTED: {of_one(names, *local, claim)}: {by('check_one_sound', 'CheckAny.v')} {words}"
        if not local and c.check_threshold(claim, p, threshold, d, *last):
            sound = by("check_threshold_sound", "Threshold.v")
            words = "the claim is false: the named pair's threshold event exceeds delta"
            return "accepted", f"REFUTED: {of_claim(names, claim)}: {sound} {words}"
        if false_at(h):
            return "rejected", "evidence.threshold: P(event) - e^eps Q(event) is not above delta"
    return "undecided", "so many bits do not decide"


def decide_cover(claim, tree, names):
    """On boxes of compositions."""
    s = ready(claim, names)
    first, line, d = max(32, coarse(claim) + 24), steps_of(claim, s), s.unit_of
    single = not claim.rows[1]
    every = 0.0 if single else work(claim, s, first)[0]

    if line:
        looks = most_boxes(claim, line, first)
    else:
        kinds = float(len({k for f in polys_of(claim, s) for k, _ in items(f)}))
        outcomes = multisets(float(claim.users), kinds)
        looks = int(min(1e6, MOST_WORK / (100.0 * (outcomes * outcomes + 100.0))))
    if (len(list(items(tree))) + 1) // 2 > looks and not single:
        return "undecided", "too much work: many wide boxes"
    polys = cons(polys_of(claim, s))
    many_inputs = len(list(items(polys)))

    def false_at(r, many):
        ready = c.prepare(polys, d, many, r)
        z, unit = c.from_above(claim.eps, r.prec_of)

        def exceeds(m):
            v = c.law_at(ready, m, (), ready.nobody_yet)
            most = claim.delta.qnum * v.scale * d * unit
            return any(
                i != j
                and most
                < claim.delta.qden
                * (c.stick(unit, z, c.one_more(polys, i, v.low), c.one_more(polys, j, v.high), 0) - z * d * v.lost)
                for i in range(many_inputs)
                for j in range(many_inputs)
            )

        return not c.by_cuts(
            lambda x: c.position(c.rep(polys, x), c.classes_of(polys)),
            lambda m: not exceeds(m),
            claim.users - 1,
            tree,
            (c.all_within(claim.users - 1, polys), ()),
        )

    for bits in (first, first + 64, 4 * first):
        hint = by_boxes(claim.eps, claim.users, line or (1, -1), 0, bits, bits)
        many = 0 if single or hint.fast is None else hint.fast[0][1]
        if c.check_tree(claim, s, hint.rounds, many, (hint.precise, ()) if every <= SMALL_WORK else (), tree):
            return (
                "accepted",
                f"PROVED: {of_claim(names, claim)}: {by('check_tree_sound', 'Kernel.v')} the claim is true",
            )
        if any(false_at(r, many) for r in items(hint.rounds)):
            return "rejected", "evidence.cover: exceeded for the corner of a box"
    return "undecided", "so many bits do not decide"


DECIDED = {
    "enumeration": decide,
    "threshold": decide_threshold,
    "cover": decide_cover,
    "blanket": decide_blanket,
    "any": decide_any,
    "count": decide_count,
}


def verdict(data, steps=MOST_STEPS):
    """(accepted, rejected, undecided or malformed; what is claimed and what the theorem says, or why)."""
    digits, calls, before = sys.get_int_max_str_digits(), sys.getrecursionlimit(), c.budget.steps
    sys.set_int_max_str_digits(0)
    c.budget.steps = iter(range(steps))
    try:
        kind, parts = read(data)
        sys.setrecursionlimit(
            max(calls, MOST_CALLS)
        )  # since Python 3.11 its own calls take no room on the machine's stack
        return DECIDED[kind](*parts)
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
    finally:
        sys.setrecursionlimit(calls)
        sys.set_int_max_str_digits(digits)
        c.budget.steps = before
