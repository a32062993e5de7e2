"""The judge of version 3: any randomizer, from verify/CERTIFICATE.md alone; exact sums, for few users.

The bound B of a PROVED certificate is a sum over the counts (i, j) of the two values of L, computed at numbers near E =
e^local and a = e^eps. It moves by at most 5 n (1 + a) times what E does: the values i (E - a) + j (1 - a E) by 1 + a
each, the probabilities of all counts together by 2 n / (E + 1)^2, worth E, and what delta0 adds by 3 (1 + a) n; and by
at most 1 + 3 n times what a does.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from tests import judge, judge_scale
from tests.judge import _eps, _fields, _rational, _rows, demand
from tests.judge_scale import at_most, every, power
from tests.judge_tables import ZERO

MAX_USERS = 60
LABELS = {"view", "local", "local delta", "users"}


@dataclass(frozen=True)
class AnyRandomizer:
    """A PROVED certificate, without its hints."""

    local: tuple
    share: Fraction
    users: int
    eps: tuple
    delta: Fraction

    def answer(self, bits):
        (low, high), (least, most) = power(self.eps, bits), power(self.local, bits)
        if self.eps == self.local or low >= most:
            return at_most((self.share, self.share), self.delta)
        if self.users > MAX_USERS:
            raise judge.TooBigError
        wide = (most - least) * 5 * self.users * (1 + high) + (high - low) * (1 + 3 * self.users)
        value = self.bound(least, low) if least > low else self.bound(most, low)
        return at_most((value - wide, value + wide), self.delta)

    def bound(self, E, a):
        """(1/n) E max(L_1 + ... + L_n, 0) + delta0 (1 + 3 (1 + a) (n - 1) / E)."""
        n, p, total = self.users, 1 / (E + 1), ZERO
        for i in range(n + 1):
            for j in range(n + 1 - i):
                value = i * (E - a) + j * (1 - a * E)
                if value > 0:
                    total += comb(n, i) * comb(n - i, j) * p ** (i + j) * (1 - 2 * p) ** (n - i - j) * value
        return total / n + self.share * (1 + 3 * (1 + a) * (n - 1) / E)


@dataclass(frozen=True)
class One:
    """A REFUTED certificate: a randomizer and a threshold event of it."""

    threshold: judge_scale.Threshold
    local: tuple
    share: Fraction

    def answer(self, bits):
        least, most = power(self.local, bits)
        laws = [
            judge.row_law(out, "preshuffle", judge.messages_of(self.threshold.rows)) for _, out in self.threshold.rows
        ]
        over = [
            sum((max(p - E * other.get(y, ZERO), ZERO) for y, p in law.items()), ZERO)
            for E in (most, least)
            for law in laws
            for other in laws
        ]
        private = at_most((max(over[: len(over) // 2]), max(over[len(over) // 2 :])), self.share)
        return every([private, self.threshold.answer(bits)])


def is_about_any(claim):
    """Whether a claim names this mechanism."""
    seen = claim.get("mechanism") if isinstance(claim, dict) else None
    return isinstance(seen, dict) and seen.get("view") == "any randomizer"


def parse(top):
    """A certificate of version 3 about any randomizer."""
    claim = _fields(top["claim"], "mechanism", "adjacency", "datasets", "eps", "delta")
    seen = _fields(claim["mechanism"], *LABELS)
    eps, delta = judge_scale.promise(claim)
    local, share = _eps(seen["local"]), _rational(seen["local delta"])
    demand(share <= 1, "local delta")
    users = judge_scale.natural(seen["users"])
    if top["verdict"] == "PROVED":
        judge_scale.check_hints(top["evidence"])
        return AnyRandomizer(local, share, users, eps, delta)
    demand(top["verdict"] == "REFUTED", "verdict")
    evidence = _fields(top["evidence"], "randomizer", "pair", "threshold")
    rows = _rows(_fields(evidence["randomizer"], "rows")["rows"])
    return One(judge_scale.threshold_of(evidence, rows, users, eps, delta), local, share)
