"""One output of 40,000 different messages kept the kernel busy for minutes: packed exponents grow with their square."""

import json
from fractions import Fraction

from shufflecert.verify import certificate as writing
from shufflecert.verify.kernel import check


def certificate(messages):
    """Input 0 always sends all the messages, input 1 another one: delta = 1 is attained, and is what is claimed."""
    rows = [
        {"input": "0", "outputs": [{"send": [f"m{i}" for i in range(messages)], "p": "1"}]},
        {"input": "1", "outputs": [{"send": ["another"], "p": "1"}]},
    ]
    claim = writing.claim([(writing.rows({"rows": rows}, 2), 1)], "replace", "1", Fraction(1))
    why = writing.enumerated(writing.ends("01", "replace"), [])
    return json.dumps(writing.certificate(claim, "PROVED", why)).encode()


def test_a_few_are_checked_and_many_as_well():
    """All of 40,000 messages, or none of them, are one kind of outcome: no more work than for a few."""
    assert check(certificate(1000)).status == "accepted"
    assert check(certificate(40_000)).status == "accepted"
