"""Public libraries' own mechanisms: laws against their own sources and closed forms; every row of FIELD.md anew.

Closed forms are of the doubles that the objects hold, read as the decimals that they are written as, from the papers'
definitions. Seeded runs of unpatched objects tell whether a seam changes what it is put into.
"""

import math
import random
import sys
from collections import Counter
from fractions import Fraction

import numpy
import pytest

from shufflecert.verify.audit.messages import Names
from shufflecert.verify.audit.sampler import OBSERVED
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from tests.field import boxes, found, page
from tests.field.marks import BOXES, FOLLOWED, MISSING, NAMES, dec, diffprivlib, law, pure_ldp, running
from tests.field.mechanism import LIBRARIES
from tests.helpers import cases
from tests.test_corpus import implausible

F = Fraction
RUNS, CHANCE = 3_000, 1e-9


TITLES = ("| ---", "| mechanism |", "| library |", "| eps |", "| entry |")


def parsed(text):
    """The page's tables: [(the heading above, the cells)], without the lines of titles."""
    rows, heading = [], ""
    for line in text.splitlines():
        heading = line.strip("# ") if line.startswith("#") else heading
        if line.startswith("| ") and not line.startswith(TITLES):
            rows.append((heading, [cell.strip() for cell in line[1:-2].split(" |")]))
    return rows


ROWS = parsed(page.PAGE.read_text())

