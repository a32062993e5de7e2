"""Caps of a sphere, all of one share s: how much two of them share, and how far others' caps can keep away from two.

A unit vector y, uniform in dimension d, is projected onto the plane of x and z: its direction there is uniform, and its
length exceeds r with probability (1 - r^2)^h, h = (d - 2)/2. In polar coordinates about the middle of an angle theta of
x and z the points with y . x >= c and y . z >= c begin at the length c / cos(psi), psi from theta/2 on: their mass is

    m(theta) = (1/pi) int over psi from theta/2 to pi/2 of f(psi),   f = max(0, 1 - c^2/cos(psi)^2)^h,   m(0) = s.

f falls, so m falls and is convex. With v = tan(w), sin(psi) = (1 - c^2)^(1/2) sin(w), v_0 = tan(w) at psi = theta/2,

    m(theta) = ((1 - c^2)^((d-1)/2) / pi) int over v from v_0 on of (1 + c^2 v^2)^(-(d-1)/2) / (1 + v^2).

Lemma. For x, x', z let a be the mass of S_x without S_x', and m_1 (m_2) that of S_z inside S_x alone (S_x' alone). For
0 <= lam <= 1 and theta, the angle of x and x',

    2 a - lam (m_1 + m_2) <= 2 s - 2 (1 - lam) m(theta) - 2 lam m(pi - theta/2).

Proof. m_1 + m_2 = m(alpha) + m(beta) - 2 m_3, for the angles alpha, beta of z with x, x', and m_3 the mass of all three
caps, at most m(theta) = s - a. As alpha + beta <= 2 pi - theta and m falls and is convex, m(alpha) + m(beta) >=
2 m(pi - theta/2). QED

For z opposite to the middle of x and x' the three caps have only a null set in common: then the left side is
2 s - 2 m(theta) - 2 lam m(pi - theta/2), which is near the largest of the right sides.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import expm1, log, sqrt

from flint import acb, arb

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.rational import ball, ceiling_of, floor_of, precision, shorten

ANGLES = 2048  # of psi, between 0 and pi/2
ROUGH, CLOSE = 128, 400  # bits of balls, for the lemma, and for what one pair of inputs attains
STEPS = 8  # of Newton's
LARGE = 1000  # dimensions beyond which c is found for all caps
LITTLE = 320  # minus the logarithm, to base 2, of what c and the end of an integral are off


@dataclass(frozen=True)
class Caps:
    """The caps of this share, above 0 and at most 1/2, of the unit sphere in this dimension."""

    dim: int
    share: Fraction

    @cached_property
    def height(self) -> arb:
        """c, if the caps are not `small`: y . x >= c on a cap. By Newton's steps, then a look at both sides of them."""
        if 2 * self.share == 1:
            return arb(0)
        with precision(2 * CLOSE):
            low, high = Fraction(0), Fraction(sqrt(-expm1(2 * log(self.share) / (self.dim - 1))))
            while high - low > low / 2**10:
                middle = (low + high) / 2
                low, high = (middle, high) if self._cap(ball(middle)) > ball(self.share) else (low, middle)
            gammas = (arb(self.dim) / 2).lgamma() - (arb(self.dim - 1) / 2).lgamma()
            at, most = ball((low + high) / 2), gammas.exp() / arb.pi().sqrt()
            for _ in range(STEPS):
                at = (at + (self._cap(at) - ball(self.share)) / (most * (1 - at**2) ** (arb(self.dim - 3) / 2))).mid()
            off = arb(2) ** -LITTLE
            if not (self._cap(at - off) > ball(self.share) > self._cap(at + off)):
                raise Undecided(f"priv_unit: the cap of share {shorten(self.share)} in dimension {self.dim}")
            return (at - off).union(at + off)

    @cached_property
    def small(self) -> bool:
        """Whether c >= 1/2 for certain: then three caps at 120 degrees in a plane have null sets in common."""
        with precision(ROUGH):
            return self.dim <= LARGE and bool(self._cap(ball(Fraction(1, 2))) > ball(self.share))

    def _cap(self, c: arb) -> arb:
        """The share of the cap of this height."""
        return acb(1 - c**2).beta_lower(arb(self.dim - 1) / 2, arb(1) / 2, regularized=True).real / 2

    def both(self, turns: Fraction) -> arb:
        """m(pi turns), an angle from 0 to pi, at the precision in force."""
        c, half = self.height, arb.pi() * ball(turns) / 2
        if 2 * self.share == 1:
            return (1 - ball(turns)) / 2
        inside, power = (1 - c**2).sqrt(), self.dim - 1
        sine = half.sin() / inside
        if not sine < 1:
            return arb(0).union((arb.pi() / 2 - half) / arb.pi()) if not sine > 1 else arb(0)
        first = sine / (1 - sine**2).sqrt()
        # from `last` on the first factor is at most 2^-LITTLE, and the integral of the second at most pi/2
        last = ((LITTLE * arb(2).log() * 2 / power).expm1()).sqrt() / c
        rest = arb(0).union(arb(2) ** -LITTLE)

        def density(v: acb, analytic: bool) -> acb:
            return (-(1 + c**2 * v**2).log(analytic) * power / 2).exp() / (1 + v**2)

        found = acb.integral(density, first, last.upper()).real if first < last else arb(0)
        return (found * inside**power / arb.pi()) + rest

    @cached_property
    def least(self) -> list[arb]:
        """At psi = i / ANGLES of pi/2 ends below m(2 psi): sums of the values on the right of the falling f."""
        with precision(ROUGH):
            heights = list[arb]()
            for i in range(1, ANGLES):
                inside = 1 - (self.height / (arb.pi() * i / (2 * ANGLES)).cos()) ** 2
                value = (inside.log() * (arb(self.dim - 2) / 2)).exp() if inside > 0 else arb(0)
                heights.append(value.lower())
            sums = accumulate(reversed(heights), initial=arb(0))
            return [(total / (2 * ANGLES)).lower() for total in [arb(0), *sums]][::-1]

    def away(self, lam: Fraction) -> Fraction:
        """An upper bound on 2 a - lam (m_1 + m_2) for all x, x', z, by the lemma, for angles between each two."""
        if self.small:
            return 2 * self.share
        with precision(ROUGH):
            twice, found = 2 * ball(lam), 2 * ball(self.share) - 2
            for i in range(0, ANGLES, 2):
                kept = (2 - twice) * self.least[i + 2] + twice * self.least[ANGLES - i // 2]
                found = found.max(2 * ball(self.share) - kept)
            return min(2 * self.share, ceiling_of(found))

    def apart(self, lam: Fraction) -> Fraction:
        """A guess at the angle of x and x', over pi, where what is attained is largest."""
        if self.small:
            return Fraction(2, 3)
        lost = [float(self.least[i] + ball(lam) * self.least[ANGLES - i // 2]) for i in range(0, ANGLES + 1, 2)]
        return Fraction(2 * min(range(len(lost)), key=lost.__getitem__), ANGLES)

    def opposite(self, turns: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """For x and x' at this angle over pi, and z opposite to their middle: what x and x' have in common, and x and
        z; and how far these may be off."""
        if self.small and turns == Fraction(2, 3):
            return Fraction(0), Fraction(0), Fraction(0)
        with precision(CLOSE):
            ends = [self.both(turns), self.both(1 - turns / 2)]
            low, off = (
                [max(Fraction(0), floor_of(end)) for end in ends],
                max(ceiling_of(end) - floor_of(end) for end in ends),
            )
        common = min(self.share, low[0])
        least = (3 * self.share - 1 - common) / 2  # the three caps have no more than the sphere
        return common, max(least, min(low[1], self.share - common, self.share / 2)), 2 * off
