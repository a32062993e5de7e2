"""Section 5.1 of GKMP again with other means: mpmath's tails, scipy's laws, two-dimensional convolutions in doubles."""

import json
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy import optimize, stats

from proofs import gkmp_experiments as experiments
from proofs import gkmp_response as response
from proofs.gkmp_experiments import FLIPS, GRID, ONE, TENTH, Least, additional, boxes, least_mean, rounds_to, theorem_18
from proofs.statement import StepFailed, select, settle
from tests.helpers import run_json
from verify.enclosure import Enclosure
from verify.number import precision

NAMES = {
    "GKMP-size-free": "proved",
    "GKMP-sec-5.1-rmse-20": "proved",
    "GKMP-sec-5.1-ratio-3.5": "proved",
    "GKMP-sec-5.1-0.04": "proved",
    "GKMP-sec-5.1-0.0003": "misprint",
    "GKMP-sec-5.1-0.278": "proved",
    "GKMP-sec-5.1-0.141": "proved",
    "GKMP-sec-5.1-rr-x-w-p-p": "misprint",
    "GKMP-sec-5.1-bin-n-p-poi-np": "refuted",
    "GKMP-sec-5.1-rr-always-one-message": "proved",
    "GKMP-fig-2-3-scales-linearly-in-1": "proved",
}
DELTA = 1e-6


@pytest.fixture(scope="module")
def claims():
    """{name: its tree} from the command, for all of Section 5.1."""
    with pytest.MonkeyPatch.context():
        return {tree["name"]: tree for tree in run_json("claims", "GKMP-sec-5.1*")}


def enclosed(text, after):
    """The first interval that is printed after some words."""
    low, high = re.search(r"\[([\d.e-]+), ([\d.e-]+)\]", text[text.index(after) :]).groups()
    assert Fraction(low) <= Fraction(high)
    return float(low), float(high)


def evidence(tree):
    return "\n".join(tree["evidence"])
