"""To dp-accounting and OpenDP, the real ones: what goes out bounds the truth.

Truths are sums in mpmath over all outcomes, or closed forms, at 60 digits. Doubles are compared as the exact binary
fractions that they are.
"""

import csv
import json
import re
import sys
from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import mpmath
import opendp.prelude as dp
import pytest
from dp_accounting.pld import privacy_loss_distribution as theirs
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose import interchange
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.compose.privacy_loss_distribution import (
    Grid,
    WorstCurve,
    attained_losses,
    double,
    profile_table,
    worst_losses,
)
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise_laws import Poisson
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.pairs.windowed import Atoms, SumPair, WindowPair
from shufflecert.verify.reduce.privacy_blanket import reach_of
from tests import oracle
from tests.asked import bound, to_dp_accounting, to_opendp
from tests.exchange_laws import POISSON, binomial, hockey_stick, poisson, stated
from tests.helpers import asked, both_directions, call, some
from tests.reference import real

EPS = [0.0, 0.1, 0.123, 0.3, 0.5, 0.7071, 1.0, 1.05]
Z = {"clear": {"a": Fraction(1)}, "noisy": {"a": Fraction(1, 2), "b": Fraction(1, 2)}}  # one direction has P(Q = 0) > 0


pytestmark = pytest.mark.usefixtures("sixty_digits")

RR_LAWS = ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
PAIRS = {  # system, n, view, one of the two directions; the other users only shift both laws
    "rr": (RR(flip="1/4"), 1, "local", RR_LAWS),
    "poisson": (PoissonSum(lam=34), 1000, "shuffled", poisson(34)),
    "zsum": (ZSum(p="0.8"), 100, "shuffled", binomial(100, Fraction(1, 5))),
    "z": (Randomizer.of(Z), 1, "local", ([1, 0], [Fraction(1, 2)] * 2)),
}


@cache
def export(name, pessimistic):
    system, n, view, _ = PAIRS[name]
    return to_dp_accounting(system, n, "1e-3", view=view, pessimistic=pessimistic)


@pytest.fixture(params=PAIRS)
def exported(request):
    """(pessimistic, optimistic, directions' laws)."""
    P, Q = PAIRS[request.param][3]
    return export(request.param, True), export(request.param, False), ((P, Q), (Q, P))


# Out: dp-accounting ---------------------------------------------------------------------------------------------------


def test_upper_bounds(exported):
    above, _, directions = exported
    for eps in EPS:
        truth = max(hockey_stick(P, Q, eps) for P, Q in directions)
        found = above.get_delta_for_epsilon(eps)
        # chords between losses 10^-3 apart, and the spare mass
        assert truth <= mpmath.mpf(float(found)) <= truth * (1 + 1e-3) + 2e-15, eps


def test_lists_and_smallest_eps(exported):
    above, _, directions = exported
    truths = [max(hockey_stick(P, Q, eps) for P, Q in directions) for eps in EPS]
    assert all(mpmath.mpf(float(d)) >= truth for d, truth in zip(above.get_delta_for_epsilon(EPS), truths, strict=True))
    for target in (0.6, 1e-2, 1e-5):
        eps = above.get_epsilon_for_delta(target)
        if eps < 60:
            assert max(hockey_stick(P, Q, float(eps)) for P, Q in directions) <= target


def test_lower_bounds(exported):
    above, below, directions = exported
    for eps in EPS:
        truth = max(hockey_stick(P, Q, eps) for P, Q in directions)
        found = mpmath.mpf(float(below.get_delta_for_epsilon(eps)))
        # losses are up to 2 of 10^-3 lower, so the bound is at least the truth at eps + 2e-3, less a part in 2^31
        later = max(hockey_stick(P, Q, eps + 2e-3) for P, Q in directions)
        assert later * (1 - mpmath.mpf(2) ** -31) - 1e-18 <= found <= truth, eps
    assert not below._symmetric and above._symmetric


def test_lower_bounds_have_a_direction(exported):
    """Each of the two laws is below one direction, and it is not the same one."""
    _, below, directions = exported
    for laws in (directions, directions[::-1]):
        if all(
            mpmath.mpf(float(law.get_delta_for_epsilon(eps))) <= hockey_stick(P, Q, eps)
            for law, (P, Q) in zip((below._pmf_remove, below._pmf_add), laws, strict=True)
            for eps in EPS
        ):
            return
    pytest.fail("no assignment of directions")


