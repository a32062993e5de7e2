"""The answer of audit, of a randomizer or of code: what it keeps in every view, whom it betrays, what it costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

from shufflecert.verify.answers import plots
from shufflecert.verify.answers.answer import About, Answer, DeltaValue, Ends, EpsValue, Scope, columns, scope_tree
from shufflecert.verify.answers.decided import Decided, certified_tree, decided_lines
from shufflecert.verify.answers.words import (
    Grid,
    Lines,
    bounded,
    counted,
    held,
    interval,
    promises_nothing,
    rationals,
)
from shufflecert.verify.bound.bound import Certified, WorstEpsilon
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import INFINITE, Eps, Tree, delta_value, ends_of, eps_value, exactly
from shufflecert.verify.exact.rational import (
    between,
    decimal_above,
    decimal_below,
    decimals,
    plain,
    shorten,
    text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from shufflecert.verify.audit.audit import Audited, Slack
    from shufflecert.verify.audit.audit import Users as Counted
    from shufflecert.verify.audit.sampler import Followed

EXACT = 12  # characters up to which an exact eps stands in a table
DIGITS = 4  # of a number in a table
SHOWN = 6  # leaks, symmetries, numbers of users that are written out


class Kept(TypedDict):
    """The smallest eps at delta = 0 in a view."""

    epsilon: EpsValue


class EpsAtDelta(EpsValue):
    """The smallest eps at a delta."""

    delta: str


class DeltaAtEps(DeltaValue):
    """delta at an eps."""

    eps: str


Piece = TypedDict("Piece", {"from": str, "A": str, "B": str})  # delta = A - B e^eps from this eps on


class Users(TypedDict):
    """What so many users keep, shuffled; `refused` where that was too much work."""

    n: int
    refused: NotRequired[str]
    epsilon: NotRequired[EpsValue]
    epsilon_at_delta: NotRequired[EpsAtDelta]
    amplification: NotRequired[Ends | None]
    delta: NotRequired[list[DeltaAtEps]]
    scope: NotRequired[Scope]
    envelope: NotRequired[list[Piece] | None]


class Leak(TypedDict):
    """An output of one input that another one never has."""

    output: list[str]
    of: str
    never_of: str
    probability: str
    unexplored: str


class Blanket(Ends):
    """The weight of the privacy blanket, exactly where it is known."""

    gamma: str | None


class Communication(TypedDict):
    """What a user sends."""

    expected_messages: dict[str, str]
    bits_per_message: int


class Judged(Decided):
    """A promise and its verdict: a claim that was made, or, of an attack, the promise that its event breaks."""

    n: int
    view: str
    refuted_delta: NotRequired[str]
    by_rounding: NotRequired[Ends]


class Sampler(TypedDict):
    """How a function's law was found: followed, or observed, which rests on what it `assumes` (`refused`: why)."""

    tier: Literal["followed", "observed"]
    assumes: list[str]
    refused: str | None
    each: bool
    deployed: bool
    rng: str | None
    paths: dict[str, int]
    residual: dict[str, Ends]
    assumed_exact: list[str]
    of: dict[str, str] | None
    laws: dict[str, list[Tree]]
    patched: NotRequired[list[str]]


class AgainstIdeal(TypedDict):
    """The difference that floats make."""

    total_variation: dict[str, Ends]
    local_epsilon: dict[str, EpsValue]


class AuditAnswer(About):
    """The answer of `audit` for a randomizer, a system, or a function whose paths are followed."""

    audit: str
    inputs: list[str]
    messages: int
    local: Kept
    preshuffle: Kept
    shuffled: list[Users]
    large: Users
    leaks: list[Leak]
    blanket: Blanket
    communication: Communication
    symmetries: list[dict[str, str]]
    attack: Judged | None
    claim: Judged | None
    sampler: NotRequired[Sampler]
    against_ideal: NotRequired[AgainstIdeal]
    not_written: NotRequired[str]


