"""Tables about which nothing is proved: how close eps is closed in, beside the plain blanket and its FFT in floats.

`python -m tests.bench.strangers` writes docs/reference/strangers.md: one run, two processes at a time, all figures of
the machine that it ran on; with names of kinds, such as "copies", only their rows are measured, the others stay. Every
table is drawn from a seed. What is asked is the smallest eps at delta = 10^-6.
"""

import math
import os
import random
import resource
import signal
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

from rich.table import Table

from tests.bench.measure import chosen, measure
from tests.random_tables import LINES as KINDS
from tests.random_tables import line_table as table

BOUND = Fraction(1, 10**6)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "strangers.md"
MORE = ("gaps inside", "one of three or four", "two kinds of messages")  # of the last two more than one number matters
WIDE = {  # kinds with many inputs, or where many numbers matter, and how many inputs
    "up to three copies": (8,),
    "one of four": (8,),
    "three kinds of messages": (2, 3, 5),
    "RAPPOR bits": (4,),  # four bits, messages of their own
    "local hashing": (4,),  # 3 hashes, 3 values
    "truncated Laplace": (3,),  # 41 levels, for inputs -3, 0, 3
    "truncated Gaussian": (2,),  # 21 levels, for inputs -2, 2
    "subset selection": (6,),  # 2 of 6
    "randomized response": (4,),  # eps0 = 8
}
SIZES = ((10**4, (2, 3, 4), (1, 2)), (10**6, (2,), (1, 2)))  # n, with numbers of inputs and seeds
ALL = (*KINDS, *MORE, *WIDE)
LIMIT, PATIENCE, MOST = 30.0, 60.0, 120.0  # CPU seconds: on a line; where more numbers matter, with two inputs or more
HEAD = """# Benchmarks on random randomizers

Random randomizers without a theorem of their own, and how closely the smallest eps at delta = 1e-6 is bounded: the
upper bound over the lower bound, so that 1.001 is an answer to a tenth of a percent. Written by
`python -m tests.bench.strangers`: {tables} tables, on {cores} shared cores (Python {python}); seconds are of CPU time.
Last measured, in {minutes:.0f} minutes, the others before: {kinds}.
Each question had {limit:.0f} seconds (of two kinds where more than one number matters, {patience:.0f} with two inputs
and {most:.0f} with more; {patience:.0f} of the kinds from "up to three copies" on) and was then stopped as Ctrl-C stops
it, with the interval reached so far: `epsilon` has no such limit of its own. "The blanket" and "its FFT" are upper
bounds over the same lower bound: the first is proved, the second is a sum in floats that proves nothing. "none": no
finite upper bound in that time; "no eps": it is shown that none is enough. MiB is the peak of a process, Python and
libraries included (about 60).

"""


def drawn(kind, inputs, seed):
    """A random table of one of the kinds: {input: {tuple of messages: probability}}."""
    if kind in KINDS:
        return table(seed, kind, inputs)
    if kind in WIDE:
        return wide(kind, inputs, seed)
    rng = random.Random(f"{seed} {kind} {inputs}")
    if kind == "gaps inside":
        outputs = [("a",) * i for i in range(5)]
    elif kind == "one of three or four":
        outputs = [(message,) for message in "abcd"[: rng.choice((3, 4))]]
    else:
        outputs = [("a",) * i + ("b",) * j for i in range(3) for j in range(3 - i)]
    rows = {}
    for x in range(inputs):
        weights = [rng.randint(1, 9) for _ in outputs]
        if kind == "gaps inside":  # all send the least and the most, as in BC Claim 20
            weights[1:-1] = [w if rng.random() < 0.6 else 0 for w in weights[1:-1]]
        rows[str(x)] = {sent: Fraction(w, sum(weights)) for sent, w in zip(outputs, weights, strict=True) if w}
    return rows


