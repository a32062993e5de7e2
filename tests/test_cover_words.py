"""What a box allows in machine words, the guess in floats before it, and a composed pair of windows, each against
fractions.
"""

import random
from fractions import Fraction

import pytest

from tests.test_cover import KINDS, table
from verify.decide.worst_case import delta
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.pairs.windowed import Product
from verify.reduce.composition_cover.delta import largest_delta
from verify.reduce.composition_cover.epsilon import smallest_epsilon
from verify.reduce.composition_cover.guess import Guess
from verify.reduce.composition_cover.search import Search
from verify.reduce.composition_cover.words import allowed
from verify.reduce.composition_reduction import LinePair
from verify.reduce.compositions import Box, Line, Powers


def laws(line, counts):
    """The exact laws of the total with a user on each input, by repeated sums of fractions."""
    total = {0: Fraction(1)}
    rows = [line.bases[x] for x, count in enumerate(counts) for _ in range(count)]
    for row in rows:
        total = _plus(total, row, line.unit)
    return [_plus(total, row, line.unit) for row in line.rows]


def _plus(total, row, unit):
    found = {}
    for at, p in total.items():
        for place, weight in row.items():
            found[at + place] = found.get(at + place, 0) + p * Fraction(weight, unit)
    return found


def excess(P, Q, t):
    return sum(max(p - t * Q.get(at, 0), 0) for at, p in P.items())


@pytest.mark.parametrize("kind", KINDS)
def test_words_bound_the_exact_divergence_and_hardly_more(kind):
    for seed in range(12):
        line = Line.of(Randomizer.of(table(seed, kind, 3)))
        counts = tuple(random.Random(seed).randint(0, 9) for _ in line.bases)
        found, exact = line.pairs(), laws(line, counts)
        if not found:
            continue
        for power in (Fraction(1), Fraction(21, 20), Fraction(3, 2)):
            eps = Eps.log(power)
            high = allowed(line, Powers(line, 96).others(counts), found, eps, Fraction(1, 1000))
            truth = max(excess(exact[a], exact[b], power) for a, b in found)
            assert truth <= high <= truth + Fraction(1, 10**8), (seed, counts, power)


def test_words_are_refused_where_they_are_too_short():
    line = Line.of(Randomizer.of(table(1, "copies", 2)))
    total = Powers(line, 96).others((3, 4))
    assert allowed(line, total, line.pairs(), Eps.of("1/2"), Fraction(1, 1000)) is not None
    assert allowed(line, total, line.pairs(), Eps.of("1/2"), Fraction(1, 10**15)) is None
    assert allowed(line, total, line.pairs(), Eps.of("7/10"), Fraction(1, 1000)) is None
    assert allowed(line, Powers(line, 32).others((3, 4)), line.pairs(), Eps.of("1/2"), Fraction(1, 1000)) is None


def test_a_wrong_guess_makes_no_wrong_answer(monkeypatch):
    """Whatever the floats say, the ends are those of a search without them, to the tolerance."""
    line = Line.of(Randomizer.of(table(2, "copies", 3)))
    bound = Fraction(1, 10**4)
    for wrong in (0.0, 1.0):  # everything is kept, or nothing (of few users)
        users = 6 if wrong else 60
        with monkeypatch.context() as patch:
            patch.setattr(Guess, "of", classmethod(lambda *_: None))
            truth = smallest_epsilon(line, users, bound)
        with monkeypatch.context() as patch:
            patch.setattr(Guess, "delta", lambda *_, wrong=wrong: wrong)
            found = smallest_epsilon(line, users, bound)
        assert found.finished and found.low <= truth.high and truth.low <= found.high
        assert found.high <= found.low * Fraction(1001, 1000)


def test_a_wrong_guess_makes_no_wrong_delta(monkeypatch):
    """Against every composition of others, exactly, and a search without floats: everything is kept, or nothing."""
    randomizer = Randomizer.of(table(2, "copies", 3))
    line = Line.of(randomizer)
    for users, eps in ((5, "1/4"), (12, "1/2")):
        truth = delta(randomizer, users, eps, max_work=10**7).delta
        for wrong in (0.0, 1.0, None):
            with monkeypatch.context() as patch:
                if wrong is not None:
                    patch.setattr(Guess, "delta", lambda *_, wrong=wrong: wrong)
                for tolerance in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**9)):
                    found = largest_delta(line, users, Eps.of(eps), tolerance)
                    assert found.finished and found.high <= found.low * (1 + tolerance)
                    assert truth.minus(found.low).sign() >= 0 >= truth.minus(found.high).sign()


