"""Everything that can be said of a randomizer: what it promises in every view, whom it betrays, and what it costs.

Exact where datasets can be enumerated, enclosed between real datasets and a dominating pair elsewhere. Of a function
that was not followed to its end (verify/audit/sampler.py) the upper ends are those of the randomizer that
dominates it, the lower ends what remains of them once the mass that was not followed is taken off (`Slack`).

Of many users of a table, boxes and blocks of users are asked beside a blanket as much as an audit has the time for. How
long an audit will take is foreseen before its first enumeration begins.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations
from math import comb

from shufflecert.verify.audit.sampler import NOT_FOLLOWED
from shufflecert.verify.bound.bound import Bound, WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import PATIENT, bound_of
from shufflecert.verify.bound.closed_form import WIDE
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide.certify import Certified, to_decide
from shufflecert.verify.decide.worst_case import delta, epsilon, privacy_profile, short_ends
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Profile
from shufflecert.verify.exact.neighbours import unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, Messages, Randomizer
from shufflecert.verify.exact.rational import decimal_below
from shufflecert.verify.exact.views import View, symmetries, view_of
from shufflecert.verify.reduce.privacy_blanket import Rows

LARGE = 10_000
MOST_LINES, MOST_PAIRS = 60, 500  # of an envelope that is shown; pairs of datasets up to which it is made
FAR = Eps.of(30)  # where what is left of delta is what no eps keeps
ROUNDING = Fraction(1, 2**40)  # of a claim, which a sum of doubles may miss by
NEARLY_ALL = Fraction(99, 100)  # of the worst delta that the event of the attack shows
MOST_PRODUCTS = 10**6  # scalar products that are looked at
SPARE = Fraction(1, 2**32)  # of delta, for the mass that was not followed
NEAR = (Fraction(1, 2**16), Fraction(1, 2**10))  # of an eps: steps down, to where delta is larger by SPARE
WORK = 2_500_000  # units, for each question: some three seconds
SECONDS = 10  # that all questions about one number of users may take, about
MOST_QUICK = 5  # classes, up to which a question about one number takes about a second
EVENT_UNIT = Fraction(15, 10**4)  # seconds for an event of a table of one output; they rise with the outputs
SEARCHED = 400  # events that a search for an eps looks at
WORD = 32  # bits of a weight; the work for blocks is counted in weights
MOST_OUTPUTS = 100  # of a row, beyond which so much work brings nothing
TINY, SMALL = Fraction(1, 10**30), Fraction(1, 10**12)  # deltas of which any upper end, and that of a blanket, will do
UNIT = Fraction(6, 10**7)  # seconds for a unit of `Neighbourhood.work`, measured on one core: 0.35 to 0.6 microseconds
ALONE = 3  # times that enumeration is gone through beside once for every eps: eps at delta, pure eps, the envelope


@dataclass(frozen=True)
class Slack:
    """The mass of a function's law that was not followed: at most `residual` for every input."""

    residual: Fraction = Fraction(0)

    def margin(self, eps: Eps, n: int) -> Fraction:
        """How much more the dominating randomizer's delta(eps) of n users may be than the function's, at most."""
        return (1 + eps.bounds(64)[1]) * n * self.residual if self.residual else Fraction(0)

    def delta(self, found: WorstDelta, n: int) -> WorstDelta:
        """The function's delta, between the dominating randomizer's less the margin and that itself."""
        if not self.residual:
            return found
        value = found.delta if isinstance(found.delta, Interval) else short_ends(found.delta)
        low = max(Fraction(0), value.low - self.margin(found.eps, n))
        return replace(found, delta=Interval(low, value.high))


def with_slack(found: WorstEpsilon, slack: Slack, of: Bound, delta: Fraction) -> WorstEpsilon:
    """eps at `delta` of the function: at most the randomizer's, at least the randomizer's at a delta that is larger.

    `of` is what is known of the randomizer.
    """
    if not slack.residual:
        return found
    n, low, more = of.question.n, Fraction(0), delta + SPARE
    if more < 1:
        at = _nearly(found, of, more)
        raised = found if at else of.epsilon(more)
        at = at or ends_of(raised)[0]
        if raised.eps is None and raised.interval is None:  # no eps will do: as far as the margin leaves something
            at = Fraction(Eps.log(max(Fraction(1), SPARE / (n * slack.residual) / 2 - 1)).enclosure()[0])
        low = at if slack.margin(Eps.of(at), n) <= SPARE else low
    return replace(found, eps=None, interval=(low, ends_of(found)[1]))


