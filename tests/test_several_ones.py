"""`symmetric_rappor` with several ones in a user's string, against sums over all strings, datasets and outcomes.

Expected values come from here: the law of the d sums is written out as an array of (n + 1)^d doubles, for every pair of
strings and all strings of the others, and delta is summed over it.
"""

import random
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations, combinations_with_replacement

import numpy as np
import pytest

from shufflecert import BadInput, Eps, certify, delta, epsilon, system
from shufflecert.protocols.symmetric_rappor import strings
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems.declare import accuracy_of
from tests import asked
from tests.helpers import cases

ERROR = 1e-12  # of sums of so many doubles


def subsets(d, sizes):
    return [frozenset(ones) for size in sizes for ones in combinations(range(d), size)]


def column_law(ones, zeros, flip):
    law = np.ones(1)
    for share in [1 - flip] * ones + [flip] * zeros:
        law = np.convolve(law, [1 - share, share])
    return law


def seen(strings, d, flip):
    """The law of the sums of the columns, one axis for each."""
    counts = [sum(j in ones for ones in strings) for j in range(d)]
    return reduce(np.multiply.outer, [column_law(c, len(strings) - c, flip) for c in counts])


def hockey_stick(P, Q, eps):
    return np.maximum(P - np.exp(eps) * Q, 0).sum()


def worst(strings, d, n, flip, eps):
    """The largest delta(eps) over all pairs of strings, both ways, and all strings of the others."""
    most = 0.0
    for others in combinations_with_replacement(strings, n - 1):
        laws = [seen([x, *others], d, flip) for x in strings]
        most = max(most, *(hockey_stick(P, Q, eps) for P in laws for Q in laws))
    return most


def worst_columns(columns, n, flip, eps):
    """The largest delta(eps) of independent columns that the user has a one in, or not, with any c others on each."""
    pairs = [[column_law(c + a, n - c - a, flip) for a in (1, 0)] for c in range(n)]
    return max(
        hockey_stick(*(reduce(np.multiply.outer, [pairs[c][side] for c in held]) for side in (0, 1)), eps)
        for held in combinations_with_replacement(range(n), columns)
    )


def some(seed, count):
    rng = random.Random(seed)
    return [(Fraction(rng.randint(1, 19), 40), Fraction(rng.randint(0, 40), 10)) for _ in range(count)]


def rappor(d, m, flip):
    return system("symmetric_rappor", d=d, m=m, flip=flip)


def check(d, m, n, flip, eps, strings):
    one, at = rappor(d, m, flip), Eps.of(eps)
    expected = worst(strings, d, n, float(flip), float(eps))
    listed = max(float(pair.delta(at).enclosure()[1]) for pair in one.reduction(n))
    assert listed == pytest.approx(expected, abs=ERROR)
    found = worst_delta(one.reach(n), at)
    assert found.value.low == pytest.approx(expected, abs=ERROR) == found.value.high  # all compositions


@pytest.mark.parametrize(
    "d, m, n, count",
    [
        *((6, 2, 1, cases(2500, 60)), (6, 2, 2, cases(500, 10)), (7, 2, 2, 2)),
        *(pytest.param(*one, marks=pytest.mark.long) for one in ((6, 2, 3, 3), (9, 3, 1, 20))),
    ],
)
def test_several_ones_against_all_datasets(d, m, n, count):
    strings = subsets(d, [m])
    for flip, eps in some(d * 10 + n, count):
        check(d, m, n, flip, eps, strings)


def test_up_to_two_ones_are_no_worse():
    strings = subsets(6, [0, 1, 2])
    for flip, eps in some(5, 3):
        check(6, 2, 2, flip, eps, strings)


def test_the_table_says_the_same():
    exact = delta(rappor(6, 2, "1/5"), 2, 1)
    assert exact.scope.worst.others is not None and not exact.scope.two_sided  # enumerated
    assert float(exact.delta.enclosure()[0]) == pytest.approx(worst(subsets(6, [2]), 6, 2, 0.2, 1), abs=ERROR)


