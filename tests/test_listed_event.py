"""A claim that only an event with gaps refutes, at an n where datasets are too many to enumerate."""

import json
from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.bound.evidence import case_of
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.systems.population import populated
from tests import oracle

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ROWS = {  # the number of messages is even on 0, odd on 1; and on 2 either
    "0": {(): HALF, ("a", "a"): HALF},
    "1": {("a",): THIRD, ("a", "a", "a"): 1 - THIRD},
    "2": {("a",): 1 - THIRD, (): THIRD},
}


@pytest.mark.parametrize(
    "who", [Presence(), Presence("add-remove"), Presence("deletion", reference=(("0", Fraction(1)),), honest=200)]
)
def test_parity_refutes_and_the_kernel_sees_it(who):
    """With all others on 0 the total's parity gives the user away: delta = 1 at every eps, at every n."""
    found = certify(populated(Randomizer.of(ROWS), who), 300, 1, Fraction(9, 10))
    assert found.verdict == "REFUTED" and "outcomes" in found.certificate["because"]["event"]
    assert kernel.check(found.certificate_text().encode()).status == "accepted"
    forged = json.loads(found.certificate_text())
    event = forged["because"]["event"]["outcomes"]
    forged["because"]["event"]["outcomes"] = [{"a": seen.get("a", 0) + 1} for seen in event]
    assert kernel.check(json.dumps(forged).encode()).status == "rejected"


def test_what_is_too_large_stays_undecided():
    """Where the kernel would multiply for minutes nothing is listed."""
    found = certify(Randomizer.of(ROWS), 10**4, 1, Fraction(9, 10))
    assert found.verdict == "UNDECIDED" and found.reason.startswith("REFUTED by a proof that no certificate shows")


def test_the_laws_of_a_dataset_by_the_oracle():
    """The oracle writes out every user: with a class whose members differ by a shift, laws agree up to the shift."""
    rows = {**ROWS, "3": {("a",): HALF, ("a", "a", "a"): HALF}}
    case = case_of(Randomizer.of(rows), 4, Neighbours("1", "2", {"3": 2, "2": 1}))
    power = Fraction(5, 4)
    laws = [oracle.convolved_law(rows, [x, "3", "3", "2"]) for x in ("1", "2")]
    delta = sum(max(p - power * laws[1].get(seen, 0), 0) for seen, p in laws[0].items())
    unit = int(case.pair.denominator)
    pair = [(Fraction(int(p), unit), Fraction(int(q), unit)) for p, q in zip(case.pair.p, case.pair.q, strict=True)]
    assert sum(max(p - power * q, 0) for p, q in pair) == delta
    assert case.neighbours.others == {"0": 2, "2": 1}
