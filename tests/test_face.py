"""The face: what README promises can be imported, is documented, and answers as the rooms behind it do."""

import inspect
import subprocess
import sys
from fractions import Fraction

import pytest

import shufflecert
from protocols.krr import KRR
from tests import oracle


def test_every_name_is_there_and_documented():
    assert len(set(shufflecert.__all__)) == len(shufflecert.__all__)
    for name in shufflecert.__all__:
        assert inspect.getdoc(getattr(shufflecert, name)), name


def test_the_face_only_hands_on():
    assert len(inspect.getsource(shufflecert).splitlines()) <= 84
    assert not inspect.getmembers(shufflecert, lambda x: inspect.isfunction(x) and x.__module__ == "shufflecert")


def test_numbers_against_the_oracle():
    krr = shufflecert.system("krr", k=3, gamma="3/10")
    assert krr == KRR(k=3, gamma=Fraction(3, 10))
    rows, power = oracle.krr(3, "3/10"), Fraction(3, 2)
    assert shufflecert.delta(krr, n=3, eps="log(3/2)").delta == oracle.delta(rows, 3, power)
    certified = shufflecert.certify(krr, n=3, eps="log(3/2)", delta="9/10")
    assert certified.verdict == "PROVED"
    assert shufflecert.check(certified.certificate_text().encode()).status == "accepted"


@pytest.mark.parametrize("value", [0.3, "x", None, True])
def test_parameters_are_exact(value):
    with pytest.raises(shufflecert.BadInput) as error:
        shufflecert.system("krr", k=3, gamma=value)
    assert "\n" not in str(error.value)


def test_python_m():
    command = [sys.executable, "-m", "shufflecert", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("shufflecert ")
