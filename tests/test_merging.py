"""Merged walks against walks that follow every path: the same laws, on the corpus, random programs and adversaries."""

import importlib.util
import sys
from contextlib import contextmanager
from fractions import Fraction

import pytest

from tests.corpus import SAMPLES
from tests.merging_adversaries import ADVERSARIES
from tests.merging_programs import module
from verify.audit.code import enumerate_paths
from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.audit.merge.masses import Vertex, law
from verify.audit.merge.surroundings import world_of
from verify.errors import BadInput

SMALL = Fraction(1, 2**12)


@contextmanager
def not_understood(function):
    yield None


def both(monkeypatch, function, inputs, **given):
    """The walk that follows every path, and the one that merges; a refusal in its first words."""
    found = []
    for states in (not_understood, enumerate_paths.states_of):
        with monkeypatch.context() as patched:
            patched.setattr(enumerate_paths, "states_of", states)
            try:
                found.append(enumerate_sampler(function, inputs, **given))
            except BadInput as error:
                found.append(str(error).split(" paths, ")[0].split(";")[0])
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
    [(3, False), pytest.param(1, False, marks=pytest.mark.long), pytest.param(1, True, marks=pytest.mark.long)],
)
def test_the_corpus(monkeypatch, some, deployed):
    """Every third sample, or all of them."""
    met = 0
    for sample in SAMPLES[::some]:
        residual = max(sample.residual, SMALL)
        plain, merged = both(
            monkeypatch, sample.function, sample.inputs, deployed=deployed, residual=residual, max_paths=20_000
        )
        agree(plain, merged)
        met += sum(merged.paths.values()) < sum(plain.paths.values())
    assert met >= 12 // some


@pytest.mark.parametrize("function", ADVERSARIES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("deployed", [False, True])
def test_adversaries(monkeypatch, function, deployed):
    plain, merged = both(monkeypatch, function, [0, 1], deployed=deployed, residual=SMALL)
    assert isinstance(plain, str) == isinstance(merged, str)
    if isinstance(plain, str):
        assert plain == merged
    else:
        agree(plain, merged)


def programs(path, seeds):
    file = path / f"merging_{seeds.start}.py"
    file.write_text(module(seeds))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    made = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = made
    spec.loader.exec_module(made)
    return [getattr(made, f"f{seed}") for seed in seeds]


def compared(monkeypatch, functions):
    """How many were followed, and how many of these on fewer paths."""
    followed = fewer = 0
    for i, function in enumerate(functions):
        plain, merged = both(
            monkeypatch, function, [1], deployed=bool(i % 3 == 2), residual=Fraction(1, 2**10), max_paths=500
        )
        if isinstance(plain, str) or isinstance(merged, str):
            assert plain == merged or "about" in str(plain), (function.__name__, plain, merged)
            continue
        agree(plain, merged)
        followed, fewer = followed + 1, fewer + (merged.paths["1"] < plain.paths["1"])
    return followed, fewer


def test_random_programs(monkeypatch, tmp_path):
    followed, fewer = compared(monkeypatch, programs(tmp_path, range(30)))
    assert followed > 15
    assert fewer > 5  # where there is no `try`: with handlers on the way nothing is merged


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 2000, 100))
def test_many_random_programs(monkeypatch, tmp_path, start):
    followed, fewer = compared(monkeypatch, programs(tmp_path, range(start, start + 100)))
    assert fewer > followed / 5 > 8


# The chain of states ----------------------------------------------------------------------------------------------


def chain(*rows):
    """Vertices by rows of steps {to: p} and ends {output: p}."""
    made = [Vertex(1, 1) for _ in rows]
    for vertex, row in zip(made, rows, strict=True):
        for to, p in row.items():
            if isinstance(to, int):
                vertex.step(made[to], p.numerator, p.denominator)
            else:
                vertex.end(to, p.numerator, p.denominator)
    return made


def test_a_loop_is_closed():
    """a = 1/3 + 1/2 a, by hand: 2/3."""
    half, third, sixth = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
    assert law(chain({0: half, "a": third, "b": sixth})) == ({"a": 2 * third, "b": third}, 0)


def test_the_ruin_of_a_gambler():
    """From k of 12, with p = 2/3 up: 1 - (q/p)^k over 1 - (q/p)^12, the textbook's formula."""
    up, down = Fraction(2, 3), Fraction(1, 3)
    rows = [{k + 1 if k < 10 else "rich": up, k - 1 if k else "ruined": down} for k in range(11)]
    start = [{5: Fraction(1)}, *({(to + 1 if isinstance(to, int) else to): p for to, p in r.items()} for r in rows)]
    found, endless = law(chain(*start))
    ratio = down / up
    assert found["rich"] == (1 - ratio**5) / (1 - ratio**12)
    assert found["ruined"] == 1 - found["rich"]
    assert endless == 0


def test_what_never_ends_is_told():
    half = Fraction(1, 2)
    found, endless = law(chain({1: half, "a": half}, {2: Fraction(1)}, {1: Fraction(1)}))
    assert found == {"a": half}
    assert endless == half


def test_code_is_as_it_was_afterwards():
    def program(x, rng):
        total = 0
        for _ in range(3):
            total += rng.getrandbits(1)
        return total

    code = program.__code__
    with world_of(program) as world:
        assert world is not None
        assert program.__code__ is not code
    assert program.__code__ is code
