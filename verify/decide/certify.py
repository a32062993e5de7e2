"""A privacy claim, decided: PROVED, REFUTED or UNDECIDED, with a certificate that the kernel re-checks.

Beside it: the local eps, the least promise that is proved, and what is decided next to what is not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from shufflecert.verify.bound.bound import Bound, Certified, Claim, WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import by_an_end, by_fewer
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, MAX_EPS, Eps
from shufflecert.verify.exact.randomizer import Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import decimal_above, decimal_below, plain, probability
from shufflecert.verify.reduce.pure import pure_epsilon
from shufflecert.verify.systems.population import declared, presence_of, unstated, without_presence

__all__ = [
    "Certified",
    "Claim",
    "Nearest",
    "certify",
    "farther",
    "larger_accepted",
    "least_delta",
    "least_eps",
    "lighter",
    "local_epsilon",
    "nearest",
    "to_decide",
]

Of = TypeVar("Of")
MOST_PAIRS = 10**9  # of datasets, that enumeration may take on
WRITTEN = 3  # digits of a number that a person writes
FACTORS = Fraction(1001, 1000), Fraction(6, 5), 2, 100  # times a delta whose certificate is too much work
NEAR = Fraction(21, 20)  # times an eps or a delta whose certificate is too much work: how near another one is tried
LEAST = Fraction(1, 10**30)  # in the place of 0
EASIER = "only what check accepts with its defaults is written: fewer users, or rounder eps and delta, need less"
MOST_ENTRIES = 100_000  # of a table whose local eps is looked at


def to_decide(question: Question, effort: Effort) -> Bound:
    """The Bound that decides claims about a question. Raises BadInput where no certificate can state them."""
    if refusal := unstated(question.protocol):
        raise BadInput(refusal)
    return bound_of(question, effort)


def certify(
    system: Randomizer | System,
    n: object = 1,
    eps: object = 0,
    delta: object = 0,
    view: str = "shuffled",
    *,
    note: str = "",
    max_bits: int = MAX_BITS,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
) -> Certified:
    """Decide whether delta(eps) <= delta for all neighbouring datasets of n users, both directions.

    eps in nats, delta a probability. UNDECIDED where `max_bits` bits do not decide a comparison, or where delta lies
    between what real datasets attain and what a dominating pair allows. Raises BadInput, and
    TooMuchWork where enumeration would exceed the effort's `work`.
    """
    bound, at = probability(delta, "delta"), Eps.of(eps)
    asked = to_decide(Question.of(system, n, view), replace(effort, bits=max_bits))
    return replace(asked.decided(at, bound), note=note)


def lighter(made: Certified) -> Certified | None:
    """The same verdict on a table's claim of delta = 0, with a certificate that takes less work to check than one that
    looks at all datasets of n users; None where none is known (verify/reduce/pure.py).

    PROVED by what 1, 2, 4, ... users need, fewer than n; REFUTED by an end of the numbers of messages.
    """
    claim, asked = made.claim, made.claim.question
    if claim.delta or claim.mechanism is not None or asked.view != "shuffled" or asked.counted == 1:
        return None
    if not made.event and ["each"] not in [one.get("tree") for one in (made.because or {}).get("pairs", ())]:
        return None  # it looks at less
    rows, because = asked.randomizer, None
    if made.verdict == "REFUTED":
        because = by_an_end(claim, pure_epsilon(rows, asked.counted))
    elif (found := by_fewer(claim, rows, asked.counted - 1, Effort())) is not None:
        because = found[2]
    return None if because is None else replace(made, because=because, event=(), probabilities=None)


def local_epsilon(system: Randomizer | System) -> Eps | None:
    """The pure eps of one user's own messages, in order: the logarithm of the largest ratio of two inputs' laws.

    Exact. None where no finite eps is kept, where there is no table, or a table of more than MOST_ENTRIES outputs. A
    system without a table may state it, as `local_epsilon`. None also where users come or go.
    """
    who, system = presence_of(system), without_presence(system)
    if who.adjacency != "replace" or who.take_part != 1:
        return None
    own = declared(system)
    if own is not None and own.unwritten():
        return own.local_epsilon
    rows = list(randomizer_of(system).rows.values())
    outputs = {output for row in rows for output, p in row.items() if p}
    if len(outputs) * len(rows) > MOST_ENTRIES:
        return None
    largest = Fraction(1)
    for output in outputs:
        seen = [row[output] if output in row else Fraction(0) for row in rows]
        if not min(seen):
            return None
        largest = max(largest, max(seen) / min(seen))
    return Eps.log(largest)


def least_eps(found: WorstEpsilon, delta: Fraction, why: str | None = None) -> Eps:
    """The least eps that is proved for this delta, rounded up to WRITTEN digits.

    `why` says why there is none, where that is known (`verify.reduce.reduction.given_away`). Raises BadInput where no
    finite eps keeps it, or none up to MAX_EPS is shown to, Undecided where no finite one is.
    """
    ends = _ends(found)
    if ends is None:
        none = f"--eps: left out, and no finite eps satisfies delta = {plain(delta)}"
        raise BadInput(f"{none}: {why or 'expected a larger --delta'}")
    if (high := ends[1]) is None:
        raise Undecided(f"no finite eps is shown to satisfy delta = {plain(delta)}: a larger --delta, or --max-work")
    least = decimal_above(high, WRITTEN)
    if Fraction(least) > MAX_EPS:
        told = f"--eps: left out, and the least that is shown to satisfy delta = {plain(delta)} is {least}"
        raise BadInput(f"{told}: expected a larger --delta, as no claim has an eps beyond {MAX_EPS}")
    return Eps.of(least)


def _ends(found: WorstEpsilon) -> Sequence[Fraction | None] | None:
    """Lower and upper bound of an eps; None where no finite one is enough."""
    return found.interval if found.eps is None else [Fraction(end) for end in found.eps.enclosure()]


def least_delta(found: WorstDelta) -> Fraction:
    """The least delta that is proved at this eps, rounded up to WRITTEN digits, and at most 1."""
    return min(Fraction(decimal_above(Fraction(found.delta.enclosure()[1]), WRITTEN)), Fraction(1))


@dataclass(frozen=True)
class Nearest:
    """What is decided at the same eps: a delta that is kept, one that is not, and what decides more, in words."""

    proved: Fraction | None
    refuted: Fraction | None
    more: str


def farther(delta: Fraction, more: bool) -> list[Fraction]:
    """A few deltas of WRITTEN digits beyond this one, each farther off: larger ones if `more`, else smaller ones."""
    if more:
        above = [Fraction(decimal_above(delta * factor, WRITTEN)) for factor in FACTORS] if delta else [LEAST]
        return [bound for bound in above if bound < 1]
    return [Fraction(decimal_below(delta / factor, WRITTEN)) for factor in FACTORS] if delta else []


def larger_accepted(
    asked: Bound,
    name: str,
    eps: Eps,
    delta: Fraction,
    accepted: Callable[[Eps, Fraction], Of | None],
    slightly: bool = False,
) -> Of | None:
    """What is accepted of claims with a larger eps, or delta, by `name`, than the one that is proved and not accepted.

    Of a few that are tried, of WRITTEN digits: the smallest, within NEAR of one that is not accepted; with `slightly`
    the next one before. If twice as much is not, what is known without a search is tried. None where neither is.
    """
    least, most = (delta, Fraction(1)) if name == "delta" else (Fraction(eps.enclosure()[1]), Fraction(MAX_EPS))

    def ask(one: Fraction) -> Of | None:
        if one >= most:
            return None
        return accepted(eps, one) if name == "delta" else accepted(Eps.of(one), delta)

    low, high = least, Fraction(decimal_above(2 * least, WRITTEN)) or LEAST
    if slightly and least:
        low = Fraction(decimal_above(least * FACTORS[0], WRITTEN))
        if (found := ask(low)) is not None:
            return found
    if (found := ask(high)) is None:
        low, high = high, _without_search(asked, name, eps, delta) or high
        found = ask(high) if high > low else None
    while found is not None and high > low * NEAR and (mean := _mean(low, high)) < high:
        if (closer := ask(mean)) is None:
            low = mean
        else:
            found, high = closer, mean
    return found


def _without_search(asked: Bound, name: str, eps: Eps, delta: Fraction) -> Fraction | None:
    """The least eps, or delta, that is proved where nothing is searched, rounded up to WRITTEN digits.

    None where there is none, or nothing is searched anyway.
    """
    if asked.covers is None:
        return None
    quick = asked.stated.within(0)
    try:
        if name == "delta":
            return least_delta(quick.delta(eps))
        _, high = _ends(quick.epsilon(delta)) or (None, None)
    except Undecided:
        return None
    return None if high is None else Fraction(decimal_above(high, WRITTEN))


def _mean(low: Fraction, high: Fraction) -> Fraction:
    """The geometric mean, rounded up to WRITTEN digits."""
    return Fraction(decimal_above(Fraction(Decimal(decimal_above(low * high, 2 * WRITTEN)).sqrt()), WRITTEN))


def nearest(result: Certified) -> Nearest | None:
    """The nearest decided claims: the bounds of the interval that contains an undecided delta, rounded outwards.

    None where the claim does not lie in an interval: then it is not the value of delta that is missing.
    """
    if result.worst is None or not isinstance(value := result.worst.delta, Interval):
        return None
    if not value.low <= result.claim.delta < value.high:
        return None
    above = min(Fraction(decimal_above(value.high, WRITTEN)), Fraction(1))
    below = Fraction(decimal_below(value.low, WRITTEN))
    if below == value.low:  # what is refuted is less than delta
        below *= Fraction(9, 10)
    scope = result.worst.scope
    if "box" in scope.by:
        more = "--tolerance T with a smaller T decides more, and takes longer"
    elif scope.stands_for is not None and scope.stands_for <= MOST_PAIRS:
        more = f"--max-work UNITS decides it by enumeration of all {scope.stands_for} pairs of datasets"
    else:
        more = "no option decides it: too many datasets for --max-work to enumerate; fewer users may be decided"
    return Nearest(above if above < 1 else None, below or None, more)
