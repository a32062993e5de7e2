"""Whole certificates of the kernel's later forms, small enough for Fractions, at 3 to 12 bits and at enough.

Fewer users, covers in a plane, ends of thresholds, releases that are reduced: what is true is never rejected, what is
false never accepted. Functions of the kernel, as in tests/kernel_parts.py; tests/kernel_mutants.py runs them too.
"""

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from tests.judge import exp_bounds
from tests.kernel_battery import brute_force, pair, proof, row, view_law
from tests.kernel_claims import exact_law, flips, randomized, stick, threshold

F = Fraction
BITS = ((3, 0), (7, 0), (12, 1), (64, 32))  # bits, and bits to spare


def file(version: int, claim: dict[str, Any], verdict: str, evidence: Any) -> bytes:
    """A certificate's bytes."""
    whole = {"adjacency": "replace", "datasets": "all"} | claim
    tree = {"format": "shufflecert certificate", "version": version, "claim": whole}
    return json.dumps(tree | {"verdict": verdict, "evidence": evidence}).encode()


def some_rows(rng: random.Random, sends: list[str], names: str, unit: int = 12) -> list[Any]:
    """Rows that send some of these, with random weights over the unit."""
    rows = []
    for name in names:
        chosen = rng.sample(sends, rng.randint(2, len(sends)))
        cuts = sorted(rng.sample(range(1, unit), len(chosen) - 1))
        parts = (str(F(b - a, unit)) for a, b in itertools.pairwise([0, *cuts, unit]))
        rows.append(row(name, *zip(chosen, parts, strict=True)))
    return rows


@contextmanager
def by_windows(k: Any) -> Iterator[None]:
    """No road of exact products is taken where there is another."""
    before, k.ENOUGH, k.LITTLE = (k.ENOUGH, k.LITTLE), -1, -1
    yield
    k.ENOUGH, k.LITTLE = before


def fewer_users(k: Any) -> None:
    """Version 7 states of `users` users what brute force finds, whatever n is; hairs on both sides of every number."""
    rng, hair = random.Random(40), F(1, 10**6)
    for sends in [["", "a", "aa"], ["", "a", "aaa"], ["a", "b", ""], ["ab", "b"]] * 3:
        rows, users = some_rows(rng, sends, "xyz"[: rng.choice((2, 3))]), rng.randint(1, 3)
        ratio, n = F(rng.randint(10, 15), 10), users + rng.choice((0, 1, 10**14))
        deltas = brute_force(rows, users, ratio, "shuffled")
        (a, b, others), most = max(deltas.items(), key=lambda item: item[1])
        low, high = (f"{math.floor(most * 10**6) + end}e-6" for end in (0, 1))
        claim = {"randomizer": {"rows": rows}, "view": "shuffled", "n": n, "eps": f"log({ratio})"}
        for delta, lower, upper, place in (
            (most, low, high, ""),
            (most - hair, "0", "1", "claim.delta"),
            (1, high, "1", "evidence.worst.delta.lower"),
            (1, "0", low, "evidence.worst.delta.upper"),
        ):
            evidence = {"users": users} | proof(pair(a, b, dict(Counter(others))), lower, upper)
            data = file(7, claim | {"delta": str(delta)}, "PROVED", evidence)
            exactly = place.endswith("upper") and (most * 10**6).denominator == 1
            wrong = place and (delta == 1 or most > hair) and not exactly
            status, reason = k.check(data)
            assert status == ("rejected" if wrong else "accepted"), reason
            assert reason.startswith(place) if wrong else f" of {users} user(s) computed" in reason
            assert wrong or f"n = {n}, " in reason
            little, k.LITTLE = k.LITTLE, -1  # windows first, then products
            assert k.check(data).status == status
            k.LITTLE = little
            with by_windows(k):
                for bits, spare in BITS:
                    found = k.check(data, max_bits=bits, spare=spare).status
                    assert found in ("rejected" if wrong else "accepted", "undecided"), data
        worst = proof(pair(a, b, dict(Counter(others))))
        for said, told in (
            (n + 1, "evidence.users: expected an integer of at least 1 and at most"),
            (0, "evidence.users"),
            ("1", "evidence.users"),
            (None, "evidence.users"),
            (users + 1, "evidence.users" if users == n else "evidence.worst.pair.others"),
        ):
            status, reason = k.check(file(7, claim | {"delta": "1"}, "PROVED", {"users": said} | worst))
            assert status == "malformed" and reason.startswith(told)
        status, reason = k.check(file(7, claim | {"delta": "1"}, "PROVED", worst))
        assert (status, reason) == ("malformed", "evidence.users: expected an integer of at least 1, in digits")


