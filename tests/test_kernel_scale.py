"""The kernel on large n and on version 2: mechanisms, blankets, thresholds; every expected value is computed here.

Independent roads: exact fractions for small cases, mpmath's tails and sums at 80 digits for large ones, enumeration for
blankets and thresholds. A claim is shifted by a hair to either side, and the kernel has to notice.
"""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from tests.test_kernel import alone, certificate, pair, proof, row
from verify import kernel

F = Fraction
HALF = {"law": "binomial", "n": 5, "p": "1/2"}


def version_two(claim: dict[str, Any], evidence: Any, eps: str, delta: str, verdict: str = "PROVED") -> bytes:
    whole = {"adjacency": "replace", "datasets": "all", "eps": eps, "delta": delta} | claim
    tree = {"format": "shufflecert certificate", "version": 2, "claim": whole}
    return json.dumps(tree | {"verdict": verdict, "evidence": evidence}).encode()


def mechanism(seen: Any, eps: str, delta: str, ends: tuple[str, str], verdict: str = "PROVED") -> bytes:
    evidence = {"delta": dict(zip(("lower", "upper"), ends, strict=True))}
    return version_two({"mechanism": seen}, evidence, eps, delta, verdict)


def randomized(rows: list[Any], n: int, evidence: Any, eps: str, delta: str, verdict: str) -> bytes:
    return version_two({"randomizer": {"rows": rows}, "view": "shuffled", "n": n}, evidence, eps, delta, verdict)


def rounded(number: Any, ulps: int = 0, up: bool = False, digits: int = 30) -> str:
    """A number above 0 as a DECIMAL of so many digits, rounded down or up, and so many last places further."""
    with mpmath.workdps(60 + digits):
        exact = mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else number
        power = digits - 1 - int(mpmath.floor(mpmath.log10(exact)))
        scaled = exact * mpmath.mpf(10) ** power
        whole = int(mpmath.ceil(scaled) if up else mpmath.floor(scaled)) + ulps
    return f"{whole}e-{power}" if power >= 0 else str(whole * 10**-power)


def sides(number: Any, digits: int = 30) -> list[tuple[tuple[str, str], str]]:
    """Ends that hold, and ends that miss by one place of the last digit."""
    low, high = rounded(number, digits=digits), rounded(number, up=True, digits=digits)
    return [
        ((low, high), "accepted"),
        ((rounded(number, 1, digits=digits), "1"), "rejected"),
        (("0", rounded(number, -1, up=True, digits=digits)), "rejected"),
    ]


def assert_mechanism(seen: Any, eps: str, delta: Any, digits: int = 30, **limits: int) -> None:
    for ends, status in sides(delta, digits):
        verdict = kernel.check(mechanism(seen, eps, "1", ends), **limits)
        assert verdict.status == status, (ends, verdict)
    below, above = (rounded(delta, 3 * sign, up=sign > 0, digits=10) for sign in (-1, 1))
    for claimed, proved, refuted in ((above, "accepted", "rejected"), (below, "rejected", "accepted")):
        whole, power = claimed.split("e-")
        text = f"{whole}/{10 ** int(power)}"
        assert kernel.check(mechanism(seen, eps, text, ("0", "1")), **limits).status == proved
        assert kernel.check(mechanism(seen, eps, text, ("0", "1"), "REFUTED"), **limits).status == refuted


# ---- mechanisms with few outcomes, in exact fractions ----


def exact_law(noise: dict[str, Any]) -> dict[int, Fraction]:
    n, p = noise["n"], F(noise["p"])
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def stick(p: dict[Any, Fraction], q: dict[Any, Fraction], ratio: Fraction) -> Fraction:
    return sum((max(weight - ratio * q.get(y, 0), F(0)) for y, weight in p.items()), F(0))


def moved(law: dict[int, Fraction], j: int) -> dict[int, Fraction]:
    return {k + j: weight for k, weight in law.items()}


def both(p: dict[int, Fraction], q: dict[int, Fraction]) -> dict[tuple[int, int], Fraction]:
    return {(x, y): v * w for (x, v), (y, w) in itertools.product(p.items(), q.items())}


def exact_delta(seen: dict[str, Any], ratio: Fraction) -> Fraction:
    if seen["view"] == "strings":
        flip, others = F(seen["flip"]), exact_law({"n": seen["strings"] - 1, "p": seen["flip"]})
        one, zero = Counter[int](), Counter[int]()
        for k, weight in others.items():
            for bit, kept in ((0, 1 - flip), (1, flip)):
                zero[k + bit] += weight * kept
                one[k + 1 - bit] += weight * kept
        return stick(both(one, zero), both(zero, one), ratio)
    law = exact_law(seen["noise"])
    if seen["view"] == "histogram":
        return stick(both(moved(law, 1), law), both(law, moved(law, 1)), ratio)
    shifts = range(1, seen["sensitivity"] + 1)
    return max(max(stick(moved(law, j), law, ratio), stick(law, moved(law, j), ratio)) for j in shifts)


SMALL = [
    {"view": "count", "noise": HALF, "sensitivity": 1},
    {"view": "count", "noise": HALF, "sensitivity": 3},
    {"view": "count", "noise": {"law": "binomial", "n": 7, "p": "2/3"}, "sensitivity": 9},
    {"view": "count", "noise": {"law": "binomial", "n": 4, "p": "0/3"}, "sensitivity": 1},
    {"view": "count", "noise": {"law": "binomial", "n": 4, "p": "2/2"}, "sensitivity": 2},
    {"view": "histogram", "noise": HALF, "buckets": 2},
    {"view": "histogram", "noise": {"law": "binomial", "n": 9, "p": "3/10"}, "buckets": 7},
    {"view": "strings", "flip": "1/4", "strings": 1},
    {"view": "strings", "flip": "3/10", "strings": 6},
]


@pytest.mark.parametrize("seen", SMALL, ids=json.dumps)
@pytest.mark.parametrize("ratio", ["1", "3/2", "9/4"])
def test_small_mechanisms_to_the_digit(seen: dict[str, Any], ratio: str) -> None:
    """delta is rational: it is its own lower and upper end where it terminates, and it is not above itself."""
    delta, eps = exact_delta(seen, F(ratio)), f"log({ratio})"
    assert delta > 0
    assert kernel.check(mechanism(seen, eps, str(delta), ("0", "1"))).status == "accepted"
    assert kernel.check(mechanism(seen, eps, str(delta), ("0", "1"), "REFUTED")).status == "rejected"
    less = str(delta - F(1, 10**200))
    assert kernel.check(mechanism(seen, eps, less, ("0", "1"))).status == "rejected"
    assert kernel.check(mechanism(seen, eps, less, ("0", "1"), "REFUTED")).status == "accepted"
    scaled = delta * 10**40
    if scaled.denominator == 1:
        text = f"{scaled}e-40"
        assert kernel.check(mechanism(seen, eps, "1", (text, text))).status == "accepted"
    if delta < 1:
        for ends, status in sides(delta):
            if ends[1] == "1" or scaled.denominator != 1:
                expected = "accepted" if scaled.denominator == 1 and ends[0] == "1" else status
                assert kernel.check(mechanism(seen, eps, "1", ends)).status == expected


