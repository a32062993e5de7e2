"""Which lattice suits a composition (`verify.pairs.lattice`): a guess in floats, since any lattice gives true ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, floor, log, log2, pi, sqrt
from typing import Any

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Atoms, AtomsAt
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
Part = tuple[AtomsAt, int]  # a pair, and how often it is taken

GRAIN = 128  # bits of a lattice's weights
FAR, FARTHER = 29.0, 37.0  # logarithms of what is cut off, relatively
STEEPEST = 20  # logarithm of all tilts of a lattice whose step is that of the largest loss
FEW_RATIOS, FEW_STEPS = 4096, 64  # atoms, and ratios that differ, among which a common step is looked for
SURE, NEARLY = 40, 1e-7  # bits of a probability whose ratio is looked at; how near to a whole power ratios are
FIRST_BITS, LAST_BITS, SPARE = 128, 1 << 14, 64  # bits of the outcomes that are looked at; more than delta has
TOLD = 8  # bits to which a weight is known whose loss is looked at: with fewer it may be that of the rounding
STEP_BITS, TILT_BITS = 10, 40  # significant bits of a step's logarithm, bits of a tilt
ALIKE = 256  # parts of a loss's deviation, in which atoms are taken together
FARTHEST, KNOTS = 600.0, 640  # a loss; places at which a curve is looked at, evenly
STEEPEST_TILT = 1 << 14  # an exponent of a tilt, at most
STEEP, FLAT = 16, 1e-3  # logarithm of a tilt, at most; exponent of a tilt, at least, where delta's fall is guessed


@dataclass(frozen=True)
class Grid:
    """A lattice: the ratio from one place to the next, the factor by which weights are tilted there, the cells."""

    step: Fraction
    tilt: Fraction
    cells: int


def guessed(parts: Sequence[Part], eps: Eps, cells: int, steeply: bool = False) -> tuple[Grid, Fraction]:
    """A lattice of so many cells that is about right for these runs at this eps, and about how large delta(eps) is.

    Where the largest loss is far from the others, its tilt is small unless it may be steep: so that no cell is lost
    where few runs decide, and not of use for a delta that is far below what most outcomes have.
    A guess, in floating point: Chernoff's bound with the tilt at which the mean of all losses is eps, or near it, so
    that eps near one another have one lattice. The step is such that the cells hold what is multiplied last.
    """
    losses, theta, about = _aimed(tuple(parts), eps)
    steep = float(STEEP)
    if (step := common_step(tuple(pair for pair, _ in parts))) is None:
        ones, alone = [law.moments(theta)[1] for law in losses], len(losses) == 1
        last = max(one * (law.times - law.times // 2 * alone) for one, law in zip(ones, losses, strict=True))
        wide, one = sqrt(max(last, 1e-12)), sqrt(max(*ones, 1e-12))
        beyond = sqrt((theta * wide) ** 2 + 2 * FARTHER) - theta * wide  # deviations above eps that count
        rare = log(about.denominator) + 2 * log(2 * cells)  # what is beyond falls with the width
        size = wide * (sqrt(2 * FAR) + beyond) / cells / 2.0 ** max(floor(log2(wide / one)), 0)
        if (least := max(law.largest(rare) for law in losses) / (cells - 4)) > size:
            size, steep = least, STEEPEST / cells if least > 3 * size and not steeply else steep
        bits = max(STEP_BITS - int(log2(size)), 8)
        step = 1 + Fraction(max(round((exp(size) - 1) * 2**bits), 1), 2**bits)
    tilt = Fraction(max(round(exp(min(theta * log(step), steep)) * 2**TILT_BITS), 1), 2**TILT_BITS)
    return Grid(step, tilt, cells), about


def about_delta(parts: Sequence[Part], eps: Eps) -> Fraction:
    """About how large delta(eps) of the product of all pairs is: a guess, by Chernoff's bound."""
    return _aimed(tuple(parts), eps)[2]


