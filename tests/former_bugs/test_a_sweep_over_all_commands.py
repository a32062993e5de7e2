"""What a sweep found: systems at random, with others among who is there, seen together, of few users and of many."""

import json
import warnings
from fractions import Fraction
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shufflecert
from shufflecert.protocols.hist import Hist
from shufflecert.verify.bound.bound import WorstEpsilon
from shufflecert.verify.bound.guess import BlockLaw, BlockLaws
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.certify import least_eps
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.kernel import check
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.asked import bound
from tests.helpers import call, engine, few, randomizers, refused

# Weights of a law that is tilted in two directions were beyond all floats: the guess was none, and weights of 16,384
# bits were asked for, which were more than there was memory for.


def test_a_guess_in_two_directions_is_a_number():
    """Hardly anybody takes part: about the delta that enumeration finds."""
    made, n = populated(Hist(2, "9/10"), Presence.of("replace", None, None, "1/1000")), 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        real = bound(made, n, work=1000).cover.real
        found = [real.guessed(counts, 1.0)[0] for counts in real.starts]
    exact = bound(made, n).delta(Eps.of(1)).delta.enclosure()[0]
    assert abs(max(found) - log(float(exact))) < 1e-2 and all(value < 0 for value in found)


# A grid for blocks that hardly ever show anything was tilted beyond all floats; and one for blocks that show nothing
# that counts had less than no cells.


@pytest.mark.parametrize("q", [1.0, 0.1])
def test_a_grid_for_blocks_that_show_little(q):
    law = BlockLaw(*(np.array([weight]) for weight in (0.2, q, 1e-19)))
    grid = BlockLaws([(law, 3125, 1)]).grid(3.0, 3e-3)
    assert grid.cells > 0 and 1 < grid.tilt < Fraction(2) ** 1000


# Runs of a table with one input, which has no neighbours, had no component where enumeration was too much work.


@pytest.mark.parametrize("data", ["same", "fresh", "adaptive"])
def test_runs_without_neighbours(data):
    alone = engine({"0": {("a",): Fraction(1, 3), (): Fraction(2, 3)}})
    two = engine({"0": {("a",): Fraction(1, 3), (): Fraction(2, 3)}, "1": {("a",): Fraction(2, 3), (): Fraction(1, 3)}})
    work = Effort(work=1)
    assert prepare([Run(alone, 4, 2)], data, effort=work).delta(Eps.of(1)).delta.high == 0
    assert prepare([Run(alone, 4)], data, effort=work).epsilon(0).power == 1
    both = prepare([Run(alone, 4, 2), Run(two, 4)], data, effort=work).delta(Eps.of("1/2")).delta
    one = prepare([Run(two, 4)], data).delta(Eps.of("1/2")).delta.enclosure()
    assert both.low <= Fraction(one[1]) and both.high >= Fraction(one[0]) and both.high < 1


# Certificates of runs at delta = 0 ended in a ZeroDivisionError; at an eps beyond every loss they claimed 0.51 in the
# place of 0, or a delta above 1, and called a lower end of 0 "refuted by what the kernel finds undecided".


RUNS = ["rr", "-p", "flip=1/4", "--n", "3"]  # of one run: e^eps = 3


def test_runs_at_delta_0(capsys, tmp_path):
    """Pure eps adds up: log 27."""
    code, out, err = call(capsys, "compose", *RUNS, "--times", "3", "--delta", "0", "-o", tmp_path / "runs.json")
    assert (code, err) == (0, "") and "exactly log(27)" in out
    assert [check(json.dumps(one).encode()).status for one in json.loads((tmp_path / "runs.json").read_text())] == [
        "accepted"
    ]
    assert "REFUTED: delta(102994891763/31250000000) > 0 (check accepts it)" in out


@pytest.mark.parametrize("times, most", [(3, 0), (30, "1e-100")])
def test_runs_beyond_every_loss(capsys, tmp_path, times, most):
    code, out, err = call(capsys, "compose", *RUNS, "--times", times, "--eps", "50", "-o", tmp_path / "runs.json")
    assert (code, err) == (0, "") and "no certificate of the lower end: it is 0\n" in out
    (made,) = json.loads((tmp_path / "runs.json").read_text())
    assert check(json.dumps(made).encode()).status == "accepted" and Fraction(made["claim"]["delta"]) <= Fraction(most)


# What no certificate states of runs was refused after the answer had been found, which can take minutes.


@pytest.mark.parametrize(
    "more", [["--group", "2"], ["--adjacency", "add-remove"], ["--parallel"]], ids=["group", "who", "parallel"]
)
def test_what_no_certificate_states_is_refused_at_once(capsys, tmp_path, more, monkeypatch):
    monkeypatch.setattr("shufflecert.verify.commands.compose.prepare", lambda *_, **__: pytest.fail("it was begun"))
    code, out, err = call(capsys, "compose", *RUNS, "--times", "3", "--eps", "1", *more, "-o", tmp_path / "runs.json")
    assert (code, out) == (2, "") and err.startswith("shufflecert: -o: ") and err.count("\n") == 1


