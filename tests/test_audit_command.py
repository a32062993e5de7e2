"""`shufflecert audit` in this process: its answers, its exit statuses, its files, and one line for all bad input."""

import inspect
import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import shufflecert
from shufflecert.verify import kernel
from shufflecert.verify.errors import BadInput
from tests import oracle
from tests.helpers import asked, call, is_one_line
from tests.sampler_laws import slow_coin

EXAMPLES = Path(__file__).parent.parent / "examples"
TABLE, SAMPLER, BOX = EXAMPLES / "three_bits.toml", EXAMPLES / "my_sampler.py", EXAMPLES / "box.py"
SMALL = ("--n", "1:3", "--large", "20")

SAMPLERS = """
from fractions import Fraction
from shufflecert.verify.exact.randomizer import Randomizer

def coin(x, rng):
    return x if rng.random() < 0.75 else 1 - x

def leaks(x, rng):
    return (x, "seen") if x and rng.random() < 0.001 else rng.randrange(2)

def fails(x, rng):
    if rng.random() < 0.25:
        raise KeyError("lost")
    return x

def hangs(x, rng):
    while True:
        pass

def legacy(x, rng):
    return x if rng.randint(0, 4) else 1 - x

made = Randomizer.of({"0": {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}, "1": {("b",): Fraction(1)}})
number = 5
coin.inputs = (0, 1)
"""


@pytest.fixture
def samplers(tmp_path):
    path = tmp_path / "samplers.py"
    path.write_text(SAMPLERS + inspect.getsource(slow_coin))
    return path


def checked(path):
    return kernel.check(path.read_bytes())[0]


def test_a_table(capsys):
    """The file claims (3/4, 1/10) for 10 users, and keeps it; numbers are the oracle's."""
    answer = asked(capsys, "audit", TABLE, "--n", "1:3", "--eps", "0,log(2)", "--large", 20)
    assert set(answer) == {
        *("audit", "inputs", "messages", "local", "preshuffle", "shuffled", "large", "leaks", "blanket"),
        *("communication", "symmetries", "attack", "claim"),
        *("system", "parameters", "n", "files", "version", "date"),
    }
    tree = _oracle_tree()
    assert [users["n"] for users in answer["shuffled"]] == [1, 2, 3]
    for users in answer["shuffled"]:
        for value, t in zip(users["delta"], (1, 2), strict=True):
            exact = value["exact"]
            assert Fraction(exact["A"]) - Fraction(exact["B"]) * t == oracle.delta(tree, users["n"], Fraction(t))
    ratios = [p / row[y] for law in tree.values() for row in tree.values() for y, p in law.items()]
    assert answer["local"]["epsilon"]["exact"] == f"log({max(ratios)})"
    assert (answer["claim"]["verdict"], answer["claim"]["n"]) == ("PROVED", 10)
    assert answer["leaks"] == []


def _oracle_tree():
    import tomllib

    rows = tomllib.loads(TABLE.read_text(), parse_float=str)["rows"]
    return {row["input"]: {tuple(out["send"]): Fraction(out["p"]) for out in row["outputs"]} for row in rows}


@pytest.mark.parametrize("view", ["local", "preshuffle", "shuffled"])
@pytest.mark.parametrize(("eps", "status", "verdict"), [("log(2)", 1, "REFUTED"), ("log(3)", 0, "PROVED")])
@pytest.mark.sampled(2)
def test_claims_and_certificates(capsys, tmp_path, samplers, view, eps, status, verdict):
    """Binary randomized response of eps = log 3, one user: in every view the same."""
    path = tmp_path / "claim.json"
    n = ",n=1" if view == "shuffled" else ""
    claim = f"eps={eps},delta=0{n},view={view}"
    answer = asked(capsys, "audit", f"{samplers}:coin", *SMALL, "--claim", claim, "-o", path, status=status)
    assert (answer["claim"]["verdict"], answer["claim"]["view"]) == (verdict, view)
    assert answer["claim"]["certificate"] == str(path)
    assert checked(path) == "accepted"
    assert json.loads(path.read_bytes())["verdict"] == verdict


def test_an_undecided_claim(capsys, tmp_path, samplers):
    """delta(0) of the rejection sampler is 1/3 in truth: no residual decides that."""
    path = tmp_path / "claim.json"
    answer = asked(
        *(capsys, "audit", f"{samplers}:slow_coin", "--inputs", "0,1", "--n", "1", "--large", "2"),
        *("--claim", "eps=0,delta=1/3,view=local", "-o", path),
        status=3,
    )
    assert answer["claim"]["verdict"] == "UNDECIDED"
    assert "--residual" in answer["claim"]["reason"]
    assert answer["not_written"] == str(path)
    assert not path.exists()


