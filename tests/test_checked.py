"""The verified checker as plain Python: what the proof gives, and its lines beside the binary's and the kernel's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import any_certificates, certificate_mutants, hostile, scale_seeds, verified
from tests.test_cover_certificates import ALL, NEEDED, of
from verify import kernel
from verify.checked import decide, program
from verify.commands import verified as command

HERE = verified.ROOT / "tests"
FOLDERS = ("accepted", "rejected", "malformed")
FILES = sorted(file for name in FOLDERS for file in (HERE / name).glob("*.json"))
RUN = "import sys; from verify.checked.decide import verdict; print(*verdict(open(sys.argv[1], 'rb').read()))"


def others():
    """Covers, blankets, any randomizer, counts, and changes of all kinds of certificates."""
    trees = [of(ALL, NEEDED), *scale_seeds.blankets()[:4], *list(any_certificates.small())[:4]]
    yield from (json.dumps(tree).encode() for tree in trees)
    for law in (
        {"law": "binomial", "n": 10, "p": "1/2"},
        {"law": "poisson", "lam": "40"},
        {"law": "negative_binomial", "r": "3/2", "p": "3/4"},
        {"law": "discrete_laplace", "q": "9/10"},
    ):
        yield hostile.mechanism(hostile.count(2, **law), eps="1", delta="1/2").encode()
        yield hostile.mechanism({"view": "histogram", "noise": law, "buckets": 3}, eps="1", delta="1/2").encode()
    yield from (data for _, data in certificate_mutants.mutants(20, 120))


def test_it_is_what_the_proof_gives(verified_kernel):
    verified.build("json")
    made = (verified.MADE / "program.py").read_bytes()
    assert (verified.ROOT / "verify" / "checked" / "program.py").read_bytes() == made


def test_the_binary_says_the_same(verified_kernel, tmp_path):
    """Word for word where it accepts; elsewhere the same verdict."""
    files = [*(file.read_bytes() for file in FILES), *others()]
    accepted = 0
    for data, (status, reason) in zip(files, verified.verdicts(tmp_path, files), strict=True):
        mine = decide.verdict(data)
        assert mine[0] == status, (data, mine, reason)
        assert status != "accepted" or mine[1] == reason
        accepted += status == "accepted"
    assert accepted > 60


def test_the_kernel_says_the_same():
    """What one of them leaves undecided the other may decide; nothing is accepted by one and refused by the other."""
    decided = 0
    for data in [*(file.read_bytes() for file in FILES), *others()]:
        mine, theirs = decide.verdict(data)[0], kernel.check(data).status
        assert mine == theirs or "undecided" in (mine, theirs), (data, mine, theirs)
        decided += mine != "undecided"
    assert decided > 200


def test_steps_are_counted():
    data = (HERE / "accepted" / "zsum-hundred.json").read_bytes()
    assert decide.verdict(data)[0] == "accepted"
    assert decide.verdict(data, steps=1000) == ("undecided", "too much work: more than 1000 steps")
    before = sys.getrecursionlimit(), sys.get_int_max_str_digits(), next(program.budget.steps, None)
    assert decide.verdict(data)[0] == "accepted"
    assert (sys.getrecursionlimit(), sys.get_int_max_str_digits(), None) == before  # and none are left for others


def test_long_lists_are_read(tmp_path):
    rows = [hostile.row(x, *(([str(i)], "1/1200") for i in range(1200))) for x in "01"]
    status, reason = decide.verdict(hostile.proof(rows, 1).encode())
    assert status == "accepted" and "the claim is true" in reason


@pytest.mark.parametrize("name", [name for name in hostile.HOSTILE if name not in ("numbers", "objects", "lists")])
def test_hostile_files_end(name, tmp_path):
    """What is more work than is begun is said so; the time limit is for a program that does not end."""
    file = tmp_path / "c.json"
    file.write_text(hostile.HOSTILE[name]())
    done = subprocess.run(
        [sys.executable, "-c", RUN, file], capture_output=True, text=True, timeout=300, check=True, cwd=verified.ROOT
    )
    true = {"poisson, digits": "accepted"}  # some 12,800 expected: a shift by 1 has a delta far below 1/2
    assert done.stdout.split()[0] in ("undecided", "rejected", "malformed", true.get(name))


def checked(*arguments):
    command_line = [sys.executable, "-c", "from verify.entry import main; main()", "check", *map(str, arguments)]
    return subprocess.run(command_line, capture_output=True, text=True, check=False, cwd=verified.ROOT)


def test_the_command():
    good, bad = HERE / "accepted" / "tiny.json", HERE / "rejected" / "tiny-delta.json"
    for by in ("verified", "both"):
        assert command.python_checker()(good)[0] == "accepted"
        assert checked("--by", by, good).returncode == 0 and checked("--by", by, good, bad).returncode == 1
    assert "by theorem check_sound" in checked("--by", "verified", good).stdout
    assert "[verify/kernel.py: accepted]" in checked("--by", "both", good).stdout
    assert checked("--by", "nobody", good).returncode == 2
    assert checked("--by", "verified", "--max-bits", "99", good).returncode == 2


def test_both_of_them():
    """What one of them has no theorem for is the other's; a disagreement is an error, and asks for a report."""
    good = HERE / "accepted" / "tiny.json"
    seven = next(file for file in FILES if b'"version": 7' in file.read_bytes() and file.parent.name == "accepted")
    status, reason = command.both(kernel.check_file, seven)
    assert status == "accepted" and "verify/kernel.py alone" in reason
    assert command.both(lambda path: ("undecided", "too much work"), good)[0] == "accepted"
    with pytest.raises(command.DisagreementError, match="please report this certificate"):
        command.both(lambda path: ("rejected", "a damaged kernel"), good)


def test_the_format_without_versions_is_left_to_its_kernel(verified_kernel, tmp_path):
    files = [b'{"because": {}}', b'[{"because": {}}]', b'[{"because": {}}, 1]']
    for data, (status, reason) in zip(files, verified.verdicts(tmp_path, files), strict=True):
        assert (status, reason) == decide.verdict(data) and status == "undecided" and "without versions" in reason


def test_it_stands_alone():
    """The standard library alone: no file of it imports anything else of ours."""
    for file in (Path(program.__file__).parent).glob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]):
                assert words[1].startswith("verify.checked") or words[1] in sys.stdlib_module_names, line
