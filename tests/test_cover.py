"""Covers at any delta and any tolerance, against the enumeration of all datasets; stopped, spent, and written down."""

import json
import random
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb, exp, inf, log

import pytest

from shufflecert import check
from shufflecert.protocols.rr import RR
from shufflecert.verify import cli, progress
from shufflecert.verify.bound import choose
from shufflecert.verify.bound.cover import EPS_WIDTHS, NEAR, Cover, _amid
from shufflecert.verify.bound.law import DatasetPair, rounded_power
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.bound.real import Real
from shufflecert.verify.bound.search import Search
from shufflecert.verify.bound.table import Table
from shufflecert.verify.commands import decide
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.decide.worst_case import delta as worst_delta
from shufflecert.verify.decide.worst_case import epsilon as worst_epsilon
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import decimal_above
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta as worst_reduced
from shufflecert.verify.reduce.reduction import worst_epsilon as smallest_reduced
from shufflecert.verify.systems import catalogue
from tests import oracle
from tests.asked import bound
from tests.helpers import ALL, cases, engine, laws_made
from tests.test_bound import table

KINDS = {"copies": 24, "apart": 24, "one of two": 30, "one of three": 10, "two kinds": 4}  # and the most users


def asked_of_both(seed, kind):
    """(the cover's interval, the exact value, the tolerance) for delta and for eps, each None where there is none."""
    rng = random.Random(f"{seed} {kind}")
    inputs = 2 if kind in ("two kinds", "one of three") else rng.choice((2, 3))
    randomizer = Randomizer.of(table(seed, kind, inputs))
    n = rng.randint(2, KINDS[kind] // (1 if inputs == 2 else 2))
    tolerance = Fraction(1, 10 ** rng.choice((3, 5, 9)))
    cover = Cover(randomizer, n, tolerance)
    eps = Eps.of(Fraction(rng.choice((0, 1, 4, 8, 15, 25)), 10))
    value = cover.delta(eps).value
    exact = Fraction(worst_delta(randomizer, n, eps, effort=Effort(work=10**9)).delta.enclosure(40)[0])
    yield value.low, value.high, exact, tolerance
    bound = Fraction(1, 10 ** rng.choice((1, 3, 8, 20, 40)))
    low, high, _ = cover.epsilon(bound)
    power = worst_epsilon(randomizer, n, bound, effort=Effort(work=10**9)).eps
    yield low, high, None if power is None else Fraction(power.enclosure(40)[0]), tolerance


@pytest.mark.parametrize("kind", KINDS)
def test_any_delta_to_any_tolerance(kind):
    """The intervals hold the exact values, down to 1e-40, and nearly all are as close as was asked for."""
    close, all_of_them, hair = 0, 0, Fraction(1, 10**35)
    for seed in range(cases(8)):
        for low, high, exact, tolerance in asked_of_both(seed, kind):
            if exact is None:
                assert low is None or high is None, seed
                continue
            assert low is not None and low <= exact + hair and (high is None or exact - hair <= high), seed
            all_of_them += 1
            close += high is not None and high - low <= 2 * tolerance * max(exact, Fraction(1, 10**300))
    assert close > all_of_them * 4 / 5


FIVE_WHO_SEND_COPIES = {
    "0": (7, 2, 6, 2),
    "1": (2, 7, 9, 9),
    "2": (2, 5, 9, 4),
    "3": (2, 2, 3, 2),
    "4": (3, 3, 7, 9),
}


@pytest.fixture(scope="module")
def five():
    """Five inputs of zero to three copies, and that 10^4 users keep delta = 1e-6 at an eps, by a cover."""
    cover = Cover(copies(FIVE_WHO_SEND_COPIES), 10_000, Fraction(1, 10))
    return cover, cover.epsilon(Fraction(1, 10**6))[1]


def copies(rows):
    return Randomizer.of(
        {x: {("a",) * k: Fraction(w, sum(row)) for k, w in enumerate(row) if w} for x, row in rows.items()}
    )


def test_what_a_cover_was_found_to_keep_is_covered_once(five, monkeypatch):
    """`certify` with eps left out covered twice: what is proved of an eps bounds larger ones, and larger deltas."""
    cover, least = five
    asked = []
    monkeypatch.setattr(Search, "cover", lambda *given: asked.append(given[2]))
    for eps, enough in ((least, 1), (least * 2, 1), (least, 3)):
        assert 0 < cover.delta(Eps.of(eps), Fraction(enough, 10**6)).value.high <= Fraction(enough, 10**6)
    assert not asked
    for eps, enough in ((least * Fraction(99, 100), 10), (least, 9)):
        assert cover.delta(Eps.of(eps), Fraction(enough, 10**7)).value.high > Fraction(enough, 10**7)
    assert len(asked) == 2


def test_a_certificate_of_five_inputs_has_few_leaves(five):
    """It had 1,040 boxes at an eps a fifth above the least, more than the kernel has the time for; 58 blocks do."""
    cover, _ = five
    trees = json.dumps(cover.shown(Eps.of("0.0372"), Fraction(1, 10**6)))
    assert 0 < trees.count('"open"') < 100 and trees.count('"corner"') == 0


def test_an_eps_at_which_all_values_of_a_block_are_far_below_0_is_no_defect():
    """Users on 2 and on 0 send one message with probability 1/12, two users on 0 never do: no eps is enough."""
    rows = {"0": (4, 0, 5, 7), "1": (5, 3, 4, 4), "2": (6, 5, 3, 1)}
    cover = Cover(copies(rows), 2, Fraction(1, 1000))
    for digits in (3, 8, 20, 40):
        low, high, _ = cover.epsilon(Fraction(1, 10**digits))
        assert high is None and low > 30
    assert 0 < cover.delta(Eps.of(10)).value.low <= Fraction(1, 12) <= cover.delta(Eps.of(10)).value.high


FEW_USERS = {
    "five messages": {
        "0": {(m,): Fraction(w, 11) for m, w in zip("abcde", (1, 2, 2, 3, 3), strict=True)},
        "1": {(m,): Fraction(w, 11) for m, w in zip("abcde", (3, 3, 1, 2, 2), strict=True)},
        "2": {(m,): Fraction(w, 11) for m, w in zip("abcde", (2, 2, 2, 1, 4), strict=True)},
    },
    "three numbers": {
        "0": {("a", "b"): Fraction(1, 9), ("a", "c"): Fraction(4, 9), ("b", "c"): Fraction(4, 9)},
        "1": {("a",): Fraction(1, 3), ("a", "c"): Fraction(1, 2), ("b", "c"): Fraction(1, 6)},
        "2": {("a", "b"): Fraction(522, 755), ("b", "c"): Fraction(233, 755)},
    },
}


@pytest.mark.parametrize("rows", FEW_USERS.values(), ids=FEW_USERS)
@pytest.mark.parametrize("n", [2, 3])
def test_two_users_and_three_are_asked_as_many_are(rows, n):
    """One other user was no block whose law could be guessed, and of nobody else there was no spread."""
    cover = Cover(Randomizer.of(rows), n)
    for power in (Fraction(5, 4), Fraction(2), Fraction(8)):
        value = cover.delta(Eps.log(power)).value
        assert value.low <= oracle.delta(rows, n, power) <= value.high < 1


RARE = [Fraction(1, 10**200), Fraction(1, 3**400), Fraction(1, 7**300)]  # over one unit these are beyond floats
BEYOND_FLOATS = {
    "one of three": {
        "0": {("a",): RARE[0], ("b",): Fraction(1, 2), ("c",): Fraction(1, 2) - RARE[0]},
        "1": {("a",): RARE[1], ("b",): Fraction(1, 3) + RARE[2], ("c",): Fraction(2, 3) - RARE[1] - RARE[2]},
        "2": {("a",): Fraction(1, 4), ("b",): Fraction(1, 4), ("c",): Fraction(1, 2)},
    },
    "copies": {
        "0": {(): RARE[0], ("a",): Fraction(1, 2), ("a", "a"): Fraction(1, 2) - RARE[0]},
        "1": {(): RARE[1], ("a",): Fraction(1, 3), ("a", "a"): Fraction(2, 3) - RARE[1] - RARE[2], ("a",) * 3: RARE[2]},
        "2": {("a",) * k: Fraction(1, 4) for k in range(4)},
    },
}


@pytest.mark.parametrize("rows", BEYOND_FLOATS.values(), ids=BEYOND_FLOATS)
def test_weights_that_floats_do_not_hold(rows):
    """Their common denominator has over 400 digits: every question of such a table was a defect."""
    cover = Cover(Randomizer.of(rows), 3)
    for power in (Fraction(5, 4), Fraction(8), Fraction(10**9)):
        value = cover.delta(Eps.log(power)).value
        assert value.low <= oracle.delta(rows, 3, power) <= value.high <= value.low * Fraction(1002, 1000)


def test_an_event_whose_values_are_far_apart_is_no_lattice():
    """Who sends "a" is on "2", but for a probability of 3,000 times 10^-190: a lattice of 10^12 cells was refused."""
    rows, n, at = BEYOND_FLOATS["one of three"], 3000, Eps.of(5)
    assert (
        Fraction(1, 4) * (1 - Fraction(1, 10**9)) <= Cover(Randomizer.of(rows), n).delta(at).value.low <= Fraction(1, 4)
    )


RARELY = Fraction(1, 10**5)
ENDS = {  # rows, users, P(Q = 0): an eps at which this is all of delta
    "one number": (  # P's user and all others send the most that there is
        {"0": {(): RARELY, ("a",): 1 - RARELY}, "1": {("a",): RARELY, ("a", "a"): 1 - RARELY}},
        40_000,
        lambda n: (1 - RARELY) ** n,
    ),
    "the number of all messages": (  # no other user sends nothing
        {
            "0": {(): RARELY, ("a",): (1 - RARELY) / 2, ("b",): (1 - RARELY) / 2},
            "1": {("a", "b"): Fraction(1, 2), ("a",): Fraction(1, 4), ("b",): Fraction(1, 4)},
        },
        500,
        lambda n: (1 - RARELY) ** (n - 1) / 2,
    ),
}


@pytest.mark.parametrize(("rows", "n", "never"), ENDS.values(), ids=ENDS)
def test_totals_beyond_an_end_are_lost_at_every_eps(rows, n, never):
    """P(Q = 0) was not seen: delta(150) had no lower end, and an upper one far above it; eps was not infinite."""
    cover, never = Cover(Randomizer.of(rows), n), never(n)
    for found in (*(cover.delta(Eps.of(at)).value for at in (64, 1500)), *curve_of(cover, 1, 64, 1500)):
        assert never * (1 - Fraction(1, 10**9)) <= found.low <= found.high <= never * (1 + Fraction(1, 10**3))
    assert cover.epsilon(never * Fraction(999, 1000))[:2] == (None, None)


@pytest.mark.parametrize(("of_it", "verdict"), [("1001/1000", "PROVED"), ("999/1000", "REFUTED")])
def test_what_is_lost_at_every_eps_has_a_certificate_at_a_large_one(of_it, verdict, tmp_path):
    """No cover was found at an eps of 64 or more, and no event of the end: neither had one."""
    rows, n, never = ENDS["one number"]
    path, stated = str(tmp_path / "made.json"), decimal_above(never(n) * Fraction(of_it), 9)
    made = decide.certify(Randomizer.of(rows), n=n, eps=1500, delta=stated, output=path)
    assert (made.verdict, check(path).status) == (verdict, "accepted")


def curve_of(cover, *eps):
    *_, last = cover.curve([Eps.of(at) for at in eps])
    return [one.value for one in last]


def test_a_curve_leaves_a_cover_that_would_spend_all_work_in_vain(monkeypatch):
    """The last of nine covers, of the closest limit, took five times as long as the one that was the answer."""
    laws = [(6, 6, 2, 4), (8, 4, 5, 5), (6, 6, 8, 5), (6, 1, 9, 7), (2, 2, 4, 5)]
    rows = {str(x): {("a",) * i: Fraction(w, sum(law)) for i, w in enumerate(law)} for x, law in enumerate(laws)}
    proved = []
    monkeypatch.setattr(Search, "most", lambda self, leaves, eps, about: proved.append(len(leaves)) or about)
    cover = Cover(Randomizer.of(rows), 10_000, Fraction(1, 100), max_work=20_000_000)
    curve_of(cover, 0, "1/20")
    assert len(proved) == 1 and proved[0] > 100  # of the closest cover that there is work for
    assert not cover.spent


def test_a_curve_that_is_faint_all_along_is_bounded_by_its_first_delta():
    """It was left at what few users have, 0.002, where one delta alone was told to be below 10^-90."""
    rows = {
        x: {("a",): p, ("b",): 1 - p}
        for x, p in zip("012", (Fraction(1, 4), Fraction(3, 4), Fraction(1, 3)), strict=True)
    }
    found = bound(Randomizer.of(rows), 3000).curve([Eps.of("1/2"), Eps.of("3/4")])
    assert all(value.high < Fraction(1, 10**10) for _, value in found.points)
    one = bound(Randomizer.of(rows), 3000).delta(Eps.of("1/2")).delta
    assert found.points[0][1].low <= one.high and one.low <= found.points[0][1].high < Fraction(1, 10**10)


def test_a_curve_of_many_users_is_asked_where_it_is_not_faint(monkeypatch):
    """81 eps up to 4 of a binary sum, whose laws are shifted binomials; all but the first few are faint, and took
    minutes: their lower ends end where they are tiny, their upper ends are those of the first faint one."""
    p, n, looks = Fraction(1, 4), 10_000, []
    rows = {str(x): {("1",) * (x + noise): q for noise, q in ((1, p), (0, 1 - p))} for x in (0, 1)}
    real = Real.delta
    monkeypatch.setattr(Real, "delta", lambda self, eps, enough: looks.append(eps) or real(self, eps, enough))
    asked = [Eps.of(Fraction(i, 20)) for i in range(81)]
    *_, found = Cover(Randomizer.of(rows), n).curve(asked)
    pairs = ShiftedNoise(Binomial(n, p), 1), ShiftedNoise(Binomial(n, 1 - p), 1)
    values = [one.value for one in found]
    for eps, value in zip(asked, values, strict=True):
        low, high = (max(ends) for ends in zip(*(pair.divergence(eps, 4000) for pair in pairs), strict=True))
        assert value.low <= high and low <= value.high
        assert value.relative_width < Fraction(1, 100) or high < Fraction(1, 10**10) > value.high
    assert len(looks) < 30
    assert values[0].low > Fraction(1, 1000) > Fraction(1, 10**10) > values[-1].high > 0 == values[-1].low


def test_a_delta_of_thousands_of_digits_is_not_looked_at_by_all_of_a_law(monkeypatch):
    """Its lower end took two minutes, to be 0: a law of whole datasets that tells it has a hundred megabytes."""
    made = laws_made(monkeypatch)
    chances = ((8, 2, 9, 1), (4, 1, 6, 5))
    rows = {str(x): {("a",) * k: Fraction(w, sum(some)) for k, w in enumerate(some)} for x, some in enumerate(chances)}
    found = Cover(Randomizer.of(rows), 20_000).delta(Eps.of(1)).value
    assert found.low <= found.high < Fraction(1, 10**1000)
    assert sum(made) < 1 << 25


def test_closer_tolerances_give_nested_answers():
    """Each interval meets the others, and is as narrow as was asked for."""
    rows = {x: {("a",): p, (): 1 - p} for x, p in (("0", Fraction(1, 3)), ("1", Fraction(3, 5)))}
    randomizer = Randomizer.of(rows)
    n, digits = (6000, (1, 4, 8, 15)) if ALL else (1500, (1, 8))
    found = {k: Cover(randomizer, n, Fraction(1, 10**k)).delta(Eps.of("1/50")).value for k in digits}
    for k, value in found.items():
        assert 0 < value.low <= value.high <= value.low * (1 + Fraction(1, 10**k))
    assert max(value.low for value in found.values()) <= min(value.high for value in found.values())


def test_the_binary_sum_as_a_table_is_one_pair():
    """zsum's two laws, shifted binomials, are enclosed by another part of the engine."""
    p, n = Fraction(99, 100), 20000
    rows = {str(x): {("1",) * (x + noise): q for noise, q in ((1, p), (0, 1 - p))} for x in (0, 1)}
    found = Cover(Randomizer.of(rows), n, Fraction(1, 10**7)).delta(Eps.of(1)).value
    low, high = ShiftedNoise(Binomial(n, p), 1).divergence(Eps.of(1), 256)
    back_low, back_high = ShiftedNoise(Binomial(n, 1 - p), 1).divergence(Eps.of(1), 256)
    assert found.low <= max(high, back_high) and max(low, back_low) <= found.high
    assert found.relative_width < Fraction(1, 10**6)


def test_binary_randomized_response_over_all_datasets():
    """Against the system's own road, which screens every composition."""
    system, n, eps = RR(Fraction(1, 3)), 600, "1/7"
    low, high = map(Fraction, worst_delta(system, n, eps).delta.enclosure())
    found = Cover(system.randomizer(), n, Fraction(1, 10**6)).delta(Eps.of(eps)).value
    assert found.low <= high and low <= found.high


@pytest.mark.parametrize("far", ["2/5", "1/4"])
@pytest.mark.sampled(2)
def test_hundreds_of_zeros(far):
    """Far out delta has hundreds of zeros; the sum over all outcomes of the worst dataset is made by hand."""
    n = 400
    rows = {"0": {(): Fraction(1, 2), ("a",): Fraction(1, 2)}, "1": {(): Fraction(1, 3), ("a",): Fraction(2, 3)}}
    found = Cover(Randomizer.of(rows), n).delta(Eps.of(far)).value
    values = [by_hand(rows, ones, n, Eps.of(far)) for ones in (0, n // 2, n - 1)]
    assert 0 < max(values) <= found.high <= found.low * Fraction(1002, 1000) and found.high < Fraction(1, 10**12)


def by_hand(rows, ones, n, eps):
    """The larger delta(eps) of both directions with so many of the others on "1", in whole numbers: 1/6's."""
    law = [1]
    for k in range(n - 1):
        up = 4 if k < ones else 3
        law = [a * (6 - up) + b * up for a, b in zip([*law, 0], [0, *law], strict=True)]
    seen = {
        x: [a * (6 - up) + b * up for a, b in zip([*law, 0], [0, *law], strict=True)] for x, up in (("0", 3), ("1", 4))
    }
    high = eps.bounds(4096)[1]
    return max(
        Fraction(sum(max(p * high.denominator - q * high.numerator, 0) for p, q in zip(seen[a], seen[b], strict=True)))
        / (6**n * high.denominator)
        for a, b in ("01", "10")
    )


COPIES = {
    "0": {("a",) * i: Fraction(w, 10) for i, w in enumerate((5, 3, 1, 1))},
    "1": {("a",) * i: Fraction(w, 10) for i, w in enumerate((1, 4, 4, 1))},
}


# Stopped and spent ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("work", [1, 100_000])
def test_where_the_work_is_spent_a_blanket_is_asked_as_well(work):
    """The ends are at least as close as either's, and the truth (a whole search) lies between them."""
    randomizer, eps, bound = Randomizer.of(COPIES), Eps.of("1/20"), Fraction(1, 10**4)
    whole, short, blanket = Cover(randomizer, 20), Cover(randomizer, 20, max_work=work), reach_of(randomizer, 20)
    truth, found, other = whole.delta(eps).value, short.delta(eps).value, worst_reduced(blanket, eps).value
    assert found.low <= truth.high and truth.low <= found.high <= other.high
    truth, found, other = whole.epsilon(bound), short.epsilon(bound), smallest_reduced(blanket, bound)
    assert found[0] <= truth[1] and truth[0] <= found[1] <= other[1]


def test_a_key_stops_it_and_what_is_known_stays():
    """With Ctrl-C an answer is what is known, and never wrong."""
    randomizer, bound = Randomizer.of(COPIES), Fraction(1, 10**6)
    whole = Cover(randomizer, 800).epsilon(bound)
    for patience in (2, 40):
        left = [patience]

        def tick(*_, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        low, high, found = Cover(randomizer, 800, tick=tick).epsilon(bound)
        assert found.stopped and "Ctrl-C" in found.note
        assert low <= whole[1] and (high is None or whole[0] <= high)


@pytest.mark.parametrize("question", [("delta", "--eps", "1/20"), ("epsilon", "--delta", "1e-6")])
def test_ctrl_c_leaves_the_interval_reached_so_far(question, tmp_path, monkeypatch, capsys):
    """Stopped at the first word of an upper end below 1: a true, wider interval, status 130, a word on stderr."""
    file = tmp_path / "copies.json"
    outputs = {x: [{"send": list(sent), "p": str(p)} for sent, p in row.items()] for x, row in COPIES.items()}
    file.write_text(json.dumps({"rows": [{"input": x, "outputs": row} for x, row in outputs.items()]}))
    name, *given = question
    arguments = [name, str(file), "--n", "3000", *given, "--json"]
    whole = _answer(arguments, capsys)[1][name]

    def stop(low, high):
        if high is not None and high < 1:
            raise KeyboardInterrupt

    @contextmanager
    def closing(what, *_):
        yield stop

    monkeypatch.setattr(decide, "closing", closing)
    status, answer, said = _answer(arguments, capsys)
    assert status == 130 and "stopped by Ctrl-C" in said
    ends = [Fraction(answer[name][end]) for end in ("lower", "upper")]
    assert ends[0] <= Fraction(whole["upper"]) and Fraction(whole["lower"]) <= ends[1]
    assert ends[1] - ends[0] > Fraction(whole["upper"]) - Fraction(whole["lower"])
    assert "stopped by Ctrl-C" in answer["scope"]["by"]


def test_a_tolerance_is_kept_and_a_bad_one_refused(tmp_path, capsys):
    file = tmp_path / "two.json"
    file.write_text(
        json.dumps(
            {
                "rows": [
                    {"input": x, "outputs": [{"send": ["a"], "p": p}, {"send": [], "p": q}]}
                    for x, p, q in (("0", "1/3", "2/3"), ("1", "3/5", "2/5"))
                ]
            }
        )
    )
    asked = ["delta", str(file), "--n", "6000", "--eps", "1/50", "--json"]
    for width in ("1/5", "1e-5"):
        status, answer, _ = _answer([*asked, "--tolerance", width], capsys)
        low, high = (Fraction(answer["delta"][end]) for end in ("lower", "upper"))
        assert status == 0 and low < high <= low * (1 + Fraction(width) * Fraction(1001, 1000))
    for bad in ("0", "1", "-1/2", "x"):
        with pytest.raises(SystemExit) as ended:
            cli.main([*asked, f"--tolerance={bad}"])
        assert ended.value.code == 2
        assert "tolerance" in capsys.readouterr().err


def _answer(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    shown = capsys.readouterr()
    assert shown.out, shown.err
    return ended.value.code, json.loads(shown.out), shown.err


# The pair that compositions take -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["copies", "two kinds", "apart"])
def test_windows_of_real_datasets(kind):
    """Both ends, by words and by atoms, hold the divergence of the datasets, as the engine enumerates it."""
    for seed in range(cases(8)):
        randomizer = Randomizer.of(table(seed, kind, 2))
        named = Cover(randomizer, 4).near(Eps.of("1/10"))
        if named is None:
            continue
        pair = named.pair
        assert isinstance(pair, DatasetPair)
        for eps in map(Eps.of, ("0", "1/10", "1/2", "2")):
            for one, ends in ((pair, named.neighbours), (pair.reversed(), None)):
                around = worst_delta(randomizer, 4, eps, others=named.neighbours.others) if ends else None
                [words] = one.at([eps])
                low, high = one.divergence(eps, 128)
                assert low <= words.high and words.low <= high and high - low < Fraction(1, 10**20)
                if around is not None:
                    assert low <= Fraction(around.delta.enclosure(40)[1])


@pytest.mark.parametrize("ways", range(8))
def test_widths_between_one_that_is_reached_and_one_that_is_not_come_to_an_end(ways):
    """The width between 1 and a third was 1 again: a table of twelve messages and ten users had no answer."""
    for reached, missed in pairwise([*EPS_WIDTHS, Fraction(1, 1000)]):
        for step in range(8):
            if reached <= NEAR * missed:
                break
            middle = _amid(reached, missed)
            assert missed < middle < reached
            reached, missed = (middle, missed) if ways >> step % 3 & 1 else (reached, middle)
        assert reached <= NEAR * missed


def test_many_likely_truths_are_bounded_before_anything_is_covered():
    """Randomized response of four values at eps0 = log 2981: its system's own pairs say how large eps is to twelve
    digits, and the table says so within the tolerance, with no work for a cover at all."""
    n, bound, share = 2000, Fraction(1, 10**6), Fraction(1, 2984)
    system = catalogue.make("krr", {"k": "4", "gamma": str(4 * share)})
    rows = {str(x): {(str(y),): (2981 if x == y else 1) * share for y in range(4)} for x in range(4)}
    cover = Cover(Randomizer.of(rows), n, max_work=1)
    low, high, found = cover.epsilon(bound)
    truth, most, _ = smallest_reduced(system.reach(n), bound)
    assert truth * (1 - Fraction(1, 10**5)) < low <= most and truth <= high <= low * Fraction(1001, 1000)
    assert found.worst is not None and not cover.search.work


def test_few_outcomes_are_guessed_in_floats_as_in_integers():
    """Sums of what is positive lose no digits: logarithms agree to ten digits down to 10^-60, and what floats cannot
    hold is left to the integers."""
    rng, agreed = random.Random(5), 0
    for kind in ("copies", "one of three", "two kinds"):
        guess = Cover(Randomizer.of(table(1, kind, 3)), 24).search.guess
        if not guess.listed:
            continue
        for _ in range(30):
            first = rng.randint(0, 23)
            counts = (first, rng.randint(0, 23 - first), 0)[: len(guess.table.bases)]
            counts = (*counts[:-1], 23 - sum(counts[:-1]))
            pair, eps = rng.choice(guess.table.pairs), rng.random() / 2
            exact = guess._exactly(counts, pair, eps)
            if exact == -inf:
                assert guess._listed(counts, pair, eps) == -inf
            elif exact > -140:
                assert abs(guess._listed(counts, pair, eps) - exact) < 1e-10
                agreed += 1
    assert agreed > 20


# Subset selection as a table of 1,820 outputs took 5 GB without a word, and had no eps after two minutes. The blanket
# alone has the same ends in two seconds; boxes held a dozen copies of points of 1,819 coordinates.


RATIO = Fraction(27, 10)  # e^eps of a subset that holds the input over one that does not


def selection(values, held):
    """Rows of subset selection: a subset that holds the input is RATIO times as likely as another."""
    whole = RATIO * comb(values - 1, held - 1) + comb(values - 1, held)
    return {
        str(x): {
            (".".join(map(str, some)),): (RATIO if x in some else 1) / whole
            for some in combinations(range(values), held)
        }
        for x in range(values)
    }


@pytest.fixture
def no_boxes(monkeypatch):
    def asked(_):
        raise AssertionError("the points of the table were made")

    monkeypatch.setattr(Cover, "table", property(asked))


def test_sixteen_choose_four_is_answered_by_its_blanket(no_boxes):
    found = epsilon(engine(selection(16, 4)), 10_000, "1e-6")
    low, high = found.interval
    assert Fraction(1, 50) < low <= high < Fraction(1, 25) and "boxes" not in found.scope.by


def test_such_an_answer_holds_the_truth(no_boxes, monkeypatch):
    monkeypatch.setattr(choose, "MOST_COORDINATES", 10)
    monkeypatch.setattr(choose, "PATIENT", 1)
    monkeypatch.setattr(choose, "QUICK", 1)
    rows, power = selection(4, 2), Fraction(9, 8)
    found = delta(engine(rows), 3, Eps.log(power))
    low, high = map(Fraction, found.delta.enclosure())
    assert "blanket" in found.scope.by and low <= oracle.delta(rows, 3, power) <= high < 1


def test_memory_is_announced_on_a_terminal(monkeypatch, capsys):
    rows = selection(4, 2)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    around = neighbourhood(engine(rows), 3)
    next(iter(around))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "GIGABYTE", around.held // 2)
    next(iter(around))
    assert capsys.readouterr().err == "about 2 GiB of memory at a time\n"
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    next(iter(around))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("digits", [14, 30])
@pytest.mark.sampled(2)
def test_small_deltas_of_several_numbers_are_bounded_closely(digits):
    """Three inputs that send one of four messages, at deltas that words of whole datasets do not tell. Once the
    ends were several tenths apart. (That they hold the truth: the tests above, and of leaves in test_bound.py.)"""
    chances = {"0": (4, 3, 2, 3), "1": (2, 3, 4, 3)}
    rows = {x: {(m,): Fraction(w, 12) for m, w in zip("abcd", some, strict=True)} for x, some in chances.items()}
    rows["2"] = {("a",): Fraction(1, 2), ("b",): Fraction(1, 6), ("c",): Fraction(1, 6), ("d",): Fraction(1, 6)}
    low, high, _ = Cover(Randomizer.of(rows), 400).epsilon(Fraction(1, 10**digits))
    assert low < high <= low * Fraction(101, 100)


def test_users_who_send_what_is_common_are_guessed_however_rarely_they_matter():
    """Their law alone tells where two inputs differ: by integers. Once it was said not to tell at all."""
    rows = {"0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 4), ("c",): Fraction(1, 4)}}
    rows["1"] = {("a",): Fraction(1, 4), ("b",): Fraction(1, 4), ("c",): Fraction(1, 2)}
    rows["2"] = {("a",): Fraction(1, 3), ("b",): Fraction(1, 3), ("c",): Fraction(1, 3)}
    search = Search(Table.of(Randomizer.of(rows)), 300, 10**12)
    counts, pair, eps = (0, 0, 0, 200), (0, 1), Eps.of(Fraction(1, 2))
    small = Fraction(1, 10**60)
    truth = search.views(counts, small).above([pair], rounded_power(eps, 400), small)
    assert 0 < truth < 1e-11
    assert search.guess.log_delta(counts, pair, 0.5) == pytest.approx(log(truth), abs=0.01)


def test_of_no_others_there_is_a_guess():
    """Nobody's covariances are a matrix of zeros. They once were a number, and the search ended with an error."""
    rows = {"0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 4), ("c",): Fraction(1, 8), ("d",): Fraction(1, 8)}}
    rows["1"] = {("a",): Fraction(1, 4), ("b",): Fraction(1, 4), ("c",): Fraction(1, 4), ("d",): Fraction(1, 4)}
    search = Search(Table.of(Randomizer.of(rows)), 3000, 10**12)
    assert search.guess.log_delta((0, 0, 0), (0, 1), 0.5) == pytest.approx(log(0.5 - exp(0.5) / 4), abs=0.01)
    assert search.guess.log_delta((0, 0, 0), (0, 1), 0.8) == -inf
