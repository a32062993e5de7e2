"""decide/certify.py: the verdict is the truth's, and the certificate convinces two checkers of other code."""

import json
from contextlib import suppress
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import Claim, certify
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from tests import judge_of_claims, oracle
from tests.helpers import EXPONENTS, POWERS, VIEWS, engine, few, random_cases, randomizers

TINY = Fraction(1, 10**60)


def confirmed(result):
    """The certificate as the file that it would be, after both checkers have agreed to it."""
    data = result.certificate_text().encode()
    assert kernel.check(data).status == "accepted", kernel.check(data).reason
    with suppress(judge_of_claims.Open):
        assert judge_of_claims.judge(json.loads(data))
    return json.loads(data)


def excess(tree, certificate, t):
    """P(E) - t Q(E) of a refutation's pair and event, by the oracle."""
    because = certificate["because"]
    view, pair, outcomes = (
        certificate["claim"]["runs"][0]["seen"]["view"],
        because["pair"],
        because["event"]["outcomes"],
    )
    if view == "shuffled":
        others = [x for x, count in pair["others"].items() for _ in range(count)]
        laws = [oracle.convolved_law(tree, (x, *others)) for x in (pair["from"], pair["to"])]
    else:
        law_of = oracle.local_law if view == "local" else oracle.preshuffle_law
        laws = [law_of(tree, x) for x in (pair["from"], pair["to"])]
    if view == "local":
        assert all(isinstance(outcome, list) for outcome in outcomes)
        event = [tuple(outcome) for outcome in outcomes]
    else:
        event = [tuple(sorted(m for m, count in bag.items() for _ in range(count))) for bag in outcomes]
    assert len(set(event)) == len(event) > 0
    P, Q = (sum((law.get(y, Fraction(0)) for y in event), Fraction(0)) for law in laws)
    return P - t * Q


@random_cases(1500, 10)
@given(randomizers(), st.integers(1, 3), st.sampled_from(VIEWS), st.sampled_from(POWERS))
def test_verdicts_flip_exactly_at_the_truth(tree, n, view, t):
    """delta at the truth, just above and just below, for rational t = e^eps."""
    truth = oracle.delta(tree, n, t, view)
    for delta, verdict in [(truth, "PROVED"), (truth + TINY, "PROVED"), (truth - TINY, "REFUTED")]:
        if 0 <= delta <= 1:
            result = certify(engine(tree), n, Eps.log(t), delta, view)
            assert result.verdict == verdict
            certificate = confirmed(result)
            if verdict == "REFUTED":
                assert excess(tree, certificate, t) > delta


@few
@given(randomizers(), st.integers(1, 3), st.sampled_from(VIEWS), st.sampled_from(EXPONENTS[1:]))
def test_rational_eps_is_decided_within_1e_30_of_the_truth(tree, n, view, exponent):
    a, b = oracle.delta_parts(tree, n, exponent, view)
    low, high = oracle.exp_bounds(exponent, 60)  # e^(5/2) to better than 1e-50
    for delta, verdict in [
        (a - b * low + Fraction(1, 10**30), "PROVED"),
        (a - b * high - Fraction(1, 10**30), "REFUTED"),
    ]:
        if 0 <= delta <= 1:
            result = certify(engine(tree), n, exponent, delta, view)
            assert result.verdict == verdict
            certificate = confirmed(result)
            assert verdict == "PROVED" or excess(tree, certificate, high) > delta


def test_the_certificate_is_of_the_documented_form():
    tree = {"x": {("a", "b"): Fraction(1, 2), (): Fraction(1, 2)}, "y": {("b", "a"): Fraction(1)}}
    assert json.loads(certify(engine(tree), 2, "log(3/2)", "0.5", note="mine").certificate_text()) == {
        "format": "shufflecert certificate",
        "note": "mine",
        "claim": {
            "runs": [
                {
                    "seen": {
                        "users": 2,
                        "view": "shuffled",
                        "each": {
                            "rows": [
                                {"input": "x", "outputs": [{"send": ["a", "b"], "p": "1/2"}, {"send": [], "p": "1/2"}]},
                                {"input": "y", "outputs": [{"send": ["b", "a"], "p": "1"}]},
                            ]
                        },
                    },
                    "times": 1,
                }
            ],
            "neighbours": "replace",
            "eps": "log(3/2)",
            "delta": "1/2",
        },
        "verdict": "PROVED",
        "because": {"pairs": [{"from": "x", "to": "y", "tree": ["each"]}, {"from": "y", "to": "x", "tree": ["each"]}]},
    }


@pytest.mark.parametrize(("delta", "needed"), [("1/17", 1), ("1/16", 2), ("1/10", 2), ("1/8", 3)])
def test_refutations_have_only_what_they_need(delta, needed):
    # local view of r_gap: each of 6 tuples with two ones has 1/16 against 0, and delta is to be exceeded
    result = certify(engine(oracle.r_gap()), 5, "log(2)", delta, "local")
    certificate = confirmed(result)
    assert certificate["because"]["pair"] == {"from": "0", "to": "1"}
    assert len(certificate["because"]["event"]["outcomes"]) == needed
    assert [list(outcome) for outcome in result.event] == certificate["because"]["event"]["outcomes"]
    assert all(outcome.count("1") == 2 for outcome in certificate["because"]["event"]["outcomes"])


