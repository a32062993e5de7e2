"""Certificates of version 2, true by the judge's numbers, and seeded mutants of them, for two checkers to disagree on.

What certificate_mutants.py is for version 1; what changes any certificate's form, or a randomizer, comes from there.
"""

import json
import random
from fractions import Fraction
from functools import cache
from itertools import islice

from tests import certificate_mutants as first
from tests import judge, judge_scale, oracle
from tests.certificate_mutants import _labels, _write, claim_of

BITS = 160  # of the judge's numbers, for seeds


# Seeds -------------------------------------------------------------------------------------------------------------


def read(tree):
    """A tree as the judge reads it."""
    return json.loads(json.dumps(tree), parse_int=judge.Number)


def certificate(claim, verdict, evidence, **more):
    top = {"format": "shufflecert certificate", "version": 2, **more}
    return top | {"claim": claim, "verdict": verdict, "evidence": evidence}


def written(value, digits, up):
    """(a DECIMAL with so many digits after its leading zeros, rounded up or down; its value)."""
    places = digits
    while value and value * 10**places < 10**digits and places < 400:
        places += 1
    whole = -(-value.numerator * 10**places // value.denominator) if up else value * 10**places // 1
    text = f"{whole}e-{places}" if places > digits else f"{whole:0{digits + 1}}"
    return text if places > digits else f"{text[:-digits]}.{text[-digits:]}", Fraction(whole, 10**places)


def delta_written(value, digits, up):
    """A delta of a claim with so many digits, from 0 to 1, on this side of the value."""
    return str(min(max(written(max(value, Fraction(0)), digits, up)[1], Fraction(0)), Fraction(1)))


def of_mechanism(mechanism, eps, verdict="PROVED", delta=None, digits=12, **more):
    """A mechanism's certificate; delta is by default the end of the enclosure that just keeps it true."""
    low, high = judge_scale.largest(judge_scale.mechanism(read(mechanism)), judge._eps(eps), BITS)
    (lower, least), (upper, most) = written(low, digits, False), written(high, digits, True)
    if delta is None:
        delta = most if verdict == "PROVED" else least if least < low else least - Fraction(1, 10**9)
    claim = {"mechanism": mechanism, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": str(delta)}
    return certificate(claim, verdict, {"delta": {"lower": lower, "upper": upper}}, **more)


def columns(flip, users, kinds):
    return {"view": "columns", "flip": flip, "users": users, "columns": kinds}


def columns_ends(stated, digits):
    """((lower, its value), (upper, its value)) of a certificate of `columns`: of the named pair, and of all pairs."""
    ends, tables = judge_scale.power(stated.eps, BITS), judge_scale.columns(stated.fields)
    low = judge_scale.divergence(tables[stated.others], *ends)[0]
    high = max(judge_scale.divergence(table, *ends)[1] for table in tables.values())
    return written(low, digits, False), written(high, digits, True)


def of_columns(mechanism, others, eps, verdict="PROVED", delta=None, digits=12):
    """A certificate of `columns`; delta is by default the end that just keeps it true."""
    claim = {"mechanism": mechanism, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": "1"}
    evidence = {"delta": {"lower": "0", "upper": "1"}, "others": others}
    tree = certificate(claim, verdict, evidence)
    (lower, least), (upper, most) = columns_ends(judge.parse(json.dumps(tree).encode()), digits)
    evidence["delta"] = {"lower": lower, "upper": upper}
    claim["delta"] = str(delta or (most if verdict == "PROVED" else least - Fraction(1, 10**15)))
    return tree


def of_blanket(randomizer, n, eps, step, cells, tilt, slack="1/100"):
    """A blanket's certificate; delta is the lemma's bound and `slack` of it more."""
    claim = claim_of(randomizer, "shuffled", n, eps, 0)
    rows = judge._rows(read(claim["randomizer"])["rows"])
    ends = judge_scale.power(judge._eps(eps), BITS)
    bound = max(judge_scale.divergence(table, *ends)[1] for table in judge_scale.blankets(rows, n))
    claim["delta"] = str(min(written(bound * (1 + Fraction(slack)), 9, True)[1], Fraction(1)))
    return certificate(claim, "PROVED", {"blanket": {"step": step, "cells": cells, "tilt": tilt}})


def of_threshold(randomizer, pair, eps, weights, above, digits=6):
    """A threshold's certificate; delta is just below P(E) - e^eps Q(E)."""
    pair = dict(zip(("from", "to", "others"), pair, strict=True))
    claim = claim_of(randomizer, "shuffled", 1 + sum(pair["others"].values()), eps, 0)
    evidence = {"pair": pair, "threshold": {"weights": weights, "above": above}}
    stated = judge.parse(json.dumps(certificate(claim, "REFUTED", evidence)).encode())
    p, q = judge_scale.masses(stated)
    claim["delta"] = str(written(p - judge_scale.power(stated.eps, BITS)[1] * q, digits, False)[1])
    return certificate(claim, "REFUTED", evidence)


def binomial(n, p):
    return {"law": "binomial", "n": n, "p": p}


def poisson(lam):
    return {"law": "poisson", "lam": lam}


def negative_binomial(r, p):
    return {"law": "negative_binomial", "r": r, "p": p}


def discrete_laplace(q):
    return {"law": "discrete_laplace", "q": q}


def count(noise, sensitivity=1):
    return {"view": "count", "noise": noise, "sensitivity": sensitivity}


def histogram(noise, buckets=2):
    return {"view": "histogram", "noise": noise, "buckets": buckets}


def correlated(q, noise, **buckets):
    view = "correlated histogram" if buckets else "correlated"
    return {"view": view, "q": q, "noise": noise, **buckets}


def strings(flip, size):
    return {"view": "strings", "flip": flip, "strings": size}


@cache
def blankets():
    """Of randomizers."""
    twins = {"c": oracle.rr("1/2")["0"], "a": oracle.rr("1/3")["0"], "b": oracle.rr("1/3")["1"]}
    return [
        of_blanket(oracle.rr("1/4"), 8, "log(2)", "1", 1024, "2"),
        of_blanket({"0": oracle.rr("1/3")["0"], "1": oracle.rr("1/5")["1"]}, 12, "1/2", "1/64", 8192, "9/8"),
        of_blanket({"1": oracle.rr("1/5")["1"], "0": oracle.rr("1/3")["0"]}, 7, "1/4", "1/64", 8192, "9/8"),
        of_blanket(oracle.krr(3, "1/2"), 6, "1", "1/100", 8192, "17/16"),
        of_blanket(oracle.krr(4, "2/3"), 5, "log(3/2)", "1/8", 1000, "3/2", slack="1/1000000"),
        of_blanket(oracle.zsum("1/2"), 9, "1/3", "1/128", 16384, "5/4"),
        of_blanket(twins, 4, "0", "1/32", 4096, "5/4"),
        of_blanket(oracle.r_gap(), 2, "1", "1/64", 4096, "21/20"),
        of_blanket(oracle.r_infinity(), 3, "2", "1", 64, "2"),
    ]


@cache
def seeds():
    """Certificates that are true: every view with the laws it may have, both verdicts, eps rational, zero and a log."""
    refuted, one = "REFUTED", Fraction(1)
    mechanisms = [
        of_mechanism(count(binomial(12, "1/3")), "1/2"),
        of_mechanism(count(binomial(5, "3/4"), 7), "log(2)", refuted),
        of_mechanism(count(binomial(30, "1/2"), 2), "2", digits=20, note="two ones"),
        of_mechanism(count(binomial(3, "1")), "log(3/2)", delta=one),
        of_mechanism(count(poisson("7/2"), 2), "1", digits=25),
        of_mechanism(count(poisson("20")), "log(3/2)", refuted, digits=6),
        of_mechanism(count(negative_binomial("5/2", "2/3")), "3/4"),
        of_mechanism(count(negative_binomial("1/2", "3/5"), 3), "log(4)", refuted),
        of_mechanism(count(negative_binomial("1", "1/2")), "0", refuted, digits=5),
        of_mechanism(count(discrete_laplace("1/2")), "log(2)"),
        of_mechanism(count(discrete_laplace("2/3"), 4), "1", digits=30),
        of_mechanism(count(discrete_laplace("1/5"), 2), "log(24)", refuted),
        of_mechanism(histogram(binomial(10, "2/5"), 3), "1"),
        of_mechanism(histogram(binomial(8, "1/2")), "log(3)", refuted, digits=15),
        of_mechanism(histogram(poisson("5"), 10**6), "1/3"),
        of_mechanism(histogram(negative_binomial("3/2", "1/2")), "log(5/2)", refuted),
        of_mechanism(histogram(negative_binomial("1/3", "1/2"), 4), "2"),
        of_mechanism(histogram(discrete_laplace("1/3")), "log(9)", delta=Fraction(0)),
        of_mechanism(histogram(discrete_laplace("3/4"), 5), "1/10", refuted, digits=8),
        of_mechanism(correlated("1/2", poisson("2")), "1"),
        of_mechanism(correlated("1/4", binomial(6, "1/2")), "log(3)", refuted),
        of_mechanism(correlated("1/3", negative_binomial("5/2", "1/2")), "3/2", delta=Fraction(1, 2)),
        of_mechanism(correlated("3/5", negative_binomial("1/4", "1/3")), "0", refuted, digits=7),
        of_mechanism(correlated("1/3", poisson("3/2"), buckets=2), "1", digits=9),
        of_mechanism(correlated("1/2", negative_binomial("1/2", "1/4"), buckets=3), "log(2)", refuted, digits=9),
        of_mechanism(correlated("2/7", binomial(4, "1/3"), buckets=10**15), "5/2", digits=9),
        of_mechanism(strings("1/4", 6), "1"),
        of_mechanism(strings("1/10", 3), "log(7)", refuted, digits=18),
        of_mechanism(strings("1/2", 9), "0"),
        of_mechanism(strings("2/5", 20), "1/5", digits=9),
    ]
    columned = [
        of_columns(columns("1/4", 4, 3), [0, 1], "1/2"),
        of_columns(columns("1/3", 5, 2), [4, 0], "log(3/2)"),
        of_columns(columns("2/5", 3, 9), [2, 0], "1/5", refuted),
        of_columns(columns("1/10", 6, 10**15), [0, 0], "2", refuted),
        of_columns(columns("1/2", 3, 3), [1, 1], "0"),
        of_columns(columns("1/5", 1, 2), [0, 0], "log(15)", refuted),
        of_columns(columns("1/9", 2, 3), [0, 1], "1", delta=Fraction(9, 10)),
    ]
    zero, two = oracle.zsum("1/2"), oracle.rr("1/4")
    thresholds = [
        of_threshold(two, ("1", "0", {"0": 5, "1": 2}), "log(2)", {"1": "1"}, "5"),
        of_threshold(two, ("0", "1", {"0": 9}), "1/2", {"0": "2", "1": "-1"}, "14", digits=20),
        of_threshold(zero, ("1", "0", {"0": 12}), "0", {"1": "1"}, "6"),
        of_threshold(zero, ("0", "1", {"1": 3, "0": 4}), "1/4", {"1": "-3"}, "-20"),
        of_threshold(oracle.krr(3, "1/2"), ("2", "0", {"1": 6}), "1/3", {"2": "5", "0": "-5"}, "0"),
        of_threshold(oracle.hist(2, "1/3"), ("1", "2", {"1": 3}), "log(3/2)", {"1": "7", "2": "-7"}, "14"),
    ]
    return [*mechanisms, *columned, *blankets(), *thresholds]


# Mutations that keep the form (mostly) -----------------------------------------------------------------------------


def _numbers(tree):
    """(holder, key) of the rationals of a mechanism."""
    said = tree["claim"]["mechanism"]
    holders = [said, said.get("noise", {})]
    return [(holder, key) for holder in holders for key in ("p", "q", "r", "lam", "flip") if key in holder]


def parameter(rng, tree):
    """A rational of the mechanism: a neighbour of it, by much or by a hair, an end of its range, or as far from 1."""
    holder, key = rng.choice(_numbers(tree))
    value = Fraction(holder[key])
    hair = Fraction(rng.choice([-1, 1]), value.denominator * rng.choice([1, 2, 10, 10**6, 10**25]))
    holder[key] = rng.choice([_write(rng, abs(value + hair))] * 4 + [_write(rng, abs(1 - value)), "0", "1", "1/2", "2"])


def parameter_writing(rng, tree):
    """The same rational, written in another way."""
    holder, key = rng.choice(_numbers(tree))
    holder[key] = rng.choice(["", "", "", "0", "000"]) + _write(rng, Fraction(holder[key]))


def parameters_swapped(rng, tree):
    """Two rationals of the mechanism change places."""
    (one, x), (two, y) = rng.sample(_numbers(tree), 2)
    one[x], two[y] = two[y], one[x]


SIZES = ("n", "sensitivity", "buckets", "strings")


def size(rng, tree):
    """An integer of the mechanism: one more or less, or beside an end of its range."""
    said = tree["claim"]["mechanism"]
    holder, key = rng.choice(
        [(h, k) for h in (said, said.get("noise", {})) for k in (*SIZES, "users", "columns") if k in h]
    )
    holder[key] = rng.choice([*[holder[key] + rng.choice([-1, 1])] * 6, 1, 2, 10**6, 10**6 + 1, 10**15, 10**15 + 1])


def law(rng, tree):
    """Another noise law, with its own parameters most of the time."""
    laws = [binomial(9, "1/3"), poisson("3"), negative_binomial("3/2", "1/3"), discrete_laplace("2/5")]
    said, new = tree["claim"]["mechanism"], rng.choice(laws)
    said["noise"] = rng.choice([new, new, new, said["noise"] | {"law": new["law"]}, said["noise"] | new])


def view(rng, tree):
    """Another view, with its own fields most of the time."""
    said = tree["claim"]["mechanism"]
    noise = said.get("noise", poisson("2"))
    views = [count(noise, 2), histogram(noise), correlated("2/5", noise), correlated("2/5", noise, buckets=2)]
    new = rng.choice([*views, strings("1/3", 5)])
    tree["claim"]["mechanism"] = rng.choice([new, new, said | {"view": new["view"]}, said | new])


def _stated(tree, kind):
    """What the judge reads, of this kind; LookupError where it is another or nothing."""
    try:
        stated = judge.parse(json.dumps(tree).encode())
    except judge.MalformedError:
        stated = None
    if not isinstance(stated, kind):
        raise LookupError
    return stated


def corrected(rng, tree):
    """The enclosure that is true now, and a delta at one of its ends, or a hair from it."""
    stated = _stated(tree, judge_scale.Mechanism)
    try:
        low, high = judge_scale.largest(stated.fields, stated.eps, 128)
    except judge.TooBigError as error:
        raise LookupError from error
    digits = rng.choice([3, 6, 9, 12, 12, 12, 25])
    ends = [written(low, digits, False), written(high, digits, True)]
    tree["evidence"] = {"delta": {"lower": ends[0][0], "upper": ends[1][0]}}
    delta = rng.choice(ends)[1] * (1 + rng.choice([0, 0, -1, 1]) * Fraction(1, 10 ** (digits + 1)))
    tree["claim"]["delta"] = str(min(Fraction(1), delta))


def columns_corrected(rng, tree):
    """The ends that are true now, and a delta at one of them, or a hair from it; now and then the upper end is 1."""
    stated = _stated(tree, judge_scale.Columns)
    try:
        ends = columns_ends(stated, digits := rng.choice([3, 6, 9, 12, 25]))
    except judge.TooBigError as error:
        raise LookupError from error
    tree["evidence"]["delta"] = {"lower": ends[0][0], "upper": rng.choice([ends[1][0], "1"])}
    delta = rng.choice(ends)[1] * (1 + rng.choice([0, 0, -1, 1]) * Fraction(1, 10 ** (digits + 1)))
    tree["claim"]["delta"] = str(min(Fraction(1), delta))


def columns_another(rng, tree):
    """Other columns, eps and a named pair, and what is true of them."""
    users, kinds = rng.randint(1, 6), rng.choice([2, 3, 3, 7])
    i = rng.randint(0, users - 1)
    j = users - 1 - i if kinds == 2 else rng.randint(0, users - 1 - i)
    flip = str(Fraction(rng.randint(1, 9), rng.randint(18, 40)))
    tree["claim"] |= {"mechanism": columns(flip, users, kinds)}
    tree["claim"]["eps"] = rng.choice(["0", "1/2", "1", "log(3/2)", "log(5)", f"{rng.randint(1, 30)}/10"])
    tree["evidence"]["others"] = [i, j]
    columns_corrected(rng, tree)


def columns_others(rng, tree):
    """Other users of the named pair: exchanged, one more or less, another writing."""
    others = tree["evidence"]["others"]
    i, j = others
    near = [[j, i], [i + 1, j - 1], [i - 1, j + 1], [i + 1, j], [i, j + 1], [max(i - 1, 0), j], [i, max(j - 1, 0)]]
    tree["evidence"]["others"] = rng.choice([*near, *near, [i], [i, j, 0], {"0": i, "1": j}, [str(i), j], [i, -1]])


def another(rng, tree):
    """Another mechanism and eps altogether, with the enclosure that is true of it."""

    def part(most=12):
        below = rng.randint(2, most)
        return f"{rng.randint(1, below - 1)}/{below}"

    def positive():
        return f"{rng.randint(1, 40)}/{rng.randint(1, 8)}"

    laws = [binomial(rng.randint(1, 25), part()), poisson(positive())]
    laws += [negative_binomial(positive() if rng.random() < 0.5 else part(), part(6))]
    views = [count(rng.choice([*laws, discrete_laplace(part())]), rng.randint(1, 5))]
    views += [histogram(rng.choice([*laws, discrete_laplace(part())])), correlated(part(5), rng.choice(laws))]
    views += [strings(f"1/{rng.randint(2, 9)}", rng.randint(1, 12))]
    if rng.random() < 0.3:  # the judge's slowest
        views += [correlated(part(5), rng.choice(laws), buckets=2)]
    tree["claim"] |= {"mechanism": rng.choice(views), "eps": rng.choice([positive(), part(), f"log({positive()})"])}
    corrected(rng, tree)


def verdict(rng, tree):
    """The other verdict, now and then with evidence of its form."""
    tree["verdict"] = "PROVED" if tree["verdict"] == "REFUTED" else "REFUTED"
    if "blanket" in tree["evidence"] and rng.random() < 0.7:
        (one, two), n = rng.sample(_labels(tree)[0], 2), tree["claim"]["n"]
        pair = {"from": one, "to": two, "others": {one: n - 1} if n > 1 else {}}
        weights = {label: rng.choice(["1", "-1"]) for label in _labels(tree)[1]}
        tree["evidence"] = {"pair": pair, "threshold": {"weights": weights, "above": "0"}}
    elif "threshold" in tree["evidence"] and rng.random() < 0.7:
        tree["evidence"] = {"blanket": {"step": "1/64", "cells": 4096, "tilt": "9/8"}}


def hints(rng, tree):
    """Another step, number of cells or tilt: by a factor, by one, or at an end of its range."""
    blanket, key = tree["evidence"]["blanket"], rng.choice(["step", "cells", "tilt"])
    if key == "cells":
        near = [blanket[key] * 2, blanket[key] + rng.choice([-1, 1]), blanket[key] // 2]
        blanket[key] = rng.choice([*near, 1, 2, 3, 2**32, 2**32 + 1])
    elif key == "tilt":
        excess = (Fraction(blanket[key]) - 1) * rng.choice([2, Fraction(1, 2), Fraction(1, 10**9), 0, -1])
        blanket[key] = rng.choice([_write(rng, 1 + excess), _write(rng, 1 + excess), "1000", "1", "0"])
    else:
        value = Fraction(blanket[key]) * rng.choice([2, 3, Fraction(1, 2), Fraction(99, 100), Fraction(1, 10**6)])
        blanket[key] = rng.choice([_write(rng, value), _write(rng, value), "0", "10"])


def n_of_blanket(rng, tree):
    """One user more or less, or many."""
    n = tree["claim"]["n"]
    tree["claim"]["n"] = rng.choice([n - 1, n + 1, n + 1, n + 2, 1, rng.choice([10**9 + 1, 10**15, 10**15 + 1])])


def threshold(rng, tree):
    """A weight or the bound: one more or less, negated, dropped, added, written differently, or long."""
    said = tree["evidence"]["threshold"]
    weights, (inputs, messages) = said["weights"], _labels(tree)
    holder, key = rng.choice([(said, "above"), *((weights, label) for label in weights)])
    value = int(holder[key])
    what = rng.choice(["near", "near", "negate", "drop", "add", "scale", "write", "long"])
    if what == "drop":
        del weights[rng.choice(list(weights))]
    elif what == "add":
        weights[rng.choice([*messages, *messages, *inputs, "new"])] = str(rng.randint(-3, 3))
    elif what == "scale":
        factor = rng.choice([2, 3, 10**20])
        weights |= {label: str(int(weight) * factor) for label, weight in weights.items()}
        said["above"] = str(int(said["above"]) * factor + rng.choice([0, 0, factor - 1, factor, -1]))
    else:
        sign, digits = "-" if value < 0 else "", str(abs(value))
        writings = [f"{sign}0{digits}", f"{sign}000{digits}", f"+{digits}", f"-{sign}{digits}", f"{value}.0", "-0", ""]
        long = [sign + digits.zfill(rng.choice([999, 1000, 1001])), sign + "9" * rng.choice([1000, 1001])]
        near = [str(value + rng.choice([-1, 1]))]
        holder[key] = rng.choice({"write": writings, "long": long, "negate": [str(-value)]}.get(what, near))


def delta_moved(rng, tree):
    """Delta close to what the threshold refutes, or to the lemma's bound, on one side or the other."""
    stated = _stated(tree, judge_scale.Blanket | judge_scale.Threshold)
    least, most = judge_scale.power(stated.eps, 128)
    try:
        if isinstance(stated, judge_scale.Threshold):
            p, q = judge_scale.masses(stated)
            value = max(p - least * q, Fraction(0))
        else:
            tables = judge_scale.blankets(stated.rows, stated.n)
            value = max(judge_scale.divergence(table, least, most)[1] for table in tables)
    except (judge.TooBigError, ValueError) as error:
        raise LookupError from error
    factor = 1 + rng.choice([-1, 1]) * Fraction(1, rng.choice([10, 100, 10**4, 10**9, 10**20]))
    tree["claim"]["delta"] = str(min(Fraction(1), written(value * factor, 25, True)[1]))


def fresh(rng, tree):
    """Another randomizer, few users, and a delta near what is now true."""
    evidence, sends = tree["evidence"], [("a",), ("b",), ("a", "b"), (), ("b", "b")]
    outputs, inputs = rng.sample(sends, rng.randint(2, 4)), ["x", "y", "z", "w"][: rng.randint(2, 4)]
    randomizer = {}
    for x in inputs:
        parts = [rng.choice([0, 1, 1, 2, 3, 4]) for _ in outputs]
        parts[rng.randrange(len(parts))] += 1
        randomizer[x] = {y: Fraction(k, sum(parts)) for y, k in zip(outputs, parts, strict=True) if k}
    n = rng.randint(1, 7)
    tree["claim"] = claim_of(randomizer, "shuffled", n, rng.choice(["0", "1/2", "1", "log(5/3)", "log(3)"]), 0)
    if "blanket" in evidence:
        evidence["blanket"] = {
            "step": rng.choice(["1/16", "1/60", "1/7"]),
            "cells": rng.choice([100, 999, 4096, 8192, 8192]),
            "tilt": rng.choice(["17/16", "9/8", "5/4"]),
        }
        return delta_moved(rng, tree)
    for _ in range(20):  # until the event refutes something
        (one, two), others = rng.sample(inputs, 2), first._counts(rng.choices(inputs, k=n - 1))
        weights = {label: str(rng.randint(-2, 3)) for label in _labels(tree)[1]}
        evidence["pair"] = {"from": one, "to": two, "others": others}
        evidence["threshold"] = {"weights": weights, "above": str(rng.randint(-2, n))}
        delta_moved(rng, tree)
        if tree["claim"]["delta"] != "0":
            return None


def version(rng, tree):
    """Version 1 or 3, now and then with evidence of version 1."""
    tree["version"] = rng.choice([1, 1, 2, 3])
    if "randomizer" in tree["claim"] and rng.random() < 0.7:
        tree["evidence"] = {"symmetries": [], "worst": None}
        if tree["verdict"] == "REFUTED":
            tree["evidence"] = {"pair": {"from": "0", "to": "1", "others": {"0": tree["claim"]["n"] - 1}}, "event": []}


EITHER = [first.eps_value, first.delta_value, verdict, version]
MECHANISM = [parameter, parameter, parameter_writing, parameters_swapped, size, size, law, view, corrected, corrected]
MECHANISM += [another, another, another, first.enclosure, first.enclosure, first.enclosure, *EITHER]
COLUMNS = [parameter, parameter_writing, size, size, columns_others, columns_others, *EITHER]
COLUMNS += [columns_corrected, columns_corrected, columns_another, columns_another, columns_another, first.enclosure]
RANDOMIZER = [first.weight_unit, first.weight_writing, first.merge_outputs, first.split_output, first.swap_sends]
RANDOMIZER += [first.swap_inputs, first.twin_row, first.reorder, fresh, fresh, fresh, delta_moved, delta_moved, *EITHER]
BLANKET = [*RANDOMIZER, hints, hints, hints, n_of_blanket]
THRESHOLD = [*RANDOMIZER, threshold, threshold, threshold, first.n_value, first.pair_changed]


def mutants(seed, count):
    """`count` distinct mutants, the same for the same seed: (names of what was done, bytes)."""
    rng, seen, kinds = random.Random(seed), set(), {"others": [], "mechanism": [], "blanket": [], "threshold": []}
    for tree in seeds():
        said = [*tree["claim"], *tree["evidence"]]
        next(kinds[kind] for kind in kinds if kind in said).append(tree)
    changes = {"others": COLUMNS, "mechanism": MECHANISM, "blanket": BLANKET, "threshold": THRESHOLD}

    def endless():
        while True:
            kind = rng.choice(["mechanism", "mechanism", "mechanism", "others", "blanket", "threshold"])
            done, data = first.mutant(rng, kinds[kind], changes[kind])
            if done and data not in seen:
                seen.add(data)
                yield done, data

    return islice(endless(), count)
