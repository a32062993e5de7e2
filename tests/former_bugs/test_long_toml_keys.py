"""A key of 30,000 parts in a small TOML file kept the parser busy for ten seconds, and a larger one for ever."""

import pytest

from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems import randomizer_file


@pytest.mark.parametrize("opening", ["[a{}]", "a{} = 1"])
def test_keys_of_many_parts_are_refused_before_they_are_parsed(opening):
    with pytest.raises(BadInput, match="line 2: a key of more than 100 parts"):
        randomizer_file.parse(f"# a comment\n{opening.format('.b' * 4_000_000)}\n".encode(), ".toml")


def test_dots_in_values_are_no_parts_of_a_key():
    rows = 'rows = [{input = "0", outputs = [{send = ["' + "." * 500 + '"], p = "1"}]}]\n'
    assert randomizer_file.parse(rows.encode(), ".toml")[0].inputs == ("0",)
