"""`delta -o` and `epsilon -o`: two certificates in one file, one for each end, which the kernel accepts."""

import json
from fractions import Fraction

import pytest

import shufflecert
from shufflecert.verify import kernel
from tests.helpers import asked, call

KRR = ("krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 4)
CASES = {
    "delta, enumerated": ("delta", *KRR, "--eps", "1/2"),
    "delta, local": ("delta", *KRR, "--eps", "1/2", "--view", "local"),
    "eps, enumerated": ("epsilon", "rr", "-p", "flip=1/4", "--n", 6, "--delta", "1e-2"),
    "eps of a count": ("epsilon", "zsum", "-p", "p=0.9", "--n", 300, "--delta", "1e-4"),
    "delta of a table": ("delta", "rr", "-p", "flip=1/4", "--n", 200, "--eps", "1/5"),
    "who comes or goes": ("delta", "poisson", "-p", "lam=20", "--n", 50, "--eps", "1/2", "--adjacency", "add-remove"),
    "the other direction": ("delta", "poisson", "-p", "lam=20", "--n", 50, "--eps", "1/2"),
    "some are honest": ("delta", *KRR, "--eps", "1/2", "--honest", 3, "--take-part", "1/2"),
}


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES)
def test_the_file_holds_both_ends(capsys, tmp_path, arguments):
    path = tmp_path / "both.json"
    answer = asked(capsys, *arguments)
    status, out, _ = call(capsys, *arguments, "-o", path)
    assert status == 0 and out.count(f"  certificate: {path}: ") == 2 and out.count("(check accepts it)") == 2
    made = json.loads(path.read_text())
    assert [one["verdict"] for one in made] == ["PROVED", "REFUTED"]
    assert [one.status for one in kernel.check_all(path.read_bytes())] == ["accepted", "accepted"]
    key = "delta" if arguments[0] == "delta" else "epsilon"
    low, high = (Fraction(answer[key][end]) for end in ("lower", "upper"))
    upper, lower = (Fraction(one["claim"]["delta" if key == "delta" else "eps"]) for one in made)
    assert lower <= high and low <= upper and upper - lower <= (high - low) + high / 400


def test_no_certificate_is_about_given_others(capsys, tmp_path):
    status, _, err = call(capsys, "delta", *KRR, "--eps", 1, "--others", "0=3", "-o", tmp_path / "none.json")
    assert status == 2 and "a certificate is about all datasets" in err and not (tmp_path / "none.json").exists()


def test_check_in_python_reads_both_formats(capsys, tmp_path):
    path = tmp_path / "both.json"
    call(capsys, "delta", *KRR, "--eps", 1, "-o", path)
    assert shufflecert.check(path.read_bytes()).status == shufflecert.check(path).status == "accepted"
    made = shufflecert.certify("rr", 3, 1, "1/2", flip="1/4")
    assert shufflecert.check(made, made.certificate_text().encode()).status == "accepted"
    assert shufflecert.check(tmp_path / "none.json").status == "malformed"


def test_a_profile_has_a_claim_for_each_point(capsys, tmp_path):
    path = tmp_path / "curve.json"
    curve = ("profile", "rr,krr", "-p", "flip=1/4", "-p", "k=3", "-p", "gamma=1/2", "--n", 3, "--eps", "1/5,log(2)")
    status, out, _ = call(capsys, *curve, "-o", path)
    assert status == 0 and out.endswith(f"  certificate: {path}: 4 claims (check accepts all)\n")
    made = json.loads(path.read_text())
    assert [one["claim"]["eps"] for one in made] == ["1/5", "log(2)"] * 2
    assert {one.status for one in kernel.check_all(path.read_bytes())} == {"accepted"}
    points = [point for one in asked(capsys, *curve)["curves"] for point in one["points"]]
    for one, point in zip(made, points, strict=True):
        high = Fraction(point["upper"])
        assert one["verdict"] == "PROVED" and high <= Fraction(one["claim"]["delta"]) <= high * Fraction(1001, 1000)


def test_a_profile_that_is_no_bound_on_delta_has_no_certificates(capsys, tmp_path):
    path = tmp_path / "none.json"
    for kind in ("--trade-off", "--renyi=2"):
        status, _, err = call(capsys, "profile", "rr", "-p", "flip=1/4", "--n", 3, kind, "-o", path)
        assert status == 2 and "a certificate is about delta at an eps" in err and not path.exists()


def test_a_comparison_has_a_claim_for_each_system(capsys, tmp_path):
    path = tmp_path / "compared.json"
    what = ("compare", "sum", "--n", 50, "--eps", 1, "--delta", "1e-3", "--systems", "poisson,zsum", "-o", path)
    status, out, _ = call(capsys, *what)
    assert status == 0 and out.endswith(f"  certificate: {path}: 2 claims (check accepts all)\n")
    made = json.loads(path.read_text())
    assert {(one["verdict"], one["claim"]["eps"], one["claim"]["delta"]) for one in made} == {("PROVED", "1", "1/1000")}
    assert {one.status for one in kernel.check_all(path.read_bytes())} == {"accepted"}