every = pytest.mark.parametrize("name", NAMES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_are_there(library):
    if library in MISSING:
        pytest.skip(f"{library} is not installed: pip install '.[mechanisms]', tests/field/requirements.txt")


# The page ---------------------------------------------------------------------------------------------------------


def close(mine, theirs):
    """Another C library's exp may end in another digit: what is left is how far off it can be."""
    return mine == theirs or max(abs(float(mine)), abs(float(theirs))) < 1e-6


@every
@pytest.mark.sampled(48)
def test_rows_of_the_page(name):
    mechanism = running(name)
    assert law(name).tier == OBSERVED  # as the page says of all of them
    mine = list(page.row(mechanism))
    heading = page.named(mechanism.library)
    (theirs,) = [row for at, row in ROWS if at == heading and (row[0], row[2]) == (mine[0], mine[2])]
    if mine[3] == theirs[3]:
        assert mine == theirs
    else:
        assert (mine[:3], mine[7]) == (theirs[:3], theirs[7])
        assert close(mine[4], theirs[4]) and close(mine[5], theirs[5])


@pytest.mark.parametrize("box", BOXES, ids=lambda box: box.key)
@pytest.mark.sampled(3)
def test_rows_of_what_is_run(box):
    row = list(page.boxed_row(box, cases(boxes.SAMPLES, box.quick)))
    assert row[1:] in [row[1:] for at, row in ROWS if at == "Run, not followed"]


@pytest.mark.parametrize("entry", page.entries(), ids=lambda entry: entry.name)
def test_rows_from_definitions(entry):
    assert list(page.entry_row(entry)) in [row for at, row in ROWS if at == "From their definitions"]


@pure_ldp
def test_rows_of_the_conversion():
    assert [list(row) for row in page.conversions()] == [row for at, row in ROWS if "conversion" in at]


def test_the_page_has_no_other_rows():
    if not MISSING:
        assert len(ROWS) == len(FOLLOWED) + len(BOXES) + len(page.DEFINED) + 4


def test_the_page_s_words_are_current():
    """All of it but the tables."""
    if not MISSING:
        listed = list(dict.fromkeys(m.library for m in FOLLOWED))
        words = page.HEAD.format(count=len(LIBRARIES)), page.KNOWN, page.RUN.format(samples=boxes.SAMPLES), page.NOT
        text = page.PAGE.read_text()
        headings = [f"### {page.named(library)}" for library in listed]
        for part in (*words, page.CONVERTED, page.FROM_DEFINITIONS, *headings):
            assert part in text


def test_ten_libraries():
    assert len(LIBRARIES) >= 10
    assert {at.partition(" ")[0] for at, _ in ROWS} | {row[0].partition(" ")[0] for _, row in ROWS} >= set(LIBRARIES)


def test_each_verdict_has_its_word():
    """Kept where both columns are below 0; an event where one is above by more than a double's rounding can be."""
    for at, row in ROWS:
        if len(row) < 8:
            continue  # of another table
        above = [value == "infinite" or not value.startswith("-") for value in row[4:6]]
        large = [value == "infinite" or float(value) > 1e-7 for value in row[4:6]]
        assert (row[6] == "kept") is not any(above), (at, row)
        if not any(large):
            assert not row[6].startswith("**broken**"), (at, row)
        assert ("**bug**:" in row[7]) is row[6].startswith("**broken**"), (at, row)


# Laws -------------------------------------------------------------------------------------------------------------


def test_laws_from_compiled_functions():
    """numba's own source, compiled: these are looked at by `make test-long`."""
    assert {m.library for m in FOLLOWED if m.compiled} <= {"multi-freq-ldpy", "ldp-toolbox"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * m.compiled) for name, m in NAMES.items() if m.only_here]
)
@pytest.mark.filterwarnings("ignore:non-integer arguments to randrange")
@pytest.mark.sampled(24)
def test_laws_against_the_library_s_own_source(name):
    mechanism, followed = NAMES[name], law(name, deployed=True)
    if "from Python 3.12 on" in mechanism.remark and sys.version_info >= (3, 12):
        with pytest.raises(TypeError):
            mechanism.native(1, None)
        return
    named, kept = Names(), (random.getstate(), numpy.random.get_state())
    try:
        random.seed(7), numpy.random.seed(7)
        if mechanism.compiled:
            seed_numba()
        for x in mechanism.inputs:
            rng = numpy.random.RandomState(7)
            seen = Counter(named.messages(mechanism.native(x, rng)) for _ in range(RUNS // len(mechanism.inputs)))
            assert not implausible(seen, followed.laws[named.label(x)], followed.residual[named.label(x)], CHANCE)
    finally:
        random.setstate(kept[0]), numpy.random.set_state(kept[1])


def seed_numba():
    import numba

    @numba.njit
    def seed():
        numpy.random.seed(7)

    seed()


def local_hashing(s, g):
    """Keep h(x) with probability s, else uniform on g values (Wang et al. 2017, Sec. 4.4, as p - q)."""
    return (s + (1 - s) / g) / ((1 - s) / g)


def subset_of_block(e, blocks):
    """Acharya, Sun, Zhang 2019, Sec. 3: uniform with probability 2B / (2B - 1 + e^eps), else in half of a block."""
    u = dec(2 * blocks / (2 * blocks - 1 + e))
    return (u / blocks + 2 * (1 - u)) / (u / blocks)


def closed_forms():
    """e^eps of the definitions, by name."""
    forms = {}
    if "pure-ldp" not in MISSING:
        e = math.exp(1)
        de, half = dec(math.pow(math.e, 1) / (math.pow(math.e, 1) + 3)), dec(0.5)
        sue = math.pow(math.e, 0.5) / (math.pow(math.e, 0.5) + 1)
        p, q = dec(sue), dec(1 - sue)
        oue, had = dec(1 / (math.pow(math.e, 1) + 1)), dec(e / (e + 3))
        cms, bit = dec(1 / (1 + math.pow(math.e, 0.5))), dec(1 / (1 + e))
        blh, olh = dec(e / (e + 2 - 1) - 1 / (e + 2 - 1)), dec(e / (e + 3) - 1 / (e + 3))
        forms |= {
            "pure-ldp: DEClient, d = 4, eps = 1": de * 3 / (1 - de),
            "pure-ldp: UEClient (SUE), d = 3, eps = 1": p * (1 - q) / ((1 - p) * q),
            "pure-ldp: UEClient (OUE), d = 3, eps = 1": half * (1 - oue) / ((1 - half) * oue),
            "pure-ldp: LHClient (BLH), g = 2, eps = 1": local_hashing(blh, 2),
            "pure-ldp: LHClient (OLH), g = 4, eps = 1": local_hashing(olh, 4),
            "pure-ldp: FastLHClient, g = 4, k = 6, eps = 1": local_hashing(olh, 4),
            "pure-ldp: SketchResponseClient, m = 4, k = 2, eps = 1": local_hashing(olh, 4),
            "pure-ldp: CMSClient, m = 4, k = 2, eps = 1": ((1 - cms) / cms) ** 2,
            "pure-ldp: HadamardResponseClient, d = 5, eps = 1": (1 - bit) / bit,
            "pure-ldp: HadamardResponseClient, d = 5, eps = 2": subset_of_block(math.exp(2), 4),
            "pure-ldp: HadamardMechClient, d = 4, t = 2, eps = 1": 3 * had / (1 - had),
        }
    if "diffprivlib" not in MISSING:
        e1, inverse = float(numpy.exp(1.0)), dec(numpy.exp(-1.0))
        total = dec(1.0 + float(numpy.exp(-1.0)) + float(numpy.exp(-1.0)))
        forms |= {
            "diffprivlib: Binary, eps = 1": dec(e1) / (dec(e1 + 1) - dec(e1)),
            "diffprivlib: ExponentialCategorical, 3 values, all utilities 1, eps = 1": max(1, total - 1 - inverse)
            / inverse,
        }
    return forms


@pytest.mark.parametrize(("name", "power"), closed_forms().items(), ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.sampled(2)
def test_laws_as_written_against_closed_forms(name, power):
    ratio = found.worst_ratio(law(name))
    assert ratio.low == ratio.high
    assert abs(ratio.low / power - 1) <= 4 * F(1, 2**52)  # sums of doubles inside the library are rounded
    if name.partition(": ")[2].startswith(("DE", "Hadamard", "LH", "Fast", "Sketch", "Binary")):
        assert ratio.low == power


@pure_ldp
def test_deployed_direct_encoding_counts_multiples_of_two_to_the_minus_53():
    p = math.pow(math.e, 1) / (math.pow(math.e, 1) + 3)
    below = math.ceil(F(p) * 2**53)  # of k 2^-53 < p
    assert found.worst_ratio(law("pure-ldp: DEClient, d = 4, eps = 1", True)).low == F(3 * below, 2**53 - below)


@diffprivlib
@pytest.mark.parametrize("eps", [1, 20])
def test_deployed_binary_counts_products_that_are_rounded(eps):
    e, low, high = float(numpy.exp(float(eps))), 0, 2**53
    while low < high:  # the first k whose rounded product is above e: these are flipped
        k = (low + high) // 2
        low, high = (low, k) if math.ldexp(k, -53) * (e + 1) > e else (k + 1, high)
    assert found.worst_ratio(law(f"diffprivlib: Binary, eps = {eps}", True)).low == F(low, 2**53 - low)


@every
@pytest.mark.sampled(64)
def test_verdicts_of_the_certifier(name):
    """The sign of the page's difference is the verdict on the claim, in exact comparison."""
    mechanism, followed = NAMES[name], law(name, deployed=True)
    ratio = found.worst_ratio(followed)
    if max(followed.residual.values()):
        assert Eps.log(ratio.high) < mechanism.claimed
        return
    assert ratio.low == ratio.high
    exact = epsilon(followed.randomizer, 1, 0, "local").eps
    assert exact == (None if ratio.low is None else Eps.log(ratio.low))
    broken = ratio.low is None or found.excess(ratio.low, mechanism.claimed) > 0
    assert found.verdict(mechanism, followed) == ("REFUTED" if broken else "PROVED")


def tight(row):
    """Whether what is kept is what is claimed, but for rounding."""
    return not row[6].startswith("**") and all(v != "infinite" and abs(float(v)) < 1e-7 for v in row[4:6])


@every
@pytest.mark.sampled(64)
def test_other_claims_are_told_apart(name):
    """The same law keeps eps + 10^-6, and breaks eps - 10^-6."""
    ratio, claimed = found.worst_ratio(law(name, deployed=True)), NAMES[name].claimed
    if not tight(page.row(NAMES[name])):
        assert ratio.low is None or not Eps.of(claimed.exponent - F(1, 10**6)) < Eps.log(ratio.low) < Eps.of(
            claimed.exponent + F(1, 10**6)
        )
        return
    more, less = (Eps.of(claimed.exponent + F(way, 10**6)) for way in (1, -1))
    assert less < Eps.log(ratio.low) < more
