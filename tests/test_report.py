"""Reports: the verdict is the kernel's, the numbers enclose the oracle's, nothing of a file is more than text, and the
page works in a real browser without a network: on a phone, on a desk, in the dark and on paper.
"""

import base64
import hashlib
import html
import json
import math
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise, product
from math import comb
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import browser, oracle
from tests.helpers import call, few, is_one_line, randomizers
from verify import cli, kernel
from verify.audit.answer import to_json
from verify.audit.audit import Promise, audit
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.report import plots
from verify.report.html import answer, certificate_laws, page
from verify.report.html import certificate as certificate_page
from verify.report.html.certificate import Checked

HERE = Path(__file__).parent
FILES = {kind: sorted((HERE / kind).glob("*.json")) for kind in ("accepted", "rejected", "malformed")}
HOSTILE = (
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "</style></title><h1>PROVED",
    "{{ 7 * 7 }}{% raw %}",
    "\u202eretped\u2066",
    "$\\frac{1}{0}$\x01\ud800",
    "&lt;b&gt;",
)
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Tags with their attributes, and the text that is shown."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.shown, self.open = [], [], []
        self.feed(page)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.shown.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.shown).split())

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def written(capsys, file, output, *more, status=0):
    """The report on a file, read; the command ends with this status and says something on one line of its own."""
    code, out, err = call(capsys, "report", file, "-o", output, *more)
    assert (code, err) == (status, ""), err
    assert out.startswith(f"{output}: report on {file}")
    return Reader(output.read_text(encoding="utf-8"))


@pytest.fixture
def plain(monkeypatch):
    """Without matplotlib."""
    monkeypatch.setattr(page, "find_spec", lambda name: None)


def carried(reader):
    """(name, content) of the file that a report carries."""
    (link,) = reader.all("a")
    kind, _, content = link["href"].partition(",")
    assert kind == "data:application/json;base64"
    return link["download"], base64.b64decode(content, validate=True)


def code_blocks(path):
    return [html.unescape(block) for block in re.findall(r"<code>(.*?)</code>", path.read_text("utf-8"), re.S)]


# The verdict ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FILES)
def test_the_status_is_the_kernels(capsys, tmp_path, plain, kind):
    """A file that is no certificate at all is bad input to `report`, which is what `check` makes of malformed ones."""
    words = {"accepted": "accepted", "rejected": "REJECTED", "malformed": "MALFORMED"}
    reports = 0
    files = FILES[kind][:: 3 if kind == "malformed" else 1]
    for file in files:
        output = tmp_path / f"{kind}-{file.stem}.html"
        expected, said, _ = call(capsys, "check", file)
        status, _, err = call(capsys, "report", file, "-o", output)
        assert status == expected, file
        if not output.exists():
            assert kind == "malformed" and is_one_line(err)
            continue
        reports += 1
        page = Reader(output.read_text("utf-8"))
        reason = said.partition(": ")[2].strip()
        assert f"The kernel says: {' '.join(reason.split())}" in page.text, file
        assert page.text.count(words[kind]) >= 1
        assert ("What it states" in page.text) == (kind == "accepted")
        assert ("It was not confirmed" in page.text) == (kind == "rejected")
        assert carried(page) == (file.name, file.read_bytes())
    assert reports > len(files) / 2


def test_undecided(capsys, tmp_path, plain):
    page = written(capsys, FILES["accepted"][-1], tmp_path / "r.html", "--max-work", 1, status=3)
    assert "UNDECIDED" in page.text and "it shows nothing" in page.text and "What it states" not in page.text
    assert "kernel.py --max-work 1 " in page.text


def test_the_kernel_runs_on_what_the_report_carries(monkeypatch, capsys, tmp_path, plain):
    """Somebody changes the file after it was read: what was checked is what is carried."""
    file, real = tmp_path / "c.json", kernel.check
    file.write_bytes((HERE / "accepted" / "zsum-two.json").read_bytes())

    def check(data, **limits):
        file.write_text("{}")
        return real(data, **limits)

    monkeypatch.setattr(kernel, "check", check)
    assert carried(written(capsys, file, tmp_path / "r.html"))[1] == (HERE / "accepted" / "zsum-two.json").read_bytes()


