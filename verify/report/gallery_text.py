"""The answer of `audit --gallery` in words."""

from fractions import Fraction

from shufflecert.verify.exact.rational import plain, shorten
from shufflecert.verify.report.words import aligned
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.numbers import interval


def words(answer: Tree) -> str:
    """The answer in words: one line for each entry, with the claimed eps, the one it keeps, and the shuffled one."""
    rows = [
        [
            "randomizer",
            "claimed eps",
            "actual eps",
            "claim",
            f"shuffled, n = {answer['n']}, delta = {plain(answer['delta'])}",
        ]
    ]
    for row in answer["gallery"]:
        claimed = "nothing" if row["claimed"] is None else shorten(row["claimed"]["epsilon"], 24)
        if row["claimed"] is not None and row["claimed"]["delta"] != "0":
            claimed += f" at {row['claimed']['delta']}"
        shuffled = "no bound" if "refused" in row["shuffled"] else _eps(row["shuffled"])
        rows.append([row["name"], claimed, _eps(row["local"]["epsilon"]), verdict(row), shuffled])
    lines = aligned(rows)[0]
    notes = [f"{row['name']}: {row['title']}; {row['source']}" for row in answer["gallery"]] if len(rows) == 2 else []
    notes += [f"  {row['note']}" for row in answer["gallery"] if len(rows) == 2 and row["note"]]
    return "\n".join(line.rstrip() for line in [*lines, *notes])


def verdict(row: Tree) -> str:
    """The verdict on what an entry claims; where 2^-40 more eps would keep it, it fails by rounding."""
    return f"{row['verdict'] or '-'}{', by rounding' if 'by_rounding' in row else ''}"


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
