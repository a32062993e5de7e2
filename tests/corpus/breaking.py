# ruff: noqa: E501
"""Files that try to break the audit of code: each is followed with the law that stands with it, or refused.

A file's function is f(x, rng), its inputs are 0 and 1. "refused" may be said of any; a law, of input 0, was worked out by
hand, and where none stands the file must be refused, since its law is none of x and rng alone, or one that nobody
defines. Files with `random.Random` alone are also run as they stand, under seeded sources, and compared run by run.
"""

from fractions import Fraction

HALF, QUARTER, EIGHTH, SIXTEENTH = (Fraction(1, 2**k) for k in (1, 2, 3, 4))
WARNER = {0: 1 - QUARTER, 1: QUARTER}
FAIR = {0: HALF, 1: HALF}
FLIP = "def flip(x, rng):\n    return x if rng.random() < 0.75 else 1 - x\n"
LEAK = FLIP + "def leak(x, rng, raw):\n    return x if raw else flip(x, rng)\n"

# State, the clock, the environment: what is not of x and rng alone ----------------------------------------------------

OUTSIDE = {
    "metaclass": "class M(type):\n    n = 0\n    def __call__(c):\n        M.n += 1\n        return M.n\n"
    "class C(metaclass=M): pass\ndef f(x, rng):\n    return leak(x, rng, C() % 97 == 5)",
    "slots": "class C:\n    __slots__ = ('n',)\nc = C()\nc.n = 0\ndef f(x, rng):\n    c.n += 1\n"
    "    return leak(x, rng, c.n % 97 == 5)",
    "hash object": "import hashlib\nh = hashlib.sha256()\ndef f(x, rng):\n    h.update(b'a')\n"
    "    return leak(x, rng, h.digest()[0] == 7)",
    "partial": "import functools\np = functools.partial(flip)\np.n = 0\ndef f(x, rng):\n    p.n += 1\n"
    "    return leak(x, rng, p.n % 97 == 5)",
    "module getattr": "import json\ndef f(x, rng):\n    json.n = getattr(json, 'n', 0) + 1\n"
    "    return leak(x, rng, json.n % 97 == 5)",
    "builtins": "import builtins\nbuiltins.n = 0\ndef f(x, rng):\n    builtins.n += 1\n"
    "    return leak(x, rng, builtins.n % 97 == 5)",
    "argv": "import sys\ndef f(x, rng):\n    return leak(x, rng, len(sys.argv) > 5)",
    "clock": "import time\ndef f(x, rng):\n    return leak(x, rng, time.time_ns() % 97 == 5)",
    "clock behind call": "import time\nclass C:\n    def __call__(self):\n        return time.time_ns()\nc = C()\n"
    "def f(x, rng):\n    return leak(x, rng, c() % 97 == 5)",
    "environment": "import os\ndef f(x, rng):\n    return leak(x, rng, 'LEAK' in os.environ)",
    "patched choice": "import random\nrandom.Random.choice = lambda self, listed: listed[0]\n"
    "def f(x, rng):\n    return rng.choice([x, 1 - x])",
    "patched by setattr": "import random\nsetattr(random.Random, 'choice', lambda self, listed: listed[0])\n"
    "def f(x, rng):\n    return rng.choice([x, 1 - x])",
    "patched builtin": "import builtins\nbuiltins.sum = len\ndef f(x, rng):\n    return sum([x, flip(x, rng)])",
    "vars": "vars()['HIDDEN'] = 1\ndef f(x, rng):\n    return leak(x, rng, HIDDEN)",
    "globals": "def f(x, rng):\n    globals()['N'] = globals().get('N', 0) + 1\n    return leak(x, rng, N % 97 == 5)",
    "exec": "def f(x, rng):\n    exec('global N; N = 1')\n    return flip(x, rng)",
    "eval": "def f(x, rng):\n    return eval('flip(x, rng)')",
    "global": "N = 0\ndef f(x, rng):\n    global N\n    N += 1\n    return leak(x, rng, N % 97 == 5)",
    "list": "KEPT = []\ndef f(x, rng):\n    KEPT.append(x)\n    return leak(x, rng, len(KEPT) % 97 == 5)",
    "list by +=": "KEPT = []\ndef f(x, rng):\n    kept = KEPT\n    kept += [x]\n    return leak(x, rng, len(kept) % 97 == 5)",
    "list in a tuple": "KEPT = ([],)\ndef f(x, rng):\n    KEPT[0].append(x)\n    return leak(x, rng, len(KEPT[0]) % 97 == 5)",
    "dict": "KEPT = {}\ndef f(x, rng):\n    return leak(x, rng, KEPT.setdefault('n', x) != x)",
    "default": "def f(x, rng, kept=[]):\n    kept.append(x)\n    return leak(x, rng, len(kept) % 97 == 5)",
    "keyword default": "def f(x, rng, *, kept={}):\n    kept[len(kept)] = x\n    return leak(x, rng, len(kept) % 97 == 5)",
    "closure": "def make():\n    n = 0\n    def f(x, rng):\n        nonlocal n\n        n += 1\n"
    "        return leak(x, rng, n % 97 == 5)\n    return f\nf = make()",
    "generator": "def numbers():\n    n = 0\n    while True:\n        n += 1\n        yield n\nNEXT = numbers()\n"
    "def f(x, rng):\n    return leak(x, rng, next(NEXT) % 97 == 5)",
    "counter": "import itertools\nNEXT = itertools.count()\ndef f(x, rng):\n    return leak(x, rng, next(NEXT) % 97 == 5)",
    "iterator": "NEXT = iter([0] * 50 + [1] * 50)\ndef f(x, rng):\n    return leak(x, rng, next(NEXT, 0))",
    "map": "NEXT = map(int, '0' * 50 + '1' * 50)\ndef f(x, rng):\n    return leak(x, rng, next(NEXT, 0))",
    "instance": "class C:\n    def __init__(self):\n        self.n = 0\nc = C()\ndef f(x, rng):\n    c.n += 1\n"
    "    return leak(x, rng, c.n % 97 == 5)",
    "class attribute": "class C:\n    n = 0\ndef f(x, rng):\n    C.n += 1\n    return leak(x, rng, C.n % 97 == 5)",
    "function attribute": "def f(x, rng):\n    f.n += 1\n    return leak(x, rng, f.n % 97 == 5)\nf.n = 0",
    "array": "import numpy as np\nT = np.zeros(3)\ndef f(x, rng):\n    T[0] += 1\n    return leak(x, rng, T[0] % 97 == 5)",
    "view of an array": "import numpy as np\nT = np.zeros(3)\nV = T[1:]\ndef f(x, rng):\n    v = V.reshape(2)\n    v[0] += 1\n"
    "    return leak(x, rng, T[1] % 97 == 5)",
    "array in place": "import numpy as np\nT = np.zeros(3)\ndef f(x, rng):\n    t = T\n    t += 1\n"
    "    return leak(x, rng, T[1] % 97 == 5)",
    "shuffled constant": "T = [0, 1, 2, 3]\ndef f(x, rng):\n    rng.shuffle(T)\n    return leak(x, rng, T[0] == 3)",
    "sorted constant": "T = [3, 1]\ndef f(x, rng):\n    raw = T[0] == 3\n    T.sort()\n    return leak(x, rng, raw)",
    "popped input": "def f(x, rng):\n    rng.n = getattr(rng, 'n', 0) + 1\n    return leak(x, rng, rng.n % 97 == 5)",
    "cache": "from functools import lru_cache\n@lru_cache(None)\ndef g(x):\n    return []\ndef f(x, rng):\n    g(x).append(1)\n"
    "    return leak(x, rng, len(g(x)) % 97 == 5)",
    "cached draw": "from functools import cache\n@cache\ndef f(x, rng):\n    return flip(x, rng)",
    "getattr of a class": "class C:\n    def __getattr__(self, name):\n        return len(name)\ndef f(x, rng):\n"
    "    return leak(x, rng, C().abc == 4)",
    "descriptor": "class D:\n    def __get__(self, one, kind):\n        return 1\nclass C:\n    d = D()\ndef f(x, rng):\n"
    "    return leak(x, rng, C().d)",
    "decorator with state": "N = []\ndef counted(g):\n    def h(x, rng):\n        N.append(1)\n        return leak(x, rng, len(N) % 97 == 5)\n"
    "    return h\n@counted\ndef f(x, rng):\n    return flip(x, rng)",
    "id": "def f(x, rng):\n    return leak(x, rng, id([]) % 97 == 5)",
    "hash": "def f(x, rng):\n    return leak(x, rng, hash('a') % 97 == 5)",
    "address": "def f(x, rng):\n    return leak(x, rng, str(object())[-3] == '0')",
    "address of a function": "def f(x, rng):\n    return leak(x, rng, f'{flip}'[-3] == '0')",
    "address in a list": "def f(x, rng):\n    return leak(x, rng, str([flip])[-4] == '0')",
    "order of a set": "def f(x, rng):\n    return leak(x, rng, list({'a', 'b'})[0] == 'a')",
    "order of a set in a loop": "def f(x, rng):\n    for c in {'a', 'b', 'c'}:\n        return leak(x, rng, c == 'a')",
    "set popped": "def f(x, rng):\n    return leak(x, rng, {'a', 'b'}.pop() == 'a')",
    "set in text": "def f(x, rng):\n    return leak(x, rng, str({'a', 'b'})[2] == 'a')",
    "set unpacked": "def f(x, rng):\n    a, *_ = {'a', 'b'}\n    return leak(x, rng, a == 'a')",
    "sum of a set of floats": "def f(x, rng):\n    return leak(x, rng, sum({0.1, 0.2, 0.3}) == 0.6)",
    "global random": "import random\ndef f(x, rng):\n    return x if random.random() < 0.75 else 1 - x",
    "seeded source": "import random\ndef f(x, rng):\n    return x if random.Random(0).random() < 0.75 else 1 - x",
    "identity of numbers": "def f(x, rng):\n    return leak(x, rng, 256 + x is 256)",
    "float as message": "def f(x, rng):\n    return 0.5 * flip(x, rng)",
    "object as message": "class C:\n    pass\ndef f(x, rng):\n    return C()",
    "frozen dataclass that hides": "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass C:\n"
    "    x: int = field(repr=False)\ndef f(x, rng):\n    return C(x)",
    "text that hides": "class S(str):\n    def __str__(self):\n        return 'same'\ndef f(x, rng):\n    return S(x)",
    "two types": "def f(x, rng):\n    return True if rng.random() < 0.5 else 1",
    "text of an exception": "def f(x, rng):\n    try:\n        [][0]\n    except IndexError as e:\n        return str(e)",
    "recursion": "def g(n):\n    return g(n + 1)\ndef f(x, rng):\n    try:\n        return g(0)\n    except RecursionError:\n"
    "        return leak(x, rng, True)",
    "what rng raises": "def f(x, rng):\n    try:\n        rng.laplace()\n    except AttributeError:\n        return x\n    return 1 - x",
    "what rng lacks": "def f(x, rng):\n    return leak(x, rng, hasattr(rng, 'laplace'))",
    "the type of rng": "def f(x, rng):\n    return leak(x, rng, type(rng).__name__ == 'Random')",
    "nan as a key": "def f(x, rng):\n    n = float('nan')\n    return leak(x, rng, n in {n: 1})",
    "order of nan": "def f(x, rng):\n    return leak(x, rng, sorted([1.0, float('nan'), 0.0])[0] == 0.0)",
    "sum of many floats by numpy": "import numpy as np\ndef f(x, rng):\n    return leak(x, rng, np.array([0.1] * 9).sum() == 0.9)",
    "import within": "def f(x, rng):\n    import os\n    return leak(x, rng, os.getpid() % 97 == 5)",
    "with": "import contextlib\ndef f(x, rng):\n    with contextlib.suppress(Exception):\n        return flip(x, rng)",
    "finally that returns": "def f(x, rng):\n    try:\n        rng.nothing()\n    finally:\n        return x",
    "star import": "from os import *\ndef f(x, rng):\n    return flip(x, rng)",
    "unknown call at load": "import os\nos.putenv('A', 'B')\ndef f(x, rng):\n    return flip(x, rng)",
    "loop at load": "import os\nfor name in os.listdir('.'):\n    N = len(name)\ndef f(x, rng):\n    return leak(x, rng, N % 97 == 5)",
    "nan kept over a question": "def f(x, rng):\n    n = float('nan')\n    kept = [n]\n    return leak(x, rng, rng.getrandbits(1) and n in kept)",
    "annotation": "import random\ndef g(x: setattr(random.Random, 'choice', lambda self, listed: listed[0])):\n    pass\n"
    "def f(x, rng):\n    return rng.choice([x, 1 - x])",
    "subclass hook": "import random\nclass A:\n    def __init_subclass__(cls):\n        random.Random.choice = lambda self, listed: listed[0]\n"
    "class B(A):\n    pass\ndef f(x, rng):\n    return rng.choice([x, 1 - x])",
    "body of a class": "import random\nclass A(metaclass=type):\n    random.Random.choice = lambda self, listed: listed[0]\n"
    "def f(x, rng):\n    return rng.choice([x, 1 - x])",
    "class with an item": "import random\nclass A:\n    def __class_getitem__(cls, key):\n        random.Random.choice = lambda self, listed: listed[0]\n"
    "A[0]\ndef f(x, rng):\n    return rng.choice([x, 1 - x])",
    "array by out": "import numpy as np\nT = np.zeros(1)\ndef f(x, rng):\n    np.add(T, 1, T)\n    return leak(x, rng, T[0] % 97 == 5)",
    "del": "class C:\n    def __del__(self):\n        KEPT.append(1)\nKEPT = []\ndef f(x, rng):\n    C()\n    return leak(x, rng, len(KEPT) % 97 == 5)",
}

