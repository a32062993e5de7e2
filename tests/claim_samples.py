"""Random claims in the grammar of searches, and random tables to put them to, with many ties."""

import itertools

from shufflecert.verify.search import Table

SHAPES = {  # inputs, outputs, neighbours
    "two by two": (2, (("a",), ("b",)), "replace"),
    "two by three": (2, (("a",), ("b",), ("c",)), "replace"),
    "three by two": (3, (("a",), ("b",)), "replace"),
    "three by three": (3, (("a",), ("b",), ("c",)), "replace"),
    "two bits": (2, (("a", "a"), ("a", "b"), ("b", "b")), "replace"),
    "words": (2, (("a", "b"), ("b", "a"), ("a", "a")), "replace"),
    "one message, add-remove": (2, (("a",), ("b",)), "add-remove"),
    "up to two messages, add-remove": (2, ((), ("a",), ("a", "a")), "add-remove"),
    "up to one message, add-remove": (2, ((), ("a",), ("b",)), "add-remove"),
    "deletion": (3, (("a",), ("b",)), "deletion"),
}
EPS = ("0", "log(2)", "log(5/4)", "1/2", "3/2", "log(7/3)", "1/7")
DELTAS = ("0", "1/10", "1/3", "1/27")
DENOMINATORS = (1, 2, 3, 4, 6, 6, 6, 12, 60, 10**4, 10**9)


def claim_text(rng):
    """A comparison, or several."""
    side = number if rng.random() < 0.6 else amount
    text = f"{side(rng)} {rng.choice(('<', '<=', '==', '!=', '>', '>='))} {side(rng)}"
    if rng.random() < 0.3:
        text = f"{rng.choice(('', 'not '))}({text}) {rng.choice(('and', 'or'))} {claim_text(rng)}"
    return text


def number(rng):
    """A delta, a probability, or arithmetic of such."""
    n, eps = rng.choice((1, 2, 3)), rng.choice(EPS)
    kinds = (
        lambda: f"delta({n}, {eps})",
        lambda: f"local_delta({eps})",
        lambda: f"max(d.delta({eps}) for d in datasets({n}) if d.kinds <= 1)",
        lambda: f"({number(rng)} + {number(rng)}) * {rng.choice(('1/2', '2', '1/3'))}",
        lambda: rng.choice(("row[0][0]", "row[1][1] * row[0][0]", "1/4", "abs(row[0][0] - row[1][0])")),
        lambda: f"min({number(rng)}, {number(rng)})",
        lambda: f"delta({n}, {eps}) ** 2",
    )
    return rng.choice(kinds)()


def amount(rng):
    """An eps, or arithmetic of such."""
    n, delta = rng.choice((1, 2, 3)), rng.choice(DELTAS)
    kinds = (
        lambda: f"epsilon({n}, {delta})",
        lambda: f"local_epsilon({delta})",
        lambda: f"max(d.epsilon({delta}) for d in datasets({n}) if d.kinds <= 1)",
        lambda: rng.choice(("log(2)", "1/2", "1 + log(3)", f"epsilon({n}, {delta}) + log({n})")),
        lambda: f"{amount(rng)} * {rng.choice(('1/2', '2', '3/2'))}",
    )
    return rng.choice(kinds)()


def table_of(rng, shape):
    """A table of a shape: rows with zeros, equal rows and reflected ones are frequent."""
    inputs, send, adjacency = SHAPES[shape]
    d = rng.choice(DENOMINATORS)
    rows = [_row(rng, len(send), d) for _ in range(inputs)]
    if rng.random() < 0.3:
        rows[1] = rng.choice((rows[0], rows[0][::-1]))
    return Table(tuple(rows), d, send, adjacency)


def _row(rng, width, d):
    if rng.random() < 0.2:
        at = rng.randrange(width)
        return tuple(d if y == at else 0 for y in range(width))
    cuts = [0, *sorted(rng.randint(0, d) for _ in range(width - 1)), d]
    return tuple(b - a for a, b in itertools.pairwise(cuts))
