"""Reports: the numbers enclose the oracle's, for certificates of every form and for answers of every command."""

import base64
import json
import math
import re
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from math import comb
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shufflecert import certify, system
from shufflecert import profile as profile_of
from shufflecert.verify import kernel
from shufflecert.verify.answers import answer_page, certificate_laws, certificate_page, page, plots
from shufflecert.verify.answers.calibrated import Calibration
from shufflecert.verify.answers.certificate_page import Checked
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.helpers import asked, call, few, randomizers
from tests.report_pages import (
    CALIBRATION,
    HERE,
    HOSTILE,
    PROFILE,
    ROWS,
    Reader,
    audit_tree,
    carried,
    certificate,
    comparison,
    ends,
    profile,
    written,
)


@pytest.fixture(autouse=True)
def _few_points(monkeypatch):
    """A curve is drawn through three points; which points these are is no matter of a page."""
    monkeypatch.setattr(certificate_page, "POINTS", 3)
    monkeypatch.setattr(certificate_page, "FEWER", 3)


# Numbers -------------------------------------------------------------------------------------------------------------


def read(tree):
    [parts] = certificate_laws.read(json.dumps(tree).encode())
    return parts, certificate_laws.laws(parts)


def encloses(enclosure, truth, width=Fraction(1, 10**40)):
    return enclosure.low <= truth <= enclosure.high <= enclosure.low + width


@st.composite
def refutations(draw):
    """(randomizer, view, dataset D, dataset D', event): some of the event's outcomes never happen."""
    tree, view = draw(randomizers()), draw(st.sampled_from(("shuffled", "shuffled", "preshuffle", "local")))
    source, target = draw(st.permutations(sorted(tree)))[:2]
    others = draw(st.lists(st.sampled_from(sorted(tree)), max_size=2)) if view == "shuffled" else []
    datasets = [(source, *others), (target, *others)]
    messages = sorted({m for row in tree.values() for send in row for m in send})
    seen = sorted(set().union(*(oracle.view_law(tree, dataset, view) for dataset in datasets)))
    event = draw(st.lists(st.sampled_from(seen), unique=True, max_size=4))
    if messages and view == "shuffled":
        never = tuple(sorted(draw(st.lists(st.sampled_from(messages), max_size=4))))
        event += [never] if never not in event else []
    return tree, view, datasets, event


HALF = Fraction(1, 2)
SURE = {"0": {(): HALF, ("a", "b"): HALF}, "1": {("a",): HALF, ("a", "a", "b"): HALF}}  # all on 1 send an "a" for sure


@few
@given(refutations())
@example((SURE, "shuffled", [("0", "1"), ("1", "1")], [()]))
def test_probabilities_of_events_are_the_oracles(found):
    tree, view, datasets, event = found
    outcomes = event if view == "shuffled" else [outcome[0] for outcome in event]
    others = {x: datasets[0][1:].count(x) for x in datasets[0][1:]}
    pair = {"from": datasets[0][0], "to": datasets[1][0]} | ({"others": others} if view == "shuffled" else {})
    written_as = [list(sent) if view == "local" else {m: sent.count(m) for m in sent} for sent in outcomes]
    parts, laws = read(certificate(tree, view, len(datasets[0]), pair, {"outcomes": written_as}))
    exact = [
        sum((oracle.view_law(tree, dataset, view).get(y, Fraction(0)) for y in event), Fraction(0))
        for dataset in datasets
    ]
    shown = certificate_laws.event_probabilities(parts, laws)
    assert all(encloses(*both) for both in zip(shown, exact, strict=True))
    low, high = oracle.exp_bounds(Fraction(1, 10), 40)
    value = certificate_laws.excess(Eps.of("1/10"), *shown)
    assert value.low <= exact[0] - low * exact[1] and value.high >= exact[0] - high * exact[1]


