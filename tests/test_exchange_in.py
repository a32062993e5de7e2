"""From dp-accounting, OpenDP and files of probabilities: what comes in is bounded.

Truths are sums in mpmath over all outcomes, or closed forms, at 60 digits. Doubles are compared as the exact binary
fractions that they are.
"""

import json
import re
import subprocess
import sys
from fractions import Fraction

import mpmath
import opendp.prelude as dp
import pytest
from dp_accounting.pld import privacy_loss_distribution as theirs
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify import kernel
from shufflecert.verify.compose.interchange import (
    from_dp_accounting,
    from_opendp,
    from_pmfs,
    from_profile,
)
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import randomizer_of
from tests import oracle
from tests.exchange_laws import hockey_stick, local
from tests.helpers import asked, call, few, is_one_line, some
from tests.reference import real

pytestmark = pytest.mark.usefixtures("sixty_digits")

# In: two laws ---------------------------------------------------------------------------------------------------------


def test_two_laws_exactly():
    found = delta(from_pmfs({"a": "3/4", "b": "0.25"}, {"b": "3/4", "c": Fraction(1, 4)}), 1, "log(2)", "local")
    assert found.delta == Fraction(3, 4)  # a; b has ratio 1/3
    assert randomizer_of(from_pmfs([1, 0], ["1/2", "1/2"])).inputs == ("P", "Q")


@pytest.mark.parametrize(
    ("p", "q", "options", "message"),
    [
        ([0.5, 0.5], ["1/2", "1/2"], {}, "P: 0: 0.5 is a float"),
        (["1/3"], [1], {}, "P: the probabilities sum to 1/3: expected exactly 1, or missing = pessimistic"),
        (["1/2", "0.5000000000000000000001"], [1], {}, "sum to 1 + 1/10000000000000000000000: expected exactly 1"),
        (["1/2", "2/3"], [1, 0], {"missing": "pessimistic"}, "P: the probabilities sum to 7/6"),
        ([1], [0.1] * 10, {"binary": True}, "Q: the probabilities sum to 1 + 1/18014398509481984"),  # 2^-54
        ([1], [0.1, 0.7, 0.2], {"binary": True}, "Q: the probabilities sum to 1 - 1/36028797018963968"),  # 2^-55
        ([float("nan")], [1], {"binary": True}, "P: 0: nan: expected a finite number"),
        (["3/2"], [1], {}, "P: 0: 3/2 is not a probability"),
        ([1], [1], {"missing": "renormalise"}, "missing: 'renormalise': expected refuse or pessimistic"),
        ({"only Q": "1/2"}, [1], {"missing": "pessimistic"}, "expected other names"),
        ({"a\n": 1}, [1], {}, "label"),
        ([], [1], {}, "P: the probabilities sum to 0"),
    ],
)
def test_bad_laws(p, q, options, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        from_pmfs(p, q, **options)


def test_floats_are_the_binary_fractions_that_they_are():
    made = from_pmfs([0.1, 0.7], [0.5, 0.5], missing="pessimistic", binary=True)
    assert dict(made.rows["P"].items()) == {
        ("0",): Fraction(0.1),
        ("1",): Fraction(0.7),
        ("only P",): 1 - Fraction(0.1) - Fraction(0.7),
    }


parts = st.lists(st.integers(0, 6), min_size=3, max_size=3)


@given(parts, parts, parts, parts, st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(4)]))
@some
def test_every_completion_is_bounded(p, q, more_p, more_q, power):
    """The lemma, at n = 1 and at n = 2 shuffled: random completions on known and new outcomes, by brute force."""
    totals = [sum(p) + sum(more_p), sum(q) + sum(more_q)]
    if not all(totals):
        return
    known = [{str(i): Fraction(w, t) for i, w in enumerate(law)} for law, t in zip((p, q), totals, strict=True)]
    bound = from_pmfs(*known, missing="pessimistic")
    complete = {}
    for name, law, more, total in zip("PQ", known, (more_p, more_q), totals, strict=True):
        extra = {str(i + 2): Fraction(w, total) for i, w in enumerate(more)}  # outcome 2 has some already
        complete[name] = {(o,): law.get(o, 0) + extra.get(o, 0) for o in {**law, **extra}}
    ours = {x: dict(law.items()) for x, law in bound.rows.items()}
    for dataset in (("P",), ("P", "P"), ("P", "Q")):
        neighbour = ("Q", *dataset[1:])
        true, claimed = (
            (oracle.multiset_law(rows, dataset), oracle.multiset_law(rows, neighbour)) for rows in (complete, ours)
        )
        for one, two in ((0, 1), (1, 0)):
            worst = [
                sum(max(w - power * laws[two].get(o, 0), 0) for o, w in laws[one].items()) for laws in (true, claimed)
            ]
            assert worst[0] <= worst[1]
            assert (sum(more_p) + sum(more_q) > 0) or worst[0] == worst[1]


