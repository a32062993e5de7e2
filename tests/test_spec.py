"""systems/randomizer_file.py: files are read exactly or refused with the place; RANDOMIZER.md says the same."""

import json
import re
import tomllib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems import randomizer_file
from tests.helpers import engine, few, randomizers, written_json

VERIFY = Path(randomizer_file.__file__).parent.parent
SCHEMA = json.loads((VERIFY / "randomizer.schema.json").read_text())
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (VERIFY / "RANDOMIZER.md").read_text(), re.DOTALL)
ROW = '[[rows]]\ninput = "0"\n'
SURE = ROW + 'outputs = [{send = ["a"], p = "1"}]\n'


def refused(content, suffix=".toml"):
    """The one line that a file's content is refused with."""
    with pytest.raises(BadInput) as error:
        randomizer_file.parse(content if isinstance(content, bytes) else content.encode(), suffix)
    line = str(error.value)
    assert "\n" not in line and len(line) < 300
    return line


def tree_of(randomizer):
    return {x: dict(law.items()) for x, law in randomizer.rows.items()}


# Files that are read -------------------------------------------------------------------------------------------------


def written_toml(tree):
    lines = []
    for x, row in tree.items():
        outputs = ", ".join(f'{{send = {json.dumps(list(send))}, p = "{p}"}}' for send, p in row.items())
        lines.append(f"[[rows]]\ninput = {json.dumps(x)}\noutputs = [{outputs}]")
    return "\n".join(lines)


@few
@given(randomizers())
def test_toml_and_json_are_the_same_tree(tree):
    for content, suffix in [(written_json(tree), ".json"), (written_toml(tree), ".toml")]:
        assert tree_of(randomizer_file.parse(content.encode(), suffix)[0]) == tree == tree_of(engine(tree))
    jsonschema.validate(json.loads(written_json(tree)), SCHEMA)
    jsonschema.validate(tomllib.loads(written_toml(tree)), SCHEMA)


def test_everything_that_a_file_may_hold():
    read, about = randomizer_file.parse(
        b"""
        name = "n"
        source = "s"
        note = "t"
        claim = {n = 100, eps = "log(3/2)", delta = "1e-6"}
        rows = [
          {input = 0, outputs = [{send = [1, "b", 1], p = "0.25"}, {send = [], p = "3/4"}, {send = ["z"], p = "0"}]},
          {input = "one", outputs = [{send = [-5], p = "1"}]},
        ]
        """,
        ".toml",
    )
    assert tree_of(read) == {
        "0": {("1", "b", "1"): Fraction(1, 4), (): Fraction(3, 4)},
        "one": {("-5",): Fraction(1)},
    }
    assert (about.name, about.source, about.note) == ("n", "s", "t")
    assert about.claim == randomizer_file.Promise(100, "log(3/2)", "1e-6")


def test_suffixes_in_any_case(tmp_path):
    for name in ("a.toml", "b.TOML"):
        (tmp_path / name).write_text(SURE)
        assert randomizer_file.load(tmp_path / name)[0].inputs == ("0",)


# Files that are refused ----------------------------------------------------------------------------------------------

