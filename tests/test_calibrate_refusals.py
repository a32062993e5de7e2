"""`calibrate` on the command line: bad input is refused in one line, and nothing is left half-written."""

from fractions import Fraction
from pathlib import Path

import pytest

from tests.helpers import call, is_one_line

F = Fraction


# Bad input -----------------------------------------------------------------------------------------------------------


ZSUM = "zsum --n 10 --eps 1 --delta 1/10"
BAD = {
    # promises that nothing keeps
    "zsum --n 10 --eps 1/10 --delta 1e-9": "zsum: no value is shown to satisfy (eps, delta): the most noise that",
    "zsum --n 10 --eps 1/10 --delta 1e-9 --step 1/32": "zsum: no value satisfies (eps, delta): the most noise that was "
    "tried is 0.5, which fails: delta(eps) is in [0.2",
    "zsum --n 10 --eps 1 --delta 0": "zsum: no value is shown to satisfy (eps, delta)",
    "poisson --n 10 --eps 1 --delta 0": "poisson: no value is shown to satisfy (eps, delta)",
    "rr -p flip=1/4 --over n --eps 1/2 --delta 0": "rr, n: no value is shown to satisfy (eps, delta)",
    "rr -p flip=0 --over n --eps 1 --delta 1e-3": "rr, n: no value satisfies (eps, delta)",
    "krr -p k=4 --n 40 --eps 1 --delta 1e-3 --range 0:1/4": "krr: no value satisfies (eps, delta): the most noise "
    "that was tried is 0.25, which fails: delta(eps) is in [0.0446",
    # what to choose
    f"{ZSUM} --over q": "--over q: not a parameter of zsum: expected p, n",
    f"{ZSUM} --over p -p p=3/4": "--over p: it is given as well: expected one of the two",
    "zsum -p p=3/4 --n 10 --eps 1 --delta 1/10": "zsum: nothing to choose: expected --over with one of n",
    f"{ZSUM} --over=": "--over : not a parameter of zsum",
    "zsum -p p=3/4 --over p,n --eps 1 --delta 1/10": "--over p: it is given as well",
    "zsum -p p=3/4 --over n --n 10 --eps 1 --delta 1/10": "--over n: it is given as well: expected one of the two",
    "rr --over n --eps 1 --delta 1/10": "rr: no value for flip",
    "rr --over n,flip --eps 1 --delta 1/10": "--over n: expected n alone, with all parameters given",
    "poisson -p lam=5 --over n --eps 1 --delta 1/10": "--over n: it carries no noise: expected sensitivity",
    "pointer_chasing -p l=3 --over k --n 9 --eps 1 --delta 1/10": "--over k: it carries no noise: expected p, n",
    "support_identification -p h=4 -p p=0.999 --over d --n 1000 --eps 1/2 --delta 1e-6": "h: 4: expected at most d",
    "krr -p k=3 -p gama=1/2 --n 9 --eps 1 --delta 1/10": "krr: 'gama' is not a parameter",
    "hist --n 9 --eps 1 --delta 1/10": "hist: no value for d",
    "r_gap --n 9 --eps 1 --delta 1/10": "r_gap: nothing to choose: expected --over with one of n",
    "nosuch --n 9 --eps 1 --delta 1/10": "system: 'nosuch' is unknown",
    "my.toml --n 9 --eps 1 --delta 1/10": "my.toml: a table does not say what its noise is: expected a system by name",
    "my.py:Mine --n 9 --eps 1 --delta 1/10": "my.py:Mine: NameError: name 'before' is not defined",
    # objectives and limits
    f"{ZSUM} --objective speed": "--objective speed: expected one of rmse, messages, bits, failure",
    f"{ZSUM} --objective failure": "--alpha: expected with --objective failure, and only there",
    f"{ZSUM} --alpha 1/10": "--alpha: expected with --objective failure, and only there",
    f"{ZSUM} --objective failure --alpha -1": "alpha: -1: expected a rational of at least 0",
    f"{ZSUM} --max-rmse 0": "--max-rmse 0: expected a rational above 0",
    f"{ZSUM} --max-messages -1": "--max-messages -1: expected a rational above 0",
    f"{ZSUM} --max-rmse 1": "zsum: no value is shown to satisfy (eps, delta) within the limits: p = 0.",
    f"{ZSUM} --rmse-slack x": "rmse-slack: 'x' is not an exact number",
    "rr --n 9 --eps 0 --delta 1/10 --rmse-slack 6/5": "eps: 0: expected eps > 0 to compare",
    "pointer_chasing -p k=1 -p l=1 --n 100 --eps 1 --delta 1/10 --max-rmse 5": "this system does not count users",
    "negative_binomial --n 9 --eps 1 --delta 1/10 --max-messages 1": "no values are shown to satisfy (eps, delta) w",
    # grids
    f"{ZSUM} --range 3/4:1/2": "range: 3/4:1/2 is reversed: expected LOW:HIGH",
    f"{ZSUM} --range 1/4:3/4": "range: 1/4:3/4: expected p of at least 1/2 and at most 1, where less is noise",
    f"{ZSUM} --range 3/4": "--range 3/4: expected LOW:HIGH",
    f"{ZSUM} --range :1": "--range: '' is not an exact number",
    f"{ZSUM} --range 2/3:2/3": "p: no multiple of 1/18446744073709551616 in the range",
    f"{ZSUM} --step 0": "--step 0: expected a rational above 0",
    f"{ZSUM} --step -1/8": "--step -1/8: expected a rational above 0",
    f"{ZSUM} --step 2": "p: no multiple of 2 in the range: expected a smaller step or more room",
    f"{ZSUM} --step x": "step: 'x' is not an exact number",
    "krr -p gamma=1/2 --over k --n 9 --eps 1 --delta 1/10 --step 1/2": "step: 1/2: expected a positive integer",
    "correlated --n 9 --eps 1 --delta 1/10 --step 1/8": "--step, --range: for one parameter, but q, r, p are to be",
    # the promise
    "zsum --n 10 --eps -1 --delta 1/10": "eps: -1: expected",
    "zsum --n 10 --eps 1 --delta 2": "delta: 2 is not a probability",
    "zsum --n 0 --eps 1 --delta 1/10": "n: 0: expected",
    "zsum --eps 1 --delta 1/10": "--n: missing",
    "zsum --n 10 --delta 1/10": "Missing option '--eps'",
    "zsum --n 10 --eps 1": "Missing option '--delta'",
    f"{ZSUM} --max-work 0": "--max-work: 0",
    # where to write
    f"{ZSUM} -o beside.json": "beside.fails.json: exists: expected a new file, or --force to write over it",
}


