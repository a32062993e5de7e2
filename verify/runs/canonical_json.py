"""Canonical JSON: one text for each value, for journals, for what workers are sent, and for digests."""

import json
from hashlib import sha256

from shufflecert.verify.errors import BadInput


def canonical(value: object, where: str = "value") -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII.

    Strings, integers, true, false, null, lists and tuples of them, and mappings from strings: BadInput for all else,
    a float included, since two machines need not agree on its last digit.
    """
    _check(value, where)
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except ValueError:  # Python writes no integer of more than 4300 digits
        raise BadInput(f"{where}: an integer of over 4300 digits: expected it as text") from None


def digest(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return sha256(text.encode()).hexdigest()


def _check(value: object, where: str) -> None:
    if value is None or isinstance(value, str | int):
        return
    if isinstance(value, list | tuple):
        for item in value:
            _check(item, where)
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for item in value.values():
            _check(item, where)
    else:
        kind = "dict whose keys are not strings" if isinstance(value, dict) else type(value).__name__
        raise BadInput(f"{where}: a {kind}: expected strings, integers, booleans, null, lists and dicts with text keys")