@pytest.mark.parametrize("name", ["rr", "zsum", "z"])
@pytest.mark.sampled(3)
def test_the_numbers_themselves_are_bounds(name):
    """Without spare mass and without their arithmetic; for negative eps as well, on which compositions rest."""
    system, n, view, (P, Q) = PAIRS[name]
    curve = WorstCurve.of(bound(system, n, view))
    grid = Grid.of(curve, "1e-3")
    above, below = worst_losses(curve, grid, 100, spare=0), attained_losses(curve, grid, 100)
    for eps in [*EPS, *(-e for e in EPS), 3, -3]:
        truth = max(hockey_stick(P, Q, eps), hockey_stick(Q, P, eps))
        assert truth <= stated(above, eps)
        assert max(stated(law, eps) for law in below) <= truth
    assert 1 <= sum(map(Fraction, above.masses.values())) + Fraction(above.infinite) <= 1 + Fraction(1, 2**31)
    for law in below:
        assert sum(map(Fraction, law.masses.values())) + Fraction(law.infinite) <= 1


def test_their_deltas_are_what_the_numbers_state():
    """`get_delta_for_epsilon` of one eps as computed in doubles, near losses too: a bound, and no coincidence."""
    system, n, view, (P, Q) = PAIRS["rr"]
    above = to_dp_accounting(system, n, view=view, spare=0)
    top = mpmath.log(3)
    for back in (1e-16, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 3e-4):
        eps = float(top - back)
        assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= hockey_stick(P, Q, eps)
    for i in sorted(above._pmf_remove._loss_probs):
        for eps in (i * 1e-4 * (1 - 1e-15), i * 1e-4, i * 1e-4 * (1 + 1e-15)):
            assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= hockey_stick(P, Q, eps)


class Wide:
    """A curve of which only an upper bound is known: rr's own delta, exactly."""

    quick = bound = None

    @staticmethod
    def above(power):
        return Interval(Fraction(0), max(Fraction(3, 4) - power / 4, Fraction(0)))


def test_wide_enclosures_are_read_at_their_upper_ends():
    above = worst_losses(Wide, Grid.of(Wide, "1e-2", 2), 100)
    epsilons, deltas = profile_table(Wide, Grid.of(Wide, "1e-2", 2), 100)
    for eps in EPS:
        truth = hockey_stick(*RR_LAWS, eps)
        assert truth <= stated(above, eps) and truth <= deltas[bisect_right(epsilons, eps) - 1]


def rr_times(k, eps):
    """delta(eps) of k-fold randomized response with flip 1/4: a sum over the number of lies."""
    ways = [mpmath.binomial(k, i) for i in range(k + 1)]
    P = [w * mpmath.mpf(3) ** (k - i) / mpmath.mpf(4) ** k for i, w in enumerate(ways)]
    return hockey_stick(P, P[::-1], eps)


@pytest.mark.parametrize("k", [2, 10, 100])
def test_compositions_of_rr(k):
    above, below = export("rr", True).self_compose(k), export("rr", False).self_compose(k, 0)
    for part in (0.05, 0.6, 0.95, 0.99):
        eps = float(part * k * mpmath.log(3))
        truth = rr_times(k, eps)
        # chords between losses 10^-3 apart for each, the spare masses and dp-accounting's own tail
        assert (
            truth <= mpmath.mpf(float(above.get_delta_for_epsilon(eps))) <= truth * (1 + k * 2e-4) + (k + 1) * 1.1e-15
        )
        if truth > 1e-9:  # where the FFT's error is nothing
            lower = mpmath.mpf(float(below.get_delta_for_epsilon(eps)))
            assert rr_times(k, eps + k * 2e-3) * (1 - 1e-6) <= lower <= truth


def test_compositions_against_compose():
    """Ten Poisson sums, by their FFT and by a lattice: the user's input is the same in all ten."""
    noise = Poisson(Fraction(34))
    pair = SumPair((noise,), (noise,), 1)
    above, below = export("poisson", True).self_compose(10), export("poisson", False).self_compose(10, 0)
    for eps in ("1/2", "2"):
        exact = both_directions(pair, 10, Eps.of(eps), digits=4)
        low, high = (Fraction(float(law.get_delta_for_epsilon(float(Fraction(eps))))) for law in (below, above))
        assert exact.high <= high <= exact.low * Fraction(115, 100)  # any mix of directions is covered: up to 10 % more
        later = both_directions(pair, 10, Eps.of(Fraction(eps) + Fraction(1, 50)), digits=4)  # ten losses 2e-3 lower
        assert later.low * Fraction(999, 1000) <= low <= exact.low


