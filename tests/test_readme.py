"""Every command, program and number in README.md and CONTRIBUTING.md is executed."""

import contextlib
import io
import json
import re
from fractions import Fraction

import pytest

from protocols.catalogue import load
from tests.readme import ROOT, rewrite
from verify import kernel
from verify.certify import Claim
from verify.errors import TooMuchWork
from verify.neighbours import neighbourhood
from verify.number import Eps


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_commands_print_what_the_document_shows(name, tmp_path):
    assert rewrite(ROOT / name, tmp_path) == (ROOT / name).read_text()


def test_the_python_example_prints_what_its_comments_say():
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program, {})
    eps, pieces, verdict, histogram = output.getvalue().splitlines()
    assert eps.startswith("log(") and pieces.endswith("linear pieces") and int(pieces.split()[0]) > 2
    assert verdict == "PROVED" and len(eval(histogram.replace("Fraction", "__import__('fractions').Fraction"))) == 3


def test_noise_figures():
    """1 - p = 50 ln(2/delta) / (eps^2 n) for n = 2000, eps = 1, delta = 1e-6 (BC Figure 1), and the factor saved."""
    from mpmath import log, mpf

    prescribed = 50 * log(2 / mpf("1e-6")) / 2000
    assert f"{float(prescribed):.4f}" == "0.3627"
    assert 20 <= prescribed / mpf("0.018") < 21


@pytest.mark.parametrize(
    ("system", "parameters", "n"),
    [("zsum", {"p": "0.982"}, 20000), ("rr", {"flip": "1/4"}, 3000), ("krr", {"k": "3", "gamma": "3/10"}, 150)],
)
def test_where_enumeration_ends(system, parameters, n):
    randomizer = load(system, parameters).randomizer()
    neighbourhood(randomizer, n)
    with pytest.raises(TooMuchWork):
        neighbourhood(randomizer, 2 * n)


@pytest.mark.parametrize(("n", "begun"), [(3000, True), (6000, False)])
def test_where_the_kernel_asks_for_more(n, begun):
    """The estimate that the kernel makes first: a product with one user's law for each of the others, and two more."""
    claim = Claim(load("zsum", {"p": "0.982"}).randomizer(), n, Eps.of(1), Fraction(1, 10**6)).to_json()
    worst = {"pair": {"from": "1", "to": "0", "others": {"0": n - 1}}, "delta": {"lower": "0", "upper": "1"}}
    tree = {"format": "shufflecert certificate", "version": 1, "claim": claim, "verdict": "PROVED"}
    tree["evidence"] = {"symmetries": [], "worst": worst}
    certificate = kernel.read(json.dumps(tree).encode(), kernel.MAX_WORK)
    assert (kernel.work(certificate, n + 1) <= kernel.MAX_WORK) is begun


def test_links_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text()):
            assert (ROOT / target).exists(), target
