"""Seeded mutants of small certificates, for two checkers to disagree about.

`mutants(seed, count)` yields (what was done, bytes). Nothing here says which verdict a mutant deserves: that is the
judge's part.
"""

import json
import random
from fractions import Fraction
from itertools import islice
from math import lcm

from tests.certificate_seeds import _counts, dump, seeds
from tests.form_mutants import FORM, bytes_changed


def _row(rng, tree, at_least=2):
    return rng.choice([row for row in tree["claim"]["randomizer"]["rows"] if len(row["outputs"]) >= at_least])


def _labels(tree):
    rows = tree["claim"]["randomizer"]["rows"]
    sent = {label for row in rows for output in row["outputs"] for label in output["send"]}
    return [row["input"] for row in rows], sorted(sent)


def _pair(tree):
    evidence = tree["evidence"]
    return evidence["pair"] if "pair" in evidence else evidence["worst"]["pair"]


def _ends(tree):
    return tree["evidence"].get("worst", tree["evidence"])["delta"]


def _write(rng, value):
    """A rational in one of its writings."""
    k = rng.choice([1, 1, 1, 2, 7, 1000])
    return f"{value.numerator * k}/{value.denominator * k}" if k > 1 or rng.random() < 0.3 else str(value)


def weight_unit(rng, tree):
    """Move one unit of weight from one output of a row to another."""
    one, two = rng.sample(_row(rng, tree)["outputs"], 2)
    p, q = Fraction(one["p"]), Fraction(two["p"])
    unit = Fraction(1, lcm(p.denominator, q.denominator) * rng.choice([2, 3, 10, 10**6, 10**30]))
    one["p"], two["p"] = _write(rng, p - unit), _write(rng, q + unit)


def weight_writing(rng, tree):
    """Write a weight, eps or delta differently."""
    holder, key = rng.choice([(_row(rng, tree, 1)["outputs"][0], "p"), (tree["claim"], "delta")])
    holder[key] = rng.choice(["", "", "", "0", "000"]) + _write(rng, Fraction(holder[key]))


def merge_outputs(rng, tree):
    """Give one output's weight to another."""
    outputs = _row(rng, tree)["outputs"]
    gone = outputs.pop(rng.randrange(len(outputs)))
    heir = rng.choice(outputs)
    heir["p"] = str(Fraction(heir["p"]) + Fraction(gone["p"]))


def split_output(rng, tree):
    """Let part of an output's weight send something a little different."""
    output = rng.choice((row := _row(rng, tree, 1))["outputs"])
    send = [*output["send"], rng.choice([*_labels(tree)[1], "new"])]
    rng.shuffle(send)
    part = Fraction(output["p"]) * rng.choice([Fraction(1, 2), Fraction(1, 10**9)])
    output["p"] = str(Fraction(output["p"]) - part)
    row["outputs"].append({"send": send[rng.randrange(2) :], "p": str(part)})


def swap_sends(rng, tree):
    """Swap what two outputs send, in one row or across two."""
    one, two = (rng.choice(_row(rng, tree, 1)["outputs"]) for _ in range(2))
    one["send"], two["send"] = two["send"], one["send"]


def swap_inputs(rng, tree):
    """Swap the labels of two rows."""
    one, two = rng.sample(tree["claim"]["randomizer"]["rows"], 2)
    one["input"], two["input"] = two["input"], one["input"]


def twin_row(rng, tree):
    """A second input with the outputs of another, or a row less."""
    rows = tree["claim"]["randomizer"]["rows"]
    if rng.random() < 0.3:
        rows.pop(rng.randrange(len(rows)))
    else:
        rows.append(
            {"input": rng.choice(["twin", "7"]), "outputs": json.loads(json.dumps(rng.choice(rows)["outputs"]))}
        )


def reorder(rng, tree):
    """Shuffle rows, outputs or keys, which means nothing."""
    rows = tree["claim"]["randomizer"]["rows"]
    rng.shuffle(rng.choice([rows, rng.choice(rows)["outputs"], tree["evidence"].get("event", rows)]))
    items = list(tree["claim"].items())
    rng.shuffle(items)
    tree["claim"] = dict(items)


def eps_value(rng, tree):
    """Another eps: a neighbour of this one, or one from a list."""
    text = tree["claim"]["eps"]
    inner = Fraction(text[4:-1] if text.startswith("log") else text)
    near = inner + Fraction(rng.choice([-1, 1]), inner.denominator * rng.choice([1, 10, 1000, 10**20]))
    logs = ["log(1)", "log(2)", f"log({abs(near)})", f"log({_write(rng, inner + 1)})"]
    tree["claim"]["eps"] = rng.choice([*logs, "0", "0/3", "10000", "1/1000", *[_write(rng, abs(near))] * 6])


