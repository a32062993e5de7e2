"""Local randomizers at the sizes at which they are deployed: width of eps at delta = 10^-6, CPU seconds, megabytes.

`python -m tests.bench.mechanisms [NAME...]` prints a line for each question, asked as a command of its own; with names
of systems only theirs. A line that misses its aim ends with "over".
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

USERS, EPS0 = (10**4, 10**6), ("1", "2", "4")
WIDE, SECONDS, MEGABYTES = Fraction(1, 100), 10, 500  # of systems that are all symmetric
DENSE, LONGER = Fraction(1, 50), 30  # of densities over a continuum of inputs
SYMMETRIC = (
    ("hadamard_response", "K=1024"),
    ("hadamard_response", "K=65536"),
    ("olh", "d=1024"),
    ("olh", "d=65536"),
    ("BLH", "d=65536"),
    ("subset_selection", "d=1024"),
    ("subset_selection", "d=65536"),
    ("OUE", "d=1024"),
    ("OUE", "d=65536"),
    ("SUE", "d=1024"),
    ("SUE", "d=65536"),
    ("count_mean_sketch", "m=1024 k=65536"),
    ("krr", "k=1024"),
    ("krr", "k=65536"),
    ("bloom_rappor", "bits=128 hashes=2"),
    ("dbitflip", "k=1024 d=8"),
    ("dbitflip", "k=1024 d=512"),
    ("priv_kv", "d=1024"),
    ("pckv_grr", "d=1024 l=8"),
)
DENSITIES = (("laplace", ""), ("piecewise", ""), ("square_wave", ""), ("duchi", ""), ("priv_unit", "dim=1024"))
NORMAL = (("gaussian", "sigma=1"), ("gaussian", "sigma=2"))


class Question(NamedTuple):
    """A system with its parameters, and the aim: relative width and CPU seconds."""

    system: str
    given: str
    wide: Fraction
    seconds: int


def questions() -> Iterator[Question]:
    """All questions but for the number of users."""
    for several, wide, seconds in ((SYMMETRIC, WIDE, SECONDS), (DENSITIES, DENSE, LONGER)):
        for system, given in several:
            for eps0 in EPS0:
                yield Question(system, f"eps0={eps0} {given}".strip(), wide, seconds)
    for system, given in NORMAL:
        yield Question(system, given, DENSE, LONGER)


def asked(question: Question, n: int) -> str:
    """The line of a question: what one command took and how wide its interval is."""
    given = [part for one in question.given.split() for part in ("-p", one)]
    command = [sys.executable, "-m", "shufflecert.verify.cli", "epsilon", question.system, *given]
    process = subprocess.Popen(
        [*command, "--n", str(n), "--delta", "1e-6", "--json"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    shown = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    ends = json.loads(shown)["epsilon"]
    low, high = Fraction(ends["lower"]), Fraction(ends["upper"])
    width = (high - low) / low
    over = width > question.wide or seconds > question.seconds or megabytes > MEGABYTES
    told = f"{question.system} {question.given}".ljust(42)
    return f"{told} {n:>8} {float(100 * width):8.4f} % {seconds:6.2f} s {megabytes:4.0f} MB{'  over' if over else ''}"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for one in questions():
        if not sys.argv[1:] or one.system in sys.argv[1:]:
            for n in USERS:
                print(asked(one, n), flush=True)
