"""Pictures: files that parse, names that stay text, the same bytes for the same data, zeros on a log scale."""

import re
import struct
import sys
import xml.etree.ElementTree as ET
import zlib
from math import inf, nan
from pathlib import Path

import matplotlib
import pytest

from shufflecert.verify.answers import plots
from shufflecert.verify.answers.calibrated import Calibration
from shufflecert.verify.answers.plots import Band, bands_figure, bars_figure, check_plot, save, svg
from shufflecert.verify.errors import BadInput, MachineRefused
from tests.helpers import asked

NAMES = ("zsum", "_mine$x_1$ & <b>", 'id="p" url(#p)')
WIDE = Band(NAMES[1], [0.0, 1.0, 2.0], [1e-2, 1e-5, 0.0], [2e-2, 1e-3, 1e-4])
LINE = Band(NAMES[0], [0.0, 1.0, 2.0], [1e-1, 1e-2, 1e-3], [1e-1, 1e-2, 1e-3])
SVG = "{http://www.w3.org/2000/svg}"


def texts(element):
    return ["".join(node.itertext()) for node in element.iter(f"{SVG}text")]


def figure():
    return bands_figure([LINE, WIDE, Band(NAMES[2], [1.0], [1e-3], [1e-3])], "eps ($nats$)", "delta", "n = $100$")


def small():
    return bars_figure([("zsum", 1.0)], "bits")


