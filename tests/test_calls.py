"""The commands from Python: the same names and defaults, and the same answer to the same question."""

import inspect
import json
import math
import sys
from fractions import Fraction
from importlib import import_module

import pytest
import typer

import shufflecert
from shufflecert.verify import cli
from tests.answers_fit import check
from tests.helpers import asked, refused

COMMANDS = typer.main.get_command(cli.app).commands
OF_THE_COMMAND = {"json", "help", "param"}  # what prints, and `-p`, which is a keyword for each parameter
RENAMED = {"import": "import_", "for": "promise"}  # words of the language


def options(command):
    """{name in Python: default} of a command's arguments and options."""
    found = {}
    for one in command.params:
        if one.name in OF_THE_COMMAND:
            continue
        long = max(one.opts, key=len).lstrip("-").replace("-", "_")
        name = one.name if one.param_type_name == "argument" else RENAMED.get(long, long)
        found[name] = None if one.required else one.default
    return found


def written(value):
    """A default as the command writes it; a required one, a switch that is off, and none at all are alike."""
    if value is inspect.Parameter.empty or value in (None, False, ""):
        return None
    return str(value)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_function_has_the_options_of_its_command_and_their_defaults(name):
    function = getattr(shufflecert, RENAMED.get(name, name))
    own = {p.name: p for p in inspect.signature(function).parameters.values()}
    takes_systems = any(one.name == "param" for one in COMMANDS[name].params)
    assert takes_systems == any(p.kind is p.VAR_KEYWORD for p in own.values())
    theirs = {x: written(p.default) for x, p in own.items() if p.kind is not p.VAR_KEYWORD}
    expected = {x: written(value) for x, value in options(COMMANDS[name]).items()}
    assert theirs == expected


@pytest.mark.parametrize("name", sorted({*shufflecert.__all__}))
def test_what_is_exported_says_its_types(name):
    """No parameter without a type, none of the type of everything."""
    thing = getattr(shufflecert, name)
    if inspect.isfunction(thing) and thing.__module__.startswith("shufflecert.verify.commands"):
        for p in inspect.signature(thing).parameters.values():
            assert p.annotation not in (inspect.Parameter.empty, object), (name, p.name)
        assert inspect.signature(thing).return_annotation is not inspect.Signature.empty


KRR = ("krr", "-p", "k=3", "-p", "gamma=3/10")
GIVEN = {"k": 3, "gamma": Fraction(3, 10)}


@pytest.mark.parametrize(
    ("command", "call"),
    [
        (
            ("delta", *KRR, "--n", 4, "--eps", 1, "--adjacency", "deletion", "--reference", "0=1/2,1=1/2"),
            lambda s: s.delta(
                "krr", n=4, eps=1, adjacency="deletion", reference={"0": "1/2", "1": Fraction(1, 2)}, **GIVEN
            ),
        ),
        (
            ("delta", *KRR, "--n", 4, "--eps", "1/2", "--others", "0=2,1=1"),
            lambda s: s.delta("krr", n=4, eps="1/2", others={0: 2, 1: 1}, **GIVEN),
        ),
        (
            ("profile", "krr,rr", "-p", "k=3", "-p", "gamma=3/10", "-p", "flip=1/4", "--n", 3, "--eps", "0,1/2"),
            lambda s: s.profile("krr,rr", n=3, eps=[0, "1/2"], flip="1/4", **GIVEN),
        ),
        (
            ("profile", *KRR, "--n", 3, "--renyi", "2,3"),
            lambda s: s.profile("krr", n=3, renyi=[2, 3], **GIVEN),
        ),
        (
            ("compare", "sum", "--n", 10, "--eps", 1, "--delta", "1e-3", "--systems", "discrete_laplace"),
            lambda s: s.compare("sum", n=10, eps=1, delta="1e-3", systems=["discrete_laplace"]),
        ),
        (("audit", *KRR, "--n", "1,2", "--large", 9), lambda s: s.audit("krr", n=[1, 2], large=9, **GIVEN)),
    ],
    ids=lambda one: "_".join(map(str, one[:1] + one[-2:-1])) if isinstance(one, tuple) else "",
)
@pytest.mark.sampled(2)
def test_a_call_answers_as_its_command(capsys, command, call):
    """What is written otherwise in Python; of all else the ten tasks (tests/test_ten_tasks.py) say the same."""
    found = call(shufflecert)
    answered = found.to_json()
    check(answered)
    same = asked(capsys, *command, status=0)
    for one in (answered, same):
        for row in one if isinstance(one, list) else [one]:
            row.pop("date")
    assert answered == same
    assert str(found).splitlines() and "<div" in found._repr_html_()