def test_a_mix_of_directions_is_covered():
    """Twice, a user's input changing in opposite directions, can be worse than twice in one: Z-channels, eps = log 2.

    P = (1, 0), Q = (1/2, 1/2): both forward 0 at eps = log 4, both backward 3/4, mixed 1/2; at every eps mixed counts.
    """
    above = to_dp_accounting(Randomizer.of(Z), 1, view="local", spare=0).self_compose(2, 0)
    P, Q = [1, 0], [Fraction(1, 2)] * 2
    for eps in (0.0, 0.4, 0.8, 1.2):
        mixed = hockey_stick([p * q for p in P for q in Q], [q * p for q in Q for p in P], eps)
        assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= mixed


def test_composes_with_a_law_of_theirs():
    ours, laplace = export("rr", True), theirs.from_laplace_mechanism(1.0, value_discretization_interval=1e-3)
    both = ours.compose(laplace)
    with mpmath.workdps(20):
        for eps in (0.5, 1.0, 1.5):  # revealing the bit: the Laplace profile at eps -+ log 3
            shift = mpmath.log(3)
            truth = 3 * laplace_profile(eps - shift) / 4 + laplace_profile(eps + shift) / 4
            assert truth <= mpmath.mpf(float(both.get_delta_for_epsilon(eps))) <= truth + 1e-3


def laplace_profile(eps):
    """Lap(1) against its shift by 1, for any real eps (negative ones by reversal)."""
    if eps < 0:
        return 1 - mpmath.exp(eps) + mpmath.exp(eps) * laplace_profile(-eps)
    return max(0, 1 - mpmath.exp((eps - 1) / 2))


def test_a_lower_bound_composes_without_their_tail():
    """Beyond 4 log 3 nothing is left of four: dp-accounting's default, a tail of 1e-15, would be more than that."""
    assert export("rr", False).self_compose(4, 0).get_delta_for_epsilon(4.5) == 0 == rr_times(4, 4.5)


