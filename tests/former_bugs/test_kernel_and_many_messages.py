"""One output of 40,000 different messages kept the kernel busy for minutes: packed exponents grow with their square."""

import json

from verify.kernel import check


def certificate(messages):
    """Input 0 always sends all the messages, input 1 another one: delta = 1 is attained, and is what is claimed."""
    rows = [
        {"input": "0", "outputs": [{"send": [f"m{i}" for i in range(messages)], "p": "1"}]},
        {"input": "1", "outputs": [{"send": ["another"], "p": "1"}]},
    ]
    claim = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": "shuffled", "n": 2, "datasets": "all"}
    pair = {"from": "0", "to": "1", "others": {"0": 1}}
    worst = {"pair": pair, "delta": {"lower": "1", "upper": "1"}}
    tree = {"format": "shufflecert certificate", "version": 1, "claim": {**claim, "eps": "1", "delta": "1"}}
    return json.dumps({**tree, "verdict": "PROVED", "evidence": {"symmetries": [], "worst": worst}}).encode()


def test_a_few_are_checked_and_too_many_are_refused_with_the_estimate():
    assert check(certificate(1000)).status == "accepted"
    verdict = check(certificate(40_000))
    assert verdict.status == "undecided" and "too much " in verdict.reason
