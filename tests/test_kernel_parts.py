"""The kernel's parts and files at a few bits, and its words: tests/kernel_parts.py, kernel_files, kernel_words."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel_blocks import BLOCKS
from tests.kernel_files import FILES
from tests.kernel_parts import PARTS
from tests.kernel_words import WORDS
from verify import kernel

TESTS = [*PARTS, *FILES, *BLOCKS, *WORDS]


@pytest.mark.parametrize("part", TESTS, ids=[part.__name__ for part in TESTS])
def test_part(part: Callable[[Any], None]) -> None:
    part(kernel)