def test_small_binomial_by_hand() -> None:
    """Bin(5, 1/2) at e^eps = 1: P/Q is above 1 on one side of the mode only, so delta is the largest weight, 10/32."""
    seen = SMALL[0]
    assert exact_delta(seen, F(1)) == F(10, 32)
    data = mechanism(seen, "0", "10/32", ("0.3125", "0.31250"))
    assert kernel.check(data).status == "accepted"
    for ends in (("0.3126", "1"), ("0", "0.3124")):
        assert kernel.check(mechanism(seen, "0", "1", ends)).status == "rejected"


# ---- mechanisms with many outcomes, by mpmath ----


def weights(noise: dict[str, Any], digits: int = 80) -> list[Any]:
    """All but a negligible part of the law, from k = 0."""
    with mpmath.workdps(digits):
        number = {
            key: mpmath.mpf(F(noise[key]).numerator) / F(noise[key]).denominator for key in noise if key in "plamrq"
        }
        if noise["law"] == "poisson":
            lam = number["lam"]
            return [mpmath.exp(-lam) * lam**k / mpmath.factorial(k) for k in range(int(lam) * 3 + 200)]
        p = number["p"]
        if noise["law"] == "binomial":
            n = noise["n"]
            return [mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        r, law = number["r"], []
        for k in range(1200):
            law.append((1 - p) ** r if k == 0 else law[-1] * p * (k + r - 1) / k)
        return law


def e_to(eps: str) -> Any:
    rational = F(eps[4:-1] if "log" in eps else eps)
    number = mpmath.mpf(rational.numerator) / rational.denominator
    return number if "log" in eps else mpmath.exp(number)


def positive(atoms: Any, ratio: Any) -> Any:
    return mpmath.fsum(max(p - ratio * q, 0) for p, q in atoms)


POISSON = {"law": "poisson", "lam": "55/2"}
NEGATIVE = {"law": "negative_binomial", "r": "7/2", "p": "3/5"}
THIN = {"law": "negative_binomial", "r": "1/3", "p": "3/4"}
LARGE = {"law": "binomial", "n": 1500, "p": "3/10"}


@pytest.mark.parametrize("noise", [POISSON, NEGATIVE, THIN, LARGE], ids=lambda noise: noise["law"] + noise.get("r", ""))
@pytest.mark.parametrize("eps", ["1/3", "log(3/2)"])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_count(noise: dict[str, Any], eps: str, sensitivity: int) -> None:
    with mpmath.workdps(80):
        law, ratio = weights(noise), e_to(eps)
        pairs = [list(zip([0] * j + law, law + [0] * j, strict=True)) for j in range(1, sensitivity + 1)]
        delta = max(positive((atom[::sign] for atom in atoms), ratio) for atoms in pairs for sign in (1, -1))
    assert_mechanism({"view": "count", "noise": noise, "sensitivity": sensitivity}, eps, delta)


@pytest.mark.parametrize("eps", ["1/3", "log(3/2)", "2"])
@pytest.mark.parametrize("noise", [{"law": "poisson", "lam": "5"}, THIN | {"p": "2/5"}, LARGE | {"n": 150}])
def test_histogram(noise: dict[str, Any], eps: str) -> None:
    """The double sum as it stands, over all outcomes above 10^-50."""
    with mpmath.workdps(60):
        law, ratio = weights(noise, 60), e_to(eps)
        atoms = [(p, q) for p, q in zip([0, *law], [*law, 0], strict=True) if max(p, q) > mpmath.mpf(10) ** -50]
        delta = positive(((p * v, q * u) for p, q in atoms for u, v in atoms), ratio)
    assert_mechanism({"view": "histogram", "noise": noise, "buckets": 10}, eps, delta)


def joint(s: int, q: Any, law: list[Any], size: int) -> Counter[tuple[int, int]]:
    """The law of (s + Z1 + Z3, Z2 + Z3), by its definition."""
    seen = Counter[tuple[int, int]]()
    for x, y, z in itertools.product(range(size), range(size), range(min(len(law), size))):
        seen[s + x + z, y + z] += (1 - q) ** 2 * q ** (x + y) * law[z]
    return seen


@pytest.mark.parametrize("noise", [{"law": "binomial", "n": 3, "p": "1/3"}, {"law": "poisson", "lam": "1/20"}])
@pytest.mark.parametrize("eps", ["1/3", "log(5/2)"])
def test_correlated(noise: dict[str, Any], eps: str) -> None:
    """By the definition, to the 16 digits that 40 values of Z1, Z2, Z3 give for q = 1/10."""
    with mpmath.workdps(40):
        q, law, ratio = mpmath.mpf(1) / 10, weights(noise, 40), e_to(eps)
        one, zero = joint(1, q, law, 24), joint(0, q, law, 24)
        outcomes = one | zero
        atoms = [(one[y], zero[y]) for y in outcomes]
        delta = max(positive(atoms, ratio), positive([(q, p) for p, q in atoms], ratio))
    assert_mechanism({"view": "correlated", "q": "1/10", "noise": noise}, eps, delta, 16)


@pytest.mark.parametrize("noise", [{"law": "binomial", "n": 3, "p": "1/3"}, THIN | {"p": "1/50"}])
@pytest.mark.parametrize("eps", ["1/3", "log(5/2)"])
def test_correlated_histogram(noise: dict[str, Any], eps: str) -> None:
    """By the definition of both buckets; ."""
    with mpmath.workdps(40):
        q, law, ratio = mpmath.mpf(1) / 50, weights(noise, 40), e_to(eps)
        one, zero = joint(1, q, law, 14), joint(0, q, law, 14)
        atoms = [(one[y], zero[y]) for y in one | zero if max(one[y], zero[y]) > mpmath.mpf(10) ** -17]
        delta = positive(((p * v, q * u) for p, q in atoms for u, v in atoms), ratio)
    assert_mechanism({"view": "correlated histogram", "q": "1/50", "noise": noise, "buckets": 2}, eps, delta, 11)


def test_correlated_is_one_dimensional() -> None:
    """For q = e^-eps1, eps >= eps1, the largest is H_(q e^eps)(Y against Y + 1) / (1 + q), from s = 0 to s = 1."""
    with mpmath.workdps(90):
        q, law = mpmath.mpf(1) / 3, weights({"law": "negative_binomial", "r": "1/7", "p": "9/10"}, 90)
        step = []
        for weight in law:
            step.append((1 - q * q) * weight + (q * q * step[-1] if step else 0))
        atoms = zip([*step, 0], [0, *step], strict=True)
        delta = positive(atoms, q * 4) / (1 + q)
    noise = {"law": "negative_binomial", "r": "1/7", "p": "9/10"}
    assert_mechanism({"view": "correlated", "q": "1/3", "noise": noise}, "log(4)", delta, 24)


def test_strings_at_scale() -> None:
    """3000 strings: the product of two pairs by mpmath, over the atoms above 10^-45, where the ratio is monotone."""
    with mpmath.workdps(60):
        n, flip, ratio = 3000, mpmath.mpf(1) / 50, e_to("1/2")
        law = weights({"law": "binomial", "n": n - 1, "p": "1/50"}, 60)
        atoms = [
            ((1 - flip) * a + flip * b, flip * a + (1 - flip) * b) for a, b in zip([0, *law], [*law, 0], strict=True)
        ]
        atoms = [atom for atom in atoms if max(atom) > mpmath.mpf(10) ** -45]
        delta = positive(((p * v, q * u) for p, q in atoms for u, v in atoms), ratio)
    assert_mechanism({"view": "strings", "flip": "1/50", "strings": n}, "1/2", delta)


@pytest.mark.parametrize("j", [1, 2, 5])
def test_discrete_laplace(j: int) -> None:
    """q = 1/2: at e^eps = 2^j delta is 0, exactly; below it is max over t of F(t - j) - e^eps F(t), F the tails."""
    seen = {"view": "count", "noise": {"law": "discrete_laplace", "q": "1/2"}, "sensitivity": j}

    def tail(t: int) -> Fraction:
        return F(2, 3) / 2**t if t >= 0 else 1 - F(2, 3) / 2 ** (1 - t)

    for eps, ratio in ((f"log({2**j})", F(2**j)), ("20", F(10**8)), ("log(5/4)", F(5, 4))):
        delta = max(tail(t - j) - ratio * tail(t) for t in range(-30, 31))
        assert delta == 0 or eps == "log(5/4)" or delta < 0
        if delta <= 0:
            assert kernel.check(mechanism(seen, eps, "0", ("0", "0"))).status == "accepted"
            assert kernel.check(mechanism(seen, eps, "0", ("0", "0"), "REFUTED")).status == "rejected"
            assert kernel.check(mechanism(seen, eps, "0", ("1e-999", "1"))).status == "rejected"
        else:
            assert kernel.check(mechanism(seen, eps, str(delta), ("0", "1"))).status == "accepted"
            less = str(delta - F(1, 10**99))
            assert kernel.check(mechanism(seen, eps, less, ("0", "1"))).status == "rejected"
    assert (
        kernel.check(mechanism(seen, f"log({2**j - 1}/1)" if j > 1 else "log(199/100)", "0", ("0", "0"))).status
        == "rejected"
    )


def test_laplace_histogram_vanishes_at_twice_the_rate() -> None:
    """One unit moves: P/Q is at most q^-2; a product of 1/(1 + q) (1, q) and its reverse, twice."""
    seen = {"view": "histogram", "noise": {"law": "discrete_laplace", "q": "1/3"}, "buckets": 2}
    assert kernel.check(mechanism(seen, "log(9)", "0", ("0", "0.0"))).status == "accepted"
    delta = F(9, 16) - 8 * F(1, 16)  # at e^eps = 8: (3/4)^2 - 8 (1/4)^2
    assert kernel.check(mechanism(seen, "log(8)", str(delta), ("0.0625", "0.0625"))).status == "accepted"
    assert kernel.check(mechanism(seen, "log(8)", "1", ("0.0626", "1"))).status == "rejected"


def test_strings_vanish_at_the_largest_ratio() -> None:
    """((1 - flip)/flip)^2 = 9, attained; at flip = 1/2 nothing is told."""
    seen = {"view": "strings", "flip": "1/4", "strings": 1000}
    assert kernel.check(mechanism(seen, "log(9)", "0", ("0", "0"))).status == "accepted"
    assert kernel.check(mechanism(seen, "log(8)", "0", ("0", "0"))).status in ("rejected", "undecided")
    fair = {"view": "strings", "flip": "1/2", "strings": 10**6}
    assert kernel.check(mechanism(fair, "0", "0", ("0", "0"))).status == "accepted"


def test_geometric_is_exact() -> None:
    """r = 1: from s to s + j nothing below j is seen: delta = 1 - p^j; p = 9/10, j = 2 gives 0.19."""
    seen = {"view": "count", "noise": {"law": "negative_binomial", "r": "3/3", "p": "9/10"}, "sensitivity": 2}
    assert kernel.check(mechanism(seen, "1/2", "19/100", ("0.19", "0.19"))).status == "accepted"
    assert kernel.check(mechanism(seen, "1/2", "19/100", ("0.19", "0.19"), "REFUTED")).status == "rejected"
    assert kernel.check(mechanism(seen, "1/2", "18/100", ("0", "1"))).status == "rejected"


def binomial_tails(n: int, k: int, ratio: Any) -> Any:
    """Pr[X >= k - 1] - ratio Pr[X >= k] for X ~ Bin(n, 1/2), each tail a sum from its threshold by the term ratio."""
    term = total = mpmath.exp(
        mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1) - n * mpmath.log(2)
    )
    i = k
    while term > total * mpmath.mpf(10) ** -(mpmath.mp.dps - 8):
        term *= mpmath.mpf(n - i) / (i + 1)
        total += term
        i += 1
    first = mpmath.exp(mpmath.loggamma(n + 1) - mpmath.loggamma(k) - mpmath.loggamma(n - k + 2) - n * mpmath.log(2))
    return first + (1 - ratio) * total


