"""The cover of compositions against all datasets: the oracle's enumeration at small n, known mechanisms at large n."""

import json
import random
from contextlib import contextmanager
from fractions import Fraction

import pytest

from protocols.rr import RR
from protocols.zsum import ZSum
from tests import oracle
from verify import cli
from verify.commands import options
from verify.decide.worst_case import delta as worst_delta
from verify.decide.worst_case import epsilon as worst_epsilon
from verify.enclose.noise_laws import Binomial
from verify.exact.epsilon import MAX_EPS, Eps
from verify.exact.randomizer import Randomizer
from verify.pairs.shifted_noise import ShiftedNoise
from verify.reduce import compositions
from verify.reduce.composition_cover.delta import largest_delta
from verify.reduce.composition_cover.epsilon import smallest_epsilon
from verify.reduce.composition_cover.search import TOLERANCE, Memory
from verify.reduce.composition_reduction import Compositions, line_reach
from verify.reduce.compositions import Box, Line, Powers, Views
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import Reduction
from verify.reduce.reduction import worst_delta as worst_reduced
from verify.reduce.reduction import worst_epsilon as smallest_reduced

KINDS = ("one of two", "copies", "gaps", "shift", "spread")


def table(seed, kind, inputs):
    """A random randomizer on a line: {input: {tuple of messages: probability}}."""
    rng = random.Random(f"{seed} {kind} {inputs}")

    def law(size, gap):
        weights = [0 if rng.random() < gap else rng.randint(1, 9) for _ in range(size)]
        weights[rng.randrange(size)] += 1
        return [Fraction(w, sum(weights)) for w in weights]

    base = law(4, 0.3)
    rows = {}
    for x in range(inputs):
        if kind == "one of two":
            row = dict(zip([("a",), ("b",)], law(2, 0.1), strict=True))
        elif kind == "shift":
            moved = rng.randint(0, 2)
            row = {("a",) * (i + moved): p for i, p in enumerate(base)}
        elif kind == "spread":
            row = {("a",) * (3 * i): p for i, p in enumerate(law(3, 0.2))}
        else:
            row = {("a",) * i: p for i, p in enumerate(law(4, 0.4 if kind == "gaps" else 0))}
        rows[str(x)] = {sent: p for sent, p in row.items() if p}
    return rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inputs", [2, 3])
def test_all_compositions_against_enumeration(kind, inputs):
    """The exact engine enumerates every dataset (itself compared with the oracle): the truth lies in the interval."""
    for seed in range(12):
        rows = table(seed, kind, inputs)
        randomizer, n = Randomizer.of(rows), 2 + seed % 6
        line = Line.of(randomizer)
        for eps in ("0", "1/3", "log(2)"):
            exact = worst_delta(randomizer, n, eps).delta
            found = largest_delta(line, n, Eps.of(eps))
            assert found.finished
            assert exact.minus(found.value.low).sign() >= 0 >= exact.minus(found.value.high).sign(), (rows, n, eps)
            hair = 0 if found.value.low else Fraction(1, 2**500)  # what is missing is never shown to be nothing
            assert found.value.high <= found.value.low * Fraction(1001, 1000) + hair
        exact = worst_epsilon(randomizer, n, "1/20").eps
        found = smallest_epsilon(line, n, Fraction(1, 20))
        if exact is None:
            assert found.low == MAX_EPS and found.high is None
        else:
            low, high = (Fraction(end) for end in exact.enclosure())
            assert found.low <= high and low <= found.high, (rows, n)
            assert found.high <= found.low * Fraction(1001, 1000) + Fraction(1, 1 << 40)


def test_against_the_oracle():
    """Nothing of the engine: all datasets of 3 users, written out, both directions."""
    rows = table(1, "gaps", 3)
    line, power = Line.of(Randomizer.of(rows)), Fraction(3, 2)
    worst = oracle.delta(rows, 3, power)
    found = largest_delta(line, 3, Eps.log(power))
    assert found.value.low <= worst <= found.value.high


def test_the_binary_sum_as_a_table_is_one_pair():
    p, n = Fraction(99, 100), 20000
    rows = {x: {("1",) * (x + noise): q for noise, q in ((1, p), (0, 1 - p))} for x in (0, 1)}
    found = largest_delta(Line.of(Randomizer.of(rows)), n, Eps.of(1))
    low, high = ShiftedNoise(Binomial(n, p), 1).divergence(Eps.of(1), 256)
    back_low, back_high = ShiftedNoise(Binomial(n, 1 - p), 1).divergence(Eps.of(1), 256)
    assert found.value.low <= max(high, back_high) and max(low, back_low) <= found.value.high
    assert found.value.relative_width < Fraction(1, 10**6)
    assert ZSum(p).randomizer().inputs == ("0", "1")


