"""Random programs, whose draws come from rng: followed, each has the law that Python gives it, run on every path.

A program is written by a grammar: `{i}` is an expression that is to be an integer, `{l}` a list, and so on, as rarely
also of another kind; `{S}` a statement, `{B}` a body. Names tell what they hold: i0, l1, s2. What is traced by t(...),
and which exceptions were caught, is what a program sends, so that the order in which things are evaluated is seen.
"""

import random
import re
from collections import Counter

import pytest

from shufflecert.verify.audit.callables import Options
from shufflecert.verify.audit.follow import follow, natives
from shufflecert.verify.audit.messages import Names, sent
from shufflecert.verify.errors import BadInput
from tests.corpus.attacks import every_path

HEAD = """
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import accumulate, chain, islice, takewhile
class A:
    n = 1
    def __init__(self, t, v=2, *w):
        self.t, self.v = t, v
        t(v)
    def m(self, v=0):
        self.v = self.t(self.v + v)
        return self
    @property
    def p(self):
        return self.t(self.v) * 2
    @staticmethod
    def s(v, w=1):
        return (v, w)
    @classmethod
    def c(cls, v):
        return (cls.__name__, v, cls.n)
    def __len__(self):
        return self.t(abs(self.v) % 3)
    def __getitem__(self, i):
        return self.t(i) + self.v
    def __setitem__(self, i, v):
        self.v = self.t(i) and v
    def __contains__(self, v):
        return self.t(v) == self.v
    def __add__(self, o):
        return self.t(self.v + (o if isinstance(o, int) else 10))
    def __radd__(self, o):
        return self.t(-self.v)
    def __neg__(self):
        return self.t(-self.v)
    def __str__(self):
        return 'A' + str(self.t(self.v))
class B(A):
    n = 2
    def __init__(self, t, v=3, w=4):
        super().__init__(t, v)
        self.w = w
    def m(self, v=1):
        self.t('B.m')
        return super().m(v + self.w)
    def __lt__(self, o):
        return self.t(self.v) < (o.v if isinstance(o, A) else o)
    def __eq__(self, o):
        return self.t('eq') is None or isinstance(o, A) and self.v == o.v
    def __bool__(self):
        return self.t(self.v) > 2
    def __call__(self, v=0, *w, **k):
        return self.t(v + len(w) + len(k))
    def __iter__(self):
        yield self.t(self.v)
        for i in range(self.t(2)):
            yield i
@dataclass
class D:
    p: int = 0
    q: list = field(default_factory=list)
    def m(self, v=5):
        self.q.append(v)
        return self
@dataclass(frozen=True)
class F:
    p: int
    q: object = ()
class X(ValueError):
    pass
def y(t, n, v=7):
    w = 0
    while n > w:
        t(w)
        yield v + w
        w += 1
    t('end')
def r(n, t, *a, **k):
    return len(a) if n <= 0 else r(n - 1, t, n, *a, **k) + t(n)
def deco(h):
    def inner(*a, **k):
        return (h(*a, **k), len(a))
    return inner
"""
BEGIN = """
out = []
def t(v=0, *w):
    out.append(v if isinstance(v, (int, str, list, tuple)) else type(v).__name__)
    return v
i0, i1, i2 = x, 1, 2
l0, l1, l2 = [1, 2, 3], [0, 2], []
s0, s1, s2 = 'ab', '', 'z'
d0, d1, d2 = {1: 2}, {0: 1, 2: 0}, {}
f0, f1, f2 = t, lambda v, w=2: v * w, abs
o0, o1, o2 = A(t, 1), B(t), D(2)
g0, g1, g2 = iter(l0), y(t, 2), (t(v) for v in l1)
"""
LEAVES = """
i: 0 ;; 1 ;; 2 ;; -1 ;; 5 ;; x ;; rng.getrandbits(1) ;; rng.randrange(3)
l: [] ;; [1, 2] ;; [3, 0, 1] ;; [i0, i1]
s: '' ;; 'a' ;; 'bca'
d: {} ;; {1: 2} ;; {'a': 1, 0: 3}
g: iter([1, 2, 0]) ;; y(t, 2) ;; iter(l0)
f: t ;; len ;; abs ;; A.s ;; r
o: A(t) ;; B(t) ;; D(1) ;; F(1, 2)
b: True ;; False ;; x
"""
EXPRESSIONS = """
i: ({i} + {i}) ;; ({i} - {i}) ;; ({i} * {i}) ;; ({i} // {i}) ;; ({i} % {i}) ;; ({i} & {i}) ;; ({i} << {i}) ;; ~{i}
  t({i}) ;; t({i}) ;; len({l}) ;; len({o}) ;; {l}[{i}] ;; {d}[{i}] ;; ({i} if {b} else {i}) ;; ({i} and {i})
  ({i} or {i}) ;; sum({l}) ;; sum({g}) ;; max({i}, {i}) ;; min({l}, default={i}) ;; next({g}, {i}) ;; next({g})
  (i1 := {i}) ;; {f}({i}) ;; {f}({i}, *{l}) ;; {f}({i}, w={i}) ;; {f}(**{d}) ;; {o}.v ;; {o}.p ;; {o}.n ;; {o}[{i}]
  ({o} + {i}) ;; ({i} + {o}) ;; -{o} ;; {l}.pop() ;; {l}.pop(0) ;; {l}.index({i}) ;; {l}.count({i}) ;; {s}.find({s})
  {d}.get({i}, {i}) ;; {d}.setdefault({i}, {i}) ;; reduce(lambda v, w: t(v) - w, {l}, {i}) ;; int({b}) ;; abs({i})
  (lambda v, w={i}: v * 2 - w)({i})
b: ({i} < {i}) ;; ({i} == {i}) ;; ({i} != {i} > {i}) ;; ({i} < {i} <= {i}) ;; (not {b}) ;; ({b} and {b})
  ({b} or {b}) ;; ({i} in {l}) ;; ({i} not in {d}) ;; ({i} in {g}) ;; ({i} in {o}) ;; ({l} == {l}) ;; ({l} < {l})
  any({C}) ;; all({C}) ;; bool({l}) ;; bool({o}) ;; ({o} == {o}) ;; ({o} < {i}) ;; isinstance({o}, (A, int))
  ({l} is {l}) ;; ((i0 := {i}) > {i})
l: [{i}, {i}] ;; [*{l}, {i}] ;; [*{g}] ;; [{C}] ;; [{C}] ;; {l}[{i}:] ;; {l}[{i}:{i}] ;; {l}[::-1] ;; ({l} + {l})
  ({l} * 2) ;; sorted({l}) ;; sorted({g}, reverse=True) ;; sorted({l}, key=t) ;; sorted({l}, key=lambda v: v % 2)
  list({g}) ;; list({o}) ;; list({d}) ;; list(zip({l}, {g})) ;; list(map({f}, {l})) ;; list(filter(t, {l}))
  list(enumerate({l})) ;; list({d}.items()) ;; [{i}, {l}] ;; {o}.q ;; list(islice({g}, {i})) ;; list(reversed({l}))
  ({l} or {l}) ;; list(accumulate({l}))
s: str({i}) ;; str({l}) ;; str({o}) ;; f'{i0}-{i1:>3}' ;; ({s} + {s}) ;; {s}[{i}:] ;; '%s|%d' % ({i}, {i})
  ({s} * 2) ;; '-'.join(str(v) for v in {l}) ;; repr({d}) ;; {s}[{i}]
d: {{i}: {i}, {i}: {i}} ;; {v: {i} for v in {l}} ;; {**{d}, {i}: {i}} ;; dict(zip({l}, {l})) ;; ({d} | {d})
  Counter({l}) ;; Counter({s}) ;; dict.fromkeys({l}, {i}) ;; defaultdict(int, {d}) ;; dict({d}, a={i})
g: ({C}) ;; ({C}) ;; iter({l}) ;; iter({o}) ;; y(t, {i}, {i}) ;; map({f}, {l}) ;; zip({l}, {g}) ;; enumerate({g})
  filter(None, {g}) ;; chain({l}, {g}) ;; islice({g}, {i}) ;; takewhile(lambda v: t(v) < 2, {g})
f: (lambda v: t(v)) ;; (lambda v: v + i0) ;; (lambda *v, w={i}, **k: (v, w)) ;; partial({f}, {i}) ;; deco({f})
  {o}.m ;; {o}.s ;; {o}.c ;; {o} ;; {l}.append ;; {l}.count ;; ({f} if {b} else {f})
o: A(t, {i}) ;; B(t, {i}, {i}) ;; D({i}, {l}) ;; F({i}, {s}) ;; {o}.m() ;; {o}.m({i}) ;; replace(D({i}), p={i})
  ({o} if {b} else {o})
C: v for v in {l} ;; t(v) for v in {g} ;; (v, i0) for v in {l} if v ;; v * 2 for v in {l} if t(v) > {i}
  w for v in {l} for w in [v, {i}] ;; v + w for v in {l} for w in range(v) if w
"""
STATEMENTS = """
i1 = {i} ;; i2 = {i} ;; l1 = {l} ;; s0 = {s} ;; d1 = {d} ;; g1 = {g} ;; f1 = {f} ;; o1 = {o} ;; t({i}) ;; t({l})
t({s}) ;; t({b}) ;; i0 += {i} ;; i1 -= {i} ;; i2 //= {i} ;; l0 += {l} ;; l1 *= 2 ;; l2 = l0 ;; {l}[{i}] = {i}
{d}[{i}] = {i} ;; {o}[{i}] = {i} ;; {l}[{i}] += {i} ;; {d}[{i}] += {i} ;; {l}[{i}:] = {l} ;; {o}.v = {i}
{o}.v += {i} ;; i0, i1 = {i}, {i} ;; i1, *l1 = {l} ;; (i0, i2), l2 = ({i}, {i}), {l} ;; *l0, i2 = {g}
l0 = l1 = {l} ;; i0 = l0[0] = {i} ;; l0[i0], i0 = {i}, {i} ;; i0, i1 = {g} ;; {l}.append({i}) ;; {l}.extend({g})
{l}.sort(key=t) ;; {l}.remove({i}) ;; {l}.insert(0, {i}) ;; {d}.update({d}) ;; {d}.pop({i}) ;; del i0 ;; del {l}[0]
del {l}[{i}:] ;; del {d}[{i}] ;; raise ValueError ;; raise X(1) ;; raise KeyError ;; assert {b}, {i}
if {b}:/{B}/else:/{B} ;; if {b}:/{B} ;; if {b}:/{B}/elif {b}:/{B}/else:/{B}
w0 = 0/while (w0 := w0 + 1) < 4 and {b}:/{L}/else:/{B} ;; for i0 in {l}:/{L} ;; for i1 in {g}:/{L}/else:/{B}
for i0, i1 in enumerate({l}):/{L} ;; for l0[0] in {l}:/{L} ;; for {o}.v in {g}:/{L}
for i2 in range(3):/{L}/else:/{B} ;; try:/{B}/except ValueError:/{B}
try:/{B}/except (TypeError, LookupError) as e:/{H}/else:/{B} ;; try:/{B}/finally:/{B}
try:/{B}/except Exception as e:/{H}/finally:/{B} ;; try:/{B}/except X as i0:/{B}/except ArithmeticError:/{H}
def f2(v=0, *l1, i2={i}):/{R}t({f}({i})) ;; def f0(v):/    nonlocal i0, l0/{R}t(f0({i}))
def f1(i0, i1=2, **d0):/{R}t(f1({i}, {i})) ;; @deco/def f2(v, w=3):/{R}t(f2({i})) ;; def f0(v):/{Y}g1 = f0({i})
def f1(v=1):/    nonlocal i1/{Y}g0 = f1() ;; def f2(l0):/{Y}g2 = f2({l})
"""
DRAWS, SIZE, DEPTH, MOST = 5, 20, 3, 300  # draws and statements of a program, how deep it is nested, paths
PROGRAMS, PARTS = 30, 100


