"""The judge of version 5: thresholded counts, from verify/CERTIFICATE.md alone; every pair of neighbours, in Fractions.

No lemma of the document is used: counts are added up user by user, all m are looked at, and of a user who is replaced
all (i, j), as products of two laws. So it is for few users.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache

from tests import judge
from tests.judge import _decimal, _eps, _fields, _rational, demand
from tests.judge_scale import at_most, every, natural
from tests.judge_tables import ONE, ZERO, Table, divergence, power

MAX_USERS = {"add-remove": 45, "replace": 8}
MAX_DIGITS = 400  # bits of p


class Shown:
    """What a certificate states."""

    def __init__(self, claim, proved, lower, upper):
        seen = _fields(claim["mechanism"], "view", "p", "k", "users")
        demand(seen["view"] == "thresholded counts", "view")
        self.p, self.k, self.users = _rational(seen["p"]), natural(seen["k"], least=2), natural(seen["users"])
        demand(0 < self.p < 1, "p")
        self.adjacency = claim["adjacency"]
        demand(self.adjacency in ("replace", "add-remove") and claim["datasets"] == "all", "adjacency or datasets")
        self.eps, self.delta = _eps(claim["eps"]), _rational(claim["delta"])
        demand(self.delta <= 1, "delta")
        self.proved, self.lower, self.upper = proved, lower, upper

    def answer(self, bits):
        """Whether it is true, or None where e^eps, enclosed to so many bits, leaves that open."""
        if self.users > MAX_USERS[self.adjacency] or self.p.denominator.bit_length() > MAX_DIGITS:
            raise judge.TooBigError
        ends = power(self.eps, bits)
        ranges = [divergence(table, *ends) for table in pairs(self.adjacency, self.p, self.k, self.users)]
        found = max(low for low, _ in ranges), max(high for _, high in ranges)
        kept = at_most(found, self.delta)
        above = at_most((-found[1], -found[0]), -self.lower)
        return every([above, at_most(found, self.upper), kept if self.proved or kept is None else not kept])


def parse(top):
    """The top level of a version 5 certificate, with its format, version and note checked -> what it states."""
    claim = _fields(top["claim"], "mechanism", "adjacency", "datasets", "eps", "delta")
    demand(top["verdict"] in ("PROVED", "REFUTED"), "verdict")
    ends = _fields(_fields(top["evidence"], "delta")["delta"], "lower", "upper")
    return Shown(claim, top["verdict"] == "PROVED", _decimal(ends["lower"]), _decimal(ends["upper"]))


@lru_cache(maxsize=64)
def pairs(adjacency, p, k, users):
    """The tables of all pairs of neighbours, both directions."""
    laws = [shown(m, p, k) for m in range(users + 1)]
    if adjacency == "add-remove":
        ways = [(laws[m], laws[m - 1]) for m in range(1, users + 1)]
        return [table(*ends) for P, Q in ways for ends in ((P, Q), (Q, P))]
    found = []
    for i in range(1, users + 1):
        for j in range(1, users + 2 - i):
            found.append(table(together(laws[i], laws[j - 1]), together(laws[i - 1], laws[j])))
    return found


def shown(m, p, k):
    """The law of what is shown of a value that m users hold, user by user; nothing is 0."""
    law = {0: ONE}
    for _ in range(m):
        new = Counter()
        for x, weight in law.items():
            new[x] += weight * (1 - p)
            new[x + 1] += weight * p
        law = new
    seen = Counter()
    for x, weight in law.items():
        seen[x if x >= k else 0] += weight
    return seen


def together(law, other):
    """The law of what is shown of two values."""
    return {(x, y): v * w for x, v in law.items() for y, w in other.items()}


def table(P, Q):
    """The pair of two laws."""
    return Table.of([(Fraction(P.get(y, ZERO)), Fraction(Q.get(y, ZERO))) for y in {**P, **Q}])