@pytest.mark.parametrize(("n", "eps", "size"), [(10**6, "1/100", -8), (10**5, "2/9", -270)])
def test_binomial_at_scale(n: int, eps: str, size: int) -> None:
    """Two tails; P/Q = k / (n - k + 1) exceeds e^eps from the least such k on."""
    with mpmath.workdps(60):
        ratio = e_to(eps)
        k = int(mpmath.floor(ratio * (n + 1) / (1 + ratio))) + 1
        delta = binomial_tails(n, k, ratio)
        assert size - 6 < mpmath.log10(delta) < size + 6
    seen = {"view": "count", "noise": {"law": "binomial", "n": n, "p": "1/2"}, "sensitivity": 1}
    for ends, status in sides(delta):
        assert kernel.check(mechanism(seen, eps, "1", ends)).status == status


@pytest.mark.long
def test_binomial_of_a_billion() -> None:
    with mpmath.workdps(60):
        n, ratio = 10**9, e_to("1/2000")
        delta = binomial_tails(n, int(mpmath.floor(ratio * (n + 1) / (1 + ratio))) + 1, ratio)
    seen = {"view": "count", "noise": {"law": "binomial", "n": n, "p": "1/2"}, "sensitivity": 1}
    for ends, status in sides(delta):
        assert kernel.check(mechanism(seen, "1/2000", "1", ends), max_work=10**9).status == status


