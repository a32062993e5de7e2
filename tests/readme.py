"""Runs what the documents show. `python -m tests.readme [PAGE...]` writes the outputs of their console blocks anew.

A block ```` ```console ```` holds commands after `$` and what they print. A block of another language whose first line
is `# name.ext` is a file of that name, which the page's commands find. `<!-- uses: path -->` copies a file of the
repository; `<!-- long -->` keeps a page for `make test-long`, and right above a block that block alone.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.forks import Forks

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"^(<!-- long -->\n)?```console\n(.*?)^```", re.S | re.M)
NAMED_FILE = re.compile(r"^```\w+\n(?:# |// )(\S+\.\w+)\n(.*?)^```", re.S | re.M)
PYTHON = re.compile(r"^```(?:python|toml)\n(.*?)^```", re.S | re.M)
USES = re.compile(r"<!-- uses: (\S+) -->")
LONG = re.compile(r"^<!-- long -->\n(?!```console)", re.M)  # of a page
CLOCK = "1800000000"  # answers hold the date
SECONDS = re.compile(r"^  \d+\.\d\d s$", re.M)
FOR_A_SHELL = set("|&;<>()[]{}!\\$`*?~#")  # outside of quotes these mean more than a list of words


def pages():
    """Every document with commands: the README, CONTRIBUTING.md, and the pages of docs/."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def prepare(text, folder):
    """Lay out the folder that the commands run in: `verify`, `examples`, and the files that the page names."""
    for name in ("verify", "examples"):
        (folder / name).symlink_to(ROOT / name)
    for name in USES.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name, content in NAMED_FILE.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def environment():
    """Of a reader's terminal, 120 columns wide, where the project's own commands are found."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "120", "SOURCE_DATE_EPOCH": CLOCK}


def words(command):
    """The words of a command that is the project's or Python's and needs no shell, else None."""
    bare = re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command)
    listed = shlex.split(command)
    ours = listed[0] == "shufflecert" or (listed[0] == "python" and listed[1].endswith(".py"))
    return listed if ours and not FOR_A_SHELL & set(bare) else None


def answer(command, folder, forks):
    """What a command prints, errors last: in a fork of a process that has imported it, or in a shell, which also has
    what is behind a first " | "."""
    first, _, rest = command.partition(" | ")
    given, options = None, {"shell": True, "cwd": folder, "env": environment(), "capture_output": True, "text": True}
    if listed := words(first):
        given = forks.run(listed, folder)
        if not rest or forks.status not in (0, 1):
            return given
        command = rest
    ran = subprocess.run(command, input=given, **options)
    return ran.stdout + ran.stderr + (f"ended by signal {-ran.returncode}\n" if ran.returncode < 0 else "")


def execute(block, folder, forks):
    """The block with the real output of its `$` commands, run in `folder`."""
    lines = []
    for line in block.splitlines():
        if line.startswith("$ "):
            lines += [line, *answer(line[2:], folder, forks).splitlines()]
    return SECONDS.sub("  ... s", "\n".join(lines) + "\n")


def rewrite(path, folder, forks, long=True):
    """The document's text with every console block executed in order, or with all that are not long."""
    text = path.read_text()
    prepare(text, folder)

    def fresh(found):
        mark = found[1] or ""
        return found[0] if mark and not long else f"{mark}```console\n{execute(found[2], folder, forks)}```"

    return CONSOLE.sub(fresh, text)


if __name__ == "__main__":
    with Forks(environment()) as started:
        for document in [Path(name).resolve() for name in sys.argv[1:]] or pages():
            with tempfile.TemporaryDirectory() as temporary:
                document.write_text(rewrite(document, Path(temporary), started))
