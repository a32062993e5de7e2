"""Files that try to break the audit of code (tests/corpus/breaking.py, attacks.py): the law is Python's, or refused.

The reference of those that are followed is Python: they are run as they stand on every path, where that can be, the
others on many (test_reference_runs.py).
"""

import importlib
import inspect
import re
import sys
from collections import Counter
from fractions import Fraction

import pytest

from shufflecert.verify.audit.follow import follow
from shufflecert.verify.audit.messages import Names, sent
from shufflecert.verify.audit.sampler import Options, enumerate_file
from shufflecert.verify.errors import BadInput
from tests.corpus.attacks import ATTACKS, BIT, EVADED, every_path
from tests.corpus.breaking import BY_HAND, FLIP, INSIDE, LEAK, OUTSIDE, REFUSED
from tests.corpus.imports import FILES
from tests.corpus.imports import REFUSED as IMPORTS_REFUSED

EVERY, SAID = ATTACKS | INSIDE, EVADED | REFUSED


def written(path, text):
    file = path / "sampler.py"
    file.write_text(LEAK + text + "\n")
    return file


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_is_no_law_of_x_and_rng_is_refused(tmp_path, name):
    file = written(tmp_path, OUTSIDE[name])
    with pytest.raises(BadInput) as caught:
        enumerate_file(f"{file}:f", {}, [0, 1], Options(), strict=True)
    assert "\n" not in str(caught.value)


def labelled(outputs):
    names = Names()
    return {names.messages(m if isinstance(m, tuple) else (m,)): p for m, p in outputs.items()}


@pytest.mark.parametrize("deployed", [False, True])
@pytest.mark.parametrize("name", BY_HAND)
def test_laws_by_hand(tmp_path, name, deployed):
    text, law = BY_HAND[name]
    found = enumerate_file(f"{written(tmp_path, text)}:f", {}, [0, 1], Options(deployed=deployed), strict=True)
    assert found.residual["0"] == 1 - sum(law.values())
    apart = {m: found.laws["0"].get(m, 0) - p for m, p in labelled(law).items()}
    assert sum(map(abs, apart.values())) <= (Fraction(1, 2**50) if deployed else 0)  # two deployed draws may coincide
    assert sum(apart.values()) >= (-Fraction(1, 2**50) if deployed else 0)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.sampled(4)
def test_laws_by_running_every_path(tmp_path, name):
    """What Python itself sends, run once for each of the answers that rng can give."""
    file = written(tmp_path, EVERY[name])
    if name in SAID:
        with pytest.raises(BadInput, match=re.escape(SAID[name])):
            enumerate_file(f"{file}:f", {}, [0, 1], Options(), strict=True)
        return
    space = {"__name__": "sampler"}
    exec(compile(file.read_text(), file, "exec"), space)
    same_law(file, space["f"])


def same_law(file, function):
    """Followed as Python has it, on every path."""
    found = enumerate_file(f"{file}:f", {}, [0, 1], Options(library="random.Random"), strict=True)
    names, several = Names(), bool(function.__code__.co_flags & inspect.CO_GENERATOR)
    for x in (0, 1):
        law = Counter()
        for made, chance in every_path(function, x):
            law[names.messages(sent(made, several))] += chance
        assert found.laws[str(x)] == law


@pytest.mark.parametrize("name", FILES)
def test_samplers_in_several_files(tmp_path, monkeypatch, name):
    for file, text in FILES[name].items():
        tmp_path.joinpath(file).parent.mkdir(exist_ok=True, parents=True)
        tmp_path.joinpath(file).write_text(text.replace("BIT", BIT))
    file = tmp_path / "sampler.py"
    if name in IMPORTS_REFUSED:
        with pytest.raises(BadInput, match=re.escape(IMPORTS_REFUSED[name])):
            enumerate_file(f"{file}:f", {}, [0, 1], Options(), strict=True)
        return
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        same_law(file, importlib.import_module("sampler").f)
    finally:
        for loaded in set(sys.modules) - before:
            if str(tmp_path) in str(getattr(sys.modules[loaded], "__path__", sys.modules[loaded].__spec__)):
                del sys.modules[loaded]


