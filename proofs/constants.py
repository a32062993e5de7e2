"""How loose is each constant? The least one in the place of the printed one, certified at every point of a grid.

A theorem prescribes noise by a formula with a constant in it. Put c there instead: at a point of the grid the least c
that still keeps the promised (eps, delta) is enclosed in [fails, keeps], two multiples of a step next to each other (or
further apart where real datasets and the dominating pair leave a gap): with `keeps` the promise is kept by all
datasets, with `fails` it is broken by some. Found by bisection. Where more noise is never less private (adding Poisson
or negative binomial noise, flipping bits or replacing messages once more is post-processing) all c from `keeps` on will
do and none up to `fails`. For BC's coins delta is not monotone in it: nothing is said of c below `fails`, and what the
largest `keeps` of the grid does is tried at all of its points. `python -m shufflecert.proofs.constants` finds all of
them and writes constants.csv; MAP.md shows the table.
"""

import csv
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil
from pathlib import Path

from flint import arb

from shufflecert.proofs import ledger
from shufflecert.protocols.correlated import Correlated, theorem_1
from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.negative_binomial import NegativeBinomialSum, theorem_13
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision, text
from shufflecert.verify.reduce.reduction import Reduction, worst_delta
from shufflecert.verify.runs.writing import write_whole

FILE = Path(__file__).with_name("constants.csv")
BITS = 128
FINE = 2**64  # noise is rounded up to one part in so many
Point = Mapping[str, str]  # eps, delta, and n, k or Delta where they matter
HEADER = ("theorem", "point", "fails", "keeps")
TITLE = "\n# How loose is each constant?\n\n"
EXPLAINED = (
    "The least constant in place of the printed one, for the theorem as it stands otherwise, certified at every point "
    "of the grid: with the larger of two numbers all datasets keep (eps, delta) at every point, with the smaller one "
    "some dataset breaks it at the point that is named. The last column is the same at the easiest point: how much the "
    "constant depends on where one looks. `python -m shufflecert.proofs.constants` finds them again; every point is in "
    "[constants.csv](constants.csv).\n\n"
)
COLUMNS = ("statement", "noise, with the constant c", "printed", "least on the grid", "at", "grid", "at its easiest")


@dataclass(frozen=True)
class Prescription:
    """A theorem that prescribes noise: the formula with c in it, the constant that is printed, a step, and a grid.

    `promise` gives what is seen at a point with c in place of the constant, and the (eps, delta) that is promised.
    """

    name: str
    formula: str
    printed: Fraction
    step: Fraction
    grid: tuple[Point, ...]
    promise: Callable[[Point, Fraction], tuple[Reduction, Eps, Fraction]]

    def ends(self, point: Point, c: Fraction) -> tuple[bool, bool]:
        """(whether c certainly keeps the promise at the point, whether c certainly breaks it)."""
        reach, eps, bound = self.promise(point, c)
        value = worst_delta(reach, eps, enough=bound).value
        return value.high <= bound, value.low > bound

    def least(self, point: Point) -> tuple[Fraction, Fraction]:
        """[fails, keeps], by bisection between 0 and the printed constant, which must keep the promise."""
        top = ceil(self.printed / self.step)
        if not self.ends(point, top * self.step)[0]:
            raise ArithmeticError(f"{self.name}: {words(point)}: the printed constant is not shown to be enough")
        keeps = bisect_left(range(top), True, 1, key=lambda i: self.ends(point, i * self.step)[0])
        fails = keeps - 1
        if fails > 0 and not self.ends(point, fails * self.step)[1]:
            fails = bisect_left(range(keeps), True, 1, key=lambda i: not self.ends(point, i * self.step)[1]) - 1
        return fails * self.step, keeps * self.step


def _up(value: Callable[[], arb]) -> Fraction:
    with precision(BITS):
        return Fraction(ceil(dyadic(value().upper()) * FINE), FINE)


def _log(value: Fraction) -> arb:
    return ball(value).log()


