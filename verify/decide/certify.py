"""A privacy claim, decided: PROVED, REFUTED or UNDECIDED, with a certificate that the kernel re-checks.

The certificate's form is defined beside the kernel, and written by verify/certificate.py. UNDECIDED has none: it states
nothing.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.bound.shown import Shown
from shufflecert.verify.decide.listed_event import case_of, outcomes_of, small_event
from shufflecert.verify.decide.worst_case import WorstDelta, enumerate_or_reduce, scope_of, worst_case
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Delta, Eps
from shufflecert.verify.exact.neighbours import Neighbourhood, Neighbours, unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, NOBODY, Messages, Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import DIGITS, natural, probability, text
from shufflecert.verify.exact.symmetry import Permutation, symmetries
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.privacy_blanket import event_of
from shufflecert.verify.reduce.pure import HERE as ENDS
from shufflecert.verify.reduce.pure import MOST_USERS
from shufflecert.verify.reduce.pure import WORK as FEW_WORK
from shufflecert.verify.reduce.reduction import Found, NamedPair, Reduction, worst_delta
from shufflecert.verify.systems.population import unstated, without_presence

MOST_DATASETS = 2_000_000  # of the others, one by one, by the kernel
MOST_CHECKED = 4_000_000  # outcomes of all of them, beyond which boxes of datasets are asked first
COMES_AND_GOES = ("thresholded counts", "release", "presence", "sampled")  # of which a claim may be add-remove


@dataclass(frozen=True)
class Claim:
    """ "This randomizer satisfies (eps, delta) in this view for all neighbouring datasets of n users."

    Or with a `mechanism` (`verify.certificate.seen_of`) in the place of the randomizer: "what is seen so keeps it".
    """

    randomizer: Randomizer | None
    n: int
    eps: Eps
    delta: Fraction
    view: str = "shuffled"
    mechanism: Mapping[str, Any] | None = None
    presence: Presence = EVERYBODY

    @property
    def neighbours(self) -> Any:
        """The neighbours as a certificate writes them; from a mechanism's on a lemma of the system's own goes on."""
        if self.mechanism is not None:
            comes = self.mechanism["view"] in COMES_AND_GOES and self.presence.adjacency == "add-remove"
            return "add-remove" if comes else "replace"
        if self.presence.reference:
            return {"deletion": {z: text(weight) for z, weight in self.presence.reference}}
        return self.presence.adjacency

    def to_json(self) -> dict[str, Any]:
        """The claim as a certificate writes it."""
        if self.mechanism is not None:
            seen = writing.seen_of(self.mechanism)
        else:
            assert self.randomizer is not None
            honest = self.presence.counted(self.n)
            take_part = text(self.presence.take_part)
            seen = writing.rows(self.randomizer.to_json(), self.n, self.view, honest, take_part)
        return writing.claim([(seen, 1)], self.neighbours, str(self.eps), self.delta)


@dataclass(frozen=True)
class Certified:
    """The verdict on a claim, with its evidence.

    When REFUTED, `event` lists outcomes E of the worst pair with P(E) - e^eps Q(E) > delta, and `probabilities` is
    (P(E), Q(E)), exactly.
    """

    claim: Claim
    verdict: str
    worst: WorstDelta | None
    certificate: Mapping[str, Any] | None
    reason: str = ""
    event: tuple[Any, ...] = ()
    probabilities: tuple[Fraction, Fraction] | None = None

    def certificate_text(self) -> str:
        """The certificate as a file's content. Raises Undecided where there is none."""
        if self.certificate is None:
            raise Undecided(self.reason)
        return json.dumps(self.certificate, indent=1) + "\n"


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
    if refusal := unstated(system):
        raise BadInput(refusal)
    bound, at = probability(delta, "delta"), Eps.of(eps)
    way = enumerate_or_reduce(Question.of(system, n, view), effort)
    if isinstance(way, Reduction):
        decided = _by_reach(system, way, natural(n, "n", most=MAX_TRIALS), at, bound, note, max_bits)
        return decided if decided.verdict != "UNDECIDED" else _by_ends(decided, way, note, max_bits)
    table = randomizer_of(without_presence(system))
    claim = Claim(table, way.everybody or way.n, at, bound, way.view.name, presence=way.presence)
    return _by_enumeration(way, claim, note, max_bits, effort.progress)


