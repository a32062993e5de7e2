"""README said that there is no floating point between the input and a verdict; datasets are passed over by doubles.

They are by a margin that is proved. The page on trust names the places; each is a file that is there and uses doubles.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_places_are_named():
    assert "no floating point between" not in (ROOT / "README.md").read_text()
    (said,) = [line for line in re.split(r"\n- ", (ROOT / "docs/trust.md").read_text()) if line.startswith("Floating")]
    places = [ROOT / place for place in re.findall(r"`?((?:verify|protocols)/[\w/]+\.py)`?", said)]
    assert places and all("numpy" in place.read_text() or "float" in place.read_text() for place in places)
