"""Parts of the kernel of version 1, each against a closed form; every check is a function of the kernel."""

import contextlib
import io
import itertools
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import pytest

from tests.kernel_battery import (
    HALF,
    HERE,
    MALFORMED,
    S3,
    SINGLE,
    SYMMETRIC,
    ZSUM,
    certificate,
    pair,
    proof,
    row,
)


def natural_reads_digits(k: Any) -> None:
    """7 0...0 3 with z zeros is 7 * 10^(z+1) + 3."""
    for zeros in (0, 1, 597, 598, 599, 600, 1199, 5001):
        assert k.natural("7" + "0" * zeros + "3") == 7 * 10 ** (zeros + 1) + 3
    for ones in (601, 603, 1201, 5000):
        assert k.natural("1" * ones) == (10**ones - 1) // 9
    assert k.natural("0" * 3000 + "12") == 12


def multisets_are_binomials(k: Any) -> None:
    for size, kinds in itertools.product(range(8), range(1, 8)):
        assert k.multisets(size, kinds) == math.comb(size + kinds - 1, kinds - 1)
    assert k.multisets(10**9, 10**6) == k.multisets(60, 60) == k.MANY == 10**18
    assert k.multisets(10**18 - 2, 2) == 10**18 - 1


EPS = [(0, 1), (1, 10**30), (1, 10**400), (1, 3), (1, 2), (10, 10), (3, 2), (50, 1), (99999, 1000), (10000, 1)]


def enclosures_hold(k: Any) -> None:
    """e^eps by mpmath at 6000 bits lies inside; the width is relative."""
    for (p, q), bits in itertools.product(EPS, (1, 7, 64, 300)):
        low, high, scale = k.enclose((p, q, False), bits, k.Budget())
        with mpmath.workprec(6000 if p > 9 * q else 2000):
            exact = mpmath.exp(mpmath.mpf(p) / q)
            assert low <= exact * scale <= high
            assert p == 0 or low < exact * scale < high
        assert (high - low) << bits < high
        assert scale.bit_length() <= 2 * bits + 60  # and not by working at far more bits than were asked for
    assert k.enclose((0, 9, False), 64, k.Budget()) == (1, 1, 1)
    assert k.enclose((9, 4, True), 64, k.Budget()) == (9, 9, 4)


def signs(k: Any) -> None:
    """[least, most]/whole against bounds: on either side, and at both ends, where `least` and `most` are attained."""
    told = {
        "at least": [True, True, None, None, False],
        "at most": [False, None, None, True, True],
        "above": [True, None, None, False, False],
    }
    for side, said in told.items():
        assert [k.settled((3, 5, 8), (bound, 16), side) for bound in (5, 6, 7, 10, 11)] == said
    assert [k.settled((3, 3, 8), (3, 8), side) for side in ("at least", "at most", "above")] == [True, True, False]
    p, q, log2 = [(0, 3), (1, 1)], [(0, 1), (1, 3)], (2, 1, True)
    atoms = k.aligned((p, q), k.Budget())
    assert atoms == [(3, 1), (1, 3)]
    ends = k.enclose(log2, 64, k.Budget())
    assert k.divergence((atoms, 0, 4), None, ends, k.Budget()) == (1, 1, 4)
    assert k.divergence((atoms, 1, 4), None, ends, k.Budget()) == (0, 2, 4)
    low, high, scale = k.enclose((1, 2, False), 64, k.Budget())
    least, most, whole = k.divergence((atoms, 0, 4), None, (low, high, scale), k.Budget())
    assert (least, most, whole) == (3 * scale - high, 3 * scale - low, 4 * scale)