@pytest.mark.parametrize("name", ["promise.json", "a b'$(touch x).json", "-n.json"])
def test_the_page_says_how_to_re_check(capsys, tmp_path, plain, name):
    """The command, run on the file that the page carries, with the kernel whose digest the page names, answers so."""
    source = HERE / "accepted" / "rr-two-refuted.json"
    given = tmp_path / "given" / name
    given.parent.mkdir()
    given.write_bytes(source.read_bytes())
    page, kernel_file = written(capsys, given, tmp_path / "r.html"), Path(kernel.__file__)
    saved, content = carried(page)
    (tmp_path / saved).write_bytes(content)
    command, answer, *_ = code_blocks(tmp_path / "r.html")
    python, *arguments = shlex.split(command)
    assert python == "python3" and arguments[:3] == ["-I", "-S", "verify/kernel.py"]
    arguments[2] = kernel_file
    ran = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, answer + "\n")
    for data in (content, kernel_file.read_bytes()):
        assert hashlib.sha256(data).hexdigest() in page.text


# Numbers -------------------------------------------------------------------------------------------------------------


def certificate(tree, view, n, pair, event, eps="1/10", delta="0"):
    """A refutation, true or not: for the numbers beside it that does not matter."""
    rows = json.loads(json.dumps([{"input": x, "outputs": _outputs(row)} for x, row in tree.items()]))
    claim = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": view, "n": n, "datasets": "all"}
    evidence = {"pair": pair, **event}
    return {
        "format": "shufflecert certificate",
        "version": 2 if "threshold" in event else 1,
        "claim": {**claim, "eps": eps, "delta": delta},
        "verdict": "REFUTED",
        "evidence": evidence,
    }


def _outputs(row):
    return [{"send": list(send), "p": str(p)} for send, p in row.items()]


def read(tree):
    parts = certificate_laws.read(json.dumps(tree).encode())
    assert parts is not None
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


@few
@given(refutations())
def test_probabilities_of_events_are_the_oracles(found):
    tree, view, datasets, event = found
    outcomes = event if view == "shuffled" else [outcome[0] for outcome in event]
    others = {x: datasets[0][1:].count(x) for x in datasets[0][1:]}
    pair = {"from": datasets[0][0], "to": datasets[1][0]} | ({"others": others} if view == "shuffled" else {})
    written_as = [list(sent) if view == "local" else {m: sent.count(m) for m in sent} for sent in outcomes]
    parts, laws = read(certificate(tree, view, len(datasets[0]), pair, {"event": written_as}))
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
    threshold = {"weights": {m: str(w) for m, w in weights.items()}, "above": str(above)}
    parts, laws = read(certificate(tree, "shuffled", 1 + len(others), pair, {"threshold": threshold}))
    shown = certificate_laws.event_probabilities(parts, laws)
    for enclosure, x in zip(shown, (source, target), strict=True):
        law = oracle.convolved_law(tree, (x, *others))
        truth = sum((p for sent, p in law.items() if sum(weights[m] for m in sent) > above), Fraction(0))
        assert encloses(enclosure, truth)


def test_probabilities_at_the_size_of_the_readme():
    """zsum, p = 0.983, n = 2000: with all others on 0 the number of ones is 1 + Bin(2000, p) against Bin(2000, p)."""
    n, p = 2000, Fraction(983, 1000)
    event = {"event": [{"1": k} for k in range(1989, 1994)]}
    pair = {"from": "1", "to": "0", "others": {"0": n - 1}}
    parts, laws = read(certificate(oracle.zsum(p), "shuffled", n, pair, event, "1", "1/1000000"))
    exact = [
        sum(comb(n, k - shift) * p ** (k - shift) * (1 - p) ** (n - k + shift) for k in range(1989, 1994))
        for shift in (1, 0)
    ]
    shown = certificate_laws.event_probabilities(parts, laws)
    assert all(encloses(*both, exact[0] / 10**30) for both in zip(shown, exact, strict=True))


