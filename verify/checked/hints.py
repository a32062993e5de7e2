"""How much work there is, and hints for the verified checker: a bad hint makes it refuse, and no false claim pass.

Doubles guess here; what they lead to is checked exactly.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

from shufflecert.verify.checked import program as c
from shufflecert.verify.checked.words import cons, items

MOST_WORK, SMALL_WORK, MOST_USERS, MOST_BITS = 2e9, 3e6, 2_000_000, 5e8
MOST_PLANE, MOST_PLANES = 4_000_000, 2e7  # of places on a line for what is in a plane; of those in all boxes
MOST_TABLE = 1e9  # comparisons of rows and of outputs
MOST_TOLD, PRIME = 1e6, 32749  # of what is sent, to see which messages tell the others; of arithmetic for that
MOST_STEPS, MOST_GAINS = 2e6, 2e7  # along a noise law; for all its shifts
MOST_MERGED = 5e10  # of long powers; twice as many where one direction is looked at: kernel.py takes no more


class TooMuch(Exception):
    """More work than is begun."""


def begun(estimate, most):
    """Raises TooMuch where the estimate is above what is begun."""
    if not estimate <= most:
        raise TooMuch(f"estimate {estimate:.0e}, at most {most:.0e} is begun")


def once(f):
    """The function, whose last answer is kept: it is asked the same of one table again and again."""
    asked = answer = None

    def found(rows, *more):
        nonlocal asked, answer
        if asked is None or asked[0] is not rows or asked[1:] != more:
            asked, answer = (rows, *more), f(rows, *more)
        return answer

    return found


def to_float(k):
    try:
        return float(k)
    except OverflowError:
        return math.inf if k > 0 else -math.inf


def ratio(q):
    return to_float((q.qnum << 60) // q.qden) / 2**60


def sizes(claim, messages):
    dens = [p.qden for r in items(claim.rows) for _, p in items(r)]
    many = float(sum(d.bit_length() for d in set(dens)))
    if many * many > MOST_BITS:
        raise TooMuch("the denominators are long")
    longest = c.longest(claim.rows)
    seen = claim.users * longest if isinstance(claim.sees, c.Shuffled) else longest
    return c.Sizes(max(1, seen.bit_length()), messages + 2, math.lcm(*dens))


def table_work(claim, s, messages):
    """To read the rows as polynomials, to sort their terms, and to compare them with each other."""
    rows = [list(items(r)) for r in items(claim.rows)]
    inputs, every = float(len(rows)), float(sum(map(len, rows)))
    sent = float(sum(len(list(items(x))) for r in rows for x, _ in r))
    positions = c.longest(claim.rows) if isinstance(claim.sees, c.Local) else 1  # at which messages are told apart
    words = 1.0 + to_float(positions) * messages * s.key_bits / 64.0
    most = max(1.0, *(float(len(r)) for r in rows)) if rows else 1.0
    sort = every * math.log(2.0 + every) * words
    return sent * words + sort + inputs * inputs * (inputs + most)


def symmetries_work(claim, symmetries):
    """To try the symmetries, each on all rows."""
    rows = [list(items(r)) for r in items(claim.rows)]
    each = 2.0 * sum(10.0 + len(list(items(x))) for r in rows for x, _ in r)
    total = 0.0
    for g in items(symmetries):
        i, m = len(list(items(g.inputs))), len(list(items(g.messages)))
        total += m * m + len(rows) * (i + len(rows)) + each * (1.0 + m)
    return total


def choose(n, k):
    found = 1.0
    for i in range(1, int(k) + 1):
        found = min(1e18, found * (n - i + 1) / i)
        if found >= 1e18:
            break
    return found


def multisets(size, kinds):
    return choose(size + kinds - 1, min(size, kinds - 1))


def polys_of(claim, s):
    return polys_of_rows(claim.rows, s)


@once
def polys_of_rows(rows, s):
    return [c.normal(c.row_poly(s.key_bits, s.unit_of, r)) for r in items(rows)]


def few_users(claim):
    """Raises TooMuch where users are too many to be spelled out."""
    if many_users(claim):
        raise TooMuch(f"more than {MOST_USERS} users, who are spelled out")


def many_users(claim):
    """Whether users are too many to be spelled out."""
    return isinstance(claim.sees, c.Shuffled) and claim.rows[1] and claim.users > MOST_USERS


def one_class(claim, s):
    """Whether all inputs are alike: then the others are one dataset, and none is spelled out."""
    return not c.classes_of(cons(polys_of(c.core(claim), s)))[1]


def sent_by(row):
    """Of each message: how often a row sends it at most, and the variance of that."""
    sums = {}
    for send, p in items(row):
        for m, k in Counter(items(send)).items():
            most, mean, square = sums.get(m, (0.0, 0.0, 0.0))
            sums[m] = max(most, float(k)), mean + ratio(p) * k, square + ratio(p) * k * k
    return {m: (most, max(0.0, square - mean * mean)) for m, (most, mean, square) in sums.items()}


@once
def reaches(rows):
    """Of each message of `telling`: how often a user sends it at most, and the largest variance of that."""
    each, found = [sent_by(r) for r in items(rows)], []
    for m in telling(rows):
        some = [row.get(m, (0.0, 0.0)) for row in each]
        found.append((max(k for k, _ in some), max(v for _, v in some)))
    return found


def narrow(claim, s, others, bits):
    """Counts by fewer bits each, where those that then seem the same are so to about 2^-bits: a pair may show less."""
    if not isinstance(claim.sees, c.Shuffled):
        return s
    rows, spread = [sent_by(r) for r in items(claim.rows)], Counter()
    for x, n in items(others):
        for m, (_, variance) in rows[x].items():
            spread[m] += n * variance
    most = max((k for r in rows for k, _ in r.values()), default=0.0)
    wide = 2.0 * most + math.sqrt(8.0 * math.log(2) * bits * max(spread.values(), default=0.0))
    return s._replace(key_bits=min(s.key_bits, int(wide).bit_length()))


def steepest(claim, unit, pair):
    """The threshold of a pair, of one message's count or of minus that, whose highest sum has the largest ratio."""
    rows = [[(Counter(items(sent)), w.qnum * (unit // w.qden)) for sent, w in items(r)] for r in items(claim.rows)]
    start, goal, most, found = rows[pair.from_told], rows[pair.to_told], (1, 1), None
    for m in sorted({m for sent, _ in start + goal for m in sent}):
        for sign in (1, -1):
            top, other = (max(sign * sent[m] for sent, _ in r) for r in (start, goal))
            p, q = (sum(w for sent, w in r if sign * sent[m] == top) for r in (start, goal))
            if other <= top and p * most[1] > q * most[0]:
                most, found = (p, q), (m, sign, top)
    if found is None:
        return None
    m, sign, top = found
    above = top - 1 + sum(k * max(sign * sent[m] for sent, _ in rows[x]) for x, k in items(pair.others_told))
    return c.Threshold(cons([0] * m + [sign]), above)


def telling(rows):
    """Messages whose counts tell those of all others in what is sent: as many as it has directions, modulo a prime."""
    sent = [Counter(items(send)) for r in items(rows) for send, _ in items(r)]
    messages = sorted({m for one in sent for m in one})
    if len(sent) * len(messages) ** 2 > MOST_TOLD:
        return messages
    basis = {}
    for one in sent:
        left = [(one[m] - sent[0][m]) % PRIME for m in messages]
        for at, by in basis.items():
            left = [(x - left[at] * y) % PRIME for x, y in zip(left, by, strict=True)]
        at = next((i for i, x in enumerate(left) if x), None)
        if at is not None:
            basis[at] = [x * pow(left[at], -1, PRIME) % PRIME for x in left]
    return [messages[at] for at in basis]


def outcomes_of(rows, users, most, kinds):
    """How many multisets so many users send at most, of so many kinds; `most` of each message that tells others."""
    box = math.prod(1.0 + users * k for k in most)
    sent = to_float(c.longest(rows))
    return min(1e18, box, multisets(users, kinds), multisets(users * sent, 1.0 + len(most)))


def work(claim, s, bits, one=False, groups=None):
    """Of all pairs, or of so many in each group with so many renamings: exactly, and rounded to so many bits."""
    core = c.core(claim)
    polys = polys_of(core, s)
    n, inputs = float(core.users), float(len(polys))
    as_list = cons(polys)
    kinds = float(len({c.rep(as_list, y) for y in range(len(polys))}))
    keys = {k for f in polys for k, _ in items(f)}
    reach = reaches(core.rows)
    most = [k for k, _ in reach]
    _, span = line_of(polys, math.inf)
    outcomes = min(outcomes_of(core.rows, n, most, float(len(keys))), n * to_float(span) + 1.0)
    wide = (min(n * k, 40.0 * (k + math.sqrt(n * v))) for k, v in reach)
    likely = min(outcomes, math.prod(1.0 + x for x in wide))
    step = float(max([1] + [sum(1 for _ in items(f)) for f in polys]))
    leaves = 1.0 if one else multisets(n - 1.0, kinds)
    each, left_out = 0.0, 0.0
    for pairs, ups in groups or [(inputs * inputs, 0)]:
        some = max(multisets(n - 2.0, kinds), leaves / (1.0 + ups)) if ups else leaves
        each += some * (pairs + min(inputs, 2.0 * pairs) * step) + (some + n) * step * (1.0 + math.log(n))
        left_out += 20.0 * leaves * ups * n

    def price(b):
        return 1.0 + b / 200.0

    exactly, few = each * outcomes * price(n * s.unit_of.bit_length()), 2.5 * each * likely * price(float(bits))
    return exactly + left_out, few + left_out


def precision(eps, bits):
    h = 0
    if isinstance(eps, c.Of):
        while eps.q.qnum > eps.q.qden << h:
            h += 1
    extra = 4 + int(math.sqrt(bits))
    return c.Precision(h + extra, bits // extra + 8, bits + h + extra + 40)


def exact(eps, bits):
    return c.Hint(precision(eps, bits), False, 0, 0, None, (), 0)


def rounded(eps, users, bits):
    log_n = users.bit_length()
    fine = bits + 2 * log_n + 24
    return c.Hint(precision(eps, bits + 24), True, fine, 1 << (fine - bits - log_n - 11), None, (), 0)


def steps_of(claim, s):
    return line_of(polys_of(c.core(claim), s))


def line_of(polys, most=100):
    spans = [[k - f[0][0] for k, _ in items(f[1])] for f in polys if f]
    step = math.gcd(*(k for f in spans for k in f)) or 1
    span = max([0] + [k for f in spans for k in f]) // step
    return (step, span) if span <= most else None


def by_boxes(eps, users, line, boxes, coarse, bits):
    step, span = line

    def round_at(b):
        h = rounded(eps, users, b)
        places = 0 if span < 0 else users * span + 2 if users < 10**9 // (span + 1) else 10**9
        return c.Round(h.precise, h.fine, h.cut, c.Line(step, places))

    last = round_at(bits)
    rounds = [round_at(few) for few in [coarse] if few < bits] + [last]
    return rounded(eps, users, bits)._replace(
        fast=((last.line_of, users.bit_length()),), rounds=cons(rounds), boxes=boxes
    )


def bits_between(q):
    return max(0, q.qden.bit_length() - q.qnum.bit_length() + 2) if q.qnum > 0 else 0


def steep(eps):
    """64 bits and those of e^eps, by which what is lost is multiplied."""
    above, unit = c.from_above(eps, precision(eps, 64))
    return 64 + above.bit_length() - unit.bit_length()


def finer(eps, delta):
    """To how many bits laws are known, one after the other: at last below delta times e^-eps."""
    first = 40 + bits_between(delta)
    return [first, first + 64, first + 128, 4 * first, max(16 * first, first + steep(eps))]


def plane(polys, users, boxes, worth):
    """Keys in a plane as if on a line, with room for all between them, unless that is long or no less work."""
    line = line_of(polys, MOST_PLANE // users)
    return line if line and boxes * users * line[1] <= min(MOST_PLANES, worth / 100.0) else None


def most_boxes(claim, line, bits):
    n, span = float(claim.users), float(1 + line[1])
    wide = min(n * span, 12.0 * span * (1.0 + math.sqrt(n))) if line[1] else 1.0
    return int(min(1e6, MOST_WORK / powers_price(wide, bits)))


def powers_price(wide, bits):
    """Of the law of users on one input, by powers, which are so wide: long products."""
    return 500.0 * (wide + 100.0) * (1.0 + bits / 200.0) * max(1.0, wide / 1e4) ** 0.6


def counts_work(polys, others, line, bits):
    """Of the law of so many others on each input, by powers, where it is on a line."""
    whole = 0.0
    for f, n in ((polys[x], n) for x, n in items(others)):
        mass = sum(w for _, w in items(f))
        places = [(to_float((k - f[0][0]) // line[0]), ratio(c.Qmake(w, mass))) for k, w in items(f)]
        mean, most = sum(x * p for x, p in places), max(x for x, _ in places)
        spread = to_float(n) * sum((x - mean) ** 2 * p for x, p in places)
        whole += powers_price(min(to_float(n * most), 12.0 * (most + math.sqrt(spread))), bits)
    return whole


def threshold_work(claim, threshold, others):
    """Of the law of the sum of all weights, user by user: where it is not small, by their standard deviation."""
    rows = [r for x, r in enumerate(items(claim.rows)) if x in others]
    sums = [[(to_float(c.weighed(threshold.weights, sent)), ratio(p)) for sent, p in items(r)] for r in rows]
    most = max([1.0] + [abs(x) for r in sums for x, _ in r])
    means = [sum(x * p for x, p in r) for r in sums]
    square = max([0.0] + [sum((x - mean) ** 2 * p for x, p in r) for r, mean in zip(sums, means, strict=True)])
    n, kinds = float(claim.users), max(1.0, float(len({x for r in sums for x, _ in r})))
    wide = min(2.0 * n * most, 80.0 * (math.sqrt(n * square) + most))
    return n * min(wide, multisets(n, kinds)) * kinds * 4.0


def line_beside(polys, others, bits, most=100, worth=MOST_WORK):
    """The line that the others' outcomes are on, where their law by powers is no more work than is begun, or worth."""
    line = line_of([polys[x] for x, _ in items(others)], most)
    return line if line and counts_work(polys, others, line, bits) <= min(worth, MOST_WORK) else None


def looks(claim, line, bits, polys):
    """How many boxes are looked at."""
    if line:
        return most_boxes(claim, line, bits)
    most = [k for k, _ in reaches(claim.rows)]
    kinds = float(len({k for f in polys for k, _ in items(f)}))
    outcomes = outcomes_of(claim.rows, float(claim.users), most, kinds)
    return int(min(1e6, MOST_WORK / (100.0 * (outcomes * outcomes + 100.0))))


def coarse(claim):
    d = claim.delta
    return 20 + (max(0, d.qden.bit_length() - d.qnum.bit_length()) if d.qnum > 0 else 20)


# ---- counts ----
def mode(law):
    if isinstance(law, c.Binomial):
        return (law.n + 1) * law.p.qnum // law.p.qden
    if isinstance(law, c.Poisson):
        return law.lam.qnum // law.lam.qden
    if isinstance(law, c.NegativeBinomial):
        above = law.r.qnum - law.r.qden
        return 0 if above < 0 else law.p.qnum * above // (law.r.qden * (law.p.qden - law.p.qnum))
    return 0


def digits(law):
    """So many bits have its parameters."""
    return sum(q.bit_length() if isinstance(q, int) else q.qnum.bit_length() + q.qden.bit_length() for q in law)


def reach(law, at, sign, bits):
    steps, fallen = 0, 0.0
    most = MOST_STEPS / (1.0 + digits(law) / 1000.0)
    while steps <= most:
        following = at + sign
        if fallen > bits or not c.inside(law, following):
            return steps
        k = at if sign > 0 else following
        fallen -= sign * math.log2(c.up(law, k) / c.down(law, k))
        steps, at = steps + 1, following
    return None


# ---- columns ----
MOST_PLACES = 10**6


def law_hint(law, fine):
    """How a law of numbers is known from below, to about so many bits."""
    if isinstance(law, c.Noise):
        x = law.x
        if c.no_noise(x) is not None:  # which is known as it is
            return c.Walk(0, 0, 1)
        if isinstance(x, c.Binomial) and x.n * x.p.qden.bit_length() <= 4 * fine:
            return c.Walk(0, x.n, (x.p.qden - x.p.qnum) ** x.n)
        at = mode(x)
        left, right = reach(x, at, -1, fine + 8.0), reach(x, at, 1, fine + 8.0)
        if left is None or right is None:
            raise TooMuch("a law is too wide to walk along")
        return c.Walk(at - left, left + right, 1 << (fine + 2 * (left + right).bit_length()))
    if isinstance(law, c.Bell):
        return bell_hint(law.b, fine)
    if isinstance(law, c.Mod):
        return c.Parts(1, (law_hint(law.l, fine), ()))
    if isinstance(law, c.Finite):
        return c.Parts(math.lcm(*(w.qden for _, w in items(law.p))), ())
    if isinstance(law, c.Sum):
        found = c.Parts(1, cons(law_hint(one, fine) for one in items(law.of)))
        extent(law, found)
        return found
    hints = [law_hint(one, fine) for _, one in items(law.of)]
    pairs = zip(items(law.of), hints, strict=True)
    units = [w.qden * c.low_of(MOST_PLACES, fine, one, h)[1] for (w, one), h in pairs]
    whole = math.lcm(*units)
    return c.Parts(whole if whole.bit_length() <= 4 * fine else max(units) << fine, cons(hints))


def extent(law, hint):
    """How many numbers are known of a law at most, and between which. Raises TooMuch where a sum has too many."""
    if isinstance(hint, c.Walk):
        return hint.len_ + 1.0, to_float(hint.lo), to_float(hint.lo + hint.len_)
    if isinstance(hint, c.Around):
        return 2.0 * hint.steps + 1.0, -float(hint.steps), float(hint.steps)
    if isinstance(law, c.Finite):
        places = [to_float(k) for k, _ in items(law.p)]
        return float(len(places)), min(places), max(places)
    if isinstance(law, c.Mod):
        return extent(law.l, hint.l[0])[0], 0.0, to_float(law.m)
    laws = items(law.of) if isinstance(law, c.Sum) else (one for _, one in items(law.of))
    many, lows, highs = zip(*(extent(one, h) for one, h in zip(laws, items(hint.l), strict=True)), strict=True)
    if isinstance(law, c.Mixture):
        return sum(many), min(lows), max(highs)
    found = min(math.prod(many), sum(highs) - sum(lows) + 1.0)
    begun(found, MOST_PLACES)
    return found, sum(lows), sum(highs)


def bell_hint(b, fine):
    """How a bell is known: so many steps from its middle, until it has fallen by some more bits."""
    bits = fine + 16.0
    if isinstance(b, c.Gaussian):
        steps = math.sqrt(2.0 * math.log(2) * bits * to_float(b.v.qnum) / to_float(b.v.qden)) + 2.0
    else:
        steps = min(to_float(b.bound), bits / -math.log2(min(ratio(b.q), 1.0 - 1e-12) or 2.0**-60) + 2.0)
    if not steps <= MOST_STEPS:
        raise TooMuch("a law is too wide to walk along")
    unit = fine + 16 + 2 * int(steps).bit_length()
    half = c.Of(c.Qmake(b.v.qden, 2 * b.v.qnum)) if isinstance(b, c.Gaussian) else c.Of(c.Qmake(0, 1))
    return c.Around(int(steps), 1 << unit, precision(half, unit + 16))


def reached(law, n, bits):
    """How far sums of n draws by a law are apart, of which none has less than 2^-bits: Chernoff's bound, about."""
    found = [*items(law)]
    least, whole = min(k for k, _ in found), sum(w for _, w in found) or 1
    places = [(to_float(k - least), ratio(c.Qmake(w, whole))) for k, w in found]
    span, mean = max(1.0, *(x for x, _ in places), 0.0), sum(x * p for x, p in places)

    def side(sign):
        turns = (sign * 2.0**k / span for k in range(-9, 10))
        sums = ((t, sum(p * math.expm1(t * (x - mean)) for x, p in places)) for t in turns)
        return min((n * math.log1p(more) + bits * math.log(2)) / abs(t) for t, more in sums)

    return min(n * span, side(1) + side(-1))


def spread_work(lows, n, fine):
    """Raises TooMuch where the sum of n draws by each of these is too wide: what is below 2^(-4 fine) is not kept."""
    each = (reached(f, n, 4.0 * fine) if n > 1 else float(len([*items(f)])) for f in lows if f)
    wide = max([1.0, *each])
    begun(wide * fine * (1.0 + math.log2(n)) * math.sqrt(wide * fine), 1e12)
    return wide


def shifts_of(claim):
    """How many shifts of a number are looked at."""
    return 1 if c.largest_worst(claim) else claim.largest


def sides_known(claim, ends):
    """Whether what noise shows where it may be merged is computed exactly: then no law of a number is walked along."""
    law = claim.once_added[0] if claim.once_added else None
    shifted = not ends or c.brings(ends[0]) != c.brings(ends[1])
    if not (shifted and c.largest_worst(claim) and isinstance(law, c.Noise) and c.two_sides(law.x, 1)):
        return False
    most = to_float(claim.largest)
    powers = (most if isinstance(law.x, c.DiscreteLaplace) else 1.0) * (most * digits(law.x)) ** 1.5
    return powers <= MOST_MERGED * (2 if ends else 1)


def number_hint(claim, fine, *ends):
    """How the noise of a number is known, to about so many bits; `ends`: what the user holds who changes, of a pair."""
    laws = [law[0] if law else c.Finite(((0, c.Qmake(1, 1)), ())) for law in (claim.each_adds, claim.once_added)]
    each, once = hints = [c.Parts(1, ())] * 2 if sides_known(claim, ends) else [law_hint(law, fine) for law in laws]
    lows = [c.low_of(MOST_PLACES, fine, *one)[0] for one in zip(laws, hints, strict=True)]
    wide = max(spread_work(lows[:1], claim.number_users, fine), spread_work(lows[1:], 1, fine))
    begun(shifts_of(claim) * (wide + claim.largest) * (1.0 + fine / 1000.0), MOST_GAINS)
    return c.NumberHint(MOST_PLACES, fine, each, once, precision(claim.number_eps, fine + 64))


def one_bucket(claim, size):
    """The claim as one of a histogram whose noise is one discrete Laplace law, or None."""
    laws, draws = list(items(claim.number_laws)), claim.draws
    apart = claim.column_users > 1 or claim.arriving or claim.shown_from is not None
    if not size or apart or claim.added_law is None or not isinstance(draws, c.OneOf):
        return None
    added, (held, other) = laws[claim.added_law[0]], (c.Finite(((k, c.Qmake(1, 1)), ())) for k in (1, 0))
    laplace = isinstance(added, c.Noise) and isinstance(added.x, c.DiscreteLaplace)
    if not laplace or (laws[draws.held], laws[draws.other]) != (held, other):
        return None
    return c.Histogram(added.x, size[0], claim.columns_eps, claim.columns_delta)


def pairs_of(found):
    """How many pairs of laws a number has, or columns."""
    if isinstance(found, c.NumberKept):
        return 2.0 * shifts_of(found[0])
    (claim, _, inputs, _), entries = found
    every = multisets(claim.column_users - 1.0, float(c.length(inputs.in_turn)))
    nodes = (node for entry in items(entries) for node in items(entry.nodes))
    return sum(every if isinstance(node, c.AsEach) else 1.0 for node in nodes)


def columns_hint(claim, fine):
    """How all laws of a claim are known, to about so many bits."""
    hints = [law_hint(law, fine) for law in items(claim.number_laws)]
    lows = [c.low_of(MOST_PLACES, fine, *one)[0] for one in zip(items(claim.number_laws), hints, strict=True)]
    spread_work(lows, claim.column_users, fine)
    return c.ColumnsHint(MOST_PLACES, fine, cons(hints), precision(claim.columns_eps, fine + 64))


# ---- sums of draws on a grid ----
MOST_PLACED = 5e6  # places of a grid
CLOSE = 14  # bits below delta, of what clipping and rounding may add; 32 more where that is too much


def log_2(x):
    """ceil(log2 x), at least 0."""
    return math.ceil(math.log2(max(1.0, x)))


def grid_way(bits, step, cells, largest):
    """How the law of a sum of draws on a grid is known, to so many bits: the sum is at most `largest`."""
    room, price = 6 + cells.bit_length(), 2 + log_2(largest)
    return c.Way((step.qnum, step.qden), bits + price + room, 1 << room)


def places(draws, span, square, bits, step):
    """How many places of a grid a sum of draws takes, where these span so much and have this mean square."""
    n = float(draws)
    return min(n * span, 2.0 * math.sqrt(2 * (bits + 40)) * (math.sqrt(n * square) + span)) / ratio(step)


def any_way(claim, step, cells, more):
    """How the law of the sum of all draws is known, to ever more bits, or None."""
    above = c.from_above(claim.any_local, precision(claim.any_local, 64))
    below = c.from_below(claim.any_eps, precision(claim.any_eps, 64))
    e, a = (ratio(c.Qmake(*end)) for end in (above, below))
    square, span = (e * e + a * a * e * e) / (e + 1.0), (e - 1.0) * (a + 1.0)
    bits = CLOSE + more + claim.any_delta.qden.bit_length() - claim.any_delta.qnum.bit_length()
    found = grid_way(max(bits, 1), step, cells, claim.any_users * e)
    few = places(claim.any_users, e + a * e, square, bits, step) < MOST_PLACED and span / ratio(step) < cells
    summed = not c.no_less(claim.any_eps, claim.any_local, above, below)  # else there is nothing to sum
    return found if (few or not summed) and found.bits_of <= 100_000 else None


# ---- several runs ----
MOST_CELLS = 2**18
GRAIN, SHARP, ROOM = 26, 128, 32  # bits of weights beyond delta's and cells; of a step's powers; below delta, dropped


def lattice_plans(grids, eps, delta, times):
    """How so many runs are multiplied, on the finest of these lattices, with ever more cells."""
    power, least = ratio(c.Qmake(*c.from_above(eps, precision(eps, 64)))), min(as_fraction(step) for step, _ in grids)
    small = max(0, delta.qden.bit_length() - delta.qnum.bit_length()) if delta.qnum else 64
    many = sorted({max(cells, 3) for _, cells in grids})  # what is on both sides of 1 has three, at every step
    bits = GRAIN + many[-1].bit_length() + small + 2 * times.bit_length() + math.frexp(power)[1]
    room = (delta.qnum << (bits - ROOM)) // (delta.qden * times)
    begun(float(many[-1]), MOST_CELLS)
    return [c.Plan(least.numerator, least.denominator, bits, SHARP, cells, room) for cells in many]


def products_work(plan, times, pairs):
    """Raises TooMuch where so many pairs, of more than two, are too many to be composed."""
    begun((pairs - 2.0) * (2.0 + times.bit_length()) * (plan.most * plan.bits / 32.0) ** 1.6, MOST_WORK)


def dots_of(plan, points):
    """The pair whose curve is the lower convex hull of the points, their mirrors and (0, 1), as the program has it."""
    at = {}
    for t, d in ((as_fraction(t), as_fraction(d)) for t, d in points):
        for x, y in ((t, d), (1 / t, 1 - 1 / t + d / t)):
            at[x] = min(y, at.get(x, Fraction(1)))
    hull = [(Fraction(0), Fraction(1))]
    for x, y in sorted(at.items()):
        if y >= hull[-1][1]:  # it falls no further
            continue
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    falls = [(v - y) / (u - x) for (x, v), (u, y) in pairwise(hull)] + [Fraction(0)]
    dots = []
    for (x, y), (before, after) in zip(hull[1:], pairwise(falls), strict=True):
        dots.append(c.Dot(as_q(x), as_q(y), rounded_up(x * (before - after) * (1 << plan.bits))))
    last, least = hull[-1]
    far = rounded_up(least * (1 << plan.bits))
    if not c.dots_stand(plan, far, cons(dots)):  # for all that was rounded down, without any mass where there was none
        more = len(dots) + 2
        if least:
            far += more
        else:
            dots[-1] = dots[-1]._replace(weight_of=dots[-1].weight_of + rounded_up(more * last / (last - hull[-2][0])))
    return far, cons(dots)


def as_fraction(q):
    """A fraction of the program's."""
    return Fraction(q.qnum, q.qden)


def as_q(x):
    """The program's fraction."""
    return c.Qmake(x.numerator, x.denominator)


def rounded_up(x):
    """The least integer from there on."""
    return -(-x.numerator // x.denominator)
