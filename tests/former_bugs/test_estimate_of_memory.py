"""Two inputs over 1024 messages at n = 2 were let through: few coefficients, but gigabytes of exponents at a time."""

import pytest

from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer


def test_memory_counts_as_work():
    rows = {x: {str(m): "1/1024" for m in range(1024)} for x in (0, 1)}
    rows[1] = {**rows[1], "0": "1/2048", "1": "3/2048"}
    with pytest.raises(TooMuchWork, match="MiB at a time"):
        neighbourhood(Randomizer.of(rows), 2)