def test_a_refuted_sampler_that_was_not_followed_to_its_end(capsys, tmp_path, samplers):
    path = tmp_path / "claim.json"
    arguments = ("audit", f"{samplers}:slow_coin", "--inputs", "0,1", "--n", "1", "--large", "2")
    more = ("--claim", "eps=0,delta=0.3", "--residual", "1e-3", "-o", path)
    answer = asked(capsys, *arguments, *more, status=1)
    assert all(0 < float(r["upper"]) <= 1e-3 for r in answer["sampler"]["residual"].values())
    assert checked(path) == "accepted"
    status, out, _ = call(capsys, *arguments, *more, "--force")
    assert status == 1
    assert "REFUTED: delta(0)" in out
    assert "the claim and what was not followed" in out


def test_without_a_claim_the_attack_is_certified(capsys, tmp_path, samplers):
    path = tmp_path / "attack.json"
    answer = asked(capsys, "audit", f"{samplers}:coin", *SMALL, "-o", path)
    assert answer["claim"] is None
    assert answer["attack"]["certificate"] == str(path)
    assert (checked(path), json.loads(path.read_bytes())["verdict"]) == ("accepted", "REFUTED")


def test_leaks(capsys, samplers):
    answer = asked(capsys, "audit", f"{samplers}:leaks", "--inputs", "0,1", *SMALL)
    assert [(leak["output"], leak["of"], leak["never_of"]) for leak in answer["leaks"]] == [(["(1, 'seen')"], "1", "0")]
    assert answer["leaks"][0]["probability"] == "1/1000"
    assert answer["local"]["epsilon"]["exact"] == "inf"


def test_other_kinds_of_files(capsys, samplers):
    assert asked(capsys, "audit", f"{samplers}:made", *SMALL)["leaks"][0]["output"] == ["a"]
    legacy = asked(capsys, "audit", f"{samplers}:legacy", "--legacy", "--inputs", "0,1", *SMALL)
    assert legacy["local"]["epsilon"]["exact"] == "log(3)"  # randint(0, 4) is one of four numbers


def test_a_report_of_a_saved_answer(capsys, tmp_path, samplers):
    answer, page = tmp_path / "audit.json", tmp_path / "page.html"
    answer.write_text(json.dumps(asked(capsys, "audit", f"{samplers}:leaks", "--inputs", "0,1", *SMALL)))
    told = asked(capsys, "report", answer, "-o", page)
    assert told["kind"] == "audit"
    assert "1 of 2 ordered pairs of inputs" in page.read_text() or "seen" in page.read_text()


def test_the_gallery(capsys):
    answer = asked(capsys, "audit", "--gallery", "one_b*", "--large", "8")
    assert [row["name"] for row in answer["gallery"]] == ["one_bit_flip", "one_bit_mean"]
    for row in answer["gallery"]:
        assert row["verdict"] == "PROVED"
        assert row["source"]
    status, out, _ = call(capsys, "audit", "--gallery", "one_bit_mean", "--large", "8")
    assert status == 0
    assert "one_bit_mean" in out


def test_what_is_raised_without_a_word_is_named(capsys, tmp_path):
    sampler = tmp_path / "wordless.py"
    sampler.write_text("def f(x, rng):\n    rng.random()\n    raise MemoryError\n")
    status, out, err = call(capsys, "audit", f"{sampler}:f", "--inputs", "0,1")
    assert (status, out) == (2, "") and "raises MemoryError" in err and ": ;" not in err and "MemoryError:" not in err