def test_too_few_bits_and_too_much_work() -> None:
    seen = {"view": "count", "noise": LARGE, "sensitivity": 1}
    good = mechanism(seen, "1/3", "1", ("0", "1e-3"))
    assert kernel.check(good).status == kernel.check(good, max_bits=64).status == "accepted"
    with mpmath.workdps(80):
        law, ratio = weights(LARGE), e_to("1/3")
        delta = positive(zip([*law, 0], [0, *law], strict=True), ratio)
        delta = max(delta, positive(zip([0, *law], [*law, 0], strict=True), ratio))
    fine = mechanism(seen, "1/3", "1", sides(delta)[0][0])
    assert kernel.check(fine, max_bits=64).reason.startswith("too few bits: 64 bits")
    assert kernel.check(fine, max_bits=64).status == "undecided"
    assert kernel.check(fine, max_bits=512).status == "accepted"
    verdict = kernel.check(good, max_work=1000)
    assert verdict.status == "undecided" and verdict.reason.startswith("too much work: more than 1000 steps")
    for noise in (
        {"law": "poisson", "lam": f"{10**30}"},
        {"law": "negative_binomial", "r": "1", "p": f"{10**30}/{10**30 + 1}"},
    ):
        huge = (
            {"view": "histogram", "noise": noise, "buckets": 2}
            if "lam" in noise
            else {"view": "correlated", "noise": noise, "q": "1/2"}
        )
        assert kernel.check(mechanism(huge, "1", "1/2", ("0", "1"))).reason.startswith("too much ")
    many = {"view": "count", "noise": {"law": "discrete_laplace", "q": "999/1000"}, "sensitivity": 10**6}
    assert kernel.check(mechanism(many, "1", "1/2", ("0", "1"))).reason.startswith("too much work")
    near = {"view": "correlated", "q": f"{10**40}/{10**40 + 1}", "noise": HALF}
    assert kernel.check(mechanism(near, "1", "1/2", ("0", "1"))).reason.startswith("too much memory")


MANGLED: list[tuple[Any, str]] = [
    ({"view": "sum", "noise": HALF}, "claim.mechanism.view"),
    ({"view": "count", "noise": HALF}, "claim.mechanism.sensitivity"),
    ({"view": "count", "noise": HALF, "sensitivity": 0}, "claim.mechanism.sensitivity"),
    ({"view": "count", "noise": HALF, "sensitivity": 10**6 + 1}, "claim.mechanism.sensitivity"),
    ({"view": "count", "noise": HALF, "sensitivity": 1, "buckets": 2}, "claim.mechanism.buckets"),
    ({"view": "count", "noise": HALF | {"p": "4/3"}, "sensitivity": 1}, "claim.mechanism.noise.p"),
    ({"view": "count", "noise": HALF | {"n": 10**15 + 1}, "sensitivity": 1}, "claim.mechanism.noise.n"),
    ({"view": "count", "noise": HALF | {"law": "gauss"}, "sensitivity": 1}, "claim.mechanism.noise.law"),
    ({"view": "count", "noise": "binomial", "sensitivity": 1}, "claim.mechanism.noise.law"),
    ({"view": "count", "noise": {"law": "poisson", "lam": "0"}, "sensitivity": 1}, "claim.mechanism.noise.lam"),
    ({"view": "count", "noise": NEGATIVE | {"p": "1"}, "sensitivity": 1}, "claim.mechanism.noise.p"),
    ({"view": "count", "noise": NEGATIVE | {"r": "0/2"}, "sensitivity": 1}, "claim.mechanism.noise.r"),
    ({"view": "count", "noise": {"law": "discrete_laplace", "q": "2/2"}, "sensitivity": 1}, "claim.mechanism.noise.q"),
    ({"view": "histogram", "noise": HALF, "buckets": 1}, "claim.mechanism.buckets"),
    ({"view": "correlated", "noise": HALF, "q": "1"}, "claim.mechanism.q"),
    ({"view": "correlated", "noise": HALF, "q": "0"}, "claim.mechanism.q"),
    ({"view": "correlated", "noise": {"law": "discrete_laplace", "q": "1/2"}, "q": "1/2"}, "claim.mechanism.noise.law"),
    ({"view": "strings", "flip": "51/100", "strings": 3}, "claim.mechanism.flip"),
    ({"view": "strings", "flip": "0", "strings": 3}, "claim.mechanism.flip"),
    ({"view": "strings", "flip": "1/3", "strings": "3"}, "claim.mechanism.strings"),
    ([], "claim.mechanism.view"),
]


@pytest.mark.parametrize(("seen", "place"), MANGLED, ids=[f"{i}-{place}" for i, (_, place) in enumerate(MANGLED)])
def test_malformed_mechanisms(seen: Any, place: str) -> None:
    verdict = kernel.check(mechanism(seen, "1", "1/2", ("0", "1")))
    assert verdict.status == "malformed" and verdict.reason.startswith(f"{place}: expected "), verdict


def test_malformed_beside_the_mechanism() -> None:
    good = json.loads(mechanism(SMALL[0], "1", "1/2", ("0", "1")))
    assert kernel.check(json.dumps(good).encode()).status == "accepted"
    for place, change in (
        ("claim.n", lambda tree: tree["claim"].update(n=3)),
        ("claim.delta", lambda tree: tree["claim"].update(delta="3/2")),
        ("claim.adjacency", lambda tree: tree["claim"].update(adjacency="add")),
        ("claim.eps", lambda tree: tree["claim"].pop("eps")),
        ("evidence.delta.upper", lambda tree: tree["evidence"]["delta"].update(upper="-1")),
        ("evidence.symmetries", lambda tree: tree["evidence"].update(symmetries=[])),
        ("verdict", lambda tree: tree.update(verdict="UNDECIDED")),
        ("claim.mechanism", lambda tree: tree.update(version=1)),
        ("version", lambda tree: tree.update(version=7, claim=json.loads(certificate(
            [row("x", ("a", "1"))], 1, "0", "0", {"symmetries": [], "worst": None}))["claim"])),
    ):  # fmt: skip
        tree = json.loads(json.dumps(good))
        change(tree)
        verdict = kernel.check(json.dumps(tree).encode())
        assert verdict.status == "malformed", (place, verdict)
        assert verdict.reason.startswith(place) or place in ("claim.mechanism",), (place, verdict)
    for text in (b'{"version": 2, "claim": 3, "evidence": [{}]}', b'{"version": 2, "claim": {"mechanism": 1}}'):
        assert kernel.check(text).status == "malformed"


