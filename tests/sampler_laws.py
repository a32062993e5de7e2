"""What the enumerating source of randomness answers about one input, and why it refuses a function."""

import pytest

from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.errors import BadInput


def law(function, x=0, **given):
    """{output: probability} of one input, messages as they are labelled; nothing is left unexplored."""
    found = enumerate_sampler(function, [x], **given)
    assert set(found.residual.values()) == {0}
    (found_law,) = found.laws.values()
    assert sum(found_law.values()) == 1
    return dict(found_law)


def refused(function, inputs=(0, 1), **given):
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, list(inputs), **given)
    said = str(caught.value)
    assert "\n" not in said
    return said
