"""Every command, program and number in README.md and CONTRIBUTING.md is executed."""

import contextlib
import io
import re

import pytest

from tests.readme import ROOT, rewrite


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


def test_links_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text()):
            assert (ROOT / target).exists(), target
