"""Group privacy: datasets that differ in at most g users, enumerated, by shifts, by events, or by chaining one user's.

Groups of g are for g users what neighbours are for one; smaller groups are among them, since users may keep what they
hold. Where only one user's divergences are known, let P_0, ..., P_g be the laws of datasets each of which differs from
the one before in one user, and a_1 + ... + a_g = eps. Then

    H(P_0, P_g; eps) <= sum over i of e^(a_1 + ... + a_(i-1)) H(P_(i-1), P_i; a_i),

since max(p - st r, 0) <= max(p - s q, 0) + s max(q - t r, 0) for all p, q, r >= 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, floor, prod

from flint import fmpz

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Neighbourhood, Neighbours
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, dyadic, precision
from shufflecert.verify.exact.views import View
from shufflecert.verify.pairs.shifted_noise import MAX_SHIFT, ShiftedNoise
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction

LONG_CHAIN = 32  # users, beyond which all get the same part of eps


def work(around: Neighbourhood, group: int) -> int:
    """The estimated work of enumerating groups, in the unit of `Neighbourhood.work`."""
    view, others = around.view, around.n - group
    datasets = comb(others + len(view.classes) - 1, others)
    pairs = comb(len(view.inputs) + group - 1, group) ** 2
    words = 1 + around.n * view.denominator.bit_length() // 64
    return datasets * pairs * view.terms(around.n) * (1 + words // 16)


def enumerated(around: Neighbourhood, group: int) -> Iterator[tuple[Neighbours, Pair]]:
    """All pairs of datasets that differ in at most `group` users, as two multisets of these users' inputs."""
    view = around.view
    denominator = fmpz(view.denominator) ** around.n
    held = list(combinations_with_replacement(range(len(view.inputs)), group))
    factors = {inputs: prod((view.polynomials[x] for x in inputs), start=view.ring.constant(1)) for inputs in held}
    for counts, product in view.others(around.n - group):
        laws = {}
        for inputs, factor in factors.items():
            whole = factor * product
            laws[inputs] = whole.monoms(), whole.coeffs()
        firsts = [view.inputs[members[0]] for members in view.classes]
        others = {first: count for first, count in zip(firsts, counts, strict=True) if count}
        for one in held:
            for two in held:
                if one != two:
                    pair, _ = Pair.aligned(laws[one], laws[two], denominator)
                    yield Neighbours(_held(view, one), _held(view, two), others), pair


def _held(view: View, inputs: Sequence[int]) -> str:
    """ "3 x a + b"."""
    counts = Counter(view.inputs[x] for x in inputs)
    return " + ".join(x if count == 1 else f"{count} x {x}" for x, count in counts.items())


def shifted(member: NamedPair, group: int) -> NamedPair:
    """The pair of a group of users, from one user's pair, a `ShiftedNoise`. Raises BadInput for too large a shift."""
    assert isinstance(member.pair, ShiftedNoise)
    by = member.pair.by * group
    if abs(by) > MAX_SHIFT:
        raise BadInput(f"group: {group}: shifts a count by {abs(by)}: expected at most {MAX_SHIFT}")
    return NamedPair(ShiftedNoise(member.pair.noise, by), f"{group} x {member.source}", f"{group} x {member.target}")


def shifts(reach: Reduction, group: int) -> Reduction | None:
    """The reduction for a group, where that for one user only compares a count with its shifts; else None.

    Raises BadInput as `shifted` does.
    """
    if reach.dominating is not None or not isinstance(reach.attained, Pairs):
        return None
    members = list(reach.attained.members)
    if not all(isinstance(member.pair, ShiftedNoise) for member in members):
        return None
    return replace(reach, attained=Pairs([shifted(member, group) for member in members]))


def counted(
    randomizer: Randomizer, around: Iterable[Neighbours], group: int, n: int
) -> Iterator[tuple[SumPair, Neighbours]]:
    """Lower bounds for group privacy: pairs of datasets in which a whole group of users changes from x to x'.

    One for each pair of neighbours `around` that changes x to x'. The statistic is how many users send a message that
    is likelier on x than on x': by post-processing its pair of laws is dominated by that of the datasets. It is a sum
    of independent bits where all users send one message each; else nothing is yielded.
    """
    rows = {x: dict(law.items()) for x, law in randomizer.rows.items()} if randomizer.single_message else {}
    for pair in around:
        held = Counter(pair.others or {})
        if not {pair.source, pair.target, *held} <= rows.keys() or sum(held.values()) != n - 1:
            continue
        (most, _), *_ = held.most_common(1) or [(pair.source, 0)]
        if held[most] < group - 1:
            continue
        held[most] -= group - 1
        likelier = [m for m, p in rows[pair.source].items() if p > rows[pair.target].get(m, 0)]
        chance = {x: sum((row.get(m, Fraction(0)) for m in likelier), Fraction(0)) for x, row in rows.items()}
        others = tuple(Binomial(users, chance[x]) for x, users in held.items() if users)
        source, target = ((Binomial(group, chance[x]), *others) for x in (pair.source, pair.target))
        left = {x: users for x, users in held.items() if users}
        yield SumPair(source, target), Neighbours(f"{group} x {pair.source}", f"{group} x {pair.target}", left)


def chained(one: Callable[[Eps], Interval], group: int, eps: Eps) -> Interval:
    """An upper bound on delta(eps) for a group, by those for one user (`one`): the better of two ways to divide eps.

    Where delta falls like e^(-s eps), parts that grow by 1 + 1/s from user to user make all terms about equal.
    """
    with precision(128):
        whole = eps.exponent if eps.exponent is not None else dyadic(ball(eps.power or Fraction(1)).log().lower())
        part = whole / group
        splits = [[part] * group]
        near, far = (one(Eps.of(part * share)).high for share in (1, Fraction(9, 8)))
        if part and far and near > far * Fraction(1001, 1000) and group <= LONG_CHAIN:
            slope = dyadic((ball(near / far).log() / ball(part / 8)).mid())
            growth = [Fraction(1)]
            for _ in range(group - 1):
                growth.append(floor(growth[-1] * (1 + 1 / slope) * 2**64) / Fraction(2**64))
            splits.append([whole * share / sum(growth) for share in growth])
    best = Fraction(1)
    for split in splits:
        total, before = Fraction(0), Fraction(0)
        for share in split:
            total += Eps.of(before).bounds(64)[1] * one(Eps.of(share)).high
            before += share
        best = min(best, total)
    return Interval(best, best)
