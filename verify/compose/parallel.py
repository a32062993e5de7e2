"""Parallel composition: systems that have no user in common.

Every user is in the runs of one system, so neighbouring datasets differ there only. All else that is seen is the same
on both sides and independent of it: the largest of the systems' own deltas is that of all, and the largest eps.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from shufflecert.verify.compose.composition import Composed
from shufflecert.verify.enclose.interval import Interval, largest
from shufflecert.verify.exact.epsilon import Delta
from shufflecert.verify.exact.rational import ball, dyadic, precision


def apart(answers: Sequence[Composed]) -> Composed:
    """Parallel composition, of systems that have no user in common: the largest delta, or the largest eps."""
    if any(answer.delta is None for answer in answers):
        return _largest_eps(answers)
    ends = [_ends(answer.delta) for answer in answers]
    best = max(range(len(ends)), key=lambda i: ends[i].low)
    alone = all(ends[best].low >= end.high for i, end in enumerate(ends) if i != best)
    return replace(_joined(answers, answers[best]), delta=answers[best].delta if alone else largest(ends))


def _largest_eps(answers: Sequence[Composed]) -> Composed:
    """The largest of some eps, infinite ones first; exact ones are compared exactly, others by their intervals."""
    for answer in answers:
        if answer.interval is None and answer.power is None:
            return _joined(answers, answer)
    if all(answer.power is not None for answer in answers):
        return _joined(answers, max(answers, key=lambda answer: answer.power or 0))
    ends = [_interval(answer) for answer in answers]
    best = max(range(len(ends)), key=lambda i: ends[i][0])
    highs = [high for _, high in ends if high is not None]
    high = max(highs) if len(highs) == len(ends) else None
    return replace(_joined(answers, answers[best]), interval=(ends[best][0], high), power=None)


def _joined(answers: Sequence[Composed], worst: Composed) -> Composed:
    counts = [answer.stands_for for answer in answers]
    return replace(
        worst,
        compositions=sum(answer.compositions for answer in answers),
        stands_for=None if None in counts else sum(count or 0 for count in counts),
        two_sided=any(answer.two_sided for answer in answers),
        by="; ".join(dict.fromkeys(answer.by for answer in answers)),
    )


def _ends(value: Delta | Interval | None) -> Interval:
    if isinstance(value, Delta):
        low, high, scale = value.bounds(256)
        return Interval(max(Fraction(int(low), int(scale)), Fraction(0)), Fraction(int(high), int(scale)))
    assert value is not None
    return value


def _interval(answer: Composed) -> tuple[Fraction, Fraction | None]:
    if answer.power is None:
        assert answer.interval is not None
        return answer.interval
    with precision(192):
        eps = ball(answer.power).log()
        return max(dyadic(eps.lower()), Fraction(0)), dyadic(eps.upper())
