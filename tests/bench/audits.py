"""Audits of everything that the repository knows to audit, each beside what it said before it began.

`python -m tests.bench.audits [NAME ...]`: the gallery's entries and the corpus' samplers, with the command's defaults.
`make bench` takes every eighth of them, some 24, and all with --all: 188 audits took an hour beside other work.
"""

import os
import sys
import time
from fractions import Fraction

from rich.console import Console
from rich.table import Table

from shufflecert.protocols.gallery import GALLERY
from shufflecert.verify.audit.audit import LARGE, audit, foreseen
from shufflecert.verify.audit.patience import PATIENCE
from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.exact.epsilon import Eps
from tests.bench.measure import chosen
from tests.corpus import SAMPLES

NS, EPS = [1, 2, 3], tuple(Eps.of(Fraction(i, 2)) for i in range(5))
SHOWN = 12  # the slowest


STEP = 8  # of the audits of a bench that does not take all


def named():
    """(name, what gives its randomizer and the mass not followed): the corpus and the gallery."""
    for sample in [*{sample.function: sample for sample in SAMPLES}.values()]:
        yield sample.name, lambda sample=sample: followed(sample)
    for entry in GALLERY:
        yield entry.name, lambda entry=entry: (entry.randomizer(), Fraction(0))


def followed(sample):
    """The law of a sampler, as `audit` follows it."""
    found = enumerate_sampler(sample.function, sample.inputs, residual=sample.residual)
    return found.randomizer, max(found.residual.values())


def seconds():
    """Of processor time, of this process."""
    used = os.times()
    return used.user + used.system


def audits(console, budget, which="some", names=()):
    """Audits with the defaults (three numbers of users, and 10^4): seconds of processor time, and what was foreseen."""
    rows, late = [], []
    for name, law in chosen(named(), which, STEP):
        if names and name not in names:
            continue
        try:
            start, begun = seconds(), time.perf_counter()
            randomizer, residual = law()
            expected = foreseen(randomizer, [*NS, LARGE], len(EPS))
            audit(randomizer, NS, EPS, residual=residual)
        except ValueError as refused:
            rows.append((seconds() - start, 0.0, 0.0, f"{name}: {refused}"[:60]))
            continue
        taken = seconds() - start
        rows.append((taken, time.perf_counter() - begun, float(expected.seconds), name))
        if taken > PATIENCE >= expected.seconds:
            late.append(name)
        print(f"{taken:6.1f} {float(expected.seconds):6.0f} {name}", file=sys.stderr, flush=True)
    table = Table("audit", "seconds", "by the clock", "foreseen", title=audits.__doc__)
    for taken, clock, expected, name in sorted(rows, reverse=True)[:SHOWN]:
        table.add_row(name, f"{taken:.1f}", f"{clock:.1f}", f"{expected:.0f}" if expected > PATIENCE else "no word")
    console.print(table)
    console.print(f"{len(rows)} audits; over {PATIENCE} s without a word before: {', '.join(late) or 'none'}")


if __name__ == "__main__":
    audits(Console(width=120), 0, which="all", names=sys.argv[1:])