# ---- version 1 on a line, at scale ----


def zsum(p: str) -> list[Any]:
    q = str(1 - F(p))
    return [row("0", ([], q), ("1", p)), row("1", ("1", q), ("11", p))]


def flips(flip: Fraction) -> list[Any]:
    keep, other = str(1 - flip), str(flip)
    return [row("0", ("0", keep), ("1", other)), row("1", ("0", other), ("1", keep))]


SWAP = [{"inputs": {"0": "1", "1": "0"}, "messages": {"0": "1", "1": "0"}}]


@pytest.fixture
def no_naive_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "ENOUGH", -1)


def zsum_delta(n: int, p: Any, ratio: Any) -> Any:
    """Bin(n, p) + 1 against Bin(n, p): upwards, from the least k with k (1 - p) > ratio (n - k + 1) p on, or downwards.

    Sums of mpmath terms, each from the one before, over 60 digits.
    """
    deltas = []
    for up in (True, False):
        if up:
            k = int(mpmath.floor(ratio * (n + 1) * p / (1 - p + ratio * p))) + 1
            logs = mpmath.loggamma(n + 1) - mpmath.loggamma(k) - mpmath.loggamma(n - k + 2)
            before = mpmath.exp(logs + (k - 1) * mpmath.log(p) + (n - k + 1) * mpmath.log(1 - p))
            term, total, i = before, mpmath.mpf(0), k - 1
            while i < n and (total == 0 or term > total * mpmath.mpf(10) ** -50):
                term *= (n - i) * p / ((i + 1) * (1 - p))
                total, i = total + term, i + 1
            deltas.append(before + (1 - ratio) * total)
        else:  # P = X, Q = X + 1: P(k)/Q(k) = (n - k + 1) p / (k (1 - p)) > ratio just for k below a threshold
            k = int(mpmath.ceil((n + 1) * p / (ratio * (1 - p) + p))) - 1
            logs = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            top = mpmath.exp(logs + k * mpmath.log(p) + (n - k) * mpmath.log(1 - p))
            term, total, i = top, mpmath.mpf(0), k
            while i > 0 and (total == 0 or term > total * mpmath.mpf(10) ** -50):
                term *= i * (1 - p) / ((n - i + 1) * p)
                total, i = total + term, i - 1
            deltas.append(top + (1 - ratio) * total)
    return deltas


@pytest.mark.parametrize(
    ("n", "p", "eps"), [(10**9, "99999/100000", "1/20"), (10**5, "99/100", "1/5"), (10**6, "1/2", "1/100")]
)
def test_zsum_at_scale(n: int, p: str, eps: str) -> None:
    with mpmath.workdps(80):
        up, down = zsum_delta(n, mpmath.mpf(F(p).numerator) / F(p).denominator, e_to(eps))
    delta, (a, b) = max((up, ("1", "0")), (down, ("0", "1")))
    named = pair(a, b, {"1": n - 1})
    for ends, status in sides(delta):
        verdict = kernel.check(certificate(zsum(p), n, eps, "1", proof(named, *ends)))
        assert verdict.status == status, verdict
        assert "\n" not in verdict.reason
    whole, power = rounded(delta, digits=20).split("e-")
    for extra, status in ((0, "rejected"), (1, "accepted")):
        claimed = f"{int(whole) + extra}/{10 ** int(power)}"
        assert kernel.check(certificate(zsum(p), n, eps, claimed, proof(named))).status == status
    assert (
        kernel.check(certificate(zsum(p), n, eps, "1", proof(named, *sides(delta)[0][0])), max_bits=64).status
        == "undecided"
    )


def exact_flips(n: int, ratio: Fraction, flip: Fraction) -> dict[tuple[str, str, int], Fraction]:
    """delta of every case (from, to, others that hold 1), by fractions."""
    found = {}
    for ones in range(n):
        law = [F(1)]
        for chance in [flip] * (n - 1 - ones) + [1 - flip] * ones:
            law = [a * (1 - chance) + b * chance for a, b in zip([*law, 0], [0, *law], strict=True)]
        views = {
            name: [a * (1 - chance) + b * chance for a, b in zip([*law, 0], [0, *law], strict=True)]
            for name, chance in (("0", flip), ("1", 1 - flip))
        }
        for a, b in (("0", "1"), ("1", "0")):
            found[a, b, ones] = sum((max(p - ratio * q, F(0)) for p, q in zip(views[a], views[b], strict=True)), F(0))
    return found


@pytest.mark.parametrize("symmetries", [[], SWAP], ids=["all", "swap"])
@pytest.mark.parametrize(("n", "ratio", "flip"), [(2, "3/2", "1/4"), (9, "5/4", "1/5"), (24, "11/10", "1/3")])
def test_flips_by_windows(n: int, ratio: str, flip: str, symmetries: Any, no_naive_products: None) -> None:
    """The windows against fractions, all n compositions; a claim a hair below the largest delta is rejected."""
    deltas = exact_flips(n, F(ratio), F(flip))
    (a, b, ones), delta = max(deltas.items(), key=lambda item: item[1])
    others = {name: count for name, count in (("0", n - 1 - ones), ("1", ones)) if count}
    rows, named = flips(F(flip)), pair(a, b, others)
    cases = [(str(delta + F(1, 10**60)), "0", "1", "accepted"), (str(delta - F(1, 10**60)), "0", "1", "rejected")]
    ends = [f"{math.floor(delta * 10**40) + i}e-40" for i in (0, 1, 2)]
    cases += [("1", ends[0], ends[1], "accepted"), ("1", ends[1], "1", "rejected"), ("1", "0", ends[0], "rejected")]
    for claimed, low, high, status in cases:
        if (delta * 10**40).denominator == 1 and claimed == "1":
            continue
        verdict = kernel.check(certificate(rows, n, f"log({ratio})", claimed, proof(named, low, high, symmetries)))
        assert verdict.status == status, verdict
    total = 2 * n
    found = kernel.check(certificate(rows, n, f"log({ratio})", "1", proof(named, "0", "1", symmetries))).reason
    assert f"of {total} pairs" in found


THREE = [
    row("x", ("", "1/2"), ("a", "1/4"), ("aaa", "1/4")),
    row("y", ("a", "1/3"), ("aa", "2/3")),
    row("z", ("aa", "1")),
]
LINE = [row("x", ("ab", "1/2"), ("aabb", "1/2")), row("y", ("aabb", "1/3"), ("aaaabbbb", "2/3"))]


