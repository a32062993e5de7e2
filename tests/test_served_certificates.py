"""Certificates of version 6: releases of servers, who comes or goes, and sampled messages; the kernel and the judge.

Expected values: the judge's laws (tests/judge_served.py), outcome by outcome in Fractions.
"""

import json
import random
from fractions import Fraction

import pytest

from tests import judge_served
from tests.judge import exp_bounds, judge
from tests.scale_seeds import binomial, negative_binomial, poisson
from verify import kernel

F = Fraction
AGREE = {"true": ("accepted",), "false": ("rejected",), "malformed": ("malformed",)}


def release(noise, sensitivity=1, bits=0, modulo=0, wrap=0):
    seen = {"view": "release", "noise": noise, "sensitivity": sensitivity}
    return seen | {"bits": bits, "wrap": wrap, "modulo": modulo}


def laplace(q, bound):
    return {"law": "truncated_discrete_laplace", "q": q, "bound": bound}


def gaussian(variance):
    return {"law": "discrete_gaussian", "variance": variance}


def coins(n, p="1/2"):
    return binomial(n, p)


def comes(present, absent, sensitivity=1):
    return {"view": "presence", "present": present, "absent": absent, "sensitivity": sensitivity}


def tree(seen, eps, delta, verdict, lower="0", upper="1", adjacency="replace"):
    """A certificate."""
    claim = {"mechanism": seen, "adjacency": adjacency, "datasets": "all", "eps": eps, "delta": str(delta)}
    top = {"format": "shufflecert certificate", "version": 6, "claim": claim}
    return {**top, "verdict": verdict, "evidence": {"delta": {"lower": lower, "upper": upper}}}


def status(made, **allowed):
    return kernel.check(json.dumps(made).encode(), **allowed).status


def judged(made):
    return judge(json.dumps(made).encode())


def largest(seen, t, adjacency):
    """The largest delta at e^eps = t, to a hair, from the judge's laws."""
    top = json.loads(json.dumps(tree(seen, "0", 0, "PROVED", adjacency=adjacency)), parse_int=judge_number)
    stated = judge_served.parse(top)
    return max(judge_served.stick(P, Q, t, t)[0] for P, Q in stated.pairs())


def judge_number(text):
    from tests.judge import Number

    return Number(text)