@dataclass(frozen=True, repr=False)
class Audit(Answer):
    """The answer of `audit` for a randomizer, a system, or a function: what it keeps, and whom it betrays."""

    called = "audit"
    shape, keys = AuditAnswer, ("audit", "shuffled")
    caption = "eps at the audit's delta, over the numbers of users that were looked at."

    def lines(self, wide: int) -> Lines:
        """The verdict on a claim, what is kept in every view, leaks, costs, an attack: one page."""
        answer = self.tree
        inputs = ", ".join(answer["inputs"][:SHOWN]) + (", ..." if len(answer["inputs"]) > SHOWN else "")
        local = f"local eps {local_words(answer['local']['epsilon'])}; {sends(answer)}{nothing_but_order(answer)}"
        observed = answer.get("sampler", {"tier": ""})["tier"] == "observed"
        lines: Lines = [f"{answer['audit']}: {_claimed(answer)}"]
        lines = [*lines, local] if observed else [f"{lines[0]}{local}"]
        lines.append(f"{len(answer['inputs'])} inputs ({inputs}), {answer['messages']} different messages")
        if "sampler" in answer:
            lines += sampler_words(answer["sampler"])
        lines += [f"{view} eps: {eps_words(answer[view]['epsilon'])}" for view in ("local", "preshuffle")]
        lines += _shuffled(answer, wide)
        lines += _leaks(answer["leaks"], unexplored(answer))
        gamma = answer["blanket"]
        exactly = f" = {gamma['gamma']}" if gamma["gamma"] and 2 < len(gamma["gamma"]) <= EXACT else ""
        lines.append(f"blanket: of weight {interval(gamma, 6)}{exactly}")
        cost = answer["communication"]
        most = max(map(Fraction, cost["expected_messages"].values()))
        followed = ", on the paths that were followed" if unexplored(answer) else ""
        lines.append(
            f"communication: at most {between(*decimals(most, most, 6))} message{'s' * (most != 1)} a user,"
            f" {counted(cost['bits_per_message'], 'bit')} each{followed}"
        )
        lines.append(f"symmetries: {symmetries_words(answer['symmetries'])}")
        if answer["attack"]:
            lines += ["attack: an event that distinguishes two datasets", *_shown(answer["attack"])]
        if answer["claim"]:
            lines += ["claim: (eps, delta) = " + promised(answer["claim"]), *_decided(answer["claim"])]
        if "not_written" in answer:
            lines.append(f"{answer['not_written']} is not written: there is no verdict, and no event, to certify")
        if "against_ideal" in answer:
            lines += _against(answer["against_ideal"])
        return lines

    def rows(self) -> list[Tree]:
        """A row for each number of users that was looked at: pure eps, and eps at delta."""
        kept = [users for users in (*self.tree["shuffled"], self.tree["large"]) if "refused" not in users]
        return [{"n": users["n"], **columns(users, ("epsilon", "epsilon_at_delta"))} for users in kept]

    def plot(self) -> "Figure":
        """eps at the audit's delta, over the numbers of users."""
        found = [row for row in self.rows() if row["epsilon_at_delta_upper"] < float("inf")]
        if len(found) < 2:
            raise BadInput("plot: fewer than two numbers of users with a finite eps: expected more of them")
        ends = ([row[f"epsilon_at_delta_{end}"] for row in found] for end in ("lower", "upper"))
        band = plots.Band(self.tree["audit"], [float(row["n"]) for row in found], *ends)
        return plots.bands_figure([band], "users", "eps at the audit's delta", "shuffled view")


# As JSON ------------------------------------------------------------------------------------------------------------


def to_json(found: "Audited", name: str, followed: "Followed | None" = None, certificate: str | None = None) -> Tree:
    """The answer of an audit of a randomizer as JSON.

    The keys `local`, `preshuffle`, `shuffled`, `large`, `leaks`, `blanket`, `communication`, `symmetries`, `attack`,
    `claim`; of code `sampler` as well.
    """
    from shufflecert.verify.audit.sampler import NOT_FOLLOWED, OBSERVED  # what other commands need not wait for

    r, local = found.randomizer, found.local
    answer: Tree = {
        "audit": name,
        "inputs": list(r.inputs),
        "messages": len({m for m in r.messages if not m.startswith(NOT_FOLLOWED)}),
        "local": {"epsilon": epsilon_tree(local)},
        "preshuffle": {"epsilon": epsilon_tree(found.preshuffle)},
        "shuffled": [_users(users, found, local) for users in found.users],
        "large": _users(found.large, found, local),
        "leaks": [
            {
                "output": list(leak.messages),
                "of": leak.x,
                "never_of": leak.y,
                "probability": text(leak.p),
                "unexplored": decimal_above(leak.hidden),
            }
            for leak in found.leaks
        ],
        "blanket": _blanket(found),
        "communication": {
            "expected_messages": {x: text(e) for x, e in found.expected.items()},
            "bits_per_message": found.bits,
        },
        "symmetries": [dict(moved) for moved in found.symmetric],
        "attack": _verdict(found.attack, None if found.verdict else certificate, found.slack),
        "claim": _claim(found, certificate),
    }
    if followed is not None:
        answer["sampler"] = sampler_json(followed)
        if followed.tier == OBSERVED and answer["claim"] and answer["claim"]["verdict"] == "PROVED":
            answer["claim"]["verdict"] = "HOLDS"  # for the law that was observed
    return answer


