"""The kernel and the judge on version 2, by hand: mechanisms, blankets, thresholds, one change at a time.

Verdicts come from verify/CERTIFICATE.md.
"""

import json
from fractions import Fraction

import pytest

from tests import judge as judge_module
from tests import scale_seeds
from tests.certificate_seeds import dump
from tests.judge import judge
from tests.scale_seeds import binomial, correlated, count, discrete_laplace, histogram, negative_binomial, poisson
from tests.two_checkers import agree, kernel, verdicts

OPEN = ("accepted", "rejected", "undecided")


def written(mechanism, eps, delta, verdict, lower, upper):
    claim = {"mechanism": mechanism, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": delta}
    return scale_seeds.certificate(claim, verdict, {"delta": {"lower": lower, "upper": upper}})


HALF = negative_binomial("1", "1/2")
ONE_OVER_E = "0.36787944117144232159552377016146086744581113103"
# views whose largest delta(eps) is short to write: (mechanism, eps, delta(eps) rounded down and up)
SHORT = {
    "Pr[k] / Pr[k - 1] of discrete Laplace noise is 1/q or q": (count(discrete_laplace("1/2")), "log(2)", "0", "0"),
    "of 2 shifts it is q^-2": (count(discrete_laplace("1/2"), 2), "log(4)", "0.0", "0e-9"),
    "two of them move": (histogram(discrete_laplace("1/2"), 9), "log(4)", "0", "0"),
    "at eps = 0, Pr[X = 0 or less] (1 - q)": (count(discrete_laplace("3/5")), "0", "0.25", "0.25"),
    "X = 0 shows that nothing was added": (count(poisson("1")), "1", ONE_OVER_E, ONE_OVER_E + "2"),
    "with Pr[0] = (1 - p)^r": (count(negative_binomial("1/2", "3/4")), "log(3)", "0.49999", "50001e-5"),
    "for two units Pr[0] + Pr[1]": (count(HALF, 2), "log(4)", "75e-2", "0.75"),
    "the bucket that is 0 did not get it": (histogram(HALF), "1/9", "0.5", "0.5"),
    "certain noise is none": (histogram(binomial(7, "1"), 3), "10000", "1", "1.0"),
    "one toss": (count(binomial(1, "1/3")), "log(2)", "0.6666666", "0.6666667"),
    "without Z_3, Pr[Z_1 = 0]": (correlated("1/3", binomial(9, "0")), "3/7", "0.66", "0.67"),
    "and a pair of them": (correlated("1/3", binomial(9, "1"), buckets=5), "log(2)", "0.66", "0.67"),
    "a pair of bits: (3/4)^2 - 2 (1/4)^2": (scale_seeds.strings("1/4", 1), "log(2)", "0.4375", "0.4375"),
    "nothing above (3/4)^2 (1/4)^-2": (scale_seeds.strings("1/4", 7), "log(9)", "0", "0"),
    "fair bits say nothing": (scale_seeds.strings("2/4", 30), "0", "0", "0"),
}


@pytest.mark.parametrize("name", SHORT)
def test_short_values(name):
    """The enclosure is true with both verdicts, and false with either end a little further in or beyond 1."""
    mechanism, eps, lower, upper = SHORT[name]
    low, high = judge_module._decimal(lower), judge_module._decimal(upper)
    hair = Fraction(1, 10**60)
    cases = [(written(mechanism, eps, str(high), "PROVED", lower, upper), "true")]
    if low > 0:
        cases += [(written(mechanism, eps, str(low - hair), "REFUTED", lower, upper), "true")]
        cases += [(written(mechanism, eps, str(low - hair), "PROVED", lower, upper), "false")]
    if high < 1:
        cases += [(written(mechanism, eps, str(high + hair), "REFUTED", lower, upper), "false")]
    cases += [(written(mechanism, eps, str(high), "REFUTED", lower, upper), "false")]
    if high > 0:
        tight = str(int(high * 10**70) - 10**68) + "e-70"
        cases += [(written(mechanism, eps, "1", "PROVED", "0", tight), "false")]
    cases += [(written(mechanism, eps, "1", "PROVED", upper + "1" if "." in upper else "2", "3"), "false")]
    for tree, verdict in cases:
        data = dump(tree).encode()
        assert judge(data) == verdict and agree(verdict, kernel(data)), (data, judge(data), kernel(data))


MECHANISM = dump(written(count(binomial(1, "1/3"), 1), "log(2)", "2/3", "PROVED", "0.6", "0.7"))
BINOMIAL = dump(binomial(1, "1/3"))
COUNT = dump(count(binomial(1, "1/3"), 1))
STRINGS = dump(scale_seeds.strings("1/4", 1))

# one user: (3/4)^2 - 2 (1/4)^2 = 7/16
COLUMNS = dump(
    scale_seeds.certificate(
        {
            "mechanism": scale_seeds.columns("1/4", 1, 3),
            "adjacency": "replace",
            "datasets": "all",
            "eps": "log(2)",
            "delta": "7/16",
        },
        "PROVED",
        {"delta": {"lower": "0.4375", "upper": "0.4375"}, "others": [0, 0]},
    )
)

# the bound: L is 1, -5 or 0 with weights 1, 1, 2 of 4; E max(L_1 + L_2, 0) / 2 = (2 / 16 + 1 / 4) / 2
BLANKET = """{"format": "shufflecert certificate", "version": 2, "claim": {"randomizer": {"rows": [
{"input": "0", "outputs": [{"send": ["a"], "p": "3/4"}, {"send": ["b"], "p": "1/4"}]},
{"input": "1", "outputs": [{"send": ["a"], "p": "1/4"}, {"send": ["b"], "p": "3/4"}]}]},
"adjacency": "replace", "view": "shuffled", "n": 2, "datasets": "all", "eps": "log(2)", "delta": "3/16"},
"verdict": "PROVED", "evidence": {"blanket": {"step": "1", "cells": 2000, "tilt": "2"}}}"""

# two users: two times a has 9/16 against 3/16, so P - Q = 3/8
THRESHOLD = """{"format": "shufflecert certificate", "version": 2, "claim": {"randomizer": {"rows": [
{"input": "0", "outputs": [{"send": ["a"], "p": "3/4"}, {"send": ["b"], "p": "1/4"}]},
{"input": "1", "outputs": [{"send": ["a"], "p": "1/4"}, {"send": ["b"], "p": "3/4"}]}]},
"adjacency": "replace", "view": "shuffled", "n": 2, "datasets": "all", "eps": "0", "delta": "1/3"},
"verdict": "REFUTED", "evidence": {"pair": {"from": "0", "to": "1", "others": {"0": 1}},
"threshold": {"weights": {"a": "1"}, "above": "1"}}}"""


def noise(law, **parameters):
    """An edit: another noise of the mechanism."""
    return BINOMIAL, dump({"law": law} | parameters)


EDITS = {
    MECHANISM: [
        ('"version": 2', '"version": 2, "note": "2/3"', "true"),
        ('"version": 2', '"version": 2, "note": 2', "malformed"),
        ('"version": 2', '"version": 1', "malformed"),
        ('"version": 2', '"version": 9', "malformed"),
        ('"version": 2', '"version": 02', "malformed"),
        ('"version": 2', '"version": "2"', "malformed"),
        ('"2/3"}', '"666666/999999"}', "true"),
        ('"2/3"}', '"666665/999999"}', "false"),
        ('"2/3"}', '"4/3"}', "malformed"),
        ('"2/3"}', '"0.67"}', "malformed"),
        ('"2/3"}', '"02/3"}', "malformed"),
        ('"2/3"}', '"2/03"}', "malformed"),
        ('"0.6"', '"00.6"', "malformed"),
        ('"0.6"', '"6e-01"', "malformed"),
        ('"log(2)"', '"log(02)"', "malformed"),
        ('"PROVED"', '"REFUTED"', "false"),
        ('"0.6"', '"2/3"', "malformed"),
        ('"0.6"', '"0.66666666666666666666666666666666667"', "false"),
        ('"0.7"', '"0.66666666666666666666666666666666666"', "false"),
        ('"0.7"', '"7"', "true"),
        ('"0.7"', '"0.5"', "false"),
        ('"lower": "0.6", ', "", "malformed"),
        ('"0.7"', '"0.7", "exact": "2/3"', "malformed"),
        ('"evidence": {', '"evidence": {"symmetries": [], ', "malformed"),
        ('"adjacency": "replace", ', "", "malformed"),
        ('"adjacency": "replace"', '"adjacency": "add"', "malformed"),
        ('"datasets": "all"', '"datasets": "some"', "malformed"),
        ('"datasets": "all"', '"datasets": "all", "n": 2', "malformed"),
        ('"datasets": "all"', '"datasets": "all", "view": "shuffled"', "malformed"),
        ('"datasets": "all"', '"datasets": "all", "randomizer": {"rows": []}', "malformed"),
        ('"count"', '"counts"', "malformed"),
        ('"count"', '"histogram"', "malformed"),
        ('"count"', '["count"]', "malformed"),
        ('"sensitivity": 1', '"sensitivity": 0', "malformed"),
        ('"sensitivity": 1', '"sensitivity": 2', "false"),  # the views are disjoint
        ('"sensitivity": 1', '"sensitivity": 1000001', "malformed"),
        ('"sensitivity": 1', '"sensitivity": "1"', "malformed"),
        ('"sensitivity": 1', '"sensitivity": 1.0', "malformed"),
        ('"sensitivity": 1', '"sensitivity": 1, "buckets": 2', "malformed"),
        (', "sensitivity": 1', "", "malformed"),
        (BINOMIAL, '"binomial"', "malformed"),
        (*noise("binomial", n=1, p="2/6"), "true"),
        (*noise("binomial", n=1, p="0"), "false"),
        (*noise("binomial", n=1, p="1"), "false"),
        (*noise("binomial", n=1, p="4/3"), "malformed"),
        (*noise("binomial", n=0, p="1/3"), "malformed"),
        (*noise("binomial", n="1", p="1/3"), "malformed"),
        (*noise("binomial", n=10**15 + 1, p="1/3"), "malformed"),
        (*noise("binomial", n=1, p="1/3", r="1"), "malformed"),
        (*noise("Binomial", n=1, p="1/3"), "malformed"),
        (*noise("negative binomial", r="1", p="1/3"), "malformed"),
        (*noise("negative_binomial", r="1", p="1/3"), "true"),  # 2/3 as well
        (*noise("negative_binomial", r=1, p="1/3"), "malformed"),
        (*noise("negative_binomial", r="0", p="1/3"), "malformed"),
        (*noise("negative_binomial", r="1", p="0"), "malformed"),
        (*noise("negative_binomial", r="1", p="1"), "malformed"),
        (*noise("negative_binomial", p="1/3"), "malformed"),
        (*noise("poisson", lam="1"), "false"),
        (*noise("poisson", lam="0"), "malformed"),
        (*noise("poisson", lam="0/1"), "malformed"),
        (*noise("poisson", lam="1.5"), "malformed"),
        (*noise("poisson", lam="-1"), "malformed"),
        (*noise("poisson", p="1/3"), "malformed"),
        (*noise("discrete_laplace", q="1/5"), "false"),  # (1 - 2/5) / (1 + 1/5) - 2 q ... is 1/2
        (*noise("discrete_laplace", q="0"), "malformed"),
        (*noise("discrete_laplace", q="1"), "malformed"),
        (*noise("discrete_laplace", q="1/5", n=1), "malformed"),
        (COUNT, dump(histogram(binomial(1, "1/3"), 2)), "false"),
        (COUNT, dump(histogram(binomial(1, "1/3"), 1)), "malformed"),
        (COUNT, dump(histogram(binomial(1, "1/3"), 0)), "malformed"),
        (COUNT, dump(correlated("7/20", binomial(1, "0"))), "true"),  # 13/20
        (COUNT, dump(correlated("8/25", binomial(1, "0"))), "false"),  # 17/25, above 2/3
        (COUNT, dump(correlated("7/20", binomial(1, "0"), buckets=2)), "true"),
        (COUNT, dump(correlated("1/3", binomial(1, "0"), buckets=1)), "malformed"),
        (COUNT, dump(correlated("0", binomial(1, "0"))), "malformed"),
        (COUNT, dump(correlated("1", binomial(1, "0"))), "malformed"),
        (COUNT, dump(correlated("1/3", discrete_laplace("1/3"))), "malformed"),
        (COUNT, dump(correlated("1/3", discrete_laplace("1/3"), buckets=2)), "malformed"),
        (COUNT, STRINGS, "false"),
        (COUNT, STRINGS.replace("1/4", "0"), "malformed"),
        (COUNT, STRINGS.replace("1/4", "50/99"), "malformed"),
        (COUNT, STRINGS.replace("1/4", "1/9"), "false"),  # 64/81 - 2/81
        (COUNT, STRINGS.replace("1/4", "1/6"), "true"),  # 25/36 - 2/36, below 2/3
        (COUNT, STRINGS.replace('"strings": 1', '"strings": 0'), "malformed"),
        (COUNT, STRINGS.replace('"strings": 1', '"strings": 1, "noise": ' + BINOMIAL), "malformed"),
    ],
    COLUMNS: [
        ('"7/16"', '"437499999999/1000000000000"', "false"),
        ('"7/16"', '"1"', "true"),
        ('"PROVED"', '"REFUTED"', "false"),
        ('"log(2)"', '"log(9)"', "false"),
        ('"lower": "0.4375"', '"lower": "0.43750000001"', "false"),
        ('"lower": "0.4375"', '"lower": "0"', "true"),
        ('"upper": "0.4375"', '"upper": "0.43749999999"', "false"),
        ('"upper": "0.4375"', '"upper": "2"', "true"),
        ('"columns": 3', '"columns": 2', "true"),
        ('"columns": 3', '"columns": 1', "malformed"),
        ('"columns": 3', '"columns": "3"', "malformed"),
        ('"users": 1', '"users": 2', "false"),  # one more user, on a third column, hides a little
        ('"users": 1', '"users": 0', "malformed"),
        ('"1/4"', '"1/2"', "false"),
        ('"1/4"', '"2/3"', "malformed"),
        ('"1/4"', '"0"', "malformed"),
        ("[0, 0]", "[0, 1]", "malformed"),
        ("[0, 0]", "[0]", "malformed"),
        ("[0, 0]", "[0, 0, 0]", "malformed"),
        ("[0, 0]", '["0", 0]', "malformed"),
        ("[0, 0]", "[0, -0]", "malformed"),
        (', "others": [0, 0]', "", "malformed"),
    ],
    BLANKET: [
        ('"3/16"', '"187499999999/1000000000000"', "false"),
        ('"3/16"', '"1"', "true"),
        ('"log(2)"', '"log(3)"', "true"),
        ('"log(2)"', '"log(199/100)"', "false"),
        ('"n": 2', '"n": 1', "false"),  # 1/4
        ('"n": 2', '"n": 3', "true"),
        ('"n": 2', '"n": 0', "malformed"),
        ('"n": 2', '"n": 1000000000000001', "malformed"),
        ('"shuffled"', '"local"', "malformed"),
        ('"shuffled"', '"preshuffle"', "malformed"),
        ('"PROVED"', '"REFUTED"', "malformed"),
        ('"step": "1"', '"step": "2/2"', "true"),
        ('"step": "1"', '"step": "7/5"', "true"),
        ('"step": "1"', '"step": "0"', "malformed"),
        ('"step": "1"', '"step": "0.5"', "malformed"),
        ('"step": "1"', '"step": 1', "malformed"),
        ('"step": "1", ', "", "malformed"),
        ('"cells": 2000', '"cells": 1', "true"),
        ('"cells": 2000', '"cells": 0', "malformed"),
        ('"cells": 2000', '"cells": 4294967296', "true"),
        ('"cells": 2000', '"cells": 4294967297', "malformed"),
        ('"cells": 2000', '"cells": "2000"', "malformed"),
        ('"tilt": "2"', '"tilt": "1000001/1000000"', "true"),
        ('"tilt": "2"', '"tilt": "1"', "malformed"),
        ('"tilt": "2"', '"tilt": "999/1000"', "malformed"),
        ('"tilt": "2"', '"tilt": "2", "window": "0"', "malformed"),
        ('{"blanket"', '{"Blanket"', "malformed"),
        ('"version": 2', '"version": 1', "malformed"),
        ('"3/4"', '"2/4"', "malformed"),
        ('{"send": ["b"], "p": "1/4"}', '{"send": ["c"], "p": "1/4"}', "false"),  # c(b) = 0: 1/4 more
    ],
    THRESHOLD: [
        ('"1/3"', '"3/8"', "false"),  # not strictly above
        ('"1/3"', '"374999999999/1000000000000"', "true"),
        ('"above": "1"', '"above": "0"', "false"),  # 15/16 - 13/16
        ('"above": "1"', '"above": "2"', "false"),
        ('"above": "1"', '"above": "-1"', "false"),
        ('"above": "1"', '"above": "01"', "malformed"),
        ('"above": "1"', '"above": "+1"', "malformed"),
        ('"above": "1"', '"above": "1.0"', "malformed"),
        ('"above": "1"', '"above": "2/2"', "malformed"),
        ('"above": "1"', '"above": 1', "malformed"),
        ('"above": "1"', '"above": ""', "malformed"),
        ('"above": "1"', '"above": "-"', "malformed"),
        ('"above": "1"', '"above": "1\n"', "malformed"),
        ('"above": "1"', '"above": "１"', "malformed"),
        ('"above": "1"', '"above": "' + "1" * 1000 + '"', "false"),
        ('"above": "1"', '"above": "' + "1" * 1001 + '"', "malformed"),
        ('"above": "1"', '"above": "-01"', "malformed"),
        ('"above": "1"', '"above": "-' + "1" * 1000 + '"', "false"),
        ('"above": "1"', '"above": "-' + "1" * 1001 + '"', "malformed"),
        ('"above": "1"', '"above": "--1"', "malformed"),
        ('{"a": "1"}, "above": "1"', '{"b": "-1"}, "above": "-1"', "true"),
        ('{"a": "1"}, "above": "1"', '{"a": "1", "b": "-0"}, "above": "1"', "true"),
        ('{"a": "1"}, "above": "1"', '{"a": "5", "b": "-7"}, "above": "9"', "true"),
        ('{"a": "1"}, "above": "1"', '{"a": "-5", "b": "7"}, "above": "9"', "false"),
        ('{"a": "1"}, "above": "1"', '{"a": "' + "9" * 1000 + '"}, "above": "' + "9" * 1000 + '"', "true"),
        ('{"a": "1"}, "above": "1"', '{}, "above": "-1"', "false"),
        ('{"a": "1"}', '{"a": "1", "c": "1"}', "malformed"),
        ('{"a": "1"}', '{"a": "1", "0": "1"}', "malformed"),
        ('{"a": "1"}', '{"a": "1", "a": "1"}', "malformed"),
        ('{"a": "1"}', '{"a": 1}', "malformed"),
        ('{"a": "1"}', '["a"]', "malformed"),
        ('{"a": "1"}', "null", "malformed"),
        ('{"0": 1}', '{"1": 1}', "false"),
        ('{"0": 1}', '{"0": 2}', "malformed"),
        ('{"0": 1}', "{}", "malformed"),
        (', "others": {"0": 1}', "", "malformed"),
        ('"from": "0", "to": "1"', '"from": "1", "to": "0"', "false"),
        ('"from": "0"', '"from": "1"', "malformed"),
        ('"threshold": {', '"event": [], "threshold": {', "malformed"),
        ('"threshold": {"weights": {"a": "1"}, "above": "1"}', '"event": [{"a": 2}]', "malformed"),
        ('"REFUTED"', '"PROVED"', "malformed"),
        ('"shuffled"', '"preshuffle"', "malformed"),
        ('"n": 2', '"n": 3', "malformed"),
    ],
}


@pytest.mark.parametrize("text", EDITS, ids=["mechanism", "columns", "blanket", "threshold"])
def test_verdicts_by_hand(text):
    assert judge(text.encode()) == "true" and agree("true", kernel(text.encode()))
    for old, new, verdict in EDITS[text]:
        changed = text.replace(old, new, 1).encode()
        assert old in text, old
        assert judge(changed) == verdict and agree(verdict, kernel(changed)), (old, new[:80], verdicts(changed))


def test_one_input_and_many_users():
    """A claim about one input says nothing; one about 10^15 users is of the form, and too big for the judge."""
    tree = json.loads(BLANKET)
    tree["claim"]["n"] = 10**15
    assert judge(dump(tree).encode()) == "too big" and kernel(dump(tree).encode()) in OPEN
    tree["claim"]["randomizer"]["rows"].pop()
    tree["claim"] |= {"delta": "0", "eps": "0"}
    assert judge(dump(tree).encode()) == "true" and agree("true", kernel(dump(tree).encode()))
    tree = json.loads(THRESHOLD)
    tree["claim"]["n"], tree["evidence"]["pair"]["others"] = 10**15, {"0": 10**15 - 2, "1": 1}
    assert judge(dump(tree).encode()) == "too big" and kernel(dump(tree).encode()) in OPEN