def written(value, places, up):
    """A DECIMAL on this side of the value."""
    whole = -(-value.numerator * 10**places // value.denominator) if up else value * 10**places // 1
    return f"{whole}e-{places}"


SMALL = [
    (release(laplace("1/2", 4), 2), "replace", "3/2"),
    (release(laplace("9/10", 3), 3), "add-remove", "5/4"),
    (release(laplace("1/2", 20), 1, 32, 2**32), "replace", "2"),
    (release(laplace("1/2", 20), 1, 32, 2**32 - 1), "replace", "11/4"),
    (release(laplace("2/3", 9), 3, 3, 7), "add-remove", "3/2"),
    (release(laplace("2/3", 9), 2, 3, 8, 7), "replace", "3/2"),
    (release(laplace("1/2", 20), 1, 32, 2**32, 2**32 - 1), "replace", "100"),
    (release(laplace("1/2", 5), 1, 0, 0, 4), "replace", "3"),
    (release(laplace("2/3", 9), 2, 4), "replace", "3/2"),
    (release({"law": "discrete_laplace", "q": "1/3"}, 1, 0, 5), "replace", "2"),
    (release({"law": "discrete_laplace", "q": "1/3"}, 1, 8), "replace", "4"),
    (release(gaussian("4"), 2), "replace", "3/2"),
    (release(gaussian("1/20"), 1), "replace", "3"),
    (release(gaussian("9/2"), 2, 3, 8), "add-remove", "6/5"),
    (release(coins(9), 2, 2, 5), "replace", "2"),
    (release(coins(330), 1, 3, 0), "replace", "1"),
    (release(poisson("3"), 2, 0, 6), "replace", "9/8"),
    (comes(poisson("5"), poisson("9/2"), 2), "add-remove", "3/2"),
    (comes(poisson("5"), coins(1, "0")), "add-remove", "2"),
    (comes(negative_binomial("3/2", "1/2"), negative_binomial("1", "1/2")), "add-remove", "2"),
    (comes(negative_binomial("1/2", "2/3"), negative_binomial("1/3", "2/3"), 0), "add-remove", "1"),
    ({"view": "sampled", "keep": "1/2", "noise": coins(6)}, "replace", "3/2"),
    ({"view": "sampled", "keep": "1", "noise": coins(5)}, "replace", "3"),
    ({"view": "sampled", "keep": "1/3", "noise": negative_binomial("1", "1/5")}, "replace", "5/4"),
    ({"view": "sampled", "keep": "2/3", "noise": coins(1, "0")}, "replace", "2"),
]


@pytest.mark.parametrize(("seen", "adjacency", "t"), SMALL)
def test_hairs_around_the_largest(seen, adjacency, t):
    """Next to the true value on both sides, in every number: accepted just where it is true."""
    exact, hair = largest(seen, F(t), adjacency), F(1, 10**20)
    low, high = written(max(exact - hair, F(0)), 40, False), written(exact + hair, 40, True)
    for verdict, delta, want in (
        ("PROVED", exact + hair, "accepted"),
        ("PROVED", exact - hair, "rejected"),
        ("REFUTED", exact + hair, "rejected"),
        ("REFUTED", exact - hair, "accepted"),
    ):
        if 0 <= delta <= 1:
            made = tree(seen, f"log({t})", delta, verdict, low, high, adjacency)
            assert status(made) == want and status(made) in AGREE[judged(made)], (verdict, delta > exact)
    assert status(tree(seen, f"log({t})", 1, "PROVED", high, "1", adjacency)) == "rejected"
    if exact > hair:
        assert status(tree(seen, f"log({t})", 1, "PROVED", "0", low, adjacency)) == "rejected"


def test_a_whole_release_is_told_apart():
    """delta = 1, where two releases never agree, and delta = 0 at eps = 0 of what is always the same number."""
    apart = release(laplace("1/2", 1), 9)
    assert [status(tree(apart, "3", 1, "PROVED")), status(tree(apart, "3", "99/100", "REFUTED"))] == ["accepted"] * 2
    assert judged(tree(apart, "3", "99/100", "REFUTED")) == "true"
    assert status(tree(release(coins(9), 3, 0, 1), "0", 0, "PROVED", "0", "0")) == "accepted"


def test_next_to_no_variance_is_not_looked_at():
    assert status(tree(release(gaussian("1/20001")), "1", "1/2", "REFUTED")) == "undecided"
    assert status(tree(release(gaussian("1/20000")), "1", "1/2", "REFUTED")) == "accepted"


def random_claims(rng, count):
    """Certificates of random numbers near the truth, or not."""
    noises = [
        lambda: laplace(f"{rng.randint(1, 9)}/10", rng.randint(1, 8)),
        lambda: gaussian(f"{rng.randint(1, 30)}/{rng.randint(1, 9)}"),
        lambda: coins(rng.randint(1, 12), f"{rng.randint(0, 5)}/5"),
        lambda: poisson(f"{rng.randint(1, 12)}/{rng.randint(1, 4)}"),
        lambda: negative_binomial(f"{rng.randint(1, 6)}/{rng.randint(1, 3)}", f"{rng.randint(1, 3)}/5"),
        lambda: {"law": "discrete_laplace", "q": f"{rng.randint(1, 6)}/10"},
    ]
    for _ in range(count):
        law, view, adjacency = rng.choice(noises), rng.choice(("release", "release", "presence", "sampled")), "replace"
        if view == "release":
            seen = release(law(), rng.randint(0, 3), rng.choice((0, 0, 2, 5)), rng.choice((0, 0, 1, 3, 8, 31)))
            seen["wrap"] = rng.choice((0, 0, 3, 31))
            adjacency = rng.choice(("replace", "add-remove"))
        elif view == "presence":
            seen, adjacency = comes(law(), law(), rng.randint(0, 2)), "add-remove"
        else:
            law = rng.choice((noises[0], noises[2]))
            seen = {"view": "sampled", "keep": f"{rng.randint(1, 4)}/4", "noise": law()}
        eps = rng.choice(("0", "1/10", "1/2", "1", "log(3/2)", "log(4)"))
        t = F(eps[4:-1]) if eps[0] == "l" else exp_bounds(F(eps), 64)[0] if eps != "0" else F(1)
        near = largest(seen, t, adjacency)
        more = F(rng.randint(0, 1) or near < F(1, 10**9), 10**9)
        delta = near * F(rng.choice((0, 50, 97, 99, 101, 103, 150)), 100) + more
        lower = written(near * F(rng.choice((0, 90, 99, 99, 101)), 100), 20, False)
        upper = written(near * F(rng.choice((99, 101, 101, 150, 400)), 100) + F(1, 10**15), 20, True)
        yield tree(seen, eps, min(delta, F(1)), rng.choice(("PROVED", "REFUTED")), lower, upper, adjacency)


def agrees(made, **allowed):
    """The kernel's status, which is never the opposite of the judge's."""
    found, true = status(made, **allowed), judged(made)
    assert found in AGREE.get(true, ()) or found == "undecided" or true in ("undecided", "too big"), (made, found, true)
    return found


def test_random_claims():
    found = [agrees(made) for made in random_claims(random.Random(7), 100)]
    assert min(found.count(word) for word in ("accepted", "rejected")) >= 20 and found.count("undecided") <= 10


@pytest.mark.long
def test_thousands_of_random_claims():
    assert len([agrees(made) for made in random_claims(random.Random(71), 4000)]) == 4000


def test_few_bits_decide_nothing_wrong():
    made = [*random_claims(random.Random(8), 30)]
    found = [agrees(one, max_bits=bits, spare=spare) for one in made for bits, spare in ((3, 0), (8, 1), (20, 8))]
    assert {"undecided", "accepted", "rejected"} == set(found)


def mutants():
    """True certificates, and these with one number or word changed."""
    for seen, adjacency, t in (
        (release(laplace("1/2", 4), 2, 3, 7), "replace", "3/2"),
        (comes(poisson("5"), poisson("9/2"), 1), "add-remove", "3/2"),
        ({"view": "sampled", "keep": "1/2", "noise": coins(6)}, "replace", "3/2"),
    ):
        exact = largest(seen, F(t), adjacency)
        delta, hair = exact + F(1, 10**7), F(1, 10**12)
        ends = written(exact - hair, 12, False), written(exact + hair, 12, True)
        good = tree(seen, f"log({t})", delta, "PROVED", *ends, adjacency)
        yield good
        for place, values in {
            ("claim", "mechanism", "sensitivity"): [0, 1, 3, "2", 10**6 + 1],
            ("claim", "mechanism", "bits"): [0, 2, 4, 257, "3"],
            ("claim", "mechanism", "wrap"): [7, 5, 2**256 + 1, "0"],
            ("claim", "mechanism", "modulo"): [0, 8, 6, 2**256 + 1, 2**256],
            ("claim", "mechanism", "keep"): ["1", "1/3", "0", "5/4"],
            ("claim", "mechanism", "view"): ["release", "presence", "sampled", "count"],
            ("claim", "mechanism", "noise", "q"): ["1/3", "0", "1", "501/1000"],
            ("claim", "mechanism", "noise", "bound"): [3, 5, 0],
            ("claim", "mechanism", "noise", "n"): [5, 7],
            ("claim", "mechanism", "noise", "law"): ["binomial", "discrete_laplace", "gaussian"],
            ("claim", "mechanism", "present", "lam"): ["4", "51/10", "0"],
            ("claim", "mechanism", "absent", "lam"): ["4", "46/10"],
            ("claim", "adjacency"): ["replace", "add-remove", "deletion"],
            ("claim", "datasets"): ["some"],
            ("claim", "eps"): ["log(7/5)", "log(8/5)", "0", "10001"],
            ("claim", "delta"): [str(exact * F(99, 100)), "0", "1", "3/2"],
            ("verdict",): ["REFUTED", "UNDECIDED"],
            ("version",): [1, 2, 3, 4, 5, 7],
            ("evidence", "delta", "lower"): [written(exact * F(101, 100), 12, True), "1", "-1"],
            ("evidence", "delta", "upper"): [written(exact * F(99, 100), 12, False), "0", "2"],
            ("evidence", "others"): [[0, 0]],
        }.items():
            for value in values:
                one = json.loads(json.dumps(good))
                at = one
                for key in place[:-1]:
                    at = at.get(key, {})
                at[place[-1]] = value
                yield one


def test_one_number_changed():
    """What the kernel then says is what the judge says."""
    found = [(agrees(made), judged(made)) for made in mutants()]
    assert found[0] == ("accepted", "true")
    assert min(sum(word == status for status, _ in found) for word in ("accepted", "rejected", "malformed")) >= 12