def png_size(data):
    """(width, height) of a PNG whose chunks all have the right checksum."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, kinds, size = 8, [], None
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
        kinds.append(kind)
        at += 12 + length
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and b"IDAT" in kinds
    return size


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_file_parses_and_is_the_same_again(tmp_path, monkeypatch, suffix):
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    save(figure(), one)
    monkeypatch.setitem(matplotlib.rcParams, "axes.facecolor", "red")  # a user's own style
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    save(figure(), two)
    data = one.read_bytes()
    assert data == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.name, two.name]
    match suffix:
        case ".png":
            assert min(png_size(data)) > 300
        case ".pdf":
            assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF") and b"Date" not in data
        case ".svg":
            found = texts(ET.fromstring(data))
            assert {*NAMES, "eps ($nats$)", "delta", "n = $100$"} <= set(found) and b"<dc:date>" not in data


def test_an_inline_svg_stands_in_a_page_with_others():
    one, two = svg(figure()), svg(small())
    assert one == svg(figure()) and one.startswith("<svg ") and one.endswith("</svg>")
    assert "<metadata" not in one and "<style" not in one  # a style sheet would be the whole page's
    page = ET.fromstring(f"<html>{one}{two}</html>")
    ids = [node.attrib["id"] for node in page.iter() if "id" in node.attrib]
    assert len(ids) == len(set(ids)) > 10
    used = re.findall(r'(?:href="#|url\(#)([\w-]+)', "".join(re.findall(r"<[^>]+>", one + two)))
    assert used and set(used) <= set(ids)
    assert set(NAMES) <= set(texts(page))  # as they are, also where they look like an id


def test_bands_are_filled_between_their_ends_and_lined_along_them():
    axes = figure().axes[0]
    filled = [{tuple(map(float, point)) for path in c.get_paths() for point in path.vertices} for c in axes.collections]
    assert {(0.0, 0.02), (0.0, 0.01), (1.0, 1e-3), (1.0, 1e-5)} <= filled[1]
    ends = [list(map(float, line.get_ydata())) for line in axes.lines]
    assert ends[0] == ends[1] == LINE.lower and ends[2] == WIDE.upper and ends[3][:2] == WIDE.lower[:2]
    colours = [line.get_color() for line in axes.lines]
    assert colours[0] == colours[1] != colours[2] == colours[3]


def test_a_zero_leaves_a_log_scale_downwards():
    axes = figure().axes[0]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log" and 0 < low < 1e-5 and high >= 1e-1
    assert 0 < axes.lines[3].get_ydata()[2] < low  # the third lower end of WIDE


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("ends", [[0.0, 0.0], [inf, inf], [nan, 1.0], [1e-308, 1.0], [1.0, 1.0], []])
@pytest.mark.sampled(3)
def test_any_values_can_be_drawn(log, ends):
    x = [float(i) for i in range(len(ends))]
    drawn = bands_figure([Band("any", x, [inf] * len(x), ends)], "x", "y", "", log)
    for one in (drawn, bars_figure([(str(i), value) for i, value in enumerate(ends)], "x", "", log)):
        one.draw_without_rendering()
    assert drawn.axes[0].get_yscale() == ("log" if log and any(0 < y < inf for y in ends) else "linear")


@pytest.mark.parametrize(("log", "bars"), [(False, [3.0, 0.0, 0.02]), (True, [3.0 - 1e-3, 0.0, 0.02 - 1e-3])])
def test_bars(log, bars):
    rows = [("zsum", 3.0), ("_none$", 0.0), ("krr", 0.02)]
    drawn = bars_figure(rows, "RMSE", "the title", log)
    axes = drawn.axes[0]
    assert axes.get_xscale() == ("log" if log else "linear")
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(bars)
    assert {bar.get_x() for bar in axes.patches} == {1e-3 if log else 0.0}  # where the scale begins
    places = [bar.get_y() for bar in axes.patches]
    assert places == sorted(places) and axes.yaxis_inverted()  # from top to bottom
    assert {"zsum", "_none$", "krr", "RMSE", "the title", "3", "0", "0.02"} <= set(texts(ET.fromstring(svg(drawn))))


def test_many_bands_look_different():
    found = bands_figure([Band(str(i), [0.0, 1.0], [2.0**i] * 2, [2.0**i] * 2) for i in range(20)], "x", "y")
    looks = [(line.get_color(), line.get_linestyle()) for line in found.axes[0].lines]
    assert len(set(looks)) == 20


def test_a_band_that_runs_on_another_is_dashed_and_in_another_colour():
    """Both are seen; a third one, elsewhere, is a line, and so is one that crosses."""
    x, low, far, crossing = [0.0, 1.0, 2.0], [1e-3, 1e-4, 1e-5], [1e-3, 1e-2, 1e-1], [1e-3, 1e-6, 1e-7]
    close = [1.01 * y for y in low]
    bands = [Band(name, x, y, y) for name, y in (("a", low), ("b", close), ("c", far), ("d", crossing))]
    lines = bands_figure(bands, "x", "y").axes[0].lines[::2]
    assert [line.get_linestyle() for line in lines] == ["-", "--", "-", "-"]
    assert lines[0].get_color() != lines[1].get_color()
    linear = bands_figure([Band("a", x, far, far), Band("b", x, low, low)], "x", "y", log=False).axes[0].lines[::2]
    assert [line.get_linestyle() for line in linear] == ["-", "-"]


def test_bands_have_as_many_ends_as_places():
    with pytest.raises(BadInput, match="mine: 2 x: expected"):
        Band("mine", [0.0, 1.0], [0.0], [1.0, 1.0])


@pytest.mark.parametrize("name", ["a.gif", "a", ".png", "a.png.txt", "absent/a.png", "there.png"])
def test_a_file_that_cannot_be_written_is_refused_first(tmp_path, name):
    (tmp_path / "there.png").write_bytes(b"before")
    for refuse in (lambda path: check_plot(path, False), lambda path: save(small(), path)):
        with pytest.raises(BadInput, match=re.escape(name)):
            refuse(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["there.png"]
    assert (tmp_path / "there.png").read_bytes() == b"before"


def test_a_file_is_written_over_by_force_whole_or_not_at_all(tmp_path, monkeypatch):
    file, link = tmp_path / "there.SVG", tmp_path / "link.Svg"
    file.write_bytes(b"before")
    link.symlink_to(file)
    faults = (OSError(28, "No space left on device"), MachineRefused), (KeyboardInterrupt(), KeyboardInterrupt)
    for fault, kind in faults:

        def fails(*_, fault=fault):
            raise fault

        with monkeypatch.context() as patch, pytest.raises(kind):
            patch.setattr(Path, "replace", fails)
            save(small(), file, force=True)
        assert file.read_bytes() == b"before" and len(list(tmp_path.iterdir())) == 2
    save(small(), link, force=True)
    assert link.is_symlink() and ET.fromstring(file.read_bytes()).tag == f"{SVG}svg"


def test_without_matplotlib_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: check_plot(tmp_path / "a.png", False), lambda: plots.bands_figure([LINE], "x", "y")):
        with pytest.raises(BadInput, match=r"pip install 'shufflecert\[plots\]'"):
            call()


@pytest.mark.parametrize(
    ("theirs", "said"), [("6", "the paper's value"), ("500", "the paper's value, 500, is far right")]
)
def test_the_papers_value_stands_in_the_picture_of_a_calibration(theirs, said):
    points = [{"value": str(x), "lower": f"1e-{x}", "upper": f"1e-{x}"} for x in range(2, 6)]
    answer = {"parameter": "lam", "parameters": {"lam": "4", "d": "3"}, "value": "4", "delta": points[2], "fails": None}
    answer |= {"target": {"delta": "1e-4"}, "search": {"points": points}}
    for more, expected in (({}, said), ({"d": "4"}, None)):  # of another d it says nothing
        drawn = Calibration(answer | {"paper": {"parameters": {"lam": theirs, "d": "3"} | more}}).plot()
        texts = [text.get_text() for text in drawn.axes[0].texts]
        assert [text for text in texts if "paper" in text] == [expected] * (expected is not None)
        lines = [line.get_xdata()[0] for line in drawn.axes[0].lines if line.get_linestyle() == "-."]
        assert lines == [6.0] * (expected == "the paper's value")


def test_a_chart_of_what_is_infinite_says_so(capsys, tmp_path):
    """It was empty, over orders below 0."""
    asked(capsys, "profile", "r_gap", "--view", "preshuffle", "--renyi", "2:8:4", "--plot", tmp_path / "a.svg")
    assert "infinite everywhere" in (tmp_path / "a.svg").read_text()
    axes = bands_figure([Band("x", [2.0, 8.0], [float("inf")] * 2, [float("inf")] * 2)], "order", "y").axes[0]
    assert axes.get_xlim() == (2.0, 8.0) and not axes.get_yticklabels()
