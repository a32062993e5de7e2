"""The kernel: a corpus of true and of false certificates, renamings, sums and products, hostile files.

What is accepted around truths that brute force finds is looked at in tests/test_kernel_attack.py.
"""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.compose.accountant import compose_parts
from shufflecert.verify.enclose.noise_laws import Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs import lattice, lattice_guess
from shufflecert.verify.pairs.windowed import SumPair
from tests import limits_of_the_form
from tests.judge_of_claims import largest
from tests.kernel_attack import written

TESTS = Path(__file__).parent
F = Fraction
REPLACE = "replace"


def status(tree, **limits):
    return kernel.check(json.dumps(tree).encode(), **limits).status


def one_claim(seen, delta, why):
    return writing.certificate(writing.claim([(seen, 1)], REPLACE, "log(2)", delta), "PROVED", why)


# The corpus --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(TESTS.glob("accepted/*.json")), ids=lambda path: path.stem)
def test_what_is_true_is_accepted(path):
    found = list(kernel.check_all(path.read_bytes()))
    assert found and all(verdict.status == "accepted" for verdict in found), found


@pytest.mark.parametrize("folder", ["rejected", "malformed", "undecided"])
def test_what_is_not_shown_is_not_accepted(folder):
    for path in sorted((TESTS / folder).glob("*.json")):
        for verdict in kernel.check_all(
            path.read_bytes(), max_work=10**7 if folder == "undecided" else kernel.MAX_WORK
        ):
            assert verdict.status == folder, (path.name, verdict)


def test_corners_and_blocks_of_many_users_over_three_messages_fit_in_the_budget():
    """Five corners and seven blocks of 684 honest users: 103 million steps, when billions were needed once."""
    assert kernel.check_file(TESTS / "large" / "answers-of-760.json", max_work=15 * 10**7).status == "accepted"


# Renamings ---------------------------------------------------------------------------------------------------------


def response(k, truth):
    return {str(x): {(str(y),): truth if x == y else (1 - truth) / (k - 1) for y in range(k)} for x in range(k)}


def test_renamings_leave_out_pairs_and_compositions_and_false_ones_are_rejected():
    rows = response(4, F(1, 2))
    swap = [{"inputs": {a: b, b: a}, "messages": {a: b, b: a}} for a, b in pairwise("0123")]
    ends = [(a, b) for a, b in product("0123", repeat=2) if a != b]
    entries, where = [writing.entry("0", "1", ["each"], [2])], {("0", "1"): 0}
    for pair in ends[1:]:
        for k, one in enumerate(swap):
            back = tuple(one["inputs"].get(x, x) for x in pair)
            if back == ("0", "1"):
                entries.append(writing.same_as(*pair, 0, k))
                break
        else:
            entries.append(writing.entry(*pair, ["each"]))
        where[pair] = len(entries) - 1
    seen = writing.rows(written(rows), 4)
    truth = largest(writing.claim([(seen, 1)], REPLACE, "log(2)", F(0)))
    for hair, said in ((-F(1, 10**9), "rejected"), (F(0), "accepted")):
        assert status(one_claim(seen, truth + hair, writing.cover(entries, swap))) == said
    false = [*swap[:2], {"inputs": {"0": "1", "1": "0"}, "messages": {}}]
    why = writing.cover(entries, false)
    assert status(one_claim(seen, F(1), why)) == "rejected"


# The lattice --------------------------------------------------------------------------------------------------------


def test_both_ends_of_the_lattice_hold_the_sum_over_all_outcomes():
    """Four runs have few enough outcomes, up to their order, to be summed one by one."""
    noise = Poisson(F(20))
    parts = [(SumPair((noise,), (noise,), 1), 4)]
    for eps in ("1", "3"):
        known = compose_parts(parts, Eps.of(eps))
        assert known.relative_width < F(1, 10**20)
        for cells in (256, 1024, 4096):
            grid, size = lattice_guess.guessed(parts, Eps.of(eps), cells)
            low = lattice.delta(parts, Eps.of(eps), grid, False, size)
            high = lattice.delta(parts, Eps.of(eps), grid, True, low or size)
            assert low <= known.high and known.low <= high
        assert high - low < known.low / 200


