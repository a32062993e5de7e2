"""`--patch`: a library's own source of randomness is rng while a function runs, and itself again afterwards."""

import hashlib
import importlib
import json
import math
import random
import secrets
import subprocess
import sys
from fractions import Fraction as F
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

from shufflecert.verify.audit.observe.patch import through
from shufflecert.verify.errors import BadInput
from tests.helpers import asked, call, is_one_line
from tests.sampler_laws import enumerate_several as enumerate_sampler

LIBRARY = """
import random, secrets
import numpy as np
from random import randint as between, SystemRandom
from numpy.random import default_rng
from secrets import randbelow

own = random.Random()
generator = np.random.default_rng()
state = np.random.RandomState()


class Client:
    rng = random.SystemRandom()

    def report(self, x):
        return x if self.rng.random() < 0.75 else 1 - x


def python(x):
    return x if random.random() < 0.75 else 1 - x

def numpys(x):
    return int(x if np.random.rand() < 0.75 else 1 - x)

def legacy(x):
    return int(np.random.randint(0, 4)), int(np.random.random_sample() < 0.5)

def inclusive(x):
    return random.randint(0, 3), between(0, 1)

def crypto(x):
    return secrets.randbelow(3), randbelow(2), secrets.choice("ab")

def generators(x):
    return int(generator.integers(0, 3)), int(default_rng().integers(0, 2)), int(np.random.default_rng().integers(0, 2))

def objects(x):
    return own.randrange(3), int(state.randint(3)), SystemRandom().randrange(2), random.SystemRandom().randrange(2)

def mixed(x):
    return random.randrange(2), int(np.random.randint(2)), int(np.floor(np.pi) == 3.0)

def seeded(x):
    random.seed(5)
    return random.randrange(2)

def seeded_generator(x):
    return int(np.random.default_rng(5).integers(0, 2))

def unknown(x):
    return int(np.random.laplace(0, 1) > 0)

def fails(x):
    random.random()
    raise ValueError("no")
"""
CALLS = """
import patch_library

def report(x, rng):
    return patch_library.python(x)

report.inputs = (0, 1)

def untouched(x, rng):
    return patch_library.numpys(x)

untouched.inputs = (0, 1)
"""
SMALL = ("--n", "1", "--large", "2", "--eps", "0", "--rng", "random")
ROOT = Path(__file__).resolve().parent.parent
RR = {"0": {("0",): F(3, 4), ("1",): F(1, 4)}, "1": {("0",): F(1, 4), ("1",): F(3, 4)}}


@pytest.fixture
def library(tmp_path, monkeypatch):
    (tmp_path / "patch_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "patch_library", raising=False)
    yield importlib.import_module("patch_library")
    del sys.modules["patch_library"]


def law(function, *names, inputs=(0,)):
    """The law of a library's function with rng in these places, by input."""
    return enumerate_sampler(through(lambda x, rng: function(x), [f"patch_library.{n}" for n in names]), inputs).laws


def uniform(*sizes):
    """{messages: probability} of independent uniform numbers below each size, written as the sampler writes them."""
    total = math.prod(sizes)
    row = {(): 1}
    for size in sizes:
        row = {(*sent, str(i)): 1 for sent in row for i in range(size)}
    return {sent: F(1, total) for sent in row}


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("python", ["random"]),
        ("python", ["random.random"]),
        ("numpys", ["np.random"]),
        ("numpys", ["np.random.rand"]),
    ],
)
@pytest.mark.sampled(2)
def test_randomized_response(library, function, names):
    assert law(getattr(library, function), *names, inputs=(0, 1)) == RR


def test_an_object_of_a_class(library):
    assert law(library.Client().report, "Client.rng", inputs=(0, 1)) == RR


@pytest.mark.parametrize(
    ("function", "names", "sizes"),
    [
        ("legacy", ["np.random"], (4, 2)),  # numpy's randint leaves out its upper end, Python's does not
        ("inclusive", ["random", "between"], (4, 2)),
        ("generators", ["generator", "default_rng", "np.random"], (3, 2, 2)),
        ("objects", ["own", "state", "SystemRandom", "random"], (3, 3, 2, 2)),
    ],
)
@pytest.mark.sampled(2)
def test_each_kind_of_source(library, function, names, sizes):
    assert law(getattr(library, function), *names) == {"0": uniform(*sizes)}


def test_secrets(library):
    rows = law(library.crypto, "secrets", "randbelow")["0"]
    assert rows == {(str(i), str(j), c): F(1, 12) for i in range(3) for j in range(2) for c in "ab"}