def no_version_is_unknown(k: Any) -> None:
    """Versions 1 to 8; each form where it may stand, and the place where another stands is named."""
    crowd = {"randomizer": {"rows": flips(F(1, 4))}, "view": "shuffled", "n": 3, "eps": "0", "delta": "0"}
    crowd |= {"honest": 2, "take part": "1/2"}
    event = threshold(pair("0", "1", {"1": 1}), {"0": 1}, 1)  # Pr[both send 0]: 1/4 * 3/4 * 1/4 against 1/4 * 1/4 * 1/4
    share = {x: {"0": "1/2", "1": "1/2"}[x] for x in "01"}
    any_one = {"mechanism": {"view": "any randomizer", "local": "0", "local delta": "0", "users": 2}, "eps": "0"}
    same = [row(x, ("a", "1/2"), ("b", "1/2")) for x in "01"]
    apart, named = [row("0", ("a", "1")), row("1", ("b", "1"))], threshold(pair("0", "1", {"0": 1}), {"a": 1}, 1)
    served = {"mechanism": {"view": "presence"}, "adjacency": "replace", "eps": "0", "delta": "0"}
    one = {key: crowd[key] for key in ("randomizer", "view", "n", "eps", "delta")}
    for version, claim, evidence, told in (
        (4, crowd, event, ""),
        (4, crowd | {"adjacency": "deletion", "reference": share, "delta": "1/3"}, event, "evidence.pair.to"),
        (4, crowd | {"adjacency": "other"}, event, "claim.adjacency"),
        (4, crowd | {"adjacency": "deletion", "reference": {"0": "1/2", "2": "1/2"}}, event, "claim.reference"),
        (4, crowd | {"adjacency": "deletion", "reference": {"0": "1/2"}}, event, "claim.reference"),
        (6, served, {}, "claim.mechanism.view"),
        (6, served | {"adjacency": "deletion"}, {}, "claim.adjacency"),
        (9, one, event, "version"),
        (8, crowd | {"adjacency": "replace"}, event, ""),
        (8, crowd | {"adjacency": "replace", "view": "local"}, event, "claim.view"),
        (8, crowd | {"adjacency": "replace", "honest": 4}, event, "claim.honest"),
        (8, crowd | {"adjacency": "add-remove"}, event, "claim.adjacency"),
        (8, crowd | {"adjacency": "replace"}, {"event": []}, "evidence."),
        (0, one, event, "version"),
        (2, any_one | {"delta": "0"}, {"randomizer": {"rows": same}} | named, "version"),
        (3, any_one | {"delta": "0"}, {"randomizer": {"rows": apart}} | named, "rejected"),
        (3, any_one | {"delta": "0"}, {"randomizer": {"rows": []}} | named, "evidence.randomizer.rows"),
        (3, any_one | {"delta": "0"}, {"randomizer": []} | named, "evidence.randomizer"),
        (7, one | {"n": 2}, event, ""),
        (7, one | {"n": 2}, {"event": []}, "evidence."),
    ):
        status, reason = k.check(file(version, claim, "REFUTED", evidence))
        if told == "rejected":
            assert (status, reason) == (told, "evidence.randomizer: less private than claim.mechanism says")
        else:
            assert status == ("malformed" if told else "accepted"), reason
            assert reason.split(":")[0] == told if told[-1:] != "." and told else reason.startswith(told)


def references_are_told(k: Any) -> None:
    """Who stands in for whom, and every number of a mechanism, with the names of the two laws of one."""
    claim = {"randomizer": {"rows": flips(F(1, 4))}, "view": "shuffled", "n": 2, "honest": 2, "take part": "1/2"}
    claim |= {"adjacency": "deletion", "reference": {"0": "1/3", "1": "2/3"}, "eps": "0", "delta": "1"}
    found = k.check(file(4, claim, "PROVED", proof({"from": "0", "to": None, "others": {"0": 1}})))
    words = "take part = 1/2, adjacency = deletion, view = shuffled, eps = 0, delta = 1"
    assert (
        found.status == "accepted" and f'{words}, reference "0" = 1/3, reference "1" = 2/3, randomizer' in found.reason
    )
    seen: dict[str, Any] = {"view": "presence", "sensitivity": 1, "present": {"law": "poisson", "lam": "5"}}
    seen |= {"absent": {"law": "poisson", "lam": "9/2"}}
    said = {"mechanism": seen, "adjacency": "add-remove", "eps": "0", "delta": "1"}
    found = k.check(file(6, said, "PROVED", {"delta": {"lower": "0", "upper": "1"}}))
    words = "mechanism = presence, present = poisson(lam = 5), absent = poisson(lam = 9/2)"
    assert found.status == "accepted" and words in found.reason and "PROVED: mechanism = presence, " in found.reason
    counts = {"view": "thresholded counts", "p": "1/2", "k": 2, "users": 3}
    for version, claim in ((6, said), (5, said | {"mechanism": counts})):
        found = k.check(file(version, claim, "PROVED", {"delta": {"lower": "1", "upper": "1"}}))
        assert tuple(found) == ("rejected", "evidence.delta.lower: the largest delta(eps) is on the other side")
    text = "1" + "0" * 99_999
    assert " (about 1000000e99993; 100000 characters " in k.told("delta", text, (10**99_999, 1))
    assert " (about 100000e-100004; 100002 characters " in k.told("delta", "1/" + text, (1, 10**99_999))


