"""Certificates of compositions, as `compose -o` writes them: what the kernel accepts holds what was answered."""

import json
from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from tests.helpers import asked, call
from tests.judge_of_claims import judge, largest, powers

CASES = {
    "one number": ["poisson", "-p", "lam=9", "--n", "100", "--times", "3", "--eps", "1"],
    "an eps": ["poisson", "-p", "lam=30", "--n", "100", "--times", "3", "--delta", "1e-6"],
    "two systems": ["rr,zsum", "-p", "rr.flip=1/4", "-p", "zsum.p=1/2", "--n", "1,6", "--times", "2,1", "--eps", "1"],
    "losses on a lattice": ["discrete_laplace", "-p", "q=9/10", "--n", "10", "--times", "20", "--eps", "1"],
    "a histogram": ["hist", "-p", "d=3", "-p", "p=1/2", "--n", "30", "--times", "2", "--eps", "1"],
    "pairs that differ": ["zsum", "-p", "p=1/2", "--n", "12", "--times", "2", "--eps", "1", "--data", "adaptive"],
    "a table": ["krr", "-p", "k=3", "-p", "gamma=1/2", "--n", "5", "--times", "3", "--eps", "1/2"],
}


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES)
@pytest.mark.sampled(6)
def test_both_ends_are_certified_and_hold_the_answer(capsys, tmp_path, arguments):
    path = tmp_path / "both.json"
    answer = asked(capsys, "compose", *arguments, "-o", path)
    made = json.loads(path.read_text())
    assert [one["verdict"] for one in made] == ["PROVED", "REFUTED"]
    assert all(verdict.status == "accepted" for verdict in kernel.check_all(path.read_bytes()))
    high, low = made
    if "--eps" in arguments:
        ends = [Fraction(answer["delta"][end]) for end in ("lower", "upper")]
        assert Fraction(low["claim"]["delta"]) < ends[1] and ends[0] < Fraction(high["claim"]["delta"])
        assert Fraction(high["claim"]["delta"]) < Fraction(3, 2) * ends[1]
    else:
        ends = [Fraction(answer["epsilon"][end]) for end in ("lower", "upper")]
        assert Fraction(low["claim"]["eps"]) < ends[1] and ends[0] < Fraction(high["claim"]["eps"])
    _, words, _ = call(capsys, "check", path)
    assert "accepted: PROVED: eps = " in words and "REFUTED: eps = " in words


def test_a_table_whose_others_only_shift_what_is_seen_is_no_curve_of_dots(capsys, tmp_path):
    """Twenty dots on its curve, composed ten times, had 1.45 times the delta that was answered."""
    path = tmp_path / "both.json"
    call(capsys, "compose", "zsum", "-p", "p=9/10", "--n", "100", "--times", "5", "--eps", "3", "-o", path)
    high, low = (Fraction(one["claim"]["delta"]) for one in json.loads(path.read_text()))
    assert low < high < low * Fraction(1001, 1000)


@pytest.mark.long
def test_many_runs_are_on_a_lattice_that_the_kernel_has_the_time_for(capsys, tmp_path):
    """A year of counts: on as many cells as suit a few runs each end was too much work, and no file was written."""
    year = ["poisson", "-p", "lam=100", "--n", "10000", "--times", "365", "--delta", "1e-6"]
    test_both_ends_are_certified_and_hold_the_answer(capsys, tmp_path, year)


@pytest.mark.long
def test_two_tables_together_have_both_ends(capsys, tmp_path):
    """Their dots are proved by blocks and by all compositions: none came in 300 s, when each was looked at alone."""
    given = ["krr,rr", "-p", "krr.k=3", "-p", "krr.gamma=1/2", "-p", "flip=1/4", "--n", "1000", "--delta", "1e-6"]
    answer = asked(capsys, "compose", *given, "-o", tmp_path / "both.json")
    high, low = (Fraction(one["claim"]["eps"]) for one in json.loads((tmp_path / "both.json").read_text()))
    least, most = (Fraction(answer["epsilon"][end]) for end in ("lower", "upper"))
    assert low < most and least < high < Fraction(102, 100) * most and low > Fraction(98, 100) * least


@pytest.mark.parametrize("data", ["adaptive", "same"])
@pytest.mark.sampled(2)
def test_any_private_randomizer_has_its_upper_end_by_points(capsys, tmp_path, data):
    """No table says what is seen: no certificate was written, and the words asked for the view that was asked."""
    path, given = tmp_path / "upper.json", ["any_ldp", "-p", "eps0=1", "--n", "12", "--times", "2", "--eps", "1/2"]
    _, words, _ = call(capsys, "compose", *given, "--data", data, "-o", path)
    (upper,) = json.loads(path.read_text())
    assert upper["claim"]["runs"][0]["seen"] == {"users": 12, "each": {"private": ["1", "0"]}}
    assert kernel.check(path.read_bytes()).status == "accepted" and "or one, as krr" in words
    krr = asked(capsys, "compose", "krr", "-p", "k=2", "-p", "eps0=1", *given[3:], "--data", data)
    least = Fraction(krr["delta"]["lower"])  # of one that it speaks of
    assert least < Fraction(upper["claim"]["delta"]) < 8 * least
    upper["claim"]["delta"] = str(least)
    assert kernel.check(json.dumps([upper]).encode()).status != "accepted"


