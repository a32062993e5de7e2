"""What a value may be, and what it may be used as: of the exact types that are on the list, else refused."""

from typing import Any
from unicodedata import ucd_3_2_0

import numpy

from shufflecert.verify.audit.follow.values import (
    ATOMS,
    CONTAINERS,
    DRAWS,
    MANY_BITS,
    MANY_ITEMS,
    MOST_BITS,
    MOST_ITEMS,
    PLAIN,
    SCALARS,
    Bound,
    Class,
    Function,
    Instance,
    Opaque,
    Unknown,
    kind_name,
    refuse,
)
from shufflecert.verify.audit.rng.draws import Draws
from shufflecert.verify.audit.rng.recording import Source

HOLDING = CONTAINERS | {Instance}
SINGLETONS = (type(None), bool, type(...))


def plain(value: Any) -> None:
    """Refuses what is of no type on the list."""
    kind = type(value)
    if kind in PLAIN or (kind is numpy.ndarray and value.dtype.kind in "biufUS"):
        return
    if isinstance(value, Source):
        refuse("rng in an operation", "its methods called")
    if kind is numpy.ndarray:
        refuse(f"an array of {value.dtype}", "one of numbers")
    refuse(kind_name(value))


def checked(value: Any) -> Any:
    """A result: integers of a size that can be had, numpy's numbers and arrays of numbers."""
    if type(value) is not int:
        plain(value)
    elif value.bit_length() > MOST_BITS:
        refuse(MANY_BITS)
    return value


def not_gone_through(value: Any) -> None:
    """Refuses a range that is too long for what goes through it at one go."""
    if type(value) is range and value[:MOST_ITEMS] != value:
        refuse(MANY_ITEMS)


def not_unfolded(value: Any) -> None:
    """Refuses what holds one thing in so many places that it takes for ever to go through all of them."""
    if many(value, {}) > MOST_ITEMS:
        refuse(f"what holds {MANY_ITEMS}, each as often as it stands in it,")


def many(value: Any, met: dict[int, int]) -> int:
    """How many things a value holds, each as often as it stands in it; each is looked at once."""
    if type(value) not in HOLDING:
        return 1
    if id(value) not in met:
        met[id(value)] = 1  # where it holds itself
        held = value.attributes if type(value) is Instance else value
        held = held.values() if type(held) is dict else held
        flat = HOLDING.isdisjoint(map(type, held))
        met[id(value)] = 1 + (len(held) if flat else sum(many(part, met) for part in held))
    return met[id(value)]


def same(left: Any, right: Any) -> bool:
    """`is`, where Python says what it is: not of numbers and text, which may or may not be one object."""
    if type(left) in SINGLETONS or type(right) in SINGLETONS:
        for value in (left, right):
            if type(value) is Unknown and "." in value.name and not value.own:
                refuse(f"`is` of {value.name}")  # which may be None
        return type(left) is type(right) and left is right
    for value in (left, right):
        if type(value) in ATOMS or type(value) in (float, tuple, frozenset, Bound) or type(value) in SCALARS:
            if type(left) is type(right):
                refuse(f"`is` of {kind_name(value)}", "==")
            return False
    return left is right


def set_of(values: Any, listed: bool = True) -> set[Any]:
    """A set; of values that were `listed` Python asks no more once one has no hash."""
    for value in values:
        keyed(value) if listed else hashable(value)
    return set(values)


def keyed(value: Any) -> None:
    """Refuses what has no hash, where what else Python evaluates hangs on when it is asked."""
    try:
        hashable(value)
    except TypeError:
        refuse("what has no hash among several")


def hashable(value: Any) -> None:
    """Refuses as a key what is not compared by value."""
    kind = type(value)
    if kind is slice:
        refuse("a slice as a key, which Python 3.12 takes in another way")
    if kind in ATOMS or kind in SCALARS or kind in (Class, Function, Instance) or isinstance(value, type):
        return
    if kind is float:
        if value != value:
            refuse("nan as a key")
    elif kind is tuple or kind is frozenset:
        for part in value:
            if type(part) in HOLDING:
                not_unfolded(part)
            hashable(part)
    elif kind in DRAWS or isinstance(value, Opaque):
        refuse(f"{kind_name(value)} as a key")
    else:
        hash(value)  # which raises


def index(key: Any) -> None:
    kind = type(key)
    if kind is tuple:
        for part in key:
            index(part)
    elif kind is slice:
        for part in (key.start, key.stop, key.step):
            index(part)
    elif isinstance(key, Opaque):
        refuse(f"{kind_name(key)} as an index")
    else:
        plain(key)


def printable(value: Any, quoted: bool = True) -> None:
    """Refuses what has no text of its own: its text would show an address, or another order; what is long; and
    within quotes characters that are newer than some version of Python, which writes them as numbers."""
    waiting, met = [value], 0
    while waiting:
        part = waiting.pop()
        kind, met = type(part), met + 1
        if met > MOST_ITEMS:
            refuse(MANY_ITEMS)
        if kind is str:
            if (quoted or met > 1) and not part.isascii() and "Cn" in map(ucd_3_2_0.category, part):
                refuse("the text of text with such characters")
        elif kind in (list, tuple):
            waiting += part
        elif kind is dict:
            waiting += [*part.keys(), *part.values()]
        elif kind in (set, frozenset):
            waiting += ordered(part)
        elif isinstance(part, Opaque | Source | Draws | type):
            refuse(f"text of {kind_name(part)}")
        else:
            plain(part)


def ordered(value: Any) -> tuple[Any, ...]:
    """A set's elements, where their order is not asked."""
    if len(value) > 1:
        refuse("the order of a set", "sorted(...) around it")
    return tuple(value)
