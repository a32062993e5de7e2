"""Ctrl-C in the first third of a second, while the command was loaded, printed Python's traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HOOK = """
import sys


class Stops:
    def find_spec(self, name, path=None, target=None):
        if name == "shufflecert.verify.answers.decided":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Stops())
"""
CONSOLE = "from shufflecert.verify.entry import main; main()"  # what the script of the console does


def run(folder, *arguments):
    """Python, where asking for a module of the command is as Ctrl-C at that moment."""
    (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT)])
    command = [sys.executable, *arguments, "systems"]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, "PYTHONPATH": path}
    )


@pytest.mark.parametrize("arguments", [("-c", CONSOLE), ("-m", "shufflecert")], ids=["console", "module"])
def test_an_interrupt_while_the_command_is_loaded_is_one_line(tmp_path, arguments):
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "shufflecert: interrupted\n")


def test_the_library_leaves_interrupts_to_its_user(tmp_path):
    done = run(tmp_path, "-c", "from shufflecert import epsilon")
    assert done.stderr.endswith("KeyboardInterrupt\n") and "Traceback" in done.stderr


def test_the_script_of_the_console_is_this_one():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'shufflecert = "shufflecert.verify.entry:main"' in text
