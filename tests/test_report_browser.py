"""Reports in a real browser without a network: on a phone, on a desk, in the dark and on paper."""

import base64
import json
import re
from itertools import pairwise
from urllib.parse import unquote_to_bytes

import pytest

from shufflecert.verify import cli
from tests.report_pages import CALIBRATION, FILES, HERE, HOSTILE, PROFILE, ROWS, Reader, audit_tree, comparison, hostile


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
    files["rejected"] = HERE / "rejected" / "rr-n.json"
    made = {name: folder / f"{name}.html" for name in files}
    for name, file in files.items():
        with pytest.raises(SystemExit) as stopped:
            cli.main(["report", str(file), "-o", str(made[name])])
        assert stopped.value.code == {"rejected": 1, "malformed": 2}.get(name, 0), name
    return made


VERDICTS = {
    "proved": "PROVED, and accepted",
    "refuted": "NOT PRIVATE: the refutation was verified",
    "rejected": "REJECTED",
    "malformed": "MALFORMED",
    "long": "NOT PRIVATE: the refutation was verified",
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


def test_a_phone_names_every_cell_of_a_table(chromium, pages):
    """Its head is out of sight there, so that each cell says what it is, the first of a row as well."""
    chromium.open(pages["comparison"], width=400)
    first = "document.querySelector('tbody th')"
    assert chromium.value(f"getComputedStyle({first}, '::before').content") == '"system "'
    chromium.open(pages["comparison"], width=1200)
    assert chromium.value(f"getComputedStyle({first}, '::before').content") == "none"


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["proved", "refuted", "rejected", "comparison"])
def test_letters_stand_out(chromium, pages, name, scheme):
    """WCAG 2.1, 1.4.3: a contrast of at least 4.5 to 1."""
    chromium.open(pages[name], scheme=scheme)
    assert chromium.value(CONTRAST) >= 4.5
    dark = chromium.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.sampled(3)
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


def test_the_link_saves_what_was_checked(chromium, pages):
    chromium.open(pages["proved"])
    link = chromium.value("document.querySelector('a[download]').href")
    assert unquote_to_bytes(link).startswith(b"data:application/json;base64,")
    content = base64.b64decode(link.partition(",")[2])
    assert content == (HERE / "accepted" / "zsum-hundred.json").read_bytes()
    assert chromium.value("document.querySelector('a[download]').download") == "zsum-hundred.json"


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.sampled(3)
def test_pages_are_read_aloud(pages, name):
    """WCAG 1.1.1, 1.3.1, 2.4.2, 3.1.1: pictures in words, one first heading and none skipped, a title, a language."""
    page = Reader(pages[name].read_text("utf-8"))
    assert page.all("html")[0]["lang"] == "en" and len(page.all("title")) == 1
    assert all(len(image["alt"]) > 20 for image in page.all("img"))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(region["aria-label"] for region in page.all("div") if region.get("role") == "region")