CHANGED = {
    "a number": ("changed.P = 0.5", "the name P"),
    "a table": ("changed.T[0] = 1", "the name T"),
    "a function": ("changed.flip = lambda x, rng: x", "the name flip"),
    "a class": ("changed.C.n = 1", "the name C"),
    "a default": ("changed.f.__defaults__ = (1,)", "whose defaults were changed"),
    "an attribute": ("changed.f.q = 1", "the attribute q"),
    "a table of a module": ("changed.helper.T.append(1)", "the name helper"),
    "a function of a module in a package": ("changed.pk.m.g = len", "the name pk"),
    "a function, to one of Python's": ("changed.flip = max", "the name flip"),
    "a function of Python's": ("changed.floor = lambda v: v + 1", "the name floor"),
    "a number that a function of another file reads": ("changed.helper.k.__globals__['K'] = 5", "the name K"),
    "what a function holds": ("changed.held.__closure__[0].cell_contents = 5", "the name held"),
    "one of two names": ("changed.two = changed.helper.k", "the name two"),
    "a library": ("changed.math = changed.helper", "the name math"),
    "a type": ("changed.F = float", "the name F"),
    "a method": ("changed.C.__init__ = lambda self: None", "the name C"),
    "a static method": ("changed.C.s = staticmethod(len)", "the name C"),
    "an object": ("changed.c.m = 5", "the name c"),
    "a member": ("changed.M = changed.E.B", "the name M"),
    "a counter": ("changed.K['a'] = 5", "the name K"),
    "a partial": ("import functools; changed.H = functools.partial(changed.flip, 1)", "the name H"),
    "a builtin": ("changed.len = lambda v: 0", "the name len"),
}
AS_WRITTEN = (
    FLIP
    + """
import enum, functools, helper, math
import pk.m
from helper import k
from collections import Counter
from fractions import Fraction as F
from math import floor
P = 0.75
T = [0, 1]
class E(enum.Enum):
    A = 1
    B = 2
M = E.A
K = Counter('ab')
class C:
    n = 0
    def __init__(self):
        self.m = 0
    @staticmethod
    def s(v):
        return v
c = C()
H = functools.partial(flip, 0)
def making(v):
    return lambda: v
held = making(1)
one = two = lambda: 0
def f(x, rng, y=0):
    K, M, H, F, c, math, C, len(T), floor(0), k(), held(), one, two
    return flip(T[x], rng) + y + C.n + f.q + len(helper.T) + pk.m.g(x) if rng.random() < P else x
f.q = 0
"""
)


@pytest.mark.parametrize("name", ["nothing", *CHANGED])
def test_an_object_that_is_no_longer_what_its_file_makes_of_it(tmp_path, monkeypatch, name):
    """Its file is what is followed; the law of f as it is here is another where f was changed since."""
    (tmp_path / "changed.py").write_text(AS_WRITTEN)
    (tmp_path / "helper.py").write_text("T, K = [], 1\ndef k():\n    return K\n")
    (tmp_path / "pk").mkdir()
    (tmp_path / "pk" / "m.py").write_text("def g(x):\n    return x\n")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("changed", "helper", "pk", "pk.m"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    changed = importlib.import_module("changed")
    if name == "nothing":
        assert follow.of_object(changed.f, [0, 1]).machine.kept.values
        return
    exec(CHANGED[name][0], {"changed": changed})
    with pytest.raises(follow.Refused, match=CHANGED[name][1]):
        follow.of_object(changed.f, [0, 1])


PLACED = {  # what is told of a question, at the line that puts it
    "nan that is kept": ("    n = float('nan')\n    b = BIT\n    return b and n == n", 3),
    "a set of what is no number, text": ("    s = {C()}\n    return len(s) + BIT + len(s)", 3),
    "choice of several with p and without replacement": ("    return rng.choice(3, 2, False, [0.2, 0.3, 0.5])", 2),
}


@pytest.mark.parametrize("name", PLACED)
def test_refusals_name_the_line(tmp_path, name):
    text, line = PLACED[name]
    file = tmp_path / "sampler.py"
    file.write_text(f"def f(x, rng):\n{text.replace('BIT', BIT)}\nclass C: pass\n")
    with pytest.raises(BadInput) as caught:
        enumerate_file(f"{file}:f", {}, [0, 1], Options(), strict=True)
    told = name.split(" that")[0]
    assert f"f: input 0: sampler.py:{line}: {told}" in str(caught.value)
    assert "NotFollowed" not in str(caught.value)
