"""With --adjacency add-remove the number of messages may give the user away: only `delta` and `epsilon` said so.

`certify` asked for a larger --delta, where no delta below 1 would do. Now all commands name --take-part.
"""

import pytest

from tests.helpers import call

KRR = ["krr", "-p", "k=3", "-p", "gamma=1/2", "--n", "20", "--adjacency", "add-remove"]
ASKED = {
    "delta": ["--eps", "1"],
    "epsilon": ["--delta", "1e-6"],
    "certify, no eps": ["--delta", "1e-6"],
    "certify, no eps, honest": ["--delta", "1e-6", "--honest", "10"],
    "certify": ["--delta", "1e-6", "--eps", "1"],
    "profile": ["--eps", "0:1:2"],
    "compose": ["--times", "2", "--eps", "1"],
}


@pytest.mark.parametrize("name", ASKED)
def test_the_reason_and_the_way_out_are_said(name, capsys):
    code, out, err = call(capsys, name.partition(",")[0], *KRR, *ASKED[name])
    said = " ".join((out + err).split())
    assert code == (2 if "," in name else 1 if name == "certify" else 0)
    assert "every participant sends 1 message" in said and "--take-part Q below 1 hides" in said
    assert "larger --delta" not in said


def test_a_calibration_says_it(capsys):
    asked = ["krr", "-p", "k=3", "--over", "gamma", "--n", "20", "--eps", "1", "--delta", "1e-6", "--step", "1/4"]
    code, _, err = call(capsys, "calibrate", *asked, "--adjacency", "add-remove")
    assert code == 2 and "no value satisfies (eps, delta)" in err and "--take-part Q below 1 hides" in err


def test_what_take_part_hides_is_not_named_again(capsys):
    code, out, err = call(capsys, "certify", *KRR[:6], "5", *KRR[7:], "--take-part", "1/2", "--delta", "1/2")
    assert code == 0 and "--take-part Q" not in out + err