@pytest.mark.parametrize("rows", [THREE, LINE], ids=["three classes", "steps of ab"])
def test_other_lines_by_windows(rows: list[Any], no_naive_products: None) -> None:
    """The windows and the naive products bound every pair alike, a little above and below the largest delta."""
    from tests.test_kernel import brute_force

    for n in (1, 2, 4):
        deltas = brute_force(rows, n, F(6, 5), "shuffled")
        (a, b, others), top = max(deltas.items(), key=lambda item: item[1])
        named = pair(a, b, dict(Counter(others)))
        for shift, status in ((1, "accepted"), (-1, "rejected")):
            claimed = str(top + F(shift, 10**30))
            if F(claimed) <= 1:
                verdict = kernel.check(certificate(rows, n, "log(6/5)", claimed, proof(named)))
                assert verdict.status == status, verdict
        if top < 1:
            low = f"{math.floor(top * 10**30) - 1}e-30"
            assert kernel.check(certificate(rows, n, "log(6/5)", "1", proof(named, low))).status == "accepted"
            high = f"{math.floor(top * 10**30) + 1}e-30"
            assert kernel.check(certificate(rows, n, "log(6/5)", "1", proof(named, high))).status == "rejected"


def test_zero_on_a_line(no_naive_products: None) -> None:
    """A user's own ratio is 3: at e^eps = 3 nothing is left, whatever n."""
    rows = flips(F(1, 4))
    assert (
        kernel.check(certificate(rows, 300, "log(3)", "0", proof(pair("0", "1", {"0": 299}), "0", "0"))).status
        == "accepted"
    )
    assert kernel.check(certificate(rows, 3, "log(2)", "0", proof(pair("0", "1", {"0": 2})))).status == "rejected"


def flips_deltas(n: int, flip: float, ratio: float) -> list[float]:
    """From 0 to 1, for every count of others that hold 1: to about 10^-12, in floats; tails below 10^-17 are cut."""

    def coins(m: int, chance: float) -> dict[int, float]:
        mean, wide = m * chance, 9 * math.sqrt(m * chance * (1 - chance)) + 9
        some = range(max(0, int(mean - wide)), min(m, int(mean + wide)) + 1)
        logs = {k: math.lgamma(m + 1) - math.lgamma(k + 1) - math.lgamma(m - k + 1) for k in some}
        return {k: math.exp(log + k * math.log(chance) + (m - k) * math.log(1 - chance)) for k, log in logs.items()}

    found = []
    for ones in range(n):
        law = Counter[int]()
        for (i, v), (j, w) in itertools.product(coins(ones, 1 - flip).items(), coins(n - 1 - ones, flip).items()):
            law[i + j] += v * w
        p, q = ({k: (1 - c) * law[k] + c * law[k - 1] for k in range(min(law), max(law) + 2)} for c in (flip, 1 - flip))
        found.append(math.fsum(max(weight - ratio * q[k], 0) for k, weight in p.items()))
    return found


def test_flips_at_scale() -> None:
    """n = 400, flip = 1/50, all 800 cases, by floats: the worst, and a claim that only the worst exceeds."""
    n, flip, eps = 400, F(1, 50), "1/5"
    deltas = flips_deltas(n, 1 / 50, math.exp(1 / 5))
    second, worst = sorted(deltas)[-2:]
    ones = deltas.index(worst)
    named = pair("0", "1", {name: count for name, count in (("0", n - 1 - ones), ("1", ones)) if count})
    assert worst - second > 1e-9
    for claimed, status in ((worst + 1e-10, "accepted"), (worst - 1e-10, "rejected"), (second - 1e-10, "rejected")):
        evidence = proof(named, f"{math.floor((worst - 1e-10) * 10**12)}e-12", "1", SWAP)
        verdict = kernel.check(certificate(flips(flip), n, eps, str(F(claimed)), evidence))
        assert verdict.status == status, verdict
    assert (
        "400 of 800 pairs" in kernel.check(certificate(flips(flip), n, eps, "1", proof(named, symmetries=SWAP))).reason
    )


@pytest.mark.long
def test_flips_of_ten_thousand() -> None:
    flip = F(round(2**64 / (1 + math.exp(4))), 2**64)
    n, others = 10**4, {"0": 10**4 - 1}
    data = certificate(flips(flip), n, "1/5", "1/10", proof(pair("0", "1", others), symmetries=SWAP))
    verdict = kernel.check(data, max_work=10**9)
    assert verdict.status == "accepted" and "10000 of 20000 pairs" in verdict.reason


# ---- blankets ----


def uniform(k: int, gamma: Fraction) -> list[Any]:
    names = [str(x) for x in range(k)]
    return [row(x, *(([y], str(gamma / k + (1 - gamma if x == y else 0))) for y in names)) for x in names]


def blanket_bound(rows: list[Any], n: int, ratio: Fraction) -> Fraction:
    """The lemma's bound, largest over all pairs, by fractions: all counts of the outputs among n draws."""
    laws = [{tuple(sorted(o["send"])): F(o["p"]) for o in r["outputs"]} for r in rows]
    every = {y for law in laws for y in law}
    floor = {y: min(law.get(y, F(0)) for law in laws) for y in every}
    worst = F(0)
    for p, q in itertools.permutations(laws, 2):
        direct = sum((max(p.get(y, F(0)) - ratio * q.get(y, F(0)), F(0)) for y in every if not floor[y]), F(0))
        losses = Counter({F(0): 1 - sum(floor.values())})
        for y in every:
            if floor[y]:
                losses[(p.get(y, F(0)) - ratio * q.get(y, F(0))) / floor[y]] += floor[y]
        total = {F(0): F(1)}
        for _ in range(n):
            later = Counter[Fraction]()
            for (s, v), (loss, w) in itertools.product(total.items(), losses.items()):
                later[s + loss] += v * w
            total = later
        worst = max(worst, direct + sum((s * w for s, w in total.items() if s > 0), F(0)) / n)
    return worst


def hints(step: str, cells: int, tilt: str) -> dict[str, Any]:
    return {"blanket": {"step": step, "cells": cells, "tilt": tilt}}


