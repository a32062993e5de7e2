"""The picture of a certificate whose pair has none: the privacy profile of its randomizer, with the claim marked."""

import re
from fractions import Fraction
from importlib import import_module

from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide.least_promise import local_epsilon
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import decimal_below, plain, rational, shorten
from shufflecert.verify.report import plots
from shufflecert.verify.report.html.certificate_laws import Certificate, Laws, Probabilities, excess
from shufflecert.verify.report.html.page import Line, Picture, Section, curves
from shufflecert.verify.report.words import first_digits
from shufflecert.verify.systems.load import is_file

POINTS, FEWER = 21, 7  # of the curve; where n is large
LARGE, WORK = 1000, 2_000_000  # users from which fewer points are drawn; units of enumeration that a picture may cost
NOTE = re.compile(r"([\w./:-]{1,80})( -p [\w.]{1,40}=[^ ]{1,4000})* --n [0-9]{1,15}( --[\w-]+ [^ ]+)*", re.ASCII)
MOST_OUTPUTS = 2000  # of a table whose profile is drawn
CLOSE = Fraction(1, 20)  # the relative width of the band that is drawn, at most, where that takes boxes of datasets


def answer_of(read: Certificate, shown: Probabilities = None) -> str:
    """What a certificate shows in numbers, for a headline: the local eps where it is finite.

    Of a refutation that names an event: the delta that the event shows, from its probabilities `shown`.
    """
    claim, said = read.claim, ""
    if read.verdict == "REFUTED" and shown is not None:
        said = _at_least(claim.eps, claim.delta, shown)
    if claim.randomizer is None or claim.seen.view == "local":
        return said
    try:
        local = local_epsilon(claim.randomizer.table())
    except BadInput:  # labels that the engine takes not, though the kernel does
        local = None
    return said if local is None else f"{said} The local eps of one user is at most {local.enclosure(5)[1]}."


def _at_least(eps: str, claimed: str, shown: tuple[Interval, Interval]) -> str:
    """The delta that an event shows, rounded down to as many digits as tell it from what was claimed."""
    try:
        least, bound = excess(Eps.of(eps), *shown).low, rational(claimed)
    except BadInput:  # more digits than the engine reads
        return ""
    rounded = (decimal_below(least, digits) for digits in (6, 12, 24) if least > 0)
    value = next((one for one in rounded if rational(one) > bound), None)
    return "" if value is None else f" delta({plain(eps, 6)}) is at least {value}."


def named(read: Certificate | None) -> str:
    """That the file names the protocol: as in the title, or otherwise."""
    if read is None or not read.note:
        return ""
    return (
        ", with the name that its file gives"
        if _noted(read)
        else f" about what its file calls {shorten(read.note, 20)}"
    )


def _noted(read: Certificate) -> str:
    """The system of a note that `certify` writes; "" for any other note."""
    noted = NOTE.fullmatch(read.note or "")
    known = noted and (is_file(noted[1]) or noted[1] in import_module("shufflecert.verify.systems.catalogue").names())
    return noted[1] if noted and known else ""


def titled(read: Certificate) -> str:
    """What a certificate is about, in a line: the protocol, users, eps and delta.

    The protocol is named where its note is what `certify` writes: a note is anybody's, and no title.
    """
    claim = read.claim
    what = f"A randomizer of {len(claim.randomizer.rows)} inputs" if claim.randomizer else "A mechanism"
    what = f"{sum(run.times for run in claim.runs)} runs" if claim.several else what
    if "private" in claim.seen.each and not claim.several:
        what = "Every randomizer with a local eps" if read.verdict == "PROVED" else "Some randomizer with a local eps"
    what = _noted(read) or what
    counted = claim.several or {"up to", "one of", "columns"} & {*claim.seen.each}
    users = "" if counted and claim.seen.users == 1 else f", n = {claim.seen.users}"
    return f"{what}{users}, eps = {few(claim.eps)}, delta = {few(claim.delta)}"


def few(number: str) -> str:
    """A number in a title: one of many digits by its first ones."""
    shown = plain(number, 6)
    return shown if len(shown) <= 16 else shorten(first_digits(number, 4), 12)


def profile_section(read: Certificate, found: Laws | None) -> list[Section]:
    """The profile with the claim marked, where no pair of laws is drawn."""
    drawn = () if found is not None else profile_picture(read)
    return [Section("The privacy profile", drawn)] if drawn else []


def profile_picture(read: Certificate) -> tuple[Picture, ...]:
    """delta over eps for all datasets of the certificate's randomizer, computed with the engine; nothing if too dear.

    The claim is a point: above the curve where it is proved, below where it is refuted.
    """
    claim = read.claim
    if claim.randomizer is None or len(claim.randomizer.rows) < 2 or not claim.plain:
        return ()
    if sum(len(row.outputs) for row in claim.randomizer.rows) > MOST_OUTPUTS:
        return ()
    try:
        at, delta = Eps.of(claim.eps), rational(claim.delta)
        eps = Fraction(at.enclosure(9)[1])
        last, count = (2 * eps or Fraction(2)), POINTS if claim.seen.users <= LARGE else FEWER
        grid = [Eps.of(last * i / (count - 1)) for i in range(count)]
        question = Question.of(claim.randomizer.table(), claim.seen.users, claim.seen.view)
        found = bound_of(question, Effort(CLOSE, WORK)).curve(grid)
    except (BadInput, Undecided):
        return ()
    ends = [[Fraction(value.enclosure(12)[end]) for _, value in found.points] for end in (0, 1)]
    x = [last * i / (count - 1) for i in range(count)]
    line: Line = ("delta(eps), the largest over all datasets", x, ends[0], ends[1])
    mark = plots.Mark(float(eps), float(delta), f"claim: delta = {plain(delta, 6)}")
    where = "above" if read.verdict == "PROVED" else "below"
    caption = (
        "delta as a function of eps over all neighbouring datasets, log scale, computed with the engine beside the"
    )
    caption += f" kernel's check. The claim is the point, {where} the curve or on it."
    alt = f"delta over eps, falling; the claim, delta = {plain(delta, 6)} at eps = {plain(claim.eps, 6)}, {where} it."
    return curves([line], ("eps (nats)", "delta"), caption, alt, marks=[mark] if delta else [])