def too_few_bits_is_undecided(k: Any) -> None:
    """3/4 - e^(1/2)/4 rounded at 40 digits, down and up: 64 bits cannot tell, more can, and never on the wrong side."""
    with mpmath.workdps(60):
        digits = int(mpmath.floor((mpmath.mpf(3) / 4 - mpmath.exp(mpmath.mpf(1) / 2) / 4) * mpmath.mpf(10) ** 40))
    for end, proved, refuted in ((digits, "rejected", "accepted"), (digits + 1, "accepted", "rejected")):
        delta = f"{end}/{10**40}"
        proves = certificate(HALF, 1, "1/2", delta, proof(pair("0", "1", {})))
        refutes = certificate(HALF, 1, "1/2", delta, {"pair": pair("0", "1", {}), "event": [{"0": 1}]})
        bounds = certificate(HALF, 1, "1/2", "1", proof(pair("0", "1", {}), f"{end}e-40"))
        for data, status in ((proves, proved), (refutes, refuted), (bounds, refuted)):
            verdict = k.check(data, max_bits=64)
            assert verdict.status == "undecided" and verdict.reason.startswith("too few bits: 64 bits")
            assert k.check(data, max_bits=100).status == "undecided"
            assert k.check(data, max_bits=128).status == status
            assert k.check(data, max_bits=201).status == status
    assert k.check(refutes, max_bits=1).status == "undecided"
    assert k.check(certificate(HALF, 1, "1/2", "1", proof(pair("0", "1", {}))), max_bits=4).status == "accepted"


def read_laws(k: Any, rows: list[Any], n: int, symmetries: Any = ()) -> Any:
    names = [r["input"] for r in rows]
    others = {names[0]: n - 1} if n > 1 else {}
    data = certificate(rows, n, "0", "1", proof(pair(names[0], names[1], others), symmetries=symmetries))
    return k.read(data, k.Budget())


def work_is_spent(k: Any) -> None:
    """What is spent is gone, by the bits of the operands; memory may be given back; neither goes below 0."""
    budget = k.Budget(64, 1000, 10_000)
    budget.spend(10)
    first = budget.work
    budget.spend(10, 1500, 1500)
    assert 1000 > first > budget.work + 2 * (1000 - first)
    with pytest.raises(k.Stop) as stop:
        budget.spend(1, 10**6, 10**6)
    assert stop.value.args[0] == "undecided" and "than 1000 steps, allow more with --max-work" in stop.value.args[1]
    budget.hold(50, 70)
    kept = budget.memory
    assert 10_000 - kept >= 50 * (36 + 10)
    with pytest.raises(k.Stop) as stop:
        budget.hold(1, 10**6)
    assert stop.value.args[0] == "undecided" and "too much memory: more than 10000 bytes" in stop.value.args[1]
    large = [k.Budget(64, 10**15) for _ in range(2)]
    large[0].spend(1, 10**6, 10**6)
    large[1].spend(1, 2 * 10**6, 2 * 10**6)
    spent = [10**15 - budget.work for budget in large]
    assert 2 * spent[0] < spent[1] < 4 * spent[0]


