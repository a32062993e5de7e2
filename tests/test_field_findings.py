"""What was found in public libraries' own mechanisms, each with its reason."""

import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy
import pytest

from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests.field import found, of_diffprivlib, page
from tests.field.marks import BOXES, FOLLOWED, MISSING, NAMES, dec, diffprivlib, law, multi_freq, pure_ldp
from tests.field.mechanism import followed_through
from tests.field.of_pure_ldp import pure_ldp as of_pure_ldp
from tests.reference import real

F = Fraction


@pure_ldp
def test_rappor_sends_every_one_as_it_is():
    followed = law("pure-ldp: RAPPORClient, f = 1/2, m = 4, k = 1, eps = log(9)")
    hashes = of_pure_ldp()["core"].generate_hash_funcs(2, 4)
    for x in range(1, 5):
        expected = {}
        for cohort in range(2):
            at = hashes[cohort](str(x - 1))
            for rest in range(8):
                bits = [rest >> i & 1 for i in range(3)]
                bits.insert(at, 1)  # and every 0 becomes 1 with probability f/2
                expected[f"(({', '.join(map(str, bits))}), {cohort})",] = (
                    F(1, 2) * F(1, 4) ** (sum(bits) - 1) * F(3, 4) ** (4 - sum(bits))
                )
        assert followed.laws[str(x)] == expected
    assert delta(followed.randomizer, 1, Eps.of("log(9)"), "local").delta.minus(F(3, 4)).sign() == 0


def grr(k, power):
    """{(x, y): probability} of k-ary randomized response."""
    return {(x, y): (power if x == y else 1) / (power + k - 1) for x in range(k) for y in range(k)}


@multi_freq
@pytest.mark.parametrize("kind", ["GRR", "UE_zero", "UE_rnd", "ADP"])
def test_one_attribute_with_fake_data(kind):
    """e^eps is d (e^eps - 1) + 1 for users who differ in both of d = 2 attributes; in one, what the remark says."""
    mechanism = next(m for m in FOLLOWED if m.name.startswith(f"RSpFD_{kind}_"))
    laws = found.followed(mechanism, False).laws
    kept = found.worst_ratio(found.followed(mechanism, False)).low
    assert float(kept) == pytest.approx(2 * (math.e - 1) + 1, rel=1e-12)
    apart = [(a, b) for a in mechanism.inputs for b in mechanism.inputs if sum(map(int.__ne__, a, b)) == 1]
    ratio = max(p / laws[str(b)][sent] for a, b in apart for sent, p in laws[str(a)].items())
    assert f"alone are {math.log(ratio):.3f} apart" in mechanism.remark


@multi_freq
def test_one_attribute_with_fake_data_is_its_definition():
    """Arcolezi et al., CIKM 2021: one of d attributes by randomized response of eps', the others uniform."""
    mechanism = next(m for m in FOLLOWED if m.name.startswith("RSpFD_GRR_"))
    power = dec(numpy.exp(numpy.log(2 * (numpy.exp(1.0) - 1) + 1)))
    one, other = grr(2, power), grr(3, power)
    for (a, b), row in zip(mechanism.inputs, found.followed(mechanism, False).laws.values(), strict=True):
        for (y, z), p in (((y, z), row[f"({y}, {z})",]) for y in range(2) for z in range(3)):
            assert abs(p - (one[a, y] / 3 + other[b, z] / 2) / 2) < F(1, 10**14)


@multi_freq
def test_subsets_keep_the_claim_without_their_order():
    """6 values, subsets of 2: with x in it e^eps times as probable as any without."""
    laws = law("multi-freq-ldpy: SS_Client, k = 6, subsets of 2, eps = 1").laws
    sets = {x: Counter() for x in laws}
    for x, row in laws.items():
        for sent, p in row.items():
            sets[x][frozenset(sent[0].strip("()").split(", "))] += p
            assert x not in sent[0].split(", ")[1]  # a value that is second is not the user's
    ratio = max(p / other[s] for row in sets.values() for other in sets.values() for s, p in row.items())
    assert abs(found.excess(ratio, Eps.of(1))) < 1e-15


@pytest.mark.skipif("ldp-hierarchical-mechanism" in MISSING or "pure-ldp" in MISSING, reason="not installed")
def test_the_first_interval_is_sent_as_it_is():
    """Two intervals, then four: -1 with probability e / (e + 1) of the one, e / (e + 3) of the other."""
    name = "Private_TreeBary, direct_encoding, B = 4, b = 2, all levels, eps = 2"
    laws = law(f"ldp-hierarchical-mechanism: {name}").laws
    for x in range(4):
        shown = [sum(p for sent, p in laws[str(x)].items() if f"({level}, -1)" in sent[0]) for level in (1, 2)]
        expected = [math.e / (math.e + 1) if x < 2 else 0, math.e / (math.e + 3) if x == 0 else 0]
        assert [float(p) for p in shown] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("oue", [False, True])
