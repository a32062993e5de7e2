"""A privacy claim, decided: PROVED, REFUTED or UNDECIDED, with a certificate that `verify/kernel.py` re-checks.

The certificate's form is defined in verify/CERTIFICATE.md. UNDECIDED has none: it states nothing.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

from verify.bound.question import Effort, Question
from verify.bound.shown import Shown
from verify.decide.certificate_json import ends_json, near_ends, outcome_json, pair_json, symmetries_json, worst_json
from verify.decide.listed_event import case_of, outcomes_of, small_event
from verify.decide.worst_case import WorstDelta, enumerate_or_reduce, scope_of, worst_case
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS
from verify.errors import BadInput, Undecided
from verify.exact.epsilon import MAX_BITS, Delta, Eps
from verify.exact.neighbours import Neighbourhood, unchecked
from verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System, randomizer_of
from verify.exact.rational import DIGITS, natural, probability, text
from verify.exact.symmetry import symmetries
from verify.exact.views import view_of
from verify.progress import Progress
from verify.reduce.privacy_blanket import event_of
from verify.reduce.pure import HERE as ENDS
from verify.reduce.pure import MOST_USERS
from verify.reduce.pure import WORK as FEW_WORK
from verify.reduce.reduction import Found, Reduction, worst_delta
from verify.systems.population import unstated, without_presence

MOST_DATASETS = 2_000_000  # of the others, one by one, by the kernel
MOST_CHECKED = 4_000_000  # outcomes of all of them, beyond which boxes of datasets are asked first
OF_EVIDENCE = {"blanket": 2, "cover": 3, "blocks": 8}  # versions
# Mechanisms whose certificates say whether a user is replaced, or comes or goes, and their versions.
VERSIONS = {"thresholded counts": 5, "release": 6, "presence": 6, "sampled": 6}


@dataclass(frozen=True)
class Claim:
    """ "This randomizer satisfies (eps, delta) in this view for all neighbouring datasets of n users."

    Or with a `mechanism` (verify/CERTIFICATE.md, version 2) in the place of the randomizer: "what is seen so keeps it".
    """

    randomizer: Randomizer | None
    n: int
    eps: Eps
    delta: Fraction
    view: str = "shuffled"
    mechanism: Mapping[str, Any] | None = None
    presence: Presence = EVERYBODY

    def to_json(self, crowded: bool = False) -> dict[str, Any]:
        """The claim as a certificate writes it; if `crowded`, with adjacency and participation though default."""
        ends = {"eps": str(self.eps), "delta": text(self.delta)}
        if self.randomizer is None:
            told = self.mechanism is not None and self.mechanism["view"] in VERSIONS
            comes = told and self.presence.adjacency == "add-remove"
            adjacency = "add-remove" if comes else "replace"  # a lemma of the system's own goes on from there
            return {"mechanism": self.mechanism, "adjacency": adjacency, "datasets": "all", **ends}
        who, crowd = self.presence, dict[str, Any]()
        if crowded or who != EVERYBODY:
            crowd = {"honest": who.counted(self.n), "take part": text(who.take_part)}
        if who.reference:
            crowd["reference"] = {z: text(weight) for z, weight in who.reference}
        return {
            "randomizer": self.randomizer.to_json(),
            "adjacency": who.adjacency,
            **crowd,
            "view": self.view,
            "n": self.n,
            "datasets": "all",
            **ends,
        }


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
    header = _header(1, note)
    if holds:
        evidence = {"symmetries": symmetries_json(around), "worst": worst_json(worst, case)}
        return Certified(claim, "PROVED", worst, _assemble(header, claim, "PROVED", evidence))
    assert case is not None
    chosen = small_event(case, at, bound)
    event = tuple(outcome_json(outcome, view) for outcome in around.outcomes(case, chosen))
    refutation = _assemble(header, claim, "REFUTED", {"pair": pair_json(case.neighbours, view), "event": list(event)})
    return Certified(claim, "REFUTED", worst, refutation, event=event, probabilities=case.pair.probabilities(chosen))


def _by_reach(
    system: Randomizer | System, reach: Reduction, n: int, eps: Eps, bound: Fraction, note: str, max_bits: int
) -> Certified:
    """The verdict from attained and dominating pairs, with a certificate of version 2, 3, 5 or 6."""
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
    if reach.mechanism and reach.mechanism["view"] in VERSIONS:
        value = found.value
        if reach.certified is not None:  # what the kernel finds is not as close
            value = Interval(reach.stated(False)[1].worst(eps)[0].low, reach.stated(True)[1].worst(eps)[0].high)
            if value.high > bound if holds else value.low <= bound:
                return uncovered
        if holds and not value.low:  # to spare the kernel a tiny upper end
            value = replace(value, high=max(value.high, bound))
        header = _header(VERSIONS[reach.mechanism["view"]], note)
        return Certified(claim, verdict, worst, _assemble(header, claim, verdict, {"delta": near_ends(value, bound)}))
    if reach.mechanism and reach.evidence is None:
        mechanism, family = reach.stated(holds)
        value = family.worst(eps, DIGITS)[0]
        if mechanism is None or (value.high > bound if holds else value.low <= bound):
            return uncovered
        claim = replace(claim, mechanism=mechanism)
        evidence = (
            _with_worst(reach, found, eps, bound, holds) if reach.names_worst else {"delta": near_ends(value, bound)}
        )
        return Certified(claim, verdict, worst, _assemble(_header(2, note), claim, verdict, evidence))
    try:
        if reach.evidence is not None:
            version, evidence = 3, dict(reach.evidence(eps, bound, found.worst, holds))
        else:
            assert rows is not None
            version, evidence = _evidence_on_rows(rows, reach.presence.counted(n), reach, found, eps, bound, holds)
    except Undecided as undecided:
        return replace(uncovered, reason=f"{verdict} by a proof that no certificate shows: {undecided}")
    return Certified(claim, verdict, worst, _assemble(_header(version, note), claim, verdict, evidence))


def _by_ends(decided: Certified, reach: Reduction, note: str, max_bits: int) -> Certified:
    """What was not decided, PROVED by what fewer users need, or of delta = 0 REFUTED by an end: versions 7, 2."""
    claim, worst, users = decided.claim, decided.worst, 1
    if claim.randomizer is None or worst is None or not isinstance(worst.delta, Interval) or reach.pure is None:
        return decided
    while users <= min(claim.n, MOST_USERS) and claim.presence == EVERYBODY:  # version 7 states no other
        around = unchecked(claim.randomizer, users, "shuffled", FEW_WORK, EVERYBODY)
        if not around.affordable:
            break
        fewer = _by_enumeration(around, replace(claim, n=users), note, max_bits, None)
        if fewer.verdict == "PROVED" and fewer.worst is not None and fewer.certificate is not None:
            high = max(Fraction(fewer.worst.delta.enclosure()[1]), worst.delta.low)
            by = f"what {users} user{'s need' if users > 1 else ' needs'}, by enumeration, is enough; {ENDS}"
            scope = replace(worst.scope, by=by, pairs=fewer.worst.scope.pairs, two_sided=True)
            evidence = {"users": users, **fewer.certificate["evidence"]}
            proved = _assemble(_header(7, note), claim, "PROVED", evidence)
            kept = replace(worst, delta=Interval(worst.delta.low, high), scope=scope)
            return Certified(claim, "PROVED", kept, proved)
        users *= 2
    if claim.delta == 0:
        low, _, found = reach.pure()
        below = low is None or Fraction(claim.eps.enclosure(DIGITS)[1]) < low
        if below and found.worst is not None and found.worst.threshold is not None:
            event = found.worst.threshold(claim.eps, claim.delta).to_json()
            evidence = {"pair": pair_json(found.worst.neighbours, "shuffled"), "threshold": event}
            refuted = _assemble(_header(2, note), claim, "REFUTED", evidence)
            return Certified(claim, "REFUTED", replace(worst, scope=scope_of(reach, claim.n, found)), refuted)
    return decided


def _with_worst(reach: Reduction, found: Found, eps: Eps, bound: Fraction, holds: bool) -> dict[str, Any]:
    """Evidence that names the worst pair, any where what dominates shows that delta is 0.

    Its upper bound is no closer than the claim needs, to spare the kernel work.
    """
    worst = found.worst or reach.attained.worst(eps)[1]
    assert worst is not None and worst.others is not None
    others = [worst.others.get(x, 0) for x in (worst.source, worst.target)]
    upper = min(bound, found.value.high * Fraction(21, 20)) if holds else Fraction(1)
    return {"delta": near_ends(Interval(found.value.low, upper), bound), "others": others}


def _evidence_on_rows(
    rows: Randomizer, n: int, reach: Reduction, found: Found, eps: Eps, bound: Fraction, holds: bool
) -> tuple[int, dict[str, Any]]:
    """(the format's version, the evidence) of a claim about a randomizer. Raises Undecided where there is none."""
    if holds and reach.cover is not None:
        shown = dict(reach.cover(eps, bound))
        return OF_EVIDENCE[next(iter(shown))], shown
    if holds and reach.dominating is not None:
        return 2, {"blanket": reach.dominating.hints(eps, bound)}
    assert found.worst is not None and found.worst.others is not None
    named = found.worst.neighbours.deleted(reach.presence)
    pair = pair_json(named, "shuffled")
    if holds:  # the pairs that are attained stand for all: the kernel enumerates them
        view = view_of(rows, "shuffled")
        datasets = comb(n - 1 + len(view.classes) - 1, n - 1)
        if datasets * view.terms(n) > MOST_CHECKED:
            with suppress(Undecided):
                shown = Shown(rows, n).trees(eps, bound)
                return OF_EVIDENCE[next(iter(shown))], shown
        if datasets > MOST_DATASETS:
            raise Undecided(f"{datasets} datasets of the others: expected at most {MOST_DATASETS} to be checked again")
        found_symmetries = symmetries_json(Neighbourhood(rows, view, 2, tuple(symmetries(view))))
        return 1, {"symmetries": found_symmetries, "worst": {"pair": pair, "delta": ends_json(found.value)}}
    threshold = found.worst.threshold if named == found.worst.neighbours else None
    if threshold is None:
        threshold = event_of(rows, named.source, named.target, named.others or {}).threshold
    try:
        return 2, {"pair": pair, "threshold": threshold(eps, bound).to_json()}
    except Undecided:  # an event that is no threshold, such as the even numbers, may show it
        if reach.presence != EVERYBODY or (case := case_of(rows, n, named)) is None:
            raise
        event = outcomes_of(rows, n, case, small_event(case, eps, bound))
        return 1, {
            "pair": pair_json(case.neighbours, "shuffled"),
            "event": [outcome_json(seen, "shuffled") for seen in event],
        }


def _header(version: int, note: str) -> dict[str, Any]:
    return {"format": "shufflecert certificate", "version": version, **({"note": note} if note else {})}


def _assemble(header: dict[str, Any], claim: Claim, verdict: str, evidence: dict[str, Any]) -> dict[str, Any]:
    blocks = header["version"] == OF_EVIDENCE["blocks"]
    if claim.randomizer is not None and claim.presence != EVERYBODY and not blocks:
        header = {**header, "version": 4}
    return {**header, "claim": claim.to_json(blocks), "verdict": verdict, "evidence": evidence}
