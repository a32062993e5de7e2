"""The cover of compositions by blocks (verify/bound): against the enumeration of all datasets at small n.

Four laws of every leaf and of every answer: it contains the exact value; it never rises with n or eps; relabelling
changes nothing; merging outputs makes it no larger. The exact value is the oracle's, or that of the engine's own
enumeration, which tests/test_worst_case.py compares with the oracle.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb, exp, isfinite, isinf
from operator import le

import numpy as np
import pytest

from shufflecert.verify.bound import block as blocks
from shufflecert.verify.bound import law as bound_law
from shufflecert.verify.bound.block import (
    LIMB,
    Block,
    Cuts,
    Kind,
    Seen,
    ShortLaws,
    allowed,
    draws_of,
    in_digits,
    mean_above,
)
from shufflecert.verify.bound.box_blocks import Leaf, _fewer
from shufflecert.verify.bound.cover import Cover
from shufflecert.verify.bound.groups import Draws, Groups, steps
from shufflecert.verify.bound.guess import BlockLaw, BlockLaws, ShortGuesses
from shufflecert.verify.bound.law import BITS, LowerLaw, Sums, bits_of, convolved, rounded_power, word_loss
from shufflecert.verify.bound.search import Asked, Search
from shufflecert.verify.bound.table import Box, Table, merged, mixtures
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from tests import oracle
from tests.helpers import cases, laws_made

OUTPUTS = {
    "one of two": [("a",), ("b",)],
    "one of three": [("a",), ("b",), ("c",)],
    "one of four": [("a",), ("b",), ("c",), ("d",)],
    "one of five": [("a",), ("b",), ("c",), ("d",), ("e",)],
    "copies": [("a",) * i for i in range(4)],
    "two kinds": [("a",) * i + ("b",) * j for i in range(3) for j in range(3 - i)],
    "apart": [(), ("a",) * 2, ("a",) * 5],
    "bits": [("a",), ("b",), ("a", "b"), ()],
}
POWER = Fraction(4, 3)


def table(seed, kind, inputs, gap=0.2):
    """A random table: {input: {sent: probability}}; some rows are shifts or mixtures of others, some columns alike."""
    rng = random.Random(f"{seed} {kind} {inputs}")
    outputs = OUTPUTS[kind]
    rows = {}
    for x in range(inputs):
        weights = [0 if rng.random() < gap else rng.randint(1, 6) for _ in outputs]
        weights[rng.randrange(len(weights))] += 1
        row = {sent: Fraction(w, sum(weights)) for sent, w in zip(outputs, weights, strict=True) if w}
        if x > 1 and rng.random() < 0.3:  # a mixture of the first two
            part = Fraction(rng.randint(0, 4), 4)
            mixed = {}
            for sent, p in [
                *((s, p * part) for s, p in rows["0"].items()),
                *((s, p * (1 - part)) for s, p in rows["1"].items()),
            ]:
                mixed[sent] = mixed.get(sent, 0) + p
            row = {sent: p for sent, p in mixed.items() if p}
        if kind == "copies" and x and rng.random() < 0.3:  # a shift of the first
            row = {(*sent, "a"): p for sent, p in rows["0"].items()}
        rows[str(x)] = row
    return rows


def largest(rows, classes, pair, lower, n, power=POWER):
    """The largest divergence of a pair over all others with at least so many in each class, by the oracle."""
    most = Fraction(0)
    for others in combinations_with_replacement(range(len(rows)), n - 1):
        if all(sum(classes[x] == k for x in others) >= least for k, least in enumerate(lower)):
            laws = [oracle.convolved_law(rows, [str(x), *map(str, others)]) for x in pair]
            most = max(most, oracle.hockey_stick(*laws, power))
    return most


def any_kinds(rng, table, lower, n):
    """Blocks of up to three kinds that the lemma allows, with weights as they come; () where none can be made.

    The users of all blocks are given out one by one; only the first of each block is of the place.
    """
    places = [x for x, count in enumerate(lower)] + ([None] if table.common else [])
    place = rng.choice(places)
    have = [*lower, n - sum(lower) - (place is not None)]
    if place is not None:
        have[place] += 1
    at = len(lower) if place is None else place
    count = rng.randint(0, min(3, have[at]))
    blocks = [[0] * len(have) for _ in range(count)]
    for block in blocks:
        block[at] += 1
        have[at] -= 1
    for _ in range(rng.randint(0, 4)):
        x = rng.randrange(len(have) if table.common else len(lower))
        if have[x] and blocks:
            rng.choice(blocks)[x] += 1
            have[x] -= 1
    kinds = Counter(map(tuple, blocks))
    return tuple(Kind(Block(b[:-1], b[-1], place), draws, rng.randint(1, 5)) for b, draws in kinds.items())


def finer(cuts, bits):
    """The same places by a step that is so much finer."""
    return cuts._replace(step=cuts.step / (1 << bits), below=cuts.below << bits, above=cuts.above << bits)


@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.parametrize("inputs", [2, 3])
@pytest.mark.sampled(6)
def test_every_leaf_bounds_all_datasets_of_its_box(kind, inputs):
    """Blocks of all kinds and sizes, single ones with users drawn, for random boxes; without reductions.

    A step that is finer than words hold allows about what the coarser one before it does.
    """
    told = several = finest = 0
    for seed in range(cases(12)):
        rng, rows = random.Random(seed), table(seed, kind, inputs)
        n = rng.randint(2, 5 if inputs == 2 else 4)
        made = Table.of(Randomizer.of(rows), reduced=False)
        for how in ("windows", "certificates", "kinds"):
            least = Fraction(1, 10 ** (30 if how == "kinds" else 11))  # no windows below 10^-11
            search = Search(made, n, 10**12, plain=how == "certificates", least=least)
            search.__dict__["levels"] = tuple(sorted({n, n // 2, max(1, n // 3), 1}, reverse=True))
            for pair in made.pairs[:4]:
                lower = [0] * len(made.bases)
                for _ in range(rng.randint(0, n - 1)):
                    lower[rng.randrange(len(lower))] += 1
                box = Box.tight(lower, [n - 1] * len(lower), n - 1)
                truth = largest(rows, made.classes, pair, box.lower, n)
                missed = Fraction(rng.choice((1, 50)), 100)
                drawn = draws_of(n - 1 - sum(box.lower), made.alike, missed) if made.common else 0
                one = (Kind(Block(box.lower, 0, None), 1),)
                leaves = [Leaf(pair, box, one, None, drawn, missed if drawn else 0)]
                some = [kinds for choices in search.choices(box, pair) for kinds in choices]
                some += [any_kinds(rng, made, box.lower, n) for _ in range(3)] if how == "kinds" else []
                for kinds in filter(None, some):
                    laws = search.of(kinds, pair)
                    leaves += [Leaf(pair, box, kinds, laws.cuts(0.29, 1e-9, fine)) for fine in (2.0, 40.0)]
                    if search.long(kinds[0].block):
                        leaves.append(leaves[-1]._replace(cuts=finer(leaves[-1].cuts, 12)))
                several += sum(len(leaf.kinds) > 1 for leaf in leaves)
                before = Fraction(1)
                for leaf in leaves:
                    [most] = search.most([leaf], [Eps.log(POWER)], [Fraction(1, 100)])
                    if most < truth:
                        print("BAD", rows, "n", n, "leaf", leaf, "table", made, "truth", truth)
                    assert most >= truth
                    told += most < 1
                    if leaf.cuts and leaf.cuts.fine is None and search.long(leaf.kinds[0].block):
                        assert most <= before * Fraction(11, 10) + Fraction(1, 10**9)
                        finest += 1
                    before = most
    assert told
    assert several


def test_what_is_known_spares_a_look_at_an_eps_only_where_it_is_larger():
    """Of blocks at seven eps, where some other leaf is known to allow about the truth, by the oracle, or nothing."""
    powers, asked, spared = [1 + Fraction(i, 9) for i in range(7)], 0, 0
    for seed in range(cases(8)):
        rng, rows = random.Random(seed), table(seed, "copies", 2)
        n, made = rng.randint(3, 5), Table.of(Randomizer.of(rows), reduced=False)
        search, pair = Search(made, n, 10**12), made.pairs[0]
        search.__dict__["levels"] = (n, n // 2, 1)
        box = Box.tight([rng.randint(0, 1) for _ in made.bases], [n - 1] * len(made.bases), n - 1)
        truth = [largest(rows, made.classes, pair, box.lower, n, power) for power in powers]
        eps, about = list(map(Eps.log, powers)), [max(one, Fraction(1, 100)) for one in truth]
        looks = list(map(Asked, eps, powers, about))
        for kinds in filter(None, (kinds for choices in search.choices(box, pair) for kinds in choices)):
            leaf = Leaf(pair, box, kinds, search.of(kinds, pair).cuts(0.29, 1e-9, 10.0), fine=10.0)
            alone = search.most([leaf], eps, about)
            for _ in range(6):
                ends = list(zip(truth, alone, strict=True))
                known = [rng.choice((0, one, one * Fraction(rng.randint(9, 20), 10), two)) for one, two in ends]
                before = search.evaluations
                found = search._of_blocks(leaf, looks, known)
                asked, spared = asked + search.evaluations - before, spared + len(looks) - search.evaluations + before
                assert all(most >= one for most, one in zip(found, truth, strict=True))
                assert all(most <= max(one, two) for most, one, two in zip(found, known, alone, strict=True))
    assert asked
    assert spared


@pytest.mark.parametrize("kind", ["one of two", "copies"])
def test_groups_of_users_bound_all_datasets_of_a_box(kind):
    """Of one to three users, by the oracle; few numbers of groups are told apart, or the rare ones are left out."""
    told = 0
    for seed in range(cases(24)):
        rng, rows = random.Random(seed), table(seed, kind, 2 + seed % 2, gap=0)
        n, made = rng.randint(4, 6), Table.of(Randomizer.of(rows), reduced=False)
        groups = Groups.of(made, n)
        if groups is None:
            continue
        search, m = Search(made, n, 10**12), rng.choice((1, 2, 2, 3))
        for pair in made.pairs[:2]:
            lower = [0] * len(made.bases)
            for _ in range(rng.randint(0, n - 1)):
                lower[rng.randrange(len(lower))] += 1
            left = n - 1 - sum(lower)
            group, count = groups.group(pair, m), max(0, -(-(left - len(lower) * (m - 1)) // m))
            if group is None or not count:
                continue
            truth = largest(rows, made.classes, pair, lower, n)
            for missed in (Fraction(1, 10**9), Fraction(1, 20)):
                draws = Draws(group, (0, 1) if pair[0] < pair[1] else (1, 0), steps(count, group.chance, missed))
                box = Box(tuple(lower), (n,) * len(lower))
                [most] = search.most([Leaf(pair, box, (), groups=draws)], [Eps.log(POWER)], [Fraction(1, 100)])
                assert most >= truth, (rows, n, lower, pair, m)
                told += most < 1
    assert told


def test_groups_bound_every_composition_of_many_users():
    """At n = 300, where groups are as large as the search makes them: compositions by themselves, in integers."""
    looked = 0
    for seed in range(4):
        made, n = Table.of(Randomizer.of(table(seed, "copies", 2, gap=0))), 300
        search = Search(made, n, 10**12)
        if (groups := search.groups) is None:
            continue
        eps, about = Eps.of("1/10"), Fraction(1, 10**4)
        for pair in made.pairs:
            draws = groups.draws(pair, n - 1, 2, Fraction(1, 10**9))
            assert draws is not None
            assert draws.group.of >= 8
            [most] = search.most([Leaf(pair, search.root, (), groups=draws)], [eps], [about])
            lower = [search.views((i, n - 1 - i), about).below([pair], eps, about)[0] for i in range(0, n, 13)]
            assert max(lower) <= most <= 1
            looked += most < 4 * max(lower) + Fraction(1, 20)
    assert looked


def test_groups_that_are_too_many_for_a_transform_are_not_looked_at():
    """Of 10^7 users a whole dataset's law has room, that of groups does not: no groups, where there was an error."""
    rows = {"0": [1] * 16, "1": [2] * 8 + [1] * 8}
    made = Table.of(
        Randomizer.of({x: {("a",) * i: Fraction(w, sum(row)) for i, w in enumerate(row)} for x, row in rows.items()})
    )
    for n, found in ((10**5, True), (10**7, False)):
        search = Search(made, n, 10**12)
        assert search.guess is not None
        assert (search.groups.group(made.pairs[0], 16) is not None) is found