# A blanket's messages of weight 10^-30 asked for a tilt of a million digits, or of more than there was memory for.


@pytest.mark.parametrize("eps", [10, 30])
def test_a_blanket_of_rare_messages_is_certified(eps):
    """An input sends with 10^-30 what the other sends with 1/2, so that delta is nearly 5/6 up to eps = log(10^30)."""
    small = Fraction(1, 10**30)
    rows = {
        "0": {("a",): Fraction(1, 6), ("b",): Fraction(1, 2), ("c",): Fraction(1, 3)},
        "1": {("a",): 1 - 3 * small, ("b",): 2 * small, ("c",): small},
    }
    found = bound(engine(rows), 3, work=1).decided(Eps.of(eps), Fraction(67, 80))
    assert found.verdict == "PROVED" and check(found.certificate_text().encode()).status == "accepted"


# An end without a certificate was called "0, or infinite", whichever it was; and an infinite eps had no certificate.


@pytest.mark.parametrize(
    "arguments, said",
    [
        (
            ["augmented_shuffle", "-p", "d=10", "-p", "beta=1", "-p", "q=9/10", "--n", "1", "--delta", "1/10"],
            "the upper end: no finite eps is shown to satisfy this delta; the lower end: it is 0",
        ),
        (["rr", "-p", "flip=1/4", "--n", "3", "--delta", "1"], "the lower end: it is 0"),
        (["poisson", "-p", "lam=1", "--n", "3", "--delta", "0"], "the upper end: no finite eps satisfies this delta"),
        (
            ["binomial_noise", "-p", "coins=4", "--times", "2", "--n", "2", "--delta", "0"],
            "the upper end: no finite eps satisfies this delta",
        ),
    ],
    ids=["not shown", "zero", "infinite", "infinite runs"],
)
def test_why_an_end_has_no_certificate(capsys, tmp_path, arguments, said):
    command = "compose" if "--times" in arguments else "epsilon"
    code, out, err = call(capsys, command, *arguments, "-o", tmp_path / "ends.json")
    assert (code, err) == (0, "") and out.endswith(f"  no certificate of {said}\n")


@few
@given(
    randomizers(),
    st.integers(1, 3),
    st.sampled_from(["replace", "add-remove"]),
    st.fractions(0, 1, max_denominator=9),
)
def test_an_eps_is_refuted_at_any_size_where_it_is_infinite(tree, n, adjacency, delta):
    """What P shows and Q never does is of delta(eps) at every eps, the certificate's as well; of such weights nothing
    else is, as no ratio comes near to e^10000."""
    for_ever = max(
        sum(weight for seen, weight in p.items() if not q.get(seen))
        for p, q in oracle.attended_pairs(tree, n, "shuffled", adjacency)
    )
    with TemporaryDirectory() as folder:
        file = Path(folder, "ends.json")
        found = shufflecert.epsilon(engine(tree), n, delta, adjacency=adjacency, output=file)
        made = json.loads(file.read_text())
        assert shufflecert.check(file).status == "accepted"
    beyond = [one["claim"] for one in made if one["verdict"] == "REFUTED" and Fraction(one["claim"]["eps"]) == 10000]
    assert (found.lower == float("inf")) == (for_ever > delta) == (len(beyond) == 1)
    assert all(Fraction(claim["delta"]) == delta < for_ever for claim in beyond)


# Beyond the largest eps of a claim an answer was refused when a certificate of it was asked for, and not without.


@pytest.mark.parametrize("q, runs", [("1e-1400", 1), ("1e-1990", 1), ("1e-1000", 3)])
def test_an_eps_beyond_those_of_claims(capsys, tmp_path, q, runs):
    """Pure eps is log(1/q) for each of the 3 that a user adds, in each run: about 9671, 13746 and 20723."""
    command = ["compose", "--times", runs] if runs > 1 else ["epsilon"]
    asked_for = ["-p", f"q={q}", "-p", "sensitivity=3", "--n", "3", "--delta", "0", "-o", tmp_path / "ends.json"]
    code, out, err = call(capsys, command[0], "discrete_laplace", *command[1:], *asked_for)
    assert (code, err) == (0, "") and ("PROVED: " in out) == (q == "1e-1400") == ("no certificate" not in out)
    assert "REFUTED: " in out or runs > 1


def test_the_least_eps_beyond_those_of_claims():
    """The command takes seconds to find such an eps: 17,500 of symmetric_rappor, d = 6, m = 2, flip = 1e-1900."""
    scope = bound(engine({"0": {("a",): Fraction(1)}}), 1).delta(Eps.of(0)).scope
    refused(lambda: least_eps(WorstEpsilon(Eps.log(Fraction(10**7600)), scope), Fraction(0)), "is 1.75e4", "10000")
