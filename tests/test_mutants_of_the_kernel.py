"""Of damaged kernels (`python -m tests.mutants_of_the_kernel`) most are noticed by certificates near truths."""

from tests.mutants_of_the_kernel import Run


def test_most_of_a_few_damaged_kernels_are_noticed():
    fates = [fate for _, fate in Run(60).fates(320, 150)]
    assert len(fates) >= 7 and 2 * fates.count("noticed") > len(fates)