def test_what_is_too_much_work_is_not_shown(capsys, tmp_path, plain):
    """Four kinds of messages and a thousand users: the page says what was not computed."""
    tree = oracle.krr(4, Fraction(1, 2))
    pair = {"from": "0", "to": "1", "others": {"2": 999}}
    written_as = certificate(tree, "shuffled", 1000, pair, {"event": [{"0": 1000}]})
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
        (("poisson", "-p", "lam=30", "--n", 50, "--eps", 1, "--delta", "1e-3"), 0, "The count with s larger by 1", 2),
        (("poisson", "-p", "lam=30", "--n", 50, "--eps", "1/100", "--delta", "1e-3"), 1, "does not keep", 2),
        (("hist", "-p", "d=3", "-p", "p=0.9", "--n", 900, "--eps", 1, "--delta", "1e-3"), 0, "buckets", 2),
        (
            ("krr", "-p", "k=10", "-p", "gamma=1/4", "--n", 3000, "--eps", "1/2", "--delta", "1e-3"),
            0,
            "privacy blanket",
            1,
        ),
        (("krr", "-p", "k=10", "-p", "gamma=1/9", "--n", 3000, "--eps", "1/9", "--delta", "1e-6"), 1, "weighs", 2),
        (("rappor", "-p", "d=3", "-p", "flip=1/4", "--view", "local", "--eps", 3, "--delta", 0), 0, "Outcome P Q", 1),
    ],
)
def test_every_form_of_certificate(capsys, tmp_path, arguments, status, expected, pictures):
    file = tmp_path / "c.json"
    assert call(capsys, "certify", *arguments, "-o", file)[0] == status
    page, tree = written(capsys, file, tmp_path / "c.html"), json.loads(file.read_text())
    assert expected in page.text
    assert ("PROVED, and accepted" in page.text) == (status == 0)
    assert ("REFUTED, and accepted" in page.text) == (status == 1)
    for picture in page.all("img"):
        svg = ElementTree.fromstring(base64.b64decode(picture["src"].partition(",")[2]))
        assert svg.tag.endswith("}svg") and len(picture["alt"]) > 20
    for end in (tree["evidence"].get("worst") or tree["evidence"]).get("delta", {}).values():
        assert end in page.text
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
        assert len(page.all("img")) == 1 and "2 times" in page.all("img")[0]["alt"]
        (band,), (mark,) = drawn.pop()
        power = [Fraction(math.exp(x)) for x in band.x]  # to a double's digits
        one = [float(oracle.delta(oracle.krr(3, "1/2"), 2, max(Fraction(1), p))) for p in power]
        assert band.upper == pytest.approx(one, rel=1e-9, abs=1e-12) and len(band.x) > 5
        ends = (0.5, tree["delta"]["upper"]) if "eps" in tree else (tree["epsilon"]["upper"], 0.01)
        assert (mark.x, mark.y) == pytest.approx(tuple(map(float, ends)))
    for name in (f"{tmp_path / 'mine.py'}:Mine", "nobody", "krr,krr"):
        file.write_text(json.dumps({**tree, "system": name}))
        assert not written(capsys, file, tmp_path / "c.html", "--force").all("img")


def test_the_headline_of_a_refutation_gives_the_delta_that_its_event_shows(capsys, tmp_path):
    """Of two users with 3/4 : 1/4 only {yes, yes} counts: 9/16 - 3/2 * 3/16 = 9/32."""
    file = tmp_path / "c.json"
    question = ("krr", "-p", "k=2", "-p", "gamma=1/2", "--n", 2, "--eps", "log(3/2)")
    assert call(capsys, "certify", *question, "--delta", "0.28124", "-o", file)[0] == 1
    assert "delta(log(3/2)) is at least 0.28125." in written(capsys, file, tmp_path / "c.html").text


# Nothing of a file is more than text ---------------------------------------------------------------------------------


def hostile(names):
    """A certificate whose labels and note are these: `names` are put in the place of the input and message labels."""
    tree = {names[0]: {(names[2],): Fraction(3, 4), (names[3],): Fraction(1, 4)}, names[1]: {(names[3],): Fraction(1)}}
    pair = {"from": names[0], "to": names[1], "others": {names[1]: 1}}
    made = certificate(tree, "shuffled", 2, pair, {"event": [{names[2]: 1, names[3]: 1}]})
    return {**made, "note": names[4]}


