"""`-p eps0=`: a local eps in the place of flip or gamma, exact where that is rational, else 64 bits with more noise."""

from fractions import Fraction

import pytest

from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, call

F = Fraction
SYSTEMS = [
    ("rr", {}, "flip"),
    ("krr", {"k": "4"}, "gamma"),
    ("rappor", {"d": "3"}, "flip"),
    ("fragmented_rappor", {"d": "3"}, "flip"),
    ("symmetric_rappor", {"d": "2"}, "flip"),
    ("blanket_sum", {"k": "2"}, "gamma"),
]


@pytest.mark.parametrize(("name", "given", "parameter"), SYSTEMS)
@pytest.mark.parametrize("eps0", ["0", "1/10", "1", "log(3)", "log(9/4)", "4"])
def test_the_local_eps_is_kept_and_nearly_attained(name, given, parameter, eps0):
    made, wanted = catalogue.make(name, {**given, "eps0": eps0}), Eps.of(eps0)
    found = epsilon(made, 1, 0, "local").eps
    assert found <= wanted
    assert found.bounds(96)[1] >= wanted.bounds(96)[0] * (1 - F(1, 2**60))
    value = getattr(made, parameter)
    assert value.denominator <= 2**80 or wanted.power is not None


def test_rational_parameters_stay_exact():
    assert catalogue.make("rr", {"eps0": "log(3)"}).flip == F(1, 4)
    assert catalogue.make("krr", {"k": "5", "eps0": "log(6)"}).gamma == F(1, 2)


def test_it_is_shown(capsys):
    status, out, _ = call(capsys, "delta", "rr", "-p", "eps0=log(3)", "--n", "9", "--eps", "1/2")
    assert status == 0 and "parameters (of eps0 = log(3), rounded to more noise, 64 bits): flip = 1/4" in out
    answer = asked(capsys, "delta", "rr", "-p", "eps0=log(3)", "--n", 9, "--eps", "1/2")
    assert answer["parameters"] == {"flip": "1/4"}
    assert answer["delta"] == asked(capsys, "delta", "rr", "-p", "flip=1/4", "--n", 9, "--eps", "1/2")["delta"]
