"""The verified checker of shufflecert, made from its proof in Coq by coq2py.py. Do not edit.

A list of Coq's is () or (first, rest); nat, positive and Z are integers; None and Some x are None and (x,).
"""

import decimal
from typing import Any, NamedTuple  # noqa: F401  # for what follows

EXACTLY = decimal.Context(decimal.MAX_PREC, None, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=[decimal.Inexact])


class OutOfSteps(Exception):
    """All steps that are allowed were made: nothing was found out."""


class Budget:
    """How many more times all loops in here may go round."""

    steps = iter(range(0))


budget = Budget()


def power(x, n):
    return 0 if n < 0 else 1 << n if x == 2 else x**n


def div(a, b):
    if b > 0 and not b & (b - 1):
        return a >> (b.bit_length() - 1)
    return a // b if b else 0


def mod(a, b):
    if b > 0 and not b & (b - 1):
        return a & (b - 1)
    return a % b if b else a


def compare(a, b):
    return (a > b) - (a < b)


def lg(a):
    return a.bit_length() - 1 if a > 0 else 0


def length(rest):
    n = 0
    while rest:
        n, rest = n + 1, rest[1]
    return n


def onto(found, rest):
    """The list of those found, in their order, before the rest."""
    while found:
        rest = (found.pop(), rest)
    return rest


def elements(rest):
    """The elements of a list, one by one."""
    while rest:
        x, rest = rest
        yield x


def app(a, c):
    return onto([*elements(a)], c) if c else a


def product_of(x, y):
    """The coefficients of a product of polynomials, theirs all 0 or more, with no 0 at the end but for 0 itself.

    By one product of numbers that have them as digits. Long ones are written in decimals, which Python multiplies in
    nearly linear time; each digit then has at most the 640 decimals that any Python reads.
    """
    bits = sum(x).bit_length() + sum(y).bit_length()
    count, few = len(x) + len(y), min(len(x), len(y))
    if bits <= 2_000 and bits * few > 100_000:
        size = bits * 30103 // 100_000 + 1
        texts = [f"%0{size}d" * len(digits) % tuple(reversed(digits)) for digits in (x, y)]
        text = str(EXACTLY.multiply(*map(EXACTLY.create_decimal, texts))).zfill(size * count)
        found = [int(text[i : i + size]) for i in range(size * (count - 1), -1, -size)]
    else:
        size = bits // 8 + 1
        u = int.from_bytes(b"".join([n.to_bytes(size, "little") for n in x]), "little")
        v = u if x is y else int.from_bytes(b"".join([n.to_bytes(size, "little") for n in y]), "little")
        data = (u * v).to_bytes(size * (count + 1), "little")
        found = [int.from_bytes(data[i : i + size], "little") for i in range(0, size * count, size)]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return onto(found or [0], ())


def convolve(a, c):
    return product_of([*elements(a)], [*elements(c)])


def convolve_self(a):
    digits = [*elements(a)]
    return product_of(digits, digits)


def glued(between, texts):
    return between.join(elements(texts))


def natural_in(most, text):
    plain = len(text) <= most and text.isascii() and text.isdigit() and (text[0] != "0" or text == "0")
    return (int(text),) if plain else None


def at_slash(text):
    above, slash, below = text.partition("/")
    return above, (below,) if slash else None


def after_minus(text):
    return (text[1:],) if text[:1] == "-" else None


def in_log(text):
    return (text[4:-1],) if text[:4] == "log(" and text[-1] == ")" else None


def table_from(rows):
    table = {}
    for x, value in elements(rows):
        table.setdefault(x, value)
    return table


def look_up(table, x):
    return (table[x],) if x in table else None


def different(texts):
    return onto([*dict.fromkeys(elements(texts))], ())


class Tt(NamedTuple):
    pass


class Qmake(NamedTuple):
    qnum: Any
    qden: Any


class Shuffled(NamedTuple):
    pass


class Preshuffle(NamedTuple):
    pass


class Local(NamedTuple):
    pass


class Of(NamedTuple):
    q: Any


class Log(NamedTuple):
    z: Any


class Claim(NamedTuple):
    rows: Any
    sees: Any
    users: Any
    eps: Any
    delta: Any


class Counts(NamedTuple):
    m: Any


class Tuple(NamedTuple):
    s: Any


class Symmetry(NamedTuple):
    inputs: Any
    messages: Any


class Binomial(NamedTuple):
    n: Any
    p: Any


class Poisson(NamedTuple):
    lam: Any


class NegativeBinomial(NamedTuple):
    r: Any
    p: Any


class DiscreteLaplace(NamedTuple):
    q: Any


class Gaussian(NamedTuple):
    v: Any


class Bounded(NamedTuple):
    q: Any
    bound: Any


class Noise(NamedTuple):
    x: Any


class Bell(NamedTuple):
    b: Any


class Finite(NamedTuple):
    p: Any


class Sum(NamedTuple):
    of: Any


class Mixture(NamedTuple):
    of: Any


class Mod(NamedTuple):
    m: Any
    l: Any


class Table(NamedTuple):
    inputs: Any


class OneOf(NamedTuple):
    held: Any
    other: Any


class Columns(NamedTuple):
    number_laws: Any
    draws: Any
    added_law: Any
    column_users: Any
    shown_from: Any
    arriving: Any
    columns_eps: Any
    columns_delta: Any


class Number(NamedTuple):
    largest: Any
    each_adds: Any
    once_added: Any
    shown_mod: Any
    arrives: Any
    number_users: Any
    number_eps: Any
    number_delta: Any


class Precision(NamedTuple):
    halvings: Any
    terms: Any
    bits: Any


class Line(NamedTuple):
    apart: Any
    places: Any


class Threshold(NamedTuple):
    weights: Any
    above: Any


class AnyClaim(NamedTuple):
    any_local: Any
    any_share: Any
    any_users: Any
    any_eps: Any
    any_delta: Any


class Cover(NamedTuple):
    scale: Any
    low: Any
    lost: Any


class Round(NamedTuple):
    prec_of: Any
    fine_of: Any
    cut_of: Any
    line_of: Any


class PairTold(NamedTuple):
    from_told: Any
    to_told: Any
    others_told: Any


class Leaf(NamedTuple):
    pass


class Node(NamedTuple):
    h: Any
    l: Any
    k: Any
    r: Any


class Mkt(NamedTuple):
    field0: Any


class Ready(NamedTuple):
    of_round: Any
    tables: Any
    nobody_yet: Any


class Sizes(NamedTuple):
    key_bits: Any
    base: Any
    unit_of: Any


class Hint(NamedTuple):
    precise: Any
    rounded: Any
    fine: Any
    cut: Any
    fast: Any
    rounds: Any
    boxes: Any


class Cover0(NamedTuple):
    start: Any
    coefs: Any
    missed: Any


class Way(NamedTuple):
    grid_step: Any
    bits_of: Any
    clip_at: Any


class Replace(NamedTuple):
    pass


class AddRemove(NamedTuple):
    pass


class Deletion(NamedTuple):
    weights: Any


class Crowd(NamedTuple):
    each: Any
    takes: Any
    changes: Any
    shown_as: Any
    all_users: Any
    honest: Any
    crowd_eps: Any
    crowd_delta: Any


class OfRows(NamedTuple):
    c: Any


class OfNumbers(NamedTuple):
    c: Any


class OfColumns(NamedTuple):
    c: Any
    size: Any


class OfAny(NamedTuple):
    c: Any


class Composition(NamedTuple):
    kinds: Any
    same_pairs: Any
    runs_eps: Any
    runs_delta: Any


class Walk(NamedTuple):
    lo: Any
    len_: Any
    start: Any


class Around(NamedTuple):
    steps: Any
    start: Any
    p: Any


class Parts(NamedTuple):
    u: Any
    l: Any


class Here(NamedTuple):
    x: Any


class Split(NamedTuple):
    x: Any
    most: Any


class Blk(NamedTuple):
    mates: Any
    opens: Any
    spot: Any
    many_blocks: Any
    moved_by: Any
    half_of: Any
    reach_of: Any
    block_way: Any
    floor_at: Any
    most_at: Any
    block_round: Any
    doubled: Any


class Each(NamedTuple):
    pass


class Corner(NamedTuple):
    pass


class Fewer(NamedTuple):
    m: Any


class Blocked(NamedTuple):
    k: Any


class Covered(NamedTuple):
    goes: Any
    tree_of: Any


class ColumnsHint(NamedTuple):
    places_of: Any
    fine_bits: Any
    by_law: Any
    eps_bits: Any


class NumberHint(NamedTuple):
    number_places: Any
    number_fine: Any
    by_each: Any
    by_once: Any
    number_bits: Any


class Histogram(NamedTuple):
    noise_of: Any
    buckets: Any
    histogram_eps: Any
    histogram_delta: Any


class AllDatasets(NamedTuple):
    s: Any
    symmetries: Any
    hints: Any


class Trees(NamedTuple):
    s: Any
    rounds: Any
    many: Any
    exact_too: Any
    prec: Any
    sh: Any
    trees: Any
    ups: Any
    moved: Any


class Certain(NamedTuple):
    pass


class BestEvent(NamedTuple):
    s: Any
    hints: Any


class Listed(NamedTuple):
    outcomes: Any
    s: Any
    hints: Any


class Above(NamedTuple):
    t: Any
    d: Any
    prec: Any
    fine: Any
    cut: Any
    fast: Any


class Topmost(NamedTuple):
    t: Any
    d: Any
    prec: Any


class OnShifts(NamedTuple):
    h: Any


class InTrees(NamedTuple):
    h: Any
    trees: Any


class OfShift(NamedTuple):
    h: Any
    x: Any
    y: Any


class OfColumn(NamedTuple):
    h: Any
    p: Any


class Plan(NamedTuple):
    top: Any
    bottom: Any
    bits: Any
    sharp: Any
    most: Any
    room: Any


class Lattice(NamedTuple):
    level: Any
    first: Any
    cells: Any
    beyond: Any


class Dot(NamedTuple):
    at_ratio: Any
    height_of: Any
    weight_of: Any


class Statistic(NamedTuple):
    depth: Any
    at_: Any
    ours: Any
    theirs: Any
    alone: Any
    astray: Any


class ForRows(NamedTuple):
    own: Any
    unit_for: Any
    because: Any


class ForEnds(NamedTuple):
    w: Any


class ForAny(NamedTuple):
    prec: Any
    h: Any


class Points(NamedTuple):
    at_points: Any
    shown_by: Any


class ByPoints(NamedTuple):
    listed: Any
    far: Any
    ds: Any


class ByTrees(NamedTuple):
    own: Any
    s: Any
    r: Any
    many: Any
    sh: Any
    trees: Any


class ByEnds(NamedTuple):
    w: Any


class OfTwo(NamedTuple):
    own: Any
    s: Any
    q: Any
    prec: Any
    fine: Any
    cut: Any
    fast: Any


class OfEnds(NamedTuple):
    q: Any


class KnownLaws(NamedTuple):
    unit_known: Any
    lost_known: Any
    p_known: Any
    q_known: Any


class Keyed(NamedTuple):
    field0: Any


class Digits(NamedTuple):
    s: Any


class Values(NamedTuple):
    l: Any


class Object(NamedTuple):
    l: Any


class Malformed(NamedTuple):
    field0: Any
    field1: Any


class NoTheorem(NamedTuple):
    field0: Any


class Not(NamedTuple):
    why: Any


class Labels(NamedTuple):
    in_turn: Any
    numbers_of: Any


class NamedTable(NamedTuple):
    rows_of: Any
    input_names: Any
    message_names: Any


class Told(NamedTuple):
    kind_of: Any
    users_told: Any
    honest_told: Any
    part_told: Any
    view_told: Any
    each_told: Any
    added_told: Any
    shown_told: Any


class Replacing(NamedTuple):
    pass


class Arriving(NamedTuple):
    pass


class Deleting(NamedTuple):
    v: Any


class ToldClaim(NamedTuple):
    runs_told: Any
    same_told: Any
    around_told: Any
    eps_told: Any
    delta_told: Any


class Names(NamedTuple):
    field0: Any
    field1: Any


class Wide(NamedTuple):
    of_columns_said: Any
    field1: Any
    columns_inputs: Any
    first_pair_alone: Any


class Grid(NamedTuple):
    grid_by: Any
    grid_cells: Any
    field2: Any


class Block(NamedTuple):
    block_users: Any
    block_open: Any
    block_place: Any
    block_grid: Any


class Cut(NamedTuple):
    x: Any
    most: Any


class AsEach(NamedTuple):
    pass


class AsCorner(NamedTuple):
    pass


class AsBlock(NamedTuple):
    b: Any


class Entry(NamedTuple):
    goes_from: Any
    goes_to: Any
    nodes: Any


class EachPair(NamedTuple):
    pass


class ByEntries(NamedTuple):
    field0: Any
    field1: Any


class RowsKept(NamedTuple):
    field0: Any
    field1: Any
    field2: Any
    field3: Any


class Renaming(NamedTuple):
    moves_of_inputs: Any
    moved_to: Any
    moves_of_messages: Any


class Own(NamedTuple):
    e: Any


class Again(NamedTuple):
    a: Any
    b: Any
    j: Any
    k: Any


class OnBestEvent(NamedTuple):
    pass


class OnOutcomes(NamedTuple):
    field0: Any


class OnThreshold(NamedTuple):
    field0: Any


class RowsBroken(NamedTuple):
    field0: Any
    field1: Any
    field2: Any
    field3: Any


class NumberKept(NamedTuple):
    c: Any


class ColumnsKept(NamedTuple):
    w: Any
    entries: Any


class RowsAt(NamedTuple):
    field0: Any


class AnyAt(NamedTuple):
    field0: Any


class NumberedAt(NamedTuple):
    field0: Any


class RowsAsTheyAre(NamedTuple):
    field0: Any


class NumberedAsTheyAre(NamedTuple):
    field0: Any


class PairOfRows(NamedTuple):
    field0: Any
    field1: Any
    field2: Any


class PairOfNumber(NamedTuple):
    field0: Any
    field1: Any
    field2: Any


class PairOfColumns(NamedTuple):
    field0: Any
    field1: Any


class KeptByRows(NamedTuple):
    field0: Any


class BrokenByRows(NamedTuple):
    field0: Any


class KeptByAny(NamedTuple):
    field0: Any
    field1: Any
    field2: Any


class BrokenByOne(NamedTuple):
    field0: Any
    field1: Any
    field2: Any
    field3: Any
    field4: Any
    field5: Any


class KeptByNumber(NamedTuple):
    field0: Any


class BrokenByNumber(NamedTuple):
    field0: Any
    field1: Any
    field2: Any


class KeptByColumns(NamedTuple):
    field0: Any
    field1: Any


class BrokenByColumns(NamedTuple):
    field0: Any
    field1: Any


class KeptByRuns(NamedTuple):
    field0: Any
    field1: Any
    field2: Any
    field3: Any
    field4: Any


class BrokenByRuns(NamedTuple):
    field0: Any
    field1: Any
    field2: Any
    field3: Any
    field4: Any


def option_map(f, o):
    if o is not None:
        a = o[0]
        return (f(a),)
    return None


def mul(n0, m):
    if n0 == 0:
        return 0
    p = n0 - 1
    return m + mul(p, m)


def bool_dec(b1, b2):
    if b1:
        if b2:
            return True
        return False
    if b2:
        return False
    return True


def eqb(b1, b2):
    if b1:
        return b2
    if b2:
        return False
    return True


def to_pos(z0):
    if z0 > 0:
        return z0
    return 1


def zeq_bool(x, y):
    if x == y:
        return True
    return False


def hd(default, l):
    if not l:
        return default
    x = l[0]
    return x


def tl(l):
    if not l:
        return ()
    m = l[1]
    return m


def in_dec(h, a, l):
    for _ in budget.steps:
        if not l:
            return False
        y, l0 = l
        s = h(y, a)
        if s:
            return True
        l = l0
    else:
        raise OutOfSteps


def nth(n0, l, default):
    for _ in budget.steps:
        if n0 == 0:
            if not l:
                return default
            x = l[0]
            return x
        m = n0 - 1
        if not l:
            return default
        t7 = l[1]
        n0, l = m, t7
    else:
        raise OutOfSteps


def rev_append(l, l_):
    for _ in budget.steps:
        if not l:
            return l_
        a, l0 = l
        l, l_ = l0, (a, l_)
    else:
        raise OutOfSteps


def concat(l):
    if not l:
        return ()
    x, l0 = l
    return app(x, concat(l0))


def list_eq_dec(eq_dec9, l, l_):
    for _ in budget.steps:
        if not l:
            if not l_:
                return True
            return False
        y, l0 = l
        if not l_:
            return False
        a, l1 = l_
        if eq_dec9(y, a):
            l, l_ = l0, l1
            continue
        return False
    else:
        raise OutOfSteps


def map_(f, l):
    found = []
    for _ in budget.steps:
        if not l:
            return onto(found, ())
        a, t7 = l
        found.append(f(a))
        l = t7
    else:
        raise OutOfSteps


def flat_map(f, l):
    if not l:
        return ()
    x, t7 = l
    return app(f(x), flat_map(f, t7))


def fold_left(f, l, a0):
    for _ in budget.steps:
        if not l:
            return a0
        b, t7 = l
        l, a0 = t7, f(a0, b)
    else:
        raise OutOfSteps


def fold_right(f, a0, l):
    if not l:
        return a0
    b, t7 = l
    return f(b, fold_right(f, a0, t7))


def existsb(f, l):
    for _ in budget.steps:
        if not l:
            return False
        a, l0 = l
        if f(a):
            return True
        l = l0
    else:
        raise OutOfSteps


def forallb(f, l):
    for _ in budget.steps:
        if not l:
            return True
        a, l0 = l
        if not f(a):
            return False
        l = l0
    else:
        raise OutOfSteps


def filter_(f, l):
    found = []
    for _ in budget.steps:
        if not l:
            return onto(found, ())
        x, l0 = l
        if f(x):
            found.append(x)
            l = l0
            continue
        l = l0
    else:
        raise OutOfSteps


def find(f, l):
    for _ in budget.steps:
        if not l:
            return None
        x, tl0 = l
        if f(x):
            return (x,)
        l = tl0
    else:
        raise OutOfSteps


def combine(l, l_):
    found = []
    for _ in budget.steps:
        if not l:
            return onto(found, ())
        x, tl0 = l
        if not l_:
            return onto(found, ())
        y, tl_ = l_
        found.append((x, y))
        l, l_ = tl0, tl_
    else:
        raise OutOfSteps


def list_prod(l, l_):
    if not l:
        return ()
    x, t7 = l
    return app(map_((lambda y: (x, y)), l_), list_prod(t7, l_))


def firstn(n0, l):
    found = []
    for _ in budget.steps:
        if n0 == 0:
            return onto(found, ())
        n1 = n0 - 1
        if not l:
            return onto(found, ())
        a, l0 = l
        found.append(a)
        n0, l = n1, l0
    else:
        raise OutOfSteps


def skipn(n0, l):
    for _ in budget.steps:
        if n0 == 0:
            return l
        n1 = n0 - 1
        if not l:
            return ()
        l0 = l[1]
        n0, l = n1, l0
    else:
        raise OutOfSteps


def nodup(decA, l):
    found = []
    for _ in budget.steps:
        if not l:
            return onto(found, ())
        x, xs = l
        if in_dec(decA, x, xs):
            l = xs
            continue
        found.append(x)
        l = xs
    else:
        raise OutOfSteps


def seq(start1, len_):
    found = []
    for _ in budget.steps:
        if len_ == 0:
            return onto(found, ())
        len0 = len_ - 1
        found.append(start1)
        start1, len_ = start1 + 1, len0
    else:
        raise OutOfSteps


def repeat(x, n0):
    found = []
    for _ in budget.steps:
        if n0 == 0:
            return onto(found, ())
        k = n0 - 1
        found.append(x)
        n0 = k
    else:
        raise OutOfSteps


def qeq_bool(x, y):
    return zeq_bool(x.qnum * y.qden, y.qnum * x.qden)


def qle_bool(x, y):
    return (x.qnum * y.qden) <= (y.qnum * x.qden)


def qplus(x, y):
    return Qmake((x.qnum * y.qden) + (y.qnum * x.qden), x.qden * y.qden)


def qmult(x, y):
    return Qmake(x.qnum * y.qnum, x.qden * y.qden)


def qopp(x):
    return Qmake(-x.qnum, x.qden)


def qinv(x):
    t = x.qnum
    if t == 0:
        return Qmake(0, 1)
    if t > 0:
        return Qmake(x.qden, t)
    p = -t
    return Qmake(-x.qden, p)


def image(f, x):
    t = find((lambda xy: xy[0] == x), f)
    if t is not None:
        xy = t[0]
        return xy[1]
    return x


def law_in(w, column, x):
    if isinstance(w, Table):
        inputs = w.inputs
        return nth(column, nth(x, inputs, ()), 0)
    held0, other = w
    if x == column:
        return held0
    return other


def run(k, len_):
    found = []
    for _ in budget.steps:
        if len_ == 0:
            return onto(found, ())
        n0 = len_ - 1
        found.append(k)
        k, len_ = k + 1, n0
    else:
        raise OutOfSteps


def ascending(k, l):
    for _ in budget.steps:
        if not l:
            return True
        o, l0 = l
        if not (k < o[0]):
            return False
        k, l = o[0], l0
    else:
        raise OutOfSteps


def merge(d, u, p, q0, acc):
    for _ in budget.steps:
        if not p:
            return rev_append(q0, acc)
        (k, w), p_ = p
        for _ in budget.steps:
            if not q0:
                p, q0, acc = p_, (), ((d + k, u * w), acc)
                break
            (l, v), q_ = q0
            if (d + k) == l:
                p, q0, acc = p_, q_, ((l, (u * w) + v), acc)
                break
            if (d + k) < l:
                p, acc = p_, ((d + k, u * w), acc)
                break
            q0, acc = q_, ((l, v), acc)
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def plus(p, q0):
    return rev_append(merge(0, 1, p, q0, ()), ())


def plus_pairs(l, acc):
    for _ in budget.steps:
        if not l:
            return acc
        p, l0 = l
        if not l0:
            return (p, acc)
        q0, l1 = l0
        l, acc = l1, (plus(p, q0), acc)
    else:
        raise OutOfSteps


def plus_all(fuel, l):
    for _ in budget.steps:
        if fuel == 0:
            if not l:
                return ()
            p, l0 = l
            if not l0:
                return p
            return fold_left(plus, l, ())
        fuel0 = fuel - 1
        if not l:
            return ()
        p, l0 = l
        if not l0:
            return p
        fuel, l = fuel0, plus_pairs(l, ())
    else:
        raise OutOfSteps


def times_term(p, t7):
    return map_((lambda kw: (t7[0] + kw[0], t7[1] * kw[1])), p)


def mul1(f, p):
    return plus_all(64, map_((lambda x0: times_term(p, x0)), f))


def stick(a, b, p, q0, acc):
    for _ in budget.steps:
        if not p:
            return fold_left((lambda acc0, kv: acc0 + max(-(b * kv[1]), 0)), q0, acc)
        (k, w), p_ = p
        for _ in budget.steps:
            if not q0:
                p, q0, acc = p_, (), acc + max(a * w, 0)
                break
            (l, v), q_ = q0
            if k == l:
                p, q0, acc = p_, q_, acc + max((a * w) - (b * v), 0)
                break
            if k < l:
                p, acc = p_, acc + max(a * w, 0)
                break
            q0, acc = q_, acc + max(-(b * v), 0)
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def weight_in(e, p):
    return fold_left((lambda acc, kw: (acc + kw[1] if e(kw[0]) else acc)), p, 0)


def product(fs, p):
    return fold_right(mul1, p, fs)


def sum_down(n0, k, w, r, t7, total0):
    for _ in budget.steps:
        if n0 == 0:
            return total0
        n1 = n0 - 1
        n0, k, t7, total0 = n1, k + 1, div(t7 * r, k * power(2, w)), total0 + t7
    else:
        raise OutOfSteps


def sum_up(n0, k, w, r, t7, total0):
    for _ in budget.steps:
        if n0 == 0:
            return total0 + (3 * t7)
        n1 = n0 - 1
        n0, k, t7, total0 = n1, k + 1, -div(-(t7 * r), k * power(2, w)), total0 + t7
    else:
        raise OutOfSteps


def square_down(h, w, x):
    for _ in budget.steps:
        if h == 0:
            return x
        h0 = h - 1
        h, x = h0, div(x * x, power(2, w))
    else:
        raise OutOfSteps


def square_up(h, w, x):
    for _ in budget.steps:
        if h == 0:
            return x
        h0 = h - 1
        h, x = h0, -div(-(x * x), power(2, w))
    else:
        raise OutOfSteps


def exp_down(a, b, h, n0, w):
    return square_down(h, w, sum_down(n0, 1, w, div(a * power(2, w), b * power(2, h)), power(2, w), 0))


def exp_up(a, b, h, n0, w):
    return square_up(h, w, sum_up(n0, 1, w, -div(-(a * power(2, w)), b * power(2, h)), power(2, w), 0))


def key(w, s):
    if not s:
        return 0
    m, s0 = s
    return power(2, w * m) + key(w, s0)


def steps(step0, i, k, acc):
    for _ in budget.steps:
        if k == 0:
            return acc
        k0 = k - 1
        k, acc = k0, step0(i, acc)
    else:
        raise OutOfSteps


def two(step0, pass_, i, j, fuel, n0, acc):
    for _ in budget.steps:
        if n0 == 0:
            return pass_(acc)
        if fuel == 0:
            return False
        fuel0 = fuel - 1
        m = n0 >> 1
        if not two(step0, pass_, i, j, fuel0, m, steps(step0, j, max(n0 - m, 0), acc)):
            return False
        fuel, n0, acc = fuel0, max(max(n0 - m, 0) - 1, 0), steps(step0, i, m + 1, acc)
    else:
        raise OutOfSteps


def every(step0, pass_, is_, n0, acc):
    if not is_:
        if n0 == 0:
            return pass_(acc)
        return True
    i, is0 = is_
    if not is0:
        for _ in budget.steps:
            if not every(step0, pass_, is0, n0, acc):
                return False
            if n0 == 0:
                return True
            m = n0 - 1
            n0, acc = m, step0(i, acc)
        else:
            raise OutOfSteps
    j, l = is0
    if not l:
        return two(step0, pass_, i, j, n0, n0, acc)
    for _ in budget.steps:
        if not every(step0, pass_, is0, n0, acc):
            return False
        if n0 == 0:
            return True
        m = n0 - 1
        n0, acc = m, step0(i, acc)
    else:
        raise OutOfSteps


def good(e):
    if isinstance(e, Of):
        q0 = e.q
        return 0 <= q0.qnum
    z0 = e.z
    return z0.qden <= z0.qnum


def from_below(e, p):
    if isinstance(e, Of):
        q0 = e.q
        if q0.qnum == 0:
            return (1, 1)
        return (exp_down(q0.qnum, q0.qden, p.halvings, p.terms, p.bits), power(2, p.bits))
    z0 = e.z
    return (z0.qnum, z0.qden)


def from_above(e, p):
    if isinstance(e, Of):
        q0 = e.q
        if q0.qnum == 0:
            return (1, 1)
        return (exp_up(q0.qnum, q0.qden, p.halvings, p.terms, p.bits), power(2, p.bits))
    z0 = e.z
    return (z0.qnum, z0.qden)


def fits(e, p):
    if not (0 <= p.bits):
        return False
    if isinstance(e, Of):
        q0 = e.q
        return q0.qnum <= (q0.qden * power(2, p.halvings))
    return True


def row_by(phi, d, r):
    return map_((lambda o: (phi(o[0]), o[1].qnum * div(d, o[1].qden))), r)


def row_poly(w, d, r):
    return row_by((lambda x0: key(w, x0)), d, r)


