"""Small samplers in the style of research code, right ones and wrong ones, each with a claim; `SAMPLES` lists them.

The right ones keep their claim. Each wrong one has one bug, named in `why`, of a kind that research code has had.
"""

from tests.corpus import arrays, counts, draws, numbers, responses, shuffled

SAMPLES = responses.SAMPLES + draws.SAMPLES + counts.SAMPLES + shuffled.SAMPLES + arrays.SAMPLES + numbers.SAMPLES
