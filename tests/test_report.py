"""Reports: the verdict is the kernel's, nothing of a file is more than text, and bad files leave nothing."""

import hashlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.answers import answer_page, page
from tests.helpers import call, is_one_line
from tests.report_pages import (
    FILES,
    HERE,
    HOSTILE,
    ROWS,
    Reader,
    carried,
    code_blocks,
    comparison,
    ends,
    hostile,
    written,
)

# The verdict ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FILES)
def test_the_status_is_the_kernels(capsys, tmp_path, no_matplotlib, kind):
    """A file that is no certificate at all is bad input to `report`, which is what `check` makes of malformed ones."""
    words = {"accepted": "accepted", "rejected": "REJECTED", "malformed": "MALFORMED"}
    reports = 0
    files = FILES[kind][::3]
    for file in files:
        output = tmp_path / f"{kind}-{file.stem}.html"
        expected, said, _ = call(capsys, "check", "--by", "kernel", file)
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


def test_undecided(capsys, tmp_path, no_matplotlib):
    page = written(capsys, FILES["accepted"][-1], tmp_path / "r.html", "--max-work", 1, status=3)
    assert "UNDECIDED" in page.text and "it shows nothing" in page.text and "What it states" not in page.text
    assert "kernel.py --max-work 1 " in page.text


def test_the_kernel_runs_on_what_the_report_carries(monkeypatch, capsys, tmp_path, no_matplotlib):
    """Somebody changes the file after it was read: what was checked is what is carried."""
    file, real = tmp_path / "c.json", kernel.check
    file.write_bytes((HERE / "accepted" / "zsum-two.json").read_bytes())

    def check(data, **limits):
        file.write_text("{}")
        return real(data, **limits)

    monkeypatch.setattr(kernel, "check", check)
    assert carried(written(capsys, file, tmp_path / "r.html"))[1] == (HERE / "accepted" / "zsum-two.json").read_bytes()


@pytest.mark.parametrize("name", ["promise.json", "a b'$(touch x).json", "-n.json"])
def test_the_page_says_how_to_re_check(capsys, tmp_path, no_matplotlib, name):
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


# Nothing of a file is more than text ---------------------------------------------------------------------------------


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
def test_answers_are_text(tmp_path, no_matplotlib, labels):
    trees = []
    for a, b, c, d, e in ("abcde", labels):
        row = {**ROWS[0], "system": a, "parameters": {b: "1/2"}, "note": d}
        trees.append([comparison([row, row]), comparison([row]) | {"task": e, e: {c: [d]}}])
    for safe, unsafe in zip(*trees, strict=True):
        made = [
            page.html(answer_page.page(name, b"{}", answer_page.answer_of(name, tree)))
            for name, tree in ((" x", safe), (labels[0], unsafe))
        ]
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


# Files ---------------------------------------------------------------------------------------------------------------


def test_the_report_stands_beside_the_file_and_spares_what_is_there(capsys, tmp_path, no_matplotlib):
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
        (b'{"delta": ' + b'{"a": ' * 900 + b"1" + b"}" * 901, "neither a certificate"),
        (b"3", "neither a certificate nor an answer"),
        (b"[]", "neither a certificate nor an answer"),
        (b'{"rows": [{"input": "0", "outputs": []}]}', "neither a certificate nor an answer"),
        (b'{"task": "sum", "rows": 3}', "expected what a command wrote with --json"),
        (json.dumps(comparison([3])).encode(), "$.rows[0]"),
        (json.dumps(comparison([{**ROWS[0], "rmse": ends("x")}])).encode(), "Invalid literal for Fraction: 'x'"),
        (json.dumps(comparison(ROWS) | {"n": 0.5}).encode(), "$.n"),
    ],
)
def test_bad_input(capsys, tmp_path, content, expected):
    (tmp_path / "x.json").write_bytes(content)
    status, out, err = call(capsys, "report", tmp_path / "x.json")
    assert (status, out) == (2, "") and is_one_line(err) and expected in err
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_numbers_of_any_size_are_no_traceback(capsys, tmp_path, no_matplotlib):
    odd = {**ROWS[0], "delta": {"lower": "1e-50000", "upper": "inf", "exact": None}, "note": "n" * 10**4}
    for tree in (comparison([odd]), comparison([]), comparison(ROWS) | {"n": 10**3000, "more": [None, True, 1.5, {}]}):
        file = tmp_path / "a.json"
        file.write_text(json.dumps(tree))
        written(capsys, file, tmp_path / "r.html", "--force")
    file.write_text(json.dumps(comparison(ROWS)).replace("10000", "9" * 10_000))
    assert "$.n" in call(capsys, "report", file, "--force")[2]


def test_without_matplotlib_the_page_says_so(capsys, tmp_path, no_matplotlib):
    page = written(capsys, HERE / "accepted" / "zsum-hundred.json", tmp_path / "r.html")
    assert page.all("img") == [] and "matplotlib is missing" in page.text


# In a browser --------------------------------------------------------------------------------------------------------


def test_all_laws_are_words():
    """Whatever law a certificate can hold has words."""
    from shufflecert.verify.answers import statement

    one = {"law": "poisson", "lam": "7"}
    laws = [
        *({"law": "binomial", "n": 3, "p": "1/2"}, one, {"law": "negative binomial", "r": "1", "p": "1/2"}),
        *({"law": "discrete Laplace", "q": "1/2"}, {"law": "discrete Gaussian", "variance": "2"}),
        *({"law": "finite", "p": {"0": "1/2", "3": "1/2"}}, {"law": "sum", "of": [one, one]}),
        *({"law": "mixture", "of": [["1/2", one], ["1/2", one]]}, {"law": "mod", "by": 5, "of": one}),
    ]
    room = kernel.Budget(64, 10**6, 10**8)
    for law in laws:
        numbers = {name: (str(law[name]),) for name in ("by", "n") if name in law}  # as the kernel reads them
        assert kernel.law_of(law | numbers, room)
        assert len(statement.law_words(law)) > 8