def test_a_refutation_that_hangs_on_1e_25():
    # a has 1/2 against 1/10, c has 10^-25 against 0: to exceed delta(1) - 10^-25/2 takes both, however e is rounded
    little = Fraction(1, 10**25)
    rows = {
        "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 2) - little, ("c",): little},
        "1": {("a",): Fraction(1, 10), ("b",): Fraction(9, 10)},
    }
    _, high = oracle.exp_bounds(Fraction(1), 60)
    result = certify(engine(rows), 1, 1, Fraction(1, 2) - high / 10 + little / 2, "local")
    assert confirmed(result)["because"]["event"]["outcomes"] == [["a"], ["c"]]


def test_one_pair_is_looked_at_that_symmetries_move_to_all_others():
    """By a single symmetry it came to three; of krr with k = 6 and n = 8 to 15, which was too much for the kernel."""
    because = confirmed(certify(engine(oracle.krr(3, "1/3")), 2, 1, 1))["because"]
    swaps = [{"0": "1", "1": "0"}, {"1": "2", "2": "1"}]
    assert because["renamings"][:2] == [{"inputs": swap, "messages": swap} for swap in swaps]
    assert len(because["renamings"]) == 5 and sum("tree" in entry for entry in because["pairs"]) == 1


def test_a_single_input_is_proved_with_no_pair():
    certificate = confirmed(certify(engine({"0": {(): Fraction(1)}}), 4, 0, 0))
    assert certificate["because"] == {"pairs": []}


@pytest.mark.parametrize("delta", [0, "1/1000"])
def test_undecided_states_nothing(monkeypatch, delta):
    """With e^eps known to 2 bits only, however many are asked for, rr at eps = 1 is undecided and says so."""
    coarse = {64: (Fraction(2), Fraction(4))}
    monkeypatch.setattr(Eps, "bounds", lambda self, bits: coarse[64])
    result = certify(engine(oracle.rr("1/4")), 2, 1, delta)
    assert (result.verdict, result.certificate, result.worst) == ("UNDECIDED", None, None)
    assert "bits" in result.reason
    with pytest.raises(Undecided):
        result.certificate_text()


def test_a_refutation_gives_the_events_probabilities():
    """Two users, three ones in all, (1*4 + 4*0 + 6*4 + 4*1)/160 on (0, 1), (1*4 + 4*0 + 0*4 + 4*1) / 100 on (1, 1)."""
    result = certify(engine(oracle.r_gap()), 2, "log(2)", 0)
    assert result.event == ({"0": 5, "1": 3},)
    assert result.probabilities == (Fraction(1, 5), Fraction(2, 25))


@pytest.mark.parametrize("above", [False, True])
def test_a_claim_too_close_to_the_truth_is_undecided_until_there_are_bits_enough(above):
    """rr, one user, eps = 1/2: delta = 3/4 - e^(1/2) / 4, by hand; the claim is that to 60 decimals, by mpmath."""
    with mpmath.workdps(80):
        digits = int(mpmath.floor((mpmath.mpf(3) / 4 - mpmath.exp(mpmath.mpf(1) / 2) / 4) * mpmath.mpf(10) ** 60))
    claim = (engine(oracle.rr("1/4")), 1, "1/2", Fraction(digits + above, 10**60), "local")
    coarse = certify(*claim, max_bits=64)
    assert (coarse.verdict, coarse.certificate) == ("UNDECIDED", None) and "64 bits" in coarse.reason
    assert coarse.worst.delta == certify(*claim).worst.delta  # the value itself is exact all the same
    assert certify(*claim).verdict == ("PROVED" if above else "REFUTED")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((2, 0, "1.0000001"), "delta: 10000001/10000000 is not a probability"),
        ((2, 0, -1), "delta: -1 is not a probability"),
        ((2, 0, 0.1), 'delta: 0.1 is a float, and floats are not exact: write "0.1"'),
        ((2, "log(1/2)", 0), r"eps: log\(1/2\)"),
        ((1.0, 0, 0), "n: 1.0 is a float"),
        ((2, 0, 0, "server"), "view: 'server' is unknown"),
    ],
)
def test_bad_claims(arguments, complaint):
    with pytest.raises(BadInput, match=complaint):
        certify(engine(oracle.rr("1/4")), *arguments)


def test_numbers_of_any_length_are_written():
    # 1 - 10^-2000 for each of 3 users: denominators of 6000 digits are no trouble for the kernel either
    p = Fraction(1, 10**2000)
    result = certify(engine(oracle.zsum(p)), 3, "log(2)", 1)
    assert result.verdict == "PROVED"
    assert Claim.to_json(result.claim)["runs"][0]["seen"]["each"]["rows"][0]["outputs"][1]["p"] == "1/1" + "0" * 2000
    assert kernel.check(result.certificate_text().encode()).status == "accepted"