@pytest.mark.parametrize(
    ("labels", "harmless"),
    [
        ((*HOSTILE[:4], HOSTILE[6]), "abcde"),
        ((HOSTILE[6], *HOSTILE[:4]), "abcde"),
        (HOSTILE[2:], ("a", "b", "c\x02", "d\x02", "e")),  # the engine takes no such labels
        (HOSTILE[::-1][:5], ("a", "b\x02", "c\x02", "d", "e")),
    ],
)
def test_labels_are_text(capsys, tmp_path, labels, harmless):
    """The page has the same elements and attributes as with harmless labels of their lengths, and shows them."""
    pages, harmless = [], [word.ljust(len(label), "x") for word, label in zip(harmless, labels, strict=True)]
    for name, words in (("plain", harmless), ("hostile", labels)):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(hostile(words)), encoding="utf-8")
        assert call(capsys, "check", file)[0] == 0
        pages.append(written(capsys, file, tmp_path / f"{name}.html"))
    without = [[(tag, sorted(attributes)) for tag, attributes in page.tags] for page in pages]
    assert without[0] == without[1]
    shown = pages[1].text
    for label in labels:
        visible = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in label)
        assert " ".join(visible.split())[:15] in shown
    assert not any(character in shown for character in "\u202e\u2066\x01\ud800")


@pytest.mark.parametrize("labels", [HOSTILE[:5], HOSTILE[2:]])
def test_answers_are_text(tmp_path, plain, labels):
    trees = []
    for a, b, c, d, e in ("abcde", labels):
        row = {"system": a, "parameters": {b: c}, "rmse": {"lower": "1", "upper": "2"}, "note": d}
        trees.append([comparison([row, row]), {"system": a, "delta": b, "scope": {c: d}, e: [a]}])
    for safe, unsafe in zip(*trees, strict=True):
        made = [page.html(answer.page(tree_name, b"{}", tree, "")[1]) for tree_name, tree in
                ((" x", safe), (labels[0], unsafe))]  # fmt: skip
        tags = [[(tag, sorted(attributes)) for tag, attributes in Reader(page).tags] for page in made]
        assert tags[0] == tags[1]


def test_the_page_asks_for_nothing(capsys, tmp_path):
    page = written(capsys, HERE / "accepted" / "zsum-hundred.json", tmp_path / "r.html")
    for tag, attributes in page.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "video", "audio", "source"}
        assert not any(name.startswith("on") or name in {"style", "srcset", "background"} for name in attributes)
        for name in ("src", "href"):
            assert attributes.get(name, "data:").startswith("data:")
    (policy,) = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    style = (tmp_path / "r.html").read_text("utf-8").partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style and "@import" not in style
    assert page.all("script") == [{}]  # inline, allowed by its hash: tests/test_coq_page.py
    assert page.all("html") == [{"lang": "en"}] and all(picture["alt"] for picture in page.all("img"))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and set(levels[1:]) == {2}
    assert all(cell.get("scope") for cell in page.all("th")) and len(page.all("caption")) == len(page.all("table")) > 0


# Answers -------------------------------------------------------------------------------------------------------------


def comparison(rows):
    return {"task": "sum", "n": 10**4, "eps": "1", "delta": "1/1000000", "buckets": None, "rows": rows}


def ends(lower, upper=None):
    return {"lower": lower, "upper": upper or lower}


