"""The verified checker on what commands write: each of these was once left undecided, by an estimate or by its bits."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.checked import decide, hints
from shufflecert.verify.exact.rational import fraction, text
from tests import verified
from tests.helpers import call

THREE = {"0": {"a": 6, "b": 12, "c": 60, "d": 30}, "1": {"a": 27, "b": 11, "c": 16, "d": 54}}
GAPS = {"0": {"": 1, "aaa": 10}, "1": {"": 10, "aa": 1}, "2": {"": 1, "aa": 3, "aaa": 2}, "3": {"aa": 2, "aaa": 1}}
PAIRS = {
    **{"0": {"aa": 2, "bb": 5, "bc": 3, "cc": 10}, "1": {"aa": 1, "ab": 1, "ac": 3, "bb": 1, "cc": 3}},
    **{"2": {"aa": 10, "ab": 2, "ac": 3, "cc": 10}, "3": {"aa": 3, "ab": 1, "ac": 1, "bc": 2}},
    **{"4": {"aa": 2, "bb": 3, "bc": 2, "cc": 3}, "5": {"aa": 10, "ab": 5, "ac": 3, "bb": 5, "bc": 3, "cc": 1}},
}
SOME = {"0": {"": 1}, "1": {"": 1, "bc": 2}, "2": {"": 1, "bc": 1}}
TABLES = {"three": THREE, "gaps": GAPS, "pairs": PAIRS, "some": SOME}
WRITTEN = {
    "no delta, of two runs": "compose discrete_laplace -p q=999/1000 -p sensitivity=20 --n 20 --times 2 --eps 2",
    "a curve of many users": "profile poisson -p lam=100 --n 10000 --adjacency add-remove --eps 0:2:5",
    "noise of each of many": "certify negative_binomial -p r=2 -p p=9/10 --n 1000000 --adjacency add-remove --eps 1/2"
    " --delta 1e-30",
    "long tuples": "certify fake_users -p d=3 -p k=3 -p flip=1/2 --n 1000 --view preshuffle --eps 1/10",
    "no loss": "delta three --n 1000000000 --eps 8",
    "no loss of one pair": "compose pckv_grr -p d=2 -p l=1 -p eps0=1/2 --n 4 --times 2 --eps 1/2",
    "no more than alone": "certify count_mean_sketch -p k=1 -p m=8 -p eps0=4 --n 100 --eps 8",
    "a wide grid": "certify gaps --n 100000 --adjacency add-remove --eps 1/10",
    "pairs of messages": "certify pairs --n 20 --eps 1",
    "a large eps": "epsilon any_ldp -p eps0=1/10 -p local_delta=1/1000 --n 1000 --delta 1e-100",
    "the highest sum": "epsilon rr -p flip=1/4 --n 100000 --delta 0",
    "a run that tells nothing": "compose fragmented_rappor,poisson_hist -p fragmented_rappor.d=5"
    " -p fragmented_rappor.flip=1/2 -p poisson_hist.buckets=10 -p poisson_hist.lam=3 --n 20 --times 1,1 --honest 6"
    " --eps 8",
    "others who are counted": "compose some --n 1000000000 --times 2 --eps 8",
    "others on columns who are counted": "certify sample_and_threshold -p p=1/100 -p k=10 --n 1000000000 --eps 0"
    " --delta 1/1000",
    "pairs that renamings make one": "certify hadamard_response -p K=16 -p eps0=1 --n 3 --eps 1",
    "noise that is none": "certify pointer_jumping -p s=3 -p h=1 -p p=1 --n 300 --eps log(2) --delta 1",
}


def table(laws):
    """A randomizer file's text, of laws by weights; a text's letters are the messages."""
    rows = []
    for name, law in laws.items():
        whole = sum(law.values())
        rows.append({"input": name, "outputs": [{"send": [*x], "p": f"{w}/{whole}"} for x, w in law.items()]})
    return json.dumps({"rows": rows})


def falsified(tree):
    """The same with a delta that is false: a tenth less where it is kept, 1 where it is exceeded; else None."""
    at = fraction(tree["claim"]["delta"])
    changed = at * Fraction(9, 10) if tree["verdict"] == "PROVED" else Fraction(1)
    return None if changed == at else json.dumps(tree | {"claim": tree["claim"] | {"delta": text(changed)}}).encode()


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.sampled(3)
def test_what_commands_write_is_accepted(name, capsys, tmp_path, verified_kernel):
    """By both, and by the binary; with a delta that is false by neither."""
    command, system, *rest = WRITTEN[name].split()
    if system in TABLES:
        (tmp_path / "t.json").write_text(table(TABLES[system]))
        system = tmp_path / "t.json"
    assert call(capsys, command, system, *rest, "-o", tmp_path / "c.json")[0] in (0, 1)
    tree = json.loads((tmp_path / "c.json").read_bytes())
    trees = tree if isinstance(tree, list) else [tree]
    good = [json.dumps(one).encode() for one in trees]
    assert {decide.verdict(data)[0] for data in good} == {kernel.check(data).status for data in good} == {"accepted"}
    assert {status for status, _ in verified.verdicts(tmp_path, good)} == {"accepted"}
    bad = [data for one in trees if (data := falsified(one))]
    assert "accepted" not in {decide.verdict(data)[0] for data in bad} | {kernel.check(data).status for data in bad}


@pytest.mark.parametrize(
    "command", ["certify t.json --n 1000000000 --eps 1/1000", "compose r_infinity -p w=3/4 --n 1000000 --times 2"]
)
def test_of_inputs_that_are_alike_nothing_is_told(command, capsys, tmp_path, monkeypatch, verified_kernel):
    """However many users there are: none is spelled out, and divisions that are exact lose nothing; where one input
    sends something else it is told.
    """
    monkeypatch.chdir(tmp_path)
    Path("t.json").write_text(table({"0": {"b": 1}, "1": {"b": 1}}))
    assert call(capsys, *command.split(), "--delta", "1/1000", "-o", "c.json")[0] == 0
    tree = json.loads(Path("c.json").read_bytes())
    good = json.dumps(tree).encode()
    assert {decide.verdict(good)[0], *(status for status, _ in verified.verdicts(tmp_path, [good]))} == {"accepted"}
    one = tree[0] if isinstance(tree, list) else tree
    one["claim"]["runs"][0]["seen"]["each"]["rows"][1]["outputs"][0]["send"] = ["other"]
    bad = json.dumps(one).encode()
    verdicts = decide.verdict(bad)[0], kernel.check(bad).status, verified.verdicts(tmp_path, [bad])[0][0]
    assert "accepted" not in verdicts


@pytest.mark.long
def test_wide_boxes_in_a_plane_are_looked_at_along_a_line(capsys, tmp_path, monkeypatch):
    command = "certify rr -p flip=1/1000 --n 500 --take-part 1/2 --delta 1e-6"
    assert call(capsys, *command.split(), "-o", tmp_path / "c.json")[0] == 0
    data = (tmp_path / "c.json").read_bytes()
    assert decide.verdict(data)[0] == "accepted"
    monkeypatch.setattr(hints, "MOST_PLANE", 0)
    assert decide.verdict(data)[0] == "undecided"
