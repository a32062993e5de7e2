"""Every notebook is executed, and what it stores is what it prints.

`python -m tests.test_notebooks` executes the notebooks in their place and stores the outputs anew.
"""

import ast
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 600  # for a cell, which takes at most ten of a quiet machine: one that hangs does not keep the suite
COLUMNS = "118"  # that a command's tables may have, wherever the tests run
ABSOLUTE_PATH = re.compile(r"""(?<![\w.:/)}\]])(?:/(?!/)[A-Za-z_.~][\w.+~-]*/[\w.]|[A-Za-z]:\\+\w|file://)""")
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# those that `make test-long` runs
SLOW = ("audit_your_randomizer", "calibrate_and_save", "certify_a_deployment", "claims_18_to_20", "errata")


def read(path):
    return nbformat.read(path, as_version=4)


def execute(notebook, folder):
    """Run all cells in `folder`; raises CellExecutionError at the first one that fails."""
    notebook.metadata.kernelspec = METADATA["kernelspec"]
    options = {"timeout": SECONDS, "record_timing": False, "coalesce_streams": True}
    client = NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, **options)
    return client.execute(env={**os.environ, "COLUMNS": COLUMNS})


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell):
    """What a reader sees of a code cell: its printed text, then for each other output its text, or its kind.

    Not standard error, where libraries speak of their own affairs, such as a font cache on their first day.
    """
    printed = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout")
    data = [o.data for o in cell.outputs if o.output_type in ("execute_result", "display_data")]
    return [printed, *({kind: d[kind] if kind.startswith("text/") else ... for kind in sorted(d)} for d in data)]


def texts(notebook):
    """All sources, outputs that are text, and metadata."""
    for cell in notebook.cells:
        yield cell.source
        yield str(cell.metadata)
    for cell in code_cells(notebook):
        for output in cell.outputs:
            yield output.get("text", "")
            yield from (str(value) for kind, value in output.get("data", {}).items() if not kind.startswith("image/"))
    yield str(notebook.metadata)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[pytest.mark.long] * (p.stem in SLOW)) for p in NOTEBOOKS]
)
def test_runs_and_shows_what_it_stores(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    copies = shutil.copytree(FOLDER, tmp_path / "notebooks")
    stored, fresh = read(path), execute(read(copies / path.name), copies)
    for was, now in zip(code_cells(stored), code_cells(fresh), strict=True):
        assert shown(now) == shown(was), f"cell {was.id}: python -m tests.test_notebooks stores the outputs anew"


@pytest.mark.parametrize("name", SLOW)
def test_what_the_slow_ones_import_is_there(name):
    cells = code_cells(read(FOLDER / f"{name}.ipynb"))
    tree = ast.parse("\n".join(re.sub(r"(?m)^(?=[%!])", "# ", cell.source) for cell in cells))
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert imports
    exec("\n".join(imports), {})


@each_notebook
def test_was_stored_after_one_run_from_top_to_bottom(path):
    cells = code_cells(read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert {o.output_type for o in outputs} <= {"stream", "execute_result", "display_data"}  # no "error"
    assert all(o.name == "stdout" for o in outputs if o.output_type == "stream")


@each_notebook
def test_begins_with_the_question(path):
    first = read(path).cells[0]
    assert first.cell_type == "markdown" and first.source.startswith("# ")
    assert "?" in "".join(first.source.splitlines()[:3])


@each_notebook
def test_names_no_machine_and_no_moment(path):
    notebook = read(path)
    assert notebook.metadata == METADATA
    assert not any("execution" in cell.metadata for cell in notebook.cells)  # when and how long
    for text in texts(notebook):
        assert not (found := ABSOLUTE_PATH.search(text)), found


@pytest.mark.parametrize("text", ["/tmp/x1/proof.json", 'open("/home/me/a.csv")', r"C:\\Users\\me", "at /srv/main/a"])
def test_absolute_paths_are_found(text):
    assert ABSOLUTE_PATH.search(text)


@pytest.mark.parametrize(
    "text", ["https://arxiv.org/abs/1911.06879", r"$P/Q$, $(1/10)/(1/16)$", "verify/kernel.py", "a // b"]
)
def test_what_only_looks_like_a_path_is_not_found(text):
    assert not ABSOLUTE_PATH.search(text)


if __name__ == "__main__":
    for notebook_path in NOTEBOOKS:
        executed = execute(read(notebook_path), FOLDER)
        executed.metadata = nbformat.from_dict(METADATA)
        nbformat.write(executed, notebook_path)
