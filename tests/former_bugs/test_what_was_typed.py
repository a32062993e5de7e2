"""Typed input that is meant well: it is read, or the one line that refuses it shows the form that is read."""

from fractions import Fraction

import pytest

from shufflecert.protocols.krr import KRR
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural, probability, rational
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, call, is_one_line, refused

RR, KRR_N = "rr -p flip=1/4", "--n 3 --eps 1"
REFUSED = {  # what is typed: what the line holds
    f"delta krr -p K=4 -p eps0=1.5 {KRR_N}": ["'K' is not a parameter", "did you mean k?"],
    f"delta krr -p k=4 -p gama=1/2 {KRR_N}": ["'gama' is not a parameter", "did you mean gamma?"],
    f"delta krr -p k=4 -p eps=1.5 {KRR_N}": ["'eps' is not a parameter", "did you mean eps0?", "local eps"],
    f"delta krr -p k=4 -p epsilon=1.5 {KRR_N}": ["did you mean eps0?"],
    f"delta krr -p k=4 -p eps0= {KRR_N}": ["eps0: ''", "such as 1/2"],
    f"delta krr -p k=4 {KRR_N}": ["no value for gamma", "as in -p gamma=1/4, or eps0"],
    f"delta krr {KRR_N}": ["krr: no value for k: expected number of values", "as in -p k=4"],
    f"calibrate krr {KRR_N} --delta 1e-3": ["shufflecert: krr: no value for k", "as in -p k=4"],
    f"export {RR} --n 9 --to opendp": ["Missing option '-o'", "For example: shufflecert export", "-o curve.json"],
    "import laws.csv": ["Missing option '-o'", "shufflecert import pair.csv -o pair.toml"],
    "delta": ["Missing argument", "For example: shufflecert delta krr -p k=4"],
    f"delta zsum -p eps=1 {KRR_N}": ["'eps' is not a parameter", "expected p"],
    f"profile krr,rr -p gama=1/2 {KRR_N}": ["did you mean gamma?"],
    "search preshuffle-gap -p denominater=3": ["did you mean denominator?"],
    f"delta {RR} --n 50k --eps 1": ["n: '50k'", "write 50000"],
    f"delta {RR} --n 5e --eps 1": ["n: '5e' is not an exact number: expected an integer"],
    f"delta {RR} --n 1,5 --eps 1": ["n: '1,5' is not an exact number: expected an integer"],
    f"delta {RR} --n 3 --eps 0,5": ["eps: '0,5'", "write 0.5"],
    f"delta {RR} --n 3 --eps 1,500": ["eps: '1,500'", "write 1500 or 1.500"],
    f"epsilon {RR} --n 3 --delta 10^-6": ["delta: '10^-6'", "write 1e-6"],
    f"epsilon {RR} --n 3 --delta 10**-6": ["write 1e-6"],
    f"epsilon {RR} --n 3 --delta 2*10^-6": ["write 2e-6"],
    f"epsilon {RR} --n 3 --delta 2^-20": ["write 9.5367431640625e-7"],
    f"epsilon {RR} --n 3 --delta 25%": ["delta: '25%'", "write 0.25"],
    f"epsilon {RR} --n 3 --delta 0.1%": ["write 0.001"],
    f"epsilon {RR} --n 3 --delta log(3)": ["delta: 'log(3)'", "logarithm", "eps alone"],
    f"delta {RR} --n 3 --eps ln3": ["eps: 'ln3'", "write log(3)"],
    f"delta {RR} --n 3 --eps log2": ["write log(2)"],
    f"delta {RR} --n 3 --eps ln(3)/2": ["is not an exact number", "log(3/2)"],
    "check none.json": ["no such file"],
    "audit my_sampler.py": ["a Python file", "my_sampler.py:FUNCTION to audit"],
    "krr --n 3": ["No such command 'krr'", "krr is a system", "shufflecert epsilon krr"],
    "report none.json -o a.html": ["no such file"],
    f"epsilon {RR} --n 3": ["Missing option '--delta'", "--delta 1e-6"],
    f"delta {RR} --n 3": ["Missing option '--eps'", "--eps 1"],
    "epsilon laws.csv --n 3 --delta 1e-6": ["shufflecert import laws.csv -o laws.toml"],
    "epsilon words.txt --n 3 --delta 1e-6": ["words.txt", ".toml"],
    f"certify {RR} --n 3": ["--eps or --delta", "the smallest", "of the other"],
    "epsilon --system krr --n 3 --delta 1e-6": ["--system", "the system is the first argument", "epsilon krr"],
    f"calibrate {RR.split(' ')[0]} --eps 1 --delta 1e-6": ["--n: missing", "--over n"],
    f"delta {RR} --eps 1": ["--n: missing: expected the number of users"],
    "delta binomial_noise -p coins=0 --n 5 --eps 1": ["coins: 0"],
    "delta binomial_noise -p coins=5 -p modulo=1 --n 5 --eps 1": ["modulo: 1"],
    "accuracy binomial_noise -p coins=5 -p modulo=8 --n 5": ["expected 0"],
    "delta discrete_gaussian -p variance=1e30 --n 5 --eps 1": ["a window of"],
    "delta sample_and_threshold -p p=0 -p k=3 --n 5 --eps 1": ["p: expected above 0"],
    "delta sample_and_threshold -p p=1/10^9 -p k=3 --n 5 --eps 1": ["p: "],
    "delta augmented_shuffle -p d=3 -p beta=1/2 -p coins=3 -p q=1/2 --n 5 --eps 1": ["both given"],
    "delta augmented_shuffle -p d=2 -p beta=1/2 --n 5 --eps 1": ["d: 2"],
    "delta discrete_gaussian -p variance=4 --n 5 --eps 1 --view local": ["shuffled view"],
    "delta sample_and_threshold -p p=1/2 -p k=3 --n 5 --eps 1 --view local": ["shuffled view"],
    "delta any_ldp -p eps0=101 --n 5 --eps 1": ["eps0: 101: expected at most 100"],
    "delta any_ldp -p eps0=-1 --n 5 --eps 1": ["eps0: -1: expected"],
    "delta any_ldp -p eps0=1 --n 5 --eps 1 --view local": ["all randomizers at once"],
    "accuracy any_ldp -p eps0=1 --n 5": ["no analyzer"],
    "delta any_ldp -p eps0=1 -p local_delta=2 --n 5 --eps 1": ["local_delta: 2"],
    "delta rr -p eps0=1 -p flip=1/4 --n 5 --eps 1": ["eps0: flip is given as well"],
    "delta krr -p eps0=1 --n 5 --eps 1": ["k: missing"],
    "delta blanket_sum -p eps0=1 --n 5 --eps 1": ["k: missing"],
    "delta zsum -p eps0=1 --n 5 --eps 1": ["'eps0' is not a parameter"],
    "delta rr -p eps0=-1 --n 5 --eps 1": ["eps0: -1: expected"],
}


