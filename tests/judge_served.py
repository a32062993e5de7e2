"""The judge of version 6: releases of servers, from verify/CERTIFICATE.md alone, outcome by outcome in Fractions.

Every shift is looked at, in both directions, and laws without end are cut where next to nothing is left; what is cut
off is 1 minus the mass of what is kept, and may be anywhere. It is for small parameters.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from tests import judge
from tests.judge import _decimal, _eps, _fields, _rational, demand
from tests.judge_scale import at_most, every, natural
from tests.judge_tables import ONE, power

FORMS = {
    "release": {"noise", "sensitivity", "bits", "wrap", "modulo"},
    "presence": {"present", "absent", "sensitivity"},
    "sampled": {"keep", "noise"},
}
ADJACENT = {"release": ("replace", "add-remove"), "presence": ("add-remove",), "sampled": ("replace",)}
LAWS = {
    "binomial": {"n", "p"},
    "poisson": {"lam"},
    "negative_binomial": {"r", "p"},
    "discrete_laplace": {"q"},
    "truncated_discrete_laplace": {"q", "bound"},
    "discrete_gaussian": {"variance"},
}
MAX_POINTS = 1500  # of a law
MAX_DIGITS = 400  # bits of a parameter
CUT = 90  # bits: less than 2^-CUT is cut off


class Served:
    """What a certificate states."""

    def __init__(self, claim, proved, lower, upper):
        seen = claim["mechanism"]
        demand(isinstance(seen, dict) and isinstance(seen.get("view"), str) and seen["view"] in FORMS, "view")
        self.view = seen["view"]
        seen = _fields(seen, "view", *FORMS[self.view])
        self.adjacency = claim["adjacency"]
        demand(self.adjacency in ADJACENT[self.view] and claim["datasets"] == "all", "adjacency or datasets")
        self.sensitivity = natural(seen["sensitivity"], least=0) if "sensitivity" in seen else 0
        self.bits = natural(seen["bits"], least=0) if "bits" in seen else 0
        self.wrap, self.modulo = (judge._natural(seen[key]) if key in seen else 0 for key in ("wrap", "modulo"))
        demand(self.sensitivity <= 10**6 and self.bits <= 256 and max(self.wrap, self.modulo) <= 2**256, "too large")
        self.keep = _rational(seen["keep"]) if "keep" in seen else Fraction(0)
        demand(self.keep <= 1, "keep")
        self.laws = [noise(seen[key]) for key in ("noise", "present", "absent") if key in seen]
        self.eps, self.delta = _eps(claim["eps"]), _rational(claim["delta"])
        demand(self.delta <= 1, "delta")
        self.proved, self.lower, self.upper = proved, lower, upper

    def answer(self, bits):
        """Whether it is true, or None where e^eps and what is cut off leave that open."""
        if self.sensitivity > 12:
            raise judge.TooBigError
        low, high = power(self.eps, bits)
        found = [stick(P, Q, low, high) for P, Q in self.pairs()]
        found = max(least for least, _ in found), min(max(most for _, most in found), Fraction(1))
        kept = at_most(found, self.delta)
        above = at_most((-found[1], -found[0]), -self.lower)
        return every([above, at_most(found, self.upper), kept if self.proved or kept is None else not kept])

    def pairs(self):
        """All pairs of laws of what is seen, by place; None is what was cut off."""
        X, Y = weights(self.laws[0]), weights(self.laws[-1])
        if self.view == "sampled":
            coin = {0: 1 - self.keep, 1: self.keep}
            if len(X) ** 2 > MAX_POINTS * 40:
                raise judge.TooBigError
            kept = summed(X, coin)
            return [(together(kept, X), together(X, kept))]
        ends = [(self.moved(X, s), self.moved(Y, t)) for s in self.inputs() for t in self.absent()]
        return [pair for P, Q in ends for pair in ((P, Q), (Q, P))]

    def inputs(self):
        return range(self.sensitivity + 1)

    def absent(self):
        """The other input: of who is replaced any, and of who is absent 0, which adds nothing."""
        return self.inputs() if self.adjacency == "replace" else [0]

    def moved(self, law, s):
        """The law of what is released of the sum s."""
        out = Counter()
        for k, weight in law.items():
            if k is None:
                out[None] += weight
                continue
            word = k % 2**self.bits if self.bits else k
            word = word % self.wrap if self.wrap else word
            out[(s + word) % self.modulo if self.modulo else s + word] += weight
        return out


def noise(value):
    """A law's parameters, sorted."""
    demand(isinstance(value, dict) and isinstance(value.get("law"), str) and value["law"] in LAWS, "law")
    value = _fields(value, "law", *LAWS[value["law"]])
    found = {"law": value["law"]}
    for key in LAWS[value["law"]]:
        found[key] = natural(value[key]) if key in ("n", "bound") else _rational(value[key])
    demand(all(found.get(key, 1) > 0 for key in ("lam", "r", "variance")), "more than 0")
    if "p" in found:
        demand(found["p"] <= 1 and (value["law"] == "binomial" or 0 < found["p"] < 1), "p")
    demand("q" not in found or 0 < found["q"] < 1, "q")
    return tuple(sorted(found.items()))


