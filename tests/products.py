"""Products of laws as {outcome ratio: weight}, of systems that are seen together, by their definitions."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

from shufflecert.verify.exact.epsilon import Delta
from shufflecert.verify.exact.randomizer import Randomizer
from tests import oracle

ZERO = Fraction(0)


def ratios(atoms):
    """A pair as a sorted tuple of (P, Q), one for each ratio."""
    found = {}
    for p, q in atoms:
        if p or q:
            a, b = found.get(p / q if q else None, (ZERO, ZERO))
            found[p / q if q else None] = a + p, b + q
    return tuple(sorted(found.values()))


def times(*pairs):
    result = ((Fraction(1), Fraction(1)),)
    for pair in pairs:
        result = ratios((a * p, b * q) for a, b in result for p, q in pair)
    return result


def height(pair, x):
    return sum((max(p - x * q, ZERO) for p, q in pair), ZERO)


def neighbours(rows, n, group=1):
    """Every pair of laws of datasets that differ in at most `group` users."""
    laws = {}
    for dataset in product(rows, repeat=n):
        key = tuple(sorted(dataset))
        if key not in laws:
            laws[key] = oracle.convolved_law(rows, key)
    found = set()
    for one, two in product(product(rows, repeat=n), repeat=2):
        if 0 < sum(a != b for a, b in zip(one, two, strict=True)) <= group:
            P, Q = laws[tuple(sorted(one))], laws[tuple(sorted(two))]
            found.add(ratios((P.get(y, ZERO), Q.get(y, ZERO)) for y in P.keys() | Q.keys()))
    return sorted(found)


def same(pairs, k, x):
    return max(height(times(*[pair] * k), x) for pair in pairs)


def fresh(pairs, k, x):
    return max(height(times(*mix), x) for mix in combinations_with_replacement(pairs, k))


def adaptive(pairs, k, x):
    """The best adversary: each pair is chosen for the threshold that is left by what was seen."""
    if k == 0:
        return max(1 - x, ZERO)
    return max(sum((p * adaptive(pairs, k - 1, x * q / p) for p, q in pair if p), ZERO) for pair in pairs)


TRUTH = {"same": same, "fresh": fresh, "adaptive": adaptive}


def rows_of(system):
    randomizer = system if isinstance(system, Randomizer) else system.randomizer()
    return {x: dict(law.items()) for x, law in randomizer.rows.items()}


def ends(found, x):
    value = found.delta
    return (value.A - value.B * x,) * 2 if isinstance(value, Delta) else (value.low, value.high)


def holds(found, truth, x):
    low, high = ends(found, x)
    assert low <= truth <= high
    return True
