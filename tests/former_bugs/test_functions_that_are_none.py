"""Generators and `async def` were a TypeError about hashes, arrays were "a float", a wrong signature was an exception
of the function's; a sibling `protocols.py` was hidden by ours; `print` broke --json; an object with `__call__` or a
partial was a traceback under --black-box, which ignored --legacy and `f.inputs`; its rng had no `laplace`; and a box
that answers at the end of its input waited for ever."""

import json
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from shufflecert.verify.audit.black_box.estimate import audit
from shufflecert.verify.errors import BadInput
from tests.helpers import call, is_one_line
from tests.sampler_laws import enumerate_several as enumerate_sampler

ROOT = Path(__file__).parent.parent.parent
SMALL = ("--n", 1, "--large", 2, "--eps", 0)


async def later(x, rng):
    return x


class Answers:
    """Randomized response, as an object."""

    inputs = (0, 1)

    def __init__(self, kind=None):
        self.kind = kind

    def __call__(self, x, rng):
        return x if rng.random() < 0.75 else 1 - x

    def partly(self, p, x, rng):
        return x if rng.random() < p else 1 - x


REFUSED = {
    "an async def": (later, "is an `async def`"),
    "one argument": (lambda x: x, "(x): cannot be called with an input and a source: expected f(x, rng)"),
    "three arguments": (lambda x, y, rng: x, "expected f(x, rng)"),
    "no function": (5, "cannot be called"),
}
WALKED = {
    "numpy's floor": (lambda x, rng: np.floor(2 * rng.random()), "sends a float"),
    "a seed": (lambda x, rng: __import__("random").Random(rng.getrandbits(64)).random() < 0.5, ""),
    "what numpy lacks": (lambda x, rng: rng.gauss(0, 1) < 0, "rng.gauss is not followed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_function(name):
    function, said = REFUSED[name]
    with pytest.raises(BadInput) as walked:
        enumerate_sampler(function, [0, 1])
    with pytest.raises(BadInput) as run:
        audit(function, (0, 1), samples=10, confidence="0.9")
    assert said in str(walked.value) and said in str(run.value)
    assert "\n" not in str(walked.value)


@pytest.mark.parametrize("name", WALKED)
def test_what_is_sent_or_asked(name):
    function, said = WALKED[name]
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, [0, 1])
    assert said in str(caught.value)


@pytest.mark.parametrize("function", [Answers(), partial(Answers().partly, 0.75)], ids=["an object", "a partial"])
def test_objects_that_are_called(function):
    found = enumerate_sampler(function, [0, 1])
    assert found.laws["0"]["0",] == 3 * found.laws["0"]["1",]
    box = audit(function, (0, 1), samples=100, confidence="0.9", seed=1)
    assert box.what.endswith((":Answers", ":Answers.partly")) and box.rng == "random.Random"


# Files ----------------------------------------------------------------------------------------------------------------


def written(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


TEAM = """
import protocols, helper
from shufflecert.verify.exact.randomizer import Randomizer

def respond(x, rng):
    return x if rng.random() < protocols.TRUTH * helper.ONE else 1 - x

respond.inputs = (0, 1)
"""


def test_a_team_has_its_own_protocols(tmp_path, capsys):
    """Theirs is beside the file, and a second team has its own."""
    for team, truth in (("red", "0.75"), ("blue", "0.875")):
        folder = tmp_path / team
        folder.mkdir()
        written(folder, protocols=f"TRUTH = {truth}", helper=f"ONE = 1  # {team}", mine=TEAM)
        status, out, err = call(capsys, "audit", f"{folder}/mine.py:respond", *SMALL, "--json")
        assert status == 0, err
        laws = json.loads(out)["sampler"]["laws"]["0"]
        assert {row["p"] for row in laws} == ({"3/4", "1/4"} if team == "red" else {"7/8", "1/8"})
    assert call(capsys, "delta", "zsum", "-p", "p=3/4", "--n", 2, "--eps", 1)[0] == 0


def test_a_team_has_its_own_verify(tmp_path, capsys):
    written(tmp_path, verify="P = 0.5", mine="import verify\ndef f(x, rng):\n    return rng.random() < verify.P\n")
    status, out, _ = call(capsys, "audit", f"{tmp_path}/mine.py:f", "--inputs", "0,1", *SMALL)
    assert status == 0 and "rng is" in out
    assert call(capsys, "delta", "zsum", "-p", "p=3/4", "--n", 2, "--eps", 1)[0] == 0


def test_a_sibling_that_fails_and_one_that_is_missing(tmp_path, capsys):
    written(tmp_path, broken="1 / 0", one="import broken\nf = 1", two="import nowhere_at_all\nf = 1")
    for name, said in (("one", "ZeroDivisionError"), ("two", "nowhere_at_all")):
        status, out, err = call(capsys, "audit", f"{tmp_path}/{name}.py:f", "--inputs", "0,1", *SMALL)
        assert (status, out) == (2, "") and is_one_line(err) and said in err


PRINTS = """
print("loaded")
def f(x, rng):
    print("hello", x)
    return x if rng.random() < 0.75 else 1 - x
f.inputs = (0, 1)
"""


def test_what_a_sampler_prints_is_no_answer(tmp_path, capsys):
    written(tmp_path, mine=PRINTS)
    for given in (
        ("audit", f"{tmp_path}/mine.py:f", *SMALL),
        ("audit", "--black-box", f"{tmp_path}/mine.py:f", "--samples", 9),
    ):
        status, out, _ = call(capsys, *given, "--json")
        assert status == 0 and "hello 1" not in out  # a file that is followed is read, and prints nothing
        json.loads(out)


FIRST = """
def f(x, rng):
    import numpy
    return int(numpy.sign(x)) if rng.random() < 0.75 else 0
"""


def test_the_first_import_of_numpy_is_the_function_s(tmp_path):
    written(tmp_path, mine=FIRST)
    words = [
        sys.executable,
        "-m",
        "shufflecert.verify.cli",
        "audit",
        f"{tmp_path}/mine.py:f",
        "--inputs",
        "0,1",
        *map(str, SMALL),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


# Black boxes ----------------------------------------------------------------------------------------------------------

NOISY = """
def laplace(x, rng):
    return round(x + rng.laplace(0, 1)) if rng.random(3)[0] < 2 else 0
laplace.inputs = (0, 1)
def gauss(x, rng):
    return round(x + rng.gauss(0, 1))
def state(x, rng):
    return int(x ^ (rng.rand() < 0.25)) + 0 * rng.randint(1)
"""


@pytest.mark.parametrize(
    ("name", "given", "rng"),
    [
        ("laplace", (), "numpy's Generator"),
        ("gauss", ("--inputs", "0,1"), "random.Random"),
        ("gauss", ("--inputs", "0,1", "--rng", "random"), "random.Random"),
        ("state", ("--inputs", "0,1", "--legacy"), "numpy's RandomState"),
    ],
)
def test_the_rng_of_a_box(tmp_path, capsys, name, given, rng):
    written(tmp_path, mine=NOISY)
    words = ("audit", "--black-box", f"{tmp_path}/mine.py:{name}", "--samples", 200, "--seed", 1, *given, "--json")
    status, out, err = call(capsys, *words)
    assert status == 0, err
    assert json.loads(out)["rng"] == rng


def test_a_box_that_answers_when_its_input_ends():
    """As a reader that buffers does: all of its answers come after the last request."""
    box = "import sys; lines = sys.stdin.readlines(); print('\\n'.join('0' for _ in lines))"
    found = audit(f"{sys.executable} -c {shlex.quote(box)}", (0, 1), samples=20, confidence="0.9", seconds=5)
    assert found.outputs == 1