def test_a_system_by_name_and_as_an_object():
    made = shufflecert.system("krr", **GIVEN)
    by_name, by_object = shufflecert.delta("krr", 3, 1, **GIVEN), shufflecert.delta(made, 3, 1)
    assert by_name.tree == by_object.tree
    assert (
        shufflecert.compose([made, made], n=3, eps=1).tree["delta"]
        == (shufflecert.compose("krr", n=3, times=2, eps=1, **GIVEN).tree["delta"])
    )


def test_what_is_calibrated_by_name_and_as_an_object():
    """Of an object those in `over` are chosen anew; a class in no catalogue, and a table, are calibrated too."""
    made, asked = shufflecert.system("krr", **GIVEN), {"n": 5, "eps": 1, "delta": "1/100"}
    by_name = shufflecert.calibrate("krr", over="gamma", k=3, **asked)
    assert shufflecert.calibrate(made, over=["gamma"], **asked).tree == by_name.tree
    assert by_name.parameters["gamma"] != GIVEN["gamma"]

    class Mine(type(made)):
        """A system of a stranger."""

    own = shufflecert.calibrate(Mine(**GIVEN), over="gamma", **asked)
    assert own.tree == {**by_name.tree, "system": "mine"}
    users = shufflecert.calibrate(made, eps=1, delta="1/100", over="n")
    table = shufflecert.calibrate(made.randomizer(), eps=1, delta="1/100", over="n")
    assert int(users.tree["fails_at"]) < int(users.tree["value"])
    assert int(users.tree["fails_at"]) < int(table.tree["value"]) <= int(users.tree["value"])  # its cover is closer
    refused(lambda: shufflecert.calibrate(made, **asked), "over", "object")
    refused(lambda: shufflecert.calibrate(made, over="gamma", k=4, **asked), "k", "object")
    refused(lambda: shufflecert.calibrate(made.randomizer(), over="gamma", **asked), "table")
    people = shufflecert.populated(made, shufflecert.Presence.of("add-remove"))
    refused(lambda: shufflecert.calibrate(people, over="gamma", **asked), "populated")


def test_what_is_not_given_together_or_not_exactly_is_told():
    made = shufflecert.system("krr", **GIVEN)
    refused(lambda: shufflecert.delta(made, 3, 1, k=4), "k", "object")
    refused(lambda: shufflecert.delta("krr", 3, 1, k=3, gamma=0.3), "gamma", "float")
    refused(lambda: shufflecert.delta("krr", 3, 1, k=3, gama="0.3"), "gama")
    refused(lambda: shufflecert.delta(made, eps=1), "n: missing")
    refused(lambda: shufflecert.delta(made, 3), "eps: missing")
    refused(lambda: shufflecert.epsilon(made, 3), "delta: missing")
    refused(lambda: shufflecert.delta(lambda x, rng: x, 3, 1), "audit(f")
    refused(lambda: shufflecert.delta(3, 3, 1), "int")
    people = shufflecert.populated(made, shufflecert.Presence.of("add-remove"))
    refused(lambda: shufflecert.delta(people, 3, 1, honest=2), "populated")
    refused(lambda: shufflecert.check(), "no certificate")
    refused(lambda: shufflecert.compose([shufflecert.Run(made, 3)], n=3, eps=1), "Run")


def test_certificates_of_both_ends_and_of_a_promise_are_written_and_accepted(tmp_path):
    made = shufflecert.system("krr", **GIVEN)
    shufflecert.delta(made, 4, "1/2", output=tmp_path / "delta.json")
    shufflecert.epsilon(made, 4, "1/10", output=tmp_path / "epsilon.json")
    promise = shufflecert.certify(made, 4, "1/2", "1/2", output=tmp_path / "promise.json")
    assert promise.tree["certificate"] == str(tmp_path / "promise.json")
    shufflecert.compose(made, n=4, times=2, delta="1/10", output=tmp_path / "composed.json")
    found = shufflecert.check(*sorted(tmp_path.glob("*.json")), promise)
    assert len(found) == 5 and found.status == "accepted" and len(found.to_frame()) == 5
    (tmp_path / "bad.json").write_text("{}")
    assert shufflecert.check(tmp_path / "promise.json", tmp_path / "bad.json").status == "malformed"
    refused(lambda: shufflecert.certify(made, 4, 1, 1, output=tmp_path / "bad.json"), "exists")