BAD = {
    "nothing": [],
    "two things": [TABLE, "--black-box", "cat"],
    "gallery and a box": ["--gallery", "--black-box", "cat"],
    "no such file": ["nowhere.toml"],
    "no such system": ["nowhere"],
    "no such function": ["{py}:nowhere"],
    "not a function": ["{py}:number"],
    "no inputs": ["{py}:slow_coin"],
    "one input": ["{py}:coin", "--inputs", "0"],
    "an input twice": ["{py}:coin", "--inputs", "0,0"],
    "raises": ["{py}:fails", "--inputs", "0,1"],
    "hangs": ["{py}:hangs", "--inputs", "0,1", "--seconds", "1"],
    "n backwards": [TABLE, "--n", "5:1"],
    "n of nothing": [TABLE, "--n", ""],
    "too many n": [TABLE, "--n", "1:1000"],
    "n = 0": [TABLE, "--n", "0"],
    "eps": [TABLE, "--eps", "-1"],
    "eps that is no number": [TABLE, "--eps", "x"],
    "delta": [TABLE, "--delta", "2"],
    "large": [TABLE, "--large", "0"],
    "claim without eps": [TABLE, "--claim", "delta=0"],
    "claim of an unknown name": [TABLE, "--claim", "eps=1,gamma=2"],
    "claim of an unknown view": [TABLE, "--claim", "eps=1,view=sideways"],
    "claim without users": [TABLE, "--claim", "eps=1,view=shuffled"],
    "claim without sense": [TABLE, "--claim", "hello"],
    "empty claim": [TABLE, "--claim", ""],
    "residual": ["{py}:coin", "--residual", "1"],
    "residual below 0": ["{py}:coin", "--residual", "-1/2"],
    "max paths": ["{py}:coin", "--max-paths", "0"],
    "seconds": ["{py}:coin", "--seconds", "0"],
    "inputs of a table": [TABLE, "--inputs", "0,1"],
    "a deployed table": [TABLE, "--deployed"],
    "a patch of a table": [TABLE, "--patch", "numpy.random"],
    "a patch of a box": ["--black-box", "cat", "--inputs", "0,1", "--samples", "100", "--patch", "numpy.random"],
    "a patch of nothing": ["{py}:coin", "--inputs", "0,1", "--patch", "nowhere.random"],
    "a patch of a module alone": ["{py}:coin", "--inputs", "0,1", "--patch", "random"],
    "a parameter of a table": [TABLE, "-p", "k=2"],
    "samples of a table": [TABLE, "--samples", "10"],
    "a certificate of the gallery": ["--gallery", "-o", "{tmp}/c.json"],
    "a claim of the gallery": ["--gallery", "--claim", "eps=1"],
    "an unknown name in the gallery": ["--gallery", "nowhere"],
    "a box without samples": ["--black-box", "cat", "--inputs", "0,1"],
    "a box without inputs": ["--black-box", "cat", "--samples", "100"],
    "a box that is not there": ["--black-box", "no-such-command-anywhere", "--inputs", "0,1", "--samples", "100"],
    "a certificate of a box": ["--black-box", "cat", "--inputs", "0,1", "-o", "{tmp}/c.json"],
    "confidence": ["--black-box", "cat", "--inputs", "0,1", "--samples", "9", "--confidence", "1.5"],
    "report in no folder": [TABLE, "--report", "{tmp}/nowhere/r.html"],
    "max work": [TABLE, "--max-work", "-3"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(capsys, tmp_path, samplers, name):
    arguments = [str(a).replace("{py}", str(samplers)).replace("{tmp}", str(tmp_path)) for a in BAD[name]]
    status, out, err = call(capsys, "audit", *arguments)
    assert (status, out) == (2, "")
    assert is_one_line(err)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix in (".json", ".html")) == []


def test_a_function_without_rng_is_told_how_it_is_written(capsys, tmp_path):
    """Whoever draws from `random` had to guess from "raises TypeError (the file)" that rng was missing."""
    (tmp_path / "one.py").write_text(
        "import random\n\ndef report(x):\n    return x if random.random() < 0.75 else 1 - x\n"
    )
    for more in ([], ["--patch", "one.random"]):
        status, out, err = call(capsys, "audit", f"{tmp_path}/one.py:report", "--inputs", "0,1", *more)
        assert (status, out) == (2, "") and is_one_line(err)
        assert "takes one argument: expected f(x, rng)" in err and "--patch" in err
    with pytest.raises(BadInput, match="takes one argument"):
        shufflecert.audit(lambda x: x, inputs=[0, 1])


def test_a_huge_table_is_refused(capsys, tmp_path):
    """A table is text, and read whole: what is too long is said to be."""
    path = tmp_path / "huge.json"
    path.write_text('{"rows": [' + "1," * 40_000_000 + "1]}")
    status, out, err = call(capsys, "audit", path)
    assert (status, out) == (2, "")
    assert is_one_line(err)


@pytest.mark.parametrize(
    ("claim", "view", "n"),
    [("eps=1", "local", 1), ("eps=1,view=preshuffle", "preshuffle", 1), ("eps=1,n=2", "shuffled", 2)],
)
def test_a_box_is_asked_in_the_view_of_the_claim(capsys, claim, view, n):
    box = f"{sys.executable} {Path(__file__).parent.parent}/examples/box.py"
    given = ("--inputs", "0,1", "--samples", "200", "--seed", "1", "--claim", claim)
    answer = asked(capsys, "audit", "--black-box", box, *given)
    assert (answer["view"], answer["n"]) == (view, n)


@pytest.mark.parametrize("claim", ["eps=1,view=shuffled", "eps=1,view=local,n=2", "eps=1,view=any"])
def test_a_box_has_a_view_that_fits(capsys, claim):
    status, out, err = call(
        capsys, "audit", "--black-box", "true", "--inputs", "0,1", "--samples", "9", "--claim", claim
    )
    assert (status, out) == (2, "") and "view" in err and is_one_line(err)