def all_corners(rows: list[Any], n: int, cut: tuple[str, int] | None) -> set[tuple[str, ...]]:
    """Of a box and its other half the least of each input, as a list of others."""
    names, boxes = [one["input"] for one in rows], dict[bool, list[Counter[str]]]()
    for some in itertools.combinations_with_replacement(names, n - 1):
        counts = Counter(some)
        boxes.setdefault(bool(cut) and counts[cut[0]] > cut[1], []).append(counts)  # type: ignore[index]
    return {tuple(x for x in names for _ in range(min(c[x] for c in held))) for held in boxes.values()}


def plane_covers(k: Any) -> None:
    """Covers of rows in a plane, or beyond: what they keep is the largest delta of their corners, by Fractions."""
    rng, hair, planes, solids = random.Random(41), F(1, 10**6), 0, 0
    for _ in range(24):
        rows = some_rows(
            rng, rng.choice((["", "a", "b", "ab", "aab"], ["", "a", "b", "c"])), "xyz"[: rng.choice((2, 3))]
        )
        laws = [{o["p"]: o["send"] for o in one["outputs"]} for one in rows]
        if len({tuple(sorted(law)) for law in laws}) < len(laws):  # two may be alike, and are counted as one then
            continue
        n, ratio = rng.randint(2, 5), F(rng.randint(10, 20), 10)
        cut = rng.choice((None, (rng.choice(rows)["input"], rng.randint(0, n - 2))))
        most = F(0)
        for others in all_corners(rows, n, cut):
            views = {one["input"]: view_law(rows, (one["input"], *others), "shuffled") for one in rows}
            most = max(most, *(stick(views[a], views[b], ratio) for a, b in itertools.permutations(views, 2)))
        claim = {"randomizer": {"rows": rows}, "view": "shuffled", "n": n, "eps": f"log({ratio})"}
        evidence = {"cover": [list(cut), None, None] if cut else [None]}
        sent = {m for one in rows for o in one["outputs"] for m in o["send"]}
        planes, solids = planes + (sent == {"a", "b"}), solids + (len(sent) == 3)
        for delta, right in ((min(most + hair, F(1)), "accepted"), (most - hair, "rejected")):
            if delta >= 0:
                data = file(3, claim | {"delta": str(delta)}, "PROVED", evidence)
                with by_windows(k):
                    for bits, spare in BITS:
                        status = k.check(data, max_bits=bits, spare=spare).status
                        assert status in (right, "undecided") and (bits < 64 or delta == 1 or status == right), data
                assert k.check(data).status == right
    assert planes > 8 and solids > 3


def ends_of_thresholds(k: Any) -> None:
    """All have their largest sum: (1/4)^400 is told from nothing, by the ratio of the one who changes alone."""
    for others, eps, right in (
        ({"1": 400}, "log(2)", "accepted"),
        ({"1": 400}, "log(3)", "rejected"),
        ({"1": 10**14}, "11/10", "rejected"),
        ({"0": 3, "1": 10**14}, "1", "accepted"),
    ):
        n = 1 + sum(others.values())
        event = threshold(pair("0", "1", others), {"0": 1}, n - 1)
        found = k.check(randomized(flips(F(1, 4)), n, event, eps, "0", "REFUTED"), max_bits=64, max_work=10**6)
        assert found.status == right, found
    rows = [row("0", ("a", "1")), row("1", ("aa", "1/4"), ("", "3/4")), row("2", ("a", "1/2"), ("", "1/2"))]
    for source, target, m, eps in (("0", "1", 4, "0"), ("0", "1", 9, "1/2")):
        # Only who moves to 1 can have two: Pr[sum > m] is 2^-m in P, and in Q 1/4 of (m + 1) 2^-m.
        event = threshold(pair(source, target, {"2": m}), {"a": 1}, m)
        assert k.check(randomized(rows, m + 1, event, eps, "0", "REFUTED")).status == "rejected"


