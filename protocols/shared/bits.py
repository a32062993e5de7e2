"""Strings of independent bits, and how they are written as one message."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from shufflecert.verify.exact.randomizer import Randomizer, gathered

Bits = tuple[int, ...]


def independent(ones: Sequence[Fraction]) -> Iterator[tuple[Bits, Fraction]]:
    """Every string of independent bits, the i-th of them 1 with probability ones[i], with its probability."""
    for bits in product((0, 1), repeat=len(ones)):
        yield bits, prod((p if bit else 1 - p for bit, p in zip(bits, ones, strict=True)), start=Fraction(1))


def flipped(d: int, ones: Collection[int], flip: Fraction) -> Iterator[tuple[Bits, Fraction]]:
    """`independent`, for the d bits that are 1 at these places of 1..d, each flipped with probability `flip`."""
    return independent([1 - flip if j in ones else flip for j in range(1, d + 1)])


def written(bits: Iterable[int]) -> str:
    """Bits as one message."""
    return "".join(map(str, bits))


def as_strings(ones: Mapping[Any, Sequence[Fraction]]) -> Randomizer:
    """The randomizer that sends a string of independent bits as one message: for each input the chances of ones."""
    return Randomizer.of({x: gathered((written(y), p) for y, p in independent(row)) for x, row in ones.items()})
