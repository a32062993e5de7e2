"""The documentation as a site: it builds without a warning, asks nobody for anything, and everybody can read it."""

import html
import importlib
import math
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise

import markdown
import nbformat
import pytest

import shufflecert
from docs import pictures
from tests.helpers import ALL
from tests.readme import ROOT

SEEN = ("index.html", "recipes/certify.html", "concepts/profile.html", "reference/api.html", "glossary.html")
HEAVIEST = 2_000_000  # bytes that a page loads, all together, as they lie on the disk

# What the button copies of the first console, as the theme reads it.
COPIED = """(() => {
  const code = [...document.querySelectorAll("pre > code")].find(one => one.querySelector(".gp"));
  code.setAttribute("data-md-copying", "");
  const text = code.innerText.trim();
  code.removeAttribute("data-md-copying");
  return text;
})()"""

# Every text of a page with its colour on what is behind it, as a ratio of luminances (WCAG 2, 1.4.3).
CONTRAST = """
(() => {
  const parts = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = colour => colour.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parts(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement, style = getComputedStyle(element);
    if (!walker.currentNode.data.trim()) continue;
    if (!element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName) || element.closest(".md-search, [hidden]")) continue;
    const ground = behind(element), ink = over(parts(style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05) / (large ? 3 / 4.5 : 1);
    found.push([ratio, walker.currentNode.data.trim().slice(0, 40), element.className]);
  }
  return found;
})()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    return folder


class Page(HTMLParser):
    """What a page is made of: (tag, attributes) in order."""

    def __init__(self, path):
        super().__init__()
        self.path, self.tags = path, []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def loaded(self):
        """What a browser loads with the page: scripts, style sheets, pictures."""
        for tag, attributes in self.tags:
            if tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
                yield attributes["href"]
            elif "src" in attributes:
                yield attributes["src"]


def of(site):
    return [Page(path) for path in sorted(site.rglob("*.html"))]


def test_pages_load_nothing_from_elsewhere_and_little_at_all(site):
    for page in of(site):
        files = [page.path]
        for address in page.loaded():
            assert not re.match(r"(\w+:)?//", address), (page.path, address)
            if page.path.name != "404.html":  # whose addresses start at the server's root
                files.append(page.path.parent / address.partition("?")[0])
        assert sum(file.stat().st_size for file in files) < HEAVIEST, page.path
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(\w+:)?//|@import", sheet.read_text("utf-8")), sheet


def test_headings_and_pictures_can_be_read_out(site):
    for page in of(site):
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert levels.count(1) == 1 and levels[0] == 1, page.path
        assert all(after <= before + 1 for before, after in pairwise(levels)), (page.path, levels)
        assert all(attributes.get("alt") for tag, attributes in page.tags if tag == "img"), page.path
        assert next(attributes for tag, attributes in page.tags if tag == "html")["lang"] == "en"


def sentences(path):
    """What a page says, without code."""
    article = re.search(r"<article.*?</article>", path.read_text("utf-8"), re.S)[0]
    return re.sub(r"<(pre|code)\b.*?</\1>", "", article, flags=re.S)


def test_formulas_are_set(site):
    """As MathML, with powers raised: no dollar of a formula is left, and no caret of a power."""
    assert "<math" in sentences(site / "concepts" / "profile.html")
    for name in ("concepts/profile.html", "concepts/reductions.html", "reference/accountants.html"):
        assert "$" not in sentences(site / name) and not re.search(r"[\w)]\^[\w(-]", sentences(site / name)), name
    raised = importlib.import_module("docs.hooks")._typeset
    assert raised("10^-6, e^(2 eps), `2^-53`, [x](a^b)\n") == (
        "10<sup>-6</sup>, e<sup>2 eps</sup>, `2^-53`, [x](a^b)\n"
    )
    assert raised("```\n$x^2$\n```\n    a^b\n") == "```\n$x^2$\n```\n    a^b\n"
    inside = markdown.markdown(raised("It is\n$x^2$ and\n$y$."), extensions=["md_in_html"])  # lines that begin with one
    assert inside.count("<p>") == 1 and inside.endswith(".</p>") and inside.count("<math") == 2


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_pages(path, site):
    """With their code, what it prints, and what it draws."""
    page = site / "notebooks" / f"{path.stem}.html"
    text = html.unescape(re.sub(r"<[^>]*>", "", page.read_text("utf-8")))
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    drawn = [output for output in outputs if "image/png" in output.get("data", {})]
    for cell in cells:
        assert cell.cell_type != "code" or cell.source in text, cell.source
    for output in outputs:
        assert output.get("text", "").strip() in text, output.text
    pictures = [attributes["src"] for tag, attributes in Page(page).tags if tag == "img"]
    assert len(pictures) == len(drawn) and all((page.parent / src).is_file() for src in pictures)


def test_functions_of_the_api_show_types_and_examples(site):
    """Parameters and returns have types, and a docstring's example is code, also where nothing stands beside it."""
    text = re.sub(r"<[^>]*>", "", (site / "reference" / "api.html").read_text("utf-8"))
    assert re.search(r"n: Exact \| None = None,.*?\) -&gt; Accuracy", text, re.S)
    plain = importlib.import_module("docs.docstrings").plain
    assert plain("One line.\n\n>>> f(x[0])\n1\n\nMore.") == "One line.\n\n    >>> f(x[0])\n    1\n\nMore."


