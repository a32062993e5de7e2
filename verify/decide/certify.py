"""A privacy claim, decided: PROVED, REFUTED or UNDECIDED, with a certificate that the kernel re-checks."""

from dataclasses import replace

from shufflecert.verify.bound.bound import Bound, Certified, Claim
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import by_an_end, by_fewer
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.reduce.pure import pure_epsilon
from shufflecert.verify.systems.population import unstated

__all__ = ["Certified", "Claim", "certify", "lighter", "to_decide"]


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