@few
@given(randomizers(), st.lists(st.integers(-3, 3), min_size=3, max_size=3), st.integers(-4, 6), st.data())
def test_probabilities_of_thresholds_are_the_oracles(tree, numbers, above, data):
    messages = sorted({m for row in tree.values() for send in row for m in send})
    weights = dict(zip(messages, numbers, strict=False))
    source, target = data.draw(st.permutations(sorted(tree)))[:2]
    others = data.draw(st.lists(st.sampled_from(sorted(tree)), max_size=2))
    pair = {"from": source, "to": target, "others": {x: others.count(x) for x in others}}
    event = {"weights": {m: str(w) for m, w in weights.items()}, "above": str(above)}
    parts, laws = read(certificate(tree, "shuffled", 1 + len(others), pair, event))
    shown = certificate_laws.event_probabilities(parts, laws)
    for enclosure, x in zip(shown, (source, target), strict=True):
        law = oracle.convolved_law(tree, (x, *others))
        truth = sum((p for sent, p in law.items() if sum(weights[m] for m in sent) > above), Fraction(0))
        assert encloses(enclosure, truth)


def test_probabilities_at_the_size_of_the_readme():
    """zsum, p = 0.983, n = 2000: with all others on 0 the number of ones is 1 + Bin(2000, p) against Bin(2000, p)."""
    n, p = 2000, Fraction(983, 1000)
    event = {"outcomes": [{"1": k} for k in range(1989, 1994)]}
    pair = {"from": "1", "to": "0", "others": {"0": n - 1}}
    parts, laws = read(certificate(oracle.zsum(p), "shuffled", n, pair, event, "1", "1/1000000"))
    exact = [
        sum(comb(n, k - shift) * p ** (k - shift) * (1 - p) ** (n - k + shift) for k in range(1989, 1994))
        for shift in (1, 0)
    ]
    shown = certificate_laws.event_probabilities(parts, laws)
    assert all(encloses(*both, exact[0] / 10**30) for both in zip(shown, exact, strict=True))


def test_what_is_too_much_work_is_not_shown(capsys, tmp_path, no_matplotlib):
    """Four kinds of messages and a thousand users: the page says what was not computed."""
    tree = oracle.krr(4, Fraction(1, 2))
    pair = {"from": "0", "to": "1", "others": {"2": 999}}
    written_as = certificate(tree, "shuffled", 1000, pair, {"outcomes": [{"0": 1000}]})
    parts, laws = read(written_as)
    assert laws is None and certificate_laws.event_probabilities(parts, laws) is None
    checked = Checked("accepted", "as if", "", "", "")
    made = page.html(certificate_page.page("c.json", json.dumps(written_as).encode(), checked))
    assert "were not computed for this report" in Reader(made).text


@few
@given(st.fractions(0, 1), st.fractions(0, Fraction(1, 10**6)), st.integers(0, 300), st.integers(3, 12))
def test_shown_numbers_enclose_what_the_file_says(low, width, power, digits):
    ends = [_decimal(low / 10**power), _decimal((low + width) / 10**power)]
    shown = page.interval(*ends, digits)
    lower, upper = shown.strip("[]").split(", ") if shown.startswith("[") else (shown, shown)
    assert Fraction(lower) <= Fraction(ends[0]) and Fraction(ends[1]) <= Fraction(upper)
    assert shown.startswith("[") or Fraction(lower) == Fraction(ends[0]) == Fraction(ends[1])


def _decimal(value):
    """Forty digits after the point, cut off, as a decimal with an exponent."""
    power = 40 + (len(str(value.denominator)) if value else 0)
    return f"{value.numerator * 10**power // value.denominator}e-{power}"


@pytest.mark.parametrize(
    ("arguments", "status", "expected", "pictures"),
    [
        (("poisson", "-p", "lam=30", "--n", 50, "--eps", 1, "--delta", "1e-3"), 0, "The sum, larger by 1", 1),
        (("poisson", "-p", "lam=30", "--n", 50, "--eps", "1/100", "--delta", "1e-3"), 1, "does not satisfy", 1),
        (("hist", "-p", "d=3", "-p", "p=0.9", "--n", 900, "--eps", 1, "--delta", "1e-3"), 0, "columns", 1),
        (
            ("krr", "-p", "k=10", "-p", "gamma=1/4", "--n", 3000, "--eps", "1/2", "--delta", "1e-3"),
            0,
            "privacy blanket",
            1,
        ),
        (("krr", "-p", "k=10", "-p", "gamma=1/9", "--n", 300, "--eps", "1/9", "--delta", "1e-6"), 1, "weighs", 1),
        (("rappor", "-p", "d=3", "-p", "flip=1/4", "--view", "local", "--eps", 3, "--delta", 0), 0, "at most 0", 1),
    ],
)
@pytest.mark.sampled(4)
def test_every_form_of_certificate(capsys, tmp_path, arguments, status, expected, pictures):
    file = tmp_path / "c.json"
    assert call(capsys, "certify", *arguments, "-o", file)[0] == status
    page = written(capsys, file, tmp_path / "c.html")
    assert expected in page.text
    assert ("PROVED, and accepted" in page.text) == (status == 0)
    assert ("NOT PRIVATE: the refutation was verified" in page.text) == (status == 1)
    for picture in page.all("img"):
        svg = ElementTree.fromstring(base64.b64decode(picture["src"].partition(",")[2]))
        assert svg.tag.endswith("}svg") and len(picture["alt"]) > 20
    assert len(page.all("img")) == pictures
    if status == 1:  # the headline: a delta above the claimed one, and at most that of the worst datasets
        least = Fraction(re.search(r" delta\(\S+\) (?:is at least |= \[?)([\d.e-]+\d)", page.text)[1])
        delta = json.loads(call(capsys, "delta", *arguments[:-2], "--json")[1])["delta"]
        assert Fraction(arguments[-1]) < least <= Fraction(delta["upper"])


