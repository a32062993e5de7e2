"""Each part of the kernel at widths of a few bits, against exact fractions: the truth lies in what it returns.

At 3 to 12 bits every rounding counts, so that a rounding to the wrong side, a mass that is dropped or a place that is
off by one shows. All parts are functions of the kernel, and tests/kernel_mutants.py runs them against damaged ones.
"""

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

from tests import judge, judge_scale, judge_served, judge_shown, judge_tables, scale_mutants, scale_seeds
from tests.kernel_claims import both, exact_law, stick
from verify import kernel

F = Fraction
Law = dict[int, Fraction]
SIZES = range(3, 13)  # bits


def some_law(rng: random.Random, places: int = 5, gap: int = 3, unit: int = 0) -> tuple[list[tuple[int, int]], int]:
    """A random law on the integers as the kernel has it, and its unit."""
    at = sorted(rng.sample(range(-gap * places, gap * places), rng.randint(1, places)))
    weights = [rng.randint(1, 9) for _ in at]
    scale = unit or rng.choice((1, 1, 7))
    return list(zip(at, (w * scale for w in weights), strict=True)), sum(weights) * scale


def exact(line: list[tuple[int, int]], unit: int) -> Law:
    return {place: F(weight, unit) for place, weight in line}


def summed(a: Law, b: Law) -> Law:
    law: Law = Counter()
    for (x, v), (y, w) in itertools.product(a.items(), b.items()):
        law[x + y] += v * w
    return law