FIRST = "rows[0].outputs[0]"
BAD_TOML = [  # (what follows the line `input = "0"` of a first row, how the error begins, how it ends)
    ('outputs = [{send = ["a"], p = "0.NINES"}]', "rows[0].outputs of input '0': the", "expected exactly 1"),
    ('outputs = [{send = [], p = "3/2"}, {send = [1], p = "-1/2"}]', FIRST + ".p: 3/2 is not a probability", "[0, 1]"),
    ('outputs = [{send = [], p = "-1/2"}]', FIRST + ".p: -1/2 is not a probability", ""),
    ("outputs = [{send = [], p = 1.0}]", FIRST + ".p: a float is not exact", 'expected text such as "3/4" or "0.75"'),
    ("outputs = [{send = [], p = 1}]", FIRST + ".p: an integer: ", 'expected text such as "3/4" or "0.75"'),
    ('outputs = [{send = [], p = "one"}]', FIRST + ".p: 'one' is not an exact number: expected", ""),
    ('outputs = [{send = [], p = "1/0"}]', FIRST + ".p: 1/0 has denominator 0", ""),
    ('outputs = [{send = [], p = "0.MILLION"}]', FIRST + ".p: a number of 1000002 characters", "expected at most 2000"),
    ('outputs = [{send = [], p = "1e-999999999"}]', FIRST + ".p: 1e-999999999", "an exponent of at most 2000"),
    ('outputs = [{send = [1.5], p = "1"}]', FIRST + ".send[0]: a float: expected an integer or text", ""),
    ('outputs = [{send = "a", p = "1"}]', FIRST + ".send: text: expected a list", 'send = ["x"]'),
    ('outputs = [{p = "1"}]', FIRST + ": 'send' is missing: expected send, p", ""),
    ("outputs = [{send = []}]", FIRST + ": 'p' is missing: expected send, p", ""),
    ('outputs = [{send = [], p = "1", q = "0"}]', FIRST + ": unknown key 'q'", "expected send, p"),
    ("", "rows[0]: 'outputs' is missing: expected input, outputs", ""),
    ("outputs = []", "rows[0].outputs of input '0': the probabilities sum to 0", "expected exactly 1"),
    ('outputs = [{send = ["a"], p = "1/2"}, {send = ["a"], p = "1/2"}]', "rows[0].outputs[1].send: ['a'] stands", ""),
    ('outputs = [{send = [1], p = "1/2"}, {send = ["1"], p = "1/2"}]', "rows[0].outputs[1].send: ['1'] stands in", ""),
]
BAD_FILES = [  # (the whole file, how the error begins, how it ends)
    ("[[rows]]\noutputs = []", "rows[0]: 'input' is missing: expected input, outputs", ""),
    (SURE + SURE, "rows[1].input: '0' has a row already", "expected each input once"),
    (SURE + SURE.replace('"0"', "0"), "rows[1].input: '0' has a row already", ""),
    (SURE.replace('"0"', "true"), "rows[0].input: a truth value: expected an integer or text", ""),
    (SURE.replace('"0"', "1979-05-27"), "rows[0].input: a date: expected an integer or text", ""),
    (SURE.replace('"0"', '""'), "rows[0].input: '' is not a label", ""),
    (SURE.replace('"0"', "9" * 5000), "an integer of more than 4300 digits", "at most 1000 characters"),
    ("rows = []", "rows: none", "expected at least one input"),
    ("rows = 5", "rows: an integer: expected rows = [{input = ", ""),
    ("", "the file: 'rows' is missing: expected rows, name", ""),
    ("rowz = 1\n" + SURE, "the file: unknown key 'rowz' (did you mean rows?): expected rows, name", "note, claim"),
    ("claim = 3\n" + SURE, "claim: an integer: expected a table or nothing", ""),
    ("name = 1\n" + SURE, "name: an integer: expected text", ""),
    ("claim = {n = 1.5, eps = '0', delta = '0'}\n" + SURE, "claim.n: a float: expected an integer", ""),
    ("claim = {n = 1, eps = 0.5, delta = '0'}\n" + SURE, "claim.eps: a float is not exact", ""),
    ("claim = {n = 1, eps = '0'}\n" + SURE, "claim: 'delta' is missing: expected n, eps, delta", ""),
    ("import os\nos.remove('x')\n", "not TOML: ", "(at line 1, column 8)"),
    (SURE + "[[rows]\n", "not TOML: ", "(at line 4, column 7)"),
    ('name = "a"\nname = "b"\n' + SURE, "not TOML: ", "(at line 2, column 11)"),
    (b"name = '\xff'", "byte 8: not UTF-8 text", ""),
    ("a = " + "[" * 100_000, "nested too deeply", "expected rows of outputs"),
]
BAD_JSON = [
    ("{", "not JSON: ", "line 1 column 2 (char 1)"),
    ("", "not JSON: ", ""),
    ("[]", "the file: a list: expected rows = [{input = ", ""),
    ('{"rows": [], "rows": []}', "not JSON: the key 'rows' stands twice in one object", ""),
    ('{"rows": [{"input": "0", "outputs": [{"send": [], "p": "1", "p": "1"}]}]}', "not JSON: the key 'p' stands", ""),
    ('{"rows": [{"input": "0", "outputs": [{"send": [], "p": 0.5}]}]}', FIRST + ".p: a float is not exact", ""),
    ('{"rows": [{"input": "0", "outputs": [{"send": [], "p": NaN}]}]}', FIRST + ".p: a float is not exact", ""),
    ('{"rows": [{"input": null, "outputs": []}]}', "rows[0].input: nothing: expected an integer or text", ""),
    ('{"rows": [{"input": "\\ud800", "outputs": []}]}', "rows[0].input: '\\ud800' is not a label", ""),
    ('{"rows": ' + "[" * 100_000, "nested too deeply", ""),
    ('{"rows": [{"input": ' + "9" * 5000 + "}]}", "an integer of more than 4300 digits", ""),
]
LONG = {"NINES": "9" * 30, "MILLION": "3" * 10**6}