def listed(text):
    return [part for line in text.strip().splitlines() for part in line.strip().split(" ;; ")]


def by_kind(text):
    """{kind: what it may be} of lines "kind: ...", each with those that go on with it."""
    parts = re.split(r"^(\w): ", text.strip(), flags=re.MULTILINE)[1:]
    return {kind: listed(more) for kind, more in zip(parts[::2], parts[1::2], strict=True)}


class Writer:
    """Writes one program."""

    def __init__(self, seed):
        self.random, self.draws, self.size = random.Random(seed), 0, 0
        self.leaves = by_kind(LEAVES)
        self.expressions = by_kind(EXPRESSIONS)
        self.statements = listed(STATEMENTS)

    def program(self):
        body = BEGIN.strip().splitlines()
        for _ in range(self.random.randint(3, 6)):
            body += ["try:", *self.block(DEPTH), "except Exception as e:", "    t(type(e).__name__)"]
        return HEAD + "\n".join(["def f(x, rng):", *(f"    {line}" for line in [*body, "return out"])]) + "\n"

    def some(self, probability):
        return self.random.random() < probability

    def filled(self, template, depth):
        return re.sub(r"\{([a-zC])\}", lambda found: self.expression(found[1], depth), template)

    def expression(self, kind, depth):
        if kind != "C" and self.some(0.006):
            kind = self.random.choice("ilsdgfo")
        if kind != "C" and (depth <= 0 or self.some(0.2)):
            if self.some(0.6):
                return f"{kind.replace('b', 'i')}{self.random.randrange(3)}"
            leaf = self.random.choice(self.leaves[kind])
            self.draws += "rng" in leaf
            return leaf if "rng" not in leaf or self.draws <= DRAWS else "1"
        return self.filled(self.random.choice(self.expressions[kind]), depth - 1)

    def block(self, depth, before=(), after=()):
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth - 1)]
        return [f"    {line}" for line in (*before, *lines, *(self.filled(line, 2) for line in after))]

    def statement(self, depth):
        self.size += 1
        if self.size > SIZE:
            return ["pass"]
        template, lines = self.random.choice(self.statements), list[str]()
        while depth <= 0 and "/" in template.replace("//", ""):
            template = self.random.choice(self.statements)
        for line in template.replace("//", "%").split("/") if ":/" in template else [template]:
            body = re.match(r"\{[A-Z]\}", line)
            if body:
                lines += self.block(depth, *self.around(body[0][1]))
                line = line[3:]
            if line:
                lines.append(self.filled(line, 3))
        return lines

    def around(self, kind):
        """What stands before and after the statements of a body, by what it is the body of."""
        if kind == "L" and self.some(0.5):
            return (), ("if {b}:", f"    {self.random.choice(('break', 'continue'))}")
        if kind == "H":
            return ("t(type(e).__name__)",), (("raise",) if self.some(0.2) else ())
        if kind == "R":
            return (), (("if {b}:", "    return {l}", "return {i}") if self.some(0.4) else ("return {i}",))
        return (), (("yield {i}", self.random.choice(("yield {l}", "yield from {g}", "return"))) if kind == "Y" else ())