def reduced_releases(k: Any) -> None:
    """Of a number that is reduced each shift counts, and the largest is not the worst; else it is."""
    rng, others = random.Random(42), Counter[Any]()
    for _ in range(500):
        n, p = rng.randint(1, 6), F(rng.randint(1, 6), 7)
        bits, wrap, modulo = rng.choice((0, 0, 2, 3)), rng.choice((0, 0, 3, 4)), rng.choice((0, 0, 2, 3))
        j, ratio = rng.randint(1, 3), F(rng.randint(10, 30), 10)
        law, word = exact_law({"n": n, "p": p}), (1 << bits) - 1 if bits else -1
        found = []
        for shift in range(j + 1):
            views = []
            for at in (shift, 0):
                view = Counter[int]()
                for place, weight in law.items():
                    number = at + ((place & word) % wrap if wrap else place & word)
                    view[number % modulo if modulo else number] += weight
                views.append(view)
            found.append(max(stick(*views, ratio), stick(*views[::-1], ratio)))
        seen = {"view": "release", "noise": {"law": "binomial", "n": n, "p": p.as_integer_ratio()}, "sensitivity": j}
        seen |= {"bits": bits, "wrap": wrap, "modulo": modulo}
        least, most, whole = k.of_mechanism(seen, (*(ratio.numerator,) * 2, ratio.denominator), 64, k.Budget())
        assert least == most and F(least, whole) == max(found), (seen, ratio)
        if found[-1] < max(found):
            others[bits > 0, wrap > 0, modulo > 0] += 1
            others["same"] += bits + wrap == modulo or bits == wrap
    alone = {(True, False, False), (False, True, False), (False, False, True)}
    assert set(others) >= {*alone, "same"} and not others[False, False, False], others


def gaussian_rates(k: Any) -> None:
    """g^(2k - 1), g = e^(-1/(2 variance)), from both sides, and its inverse up to the mode; none below 1/20000."""
    for variance, width in itertools.product((F(1, 3), F(2), F(25, 2)), (3, 5, 8, 40)):
        law = k.gaussian(variance.as_integer_ratio(), width, k.Budget())
        assert law.mode == 0 and law.limit == (0, 1)
        for place in range(-4, 6):
            low, high, one = law.rate(place)[:: 1 if place > 0 else -1]
            ends = [1 / end for end in exp_bounds(F(abs(2 * place - 1)) / (2 * variance), 200)]
            assert F(low, one) <= min(ends) and max(ends) <= F(high, one)
    for below, undecided in ((20_000, False), (20_001, True), (40_001, True)):
        try:
            k.gaussian((1 if below < 40_000 else 2, below), 8, k.Budget())
        except k.Stop as stop:
            assert undecided and stop.args[0] == "undecided" and "1/20000" in stop.args[1]
        else:
            assert not undecided


def sides_are_asked(k: Any) -> None:
    """One answer that is not as it is said ends the questions, though another is open; ever more bits else."""
    asked = [((6, 8), "at least"), ((1, 2), "at most")]
    found = k.answers((1, 1, True), lambda *_: (3, 5, 8), asked, 64, k.Budget())
    assert found == [False, None]
    bits = list[int]()

    def closer(ends: Any, more: int) -> Any:
        bits.append(more)
        return (0, 1 << 200, 1 << more) if more < 200 else (ends[0], ends[1], 2 * ends[2])

    assert k.answers((1, 2, True), closer, [((1, 4), "at least"), ((1, 4), "at most")], 64, k.Budget()) == [True, True]
    assert bits == [64, 128, 256]


def datasets_are_enumerated(k: Any) -> None:
    """All counts with a sum, ascending; of one class of inputs there is one, however many users hold it."""
    for total, parts in itertools.product(range(5), range(1, 5)):
        every = itertools.product(range(total + 1), repeat=parts)
        assert list(k.compositions(total, parts)) == [counts for counts in every if sum(counts) == total]
    assert list(k.compositions(10**15, 1)) == [(10**15,)]


FILES: list[Callable[[Any], None]] = [
    fewer_users,
    no_version_is_unknown,
    references_are_told,
    plane_covers,
    ends_of_thresholds,
    reduced_releases,
    gaussian_rates,
    sides_are_asked,
    datasets_are_enumerated,
]
