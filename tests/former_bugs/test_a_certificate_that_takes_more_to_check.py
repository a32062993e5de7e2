"""A certificate that the kernel leaves undecided with its default limits was written: `check` did not accept it.

Whatever a command writes, `check` accepts with its defaults. Where it does not, nothing is written.
"""

import json
from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from tests.helpers import call

TABLE = """
[[rows]]
input = "0"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["c", "b"], p = "49/50"}]
[[rows]]
input = "1"
outputs = [{send = ["b", "c", "c"], p = "1/50"}, {send = ["b", "c", "b"], p = "49/50"}]
[[rows]]
input = "2"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["b", "c"], p = "49/50"}]
"""
ASKED = ["--n", "3", "--adjacency", "deletion", "--reference", "0=1/2,1=1/6,2=1/3", "--eps", "1/2"]
DELTA = "333/400"
TOO_MUCH = "too much work: more than 100 steps, allow more with --max-work"


@pytest.mark.parametrize("steps, accepted", [(100, False), (kernel.MAX_WORK, True)], ids=["few steps", "default"])
@pytest.mark.parametrize("more", [["--max-work", "1"], []], ids=["an event", "enumerated"])
def test_what_check_does_not_accept_is_not_written(more, steps, accepted, tmp_path, capsys, monkeypatch):
    """With --max-work 1 an event refutes the claim, else enumeration; the kernel's default is made to be too little."""
    monkeypatch.setattr(kernel.check, "__defaults__", (kernel.MAX_BITS, steps))
    table, written = tmp_path / "table.toml", tmp_path / "certificate.json"
    table.write_text(TABLE)
    code, out, err = call(capsys, "certify", table, *ASKED, "--delta", DELTA, *more, "-o", written)
    assert err == "" and written.exists() == accepted
    if accepted:
        assert code == 1 and kernel.check(written.read_bytes()).status == "accepted"
    else:
        assert code == 3
        assert out.startswith(f"UNDECIDED: REFUTED, but check finds its certificate undecided: {TOO_MUCH}\n")


@pytest.mark.parametrize("delta, verdict, side", [("1/8", "PROVED", "proved"), ("1/4", "REFUTED", "refuted")])
def test_the_nearest_claim_that_is_decided_is_named(delta, verdict, side, tmp_path, capsys, monkeypatch):
    """The kernel's answer is put in its place: it accepts no promise of the delta that is asked for, or a near one."""
    real, bound = kernel.check, Fraction(delta)

    def check(data, *limits):
        near = bound / 2 <= kernel_delta(data) <= bound * Fraction(3, 2)
        return kernel.Verdict("undecided", TOO_MUCH) if near else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    written = tmp_path / "certificate.json"
    asked = ["rr", "-p", "flip=1/4", "--n", "2", "--eps", "0" if verdict == "REFUTED" else "5", "--json"]
    code, out, _ = call(capsys, "certify", *asked, "--delta", str(bound), "-o", written)
    answer = json.loads(out)
    assert code == 3 and not written.exists() and answer["verdict"] == "UNDECIDED" and answer["certificate"] is None
    assert verdict in answer["reason"] and TOO_MUCH in answer["reason"]
    near = Fraction(answer["nearest"][side]["delta"])
    assert near > bound if verdict == "PROVED" else near < bound
    code, *_ = call(capsys, "certify", *asked, "--delta", str(near), "-o", written)
    assert code == (0 if verdict == "PROVED" else 1) and real(written.read_bytes()).status == "accepted"


def test_where_no_delta_beside_it_has_a_certificate_that_is_said(tmp_path, capsys, monkeypatch):
    """Of `correlated --paper` the laws take too much memory at any delta: rounder numbers, it said, need less."""
    monkeypatch.setattr(kernel, "check", lambda *_, **__: kernel.Verdict("undecided", TOO_MUCH))
    asked = ["certify", "rr", "-p", "flip=1/4", "--n", "2", "--eps", "5", "--delta", "1/8"]
    code, out, _ = call(capsys, *asked, "-o", tmp_path / "certificate.json")
    assert code == 3 and "no delta beside it has one either (0.126, 0.25 were tried)" in out
    assert "without a file the verdict is given" in out
    assert call(capsys, *asked)[1].startswith("PROVED: ")


def kernel_delta(data):
    return Fraction(json.loads(data)["claim"]["delta"])


@pytest.mark.long
def test_response_of_many_users_is_certified_by_boxes(tmp_path, capsys):
    """All 10^4 datasets of the others, one by one, are more than check does by default."""
    written = tmp_path / "rr.json"
    asked = ["rr", "-p", "flip=1/4", "--n", "10000", "--delta", "1e-6"]
    code, out, err = call(capsys, "certify", *asked, "-o", written)
    assert code == 0 and err == "" and out.startswith("PROVED: delta(0.0399) = [")
    assert kernel.check(written.read_bytes()).status == "accepted"


def _few_steps(monkeypatch, steps):
    """The kernel's default limit is made to be so many steps."""
    monkeypatch.setattr(kernel.check, "__defaults__", (kernel.MAX_BITS, steps))


def test_without_a_file_a_line_says_that_check_would_not_accept(capsys, monkeypatch):
    """It said "add -o cert.json", and with -o the same promise was UNDECIDED."""
    asked = ["certify", "rr", "-p", "flip=1/4", "--n", "3", "--eps", "1", "--delta", "1/3"]
    code, out, _ = call(capsys, *asked)
    assert code == 0 and out.startswith("PROVED") and "add -o cert.json" in out
    _few_steps(monkeypatch, 10)
    code, out, _ = call(capsys, *asked)
    assert code == 0 and out.startswith("PROVED")
    assert "  no certificate written: check finds its certificate undecided: too much work" in out
    assert "too much work" in json.loads(call(capsys, *asked, "--json")[1])["reason"]


def test_a_calibrated_value_whose_certificate_is_not_accepted_is_undecided(tmp_path, capsys, monkeypatch):
    """It ended with status 0 beside a line "certificate (PROVED): none"."""
    written, asked = tmp_path / "a.json", ["calibrate", "rr", "--n", "3", "--eps", "1", "--delta", "1/10"]
    assert call(capsys, *asked, "-o", written)[0] == 0 and written.exists()
    written.unlink()
    real, promise = kernel.check, Fraction(1, 10)

    def check(data, *limits):
        return kernel.Verdict("undecided", TOO_MUCH) if kernel_delta(data) == promise else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    code, out, _ = call(capsys, *asked, "-o", written, "--force")
    assert code == 3 and not written.exists()
    assert out.startswith("UNDECIDED: PROVED at flip = ") and TOO_MUCH in out
    assert "  decided nearby: PROVED: delta(1) <= 0.101\n" in out
    answer = json.loads(call(capsys, *asked, "-o", written, "--force", "--json")[1])
    assert answer["undecided"]["nearest"]["proved"] == {"eps": "1", "delta": "101/1000"}
    assert answer["certificates"][0]["certificate"] is None and TOO_MUCH in answer["undecided"]["reason"]
    assert call(capsys, *asked)[0] == 0  # no certificate was asked for