@lru_cache(maxsize=64)
def weights(law):
    """The law by place, as Fractions from below; under None, what is cut off or rounded away."""
    given = dict(law)
    sizes = [max(x.as_integer_ratio()).bit_length() for x in given.values() if isinstance(x, Fraction)]
    if max(sizes) > MAX_DIGITS:
        raise judge.TooBigError
    name = given["law"]
    if name == "binomial":
        if given["n"] > MAX_POINTS:
            raise judge.TooBigError
        found = {0: Fraction(1)}
        for _ in range(given["n"]):
            found = summed(found, {0: 1 - given["p"], 1: given["p"]})
        return found
    if name in ("poisson", "negative_binomial"):
        start, ratio, first = counting(given)
        found, weight, k = {}, start, 0
        while weight * 2**CUT > 1 or k < first:
            found[k] = rounded(weight)
            k += 1
            weight = rounded(weight * ratio(k))
            if k > MAX_POINTS:
                raise judge.TooBigError
        return {**found, None: 1 - sum(found.values())}
    found, size = symmetric(given)
    return {k: rounded(weight / size) for k, weight in found.items()} | {
        None: 1 - sum(rounded(weight / size) for weight in found.values())
    }


def counting(given):
    """Pr[0] from below, Pr[k] / Pr[k - 1], and a k from where weights fall."""
    if given["law"] == "poisson":
        if given["lam"] > MAX_POINTS:
            raise judge.TooBigError
        lam = given["lam"]
        return 1 / power(("exp", lam), 200)[1], lambda k: lam / k, lam
    r, p = given["r"], given["p"]
    if r / (1 - p) > MAX_POINTS:
        raise judge.TooBigError
    root = 1 - p  # to the power r = a/b, from below, by bisection on integers of 200 bits
    a, b = r.numerator, r.denominator
    if a > 60 or b > 60:
        raise judge.TooBigError
    low, high, unit = 0, 1 << 200, 1 << 200
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, unit) ** b <= root**a else (low, middle)
    return Fraction(low, unit), lambda k: p * (k + r - 1) / k, r * p / (1 - p)


def symmetric(given):
    """Weights by place from below, and their sum from above."""
    if given["law"] == "discrete_gaussian":
        variance = given["variance"]
        if not Fraction(1, 200) <= variance <= 400:
            raise judge.TooBigError

        def weight(k):
            ends = power(("exp", k * k / (2 * variance)), 200) if k else (ONE, ONE)
            return 1 / ends[1], 1 / ends[0]

        half = [weight(Fraction(k)) for k in range(14 + 12 * isqrt(int(variance)))]
        half = [ends for ends in half if ends[0] * 2**CUT > 1]
        fall = weight(Fraction(1))[1]  # every later weight is at most so much of the one before it
        size = 1 + 2 * sum(high for _, high in half[1:]) + 2 * half[-1][1] * fall / (1 - fall)
        return {k: half[abs(k)][0] for k in range(1 - len(half), len(half))}, size
    q, last = given["q"], given.get("bound")
    size, k = (1 + q) / (1 - q), 0
    while k != last and q**k * 2**CUT > 1:
        k += 1
        if k > MAX_POINTS:
            raise judge.TooBigError
    found = {i: q ** abs(i) for i in range(-k, k + 1)}
    if last is not None:  # the sum of all 2 bound + 1 weights
        size = (1 + q - (2 * q ** (last + 1) if last <= MAX_POINTS else 0)) / (1 - q)
    return found, size


def rounded(weight):
    return Fraction(int(weight * 2**160), 2**160)


def summed(law, coin):
    out = Counter()
    for k, v in law.items():
        for x, w in coin.items():
            out[None if k is None else k + x] += v * w
    return out


def together(law, other):
    """Two numbers that are seen; what is cut off of either is cut off."""
    out = Counter()
    for x, v in law.items():
        for y, w in other.items():
            out[None if x is None or y is None else (x, y)] += v * w
    return out


def stick(P, Q, low, high):
    """The ends of delta(eps); what is cut off may be anywhere."""
    lost, gone = P.get(None, 0), Q.get(None, 0)
    least = sum(max(P.get(y, 0) - high * Q.get(y, 0), 0) for y in P if y is not None) - high * gone
    most = sum(max(P.get(y, 0) - low * Q.get(y, 0), 0) for y in P if y is not None) + lost
    return max(least, Fraction(0)), most


def parse(top):
    """The top level of a version 6 certificate, with its format, version and note checked -> what it states."""
    claim = _fields(top["claim"], "mechanism", "adjacency", "datasets", "eps", "delta")
    demand(top["verdict"] in ("PROVED", "REFUTED"), "verdict")
    ends = _fields(_fields(top["evidence"], "delta")["delta"], "lower", "upper")
    return Served(claim, top["verdict"] == "PROVED", _decimal(ends["lower"]), _decimal(ends["upper"]))
