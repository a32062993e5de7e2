"""Every operation that is followed, on values of every type: what the machine makes of it is what Python makes of it.

A form is an expression, or statements and what they leave, with a, b and c in it; the forms are those that are listed
here, and calls of each function and method of the machine's own tables. A file has a function for each form and for
each value. It is followed, and run by Python, on values that are drawn: both give the same value, of the same type, or
raise the same exception, and leave a, b and c alike, with the same parts in two places at once, unless it is refused.
exp, log and powers of floats are left out, whose rounding is an assumption that answers state.
"""

import enum
import random
import re
import sys
import warnings
from collections import Counter, defaultdict
from contextlib import redirect_stdout
from fractions import Fraction
from types import ModuleType

import numpy
import pytest

from shufflecert.verify.audit.follow import library, load
from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.follow.machine import Machine, Thrown
from shufflecert.verify.audit.follow.natives import is_exception
from shufflecert.verify.audit.follow.values import Frame, Generator, Instance, Iterator, Module, Opaque, View
from shufflecert.verify.errors import BadInput
from tests.helpers import cases

PARTS, DRAWN, NAMED = 40, cases(100, 20), 6  # tuples of values for a form; keywords for a function
HEAD = """
import bisect, collections, enum, fractions, functools, itertools, math, operator, zlib
import numpy as np
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import partial, reduce
@dataclass
class D:
    p: int = 1
    q: list = field(default_factory=list)
@dataclass(frozen=True)
class FD:
    p: int
    q: object = 2
class E(Enum):
    A = 1
    B = 'b'
    C = 1
class P:
    n = 3
class N:
    def __init__(self, v):
        self.v = v
    def __add__(self, o):
        return ('add', self.v, type(o) is N)
    def __radd__(self, o):
        return ('radd', self.v)
    def __mul__(self, o):
        return N(self.v)
    def __lt__(self, o):
        return ('lt', self.v)
    def __eq__(self, o):
        return ('eq', self.v)
    def __hash__(self):
        return 5
    def __neg__(self):
        return -self.v
    def __str__(self):
        return 'N!'
class T(N):
    def __add__(self, o):
        return T(o)
class S:
    def __init__(self, v):
        self.v = v
    def __len__(self):
        return len(self.v)
    def __getitem__(self, i):
        return self.v[i]
    def __setitem__(self, i, w):
        self.v[i] = w
    def __delitem__(self, i):
        del self.v[i]
    def __contains__(self, w):
        return w in self.v
    def __iter__(self):
        yield from self.v
    def __bool__(self):
        return self.v[0] == 1
    def __call__(self, *a, **k):
        return (a, *k.items())
class X(ValueError):
    pass
def fn(v, w=2, *r, **k):
    return (v, w, r)
def gen(v):
    for i in v:
        yield i
def left(v):
    try:
        return ('left', [w for w in v])
    except Exception as e:
        return ('left', type(e).__name__)
"""
VALUES = """
0; 1; -1; 2; 3; -7; 255; True; False; None; 2**53 + 1; 2**70; -(2**70); 0.0; -0.0; 1.0; 1.5; -2.5; 0.1; 1e308; 1e-320
-math.inf; math.inf; float('nan'); Fraction(1, 2); Fraction(-3); Fraction(4); Fraction(-7, 3); Fraction(10**20, 3); ''
'a'; 'ab'; '%s'; '%d-%s'; '{}'; '{:>4}'; '-1_0'; 'ß1'; 'A\\nb'; 'big'; 'utf-8'; '.2f'; b''; b'a'; b'ab\\xff'; (); (1,)
(1, 'a'); (True, 2.0); ((1, 2), (3, 4)); ([1],); []; [1]; [1, [2]]; [3, 1, 2]; ['b', 'a']; [0.5, -0.0]; [(1, 2)]
[True, 1, 1.0]; {}; {1: 2}; {'a': 1, 2: None}; {'v': 5}; {0: 'z', 1.0: 'y'}; set(); {1}; {1, 2}; {True}; {'a', 'b'}
frozenset([1]); frozenset(); range(3); range(0); range(5, 0, -2); range(2**64); slice(None); slice(1, None); ...; int
slice(None, None, -1); float; str; list; bool; tuple; dict; set; bytes; type(None); Fraction; object; type; ValueError
X; D; E; P; np.int64(3); np.int8(-128); np.uint8(250); np.float64(0.5); np.float32(0.1); np.array(['a'])[0]
np.bool_(True); np.int64; np.arange(3); np.array([0.5, -1.0]); np.array([[1, 2], [3, 4]]); np.array(5)
np.array([True, False]); np.array([], dtype=np.int64); np.array([250, 3], dtype=np.uint8); np.array(['a', 'b'])
np.array([math.inf, 1.0]); D(); D(3, [1]); FD(1); FD(1, [2]); FD((1, 2), 'q'); E.A; E.B; P(); N(1); N(2); T(1)
S([1, 2]); S([0]); S([]); S({'a': 1}); X('m', 1); ValueError(); KeyError('k'); Counter('aab'); Counter()
Counter({1: -2, 2: 0}); defaultdict(int); defaultdict(list, {'a': [1]}); defaultdict(None, {1: 2}); iter([1, 2, 3])
iter(()); iter('ab'); (v * 2 for v in [1, 2]); gen([3, 1]); gen([[1, 2], ['a', 3]]); enumerate('ab')
zip([1, 2], 'xy'); map(str, [1, 2]); filter(None, [0, 1]); reversed([1, 2]); itertools.repeat(3, 2)
itertools.chain([1], 'a'); {1: 2}.keys(); {'a': 1, 2: None}.values(); fn; {1: 2, 3: 4}.items(); len; abs; max; gen
(lambda v: v); (lambda v, w: w < v); (lambda v: -v); int.from_bytes; partial(fn, 1); partial(fn, w=5); [1].append
operator.add; math.floor; sorted; S([1, 2]).__call__
"""
FORMS = """
a + b; a - b; a * b; a / b; a // b; a % b; a ** b; a << b; a >> b; a | b; a ^ b; a & b; a @ b; a == b; a != b; a < b
a <= b; a > b; a >= b; a in b; a not in b; a is b; a is not b; a and b; a or b; not (a or b); (a and b) or 3
a < b < a; -a; +a; ~a; not a; bool(a == b); (a, b) < (b, a); [a, b] == [b, a]; [a] < [b]; {1: a} == {1: b}
type(a) is type(b); a[b]; a[b:]; a[:b]; a[::b]; a[0]; a[-1]; a[::-1]; a[1:]; a['a']; a[True]; a[1.0]; a[None]
a[..., 0]; a[1, 0]; a[[0]]; [1, 2, 3][a]; 'abc'[a]; range(10)[a]; b'abc'[a:]; {1: 5, 'a': 6}[a]; np.arange(6)[a]
np.arange(6).reshape(2, 3)[a]; a if b else 0; [*a]; {*a}; (*a, b); {**a}; {a: b}; {a: 1, b: 2}; {a, b}; {a: 1, **b}
[a, b].count(a); (a, b).index(b); a in [b]; a in {b: 1}; {a: 1}[b]; {a: 1}.get(b, 9); [v for v in a if v == b]
{v: 1 for v in a}; {v for v in a}; list(v for v in a); [a for _ in range(2)]; [x for x in zip(*a)]; any(v for v in a)
list(zip(a, b)); list(map(a, b)); list(filter(a, b)); sorted(b, key=a); max(b, key=a); min(b, key=a, default=5)
reduce(a, b); dict(a, z=b); print(a, sep=b); f'{a}'; f'{a!r}'; f'{a!s:>6}'; f'{a!a}'; f'{a:.3f}'; f'{a:5d}'; f'{a:,}'
f'{a:x}'; f'{a:e}'; f'{a:%}'; f'{a=}'; f'{a:{b}}'; '%d' % a; '%x' % a; '%5.2f' % a; '%r' % (a,); '%s' % a; '%c' % a
'%s %s' % a; '%(a)s' % a; '%*d' % a; a % (b, 1); b % a; '{} {!r}'.format(a, b); '{0:{1}}'.format(a, b)
''.join([a, b]); str(a) + str(b); a.join([b]); str(a, b); bytes(a, b); fn(a, b); fn(*a, b); fn(a, *b); fn(**a)
fn(1, **a); fn(v=a); (lambda *r, **k: (r, k))(*a, **b); a(); a(b); a(b, 1); a(*b); a(**b); a(w=b)
(lambda v, /, w=3, *, z=a: (v, w, z))(1, z=2); list(gen(a)); list(reversed(a)); list(enumerate(a)); a.n; a.v; a.p; a.q
a.name; a.value; a.args; a.numerator; a.real; a.start; a.shape; a.T; a.size; a.__name__; a.__class__; a.A
a.default_factory; a.__doc__; a.__dict__; a.__module__; isinstance(a, b); isinstance(a, (int, D)); issubclass(a, b)
isinstance(a, object); isinstance(a, N); type(a).__name__; E(a); E[a]; D(a, b); FD(a, b) == FD(a, b); FD(a) == FD(b)
{FD(a): 1}.get(FD(b)); FD(a, b) < FD(a, b); replace(D(a), p=b); X(a, b).args; X(a, w=b); S([a])[b]; S(a)[b]; b in S(a)
Counter(a); Counter(a) + Counter(b); Counter(a) - Counter(b); Counter(a) | Counter(b); Counter(a) & Counter(b)
Counter(a) == Counter(b); Counter(a).most_common(b); list(Counter(a).elements()); Counter(a).total(); dict(Counter(a))
defaultdict(a, b); defaultdict(a)[b]; defaultdict(list, a)[b]; partial(a, b)(); partial(a)(b); partial(fn, w=a)(b)
N(a) + b; a + N(b); N(a) < b; a < N(b); N(a) == b; a == N(b); [N(a)] == [b]; T(a) + N(b); N(a) + T(b); P() == a
a != P(); N(a) * b; -N(a); [N(a)].count(b); sum([a, N(b)]); np.array([a, b]); np.where(a, b, 0); np.full(a, b)
np.zeros(3)[a]; np.arange(6).reshape(a); np.arange(4).astype(a); np.array([3, 1, 2], dtype=a)
np.array([[1.5, 2], [3, 4]]).sum(axis=a)
"""
STATEMENTS = """
p, q = a => p, q ;; p, *q, r = a => p, q, r ;; *p, q = a => p, q ;; (p,) = a => p ;; [p, [q]] = [1, a] => p, q
a, b = b, a => a, b ;; p = a; p += b => p ;; p = a; p -= b => p ;; p = a; p *= b => p ;; p = a; p |= b => p
p = a; p &= b => p ;; p = a; p //= b => p ;; p = a; p ^= b => p ;; p = a; p %= b => p ;; p = a; p <<= b => p
p = a; p **= b => p ;; p = a; p @= b => p ;; p = [a]; p[0] += b => p ;; p = P(); p.v = a; p.v += b => p
a[b] += 1 => a ;; a.v += b => a ;; a[b] = c => a ;; del a[b] => a ;; a[b:] = c => a ;; a[:] = b => a
del a[b:c] => a ;; a[::b] = c => a ;; a.v = b => a ;; a.q = b => a ;; p = a, a; a[0] = b => p
p = [a]; p[0], p = b, p => p ;; a.append(b) => a ;; a.extend(b) => a ;; a.insert(b, c) => a ;; a.remove(b) => a
a.update(b) => a ;; a.add(b) => a ;; a.sort() => a ;; a.sort(key=b) => a ;; a.sort(reverse=b) => a ;; a.pop(b) => a
a.setdefault(b, []).append(c) => a ;; raise a => 0 ;; raise a from b => 0 ;; assert a, b => 0
(p, *q), r = a, b => p, q, r ;; p = [v := a, v] => p, v ;; p = a.pop() => p, a
"""
LOOPS = """
p = []
for v in a:
    p.append(v)
    if len(p) > 5 or v == b:
        break
else:
    p.append('else')
=> p
p = 0
while a:
    p += 1
    if p > 2:
        break
else:
    p = 9
=> p
try:
    raise a
except b:
    p = 1
=> p
p = []
for i, *w in a:
    p.append((i, w))
=> p
try:
    p = a[b]
except LookupError as e:
    p = len(e.args)
else:
    p = (p, 1)
finally:
    c = 5
=> p
"""
LAZY = {"enumerate", "zip", "map", "filter", "reversed"}
KEYWORDS = """
key default reverse start initial base step axis dtype kind side strict repeat r times n object iterable func sep
end encoding errors maxsplit count width hi lo x keepdims a order copy num minlength weights length byteorder k
decimals where ddof default_factory
"""


