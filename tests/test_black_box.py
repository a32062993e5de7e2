"""Audits of black boxes: bounds recomputed from the seed, leaks found, honest boxes left alone, bad ones ended.

Everything is seeded: a test that passes once passes always.
"""

import json
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from fractions import Fraction as F
from itertools import chain
from math import log

import pytest
from scipy.stats import binomtest

from shufflecert.verify.answers.boxed import BlackBox, to_json
from shufflecert.verify.audit.black_box import estimate
from shufflecert.verify.audit.black_box.estimate import audit
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle


def respond(x, rng):
    """Binary randomized response with eps = log(3)."""
    return x if rng.random() < 0.75 else 1 - x


def two_messages(x, rng):
    return (respond(x, rng), rng.choice("ab"))


def leaky(x, rng):
    """Like `respond`, but 1 is sent in clear now and then."""
    return "secret" if x == 1 and rng.random() < 0.01 else respond(x, rng)


def quick(sampler, inputs=(0, 1), **given):
    return audit(sampler, inputs, **{"samples": 4000, "confidence": "0.999", "seed": 5, **given})


def test_bounds_recomputed_from_the_seed():
    """The second half alone, run again by hand; scipy's exact intervals, (1 - confidence) / 4 on each side."""
    found = quick(respond, eps="1/2", delta="1/100")
    rng = random.Random(5)
    runs = [[respond(x, rng) for x in (0, 1)] for _ in range(4000)]
    counts = [Counter(str(run[x]) for run in runs[2000:]) for x in (0, 1)]
    for event in (found.by_delta, found.by_eps):
        (y,) = chain.from_iterable(event.outputs)
        hits = tuple(counts[int(x)][y] for x in (event.source, event.target))
        assert event.hits == hits and event.of == 2000
        p, q = (binomtest(k, 2000).proportion_ci(1 - 0.001 / 2, "exact") for k in hits)
        assert float(event.low) == pytest.approx(p.low, rel=1e-9)
        assert float(event.high) == pytest.approx(q.high, rel=1e-9)
    low, high = float(found.by_eps.low), float(found.by_eps.high)
    assert float(found.delta_lower) == pytest.approx(low - 1.6487212707001282 * high, rel=1e-9)
    assert log(found.eps_lower.power) == pytest.approx(log((low - 0.01) / high), rel=1e-9)
    assert found.contradicted


