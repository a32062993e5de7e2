"""The verified kernel: what its theorem rests on, and its verdicts beside those of the kernel and of the judge."""

import json
import random
import re
import subprocess
from fractions import Fraction

import pytest

from tests import certificate_mutants, certificate_seeds, oracle, verified
from tests.bench.jobs import certificate
from tests.judge import judge
from verify import kernel
from verify.commands import verified as command

SAME = {"accepted": "true", "rejected": "false", "malformed": "malformed"}
FOLDERS = {"accepted": "accepted", "rejected": "rejected", "malformed": "malformed"}
FORBIDDEN = r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset|bypass_check|Declare|Obligation|give_up)\b"


@pytest.mark.parametrize("file", sorted(verified.COQ.glob("*.v")), ids=lambda file: file.name)
def test_nothing_is_assumed_in_the_proofs(file):
    text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.findall(FORBIDDEN, text)
    outside = re.sub(r"^Section (\w+)\..*?^End \1\.", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"^\s*(?:Variables?|Hypothes[ie]s|Context)\b", outside, flags=re.MULTILINE)


def test_the_axioms_are_those_of_the_real_numbers(verified_kernel):
    expected = (verified.COQ / "AXIOMS").read_text(encoding="utf-8")
    assert (verified.MADE / "axioms").read_text(encoding="utf-8") == expected
    names = set(re.findall(r"^(\S+)(?= ?:|$)", expected, flags=re.MULTILINE)) - {"Axioms:"}
    assert {name.split(".")[0] for name in names} == {
        "ClassicalDedekindReals",
        "FunctionalExtensionality",
        "Classical_Prop",
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_certificates_of_this_project(verified_kernel, folder, tmp_path):
    """Files of versions 2, 7 and 8 are refused as not covered; all others get the verdict that the folder names."""
    files = sorted((verified.ROOT / "tests" / folder).glob("*.json"))
    found = verified.verdicts(tmp_path, [file.read_bytes() for file in files])
    for file, (status, reason) in zip(files, found, strict=True):
        second = reason.startswith("version 2 is not")
        refused = second or reason.startswith("versions 3 to 8 are not covered")
        assert refused == bool(re.search(rb'"version": [78]', file.read_bytes())) or second, file.name
        expected = "undecided" if refused else FOLDERS[folder]
        assert status == expected, f"{file.name}: {status}: {reason}"
    assert sum(status == FOLDERS[folder] for status, _ in found) >= 20


def test_three_checkers_on_mutants(verified_kernel, tmp_path):
    mutants = list(certificate_mutants.mutants(16, 450))
    found = verified.verdicts(tmp_path, [data for _, data in mutants])
    for (done, data), (status, reason) in zip(mutants, found, strict=True):
        if re.search(rb'"version": [345678],', data) and reason.startswith("versions 3 to 8 are not covered"):
            assert status == "undecided" and kernel.check(data).status != "accepted"
            continue  # a digit of the version changed
        assert kernel.check(data).status == status, (done, data, reason)
        assert judge(data) == SAME[status], (done, data, reason)


@pytest.mark.parametrize("place", ["p", "eps", "delta", "lower"])
def test_numbers_lead_with_no_zero(verified_kernel, place, tmp_path):
    text = (verified.ROOT / "tests" / "accepted" / "rr-two.json").read_text(encoding="utf-8")
    changed = re.sub(rf'("{place}": "(?:log\()?)', r"\g<1>0", text)
    changed = changed if place != "lower" else re.sub(r'("lower": "0)', r"\g<1>0", text)
    assert changed != text
    [(status, reason)] = verified.verdicts(tmp_path, [changed.encode()])
    assert status == "malformed" and "zero" in reason


def weights(rng, parts):
    cuts = [rng.randrange(1, 9) for _ in range(parts)]
    return [Fraction(cut, sum(cuts)) for cut in cuts]


def some_randomizer(rng):
    """Two or three inputs; up to four outputs of up to two messages of two."""
    sends = [(), ("a",), ("b",), ("a", "b"), ("b", "a"), ("a", "a")]
    rows = {}
    for x in range(rng.choice([2, 2, 3])):
        chosen = rng.sample(sends, rng.randrange(1, 5))
        rows[str(x)] = dict(zip(chosen, weights(rng, len(chosen)), strict=True))
    return rows


def near(rng, digits):
    """(the largest delta between lower and upper, [(claim, whether it is true)]), all by the oracle's numbers."""
    randomizer = some_randomizer(rng)
    view, n = rng.choice([("shuffled", rng.randrange(1, 4)), ("preshuffle", 2), ("local", 3)])
    eps = rng.choice(["0", "1/3", "1", "log(2)", "log(5/4)"])
    tree = certificate_seeds.certificate(randomizer, view, n, eps, digits=digits)
    ends = tree["evidence"]["worst"]["delta"]
    yield tree, True
    if ends["lower"] == ends["upper"]:
        return
    for place, text in (("lower", ends["upper"]), ("upper", ends["lower"])):
        false = json.loads(json.dumps(tree))
        false["evidence"]["worst"]["delta"][place] = text
        yield false, False
    false = json.loads(json.dumps(tree))
    false["claim"]["delta"] = str(Fraction(ends["lower"]))
    yield false, False
    unit = Fraction(1, 10**digits)
    for delta, true in ((Fraction(ends["lower"]), True), (Fraction(ends["lower"]) + unit, False)):
        made = certificate_seeds.certificate(randomizer, view, n, eps, delta=delta, verdict="REFUTED", digits=digits)
        yield made, true


@pytest.mark.parametrize("digits", [3, 9])
def test_claims_slightly_above_and_below_the_truth(verified_kernel, digits, tmp_path):
    rng, cases = random.Random(digits), []
    while len(cases) < 240:
        cases += near(rng, digits)
    files = [certificate_seeds.dump(tree).encode() for tree, _ in cases]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), data, (status, reason) in zip(cases, files, found, strict=True):
        assert (status == "accepted") == true, (tree, reason)
        assert kernel.check(data).status == status, (tree, reason)
    assert 80 < sum(true for _, true in cases) < 200


