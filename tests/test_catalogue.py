"""The catalogue of systems: found by their modules, described, and refused in one line where a parameter is bad."""

import sys
from fractions import Fraction
from inspect import isabstract
from pathlib import Path

import pytest

from shufflecert import protocols
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import System
from tests.helpers import refused
from tests.test_protocols import CASES, ENDLESS

ROOT = Path(__file__).resolve().parent.parent


def test_the_catalogue_names_the_systems_by_their_modules():
    assert set(catalogue.names()) >= {"zsum", "hist", "r_infinity", "r_gap", "rr", "krr", "rappor", "fragmented_rappor"}
    assert catalogue.names() == sorted(catalogue.names())
    for name in ("catalogue", "run", "parameters", "os", ""):
        with pytest.raises(BadInput, match=r"is unknown.*expected one of .*zsum"):
            catalogue.system_class(name)


def test_a_system_is_found_where_it_is_defined_and_not_where_it_is_imported(tmp_path, monkeypatch):
    new = (ROOT / "protocols" / "rr.py").read_text().replace("class RR(", "class Newcomer(")
    (tmp_path / "newcomer.py").write_text(new)
    (tmp_path / "borrower.py").write_text("from shufflecert.protocols.rr import RR, System\n")
    before = catalogue.names()
    monkeypatch.setattr(protocols, "__path__", [*protocols.__path__, str(tmp_path)])
    try:
        assert catalogue.names() == sorted([*before, "newcomer"])
        assert type(catalogue.make("newcomer", {"flip": "1/3"})).__name__ == "Newcomer"
    finally:
        for name in ("newcomer", "borrower"):
            sys.modules.pop(f"shufflecert.protocols.{name}", None)
            vars(protocols).pop(name, None)


@pytest.mark.parametrize(
    ("called", "name", "fixed"),
    [
        ("GRR", "krr", {}),
        ("k-rr", "krr", {}),
        ("OLH", "olh", {}),
        ("BLH", "olh", {"g": "2"}),
        ("oue", "unary_encoding", {"optimized": "yes"}),
        ("SUE", "unary_encoding", {"optimized": "no"}),
        ("Unary Encoding", "unary_encoding", {}),
        ("HR", "hadamard_response", {}),
        ("Subset-Selection", "subset_selection", {}),
        ("SS", "subset_selection", {}),
        ("CMS", "count_mean_sketch", {}),
    ],
)
def test_the_field_s_names_are_known_in_any_case(called, name, fixed):
    assert catalogue.resolved(called) == (name, fixed)
    assert catalogue.system_class(called) is catalogue.system_class(name)


def test_a_synonym_fixes_parameters_that_are_not_given_again():
    assert catalogue.make("BLH", {"d": "5", "eps0": "1"}) == catalogue.make("olh", {"d": "5", "eps0": "1", "g": "2"})
    with pytest.raises(BadInput, match=r"^BLH: g: expected none, it is olh with g=2$"):
        catalogue.make("BLH", {"d": "5", "eps0": "1", "g": "3"})


@pytest.mark.parametrize("name", catalogue.names())
def test_a_module_defines_one_system(name):
    module = sys.modules[catalogue.system_class(name).__module__]
    defined = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    made = [c for c in defined if issubclass(c, System) and not isabstract(c)]
    assert made == [catalogue.system_class(name)]


@pytest.mark.parametrize("row", catalogue.describe(), ids=lambda row: row["name"])
def test_descriptions_are_whole(row):
    assert row["what"].endswith(".") and "`" not in row["source"] and row["source"]
    assert row["views"] == (["shuffled"] if row["name"] in ENDLESS else ["shuffled", "preshuffle", "local"])
    assert all(p["meaning"] and not p["meaning"].endswith(".") for p in row["parameters"])


def test_a_description():
    (row,) = (row for row in catalogue.describe() if row["name"] == "r_infinity")
    assert row == {
        "name": "r_infinity",
        "synonyms": [],
        "what": "The randomizer R^infinity of BC Claim 19, which sends (x, 1 - x).",
        "parameters": [{"name": "w", "meaning": "probability that the user's bit goes first", "default": "1"}],
        "eps0_sets": None,
        "views": ["shuffled", "preshuffle", "local"],
        "source": "BC Claim 19",
        "reduction": True,
        "reach": " ".join(System.REACH.split()),
        "accuracy": True,
        "paper": False,
        "tasks": [],
    }
    assert not next(row for row in catalogue.describe() if row["name"] == "rappor")["reduction"]


