"""`make bench`: every figure beside a peer's, in one run, each computation in a fresh process.

Seconds and the process's peak memory are of this run and this machine; the ratio is what can be compared.

Where time goes. One pair: half in polynomial products (two multiplications by one user's law and the power G), half
in reading the coefficients out; both are bound by the bits of the coefficients, n log2(denominator) each, so by
memory traffic for large n. All datasets: a third each for the product and division that move one user, reading out,
and one comparison with e^eps per outcome, which is bound by the interpreter until coefficients reach some thousand
bits. Memory is one product G and the two laws of a pair at a time: 3 * outcomes * n log2(denominator) bits, and
nothing grows with the number of datasets. The kernel multiplies one user at a time in dictionaries of integers:
outcomes * n steps for one dataset.
"""

import argparse

from rich.console import Console
from rich.table import Table

from tests.bench.measure import measure

SEED = {"zsum": {"p": "9/10"}, "rr": {"flip": "1/4"}, "krr": {"k": "3", "gamma": "3/10"}}
README = [
    ("zsum", {"p": "0.982"}, 2000, "1", "1e-6"),
    ("zsum", {"p": "0.983"}, 2000, "1", "1e-6"),
    ("r_gap", {}, 30, "log(8/5)", "0"),
    ("krr", SEED["krr"], 30, "1/2", "1/10"),
]


def products(console, budget):
    """The exact pair (P, Q) of one dataset, against convolution in Fractions and sympy's Poly."""
    columns = ("computation", "engine", "peer", "peer takes", "ratio", "peak MiB (engine, peer)")
    table = Table(*columns, title=products.__doc__)
    rows = [("rr", n) for n in (400, 5000)] + [("krr", n) for n in (30, 100)]
    for system, n in rows:
        ours = measure(f"engine_{system}", n, warm=(2,), timeout=budget)
        for peer, ground in (("fractions", ""), ("sympy", "python"), ("sympy", "flint")):
            theirs = measure(f"{peer}_{system}", n, warm=(2,), timeout=budget, ground_types=ground)
            label = f"{peer} ({ground})" if ground else peer
            name = f"{system} n = {n}: {ours[2]}"
            if theirs is None:
                taken, ratio, memory = f"> {budget:.0f} s", f"> {budget / ours[0]:.0f}", f"{ours[1]:.0f}, ?"
            else:
                assert theirs[2] == ours[2], (theirs[2], ours[2])
                taken, ratio = f"{theirs[0]:.4f} s", f"{theirs[0] / ours[0]:.1f}"
                memory = f"{ours[1]:.0f}, {theirs[1]:.0f}"
            table.add_row(name, f"{ours[0]:.4f} s", label, taken, ratio, memory)
    console.print(table)


def all_datasets(console, budget):
    """All neighbouring datasets, both directions: cost as n grows."""
    table = Table("question", "seconds", "peak MiB", "answer", title=all_datasets.__doc__)
    grid = {"krr": (10, 20, 30, 60), "rr": (100, 200, 400, 800), "zsum": (100, 1000, 4000)}
    for system, n in ((system, n) for system, sizes in grid.items() for n in sizes):
        job = ("engine_delta", system, SEED[system])
        found = measure(*job, n, "1/2", warm=(system, SEED[system], 2, "1/2"), timeout=budget)
        seconds, memory, answer = found or (float("nan"), float("nan"), f"more than {budget:.0f} s")
        table.add_row(f"{system} {SEED[system]} n = {n}", f"{seconds:.3f}", f"{memory:.0f}", answer)
    console.print(table)


def kernel_over_engine(console, budget):
    """The README's certificates: the kernel's time over the engine's."""
    table = Table("claim", "engine", "kernel", "ratio", "kernel says", "certificate", title=kernel_over_engine.__doc__)
    for system, parameters, n, eps, delta in README:
        small = (system, parameters, 2, eps, delta)
        seconds, _, text = measure("certificate", system, parameters, n, eps, delta, warm=small, timeout=budget)
        checked = measure("kernel", text, warm=("{}",), timeout=budget)
        taken, _, status = checked or (float("nan"), 0, f"more than {budget:.0f} s")
        claim = f"{system} {parameters} n = {n}, ({eps}, {delta})"
        size = f"{len(text)} bytes"
        table.add_row(claim, f"{seconds:.3f} s", f"{taken:.3f} s", f"{taken / seconds:.1f}", status, size)
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds after which a peer is given up on")
    budget = parser.parse_args().budget
    console = Console(width=150)
    for section in (products, all_datasets, kernel_over_engine):
        section(console, budget)


if __name__ == "__main__":
    main()