@pytest.mark.parametrize(
    "arguments",
    [
        "fragmented_rappor -p d=3 -p flip=1/4 --n 3 --eps 1 --max-work 1",
        "unary_encoding -p eps0=log(2) -p d=2 --n 2 --eps 1/2 --max-work 1",
        "fragmented_rappor -p d=2 -p flip=1/3 --n 4 --eps 1/2 --max-work 1 --data adaptive",
        "sample_and_threshold -p p=1/4 -p k=2 --n 4 --eps 1/2",
        "fake_users -p d=3 -p k=1 -p flip=1/4 --n 2 --eps 1 --max-work 1",
    ],
)
@pytest.mark.sampled(2)
def test_points_are_about_what_their_proofs_are_about(capsys, tmp_path, arguments):
    """Points about columns stood in a claim about messages, and of closer bounds than certificates state none came."""
    call(capsys, "compose", *arguments.split(), "--times", "2", "-o", tmp_path / "both.json")
    upper, lower = json.loads((tmp_path / "both.json").read_text())
    assert all(judge(one) and kernel.check(json.dumps(one).encode()).status == "accepted" for one in (upper, lower))
    truth = largest(upper["claim"], powers(upper["claim"])[0])
    upper["claim"]["delta"] = str(truth * Fraction(999, 1000))
    assert kernel.check(json.dumps(upper).encode()).status != "accepted"


@pytest.mark.parametrize(
    "arguments",
    ["priv_unit -p eps0=2 -p dim=5 --n 5", "priv_unit -p eps0=2 -p dim=5 --n 5 --times 2 --points 16"],
)
@pytest.mark.sampled(2)
def test_an_upper_end_is_as_close_as_certificates_state(capsys, tmp_path, arguments):
    """A bound for all randomizers is not as close as the system's own: its certificate was none at all."""
    command = "compose" if "--times" in arguments else "delta"
    answer = asked(capsys, command, *arguments.split(), "--eps", "1/2", "-o", tmp_path / "ends.json")
    upper = json.loads((tmp_path / "ends.json").read_text())[0]
    assert upper["verdict"] == "PROVED" and kernel.check(json.dumps(upper).encode()).status == "accepted"
    high, stated = Fraction(answer["delta"]["upper"]), Fraction(upper["claim"]["delta"])
    assert high < stated < 2 * high
    upper["claim"]["delta"] = str(high)
    assert kernel.check(json.dumps(upper).encode()).status != "accepted"


def test_a_file_that_says_less_is_not_accepted(capsys, tmp_path):
    path = tmp_path / "both.json"
    call(capsys, "compose", "poisson", "-p", "lam=9", "--n", "100", "--times", "4", "--eps", "2", "-o", path)
    high, low = json.loads(path.read_text())
    for tree, factor in ((high, Fraction(99, 100)), (low, Fraction(101, 100))):
        tree["claim"]["delta"] = str(Fraction(tree["claim"]["delta"]) * factor)
        path.write_text(json.dumps(tree))
        status, out, _ = call(capsys, "check", path)
        assert status == 3 and out.startswith(f"{path}: undecided: because.lattices: ")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--times", "2", "--group", "2"], "no certificate states a group's privacy"),
        (["--times", "1"], "one run alone: use certify"),
        (["--times", "2", "--parallel"], "certify each system alone"),
    ],
)
def test_what_no_certificate_states_is_refused(capsys, tmp_path, more, says):
    arguments = ["zsum", "-p", "p=1/2", "--n", "10", "--eps", "1", *more]
    status, _, err = call(capsys, "compose", *arguments, "-o", tmp_path / "none.json")
    assert status == 2 and says in err and not (tmp_path / "none.json").exists()


@pytest.mark.parametrize(
    ("name", "given", "asked", "truth"),
    [
        ("hist", ["d=2", "p=2/3"], "--eps=1", None),  # its datasets are enumerated: so the file has the table
        ("r_infinity", [], "--eps=1", Fraction(0)),  # both inputs' rows are the same multiset
        ("negative_binomial", ["r=1", "p=1/2"], "--eps=1", Fraction(3, 4)),  # 0 with the smaller sum only: 1 - 1/2^2
        ("discrete_laplace", ["q=1/2"], "--delta=1/100", None),  # no loss is above log 2
    ],
)
def test_runs_whose_losses_are_few_have_certificates(capsys, tmp_path, name, given, asked, truth):
    """Of two runs of three users; beyond the largest loss no more bits are looked for."""
    file = tmp_path / "made.json"
    params = [part for one in given for part in ("-p", one)]
    status, out, _ = call(capsys, "compose", name, *params, "--n", 3, "--times", 2, asked, "-o", file)
    made = json.loads(file.read_text())
    assert status == 0 and [one["verdict"] for one in made] == ["PROVED", "REFUTED"][: 1 if truth == 0 else 2], out
    assert all(kernel.check(json.dumps(one).encode()).status == "accepted" for one in made)
    if truth is not None:
        assert Fraction(made[-1]["claim"]["delta"]) <= truth <= Fraction(made[0]["claim"]["delta"])
