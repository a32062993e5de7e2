"""One user and `--max-work 1`: a division by 0 where an event was looked for, and a certificate that is malformed."""

from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.systems.catalogue import load
from shufflecert.verify.systems.population import populated

ONE = "log(3)"
# Of one user, delta(log 3) = sum over what is sent of max(P - 3 Q, 0), by hand:
ASKED = {
    "krr": ({"k": "3", "gamma": "1/2"}, Fraction(2, 3) - Fraction(3, 6)),  # the truth 2/3, another value 1/6
    "rappor": ({"d": "2", "flip": "1/4"}, Fraction(9, 16) - Fraction(3, 16)),  # the own bit alone 9/16, against 1/16
    "blanket_sum": ({"k": "2", "gamma": "1/2"}, Fraction(2, 3) - Fraction(3, 6)),  # krr over 0, 1, 2
    "zsum": ({"p": "1/4"}, Fraction(3, 4)),  # 0 + 0 or 1 against 1 + 0 or 1: 0 is seen of one of them alone
}


@pytest.mark.parametrize("name", ASKED)
def test_both_verdicts_on_one_user_are_certified(name):
    values, delta = ASKED[name]
    system = load(name, values)
    for bound, verdict in ((delta * Fraction(99, 100), "REFUTED"), (delta * Fraction(101, 100), "PROVED")):
        found = certify(system, 1, ONE, bound, effort=Effort(work=1))
        assert found.verdict == verdict
        assert kernel.check(found.certificate_text().encode()).status == "accepted"


def test_a_user_who_comes_or_goes_alone_is_told_of_the_work():
    system = populated(load("krr", {"k": "3", "gamma": "1/2"}), Presence.of("add-remove", None, None, 1))
    with pytest.raises(TooMuchWork, match="--max-work"):
        certify(system, 1, Eps.of(1), Fraction(1, 10), effort=Effort(work=1))
