"""The verified checker as plain Python: what the proof gives, and its lines beside the binary's and the kernel's."""

import json
import random
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import count
from math import comb
from pathlib import Path

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide, hints, program, reader
from shufflecert.verify.commands import certificates as command
from tests import verified
from tests.greedy_files import GREEDY
from tests.helpers import call, cases
from tests.kernel_attack import attempts, columns, numbers, one_of, rows, runs, symmetric
from tests.test_kernel import HOSTILE, MALFORMED

HERE = verified.ROOT / "tests"
says, kernel_says = cache(decide.verdict), cache(kernel.check)  # each file is looked at once by each
RUN = """
import sys
from shufflecert.verify.checked.decide import verdict
for file in sys.argv[1:]:
    print(*verdict(open(file, "rb").read()))
"""
SPENT = "import time; print(time.process_time(), open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"


def test_it_is_what_the_proof_gives(verified_kernel):
    verified.build("json")
    made = (verified.MADE / "program.py").read_bytes()
    assert (verified.ROOT / "verify" / "checked" / "program.py").read_bytes() == made


def rewritten(folders=("accepted", "rejected", "undecided")):
    """The certificates of the corpus, each for itself: (name, tree); but for one on which the kernel takes 17 seconds
    until it says that it is too much work, as tests/test_kernel.py has it say at once."""
    for file in [file for name in folders for file in sorted((HERE / name).glob("*.json"))]:
        if file.stem != "shortcut-high-long":
            tree = json.loads(file.read_bytes())
            yield from ((file.stem, one) for one in (tree if isinstance(tree, list) else [tree]))


def test_steps_are_counted():
    data = (HERE / "accepted" / "zsum-hundred.json").read_bytes()
    assert decide.verdict(data)[0] == "accepted"
    assert decide.verdict(data, steps=1000) == ("undecided", "too much work: more than 1000 steps")
    before = sys.getrecursionlimit(), sys.get_int_max_str_digits(), next(program.budget.steps, None)
    assert decide.verdict(data)[0] == "accepted"
    assert (sys.getrecursionlimit(), sys.get_int_max_str_digits(), None) == before  # and none are left for others


def test_long_lists_are_read():
    row = [{"send": [str(i)], "p": "1/1200"} for i in range(1200)]
    seen = writing.rows({"rows": [{"input": x, "outputs": row} for x in "01"]}, 1)
    why = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    made = writing.certificate(writing.claim([(seen, 1)], "replace", "1", Fraction(1, 2)), "PROVED", why)
    assert decide.verdict(json.dumps(made).encode())[0] == "accepted"


WIDE = "a long window"  # of which the binary, with as many steps, says the same in tests/former_bugs
BAD = [name for name in [*HOSTILE, *MALFORMED] if name != WIDE]


@pytest.mark.parametrize("names", [BAD, pytest.param([WIDE], marks=pytest.mark.long)], ids=["all but one", WIDE])
def test_hostile_files_end(names, tmp_path):
    """What is more work than is begun is said so; the time limit is for a program that does not end."""
    files = [tmp_path / f"{i}.json" for i in range(len(names))]
    for file, name in zip(files, names, strict=True):
        file.write_text(json.dumps((HOSTILE | MALFORMED)[name]))
    run = [sys.executable, "-c", RUN, *files]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=True, cwd=verified.ROOT)
    for file, name, line in zip(files, names, done.stdout.splitlines(), strict=True):
        said = line.split()[0]
        assert said in ("undecided", "rejected", "malformed") or said == kernel_says(file.read_bytes()).status, name


@pytest.mark.parametrize("name", ["discrete Laplace, digits", "a sum of many", "columns, hashes", "boxes"])
@pytest.mark.sampled(2)
def test_greedy_files_end(name, tmp_path):
    """A ratio of 20,000 digits to the power 2,000 took minutes, a sum of 40 laws as well."""
    file = tmp_path / "c.json"
    file.write_text(GREEDY[name]())
    run = [sys.executable, "-c", RUN + SPENT, file]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=True, cwd=verified.ROOT)
    said, spent = done.stdout.splitlines()
    seconds, kilobytes = spent.split()
    assert said.split()[0] != "accepted" and float(seconds) < 60 and int(kilobytes) < 600_000, done.stdout


def test_the_command(capsys):
    good, bad = HERE / "accepted" / "tiny.json", HERE / "rejected" / "tiny-delta.json"
    assert command.by_python(good.read_bytes())[0] == "accepted"
    for by, said in (("verified", "by theorem check_"), ("both", "[verify/kernel.py: accepted]")):
        status, out, _ = call(capsys, "check", "--by", by, good)
        assert status == 0 and said in out
        assert call(capsys, "check", "--by", by, good, bad)[0] == 1
    assert call(capsys, "check", "--by", "nobody", good)[0] == 2
    assert call(capsys, "check", "--by", "verified", "--max-bits", "99", good)[0] == 2