def delta_value(rng, tree):
    """Another delta: a neighbour of this one, an end of the enclosure, or an extreme."""
    delta = Fraction(tree["claim"]["delta"])
    near = abs(delta + Fraction(rng.choice([-1, 1]), delta.denominator * rng.choice([1, 10, 1000, 10**20])))
    try:
        end = Fraction(rng.choice(list(_ends(tree).values())))
    except (LookupError, TypeError):  # there are none
        end = Fraction(rng.choice([0, 1]))
    tree["claim"]["delta"] = rng.choice([_write(rng, near), _write(rng, near), _write(rng, end), "0", "1"])


def enclosure(rng, tree):
    """Move an end of the enclosure by a unit of its last digit or a hair, rewrite it, or swap the ends."""
    ends = _ends(tree)
    key = rng.choice(["lower", "upper"])
    whole, _, rest = ends[key].partition(".")
    digits, places, extra = whole + rest, len(rest), rng.choice([0, 0, 1, 3, 25])
    moved = str(max(0, int(digits) * 10**extra + rng.choice([-1, 1, 2, 0])))
    tail = rng.choice(
        [f"e-{places + extra}", f".0e-{places + extra}", f"e-{places + extra + 1}", f"e-00{places + extra}"]
    )
    ends[key] = moved + tail
    if rng.random() < 0.1:
        ends["lower"], ends["upper"] = ends["upper"], ends["lower"]
    if rng.random() < 0.1:
        ends[rng.choice(["lower", "upper"])] = rng.choice(["0", "1", "0.0", "1e-99", "2", "0e-0"])


def view_changed(rng, tree):
    """Another view, with the evidence rewritten to its form most of the time."""
    old, new = tree["claim"]["view"], rng.choice(["shuffled", "preshuffle", "local"])
    tree["claim"]["view"] = new
    if rng.random() < 0.8:
        _pair(tree).pop("others", None)
        if new == "shuffled":
            tree["claim"]["n"] = min(tree["claim"]["n"], 4)
            others = rng.choices(_labels(tree)[0], k=tree["claim"]["n"] - 1)
            _pair(tree)["others"] = _counts(others)
        if "event" in tree["evidence"] and "local" in (old, new) and old != new:
            change = (lambda m: [x for x in m for _ in range(min(m[x], 9))]) if new == "local" else _counts
            tree["evidence"]["event"] = [change(outcome) for outcome in tree["evidence"]["event"]]


def n_value(rng, tree):
    """One user more or less; the others follow most of the time."""
    step = rng.choice([-1, 1]) if tree["claim"]["n"] < 5 else -1
    tree["claim"]["n"] += step
    if "others" in _pair(tree):
        if rng.random() < 0.7:
            others = [x for x, count in _pair(tree)["others"].items() for _ in range(count)]
            others = others[1:] if step < 0 else [*others, rng.choice(_labels(tree)[0])]
            _pair(tree)["others"] = _counts(others)
    elif rng.random() < 0.3:
        tree["claim"]["n"] = rng.choice([10**9, 10**9 + 1, 17])


def pair_changed(rng, tree):
    """Swap from and to, name another input, or draw the others again."""
    pair, inputs = _pair(tree), _labels(tree)[0]
    what = rng.choice(["swap", "from", "to", "others", "others"])
    if what == "swap":
        pair["from"], pair["to"] = pair["to"], pair["from"]
    elif what == "others":
        pair["others"] = _counts(rng.choices(inputs, k=sum(pair["others"].values())))
    else:
        pair[what] = rng.choice(inputs)


def event_changed(rng, tree):
    """An outcome more, less, or with one message more or less."""
    event, (_, messages) = tree["evidence"]["event"], _labels(tree)
    what = rng.choice(["less", "more", "more", "change", "twice"] if event else ["more"])
    if what == "less":
        event.pop(rng.randrange(len(event)))
    elif what == "twice":
        outcome = json.loads(json.dumps(rng.choice(event)))
        event.append(dict(reversed(outcome.items())) if isinstance(outcome, dict) else outcome)
    elif tree["claim"]["view"] == "local":
        outcome = list(rng.choice(_row(rng, tree, 1)["outputs"])["send"])
        event.append(outcome if what == "more" else [*event.pop(), *rng.choices(messages, k=rng.randrange(2))][::-1])
    elif what == "more":
        users = min(tree["claim"]["n"], 5) if tree["claim"]["view"] == "shuffled" else 1
        runs = (rng.choice(_row(rng, tree, 1)["outputs"])["send"] for _ in range(users))
        event.append(_counts([label for send in runs for label in send]))
    else:
        outcome, label = rng.choice(event), rng.choice(messages)
        outcome[label] = outcome.get(label, 0) + rng.choice([1, 1, -1, 10**6, 10**30])
        if outcome[label] == 0 and rng.random() < 0.8:
            del outcome[label]


