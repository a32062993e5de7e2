"""Certificates in the one format (verify/CERTIFICATE.md): plain functions that build them from what was found.

Trees of cuts and events come in as the searches have them: a cut is (label, most), a leaf "each", "corner" or a
block of `block`.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from shufflecert.verify.exact.rational import text

Tree = dict[str, Any]
FORMAT = "shufflecert certificate"

# Claims ----------------------------------------------------------------------------------------------------------


def certificate(claim: Tree, verdict: str, because: Tree, note: str = "") -> Tree:
    """A certificate: a claim, PROVED or REFUTED, and why."""
    return {
        "format": FORMAT,
        **({"note": note} if note else {}),
        "claim": claim,
        "verdict": verdict,
        "because": because,
    }


def claim(runs: Sequence[tuple[Tree, int]], neighbours: Any, eps: str, delta: Fraction, data: str = "same") -> Tree:
    """What is claimed of runs (what is seen, how often); `data` is "same" or "any" where there are several."""
    several = sum(times for _, times in runs) > 1
    listed = [{"seen": seen, "times": times} for seen, times in runs]
    return {
        "runs": listed,
        **({"data": data} if several else {}),
        "neighbours": neighbours,
        "eps": eps,
        "delta": text(delta),
    }


def rows(randomizer: Tree, n: int, view: str = "shuffled", honest: int | None = None, take_part: str = "1") -> Tree:
    """What is seen of n users of a table (`verify.exact.randomizer.Randomizer.to_json`)."""
    crowd: Tree = {} if honest in (None, n) else {"honest": honest}
    crowd |= {"take part": take_part} if take_part != "1" else {}
    return {"users": n, **crowd, "view": view, "each": {"rows": randomizer["rows"]}}


# Proofs and refutations ------------------------------------------------------------------------------------------


def block(users: Mapping[str, int], left_open: int, place: str | None, grid: Tree | None = None) -> Tree:
    """A leaf: users by input, how many are left open, whose place the user who changes has, hints for many blocks."""
    held = {name: count for name, count in users.items() if count}
    return {"users": held, "open": left_open, "place": place, **({"grid": grid} if grid else {})}


def grid(step: Fraction, cells: int, tilt: Fraction, above: int | None = None) -> Tree:
    """Hints for the sum over many blocks."""
    return {"step": text(step), "cells": cells, "tilt": text(tilt)} | ({} if above is None else {"above": above})


def entry(source: str | None, target: str | None, tree: Iterable[Any], up_to: Sequence[int] = ()) -> Tree:
    """One ordered pair of ends with its tree, in preorder; `up_to` are renamings that leave both ends."""
    nodes = [list(node) if isinstance(node, tuple) else node for node in tree]
    return {"from": source, "to": target, "tree": nodes, **({"up to": list(up_to)} if up_to else {})}


def same_as(source: str | None, target: str | None, earlier: int, by: int) -> Tree:
    """One ordered pair of ends that a renaming makes of an earlier entry's."""
    return {"from": source, "to": target, "same as": earlier, "by": by}


def cover(
    entries: Sequence[Tree],
    renamings: Sequence[Tree] = (),
    known: Mapping[str, Mapping[str, int]] | None = None,
) -> Tree:
    """A proof: an entry for every ordered pair of ends."""
    found: Tree = {"renamings": list(renamings)} if renamings else {}
    return {**found, **({"known": known} if known else {}), "pairs": list(entries)}


def ends(inputs: Iterable[str], around: Any) -> list[tuple[str | None, str | None]]:
    """All ordered pairs of ends of the user who changes, for such neighbours."""
    held: list[str | None] = [*inputs] if around == "replace" else [*inputs, None]
    return [(a, b) for a, b in permutations(held, 2) if around == "replace" or None in (a, b)]


def enumerated(pairs: Iterable[tuple[str | None, str | None]], renamings: Sequence[Tree]) -> Tree:
    """The proof that looks at every composition of the others, but for those that a renaming makes of another one.

    Of an orbit of pairs one is looked at: `renamings` that move it to another one by several steps are made one.
    """
    entries, every, found = list[Tree](), [*renamings], dict[tuple[str | None, str | None], tuple[int, int]]()
    for pair in pairs:
        if pair in found:
            entries.append(same_as(*pair, *found[pair]))
            continue
        fixed = [k for k, by in enumerate(renamings) if all(by["inputs"].get(x, x) == x for x in pair)]
        entries.append(entry(*pair, ["each"], fixed))
        orbit: dict[Any, Tree] = {pair: {}}
        for at, before in (frontier := [*orbit.items()]):
            for k, by in enumerate(renamings):
                to = tuple(by["inputs"].get(x, x) for x in at)
                if to not in orbit:
                    orbit[to] = _after(by, before) if before else by
                    every += [orbit[to]] if before else []
                    found[to] = len(entries) - 1, len(every) - 1 if before else k
                    frontier.append((to, orbit[to]))
    return cover(entries, every)


