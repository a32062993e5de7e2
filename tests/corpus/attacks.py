# ruff: noqa: E501
"""Files that try again to break the audit of code, whose law is found by running each as it stands.

A file's function is f(x, rng) and asks rng for getrandbits(1) and randrange alone, so that Python itself, run once for
each of their answers, gives its law (`every_path`). Followed, a file of `ATTACKS` has that law; those in `EVADED` are
refused. Of 38 the law that was said was once another.
"""

from fractions import Fraction

BIT = "rng.getrandbits(1)"


class Answers:
    """A source that follows a path of answers and notes the others; `chance` is the probability of the path."""

    def __init__(self, path):
        self.path, self.at, self.chance, self.others = path, 0, Fraction(1), []

    def randrange(self, n):
        if self.at == len(self.path):
            self.others += [(*self.path, i) for i in range(1, n)]
            self.path = (*self.path, 0)
        self.at += 1
        self.chance /= n
        return self.path[self.at - 1]

    def getrandbits(self, k):
        return self.randrange(1 << k)


def every_path(function, x):
    """[(what it returns, or the list of what it yields, probability)] of f(x, rng), by running it on every path."""
    found, waiting = [], [()]
    while waiting:
        rng = Answers(waiting.pop())
        made = function(x, rng)
        found.append((list(made) if hasattr(made, "__next__") else made, rng.chance))
        waiting += rng.others
    return found


