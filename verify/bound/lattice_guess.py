"""Which lattice suits a composition (`verify.bound.lattice`): a guess in floats, since any lattice gives true ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log2, sqrt

from flint import fmpz

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Atoms, AtomsAt

Part = tuple[AtomsAt, int]  # a pair, and how often it is taken

GRAIN = 88  # bits of a lattice's weights
WIDE = 17  # deviations of a sum of losses that all cells hold
FEW_RATIOS, FEW_STEPS = 4096, 64  # atoms, and ratios that differ, among which a common step is looked for
SURE, NEARLY = 40, 1e-7  # bits of a probability whose ratio is looked at; how near to a whole power ratios are
STEP_BITS, TILT_BITS = 10, 40  # significant bits of a step's logarithm, bits of a tilt
FARTHEST, KNOTS = 600.0, 640  # a loss; places at which a curve is looked at, evenly
STEEP, FLAT = 16, 1e-3  # logarithm of a tilt, at most; exponent of a tilt, at least, where delta's fall is guessed


@dataclass(frozen=True)
class Grid:
    """A lattice: the ratio from one place to the next, the factor by which weights are tilted there, the cells."""

    step: Fraction
    tilt: Fraction
    cells: int


def guessed(parts: Sequence[Part], eps: Eps, cells: int) -> tuple[Grid, Fraction]:
    """A lattice of so many cells that is about right for these runs at this eps, and about how large delta(eps) is.

    A guess, in floating point: Chernoff's bound with the tilt at which the mean of all losses is eps.
    """
    losses = [(times, *_losses(pair.atoms(GRAIN))) for pair, times in parts]
    target = float(Fraction(eps.enclosure(17)[1]))
    theta = _saddle(losses, target)
    spread = max(sqrt(max(_moments(logs, gains, theta)[1], 1e-12)) for _, logs, gains in losses)
    if (step := common_step([pair for pair, _ in parts])) is None:
        size = WIDE * spread / cells
        bits = max(STEP_BITS - int(log2(size)), 8)
        step = 1 + Fraction(max(round((exp(size) - 1) * 2**bits), 1), 2**bits)
    tilt = Fraction(max(round(exp(min(theta * log(step), STEEP)) * 2**TILT_BITS), 1), 2**TILT_BITS)
    height = sum(n * _log_moment(logs, gains, theta) for n, logs, gains in losses) - theta * target
    return Grid(step, tilt, cells), Fraction(1, 1 << min(max(int(-height / log(2)) + 8, 0), 1 << 14))


def _losses(atoms: Atoms) -> tuple[list[float], list[float]]:
    """log P and the privacy losses of atoms with both probabilities, in doubles."""
    unit, logs, gains = atoms.bits * log(2), [], []
    for p, q in zip(atoms.p[0], atoms.q[0], strict=True):
        if p and q:
            logs.append(_log(p) - unit)
            gains.append(_log(p) - _log(q))
    return logs or [0.0], gains or [0.0]


def _log(number: fmpz) -> float:
    shift = max(int(number).bit_length() - 60, 0)
    return log(int(number) >> shift) + shift * log(2)


def _log_moment(logs: list[float], gains: list[float], theta: float) -> float:
    tilted = [a + theta * x for a, x in zip(logs, gains, strict=True)]
    top = max(tilted)
    return top + log(sum(exp(max(a - top, -700)) for a in tilted))


def _moments(logs: list[float], gains: list[float], theta: float) -> tuple[float, float]:
    """The mean and the variance of a loss under P tilted by e^(theta loss)."""
    tilted = [a + theta * x for a, x in zip(logs, gains, strict=True)]
    top = max(tilted)
    weights = [exp(max(a - top, -700)) for a in tilted]
    whole = sum(weights)
    mean = sum(w * x for w, x in zip(weights, gains, strict=True)) / whole
    return mean, sum(w * (x - mean) ** 2 for w, x in zip(weights, gains, strict=True)) / whole


def _saddle(losses: Sequence[tuple[int, list[float], list[float]]], target: float) -> float:
    """The theta at which the mean of all losses is about the target."""
    low, high = -1.0, 1.0
    while high < 1 << 14 and sum(n * _moments(a, x, high)[0] for n, a, x in losses) < target:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        less = sum(n * _moments(a, x, middle)[0] for n, a, x in losses) < target
        low, high = (middle, high) if less else (low, middle)
    return (low + high) / 2


def common_step(pairs: Sequence[AtomsAt]) -> Fraction | None:
    """A ratio of which all pairs' ratios P/Q are powers, as it seems, so that hardly any atom is split; else None."""
    ratios, known = dict[int, Fraction](), 1 << GRAIN - SURE
    for pair in pairs:
        atoms = pair.atoms(GRAIN)
        if len(atoms.p[0]) > FEW_RATIOS:
            return None
        for p, q in ((int(p), int(q)) for p, q in zip(atoms.p[0], atoms.q[0], strict=True)):
            if min(p, q) >= known and 10**9 * abs(p - q) > p:
                ratio = Fraction(max(p, q), min(p, q))
                ratios.setdefault(round(10**9 * log(ratio)), ratio)
        if len(ratios) > FEW_STEPS:
            return None
    if not ratios:
        return None
    least = min(ratios.values())
    unit = log(least)
    even = all(abs(log(ratio) / unit - round(log(ratio) / unit)) < NEARLY for ratio in ratios.values())
    return least.limit_denominator(10**9) if even else None


def more_cells(known: Interval, digits: int, count: int) -> int:
    """How many cells to try next: the width falls as their inverse square."""
    wide = float((known.high - known.low) / known.high) if known.high else 1.0
    closer = int(count * sqrt(max(wide, 1e-12) * 10.0**digits) * 1.2) if wide < 0.2 else 4 * count
    return max(1 << (closer - 1).bit_length(), 2 * count)


def further(grid: Grid, factor: Fraction) -> Fraction:
    """About how much eps has to grow for delta(eps) to fall by this factor."""
    fall = max(log(float(grid.tilt)) / log(float(grid.step)), FLAT)
    return Fraction((log(factor) + 1e-6) / fall).limit_denominator(10**12)


def knots(seen: Sequence[Atoms], bits: int, before: int, beyond: int, point: int) -> list[int]:
    """Places x over 2^point at which curves like those of these pairs are worth knowing: evenly in the loss, and at the
    pairs' own losses.

    No more than 2^-beyond of P lies after the last one, and about 2^-before of it before the first.
    """
    losses, unit = set[float](), 1 << bits
    for atoms in seen:
        some = sorted((_log(p) - _log(q), int(p)) for p, q in zip(atoms.p[0], atoms.q[0], strict=True) if p and q)
        less = 0
        for loss, p in some:
            if less << before >= unit and (unit - less) << beyond >= unit:
                losses.add(max(min(loss, FARTHEST), -FARTHEST))
            less += p
    least, most = min(losses, default=0.0), max(losses, default=0.0)
    step = (most - least) * 17 / (16 * KNOTS)
    even = {least - 1e-9 + step * i for i in range(KNOTS + 1)} | {most + 1e-9}
    chosen = even | losses if len(losses) <= 2 * KNOTS else even
    return sorted({(int(exp(loss) * 2.0**40) or 1) << point - 40 for loss in chosen})