def row_fits(d, r):
    return (0 < d) and forallb((lambda o: (mod(d, o[1].qden) == 0) and (0 < o[1].qnum)), r)


def longest(k):
    return fold_right((lambda r, m: fold_right((lambda o, m0: max(length(o[0]), m0)), m, r)), 0, k)


def row_at(f, x):
    return nth(x, f, ())


def tell(f, worth1, acc):
    views = map_((lambda f0: mul1(f0, acc)), f)
    many = length(f)
    return forallb((lambda i: forallb((lambda j: (i == j) or worth1(nth(i, views, ()), nth(j, views, ()))), seq(0, many))), seq(0, length(f)))


def first_key(f):
    if not f:
        return 0
    kw = f[0]
    return kw[0]


def same_at(s, f, g):
    for _ in budget.steps:
        if not f:
            if not g:
                return True
            return False
        (k, w), f0 = f
        if not g:
            return False
        (l, v), g0 = g
        if not (((s + k) == l) and (w == v)):
            return False
        f, g = f0, g0
    else:
        raise OutOfSteps


def same_shape(f, g):
    return same_at(first_key(g) - first_key(f), f, g)


def normal(f):
    return plus_all(64, map_((lambda kw: (kw, ())), f))


def rep(n0, y):
    t = find((lambda x: same_shape(nth(x, n0, ()), nth(y, n0, ()))), seq(0, y))
    if t is not None:
        x = t[0]
        return x
    return y


def setting(c, w, d):
    return (((forallb((lambda x0: row_fits(d, x0)), c.rows) and good(c.eps)) and (0 <= w)) and ((c.users * longest(c.rows)) < power(2, w))) and (0 <= c.delta.qnum)


def worth(c, d, z0, p, q0):
    return (stick(z0[1], z0[0], p, q0, 0) * c.delta.qden) <= ((c.delta.qnum * power(d, c.users)) * z0[1])


def check_proved(c, w, d, prec):
    f = map_((lambda x0: row_poly(w, d, x0)), c.rows)
    n0 = map_(normal, f)
    z0 = from_below(c.eps, prec)
    if not (setting(c, w, d) and fits(c.eps, prec)):
        return False
    t = c.users
    if t == 0:
        return True
    n1 = t - 1
    a1 = (lambda x0, x1: worth(c, d, z0, x0, x1))
    return every((lambda i, acc: mul1(nth(i, n0, ()), acc)), (lambda x0: tell(n0, a1, x0)), nodup((lambda x0, x1: x0 == x1), map_((lambda x0: rep(n0, x0)), seq(0, length(f)))), n1, ((0, 1), ()))


def pair_product(f, xs):
    return fold_left((lambda acc, x: mul1(nth(x, f, ()), acc)), xs, ((0, 1), ()))


def check_reaches(c, w, d, prec, a, b, others, e):
    f = map_((lambda x0: row_poly(w, d, x0)), c.rows)
    z0 = from_above(c.eps, prec)
    acc = pair_product(f, others)
    p = weight_in(e, mul1(nth(a, f, ()), acc))
    q0 = weight_in(e, mul1(nth(b, f, ()), acc))
    l = ((z0[1] * p) - (z0[0] * q0)) * c.delta.qden
    r = (c.delta.qnum * power(d, c.users)) * z0[1]
    t = ((forallb((lambda x0: row_fits(d, x0)), c.rows) and good(c.eps)) and fits(c.eps, prec)) and ((length(others) + 1) == c.users)
    if t:
        many = length(f)
        t = forallb((lambda x: x < many), (a, (b, others)))
    if not (t and (not (a == b))):
        return False
    return r < l


def up(x, k):
    if isinstance(x, Binomial):
        n0, p = x
        return (n0 - k) * p.qnum
    if isinstance(x, Poisson):
        lam = x.lam
        return lam.qnum
    if isinstance(x, NegativeBinomial):
        r, p = x
        return p.qnum * ((k * r.qden) + r.qnum)
    q0 = x.q
    if 0 <= k:
        return q0.qnum
    return q0.qden


def down(x, k):
    if isinstance(x, Binomial):
        p = x.p
        return (k + 1) * (p.qden - p.qnum)
    if isinstance(x, Poisson):
        lam = x.lam
        return (k + 1) * lam.qden
    if isinstance(x, NegativeBinomial):
        r, p = x
        return (p.qden * r.qden) * (k + 1)
    q0 = x.q
    if 0 <= k:
        return q0.qden
    return q0.qnum


def proper_noise(x):
    if isinstance(x, Binomial):
        n0, p = x
        return ((0 <= n0) and (0 < p.qnum)) and (p.qnum < p.qden)
    if isinstance(x, Poisson):
        lam = x.lam
        return 0 < lam.qnum
    if isinstance(x, NegativeBinomial):
        r, p = x
        return ((0 < r.qnum) and (0 < p.qnum)) and (p.qnum < p.qden)
    q0 = x.q
    return (0 < q0.qnum) and (q0.qnum < q0.qden)


def inside(x, k):
    if isinstance(x, Binomial):
        n0 = x.n
        return (0 <= k) and (k <= n0)
    if isinstance(x, DiscreteLaplace):
        return True
    return 0 <= k


def falls_up(x, k):
    if isinstance(x, NegativeBinomial):
        r, p = x
        if r.qnum < r.qden:
            return (p.qnum, p.qden)
        return (up(x, k), down(x, k))
    return (up(x, k), down(x, k))


def falls_down(x, k):
    if isinstance(x, DiscreteLaplace):
        q0 = x.q
        if k <= 0:
            return (q0.qnum, q0.qden)
        return (1, 1)
    if k <= 0:
        return (0, 1)
    return (down(x, k - 1), up(x, k - 1))


def all_of(f, us):
    return fold_left((lambda acc, u: acc + f(u)), us, 0)


def walk(x, fuel, k, u, v, acc):
    for _ in budget.steps:
        if fuel == 0:
            return ((u, v), acc)
        f = fuel - 1
        a = up(x, k)
        b = down(x, k)
        fuel, k, u, v, acc = f, k + 1, div(u * a, b), -div(-(v * a), b), ((u, v), acc)
    else:
        raise OutOfSteps


def beyond(u, ratio):
    return -div(-(u * ratio[0]), ratio[1] - ratio[0])


def window(x, lo, len_, start1):
    l = walk(x, len_, lo, start1, start1, ())
    return (rev_append(l, ()), beyond(start1, falls_down(x, lo)) + beyond(hd((0, 0), l)[1], falls_up(x, lo + len_)))


def below_one(ratio):
    return (0 <= ratio[0]) and (ratio[0] < ratio[1])


def window_stands(x, lo, len_, start1):
    return ((((proper_noise(x) and (0 < start1)) and inside(x, lo)) and inside(x, lo + len_)) and below_one(falls_down(x, lo))) and below_one(falls_up(x, lo + len_))


def ratios(b, b0, p):
    if isinstance(b, Gaussian):
        v = b.v
        low0 = from_below(Of(qinv(qmult(Qmake(2, 1), v))), p)
        high = from_above(Of(qinv(qmult(Qmake(2, 1), v))), p)
        rl = div(b0 * high[1], high[0])
        rh = -div(-(b0 * low0[1]), low0[0])
        return ((rl, rh), (div(rl * rl, b0), -div(-(rh * rh), b0)))
    q0 = b.q
    return ((div(b0 * q0.qnum, q0.qden), -div(-(b0 * q0.qnum), q0.qden)), (b0, b0))


def at_end(b, k):
    if isinstance(b, Gaussian):
        return False
    bound = b.bound
    return bound <= k


def outwards(b, steps0, b0, tl0, th0, k, u, v, rl, rh, p, all_):
    for _ in budget.steps:
        if k == 0:
            p0 = ((0, u), ())
        else:
            p0 = ((-k, u), ((k, u), p))
        all0 = all_ + (v if k == 0 else 2 * v)
        if steps0 == 0:
            if at_end(b, k):
                return (p0, all0)
            if (0 <= rh) and (rh < b0):
                return (p0, all0 + (2 * beyond(v, (rh, b0))))
            return ((), 0)
        n0 = steps0 - 1
        if at_end(b, k):
            return (p0, all0)
        steps0, k, u, v, rl, rh, p, all_ = n0, k + 1, div(u * rl, b0), -div(-(v * rh), b0), div(rl * tl0, b0), -div(-(rh * th0), b0), p0, all0
    else:
        raise OutOfSteps


def bell_stands(b):
    if isinstance(b, Gaussian):
        v = b.v
        return 0 < v.qnum
    q0, bound = b
    return ((0 < q0.qnum) and (q0.qnum < q0.qden)) and (0 <= bound)


def bell_fits(b, p):
    if isinstance(b, Gaussian):
        v = b.v
        return (fits(Of(qinv(qmult(Qmake(2, 1), v))), p) and (0 < from_below(Of(qinv(qmult(Qmake(2, 1), v))), p)[0])) and (0 < from_above(Of(qinv(qmult(Qmake(2, 1), v))), p)[0])
    return True


def known_bell(b, steps0, b0, p):
    if bell_fits(b, p) and (0 < b0):
        (rl, rh), (tl0, th0) = ratios(b, b0, p)
        return outwards(b, steps0, b0, tl0, th0, 0, b0, b0, rl, rh, (), 0)
    return ((), 0)


def dense(s, k, room, f, acc):
    for _ in budget.steps:
        if not f:
            return (rev_append(acc, ()),)
        (j, c), f_ = f
        if room == 0:
            return None
        room0 = room - 1
        if j == k:
            k, room, f, acc = k + s, room0, f_, (c, acc)
            continue
        if j < k:
            return None
        k, room, acc = k + s, room0, (0, acc)
    else:
        raise OutOfSteps


def spread(s, k, l, acc):
    for _ in budget.steps:
        if not l:
            return rev_append(acc, ())
        c, l0 = l
        k, l, acc = k + s, l0, (acc if c == 0 else ((k, c), acc))
    else:
        raise OutOfSteps


def start_of(f):
    if not f:
        return 0
    kw = f[0]
    return kw[0]


def sum_(l):
    return fold_left((lambda x0, x1: x0 + x1), l, 0)


def natural(l):
    return forallb((lambda c: 0 <= c), l)


def short(f):
    if not f:
        return True
    l = f[1]
    if not l:
        return True
    l0 = l[1]
    if not l0:
        return True
    return False


def times(t7, f, p):
    s = t7.apart
    if short(f):
        return mul1(f, p)
    t = dense(s, start_of(f), t7.places, f, ())
    if t is not None:
        a = t[0]
        t_2 = dense(s, start_of(p), t7.places, p, ())
        if t_2 is not None:
            c = t_2[0]
            if natural(a) and natural(c):
                return spread(s, start_of(f) + start_of(p), convolve(a, c), ())
            return mul1(f, p)
        return mul1(f, p)
    return mul1(f, p)


def times_self(t7, f):
    if short(f):
        return mul1(f, f)
    t = dense(t7.apart, start_of(f), t7.places, f, ())
    if t is not None:
        a = t[0]
        if natural(a):
            return spread(t7.apart, start_of(f) + start_of(f), convolve_self(a), ())
        return mul1(f, f)
    return mul1(f, f)


def weighed(ws, s):
    return fold_right((lambda m, sum0: nth(m, ws, 0) + sum0), 0, s)


def shrink(d, cut, p, acc, lost):
    for _ in budget.steps:
        if not p:
            return (rev_append(acc, ()), lost)
        (k, w), p1 = p
        v = div(w, d)
        if (v <= cut) and (0 <= v):
            p, lost = p1, lost + (v + 1)
            continue
        p, acc, lost = p1, ((k, v), acc), (0 if (lost == 0) and (w == (v * d)) else lost + 1)
    else:
        raise OutOfSteps


def step(f, d, cut, x, c):
    f0, l = shrink(d, cut, mul1(nth(x, f, ()), c.low), (), c.lost)
    return Cover(c.scale, f0, l)


def total(f):
    return fold_right((lambda kw, t7: kw[1] + t7), 0, f)


def fair(d, f):
    return forallb((lambda kw: 0 <= kw[1]), f) and (total(f) == d)


def worth_pair(c, d, z0, scale, lost, p, q0):
    return ((stick(z0[1], z0[0], p, q0, 0) + (z0[1] * (d * lost))) * c.delta.qden) <= ((c.delta.qnum * (scale * d)) * z0[1])


def worth_cover(c, d, z0, f, v):
    laws0 = map_((lambda f0: mul1(f0, v.low)), f)
    many = length(f)
    return forallb((lambda i: forallb((lambda j: (i == j) or worth_pair(c, d, z0, v.scale, v.lost, nth(i, laws0, ()), nth(j, laws0, ()))), seq(0, many))), seq(0, length(f)))


def check_cover(c, w, d, prec, fine, cut):
    f = map_((lambda x0: row_poly(w, d, x0)), c.rows)
    n0 = map_(normal, f)
    z0 = from_below(c.eps, prec)
    if not ((((setting(c, w, d) and fits(c.eps, prec)) and forallb((lambda x0: fair(d, x0)), n0)) and (0 <= fine)) and (0 <= z0[0])):
        return False
    t = c.users
    if t == 0:
        return True
    n1 = t - 1
    return every((lambda x0, x1: step(n0, d, cut, x0, x1)), (lambda x0: worth_cover(c, d, z0, n0, x0)), nodup((lambda x0, x1: x0 == x1), map_((lambda x0: rep(n0, x0)), seq(0, length(f)))), n1, Cover(power(2, fine), ((0, power(2, fine)), ()), 0))


def shrunk(cut, s, f, l):
    f0, l0 = shrink(s, cut, f, (), l)
    return Cover(s, f0, l0)


def join(t7, cut, c, e):
    return shrunk(cut, c.scale, times(t7, c.low, e.low), c.lost + e.lost)


def twice(t7, cut, c):
    return shrunk(cut, c.scale, times_self(t7, c.low), c.lost + c.lost)


def step_on(t7, f, d, cut, x, c):
    f0, l = shrink(d, cut, times(t7, nth(x, f, ()), c.low), (), c.lost)
    return Cover(c.scale, f0, l)


def unknown(s):
    return Cover(s, (), s)


def squares(t7, cut, many, c):
    found = []
    for _ in budget.steps:
        if many == 0:
            return onto(found, ())
        many0 = many - 1
        found.append(c)
        many, c = many0, twice(t7, cut, c)
    else:
        raise OutOfSteps


def with_power(t7, cut, table0, p, acc):
    for _ in budget.steps:
        if not table0:
            return unknown(acc.scale)
        c, table1 = table0
        if p > 1 and p & 1:
            p0 = p >> 1
            table0, p, acc = table1, p0, join(t7, cut, c, acc)
            continue
        if not p & 1:
            p0 = p >> 1
            table0, p = table1, p0
            continue
        return join(t7, cut, c, acc)
    else:
        raise OutOfSteps


def with_powers(t7, cut, tables, ks, acc):
    for _ in budget.steps:
        if not tables:
            return acc
        table0, tables0 = tables
        if not ks:
            return acc
        k, ks0 = ks
        if k > 0:
            t = with_power(t7, cut, table0, k, acc)
        else:
            t = acc
        tables, ks, acc = tables0, ks0, t
    else:
        raise OutOfSteps


def table_of(f, d, cut, t7, many, first, x):
    return squares(t7, cut, many, step_on(t7, f, d, cut, x, first))


def nobody(fine):
    return Cover(power(2, fine), ((0, power(2, fine)), ()), 0)


def spelled(os):
    return flat_map((lambda o: repeat(o[0], max(o[1], 0))), os)


def counts_in(inputs, os):
    return forallb((lambda o: (o[0] < inputs) and (0 <= o[1])), os)


def often_onto(x, ys, k):
    for _ in budget.steps:
        if not ys:
            return k
        y, ys0 = ys
        ys, k = ys0, (k + 1 if y == x else k)
    else:
        raise OutOfSteps


def counted(inputs, ys):
    return map_((lambda x: (x, often_onto(x, ys, 0))), seq(0, inputs))


def crowded(f, d, cut, t7, first, x, n0):
    if n0 > 1 and n0 & 1:
        n1 = n0 >> 1
        return step_on(t7, f, d, cut, x, twice(t7, cut, crowded(f, d, cut, t7, first, x, n1)))
    if not n0 & 1:
        n1 = n0 >> 1
        return twice(t7, cut, crowded(f, d, cut, t7, first, x, n1))
    return step_on(t7, f, d, cut, x, first)


def law_of_counts(f, d, r, os):
    def f_2(o, before0):
        t = o[1]
        if t > 0:
            v = crowded(f, d, r.cut_of, r.line_of, nobody(r.fine_of), o[0], t)
            if before0 is not None:
                w = before0[0]
                t_2 = join(r.line_of, r.cut_of, v, w)
            else:
                t_2 = v
            return (t_2,)
        return before0
    return fold_right(f_2, None, os)


def law_of_others(f, d, r, os):
    t = law_of_counts(f, d, r, os)
    if t is not None:
        v = t[0]
        return v
    return nobody(r.fine_of)


def add_up(ks):
    return fold_right((lambda x0, x1: x0 + x1), 0, ks)


def users_of(cs, ks):
    if not cs:
        return ()
    c, cs0 = cs
    if not ks:
        return ()
    k, ks0 = ks
    return app(repeat(c, max(k, 0)), users_of(cs0, ks0))
_0 = 0
_1 = 1
_2 = 2


def add1(x0, x1):
    return x0 + x1


def max0(x0, x1):
    return max(x0, x1)


def ltb(x0, x1):
    return x0 < x1


def leb(x0, x1):
    return x0 <= x1
empty = Leaf()


def mem(x, t7):
    for _ in budget.steps:
        if isinstance(t7, Leaf):
            return False
        l = t7.l
        k = t7.k
        r = t7.r
        if x == k:
            return True
        if x < k:
            t7 = l
            continue
        t7 = r
    else:
        raise OutOfSteps


def height(s):
    if isinstance(s, Leaf):
        return _0
    h = s.h
    return h


def create(l, x, r):
    return Node(add1(max0(height(l), height(r)), _1), l, x, r)


def assert_false(x0, x1, x2):
    return create(x0, x1, x2)


def bal(l, x, r):
    hl = height(l)
    hr = height(r)
    if ltb(add1(hr, _2), hl):
        if isinstance(l, Leaf):
            return assert_false(l, x, r)
        ll = l.l
        lx = l.k
        lr = l.r
        if leb(height(lr), height(ll)):
            return create(ll, lx, create(lr, x, r))
        if isinstance(lr, Leaf):
            return assert_false(l, x, r)
        lrl = lr.l
        lrx = lr.k
        lrr = lr.r
        return create(create(ll, lx, lrl), lrx, create(lrr, x, r))
    if ltb(add1(hl, _2), hr):
        if isinstance(r, Leaf):
            return assert_false(l, x, r)
        rl = r.l
        rx = r.k
        rr = r.r
        if leb(height(rl), height(rr)):
            return create(create(l, x, rl), rx, rr)
        if isinstance(rl, Leaf):
            return assert_false(l, x, r)
        rll = rl.l
        rlx = rl.k
        rlr = rl.r
        return create(create(l, x, rll), rlx, create(rlr, rx, rr))
    return create(l, x, r)


def add2(x, s):
    if isinstance(s, Leaf):
        return Node(_1, Leaf(), x, Leaf())
    h, l, y, r = s
    if x == y:
        return Node(h, l, y, r)
    if x < y:
        return bal(add2(x, l), y, r)
    return bal(l, y, add2(x, r))
empty0 = empty


def gains(a, b, p, __, acc):
    for _ in budget.steps:
        if not p:
            return acc
        (k, w), p_ = p
        for _ in budget.steps:
            if not __:
                p, __, acc = p_, (), add2(k, acc)
                break
            (l, v), q_ = __
            if k == l:
                p, __, acc = p_, q_, (add2(k, acc) if (b * v) < (a * w) else acc)
                break
            if k < l:
                p, acc = p_, add2(k, acc)
                break
            __ = q_
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def best_event(c, w, d, prec, a, b, others):
    f = map_((lambda x0: row_poly(w, d, x0)), c.rows)
    z0 = from_above(c.eps, prec)
    acc = pair_product(f, others)
    return gains(z0[1], z0[0], mul1(nth(a, f, ()), acc), mul1(nth(b, f, ()), acc), empty0)


def none(total0, b):
    return (existsb((lambda lu: lu[1] < lu[0]), b) or (add_up(map_((lambda x0: x0[1]), b)) < total0)) or (total0 < add_up(map_((lambda x0: x0[0]), b)))


def corner(total0, b):
    room = add_up(map_((lambda x0: x0[1]), b)) - total0
    return map_((lambda lu: max(lu[0], lu[1] - room)), b)


def cut_at(within0, k, most, b):
    found = []
    for _ in budget.steps:
        if not b:
            return onto(found, ())
        lu, b0 = b
        l, u = lu
        if k == 0:
            return onto(found, (((l, min(u, most)) if within0 else (max(l, most + 1), u)), b0))
        k0 = k - 1
        found.append(lu)
        k, b = k0, b0
    else:
        raise OutOfSteps


def position(x, l):
    if not l:
        return 0
    y, l0 = l
    if x == y:
        return 0
    return position(x, l0) + 1


def most_of(total0, b):
    room = total0 - add_up(map_((lambda x0: x0[0]), b))
    return map_((lambda lu: min(lu[1], lu[0] + room)), b)


def widest(k, low0, high, best):
    for _ in budget.steps:
        if not low0:
            return best
        l, low1 = low0
        if not high:
            return best
        h, high0 = high
        k, low0, high, best = k + 1, low1, high0, (((k, div(l + h, 2)), h - l) if best[1] < (h - l) else best)
    else:
        raise OutOfSteps


def by_halves(good0, last, total0, fuel, b, have, acc, budget_):
    for _ in budget.steps:
        if none(total0, b):
            return (budget_,)
        m = corner(total0, b)
        yes, new = good0(m, have, acc)
        budget0 = budget_ - 1
        if yes:
            return (budget0,)
        (k, at_), wide0 = widest(0, m, most_of(total0, b), ((0, 0), 0))
        if fuel == 0:
            return None
        fuel0 = fuel - 1
        if wide0 == 0:
            if last(m):
                return (budget0,)
            return None
        if budget0 <= 0:
            return None
        t = by_halves(good0, last, total0, fuel0, cut_at(True, k, at_, b), m, new, budget0)
        if t is not None:
            budget1 = t[0]
            fuel, b, have, acc, budget_ = fuel0, cut_at(False, k, at_, b), m, new, budget1
            continue
        return None
    else:
        raise OutOfSteps


def nobody_yet(r):
    return r.nobody_yet


def classes_of(n0):
    return nodup((lambda x0, x1: x0 == x1), map_((lambda x0: rep(n0, x0)), seq(0, length(n0))))


def prepare(n0, d, many, r):
    first = nobody(r.fine_of)
    a2 = r.cut_of
    a3 = r.line_of
    return Ready(r, map_((lambda x0: table_of(n0, d, a2, a3, many, first, x0)), classes_of(n0)), first)


def round_fits(c, r):
    return (fits(c.eps, r.prec_of) and (0 <= from_below(c.eps, r.prec_of)[0])) and (0 <= r.fine_of)


def law_at(r, m, have, acc):
    more = map_((lambda kh: kh[0] - kh[1]), combine(m, have))
    a0 = r.of_round.line_of
    a1 = r.of_round.cut_of
    a2 = r.tables
    go = (lambda x0, x1: with_powers(a0, a1, a2, x0, x1))
    if forallb((lambda k: 0 <= k), app(more, have)) and (length(have) == length(m)):
        return go(more, acc)
    return go(m, r.nobody_yet)


def enough(c, d, n0, r, v):
    return worth_cover(c, d, from_below(c.eps, r.of_round.prec_of), n0, v)


def exactly(n0, d, us):
    law0 = product(map_((lambda x0: row_at(n0, x0)), us), ((0, 1), ()))
    return Cover(power(d, length(us)), law0, 0)


def corner_holds(c, d, n0, rs, exact_too, m):
    return existsb((lambda r: enough(c, d, n0, r, law_at(r, m, (), r.nobody_yet))), rs) or existsb((lambda p: (fits(c.eps, p) and (0 <= from_below(c.eps, p)[0])) and worth_cover(c, d, from_below(c.eps, p), n0, exactly(n0, d, users_of(classes_of(n0), m)))), exact_too)


def all_within(total0, n0):
    return map_((lambda __: (0, total0)), classes_of(n0))


def fit_for_boxes(c, w, d, rounds):
    return (setting(c, w, d) and forallb((lambda x0: fair(d, x0)), map_(normal, map_((lambda x0: row_poly(w, d, x0)), c.rows)))) and forallb((lambda x0: round_fits(c, x0)), rounds)


def check_halves(c, w, d, rounds, many, budget_):
    n0 = map_(normal, map_((lambda x0: row_poly(w, d, x0)), c.rows))
    total0 = c.users - 1
    if not fit_for_boxes(c, w, d, rounds):
        return False
    t = map_((lambda x0: prepare(n0, d, many, x0)), rounds)
    if not t:
        return False
    r, rs = t
    def f(m, have, acc):
        v = law_at(r, m, have, acc)
        return (enough(c, d, n0, r, v), v)
    a4 = ()
    t_2 = by_halves(f, (lambda x0: corner_holds(c, d, n0, rs, a4, x0)), total0, 200, all_within(total0, n0), (), r.nobody_yet, budget_)
    if t_2 is not None:
        return True
    return False


def start(fine):
    return Cover(power(2, fine), ((0, power(2, fine)), ()), 0)


def cover_of(f, d, cut, fine, others):
    return fold_left((lambda st, x: step(f, d, cut, x, st)), others, start(fine))


def law_of(f, d, prec, fine, cut, fast, os):
    if fast is not None:
        p = fast[0]
        t7 = p[0]
        return law_of_others(f, d, Round(prec, fine, cut, t7), os)
    return cover_of(f, d, cut, fine, spelled(os))


def beside(fast, f, p):
    if fast is not None:
        p0 = fast[0]
        t7 = p0[0]
        return times(t7, f, p)
    return mul1(f, p)


def check_cover_reaches(c, w, d, prec, fine, cut, fast, a, b, os, named):
    f = map_(normal, map_((lambda x0: row_poly(w, d, x0)), c.rows))
    z0 = from_above(c.eps, prec)
    v = law_of(f, d, prec, fine, cut, fast, os)
    p = beside(fast, nth(a, f, ()), v.low)
    q0 = beside(fast, nth(b, f, ()), v.low)
    if named is not None:
        e_2 = named[0]
        e = e_2
    else:
        k = gains(z0[1], z0[0], p, q0, empty0)
        e = (lambda x: mem(x, k))
    l = ((z0[1] * weight_in(e, p)) - (z0[0] * (weight_in(e, q0) + (d * v.lost)))) * c.delta.qden
    r = (c.delta.qnum * (v.scale * d)) * z0[1]
    return ((((((((((forallb((lambda x0: row_fits(d, x0)), c.rows) and good(c.eps)) and fits(c.eps, prec)) and forallb((lambda x0: fair(d, x0)), f)) and (0 <= fine)) and (0 <= z0[0])) and ((1 + add_up(map_((lambda x0: x0[1]), os))) == c.users)) and counts_in(length(f), os)) and (a < length(f))) and (b < length(f))) and (not (a == b))) and (r < l)


def spread0(n0, i, s):
    found = []
    for _ in budget.steps:
        if not s:
            return onto(found, ())
        m, s0 = s
        found.append(i + mul(n0, m))
        i, s = i + 1, s0
    else:
        raise OutOfSteps


def tag(k):
    n0 = max(longest(k), 0)
    return map_((lambda x0: map_((lambda o: (spread0(n0, 0, o[0]), o[1])), x0)), k)


def total_of(m):
    return fold_right((lambda mk, t7: mk[1] + t7), 0, m)


