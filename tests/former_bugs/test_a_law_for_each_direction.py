"""The reverse of a pair that nobody had turned round was taken to be the pair itself, and an event's value a bound on
the divergence of its datasets: laws of losses "from below", as they are exported, claimed what no dataset attains.
"""

from fractions import Fraction
from itertools import product
from random import Random

import mpmath
import pytest
from flint import fmpz

from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.compose.privacy_loss_distribution import Grid, WorstCurve, attained_losses
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.pairs.windowed import Atoms, WindowPair
from shufflecert.verify.reduce.privacy_blanket import reach_of
from tests import oracle
from tests.reference import real

STEP = Fraction(1, 16)
EPS = [Fraction(k, 8) for k in range(-16, 17)]


def drawn(seed, messages, several=False):
    """A random table {input: {message: probability}}: two or three inputs, weights from 0 to 6, not all 0."""
    dice = Random(seed)
    outputs = [(m,) for m in messages] + ([("a", "b"), ()] if several else [])
    table = {}
    for x in range(2 + seed % 2):
        weights = [dice.choice((0, 1, 1, 2, 6)) for _ in outputs]
        weights[dice.randrange(len(weights))] += 1
        table[str(x)] = {o: Fraction(w, sum(weights)) for o, w in zip(outputs, weights, strict=True) if w}
    return table


def stated(law, eps):
    """What a law of losses states: mass at infinity, and sum of f max(1 - e^(eps - loss), 0) over its losses."""
    finite = (mpmath.mpf(f) * max(0, 1 - mpmath.exp(real(eps - i * STEP))) for i, f in law.masses.items())
    return mpmath.mpf(law.infinite) + mpmath.fsum(finite)


def truth(P, Q, eps):
    """sum max(P - e^eps Q, 0), any real eps."""
    power = mpmath.exp(real(eps))
    return mpmath.fsum(max(real(p) - power * real(Q.get(y, Fraction(0))), 0) for y, p in P.items())


def below(law, P, Q):
    return all(stated(law, eps) <= truth(P, Q, eps) * (1 + mpmath.mpf(2) ** -60) for eps in EPS)


def laws_of(table, n):
    """{dataset up to order: its law}, by the oracle."""
    datasets = {tuple(sorted(dataset)) for dataset in product(table, repeat=n)}
    return {dataset: oracle.convolved_law(table, dataset) for dataset in datasets}


def attained(table, n, reach=None):
    """As where datasets are too many to enumerate."""
    rows = Randomizer.of(table)
    few = ClosedForm(Question.of(rows, n), Effort(), reach or reach_of(rows, n))
    curve = WorstCurve(few, few, None)
    return attained_losses(curve, Grid.of(curve, STEP, 2), 48)


def is_attained(table, n, reach=None):
    """Some pair of neighbours has at least the first law's deltas, and its reverse at least the second's."""
    remove, add = attained(table, n, reach)
    laws = laws_of(table, n)
    return any(
        below(remove, laws[tuple(sorted((x, *others)))], laws[tuple(sorted((y, *others)))])
        and below(add, laws[tuple(sorted((y, *others)))], laws[tuple(sorted((x, *others)))])
        for x, y in product(table, repeat=2)
        if x != y
        for others in product(table, repeat=n - 1)
    )


def test_one_direction_is_not_the_other():
    """A message that only the first input sends: beyond log 2 nothing is left of the reverse, and half of the pair."""
    table = {"0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 2)}, "1": {("b",): Fraction(1)}}
    remove, add = attained(table, 3)
    laws = laws_of(table, 3)
    P, Q = laws[("0", "1", "1")], laws[("1", "1", "1")]
    forth, back = oracle.hockey_stick(P, Q, Fraction(4)), oracle.hockey_stick(Q, P, Fraction(4))
    assert (forth, back) == (Fraction(1, 2), 0)
    ends = sorted(stated(law, Fraction(3, 2)) for law in (remove, add))  # e^(3/2) > 4
    assert ends[0] == 0 and mpmath.mpf("0.49") < ends[1] <= mpmath.mpf("0.5")


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_of_one_message(seed):
    """All others on one input: the blanket is exact, and has a reverse."""
    assert is_attained(drawn(seed, "ab" if seed % 4 else "abc"), 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(3)
def test_random_tables_of_several_messages(seed):
    """Datasets that are known by events only."""
    assert is_attained(drawn(seed, "ab", several=True), 3)


@pytest.mark.parametrize("d", [2, 3])
def test_pairs_that_leave_outcomes_out(d):
    """What fake users attain is shown by a part of the outcomes, whose upper ends bound nothing."""
    system = FakeUsers(str(d), "1", "1/4")
    table = {x: dict(law.items()) for x, law in system.randomizer().rows.items()}
    assert is_attained(table, 2, system.reach(2))


class Half(WindowPair):
    """Half of the outcomes of a pair that is told apart at once: P = (1/2, 2^-100), Q = (2^-100, 1/2)."""

    @property
    def whole(self):
        return False

    def atoms(self, bits):
        most, least = fmpz(1) << bits - 1, fmpz(1 << bits - 100 if bits >= 100 else 0)
        above = least or fmpz(1)
        return Atoms(([most, least], [most, above]), ([least, most], [above, most]), (0, 0), bits)


def test_a_part_of_a_law_is_not_a_law():
    """10^5 of them: P's mass is about 2^-100000, where the composition said that hardly a thing lacks to 1."""
    assert compose([Half()], 10**5, 1).low <= Fraction(1, 2**99_999)
