"""From a file to the program's certificates: its bytes to JSON's tree, strictly, which the program reads. Trusted.

What is a certificate, and which claim it makes, is said in proofs/coq/Reader.v; what the form is, in
verify/CERTIFICATE.md.
"""

import json

from shufflecert.verify.checked import program as c

MAX_BYTES, MAX_DEPTH, MOST_CERTIFICATES = 64 * 2**20, 100, 100_000


class Malformed(Exception):
    """Not of the form that is defined."""


class NotCovered(Exception):
    """There is no theorem about it."""


def need(condition, expected):
    """Raises Malformed unless it holds of the file."""
    if not condition:
        raise Malformed(f"file: expected {expected}")


def unique(pairs):
    """The members of an object, whose keys differ."""
    found = dict(pairs)
    need(len(found) == len(pairs), "no key twice in an object")
    return found


def parse(data):
    """JSON of the bytes; its numbers stay as they are written."""
    need(len(data) <= MAX_BYTES, "at most 64 MiB")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=unique,
            parse_int=c.Digits,
            parse_float=c.Digits,
            parse_constant=lambda name: need(False, "JSON"),
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise Malformed("file: expected JSON") from None


def shallow(value):
    """Raises Malformed where it is nested too deeply; without a call within a call, for that may be very deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [x for at in level if type(at) in (dict, list) for x in (at.values() if type(at) is dict else at)]
    need(not level, "nesting at most 100 deep")


def certificates(value):
    """The JSON of a file's certificates."""
    shallow(value)
    need(type(value) is not list or 0 < len(value) <= MOST_CERTIFICATES, "1 to 100000 certificates")
    return value if type(value) is list else [value]


def tree(value):
    """The program's tree of JSON, in which texts, true, false and null are as they are."""
    made = ()
    if type(value) is dict:
        for key, x in reversed(value.items()):
            made = ((key, x if type(x) is str else tree(x)), made)
        return c.Object(made)
    if type(value) is not list:
        return value
    for x in reversed(value):
        made = (x if type(x) is str else tree(x), made)
    return c.Values(made)


def read(value):
    """The program's certificate. Raises Malformed and NotCovered."""
    found = c.read_certificate(tree(value))
    if not isinstance(found, c.Not):
        return found[0]
    if isinstance(found.why, c.Malformed):
        place, expected = found.why
        raise Malformed(f"{place}: expected {expected}")
    raise NotCovered(f"no theorem yet for {found.why[0]}")
