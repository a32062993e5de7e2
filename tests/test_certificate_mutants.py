"""The kernel against the judge: two checkers written from one document, on certificates and on mutants of them.

Verdicts expected by hand come from verify/CERTIFICATE.md; all others from the judge, which enumerates every pair.
"""

import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from tests import judge as judge_module
from tests import oracle
from tests.certificate_mutants import mutants, shrink
from tests.certificate_seeds import certificate, dump, seeds
from tests.judge import Pair, all_parts, exp_bounds, judge
from tests.reference import real
from tests.two_checkers import judged_or_error
from verify.decide.certify import certify
from verify.exact.randomizer import Randomizer
from verify.kernel import check

STATUS = {"true": "accepted", "false": "rejected", "malformed": "malformed"}


def kernel(data):
    """The kernel's status; an exception that leaves it is one of its own."""
    try:
        return check(data).status
    except Exception as error:  # whatever it is, the kernel must answer
        return f"crashed: {error!r}"


def verdicts(data):
    """The judge's verdict and the kernel's status."""
    return judge(data), kernel(data)


def agree(verdict, status):
    """Whether they say the same; of a certificate too big for the judge, that the kernel says anything of its four."""
    return status == STATUS[verdict] if verdict in STATUS else not status.startswith("crashed")


def run(cases):
    """Compare the checkers on (what was done, bytes) pairs: how many got each verdict of the judge, and by change."""
    mix, changes = Counter(), {}
    for done, data in cases:
        verdict, status = verdicts(data)
        if not agree(verdict, status):
            small = shrink(data, verdicts).decode(errors="replace")
            pytest.fail(f"judge {verdict}, kernel {status} after {done}:\n{small}")
        mix[verdict] += 1
        for name in done:
            changes.setdefault(name, Counter())[verdict] += 1
    return mix, changes


# Seeds and mutants -------------------------------------------------------------------------------------------------


def test_seeds_are_true_and_varied():
    trees = seeds()
    for tree in trees:
        assert (judge(dump(tree).encode()), kernel(dump(tree).encode())) == ("true", "accepted"), dump(tree)
    kinds = {(tree["verdict"], tree["claim"]["view"]) for tree in trees}
    assert kinds == {
        (verdict, view) for verdict in ("PROVED", "REFUTED") for view in ("shuffled", "preshuffle", "local")
    }


def engine_certificates():
    """What the engine writes for some of the oracle's randomizers."""
    cases = [(oracle.krr(3, "1/2"), 3, "log(2)"), (oracle.hist(2, "1/3"), 2, "1/2"), (oracle.r_gap(), 2, "0")]
    for rows, n, eps in cases:
        for view in ("shuffled", "preshuffle", "local"):
            for delta in ("1/20", "19/20"):
                yield dict(certify(Randomizer.of(rows), n, eps, delta, view).certificate)


def test_the_engine_writes_true_certificates_and_the_mutants_of_them_are_told_apart():
    trees = list(engine_certificates())
    assert {tree["verdict"] for tree in trees} == {"PROVED", "REFUTED"}
    for tree in trees:
        assert (judge(dump(tree).encode()), kernel(dump(tree).encode())) == ("true", "accepted"), dump(tree)
    mix, _ = run(mutants("engine", 1000, trees))
    assert min(mix[verdict] for verdict in STATUS) >= 100, mix


def compare_mutants(seed, count):
    mix, changes = run(mutants(seed, count))
    assert mix["false"] >= 0.15 * count and mix["true"] >= 0.1 * count and mix["malformed"] >= 0.2 * count, mix
    assert mix["too big"] <= 0.005 * count, mix
    one_sided = {
        "kind",
        "bytes_changed",
        "constant",
        "writing",
        "key_changed",
    }  # these rarely leave a true or false one
    for name, counts in changes.items():
        assert name in one_sided or min(counts[verdict] for verdict in STATUS) >= 0.0005 * count, (name, counts)


