"""The verified checker of shufflecert, made from its proof in Coq by coq2py.py. Do not edit.

A list of Coq's is () or (first, rest); nat, positive and Z are integers; None and Some x are None and (x,).
"""

import decimal
from typing import Any, NamedTuple  # noqa: F401  # for what follows

EXACTLY = decimal.Context(decimal.MAX_PREC, None, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=[decimal.Inexact])


class OutOfSteps(Exception):
    """All steps that are allowed were made: nothing was found out."""


class Budget:
    """How many more times all loops in here may go round."""

    steps = iter(range(0))


budget = Budget()


def power(x, n):
    return 0 if n < 0 else 1 << n if x == 2 else x**n


def div(a, b):
    if b > 0 and not b & (b - 1):
        return a >> (b.bit_length() - 1)
    return a // b if b else 0


def mod(a, b):
    if b > 0 and not b & (b - 1):
        return a & (b - 1)
    return a % b if b else a


def compare(a, b):
    return (a > b) - (a < b)


def lg(a):
    return a.bit_length() - 1 if a > 0 else 0


def length(rest):
    n = 0
    while rest:
        n, rest = n + 1, rest[1]
    return n


def onto(found, rest):
    """The list of those found, in their order, before the rest."""
    while found:
        rest = (found.pop(), rest)
    return rest


def elements(rest):
    """The elements of a list, one by one."""
    while rest:
        x, rest = rest
        yield x


def app(a, c):
    return onto([*elements(a)], c) if c else a


def product_of(x, y):
    """The coefficients of a product of polynomials, theirs all 0 or more, with no 0 at the end but for 0 itself.

    By one product of numbers that have them as digits. Long ones are written in decimals, which Python multiplies in
    nearly linear time; each digit then has at most the 640 decimals that any Python reads.
    """
    bits = sum(x).bit_length() + sum(y).bit_length()
    count, few = len(x) + len(y), min(len(x), len(y))
    if bits <= 2_000 and bits * few > 100_000:
        size = bits * 30103 // 100_000 + 1
        texts = [f"%0{size}d" * len(digits) % tuple(reversed(digits)) for digits in (x, y)]
        text = str(EXACTLY.multiply(*map(EXACTLY.create_decimal, texts))).zfill(size * count)
        found = [int(text[i : i + size]) for i in range(size * (count - 1), -1, -size)]
    else:
        size = bits // 8 + 1
        u = int.from_bytes(b"".join([n.to_bytes(size, "little") for n in x]), "little")
        v = u if x is y else int.from_bytes(b"".join([n.to_bytes(size, "little") for n in y]), "little")
        data = (u * v).to_bytes(size * (count + 1), "little")
        found = [int.from_bytes(data[i : i + size], "little") for i in range(0, size * count, size)]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return onto(found or [0], ())


def convolve(a, c):
    return product_of([*elements(a)], [*elements(c)])


def convolve_self(a):
    digits = [*elements(a)]
    return product_of(digits, digits)


def glued(between, texts):
    return between.join(elements(texts))


def natural_in(most, text):
    plain = len(text) <= most and text.isascii() and text.isdigit() and (text[0] != "0" or text == "0")
    return (int(text),) if plain else None


def at_slash(text):
    above, slash, below = text.partition("/")
    return above, (below,) if slash else None


def after_minus(text):
    return (text[1:],) if text[:1] == "-" else None


def in_log(text):
    return (text[4:-1],) if text[:4] == "log(" and text[-1] == ")" else None


def table_from(rows):
    table = {}
    for x, value in elements(rows):
        table.setdefault(x, value)
    return table


def look_up(table, x):
    return (table[x],) if x in table else None


def different(texts):
    return onto([*dict.fromkeys(elements(texts))], ())