@pytest.mark.parametrize("row", catalogue.describe(), ids=lambda row: row["name"])
def test_defaults_are_read_like_values(row):
    required = ENDLESS.get(row["name"]) or CASES[row["name"]][0].parameters
    given = {p["name"]: p["default"] for p in row["parameters"] if p["default"] is not None}
    least = {name: value for name, value in required.items() if name not in given}
    assert catalogue.make(row["name"], least) == catalogue.make(row["name"], least | given)


BAD = {  # parameters as they are typed: how the line that refuses them begins
    "zsun": "system: 'zsun' is unknown (did you mean zsum?): expected one of ",
    "qqqq": "system: 'qqqq' is unknown: expected one of ",
    "zsum": "zsum: no value for p: expected probability of a noise message",
    "hist d=2 q=1/2": "hist: 'q' is not a parameter: expected d, p",
    "zsum p=3/2": "p: 3/2 is not a probability: expected a rational in [0, 1]",
    "zsum p=x": "p: 'x' is not an exact number: ",
    "hist d=1 p=1/2": "d: 1: expected an integer from 2 to ",
    "rr flip=2/3": "flip: 2/3: expected a rational in [0, 1/2]",
    "rr flip=-1/3": "flip: -1/3 is not a probability",
    "krr k=1 gamma=1/2": "k: 1: expected an integer from 2 to ",
    "krr k=5/2 gamma=1/2": "k: 5/2: expected an integer from 2 to ",
    "krr k=3 gamma=1.01": "gamma: 101/100 is not a probability",
    "rappor d=0 flip=1/4": "d: 0: expected an integer from 2 to ",
    "fragmented_rappor d=2 flip=3/5": "flip: 3/5: expected a rational in [0, 1/2]",
    "r_infinity w=2": "w: 2 is not a probability",
    "r_gap weights0=1/2,1/2": "weights0: 2 weights: expected five, for the sums 0 to 4",
    "r_gap weights0=1,1,1,1,x": "weights0, sum 4: 'x' is not an exact number",
    "r_gap weights0=1/4,1/4,1/4,1/8,1/16": "weights0: the probabilities sum to 15/16: expected exactly 1",
    "r_gap weights0=1/4,1/4,1/4,1/4,0": "weights0: the sum 4 has probability 0: expected five positive",
    "r_gap weights1=1/5,1/5,1/5,1/5,1/5": "weights1: the sum 2 has probability 1/5: expected 0",
    "r_gap weights1=1/2,0,0,1/4,1/4": "weights1: the sum 1 has probability 0: expected 0 for",
    "support_identification h=5 d=4 p=1/2": "h: 5: expected at most d = 4",
    "support_identification h=0 d=4 p=1/2": "h: 0: expected an integer from 1 to ",
    "pointer_chasing k=0 l=4 p=1/2": "k: 0: expected an integer from 1 to ",
    "pointer_chasing k=1 l=10001 p=1/2": "l: 10001: expected an integer from 1 to 10000",
    "pointer_jumping s=1 h=4 p=1/2": "s: 1: expected an integer from 2 to ",
    "pointer_jumping s=256 h=4 p=1/2": "s, h: 256, 4: s^(s^(h-1)) values have too many digits",
    "blanket_sum k=0 gamma=1/2": "k: 0: expected an integer from 1 to ",
    "poisson lam=0": "lam: 0: expected a rational above 0",
    "poisson lam=3 sensitivity=0": "sensitivity: 0: expected an integer from 1 to 1000",
    "poisson lam=3 sensitivity=1001": "sensitivity: 1001: expected an integer from 1 to 1000",
    "negative_binomial r=-1 p=1/2": "r: -1: expected a rational above 0",
    "negative_binomial r=1 p=1": "p: 1: expected a rational strictly between 0 and 1",
    "discrete_laplace q=0": "q: 0: expected a rational strictly between 0 and 1",
    "poisson_hist buckets=1 lam=3": "buckets: 1: expected an integer from 2 to 1000000",
    "correlated q=1 r=1 p=1/2": "q: 1: expected a rational strictly between 0 and 1",
    "correlated q=1/2 r=0 p=1/2": "r: 0: expected a rational above 0",
    "correlated_hist buckets=2 q=1/2 r=1": "correlated_hist: no value for p: expected",
    "fake_users d=1 k=1 flip=1/4": "d: 1: expected an integer from 2 ",
    "fake_users d=2 k=-1 flip=1/4": "k: -1: expected an integer from 0 ",
    "fake_users d=2 k=1/2 flip=1/4": "k: 1/2: expected an integer from 0 ",
    "fake_users d=2 k=1 flip=2/3": "flip: 2/3: expected a rational in [0, 1/2]",
}


def given(text):
    """A name, and values for parameters, as they are typed."""
    name, *values = text.split()
    return name, dict(one.split("=", 1) for one in values)


