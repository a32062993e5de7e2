"""Samplers that leak their input by an address: in text, in the order of a set, in the memory of an array.

Each sends its input raw where a digit of an address, or what comes first in a set, says so: its law is another in every
process, and it is refused. `RIGHT` have the same shapes without an address: randomized response with a lie of 1/4.
"""

import collections
import copy
import enum
import functools
import hashlib
import json
import operator
import string
import struct
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace

import numpy as np

BITS = (0, 1)
TEXT, ORDER, MEMORY = "which holds its address", "another in every process", "the memory of an array of objects"


def flip(x, rng):
    return x if rng.random() < 0.75 else 1 - x


def leak(x, rng, raw):
    return x if raw else flip(x, rng)


def digit(x, rng, text):
    return leak(x, rng, text[-3:].strip(">])}") in ("00", "80", "f0"))


class Writer:
    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Labels(set):
    pass


def by_its_index(x, rng):
    try:
        return [].index(iter([x]))
    except ValueError as error:
        return digit(x, rng, str(error))


def by_a_key(x, rng):
    try:
        return {}[iter([x])]
    except KeyError as error:
        return digit(x, rng, str(error))


def by_print(x, rng):
    writer = Writer()
    print(iter([x]), file=writer, end="")
    return digit(x, rng, writer.text)


def enclosing():
    def inner():
        return 1

    def of_a_closure(x, rng):
        return digit(x, rng, f"{inner}")

    return of_a_closure


def by_a_generator(x, rng):
    return digit(x, rng, "%s" % (y for y in (x,)))


def by_an_array(x, rng):
    return digit(x, rng, np.array([iter([x])], dtype="O").astype("U")[0])


def by_a_named_tuple(x, rng):
    return digit(x, rng, str(collections.namedtuple("Pair", "a")(iter([]))))


def by_a_class_of_its_own(x, rng):
    return digit(x, rng, str(type("Made", (), {})()))


def by_an_unpacking(x, rng):
    first, *_ = {"a", "b"}
    return leak(x, rng, first == "a")


def by_arguments(x, rng):
    return leak(x, rng, (lambda *given: given[0])(*{"a", "b"}) == "a")


def by_a_pop(x, rng):
    held = {"a", "b"}
    return leak(x, rng, held.pop() == "a")


def by_a_subclass(x, rng):
    return leak(x, rng, next(iter(Labels(["a", "b"]))) == "a")


def by_views(x, rng):
    one, other = {"a": 1}, {"b": 2}
    return leak(x, rng, next(iter(operator.or_(one.keys(), other.keys()))) == "a")


def by_views_named(x, rng):
    one, other = {"a": 1}, {"b": 2}
    return leak(x, rng, next(iter(one.keys().__or__(other.keys()))) == "a")


def state_of_a_library_s_class(x, rng):
    Fraction.calls = getattr(Fraction, "calls", 0) + 1
    return leak(x, rng, Fraction.calls % 97 == 5)


def state_of_a_library_s_function(x, rng):
    np.sum.calls = getattr(np.sum, "calls", 0) + 1
    return leak(x, rng, np.sum.calls % 97 == 5)


def state_of_a_library_s_table(x, rng):
    table = json.encoder.ESCAPE_DCT
    table["q"] = table.get("q", 0) + 1
    return leak(x, rng, table["q"] % 97 == 5)


def named(name, function):
    function.__name__ = name
    return function


def of_text(name, write):
    return named(name, lambda x, rng: digit(x, rng, write(iter([x]))))


def of_order(name, first):
    return named(name, lambda x, rng: leak(x, rng, first()))


def of_memory(name, byte):
    return named(name, lambda x, rng: leak(x, rng, byte(np.array([None, 1], dtype="O")) % 16 == 3))


