"""Certificates that the kernel did not accept, or that said less, or more, than is so."""

import json
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import shufflecert
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.answers.words import promise_text
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.cli import main
from shufflecert.verify.commands import certificates
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.kernel import check
from shufflecert.verify.systems.catalogue import make
from shufflecert.verify.systems.population import populated
from tests.asked import decided
from tests.helpers import call, engine

# A worst delta below 10^-100000 was written with an exponent that certificates may not have: the kernel refused it.


def test_a_delta_below_1e_100000():
    # 4 users who send c with p or 3p, p = 10^-30000: only "all c" has a ratio of 3, above 2.99; its weight is about p^4
    p = Fraction(1, 10**30000)
    rows = {x: {("c",): c, ("a",): 1 - c} for x, c in (("0", 3 * p), ("1", p))}
    result = certify(engine(rows), 4, "log(2.99)", 1)
    written = result.certificate_text().encode()
    assert kernel.check(written).status == "accepted"


# Weights of 2^52 for a single message made a window of the kernel too long: the certificate was not re-checked.


MORE = {"0": {("a",) * 6: Fraction(1)}, "1": {("a",) * 3: Fraction(1, 7), ("a",) * 6: Fraction(6, 7)}}


def test_weights_have_no_common_factor():
    found = decided(Randomizer.of(MORE), 5, "1/5", "1/8", 10**7)
    assert found.verdict == "REFUTED"
    assert found.certificate["because"]["event"]["weights"] == {"a": "-1"}
    assert check(found.certificate_text().encode()).status == "accepted"


# A refutation of a delta below 10^-150 named a tail that its window did not reach: the kernel rejected it.


@pytest.mark.parametrize("delta", ["9e-488", "1e-900", "0"])
def test_a_refutation_of_a_tiny_delta(delta):
    """delta(1) is 9.06e-488 there (its proof by windows of the kernel accepts 9.07e-488)."""
    found = certify(ZSum(rational("1/2")), 10**4, 1, delta)
    assert found.verdict == "REFUTED"
    assert kernel.check(found.certificate_text().encode()).status == "accepted"
    kept = certify(ZSum(rational("1/2")), 10**4, 1, "9.07e-488")
    assert kept.verdict == "PROVED" and kernel.check(kept.certificate_text().encode()).status == "accepted"


# A refutation of zsum by a lower tail of the count named a tail that was short by one message: the kernel said no.


def test_the_named_tail_is_the_one_that_was_found():
    """With p < 1/2 the lower tail is the worst event: next to the delta that it has the certificate is accepted."""
    system, n = ZSum("1/10"), 2000
    found = delta(system, n, "1/10", effort=Effort(work=10))
    assert found.scope.worst.source == "0"
    below = Fraction(found.delta.enclosure()[0]) * Fraction(999_999, 1_000_000)
    result = certify(system, n, "1/10", below, effort=Effort(work=10))
    assert result.certificate["because"]["event"]["weights"] == {"1": "-1"}
    assert kernel.check(result.certificate_text().encode()).status == "accepted"


# Columns of fair coins hide everything, so that delta = 0: their certificate had no datasets to name.


FAIR = {
    "fragmented_rappor": {"d": "2", "flip": "1/2"},
    "symmetric_rappor": {"d": "3", "m": "1", "flip": "1/2"},
}


@pytest.mark.parametrize("name", FAIR)
@pytest.mark.parametrize(("eps", "delta"), [(1, Fraction(1, 10**6)), (0, 0)])
def test_nothing_is_certified(name, eps, delta):
    found = certify(make(name, FAIR[name]), 1000, eps, delta, effort=Effort(work=1))
    assert found.verdict == "PROVED"
    assert kernel.check(found.certificate_text().encode()).status == "accepted"


def test_a_calibration_that_ends_there_writes_what_is_accepted(tmp_path):
    """No flip but 1/2 keeps (0, 0): two laws differ wherever the coin is not fair."""
    path = tmp_path / "fair.json"
    values, asked = (
        ["-p", "d=2", "--over", "flip", "--step", "1/8"],
        ["--n", "60", "--max-work", "1", "--eps", "0", "--delta", "0"],
    )
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "fragmented_rappor", *values, *asked, "-o", str(path)])
    assert ended.value.code == 0
    assert kernel.check(path.read_bytes()).status == "accepted"


# Certificates built by an attacker: one printed 10^-91 as 0.000..., three would pass with a slip of one line.


