# ruff: noqa: E501
"""More files that try to break the audit of code, at the corners of the language: the law by hand, or refused.

As in tests/corpus/breaking.py a file's function is f(x, rng), and the law is that of input 0. Those in `REFUSED` are not
followed, for the reason that stands there; each is run as it stands all the same, and gives its law.
"""

from fractions import Fraction

HALF, QUARTER, EIGHTH = (Fraction(1, 2**k) for k in (1, 2, 3))
FAIR = {0: HALF, 1: HALF}
B = "rng.getrandbits(1)"

CORNERS = {
    # names and exceptions
    "the name of an exception is gone": (
        f"def f(x, rng):\n    e = {B}\n    try:\n        raise ValueError\n    except ValueError as e:\n        pass\n"
        "    try:\n        return 1 if e else 2\n    except UnboundLocalError:\n        return 3",
        {3: 1},
    ),
    "the name of an exception in a closure is gone": (
        "def f(x, rng):\n    def g():\n        return 1 if e else 2\n    try:\n        raise ValueError\n    except ValueError as e:\n        kept = g()\n"
        f"    try:\n        return g()\n    except NameError:\n        return kept + 10 * {B}",
        {1: HALF, 11: HALF},
    ),
    "a local that functions use, not yet there": (
        f"def f(x, rng):\n    def g():\n        return n\n    try:\n        n\n    except UnboundLocalError:\n        n = {B}\n    except NameError:\n        n = 9\n    return g()",
        FAIR,
    ),
    "deleted, then read": (
        f"def f(x, rng):\n    n = {B}\n    del n\n    try:\n        return n\n    except UnboundLocalError:\n        return 5",
        {5: 1},
    ),
    "raised in a handler": (
        f"def f(x, rng):\n    try:\n        try:\n            raise KeyError\n        except KeyError:\n            raise ValueError\n        finally:\n            n = {B}\n    except ValueError:\n        return n",
        FAIR,
    ),
    "the first handler that fits": (
        f"def f(x, rng):\n    try:\n        [][{B}]\n    except LookupError:\n        return 1\n    except IndexError:\n        return 2",
        {1: 1},
    ),
    "a handler leaves the loop": (
        f"def f(x, rng):\n    n = 0\n    while True:\n        try:\n            n += 1\n            1 // {B}\n        except ZeroDivisionError:\n            if n < 2:\n                continue\n            break\n        else:\n            n += 10\n            break\n        finally:\n            n += 100\n    return n",
        {111: HALF, 212: QUARTER, 202: QUARTER},
    ),
    "an exception through a generator": (
        "def g(rng):\n    yield 1\n    raise LookupError\ndef f(x, rng):\n    n = 0\n    try:\n        for v in g(rng):\n            n += v\n"
        f"    except LookupError:\n        return n + {B}",
        {1: HALF, 2: HALF},
    ),
    "StopIteration within a generator": (
        f"def g():\n    yield next(iter([]))\ndef f(x, rng):\n    try:\n        return list(g())\n    except RuntimeError:\n        return {B}",
        FAIR,
    ),
    "init that returns": (
        f"class C:\n    def __init__(self):\n        return 1\ndef f(x, rng):\n    try:\n        C()\n        return 9\n    except TypeError:\n        return {B}",
        FAIR,
    ),
    "a keyword given twice": (
        f"def g(**named):\n    return 9\ndef f(x, rng):\n    try:\n        return g(**{{'a': 1}}, a=2)\n    except TypeError:\n        return {B}",
        FAIR,
    ),
    "positional only, and its name again": (
        f"def g(a, /, **more):\n    return a + more['a']\ndef f(x, rng):\n    return g(1, a={B})",
        {1: HALF, 2: HALF},
    ),
    # dicts and lists that change under a loop
    "items that change under a loop": (
        f"def f(x, rng):\n    d = {{'a': 0, 'b': 0}}\n    n = 0\n    for k, v in d.items():\n        n += v\n        d['b'] = {B} if k == 'a' else 5\n    return n",
        FAIR,
    ),
    "values that change under a loop": (
        f"def f(x, rng):\n    d = {{'a': 0, 'b': 9}}\n    n = 0\n    for v in d.values():\n        n += v\n        d['b'] = {B}\n    return n",
        FAIR,
    ),
    "a dict that grows under a loop": (
        f"def f(x, rng):\n    d = {{0: 0}}\n    try:\n        for k in d:\n            d[k + 1] = 0\n    except RuntimeError:\n        return {B}",
        FAIR,
    ),
    "keys that change under a loop": (
        f"def f(x, rng):\n    d = {{0: 0}}\n    n = 0\n    try:\n        for k in d:\n            n += 1\n            del d[k]\n            d[k + 1] = 0\n    except RuntimeError:\n        return {B}\n    return n + 5",
        FAIR,
    ),
    "an array that changes under a loop": (
        f"import numpy as np\ndef f(x, rng):\n    a = np.zeros(2, int)\n    n = 0\n    for v in a:\n        n += int(v)\n        a[1] = {B}\n    return n",
        FAIR,
    ),
    "a list that loses items under a loop": (
        f"def f(x, rng):\n    a = [0, 1, 2, 3]\n    n = 0\n    for v in a:\n        n += 1\n        a.remove(v)\n    return n * 10 + len(a) + {B}",
        {22: HALF, 23: HALF},
    ),
    "an iterator that has ended stays so": (
        f"def f(x, rng):\n    a = [1]\n    i = iter(a)\n    list(i)\n    a.append({B})\n    return next(i, 7)",
        {7: 1},
    ),
    "a dict's iterator that has ended": (
        f"def f(x, rng):\n    d = {{1: 1}}\n    i = iter(d)\n    list(i)\n    d[2] = {B}\n    return next(i, 7)",
        {7: 1},
    ),
    "pairs merged into a dict": (
        f"def f(x, rng):\n    d = {{}}\n    try:\n        d |= [(1, {B})]\n    except TypeError:\n        return 9\n    return d[1]",
        FAIR,
    ),
    "a list added to itself": (f"def f(x, rng):\n    a = [{B}]\n    b = a\n    a += a\n    return len(b) + sum(b)", {2: HALF, 4: HALF}),
    "times in place": (f"def f(x, rng):\n    a = [1]\n    b = a\n    a *= 1 + {B}\n    return len(b)", {1: HALF, 2: HALF}),
    "rows of one list": (f"def f(x, rng):\n    a = [[0]] * 2\n    a[{B}][0] = 3\n    return a[0][0]", {3: 1}),
    "a slice with a step": (
        f"def f(x, rng):\n    a = [0, 1, 2, 3]\n    a[::2] = [{B}, 5]\n    del a[1::2]\n    return a[0] * 10 + a[1]",
        {5: HALF, 15: HALF},
    ),
    # classes
    "private names": (
        f"class A:\n    def __init__(self, n):\n        self.__n = n\n    def a(self):\n        return self.__n\nclass B(A):\n    def __init__(self, n):\n        A.__init__(self, n)\n        self.__n = 9\n"
        f"def f(x, rng):\n    return B({B}).a()",
        FAIR,
    ),
    "a private name asked for by text": (
        f"class A:\n    def __init__(self):\n        self.__n = 9\ndef f(x, rng):\n    return getattr(A(), '__n', {B})",
        FAIR,
    ),
    "the right operand is of a class below": (
        "class A:\n    def __add__(self, other):\n        return 1\n    def __radd__(self, other):\n        return 2\nclass B(A):\n    def __radd__(self, other):\n        return 3\n"
        f"def f(x, rng):\n    return (A() + B()) + {B}",
        {3: HALF, 4: HALF},
    ),
    "a frozen class below": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    a: int = 0\nclass Q(P):\n    pass\n"
        f"def f(x, rng):\n    q = Q()\n    try:\n        q.a = 5\n    except AttributeError:\n        return {B}\n    return q.a",
        FAIR,
    ),
    "default_factory makes another each time": (
        "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    a: list = field(default_factory=list)\n"
        f"def f(x, rng):\n    p, q = P(), P()\n    p.a.append({B})\n    return len(p.a) * 10 + len(q.a)",
        {10: 1},
    ),
    "fields of two dataclasses": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int = 1\n    b: int = 2\n@dataclass\nclass Q(P):\n    c: int = 3\n    a: int = 4\n"
        f"def f(x, rng):\n    q = Q(5, c={B})\n    return q.a * 100 + q.b * 10 + q.c",
        {520: HALF, 521: HALF},
    ),
    "equality of two dataclasses": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n@dataclass\nclass Q:\n    a: int\n"
        f"def f(x, rng):\n    return int(P({B}) == P(1)) + 2 * int(P(1) == Q(1))",
        FAIR,
    ),
    "a class attribute under an instance's": (
        f"class C:\n    n = 5\ndef f(x, rng):\n    a, b = C(), C()\n    a.n += {B}\n    return a.n * 10 + b.n",
        {55: HALF, 65: HALF},
    ),
    "truth by length": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __len__(self):\n        return self.n\ndef f(x, rng):\n    return 1 if C({B}) else 0",
        FAIR,
    ),
    "truth that is no truth": (
        f"class C:\n    def __bool__(self):\n        return 1\ndef f(x, rng):\n    try:\n        return 5 if C() else 6\n    except TypeError:\n        return {B}",
        FAIR,
    ),
    "a hash of its own": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __hash__(self):\n        return 1\n    def __eq__(self, other):\n        return True\ndef f(x, rng):\n    return len({{C(0), C({B})}})",
        {1: 1},
    ),
    "objects as keys": (
        f"class C:\n    pass\ndef f(x, rng):\n    a, b = C(), C()\n    d = {{a: 1, b: 2}}\n    return d[a if {B} else b]",
        {1: HALF, 2: HALF},
    ),
    "order of its own in sorted": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        return self.n > other.n\ndef f(x, rng):\n    return sorted([C(0), C({B})])[0].n",
        FAIR,
    ),
    "max of objects with an order": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __gt__(self, other):\n        return self.n > other.n\ndef f(x, rng):\n    return max(C(0), C({B})).n",
        FAIR,
    ),
    "a static and a class method": (
        f"class C:\n    n = 1\n    @staticmethod\n    def s(a):\n        return a\n    @classmethod\n    def c(cls, a):\n        return cls.n + a\nclass D(C):\n    n = 3\ndef f(x, rng):\n    return D.s({B}) + 10 * D().c(0)",
        {30: HALF, 31: HALF},
    ),
    "called as a function": (
        f"class C:\n    def __init__(self):\n        self.n = 0\n    def __call__(self, v):\n        self.n += v\n        return self.n\ndef f(x, rng):\n    c = C()\n    c({B})\n    return c(1)",
        {1: HALF, 2: HALF},
    ),
    # iteration
    "islice that begins after its end": (
        f"from itertools import islice\ndef f(x, rng):\n    i = iter([0, 1, 2, 3, 4, 5, 6])\n    list(islice(i, 4, 2))\n    return next(i) + {B}",
        {4: HALF, 5: HALF},
    ),
    "islice to before the beginning": (
        f"from itertools import islice\ndef f(x, rng):\n    try:\n        return len(list(islice([1, 2], -1)))\n    except ValueError:\n        return {B}",
        FAIR,
    ),
    "zip takes one more": (
        f"def f(x, rng):\n    a, b = iter([1, 2, 3]), iter([{B}])\n    list(zip(a, b))\n    return next(a)",
        {3: 1},
    ),
    "zip that is strict": (
        f"def f(x, rng):\n    try:\n        return len(list(zip([1], [1] * (1 + {B}), strict=True)))\n    except ValueError:\n        return 0",
        FAIR,
    ),
    "map of two": (f"def f(x, rng):\n    return sum(map(lambda a, b: a * b, [1, 2], [{B}, 3, 4]))", {6: HALF, 7: HALF}),
    "the same iterator twice": (
        f"def f(x, rng):\n    i = iter([1, 2, 3, {B}])\n    return sum(a * b for a, b in zip(i, i))",
        {2: HALF, 5: HALF},
    ),
    "reversed and enumerated": (
        f"def f(x, rng):\n    return sum(i * v for i, v in enumerate(reversed([{B}, 2]), 1))",
        {2: HALF, 4: HALF},
    ),
    "yield from": (
        f"def g(rng):\n    yield {B}\n    yield 2\ndef h(rng):\n    yield from g(rng)\n    yield 3\ndef f(x, rng):\n    return sum(h(rng))",
        {5: HALF, 6: HALF},
    ),
    "text added up": (
        f"def f(x, rng):\n    try:\n        return sum(['a', 'b'], '')\n    except TypeError:\n        return {B}",
        FAIR,
    ),
    "accumulate by name": (
        f"from itertools import accumulate\ndef f(x, rng):\n    return list(accumulate([1, {B}, 3], func=max))[-1] + list(accumulate([1], initial=5))[1]",
        {9: 1},
    ),
    "enumerate by name": (f"def f(x, rng):\n    return sum(i for i, _ in enumerate(iterable=[{B}], start=4))", {4: 1}),
    # numbers and text
    "an integer that is too long for text": (
        f"def f(x, rng):\n    n = 10 ** 5000\n    try:\n        return len(f'{{n}}')\n    except ValueError:\n        return {B}",
        FAIR,
    ),
    "an integer that is too long for %": (
        f"def f(x, rng):\n    n = 10 ** 5000\n    try:\n        return len('%d' % n)\n    except ValueError:\n        return {B}",
        FAIR,
    ),
    "text that is too long for an integer": (
        f"def f(x, rng):\n    try:\n        return int('9' * 5000) % 10\n    except ValueError:\n        return {B}",
        FAIR,
    ),
    "halves round to even": (f"def f(x, rng):\n    return round(2.5) * 10 + round(3.5) + {B}", {24: HALF, 25: HALF}),
    "infinity is no integer": (f"def f(x, rng):\n    try:\n        return int(1e308 * 10)\n    except OverflowError:\n        return {B}", FAIR),
    "nan is greater than nothing": (
        f"def f(x, rng):\n    n = 1e308 * 10 - 1e308 * 10\n    return int(n > 0) + int(n < 0) + int(n != n) + {B} + int(max(1.0, n) == 1.0)",
        {2: HALF, 3: HALF},
    ),
    "nan in a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: float\n"
        f"def f(x, rng):\n    p = P(float('nan'))\n    return 5 if p == p else {B}",
        None,  # True up to 3.12, since tuples are compared there, and False from 3.13 on
    ),
    "True is 1 in sums": (f"def f(x, rng):\n    return (({B} == 1) + True) * 2 - (not {B})", {1: QUARTER, 2: QUARTER, 3: QUARTER, 4: QUARTER}),
    "shifts and powers of negative numbers": (f"def f(x, rng):\n    return (-5 >> 1) + (-2) ** 3 + (~{B})", {-12: HALF, -13: HALF}),
    "remainders of floats": (f"def f(x, rng):\n    return int(-7.5 % 2 == 0.5) * 2 + int(-7.5 // 2 == -4.0) + {B} * 4", {3: HALF, 7: HALF}),
    "an integer and a float that is near": (
        f"def f(x, rng):\n    return int(2 ** 53 + 1 == float(2 ** 53 + 1)) + {B}",
        FAIR,
    ),
    "a fraction is its float": (
        f"from fractions import Fraction\ndef f(x, rng):\n    return int(Fraction(1, 2) == 0.5) + int(Fraction(1, 10) == 0.1) * 2 + {B}",
        {1: HALF, 2: HALF},
    ),
    "a fraction in a format": (
        f"from fractions import Fraction\ndef f(x, rng):\n    try:\n        return f'{{Fraction(1, 4):.2f}}'\n    except TypeError:\n        return str({B})",
        None,  # a TypeError up to 3.11
    ),
    "widths that are worked out": (f"def f(x, rng):\n    w = 3 + {B}\n    return f'{{x:0{{w}}d}}'", {"000": HALF, "0000": HALF}),
    "percent and a tuple": (f"def f(x, rng):\n    return '%s-%02d' % ('a', {B})", {"a-00": HALF, "a-01": HALF}),
    "numbers under one key": (
        f"def f(x, rng):\n    d = {{1: 'a', 1.0: 'b', True: 'c'}}\n    return d[{B}] if 0 in d else str(len(d)) + d[1]",
        {"1c": 1},
    ),
    "starred, in the middle": (f"def f(x, rng):\n    a, *b, c = (*range(2), {B}, *'xy')\n    return len(b) * 10 + b[1]", {30: HALF, 31: HALF}),
    "assigned from left to right": (f"def f(x, rng):\n    i = 0\n    a = [5, 6]\n    i = a[i] = {B}\n    return a[0] * 10 + a[1]", {6: HALF, 51: HALF}),
    "compared in a chain of objects": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __lt__(self, other):\n        return self.n < other.n\ndef f(x, rng):\n    return int(C(-1) < C({B}) < C(1))",
        FAIR,
    ),
    "groups of exceptions": (
        f"def f(x, rng):\n    try:\n        raise ExceptionGroup('a', [ValueError()])\n    except* ValueError:\n        pass\n    return {B}",
        FAIR,
    ),
    "a rejection that never ends": (
        f"def f(x, rng):\n    while {B}:\n        while True:\n            {B}\n    return 1",
        {1: HALF},
    ),
    "deep, and back": (
        f"def g(n):\n    return n if n > 300 else g(n + 1)\ndef f(x, rng):\n    return g({B}) - 300",
        {1: 1},
    ),
    "a default that is worked out at once": (
        f"n = 1\ndef g(a=n):\n    return a\nn = 5\ndef f(x, rng):\n    return g() + n * {B}",
        {1: HALF, 6: HALF},
    ),
    "decorators from below": (
        f"def a(g):\n    return lambda x, rng: g(x, rng) + 1\ndef b(g):\n    return lambda x, rng: g(x, rng) * 10\n@a\n@b\ndef f(x, rng):\n    return {B}",
        {1: HALF, 11: HALF},
    ),
    "a partial as a method": (
        "from functools import partial\ndef g(a, b=7):\n    return b if b == 7 else 8\n"
        f"class C:\n    m = partial(g, 1)\ndef f(x, rng):\n    return C().m() * 10 + {B}",
        None,  # a method from 3.14 on
    ),
    "the name of the file": (f"def f(x, rng):\n    return {B} if __name__ == '__main__' else 3", {3: 1}),
    # a second round
    "the name of an exception is gone where another is raised": (
        f"def f(x, rng):\n    try:\n        try:\n            raise ValueError\n        except ValueError as e:\n            raise KeyError\n    except KeyError:\n        pass\n"
        f"    try:\n        return 1 if e else 2\n    except UnboundLocalError:\n        return 5 + {B}",
        {5: HALF, 6: HALF},
    ),
    "the name of an exception is gone after a continue": (
        f"def f(x, rng):\n    e = 0\n    for i in range(2):\n        try:\n            if i:\n                return 1 if e else 2\n            raise ValueError\n        except ValueError as e:\n            continue\n        except UnboundLocalError:\n            return 5 + {B}",
        {5: HALF, 6: HALF},
    ),
    "unpacking takes one more": (
        f"def f(x, rng):\n    seen = []\n    def g():\n        for i in range(5):\n            seen.append(i)\n            yield i\n    try:\n        a, b = g()\n    except ValueError:\n        return len(seen) + {B}",
        {3: HALF, 4: HALF},
    ),
    "unpacking what has no end": (
        f"from itertools import count\ndef f(x, rng):\n    try:\n        a, b = count()\n    except ValueError:\n        return {B}",
        FAIR,
    ),
    "a power of nothing": (f"import math\ndef f(x, rng):\n    return int(math.pow(0, 0.5) == 0.0) + {B}", {1: HALF, 2: HALF}),
    "a logarithm to base one": (
        f"import math\ndef f(x, rng):\n    try:\n        return math.log(5, 1) > 0\n    except ValueError:\n        return 5\n    except ZeroDivisionError:\n        return {B}",
        FAIR,
    ),
    "the logarithm of a long integer": (f"import math\ndef f(x, rng):\n    return int(math.log(10 ** 400) > 900) + {B}", {1: HALF, 2: HALF}),
    "a global hidden by a local": (
        f"n = 1\ndef f(x, rng):\n    try:\n        n = n + 1\n    except UnboundLocalError:\n        n = {B}\n    return n",
        FAIR,
    ),
    "names of a class are not those of its methods": (
        f"n = 1\nclass C:\n    n = 5\n    m = [n for _ in range(1)]\n    def g(self):\n        return n\ndef f(x, rng):\n    return C().g() * 10 + C.m[0] + {B}",
        {11: HALF, 12: HALF},
    ),
    "an item evaluated once": (
        f"def f(x, rng):\n    n = []\n    def g():\n        n.append(1)\n        return 0\n    a = [5]\n    a[g()] += {B}\n    return a[0] + 10 * len(n)",
        {15: HALF, 16: HALF},
    ),
    "an attribute evaluated once": (
        f"class C:\n    n = 0\ndef f(x, rng):\n    c, seen = C(), []\n    def g():\n        seen.append(1)\n        return c\n    g().n += {B}\n    return c.n + 10 * len(seen)",
        {10: HALF, 11: HALF},
    ),
    "the value before the place": (
        f"def f(x, rng):\n    n = []\n    def g(v):\n        n.append(v)\n        return 0\n    a = [0]\n    a[g(1)] = g(2)\n    return n[0] + 10 * {B}",
        {2: HALF, 12: HALF},
    ),
    "keys before values": (
        f"def f(x, rng):\n    n = []\n    def g(v):\n        n.append(v)\n        return v\n    d = {{g(i): g(i + 5) for i in range(2)}}\n    return n[1] + 10 * {B}",
        {5: HALF, 15: HALF},
    ),
    "trees by yield from": (
        f"def g(t):\n    if isinstance(t, tuple):\n        for s in t:\n            yield from g(s)\n    else:\n        yield t\ndef f(x, rng):\n    return sum(i * v for i, v in enumerate(g((1, (2, ({B}, 3))))))",
        {11: HALF, 13: HALF},
    ),
    "what has no end, cut": (
        f"from itertools import count, takewhile, islice\ndef f(x, rng):\n    return sum(islice(count(1, 2), 1, 5, 2)) // 10 + len(list(takewhile(lambda v: v < 3 + {B}, count()))) - 1",
        {3: HALF, 4: HALF},
    ),
    "StopIteration caught": (
        f"def f(x, rng):\n    i = iter([{B}])\n    next(i)\n    try:\n        next(i)\n    except StopIteration:\n        return 3\n    return 4",
        {3: 1},
    ),
    "exceptions with a class of their own": (
        f"class A(Exception):\n    code = 1\nclass C(A):\n    code = 2\ndef f(x, rng):\n    try:\n        raise (C if {B} else A)('why', 5)\n    except C as e:\n        return e.code * 10 + e.args[1]\n    except A as e:\n        return e.code",
        {25: HALF, 1: HALF},
    ),
    "raise from": (
        f"def f(x, rng):\n    try:\n        try:\n            [].pop()\n        except IndexError as e:\n            raise ValueError(str({B})) from e\n    except ValueError as e:\n        return str(e)",
        {"0": HALF, "1": HALF},
    ),
    "a bare handler": (f"def f(x, rng):\n    try:\n        {{}}[{B}]\n    except:\n        return 2", {2: 1}),
    "finally over an exception": (
        f"def f(x, rng):\n    n = []\n    def g():\n        try:\n            n.append(1)\n            raise KeyError\n        finally:\n            n.append(2)\n    try:\n        g()\n    except KeyError:\n        n.append({B})\n    return sum(n)",
        {3: HALF, 4: HALF},
    ),
    "while else": (f"def f(x, rng):\n    n = 0\n    while n < 2:\n        n += 1\n        if {B}:\n            break\n    else:\n        return 7\n    return n", {1: HALF, 2: QUARTER, 7: QUARTER}),
    "a view kept over a question": (
        f"import numpy as np\ndef f(x, rng):\n    a = np.arange(6).reshape(2, 3)\n    b, c, d = a[1:], a.T, a[[0]]\n    rng.getrandbits(1)\n    b[0, 0] = 7 + {B}\n    d[0, 0] = 99\n    return int(c[0, 1]) + int(a[0, 0])",
        {7: HALF, 8: HALF},
    ),
    "an array in place, under two names": (
        f"import numpy as np\ndef f(x, rng):\n    a = np.zeros(2, int)\n    b = a\n    {B}\n    a += 1\n    a = a + {B}\n    return int(b[0]) * 10 + int(a[0])",
        {11: HALF, 12: HALF},
    ),
    "bytes that wrap round": (f"import numpy as np\ndef f(x, rng):\n    return int(np.uint8(250) + np.uint8(6 + {B}))", FAIR),
    "a lambda that is called at once": (f"def f(x, rng):\n    return (lambda a, *b, c=2: a + len(b) + c)({B}, 1, 1)", {4: HALF, 5: HALF}),
    "functions in a list": (f"def f(x, rng):\n    g = [abs, lambda v: v + 5, str]\n    return g[{B}](-1)", {1: HALF, 4: HALF}),
    "closures share a cell": (
        f"def f(x, rng):\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n    def get():\n        return n\n    up()\n    if {B}:\n        up()\n    n += 10\n    return get()",
        {11: HALF, 12: HALF},
    ),
    "two closures of two calls": (
        f"def make():\n    n = []\n    return lambda v: n.append(v) or len(n)\ndef f(x, rng):\n    a, b = make(), make()\n    a({B})\n    b(1)\n    return a(1) * 10 + b(1)",
        {22: 1},
    ),
    "a default of a function that is made in the call": (
        f"def f(x, rng):\n    def g(v, kept=[]):\n        kept.append(v)\n        return len(kept)\n    g(0)\n    return g({B})",
        {2: 1},
    ),
    "a name and its own index": (f"def f(x, rng):\n    a, i = [0, 0, 0], 0\n    for i, a[i] in enumerate([5, {B}, 7]):\n        pass\n    return a[0] * 100 + a[1] * 10 + a[2]", {507: HALF, 517: HALF}),
    "the last value of a loop": (f"def f(x, rng):\n    for i in range(3 + {B}):\n        pass\n    return i", {2: HALF, 3: HALF}),
    "a loop's variable, changed": (f"def f(x, rng):\n    n = 0\n    for i in range(3):\n        n += i\n        i = 10 * {B}\n    return n", {3: 1}),
    "text with a sum": (f"def f(x, rng):\n    v = {B}\n    return f'{{v + 1 = }}|{{v!r:>3}}|{{{{}}}}'", {"v + 1 = 1|  0|{}": HALF, "v + 1 = 2|  1|{}": HALF}),
    "a set from a comprehension": (f"def f(x, rng):\n    return len({{v % 3 for v in range(3 + {B})}})", {3: 1}),
    "in a range, in text": (f"def f(x, rng):\n    return int(4 in range(0, 5 + {B}, 2)) + 2 * int('bc' in 'abcd') + 4 * int(1.0 in [1])", {7: 1}),
    "not and or": (f"def f(x, rng):\n    return (not {B} or []) and 5 or [] or 6", {5: HALF, 6: HALF}),
    "a conditional within a conditional": (f"def f(x, rng):\n    return 1 if {B} else 2 if {B} else 3", {1: HALF, 2: QUARTER, 3: QUARTER}),
    "del in a loop": (f"def f(x, rng):\n    a = [1, 2, 3]\n    for i in range(len(a) - 1, -1, -1):\n        if {B}:\n            del a[i]\n    return len(a)", {0: EIGHTH, 1: 3 * EIGHTH, 2: 3 * EIGHTH, 3: EIGHTH}),
    "a copy that is shallow": (f"def f(x, rng):\n    a = [[0], 1]\n    b = a.copy()\n    b[0].append({B})\n    b[1] = 5\n    return len(a[0]) * 10 + a[1]", {21: 1}),
    "setdefault and get": (f"def f(x, rng):\n    d = {{}}\n    for v in (0, {B}):\n        d.setdefault(v, []).append(v)\n    return len(d) * 10 + len(d.get(1, 'abc'))", {13: HALF, 21: HALF}),
    "popped from a dict while it is listed": (f"def f(x, rng):\n    d = {{0: 1, 1: 2}}\n    for k in list(d):\n        if k == {B}:\n            d.pop(k)\n    return sum(d.values())", {0: QUARTER, 1: QUARTER, 2: QUARTER, 3: QUARTER}),
    "compared with None": (f"def f(x, rng):\n    try:\n        return int(None < {B})\n    except TypeError:\n        return int(None == 0) + 5", {5: 1}),
    "sorted by two": (f"def f(x, rng):\n    try:\n        return len(sorted([1, 'a', {B}]))\n    except TypeError:\n        return {B}", FAIR),
    "sorted in place, with a key that raises": (
        f"def f(x, rng):\n    a = [2, 1, 0]\n    try:\n        a.sort(key=lambda v: 1 // v)\n    except ZeroDivisionError:\n        pass\n    return a[0] + {B}",
        {2: HALF, 3: HALF},
    ),
    "numbers in text": (f"def f(x, rng):\n    return int(' 1_0 ') + int('-0b1', 0) + int('z', 36) + int(float('1e1')) + {B}", {54: HALF, 55: HALF}),
    # a third round
    "what an expression gives back to yield": (
        f"def g():\n    v = yield 1\n    yield 5 if v is None else 6\ndef f(x, rng):\n    return sum(g()) + {B}",
        {6: HALF, 7: HALF},
    ),
    "nonlocal, two levels up": (
        f"def f(x, rng):\n    n = 0\n    def a():\n        def b():\n            nonlocal n\n            n += {B}\n        b()\n        b()\n    a()\n    return n",
        {0: QUARTER, 1: HALF, 2: QUARTER},
    ),
    "a walrus as a condition": (
        f"def f(x, rng):\n    n = 0\n    while (v := n + {B}) < 1:\n        n = v + 1\n    return v * 10 + n",
        {10: HALF, 11: QUARTER, 21: QUARTER},
    ),
    "a function in the attributes of an object": (
        f"class C:\n    def __init__(self):\n        self.g = lambda *a: len(a)\n    h = lambda *a: len(a)\ndef f(x, rng):\n    c = C()\n    return c.g() * 10 + c.h() + {B}",
        {1: HALF, 2: HALF},
    ),
    "the class of an object": (
        f"class A:\n    n = 1\n    def g(self):\n        return self.__class__.n * 10 + type(self).n\nclass C(A):\n    n = 2\ndef f(x, rng):\n    return [A(), C()][{B}].g()",
        {11: HALF, 22: HALF},
    ),
    "an object that is gone through": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        while self.n:\n            self.n -= 1\n            yield self.n\ndef f(x, rng):\n    c = C(2 + {B})\n    return len(list(c)) * 10 + len(list(c))",
        {20: HALF, 30: HALF},
    ),
    "a property under another": (
        f"class A:\n    @property\n    def n(self):\n        return 1\nclass C(A):\n    @property\n    def n(self):\n        return 2\ndef f(x, rng):\n    return (C() if {B} else A()).n",
        {1: HALF, 2: HALF},
    ),
    "after init": (
        f"from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    def __post_init__(self):\n        self.b = self.a + 1\n        return 9\ndef f(x, rng):\n    return P({B}).b",
        {1: HALF, 2: HALF},
    ),
    "items of an object": (
        f"class C:\n    def __getitem__(self, k):\n        return k * 2\ndef f(x, rng):\n    return C()[3 + {B}]",
        {6: HALF, 8: HALF},
    ),
    "minus of its own": (
        f"class C:\n    def __init__(self, n):\n        self.n = n\n    def __neg__(self):\n        return C(-self.n)\n    def __rsub__(self, other):\n        return other * 10 - self.n\ndef f(x, rng):\n    return 5 - -C({B})",
        {50: HALF, 51: HALF},
    ),
    "what None cannot": (f"def f(x, rng):\n    try:\n        return None + {B}\n    except TypeError:\n        return 3", {3: 1}),
    "a number that is called": (f"def f(x, rng):\n    try:\n        return {B}()\n    except TypeError:\n        return 3", {3: 1}),
    "a number that is unpacked": (f"def f(x, rng):\n    try:\n        a, b = {B}\n    except TypeError:\n        return 3", {3: 1}),
    "an argument too many": (f"def g(a):\n    return a\ndef f(x, rng):\n    try:\n        return g({B}, 1)\n    except TypeError:\n        return 3", {3: 1}),
    "an argument too few": (f"def g(a, *, b):\n    return a\ndef f(x, rng):\n    try:\n        return g({B})\n    except TypeError:\n        return 3", {3: 1}),
    "text that is no number": (f"def f(x, rng):\n    try:\n        return int('x1'[{B}])\n    except ValueError:\n        return 3", {1: HALF, 3: HALF}),
    "what is not in a list": (f"def f(x, rng):\n    a = [0]\n    try:\n        a.remove({B})\n    except ValueError:\n        return 3\n    return len(a)", {0: HALF, 3: HALF}),
    "what is not in text": (f"def f(x, rng):\n    try:\n        return 'ab'.index('bc'[{B}])\n    except ValueError:\n        return 'ab'.find('c') + 9", {1: HALF, 8: HALF}),
    "joined with a number": (f"def f(x, rng):\n    try:\n        return ','.join(v for v in ['a', ('b', 1)[{B}]])\n    except TypeError:\n        return 'no'", {"a,b": HALF, "no": HALF}),
    "an empty dict popped": (f"def f(x, rng):\n    d = {{1: 1}} if {B} else {{}}\n    try:\n        return d.popitem()[0]\n    except KeyError:\n        return 0", FAIR),
    "dicts laid over each other": (f"def f(x, rng):\n    d = {{'a': 1, 'b': 2}} | {{'c': 3, 'a': {B}}}\n    return ''.join(d) + str(d['a']) + str(len({{**d, 'z': 0}}))", {"abc04": HALF, "abc14": HALF}),
    "sets in order of size": (f"def f(x, rng):\n    return int({{1}} < {{1, 2}}) + 2 * int({{1, 2}} >= {{2, {B}}}) + 4 * len({{1, 2}} ^ {{2, 3}})", {9: HALF, 11: HALF}),
    "bytes": (f"def f(x, rng):\n    b = bytes([65, 66 + {B}]) + b'x'\n    return b[1] * 1000 + int.from_bytes(b[:2], 'big') % 1000 + len(b.hex())", {66712: HALF, 67713: HALF}),
    "ranges": (f"def f(x, rng):\n    r = range(10, 0, -3)\n    return r[::-1][{B}] * 100 + len(r) * 10 + int(range(0) == range(5, 2))", {141: HALF, 441: HALF}),
    "remainders and inverses": (f"def f(x, rng):\n    q, r = divmod(-7, 2 + {B})\n    return q * 100 + r * 10 + pow(3, -1, 7)", {-385: HALF, -275: HALF}),
    "columns of rows": (f"def f(x, rng):\n    return [sum(c) for c in zip(*[[1, 2], [3, {B}]])][1]", {2: HALF, 3: HALF}),
    "lists added up": (f"def f(x, rng):\n    return len(sum([[1], [2] * {B}], []))", {1: HALF, 2: HALF}),
    "an order of lists": (f"def f(x, rng):\n    return int([1, {B}] < [1, 1, 0]) + 2 * int('Z' < 'a') + 4 * int((1,) > ())", {7: 1}),
    "empty and true": (f"def f(x, rng):\n    return sum(bool(v) for v in ('', ' ', (), (0,), 0.0, {B}, None, {{}}, range(0), b'0'))", {3: HALF, 4: HALF}),
    "one of several equal ones": (f"def f(x, rng):\n    return max([(1, 'a'), (1, 'b'), (0, 'c')], key=lambda t: t[0])[1] + min(['bb', 'a', 'c'][{B}:], key=len)", {"aa": 1}),
    "text taken apart": (f"def f(x, rng):\n    a, _, b = 'k=v=w'.partition('=')\n    return a + b + ' a  b '.split()[{B}] + 'x,y,'.split(',')[2] + 'abcabc'.replace('b', '', 1)", {"kv=waacabc": HALF, "kv=wbacabc": HALF}),
    "a float of many digits": (f"def f(x, rng):\n    return f'{{2.675:.2f}} {{1e16}} {{0.1 + 0.2}} {{5e-324}} {{{B}}}'", {"2.67 1e+16 0.30000000000000004 5e-324 0": HALF, "2.67 1e+16 0.30000000000000004 5e-324 1": HALF}),
    "rounding that is not": (f"def f(x, rng):\n    return int(round(2.675, 2) == 2.67) + int(int(2 ** 53 + 0.5) == 2 ** 53) + int(0.1 * 3 == 0.3) + {B}", {2: HALF, 3: HALF}),
    "a long sum": (f"def f(x, rng):\n    return {' + '.join(['1'] * 900)} + {B}", {900: HALF, 901: HALF}),
    "nested far down": (f"def f(x, rng):\n    a = []\n    for _ in range(5000):\n        a = [a]\n    return {B} * len(a)", FAIR),
    "a list that holds itself": (f"def f(x, rng):\n    a = [1]\n    a.append(a)\n    return a[1][1][0] + {B}", {1: HALF, 2: HALF}),
    "two that hold each other": (
        f"class C:\n    pass\ndef f(x, rng):\n    a, b = C(), C()\n    a.o, b.o = b, a\n    {B}\n    a.n = {B}\n    return b.o.n",
        FAIR,
    ),
    "a generator that is handed on": (
        f"def g(rng):\n    while True:\n        yield {B}\ndef h(it):\n    next(it)\n    return next(it) * 10\ndef f(x, rng):\n    it = g(rng)\n    return h(it) + next(it)",
        {0: QUARTER, 1: QUARTER, 10: QUARTER, 11: QUARTER},
    ),
    "a loop left in the middle of a generator": (
        f"def f(x, rng):\n    it = (v for v in range(5))\n    for v in it:\n        if v == 1 + {B}:\n            break\n    return next(it, 9)",
        {2: HALF, 3: QUARTER, 9: QUARTER},
    ),
    "a table that functions fill at load": (
        f"def fill():\n    t = {{}}\n    for i in range(3):\n        t.setdefault(i % 2, []).append(i)\n    return t\nT = fill()\ndef f(x, rng):\n    return len(T[{B}])",
        {2: HALF, 1: HALF},
    ),
    "a function defined again": (f"def g():\n    return 1\ndef h():\n    return g()\ndef g():\n    return 2\ndef f(x, rng):\n    return h() + {B}", {2: HALF, 3: HALF}),
}  # fmt: skip

# Those that are refused, and what is said of them.
REFUSED = {
    "a keyword given twice": "a keyword that is given twice",
    "keys that change under a loop": "a change of a dict that is looped over",
    "pairs merged into a dict": "an operator in place of a dict",
    "a private name asked for by text": "getattr of __n",
    "the right operand is of a class below": "whose class is derived from it",
    "a frozen class below": "whose class is derived from a frozen one",
    "a hash of its own": "the hash of C",
    "order of its own in sorted": "an order of an object of C",
    "nan is greater than nothing": "nan that is kept over a question",
    "nan in a dataclass": "which Python 3.13 takes in another way",
    "a fraction in a format": "which Python has from 3.12 on",
    "groups of exceptions": "a statement `except*`",
    "a partial as a method": "which Python 3.14 calls in another way",
    "the name of the file": "the name __name__",
    "a long sum": "an expression, or a statement, that is nested so deeply",
    "nested far down": "what is nested so deeply, and kept over a question,",
    "the logarithm of a long integer": "math.log of an integer beyond floats",
}