# In: laws of losses and profiles --------------------------------------------------------------------------------------


def masses(law):
    dense = law.to_dense_pmf()
    return {dense._lower_loss + i: Fraction(float(f)) for i, f in enumerate(dense._probs) if f}


def claimed(law, eps):
    step = mpmath.mpf(law._discretization)
    finite = (real(f) * max(0, 1 - mpmath.exp(eps - i * step)) for i, f in masses(law).items())
    return mpmath.mpf(law._infinity_mass) + mpmath.fsum(finite)


LAWS = {
    "randomized response": lambda: theirs.from_randomized_response(0.5, 2),
    "four values": lambda: theirs.from_randomized_response(0.3, 4),  # masses sum to 1 + 1.4e-17
    "discrete Laplace": lambda: theirs.from_discrete_laplace_mechanism(0.5),
    "Laplace": lambda: theirs.from_laplace_mechanism(2.0, value_discretization_interval=1e-2),
    "Gaussian": lambda: theirs.from_gaussian_mechanism(3.0, value_discretization_interval=1e-2),
    "parameters": lambda: theirs.from_privacy_parameters(DifferentialPrivacyParameters(1.0, 1e-6)),
    "five times": lambda: theirs.from_discrete_laplace_mechanism(0.5).self_compose(5),  # sum of e^-loss P above 1
    "asymmetric": lambda: theirs.from_gaussian_mechanism(3.0, sampling_prob=0.1, value_discretization_interval=1e-2),
    "all lost": lambda: made({0: 0.0}, 1.0),
}


def made(masses, infinite):
    return theirs.PrivacyLossDistribution.create_from_rounded_probability(masses, infinite, 0.5)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.sampled(3)
def test_a_law_of_losses_comes_in_as_a_bound(name):
    pld = LAWS[name]()
    for law, randomizer in zip((pld._pmf_remove, pld._pmf_add), from_dp_accounting(pld), strict=True):
        P, Q = local(randomizer)
        assert sum(P) == sum(Q) == 1
        for (outcome,), q in randomizer.rows["Q"].items():
            if outcome.startswith("loss"):
                loss = int(outcome.split()[1]) * mpmath.mpf(law._discretization)
                assert real(q) <= real(randomizer.rows["P"][(outcome,)]) * mpmath.exp(-loss)
        for eps in (0.0, 0.49, 0.505, 1.0):
            stated, found = claimed(law, eps), hockey_stick(P, Q, eps)
            # as stated but for what the sum of the masses is off (5e-13 for connected dots), and 2^-63 of Q
            assert stated - 1e-18 <= found + 1e-15 and found <= stated + 1e-12
            asked = delta(randomizer, 1, Fraction(eps), "local").delta  # both directions
            assert real(Fraction(asked.enclosure()[1])) >= found - mpmath.mpf(10) ** -50