def _grid(**axes: str) -> tuple[Point, ...]:
    """All combinations of the values of each axis, which are separated by blanks."""
    names = list(axes)
    return tuple(dict(zip(names, values, strict=True)) for values in product(*(axes[name].split() for name in names)))


def _asked(point: Point) -> tuple[Eps, Fraction, Fraction]:
    """eps, eps as a rational, and delta of a point."""
    return Eps.of(point["eps"]), Fraction(point["eps"]), Fraction(point["delta"])


def _coins(point: Point, c: Fraction) -> Fraction:
    _, e, bound = _asked(point)
    return _up(lambda: ball(c) * _log(2 / bound) / (ball(e) ** 2 * int(point["n"])))


def binary_sum(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """BC Theorem 11(i): s + Bin(n, p), 1 - p = c ln(2/delta) / (eps^2 n)."""
    eps, _, bound = _asked(point)
    return ZSum(1 - _coins(point, c)).reach(int(point["n"])), eps, bound


def histogram(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """BC Theorem 12(i): the same noise in every bin, for (2 eps, 2 delta)."""
    _, e, bound = _asked(point)
    return Hist(2, 1 - _coins(point, c)).reach(int(point["n"])), Eps.of(2 * e), 2 * bound


def poisson(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """GKMP Theorem 11: lam = c log(10/delta) / a^2 + 2 Delta / a, a = 1 - e^(-eps/Delta)."""
    eps, e, bound = _asked(point)
    most = int(point["Delta"])

    def lam() -> arb:
        a = 1 - (-ball(e) / most).exp()
        return ball(c) * _log(10 / bound) / a**2 + 2 * most / a

    return PoissonSum(_up(lam), most).reach(1), eps, bound


def negative_binomial(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """GKMP Theorem 13: p = e^(-eps / (10 Delta)), r = c e^(eps/Delta) log(1/delta)."""
    eps, _, bound = _asked(point)
    given = theorem_13(eps, bound, int(point["Delta"]))
    return NegativeBinomialSum(given["r"] * c / 50, given["p"], int(point["Delta"])).reach(1), eps, bound


def correlated(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """GKMP Section 4.1: D1 - D2 with 0.99 eps, D3 of Theorem 13 for the rest, with c in the place of its 50."""
    eps, _, bound = _asked(point)
    given = theorem_1(eps, bound, {})
    return Correlated(given["q"], given["r"] * c / 50, given["p"]).reach(1), eps, bound


def fake_strings(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """CZ Claim III.1: q (1 - q) = c / (nk) ((e^eps + 1)/(e^eps - 1))^2 ln(4/delta)."""
    eps, e, bound = _asked(point)
    n, k = int(point["n"]), int(point["k"])

    def flip() -> arb:
        t = ball(c) / (n * k) * ((ball(e).exp() + 1) / ball(e).expm1()) ** 2 * _log(4 / bound)
        return 2 * t / (1 + (1 - 4 * t).sqrt())

    return FakeUsers(2, k, _up(flip)).reach(n), eps, bound


def response(point: Point, c: Fraction) -> tuple[Reduction, Eps, Fraction]:
    """BBGN Theorem 3.1, its first term alone: gamma = c k log(2/delta) / ((n - 1) eps^2)."""
    eps, e, bound = _asked(point)
    n, k = int(point["n"]), int(point["k"])
    return KRR(k, _up(lambda: ball(c) * k * _log(2 / bound) / ((n - 1) * ball(e) ** 2))).reach(n), eps, bound


DELTAS = "1/2 1e-2 1e-6 1e-12"
PRESCRIPTIONS = (
    Prescription(
        "BC-thm-11-i",
        "1 - p = c ln(2/delta) / (eps^2 n)",
        Fraction(50),
        Fraction(1, 20),
        _grid(n="1000000", eps="1 1/2 1/10", delta=DELTAS),
        binary_sum,
    ),
    Prescription(
        "BC-thm-12-i",
        "the same noise for (2 eps, 2 delta)",
        Fraction(50),
        Fraction(1, 20),
        _grid(n="1000000", eps="1 1/2 1/10", delta="1/4 1e-2 1e-6 1e-12"),
        histogram,
    ),
    Prescription(
        "GKMP-thm-11",
        "lam = c log(10/delta) / a^2 + 2 Delta / a, a = 1 - e^(-eps/Delta)",
        Fraction(16),
        Fraction(1, 20),
        _grid(Delta="1 10", eps="3 1 1/10", delta=DELTAS),
        poisson,
    ),
    Prescription(
        "GKMP-thm-13",
        "r = c e^(eps/Delta) log(1/delta), p = e^(-eps / (10 Delta))",
        Fraction(50),
        Fraction(1, 20),
        _grid(Delta="1 10", eps="3 1 1/10", delta=DELTAS),
        negative_binomial,
    ),
    Prescription(
        "GKMP-thm-1",
        "D3 of Theorem 13 for eps/100, delta2 = delta e^(-0.99 eps) / 2 and Theorem 18's Delta, c for its 50",
        Fraction(50),
        Fraction(1, 100),
        _grid(eps="2 1", delta="1e-6 1e-12"),
        correlated,
    ),
    Prescription(
        "CZ-claim-iii.1-stripped",
        "q (1 - q) = c / (nk) ((e^eps + 1)/(e^eps - 1))^2 ln(4/delta)",
        Fraction(33, 5),
        Fraction(1, 20),
        _grid(n="1000", k="30", eps="3 1 1/2", delta=DELTAS),
        fake_strings,
    ),
    Prescription(
        "BBGN-thm-3.1-stripped",
        "gamma = c k log(2/delta) / ((n - 1) eps^2), without its other term",
        Fraction(14),
        Fraction(1, 20),
        _grid(n="10000", k="2 3", eps="1 1/2", delta="1e-2 1e-6 1e-12"),
        response,
    ),
)


def words(point: Point) -> str:
    """A point in words: "n = 1000000, eps = 1, delta = 1e-6"."""
    return ", ".join(f"{name} = {value}" for name, value in point.items())


@dataclass(frozen=True)
class Row:
    """What was found at one point of a theorem's grid."""

    theorem: str
    point: str
    fails: Fraction
    keeps: Fraction


def found(prescriptions: Iterable[Prescription] = PRESCRIPTIONS) -> list[Row]:
    """The least constants at every point of every grid, computed."""
    return [Row(one.name, words(point), *one.least(point)) for one in prescriptions for point in one.grid]


@cache
def stored() -> tuple[Row, ...]:
    """What constants.csv holds."""
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return tuple(Row(row["theorem"], row["point"], Fraction(row["fails"]), Fraction(row["keeps"])) for row in rows)


def written(rows: Iterable[Row]) -> str:
    """The text of constants.csv."""
    lines = [",".join(HEADER)]
    lines += [f'{row.theorem},"{row.point}",{text(row.fails)},{text(row.keeps)}' for row in rows]
    return "\n".join(lines) + "\n"


def extremes(name: str) -> tuple[Row, Row]:
    """The hardest point of a theorem's grid and the easiest one."""
    rows = [row for row in stored() if row.theorem == name]
    return max(rows, key=lambda row: (row.keeps, row.fails)), min(rows, key=lambda row: (row.keeps, row.fails))


def shown(row: Row) -> str:
    """The two multiples of the step that enclose the least constant, as decimals."""
    return f"{float(row.fails):g} to {float(row.keeps):g}"


def table() -> str:
    """The table in Markdown that MAP.md shows, from what is stored."""
    rows = []
    for one in PRESCRIPTIONS:
        worst, easiest = extremes(one.name)
        axes = {name: list(dict.fromkeys(point[name] for point in one.grid)) for name in one.grid[0]}
        grid = "; ".join(f"{name} = {', '.join(values)}" for name, values in axes.items())
        cells = (f"`{one.name}`", one.formula, text(one.printed), f"**{shown(worst)}**", worst.point, grid)
        rows.append((*cells, f"{shown(easiest)}: {easiest.point}"))
    return TITLE + EXPLAINED + ledger.table(COLUMNS, rows)


if __name__ == "__main__":
    write_whole(FILE, written(found()))