@pytest.mark.parametrize("bits", [1, 64, 300, 2100])
def test_a_product_of_polynomials_is_the_same_by_decimals_and_by_the_definition(bits):
    rng = random.Random(f"product {bits}")
    for terms, others in ((1, 1), (40, 7), (200, 300)):
        a, b = ([rng.choice([0, 1, 2**bits - 1, rng.getrandbits(bits)]) for _ in range(k)] for k in (terms, others))
        found = [0] * (terms + others - 1)
        for (i, x), (j, y) in product(enumerate(a), enumerate(b)):
            found[i + j] += x * y
        assert kernel.product(a, b, kernel.Budget(64, 10**9, 10**9)) == found
    assert kernel.way_of(200, 300, 2 * bits + 9)[1] == (bits == 300)


# Hostile files ------------------------------------------------------------------------------------------------------


def simple():
    rows = response(2, F(3, 4))
    why = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    return one_claim(writing.rows(written(rows), 3), F(1, 2), why)


def changed(path, value):
    tree = simple()
    at = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return tree


SEEN = ("claim", "runs", 0, "seen")
DEEP = '"each"'
for _ in range(5000):
    DEEP = f"[{DEEP}]"
MALFORMED = {
    "an unknown key": changed(("version",), 1),
    "a float": changed((*SEEN, "users"), 2.0),
    "text for a number": changed((*SEEN, "users"), "3"),
    "a boolean": changed((*SEEN, "users"), True),
    "no users": changed((*SEEN, "users"), 0),
    "too many honest": changed((*SEEN, "honest"), 4),
    "data of one run": changed(("claim", "data"), "same"),
    "a missing pair": changed(("because", "pairs"), []),
    "an unknown leaf": changed(("because", "pairs", 0, "tree"), ["all"]),
    "half a tree": changed(("because", "pairs", 0, "tree"), [["0", 1], "each"]),
    "two trees": changed(("because", "pairs", 0, "tree"), ["each", "each"]),
    "a digit of another script": changed(("claim", "delta"), "\u0661/2"),
    "a sign": changed(("claim", "delta"), "-1/2"),
    "delta above 1": changed(("claim", "delta"), "3/2"),
    "a logarithm without its end": changed(("claim", "eps"), "log(32"),
    "rows without a view": changed(SEEN, {"users": 3, "each": {"rows": written(response(2, F(3, 4)))["rows"]}}),
    "a view of a number": changed(SEEN, {"users": 3, "view": "shuffled", "each": {"up to": 1}}),
    "a renaming that moves an end": changed(
        ("because",),
        {
            "renamings": [{"inputs": {"0": "1", "1": "0"}, "messages": {"0": "1", "1": "0"}}],
            "pairs": [writing.entry(a, b, ["each"], [0]) for a, b in (("0", "1"), ("1", "0"))],
        },
    ),
    "a renaming of columns": one_claim(
        {"users": 3, "each": {"columns": {"0": [writing.coin("1/4")], "1": [writing.coin("3/4")]}}},
        F(1),
        writing.cover([writing.entry("0", "1", ["each"]), writing.same_as("1", "0", 0, 0)]),
    ),
    "leading zeros": changed(("claim", "delta"), "00000"),
    "added to rows": changed((*SEEN, "added"), writing.constant(1)),
    "an end that is null": changed(("because", "pairs", 0, "from"), None),
    "two claims in one": [simple(), changed(("claim", "delta"), "2")],
    "nothing": [],
}


