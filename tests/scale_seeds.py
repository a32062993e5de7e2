"""Certificates of version 2, true by the judge's numbers."""

import json
from fractions import Fraction
from functools import cache

from tests import judge, judge_scale, oracle
from tests.certificate_seeds import claim_of

BITS = 160  # of the judge's numbers, for seeds


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
