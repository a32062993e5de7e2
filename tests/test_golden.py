"""What each command answers, in words and in JSON, as it was: one file of tests/golden for each command.

`python -m tests.test_golden` writes them anew, after a change that is meant. What is not the same twice is masked, and
so is what other tests are about: numbers that a better bound would change, and what the kernel says.
"""

import json
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from shlex import split

import pytest

from shufflecert.verify import cli

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
KRR = "krr -p k=3 -p gamma=3/10"
LARGE = "krr -p k=10 -p gamma=0.157 --n 10000"
ASKED = {
    "systems": ["systems krr", "systems sample_and_threshold"],
    "delta": [
        f"delta {KRR} --n 6 --eps 3/10",
        f"delta {LARGE} --eps 1/5",
        "delta rr -p eps0=1 --n 9 --eps 1/2 --adjacency add-remove",
        "delta rr -p flip=1/4 --n 9 --eps 1/2 --honest 7 --take-part 1/2",
        f"delta {KRR} --view local --eps 1",
    ],
    "epsilon": [
        f"epsilon {KRR} --n 6 --delta 1/100",
        f"epsilon {LARGE} --delta 1e-6",
        "epsilon r_gap --n 2 --view preshuffle --delta 0",
        "epsilon rr -p flip=1/4 --n 9 --delta 1",
    ],
    "accuracy": ["accuracy poisson -p lam=34 --n 10000 --alpha 20"],
    "profile": [
        "profile zsum,rr -p p=0.9 -p flip=1/9 --n 9 --eps 0:2:5",
        "profile rr -p eps0=1 --n 9 --trade-off --alpha 0:1:5",
        "profile poisson -p lam=9 --n 9 --renyi 2,3",
    ],
    "compose": [
        f"compose {KRR} --n 3 --times 2 --eps 1/2 -o two.json",
        "compose krr,rr -p k=3 -p krr.eps0=1 -p flip=1/4 --n 3 --times 2,1 --delta 1/100",
    ],
    "certify": [
        "certify rr -p flip=1/4 --n 6 --eps 1 --delta 1/10 -o proved.json",
        "certify rr -p flip=1/4 --n 6 --eps 1/2 --delta 1/50",
        f"certify {KRR} --n 5 --eps 1/2",
        f"certify {LARGE} --eps 1/5 --delta 0.00069139",
        "certify poisson -p lam=30 --n 50 --eps 1/100 --delta 1e-3",
    ],
    "check": [f"check {HERE / 'accepted' / 'tiny.json'} {HERE / 'rejected' / 'rr-n.json'}"],
    "claims": ["claims BC-claim-19"],
    "calibrate": [
        "calibrate zsum --n 200 --eps 1 --delta 1e-3 -o least.json",
        "calibrate rr --n 20 --eps 1 --delta 1e-2 --step 1/64",
    ],
    "compare": ["compare sum --systems zsum,discrete_laplace,rr --n 50 --eps 1 --delta 1e-3 --workers 1"],
    "audit": [
        "audit bits.toml --n 1:2 --large 9 --claim eps=1,delta=1/10,n=2",
        "audit mine.py:report --inputs 0,1 --n 1,2 --large 9 --claim eps=log(3),view=local",
        "audit mine.py:report --inputs 0,1 --n 1 --large 2 --deployed",
        "audit --black-box mine.py:report --inputs 0,1 --samples 400 --seed 1 --claim eps=1/4,delta=0",
        "audit --gallery rappor_report --large 2",
    ],
    "search": [
        "search preshuffle-gap --max-messages 2 --denominator 5 --workers 1",
        "search preshuffle-gap --max-messages 1 --denominator 3 --workers 1 --journal done.sqlite",
        "search status done.sqlite",
        'search --claim "delta(n, 0) < delta(n - 1, 0)" --denominator 3 --workers 1',
        "search list",
    ],
    "table": ["table made.csv --systems poisson --n 100 --eps 1 --delta 1e-6 --workers 1", "table made.csv --check"],
    "export": [f"export {KRR} --n 3 --to csv --interval 1/2 -o curve.csv"],
    "import": ["import pair.csv -o pair.toml"],
    "report": [f"report {HERE / 'accepted' / 'tiny.json'} -o tiny.html", "report answer.json -o answer.html"],
    "errors": ["delta krr -p k=3 -p gama=1 --n 3 --eps 1", "audit"],
}
FILES = {
    "bits.toml": """name = "bits"
rows = [
  {input = "0", outputs = [{send = ["a", "b"], p = "3/4"}, {send = ["b"], p = "1/4"}]},
  {input = "1", outputs = [{send = ["b"], p = "1"}]},
]
""",
    "mine.py": "def report(x, rng):\n    return x if rng.random() < 0.75 else 1 - x\n",
    "pair.csv": "outcome,p,q\na,1/2,1/3\nb,1/2,2/3\n",
    "answer.json": """{"system": "rr", "parameters": {"flip": "1/4"}, "n": 3, "error_of": "a sum", "alpha": null,
 "rmse": {"lower": "1", "upper": "2"}, "failure_probability": null, "expected_messages": {"lower": "1", "upper": "1"},
 "bits_per_message": 1, "datasets": "all", "version": "0", "date": "1970-01-01T00:00:00Z"}""",
}
VARIES = {"seconds", "spent", "rate", "left", "version"}
BOUNDED = re.compile(r"\d+\.\d+(e-?\d+)?|\d+e-\d+|\d+/\d+")  # numbers of answers between two bounds
KERNELS = re.compile(r"(?:(?<=PROVED: eps = )|(?<=rejected: because: ))[^\n]*?(?=\"?,?\n)")


