"""A user who comes or goes where all send equally many messages: delta is 1 and a line tells; it took minutes."""

from fractions import Fraction

import pytest

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.threshold_event.event import Event
from tests.helpers import asked, call


@pytest.mark.parametrize("arguments", [("delta", "--eps", 1), ("epsilon", "--delta", "0.9")])
def test_it_is_told_at_once(capsys, arguments):
    """The event that was looked for at n = 1000 had weights without end, since its messages determine each other."""
    command, *more = arguments
    answer = asked(capsys, command, "r_gap", "--n", 1000, "--adjacency", "add-remove", *more)
    one, none = {"lower": "1", "upper": "1"}, {"lower": "inf", "upper": "inf"}
    assert {**answer[command], **one} == answer[command] if command == "delta" else {**answer[command], **none}


def test_its_event_can_be_written_down(capsys, tmp_path):
    given = ("certify", "r_gap", "--n", 1000, "--adjacency", "add-remove", "--eps", 1, "--delta", "0.99")
    status, out, _ = call(capsys, *given, "-o", tmp_path / "c.json")
    assert status == 1 and "REFUTED" in out
    assert call(capsys, "check", tmp_path / "c.json")[0] == 0


A, B = ("a",), ("b",)
HALVES = {A: Fraction(1, 2), B: Fraction(1, 2)}
EVENTS = {  # P, Q, P(E) - e Q(E) for the event E that the number of messages is P's, or that of any better one
    "one more": ({A + B: Fraction(1)}, HALVES, 1),
    "one fewer": ({(): Fraction(1)}, HALVES, 1),
    "between": ({A: Fraction(1)}, {(): Fraction(1, 2), A + A: Fraction(1, 2)}, 0),
    "the same": (HALVES, HALVES, 0),
}


@pytest.mark.parametrize("p, q, least", EVENTS.values(), ids=EVENTS)
def test_numbers_that_do_and_do_not_tell(p, q, least):
    value = Event(p, q, ((HALVES, 400),)).enclosure(Eps.of(1), 12)
    assert least <= value.low <= 1
