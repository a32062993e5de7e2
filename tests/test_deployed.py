"""docs/reference/deployed.md is what is computed now, row by row."""

import pytest

from tests.deployed import INTRODUCTION, PAGE, ROWS


def test_the_page_has_every_row():
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(INTRODUCTION) and page.removeprefix(INTRODUCTION).count("\n") == len(ROWS) + 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.system} {row.source}")
def test_a_row_is_current(row):
    assert f"| {' | '.join(row.cells())} |\n" in PAGE.read_text(encoding="utf-8")