def test_a_composition_stands_beside_one_run(capsys, tmp_path, monkeypatch):
    """The curve is that of one run as `delta` has it, and the point the answer; code that a file names never runs."""
    (tmp_path / "mine.py").write_text("raise SystemExit(9)")
    drawn, figure = [], plots.bands_figure
    monkeypatch.setattr(plots, "bands_figure", lambda *a, **k: drawn.append((a[0], k["marks"])) or figure(*a, **k))
    question = ("compose", "krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 2, "--times", 2, "--json")
    for asked_for in (("--eps", "1/2"), ("--delta", "1/100")):
        file = tmp_path / "c.json"
        file.write_text(call(capsys, *question, *asked_for)[1])
        tree = json.loads(file.read_text())
        page = written(capsys, file, tmp_path / "c.html", "--force")
        assert len(page.all("img")) == 1 and "twice" in page.all("img")[0]["alt"]
        (whole, band), (mark,) = drawn.pop()
        for i in (2, 6):  # what `compose` says of both runs, exactly
            value = json.loads(call(capsys, *question, "--eps", str(Fraction(whole.x[i])))[1])["delta"]
            assert whole.lower[i] <= float(value["upper"]) * 1.0001 and float(value["lower"]) <= whole.upper[i] * 1.0001
        assert len(whole.x) > 5 and whole.x[-1] >= mark.x > whole.x[0]
        power = [Fraction(math.exp(x)) for x in band.x]  # to a double's digits
        one = [float(oracle.delta(oracle.krr(3, "1/2"), 2, max(Fraction(1), p))) for p in power]
        assert band.upper == pytest.approx(one, rel=1e-9, abs=1e-12) and len(band.x) > 5
        ends = (0.5, tree["delta"]["upper"]) if "eps" in tree else (tree["epsilon"]["upper"], 0.01)
        assert (mark.x, mark.y) == pytest.approx(tuple(map(float, ends)))
    for name in (f"{tmp_path / 'mine.py'}:Mine", "nobody"):
        file.write_text(json.dumps({**tree, "system": name}))
        assert not written(capsys, file, tmp_path / "c.html", "--force").all("img")
    file.write_text(json.dumps({**tree, "system": "krr,krr"}))  # with the parameters of one
    assert call(capsys, "report", file, "--force")[0] == 2


def test_the_headline_of_a_refutation_gives_the_delta_that_its_event_shows(capsys, tmp_path):
    """Of two users with 3/4 : 1/4 only {yes, yes} counts: 9/16 - 3/2 * 3/16 = 9/32."""
    file = tmp_path / "c.json"
    question = ("krr", "-p", "k=2", "-p", "gamma=1/2", "--n", 2, "--eps", "log(3/2)")
    assert call(capsys, "certify", *question, "--delta", "0.28124", "-o", file)[0] == 1
    assert "delta(log(3/2)) is at least 0.28125." in written(capsys, file, tmp_path / "c.html").text


# Answers -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tree", "kind", "expected", "pictures"),
    [
        (
            comparison(ROWS),
            "comparison",
            ("least error by zsum, 4.4133", "[120.123, 120.124]", "[6.1, 6.2]", "a dominating pair above"),
            3,
        ),
        (
            CALIBRATION,
            "calibration",
            (
                "zsum, n = 2000: p = 0.982",
                "satisfies delta(1) <= 1e-6: it is [5.71406689771e-7, 5.71406689772e-7]",
                "[1.01961450438e-6, 1.01961450439e-6]",
                "one user on 1 against 0, the others: 1999 on 0",
            ),
            0,
        ),
        (PROFILE, "profile", ("zsum: delta is [0.1, 0.2] at eps = 0", "[1e-30, 2e-30]"), 1),
        (
            profile("trade_off", ("rr", [{"alpha": "1/4", **ends("0.6968", "0.6969")}], {})),
            "trade-off curve",
            ("rr: type II error is [0.6968, 0.6969] at alpha = 0.25.", "0.25 [0.6968, 0.6969]"),
            1,
        ),
        (
            profile("renyi", ("zsum", [{"order": "2", **ends("inf")}], {"rho": ends("inf")})),
            "Renyi privacy",
            ("zsum: Renyi divergence is infinite at order = 2.", "zero-concentrated privacy: rho = infinite"),
            1,
        ),
    ],
)
def test_answers(capsys, tmp_path, tree, kind, expected, pictures):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(tree))
    page = written(capsys, file, tmp_path / "r.html")
    assert f"An answer of shufflecert: {kind}" in page.text and "no certificate and was not checked again" in page.text
    assert all(words in page.text for words in expected)
    assert len(page.all("img")) == pictures
    assert carried(page) == ("answer.json", file.read_bytes())


