"""An exception of a sampler whose text cannot be had, or that is no Exception, ended the audit with a traceback.

The second with exit status 1, which is that of REFUTED.
"""

import pytest

from tests.helpers import call, is_one_line

SAMPLER = """
class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")

class MuteType(TypeError):
    __str__ = Mute.__str__

class Base(BaseException):
    pass

def mute(x, rng):
    raise Mute

def mute_type(x, rng):
    raise MuteType

def base(x, rng):
    raise Base("all the way")

def late(x, rng):
    if rng.random() < 0.5:
        raise Base
    return x
"""


@pytest.mark.parametrize("box", [(), ("--samples", 100, "--black-box")])
@pytest.mark.parametrize(
    ("name", "words"),
    [("mute", "Mute"), ("mute_type", "MuteType"), ("base", "Base: all"), ("late", "Base")],
)
def test_raised_by_a_sampler(tmp_path, capsys, name, words, box):
    (tmp_path / "odd.py").write_text(SAMPLER)
    status, out, err = call(capsys, "audit", *box, f"{tmp_path}/odd.py:{name}", "--inputs", "0,1")
    assert (status, out) == (2, "") and is_one_line(err) and words in err


def test_raised_by_a_file(tmp_path, capsys):
    (tmp_path / "odd.py").write_text(SAMPLER + "raise Base('here')\n")
    status, out, err = call(capsys, "delta", f"{tmp_path}/odd.py:mute", "--n", 2, "--eps", 1)
    assert (status, out) == (2, "") and is_one_line(err) and "Base: here" in err