def test_both_of_them():
    """What one of them has no theorem for is the other's; a disagreement is an error, and asks for a report."""
    good, blocks = ((HERE / "accepted" / f"{name}.json").read_bytes() for name in ("tiny", "blocks-two"))
    status, reason = command.by_both(kernel.check, blocks)
    assert status == "accepted" and "accepted" in reason
    assert command.by_both(lambda data: ("undecided", "too much work"), good)[0] == "accepted"
    with pytest.raises(command.DisagreementError, match="please report this certificate"):
        command.by_both(lambda data: ("rejected", "a damaged kernel"), good)
    refused = (HERE / "rejected" / "tiny-delta.json").read_bytes()
    assert command.by_both(kernel.check, refused) == kernel.check(refused)


def test_the_steps_of_a_file_are_those_of_all_its_certificates():
    one = json.loads((HERE / "accepted" / "zsum-hundred.json").read_bytes())
    taken = next(k for k in count(13) if decide.verdict(json.dumps(one).encode(), most=1 << k)[0] == "accepted")
    several = json.dumps([one] * 5).encode()
    assert decide.verdict(several, steps=1 << taken)[0] == "accepted"
    status, reason = decide.verdict(several, most=1 << taken)
    assert status == "undecided" and reason.endswith(f"]: too much work: more than {1 << taken} steps")


# Files of all kinds, and damaged ones --------------------------------------------------------------------------------


WRONG = (
    *(None, True, False, 0, 1, 1.5, 10**40, "", "0", "1", "-1", "1/2", "01", "1/0", "log(1/2)", "x" * 1001, [], {}),
    *([[]], {"a": 1}, ["each"], "each", "corner", "alone", "add-remove", "PROVED", "REFUTED", "shuffled", "local"),
)
KEYS = ("x", "same as", "by", "honest", "view", "take part", "added", "shown", "above", "grid", "known")


def places(tree):
    """All (parent, key) in it."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield tree, key
        if isinstance(value, dict | list):
            yield from places(value)


def damaged(rng, tree):
    """One place is left out, is another one's, has another value or number, or a key beside it."""
    made = json.loads(json.dumps(tree))
    parent, key = rng.choice(list(places(made)))
    value, kind = parent[key], rng.randrange(5)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[rng.choice(KEYS)] = rng.choice(WRONG)
    elif kind == 2 and type(value) is int:
        parent[key] = max(0, value + rng.choice([-1, 1]))
    elif kind == 2 and isinstance(value, str) and re.fullmatch(r"\d+/\d+", value):
        above, _, below = value.partition("/")
        parent[key] = f"{int(above) + rng.choice([-1, 1])}/{below}"
    elif kind == 3:
        other, there = rng.choice(list(places(made)))
        parent[key] = json.loads(json.dumps(other[there]))
    else:
        parent[key] = rng.choice(WRONG)
    return made