ROWS = [
    {
        "system": "zsum",
        "parameters": {"p": "18410715276690587648/18446744073709551616"},
        "delta": ends("9.99999999912345e-7", "9.99999999923e-7") | {"exact": None},
        "rmse": ends("4.4132345345345", "4.4132345345346"),
        "simultaneous": None,
        "expected_messages": ends("1.9980468"),
        "bits_per_message": 1,
        "bits": ends("1.9980468"),
        "paper": {
            "parameters": {"p": "17/18"},
            "rmse": ends("26.93", "26.94"),
            "expected_messages": ends("13182.22"),
            "ratio": {"rmse": ends("6.1", "6.2"), "expected_messages": ends("6597.55")},
        },
        "note": None,
    },
    {
        "system": "blanket_sum",
        "central": True,
        "parameters": {"k": "12", "gamma": "157/1000"},
        "delta": ends("9.1e-7", "9.91e-7"),
        "rmse": ends("120.123", "120.124"),
        "simultaneous": None,
        "expected_messages": ends("1"),
        "bits_per_message": 4,
        "bits": ends("4"),
        "paper": None,
        "note": "a dominating pair above",
    },
]
CALIBRATION = {
    "system": "zsum",
    "target": {"eps": "1", "delta": "1/1000000"},
    "parameter": "p",
    "value": "491/500",
    "decimal": "0.982",
    "fails_at": "983/1000",
    "delta": ends("5.71406689771e-7", "5.71406689772e-7"),
    "fails": {"delta": ends("1.01961450438e-6", "1.01961450439e-6")},
    "scope": {"n": 2000, "worst": {"from": "1", "to": "0", "others": {"0": 1999}}},
    "parameters": {"p": "491/500"},
    "search": {"lemma": None, "evaluated": 23, "all_below": True},
}
PROFILE = {
    "curves": [
        {
            "system": "zsum",
            "scope": {"n": 2000},
            "points": [{"eps": f"{i}/10", **ends(f"1e-{i + 1}", f"2e-{i + 1}")} for i in range(30)],
        },
        {"system": "krr", "scope": None, "points": [{"eps": "log(3/2)", **ends("0")}, {"eps": "1", **ends("0")}]},
    ]
}


@pytest.mark.parametrize(
    ("tree", "kind", "expected", "pictures"),
    [
        (
            comparison(ROWS),
            "comparison",
            ("2 systems", "[9.9999e-7, 1e-6]", "blanket_sum (central model)", "[6.1, 6.2]", "a dominating pair above"),
            3,
        ),
        (
            CALIBRATION,
            "calibration",
            (
                "zsum: p = 491/500 keeps (eps, delta) = (1, 1e-6). delta is [5.71406e-7, 5.71407e-7] there.",
                "p that fails 983/1000",
                "[1.01961450438e-6, 1.01961450439e-6]",
                "one user on 1 against 0, the others: 1999 on 0",
            ),
            0,
        ),
        (PROFILE, "profile", ("a function of eps of 2 systems", "[1e-30, 2e-30]", "log(3/2)"), 1),
        (
            {"trade_off": [{"system": "rr", "points": [{"alpha": "1/4", **ends("0.6968", "0.6969")}]}]},
            "trade-off curve",
            ("The trade-off curve of f-DP of 1 system", "1/4 [0.6968, 0.6969]"),
            1,
        ),
        (
            {"renyi": [{"system": "zsum", "rho": ends("inf"), "points": [{"order": "2", **ends("inf")}]}]},
            "Renyi privacy",
            ("Renyi divergences, in nats, of 1 system", "rho of zero-concentrated privacy inf", "2 inf"),
            1,
        ),
    ],
)
def test_answers(capsys, tmp_path, tree, kind, expected, pictures):
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(tree))
    page = written(capsys, file, tmp_path / "r.html")
    assert f"An answer of shufflecert: {kind}" in page.text and "nothing in it was checked" in page.text
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
def test_answers_of_other_commands(capsys, tmp_path, plain, asked):
    status, out, _ = call(capsys, *asked, "--json")
    (tmp_path / "a.json").write_text(out)
    page = written(capsys, tmp_path / "a.json", tmp_path / "r.html")
    assert status == 0 and "It is no certificate" in page.text and carried(page)[1] == out.encode()

    def leaves(tree):
        if isinstance(tree, dict | list):
            return [leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in leaves(part)]
        return [tree] if isinstance(tree, str) and len(tree) < 30 and not re.fullmatch(r"[\d./e-]+", tree) else []

    shown = [leaf for leaf in leaves(json.loads(out)) if leaf.strip()]
    assert all(" ".join(leaf.split()) in page.text for leaf in shown)