def attained(answer, d, n, m, flip):
    """delta of the datasets that an answer names, in the columns that their strings reach."""
    named, strings = answer.scope.worst, Counter()
    for text in (named.source, *named.others):
        ones = [int(j) for j in text.split("+")]
        assert len(set(ones)) == m and all(1 <= j <= d for j in ones)
    strings.update(named.others)
    assert sum(strings.values()) == n - 1
    sides = [[int(j) for j in side.split("+")] for side in (named.source, named.target)]
    laws = []
    for held in sides:
        counts = {
            j: (j in held) + sum(count for text, count in strings.items() if str(j) in text.split("+"))
            for j in set(chain(*sides))
        }
        laws.append(reduce(np.multiply.outer, [column_law(counts[j], n - counts[j], flip) for j in sorted(counts)]))
    return hockey_stick(*laws, float(answer.eps.exponent))


@pytest.mark.parametrize("n, flip, eps", [(2, "1/5", 1), (4, "1/10", 1), (5, "2/5", "1/10"), (7, "1/20", "3/2")])
def test_the_named_datasets_attain_the_answer(n, flip, eps):
    answer = delta(rappor(60, 2, flip), n, eps)
    expected = worst_columns(4, n, float(Fraction(flip)), float(Fraction(eps)))
    assert answer.delta.low == pytest.approx(expected, abs=ERROR) == answer.delta.high
    assert attained(answer, 60, n, 2, float(Fraction(flip))) == pytest.approx(expected, abs=ERROR)


@pytest.mark.parametrize("n, flip, eps", [(7, "1/10", "1/2"), (6, "1/3", "1/4")])
@pytest.mark.sampled(2)
def test_curves_are_above_and_real_datasets_below(n, flip, eps):
    answer = delta(rappor(60, 2, flip), n, eps)
    expected = worst_columns(4, n, float(Fraction(flip)), float(Fraction(eps)))
    assert float(answer.delta.low) - ERROR <= expected <= float(answer.delta.high) + ERROR
    assert answer.delta.high <= answer.delta.low * Fraction(1001, 1000)
    assert attained(answer, 60, n, 2, float(Fraction(flip))) == pytest.approx(float(answer.delta.low), rel=1e-9)


def test_eps_of_one_user_is_the_local_one_and_eps0_gives_it():
    one = system("symmetric_rappor", d=30, m=3, eps0="6")
    found = epsilon(one, 1, 0)
    assert found.eps <= Eps.of(6) and Fraction(found.eps.enclosure()[0]) > 6 - Fraction(1, 10**15)
    assert epsilon(one, 2, "1/1000").interval[1] < 6


def test_strings_with_these_columns_exist():
    rng = random.Random(3)
    for _ in range(300):
        users, ones, columns = rng.randint(1, 9), rng.randint(1, 4), 12
        held, left = [], users * ones
        for place in range(columns):
            least = max(0, left - (columns - place - 1) * users)
            held.append(rng.randint(least, min(users, left)))
            left -= held[-1]
        found = strings(dict(enumerate(held, 1)), users, ones)
        assert sum(found.values()) == users and all(len(set(text.split("+"))) == ones for text in found)
        sums = [sum(c for text, c in found.items() if str(j) in text.split("+")) for j in range(1, columns + 1)]
        assert sums == held


def test_what_is_refused():
    with pytest.raises(BadInput, match="at most a third"):
        rappor(5, 2, "1/4")
    one = rappor(30, 2, "1/10")
    for bound, verdict in ((Fraction(99, 100), "PROVED"), (Fraction(1, 10**6), "REFUTED")):
        found = certify(one, 6, 1, bound)
        assert found.verdict == "UNDECIDED" and verdict in found.reason and "several ones" in found.reason
    with pytest.raises(BadInput, match=r"expected 2 rising bits as in 1\+2"):
        one.stands_for_all("2+1")
    assert one.stands_for_all("3+30") and one.simultaneous(10) is None


def test_accuracy_is_that_of_one_column():
    several, alone = (accuracy_of(rappor(30, m, "1/10"), "symmetric_rappor", 50, Fraction(1, 5)) for m in (2, 1))
    assert several == alone


def test_one_one_is_what_it_was():
    one, twin = rappor(3, 1, "1/4"), system("fragmented_rappor", d=3, flip="1/4")
    assert [delta(given, 3, 1).delta for given in (one, twin)] == [delta(twin, 3, 1).delta] * 2
    assert asked.bound(one, 500, work=1).by == asked.bound(twin, 500, work=1).by