@given(
    st.dictionaries(st.integers(-4, 4), st.integers(0, 8), min_size=1), st.integers(0, 3), st.sampled_from([-1, 0, 2])
)
@few
def test_what_a_law_dominates_the_pair_dominates(weights, infinite, off):
    """A convex T with T(0) = 1 and T <= m = max(stated, 1 - x) has T(x) <= 1 - (1 - m(y)) x/y for all y >= x: so has
    every true pair's curve, and the imported pair's is no smaller than that at any loss; also where sums are off.
    """
    total = sum(weights.values()) + infinite
    if not total:
        return
    law = {i: w / total for i, w in weights.items()}
    most = max(law, key=law.get)
    law[most] = min(1.0, max(0.0, law[most] + off / 50))
    pld = made(law, infinite / total)
    P, Q = local(from_dp_accounting(pld)[0])
    eps = [mpmath.mpf(i) / 2 for i in range(-5, 6)]
    m = [max(claimed(pld._pmf_remove, e), 1 - mpmath.exp(e)) for e in eps]
    for i, e in enumerate(eps):
        bound = min(1 - (1 - m[j]) * mpmath.exp(e - eps[j]) for j in range(i, len(eps)))
        assert hockey_stick(P, Q, e) >= bound - mpmath.mpf(10) ** -18


@pytest.mark.parametrize(
    ("pld", "message"),
    [
        (lambda: theirs.from_randomized_response(0.5, 2, pessimistic_estimate=False), "remove: an optimistic estimate"),
        (lambda: made({0: 1.25, 1: -0.25}, 0.0), "remove[0]"),
        (lambda: made({0: 1.0, 1: -0.25}, 0.0), "remove[1]: -1/4 is not a probability"),
        (lambda: made({0: float("nan")}, 0.0), "remove[0]: nan"),
        (lambda: made({}, 0.5), "P: the probabilities sum to 1/2"),
        (lambda: {"remove": 1}, "expected a PrivacyLossDistribution of dp-accounting"),
    ],
)
def test_bad_laws_of_losses(pld, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        from_dp_accounting(pld())


def gaussian(scale, eps):
    """delta(eps) of N(1, scale^2) against N(0, scale^2) (Balle and Wang 2018, Theorem 8)."""
    a, e = mpmath.mpf(1) / (2 * scale), mpmath.mpf(eps)
    return mpmath.ncdf(a - e * scale) - mpmath.exp(e) * mpmath.ncdf(-a - e * scale)


def test_a_profile_of_opendp_comes_in_as_a_bound():
    noise = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=4.0)
    theirs_profile = dp.c.make_zCDP_to_approxDP(noise).map(1)
    randomizer = from_opendp(theirs_profile, [Fraction(i, 20) for i in range(41)])
    P, Q = local(randomizer)
    for i in range(81):
        found = max(hockey_stick(P, Q, Fraction(i / 40)), hockey_stick(Q, P, Fraction(i / 40)))
        assert found >= gaussian(4, i / 40)
        if i % 2 == 0:
            assert found <= mpmath.mpf(theirs_profile.delta(i / 40)) * (1 + mpmath.mpf(10) ** -15)


def test_points_of_a_profile():
    made = from_profile([("0", "1/2"), ("log(3)", "1/10"), ("2", 0)])
    for eps, bound in ((0, Fraction(1, 2)), ("log(3)", Fraction(1, 10))):
        assert delta(made, 1, eps, "local").delta == bound
    between = delta(made, 1, "log(2)", "local").delta
    assert between == Fraction(1, 2) + (Fraction(1, 10) - Fraction(1, 2)) / 2  # the chord, in e^eps from 1 to 3
    rational = delta(from_profile([("0", "1/2"), ("1", "1/10"), ("2", 0)]), 1, 1, "local").delta
    assert 0 <= rational.minus(Fraction(1, 10)) <= Fraction(1, 2**63)  # e is no rational: the point next to it counts
    with pytest.raises(BadInput, match=re.escape("points[1]: delta: 0.1 is a float")):
        from_profile([(0, 1), (1, 0.1)])
    with pytest.raises(BadInput, match=re.escape("points[0]: eps: -1: expected a rational from 0")):
        from_profile([(-1, 1)])


