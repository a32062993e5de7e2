"""What is found of a mechanism: its laws, the ratio of the worst output, the verdict on its claim, and the event."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath

from shufflecert.protocols.gallery import Entry
from shufflecert.verify.answers.audited import epsilon_tree
from shufflecert.verify.audit.audit import Promise, Slack, judge
from shufflecert.verify.audit.sampler import Followed, enumerate_sampler
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, Randomizer
from tests.field.mechanism import Mechanism
from tests.reference import real

RESIDUAL = Fraction(1, 2**64)
LIBRARY = "random.Random"  # whose rng the functions are handed, which only pass it on
ROUNDING = Fraction(1, 2**50)  # a double below 1 is off by at most 2^-54: what a few of them make of a probability
DIGITS = 80


@dataclass(frozen=True)
class Ratio:
    """e^eps of the local view lies in [low, high]; None is infinity."""

    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True)
class Event:
    """One output that breaks a claim: of probability p on input x and q on input y, p > e^eps q."""

    output: Messages
    x: str
    y: str
    p: Fraction
    q: Fraction

    def __str__(self) -> str:
        return f"`{shown(self.output)}`: {rounded(self.p)} on {self.x}, {rounded(self.q)} on {self.y}"


@cache
def followed(mechanism: Mechanism, deployed: bool) -> Followed:
    given = {"deployed": deployed, "residual": RESIDUAL, "library": LIBRARY}
    return enumerate_sampler(mechanism.function, mechanism.inputs, **given)  # type: ignore[arg-type]


def worst_ratio(found: Followed) -> Ratio:
    """The largest ratio of two inputs' probabilities of one output: of sums that are exact, or a residual r short."""
    laws, r = found.laws, max(found.residual.values())
    sent = {m for law in laws.values() for m in law}
    low, high = Fraction(1), Fraction(1)
    for law in laws.values():
        for other in laws.values():
            for m in sent:
                p, q = law.get(m, Fraction(0)), other.get(m, Fraction(0))
                if p and not q and not r:
                    return Ratio(None, None)
                low = max(low, p / (q + r) if q + r else low)
                high = max(high, (p + r) / q if q else high)
    return Ratio(low, high)


def worst_event(laws: dict[str, dict[Messages, Fraction]], claimed: Eps) -> tuple[Any, Event]:
    """The output with the largest p - e^eps q, divided by 1 + e^eps: how far both probabilities would have to move.

    Of one that the other input never has, where there is one beyond rounding: that is the better attack.
    """
    found = list[tuple[Any, Event]]()
    with mpmath.workdps(DIGITS):
        power = mpmath.exp(exactly(claimed))
        for x, law in laws.items():
            for y, other in laws.items():
                for output, p in law.items():
                    q = other.get(output, Fraction(0))
                    if p > q:
                        excess = (real(p) - power * real(q)) / (1 + power)
                        found.append((excess, Event(output, x, y, p, q)))
    never = [pair for pair in found if not pair[1].q and pair[0] > real(ROUNDING)]
    return max(never or found, key=lambda pair: pair[0])


def verdict(mechanism: Mechanism, found: Followed) -> str:
    slack = Slack(max(found.residual.values()))
    return judge(found.randomizer, Promise(1, mechanism.claimed, Fraction(0), "local"), slack).verdict


def said(mechanism: Mechanism) -> str:
    """ "kept", "by rounding", or the event: of the law as it is written where that is broken, else as deployed.

    By rounding: the claim would be kept if every probability were 2^-50 off, in the direction that helps.
    """
    laws = [followed(mechanism, deployed) for deployed in (False, True)]
    broken = [law for law in laws if verdict(mechanism, law) == "REFUTED"]
    if not broken:
        return "kept"
    far = [worst_event(dict(law.laws), mechanism.claimed) for law in broken]  # type: ignore[arg-type]
    if all(excess <= real(ROUNDING) for excess, _ in far):
        return "broken by rounding"
    return f"**broken**: {next(event for excess, event in far if excess > real(ROUNDING))}"


def defined(entry: Entry) -> tuple[str, str, str]:
    """(eps as claimed, eps that an exact table keeps at the claimed delta, the verdict): if broken, an event."""
    claimed, randomizer = entry.claimed_local_eps, entry.randomizer()
    assert claimed is not None
    tree = epsilon_tree(epsilon(randomizer, 1, entry.claimed_delta, "local"))
    with mpmath.workdps(DIGITS):
        written = [str(claimed), str(tree["exact"] or tree["upper"])]
        values = [exactly(claimed), mpmath.mpf(tree["upper"])]
    ours, kept = (t if len(t) < 16 else str(mpmath.nstr(v, 6)) for t, v in zip(written, values, strict=True))
    if judge(randomizer, Promise(1, claimed, entry.claimed_delta, "local"), Slack()).verdict == "PROVED":
        return ours, kept, "kept"
    return ours, kept, f"**broken**: {whole_event(randomizer, claimed)}"


def whole_event(randomizer: Randomizer, claimed: Eps) -> str:
    """All outputs that one input sends more than e^eps times as probably as another one: delta is p - e^eps q."""
    laws = {x: dict(row.items()) for x, row in randomizer.rows.items()}
    _, worst = worst_event(laws, claimed)
    with mpmath.workdps(DIGITS):
        power = mpmath.exp(exactly(claimed))
        more = [m for m, p in laws[worst.x].items() if real(p) > power * real(laws[worst.y].get(m, Fraction(0)))]
        p, q = (sum((laws[x].get(m, Fraction(0)) for m in more), Fraction(0)) for x in (worst.x, worst.y))
        off = real(p) - power * real(q)
        listed = f"`{shown(more[0])}`" if len(more) == 1 else f"`{shown(more[0])}` to `{shown(more[-1])}`"
        size = mpmath.nstr(off, 3) if off < 0.999 else f"1 - {mpmath.nstr(1 - off, 3)}"
    return f"delta({claimed}) = {size}; {listed}: {rounded(p)} on {worst.x}, {rounded(q)} on {worst.y}"


def excess(power: Fraction | None, claimed: Eps) -> Any:
    """log(power) - claimed, as an mpmath number."""
    if power is None:
        return mpmath.inf
    with mpmath.workdps(DIGITS):
        return mpmath.log(real(power)) - exactly(claimed)


def exactly(eps: Eps) -> Any:
    """As an mpmath number of the precision that is set."""
    known = eps.power if eps.exponent is None else eps.exponent
    assert known is not None
    return mpmath.log(real(known)) if eps.exponent is None else real(known)


def signed(ratio: Ratio, claimed: Eps) -> str:
    """How much more, or less, than what is claimed, to two digits: of both ends, where they differ."""
    ends = [excess(power, claimed) for power in (ratio.low, ratio.high)]
    written = ["infinite" if mpmath.isinf(e) else f"{'+' if e > 0 else ''}{mpmath.nstr(e, 2)}" for e in ends]
    if 0 in ends:
        return "0"
    return written[0] if written[0] == written[1] else " to ".join(written)


def shown(output: Messages) -> str:
    text = ", ".join(output)
    return text.replace("'", "") if len(text) <= 60 else f"{text[:57]}..."


def rounded(p: Fraction) -> str:
    return "0" if not p else str(mpmath.nstr(real(p), 3))
