"""Right samplers of the corpus, changed into the shapes that once got a false law: not followed, or of the same law.

Each change keeps the law of a call in a fresh process where it is not chance or state itself, so what is followed must
be the law that was followed before the change; it is never another one.
"""

import random
from types import FunctionType

import pytest

from shufflecert.verify.errors import BadInput
from tests.corpus import SAMPLES
from tests.corpus.changes import REFUSED, SAME, untouched
from tests.helpers import cases
from tests.sampler_laws import enumerate_several as enumerate_sampler

SMALL = 200  # paths


def law(function, sample):
    found = enumerate_sampler(function, sample.inputs, residual=sample.residual, max_paths=SMALL, strict=True)
    return found if not any(found.residual.values()) else None


def plain(count):
    """Right ones that have few paths."""
    listed = [s for s in SAMPLES if s.right and type(s.function) is FunctionType]
    random.Random(7).shuffle(listed)
    few = []
    for sample in listed:
        try:
            found = law(sample.function, sample)
        except BadInput:
            continue
        if found is not None and max(found.paths.values()) <= SMALL:
            few.append((sample, found.laws))
        if len(few) == count:
            break
    return few


def judge(samples):
    followed = 0
    for sample, laws in samples:
        for change in SAME:
            try:
                found = law(change(sample.function), sample)
            except BadInput:
                assert change is not untouched
                continue
            assert found is None or found.laws == laws, (sample.name, change.__name__)
            followed += found is not None
        for change in REFUSED:
            with pytest.raises(BadInput) as caught:
                law(change(sample.function), sample)
            assert "\n" not in str(caught.value), (sample.name, change.__name__)
    return followed


def test_changed_samplers():
    samples = plain(cases(100, 1))
    assert judge(samples) >= len(samples) >= cases(20, 1)
