"""What a certificate holds, for a reader: its parts, the two laws of the pair it names, the probabilities of its event.

Whether the certificate is true is for `verify/kernel.py` to say. The numbers here are the engine's: they stand beside
the kernel's verdict, enclosed, and are no part of what a certificate states.
"""

import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import msgspec

from shufflecert.verify.certificate import constant
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Noise, Poisson
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, Randomizer, gathered
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.exact.views import View, view_of
from shufflecert.verify.reduce.event import Sums, sums
from shufflecert.verify.reduce.multinomial_form import sum_of

BITS = 256  # of the two laws
MAX_VARIANCE = 10**6  # of a law that is computed to be looked at
MAX_TERMS = 5000  # outcomes of a law in several messages that is computed so
MAX_DENOMINATOR = 10**6  # its bits
MAX_STEPS = 1 << 16  # between the least and the largest number that one user adds
NOISES = {
    "binomial": Binomial,
    "poisson": Poisson,
    "negative binomial": NegativeBinomial,
    "discrete Laplace": DiscreteLaplace,
}


class Output(msgspec.Struct, frozen=True):
    """One output of a randomizer: the messages sent, and the probability."""

    send: list[str]
    p: str


class Row(msgspec.Struct, frozen=True):
    """One input, with all its outputs."""

    input: str
    outputs: list[Output]


class Rows(msgspec.Struct, frozen=True):
    """The table of a randomizer."""

    rows: list[Row]

    def table(self) -> Randomizer:
        """The randomizer itself. Raises BadInput for labels and numbers that the engine does not take."""
        return Randomizer.build([(row.input, [(one.send, one.p) for one in row.outputs]) for row in self.rows])


