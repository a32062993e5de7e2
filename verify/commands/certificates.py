"""Certificates as the commands write them: whole or not at all, and none that the kernel does not accept."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.evidence import faintest, too_many
from shufflecert.verify.bound.question import Question
from shufflecert.verify.decide.certify import Certified, lighter
from shufflecert.verify.decide.least_promise import EASIER, Nearest, farther, larger_accepted
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps, Tree
from shufflecert.verify.exact.rational import magnitude, plain
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.runs.later import Later
from shufflecert.verify.systems.population import unstated, unwritten

kernel: Any = Later("shufflecert.verify.kernel")  # a fifteenth of a second


@dataclass(frozen=True)
class Written:
    """Where a certificate was written; None where there is none. `refusal`: what the kernel says of one it refuses.

    `made` is what was decided, with the certificate that takes less work to check, where the first is too much.
    """

    place: str | None
    refusal: str | None = None
    made: Certified | None = None


def write(result: Certified, path: Path | None) -> Written:
    """Write a certificate, if the kernel accepts it with its default limits: else nothing is written.

    Without a `path` it is only asked whether the kernel would. Raises BadInput, and MachineRefused, where the file
    cannot be written: then nothing is.
    """
    if path is not None:
        return write_all([(result, path)])[0]
    made, _, why = _checked(result)
    return Written(None, _refusal(why), made)


def write_all(results: Iterable[tuple[Certified, Path]]) -> list[Written]:
    """As `write`, for several: where one cannot be written no new file is left, but what was written over stays."""
    checked = [(path, *_checked(made)) for made, path in results]
    new = [path for path, _, text, _ in checked if text is not None and not atomic_files.exists(path)]
    try:
        for path, _, text, _ in checked:
            if text is not None:
                atomic_files.write_whole(path, text)
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
    return [Written(None if text is None else str(path), _refusal(why), made) for path, made, text, why in checked]


Of = TypeVar("Of", bound=Answer)
Ask = Callable[[Eps, Fraction], Certified]
Stated = tuple[Tree, str]  # a certificate, and what it states
Tried = Sequence[tuple[Eps, Fraction]] | str  # the (eps, delta) that are tried, or why there are none
End = tuple[str, Tried]  # PROVED or REFUTED, and what is tried
# what a lower end gives way, relatively; an upper one
GIVES = Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 100), Fraction(1, 10)
CLOSE = Fraction(0), *GIVES[:3]
GIVEN_UP = "undecided"  # by the kernel
MANY = 64  # users, of whom datasets that are enumerated are mostly too many
FAINT = Fraction(1, 10**30)  # a delta beyond which a check may be short of memory
ZEROS = Fraction(97, 100), Fraction(9, 10), Fraction(7, 10)  # of those of a faint delta
HARDLY = Fraction(1, 10**4)  # relatively: by so much, what is too much work for check does not become less

Point = tuple[str, Bound | str, Tried]  # how a line names a system; what is known of it, or why none; what is tried


def above(high: Fraction) -> list[Fraction]:
    """An upper bound of delta, and some that are relatively a little larger."""
    return [min(high * (1 + slack), Fraction(1)) for slack in CLOSE]


def enough(high: Fraction, delta: Fraction) -> Tried:
    """An upper bound of the eps of this delta, and some that are relatively a little larger."""
    if high > MAX_EPS:
        return f"it is beyond {MAX_EPS}, the largest eps of a claim"
    return [(Eps.of(min(high * (1 + slack), Fraction(MAX_EPS))), delta) for slack in CLOSE]


def write_points(answer: Of, path: Path, points: Iterable[Point]) -> Of:
    """The answer, with certificates of what is PROVED of systems in one file: the first (eps, delta) of each that is.

    Says how many check accepts, and which points have none; where none has one there is no file.
    """
    made, missing = _each((name, bound, "PROVED", tried) for name, bound, tried in points)
    return _named(answer, path, made, ["one claim" if len(made) == 1 else f"{len(made)} claims"], missing)


def write_ends(answer: Of, path: Path, asked: Bound, ends: Sequence[End]) -> Of:
    """The answer, with certificates of an interval's two ends in one file, and what each states.

    The (eps, delta) of an end are tried one after the other, the closest first. What has no certificate that the
    kernel accepts is said, and not written; where neither end has one there is no file.
    """
    named = {"PROVED": "the upper end", "REFUTED": "the lower end"}
    made, missing = _each((named[verdict], asked, verdict, tried) for verdict, tried in ends)
    return _named(answer, path, made, [f"{tree['verdict']}: {said}" for tree, said in made], missing)


def known(system: Any, n: int) -> Bound | str:
    """The Bound of a system of n users; or why there is none."""
    try:
        return bound_of(Question.of(system, n))
    except (BadInput, Undecided) as error:
        return str(error)


def _each(asked: Iterable[tuple[str, Bound | str, str, Tried]]) -> tuple[list[Stated], list[str]]:
    """The certificates, with what each states, and what has none."""
    made, missing = list[Stated](), list[str]()
    for name, bound, verdict, tried in asked:
        tree, said = (None, bound) if isinstance(bound, str) else _accepted(bound, verdict, tried)
        if tree is None:
            missing.append(f"{name}: {said}")
        else:
            made.append((tree, said))
    return made, missing


def _named(answer: Of, path: Path, made: list[Stated], states: list[str], missing: list[str]) -> Of:
    """The answer with the file of certificates, which is written if there are any."""
    if made:
        atomic_files.write_whole(path, json.dumps([tree for tree, _ in made], indent=1) + "\n")
    file = {"file": str(path) if made else "", "states": states if made else [], "missing": "; ".join(missing)}
    return replace(answer, tree={**answer.tree, "certificate": file})


def _accepted(bound: Bound, verdict: str, tried: Tried) -> tuple[Tree | None, str]:
    """The first certificate with this verdict that the kernel accepts, and what it states; or None, and why."""
    stated = bound.stated
    if refusal := unstated(bound.question.protocol):
        return None, refusal
    if verdict == "PROVED":
        tried = _shown(stated, tried if stated is bound else _eased(stated, tried))
    if isinstance(tried, str):
        return None, tried
    why, heavy = "", list[tuple[Eps, Fraction]]()

    def accepted(eps: Eps, delta: Fraction) -> tuple[Tree, str] | None:
        nonlocal why
        if any(_no_lighter(verdict, (eps, delta), one) for one in heavy):
            return None
        try:
            found = stated.decided(eps, delta)
        except (BadInput, Undecided) as error:
            why = str(error)
            return None
        if found.certificate is None or found.verdict != verdict:
            why = found.reason or found.verdict
            if verdict == "PROVED" and found.holds:
                heavy.append((eps, delta))
            return None
        if too_many(found):
            if (light := lighter(found)) is None:
                why = "the datasets of the others, one by one, are more than a check has the time for"
                heavy.append((eps, delta))
                return None
            found = light
        made, text, refused = _checked(found)
        if text is not None:
            return dict(made.certificate or {}), words.promise_text(verdict, eps, delta)
        why = f"check finds it {refused}"
        if refused and refused.startswith(f"{GIVEN_UP}: too much"):
            heavy.append((eps, delta))
        return None

    for eps, delta in tried:
        if (made := accepted(eps, delta)) is not None:
            return made
    if verdict == "PROVED" and len(tried) > 1:
        name = "delta" if tried[0][0] == tried[1][0] else "eps"
        if (made := larger_accepted(stated, name, *tried[0], accepted)) is not None:
            return made
    return None, why


def _no_lighter(verdict: str, asked: tuple[Eps, Fraction], before: tuple[Eps, Fraction]) -> bool:
    """Whether a claim takes about as much work to be checked as another one, or more: it says as much, or hardly less.

    A claim that is PROVED says more for a smaller eps or delta, one that is REFUTED for a larger one.
    """
    more, less = (asked, before) if verdict == "PROVED" else (before, asked)
    at, near = (Fraction(eps.enclosure()[1]) for eps, _ in (more, less))
    return at <= near * (1 + HARDLY) and more[1] <= less[1] * (1 + HARDLY)


def _eased(bound: Bound, tried: Tried) -> Tried:
    """What is tried of an upper end, no closer than certificates state."""
    if isinstance(tried, str) or not tried[0][1]:
        return tried
    (at, delta), *_ = tried
    if (most := bound.upper(at, enough=delta).high) <= delta:
        return tried
    if all(eps == at for eps, _ in tried):
        return [(at, high) for high in above(most) if high < 1] or "certificates state no delta below 1"
    _, least = bound.epsilon(delta).interval or (None, None)
    return "certificates state no finite eps" if least is None else enough(least, delta)


def _shown(bound: Bound, tried: Tried) -> Tried:
    """What is tried of an upper end of a table's delta, no fainter than the kernel has room for.

    Of a faint one a tenth more makes a certificate hardly shorter: then some of fewer zeros are tried.
    """
    asked, reach = bound.question, bound.reach
    if isinstance(tried, str) or any(eps != tried[0][0] for eps, _ in tried) or not (high := tried[0][1]):
        return tried
    if reach is None or reach.mechanism is not None or high > FAINT or unwritten(asked.protocol) is not None:
        return tried
    least, zeros = faintest(asked), magnitude(1 / high)
    fainter = [Fraction(1, 10 ** int(zeros * share)) for share in ZEROS]
    return [*tried[:2], *((tried[0][0], delta) for delta in fainter)] if high >= least else [(tried[0][0], least)]


def _checked(made: Certified) -> tuple[Certified, str | None, str | None]:
    """(what is decided, the text of its certificate, why it is not accepted), of it or of what is lighter."""
    if made.certificate is None:
        return made, None, None
    if (many := made.claim.question.counted > MANY) and (light := lighter(made)) is not None:
        made = light
    text = made.certificate_text()
    status, reason = kernel.check(text.encode())
    if status == "accepted":
        return made, text, None
    why = f"{status}: {reason}"
    light = None if many or not why.startswith(GIVEN_UP) else lighter(made)
    if light is not None and kernel.check((text := light.certificate_text()).encode()).status == "accepted":
        return light, text, None
    return made, None, why


def _refusal(why: str | None) -> str | None:
    return None if why is None else f"check finds its certificate {why}"


def too_much(refusal: str) -> bool:
    """Whether a refusal says that the kernel gave up, and not that it found something wrong."""
    return refusal.startswith(f"check finds its certificate {GIVEN_UP}")


def first_accepted(
    verdict: str, claims: Iterable[tuple[Eps, Fraction]], ask: Ask, path: Path | None
) -> tuple[Certified, Written] | None:
    """The first of some (eps, delta) of this verdict whose certificate the kernel accepts, and where it is written
    (`write`); `ask` decides one. None where there is none."""
    for claim in claims:
        found = ask(*claim)
        if found.verdict == verdict and found.certificate is not None:
            written = write(found, path)
            if written.refusal is None:
                return written.made or found, written
    return None


def nearest_accepted(made: Certified, ask: Ask, looked: Sequence[Fraction] = ()) -> Nearest:
    """The nearest delta at a claim's eps with the same verdict and a certificate that the kernel accepts.

    Of a few that are tried (`verify.decide.least_promise.farther`), but those that were `looked` at in vain.
    """
    proved = made.verdict == "PROVED"
    tried = [bound for bound in farther(made.claim.delta, proved) if bound not in looked]
    found = first_accepted(made.verdict, [(made.claim.eps, bound) for bound in tried], ask, None)
    if found is None:
        others = ", ".join(map(plain, sorted({*looked, *tried})))
        none = f"no delta beside it has one either ({others} were tried); " if others else ""
        return Nearest(None, None, f"{none}without a file the verdict is given, by the engine alone")
    bound = found[0].claim.delta
    return Nearest(bound if proved else None, None if proved else bound, EASIER)


def tell(path: Path, refusal: str | None) -> None:
    """Say on standard error, in one line, why a certificate was not written."""
    if refusal is not None:
        print(f"shufflecert: {path}: not written: {refusal}", file=sys.stderr)