def counts_key(w, m):
    return fold_right((lambda mk, t7: (mk[1] * power(2, w * mk[0])) + t7), 0, m)


def proper(m):
    return forallb((lambda mk: 0 <= mk[1]), m)


def spelled0(m):
    return flat_map((lambda mk: repeat(mk[0], max(mk[1], 0))), m)


def counts_keys(w, o):
    if isinstance(o, Counts):
        m = o.m
        if total_of(m) < power(2, w):
            return (counts_key(w, m), ())
        return ()
    return ()


def tuple_keys(w, n0, o):
    if isinstance(o, Counts):
        return ()
    s = o.s
    if length(s) <= n0:
        return (key(w, spread0(n0, 0, s)), ())
    return ()


def counted0(o):
    if isinstance(o, Counts):
        m = o.m
        return proper(m)
    return False


def spoken(o):
    if isinstance(o, Counts):
        return False
    return True


def key_set(keys):
    return fold_left((lambda set_, k: add2(k, set_)), keys, empty0)


def among(keys):
    set_ = key_set(keys)
    return (lambda k: mem(k, set_))


def distinct(l):
    for _ in budget.steps:
        if not l:
            return True
        x, l0 = l
        if not (not existsb((lambda x0, *, x=x: x == x0), l0)):
            return False
        l = l0
    else:
        raise OutOfSteps


def permutes(f):
    keys = map_((lambda x0: x0[0]), f)
    values0 = map_((lambda x0: x0[1]), f)
    return distinct(values0) and forallb((lambda y: existsb((lambda x0: y == x0), keys)), values0)


def digits_of(b, s):
    if not s:
        return 1
    m, s0 = s
    return (digits_of(b, s0) * b) + m


def code(v, w, b, s):
    if isinstance(v, Local):
        return digits_of(b, s)
    return key(w, s)


def small(v, w, b, s):
    if isinstance(v, Local):
        return forallb((lambda m: m < b), s)
    return length(s) < power(2, w)


def coded(k, d, r):
    return map_((lambda o: (k(o[0]), o[1].qnum * div(d, o[1].qden))), r)


def image_in(f, x):
    for _ in budget.steps:
        if not f:
            return x
        (y, z0), f0 = f
        if y == x:
            return z0
        f = f0
    else:
        raise OutOfSteps


def check_moves(v, k, w, b, d, n0, g):
    a0 = g.messages
    a0_2 = (lambda x0: image_in(a0, x0))
    move = (lambda x0: map_(a0_2, x0))
    if not permutes(g.messages):
        return False
    def f(x):
        r = nth(x, k, ())
        return (forallb((lambda o: small(v, w, b, move(o[0]))), r) if isinstance(v, Local) else True) and same_at(0, normal(coded((lambda s: code(v, w, b, move(s))), d, r)), nth(image(g.inputs, x), n0, ()))
    return forallb(f, seq(0, length(k)))


def check_symmetries(v, k, w, b, d, gs):
    n0 = map_((lambda r: normal(coded((lambda x0: code(v, w, b, x0)), d, r))), k)
    return (((0 <= w) and (2 <= b)) and forallb((lambda r: row_fits(d, r) and forallb((lambda o: small(v, w, b, o[0])), r)), k)) and forallb((lambda x0: check_moves(v, k, w, b, d, n0, x0)), gs)


def valid(d, k):
    return forallb((lambda r: row_fits(d, r) and (fold_right((lambda o, t7: (o[1].qnum * div(d, o[1].qden)) + t7), 0, r) == d)), k)


def core(c):
    t = c.sees
    if isinstance(t, Shuffled):
        return c
    if isinstance(t, Preshuffle):
        return Claim(c.rows, Shuffled(), 1, c.eps, c.delta)
    return Claim(tag(c.rows), Shuffled(), 1, c.eps, c.delta)


def others_of(c, p):
    t = c.sees
    if isinstance(t, Shuffled):
        return p.others_told
    return ()


def upper_holds(c, s, h):
    if h.rounded:
        t = h.fast
        if t is not None:
            p = t[0]
            many = p[1]
            return check_halves(c, s.key_bits, s.unit_of, h.rounds, many, h.boxes)
        return check_cover(c, s.key_bits, s.unit_of, h.precise, h.fine, h.cut)
    return check_proved(c, s.key_bits, s.unit_of, h.precise)


def gap_reaches(c, s, h, a, b, os, named):
    w = s.key_bits
    d = s.unit_of
    if h.rounded:
        return check_cover_reaches(c, w, d, h.precise, h.fine, h.cut, h.fast, a, b, os, named)
    xs = spelled0(os)
    if named is not None:
        e = named[0]
        t = e
    else:
        set_ = best_event(c, w, d, h.precise, a, b, xs)
        t = (lambda k: mem(k, set_))
    return check_reaches(c, w, d, h.precise, a, b, xs, t)


def so_many(c, p):
    t = c.sees
    if isinstance(t, Shuffled):
        return (1 + add_up(map_((lambda x0: x0[1]), p.others_told))) == c.users
    return 0 < c.users


def listed_keys(c, s, outcomes):
    t = c.sees
    if isinstance(t, Local):
        a0 = s.key_bits
        a1 = max(longest(c.rows), 0)
        return flat_map((lambda x0: tuple_keys(a0, a1, x0)), outcomes)
    a0 = s.key_bits
    return flat_map((lambda x0: counts_keys(a0, x0)), outcomes)


def well_listed(c, outcomes):
    return forallb((spoken if isinstance(c.sees, Local) else counted0), outcomes)


def event_holds(c, s, p, outcomes, h):
    return gap_reaches(core(c), s, h, p.from_told, p.to_told, others_of(c, p), (among(listed_keys(c, s, outcomes)),))


def symmetries_hold(c, s, x0):
    return check_symmetries(c.sees, c.rows, s.key_bits, s.base, s.unit_of, x0)


def apart_by_keys(c, s):
    return (0 <= s.key_bits) and ((c.users * longest(c.rows)) < power(2, s.key_bits))


def check_listed(c, p, outcomes, s, hints):
    return ((valid(s.unit_of, c.rows) and well_listed(c, outcomes)) and apart_by_keys(core(c), s)) and existsb((lambda x0: event_holds(c, s, p, outcomes, x0)), hints)


def check_each(c, s, symmetries, hints):
    if not (valid(s.unit_of, c.rows) and symmetries_hold(c, s, symmetries)):
        return False
    if length(c.rows) == 1:
        return True
    a0 = core(c)
    return existsb((lambda x0: upper_holds(a0, s, x0)), hints)


def pair_exceeds(c, s, p, h):
    return gap_reaches(core(c), s, h, p.from_told, p.to_told, others_of(c, p), None)


def check_pair(c, p, s, hints):
    return valid(s.unit_of, c.rows) and existsb((lambda x0: pair_exceeds(c, s, p, x0)), hints)


def one_more(f, y, f0):
    return mul1(nth(y, f, ()), f0)


def pair_stands(c, p):
    inputs = length(c.rows)
    return ((((p.from_told < inputs) and (p.to_told < inputs)) and (not (p.from_told == p.to_told))) and counts_in(inputs, p.others_told)) and (so_many(c, p) if isinstance(c.sees, Shuffled) else False)


def check_threshold(c, p, t7, d, prec, fine, cut, fast):
    def f(r):
        a0 = t7.weights
        return normal(row_by((lambda x0: weighed(a0, x0)), d, r))
    f_2 = map_(f, c.rows)
    z0 = from_above(c.eps, prec)
    v = law_of(f_2, d, prec, fine, cut, fast, p.others_told)
    e = (lambda k: t7.above < k)
    l = ((z0[1] * weight_in(e, beside(fast, nth(p.from_told, f_2, ()), v.low))) - (z0[0] * (weight_in(e, beside(fast, nth(p.to_told, f_2, ()), v.low)) + (d * v.lost)))) * c.delta.qden
    r = (c.delta.qnum * (v.scale * d)) * z0[1]
    return ((((((valid(d, c.rows) and good(c.eps)) and fits(c.eps, prec)) and forallb((lambda x0: fair(d, x0)), f_2)) and (0 <= fine)) and (0 <= z0[0])) and pair_stands(c, p)) and (r < l)


def highest(f):
    if not f:
        t = 0
    else:
        kw = f[0]
        t = kw[0]
    return fold_left((lambda most, kw: max(most, kw[0])), f, t)


def none_above(a, f):
    return forallb((lambda kw: kw[0] <= a), f)


def at_top(a, f):
    return weight_in((lambda k: (a - 1) < k), f)


def check_topmost(c, p, t7, d, prec):
    def f(r):
        a0 = t7.weights
        return normal(row_by((lambda x0: weighed(a0, x0)), d, r))
    f_2 = map_(f, c.rows)
    z0 = from_above(c.eps, prec)
    tops = map_(highest, f_2)
    a = (t7.above + 1) - fold_left((lambda sum0, o: sum0 + (o[1] * nth(o[0], tops, 0))), p.others_told, 0)
    return (((((((valid(d, c.rows) and good(c.eps)) and fits(c.eps, prec)) and forallb((lambda f0: none_above(highest(f0), f0) and (0 < at_top(highest(f0), f0))), f_2)) and none_above(a, nth(p.from_told, f_2, ()))) and none_above(a, nth(p.to_told, f_2, ()))) and (c.delta.qnum <= 0)) and pair_stands(c, p)) and ((z0[0] * at_top(a, nth(p.to_told, f_2, ()))) < (z0[1] * at_top(a, nth(p.from_told, f_2, ()))))


def clip_low(t7, acc, lo, l):
    for _ in budget.steps:
        if not l:
            return (lo, (acc, ()))
        c, r = l
        if (acc + c) <= t7:
            acc, lo, l = acc + c, lo + 1, r
            continue
        return (lo, (acc + c, r))
    else:
        raise OutOfSteps


def clip_high(t7, acc, l):
    for _ in budget.steps:
        if not l:
            return (acc, ())
        c, r = l
        if (acc + c) <= t7:
            acc, l = acc + c, r
            continue
        return (acc, l)
    else:
        raise OutOfSteps


def clip(t7, c):
    more, l = clip_high(t7, 0, rev_append(c.coefs, ()))
    lo, l0 = clip_low(t7, 0, c.start, rev_append(l, ()))
    return Cover0(lo, l0, c.missed + more)


def on_way(h, s, l, m):
    w = power(2, h.bits_of)
    return clip(h.clip_at, Cover0(s, map_((lambda c: -div(-c, w)), l), -div(-m, w)))


def mul_cover(h, a, b):
    return on_way(h, a.start + b.start, convolve(a.coefs, b.coefs), (sum_(b.coefs) * a.missed) + (b.missed * (sum_(a.coefs) + a.missed)))


def square_cover(h, a):
    return on_way(h, a.start + a.start, convolve_self(a.coefs), (sum_(a.coefs) * a.missed) + (a.missed * (sum_(a.coefs) + a.missed)))


def power_cover(h, base, n0):
    if n0 > 1 and n0 & 1:
        m = n0 >> 1
        return mul_cover(h, base, square_cover(h, power_cover(h, base, m)))
    if not n0 & 1:
        m = n0 >> 1
        return square_cover(h, power_cover(h, base, m))
    return base


def on_grid(h, o):
    (v, v_), (p, p_) = o
    s, s_ = h.grid_step
    w = power(2, h.bits_of)
    below = v_ * s
    k = div(v * s_, below)
    rest = mod(v * s_, below)
    return ((k, -div(-((w * p) * (below - rest)), p_ * below)), (() if rest == 0 else ((k + 1, -div(-((w * p) * rest), p_ * below)), ())))


def proper_draw(o):
    return ((0 < o[0][1]) and (0 <= o[1][0])) and (0 < o[1][1])


def weight_at(f, k):
    return fold_right((lambda o, total0: (o[1] + total0 if o[0] == k else total0)), 0, f)


def weights_from(lo, m, f):
    slow = map_((lambda x0: weight_at(f, x0)), run(lo, m))
    t = dense(1, lo, m, normal(f), ())
    if t is not None:
        l = t[0]
        if natural(l):
            return l
        return slow
    return slow


def base_cover(f):
    lo = fold_right((lambda o, m: min(o[0], m)), 0, f)
    hi = fold_right((lambda o, m: max(o[0], m)), 0, f)
    return Cover0(lo, weights_from(lo, max((hi - lo) + 1, 0), f), 0)


def above_0(k, l):
    if not l:
        return 0
    c, l0 = l
    return (max(k, 0) * c) + above_0(k + 1, l0)


def excess_up_to(h, f, n0, most):
    c = power_cover(h, base_cover(f), n0)
    return h.grid_step[0] * (above_0(c.start, c.coefs) + (c.missed * most))


def excess_on(h, f, n0):
    most = n0 * fold_right((lambda o, m: max(o[0], m)), 0, f)
    return ((0 if most == 0 else excess_up_to(h, f, n0, most)), h.grid_step[1] * power(2, h.bits_of))


def excess_end(h, l, n0):
    return excess_on(h, flat_map((lambda x0: on_grid(h, x0)), l), n0)


def way_stands(h, l):
    return (((0 < h.grid_step[0]) and (0 < h.grid_step[1])) and (0 <= h.bits_of)) and forallb(proper_draw, l)


def draws_of(e, a):
    e0, e_ = e
    x, x_ = a
    return ((((e0 * x_) - (x * e_), e_ * x_), (e_, e0 + e_)), ((((e_ * x_) - (x * e0), e_ * x_), (e_, e0 + e_)), (((0, 1), (e0 - e_, e0 + e_)), ())))


def no_less(e, local, e0, a):
    if isinstance(e, Of):
        p = e.q
        if isinstance(local, Of):
            q0 = local.q
            t = qle_bool(q0, p)
        else:
            t = False
    else:
        t = False
    if t:
        return True
    return (e0[0] * a[1]) <= (a[0] * e0[1])


def added_share(c, e, a):
    e0, e_ = e
    x, x_ = a
    return (c.any_share.qnum * ((e0 * x_) + (((3 * (x_ + x)) * (c.any_users - 1)) * e_)), c.any_share.qden * (e0 * x_))


def check_any(c, p, h):
    e = from_above(c.any_local, p)
    a = from_below(c.any_eps, p)
    s, t7 = added_share(c, from_below(c.any_local, p), from_above(c.any_eps, p))
    if not (((((((good(c.any_local) and good(c.any_eps)) and fits(c.any_local, p)) and fits(c.any_eps, p)) and (0 <= c.any_delta.qnum)) and (0 <= c.any_share.qnum)) and qle_bool(c.any_share, c.any_delta)) and (0 < from_below(c.any_local, p)[0])):
        return False
    if no_less(c.any_eps, c.any_local, e, a):
        return True
    if not way_stands(h, draws_of(e, a)):
        return False
    u, w = excess_end(h, draws_of(e, a), c.any_users)
    return (((u * t7) + (s * (c.any_users * w))) * c.any_delta.qden) <= (c.any_delta.qnum * ((c.any_users * w) * t7))


def alone(local, share, c):
    return Claim(c.rows, Shuffled(), 1, local, share)


def check_one(local, share, c, p, t7, s, h, prec, fine, cut, fast):
    return upper_holds(Claim(c.rows, Shuffled(), 1, local, share), s, h) and check_threshold(c, p, t7, s.unit_of, prec, fine, cut, fast)


def scaled(q0, r):
    return map_((lambda o: (o[0], qmult(q0, o[1]))), r)


def taking_part(q0, r):
    return app(scaled(q0, r), (() if qeq_bool(q0, Qmake(1, 1)) else (((), qplus(Qmake(1, 1), qopp(q0))), ())))


def absent(k, h):
    if isinstance(h, Replace):
        return ()
    if isinstance(h, AddRemove):
        return ((((), Qmake(1, 1)), ()), ())
    weights = h.weights
    return (flat_map((lambda xw: scaled(xw[1], nth(xw[0], k, ()))), weights), ())


def laws_of(c):
    a0 = c.takes
    k = map_((lambda x0: taking_part(a0, x0)), c.each)
    return app(k, absent(k, c.changes))


def at_point(c, t7, d):
    return Crowd(c.each, c.takes, c.changes, c.shown_as, c.all_users, c.honest, Log(t7), d)


def unit_in(h):
    if isinstance(h, Parts):
        u = h.u
        return u
    return 1


def parts_in(h):
    if isinstance(h, Parts):
        l = h.l
        return l
    return ()
nothing_known = ((), 1)
known_0 = (((0, 1), ()), 1)


def no_noise(x):
    if isinstance(x, Binomial):
        n0, p = x
        if not (0 <= n0):
            return None
        if p.qnum == 0:
            return (0,)
        if p.qnum == p.qden:
            return (n0,)
        return None
    return None


def natural_or_none(p):
    if forallb((lambda kw: 0 <= kw[1]), p):
        return p
    return ()


def shorter(fine, a):
    if a[1] <= power(2, 4 * fine):
        return a
    return (natural_or_none(shrink(a[1], 0, map_((lambda kw: (kw[0], kw[1] * power(2, fine))), a[0]), (), 0)[0]), power(2, fine))


def both_of(many, fine, a, b):
    t7 = Line(1, many)
    return shorter(fine, (natural_or_none(times(t7, a[0], b[0])), a[1] * b[1]))


def often(many, fine, a, n0):
    if n0 > 1 and n0 & 1:
        n1 = n0 >> 1
        b = often(many, fine, a, n1)
        return both_of(many, fine, a, both_of(many, fine, b, b))
    if not n0 & 1:
        n1 = n0 >> 1
        b = often(many, fine, a, n1)
        return both_of(many, fine, b, b)
    return a


def keyed(k, us):
    found = []
    for _ in budget.steps:
        if not us:
            return onto(found, ())
        u, us0 = us
        found.append((k, u[0]))
        k, us = k + 1, us0
    else:
        raise OutOfSteps


def low_of(many, fine, l, h):
    if isinstance(l, Noise):
        x = l.x
        t = no_noise(x)
        if t is not None:
            j = t[0]
            return (((j, 1), ()), 1)
        if isinstance(h, Walk):
            lo, len_, start1 = h
            if window_stands(x, lo, len_, start1):
                us, t7 = window(x, lo, len_, start1)
                return (natural_or_none(keyed(lo, us)), all_of((lambda x0: x0[1]), us) + t7)
            return nothing_known
        return nothing_known
    if isinstance(l, Bell):
        b = l.b
        if isinstance(h, Around):
            steps0, start1, p = h
            l0, u = known_bell(b, steps0, start1, p)
            if 0 < u:
                return (natural_or_none(normal(l0)), u)
            return nothing_known
        return nothing_known
    if isinstance(l, Finite):
        p = l.p
        u = unit_in(h)
        return (natural_or_none(fold_right((lambda o, rest: rev_append(merge(0, o[1].qnum * div(u, o[1].qden), ((o[0], 1), ()), rest, ()), ())), (), p)), u)
    if isinstance(l, Sum):
        of = l.of
        def go(of0, hs):
            if not of0:
                return known_0
            l0, of1 = of0
            return both_of(many, fine, low_of(many, fine, l0, hd(Parts(1, ()), hs)), go(of1, tl(hs)))
        return go(of, parts_in(h))
    if isinstance(l, Mixture):
        of = l.of
        u = unit_in(h)
        def go(of0, hs):
            if not of0:
                return ()
            (q0, l0), of1 = of0
            a = low_of(many, fine, l0, hd(Parts(1, ()), hs))
            return rev_append(merge(0, q0.qnum * div(u, q0.qden * a[1]), a[0], go(of1, tl(hs)), ()), ())
        return (natural_or_none(go(of, parts_in(h))), u)
    m, l0 = l
    a = low_of(many, fine, l0, hd(Parts(1, ()), parts_in(h)))
    return (natural_or_none(normal(map_((lambda o: (mod(o[0], m), o[1])), a[0]))), a[1])


def sums_to_one(ws):
    return forallb((lambda w: 0 < w.qnum), ws) and qeq_bool(fold_right(qplus, Qmake(0, 1), ws), Qmake(1, 1))


def law_stands(l):
    for _ in budget.steps:
        if isinstance(l, Noise):
            x = l.x
            t = no_noise(x)
            if t is not None:
                return True
            return proper_noise(x)
        if isinstance(l, Bell):
            b = l.b
            return bell_stands(b)
        if isinstance(l, Finite):
            p = l.p
            return sums_to_one(map_((lambda x0: x0[1]), p))
        if isinstance(l, Sum):
            of = l.of
            return fold_right((lambda l0, rest: law_stands(l0) and rest), True, of)
        if isinstance(l, Mixture):
            of = l.of
            return sums_to_one(map_((lambda x0: x0[0]), of)) and fold_right((lambda o, rest: law_stands(o[1]) and rest), True, of)
        m, l0 = l
        if not (0 < m):
            return False
        l = l0
    else:
        raise OutOfSteps


def units_stand(h):
    if isinstance(h, Parts):
        u, of = h
        return (0 < u) and forallb(units_stand, of)
    return True


def by_tree(place, good0, total0, t7, bs):
    for _ in budget.steps:
        if not t7:
            if not bs:
                return True
            return False
        b0, t8 = t7
        if isinstance(b0, Here):
            x = b0.x
            if not bs:
                return False
            b, bs0 = bs
            if not (none(total0, b) or good0(x, b)):
                return False
            t7, bs = t8, bs0
            continue
        x, most = b0
        if not bs:
            return False
        b, bs0 = bs
        t7, bs = t8, (cut_at(True, place(x), most, b), (cut_at(False, place(x), most, b), bs0))
    else:
        raise OutOfSteps


def in_box(step0, pass_, cs, x, x0):
    if not cs:
        return pass_
    x1, cs0 = cs
    def f(acc):
        if not x:
            return pass_(acc)
        (l, u), b = x
        l0 = max(l, 0)
        fuel = max(u - l0, 0)
        total0 = x0 - l0
        acc0 = steps(step0, x1, max(l0, 0), acc)
        for _ in budget.steps:
            if not (none(total0, b) or in_box(step0, pass_, cs0, b, total0)(acc0)):
                return False
            if fuel == 0:
                return True
            fuel0 = fuel - 1
            fuel, total0, acc0 = fuel0, total0 - 1, step0(x1, acc0)
        else:
            raise OutOfSteps
    return f


def shifted(s, f):
    return map_((lambda kw: (kw[0] - s, kw[1])), f)


def meet(p, __, acc):
    for _ in budget.steps:
        if not p:
            return rev_append(acc, ())
        (k, a), p_ = p
        for _ in budget.steps:
            if not __:
                return rev_append(acc, ())
            (l, b), q_ = __
            if k == l:
                p, __, acc = p_, q_, ((k, min(a, b)), acc)
                break
            if k < l:
                p = p_
                break
            __ = q_
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def in_common(r):
    if not r:
        return ()
    r0, r1 = r
    return fold_left((lambda g, f: meet(g, f, ())), r1, r0)


def apart_from_known(sh, n0):
    return map_((lambda i: shifted(nth(i, sh, 0), nth(i, n0, ()))), seq(0, length(n0)))


def aligned(sh, n0):
    return forallb((lambda x: (first_key(nth(x, n0, ())) - nth(x, sh, 0)) == (first_key(nth(rep(n0, x), n0, ())) - nth(rep(n0, x), sh, 0))), seq(0, length(n0)))


def beside0(nil, p, q0, acc):
    for _ in budget.steps:
        if not p:
            return rev_append(acc, map_((lambda o: (o[0], (0, o[1]))), q0))
        (k, w), p_ = p
        for _ in budget.steps:
            if not q0:
                p, q0, acc = p_, (), ((k, (w, nil)), acc)
                break
            (l, v), q_ = q0
            if k == l:
                p, q0, acc = p_, q_, ((k, (w, v)), acc)
                break
            if k < l:
                p, acc = p_, ((k, (w, nil)), acc)
                break
            q0, acc = q_, ((l, (0, v)), acc)
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def triples(s, p, q0):
    return beside0((0, 0), s, beside0(0, p, q0, ()), ())


def s_of(t7):
    return t7[1][0]


def excess_of(a, b, t7):
    return (b * t7[1][1][0]) - (a * t7[1][1][1])


def kept(a, b, step0, most, t7):
    if not (0 < t7[1][0]):
        return False
    if most is not None:
        most0 = most[0]
        return (excess_of(a, b, t7) * step0[1]) < ((most0 * step0[0]) * (b * t7[1][0]))
    return True


def loss_of(a, b, step0, floor, t7):
    if floor is not None:
        floor0 = floor[0]
        if (excess_of(a, b, t7) * step0[1]) < ((floor0 * step0[0]) * (b * t7[1][0])):
            return (floor0 * step0[0], step0[1])
        return (excess_of(a, b, t7), b * t7[1][0])
    return (excess_of(a, b, t7), b * t7[1][0])


def added(a, b):
    return map_((lambda o: o[0] + o[1]), combine(a, b))


def at_least(a, b):
    return (length(a) == length(b)) and forallb((lambda o: o[0] <= o[1]), combine(a, b))


def one_of_class(cs, x):
    return map_((lambda c: (1 if x == c else 0)), cs)


def with_drawn(half0, d, g):
    return app(g, ((2 * half0, d - total(g)), ()))


def narrow(x, f):
    return forallb((lambda kw: ((-x) <= kw[0]) and (kw[0] <= x)), f)


def blk_others(d, n0, r, g, k):
    o = with_drawn(k.half_of, d, g)
    t_2 = k.spot
    if t_2 is not None:
        p = t_2[0]
        t = nth(rep(n0, p), r, ())
    else:
        t = o
    return (t, (o, r))


def blk_users(cs, k):
    return app(map_((lambda u: 4 + u), users_of(cs, k.mates)), repeat(3, k.opens))


def blk_law(d, n0, r, g, us, k):
    e = blk_others(d, n0, r, g, k)
    f = (nth(0, e, ()), (nth(0, e, ()), e))
    t = k.block_round
    if t is not None:
        r0 = t[0]
        t_3 = k.doubled
        if t_3 is not None:
            many = t_3[0]
            t_2 = ((r0.line_of, many),)
        else:
            t_2 = None
        return law_of(f, d, r0.prec_of, r0.fine_of, r0.cut_of, t_2, counted(length(f), us))
    return exactly(f, d, us)


def blk_stands(c, d, n0, r, g, cs, g0, k, m):
    n1 = k.many_blocks
    size0 = (1 + add_up(k.mates)) + k.opens
    good0 = (lambda f: fair(d, f) and narrow(k.reach_of, f))
    t_4 = forallb((lambda x0: fair(d, x0)), blk_others(d, n0, r, g, k))
    if t_4:
        a0 = k.reach_of
        t_4 = forallb((lambda x0: narrow(a0, x0)), (g, r))
    t_3 = ((t_4 and forallb((lambda p: good0(shifted(k.moved_by, nth(p[0], n0, ()))) and good0(shifted(k.moved_by, nth(p[1], n0, ())))), g0)) and ((size0 * k.reach_of) < k.half_of)) and (0 <= k.reach_of)
    if t_3:
        t_5 = k.spot
        if t_5 is not None:
            p = t_5[0]
            t_3 = p < length(n0)
        else:
            t_3 = True
    t_2 = t_3
    if t_2:
        t_6 = k.block_round
        if t_6 is not None:
            r0 = t_6[0]
            t_2 = 0 <= r0.fine_of
        else:
            t_2 = True
    t = (t_2 and forallb((lambda i: 0 <= i), k.mates)) and (length(k.mates) == length(cs))
    if t:
        a0_2 = n1 - 1
        t_8 = k.spot
        if t_8 is not None:
            p_2 = t_8[0]
            t_7 = one_of_class(cs, rep(n0, p_2))
        else:
            t_7 = map_((lambda __: 0), cs)
        t = at_least(added(map_((lambda x0: n1 * x0), k.mates), map_((lambda x0: a0_2 * x0), t_7)), m)
    if not t:
        return False
    return (n1 * size0) <= c.users