def _nearly(found: WorstEpsilon, of: Bound, more: Fraction) -> Fraction:
    """An eps a little below the lower end of `found` at which delta is above `more`; 0 where none is so near."""
    low = ends_of(found)[0]
    for part in NEAR if low else ():
        eps = Eps.of(low * (1 - part))
        if short_ends(of.delta(eps).delta).low > more:
            return low * (1 - part)
    return Fraction(0)


def ends_of(found: WorstEpsilon) -> tuple[Fraction, Fraction | None]:
    """[low, high] of an eps, high None where it is infinite; low is 0 where no eps at all will do."""
    if found.eps is not None:
        low, high = found.eps.enclosure()
        return Fraction(low), Fraction(high)
    return found.interval or (Fraction(0), None)


@dataclass(frozen=True)
class Promise:
    """What an author claims: (eps, delta) for n users, in a view."""

    n: int
    eps: Eps
    delta: Fraction
    view: str = "shuffled"


@dataclass(frozen=True)
class Users:
    """What n users keep in the shuffled view: pure eps, eps at the audit's delta, delta at its eps; `refused` says why
    not. `envelope` is the exact delta(eps) over all neighbouring datasets where it has few lines."""

    n: int
    pure: WorstEpsilon | None = None
    epsilon: WorstEpsilon | None = None
    deltas: tuple[WorstDelta, ...] = ()
    envelope: Profile | None = None
    refused: str = ""


@dataclass(frozen=True)
class Leak:
    """Seen with probability p of a user on `x`, and never of one on `y`: whoever sees it knows.

    Where mass was not followed p is a lower end, and `hidden` < p an upper one of the probability on `y`."""

    x: str
    y: str
    messages: Messages
    p: Fraction
    hidden: Fraction = Fraction(0)


@dataclass(frozen=True)
class Audited:
    """One page on a randomizer. `blanket` is BBGN's gamma, sum over y of min over x of Pr[R(x) = y], y a multiset of
    messages; `bits` one message's, `expected` the messages of a user by input; `symmetric` the permutations of inputs
    that generate the symmetries found; `attack` the event that shows nearly all of the worst delta.

    Where mass was not followed, `blanket` and `expected` are lower ends: gamma is at most the residual of every input
    more, and nothing is known of how many messages are sent there."""

    randomizer: Randomizer
    delta: Fraction
    eps: tuple[Eps, ...]
    slack: Slack
    local: WorstEpsilon
    preshuffle: WorstEpsilon
    users: tuple[Users, ...]
    large: Users
    leaks: tuple[Leak, ...]
    blanket: Fraction
    expected: dict[str, Fraction]
    bits: int
    symmetric: tuple[dict[str, str], ...]
    attack: Certified | None
    promise: Promise | None
    verdict: Certified | None


def audit(
    randomizer: Randomizer,
    ns: Sequence[int] = (1, 2, 3, 4, 5),
    eps: Sequence[Eps] = (),
    delta: Fraction = Fraction(1, 10**6),
    promise: Promise | None = None,
    *,
    large: int = LARGE,
    residual: Fraction = Fraction(0),
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
    note: str = "",
    progress: Callable[[Sequence[int], int], Iterable[int]] | None = None,
) -> Audited:
    """All that is known of a randomizer: exact local, preshuffle and shuffled eps, delta(eps) over all neighbouring
    datasets for every n of `ns`, leaks, the blanket, and whether a promise holds, with certificate.

    eps in nats, delta a probability. Raises BadInput where the randomizer has a single input.
    """
    if len(randomizer.inputs) < 2:
        raise BadInput(f"input {randomizer.inputs[0]}: the only one: give at least two inputs")
    slack = Slack(residual)
    local, preshuffle = (epsilon(randomizer, 1, 0, view) for view in ("local", "preshuffle"))
    wanted, settings = [*ns, large], _Settings(randomizer, tuple(eps), delta, slack, preshuffle, effort)
    listed = [settings.users(n) for n in (progress(wanted, len(wanted)) if progress else wanted)]
    rows = Rows.of(randomizer, 1)
    unseen, shown = _not_followed(randomizer), leaks(randomizer)
    messages = len(randomizer.messages) - len(unseen)
    return Audited(
        randomizer=randomizer,
        delta=delta,
        eps=tuple(eps),
        slack=slack,
        local=_pure(local, "local", randomizer, slack),
        preshuffle=_pure(preshuffle, "preshuffle", randomizer, slack),
        users=tuple(listed[:-1]),
        large=listed[-1],
        leaks=tuple(shown),
        blanket=Fraction(sum(rows.least(rows.rows).values()), rows.unit),
        expected={x: randomizer.expected_messages(x) - unseen.get(x, 0) for x in randomizer.inputs},
        bits=max(1, (messages - 1).bit_length()),
        symmetric=_symmetric(randomizer),
        attack=_attack(randomizer, listed[:-1], slack, bool(shown), note),
        promise=promise,
        verdict=None if promise is None else judge(randomizer, promise, slack, Effort(work=effort.work), note),
    )


