"""exact/randomizer.py: what is read is what was given, and every error names its place."""

from fractions import Fraction

import pytest
from hypothesis import given

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Randomizer
from tests.helpers import engine, randomizers, some

SURE = [(["a"], 1)]


@some
@given(randomizers())
def test_rows_are_what_was_given(tree):
    read = engine(tree)
    assert {x: dict(law.items()) for x, law in read.rows.items()} == tree
    assert read.inputs == tuple(tree)
    assert set(read.messages) == {m for row in tree.values() for send in row for m in send}
    assert read.single_message == all(len(send) == 1 for row in tree.values() for send in row)
    for x, row in tree.items():
        assert read.expected_messages(x) == sum(p * len(send) for send, p in row.items())


def test_short_forms():
    # a bare label is a tuple of one message, an integer its decimal text, () sends nothing, probability 0 is absent
    read = Randomizer.of({0: {"a": "1/2", (): "0.5", ("b", 1): 0}, "x": {7: 1}})
    assert {x: dict(law.items()) for x, law in read.rows.items()} == {
        "0": {("a",): Fraction(1, 2), (): Fraction(1, 2)},
        "x": {("7",): Fraction(1)},
    }
    assert read.messages == ("a", "7")
    assert read.expected_messages(0) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], r"rows: none: expected at least one input"),
        ([("0", SURE), (0, SURE)], r"rows\[1\]\.input: '0' has a row already"),
        ([("0", SURE), ("1", [])], r"rows\[1\]\.outputs of input '1': the probabilities sum to 0"),
        ([("0", [(["a"], "1/2"), (["a"], "1/2")])], r"rows\[0\]\.outputs\[1\]\.send: \['a'\] stands in this row"),
        ([("0", [([1], "1/2"), (["1"], "1/2")])], r"rows\[0\]\.outputs\[1\]\.send: \['1'\] stands in this row"),
        ([("0", [([], "1/2"), ([], "1/2")])], r"rows\[0\]\.outputs\[1\]\.send: \[\] stands in this row already"),
        ([("0", [(["a"], "3/2"), ([], "-1/2")])], r"rows\[0\]\.outputs\[0\]\.p: 3/2 is not a probability"),
        ([("0", [(["a"], 1.0)])], r"rows\[0\]\.outputs\[0\]\.p: 1.0 is a float"),
        ([("0", [(["a"], "1e-30"), ([], "1")])], r"rows\[0\]\.outputs of input '0': .* sum to 1 \+ 1/10{30}"),
        ([("0", SURE), ("1", [(["a"], "0." + "9" * 30)])], r"of input '1': .* sum to 1 - 1/10{30}: expected exactly 1"),
        ([("0", [([""], 1)])], r"rows\[0\]\.outputs\[0\]\.send: '' is not a label"),
        ([("0", [(["a\nb"], 1)])], r"is not a label"),
        ([("0", [(["\ud800"], 1)])], r"is not a label"),
        ([("0", [([1.5], 1)])], r"send: 1.5 is not a label"),
        ([("0", [([True], 1)])], r"send: True is not a label"),
        ([("x" * 1001, SURE)], r"rows\[0\]\.input: .* is not a label: expected printable text of 1 to 1000 characters"),
    ],
)
def test_bad_rows_are_named(rows, complaint):
    with pytest.raises(BadInput, match=complaint) as refused:
        Randomizer.build(rows)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


def test_the_longest_label_is_legal():
    assert Randomizer.of({"x" * 1000: {"y" * 1000: 1}}).messages == ("y" * 1000,)