def sampler_json(followed: "Followed") -> Tree:
    """What is known of a function whose paths were followed, as JSON: how many, and what was not followed."""
    return {
        "tier": followed.tier,
        "assumes": list(followed.assumes),
        "refused": followed.refused or None,
        "each": followed.several,
        "deployed": followed.deployed,
        "rng": followed.library,
        "paths": dict(followed.paths),
        "residual": {x: exactly(r) for x, r in followed.residual.items()},
        "assumed_exact": list(followed.assumed),
        "of": {"file": followed.file, "sha256": followed.digest} if followed.digest else None,
        "laws": {
            x: [{"send": list(m), "p": text(p)} for m, p in law.items()]
            for x, law in followed.laws.items()
            if len(law) <= 64 and all(p.denominator < 2**256 for p in law.values())
        },
    }


def compared_json(deployed: "Followed", ideal: "Followed", both: "dict[str, Audited]") -> Tree:
    """The difference that floats make, as JSON: total variation distance of every input, and pure eps."""
    distance = {}
    for x, law in deployed.laws.items():
        other = ideal.laws[x]
        outputs = {*law, *other}
        apart = sum((abs(law.get(m, Fraction(0)) - other.get(m, Fraction(0))) for m in outputs), Fraction(0)) / 2
        slack = deployed.residual[x] + ideal.residual[x]
        distance[x] = ends_of(max(Fraction(0), apart - slack), apart + slack)
    eps = {name: epsilon_tree(audited.local) for name, audited in both.items()}
    return {"total_variation": distance, "local_epsilon": eps}


def _claim(found: "Audited", certificate: str | None) -> Tree | None:
    """The verdict on the claim; where it is broken and 2^-40 more eps, or delta, would keep it, that eps."""
    answer = _verdict(found.verdict, certificate, found.slack)
    rounded = import_module("shufflecert.verify.audit.audit").kept_but_for_rounding
    kept = rounded(found.randomizer, found.promise, found.verdict, found.slack)
    if answer is None or kept is None:
        return answer
    return answer | {"by_rounding": exactly(kept)}


def _verdict(found: Certified | None, certificate: str | None, slack: "Slack") -> Tree | None:
    """Where mass was not followed, the certificate is of the randomizer that dominates: it refutes a larger delta than
    the promised one, and delta and the event's probabilities are the function's only as far as that."""
    if found is None:
        return None
    answer, claim, asked = certified_tree(found, certificate), found.claim, found.claim.question
    if slack.residual:
        margin, unseen = slack.margin(claim.eps, asked.n), asked.n * slack.residual
        if found.verdict == "REFUTED":
            answer["claim"]["delta"] = text(claim.delta - margin)
            answer["refuted_delta"] = text(claim.delta)
        if answer["delta"]:
            answer["delta"] = {**_widened(answer["delta"], margin, Fraction(0)), "exact": None}
        for side in "PQ" if "refutation" in answer else "":
            answer["refutation"][side] = _widened(answer["refutation"][side], unseen, unseen)
    return {"n": asked.n, "view": asked.view, **answer}


def _widened(value: Tree, less: Fraction, more: Fraction) -> Tree:
    low, high = rationals(value)
    return ends_of(max(Fraction(0), low - less), min(Fraction(1), high + more))


def _blanket(found: "Audited") -> Tree:
    """The weight of the blanket: exact, or at most every input's residual more than what was followed of it."""
    if not found.slack.residual:
        return {"gamma": text(found.blanket), **exactly(found.blanket)}
    most = min(Fraction(1), found.blanket + len(found.randomizer.inputs) * found.slack.residual)
    return {"gamma": None, **ends_of(found.blanket, most)}


