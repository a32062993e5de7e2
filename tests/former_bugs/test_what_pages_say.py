"""Pages that were named after a file, drew points that nobody computed, and hid their answers in fractions."""

import json
import re
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction

import pytest

from shufflecert import certify, profile, system
from shufflecert.verify.answers.calibrated import Calibration
from tests.helpers import asked, call
from tests.report_pages import written

RUNS = ("krr", "-p", "k=4", "-p", "eps0=2")
KRR = (*RUNS, "--n", 6)
GAMMA = "14204750766998578431/36893488147419103232"  # of eps0 = 2 and k = 4: 4 / (4 + e^2 - 1), in 64 bits, up


@pytest.fixture
def page(capsys, tmp_path):
    def of(*arguments, status=0):
        """The page of a command's answer, and the answer."""
        tree = asked(capsys, *arguments, status=status)
        (tmp_path / "an answer.json").write_text(json.dumps(tree))
        file = tree.get("certificate") or tmp_path / "an answer.json"
        made = tmp_path / "a.html"
        reader = written(capsys, file, made, "--force")
        reader.html = made.read_text()
        reader.title = re.findall(r"<h1>(.*?)</h1>", reader.html, re.S)[0]
        return reader, tree

    return of


TITLES = {
    ("epsilon", *KRR, "--delta", "1e-6"): "krr, n = 6, delta = 1e-6",
    ("delta", *KRR, "--eps", "1/2"): "krr, n = 6, eps = 0.5",
    ("profile", *KRR, "--eps", "0:1:3"): "krr, n = 6",
    ("compose", *RUNS, "--n", 3, "--times", 2, "--eps", 1): "krr, n = 3, 2 times, eps = 1",
    ("calibrate", "zsum", "--n", 100, "--eps", 1, "--delta", "1e-2"): "zsum, n = 100, eps = 1, delta = 0.01",
    ("compare", "sum", "--systems", "zsum", "--n", 9, "--eps", 1, "--delta", 0.1): "sum, n = 9, eps = 1, delta = 0.1",
    ("search", "claim-18", "--messages", 2, "--denominator", 3): "claim-18",
}


@pytest.mark.parametrize("arguments", TITLES, ids=lambda arguments: arguments[0])
@pytest.mark.usefixtures("no_matplotlib")
def test_titles_name_what_the_answer_is_about(page, arguments):
    reader, _ = page(*arguments)
    assert reader.title == TITLES[arguments]


@pytest.mark.usefixtures("no_matplotlib")
def test_a_certificate_is_titled_by_its_claim(page, tmp_path):
    claim = ("--n", 200, "--eps", "1/2", "--delta", "1/10", "-o", tmp_path / "b.json")
    reader, _ = page("certify", "rr", "-p", "flip=1/4", *claim)
    assert reader.title == "rr, n = 200, eps = 0.5, delta = 0.1"


def test_a_refutation_says_that_something_is_not_private(page, tmp_path):
    claim = ("--n", 2, "--eps", "1/10", "--delta", "1/100", "-o", tmp_path / "b.json")
    reader, _ = page("certify", "rr", "-p", "flip=1/4", *claim, status=1)
    assert "NOT PRIVATE: the refutation was verified" in reader.text and "and accepted" not in reader.text


@pytest.mark.usefixtures("no_matplotlib")
def test_a_note_of_somebody_is_no_title(capsys, tmp_path):
    """What a stranger's file says of itself is told as that, and is not the page's first line."""
    call(capsys, "certify", "rr", "-p", "flip=1/4", "--n", 3, "--eps", 2, "--delta", "1/10", "-o", tmp_path / "b.json")
    tree = json.loads((tmp_path / "b.json").read_text())
    for note in ("Approved by everybody", "approved: --n 3", ""):
        (tmp_path / "c.json").write_text(json.dumps(tree | {"note": note}))
        reader = written(capsys, tmp_path / "c.json", tmp_path / "c.html", "--force")
        assert "PROVED, and accepted: A randomizer of 2 inputs, n = 3, eps = 2, delta = 0.1 " in reader.text


