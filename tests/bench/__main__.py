"""`make bench`: figures beside a peer's, in one run, each computation in a fresh process.

Of the tables that take long some rows are asked; `python -m tests.bench --all` asks all, an hour and more.

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
import sys
import time
from fractions import Fraction

from rich.console import Console
from rich.table import Table

from shufflecert.verify.exact.rational import decimals
from tests.bench import problems
from tests.bench.audits import audits
from tests.bench.kernels import kernels
from tests.bench.many import hunts, paths
from tests.bench.measure import chosen, measure
from tests.bench.strangers import strangers

SEED = {"zsum": {"p": "9/10"}, "rr": {"flip": "1/4"}, "krr": {"k": "3", "gamma": "3/10"}}
README = [
    ("zsum", {"p": "0.982"}, 2000, "1", "1e-6"),
    ("zsum", {"p": "0.983"}, 2000, "1", "1e-6"),
    ("r_gap", {}, 30, "log(8/5)", "0"),
    ("krr", SEED["krr"], 30, "1/2", "1/10"),
]


def products(console, budget, which="some"):
    """The exact pair (P, Q) of one dataset, against convolution in Fractions and sympy's Poly."""
    columns = ("computation", "engine", "peer", "peer takes", "ratio", "peak MiB (engine, peer)")
    table = Table(*columns, title=products.__doc__)
    rows = [("rr", n) for n in (100, 400, 5000)] + [("krr", n) for n in (30, 100)]
    for system, n in chosen(rows, which):
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


def all_datasets(console, budget, which="some"):
    """All neighbouring datasets, both directions: cost as n grows."""
    table = Table("question", "seconds", "peak MiB", "answer", title=all_datasets.__doc__)
    grid = {"krr": (10, 20, 30, 60), "rr": (100, 200, 400, 800), "zsum": (100, 1000, 4000)}
    for system, n in chosen(((system, n) for system, sizes in grid.items() for n in sizes), which):
        job = ("engine_delta", system, SEED[system])
        found = measure(*job, n, "1/2", warm=(system, SEED[system], 2, "1/2"), timeout=budget)
        seconds, memory, answer = found or (float("nan"), float("nan"), f"more than {budget:.0f} s")
        table.add_row(f"{system} {SEED[system]} n = {n}", f"{seconds:.3f}", f"{memory:.0f}", answer)
    console.print(table)


def kernel_over_engine(console, budget, which="some"):
    """The README's certificates: the time of the kernel over the engine's, and of the checker with a proof over it."""
    columns = ("claim", "engine", "kernel", "ratio", "says", "with a proof", "over the kernel", "says", "certificate")
    table = Table(*columns, title=kernel_over_engine.__doc__)
    for system, parameters, n, eps, delta in chosen(README, which):
        small = (system, parameters, 2, eps, delta)
        seconds, _, text = measure("certificate", system, parameters, n, eps, delta, warm=small, timeout=budget)
        late = float("nan"), 0, f"more than {budget:.0f} s"
        taken, _, status = measure("kernel", text, warm=("{}",), timeout=budget) or late
        proved, _, verdict = measure("checked", text, warm=("{}",), timeout=budget) or late
        row = [f"{system} {parameters} n = {n}, ({eps}, {delta})", f"{seconds:.3f} s"]
        row += [f"{taken:.4f} s", f"{taken / seconds:.1f}", status]
        row += [f"{proved:.4f} s", f"{proved / taken:.1f}", verdict, f"{len(text)} bytes"]
        table.add_row(*row)
    console.print(table)


# problem, our job with its arguments and small ones, relative width and milliseconds aimed at, the peers' arguments
FIVE = [
    ("(a) zsum n = 1000, eps = 1", ("summed", 1000), ("summed", 900), 1e-20, 9, ("zsum", 1, 1.0)),
    ("(b) rr n = 10000, eps = 1/5", ("responses", 10_000), ("responses", 2000), 1e-20, None, ("rr worst", 1, 0.2)),
    ("(b) others all on 0", ("responses_one", 10_000), ("responses_one", 2000), 1e-20, 9, ("rr 1 0", 1, 0.2)),
    ("(c) least poisson lam", ("least_poisson",), ("least_poisson", Fraction(1, 10**5)), 1e-20, 70, None),
    ("(d) (a) 10 times, eps = 3", ("composed", 8), ("composed", 2, 300), 1e-9, 800, ("zsum", 10, 3.0)),
    ("(d) with 9 digits", ("composed", 9), ("composed", 2, 300), 1e-9, 800, None),
    ("(e) krr n = 10000, eps = 1/5", ("categories", 10_000), ("categories", 1000), 1e-4, 1000, ("krr", 1, 0.2)),
]
PEERS = ("dp_accounting", "prv_accountant")