def masked(tree):
    if isinstance(tree, list):
        return [masked(one) for one in tree]
    if isinstance(tree, dict):
        return {k: "*" if k in VARIES and not isinstance(v, dict) else masked(v) for k, v in tree.items()}
    return tree


def answered(arguments):
    """What a command prints, on both streams; the status where it is not 0."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            cli.main(split(arguments))
            status = 0
        except SystemExit as stopped:
            status = stopped.code
    said = KERNELS.sub("*", out.getvalue().replace(f"{HERE}/", ""))
    if LARGE in arguments:
        said = BOUNDED.sub("#", said)
    return said + (f"[exit {status}]\n" if status else "")


def both(arguments):
    """The command, its words, and its JSON; of one that writes, in JSON first, and then --force."""
    listed = answered(f"{arguments} --json")
    start = listed.find("\n{") + 1 if not listed.startswith(("{", "[")) else 0
    tree, end = json.JSONDecoder().raw_decode(listed[start:])
    around = listed[:start] + listed[start + end :].lstrip("\n")
    again = "--force" if re.search(r" -o |made.csv --sys", arguments) else ""
    words = answered(f"{arguments} {again}")
    words = re.sub(r"(?m)^  \d+\.\d\d s$", "  * s", words)
    words = re.sub(r", [\d.e+]+ blocks a second", "", words)
    made = json.dumps(masked(tree), indent=1)
    return f"$ shufflecert {arguments}\n".replace(f"{HERE}/", "") + f"{words}{made}\n{around}"


def made(name, folder):
    """A golden file's text."""
    for file, content in FILES.items():
        (folder / file).write_text(content)
    with chdir(folder):
        return "\n".join(map(both, ASKED[name]))


@pytest.fixture
def _the_day(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("COLUMNS", "118")


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.usefixtures("_the_day")
def test_answers_are_as_they_were(name, tmp_path):
    assert made(name, tmp_path) == (GOLDEN / f"{name}.txt").read_text()


def main():
    """Write them anew; of some, by name."""
    os.environ |= {"SOURCE_DATE_EPOCH": "0", "COLUMNS": "118"}
    for name in sys.argv[1:] or ASKED:
        with tempfile.TemporaryDirectory() as folder, suppress(FileNotFoundError):
            (GOLDEN / f"{name}.txt").write_text(made(name, Path(folder)))


if __name__ == "__main__":
    main()
