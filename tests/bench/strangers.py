"""Tables about which nothing is proved: how close eps is closed in, beside the plain blanket."""

from fractions import Fraction

from rich.table import Table

from tests.bench.measure import measure
from tests.test_cover import KINDS, table

BOUND = Fraction(1, 10**6)


def smallest(kind, inputs, seed, n, blanket):
    """(low, high) of eps at 10^-6, high None where none is known; low None where none will do."""
    from verify.exact.randomizer import Randomizer
    from verify.reduce.composition_reduction import line_reach
    from verify.reduce.privacy_blanket import reach_of
    from verify.reduce.reduction import worst_epsilon

    randomizer = Randomizer.of(table(seed, kind, inputs))
    return worst_epsilon((reach_of if blanket else line_reach)(randomizer, n), BOUND)[:2]


def strangers(console, budget):
    """Random tables on a line: eps at delta = 10^-6, upper end over lower end, boxes of datasets and a blanket."""
    columns = ("table", "n", "boxes: ratio", "seconds", "MiB", "blanket: ratio", "seconds", "MiB")
    shown = Table(*columns, title=strangers.__doc__)
    for kind, inputs, n in ((kind, inputs, n) for n in (10**4, 10**6) for kind in KINDS for inputs in (2, 3, 4)):
        row = [f"{kind}, {inputs} inputs", f"{n:.0e}"]
        for blanket in (False, True):
            job = ("strangers.smallest", kind, inputs, inputs, n, blanket)
            found = measure(*job, warm=("one of two", 2, 1, 10, blanket), timeout=budget)
            seconds, memory, ends = found or (budget, float("nan"), "")
            row += [_ratio(ends), f"{'' if found else '> '}{seconds:.1f}", f"{memory:.0f}"]
        shown.add_row(*row)
    console.print(shown)


def _ratio(ends):
    if not ends:
        return "given up on"
    low, high = ends
    if low is None or high == low:
        return "exact"
    return "infinite" if high is None or not low else f"{float(high / low):.5f}"
