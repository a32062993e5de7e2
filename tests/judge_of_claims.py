"""The judge of certificates: whether a claim is true, and of the form, by verify/CERTIFICATE.md alone.

It enumerates neighbouring datasets and outcomes, so claims have to be small; it does not look at a proof at all. Laws
without an end are cut where they are tiny, and delta is then taken with a slack.
"""

import json
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, inf, lcm

F = Fraction
MOST = 300_000  # products of probabilities that one truth may take, long ones counting for several
NOBODY = None


class Open(Exception):
    """The claim is too large, or nothing is known of it."""


left = [inf]  # outside of a truth


@contextmanager
def one_truth():
    """What is spent here is spent on one truth."""
    left[0] = MOST
    try:
        yield
    finally:
        left[0] = inf


def spend(steps, unit=1):
    """So many products of probabilities over such a unit. Raises Open where a truth takes too many."""
    left[0] -= steps * (1 + unit.bit_length() // 2_000)
    if left[0] < 0:
        raise Open


def over_one_unit(*laws):
    """Laws as integers over a common unit, and it."""
    unit = lcm(*(p.denominator for law in laws for p in law.values()))
    return *({seen: p.numerator * (unit // p.denominator) for seen, p in law.items()} for law in laws), unit


def times(one, two):
    """The law of what two independent users show together."""
    (ours, unit), (theirs, other), found = over_one_unit(one), over_one_unit(two), {}
    spend(len(one) * len(two), unit * other)
    for (a, p), (b, q) in product(ours.items(), theirs.items()):
        seen = joined(a, b)
        found[seen] = found.get(seen, 0) + p * q
    return {seen: F(p, unit * other) for seen, p in found.items()}


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
    return _noise(json.dumps(law))


@lru_cache(64)
def _noise(text):
    law = json.loads(text)
    name = law["law"]
    if name == "finite":
        return {int(k): F(p) for k, p in law["p"].items()}
    if name == "binomial":
        n, p = law["n"], F(law["p"])
        spend(n * n)
        return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}
    if name in RATES:
        return endless(law)
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


GRAIN = 10**30
SLACK = F(1, 10**15)  # of delta, where a law has no end
RATES = {  # Pr[k + 1] / Pr[k] for k >= 0
    "poisson": lambda law, k: F(law["lam"]) / (k + 1),
    "negative binomial": lambda law, k: F(law["p"]) * (k + F(law["r"])) / (k + 1),
    "discrete Laplace": lambda law, k: F(law["q"]) * (k < law.get("bound", GRAIN)),
    "discrete Gaussian": lambda law, k: powers({"eps": str(F(2 * k + 1) / (2 * F(law["variance"])))})[0] ** -1,
}


def endless(law):
    """A law that is left out where it is below 10^-30 of its first value, and rounded to so many digits."""
    weights, k = [GRAIN], 0
    while weights[-1]:
        spend(100)
        rate = RATES[law["law"]](law, k)
        weights.append(weights[-1] * rate.numerator // rate.denominator)
        k += 1
    found = {k: F(w) for k, w in enumerate(weights) if w}
    if law["law"] in ("discrete Laplace", "discrete Gaussian"):
        found |= {-k: w for k, w in found.items()}
    whole = sum(found.values())
    return {k: F(w * GRAIN // whole, GRAIN) for k, w in found.items()}


def has_no_end(value):
    """Whether a law without an end is in it."""
    if isinstance(value, dict):
        return value.get("law") in RATES or any(map(has_no_end, value.values()))
    return isinstance(value, list) and any(map(has_no_end, value))


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
    """(the user who changes, from and to, and the others), (P, Q) of all neighbouring datasets."""
    laws, gone, added = users(seen, neighbours)
    others = seen.get("honest", seen["users"]) - 1
    if seen.get("view", "shuffled") != "shuffled":
        others = 0
    ends = (
        list(permutations(laws, 2))
        if neighbours == "replace"
        else [pair for x in laws for pair in ((x, NOBODY), (NOBODY, x))]
    )
    rests = {(): added}
    spend(comb(others + len(laws) - 1, others) * (100 + others))
    for held in combinations_with_replacement(laws, others):
        for k in range(1, others + 1):
            if held[:k] not in rests:
                rest, law = rests[held[: k - 1]], laws[held[k - 1]]
                rests[held[:k]] = law if rest is None else times(rest, law)
        for pair in ends:
            sides = [gone if end is NOBODY else laws[end] for end in pair]
            both = [shown(seen, side if rests[held] is None else times(rests[held], side)) for side in sides]
            yield (*pair, held), both


def powers(claim):
    """e^eps between two fractions that are close."""
    eps = claim["eps"]
    if eps.startswith("log("):
        return F(eps[4:-1]), F(eps[4:-1])
    x, halved = F(eps), 0
    while x > F(1, 2):
        x, halved = x / 2, halved + 1
    low, term, k = F(0), F(1), 0
    while term > F(1, 10**45):
        low, k = low + term, k + 1
        term = term * x / k
    high = low + 2 * term
    for _ in range(halved):
        low, high = (F(round_down(end * end, up), 10**80) for end, up in ((low, 0), (high, 1)))
    return (low, high) if x else (F(1), F(1))


def round_down(x, up):
    return x.numerator * 10**80 // x.denominator + up


def largest(claim, t=None):
    """The largest delta(eps), the same pair in all runs of one SEEN. Raises Open."""
    if t is None:
        t, high = powers(claim)
        if t != high:
            raise Open
    with one_truth():
        found = _largest(json.dumps([claim["runs"], claim["neighbours"]]), claim.get("data", "same"), t)
    if found is None:
        raise Open
    return found


@lru_cache(64)
def _largest(text, data, t):
    runs, neighbours = json.loads(text)
    try:
        listed = [
            [(ends, atoms(*pair)) for ends, pair in pairs(run["seen"], neighbours)]
            or [((NOBODY, NOBODY), (Counter({(1, 1): 1}), 1))]
            for run in runs
        ]
        times_seen = [run["times"] for run in runs]
        if data == "any":
            comes = [
                [
                    [pair for ends, pair in some if neighbours == "replace" or (ends[0] is NOBODY) == first]
                    for some, k in zip(listed, times_seen, strict=True)
                    for _ in range(k)
                ]
                for first in (True, False)
            ]
            return max((adaptive(parts, F(t)) for parts in comes if all(parts)), default=F(0))
        return max((one_pair(chosen, times_seen, F(t)) for chosen in product(*listed)), default=F(0))
    except Open:
        return None


def atoms(p, q):
    """How often each (P, Q) is, over a unit, and the unit."""
    p, q, unit = over_one_unit(p, q)
    return Counter((p.get(y, 0), q.get(y, 0)) for y in {*p, *q}), unit


def excess(found, unit, t):
    """The sum of max(P - t Q, 0)."""
    top, below = t.numerator, t.denominator
    return F(sum(k * max(a * below - top * b, 0) for (a, b), k in found.items()), unit * below)


def one_pair(chosen, times_seen, t):
    """delta(eps) where every run of a SEEN has the same pair."""
    found, unit = Counter({(1, 1): 1}), 1
    for (_, (some, more)), k in zip(chosen, times_seen, strict=True):
        for _ in range(k):
            together, unit = Counter(), unit * more
            spend(len(found) * len(some), unit)
            for ((a, b), k), ((u, v), m) in product(found.items(), some.items()):
                together[a * u, b * v] += k * m
            found = together
    spend(len(found), unit * t.denominator)
    return excess(found, unit, t)


def adaptive(parts, t):
    """delta(eps) where the pair of every run is chosen when it is known what those before showed."""
    worst = F(0)
    for found, unit in parts[0]:
        spend(3 * len(found), unit * t.denominator)
        if len(parts) == 1:
            worst = max(worst, excess(found, unit, t))
        else:
            worst = max(
                worst, sum(k * F(a, unit) * adaptive(parts[1:], t * F(b, a)) for (a, b), k in found.items() if a)
            )
    return worst


def value_of(claim, pair):
    """delta(eps) of one pair of neighbours in one run, e^eps being rational; None where it is no such pair."""
    (run,), (t, _) = claim["runs"], powers(claim)
    wanted, is_number = Counter(pair.get("others", {})), "up to" in run["seen"]["each"]
    with one_truth():
        for (*ends, others), both in pairs(run["seen"], claim["neighbours"]):
            if ends == [pair["from"], pair["to"]] and (is_number or Counter(others) == wanted):
                return excess(*atoms(*both), t)
    return None


def some_private(seen, t):
    """What one private randomizer has of delta(eps): response over two values, that names its input with delta0."""
    local, share = seen["each"]["private"]
    n, (ratio, _) = seen.get("honest", seen["users"]), powers({"eps": local})
    worst = F(0)
    for values, other in ((2, 0), (2, 1), (3, 2)):
        miss, told = (1 - F(share)) / (ratio + values - 1), {("clear",): F(share)} if F(share) else {}
        laws = [{(f"{y}",): miss * (ratio if x == y else 1) for y in range(values)} for x in range(values)]
        rest = {(): F(1)}
        for _ in range(n - 1):
            rest = times(rest, laws[other] | ({(f"{other}",): laws[other][(f"{other}",)] + F(share)} if told else {}))
        p, q = (times(rest, law | ({(f"{x}!",): F(share)} if told else {})) for x, law in enumerate(laws[:2]))
        worst = max(worst, sum((max(w - t * q.get(y, F(0)), 0) for y, w in p.items()), F(0)))
    return worst


def judge(tree):
    """True or False: whether the certificate's claim is true. Raises Open where that is not found with little work.

    Of any private randomizer it is known by one that is not, or where as much is said of one user alone.
    """
    claim, delta, proved = tree["claim"], F(tree["claim"]["delta"]), tree["verdict"] == "PROVED"
    low, high = powers(claim)
    kinds = [run["seen"] for run in claim["runs"]]
    if any("private" in seen["each"] for seen in kinds):
        if len(kinds) > 1 or claim["runs"][0]["times"] > 1 or kinds[0]["users"] > 12:
            raise Open
        with one_truth():
            if some_private(kinds[0], high) > delta:
                return not proved
        local, share = kinds[0]["each"]["private"]
        if low >= powers({"eps": local})[1] and delta >= F(share):
            return proved
        raise Open
    slack = SLACK * (1 + high) * has_no_end(claim)
    above, below = largest(claim, low) + slack, largest(claim, high) - slack
    if below <= delta < above:
        raise Open
    if proved:
        return above <= delta
    return below > delta


# Whether a certificate is of the form that the page defines -----------------------------------------------------------

LAW_KEYS = {
    "binomial": {"n", "p"},
    "poisson": {"lam"},
    "negative binomial": {"r", "p"},
    "discrete Laplace": {"q", "bound?"},
    "discrete Gaussian": {"variance"},
    "finite": {"p"},
    "sum": {"of"},
    "mixture": {"of"},
    "mod": {"by", "of"},
}


class Bad(Exception):
    """Not of the form."""


def must(condition):
    if not condition:
        raise Bad


def keys(value, *listed):
    """An object with these keys, "?" for one that may be left out."""
    must(isinstance(value, dict))
    every, needed = {key.rstrip("?") for key in listed}, {key for key in listed if key[-1] != "?"}
    must(needed <= value.keys() <= every)
    return value


def whole(value, least=1, most=10**15):
    must(isinstance(value, int) and not isinstance(value, bool) and least <= value <= most)
    return value


def digits(text):
    must(isinstance(text, str) and text.isascii() and text.isdigit() and (text == "0" or text[0] != "0"))
    must(len(text) <= 100_000)
    return int(text)


def rational(text, least=None, most=None, below=None, above=None):
    must(isinstance(text, str))
    parts = text.split("/")
    must(len(parts) <= 2 and parts[1:] != ["0"])
    value = F(digits(parts[0]), digits(parts[1]) if len(parts) > 1 else 1)
    must(least is None or value >= least)
    must(most is None or value <= most)
    must(above is None or value > above)
    must(below is None or value < below)
    return value


def eps_like(text):
    must(isinstance(text, str))
    if text.startswith("log(") and text.endswith(")"):
        rational(text[4:-1], least=1)
    else:
        rational(text, most=10_000)


def integer(text):
    must(isinstance(text, str))
    must(len(text.removeprefix("-")) <= 1000)
    return digits(text.removeprefix("-"))


def named(text, known=None):
    must(isinstance(text, str) and 1 <= len(text) <= 1000 and (known is None or text in known))


def listed(value, item, least=0):
    must(isinstance(value, list) and len(value) >= least)
    for one in value:
        item(one)


def object_of(value, key, item):
    must(isinstance(value, dict))
    for name, one in value.items():
        key(name)
        item(one)


def ones(weights):
    must(sum(rational(w, above=0, most=1) for w in weights) == 1)


def law(value):
    must(isinstance(value, dict) and isinstance(value.get("law"), str) and value["law"] in LAW_KEYS)
    name = value["law"]
    keys(value, "law", *LAW_KEYS[name])
    if name == "binomial":
        whole(value["n"])
        rational(value["p"], most=1)
    elif name == "poisson":
        rational(value["lam"], above=0)
    elif name == "negative binomial":
        rational(value["r"], above=0)
        rational(value["p"], above=0, below=1)
    elif name == "discrete Laplace":
        rational(value["q"], above=0, below=1)
        whole(value.get("bound", 1))
    elif name == "discrete Gaussian":
        rational(value["variance"], above=0)
    elif name == "finite":
        object_of(value["p"], integer, rational)
        ones(value["p"].values())
        must("-0" not in value["p"] or "0" not in value["p"])
    elif name == "sum":
        listed(value["of"], law, 1)
    elif name == "mixture":
        listed(value["of"], lambda one: must(isinstance(one, list) and len(one) == 2), 1)
        ones(weight for weight, _ in value["of"])
        listed([one for _, one in value["of"]], law)
    else:
        whole(value["by"], 2, 2**256)
        law(value["of"])


def table_rows(rows):
    must(isinstance(rows, list) and rows)
    for row in rows:
        keys(row, "input", "outputs")
        named(row["input"])
        listed(row["outputs"], lambda one: keys(one, "send", "p"))
        for one in row["outputs"]:
            listed(one["send"], named)
        ones(one["p"] for one in row["outputs"])
        sends = [tuple(one["send"]) for one in row["outputs"]]
        must(len(sends) == len(set(sends)))
    must(len({row["input"] for row in rows}) == len(rows))


def seen_form(seen):
    keys(seen, "users", "honest?", "take part?", "view?", "each", "added?", "shown?")
    whole(seen["users"])
    whole(seen.get("honest", 1), 1, seen["users"])
    rational(seen.get("take part", "1"), above=0, most=1)
    each = seen["each"]
    must(isinstance(each, dict))
    kind = next((name for name in ("rows", "columns", "one of", "up to", "private") if name in each), None)
    must(("view" in seen) == (kind == "rows") and seen.get("view", "local") in ("shuffled", "preshuffle", "local"))
    must("take part" not in seen or kind == "rows")
    if "added" in seen:
        must(kind in ("columns", "one of", "up to"))
        law(seen["added"])
    if kind == "rows":
        table_rows(keys(each, "rows")["rows"])
    elif kind == "columns":
        object_of(keys(each, "columns")["columns"], named, lambda some: listed(some, law, 1))
        must(len({len(some) for some in each["columns"].values()}) == 1)
    elif kind == "one of":
        keys(each, "one of", "held", "other")
        must(each["one of"] == "any number" or whole(each["one of"], 2))
        listed([each["held"], each["other"]], law)
    elif kind == "up to":
        whole(keys(each, "up to", "plus?")["up to"], 1, 10**6)
        law(each.get("plus", {"law": "poisson", "lam": "1"}))
    else:
        must(kind == "private" and isinstance(keys(each, "private")["private"], list) and len(each["private"]) == 2)
        eps_like(each["private"][0])
        rational(each["private"][1], most=1)
    if "shown" in seen:
        must(kind in ("columns", "one of", "up to"))
        if kind == "up to":
            whole(keys(seen["shown"], "mod")["mod"], 2, 2**256)
        else:
            whole(keys(seen["shown"], "from")["from"])
    return kind


def claim_form(claim):
    keys(claim, "runs", "data?", "neighbours", "eps", "delta")
    listed(claim["runs"], lambda run: keys(run, "seen", "times"), 1)
    kinds = [seen_form(run["seen"]) for run in claim["runs"]]
    times_seen = sum(whole(run["times"], 1, 10**9) for run in claim["runs"])
    must(("data" in claim) == (times_seen > 1) and claim.get("data", "any") in ("same", "any"))
    around = claim["neighbours"]
    if isinstance(around, dict):
        object_of(keys(around, "deletion")["deletion"], named, rational)
        ones(around["deletion"].values())
        must(kinds == ["rows"])
        held = {row["input"] for row in claim["runs"][0]["seen"]["each"]["rows"]}
        must(around["deletion"].keys() <= held)
    else:
        must(
            around == "replace"
            or (around == "add-remove" and len(kinds) == 1 and kinds[0] in ("rows", "one of", "up to"))
        )
        if around == "add-remove" and kinds == ["one of"]:
            must(noise(claim["runs"][0]["seen"]["each"]["other"]) == {0: 1})
    eps_like(claim["eps"])
    rational(claim["delta"], most=1)


def claim_is_of_the_form(tree):
    """Whether the certificate, but for what is in `because`, is what the page defines."""
    try:
        keys(tree, "format", "note?", "claim", "verdict", "because")
        must(tree["format"] == "shufflecert certificate" and isinstance(tree.get("note", ""), str))
        must(tree["verdict"] in ("PROVED", "REFUTED"))
        claim_form(tree["claim"])
    except (Bad, TypeError):
        return False
    return True
