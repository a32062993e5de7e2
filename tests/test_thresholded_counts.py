"""A user who moves between two values of `sample_and_threshold`, against all pairs of counts in exact fractions.

Expected values: laws added up user by user and products of two of them (tests/oracle.py), for
every number of users on both values.
"""

import random
from fractions import Fraction
from math import comb

from shufflecert.protocols.shared.thresholded_counts import Count, Counts, Dominating, Moved, _above, _places
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems.catalogue import system
from tests.oracle import hockey_stick

F = Fraction


def shown(m, p, k):
    """The law of what is shown of m users on a value: how many are sampled, where these are at least k."""
    law = {}
    for j in range(m + 1):
        seen = j if j >= k else None
        law[seen] = law.get(seen, F(0)) + comb(m, j) * p**j * (1 - p) ** (m - j)
    return law


def some(seed, count, most):
    """Random p, k, users and e^eps, some of them where curves end, with the laws of what is shown of 0 to n users."""
    rng = random.Random(seed)
    for _ in range(count):
        whole = rng.randint(2, 30)
        p, k, n = F(rng.randint(1, whole - 1), whole), rng.randint(2, 6), rng.randint(1, most)
        end = 1 / (1 - p)
        x = rng.choice([F(1), end, 1 + F(rng.randint(0, 999), 1000) * (end - 1), F(rng.randint(20, 99), 20)])
        yield p, k, n, x, [shown(m, p, k) for m in range(n + 1)]


def product(one, two):
    return {(a, b): u * v for a, u in one.items() for b, v in two.items()}


def test_the_worst_count_is_named():
    """One count stands for all, in both directions; the pair made of dots is above all of them, at any e^eps."""
    for p, k, n, x, laws in some(1, 35, 16):
        ways = [(laws[m], laws[m - 1]) for m in range(1, n + 1)]
        forth, back = (max(hockey_stick(*way[::side], x) for way in ways) for side in (1, -1))
        for both, want in ((False, forth), (True, max(forth, back))):
            found = Counts(p, k, n, both).worst(Eps.log(x))[0]
            assert found.low <= want <= found.high <= found.low + F(1, 10**20)
        above = _above(p, k, n, _places(p, k, x))
        for y in (x, 1 / x, (1 - p) * F(7, 5), 1 - p * F(3, 4)):
            excess = (int(a) - y * int(b) for a, b in zip(above.p, above.q, strict=True))
            curve = sum(max(part, 0) for part in excess) / int(above.denominator)
            assert curve >= max(hockey_stick(*way, y) for way in ways)


def test_a_user_who_moves():
    """All (i, j) lie between what is attained and the bound, and the named datasets attain the lower end."""
    for p, k, n, x, laws in some(2, 40, 7):
        eps = Eps.log(x)
        pairs = {
            (i, j): hockey_stick(product(laws[i], laws[j - 1]), product(laws[i - 1], laws[j]), x)
            for i in range(1, n + 1)
            for j in range(1, n + 2 - i)
        }
        below, named, _ = Moved(p, k, n, False).worst(eps)
        above = Dominating(p, k, n, False, Eps.log(1 / (1 - p))).worst(eps)[0]
        assert below.low <= max(pairs.values()) <= above.high
        held = named.others or {}
        assert below.low <= pairs[held.get("1", 0) + 1, held.get("2", 0) + 1] <= below.high
        i, j = max(pairs, key=pairs.__getitem__)
        low, high = Moved(p, k, n, False).product(i, j).divergence(eps, 96)
        assert low <= pairs[i, j] <= high <= low + F(1, 10**8)


def test_atoms_of_a_count():
    """Bounds on the law of what is shown, atom by atom."""
    for p, k, n, _, laws in some(3, 30, 16):
        atoms = Count(n, p, k).atoms(80)
        for law, (low, high) in ((laws[n], atoms.p), (laws[n - 1], atoms.q)):
            shown = [law[None], *(law.get(x, F(0)) for x in range(k, k + len(low) - 1))]
            assert all(int(a) <= w * 2**80 <= int(b) for a, w, b in zip(low, shown, high, strict=True))


def test_close_below_a_fifth():
    """Nebula's p and K at small eps: both ends within a quarter, where a factor of 75 to 200 lay between them."""
    nebula, n = system("sample_and_threshold", p="21/200", k=20), 10**6
    reach = nebula.reach(n)
    for eps in ("1/50", "1/20", "1/10", "1/5"):
        below, above = (family.worst(Eps.of(eps))[0] for family in (reach.attained, reach.dominating))
        assert below.low > above.high * F(3, 4)
    said = certify(nebula, n, "1/10", "2e-4")
    assert said.verdict == "UNDECIDED" and "PROVED by a proof that no form of certificate covers" in said.reason