TESTS = Path(__file__).parents[1]
SLIPS = {
    "rejected/boxes-dropped.json": "delta(eps) is above delta",
    "rejected/shortcut-high.json": "delta(eps) is above delta",
    "undecided/blanket-missed-mass.json": "is above delta",
}


def test_leading_zeros_are_malformed():
    assert kernel.check_file(TESTS / "malformed/delta-leading-zeros.json").status == "malformed"


def test_a_long_delta_is_shown_by_both_its_ends():
    """A claim of delta = 1, written so that its first digits are zeros after a point, was shown as a small number."""
    rows = {
        x: [{"send": ["a"], "p": p}, {"send": ["b"], "p": q}] for x, p, q in (("0", "3/4", "1/4"), ("1", "1/4", "3/4"))
    }
    seen = writing.rows({"rows": [{"input": x, "outputs": row} for x, row in rows.items()]}, 1)
    why = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    claim = writing.claim([(seen, 1)], "replace", "0", Fraction(1, 2)) | {"delta": f"{10**100}/{10**100}"}
    said = kernel.check(json.dumps(writing.certificate(claim, "PROVED", why)).encode())
    assert said.status == "accepted" and "of 203 characters with SHA-256" in said.reason


def test_a_mechanism_is_named_with_all_its_numbers():
    seen = {"users": 1, "each": {"up to": 3}, "added": {"law": "poisson", "lam": "7"}}
    claim = writing.claim([(seen, 1)], "replace", "1", Fraction(1))
    said = kernel.check(json.dumps(writing.certificate(claim, "PROVED", {})).encode())
    assert said.status == "accepted" and all(word in said.reason for word in ("poisson", '"7"', '"up to": 3'))


@pytest.mark.parametrize("name", SLIPS)
def test_what_a_slip_of_one_line_would_accept(name):
    status, reason = kernel.check_file(TESTS / name)
    assert status == Path(name).parent.name and SLIPS[name] in reason


# Lines said less than a certificate states: rounded to nearest; a promise was PROVED by one that check refused.


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
        says = SimpleNamespace(check=lambda data, status=status: (status, "for a reason"))
        monkeypatch.setattr(certificates, "kernel", says)
        found = shufflecert.certify("rr", **asked)
        assert found.verdict == verdict and "for a reason" in found.tree["reason"]
        assert found.found.certificate is None


# A label of a reference stood unquoted in the kernel's accepted line, and a binomial's n = 10 read like users.


def line(capsys, tmp_path, *arguments, label=None):
    """The accepted line of a claim; `label` takes the place of the input 2."""
    file = tmp_path / "c.json"
    call(capsys, "certify", *arguments, "-o", file, "--force")
    if label is not None:
        file.write_text(file.read_text().replace('"2"', json.dumps(label)))
    found = kernel.check_file(file)
    assert found.status == "accepted", found
    return found.reason