@pytest.mark.parametrize(
    "asked",
    [
        ("delta", "krr", "-p", "k=3", "-p", "gamma=3/10", "--n", 6, "--eps", "3/10"),
        ("epsilon", "r_gap", "--n", 2, "--delta", 0),
        ("epsilon", "r_gap", "--view", "local", "--delta", 0),
        ("accuracy", "poisson", "-p", "lam=34.068", "--n", 10000, "--alpha", 20),
        ("certify", "r_gap", "--n", 3, "--eps", "log(2)", "--delta", 0),
        ("check", HERE / "accepted" / "rr-two.json"),
        ("systems",),
        ("calibrate", "zsum", "--n", 200, "--eps", 1, "--delta", "1e-3"),
        ("compare", "sum", "--systems", "zsum,rr", "--n", 50, "--eps", 1, "--delta", "1e-3", "--workers", 1),
        ("profile", "zsum,rr", "-p", "p=0.9", "-p", "flip=1/9", "--n", 9, "--eps", "0:2:5"),
    ],
)
@pytest.mark.sampled(2)
def test_answers_of_other_commands(capsys, tmp_path, no_matplotlib, asked):
    status, out, _ = call(capsys, *asked, "--json")
    (tmp_path / "a.json").write_text(out)
    page = written(capsys, tmp_path / "a.json", tmp_path / "r.html")
    assert status == 0 and page.text.count("no certificate and was not") == 1 and carried(page)[1] == out.encode()

    def leaves(tree):
        if isinstance(tree, dict | list):
            return [leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(part)]
        return [tree] if isinstance(tree, str) and len(tree) < 30 and not re.fullmatch(r"[\d./e-]+", tree) else []

    shown = [leaf for leaf in leaves(json.loads(out)) if leaf.strip()]
    assert all(" ".join(leaf.split()) in page.text for leaf in shown)


def test_certificates_that_an_answer_names_are_checked_and_carried(capsys, tmp_path, monkeypatch):
    """Beside the answer alone; a name that leads elsewhere, or to what is no certificate, is not followed."""
    monkeypatch.chdir(tmp_path)
    asked = ("audit", "krr", "-p", "k=3", "-p", "gamma=3/10", "--n", 1, "--large", 2, "--claim", "eps=2.1,n=1")
    _, out, _ = call(capsys, *asked, "-o", "claim.json", "--json")
    (tmp_path / "a.json").write_text(out)
    page = written(capsys, tmp_path / "a.json", tmp_path / "r.html")
    assert "accepted: PROVED" in page.text and "no certificate and was not checked again" in page.text
    assert base64.b64encode((tmp_path / "claim.json").read_bytes()).decode() in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.html").read_text().count("<title>") == 1 and "krr, n = 1, eps = 2.1" in page.text

    (tmp_path / "secret.json").write_text('{"password": "of somebody"}')
    (tmp_path / "inner").mkdir()
    for name in ("secret.json", "../a.json", str(tmp_path / "claim.json"), "inner", "missing.json"):
        tree = json.loads(out)
        tree["claim"]["certificate"] = name
        (tmp_path / "inner" / "b.json").write_text(json.dumps(tree))
        (tmp_path / "inner" / "secret.json").write_text('{"password": "of somebody"}')
        read = answer_page.answer_of("b.json", tree)
        made = answer_page.page("b.json", b"{}", read, tmp_path / "inner", kernel.check)
        assert "Certificates" not in [section.heading for section in made.sections]
        assert "files of their own, which shufflecert check re-checks" in made.verdict.lines[0]


