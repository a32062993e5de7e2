"""Counts in the verified kernel, by exact sums of fractions and sums to 60 digits, beside the kernel and the judge."""

import json
import random
from fractions import Fraction

import mpmath
import pytest

from tests import verified
from tests.judge import judge
from tests.reference import binomial, real
from verify import kernel

DIGITS = 12


def largest(n, p, z):
    """delta(log z) of X + 1 against X and of X against X + 1, X ~ Bin(n, p): the larger, from its definition."""
    law = list(binomial(n, p).values())
    one, two = [Fraction(0), *law], [*law, Fraction(0)]
    return max(sum(max(a - z * b, 0) for a, b in zip(*pair, strict=True)) for pair in ((one, two), (two, one)))


def certificate(n, p, z, delta, verdict, lower, upper, more=()):
    return of_noise({"law": "binomial", "n": n, "p": str(p)} | dict(more), 1, z, delta, verdict, lower, upper)


def of_noise(noise, sensitivity, z, delta, verdict, lower, upper):
    mechanism = {"view": "count", "noise": noise, "sensitivity": sensitivity}
    claim = {"mechanism": mechanism, "adjacency": "replace", "datasets": "all"}
    claim |= {"eps": f"log({z})", "delta": str(delta)}
    top = {"format": "shufflecert certificate", "version": 2, "claim": claim, "verdict": verdict}
    return top | {"evidence": {"delta": {"lower": lower, "upper": upper}}}


def decimal(units):
    text = str(units).rjust(DIGITS + 1, "0")
    return f"{text[:-DIGITS]}.{text[-DIGITS:]}"


def cases(rng):
    """(certificate, whether it is true): of one count with binomial noise."""
    n, q = rng.randrange(1, 60), rng.randrange(2, 40)
    p, z = Fraction(rng.randrange(1, q), q), Fraction(rng.randrange(8, 40), 8)
    return around({"law": "binomial", "n": n, "p": str(p)}, 1, z, largest(n, p, z))


def around(noise, sensitivity, z, truth):
    """(certificate, whether it is true): ends and claims one unit above and below the truth."""
    found = truth * 10**DIGITS
    low = int(found)
    if not Fraction(1, 1000) < found - low < Fraction(999, 1000):
        return  # a tie, or next to one
    made = lambda *rest: of_noise(noise, sensitivity, z, *rest)  # noqa: E731
    ends, unit = (decimal(low), decimal(low + 1)), Fraction(1, 10**DIGITS)
    below, above = low * unit, (low + 1) * unit
    yield made(above, "PROVED", *ends), True
    yield made(below, "PROVED", *ends), False
    yield made(below, "REFUTED", *ends), True
    yield made(above, "REFUTED", *ends), False
    yield made(Fraction(1, 2) + above / 2, "PROVED", ends[1], decimal(low + 2)), False
    if low:
        yield made(Fraction(1, 2) + above / 2, "PROVED", decimal(low - 1), ends[0]), False


def some_noise(rng):
    """A law, as a certificate writes it, and Pr[k] for every integer k to 60 digits, by CERTIFICATE.md's formula."""
    part = Fraction(rng.randrange(1, 9), 10)
    p = real(part)
    lam = Fraction(rng.randrange(1, 80), rng.randrange(1, 9))
    r = real(lam)
    law = rng.choice(["binomial", "poisson", "negative_binomial", "discrete_laplace"])
    if law == "binomial":
        n = rng.randrange(1, 40)
        return {
            "law": law,
            "n": n,
            "p": str(part),
        }, lambda k: mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) * (0 <= k <= n)
    if law == "poisson":
        return {"law": law, "lam": str(lam)}, lambda k: mpmath.exp(-r) * r**k / mpmath.factorial(k) if k >= 0 else 0 * r
    if law == "negative_binomial":
        return {
            "law": law,
            "r": str(lam),
            "p": str(part),
        }, lambda k: mpmath.binomial(k + r - 1, k) * (1 - p) ** r * p**k if k >= 0 else 0 * r
    return {"law": law, "q": str(part)}, lambda k: (1 - p) / (1 + p) * p ** abs(k)


