"""The kernel against the judge on version 2: mutants of certificates, and the judge against other roads.

The kernel may say that it does not decide; it may never say the opposite, nor read a file that the judge cannot.
"""

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from tests import judge as judge_module
from tests import judge_scale, judge_tables, oracle, scale_mutants, scale_seeds
from tests.certificate_mutants import shrink
from tests.certificate_seeds import dump
from tests.judge import judge
from tests.scale_seeds import binomial, correlated, count, histogram, negative_binomial, poisson
from tests.two_checkers import STATUS, agree, judged_or_error, kernel, verdicts


def compare(cases):
    """Run the kernel on (what was done, bytes, the judge's verdict): they must agree on all, and few may stay open.

    Returns how many got each verdict of the judge, by change.
    """
    mix, changes, left = Counter(), {}, Counter()
    for done, data, verdict in cases:
        status = kernel(data)
        if not agree(verdict, status):
            pytest.fail(
                f"judge {verdict}, kernel {status} after {done}:\n{shrink(data, verdicts).decode(errors='replace')}"
            )
        mix[verdict] += 1
        left["blanket" if b'"blanket"' in data else "other"] += status == "undecided"
        for name in done:
            changes.setdefault(name, Counter())[verdict] += 1
    number = sum(mix.values())
    assert min(mix[verdict] for verdict in STATUS) >= 0.15 * number, mix
    assert mix["too big"] + mix["undecided"] <= 0.02 * number, mix
    assert left["other"] <= 0.01 * number and left["blanket"] <= 0.1 * number, left
    return changes


def judged(seed, number):
    """Mutants with the judge's verdict, as `compare` takes them."""
    return [(done, data, judge(data)) for done, data in scale_mutants.mutants(seed, number)]


# Seeds and mutants -------------------------------------------------------------------------------------------------


def test_seeds_are_true_and_varied():
    kinds = set()
    for tree in scale_seeds.seeds():
        data = dump(tree).encode()
        assert (judge(data), kernel(data)) == ("true", "accepted"), data
        said = tree["claim"].get("mechanism", {})
        kinds.add((said.get("view"), said.get("noise", {}).get("law"), tree["verdict"]))
    views = judge_scale.FORMS
    expected = {(view, law) for view in views if "noise" in views[view] for law in judge_scale.LAWS}
    expected -= {(view, "discrete_laplace") for view in views if "q" in views[view]}
    assert {kind[:2] for kind in kinds} == {*expected, ("strings", None), ("columns", None), (None, None)}
    assert {(kind[0], kind[2]) for kind in kinds} == {
        (view, verdict) for view in (*views, None) for verdict in ("PROVED", "REFUTED")
    }


@pytest.fixture(scope="module")
def few():
    return judged(1, 500)


def test_five_hundred_mutants(few):
    compare(few)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_thousands_of_mutants(seed):
    one_sided = {"kind", "bytes_changed", "constant", "writing", "key_changed", "parameters_swapped"}
    for name, counts in compare(judged(seed, 2000)).items():
        assert name in one_sided or len(counts) >= 2, (name, counts)  # of each change some matter, some do not


def planted():
    """Defects for the judge: (holder and name of the function replaced, its replacement)."""
    largest, blankets, masses, natural = (
        judge_scale.largest,
        judge_scale.blankets,
        judge_scale.masses,
        judge_scale.natural,
    )
    answer = judge_scale.Mechanism.answer

    def one_direction(fields, eps, bits):
        ends = judge_tables.power(eps, bits)
        return max(judge_tables.divergence(table, *ends) for table in judge_tables.tables(fields, bits))

    def one_shift(fields, eps, bits):
        return largest(tuple((key, 1 if key == "sensitivity" else value) for key, value in fields), eps, bits)

    def one_bucket(fields, eps, bits):
        views = {"histogram": "count", "correlated histogram": "correlated"}
        said = {"sensitivity": 1} | dict(fields)
        return largest(tuple(sorted((said | {"view": views.get(said["view"], said["view"])}).items())), eps, bits)

    def claimed(**believed):
        return lambda s, bits: answer(replace(s, **{key: value(s) for key, value in believed.items()}), bits)

    here, statement = judge_scale, judge_scale.Mechanism
    defects = {
        "one direction only": (here, "largest", one_direction),
        "one shift only": (here, "largest", one_shift),
        "one bucket only": (here, "largest", one_bucket),
        "lower is believed": (statement, "answer", claimed(lower=lambda s: Fraction(0))),
        "upper is believed": (statement, "answer", claimed(upper=lambda s: Fraction(2))),
        "delta is believed": (statement, "answer", claimed(delta=lambda s: Fraction(2 if s.proved else -1))),
        "every verdict is PROVED": (statement, "answer", claimed(proved=lambda s: True)),
        "one pair of inputs": (here, "blankets", lambda rows, n: blankets(rows, n)[:1]),
        "one user": (here, "blankets", lambda rows, n: blankets(rows, 1)),
        "at least the threshold": (here, "masses", lambda s: masses(replace(s, above=s.above - 1))),
        "from and to are one": (here, "masses", lambda s: masses(s)[::-1]),
        "no limits": (here, "natural", lambda tree, least=1, most=0: natural(tree, 0, 10**20)),
        "Python's fractions": (here, "_rational", lambda tree: Fraction(str(tree))),
    }
    return [pytest.param(*defect, id=name) for name, defect in defects.items()]


