"""Seeded mutants of certificates of version 2, for two checkers to disagree on.

What certificate_mutants.py is for version 1; what changes any certificate's form, or a randomizer, comes from there.
"""

import json
import random
from fractions import Fraction
from itertools import islice

from tests import certificate_mutants as first
from tests import certificate_seeds, judge, judge_scale
from tests.certificate_mutants import _labels, _write
from tests.certificate_seeds import claim_of
from tests.scale_seeds import (
    binomial,
    columns,
    columns_ends,
    correlated,
    count,
    discrete_laplace,
    histogram,
    negative_binomial,
    poisson,
    seeds,
    strings,
    written,
)


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
        (one, two), others = rng.sample(inputs, 2), certificate_seeds._counts(rng.choices(inputs, k=n - 1))
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