def largest_of(law, sensitivity, z):
    """The largest delta(log z) over all shifts and both directions, with terms beyond 10^-30 left out."""
    z = real(z)
    pr = [law(k) for k in range(-320, 480)]
    found = mpmath.mpf(0)
    for j in range(1, sensitivity + 1):
        pairs = list(zip(pr[j:], pr[:-j], strict=True))
        found = max(
            found, *(mpmath.fsum(max(a - z * b, 0) for a, b in side) for side in (pairs, [(b, a) for a, b in pairs]))
        )
    return Fraction(int(found * 10 ** (DIGITS + 6)), 10 ** (DIGITS + 6))


def test_slightly_above_and_below_the_truth(verified_kernel, tmp_path):
    rng, trees = random.Random(16), []
    while len(trees) < 300:
        trees += cases(rng)
    files = [json.dumps(tree).encode() for tree, _ in trees]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), (status, reason) in zip(trees, found, strict=True):
        assert status == ("accepted" if true else "rejected"), (tree, reason)
        assert not true or "check_count_sound" in reason
    for (_, true), data in list(zip(trees, files, strict=True))[:40]:
        assert kernel.check(data).status == ("accepted" if true else "rejected")
        assert judge(data) == ("true" if true else "false")


def test_all_laws_and_sensitivities(verified_kernel, tmp_path):
    """As above, for any of the four laws and up to four units."""
    rng, trees = random.Random(17), []
    with mpmath.workdps(60):
        while len(trees) < 100:
            noise, law = some_noise(rng)
            sensitivity, z = rng.randrange(1, 5), Fraction(rng.randrange(8, 24), 8)
            trees += around(noise, sensitivity, z, largest_of(law, sensitivity, z))
    files = [json.dumps(tree).encode() for tree, _ in trees]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), (status, reason) in zip(trees, found, strict=True):
        assert status == ("accepted" if true else "rejected"), (tree, reason)
    for (_, true), data in list(zip(trees, files, strict=True))[:30]:
        assert kernel.check(data).status == ("accepted" if true else "rejected")
    assert {tree["claim"]["mechanism"]["noise"]["law"] for tree, _ in trees} == {
        "binomial",
        "poisson",
        "negative_binomial",
        "discrete_laplace",
    }


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "accepted"),
        ({"n": 0}, "malformed"),
        ({"n": 10**15 + 1}, "malformed"),
        ({"p": "3/2"}, "malformed"),
        ({"p": "0"}, "rejected"),
        ({"p": "1"}, "rejected"),
        ({"q": "1/2"}, "malformed"),
        ({"law": "poisson"}, "malformed"),
        ({"law": "gaussian"}, "malformed"),
        ({"n": 10**15}, "undecided"),
    ],
)
def test_what_is_read_of_a_count(verified_kernel, tmp_path, change, status):
    """n = 1, p = 1/2, e^eps = 1: delta(0) of X + 1 against X is 1/2."""
    tree = certificate(1, Fraction(1, 2), 1, Fraction(1, 2), "PROVED", "0.5", "0.5", change)
    [(found, reason)] = verified.verdicts(tmp_path, [json.dumps(tree).encode()])
    assert found == status, reason


@pytest.mark.parametrize("p", [0, 1])
def test_noise_that_is_a_known_number(verified_kernel, tmp_path, p):
    """Bin(n, 0) = 0 and Bin(n, 1) = n: neighbours never show the same number, so delta(eps) is 1 at every eps."""
    cases = []
    for verdict, delta in (("PROVED", 1), ("PROVED", Fraction(9, 10)), ("REFUTED", Fraction(9, 10)), ("REFUTED", 1)):
        for lower, upper in (("1", "1"), ("0.5", "1"), ("0.5", "0.99")):
            true = upper == "1" and (delta == 1) == (verdict == "PROVED")
            tree = certificate(3, Fraction(1, 2), 2, Fraction(delta), verdict, lower, upper, {"p": str(p)})
            cases.append((json.dumps(tree).encode(), "accepted" if true else "rejected"))
    found = verified.verdicts(tmp_path, [data for data, _ in cases])
    for (data, expected), (status, reason) in zip(cases, found, strict=True):
        assert (status, kernel.check(data).status) == (expected, expected), reason


def test_a_hundred_million_users(verified_kernel, tmp_path):
    """No sum over n: a walk of a few standard deviations; the kernel agrees."""
    tree = certificate(10**8, Fraction(1, 10**5), 2, Fraction(1, 10**6), "PROVED", "0", "1e-6")
    data = json.dumps(tree).encode()
    assert kernel.check(data).status == "accepted"
    [(status, reason)] = verified.verdicts(tmp_path, [data])
    assert status == "accepted", reason