def judge(
    randomizer: Randomizer,
    promise: Promise,
    slack: Slack,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
    note: str = "",
) -> Certified:
    """The verdict on a promise. Where mass was not followed, REFUTED wants a delta that is larger by the margin."""
    n, eps, bound, view = promise.n, promise.eps, promise.delta, promise.view
    asked = to_decide(Question.of(randomizer, n, view), effort)
    found = replace(asked.decided(eps, bound), note=note)
    if found.verdict != "REFUTED" or not slack.residual:
        return found
    raised = bound + slack.margin(eps, n)
    if raised <= 1:
        shown = replace(asked.decided(eps, raised), note=note)
        if shown.verdict == "REFUTED":
            return shown
    reason = f"a mass of {_power(slack.residual)} was not followed, and it decides: expected a smaller --residual"
    return replace(found, verdict="UNDECIDED", because=None, reason=reason, event=(), probabilities=None)


def kept_but_for_rounding(
    randomizer: Randomizer, promise: Promise | None, decided: Certified | None, slack: Slack
) -> Fraction | None:
    """The eps, larger by 2^-40 than the one that was claimed, that is PROVED with a delta larger by a part in 2^40,
    where the claim is REFUTED: as where a probability is the double next to what was meant. None where there is none.
    """
    if promise is None or decided is None or decided.verdict != "REFUTED":
        return None
    eps = Fraction(promise.eps.enclosure()[1]) + ROUNDING
    easier = replace(promise, eps=Eps.of(eps), delta=min(Fraction(1), promise.delta * (1 + ROUNDING)))
    try:
        return eps if judge(randomizer, easier, slack).verdict == "PROVED" else None
    except BadInput:
        return None


def leaks(randomizer: Randomizer) -> list[Leak]:
    """For every ordered pair of inputs, the likeliest output of one that the other never has (messages as sent)."""
    found, unseen, secret = [], _not_followed(randomizer), {(NOT_FOLLOWED + x,) for x in _not_followed(randomizer)}
    for x, law in randomizer.rows.items():
        for y, other in randomizer.rows.items():
            hidden = unseen.get(y, Fraction(0))
            alone = [(p, send) for send, p in law.items() if send not in other and send not in secret and p > hidden]
            if alone:
                p, send = max(alone)
                found.append(Leak(x, y, send, p, hidden))
    return found


def _not_followed(randomizer: Randomizer) -> dict[str, Fraction]:
    """The mass of every input that stands for paths that were not followed."""
    secret = {x: (NOT_FOLLOWED + x,) for x in randomizer.inputs}
    return {x: law[secret[x]] for x, law in randomizer.rows.items() if secret[x] in law}


