"""`any_ldp`: every eps0-private randomizer at once, for who knows nothing else of it (after BBGN Lemma 5.3).

The users may run any local randomizer R, finite or not, that is eps0-private: Pr[R(x) in S] <= e^eps0 Pr[R(x') in S]
for all inputs x, x' and sets S. With E = e^eps0 and a = e^eps, n users, all such R, and all neighbouring datasets,

    delta(eps) <= (1/n) E max(L_1 + ... + L_n, 0),  L = E - a, 1 - aE with probability 1/(E + 1) each, else 0,

for L_1, ..., L_n independent; the proof is in verify/CERTIFICATE.md, "Any randomizer", its algebra in
proofs/any_randomizer.py. With local_delta > 0, R is (eps0, local_delta)-private, and less is known (`Slack`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import Ends, Interval, ToDigits
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import probability, shorten
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket, Blankets, Member, event_of, hints_for
from shufflecert.verify.reduce.reduction import Found, NamedPair, Reduction, Threshold
from shufflecert.verify.systems.declare import Order, System, parameter

MOST = 100  # of eps0, in nats
BITS = 64  # of e^eps0, where it is not rational: down for the real randomizers, up for what dominates
SMALLER = Order(
    Fraction(0), Fraction(MOST), falling=True, lemma="what is eps0-private is eps0'-private for eps0' > eps0"
)
DELTAS = Order(Fraction(0), Fraction(1), falling=True, lemma="what is private with a delta is so with a larger one")


def local_eps(value: object, where: str) -> Eps:
    """An eps0 from 0 to 100 nats: rational, or the logarithm of a rational."""
    eps = Eps.of(value, where)
    if eps > Eps.of(MOST):
        raise BadInput(f"{where}: {shorten(str(eps))}: expected at most {MOST}")
    return eps


def ratio_between(eps: Eps) -> Ends:
    """(low, high), rationals of some 64 bits with low <= e^eps <= high; both are e^eps where that is rational."""
    low, high = eps.bounds(2 * BITS)
    if low == high:
        return low, high
    unit = Fraction(1, 1 << BITS)
    return max(Fraction(1), low // unit * unit), -(-high // unit) * unit


@dataclass(frozen=True)
class Slack(ToDigits):
    """The bound on delta(eps) where the randomizer is (eps0, delta0)-private; `bound` is that of delta0 = 0.

        delta(eps) <= bound + delta0 (1 + 3 (1 + e^eps) (n - 1) / E),  and <= delta0 where e^eps >= E.

    Proof: verify/CERTIFICATE.md, "Any randomizer".
    """

    bound: Blanket
    local_delta: Fraction
    eps0: Eps
    ratio: Ends  # rationals around E = e^eps0

    def reversed(self) -> "Slack":
        """The bound of the other direction, which is the same."""
        return self

    def enclosure(self, eps: Eps, digits: int, _: Fraction = Fraction(0)) -> Interval:
        """An enclosure of the bound on delta(eps), to about so many digits; its upper bound is at most 1."""
        low, high = eps.bounds(128)
        if self.beyond(eps):
            return Interval(self.local_delta, self.local_delta)
        value = self.bound.enclosure(eps, digits)
        return Interval(
            min(value.low + self.more(low, self.ratio[1]), Fraction(1)),
            min(value.high + self.more(high, self.ratio[0]), Fraction(1)),
        )

    def beyond(self, eps: Eps) -> bool:
        """Whether eps >= eps0, where the randomizer alone is private enough."""
        return eps >= self.eps0

    def more(self, power: Fraction, ratio: Fraction) -> Fraction:
        """What delta0 adds at e^eps = power, for e^eps0 = ratio."""
        return self.local_delta * (1 + 3 * (1 + power) * (self.bound.form.n - 1) / ratio)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        return self.local_delta


@dataclass(frozen=True)
class Dominating(Blankets):
    """The one bound that holds for all randomizers, as a family."""

    @classmethod
    def by(cls, slack: Slack) -> "Dominating":
        """The family of this bound, to 6 digits: what lies between real randomizers and it is known less well."""
        return cls([Member(slack, NamedPair(slack, "0", "1"), slack.bound)])

    def hints(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """The grid on which the kernel finds that the bound is at most `bound`."""
        slack, power = self.members[0].value, eps.bounds(128)[1]
        assert isinstance(slack, Slack)
        if slack.beyond(eps):
            return {"step": "1", "cells": 16, "tilt": "3/2"}
        more = slack.more(power, slack.ratio[0])
        if slack.local_delta and more >= bound:
            raise Undecided("the bound that its certificate would state is above delta by local_delta alone")
        return hints_for([(slack.bound.form, more)], eps, bound)


@dataclass(frozen=True)
class AnyLDP(System):
    """Any eps0-private randomizer of n users: what holds for all of them, next to the worst that is known."""

    VIEWS = ("shuffled",)
    OVER_USERS = True  # one more user, whose input is known, is post-processing, whatever the randomizer
    REACH = """two-sided over all eps0-private randomizers: 2- and 3-ary randomized response, all others on one value
    (attained), and one bound for all (dominating)"""

    eps0: Eps = parameter("local eps of the randomizer, in nats: 4, or log(3)", local_eps, order=SMALLER)
    local_delta: Fraction = parameter("local delta of the randomizer", probability, Fraction(0), order=DELTAS)

    @property
    def local_epsilon(self) -> Eps | None:
        """The local eps at delta = 0, where that is what is given."""
        return self.eps0 if self.local_delta == 0 else None

    def unwritten(self) -> str:
        """Why there is no table: not one randomizer but all."""
        return "any_ldp: all randomizers at once, none of them written out: expected the shuffled view, or one, as krr"

    def reach(self, n: int) -> Reduction:
        """Attained: `responses`, all others on one value. Dominating: the module's bound, for all randomizers.

        Lemma. At local_delta = 0 the smallest eps with delta(eps) = 0 for all these randomizers is eps0, whatever n.
        Proof. Shuffling is post-processing of what users send, and a user's change is eps0-private alone. Binary
        randomized response with all others on 1: "n times 0" has probability (1 - f) f^(n - 1) with a user on 0 and
        f f^(n - 1) with that user on 1, in the ratio (1 - f)/f = e^eps0.
        """
        kinds = self.kinds(ratio_between(self.eps0)[0])
        family = [attained_pair(*kind, n) for kind in kinds]
        attained = Blankets([Member(pair, named, pair) for pair, named in family], None)
        below = "randomized response of 2 values (others on 0 or 1) or 3 (others on 2), with this local eps"
        by = f"{below} (below); all eps0-private randomizers (above; proof in verify/CERTIFICATE.md)"

        def table(worst: NamedPair) -> Randomizer:
            return responses(*next(kind for kind, (_, pair) in zip(kinds, family, strict=True) if pair is worst))

        mechanism, evidence, dominating = as_any(self.eps0, self.local_delta, n, table)

        def pure() -> tuple[Fraction, Fraction, Found]:
            ends = [Fraction(end) for end in self.eps0.enclosure(30)]
            why = "all eps0-private randomizers; attained by n messages 0 (proof in protocols/any_ldp.py, reach)"
            named, nothing = family[1][1], Interval(Fraction(0), Fraction(0))
            return ends[0], ends[1], Found(nothing, named, 1, by=why, exact=self.eps0)

        known = None if self.local_delta else pure
        return Reduction(attained, by, None, dominating, mechanism, evidence=evidence, pure=known)

    def kinds(self, ratio: Fraction) -> list[tuple[int, Fraction, Fraction, str]]:
        """The real randomizers that are looked at, as arguments of `responses`: values, ratio, share, others."""
        return [(k, ratio, self.local_delta, others) for k, others in ((2, "0"), (2, "1"), (3, "2"))]

    def share_of(self, part: Fraction) -> "AnyLDP":
        """What a part of the users runs: the same, since the randomizer does not depend on how many they are."""
        return self

    def stands_for_all(self, reference: str) -> bool:
        """Whether a user on this input stands for one on any: all randomizers are meant, and inputs are but names."""
        return reference in ("0", "1")

    def arrival(self, n: int, users: int) -> NoReturn:
        """A user who comes or goes: raises BadInput, since the number of messages tells, whatever eps0 is."""
        raise BadInput(
            "adjacency: add-remove: eps0 says nothing of who is absent, and where everybody sends one message their"
            " number tells: delta = 1: expected replace, or deletion"
        )

    def analyze(self, messages: Mapping[str, int], n: int) -> Any:
        """Nothing is estimated by a randomizer that is not known: raises BadInput."""
        raise BadInput("any_ldp: a randomizer that is not known has no analyzer")


def responses(values: int, ratio: Fraction, share: Fraction, others: str) -> Randomizer:
    """Randomized response over 2 or 3 values of local ratio E: the truth with probability E / (E + values - 1).

    With probability `share` a user names his input instead, in the clear; the input "others" has the row of the value
    `others` with a name of its own, so that what the other users tell in the clear does not hide the one who changes.
    The randomizer is (log E, share)-private.
    """
    miss = (1 - share) / (ratio + values - 1)
    rows = {str(x): {str(y): miss * (ratio if x == y else 1) for y in range(values)} for x in range(values)}
    named = dict(rows)
    if share:
        named |= {x: {**row, f"clear {x}": share} for x, row in rows.items()}
        named["others"] = {**rows[others], "clear others": share}
    return Randomizer.of(named)


def attained_pair(values: int, ratio: Fraction, share: Fraction, others: str, n: int) -> tuple[Blanket, NamedPair]:
    """A user on 0 (P) or on 1 (Q), the others on one value: exact for share = 0, else a pair of no larger divergence.

    For share > 0: who tells in the clear is seen, so that given their number j the divergence is share + (1 - share)
    times that of n - j users with share = 0, which is no less than that of n.
    """
    rows = responses(values, ratio, Fraction(0), others).rows
    p, q, other = ({sent: Fraction(w) for sent, w in rows[x].items()} for x in ("0", "1", others))
    categories = [Category((1 - share) * p[y] / c, (1 - share) * q[y] / c, c) for y, c in other.items()]
    pair = Blanket(Form.of(categories, n), ((share, Fraction(0)),) if share else ())
    held = "others" if share else others

    def event(eps: Eps, bound: Fraction) -> Threshold:
        randomizer = responses(values, ratio, share, others)
        if n == 1:
            truth = ["0"] if p[("0",)] > eps.bounds(128)[1] * q[("0",)] else []
            return Threshold(dict.fromkeys([*truth, *(["clear 0"] if share else [])], 1), 0)
        return event_of(randomizer, "0", "1", {held: n - 1} if n > 1 else {}).threshold(eps, bound)

    return pair, NamedPair(pair, "0", "1", {held: n - 1} if n > 1 else {}, event)


def refutation(rows: Randomizer, pair: NamedPair, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
    """The refutation that this randomizer violates (eps, bound) on these datasets."""
    assert pair.threshold is not None and pair.others is not None
    event = pair.threshold(eps, bound)
    named = certificate.neighbours(pair.source, pair.target, pair.others)
    return {"rows": rows.to_json()["rows"], **certificate.event(named, event.weights, event.above)}


def held_in(pair: NamedPair) -> str:
    """What the others of a real pair hold; without others its second input."""
    return next(iter(pair.others or {}), pair.target)


Evidence = Callable[[Eps, Fraction, NamedPair | None, bool], Mapping[str, Any]]


def as_any(
    eps0: Eps, local_delta: Fraction, n: int, table: Callable[[NamedPair], Randomizer]
) -> tuple[Mapping[str, Any], Evidence, Dominating]:
    """What a certificate states of a randomizer without a table, as one of all that are (eps0, local_delta)-private.

    (the mechanism, its evidence, the bound.) A claim that is kept is certified where all of them keep it, else
    Undecided is raised, which says what they keep; one that is not by `table(pair)`, such a randomizer of a real
    pair's inputs and the others'.
    """
    low, high = ratio_between(eps0)
    share, one = 1 / (high + 1), Fraction(1)
    rest = Category(Fraction(0), Fraction(0), 1 - 2 * share)
    every = Blanket(Form.of([Category(high, one, share), Category(one, high, share), rest], n))
    of_any = Dominating.by(Slack(every, local_delta, eps0, (low, high)))
    mechanism = certificate.any_randomizer(str(eps0), local_delta, n)
    private = (
        "any eps0-private randomizer" if not local_delta else f"any randomizer with local eps {eps0} at some delta"
    )

    def evidence(eps: Eps, bound: Fraction, worst: NamedPair | None, holds: bool) -> Mapping[str, Any]:
        if holds:
            if (most := of_any.worst(eps)[0]).high > bound:
                raise Undecided(f"one is about {private}, of which delta = {most.enclosure(6)[1]} is proved")
            return {"grid": of_any.hints(eps, bound)}
        assert worst is not None
        return refutation(table(worst), worst, eps, bound)

    return mechanism, evidence, of_any
