"""Whether the claim of a certificate is true: by the definitions of verify/CERTIFICATE_NEW.md alone, in fractions.

It enumerates neighbouring datasets and outcomes, so claims have to be small; it does not look at a proof at all. e^eps
is rational (a logarithm, or eps = 0), laws of noise are finite, binomial, or sums, mixtures and remainders of these.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb

F = Fraction
MOST = 400_000  # outcomes of a composition that are enumerated
NOBODY = None


class Open(Exception):
    """The claim is too large, or of a law that is not finite."""


def times(one, two):
    """The law of what two independent users show together."""
    found = {}
    for (a, p), (b, q) in product(one.items(), two.items()):
        seen = joined(a, b)
        found[seen] = found.get(seen, F(0)) + p * q
    return found


def joined(a, b):
    if isinstance(a, int):
        return a + b
    if a and isinstance(a[0], int):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    return tuple(sorted(a + b))


def mixed(parts):
    found = {}
    for weight, law in parts:
        for seen, p in law.items():
            found[seen] = found.get(seen, F(0)) + F(weight) * p
    return found


def noise(law):
    """A LAW as {integer: probability}."""
    name = law["law"]
    if name == "finite":
        return {int(k): F(p) for k, p in law["p"].items()}
    if name == "binomial":
        n, p = law["n"], F(law["p"])
        if n > 60:
            raise Open
        return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}
    if name == "sum":
        found = {0: F(1)}
        for part in law["of"]:
            found = times(found, noise(part))
        return found
    if name == "mixture":
        return mixed([(weight, noise(part)) for weight, part in law["of"]])
    if name == "mod":
        return mixed([(p, {k % law["by"]: F(1)}) for k, p in noise(law["of"]).items()])
    raise Open


def users(seen, neighbours):
    """(the law of a user by input, what null is, what is added)."""
    each, q = seen["each"], F(seen.get("take part", "1"))
    if "rows" in each:
        local = seen["view"] == "local"
        laws = {}
        for row in each["rows"]:
            sent = [(F(one["p"]), tuple(one["send"])) for one in row["outputs"]]
            laws[row["input"]] = mixed([(p, {(some,) if local else tuple(sorted(some)): F(1)}) for p, some in sent])
        nothing = {((),) if local else (): F(1)}
        laws = {x: mixed([(q, law), (1 - q, nothing)]) for x, law in laws.items()}
        if isinstance(neighbours, dict):
            return laws, mixed([(w, laws[x]) for x, w in neighbours["deletion"].items()]), None
        return laws, nothing, None
    added = noise(seen["added"]) if "added" in seen else {0: F(1)}
    if "up to" in each:
        plus = noise(each["plus"]) if "plus" in each else {0: F(1)}
        return {str(x): times({x: F(1)}, plus) for x in range(each["up to"] + 1)}, {0: F(1)}, added
    rows = each.get("columns")
    if rows is None:
        held, other = each["held"], each["other"]
        rows = {"a": [held, other], "b": [other, held], "other": [other, other]}
        if each["one of"] == 2:
            del rows["other"]
    laws = {x: product_of([noise(law) for law in some]) for x, some in rows.items()}
    width = len(next(iter(rows.values())))
    return laws, {(0,) * width: F(1)}, product_of([added] * width)


def product_of(laws):
    found = {(): F(1)}
    for law in laws:
        found = {(*seen, k): p * q for seen, p in found.items() for k, q in law.items()}
    return found


def shown(seen, law):
    tell = seen.get("shown", {})

    def one(what):
        if "mod" in tell:
            return what % tell["mod"]
        return tuple(max(k, tell["from"] - 1) for k in what) if "from" in tell else what

    return mixed([(p, {one(what): F(1)}) for what, p in law.items()])


def pairs(seen, neighbours):
    """(P, Q) of all neighbouring datasets."""
    laws, gone, added = users(seen, neighbours)
    others = seen.get("honest", seen["users"]) - 1
    if seen.get("view", "shuffled") != "shuffled":
        others = 0
    if comb(others + len(laws) - 1, others) > 200:
        raise Open
    ends = list(permutations(laws, 2)) if neighbours == "replace" else [
        pair for x in laws for pair in ((x, NOBODY), (NOBODY, x))]
    for held in combinations_with_replacement(laws, others):
        rest = added
        for x in held:
            rest = laws[x] if rest is None else times(rest, laws[x])
            if len(rest) > 3000:
                raise Open
        for pair in ends:
            sides = (gone if end is NOBODY else laws[end] for end in pair)
            yield [shown(seen, side if rest is None else times(rest, side)) for side in sides]


def power(claim):
    eps = claim["eps"]
    if eps == "0":
        return F(1)
    if not eps.startswith("log("):
        raise Open
    return F(eps[4:-1])


def largest(claim):
    """The largest delta(eps), the same pair in all runs of one SEEN. Raises Open."""
    t, worst = power(claim), F(0)
    listed = [[(pair, run["times"]) for pair in pairs(run["seen"], claim["neighbours"])] for run in claim["runs"]]
    for chosen in product(*listed):
        atoms = [(F(1), F(1))]
        for (p, q), k in chosen:
            both = [(p.get(y, F(0)), q.get(y, F(0))) for y in {*p, *q}]
            for _ in range(k):
                if len(atoms) * len(both) > MOST // max(len(listed[0]), 1):
                    raise Open
                atoms = [(a * u, b * v) for a, b in atoms for u, v in both if u]
        worst = max(worst, sum((max(a - t * b, 0) for a, b in atoms), F(0)))
    return worst


def judge(tree):
    """True or False: whether the certificate's claim is true; for data "any" only whether what is PROVED of same is."""
    claim = tree["claim"]
    if any("private" in run["seen"]["each"] for run in claim["runs"]):
        raise Open
    worst = largest(claim)
    if tree["verdict"] == "PROVED":
        return worst <= F(claim["delta"])
    if claim.get("data") == "any" and worst <= F(claim["delta"]):
        raise Open
    return worst > F(claim["delta"])
