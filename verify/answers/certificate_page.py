"""The report on a certificate: what the kernel says of it now, what it states, its numbers, how to re-check it."""

import re
import shlex
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from shufflecert.verify.answers import certificate_laws, plots
from shufflecert.verify.answers.certificate_laws import CertificateTree, Laws, Pair, Probabilities, excess
from shufflecert.verify.answers.decided import outcome_text
from shufflecert.verify.answers.page import (
    Block,
    Code,
    Details,
    Facts,
    Items,
    Line,
    Page,
    Picture,
    Section,
    Table,
    Text,
    Verdict,
    curves,
    embedded,
    interval,
    number,
    recheck_script,
    without_plots,
)
from shufflecert.verify.answers.statement import MANY, protocol, small_print, statement
from shufflecert.verify.answers.words import first_digits
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide.certify import local_epsilon
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import decimal_below, plain, rational, shorten
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import is_file

LONG, HIGHEST = 20_000, 10  # characters of a certificate that are shown (it is carried whole); of e^eps Q in a picture
SMALL, SMALLEST = Fraction(1, 1000), Fraction(1, 10**60)  # where laws stop in a picture: a thousandth of what matters
POINTS, FEWER = 21, 7  # of the curve; where n is large
LARGE, WORK = 1000, 2_000_000  # users from which fewer points are drawn; units of enumeration that a picture may cost
NOTE = re.compile(r"([\w./:-]{1,80})( -p [\w.]{1,40}=[^ ]{1,4000})* --n [0-9]{1,15}( --[\w-]+ [^ ]+)*", re.ASCII)
MOST_OUTPUTS = 2000  # of a table whose profile is drawn
CLOSE = Fraction(1, 20)  # the relative width of the band that is drawn, at most, where that takes boxes of datasets
TONES = {"accepted": "good", "rejected": "bad", "malformed": "bad", "undecided": "open"}


@dataclass(frozen=True)
class Checked:
    """The kernel's verdict, and which kernel that was: `kernel` is its file's SHA-256, `when` a date in words."""

    status: str
    reason: str
    kernel: str
    version: str
    when: str
    max_work: int | None = None


UNCONFIRMED = Text("What follows is what the file says. It was not confirmed.", strong=True)


def page(name: str, data: bytes, checked: Checked) -> Page:
    """The report on a certificate's bytes, from a file of this name; of several certificates on what each states."""
    found = (None if checked.status == "malformed" else certificate_laws.read(data)) or []
    read, accepted = found[0] if len(found) == 1 else None, checked.status == "accepted"
    title, what, sections, shown = f"Report on {name}", f"A privacy certificate{_named(read)}", list[Section](), None
    if read is not None:
        drawn = certificate_laws.laws(read) if accepted else None
        shown = certificate_laws.event_probabilities(read, drawn) if accepted else None
        title, sections = _titled(read), _about(read, accepted, drawn, shown)
    elif found:
        title, what = f"{len(found)} certificates, the first: {_titled(found[0])}", "Privacy certificates"
        heading, warned = ("What it states", []) if accepted else ("What the file claims", [UNCONFIRMED])
        sections = [
            Section(f"{heading}, {i} of {len(found)}: {one.verdict}", [*warned, *statement(one)])
            for i, one in enumerate(found, 1)
        ]
        sections.append(protocol(found[0]))
    return Page(
        title,
        f"{what}, checked {checked.when}",
        _verdict(read, checked, shown),
        [*sections, _again(name, data, checked), small_print(found[0] if found else None), _carried(name, data)],
        f"Made by shufflecert {checked.version}, {checked.when}. {without_plots()}".strip(),
        recheck_script() if found and all(one.in_theorem for one in found) else "",
    )


def _about(read: CertificateTree, accepted: bool, found: Laws | None, shown: Probabilities) -> list[Section]:
    if not accepted:
        return [Section("What the file claims", [UNCONFIRMED, *statement(read)]), protocol(read)]
    return [
        Section("What it states", statement(read)),
        Section("The numbers", _numbers(read, shown)),
        *_evidence(read, found, shown),
        *[Section("The privacy profile", drawn) for drawn in [_profile(read)] if drawn],
        protocol(read),
    ]


def _verdict(read: CertificateTree | None, checked: Checked, shown: Probabilities) -> Verdict:
    status, kernel = checked.status, f"The kernel says: {checked.status}: {checked.reason}"
    if status == "accepted" and read is not None:
        ends = f"(eps, delta) = ({_few(read.claim.eps)}, {_few(read.claim.delta)})"
        told = f"{ends}.{_answer_of(read, shown)}"
        who = "The protocol" if read.claim.randomizer else "The mechanism"
        who = "The composition" if read.claim.several else who
        if "private" in read.claim.seen.each and not read.claim.several:
            who, other = "Every randomizer of this kind", "Not every randomizer of this kind satisfies"
        else:
            other = f"{who} does not satisfy"
        if read.verdict == "PROVED":
            said = f"{who} satisfies differential privacy with {told}"
            return Verdict("good", "PROVED, and accepted", said, [kernel])
        return Verdict(
            "bad", "NOT PRIVATE: the refutation was verified", f"{other} differential privacy with {told}", [kernel]
        )
    headline = {
        "accepted": "The kernel accepts all that this file states.",
        "rejected": "Something that this certificate states is not true. It shows nothing: neither that the"
        " protocol is private nor that it is not.",
        "malformed": "This is no certificate as the format defines one. It states nothing.",
        "undecided": "The kernel stopped before it could accept or reject this certificate. Until one does, it shows"
        " nothing.",
    }[status]
    return Verdict(TONES[status], status.upper(), headline, [kernel])