@pytest.mark.parametrize("typed", BAD)
def test_bad_parameters_are_refused_in_one_clear_line(typed):
    name, parameters = given(typed)
    message = refused(lambda: catalogue.make(name, parameters))
    assert message.startswith(BAD[typed])
    names = len(", ".join(catalogue.names())) * ("is unknown" in message)  # which are all listed
    assert len(message) < max(400, names + 120)


UNPRESCRIBED = [  # what is given, users, eps, delta: how the line that refuses it begins
    ("zsum", 1450, "1", "1e-6", "n: 1450: expected at least 1451 for this eps and delta (BC Theorem 11)"),
    ("zsum", 10**9, "1.01", "1e-6", "eps: 101/100: expected above 0 and at most 1 (BC Theorem 11)"),
    ("zsum", 10**9, "0", "1e-6", "eps: 0: expected above 0 and at most 1"),
    ("zsum", 10**9, "1", "2", "delta: 2: expected above 0 and at most 1"),
    ("hist", 6080, "1", "1e-6", "n: 6080: expected at least 6081 for this eps and delta (BC Theorem 12 for"),
    ("hist", 10**9, "2.01", "1e-6", "eps: 201/100: expected above 0 and at most 2 (BC Theorem 12"),
    ("pointer_chasing", 10**9, "1.5", "1e-6", "eps: 3/2: expected above 0 and at most 1 (BC Claim 14)"),
    ("support_identification h=1000000", 10**9, "1", "0.6", "delta: 3/5: expected below (1/(200 h))^(1/25)"),
    ("blanket_sum", 1, "1", "1e-6", "n: 1: expected at least 2 (BBGN Theorem 3.1)"),
    ("blanket_sum", 100, "3/2", "1e-6", "eps: 3/2: expected above 0 and at most 1 (BBGN Theorem 3.1)"),
    ("blanket_sum", 100, "1", "1e-6", "n: 100: gamma = "),
    ("blanket_sum k=0", 100, "1", "1e-6", "k: 0: expected an integer from 1 to "),
    ("poisson", 1000, "0", "1/2", "eps: 0: expected eps > 0 (GKMP Theorem 11)"),
    ("poisson sensitivity=0", 1000, "1", "1/2", "sensitivity: 0: expected an integer from 1 to 1000"),
    ("negative_binomial", 1000, "1", "1", "delta: 1: expected a rational strictly between 0 and 1"),
    ("correlated q=1/3", 1000, "1", "1/2", "q: 1/3: expected log(1/q) below eps (GKMP Theorem 18)"),
    ("correlated_hist buckets=2 q=3/5", 1000, "1", "1/2", "q: 3/5: expected log(1/q) below eps / 2 (GKMP"),
    ("discrete_laplace", 1000, "1e-30", "1/2", "eps: 1/1000000000000000000000000000000: e^(-1 eps) is 1 in 64 bits"),
    ("fake_users", 10**6, "1", "1/10", "k: no value: expected -p k=..., "),
    ("fake_users k=0", 10**6, "1", "1/10", "k: 0: expected an integer from 1 "),
    ("fake_users k=1", 10**6, "0", "1/10", "eps: 0: expected eps > 0 "),
    ("fake_users k=1", 10**6, "1", "1", "delta: 1: expected a rational strictly between 0 and 1 "),
    ("fake_users k=1", 100, "1", "1/1000", "n: 100 users with 1 fake strings each: expected n k > "),
    ("fake_users k=4", 1, "50", "9/10", "n: 1 users with 4 fake strings each: expected n k > "),
]


@pytest.mark.parametrize(("typed", "n", "eps", "delta", "message"), UNPRESCRIBED)
def test_what_a_paper_cannot_prescribe_is_refused_in_one_line(typed, n, eps, delta, message):
    name, parameters = given(typed)
    prescribe = catalogue.system_class(name).paper
    assert refused(lambda: prescribe(n, Eps.of(eps), Fraction(delta), parameters)).startswith(message)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("hist", {"d": "13", "p": "1/2"}),
        ("rappor", {"d": "13", "flip": "1/4"}),
        ("fragmented_rappor", {"d": "13", "flip": "1/4"}),
        ("krr", {"k": "201", "gamma": "1/2"}),
    ],
)
def test_randomizers_too_large_to_write_out_are_refused(name, parameters):
    with pytest.raises(BadInput, match=r"^[dk]: \d+: the randomizer's .* are written out for [dk] <= \d+ only$"):
        catalogue.make(name, parameters).randomizer()


def test_a_float_is_refused():
    with pytest.raises(BadInput, match=r"flip: 0\.25 is a float"):
        catalogue.system_class("rr")(flip=0.25)
