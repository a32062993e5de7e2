"""After files had moved into rooms no paths were merged: frames of ours were known by the old place, as text.

By construction: `secrets` is used in this file; 20 coins that are summed have 21 * 20 / 2 + 1 states or so, not
2^20 paths.
"""

import secrets
from pathlib import Path

import pytest

from shufflecert.verify.errors import BadInput
from tests.sampler_laws import enumerate_several as enumerate_sampler


def hidden(x, rng):
    return x if rng.random() < 0.5 and secrets.randbelow(2) else 0


def test_the_line_is_the_functions():
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(hidden, [0, 1], strict=True)
    assert f"{Path(__file__).name}:" in str(caught.value)


def test_paths_meet():
    def coins(x, rng):
        total = x
        for _ in range(20):
            total += rng.randrange(2)
        return total

    assert sum(enumerate_sampler(coins, [0]).paths.values()) < 1000