def test_an_honest_sampler_is_left_alone():
    """At confidence 0.999 each of 8 audits may contradict with probability 0.001; these seeds do not."""
    found = [quick(respond, eps="log(3)", seed=seed, samples=1000) for seed in range(8)]
    assert not any(one.contradicted for one in found)
    assert all(one.eps_lower < Eps.log(F(3)) for one in found)
    assert all(one.eps_lower > Eps.of("0.5") for one in found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(3)
def test_a_leak_is_found(seed):
    """Pr[secret | 1] = 0.01 against 0: with 10^4 measured runs 100 +- 10 hits, and 32 are enough."""
    found = audit(leaky, (0, 1), samples=20_000, confidence="0.999", eps="log(3)", seed=seed)
    assert found.contradicted
    assert ("secret",) in found.by_delta.outputs and (found.by_delta.source, found.by_delta.target) == ("1", "0")
    assert found.detectable.leak < F(1, 100)


def test_the_event_is_not_measured_where_it_was_chosen():
    """200 outputs, no leak: an event chosen by luck holds 0.7 to 0.3 in its own half, and its luck ends there.

    Each audit contradicts with probability at most 0.1, all 20 are independent: 12 or more do with one below 1e-7.
    """

    def uniform(x, rng):
        return rng.randrange(200)

    found = [quick(uniform, samples=400, confidence="0.9", eps=0, seed=seed) for seed in range(20)]
    assert sum(one.contradicted for one in found) < 12
    assert all(len(one.by_delta.outputs) > 1 for one in found)


def test_every_ordered_pair_is_looked_at():
    def odd(x, rng):
        return 1 if x == 2 and rng.random() < 0.2 else 0

    found = quick(odd, inputs=(0, 1, 2, 3), delta="0", eps=3)
    assert found.contradicted and found.by_delta.source == "2" and found.by_delta.outputs == (("1",),)


def iter_of(text):
    yield from text


def test_messages_in_order_or_shuffled():
    views = [oracle.multiset_law(oracle.rr(F(1, 4)), (x, "0", "0")) for x in "01"]
    exact = oracle.hockey_stick(*views, 1)
    found = quick(respond, n=3, samples=20_000)
    assert found.outputs == 4 and all(y in views[0] for y in found.by_delta.outputs)
    assert exact - F(1, 20) < found.delta_lower < exact
    others = quick(respond, n=3, others=1)
    views = [oracle.multiset_law(oracle.rr(F(1, 4)), (x, "1", "1")) for x in "01"]
    assert F(0) < others.delta_lower < oracle.hockey_stick(*views, 1)
    assert quick(two_messages).outputs == 4
    assert quick(lambda x, rng: iter_of(rng.choice(["ab", "ba"]))).outputs == 2
    assert quick(lambda x, rng: iter_of(rng.choice(["ab", "ba"])), n=1).outputs == 1
    assert quick(lambda x, rng: iter_of("")).by_delta.outputs == ((),)


def test_the_answer_in_json_and_words():
    found = quick(leaky, eps="log(3)", delta="1e-9", samples=20_000)
    tree = json.loads(json.dumps(to_json(found)))
    assert tree["verdict"] == "contradicted" and tree["claim"] == {"eps": "log(3)", "delta": "1/1000000000"}
    assert F(tree["delta"][0]["lower"]) <= found.delta_lower < F(tree["delta"][0]["lower"]) + F(1, 10**20)
    shown = tree["delta"][0]["shown_by"]
    assert (shown["from"], shown["to"], shown["event"]) == ("1", "0", [["secret"]])
    assert F(shown["probability"]["from"]["lower"]) <= found.by_delta.low
    assert F(shown["probability"]["to"]["upper"]) >= found.by_delta.high
    assert "not a certificate" in BlackBox(tree).words() and "REFUTED" not in BlackBox(tree).words()
    honest = to_json(quick(respond, eps=2))
    assert honest["verdict"] == "not contradicted" and "not finding is not proving" in BlackBox(honest).words()
    assert to_json(quick(respond))["verdict"] is None
    assert "nothing, however large" in BlackBox(to_json(quick(respond, samples=4))).words()


def test_the_same_seed_the_same_answer():
    assert quick(respond) == quick(respond)
    assert quick(respond, seed=6) != quick(respond)
    unseeded = quick(respond, seed=None)
    assert quick(respond, seed=unseeded.seed) == unseeded


def test_progress():
    seen = []

    def progress(items, total):
        for i, item in enumerate(items):
            seen.append((i, total))
            yield item

    assert quick(respond, progress=progress) == quick(respond)
    assert [i for i, _ in seen] == list(range(seen[0][1])) and len(seen) >= 100


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"samples": 1}, "samples"),
        ({"samples": "many"}, "samples"),
        ({"confidence": "1"}, "confidence"),
        ({"confidence": 0.99}, "confidence: .* float"),
        ({"eps": "-1"}, "eps"),
        ({"delta": "2"}, "delta"),
        ({"n": 0}, "n: "),
        ({"seed": -1}, "seed"),
        ({"seconds": 0}, "seconds"),
        ({"power": "1"}, "power"),
        ({"inputs": (0,)}, "inputs: 0: expected from 2"),
        ({"inputs": (0, "0")}, "inputs: 0, 0: .* each once"),
        ({"inputs": (0, 1.5)}, "inputs: 1.5 is not a label"),
        ({"others": ""}, "others"),
    ],
)
def test_bad_questions(given, reason):
    with pytest.raises(BadInput, match=reason):
        quick(respond, **given)
    with pytest.raises(TooMuchWork, match="runs in all"):
        quick(respond, samples=10**8, n=100)


def raises(x, rng):
    raise ZeroDivisionError("by nothing")


def hangs(x, rng):
    while True:
        with suppress(Exception):
            time.sleep(0.01)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raises, "run 1, on input 0: raised ZeroDivisionError: by nothing"),
        (lambda x, rng: sys.exit(3), "raised SystemExit"),
        (lambda x, rng: rng.random(), "sends a float"),
        (lambda x: x, "cannot be called with an input and a source"),
        (None, "cannot be called"),
        (hangs, "run 1, on input 0: no answer within 1 seconds"),
    ],
)
def test_bad_functions(function, reason):
    with pytest.raises(BadInput, match=reason):
        quick(function, seconds=1 if "within 1" in reason else 300)


def test_too_many_outputs(monkeypatch):
    monkeypatch.setattr(estimate, "MOST_OUTPUTS", 100)
    with pytest.raises(BadInput, match="run 51: over 100 different outputs"):
        quick(lambda x, rng: rng.getrandbits(62))
    monkeypatch.setattr(estimate, "MOST_HELD", 1000)
    with pytest.raises(BadInput, match="characters: expected"):
        quick(lambda x, rng: str(rng.getrandbits(62)) * 10)