class Pair(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """Two neighbouring datasets: one user's inputs `from` and `to` (None: absent, or on the reference), and the counts
    of the others'."""

    source: str | None
    target: str | None
    others: dict[str, int] | None = None


class Event(msgspec.Struct, frozen=True):
    """Outcomes; or that the weights of the messages seen sum to more than `above`."""

    outcomes: list[dict[str, int] | list[str]] | None = None
    weights: dict[str, str] | None = None
    above: str = "0"


class Because(msgspec.Struct, frozen=True):
    """Why a claim holds: of a proof its parts; of a refutation a pair, an event, and a randomizer if it names one."""

    pairs: list[dict[str, Any]] | None = None
    grid: dict[str, str | int] | None = None
    runs: list[Any] | None = None
    pair: Pair | None = None
    event: Event | None = None
    rows: list[Row] | None = None

    @property
    def leaves(self) -> list[Any]:
        """The leaves of a proof's trees: words, and blocks."""
        trees = [one["tree"] for one in self.pairs or [] if isinstance(one.get("tree"), list)]
        return [node for tree in trees for node in tree if not isinstance(node, list)]

    @property
    def blanket(self) -> bool:
        """Whether a proof is by the privacy blanket: blocks of one user who is left open."""
        alone = [isinstance(leaf, dict) and leaf.get("open") == 1 and not leaf.get("users") for leaf in self.leaves]
        return bool(alone) and all(alone)


class Seen(msgspec.Struct, frozen=True, rename={"take_part": "take part"}):
    """What is seen of some users: `each` is what one of them does."""

    users: int
    each: dict[str, Any]
    honest: int | None = None
    take_part: str = "1"
    view: str = ""
    added: dict[str, Any] | None = None
    shown: dict[str, int] | None = None

    @property
    def randomizer(self) -> Rows | None:
        """The table of a randomizer, where that is what a user does."""
        return msgspec.convert(self.each, Rows) if "rows" in self.each else None


class Run(msgspec.Struct, frozen=True):
    """What is seen, and how often."""

    seen: Seen
    times: int


class Claim(msgspec.Struct, frozen=True):
    """What a certificate claims."""

    runs: list[Run]
    neighbours: str | dict[str, dict[str, str]]
    eps: str
    delta: str
    data: str = ""

    @property
    def seen(self) -> Seen:
        """What is seen in the first run."""
        return self.runs[0].seen

    @property
    def several(self) -> bool:
        """Whether it is about more than one run."""
        return sum(run.times for run in self.runs) > 1

    @property
    def randomizer(self) -> Rows | None:
        """The table of the one run."""
        return None if self.several else self.seen.randomizer

    @property
    def adjacency(self) -> str:
        """How neighbours differ, in a word."""
        return self.neighbours if isinstance(self.neighbours, str) else next(iter(self.neighbours))

    @property
    def plain(self) -> bool:
        """Whether all users take part and are honest, and one of them is replaced."""
        everybody = self.seen.honest in (None, self.seen.users) and self.seen.take_part == "1"
        return everybody and self.neighbours == "replace"


class CertificateTree(msgspec.Struct, frozen=True):
    """The parts of a certificate (verify/CERTIFICATE.md), as they stand in the file."""

    claim: Claim
    verdict: str
    because: Because
    note: str = ""

    @property
    def pair(self) -> Pair | None:
        """The two neighbouring datasets that it names, if it names inputs of a table."""
        return self.because.pair if self.claim.randomizer or self.because.rows else None

    @property
    def in_theorem(self) -> bool:
        """Whether it is of a form that the verified kernel, which a report carries, re-checks."""
        claim, each = self.claim, self.claim.seen.each
        if claim.several:
            return self.verdict == "PROVED" and all("rows" in run.seen.each for run in claim.runs)
        if "private" in each:
            return self.verdict == "REFUTED" or each["private"][1] == "0"
        if "rows" in each:
            return claim.plain
        return "plus" not in each and claim.seen.shown is None and claim.seen.added is not None


def read(data: bytes) -> list[CertificateTree] | None:
    """The parts of a file's certificates, or None where the bytes are not of that form; only the kernel checks them."""
    try:  # msgspec's own reader takes no half of a pair of code units
        tree = json.loads(data)
        found = [msgspec.convert(one, CertificateTree) for one in (tree if isinstance(tree, list) else [tree])]
        return found if found and all(one.claim.runs for one in found) else None
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class Laws:
    """The two laws, P and Q, of one number that is seen, enclosed. `above`: the event is that it is above this."""

    what: str
    p: Window
    q: Window
    above: int | None = None


def laws(certificate: CertificateTree) -> Laws | None:
    """The two laws of the number that the named pair shows; None where it shows no single one, or at too much work."""
    claim = certificate.claim
    if claim.several or not claim.plain:
        return None
    try:
        if claim.randomizer is None:
            return _shifted(claim.seen)
        return _scores(certificate) if claim.seen.view == "shuffled" and certificate.pair else None
    except BadInput:  # a label or a number that the engine does not take, or too much work
        return None


Probabilities = tuple[Interval, Interval] | None  # of an event under P and under Q, where they are known


def event_probabilities(certificate: CertificateTree, found: Laws | None) -> Probabilities:
    """The probabilities (P(E), Q(E)) of a refutation's event; None where it has none, or at too much work.

    `found` is what `laws` gave.
    """
    claim, pair = certificate.claim, certificate.pair
    event = certificate.because.event.outcomes if certificate.because.event else None
    try:
        if found is not None and "up to" in claim.seen.each and certificate.because.pair is not None:
            return _best_event(found, Eps.of(claim.eps), turned=certificate.because.pair.source == "0")
        if found is not None and found.above is not None:
            return _tail(found.p, found.above), _tail(found.q, found.above)
        if pair is None or event is None or claim.randomizer is None or not claim.plain:
            return None
        randomizer = claim.randomizer.table()
        view = view_of(randomizer, claim.seen.view)
        if claim.seen.view == "shuffled" and found is None:
            return _by_product(view, pair, event, claim.seen.users)
        seen = [_consistent(view, outcome, claim.seen.users) for outcome in event]
        if found is not None:
            places = [monomial[0] for monomial in seen if monomial is not None]
            return _at(found.p, places), _at(found.q, places)
    except BadInput:
        return None
    rows = [outcome_law(certificate, x) for x in (pair.source, pair.target)]
    sent = [tuple(sorted(Counter(one).elements())) if isinstance(one, dict) else tuple(one) for one in event]
    exact = [sum((row.get(messages, Fraction(0)) for messages in sent), Fraction(0)) for row in rows]
    return Interval(exact[0], exact[0]), Interval(exact[1], exact[1])


def _best_event(found: Laws, eps: Eps, turned: bool) -> tuple[Interval, Interval]:
    """The probabilities of the outcomes with P > e^eps Q for sure; `turned`, P is the law of the smaller number."""
    p, q = (found.q, found.p) if turned else (found.p, found.q)
    first, last = min(p.first, q.first), max(law.first + len(law.low) for law in (p, q)) - 1
    _, high = eps.bounds(BITS)
    least, most = p.on(first, last)[0], q.on(first, last)[1]
    places = [first + i for i, (a, b) in enumerate(zip(least, most, strict=True)) if int(a) > high * int(b)]
    return _at(p, places), _at(q, places)


def excess(eps: Eps, p: Interval, q: Interval) -> Interval:
    """An enclosure of P(E) - e^eps Q(E)."""
    low, high = eps.bounds(BITS)
    return Interval(p.low - high * q.high, p.high - low * q.low)


def outcome_law(certificate: CertificateTree, x: str | None) -> dict[Messages, Fraction]:
    """The law of what a user with input x shows in the local view (tuples) or the preshuffle view (sorted), exactly.

    Raises BadInput for probabilities of more digits than the engine reads.
    """
    local = certificate.claim.seen.view == "local"
    rows = certificate.claim.randomizer.rows if certificate.claim.randomizer else []
    outputs = [output for row in rows if row.input == x for output in row.outputs]
    return gathered((tuple(one.send if local else sorted(one.send)), probability(one.p)) for one in outputs)


def _shifted(seen: Seen) -> Laws | None:
    """The laws of a number with noise, or of one column of ones, with one user more and without."""
    each, given = seen.each, dict(seen.added or {})
    one = each.get("held") == constant(1) and each.get("other") == constant(0)
    if (
        given.get("law") not in NOISES
        or seen.shown
        or "bound" in given
        or "plus" in each
        or not ("up to" in each or one)
    ):
        return None
    noise: Noise = NOISES[given.pop("law")](**given)
    if noise.variance > MAX_VARIANCE:
        return None
    law, by = Window.of(noise, BITS), int(each.get("up to", 1))
    what = "sum" if "up to" in each else "one column's sum, above what the others add"
    return Laws(what, Window(law.first + by, law.low, law.high, law.outside, law.bits), law)


def _scores(certificate: CertificateTree) -> Laws | None:
    """The laws of the threshold's sum of weights, or of the one message whose number tells all others'."""
    claim, pair, event = certificate.claim, certificate.pair, certificate.because.event
    assert claim.randomizer is not None and pair is not None
    randomizer = claim.randomizer.table()
    if event is not None and event.weights is not None:
        weights = {message: int(weight) for message, weight in event.weights.items()}
        what, above = "sum of the weights of the messages", int(event.above)
    else:
        view = view_of(randomizer)
        if len(view.kept) != 1:
            return None
        weights, what, above = {view.messages[view.kept[0]][0]: 1}, "", None
        what = f"number of messages {next(iter(weights))}"
    rows = {x: sums(dict(law.items()), weights) for x, law in randomizer.rows.items()}
    others = pair.others or {}
    widest = max(max(row) - min(row) for row in rows.values())
    if widest > MAX_STEPS or sum(n * _variance(rows[x]) for x, n in others.items()) > MAX_VARIANCE:
        return None
    common = sum_of(((rows[x], n) for x, n in others.items()), BITS)
    p, q = (common.plus(Window.of_finite(rows[x or ""], BITS)) for x in (pair.source, pair.target))
    return Laws(what, p, q, above)


def _variance(law: Sums) -> Fraction:
    mean = sum((v * p for v, p in law.items()), Fraction(0))
    return sum((p * (v - mean) ** 2 for v, p in law.items()), Fraction(0))


def _tail(law: Window, above: int) -> Interval:
    return _at(law, range(max(above + 1, law.first), law.first + len(law.low)))


def _at(law: Window, places: Any) -> Interval:
    """The probability of some places; what is outside the window may be at any."""
    inside = [k - law.first for k in places if 0 <= k - law.first < len(law.low)]
    low, high = (sum(int(end[i]) for i in inside) for end in (law.low, law.high))
    return Interval(Fraction(low, 1 << law.bits), min(Fraction(1), Fraction(high + law.outside, 1 << law.bits)))


def _consistent(view: View, outcome: dict[str, int] | list[str], users: int) -> tuple[int, ...] | None:
    """The counts of the kept messages, or None where the outcome's other counts are not those that they imply."""
    if isinstance(outcome, list) or view.name != "shuffled":
        return None
    index = {send[0]: i for i, send in enumerate(view.messages)}
    full = {index[message]: count for message, count in outcome.items()}
    monomial = tuple(full.get(i, 0) for i in view.kept)
    return monomial if dict(view.multisets(users, [monomial], {})[0]) == full else None


def _by_product(
    view: View, pair: Pair, event: list[dict[str, int] | list[str]], users: int
) -> tuple[Interval, Interval] | None:
    if view.terms(users) > MAX_TERMS or users * view.denominator.bit_length() > MAX_DENOMINATOR:
        return None
    of = dict(zip(view.inputs, view.polynomials, strict=True))
    common = prod((of[x] ** n for x, n in (pair.others or {}).items()), start=view.ring.constant(1))
    monomials = [m for m in (_consistent(view, outcome, users) for outcome in event) if m is not None]
    shares = []
    for x in (pair.source, pair.target):
        law = (common * of[x or ""]).to_dict()
        share = Fraction(sum(int(law.get(m or (0,), 0)) for m in monomials), view.denominator**users)
        shares.append(Interval(share, share))
    return shares[0], shares[1]