def pairs_sent(n0, g, v):
    if not g:
        laws0 = map_((lambda f: mul1(f, v.low)), n0)
        return map_((lambda p: (nth(p[0], laws0, ()), nth(p[1], laws0, ()))), g)
    p, l = g
    if not l:
        return ((mul1(nth(p[0], n0, ()), v.low), mul1(nth(p[1], n0, ()), v.low)), ())
    laws0 = map_((lambda f: mul1(f, v.low)), n0)
    return map_((lambda p0: (nth(p0[0], laws0, ()), nth(p0[1], laws0, ()))), g)


def pairs_hold(asked, n0, g, v):
    return forallb((lambda pQ: asked(v, pQ[0], pQ[1])), pairs_sent(n0, g, v))


def same_term(p, q0):
    a, b = p
    a0, b0 = q0
    if a == a0:
        return b == b0
    return False


def same_outline(s, t7):
    a, b = s
    a0, b0 = t7
    a1, b1 = a
    a2, b2 = a0
    if (b1 == b2 if bool_dec(a1, a2) else False):
        return list_eq_dec(same_term, b, b0)
    return False


def outline_of(z0, u, k, s, pQ):
    a = z0[0]
    b = z0[1]
    h = k.block_way
    t7 = triples(s, pQ[0], pQ[1])
    a2 = h.grid_step
    a3 = k.most_at
    keep = (lambda x0: kept(a, b, a2, a3, x0))
    first = fold_right((lambda t8, rest: (rest if keep(t8) else max(excess_of(a, b, t8), 0) + rest)), 0, t7)
    draws = map_((lambda t8: (loss_of(a, b, h.grid_step, k.floor_at, t8), (t8[1][0], u))), filter_(keep, t7))
    l = (((0, 1), (u - sum_(map_(s_of, filter_(keep, t7))), u)), draws)
    return ((ascending((-k.half_of) - 1, t7) and way_stands(h, l), first), normal(flat_map((lambda x0: on_grid(h, x0)), l)))


def outline_holds(d, d0, b, k, v, s):
    (stands, first), f = s
    u = v.scale * d0
    n0 = k.many_blocks
    u0, w = excess_on(k.block_way, f, k.many_blocks)
    return (stands and forallb((lambda o: 0 <= o[1]), f)) and (((((first + (b * (d0 * v.lost))) * (w * n0)) + (u0 * (b * u))) * d.qden) <= (d.qnum * ((b * u) * (w * n0))))


def check_blk(c, d, n0, r, g, cs, z0, g0, k, m):
    v = blk_law(d, n0, r, g, blk_users(cs, k), k)
    u = v.scale * d
    s = mul1(nth(0, blk_others(d, n0, r, g, k), ()), v.low)
    if not (blk_stands(c, d, n0, r, g, cs, g0, k, m) and (0 < u)):
        return False
    a0 = c.delta
    a2 = z0[1]
    a0_2 = k.moved_by
    return forallb((lambda x0: outline_holds(a0, d, a2, k, v, x0)), nodup(same_outline, map_((lambda x0: outline_of(z0, u, k, s, x0)), pairs_sent(map_((lambda x0: shifted(a0_2, x0)), n0), g0, v))))


def one_blk(c, d, n0, r, g, cs, asked, g0, k, m):
    v = blk_law(d, n0, r, g, blk_users(cs, k), k)
    if not ((k.many_blocks == 1) and blk_stands(c, d, n0, r, g, cs, g0, k, m)):
        return False
    a0 = k.moved_by
    return pairs_hold(asked, map_((lambda x0: shifted(a0, x0)), n0), g0, v)


def before(s, u):
    t = find((lambda xy: xy[1] == u), s)
    if t is not None:
        xy = t[0]
        return xy[0]
    return u


def worth_of(ws, us):
    return fold_right((lambda u, sum0: nth(u, ws, 0) + sum0), 0, us)


def fixes(ps, s):
    return forallb((lambda p: (image(s, p[0]) == p[0]) and (image(s, p[1]) == p[1])), ps)


def renames(real, firsts0, s):
    def f(u):
        v = before(s, u)
        return ((image(s, v) == u) and (v < real)) and (nth(v, firsts0, 0) == nth(before(s, nth(u, firsts0, 0)), firsts0, 0))
    return forallb(f, seq(0, real))


def worths(firsts0, base, ups, ps):
    inputs = seq(0, length(firsts0))
    return (map_((lambda u: power(base, u)), inputs), map_((lambda s: map_((lambda u: power(base, nth(before(s, u), firsts0, 0))), inputs)), filter_((lambda x0: fixes(ps, x0)), ups)))


def left_out(all_, us):
    if not all_:
        return False
    own, all0 = all_
    w = worth_of(own, us)
    return existsb((lambda ws: worth_of(ws, us) < w), all0)


def behind(step0, s):
    t = s[0]
    if not t:
        return s[1]
    x = t[0]
    return step0(x, s[1])


def later(step0, x, s):
    return ((x, s[0]), behind(step0, s))


def corner_stands(e, asked, d, n0, cs, rs, exact_too, g, m):
    def f(r):
        a0 = from_below(e, r.of_round.prec_of)
        return pairs_hold((lambda x0, x1, x2: asked(a0, x0, x1, x2)), n0, g, law_at(r, m, (), r.nobody_yet))
    if existsb(f, rs):
        return True
    def f_2(p):
        a0 = from_below(e, p)
        return pairs_hold((lambda x0, x1, x2: asked(a0, x0, x1, x2)), n0, g, exactly(n0, d, users_of(cs, m)))
    return existsb(f_2, exact_too)


def one_exactly(n0, d, x, v):
    law0 = mul1(nth(x, n0, ()), v.low)
    return Cover(v.scale * d, law0, 0)


def whole(total0, b):
    return forallb((lambda lu: (lu[0] <= 0) and (total0 <= lu[1])), b)


def each_in(step0, pass_, cs, b, total0, start1):
    if whole(total0, b):
        return every(step0, pass_, cs, max(total0, 0), start1)
    return in_box(step0, pass_, cs, b, total0)(start1)


def each_but(skip, step0, pass_, cs, b, total0, start1):
    return each_in((lambda x0, x1: later(step0, x0, x1)), (lambda s: skip(s[0]) or pass_(behind(step0, s))), cs, b, total0, ((), start1))


def each_stands(e, asked, all_, d, n0, cs, rs, exact_too, g, total0, b):
    def f(r):
        a2 = r.of_round.cut_of
        a0 = from_below(e, r.of_round.prec_of)
        a0_2 = (lambda x0, x1, x2: asked(a0, x0, x1, x2))
        return each_but((lambda x0: left_out(all_, x0)), (lambda x0, x1: step(n0, d, a2, x0, x1)), (lambda x0: pairs_hold(a0_2, n0, g, x0)), cs, b, total0, r.nobody_yet)
    if existsb(f, rs):
        return True
    def f_2(p):
        a0 = from_below(e, p)
        a0_2 = (lambda x0, x1, x2: asked(a0, x0, x1, x2))
        return each_but((lambda x0: left_out(all_, x0)), (lambda x0, x1: one_exactly(n0, d, x0, x1)), (lambda x0: pairs_hold(a0_2, n0, g, x0)), cs, b, total0, exactly(n0, d, ()))
    return existsb(f_2, exact_too)


def leaf_holds(e, asked, blocked, skips, d, n0, cs, rs, exact_too, total0, g, f, b):
    if isinstance(f, Each):
        return each_stands(e, asked, skips(g), d, n0, cs, rs, exact_too, g, total0, b)
    if isinstance(f, Corner):
        return corner_stands(e, asked, d, n0, cs, rs, exact_too, g, corner(total0, b))
    if isinstance(f, Fewer):
        m = f.m
        return at_least(m, corner(total0, b)) and corner_stands(e, asked, d, n0, cs, rs, exact_too, g, m)
    k = f.k
    return blocked(g, k, corner(total0, b))


def all_among(n0, ps, qs):
    number0 = (lambda p: p[1] + (n0 * p[0]))
    there = among(map_(number0, qs))
    return forallb((lambda p: p[1] < n0), qs) and forallb((lambda p: (p[1] < n0) and there(number0(p))), ps)


def reserved(real, cs, total0):
    return map_((lambda x: (0, (total0 if x < real else 0))), cs)


def check_trees(c, real, moves, w, d, n0, rounds, many, exact_too, asked, blocked, skips, trees):
    total0 = c.users - 1
    cs = classes_of(n0)
    rs = map_((lambda x0: prepare(n0, d, many, x0)), rounds)
    if not (((((0 < real) and (real <= length(n0))) and fit_for_boxes(c, w, d, rounds)) and forallb((lambda p: fits(c.eps, p) and (0 <= from_below(c.eps, p)[0])), exact_too)) and all_among(length(n0), moves, flat_map((lambda c0: c0.goes), trees))):
        return False
    def f(t7):
        a0 = c.eps
        a10 = t7.goes
        return by_tree((lambda i: position(rep(n0, i), cs)), (lambda x0, x1: leaf_holds(a0, asked, blocked, skips, d, n0, cs, rs, exact_too, total0, a10, x0, x1)), total0, t7.tree_of, (reserved(real, cs, total0), ()))
    return forallb(f, trees)


def pair_moved(s, p):
    return (image(s, p[0]), image(s, p[1]))


def check_pairs(c, real, moves, s, rounds, many, exact_too, prec, sh, trees, ups, moved0):
    w = s.key_bits
    d = s.unit_of
    n0 = map_(normal, map_((lambda x0: row_poly(w, d, x0)), c.rows))
    r = apart_from_known(sh, n0)
    g = in_common(firstn(real, r))
    z0 = from_below(c.eps, prec)
    cs = classes_of(n0)
    firsts0 = map_((lambda x0: rep(n0, x0)), seq(0, length(n0)))
    asked = flat_map((lambda c0: c0.goes), trees)
    by_renaming = app(ups, map_((lambda x0: x0[0]), moved0))
    t_2 = ((((fits(c.eps, prec) and (0 <= z0[0])) and aligned(sh, n0)) and check_symmetries(Shuffled(), c.rows, w, s.base, d, by_renaming)) and forallb((lambda g0: renames(real, firsts0, g0.inputs)), by_renaming)) and all_among(length(n0), flat_map((lambda x0: x0[1]), moved0), asked)
    if t_2:
        many_2 = length(n0)
        t_2 = forallb((lambda p: p[0] < many_2), flat_map((lambda x0: x0[1]), moved0))
    t = t_2
    if t:
        def f(m):
            a0 = m[0].inputs
            return map_((lambda x0: pair_moved(a0, x0)), m[1])
        t = all_among(length(n0), moves, app(asked, flat_map(f, moved0)))
    if not t:
        return False
    a1 = c.users
    a2 = map_((lambda s0: s0.inputs), ups)
    return check_trees(c, real, asked, w, d, n0, rounds, many, exact_too, (lambda x0, x1, x2, x3: worth_pair(c, d, x0, x1.scale, x1.lost, x2, x3)), (lambda x0, x1, x2: check_blk(c, d, n0, r, g, cs, z0, x0, x1, x2)), (lambda x0: worths(firsts0, a1, a2, x0)), trees)


def all_moves(inputs):
    return filter_((lambda p: not (p[0] == p[1])), list_prod(seq(0, inputs), seq(0, inputs)))


def excess_in(s, t7, l):
    return fold_left((lambda acc, o: acc + max((s * o[0]) - (t7 * o[1]), 0)), l, 0)


def before_it(o, o_):
    return (o[1] * o_[0]) <= (o_[1] * o[0])


def in_order(l):
    for _ in budget.steps:
        if not l:
            return True
        o, r = l
        t = (0 < o[0]) and (0 <= o[1])
        if t:
            if not r:
                t = True
            else:
                o_ = r[0]
                t = before_it(o, o_)
        if not t:
            return False
        l = r
    else:
        raise OutOfSteps


def shows(s, t7, o):
    return (t7 * o[1]) < (s * o[0])


def forth(s, t7, done, p, q0, rest):
    for _ in budget.steps:
        if not rest:
            return (((done, p), q0), ())
        o, r = rest
        if shows(s, t7, o):
            done, p, q0, rest = (o, done), p + o[0], q0 + o[1], r
            continue
        return (((done, p), q0), rest)
    else:
        raise OutOfSteps


def back(s, t7, done, p, q0, rest):
    for _ in budget.steps:
        if not done:
            return ((((), p), q0), rest)
        o, l = done
        if shows(s, t7, o):
            return (((done, p), q0), rest)
        done, p, q0, rest = l, p - o[0], q0 - o[1], (o, rest)
    else:
        raise OutOfSteps


def sweep(a, b, l1, at_, acc):
    for _ in budget.steps:
        if not l1:
            return acc
        o, l2 = l1
        s = a * o[0]
        t7 = b * o[1]
        (p1, q0), rest = at_
        done, p = p1
        (p3, q1), rest0 = forth(s, t7, done, p, q0, rest)
        done0, p4 = p3
        (p6, q2), rest1 = back(s, t7, done0, p4, q1, rest0)
        done1, p7 = p6
        l1, at_, acc = l2, (((done1, p7), q2), rest1), acc + ((s * p7) - (t7 * q2))
    else:
        raise OutOfSteps


def weave(l, m, acc):
    for _ in budget.steps:
        for _ in budget.steps:
            if not l:
                return rev_append(acc, m)
            x, l_ = l
            if not m:
                return rev_append(acc, l)
            y, m_ = m
            if before_it(x, y):
                l, acc = l_, (x, acc)
                break
            m, acc = m_, (y, acc)
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def weave_pairs(ls, acc):
    for _ in budget.steps:
        if not ls:
            return acc
        l, l0 = ls
        if not l0:
            return (l, acc)
        m, ls0 = l0
        ls, acc = ls0, (weave(l, m, ()), acc)
    else:
        raise OutOfSteps


def weave_all(fuel, ls):
    for _ in budget.steps:
        if fuel == 0:
            if not ls:
                return ()
            l, l0 = ls
            if not l0:
                return l
            return concat(ls)
        fuel0 = fuel - 1
        if not ls:
            return ()
        l, l0 = ls
        if not l0:
            return l
        fuel, ls = fuel0, weave_pairs(ls, ())
    else:
        raise OutOfSteps


def sorted_(l):
    return weave_all(64, map_((lambda o: (o, ())), l))


def excess_of_both(a, b, l1, l2):
    l = filter_((lambda o: 0 < o[0]), l2)
    if in_order(l):
        m = l
    else:
        r = rev_append(l, ())
        if in_order(r):
            m = r
        else:
            m = sorted_(r)
    if (in_order(m) and (0 <= b)) and forallb((lambda o: 0 <= o[1]), l1):
        return sweep(a, b, l1, ((((), 0), 0), m), 0)
    return fold_left((lambda acc, o: acc + excess_in(a * o[0], b * o[1], l2)), l1, 0)


def atoms_in(e):
    return beside0(0, e[0][0], e[1][0], ())


def orderly(t7):
    if not t7:
        t = 0
    else:
        o = t7[0]
        t = o[0] - 1
    return ascending(t, t7)
one_column = (known_0, known_0)


def gained(a, b, e1, e2):
    return excess_of_both(a, b, map_((lambda x0: x0[1]), atoms_in(e1)), map_((lambda x0: x0[1]), atoms_in(e2)))


def units(side, e1, e2):
    return side(e1)[1] * side(e2)[1]


def held_by(side, e1, e2):
    return total(side(e1)[0]) * total(side(e2)[0])


def kept_by_pair(zn, zd, delta, e1, e2):
    u = units((lambda x0: x0[0]), e1, e2)
    v = units((lambda x0: x0[1]), e1, e2)
    return (orderly(atoms_in(e1)) and orderly(atoms_in(e2))) and (((gained(zd * v, zn * u, e1, e2) + ((zd * v) * (u - held_by((lambda x0: x0[0]), e1, e2)))) * delta.qden) <= (delta.qnum * ((zd * u) * v)))


def broken_by_pair(zn, zd, delta, e1, e2):
    u = units((lambda x0: x0[0]), e1, e2)
    v = units((lambda x0: x0[1]), e1, e2)
    return (orderly(atoms_in(e1)) and orderly(atoms_in(e2))) and ((delta.qnum * ((zd * u) * v)) < ((gained(zd * v, zn * u, e1, e2) - ((zn * u) * (v - held_by((lambda x0: x0[1]), e1, e2)))) * delta.qden))


def lows_of(many, fine, ls, hs):
    found = []
    for _ in budget.steps:
        if not ls:
            return onto(found, ())
        l, ls0 = ls
        found.append(low_of(many, fine, l, hd(Parts(1, ()), hs)))
        ls, hs = ls0, tl(hs)
    else:
        raise OutOfSteps


def low_at(lows, i):
    return nth(i, lows, nothing_known)


def least_from(total0, b, f, i, by_it, others):
    for _ in budget.steps:
        if not f:
            return max(by_it, total0 - others)
        j, f0 = f
        if not b:
            return max(by_it, total0 - others)
        lu, b0 = b
        if j == i:
            b, f, by_it = b0, f0, by_it + lu[0]
            continue
        b, f, others = b0, f0, others + lu[1]
    else:
        raise OutOfSteps


def kinds(f):
    return nodup((lambda x0, x1: x0 == x1), f)


def with_others(many, fine, lows, base, total0, b, f):
    def f_2(i, acc):
        t = least_from(total0, b, f, i, 0, 0)
        if t > 0:
            return both_of(many, fine, often(many, fine, low_at(lows, i), t), acc)
        return acc
    return fold_right(f_2, base, kinds(f))


def base_low(c, lows):
    t = c.added_law
    if t is not None:
        i = t[0]
        return low_at(lows, i)
    return known_0


def all_known(c, inputs, total0, b, column):
    a0 = c.draws
    f = map_((lambda x0: law_in(a0, column, x0)), seq(0, inputs))
    return add_up(map_((lambda i: max(0, least_from(total0, b, f, i, 0, 0))), kinds(f))) == total0


def low_shown(c, a):
    t = c.shown_from
    if t is not None:
        t7 = t[0]
        return (natural_or_none(normal(map_((lambda o: (max(o[0], t7 - 1), o[1])), a[0]))), a[1])
    return a


def ends_at(c, h, lows, inputs, total0, x, y, b, exact, column):
    a0 = c.draws
    w = (lambda x0: law_in(a0, column, x0))
    v = with_others(h.places_of, h.fine_bits, lows, base_low(c, lows), total0, b, map_(w, seq(0, inputs)))
    def one0(i):
        a = both_of(h.places_of, h.fine_bits, low_at(lows, w(i)), v)
        if exact:
            return low_shown(c, a)
        return a
    return (one0(x), one0(y))


def differ(c, wide0, x, y):
    return filter_((lambda j: not (law_in(c.draws, j, x) == law_in(c.draws, j, y))), seq(0, wide0))


def exact_or_all(c, exact, b, i):
    t = c.shown_from
    if t is not None:
        return exact(b, i)
    return True


def at_columns(c, h, lows, inputs, total0, x, y, wide0, exact, test, b):
    t = differ(c, wide0, x, y)
    if not t:
        return False
    i, l = t
    if not l:
        return test(ends_at(c, h, lows, inputs, total0, x, y, b, exact_or_all(c, exact, b, i), i), one_column)
    j, l0 = l
    if not l0:
        return test(ends_at(c, h, lows, inputs, total0, x, y, b, exact_or_all(c, exact, b, i), i), ends_at(c, h, lows, inputs, total0, x, y, b, exact_or_all(c, exact, b, j), j))
    return False


def box_of(inputs, us):
    def f(i):
        k = often_onto(i, us, 0)
        return (k, k)
    return map_(f, seq(0, inputs))


def good_leaf(inputs, total0, test, f, b):
    if isinstance(f, Each):
        return in_box((lambda x, x0: (x, x0)), (lambda us: test(box_of(inputs, us))), seq(0, inputs), b, total0)(())
    if isinstance(f, Corner):
        return test(b)
    return False


def in_tree(inputs, total0, test, t7):
    return by_tree((lambda i: i), (lambda x0, x1: good_leaf(inputs, total0, test, x0, x1)), total0, t7, (map_((lambda __: (0, total0)), seq(0, inputs)), ()))


def looked_at(c, d):
    t = c.draws
    if isinstance(t, Table):
        table0 = t.inputs
        return (length(table0), length(nth(0, table0, ())))
    if c.arriving:
        return (2, 1)
    if d is not None:
        d0 = d[0]
        if d0 <= 3:
            t_2 = max(d0, 0)
        else:
            t_2 = 3
    else:
        t_2 = 3
    return (t_2, 2)


def moves_of(c, inputs):
    t = c.draws
    if isinstance(t, Table):
        return all_moves(inputs)
    if c.arriving:
        return ((0, 1), ((1, 0), ()))
    return ((0, 1), ())


def nothing(l):
    if isinstance(l, Finite):
        p = l.p
        if not p:
            return False
        (z0, q0), l0 = p
        if z0 == 0:
            if not l0:
                return qeq_bool(q0, Qmake(1, 1))
            return False
        return False
    return False


def may_arrive(c, d):
    if not c.arriving:
        return True
    t = c.draws
    if isinstance(t, Table):
        return False
    other = t.other
    if not nothing(nth(other, c.number_laws, Finite(()))):
        return False
    if d is not None:
        d0 = d[0]
        return 2 <= d0
    return True


def numbers_stand(c):
    many = length(c.number_laws)
    named = (lambda i: i < many)
    t = named(0)
    if t:
        t_2 = c.added_law
        if t_2 is not None:
            i = t_2[0]
            t = named(i)
        else:
            t = True
    if not t:
        return False
    t_3 = c.draws
    if isinstance(t_3, Table):
        t7 = t_3.inputs
        return forallb((lambda x0: forallb(named, x0)), t7)
    held0, other = t_3
    return named(held0) and named(other)


def columns_known(c, h):
    return ((numbers_stand(c) and forallb(law_stands, c.number_laws)) and forallb(units_stand, h.by_law)) and (0 <= h.fine_bits)


def setting_of(c, h, z0):
    return (((columns_known(c, h) and good(c.columns_eps)) and fits(c.columns_eps, h.eps_bits)) and (0 <= z0[0])) and (0 <= c.columns_delta.qnum)


def next_or_any(free, good0, all_, rest, l):
    for _ in budget.steps:
        if not l:
            return True
        x, l0 = l
        if not rest:
            if not (free(x) or existsb((lambda x0, *, x=x: good0(x, x0)), all_)):
                return False
            rest, l = (), l0
            continue
        y, more = rest
        if good0(x, y):
            rest, l = more, l0
            continue
        if not (free(x) or existsb((lambda x0, *, x=x: good0(x, x0)), all_)):
            return False
        l = l0
    else:
        raise OutOfSteps


def alike(c, wide0, p):
    t = differ(c, wide0, p[0], p[1])
    if not t:
        return True
    return False


def all_pass(c, d, h, trees, test):
    lows = lows_of(h.places_of, h.fine_bits, c.number_laws, h.by_law)
    inputs, wide0 = looked_at(c, d)
    total0 = c.column_users - 1
    t = columns_known(c, h) and may_arrive(c, d)
    if t:
        t_2 = c.draws
        if isinstance(t_2, Table):
            t7 = t_2.inputs
            t = forallb((lambda r: length(r) == wide0), t7)
        else:
            t = True
    if not t:
        return False
    def f(p, t7_2):
        if not ((t7_2[0][0] == p[0]) and (t7_2[0][1] == p[1])):
            return False
        if alike(c, wide0, p):
            return True
        a5 = p[0]
        a6 = p[1]
        a8 = (lambda x0, x1: all_known(c, inputs, total0, x0, x1))
        return in_tree(inputs, total0, (lambda x0: at_columns(c, h, lows, inputs, total0, a5, a6, wide0, a8, test, x0)), t7_2[1])
    return next_or_any((lambda x0: alike(c, wide0, x0)), f, trees, trees, moves_of(c, inputs))


def check_columns(c, d, h, trees):
    z0 = from_below(c.columns_eps, h.eps_bits)
    if not setting_of(c, h, z0):
        return False
    a0 = z0[0]
    a1 = z0[1]
    a2 = c.columns_delta
    return all_pass(c, d, h, trees, (lambda x0, x1: kept_by_pair(a0, a1, a2, x0, x1)))


def box_of_counts(inputs, others):
    def f(i):
        k = add_up(map_((lambda o: (o[1] if o[0] == i else 0)), others))
        return (k, k)
    return map_(f, seq(0, inputs))


def pair_ends(c, d, h, p):
    lows = lows_of(h.places_of, h.fine_bits, c.number_laws, h.by_law)
    inputs, wide0 = looked_at(c, d)
    total0 = c.column_users - 1
    a5 = p.from_told
    a6 = p.to_told
    a7 = box_of_counts(inputs, p.others_told)
    a8 = True
    one0 = (lambda x0: ends_at(c, h, lows, inputs, total0, a5, a6, a7, a8, x0))
    t = columns_known(c, h) and may_arrive(c, d)
    if t:
        t_2 = c.draws
        if isinstance(t_2, Table):
            t7 = t_2.inputs
            t = forallb((lambda r: length(r) == wide0), t7)
        else:
            if d is not None:
                d0 = d[0]
                t = 2 <= d0
            else:
                t = True
    if (((t and forallb((lambda i: i < inputs), (p.from_told, (p.to_told, ())))) and counts_in(inputs, p.others_told)) and (not (p.from_told == p.to_told))) and ((1 + add_up(map_((lambda x0: x0[1]), p.others_told))) == c.column_users):
        t_3 = differ(c, wide0, p.from_told, p.to_told)
        if not t_3:
            if wide0 == 0:
                return None
            return ((one0(0), None),)
        i, l = t_3
        if not l:
            return ((one0(i), None),)
        j, l0 = l
        if not l0:
            return ((one0(i), (one0(j),)),)
        return None
    return None


def ends_pass(test, found_):
    if found_ is not None:
        p = found_[0]
        e1, o = p
        if o is not None:
            e2 = o[0]
            return test(e1, e2)
        return test(e1, one_column)
    return False


def check_columns_false(c, d, h, p):
    z0 = from_above(c.columns_eps, h.eps_bits)
    if not setting_of(c, h, z0):
        return False
    a0 = z0[0]
    a1 = z0[1]
    a2 = c.columns_delta
    return ends_pass((lambda x0, x1: broken_by_pair(a0, a1, a2, x0, x1)), pair_ends(c, d, h, p))


def bound_exceeded(c, d, h, t7):
    z0 = from_above(c.columns_eps, h.eps_bits)
    lows = lows_of(h.places_of, h.fine_bits, c.number_laws, h.by_law)
    inputs, wide0 = looked_at(c, d)
    total0 = c.column_users - 1
    def f(b):
        a0 = z0[0]
        a1 = z0[1]
        a2 = c.columns_delta
        return not at_columns(c, h, lows, inputs, total0, t7[0][0], t7[0][1], wide0, (lambda x0, x1: all_known(c, inputs, total0, x0, x1)), (lambda x0, x1: broken_by_pair(a0, a1, a2, x0, x1)), b)
    return not in_tree(inputs, total0, f, t7[1])


def not_exceeded(c, d, h, p):
    z0 = from_below(c.columns_eps, h.eps_bits)
    a0 = z0[0]
    a1 = z0[1]
    a2 = c.columns_delta
    return ends_pass((lambda x0, x1: kept_by_pair(a0, a1, a2, x0, x1)), pair_ends(c, d, h, p))


def concave_noise(x):
    if isinstance(x, NegativeBinomial):
        r = x.r
        return r.qden <= r.qnum
    return True


def concave(l):
    if isinstance(l, Noise):
        x = l.x
        return proper_noise(x) and concave_noise(x)
    if isinstance(l, Bell):
        b = l.b
        return bell_stands(b)
    return False


