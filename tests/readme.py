"""Runs what the documents show. `python -m tests.readme` writes the outputs of README.md's console blocks anew."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"```console\n(.*?)```", re.S)
NAMED_FILE = re.compile(r"```\w+\n# (\S+\.(?:toml|json|py))\n(.*?)```", re.S)
CLOCK = "1800000000"  # answers hold the date
SECONDS = re.compile(r"^  \d+\.\d\d s$", re.M)


def prepare(text, folder):
    """Lay out the folder that the commands run in: `verify`, `examples`, and files named in a block's first line."""
    for name in ("verify", "examples"):
        (folder / name).symlink_to(ROOT / name)
    for name, content in NAMED_FILE.findall(text):
        (folder / name).write_text(content)


def execute(block, folder):
    """The block with the real output of its `$` commands, run in `folder`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "120", "SOURCE_DATE_EPOCH": CLOCK}
    lines = []
    for line in block.splitlines():
        if line.startswith("$ "):
            ran = subprocess.run(line[2:], shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            lines += [line, *(ran.stdout + ran.stderr).splitlines()]
    return SECONDS.sub("  ... s", "\n".join(lines) + "\n")


def rewrite(path, folder):
    """The document's text with every console block executed in order."""
    text = path.read_text()
    prepare(text, folder)
    return CONSOLE.sub(lambda found: f"```console\n{execute(found[1], folder)}```", text)


if __name__ == "__main__":
    import tempfile

    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        with tempfile.TemporaryDirectory() as folder:
            document.write_text(rewrite(document, Path(folder)))