def test_binary_randomized_response_over_all_datasets():
    """Against the system's own road, which screens every composition."""
    for flip, n, eps in ((Fraction(1, 3), 3000, "1/15"), (Fraction(1, 10), 300, "1/2")):
        system = RR(flip)
        low, high = map(Fraction, worst_delta(system, n, eps).delta.enclosure())
        found = largest_delta(Line.of(system.randomizer()), n, Eps.of(eps), Fraction(1, 20))
        assert found.value.low <= high and low <= found.value.high
        assert found.finished


def test_more_digits_cost_a_cover_few_more_boxes():
    """Only boxes that allow more than is asked for are looked at again at more bits; the rest stay as they are."""
    line = Line.of(RR(Fraction(1, 3)).randomizer())
    rough, close = (largest_delta(line, 300, Eps.of("1/10"), Fraction(1, 10**k)) for k in (3, 30))
    assert close.value.relative_width <= Fraction(1, 10**30) and close.evaluations < rough.evaluations * 11 / 10
    assert rough.value.low <= close.value.high and close.value.low <= rough.value.high


def test_a_search_that_is_stopped_leaves_a_wider_interval():
    line = Line.of(Randomizer.of(table(3, "copies", 2)))
    whole = largest_delta(line, 3000, Eps.of("1/20"))
    short = largest_delta(line, 3000, Eps.of("1/20"), max_work=1)
    assert not short.finished
    assert short.value.low <= whole.value.low * Fraction(1002, 1000) and whole.value.low <= short.value.high

    def stop(low, high):
        if high is not None and high < 1:
            raise KeyboardInterrupt

    interrupted = largest_delta(line, 3000, Eps.of("1/20"), tick=stop)
    assert interrupted.value.low <= whole.value.high and whole.value.low <= interrupted.value.high < 1


def test_what_one_eps_leaves_serves_the_next_and_changes_nothing():
    """Rising, falling and repeated eps with one memory, against fresh searches: the intervals hold a common number."""
    for kind in ("copies", "gaps", "one of two"):
        line, memory = Line.of(Randomizer.of(table(3, kind, 2))), Memory()
        for eps in ("1/50", "1/20", "1/10", "1/20", "0", "0", "1/5"):
            alone = largest_delta(line, 200, Eps.of(eps))
            shared = largest_delta(line, 200, Eps.of(eps), memory=memory)
            assert shared.finished and alone.finished
            assert shared.value.low <= alone.value.high and alone.value.low <= shared.value.high, (kind, eps)
            assert shared.value.high <= shared.value.low * Fraction(1001, 1000)


def test_boxes_of_a_smaller_eps_spare_work():
    line, memory = Line.of(Randomizer.of(table(3, "copies", 2))), Memory()
    largest_delta(line, 3000, Eps.of("1/20"), memory=memory)
    again = largest_delta(line, 3000, Eps.of("1/20"), memory=memory)
    assert again.evaluations < largest_delta(line, 3000, Eps.of("1/20")).evaluations / 4


def test_windows_that_are_kept_are_few(monkeypatch):
    """1.2 GB for one table of two inputs at n = 10000: what is kept is bounded, and the answer the same without."""
    line = Line.of(Randomizer.of(table(3, "copies", 3)))
    whole = largest_delta(line, 100, Eps.of("1/10"))
    monkeypatch.setattr(compositions, "MOST_HELD", 500)
    powers = Powers(line, 96)
    for i in range(60):
        powers.others((i, 90 - i, 3))
        longest = max(len(window.low) for window in (*powers.known.values(), *powers.products.values()))
        for kept in (powers.known, powers.products):
            assert sum(len(window.low) for window in kept.values()) <= 500 + longest
    assert largest_delta(line, 100, Eps.of("1/10")).value == whole.value


def test_where_the_work_is_spent_a_blanket_is_asked_as_well():
    """The ends are at least as close as either's, and the truth (a whole search) lies between them."""
    randomizer = Randomizer.of(table(3, "one of two", 2))
    whole, blanket = line_reach(randomizer, 60), reach_of(randomizer, 60)
    family = Compositions(randomizer, Line.of(randomizer), 60, TOLERANCE, max_work=1)
    short = Reduction(family, "", 2, epsilon=family.epsilon, delta=family.delta)
    eps = Eps.of("1/20")
    truth, other = (worst_reduced(reach, eps).value for reach in (whole, blanket))
    found = worst_reduced(short, eps)
    assert "the closer ends" in found.note
    assert other.low <= found.value.low <= truth.high and truth.low <= found.value.high <= other.high
    truth, other, found = (smallest_reduced(reach, Fraction(1, 10**4)) for reach in (whole, blanket, short))
    assert other[0] <= found[0] <= truth[1] and truth[0] <= found[1] <= other[1]
    assert "the closer ends" in found[2].note