KRR = ("krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 6, "--eps", 1, "--delta", 1, "--adjacency", "deletion")
WORST = 'x", eps = 0, delta = 0, y = "'


def test_a_label_cannot_pass_for_a_claim(capsys, tmp_path):
    """With delta = 1 anything is true; a label that reads "eps = 0, delta = 0" stays between its quotes."""
    said = line(capsys, tmp_path, *KRR, "--reference", 2, label=WORST)
    assert r'{"deletion": {"x\", eps = 0, delta = 0, y = \"": "1"}}' in said
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", said)
    assert bare.count("eps = ") == bare.count("delta = ") == 1 and said.startswith('PROVED: eps = "1", delta = "1", ')
    assert '{"0": "1/2", "1": "1/2"}' in line(capsys, tmp_path, *KRR, "--reference", "0=1/2,1=1/2")


def test_a_long_label_is_cut_outside_its_quotes(capsys, tmp_path):
    said = line(capsys, tmp_path, *KRR, "--reference", 2, label=90 * "z")
    assert f'{{"{20 * "z"}...{20 * "z"} of 90 characters with SHA-256 ' in said


def test_the_numbers_of_a_law_stand_in_its_brackets(capsys, tmp_path):
    """What stands beside "users" is users; the numbers of a law stand in its object."""
    for name, trials, size in (("zsum -p p=9/10", 10**7, 10**7), ("binomial_noise -p coins=10", 10, 3)):
        said = line(capsys, tmp_path, *name.split(" "), "--n", size, "--eps", 1, "--delta", "1/2")
        assert f'"added": {{"law": "binomial", "n": {trials}, "p": ' in said
    assert '"users": 6, ' in line(capsys, tmp_path, *KRR, "--reference", 2)


# One user and `--max-work 1`: a division by 0 where an event was looked for, and a certificate that is malformed.


ONE = "log(3)"
# Of one user, delta(log 3) = sum over what is sent of max(P - 3 Q, 0), by hand:
ASKED = {
    "krr": ({"k": "3", "gamma": "1/2"}, Fraction(2, 3) - Fraction(3, 6)),  # the truth 2/3, another value 1/6
    "rappor": ({"d": "2", "flip": "1/4"}, Fraction(9, 16) - Fraction(3, 16)),  # the own bit alone 9/16, against 1/16
    "blanket_sum": ({"k": "2", "gamma": "1/2"}, Fraction(2, 3) - Fraction(3, 6)),  # krr over 0, 1, 2
    "zsum": ({"p": "1/4"}, Fraction(3, 4)),  # 0 + 0 or 1 against 1 + 0 or 1: 0 is seen of one of them alone
}


@pytest.mark.parametrize("name", ASKED)
def test_both_verdicts_on_one_user_are_certified(name):
    values, delta = ASKED[name]
    system = make(name, values)
    for bound, verdict in ((delta * Fraction(99, 100), "REFUTED"), (delta * Fraction(101, 100), "PROVED")):
        found = certify(system, 1, ONE, bound, effort=Effort(work=1))
        assert found.verdict == verdict
        assert kernel.check(found.certificate_text().encode()).status == "accepted"


def test_a_user_who_comes_or_goes_alone_is_told_of_the_work():
    system = populated(make("krr", {"k": "3", "gamma": "1/2"}), Presence.of("add-remove", None, None, 1))
    with pytest.raises(TooMuchWork, match="--max-work"):
        certify(system, 1, Eps.of(1), Fraction(1, 10), effort=Effort(work=1))


# Where a curator's noise is all there is, a user who comes or goes was written as one who is replaced: a refutation
# that the kernel found malformed, or a certificate of another claim. delta(log(3/2)) of the noise against its shift by
# 1, by hand: P/Q is 2 from the middle of a discrete Laplace law on, of mass 2/3; of 3 coins the laws are 1, 3, 3, 1.
COME_AND_GO = {
    "discrete_laplace": ({"q": "1/2"}, Fraction(2, 3) * (1 - Fraction(3, 4))),
    "binomial_noise": ({"coins": "3"}, Fraction(1, 8) + (3 - Fraction(3, 2)) / 8),
}


@pytest.mark.parametrize("name", COME_AND_GO)
def test_both_verdicts_on_a_user_who_comes_or_goes_to_a_curator(name):
    values, delta = COME_AND_GO[name]
    system = populated(make(name, values), Presence.of("add-remove", None, None, 1))
    for bound, verdict in ((delta * Fraction(99, 100), "REFUTED"), (delta * Fraction(101, 100), "PROVED")):
        found = certify(system, 5, "log(3/2)", bound)
        assert (found.verdict, found.certificate["claim"]["neighbours"]) == (verdict, "add-remove")
        assert kernel.check(found.certificate_text().encode()).status == "accepted"
        named = found.worst.scope.worst
        assert "" in (named.source, named.target)


# Of few users the worst pair of PrivUnit that is known is one beside the two opposite inputs: KeyError, where the table
# of a refutation was looked for among these alone. Here delta(1/2) is from 0.0158 on, as the kernel finds too.


def test_a_pair_beside_the_opposite_one_is_refuted():
    found = certify(make("priv_unit", {"dim": "3", "eps0": "1"}), 8, "1/2", Fraction(1, 1000))
    assert found.verdict == "REFUTED" and found.worst.scope.worst.target.startswith("x' at ")
    assert kernel.check(found.certificate_text().encode()).status == "accepted"


# A claim that no finite eps is enough gave way to no smaller eps once the largest was too much work for check, as if
# the smaller one said more. 4 coins against their shift by 1: the mass of all heads, 1/16, is left at every eps.


def test_a_refutation_gives_way_to_one_of_a_smaller_eps(monkeypatch, tmp_path):
    asked, real = list[str](), kernel.check

    def busy(data):
        asked.append(json.loads(data)["claim"]["eps"])
        return kernel.Verdict("undecided", "too much work") if asked[-1] == "10000" else real(data)

    monkeypatch.setattr(kernel, "check", busy)
    place = tmp_path / "ends.json"
    found = shufflecert.epsilon("binomial_noise", n=3, coins=4, delta="1/20", output=place)
    assert found.lower == float("inf") and asked == ["10000", "1000"]
    assert json.loads(place.read_text())[0]["claim"]["eps"] == "1000"