def test_unary_encoding_before_it_was_mended(oue):
    """pure-ldp 1.1.2: true bits are 1 with p + (1 - p) q instead of p."""
    p = 0.5 if oue else math.exp(0.5) / (math.exp(0.5) + 1)
    q = 1 / (math.exp(1) + 1) if oue else 1 - p

    def perturb(index, rng):
        bits = rng.choice([1, 0], size=3, p=[q, 1 - q])
        if rng.random() < p:
            bits[index] = 1
        return tuple(int(bit) for bit in bits)

    ratio = found.worst_ratio(enumerate_sampler(perturb, (0, 1, 2), deployed=True))
    own = p + (1 - p) * q
    kept = math.log(own / (1 - own) * (1 - q) / q)
    assert math.isclose(math.log(ratio.low), kept, rel_tol=1e-12)
    assert f"{kept:.4f}" in page.KNOWN


@pure_ldp
def test_f_of_a_large_eps_is_no_noise_at_all():
    fo = of_pure_ldp()["frequency_oracles"]
    client = fo.RAPPORClient(0.5, 4, of_pure_ldp()["core"].generate_hash_funcs(1, 4))
    assert client.convert_eps_to_f(12) == 0.0
    for eps, f, kept, _ in page.conversions():
        if float(f):
            half = mpmath.mpf(f) / 2
            assert abs(float(kept) - 2 * mpmath.log((1 - half) / half)) < 1e-4 * float(kept)
            assert (float(kept) > int(eps)) is (eps in ("3", "6"))


@diffprivlib
def test_hierarchy_whose_constants_agree_at_half_of_eps():
    """At eps = 6 log 2 the row sums of exp(-eps u / 6) are 2 for all; those of exp(-eps u / 3), 78/64 and 84/64."""
    name = next(name for name in NAMES if "ExponentialHierarchical [[[a]" in name)
    ratio = found.worst_ratio(law(name))
    with mpmath.workdps(40):
        kept = mpmath.log(real(ratio.low))
        assert abs(kept - (6 * mpmath.log(2) + mpmath.log(mpmath.mpf(84) / 78))) < 1e-5
        assert kept - of_diffprivlib.COINCIDENCE > 0.074
    assert ratio.low == law(name).laws["a"]["a",] / law(name).laws["e"]["a",]


@diffprivlib
def test_binary_of_a_large_eps_never_flips():
    followed = law("diffprivlib: Binary, eps = 40", True)
    assert followed.laws == {"0": {("0",): 1}, "1": {("1",): 1}}


@diffprivlib
def test_categorical_of_a_large_eps_gives_one_value_by_a_zero():
    followed = law("diffprivlib: ExponentialCategorical, 2 values, utility 1, eps = 40", True)
    assert followed.laws == {"a": {("a",): 1}, "b": {("a",): F(1, 2**53), ("b",): 1 - F(1, 2**53)}}


@diffprivlib
def test_permute_and_flip_may_have_no_value_to_return():
    """The best of three is refused where its draw is 0 (and the next is not), the others with 1 - e^(-1/2) each."""
    name = "diffprivlib: PermuteAndFlip, 3 candidates, utilities 0 and 1, eps = 1"
    assert ("RuntimeError",) not in law(name).laws["a"]
    followed = law(name, True)
    p = followed.laws["a"]["RuntimeError",]
    with mpmath.workdps(40):
        expected = mpmath.mpf(2) ** -53 * (1 - mpmath.exp(mpmath.mpf(-1) / 2)) ** 2
        assert abs(real(p) / expected - 1) < 1e-2


OPENDP = [box for box in BOXES if box.library == "opendp"]


@pytest.mark.skipif("opendp" in MISSING, reason="opendp is not installed: pip install '.[mechanisms]'")
def test_opendp_against_a_claim_that_is_too_good():
    """log 3 is what prob = 3/4 costs: a claim of 1/10 is contradicted by as many runs."""
    assert OPENDP[0].run(1_000, Eps.of("1/10")).contradicted


@pytest.mark.parametrize("box", OPENDP, ids=lambda box: box.key)
def test_opendp_claims_no_less_than_its_definition(box):
    assert not box.claimed < Eps.log(box.ratio)
    assert abs(found.excess(box.ratio, box.claimed)) < 1e-15


def not_followed(mechanism):
    with pytest.raises(BadInput, match=r"laplace is not followed|numpy.log of a draw"):
        enumerate_sampler(mechanism.function, mechanism.inputs)


@pure_ldp
def test_histogram_encoding_is_not_followed():
    client, module = of_pure_ldp()["frequency_oracles"].HEClient(1, 2), of_pure_ldp()["he_client"]
    not_followed(followed_through("pure-ldp", "HEClient", client.privatise, f"{module.__name__}.np.random", 1, (1, 2)))


@diffprivlib
@pytest.mark.parametrize("kind", ["Geometric", "Laplace"])
def test_mechanisms_that_take_logarithms_are_not_followed(kind):
    from diffprivlib import mechanisms

    def make(x, rng):
        return getattr(mechanisms, kind)(epsilon=1, sensitivity=1, random_state=rng), int(x)

    not_followed(of_diffprivlib.ibm(make, kind, 1, "01"))