UNEQUAL = [
    row("x", ("a", "1/2"), ("b", "1/4"), ("c", "1/4")), row("y", ("a", "1/4"), ("b", "1/2"), ("c", "1/4")),
    row("z", ("a", "1/3"), ("b", "1/3"), ("c", "1/6"), ("d", "1/6")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "ratio", "step"),
    [(uniform(3, F(1, 2)), F(5, 4), "1/4"), (uniform(2, F(1, 3)), F(3, 2), "1/2"), (UNEQUAL, F(6, 5), "1/60")],
    ids=["krr-3", "rr", "unequal"],
)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_blanket(rows: list[Any], n: int, ratio: Fraction, step: str) -> None:
    """On a grid that holds every L the bound is the lemma's; a hair below it the hints do not decide."""
    bound, eps = blanket_bound(rows, n, ratio), f"log({ratio})"
    for shift, status in ((F(1, 10**6), "accepted"), (-F(1, 10**6), "undecided")):
        data = randomized(rows, n, hints(step, 4096, "2"), eps, str(bound * (1 + shift)), "PROVED")
        verdict = kernel.check(data)
        assert verdict.status == status, verdict
        assert "\n" not in verdict.reason
    coarse = randomized(rows, n, hints("7/9", 4096, "2"), eps, str(bound * (1 + F(1, 10**6))), "PROVED")
    assert kernel.check(coarse).status in ("accepted", "undecided")
    assert kernel.check(randomized(rows, n, hints("7/9", 4096, "2"), eps, "1", "PROVED")).status == "accepted"


def test_blanket_wraps_upwards() -> None:
    """With fewer cells the bound only grows: whatever fits into the cells is never below the lemma's bound."""
    rows, n, ratio = uniform(3, F(1, 2)), 12, F(5, 4)
    bound = blanket_bound(rows, n, ratio)
    statuses = []
    for cells in (30, 40, 60, 100, 200, 400):
        for tilt in ("11/10", "5/4", "2"):
            less = randomized(rows, n, hints("1/4", cells, tilt), "log(5/4)", str(bound * F(999999, 10**6)), "PROVED")
            more = randomized(rows, n, hints("1/4", cells, tilt), "log(5/4)", str(bound * F(11, 10)), "PROVED")
            assert kernel.check(less).status == "undecided"
            statuses.append(kernel.check(more).status)
    assert set(statuses) == {"accepted", "undecided"} and statuses[-2] == "accepted" and statuses[0] == "undecided"


def test_blanket_edges() -> None:
    rows = uniform(3, F(1, 2))
    data = randomized(rows, 50, hints("1/4", 2000, "5/4"), "1/3", "1/10", "PROVED")
    assert kernel.check(data).status == "accepted"
    assert kernel.check(data, max_work=10**4).reason.startswith("too much work")
    assert kernel.check(data, max_bits=32).reason.startswith("too few bits")
    assert kernel.check(randomized(rows, 50, hints("1/4", 10, "5/4"), "1/3", "1/10", "PROVED")).status == "undecided"
    assert (
        kernel.check(randomized(rows, 50, hints("1/4", 2000, "2000001/2000000"), "1/3", "1/10", "PROVED")).status
        == "undecided"
    )
    assert (
        kernel.check(randomized(rows, 50, hints("1/4", 2000, f"{10**3000}"), "1/3", "1/10", "PROVED")).status
        == "undecided"
    )
    assert (
        kernel.check(randomized(rows, 10**15, hints("1/4", 2000, "9"), "1/3", "1/10", "PROVED")).status == "undecided"
    )
    assert kernel.check(randomized(rows, 50, hints("1/4", 2**32, "5/4"), "1/3", "1/10", "PROVED")).status == "accepted"
    # at e^eps = 4, the largest ratio, no L is above 0
    assert (
        kernel.check(randomized(rows, 10**15, hints("1/4", 2000, "5/4"), "log(4)", "0", "PROVED")).status == "accepted"
    )
    alike = [row("x", ("a", "1/2"), ("b", "1/2")), row("y", ("a", "1/2"), ("b", "1/2"))]
    assert kernel.check(randomized(alike, 9, hints("1", 9, "2"), "0", "0", "PROVED")).status == "accepted"
    apart = [row("x", ("a", "1")), row("y", ("b", "1"))]
    assert kernel.check(randomized(apart, 9, hints("1", 9, "2"), "1", "1", "PROVED")).status == "accepted"
    assert kernel.check(randomized(apart, 9, hints("1", 9, "2"), "1", "99/100", "PROVED")).status == "undecided"
    assert kernel.check(randomized([alike[0]], 9, hints("1", 9, "2"), "0", "0", "PROVED")).status == "accepted"


@pytest.mark.long
def test_blanket_of_ten_thousand() -> None:
    """krr, k = 10, local eps 4, eps = 1/5; nine messages are alike, so the 90 ordered pairs have one law."""
    gamma = F(10) / (9 + F(math.exp(4)).limit_denominator(10**6))
    data = randomized(uniform(10, gamma), 10**4, hints("1/2", 50_000, "501/500"), "1/5", "1/1000", "PROVED")
    verdict = kernel.check(data, max_work=10**9)
    assert verdict.status == "accepted" and "1 of 90 pairs" in verdict.reason


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"step": "0"}, "evidence.blanket.step"), ({"cells": 2**32 + 1}, "evidence.blanket.cells"),
        ({"tilt": "5/5"}, "evidence.blanket.tilt"), ({"tilt": "1/2"}, "evidence.blanket.tilt"),
        ({"more": "1"}, "evidence.blanket.more"), ({"cells": "9"}, "evidence.blanket.cells"),
    ],
)  # fmt: skip
def test_malformed_blankets(change: Any, place: str) -> None:
    evidence = {"blanket": hints("1/4", 2000, "5/4")["blanket"] | change}
    verdict = kernel.check(randomized(uniform(3, F(1, 2)), 50, evidence, "1/3", "1/10", "PROVED"))
    assert verdict.status == "malformed" and verdict.reason.startswith(f"{place}: expected ")


# ---- thresholds ----


def event_value(
    rows: list[Any], source: str, target: str, others: dict[str, int], weigh: Any, above: int, ratio: Any
) -> Any:
    """P(E) - ratio Q(E) by fractions: the law of the weighted sum, one user at a time."""
    laws = {r["input"]: [(sum(weigh.get(m, 0) for m in o["send"]), F(o["p"])) for o in r["outputs"]] for r in rows}

    def law(users: list[str]) -> Counter[int]:
        total = Counter({0: F(1)})
        for user in users:
            later = Counter[int]()
            for (s, v), (step, w) in itertools.product(total.items(), laws[user]):
                later[s + step] += v * w
            total = later
        return total

    users = [name for name, count in others.items() for _ in range(count)]
    p, q = (sum((w for s, w in law([user, *users]).items() if s > above), F(0)) for user in (source, target))
    return p - ratio * q


def threshold(named: Any, weigh: dict[str, int], above: int) -> dict[str, Any]:
    return {"pair": named, "threshold": {"weights": {m: str(w) for m, w in weigh.items()}, "above": str(above)}}


