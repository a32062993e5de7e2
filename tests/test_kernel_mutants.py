"""How many damaged kernels the kernel's tests notice: a sample always, all of them in the long run."""

import ast

import pytest

from tests.kernel_mutants import SOURCE, Mutant, load, mutants, noticed, survivors

STEP, OFFSET = 900, 5


def test_the_sound_kernel_passes() -> None:
    assert noticed(load(ast.parse(SOURCE.read_text()))) is None


@pytest.mark.long
def test_a_sample_is_noticed() -> None:
    """At most half of a few survive; all of them are run by hand."""
    source = SOURCE.read_text()
    sample: list[Mutant] = mutants(source)[OFFSET::STEP]
    assert len(sample) >= 3 and 2 * len(survivors(sample, source)) <= len(sample)
