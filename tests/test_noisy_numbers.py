"""Laplace and normal noise on numbers: lemmas on finer grids, the bound against real datasets, small tables, widths."""

import random
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import exp

import mpmath
import numpy
import pytest
from flint import arb

from shufflecert.protocols.gaussian import GaussianCells, normal_alone
from shufflecert.protocols.laplace import LaplaceCells
from shufflecert.protocols.shared.likelihood_orbits import Near
from shufflecert.protocols.shared.moved_density import BEND, CALL, UNIT, Calls, crowd_of, kinds_of, moved_bound
from shufflecert.protocols.shared.moved_density import product as whole_product
from shufflecert.protocols.shared.noisy_number import MIXED, Shown
from shufflecert.verify import kernel
from shufflecert.verify.calibrate.comparison import systems
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.decide import worst_case
from shufflecert.verify.enclose.interval import Interval, smallest_between
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, ceiling_of, floor_of, precision
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, cases
from tests.oracle import hockey_stick, multiset_law
from tests.reference import real

DENSITIES = [
    LaplaceCells(Fraction(1)),
    LaplaceCells(Fraction(3)),
    GaussianCells(Fraction(1)),
    GaussianCells(Fraction(2)),
]
SYSTEMS = [("laplace", {"eps0": "1"}), ("laplace", {"eps0": "3"}), ("gaussian", {"sigma": "1"})]
DELTA = Fraction(1, 10**6)


def masses(density, x, cells=None):
    """The law of a density on cells, in floats."""
    with precision(120):
        return numpy.array([float(density.mass(x, cell).mid()) for cell in cells or density.cells])


def between(density, rng):
    """An input, and the index of the point of the grid before it."""
    k = rng.randrange(len(density.grid) - 1)
    return k, density.grid[k] + (density.grid[k + 1] - density.grid[k]) * Fraction(rng.randint(1, 99), 100)


@pytest.mark.parametrize("density", DENSITIES, ids=str)
@pytest.mark.sampled(2)
def test_every_input_of_another_user_is_a_mixture_of_what_is_on_the_grid_and_more(density):
    """Cell by cell, with weights whose mean is the input."""
    rng, tables = random.Random(1), density.tables
    for _ in range(cases(40)):
        k, z = between(density, rng)
        share = float((density.grid[k + 1] - z) / (density.grid[k + 1] - density.grid[k]))
        laws = tables.others / 2**UNIT
        mixed = (1 - float(tables.seen)) * (share * laws[k] + (1 - share) * laws[k + 1])
        assert (mixed <= masses(density, z) * (1 + 1e-9) + 1e-12).all()
        assert 0.9 < mixed.sum() <= 1


@pytest.mark.parametrize("density", DENSITIES, ids=str)
@pytest.mark.sampled(2)
def test_every_input_of_the_user_is_between_what_is_on_the_grid(density):
    """v_x over the mean of its neighbours' laws is between 1 - fall and 1 + rise, and low, high have room for more."""
    rng, tables = random.Random(2), density.tables
    for _ in range(20):
        k, x = between(density, rng)
        share = float((density.grid[k + 1] - x) / (density.grid[k + 1] - density.grid[k]))
        for table, sign in ((tables.low, 1), (tables.high, -1)):
            mean = (share * table[k] + (1 - share) * table[k + 1]) / 2**UNIT
            assert (sign * (masses(density, x) - mean) >= -1e-12).all()


@pytest.mark.parametrize("density", DENSITIES, ids=str)
@pytest.mark.sampled(2)
def test_ratios_on_a_cell_are_as_near_to_the_ratio_of_masses_as_is_said(density):
    """At 4 points of every third cell that has two ends, for pairs of inputs from the grid."""
    rng, bends, inputs = random.Random(3), density.bends(), range(len(density.grid))
    for o, cell in list(enumerate(density.cells))[1:-1:3]:
        i, k = rng.choice(inputs), rng.choice(inputs)
        x, z = density.grid[i], density.grid[k]
        with precision(200):
            whole = (density.mass(x, cell) / density.mass(z, cell)).log()
            bend = arb(int(bends[i, k, o])) / (1 << BEND)
            width = (cell[1] - cell[0]) / 4096
            for part in (0, 1365, 2730, 4095):
                small = (cell[0] + part * width, cell[0] + (part + 1) * width)
                ratio = (density.mass(x, small) / density.mass(z, small)).log()
                assert abs(ratio - whole).lower() <= bend.upper() + arb("1e-20")