# Numbers and evidence ------------------------------------------------------------------------------------------------


def _numbers(read: CertificateTree, shown: Probabilities) -> list[Block]:
    claim = read.claim
    blocks: list[Block]
    if read.verdict == "PROVED" and claim.randomizer and len(claim.randomizer.rows) == 1 and claim.plain:
        return [Text("There is a single input, so there are no neighbouring datasets: every claim holds.")]
    if read.verdict == "PROVED":
        said = (
            "The kernel found no more than the claimed delta; the certificate does not say how far below it delta(eps)"
        )
        said += " is."
        if read.because.blanket:
            said = "The kernel bounds delta(eps) by the privacy blanket of the randomizer (Balle, Bell, Gascon & Nissim"
            said += " 2019, Lemma 5.3; proof in verify/CERTIFICATE.md). The bound is at most the claimed delta; the"
            said += " certificate does not say how far below it delta(eps) is."
        return [Facts([("delta(eps)", f"at most {number(claim.delta)}")]), Text(said)]
    blocks = [Facts([("delta claimed", number(claim.delta)), ("delta(eps)", "more than that")])]
    if shown is None:
        return blocks
    lower, upper = certificate_laws.excess(Eps.of(claim.eps), *shown).enclosure()
    facts = [("delta claimed", number(claim.delta)), ("P(E) - e^eps Q(E)", interval(lower, upper))]
    said = "delta(eps) is at least P(E) - e^eps Q(E). That this is more than the claimed delta was checked by the"
    said += " kernel; its value here was computed beside, with the engine."
    full = [("lower end", lower), ("upper end", upper), ("delta claimed", claim.delta)]
    return [Facts(facts), Text(said), Details("The numbers in full", [Facts(full)])]


def _evidence(read: CertificateTree, found: Laws | None, shown: Probabilities) -> list[Section]:
    pair = read.pair
    blocks: list[Block] = []
    if pair is not None:
        blocks += [_datasets(read, pair)]
    if read.verdict == "REFUTED" and pair is not None:
        blocks += _event(read, shown)
    blocks += _laws(read, found) if found is not None and pair is None else ()
    if not blocks:
        return []
    return [Section("The counterexample" if pair else "The two laws", blocks)]


def _datasets(read: CertificateTree, pair: Pair) -> Table:
    held = [f"{count} on {shorten(x)}" for x, count in list((pair.others or {}).items())[:MANY]]
    others = ", ".join(held) or (
        "nobody" if read.claim.seen.view != "local" and pair.others is not None else "any: they change nothing"
    )
    none = "nobody" if read.claim.adjacency == "add-remove" else "the reference"
    first, second = (none if x is None else shorten(x) for x in (pair.source, pair.target))
    rows = [("D (law P)", first, others), ("D' (law Q)", second, others)]
    return Table("The two datasets.", ("Dataset", "One user holds", "The others"), rows)


def _event(read: CertificateTree, shown: Probabilities) -> list[Block]:
    given = read.because.event
    if given is None:
        return []
    event = given.outcomes or []
    if given.weights is not None:
        weights = [(m, w) for m, w in given.weights.items() if w.strip("-0")]
        listed = ", ".join(f'"{shorten(m)}" weighs {shorten(w)}' for m, w in weights[:MANY])
        more = f"; {len(weights) - MANY} more are in the certificate" * (len(weights) > MANY)
        what = f"E: the weights of all messages that are seen sum to more than {shorten(given.above)}, where {listed}"
        what += f"{more}, and every other message 0."
    else:
        outcomes = "; ".join(shorten(outcome_text(outcome)) for outcome in event[:MANY])
        one = "this outcome" if len(event) == 1 else f"one of these {len(event)} outcomes"
        what = f"E: {one} is seen: {outcomes}{'; and so on' * (len(event) > MANY)}."
    if shown is None:
        return [Text(what), Text("Its probabilities were not computed for this report.")]
    p, q = (interval(*value.enclosure()) for value in shown)
    facts = Facts([("P(E)", p), ("Q(E)", q)])
    return [Text(what), facts, Text("Both probabilities were computed with the engine; the kernel checked the claim.")]


