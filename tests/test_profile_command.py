"""`shufflecert profile`: JSON, table, CSV and pictures say the same; bad input is one line before any work."""

import csv
import struct
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

from shufflecert.verify.answers import plots
from shufflecert.verify.commands import profile as profile_command
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.helpers import asked, call, cyclic, written_json

RR = ("profile", "rr", "-p", "flip=1/4", "--n", 3)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def ends(value):
    return Fraction(value["lower"]), Fraction(value["upper"])


def test_the_default_grid(capsys):
    points = asked(capsys, "profile", "zsum", "-p", "p=1/2", "--n", 5)["curves"][0]["points"]
    assert [Fraction(point["eps"]) for point in points] == [Fraction(i, 20) for i in range(81)]


def test_several_systems_views_and_a_file(capsys, tmp_path):
    tree = cyclic()
    (tmp_path / "my.json").write_text(written_json(tree))
    names = f"rr,krr,{tmp_path}/my.json"
    parameters = ("-p", "flip=1/4", "-p", "k=3", "-p", "krr.gamma=1/2")
    curves = asked(capsys, "profile", names, *parameters, "--view", "local", "--eps", "log(2),log(3)")["curves"]
    assert [curve["system"] for curve in curves] == names.split(",")
    for curve, rows in zip(curves, (oracle.rr("1/4"), oracle.krr(3, "1/2"), tree), strict=True):
        for point in curve["points"]:
            low, high = ends(point)
            assert low <= oracle.delta(rows, 1, Eps.of(point["eps"]).power, "local") <= high
    text = call(capsys, "profile", names, *parameters, "--view", "local", "--eps", "log(2)")[1]
    assert "local view" in text.splitlines()[0] and text.splitlines()[2].split()[:2] == ["log(2)", "0.25"]


def test_the_table_rounds_outwards(capsys):
    text = call(capsys, *RR, "--eps", "0,1/3,1")[1].splitlines()
    points = asked(capsys, *RR, "--eps", "0,1/3,1")["curves"][0]["points"]
    assert text[0].endswith("shuffled view, n = 3") and text[1].split() == ["eps", "rr"]
    for line, point in zip(text[2:5], points, strict=True):
        eps, value = line.split(maxsplit=1)
        shown = [Fraction(end) for end in value.strip("[]").split(", ")]
        low, high = ends(point)
        assert Fraction(eps) == Fraction(point["eps"])
        assert shown[0] <= low <= high <= shown[-1] <= high + high / 10**4


def test_csv_and_json_hold_the_same(capsys, tmp_path):
    file = tmp_path / "curves.csv"
    systems = ("profile", "rr,zsum", "-p", "flip=1/4", "-p", "p=1/2", "--n", 3)
    answer = asked(capsys, *systems, "--eps", "0,1/4,1/3,log(3)", "--csv", file)
    header, *lines = rows(file)
    assert header == ["system", "eps", "lower", "upper"]
    written = {"1/4": "0.25"}  # a decimal where it is exact
    assert lines == [
        [curve["system"], written.get(point["eps"], point["eps"]), point["lower"], point["upper"]]
        for curve in answer["curves"]
        for point in curve["points"]
    ]
    assert [line[1] for line in lines[:4]] == ["0", "0.25", "1/3", "log(3)"]


def test_trade_off(capsys, tmp_path):
    file = tmp_path / "t.csv"
    (curve,) = asked(capsys, *RR, "--trade-off", "--view", "local", "--alpha", "0:1:6", "--csv", file)["trade_off"]
    for point in curve["points"]:
        alpha = Fraction(point["alpha"])
        low, high = ends(point)
        assert low <= max(1 - 3 * alpha, (1 - alpha) / 3) <= high and high - low < Fraction(1, 10**20)
    assert [line[:2] for line in rows(file)[:3]] == [["system", "alpha"], ["rr", "0"], ["rr", "0.2"]]
    assert len(asked(capsys, *RR, "--trade-off")["trade_off"][0]["points"]) == 41
    assert "type II error at type I error" in call(capsys, *RR, "--trade-off", "--alpha", "1/2")[1]