def listed(text, between="; "):
    return [part for line in text.strip().splitlines() for part in line.split(between)]


ALL = listed(VALUES)
ITERATORS = re.compile(r"(iter|gen|enumerate|zip|map|filter|reversed|itertools\.\w+)\(.*|\(v \* 2.*")
SPENT = [i for i, value in enumerate(ALL) if ITERATORS.fullmatch(value)]  # what is left of them is looked at
METHODS = (
    "most_common elements total subtract send close __len__ __contains__ __eq__ __add__ __iter__ __next__ __init__"
)


def calls(seed):
    """Calls of each function of the tables, and of each method, with some keywords."""
    drawn = random.Random(seed)
    tables = [
        (f"{module}.", names) for module, names in library.LIBRARIES.items() if module in HEAD or module == "numpy"
    ]
    functions = [
        ("np." if top == "numpy." else top) + name for top, names in [("", library.BUILTINS), *tables] for name in names
    ]
    functions = [name for name in functions if not re.fullmatch(r"math\.(exp|log|pow).*", name)]
    functions += ["range", "itertools.chain.from_iterable", "dict.fromkeys", "int.from_bytes", "bytes.fromhex"]
    methods = sorted({f"a.{name}" for _, name in library.METHODS} | {f"a.{name}" for name in METHODS.split()})
    for name in (*functions, *methods):
        of_one, more = (("a", "*a"), ("a, b", "a, b, c")) if name in functions else (("b", "*b"), ("b, c",))
        named = [f"{first}{key}=c" for key in drawn.sample(KEYWORDS.split(), NAMED) for first in ("", f"{of_one[0]}, ")]
        for given in ("", *of_one, *more, *named):
            lazy = name in LAZY or name.startswith("itertools.")
            yield f"list(itertools.islice({name}({given}), 6))" if lazy else f"{name}({given})"


