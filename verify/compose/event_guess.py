"""Where the curve of an event is looked at, and which lattice holds its losses: guesses in floats, any will do."""

from fractions import Fraction
from math import ceil, exp, log, sqrt

from shufflecert.verify.bound.lattice_guess import Grid, Part

DOTS = 2000  # of a curve
FAR = 11  # deviations of normal noise within which dots are set
STEEP = 300  # the largest logarithm of a ratio at a dot
BITS = 256  # of the probabilities by which a lattice is chosen
BEYOND, STEEPEST = 1 << 20, 20  # share of delta that lies beyond the lattice; by how much it is tilted, at most


def places(
    square: Fraction | None, rate: Fraction, q: Fraction, added: bool, dots: int = DOTS
) -> list[Fraction]:
    """The x at which dots are set: ratios of the two densities at outcomes a fixed step apart.

    Of normal noise of variance 1 / `square`, else of Laplace noise of scale 1 / `rate`, on a sample of q.
    """
    found, share_of = set[Fraction](), float(q)
    mu = 0.0 if square is None else sqrt(square)
    for i in range(dots + 1):
        share = i / dots
        loss = float(rate) * (2 * share - 1) if square is None else mu * (share * (2 * FAR + mu) - FAR) - mu * mu / 2
        x = 1 - share_of + share_of * exp(min(max(loss, -STEEP), STEEP))
        if x > 0:
            found.add(Fraction(1 / x if added else x))
    return sorted(found)


def reaching(grid: Grid, size: Fraction, parts: list[Part]) -> tuple[Grid, Fraction]:
    """A lattice that holds every loss of one event that matters: wider steps where few outcomes have large ones."""
    most = 0.0
    for pair, times in parts:
        atoms, left = pair.atoms(BITS), int(size * 2**BITS / (times * BEYOND))
        listed = ((int(p), int(q)) for p, q in zip(atoms.p[1], atoms.q[0], strict=True) if p and q)
        for loss, p in sorted(((abs(log(p) - log(q)), p) for p, q in listed), reverse=True):
            left -= p
            if left < 0:
                most = max(most, loss)
                break
    step = 1 + Fraction(ceil((exp(most / (grid.cells - 4)) - 1) * 2**40), 2**40)
    if step <= grid.step:
        return grid, size
    slope = min(log(grid.tilt) / log(grid.step) * log(step), STEEPEST / grid.cells)
    return Grid(step, Fraction(round(exp(slope) * 2**40), 2**40), grid.cells), size
