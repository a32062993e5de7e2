"""The face: what README promises can be imported, is documented, and answers as the rooms behind it do."""

import doctest
import inspect
import re
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from importlib.metadata import version

import pytest

import shufflecert


def test_every_name_is_there_and_documented():
    assert len(set(shufflecert.__all__)) == len(shufflecert.__all__)
    for name in shufflecert.__all__:
        assert inspect.getdoc(getattr(shufflecert, name)), name


def test_the_face_only_hands_on():
    own = {name for name, x in vars(shufflecert).items() if getattr(x, "__module__", None) == "shufflecert"}
    assert own == {"__getattr__", "_Checkout"}


def test_the_version_is_that_of_the_installation():
    assert shufflecert.__version__ == version("shufflecert")
    with pytest.raises(AttributeError):
        _ = shufflecert.nosuch


def examples_of(name):
    """The example in the docstring of a name of the face, or of the face itself, as a user would type it."""
    thing = getattr(shufflecert, name, shufflecert)
    names = {name: getattr(shufflecert, name) for name in shufflecert.__all__} | {"Fraction": Fraction}
    return doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", names, name, None, 0)


EXAMPLES = {name: found for name in [*shufflecert.__all__, "shufflecert"] if (found := examples_of(name)).examples}
PEERS = {"to_dp_accounting": "dp_accounting", "to_opendp": "opendp"}  # what an example needs besides
JOURNEYS = [
    "load",
    "delta",
    "epsilon",
    "certify",
    "calibrate",
    "compare",
    "compose",
    "profile",
    "audit",
    "search",
    "report",
]
# what comes back, what a class of one's own needs (the page on adding a system shows it), and what no example raises
SHOWN_NOWHERE = {"Answer", "EventTree", "Report", "Scope", "System", "parameter", "MachineRefused"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_in_a_docstring_says_what_comes_out(name, tmp_path, monkeypatch):
    pytest.importorskip(PEERS.get(name, "shufflecert"))
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(EXAMPLES[name], out=said.append).failed == 0, "".join(said)


def test_every_journey_has_an_example_of_its_own_and_every_name_is_in_one():
    assert {*JOURNEYS, "Randomizer", "Eps", "Interval", "BadInput", "TooMuchWork", "Undecided"} <= {*EXAMPLES}
    examples = [one for found in EXAMPLES.values() for one in found.examples]
    shown = {word for one in examples for word in re.findall(r"\w+", one.source + (one.exc_msg or ""))}
    assert {*shufflecert.__all__} - shown == SHOWN_NOWHERE


def test_a_report_is_about_the_certificate_where_there_is_one(tmp_path):
    krr = shufflecert.system("krr", k=2, gamma="1/2")
    promise = shufflecert.certify(krr, n=2, eps="log(3/2)", delta="9/32")
    text = promise.certificate_text().encode()
    (tmp_path / "promise.json").write_bytes(text)
    of_answer = shufflecert.report(promise, tmp_path / "one.html")
    of_file = shufflecert.report(str(tmp_path / "promise.json"))
    digests = {*of_answer.tree["files"].values(), *of_file.tree["files"].values()}
    assert digests == {sha256(text).hexdigest()}
    assert of_file.path == tmp_path / "promise.html"
    assert of_file.tree["kind"] == "certificate"
    found = shufflecert.report(shufflecert.delta(krr, n=2, eps=0), tmp_path / "delta.html")
    assert (found.tree["kind"], found.status) == ("answer", None)
    assert "0.375" in found.path.read_text()
    for about, output in ((promise, None), (promise, of_file.path), (tmp_path / "one.html", None)):
        with pytest.raises(shufflecert.BadInput) as error:  # no name; there is one; no JSON
            shufflecert.report(about, output)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [0.3, "x", None, True])
def test_parameters_are_exact(value):
    with pytest.raises(shufflecert.BadInput) as error:
        shufflecert.system("krr", k=3, gamma=value)
    assert "\n" not in str(error.value)


def test_python_m():
    command = [sys.executable, "-m", "shufflecert", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("shufflecert ")