def two_sides(x, j):
    if j <= 0:
        return None
    if isinstance(x, NegativeBinomial):
        r, p = x
        u = power(p.qden, j)
        t7 = power(p.qnum, j)
        if r.qnum == r.qden:
            return (((((1, 1), ()), 1), (((0, u - t7), ((1, t7), ())), u)),)
        return None
    if isinstance(x, DiscreteLaplace):
        q0 = x.q
        a = q0.qnum
        b = q0.qden
        def w(k):
            if k <= 0:
                return power(b, j)
            if j <= k:
                return power(a, j)
            return (b - a) * (power(a, k) * power(b, (j - 1) - k))
        u = (a + b) * power(b, j - 1)
        at_ = run(0, max(j, 0) + 1)
        return (((map_((lambda k: (k, w(j - k))), at_), u), (map_((lambda k: (k, w(k))), at_), u)),)
    return None


def low_or_0(h, l, by_):
    if l is not None:
        l0 = l[0]
        return low_of(h.number_places, h.number_fine, l0, by_)
    return known_0


def noise_low(c, h, n0):
    base = low_or_0(h, c.once_added, h.by_once)
    t = c.each_adds
    if t is not None:
        l = t[0]
        if n0 > 0:
            one0 = low_of(h.number_places, h.number_fine, l, h.by_each)
            return both_of(h.number_places, h.number_fine, often(h.number_places, h.number_fine, one0, n0), base)
        return base
    return base


def seen_low(c, x, a):
    t = c.shown_mod
    if t is not None:
        m = t[0]
        return (natural_or_none(normal(map_((lambda o: (mod(o[0] + x, m), o[1])), a[0]))), a[1])
    return (map_((lambda o: (o[0] + x, o[1])), a[0]), a[1])


def law_or_not(l):
    if l is not None:
        l0 = l[0]
        return law_stands(l0)
    return True


def number_known(c, h):
    t = law_or_not(c.each_adds) and law_or_not(c.once_added)
    if t:
        t_2 = c.shown_mod
        if t_2 is not None:
            m = t_2[0]
            t = 0 < m
        else:
            t = True
    if not ((t and units_stand(h.by_each)) and units_stand(h.by_once)):
        return False
    return 0 <= h.number_fine


def number_stands(c, h, z0):
    return (((number_known(c, h) and good(c.number_eps)) and fits(c.number_eps, h.number_bits)) and (0 <= z0[0])) and (0 <= c.number_delta.qnum)


def noises(c, h):
    n0 = c.number_users
    all_ = noise_low(c, h, n0)
    return (all_, (noise_low(c, h, n0 - 1) if c.arrives else all_))


def shifts(n0, test):
    for _ in budget.steps:
        if n0 == 0:
            return True
        n1 = n0 - 1
        if not test(n1):
            return False
        n0 = n1
    else:
        raise OutOfSteps


def end_of(c, both0, x):
    if x is not None:
        k = x[0]
        return seen_low(c, k, both0[0])
    return seen_low(c, 0, both0[1])


def largest_worst(c):
    t = c.each_adds
    if t is not None:
        return False
    t_2 = c.once_added
    if t_2 is not None:
        l = t_2[0]
        t_3 = c.shown_mod
        if t_3 is not None:
            return False
        return concave(l)
    return False


def sides_of(c, h, d):
    t = h.by_once
    if isinstance(t, Parts):
        t_2 = c.once_added
        if t_2 is not None:
            n0 = t_2[0]
            if isinstance(n0, Noise):
                x = n0.x
                if not largest_worst(c):
                    return None
                if 0 < d:
                    return two_sides(x, d)
                t_3 = two_sides(x, -d)
                if t_3 is not None:
                    e = t_3[0]
                    return ((e[1], e[0]),)
                return None
            return None
        return None
    return None


def brings(x):
    if x is not None:
        k = x[0]
        return k
    return 0


def ends_between(c, h, both0, x, y):
    t = sides_of(c, h, brings(x) - brings(y))
    if t is not None:
        e = t[0]
        return e
    return (end_of(c, both0, x), end_of(c, both0, y))


def all_shifts(c, h, test):
    both0 = noises(c, h)
    still = seen_low(c, 0, both0[1])
    def both_ways(j):
        moved0 = seen_low(c, j, both0[0])
        return test((moved0, still)) and test((still, moved0))
    if largest_worst(c):
        most = (c.largest,)
        return test(ends_between(c, h, both0, most, (0,))) and test(ends_between(c, h, both0, (0,), most))
    if c.arrives:
        return shifts(max(c.largest, 0) + 1, both_ways)
    return shifts(max(c.largest, 0), (lambda j: both_ways(j + 1)))


def check_number(c, h):
    z0 = from_below(c.number_eps, h.number_bits)
    return number_stands(c, h, z0) and all_shifts(c, h, (lambda e: kept_by_pair(z0[0], z0[1], c.number_delta, e, one_column)))


def holds(c, x):
    if x is not None:
        k = x[0]
        return (0 <= k) and (k <= c.largest)
    return c.arrives


def differs(c, x, y):
    if x is not None:
        j = x[0]
        if y is not None:
            k = y[0]
            return (not c.arrives) and (not (j == k))
        return c.arrives
    if y is not None:
        return c.arrives
    return False


def seen_ends(c, h, x, y):
    if ((((number_known(c, h) and (1 <= c.number_users)) and (0 <= c.largest)) and holds(c, x)) and holds(c, y)) and differs(c, x, y):
        return (ends_between(c, h, noises(c, h), x, y),)
    return None


def check_number_false(c, h, x, y):
    z0 = from_above(c.number_eps, h.number_bits)
    if not number_stands(c, h, z0):
        return False
    t = seen_ends(c, h, x, y)
    if t is not None:
        e = t[0]
        return broken_by_pair(z0[0], z0[1], c.number_delta, e, one_column)
    return False


def number_exceeded(c, h):
    z0 = from_above(c.number_eps, h.number_bits)
    return not all_shifts(c, h, (lambda e: not broken_by_pair(z0[0], z0[1], c.number_delta, e, one_column)))


def number_not_exceeded(c, h, x, y):
    z0 = from_below(c.number_eps, h.number_bits)
    t = seen_ends(c, h, x, y)
    if t is not None:
        e = t[0]
        return kept_by_pair(z0[0], z0[1], c.number_delta, e, one_column)
    return False


def claim_of(c):
    return Claim(laws_of(c), c.shown_as, c.honest, c.crowd_eps, c.crowd_delta)


def said(c, own, unit1):
    return (((valid(own, c.each) and (0 < c.takes.qnum)) and (c.takes.qnum <= c.takes.qden)) and (c.honest <= c.all_users)) and valid(unit1, laws_of(c))


def replaced(c):
    t = c.changes
    if isinstance(t, Replace):
        return True
    return False


def all_changes(h, inputs):
    if isinstance(h, Replace):
        return all_moves(inputs)
    return flat_map((lambda x: ((x, inputs), ((inputs, x), ()))), seq(0, inputs))


def check_crowd(c, own, unit1, p):
    if not said(c, own, unit1):
        return False
    if isinstance(p, AllDatasets):
        s, symmetries, hints = p
        return replaced(c) and check_each(claim_of(c), s, symmetries, hints)
    if isinstance(p, Trees):
        s, rounds, many, exact_too, prec, sh, trees, ups, moved0 = p
        return check_pairs(core(claim_of(c)), length(c.each), all_changes(c.changes, length(c.each)), s, rounds, many, exact_too, prec, sh, trees, ups, moved0)
    return good(c.crowd_eps) and (c.crowd_delta.qden <= c.crowd_delta.qnum)


def moves_so(h, inputs, x, y):
    if isinstance(h, Replace):
        return ((x < inputs) and (y < inputs)) and (not (x == y))
    return ((x < inputs) and (y == inputs)) or ((x == inputs) and (y < inputs))


def pair_said(c, own, unit1, p):
    return ((said(c, own, unit1) and moves_so(c.changes, length(c.each), p.from_told, p.to_told)) and counts_in(length(c.each), others_of(claim_of(c), p))) and so_many(claim_of(c), p)


def check_crowd_false(c, own, unit1, p, e):
    if not pair_said(c, own, unit1, p):
        return False
    if isinstance(e, BestEvent):
        s, hints = e
        return check_pair(claim_of(c), p, s, hints)
    if isinstance(e, Listed):
        outcomes, s, hints = e
        return check_listed(claim_of(c), p, outcomes, s, hints)
    if isinstance(e, Above):
        t7, d, prec, fine, cut, fast = e
        return check_threshold(claim_of(c), p, t7, d, prec, fine, cut, fast)
    t7, d, prec = e
    return check_topmost(claim_of(c), p, t7, d, prec)


def ratio_stands(x, e, p):
    if isinstance(x, DiscreteLaplace):
        q0 = x.q
        z0 = from_below(e, p)
        return (((good(e) and fits(e, p)) and (0 < q0.qnum)) and (q0.qnum < q0.qden)) and ((z0[1] * (q0.qden * q0.qden)) <= (z0[0] * (q0.qnum * q0.qnum)))
    return False


def check_pure_histogram(c, p):
    return (ratio_stands(c.noise_of, c.histogram_eps, p) and (0 <= c.histogram_delta.qnum)) and (2 <= c.buckets)


def way_said(k, w):
    if isinstance(k, OfNumbers):
        c = k.c
        if isinstance(w, OnShifts):
            h = w.h
            return number_known(c, h)
        return False
    if isinstance(k, OfColumns):
        c = k.c
        if isinstance(w, OnShifts):
            return False
        h = w.h
        return columns_known(c, h)
    return False


def passes(k, w, test):
    if isinstance(k, OfNumbers):
        c = k.c
        if isinstance(w, OnShifts):
            h = w.h
            return number_known(c, h) and all_shifts(c, h, (lambda e: test(e, one_column)))
        return False
    if isinstance(k, OfColumns):
        c, size0 = k
        if isinstance(w, OnShifts):
            return False
        h, trees = w
        return all_pass(c, size0, h, trees, test)
    return False


def ends_found(k, q0):
    if isinstance(k, OfNumbers):
        c = k.c
        if isinstance(q0, OfShift):
            h, x, y = q0
            t = seen_ends(c, h, x, y)
            if t is not None:
                e = t[0]
                return ((e, None),)
            return None
        return None
    if isinstance(k, OfColumns):
        c, size0 = k
        if isinstance(q0, OfShift):
            return None
        h, p = q0
        return pair_ends(c, size0, h, p)
    return None


def low_step(p, l):
    if l == 0:
        return div(p.top * power(2, p.sharp), p.bottom)
    l0 = l - 1
    g = low_step(p, l0)
    return div(g * g, power(2, p.sharp))


def high_step(p, l):
    if l == 0:
        return -div(-(p.top * power(2, p.sharp)), p.bottom)
    l0 = l - 1
    g = high_step(p, l0)
    return -div(-(g * g), power(2, p.sharp))


def drop(p, k, lost, l):
    for _ in budget.steps:
        if not l:
            return ((k, lost), ())
        c, l_ = l
        if (lost + c) <= p.room:
            k, lost, l = k + 1, lost + c, l_
            continue
        return ((k, lost), l)
    else:
        raise OutOfSteps


def trimmed(p, x):
    (k, lost), l = drop(p, x.first, 0, x.cells)
    p1, l_ = drop(p, 0, 0, rev_append(l, ()))
    lost_ = p1[1]
    return Lattice(x.level, k, rev_append(l_, ()), (x.beyond + lost) + lost_)


def halve(p, low0, high, carry, l):
    found = []
    for _ in budget.steps:
        if not l:
            return onto(found, (carry, ()))
        e, l0 = l
        if not l0:
            return onto(found, (carry + e, ()))
        o, l1 = l0
        found.append((carry + e) + (-div(-(o * power(2, p.sharp)), power(2, p.sharp) + low0)))
        carry, l = -div(-(o * high), power(2, p.sharp) + high), l1
    else:
        raise OutOfSteps


def doubled(p, x):
    return Lattice(x.level + 1, div(x.first, 2), halve(p, low_step(p, x.level), high_step(p, x.level), 0, (x.cells if mod(x.first, 2) == 0 else (0, x.cells))), x.beyond)


def count(n0, l):
    for _ in budget.steps:
        if not l:
            return n0
        l0 = l[1]
        n0, l = n0 + 1, l0
    else:
        raise OutOfSteps


def within(p, fuel, x):
    for _ in budget.steps:
        x0 = trimmed(p, x)
        if fuel == 0:
            return x0
        fuel0 = fuel - 1
        if count(0, x0.cells) <= p.most:
            return x0
        fuel, x = fuel0, doubled(p, x0)
    else:
        raise OutOfSteps


def coarsened(p, n0, x):
    for _ in budget.steps:
        if n0 == 0:
            return x
        n1 = n0 - 1
        n0, x = n1, doubled(p, x)
    else:
        raise OutOfSteps


def joined(p, x, y):
    x0 = coarsened(p, max(y.level - x.level, 0), x)
    y0 = coarsened(p, max(x0.level - y.level, 0), y)
    return within(p, 64, Lattice(x0.level, x0.first + y0.first, map_((lambda w: -div(-w, power(2, p.bits))), convolve(x0.cells, y0.cells)), -div(-((x0.beyond * (sum_(y0.cells) + y0.beyond)) + (y0.beyond * sum_(x0.cells))), power(2, p.bits))))


def squared(p, x):
    return within(p, 64, Lattice(x.level, x.first + x.first, map_((lambda w: -div(-w, power(2, p.bits))), convolve_self(x.cells)), -div(-((x.beyond * (sum_(x.cells) + x.beyond)) + (x.beyond * sum_(x.cells))), power(2, p.bits))))


def repeated(p, n0, x):
    if n0 > 1 and n0 & 1:
        n1 = n0 >> 1
        return joined(p, squared(p, repeated(p, n1, x)), x)
    if not n0 & 1:
        n1 = n0 >> 1
        return squared(p, repeated(p, n1, x))
    return x


def worth0(p, inverse, t7, acc, l):
    for _ in budget.steps:
        if not l:
            return acc
        c, l0 = l
        t7, acc, l = div(t7 * inverse, power(2, p.sharp)), (acc if power(2, p.sharp) <= t7 else acc + (c * (power(2, p.sharp) - t7))), l0
    else:
        raise OutOfSteps


def from_0(x):
    if 0 <= x.first:
        return app(repeat(0, max(x.first, 0)), x.cells)
    return skipn(max(-x.first, 0), x.cells)


def delta_of(p, x, z0):
    return (x.beyond * power(2, p.sharp)) + worth0(p, div(power(2, p.sharp) * power(2, p.sharp), high_step(p, x.level)), max(div(z0[0] * power(2, p.sharp), z0[1]), power(2, p.sharp)), 0, from_0(x))


def plan_fits(p):
    return (((0 < p.bottom) and (p.bottom < p.top)) and (0 <= p.bits)) and (0 <= p.sharp)


def held(far, ds, at0):
    def f(acc, d):
        n0 = d.at_ratio.qnum * at0.qden
        m = at0.qnum * d.at_ratio.qden
        if m < n0:
            return acc + div(d.weight_of * (n0 - m), n0)
        return acc
    return fold_left(f, ds, far)


def rising(least, ds):
    for _ in budget.steps:
        if not ds:
            return True
        d, ds0 = ds
        if not ((least.qnum * d.at_ratio.qden) < (d.at_ratio.qnum * least.qden)):
            return False
        least, ds = d.at_ratio, ds0
    else:
        raise OutOfSteps


def dots_stand(p, far, ds):
    return (((0 <= far) and rising(Qmake(0, 1), ds)) and (power(2, p.bits) <= held(far, ds, Qmake(0, 1)))) and forallb((lambda d: (0 <= d.weight_of) and ((d.height_of.qnum * power(2, p.bits)) <= (held(far, ds, d.at_ratio) * d.height_of.qden))), ds)


def squares0(p, n0, s, up0, down0, acc):
    for _ in budget.steps:
        if n0 == 0:
            return acc
        n1 = n0 - 1
        n0, s, up0, down0, acc = n1, 2 * s, div(up0 * up0, power(2, p.sharp)), div(down0 * down0, power(2, p.sharp)), ((s, (up0, down0)), acc)
    else:
        raise OutOfSteps


def powers_at(p):
    return squares0(p, max(lg(p.most) + 1, 0), 1, div(p.top * power(2, p.sharp), p.bottom), div(p.bottom * power(2, p.sharp), p.top), ())


def rise(o, t7, a, b, k, w, best):
    for _ in budget.steps:
        if not t7:
            return best
        (s, p1), t8 = t7
        up0 = p1[0]
        v = div(w * up0, o)
        if a <= (v * b):
            t7, best = t8, ((k + s, v),)
            continue
        t7, k, w = t8, k + s, v
    else:
        raise OutOfSteps


def fall(o, t7, a, b, k, w):
    for _ in budget.steps:
        if not t7:
            return ((k, w),)
        (s, p1), t8 = t7
        down0 = p1[1]
        v = div(w * down0, o)
        if a <= (v * b):
            t7, k, w = t8, k - s, v
            continue
        t7 = t8
    else:
        raise OutOfSteps


def rung(p, t7, a, b):
    o = power(2, p.sharp)
    if a <= (o * b):
        return fall(o, t7, a, b, 0, o)
    return rise(o, t7, a, b, 0, o, None)


def rung_again(p, last, t7, a, b):
    r = last[1]
    if (a <= (r * b)) and ((div(r * p.bottom, p.top) * b) < a):
        return (last,)
    return rung(p, t7, a, b)


def put_on(p, t7, last, l, far, acc):
    for _ in budget.steps:
        if not l:
            return (far, acc)
        (w, p0), l0 = l
        a, b = p0
        t = rung_again(p, last, t7, a * power(2, p.sharp), b)
        if t is not None:
            p1 = t[0]
            k, r = p1
            low0 = div(w * min(power(2, p.sharp), div(((r * b) - (a * power(2, p.sharp))) * p.bottom, a * (p.top - p.bottom))), power(2, p.sharp))
            last, l, acc = (k, r), l0, ((k - 1, low0), ((k, w - low0), acc))
            continue
        l, far = l0, far + w
    else:
        raise OutOfSteps


def start0(p, t7, far, l):
    far0, f = put_on(p, t7, (0, power(2, p.sharp)), l, far, ())
    t = normal(f)
    if not t:
        return (Lattice(0, 0, (), far0),)
    (k, w), f0 = t
    t_2 = dense(1, k, max((4 * p.most) + 4, 0), ((k, w), f0), ())
    if t_2 is not None:
        l0 = t_2[0]
        if natural(l0):
            return (within(p, 64, Lattice(0, k, l0, far0)),)
        return None
    return None


def atom_of(d):
    return (d.weight_of, (d.at_ratio.qnum, d.at_ratio.qden))


def side_by_side(f, __, acc):
    for _ in budget.steps:
        if not f:
            return rev_append(acc, ())
        (k, w), f_ = f
        for _ in budget.steps:
            if not __:
                f, __, acc = f_, (), ((w, 0), acc)
                break
            (l, v), g_ = __
            if k == l:
                f, __, acc = f_, g_, ((w, v), acc)
                break
            if k < l:
                f, acc = f_, ((w, 0), acc)
                break
            __ = g_
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def atoms_from(p, n0, l, acc):
    for _ in budget.steps:
        if not l:
            return rev_append(acc, ())
        (a, b), l0 = l
        l, acc = l0, (acc if a <= 0 else ((-div(-(a * power(2, p.bits)), n0), (a, b)), acc))
    else:
        raise OutOfSteps


def pair_lattice(p, t7, n0, far, f, h):
    l = side_by_side(f, h, ())
    if forallb((lambda kw: 0 <= kw[1]), h) and forallb((lambda o: 0 <= o[1]), l):
        return start0(p, t7, far, atoms_from(p, n0, l, ()))
    return None


def mass_of(f):
    return fold_left((lambda t7, kw: t7 + kw[1]), f, 0)


def times_all(u, f):
    return map_((lambda kw: (kw[0], kw[1] * u)), f)


def over_one(e):
    (f, u), (h, v) = e
    if u == v:
        return ((f, h), u)
    return ((times_all(v, f), times_all(u, h)), u * v)


def ends_lattice(p, t7, e):
    (f, h), n0 = over_one(e)
    if 0 < n0:
        return pair_lattice(p, t7, n0, max(-div(-((n0 - mass_of(f)) * power(2, p.bits)), n0), 0), f, h)
    return None


def both(f, h, acc):
    for _ in budget.steps:
        if not f:
            for _ in budget.steps:
                if not h:
                    return rev_append(acc, ())
                (l, b), h0 = h
                h, acc = h0, ((l, (0, b)), acc)
            else:
                raise OutOfSteps
            continue
        (k, a), f_ = f
        for _ in budget.steps:
            if not h:
                f, h, acc = f_, (), ((k, (a, 0)), acc)
                break
            (l, b), h_ = h
            if k == l:
                f, h, acc = f_, h_, ((k, (a, b)), acc)
                break
            if k < l:
                f, acc = f_, ((k, (a, 0)), acc)
                break
            h, acc = h_, ((l, (0, b)), acc)
        else:
            raise OutOfSteps
    else:
        raise OutOfSteps


def keys_rise(least, l):
    for _ in budget.steps:
        if not l:
            return True
        (k, p0), l0 = l
        a, b = p0
        if not (((least < k) and (0 <= a)) and (0 <= b)):
            return False
        least, l = k, l0
    else:
        raise OutOfSteps


def keys_apart(l):
    if not l:
        return True
    p = l[0]
    k = p[0]
    return keys_rise(k - 1, l)


def half(up0, w):
    if up0:
        return -div(-w, 2)
    return div(w, 2)


def halves(up0, carry, l, acc):
    for _ in budget.steps:
        if not l:
            return rev_append(acc, (carry, ()))
        e, l0 = l
        if not l0:
            return rev_append(acc, (carry + e, ()))
        o, l1 = l0
        h = half(up0, o)
        carry, l, acc = h, l1, ((carry + e) + h, acc)
    else:
        raise OutOfSteps


def on_even(up0, odd, l):
    return halves(up0, 0, ((0, l) if odd else l), ())


def wider(x):
    odd = not (mod(x.at_, 2) == 0)
    return Statistic(x.depth + 1, div(x.at_, 2), on_even(False, odd, x.ours), on_even(True, odd, x.theirs), x.alone, x.astray)


def little(p, l, lost, n0):
    for _ in budget.steps:
        if not l:
            return n0
        c, l0 = l
        if (lost + c) <= p.room:
            l, lost, n0 = l0, lost + c, n0 + 1
            continue
        return n0
    else:
        raise OutOfSteps


def firsts(n0, l, acc):
    for _ in budget.steps:
        if n0 == 0:
            return rev_append(acc, ())
        n1 = n0 - 1
        if not l:
            return rev_append(acc, ())
        c, l0 = l
        n0, l, acc = n1, l0, (c, acc)
    else:
        raise OutOfSteps


def cut_ends(p, x):
    a = little(p, x.ours, 0, 0)
    l = skipn(a, x.ours)
    m = max(length(l) - little(p, rev_append(l, ()), 0, 0), 0)
    return Statistic(x.depth, x.at_ + a, firsts(m, l, ()), firsts(m, skipn(a, x.theirs), ()), x.alone, x.astray)


def narrowed(p, fuel, x):
    for _ in budget.steps:
        x0 = cut_ends(p, x)
        if fuel == 0:
            return x0
        fuel0 = fuel - 1
        if count(0, x0.ours) <= p.most:
            return x0
        fuel, x = fuel0, wider(x0)
    else:
        raise OutOfSteps


def widened(n0, x):
    for _ in budget.steps:
        if n0 == 0:
            return x
        n1 = n0 - 1
        n0, x = n1, wider(x)
    else:
        raise OutOfSteps


def met(p, x, y, f, g):
    return narrowed(p, 64, Statistic(x.depth, x.at_ + y.at_, map_((lambda w: div(w, power(2, p.bits))), f), map_((lambda w: -div(-w, power(2, p.bits))), g), div((x.alone * (sum_(y.ours) + y.alone)) + (y.alone * sum_(x.ours)), power(2, p.bits)), (-div(-(x.astray * sum_(y.theirs)), power(2, p.bits))) + y.astray))


def meet0(p, x, y):
    x0 = widened(max(y.depth - x.depth, 0), x)
    y0 = widened(max(x0.depth - y.depth, 0), y)
    return met(p, x0, y0, convolve(x0.ours, y0.ours), convolve(x0.theirs, y0.theirs))


def meet_self(p, x):
    return met(p, x, x, convolve_self(x.ours), convolve_self(x.theirs))


def many_times(p, n0, x):
    if n0 > 1 and n0 & 1:
        n1 = n0 >> 1
        return meet0(p, meet_self(p, many_times(p, n1, x)), x)
    if not n0 & 1:
        n1 = n0 >> 1
        return meet_self(p, many_times(p, n1, x))
    return x


def best_of(a, b, acc, f, g):
    for _ in budget.steps:
        if not f:
            return acc
        c, f0 = f
        if not g:
            t = 0
        else:
            d = g[0]
            t = d
        acc, f, g = acc + max(0, (b * c) - (a * t)), f0, tl(g)
    else:
        raise OutOfSteps


def shown_delta(x, z0):
    return best_of(z0[0], z0[1], (z0[1] * x.alone) - (z0[0] * x.astray), x.ours, x.theirs)


def settle(p, t7, last, n0, l, far, f, g):
    for _ in budget.steps:
        if not l:
            return (far, (f, g))
        p0, l0 = l
        p1 = p0[1]
        a, b = p1
        if a <= 0:
            l = l0
            continue
        if b <= 0:
            l, far = l0, far + div(a * power(2, p.bits), n0)
            continue
        t = rung_again(p, last, t7, a * power(2, p.sharp), b)
        if t is not None:
            p2 = t[0]
            k, r = p2
            low0 = max(0, min(power(2, p.sharp), div((((r * b) - (a * power(2, p.sharp))) * p.top) * power(2, p.sharp), (r * b) * (p.top - p.bottom))))
            last, l, f, g = (k, r), l0, ((k - 1, div((a * low0) * power(2, p.bits), n0 * power(2, p.sharp))), ((k, div((a * (power(2, p.sharp) - low0)) * power(2, p.bits), n0 * power(2, p.sharp))), f)), ((k - 1, -div(-((b * low0) * power(2, p.bits)), n0 * power(2, p.sharp))), ((k, -div(-((b * (power(2, p.sharp) - low0)) * power(2, p.bits)), n0 * power(2, p.sharp))), g))
            continue
        l = l0
    else:
        raise OutOfSteps


def settled(p, t7, n0, lost, f, h):
    l = both(f, h, ())
    far, (f0, g) = settle(p, t7, (0, power(2, p.sharp)), n0, l, 0, (), ())
    f1 = normal(f0)
    g0 = normal(g)
    k = min(start_of(f1), start_of(g0))
    long = max((4 * p.most) + 5, 0)
    t = dense(1, k, long, f1, ())
    if t is not None:
        f2 = t[0]
        t_2 = dense(1, k, long, g0, ())
        if t_2 is not None:
            g1 = t_2[0]
            if (keys_apart(l) and natural(f2)) and natural(g1):
                return (narrowed(p, 64, Statistic(0, k, f2, g1, far, -div(-(lost * power(2, p.bits)), n0))),)
            return None
        return None
    return None


def any_at(c, t7, d):
    return AnyClaim(c.any_local, c.any_share, c.any_users, Log(t7), d)


def within_point(n0, d, td, p, q0):
    return (stick(td[0].qden, td[0].qnum, p, q0, 0) * td[1].qden) <= ((td[1].qnum * power(d, n0)) * td[0].qden)