def ends_of(text):
    """What no JSON tree has: keys twice, depth, other numbers, half a text."""
    yield text[: len(text) // 2]
    yield text.replace('"claim"', '"claim": 1, "claim"', 1)
    yield "[" * 101 + "]" * 101
    yield '{"because":' * 99 + "[1]" + "}" * 99
    yield "[" * 100_000 + "]" * 100_000
    yield text.replace(": 1,", ": 1.0,", 1)
    yield text.replace(": 1", ": 1" + "0" * 5000, 1)
    yield text + " x"
    yield "[]"


def test_the_format_is_read_by_all_three(verified_kernel, tmp_path):
    """Python and the binary say the same, word for word where they accept; what they accept the kernel accepts, and
    nothing that there is a theorem about is refused by one alone: the corpus, damaged files, and certificates around
    what is true of several runs, and of tables, with users of all kinds and all neighbours."""
    rng = random.Random(28)
    files = [json.dumps(tree).encode() for _, tree in rewritten()]
    files += [file.read_bytes() for file in sorted((HERE / "malformed").glob("*.json"))]
    small = [tree for _, tree in rewritten(("accepted", "rejected")) if len(json.dumps(tree)) < 3000]
    files += [json.dumps(damaged(rng, rng.choice(small))).encode() for _ in range(cases(300))]
    files += [text.encode() for tree in rng.sample(small, 4) for text in ends_of(json.dumps(tree))]
    files += [json.dumps([rng.choice(small), rng.choice(small)]).encode() for _ in range(20)]
    near = len(files)
    for kind in (runs, rows, symmetric):
        wanted, drawing = len(files) + cases(240), random.Random(6)
        while len(files) < wanted:
            files += [json.dumps(tree).encode() for _, tree in attempts(drawing, (kind,))]
    found, shown = dict.fromkeys(("accepted", "undecided", "rejected", "malformed"), 0), Counter()
    for i, (data, (status, reason)) in enumerate(zip(files, verified.verdicts(tmp_path, files), strict=True)):
        mine, theirs = says(data), kernel_says(data)
        assert mine[0] == status, (data, mine, reason)
        found[status] += 1
        shown[theirs.status == "accepted", status == "accepted"] += 1
        read = status == "malformed" and not reason.startswith("file: expected ")  # of JSON each parser has its words
        assert not (status == "accepted" or read) or mine[1] == reason, (data, mine, reason)
        if i >= near and theirs.reason.startswith("too few bits"):
            continue  # a claim of what is true to the last digit
        wrong = [said in ("malformed", "rejected") for said in (status, theirs.status)]
        assert wrong[0] <= wrong[1], (data, mine, theirs)
        assert (status == "accepted") <= (theirs.status == "accepted"), (data, mine, theirs)
        assert (theirs.status == "accepted") <= (status in ("accepted", "undecided")), (data, mine, theirs)
    assert shown[True, True] >= 50 * shown[True, False]
    assert found.pop("undecided") and found["accepted"] > cases(120) and min(found.values()) > cases(20)


@pytest.mark.parametrize("kinds", [(columns, one_of), (numbers,)])
def test_around_truths(kinds):
    """Certificates around what is true of independent columns, and of numbers: both kernels say the same."""
    found = []
    for seed in range(40, 45):  # of which brute force finds the truths quickly
        rng = random.Random(seed)
        while len(found) < 30 * (seed - 39):
            for _, tree in attempts(rng, kinds):
                data = json.dumps(tree).encode()
                mine, theirs = decide.verdict(data)[0], kernel.check(data, max_work=10**6).status
                alike = mine == theirs or {mine, theirs} == {"rejected", "malformed"}
                assert alike or "undecided" in (mine, theirs), tree
                found.append(mine)
    assert {"accepted", "rejected", "malformed"} <= set(found)
    assert found.count("undecided") < len(found) / 5


def test_there_is_a_theorem_for_each_certificate():
    for name, tree in rewritten(("accepted",)):
        assert says(json.dumps(tree).encode())[0] == "accepted", name


def test_numbers_in_several_runs_keep_no_less():
    """Twenty runs with Laplace noise, whose delta(1) is 0.00430476635458 by the convolution of their pair of laws."""
    tree = json.loads((HERE / "accepted" / "runs-of-a-number.json").read_bytes())
    for delta, said in (("0.0043047664", "accepted"), ("0.0043047663", "undecided")):
        tree["claim"]["delta"] = str(Fraction(delta))
        data = json.dumps(tree).encode()
        assert says(data)[0] == kernel_says(data).status == said
    added = tree["claim"]["runs"][0]["seen"]["added"]
    for seen, delta, said in (
        ({"shown": {"mod": 3}}, "0.0043047664", "accepted"),  # who sees less learns no more
        ({"added": {"law": "finite", "p": {"0": "1"}}}, "0.99", "undecided"),
        (
            {"added": {"law": "finite", "p": {"0": "1"}}, "each": {"up to": 1, "plus": added}},
            "0.0043047664",
            "accepted",
        ),
    ):
        one = tree["claim"]["runs"][0]["seen"] | seen
        told = tree | {"claim": tree["claim"] | {"delta": str(Fraction(delta)), "runs": [{"seen": one, "times": 20}]}}
        data = json.dumps(told).encode()
        assert says(data)[0] == kernel_says(data).status == said


def test_boxes_of_several_runs():
    """Three times randomized response of 20 users by the pairs of eleven corners: what they show, and no more."""
    tree = json.loads((HERE / "accepted" / "runs-by-boxes.json").read_bytes())[0]
    (part,), claim = tree["because"]["runs"], tree["claim"]
    assert says(json.dumps(tree).encode())[0] == "accepted"
    for entry in part["pairs"]:
        kept, entry["tree"] = entry["tree"], ["corner"]  # nobody else is sure to be there
        assert says(json.dumps(tree).encode())[0] == kernel_says(json.dumps(tree).encode()).status == "undecided"
        entry["tree"] = kept
    block = {"users": {"0": 1}, "open": 1, "place": "0"}
    part["pairs"][0]["tree"], kept = [block], part["pairs"][0]["tree"]
    assert says(json.dumps(tree).encode())[0] == "undecided"
    part["pairs"][0]["tree"], claim["data"] = kept, "any"
    assert says(json.dumps(tree).encode())[0] == "malformed"
    claim["data"], claim["delta"] = "same", str(Fraction(claim["delta"]) / 2)
    assert says(json.dumps(tree).encode())[0] == kernel_says(json.dumps(tree).encode()).status == "undecided"


def test_the_words_are_the_kernels():
    """What is claimed, made from the record of the theorem, is what the kernel makes from the file."""
    said = 0
    for name, tree in rewritten():
        data = json.dumps(tree).encode()
        status, reason = says(data)
        if status == "accepted" and name != "infinity-preshuffle-refuted":  # where eps is written as 10000/1
            claim, theorem = reason.split(": by theorem ")
            assert kernel_says(data).reason.startswith(f"{claim}: ") and theorem.startswith("check_")
            said += 1
    assert said > 150


def test_a_pair_is_refuted_in_its_own_direction():
    """Of a Poisson law delta(eps) is larger in one direction: a refutation by the other one shows nothing."""
    added, each = {"law": "poisson", "lam": "20"}, {"up to": 1}
    delta = Fraction(7609651, 10**9)
    claim = writing.claim([({"users": 1, "each": each, "added": added}, 1)], "replace", "log(3/2)", delta)
    found = []
    for ends in (("1", "0"), ("0", "1")):
        made = writing.certificate(claim, "REFUTED", writing.event(writing.neighbours(*ends, None)))
        data = json.dumps(made).encode()
        found.append(decide.verdict(data)[0])
        assert (found[-1] == "accepted") == (kernel.check(data).status == "accepted")
    assert "accepted" in found and found != ["accepted", "accepted"]


LAWS = [{"law": "binomial", "n": 5, "p": p} for p in ("1/5", "3/5", "2/5")]


@pytest.mark.parametrize(
    ("x", "y"), [("00", "01"), ("00", "10"), ("0000", "0010"), ("0120", "0121"), ("0000", "0101"), ("2000", "2012")]
)
@pytest.mark.parametrize("times", [1, 2])
def test_refutations_in_any_two_columns(x, y, times):
    """Of one user, by what differs alone: just below its delta, and not at it."""
    weights = [[comb(5, k) * p**k * (5 - p) ** (5 - k) for k in range(6)] for p in (1, 3, 2)]  # in 3125ths
    pair = [(Fraction(1), Fraction(1))]
    for i, j in [(int(i), int(j)) for i, j in zip(x, y, strict=True) if i != j] * times:
        pair = [(p * weights[j][k], q * weights[i][k]) for p, q in pair for k in range(6)]
    delta = sum(max(p - 5 * q, 0) for p, q in pair) / sum(p for p, _ in pair)
    each = {"columns": {name: [LAWS[int(i)] for i in laws] for name, laws in (("x", x), ("y", y))}}
    why = writing.event(writing.neighbours("y", "x", {}))
    if times > 1:
        why = writing.composed([why], [(Fraction(1025, 1024), 2**14)])
    for claimed, said in ((Fraction(0), "accepted"), (delta * 99 / 100, "accepted"), (delta, None)):
        claim = writing.claim([({"users": 1, "each": each}, times)], "replace", "log(5)", claimed)
        data = json.dumps(writing.certificate(claim, "REFUTED", why)).encode()
        for status in (decide.verdict(data)[0], kernel.check(data).status):
            assert status == said if said else status in ("rejected", "undecided"), (claimed, status)


def test_it_stands_alone():
    """The standard library alone: no file of it imports anything else of ours."""
    for file in (Path(program.__file__).parent).glob("*.py"):
        for line in file.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]):
                assert words[1].startswith("shufflecert.verify.checked") or words[1] in sys.stdlib_module_names, line