CASES = [
    (flips(F(1, 4)), "1", "0", {"0": 30}, {"1": 1}, 10),
    (flips(F(1, 4)), "1", "0", {"0": 20, "1": 15}, {"1": 3, "0": -2}, 45),
    (uniform(3, F(1, 3)), "0", "1", {"2": 25}, {"0": 5, "1": -4}, 3),
    (uniform(3, F(1, 3)), "0", "1", {"2": 12, "1": 5}, {"0": 5, "1": -4, "2": 1}, -13),
    (THREE, "x", "y", {"z": 7, "x": 6}, {"a": -1}, -22),
    (flips(F(1, 4)), "1", "0", {}, {"1": 1}, 0),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_threshold(case: Any) -> None:
    rows, source, target, others, weigh, above = case
    n, ratio = 1 + sum(others.values()), F(21, 20)
    for at in (above - 1, above, above + 1):
        value = event_value(rows, source, target, others, weigh, at, ratio)
        for shift, status in ((-F(1, 10**50), "accepted"), (F(1, 10**50), "rejected")):
            if value + shift < 0:
                continue
            evidence = threshold(pair(source, target, others), weigh, at)
            verdict = kernel.check(randomized(rows, n, evidence, "log(21/20)", str(value + shift), "REFUTED"))
            assert verdict.status == status, verdict
    assert event_value(rows, source, target, others, weigh, above, ratio) > 0


def test_threshold_at_scale() -> None:
    """rr, n = 10^8: the ones among the others are binomial; mpmath's tails from the threshold on, 3 deviations up."""
    n, eps = 10**8, "1/6000"
    others = {"0": n - 1}
    with mpmath.workdps(60):
        flip, ratio, k = mpmath.mpf(1) / 4, e_to(eps), 25_013_000
        tail, logs = [], mpmath.loggamma(n)
        for start in (k, k + 1):
            i, total = start, mpmath.mpf(0)
            whole = logs - mpmath.loggamma(i + 1) - mpmath.loggamma(n - i)
            term = mpmath.exp(whole + i * mpmath.log(flip) + (n - 1 - i) * mpmath.log(1 - flip))
            while term > mpmath.mpf(10) ** -45:
                total, i = total + term, i + 1
                term *= (n - i) * flip / (i * (1 - flip))
            tail.append(total)
        p, q = (one * tail[0] + (1 - one) * tail[1] for one in (1 - flip, flip))
        value = p - ratio * q
        below, above = (int(mpmath.floor(value * mpmath.mpf(10) ** 20)) + i for i in (0, 1))
    evidence = threshold(pair("1", "0", others), {"1": 1}, k)
    for claimed, status in ((below, "accepted"), (above, "rejected")):
        data = randomized(flips(F(1, 4)), n, evidence, eps, f"{claimed}/{10**20}", "REFUTED")
        assert kernel.check(data).status == status
    assert kernel.check(data, max_work=10**5).reason.startswith("too much work")


def test_threshold_edges() -> None:
    named = pair("0", "1", {"2": 25})
    rows, weigh = uniform(3, F(1, 3)), {"0": 5, "1": -4}
    good = json.loads(randomized(rows, 26, threshold(named, weigh, 3), "1/20", "1/100", "REFUTED"))
    assert kernel.check(json.dumps(good).encode()).status == "accepted"
    text = json.dumps(good)
    turned = json.loads(text)
    turned["evidence"]["threshold"] = dict(reversed(turned["evidence"]["threshold"].items()))
    assert kernel.check(json.dumps(turned).encode()).status == "accepted"
    for place, change in (
        ("evidence.threshold.weights", lambda e: e["threshold"]["weights"].update({"9": "1"})),
        ("evidence.threshold.weights.0", lambda e: e["threshold"]["weights"].update({"0": "+1"})),
        ("evidence.threshold.weights.0", lambda e: e["threshold"]["weights"].update({"0": 1})),
        ("evidence.threshold.above", lambda e: e["threshold"].update(above="1" * 1001)),
        ("evidence.threshold.above", lambda e: e["threshold"].update(above="")),
        ("evidence.pair.to", lambda e: e["pair"].update(to="0")),
        ("evidence.pair.others", lambda e: e["pair"].update(others={"2": 24})),
    ):
        tree = json.loads(text)
        change(tree["evidence"])
        verdict = kernel.check(json.dumps(tree).encode())
        assert verdict.status == "malformed" and verdict.reason.startswith(f"{place}: expected "), verdict
    for above, delta, status in (
        ("-" + "9" * 1000, "0", "rejected"), ("9" * 1000, "0", "rejected"), ("3", "1", "rejected"),
    ):  # fmt: skip
        tree = json.loads(text)
        tree["evidence"]["threshold"]["above"], tree["claim"]["delta"] = above, delta
        assert kernel.check(json.dumps(tree).encode()).status == status
    tree = json.loads(text)
    tree["evidence"]["threshold"]["weights"]["0"] = "9" * 1000
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("too much work")
    assert kernel.check(text.encode(), max_work=10**4).reason.startswith("too much work")
    half = event_value(rows, "0", "1", {"2": 25}, weigh, 3, F(21, 20))
    exact = randomized(rows, 26, threshold(named, weigh, 3), "log(21/20)", str(half), "REFUTED")
    assert kernel.check(exact, max_bits=256).reason.startswith("too few bits: 256 bits")


def test_kinds_and_verdicts_belong_together() -> None:
    rows = uniform(3, F(1, 2))
    for verdict, evidence in (
        ("REFUTED", hints("1/4", 2000, "5/4")), ("PROVED", threshold(pair("0", "1", {"2": 49}), {"0": 1}, 3)),
    ):  # fmt: skip
        assert kernel.check(randomized(rows, 50, evidence, "1/3", "1/10", verdict)).reason.startswith("evidence.")
    tree = json.loads(randomized(rows, 50, hints("1/4", 2000, "5/4"), "1/3", "1/10", "PROVED"))
    tree["claim"]["view"] = "local"
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("claim.view: expected")
    tree["claim"]["view"], tree["version"] = "shuffled", 1
    assert kernel.check(json.dumps(tree).encode()).status == "malformed"
    tree["version"], tree["claim"]["n"] = 2, 10**15 + 1
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("claim.n: expected")


def test_alone(tmp_path: Path) -> None:
    """As a stranger runs it: no site, no environment, no repository on the path."""
    good = mechanism(SMALL[0], "0", "10/32", ("0.3125", "0.3125"))
    for data, code in ((good, 0), (good.replace(b"0.3125", b"0.3126"), 1), (good.replace(b"binomial", b"normal"), 2)):
        path = tmp_path / f"{code}.json"
        path.write_bytes(data)
        done = alone(str(path))
        assert done.returncode == code and done.stderr == "" and len(done.stdout.splitlines()) == 1
