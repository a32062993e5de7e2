"""`make bench` did not start: a module of it imported what had moved away, and nothing ran any of its tables."""

import pkgutil
from importlib import import_module
from io import StringIO

import pytest
from rich.console import Console

from tests import bench, verified
from tests.bench.__main__ import SECTIONS

PEERS = ("dp_accounting", "prv_accountant")  # where one is not installed, its row says so


@pytest.mark.parametrize("name", [found.name for found in pkgutil.iter_modules(bench.__path__)])
def test_every_module_of_the_bench_is_imported(name):
    import_module(f"tests.bench.{name}")


SLOW = ("five_problems", "audits", "calibrate", "strangers")  # more than two seconds each, run by `make test-long`


@pytest.mark.parametrize(
    "section",
    [pytest.param(s, id=s.__name__, marks=[pytest.mark.long] * (s.__name__ in SLOW)) for s in SECTIONS],
)
@pytest.mark.sampled(2)
def test_every_table_runs_on_its_smallest_row(section):
    """A job that fails is a line of a table, and none of ours may be one."""
    if section.__name__ == "kernels" and verified.missing():
        pytest.skip(verified.missing())
    console = Console(width=400, file=StringIO())
    section(console, 120.0, which="smallest")
    rows = console.file.getvalue().splitlines()
    missing = [row for row in rows if any(f"No module named '{peer}'" in row for peer in PEERS)]
    signs = ("Error", " nan", "given up", "none ")
    failed = [row for row in rows if row not in missing and any(sign in row for sign in signs)]
    assert len(rows) > len(missing) + 4 and not failed, rows