def check_proved_at(c, w, d, prec, tds):
    f = map_((lambda x0: row_poly(w, d, x0)), c.rows)
    n0 = map_(normal, f)
    if not (setting(c, w, d) and fits(Log(Qmake(1, 1)), prec)):
        return False
    t = c.users
    if t == 0:
        return True
    n1 = t - 1
    return every((lambda i, acc: mul1(nth(i, n0, ()), acc)), (lambda x0: tell(n0, (lambda p, q0: forallb((lambda td: within_point(n1 + 1, d, td, p, q0)), tds)), x0)), nodup((lambda x0, x1: x0 == x1), map_((lambda x0: rep(n0, x0)), seq(0, length(f)))), n1, ((0, 1), ()))


def is_point(td):
    return (td[0].qden <= td[0].qnum) and (0 <= td[1].qnum)


def check_crowd_at(c, own, unit_for, because, tds):
    if isinstance(because, AllDatasets):
        s, symmetries, hints = because
        if not hints:
            return forallb((lambda td: check_crowd(at_point(c, td[0], td[1]), own, unit_for, because)), tds)
        h, l = hints
        rounded = h.rounded
        if rounded:
            return forallb((lambda td: check_crowd(at_point(c, td[0], td[1]), own, unit_for, because)), tds)
        if not l:
            c0 = claim_of(at_point(c, Qmake(1, 1), Qmake(0, 1)))
            return (((said(c, own, unit_for) and replaced(c)) and valid(s.unit_of, c0.rows)) and symmetries_hold(c0, s, symmetries)) and ((length(c0.rows) == 1) or check_proved_at(core(c0), s.key_bits, s.unit_of, h.precise, tds))
        return forallb((lambda td: check_crowd(at_point(c, td[0], td[1]), own, unit_for, because)), tds)
    return forallb((lambda td: check_crowd(at_point(c, td[0], td[1]), own, unit_for, because)), tds)


def check_points(k, pts):
    if not forallb(is_point, pts.at_points):
        return False
    if isinstance(k, OfRows):
        c = k.c
        t = pts.shown_by
        if isinstance(t, ForRows):
            own, unit_for, because = t
            return check_crowd_at(c, own, unit_for, because, pts.at_points)
        if isinstance(t, ForEnds):
            w = t.w
            return passes(k, w, (lambda e1, e2: forallb((lambda td: kept_by_pair(td[0].qnum, td[0].qden, td[1], e1, e2)), pts.at_points)))
        return False
    if isinstance(k, OfAny):
        c = k.c
        t = pts.shown_by
        if isinstance(t, ForRows):
            return False
        if isinstance(t, ForEnds):
            w = t.w
            return passes(k, w, (lambda e1, e2: forallb((lambda td: kept_by_pair(td[0].qnum, td[0].qden, td[1], e1, e2)), pts.at_points)))
        prec, h = t
        return forallb((lambda td: check_any(any_at(c, td[0], td[1]), prec, h)), pts.at_points)
    t = pts.shown_by
    if isinstance(t, ForEnds):
        w = t.w
        return passes(k, w, (lambda e1, e2: forallb((lambda td: kept_by_pair(td[0].qnum, td[0].qden, td[1], e1, e2)), pts.at_points)))
    return False


def dot_of(d, td):
    return (qeq_bool(d.at_ratio, td[0]) and qle_bool(td[1], d.height_of)) or (qeq_bool(qmult(d.at_ratio, td[0]), Qmake(1, 1)) and qle_bool(qplus(qplus(Qmake(1, 1), qopp(d.at_ratio)), qmult(td[1], d.at_ratio)), d.height_of))


def on(pass_, o):
    if o is not None:
        x = o[0]
        return pass_(x)
    return False


def no_loss(p):
    return Lattice(0, 0, (power(2, p.bits), ()), 0)


def leaf_lattice(pl, d, v, p, q0):
    n0 = v.scale * d
    return pair_lattice(pl[0], pl[1], n0, max(-div(-((d * v.lost) * power(2, pl[0].bits)), n0), 0), p, q0)


def both_lattice(pl, e1, e2):
    t = ends_lattice(pl[0], pl[1], e1)
    if t is not None:
        x = t[0]
        t_2 = ends_lattice(pl[0], pl[1], e2)
        if t_2 is not None:
            y = t_2[0]
            return (joined(pl[0], x, y),)
        return None
    return None


def part_said(k, q0):
    if isinstance(k, OfRows):
        c = k.c
        if isinstance(q0, ByPoints):
            listed = q0.listed
            if not listed:
                return False
            p = listed[0]
            shown_by = p.shown_by
            if isinstance(shown_by, ForRows):
                own = shown_by.own
                unit_for = shown_by.unit_for
                return said(c, own, unit_for)
            if isinstance(shown_by, ForEnds):
                w = shown_by.w
                return way_said(k, w)
            return False
        if isinstance(q0, ByTrees):
            own = q0.own
            s = q0.s
            return said(c, own, s.unit_of)
        w = q0.w
        return way_said(k, w)
    if isinstance(k, OfAny):
        if isinstance(q0, ByPoints):
            return True
        if isinstance(q0, ByTrees):
            return False
        w = q0.w
        return way_said(k, w)
    if isinstance(q0, ByPoints):
        listed = q0.listed
        if not listed:
            return False
        p = listed[0]
        shown_by = p.shown_by
        if isinstance(shown_by, ForEnds):
            w = shown_by.w
            return way_said(k, w)
        return False
    if isinstance(q0, ByTrees):
        return False
    w = q0.w
    return way_said(k, w)


def all_said(ks, qs):
    for _ in budget.steps:
        if not ks:
            if not qs:
                return True
            return False
        p, ks0 = ks
        k = p[0]
        if not qs:
            return False
        q0, qs0 = qs
        if not part_said(k, q0):
            return False
        ks, qs = ks0, qs0
    else:
        raise OutOfSteps


def leaves_hold(c, s, r, many, sh, asked, trees):
    c0 = core(claim_of(at_point(c, Qmake(1, 1), Qmake(0, 1))))
    w = s.key_bits
    d = s.unit_of
    real = length(c.each)
    n0 = map_(normal, map_((lambda x0: row_poly(w, d, x0)), c0.rows))
    r0 = apart_from_known(sh, n0)
    g = in_common(firstn(real, r0))
    cs = classes_of(n0)
    return aligned(sh, n0) and check_trees(c0, real, all_changes(c.changes, real), w, d, n0, (r, ()), many, (), (lambda x0, x1, x2, x3: asked(x1, x2, x3)), (lambda x0, x1, x2: one_blk(c0, d, n0, r0, g, cs, asked, x0, x1, x2)), (lambda __: ()), trees)


def part_holds(same, pls, k, q0, pass_):
    if isinstance(k, OfRows):
        c = k.c
        if isinstance(q0, ByPoints):
            listed, far, ds = q0
            return (forallb((lambda x0: check_points(k, x0)), listed) and forallb((lambda d: existsb((lambda pts: existsb((lambda x0: dot_of(d, x0)), pts.at_points)), listed)), ds)) and existsb((lambda pl: dots_stand(pl[0], far, ds) and on((lambda x0: pass_(pl, x0)), start0(pl[0], pl[1], far, map_(atom_of, ds)))), pls)
        if isinstance(q0, ByTrees):
            s = q0.s
            r = q0.r
            many = q0.many
            sh = q0.sh
            trees = q0.trees
            return (same and existsb((lambda pl: pass_(pl, no_loss(pl[0]))), pls)) and leaves_hold(c, s, r, many, sh, (lambda v, p, q1: existsb((lambda pl: on((lambda x0: pass_(pl, x0)), leaf_lattice(pl, s.unit_of, v, p, q1))), pls)), trees)
        w = q0.w
        return (same and existsb((lambda pl: pass_(pl, no_loss(pl[0]))), pls)) and passes(k, w, (lambda e1, e2: existsb((lambda pl: on((lambda x0: pass_(pl, x0)), both_lattice(pl, e1, e2))), pls)))
    if isinstance(q0, ByPoints):
        listed, far, ds = q0
        return (forallb((lambda x0: check_points(k, x0)), listed) and forallb((lambda d: existsb((lambda pts: existsb((lambda x0: dot_of(d, x0)), pts.at_points)), listed)), ds)) and existsb((lambda pl: dots_stand(pl[0], far, ds) and on((lambda x0: pass_(pl, x0)), start0(pl[0], pl[1], far, map_(atom_of, ds)))), pls)
    if isinstance(q0, ByTrees):
        return False
    w = q0.w
    return (same and existsb((lambda pl: pass_(pl, no_loss(pl[0]))), pls)) and passes(k, w, (lambda e1, e2: existsb((lambda pl: on((lambda x0: pass_(pl, x0)), both_lattice(pl, e1, e2))), pls)))


def check_parts(same, last, pls, ks, qs, before0):
    if not ks:
        if not qs:
            if not pls:
                return False
            pl, l = pls
            if not l:
                if before0 is not None:
                    x = before0[0]
                    return last(pl, x)
                return False
            return False
        return False
    (k, n0), ks0 = ks
    if not qs:
        return False
    q0, qs0 = qs
    def f(pl, x):
        x0 = repeated(pl[0], n0, x)
        if before0 is not None:
            y = before0[0]
            t = joined(pl[0], y, x0)
        else:
            t = x0
        return check_parts(same, last, (pl, ()), ks0, qs0, (t,))
    return part_holds(same, pls, k, q0, f)


def check_runs(c, ps, prec, qs):
    z0 = from_below(c.runs_eps, prec)
    return (((all_said(c.kinds, qs) and forallb(plan_fits, ps)) and good(c.runs_eps)) and fits(c.runs_eps, prec)) and ((c.runs_delta.qden <= c.runs_delta.qnum) or check_parts(c.same_pairs, (lambda pl, x: (delta_of(pl[0], x, z0) * c.runs_delta.qden) <= (c.runs_delta.qnum * (power(2, pl[0].bits) * power(2, pl[0].sharp)))), map_((lambda p: (p, powers_at(p))), ps), c.kinds, qs, None))


def rows_known(c, own, s, p, prec, fine, cut, fast):
    c0 = core(claim_of(c))
    d = s.unit_of
    a0 = s.key_bits
    l = map_(normal, map_((lambda x0: row_poly(a0, d, x0)), c0.rows))
    v = law_of(l, d, prec, fine, cut, fast, others_of(claim_of(c), p))
    if (((pair_said(c, own, d, p) and forallb((lambda x0: row_fits(d, x0)), c0.rows)) and forallb((lambda x0: fair(d, x0)), l)) and (0 <= fine)) and (0 <= v.lost):
        return (KnownLaws(v.scale * d, d * v.lost, mul1(nth(p.from_told, l, ()), v.low), mul1(nth(p.to_told, l, ()), v.low)),)
    return None


def ends_shown(p, t7, e):
    (f, h), n0 = over_one(e)
    return settled(p, t7, n0, max(0, n0 - mass_of(h)), f, h)


def run_shown(p, t7, k, q0):
    if isinstance(k, OfRows):
        c = k.c
        if isinstance(q0, OfTwo):
            own, s, q1, prec, fine, cut, fast = q0
            t = rows_known(c, own, s, q1, prec, fine, cut, fast)
            if t is not None:
                a = t[0]
                return settled(p, t7, a.unit_known, a.lost_known, a.p_known, a.q_known)
            return None
        q1 = q0.q
        t = ends_found(k, q1)
        if t is not None:
            p0 = t[0]
            e1, o = p0
            if o is not None:
                e2 = o[0]
                t_2 = ends_shown(p, t7, e1)
                if t_2 is not None:
                    x = t_2[0]
                    t_3 = ends_shown(p, t7, e2)
                    if t_3 is not None:
                        y = t_3[0]
                        return (meet0(p, x, y),)
                    return None
                return None
            return ends_shown(p, t7, e1)
        return None
    if isinstance(q0, OfTwo):
        return None
    q1 = q0.q
    t = ends_found(k, q1)
    if t is not None:
        p0 = t[0]
        e1, o = p0
        if o is not None:
            e2 = o[0]
            t_2 = ends_shown(p, t7, e1)
            if t_2 is not None:
                x = t_2[0]
                t_3 = ends_shown(p, t7, e2)
                if t_3 is not None:
                    y = t_3[0]
                    return (meet0(p, x, y),)
                return None
            return None
        return ends_shown(p, t7, e1)
    return None


def runs_shown(p, t7, ks, qs, before0):
    for _ in budget.steps:
        if not ks:
            if not qs:
                return before0
            return None
        (k, n0), ks0 = ks
        if not qs:
            return None
        q0, qs0 = qs
        t = run_shown(p, t7, k, q0)
        if t is not None:
            x = t[0]
            x0 = many_times(p, n0, x)
            if before0 is not None:
                y = before0[0]
                t_2 = meet0(p, y, x0)
            else:
                t_2 = x0
            ks, qs, before0 = ks0, qs0, (t_2,)
            continue
        return None
    else:
        raise OutOfSteps


def check_runs_false(c, p, prec, qs):
    z0 = from_above(c.runs_eps, prec)
    if not ((plan_fits(p) and good(c.runs_eps)) and fits(c.runs_eps, prec)):
        return False
    t = runs_shown(p, powers_at(p), c.kinds, qs, None)
    if t is not None:
        x = t[0]
        return (c.runs_delta.qnum * (power(2, p.bits) * z0[1])) < (shown_delta(x, z0) * c.runs_delta.qden)
    return False


def not_empty(l):
    if not l:
        return False
    return True


def is_there(o):
    if o is not None:
        return True
    return False


def read_onto(f, l, found_):
    for _ in budget.steps:
        if not l:
            return (rev_append(found_, ()),)
        x, l0 = l
        t = f(x)
        if isinstance(t, Not):
            return t
        y = t[0]
        l, found_ = l0, (y, found_)
    else:
        raise OutOfSteps


def read_from(i, f, l, found_):
    for _ in budget.steps:
        if not l:
            return (rev_append(found_, ()),)
        x, l0 = l
        t = f(i, x)
        if isinstance(t, Not):
            return t
        y = t[0]
        i, l, found_ = i + 1, l0, (y, found_)
    else:
        raise OutOfSteps


def number_of_it(i):
    return str(i)


def th(place, i):
    return place + ("[" + (str(i) + "]"))


def all_differ(l):
    return length(different(l)) == length(l)


def numbered(l):
    each = different(l)
    return Labels(each, table_from(combine(each, seq(0, length(each)))))


def text(place, v):
    if type(v) is str:
        return (v,)
    return Not(Malformed(place, "a string"))


def values(place, v):
    if isinstance(v, Values):
        l = v.l
        return (l,)
    return Not(Malformed(place, "a list"))


def members(place, v):
    if isinstance(v, Object):
        l = v.l
        return (l,)
    return Not(Malformed(place, "an object"))


def among_words(x, words):
    for _ in budget.steps:
        if not words:
            return False
        w, words0 = words
        if x == w:
            return True
        words = words0
    else:
        raise OutOfSteps


def value_of(key0, l):
    for _ in budget.steps:
        if not l:
            return None
        (x, v), l0 = l
        if key0 == x:
            return (v,)
        l = l0
    else:
        raise OutOfSteps


def the(key0, l):
    t = value_of(key0, l)
    if t is not None:
        v = t[0]
        return v
    return None


def only_keys(place, keys, l, found_):
    for _ in budget.steps:
        if not l:
            return (found_,)
        p, l0 = l
        x = p[0]
        if among_words(x, keys):
            l = l0
            continue
        return Not(Malformed(place, "no other key than " + glued(", ", keys)))
    else:
        raise OutOfSteps


def first_missing(needed, l):
    for _ in budget.steps:
        if not needed:
            return None
        x, needed0 = needed
        if is_there(value_of(x, l)):
            needed = needed0
            continue
        return (x,)
    else:
        raise OutOfSteps


def fields(place, keys, needed, v):
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = only_keys(place, keys, l, l)
    if isinstance(t_2, Not):
        return t_2
    l0 = t_2[0]
    t_3 = first_missing(needed, l0)
    if t_3 is not None:
        x = t_3[0]
        return Not(Malformed(place, "the key " + x))
    return (l0,)
most_digits = power(10, 5)


def natural_at(place, s):
    t = natural_in(most_digits, s)
    if t is not None:
        k = t[0]
        return (k,)
    return Not(Malformed(place, "digits, at most 100000, no leading zero"))


def ratio_at(place, s):
    above, below = at_slash(s)
    t = natural_at(place, above)
    if isinstance(t, Not):
        return t
    a = t[0]
    if below is not None:
        s0 = below[0]
        t_2 = natural_at(place, s0)
        if isinstance(t_2, Not):
            return t_2
        b = t_2[0]
        if b > 0:
            return (Qmake(a, b),)
        return Not(Malformed(place, "a denominator above 0"))
    return (Qmake(a, 1),)