def _laws(read: CertificateTree, found: Laws) -> tuple[Picture, ...]:
    """P, Q and e^eps Q of a sum with noise, down to where they no longer matter to the claimed delta."""
    try:
        factor = Eps.of(read.claim.eps).bounds(128)
        least = min([value for value in (rational(read.claim.delta),) if value] + [SMALL])
    except BadInput:
        return ()
    floor, scale = max(least / 1000, SMALLEST), 1 << found.p.bits
    first = min(found.p.first, found.q.first)
    last = max(law.first + len(law.low) for law in (found.p, found.q)) - 1
    laws = [[list(map(int, end)) for end in law.on(first, last)] for law in (found.p, found.q)]
    where = [i for i, both in enumerate(zip(laws[0][1], laws[1][1], strict=True)) if max(both) >= floor * scale]
    if len(where) < 2:
        return ()
    x = [Fraction(first + i) for i in where]
    p, q = ([[Fraction(end[i], scale) for i in where] for end in law] for law in laws)
    raised = [[v * t for v in end] for end, t in zip(q, factor, strict=True)]
    lines: list[Line] = []
    for name, (low, high) in (("P", p), ("Q", q), ("e^eps Q", raised)):
        inside = [i for i, value in enumerate(high) if value <= HIGHEST]
        lines.append((name, [x[i] for i in inside], [low[i] for i in inside], [high[i] for i in inside]))
    each = read.claim.seen.each
    said = (
        "One column's sum with one user more (P) and without (Q), log scale. A neighbour moves a unit from one column"
    )
    said += " to another, so delta(eps) is that of two such pairs together."
    if "up to" in each:
        said = (
            f"The sum, larger by {each['up to']} (P) and not (Q), log scale. The sum of P - e^eps Q, where it is above"
        )
        said += " 0, is delta(eps) of this pair."
    alt = f"Curves over x = {shorten(found.what)}, from {x[0]} to {x[-1]}: P, Q and e^eps Q."
    return curves([line for line in lines if line[1]], (found.what, "probability"), said, alt)


# How to re-check, and what it is worth -------------------------------------------------------------------------------


def _again(name: str, data: bytes, checked: Checked) -> Section:
    path = name if not name.startswith("-") else f"./{name}"
    limit = f" --max-work {checked.max_work}" if checked.max_work else ""
    command = f"python3 -I -S verify/kernel.py{limit} {shlex.quote(path)}"
    steps = [
        "Save the certificate from this page (below), or take the file that you were sent, and compare its SHA-256.",
        f"Take verify/kernel.py of shufflecert {checked.version} from a source that you trust, not from whoever sent"
        " you this page. It is one file, uses Python's standard library only, and can be read; verify/CERTIFICATE.md,"
        " beside it, says what a certificate means, precisely enough to write another checker.",
        "Run the command below where both files are.",
    ]
    said = "This page proves nothing by itself: anybody can write one. Its certificate can be checked by anybody."
    digests = [("SHA-256 of the certificate", sha256(data).hexdigest()), ("SHA-256 of kernel.py", checked.kernel)]
    expected = f"{ascii(path)[1:-1]}: {checked.status}: {checked.reason}"
    return Section(
        "How to re-check",
        [
            Text(said),
            Items(steps, ordered=True),
            Code(command, "Command"),
            Text("It answered, when this report was made:"),
            Code(expected, "Answer"),
            Facts(digests),
        ],
    )


def _carried(name: str, data: bytes) -> Section:
    text = data.decode("utf-8", "replace")
    cut = f" (its first {LONG} characters of {len(text)})" if len(text) > LONG else ""
    shown = Details(f"Its text{cut}", [Code(text[:LONG], "The certificate's text")], printed=False)
    return Section("The certificate", [embedded(name, data), shown])


# What it is about, and the privacy profile ---------------------------------------------------------------------------


def _answer_of(read: CertificateTree, shown: Probabilities = None) -> str:
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


def _named(read: CertificateTree | None) -> str:
    """That the file names the protocol: as in the title, or otherwise."""
    if read is None or not read.note:
        return ""
    return (
        ", with the name that its file gives"
        if _noted(read)
        else f" about what its file calls {shorten(read.note, 20)}"
    )


def _noted(read: CertificateTree) -> str:
    """The system of a note that `certify` writes; "" for any other note."""
    noted = NOTE.fullmatch(read.note or "")
    known = noted and (is_file(noted[1]) or noted[1] in catalogue.names())
    return noted[1] if noted and known else ""


def _titled(read: CertificateTree) -> str:
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
    return f"{what}{users}, eps = {_few(claim.eps)}, delta = {_few(claim.delta)}"


def _few(number: str) -> str:
    """A number in a title: one of many digits by its first ones."""
    shown = plain(number, 6)
    return shown if len(shown) <= 16 else shorten(first_digits(number, 4), 12)


def _profile(read: CertificateTree) -> tuple[Picture, ...]:
    """delta over eps for all datasets of the certificate's randomizer, computed with the engine; nothing if too dear.

    The claim is a point: above the curve where it is proved, below where it is refuted.
    """
    claim = read.claim
    if without_plots() or claim.randomizer is None or len(claim.randomizer.rows) < 2 or not claim.plain:
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