# fmt: off
WRITTEN = {
    "a fraction to a whole fraction": "from fractions import Fraction as F\ndef f(x, rng):\n    return (F(1, 2) ** F(2 + BIT, 1), isinstance(2 ** F(3), int))",
    "a float to a fraction": "from fractions import Fraction as F\ndef f(x, rng):\n    return repr(4.0 ** F(1, 2)) + repr(F(1, 4) ** 0.5) + repr(F(1, 4) ** F(1, 2)) * BIT",
    "a fraction to a negative power": "from fractions import Fraction as F\ndef f(x, rng):\n    return F(2, 3) ** (-2 - BIT)",
    "a fraction of nothing to a negative power": "from fractions import Fraction as F\ndef f(x, rng):\n    try:\n        return F(BIT) ** -1\n    except ZeroDivisionError:\n        return 7",
    "a negative number to nan": "def f(x, rng):\n    try:\n        return repr((-2.0) ** float('nan'))\n    except (ValueError, OverflowError):\n        return BIT",
    "a negative number to infinity": "def f(x, rng):\n    try:\n        return repr((-2.0) ** float('inf'))\n    except (ValueError, OverflowError):\n        return BIT",
    "powers by keyword": "def f(x, rng):\n    try:\n        return pow(base=2, exp=3 + BIT)\n    except TypeError:\n        return x",
    "powers of negative numbers by a modulus": "def f(x, rng):\n    return pow(-3, 5 + BIT, 7) * 100 + pow(3, -2, -7)",
    "round to tens": "def f(x, rng):\n    return (round(25 + 10 * BIT, -1), repr(round(-0.5)), repr(round(0.5, 0)), round(-1234567, -3))",
    "division of negative numbers, by all signs": "def f(x, rng):\n    s = 1 - 2 * BIT\n    return (-7 // (2 * s), -7 % (2 * s), divmod(7 * s, -2), repr(-7.0 // (2 * s)), repr(7.5 % -2 * s))",
    "zeroes with signs": "def f(x, rng):\n    z = -0.0 if BIT else 0.0\n    return (repr(z), repr(z + 0), repr(-z), repr(z * -1), repr(abs(z)), z == 0, repr(round(z)), repr(min(z, 0.0)), repr(max(0.0, z)), repr(sum([z])))",
    "integers beyond floats": "def f(x, rng):\n    n = 2 ** 53 + BIT\n    return (n == float(n), n / 1 == n, int(float(n)) == n, hash is not None, float(n) < n + 1, n - 2.0 ** 53)[:3]",
    "a float as an integer ratio": "def f(x, rng):\n    return (0.1).as_integer_ratio()[BIT] + int((2.5).is_integer())",
    "bits of an integer": "def f(x, rng):\n    n = -37 << BIT\n    return (n.bit_length(), n.bit_count(), n >> 70, ~n, n & 0xFF, n | 1, n ^ -1)",
    "true is not one": "def f(x, rng):\n    return ((True, 1)[BIT] is True, True + True, {True: 'a', 1: 'b', 1.0: 'c'}[1], type(True + 0) is int, type(+True) is int, -True, ~True)",
    "one of three types kept over a question": "def f(x, rng):\n    v = [1, True, 1.0][rng.randrange(3)]\n    BIT\n    return type(v).__name__ + repr(v)",
    "remainders of text": "def f(x, rng):\n    return '%5.1f|%-4s|%+d|%x|%c|%%|%s' % (2.25, 'a', BIT, 255, 'z', (1,))",
    "formats with everything": "def f(x, rng):\n    return f'{-1234567 - BIT:*^+20,}|{0.1:.3e}|{255:#x}|{3:08.3f}|{1e22:g}|{5:_b}|{True:d}|{\"é\"!a}|{12.5:.0f}'",
    "text of a container": "def f(x, rng):\n    return str([1.0, {'a': (True, None)}, b'\\x00', 'it\\'s', -0.0, BIT])",
    "log of an exact power": "import math\ndef f(x, rng):\n    return (repr(math.log2(8 << BIT)), repr(math.exp(0)), repr(math.log(1)), repr(math.sqrt(2)), math.isqrt(99), repr(math.log10(1000)))",
    "hypotenuse and others that are on no list": "import math\ndef f(x, rng):\n    return int(math.hypot(3, 4)) + BIT",
    "a float read from text": "def f(x, rng):\n    return repr(float(['1e400', ' -1_0.5e-1 '][BIT])) + repr(float('-inf'))",
    "large and small factorials": "import math\ndef f(x, rng):\n    return math.factorial(20 + BIT) % 1000003 + math.comb(5, 7) + math.perm(4) + math.gcd(12, -18) + math.lcm(4, 6)",
    "a sum of a set of floats": "def f(x, rng):\n    return repr(sum({1.0, 5.0, 2.0 ** 53})) + str(BIT)",
    "a set that grows under a loop": "def f(x, rng):\n    s = {1}\n    try:\n        for v in s:\n            s.add(2 + BIT)\n    except RuntimeError:\n        return 9\n    return len(s)",
    "a set that loses what it has under a loop": "def f(x, rng):\n    s = {1}\n    try:\n        for v in s:\n            s.discard(1)\n    except RuntimeError:\n        return 9\n    return BIT",
    "a set of text, in order of text": "def f(x, rng):\n    s = {'b', 'a', 'c'}\n    return ''.join(sorted(s)) + max(s) + min(s) + str(len(s | {'d' * BIT}))",
    "sets that are equal": "def f(x, rng):\n    return ({1, 2} == {2, True}, {1} | {1.0} == {True}, {1, 2} - {BIT} == {2}, frozenset([1]) == {1}, {frozenset([1]): 5}[frozenset([True])])",
    "text of a set of one": "def f(x, rng):\n    return str({BIT}) + repr(frozenset()) + str(set())",
    "a dict that grows before a loop over it": "def f(x, rng):\n    d = {1: 2}\n    e = enumerate(d)\n    d[3] = 4\n    try:\n        return len(list(e)) + BIT\n    except RuntimeError:\n        return 9",
    "a dict that grows before it is mapped": "def f(x, rng):\n    d = {1: 2}\n    e = map(lambda k: k, d)\n    d[3] = 4\n    try:\n        return sum(e) + BIT\n    except RuntimeError:\n        return 9",
    "a dict that grows before it is zipped": "def f(x, rng):\n    d = {1: 2}\n    e = zip(d, d.values())\n    d[3] = 4\n    try:\n        return len([*e]) + BIT\n    except RuntimeError:\n        return 9",
    "a slice as a key": "def f(x, rng):\n    d = {1: BIT}\n    try:\n        return d[0:1]\n    except TypeError:\n        return 3\n    except KeyError:\n        return 4",
    "a dict in the order of its first keys": "def f(x, rng):\n    d = {'a': 1, 'b': 2}\n    d['a'] = 3\n    del d['b']\n    d['b'] = BIT\n    d |= {'a': 5, 'c': 6}\n    return (*d, *d.values(), d == dict(reversed(list(d.items()))))",
    "views that show": "def f(x, rng):\n    d = {}\n    k, v, i = d.keys(), d.values(), d.items()\n    d['a'] = BIT\n    return (len(k), sum(v), ('a', 1) in i, 'a' in k, bool(v), sorted(i)[0][1])",
    "popitem is the last": "def f(x, rng):\n    d = dict(a=1, b=BIT)\n    return d.popitem() + d.popitem()",
    "a dict from pairs, and from keys": "def f(x, rng):\n    return (*dict(['ab', (1, BIT)]).items(), *dict.fromkeys('aba', 2).items())",
    "the keys of two dicts": "def f(x, rng):\n    return int({1: 2}.keys() == {1: 3}.keys()) + BIT",
    "nan in a list": "def f(x, rng):\n    n = float('nan')\n    return (n in [n], [n] == [n], n == n, [n].count(n), float('nan') in [n], BIT)",
    "a map that goes on after an exception": "def g(v):\n    if v == 1:\n        raise ValueError\n    return v\ndef f(x, rng):\n    m = map(g, [1, 2, 3])\n    try:\n        next(m)\n    except ValueError:\n        return next(m, 9) + BIT",
    "a filter that goes on after an exception": "def g(v):\n    return 1 // v\ndef f(x, rng):\n    m = filter(g, [0, 1, 3])\n    try:\n        next(m)\n    except ZeroDivisionError:\n        return next(m, 9) + BIT",
    "StopIteration ends a map": "def f(x, rng):\n    try:\n        return len(list(map(lambda v: next(iter([])), [1, 2 + BIT])))\n    except RuntimeError:\n        return 5",
    "StopIteration ends a filter": "def f(x, rng):\n    try:\n        return len(list(filter(lambda v: next(iter([0, 1][v:])), [0, 2, BIT])))\n    except RuntimeError:\n        return 5",
    "what cannot be zipped": "def f(x, rng):\n    try:\n        z = zip([1], BIT)\n    except TypeError:\n        return 1\n    return 2",
    "what cannot be mapped": "def f(x, rng):\n    try:\n        z = map(abs, BIT)\n    except TypeError:\n        return 1\n    return 2",
    "what cannot be counted": "def f(x, rng):\n    try:\n        z = enumerate(BIT)\n    except TypeError:\n        return 1\n    return 2",
    "a map of nothing": "def f(x, rng):\n    try:\n        z = map(abs)\n    except TypeError:\n        return 1 + BIT\n    return 5",
    "the greatest of no argument": "def f(x, rng):\n    try:\n        return max()\n    except TypeError:\n        return 1 + BIT\n    except ValueError:\n        return 5",
    "the greatest of two, or else": "def f(x, rng):\n    try:\n        return max(1, 2, default=3)\n    except TypeError:\n        return 5 + BIT",
    "combinations by name": "from itertools import combinations\ndef f(x, rng):\n    try:\n        return len(list(combinations(iterable='abc', r=2))) + BIT\n    except TypeError:\n        return 9",
    "bisect from a place": "from bisect import bisect_left\ndef f(x, rng):\n    try:\n        return bisect_left([1, 1, 1, 2], 1, lo=1 + BIT)\n    except TypeError:\n        return 9",
    "bisect by a key": "from bisect import bisect\ndef f(x, rng):\n    try:\n        return bisect([3, 2, 1], -2, key=lambda v: -v) + BIT\n    except TypeError:\n        return 9",
    "itemgetter of a list that changes": "import numpy as np\nfrom operator import itemgetter\ndef f(x, rng):\n    k = [0]\n    g = itemgetter(k)\n    b = BIT\n    k[0] = 1\n    return int(g(np.array([5, 6]))[0]) + b",
    "itemgetter of two": "from operator import itemgetter\ndef f(x, rng):\n    return itemgetter(1, BIT)((5, 6)) + itemgetter(-1)([(7,)])",
    "what is left of an iterator": "from itertools import islice, takewhile, dropwhile\ndef f(x, rng):\n    i = iter(range(20))\n    a = list(islice(i, 0, 6 + BIT, 4))\n    b = next(i)\n    c = list(takewhile(lambda v: v < 10, i))\n    return (*a, b, *c, next(i), *list(dropwhile(lambda v: v < 15, i))[:1])",
    "cycles, chains and pairs": "from itertools import chain, cycle, pairwise, product, accumulate, starmap, zip_longest, compress, repeat, count, combinations, permutations\ndef f(x, rng):\n    c = cycle([1, 2 + BIT])\n    return ([next(c) for _ in range(5)], *chain('ab', [1]), *pairwise('abc'), *product([0, 1], repeat=2), *accumulate([1, 2, 3], lambda a, b: a * b, initial=5), *starmap(pow, [(2, 3)]), *zip_longest([1], [2, 3], fillvalue=0), *compress('abc', [1, 0, 1]), *repeat(7, 2), next(count(3, 2)), *combinations('abc', 2), *permutations([1, 2]))",
    "tee and groupby": "from itertools import groupby\ndef f(x, rng):\n    return [(k, len(list(g))) for k, g in groupby([1, 1, 2 + BIT])]",
    "zip of one iterator with itself": "def f(x, rng):\n    i = iter([1, 2, 3, 4, BIT])\n    return (*zip(i, i), *i)",
    "a generator that asks while it is summed": "def f(x, rng):\n    return sum(BIT << i for i in range(3) if BIT)",
    "nested generators": "def g(n, rng):\n    if n:\n        yield from g(n - 1, rng)\n        yield n * BIT\ndef f(x, rng):\n    return list(g(3, rng))",
    "send and close": "def g():\n    v = yield 1\n    yield v\ndef f(x, rng):\n    i = g()\n    next(i)\n    return i.send(BIT)",
    "a generator that is running": "def f(x, rng):\n    def g():\n        yield next(i)\n    i = g()\n    try:\n        return next(i) + BIT\n    except ValueError:\n        return 7",
    "a generator that is not used up": "def g(a):\n    for i in range(3):\n        a.append(i)\n        yield i\ndef f(x, rng):\n    a = []\n    for v in g(a):\n        if v == BIT:\n            break\n    p, q = zip(*zip(g(a), 'xy'))\n    return (a, p)",
    "reversed of what grows": "def f(x, rng):\n    a = [1, 2, 3]\n    r = reversed(a)\n    a.append(4 + BIT)\n    next(r)\n    a.pop(0)\n    return list(r)",
    "unpacked one too many": "def f(x, rng):\n    i = iter([1, 2, 3, 4])\n    try:\n        a, b = i\n    except ValueError:\n        return (next(i), BIT)",
    "stars in the middle": "def f(x, rng):\n    (a, *b), c = (range(3 + BIT), 'z')\n    [d, (e, *g)] = 1, [2]\n    return (a, b, c, d, e, g)",
    "a break in a finally, over a return": "def f(x, rng):\n    n = 0\n    for j in range(2):\n        n += 1\n        for i in [1, 2, 3]:\n            try:\n                return 9\n            finally:\n                break\n    return n * 10 + BIT",
    "a continue in a finally, over a return": "def f(x, rng):\n    n = 0\n    for j in range(3):\n        try:\n            return 9\n        finally:\n            n += 1\n            continue\n    return n * 10 + BIT",
    "a loop in a finally": "def f(x, rng):\n    n = 0\n    try:\n        return [5, 6][BIT]\n    finally:\n        for i in range(4):\n            if i == 2:\n                break\n            n += 1",
    "a finally changes what is returned": "def f(x, rng):\n    a = [1]\n    n = 1\n    try:\n        return (a, n)\n    finally:\n        a.append(BIT)\n        n = 2",
    "three levels of finally": "def f(x, rng):\n    s = []\n    def g():\n        for i in range(2):\n            try:\n                try:\n                    if BIT:\n                        continue\n                    1 // i\n                finally:\n                    s.append(i)\n            except ZeroDivisionError:\n                s.append('z')\n                return 1\n            else:\n                s.append('e')\n            finally:\n                s.append('f')\n        return 2\n    return (g(), *s)",
    "raise in a finally": "def f(x, rng):\n    try:\n        try:\n            return BIT\n        finally:\n            raise KeyError\n    except LookupError:\n        return 7",
    "an exception raised in a handler of a loop": "def f(x, rng):\n    for i in range(3):\n        try:\n            if i == 1:\n                raise KeyError\n        except KeyError:\n            try:\n                [1][BIT]\n            except IndexError:\n                break\n    return i",
    "else of a loop that is left": "def f(x, rng):\n    for i in range(3):\n        while BIT:\n            break\n        else:\n            continue\n        break\n    else:\n        return 'all'\n    return i",
    "the type of an exception": "def f(x, rng):\n    try:\n        '\\ud800'.encode()\n    except ValueError as e:\n        return type(e).__name__ + str(BIT)",
    "an axis that is not there": "import numpy as np\ndef f(x, rng):\n    try:\n        np.zeros(3).sum(axis=5)\n    except IndexError:\n        return 1 + BIT\n    except ValueError:\n        return 5",
    "the type of a frozen field's exception": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    a: int = 0\ndef f(x, rng):\n    try:\n        C().a = BIT\n    except AttributeError as e:\n        return type(e).__name__",
    "bytes that are no text": "def f(x, rng):\n    try:\n        return b'\\xff'.decode()\n    except ValueError as e:\n        return (type(e) is ValueError) + 2 * BIT",
    "a match on types": "def f(x, rng):\n    match [1, True, 1.0, '1', None][rng.randrange(5)]:\n        case True:\n            return 'true'\n        case 1:\n            return 'one'\n        case None:\n            return 'none'\n        case '1' | 'x':\n            return 'text'",
    "a match on a class": "def f(x, rng):\n    match BIT:\n        case int():\n            return 3\n        case _:\n            return 4",
    "a match of nested sequences": "def f(x, rng):\n    match [(1, [2, BIT]), 'ab']:\n        case [(a, [b, 1]), s]:\n            return a + b\n        case [_, ('a', 'b')]:\n            return 'text is no sequence'\n        case [(a, b), s] if s == 'ab':\n            return b[1] + 7",
    "augmented in a tuple": "def f(x, rng):\n    a = ([1],)\n    try:\n        a[0] += [2 + BIT]\n    except TypeError:\n        return a[0]",
    "augmented, its place evaluated first": "def f(x, rng):\n    a = [1, 2]\n    i = 0\n    def g():\n        nonlocal i\n        i = 1\n        a[0] = 50\n        return 5\n    a[i] += g() + BIT\n    return (a, i)",
    "deleted slices": "def f(x, rng):\n    a = list(range(10))\n    del a[1:8:3]\n    a[2:4] = 'xyz'\n    a[::-2] = [0] * len(a[::-2])\n    del a[BIT]\n    return a",
    "slices beyond the ends": "def f(x, rng):\n    a = list(range(5))\n    return (a[-100:2], a[3:100:2], a[::-1], a[4:0:-2], a[-2 - BIT::-1], 'abcde'[3:1], (1, 2)[5:], a[None:None])",
    "nonlocal private names": "class C:\n    def m(self, b):\n        __a = b\n        def g():\n            nonlocal __a\n            __a += 1\n        try:\n            g()\n        except UnboundLocalError:\n            return 9\n        return __a\ndef f(x, rng):\n    return C().m(BIT)",
    "next as a method": "class C:\n    n = next\ndef f(x, rng):\n    try:\n        return C().n(iter([5 + BIT]))\n    except TypeError:\n        return 1",
    "functions of Python as methods": "class C:\n    a, b, c, d = len, max, sorted, sum\ndef f(x, rng):\n    try:\n        return (C().a([1]), C().b(1, BIT), C().c([2, 1]), C().d([1, 2]))\n    except TypeError:\n        return 1",
    "defaults and keywords": "def g(a, /, b=2, *c, d, e=5, **k):\n    return (a, b, c, d, e, *k.items())\ndef f(x, rng):\n    return (*g(1, d=4, a=BIT), *g(*[1, 2, 3], **{'d': 1, 'z': 2}), *g(1, d=0, b=7))",
    "defaults evaluated once": "def f(x, rng):\n    def g(a=[], b=BIT):\n        a.append(b)\n        return a\n    g()\n    return len(g()) * 10 + sum(g())",
    "closures over a loop": "def f(x, rng):\n    a = [lambda: i for i in range(3)]\n    b = [lambda i=i: i for i in range(3)]\n    c = list(g() for g in (lambda: j for j in range(3 + BIT)))\n    return (*[g() for g in a], *[g() for g in b], *c)",
    "a comprehension's own name": "def f(x, rng):\n    i = 7\n    a = [i for i in range(i - 4)]\n    b = {i: j for i, j in enumerate(a)}\n    return (i, a, *b.items(), any((k := j) > BIT for j in a), k)",
    "comprehensions that see each other": "def f(x, rng):\n    return [[j * i for j in range(i)] for i in range(4) if i % 2 == BIT]",
    "recursion of lambdas": "def f(x, rng):\n    g = lambda n: n * g(n - 1) if n else 1\n    return g(5 + BIT)",
    "two that call each other": "def even(n, rng):\n    return 0 if n == 0 else odd(n - 1, rng) + BIT\ndef odd(n, rng):\n    return 5 if n == 0 else even(n - 1, rng)\ndef f(x, rng):\n    return even(5, rng)",
    "a name that is a builtin's in one branch": "def f(x, rng):\n    if BIT:\n        len = 5\n    try:\n        return len\n    except UnboundLocalError:\n        return 1\n    except NameError:\n        return 2",
    "a function of a function": "def twice(g):\n    def h(*a, **k):\n        return g(*a, **k) + g(*a, **k)\n    h.name = 'h'\n    return h\n@twice\n@twice\ndef b(rng):\n    return BIT\ndef f(x, rng):\n    return (b(rng), b.name)",
    "a partial of a partial": "from functools import partial, reduce\ndef f(x, rng):\n    p = partial(partial(lambda a, b, c=0: (a, b, c), 1), c=BIT)\n    return p(2) + p(b=3, c=4) + reduce(lambda a, b: a + b, [(1,), (2,)], ())",
    "a sum that is not implemented": "class A:\n    def __add__(self, o):\n        return NotImplemented\ndef f(x, rng):\n    try:\n        A() + 1\n    except TypeError:\n        return BIT\n    return 7",
    "an equality that is not implemented": "class A:\n    def __eq__(self, o):\n        return NotImplemented\ndef f(x, rng):\n    a = A()\n    return ((a == a) is True, BIT)",
    "a length below nothing": "class A:\n    def __len__(self):\n        return -1\ndef f(x, rng):\n    try:\n        return 1 if A() else 2\n    except ValueError:\n        return 3 + BIT",
    "a length that is no number": "class A:\n    def __len__(self):\n        return 'a'\ndef f(x, rng):\n    try:\n        return 1 if A() else 2\n    except TypeError:\n        return 3 + BIT",
    "a class variable by another name": "from dataclasses import dataclass\nfrom typing import ClassVar as CV\n@dataclass\nclass C:\n    a: CV[int] = 1\n    b: int = 2\ndef f(x, rng):\n    return C(5 + BIT).b",
    "a class variable by assignment": "from dataclasses import dataclass\nfrom typing import ClassVar\nCV = ClassVar\n@dataclass\nclass C:\n    a: CV = 1\n    b: int = 2\ndef f(x, rng):\n    return C(5 + BIT).b",
    "what is only called a class variable": "from dataclasses import dataclass\nclass NotClassVar: pass\n@dataclass\nclass C:\n    a: NotClassVar = 1\n    b: int = 2\ndef f(x, rng):\n    return C(5 + BIT).b",
    "fields in the order of the bases": "from dataclasses import dataclass, field, replace\n@dataclass\nclass A:\n    a: int\n    b: list = field(default_factory=list)\n@dataclass\nclass C(A):\n    c: int = 3\n    a: int = 9\ndef f(x, rng):\n    p = C(b=[BIT])\n    q = replace(p, c=4)\n    q.b.append(1)\n    return (p.a, p.b, p.c, p == q, C() == C(), A(1) == C(1))",
    "methods through the base": "class A:\n    def __init__(self, n):\n        self.n = n\n    def g(self):\n        return self.h() * 10\n    def h(self):\n        return 1\nclass C(A):\n    def __init__(self, n):\n        A.__init__(self, n + 1)\n    def h(self):\n        return A.h(self) + self.n\ndef f(x, rng):\n    return C(BIT).g()",
    "super": "class A:\n    def g(self):\n        return 1\nclass C(A):\n    def g(self):\n        return super().g() + 1\ndef f(x, rng):\n    return C().g() + BIT",
    "operators of its own": "class V:\n    def __init__(self, n):\n        self.n = n\n    def __add__(self, o):\n        return V(self.n + (o.n if isinstance(o, V) else o))\n    def __radd__(self, o):\n        return V(o * 10 + self.n)\n    def __lt__(self, o):\n        return self.n < o.n\n    def __getitem__(self, i):\n        return self.n + i\n    def __call__(self, k):\n        return self.n * k\n    def __len__(self):\n        return self.n\n    def __bool__(self):\n        return self.n > 1\ndef f(x, rng):\n    v = V(1 + BIT)\n    return ((v + 1).n, (5 + v).n, v < V(2), v[3], v(4), len(v), bool(v), not v, sum([v, v]).n)",
    "a static method and a class attribute": "class A:\n    k = 1\n    @staticmethod\n    def s(v):\n        return v + 1\n    @classmethod\n    def c(cls):\n        return cls.k\n    @property\n    def p(self):\n        return self.k * 2\nclass C(A):\n    k = 5\ndef f(x, rng):\n    o = C()\n    o.k = 7 + BIT\n    return (A.s(1), o.s(2), A.c(), C.c(), o.c(), o.p, C.k)",
    "an object's identity over a question": "class A:\n    pass\ndef f(x, rng):\n    a, b = A(), A()\n    c = (a, b)[0]\n    n = BIT\n    a.n = n\n    return (a is c, a is b, c.n, a == c, a != b, hasattr(b, 'n'), a in [b, c])",
    "objects that hold each other": "class N:\n    def __init__(self, v, n=None):\n        self.v, self.n = v, n\ndef f(x, rng):\n    a = N(1)\n    a.n = N(2, a)\n    a.n.n.v += BIT\n    return (a.v, a.n.n is a, a.n.v)",
    "an iterator of its own": "class C:\n    def __init__(self, n):\n        self.n = n\n    def __iter__(self):\n        yield from range(self.n)\ndef f(x, rng):\n    c = C(2 + BIT)\n    return (list(c), sum(c), *zip(c, c), *enumerate(c), max(c), *map(abs, c), *c)",
    "an array laid out in another order": "import numpy as np\ndef f(x, rng):\n    a = np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2) + 0\n    v = a[1]\n    b = BIT\n    v[0] += b\n    return (int(v[1, 2]), int(a[1, 0, 3]), int(a[2, 1, 0]))",
    "views of views": "import numpy as np\ndef f(x, rng):\n    a = np.arange(12).reshape(3, 4).T\n    v = a[1:3][:, ::-1]\n    w = v.ravel()\n    v[0, 0] = 50 + BIT\n    w[0] = 7\n    return (a.tolist(), w.tolist(), a.reshape(-1)[:3].tolist())",
    "numbers that wrap, and are promoted": "import numpy as np\ndef f(x, rng):\n    a = np.array([250, 255], dtype=np.uint8) + np.uint8(10 * BIT)\n    b = np.array([1], dtype=np.int8) + np.array([200], dtype=np.uint8)\n    return (a.tolist(), str(b.dtype) if False else int(b[0]), int(np.int8(-128) // np.int8(-1)), int(np.array([2**63 - 1])[0] + 0), int(-np.array([3], dtype=np.uint8)[0]), int((np.arange(3) ** 2).sum()))",
    "truth of arrays": "import numpy as np\ndef f(x, rng):\n    try:\n        return 1 if np.array([1, BIT]) else 2\n    except ValueError:\n        return int(bool(np.array([0]))) + 5",
    "places of an array": "import numpy as np\ndef f(x, rng):\n    a = np.arange(5)\n    a[[0, 3]] = a[a > 2][:2] + BIT\n    a[-1:] = 9\n    a[a == 9] -= 1\n    return a.tolist()",
    "an integer divided by nothing in numpy": "import numpy as np\ndef f(x, rng):\n    return int(np.int64(5) // np.int64(BIT)) if False else int(np.array([7, -7])[BIT] // 2)",
    "text that is asked": "def f(x, rng):\n    s = 'aXbXc'\n    return (s.split('X', 1), s.rsplit('X', BIT), s.find('X', 2), s.rfind('X'), s.replace('X', '', 1), s.upper().lower().title(), s.strip('ac'), s.zfill(8), s.center(9, '*'), s.partition('b'), s < 't', s * 2, s[::-1], 'X' in s, s.encode().hex(), s.isalpha(), ' a\\tb\\n'.split(), 'a\\nb'.splitlines())",
    "text by format": "def f(x, rng):\n    return '{:>{w}}|{!r}|{n[0]}'.format(1, 'a', w=3, n=[BIT])",
    "text by format, plain": "def f(x, rng):\n    return '{0:>3}{1!r}{n:05.1f}{{}}'.format(BIT, 'a', n=2.25)",
    "order of text": "def f(x, rng):\n    return sorted(['b', 'B', 'a', 'é', '10', '9'][BIT:]) + sorted([(1, 'b'), (1, 'a')], reverse=True) + sorted([3, 1, 2], key=lambda v: -v) + sorted({'z': 1, 'y': 2})",
    "bytes and integers": "def f(x, rng):\n    b = (1000 + BIT).to_bytes(3, 'little')\n    return (list(b), b[0], b[1:], int.from_bytes(b, 'big'), b + b'a', b.hex(), bytes(2), bytes([1]), b'ab'.decode(), bytes.fromhex('0aff'), (-1).to_bytes(2, 'big', signed=True))",
    "messages of several kinds": "def f(x, rng):\n    yield (5, True)[BIT]\n    yield ('q', b'1')[BIT]\n    yield [6, (2, None)]\n    yield frozenset([8, 5 * BIT])",
    "nothing, and nothing yielded": "def f(x, rng):\n    if BIT:\n        return None\n    return ()",
    "a stable sort in place": "def f(x, rng):\n    a = [(1, 'a'), (0, 'b'), (1, 'c'), (BIT, 'd')]\n    a.sort(key=lambda v: v[0], reverse=True)\n    return a",
    "a sort that sees the list": "def f(x, rng):\n    a = [3, 1, 2]\n    n = []\n    def k(v):\n        n.append(len(a))\n        return v\n    a.sort(key=k)\n    return (a, n, BIT)",
    "a sort of what grows": "def f(x, rng):\n    a = [3, 1, 2]\n    def k(v):\n        a.append(BIT)\n        return v\n    try:\n        a.sort(key=k)\n    except ValueError:\n        return a\n    return 9",
    "an index that counts from a place": "def f(x, rng):\n    a = [1, 2, 1, True]\n    return (a.index(1, 1), a.count(1), a.index(True, -1), 'abca'.index('a', 1), (1, 2).index(2), a.pop(-2), a.insert(100, 5), a, BIT)",
    "lists compared": "def f(x, rng):\n    return ([1, 2] < [1, 2, BIT], [] == (), (1, 'a') < (2, 0), [1] + [2] * 2, [1, [2]] == [1.0, [2]], (0, -1) > (0,), not [0])",
    "rejection with an object": "class S:\n    def __init__(self):\n        self.n = 0\ndef f(x, rng):\n    s = S()\n    while s.n < 3 and BIT:\n        s.n += 1\n    return s.n",
    "a chain of comparisons that asks": "def f(x, rng):\n    return (0 < BIT < 1 + BIT <= 2) + 2 * (1 == True == 1.0 is not None) + 4 * (3 > 2 != 2)",
    "walrus in a test and a slice": "def f(x, rng):\n    a = list(range(9))\n    while (n := rng.randrange(3)) and len(a) > 3:\n        a = a[(m := n):]\n    return (n, a)",
    "assert and its message": "def f(x, rng):\n    try:\n        assert BIT, 'no'\n    except AssertionError as e:\n        return (str(e), e.args, isinstance(e, Exception))\n    return 1",
    "exceptions that are made, and held": "class E(ValueError):\n    code = 4\ndef g(n):\n    if n:\n        raise E(n, 'a')\n    raise KeyError('k')\ndef f(x, rng):\n    try:\n        g(BIT)\n    except (KeyError, E) as e:\n        kept = e\n    return (kept.args, isinstance(kept, ValueError), getattr(kept, 'code', 0))",
}
# fmt: on
ATTACKS = {name: text.replace("BIT", BIT) for name, text in WRITTEN.items()}

