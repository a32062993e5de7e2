"""The kernel against hand-made certificates, closed forms, mpmath and brute force.

Every check is a function of the kernel: tests/kernel_mutants.py runs the same battery against damaged kernels. Files in
accepted/ and rejected/ carry their closed form in `note`; those in malformed/ are listed in kernel_checks.py with their
place.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from tests.kernel_battery import BATTERY, HERE, MALFORMED, QUICK, S3, SYMMETRIC, ZSUM, alone, certificate, pair, proof
from tests.kernel_checks import CHECKS
from verify import kernel


def noticed(k: Any) -> str | None:
    """The first of the battery and the checks that this kernel fails, if any: what tests/kernel_mutants.py runs."""
    for name, data, status in BATTERY:
        try:
            if k.check(data, max_work=QUICK if status == "undecided" else k.MAX_WORK).status != status:
                return name
        except Exception as error:
            return f"{name}: {error!r}"
    for check in CHECKS:
        try:
            check(k)
        except BaseException as error:
            return f"{check.__name__}: {error!r}"
    return None


@pytest.mark.parametrize(("name", "data", "status"), BATTERY, ids=[name for name, _, _ in BATTERY])
def test_verdict(name: str, data: bytes, status: str) -> None:
    verdict = kernel.check(data, max_work=QUICK if status == "undecided" else kernel.MAX_WORK)
    assert verdict.status == status, verdict.reason
    assert "\n" not in verdict.reason and len(verdict.reason) < 1000


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
def test_part(check: Callable[[Any], None]) -> None:
    check(kernel)


def test_every_malformed_file_has_its_place() -> None:
    assert sorted(MALFORMED) == sorted(file.stem for file in (HERE / "malformed").glob("*.json"))


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 10**60), (1, 3), (1, 1), (50, 1), (123456, 12345), (10000, 1)])
@pytest.mark.parametrize("bits", [64, 1000, 20000])
def test_enclosure_against_mpmath(p: int, q: int, bits: int) -> None:
    low, high, scale = kernel.enclose((p, q, False), bits, kernel.Budget(work=10**9))
    with mpmath.workprec(bits + 15000):
        exact = mpmath.exp(mpmath.mpf(p) / q)
        assert mpmath.mpf(low) / scale <= exact <= mpmath.mpf(high) / scale
        assert mpmath.mpf(high - low) / low < mpmath.mpf(2) ** -bits


def test_large_cases_in_seconds() -> None:
    """zsum n = 1000, p = 19/20: delta(0) is the largest weight of Bin(1000, 19/20), at 950; krr at n = 30."""
    top = Fraction(math.comb(1000, 950) * 19**950, 20**1000)
    ends = [f"{int(top * 10**20) + end}e-20" for end in (0, 1)]
    data = certificate(ZSUM, 1000, "0", str(top), proof(pair("0", "1", {"0": 500, "1": 499}), *ends))
    assert kernel.check(data).status == "accepted"
    data = certificate(ZSUM, 1000, "0", str(top * Fraction(10**9 - 1, 10**9)), proof(pair("0", "1", {"0": 999})))
    assert kernel.check(data).status == "rejected"
    data = certificate(SYMMETRIC, 30, "1/2", "1/10", proof(pair("a", "b", {"c": 29}), symmetries=S3))
    verdict = kernel.check(data)
    assert verdict.status == "accepted" and "465 of 2790 pairs" in verdict.reason


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["accepted/krr-two.json", "accepted/single-input.json"], 0),
        (["rejected/rr-upper.json", "accepted/rr-two.json"], 1),
        (["rejected/rr-upper.json", "malformed/nan.json"], 2),
        (["absent.json"], 2),
    ],
)
def test_alone(names: list[str], code: int) -> None:
    done = alone(*(str(HERE / name) for name in names))
    assert done.returncode == code and done.stderr == "" and len(done.stdout.splitlines()) == len(names)
    for name, line in zip(names, done.stdout.splitlines(), strict=True):
        assert line.split(": ")[1] == (name.split("/")[0] if "/" in name else "malformed")


def test_alone_undecided_and_misused() -> None:
    done = alone(str(HERE / "accepted/rr-local.json"), "--max-bits", "64")
    assert done.returncode == 3 and ": undecided: too few bits" in done.stdout
    done = alone()
    assert done.returncode == 2 and "usage" in done.stderr and "Traceback" not in done.stderr
    done = alone("--max-bits", "many", "x")
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_imports_only_the_standard_library() -> None:
    source = Path(kernel.__file__).read_text()
    names = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert names <= sys.stdlib_module_names and len(source.splitlines()) <= 1900 and "float(" not in source
