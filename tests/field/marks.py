"""Mechanisms of public libraries that tests name, and marks for tests of libraries that may be missing."""

import sys
from fractions import Fraction

import pytest

from tests.field import boxes, found, page
from tests.field.mechanism import LIBRARIES, present

F = Fraction


MISSING = [library for library in LIBRARIES if not present(library)]
FOLLOWED = page.mechanisms()
BOXES = boxes.boxes()
NAMES = {mechanism.key: mechanism for mechanism in FOLLOWED}


pure_ldp = pytest.mark.skipif("pure-ldp" in MISSING, reason="pure-ldp is not installed: pip install '.[mechanisms]'")
diffprivlib = pytest.mark.skipif("diffprivlib" in MISSING, reason="diffprivlib is not installed: '.[mechanisms]'")
multi_freq = pytest.mark.skipif("multi-freq-ldpy" in MISSING, reason="multi-freq-ldpy is not installed")


def running(name):
    """The mechanism; where the library's code does not run on this Python, the test is skipped."""
    last = NAMES[name].last
    if last is not None and sys.version_info[:2] > last:
        pytest.skip("runs up to Python {}.{}: the library's code asks randint for a float".format(*last))
    return NAMES[name]


def law(name, deployed=False):
    return found.followed(running(name), deployed)


def dec(value):
    return F(repr(float(value)))