@pytest.mark.parametrize("typed", REFUSED)
def test_the_line_shows_the_form_that_is_read(capsys, tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, *typed.split(" "))
    said = err if not typed.startswith("check") else out
    assert status == 2 and all(words in said for words in REFUSED[typed]), said
    assert is_one_line(err) or (typed.startswith("check") and "Errno" not in out)


ALIKE = {  # what is typed, and another way to write it
    f"delta {RR} --n 2_000 --eps 1": f"delta {RR} --n 2000 --eps 1",
    f"delta {RR} --n 2,000 --eps 1": f"delta {RR} --n 2000 --eps 1",
    f"delta {RR} --n 3 --eps ln(3/2)": f"delta {RR} --n 3 --eps log(3/2)",
    f"delta {RR} --n 3 --eps 0.000_1": f"delta {RR} --n 3 --eps 1/10000",
}


@pytest.mark.parametrize("typed", ALIKE)
def test_what_is_read_is_what_was_meant(capsys, typed):
    found, expected = (asked(capsys, *line.split(" ")) for line in (typed, ALIKE[typed]))
    assert (found["n"], found["delta"], found["eps"]) == (expected["n"], expected["delta"], expected["eps"])


def test_a_comma_parts_thousands_where_only_whole_numbers_are_read():
    """1,500 is 1.5 elsewhere: where a fraction may be meant it is refused, and so is what groups no thousands."""
    assert (natural("1,234,567", "n"), natural("12_345", "n"), rational("1_000/3")) == (
        1234567,
        12345,
        Fraction(1000, 3),
    )
    for bad in ("1,23", "0,500", ",500", "1234,567", "1_", "_1", "1__0", "1,000.5", "1.000,5", "1,000e3"):
        refused(lambda bad=bad: natural(bad, "n"), "n: ", "expected an integer")
    for bad in ("1,500", "0,5", "1_/3", "_1", "1._5", "1e_3"):
        refused(lambda bad=bad: rational(bad, "x"), "x: ")
    refused(lambda: probability("50%"), "write 0.5")
    assert Eps.of("ln(2)") == Eps.of("log(2)")


SETS = [
    ("krr", {"k": "3"}),
    ("blanket_sum", {"k": "3"}),
    ("rr", {}),
    ("rappor", {"d": "3"}),
    ("symmetric_rappor", {"d": "4"}),
]


@pytest.mark.parametrize(("name", "more"), SETS)
def test_systems_lists_eps0(capsys, name, more):
    """With the parameter in whose place it stands; with both given the line says so."""
    status, out, _ = call(capsys, "systems", name)
    (row,) = asked(capsys, "systems", name)
    sets = catalogue.system_class(name).LOCAL
    assert status == 0 and f"-p eps0=...  the local eps, in the place of {sets}" in out and row["eps0_sets"] == sets
    assert sets in [parameter["name"] for parameter in row["parameters"]]
    refused(lambda: catalogue.load(name, {**more, "eps0": "1", sets: "1/3"}), f"{sets} is given as well")
    assert catalogue.load(name, {**more, "eps0": "1"})


def test_systems_lists_no_eps0_where_none_is_read(capsys):
    assert "eps0=... " not in call(capsys, "systems", "zsum")[1]
    assert call(capsys, "systems", "any_ldp")[1].count("-p eps0=") == 1  # a parameter of its own
    assert {row["name"] for row in asked(capsys, "systems") if row["eps0_sets"]} >= {name for name, _ in SETS}
    assert KRR.LOCAL == "gamma"


@pytest.mark.parametrize("command", ["profile", "compose"])
def test_the_help_shows_a_parameter_of_one_of_several_systems(capsys, command):
    assert "krr.k=4" in call(capsys, command, "--help")[1]
    assert "krr.k=4" not in call(capsys, "delta", "--help")[1]


def test_an_answer_without_a_certificate_names_the_option(capsys):
    status, out, _ = call(capsys, "certify", *RR.split(" "), "--n", 3, "--eps", 2, "--delta", "1/10")
    assert status == 0 and "no certificate written; add -o cert.json" in out
