"""The report on an audit: what the randomizer keeps, who is betrayed, the attack, the claim, the costs; the gallery."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import plain, shorten
from shufflecert.verify.report.audit_text import (
    SHOWN,
    eps_words,
    likely,
    promised,
    rounded,
    symmetries_words,
    table,
    unexplored,
)
from shufflecert.verify.report.gallery_text import verdict
from shufflecert.verify.report.html.page import Block, Code, Details, Facts, Items, Section, Table, Text, interval
from shufflecert.verify.report.words import held
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import counted

MANY, LABEL = 100, 36  # rows of a table, characters of a label in it
WRONG = (KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError)


def audit_sections(name: str, tree: Any) -> tuple[str, list[Section]]:
    """The headline and the sections of the report on an audit. Raises BadInput for what is no answer of `audit`."""
    try:
        return _gallery(tree) if "gallery" in tree else _audit(tree)
    except WRONG as error:
        raise BadInput(f"{name}: {type(error).__name__}: {error}: expected what audit --json wrote") from None


def _audit(tree: Any) -> tuple[str, list[Section]]:
    claim, attack = tree["claim"], tree["attack"]
    kept = f"One user's eps, seen alone, is {eps_words(tree['local']['epsilon'])}"
    headline = f"{kept}; {_betrayed(tree)}."
    sections = []
    if claim:
        headline = f"The claim (eps, delta) = {promised(claim)} {_is(claim, tree)}. {headline}"
        sections.append(Section("The claim", _decided(claim)))
    sections += [Section("What it keeps", _kept(tree)), Section("Who is betrayed", _leaks(tree))]
    if attack:
        said = "An event that one dataset shows more often than its neighbour, and nearly all of what can be shown so."
        sections.append(Section("The attack", [Text(said), *_decided(attack, claimed=False)]))
    if "sampler" in tree:
        sections.append(Section("How the code was followed", _sampler(tree)))
    sections += [Section("What it costs", [Facts(_costs(tree))]), Section("How to re-check", _again(tree))]
    return headline, sections


def _is(claim: Tree, tree: Tree) -> str:
    """The verdict; of a law that was observed, with what that rests on."""
    sampler = tree.get("sampler", {"tier": "followed"})
    if sampler["tier"] == "followed":
        return f"is {claim['verdict']}"
    verdict = {"HOLDS": "holds", "REFUTED": "is broken", "UNDECIDED": "is UNDECIDED"}[str(claim["verdict"])]
    return f"{verdict} for the law that was observed; assumed: {'; '.join(sampler['assumes'])}"


def _betrayed(tree: Tree) -> str:
    found = {(leak["of"], leak["never_of"]) for leak in tree["leaks"]}
    if not found:
        return "no output was found that one input alone has"
    first = tree["leaks"][0]
    return (
        f"some outputs show the input: {len(found)} of its pairs, {first['of']} against {first['never_of']} the first"
    )


def _decided(found: Tree, claimed: bool = True) -> list[Block]:
    """A verdict, the worst datasets, and the event where there is one; of an attack, which nobody `claimed` anything
    about, what it shows."""
    if found["verdict"] == "UNDECIDED":
        return [Facts([("claimed", promised(found)), ("verdict", "UNDECIDED"), ("why", str(found["reason"]))])]
    eps, delta, scope = found["claim"]["eps"], found["delta"], found["scope"]
    sign = "at most" if found["verdict"] in ("PROVED", "HOLDS") else "more than"
    rows = [
        ("view", f"{found['view']}, n = {found['n']}"),
        *([("verdict", str(found["verdict"]) + _rounding(found))] if claimed else []),
        (
            f"delta({plain(eps)})",
            interval(delta["lower"], delta["upper"]) + f", {sign} {plain(found['claim']['delta'])}" * claimed,
        ),
        ("neighbouring datasets", f"{scope['pairs']} pairs evaluated: {scope['by']}"),
    ]
    if worst := scope["worst"]:
        others = held(worst["others"] or {})
        rows.append(("the worst of them", f"one user on {worst['from']} against {worst['to']}"))
        rows += [("the other users", others)] if others else []
    blocks: list[Block] = [Facts(rows)]
    if event := found.get("refutation"):
        p, q = (interval(event[side]["lower"], event[side]["upper"]) for side in "PQ")
        said = (
            f"The event: {counted(len(event['event']), 'outcome')}, of probability {p} on the one and {q} on the other."
        )
        blocks += [Text(said, strong=True), Items([_outcome(outcome) for outcome in event["event"][:SHOWN]])]
        if len(event["event"]) > SHOWN:
            rest = Items([_outcome(outcome) for outcome in event["event"][SHOWN:MANY]])
            blocks.append(Details("More of its outcomes", [rest], printed=False))
    if found["certificate"]:
        blocks.append(Code(f"shufflecert check {shlex.quote(found['certificate'])}", "The certificate, re-checked by"))
    return blocks


def _rounding(found: Tree) -> str:
    kept = found.get("by_rounding")
    return f", by rounding: eps = {rounded(kept, 15)} holds" if kept else ""


def _outcome(outcome: Any) -> str:
    if isinstance(outcome, dict):
        return " + ".join(f"{count} x {message}" for message, count in outcome.items()) or "nothing"
    return f"({', '.join(map(str, outcome))})"


def _kept(tree: Tree) -> list[Block]:
    views = [(f"{view} eps", eps_words(tree[view]["epsilon"])) for view in ("local", "preshuffle")]
    listed = [*tree["shuffled"], tree["large"]]
    header, rows, left_out = table(listed, wide=10**6)
    if not header:
        return [Facts(views), Items([f"n = {users['n']}: {users['refused']}" for users in listed])]
    cells = [[*row, *["-"] * (len(header) - len(row))] for row in rows]
    caption = "Shuffled, over all neighbouring datasets and both directions. A single number is rounded up in its last"
    caption += " digit; brackets hold a lower and an upper bound."
    blocks: list[Block] = [Facts(views), Table(caption, header, cells)]
    blocks += [Text(left_out[0].upper() + left_out[1:] + ".")] if left_out else []
    if factor := tree["large"].get("amplification"):
        times = interval(factor["lower"], factor["upper"], 4)
        blocks.append(Text(f"At n = {tree['large']['n']} the local eps is {times} times the shuffled one."))
    return blocks


def _leaks(tree: Tree) -> list[Block]:
    if not tree["leaks"]:
        if unexplored(tree):
            return [Text("Nobody by a single output, as far as the paths were followed.")]
        return [Text("Nobody by a single output: every output of one input is possible for all others.")]
    rows = [
        [
            shorten(f"({', '.join(leak['output'])})", LABEL),
            shorten(str(leak["of"]), LABEL),
            likely(leak["probability"]),
            shorten(str(leak["never_of"]), LABEL)
            + (
                f", at most {rounded(dict.fromkeys(('lower', 'upper'), leak['unexplored']))}"
                * (leak["unexplored"] != "0")
            ),
        ]
        for leak in tree["leaks"][:MANY]
    ]
    said = "One of these outputs reveals what the user's input is not. No finite eps holds without a delta."
    if unexplored(tree):
        said = "On the paths that were followed only one of two inputs has these outputs, and they are likelier there"
        said += " than all that was not followed of the other."
    return [
        Text(said, strong=True),
        Table("For every pair, the likeliest.", ("Output", "Of", "With", "Never of"), rows),
    ]


def _sampler(tree: Tree) -> list[Block]:
    sampler, rest = tree["sampler"], unexplored(tree)
    how = "as deployed: random() is a multiple of 2^-53, floats are what they are"
    meant = "as meant: random() is uniform on [0, 1), a float is the decimal that it is written as"
    rows = [("read", how if sampler["deployed"] else meant)]
    rows += [("paths", ", ".join(f"{paths} for {x}" for x, paths in list(sampler["paths"].items())[:SHOWN]))]
    rows.append(("not followed", f"at most {likely(str(rest))}, added to every upper bound" if rest else "nothing"))
    if sampler.get("patched"):
        rows.append(("rng in the place of", ", ".join(sampler["patched"])))
    if sampler["assumed_exact"]:
        rows.append(("taken as exact, though computers round", ", ".join(sampler["assumed_exact"])))
    rows.append(
        ("how", "followed: every operation has a meaning that is defined" if not sampler["refused"] else "observed")
    )
    if sampler["refused"]:
        rows += [("assumed", ", ".join(sampler["assumes"])), ("not followed", sampler["refused"])]
    blocks: list[Block] = [Facts(rows)]
    for x, law in list(sampler["laws"].items())[:SHOWN]:
        listed = [[shorten(f"({', '.join(entry['send'])})", LABEL), likely(entry["p"])] for entry in law[:MANY]]
        blocks.append(Details(f"What is sent on {x}", [Table(f"The law on {x}.", ("Sent", "With"), listed)], False))
    if "against_ideal" in tree:
        found = tree["against_ideal"]
        eps = [(f"local eps, {name}", eps_words(value)) for name, value in found["local_epsilon"].items()]
        apart = found["total_variation"].items()
        eps += [(f"total variation on {x}", interval(d["lower"], d["upper"], 6)) for x, d in apart]
        blocks += [Text("Against the ideal sampler, which is meant:"), Facts(eps)]
    return blocks


def _costs(tree: Tree) -> list[tuple[str, str]]:
    cost, gamma = tree["communication"], tree["blanket"]
    most = max(map(Fraction, cost["expected_messages"].values()))
    followed = ", on the paths that were followed" if unexplored(tree) else ""
    return [
        ("messages per user", f"at most {likely(str(most))} on average{followed}"),
        ("bits per message", str(cost["bits_per_message"])),
        ("blanket, BBGN's gamma", interval(gamma["lower"], gamma["upper"], 6)),
        ("symmetries of inputs", symmetries_words(tree["symmetries"])),
    ]


def _again(tree: Tree) -> list[Block]:
    name = shlex.quote(str(tree["audit"]))
    written = any((tree[key] or {}).get("certificate") for key in ("claim", "attack"))
    said = "With the same file and options the audit comes out the same. An event, or a claim, is written as a"
    said += " certificate that a separate kernel of one file re-checks."
    commands = f"shufflecert audit {name} -o certificate.json\nshufflecert check certificate.json"
    return [Text(said), *([] if written else [Code(commands, "To have one made and checked")])]


def _gallery(tree: Any) -> tuple[str, list[Section]]:
    rows = tree["gallery"]
    header = ("Randomizer", "Claims eps", "Keeps eps", "Claim", f"Shuffled, n = {tree['n']}")
    cells: list[Sequence[str]] = []
    for row in rows:
        claimed = "nothing" if row["claimed"] is None else shorten(row["claimed"]["epsilon"], 24)
        shuffled = row["shuffled"].get("refused") or eps_words(row["shuffled"], brief=True)
        kept = eps_words(row["local"]["epsilon"])
        cells.append((row["name"], claimed, kept, verdict(row), shuffled))
    kept = sum(row["verdict"] == "PROVED" for row in rows)
    of = sum(row["verdict"] is not None for row in rows)
    caption = f"Local eps claimed and kept; eps of the shuffled view at delta = {plain(tree['delta'])}."
    sources = [f"{row['name']}: {row['title']}; {row['source']}" for row in rows]
    sections = [Section("The randomizers", [Table(caption, header, cells)]), Section("Sources", [Items(sources)])]
    return f"{len(rows)} randomizers of the field: {kept} of {of} claims of a local eps hold.", sections