def test_the_audited_file_itself_has_its_name(tmp_path, capsys):
    """Its own `import random`, from any folder, where another module of that name can be imported as well."""
    source = "import random, secrets, helper\ndef bit(x, rng):\n    return x if helper.three_in_four() else 1 - x\n"
    helper = "import random\ndef three_in_four():\n    return random.random() < 0.75\n"
    own = "def own(x, rng):\n    return x if secrets.randbelow(4) else 1 - x\n"
    (tmp_path / "client.py").write_text(source + own)
    (tmp_path / "helper.py").write_text(helper)
    for function, place in (("bit", "helper.random"), ("own", "client.secrets")):
        page = asked(capsys, "audit", f"{tmp_path / 'client.py'}:{function}", "--inputs", "0,1", "--n", "1",
                     "--large", "2", "--rng", "random", "--patch", place, "--claim", "eps=log(3),n=1")  # fmt: skip
        assert page["claim"]["verdict"] == "HOLDS" and page["preshuffle"]["epsilon"]["exact"] == "log(3)"
    other = ("--inputs", "0,1", "--rng", "random", "--patch", "client.random")
    status, out, err = call(capsys, "audit", f"{tmp_path / 'client.py'}:own", *other)
    assert (status, out) == (2, "") and is_one_line(err) and "expected all randomness from rng" in err


def test_two_places_of_one_module(library):
    rows = law(library.mixed, "random", "np.random")["0"]
    assert rows == {(str(i), str(j), "1"): F(1, 4) for i in range(2) for j in range(2)}


def test_all_is_as_it_was(library):
    kept = dict(vars(library)), numpy.random, random.random, library.Client.rng
    law(library.mixed, "random", "np.random")
    law(library.Client().report, "Client.rng")
    with pytest.raises(BadInput, match="ValueError: no"):
        law(library.fails, "random")
    assert kept == (dict(vars(library)), numpy.random, random.random, library.Client.rng)


def test_what_others_see_is_left_alone(library):
    def both(x, rng):
        assert numpy.random.rand is not library.np.random.rand  # np of that module is not numpy for all
        assert library.np.pi == math.pi
        return (library.numpys(x),)

    assert enumerate_sampler(through(both, ["patch_library.np.random"]), (0, 1)).laws == RR


def test_numpy_for_all(library):
    found = enumerate_sampler(through(lambda x, rng: library.numpys(x), ["numpy.random"]), (0, 1))
    assert found.laws == RR
    assert library.np.random is numpy.random and isinstance(numpy.random.rand(), float)


def test_numpy_for_all_in_a_fresh_process(tmp_path):
    """Where nothing of numpy's was asked before, its sources are made before numpy.random is another."""
    path = tmp_path / "fresh.py"
    path.write_text(
        "import numpy as np\n\n\ndef f(x, rng):\n"
        "    return int(x if np.random.rand() < 0.75 else 1 - x), int(np.random.default_rng().integers(2))\n"
    )
    command = [
        sys.executable,
        "-m",
        "shufflecert.verify.cli",
        "audit",
        f"{path}:f",
        "--inputs",
        "0,1",
        *SMALL,
        "--json",
    ]
    ran = subprocess.run([*command, "--patch", "numpy.random"], capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(ran.stdout)["local"]["epsilon"]["exact"] == "log(3)"


def test_deployed_reaches_the_library(library):
    """0.3 is a double below three tenths: k 2^-53 < 0.3 for ceil(0.3 2^53) of the 2^53 values of k."""

    def third(x, rng):
        return int(library.random.random() < 0.3)

    found = enumerate_sampler(through(third, ["patch_library.random"]), (0,), deployed=True)
    assert found.laws["0"]["1",] == F(math.ceil(F(0.3) * 2**53), 2**53)


def test_every_order_of_a_shuffle(library):
    def shuffled(x, rng):
        values = [0, 1, 2]
        library.random.shuffle(values)
        return tuple(values)

    found = enumerate_sampler(through(shuffled, ["patch_library.random"]), (0,)).laws["0"]
    assert found == {tuple(map(str, order)): F(1, 6) for order in permutations(range(3))}


@pytest.mark.parametrize(
    ("function", "names", "why"),
    [
        ("seeded", ["random"], "random.seed is not followed"),
        ("seeded_generator", ["np.random"], "default_rng with a seed"),
        ("unknown", ["np.random"], "numpy.random.laplace is not followed"),
    ],
)
def test_what_is_not_followed_is_named(library, function, names, why):
    with pytest.raises(BadInput, match=why):
        law(getattr(library, function), *names)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("patch_library", "expected MODULE.NAME"),
        ("patch_library.nowhere", "has no nowhere"),
        ("patch_library.np.nowhere", "has no nowhere"),
        ("patch_library.python", "expected a source of randomness"),
        ("patch_library.np", "expected a source of randomness"),
        ("patch_library.Client", "expected a source of randomness"),
        ("no_such_library.random", "no module no_such_library"),
        ("patch_library..random", "expected MODULE.NAME"),
        ("", "expected MODULE.NAME"),
    ],
)
def test_names_that_lead_nowhere(library, name, why):
    with pytest.raises(BadInput, match=why):
        through(lambda x, rng: x, [name])


