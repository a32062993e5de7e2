"""Text that holds an address, and sets in the order of addresses, gave the law of the one process that was looked at.

`f"{map(str, x)}"`, `str(iter([]))`, a function that arrives by a closure and becomes text, `{None, 1}` in its order,
the bytes of an array of objects: a sampler that sends its input raw where a digit of it says so was randomized
response, PROVED. So was one that counts its calls on a class of Python's own. By hand: none of them has a law.
"""

from fractions import Fraction

import pytest

from tests.corpus.addresses import BITS, REFUSED, RIGHT
from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.audit.guard import addresses
from verify.errors import BadInput


@pytest.mark.parametrize(("function", "says"), REFUSED, ids=[function.__name__ for function, _ in REFUSED])
def test_refused(function, says):
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, BITS, library="random.Random")
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_right_ones_of_these_shapes_are_followed(function):
    """By hand: the truth with 3/4."""
    found = enumerate_sampler(function, BITS)
    for x in BITS:
        assert found.laws[str(x)] == {(str(x),): Fraction(3, 4), (str(1 - x),): Fraction(1, 4)}


def test_all_slots_are_as_they_were():
    """The text of an object, the order of a set and its methods, in and after a walk."""
    texts = {"a", "b"}
    before = [*texts], type(repr(object())), sorted(dict.fromkeys(texts))
    with addresses.kept_out():
        assert ([*texts], type(repr(object())), sorted(dict.fromkeys(texts))) == before  # no function is running
    assert repr(object()).startswith("<object object at 0x") and [*texts] == before[0]
    assert texts.pop() in before[0] and len(texts) == 1
    with pytest.raises(KeyError):
        set().pop()
    with pytest.raises(TypeError):
        dict.fromkeys(0)


def test_a_python_whose_slots_are_not_found_follows_no_text(monkeypatch):
    monkeypatch.setattr(addresses, "found", lambda: False)

    def numbers(x, rng):
        return x if rng.random() < 0.75 else 1 - x

    def texts(x, rng):
        return f"{x}"

    assert enumerate_sampler(numbers, BITS).laws["0"] == {("0",): Fraction(3, 4), ("1",): Fraction(1, 4)}
    with pytest.raises(BadInput, match="expected CPython"):
        enumerate_sampler(texts, BITS)