def epsilon_about(parts: Sequence[Part], delta: Fraction) -> tuple[Fraction, Fraction] | None:
    """About the eps at which delta(eps) of the product of all pairs is this, and how fast log delta falls there.

    A guess, by the saddle point: with K(s) = log E_P e^(s loss), delta(eps) is about e^(K(s) - s eps) / (s (s + 1) sd)
    / sqrt(2 pi) where K'(s) = eps, and sd^2 = K''(s). None where no eps from 0 on seems to have it.
    """
    if not delta:
        return None
    aim = log(delta.numerator) - log(delta.denominator)
    losses = _losses(tuple(parts), max(FIRST_BITS, SPARE + 2 * int(-aim / log(2))))

    def at(theta: float) -> tuple[float, float]:
        """The eps whose saddle point this is, and log delta there."""
        moments = [(law.times, *law.moments(theta)) for law in losses]
        eps, variance = (sum(times * one[i] for times, *one in moments) for i in (0, 1))
        height = _height(losses, theta, eps)
        return eps, height - log(max(theta * (theta + 1) * sqrt(2 * pi * variance), 1e-300))

    low, high = 1e-6, 1.0
    while at(high)[1] > aim and high < STEEPEST_TILT:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle)[1] > aim else (low, middle)
    eps, found = at(high)
    if not eps > 0 or abs(found - aim) > 1:
        return None
    return Fraction(eps).limit_denominator(10**6), Fraction(high).limit_denominator(10**6)


@dataclass(frozen=True)
class LogLosses:
    """A pair in doubles: the logarithms of P and the privacy losses of its atoms, and how often it is taken."""

    times: int
    logs: Any
    gains: Any

    def largest(self, rare: float) -> float:
        """The largest privacy loss, either way, but for those of outcomes that have less than e^-rare in all."""
        order = np.argsort(-abs(self.gains))
        some = np.flatnonzero(np.logaddexp.accumulate(self.logs[order]) + log(self.times) > -rare)
        return abs(float(self.gains[order[some[0]]])) if len(some) else 0.0

    def _tilted(self, theta: float) -> tuple[float, Any]:
        tilted = self.logs + theta * self.gains
        top = float(tilted.max())
        return top, np.exp(np.maximum(tilted - top, -700))

    def log_moment(self, theta: float) -> float:
        """The logarithm of the mean of e^(theta loss) under P."""
        top, weights = self._tilted(theta)
        return top + log(float(weights.sum()))

    def moments(self, theta: float) -> tuple[float, float]:
        """The mean and the variance of a loss under P tilted by e^(theta loss)."""
        _, weights = self._tilted(theta)
        whole = float(weights.sum())
        mean = float((weights * self.gains).sum()) / whole
        return mean, float((weights * (self.gains - mean) ** 2).sum()) / whole


@lru_cache(maxsize=8)
def _losses(parts: tuple[Part, ...], bits: int) -> list[LogLosses]:
    """The pairs in doubles, of atoms both of whose probabilities are told."""
    found = []
    for pair, times in parts:
        atoms = pair.atoms(bits)
        ends = zip(*atoms.p, *atoms.q, strict=True)
        told = ((p, q) for p, most, q, other in ends if p and q and most - p <= p >> TOLD and other - q <= q >> TOLD)
        both = [(log(int(p)), log(int(q))) for p, q in told]
        laws = np.array(both or [(0.0, 0.0)])
        found.append(LogLosses(times, laws[:, 0] - atoms.bits * log(2), laws[:, 0] - laws[:, 1]))
    return found


