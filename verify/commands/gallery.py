"""The rows of `audit --gallery`: what the field claims, and what each randomizer keeps."""

from fractions import Fraction
from importlib import import_module

from verify.audit.answer import epsilon_tree
from verify.audit.audit import Promise, Slack, judge
from verify.commands import options
from verify.decide.worst_case import epsilon
from verify.errors import BadInput, TooMuchWork, Undecided
from verify.exact.epsilon import Eps
from verify.exact.rational import plain, shorten, text
from verify.report import words as words_of
from verify.report.words import interval
from verify.shapes.common import Tree


def audited(name: str | None, delta: Fraction, n: int) -> Tree:
    """The audit of all entries, or of those whose name matches a glob.

    For each the exact local and preshuffle eps, eps of n users at delta, and whether the claimed local eps is kept.
    """
    from fnmatch import fnmatchcase

    entries = import_module("protocols.gallery").GALLERY
    chosen = [entry for entry in entries if name is None or fnmatchcase(entry.name, name)]
    if not chosen:
        known = ", ".join(entry.name for entry in entries)
        raise BadInput(f"--gallery {name}: no such randomizer: expected one of {known}")
    with import_module("verify.runs.executors").executor_of(1 if len(chosen) < 4 else None) as executor:
        calls = [executor.submit(_row, entry.name, delta, n) for entry in chosen]
        rows = [call.result() for call in options.track(calls, len(calls))]
    return {"gallery": rows, "n": n, "delta": text(delta)}


def _row(name: str, delta: Fraction, n: int) -> Tree:
    """One entry's, in a process of its own."""
    (entry,) = (entry for entry in import_module("protocols.gallery").GALLERY if entry.name == name)
    randomizer = entry.randomizer()
    claimed: Eps | None = entry.claimed_local_eps
    bound = entry.claimed_delta
    verdict = None if claimed is None else judge(randomizer, Promise(1, claimed, bound, "local"), Slack()).verdict
    try:
        shuffled: Tree = epsilon_tree(epsilon(randomizer, n, delta))
    except (TooMuchWork, Undecided) as error:
        shuffled = {"refused": str(error)}
    return {
        "name": entry.name,
        "title": entry.title,
        "source": entry.source,
        "parameters": dict(entry.parameters),
        "inputs": len(randomizer.inputs),
        "messages": len(randomizer.messages),
        "claimed": None
        if claimed is None
        else {"epsilon": str(claimed), "delta": text(bound), "formula": entry.claim_formula},
        "verdict": verdict,
        "others_claims": [
            {"epsilon": str(c.local_eps), "formula": c.formula, "source": c.source} for c in entry.others_claims
        ],
        "local": {"epsilon": epsilon_tree(epsilon(randomizer, 1, 0, "local"))},
        "preshuffle": {"epsilon": epsilon_tree(epsilon(randomizer, 1, 0, "preshuffle"))},
        "shuffled": shuffled,
        "note": entry.note,
    }


def words(answer: Tree) -> str:
    """The answer in words: one line for each entry, with the claimed eps, the one it keeps, and the shuffled one."""
    rows = [
        [
            "randomizer",
            "claims eps",
            "keeps eps",
            "claim",
            f"shuffled, n = {answer['n']}, delta = {plain(answer['delta'])}",
        ]
    ]
    for row in answer["gallery"]:
        claimed = "nothing" if row["claimed"] is None else shorten(row["claimed"]["epsilon"], 24)
        if row["claimed"] is not None and row["claimed"]["delta"] != "0":
            claimed += f" at {row['claimed']['delta']}"
        shuffled = "no bound" if "refused" in row["shuffled"] else _eps(row["shuffled"])
        rows.append([row["name"], claimed, _eps(row["local"]["epsilon"]), row["verdict"] or "-", shuffled])
    lines = words_of.aligned(rows)[0]
    notes = [f"{row['name']}: {row['title']}; {row['source']}" for row in answer["gallery"]] if len(rows) == 2 else []
    notes += [f"  {row['note']}" for row in answer["gallery"] if len(rows) == 2 and row["note"]]
    return "\n".join(line.rstrip() for line in [*lines, *notes])


def _eps(value: Tree) -> str:
    if value["exact"] == "inf":
        return "infinite"
    if value["upper"] == "inf":
        return (
            "no bound"
            if Fraction(value["lower"]) == 0
            else f"more than {interval({**value, 'upper': value['lower']}, 5)}"
        )
    return shorten(value["exact"], 24) if value["exact"] and len(value["exact"]) <= 24 else interval(value, 5)
