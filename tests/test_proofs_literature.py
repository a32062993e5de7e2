"""What the literature claims: the instances are what they are said to be, and wrong rows are noticed."""

from fractions import Fraction
from itertools import product

import pytest

from shufflecert.proofs import literature
from shufflecert.proofs.conjectures.amplification import delta_of, two_counts
from shufflecert.proofs.statement import StepFailed
from shufflecert.protocols.gallery.systems import table

F = Fraction


@pytest.mark.parametrize(("name", "given", "E", "beta"), literature.table_rows())
def test_instances_are_private_and_have_the_listed_variation(name, given, E, beta):
    """Rows sum to 1, the largest ratio is E, and beta is the total variation distance (above it for local hashing)."""
    rows = {x: dict(row.items()) for x, row in given.rows.items()}
    assert all(sum(row.values()) == 1 for row in rows.values())
    ratios = {p / rows[z][y] for x, z in product(rows, repeat=2) for y, p in rows[x].items()}
    assert max(ratios) == E
    apart = max(sum(max(p - rows[z][y], 0) for y, p in rows[x].items()) for x, z in product(rows, repeat=2))
    assert apart == beta or ("hash" in name and apart < beta)
    assert (literature.extremal(given, E) == E * beta / (E - 1)) is ("hash" not in name)


def test_the_general_row_is_not_broken_so():
    """With x + y = 1 the largest ratio of the pair is there more often, and the bound is not below the event."""
    E = F(4)
    given = table("krr", E, k=2)
    with pytest.raises(StepFailed, match="the bound there"):
        literature.broken(given, E, (E - 1) / (E + 1), 3)


def test_the_laplace_row_is_false_at_three_users():
    """E = 4: sqrt(E) = 2, x = 2/3, beta = 1/2; all three messages at most 0 have 1/8, and a ratio of 4."""
    E, x = F(4), F(2, 3)
    below, _ = literature.largest_ratios(3, x, x / E, x / E)
    power = (below + E) / 2
    assert (1 - power / E) / 8 > delta_of(two_counts(3, x, x / E, x / E), power)


def test_the_blanket_by_hand():
    """One other user, on input 2 for certain: the law of two messages of k-ary response, against the engine."""
    E = F(3)
    rows = list(table("krr", E, k=3).rows.values())
    whole = literature.blanket(rows, dict(rows[2].items()), 2, E)
    pairs = {}
    for x in (0, 1):
        law = {}
        for y, z in product("012", repeat=2):
            key = tuple(sorted((y, z)))
            law[key] = law.get(key, 0) + rows[x][y,] * rows[2][z,]
        pairs[x] = law
    assert whole == sum(max(p - 2 * pairs[1][key], 0) for key, p in pairs[0].items())