@dataclass(frozen=True)
class _Settings:
    randomizer: Randomizer
    eps: tuple[Eps, ...]
    delta: Fraction
    slack: Slack
    preshuffle: WorstEpsilon  # of the randomizer, pure
    effort: Effort

    def users(self, n: int) -> Users:
        r = self.randomizer
        try:
            bound = bound_for(r, n, self.effort)
            exact = bound.around is not None
            at = with_slack(bound.epsilon(self.delta), self.slack, bound, self.delta)
            pure = bound.epsilon(Fraction(0)) if exact else self._pure_between(at)
            pure = with_slack(pure, self.slack, bound, Fraction(0))
            deltas = tuple(self.slack.delta(closest(bound, e), n) for e in self.eps)
            if any(scope.stopped for scope in (at.scope, *(found.scope for found in deltas))):
                raise KeyboardInterrupt
            few = exact and pure.scope.pairs <= MOST_PAIRS and not self.slack.residual
            whole = privacy_profile(r, n, max_work=self.effort.work) if few else None
        except (TooMuchWork, Undecided) as error:
            return Users(n, refused=str(error))
        return Users(n, pure, at, deltas, whole if whole and len(whole.lines) <= MOST_LINES else None)

    def _pure_between(self, at: WorstEpsilon) -> WorstEpsilon:
        """Pure eps of many users: at least eps at a delta above 0; at most one user's (one more user whose input is
        known is post-processing), and equal to it where every output is one message (BC Claim 18)."""
        one = self.preshuffle
        if one.eps is None:
            infinite = self.randomizer.single_message or infinite_for_all(self.randomizer)
            return replace(at, eps=None, interval=None if infinite else (ends_of(at)[0], None))
        if self.randomizer.single_message:
            return replace(at, eps=one.eps, interval=None)
        return replace(at, eps=None, interval=(ends_of(at)[0], ends_of(one)[1]))


def _pure(found: WorstEpsilon, view: str, randomizer: Randomizer, slack: Slack) -> WorstEpsilon:
    """Pure eps of one user: where mass was not followed, at least the largest ratio with it on the other side."""
    if not slack.residual:
        return found
    table = view_of(randomizer, view)
    secret = {i for i, m in enumerate(table.messages) if any(name.startswith(NOT_FOLLOWED) for name in m)}
    rows = [{y: w for y, w in row.items() if not secret & {i for i, _ in y}} for row in table.rows]
    hidden, most = slack.residual * table.denominator, Fraction(1)
    for above, below in permutations(rows, 2):
        most = max([most, *(p / (below.get(y, 0) + hidden) for y, p in above.items())])
    return replace(found, eps=None, interval=(Fraction(Eps.log(most).enclosure()[0]), None))


def _attack(
    randomizer: Randomizer, listed: Sequence[Users], slack: Slack, leaking: bool, note: str
) -> Certified | None:
    """An event that shows nearly all of the largest delta, for the fewest users: at the first eps that has any, or far
    beyond them where some output of one user shows the input whatever eps is."""
    values = [(users.n, value) for users in listed for value in users.deltas]
    if leaking:
        values.insert(0, (1, slack.delta(delta(randomizer, 1, FAR), 1)))
    for n, value in values:
        low = value.delta.low if isinstance(value.delta, Interval) else short_ends(value.delta).low
        bound = Fraction(decimal_below(low * NEARLY_ALL, 6))
        if bound > 0:
            found = judge(randomizer, Promise(n, value.eps, bound), slack, note=note)
            if found.verdict == "REFUTED":
                return found
    return None


def _symmetric(randomizer: Randomizer) -> tuple[dict[str, str], ...]:
    names = randomizer.inputs
    found = symmetries(view_of(randomizer))
    return tuple({names[x]: names[s] for x, s in enumerate(symmetry.inputs) if x != s} for symmetry in found)


def _power(p: Fraction) -> str:
    return f"about 2^-{max(0, p.denominator.bit_length() - p.numerator.bit_length())}"


def infinite_for_all(randomizer: Randomizer) -> bool:
    """Whether pure eps is infinite for every number of users, by one of some linear functions of the counts.

    Let w have a larger largest value on the outputs of x than on those of y. Where all others hold y, n users with one
    on x can reach a value that n users on y never do. Tried: the number of messages, of each kind of message, and the
    scalar products with the counts of each output; and their opposites.
    """
    sent = {x: [Counter(send) for send in law] for x, law in randomizer.rows.items()}
    kinds = [{m: 1} for m in randomizer.messages]
    outputs = {frozenset(send.items()): send for listed in sent.values() for send in listed}
    weights: list[Mapping[str, int]] = [dict.fromkeys(randomizer.messages, 1), *kinds, *outputs.values()]
    if len(weights) * sum(map(len, sent.values())) > MOST_PRODUCTS:
        weights = weights[: 1 + len(kinds)]
    for w in weights:
        values = [[sum(w.get(m, 0) * k for m, k in send.items()) for send in listed] for listed in sent.values()]
        if len({max(row) for row in values}) > 1 or len({min(row) for row in values}) > 1:
            return True
    return False


