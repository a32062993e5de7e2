"""README said that there is no floating point before a verdict, where datasets were passed over by doubles.

That search is gone; the page on trust says what doubles still do, which is to choose where to look.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_says_what_doubles_do():
    assert "no floating point between" not in (ROOT / "README.md").read_text()
    (said,) = [line for line in re.split(r"\n- ", (ROOT / "docs/trust.md").read_text()) if line.startswith("Floating")]
    assert "doubles choose where to look" in said and not re.search(r"rests? on [^.]*(?:doubles|IEEE)", said)
    assert not (ROOT / "protocols/shared/screened_compositions.py").exists()
