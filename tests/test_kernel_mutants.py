"""How many damaged kernels the kernel's tests notice: a sample always, all of them in the long run."""

import ast

import pytest

from tests.kernel_damage import SOURCE
from tests.kernel_mutants import Run, load, noticed

STEP, OFFSET = 450, 5


def test_the_sound_kernel_passes() -> None:
    assert noticed(load(ast.parse(SOURCE.read_text()))) is None


@pytest.mark.long
def test_a_sample_is_noticed() -> None:
    """At most half of a few survive; all of them are run by hand."""
    run = Run(SOURCE.read_text())
    sample = range(len(run.mutants))[OFFSET::STEP]
    fates = [fate for _, fate in run.fates(sample)]
    assert len(sample) >= 6 and 2 * fates.count("alive") <= len(sample)