def forms(seed):
    loops = [f"{body.strip()} => p" for body in LOOPS.split("=> p") if body.strip()]
    return [*listed(FORMS), *listed(STATEMENTS, " ;; "), *loops, *calls(seed)]


def source(listed):
    """The file: a function for each value, and for each form."""
    text = HEAD + "V = [" + ", ".join(f"lambda: {value}" for value in ALL) + "]\n"
    for i, form in enumerate(listed):
        before, _, value = form.rpartition(" => ")
        body = "".join(f"        {line}\n" for line in before.splitlines())
        text += (
            f"def f{i}(x, rng):\n    a, b, c = [V[i]() for i in x]\n    try:\n{body}        r = (1, {value})\n"
            "    except Exception as e:\n        r = (0, type(e).__name__)\n"
            f"    return (r, *[left(v) if i in {SPENT} else v for i, v in zip(x, (a, b, c))])\n"
        )
    return text


def shown(value, met):
    """A value with its type, deeply, and where it stands twice; of iterators, views and functions the kind alone."""
    kind, own = type(value), type(value).__module__ == "operations"
    if kind is Instance and (is_exception(value.kind) or value.kind.python is enum.Enum):
        return value.kind.name, value.attributes["name"] if value.kind.python else ""
    if isinstance(value, enum.Enum | BaseException):
        return kind.__name__, value.name if isinstance(value, enum.Enum) else ""
    if own or kind in (list, dict, set, numpy.ndarray, Instance, Counter, defaultdict):
        if id(value) in met:
            return met[id(value)][0]
        met[id(value)] = len(met), value
    if kind is Instance and value.kind.python is not None:
        return value.kind.name, shown(value.attributes["_held"], met)
    if kind in (Counter, defaultdict):
        return kind.__name__, shown(dict(value), met)
    if kind is Instance:
        return value.kind.name, shown(value.attributes, met)
    if own and not isinstance(value, type):
        return kind.__name__, shown(vars(value), met)
    if isinstance(value, View | Iterator | Generator) or kind.__name__ in ("dict_keys", "dict_values", "dict_items"):
        return "an iterator or a view"
    if isinstance(value, Opaque | type | property | classmethod | staticmethod | enum.auto) or (
        callable(value) and not isinstance(value, numpy.generic)
    ):
        return "a function or a class"
    if hasattr(value, "__next__"):
        return "an iterator or a view"
    if kind in (list, tuple):
        return kind, [shown(part, met) for part in value]
    if kind is dict:
        return kind, [(shown(key, met), shown(one, met)) for key, one in value.items()]
    if kind in (set, frozenset):
        return kind, sorted(repr(shown(part, {})) for part in value)
    if kind is numpy.ndarray:
        return kind, value.dtype, value.shape, repr(value.tolist())
    return kind, value if kind in (int, Fraction) else repr(value)


