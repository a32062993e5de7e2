"""What takes over half a minute is said, also with --residual 0; `inputs` of a function are read as --inputs is."""

from fractions import Fraction

import pytest

from shufflecert.verify.audit import patience
from shufflecert.verify.audit.audit import foreseen
from shufflecert.verify.audit.callables import listed_inputs
from shufflecert.verify.audit.follow import machine
from shufflecert.verify.audit.patience import Parts, Paths
from shufflecert.verify.audit.sampler import Options, enumerate_file
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.randomizer import Randomizer
from tests.helpers import call


@pytest.fixture
def clock(monkeypatch):
    """Seconds, of the processor too, that pass when a test says so."""
    now = [0.0]
    for name in ("process_time", "monotonic"):
        monkeypatch.setattr(patience.time, name, lambda: now[0])
    return now


def said(capsys):
    return capsys.readouterr().err.splitlines()


def test_paths_that_take_long_are_told_at_once_and_when_they_do(clock, capsys):
    """4,096 paths of 12 bits: 250 of them in 25 s make some 410 s of all."""
    paths = Paths("0", Fraction(0), 10**6)
    clock[0] = 25.0
    paths.foresee(lambda guess: Fraction(4096), 250)
    (line,) = said(capsys)
    assert line == (
        "audit: input 0: about 4.1e+03 paths, 7 minutes: --residual R stops at a mass of R that is left,"
        " --max-paths N sooner"
    )
    clock[0] = 800.0
    paths.look(64, lambda: Fraction(1, 2))
    assert not said(capsys)
    clock[0] = 900.0
    paths.look(128, lambda: Fraction(1, 2))
    (line,) = said(capsys)
    assert line.startswith("audit: input 0: 128 paths in 900 s, a mass of 5.0e-01 is left: --residual R")
    clock[0] = 1700.0
    paths.look(192, lambda: Fraction(1, 2))
    assert not said(capsys)  # until twice as much has passed


def test_too_many_paths_are_refused(clock):
    clock[0] = 1.0
    with pytest.raises(TooMuchWork, match=r"about 1.0e\+09 paths"):
        Paths("0", Fraction(0), 10**6).foresee(lambda guess: Fraction(10**9), 250)


def test_what_parts_took_is_learned(clock, capsys):
    """Of the second part 20 s are foreseen; the first one took three times as long as was."""
    parts = Parts({"n = 1": Fraction(10), "n = 2": Fraction(20)}, "go on so")
    parts.begin("n = 1")
    clock[0] = 30.0
    parts.begin("n = 2")
    assert said(capsys) == ["audit: n = 2: about 60 s, by what others took: go on so"]


def test_what_runs_longer_than_foreseen_says_so(clock, capsys):
    parts = Parts({}, "go on so")
    with parts.watched():
        clock[0] = 31.0
        for _ in range(100):
            if parts.limit > 31:
                break
            patience.time.sleep(0.1)
    assert said(capsys) == ["audit: one user: 31 s so far: go on so"]


def test_seconds_of_numbers_of_users_are_in_the_estimate():
    rows = {x: {y: f"{1 + (x == y)}/4" for y in range(3)} for x in range(3)}
    found = foreseen(Randomizer.of(rows), [1, 2, 50], 5)
    assert 0 < found.parts["n = 1"] < found.parts["n = 2"] and found.parts["n = 50"] >= found.boxes


ENDLESS = """
def f(x, rng):
    n = 0
    while rng.random() < 0.9:
        n += 1
    return n
f.inputs = (0, 1)
"""


def test_no_residual_says_how_far_it_is(tmp_path, monkeypatch, capsys):
    """A count without an end, with --residual 0: what is left is told while it runs, and --max-paths ends it."""
    (tmp_path / "count.py").write_text(ENDLESS)
    monkeypatch.setattr(Paths.__init__, "__defaults__", (0.0,))
    found = enumerate_file(f"{tmp_path}/count.py:f", {}, None, Options(residual=Fraction(0), max_paths=500))
    assert found.residual["0"] > 0
    assert any("a mass of" in line and "--max-paths" in line for line in said(capsys))


def test_a_function_that_neither_answers_nor_asks_says_so(tmp_path, monkeypatch, capsys):
    """By a clock, since others may have the processor."""
    (tmp_path / "long.py").write_text("def f(x, rng):\n    for i in range(99):\n        x = 1 - x\n    return x\n")
    monkeypatch.setattr(machine, "SOON", -1)
    enumerate_file(f"{tmp_path}/long.py:f", {}, [0], Options(library="random.Random"), strict=True)
    (line,) = said(capsys)
    assert line.startswith("audit: long.py:") and "it is stopped once it has had the processor for 10 s" in line


@pytest.mark.parametrize(
    ("given", "listed"),
    [("0,1,a", [0, 1, "a"]), ((0, "1"), [0, "1"]), (range(2), [0, 1]), ([(1, 2)], [(1, 2)]), ("-3", [-3])],
)
def test_inputs_are_read_alike(given, listed):
    assert listed_inputs(given) == listed


@pytest.mark.parametrize("given", [None, {0, 1}, {0: 1}, 5])
def test_inputs_that_are_none(given):
    with pytest.raises(BadInput, match="inputs"):
        listed_inputs(given)


INPUTS = {
    "text": "def f(x, rng):\n    return x\nf.inputs = '0,1'",
    "an attribute of a class": (
        "class C:\n    inputs = (0, 1)\n    def __call__(self, x, rng):\n        return x\nf = C()"
    ),
    "an attribute of an object": (
        "class C:\n    def __init__(self):\n        self.inputs = [0, 1]\n    def __call__(self, x, rng):\n"
        "        return x\nf = C()"
    ),
    "a range, observed": "import os\ndef f(x, rng):\n    os.getpid()\n    return x\nf.inputs = range(2)",
    "text, observed": "import os\ndef f(x, rng):\n    os.getpid()\n    return x\nf.inputs = '0,1'",
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.sampled(3)
def test_own_inputs_are_those_of_the_option(name, tmp_path, capsys):
    file = tmp_path / "own.py"
    file.write_text(INPUTS[name] + "\n")
    own = call(capsys, "audit", f"{file}:f", "--n", "1", "--large", "2", "--json")
    given = call(capsys, "audit", f"{file}:f", "--inputs", "0,1", "--n", "1", "--large", "2", "--json")
    assert own[0] == given[0] == 0 and own[1].split('"date"')[0] == given[1].split('"date"')[0]