def test_a_module_that_does_not_import(tmp_path, monkeypatch):
    (tmp_path / "patch_broken.py").write_text("raise SystemExit(3)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadInput, match="importing patch_broken: SystemExit"):
        through(lambda x, rng: x, ["patch_broken.random"])


def test_the_sources_themselves_are_untouched():
    assert isinstance(random.random(), float) and isinstance(secrets.randbelow(3), int)


def test_compiled_functions_run_as_their_python(library):
    """What numba compiled draws from a source inside numba; its py_func is the function that was compiled."""
    numba = pytest.importorskip("numba", reason="numba is not installed: pip install '.[mechanisms]'")
    library.compiled = numba.njit(library.numpys)
    assert library.compiled.py_func is library.numpys
    assert law(lambda x: library.compiled(x), "np.random", inputs=(0, 1)) == RR
    assert hasattr(library.compiled, "py_func")


# The command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def calls(tmp_path, library):
    path = tmp_path / "calls.py"
    path.write_text(CALLS)
    return path


def test_the_command(capsys, calls):
    """With either source, which agree; the digest is of the function's file, not of ours, which puts rng in place."""
    either = SMALL[: SMALL.index("--rng")]
    answer = asked(capsys, "audit", f"{calls}:report", *either, "--patch", "patch_library.random")
    assert answer["local"]["epsilon"]["exact"] == "log(3)"
    assert answer["sampler"]["patched"] == ["patch_library.random"]
    status, out, _ = call(capsys, "audit", f"{calls}:report", *SMALL, "--patch", "patch_library.random")
    assert status == 0 and "rng in the place of patch_library.random" in out
    digest = hashlib.sha256(calls.read_bytes()).hexdigest()
    assert answer["sampler"]["of"] == {"file": "calls.py", "sha256": digest}


@pytest.mark.parametrize("line", ["secrets.randbelow(2)", "calls.append(0) or len(calls) % 2", "time.time_ns() % 2"])
@pytest.mark.sampled(3)
def test_other_chance_is_refused_beside_a_patch(capsys, tmp_path, library, line):
    """The function that calls the library is followed as any other is: chance and state of its own are refused."""
    path = tmp_path / "beside.py"
    imports = "import secrets, time\nimport patch_library\n\ncalls = []\n\n"
    path.write_text(f"{imports}def report(x, rng):\n    return patch_library.python(x), {line}\n")
    arguments = ("audit", f"{path}:report", "--inputs", "0,1", *SMALL, "--patch", "patch_library.random")
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "") and is_one_line(err)


def test_a_claim_of_the_command(capsys, calls, tmp_path):
    arguments = ("audit", f"{calls}:report", *SMALL, "--patch", "patch_library.random", "--claim")
    assert asked(capsys, *arguments, "eps=log(3)", "-o", tmp_path / "c.json")["claim"]["verdict"] == "HOLDS"
    assert json.loads((tmp_path / "c.json").read_bytes())["verdict"] == "PROVED"
    assert asked(capsys, *arguments, "eps=log(2)", status=1)["claim"]["verdict"] == "REFUTED"


def test_a_place_that_is_forgotten(capsys, calls):
    """numpy's global source is used, and only random is patched."""
    arguments = ("audit", f"{calls}:untouched", *SMALL, "--patch", "patch_library.random")
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "") and is_one_line(err)


def test_the_inputs_of_a_function_are_kept():
    function = SimpleNamespace(inputs=(1, 2))

    def f(x, rng):
        return x

    f.inputs = function.inputs
    assert through(f, ["numpy.random"]).inputs == (1, 2)
