"""What fewer users need was asked as if all came and all were honest: a promise was PROVED that is broken.

The lemma of fewer users (verify/reduce/pure.py) was applied to the table of users who always take
part. With check-in this said PROVED of a delta that is smaller than the worst datasets' (the kernel refused the
certificate's form); with dishonest users it ended with words about n = 1 users.
"""

from fractions import Fraction

import pytest

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.kernel import check
from shufflecert.verify.systems.population import populated
from tests import oracle

# Others hide a user far better where all of them come than where three of four stay away.
ROWS = {
    "0": {(): Fraction(1, 4), ("a",): Fraction(1, 4), ("a", "a"): Fraction(9, 28), ("a", "a", "a"): Fraction(5, 28)},
    "1": {(): Fraction(1, 6), ("a", "a"): Fraction(5, 12), ("a", "a", "a"): Fraction(5, 12)},
}


@pytest.mark.parametrize("share", ["1/4", "1/2", "9/10"])
def test_users_who_may_stay_away(share):
    t, n = Fraction(3), 4
    true = oracle.attended_delta(ROWS, n, t, take_part=Fraction(share))
    system = populated(Randomizer.of(ROWS), Presence.of(take_part=share))
    all_come = oracle.delta(ROWS, n, t)
    assert all_come < true
    for claim in (all_come, true * Fraction(99, 100), true, true * Fraction(101, 100)):
        found = certify(system, n, Eps.log(t), claim, effort=Effort(work=1))
        assert found.verdict in ("UNDECIDED", "PROVED" if true <= claim else "REFUTED"), claim
        assert found.certificate is None or check(found.certificate_text().encode()).status == "accepted"


@pytest.mark.parametrize(("honest", "n"), [(2, 3), (2, 9), (3, 10**6)])
def test_users_who_are_not_honest(honest, n):
    t = Fraction(3, 2)
    true = oracle.delta(ROWS, honest, t)
    system = populated(Randomizer.of(ROWS), Presence.of(honest=honest))
    for claim in (0, true * Fraction(99, 100), true, true * Fraction(101, 100)):
        found = certify(system, n, Eps.log(t), claim, effort=Effort(work=1))
        assert found.verdict in ("UNDECIDED", "PROVED" if true <= claim else "REFUTED"), claim
        assert found.certificate is None or check(found.certificate_text().encode()).status == "accepted"