@lru_cache(maxsize=16)
def _aimed(parts: tuple[Part, ...], eps: Eps) -> tuple[list[LogLosses], float, Fraction]:
    """The pairs in doubles, the tilt for an eps, that those near it have as well, and about how large delta(eps) is."""
    target, bits, most = float(Fraction(eps.enclosure(17)[1])), FIRST_BITS, -1.0
    while True:
        losses = _losses(parts, bits)
        theta = _saddle(losses, target)
        before, most = most, sum(law.times * float(law.gains.max()) for law in losses)
        if bits >= LAST_BITS or _height(losses, theta, target) + log(2) * (bits - SPARE) > 0:
            break
        if most + LAST_BITS / bits * (most - before) < target:
            break  # no outcome that is looked at will come to eps: all that is beyond it is at infinity
        bits *= 4  # what decides is rarer than these outcomes
    tilt = 0.0  # where no loss comes to the target
    if most >= target:
        spread = sqrt(sum(law.times * law.moments(theta)[1] for law in losses))
        near = max(spread, 1e-6) / 4
        unit = 2.0 ** floor(log2(near))
        tilt = theta = max(_saddle(losses, round(target / unit) * unit), 0.0)
    return losses, tilt, Fraction(1, 1 << min(max(int(-_height(losses, theta, target) / log(2)) + 8, 0), bits))


def _height(losses: Sequence[LogLosses], theta: float, target: float) -> float:
    """The logarithm of Chernoff's bound on the chance that the losses sum to the target."""
    return sum(law.times * law.log_moment(theta) for law in losses) - theta * target


def _saddle(losses: Sequence[LogLosses], target: float) -> float:
    """The theta at which the mean of all losses is about the target."""
    low, high = -1.0, 1.0
    while high < STEEPEST_TILT and sum(law.times * law.moments(high)[0] for law in losses) < target:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        less = sum(law.times * law.moments(middle)[0] for law in losses) < target
        low, high = (middle, high) if less else (low, middle)
    return (low + high) / 2


@lru_cache(maxsize=8)
def common_step(pairs: tuple[AtomsAt, ...]) -> Fraction | None:
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


def alike(atoms: Atoms) -> Any:
    """For each atom a number, the same for those whose losses are nearer than a small part of their deviation."""
    p, q = (np.array([log(int(w) or 1) for w in weights]) for weights in (atoms.p[0], atoms.q[1]))
    losses, weights = p - q, np.exp(p - atoms.bits * log(2))
    mean = float((weights * losses).sum() / weights.sum())
    spread = sqrt(float((weights * (losses - mean) ** 2).sum() / weights.sum())) or 1.0
    return np.unique(np.floor(losses * (ALIKE / spread)), return_inverse=True)[1]


def more_cells(known: Interval, digits: int, count: int) -> int:
    """How many cells to try next: the width falls as their inverse square."""
    wide = float((known.high - known.low) / known.high) if known.high else 1.0
    closer = int(count * sqrt(max(wide, 1e-12) * 10.0**digits) * 1.2) if wide < 0.2 else 4 * count
    return max(1 << (closer - 1).bit_length(), 2 * count)


def further(grid: Grid, factor: Fraction) -> Fraction:
    """About how much eps has to grow for delta(eps) to fall by this factor."""
    fall = max(log(float(grid.tilt)) / log(float(grid.step)), FLAT)
    return Fraction((log(factor) + 1e-6) / fall).limit_denominator(10**12)


def place(p: int, q: int, step: Fraction) -> int:
    """About the largest j with step^j <= p/q."""
    return floor((log(p) - log(q)) / log(step))


def knots(seen: Sequence[Atoms], bits: int, before: int, beyond: int, point: int) -> list[int]:
    """Places x over 2^point at which curves like those of these pairs are worth knowing: evenly in the loss, and at the
    pairs' own losses.

    No more than 2^-beyond of P lies after the last one, and about 2^-before of it before the first.
    """
    losses, unit = set[float](), 1 << bits
    for atoms in seen:
        both = [(p, q) for p, q in zip(atoms.p[0], atoms.q[0], strict=True) if p and q]
        some = sorted((log(int(p)) - log(int(q)), int(p)) for p, q in both)
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