def _after(last: Tree, first: Tree) -> Tree:
    """Two renamings, one after the other."""
    made: Tree = {}
    for key in ("inputs", "messages"):
        both = {x: first[key].get(x, x) for x in (*first[key], *last[key])}
        made[key] = {x: to for x, y in both.items() if (to := last[key].get(y, y)) != x}
    return made


def of_blanket(pairs: Iterable[tuple[str | None, str | None]], hints: Mapping[str, Any]) -> Tree:
    """The proof by the privacy blanket: blocks of one user who is left open, with a grid."""
    return cover([entry(a, b, [block({}, 1, None, dict(hints))]) for a, b in pairs])


def of_fewer(pairs: Iterable[tuple[str | None, str | None]], classes: Sequence[str], others: int) -> Tree:
    """The proof by so many of the others: of any of them, whatever they hold, these are enough. An input of each class
    names it."""
    return cover([entry(a, b, _fewer([*classes], others, str(a or b))) for a, b in pairs])


def event(pair: Tree, weights: Mapping[str, int] | None = None, above: int = 0, outcomes: Any = None) -> Tree:
    """A refutation: a pair of neighbours, with a threshold on weights, listed outcomes, or the best event."""
    if outcomes is not None:
        return {"pair": pair, "event": {"outcomes": outcomes}}
    if weights is None:
        return {"pair": pair}
    return {"pair": pair, "event": {"weights": {m: str(w) for m, w in sorted(weights.items())}, "above": str(above)}}


def neighbours(source: str | None, target: str | None, others: Mapping[str, int] | None) -> Tree:
    """A pair of neighbouring datasets."""
    counts = {} if others is None else {"others": {x: count for x, count in others.items() if count}}
    return {"from": source or None, "to": target or None, **counts}


def composed(parts: Sequence[Tree], lattices: Sequence[tuple[Fraction, int]]) -> Tree:
    """Why a composition holds: a part for each run, and a lattice (step, cells) for each choice of pairs."""
    return {"runs": list(parts), "lattices": [{"step": text(step), "cells": cells} for step, cells in lattices]}


# What is seen of mechanisms: numbers to which noise is added --------------------------------------------------------

NAMES = {
    "negative_binomial": "negative binomial",
    "discrete_laplace": "discrete Laplace",
    "truncated_discrete_laplace": "discrete Laplace",
    "discrete_gaussian": "discrete Gaussian",
}
ADDS = {"binomial": "n", "poisson": "lam", "negative binomial": "r"}  # what is added where laws are


def law(noise: Mapping[str, Any]) -> Tree:
    """A noise law, from how `verify.enclose.noise_laws` writes it."""
    return {**noise, "law": NAMES[noise["law"]]} if noise.get("law") in NAMES else dict(noise)


def constant(k: int) -> Tree:
    """The law of one number."""
    return {"law": "finite", "p": {str(k): "1"}}


def coin(p: str) -> Tree:
    """The law of a bit."""
    return {"law": "binomial", "n": 1, "p": p}


def count(noise: Mapping[str, Any], sensitivity: int) -> Tree:
    """A number from 0 to `sensitivity` with noise."""
    return {"users": 1, "each": {"up to": sensitivity}, "added": law(noise)}


def release(noise: Mapping[str, Any], sensitivity: int, bits: int, wrap: int, modulo: int) -> Tree:
    """The same, reduced as protocols/shared/central.py says."""
    seen = count(noise, sensitivity)
    for by in (2**bits if bits else 0, wrap):
        seen["added"] = {"law": "mod", "by": by, "of": seen["added"]} if by > 1 else seen["added"]
    return seen | ({"shown": {"mod": modulo}} if modulo else {})


