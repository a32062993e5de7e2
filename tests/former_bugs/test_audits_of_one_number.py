"""An audit left delta's upper end at 1, or at what few users have, for a table of which one number matters."""

from fractions import Fraction

from shufflecert.verify.audit.closer import closest
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import reach_of

COPIES = {  # of one message
    "0": {(): Fraction(1, 2), ("a",): Fraction(1, 4), ("a", "a"): Fraction(1, 4)},
    "1": {(): Fraction(1, 4), ("a",): Fraction(1, 4), ("a", "a"): Fraction(1, 2)},
}


def test_delta_is_as_close_as_that_of_the_command():
    rows, n = Randomizer.of(COPIES), 200
    bound = Covered(Question.of(rows, n), Effort(), rows, reach_of(rows, n))
    found = closest(bound, Eps.of("1/10")).delta
    assert found.low <= found.high <= found.low * Fraction(1001, 1000)
