"""Symmetries of a randomizer, found rather than declared: relabellings of inputs and messages that leave it unchanged.

(s, t) is a symmetry when Pr[R(s(x)) = t(m)] = Pr[R(x) = m] for every input x and multiset of messages m. Permuting
the inputs of all users by s then renames the outcomes by t, so the pairs of neighbours in one orbit have the same
divergence. Missing a symmetry costs time and never a pair; every one that is returned has been checked by
substitution.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from shufflecert.verify.exact.views import Multiset, View

Permutation = tuple[int, ...]
SEARCH_NODES = 200  # message bijections tried per permutation of the inputs
MANY_INPUTS = 40  # beyond this none are looked for: the orbits would cost more than they save
ALL_PERMUTATIONS = 5  # up to so many inputs every permutation is tried; beyond, transpositions and the usual suspects


@dataclass(frozen=True)
class Symmetry:
    """A relabelling of inputs and messages that leaves the randomizer unchanged: two permutations, by index."""

    inputs: Permutation  # input x becomes inputs[x]
    messages: Permutation  # message i becomes messages[i]


def symmetries(view: View) -> list[Symmetry]:
    """Generators of a group of symmetries: all interchangeable inputs, and others where they are found.

    The row of absence, or of the reference, stays where it is.
    """
    size, fixed = view.held, tuple(range(view.held, len(view.inputs)))
    if size > MANY_INPUTS:
        return []
    found: dict[Permutation, Symmetry] = {}
    blocks: list[list[int]] = []
    for x in range(size):  # "x and y can be exchanged, the rest fixed" is an equivalence relation
        for block in blocks:
            swap = _transposition(size, block[-1], x)
            if symmetry := extend(view, swap + fixed):
                found[swap] = symmetry
                block.append(x)
                break
        else:
            blocks.append([x])
    if len(blocks) > 1:
        known = _known(found, size)
        for candidate in _candidates(size):
            if candidate not in known and (symmetry := extend(view, candidate + fixed)):
                found[candidate] = symmetry
                known = _known(found, size)
    return list(found.values())


def _known(found: Mapping[Permutation, Symmetry], size: int) -> set[Permutation]:
    """The permutations of the inputs that need not be tried: for few inputs the whole group that is generated."""
    return _closure(list(found), size) if size <= ALL_PERMUTATIONS else set(found)


def _transposition(size: int, x: int, y: int) -> Permutation:
    return tuple(y if i == x else x if i == y else i for i in range(size))


def _candidates(size: int) -> Iterator[Permutation]:
    """Permutations worth trying: all for few inputs, else reversal, rotation, exclusive or with a power of two."""
    if size <= ALL_PERMUTATIONS:
        yield from permutations(range(size))
        return
    yield tuple(reversed(range(size)))
    yield tuple((i + 1) % size for i in range(size))
    if size & (size - 1) == 0:
        yield from (tuple(i ^ (1 << bit) for i in range(size)) for bit in range(size.bit_length() - 1))


def _closure(generators: list[Permutation], size: int) -> set[Permutation]:
    group, frontier = {tuple(range(size))}, [tuple(range(size))]
    while frontier:
        element = frontier.pop()
        for g in generators:
            if (product := tuple(g[i] for i in element)) not in group:
                group.add(product)
                frontier.append(product)
    return group


def extend(view: View, inputs: Permutation) -> Symmetry | None:
    """Find a symmetry with this permutation of the inputs, or None where none is found.

    Colour refinement of the messages on both sides (as for graph isomorphism), then backtracking over what it leaves
    open.
    """
    monomials = list(dict.fromkeys(e for row in view.rows for e in row))
    source = {e: tuple(row.get(e, 0) for row in view.rows) for e in monomials}
    target = {e: tuple(source[e][x] for x in inputs) for e in monomials}
    if Counter(source.values()) != Counter(target.values()):
        return None
    nodes = [SEARCH_NODES]
    messages = _match(source, target, [0] * len(view.messages), [0] * len(view.messages), nodes)
    return Symmetry(inputs, messages) if messages is not None else None


Weights = dict[Multiset, tuple[int, ...]]


def _match(source: Weights, target: Weights, left: list[int], right: list[int], nodes: list[int]) -> Permutation | None:
    """A bijection t of messages that keeps colours, with target[t(e)] = source[e] for every monomial e."""
    nodes[0] -= 1
    refined = _refine(source, target, left, right)
    if refined is None or nodes[0] < 0:
        return None
    left, right = refined
    by_colour: dict[int, list[int]] = {}
    for j, colour in enumerate(right):
        by_colour.setdefault(colour, []).append(j)
    guess = [by_colour[colour].pop() for colour in left]
    if _carries(source, target, guess):
        return tuple(guess)
    several = Counter(left)
    i = next((i for i, colour in enumerate(left) if several[colour] > 1), None)
    if i is None:
        return None
    fresh = max(left) + 1
    for j in [j for j, colour in enumerate(right) if colour == left[i]]:
        marked_left, marked_right = left.copy(), right.copy()
        marked_left[i] = marked_right[j] = fresh
        if (match := _match(source, target, marked_left, marked_right, nodes)) is not None:
            return match
    return None


def _refine(source: Weights, target: Weights, left: list[int], right: list[int]) -> tuple[list[int], list[int]] | None:
    """Split colours by what each message occurs with until nothing changes; None when the two sides differ."""
    while True:
        names: dict[Hashable, int] = {}
        sides = []
        for weights, colours in ((source, left), (target, right)):
            seen: list[list[tuple[int, int]]] = [[] for _ in colours]
            for multiset, weight in weights.items():
                kind = (weight, tuple(sorted((colours[i], count) for i, count in multiset)))
                number = names.setdefault(kind, len(names))
                for i, count in multiset:
                    seen[i].append((number, count))
            sides.append([(colours[i], tuple(sorted(occurrences))) for i, occurrences in enumerate(seen)])
        if Counter(sides[0]) != Counter(sides[1]):
            return None
        order = {signature: k for k, signature in enumerate(sorted(set(sides[0])))}
        stable = len(order) == len(set(left))
        left, right = [order[s] for s in sides[0]], [order[s] for s in sides[1]]
        if stable:
            return left, right


def _carries(source: Weights, target: Weights, messages: list[int]) -> bool:
    """Whether the bijection takes every monomial to one of the same weight."""
    return all(
        target.get(tuple(sorted((messages[i], count) for i, count in multiset))) == weight
        for multiset, weight in source.items()
    )
