"""A randomizer file's own `claim` was read and not checked."""

import pytest

from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems import randomizer_file

ROW = '\n[[rows]]\ninput = "0"\noutputs = [{send = [], p = "1"}]\n'


@pytest.mark.parametrize(
    ("field", "value"),
    [("n", -1), ("n", 0), ("eps", "'abc'"), ("eps", "'log(0)'"), ("delta", "'7'"), ("delta", "'-1'")],
)
def test_a_bad_claim_is_named(field, value):
    claim = {"n": 10, "eps": "'1/2'", "delta": "'1e-6'"} | {field: value}
    inside = ", ".join(f"{k} = {v}" for k, v in claim.items())
    with pytest.raises(BadInput, match=rf"^claim\.{field}: "):
        randomizer_file.parse(f"claim = {{{inside}}}{ROW}".encode(), ".toml")
