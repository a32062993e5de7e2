"""`shufflecert compose`: JSON and words, its options against brute force, one line for every bad input."""

from fractions import Fraction

import pytest

from shufflecert.verify.answers.composed import MEANING
from tests import oracle
from tests.helpers import asked, call
from tests.products import fresh, height, neighbours, same, times

RR = ("rr", "-p", "flip=1/4")
TOML = """
[[rows]]
input = "no"
outputs = [{send = ["blue"], p = "3/4"}, {send = ["red"], p = "1/4"}]
[[rows]]
input = "yes"
outputs = [{send = ["blue"], p = "0.25"}, {send = ["red"], p = "0.75"}]
"""


def exact(answer, x):
    parts = answer["delta"]["exact"]
    return Fraction(parts["A"]) - Fraction(parts["B"]) * x


def pairs(n=2, group=1):
    return neighbours(oracle.rr("1/4"), n, group)


@pytest.mark.parametrize("data", ["fresh", "adaptive"])
def test_fresh_data(data, capsys):
    x = Fraction(2)
    krr = ("krr", "-p", "k=3", "-p", "gamma=1/2")
    answer = asked(capsys, "compose", *krr, "--n", 3, "--times", 2, "--eps", "log(2)", "--data", data)
    truth = fresh(neighbours(oracle.krr(3, "1/2"), 3), 2, x)
    lower, upper = (Fraction(answer["delta"][end]) for end in ("lower", "upper"))
    assert lower <= truth <= upper
    assert (answer["delta"]["exact"] is None) == answer["scope"]["two_sided"] == (data == "adaptive")
    assert answer["scope"]["inputs"] == MEANING[data]
    if data == "fresh":
        assert exact(answer, x) == truth


def test_several_systems(capsys):
    x = Fraction(3, 2)
    answer = asked(
        capsys,
        "compose",
        "rr,zsum,rr",
        "-p",
        "flip=1/4",
        "-p",
        "p=1/3",
        "--n",
        2,
        "--times",
        "2,1,1",
        "--eps",
        f"log({x})",
    )
    both = neighbours(oracle.zsum("1/3"), 2)
    assert exact(answer, x) == max(height(times(a, a, b, c), x) for a in pairs() for b in both for c in pairs())
    assert answer["times"] == [2, 1, 1]
    assert sorted(worst["system"] for worst in answer["scope"]["worst"]) == ["rr", "rr", "zsum"]


def test_a_strangers_file(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text(TOML, encoding="utf-8")
    answer = asked(capsys, "compose", file, "--n", 2, "--times", 2, "--eps", "log(2)")
    assert exact(answer, Fraction(2)) == same(pairs(), 2, Fraction(2))


def test_a_group(capsys):
    answer = asked(capsys, "compose", *RR, "--n", 3, "--times", 2, "--eps", "log(2)", "--group", 2)
    assert exact(answer, Fraction(2)) == same(pairs(3, 2), 2, Fraction(2))
    assert answer["scope"]["group"] == 2
    assert call(capsys, "compose", *RR, "--n", 3, "--eps", 1, "--group", 2)[1].count("up to 2 users replaced") == 1


def test_parallel(capsys):
    x = Fraction(3, 2)
    options = ("-p", "flip=1/4", "-p", "p=1/3", "--n", "2,3", "--times", "2,1", "--eps", f"log({x})", "--parallel")
    answer = asked(capsys, "compose", "rr,zsum", *options)
    assert exact(answer, x) == max(same(pairs(), 2, x), same(neighbours(oracle.zsum("1/3"), 3), 1, x))
    assert (answer["scope"]["n"], answer["scope"]["users"]) == ([2, 3], "of one system each")


def test_the_smallest_eps(capsys):
    bound = Fraction(1, 10)
    answer = asked(capsys, "compose", *RR, "--n", 2, "--times", 2, "--delta", bound)
    truth = max(
        oracle.pair_epsilon_ratio(*(dict(enumerate(law)) for law in zip(*times(a, a), strict=True)), bound)
        for a in pairs()
    )
    assert answer["epsilon"]["exact"] == f"log({truth})"
    assert (answer["delta"], answer["times"]) == ("1/10", 2)
    never = asked(capsys, "compose", "r_gap", "--n", 1, "--times", 2, "--delta", 0)
    assert never["epsilon"] == {"lower": "inf", "upper": "inf", "exact": "inf"}


def test_a_count_at_scale_in_words(capsys):
    """The number is that of verify.compose.accountant, which test_compose.py compares with direct sums."""
    status, out, err = call(
        capsys, "compose", "zsum", "-p", "p=2/7", "--n", 300, "--times", 4, "--eps", 1, "--digits", 5
    )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("delta(1) = [")
    assert lines[1] == "  zsum 4 times, by the same users: a user holds one input for all runs of a system"
    assert lines[2] == "  shuffled view, n = 300, all neighbouring datasets (one user replaced)"
    assert lines[3].startswith("  2 compositions evaluated for 600: ")
    assert lines[4].startswith("  worst: zsum 4 times with ")


def test_both_ends_in_words(capsys):
    out = call(capsys, "compose", *RR, "--n", 2, "--times", 2, "--eps", 1, "--data", "adaptive", "--points", 8)[1]
    assert "lower bound: attained by real datasets; upper bound: compositions that dominate all datasets" in out
    assert "chosen on seeing what the runs before have shown" in out
    endless = call(capsys, "compose", "r_gap", "--n", 1, "--delta", "1/100")[1]
    assert endless.startswith("eps(0.01) = infinite: no finite eps satisfies this delta\n  r_gap once, ")


def test_papers_parameters(capsys):
    answer = asked(
        capsys, "compose", "poisson", "--n", 100, "--times", 2, "--eps", 4, "--paper-for", "2,1e-1", "--digits", 2
    )
    (values,) = answer["parameters"]
    alone = asked(capsys, "delta", "poisson", "--paper", "--n", 100, "--eps", 2, "--delta", "1e-1")["parameters"]
    assert values == alone


def test_one_run_is_delta(capsys):
    one = asked(capsys, "compose", *RR, "--n", 4, "--eps", "1/2")
    assert one["delta"] == asked(capsys, "delta", *RR, "--n", 4, "--eps", "1/2")["delta"]
