"""Lines said less than a certificate states: rounded to nearest; a promise was PROVED by one that check refused."""

from fractions import Fraction

import pytest

import shufflecert
from shufflecert.verify.answers.words import promise_text
from shufflecert.verify.commands import certificates
from shufflecert.verify.exact.epsilon import Eps
from tests.helpers import call

LONG = Fraction(1_234_567_891_234_567, 10**17 + 1)


@pytest.mark.parametrize(
    ("verdict", "eps", "delta", "words"),
    [
        ("PROVED", "1", LONG, "delta(1) <= 0.0123456790"),
        ("REFUTED", "1", LONG, "delta(1) > 0.0123456789"),
        ("PROVED", "1", 1 - Fraction(1, 10**30), "delta(1) <= 1"),
        ("PROVED", "log(3/2)", Fraction(1, 3), "delta(log(3/2)) <= 1/3"),
    ],
)
def test_a_printed_promise_is_rounded_to_the_side_on_which_it_holds(verdict, eps, delta, words):
    shown = promise_text(verdict, Eps.of(eps), delta)
    assert shown == words.replace("6790", "679")


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
def test_a_printed_eps_is_rounded_as_well(verdict):
    eps = Fraction(10**24 + 1, 3 * 10**24)
    at = Fraction(promise_text(verdict, Eps.of(eps), Fraction(1, 2))[6:].partition(")")[0])
    assert abs(at - eps) < Fraction(1, 10**8) and (at > eps) == (verdict == "PROVED")


def test_compare_writes_no_two_things_into_one_file(capsys, tmp_path):
    what = ("compare", "sum", "--n", 50, "--eps", 1, "--delta", "1e-3", "--systems", "poisson")
    status, _, err = call(capsys, *what, "--csv", tmp_path / "a", "-o", tmp_path / "." / "a")
    assert status == 2 and "--csv and -o are one file" in err and not (tmp_path / "a").exists()


def test_what_python_certifies_has_been_checked(monkeypatch):
    asked = {"n": 3, "eps": 1, "delta": "1/2", "flip": "1/4"}
    assert shufflecert.certify("rr", **asked).verdict == "PROVED"
    for status, verdict in (("undecided", "PROVED"), ("rejected", "UNDECIDED"), ("malformed", "UNDECIDED")):
        monkeypatch.setattr(certificates, "check", lambda data, status=status, **_: (status, "for a reason"))
        found = shufflecert.certify("rr", **asked)
        assert found.verdict == verdict and "for a reason" in found.tree["reason"]
        assert found.found.certificate is None