# Files ---------------------------------------------------------------------------------------------------------------


def test_the_report_stands_beside_the_file_and_spares_what_is_there(capsys, tmp_path, plain):
    file, page = tmp_path / "c.json", tmp_path / "c.html"
    file.write_bytes((HERE / "accepted" / "tiny.json").read_bytes())
    answer = json.loads(call(capsys, "report", file, "--json")[1])
    assert answer["report"] == str(page) and answer["status"] == "accepted" and answer["kind"] == "certificate"
    assert answer["reason"] == kernel.check_file(file).reason
    page.write_text("mine")
    status, out, err = call(capsys, "report", file)
    assert (status, out, page.read_text()) == (2, "", "mine") and is_one_line(err) and "--force" in err
    assert call(capsys, "report", file, "--force")[0] == 0 and "PROVED" in page.read_text()
    assert sorted(tmp_path.iterdir()) == [page, file]


def test_the_file_itself_is_never_written_over(capsys, tmp_path):
    content = (HERE / "accepted" / "tiny.json").read_bytes()
    for name in ("c.json", "c.html"):  # the second is its own default
        (tmp_path / name).write_bytes(content)
        for more in ((), ("-o", tmp_path / name)):
            if name == "c.json" and not more:
                continue
            status, _, err = call(capsys, "report", tmp_path / name, *more, "--force")
            assert status == 2 and is_one_line(err) and (tmp_path / name).read_bytes() == content


def test_an_interruption_leaves_nothing(monkeypatch, capsys, tmp_path):
    def interrupted(data, **limits):
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel, "check", interrupted)
    assert call(capsys, "report", HERE / "accepted" / "tiny.json", "-o", tmp_path / "r.html")[0] == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{", "not JSON"),
        (b"[" * 10**5, "nested too deeply"),
        (b'{"delta": ' + b'{"a": ' * 900 + b"1" + b"}" * 901, "nested too deeply"),
        (b"3", "neither a certificate nor an answer"),
        (b"[]", "neither a certificate nor an answer"),
        (b'{"rows": [{"input": "0", "outputs": []}]}', "neither a certificate nor an answer"),
        (b'{"task": "sum", "rows": 3}', "rows: expected a list"),
        (b'{"task": "sum", "rows": [3]}', "rows: expected a list"),
        (b'{"curves": [{"points": [{"eps": "x", "lower": "0", "upper": "1"}]}]}', "curves[0].points"),
        (b'{"curves": [{"points": [{"eps": 0.5}]}]}', "curves[0].points"),
        (b'{"curves": {}}', "curves: expected a list"),
    ],
)
def test_bad_input(capsys, tmp_path, content, expected):
    (tmp_path / "x.json").write_bytes(content)
    status, out, err = call(capsys, "report", tmp_path / "x.json")
    assert (status, out) == (2, "") and is_one_line(err) and expected in err
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_bad_places(capsys, tmp_path):
    for arguments in (
        (tmp_path / "none.json",),
        (tmp_path,),
        (HERE / "accepted" / "tiny.json", "-o", tmp_path / "no" / "r.html"),
        (HERE / "accepted" / "tiny.json", "-o", tmp_path),
    ):
        status, out, err = call(capsys, "report", *arguments)
        assert (status, out) == (2, "") and is_one_line(err)


def test_numbers_of_any_size_are_no_traceback(capsys, tmp_path, plain):
    odd = {"delta": ends("1e-50000", "inf"), "eps": 10**4000, "n": [None, True, 1.5, {}, []], "scope": {"worst": {}}}
    for tree in (odd, comparison([{}]), comparison([]), {"parameter": 1, "fails_at": None}, {"curves": []}):
        file = tmp_path / "a.json"
        file.write_text(json.dumps(tree))
        written(capsys, file, tmp_path / "r.html", "--force")
    file.write_text('{"delta": "1", "n": ' + "9" * 10_000 + "}")
    written(capsys, file, tmp_path / "r.html", "--force")


def test_without_matplotlib_the_page_says_so(capsys, tmp_path, plain):
    page = written(capsys, HERE / "accepted" / "zsum-hundred.json", tmp_path / "r.html")
    assert page.all("img") == [] and "matplotlib is missing" in page.text


