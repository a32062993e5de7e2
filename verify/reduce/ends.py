"""Totals that one of two datasets never has: a lower bound on P(Q = 0), by ends of the numbers of messages.

Lemma. Let messages have any weights, t the largest sum of them that Q's user can send, and M the largest that all
others can. Q has no total above t + M. P has one where its user sends v > t and the others' sum is above M - (v - t).
The same holds in each class of what every view tells apart (verify/reduce/event.py), t the largest sum in that class.

Weights that are looked at: of one message 1, or -1; of all messages the same; and where P and Q have the same end of
one, and messages are few, so much for it that a second one counts only there, as in verify/reduce/pure.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from flint import arb

from shufflecert.verify.exact.randomizer import Messages
from shufflecert.verify.exact.rational import ball, floor_of, precision

Row = Mapping[Messages, Fraction]
Weights = tuple[tuple[str, int], ...]
BITS = 128
FEW = 6  # messages up to which two of them are looked at together
FARTHEST = 64  # from the others' largest sum: what is farther is left out
RARE = 1 << 11  # of the others, so many of whom are not at their end on average: nearly nothing is left of it


def never(members: Iterable[tuple[Row, Row]], others: Sequence[tuple[Row, int]]) -> Fraction:
    """A lower bound on P(Q = 0): `members` are what the user sends, class by class; `others` are rows and counts."""
    told, apart = Fraction(0), list[tuple[Row, Row]]()
    for p, q in members:
        if q:
            apart += [(p, q)] if p else []
        else:
            told += sum(p.values(), Fraction(0))
    return told + _largest(apart, others)[0]


def beyond(p: Row, q: Row, others: Sequence[tuple[Row, int]]) -> tuple[Fraction, dict[str, int], int]:
    """(a probability from below, weights, a sum): of a larger sum of the weights in P, which Q never has."""
    mass, weights = _largest([(p, q)], others)
    ends = [_end(q, weights), *(n * _end(row, weights) for row, n in others)]
    return mass, weights, sum(ends)


def _largest(members: Sequence[tuple[Row, Row]], others: Sequence[tuple[Row, int]]) -> tuple[Fraction, dict[str, int]]:
    """The largest probability of the lemma, from below, and its weights."""
    orders = dict.fromkeys(weights for p, q in members for weights in _orders(p, q, others))
    found = ((_beyond(members, others, dict(weights)), dict(weights)) for weights in orders)
    return max(found, key=lambda one: one[0], default=(Fraction(0), {}))


def _end(row: Iterable[Messages], weights: Mapping[str, int]) -> int:
    return max(_total(sent, weights) for sent in row)


def _total(sent: Messages, weights: Mapping[str, int]) -> int:
    return sum(weights.get(m, 0) for m in sent)


def _orders(p: Row, q: Row, others: Sequence[tuple[Row, int]]) -> Iterator[Weights]:
    """Weights by which P's largest sum is above Q's."""
    first = _ends(p), _ends(q)
    names = sorted({m for m, _ in (*first[0], *first[1])})
    signed = [(m, sign) for m in names for sign in (1, -1)]
    large = 1 + max(len(sent) for row in (p, q, *(row for row, _ in others)) for sent in row)
    for m, sign in signed:
        a, b = (ends.get((m, sign), 0) for ends in first)
        if a > b:
            yield ((m, sign),)
        elif a == b and len(names) <= FEW:
            one, two = (_ends([sent for sent in row if sign * sent.count(m) == a]) for row in (p, q))
            for second in signed:
                if one.get(second, 0) > two.get(second, 0):
                    yield (m, sign * large), second
    every = sorted({m for row, _ in others for sent in row for m in sent}.union(names))
    for sign in (1, -1):
        if max(sign * len(sent) for sent in p) > max(sign * len(sent) for sent in q):
            yield tuple((m, sign) for m in every)


def _ends(row: Iterable[Messages]) -> dict[tuple[str, int], int]:
    """The largest number of each message, and less the smallest one; what is not there is 0."""
    numbers: dict[str, list[int]] = {}
    outputs = list(row)
    for sent in outputs:
        for m, number in Counter(sent).items():
            numbers.setdefault(m, []).append(number)
    ends = {(m, 1): max(some) for m, some in numbers.items()}
    return ends | {(m, -1): -min(some) for m, some in numbers.items() if len(some) == len(outputs)}


def _beyond(
    members: Sequence[tuple[Row, Row]], others: Sequence[tuple[Row, int]], weights: Mapping[str, int]
) -> Fraction:
    """The lemma's probability for these weights, from below."""
    gains: dict[int, Fraction] = {}
    for p, q in members:
        end = _end(q, weights)
        for sent, w in p.items():
            if (more := min(_total(sent, weights) - end, FARTHEST)) > 0:
                gains[more] = gains.get(more, Fraction(0)) + w
    with precision(BITS):
        near = [arb(1)] + [arb(0)] * (max(gains) - 1)  # Pr[the others' sum is so far below its largest]
        for row, n in others:
            end, law = _end(row, weights), [Fraction(0)] * len(near)
            for sent, w in row.items():
                if (less := end - _total(sent, weights)) < len(law):
                    law[less] += w
            if n * (1 - law[0]) > RARE:
                return Fraction(0)
            near = _times(near, _power([ball(w) for w in law], n))
        return sum((w * max(floor_of(sum(near[:more], arb(0))), Fraction(0)) for more, w in gains.items()), Fraction(0))


def _times(one: Sequence[arb], two: Sequence[arb]) -> list[arb]:
    """The product of two power series, as long as the first."""
    return [sum((one[i] * two[k - i] for i in range(k + 1)), arb(0)) for k in range(len(one))]


def _power(series: Sequence[arb], n: int) -> list[arb]:
    """The nth power of a power series whose first coefficient is above 0."""
    found = [series[0] ** n]
    for k in range(1, len(series)):
        terms = ((n * i - k + i) * series[i] * found[k - i] for i in range(1, k + 1) if series[i] != 0)
        found.append(sum(terms, arb(0)) / (k * series[0]))
    return found