def test_renyi(capsys, tmp_path):
    file, plot = tmp_path / "r.csv", tmp_path / "r.svg"
    names = ("profile", "zsum,discrete_laplace", "-p", "p=9/10", "-p", "q=1/2", "--n", 10, "--renyi", "2:4:3")
    one, two = asked(capsys, *names, "--csv", file, "--plot", plot)["renyi"]
    assert [point["order"] for point in one["points"]] == ["2", "3", "4"]
    assert {point[end] for point in (*one["points"], one["rho"]) for end in ("lower", "upper")} == {"inf"}
    low, high = ends(two["points"][0])  # sum P^2 / Q = (q^2 + 1/q) / (1 + q) = (1/4 + 2) / (3/2) = 3/2
    assert low < Fraction("0.405465108108164381978013115464349136572") < high
    assert ends(two["rho"])[0] < ends(two["rho"])[1]
    assert rows(file)[1] == ["zsum", "2", "inf", "inf"]
    assert {"zsum (infinite)", "discrete_laplace"} <= {"".join(t.itertext()) for t in ET.parse(plot).iter()}
    text = call(capsys, *names)[1]
    assert "infinite" in text and "rho = infinite" in text and "rho = [" in text


def test_a_paper_prescribes_for_one_promise(capsys):
    promise = ("profile", "poisson", "--n", 10_000, "--paper", "--for", "1:1e-6")
    (curve,) = asked(capsys, *promise, "--eps", "1,2")["curves"]
    lam = Fraction(curve["parameters"]["lam"])
    single = asked(capsys, "delta", "poisson", "--n", 10_000, "--paper", "--eps", 1, "--delta", "1e-6")
    assert lam == Fraction(single["parameters"]["lam"]) and curve["points"][0]["upper"] == single["delta"]["upper"]
    text = call(capsys, *promise, "--eps", "1")[1]
    assert f"lam = {lam}" in text


def test_a_band_wider_than_a_line_is_shown(capsys, tmp_path, monkeypatch):
    """krr at n = 10000: real datasets from below, the blanket from above."""
    drawn = []
    monkeypatch.setattr(plots, "save", lambda figure, *_: drawn.append(figure))
    krr = ("profile", "krr", "-p", "k=10", "-p", "gamma=0.157", "--n", 10_000, "--eps", "1,2")
    (curve,) = asked(capsys, *krr, "--plot", tmp_path / "band.svg")["curves"]
    assert curve["scope"]["two_sided"]
    for point in curve["points"]:
        low, high = ends(point)
        assert 0 < low < high
    assert high > low * Fraction(11, 10)  # at eps = 2
    (filled,) = drawn[0].axes[0].collections
    at_two = {float(y) for path in filled.get_paths() for x, y in path.vertices if x == 2}
    assert (min(at_two), max(at_two)) == (float(low), float(high))
    assert "upper bounds: pairs that dominate" in call(capsys, *krr)[1]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_picture_of_several_systems(capsys, tmp_path, suffix):
    file = tmp_path / f"a.{suffix}"
    code, out, err = call(capsys, "profile", "rr,zsum", "-p", "flip=1/4", "-p", "p=1/2", "--n", 7, "--plot", file)
    assert (code, err) == (0, "") and f"written: {file}" in out
    data = file.read_bytes()
    if suffix == "svg":
        found = {"".join(node.itertext()) for node in ET.fromstring(data).iter()}
        assert {"rr", "zsum", "delta", "eps (nats)", "shuffled view, n = 7"} <= found
    else:
        assert data.startswith(b"\x89PNG\r\n\x1a\n") and min(struct.unpack(">II", data[16:24])) > 300


# Bad input -----------------------------------------------------------------------------------------------------------


def test_files_are_looked_at_before_the_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(profile_command, "bound_of", lambda *_, **__: pytest.fail("it worked first"))
    for option in ("--csv", "--plot"):
        (tmp_path / "a.png").write_text("before")
        assert call(capsys, *RR, option, tmp_path / "a.png")[0] == 2
    with pytest.raises(pytest.fail.Exception):
        call(capsys, *RR, "--csv", tmp_path / "a.png", "--force")


def test_an_interrupt_leaves_nothing(capsys, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(profile_command, "bound_of", interrupted)
    assert call(capsys, *RR, "--csv", tmp_path / "a.csv", "--plot", tmp_path / "a.png")[0] == 130
    assert list(tmp_path.iterdir()) == []
