"""Every JSON answer that a test sees is held against the schema, closed: a key that it does not declare is an error."""

import json
from functools import cache

from jsonschema import Draft202012Validator

from shufflecert.verify.answers import schema, words


def closed(part):
    """The schema where no object has more keys than are declared."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    shut = {"additionalProperties": False} if "properties" in part else {}
    return {key: closed(value) for key, value in part.items()} | shut


@cache
def validators():
    whole = closed(schema.schema())
    return [(one, Draft202012Validator({"$defs": whole["$defs"], **one})) for one in whole["anyOf"]]


def check(tree):
    """Raises AssertionError for an answer that has none of the declared forms, and says what the nearest one lacks."""
    tree = json.loads(json.dumps(tree))
    wrong = []
    for one, validator in validators():
        found = [*validator.iter_errors(tree)]
        if not found:
            return
        wrong.append((len(found), str(one), found[0].message[:300], list(found[0].absolute_path)))
    raise AssertionError(f"the answer fits no declared form; the nearest: {min(wrong)}")


def install():
    """From now on every answer that this process prints as JSON is checked."""
    show = words.show

    def checked(answer, words_of, as_json):
        if as_json:
            check(words.dated(answer))
        show(answer, words_of, as_json)

    words.show = checked
