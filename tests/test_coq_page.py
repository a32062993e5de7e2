"""The verified kernel in a report: the script is what the proof gives, and a click re-checks the certificate."""

import json
import re
import shutil
import subprocess
import time
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from shufflecert.verify import cli
from tests import verified
from tests.helpers import ALL

HERE = Path(__file__).parent
SCRIPT = verified.ROOT / "verify" / "templates" / "kernel.js"
VERSIONS = {"coqc": "8.16.1", "ocamlfind": "1.9.6", "js_of_ocaml": "4.0.0"}  # that the committed script was made by


def version(tool):
    asked = {"coqc": ["coqc", "--print-version"], "js_of_ocaml": ["js_of_ocaml", "--version"]}.get(tool)
    asked = asked or ["ocamlfind", "query", "-format", "%v", "findlib"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()[0]


def test_the_script_is_what_the_proof_gives():
    if not shutil.which("js_of_ocaml"):
        pytest.skip("no js_of_ocaml here: `apt-get install js-of-ocaml` to make the script of reports again")
    verified.build("browser")
    found = {tool: version(tool) for tool in VERSIONS}
    if found != VERSIONS:
        pytest.skip(f"the committed script was made by {VERSIONS}; here are {found}")
    assert SCRIPT.read_bytes() == (verified.MADE / "browser" / "kernel.js").read_bytes()


def test_the_script_can_stand_in_a_page():
    text = SCRIPT.read_text("ascii")
    assert not re.search(r"</script|<!--|\beval\(|new Function|sourceMappingURL", text)


def test_it_gives_the_verdicts_of_the_binary(tmp_path):
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        pytest.skip("no node here: the script is run in Chromium alone")
    files = sorted(file for name in ("accepted", "rejected", "malformed") for file in (HERE / name).glob("*.json"))
    files = files[:: 2 if ALL else 9]
    program = "require(process.argv[1]); const fs = require('fs'); for (const f of process.argv.slice(2))"
    program += " console.log(globalThis.shufflecertKernel(fs.readFileSync(f, 'latin1')))"
    done = subprocess.run([node, "-e", program, SCRIPT, *files], capture_output=True, text=True, check=True)
    expected = verified.verdicts(tmp_path, [file.read_bytes() for file in files])
    for file, line, (status, reason) in zip(files, done.stdout.splitlines(), expected, strict=True):
        words = line.split(": ", 1)
        limits = ["too much work: " in said for said in (reason, words[1])]  # a browser's are its own
        if re.search(rb'"users": [0-9]{11}', file.read_bytes()):  # more than its small integers hold
            assert words[0] == status or (words[0] == "undecided" and limits[1])
        else:
            assert words[0] == status and (words[1] == reason or (status == "undecided" and all(limits)))


def written(file, page, status=0):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["report", str(file), "-o", str(page)])
    assert stopped.value.code == status
    return page


def pressed(chromium, page):
    """What the page says after one click, once it has ended."""
    chromium.open(page)
    chromium.value("document.querySelector('#recheck button').click()")
    said = "document.querySelector('#recheck [role=status]').innerText"
    until = time.monotonic() + 300  # for a page that never ends, on a busy machine too
    while chromium.value(said).startswith("Checking") and time.monotonic() < until:
        time.sleep(0.05)
    assert chromium.complaints() == []
    return chromium.value(said)


@pytest.mark.parametrize("name", ["rr-two", "multi-local", "rr-two-refuted", "zsum-hundred"])
@pytest.mark.sampled(2)
def test_one_click(chromium, tmp_path, name):
    said = pressed(chromium, written(HERE / "accepted" / f"{name}.json", tmp_path / "page.html"))
    assert said.startswith("accepted by the verified kernel, in ") and "by theorem check_" in said
    assert all(asked.startswith(("file:", "data:", "blob:")) for asked in chromium.requests)


def test_labels_in_any_script_and_what_is_false(chromium, tmp_path):
    tree = json.loads((HERE / "accepted" / "rr-two.json").read_text("utf-8").replace('"0"', '"\u0416\U0001d54f"'))
    (tmp_path / "other.json").write_text(json.dumps(tree, ensure_ascii=False), encoding="utf-8")
    assert pressed(chromium, written(tmp_path / "other.json", tmp_path / "a.html")).startswith("accepted")
    page = written(HERE / "rejected" / "rr-n.json", tmp_path / "b.html", status=1)
    assert pressed(chromium, page).startswith("rejected by the verified kernel")


def test_it_can_be_stopped(chromium, tmp_path):
    chromium.open(written(HERE / "accepted" / "zsum-hundred.json", tmp_path / "page.html"))
    chromium.value("document.querySelectorAll('#recheck button').forEach(button => button.click())")
    said = chromium.value("document.querySelector('#recheck [role=status]').innerText")
    assert said.startswith("Stopped after") and "nothing was found out" in said
    assert chromium.value("[...document.querySelectorAll('#recheck button')].map(b => b.disabled)") == [False, True]


def corpus(name, number=0):
    return json.loads((HERE / "accepted" / f"{name}.json").read_text("utf-8"))[number]


THERE = [("cover-two", True), ("mechanisms", True), ("blocks", False), ("blocks-open", True)]


@pytest.mark.parametrize(("name", "there"), THERE)
def test_what_has_a_theorem_is_re_checked_too(tmp_path, name, there):
    tree = json.loads((HERE / "accepted" / f"{name}.json").read_text("utf-8"))
    (tmp_path / "c.json").write_text(json.dumps(tree[0] if isinstance(tree, list) else tree), encoding="utf-8")
    assert ("script-src" in written(tmp_path / "c.json", tmp_path / "c.html").read_text("utf-8")) == there


def test_a_blanket_is_re_checked_too(chromium, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(corpus("blankets")), encoding="utf-8")
    said = pressed(chromium, written(tmp_path / "c.json", tmp_path / "blanket.html"))
    assert said.startswith("accepted by the verified kernel") and "check_crowd_sound" in said


def test_the_policy_allows_this_script_by_its_hash(tmp_path):
    text = written(HERE / "accepted" / "rr-two.json", tmp_path / "page.html").read_text("utf-8")
    [script] = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    hashed = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    assert allowed["script-src"] == f"'sha256-{hashed}'" and allowed["worker-src"] == "blob:"
    assert allowed["default-src"] == "'none'"


def test_pages_that_it_cannot_re_check_have_no_script(tmp_path):
    text = written(HERE / "malformed" / "sum-above.json", tmp_path / "page.html", status=2).read_text("utf-8")
    assert "<script" not in text and "script-src" not in text