@pytest.mark.parametrize(
    ("name", "eps"), [("randomized response", "1"), ("discrete Laplace", "1/4"), ("five times", "1")]
)
def test_the_kernel_accepts_what_came_in(name, eps):
    randomizer, _ = from_dp_accounting(LAWS[name]())
    bound = delta(randomizer, 1, eps, "local").delta.enclosure(6)[1]
    for target, verdict in ((bound, "PROVED"), (Fraction(bound) / 2, "REFUTED")):
        result = certify(randomizer, 1, eps, target, "local")
        assert result.verdict == verdict
        checked = kernel.check(result.certificate_text().encode())
        assert checked.status == "accepted", checked.reason
        assert verdict in checked.reason


# The commands ---------------------------------------------------------------------------------------------------------


CSV = "outcome,p,q\na,3/4,0.25\nb,0.25,3/4\n"


def test_import_and_certify(capsys, tmp_path):
    source, certificate = tmp_path / "laws.csv", tmp_path / "c.json"
    source.write_text(CSV)
    for table in (tmp_path / "table.json", tmp_path / "table.toml"):
        answer = asked(capsys, "import", source, "-o", table)
        assert answer["outcomes"] == {"P": 2, "Q": 2} and answer["missing"] == {"P": "0", "Q": "0"}
        assert asked(capsys, "epsilon", table, "--view", "local", "--delta", 0)["epsilon"]["exact"] == "log(3)"
        bound = ("--view", "local", "--eps", "1", "--delta", "1/10")
        asked(capsys, "certify", table, *bound, "-o", certificate)
        done = subprocess.run([sys.executable, "-I", "-S", kernel.__file__, str(certificate)], capture_output=True)
        assert done.returncode == 0 and b"accepted: PROVED" in done.stdout
        certificate.unlink()


def test_import_of_doubles(capsys, tmp_path):
    """numpy writes doubles that do not sum to 1: they are taken bit by bit, and what is missing tells most."""
    source, table = tmp_path / "laws.json", tmp_path / "table.json"
    source.write_text('{"p": [0.1, 0.7, 0.2], "q": {"0": 0.3, "1": 0.3, "2": 0.3}}')
    status, _, err = call(capsys, "import", source, "-o", table)
    assert status == 2 and is_one_line(err) and "0.1 is a float" in err and not table.exists()
    answer = asked(capsys, "import", source, "-o", table, "--binary", "--missing", "pessimistic")
    lacking = {"P": 1 - sum(map(Fraction, (0.1, 0.7, 0.2))), "Q": 1 - 3 * Fraction(0.3)}
    assert {name: Fraction(share) for name, share in answer["missing"].items()} == lacking
    found = asked(capsys, "delta", table, "--view", "local", "--eps", 1)["delta"]["exact"]
    assert (Fraction(found["A"]), Fraction(found["B"])) == (lacking["Q"] + 0, 0) or Fraction(found["A"]) >= lacking["P"]
    text = tmp_path / "laws.csv"
    text.write_text("p,q\n0.1,0.3\n0.7,0.3\n0.2,0.3\n")
    again = asked(capsys, "import", text, "-o", table, "--binary", "--missing", "pessimistic", "--force")
    assert again["missing"] == answer["missing"]
    exact = asked(capsys, "import", text, "-o", table, "--missing", "pessimistic", "--force")
    assert exact["missing"] == {"P": "0", "Q": "1/10"}


def test_labels_survive(capsys, tmp_path):
    source = tmp_path / "laws.json"
    names = ['say "no"', "back\\slash", "ü", "😀", "a = [1]", "#"]
    source.write_text(json.dumps({"p": dict.fromkeys(names, "1/6"), "q": {"ü": 1}}))
    for table in (tmp_path / "t.toml", tmp_path / "t.json"):
        asked(capsys, "import", source, "-o", table)
        assert asked(capsys, "delta", table, "--view", "local", "--eps", 0)["delta"]["exact"] == {"A": "5/6", "B": "0"}