def test_headlines_hold_the_answer(page):
    reader, tree = page("profile", *KRR, "--eps", "0:1:3")
    first, last = (tree["curves"][0]["points"][i] for i in (0, -1))
    headline = reader.text[: reader.text.index("These are the numbers of an answer")]
    for point in (first, last):
        assert f"at eps = {point['eps']}" in headline and point["lower"][:5] in headline
    reader, tree = page("search", "preshuffle-gap", "--max-messages", 2, "--denominator", 5, status=1)
    headline = reader.text[: reader.text.index("These are the numbers of an answer")]
    assert tree["hits"][0]["words"][1:] in headline and "2 of 235 cases" in headline


@pytest.mark.usefixtures("no_matplotlib")
def test_long_fractions_are_decimals_with_the_exact_value_in_a_fold(page, tmp_path):
    claim = ("--delta", "1e-6", "-o", tmp_path / "b.json")
    alike = Fraction(GAMMA) / 4  # how often krr sends one of the other values
    for arguments, exact in (
        (("certify", *KRR, *claim), alike),
        (("epsilon", *KRR, "--delta", "1e-6"), Fraction(GAMMA)),
    ):
        reader, _ = page(*arguments)
        shown = re.sub(r"<details[^>]*>.*?</details>|<pre>.*?</pre>|href=.*?>", "", reader.html, flags=re.S)
        folds = re.findall(r"<details[^>]*>.*?</details>", reader.html, re.S)
        digits = Context(prec=12, rounding=ROUND_DOWN).divide(Decimal(exact.numerator), Decimal(exact.denominator))
        assert f"{digits}..." in shown and any(str(exact) in fold for fold in folds)
        assert not re.search(r"\d{12}/\d{12}|\d{10}\.\.\.\d", shown)


@pytest.mark.usefixtures("no_matplotlib")
def test_a_local_eps_that_was_given_is_shown(page, tmp_path):
    reader, tree = page("epsilon", *KRR, "--delta", "1e-6")
    assert tree["given"] == {"k": "4", "eps0": "2"} and tree["parameters"] == {"k": "4", "gamma": GAMMA}
    assert "eps0 2" in reader.text
    _, tree = page("profile", *KRR, "--eps", "0:1:3")
    assert tree["curves"][0]["given"] == {"k": "4", "eps0": "2"}
    _, tree = page("compose", "krr,rr", "-p", "k=4", "-p", "krr.eps0=2", "-p", "flip=1/4", "--n", 6, "--eps", 1)
    assert tree["given"] == [{"k": "4", "eps0": "2"}, {"flip": "1/4"}]
    _, tree = page("epsilon", "rr", "-p", "flip=1/4", "--n", 10, "--delta", "1e-6")
    assert "given" not in tree
    page("certify", *KRR, "--delta", "1e-6", "-o", tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["note"] == "krr -p k=4 -p eps0=2 --n 6"


def test_python_shows_a_local_eps_too():
    krr = system("krr", k=4, eps0=2)
    assert krr == system("krr", k=4, gamma=GAMMA)
    assert profile(krr, n=4, eps="0:1:2").tree["curves"][0]["given"] == {"k": "4", "eps0": "2"}
    assert certify(krr, n=4, eps=1, delta=1).tree["given"] == {"k": "4", "eps0": "2"}


def test_a_calibration_draws_what_was_computed(capsys):
    """Of two sides often one alone is looked at: the other was drawn at 0, or at 1."""
    question = ("any_ldp", "--over", "eps0", "--step", "1/10", "--n", 1000, "--eps", 1, "--delta", "1e-4")
    tree = asked(capsys, "calibrate", *question)
    points = [{key: Fraction(p[key]) for key in ("value", "lower", "upper")} for p in tree["search"]["points"]]
    computed = {"lower": {p["lower"] for p in points if p["lower"] > 0}, "upper": {p["upper"] for p in points}}
    assert any(p["lower"] == 0 or p["upper"] == 1 for p in points)
    axes = Calibration(tree).plot().axes[0]
    heights = [float(y) for line in axes.lines if len(line.get_xdata()) > 2 for y in line.get_ydata()]
    known = [float(y) for side in computed.values() for y in side if y < 1]
    assert heights and all(any(abs(y - z) <= 1e-12 * z for z in known) for y in heights)