def test_kinds_of_blocks_that_all_miss_an_output_weigh_the_same():
    """Two rows of the three miss an output each: all kinds with the place of one have E L^2 infinite; oracle."""
    sent = {"0": "abcdef", "1": "abcde", "2": "abcdf"}
    weights = {"0": (1, 2, 3, 4, 5, 1), "1": (5, 2, 3, 1, 4), "2": (2, 5, 1, 3, 4)}
    rows = {x: {(c,): Fraction(w, sum(weights[x])) for c, w in zip(sent[x], weights[x], strict=True)} for x in sent}
    made, lower = Table.of(Randomizer.of(rows)), (2, 3, 2)
    search, several = Search(made, 8, 10**12), 0
    (pair, *_), box = made.pairs, Box(lower, lower)
    truth = largest(rows, made.classes, pair, lower, 8)
    for kinds in (kinds for choices in search.choices(box, pair) for kinds in choices if len(kinds) > 1):
        weighed = search.weighed(kinds, pair)
        if all(isinf(search.varies(kind.block, pair)) for kind in kinds):
            assert {kind.weight for kind in weighed} == {1}
            several += 1
        leaf = Leaf(pair, box, weighed, search.of(weighed, pair).cuts(0.29, 1e-9, 10.0))
        assert truth <= search.most([leaf], [Eps.log(POWER)], [Fraction(1, 100)])[0]
    assert several