def five_problems(console, budget, which="some"):
    """Five problems. Relative errors of the lower and the upper bound; on the wrong side of the truth they are INVALID.

    The peers are given the worst pair, both directions; in (e) one of two columns, which shows a little less.
    """
    columns = ("problem", "by", "between", "and", "width", "seconds", "errors, validity; or whether the aim is met")
    table = Table(*columns, title=" ".join(five_problems.__doc__.split()))
    for problem, job, warm, width, milliseconds, pair in chosen(FIVE, which):
        seconds, _, ours = measure("problems.attempt", *job, warm=warm, timeout=budget) or (budget, 0, "given up on")
        if isinstance(ours, str):
            table.add_row(problem, "shufflecert", "", "", "", f"{seconds:.4f}", ours)
            continue
        low, high = decimals(*ours, 16)
        relative = float((ours[1] - ours[0]) / ours[1])
        aim = f"aimed at {width:.0e}: {'met' if relative <= width else 'missed'}"
        if milliseconds:
            aim += f"; {milliseconds} ms: {'met' if seconds * 1000 <= milliseconds else 'missed'}"
        table.add_row(problem, "shufflecert", low, high, f"{relative:.1e}", f"{seconds:.4f}", aim)
        if pair is None and job[0] != "least_poisson":
            continue
        for peer in PEERS:
            if pair is None:
                question = (f"{peer}_least", 1e-6)
            else:
                name = pair[0] if pair[0] != "rr worst" else "rr {} {}".format(*problems.worst_others())
                question = (peer, name, *pair[1:], *([float(ours[0])] if peer == PEERS[1] else []))
            found = measure("peers.attempt", *question, warm=("none",), timeout=budget)
            answer, taken = found[2] if found else (f"given up on after {budget:.0f} s", None)
            if isinstance(answer, str):
                table.add_row("", peer, "", "", "", "", answer)
                continue
            ratio = f"{taken:.3f} ({taken / seconds:.2g}x)"
            spread = (answer[1] - answer[0]) / answer[1]
            table.add_row(
                "",
                peer,
                *(f"{v:.10g}" for v in answer),
                f"{spread:.1e}",
                ratio,
                _judged(answer, ours, pair is not None and pair[0] == "krr"),
            )
        table.add_section()
    console.print(table)


def _judged(answer, truth, another_pair):
    """How far a peer's bounds are from the truth, and whether they are on the right sides of it."""
    errors = []
    for value, side in zip(map(Fraction, answer), (-1, 1), strict=True):
        nearest = min(max(value, truth[0]), truth[1])
        wrong = value > truth[1] if side < 0 else value < truth[0]
        errors.append(
            f"{float((value - nearest) / truth[1]):+.1e}" + ("" if another_pair else " INVALID" if wrong else " valid")
        )
    return "; ".join(errors) + (" (of the two columns)" if another_pair else "")


# question, our job and small arguments for it, the peer's arguments
CALIBRATED = [
    ("zsum 1e4, (1, 1e-6)", ("least_zsum", 10**4, "1", "1e-6"), (10**4, 1.0, 1e-6, 10.0, 100.0)),
    ("zsum 1e6, (1/10, 1e-8)", ("least_zsum", 10**6, "1/10", "1e-8"), (10**6, 0.1, 1e-8, 1e3, 1e4)),
    ("zsum 1e9, (1/10, 1e-9)", ("least_zsum", 10**9, "1/10", "1e-9"), (10**9, 0.1, 1e-9, 1e3, 1e4)),
    ("poisson lam, (1, 1e-6)", ("least_poisson",), (1e-6,)),
    ("correlated 1e4, (1, 1e-6): messages within 1.2 of the central RMSE", ("few_messages",), None),
    *(
        (f"compare sum 1e4, (1, 1e-6): RMSE of {system}", ("compared", system), None)
        for system in ("zsum", "poisson", "negative_binomial", "correlated", "discrete_laplace")
    ),
    *(
        (f"compare histogram 1e4, 20 buckets, (1, 1e-6): RMSE of {x}", ("compared", x, "histogram", 10**4, 20), None)
        for x in ("hist", "poisson_hist")
    ),
]


