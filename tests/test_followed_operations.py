"""Every operation on the list, on values of every listed type: what the machine makes of it is what Python makes of it.

An expression is a function of a pair (a, b) in a file that is loaded as any user's. It is followed on pairs of
`values`, and run by Python on equal ones; both give the same value, of the same type, or raise the same exception, and
leave `a` alike, unless it is refused. exp, log and powers of floats are left out, whose rounding is an assumption that
answers state.
"""

import random
import warnings
from collections import Counter
from fractions import Fraction

import numpy
import pytest

from shufflecert.verify.audit.follow import library, load
from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.follow.machine import Machine
from shufflecert.verify.audit.follow.values import Frame, Iterator, Module, Opaque, View
from shufflecert.verify.errors import BadInput

PAIRS, PARTS = 120, 20
INF = float("inf")


def values():
    """New ones at each call, since an expression may change them."""
    return [
        *(0, 1, -1, 2, -7, True, False, None, 2**53 + 1, 2**70, -(2**70)),
        *(0.0, -0.0, 1.0, 1.5, -2.5, 0.1, 1e308, -INF, INF, float("nan")),
        *(Fraction(1, 2), Fraction(-3), Fraction(4), Fraction(-7, 3)),
        *("", "a", "ab", "%s", "%d-%s", "ß1", b"", b"a"),
        *((), (1,), (1, "a"), (True, 2.0), [], [1], [1, [2]], [3, 1, 2], ["b", "a"]),
        *({}, {1: 2}, {"a": 1, 2: None}, set(), {1}, {1, 2}, {True}, frozenset([1])),
        *(range(3), range(0), range(5, 0, -2), slice(None), int, float, str, list, bool, type(None)),
        *(numpy.int64(3), numpy.int8(-128), numpy.uint8(250), numpy.float64(0.5), numpy.float32(0.1), numpy.str_("a")),
        *(numpy.bool_(True), numpy.arange(3), numpy.array([0.5, -1.0]), numpy.array([[1, 2], [3, 4]]), numpy.array(5)),
        *(numpy.array([True, False]), numpy.array([], dtype=numpy.int64), numpy.array([250, 3], dtype=numpy.uint8)),
    ]


STATEMENTS = """
import bisect, functools, itertools, math, operator, zlib
import numpy as np
from fractions import Fraction
def match_(a, b):
    match a:
        case [p, q]:
            return ('two', p, q)
        case True | None:
            return 'single'
        case 1 | 'a':
            return 'value'
        case r if r == b:
            return ('equal', r)
    return 'none'
def plus(a, b):
    c = a
    a += b
    return (a, c)
def times(a, b):
    c = a
    a *= b
    return (a, c)
def with_(a, b):
    c = a
    a |= b
    return (a, c)
def stored(a, b):
    a[b] = 7
    return a
def deleted(a, b):
    del a[b]
    return a
def unpacked(a, b):
    p, *q = a
    for r, s in (b,):
        q.append(r)
    return (p, q, s)
"""
OF_TWO = """
a + b; a - b; a * b; a / b; a // b; a % b; a ** b; a << b; a >> b; a | b; a ^ b; a & b; a @ b; a == b; a != b; a < b
a <= b; a > b; a >= b; a in b; a not in b; a is b; a is not b; a[b]; a[b:]; a[:b]; a[::b]; a and b; a or b; a < b < a
a if b else 0; isinstance(a, b); divmod(a, b); pow(a, b); round(a, b); max(a, b); min(a, b); sum(a, b); [*a, b]; {a: b}
{a, b}; {**a, **{1: b}}; f'{a:{b}}'; b % a; str(a) + str(b); int(a, b); list(zip(a, b)); sorted([a, b]); range(a, b)
[a, b] == [b, a]; (a, b) < (b, a); type(a) is type(b); dict(a, **{'z': b}); enumerate(a, b); math.gcd(a, b)
math.comb(a, b); math.fmod(a, b); math.copysign(a, b); math.ldexp(a, b); Fraction(a, b); np.add(a, b); np.minimum(a, b)
np.array_equal(a, b); np.where(a, b, 0); np.mod(a, b); np.full(a, b); bisect.bisect(a, b); operator.add(a, b)
operator.floordiv(a, b); functools.reduce(lambda p, q: (p, q), a, b); bool(a == b); list(itertools.islice(a, b))
list(itertools.product(a, b)); list(itertools.combinations(a, b)); list(map(lambda p, q: (p, q), a, b))
list(filter(b, a)); list(itertools.accumulate(a, initial=b)); any([a, b]); all([a, b]); [a, b].count(a)
(a, b).index(b); dict.fromkeys(a, b); '{}-{!r}'.format(a, b); np.dot(a, b); np.repeat(a, b); np.isin(a, b)
np.concatenate([a, b]); math.prod(a, start=b); match_(a, b); plus(a, b); times(a, b); with_(a, b); stored(a, b)
deleted(a, b); unpacked(a, b)
"""
OF_ONE = """
-a; +a; ~a; not a; callable(a); type(a); type(a).__name__; isinstance(a, (int, str)); f'{a}'; f'{a!r:>6}'; f'{a:.3f}'
f'{a:5d}'; f'{a:,}'; '%d' % a; '%x' % a; '%5.2f' % a; '%r' % (a,); [*a]; {*a}; a[0]; a[-1]; a[::-1]; a[1:]; a[0:0]
int.from_bytes(a, 'big'); bytes.fromhex(a); list(reversed(a)); list(itertools.chain(a, a))
list(itertools.chain.from_iterable(a)); list(itertools.permutations(a))
list(itertools.islice(itertools.chain(a, a), 4)); operator.itemgetter(0, -1)(a)
list(map(str, a)); {v: 1 for v in a}; [v for v in a if v]; np.zeros(3)[a]; np.arange(6).reshape(a); sorted(a, key=str)
np.arange(4).astype(a); np.array([3, 1, 2], dtype=a); np.array([[1.5, 2], [3, 4]]).sum(axis=a); 'abc'[a]; range(10)[a]
(1, 2, 3)[a:]; {1: 5, 'a': 6}[a]; sorted(a, reverse=True); list(enumerate(a)); a.numerator; a.start; a.shape; a.T
"""
CALLS = {
    "": "abs len int float str repr bool bytes list tuple set frozenset dict sum any all max min sorted round bin hex "
    "chr ord ascii range divmod Fraction zlib.crc32",
    "math.": "floor ceil trunc sqrt gcd lcm factorial isqrt fabs isnan isinf isfinite fsum frexp modf ulp prod perm",
    "np.": library.NUMPY,
}
ARGUMENTS = (
    *("", "1", "-1", "'a'", "0, 1", "'a', 'b'", "None", "[1]", "{1}", "b'a'", "2, 'big'", "1, 0", "2.0", "[1, 2], 0"),
    *("{1: 3}", "'1', 3", "(2,)", "True", "key=None", "axis=0"),
)