def decimal_digits(number: int) -> str:
    """`str` of a number of more digits than `str` writes."""
    return str(number) if number < 10**4000 else decimal_digits(number // 10**4000) + f"{number % 10**4000:04000}"


def limits_of_work(k: Any) -> None:
    """Each certificate has work at which it is accepted, and with half of that it is not."""
    names = ("rr-two", "zsum-hundred", "krr-two", "multi-local", "gap-local-zero", "rr-two-refuted")
    for name in names:
        data = (HERE / "accepted" / f"{name}.json").read_bytes()
        work = 1
        while k.check(data, max_work=work).status == "undecided":
            assert "too much work" in k.check(data, max_work=work).reason and work < 10**7
            work *= 2
        assert work > 64 and k.check(data, max_work=work).status == "accepted"


def enormous_work_is_refused(k: Any) -> None:
    for rows, n in ((ZSUM, 10**9), (SYMMETRIC, 10**9), (SYMMETRIC, 10**4)):
        names = [r["input"] for r in rows]
        data = certificate(rows, n, "1/2", "1/10", proof(pair(names[0], names[1], {names[0]: n - 1})))
        verdict = k.check(data, max_work=10**5)
        assert verdict.status == "undecided" and "--max-work" in verdict.reason
    event = {"pair": pair("0", "1", {"0": 10**9 - 1}), "event": []}
    assert k.check(certificate(ZSUM, 10**9, "1/2", "0", event), max_work=10**5).status == "undecided"
    coprime = [row("x", *(((str(i),), f"1/{2**9000 + i}") for i in range(2000)))]
    assert k.check(certificate(coprime, 1, "0", "0", SINGLE), max_work=10**5).status == "undecided"
    wide = [row(str(i), ((str(i),), "1")) for i in range(5000)]
    named = proof(pair("0", "1", {"0": 1}))
    assert k.check(certificate(wide, 2, "0", "1", named), max_work=10**5).status == "undecided"


def products_are_powers(k: Any) -> None:
    """(1 + 2x)^a (3 + x^100)^b x^(10000 c), by the binomial theorem."""
    wanted = [c for c in itertools.product(range(4), repeat=3) if sum(c) == 3 or c == (0, 0, 0)]
    laws = [[(0, 1), (1, 2)], [(0, 3), (100, 1)], [(10_000, 1)]]
    found = list(k.products([(c, c) for c in wanted], laws, k.Budget()))
    assert [counts for counts, _ in found] == wanted
    for (a, b, c), product in found:
        assert product == sorted(
            (i + 100 * j + 10_000 * c, math.comb(a, i) * 2**i * math.comb(b, j) * 3 ** (b - j))
            for i in range(a + 1)
            for j in range(b + 1)
        )


def products_share_prefixes(k: Any) -> None:
    """Three kinds, five factors: one product for each multiset of 1 to 5 of 3 kinds, 3 + 6 + 10 + 15 + 21."""
    steps, multiply = [], k.multiply
    k.multiply = lambda a, b, budget: steps.append(1) or multiply(a, b, budget)
    list(k.products([(c, 0) for c in itertools.product(range(6), repeat=3) if sum(c) == 5], [[(0, 1)]] * 3, k.Budget()))
    k.multiply = multiply
    assert len(steps) == 55


def places_are_gathered(k: Any) -> None:
    assert k.gather([(3, 1), (-1, 4), (3, 5), (2**61 + 2, 1)]) == [(-1, 4), (3, 6), (2**61 + 2, 1)]
    assert k.multiply([(0, 1), (1, 2)], [(0, 3), (1, 4)], k.Budget()) == [(0, 3), (1, 10), (2, 8)]
    assert k.aligned(([(0, 1), (5, 2)], [(-3, 7), (5, 1)]), k.Budget()) == [(0, 7), (1, 0), (2, 1)]


def compositions_are_all(k: Any) -> None:
    for total, parts in itertools.product(range(6), range(1, 5)):
        every = [c for c in itertools.product(range(total + 1), repeat=parts) if sum(c) == total]
        assert list(k.compositions(total, parts)) == every


def classes_are_shifts(k: Any) -> None:
    """x, y differ by a, z by ab; w has other weights, v has a gap of two."""
    rows = [
        row("x", ("", "1/3"), ("a", "2/3")), row("y", ("a", "1/3"), ("aa", "2/3")), row("w", ("", "2/3"), ("a", "1/3")),
        row("z", ("aab", "2/3"), ("ba", "1/3")), row("v", ("", "1/3"), ("aa", "2/3")),
    ]  # fmt: skip
    class_of, laws = k.classes(read_laws(k, rows, 2), k.Budget())
    assert class_of == {"x": 0, "y": 0, "w": 2, "z": 0, "v": 1}
    assert laws == [{(): 1, (("a", 1),): 2}, {(): 1, (("a", 2),): 2}, {(): 2, (("a", 1),): 1}]


def packing_separates(k: Any) -> None:
    """Up to three users of up to two messages: all 28 multisets of at most 6 of two messages have keys of their own."""
    cert, budget = read_laws(k, [row("x", ("aa", "1/2"), ("b", "1/2")), row("y", ("a", "1"))], 3), k.Budget()
    sizes = itertools.product(range(7), repeat=2)
    bags = [tuple((m, c) for m, c in zip("ab", counts, strict=True) if c) for counts in sizes]
    [poly] = k.pack(cert, [{bag: 1 for bag in bags if sum(c for _, c in bag) <= 6}], budget)
    assert len({key for key, _ in poly}) == 28 and poly == sorted(poly)
    many = {(("a", 7),): 1, (("c", 1),): 1, (("a", 3), ("b", 4)): 1}
    [one, two] = k.pack(cert, [many, {(("a", 2), ("b", 1)): 5}], budget)
    [[(a, _)], [(b, _)]] = k.pack(cert, [{(("a", 1),): 1}, {(("b", 1),): 1}], budget)
    assert one == [] and two == [(2 * a + b, 5)] and k.pack(cert, [{(): 3}], budget) == [[(0, 3)]]
    alone = read_laws(k, [row("x", ("aa", "1/2"), ("b", "1/2")), row("y", ("a", "1"))], 1)
    [x, y, other] = k.pack(alone, [*alone.laws.values(), many], budget)
    assert len(x) == 2 and len({key for key, _ in x + y}) == 3 and other == []


def orbits_partition(k: Any) -> None:
    """S_3 acts freely on the ordered pairs: 6 * 15 cases make 15 orbits, and their images are all the cases."""
    plain, cert = read_laws(k, SYMMETRIC, 5), read_laws(k, SYMMETRIC, 5, S3)
    class_of = {"a": 0, "b": 1, "c": 2}
    every = list(k.cases_of(plain, class_of, 3, k.Budget()))
    assert len(every) == len(set(every)) == 6 * 15 and all(a != b and sum(c) == 4 and len(c) == 3 for c, a, b in every)
    chosen = list(k.cases_of(cert, class_of, 3, k.Budget()))
    assert chosen == sorted(chosen) and len(chosen) == 15
    images = set()
    for perm in itertools.permutations("abc"):
        to = dict(zip("abc", perm, strict=True))
        for c, a, b in chosen:
            moved = tuple(c["abc".index(next(x for x in "abc" if to[x] == y))] for y in "abc")
            images.add((moved, to[a], to[b]))
    assert images == set(every)
    assert len(list(k.cases_of(read_laws(k, SYMMETRIC, 3, S3[1:]), class_of, 3, k.Budget()))) == 6 * 6 // 3


def pairs_are_counted(k: Any) -> None:
    for name, words in (
        ("krr-two", ": 3 of 18 pairs"), ("zsum-hundred", ": 2 of 200 pairs"), ("rr-two-refuted", " 1 of 4 pairs"),
        ("multi-local", ": 2 of 2 pairs of neighbouring datasets computed"), ("single-input", "no neighbouring"),
        ("krr-two", "computed, the others are equivalent"),
        ("gap-preshuffle", "PROVED: n = 1000000000, adjacency = replace, view = preshuffle, eps = log(8/5), delta"),
    ):  # fmt: skip
        assert words in k.check((HERE / "accepted" / f"{name}.json").read_bytes()).reason
    many = [row(str(i), ("a" * i, "1")) for i in range(30)]  # one class; 30 * 29 * C(69, 29) pairs, some 10^22
    verdict = k.check(certificate(many, 41, "0", "1", proof(pair("0", "1", {"3": 40}), "1", "1")))
    assert verdict.status == "accepted" and f"{30 * 29} of at least {30 * 29 * 10**18} pairs" in verdict.reason


def tightest_bound_is_named(k: Any) -> None:
    """delta = 1/2 at eps = 0 for n = 1; each bound too low by itself, and both with the lower one named."""
    for delta, upper, words in (
        ("1/3", "1", "claim.delta"), ("1", "0.3", "evidence.worst.delta.upper"), ("2/5", "0.4", "claim.delta"),
        ("4/10", "0.3", "evidence.worst.delta.upper"), ("3/10", "0.4", "claim.delta"),
    ):  # fmt: skip
        verdict = k.check(certificate(HALF, 1, "0", delta, proof(pair("0", "1", {}), "0", upper)))
        assert verdict.status == "rejected" and verdict.reason.startswith(words + ":")


def words_stay_on_one_line(k: Any) -> None:
    assert k.show("a\nb\u00e9\ud800") == "a\\nb\\xe9\\ud800" and k.show("x" * 80) == "x" * 80
    assert k.show("x" * 81) == "x" * 80 + "..."
    rows = [row("new\nline", ("0", "3/4"), ("1", "1/4")), HALF[1]]
    reason = k.check(certificate(rows, 1, "0", "0", proof(pair("new\nline", "1", {})))).reason
    assert "\n" not in reason and "new" in reason


def long_files_are_refused(k: Any) -> None:
    assert k.check(b" " * (2**26 + 1)).reason.startswith("file: expected at most")
    assert "expected JSON" in k.check(b" " * 2**26).reason
    assert "too much work" in k.check(b"1" * 2**26).reason
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.json"
        with path.open("wb") as file:
            file.truncate(2**26 + 1)
        assert "expected at most" in k.check_file(path).reason
        with path.open("wb") as file:
            file.truncate(2**26)
        assert "too much work" in k.check_file(path).reason
        assert k.check_file(folder).status == k.check_file("a\0b").status == "malformed"
    assert k.check_file(HERE / "no such file").status == "malformed"


def run(k: Any, *arguments: str) -> tuple[int, list[str]]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = k.main(list(arguments))
    return code, out.getvalue().splitlines()


def command_line(k: Any) -> None:
    good, false, broken = (
        str(HERE / name) for name in ("accepted/rr-two.json", "rejected/rr-n.json", "malformed/n-zero.json")
    )
    close = str(HERE / "accepted/rr-local.json")
    code, lines = run(k, good)
    assert code == 0 and len(lines) == 1 and lines[0].startswith(f"{good}: accepted: PROVED: n = 2, ")
    assert run(k, false)[0] == run(k, good, false)[0] == 1
    assert run(k, good, "--max-work", "415")[0] == run(k, close, "--max-bits", "64")[0] == 3
    assert run(k, good, "--max-work", "100000")[0] == run(k, close, "--max-bits", "128")[0] == 0
    assert run(k, close, "--max-bits", "0")[0] == run(k, close, "--max-bits", "-5")[0] == 3
    assert run(k, false, close, "--max-bits", "64")[0] == 1
    code, lines = run(k, close, false, broken, good, "--max-bits", "64")
    assert code == 2 and [line.split(": ")[1] for line in lines] == ["undecided", "rejected", "malformed", "accepted"]
    assert (k.MAX_BITS, k.MAX_WORK, k.MAX_BYTES, k.MAX_DIGITS) == (65536, 8 * 10**7, 2**26, 10**5)


def out_of_memory_is_undecided(k: Any) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    read, k.read = k.read, fail
    assert k.check(b"") == ("undecided", "out of memory")
    k.read = read


def malformed_places(k: Any) -> None:
    for name, place in MALFORMED.items():
        reason = k.check((HERE / "malformed" / f"{name}.json").read_bytes()).reason
        assert reason.startswith(f"{place}: expected "), (name, reason)


CHECKS: list[Callable[[Any], None]] = [
    signs, orbits_partition, products_are_powers, classes_are_shifts, packing_separates, multisets_are_binomials,
    work_is_spent, limits_of_work, natural_reads_digits, too_few_bits_is_undecided, places_are_gathered,
    compositions_are_all,
    pairs_are_counted, tightest_bound_is_named, words_stay_on_one_line, out_of_memory_is_undecided,
    malformed_places, products_share_prefixes, command_line, enclosures_hold, enormous_work_is_refused,
    long_files_are_refused,
]  # fmt: skip