EVADED = {  # a part of what is said of each that is refused
    "a negative number to nan": "this power of 0 or of a negative number",
    "a negative number to infinity": "this power of 0 or of a negative number",
    "powers by keyword": "pow of these arguments",
    "hypotenuse and others that are on no list": "a call of math.hypot",
    "a sum of a set of floats": "the order of a set",
    "a slice as a key": "which Python 3.12 takes in another way",
    "the keys of two dicts": "a comparison of a dict's views",
    "a map that goes on after an exception": "that goes on after an exception",
    "a filter that goes on after an exception": "that goes on after an exception",
    "StopIteration ends a map": "StopIteration within map",
    "StopIteration ends a filter": "StopIteration within filter",
    "a map of nothing": "map of these arguments",
    "bisect from a place": "bisect_left of these arguments",
    "bisect by a key": "bisect of these arguments",
    "tee and groupby": "a call of itertools.groupby",
    "send and close": "send of a generator",
    "a break in a finally, over a return": "in a `finally`",
    "a continue in a finally, over a return": "in a `finally`",
    "the type of an exception": "what raises UnicodeEncodeError",
    "an axis that is not there": "what raises AxisError",
    "bytes that are no text": "what raises UnicodeDecodeError",
    "a match on a class": "a pattern of `match`",
    "a sum that is not implemented": "the name NotImplemented",
    "an equality that is not implemented": "the name NotImplemented",
    "a length below nothing": "a length that is",
    "a length that is no number": "a length that is",
    "fields in the order of the bases": "whose class is derived from it",
    "super": "the name super",
    "an array laid out in another order": "laid out in another order",
    "text by format": "an attribute in a format",
}
