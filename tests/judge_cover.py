"""The judge of covers: every composition is walked down the tree, and a box's corner is the least of those it holds.

Exact, from verify/CERTIFICATE.md alone, for small n.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement, permutations
from math import comb

from tests import judge
from tests.judge import Number, demand

MAX_COMPOSITIONS = 3000
MAX_TERMS = 300_000


@dataclass(frozen=True)
class Cover:
    """A cover's certificate; `tree` is None for a box, or (input, most, tree, tree)."""

    rows: tuple
    n: int
    eps: tuple
    delta: Fraction
    tree: tuple | None

    def answer(self, bits):
        """Whether every corner keeps delta; exact, so that `bits` say nothing."""
        del bits
        return all(judge.sign(*parts, self.eps, self.delta) <= 0 for parts in corner_parts(self))


def is_cover(top):
    """Whether a certificate of this top level is a cover's."""
    return judge._natural(top["version"]) == 3 and isinstance(top["evidence"], dict) and "cover" in top["evidence"]


def read(nodes, inputs):
    """The list of a certificate as a tree."""
    left = judge._list(nodes)[::-1]
    for node in left:
        if node is not None:
            demand(isinstance(node, list) and len(node) == 2, "two of a cut")
            demand(judge._label(node[0]) in inputs, "an input")
            demand(isinstance(node[1], Number) and judge._natural(node[1]) <= 10**15, "a number")
    built = []  # from the last node to the first: a cut takes the two trees that stand after it
    for node in nodes[::-1]:
        if node is None:
            built.append(None)
        else:
            demand(len(built) >= 2, "two trees after a cut")
            first, second = built.pop(), built.pop()
            built.append((node[0], judge._natural(node[1]), first, second))
    demand(len(built) == 1, "one tree")
    return built[0]


@lru_cache(maxsize=64)
def corner_parts(s):
    """(A, B) with delta(eps) = A - B e^eps, of every corner with every ordered pair of inputs."""
    labels = judge.messages_of(s.rows)
    laws = {x: judge.row_law(outputs, "preshuffle", labels) for x, outputs in s.rows}
    kinds = alike(laws)
    if s.n > 40 or comb(s.n - 1 + len(kinds) - 1, s.n - 1) > MAX_COMPOSITIONS:
        raise judge.TooBigError
    if comb(s.n + sum(map(len, laws.values())), s.n) * len(laws) ** 2 > MAX_TERMS:
        raise judge.TooBigError
    boxes = defaultdict(list)
    for others in combinations_with_replacement(range(len(kinds)), s.n - 1):
        counts, path, node = tuple(map(others.count, range(len(kinds)))), "", s.tree
        while node is not None:
            kind = next(i for i, kind in enumerate(kinds) if node[0] in kind)
            path += "01"[counts[kind] > node[1]]
            node = node[2 + (counts[kind] > node[1])]
        boxes[path].append(counts)

    @cache
    def around(counts):
        law = {(0,) * len(labels): Fraction(1)}
        for kind, count in zip(kinds, counts, strict=True):
            for _ in range(count):
                law = judge._times(law, laws[kind[0]])
        return law

    found = []
    for corner in {tuple(map(min, *held, held[0])) for held in boxes.values()}:
        views = {x: judge._times(around(corner), law) for x, law in laws.items()}
        for P, Q in permutations(views.values(), 2):
            event = [y for y, p in P.items() if y not in Q or judge.sign(p, Q[y], s.eps, 0) > 0]
            zero = Fraction(0)
            found.append((sum((P[y] for y in event), zero), sum((Q.get(y, zero) for y in event), zero)))
    return found


def alike(laws):
    """The classes: lists of inputs whose laws are the same but for a shift of all counts."""
    kinds = []
    for x, law in laws.items():
        for kind in kinds:
            other = laws[kind[0]]
            shift = [a - b for a, b in zip(min(law), min(other), strict=True)]
            if law == {tuple(c + s for c, s in zip(y, shift, strict=True)): p for y, p in other.items()}:
                kind.append(x)
                break
        else:
            kinds.append([x])
    return kinds
