"""A label of 5000 hexadecimal digits: TOML reads it, and its decimal text was a traceback."""

import pytest

from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems import randomizer_file


@pytest.mark.parametrize(
    ("field", "place"), [("input", r"rows\[0\]\.input"), ("send", r"rows\[0\]\.outputs\[0\]\.send")]
)
def test_an_integer_label_with_too_many_digits(field, place):
    labels = {"input": "1", "send": "1"} | {field: "0x" + "f" * 5000}
    file = f"[[rows]]\ninput = {labels['input']}\noutputs = [{{send = [{labels['send']}], p = '1'}}]\n"
    with pytest.raises(BadInput, match=rf"^{place}: .* is not a label"):
        randomizer_file.parse(file.encode(), ".toml")