def rational(place, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    return ratio_at(place, s)


def positive_rational(place, v):
    t = rational(place, v)
    if isinstance(t, Not):
        return t
    q0 = t[0]
    if q0.qnum <= 0:
        return Not(Malformed(place, "more than zero"))
    return (q0,)


def at_most_1(place, q0):
    if q0.qden < q0.qnum:
        return Not(Malformed(place, "at most 1"))
    return (q0,)


def probability(place, v):
    t = rational(place, v)
    if isinstance(t, Not):
        return t
    q0 = t[0]
    return at_most_1(place, q0)


def weight(place, v):
    t = positive_rational(place, v)
    if isinstance(t, Not):
        return t
    q0 = t[0]
    return at_most_1(place, q0)


def exponent_in(place, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    t_2 = in_log(s)
    if t_2 is not None:
        s0 = t_2[0]
        t_3 = ratio_at(place, s0)
        if isinstance(t_3, Not):
            return t_3
        z0 = t_3[0]
        if z0.qnum < z0.qden:
            return Not(Malformed(place, "log of at least 1"))
        return (Log(z0),)
    t_3 = ratio_at(place, s)
    if isinstance(t_3, Not):
        return t_3
    q0 = t_3[0]
    if (10000 * q0.qden) < q0.qnum:
        return Not(Malformed(place, "a RATIONAL up to 10000"))
    return (Of(q0),)
most_in_json = 100


def integer(place, least, most, v):
    if v is None:
        t = None
    elif type(v) is bool:
        t = None
    elif isinstance(v, Digits):
        s = v.s
        t = natural_in(most_in_json, s)
    else:
        t = None
    if t is not None:
        k = t[0]
        if (least <= k) and (k <= most):
            return (k,)
        return Not(Malformed(place, "an integer from " + (str(least) + (" to " + str(most)))))
    return Not(Malformed(place, "an integer"))
most_of_all = power(10, 15)
longest_modulus = power(2, 256)
most_cells = power(2, 32)
most_signed = 1000


def signed_at(place, s):
    t = after_minus(s)
    if t is not None:
        s0 = t[0]
        t_2 = natural_in(most_signed, s0)
        if t_2 is not None:
            k = t_2[0]
            return (-k,)
        return Not(Malformed(place, "an INTEGER"))
    t_2 = natural_in(most_signed, s)
    if t_2 is not None:
        k = t_2[0]
        return (k,)
    return Not(Malformed(place, "an INTEGER"))


def signed(place, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    return signed_at(place, s)


def label_at(place, s):
    k = len(s)
    if (1 <= k) and (k <= 1000):
        return (s,)
    return Not(Malformed(place, "a label of 1 to 1000 code points"))


def label(place, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    return label_at(place, s)


def word(place, words, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    if among_words(s, words):
        return (s,)
    return Not(Malformed(place, glued(" or ", words)))


def known_at(place, names0, s):
    t = look_up(names0.numbers_of, s)
    if t is not None:
        i = t[0]
        return (i,)
    t_2 = label_at(place, s)
    if isinstance(t_2, Not):
        return t_2
    return Not(Malformed(place, "a label of the randomizer"))


def known(place, names0, v):
    t = text(place, v)
    if isinstance(t, Not):
        return t
    s = t[0]
    return known_at(place, names0, s)


def multiset(place, names0, v):
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    def f(o):
        t_2 = known_at(place, names0, o[0])
        if isinstance(t_2, Not):
            return t_2
        x = t_2[0]
        t_3 = integer(place, 1, most_of_all, o[1])
        if isinstance(t_3, Not):
            return t_3
        k = t_3[0]
        return ((x, k),)
    return read_onto(f, l, ())


def quoted(s):
    return str(len(s)) + (":" + s)


def spelled_onto(v, found_):
    if v is None:
        return ("n", found_)
    if type(v) is bool:
        return (("t" if v else "f"), found_)
    if isinstance(v, Digits):
        s = v.s
        return ("#" + quoted(s), found_)
    if type(v) is str:
        return (quoted(v), found_)
    if isinstance(v, Values):
        l = v.l
        l0 = l
        found0 = ("[", found_)
        for _ in budget.steps:
            if not l0:
                return ("]", found0)
            x, l1 = l0
            l0, found0 = l1, spelled_onto(x, found0)
        else:
            raise OutOfSteps
    l = v.l
    l0 = l
    found0 = ("{", found_)
    for _ in budget.steps:
        if not l0:
            return ("}", found0)
        x, l1 = l0
        l0, found0 = l1, spelled_onto(x[1], (quoted(x[0]), found0))
    else:
        raise OutOfSteps


def spelled_numbers(l):
    return glued(",", map_(number_of_it, l))


def plus_weight(total0, w):
    d = w.qden
    if mod(total0[1], d) == 0:
        return (total0[0] + (w.qnum * div(total0[1], d)), total0[1])
    return ((total0[0] * d) + (w.qnum * total0[1]), total0[1] * d)


def sum_to_1(ws):
    total0 = fold_left(plus_weight, ws, (0, 1))
    return total0[0] == total0[1]


def read_output(sent_at, p_at, at_, v):
    t = fields(at_, ("send", ("p", ())), ("send", ("p", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = values(sent_at, the("send", l))
    if isinstance(t_2, Not):
        return t_2
    send = t_2[0]
    t_3 = read_onto((lambda x0: label(sent_at, x0)), send, ())
    if isinstance(t_3, Not):
        return t_3
    sent = t_3[0]
    t_4 = positive_rational(p_at, the("p", l))
    if isinstance(t_4, Not):
        return t_4
    p = t_4[0]
    return ((sent, p),)


def read_row(place, v):
    t = fields(place, ("input", ("outputs", ())), ("input", ("outputs", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    at_ = place + ".outputs"
    t_2 = values(at_, the("outputs", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    a0 = place + ".send"
    a1 = place + ".p"
    t_3 = read_onto((lambda x0: read_output(a0, a1, at_, x0)), given, ())
    if isinstance(t_3, Not):
        return t_3
    outputs = t_3[0]
    sent = map_((lambda o: glued("", map_(quoted, o[0]))), outputs)
    if not (not_empty(outputs) and all_differ(sent)):
        return Not(Malformed(at_, "outputs, none of them twice"))
    t_4 = label(place + ".input", the("input", l))
    if isinstance(t_4, Not):
        return t_4
    input_ = t_4[0]
    return ((input_, outputs),)


def number_in(names0, x):
    t = look_up(names0.numbers_of, x)
    if t is not None:
        i = t[0]
        return i
    return 0


def read_table(place, v):
    t = values(place, v)
    if isinstance(t, Not):
        return t
    given = t[0]
    t_2 = read_from(0, (lambda i, r: read_row(th(place, i), r)), given, ())
    if isinstance(t_2, Not):
        return t_2
    rows = t_2[0]
    inputs = map_((lambda x0: x0[0]), rows)
    if not (not_empty(rows) and all_differ(inputs)):
        return Not(Malformed(place, "rows whose inputs differ"))
    messages = numbered(flat_map((lambda r: flat_map((lambda x0: x0[0]), r[1])), rows))
    return (NamedTable(map_((lambda r: map_((lambda o: (map_((lambda x0: number_in(messages, x0)), o[0]), o[1])), r[1])), rows), numbered(inputs), messages),)
laws = ("binomial", ("poisson", ("negative binomial", ("discrete Laplace", ("discrete Gaussian", ("finite", ("sum", ("mixture", ("mod", ())))))))))


def below_1(place, v):
    t = positive_rational(place, v)
    if isinstance(t, Not):
        return t
    q0 = t[0]
    if q0.qnum < q0.qden:
        return (q0,)
    return Not(Malformed(place, "less than 1"))


def read_finite(place, v):
    t = members(place + ".p", v)
    if isinstance(t, Not):
        return t
    l = t[0]
    def f(o):
        t_2 = signed_at(place, o[0])
        if isinstance(t_2, Not):
            return t_2
        k = t_2[0]
        t_3 = weight(place, o[1])
        if isinstance(t_3, Not):
            return t_3
        w = t_3[0]
        return ((k, w),)
    t_2 = read_onto(f, l, ())
    if isinstance(t_2, Not):
        return t_2
    found_ = t_2[0]
    if not sum_to_1(map_((lambda x0: x0[1]), found_)):
        return Not(Malformed(place, "weights that sum to exactly 1"))
    return (Finite(found_),)


def read_noise(place, law0, v):
    if law0 == "binomial":
        t = fields(place, ("law", ("n", ("p", ()))), ("n", ("p", ())), v)
        if isinstance(t, Not):
            return t
        l = t[0]
        t_2 = integer(place + ".n", 1, most_of_all, the("n", l))
        if isinstance(t_2, Not):
            return t_2
        n0 = t_2[0]
        t_3 = probability(place + ".p", the("p", l))
        if isinstance(t_3, Not):
            return t_3
        p = t_3[0]
        return (Noise(Binomial(n0, p)),)
    if law0 == "poisson":
        t = fields(place, ("law", ("lam", ())), ("lam", ()), v)
        if isinstance(t, Not):
            return t
        l = t[0]
        t_2 = positive_rational(place + ".lam", the("lam", l))
        if isinstance(t_2, Not):
            return t_2
        lam = t_2[0]
        return (Noise(Poisson(lam)),)
    if law0 == "negative binomial":
        t = fields(place, ("law", ("r", ("p", ()))), ("r", ("p", ())), v)
        if isinstance(t, Not):
            return t
        l = t[0]
        t_2 = positive_rational(place + ".r", the("r", l))
        if isinstance(t_2, Not):
            return t_2
        r = t_2[0]
        t_3 = below_1(place + ".p", the("p", l))
        if isinstance(t_3, Not):
            return t_3
        p = t_3[0]
        return (Noise(NegativeBinomial(r, p)),)
    if law0 == "discrete Gaussian":
        t = fields(place, ("law", ("variance", ())), ("variance", ()), v)
        if isinstance(t, Not):
            return t
        l = t[0]
        t_2 = positive_rational(place + ".variance", the("variance", l))
        if isinstance(t_2, Not):
            return t_2
        variance = t_2[0]
        return (Bell(Gaussian(variance)),)
    t = fields(place, ("law", ("q", ("bound", ()))), ("q", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = below_1(place + ".q", the("q", l))
    if isinstance(t_2, Not):
        return t_2
    q0 = t_2[0]
    t_3 = value_of("bound", l)
    if t_3 is not None:
        v0 = t_3[0]
        t_4 = integer(place + ".bound", 1, most_of_all, v0)
        if isinstance(t_4, Not):
            return t_4
        bound = t_4[0]
        return (Bell(Bounded(q0, bound)),)
    return (Noise(DiscreteLaplace(q0)),)


def is_pair(v):
    if isinstance(v, Values):
        l = v.l
        if not l:
            return False
        l0 = l[1]
        if not l0:
            return False
        l1 = l0[1]
        if not l1:
            return True
        return False
    return False


def read_law(deep, place, v):
    if deep == 0:
        return Not(Malformed("file", "nesting at most 100 deep"))
    deep0 = deep - 1
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = word(place + ".law", laws, the("law", l))
    if isinstance(t_2, Not):
        return t_2
    law0 = t_2[0]
    at_ = place + ".of"
    if law0 == "finite":
        t_3 = fields(place, ("law", ("p", ())), ("p", ()), v)
        if isinstance(t_3, Not):
            return t_3
        l0 = t_3[0]
        return read_finite(place, the("p", l0))
    if law0 == "mod":
        t_3 = fields(place, ("law", ("by", ("of", ()))), ("by", ("of", ())), v)
        if isinstance(t_3, Not):
            return t_3
        l0 = t_3[0]
        t_4 = integer(place + ".by", 2, longest_modulus, the("by", l0))
        if isinstance(t_4, Not):
            return t_4
        m = t_4[0]
        t_5 = read_law(deep0, at_, the("of", l0))
        if isinstance(t_5, Not):
            return t_5
        one0 = t_5[0]
        return (Mod(m, one0),)
    if (law0 == "sum") or (law0 == "mixture"):
        t_3 = fields(place, ("law", ("of", ())), ("of", ()), v)
        if isinstance(t_3, Not):
            return t_3
        l0 = t_3[0]
        t_4 = values(at_, the("of", l0))
        if isinstance(t_4, Not):
            return t_4
        given = t_4[0]
        if not not_empty(given):
            return Not(Malformed(at_, "a list of laws"))
        if law0 == "sum":
            t_5 = read_onto((lambda x0: read_law(deep0, at_, x0)), given, ())
            if isinstance(t_5, Not):
                return t_5
            all_ = t_5[0]
            return (Sum(all_),)
        if not forallb(is_pair, given):
            return Not(Malformed(at_, "pairs of a weight and a law"))
        def f(v0):
            if isinstance(v0, Values):
                l1 = v0.l
                if not l1:
                    return Not(Malformed(at_, "pairs of a weight and a law"))
                w, l2 = l1
                if not l2:
                    return Not(Malformed(at_, "pairs of a weight and a law"))
                v1, l3 = l2
                if not l3:
                    t_5 = weight(at_, w)
                    if isinstance(t_5, Not):
                        return t_5
                    w0 = t_5[0]
                    t_6 = read_law(deep0, at_, v1)
                    if isinstance(t_6, Not):
                        return t_6
                    one0 = t_6[0]
                    return ((w0, one0),)
                return Not(Malformed(at_, "pairs of a weight and a law"))
            return Not(Malformed(at_, "pairs of a weight and a law"))
        t_5 = read_onto(f, given, ())
        if isinstance(t_5, Not):
            return t_5
        all_ = t_5[0]
        if not sum_to_1(map_((lambda x0: x0[0]), all_)):
            return Not(Malformed(place, "weights that sum to exactly 1"))
        return (Mixture(all_),)
    return read_noise(place, law0, v)
deepest = 100


def law_at0(place, v):
    return read_law(deepest, place, v)
kinds_of_users = ("rows", ("columns", ("one of", ("up to", ("private", ())))))


def first_there(keys, l):
    for _ in budget.steps:
        if not keys:
            return None
        x, keys0 = keys
        if is_there(value_of(x, l)):
            return (x,)
        keys = keys0
    else:
        raise OutOfSteps


def read_seen(place, v):
    t = fields(place, ("users", ("honest", ("take part", ("view", ("each", ("added", ("shown", ()))))))), ("users", ("each", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = integer(place + ".users", 1, most_of_all, the("users", l))
    if isinstance(t_2, Not):
        return t_2
    n0 = t_2[0]
    each_at = place + ".each"
    t_3 = members(each_at, the("each", l))
    if isinstance(t_3, Not):
        return t_3
    each = t_3[0]
    t_4 = first_there(kinds_of_users, each)
    if t_4 is not None:
        kind0 = t_4[0]
        rows = kind0 == "rows"
        if not eqb(is_there(value_of("view", l)), rows):
            return Not(Malformed(place + ".view", "a view of rows, and of nothing else"))
        if not (rows or (not is_there(value_of("take part", l)))):
            return Not(Malformed(place + ".take part", "rows"))
        summed = among_words(kind0, ("columns", ("one of", ("up to", ()))))
        if not (summed or (not is_there(value_of("added", l)))):
            return Not(Malformed(place + ".added", "columns, one of or up to"))
        t_6 = value_of("honest", l)
        if t_6 is not None:
            v0 = t_6[0]
            t_5 = integer(place + ".honest", 1, n0, v0)
        else:
            t_5 = (n0,)
        if isinstance(t_5, Not):
            return t_5
        honest = t_5[0]
        t_8 = value_of("take part", l)
        if t_8 is not None:
            v0_2 = t_8[0]
            t_7 = weight(place + ".take part", v0_2)
        else:
            t_7 = (Qmake(1, 1),)
        if isinstance(t_7, Not):
            return t_7
        part0 = t_7[0]
        if not (summed or (not is_there(value_of("shown", l)))):
            return Not(Malformed(place + ".shown", "columns, one of or up to"))
        if (not rows) and (not (honest == n0)):
            return Not(NoTheorem("honest users who are not all, but of rows"))
        return (Told(kind0, n0, honest, part0, the("view", l), the("each", l), value_of("added", l), value_of("shown", l)),)
    return Not(Malformed(each_at, "one of the keys " + glued(", ", kinds_of_users)))


def is_replacing(a):
    if isinstance(a, Replacing):
        return True
    return False


def is_arriving(a):
    if isinstance(a, Arriving):
        return True
    return False


def read_around(v):
    if isinstance(v, Object):
        return (Deleting(v),)
    t = word("claim.neighbours", ("replace", ("add-remove", ())), v)
    if isinstance(t, Not):
        return t
    w = t[0]
    return ((Replacing() if w == "replace" else Arriving()),)


def read_run(i, v):
    place = th("claim.runs", i)
    t = fields(place, ("seen", ("times", ())), ("seen", ("times", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_seen(place + ".seen", the("seen", l))
    if isinstance(t_2, Not):
        return t_2
    seen = t_2[0]
    t_3 = integer(place + ".times", 1, power(10, 9), the("times", l))
    if isinstance(t_3, Not):
        return t_3
    times0 = t_3[0]
    return ((seen, times0),)


def all_of_kinds(kinds0, runs):
    return forallb((lambda r: among_words(r[0].kind_of, kinds0)), runs)


def read_claim(v):
    t = fields("claim", ("runs", ("data", ("neighbours", ("eps", ("delta", ()))))), ("runs", ("neighbours", ("eps", ("delta", ())))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = values("claim.runs", the("runs", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    t_3 = read_from(0, read_run, given, ())
    if isinstance(t_3, Not):
        return t_3
    runs = t_3[0]
    if not not_empty(runs):
        return Not(Malformed("claim.runs", "a run"))
    several = 1 < fold_left((lambda sum0, r: sum0 + r[1]), runs, 0)
    if not eqb(is_there(value_of("data", l)), several):
        return Not(Malformed("claim.data", "data, just where there are several runs"))
    t_4 = read_around(the("neighbours", l))
    if isinstance(t_4, Not):
        return t_4
    neighbours = t_4[0]
    t_5 = exponent_in("claim.eps", the("eps", l))
    if isinstance(t_5, Not):
        return t_5
    eps = t_5[0]
    t_6 = probability("claim.delta", the("delta", l))
    if isinstance(t_6, Not):
        return t_6
    delta = t_6[0]
    others = is_arriving(neighbours) and all_of_kinds(("one of", ("up to", ("rows", ()))), runs)
    if not ((is_replacing(neighbours) or all_of_kinds(("rows", ()), runs)) or others):
        return Not(Malformed("claim.neighbours", "replace, of columns and of private users"))
    t_7 = value_of("data", l)
    if t_7 is not None:
        v0 = t_7[0]
        t_8 = word("claim.data", ("same", ("any", ())), v0)
        if isinstance(t_8, Not):
            return t_8
        w = t_8[0]
        same = (w == "same",)
        if not runs:
            alone1 = False
        else:
            l0 = runs[1]
            if not l0:
                alone1 = True
            else:
                alone1 = False
        if not (alone1 or is_replacing(neighbours)):
            return Not(Malformed("claim.neighbours", "replace, of several that are seen"))
        return (ToldClaim(runs, same, neighbours, eps, delta),)
    same = None
    if not runs:
        alone1 = False
    else:
        l0 = runs[1]
        if not l0:
            alone1 = True
        else:
            alone1 = False
    if not (alone1 or is_replacing(neighbours)):
        return Not(Malformed("claim.neighbours", "replace, of several that are seen"))
    return (ToldClaim(runs, same, neighbours, eps, delta),)


def read_change(inputs, a):
    if isinstance(a, Replacing):
        return (Replace(),)
    if isinstance(a, Arriving):
        return (AddRemove(),)
    v = a.v
    t = fields("claim.neighbours", ("deletion", ()), ("deletion", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    place = "claim.neighbours.deletion"
    t_2 = members(place, the("deletion", l))
    if isinstance(t_2, Not):
        return t_2
    l0 = t_2[0]
    def f(o):
        t_3 = known_at(place, inputs, o[0])
        if isinstance(t_3, Not):
            return t_3
        x = t_3[0]
        t_4 = weight(place, o[1])
        if isinstance(t_4, Not):
            return t_4
        w = t_4[0]
        return ((x, w),)
    t_3 = read_onto(f, l0, ())
    if isinstance(t_3, Not):
        return t_3
    weights = t_3[0]
    if not sum_to_1(map_((lambda x0: x0[1]), weights)):
        return Not(Malformed(place, "weights that sum to exactly 1"))
    return (Deletion(weights),)


def names_of(t7):
    return Names(t7.input_names.in_turn, t7.message_names.in_turn)


def is_shuffled(c):
    t = c.shown_as
    if isinstance(t, Shuffled):
        return True
    return False


def read_view(v):
    t = word("claim.view", ("shuffled", ("preshuffle", ("local", ()))), v)
    if isinstance(t, Not):
        return t
    w = t[0]
    return ((Shuffled() if w == "shuffled" else (Local() if w == "local" else Preshuffle())),)


def read_crowd(seen, a, eps, delta):
    t = fields("claim.each", ("rows", ()), ("rows", ()), seen.each_told)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_table("claim.rows", the("rows", l))
    if isinstance(t_2, Not):
        return t_2
    table0 = t_2[0]
    t_3 = read_view(seen.view_told)
    if isinstance(t_3, Not):
        return t_3
    view0 = t_3[0]
    t_4 = read_change(table0.input_names, a)
    if isinstance(t_4, Not):
        return t_4
    change0 = t_4[0]
    return ((Crowd(table0.rows_of, seen.part_told, change0, view0, seen.users_told, max(seen.honest_told, 0), eps, delta), table0),)


def read_option(f, v):
    if v is not None:
        v0 = v[0]
        t = f(v0)
        if isinstance(t, Not):
            return t
        found_ = t[0]
        return ((found_,),)
    return (None,)


def read_number(seen, a, eps, delta):
    t = fields("claim.each", ("up to", ("plus", ())), ("up to", ()), seen.each_told)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = integer("claim.up to", 1, power(10, 6), the("up to", l))
    if isinstance(t_2, Not):
        return t_2
    size0 = t_2[0]
    a0 = "claim.law"
    t_3 = read_option((lambda x0: law_at0(a0, x0)), value_of("plus", l))
    if isinstance(t_3, Not):
        return t_3
    plus0 = t_3[0]
    a0_2 = "claim.law"
    t_4 = read_option((lambda x0: law_at0(a0_2, x0)), seen.added_told)
    if isinstance(t_4, Not):
        return t_4
    added0 = t_4[0]
    def f(v):
        t_5 = fields("claim.shown", ("mod", ()), ("mod", ()), v)
        if isinstance(t_5, Not):
            return t_5
        l0 = t_5[0]
        return integer("claim.shown", 2, longest_modulus, the("mod", l0))
    t_5 = read_option(f, seen.shown_told)
    if isinstance(t_5, Not):
        return t_5
    modulus = t_5[0]
    return (Number(size0, plus0, added0, modulus, is_arriving(a), max(seen.users_told, 0), eps, delta),)


def read_from_where(v):
    def f(v0):
        t = fields("claim.shown", ("from", ()), ("from", ()), v0)
        if isinstance(t, Not):
            return t
        l = t[0]
        return integer("claim.shown", 1, most_of_all, the("from", l))
    return read_option(f, v)


def told_apart(v):
    return (glued("", rev_append(spelled_onto(v, ()), ())), v)


def laws_named(given):
    return numbered(map_((lambda x0: x0[0]), given))


def read_laws(given):
    first_ones = table_from(given)
    def f(s):
        t_2 = look_up(first_ones, s)
        if t_2 is not None:
            v = t_2[0]
            t = v
        else:
            t = None
        return law_at0("claim.law", t)
    return read_onto(f, laws_named(given).in_turn, ())


def is_nothing(l):
    if isinstance(l, Finite):
        p = l.p
        if not p:
            return False
        (k, w), l0 = p
        if not l0:
            return (k == 0) and (w.qnum == w.qden)
        return False
    return False


def place_in0(names0, o):
    return number_in(names0, o[0])


def read_one_of(seen, a, eps, delta):
    t = fields("claim.each", ("one of", ("held", ("other", ()))), ("one of", ("held", ("other", ()))), seen.each_told)
    if isinstance(t, Not):
        return t
    l = t[0]
    many = the("one of", l)
    if type(many) is str:
        any_number = many == "any number"
    else:
        any_number = False
    if any_number:
        size0 = None
        if size0 is not None:
            d = size0[0]
            only_two = d == 2
        else:
            only_two = False
        comes = is_arriving(a)
        if comes:
            inputs = ("a", ("other", ()))
        else:
            if only_two:
                inputs = ("a", ("b", ()))
            else:
                inputs = ("a", ("b", ("other", ())))
        held0 = told_apart(the("held", l))
        others = told_apart(the("other", l))
        added0 = option_map(told_apart, seen.added_told)
        if added0 is not None:
            o = added0[0]
            t_2 = (o, ())
        else:
            t_2 = ()
        given = (held0, (others, t_2))
        t_3 = read_laws(given)
        if isinstance(t_3, Not):
            return t_3
        laws0 = t_3[0]
        t_4 = law_at0("claim.other", the("other", l))
        if isinstance(t_4, Not):
            return t_4
        other = t_4[0]
        if comes and (not is_nothing(other)):
            return Not(NoTheorem("users who come or go and bring something to columns that are not theirs"))
        t_5 = read_from_where(seen.shown_told)
        if isinstance(t_5, Not):
            return t_5
        least = t_5[0]
        a0 = laws_named(given)
        place = (lambda x0: place_in0(a0, x0))
        return (Wide(Columns(laws0, OneOf(place(held0), place(others)), option_map(place, added0), max(seen.users_told, 0), least, comes, eps, delta), size0, numbered(inputs), not comes),)
    t_2 = integer("claim.one of", 2, most_of_all, many)
    if isinstance(t_2, Not):
        return t_2
    d = t_2[0]
    size0 = (d,)
    if size0 is not None:
        d0 = size0[0]
        only_two = d0 == 2
    else:
        only_two = False
    comes = is_arriving(a)
    if comes:
        inputs = ("a", ("other", ()))
    else:
        if only_two:
            inputs = ("a", ("b", ()))
        else:
            inputs = ("a", ("b", ("other", ())))
    held0 = told_apart(the("held", l))
    others = told_apart(the("other", l))
    added0 = option_map(told_apart, seen.added_told)
    if added0 is not None:
        o = added0[0]
        t_3 = (o, ())
    else:
        t_3 = ()
    given = (held0, (others, t_3))
    t_4 = read_laws(given)
    if isinstance(t_4, Not):
        return t_4
    laws0 = t_4[0]
    t_5 = law_at0("claim.other", the("other", l))
    if isinstance(t_5, Not):
        return t_5
    other = t_5[0]
    if comes and (not is_nothing(other)):
        return Not(NoTheorem("users who come or go and bring something to columns that are not theirs"))
    t_6 = read_from_where(seen.shown_told)
    if isinstance(t_6, Not):
        return t_6
    least = t_6[0]
    a0 = laws_named(given)
    place = (lambda x0: place_in0(a0, x0))
    return (Wide(Columns(laws0, OneOf(place(held0), place(others)), option_map(place, added0), max(seen.users_told, 0), least, comes, eps, delta), size0, numbered(inputs), not comes),)


def read_listed(seen, eps, delta):
    t = fields("claim.each", ("columns", ()), ("columns", ()), seen.each_told)
    if isinstance(t, Not):
        return t
    l = t[0]
    at_ = "claim.columns"
    t_2 = members(at_, the("columns", l))
    if isinstance(t_2, Not):
        return t_2
    l0 = t_2[0]
    def f(o):
        t_3 = label_at(at_, o[0])
        if isinstance(t_3, Not):
            return t_3
        x = t_3[0]
        t_4 = values(at_, o[1])
        if isinstance(t_4, Not):
            return t_4
        laws0 = t_4[0]
        return ((x, map_(told_apart, laws0)),)
    t_3 = read_onto(f, l0, ())
    if isinstance(t_3, Not):
        return t_3
    table0 = t_3[0]
    if not table0:
        many = 0
    else:
        r = table0[0]
        many = length(r[1])
    if not ((0 < many) and forallb((lambda r_2: length(r_2[1]) == many), table0)):
        return Not(Malformed(at_, "inputs of equally many columns"))
    added0 = option_map(told_apart, seen.added_told)
    if added0 is not None:
        o = added0[0]
        t_4 = (o, ())
    else:
        t_4 = ()
    given = app(flat_map((lambda x0: x0[1]), table0), t_4)
    t_5 = read_laws(given)
    if isinstance(t_5, Not):
        return t_5
    laws0 = t_5[0]
    t_6 = read_from_where(seen.shown_told)
    if isinstance(t_6, Not):
        return t_6
    least = t_6[0]
    a0 = laws_named(given)
    place = (lambda x0: place_in0(a0, x0))
    return (Wide(Columns(laws0, Table(map_((lambda r_2: map_(place, r_2[1])), table0)), option_map(place, added0), max(seen.users_told, 0), least, False, eps, delta), None, numbered(map_((lambda x0: x0[0]), table0)), False),)


def read_columns(seen, a, eps, delta):
    if seen.kind_of == "one of":
        return read_one_of(seen, a, eps, delta)
    return read_listed(seen, eps, delta)


def read_grid(place, keys, v):
    t = fields(place, keys, ("step", ("cells", ("tilt", ()))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = positive_rational(place + ".step", the("step", l))
    if isinstance(t_2, Not):
        return t_2
    step0 = t_2[0]
    t_3 = rational(place + ".tilt", the("tilt", l))
    if isinstance(t_3, Not):
        return t_3
    tilt = t_3[0]
    if not (tilt.qden < tilt.qnum):
        return Not(Malformed(place + ".tilt", "more than 1"))
    t_4 = integer(place + ".cells", 1, most_cells, the("cells", l))
    if isinstance(t_4, Not):
        return t_4
    cells = t_4[0]
    a0 = place + ".above"
    a1 = 1
    t_5 = read_option((lambda x0: integer(a0, a1, most_cells, x0)), value_of("above", l))
    if isinstance(t_5, Not):
        return t_5
    above = t_5[0]
    return (Grid(step0, cells, above),)


def read_block(place, inputs, v):
    t = fields(place, ("users", ("open", ("place", ("grid", ())))), ("users", ("open", ("place", ()))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = multiset(place + ".users", inputs, the("users", l))
    if isinstance(t_2, Not):
        return t_2
    users = t_2[0]
    t_3 = integer(place + ".open", 0, most_of_all, the("open", l))
    if isinstance(t_3, Not):
        return t_3
    left_open = t_3[0]
    at_ = place + ".place"
    t_4 = the("place", l)
    if t_4 is None:
        spot = None
        if spot is not None:
            x = spot[0]
            t_5 = existsb((lambda o: o[0] == x), users)
        else:
            t_5 = 0 < left_open
        if not t_5:
            return Not(Malformed(at_, "who is in the block"))
        a0 = place + ".grid"
        a1 = ("step", ("cells", ("tilt", ("above", ()))))
        t_6 = read_option((lambda x0: read_grid(a0, a1, x0)), value_of("grid", l))
        if isinstance(t_6, Not):
            return t_6
        grid0 = t_6[0]
        return (Block(users, left_open, spot, grid0),)
    if type(t_4) is bool:
        t_5 = known(at_, inputs, t_4)
        if isinstance(t_5, Not):
            return t_5
        x = t_5[0]
        spot = (x,)
        if spot is not None:
            x0 = spot[0]
            t_6 = existsb((lambda o: o[0] == x0), users)
        else:
            t_6 = 0 < left_open
        if not t_6:
            return Not(Malformed(at_, "who is in the block"))
        a0 = place + ".grid"
        a1 = ("step", ("cells", ("tilt", ("above", ()))))
        t_7 = read_option((lambda x0_2: read_grid(a0, a1, x0_2)), value_of("grid", l))
        if isinstance(t_7, Not):
            return t_7
        grid0 = t_7[0]
        return (Block(users, left_open, spot, grid0),)
    t_5 = known(at_, inputs, t_4)
    if isinstance(t_5, Not):
        return t_5
    x0 = t_5[0]
    spot = (x0,)
    if spot is not None:
        x1 = spot[0]
        t_6 = existsb((lambda o: o[0] == x1), users)
    else:
        t_6 = 0 < left_open
    if not t_6:
        return Not(Malformed(at_, "who is in the block"))
    a0 = place + ".grid"
    a1 = ("step", ("cells", ("tilt", ("above", ()))))
    t_7 = read_option((lambda x0_2: read_grid(a0, a1, x0_2)), value_of("grid", l))
    if isinstance(t_7, Not):
        return t_7
    grid0 = t_7[0]
    return (Block(users, left_open, spot, grid0),)


def read_nodes(place, inputs, blocks, left, l, found_):
    for _ in budget.steps:
        if not l:
            if left == 0:
                return (rev_append(found_, ()),)
            return Not(Malformed(place, "one whole tree"))
        v, l0 = l
        if left <= 0:
            return Not(Malformed(place, "one whole tree"))
        if isinstance(v, Values):
            l1 = v.l
            if not l1:
                return Not(Malformed(place, "a cut [LABEL, most]"))
            x, l2 = l1
            if not l2:
                return Not(Malformed(place, "a cut [LABEL, most]"))
            most, l3 = l2
            if not l3:
                t = known(place, inputs, x)
                if isinstance(t, Not):
                    return t
                x0 = t[0]
                t_2 = integer(place, 0, most_of_all, most)
                if isinstance(t_2, Not):
                    return t_2
                most0 = t_2[0]
                left, l, found_ = left + 1, l0, (Cut(x0, most0), found_)
                continue
            return Not(Malformed(place, "a cut [LABEL, most]"))
        if isinstance(v, Object):
            if not blocks:
                return Not(Malformed(place, "a block in the shuffled view only"))
            t = read_block(place, inputs, v)
            if isinstance(t, Not):
                return t
            b = t[0]
            left, l, found_ = left - 1, l0, (AsBlock(b), found_)
            continue
        t = word(place, ("each", ("corner", ())), v)
        if isinstance(t, Not):
            return t
        w = t[0]
        left, l, found_ = left - 1, l0, ((AsEach() if w == "each" else AsCorner()), found_)
    else:
        raise OutOfSteps


def read_tree(place, inputs, blocks, v):
    t = values(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    return read_nodes(place, inputs, blocks, 1, l, ())


def ends_spelled(start1, goal):
    return str(start1) + ("," + str(goal))


def every_pair_once(many, good0, l):
    return ((length(l) == many) and forallb((lambda o: good0(o.goes_from, o.goes_to)), l)) and all_differ(map_((lambda o: ends_spelled(o.goes_from, o.goes_to)), l))


def surely(law0, sent):
    return forallb((lambda o: forallb((lambda mk: mk[1] <= fold_left((lambda n0, m: (n0 + 1 if m == mk[0] else n0)), o[0], 0)), sent)), law0)


def read_known(c, t7, v):
    place = "because.known"
    if v is not None:
        v0 = v[0]
        t = members(place, v0)
    else:
        t = ((),)
    if isinstance(t, Not):
        return t
    l = t[0]
    laws0 = laws_of(c)
    of_input = table_from(combine(t7.input_names.in_turn, laws0))
    def f(o):
        t_2 = known_at(place, t7.input_names, o[0])
        if isinstance(t_2, Not):
            return t_2
        t_3 = multiset(place, t7.message_names, o[1])
        if isinstance(t_3, Not):
            return t_3
        sent = t_3[0]
        t_5 = look_up(of_input, o[0])
        if t_5 is not None:
            law0 = t_5[0]
            t_4 = surely(law0, sent)
        else:
            t_4 = True
        if not t_4:
            return Not(Malformed(place, "what is always sent"))
        return ((o[0], sent),)
    t_2 = read_onto(f, l, ())
    if isinstance(t_2, Not):
        return t_2
    sent = t_2[0]
    by_label = table_from(sent)
    def f_2(x):
        t_3 = look_up(by_label, x)
        if t_3 is not None:
            sent0 = t_3[0]
            return sent0
        return ()
    sure = map_(f_2, t7.input_names.in_turn)
    return (app(sure, map_((lambda __: ()), skipn(length(sure), laws0))),)


def moved(r, x):
    t = look_up(r.moved_to, str(x))
    if t is not None:
        y = t[0]
        return y
    return x


def read_permutation(place, names0, v):
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    def f(o):
        t_2 = known_at(place, names0, o[0])
        if isinstance(t_2, Not):
            return t_2
        x = t_2[0]
        t_3 = known(place, names0, o[1])
        if isinstance(t_3, Not):
            return t_3
        y = t_3[0]
        return ((x, y),)
    t_2 = read_onto(f, l, ())
    if isinstance(t_2, Not):
        return t_2
    moves = t_2[0]
    goals = map_((lambda m: str(m[1])), moves)
    starts = table_from(map_((lambda m: (str(m[0]), Tt())), moves))
    if not (all_differ(goals) and forallb((lambda y: is_there(look_up(starts, y))), goals)):
        return Not(Malformed(place, "a permutation of its keys"))
    return (moves,)


def read_renaming(t7, v):
    place = "because.renamings"
    t = fields(place, ("inputs", ("messages", ())), ("inputs", ("messages", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_permutation(place + ".inputs", t7.input_names, the("inputs", l))
    if isinstance(t_2, Not):
        return t_2
    s = t_2[0]
    t_3 = read_permutation(place + ".messages", t7.message_names, the("messages", l))
    if isinstance(t_3, Not):
        return t_3
    t8 = t_3[0]
    return (Renaming(s, table_from(map_((lambda m: (str(m[0]), m[1])), s)), t8),)


def renamed_node(r, n0):
    if isinstance(n0, Cut):
        x, most = n0
        return Cut(moved(r, x), most)
    if isinstance(n0, AsBlock):
        b = n0.b
        return AsBlock(Block(map_((lambda o: (moved(r, o[0]), o[1])), b.block_users), b.block_open, option_map((lambda x0: moved(r, x0)), b.block_place), b.block_grid))
    return n0


def read_end(place, c, t7, v):
    if v is None:
        t = c.changes
        if isinstance(t, Replace):
            return known(place, t7.input_names, v)
        return (length(t7.input_names.in_turn),)
    return known(place, t7.input_names, v)


def moves_there(c):
    a0 = c.changes
    a1 = length(c.each)
    return (lambda x0, x1: moves_so(a0, a1, x0, x1))


def by_numbers(l):
    return table_from(combine(map_(number_of_it, seq(0, length(l))), l))


def read_written(c, t7, renamings, i, v):
    place = th("because.pairs", i)
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    linked = is_there(value_of("same as", l))
    if linked:
        keys = ("from", ("to", ("same as", ("by", ()))))
    else:
        keys = ("from", ("to", ("tree", ("up to", ()))))
    t_2 = fields(place, keys, (keys if linked else ("from", ("to", ("tree", ())))), v)
    if isinstance(t_2, Not):
        return t_2
    l0 = t_2[0]
    t_3 = read_end(place + ".from", c, t7, the("from", l0))
    if isinstance(t_3, Not):
        return t_3
    a = t_3[0]
    t_4 = read_end(place + ".to", c, t7, the("to", l0))
    if isinstance(t_4, Not):
        return t_4
    b = t_4[0]
    if linked:
        t_5 = integer(place + ".same as", 0, most_of_all, the("same as", l0))
        if isinstance(t_5, Not):
            return t_5
        j = t_5[0]
        t_6 = integer(place + ".by", 0, most_of_all, the("by", l0))
        if isinstance(t_6, Not):
            return t_6
        k = t_6[0]
        return (Again(a, b, j, k),)
    t_5 = read_tree(place + ".tree", t7.input_names, is_shuffled(c), the("tree", l0))
    if isinstance(t_5, Not):
        return t_5
    tree1 = t_5[0]
    at_ = place + ".up to"
    t_7 = value_of("up to", l0)
    if t_7 is not None:
        v0 = t_7[0]
        t_6 = values(at_, v0)
    else:
        t_6 = ((),)
    if isinstance(t_6, Not):
        return t_6
    up_to = t_6[0]
    def f(v0_2):
        t_8 = integer(at_, 0, most_of_all, v0_2)
        if isinstance(t_8, Not):
            return t_8
        k = t_8[0]
        t_9 = look_up(renamings, str(k))
        if t_9 is not None:
            r = t_9[0]
            if (moved(r, a) == a) and (moved(r, b) == b):
                return (Tt(),)
            return Not(Malformed(at_, "renamings that leave from and to"))
        return Not(Malformed(at_, "renamings that are listed"))
    t_8 = read_onto(f, up_to, ())
    if isinstance(t_8, Not):
        return t_8
    return (Own(Entry(a, b, tree1)),)


def read_again(all_, renamings, i, w):
    place = th("because.pairs", i)
    if isinstance(w, Own):
        e = w.e
        return (e,)
    a, b, j, k = w
    t = (look_up(all_, str(j)) if j < i else None)
    if t is not None:
        w0 = t[0]
        if isinstance(w0, Own):
            e = w0.e
            t_2 = look_up(renamings, str(k))
            if t_2 is not None:
                r = t_2[0]
                if (moved(r, e.goes_from) == a) and (moved(r, e.goes_to) == b):
                    return (Entry(a, b, map_((lambda x0: renamed_node(r, x0)), e.nodes)),)
                return Not(Malformed(place, "a pair that the renaming moves to it"))
            return Not(Malformed(place, "an entry before it, by a renaming"))
        t_2 = look_up(renamings, str(k))
        if t_2 is not None:
            return Not(Malformed(place, "a pair that the renaming moves to it"))
        return Not(Malformed(place, "an entry before it, by a renaming"))
    return Not(Malformed(place, "an entry before it, by a renaming"))


def all_each(e):
    t = e.nodes
    if not t:
        return False
    n0, l = t
    if isinstance(n0, AsEach):
        if not l:
            return True
        return False
    return False


def read_rows_kept(c, t7, v):
    t = fields("because", ("renamings", ("known", ("pairs", ()))), ("pairs", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_known(c, t7, value_of("known", l))
    if isinstance(t_2, Not):
        return t_2
    sure = t_2[0]
    t_4 = value_of("renamings", l)
    if t_4 is not None:
        v0 = t_4[0]
        t_3 = values("because.renamings", v0)
    else:
        t_3 = ((),)
    if isinstance(t_3, Not):
        return t_3
    given = t_3[0]
    t_5 = read_onto((lambda x0: read_renaming(t7, x0)), given, ())
    if isinstance(t_5, Not):
        return t_5
    renamings = t_5[0]
    by_number = by_numbers(renamings)
    t_6 = values("because.pairs", the("pairs", l))
    if isinstance(t_6, Not):
        return t_6
    given0 = t_6[0]
    t_7 = read_from(0, (lambda x0, x1: read_written(c, t7, by_number, x0, x1)), given0, ())
    if isinstance(t_7, Not):
        return t_7
    all_ = t_7[0]
    a0 = by_numbers(all_)
    t_8 = read_from(0, (lambda x0, x1: read_again(a0, by_number, x0, x1)), all_, ())
    if isinstance(t_8, Not):
        return t_8
    entries = t_8[0]
    replaced0 = replaced(c)
    m = length(c.each)
    if not every_pair_once((m * (m - 1) if replaced0 else 2 * m), moves_there(c), entries):
        return Not(Malformed("because.pairs", "every ordered pair, once"))
    if replaced0 and ((not is_shuffled(c)) or forallb(all_each, entries)):
        t_9 = EachPair()
    else:
        t_9 = ByEntries(sure, entries)
    return (RowsKept(c, map_((lambda r: Symmetry(r.moves_of_inputs, r.moves_of_messages)), renamings), t_9, names_of(t7)),)


def read_others(inputs, users, v):
    place = "because.pair.others"
    t = multiset(place, inputs, v)
    if isinstance(t, Not):
        return t
    counts = t[0]
    if not (fold_left((lambda sum0, o: sum0 + o[1]), counts, 0) == (users - 1)):
        return Not(Malformed(place, "honest - 1 inputs"))
    return (counts,)


def read_pair(c, t7, v):
    place = "because.pair"
    shuffled = is_shuffled(c)
    if shuffled:
        keys = ("from", ("to", ("others", ())))
    else:
        keys = ("from", ("to", ()))
    t = fields(place, keys, keys, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_end(place + ".from", c, t7, the("from", l))
    if isinstance(t_2, Not):
        return t_2
    a = t_2[0]
    t_3 = read_end(place + ".to", c, t7, the("to", l))
    if isinstance(t_3, Not):
        return t_3
    b = t_3[0]
    if not moves_there(c)(a, b):
        return Not(Malformed(place + ".to", "another input than from, or that nobody is there"))
    t_4 = (read_others(t7.input_names, c.honest, the("others", l)) if shuffled else ((),))
    if isinstance(t_4, Not):
        return t_4
    counts = t_4[0]
    return (PairTold(a, b, counts),)


def read_threshold(t7, v):
    t = fields("because.event", ("weights", ("above", ())), ("weights", ("above", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    place = "because.event.weights"
    t_2 = members(place, the("weights", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    def f(o):
        t_3 = known_at(place, t7.message_names, o[0])
        if isinstance(t_3, Not):
            return t_3
        t_4 = signed(place, o[1])
        if isinstance(t_4, Not):
            return t_4
        w = t_4[0]
        return ((o[0], w),)
    t_3 = read_onto(f, given, ())
    if isinstance(t_3, Not):
        return t_3
    found_ = t_3[0]
    by_label = table_from(found_)
    t_4 = signed("because.event.above", the("above", l))
    if isinstance(t_4, Not):
        return t_4
    above = t_4[0]
    def f_2(x):
        t_5 = look_up(by_label, x)
        if t_5 is not None:
            w = t_5[0]
            return w
        return 0
    return (Threshold(map_(f_2, t7.message_names.in_turn), above),)


def in_turns(counts):
    return map_((lambda o: (max(o[0], 0), o[1])), normal(map_((lambda o: (o[0], o[1])), counts)))


def read_outcome(local, t7, v):
    place = "because.event"
    if local:
        t = values(place, v)
        if isinstance(t, Not):
            return t
        l = t[0]
        a1 = t7.message_names
        t_2 = read_onto((lambda x0: known(place, a1, x0)), l, ())
        if isinstance(t_2, Not):
            return t_2
        sent = t_2[0]
        return (Tuple(sent),)
    t = multiset(place, t7.message_names, v)
    if isinstance(t, Not):
        return t
    counts = t[0]
    return (Counts(in_turns(counts)),)


def outcome_spelled(o):
    if isinstance(o, Counts):
        counts = o.m
        return glued(",", map_((lambda o0: str(o0[0]) + (":" + str(o0[1]))), counts))
    sent = o.s
    return spelled_numbers(sent)


def read_gap(c, t7, v):
    place = "because.event"
    if v is not None:
        v0 = v[0]
        t = members(place, v0)
        if isinstance(t, Not):
            return t
        e = t[0]
        if is_there(value_of("outcomes", e)):
            t_2 = fields(place, ("outcomes", ()), ("outcomes", ()), v0)
            if isinstance(t_2, Not):
                return t_2
            e0 = t_2[0]
            t_3 = values(place, the("outcomes", e0))
            if isinstance(t_3, Not):
                return t_3
            given = t_3[0]
            t_4 = c.shown_as
            if isinstance(t_4, Local):
                local = True
            else:
                local = False
            t_5 = read_onto((lambda x0: read_outcome(local, t7, x0)), given, ())
            if isinstance(t_5, Not):
                return t_5
            found_ = t_5[0]
            if not all_differ(map_(outcome_spelled, found_)):
                return Not(Malformed(place, "outcomes that differ"))
            return (OnOutcomes(found_),)
        t_2 = read_threshold(t7, v0)
        if isinstance(t_2, Not):
            return t_2
        threshold0 = t_2[0]
        t_3 = c.shown_as
        if isinstance(t_3, Shuffled):
            return (OnThreshold(threshold0),)
        return Not(Malformed(place, "outcomes, outside the shuffled view"))
    return (OnBestEvent(),)


def read_rows_broken(c, t7, v):
    t = fields("because", ("pair", ("event", ())), ("pair", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_pair(c, t7, the("pair", l))
    if isinstance(t_2, Not):
        return t_2
    p = t_2[0]
    t_3 = read_gap(c, t7, value_of("event", l))
    if isinstance(t_3, Not):
        return t_3
    gap = t_3[0]
    return (RowsBroken(c, p, gap, names_of(t7)),)


def read_rows(seen, a, eps, delta, proved, v):
    t = read_crowd(seen, a, eps, delta)
    if isinstance(t, Not):
        return t
    ct = t[0]
    if proved:
        t_2 = read_rows_kept(ct[0], ct[1], v)
        if isinstance(t_2, Not):
            return t_2
        k = t_2[0]
        return (KeptByRows(k),)
    t_2 = read_rows_broken(ct[0], ct[1], v)
    if isinstance(t_2, Not):
        return t_2
    k = t_2[0]
    return (BrokenByRows(k),)


def read_private(seen):
    t = fields("claim.each", ("private", ()), ("private", ()), seen.each_told)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = values("claim.private", the("private", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    if not given:
        return Not(Malformed("claim.private", "EPS, RATIONAL"))
    local, l0 = given
    if not l0:
        return Not(Malformed("claim.private", "EPS, RATIONAL"))
    share, l1 = l0
    if not l1:
        t_3 = exponent_in("claim.private", local)
        if isinstance(t_3, Not):
            return t_3
        local0 = t_3[0]
        t_4 = probability("claim.private", share)
        if isinstance(t_4, Not):
            return t_4
        share0 = t_4[0]
        return ((local0, share0),)
    return Not(Malformed("claim.private", "EPS, RATIONAL"))


def read_any(seen, eps, delta, v):
    t = read_private(seen)
    if isinstance(t, Not):
        return t
    private = t[0]
    t_2 = fields("because", ("grid", ()), ("grid", ()), v)
    if isinstance(t_2, Not):
        return t_2
    l = t_2[0]
    t_3 = read_grid("because.grid", ("step", ("cells", ("tilt", ()))), the("grid", l))
    if isinstance(t_3, Not):
        return t_3
    grid0 = t_3[0]
    return (((AnyClaim(private[0], private[1], to_pos(seen.users_told), eps, delta), grid0.grid_by), grid0.grid_cells),)


def read_any_broken(seen, eps, delta, v):
    t = read_private(seen)
    if isinstance(t, Not):
        return t
    private = t[0]
    t_2 = fields("because", ("rows", ("pair", ("event", ()))), ("rows", ("pair", ())), v)
    if isinstance(t_2, Not):
        return t_2
    l = t_2[0]
    t_3 = read_table("because.rows", the("rows", l))
    if isinstance(t_3, Not):
        return t_3
    t7 = t_3[0]
    n0 = seen.users_told
    c = Crowd(t7.rows_of, Qmake(1, 1), Replace(), Shuffled(), n0, max(n0, 0), eps, delta)
    t_4 = read_pair(c, t7, the("pair", l))
    if isinstance(t_4, Not):
        return t_4
    p = t_4[0]
    beyond0 = Not(NoTheorem("any randomizer, refuted by more than a threshold"))
    t_5 = value_of("event", l)
    if t_5 is not None:
        v0 = t_5[0]
        t_6 = members("because.event", v0)
        if isinstance(t_6, Not):
            return t_6
        e = t_6[0]
        if is_there(value_of("outcomes", e)):
            return beyond0
        t_7 = read_threshold(t7, v0)
        if isinstance(t_7, Not):
            return t_7
        threshold0 = t_7[0]
        return (BrokenByOne(private[0], private[1], c, p, threshold0, names_of(t7)),)
    return beyond0


def read_held(comes, v):
    if v is None:
        if comes:
            return (None,)
        t = text("because.pair", v)
        if isinstance(t, Not):
            return t
        return (None,)
    t = signed("because.pair", v)
    if isinstance(t, Not):
        return t
    k = t[0]
    return ((k,),)


def read_ends(c, v):
    place = "because.pair"
    t = fields(place, ("from", ("to", ())), ("from", ("to", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_held(c.arrives, the("from", l))
    if isinstance(t_2, Not):
        return t_2
    x = t_2[0]
    t_3 = read_held(c.arrives, the("to", l))
    if isinstance(t_3, Not):
        return t_3
    y = t_3[0]
    def inside0(o):
        if o is not None:
            k = o[0]
            return (0 <= k) and (k <= c.largest)
        return True
    if x is not None:
        j = x[0]
        if y is not None:
            k = y[0]
            apart = (not c.arrives) and (not (j == k))
        else:
            apart = c.arrives
    else:
        if y is not None:
            apart = c.arrives
        else:
            apart = False
    if not ((inside0(x) and inside0(y)) and apart):
        return Not(Malformed(place, "neighbours"))
    return ((x, y),)


def read_column_end(place, w, v):
    comes = w.of_columns_said.arriving
    if v is None:
        if comes:
            return (1,)
        return known(place, w.columns_inputs, v)
    if type(v) is str:
        if not ((not comes) or (v == "a")):
            return Not(Malformed(place, "a or null"))
        return known_at(place, w.columns_inputs, v)
    if comes:
        return Not(Malformed(place, "a or null"))
    return known(place, w.columns_inputs, v)


def read_column_entry(w, i, v):
    place = th("because.pairs", i)
    t = fields(place, ("from", ("to", ("tree", ()))), ("from", ("to", ("tree", ()))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_column_end(place, w, the("from", l))
    if isinstance(t_2, Not):
        return t_2
    a = t_2[0]
    t_3 = read_column_end(place, w, the("to", l))
    if isinstance(t_3, Not):
        return t_3
    b = t_3[0]
    t_4 = read_tree(place + ".tree", w.columns_inputs, False, the("tree", l))
    if isinstance(t_4, Not):
        return t_4
    tree1 = t_4[0]
    return (Entry(a, b, tree1),)


def read_column_entries(w, v):
    t = fields("because", ("pairs", ()), ("pairs", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = values("because.pairs", the("pairs", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    t_3 = read_from(0, (lambda x0, x1: read_column_entry(w, x0, x1)), given, ())
    if isinstance(t_3, Not):
        return t_3
    entries = t_3[0]
    m = length(w.columns_inputs.in_turn)
    good0 = (lambda a, b: ((a == 0) and (b == 1) if w.first_pair_alone else not (a == b)))
    if not every_pair_once((1 if w.first_pair_alone else m * (m - 1)), good0, entries):
        return Not(Malformed("because.pairs", "every ordered pair, once"))
    return (entries,)


def read_column_pair(w, v):
    place = "because.pair"
    t = fields(place, ("from", ("to", ("others", ()))), ("from", ("to", ("others", ()))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = read_column_end(place, w, the("from", l))
    if isinstance(t_2, Not):
        return t_2
    a = t_2[0]
    t_3 = read_column_end(place, w, the("to", l))
    if isinstance(t_3, Not):
        return t_3
    b = t_3[0]
    if not (not (a == b)):
        return Not(Malformed(place, "neighbours"))
    t_4 = read_others(w.columns_inputs, w.of_columns_said.column_users, the("others", l))
    if isinstance(t_4, Not):
        return t_4
    counts = t_4[0]
    return (PairTold(a, b, counts),)


def pair_alone(place, v):
    t = fields(place, ("pair", ()), ("pair", ()), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    return (the("pair", l),)


def read_numbered_kept(seen, a, eps, delta, v):
    if seen.kind_of == "up to":
        t = read_number(seen, a, eps, delta)
        if isinstance(t, Not):
            return t
        c = t[0]
        t_2 = fields("because", (), (), v)
        if isinstance(t_2, Not):
            return t_2
        return (NumberKept(c),)
    t = read_columns(seen, a, eps, delta)
    if isinstance(t, Not):
        return t
    w = t[0]
    t_2 = read_column_entries(w, v)
    if isinstance(t_2, Not):
        return t_2
    entries = t_2[0]
    return (ColumnsKept(w, entries),)


def read_numbered(seen, a, eps, delta, proved, v):
    if proved:
        t = read_numbered_kept(seen, a, eps, delta, v)
        if isinstance(t, Not):
            return t
        k = t[0]
        if isinstance(k, NumberKept):
            c = k.c
            t_2 = KeptByNumber(c)
        else:
            w, entries = k
            t_2 = KeptByColumns(w, entries)
        return (t_2,)
    if seen.kind_of == "up to":
        t = read_number(seen, a, eps, delta)
        if isinstance(t, Not):
            return t
        c = t[0]
        t_2 = pair_alone("because", v)
        if isinstance(t_2, Not):
            return t_2
        v0 = t_2[0]
        t_3 = read_ends(c, v0)
        if isinstance(t_3, Not):
            return t_3
        ends0 = t_3[0]
        return (BrokenByNumber(c, ends0[0], ends0[1]),)
    t = read_columns(seen, a, eps, delta)
    if isinstance(t, Not):
        return t
    w = t[0]
    t_2 = pair_alone("because", v)
    if isinstance(t_2, Not):
        return t_2
    v0 = t_2[0]
    t_3 = read_column_pair(w, v0)
    if isinstance(t_3, Not):
        return t_3
    p = t_3[0]
    return (BrokenByColumns(w, p),)
no_eps = Log(Qmake(1, 1))


def read_point(place, v):
    t = values(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    if not l:
        return Not(Malformed(place, "[t, d, PROOF]"))
    t7, l0 = l
    if not l0:
        return Not(Malformed(place, "[t, d, PROOF]"))
    d, l1 = l0
    if not l1:
        return Not(Malformed(place, "[t, d, PROOF]"))
    proof, l2 = l1
    if not l2:
        t_2 = rational(place, t7)
        if isinstance(t_2, Not):
            return t_2
        t8 = t_2[0]
        t_3 = probability(place, d)
        if isinstance(t_3, Not):
            return t_3
        d0 = t_3[0]
        if t8.qnum < t8.qden:
            return Not(Malformed(place, "t of at least 1"))
        return (((t8, d0), proof),)
    return Not(Malformed(place, "[t, d, PROOF]"))


def together_onto(l, last, some, proof, found_):
    for _ in budget.steps:
        if not l:
            return rev_append(((rev_append(some, ()), proof), found_), ())
        (td, other), l0 = l
        s = glued("", rev_append(spelled_onto(other, ()), ()))
        if s == last:
            l, some = l0, (td, some)
            continue
        l, last, some, proof, found_ = l0, s, (td, ()), other, ((rev_append(some, ()), proof), found_)
    else:
        raise OutOfSteps


def read_rows_at(c, t7, o):
    t = read_rows_kept(at_point(c, o[0][0], o[0][1]), t7, o[1])
    if isinstance(t, Not):
        return t
    k = t[0]
    return ((o[0], k),)


def read_run_kept(place, seen, same, a, v):
    rows = seen.kind_of == "rows"
    private = seen.kind_of == "private"
    t = members(place, v)
    if isinstance(t, Not):
        return t
    l = t[0]
    if is_there(value_of("points", l)):
        t_2 = fields(place, ("points", ()), ("points", ()), v)
        if isinstance(t_2, Not):
            return t_2
        l0 = t_2[0]
        t_3 = values(place, the("points", l0))
        if isinstance(t_3, Not):
            return t_3
        given = t_3[0]
        a0 = place + ".points"
        t_4 = read_onto((lambda x0: read_point(a0, x0)), given, ())
        if isinstance(t_4, Not):
            return t_4
        points0 = t_4[0]
        if not points0:
            return Not(Malformed(place, "a point"))
        (td, proof), more = points0
        if private:
            def f(o):
                t_5 = read_any(seen, Log(o[0][0]), o[0][1], o[1])
                if isinstance(t_5, Not):
                    return t_5
                k = t_5[0]
                return ((o[0], k),)
            t_5 = read_onto(f, points0, ())
            if isinstance(t_5, Not):
                return t_5
            found_ = t_5[0]
            return (AnyAt(found_),)
        if rows:
            t_5 = read_crowd(seen, a, no_eps, Qmake(1, 1))
            if isinstance(t_5, Not):
                return t_5
            ct = t_5[0]
            a0_2 = ct[0]
            a1 = ct[1]
            t_6 = read_onto((lambda x0: read_rows_at(a0_2, a1, x0)), points0, ())
            if isinstance(t_6, Not):
                return t_6
            found_ = t_6[0]
            return (RowsAt(found_),)
        def f(o):
            t_5 = read_numbered_kept(seen, a, no_eps, Qmake(1, 1), o[1])
            if isinstance(t_5, Not):
                return t_5
            k = t_5[0]
            return ((o[0], k),)
        t_5 = read_onto(f, together_onto(more, glued("", rev_append(spelled_onto(proof, ()), ())), (td, ()), proof, ()), ())
        if isinstance(t_5, Not):
            return t_5
        found_ = t_5[0]
        return (NumberedAt(found_),)
    if not (same and (not private)):
        return Not(Malformed(place, "points, where pairs differ from run to run"))
    if rows:
        t_2 = read_crowd(seen, a, no_eps, Qmake(1, 1))
        if isinstance(t_2, Not):
            return t_2
        ct = t_2[0]
        t_3 = read_rows_kept(ct[0], ct[1], v)
        if isinstance(t_3, Not):
            return t_3
        k = t_3[0]
        return (RowsAsTheyAre(k),)
    t_2 = read_numbered_kept(seen, a, no_eps, Qmake(1, 1), v)
    if isinstance(t_2, Not):
        return t_2
    k = t_2[0]
    return (NumberedAsTheyAre(k),)


def read_run_broken(place, seen, a, v):
    t = pair_alone(place, v)
    if isinstance(t, Not):
        return t
    given = t[0]
    if seen.kind_of == "private":
        return Not(Malformed(place, "no private users"))
    if seen.kind_of == "rows":
        t_2 = read_crowd(seen, a, no_eps, Qmake(1, 1))
        if isinstance(t_2, Not):
            return t_2
        ct = t_2[0]
        t_3 = read_pair(ct[0], ct[1], given)
        if isinstance(t_3, Not):
            return t_3
        p = t_3[0]
        return (PairOfRows(ct[0], p, names_of(ct[1])),)
    if seen.kind_of == "up to":
        t_2 = read_number(seen, a, no_eps, Qmake(1, 1))
        if isinstance(t_2, Not):
            return t_2
        c = t_2[0]
        t_3 = read_ends(c, given)
        if isinstance(t_3, Not):
            return t_3
        ends0 = t_3[0]
        return (PairOfNumber(c, ends0[0], ends0[1]),)
    t_2 = read_columns(seen, a, no_eps, Qmake(1, 1))
    if isinstance(t_2, Not):
        return t_2
    w = t_2[0]
    t_3 = read_column_pair(w, given)
    if isinstance(t_3, Not):
        return t_3
    p = t_3[0]
    return (PairOfColumns(w, p),)


def read_lattice(i, v):
    place = th("because.lattices", i)
    t = fields(place, ("step", ("cells", ())), ("step", ("cells", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = rational(place + ".step", the("step", l))
    if isinstance(t_2, Not):
        return t_2
    step0 = t_2[0]
    if not (step0.qden < step0.qnum):
        return Not(Malformed(place + ".step", "more than 1"))
    t_3 = integer(place + ".cells", 2, power(2, 24), the("cells", l))
    if isinstance(t_3, Not):
        return t_3
    cells = t_3[0]
    return ((step0, cells),)


def read_runs(c, same, proved, v):
    t = fields("because", ("runs", ("lattices", ())), ("runs", ("lattices", ())), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = values("because.lattices", the("lattices", l))
    if isinstance(t_2, Not):
        return t_2
    given = t_2[0]
    t_3 = read_from(0, read_lattice, given, ())
    if isinstance(t_3, Not):
        return t_3
    grids = t_3[0]
    if not not_empty(grids):
        return Not(Malformed("because.lattices", "a lattice"))
    t_4 = values("because.runs", the("runs", l))
    if isinstance(t_4, Not):
        return t_4
    parts = t_4[0]
    runs = c.runs_told
    if not (length(parts) == length(runs)):
        return Not(Malformed("because.runs", "a part for each of the claim's runs"))
    def each_of(f, i, o):
        t_5 = f(th("because.runs", i), o[0][0], o[1])
        if isinstance(t_5, Not):
            return t_5
        found_ = t_5[0]
        return ((found_, o[0][1]),)
    both0 = combine(runs, parts)
    if proved:
        t_5 = read_from(0, (lambda x0, x1: each_of((lambda place, seen, v0: read_run_kept(place, seen, same, c.around_told, v0)), x0, x1)), both0, ())
        if isinstance(t_5, Not):
            return t_5
        found_ = t_5[0]
        return (KeptByRuns(found_, same, c.eps_told, c.delta_told, grids),)
    t_5 = read_from(0, (lambda x0, x1: each_of((lambda place, seen, v0: read_run_broken(place, seen, c.around_told, v0)), x0, x1)), both0, ())
    if isinstance(t_5, Not):
        return t_5
    found_ = t_5[0]
    return (BrokenByRuns(found_, same, c.eps_told, c.delta_told, grids),)


def read_certificate(v):
    t = fields("file", ("format", ("note", ("claim", ("verdict", ("because", ()))))), ("format", ("claim", ("verdict", ("because", ())))), v)
    if isinstance(t, Not):
        return t
    l = t[0]
    t_2 = word("format", ("shufflecert certificate", ()), the("format", l))
    if isinstance(t_2, Not):
        return t_2
    t_4 = value_of("note", l)
    if t_4 is not None:
        v0 = t_4[0]
        t_3 = text("note", v0)
    else:
        t_3 = ("",)
    if isinstance(t_3, Not):
        return t_3
    t_5 = word("verdict", ("PROVED", ("REFUTED", ())), the("verdict", l))
    if isinstance(t_5, Not):
        return t_5
    verdict = t_5[0]
    proved = verdict == "PROVED"
    t_6 = read_claim(the("claim", l))
    if isinstance(t_6, Not):
        return t_6
    c = t_6[0]
    because = the("because", l)
    t_7 = c.same_told
    if t_7 is not None:
        same = t_7[0]
        return read_runs(c, same, proved, because)
    t_8 = c.runs_told
    if not t_8:
        return Not(Malformed("claim.runs", "a run"))
    p = t_8[0]
    seen = p[0]
    eps = c.eps_told
    delta = c.delta_told
    if seen.kind_of == "rows":
        return read_rows(seen, c.around_told, eps, delta, proved, because)
    if seen.kind_of == "private":
        if proved:
            t_9 = read_any(seen, eps, delta, because)
            if isinstance(t_9, Not):
                return t_9
            found_ = t_9[0]
            return (KeptByAny(found_[0][0], found_[0][1], found_[1]),)
        return read_any_broken(seen, eps, delta, because)
    return read_numbered(seen, c.around_told, eps, delta, proved, because)
