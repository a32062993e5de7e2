"""Changes of a sampler: those that keep its law, and those after which it is none of x and rng alone."""

import functools
import os
import random
import secrets
import time

import numpy as np

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
REFUSED = (
    with_a_memo,
    counted_in_a_closure,
    counted_in_a_default,
    counted_on_an_attribute,
    remembered,
    *(hidden(draw) for draw in OF_ELSEWHERE.values()),
)