FAIR = """
def fair(x, rng):
    return x if rng.randrange(4) else 1 - x


def by_the_clock(x, rng):
    import time
    return x if rng.randrange(4) else 1 - x + 0 * int(time.time() > 0)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "of_a_stranger.py").write_text(FAIR)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "of_a_stranger", raising=False)
    return import_module("of_a_stranger")


def test_a_function_in_a_test_suite(module):
    """log(3) exactly; of two users at eps = log(3) nothing is left, of 100 users at 1/4 more than 10^-6."""
    fair = module.fair
    found = shufflecert.assert_private(fair, "log(3)", inputs=[0, 1])
    assert found.tree["claim"]["verdict"] == "PROVED" and found.local.eps == shufflecert.Eps.of("log(3)")
    for promised in ({"eps": "1.09"}, {"eps": "1/4", "delta": "1e-6", "n": 100}):
        with pytest.raises(AssertionError, match="REFUTED"):
            shufflecert.assert_private(fair, inputs=[0, 1], **promised)
    assert shufflecert.assert_private("rr", "1/2", "1/2", n=10, flip="1/4")
    refused(lambda: shufflecert.assert_private(fair, 1), "inputs")
    refused(lambda: shufflecert.assert_private(module.by_the_clock, 2, inputs=[0, 1], strict=True), "by_the_clock")


def test_a_function_and_a_black_box_as_objects(tmp_path, module):
    fair = module.fair
    found = shufflecert.audit(fair, inputs=[0, 1], n=[1, 2], large=10, report=tmp_path / "fair.html")
    check(found.to_json())
    assert found.tree["system"] == "fair" and "fair" in (tmp_path / "fair.html").read_text()
    seen = shufflecert.audit(black_box=fair, inputs=[0, 1], samples=1000, seed=1)
    check(seen.to_json())
    assert json.loads(seen.text())["system"] == "fair"
    refused(lambda: shufflecert.audit(3), "int")
    refused(lambda: shufflecert.audit(fair, inputs=[0, 1], patch=["random.random"]), "patch")
    rows = shufflecert.audit("randomized_response", gallery=True, large=10).rows()
    assert [row["name"] for row in rows] == ["randomized_response"]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("delta", {"n": 9, "epsilon": 1, "k": 4, "eps0": 1}, "delta: 'epsilon' is no argument (did you mean eps?)"),
        ("certify", {"n": 9, "epsilon": 1, "delta": "1e-6", "k": 4}, "certify: 'epsilon' is no argument (did you"),
        ("epsilon", {"n": 9, "deltta": "1e-6", "k": 4}, "epsilon: 'deltta' is no argument (did you mean delta?)"),
        ("compose", {"n": 9, "time": 3, "eps": 1, "k": 4}, "compose: 'time' is no argument (did you mean times?)"),
        ("delta", {"n": 9, "eps": 1, "k": 4, "gama": "1/2"}, "krr: 'gama' is not a parameter (did you mean gamma?)"),
        ("delta", {"n": 9, "k": 4, "eps0": 1}, "eps: missing"),
        ("delta", {"n": 9, "k": 4, "gamma": "1/2"}, "eps: missing"),
    ],
)
def test_a_keyword_that_is_a_slip_of_an_argument(name, given, said):
    """Keywords that are no arguments are the system's parameters, so that the refusal was of something else."""
    assert refused(lambda: getattr(shufflecert, name)("krr", **given)).startswith(said)


def test_what_an_answer_holds_prints_as_words():
    """The parts of an audit were records of some hundred characters."""
    found = shufflecert.audit(lambda x, rng: x ^ (rng.random() < 0.25), inputs=[0, 1], n=2, large=3, eps="1/2")
    assert str(found.local).startswith("eps = log(3), local view, n = 1, all neighbouring datasets: ")
    assert repr(found.local) == f"<WorstEpsilon: {found.local}>"
    worst = found.users[-1].deltas[0]
    delta = 0.75 * 0.75 - math.exp(0.5) * 0.25 * 0.75  # both bits 0, the other one's input is 0
    assert str(worst).startswith(f"delta(1/2) = [{delta:.10f}") and "shuffled view, n = 2" in str(worst)
    infinite = shufflecert.audit(lambda x, rng: x, inputs=[0, 1], n=2, large=3)
    assert str(infinite.local).startswith("eps infinite, local view")
    with pytest.raises(AttributeError, match=r"^Delta has no local$"):
        shufflecert.delta("krr", n=9, eps=1, k=4, eps0=1).local  # noqa: B018