def presence(present: Mapping[str, Any], absent: Mapping[str, Any], sensitivity: int) -> Tree | None:
    """A number to which every user adds a part of the noise: the part is what is missing where one is absent.

    None for a law whose parts have no form.
    """
    there, gone = law(present), law(absent)
    if gone.get("law") != there.get("law"):  # nobody else adds anything
        return {"users": 1, "each": {"up to": sensitivity, "plus": there}}
    if (adds := ADDS.get(there.get("law", ""))) is None:
        return None
    whole, part = Fraction(there[adds]), Fraction(there[adds]) - Fraction(gone[adds])
    each = {"up to": sensitivity, "plus": there | {adds: int(part) if adds == "n" else text(part)}}
    if (users := whole / part).denominator == 1:
        return {"users": int(users), "each": each}
    return {"users": 1, "each": each, "added": gone}


def correlated(q: Fraction, noise: Mapping[str, Any]) -> Tree:
    """The atoms of equal ratio of the pair s = 1 and s = 0 (protocols/correlated.py)."""
    columns = {name: [one] for name, one in zip("10", _correlated(q, noise), strict=True)}
    return {"users": 1, "each": {"columns": columns}}


def columns(many: int | str, held: Tree, other: Tree, users: int = 1, noise: Mapping[str, Any] | None = None) -> Tree:
    """So many columns: each user adds a number of law `held` to one, of law `other` to all others; noise to each."""
    seen = {"users": users, "each": {"one of": many, "held": held, "other": other}}
    return seen if noise is None else seen | {"added": law(noise)}


def histogram(noise: Mapping[str, Any], buckets: int) -> Tree:
    """A one in one of some buckets, each with noise."""
    return columns(buckets, constant(1), constant(0), noise=noise)


def correlated_histogram(q: Fraction, noise: Mapping[str, Any], buckets: int) -> Tree:
    """What `correlated` shows, in one of some buckets the atoms of s = 1."""
    return columns(buckets, *_correlated(q, noise))


def strings(many: int, flip: Fraction) -> Tree:
    """A user's noisy string of two bits among so many in all, whose bits are like the one of the other value."""
    noise = {"law": "binomial", "n": many - 1, "p": text(flip)} if many > 1 else None
    return columns(2, coin(text(1 - flip)), coin(text(flip)), noise=noise)


def any_randomizer(eps0: str, delta0: Fraction, users: int) -> Tree:
    """The messages of users of some (eps0, delta0)-private randomizer."""
    return {"users": users, "each": {"private": [eps0, text(delta0)]}}


def of_numbers(seen: Mapping[str, Any]) -> bool:
    """Whether these are numbers with noise, for a user who is replaced, all of whose pairs a composition may state."""
    hides = "from" in seen.get("shown", {})
    return bool(seen["each"]) and not hides and not {"plus", "private"} & {*seen["each"]}


def proof_of(seen: Tree, around: Any = "replace", tree: Sequence[Any] = ("each",)) -> Tree:
    """The proof of numbers, which needs no more, and of columns, by this tree."""
    each = seen["each"]
    if "up to" in each:
        return {}
    if "columns" in each:
        return cover([entry(a, b, tree) for a, b in permutations(each["columns"], 2)])
    pairs: list[tuple[str | None, str | None]] = [("a", "b")] if around == "replace" else [("a", None), (None, "a")]
    return cover([entry(a, b, tree) for a, b in pairs])


def _correlated(q: Fraction, noise: Mapping[str, Any]) -> tuple[Tree, Tree]:
    """The laws P and Q of atoms of equal ratio, of the pair s = 1 and s = 0 (protocols/correlated.py).

    P is -1 with probability 1/(1 + q), else u + 1; Q is -1 with probability q/(1 + q), else u, of law Z_3 + Geo(q^2).
    """
    geometric = {"law": "negative binomial", "r": "1", "p": text(q * q)}
    shared = {"law": "sum", "of": [law(noise), geometric]}
    moved = {"law": "sum", "of": [constant(1), shared]}
    one, other = text(1 / (1 + q)), text(q / (1 + q))
    return (
        {"law": "mixture", "of": [[one, constant(-1)], [other, moved]]},
        {"law": "mixture", "of": [[other, constant(-1)], [one, shared]]},
    )


def _fewer(classes: list[str], others: int, end: str) -> list[Any]:
    """A tree whose leaves are blocks of so many others and the user who changes."""

    def walk(left: list[str], users: dict[str, int], room: int) -> list[Any]:
        if room == 0 or len(left) == 1:
            held = users | ({left[0]: room} if room else {})
            return [block(held | {end: held.get(end, 0) + 1}, 0, end)]
        found, name = list[Any](), left[0]
        for count in range(room):
            found += [[name, count], *walk(left[1:], users | {name: count}, room - count)]
        return found + walk([name], users, room)

    return walk(classes, {}, others)
