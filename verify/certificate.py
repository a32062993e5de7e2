"""Certificates in the one format (verify/CERTIFICATE.md): plain functions that build them from what was found.

Trees of cuts and events come in as the searches have them: a cut is (label, most), a leaf "each", "corner" or a
block of `block`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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


def of_fewer(pairs: Iterable[tuple[str | None, str | None]], inputs: Sequence[str], others: int) -> Tree:
    """The proof by so many of the others: of any of them, whatever they hold, these are enough."""
    return cover([entry(a, b, _fewer([*inputs], others, str(a or b))) for a, b in pairs])


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


# Mechanisms, as reductions name them -----------------------------------------------------------------------------

NAMES = {
    "negative_binomial": "negative binomial",
    "discrete_laplace": "discrete Laplace",
    "truncated_discrete_laplace": "discrete Laplace",
    "discrete_gaussian": "discrete Gaussian",
}


def law(noise: Mapping[str, Any]) -> Tree:
    """A noise law, from how `verify.enclose.noise_laws` writes it."""
    return {"law": NAMES.get(noise["law"], noise["law"]), **{key: noise[key] for key in noise if key != "law"}}


def constant(k: int) -> Tree:
    """The law of one number."""
    return {"law": "finite", "p": {str(k): "1"}}


def coin(p: str) -> Tree:
    """The law of a bit."""
    return {"law": "binomial", "n": 1, "p": p}


def seen_of(mechanism: Mapping[str, Any]) -> Tree:
    """What is seen, of a mechanism as `verify.reduce.reduction.Reduction` names it."""
    job: Callable[[Mapping[str, Any]], Tree] = MECHANISMS[mechanism["view"]]
    return job(mechanism)


def proof_of(seen: Tree, around: Any = "replace", tree: Sequence[Any] = ("each",)) -> Tree:
    """The proof of numbers, which needs no more, and of columns, by this tree."""
    each = seen["each"]
    if "up to" in each:
        return {}
    if "columns" in each:
        return cover([entry(a, b, tree) for a, b in permutations(each["columns"], 2)])
    pairs: list[tuple[str | None, str | None]] = [("a", "b")] if around == "replace" else [("a", None), (None, "a")]
    return cover([entry(a, b, tree) for a, b in pairs])


def _less(p: str) -> str:
    return str(1 - Fraction(p))


def _correlated(said: Mapping[str, Any]) -> tuple[Tree, Tree]:
    """The laws P and Q of atoms of equal ratio, of the pair s = 1 and s = 0 (protocols/correlated.py).

    P is -1 with probability 1/(1 + q), else u + 1; Q is -1 with probability q/(1 + q), else u, of law Z_3 + Geo(q^2).
    """
    q = Fraction(said["q"])
    geometric = {"law": "negative binomial", "r": "1", "p": text(q * q)}
    shared = {"law": "sum", "of": [law(said["noise"]), geometric]}
    moved = {"law": "sum", "of": [constant(1), shared]}
    one, other = text(1 / (1 + q)), text(q / (1 + q))
    return (
        {"law": "mixture", "of": [[one, constant(-1)], [other, moved]]},
        {"law": "mixture", "of": [[other, constant(-1)], [one, shared]]},
    )


def _release(said: Mapping[str, Any]) -> Tree:
    noise = law(said["noise"])
    for by in (2 ** said["bits"] if said["bits"] else 0, said["wrap"]):
        noise = {"law": "mod", "by": by, "of": noise} if by > 1 else noise
    shown = {"shown": {"mod": said["modulo"]}} if said["modulo"] else {}
    return {"users": 1, "each": {"up to": said["sensitivity"]}, "added": noise, **shown}


def _presence(said: Mapping[str, Any]) -> Tree:
    """A number to which every user adds a part of the noise: the part is what is missing where one is absent."""
    there, gone = law(said["present"]), law(said["absent"])
    if gone["law"] != there["law"]:  # nobody else adds anything
        return {"users": 1, "each": {"up to": said["sensitivity"], "plus": there}}
    adds = {"binomial": "n", "poisson": "lam", "negative binomial": "r"}[there["law"]]
    whole, part = Fraction(there[adds]), Fraction(there[adds]) - Fraction(gone[adds])
    share = there | {adds: int(part) if adds == "n" else text(part)}
    each = {"up to": said["sensitivity"], "plus": share}
    if (users := whole / part).denominator == 1:
        return {"users": int(users), "each": each}
    return {"users": 1, "each": each, "added": gone}


def _one_of(columns: Any, held: Tree, other: Tree, users: int = 1, added: Tree | None = None) -> Tree:
    each = {"one of": columns, "held": held, "other": other}
    return {"users": users, "each": each, **({"added": added} if added else {})}


def _strings(said: Mapping[str, Any]) -> Tree:
    noise = {"law": "binomial", "n": said["strings"] - 1, "p": said["flip"]} if said["strings"] > 1 else None
    return _one_of(2, coin(_less(said["flip"])), coin(said["flip"]), 1, noise)


MECHANISMS: Mapping[str, Callable[[Mapping[str, Any]], Tree]] = {
    "count": lambda said: {"users": 1, "each": {"up to": said["sensitivity"]}, "added": law(said["noise"])},
    "histogram": lambda said: _one_of(said["buckets"], constant(1), constant(0), 1, law(said["noise"])),
    "correlated": lambda said: {
        "users": 1,
        "each": {"columns": {name: [one] for name, one in zip("10", _correlated(said), strict=True)}},
    },
    "correlated histogram": lambda said: _one_of(said["buckets"], *_correlated(said)),
    "strings": _strings,
    "columns": lambda said: _one_of(said["columns"], coin(_less(said["flip"])), coin(said["flip"]), said["users"]),
    "sampled": lambda said: _one_of(2, coin(said["keep"]), constant(0), 1, law(said["noise"])),
    "release": _release,
    "presence": _presence,
    "any randomizer": lambda said: {
        "users": said["users"],
        "each": {"private": [said["local"], said["local delta"]]},
    },
    "thresholded counts": lambda said: {
        **_one_of("any number", coin(said["p"]), constant(0), said["users"]),
        "shown": {"from": said["k"]},
    },
}


def _fewer(inputs: list[str], others: int, end: str) -> list[Any]:
    """A tree whose leaves are blocks of so many others and the user who changes."""

    def walk(left: list[str], users: dict[str, int], room: int) -> list[Any]:
        if room == 0 or len(left) == 1:
            held = users | ({left[0]: room} if room else {})
            return [block(held | {end: held.get(end, 0) + 1}, 0, end)]
        found, name = list[Any](), left[0]
        for count in range(room):
            found += [[name, count], *walk(left[1:], users | {name: count}, room - count)]
        return found + walk([name], users, room)

    return walk(inputs, {}, others)
