"""The kernel on mechanisms with noise; every expected value is computed here.

Independent roads: exact fractions for small cases, mpmath's tails and sums at 80 digits for large ones. A claim is
shifted by a hair to either side, and the kernel has to notice.
"""

import itertools
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from tests.kernel_battery import alone, certificate, row
from tests.kernel_claims import (
    LARGE,
    SMALL,
    assert_mechanism,
    both,
    e_to,
    exact_law,
    mechanism,
    moved,
    positive,
    sides,
    stick,
    weights,
)
from verify import kernel

F = Fraction
HALF = {"law": "binomial", "n": 5, "p": "1/2"}


# ---- mechanisms with few outcomes, in exact fractions ----


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


POISSON = {"law": "poisson", "lam": "55/2"}
NEGATIVE = {"law": "negative_binomial", "r": "7/2", "p": "3/5"}
THIN = {"law": "negative_binomial", "r": "1/3", "p": "3/4"}


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
        ("version", lambda tree: tree.update(version=9, claim=json.loads(certificate(
            [row("x", ("a", "1"))], 1, "0", "0", {"symmetries": [], "worst": None}))["claim"])),
    ):  # fmt: skip
        tree = json.loads(json.dumps(good))
        change(tree)
        verdict = kernel.check(json.dumps(tree).encode())
        assert verdict.status == "malformed", (place, verdict)
        assert verdict.reason.startswith(place) or place in ("claim.mechanism",), (place, verdict)
    for text in (b'{"version": 2, "claim": 3, "evidence": [{}]}', b'{"version": 2, "claim": {"mechanism": 1}}'):
        assert kernel.check(text).status == "malformed"


def test_alone(tmp_path: Path) -> None:
    """As a stranger runs it: no site, no environment, no repository on the path."""
    good = mechanism(SMALL[0], "0", "10/32", ("0.3125", "0.3125"))
    for data, code in ((good, 0), (good.replace(b"0.3125", b"0.3126"), 1), (good.replace(b"binomial", b"normal"), 2)):
        path = tmp_path / f"{code}.json"
        path.write_bytes(data)
        done = alone(str(path))
        assert done.returncode == code and done.stderr == "" and len(done.stdout.splitlines()) == 1