REFUSED = [
    *(
        (f, TEXT)
        for f in (
            by_its_index,
            by_a_key,
            by_print,
            enclosing(),
            by_a_generator,
            by_an_array,
            by_a_named_tuple,
            by_a_class_of_its_own,
            of_text("f_string", lambda one: f"{map(str, one)}"),
            of_text("text", str),
            of_text("formatted", "{}".format),
            of_text("in_a_list", lambda one: [one].__repr__()),
            of_text("in_json", lambda one: json.dumps(one, default=str)),
            of_text("mapped", lambda one: next(map(str, [one]))),
            of_text("by_an_operator", lambda one: operator.mod("%s", one)),
            of_text("in_a_template", lambda one: string.Template("$a").substitute(a=one)),
            of_text("in_a_namespace", lambda one: repr(SimpleNamespace(a=one))),
            of_text("in_an_exception", lambda one: str(ValueError(one))),
            of_text("in_a_view", lambda one: str({1: one}.values())),
            of_text("in_a_proxy", lambda one: str(MappingProxyType({1: one}))),
            of_text("in_bytes", lambda one: str(b"%a" % one, "ascii")),
            of_text("of_a_type", lambda one: type(one).__repr__(one)),
            of_text("of_a_method", lambda one: str([one].append)),
            of_text("reduced", lambda one: functools.reduce(lambda a, b: a + str(b), [one], "")),
            of_text("in_capitals", lambda one: repr(np.random.default_rng(3))),
        )
    ),
    *(
        (f, ORDER)
        for f in (
            by_an_unpacking,
            by_arguments,
            by_a_pop,
            by_a_subclass,
            by_views,
            by_views_named,
            of_order("of_none", lambda: next(iter({None, 1, 2})) is None),
            of_order("of_builtins", lambda: next(iter({len, abs})) is len),
            of_order("of_types", lambda: next(iter({int, float})) is int),
            of_order("of_dots", lambda: next(iter({..., 1})) == 1),
            of_order("of_nan", lambda: next(iter({float("nan"), 1.0, 2.0})) == 1.0),
            of_order("of_members", lambda: next(iter({Colour.RED, Colour.BLUE})) is Colour.RED),
            of_order("of_keys", lambda: next(iter(dict.fromkeys({"a", "b"}))) == "a"),
            of_order("of_a_copy", lambda: next(iter(copy.copy({"a", "b"}))) == "a"),
            of_order("of_text", lambda: "".join({"a", "b"})[0] == "a"),
            of_order("of_the_text_of_a_set", lambda: str({"a", "b"})[2] == "a"),
            of_order("of_counts", lambda: collections.Counter({"a", "b"}).most_common(1)[0][0] == "a"),
        )
    ),
    (of_order("of_sets_in_no_order", lambda: sorted({frozenset("a"), frozenset("b")})[0] == {"a"}), "in no order"),
    (of_order("hash_of_nan", lambda: hash(float("nan")) % 64 == 7), "hash()"),
    *(
        (f, MEMORY)
        for f in (
            of_memory("its_bytes", lambda array: array.tobytes()[1]),
            of_memory("its_buffer", lambda array: bytes(array)[1]),
            of_memory("unpacked", lambda array: struct.unpack("QQ", array)[0] >> 8),
            of_memory("hashed", lambda array: hashlib.sha256(array).digest()[0]),
        )
    ),
    (state_of_a_library_s_class, "the class Fraction"),
    (state_of_a_library_s_function, "survives a call"),
    (state_of_a_library_s_table, "survives a call"),
]


def sorted_labels(x, rng):
    labels = {"b", "a", f"{x}"}
    return leak(x, rng, sorted(labels)[-1] != "b")


def text_and_functions(x, rng):
    """A function that is passed on, beside text."""
    told = f"{x}:{rng.random() < 0.75}"
    return x if [*map(lambda text: text.endswith("True"), [told])][0] else 1 - x  # noqa: RUF015


def bytes_of_numbers(x, rng):
    return leak(x, rng, np.array([1, 2]).tobytes()[0] != 1)


def text_of_types(x, rng):
    return leak(x, rng, f"{int} {len} {[None]} {ValueError('a')!r}".find("0x") >= 0)


def set_of_numbers(x, rng):
    return leak(x, rng, sum({3, 1, 2}) != 6)


RIGHT = [sorted_labels, text_and_functions, bytes_of_numbers, text_of_types, set_of_numbers]
