"""The symmetries of exact/views.py and the orbits of exact/neighbours.py against substitution and brute force."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.views import symmetries, view_of
from tests import oracle
from tests.helpers import cyclic, engine, hadamard, randomizers, some


def moved(row, message):
    """The multiset law of a row whose messages are relabelled."""
    result = {}
    for send, p in row.items():
        bag = tuple(sorted(message[m] for m in send))
        result[bag] = result.get(bag, 0) + p
    return result


def is_symmetry(tree, inputs, message):
    return all(moved(tree[x], message) == oracle.preshuffle_law(tree, y) for x, y in inputs.items())


def found(tree):
    """The symmetries found, as pairs of maps of labels."""
    view = view_of(engine(tree))
    names = [m for (m,) in view.messages]
    return [
        (
            {view.inputs[i]: view.inputs[j] for i, j in enumerate(s.inputs)},
            {names[i]: names[j] for i, j in enumerate(s.messages)},
        )
        for s in symmetries(view)
    ]


def group(generators, inputs):
    """All products of permutations (maps of labels), as tuples of images."""
    reached = {tuple(inputs)}
    while True:
        more = {tuple(g[x] for x in element) for element in reached for g in generators} - reached
        if not more:
            return reached
        reached |= more


def all_symmetries(tree):
    """Every permutation of the inputs for which some permutation of the messages makes a symmetry: brute force."""
    inputs, messages = tuple(tree), sorted({m for row in tree.values() for send in row for m in send})
    maps = [dict(zip(messages, images, strict=True)) for images in permutations(messages)]
    return {
        images
        for images in permutations(inputs)
        if any(is_symmetry(tree, dict(zip(inputs, images, strict=True)), message) for message in maps)
    }


def pentagon():
    """One input sends an edge of a pentagon, the other an edge of its pentagram: i -> 2i exchanges them.

    All five messages look alike, so the relabelling is found by trying.
    """
    return {str(x): {(f"m{i}", f"m{(i + x) % 5}"): Fraction(1, 5) for i in range(5)} for x in (1, 2)}


def twos(bits):
    """An input is two of the bits, and sends one at random, with whether it is among them (wrong with 1/4)."""
    return {
        f"{i}{j}": {
            (f"{y}:{b}",): Fraction(3 if (y in (i, j)) == b else 1, 4 * bits) for y in range(bits) for b in (0, 1)
        }
        for i, j in combinations(range(bits), 2)
    }


KNOWN = {  # name: (randomizer, size of its group on inputs)
    "krr 3": (oracle.krr(3, "1/3"), factorial(3)),
    "krr 4": (oracle.krr(4, "1/3"), factorial(4)),
    "krr 6": (oracle.krr(6, "1/3"), factorial(6)),
    "rr": (oracle.rr("1/4"), 2),
    "hist 3": (oracle.hist(3, "1/4"), factorial(3)),
    "rappor 3": (oracle.rappor(3, "1/4"), factorial(3)),
    "fragmented rappor 3": (oracle.fragmented_rappor(3, "1/4"), factorial(3)),
    "r_gap": (oracle.r_gap(), 1),
    "r_infinity": (oracle.r_infinity(), 2),
    "zsum": (oracle.zsum("1/3"), 1),
    "two rows that differ": ({"0": {("a",): Fraction(1)}, "1": {("a",): Fraction(1, 3), ("b",): Fraction(2, 3)}}, 1),
    "cyclic 4": (cyclic(), 4),  # distinct weights: no reflection, no transposition
    "cyclic 7": (cyclic([Fraction(w, 28) for w in range(1, 8)]), 7),
    "hadamard 8": (hadamard(), 8 * 7 * 6 * 4),  # x -> A x + c, A one of |GL(3, 2)| = 168
    "pairs of 5": (twos(5), factorial(5)),  # of ten inputs, by the permutations of five bits
    "pentagon": (pentagon(), 2),
    "one input": ({"0": {("a",): Fraction(1)}}, 1),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_groups_are_found(name):
    tree, size = KNOWN[name]
    generators = found(tree)
    assert all(is_symmetry(tree, *symmetry) for symmetry in generators)
    assert len(group([inputs for inputs, _ in generators], tree)) == size


@some
@given(randomizers())
def test_what_is_found_is_the_whole_group_for_three_inputs(tree):
    generators = found(tree)
    assert all(is_symmetry(tree, *symmetry) for symmetry in generators)
    assert group([inputs for inputs, _ in generators], tree) == all_symmetries(tree)


# Which pairs stand for all -----------------------------------------------------------------------------------------


def all_pairs(k, n):
    """(from, to, others on each input): every pair of neighbours up to the order of users."""
    others = [counts for counts in product(range(n), repeat=k) if sum(counts) == n - 1]
    return {(x, y, counts) for x, y in permutations(range(k), 2) for counts in others}


@pytest.mark.parametrize(
    ("tree", "n"), [(oracle.krr(3, "3/10"), 4), (cyclic(), 3), (hadamard(2), 3), (oracle.r_gap(), 5)]
)
def test_one_representative_for_each_orbit(tree, n):
    """Orbits by brute force over the whole group; here every class is a single input."""
    k, around = len(tree), neighbourhood(engine(tree), n)
    everything = all_pairs(k, n)
    assert around.all_pairs == k * (k - 1) * comb(n - 2 + k, n - 1) == len(everything)
    index = {x: i for i, x in enumerate(tree)}
    elements = [[index[x] for x in images] for images in group([inputs for inputs, _ in found(tree)], tree)]
    orbits = set()
    for x, y, counts in everything:
        images = ((s[x], s[y], tuple(counts[s.index(i)] for i in range(k))) for s in elements)
        orbits.add(frozenset(images))
    chosen = [(x, y, counts) for counts, pairs in around.representatives().items() for x, y in pairs]
    assert sum(len(orbit) for orbit in orbits) == around.all_pairs
    assert len(chosen) == len(orbits)
    assert all(len(orbit.intersection(chosen)) == 1 for orbit in orbits)


@some
@given(randomizers(), st.integers(1, 3))
def test_the_representatives_have_every_value_that_some_pair_has(tree, n):
    of_all = {oracle.hockey_stick(P, Q, Fraction(3, 2)) for P, Q in oracle.pairs_of_laws(tree, n, "shuffled")}
    around, eps = neighbourhood(engine(tree), n), Eps.of("log(3/2)")
    values = [case.pair.delta(eps) for case in around]
    assert {value.A - Fraction(3, 2) * value.B for value in values} == of_all
    assert len(values) <= around.all_pairs


@pytest.mark.parametrize("n", [0, -1, "1.5", "3/2", 2.0, "many", None, 10**9 + 1])
def test_bad_numbers_of_users(n):
    with pytest.raises(BadInput, match=r"^n: "):
        neighbourhood(engine(oracle.rr("1/4")), n)


def test_too_much_work_is_refused_with_the_estimate_and_the_flag():
    # C(101, 2) = 5050 datasets of 99 others, C(102, 2) = 5151 outcomes, 1 pair of inputs and the law it begins with
    krr = engine(oracle.krr(3, "3/10"))
    assert neighbourhood(krr, 100).work()[0] == 5050 * 5151 * 2
    with pytest.raises(TooMuchWork, match=r"^n = 100: .* units: .* 1 pairs of inputs .*; --max-work allows more$"):
        neighbourhood(krr, 100, max_work=5050 * 5151 * 2 - 1)