def test_too_many_inputs_for_a_first_look_are_left_to_the_blanket():
    rows = {x: {("a",) * i: Fraction(1 + (i + x) % 3, 60) for i in range(30)} for x in range(40)}
    rows = {x: {sent: p / sum(row.values()) for sent, p in row.items()} for x, row in rows.items()}
    assert line_reach(Randomizer.of(rows), 10_000, max_work=10_000) is None


@pytest.mark.parametrize("question", [("delta", "--eps", "1/20"), ("epsilon", "--delta", "1e-6")])
def test_ctrl_c_leaves_the_interval_reached_so_far(question, tmp_path, monkeypatch, capsys):
    """Stopped at the first word of an upper end below 1: a true, wider interval, status 130, a word on stderr."""
    file = tmp_path / "copies.json"
    rows = table(3, "copies", 2)
    outputs = {x: [{"send": list(sent), "p": str(p)} for sent, p in row.items()] for x, row in rows.items()}
    file.write_text(json.dumps({"rows": [{"input": x, "outputs": row} for x, row in outputs.items()]}))
    name, *given = question
    arguments = [name, str(file), "--n", "3000", *given, "--json"]
    kind = {"delta": "delta", "epsilon": "epsilon"}[name]
    whole = _answer(arguments, capsys)[1][kind]

    def stop(low, high):
        if high is not None and high < 1:
            raise KeyboardInterrupt

    @contextmanager
    def closing(what):
        yield stop

    monkeypatch.setattr(options, "closing", closing)
    status, answer, said = _answer(arguments, capsys)
    assert status == 130 and "stopped by Ctrl-C" in said
    ends = [Fraction(answer[kind][end]) for end in ("lower", "upper")]
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


def test_boxes_cover_all_compositions():
    """Every composition lies in exactly one of the boxes, by listing them, and has no more than the upper end."""
    line = Line.of(Randomizer.of(table(2, "copies", 3)))
    n, eps = 25, Eps.of("1/2")
    found = largest_delta(line, n, eps, tolerance=Fraction(1, 10**6))
    for a in range(n):
        for b in range(n - a):
            c = (a, b, n - 1 - a - b)
            inside = (zip(box.lower, c, box.upper, strict=True) for box in found.boxes)
            assert sum(all(lo <= x <= up for lo, x, up in sides) for sides in inside) == 1
            value = Views.of(Powers(line, 96), c).ends(line.pairs(), eps)
            assert value.low <= found.value.high


def test_dropping_users_dominates():
    """delta(eps) of fewer others is no smaller: the lemma on exact laws of random tables."""
    for seed in range(20):
        line = Line.of(Randomizer.of(table(seed, KINDS[seed % len(KINDS)], 2)))
        if len(line.bases) == 1 or not line.pairs():
            continue
        powers = Powers(line, 256)
        few, many = ((1, 2), (3, 2)) if seed % 2 else ((0, 2), (0, 5))
        ends = [Views.of(powers, counts).ends(line.pairs(), Eps.of("1/4")) for counts in (few, many)]
        assert ends[1].low <= ends[0].high


def test_boxes_are_cut_without_losing_one():
    rng = random.Random(5)
    for _ in range(300):
        size, total = rng.randint(2, 4), rng.randint(1, 12)
        box = Box.tight([0] * size, [total] * size, total)
        while not box.one:
            _, _, *parts = box.cut(total)
            held = [_compositions(part, total) for part in parts]
            assert sorted([*held[0], *held[1]]) == _compositions(box, total)
            assert box.middle(total) in _compositions(box, total)
            box = rng.choice(parts)


def _compositions(box, total):
    found = [()]
    for lo, up in zip(box.lower, box.upper, strict=True):
        found = [(*c, x) for c in found for x in range(lo, up + 1)]
    return sorted(c for c in found if sum(c) == total)


def test_what_is_next_to_nothing_is_not_told_from_it():
    """Far out a delta has hundreds of zeros: an upper end is all that is shown, and soon."""
    rows = {"0": {(): Fraction(1, 2), ("a",): Fraction(1, 2)}, "1": {(): Fraction(1, 3), ("a",): Fraction(2, 3)}}
    found = largest_delta(Line.of(Randomizer.of(rows)), 2000, Eps.of("2/5"))
    assert found.finished and found.value.low == 0 < found.value.high < Fraction(1, 10**170)
