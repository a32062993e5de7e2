"""docs/reference/mechanisms.md: its lines, its verdicts, and the commands that refute what is below the truth."""

import json
import math
import re
import shlex
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy
import pytest

from shufflecert.proofs import mechanisms, variation_table
from shufflecert.proofs.conjectures.amplification import delta_of, stronger_clones, two_counts
from shufflecert.proofs.conjectures.amplification import variation_ratio as variation_ratio_pair
from shufflecert.proofs.mechanisms import BELOW, MECHANISMS, VALID, counts, decimal, verdict
from shufflecert.verify import kernel
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.privacy_blanket import Blanket
from shufflecert.verify.systems import catalogue
from tests.helpers import call

PAGE = mechanisms.FILE.read_text()
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if re.match(r"\|.*\| 10\^", line)
]
LINES = [row for row in ROWS if len(row) == 7]
COMMANDS = re.findall(r"^    (shufflecert certify .*)$", PAGE, re.M)


def line_of(title, eps0, power):
    """A line of the page by its first three cells."""
    return next(line for line in LINES if line[:3] == [title, eps0, power])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_two_counts_are_a_multinomial_form(n):
    for x, y, r in ((Fraction(1, 2), Fraction(1, 6), Fraction(1, 6)), (Fraction(3, 4), Fraction(1, 4), Fraction(1, 4))):
        for eps in ("0", "1/3", "log(2)"):
            found = Blanket(counts(n, x, y, r)).enclosure(Eps.of(eps), 12)
            low, high = (delta_of(two_counts(n, x, y, r), t) for t in reversed(Eps.of(eps).bounds(128)))
            assert low <= found.high and found.low <= high and found.high - found.low <= Fraction(1, 10**9)


def test_every_mechanism_has_its_lines_and_a_beta_is_a_total_variation_where_it_is_exact():
    assert [line[0] for line in LINES] == [m.title for m in MECHANISMS for _ in range(6)]
    for name in ("GRR, 100 values", "Hadamard response, K = 1024", "SUE (RAPPOR), 1024 bits", "piecewise"):
        one = next(m for m in MECHANISMS if m.title == name)
        system = catalogue.make(one.system, one.parameters("2"))
        if not hasattr(system, "likelihoods"):
            rows = list(system.randomizer().rows.values())[:2]
            pairs = [(rows[0][y], rows[1][y]) for y in rows[0]]
        else:
            found = system.likelihoods()
            pairs = [(o.p, o.q) for o in found.kinds[found.target]]
        distance = sum((max(Fraction(p) - Fraction(q), 0) for p, q in pairs), Fraction(0))
        assert abs(distance - one.beta(mechanisms.power_of(system, "2"), system)) < Fraction(1, 10**15)


@pytest.mark.parametrize("title", ["OLH, 1024 values", "Hadamard response, K = 1024"])
@pytest.mark.sampled(2)
def test_a_line_is_what_is_computed(title):
    one = next(m for m in MECHANISMS if m.title == title)
    system = catalogue.make(one.system, one.parameters("1"))
    ours = mechanisms.epsilon(system, 10**4, mechanisms.DELTA).interval
    bound, general = mechanisms.variation_ratio(one, system, "1", 10**4), mechanisms.clones("1", 10**4)
    line = line_of(title, "1", "10^4")
    assert line[3:5] == [decimal(ours[0], up=False), decimal(ours[1], up=True)]
    assert line[5:] == [f"{decimal(b[1], up=True)}: {verdict(b, ours)}" for b in (bound, general)]


def test_normal_noise_has_its_lines():
    assert [row[1:3] for row in ROWS if len(row) == 5] == [[s, n] for s in mechanisms.SIGMAS for n in ("10^4", "10^6")]


@pytest.mark.long
def test_a_line_of_normal_noise_is_what_is_computed():
    low, high = mechanisms.epsilon(catalogue.make("gaussian", {"sigma": "2"}), 10**4, mechanisms.DELTA).interval
    assert ["Gaussian on [0, 1]", "2", "10^4", decimal(low, up=False), decimal(high, up=True)] in ROWS


