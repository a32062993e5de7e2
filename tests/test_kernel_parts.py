"""Every part of the kernel at widths of a few bits, and its words: tests/kernel_parts.py, tests/kernel_words.py."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel_parts import PARTS
from tests.kernel_words import WORDS
from verify import kernel


@pytest.mark.parametrize("part", [*PARTS, *WORDS], ids=[part.__name__ for part in [*PARTS, *WORDS]])
def test_part(part: Callable[[Any], None]) -> None:
    part(kernel)