def symmetry_changed(rng, tree):
    """Drop, invert, compose, pad or add a symmetry, or swap two images of one."""
    symmetries, names = tree["evidence"]["symmetries"], dict(zip(["inputs", "messages"], _labels(tree), strict=True))
    what = rng.choice(["drop", "invert", "compose", "pad", "add", "swap", "swap", "identity"])
    if what == "add":
        images = {part: rng.sample(labels, len(labels)) for part, labels in names.items()}
        symmetries.append({part: dict(zip(names[part], images[part], strict=True)) for part in names})
    elif what == "identity":
        symmetries.append({"inputs": {x: x for x in names["inputs"]}, "messages": {}})
    elif what == "drop":
        symmetries.pop(rng.randrange(len(symmetries)))
    elif what == "compose":
        one, two = rng.choice(symmetries), rng.choice(symmetries)
        both = {p: {x: one[p].get(two[p].get(x, x), two[p].get(x, x)) for x in {**one[p], **two[p]}} for p in names}
        symmetries.append(both)
    else:
        symmetry, part = rng.choice(symmetries), rng.choice(["inputs", "messages"])
        if what == "invert":
            symmetry[part] = {y: x for x, y in symmetry[part].items()}
        elif what == "pad":
            symmetry[part] |= {x: x for x in names[part] if x not in symmetry[part]}
        else:
            x, y = rng.sample(names[part], 2)
            images = symmetry[part]
            images[x], images[y] = images.get(y, y), images.get(x, x)


def verdict_flipped(rng, tree):
    """The other verdict, with the same evidence or with evidence of its own form."""
    refuted, pair = tree["verdict"] == "REFUTED", _pair(tree)
    tree["verdict"] = "PROVED" if refuted else "REFUTED"
    if rng.random() < 0.8 and refuted:
        tree["evidence"] = {"symmetries": [], "worst": {"pair": pair, "delta": {"lower": "0", "upper": "1.0"}}}
    elif rng.random() < 0.8:
        tree["evidence"] = {"pair": pair, "event": []}
        for _ in range(rng.randrange(5)):
            event_changed(rng, tree)


STATEMENT = [
    weight_unit,
    weight_unit,
    weight_writing,
    merge_outputs,
    split_output,
    split_output,
    swap_sends,
    swap_inputs,
]
STATEMENT += [twin_row, reorder, eps_value, eps_value, delta_value, delta_value, enclosure, enclosure, enclosure]
STATEMENT += [view_changed, n_value, pair_changed, pair_changed, event_changed, event_changed, event_changed]
STATEMENT += [symmetry_changed, symmetry_changed, symmetry_changed, verdict_flipped]


def mutant(rng, trees, statement=STATEMENT):
    """(names of what was done, bytes) of one random mutant of one of the trees."""
    tree, done = json.loads(json.dumps(rng.choice(trees))), []
    plan = rng.choice(["statement", "statement", "statement", "statement", "form", "form", "bytes"])
    for change in rng.choices(statement, k=rng.choice([1, 1, 1, 2, 3] if plan == "statement" else [0, 0, 0, 1])):
        before = json.dumps(tree)
        try:
            change(rng, tree)
            done.append(change.__name__)
        except (LookupError, TypeError, ValueError, AttributeError):  # it does not apply to this certificate
            tree = json.loads(before)
    if plan == "form":
        change = rng.choice(FORM)
        try:
            tree = change(rng, tree) or tree
            done.append(change.__name__)
        except (LookupError, ValueError):
            pass
    text = dump(tree, ascii_only=rng.random() < 0.1, comma=rng.choice([", ", ",", ", ", " ,\r\n\t"]))
    data = text.encode()
    if plan == "bytes":
        data = bytes_changed(rng, data)
        done.append("bytes_changed")
    return done, data


def mutants(seed, count, trees=None):
    """`count` distinct mutants, the same for the same seed: (names of what was done, bytes)."""
    rng, seen = random.Random(seed), set()
    trees = seeds() if trees is None else trees

    def endless():
        while True:
            done, data = mutant(rng, trees)
            if done and data not in seen:
                seen.add(data)
                yield done, data

    return islice(endless(), count)


def shrink(data, answer):
    """A smaller file with the same answer: drop pieces, large ones first, as long as the answer stays."""
    same, size = answer(data), max(1, len(data) // 2)
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            if answer(shorter) == same:
                data = shorter
            else:
                at += size
        size //= 2
    return data
