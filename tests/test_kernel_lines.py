"""The kernel on a line of multisets, at large n: exact fractions for small cases, mpmath's sums for large ones."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from tests.kernel_battery import certificate, pair, proof, row
from tests.kernel_claims import LINE, SWAP, THREE, e_to, flips, rounded, sides
from verify import kernel

F = Fraction


def zsum(p: str) -> list[Any]:
    q = str(1 - F(p))
    return [row("0", ([], q), ("1", p)), row("1", ("1", q), ("11", p))]


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


@pytest.mark.parametrize("rows", [THREE, LINE], ids=["three classes", "steps of ab"])
def test_other_lines_by_windows(rows: list[Any], no_naive_products: None) -> None:
    """The windows and the naive products bound every pair alike, a little above and below the largest delta."""
    from tests.kernel_battery import brute_force

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