def run(machine, function, pick):
    """What the machine makes of a call, whatever it is."""
    code = Code("the call", "", 0)
    code.instructions = [
        ("const", function, 0),
        ("const", pick, 0),
        ("const", None, 0),
        ("call", (2, ()), 0),
        ("ret", None, 0),
    ]
    code.live = [frozenset()] * 5
    machine.frames = [Frame(code, Module("the call", ""))]
    return machine.run()


def different(tmp_path, listed, seed, drawn=DRAWN):
    """[(form, values, Python's, the machine's)], and how often they were alike, or it was refused."""
    file, text, space = tmp_path / "operations.py", source(listed), ModuleType("operations")
    file.write_text(text)
    exec(compile(text, file, "exec"), vars(space))
    machine = Machine(library, 60)
    load.loaded(file, "V", machine)
    machine.seconds = 0.05  # of one form: what does not end is refused
    names = next(iter(machine.loader.modules.values())).names
    load.freeze(machine, [])
    found, counts, chance, many = [], Counter(), random.Random(seed), len(ALL)
    for i, form in enumerate(listed):
        several = re.search(r"\b[bc]\b", form)
        for at in range(drawn if several else many if re.search(r"\ba\b", form) else 1):
            pick = tuple(chance.randrange(many) for _ in "abc") if several else (at, 0, 0)
            try:
                ours = shown(run(machine, names[f"f{i}"], pick), {})
            except BadInput:
                counts["refused"] += 1
                continue
            except Thrown as thrown:
                ours = thrown.value.kind.name
            try:
                theirs = shown(getattr(space, f"f{i}")(pick, None), {})
            except Exception as error:
                theirs = type(error).__name__
            counts["alike"] += ours == theirs
            if ours != theirs:
                found.append((form, [ALL[one] for one in pick], theirs, ours))
    return found, counts


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "operations", ModuleType("operations"))  # where dataclasses look for names
    with (
        warnings.catch_warnings(),
        numpy.errstate(all="ignore"),
        (tmp_path / "printed").open("w") as printed,
        redirect_stdout(printed),
    ):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.sampled(40)
@pytest.mark.parametrize("part", range(PARTS))
def test_operations_are_pythons(tmp_path, part):
    found, counts = different(tmp_path, forms(part)[part::PARTS], part)
    assert not found
    assert counts["alike"] > 30 * DRAWN


def test_what_differs_is_seen(tmp_path, monkeypatch):
    monkeypatch.setitem(library.BUILTINS, "bin", library.pure("bin", hex))
    found, _ = different(tmp_path, ["bin(a)"], 0)
    assert len(found) >= 8