def test_eps_max_and_interval():
    above = to_dp_accounting(PoissonSum(lam=34), 5, "1/128", eps_max="1/2", dots=50)
    law = above._pmf_remove
    assert law._discretization == 2**-7 and max(law._loss_probs) * 2**-7 <= 0.5 < (max(law._loss_probs) + 2) * 2**-7
    truth = max(hockey_stick(*laws, 0.5) for laws in (poisson(34), poisson(34)[::-1]))
    assert truth <= mpmath.mpf(float(above.get_delta_for_epsilon(3.0))) <= truth * (1 + 1e-8)  # all beyond is infinite


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": 0.0001}, "is a float"),
        ({"interval": "0"}, "expected a rational in (0, 1]"),
        ({"interval": "2"}, "expected a rational in (0, 1]"),
        ({"interval": "1e-6", "eps_max": 1}, "expected at most 524288"),
        ({"eps_max": "-1"}, "eps_max"),
        ({"dots": 0}, "dots"),
        ({"spare": 2}, "spare"),
        ({"view": "global"}, "view"),
    ],
)
def test_bad_questions(given, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        to_dp_accounting(RR(flip="1/4"), 2, **given)


@given(st.integers(0, 2**80), st.integers(1, 2**80), st.integers(0, 900))
@some
def test_doubles_are_rounded_outwards(top, bottom, shift):
    exact = Fraction(top, bottom) / 2**shift
    low, high = Fraction(double(exact, up=False)), Fraction(double(exact, up=True))
    assert low <= exact <= high and high - low <= max(exact / 2**50, Fraction(1, 2**1000))


# Out: OpenDP ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def profile():
    return to_opendp(PoissonSum(lam=34), 1000, "1e-3")


def test_opendp_profile(profile):
    laws = poisson(34)
    for eps in EPS:
        truth = max(hockey_stick(*laws, eps), hockey_stick(*laws[::-1], eps))
        before = max(hockey_stick(*laws, eps - 1e-3), hockey_stick(*laws[::-1], eps - 1e-3))
        assert truth <= mpmath.mpf(profile.delta(eps)) <= before * (1 + 1e-3)  # a table of steps of 10^-3, and chords
    for target in (1e-2, 1e-4, 1e-6):
        eps = profile.epsilon(target)
        assert max(hockey_stick(*laws, eps), hockey_stick(*laws[::-1], eps)) <= target < profile.delta(eps - 0.002)


@pytest.mark.parametrize("eps", [-1.0, float("nan")])
def test_opendp_profile_refuses(profile, eps):
    with pytest.raises(dp.OpenDPException, match="expected a number of at least 0"):
        profile.delta(eps)


def test_opendp_wants_its_features(monkeypatch):
    monkeypatch.setattr("opendp.mod.GLOBAL_FEATURES", set())
    with pytest.raises(BadInput, match="honest-but-curious"):
        to_opendp(RR(flip="1/4"), 1, "1/10", view="local")


@pytest.mark.parametrize(
    ("module", "use"),
    [("opendp.prelude", to_opendp), ("dp_accounting.pld.privacy_loss_distribution", to_dp_accounting)],
)
def test_a_missing_library_is_named(monkeypatch, module, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BadInput, match=r"pip install 'shufflecert\[exchange\]'"):
        use(RR(flip="1/4"), 1, view="local")


# The commands ---------------------------------------------------------------------------------------------------------


def snippets():
    """The indented blocks of the module's docstring: how the two kinds of file are loaded."""
    return [
        re.sub("^    ", "", block, flags=re.M)
        for block in re.findall(r"(?:^    .*\n)+", interchange.__doc__, flags=re.M)
    ]


def loaded(snippet, file):
    names = {}
    exec(snippet.replace("FILE", str(file)), names)
    return names


@pytest.mark.parametrize("more", [(), ("--optimistic",)])
def test_export_for_dp_accounting(capsys, tmp_path, more):
    file = tmp_path / "pld.json"
    answer = asked(capsys, "export", *POISSON, "--to", "dp-accounting", "--dots", 60, "-o", file, *more)
    pld = loaded(snippets()[0], file)["pld"]
    same = to_dp_accounting(PoissonSum(lam=34), 1000, dots=60, pessimistic=not more)
    assert [pld.get_delta_for_epsilon(eps) for eps in EPS] == [same.get_delta_for_epsilon(eps) for eps in EPS]
    assert (answer["size"], answer["file"]) == (pld._pmf_remove.size, str(file))
    tree = json.loads(file.read_text())
    assert (tree["system"], tree["parameters"]["lam"], tree["n"]) == ("poisson", "34", 1000)
    assert ("lower" if more else "upper") in answer["bounds"]


def test_export_for_opendp(capsys, tmp_path, profile):
    file = tmp_path / "profile.json"
    status, out, err = call(*(capsys, "export", *POISSON, "--to", "opendp", "--interval", "1e-3", "-o", file))
    assert (status, err) == (0, "") and "upper bounds" in out and str(file) in out
    read = loaded(snippets()[1], file)["profile"]
    assert [read.delta(eps) for eps in EPS] == [profile.delta(eps) for eps in EPS]


def test_export_as_csv_and_back(capsys, tmp_path):
    file, table = tmp_path / "profile.csv", tmp_path / "table.toml"
    asked(capsys, "export", *POISSON, "--to", "csv", "--interval", "1/8", "--eps-max", 1, "-o", file)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["eps"] for row in rows] == ["0", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875", "1"]
    for row in rows:
        truth = max(hockey_stick(*laws, Fraction(row["eps"])) for laws in (poisson(34), poisson(34)[::-1]))
        assert mpmath.mpf(row["lower"]) <= truth <= mpmath.mpf(row["upper"])
        assert Fraction(row["upper"]) <= Fraction(row["lower"]) * (1 + Fraction(1, 10**20))
    asked(capsys, "import", file, "-o", table)
    for row in rows:
        found = asked(capsys, "delta", table, "--view", "local", "--eps", row["eps"])["delta"]
        assert Fraction(row["upper"]) <= Fraction(found["upper"]) <= Fraction(row["upper"]) * (1 + Fraction(1, 10**15))


# The reverse of a pair that nobody had turned round was taken to be the pair itself, and an event's value a bound on
# the divergence of its datasets: laws of losses "from below", as they are exported, claimed what no dataset attains.


STEP = Fraction(1, 16)
EIGHTHS = [Fraction(k, 8) for k in range(-16, 17)]


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


def below(law, P, Q):
    laws = [*P.values()], [Q.get(y, 0) for y in P]
    slack = 1 + mpmath.mpf(2) ** -60
    return all(stated(law, real(eps)) <= hockey_stick(*laws, eps) * slack for eps in EIGHTHS)


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
    ends = sorted(stated(law, mpmath.mpf("1.5")) for law in (remove, add))  # e^(3/2) > 4
    assert ends[0] == 0 and mpmath.mpf("0.49") < ends[1] <= mpmath.mpf("0.5")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sampled(3)
def test_random_tables_of_one_message(seed):
    """All others on one input: the blanket is exact, and has a reverse."""
    assert is_attained(drawn(seed, "ab" if seed % 4 else "abc"), 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(6)
def test_random_tables_of_several_messages(seed):
    """Datasets that are known by events only."""
    assert is_attained(drawn(seed, "ab", several=True), 3)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.sampled(2)
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
