"""How many damaged kernels the kernel's tests notice: a sample always, all of them in the long run."""

import ast

import pytest

from tests.kernel_mutants import HERE, SOURCE, load, mutants, noticed, survivors

STEP, OFFSET = 57, 5


def test_the_sound_kernel_passes() -> None:
    assert noticed(load(ast.parse(SOURCE.read_text()))) is None


def test_a_sample_is_noticed() -> None:
    source = SOURCE.read_text()
    sample = mutants(source)[OFFSET::STEP]
    assert len(sample) >= 50
    alive = survivors(sample, source)
    assert 100 * len(alive) <= 5 * len(sample), alive


@pytest.mark.long
def test_all_are_noticed_or_explained() -> None:
    source = SOURCE.read_text()
    every = mutants(source)
    alive = survivors(every, source)
    assert 100 * len(alive) <= 5 * len(every), alive
    explained = (HERE / "KERNEL_SURVIVORS.md").read_text()
    missing = [mutant for mutant in alive if source.splitlines()[mutant.line - 1].strip() not in explained]
    assert not missing
