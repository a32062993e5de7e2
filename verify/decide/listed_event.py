"""Events that are listed outcome by outcome: they refute a claim.

Where all datasets are too many to enumerate, one of them may still be small enough for its laws to be known exactly.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import prod

from flint import fmpz

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Case, Neighbourhood, Neighbours
from shufflecert.verify.exact.randomizer import Messages, Randomizer
from shufflecert.verify.exact.views import view_of

MOST_STEPS = 2_000_000_000  # of 64 bits, by which the kernel comes to a dataset's laws: outcomes, users and words


def case_of(rows: Randomizer, n: int, named: Neighbours) -> Case | None:
    """The laws of two neighbouring datasets of n users, exactly; None where the kernel would take long to find them."""
    view, held = view_of(rows), dict(named.others or {})
    outputs = max(map(len, view.rows))
    if n * view.terms(n) * outputs * (1 + n * view.denominator.bit_length() // 64) > MOST_STEPS:
        return None
    counts = tuple(sum(held.get(view.inputs[z], 0) for z in group) for group in view.classes)
    others = prod((base**count for base, count in zip(view.bases, counts, strict=True)), start=view.ring.constant(1))
    p, q = (view.polynomials[view.inputs.index(x)] * others for x in (named.source, named.target))
    pair, monomials = Pair.aligned((p.monoms(), p.coeffs()), (q.monoms(), q.coeffs()), fmpz(view.denominator) ** n)
    firsts = (view.inputs[group[0]] for group in view.classes)
    alike = {z: count for z, count in zip(firsts, counts, strict=True) if count}  # of one class: the same but a shift
    return Case(Neighbours(named.source, named.target, alike), pair, counts, monomials)


def outcomes_of(rows: Randomizer, n: int, case: Case, chosen: Iterable[int]) -> list[dict[Messages, int]]:
    """The outcomes at these indices, as multisets of messages."""
    return Neighbourhood(rows, view_of(rows), n, ()).outcomes(case, chosen)


def small_event(case: Case, eps: Eps, delta: Fraction) -> list[int]:
    """Find few outcomes (by index), the most telling first, with P(E) - e^eps Q(E) > delta.

    There must be such an event.
    """
    pair, bits = case.pair, 64
    while bits <= MAX_BITS:
        _, upper = eps.bounds(bits)
        above, below = map(fmpz, upper.as_integer_ratio())
        excess = [p * below - above * q for p, q in zip(pair.p, pair.q, strict=True)]
        total, needed, chosen = fmpz(0), pair.denominator * below * delta.numerator, []
        for i in sorted(range(len(excess)), key=excess.__getitem__, reverse=True):
            if excess[i] <= 0:
                break
            total += excess[i]
            chosen.append(i)
            if total * delta.denominator > needed:
                return chosen
        bits *= 2
    raise Undecided(f"no event of {case.neighbours} exceeds delta at {MAX_BITS} bits")
