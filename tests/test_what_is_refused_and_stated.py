"""Names of what is no claim of this kind, with what can be asked; what a certificate is about; the deployed systems."""

import re

import pytest

from shufflecert.protocols import REFUSED
from shufflecert.protocols.gallery import DEPLOYED, GALLERY
from shufflecert.verify import kernel
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, call


@pytest.mark.parametrize("name", ["planar_laplace", "Planar Laplace", "WitchHat", "geo-indistinguishability"])
def test_metric_privacy_is_refused_with_what_can_be_asked(capsys, name):
    status, _, error = call(capsys, "epsilon", name, "--n", 10, "--delta", "1e-6")
    assert status == 2 and "metric privacy" in error and "any_ldp with eps0 = the largest distance" in error


def test_inputs_without_bounds_are_refused_with_what_can_be_asked(capsys):
    status, _, error = call(capsys, "epsilon", "unbounded_gaussian", "--n", 10, "--delta", "1e-6")
    assert status == 2 and "inputs without bounds" in error and "clipped" in error


def test_a_refusal_names_systems_that_are_there_and_refuses_none_of_them():
    assert not {*REFUSED} & {*catalogue.names()}
    for why in REFUSED.values():
        named = set(re.findall(r"\b(any_ldp|laplace|gaussian)\b", why.split("What can be asked:")[1]))
        assert named and named <= {*catalogue.names()}


def test_an_answer_says_what_its_certificate_is_about(capsys, tmp_path):
    of = ["certify", "HR", "-p", "eps0=1", "-p", "K=1024", "--n", 10_000, "--delta", "1e-6"]
    for eps, verdict, about in (
        ("1/10", "PROVED", "any 1-private randomizer (any_ldp), of which this is one"),
        ("1/50", "REFUTED", "not every 1-private randomizer (any_ldp) satisfies it"),
    ):
        file = tmp_path / f"{verdict}.json"
        status = int(verdict == "REFUTED")
        answer = asked(capsys, *of, "--eps", eps, "-o", file, status=status)
        assert answer["verdict"] == verdict and answer["states"].startswith(about)
        assert kernel.check_file(file).status == "accepted"
    out = call(capsys, *of, "--eps", "1/10", "-o", tmp_path / "again.json")[1]
    assert "again.json (check accepts it), about any 1-private randomizer (any_ldp)" in out
    written = asked(capsys, "certify", "krr", "-p", "k=3", "-p", "eps0=1", "--n", 3, "--eps", 1, "--delta", "1/2")
    assert "states" not in written  # its own table


def test_the_gallery_has_systems_at_the_size_at_which_they_are_deployed(capsys):
    names = [one.name for one in (*GALLERY, *DEPLOYED)]
    assert len(names) == len(set(names))
    assert all(one.randomizer().unwritten() for one in DEPLOYED)  # else an entry with a table would do
    (row,) = asked(capsys, "audit", "--gallery", "hadamard_response_1024", "--large", 10_000)["gallery"]
    assert row["verdict"] == "PROVED" and row["inputs"] == 1023 and row["messages"] is None
    ends = asked(capsys, "epsilon", "HR", "-p", "eps0=1", "-p", "K=1024", "--n", 10_000, "--delta", "1e-6")["epsilon"]
    assert row["shuffled"]["lower"] == ends["lower"] and row["shuffled"]["upper"] == ends["upper"]