def test_stronger_clones_are_valid_on_every_line():
    """They are the bound for all randomizers, which is proved."""
    assert all(line[6].endswith(VALID) for line in LINES)
    low, high = mechanisms.clones("1", 5)
    power = Eps.of("1").bounds(64)[0]
    pair = stronger_clones(5, power, 1 / (power + 1))
    assert delta_of(pair, Eps.of(low).bounds(64)[0]) >= mechanisms.DELTA * Fraction(99, 100)
    assert delta_of(pair, Eps.of(high).bounds(64)[1]) <= mechanisms.DELTA * Fraction(101, 100)


def test_every_line_below_the_truth_has_a_command():
    assert len(COMMANDS) == sum(BELOW in line[5] for line in LINES) > 0


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_below_the_truth_is_refuted_with_a_certificate(capsys, tmp_path, command):
    file = tmp_path / "refuted.json"
    status, out, _ = call(capsys, *shlex.split(command.replace("refuted.json", str(file)))[1:])
    assert status == 1 and out.startswith("REFUTED")
    assert kernel.check_file(file).status == "accepted"


def test_each_false_row_of_the_27_has_an_instance_on_the_page_with_a_certificate_that_is_accepted(tmp_path):
    assert len(variation_table.ROWS) == 27
    false = {row for row, told, _ in variation_table.ROWS if told in (variation_table.FALSE, variation_table.INSTANCE)}
    assert {one.row for one in variation_table.instances()} == false
    assert all(one.line() in PAGE for one in variation_table.instances())
    files = variation_table.write_refutations(tmp_path)
    assert len(files) == len(false)
    for file in files:
        found = kernel.check_file(file)
        assert found.status == "accepted" and json.loads(file.read_text())["verdict"] == "REFUTED"


def test_rows_are_as_on_the_page():
    assert all(f"| {' | '.join(row)} |" in PAGE for row in variation_table.ROWS)
    assert " ".join(PAGE.split()).endswith(variation_table.left_over())


