"""Of damaged kernels (`python -m tests.mutants_of_the_kernel`) half are noticed by certificates near truths.

That is where it stands, not where it should: 95 of 100 is the aim, and what is left alive by a whole run wants
certificates of its own.
"""

from tests.mutants_of_the_kernel import Run


def test_half_of_a_few_damaged_kernels_are_noticed():
    fates = [fate for _, fate in Run().fates(320, 150)]
    assert len(fates) >= 7 and 2 * fates.count("noticed") >= len(fates)
