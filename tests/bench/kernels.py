"""The verified kernel beside kernel.py, each in a process of its own on the same certificate."""

import subprocess
import sys
import tempfile
from pathlib import Path

from rich.table import Table

from tests import verified
from tests.bench.jobs import certificate
from tests.bench.measure import chosen

KERNEL = [sys.executable, "-I", "-S", str(verified.ROOT / "verify" / "kernel.py")]
# system, parameters, n, eps, delta: README's and the recipes', then larger ones
QUESTIONS = [
    ("r_gap", {}, 3, "log(2)", "0"),
    ("rr", {"flip": "1/4"}, 100, "3/5", "1e-6"),
    ("zsum", {"p": "0.982"}, 2000, "1", "1e-6"),
    ("zsum", {"p": "0.983"}, 2000, "1", "1e-6"),
    ("r_gap", {}, 30, "log(8/5)", "0"),
    ("krr", {"k": "3", "gamma": "3/10"}, 30, "1/2", "1/10"),
    ("rr", {"flip": "1/4"}, 1000, "1/10", "1e-2"),
    ("zsum", {"p": "0.9999"}, 10**6, "1", "1e-6"),
    ("poisson", {"lam": "1000000"}, 1, "1/100", "1e-6"),
    ("krr", {"k": "40", "gamma": "1/2"}, 100_000, "1/2", "1e-4"),
    ("hist", {"p": "9/10", "d": "5"}, 300, "1", "1e-6"),
    ("any_ldp", {"eps0": "4"}, 10_000, "1/5", "11/10000"),
    ("any_ldp", {"eps0": "2"}, 10**6, "1/100", "1e-6"),
]


# A small process starts the one that is measured: a child's peak counts what it was forked from.
RUNNER = """
import os, resource, sys
done = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
os.waitpid(done, 0)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def spent(command, file):
    """(CPU seconds, peak MiB, what it says) of one process on one file; its start is counted."""
    words = [sys.executable, "-I", "-S", "-c", RUNNER, *map(str, command), str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    *said, used = done.stdout.splitlines()
    seconds, memory = map(float, used.split())
    return seconds, memory, " ".join(said).removeprefix(f"{file}: ").split(":")[0]


def kernels(console, _budget, which="some"):
    """The verified kernel beside kernel.py: CPU seconds and peak memory of a process each, its start included."""
    if verified.missing():
        console.print(verified.missing())
        return
    verified.build()
    columns = ("claim", "kernel.py", "MiB", "says", "verified kernel", "MiB", "says", "kernel.py / verified")
    table = Table(*columns, title=kernels.__doc__)
    with tempfile.TemporaryDirectory() as folder:
        for system, parameters, n, eps, delta in chosen(QUESTIONS, which):
            text = certificate(system, parameters, n, eps, delta)
            file = Path(folder) / "certificate.json"
            file.write_text(text, encoding="utf-8")
            ours, theirs = spent([verified.BINARY], file), spent(KERNEL, file)
            row = [f"{system} {parameters} n = {n}, ({eps}, {delta})"]
            for seconds, memory, said in (theirs, ours):
                row += [f"{seconds:.3f}", f"{memory:.0f}", said]
            table.add_row(*row, f"{theirs[0] / ours[0]:.1f}")
    console.print(table)