@pytest.mark.parametrize(
    ("content", "begins", "ends", "suffix"),
    [pytest.param(ROW + case[0], *case[1:], ".toml", id=f"row-{i}") for i, case in enumerate(BAD_TOML)]
    + [pytest.param(*case, ".toml", id=f"toml-{i}") for i, case in enumerate(BAD_FILES)]
    + [pytest.param(*case, ".json", id=f"json-{i}") for i, case in enumerate(BAD_JSON)],
)
def test_every_error_names_its_place(content, begins, ends, suffix):
    for name, digits in LONG.items():
        content = content.replace(name, digits) if isinstance(content, str) else content
    line = refused(content, suffix)
    assert line.startswith(begins) and line.endswith(ends)


def test_a_sum_that_is_off_by_1e_30_is_shown():
    line = refused(ROW + f'outputs = [{{send = ["a"], p = "0.{"9" * 30}"}}]')
    assert "sum to 1 - 1/1" + "0" * 30 + ": expected" in line


def test_files_that_are_not_there_or_not_files(tmp_path):
    for make, name, complaint in [
        (None, "missing.toml", "no such file"),
        (Path.mkdir, "folder.toml", "not a file"),
        (Path.touch, "notes.txt", r"unknown kind of file '.txt': expected .toml or .json"),
        (None, "x" * 5000 + ".toml", "cannot be read: File name too long"),
    ]:
        if make:
            make(tmp_path / name)
        with pytest.raises(BadInput, match=complaint) as error:
            randomizer_file.load(tmp_path / name)
        assert str(error.value).startswith(f"{tmp_path / name}: ")


def test_a_gigabyte_is_refused_unread(tmp_path, monkeypatch):
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(2**30)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    with pytest.raises(BadInput, match=r"huge\.toml: 1073741824 bytes: expected at most 8388608"):
        randomizer_file.load(tmp_path / "huge.toml")


# The page and the schema ---------------------------------------------------------------------------------------------


def test_the_schema_in_the_repository_is_the_generated_one():
    """To renew it: python -m shufflecert.verify.systems.randomizer_file > verify/randomizer.schema.json"""
    assert randomizer_file.schema() == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_pages_examples_are_one_randomizer_and_fit_the_schema():
    examples = [(language, text) for language, text in BLOCKS if language in ("toml", "json")]
    assert {language for language, _ in examples} == {"toml", "json"}
    whole = []
    for language, text in examples:
        tree = tomllib.loads(text) if language == "toml" else json.loads(text)
        if "name" in tree:
            jsonschema.validate(tree, SCHEMA)
            whole.append(randomizer_file.parse(text.encode(), f".{language}"))
    assert len(whole) == 2 and whole[0] == whole[1]


def test_the_pages_errors_are_the_real_ones():
    """Each `toml` fragment that is followed by a `text` block is refused with exactly that line."""
    shown = [(a[1], b[1]) for a, b in pairwise(BLOCKS) if (a[0], b[0]) == ("toml", "text")]
    assert len(shown) >= 4
    for fragment, line in shown:
        assert refused(fragment) == line.strip()


def test_the_pages_limits_are_the_real_ones():
    page = (VERIFY / "RANDOMIZER.md").read_text()
    assert (
        f"{randomizer_file.MAX_BYTES // 2**20} MiB" in page
        and "1,000 characters" in page
        and "2,000 characters" in page
    )


def test_every_field_is_described():
    for name, structure in SCHEMA["$defs"].items():
        assert structure["description"], name
        for field, described in structure["properties"].items():
            assert described.get("description"), f"{name}.{field}"


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"rows": []},
        {"rows": [{"input": "0"}]},
        {"rows": [{"input": "0", "outputs": []}]},
        {"rows": [{"input": 1.5, "outputs": [{"send": [], "p": "1"}]}]},
        {"rows": [{"input": "0", "outputs": [{"send": [], "p": 1}]}]},
        {"rows": [{"input": "0", "outputs": [{"send": [], "p": "one"}]}]},
        {"rows": [{"input": "0", "outputs": [{"send": [""], "p": "1"}]}]},
        {"rows": [{"input": "0", "outputs": [{"send": [], "p": "1"}]}], "more": 1},
        {"rows": [{"input": "0", "outputs": [{"send": [], "p": "1"}]}], "claim": {"n": 0, "eps": "0", "delta": "0"}},
    ],
)
def test_what_the_schema_refuses_is_refused(tree):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tree, SCHEMA)
    refused(json.dumps(tree), ".json")
