"""Every part of the kernel at widths of 3 to 12 bits: tests/kernel_parts.py says what is compared with what."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel_parts import PARTS
from verify import kernel


@pytest.mark.parametrize("part", PARTS, ids=[part.__name__ for part in PARTS])
def test_part(part: Callable[[Any], None]) -> None:
    part(kernel)
