"""The largest of many compositions: a first look in doubles, with a proved margin, at which it may be."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shufflecert.verify.compose.assignments import Assignment
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.copies import ProductPair

MANY = 16  # assignments, from which on doubles look first
HALF = 2000  # outcomes of half an assignment that doubles look at
BITS = 512  # at which these are computed: known to a part in 2^60, all are above 2^-452, and products above 0


def screened(listed: Sequence[Assignment], eps: Eps) -> Sequence[Assignment]:
    """The assignments whose delta(eps) may be the largest, by sums in doubles; all that doubles tell nothing of.

    Terms x - y, x = p_i p'_j of the first half's atom i and the second's j, y = e^eps q_i q'_j, are summed over E = {x
    (1 + 1e-11) >= y} as computed: for each i these are a prefix of the second half in falling order of p'/q'. Error:
    all four probabilities and e^eps are known to a part in 2^52, so that E has all j with x > y, and those with x <= y
    in it have y - x < 2e-11 x. Prefix sums and sums of at most HALF numbers of one sign are known to a part in 10^12.
    So the sum is within 1e-10 P(E) of delta(eps), but for P outside the atoms, which is added above.
    """
    import numpy as np

    low, high = eps.bounds(64)
    if len(listed) < MANY or high - low > low / 2**60 or high > 2**200:
        return listed
    t, most, least = float(high), list[float](), 0.0
    for assignment in listed:
        one, two = map(_doubles, assignment.halves)
        if one is None or two is None:
            most.append(1.0)
            continue
        with np.errstate(divide="ignore"):
            taken = np.searchsorted(two.rank, -(t / (1 + 1e-11)) * (one.q / one.p), side="right")
        inside = float(one.p @ two.sums[0][taken])
        value = inside - t * float(one.q @ two.sums[1][taken])
        least = max(least, value - 1e-10 * inside)
        most.append(value + 1e-10 * inside + one.outside + two.outside)
    if not max(most):
        return listed[:1]  # E is empty for all, so that all are 0
    return [assignment for assignment, value in zip(listed, most, strict=True) if value >= least]


@dataclass(frozen=True, eq=False)
class _Doubles:
    """A pair's atoms in falling order of p/q; `rank` is -p/q, `sums` are those of all prefixes of p and of q."""

    p: Any
    q: Any
    rank: Any
    sums: tuple[Any, Any]
    outside: float


@lru_cache(maxsize=2048)
def _doubles(half: ProductPair) -> _Doubles | None:
    """A pair's atoms as doubles; None where these are too many, or a probability is not known to a part in 2^60."""
    import numpy as np

    if half.outcomes() > HALF:
        return None
    atoms = half.atoms(BITS)
    if any((up - low) << 60 > low for law in (atoms.p, atoms.q) for low, up in zip(*law, strict=True)):
        return None
    p, q = (np.array([float(int(w)) for w in law[0]]) / 2.0**BITS for law in (atoms.p, atoms.q))
    p, q = p[p + q > 0], q[p + q > 0]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(p / q), kind="stable")
    p, q = p[order], q[order]
    with np.errstate(divide="ignore"):
        rank = -(p / q)
    sums = tuple(np.concatenate(([0.0], np.cumsum(law))) for law in (p, q))
    return _Doubles(p, q, rank, (sums[0], sums[1]), float(atoms.outside[0]) / 2.0**BITS)