@pytest.mark.parametrize(
    ("asked", "claims"),
    [
        (("delta", "rr", "-p", "flip=1/4", "--n", 3, "--eps", "1/2"), 2),
        (("epsilon", "rr", "-p", "flip=1/4", "--n", 3, "--delta", "1/10"), 2),
        (("profile", "rr", "-p", "flip=1/4", "--n", 3, "--eps", "0,1"), 2),
        (("compare", "sum", "--n", 100, "--eps", 1, "--delta", "1/100", "--systems", "zsum", "--workers", 1), 1),
    ],
)
@pytest.mark.sampled(2)
def test_every_answer_names_the_certificates_that_were_written(capsys, tmp_path, monkeypatch, asked, claims):
    monkeypatch.chdir(tmp_path)
    _, out, _ = call(capsys, *asked, "-o", "made.json", "--json")
    file = json.loads(out)["certificate"]
    assert (file["file"], file["missing"], len(json.loads((tmp_path / "made.json").read_text()))) == (
        "made.json",
        "",
        claims,
    )
    (tmp_path / "a.json").write_text(out)
    page = written(capsys, tmp_path / "a.json", tmp_path / "r.html")
    assert page.text.count("PROVED") + page.text.count("REFUTED") >= claims
    assert base64.b64encode((tmp_path / "made.json").read_bytes()).decode() in (tmp_path / "r.html").read_text()


def test_an_audit():
    """What the command says of it is on the page, and what its labels hold is text; a damaged one is refused."""
    tree = audit_tree(HOSTILE[:3])
    read = answer_page.answer_of("a.json", tree)
    reader = Reader(page.html(answer_page.page("a.json", b"{}", read)))
    plain = answer_page.page("a.json", b"{}", answer_page.answer_of("a.json", audit_tree("abc")))
    assert read.called == "audit" and [tag for tag, _ in reader.tags] == [
        tag for tag, _ in Reader(page.html(plain)).tags
    ]
    for said in ("claim REFUTED", "leaks: outputs that show the input", "attack: an event", "communication: at most"):
        assert said in reader.text
    for key in ("local", "leaks", "claim", "communication", "large"):
        for broken in ({**tree, key: 5}, {k: v for k, v in tree.items() if k != key}, {**tree, key: [{}]}):
            with pytest.raises(BadInput, match="expected what a command wrote"):
                answer_page.page("a.json", b"{}", answer_page.answer_of("a.json", broken))


def test_an_eps_is_shown_with_the_delta_that_was_asked_for_and_the_worst_datasets_in_words(capsys, tmp_path):
    """The page named that delta "delta(eps)", as if it had been found, and the datasets "from = 0, others = 1 = 3"."""
    tree = asked(capsys, "epsilon", "rr", "-p", "flip=1/4", "--n", "4", "--delta", "1/100")
    (tmp_path / "eps.json").write_text(json.dumps(tree))
    assert call(capsys, "report", tmp_path / "eps.json")[0] == 0
    page = (tmp_path / "eps.html").read_text()
    worst = tree["scope"]["worst"]
    others = ", ".join(f"{count} on {x}" for x, count in worst["others"].items())
    said = f"one user on {worst['from']} against {worst['to']}, the others: {others}"
    assert "delta that is asked for" in page and "delta(eps)" not in page and "from = " not in page
    assert page.count(said) == 2  # in words, and in the table of the scope


# Pages that were named after a file, drew points that nobody computed, and hid their answers in fractions.


