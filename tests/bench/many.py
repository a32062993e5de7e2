"""Many small cases: paths of samplers, and cases of searches, by the second."""

import random
import time

from rich.table import Table

from proofs.conjectures import by_name
from proofs.searches import made
from tests.bench.measure import smallest
from verify.audit.code.enumerate_paths import enumerate_sampler


def coins(x, rng):
    """Fourteen coins that are not fair."""
    return sum(rng.random() < 0.3 for _ in range(14))


def four_answers(x, rng):
    """Four answers, each a die with probability 1/4."""
    return tuple(sorted(rng.randrange(6) if rng.random() < 0.25 else x for _ in range(4)))


def orders(x, rng):
    """Where the largest of five draws is, and whether it is above 9/10."""
    draws = [rng.random() for _ in range(5)]
    return draws.index(max(draws)), int(max(draws) > 0.9)


def paths(console, budget, few=False):
    """Paths of functions that draw, with exact probabilities, against as many plain runs of the same function."""
    table = Table("function", "paths", "paths a minute", "plain runs a minute", "ratio", title=paths.__doc__)
    for function in smallest((four_answers, coins, orders), few):
        start = time.perf_counter()
        count = enumerate_sampler(function, [0]).paths["0"]
        taken = time.perf_counter() - start
        rng, start = random.Random(1), time.perf_counter()
        for _ in range(count):
            function(0, rng)
        plain = time.perf_counter() - start
        each = (f"{60 * count / taken:.2e}", f"{60 * count / plain:.2e}", f"{taken / plain:.1f}")
        table.add_row(function.__name__, str(count), *each)
    console.print(table)


def hunts(console, budget, few=False):
    """Cases of two-input, two-message randomizers at n <= 4 by the second: floats, integers, the engine."""
    table = Table("predicate", "cases", "cases a second", title=hunts.__doc__)
    binary, engine = by_name("others-equal-binary"), by_name("others-equal")
    large = {"denominator": 300, "n": 4}
    size = binary.space(**large).size
    start = time.perf_counter()
    count, _ = binary.screen(size - (200_000 if few else 2_000_000), size, **large)
    table.add_row("screened in floats", str(count), f"{count / (time.perf_counter() - start):.3g}")
    space = binary.space(denominator=4 if few else 40, n=4)
    listed = [case for rank in range(space.size) if (case := space.case(rank)) is not None]
    for name, conjecture, cases in (("integers", binary, listed[-2000:]), ("engine", engine, listed[-40:])):
        start = time.perf_counter()
        for case in cases:
            conjecture.holds(case, n=4)
        table.add_row(name, str(len(cases)), f"{len(cases) / (time.perf_counter() - start):.3g}")
    console.print(table)
    table = Table("search", "workers", "seconds", "ratio", "digest", title="More than one core.")
    command, alone = "claim-18 --messages 2 --denominator 3" if few else "claim-18 --messages 4 --denominator 9", 0.0
    for workers in smallest((1, 2), few):
        start = time.perf_counter()
        digest = made(command, workers).digest
        taken = time.perf_counter() - start
        alone = alone or taken
        table.add_row(command, str(workers), f"{taken:.1f}", f"{alone / taken:.2f}", digest[:12])
    console.print(table)
