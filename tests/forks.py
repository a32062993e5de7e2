"""A process that has imported the command, and answers each command line in a fork of itself.

What is run this way starts as a process of its own does, but for the third of a second that imports take: nothing of
one command is left when the next one starts.
"""

import contextlib
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Forks:
    """The other end of `serve`; one process, however many commands. Use it as a context."""

    def __init__(self, environment):
        path = os.pathsep.join([str(ROOT), *filter(None, [environment.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.forks"],
            env={**environment, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def run(self, words, folder):
        """What `words` print in `folder`: standard output, then standard error; and the signal that ended them."""
        with tempfile.TemporaryDirectory() as written:
            files = [str(Path(written) / name) for name in ("out", "err")]
            print(json.dumps([words, str(folder), files]), file=self.process.stdin, flush=True)
            self.status = int(self.process.stdout.readline())
            ended = f"ended by signal {-self.status}\n" if self.status < 0 else ""
            return "".join(Path(name).read_text() for name in files) + ended


def serve():
    """Read jobs, one JSON line each, and answer each with its exit status."""
    for package in ("shufflecert.verify", "shufflecert.protocols"):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            with contextlib.suppress(ImportError):  # what an extra brings is imported where it is wanted
                import_module(module.name)
    jobs, answers = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in os.fdopen(jobs):
        child = os.fork()
        if child == 0:
            _become(*json.loads(line))
        _, status = os.waitpid(child, 0)
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(words, folder, files):
    """This process is the command from here on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in enumerate(files, 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.chdir(folder)
    if words[0] == "python":
        sys.argv = words[1:]
        sys.path[:0] = [str(Path(folder) / Path(words[1]).parent)]
        runpy.run_path(words[1], run_name="__main__")
        sys.exit()
    sys.argv = words
    import_module("shufflecert.verify.cli").main()


if __name__ == "__main__":
    serve()
