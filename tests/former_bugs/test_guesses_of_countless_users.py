"""A guess listed all outcomes of 10^9 users in a polynomial: 13 GB, and a busy machine ended the command silently.

Noise that is hardly ever sent is seen in a few cells however many users send it; the polynomial has all of them.
"""

import subprocess
import sys

import pytest

from tests.forks import Forks
from tests.readme import environment

pytest.importorskip("resource")  # limits of memory are POSIX's

CERTIFIED = """
import resource

resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from shufflecert import certify

print(certify("zsum", p="0.99999996", n=10**9, eps=1, delta="1e-6").verdict)
"""
KILLED = "import os, signal\nprint('begun', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"


def test_a_certificate_of_countless_users_takes_little_memory(tmp_path):
    """Two gigabytes of addresses, of which the libraries take most; on its own the process takes 80 MB."""
    script = tmp_path / "certified.py"
    script.write_text(CERTIFIED)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("PROVED\n", "")


def test_a_command_that_the_system_ends_is_told_on_its_page(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    with Forks(environment()) as forks:
        assert forks.run(["python", "killed.py"], tmp_path) == "begun\nended by signal 9\n"
        assert forks.status == -9