def wide(kind, inputs, seed):
    """A table of one of the kinds with many inputs, or where many numbers matter."""
    rng, rows = random.Random(seed), {}
    hashes = [[random.Random(f"{seed} {i} {x}").randrange(3) for x in range(4)] for i in range(3)]
    two = [tuple(some) for count in range(3) for some in combinations_with_replacement("abc", count)]
    for x in range(inputs):
        if kind == "RAPPOR bits":
            row = {}
            for bits in product((0, 1), repeat=4):
                chances = [Fraction(2, 3) if j == x else Fraction(1, 4) for j in range(4)]
                sent = tuple(str(j) for j, bit in enumerate(bits) if bit)
                row[sent] = math.prod(p if bit else 1 - p for p, bit in zip(chances, bits, strict=True))
        elif kind == "local hashing":
            row = {(f"{i}:{v}",): 3 if hashes[i][x] == v else 1 for i in range(3) for v in range(3)}
        elif kind == "truncated Laplace":
            row = {(str(k),): Fraction(4, 5) ** abs(k - 3 * (x - 1)) for k in range(-20, 21)}
        elif kind == "truncated Gaussian":
            row = {(str(k),): int(math.exp(-((k + 2 - 4 * x) ** 2) / 8) * 10**6) + 1 for k in range(-10, 11)}
        elif kind == "subset selection":
            row = {(f"{a}{b}",): 3 if x in (a, b) else 1 for a, b in combinations(range(6), 2)}
        elif kind == "randomized response":
            row = {(str(k),): 2981 if k == x else 1 for k in range(4)}
        else:
            copies = [("a",) * count for count in range(4)]
            sent = {"up to three copies": copies, "one of four": [(m,) for m in "abcd"], "three kinds of messages": two}
            row = {one: rng.randint(1, 9) for one in sent[kind]}
        whole = sum(row.values())
        rows[str(x)] = {one: Fraction(weight) / whole for one, weight in row.items()}
    return rows


def within(seconds, function, *arguments):
    """(what the function returns, CPU seconds); None in its place where it takes longer, and is stopped by Ctrl-C."""

    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGPROF, stop)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        found = function(*arguments)
    except KeyboardInterrupt:
        found = None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found, time.process_time() - start


def smallest(kind, inputs, seed, n, limit):
    """(low, high, whether it was stopped) of the smallest eps as `epsilon` finds it, None for no end, CPU seconds."""
    from shufflecert.verify.decide.worst_case import epsilon
    from shufflecert.verify.exact.randomizer import Randomizer

    found, seconds = within(limit, epsilon, Randomizer.of(drawn(kind, inputs, seed)), n, BOUND)
    if found is None:  # before there was anything to say
        return Fraction(0), None, True, seconds
    ends = found.interval or (tuple(map(Fraction, found.eps.enclosure(20))) if found.eps else (None, None))
    return *ends, found.scope.stopped, seconds


def plain(kind, inputs, seed, n):
    """An upper end of eps by the blanket of all inputs, None where it has none."""
    from shufflecert.verify.exact.randomizer import Randomizer
    from shufflecert.verify.reduce.privacy_blanket import reach_of
    from shufflecert.verify.reduce.reduction import Reduction, worst_epsilon

    reach = reach_of(Randomizer.of(drawn(kind, inputs, seed)), n)
    return worst_epsilon(Reduction(reach.dominating, "the blanket"), BOUND)[1]