def calibrate(console, budget, which="some"):
    """The least noise: two neighbours on a grid of 64 bits, both certified; dp-accounting, halving to 1e-8, between."""
    columns = ("question", "by", "between", "and", "apart", "seconds", "ratio")
    table = Table(*columns, title=calibrate.__doc__)
    for question, job, peer in chosen(CALIBRATED, which):
        warm = ("least_zsum", 1000, "1", "1e-4") if job[0] == "least_zsum" else ("least_poisson", Fraction(1, 10**4))
        seconds, _, ours = measure("problems.attempt", *job, warm=warm, timeout=budget) or (budget, 0, "given up on")
        if isinstance(ours, str):
            table.add_row(question, "shufflecert", ours, "", "", f"{seconds:.3f}", "")
            continue
        spread = float((ours[1] - ours[0]) / ours[1])
        table.add_row(question, "shufflecert", *decimals(*ours, 16), f"{spread:.1e}", f"{seconds:.3f}", "")
        if peer is None:
            continue
        name = "dp_accounting_least_zsum" if job[0] == "least_zsum" else "dp_accounting_least"
        found = measure("peers.attempt", name, *peer, warm=("none",), timeout=2 * budget)
        answer, taken = found[2] if found else (f"given up on after {2 * budget:.0f} s", None)
        if isinstance(answer, str):
            table.add_row("", "dp_accounting", answer, "", "", "", "")
            continue
        spread = (answer[1] - answer[0]) / answer[1]
        row = (*(f"{v:.12g}" for v in answer), f"{spread:.1e}", f"{taken:.3f}", f"{taken / seconds:.3g}x")
        table.add_row("", "dp_accounting", *row)
        table.add_section()
    console.print(table)


def scale(console, budget, which="some"):
    """Time as n grows (zsum, hist: BC's p for eps = 1 and delta = 1e-6; rr: flip and eps of (b), all datasets)."""
    table = Table("system", "n", "seconds", "peak MiB", "delta between", "and", title=scale.__doc__)
    grid = {
        "scale_zsum": (10**3, 10**6, 10**9, 10**12),
        "scale_poisson": (10**3, 10**6, 10**9, 10**12),
        "scale_rr": (10**3, 10**4, 10**5),
        "scale_hist": (10**6,),
        "scale_fake_users": (10**6,),
    }
    for job, n in chosen(((job, n) for job, sizes in grid.items() for n in sizes), which):
        found = measure("problems.attempt", job, n, warm=(job, 2000), timeout=budget)
        seconds, memory, answer = found or (float("nan"), float("nan"), f"more than {budget:.0f} s")
        ends = (answer, "") if isinstance(answer, str) else decimals(*answer, 10)
        table.add_row(job.removeprefix("scale_"), f"{n:.0e}", f"{seconds:.4f}", f"{memory:.0f}", *ends)
    console.print(table)


SECTIONS = (
    five_problems,
    calibrate,
    scale,
    products,
    all_datasets,
    kernel_over_engine,
    kernels,
    paths,
    hunts,
    strangers,
    audits,
)


def main():
    """Every table, or one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds after which a peer is given up on")
    names = [section.__name__ for section in SECTIONS]
    parser.add_argument("--only", choices=names, help="one table")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--smallest", dest="which", action="store_const", const="smallest", help="each table's first row")
    size.add_argument("--all", dest="which", action="store_const", const="all", help="all rows: an hour or more")
    asked = parser.parse_args()
    console = Console(width=170)
    for section in SECTIONS:
        if asked.only in (None, section.__name__):
            start = time.perf_counter()
            section(console, asked.budget, asked.which or "some")
            print(f"{section.__name__}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
