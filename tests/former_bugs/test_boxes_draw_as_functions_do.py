"""`--black-box` on a function had no laplace, normal or random(3), took no --legacy and no f.inputs; pipes stayed open.

A walk refuses continuous draws and names --black-box, so there they have to be: the deltas here are closed forms.
"""

import shutil

import pytest

from tests.helpers import asked

FUNCTIONS = """
def noisy(x, rng):
    return int(x + rng.laplace(0, 1) > 0.5), int(rng.normal() > 0), int(rng.random(3)[0] > 0.5)

def old(x, rng):
    return x if rng.randint(0, 4) else 1 - x

noisy.inputs = old.inputs = (0, 1)
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "s.py").write_text(FUNCTIONS)
    return tmp_path / "s.py"


def measured(capsys, *arguments):
    """The lower end of delta(0)."""
    answer = asked(capsys, "audit", "--black-box", *arguments, "--seed", 1)
    assert answer["inputs"] == ["0", "1"]
    return float(answer["delta"][0]["lower"])


def test_continuous_draws_and_inputs_of_the_function(capsys, file):
    """1 + Laplace(1) > 1/2 with probability 1 - e^(-1/2)/2, Laplace(1) > 1/2 with e^(-1/2)/2: 0.393 between them."""
    assert 0.2 < measured(capsys, f"{file}:noisy", "--samples", 4000) < 0.394


def test_the_source_that_numpy_had_before(capsys, file):
    """randint(0, 4) is one of four numbers there, and of five in the standard library: 1/2 against 3/5."""
    assert 0.45 < measured(capsys, f"{file}:old", "--samples", 40_000, "--legacy") < 0.5


@pytest.mark.skipif(shutil.which("mawk") is None, reason="mawk is not installed")
def test_a_reader_that_buffers_sees_the_end_of_its_input(capsys):
    assert measured(capsys, "mawk '{print 1}'", "--inputs", "0,1", "--samples", 100) == 0
