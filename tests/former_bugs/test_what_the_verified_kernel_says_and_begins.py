"""The verified kernel's accepted line named a theorem and no claim; long lists had no room; small files had no end.

By construction: the claim is the kernel's own words (tests/test_checked.py); the trees of cuts are long, and each of
their cuts but the last keeps nothing beyond it; the hostile files are those of tests/test_kernel.py.
"""

import json
import subprocess

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.checked import decide
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.systems.catalogue import make
from shufflecert.verify.systems.population import populated
from tests import test_coq_page, verified
from tests.bench.jobs import certificate
from tests.test_kernel import HOSTILE

HERE = verified.ROOT / "tests"
SMALL_STACK = ["bash", "-c", 'ulimit -s 256; exec "$@"', "bash"]  # kilobytes


def first(name):
    tree = json.loads((HERE / "accepted" / f"{name}.json").read_bytes())
    return tree[0] if isinstance(tree, list) else tree


@pytest.mark.parametrize("name", ["rr-two", "multi-local", "rr-two-refuted", "zsum-hundred"])
def test_the_line_holds_the_claim(verified_kernel, name, tmp_path):
    data = json.dumps(first(name)).encode()
    [(status, reason)] = verified.verdicts(tmp_path, [data])
    words, _, theorem = reason.partition(": by theorem ")
    assert status == "accepted" and theorem.startswith("check_") and kernel.check(data).reason.startswith(words)


def test_labels_are_written_as_python_writes_them(verified_kernel, tmp_path):
    text = json.dumps(first("rr-two")).replace('"0"', json.dumps('\u0416\U0001d54f"\\\n\x7f\x01 \ud800, delta = 0'))
    [(status, reason)] = verified.verdicts(tmp_path, [text.encode()])
    assert status == "accepted" and "delta = 0" not in reason


def many_cuts(many):
    tree = first("cover-two")
    for one in tree["because"]["pairs"]:
        one["tree"] = [[one["from"], 10**6]] * many + one["tree"] + ["corner"] * many
    return json.dumps(tree).encode()


def small(data, path):
    path.write_bytes(data)
    done = subprocess.run([*SMALL_STACK, verified.BINARY, path], capture_output=True, text=True, check=False)
    return done.stdout.partition(": ")[2]


def test_a_small_stack_is_enough(verified_kernel, tmp_path):
    assert small(many_cuts(20_000), tmp_path / "cuts.json").startswith("accepted: PROVED: ")
    krr = certificate("krr", {"k": "4", "gamma": "1/2"}, 10_000, "1/5", "1/1000").encode()
    assert small(krr, tmp_path / "krr.json").startswith("accepted: PROVED: ")


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(["krr", "-p", "k=4", "-p", "eps0=2", "--n", "10000", "--delta", "1e-6"], marks=pytest.mark.long),
        ["zsum", "-p", "p=0.982", "--n", "2000", "--eps", "1", "--delta", "1e-6"],
    ],
    ids=["krr", "zsum"],
)
def test_the_readmes_certificates_in_a_browser(chromium, tmp_path, question):
    """The two of its certificates that the verified kernel covers."""
    with pytest.raises(SystemExit) as stopped:
        test_coq_page.cli.main(["certify", *question, "-o", str(tmp_path / "c.json")])
    assert stopped.value.code == 0
    page = test_coq_page.written(tmp_path / "c.json", tmp_path / "page.html")
    said = test_coq_page.pressed(chromium, page)
    assert said.startswith("accepted by the verified kernel, in ")
    assert f'"users": {question[question.index("--n") + 1]}' in said


@pytest.mark.parametrize(
    ("name", "values", "n", "adjacency", "delta"),
    [
        # who comes or goes is told by the number of messages: delta = 1, which no rounding decides
        ("bloom_rappor", {"eps0": "1", "bits": "4", "hashes": "1"}, 3, "add-remove", 1),
        # 3 * 64 hash functions * 4 values: a blanket compared all outputs with each other, for minutes where d = 4
        ("olh", {"eps0": "1", "d": "3"}, 3, "replace", "1/5"),
        # all others are one box, of many outcomes: it was taken for one of many
        pytest.param("hist", {"d": "4", "p": "2/3"}, 8, "add-remove", "7878/15625", marks=pytest.mark.long),
    ],
    ids=["attained", "many outputs", "one wide box"],
)
def test_what_was_undecided(verified_kernel, tmp_path, name, values, n, adjacency, delta):
    system = populated(make(name, values), Presence.of(adjacency, None, None, 1))
    data = certify(system, n, "1/2", delta).certificate_text().encode()
    assert decide.verdict(data)[0] == kernel.check(data).status == "accepted"
    [(status, _)] = verified.verdicts(tmp_path, [data])
    assert status == "accepted"


@pytest.mark.parametrize("name", [*HOSTILE])
def test_hostile_files_end(verified_kernel, name, tmp_path):
    """What is more work than is begun is said so before; the time limit is for a program that does not end."""
    file = tmp_path / "c.json"
    file.write_text(json.dumps(HOSTILE[name]))
    done = subprocess.run([verified.BINARY, file], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1, 2, 3) and not done.stderr
    assert done.returncode or kernel.check(file.read_bytes()).status == "accepted"  # it is little work, and true