def test_what_is_larger_is_checked_with_rounded_weights(verified_kernel, tmp_path):
    """zsum with 100 users, by the kernel's verdict; a lower end that is one too high in its last digit is refused."""
    data = (verified.ROOT / "tests" / "accepted" / "zsum-hundred.json").read_bytes()
    [(status, _)] = verified.verdicts(tmp_path, [data])
    assert status == "accepted"
    tree = json.loads(data)
    ends = tree["evidence"]["worst"]["delta"]
    ends["lower"] = ends["upper"]
    [(status, _)] = verified.verdicts(tmp_path, [json.dumps(tree).encode()])
    assert status != "accepted"


@pytest.mark.parametrize(
    ("system", "parameters", "n", "eps", "delta"),
    [("rr", {"flip": "1/4"}, 300, "1/5", "1/100"), ("zsum", {"p": "0.98"}, 3000, "1", "1/1000000")],
)
def test_thousands_of_users_by_powers_and_boxes(verified_kernel, system, parameters, n, eps, delta, tmp_path):
    """Both ends are within one in the last digit of what the kernel finds, so neither may move by as much."""
    data = certificate(system, parameters, n, eps, delta).encode()
    files = [data]
    for place, other in (("lower", "upper"), ("upper", "lower")):
        tree = json.loads(data)
        ends = tree["evidence"]["worst"]["delta"]
        ends[place] = ends[other]
        files.append(json.dumps(tree).encode())
    assert [kernel.check(file).status for file in files] == ["accepted", "rejected", "rejected"]
    found = verified.verdicts(tmp_path, files)
    assert found[0][0] == "accepted" and found[1][0] != "accepted" and found[2][0] != "accepted"


def test_the_command(verified_kernel, tmp_path):
    run = lambda *files: subprocess.run(  # noqa: E731
        [str(verified.BINARY), *map(str, files)], capture_output=True, text=True, check=False
    )
    good, bad = (verified.ROOT / "tests" / name for name in ("accepted/tiny.json", "rejected/tiny-delta.json"))
    assert run(good).returncode == 0
    assert run(good, bad).returncode == 1
    assert run(good, bad, tmp_path / "none.json").returncode == 2
    assert run().returncode == 2
    assert [command.checker()(file)[0] for file in (good, bad, tmp_path)] == ["accepted", "rejected", "malformed"]


def test_where_it_is_not_built(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "BUILT", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(command.BadInput, match="make coq"):
        command.checker()


def test_deep_and_long_files_do_not_end_it(verified_kernel, tmp_path):
    deep = b"[" * 100_000
    many = json.loads((verified.ROOT / "tests" / "accepted" / "rr-two.json").read_bytes())
    many["claim"]["n"] = 10**9
    many["evidence"]["worst"]["pair"]["others"] = {"0": 10**9 - 1}
    found = verified.verdicts(tmp_path, [deep, json.dumps(many).encode()])
    assert [status for status, _ in found] == ["malformed", "undecided"]


def test_the_oracle_of_these_tests(verified_kernel):
    """Of rr with one user and e^eps = 2 delta is 3/4 - 2/4: both ends of a certificate made here are that."""
    tree = certificate_seeds.certificate(oracle.rr(Fraction(1, 4)), "shuffled", 1, "log(2)", digits=3)
    assert tree["evidence"]["worst"]["delta"] == {"lower": "0.250", "upper": "0.250"}