# In a browser --------------------------------------------------------------------------------------------------------

looked_at = pytest.mark.skipif(browser.CHROMIUM is None, reason=browser.MISSING)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    opened = browser.Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


def audit_tree(labels):
    """An audit with leaks, an attack and a claim."""
    a, b, c = labels
    third = Fraction(1, 3)
    r = Randomizer.of({a: {(a, b): third, (b,): 2 * third}, b: {(b,): third, (c,): 2 * third}})
    promise = Promise(2, Eps.of(1), Fraction(1, 10))
    return to_json(audit(r, [1, 2], [Eps.of(0), Eps.of(1)], Fraction(1, 10**6), promise, large=9), a)


def test_an_audit(tmp_path):
    """Its numbers are on the page, and what its labels hold is text; a damaged one is refused in one line."""
    tree = audit_tree(HOSTILE[:3])
    kind, made = answer.page("a.json", b"{}", tree, "")
    shown = page.html(made)
    assert kind == "audit" and "REFUTED" in made.verdict.headline
    reader = Reader(shown)
    plain_tags = Reader(page.html(answer.page("a.json", b"{}", audit_tree("abc"), "")[1])).tags
    assert [tag for tag, _ in reader.tags] == [tag for tag, _ in plain_tags]
    for section in ("The claim", "What it keeps", "Who is betrayed", "The attack", "What it costs", "How to re-check"):
        assert section in shown
    for key in ("local", "leaks", "claim", "communication", "large"):
        for broken in ({**tree, key: 5}, {k: v for k, v in tree.items() if k != key}, {**tree, key: [{}]}):
            with pytest.raises(BadInput, match="expected what audit --json wrote"):
                answer.page("a.json", b"{}", broken, "")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports of every kind, with what is long in each, as a person would make them."""
    folder = tmp_path_factory.mktemp("pages")
    long = hostile(("x" * 900, "y " * 400, "m" * 1000, "n.n" * 300, "note" * 900))
    long["claim"]["delta"] = "1/" + "9" * 3000
    trees = {
        "refuted": hostile(HOSTILE[:5]),
        "long": long,
        "comparison": comparison(ROWS * 3),
        "profile": PROFILE,
        "calibration": CALIBRATION,
        "audit": audit_tree(("x" * 300, "y " * 200, HOSTILE[0])),
    }
    files = {name: folder / f"{name}.json" for name in trees}
    for name, tree in trees.items():
        files[name].write_text(json.dumps(tree))
    files |= {"proved": HERE / "accepted" / "zsum-hundred.json", "malformed": FILES["malformed"][0]}
    files["rejected"] = next(file for file in FILES["rejected"] if json.loads(file.read_bytes())["version"] == 1)
    made = {name: folder / f"{name}.html" for name in files}
    for name, file in files.items():
        with pytest.raises(SystemExit) as stopped:
            cli.main(["report", str(file), "-o", str(made[name])])
        assert stopped.value.code == {"rejected": 1, "malformed": 2}.get(name, 0), name
    return made


VERDICTS = {
    "proved": "PROVED, and accepted",
    "refuted": "REFUTED, and accepted",
    "rejected": "REJECTED",
    "malformed": "MALFORMED",
    "long": "REFUTED, and accepted",
    "comparison": "Comparison",
    "profile": "Profile",
    "calibration": "Calibration",
    "audit": "Audit",
}
CONTRAST = """
(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = c => [0, 1, 2].map(i => c[i] / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  let worst = 100;
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(under(e));
    worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return worst;
})()
"""


@looked_at
@pytest.mark.parametrize("name", VERDICTS)
def test_pages_fit_phones_and_desks(chromium, pages, name):
    for width in (360, 1200):
        chromium.open(pages[name], width)
        assert chromium.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert chromium.value("innerWidth") == width
        assert chromium.value("document.querySelector('.verdict .word').innerText") == VERDICTS[name]
        top = chromium.value("document.querySelector('.verdict').getBoundingClientRect().top")
        assert 0 < top < 250  # on the first screen
        assert chromium.value("[...document.images].every(i => i.complete && i.naturalWidth > 100)")
        letters = "[...document.querySelectorAll('main *')].map(e => parseFloat(getComputedStyle(e).fontSize))"
        assert chromium.value(f"Math.min(...{letters})") >= 12
        assert chromium.complaints() == []


@looked_at
@pytest.mark.parametrize("name", VERDICTS)
def test_pages_need_no_network_and_run_nothing(chromium, pages, name):
    chromium.open(pages[name])
    assert chromium.requests[0] == pages[name].resolve().as_uri()
    assert all(asked.startswith("data:") for asked in chromium.requests[1:])
    assert chromium.value("document.title").startswith(VERDICTS[name])
    scripts = chromium.value("document.scripts.length")
    assert scripts == (name in ("proved", "refuted", "rejected", "long"))  # see test_coq_page.py
    if scripts:
        assert chromium.value("document.querySelector('#recheck [role=status]').innerText").startswith(
            "Nothing has been"
        )


@looked_at
def test_the_policy_would_stop_what_got_in(chromium, pages, tmp_path):
    """The same page with a script, a picture and a style sheet from elsewhere put into it."""
    inside = "<script>document.title='ran'</script><img src='http://127.0.0.1:9/x.png' onerror='document.title=1'>"
    inside += "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>"
    page = pages["proved"].read_text("utf-8")
    (tmp_path / "forged.html").write_text(page.replace("<main>", f"<main>{inside}"), encoding="utf-8")
    chromium.open(tmp_path / "forged.html")
    assert chromium.value("document.title").startswith("PROVED") and chromium.value("document.scripts.length") == 2
    stopped = [text for text in chromium.complaints() if "Content Security Policy" in text]
    assert len(stopped) >= 3


@looked_at
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["proved", "refuted", "rejected", "comparison"])
def test_letters_stand_out(chromium, pages, name, scheme):
    """WCAG 2.1, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(pages[name], scheme=scheme)
    assert chromium.value(CONTRAST) >= 4.5
    dark = chromium.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")