def epsilon_tree(found: WorstEpsilon) -> Tree:
    """A value of eps as JSON: its ends, and the exact value where it is known."""
    return eps_value(found.eps, found.interval)


def _users(users: "Counted", found: "Audited", local: WorstEpsilon) -> Tree:
    if users.pure is None or users.epsilon is None:
        return {"n": users.n, "refused": users.refused}
    at = epsilon_tree(users.epsilon)
    answer: Tree = {
        "n": users.n,
        "epsilon": epsilon_tree(users.pure),
        "epsilon_at_delta": {"delta": text(found.delta), **at},
        "amplification": _ratio(epsilon_tree(local), at),
        "delta": [{"eps": str(value.eps), **delta_value(value.delta)} for value in users.deltas],
        "scope": scope_tree((users.deltas[0] if users.deltas else users.pure).scope),
        "envelope": None,
    }
    if users.envelope is not None:
        answer["envelope"] = [
            {"from": str(Eps.log(start)), "A": text(a), "B": text(b)}
            for start, (a, b) in zip(users.envelope.starts, users.envelope.lines, strict=True)
        ]
    return answer


def _ratio(local: Tree, shuffled: Tree) -> Tree | None:
    """Local eps over shuffled eps."""
    if INFINITE in (local["upper"], shuffled["upper"]) or Fraction(shuffled["lower"]) == 0:
        return None
    (low, high), (least, most) = rationals(local), rationals(shuffled)
    return ends_of(low / most, high / least)


# In words -----------------------------------------------------------------------------------------------------------


def _claimed(answer: Tree) -> str:
    """The tier, of code, and the verdict; of a law that was observed, with what that rests on."""
    claim, sampler = answer["claim"], answer.get("sampler", {"tier": ""})
    if sampler["tier"] != "observed":
        return (
            f"{sampler['tier']}{'; ' if sampler['tier'] else ''}{'claim ' + claim['verdict'] + ', ' if claim else ''}"
        )
    verdict = {"HOLDS": "claim holds", "REFUTED": "claim is broken", "UNDECIDED": "claim UNDECIDED"}
    said = f"{verdict[claim['verdict']]} for the law that was observed" if claim else "of the law that was observed"
    return f"{said}; assumed: {'; '.join(sampler['assumes'])}"


def sends(answer: Tree) -> str:
    """How many messages a user sends."""
    found = [Fraction(e) for e in answer["communication"]["expected_messages"].values()]
    low, high = min(found), max(found)
    if unexplored(answer):
        several = answer.get("sampler", {}).get("each", True)
        return "each user sends one message" if not several and high <= 1 else f"each user sends about {_many(high)}"
    if low == high and low.denominator == 1:
        return f"each user sends {'one message' if low == 1 else _many(low)}"
    between_ = (
        f"{between(*decimals(low, low, 3))} to {between(*decimals(high, high, 3))}" if low != high else _many(low)
    )
    return f"each user sends {between_}{' messages' if low != high else ''} on average"


def _many(number: Fraction) -> str:
    return f"{between(*decimals(number, number, 3))} message{'s' * (number != 1)}"


def nothing_but_order(answer: Tree) -> str:
    """What it means that all is told by the order of a user's messages."""
    local, apart = (answer[view]["epsilon"] for view in ("local", "preshuffle"))
    if apart["exact"] != "0" or local["exact"] == "0":
        return ""
    return "\nonly their order is revealing: the shuffler must also mix the messages of one user"


