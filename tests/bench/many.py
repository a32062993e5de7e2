"""Many small cases: paths of samplers, and cases of searches, by the second."""

import random
import time

from rich.table import Table

from shufflecert.proofs.conjectures import hunt
from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.search.conjecture import OWN
from shufflecert.verify.search.exhaust import look, parameters_of
from tests.bench.measure import chosen


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


def paths(console, budget, which="some"):
    """Paths of functions that draw, with exact probabilities, against as many plain runs of the same function."""
    table = Table("function", "paths", "paths a minute", "plain runs a minute", "ratio", title=paths.__doc__)
    for function in chosen((four_answers, coins, orders), which):
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


GROWS = "delta(n, log(2)) <= delta(n - 1, log(2))"
PURE = "epsilon(n) == local_epsilon()"
MIXED = "delta(n, 0) <= max(d.delta(0) for d in datasets(n) if d.kinds <= 1)"
# claim, its space, and a smaller denominator; n = 2:4
HUNTED = (
    (GROWS, {"messages": 2, "denominator": 300}, 20),
    (PURE, {"messages": 2, "denominator": 300}, 20),
    (MIXED, {"messages": 2, "denominator": 300}, 20),
    ("delta(n, 1/2) <= delta(n - 1, 1/2)", {"messages": 2, "denominator": 200}, 20),
    (GROWS, {"messages": 3, "denominator": 40}, 6),
    (PURE, {"messages": 3, "denominator": 40}, 6),
    (GROWS, {"inputs": 3, "messages": 2, "denominator": 40}, 6),
    (GROWS, {"sends": "2", "denominator": 40}, 6),
    (GROWS, {"sends": "0:1", "denominator": 40, "adjacency": "add-remove"}, 6),
)


def hunts(console, budget, which="some"):
    """Cases of a claim by the second of processor time, n = 2 to 4: in arrays of integers, and by the engine."""
    table = Table("claim", "space", "cases", "a second", "engine, a second", "ratio", title=hunts.__doc__)
    for claim, given, small in chosen(HUNTED, which, 2):
        parameters = parameters_of(
            OWN, {"claim": claim, "n": "2:4", **given, **({"denominator": small} if which == "smallest" else {})}
        )
        size = OWN.space(**parameters).size
        start = time.process_time()
        found = look(OWN, parameters, 0, size)
        together = found["cases"] / (time.process_time() - start)
        least = OWN.space(**{**parameters, "denominator": small})
        listed = [case for rank in range(least.size) if (case := least.case(rank)) is not None][-30:]
        start = time.process_time()
        for case in listed:
            OWN.decided(case, parameters)
        alone = len(listed) / (time.process_time() - start)
        told = " ".join(f"{name}={value}" for name, value in given.items())
        row = (str(found["cases"]), f"{together:.3g}", f"{alone:.3g}", f"{together / alone:.0f}")
        table.add_row(claim, told, *row)
    console.print(table)
    table = Table("search", "workers", "seconds", "ratio", "digest", title="More than one core.")
    given, alone = {"claim": GROWS, "n": "2:4", "denominator": 20 if which == "smallest" else 700}, 0.0
    command = f"--claim {GROWS} --denominator {given['denominator']}"
    for workers in chosen((1, 2), which):
        start = time.perf_counter()
        digest = hunt(OWN, OWN.name, parameters_of(OWN, given), workers=workers).digest
        taken = time.perf_counter() - start
        alone = alone or taken
        table.add_row(command, str(workers), f"{taken:.1f}", f"{alone / taken:.2f}", digest[:12])
    console.print(table)