def test_ten_thousand_mutants():
    compare_mutants(1, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_hundred_thousand_mutants(seed):
    compare_mutants(seed, 10_000)


def planted():
    """Defects for the judge: (name of the function replaced, its replacement)."""
    is_true, parts = judge_module.is_true, judge_module.all_parts

    def first_group(rows, view, n, eps):
        found = parts(rows, view, n, eps)
        smallest = min(pair.others for pair in found)
        return {pair: value for pair, value in found.items() if pair.others == smallest}

    def one_direction(rows, view, n, eps):
        return {pair: value for pair, value in parts(rows, view, n, eps).items() if pair.start < pair.end}

    defects = {
        "symmetries are believed": ("is_true", lambda s: is_true(replace(s, symmetries=()))),
        "lower is believed": ("is_true", lambda s: is_true(replace(s, lower=s.lower and Fraction(0)))),
        "upper is believed": ("is_true", lambda s: is_true(replace(s, upper=s.upper and Fraction(2)))),
        "delta is believed": (
            "is_true",
            lambda s: is_true(replace(s, delta=Fraction(1) if s.verdict == "PROVED" else Fraction(0))),
        ),
        "a refutation need not be strict": (
            "is_true",
            lambda s: is_true(replace(s, delta=s.delta - (s.verdict == "REFUTED") * Fraction(1, 10**90))),
        ),
        "others are not varied": ("all_parts", first_group),
        "one direction only": ("all_parts", one_direction),
        "views are one": ("is_true", lambda s: is_true(replace(s, view="preshuffle") if s.view == "local" else s)),
        "keys may come twice": ("_object", dict),
        "maps need not be permutations": ("_permutation", lambda tree, labels: tree),
        "weights and counts add up": ("sum", lambda values, *start: sum(values, *start) if start else 1),
    }
    return [pytest.param(*defect, id=name) for name, defect in defects.items()]


@pytest.fixture(scope="module")
def judged():
    """(bytes, the judge's verdict) of some mutants."""
    return [(data, judge(data)) for _, data in mutants("planted", 2000)]


@pytest.mark.parametrize(("name", "replacement"), planted())
def test_mutants_show_a_planted_defect(monkeypatch, judged, name, replacement):
    """The mutants are worth something: a judge with one defect differs from the judge on some of them."""

    monkeypatch.setattr(judge_module, name, replacement, raising=name != "sum")
    assert any(judged_or_error(data) != right for data, right in judged)


def test_shrinking_keeps_the_disagreement():
    data = dump(certificate(oracle.rr("1/3"), "local", 1, "1")).encode()
    small = shrink(data, answer=lambda text: b'"eps"' in text)
    assert small == b'"eps"'


# By hand -----------------------------------------------------------------------------------------------------------

PROVED = """{"format": "shufflecert certificate", "version": 1, "claim": {"randomizer": {"rows": [
{"input": "0", "outputs": [{"send": ["a"], "p": "3/4"}, {"send": ["b"], "p": "1/4"}]},
{"input": "1", "outputs": [{"send": ["a"], "p": "1/4"}, {"send": ["b"], "p": "3/4"}]}]},
"adjacency": "replace", "view": "local", "n": 1, "datasets": "all", "eps": "log(3)", "delta": "0"},
"verdict": "PROVED", "evidence": {"symmetries": [{"inputs": {"0": "1", "1": "0"}, "messages": {"a": "b", "b": "a"}}],
"worst": {"pair": {"from": "0", "to": "1"}, "delta": {"lower": "0", "upper": "0"}}}}"""

# two users: {a: 2} has 3/4 3/4 = 9/16 against 3/16, so P - Q = 3/8, and 9/16 - 3 3/16 = 0
REFUTED = """{"format": "shufflecert certificate", "version": 1, "claim": {"randomizer": {"rows": [
{"input": "0", "outputs": [{"send": ["a"], "p": "3/4"}, {"send": ["b"], "p": "1/4"}]},
{"input": "1", "outputs": [{"send": ["a"], "p": "1/4"}, {"send": ["b"], "p": "3/4"}]}]},
"adjacency": "replace", "view": "shuffled", "n": 2, "datasets": "all", "eps": "0", "delta": "1/3"},
"verdict": "REFUTED", "evidence": {"pair": {"from": "0", "to": "1", "others": {"0": 1}}, "event": [{"a": 2}]}}"""

# log 3 = 1.098612288668109691395245|236...
EDITS = {
    PROVED: [
        ('"log(3)"', '"log(2)"', "false"),
        ('"log(3)"', '"1098612288668109691395245/1000000000000000000000000"', "false"),
        ('"log(3)"', '"1098612288668109691395246/1000000000000000000000000"', "true"),
        ('"log(3)"', '"10000"', "true"),
        ('"log(3)"', '"20000/2"', "true"),
        ('"log(3)"', '"10001"', "malformed"),
        ('"log(3)"', '"20001/2"', "malformed"),
        ('"log(3)"', '"log(9/3)"', "true"),
        ('"log(3)"', '"log(1/2)"', "malformed"),
        ('"log(3)"', '"log( 3)"', "malformed"),
        ('"log(3)"', '"log(3)\\n"', "malformed"),
        ('"log(3)"', '"LOG(3)"', "malformed"),
        ('"log(3)"', '"1.5"', "malformed"),
        ('"log(3)"', "3", "malformed"),
        ('"delta": "0"}', '"delta": "1"}', "true"),
        ('"delta": "0"}', '"delta": "7/7"}', "true"),
        ('"delta": "0"}', '"delta": "8/7"}', "malformed"),
        ('"delta": "0"}', '"delta": "0/0"}', "malformed"),
        ('"delta": "0"}', '"delta": "-0"}', "malformed"),
        ('"delta": "0"}', '"delta": "0/' + "1" * 100_000 + '"}', "true"),
        ('"delta": "0"}', '"delta": "0/' + "1" * 100_001 + '"}', "malformed"),
        ('"delta": "0"}', '"delta": "00"}', "malformed"),
        ('"delta": "0"}', '"delta": "0/01"}', "malformed"),
        ('"lower": "0"', '"lower": "0.0e-100000"', "true"),
        ('"lower": "0"', '"lower": "0e-100001"', "malformed"),
        ('"lower": "0"', '"lower": "1e-100000"', "false"),
        ('"lower": "0"', '"lower": "0."', "malformed"),
        ('"lower": "0"', '"lower": ".0"', "malformed"),
        ('"lower": "0"', '"lower": "0e5"', "malformed"),
        ('"lower": "0"', '"lower": "0E-5"', "malformed"),
        ('"lower": "0"', '"lower": "0e-"', "malformed"),
        ('"lower": "0"', '"lower": "0/1"', "malformed"),
        ('"lower": "0"', '"lower": "0.' + "0" * 99_999 + '"', "true"),
        ('"lower": "0"', '"lower": "0.' + "0" * 100_000 + '"', "malformed"),
        ('"lower": "0"', '"lower": "00"', "malformed"),
        ('"lower": "0"', '"lower": "00.0"', "malformed"),
        ('"lower": "0"', '"lower": "0e-00"', "malformed"),
        ('"upper": "0"', '"upper": "17"', "true"),
        ('"n": 1', '"n": 1000000000', "true"),
        ('"n": 1', '"n": 1000000001', "malformed"),
        ('"n": 1', '"n": ' + "1" * 5000, "malformed"),
        ('"n": 1', '"n": 0', "malformed"),
        ('"n": 1', '"n": -1', "malformed"),
        ('"n": 1', '"n": 1.0', "malformed"),
        ('"n": 1', '"n": 1e0', "malformed"),
        ('"n": 1', '"n": true', "malformed"),
        ('"n": 1', '"n": "1"', "malformed"),
        ('"n": 1', '"n": 1, "n": 1', "malformed"),
        ('"version": 1', '"version": 2', "malformed"),
        ('"version": 1', '"version": 1.0', "malformed"),
        ('"version": 1', '"version": true', "malformed"),
        ('"version": 1', '"version": 1, "note": ""', "true"),
        ('"version": 1', '"version": 1, "note": {"n": {"n": ["n"]}}', "malformed"),
        ('"version": 1', '"version": 1, "note": {"n": "", "n": ""}', "malformed"),
        ('"version": 1', '"version": 1, "note": {"n": NaN}', "malformed"),
        ('"version": 1', '"version": 1, "note": null', "malformed"),
        ('"version": 1', '"version": 1, "note": []', "malformed"),
        ('"version": 1', '"version": 1, "Note": ""', "malformed"),
        ('"p": "3/4"', '"p": "75/100"', "true"),
        ('"p": "3/4"', '"p": "03/004"', "malformed"),
        ('"p": "3/4"', '"p": "0.75"', "malformed"),
        ('"p": "3/4"', '"p": "３/4"', "malformed"),
        ('"p": "3/4"', '"p": "3/4 "', "malformed"),
        ('"p": "3/4"', '"p": "3/4/1"', "malformed"),
        ('"p": "3/4"', '"p": "750000000000000000000000000001/1000000000000000000000000000000"', "malformed"),
        ('{"send": ["a"], "p": "3/4"}', '{"send": ["a"], "p": "3/4"}, {"send": [], "p": "0"}', "malformed"),
        ('{"send": ["a"], "p": "3/4"}', '{"send": ["a"], "p": "1/4"}, {"send": ["a"], "p": "2/4"}', "malformed"),
        ('"a"', '"\\u0061"', "true"),
        ('"a"', '"' + "😀" * 1000 + '"', "true"),
        ('"a"', '"' + "😀" * 1001 + '"', "malformed"),
        ('"a"', '""', "malformed"),
        ('"a": "b", "b": "a"', "", "false"),
        ('"a": "b", "b": "a"', '"a": "b"', "malformed"),
        ('"a": "b", "b": "a"', '"a": "b", "b": "b"', "malformed"),
        ('"a": "b", "b": "a"', '"a": "c", "c": "a"', "malformed"),
        ('"to": "1"', '"to": "0"', "malformed"),
        ('"to": "1"', '"to": "1", "others": {}', "malformed"),
        ('{"from": "0", "to": "1"}', '{"from": "1", "to": "0"}', "true"),
        ('"local"', '"preshuffle"', "true"),
        ('"local"', '"shuffled"', "malformed"),
        ('"PROVED"', '"REFUTED"', "malformed"),
        ("{", "\ufeff{", "malformed"),
        ("}}}}", "}}}} \r\n\t", "true"),
        ("}}}}", "}}}}\x0c", "malformed"),
        ("}}}}", "}}}},", "malformed"),
        ("}}}}", "}}}}" + " " * (64 * 2**20 - len(PROVED)), "true"),
        ("}}}}", "}}}}" + " " * (64 * 2**20 - len(PROVED) + 1), "malformed"),
    ],
    REFUTED: [
        ('"1/3"', '"3/8"', "false"),  # not strictly above
        ('"1/3"', '"374999999999/1000000000000"', "true"),
        ('"eps": "0", "delta": "1/3"', '"eps": "log(3)", "delta": "0"', "false"),
        (
            '"eps": "0", "delta": "1/3"',
            '"eps": "1098612288668109691395245/1000000000000000000000000", "delta": "0"',
            "true",
        ),
        ('[{"a": 2}]', "[]", "false"),
        ('[{"a": 2}]', '[{"a": 2}, {}]', "true"),
        ('[{"a": 2}]', '[{"a": 2}, {"a": ' + "9" * 5000 + "}]", "true"),
        ('[{"a": 2}]', '[{"a": 2}, {"a": 2}]', "malformed"),
        ('[{"a": 2}]', '[{"a": 2}, {"a": 1, "b": 1}]', "false"),  # 6/16 against 10/16 more: P - Q falls to 1/8
        ('[{"a": 2}]', '[{"a": 1, "b": 1}, {"b": 1, "a": 1}]', "malformed"),
        ('[{"a": 2}]', '[{"a": 2, "b": 0}]', "malformed"),
        ('[{"a": 2}]', '[{"a": 2, "c": 1}]', "malformed"),
        ('[{"a": 2}]', '[["a", "a"]]', "malformed"),
        ('{"0": 1}', "{}", "malformed"),
        ('{"0": 1}', '{"1": 1}', "false"),  # 3/16 against 1/16
        ('{"0": 1}', '{"0": 1, "1": 0}', "malformed"),
        ('{"0": 1}', '{"2": 1}', "malformed"),
        (', "others": {"0": 1}', "", "malformed"),
        ('"n": 2', '"n": 3', "malformed"),
    ],
}


@pytest.mark.parametrize("text", [PROVED, REFUTED], ids=["proved", "refuted"])
def test_verdicts_by_hand(text):
    assert (judge(text.encode()), kernel(text.encode())) == ("true", "accepted")
    for old, new, verdict in EDITS[text]:
        changed = text.replace(old, new).encode() if old == '"a"' else text.replace(old, new, 1).encode()
        assert old in text
        assert (judge(changed), kernel(changed)) == (verdict, STATUS[verdict]), (old, new[:80])


def test_files_that_are_not_utf8_json():
    for data in (b"", b"{", b"[]", b"null", PROVED.encode("utf-16"), PROVED.replace("a", "\xe9").encode("latin-1")):
        assert (judge(data), kernel(data)) == ("malformed", "malformed"), data[:20]


# The judge against the oracle --------------------------------------------------------------------------------------


def test_the_judge_computes_what_the_oracle_does():
    """delta(eps) of every pair: the judge's parts against the oracle's hockey stick over all ordered datasets."""
    for randomizer, n in (
        (oracle.rr("1/4"), 3),
        (oracle.krr(3, "1/2"), 2),
        (oracle.r_gap(), 2),
        (oracle.zsum("1/3"), 3),
    ):
        rows = tuple((x, tuple(row.items())) for x, row in randomizer.items())
        for t in (Fraction(1), Fraction(3, 2)):
            parts = all_parts(rows, "shuffled", n, ("log", t))
            seen = set()
            for one, other in oracle.neighbours(randomizer, n):
                (i,) = (i for i in range(n) if one[i] != other[i])
                pair = Pair(one[i], other[i], tuple(sorted(one[:i] + one[i + 1 :])))
                P, Q = (oracle.multiset_law(randomizer, dataset) for dataset in (one, other))
                assert parts[pair][0] - t * parts[pair][1] == oracle.hockey_stick(P, Q, t)
                seen.add(pair)
            assert seen == set(parts)


def test_the_judges_exponential_encloses_mpmath():
    rng = random.Random(3)
    for _ in range(50):
        eps = Fraction(rng.randint(1, 10**6), rng.choice([10**2, 10**5, 10**9]))
        for bits in (64, 256):
            low, high = exp_bounds(eps, bits)
            with mpmath.workprec(2 * bits + 20000):
                value = mpmath.exp(real(eps))
                ends = [real(end) for end in (low, high)]
                assert ends[0] <= value <= ends[1]
                assert ends[1] - ends[0] <= value * mpmath.mpf(2) ** (24 - bits)


def test_the_judge_refuses_what_is_too_big():
    tree = json.loads(REFUTED)
    tree["claim"]["n"], tree["evidence"]["pair"]["others"] = 10**9, {"0": 10**9 - 1}
    assert judge(dump(tree).encode()) == "too big"
