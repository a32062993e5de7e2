"""States that meet against walks of every path: functions followed and the same observed, on the corpus and on
adversaries; and the chain of states by hand. Random programs are those of tests/test_followed_programs.py."""

from fractions import Fraction
from functools import partial

import pytest
from flint import fmpq

from shufflecert.verify.audit import sampler
from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.audit.walk import Vertex, law
from shufflecert.verify.errors import BadInput
from tests.corpus import SAMPLES
from tests.merging_adversaries import ADVERSARIES

SMALL = Fraction(1, 2**12)


def both(function, inputs, **given):
    """Observed, which follows every path; followed, which merges; a refusal in its first words."""
    found = []
    options = sampler.Options(**given)
    for walk in (
        lambda: sampler._of_libraries("f", options, partial(sampler._observed, function, inputs, options), "observed"),
        lambda: enumerate_sampler(function, inputs, strict=True, **given),
    ):
        try:
            found.append(walk())
        except BadInput as error:
            found.append(str(error))
    return found


def agree(plain, merged):
    """Equal where both were followed to their ends, else no further apart than what was not followed."""
    assert plain.laws.keys() == merged.laws.keys()
    for x, one in plain.laws.items():
        two, left, right = merged.laws[x], plain.residual[x], merged.residual[x]
        assert sum(two.values()) + right == 1
        assert left or not right
        for sent in {*one, *two}:
            p, q = one.get(sent, Fraction(0)), two.get(sent, Fraction(0))
            assert p - right <= q <= p + left, (x, sent)


@pytest.mark.parametrize(
    ("some", "deployed"),
    [(24, False), pytest.param(1, False, marks=pytest.mark.long), pytest.param(1, True, marks=pytest.mark.long)],
)
def test_the_corpus(some, deployed):
    """One sample in so many, or all of them."""
    met = 0
    for sample in SAMPLES[::some]:
        residual = max(sample.residual, SMALL)
        given = {"deployed": deployed, "residual": residual, "max_paths": 20_000, "each": sample.each}
        plain, merged = both(sample.function, sample.inputs, **given)
        if isinstance(merged, str):
            assert sample.name == "zeros_with_a_seed"  # which draws from a source of its own
            continue
        agree(plain, merged)
        met += sum(merged.paths.values()) < sum(plain.paths.values())
    assert met >= max(1, 12 // some)


@pytest.mark.parametrize("function", ADVERSARIES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("deployed", [False, True])
@pytest.mark.sampled(12)
def test_adversaries(function, deployed):
    """The same law, or not followed."""
    plain, merged = both(function, [0, 1], deployed=deployed, residual=SMALL)
    if isinstance(merged, str):
        assert "\n" not in merged
    elif not isinstance(plain, str):
        agree(plain, merged)


def chain(*rows):
    """Vertices by rows of steps {to: p} and ends {output: p}."""
    made = [Vertex(fmpq(1)) for _ in rows]
    for vertex, row in zip(made, rows, strict=True):
        for to, p in row.items():
            if isinstance(to, int):
                vertex.step(made[to], fmpq(p.numerator, p.denominator))
            else:
                vertex.end(to, fmpq(p.numerator, p.denominator))
    return made


def test_a_loop_is_closed():
    """a = 1/3 + 1/2 a, by hand: 2/3."""
    half, third, sixth = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
    assert law(chain({0: half, "a": third, "b": sixth})) == {"a": 2 * third, "b": third}


def test_the_ruin_of_a_gambler():
    """From k of 12, with p = 2/3 up: 1 - (q/p)^k over 1 - (q/p)^12, the textbook's formula."""
    up, down = Fraction(2, 3), Fraction(1, 3)
    rows = [{k + 1 if k < 10 else "rich": up, k - 1 if k else "ruined": down} for k in range(11)]
    start = [{5: Fraction(1)}, *({(to + 1 if isinstance(to, int) else to): p for to, p in r.items()} for r in rows)]
    found = law(chain(*start))
    ratio = down / up
    assert found["rich"] == (1 - ratio**5) / (1 - ratio**12)
    assert found["ruined"] == 1 - found["rich"]


def test_what_never_ends_is_no_output():
    half = Fraction(1, 2)
    assert law(chain({1: half, "a": half}, {2: Fraction(1)}, {1: Fraction(1)})) == {"a": half}