def transform(kind, inputs, seed, n):
    """The same bound by an FFT in doubles: no proof, None where it has no end."""
    import numpy

    rows = [{tuple(sorted(sent)): float(p) for sent, p in row.items()} for row in drawn(kind, inputs, seed).values()]
    sent = sorted({output for row in rows for output in row})
    laws = numpy.array([[row.get(output, 0.0) for output in sent] for row in rows])
    least = laws.min(axis=0)
    cells = 1 << (16 if n <= 10**5 else 20)

    def delta(p, q, t):
        excess, inside = p - t * q, least > 0
        alone = numpy.maximum(excess[~inside], 0).sum()
        values, weights = excess[inside] / least[inside], least[inside]
        mean = values @ weights
        spread = (values**2 @ weights - mean**2) ** 0.5
        step = (28 * spread * n**0.5 + 4 * abs(values).max(initial=0)) / cells or 1.0
        whole = numpy.floor(values / step).astype(int)
        part = values / step - whole  # split between two multiples: the mean stays, so that the bound holds
        law = numpy.zeros(cells)
        numpy.add.at(law, whole % cells, weights * (1 - part))
        numpy.add.at(law, (whole + 1) % cells, weights * part)
        law[0] += 1 - weights.sum()
        total = numpy.fft.irfft(numpy.fft.rfft(law) ** n, cells)
        start = round(n * mean / step) - cells // 2
        places = start + (numpy.arange(cells) - start) % cells
        return alone + numpy.maximum(places * step, 0) @ total / n

    best = 0.0
    for p, q in ((p, q) for p in laws for q in laws if p is not q):
        if p[(least == 0) & (q == 0)].sum() > BOUND:
            return None
        if delta(p, q, numpy.exp(best)) <= BOUND:
            continue
        high = max(1e-3, 2 * best)
        while delta(p, q, numpy.exp(high)) > BOUND:
            if high > 40:
                return None
            best, high = high, 2 * high
        while high > best * 1.00001:
            middle = (best + high) / 2
            best, high = (middle, high) if delta(p, q, numpy.exp(middle)) > BOUND else (best, middle)
    return best


def baselines(kind, inputs, seed, n, limit):
    """Of the plain blanket and its FFT each (upper end, CPU seconds, MiB)."""
    found = []
    for job in (transform, plain):
        value, seconds = within(limit, job, kind, inputs, seed, n)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found.insert(0, (value, seconds, memory))
    return found


def rows(only=ALL, sizes=SIZES):
    """Measure every table: (kind, inputs, seed, n, ratio, seconds, MiB, stopped, [(ratio, seconds, MiB)] of two)."""
    asked = [(kind, i, s, n) for n, inputs, seeds in sizes for kind in (*KINDS, *MORE) for i in inputs for s in seeds]
    asked += [(kind, inputs, 1, 10**4) for kind, some in WIDE.items() for inputs in some if sizes is SIZES]
    with ThreadPoolExecutor(2) as two:
        yield from two.map(_measured, [one for one in asked if one[0] in only])


def _measured(question):
    limit, warm = LIMIT, ("one of two", 2, 1, 10, LIMIT)
    if question[0] in MORE[1:]:
        limit = PATIENCE if question[1] == 2 else MOST
    if question[0] in WIDE:
        limit = PATIENCE
    found = measure("strangers.smallest", *question, limit, warm=warm, timeout=20 * limit)
    _, memory, (low, high, stopped, seconds) = found or (0, float("nan"), (Fraction(0), None, True, limit))
    beside = measure("strangers.baselines", *question, LIMIT, warm=warm, timeout=40 * LIMIT)
    others = beside[2] if beside else [(None, LIMIT, float("nan"))] * 2
    return *question, _ratio(low, high), seconds, memory, stopped, [(_ratio(low, x), *rest) for x, *rest in others]


def _ratio(low, high):
    """high / low; 1 where both are 0, 0 where it is shown that no eps is enough, infinite where an end is not known."""
    if low is None:
        return 0.0
    if high is not None and high == low:
        return 1.0
    return float("inf") if high is None or not low else float(Fraction(high) / low)


def _shown(ratio):
    return (
        "no eps"
        if not ratio
        else "none"
        if ratio == float("inf")
        else f"{ratio:.5f}"
        if ratio < 1.1
        else f"{ratio:.3g}"
    )


def _cells(row):
    kind, inputs, seed, n, ratio, seconds, memory, stopped, others = row
    name = f"{kind}, {inputs} inputs, seed {seed}"
    shown = [name, f"{n:.0e}".replace("+0", ""), _shown(ratio) + (" (stopped)" if stopped else "")]
    shown += [f"{seconds:.1f}", f"{memory:.0f}"]
    for other, taken, used in others:
        shown += [_shown(other), f"{taken:.1f}", f"{used:.0f}"]
    return shown