@pytest.mark.parametrize("tree", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_of_the_form_is_malformed(tree):
    assert status(tree) == "malformed"


@pytest.mark.parametrize("status_of", ["ACCEPTED", "MALFORMED"])
def test_each_limit_of_the_form_is_where_it_is_said_to_be(status_of):
    for number, tree in enumerate(getattr(limits_of_the_form, status_of)):
        assert (number, status(tree)) == (number, status_of.lower())


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[" * 100_000, b'{"a": 1, "a": 1}', b"\xff", b"NaN", DEEP.encode()],
    ids=["empty", "open", "deep", "twice", "bytes", "nan", "nested"],
)
def test_what_is_no_json_is_malformed(data):
    assert kernel.check(data).status == "malformed"


def huge(**claim):
    noise = {"law": "discrete Laplace", "q": "999999999999/1000000000000"}
    seen = {"users": 1, "each": {"up to": 10**6}, "added": noise} | claim
    return writing.certificate(writing.claim([(seen, 1)], REPLACE, "1", F(1, 10**300)), "PROVED", {})


HOSTILE = {
    "a long window": huge(added={"law": "poisson", "lam": str(10**14)}),
    "many shifts": huge(added={"law": "mod", "by": 2**200, "of": {"law": "poisson", "lam": "1000"}}),
    "many compositions": changed((*SEEN, "users"), 10**14),
    "many users of a tree": changed(("because", "pairs", 0, "tree"), [["0", 10**9], "each", "corner"]),
    "long numbers": changed(("claim", "delta"), "1/1" + "0" * 99_999),
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_what_takes_long_ends_within_a_budget(tree):
    assert status(tree, max_work=10**7) in ("undecided", "rejected", "accepted")


def test_the_line_states_the_whole_claim_with_labels_quoted():
    tree = simple()
    tree["claim"]["runs"][0]["seen"]["take part"] = "1/2"
    tree["claim"]["neighbours"] = {"deletion": {"0": "1"}}
    rows = tree["claim"]["runs"][0]["seen"]["each"]["rows"]
    rows[1]["input"] = name = '0", eps = 0, delta = 0'
    tree["claim"]["neighbours"] = {"deletion": {name: "1"}}
    ends = [("0", None), (None, "0"), (name, None), (None, name)]
    tree["because"] = writing.cover([writing.entry(a, b, ["each"]) for a, b in ends])
    verdict = kernel.check(json.dumps(tree).encode())
    assert verdict.status == "accepted"
    words = 'PROVED: eps = "log(2)", delta = "1/2", neighbours: {"deletion": {' + json.dumps(name) + ': "1"}}; '
    words += '1 time seen: {"users": 3, "view": "shuffled", "each": {"rows": 2 rows with SHA-256 '
    assert verdict.reason.startswith(words)
    assert '"take part": "1/2"' in verdict.reason


@pytest.mark.parametrize("size", [1, 2, 3])
def test_laws_of_sums_are_exact_or_from_below_whichever_way_they_are_computed(size):
    """Against the definition: all draws of n users, of outcomes with so many digits, one user after the other."""
    budget = kernel.Budget(64, 10**9, 10**9)
    for case in range(20):
        rng = random.Random(f"sums {size} {case}")
        n, most, kinds = rng.randint(2, 7), rng.randint(1, 3), rng.randint(2, 4)
        scales = [(1 + n * most) ** i for i in range(size)]
        places = {sum(rng.randint(0, most) * scale for scale in scales) for _ in range(kinds)}
        line = [(place, rng.randint(1, 9)) for place in sorted(places)]
        law = kernel.Law(line, sum(weight for _, weight in line))
        truth = {0: F(1)}
        for _ in range(n):
            sums = Counter()
            for (place, p), (more, weight) in product(truth.items(), line):
                sums[place + more] += p * F(weight, law.unit)
            truth = sums
        for width in (2, 20, 60):
            found = kernel.power(law, n, width, budget, scales)
            assert [place for place, _ in found.line] == sorted({place for place, _ in found.line})
            assert all(F(weight, found.unit) <= truth[place] for place, weight in found.line)
            if n * law.unit.bit_length() <= kernel.EXACT * width:
                assert found.missed == 0
            elif width > 2:
                assert F(found.missed, found.unit) <= F(8 * n * len(truth), 2**width)
