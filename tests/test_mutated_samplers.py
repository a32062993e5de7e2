"""Right samplers of the corpus, changed into the shapes that once got a false law: refused, or exactly the same law.

Each change keeps the law of a call in a fresh process where it is not chance or state itself, so what is followed must
be the law that was followed before the change; it is never another one.
"""

import functools
import os
import random
import secrets
import time
from types import FunctionType

import numpy as np
import pytest

from tests.corpus import SAMPLES
from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.errors import BadInput

SMALL = 200  # paths
OF_ELSEWHERE = {
    "secrets.randbelow": lambda: secrets.randbelow(2),
    "os.urandom": lambda: os.urandom(1)[0] & 1,
    "numpy.random.default_rng without a whole number": lambda: int(np.random.default_rng().integers(2)),
    "time.time_ns": lambda: time.time_ns() & 1,
    "random.randrange": lambda: random.randrange(2),
}


def swallowing(f):
    def changed(x, rng):
        try:  # noqa: SIM105
            rng.laplace(0, 1)
        except Exception:
            pass
        return f(x, rng)

    return changed


def swallowed_at_the_end(f):
    def changed(x, rng):
        try:
            return f(x, rng)
        except BaseException:
            return 0

    return changed


def with_a_memo(f):
    memo = {}

    def changed(x, rng):
        if x not in memo:
            memo[x] = f(x, rng)
        return memo[x]

    return changed


def counted_in_a_closure(f):
    calls = 0

    def changed(x, rng):
        nonlocal calls
        calls += 1
        return x if calls % 50 == 0 else f(x, rng)

    return changed


def counted_in_a_default(f):
    def changed(x, rng, calls=[0]):  # noqa: B006
        calls[0] += 1
        return x if calls[0] % 50 == 0 else f(x, rng)

    return changed


def counted_on_an_attribute(f):
    class Client:
        calls = 0

        def changed(self, x, rng):
            self.calls += 1
            return x if self.calls % 50 == 0 else f(x, rng)

    return Client().changed


def remembered(f):
    return functools.lru_cache(None)(lambda x, rng: f(x, rng))


def restored(f):
    held = [0]

    def changed(x, rng):
        held.append(1)
        made = f(x, rng)
        held.pop()
        return made

    return changed


def hidden(draw):
    def change(f):
        def changed(x, rng):
            if rng.random() < 0.01 and draw():
                return x
            return f(x, rng)

        return changed

    return change


def untouched(f):
    """Of the same law, in another frame: this one is to be followed."""

    def changed(x, rng):
        return f(x, rng)

    return changed


SAME = (swallowing, swallowed_at_the_end, restored, untouched)
REFUSED = {  # and what is said of it: a call is refused for what it does, so one walk of each shows as much as many
    with_a_memo: "changes a dict that outlives the call",
    counted_in_a_closure: "changes a variable of an enclosing function",
    counted_in_a_default: "changes a list that outlives the call",
    counted_on_an_attribute: "changes the state of a Client",
    remembered: "in a cache: expected all randomness from rng",
} | {hidden(draw): f"uses {name}" for name, draw in OF_ELSEWHERE.items()}


def law(function, sample):
    found = enumerate_sampler(function, sample.inputs, residual=sample.residual, max_paths=SMALL)
    return found if not any(found.residual.values()) else None


def plain(count):
    """Right ones that have few paths."""
    listed = [s for s in SAMPLES if s.right and type(s.function) is FunctionType]
    random.Random(7).shuffle(listed)
    few = []
    for sample in listed:
        try:
            found = law(sample.function, sample)
        except BadInput:
            continue
        if found is not None and max(found.paths.values()) <= SMALL:
            few.append((sample, found.laws))
        if len(few) == count:
            break
    return few


def judge(samples):
    followed = 0
    for sample, laws in samples:
        for change in SAME:
            try:
                found = law(change(sample.function), sample)
            except BadInput:
                assert change is not untouched
                continue
            assert found is None or found.laws == laws, (sample.name, change.__name__)
            followed += found is not None
        for change, said in REFUSED.items():
            with pytest.raises(BadInput) as caught:
                law(change(sample.function), sample)
            assert said in str(caught.value), (sample.name, said)
            assert "\n" not in str(caught.value), (sample.name, said)
    return followed


def test_changed_samplers():
    samples = plain(3)
    assert judge(samples) >= len(samples) == 3


@pytest.mark.long
def test_many_changed_samplers():
    samples = plain(100)
    assert judge(samples) >= len(samples) > 20