def sampler_words(sampler: Tree) -> list[str]:
    """The lines about a function: in which tier its law was found, how many paths, and what was not followed."""
    paths = sum(sampler["paths"].values())
    what = (
        "as deployed: random() is a multiple of 2^-53, and floats are what they are"
        if sampler["deployed"]
        else ("as meant: random() is uniform on [0, 1), and a float is the decimal that it is written as")
    )
    lines = [f"code, {what}", f"  rng is {sampler['rng']}"] if sampler.get("rng") else [f"code, {what}"]
    if sampler["tier"] == "followed":
        lines.append(f"  followed, on {paths} answers of rng")
    else:
        lines.append(f"  observed, on {paths} paths")
    if rest := unexplored({"sampler": sampler}):
        lines[-1] += f"; a mass of at most {decimal_above(rest, 3)} was not, and is added to every upper bound"
    if sampler.get("patched"):
        lines.append(f"  rng in the place of {', '.join(sampler['patched'])}")
    if sampler["assumed_exact"]:
        lines.append(f"  taken as exact, though computers round: {', '.join(sampler['assumed_exact'])}")
    if sampler["refused"]:
        lines.append(f"  not followed: {sampler['refused']}")
    lines.append(
        "  messages are " + ("what it yields, or what is in what it returns" if sampler["each"] else "what it returns")
    )
    if sampler["of"]:
        lines.append(f"  of {sampler['of']['file']}, SHA-256 {sampler['of']['sha256']}")
    return lines


def unexplored(answer: Tree) -> Fraction:
    """The largest probability, over the inputs, of paths that were not followed."""
    return max(
        (Fraction(r["upper"]) for r in answer.get("sampler", {"residual": {}})["residual"].values()),
        default=Fraction(0),
    )


def eps_words(value: Tree, brief: bool = False) -> str:
    """A value of eps in words: infinite, at least some number, or an enclosure and its exact form."""
    if value["exact"] == "inf":
        return "infinite"
    if value["upper"] == "inf":
        least = decimal_below(Fraction(value["lower"]), DIGITS if brief else 6)
        return "no bound" if least == "0" else f"at least {least}"
    if brief:
        return value["exact"] if value["exact"] and len(value["exact"]) <= EXACT else rounded(value)
    return interval(value, 6) + (f" = {shorten(value['exact'], 40)}" if value["exact"] else "")


def local_words(value: Tree) -> str:
    """A local eps in a first line: a decimal, rounded up."""
    if "inf" in (value["lower"], value["upper"]):
        return eps_words(value)
    return bounded(value)


def _shuffled(answer: Tree, wide: int) -> Lines:
    """A row for every number of users, as wide as a page; then the datasets that are worst."""
    listed = [*answer["shuffled"], answer["large"]]
    header, rows, left_out = table(listed, wide)
    if not header:
        return [f"shuffled, n = {users['n']}: {users['refused']}" for users in listed]
    said = "shuffled, over all neighbouring datasets and both directions (last digit rounded up):"
    lines: Lines = [said, Grid(said.capitalize().rstrip(":") + ".", header, rows)]
    if left_out:
        lines.append(f"  {left_out}")
    if factor := answer["large"].get("amplification"):
        lines.append(f"  at n = {answer['large']['n']} the local eps is {interval(factor, 4)} times the shuffled one")
    return lines + _worst(answer["shuffled"])


def table(listed: list[Tree], wide: int) -> tuple[Sequence[str], Sequence[Sequence[str]], str]:
    """The table of all numbers of users as (header, rows, a note on what is left out).

    A single number is rounded up in its last digit, and within one unit of it; else both ends are shown. Columns of
    zeros, and what goes beyond a page's width, are left out.
    """
    known = [users for users in listed if "refused" not in users]
    if not known:
        return [], [], ""
    chosen = [str(value["eps"]) for value in known[0]["delta"]]
    zero = [i for i in range(len(chosen)) if all(users["delta"][i]["upper"] == "0" for users in known)]
    kept = [i for i in range(len(chosen)) if i not in zero]

    header = ["users", "pure eps", f"eps({plain(known[0]['epsilon_at_delta']['delta'])})"]
    header += [f"delta({chosen[i]})" for i in kept]
    rows = []
    for users in listed:
        cells = [str(users["n"])]
        if "refused" in users:
            rows.append([*cells, users["refused"]])
            continue
        cells += [eps_words(users[key], brief=True) for key in ("epsilon", "epsilon_at_delta")]
        rows.append([*cells, *(rounded(users["delta"][i]) for i in kept)])
    said = [f"delta is 0 at eps = {', '.join(chosen[i] for i in zero)}"] if zero else []
    grid = Grid("", header, rows).within(wide - 2, least=3)
    said += ["--json has more eps"] if len(grid.header) < len(header) else []
    said += [words.strip() for words in promises_nothing(known[0]["epsilon_at_delta"]["delta"])]
    return grid.header, grid.rows, "; ".join(said)