def compared(path, seed):
    """Whether a program has the law of its runs: "alike", "refused", or both laws."""
    text = Writer(seed).program()
    try:
        compiled = compile(text, "program", "exec")
    except SyntaxError:  # a walrus in the iterable of a comprehension
        return "no program"
    path.write_text(text)
    try:
        program = follow.of_file(str(path), "f", [0, 1], 2)
        laws, _ = program.laws("random.Random", [0, 1], Options(max_paths=2 * MOST), False)
    except BadInput:
        return "refused"
    space, names = {"__name__": "program"}, Names()
    exec(compiled, space)
    for x in (0, 1):
        law = Counter()
        for made, chance in every_path(space["f"], x):
            law[names.messages(sent(made, False))] += chance
        if laws[str(x)].law != law:
            return text, law, laws[str(x)].law
    return "alike"


@pytest.mark.sampled(100)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_programs_have_the_law_of_their_runs(tmp_path, part):
    found = [compared(tmp_path / "program.py", part * PROGRAMS + i) for i in range(PROGRAMS)]
    assert not [one for one in found if type(one) is tuple]
    assert found.count("alike") > PROGRAMS // 4


def test_a_wrong_order_is_seen(tmp_path, monkeypatch):
    """A machine that takes the operands of - the wrong way round."""
    monkeypatch.setitem(natives.OPERATORS, "Sub", lambda left, right: right - left)
    assert any(type(compared(tmp_path / "program.py", seed)) is tuple for seed in reversed(range(2 * PROGRAMS)))