def test_sums_of_rare_weights_are_not_much_work(monkeypatch):
    """As of Hadamard response and 4: weights that are large and rare spread a sum by little; it was too much work."""
    weights, chances = {"a": "0", "b": "1", "c": "107", "d": "-141"}, ("491/1000", "491/1000", "9/1000", "9/1000")
    laws = [dict(zip(messages, chances, strict=True)) for messages in ("abcd", "acbd")]
    rows = [{"input": str(x), "outputs": [{"send": [m], "p": p} for m, p in law.items()]} for x, law in enumerate(laws)]
    why = {"pair": {"from": "1", "to": "0", "others": {"0": 9999}}, "event": {"weights": weights, "above": "8260"}}
    claim = writing.claim([(writing.rows({"rows": rows}, 10_000), 1)], "replace", "1", Fraction(1, 2))
    monkeypatch.setattr(program.budget, "steps", iter(range(10**6)))
    found = reader.read(reader.parse(json.dumps(writing.certificate(claim, "REFUTED", why)).encode()))
    crowd, pair, (threshold,), _ = found[0]
    row = program.claim_of(crowd).rows[0]
    law = program.normal(program.row_by(lambda sent: program.weighed(threshold.weights, sent), 1000, row))
    assert hints.counts_work([law], pair.others_told, hints.line_of([law], 1000), 300) < hints.MOST_WORK / 2
