"""A search of 4846 ranks was cut into three blocks, one with most of the work: a second worker hardly helped.

Cases that are decided many at once take seconds in all: their blocks are long.
"""

import pytest

from shufflecert.proofs.conjectures import by_name
from shufflecert.verify.search.exhaust import blocks_of


@pytest.mark.parametrize(
    ("name", "given", "least"),
    [
        ("claim-18", {"inputs": 3, "denominator": 4}, 1),
        ("third-value-krr", {}, 30),
        ("multi-message-gap", {}, 1),
        ("others-equal-binary", {}, 5),
    ],
)
def test_small_spaces_are_cut_finely_and_whole(name, given, least):
    conjecture = by_name(name)
    parameters = {**conjecture.defaults, **given}
    blocks = blocks_of(conjecture, parameters, name)
    starts, stops = zip(*(block[2:] for block in blocks), strict=True)
    assert len(blocks) >= least
    assert starts == (0, *stops[:-1]) and stops[-1] == conjecture.space(**parameters).size
