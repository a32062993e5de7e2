"""What stands behind refutations: the kernel accepts the certificates, and the inequalities hold, in fractions."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from scipy.stats import binom

from shufflecert.proofs.ledger import statements
from shufflecert.proofs.refutations import WITNESSES
from shufflecert.proofs.witness import Certificate, Evaluation, binomial, evaluate
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.verify import kernel
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.reduction import worst_delta

CERTIFICATES = [(name, one) for name, several in WITNESSES.items() for one in several if isinstance(one, Certificate)]
EVALUATIONS = [(name, one) for name, several in WITNESSES.items() for one in several if isinstance(one, Evaluation)]


def test_witnesses_are_of_statements():
    assert set(WITNESSES) <= {one.name for one in statements()}


@pytest.mark.parametrize(("name", "one"), CERTIFICATES, ids=lambda given: given if isinstance(given, str) else "")
def test_the_kernel_accepts_the_certificate(name, one):
    made = one.made()
    assert kernel.check(made.certificate_text().encode()).status == "accepted"
    assert one.command.startswith(f"shufflecert certify {one.system} -p ")


def test_a_certificate_with_another_verdict_is_told():
    wrong = Certificate("zsum", {"p": "63/100"}, 2, "log(3/2)", "0.398", "REFUTED")
    with pytest.raises(ArithmeticError, match="PROVED: expected REFUTED"):
        wrong.made()


@pytest.mark.parametrize(("name", "one"), EVALUATIONS, ids=lambda given: given if isinstance(given, str) else "")
def test_an_inequality_holds_for_python_s_own_fractions(name, one):
    """Python evaluates the same text, each whole number a Fraction."""

    class Numbers(dict):
        def __missing__(self, key):
            raise AssertionError(key)

    def terms(n, p, low, high):
        n, low, high = int(n), int(low), int(high)
        if n > 1000:  # too many digits for term by term
            return Fraction(binom.cdf(high, n, float(p)) - binom.cdf(low - 1, n, float(p)))
        return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(low, high + 1))

    import re

    def factorial(k):
        return Fraction(1) if k == 0 else k * factorial(k - 1)

    text = re.sub(r"\d+", lambda digits: f"F({digits.group()})", one.inequality)
    known = Numbers(F=Fraction, comb=lambda n, k: Fraction(comb(int(n), int(k))), factorial=factorial, binomial=terms)
    assert eval(text, {"__builtins__": {}}, known) is True
    assert one.meaning


@pytest.mark.parametrize("text", ["1 < 0", "1/2 + 1/3 == 1/6", "comb(4, 2) != 6", "1 < 2 < 2", "1 < 2 and 2 < 1"])
def test_a_false_inequality_does_not_hold(text):
    with pytest.raises(ArithmeticError, match="does not hold"):
        Evaluation(text, "false").check()


@pytest.mark.parametrize("text", ["e > 2", "0.5 < 1", "2**(1/2) > 1", "open(1)", "1 < 2 or 1", "True", "'a' < 'b'"])
def test_only_whole_numbers_and_their_fractions_are_evaluated(text):
    with pytest.raises((ValueError, ArithmeticError)):
        Evaluation(text, "none").check()


def test_a_binomial_sum_is_its_terms():
    p = Fraction(2, 7)
    assert binomial(Fraction(9), p, Fraction(2), Fraction(5)) == sum(
        comb(9, k) * p**k * (1 - p) ** (9 - k) for k in range(2, 6)
    )
    assert evaluate("binomial(5, 1/3, 0, 5) == 1") is True


# Theorem 13 for every sensitivity ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("eps", "sensitivity"), [*product(("2", "9", "26"), (2, 7, 60)), ("26.6", 900)])
@pytest.mark.sampled(3)
def test_what_is_proved_of_theorem_13_is_so_by_the_engine(eps, sensitivity):
    """Where the proof is tightest, at delta near 1 (r < 1, and r from 1 to 4 and above), and at small delta."""
    for bound in ("0.99999", "0.99", "0.9", "0.3", "1e-6"):
        given = NegativeBinomialSum.paper(1, Eps.of(eps), Fraction(bound), {"sensitivity": str(sensitivity)})
        system = NegativeBinomialSum(given["r"], given["p"], sensitivity)
        assert worst_delta(system.reach(1), Eps.of(eps), enough=Fraction(bound)).value.high <= Fraction(bound)