def worth_it(view: View) -> bool:
    """Whether boxes and blocks are asked: where more than one number matters, and rows are not long."""
    return len(view.kept) > 1 and max(map(len, view.rows)) <= MOST_OUTPUTS


def bound_for(randomizer: Randomizer, n: int, effort: Effort) -> Bound:
    """What an audit asks of n users. With one number that matters, a search goes as far as ever."""
    view, bound = view_of(randomizer), bound_of(Question.of(randomizer, n), effort)
    if len(view.kept) <= 1:
        return bound
    return bound.within((effort.work or WORK // (1 + view.denominator.bit_length() // WORD)) if worth_it(view) else 0)


def expected(randomizer: Randomizer, view: View, deltas: int, max_work: int | None) -> int:
    """About how many seconds, at most, boxes, blocks and events of many users take, with delta at so many eps."""
    if not worth_it(view):
        return (1 + deltas) * SECONDS if len(view.kept) <= 1 and len(view.classes) > MOST_QUICK else 0
    table, pairs = Rows.of(randomizer, 1), len(randomizer.inputs) * (len(randomizer.inputs) - 1)
    datasets = min(table.looked_at, pairs * len(randomizer.inputs))
    events = 0 if table.single else (4 + 2 * deltas) * datasets + SEARCHED
    return SECONDS + round(events * table.size * EVENT_UNIT)


def closest(bound: Bound, eps: Eps) -> WorstDelta:
    """The largest delta(eps), closely where a first look leaves it wide apart, and it is not very small."""
    found = bound.delta(eps, TINY)
    value = found.delta
    wide = isinstance(value, Interval) and value.high > value.low * WIDE and value.low > SMALL
    return bound.delta(eps) if wide and bound.covers is not None else found


@dataclass(frozen=True)
class Foreseen:
    """An estimate of the seconds that an audit takes.

    `enumeration` is that of enumerations, the `largest` of them in words; `boxes` at most that of bounds for many
    users, by events, boxes and blocks.
    """

    enumeration: Fraction
    largest: str
    boxes: int = 0
    parts: Mapping[str, Fraction] = field(default_factory=dict)  # the seconds of each number of users

    @property
    def seconds(self) -> Fraction:
        """Seconds in all, of enumerations and of what else is asked."""
        return self.enumeration + self.boxes

    def __str__(self) -> str:
        boxes = f", and up to {self.boxes} s of events, boxes and blocks of users" if self.boxes else ""
        return f"about {round(self.enumeration)} s of enumeration, most of it {self.largest}{boxes}"


def foreseen(randomizer: Randomizer, ns: Sequence[int], deltas: int, max_work: int | None = None) -> Foreseen:
    """The estimate for local, preshuffle and n users in the shuffled view, with delta at so many eps.

    Of what is answered by a reduction only events, boxes and blocks are in it.
    """
    inputs, passes, one = len(randomizer.inputs), deltas + ALONE, view_of(randomizer, "preshuffle")
    pairs, longest = inputs * (inputs - 1), max(map(len, one.rows))
    single = f"{pairs} pairs of inputs x {longest} outputs"
    parts = [(2 * pairs * longest, f"{single}, local and preshuffle")]
    seconds = dict[str, Fraction]()
    shuffled, limit = view_of(randomizer, "shuffled"), max_work or PATIENT
    for n in ns if inputs > 1 else ():  # a single input is refused
        if n == 1:
            parts.append((passes * pairs * longest, f"{single}, n = 1"))
            seconds["n = 1"] = UNIT * passes * pairs * longest
        elif comb(n - 2 + len(shuffled.classes), n - 1) * shuffled.terms(n) <= limit:
            around = unchecked(randomizer, n, "shuffled", limit, EVERYBODY)
            if around.affordable:  # else a reduction answers it, or it is refused
                work, words = around.work()
                parts.append((passes * work, f"{words.partition(': ')[2]}, n = {n}"))
                seconds[f"n = {n}"] = UNIT * passes * work
    beside = expected(randomizer, shuffled, deltas, max_work)
    if ns:
        seconds[f"n = {max(ns)}"] = seconds.get(f"n = {max(ns)}", Fraction(0)) + beside
    return Foreseen(UNIT * sum(units for units, _ in parts), max(parts)[1], beside, seconds)
