"""The answer of an audit in words, on one page."""

from fractions import Fraction

from shufflecert.verify.exact.rational import between, decimal_above, decimal_below, decimals, plain, shorten
from shufflecert.verify.report.words import aligned, certify_text, held, promises_nothing, width
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import bounded, counted, interval, rationals

EXACT = 12  # characters up to which an exact eps stands in a table
DIGITS = 4  # of a number in a table
SHOWN = 6  # leaks, symmetries, numbers of users that are written out


def words(answer: Tree) -> str:
    """The answer of an audit in words, one page of text."""
    inputs = ", ".join(answer["inputs"][:SHOWN]) + (", ..." if len(answer["inputs"]) > SHOWN else "")
    local = f"local eps {local_words(answer['local']['epsilon'])}; {sends(answer)}{nothing_but_order(answer)}"
    observed = answer.get("sampler", {"tier": ""})["tier"] == "observed"
    lines = (
        [f"{answer['audit']}: {_claimed(answer)}", local]
        if observed
        else [f"{answer['audit']}: {_claimed(answer)}{local}"]
    )
    lines.append(f"{len(answer['inputs'])} inputs ({inputs}), {answer['messages']} different messages")
    if "sampler" in answer:
        lines += sampler_words(answer["sampler"])
    lines += _kept(answer)
    lines += _shuffled(answer)
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
    return "\n".join(lines)


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


def _kept(answer: Tree) -> list[str]:
    shown = {view: answer[view]["epsilon"] for view in ("local", "preshuffle")}
    return [f"{view} eps: {eps_words(value)}" for view, value in shown.items()]


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


def _shuffled(answer: Tree) -> list[str]:
    """A row for every number of users, as wide as a page; then the datasets that are worst."""
    listed = [*answer["shuffled"], answer["large"]]
    header, rows, left_out = table(listed)
    if not header:
        return [f"shuffled, n = {users['n']}: {users['refused']}" for users in listed]
    lines = ["shuffled, over all neighbouring datasets and both directions (last digit rounded up):"]
    lines += ["  " + line for line in aligned([header, *rows])[0]]
    if left_out:
        lines.append(f"  {left_out}")
    if factor := answer["large"].get("amplification"):
        lines.append(f"  at n = {answer['large']['n']} the local eps is {interval(factor, 4)} times the shuffled one")
    return lines + _worst(answer["shuffled"])


def table(listed: list[Tree], wide: int | None = None) -> tuple[list[str], list[list[str]], str]:
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

    def made() -> tuple[list[str], list[list[str]]]:
        header = ["users", "pure eps", f"eps({plain(known[0]['epsilon_at_delta']['delta'])})"]
        rows = []
        for users in listed:
            cells = [str(users["n"])]
            if "refused" in users:
                rows.append([*cells, users["refused"]])
                continue
            cells += [eps_words(users[key], brief=True) for key in ("epsilon", "epsilon_at_delta")]
            rows.append([*cells, *(rounded(users["delta"][i]) for i in kept)])
        return header + [f"delta({chosen[i]})" for i in kept], rows

    said = [f"delta is 0 at eps = {', '.join(chosen[i] for i in zero)}"] if zero else []
    more = len(kept)
    wide = width() if wide is None else wide
    while kept and _width(*made()) > wide:
        kept.pop()
    said += ["--json has more eps"] if len(kept) < more else []
    said += [words.strip() for words in promises_nothing(known[0]["epsilon_at_delta"]["delta"])]
    return *made(), "; ".join(said)


def _width(header: list[str], rows: list[list[str]]) -> int:
    whole = [header, *(row for row in rows if len(row) == len(header))]
    return sum(2 + max(len(row[i]) for row in whole) for i in range(len(header)))


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
    """A probability, exact where that is short, or a power of 2."""
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
    lines = certify_text(verdict).splitlines()
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