@pytest.mark.parametrize("density", DENSITIES, ids=str)
@pytest.mark.sampled(4)
def test_calls_are_no_smaller_than_those_of_any_inputs(density):
    """Of (p - t q) / w by cells, for users between the points of the grid, others on it."""
    rng, n, t = random.Random(4), 10_000, Fraction(21, 20)
    crowd = crowd_of(density, n - 1, 20)
    calls = Calls.of(density.tables, crowd, t)
    kinds = range(calls.classes)
    for _ in range(6):
        first, last = sorted(between(density, rng)[1] for _ in range(2))
        p, q = masses(density, first), masses(density, last)
        k = rng.randrange(len(density.grid))
        w = density.tables.others[k] / 2**UNIT
        for i, point in enumerate(calls.points):
            value = numpy.maximum(p - float(t) * q - point / 2**calls.scale * w, 0).sum()
            assert value <= max(calls.values[k][i][kind] / 2**CALL for kind in kinds) + 1e-9
    inputs = len(density.grid)
    firsts, lasts, starts = kinds_of(inputs)
    assert {(i, j) for i, j in zip(firsts, lasts, strict=True)} == {
        (i, j) for i, j in product(range(inputs), repeat=2) if i <= j + 1
    } and starts[0] == 0


def by_cells(density, x, y, z, n):
    """The pair of a user on x or y and others on z, seen by cells, as a form."""
    cells, unit = density.shown, 1 << 200

    def law(x):
        with precision(300):
            found = [Fraction(int(float(density.mass(x, cell).mid()) * 2**60) + 1, 2**60) for cell in cells]
        total = sum(found)
        return [mass / total for mass in found]

    p, q, v = law(x), law(y), law(z)
    assert unit
    return Blanket(Form.of([Category(a / c, b / c, c) for a, b, c in zip(p, q, v, strict=True)], n))


@pytest.mark.parametrize(
    "density", [pytest.param(one, marks=[pytest.mark.long] * (i in (1, 2))) for i, one in enumerate(DENSITIES)], ids=str
)
@pytest.mark.parametrize("n", [1000, pytest.param(30_000, marks=pytest.mark.long)])
@pytest.mark.sampled(2)
def test_no_dataset_is_above_the_bound(density, n):
    """Pairs between the grid's points, all others on any number, in both directions, at eps where delta is moderate."""
    rng = random.Random(n)
    for eps in ("1/50", "1/10")[: cases(2)]:
        bound = moved_bound(density, n, Eps.of(eps))
        if bound is None or bound < Fraction(1, 10**12):
            continue
        ends = [(Fraction(0), Fraction(1), Fraction(0)), (Fraction(0), Fraction(1), Fraction(1))]
        some = [tuple(Fraction(rng.randint(0, 1000), 1000) for _ in range(3)) for _ in range(cases(8))]
        for x, y, z in [*ends, *some, *((y, x, z) for x, y, z in some)]:
            assert by_cells(density, x, y, z, n).enclosure(Eps.of(eps), 5).low <= bound * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize(("name", "given"), SYSTEMS, ids=str)