@looked_at
@pytest.mark.parametrize("name", VERDICTS)
def test_pages_print(chromium, pages, name):
    chromium.open(pages[name], 700, media="print", scheme="dark")
    assert chromium.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    folded = "[...document.querySelectorAll('details:not(.screen) dl')].map(e => e.checkVisibility())"
    assert all(chromium.value(folded))  # numbers in full
    assert chromium.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    printed = chromium.pdf()
    assert printed.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b", printed)) >= 1
    chromium.open(pages[name])
    assert not any(chromium.value(folded))  # on a screen


@looked_at
def test_the_link_saves_what_was_checked(chromium, pages):
    chromium.open(pages["proved"])
    link = chromium.value("document.querySelector('a[download]').href")
    assert unquote_to_bytes(link).startswith(b"data:application/json;base64,")
    content = base64.b64decode(link.partition(",")[2])
    assert content == (HERE / "accepted" / "zsum-hundred.json").read_bytes()
    assert chromium.value("document.querySelector('a[download]').download") == "zsum-hundred.json"


@pytest.mark.parametrize("name", VERDICTS)
def test_pages_are_read_aloud(pages, name):
    """WCAG 1.1.1, 1.3.1, 2.4.2, 3.1.1: pictures in words, one first heading and none skipped, a title, a language."""
    page = Reader(pages[name].read_text("utf-8"))
    assert page.all("html")[0]["lang"] == "en" and len(page.all("title")) == 1
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(region["aria-label"] for region in page.all("div") if region.get("role") == "region")


def test_all_names_of_a_shape_are_words():
    """Whatever a certificate can hold has a sentence: the views and laws that the kernel reads."""
    from verify.report.html import statement

    assert set(statement.SEEN) == {*kernel.MECHANISMS, *kernel.SERVED, *kernel.OF_SHOWN["mechanism"]["view"]}
    assert set(statement.NOISES) == set(kernel.LAWS) and set(certificate_laws.NOISES) == set(kernel.NOISES)
    assert {"".join(pair) for pair in product(statement.VIEWS)} == set(kernel.VIEWS)
