"""Random tables of messages, mostly in the plane, on which covers are compared with enumeration."""

import random
from fractions import Fraction

PLANE = [("a",) * i + ("b",) * j for i in range(3) for j in range(3 - i)]
OUTPUTS = {
    "one of three": [("a",), ("b",), ("c",)],
    "one of four": [("a",), ("b",), ("c",), ("d",)],
    # a lattice whose own axes are far from right angles
    "skew": [("a",) * (1 + 3 * i + 2 * j) + ("b",) * (2 * i + 4 * j) for i in range(2) for j in range(3)],
    "two kinds": PLANE,
    "gaps": PLANE,
    "shift": PLANE,
}


def table(seed, kind, inputs, outputs=None):
    """A random randomizer: {input: {tuple of messages: probability}}; "shift": every row is one law, moved."""
    rng, outputs = random.Random(f"{seed} {kind} {inputs}"), outputs or OUTPUTS[kind]
    gap = 0.4 if kind in ("gaps", "shift") else 0.1

    def law():
        weights = [0 if rng.random() < gap else rng.randint(1, 9) for _ in outputs]
        weights[rng.randrange(len(outputs))] += 1
        return {sent: Fraction(w, sum(weights)) for sent, w in zip(outputs, weights, strict=True) if w}

    base = law()
    rows = {}
    for x in range(inputs):
        more = ("a",) * rng.randint(0, 2) + ("b",) * rng.randint(0, 1)
        rows[str(x)] = {sent + more: p for sent, p in base.items()} if kind == "shift" else law()
    return rows


def rank_three(seed, inputs=3):
    """A table of some inputs and four messages of which three numbers matter."""
    rng = random.Random(seed)
    weights = [[rng.randint(1, 9) for _ in "abcd"] for _ in range(inputs)]
    return {
        str(x): {(m,): Fraction(w, sum(row)) for m, w in zip("abcd", row, strict=True)} for x, row in enumerate(weights)
    }


LINES = ("one of two", "copies", "gaps", "shift", "spread")


def line_table(seed, kind, inputs):
    """A random randomizer on a line: {input: {tuple of messages: probability}}."""
    rng = random.Random(f"{seed} {kind} {inputs}")

    def law(size, gap):
        weights = [0 if rng.random() < gap else rng.randint(1, 9) for _ in range(size)]
        weights[rng.randrange(size)] += 1
        return [Fraction(w, sum(weights)) for w in weights]

    base = law(4, 0.3)
    rows = {}
    for x in range(inputs):
        if kind == "one of two":
            row = dict(zip([("a",), ("b",)], law(2, 0.1), strict=True))
        elif kind == "shift":
            moved = rng.randint(0, 2)
            row = {("a",) * (i + moved): p for i, p in enumerate(base)}
        elif kind == "spread":
            row = {("a",) * (3 * i): p for i, p in enumerate(law(3, 0.2))}
        else:
            row = {("a",) * i: p for i, p in enumerate(law(4, 0.4 if kind == "gaps" else 0))}
        rows[str(x)] = {sent: p for sent, p in row.items() if p}
    return rows