def test_the_pages_of_a_section_are_listed_on_each(site):
    links = [attributes.get("href") for tag, attributes in Page(site / "concepts" / "profile.html").tags if tag == "a"]
    assert {"views.html", "neighbours.html", "../trust.html"} <= set(links)
    assert "section-pages" in (site / "concepts" / "profile.html").read_text("utf-8")


def test_every_page_is_in_the_table_of_contents(site):
    listed = {attributes.get("href") for tag, attributes in Page(site / "index.html").tags if tag == "a"}
    for path in site.rglob("*.html"):
        name = str(path.relative_to(site))
        assert name in listed | {"404.html"}, name


def test_pages_in_a_browser(site, chromium):
    """At all widths, light and dark: contrast of at least 4.5, nothing beside the page, no request to elsewhere."""
    for name in SEEN if ALL else SEEN[:2]:
        for width, scheme in ((1200, "light"), (400, "dark"), (1440, "dark"))[: 3 if name == SEEN[0] else 2]:
            chromium.open(site / name, width=width, scheme=scheme)
            assert all(address.startswith(("file:", "data:", "blob:")) for address in chromium.requests)
            assert chromium.value("document.documentElement.scrollWidth <= window.innerWidth"), (name, width)
            weak = [text for text in chromium.value(CONTRAST) if text[0] < 4.5]
            assert not weak, (name, scheme, weak[:8])
            if width == 1200:
                assert chromium.value("document.querySelector('.md-tabs').offsetHeight > 0"), name
                listed = "document.querySelector('.section-pages')"
                assert chromium.value(f"!{listed} || {listed}.offsetHeight > 0"), name
    chromium.open(site / "index.html", width=1200, scheme="light")
    assert chromium.value(COPIED) == "shufflecert epsilon rr -p flip=1/4 --n 100 --delta 1e-6"


SLOW = ("bounds", "tutorial-crowds")  # drawn by `make test-long`


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in pictures.PICTURES]
)
def test_pictures_are_current(name):
    assert str(pictures.PICTURES[name]()) == (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")


OUTSIDE = """[...document.querySelectorAll('svg text')].filter(text => {
    const [own, all] = [text, text.ownerSVGElement].map(one => one.getBoundingClientRect());
    return own.left < all.left || own.right > all.right; }).map(text => text.textContent)"""


def test_on_a_telephone_no_word_of_a_picture_is_cut(tmp_path, chromium):
    page = tmp_path / "page.html"
    for name in pictures.PICTURES:
        drawn = (pictures.FOLDER / f"{name}.svg").read_text()
        style = '<meta name="viewport" content="width=device-width"><style>svg { width: 100%; height: auto; }</style>'
        page.write_text(f"<!doctype html>{style}{drawn}")
        chromium.open(page, width=400)
        assert chromium.value(OUTSIDE) == [], name


def test_the_pages_of_docs_are_shown_or_generated():
    """Each picture that is drawn is on a page, with words instead."""
    for name in pictures.PICTURES:
        pages = [page.read_text() for page in (ROOT / "docs").rglob("*.md")]
        assert any(re.search(rf"!\[[^\]]{{20,}}\]\((?:\S*/)?{name}\.svg\)", page) for page in pages), name


def test_formulas_in_docstrings_stay_as_they_are():
    plain = importlib.import_module("docs.docstrings").plain
    assert plain("max(a*b, 0) <= c[x][m] and `a*b`") == r"max(a\*b, 0) &lt;= c\[x\]\[m\] and `a*b`"
    assert plain("    P[x][m]") == "    P[x][m]"


def test_the_three_answers_of_the_first_page():
    """BBGN Theorem 3.1, gamma = 14 k log(2/delta) / ((n - 1) eps^2), is solved for eps here; gamma = k / (e^2 + 3)."""
    text, (k, n) = (ROOT / "README.md").read_text(), (4, 10_000)
    published = math.sqrt(14 * k * math.log(2e6) / ((n - 1) * (k / (math.exp(2) + k - 1))))
    assert published <= 0.46 < published + 0.005 and "at most 0.46 by the protocol's published theorem" in text
    any_randomizer = shufflecert.epsilon("any_ldp", n=n, delta="1e-6", eps0=2).upper_float()
    assert any_randomizer <= 0.115 < any_randomizer + 0.005 and "at most 0.115 by" in text
    found = shufflecert.epsilon("krr", n=n, delta="1e-6", k=k, eps0=2)
    assert 0.10195 <= found.lower_float() <= found.upper_float() <= 0.10197 and "between 0.10195 and 0.10197" in text
