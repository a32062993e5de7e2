"""The verified kernel: what its theorem rests on, and its verdicts on the files of this project."""

import json
import re
import subprocess

import pytest

from shufflecert.verify.commands import certificates as command
from tests import verified

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


@pytest.mark.parametrize("place", ["p", "eps", "delta"])
def test_numbers_lead_with_no_zero(verified_kernel, place, tmp_path):
    text = (verified.ROOT / "tests" / "accepted" / "rr-two.json").read_text(encoding="utf-8")
    changed = re.sub(rf'("{place}": "(?:log\()?)', r"\g<1>0", text)
    assert changed != text
    [(status, _)] = verified.verdicts(tmp_path, [changed.encode()])
    assert status == "malformed"


def test_the_command(verified_kernel, tmp_path):
    run = lambda *files: subprocess.run(  # noqa: E731
        [str(verified.BINARY), *map(str, files)], capture_output=True, text=True, check=False
    )
    good, bad = (verified.ROOT / "tests" / name for name in ("accepted/tiny.json", "rejected/tiny-delta.json"))
    assert run(good).returncode == 0
    assert run(good, bad).returncode == 1
    assert run(good, bad, tmp_path / "none.json").returncode == 2
    assert run().returncode == 2
    said = [command.by_binary(command.binary(), file.read_bytes())[0] for file in (good, bad)]
    assert said == ["accepted", "rejected"]


def test_where_it_is_not_built(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "BUILT", tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(command.BadInput, match="make coq"):
        command.binary()


def test_deep_and_long_files_do_not_end_it(verified_kernel, tmp_path):
    deep = b"[" * 100_000
    many = json.loads((verified.ROOT / "tests" / "accepted" / "single-input.json").read_bytes())
    many = many[0] if isinstance(many, list) else many
    rows = many["claim"]["runs"][0]["seen"]
    rows["users"], rows["each"]["rows"] = 10**9, [rows["each"]["rows"][0], rows["each"]["rows"][0] | {"input": "other"}]
    ends = [row["input"] for row in rows["each"]["rows"]]
    many["because"] = {"pairs": [{"from": a, "to": b, "tree": ["each"]} for a, b in (ends, ends[::-1])]}
    found = verified.verdicts(tmp_path, [deep, json.dumps(many).encode()])
    assert found[0][0] == "malformed" and found[1][0] in ("undecided", "accepted")