@pytest.mark.parametrize("arguments", BAD)
def test_bad_input_is_one_line_status_2_and_no_file(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    for name in ("there.json", "beside.fails.json", "my.toml", "my.py"):
        (tmp_path / name).write_text("before")
    before = sorted(tmp_path.iterdir())
    output = () if " -o " in arguments else ("-o", "c.json")
    status, out, err = call(capsys, "calibrate", *arguments.split(), *output)
    assert (status, out) == (2, "") and is_one_line(err)
    assert BAD[arguments] in err, err
    assert sorted(tmp_path.iterdir()) == before and (tmp_path / "there.json").read_text() == "before"


# Nothing half-written -----------------------------------------------------------------------------------------------


RR = ("calibrate", "rr", "--n", 3, "--eps", 1, "--delta", "1/10")


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("when", [1, 2])
def test_both_files_are_there_or_neither(capsys, tmp_path, monkeypatch, fault, when):
    """The fault strikes while the first certificate is put in its place, or the second."""
    replace, calls = Path.replace, []

    def fails(self, target):
        calls.append(target)
        if len(calls) == when:
            raise fault
        return replace(self, target)

    monkeypatch.setattr("pathlib.Path.replace", fails)
    status, out, _ = call(capsys, *RR, "-o", tmp_path / "c.json")
    assert (status, out) == (4 if isinstance(fault, OSError) else 130, "")
    assert list(tmp_path.iterdir()) == [] and len(calls) == when


def test_a_contradiction_writes_nothing(capsys, tmp_path, monkeypatch):
    """Were a search to answer with a value that keeps nothing, the verdict on it would stop it."""
    monkeypatch.setattr("shufflecert.verify.calibrate.least_noise.breaks", lambda *_: False)
    monkeypatch.setattr("shufflecert.verify.calibrate.grid_search.keeps", lambda *_: True)
    monkeypatch.setattr("shufflecert.verify.calibrate.least_noise.keeps", lambda *_: True)
    status, out, err = call(capsys, *RR, "-o", tmp_path / "c.json")
    assert (status, out) == (3, "") and "REFUTED where calibration found PROVED" in err
    assert list(tmp_path.iterdir()) == []