# In the subset, with laws by hand -------------------------------------------------------------------------------------

INSIDE = {
    "aliased lists": (
        "def f(x, rng):\n    a = b = [x]\n    c = list(a)\n    b[0] = 1 - a[0] if rng.random() < 0.25 else a[0]\n"
        "    return a[0] + 2 * c[0]",
        {0: 1 - QUARTER, 1: QUARTER},
    ),
    "alias in a default": (
        "def f(x, rng, *, table=(1, 0)):\n    return table[x] if rng.random() < 0.25 else x",
        WARNER,
    ),
    "late binding": (
        "def f(x, rng):\n    gs = [lambda: i for i in range(2)]\n    return gs[0]() if rng.random() < 0.25 else x",
        WARNER,
    ),
    "early binding": (
        "def f(x, rng):\n    gs = [lambda i=i: i for i in range(2)]\n    return gs[1]() if rng.random() < 0.25 else x",
        WARNER,
    ),
    "walrus": ("def f(x, rng):\n    return (y := rng.getrandbits(1)) + (y << 1)", {0: HALF, 3: HALF}),
    "walrus in a comprehension": (
        "def f(x, rng):\n    kept = [last := rng.getrandbits(1) for _ in range(2)]\n    return last + 2 * sum(kept)",
        {0: QUARTER, 2: QUARTER, 3: QUARTER, 5: QUARTER},
    ),
    "scope of a comprehension": (
        "def f(x, rng):\n    i = 7\n    [i for i in range(3)]\n    return i if rng.random() < 0.25 else x",
        {0: 1 - QUARTER, 7: QUARTER},
    ),
    "nonlocal": (
        "def f(x, rng):\n    n = 0\n    def g():\n        nonlocal n\n        n += rng.getrandbits(1)\n    g()\n    g()\n    return n",
        {0: QUARTER, 1: HALF, 2: QUARTER},
    ),
    "generator kept": (
        "def bits(rng):\n    while True:\n        yield rng.getrandbits(1)\ndef f(x, rng):\n    g = bits(rng)\n"
        "    return next(g) + 2 * next(g)",
        {k: QUARTER for k in range(4)},
    ),
    "generator that ends": (
        "def one(rng):\n    yield rng.getrandbits(1)\ndef f(x, rng):\n    g = one(rng)\n    a = next(g)\n    return a + 2 * next(g, 3)",
        {6: HALF, 7: HALF},
    ),
    "generator closes over a later value": (
        "def f(x, rng):\n    n = 1\n    g = (n * b for b in (1, 1))\n    n = 2 + rng.getrandbits(1)\n    return sum(g)",
        {4: HALF, 6: HALF},
    ),
    "lazy map": ("def f(x, rng):\n    m = map(lambda k: k + rng.getrandbits(1), [0, 10])\n    return next(m)", FAIR),
    "zip stops": (
        "def f(x, rng):\n    return sum(a + rng.getrandbits(1) for a, _ in zip((0, 0), (1, 2, 3)))",
        {0: QUARTER, 1: HALF, 2: QUARTER},
    ),
    "any is lazy": (
        "def f(x, rng):\n    n = [0]\n    def g():\n        n[0] += 1\n        return rng.getrandbits(1)\n    any(g() for _ in range(3))\n    return n[0]",
        {1: HALF, 2: QUARTER, 3: QUARTER},
    ),
    "and is lazy": (
        "def f(x, rng):\n    return rng.getrandbits(1) and 2 + rng.getrandbits(1)",
        {0: HALF, 2: QUARTER, 3: QUARTER},
    ),
    "chained comparison": ("def f(x, rng):\n    return int(0 < rng.randrange(4) < 3)", FAIR),
    "chained, once": (
        "def f(x, rng):\n    n = []\n    def g():\n        n.append(1)\n        return rng.getrandbits(1)\n    0 <= g() < 5\n    return len(n)",
        {1: 1},
    ),
    "slices": (
        "def f(x, rng):\n    a = [0, 1, 2, 3]\n    a[1:3] = [rng.getrandbits(1)]\n    del a[0]\n    return a[-2] + a[::-1][0]",
        {3: HALF, 4: HALF},
    ),
    "negative division": (
        "def f(x, rng):\n    return -(rng.getrandbits(1) + 2) // 2 + 5 * (-7 % 3)",
        {9: HALF, 8: HALF},
    ),
    "big integers": (
        "def f(x, rng):\n    n = 10**30 + rng.getrandbits(1)\n    return (n * n - n) % 2 + 1",
        {1: Fraction(1)},
    ),
    "floats": ("def f(x, rng):\n    return int(0.1 + 0.2 == 0.3) + rng.getrandbits(1)", FAIR),
    "minus zero": (
        "def f(x, rng):\n    z = -0.0\n    return str(z) if rng.random() < 0.5 else str(0.0)",
        {"-0.0": HALF, "0.0": HALF},
    ),
    "minus zero kept over a question": (
        "def f(x, rng):\n    z = -0.0 if rng.random() < 0.5 else 0.0\n    rng.getrandbits(1)\n    rng.getrandbits(1) and 0\n    return str(z)",
        {"-0.0": HALF, "0.0": HALF},
    ),
    "true kept over a question": (
        "def f(x, rng):\n    z = True if rng.random() < 0.5 else 1\n    rng.getrandbits(1)\n    return str(z)",
        {"True": HALF, "1": HALF},
    ),
    "two names kept over a question": (
        "def f(x, rng):\n    a = [0]\n    b = a if rng.random() < 0.5 else [0]\n    rng.getrandbits(1)\n    b[0] = 1\n    return a[0]",
        FAIR,
    ),
    "nan": ("def f(x, rng):\n    n = float('nan')\n    return int(n == n) + rng.getrandbits(1)", FAIR),
    "infinity": ("def f(x, rng):\n    return x if rng.random() < float('inf') else 7", {0: 1}),
    "division by zero": (
        "def f(x, rng):\n    try:\n        return 1 // rng.getrandbits(1)\n    except ZeroDivisionError:\n        return 0",
        FAIR,
    ),
    "exceptions in order": (
        "def f(x, rng):\n    try:\n        raise KeyError(rng.getrandbits(1))\n    except (ValueError, LookupError) as e:\n        return e.args[0] if False else 5",
        {5: 1},
    ),
    "else and finally": (
        "def f(x, rng):\n    n = 0\n    try:\n        n += rng.getrandbits(1)\n    except ValueError:\n        n += 100\n    else:\n        n += 10\n"
        "    finally:\n        n += 1000\n    return n",
        {1010: HALF, 1011: HALF},
    ),
    "return through finally": (
        "def f(x, rng):\n    kept = []\n    def g():\n        try:\n            return rng.getrandbits(1)\n        finally:\n            kept.append(1)\n"
        "    return g() + 2 * len(kept)",
        {2: HALF, 3: HALF},
    ),
    "raise again": (
        "class Mine(ValueError):\n    pass\ndef f(x, rng):\n    try:\n        try:\n            raise Mine\n        except ValueError:\n            raise\n"
        "    except Mine:\n        return rng.getrandbits(1)",
        FAIR,
    ),
    "continue in try": (
        "def f(x, rng):\n    n = 0\n    for i in range(3):\n        try:\n            if i == 1:\n                continue\n            n += rng.getrandbits(1)\n"
        "        finally:\n            n += 10\n    return n",
        {30: QUARTER, 31: HALF, 32: QUARTER},
    ),
    "for else": (
        "def f(x, rng):\n    for _ in range(2):\n        if rng.getrandbits(1):\n            break\n    else:\n        return 5\n    return 6",
        {6: 1 - QUARTER, 5: QUARTER},
    ),
    "shadowed builtin": (
        "def sum(listed):\n    return 9\ndef f(x, rng):\n    return sum([1, 2]) if rng.random() < 0.5 else 0",
        {9: HALF, 0: HALF},
    ),
    "shadowed in the function": ("def f(x, rng):\n    max = min\n    return max(rng.getrandbits(1), 0)", {0: 1}),
    "equality of its own": (
        "class C:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n        return self.n % 2 == other.n % 2\n"
        "def f(x, rng):\n    return int(C(rng.randrange(4)) == C(0))",
        FAIR,
    ),
    "add of its own": (
        "class C:\n    def __init__(self, n):\n        self.n = n\n    def __add__(self, other):\n        return C(self.n + other.n)\n"
        "def f(x, rng):\n    return (C(1) + C(rng.getrandbits(1))).n",
        {1: HALF, 2: HALF},
    ),
    "property": (
        "class C:\n    def __init__(self, rng):\n        self.rng = rng\n    @property\n    def bit(self):\n        return self.rng.getrandbits(1)\n"
        "def f(x, rng):\n    c = C(rng)\n    return c.bit + 2 * c.bit",
        {k: QUARTER for k in range(4)},
    ),
    "inheritance": (
        "class A:\n    def g(self):\n        return 1\nclass B(A):\n    pass\ndef f(x, rng):\n    return B().g() * rng.getrandbits(1)",
        FAIR,
    ),
    "dataclass": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    a: int\n    b: int = 2\n"
        "def f(x, rng):\n    return int(P(rng.getrandbits(1)) == P(1, 2))",
        FAIR,
    ),
    "dataclass as a key": (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    a: int\n"
        "def f(x, rng):\n    return {P(0): 5, P(1): 6}[P(rng.getrandbits(1))]",
        {5: HALF, 6: HALF},
    ),
    "sorted by a key": (
        "def f(x, rng):\n    return sorted([3, 1, 2], key=lambda v: -v)[rng.randrange(2)]",
        {3: HALF, 2: HALF},
    ),
    "stable sort": (
        "def f(x, rng):\n    return ''.join(sorted('baC', key=lambda c: c.lower())) + str(rng.getrandbits(1))",
        {"abC0": HALF, "abC1": HALF},
    ),
    "sorted reverse": (
        "def f(x, rng):\n    return tuple(sorted([(1, 'a'), (1, 'b'), (0, 'c')], key=lambda t: t[0], reverse=True))[rng.getrandbits(1)][1]",
        {"a": HALF, "b": HALF},
    ),
    "dict order": (
        "def f(x, rng):\n    d = {'b': 1, 'a': 2}\n    d.pop('b')\n    d['b'] = rng.getrandbits(1)\n    return ''.join(d) + str(d['b'])",
        {"ab0": HALF, "ab1": HALF},
    ),
    "one and True as keys": (
        "def f(x, rng):\n    d = {1: 'a'}\n    d[True] = 'b'\n    return str(d) if rng.random() < 0.5 else '-'",
        {"{1: 'b'}": HALF, "-": HALF},
    ),
    "sets": (
        "def f(x, rng):\n    s = {1, 2} | {rng.randrange(2) + 2}\n    return len(s) * 10 + max(s)",
        {22: HALF, 33: HALF},
    ),
    "recursion that ends": (
        "def g(n, rng):\n    return 0 if n == 0 else rng.getrandbits(1) + g(n - 1, rng)\ndef f(x, rng):\n    return g(2, rng)",
        {0: QUARTER, 1: HALF, 2: QUARTER},
    ),
    "star arguments": (
        "def g(a, *b, c=0, **d):\n    return a + 10 * len(b) + 100 * c + 1000 * len(d)\ndef f(x, rng):\n    return g(*[rng.getrandbits(1), 5], c=1, **{'e': 2})",
        {1110: HALF, 1111: HALF},
    ),
    "decorator": (
        "def twice(g):\n    def h(x, rng):\n        return g(x, rng) + 2 * g(x, rng)\n    return h\n@twice\ndef f(x, rng):\n    return rng.getrandbits(1)",
        {k: QUARTER for k in range(4)},
    ),
    "partial of its own": (
        "from functools import partial\ndef g(p, x, rng):\n    return x if rng.random() < p else 1 - x\nf = partial(g, 0.75)",
        WARNER,
    ),
    "rejection": (
        "def f(x, rng):\n    while True:\n        n = rng.getrandbits(2)\n        if n < 3:\n            return n",
        {k: Fraction(1, 3) for k in range(3)},
    ),
    "rejection with memory": (
        "def f(x, rng):\n    last = None\n    while True:\n        n = rng.getrandbits(1)\n        if n == last:\n            return n\n        last = n",
        FAIR,
    ),
    "constant table": (
        "TABLE = {0: [0, 1], 1: [1, 0]}\ndef f(x, rng):\n    return TABLE[x][rng.random() < 0.25]",
        WARNER,
    ),
    "constant by a loop": (
        "T = []\nfor i in range(4):\n    T.append(i * i)\ndef f(x, rng):\n    return T[rng.randrange(2) + 2]",
        {4: HALF, 9: HALF},
    ),
    "power of floats": ("P = 2.0 ** -2\ndef f(x, rng):\n    return x if rng.random() >= P else 1 - x", WARNER),
    "format": ("def f(x, rng):\n    return f'{rng.getrandbits(1):03d}{x!r:>2}'", {"000 0": HALF, "001 0": HALF}),
    "unpacking": (
        "def f(x, rng):\n    a, *b, c = range(rng.getrandbits(1) + 3)\n    return len(b) * 10 + c",
        {12: HALF, 23: HALF},
    ),
    "swap": (
        "def f(x, rng):\n    a = [0, 1]\n    i = 0\n    i, a[i] = 1, rng.getrandbits(1) + 5\n    return a[0] * 100 + a[1]",
        {5: HALF, 6: HALF},
    ),
    "iterating over what grows": (
        "def f(x, rng):\n    a = [0]\n    for v in a:\n        if len(a) < 3 and rng.getrandbits(1):\n            a.append(1)\n    return len(a)",
        {1: HALF, 2: QUARTER, 3: QUARTER},
    ),
    "an order of draws": (
        "def f(x, rng):\n    u, v = rng.random(), rng.random()\n    return int(u < v) + 2 * int(v < u) + 4 * int(u < v)",
        {5: HALF, 2: HALF},
    ),
    "the same draw twice": (
        "def f(x, rng):\n    u = rng.random()\n    return int(u < 0.5) + 2 * int(u < 0.25)",
        {0: HALF, 1: QUARTER, 3: QUARTER},
    ),
    "the greatest of two": ("def f(x, rng):\n    u = [rng.random(), rng.random()]\n    return u.index(max(u))", FAIR),
    "yields": ("def f(x, rng):\n    yield x\n    if rng.getrandbits(1):\n        yield 1", {(0,): HALF, (0, 1): HALF}),
}
