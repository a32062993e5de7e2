"""The picture of a calibration: delta as the parameter moves, the kept and the failing value, the paper's."""

from fractions import Fraction
from typing import TYPE_CHECKING

from shufflecert.verify.errors import BadInput
from shufflecert.verify.report import plots
from shufflecert.verify.shapes.common import Tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def calibration_figure(answer: Tree) -> "Figure":
    """delta at each parameter value that was evaluated; the answer, the failing value and the paper's are marked.

    Raises BadInput where too few values were looked at for a picture, or matplotlib is missing.
    """
    points = [tuple(float(Fraction(p[key])) for key in ("value", "lower", "upper")) for p in answer["search"]["points"]]
    known = [p for p in points if p[1] > 0 or p[2] < 1]
    if len(known) < 2:
        raise BadInput("plot: fewer than two values were looked at: expected a parameter with more of them")
    target, parameter = answer["target"], answer["parameter"]
    marks = [_mark(answer["value"], answer["delta"], "satisfies (eps, delta)")]
    if answer["fails"] is not None:
        fails = _mark(answer["fails_at"], answer["fails"]["delta"], "fails")
        span = max(p[0] for p in known) - min(p[0] for p in known)
        if abs(fails.x - marks[0].x) > span / 50:
            marks.append(fails)
        else:  # no eye tells them apart
            marks = [plots.Mark(marks[0].x, marks[0].y, "satisfies (eps, delta); the next value fails")]
    bound = float(Fraction(target["delta"]))
    return plots.moving_figure(parameter, [(p[0], p[1], p[2]) for p in known], bound, marks, _papers(answer))


def _papers(answer: Tree) -> float | None:
    """The value that the paper prescribes; None where there is none, or where other parameters of it differ."""
    theirs, parameter = (answer.get("paper") or {}).get("parameters") or {}, answer["parameter"]
    others = {name: value for name, value in answer["parameters"].items() if name != parameter}
    if parameter not in theirs or any(theirs.get(name) != value for name, value in others.items()):
        return None
    return float(Fraction(theirs[parameter]))


def _mark(value: str, delta: Tree, label: str) -> plots.Mark:
    return plots.Mark(float(Fraction(value)), float(Fraction(delta["upper"])), label)
