"""The rows of `audit --gallery`: what the field claims, and what each randomizer keeps."""

from contextlib import nullcontext
from fractions import Fraction
from importlib import import_module
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers.audited import epsilon_tree
from shufflecert.verify.audit.audit import Promise, Slack, bound_for, judge, kept_but_for_rounding
from shufflecert.verify.bound.bound import WorstEpsilon
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps, Tree, exactly
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import text


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
    """One entry's, in a process of its own.

    That of an exact table; or of a system, by its own bounds: one message a user, so that both views of a single user
    are the shuffled one.
    """
    entry = _entries()[name]
    made, claimed, bound = entry.randomizer(), entry.claimed_local_eps, entry.claimed_delta
    claim = {"epsilon": str(claimed), "delta": text(bound), "formula": entry.claim_formula}
    row = {"name": name, "title": entry.title, "source": entry.source, "parameters": dict(entry.parameters)}
    if isinstance(made, Randomizer):
        promise = None if claimed is None else Promise(1, claimed, bound, "local")
        decided = None if promise is None else judge(made, promise, Slack())
        nearly = kept_but_for_rounding(made, promise, decided, Slack())
        local, apart = (epsilon(made, 1, 0, view) for view in ("local", "preshuffle"))
        try:
            shuffled: Tree = epsilon_tree(bound_for(made, n, Effort()).epsilon(delta))
        except (TooMuchWork, Undecided) as error:
            shuffled = {"refused": str(error)}
        row |= {"inputs": len(made.inputs), "messages": len(made.messages)}
        row |= {"claimed": None if claimed is None else claim, "verdict": decided and decided.verdict}
        row |= {} if nearly is None else {"by_rounding": exactly(nearly)}
    else:
        local = apart = epsilon(made, 1, 0)
        shuffled = epsilon_tree(epsilon(made, n, delta))
        row |= {"inputs": made.inputs, "messages": None, "claimed": claim, "verdict": _keeps(local, claimed)}
    others = ({"epsilon": str(c.local_eps), "formula": c.formula, "source": c.source} for c in entry.others_claims)
    row |= {"others_claims": list(others)}
    row |= {"local": {"epsilon": epsilon_tree(local)}, "preshuffle": {"epsilon": epsilon_tree(apart)}}
    return row | {"shuffled": shuffled, "note": entry.note}


def _keeps(found: WorstEpsilon, claimed: Eps) -> str:
    """Whether an eps is at most what is claimed."""
    low, high = (found.eps, found.eps) if found.eps is not None else map(_eps, found.interval or (None, None))
    if high is not None and high <= claimed:
        return "PROVED"
    return "REFUTED" if low is None or low > claimed else "UNDECIDED"


def _eps(value: Fraction | None) -> Eps | None:
    return None if value is None else Eps.of(value)
