"""Independent pairs seen together, different ones or one many times: delta(eps) of the composition, between two bounds.

With losses L = log(P/Q) and S their sum under Q, delta(eps) = E max(e^S - e^eps, 0). Where the outcomes are few, up to
their order, it is a finite sum (`Product`). Else a sum along a vertical line, as follows, for any number of pairs.

The line. For c > 1, z = c + i t and y = z - 1/2, max(e^s - e^eps, 0) is the integral over t of e^(zs + (1-z) eps) /
(y^2 - 1/4) over 2 pi. With M = E e^(cS), phi(t) = E e^(zS - it eps) / M and H = M e^((1-c) eps), the characteristic
function of S - eps tilted by e^(cS), and Chernoff's bound, delta(eps) = H/(2 pi) times the integral of
phi(t) / (y^2 - 1/4). All that follows is relative to H, so small values cost no more than large ones.

The jitter ends the integral. Let U be in [-a, a], symmetric, k(y) = E e^(yU). Under e^(-u/2) / k(1/2) it has E e^U = 1,
so by Jensen's inequality f(s) = max(e^s - e^eps, 0) is at most its mean over s + U, whose transform has the factor
k(y) / k(1/2). The difference over e^((s+eps)/2) is, for r = |s - eps|,

    E[2 sinh((U - r)/2); U > r] / k(1/2)  <=  j E[U - r; U > r]  <=  j E[U; U > r],      j = 2 sinh(a/2) / (a k(1/2)),

for s < eps at once, for s > eps since then it is E max(e^eps - e^(s+U), 0). Twice E[U; U > r], over both signs of r, has
the transform 2 k'(y) / y: by parts, E U e^(yU) = y times the integral of E[U; U > |r|] e^(yr). Hence, from both sides,

    K_up = k(y) / k(1/2) / (y^2 - 1/4),      K_low = K_up - j k'(y) / y.

U = a V, where V has density beta I_0(beta sqrt(1 - v^2)) / (2 sinh beta) on [-1, 1]: k(y) = g(w) / g(beta) with
g(w) = sinh(w) / w and w^2 = beta^2 + (a y)^2, no more than about e^-beta once a t > beta.

The echoes. For a step h of t, Poisson's summation formula makes h/(2 pi) sum_n phi(nh) K(c + inh) the sum over integers m
of D_K(m P), P = 2 pi / h, where D_K(r) = E f_K(s) e^((c-1)r) / H is the same at eps + r instead of eps; the true D is
between D_K_low and D_K_up. Steps of 2h give all multiples of P/2; the odd ones are subtracted, bounded by a sum with
alternating signs, steps h and a wider jitter, as they are small; the others, P, 2P, ..., are at most
C e^(-(b-c)r) M(b)/M(c), C = (b-1)^(b-1) / b^b, for any b >= 1 (the largest of max(e^s - e^x, 0) / e^(bs - (b-1)x)).

Cut off is what `Jitter.beyond` bounds with |phi| <= 1. Points where |phi| is small are bounded, not summed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, comb, floor
from operator import add, mul
from typing import Any

from flint import acb, acb_series, arb, fmpz

from verify.enclosure import Enclosure, largest, refine
from verify.errors import BadInput
from verify.frequency import Characteristic, Points, bits_of, power
from verify.noise import ball
from verify.number import Eps, dyadic, natural, precision
from verify.window import Atoms, AtomsAt, Product, Reversed, WindowPair

DIGITS = 6  # significant digits asked for
EFFORT = 1 << 31  # products of small integers
FEW = 20_000  # outcomes of half a composition, up to order
FINE = 80  # bits to which an atom's probabilities are known, or it counts as lost
FIRST_BITS, LAST_BITS = 256, 1 << 14
PRECISION = 256
TERMS = 10  # of a Taylor series
