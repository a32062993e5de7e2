"""Of damaged kernels (`python -m tests.mutants_of_the_kernel`) most are noticed by certificates near truths."""

import pytest

from tests.mutants_of_the_kernel import Run


@pytest.mark.long
def test_four_of_five_damaged_kernels_are_noticed():
    """Of a random sample of 185 (`12 5`) eight were in functions of HARMLESS, 148 noticed, 29 alive: read one by one,
    23 of these accept nothing more (work, order, room, what is refused); for the other six there are certificates."""
    fates = [fate for _, fate in Run().fates(60, 7)]
    assert fates.count("noticed") >= 20 and 5 * fates.count("alive") <= fates.count("noticed")