COLUMNS = ("table", "n", "ratio", "seconds", "MiB", "the blanket", "seconds", "MiB", "its FFT", "seconds", "MiB")


def strangers(console, budget, which="some"):
    """A random table of each kind (docs/reference/strangers.md has more): eps at delta = 10^-6, upper over lower."""
    shown = Table(*COLUMNS, title=strangers.__doc__)
    for row in rows(chosen((*KINDS, *MORE), which, 2), [(10**4, (2,), (1,))]):
        shown.add_row(*_cells(row))
    console.print(shown)


def main():
    """Write the page."""
    only = sys.argv[1:] or [*ALL]
    start, found = time.perf_counter(), [] if not sys.argv[1:] else [row for row in written() if row[0] not in only]
    for row in rows(only):
        found.append(row)
        print(*_cells(row), sep=" | ", file=sys.stderr, flush=True)
    found.sort(key=lambda row: (row[3], ALL.index(row[0]), *row[1:3]))
    kinds = " to ".join(f'"{kind}"' for kind in dict.fromkeys((only[0], only[-1]))) if sys.argv[1:] else "all kinds"
    about = {"kinds": kinds, "most": MOST, "cores": os.cpu_count(), "python": ".".join(map(str, sys.version_info[:3]))}
    minutes = (time.perf_counter() - start) / 60
    head = HEAD.format(**about, tables=len(found), minutes=minutes, limit=LIMIT, patience=PATIENCE)
    PAGE.write_text(head + _summary(found) + _all(found))


def written():
    """The rows that the page has, as `rows` gives them, to the digits that are shown."""
    found = []
    for line in PAGE.read_text().split("## All tables")[1].splitlines()[4:]:
        name, n, ratio, *more = (cell.strip() for cell in line.strip("| ").split("|"))
        kind, inputs, seed = name.split(", ")
        numbers = [{"no eps": 0.0, "none": float("inf")}.get(cell) for cell in (ratio, more[2], more[5])]
        stopped = ratio.endswith(" (stopped)")
        ratios = [
            float(cell.split(" ")[0]) if number is None else number
            for cell, number in zip((ratio, more[2], more[5]), numbers, strict=True)
        ]
        seconds, memory, _, s, m, _, s2, m2 = (float(cell) if cell[0].isdigit() else cell for cell in more)
        others = [(ratios[1], s, m), (ratios[2], s2, m2)]
        found.append((kind, int(inputs[0]), int(seed[5:]), int(float(n)), ratios[0], seconds, memory, stopped, others))
    return found


def _summary(found):
    lines = ["## By kind", ""]
    lines += _row(
        ("n", "kind", "tables", "within 0.1%, or no eps", "median", "worst", "seconds: median", "worst", "worst row")
    )
    lines += _row(["---"] * 9)
    for n, *_ in SIZES:
        for kind in ALL:
            if not (few := [row for row in found if row[0] == kind and row[3] == n]):
                continue
            worst = max(few, key=lambda row: (round(row[4], 5), row[5]))
            close, ratios = sum(row[4] <= 1.001001 for row in few), [row[4] for row in few]
            seconds = [row[5] for row in few]
            ends = (_shown(statistics.median_high(ratios)), _shown(worst[4]))
            took = (f"{statistics.median(seconds):.1f}", f"{max(seconds):.1f}")
            name = f"{worst[1]} inputs, seed {worst[2]}"
            lines += _row((f"{n:.0e}".replace("+0", ""), kind, len(few), close, *ends, *took, name))
    return "\n".join(lines) + "\n\n"


def _all(found):
    lines = ["## All tables", "", *_row(COLUMNS), *_row(["---"] * len(COLUMNS))]
    for row in found:
        lines += _row(_cells(row))
    return "\n".join(lines) + "\n"


def _row(cells):
    return ["| " + " | ".join(map(str, cells)) + " |"]


if __name__ == "__main__":
    main()