@pytest.mark.parametrize("n", [2, 3])
def test_a_few_users_by_every_dataset_of_a_coarse_table(monkeypatch, name, given, n):
    """Three cells: the attained is that of the table's datasets on one input; the bound is above all datasets."""
    system = catalogue.make(name, given)
    density = system.density
    ends = [density.shown[len(density.shown) // 3][0], density.shown[2 * len(density.shown) // 3][0]]
    coarse = [(None, ends[0]), (ends[0], ends[1]), (ends[1], None)]
    monkeypatch.setattr(type(density), "shown", property(lambda _: coarse))
    reach = system.reach(n)
    rows = {x: {(cell,): w for cell, w in enumerate(Shown(density).law(x))} for x in ("0", "1", "1/2")}
    for eps in ("0", "1/4", "1"):
        t = Eps.of(eps).bounds(128)
        alike, worst = Fraction(0), Fraction(0)
        for x, y in product(rows, repeat=2):
            for others in combinations_with_replacement(rows, n - 1):
                laws = [multiset_law(rows, [z, *others]) for z in (x, y)]
                value = hockey_stick(*laws, t[1])
                worst = max(worst, value)
                if (x, y) == ("0", "1") and len(set(others)) == 1:
                    alike = max(alike, value)
        found = reach.attained.worst(Eps.of(eps), 8)[0]
        assert abs(found.low - alike) < Fraction(1, 10**6) and found.low <= alike
        assert reach.dominating.worst(Eps.of(eps))[0].high >= worst


def test_rounding_is_less_than_is_said():
    """The table's masses beside the density's, and its local eps, which is no larger."""
    for density, eps0 in ((LaplaceCells(Fraction(2)), Eps.of(2)), (LaplaceCells(Fraction(1, 10)), Eps.of("1/10"))):
        shown = Shown(density)
        laws = {x: shown.law(x) for x in ("0", "1", "1/2")}
        assert all(sum(law) == 1 for law in laws.values())
        low = eps0.bounds(256)[0]
        assert all(a <= low * b for p, q in product(laws.values(), repeat=2) for a, b in zip(p, q, strict=True))
        with precision(400):
            for x, law in laws.items():
                apart = sum(
                    (abs(density.mass(Fraction(x), c) - ball(w)) for c, w in zip(density.shown, law, strict=True)),
                    arb(0),
                )
                assert apart / 2 < arb(2) ** -199
    bound = Blanket(Form.of([Category(Fraction(1), Fraction(1, 2), Fraction(1))], 3))
    pair = Near(bound, Fraction(3, 1 << (MIXED - 1)))
    assert pair.enclosure(Eps.of(0), 5).low < Fraction(1, 2) < pair.enclosure(Eps.of(0), 5).high


def test_one_normal_message_is_the_formula_of_its_tails():
    """Beside a sum over narrow cells."""
    density = GaussianCells(Fraction(1))
    p, q = masses(density, Fraction(0)), masses(density, Fraction(1))
    for eps in ("0", "1/2", "2"):
        low, high = normal_alone(Fraction(1), Eps.of(eps))
        below = numpy.maximum(p - exp(float(Fraction(eps))) * q, 0).sum()
        assert low <= high and below - 1e-9 <= float(high) <= below + 1e-3


@pytest.mark.parametrize(("name", "parameter", "values"), [("laplace", "eps0", "1/2 1"), ("gaussian", "sigma", "2 1")])
@pytest.mark.sampled(2)
def test_what_is_larger_noise_attains_less(name, parameter, values):
    """The lemmas of their orders, for what real datasets attain."""
    less, more = (catalogue.make(name, {parameter: value}).reach(cases(50, 8)).attained for value in values.split())
    for eps in ("0", "1/4")[: cases(2)]:
        assert less.worst(Eps.of(eps), 8)[0].high < more.worst(Eps.of(eps), 8)[0].low


def test_pure_eps_is_the_local_one_or_none():
    assert worst_case.epsilon(catalogue.make("laplace", {"eps0": "log(3)"}), 50, 0).eps == Eps.of("log(3)")
    assert worst_case.epsilon(catalogue.make("gaussian", {"sigma": "1"}), 50, 0).interval is None


@pytest.mark.parametrize(
    ("name", "given", "kept", "broken"),
    [
        ("laplace", "eps0=1", "1/10", "1/50"),
        pytest.param("gaussian", "sigma=4", "9/4", "1/1000", marks=pytest.mark.long),
    ],
)
def test_certificates_are_about_any_randomizer_and_shown_by_cells(capsys, tmp_path, name, given, kept, broken):
    asked_of = ["certify", name, "-p", given, "--n", 10_000, "--delta", "1e-6"]
    for eps, verdict, status in ((kept, "PROVED", 0), (broken, "REFUTED", 1)):
        file = tmp_path / f"{verdict}.json"
        assert asked(capsys, *asked_of, "--eps", eps, "-o", file, status=status)["verdict"] == verdict
        assert kernel.check_file(file).status == "accepted"


def test_the_mean_is_compared(capsys):
    assert {"laplace", "gaussian"} <= set(systems("mean", None))
    for name, given in (("laplace", {"eps0": "2"}), ("gaussian", {"sigma": "1/2"})):
        found = catalogue.make(name, given).accuracy(100, None).rmse
        assert found.low**2 <= (Fraction(1, 2) if name == "laplace" else Fraction(1, 4)) / 100 <= found.high**2


def test_grids_are_symmetric_and_hold_the_middle():
    for density in DENSITIES:
        assert [1 - x for x in reversed(density.grid)] == list(density.grid) and Fraction(1, 2) in density.grid
        assert all(before < after for before, after in pairwise(density.grid))


def test_a_search_for_the_least_noise_asks_no_bound_where_real_datasets_break_the_promise(monkeypatch):
    """One bound takes seconds, and `calibrate` asks dozens: it did not end within minutes."""
    asked_for = []
    monkeypatch.setattr("shufflecert.protocols.shared.noisy_number.moved_bound", lambda *of: asked_for.append(of))
    below, above = Promise.of(10_000, "1/10", "1e-6").sides(catalogue.system("laplace", eps0="4"))
    assert below(4).low > Fraction(1, 10**6)
    assert above(4).high == 1
    assert not asked_for
    above = Promise.of(10_000, "1/4", "1e-6").sides(catalogue.system("laplace", eps0=4))[1]
    above(4)
    assert asked_for


def test_products_beyond_64_bits_are_refused():
    """2^44 times 2^18 is too much, 2^43 times 2^18 is not."""
    assert whole_product(numpy.array([1 << 43]), numpy.array([1 << 18]))[0] == 1 << 61
    with pytest.raises(OverflowError):
        whole_product(numpy.array([1 << 44]), numpy.array([1 << 18]))


@pytest.mark.parametrize("times", [Fraction(1), Fraction(11, 10), Fraction(3), Fraction(10**6)])
@pytest.mark.parametrize("rate", [3, 400])
def test_an_upper_end_that_takes_long_is_looked_for_near_the_lower_one(times, rate):
    # delta = e^(-rate eps - eps^2) / 2 attained and `times` that above: with L = log(times / (2 bound)) eps is the root
    # of eps^2 + rate eps = L
    bound, looks = Fraction(1, 10**6), list[Eps]()

    def curve(size, seen):
        def at(eps):
            seen.append(eps)
            with precision(128):
                value = (-rate * ball(eps.exponent) - ball(eps.exponent) ** 2).exp() * ball(size) / 2
                return Interval(floor_of(value), min(ceiling_of(value), Fraction(1)))

        return at

    low, high = smallest_between(curve(Fraction(1), []), curve(times, looks), bound, 8, 4)
    ends = [(mpmath.sqrt(rate**2 + 4 * mpmath.log(m / (2 * mpmath.mpf("1e-6")))) - rate) / 2 for m in (1, real(times))]
    assert abs(real(low) / ends[0] - 1) < 1e-7 and -1e-7 < real(high) / ends[1] - 1 < 2e-4
    assert len(looks) <= 6


def test_an_upper_end_that_is_never_low_enough_is_none():
    some = smallest_between(
        lambda eps: Interval(Fraction(0), Fraction(1, 10)),
        lambda eps: Interval(Fraction(1, 2), Fraction(1, 2)),
        Fraction(1, 5),
        6,
        4,
    )
    assert some == (0, None)