@pytest.mark.parametrize("n", [2, 3])
def test_the_row_of_metric_privacy_in_general_holds_for_few_users(n):
    """u and v a ratio of p apart at most, others' laws a factor of q at most below both: all laws of two or three
    outputs that are multiples of 1/12; and a far smaller q is exceeded."""
    p, q, beyond = Fraction(2), Fraction(4), 0
    parts = [law for law in product(range(1, 12), repeat=3) if sum(law) == 12]
    laws = [{(str(y),): Fraction(w, 12) for y, w in enumerate(law)} for law in parts[:: 3 if n == 2 else 7]]
    for u, v in product(laws, repeat=2):
        if u == v or any(u[y] > p * v[y] or v[y] > p * u[y] for y in u):
            continue
        held = [z for z in laws if all(q * z[y] >= max(u[y], v[y]) for y in z)]
        for z in held[:: 1 + len(held) // 3]:
            assert not exceeds(u, v, [z] * (n - 1), variation_ratio_pair(n, p, (p - 1) / (p + 1), q))
            beyond += exceeds(u, v, [z] * (n - 1), variation_ratio_pair(n, p, (p - 1) / (p + 1), p * 3 / 4))
    assert beyond


def test_the_rows_of_metric_privacy_are_argued_on_the_page():
    told = {row: verdict for row, verdict, _ in variation_table.ROWS if row.startswith("metric")}
    assert told == {
        "metric privacy: general mechanisms": variation_table.HOLDS,
        "metric privacy: Laplace": variation_table.INSTANCE,
        "metric privacy: planar Laplace": variation_table.INSTANCE,
        "metric privacy: WitchHat": variation_table.LISTED,
    }
    assert all(argument() in " ".join(PAGE.split()) for argument in (variation_table.metric, variation_table.hat))


def test_regions_of_planar_laplace_noise_are_as_on_a_fine_grid():
    """The probability of being nearer to x by c, by sums over squares of the plane, from x and from x'."""
    E, cut = Fraction(20), Fraction(3, 5)
    d, side = math.log(E), 0.02
    axis = numpy.arange(-14, 14, side) + side / 2
    across, along = numpy.meshgrid(axis, axis)
    to_x, to_other = numpy.hypot(across, along), numpy.hypot(across - d, along)
    inside = to_other - to_x >= float(cut) * d
    for own, distance in ((True, to_x), (False, to_other)):
        summed = (numpy.exp(-distance) * inside).sum() * side**2 / (2 * math.pi)
        low, high = (variation_table.nearer(E, cut, own, up) for up in (False, True))
        assert low < high and low - 1e-3 < summed < high + 1e-3
    half = [variation_table.nearer(E, Fraction(0), own, up) for own in (True, False) for up in (False, True)]
    assert half[0] + half[2] <= 1 <= half[1] + half[3]


def test_an_instance_that_keeps_its_bound_is_no_counterexample():
    one = variation_table.instances()[0]
    with pytest.raises(ArithmeticError):
        replace(one, beta=Fraction(3, 5), power=Fraction(2)).line()  # the general row, which holds


def seen(laws):
    """The law of what several users send, as a sorted tuple of all messages."""
    found = Counter({(): Fraction(1)})
    for law in laws:
        after = Counter()
        for (before, w), (sent, v) in product(found.items(), law.items()):
            after[tuple(sorted((*before, *sent)))] += w * v
        found = after
    return found


def exceeds(first, second, blankets, theirs):
    """Whether the divergence of a user's two laws, with these blankets, is above that of the pair, for some e^eps."""
    P, Q = seen([first, *blankets]), seen([second, *blankets])
    powers = {P[y] / Q[y] for y in P if Q[y]} | {Fraction(1), Fraction(3), Fraction(10**6)}
    return any(sum(max(P[y] - t * Q[y], 0) for y in P) > delta_of(theirs, t) for t in powers if t >= 1)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_rows_of_several_messages_that_hold_do_so_for_few_messages(n):
    one, half = Fraction(1), Fraction(1, 2)
    for p in (Fraction(1, 3), half, Fraction(4, 5)):
        coin, r = {("1",): p, ("0",): 1 - p}, min(p, 1 - p)
        assert not exceeds({("1",): one}, {("0",): one}, [coin] * (n - 1), two_counts(n, one, 0 * one, r))
    bins = {(str(j),): Fraction(1, 5) for j in range(5)}
    first, second = ({(str(j),): half for j in pair} for pair in ((0, 1), (2, 3)))
    assert not exceeds(first, second, [bins] * (n - 1), two_counts(n, one, 0 * one, Fraction(2, 5)))
    flip = Fraction(1, 4)
    first, second = ({(str(j),): 1 - flip if j == x else flip / 4 for j in range(5)} for x in (0, 1))
    pair = two_counts(n, 1 - flip, flip / 4, Fraction(1, 5))
    assert not exceeds(first, second, [bins] * (n - 1), pair)
    assert exceeds(first, second, [bins] * (n - 1), two_counts(n, 1 - flip, flip / 4, Fraction(2, 5)))  # it could fail


@pytest.mark.parametrize("n", [2, 3])
def test_no_counterexample_to_the_row_of_priv_kv_is_found_for_few_users(n):
    """Users with one of two keys: here the page says no more than that."""
    for root in (Fraction(2), Fraction(5)):
        flip = 1 / (root + 1)
        rows = catalogue.make("priv_kv", {"eps0": f"log({root**2})", "d": "2"}).rows
        assert rows["+"]["+"] == (1 - flip) ** 2
        beta = (root - 1) * (2 * root + 3) / (2 * (root + 1) ** 2)
        x = root**2 * beta / (root**2 - 1)
        law = {
            kinds: {(f"{j}{v}",): w / 2 for j, kind in enumerate(kinds) for v, w in rows[kind].items()}
            for kinds in ("+0", "0+", "-0")
        }
        pair = two_counts(n, x, x / root**2, x / root**2)
        for held in law.values():
            assert not exceeds(law["+0"], law["0+"], [held] * (n - 1), pair)
            assert not exceeds(law["+0"], law["-0"], [held] * (n - 1), pair)


def test_numbers_are_rounded_outwards():
    for value in (Fraction(1, 3), Fraction(1, 37), Fraction(17, 7)):
        low, high = (Fraction(decimal(value, up=up)) for up in (False, True))
        assert low < value < high and high - low <= value / 10**5
