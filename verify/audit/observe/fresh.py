"""A function of a file observed in three fresh processes, whose laws must agree.

Each has another seed of hashes, another layout of its memory, other arguments and variables of the environment, other
clocks, other random bits of the system and of the global sources: all are replaced before the file is loaded, and never
put back. In two of them the function is called once before, and its source answers that call in another way.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from importlib import import_module
from typing import Any

from shufflecert.verify.audit.callables import Options, listed_inputs
from shufflecert.verify.audit.observe.runner import answer, observed, taken
from shufflecert.verify.audit.walk import Found, Pick, Walked, answers, may_agree
from shufflecert.verify.errors import BadInput
from shufflecert.verify.systems.catalogue import from_python

FIRST: dict[int, Pick | None] = {  # of each process: how a call before all others is answered
    1: None, 2: lambda weights: max(answers(weights)), 3: lambda weights: random.Random(3).choice(answers(weights)),
}  # fmt: skip
SEEDS = tuple(FIRST)
CHILD = (
    "import json, sys; given = json.load(sys.stdin); sys.path[:] = given['path'];"
    "from shufflecert.verify.audit.observe.fresh import child; child(given)"
)
CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
YEAR = 31_557_600


def in_fresh_processes(
    name: str, values: Mapping[str, str], patch: Sequence[str], inputs: Sequence[Any] | None, options: Options
) -> Found:
    """What `my.py:name` sends on every input (None: its own). Raises BadInput where three processes differ."""
    given = {"path": sys.path, "name": name, "values": dict(values), "patch": list(patch), "inputs": inputs}
    given["options"] = {**asdict(options), "residual": str(options.residual)}
    children = [_started(seed) for seed in SEEDS]
    try:
        for seed, one in zip(SEEDS, children, strict=True):
            assert one.stdin is not None
            one.stdin.write(json.dumps({**given, "seed": seed}).encode())
            one.stdin.close()
        found: list[Found] = []
        for one in children:
            assert one.stdout is not None
            found.append(taken(one.stdout.read(), name))
    finally:
        for one in children:
            one.kill()
            one.wait()
    first, *others = found
    for other in others:
        _agree(name, first[0], other[0])
    return first


def _started(seed: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), f"SHUFFLECERT_PROCESS_{seed}": "x" * 1000 * seed}
    command = [sys.executable, "-c", CHILD, *["x"] * seed]
    said = None if seed == SEEDS[0] else subprocess.DEVNULL  # what it prints is shown once
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)


def _agree(name: str, one: Mapping[str, Walked], two: Mapping[str, Walked]) -> None:
    for x, walked in one.items():
        other = two.get(x)
        if other is None or not may_agree(walked.law, walked.unexplored, other.law, other.unexplored):
            raise BadInput(
                f"{name}: input {x}: its law is another in every process: expected all randomness from rng, and nothing"
                " of clocks, hashes, addresses, the environment or calls before; else audit it with --black-box"
            )


# In a process of its own ----------------------------------------------------------------------------------------------


def child(given: dict[str, Any]) -> None:
    """Replaces what a file may draw from, loads it, and writes what the function sends."""
    out = os.dup(1)
    os.dup2(2, 1)
    options = Options(**{**given["options"], "residual": Fraction(given["options"]["residual"])})

    def call() -> Found:
        import_module("numpy.random")
        import_module("uuid")
        replace(given["seed"])
        function = from_python(given["name"], given["values"])
        if given["inputs"] is not None:
            listed = [tuple(x) if isinstance(x, list) else x for x in given["inputs"]]
        else:
            listed = listed_inputs(getattr(function, "inputs", None))
        if given["patch"]:
            function = import_module("shufflecert.verify.audit.observe.patch").through(function, given["patch"])
        each = options.several(getattr(function, "each", False))
        return *observed(function, listed, str(options.library), options, each, FIRST[given["seed"]]), each

    answer(out, call)


def replace(seed: int) -> None:
    """Other clocks, random bits and arguments, for the rest of this process."""
    import numpy.random

    bits = random.Random(f"bits {seed}")
    os.urandom = bits.randbytes
    random._urandom = bits.randbytes  # type: ignore[attr-defined]
    random.seed(seed)
    numpy.random.seed(seed)
    for clock in CLOCKS:
        _shift(clock, seed * YEAR)
        _shift(f"{clock}_ns", seed * YEAR * 10**9)
    os.getpid = lambda: 1000 + seed
    sys.argv[:] = [f"process {seed}"]


def _shift(name: str, by: int) -> None:
    real = getattr(time, name)
    setattr(time, name, lambda: real() + by)
