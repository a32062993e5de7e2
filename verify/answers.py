"""The command's answers: their JSON form (DESIGN.md's contract) and the same in words."""

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verify.accuracy import Accuracy
from verify.certify import Certified
from verify.enclosure import Enclosure
from verify.neighbours import Scope
from verify.number import Delta, decimals, shorten, text
from verify.worst import WorstDelta, WorstEpsilon

Tree = dict[str, Any]


def show(answer: Any, words: Callable[[Any], str], as_json: bool, parameters: dict[str, str] | None = None) -> None:
    """Print an answer, with the parameters where a paper prescribed them; what the terminal lacks is shown escaped."""
    if parameters is not None:
        answer = {"system": answer["system"], "parameters": parameters, **answer}
    shown = json.dumps(answer, indent=2) if as_json else words(answer)
    if parameters is not None and not as_json:
        shown += "\n  parameters (the paper's, 64 bits): " + ", ".join(f"{k} = {v}" for k, v in parameters.items())
    encoding = sys.stdout.encoding or "utf-8"
    print(shown.encode(encoding, "backslashreplace").decode(encoding))


def delta_tree(value: Delta | Enclosure) -> Tree:
    lower, upper = value.enclosure()
    exact = {"A": text(value.A), "B": text(value.B)} if isinstance(value, Delta) else None
    return {"lower": lower, "upper": upper, "exact": exact}


def scope_tree(scope: Scope) -> Tree:
    worst = None
    if scope.worst:
        others = None if scope.worst.others is None else dict(scope.worst.others)
        worst = {"from": scope.worst.source, "to": scope.worst.target, "others": others}
    return {
        "adjacency": scope.adjacency,
        "view": scope.view,
        "n": scope.n,
        "datasets": scope.datasets,
        "by": scope.by,
        "pairs": scope.pairs,
        "stands_for": scope.stands_for,
        "two_sided": scope.two_sided,
        "worst": worst,
    }


def delta_json(found: WorstDelta, system: str) -> Tree:
    eps, value = str(found.eps), delta_tree(found.delta)
    return {"system": system, "eps": eps, "delta": value, "scope": scope_tree(found.scope)}


def delta_text(answer: Tree) -> str:
    value, eps = answer["delta"], answer["eps"]
    lines = [f"delta({eps}) = {interval(value)}"]
    if value["exact"]:
        a, b = (shorten(value["exact"][name]) for name in "AB")
        lines.append(f"  exactly {a} - {b} e^eps")
    return "\n".join([*lines, scope_text(answer["scope"])])


def epsilon_json(found: WorstEpsilon, system: str, delta: Fraction) -> Tree:
    if found.eps is None and found.interval is None:
        value: Tree = {"lower": "inf", "upper": "inf", "exact": "inf"}
    elif found.eps is None:
        assert found.interval is not None
        low, high = found.interval
        lower, upper = decimals(low, low if high is None else high)
        value = {"lower": lower, "upper": "inf" if high is None else upper, "exact": None}
    else:
        lower, upper = found.eps.enclosure()
        assert found.eps.power is not None
        value = {"lower": lower, "upper": upper, "exact": f"log({text(found.eps.power)})"}
    return {"system": system, "delta": text(delta), "epsilon": value, "scope": scope_tree(found.scope)}


def epsilon_text(answer: Tree) -> str:
    value = answer["epsilon"]
    if value["exact"] == "inf":
        head = f"eps({answer['delta']}) = infinite: no finite eps keeps this delta"
    elif value["upper"] == "inf":
        head = f"eps({answer['delta']}) = more than {value['lower']}: no finite eps is shown to keep this delta"
    else:
        head = f"eps({answer['delta']}) = {interval(value)}"
        head += f"\n  exactly {shorten(value['exact'], 80)}" if value["exact"] else ""
    return f"{head}\n{scope_text(answer['scope'])}"


def accuracy_json(found: Accuracy, system: str, n: int, alpha: Fraction | None) -> Tree:
    ends = ("rmse", "failure_probability", "expected_messages")
    values = {name: _ends(getattr(found, name)) for name in ends}
    return {
        "system": system,
        "n": n,
        "error_of": found.error_of,
        "alpha": None if alpha is None else text(alpha),
        **values,
        "bits_per_message": found.bits_per_message,
        "datasets": found.datasets,
    }


def _ends(value: Enclosure | None) -> Tree | None:
    return None if value is None else dict(zip(("lower", "upper"), value.enclosure(), strict=True))