def listed(text):
    return [part for line in text.strip().splitlines() for part in line.split("; ")]


def methods():
    return [f"a.{name}({given})" for name in sorted({name for _, name in library.METHODS}) for given in ARGUMENTS]


EXPRESSIONS = [
    *listed(OF_TWO), *listed(OF_ONE), *(f"{top}{name}(a)" for top, names in CALLS.items() for name in names.split()),
    *methods(),
]  # fmt: skip


def source(expressions):
    return STATEMENTS + "".join(
        f"def f{i}(x, rng):\n    a, b = x\n    try:\n        return (1, {one}, a)\n"
        "    except Exception as e:\n        return (0, type(e).__name__, a)\n"
        for i, one in enumerate(expressions)
    )


def shown(value):
    """A value with its type, deeply; of iterators, views and functions the kind alone."""
    kind = type(value)
    if (
        kind in (View, Iterator)
        or hasattr(value, "__next__")
        or kind.__name__ in ("dict_keys", "dict_values", "dict_items")
    ):
        return "an iterator or a view"
    if isinstance(value, Opaque | type) or (callable(value) and not isinstance(value, numpy.generic)):
        return "a function or a class"
    if kind in (list, tuple):
        return kind, tuple(map(shown, value))
    if kind is dict:
        return kind, tuple((shown(key), shown(one)) for key, one in value.items())
    if kind in (set, frozenset):
        return kind, frozenset(map(shown, value))
    if isinstance(value, numpy.ndarray):
        return kind, value.dtype, value.shape, repr(value.tolist())
    return kind, repr(value)


def run(machine, function, pair):
    """What the machine makes of a call, whatever it is."""
    code = Code("the call", "", 0)
    code.instructions = [
        ("const", function, 0),
        ("const", pair, 0),
        ("const", None, 0),
        ("call", (2, ()), 0),
        ("ret", None, 0),
    ]
    code.live = [frozenset()] * 5
    machine.frames = [Frame(code, Module("the call", ""))]
    return machine.run()


def different(tmp_path, expressions, seed):
    """[(expression, pair, Python's, the machine's)], and how often they were alike, or it was refused."""
    file, text = tmp_path / "operations.py", source(expressions)
    file.write_text(text)
    space = {"__name__": "operations"}
    exec(compile(text, file, "exec"), space)
    machine = Machine(library, 10)
    load.loaded(file, "f0", machine)
    machine.seconds = 0.02  # of one expression: what does not end is refused
    names = next(iter(machine.loader.modules.values())).names
    load.freeze(machine, [])
    found, counts, drawn, many = [], Counter(), random.Random(seed), len(values())
    for i, one in enumerate(expressions):
        pairs = [(p, 0) for p in range(many)]
        if one in OF_TWO:
            pairs = [(drawn.randrange(many), drawn.randrange(many)) for _ in range(PAIRS)]
        for p, q in pairs:
            here, there = ((listed[p], listed[q]) for listed in (values(), values()))
            try:
                ours = shown(run(machine, names[f"f{i}"], here))
            except BadInput:
                counts["refused"] += 1
                continue
            theirs = shown(space[f"f{i}"](there, None))
            counts["alike"] += ours == theirs
            if ours != theirs:
                found.append((one, there, theirs, ours))
    return found, counts


@pytest.mark.sampled(10)
@pytest.mark.parametrize("part", range(PARTS))
def test_operations_are_pythons(tmp_path, part):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found, counts = different(tmp_path, EXPRESSIONS[part::PARTS], part)
    assert not found
    assert counts["alike"] > 500


def test_what_differs_is_seen(tmp_path, monkeypatch):
    monkeypatch.setitem(library.BUILTINS, "bin", library.pure("bin", hex))
    found, _ = different(tmp_path, ["bin(a)"], 0)
    assert len(found) >= 8