def _by_enumeration(
    around: Neighbourhood, claim: Claim, note: str, max_bits: int, progress: Progress | None
) -> Certified:
    view, at, bound, worst = claim.view, claim.eps, claim.delta, None
    try:
        worst, case = worst_case(around, at, progress, max_bits)
        assert isinstance(worst.delta, Delta)
        holds = worst.delta.minus(bound).sign(max_bits) <= 0
    except Undecided as undecided:
        return Certified(claim, "UNDECIDED", worst, None, str(undecided))
    if holds:
        return Certified(claim, "PROVED", worst, _made(claim, "PROVED", _enumerated(around, claim), note))
    assert case is not None
    chosen = small_event(case, at, bound)
    event = tuple(outcome_json(outcome, view) for outcome in around.outcomes(case, chosen))
    refuted = _made(claim, "REFUTED", writing.event(pair_json(case.neighbours, view), outcomes=list(event)), note)
    return Certified(claim, "REFUTED", worst, refuted, event=event, probabilities=case.pair.probabilities(chosen))


def _by_reach(
    system: Randomizer | System, reach: Reduction, n: int, eps: Eps, bound: Fraction, note: str, max_bits: int
) -> Certified:
    """The verdict from attained and dominating pairs, with a certificate."""
    rows = None if reach.mechanism else randomizer_of(system)
    table = None if rows is None else randomizer_of(without_presence(system))
    claim = Claim(table, n, eps, bound, mechanism=reach.mechanism, presence=reach.presence)
    digits = min(DIGITS, max_bits * 30103 // 100000)
    found = worst_delta(reach, eps, digits, Fraction(0) if reach.epsilon is None else bound)
    worst = WorstDelta(found.value, scope_of(reach, n, found), eps)
    try:
        holds = found.value.against(bound) <= 0
    except Undecided as undecided:
        return Certified(claim, "UNDECIDED", worst, None, str(undecided))
    verdict = "PROVED" if holds else "REFUTED"
    why = f"{verdict} by a proof that no form of certificate covers: delta is in "
    uncovered = Certified(claim, "UNDECIDED", worst, None, why + "[{}, {}]".format(*found.value.enclosure(12)))
    if reach.mechanism and reach.evidence is None:
        mechanism, family = reach.stated(holds)
        own = family is reach.attained or family is reach.dominating
        value = found.value if own else family.worst(eps, DIGITS)[0]
        if mechanism is None or (value.high > bound if holds else value.low <= bound):
            return uncovered
        claim = replace(claim, mechanism=mechanism)
        seen = claim.to_json()["runs"][0]["seen"]
        try:
            if holds:
                because = writing.proof_of(seen, claim.neighbours, family.tree(eps, bound))
            else:
                worst_pair = found.worst if own and found.worst else family.worst(eps)[1]
                because = writing.event(_pair_of(seen, worst_pair))
        except Undecided as undecided:
            return replace(uncovered, reason=f"{verdict} by a proof that no certificate shows: {undecided}")
        return Certified(claim, verdict, worst, _made(claim, verdict, because, note))
    try:
        if reach.evidence is not None:
            because = dict(reach.evidence(eps, bound, found.worst, holds))
        else:
            assert rows is not None
            because = _because_of_rows(rows, claim, reach, found, holds)
    except Undecided as undecided:
        return replace(uncovered, reason=f"{verdict} by a proof that no certificate shows: {undecided}")
    return Certified(claim, verdict, worst, _made(claim, verdict, because, note))


def _by_ends(decided: Certified, reach: Reduction, note: str, max_bits: int) -> Certified:
    """What was not decided, PROVED by what fewer users need, or of delta = 0 REFUTED by an end."""
    claim, worst, users = decided.claim, decided.worst, 1
    if claim.randomizer is None or worst is None or not isinstance(worst.delta, Interval) or reach.pure is None:
        return decided
    while users <= min(claim.n, MOST_USERS) and claim.presence == EVERYBODY:
        around = unchecked(claim.randomizer, users, "shuffled", FEW_WORK, EVERYBODY)
        if not around.affordable:
            break
        fewer = _by_enumeration(around, replace(claim, n=users), note, max_bits, None)
        if fewer.verdict == "PROVED" and fewer.worst is not None:
            high = max(Fraction(fewer.worst.delta.enclosure()[1]), worst.delta.low)
            by = f"what {users} user{'s need' if users > 1 else ' needs'}, by enumeration, is enough; {ENDS}"
            scope = replace(worst.scope, by=by, pairs=fewer.worst.scope.pairs, two_sided=True)
            proved = _made(claim, "PROVED", writing.of_fewer(claim.randomizer.inputs, users - 1), note)
            kept = replace(worst, delta=Interval(worst.delta.low, high), scope=scope)
            return Certified(claim, "PROVED", kept, proved)
        users *= 2
    if claim.delta == 0:
        low, _, found = reach.pure()
        below = low is None or Fraction(claim.eps.enclosure(DIGITS)[1]) < low
        if below and found.worst is not None and found.worst.threshold is not None:
            event = found.worst.threshold(claim.eps, claim.delta)
            because = writing.event(pair_json(found.worst.neighbours, "shuffled"), event.weights, event.above)
            refuted = _made(claim, "REFUTED", because, note)
            return Certified(claim, "REFUTED", replace(worst, scope=scope_of(reach, claim.n, found)), refuted)
    return decided


def _pair_of(seen: Mapping[str, Any], worst: NamedPair | None) -> dict[str, Any]:
    """The pair of neighbours of a mechanism that a refutation names."""
    assert worst is not None
    ends = [None if end == NOBODY else end for end in (worst.source, worst.target)]
    if "one of" not in seen["each"]:
        return writing.neighbours(ends[0], ends[1], {} if "columns" in seen["each"] else None)
    others = (worst.others or {}) if seen["users"] > 1 else {}  # of one user there are no others
    held = {end: others.get(end, 0) for end in ends if end is not None}
    names = [None if end is None else "a" if i == 0 or None in ends else "b" for i, end in enumerate(ends)]
    counts = dict(zip([name for name in names if name], held.values(), strict=True))
    return writing.neighbours(names[0], names[1], {**counts, "other": seen["users"] - 1 - sum(counts.values())})


def _because_of_rows(rows: Randomizer, claim: Claim, reach: Reduction, found: Found, holds: bool) -> dict[str, Any]:
    """A proof or a refutation of a claim about a randomizer. Raises Undecided where there is none."""
    assert claim.randomizer is not None
    eps, bound, n = claim.eps, claim.delta, reach.presence.counted(claim.n)
    ends = writing.ends(claim.randomizer.inputs, claim.neighbours)
    if holds and reach.cover is not None:
        return dict(reach.cover(eps, bound))
    if holds and reach.dominating is not None:
        return writing.of_blanket(ends, reach.dominating.hints(eps, bound))
    assert found.worst is not None and found.worst.others is not None
    named = found.worst.neighbours.deleted(reach.presence)
    if holds:  # the pairs that are attained stand for all: the kernel enumerates them
        view = view_of(rows, "shuffled")
        datasets = comb(n - 1 + len(view.classes) - 1, n - 1)
        if datasets * view.terms(n) > MOST_CHECKED:
            with suppress(Undecided):
                return Shown(rows, n).trees(eps, bound)
        if datasets > MOST_DATASETS:
            raise Undecided(f"{datasets} datasets of the others: expected at most {MOST_DATASETS} to be checked again")
        return _enumerated(Neighbourhood(rows, view, 2, tuple(symmetries(view))), claim)
    threshold = found.worst.threshold if named == found.worst.neighbours else None
    if threshold is None:
        threshold = event_of(rows, named.source, named.target, named.others or {}).threshold
    try:
        event = threshold(eps, bound)
        return writing.event(pair_json(named, "shuffled"), event.weights, event.above)
    except Undecided:  # an event that is no threshold, such as the even numbers, may show it
        if reach.presence != EVERYBODY or (case := case_of(rows, n, named)) is None:
            raise
        outcomes = outcomes_of(rows, n, case, small_event(case, eps, bound))
        listed = [outcome_json(seen, "shuffled") for seen in outcomes]
        return writing.event(pair_json(case.neighbours, "shuffled"), outcomes=listed)


def _enumerated(around: Neighbourhood, claim: Claim) -> dict[str, Any]:
    """The proof that looks at every composition of the others, but those that a symmetry makes of another one."""
    assert claim.randomizer is not None
    messages = [send[0] for send in around.view.messages] if around.symmetries else []
    renamings = [
        {"inputs": _moved(around.view.inputs, s.inputs), "messages": _moved(messages, s.messages)}
        for s in around.symmetries
    ]
    return writing.enumerated(writing.ends(claim.randomizer.inputs, claim.neighbours), renamings)


def _moved(labels: Any, permutation: Permutation) -> dict[str, str]:
    """A permutation without the labels that stay in their place."""
    return {labels[i]: labels[j] for i, j in enumerate(permutation) if i != j}


def pair_json(neighbours: Neighbours, view: str) -> dict[str, Any]:
    """A pair of neighbours as a certificate writes it, with the others in the shuffled view."""
    others = dict(neighbours.others or {}) if view == "shuffled" else None
    return writing.neighbours(neighbours.source, neighbours.target, others)


def outcome_json(outcome: Mapping[Messages, int], view: str) -> Any:
    """An outcome of a view: a list of messages in the local one, else how many of each are seen."""
    if view == "local":
        return list(next(iter(outcome)))
    return {message[0]: count for message, count in outcome.items()}


def _made(claim: Claim, verdict: str, because: dict[str, Any], note: str) -> dict[str, Any]:
    return writing.certificate(claim.to_json(), verdict, because, note)
