"""The report on a certificate: what the kernel says of it now, what it states, its numbers, how to re-check it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import accumulate

from flint import fmpz

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import rational, shorten
from shufflecert.verify.report.html import certificate_laws
from shufflecert.verify.report.html.certificate_laws import Certificate, Laws, Pair, Probabilities
from shufflecert.verify.report.html.certificate_profile import answer_of, few, named, profile_section, titled
from shufflecert.verify.report.html.page import (
    Block,
    Code,
    Details,
    Facts,
    Items,
    Line,
    Page,
    Section,
    Table,
    Text,
    Verdict,
    bars,
    curves,
    embedded,
    interval,
    number,
    recheck_script,
    without_plots,
)
from shufflecert.verify.report.html.statement import MANY, messages, protocol, small_print, statement

LONG, HIGHEST = 20_000, 10  # characters of a certificate that are shown (it is carried whole); of e^eps Q in a picture
SMALL, SMALLEST = Fraction(1, 1000), Fraction(1, 10**60)  # where laws stop in a picture: a thousandth of what matters
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


def page(name: str, data: bytes, checked: Checked) -> Page:
    """The report on a certificate's bytes, from a file of this name."""
    found = None if checked.status == "malformed" else certificate_laws.read(data)
    if found is not None and len(found) > 1:
        return _several(name, data, checked, found)
    read = found[0] if found else None
    accepted = None if checked.status != "accepted" else read
    drawn = None if accepted is None else certificate_laws.laws(accepted)
    shown = None if accepted is None else certificate_laws.event_probabilities(accepted, drawn)
    sections = [] if read is None else _about(read, accepted is not None, drawn, shown)
    return Page(
        f"Report on {name}" if read is None else titled(read),
        f"A privacy certificate{named(read)}, checked {checked.when}",
        _verdict(read, checked, shown),
        [*sections, _again(name, data, checked), small_print(read), _carried(name, data)],
        f"Made by shufflecert {checked.version}, {checked.when}. {without_plots()}".strip(),
        recheck_script() if read is not None and read.in_theorem else "",
    )


def _several(name: str, data: bytes, checked: Checked, found: Sequence[Certificate]) -> Page:
    """The report on a file of several certificates: what each states."""
    sections, warned = list[Section](), list[Block]()
    title = "What it states"
    if checked.status != "accepted":
        title, warned = (
            "What the file claims",
            [Text("What follows is what the file says. It was not confirmed.", strong=True)],
        )
    for i, read in enumerate(found, 1):
        sections.append(Section(f"{title}, {i} of {len(found)}: {read.verdict}", [*warned, *statement(read)]))
    return Page(
        f"{len(found)} certificates, the first: {titled(found[0])}",
        f"Privacy certificates, checked {checked.when}",
        _verdict(None, checked, None),
        [*sections, protocol(found[0]), _again(name, data, checked), small_print(found[0]), _carried(name, data)],
        f"Made by shufflecert {checked.version}, {checked.when}. {without_plots()}".strip(),
        recheck_script() if all(read.in_theorem for read in found) else "",
    )


def _about(read: Certificate, accepted: bool, found: Laws | None, shown: Probabilities) -> list[Section]:
    if not accepted:
        warning = Text("What follows is what the file says. It was not confirmed.", strong=True)
        return [Section("What the file claims", [warning, *statement(read)]), protocol(read)]
    return [
        Section("What it states", statement(read)),
        Section("The numbers", _numbers(read, shown)),
        *_evidence(read, found, shown),
        *profile_section(read, found),
        protocol(read),
    ]


def _verdict(read: Certificate | None, checked: Checked, shown: Probabilities) -> Verdict:
    status, kernel = checked.status, f"The kernel says: {checked.status}: {checked.reason}"
    if status == "accepted" and read is not None:
        ends = f"(eps, delta) = ({few(read.claim.eps)}, {few(read.claim.delta)})"
        told = f"{ends}.{answer_of(read, shown)}"
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


def _numbers(read: Certificate, shown: Probabilities) -> list[Block]:
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
    picture = _against(claim.delta, "P(E) - e^eps Q(E)", lower, upper)
    return [Facts(facts), Text(said), *picture, Details("The numbers in full", [Facts(full)])]


def _against(claimed: str, name: str, lower: str, upper: str) -> tuple[Block, ...]:
    """Bars: what is shown, and what was claimed."""
    try:
        claim, low, high = rational(claimed), rational(lower), rational(upper)
    except BadInput:
        return ()
    apart = high > low * Fraction(101, 100)
    ends = [(f"{name}, lower end", low), (f"{name}, upper end", high)] if apart else [(name, high)]
    return bars([("delta claimed", claim), *ends], "probability", f"{name} next to the claimed delta.")


def _evidence(read: Certificate, found: Laws | None, shown: Probabilities) -> list[Section]:
    pair = read.pair
    blocks: list[Block] = []
    if pair is not None:
        blocks += [_datasets(read, pair)]
    if read.verdict == "REFUTED" and pair is not None:
        blocks += _event(read, shown)
    blocks += _laws(read, found) if found is not None else _outcomes(read, pair)
    if not blocks:
        return []
    return [Section("The counterexample" if pair else "The two laws", blocks)]