def rounded(value: Tree, digits: int = DIGITS) -> str:
    """A number x, where the value is at most x and within one unit of x's last digit; else both ends."""
    low, high = rationals(value)
    up = decimal_above(high, digits)
    return up if decimal_above(low, digits) == up else interval(value, digits - 1)


def _worst(listed: list[Tree]) -> list[str]:
    """The worst datasets of the largest number of users whose datasets were all compared."""
    for users in reversed(listed):
        scope = users.get("scope")
        if scope and scope["worst"] and not scope["two_sided"]:
            pair, rest = scope["worst"], held(scope["worst"]["others"] or {})
            at = users["delta"][0]["eps"] if users["delta"] else "pure"
            said = f"worst datasets for n = {users['n']}, eps = {at}: one user on {pair['from']} against {pair['to']}"
            return [f"  {said}, the others: {rest}" if rest else f"  {said}"]
    return []


def _leaks(found: list[Tree], rest: Fraction) -> list[str]:
    if not found and rest:
        return ["leaks: none found on the paths that were followed"]
    if not found:
        return ["leaks: none, every output of one input is possible for all others"]
    rows = [
        f"  ({', '.join(leak['output'])}) is sent with probability {likely(leak['probability'])} on {leak['of']},"
        f" never on {leak['never_of']}" + _as_far(leak["unexplored"])
        for leak in found[:SHOWN]
    ]
    more = [f"  and {len(found) - SHOWN} more pairs"] if len(found) > SHOWN else []
    return ["leaks: outputs that show the input", *rows, *more]


def _as_far(unexplored: str) -> str:
    return (
        f", as far as that was followed: at most {decimal_above(Fraction(unexplored), 3)}" if unexplored != "0" else ""
    )


def likely(p: str) -> str:
    """A probability in words: exact where that is short or a small power of 2, else a decimal rounded up."""
    value = Fraction(p)
    if value.numerator == 1 and value.denominator.bit_count() == 1 and value.denominator > 1 << 30:
        return f"2^-{value.denominator.bit_length() - 1}"
    return p if len(p) <= EXACT else f"about {decimal_above(Fraction(p), 3)}"


def symmetries_words(found: list[Tree]) -> str:
    """The symmetries that were found, in words."""
    if not found:
        return "none found"
    shown = [", ".join(f"{x} to {y}" for x, y in moved.items()) or "messages only" for moved in found[:SHOWN]]
    return "; ".join(shown) + ("; ..." if len(found) > SHOWN else "")


def promised(verdict: Tree) -> str:
    """A promise in words: (eps, delta), the view and n."""
    eps, delta = (plain(verdict["claim"][name]) for name in ("eps", "delta"))
    return f"({eps}, {plain(delta)}) in the {verdict['view']} view, n = {verdict['n']}"


def _decided(verdict: Tree) -> list[str]:
    """What a certificate says, without the line on a file that nobody asked for."""
    if holds := verdict["verdict"] == "HOLDS":
        verdict = {**verdict, "verdict": "PROVED"}
    lines = [str(line) for line in decided_lines(verdict)]
    if holds:
        lines[0] = "holds for the law that was observed" + lines[0].removeprefix("PROVED")
    if kept := verdict.get("by_rounding"):
        lines[0] += f", by rounding: eps = {rounded(kept, 15)} holds"
    if verdict["certificate"] and "refuted_delta" in verdict:
        lines.append(f"  its delta is {likely(verdict['refuted_delta'])}: the claim and what was not followed")
    return ["  " + line for line in lines if not line.startswith("  no certificate")]


def _shown(attack: Tree) -> list[str]:
    """The event that was found. Nobody promised what it breaks, so nothing is called refuted; its certificate is."""
    _, *lines = _decided(attack)
    if attack["certificate"]:
        lines.append(f"    it states that {promised(attack)} is false")
    return [f"  delta({plain(attack['claim']['eps'])}) = {interval(attack['delta'])}", *lines]


def _against(found: Tree) -> list[str]:
    eps = {name: eps_words(found["local_epsilon"][name]) for name in ("deployed", "ideal")}
    lines = [f"against the ideal sampler: local eps is {eps['deployed']} as deployed, {eps['ideal']} as meant"]
    for x, value in found["total_variation"].items():
        lines.append(f"  total variation distance of the two laws on {x}: {interval(value, 6)}")
    return lines
