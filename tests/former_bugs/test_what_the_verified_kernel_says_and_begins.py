"""The verified kernel's accepted line named a theorem and no claim; long lists had no room; small files had no end.

By construction: the claim is read from the file here and its digest taken by Python; the trees of cuts are long, and
each of their cuts but the last keeps nothing beyond it; the hostile files are those of the other kernel's budget.
"""

import json
import re
import subprocess
from hashlib import sha256

import pytest

from tests import any_certificates, hostile, scale_seeds, test_coq_page, verified
from tests.bench.jobs import certificate
from tests.test_cover_certificates import ALL, NEEDED, of
from verify import kernel

HERE = verified.ROOT / "tests"
DIGEST = r"randomizer of (\d+) inputs with SHA-256 (\w{64})"
SMALL_STACK = ["bash", "-c", 'ulimit -s 256; exec "$@"', "bash"]  # kilobytes
OUTPUTS = [hostile.row(x, *(([str(i)], "1/100000") for i in range(100_000))) for x in "01"]
LARGE = {
    "Bin(1, 1/2), shift": lambda: hostile.mechanism(hostile.count(10**6, law="binomial", n=1, p="1/2")),
    "outputs": lambda: hostile.proof(OUTPUTS, 1),
    "tuples": lambda: hostile.proof(OUTPUTS, 1, view="local"),
    "outputs of a blanket": lambda: hostile.blanket(OUTPUTS, 1, "1/1000", 1000, "2"),
}


def digest(tree):
    randomizer = tree.get("randomizer") or tree["claim"]["randomizer"]
    return sha256(json.dumps(randomizer, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@pytest.mark.parametrize("name", ["rr-two", "multi-local", "rr-two-refuted", "zsum-hundred"])
def test_the_line_holds_the_claim(verified_kernel, name, tmp_path):
    data = (HERE / "accepted" / f"{name}.json").read_bytes()
    tree = json.loads(data)
    claim = tree["claim"]
    [(status, reason)] = verified.verdicts(tmp_path, [data])
    words = f"{tree['verdict']}: n = {claim['n']}, adjacency = replace, view = {claim['view']}, eps = {claim['eps']}, "
    words += f"delta = {claim['delta']}, randomizer of {len(claim['randomizer']['rows'])} inputs with SHA-256 "
    assert status == "accepted" and reason.startswith(words + digest(tree) + ": by theorem check_sound of ")
    assert kernel.check(data).reason.startswith(words + digest(tree))  # the other kernel says the same


def test_labels_are_written_as_python_writes_them(verified_kernel, tmp_path):
    text = (HERE / "accepted" / "rr-two.json").read_text("utf-8")
    tree = json.loads(text.replace('"0"', json.dumps('\u0416\U0001d54f"\\\n\x7f\x01 \ud800, delta = 0')))
    [(status, reason)] = verified.verdicts(tmp_path, [json.dumps(tree).encode()])
    assert status == "accepted" and re.search(DIGEST, reason)[2] == digest(tree)
    assert "delta = 0" not in reason


def test_what_each_theorem_says(verified_kernel, tmp_path):
    count = {"law": "binomial", "n": 10, "p": "1/2"}
    trees = [of(ALL, NEEDED), scale_seeds.blankets()[0], *any_certificates.small()]
    files = [json.dumps(tree).encode() for tree in trees]
    files.append(hostile.mechanism(hostile.count(1, **count), eps="1", delta="1/2").encode())
    said = dict.fromkeys(["the claim is true", "blanket's bound", "many outputs", "as private as is claimed"], 0)
    for data, (status, reason) in zip(files, verified.verdicts(tmp_path, files), strict=True):
        if status == "accepted":
            claim = json.loads(data)["claim"]
            assert f"eps = {claim['eps']}, delta = {claim['delta']}" in reason and "by theorem check_" in reason
            for words in said:
                said[words] += words in reason
    assert min(said.values()) > 0
    assert "PROVED: a count + Bin(10, 1/2), sensitivity = 1, adjacency = replace, eps = 1, delta = 1/2: " in reason


def many_cuts(many):
    tree = json.loads((HERE / "accepted" / "cover-two.json").read_bytes())
    first = tree["claim"]["randomizer"]["rows"][0]["input"]
    nodes = [[first, 10**6]] * many + tree["evidence"]["cover"] + [None] * many
    return json.dumps(tree | {"evidence": {"cover": nodes}}).encode()


def small(data, path):
    path.write_bytes(data)
    done = subprocess.run([*SMALL_STACK, verified.BINARY, path], capture_output=True, text=True, check=False)
    return done.stdout.partition(": ")[2]


def test_a_small_stack_is_enough(verified_kernel, tmp_path):
    assert small(many_cuts(50_000), tmp_path / "cuts.json").startswith("accepted: PROVED: ")
    krr = certificate("krr", {"k": "4", "gamma": "1/2"}, 10_000, "1/5", "1/1000").encode()
    assert small(krr, tmp_path / "krr.json").startswith("accepted: PROVED: n = 10000")
    outputs = hostile.proof([hostile.row(x, *(([str(i)], "1/20000") for i in range(20_000))) for x in "01"], 1)
    assert small(outputs.encode(), tmp_path / "outputs.json").startswith("accepted: PROVED: n = 1,")


@test_coq_page.looked_at
@pytest.mark.parametrize(
    "question",
    [
        ["krr", "-p", "k=4", "-p", "eps0=2", "--n", "10000", "--delta", "1e-6"],
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
    assert f"n = {question[question.index('--n') + 1]}" in said


@pytest.mark.parametrize("name", [*LARGE, *hostile.HOSTILE])
def test_hostile_files_end(verified_kernel, name, tmp_path):
    """What is more work than is begun is said so before; the time limit is for a program that does not end."""
    file = tmp_path / "c.json"
    file.write_text((hostile.HOSTILE | LARGE)[name]())
    done = subprocess.run([verified.BINARY, file], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (1, 2, 3) and not done.stderr
    if name in LARGE:
        assert ": undecided: too much work: " in done.stdout
