"""docs/reference/deployed.md is what is computed now, row by row."""

import pytest

from tests.deployed import INTRODUCTION, PAGE, ROWS


def test_the_page_has_every_row():
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(INTRODUCTION) and page.removeprefix(INTRODUCTION).count("\n") == len(ROWS) + 2


SLOW = ("any_ldp", "krr", "symmetric_rappor")  # which other tests compute as well


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[pytest.mark.long] * (row.system in SLOW), id=f"{row.system} {row.source}")
        for row in ROWS
    ],
)
def test_a_row_is_current(row):
    assert f"| {' | '.join(row.cells())} |\n" in PAGE.read_text(encoding="utf-8")
