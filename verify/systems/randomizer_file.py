"""A randomizer from a TOML or JSON file, in the format of verify/RANDOMIZER.md. Nothing is executed."""

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from shufflecert.verify.errors import BadInput, meant
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import MAX_LABEL, Randomizer
from shufflecert.verify.exact.rational import MAX_TEXT, MOST_USERS, natural, probability

MAX_BYTES = 8 * 2**20


_EXACT = r"([0-9]+/[0-9]+|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)"


def _about(description: str, **constraints: object) -> msgspec.Meta:
    """For the schema only: what is refused, and how, is said by `Randomizer.build`."""
    return msgspec.Meta(description=description, extra_json_schema=constraints)


Label = Annotated[
    str | int, _about("A name: printable text, or an integer, for its decimal text.", minLength=1, maxLength=MAX_LABEL)
]


class Output(msgspec.Struct, forbid_unknown_fields=True):
    """One output: the ordered tuple of messages, and its exact probability as text."""

    send: Annotated[list[Label], _about("The messages, in the order in which they are sent; [] sends nothing.")]
    p: Annotated[
        str, _about('The exact probability: "3/4", "0.75" or "1e-6".', pattern=f"^{_EXACT}$", maxLength=MAX_TEXT)
    ]


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """One input and everything that a user with it may send."""

    input: Annotated[Label, _about("The user's value; each input has one row.")]
    outputs: Annotated[list[Output], _about("Each tuple of messages once; the p sum to exactly 1.", minItems=1)]


class Promise(msgspec.Struct, forbid_unknown_fields=True):
    """What the file's author claims: (eps, delta) for n users."""

    n: Annotated[int, _about("The number of users.", minimum=1, maximum=10**9)]
    eps: Annotated[str, _about('In nats: "1/2", "0.5" or "log(3/2)".', pattern=rf"^({_EXACT}|log\({_EXACT}\))$")]
    delta: Annotated[str, _about('In [0, 1]: "1e-6".', pattern=f"^{_EXACT}$", maxLength=MAX_TEXT)]


class Spec(msgspec.Struct, forbid_unknown_fields=True):
    """A randomizer: for every input an exact law over tuples of messages."""

    rows: Annotated[list[Row], _about("One for every input that a user can have.", minItems=1)]
    name: Annotated[str, _about("What the randomizer is called.")] = ""
    source: Annotated[str, _about("Where it comes from: a paper and a section, a product and a version.")] = ""
    note: Annotated[str, _about("Anything else.")] = ""
    claim: Annotated[Promise | None, _about("What the author claims of it, if anything.")] = None


def load(path: str | Path) -> tuple[Randomizer, Spec]:
    """Read a .toml or .json file. Raises BadInput naming the file and the line or path of what is wrong."""
    file = Path(path)
    try:
        return parse(_read(file), file.suffix.lower())
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None


def parse(content: bytes, suffix: str) -> tuple[Randomizer, Spec]:
    """The randomizer that a file's bytes define; `suffix` is ".toml" or ".json"."""
    if suffix not in (".toml", ".json"):
        raise BadInput(f"unknown kind of file {suffix!r}: expected .toml or .json")
    try:
        if (written := content.decode()).startswith("\ufeff"):
            raise BadInput("a byte order mark stands first: expected UTF-8 text without one")
        tree = _toml(written) if suffix == ".toml" else json.loads(written, object_pairs_hook=_no_duplicates)
        spec = msgspec.convert(tree, Spec)
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start}: not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"not TOML: {error}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error}") from None
    except RecursionError:
        raise BadInput("nested too deeply: expected rows of outputs") from None
    except msgspec.ValidationError as error:
        raise BadInput(_in_our_words(error)) from None
    except BadInput:
        raise
    except ValueError:  # Python reads no integer of more than 4300 digits
        raise BadInput("an integer of more than 4300 digits: expected labels of at most 1000 characters") from None
    rows = [(row.input, [(output.send, output.p) for output in row.outputs]) for row in spec.rows]
    if spec.claim:
        natural(spec.claim.n, "claim.n", most=MOST_USERS)
        Eps.of(spec.claim.eps, "claim.eps")
        probability(spec.claim.delta, "claim.delta")
    return Randomizer.build(rows), spec


def schema() -> dict[str, Any]:
    """The JSON schema of a randomizer file."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": "shufflecert randomizer", **msgspec.json.schema(Spec)}


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise BadInput("no such file" if not file.exists() else "not a file")
        if (size := file.stat().st_size) > MAX_BYTES:
            raise BadInput(f"{size} bytes: expected at most {MAX_BYTES}")
        return file.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}") from None


def _toml(written: str) -> Any:
    """tomllib takes time quadratic in the parts of a key, so keys that no randomizer file has are not given to it."""
    for number, line in enumerate(written.splitlines(), 1):
        if line.partition("=")[0].count(".") > 100:
            raise BadInput(f"line {number}: a key of more than 100 parts: expected the keys of a randomizer file")
    return tomllib.loads(written)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise BadInput(f"not JSON: the key {twice!r} stands twice in one object")
    return tree


_KINDS = {
    "array": "a list",
    "object": "a table",
    "int": "an integer",
    "str": "text",
    "float": "a float",
    "bool": "a truth value",
    "null": "nothing",
}


def _in_our_words(error: msgspec.ValidationError) -> str:
    """What is wrong, where, and what is expected there: "rows[0].send: text: expected a list"."""
    what, _, at = str(error).partition(" - at ")
    place = at.strip("`").removeprefix("$").removeprefix(".") or "the file"
    if (named := re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", what)) is not None:
        keys = _keys(place)
        missing = named[1] == "missing required"
        what = f"{named[2]!r} is missing" if missing else f"unknown key {named[2]!r}{meant(named[2], keys)}"
        return f"{place}: {what}: expected {', '.join(keys)}"
    if (kinds := re.fullmatch(r"Expected `(.*)`, got `(.*)`", what)) is not None:
        given, *expected = (_KINDS.get(kind, f"a {kind}") for kind in (kinds[2], *kinds[1].split(" | ")))
        what = f"{given}: expected {' or '.join(expected)}"
        if place.endswith((".p", ".eps", ".delta")):
            what = f'{given}{" is not exact" * (kinds[2] == "float")}: expected text such as "3/4" or "0.75"'
        elif place.endswith(".send"):
            what = f'{given}: expected a list of messages, of one message as well: send = ["x"]'
        elif place in ("rows", "the file"):
            what = f"{given}: expected rows = [{{input = ..., outputs = [{{send = [...], p = ...}}, ...]}}, ...]"
    return f"{place}: {what}"


def _keys(place: str) -> tuple[str, ...]:
    """The keys of the table at a place: a claim, an output, a row, or the whole file."""
    of = {"claim": Promise, "the file": Spec}.get(place, Output if ".outputs[" in place else Row)
    return tuple(of.__struct_fields__)


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2))