RUNS = ("krr", "-p", "k=4", "-p", "eps0=2")
KRR = (*RUNS, "--n", 6)
GAMMA = "14204750766998578431/36893488147419103232"  # of eps0 = 2 and k = 4: 4 / (4 + e^2 - 1), in 64 bits, up


@pytest.fixture
def paged(capsys, tmp_path):
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
def test_titles_name_what_the_answer_is_about(paged, arguments):
    reader, _ = paged(*arguments)
    assert reader.title == TITLES[arguments]


@pytest.mark.usefixtures("no_matplotlib")
def test_a_certificate_is_titled_by_its_claim(paged, tmp_path):
    claim = ("--n", 200, "--eps", "1/2", "--delta", "1/10", "-o", tmp_path / "b.json")
    reader, _ = paged("certify", "rr", "-p", "flip=1/4", *claim)
    assert reader.title == "rr, n = 200, eps = 0.5, delta = 0.1"


def test_a_refutation_says_that_something_is_not_private(paged, tmp_path):
    claim = ("--n", 2, "--eps", "1/10", "--delta", "1/100", "-o", tmp_path / "b.json")
    reader, _ = paged("certify", "rr", "-p", "flip=1/4", *claim, status=1)
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


def test_headlines_hold_the_answer(paged):
    reader, tree = paged("profile", *KRR, "--eps", "0:1:3")
    first, last = (tree["curves"][0]["points"][i] for i in (0, -1))
    headline = reader.text[: reader.text.index("These are the numbers of an answer")]
    for point in (first, last):
        assert f"at eps = {point['eps']}" in headline and point["lower"][:5] in headline
    reader, tree = paged("search", "preshuffle-gap", "--max-messages", 2, "--denominator", 5, status=1)
    headline = reader.text[: reader.text.index("These are the numbers of an answer")]
    assert tree["hits"][0]["words"][1:] in headline and "2 of 235 cases" in headline


@pytest.mark.usefixtures("no_matplotlib")
def test_long_fractions_are_decimals_with_the_exact_value_in_a_fold(paged, tmp_path):
    claim = ("--delta", "1e-6", "-o", tmp_path / "b.json")
    alike = Fraction(GAMMA) / 4  # how often krr sends one of the other values
    for arguments, exact in (
        (("certify", *KRR, *claim), alike),
        (("epsilon", *KRR, "--delta", "1e-6"), Fraction(GAMMA)),
    ):
        reader, _ = paged(*arguments)
        shown = re.sub(r"<details[^>]*>.*?</details>|<pre>.*?</pre>|href=.*?>", "", reader.html, flags=re.S)
        folds = re.findall(r"<details[^>]*>.*?</details>", reader.html, re.S)
        digits = Context(prec=12, rounding=ROUND_DOWN).divide(Decimal(exact.numerator), Decimal(exact.denominator))
        assert f"{digits}..." in shown and any(str(exact) in fold for fold in folds)
        assert not re.search(r"\d{12}/\d{12}|\d{10}\.\.\.\d", shown)


@pytest.mark.usefixtures("no_matplotlib")
def test_a_local_eps_that_was_given_is_shown(paged, tmp_path):
    reader, tree = paged("epsilon", *KRR, "--delta", "1e-6")
    assert tree["given"] == {"k": "4", "eps0": "2"} and tree["parameters"] == {"k": "4", "gamma": GAMMA}
    assert "eps0 2" in reader.text
    _, tree = paged("profile", *KRR, "--eps", "0:1:3")
    assert tree["curves"][0]["given"] == {"k": "4", "eps0": "2"}
    _, tree = paged("compose", "krr,rr", "-p", "k=4", "-p", "krr.eps0=2", "-p", "flip=1/4", "--n", 6, "--eps", 1)
    assert tree["given"] == [{"k": "4", "eps0": "2"}, {"flip": "1/4"}]
    _, tree = paged("epsilon", "rr", "-p", "flip=1/4", "--n", 10, "--delta", "1e-6")
    assert "given" not in tree
    paged("certify", *KRR, "--delta", "1e-6", "-o", tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["note"] == "krr -p k=4 -p eps0=2 --n 6"


def test_python_shows_a_local_eps_too():
    krr = system("krr", k=4, eps0=2)
    assert krr == system("krr", k=4, gamma=GAMMA)
    assert profile_of(krr, n=4, eps="0:1:2").tree["curves"][0]["given"] == {"k": "4", "eps0": "2"}
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