def some_span(k: Any, rng: random.Random, law: Law, width: int) -> Any:
    """A window of the law, with room on both sides of the weights, and with what it leaves out."""
    one, first, last = 1 << width, min(law), max(law)
    start = rng.randint(first - 1, (first + last) // 2)
    places = range(start, rng.randint(max(start, (first + last) // 2), last + 1) + 1)
    return k.Span(start, [max(math.floor(law.get(i, 0) * one) - rng.choice((0, 0, 1)), 0) for i in places], one)


def assert_in_span(span: Any, law: Law) -> None:
    """No weight is above the law's, whose weights are 1 in all."""
    assert span.weights and sum(law.values()) == 1
    for place, weight in enumerate(span.weights, span.start):
        assert 0 <= F(weight, span.unit) <= law.get(place, 0)


def loss(p: Law, q: Law, ratio: Fraction) -> Fraction:
    return stick(p, q, ratio)


def ends_around(rng: random.Random, ratio: Fraction, width: int) -> tuple[int, int, int]:
    """(low, high, scale) around e^eps, with room."""
    one = 1 << width
    return math.floor(ratio * one) - rng.choice((0, 1)), math.ceil(ratio * one) + rng.choice((0, 1)), one


def inside(found: Any, truth: Fraction) -> bool:
    least, most, whole = found
    return F(least, whole) <= truth <= F(most, whole)


def some_ratio(rng: random.Random) -> Fraction:
    return rng.choice((F(1), F(rng.randint(10, 40), 10), F(rng.randint(100, 130), 100)))


# ---- e^eps and windows ----


def exponentials(k: Any) -> None:
    rng = random.Random(1)
    for _ in range(300):
        p, q = rng.randint(1, 60), rng.randint(1, 20)
        bits, spare = rng.choice(SIZES), rng.choice((0, 1, 2, 8))
        low, high, scale = k.enclose((p, q, False), bits, k.Budget(spare=spare))
        least, most = judge.exp_bounds(F(p, q), 120)
        assert F(low, scale) < least and most < F(high, scale)
        if spare == 8 and bits > 7:
            assert F(high - low, scale) < most / 2 ** (bits - 2)


NOISES: list[Callable[[random.Random], dict[str, Any]]] = [
    lambda rng: {"law": "binomial", "n": rng.randint(1, 12), "p": (rng.randint(0, 8), 8)},
    lambda rng: {"law": "binomial", "n": rng.randint(20, 40), "p": (rng.randint(1, 9), 10)},
    lambda rng: {"law": "poisson", "lam": (rng.randint(1, 40), rng.randint(1, 5))},
    lambda rng: {"law": "negative_binomial", "r": (rng.randint(1, 9), rng.randint(1, 4)), "p": (rng.randint(1, 6), 8)},
]


def true_law(noise: dict[str, Any]) -> tuple[Law, Fraction]:
    """Pr[k] to within 2^-100, and that much above."""
    parameters = {key: F(*value) if isinstance(value, tuple) else value for key, value in noise.items()}
    if noise["law"] == "binomial":
        return exact_law({"n": noise["n"], "p": str(parameters["p"])}), F(0)
    names = sorted(key for key in noise if key != "law")
    weights, low, _ = judge_tables.weights((noise["law"], *(parameters[name] for name in names)), 100, 0)
    return {i: weight * low for i, weight in enumerate(weights)}, F(1, 2**95)


def windows(k: Any) -> None:
    rng = random.Random(2)
    for _ in range(400):
        noise = rng.choice(NOISES)(rng)
        law, hair = true_law(noise)
        width = rng.choice(SIZES)
        span = k.window(k.noise(noise), width, k.Budget())
        assert span.unit == 1 << width and span.weights
        for place, weight in enumerate(span.weights, span.start):
            assert 0 <= F(weight, span.unit) <= law.get(place, 0) + hair
        fine = k.window(k.noise(noise), 40, k.Budget())
        assert 0 <= fine.missed() <= 4 * len(fine.weights) ** 2
        assert fine.weights[0] <= 2 or fine.start == 0 or noise["law"] == "binomial"


def heavy_tails(k: Any) -> None:
    """Negative binomial laws that fall slowly: Pr[i]^d is rational for r = c/d, and what is cut off matters."""
    for r, p in itertools.product((F(1, 2), F(1, 9), F(5, 4), F(3)), (F(1, 9), F(9, 10), F(99, 100), F(199, 200))):
        law = {"law": "negative_binomial", "r": r.as_integer_ratio(), "p": p.as_integer_ratio()}
        for width in SIZES:
            span = k.window(k.noise(law), width, k.Budget())
            ratio = math.prod((r + i) * p / (i + 1) for i in range(span.start))
            for place, weight in enumerate(span.weights[:40], span.start):
                truth = ratio**r.denominator * (1 - p) ** r.numerator
                assert F(weight, span.unit) ** r.denominator <= truth, (r, p, width)
                ratio *= (r + place) * p / (place + 1)


def polynomials(k: Any) -> None:
    rng = random.Random(3)
    for _ in range(200):
        a, b = (
            [rng.choice((0, 1, rng.getrandbits(rng.choice((3, 8, 70))))) for _ in range(rng.randint(1, 9))] + [1]
            for _ in range(2)
        )
        naive = [0] * (len(a) + len(b) - 1)
        for (i, v), (j, w) in itertools.product(enumerate(a), enumerate(b)):
            naive[i + j] += v * w
        long, k.LONG = k.LONG, rng.choice((0, 100, k.LONG))  # by decimal numbers, too
        assert k.product(a, b, k.Budget()) == naive
        assert k.product(a, a, k.Budget()) == k.product(a, list(a), k.Budget())
        k.LONG = long
    long, k.LONG = k.LONG, 0
    for bits, number in (
        (94, 255),
        (336, 511),
    ):  # above 10^59 and 10^205, and just below a power of 2
        most = (1 << bits) - 1
        assert max(k.product([most] * number, [most] * number, k.Budget())) == number * most**2
    k.LONG = long


def convolutions(k: Any) -> None:
    rng = random.Random(4)
    for _ in range(600):
        laws = [exact(*some_law(rng)) for _ in range(2)]
        width = rng.choice(SIZES)
        assert_in_span(k.convolve(*(some_span(k, rng, law, width) for law in laws), k.Budget()), summed(*laws))
    sharp = [k.Span(0, [1 << 30] * 4, 1 << 32) for _ in range(2)]
    weights = [1 << 28, 2 << 28, 3 << 28, 4 << 28, 3 << 28, 2 << 28, 1 << 28]
    assert k.convolve(*sharp, k.Budget()) == k.Span(0, weights, 1 << 32)
    assert k.convolve(k.Span(3, [0, 5, 0, 7, 0, 0], 8), k.Span(1, [0, 8], 8), k.Budget()) == k.Span(6, [5, 0, 7], 8)


def powers(k: Any) -> None:
    rng = random.Random(5)
    for _ in range(250):
        line, unit = some_law(rng, rng.choice((2, 3, 4)))
        n, width, law = rng.randint(1, 6), rng.choice(SIZES), {0: F(1)}
        for _ in range(n):
            law = summed(law, exact(line, unit))
        assert_in_span(k.power(line, unit, n, width, k.Budget()), law)


def surveys(k: Any) -> None:
    rng = random.Random(6)
    for _ in range(60):
        number, unit, total = rng.randint(1, 3), 84, rng.randint(0, 4)
        lines = []
        for _ in range(number):
            places = sorted(rng.sample(range(-4, 6), rng.choice((1, 2, 3))))
            cuts = sorted(rng.sample(range(1, unit), len(places) - 1))
            lines.append(list(zip(places, (b - a for a, b in itertools.pairwise([0, *cuts, unit])), strict=True)))
        wanted = [c for c in itertools.product(range(total + 1), repeat=number) if sum(c) == total]
        found = dict(k.survey(lines, unit, wanted, rng.choice(SIZES), k.Budget()))
        assert sorted(found) == wanted
        for counts, span in found.items():
            law = {0: F(1)}
            for line, count in zip(lines, counts, strict=True):
                for _ in range(count):
                    law = summed(law, exact(line, unit))
            assert_in_span(span, law)


def line_pairs(k: Any) -> None:
    rng = random.Random(7)
    for _ in range(400):
        others = exact(*some_law(rng))
        users = []
        for _ in range(2):
            places = sorted(rng.sample(range(-3, 4), rng.randint(1, 3)))
            cuts = sorted(rng.sample(range(1, 60), len(places) - 1))
            users.append(list(zip(places, (b - a for a, b in itertools.pairwise([0, *cuts, 60])), strict=True)))
        span = some_span(k, rng, others, rng.choice(SIZES))
        atoms, lost, whole = k.line_pair(span, *users, 60, k.Budget())
        start = span.start + min(min(user)[0] for user in users)
        laws = [summed(others, exact(user, 60)) for user in users]
        for i, seen in enumerate(atoms):
            assert all(F(weight, whole) <= law.get(start + i, F(0)) for weight, law in zip(seen, laws, strict=True))
        assert all(1 - F(sum(column), whole) <= F(lost, whole) for column in zip(*atoms, strict=True))
        ratio = some_ratio(rng)
        width = rng.choice(SIZES)
        assert inside(
            k.divergence((atoms, lost, whole), None, ends_around(rng, ratio, width), k.Budget()), loss(*laws, ratio)
        )


def lines(k: Any) -> None:
    """Laws on a line of multisets: the places are counted from the first outcome on, towards the next that differs."""
    rng = random.Random(25)
    for _ in range(150):
        step = {"a": rng.choice((1, 2, 3)), "b": rng.choice((-2, -1, 0, 1, 4)), "c": rng.choice((-1, 0, 5))}
        shrink, origin = math.gcd(*step.values()), {"a": rng.choice((6, 60)), "b": 60, "c": 60}
        laws, found = dict[str, Any](), dict[str, Any]()
        for name in "xyz":
            found[name] = [place for place in some_law(rng, 3, 2)[0] if origin["a"] == 60 or place[0] >= -2]
            found[name] = found[name] or [(0, 1)]
            rng.shuffle(found[name])
            outcomes = ({m: origin[m] + place * step[m] // shrink for m in step} for place, _ in found[name])
            shown = [tuple(sorted((m, count) for m, count in outcome.items() if count)) for outcome in outcomes]
            laws[name] = dict(zip(shown, (weight for _, weight in found[name]), strict=True))
        seen = [place for law in found.values() for place, _ in law]
        unit = math.gcd(*(place - seen[0] for place in seen)) or 1
        places = {x: sorted(((place - min(seen)) // unit, weight) for place, weight in found[x]) for x in found}
        assert k.line(SimpleNamespace(laws=laws), k.Budget()) == places
        laws["y"] = laws["y"] | {(("a", 60), ("b", 61), ("c", 60)): 1, (("d", 1),): 1, (("e", 1),): 1}
        assert k.line(SimpleNamespace(laws=laws), k.Budget()) is None


def planes(k: Any) -> None:
    """Laws in a plane of multisets: places are what an affine map that loses nothing makes of the points."""
    rng = random.Random(27)
    for _ in range(150):
        ways = [[rng.choice((0, 0, 1, 2, -1)) for _ in "abcd"] for _ in range(2)]
        minors = (p * s - q * r for (p, r), (q, s) in itertools.combinations(zip(*ways, strict=True), 2))
        points = rng.sample([(u, v) for u in range(4) for v in range(4)], 6)
        corner = next(((a, b) for a, b in itertools.pairwise(points[1:]) if _turn(points[0], a, b)), None)
        if not any(minors) or corner is None:
            continue
        laws: dict[str, Any] = {"x": {}, "y": {}}
        for i, (u, v) in enumerate(points):
            counts = [30 + u * a + v * b for a, b in zip(*ways, strict=True)]
            laws["xy"[i % 2]][tuple((m, c) for m, c in zip("abcd", counts, strict=True))] = i + 1
        found = k.line(SimpleNamespace(laws=laws), k.Budget())
        at = {points[weight - 1]: place for law in found.values() for place, weight in law}
        assert [len(found[x]) for x in "xy"] == [3, 3] and min(map(min, at.values())) == 0
        o, (a, b) = points[0], corner
        whole, image = _turn(o, a, b), [at[o], at[a], at[b]]
        for point, place in at.items():  # barycentric coordinates
            parts = _turn(point, a, b), _turn(o, point, b), _turn(o, a, point)
            assert [whole * c for c in place] == [
                sum(part * end[i] for part, end in zip(parts, image, strict=True)) for i in (0, 1)
            ]
        assert _turn(*image)
        laws["x"][(("a", 30), ("b", 30), ("c", 30), ("d", 30), ("e", 1))] = 1
        laws["y"][(("a", 30), ("b", 30), ("c", 30), ("d", 30), ("f", 1))] = 1
        assert k.line(SimpleNamespace(laws=laws), k.Budget()) is None


def _turn(a: Any, b: Any, c: Any) -> int:
    """Twice the area of a triangle, with its sign."""
    return int((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def rectangles(k: Any) -> None:
    """Sums in a plane, place by place against their definition, and which rows and columns are left out."""
    rng = random.Random(28)
    for _ in range(200):
        spans, unit = [], 1 << 6
        for _ in range(2):
            row, high = rng.randint(1, 4), rng.randint(1, 4)
            spans.append(k.Span(0, [rng.choice((0, 0, 1, 3, 40)) for _ in range(row * high - 1)] + [9], unit, row))
        if rng.random() < 0.2:
            spans[1] = spans[0]
        places: Any = Counter()
        for ends in itertools.product(*([(n % s.row, n // s.row, w) for n, w in enumerate(s.weights)] for s in spans)):
            places[ends[0][0] + ends[1][0], ends[0][1] + ends[1][1]] += ends[0][2] * ends[1][2]
        wide, high = (1 + max(place[i] for place in places) for i in (0, 1))
        rows = [[places[i, j] >> 6 for i in range(wide)] for j in range(high)]
        while len(rows) > 1 and sum(rows[-1]) < wide and any(sum(row) >= wide for row in rows):
            rows.pop()
        while len(rows) > 1 and sum(rows[0]) < wide and any(sum(row) >= wide for row in rows):
            rows.pop(0)
        found = k.convolve(*spans, k.Budget())
        if any(sum(row) >= wide for row in rows):
            columns = list(zip(*rows, strict=True))
            thick = [i for i, column in enumerate(columns) if sum(column) >= len(rows)]
            if thick:
                kept = [weight for row in rows for weight in row[thick[0] : thick[-1] + 1]]
                assert found == k.Span(0, kept, unit, thick[-1] - thick[0] + 1)
        assert sum(found.weights) <= sum(map(sum, rows)) and len(found.weights) % found.row == 0


def plane_roads(k: Any) -> None:
    """delta(eps) of pairs of datasets in a plane by windows, against the sum of its definition."""
    rng = random.Random(29)
    long = k.LONG
    for _ in range(60):
        unit, others, laws = rng.choice((6, 12)), rng.randint(0, 4), dict[str, Any]()
        for name in "xyz":
            at = rng.sample([(u, v) for u in range(3) for v in range(3)], rng.choice((1, 2, 3, 4)))
            cuts = sorted(rng.sample(range(1, unit), len(at) - 1))
            laws[name] = dict(zip(at, (b - a for a, b in itertools.pairwise([0, *cuts, unit])), strict=True))
        ratio = rng.choice((some_ratio(rng), F(1), F(3)))
        shown = {
            x: {tuple((m, c) for m, c in zip("ab", at, strict=True) if c): weight for at, weight in law.items()}
            for x, law in laws.items()
        }
        said = SimpleNamespace(others=others, unit=unit, eps=(*ratio.as_integer_ratio(), True), laws=shown)
        lines = k.line(said, k.Budget())
        if not isinstance(lines["x"][0][0], tuple):
            continue
        k.LONG = rng.choice((0, long))
        counts = [c for c in itertools.product(range(others + 1), repeat=3) if sum(c) == others]
        cases = [
            (c, *ends) for c in rng.sample(counts, min(2, len(counts))) for ends in itertools.permutations("xyz", 2)
        ]
        spare, bits = rng.choice((0, 8)), rng.choice((3, 8, 40))
        windows = dict(k.line_road(said, [lines[x] for x in "xyz"], lines, k.Budget(spare=spare))(cases, bits))
        assert windows.keys() == set(cases)
        points = {x: exact([(100 * u + v, weight) for (u, v), weight in laws[x].items()], unit) for x in laws}
        for case in cases:
            law = {0: F(1)}
            for name, count in zip("xyz", case[0], strict=True):
                for _ in range(count):
                    law = summed(law, points[name])
            p, q = (summed(law, points[name]) for name in case[1:])
            assert inside(windows[case], loss(p, q, ratio))
            if bits == 40:
                assert windows[case][1] - windows[case][0] <= windows[case][2] >> 24
    k.LONG = long


def roads(k: Any) -> None:
    """delta(eps) of pairs of datasets by windows and by products, against the sum of their definition."""
    rng = random.Random(26)
    for _ in range(60):
        unit, others, lines = rng.choice((2, 12)), rng.randint(1, 3), dict[str, Any]()
        for name in "xyz":
            at = sorted(rng.sample(range(10), rng.choice((1, 2, 2, 3)) if unit > 2 else rng.choice((1, 2))))
            cuts = sorted(rng.sample(range(1, unit), len(at) - 1))
            weights = [b - a for a, b in itertools.pairwise([0, *cuts, unit])]
            lines[name] = list(zip(at, weights, strict=True))
        lines["x"] = rng.choice((lines["x"], lines["y"]))
        laws = {x: {(("m", place),) if place else (): weight for place, weight in lines[x]} for x in lines}
        ratio = rng.choice((some_ratio(rng), F(1), F(3)))
        said = SimpleNamespace(others=others, unit=unit, eps=(*ratio.as_integer_ratio(), True), laws=laws)
        counts = [c for c in itertools.product(range(others + 1), repeat=3) if sum(c) == others]
        cases = [(c, *ends) for c in rng.sample(counts, 2) for ends in itertools.permutations("xyz", 2)]
        spare, kinds = rng.choice((0, 8)), [lines[x] for x in "xyz"]
        by_windows = k.line_road(said, kinds, lines, k.Budget(spare=spare))
        exactly = k.exact_road(said, list(laws.values()), k.Budget())
        windows = dict(by_windows(cases, rng.choice((3, 8, 40))))
        products = dict(exactly(sorted(cases), 20))
        assert windows.keys() == products.keys() == set(cases)
        for case in cases:
            law = {0: F(1)}
            for name, count in zip("xyz", case[0], strict=True):
                for _ in range(count):
                    law = summed(law, exact(lines[name], unit))
            p, q = (exact(lines[name], unit) for name in case[1:])
            truth = loss(summed(law, p), summed(law, q), ratio)
            assert (
                inside(windows[case], truth)
                and products[case][0] == products[case][1]
                and inside(products[case], truth)
            )
            if all(weight <= ratio * q.get(place, 0) for place, weight in p.items()):
                assert windows[case][:2] == (0, 0)


# ---- divergences ----


def sticks(k: Any) -> None:
    """The sorted sum against the double one, with zeros and ties."""
    rng = random.Random(8)
    for _ in range(400):
        a, b = (
            [
                (rng.choice((0, 1, 2, rng.randint(0, 9))), rng.choice((0, 1, 2, rng.randint(0, 9))))
                for _ in range(rng.randint(0, 6))
            ]
            for _ in range(2)
        )
        scale, ratio = rng.randint(1, 9), rng.randint(1, 12)
        naive = sum(max(scale * x * u - ratio * y * v, 0) for (x, y), (u, v) in itertools.product(a, b))
        assert k.hockey_stick(a, b, scale, ratio, k.Budget()) == naive


def some_pair(k: Any, rng: random.Random, p: list[Fraction], q: list[Fraction], width: int) -> Any:
    """The atoms of two laws, rounded down; the last few may be missing."""
    one, kept = 1 << width, rng.randint(1, len(p))
    atoms = [(math.floor(x * one), math.floor(y * one)) for x, y in zip(p[:kept], q[:kept], strict=True)]
    return atoms, one - min(map(sum, zip(*atoms, strict=True))), one


def divergences(k: Any) -> None:
    """Of a pair, and of the product of one with another's reverse."""
    rng = random.Random(9)
    for _ in range(500):
        size, pairs, laws = rng.randint(1, 5), [], []
        for _ in range(2):
            two = []
            for _ in range(2):
                weights = [rng.choice((0, 1, rng.randint(1, 20))) for _ in range(size)] + [1]
                two.append([F(w, sum(weights)) for w in weights])
            laws.append(two)
            pairs.append(some_pair(k, rng, *two, rng.choice(SIZES)))
        ratio = some_ratio(rng)
        ends = ends_around(rng, ratio, rng.choice(SIZES))
        (p, q), (u, v) = ([dict(enumerate(law)) for law in two] for two in laws)
        assert inside(k.divergence(pairs[0], None, ends, k.Budget()), stick(p, q, ratio))
        found = k.divergence(pairs[0], pairs[1], ends, k.Budget())
        assert inside(found, stick(both(p, v), both(q, u), ratio))


def small_mechanisms(rng: random.Random) -> dict[str, Any]:
    """A mechanism that the judge computes quickly, as text."""
    part = f"{rng.randint(1, 6)}/7"
    noise = rng.choice(
        (
            scale_seeds.binomial(rng.randint(1, 7), part),
            scale_seeds.poisson(f"{rng.randint(1, 9)}/2"),
            scale_seeds.negative_binomial(f"{rng.randint(1, 7)}/3", f"{rng.randint(1, 3)}/5"),
        )
    )
    laplace = scale_seeds.discrete_laplace(part)
    return rng.choice(
        (
            scale_seeds.count(rng.choice((noise, laplace)), rng.randint(1, 4)),
            scale_seeds.count(scale_seeds.binomial(rng.choice((600, 2)), "1/2"), rng.randint(1, 4)),
            scale_seeds.count(noise, rng.randint(1, 4)),
            scale_seeds.histogram(rng.choice((noise, laplace))),
            scale_seeds.strings(f"{rng.randint(1, 5)}/10", rng.randint(1, 6)),
            scale_seeds.correlated(f"{rng.randint(1, 3)}/6", noise),
            scale_seeds.correlated(f"{rng.randint(1, 2)}/6", scale_seeds.poisson("1/2"), buckets=2),
        )
    )


def truths() -> list[tuple[Any, tuple[str, Fraction], Fraction, Fraction]]:
    """(a mechanism, eps, its largest delta(eps) from below, from above)."""
    rng, found = random.Random(10), []
    while len(found) < 150:
        seen = small_mechanisms(rng)
        eps = rng.choice((("log", some_ratio(rng)), ("exp", F(rng.randint(1, 12), 8))))
        fields = judge_scale.mechanism(scale_seeds.read(seen))
        try:
            low, high = judge_scale.largest(fields, eps, 60)
        except judge.TooBigError:
            continue
        found.append((seen, eps, low, high))
    return found


TRUTHS = truths()


def as_kernel_eps(eps: tuple[str, Fraction]) -> tuple[int, int, bool]:
    return *eps[1].as_integer_ratio(), eps[0] == "log"


def mechanisms(k: Any) -> None:
    """Every view and law at few bits, against the judge's tables, which are sums of the definitions."""
    rng = random.Random(11)
    for seen, eps, low, high in TRUTHS:
        read = k.either(json.loads(json.dumps(seen), parse_int=lambda text: (text,)), "", "view", k.MECHANISMS)
        for width in rng.sample(SIZES, 3):
            ends = k.enclose(as_kernel_eps(eps), width, k.Budget(spare=rng.choice((0, 3))))
            least, most, whole = k.of_mechanism(read, ends, width, k.Budget())
            assert F(least, whole) <= high and low <= F(most, whole), (seen, eps, width)
        ends = k.enclose(as_kernel_eps(eps), 60, k.Budget())
        least, most, whole = k.of_mechanism(read, ends, 60, k.Budget())
        assert F(most - least, whole) < F(1, 2**40), seen


def exact_pairs(k: Any) -> None:
    """By hand: a geometric law's two atoms, a discrete Laplace law's, and the modes of the other laws."""
    geometric = {"law": "negative_binomial", "r": (3, 3), "p": (2, 5)}
    assert k.shifted(geometric, 3, 8, k.Budget()) == ([(125, 8), (0, 117)], 0, 125)
    laplace = {"law": "discrete_laplace", "q": (1, 3)}  # over 12: 9, 1, and between them 2
    assert k.shifted(laplace, 2, 8, k.Budget()) == ([(9, 1), (1, 9), (2, 2)], 0, 12)
    modes = [({"law": "binomial", "n": 9, "p": (3, 10)}, 3), ({"law": "poisson", "lam": (7, 2)}, 3)]
    modes += [({"law": "negative_binomial", "r": (7, 2), "p": (3, 5)}, 3), (geometric | {"r": (1, 3)}, 0)]
    modes += [
        ({"law": "negative_binomial", "r": (9, 4), "p": (5, 6)}, 6),
        ({"law": "binomial", "n": 8, "p": (1, 10)}, 0),
    ]
    assert [k.noise(law).mode for law, _ in modes] == [mode for _, mode in modes]
    assert k.integer(("1000000000000000",), "", most=10**15) == 10**15
    for seen in ({"strings": ("1000000000000001",), "flip": "1/2"}, {"strings": ("0",), "flip": "1/2"}):
        try:
            k.either({"view": "strings"} | seen, "", "view", k.MECHANISMS)
        except k.Stop:
            continue
        raise AssertionError(seen)


def places(k: Any) -> None:
    """delta = 1/6, of two atoms (2, 1)/3 and (1, 2)/3 at e^eps = 3/2: what is on the other side is named."""
    seen = scale_seeds.count(scale_seeds.discrete_laplace("1/2"))
    for delta, lower, upper, verdict, place in (
        ("1/6", "0.1", "0.2", "PROVED", ""), ("1/5", "0.2", "0.3", "PROVED", "evidence.delta.lower: the largest"),
        ("1/5", "0.1", "0.1", "PROVED", "evidence.delta.upper: the largest"),
        ("1/7", "0", "1", "PROVED", "claim.delta: the"),
        ("1/6", "0", "1", "REFUTED", "claim.delta: the"), ("1/7", "0", "1", "REFUTED", ""),
    ):  # fmt: skip
        claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": "log(3/2)", "delta": delta}
        tree = scale_seeds.certificate(claim, verdict, {"delta": {"lower": lower, "upper": upper}})
        status, reason = k.check(json.dumps(tree).encode())
        assert (status, place in reason) == ("rejected" if place else "accepted", True)
        assert place or reason.endswith(": the largest of all pairs of neighbours")


def exact_column(flip: Fraction, ones: int, zeros: int) -> tuple[Law, Law]:
    law: Law = {0: F(1)}
    for chance in [1 - flip] * ones + [flip] * zeros:
        law = summed(law, {0: 1 - chance, 1: chance})
    return summed(law, {0: flip, 1: 1 - flip}), summed(law, {0: 1 - flip, 1: flip})


def columns(k: Any) -> None:
    """Two columns of a few users at few bits; small laws are exact, those of 30 users windows."""
    rng = random.Random(12)
    for _ in range(80):
        flip = F(rng.randint(1, 5), 10)
        n = rng.choice((0, 1, 3, 5, 40))
        i, j = rng.randint(0, n), rng.randint(0, n)
        box = (i, rng.randint(0, n - i)), (j, rng.randint(0, n - j))
        (p, q), (u, v) = (exact_column(flip, *counts) for counts in box)
        ratio = some_ratio(rng)
        ends = ends_around(rng, ratio, rng.choice(SIZES))
        width = rng.choice(SIZES)
        found = k.of_columns(flip.as_integer_ratio(), box, {}, ends, width, k.Budget())
        truth = stick(both(p, v), both(q, u), ratio) if n < 40 else None
        if truth is not None:
            assert inside(found, truth)
        one = k.column(flip.as_integer_ratio(), *box[0], width, k.Budget())
        assert inside(k.divergence(one, None, ends, k.Budget()), stick(p, q, ratio))
    large = k.divergence(k.column((1, 5), 30, 10, 60, k.Budget()), None, (3, 3, 2), k.Budget())
    assert inside(large, stick(*exact_column(F(1, 5), 30, 10), F(3, 2))) and large[1] - large[0] < large[2] >> 40


def column_certificates(k: Any) -> None:
    """All pairs of a few users: the largest delta, and hairs on both sides of it, are told apart or left open."""
    from tests.test_kernel_columns import certificate, table

    for users, kinds, flip, ratio in ((4, 3, F(1, 3), F(11, 10)), (4, 2, F(1, 4), F(3, 2)), (3, 3, F(2, 5), F(1))):
        deltas = table(users, kinds, flip, ratio)
        most, seen = max(deltas.values()), {"view": "columns", "flip": str(flip), "users": users, "columns": kinds}
        for (i, j), delta in deltas.items():
            for bits, spare in ((3, 0), (6, 0), (10, 2), (64, 8)):
                for claimed, verdict, allowed in (
                    (most, "PROVED", "accepted"),
                    (most - F(1, 10**6), "PROVED", "rejected"),
                    (delta, "REFUTED", "rejected"),
                    (delta - F(1, 10**6), "REFUTED", "accepted"),
                ):
                    data = certificate(seen, [i, j], ("0", "1"), f"log({ratio})", str(claimed), verdict)
                    assert k.check(data, max_bits=bits, spare=spare).status in (allowed, "undecided")
            low, high = (f"{math.floor(most * 10**6) + end}e-6" for end in (-1, 2))  # of all pairs, not of this one
            cases = ((low, F(1), "evidence.delta.upper"), (low, F(99, 100), "evidence.delta.upper"),
                     (high, most - F(1, 10**6), "claim.delta"), (high, most, ""))  # fmt: skip
            for upper, claimed, place in cases:
                data = certificate(seen, [i, j], ("0", upper), f"log({ratio})", str(claimed), "PROVED")
                status, reason = k.check(data)
                assert status == ("rejected" if place else "accepted") and (not place or place == reason.split(":")[0])
                assert place or "the named pair of neighbours, and all others in " in reason
            data = certificate(seen, [i, j], ("0", "1"), f"log({ratio})", "1", "PROVED")
            assert k.check(data).reason.endswith("the named pair of neighbours, and all others in 0 boxes")
            status, reason = k.check(data.replace(b'"lower": "0"', b'"lower": "1"'))
            assert (status, reason) == ("rejected", "evidence.delta.lower: its delta(eps) is on the other side")


def column_boxes(k: Any) -> None:
    """One pair of columns is too much, in turn: found just where it is a pair; what is undecided is asked again."""
    enclosed = k.of_columns
    for n, kinds in ((0, 2), (1, 2), (4, 2), (1, 3), (4, 3), (5, 3)):
        said = SimpleNamespace(seen={"users": n + 1, "columns": kinds, "flip": (1, 4)}, eps=(1, 1, True))
        for bad in itertools.product(range(n + 1), repeat=2):
            for unsure in (0, 1, 2):
                asked = Counter[Any]()

                def found(
                    _flip: Any, box: Any, *_: Any, n: int = n, bad: Any = bad, unsure: int = unsure, asked: Any = asked
                ) -> Any:
                    (i, zeros), (j, others) = box
                    asked[box] += 1
                    held = i <= bad[0] <= n - zeros and j <= bad[1] <= n - others
                    return (int(held and asked[box] > unsure), int(held or asked[box] <= unsure), 1)

                k.of_columns = found
                try:
                    boxes = k.boxes(said, (1, 2), "there", k.Budget())
                except k.Stop as stop:
                    assert stop.args == ("rejected", f"there: exceeded for others = [{bad[0]}, {bad[1]}]")
                    boxes = None
                k.of_columns = enclosed
                pair = sum(bad) == n if kinds == 2 else sum(bad) <= n
                assert (boxes is None) == pair and boxes in (None, sum(asked.values()))


# ---- blankets ----


def blanket_cases() -> list[tuple[Any, int, Fraction, Fraction]]:
    """(rows, n, e^eps, the lemma's bound)."""
    from tests.kernel_battery import row
    from tests.kernel_claims import UNEQUAL, blanket_bound, flips, uniform

    apart = [row("x", ("a", "1/2"), ("b", "1/4"), ("c", "1/4")), row("y", ("a", "1/4"), ("b", "1/2"), ("d", "1/4"))]
    cases = []
    for rows in (flips(F(1, 4)), uniform(3, F(1, 2)), UNEQUAL, apart):
        for n, ratio in ((1, F(1)), (3, F(5, 4)), (6, F(1)), (8, F(11, 10))):
            cases.append((rows, n, ratio, blanket_bound(rows, n, ratio)))
    return cases


BLANKETS = blanket_cases()


def blankets(k: Any) -> None:
    """At few bits, with few cells and any tilt, what is found is never below the lemma's bound."""
    from tests.kernel_claims import hints, randomized

    rng = random.Random(13)
    for rows, n, ratio, bound in BLANKETS:
        for _ in range(12):
            step, cells = rng.choice(("1/4", "1/3", "1/60", "7/9", "1")), rng.choice((6, 9, 16, 40, 100, 1000))
            tilt = rng.choice(("2", "3/2", "9/8", "4", "3"))
            evidence = hints(step, cells, tilt)
            for delta in (bound * F(999_999, 10**6), bound * F(97, 100)):
                data = randomized(rows, n, evidence, f"log({ratio})", str(delta), "PROVED")
                assert k.check(data, spare=rng.choice((0, 1, 4, 32))).status == "undecided" or delta == 0, (n, ratio)
        more = str(min(bound * F(1001, 1000), F(1)))
        data = randomized(rows, n, hints("1/60", 4096, "9/8"), f"log({ratio})", more, "PROVED")
        assert k.check(data).status == "accepted", (n, ratio)


def blanket_tails(k: Any) -> None:
    """Sixty users and few cells: what is cut off above H is large if it is bounded by less than all places."""
    from tests.kernel_claims import blanket_bound, flips, hints, randomized

    bound = blanket_bound(flips(F(9, 20)), 60, F(1))
    for tilt in ("17/16", "33/32"):
        for part, status in ((F(99, 100), "undecided"), (F(11, 10), "accepted")):
            evidence = hints("1/10", 1500, tilt)
            found = k.check(randomized(flips(F(9, 20)), 60, evidence, "0", str(bound * part), "PROVED"))
            assert found.status == status and (status != "accepted" or ": by the blanket; 1 of 2 " in found.reason)


def blanket_bounds(k: Any) -> None:
    """The bound itself, at any width, against the lemma's for every shape."""
    from tests.kernel_claims import hints, randomized

    rng = random.Random(14)
    for rows, n, ratio, bound in BLANKETS:
        found = F(0)
        for width, spare in ((3, 0), (6, 1), (12, 2), (60, 20)):
            data = randomized(rows, n, hints("1/60", 3000, "9/8"), f"log({ratio})", "1/1000", "PROVED")
            budget = k.Budget(spare=spare)
            cert = k.read(data, budget)
            every = {y for law in cert.laws.values() for y in law}
            least = {y: min(law.get(y, 0) for law in cert.laws.values()) for y in every}
            worst = F(0)
            for p, q in itertools.permutations(cert.laws.values(), 2):
                shape = tuple((p.get(y, 0), q.get(y, 0), least[y]) for y in every)
                above, below = k.blanket_bound(shape, cert, ends_around(rng, ratio, width), width, budget)
                worst = max(worst, F(above, below))
            assert worst >= bound
            found = worst
        assert found <= bound * F(1001, 1000) + F(1, 10**6)


def powers_up(k: Any) -> None:
    rng = random.Random(15)
    for _ in range(300):
        width, n = rng.choice(SIZES), rng.randint(0, 9)
        base = rng.randint(1, 5 << width)
        truth = F(base, 1 << width) ** n
        try:
            found = k.power_up(base, n, width, k.Budget())
        except k.Stop:
            assert truth > 2 ** (8 * width)
            continue
        assert F(found, 1 << width) >= truth
        if base >= 1 << width:
            assert F(found, 1 << width) <= truth * (1 + F(n + 6, 1 << width)) ** (2 * n)
    try:
        k.power_up(2 << 3, 600, 3, k.Budget())
    except k.Stop as stop:
        assert stop.args[0] == "undecided"
    else:
        raise AssertionError("2^600 is allowed at 3 bits")


# ---- whole certificates ----


def few_bits(k: Any) -> None:
    """Certificates and mutants of them at 3 to 12 bits: what is true is not rejected, what is false not accepted."""
    rng = random.Random(16)
    for data, verdict in judged():
        for _ in range(2):
            bits, spare = rng.choice(SIZES), rng.choice((0, 1, 3, 8))
            status = k.check(data, max_bits=bits, spare=spare).status
            assert status in (("accepted", "undecided") if verdict == "true" else ("rejected", "undecided")), data


@cache
def judged() -> list[tuple[bytes, str]]:
    """Small certificates of version 2, and of version 1 on a line with many users, with the judge's verdict."""
    cases = []
    for _, data in scale_mutants.mutants(77, 250):
        verdict = judge.judge(data)
        if verdict in ("true", "false") and len(data) < 5000:
            cases.append((data, verdict))
    return cases


@cache
def about_any() -> list[tuple[bytes, str]]:
    """Certificates about any randomizer, and changes of them, with what the sound kernel says, and the judge too."""
    from tests.any_certificates import changes, small

    found = []
    for tree in small():
        for _, one in [("", tree), *changes(tree)]:
            data = json.dumps(one).encode()
            found.append((data, kernel.check(data).status))
    return found


def any_randomizers(k: Any) -> None:
    """Certificates of version 3: every status is that of the sound kernel. ln 3 = 1.09861..., at a few bits too."""
    for data, status in about_any():
        found, reason = k.check(data)
        assert found == status
        if status == "accepted":
            words = ": by the bound for all randomizers" if b"PROVED" in data else ": shown by 1 pair of a randomizer"
            assert reason.endswith(words)
    exact = [data for data, status in about_any() if status == "accepted" and b"REFUTED" in data and b"log(3)" in data]
    for data, bits in itertools.product(exact[:1], (3, 6, 9, 200)):
        for local, wrong in (("1.0986", "accepted"), ("1.0987", "rejected")):
            changed = data.replace(b"log(3)", str(F(local)).encode())
            assert k.check(changed, max_bits=bits, spare=0).status != wrong


def lines_at_few_bits(k: Any) -> None:
    """Version 1 by windows alone: all compositions of flips, and of laws of three places, hairs around the largest."""
    from tests.kernel_battery import brute_force, certificate, pair, proof
    from tests.kernel_claims import LINE, THREE, flips

    enough, k.ENOUGH = k.ENOUGH, -1
    for rows, n in ((flips(F(1, 4)), 4), (flips(F(1, 3)), 5), (THREE, 3), (LINE, 3)):
        for ratio in (F(6, 5), F(1)):
            deltas = brute_force(rows, n, ratio, "shuffled")
            (a, b, others), most = max(deltas.items(), key=lambda item: item[1])
            named = pair(a, b, dict(Counter(others)))
            for bits, spare in ((3, 0), (7, 0), (12, 1), (64, 32)):
                for shift in (-1, 1):
                    claimed = most + F(shift, 10**6)
                    if claimed <= 1:
                        data = certificate(rows, n, f"log({ratio})", str(claimed), proof(named))
                        status = k.check(data, max_bits=bits, spare=spare).status
                        assert status in ("accepted" if shift > 0 else "rejected", "undecided")
                        assert bits < 64 or status != "undecided"
                low = f"{math.floor(most * 10**6) + 1}e-6"
                data = certificate(rows, n, f"log({ratio})", "1", proof(named, low))
                status = k.check(data, max_bits=bits, spare=spare).status
                assert status in ("rejected", "undecided")
    k.ENOUGH = enough


@cache
def judged_covers() -> list[tuple[bytes, str]]:
    """True certificates of covers, and mutants of them, with the judge's verdict."""
    from tests import cover_mutants
    from tests.certificate_seeds import dump

    cases = [dump(said).encode() for said in cover_mutants.seeds()]
    cases += [data for _, data in cover_mutants.mutants(78, 200) if b'"cover"' in data]
    return [(data, verdict) for data in cases if (verdict := judge.judge(data)) != "too big"]


def covers(k: Any) -> None:
    """Covers to the judge's verdict; at a few bits, by windows alone, never to the other one."""
    rng, statuses = random.Random(17), {"true": "accepted", "false": "rejected", "malformed": "malformed"}
    for data, verdict in judged_covers():
        status, reason = k.check(data)
        assert status == statuses[verdict] and ("neighbouring datasets" in reason) == (status == "accepted"), data
    enough, k.ENOUGH, little, k.LITTLE = k.ENOUGH, -1, k.LITTLE, -1
    for data, verdict in judged_covers():
        bits, spare = rng.choice(SIZES), rng.choice((0, 1, 3, 8))
        assert k.check(data, max_bits=bits, spare=spare).status in (statuses[verdict], "undecided"), data
    k.ENOUGH, k.LITTLE = enough, little


def box_corners(k: Any) -> None:
    """The corners of random trees, against the least of all compositions that are walked down the tree."""
    rng = random.Random(18)
    for _ in range(300):
        kinds, total = rng.randint(1, 4), rng.randint(0, 6)

        def grown(depth: int, kinds: int = kinds, total: int = total) -> list[Any]:
            if depth == 0 or rng.random() < 0.3:
                return [None]
            cut = f"x{rng.randrange(kinds)}", rng.randint(0, total + 1)
            return [cut, *grown(depth - 1), *grown(depth - 1)]

        nodes = grown(4)
        boxes: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for counts in itertools.product(range(total + 1), repeat=kinds):
            if sum(counts) == total:
                i, path = 0, list[int]()
                while nodes[i]:
                    more = counts[int(nodes[i][0][1:])] > nodes[i][1]
                    path.append(more)
                    i += 1
                    missing = int(more)
                    while missing:  # the first tree is passed over
                        missing += 1 if nodes[i] else -1
                        i += 1
                boxes.setdefault(tuple(path), []).append(counts)
        expected = sorted({tuple(map(min, *held, held[0])) for held in boxes.values()})
        class_of = {f"x{i}": i for i in range(kinds)}
        found = k.corners(total, [node and tuple(node) for node in nodes], class_of, kinds, k.Budget())
        assert sorted({corner for corner, _ in found}) == expected


def events(k: Any) -> None:
    """An event of which P and Q are known from below, and what either may have more: never decided wrongly."""
    rng = random.Random(19)
    for _ in range(600):
        unit = rng.choice((16, 60, 1000))
        more = rng.choice((0, 0, 1, 5))
        p, q = rng.randint(0, unit - more), rng.randint(0, unit - more)
        ratio, delta = some_ratio(rng), F(rng.randint(0, 8), 16)
        said = SimpleNamespace(eps=(*ratio.as_integer_ratio(), True), delta=delta.as_integer_ratio())
        ends = [F(p + a, unit) - ratio * F(q + b, unit) > delta for a in (0, more) for b in (0, more)]
        try:
            k.show_above(said, "there", lambda _, known=(p, q, more, unit): known, k.Budget(bits=64))
            found = {True}
        except k.Stop as stop:
            found = {False} if stop.args[0] == "rejected" and stop.args[1].startswith("there: ") else {False, True}
        assert set(ends) == found, (p, q, more, unit, ratio, delta)


def last_thresholds(k: Any) -> None:
    """The weighted sum is at its largest, or above it: P(E) is 2^-n in the one case and 0 in the other."""
    from tests.kernel_battery import pair
    from tests.kernel_claims import flips, randomized, threshold

    for n, eps in ((3, "0"), (40, "0"), (200, "1/10")):
        named = pair("0", "1", {"1": n - 1})
        for above, status in ((n - 1, "accepted"), (n, "rejected"), (n + 3, "rejected")):
            event = threshold(named, {"0": 1}, above)
            said = randomized(flips(F(1, 4)), n, event, eps, "0", "REFUTED")
            found = k.check(said)
            assert found.status == status and ("1 pair" in found.reason) == (status == "accepted"), (n, above)


@cache
def shown() -> list[tuple[dict[str, Any], str, Fraction, Fraction]]:
    """Thresholded counts, small ones and windows, with a ratio and the largest divergence, by the judge's tables."""
    rng, found = random.Random(20), []
    for _ in range(40):
        a, k, n = rng.randint(1, 9), rng.randint(2, 5), rng.randint(1, 14)
        found.append((F(a, a + rng.randint(1, 20)), k, n, some_ratio(rng)))
        found.append((F(a, a + rng.randint(1, 20)), k, n + k, F(rng.randint(2, 19), 20)))
    for k, n in ((9, 20), (18, 19), (19, 22), (30, 22)):  # a p of 400 bits: windows from m = 17 on
        found.append((F(2**398 + 1, 2**399 + 7), k, n, some_ratio(rng)))
    cases = []
    for p, k, n, ratio in found:
        tables = judge_shown.pairs("add-remove", p, k, n)
        for back in ("", "back"):
            worst = max(judge_tables.divergence(table, ratio, ratio)[0] for table in tables[:: 1 if back else 2])
            seen = {"p": p.as_integer_ratio(), "k": k, "users": n}
            cases.append((seen, back, ratio, worst))
    return cases


def thresholded_counts(k: Any) -> None:
    """The largest of thresholded counts lies in what is found, and is close where there are many bits."""
    rng = random.Random(21)
    for seen, back, ratio, worst in shown():
        for width in (rng.choice(SIZES), 80):
            found = k.of_shown(
                seen, ends_around(rng, ratio, width), bool(back), width, k.Budget(spare=rng.randint(0, 4))
            )
            assert inside(found, worst), (seen, ratio)
            assert width < 80 or (found[1] - found[0]) << 50 <= found[2]
    worst, seen = F(0), {"p": (1, 2), "k": 200, "users": 310}  # windows that begin far above 0; e^eps = 3/2
    for m in range(200, 311):
        tail = [(math.comb(m, x), 2 * math.comb(m - 1, x)) for x in range(200, m + 1)]
        worst = max(worst, F(sum(max(2 * p - 3 * q, 0) for p, q in tail), 2 << m))
    found = k.of_shown(seen, (3, 3, 2), True, 120, k.Budget())
    assert inside(found, worst) and (found[1] - found[0]) * 10**9 <= found[0]


def shown_ends(k: Any) -> None:
    """A user who is replaced: both directions at e^eps, and one at (1 - p) e^eps, which lies between its ends."""
    seen = {"p": (1, 3), "k": 2, "users": 5}
    for adjacency, eps in itertools.product(("add-remove", "replace"), ((1, 2), (7, 3))):
        asked, found, enclosed, decide = list[Any](), list[Any](), k.of_shown, k.decide_mechanism

        def fake(_seen: Any, ends: Any, back: bool, *_: Any, asked: Any = asked) -> Any:
            asked.append((ends, back))
            return (1, 2, 8) if back else (5, 7, 16)

        k.of_shown = fake
        ends = k.enclose((*eps, False), 6, k.Budget(spare=0))
        k.decide_mechanism = lambda _, find, *__, found=found, ends=ends: found.append(find(ends, 6))
        evidence = {"delta": {"lower": (0, 1), "upper": (1, 1)}}
        said = SimpleNamespace(seen=seen | {"adjacency": adjacency}, evidence=evidence, delta=(1, 1), proved=True)
        words = k.verify_shown(said, k.Budget())
        k.of_shown, k.decide_mechanism = enclosed, decide
        assert "largest" in words and [back for _, back in asked] == [True, False][: 1 + (adjacency == "replace")]
        for (low, high, scale), back in asked:
            least, most = (end * (1 if back else F(2, 3)) for end in judge.exp_bounds(F(*eps), 120))
            assert F(low, scale) < least and most < F(high, scale)
        [(least, most, whole)] = found
        assert (F(least, whole), F(most, whole)) == (F(1, 8), F(1, 4) if adjacency == "add-remove" else F(7, 16))


@cache
def about_shown() -> list[tuple[bytes, str]]:
    """Certificates of thresholded counts and changes of them, with what the sound kernel says, and the judge too."""
    from tests.test_thresholded_certificates import mutants, random_claims

    made = [json.dumps(tree).encode() for tree in (*random_claims(random.Random(22), 60), *mutants())]
    return [(data, kernel.check(data).status) for data in made]


def thresholded_certificates(k: Any) -> None:
    """Certificates of version 5: every status is that of the sound kernel."""
    for data, status in about_shown():
        found, reason = k.check(data)
        assert found == status and reason.endswith(": the largest of all pairs of neighbours") == (status == "accepted")


def grown(tree: Any, path: tuple[Any, ...] = ()) -> Any:
    """Every place in a tree, with what stands there."""
    yield path, tree
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        yield from grown(value, (*path, key))


OTHERS = [None, True, 1.5, 7, "x", [], {}, ["x", 1]]
NUMBERS = [0, 1, 2, 10**6, 10**6 + 1, 10**9, 10**9 + 1, 10**15, 10**15 + 1, 2**32, 2**32 + 1]
WRITTEN = ["", "0", "1", "1/2", "2", "2/4", "3/2", "5/7", "20001/2", "log(1)", "log(1/2)", "01", "-1", "0.5", "5e-1"]


def instead(value: Any) -> list[Any]:
    """What is written in the place of a value: other kinds of values, and neighbours of its own kind."""
    if isinstance(value, dict):
        fewer = [{key: value[key] for key in value if key != without} for without in value]
        return [*OTHERS, value | {"more": 1}, *fewer]
    if isinstance(value, list):
        return [*OTHERS, value[1:], [*value, None], value + value[:1]]
    if isinstance(value, int):
        return [*OTHERS, *NUMBERS, value - 1, value + 1, str(value)]
    return [*OTHERS, *WRITTEN]


@cache
def forms() -> list[tuple[bytes, bool]]:
    """One small certificate of every form, with another value at each place, and whether the judge can read it."""
    from tests import cover_mutants
    from tests.certificate_seeds import dump
    from tests.kernel_battery import HERE
    from tests.presence_cases import crowds
    from tests.test_served_certificates import random_claims as served
    from tests.test_thresholded_certificates import random_claims

    one = [json.loads(file.read_text()) for file in sorted((HERE / "accepted").glob("*.json"))]
    trees = [*scale_seeds.seeds(), *(json.loads(dump(said)) for said in cover_mutants.seeds()), *one]
    trees += [json.loads(data) for data, status in about_any() if status == "accepted"]
    trees += [*crowds(range(20_100, 20_103)), *random_claims(random.Random(24), 9), *served(random.Random(25), 30)]
    chosen = {}
    for tree in sorted(trees, key=lambda tree: -len(json.dumps(tree))):
        said, noise = tree["claim"], tree["claim"].get("mechanism", {}).get("noise", {})
        words = [said.get("mechanism", said).get("view"), said["adjacency"], noise.get("law"), "reference" in said]
        chosen[str((tree["version"], sorted(tree["evidence"]), words))] = tree
    rng, found = random.Random(23), []
    for tree in chosen.values():
        for path, value in list(grown(tree))[1:]:
            holder = tree
            for key in path[:-1]:
                holder = holder[key]
            for other in rng.sample(instead(value), 6):
                holder[path[-1]] = other
                found.append(json.dumps(tree).encode())
            holder[path[-1]] = value
    return [(data, judge_reads(data)) for data in dict.fromkeys(found)]


def judge_reads(data: bytes) -> bool:
    """Whether the judge finds a statement."""
    try:
        judge.parse(data)
    except judge.MalformedError:
        return False
    return True


def reading(k: Any) -> None:
    """What is malformed is told so, and nothing else is."""
    for data, good in forms():
        try:
            k.read(data, k.Budget())
        except k.Stop as stop:
            assert not good and stop.args[0] == "malformed", data
        else:
            assert good, data


def gaussians(k: Any) -> None:
    """Windows of the discrete Gaussian law, against its definition in Fractions, and close to it at many bits."""
    for variance in (F(1, 3), F(4), F(25, 2)):
        law = dict(judge_served.weights((("law", "discrete_gaussian"), ("variance", variance))))
        law.pop(None)
        for width in (3, 8, 20, 60):
            span = k.spread({"law": "discrete_gaussian", "variance": variance.as_integer_ratio()}, width, k.Budget())
            some = {span.start + i: F(weight, span.unit) for i, weight in enumerate(span.weights)}
            assert all(weight <= law.get(place, F(0)) + F(1, 2**80) for place, weight in some.items())
            assert width < 60 or (sum(some.values()) > 1 - F(1, 2**40) and span.missed() << 40 < span.unit)


@cache
def about_served() -> list[tuple[bytes, str]]:
    """Certificates of version 6 and changes of them, with what the sound kernel says, and the judge too."""
    from tests.test_served_certificates import mutants, random_claims

    made = [json.dumps(tree).encode() for tree in (*random_claims(random.Random(23), 40), *mutants())]
    return [(data, kernel.check(data).status) for data in made]


def served_certificates(k: Any) -> None:
    """Certificates of version 6: every status is that of the sound kernel."""
    for data, status in about_served():
        assert k.check(data).status == status


def is_read(k: Any, reader: Callable[..., Any], *said: Any) -> bool:
    """Whether the kernel reads this."""
    try:
        reader(*said)
    except k.Stop as stop:
        assert stop.args[0] == "malformed"
        return False
    return True


def limits(k: Any) -> None:
    """Every number's range in CERTIFICATE.md: its ends are read, what lies beside them is not."""
    readers = {
        "POSITIVE": (["1/9", "1", "7"], ["0", "0/3"]),
        "PROBABILITY": (["0", "1/2", "2/2"], ["3/2", "1000001/1000000"]),
        "PART": (["1/9", "8/9"], ["0", "1", "9/8"]),
        "FLIP": (["1/9", "1/2", "49/99"], ["0", "2/3", "51/100", "1"]),
        "ABOVE_ONE": (["9/8", "2"], ["1", "2/2", "7/8", "0"]),
        "WEIGHT": (["1/9", "1"], ["0", "9/8"]),
        "SIZE": ([1, 2, 10**15], [0, 10**15 + 1]),
        "SEVERAL": ([2, 3, 10**15], [0, 1, 10**15 + 1]),
        "exponent": (["0", "10000", "log(1)", "log(9/8)", "log(20000)"], ["10001", "20001/2", "log(7/8)", "log(0)"]),
        "signed": (["0", "-1", "17", "-0"], ["", "01", "+1", "1.0", "-"]),
        "decimal": (["0", "3", "0.5", "10.25e-3", "5e-100000"], ["5e-100001", "1.", ".5", "5e3", "5/2", "00.1"]),
        "ratio": (["0", "3", "3/7", "6/4"], ["3/0", "03", "3/07", "3.5", "/2", "-1", "log(2)"]),
    }
    for name, (good, bad) in readers.items():
        for value in (*good, *bad, "", 1.5, None, []):
            said = (str(value),) if isinstance(value, int | float) else value
            assert is_read(k, getattr(k, name), said, "x") == (value in good), (name, value)
    noise = {"law": "poisson", "lam": "1"}
    laws = [noise, {"law": "binomial", "n": (1,), "p": "1"}, {"law": "negative_binomial", "r": "9", "p": "1/2"}]
    for law in (*laws, {"law": "discrete_laplace", "q": "1/2"}):
        for view, more in (("correlated", {}), ("correlated histogram", {"buckets": (2,)})):
            said = {"view": view, "noise": law, "q": "1/2"} | more
            assert is_read(k, k.either, said, "", "view", k.MECHANISMS) == (law in laws)
    for size, good in ((0, False), (1, True), (10**6, True), (10**6 + 1, False)):
        said = {"view": "count", "noise": noise, "sensitivity": (str(size),)}
        assert is_read(k, k.either, said, "", "view", k.MECHANISMS) == good
    for users, kinds, others, good in (
        (5, 3, [1, 2], True), (5, 3, [2, 2], True), (5, 3, [2, 3], False), (5, 2, [1, 3], True), (5, 2, [1, 2], False),
        (5, 3, [0, 0], True), (5, 3, [1], False), (5, 3, [1, 1, 1], False), (1, 2, [0, 0], True), (5, 2, [], False),
    ):  # fmt: skip
        assert is_read(k, k.others_of, [(str(i),) for i in others], "", users, kinds) == good


def vanishing(k: Any) -> None:
    """Where e^eps is at least the largest ratio P/Q, delta(eps) is 0, at any size: e^(5/2) > 9 = 3^2 > e^2."""
    laplace = scale_seeds.discrete_laplace("1/2")  # 2^j: 0.6931 j in eps
    for seen, others, above, below in (
        (scale_seeds.strings("1/4", 5000), None, "5/2", "2"),
        (scale_seeds.strings("1/4", 5000), None, "log(9)", "log(899/100)"),
        (scale_seeds.columns("1/4", 3000, 3), [0, 0], "5/2", "2"),
        (scale_seeds.columns("2/5", 3000, 3), [0, 0], "log(9/4)", "log(224/100)"),
        (scale_seeds.count(laplace, 4000), None, "2773", "2772"),
        (scale_seeds.histogram(laplace), None, "7/5", "13/10"),
    ):
        for eps, found in ((above, ("accepted",)), (below, ("rejected", "undecided"))):
            claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": "0"}
            evidence = {"delta": {"lower": "0", "upper": "0"}} | ({"others": others} if others else {})
            data = json.dumps(scale_seeds.certificate(claim, "PROVED", evidence)).encode()
            assert k.check(data, max_work=10**6).status in found, (seen, eps)


def thresholds(k: Any) -> None:
    """Random thresholds at few bits: a delta that is exactly P(E) - e^eps Q(E) is not refuted, one below may be."""
    from tests.kernel_battery import pair, row
    from tests.kernel_claims import randomized, threshold

    rng = random.Random(27)
    for _ in range(150):
        laws = dict[str, Law]()
        for name in "xyz":
            at = rng.sample(range(6), rng.choice((2, 3)))
            cuts = sorted(rng.sample(range(1, 12), len(at) - 1))
            parts = (F(b - a, 12) for a, b in itertools.pairwise([0, *cuts, 12]))
            laws[name] = dict(zip(at, parts, strict=True))
        rows = [row(x, *((["m"] * place, str(p)) for place, p in law.items())) for x, law in laws.items()]
        others = {x: rng.randint(1, 4) for x in rng.sample("xyz", rng.choice((1, 2)))}
        rest: Law = {0: F(1)}
        for name, count in others.items():
            for _ in range(count):
                rest = summed(rest, laws[name])
        p, q = (summed(rest, laws[x]) for x in "xy")
        top, weigh = max(*p, *q), rng.choice((1, 1, -1))
        above = rng.choice((*range(-1, 3), *range(top - 4, top + 1)))
        ratio = rng.choice((F(1), some_ratio(rng)))
        beyond = [sum(w for place, w in law.items() if weigh * place > weigh * above) for law in (p, q)]
        truth = beyond[0] - ratio * beyond[1]
        event = threshold(pair("x", "y", others), {"m": weigh}, weigh * above)
        for delta, wrong in ((max(truth, F(0)), "accepted"), (truth - F(1, 10**9), "rejected")):
            if delta >= 0:
                data = randomized(rows, 1 + sum(others.values()), event, f"log({ratio})", str(delta), "REFUTED")
                for bits, spare in ((3, 0), (5, 0), (8, 1), (64, 32)):
                    assert k.check(data, max_bits=bits, spare=spare).status in {"accepted", "rejected", "undecided"} - {
                        wrong
                    }


def twins(k: Any) -> None:
    """Inputs that differ only in the order of their outputs are one class: no pair of datasets is passed over."""
    from tests.kernel_battery import brute_force, certificate, pair, proof, row

    for one, other in (("3/4", "1/4"), ("2/3", "1/3")):
        rows = [row(x, (low, one), (high, other)) for x, low, high in (("a", "0", "1"), ("b", "1", "0"))]
        rows += [row(x, (high, other), (low, one)) for x, low, high in (("c", "0", "1"), ("d", "1", "0"))]
        swap = [{"inputs": {"a": "b", "b": "a", "c": "d", "d": "c"}, "messages": {"0": "1", "1": "0"}}]
        for n, ratio in itertools.product((2, 3), (F(1), F(11, 10), F(3, 2))):
            deltas = brute_force(rows, n, ratio, "shuffled")
            (a, b, others), most = max(deltas.items(), key=lambda item: item[1])
            evidence = proof(pair(a, b, dict(Counter(others))), symmetries=swap)
            for delta, status in ((most, "accepted"), (most - F(1, 10**9), "rejected")):
                assert k.check(certificate(rows, n, f"log({ratio})", str(delta), evidence)).status == status


def correlated_atoms(k: Any) -> None:
    """(1, q) and (q H(u - 1), H(u)), over 1 + q, with H from its definition: no atom is above, and little is lost."""
    rng = random.Random(28)
    for _ in range(150):
        noise, q = rng.choice(NOISES)(rng), F(rng.randint(1, 5), rng.randint(6, 9))
        (law, hair), width = true_law(noise), rng.choice((*SIZES, 40))
        start = k.window(k.noise(noise), width, k.Budget()).start
        (first, *atoms), lost, unit = k.correlated(q.as_integer_ratio(), noise, width, k.Budget())
        assert (F(first[0], unit), F(first[1], unit)) == (1 / (1 + q), q / (1 + q))
        before = sum((q ** (2 * (start - i)) / q**2 * law[i] for i in law if i < start), F(0)) * (1 - q**2)
        for u, (p, other) in enumerate(atoms, start):
            now = (1 - q**2) * law.get(u, F(0)) + q**2 * before
            assert 0 <= F(p, unit) <= (q * before + hair) / (1 + q) and 0 <= F(other, unit) <= (now + hair) / (1 + q)
            before = now
        for column in zip(first, *atoms, strict=True):
            assert 1 - F(sum(column), unit) <= F(lost, unit) and sum(column) <= unit
        assert width < 40 or F(lost, unit) < F(1, 2**20)


def releases(k: Any) -> None:
    """j + X against Y, of laws with units of their own: exact where both are small binomials, else bounded."""
    rng = random.Random(29)
    for _ in range(100):
        present, absent = (
            {"law": "binomial", "n": rng.choice((1, 3, 8)), "p": (rng.randint(1, 4), 5 + i)} for i in (0, 2)
        )
        if rng.random() < 0.5:
            absent = {"law": "poisson", "lam": (rng.randint(1, 9), 2)}
        present, absent = rng.sample((present, absent), 2)
        j, ratio = rng.randint(0, 3), some_ratio(rng)
        (first, less), (other, more) = true_law(present), true_law(absent)
        hair = less + more
        p = {place + j: weight for place, weight in first.items()}
        said = {"view": "presence", "present": present, "absent": absent, "sensitivity": j}
        pair = k.released(said, j, rng.choice(SIZES), k.Budget())
        least, most, whole = k.divergence(
            pair, None, (*ratio.as_integer_ratio()[:1] * 2, ratio.denominator), k.Budget()
        )
        truth = loss(p, other, ratio)
        assert F(least, whole) <= truth + 99 * hair and truth <= F(most, whole) + 99 * hair
        assert hair or least == most
        assert all(pair[2] - sum(column) <= pair[1] for column in zip(*pair[0], strict=True))


def blanket_shapes(k: Any) -> None:
    """Each pair of inputs, or of an input and nobody, is bounded, with the least weight that a user has."""
    from tests.kernel_claims import UNEQUAL, flips, hints

    for rows, who in itertools.product((UNEQUAL, flips(F(1, 4))), ({}, {"take part": "1/3"}, {"reference": {}})):
        labels = [row["input"] for row in rows]
        claim = {"adjacency": "add-remove", "datasets": "all", "view": "shuffled", "n": 9, "honest": 7, "eps": "0"}
        claim |= {"randomizer": {"rows": rows}, "delta": "1/2", "take part": "1"} | who
        if "reference" in who:
            claim |= {"adjacency": "deletion", "reference": {labels[0]: "1/2", labels[1]: "2/4"}}
        tree = {"format": "shufflecert certificate", "version": 4, "claim": claim, "verdict": "PROVED"}
        data, part = json.dumps(tree | {"evidence": hints("1/9", 99, "9/8")}).encode(), F(str(claim["take part"]))
        seen = set[Any]()

        def fake(shape: Any, cert: Any, *_: Any, seen: Any = seen) -> Any:
            seen.add(tuple(sorted(tuple(F(number, cert.unit) for number in y) for y in shape if any(y))))
            return 1, 3

        bound, k.blanket_bound = k.blanket_bound, fake
        status, reason = k.check(data)
        k.blanket_bound = bound
        laws = [{o["send"][0]: F(o["p"]) * part for o in row["outputs"]} | {"": 1 - part} for row in rows]
        shares = {x: F(claim["reference"].get(x, 0)) for x in labels} if "reference" in who else {}
        every = {y for law in laws for y in law}
        gone = {y: sum((shares[x] * law.get(y, F(0)) for x, law in zip(labels, laws, strict=True)), F(0))
                for y in every} if shares else {"": F(1)}  # fmt: skip
        expected = set()
        for law, turned in itertools.product(laws, (1, -1)):
            p, q = (law, gone)[::turned]
            weights = ((p.get(y, F(0)), q.get(y, F(0)), min(one.get(y, F(0)) for one in laws)) for y in every)
            expected.add(tuple(sorted(three for three in weights if any(three))))
        assert seen == expected, (rows, who)
        assert status == "accepted" and f"{len(expected)} of {2 * len(rows)} pairs of inputs differ" in reason


def crowd_evidence(k: Any) -> None:
    """Of version 4 too, a cover or a blanket is about the shuffled view alone, and nobody is in a box."""
    from tests.kernel_claims import flips, hints

    claim = {"adjacency": "replace", "datasets": "all", "view": "shuffled", "n": 6, "honest": 4, "eps": "log(3)"}
    claim |= {"randomizer": {"rows": flips(F(1, 4))}, "delta": "1/2", "take part": "1/2"}
    for evidence, view, honest in itertools.product(({"cover": [None]}, hints("1/9", 99, "9/8")), ("shuffled", "local"),
                                                    (4, 6, 7)):  # fmt: skip
        tree = {"format": "shufflecert certificate", "version": 4, "verdict": "PROVED", "evidence": evidence}
        data = json.dumps(tree | {"claim": claim | {"view": view, "honest": honest}}).encode()
        status, reason = k.check(data)
        assert (status == "accepted") == (view == "shuffled" and honest <= 6), reason
        told = (
            f"n = 6, honest = {honest}, take part = 1/2, adjacency = replace, view = {view}, eps = log(3), delta = 1/2"
        )
        assert status == "malformed" or told in reason
        place = "claim.view: " if view == "local" else "claim.honest: "
        assert status == "accepted" or (status == "malformed" and reason.startswith(place))


def least_heights(k: Any) -> None:
    """The blanket's H is not below tilt/(tilt - 1), though little lies above less; E[tilt^S] is not below its value.

    S is 0 where the blanket is not drawn, or (p - e^eps q)/c, in steps of 1/10, between the two places beside it.
    """
    from tests.kernel_claims import flips, hints, randomized

    power_up, asked = k.power_up, list[tuple[int, int, int]]()
    k.power_up = lambda base, n, width, budget: asked.append((width, n, base)) or power_up(base, n, width, budget)
    for tilt in ("2", "5/4", "17/16"):
        asked.clear()
        data = randomized(flips(F(9, 20)), 400, hints("1/10", 900, tilt), "log(6/5)", "1/2", "PROVED")
        k.check(data)
        fine, least = min(asked)[0], F(tilt) / (F(tilt) - 1)
        heights, moment = [n for width, n, _ in asked if width > fine], F(1, 10)
        assert heights and min(heights) == math.ceil(least)
        for place, part in ((0, F(7, 9)), (1, F(2, 9)), (-5, F(2, 3)), (-4, F(1, 3))):  # of 2/9 and -14/3
            moment += F(9, 20) * part * F(tilt) ** place
        assert [moment <= F(base, 1 << fine) <= moment * F(1001, 1000) for _, n, base in asked if n == 400] == [True]
    k.power_up = power_up


PARTS: list[Callable[[Any], None]] = [
    exact_pairs,
    limits,
    reading,
    exponentials,
    sticks,
    divergences,
    windows,
    heavy_tails,
    convolutions,
    polynomials,
    powers,
    surveys,
    line_pairs,
    lines,
    roads,
    planes,
    rectangles,
    plane_roads,
    columns,
    mechanisms,
    places,
    powers_up,
    blanket_bounds,
    blanket_tails,
    blankets,
    column_certificates,
    column_boxes,
    lines_at_few_bits,
    few_bits,
    any_randomizers,
    covers,
    box_corners,
    events,
    last_thresholds,
    thresholds,
    vanishing,
    thresholded_counts,
    shown_ends,
    thresholded_certificates,
    gaussians,
    served_certificates,
    twins,
    correlated_atoms,
    releases,
    blanket_shapes,
    crowd_evidence,
    least_heights,
]
