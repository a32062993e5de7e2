"""The rows of `audit --gallery`: what the field claims, and what each randomizer keeps."""

from contextlib import nullcontext
from fractions import Fraction
from importlib import import_module
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers.audited import epsilon_tree
from shufflecert.verify.audit.audit import Promise, judge, kept_but_for_rounding
from shufflecert.verify.audit.closer import bound_for
from shufflecert.verify.audit.slack import Slack
from shufflecert.verify.bound.bound import WorstEpsilon
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import text
from shufflecert.verify.exact.written import Tree, exactly


def audited(name: str | None, delta: Fraction, n: int) -> Tree:
    """The audit of all entries, or of those whose name matches a glob.

    For each the exact local and preshuffle eps, eps of n users at delta, and whether the claimed local eps is kept.
    """
    from fnmatch import fnmatchcase

    chosen = [known for known in _entries() if name is None or fnmatchcase(known, name)]
    if not chosen:
        raise BadInput(f"--gallery {name}: no such randomizer: expected one of {', '.join(_entries())}")
    with import_module("shufflecert.verify.runs.executors").executor_of(1 if len(chosen) < 4 else None) as executor:
        calls = [executor.submit(_row, entry, delta, n) for entry in chosen]
        with progress.busy(chosen[0]) if len(calls) == 1 else nullcontext():
            rows = [call.result() for call in progress.track(calls, len(calls))]
    return {"gallery": rows, "n": n, "delta": text(delta)}


def _entries() -> dict[str, Any]:
    """The gallery, by name: tables, and systems at the sizes at which they are deployed."""
    listed = import_module("shufflecert.protocols.gallery")
    return {entry.name: entry for entry in (*listed.GALLERY, *listed.DEPLOYED)}


def _row(name: str, delta: Fraction, n: int) -> Tree:
    """One entry's, in a process of its own."""
    entry = _entries()[name]
    made = entry.randomizer()
    return (_table if isinstance(made, Randomizer) else _system)(entry, made, delta, n)


def _table(entry: Any, randomizer: Randomizer, delta: Fraction, n: int) -> Tree:
    """That of an exact table."""
    claimed: Eps | None = entry.claimed_local_eps
    bound = entry.claimed_delta
    promise = None if claimed is None else Promise(1, claimed, bound, "local")
    decided = None if promise is None else judge(randomizer, promise, Slack())
    nearly = kept_but_for_rounding(randomizer, promise, decided, Slack())
    try:
        shuffled: Tree = epsilon_tree(bound_for(randomizer, n, Effort()).epsilon(delta))
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
        "verdict": decided and decided.verdict,
        **_by_rounding(nearly),
        "others_claims": [
            {"epsilon": str(c.local_eps), "formula": c.formula, "source": c.source} for c in entry.others_claims
        ],
        "local": {"epsilon": epsilon_tree(epsilon(randomizer, 1, 0, "local"))},
        "preshuffle": {"epsilon": epsilon_tree(epsilon(randomizer, 1, 0, "preshuffle"))},
        "shuffled": shuffled,
        "note": entry.note,
    }


def _system(entry: Any, system: Any, delta: Fraction, n: int) -> Tree:
    """A system's, by its own bounds: one message a user, so that both views of a single user are the shuffled one."""
    claimed, local = entry.claimed_local_eps, epsilon(system, 1, 0)
    return {
        "name": entry.name,
        "title": entry.title,
        "source": entry.source,
        "parameters": dict(entry.parameters),
        "inputs": system.inputs,
        "messages": None,
        "claimed": {"epsilon": str(claimed), "delta": "0", "formula": entry.claim_formula},
        "verdict": _keeps(local, claimed),
        "others_claims": [],
        "local": {"epsilon": epsilon_tree(local)},
        "preshuffle": {"epsilon": epsilon_tree(local)},
        "shuffled": epsilon_tree(epsilon(system, n, delta)),
        "note": entry.note,
    }


def _keeps(found: WorstEpsilon, claimed: Eps) -> str:
    """Whether an eps is at most what is claimed."""
    low, high = (found.eps, found.eps) if found.eps is not None else map(_eps, found.interval or (None, None))
    if high is not None and high <= claimed:
        return "PROVED"
    return "REFUTED" if low is None or low > claimed else "UNDECIDED"


def _eps(value: Fraction | None) -> Eps | None:
    return None if value is None else Eps.of(value)


def _by_rounding(nearly: Fraction | None) -> Tree:
    """The eps, a little larger than what is claimed, that is kept where the claim fails by rounding alone."""
    if nearly is None:
        return {}
    return {"by_rounding": exactly(nearly)}
