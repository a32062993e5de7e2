"""Certificates as they were written before there was one format, as that format writes them (verify/CERTIFICATE.md).

What an old certificate stated besides its claim, a bound on the worst pair from either side, becomes a certificate of
its own. This keeps the corpus of accepted and rejected certificates; the kernel reads one format.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

Tree = dict[str, Any]
NAMES = {"negative_binomial": "negative binomial", "discrete_laplace": "discrete Laplace",
         "truncated_discrete_laplace": "discrete Laplace", "discrete_gaussian": "discrete Gaussian"}
ALONE = 50  # compositions of a tree that is written out


def converted(old: Tree) -> list[Tree]:
    """The certificates that state what an old one did. Raises KeyError, TypeError or ValueError for what is none."""
    claim, evidence, proved = old["claim"], old["evidence"], old["verdict"] == "PROVED"
    seen, neighbours = _seen(claim, evidence, proved), _neighbours(claim)
    found = [_one(seen, neighbours, claim["eps"], claim["delta"], old["verdict"], _because(old, seen, neighbours))]
    if "note" in old:
        found[0] = {"format": found[0].pop("format"), "note": old["note"], **found[0]}
    worst = evidence.get("worst") or (evidence if "delta" in evidence else None)
    if worst is not None:
        found += _ends(old, seen, neighbours, worst)
    return found


def _one(seen: Tree, neighbours: Any, eps: str, delta: str, verdict: str, because: Tree) -> Tree:
    claim = {"runs": [{"seen": seen, "times": 1}], "neighbours": neighbours, "eps": eps, "delta": delta}
    return {"format": "shufflecert certificate", "claim": claim, "verdict": verdict, "because": because}


def _ends(old: Tree, seen: Tree, neighbours: Any, worst: Tree) -> list[Tree]:
    """What an old certificate said of the worst pair: at most `upper` everywhere, at least `lower` there."""
    claim = old["claim"]
    low, high = (_decimal(worst["delta"][end]) for end in ("lower", "upper"))
    found = []
    if high < 1 and old["verdict"] == "PROVED":
        because = _because(old | {"verdict": "PROVED"}, seen, neighbours)
        found.append(_one(seen, neighbours, claim["eps"], str(high), "PROVED", because))
    if low > 0 and "pair" in worst:
        below = low * (1 - Fraction(1, 10**20))
        pair = {key: value for key, value in worst["pair"].items()}
        found.append(_one(seen, neighbours, claim["eps"], str(below), "REFUTED", {"pair": pair}))
    return found


def _decimal(text: str) -> Fraction:
    return Fraction(text)


def _neighbours(claim: Tree) -> Any:
    return {"deletion": claim["reference"]} if claim["adjacency"] == "deletion" else claim["adjacency"]


def law(old: Tree) -> Tree:
    """A noise law as it is written now."""
    renamed = {key: value for key, value in old.items() if key != "law"}
    return {"law": NAMES.get(old["law"], old["law"]), **renamed}


def constant(k: int) -> Tree:
    """The law of one number."""
    return {"law": "finite", "p": {str(k): "1"}}


def coin(p: str) -> Tree:
    """The law of a bit."""
    return {"law": "binomial", "n": 1, "p": p}


def _less(p: str) -> str:
    return str(1 - Fraction(p))


def _seen(claim: Tree, evidence: Tree, proved: bool) -> Tree:
    if "randomizer" in claim:
        seen = {"users": claim["n"], "view": claim["view"], "each": {"rows": claim["randomizer"]["rows"]}}
        crowd = {key: claim[key] for key in ("honest", "take part") if key in claim}
        return {"users": seen["users"], **crowd, "view": seen["view"], "each": seen["each"]}
    said = claim["mechanism"]
    job: Callable[[Tree], Tree] = MECHANISMS[said["view"]]
    return job(said)


def _correlated(said: Tree) -> tuple[Tree, Tree]:
    """The laws P and Q of atoms of equal ratio, of the pair s = 1 and s = 0 (protocols/correlated.py)."""
    q = Fraction(said["q"])
    geometric = {"law": "negative binomial", "r": "1", "p": str(q * q)}
    shared = {"law": "sum", "of": [law(said["noise"]), geometric]}
    moved = {"law": "sum", "of": [constant(1), shared]}
    one, other = str(1 / (1 + q)), str(q / (1 + q))
    return ({"law": "mixture", "of": [[one, constant(-1)], [other, moved]]},
            {"law": "mixture", "of": [[other, constant(-1)], [one, shared]]})


def _release(said: Tree) -> Tree:
    noise = law(said["noise"])
    for by in (2 ** said["bits"] if said["bits"] else 0, said["wrap"]):
        noise = {"law": "mod", "by": by, "of": noise} if by else noise
    shown = {"shown": {"mod": said["modulo"]}} if said["modulo"] else {}
    return {"users": 1, "each": {"up to": said["sensitivity"]}, "added": noise, **shown}


MECHANISMS: Mapping[str, Callable[[Tree], Tree]] = {
    "count": lambda said: {"users": 1, "each": {"up to": said["sensitivity"]}, "added": law(said["noise"])},
    "histogram": lambda said: {"users": 1, "each": {"one of": said["buckets"], "held": constant(1), "other": constant(0)},
                               "added": law(said["noise"])},
    "correlated": lambda said: {"users": 1, "each": {"columns": dict(zip("10", ([one] for one in _correlated(said))))}},
    "correlated histogram": lambda said: {"users": 1, "each": dict(
        zip(("one of", "held", "other"), (said["buckets"], *_correlated(said))))},
    "strings": lambda said: {"users": 1, "each": {"one of": 2, "held": coin(_less(said["flip"])), "other": coin(said["flip"])}}
    | ({"added": {"law": "binomial", "n": said["strings"] - 1, "p": said["flip"]}} if said["strings"] > 1 else {}),
    "columns": lambda said: {"users": said["users"], "each": {"one of": said["columns"], "held": coin(_less(said["flip"])),
                                                               "other": coin(said["flip"])}},
    "sampled": lambda said: {"users": 1, "each": {"one of": 2, "held": coin(said["keep"]), "other": constant(0)},
                             "added": law(said["noise"])},
    "release": _release,
    "any randomizer": lambda said: {"users": said["users"], "each": {"private": [said["local"], said["local delta"]]}},
    "thresholded counts": lambda said: {"users": said["users"], "each": {"one of": "any number", "held": coin(said["p"]),
                                                                          "other": constant(0)}, "shown": {"from": said["k"]}},
}


def _because(old: Tree, seen: Tree, neighbours: Any) -> Tree:
    evidence, proved, each = old["evidence"], old["verdict"] == "PROVED", seen["each"]
    if "private" in each:
        if proved:
            return {"grid": evidence["blanket"]}
        return {"rows": evidence["randomizer"]["rows"], "pair": evidence["pair"], "event": evidence["threshold"]}
    if "up to" in each:
        return {} if proved else {"pair": {"from": str(each["up to"]), "to": "0"}}
    if "rows" not in each:
        if not proved:
            i, j = evidence.get("others", (0, 0))
            others = {"a": i, "b": j, "other": seen["users"] - 1 - i - j}
            ends = ("1", "0") if "columns" in each else ("a", "b")
            others = {key: count for key, count in others.items() if count}
            return {"pair": {"from": ends[0], "to": ends[1], "others": others}}
        if "columns" in each:
            return {"pairs": [{"from": a, "to": b, "tree": ["each"]} for a, b in (("0", "1"), ("1", "0"))]}
        ends = [("a", "b")] if neighbours == "replace" else [("a", None), (None, "a")]
        return {"pairs": [{"from": a, "to": b, "tree": ["each"]} for a, b in ends]}
    if not proved:
        pair = evidence["pair"]
        return {"pair": pair, "event": {"outcomes": evidence["event"]} if "event" in evidence else evidence["threshold"]}
    return _of_rows(old, seen, neighbours)


def _of_rows(old: Tree, seen: Tree, neighbours: Any) -> Tree:
    evidence, inputs = old["evidence"], [row["input"] for row in seen["each"]["rows"]]
    ends = [(a, b) for a, b in permutations([*inputs, None] if neighbours != "replace" else inputs, 2)
            if neighbours == "replace" or None in (a, b)]
    if "blanket" in evidence:
        leaf = {"users": {}, "open": 1, "place": None, "grid": evidence["blanket"]}
        return {"pairs": [{"from": a, "to": b, "tree": [leaf]} for a, b in ends]}
    if "cover" in evidence:
        tree = ["corner" if node is None else node for node in evidence["cover"]]
        return {"pairs": [{"from": a, "to": b, "tree": tree} for a, b in ends]}
    if "blocks" in evidence:
        covers = evidence["blocks"]["covers"]
        known = {"known": evidence["blocks"]["known"]} if evidence["blocks"]["known"] else {}
        return {**known, "pairs": [{"from": one["from"], "to": one["to"], "tree": one["cover"]} for one in covers]}
    if "users" in evidence:
        tree = _fewer(inputs, evidence["users"] - 1)
        return {"pairs": [{"from": a, "to": b, "tree": tree(a)} for a, b in ends]}
    renamings, entries = evidence["symmetries"], list[Tree]()
    for pair in ends:
        for i, entry in enumerate(entries):
            by = [k for k, one in enumerate(renamings) if "tree" in entry
                  and tuple(one["inputs"].get(x, x) for x in (entry["from"], entry["to"])) == pair]
            if by:
                entries.append({"from": pair[0], "to": pair[1], "same as": i, "by": by[0]})
                break
        else:
            fixed = [k for k, one in enumerate(renamings) if all(one["inputs"].get(x, x) == x for x in pair)]
            up_to = {"up to": fixed} if fixed else {}
            entries.append({"from": pair[0], "to": pair[1], "tree": ["each"], **up_to})
    return {**({"renamings": renamings} if renamings else {}), "pairs": entries}


def _fewer(inputs: list[str], others: int) -> Callable[[str], list[Any]]:
    """A tree whose leaves are blocks of so many others and the user who changes."""
    def tree(end: str) -> list[Any]:
        def leaf(users: dict[str, int]) -> Tree:
            return {"users": users | {end: users.get(end, 0) + 1}, "open": 0, "place": end}

        def walk(left: list[str], users: dict[str, int], room: int) -> list[Any]:
            if room == 0:
                return [leaf(users)]
            found, name = list[Any](), left[0]
            if len(left) == 1:
                return [leaf(users | {name: room})]
            for count in range(room):
                found += [[name, count], *walk(left[1:], users | ({name: count} if count else {}), room - count)]
            return found + [leaf(users | {name: room})]

        return walk(inputs, {}, others)

    return tree