def accuracy_text(answer: Tree) -> str:
    lines = [f"error of {answer['error_of']}: root mean square {interval(answer['rmse'])}"]
    if answer["failure_probability"]:
        failure = f"Pr[|error| > {shorten(answer['alpha'])}]" if answer["alpha"] else "Pr[failure]"
        lines.append(f"  {failure} = {interval(answer['failure_probability'])}")
    messages, bits = interval(answer["expected_messages"]), answer["bits_per_message"]
    lines.append(f"  messages per user: {messages} expected, {bits} bit{'s' * (bits > 1)} each")
    lines.append(f"  n = {answer['n']}, {answer['datasets']}")
    return "\n".join(lines)


def certify_json(result: Certified, system: str, written: str | None) -> Tree:
    answer: Tree = {
        "system": system,
        "verdict": result.verdict,
        "claim": {"eps": str(result.claim.eps), "delta": text(result.claim.delta)},
        "delta": delta_tree(result.worst.delta) if result.worst else None,
        "scope": scope_tree(result.worst.scope) if result.worst else None,
        "certificate": written,
    }
    if result.verdict == "UNDECIDED":
        answer["reason"] = result.reason
    if result.certificate and result.probabilities:
        of_event = [dict(zip(("lower", "upper"), decimals(p, p), strict=True)) for p in result.probabilities]
        answer["refutation"] = {**result.certificate["evidence"], "P": of_event[0], "Q": of_event[1]}
    return answer


def certify_text(answer: Tree) -> str:
    claim = answer["claim"]
    if answer["verdict"] == "UNDECIDED":
        return f"UNDECIDED: {answer['reason']}"
    sign = "<=" if answer["verdict"] == "PROVED" else ">"
    lines = [
        f"{answer['verdict']}: delta({shorten(claim['eps'])}) = {interval(answer['delta'])}"
        f" {sign} {shorten(claim['delta'])}",
        scope_text(answer["scope"]),
    ]
    if "refutation" in answer:
        event = answer["refutation"]["event"]
        shown = "; ".join(_outcome_text(outcome) for outcome in event[:5]) + ("; ..." if len(event) > 5 else "")
        lines.append(f"  event: {len(event)} outcome{'s' * (len(event) > 1)}: {shown}")
        p, q = (interval(answer["refutation"][name]) for name in "PQ")
        lines.append(f"  of probability {p} against {q}")
    lines.append(
        f"  certificate: {answer['certificate']}" if answer["certificate"] else "  no certificate asked for (-o FILE)"
    )
    return "\n".join(lines)


def check_text(rows: list[Tree]) -> str:
    return "\n".join(f"{row['certificate']}: {row['status']}: {row['reason']}" for row in rows)


def claims_text(rows: list[Tree]) -> str:
    blocks = []
    for row in rows:
        evidence = "\n".join(f"    {line}" for line in row["evidence"])
        blocks.append(
            f"{row['name']} ({row['place']}): {row['verdict'].upper()}\n  {row['statement']}\n"
            f"  range: {row['range']}\n  evidence:\n{evidence}\n  {row['seconds']:.2f} s"
        )
    return "\n\n".join(blocks)


def systems_table(rows: list[Tree]) -> str:
    blocks = []
    for row in rows:
        lines = [f"{row['name']}: {row['what']}"]
        for parameter in row["parameters"]:
            default = f" (default {parameter['default']})" if parameter["default"] is not None else ""
            lines.append(f"    -p {parameter['name']}=...  {parameter['meaning']}{default}")
        lines.append(f"    views: {', '.join(row['views'])}; source: {row['source']}")
        lines.append(f"    large n: {row['reach']}")
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def interval(value: Tree, digits: int = 12) -> str:
    """The enclosure at `digits` digits, rounded outwards again; one number where it is exact."""
    lower, upper = decimals(Fraction(value["lower"]), Fraction(value["upper"]), digits)
    return lower if lower == upper else f"[{lower}, {upper}]"


def _outcome_text(outcome: Any) -> str:
    if isinstance(outcome, dict):
        return " + ".join(f"{count} x {message}" for message, count in outcome.items()) or "nothing"
    return "(" + ", ".join(outcome) + ")"


def scope_text(scope: Tree) -> str:
    stands_for = "countless" if scope["stands_for"] is None else shorten(str(scope["stands_for"]))
    lines = [
        f"  {scope['view']} view, n = {scope['n']}, all neighbouring datasets (one user replaced)",
        f"  {scope['pairs']} of {stands_for} pairs evaluated: {scope['by']}",
    ]
    if scope["two_sided"]:
        lines.append("  lower end: attained by real datasets; upper end: a pair that dominates all datasets")
    if worst := scope["worst"]:
        others = ", ".join(f"{count} on {x}" for x, count in (worst["others"] or {}).items())
        others = "any" if worst["others"] is None else others
        pair = f"  worst: one user on {worst['from']} against {worst['to']}"
        lines.append(f"{pair}, the others: {others}" if others else pair)
    return "\n".join(lines)