@pytest.mark.parametrize(("holder", "name", "replacement"), planted())
def test_mutants_show_a_planted_defect(monkeypatch, few, holder, name, replacement):
    """The mutants are worth something: a judge with one defect differs from the judge on some of them."""

    monkeypatch.setattr(holder, name, replacement)
    assert any(judged_or_error(data) != right for _, data, right in few)


# The judge against other roads -------------------------------------------------------------------------------------


def test_the_correlated_view_is_what_the_documents_identity_says():
    """Delta(eps) cell by cell, against the atoms (1, q) / (1 + q) and (q H(u - 1), H(u)) / (1 + q)."""
    for law in (("poisson", Fraction(3, 2)), ("negative_binomial", Fraction(1, 3), Fraction(1, 2))):
        q, bits = Fraction(2, 5), 128
        w, low, high = judge_tables.weights(law, 160, 0)
        H = [(1 - q**2) * w[0]]
        for weight in w[1:]:
            H.append((1 - q**2) * weight + q**2 * H[-1])
        for t in (Fraction(1), Fraction(3, 2), Fraction(3)):
            atoms = [(q * below / (1 + q), above / (1 + q)) for below, above in zip([0, *H], [*H, 0], strict=True)]
            forward = max(1 - t * q, 0) / (1 + q) + low * sum(max(a - t * b, 0) for a, b in atoms[:-1])
            back = max(q - t, 0) / (1 + q) + low * sum(max(b - t * a, 0) for a, b in atoms[:-1])
            fields = (("noise", law), ("q", q), ("view", "correlated"))
            least, most = judge_tables.largest(fields, ("log", t), bits)
            assert least - Fraction(1, 2**100) <= max(forward, back) <= most + Fraction(1, 2**100)
            assert most - least < Fraction(1, 2**100) and high - low < Fraction(1, 2**150)


def test_the_enclosures_of_all_stages_have_a_number_in_common():
    """A window too small, or cut, may make an enclosure wide, never wrong."""
    cases = [(correlated("3/5", poisson("23/4"), **more), "2") for more in ({}, {"buckets": 2})]
    cases += [(correlated("1/2", negative_binomial("1/2", "3/5")), "1/2"), (correlated("1/3", binomial(9, "1/2")), "1")]
    cases += [(histogram(poisson("23/4")), "2"), (count(negative_binomial("1/2", "3/5"), 3), "1/2")]
    for mechanism, eps in cases:
        given = judge_scale.mechanism(scale_seeds.read(mechanism)), judge_module._eps(eps)
        ends = [judge_tables.largest(*given, bits) for bits in (8, 24, 40, 56, 80, 128)]
        assert max(low for low, _ in ends) <= min(high for _, high in ends), mechanism


def test_the_lemma_bounds_every_pair():
    """The blanket's bound is at least delta(eps) of every pair of neighbours, and equal to it for a single user."""
    rows = {
        "rr": oracle.rr("1/4"),
        "krr": oracle.krr(3, "1/2"),
        "gap": oracle.r_gap(),
        "zsum": oracle.zsum("1/3"),
        "infinity": oracle.r_infinity(),
    }
    for name, randomizer in rows.items():
        table = tuple((x, tuple(row.items())) for x, row in randomizer.items())
        for n in (1, 2, 3) if name != "gap" else (1, 2):
            for t in (Fraction(1), Fraction(3, 2), Fraction(4)):
                parts = judge_module.all_parts(table, "shuffled", n, ("log", t))
                worst = max(a - t * b for a, b in parts.values())
                low, high = zip(
                    *(judge_tables.divergence(b, t, t) for b in judge_scale.blankets(table, n)), strict=True
                )
                assert low == high and max(low) >= worst and (n > 1 or max(low) == worst), (name, n, t)


def test_a_threshold_is_an_event_of_multisets():
    """P(E) and Q(E) from the law of the weighted sum, and from the law of all multisets."""
    rng = random.Random(5)
    for randomizer in (oracle.rr("1/4"), oracle.krr(3, "1/2"), oracle.hist(2, "1/3"), oracle.zsum("1/3")):
        rows = tuple((x, tuple(row.items())) for x, row in randomizer.items())
        labels = judge_module.messages_of(rows)
        for others in combinations_with_replacement(sorted(randomizer), 2):
            start, end = rng.sample(sorted(randomizer), 2)
            weights = {label: rng.randint(-3, 3) for label in labels}
            named = tuple((x, others.count(x)) for x in sorted(set(others)))
            for above in range(-4, 5):
                s = judge_scale.Threshold(
                    rows, ("log", Fraction(1)), Fraction(0), start, end, named, tuple(weights.items()), above
                )
                laws = judge_module.pair_laws(rows, "shuffled", 3, judge_module.Pair(start, end, others))
                event = [
                    sum(
                        p for y, p in law.items() if sum(weights[m] * k for m, k in zip(labels, y, strict=True)) > above
                    )
                    for law in laws
                ]
                assert list(judge_scale.masses(s)) == event
