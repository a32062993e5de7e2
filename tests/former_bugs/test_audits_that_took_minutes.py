"""An audit by default took 90 s and more, without a word before it began, of eight entries of gallery and corpus: a
blanket's value of 10^-4000 beside another of 0.85 was computed to four digits; every event was looked at as closely as
the best; pure eps of a pair was Newton's iteration through all its outcomes; and many users' enumeration, and their
events, were in no estimate. The rule is held in counted work: no test here knows a clock."""

import random
from fractions import Fraction

import pytest
from flint import fmpz

from shufflecert.protocols.gallery import GALLERY
from shufflecert.verify.audit import audit as auditing
from shufflecert.verify.audit.audit import foreseen
from shufflecert.verify.audit.patience import PATIENCE
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.enumeration import Enumeration
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.commands import audit as command
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.multinomial_form import Form
from shufflecert.verify.reduce.privacy_blanket import FEWEST, Rows, reach_of
from shufflecert.verify.reduce.reduction import worst_epsilon

MANY, BITS = 10_000, 1024  # users; bits beyond which a finite sum has no digit that counts here


def entry(name):
    """The table of an entry of the gallery."""
    return next(one.randomizer() for one in GALLERY if one.name == name)


def test_what_is_nearly_zero_beside_another_needs_no_digits(monkeypatch):
    """Of attribution_reporting_event one pair's value is near 10^-4000 where another's is 0.8: few bits are enough."""
    asked, finite = [], Form.finite
    monkeypatch.setattr(Form, "finite", lambda form, eps, bits: asked.append(bits) or finite(form, eps, bits))
    low, high, _ = worst_epsilon(reach_of(entry("attribution_reporting_event"), MANY), Fraction(1, 10**6))
    assert max(asked) <= BITS and low < high and high - low < Fraction(1, 1000)


@pytest.mark.parametrize("name", ["cheu_vector", "three_digit_sum"])
@pytest.mark.sampled(2)
def test_events_are_no_more_than_foreseen(name, monkeypatch):
    """Events are counted, not evaluated: in their place a value that falls with eps as one of many users does."""
    randomizer, seen = entry(name), []

    def counted(event, eps, digits, _=Fraction(0)):
        seen.append(digits)
        value = Fraction(1, 10) / (1 + eps.bounds(32)[0] * 100) ** 6
        return Interval(value, value * (1 + Fraction(1, 10**digits)))

    monkeypatch.setattr(Event, "enclosure", counted)
    reach = reach_of(randomizer, MANY)
    worst_epsilon(reach, Fraction(1, 10**6))
    for eps in range(5):
        for _ in range(2):  # `auditing.closest` may ask twice
            reach.attained.worst(Eps.of(eps))
    table, datasets = Rows.of(randomizer, 1), len(reach.attained.members)
    assert FEWEST < datasets <= table.looked_at
    view, beside = view_of(randomizer), auditing.SECONDS
    assert len(seen) * table.size * auditing.EVENT_UNIT <= auditing.expected(randomizer, view, 5, None) - beside


@pytest.mark.parametrize("seed", range(20))
def test_pure_eps_of_a_pair_is_its_largest_ratio(seed):
    rng = random.Random(seed)
    p, q = ([rng.randrange(seed % 2, 50) for _ in range(rng.randrange(1, 9))] for _ in "pq")
    size = min(len(p), len(q))
    pair = Pair([fmpz(w) for w in p[:size]], [fmpz(w) for w in q[:size]], 1000)
    alone = any(a and not b for a, b in zip(p, q, strict=False))
    found = pair.epsilon_power(Fraction(0))
    most = max([Fraction(1), *(Fraction(a, b) for a, b in zip(p, q, strict=False) if b)])
    assert found is None if alone else Fraction(int(found.p), int(found.q)) == most


def test_the_enumeration_of_many_users_is_foreseen(monkeypatch, capsys):
    """Equal messages, and rows equal up to one more of them: all others are alike, and 10^4 users are enumerated."""
    randomizer = Randomizer.of({0: {(): "1/4", ("1",): "3/4"}, 1: {("1",): "1/4", ("1", "1"): "3/4"}})
    expected = foreseen(randomizer, [1, 2, 3, MANY], 5)
    assert f"n = {MANY}" in expected.largest and expected.enumeration > foreseen(randomizer, [1, 2, 3], 5).enumeration
    monkeypatch.setattr("shufflecert.verify.audit.patience.PATIENCE", 0)
    monkeypatch.setattr("shufflecert.verify.audit.audit.audit", lambda *_, **__: None)
    options = {"eps": [], "delta": Fraction(1, 10**6), "promise": None, "output": None}
    command.Wanted(ns=[1], large=MANY, effort=Effort(), **options).audited(randomizer, None)
    assert f"n = {MANY}" in capsys.readouterr().err


@pytest.mark.parametrize("one", GALLERY, ids=lambda one: one.name)
def test_every_entry_is_short_or_announced(one):
    """By the counted work of its parts: boxes and blocks end at a limit, enumeration and events are counted before.

    What is not announced has limits that keep it short, at the measured costs of a unit.
    """
    randomizer = one.randomizer()
    expected, bound = foreseen(randomizer, [1, 2, 3, MANY], 5), auditing.bound_for(randomizer, MANY, Effort())
    if expected.seconds <= PATIENCE and isinstance(bound, Covered):
        assert bound.effort.work is not None or expected.boxes == 0
        assert (bound.effort.work or 0) <= auditing.WORK
    elif expected.seconds <= PATIENCE:
        assert isinstance(bound, Enumeration | ClosedForm)
    else:
        assert str(expected).startswith("about ")