def test_a_guess_of_delta_saves_boxes_and_a_stop_before_they_are_seen_shows_nothing(monkeypatch):
    line, eps = Line.of(Randomizer.of(table(1, "copies", 3))), Eps.of("1/20")
    guessed = largest_delta(line, 2000, eps)

    def stop(low, high):
        if low:
            raise KeyboardInterrupt

    stopped = largest_delta(line, 2000, eps, tick=stop)
    assert stopped.stopped and stopped.high is None and stopped.value.high == 1
    with monkeypatch.context() as patch:
        patch.setattr(Guess, "of", classmethod(lambda *_: None))
        plain = largest_delta(line, 2000, eps)
    assert guessed.finished and plain.finished and guessed.evaluations < plain.evaluations * 2 / 3
    assert guessed.low <= plain.high and plain.low <= guessed.high


def test_guessed_boxes_cover_everything():
    line = Line.of(Randomizer.of(table(2, "copies", 3)))
    search = Search(line, 40, 96, 1)
    guess = Guess.of(line, 40, Fraction(1, 100))
    boxes = guess.cover([search.root], Fraction(guess.epsilon(guess.worst(search.first()), 0.0) * 1.01), 10**6)
    assert len(boxes) > 3
    for x in range(40):
        for y in range(40 - x):
            counts = (39 - x - y, x, y)
            held = (all(lo <= c <= up for lo, c, up in zip(b.lower, counts, b.upper, strict=True)) for b in boxes)
            assert sum(held) == 1


def test_places_of_many_users_are_those_of_one_after_the_other():
    for seed in range(300):
        rng = random.Random(seed)
        bases = tuple({0: 1, **{rng.randint(0, 6): 1 for _ in range(rng.randint(0, 3))}} for _ in range(2))
        counts = (rng.choice((0, 1, 2, 9, 30)), rng.choice((0, 1, 5, 11)))
        found = {0}
        for base, count in zip(bases, counts, strict=True):
            for _ in range(count):
                found = {at + place for at in found for place in base}
        line = Line((), (), 1, (), bases)
        assert line.places(counts) == sum(1 << at for at in found)


def test_a_pair_of_windows_holds_the_exact_pair():
    for seed in range(8):
        line = Line.of(Randomizer.of(table(seed, "copies", 2)))
        counts = tuple(random.Random(seed).randint(1, 7) for _ in line.bases)
        a, b = line.pairs()[0]
        P, Q = (laws(line, counts)[x] for x in (a, b))
        pair = LinePair(line, counts, a, b)
        twice = Product(pair, pair)
        for bits in (128, 640):
            low, high = pair.divergence(Eps.log(Fraction(9, 8)), bits)
            assert low <= excess(P, Q, Fraction(9, 8)) <= high <= low + Fraction(1, 10**9)
            low, high = twice.divergence(Eps.log(Fraction(9, 8)), bits)
            both = [{(x, y): law[x] * law[y] for x in law for y in law} for law in (P, Q)]
            assert low <= excess(*both, Fraction(9, 8)) <= high <= low + Fraction(1, 10**9)


def test_box_is_what_the_guess_cuts():
    """The guess cuts as `Box.cut` does: the certificate's tree leads to its boxes."""
    line = Line.of(Randomizer.of(table(1, "copies", 2)))
    found = smallest_epsilon(line, 500, Fraction(1, 10**5))
    assert found.finished and len(found.boxes) > 1
    assert found.tree(line, 500).count(None) == len(found.boxes)
    assert all(isinstance(box, Box) for box in found.boxes)


def test_a_guess_ends_where_delta_falls_at_once(monkeypatch):
    """All compositions need eps = 1/10, with delta 1 below it and 0 above: none is uphill of another for ever."""
    line = Line.of(Randomizer.of(table(2, "copies", 3)))
    guess = Guess.of(line, 40, Fraction(1, 100))
    calls = []

    def delta(self, counts, eps):
        calls.append(counts)
        assert len(calls) < 2000
        return float(eps < 0.1)

    monkeypatch.setattr(Guess, "delta", delta)
    start = Search(line, 40, 96, 1).first()
    assert guess.worst(start) == start[0]
    assert abs(guess.epsilon(start[0], 0.0) - 0.1) < 1e-6
