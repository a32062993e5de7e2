"""Commands on a stranger's randomizer whose messages only count: calibrate, compose and profile close in by boxes.

Expected values are the enumeration of all datasets at the same n, which the exact engine has where it is allowed to.
"""

import json
from fractions import Fraction

import pytest

from shufflecert.verify import cli
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta as worst_delta
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.kernel import check
from tests.test_cover import _answer as answer

SOURCE = '''
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.systems.declare import System, parameter
from shufflecert.verify.systems.declare import Order


@dataclass(frozen=True)
class Counted(System):
    """x or 3 - x messages, and with probability p a uniform number of them."""

    p: Fraction = parameter("of a uniform number", probability, "1/2", order=Order(Fraction(0), Fraction(1)))

    def randomizer(self) -> Randomizer:
        rows = {}
        for x in (0, 1):
            row = {("a",) * k: self.p / 4 for k in range(4)}
            row[("a",) * x] += 2 * (1 - self.p) / 3
            row[("a",) * (3 - x)] += (1 - self.p) / 3
            rows[x] = row
        return Randomizer.of(rows)

    def analyze(self, messages, n):
        return Fraction(0)


nothing = 3
'''


def exact(p, n, eps):
    """(lower, upper) ends of the worst delta(eps) over all datasets, enumerated."""
    rows = {}
    for x in (0, 1):
        row = {("a",) * k: p / 4 for k in range(4)}
        row[("a",) * x] += 2 * (1 - p) / 3
        row[("a",) * (3 - x)] += (1 - p) / 3
        rows[str(x)] = row
    found = worst_delta(Randomizer.of(rows), n, eps, effort=Effort(work=10**9)).delta
    return [Fraction(end) for end in found.enclosure(20)]


def test_a_class_of_a_file_is_calibrated_and_certified_by_boxes(tmp_path, capsys):
    """The least p of a grid: its delta is kept, and the next value's is not, by enumeration of all datasets."""
    file, kept = tmp_path / "counted.py", tmp_path / "kept.json"
    file.write_text(SOURCE)
    asked = ["calibrate", f"{file}:Counted", "--n", "60", "--eps", "1/4", "--delta", "1/100", "--over", "p"]
    status, said, _ = answer([*asked, "--step", "1/8", "--max-work", "1000000", "-o", str(kept), "--json"], capsys)
    value = Fraction(said["value"])
    assert status == 0 and exact(value, 60, "1/4")[1] <= Fraction(1, 100) < exact(value - Fraction(1, 8), 60, "1/4")[0]
    assert "boxes" in said["scope"]["by"] or "enumeration" in said["scope"]["by"]
    assert check(kept.read_bytes()).status == "accepted"


@pytest.mark.parametrize(("name", "complaint"), [("nothing", "expected a class of systems"), ("gone", "gone")])
def test_what_is_no_class_of_systems_is_refused(name, complaint, tmp_path, capsys):
    file = tmp_path / "counted.py"
    file.write_text(SOURCE)
    from shufflecert.verify import cli

    with pytest.raises(SystemExit) as ended:
        cli.main(["calibrate", f"{file}:{name}", "--n", "9", "--eps", "1", "--delta", "1/10"])
    assert ended.value.code == 2 and complaint in capsys.readouterr().err


def test_a_profile_gives_a_class_of_a_file_its_parameters(tmp_path, capsys):
    file = tmp_path / "counted.py"
    file.write_text(SOURCE)
    arguments = ["profile", f"{file}:Counted", "--n", "2", "--eps", "1/2", "--json"]
    for name, p in (("p", "1/3"), (f"{file}:Counted.p", "1/4")):
        point = answer([*arguments, "-p", f"{name}={p}"], capsys)[1]["curves"][0]["points"][0]
        low, high = exact(Fraction(p), 2, "1/2")
        assert Fraction(point["lower"]) <= high and low <= Fraction(point["upper"])
    with pytest.raises(SystemExit):
        cli.main([*arguments[:-1], "-p", "q=1/3"])
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"expected one of {file}:Counted.p" in error


def test_a_profile_holds_the_enumerated_curve(tmp_path, capsys):
    file = tmp_path / "counted.py"
    file.write_text(SOURCE)
    asked = ["profile", f"{file}:Counted", "--n", "150", "--eps", "0:1/2:3", "--max-work", "60000"]
    status, said, _ = answer([*asked, "--json"], capsys)
    assert status == 0, json.dumps(said)
    [curve] = said["curves"]
    assert "boxes" in curve["scope"]["by"] and len(curve["points"]) == 3
    for point in curve["points"]:
        low, high = exact(Fraction(1, 2), 150, point["eps"])
        assert Fraction(point["lower"]) <= high and low <= Fraction(point["upper"])