def outcomes(parts, bits):
    """The outcomes of these three lists of weights over 2^bits."""
    many = -(-bits // LIMB)
    each = [[in_digits(weight << LIMB * many - bits, many) for weight in part] for part in parts]
    return Seen(np.array(each, np.int64).transpose(0, 2, 1))


@pytest.mark.parametrize("far", [4, 40, 140])
def test_sums_of_values_in_words_are_from_above_and_close(far, monkeypatch):
    """One or two blocks of up to 2,000 outcomes, of weights as small as 2^-far, by sums of fractions; two of a kind by
    all pairs. Words alone decide here. Sums of very many small weights once were longer than a word, and nothing was
    left; what was rounded off counted as much as could be."""
    rng = random.Random(far)
    for times, t in ((1, Fraction(3, 2)), (7, Fraction(5, 4))):
        unit, parts = 1 << 160, [[], [], []]
        for _ in range(2000 if times == 1 else 60):
            small = rng.randint(0, far)
            for part in parts:
                part.append(rng.randint(1, 1 << 8) << 140 - small)
        for part in parts:  # each sums to 1
            part.append(unit - sum(part))
        assert all(part[-1] > 0 for part in parts)
        seen = outcomes(parts, 160)
        assert seen.weights[5] == tuple(part[5] * seen.unit // unit for part in parts) and not seen.missing
        cuts = Cuts(Fraction(1, 64), 1 << 14, 1 << 14, 1 << 120)
        values = [(Fraction(times * p - t * times * q, s), Fraction(s, unit)) for p, q, s in zip(*parts, strict=True)]
        draws = 1 if times == 1 else 2
        truth = (
            sum(w * max(v, 0) for v, w in values)
            if draws == 1
            else sum(a * b * max(v + w, 0) for v, a in values for w, b in values)
        )
        monkeypatch.setattr(blocks, "_placed", None)
        found = allowed([(seen.words(), draws, times)], t, cuts, 100)
        assert truth / (draws * times) <= found <= truth / (draws * times) + Fraction(1, 32)
        monkeypatch.undo()


@pytest.mark.parametrize("far", [90, 300])
def test_words_of_a_block_hold_ever_smaller_weights(far):
    """Of weights down to 2^-far each, by fractions: P is at least what it is, Q and S at most, and near to these."""
    rng, unit, places = random.Random(far), 1 << 2 * far, set()
    for _ in range(100):
        row = [rng.randint(1, 1 << 30) << rng.randint(far, 2 * far - 31) for _ in range(3)]
        words = outcomes([(w, unit - w) for w in row], 2 * far).words(finest=far)
        (some, more) = words.parts[-1]
        places.add(more)
        p, q, s = (Fraction(int(w[0]), 1 << BITS + more + last) for w, last in zip(some, (0, 0, 1), strict=True))
        near = Fraction(max(row), unit) / 2**25 + Fraction(1, 1 << BITS + far)
        assert all(
            0 <= off <= near
            for off in (p - Fraction(row[0], unit), Fraction(row[1], unit) - q, Fraction(row[2], unit) - s)
        )
    assert len(places) > far // 64


@pytest.mark.parametrize(("eps", "draws"), [(Fraction(1, 10), 40), (Fraction(1, 2), 300), (Fraction(1), 900)])
def test_what_blocks_allow_is_guessed_however_small_it_is(eps, draws):
    """Binary randomized response, a block of one user: by the binomial law of the ones, in fractions."""
    p, t = Fraction(3, 4), Fraction(exp(eps))
    law = BlockLaw(np.array([0.75, 0.25]), np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    truth = sum(
        comb(draws, k) * max((p - t * (1 - p)) * k + (1 - p - t * p) * (draws - k), 0) for k in range(draws + 1)
    )
    truth = truth * 2 / (draws << draws)
    found = BlockLaws([(law, draws, 1)]).delta(float(eps), 0.0, 40.0)
    assert truth < 1e-12 or draws == 40
    assert float(truth) == pytest.approx(found, rel=0.01)


@pytest.mark.parametrize("listed", [0, 1 << 23])
def test_places_of_short_sums_are_those_of_the_sums(listed, monkeypatch):
    """Looked up in a list of all numbers, or by search where it would be too long; the sums by the definition. One user
    more may send what nobody else does."""
    monkeypatch.setattr(blocks, "LISTED", listed)
    known, free, other = ((0, 0), (0, 2), (3, 1)), ((0, 0), (1, 0)), ((0, 0), (2, 5))
    places = blocks.Places(known, free, 64)

    def number(points):
        return sum(x for x, _ in points) + 64 * sum(y for _, y in points)

    def sums(*senders):
        return sorted({number(some) for some in product(*senders)})

    for users, left in product(range(4), range(3)):
        before = sums(*[known] * users, *[free] * left)
        assert places.sums(users, left).tolist() == before
        for points in (known, free, other):
            at, size = places.plus(users, left, points)
            among = sums(*[known] * users, *[free] * left, points)
            assert size == len(among)
            assert at.tolist() == [[among.index(one + number([point])) for one in before] for point in points]


def test_outputs_that_are_one_in_a_block_leave_its_values():
    """Two of five, reported as one message: how likely each (P/S, Q/S) is, with all messages told apart, by fractions;
    with three inputs in a block and one left open, fewer outcomes."""
    sets = list(combinations(range(5), 2))
    rows = {str(x): {(f"{a}{b}",): Fraction(3 if x in (a, b) else 1, 18) for a, b in sets} for x in range(5)}
    made = Table.of(Randomizer.of(rows))
    assert made.alone
    for users, open_, place, a, b in (
        ((2, 0, 0, 1, 0), 0, 0, 0, 1),
        ((0, 0, 2, 0, 0), 1, 2, 3, 1),
        ((1, 1, 0, 0, 0), 1, None, 0, 1),
    ):
        block = Block(users, open_, place)
        classes, apart = [x for x, count in enumerate(users) if count], ShortLaws(made, 4)
        merged, laws = apart.among(classes, a, b), []
        for few, about in ((merged, ShortGuesses(made, 0).among(classes, a, b)), (apart, ShortGuesses(made, 0))):
            law, seen = Counter(), few.seen(block, a, b)
            for p, q, s in seen.weights:
                law[(round(Fraction(p, s), 20), round(Fraction(q, s), 20)) if s else None] += Fraction(
                    s or p, seen.unit
                )
            laws.append(law)
            drawn = made.alike if place is None else 1  # the user whose place is taken, if nothing is known of him
            assert 0 <= drawn - Fraction(sum(s for _, _, s in seen.weights), seen.unit) < Fraction(1, 1 << 90)
            assert 0 <= seen.missing < Fraction(1, 1 << 90)
            guessed = about.law(block, a, b)
            for weights, some in zip(seen.weights, zip(guessed.p, guessed.q, guessed.s, strict=True), strict=True):
                assert some == pytest.approx([w / seen.unit for w in weights], rel=1e-12)
        assert laws[0].keys() == laws[1].keys()
        assert all(abs(laws[0][key] - laws[1][key]) < Fraction(1, 1 << 90) for key in laws[0])
        assert len(merged.seen(block, a, b)) <= merged.most(block.size, open_)
        assert len(merged.seen(block, a, b)) < len(apart.seen(block, a, b))


def test_places_that_are_left_out_make_a_mean_no_smaller(monkeypatch):
    """Powers of a law with one value far away, every other place left out again and again: by all draws at once,
    n = 12 of one kind and 5 of another, in fractions."""
    laws = [({-3: 5, 0: 6, 2: 4, 90: 1}, 12), ({-1: 3, 0: 1, 1: 12}, 5)]
    total = {0: Fraction(1)}
    for law, draws in laws:
        for _ in range(draws):
            more = Counter()
            for at, weight in total.items():
                for step, w in law.items():
                    more[at + step] += weight * Fraction(w, 16)
            total = more
    truth = sum(w * max(at, 0) for at, w in total.items()) / 17
    found = []
    for fine in (64, 8, 1):
        monkeypatch.setattr(blocks, "FINE", fine)
        lines = [({i: w << 76 for i, w in law.items()}, draws) for law, draws in laws]
        found.append(mean_above(lines, 17, 80))
    assert truth <= found[0] < truth * (1 + Fraction(1, 10**15))
    assert found[0] < found[1] < found[2] < truth * Fraction(11, 10)


@pytest.mark.parametrize("eps", [300.0, 400.0, 1000.0])
def test_blocks_at_an_eps_whose_powers_are_no_floats(eps):
    """Guesses are numbers there too: squares of e^eps were infinite, which ended in an error."""
    made = Table.of(Randomizer.of(table(1, "one of four", 2, gap=0)), reduced=False)
    laws = Search(made, 8, 10**12).of((Kind(Block((0, 0), 1, None), 8),), made.pairs[0])
    assert isfinite(laws.delta(eps, 1e-6, 10.0))
    assert laws.cuts(eps, 1e-6, 10.0).above < 10


def test_the_probabilities_of_few_groups_are_from_above():
    """Against sums of binomial weights in rationals."""
    for count, chance in ((1, Fraction(1, 2)), (7, Fraction(9, 10)), (40, Fraction(2, 7)), (9, Fraction(1))):
        weights = [comb(count, i) * chance**i * (1 - chance) ** (count - i) for i in range(count + 1)]
        found = steps(count, chance, Fraction(1, 10**6))
        assert found
        for j, below in found:
            truth = sum(weights[:j], Fraction(0))
            assert truth <= below <= truth + Fraction(1, 1 << 100)
        assert found[0][0] == 1 or sum(weights[: found[0][0]], Fraction(0)) <= Fraction(1, 10**6)


@pytest.mark.parametrize("kind", OUTPUTS)
@pytest.mark.sampled(4)
def test_answers_contain_the_truth(kind):
    """delta, epsilon and a curve of the whole cover, over all datasets, both directions; by the oracle."""
    for seed in range(cases(8)):
        rng = random.Random(seed)
        inputs = rng.choice((2, 3))
        rows, n = table(seed, kind, inputs), rng.randint(2, 4)
        cover = Cover(Randomizer.of(rows), n)
        for power in (Fraction(1), Fraction(5, 4), Fraction(2)):
            truth = oracle.delta(rows, n, power)
            found = cover.delta(Eps.log(power)).value
            assert found.low <= truth <= found.high, (rows, n, power)
        eps = [Eps.log(power) for power in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(3))]
        *_, last = cover.curve(eps)
        for at, found in zip(eps, last, strict=True):
            assert found.value.low <= oracle.delta(rows, n, at.power) <= found.value.high, (rows, n, at)
        low, high, _ = cover.epsilon(Fraction(1, 20))
        if low is None:
            assert oracle.delta(rows, n, Fraction(10**9)) > Fraction(1, 20)
        else:
            assert low == 0 or oracle.delta(rows, n, Eps.of(low).bounds(64)[0]) > Fraction(1, 20)
            assert high is None or oracle.delta(rows, n, Eps.of(high).bounds(64)[1]) <= Fraction(1, 20), (rows, n)


def symmetric(seed, size):
    """A random table of inputs that any permutation of the messages exchanges; they are listed in any order."""
    rng = random.Random(seed)
    names = "abcde"[:size]
    sent = [m for k in range(1, 2 + seed % 2) for m in combinations_with_replacement(names, k)]
    kinds = {(count, length): rng.randint(1, 6) for count in range(3) for length in (1, 2)}
    rows = [{m: kinds[m.count(x), len(m)] for m in sent} for x in rng.sample(names, size)]
    return {str(x): {m: Fraction(w, sum(row.values())) for m, w in row.items()} for x, row in enumerate(rows)}


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.sampled(2)
def test_one_composition_stands_for_all_that_symmetries_make_of_it(size):
    """The cover of tables whose inputs can be exchanged contains the largest delta over all datasets, by the oracle."""
    exchanged = 0
    for seed in range(cases(3)):
        rows, n = symmetric(seed, size), 3
        cover = Cover(Randomizer.of(rows), n)
        exchanged += sum(map(len, map(cover.table.exchanged, cover.table.pairs)))
        for power in (Fraction(1), Fraction(3, 2)):
            truth, found = oracle.delta(rows, n, power), cover.delta(Eps.log(power)).value
            assert found.low <= truth <= found.high, (rows, n, power)
    assert exchanged


def test_compositions_that_do_not_rise_are_those_of_the_box():
    """Of all compositions of a box, one by one, those that do not rise along the lists are in the narrower box, which
    holds no others than the box does.
    """
    rng = random.Random(3)
    for _ in range(300):
        size, total = rng.randint(2, 5), rng.randint(1, 6)
        ends = [sorted((rng.randint(0, total), rng.randint(0, total))) for _ in range(size)]
        box = Box(tuple(low for low, _ in ends), tuple(up for _, up in ends))
        classes = rng.sample(range(size), size)
        lists = [some for some in (classes[: size // 2], classes[size // 2 :]) if len(some) > 1]
        users = combinations_with_replacement(range(size), total)
        counts = [tuple(some.count(x) for x in range(size)) for some in users]
        inside = {c for c in counts if all(low <= k <= up for low, k, up in zip(box.lower, c, box.upper, strict=True))}
        falling = {c for c in inside if all(c[x] >= c[y] for some in lists for x, y in pairwise(some))}
        found = box.falling(lists, total)
        kept = {c for c in inside if found and all(map(le, found.lower, c)) and all(map(le, c, found.upper))}
        assert falling <= kept, (box, lists)


@pytest.mark.parametrize("kind", ["one of two", "copies", "one of three", "two kinds"])
def test_users_who_come_and_go(kind):
    """add-remove and deletion: the row of who is absent is one of two laws of the user who changes, and of no other."""
    for seed in range(cases(12)):
        rows, n = table(seed, kind, 2), 2 + seed % 3
        arrives = Presence.of("add-remove", take_part=Fraction(3, 4)).rows(Randomizer.of(rows))
        deleted = Presence.of("deletion", reference={"0": "1/3", "1": "2/3"}).rows(Randomizer.of(rows))
        for given in (arrives, deleted):
            cover = Cover(given, n)
            laws = {x: dict(law.items()) for x, law in given.rows.items()}
            truth = Fraction(0)
            for others in combinations_with_replacement([x for x in laws if x], n - 1):
                views = {x: oracle.convolved_law(laws, [x, *others]) for x in laws}
                for x in laws:
                    if x:
                        truth = max(
                            truth,
                            *(oracle.hockey_stick(*p, POWER) for p in ((views[x], views[""]), (views[""], views[x]))),
                        )
            found = cover.delta(Eps.log(POWER)).value
            assert found.low <= truth <= found.high, (rows, n)


def test_mixtures_and_merged_messages_change_no_answer():
    """The reduced table against the whole one, by enumeration of both; the weights of a mixture are exact."""
    dropped = joined = 0
    for seed in range(cases(20)):
        rng = random.Random(seed)
        kind = rng.choice(list(OUTPUTS))
        rows = table(seed, kind, 4, 0)
        if kind.startswith("one of") and len(rows["0"]) > 2:  # two columns are made proportional
            rows = {
                x: {
                    ("a",): row.get(("a",), 0) / 3,
                    ("z",): 2 * row.get(("a",), Fraction(0)) / 3,
                    **{s: p for s, p in row.items() if s != ("a",)},
                }
                for x, row in rows.items()
            }
            rows = {x: {s: p for s, p in row.items() if p} for x, row in rows.items()}
        made = Randomizer.of(rows)
        whole, less = Table.of(made, reduced=False), Table.of(made)
        joined += len(made.messages) > len(merged(made).messages)
        dropped += len(less.bases) < len(whole.bases)
        kept = [x for x, k in zip(less.inputs, less.classes, strict=True) if k is not None]
        n, most = 3, Fraction(0)
        for others in combinations_with_replacement(kept, n - 1):
            for a, b in less.pairs:
                laws = [oracle.convolved_law(rows, [less.inputs[x], *others]) for x in (a, b)]
                most = max(most, oracle.hockey_stick(*laws, POWER))
        assert most == oracle.delta(rows, n, POWER), (rows, kept, less.pairs)
        for x, parts in mixtures(whole.bases, whole.unit, shifts=True).items():
            law = {}
            for (j, shift), weight in parts.items():
                assert weight >= 0
                for point, w in whole.bases[j].items():
                    at = tuple(a + b for a, b in zip(point, shift, strict=True))
                    law[at] = law.get(at, 0) + weight * w
            assert {p: w for p, w in law.items() if w} == dict(whole.bases[x])
    assert dropped and joined


@pytest.mark.parametrize("part", [None, Fraction(1, 10)])
@pytest.mark.parametrize("kind", ["copies", "two kinds", "one of four"])
def test_laws_in_words_and_in_integers_are_from_below(kind, part):
    """A sum's law against the oracle's: never above it, what it misses is what it says, and at most what it may."""
    rows, lost = table(3, kind, 2, 0), []
    made = Table.of(Randomizer.of(rows), reduced=False)
    for counts in ((3, 2), (0, 4), (1, 0)) if len(made.bases) == 2 else ((4,),):
        sums = Sums.of(made, 9, 5, None if part is None else int(part * (1 << 72)))
        law = sums.sum((*counts, *[0] * bool(made.common)))
        exact = {(0,) * made.rank: Fraction(1)}
        for k, count in enumerate(counts):
            for _ in range(count):
                more = {}
                for point, p in exact.items():
                    for step, w in made.bases[k].items():
                        at = tuple(a + b for a, b in zip(point, step, strict=True))
                        more[at] = more.get(at, 0) + p * Fraction(w, made.unit)
                exact = more
        cells = law.integers((0,) * made.rank)
        for index in range(cells.size):
            at = [int(i) for i in __import__("numpy").unravel_index(index, cells.shape)]
            point = tuple(a + b for a, b in zip(at, law.first, strict=True))
            assert Fraction(int(cells[tuple(at)]), 1 << 72) <= exact.get(point, 0)
        assert 1 - sum(Fraction(int(c), 1 << 72) for c in cells.ravel()) == law.lost < (part or Fraction(1, 10**12))
        lost.append(law.lost)
    assert part is None or max(lost) > Fraction(1, 10**12)  # there is something to be left out


def test_products_are_as_narrow_as_their_weights():
    """Laws from below whose weights take few bytes, or all, times each other: by sums of products of integers."""
    rng, whole = random.Random(3), 1 << 72
    laws = [[rng.randrange(1 << bits) for _ in range(6)] for bits in (1, 8, 20, 64, 69)]
    laws += [[0, whole - 1, 0], [1, whole - 2, 1], [whole // 2, whole // 2]]
    cells = [np.frombuffer(b"".join(w.to_bytes(9, "little") for w in one), np.uint8).reshape(-1, 9) for one in laws]
    made = [LowerLaw((0,), one) for one in cells]
    for (one, law), (other, more) in product(zip(laws, made, strict=True), repeat=2):
        expected = [0] * (len(one) + len(other) - 1)
        for i, x in enumerate(one):
            for j, y in enumerate(other):
                expected[i + j] += x * y
        found = law.plus(more, 0)
        known = dict(enumerate(found.integers((0,)).tolist(), found.first[0]))
        assert all(known.get(i, 0) == weight >> 72 for i, weight in enumerate(expected))


def test_sums_share_their_long_powers(monkeypatch):
    """Of sums of many users of one class and few of another each takes one product that is large, with the power of as
    many of the class as have the same first bits; beyond what is kept they are made anew, and are the same."""
    made = Table.of(Randomizer.of(table(1, "two kinds", 2, gap=0)), reduced=False)
    asked = [(64 + 5 * i, 9 - i, 0) for i in range(6)]
    sums, laws = Sums.of(made, 9, 100), laws_made(monkeypatch)
    first = sums.sum(asked[0])
    found = [sums.sum(counts) for counts in asked[1:]]
    powers = {counts[0] >> 3 for counts in asked}  # of 7 bits the first 4
    assert sum(size * 2 > first.cells.size for size in laws) <= len(asked) + len(powers)
    monkeypatch.setattr(bound_law, "KEPT", 1)
    again = Sums.of(made, 9, 100)
    for counts, one in zip(asked[1:], found, strict=True):
        other = again.sum(counts)
        assert other.first == one.first and (other.cells == one.cells).all()
        assert len(again.known) <= 1 and len(again.powers) <= 1


def test_blocks_of_fewer_users_lose_those_of_the_largest_classes():
    """The highest level to which all classes fall that leaves at most so many; the one whose place is taken keeps one
    more: level by level."""
    rng = random.Random(5)
    for _ in range(2000):
        users = [rng.choice((0, rng.randint(0, 4), rng.randint(0, 30))) for _ in range(rng.randint(1, 6))]
        taken = rng.randrange(len(users))
        users[taken] += 1
        most = rng.randint(1, sum(users) + 2)
        level, kept = 0, [min(have, x == taken) for x, have in enumerate(users)]
        while level <= max(users):
            level += 1
            if sum(more := [min(have, level + (x == taken)) for x, have in enumerate(users)]) > most:
                break
            kept = more
        for x, have in enumerate(users):
            if kept[x] < have and sum(kept) < most:
                kept[x] += 1
        assert _fewer(users, taken, most) == (tuple(kept[:-1]), kept[-1])


def test_the_bits_of_a_sum_follow_its_draws_and_its_largest_value():
    """Many draws of a value that is large and hardly ever there: E max(K v - (N - K) u, 0) / N by the first terms of a
    binomial law. With as many bits as delta has alone, what is lost would be a part of it."""
    draws, above, chance = 4000, 1 << 15, Fraction(1, 1 << 35)
    cuts = Cuts(Fraction(1, 8), 3, above + 1, 1 << 40)
    leaf = Leaf((0, 1), Box((0,), (1,)), (Kind(Block((1,), 0, 0), draws),), cuts)
    truth = sum(
        comb(draws, k) * chance**k * (1 - chance) ** (draws - k) * (k * above - 3 * (draws - k)) for k in range(1, 6)
    )
    truth = truth / draws * cuts.step
    found = []
    for bits in (24 + bits_of(truth) + leaf.lost_bits(cuts), 24 + bits_of(truth)):
        weights = {above: int(chance * (1 << bits)), -3: int((1 - chance) * (1 << bits)), 0: 0}
        found.append(mean_above([(weights, draws)], draws, bits) * cuts.step)
    assert truth <= found[0] < truth * (1 + Fraction(1, 1000)) < found[1]


def test_a_cover_whose_proof_is_too_long_gives_way_to_the_one_before(monkeypatch):
    """The closest one that is affordable is proved, and holds what the enumeration of all datasets finds."""
    rows, n, bound = table(2, "one of three", 3, gap=0), 60, Fraction(1, 1000)
    whole = Cover(Randomizer.of(rows), n).epsilon(bound)
    work, proved = Search.proof_work, []

    def long(search, leaves):
        return 10**12 if len(leaves) > least else work(search, leaves)

    def most(search, leaves, *asked):
        proved.append(len(leaves))
        return found(search, leaves, *asked)

    found, least = Search.most, 10**9
    monkeypatch.setattr(Search, "proof_work", long)
    monkeypatch.setattr(Search, "most", most)
    assert Cover(Randomizer.of(rows), n).epsilon(bound)[:2] == whole[:2]
    least, sizes = max(proved) - 1, set(proved)
    proved.clear()
    low, high, _ = Cover(Randomizer.of(rows), n).epsilon(bound)
    assert len(sizes) > 1 and proved and max(proved) <= least
    assert low == whole[0] and whole[1] < high


def test_an_answer_never_rises_with_n_or_eps_and_names_change_nothing():
    for seed in range(cases(4)):
        rows = table(seed, "copies", 3)
        renamed = {
            f"user {x}": {tuple("m" for _ in sent): p for sent, p in row.items()} for x, row in reversed(rows.items())
        }
        for n in (40, 80):
            values = [Cover(Randomizer.of(rows), n).delta(Eps.of(eps)).value for eps in ("1/10", "1/5")]
            assert values[1].low <= values[0].high
            more = Cover(Randomizer.of(rows), 2 * n).delta(Eps.of("1/10")).value
            assert more.low <= values[0].high
            other = Cover(Randomizer.of(renamed), n).delta(Eps.of("1/10")).value
            assert max(other.low, values[0].low) <= min(other.high, values[0].high)


def test_all_users_of_one_class():
    """Rows that differ by a message that is always sent: a single composition, not to be cut; by the oracle, n = 6."""
    sent = {("a",): 2, ("b",): 2, ("c",): 1, ("a", "d"): 1}
    rows = {
        "0": {m: Fraction(w, 6) for m, w in sent.items()},
        "1": {(*m, "d"): Fraction(w, 6) for m, w in sent.items()},
    }
    made = Table.of(Randomizer.of(rows))
    assert len(made.bases) == 1 and Search(made, 6, 10**12).cut(Search(made, 6, 10**12).root) is None
    found = Cover(Randomizer.of(rows), 6).delta(Eps.log(POWER)).value
    truth = max(largest(rows, made.classes, pair, (5,), 6) for pair in made.pairs)
    assert found.low <= truth <= found.high and truth


# Rows over any unit, in words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [97, (1 << 30) - 1, 1 << 30, 10**12, 10**40 + 7])
def test_products_in_words_are_from_below_and_close(unit):
    """Rows of up to 40 points times laws in words, the largest of one cell; by fractions, hardly below."""
    rng = random.Random(unit)
    for points in (1, 2, 6, 40):
        cuts = sorted(rng.randint(0, unit) for _ in range(points - 1))
        weights = [b - a for a, b in pairwise([0, *cuts, unit])]
        places = rng.sample([(i, j) for i in range(8) for j in range(8)], points)
        row = {place: weight for place, weight in zip(places, weights, strict=True) if weight}
        for law in ([1], [1 << 30, 3], [rng.randint(0, 1 << 50) for _ in range(9)], [5] * 9):
            known, whole = np.zeros((8 + 3, 8 + 3), np.int64), sum(law)
            for i, weight in enumerate(law):
                known[divmod(i, 3)] = (weight << BITS) // whole
            found = convolved(row, unit, known).reshape(known.shape)
            truth = np.zeros(known.shape, object)
            for (i, j), weight in row.items():
                for x, y in np.argwhere(known):
                    truth[i + x, j + y] += Fraction(weight * int(known[x, y]), unit)
            assert all(0 <= a - int(b) < word_loss(unit) for a, b in zip(truth.ravel(), found.ravel(), strict=True))


@pytest.mark.parametrize("kind", ["copies", "two kinds"])
def test_tables_of_long_decimals_are_bounded_as_closely_as_others(kind):
    """Probabilities of 12 digits, n = 60: words bound the divergence at a few eps on both sides, within 10^-9 of it
    (e^eps has 31 bits in them); by integers. Blocks of 20 users bound it as those of nearly the same table do."""
    sent = {"copies": [("a",) * i for i in range(3)], "two kinds": [(), ("a",), ("b",), ("a", "b")]}[kind]
    rows, short = {}, {}
    for x in range(2):
        parts = [(3, 5, 7, 11)[(i + 2 * x) % len(sent)] for i in range(len(sent))]
        short[str(x)] = {one: Fraction(p, sum(parts)) for one, p in zip(sent, parts, strict=True)}
        some = [round(Fraction(p, sum(parts)) * 10**12) for p in parts[1:]]
        rows[str(x)] = {one: Fraction(p, 10**12) for one, p in zip(sent, [10**12 - sum(some), *some], strict=True)}
    made, near = (Table.of(Randomizer.of(one)) for one in (rows, short))
    assert made.unit >= 10**11 > near.unit
    views = Search(made, 60, 10**12).views((25, 34), Fraction(1, 100))
    for a, b in made.pairs:
        p, q = (views.whole(x) for x in (a, b))
        for eps in map(Eps.of, ("0", "1/10", "1/2")):
            t = rounded_power(eps)
            truth = Fraction(sum(max(u * t.denominator - v * t.numerator, 0) for u, v in zip(p, q, strict=True)))
            truth /= made.unit * t.denominator << 8 * views.law.size
            low, _ = views.below([(a, b)], eps, Fraction(1, 100))
            high = views.above([(a, b)], t, Fraction(1, 100))
            assert low <= truth <= high <= low + Fraction(1, 10**9)
    found = []
    for table_ in (made, near):
        search, block = Search(table_, 60, 10**12), Block((9, 9), 2, 0)
        kinds = (Kind(block, 2),)
        leaf = Leaf(table_.pairs[0], search.root, kinds, search.of(kinds, table_.pairs[0]).cuts(0.1, 1e-8, 10.0))
        found += search.most([leaf], [Eps.of("1/10")], [Fraction(1, 1000)])
    assert 0 < abs(found[0] - found[1]) < Fraction(1, 10**6) < found[0] < Fraction(1, 2)