def _datasets(read: Certificate, pair: Pair) -> Table:
    held = [f"{count} on {shorten(x)}" for x, count in list((pair.others or {}).items())[:MANY]]
    others = ", ".join(held) or (
        "nobody" if read.claim.seen.view != "local" and pair.others is not None else "any: they change nothing"
    )
    none = "nobody" if read.claim.adjacency == "add-remove" else "the reference"
    first, second = (none if x is None else shorten(x) for x in (pair.source, pair.target))
    rows = [("D (law P)", first, others), ("D' (law Q)", second, others)]
    return Table("The two datasets.", ("Dataset", "One user holds", "The others"), rows)


def _event(read: Certificate, shown: Probabilities) -> list[Block]:
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
        outcomes = "; ".join(_outcome(outcome) for outcome in event[:MANY])
        one = "this outcome" if len(event) == 1 else f"one of these {len(event)} outcomes"
        what = f"E: {one} is seen: {outcomes}{'; and so on' * (len(event) > MANY)}."
    if shown is None:
        return [Text(what), Text("Its probabilities were not computed for this report.")]
    p, q = (interval(*value.enclosure()) for value in shown)
    facts = Facts([("P(E)", p), ("Q(E)", q)])
    return [Text(what), facts, Text("Both probabilities were computed with the engine; the kernel checked the claim.")]


def _outcome(outcome: dict[str, int] | list[str]) -> str:
    if isinstance(outcome, list):
        return messages(outcome)
    return " + ".join(f'{count} x "{shorten(message)}"' for message, count in outcome.items()) or "no message"


def _laws(read: Certificate, found: Laws) -> tuple[Block, ...]:
    """P, Q and e^eps Q, down to where they no longer matter to the claimed delta; of a threshold, their tails."""
    try:
        factor = Eps.of(read.claim.eps).bounds(128)
        least = min([value for value in (rational(read.claim.delta),) if value] + [SMALL])
    except BadInput:
        return ()
    floor = max(least / 1000, SMALLEST)
    first = min(found.p.first, found.q.first)
    last = max(law.first + len(law.low) for law in (found.p, found.q)) - 1
    tails, scale = found.above is not None, 1 << found.p.bits
    laws = [
        [_tails(end) if tails else list(map(int, end)) for end in law.on(first, last)] for law in (found.p, found.q)
    ]
    where = [i for i, both in enumerate(zip(laws[0][1], laws[1][1], strict=True)) if max(both) >= floor * scale]
    if tails:  # without the long part where both are about 1
        where = [i for i in where if min(laws[0][0][i], laws[1][0][i]) < scale - scale // 1000]
    if len(where) < 2:
        return ()
    x, p, q = (
        [Fraction(first + i - tails) for i in where],
        *([[Fraction(end[i], scale) for i in where] for end in law] for law in laws),
    )
    raised = [[v * t for v in end] for end, t in zip(q, factor, strict=True)]
    ends = ((p[0], raised[1]), (p[1], raised[0]))
    excess = [[max(v - w, Fraction(0)) for v, w in zip(*end, strict=True)] for end in ends]
    y_label, caption = _explained(read, found)
    alt = f"Curves over x = {shorten(found.what)}, from {x[0]} to {x[-1]}: P, Q, e^eps Q and P - e^eps Q."
    named = (("P", p), ("Q", q), ("e^eps Q", raised), ("P - e^eps Q, where above 0", excess))
    lines: list[Line] = []
    for name, (low, high) in named:
        inside = [i for i, value in enumerate(high) if value <= HIGHEST]
        lines.append((name, [x[i] for i in inside], [low[i] for i in inside], [high[i] for i in inside]))
    return curves([line for line in lines if line[1]], (found.what, y_label), caption, alt)


def _tails(law: Sequence[fmpz]) -> list[int]:
    """Sums from every place to the end."""
    return list(accumulate(map(int, reversed(law))))[::-1]


def _explained(read: Certificate, found: Laws) -> tuple[str, str]:
    """The name of the vertical axis, and the caption."""
    each = read.claim.seen.each
    if found.above is not None:
        said = f"P and Q of {shorten(found.what)} > x, log scale. The event is x = {shorten(str(found.above))}: there P"
        return "probability of more than x", f"{said} is above e^eps Q by more than the claimed delta."
    if "one of" in each:
        said = "One column's sum with one user more (P) and without (Q), log scale. A neighbour moves a unit from one"
        return "probability", f"{said} column to another, so delta(eps) is that of two such pairs together."
    if "up to" in each:
        said = f"The sum, larger by {each['up to']} (P) and not (Q), log scale."
        return "probability", f"{said} The sum of P - e^eps Q, where it is above 0, is delta(eps) of this pair."
    said = "The laws of what is seen of D (P) and of D' (Q), log scale: the other messages' numbers follow from this"
    return "probability", f"{said} one. The sum of P - e^eps Q, where it is above 0, is this pair's delta(eps)."


def _outcomes(read: Certificate, pair: Pair | None) -> tuple[Block, ...]:
    """In the views of single users: every outcome's two probabilities."""
    if pair is None or read.claim.seen.view == "shuffled" or not read.claim.plain:
        return ()
    try:
        p, q = (certificate_laws.outcome_law(read, x) for x in (pair.source, pair.target))
    except BadInput:
        return ()
    outcomes = list(dict.fromkeys([*p, *q]))
    if len(outcomes) > MANY:
        return ()
    rows = [(messages(y), *(number(str(law.get(y, Fraction(0)))) for law in (p, q))) for y in outcomes]
    return (Table("What the user's own outputs look like from outside.", ("Outcome", "P", "Q"), rows),)


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
