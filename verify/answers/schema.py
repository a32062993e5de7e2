"""The JSON Schema of every answer, from the forms that they declare.

`python -m shufflecert.verify.answers.schema` writes it.

The file is verify/answers.schema.json; `$defs` holds every part, `commands` says which of them a command answers with.
"""

import json
from inspect import cleandoc
from pathlib import Path

from shufflecert.verify.answers import (
    audited,
    boxed,
    calibrated,
    compared,
    composed,
    decided,
    listed,
    profiled,
    searched,
)
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.exact.epsilon import Tree

FILE = Path(__file__).parent.parent / "answers.schema.json"
ANSWERS: dict[str, tuple[type[Answer], ...]] = {
    "systems": (listed.Systems,),
    "delta": (decided.Delta,),
    "epsilon": (decided.Epsilon,),
    "accuracy": (decided.Accuracy,),
    "profile": (profiled.Profile,),
    "compose": (composed.Composition,),
    "certify": (decided.Certificate,),
    "calibrate": (calibrated.Calibration,),
    "audit": (audited.Audit, boxed.BlackBox, boxed.Gallery),
    "search": (searched.Search, searched.Status, searched.Conjectures),
    "check": (decided.Checked,),
    "claims": (listed.Claims,),
    "report": (listed.Report,),
    "compare": (compared.Comparison,),
    "table": (listed.ParameterTable, listed.TableChecked),
    "export": (listed.Exported,),
    "import": (listed.Imported,),
    "any, where it fails": (listed.Error,),
}


def schema() -> Tree:
    """The schema as a tree: an answer of any command fits one of `anyOf`."""
    from msgspec.json import schema_components

    types = [one.shape for several in ANSWERS.values() for one in several]
    found, parts = schema_components(types, ref_template="#/$defs/{name}")
    each = dict(zip([(name, i) for name, several in ANSWERS.items() for i in range(len(several))], found, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of shufflecert --json",
        "description": "Numbers are text: exact, or decimals rounded outwards (lower down, upper up).",
        "commands": {name: [each[name, i] for i in range(len(several))] for name, several in ANSWERS.items()},
        "anyOf": list(found),
        "$defs": {name: _described(part) for name, part in sorted(parts.items())},
    }


def _described(part: Tree) -> Tree:
    """A part with its docstring's indentation taken away, as Python does itself from 3.13 on."""
    return {**part, "description": cleandoc(part["description"])} if "description" in part else part


def text() -> str:
    """The content of the file."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
