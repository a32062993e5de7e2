"""What only POSIX has is imported where it is used: every public module can be imported without it, as on Windows."""

import subprocess
import sys

from tests.readme import ROOT

POSIX = ("fcntl", "grp", "posix_ipc", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
WITHOUT = f"""
import importlib, pkgutil, sys
import filelock  # has a way of its own for each system
for name in {POSIX!r}:
    sys.modules[name] = None  # an import of it raises ImportError
import os, signal
for name in ("fork", "register_at_fork", "killpg", "getuid", "setsid"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGALRM", "setitimer", "pthread_sigmask"):
    delattr(signal, name)
import shufflecert
from shufflecert import protocols, verify
failed = []
for package in (shufflecert, verify, protocols):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ImportError as error:
            failed.append(f"{{found.name}}: {{error}}")
print(*failed, sep="\\n")
from shufflecert.verify.cli import main
main(["epsilon", "rr", "-p", "flip=1/4", "--view", "local", "--delta", "0"])
"""


def test_no_module_needs_what_only_posix_has():
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True)
    said = done.stdout.strip().splitlines()
    assert done.returncode == 0 and said[:2] == ["eps(0) = [1.09861228866, 1.09861228867]", "  exactly log(3)"], (
        done.stdout + done.stderr[-2000:]
    )