NO_PROFILE = {  # the content of a file, and what is said of it
    "eps,delta\n0,0.1\n1,0.5\n": "delta rises in eps",
    "eps,delta\n1,0.5\n0,0.1\n": "delta rises in eps",
    "eps,delta\n1,0.1\n1,0.2\n": "two deltas",
    "system,eps,lower,upper\nx,0,0.1,0.2\nx,1,0.3,0.4\n": "delta rises in eps",
    "eps,delta\n": "only a header",
    "outcome,p,q\n": "only a header",
    "\n": "expected the header",
    "a,b\n1,2\n": "line 1: a,b: expected the header",
}


@pytest.mark.parametrize(
    ("name", "content", "more", "message"),
    [
        *(("a.csv", text, more, said) for text, said in NO_PROFILE.items() for more in ((), ("--binary",))),
        ("a.csv", "eps,delta\n1,0.1\nlog(3),0.2\n", (), "from eps = 1 to log(3): expected a profile, which falls"),
        ("a.csv", "eps,delta\n1,0.1\nlog(3),0.2\n", ("--binary",), "line 3: eps: 'log(3)' is not an exact number"),
        ("a.csv", "", (), "expected the header"),
        ("a.csv", "p,q\n1\n", (), "line 2: 1 values: expected 2"),
        ("a.csv", "p,q\n1,x\n", (), "Q: '0': 'x' is not an exact number"),
        ("a.csv", "p,q\n1,x\n", ("--binary",), "line 2: q: 'x' is not an exact number"),
        ("a.csv", "outcome,p,q\na,1,0\na,0,1\n", (), "'a' stands in two lines"),
        ("a.csv", "p,q\n1/2,1\n", (), "P: the probabilities sum to 1/2"),
        ("a.csv", "p,q\n1/2,1\n2/3,0\n", ("--missing", "pessimistic"), "P: the probabilities sum to 7/6"),
        ("a.csv", "p,q\n1,1\n", ("--missing", "guess"), "missing: 'guess'"),
        ("a.csv", "eps,delta\n1,2\n", (), "points[0]: delta: 2 is not a probability"),
        ("a.csv", "system,eps,lower,upper\na,0,0,1\nb,0,0,1\n", (), "several systems"),
        ("a.csv", b"\xff\xfe", (), "byte 0: not UTF-8 text"),
        ("a.json", "[1]", (), 'expected {"p": ..., "q": ...}'),
        ("a.json", '{"p": 1, "q": []}', (), "p: expected"),
        ("a.json", '{"p": [1], "p": [1], "q": [1]}', (), "'p' stands twice"),
        ("a.json", '{"p": [NaN], "q": [1]}', ("--binary",), "P: 0: nan"),
        ("a.json", '{"p": [[1]], "q": [1]}', (), "P: 0: [1] is not an exact number"),
        ("a.json", "{", (), "not JSON"),
        ("a.txt", "", (), "unknown kind of file"),
        ("missing/a.csv", None, (), "a.csv: no such file"),
    ],
)
def test_bad_imports(capsys, tmp_path, name, content, more, message):
    source, table = tmp_path / name, tmp_path / "table.toml"
    if content is not None:
        source.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, err = call(capsys, "import", source, "-o", table, *more)
    assert (status, out) == (2, "") and is_one_line(err) and message in err and str(source) in err
    assert not table.exists()


def test_import_does_not_write_over_a_file(capsys, tmp_path):
    source, table = tmp_path / "a.csv", tmp_path / "t.json"
    source.write_text(CSV)
    table.write_text("mine")
    status, _, err = call(capsys, "import", source, "-o", table)
    assert status == 2 and "exists" in err and table.read_text() == "mine"
    assert call(capsys, "import", source, "-o", table, "--force")[0] == 0
    status, _, err = call(capsys, "import", source, "-o", tmp_path / "t.yaml")
    assert status == 2 and "expected a .toml or .json file" in err


def test_bounds_that_overlap_are_a_profile(capsys, tmp_path):
    """The upper end alone may rise: the ends were rounded."""
    (tmp_path / "a.csv").write_text("system,eps,lower,upper\nx,0,0.1,0.2\nx,1,0.1,0.21\n")
    assert call(capsys, "import", tmp_path / "a.csv", "-o", tmp_path / "a.toml")[0] == 0
