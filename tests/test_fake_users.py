"""`fake_users` against enumeration of its randomizer, and its pairs against laws summed term by term."""

from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from shufflecert.protocols.fake_users import Between, FakeUsers, Marked, Revealed, Tilted, among, marked_by_two
from shufflecert.verify import kernel
from shufflecert.verify.decide import certify
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import dyadic, precision
from shufflecert.verify.pairs.windowed import Product, Reversed
from shufflecert.verify.reduce.reduction import worst_delta
from tests.oracle import hockey_stick
from tests.reference import real

EPS = ["0", "log(2)", "1/2", "2"]
TINY = [
    (2, 0, "1/4", 3),
    (2, 0, "1/10", 5),
    (2, 1, "1/4", 3),
    (2, 1, "1/50", 3),
    (2, 2, "1/5", 2),
    (3, 0, "1/4", 4),
    (3, 0, "9/20", 3),
    (3, 1, "1/4", 2),
    (3, 1, "1/10", 3),
    (4, 0, "1/3", 3),
    (2, 1, "1/4", 1),
    (3, 1, "1/7", 1),
]


def convolved(*probabilities):
    """{sum: probability} of independent bits, each 1 with its probability."""
    law = {0: Fraction(1)}
    for p in probabilities:
        more = Counter()
        for k, w in law.items():
            more[k] += w * (1 - p)
            more[k + 1] += w * p
        law = more
    return law


# The worst over all datasets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "k", "flip", "n"), [case for case in TINY if case[0] > 2])
def test_the_two_columns_of_a_real_dataset(d, k, flip, n):
    """The pair of the column sums with all others on 3, from the laws of the users' strings."""
    f, system = Fraction(flip), FakeUsers(d, k, flip)
    held, rest = convolved(1 - f, *[f] * (n * (k + 1) - 1)), convolved(*[f] * (n * (k + 1)))
    P = {(a, b): p * q for a, p in held.items() for b, q in rest.items()}
    Q = {(b, a): p for (a, b), p in P.items()}
    (value, *_) = system.reach(n).attained_certified.worst(Eps.of("log(3/2)"))
    assert value.low <= hockey_stick(P, Q, Fraction(3, 2)) <= value.high


@pytest.mark.parametrize(("flip", "strings"), [("1/4", 1), ("1/4", 4), ("1/10", 5), ("2/5", 3)])
def test_two_columns_say_all_of_one_string_among_fake_ones(flip, strings):
    """The lemma of `among`: d = 3, the multiset of strings against the two column sums."""
    f = Fraction(flip)

    def row(x):
        chance = {}
        for y in product((0, 1), repeat=3):
            chance[y] = Fraction(1)
            for j, bit in enumerate(y, 1):
                chance[y] *= 1 - f if bit == (j == x) else f
        return chance

    laws = []
    for x in (1, 2):
        law = Counter({(y,): p for y, p in row(x).items()})
        for _ in range(strings - 1):
            more = Counter()
            for seen, p in law.items():
                for y, q in row(0).items():
                    more[tuple(sorted((*seen, y)))] += p * q
            law = more
        laws.append(law)
    for power in (Fraction(1), Fraction(3, 2), Fraction(4)):
        low, high = among(f, strings, 1 - f).divergence(Eps.log(power), 256)
        assert low <= hockey_stick(*laws, power) <= high and high - low < Fraction(1, 10**30)


@pytest.mark.parametrize(("n", "k", "flip"), [(4, 0, "1/4"), (3, 1, "1/4"), (3, 2, "1/10"), (5, 1, "1/20")])
def test_the_dominating_steps_are_above_the_mean_that_they_stand_for(n, k, flip):
    """E over K ~ Bin(n - 1, c) of the divergence with n k + 1 + K strings, c = flip / (1 - flip), term by term."""
    f = Fraction(flip)
    c = f / (1 - f)
    for power in (Fraction(1), Fraction(2)):
        mean = Fraction(0)
        for more, weight in convolved(*[c] * (n - 1)).items():
            low, high = among(f, n * k + 1 + more, 1 - f).divergence(Eps.log(power), 256)
            mean += weight * low
        low, high = Revealed(n, k, f).divergence(Eps.log(power), 256)
        simple = among(f, n * k + 1, 1 - f).divergence(Eps.log(power), 256)[1]
        assert mean <= high <= simple and high - low < Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("n", "k", "flip"), [(2, 0, "1/4"), (3, 0, "1/4"), (2, 1, "1/4"), (3, 1, "1/10"), (4, 1, "1/20")]
)
def test_the_marked_strings_are_below_what_they_stand_for(n, k, flip):
    """d = 3, all others on 3: strings counted by third bit and column, from every user's bits."""
    f = Fraction(flip)
    for power in (Fraction(1), Fraction(2)):
        P, Q = (marked_view(n, k, f, x) for x in (1, 2))
        low, high = Marked(n, k, f).divergence(Eps.log(power), 256)
        assert low <= high <= hockey_stick(P, Q, power) + Fraction(1, 10**30)


def marked_view(n, k, f, x, mark=3):
    """{(M, ones in column 1, ones in column 2): probability} over strings whose bit `mark` is 0, others on `mark`."""
    law = {(0, 0, 0): Fraction(1)}
    for held in [x, *[mark] * (n - 1), *[0] * (n * k)]:
        more = Counter()
        for (m, a, b), p in law.items():
            for bits in product((0, 1), repeat=3):
                q = p
                for j, bit in enumerate(bits, 1):
                    q *= 1 - f if bit == (j == held) else f
                more[(m, a, b) if bits[mark - 1] else (m + 1, a + bits[0], b + bits[1])] += q
        law = more
    return law


@pytest.mark.parametrize(("n", "k", "flip"), [(2, 0, "1/4"), (3, 1, "1/10"), (4, 1, "1/20"), (2, 3, "1/8")])
@pytest.mark.sampled(2)
def test_with_two_values_the_strings_without_the_second_bit(n, k, flip):
    f = Fraction(flip)
    pair = marked_by_two(n, k, f)
    P, Q = ({(m, a): Fraction(0) for m in range(99) for a in range(99)} for _ in range(2))
    for law, x in ((P, 1), (Q, 2)):
        for (m, a, _), p in marked_view(n, k, f, x, mark=2).items():
            law[m, a] += p
    for power in (Fraction(1), Fraction(2)):
        low, high = Product(*pair).divergence(Eps.log(power), 256)
        assert low <= high <= hockey_stick(P, Q, power) + Fraction(1, 10**30)
        low, high = Product(*map(Reversed, pair)).divergence(Eps.log(power), 256)
        assert low <= high <= hockey_stick(Q, P, power) + Fraction(1, 10**30)


def test_an_event_of_a_pair_of_sums():
    seen, _ = marked_by_two(3, 1, Fraction(1, 4))
    whole, cut = seen.pair.atoms(128), Between(seen.pair, 2, 4).atoms(128)
    start = 2 - seen.pair.first(128)
    assert (
        list(cut.p[0]) == list(whole.p[0])[start : start + 3] and list(cut.q[1]) == list(whole.q[1])[start : start + 3]
    )


def summed(flip, strings, held, power):
    """The divergence of two columns, (A, B) against (B, A), from exact laws."""
    A, B = convolved(held, *[flip] * (strings - 1)), convolved(*[flip] * strings)
    return sum(max(A[s] * B[t] - power * B[s] * A[t], 0) for s in A for t in B)


@pytest.mark.parametrize("flip", ["1/4", "1/1000", "49/100"])
@pytest.mark.parametrize("strings", [1, 2, 7, 40])
def test_two_columns_against_their_exact_laws(flip, strings):
    """At few bits and at many, up to the largest ratio of all, beyond which nothing is left."""
    f = Fraction(flip)
    for held in (1 - f, f + (1 - 2 * f) / 3, f):
        largest = held * (1 - f) / (f * (1 - held))
        for power in (Fraction(1), (1 + largest) / 2, largest, largest + 1):
            exact = summed(f, strings, held, power)
            for bits in (128, 256):
                low, high = among(f, strings, held).divergence(Eps.log(power), bits)
                assert low <= exact <= high <= exact * (1 + Fraction(1, 2**20)) + Fraction(1, 2**bits)
                assert low >= exact * (1 - Fraction(1, 2**20)) or exact < Fraction(1, 2**bits)


def test_two_columns_far_out():
    """400 strings at a power of which delta is about 10^-47, from exact laws; with few bits that is next to nothing."""
    f, power = Fraction(1, 4), Fraction(4)
    exact = summed(f, 400, 1 - f, power)
    assert exact < Fraction(1, 10**45)
    low, high = among(f, 400, 1 - f).divergence(Eps.log(power), 192)
    assert 0 < low <= exact <= high < low * (1 + Fraction(1, 2**30))
    assert among(f, 400, 1 - f).divergence(Eps.log(power), 128) == (0, Fraction(1, 2**128))


@pytest.mark.parametrize(("flip", "digits", "strings"), [("1e-20", 38, 60), ("1e-400", 500, 12)])
def test_two_columns_of_bits_that_are_hardly_ever_flipped(flip, digits, strings):
    """At powers up to far beyond a float, from exact laws; tilted chances next to nothing once ended as no number."""
    f = Fraction(flip)
    exact = summed(f, strings, 1 - f, power := Fraction(10**digits))
    for bits, near in ((64, 1), (256, 20)):
        low, high = among(f, strings, 1 - f).divergence(Eps.log(power), bits)
        assert low <= exact <= high <= exact * (1 + Fraction(1, 2**near)) + Fraction(1, 2**bits)


@pytest.mark.parametrize("tilt", [Fraction(1), Fraction(1, 3), Fraction(1, 7)])
def test_the_chance_of_a_stretch_of_a_tilted_law(tilt):
    """Sums of 30 + 20 independent bits between two values, against their law, term by term."""
    parts = Binomial(30, Fraction(3, 4)), Binomial(20, Fraction(1, 5))
    law, exact = Tilted.of(parts, tilt, 128), convolved(*[Fraction(3, 4)] * 30, *[Fraction(1, 5)] * 20)
    assert law.tilt == tilt and law.mean >= 6
    for first, end in ((law.mean - 6, law.mean - 3), (law.mean - 2, law.mean), (law.mean, law.mean + 3)):
        with precision(128):
            chance = law.chance(first, end)
        mass = sum(exact[m] for m in range(first, end))
        low, high = dyadic(chance.lower()), dyadic(chance.upper())
        assert low <= mass <= high and high - low < mass / 2**40


@pytest.mark.parametrize("power", [Fraction(3, 2), Fraction(4), Fraction(6)])
def test_the_dominating_steps_where_delta_is_faint(power):
    """E over K of the divergence with n k + 1 + K strings, from exact laws, of delta down to 10^-13."""
    f, n, k = Fraction(1, 4), 30, 1
    weights = convolved(*[Fraction(1, 3)] * (n - 1))
    mean = sum(weights[more] * summed(f, n * k + 1 + more, 1 - f, power) for more in range(n))
    low, high = Revealed(n, k, f).divergence(Eps.log(power), 256)
    assert mean <= high <= mean * Fraction(11, 10) and low > 0


# Larger sizes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "flip", "eps"), [(1, "1/10", "1/2"), (2, "1/50", "1")])
def test_the_simple_bound_at_300_users(k, flip, eps):
    """sum over both columns at 60 digits: A = Ber(1 - f) + Bin(N - 1, f), B = Bin(N, f), (A, B) against (B, A)."""
    n, f = 300, Fraction(flip)
    N = n * k + 1
    with mpmath.workdps(60):
        p = real(f)
        power = mpmath.exp(mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator)
        last = N if N < 400 else 120  # beyond, Bin(601, 1/50) has less than 1e-60
        point = [mpmath.binomial(N - 1, c) * p**c * (1 - p) ** (N - 1 - c) for c in range(last + 1)]
        shifted = [mpmath.mpf(0), *point[:-1]]
        A = [(1 - p) * s + p * u for s, u in zip(shifted, point, strict=True)]
        B = [p * s + (1 - p) * u for s, u in zip(shifted, point, strict=True)]
        # max(A_a B_b - power B_a A_b, 0) = B_a B_b max(r_a - power r_b, 0), r = A / B rising
        ratio = [a / b for a, b in zip(A, B, strict=True)]
        total = mpmath.mpf(0)
        for i in range(last + 1):
            for j in range(last + 1):
                if ratio[i] <= power * ratio[j]:
                    break
                total += B[i] * B[j] * (ratio[i] - power * ratio[j])
        (value, *_) = FakeUsers(3, k, flip).reach(n).certified.worst(Eps.of(eps))
        low, high = (real(end) for end in (value.low, value.high))
        slack = mpmath.mpf(10) ** -45
        assert low - slack <= total <= high + slack and high - low < total * mpmath.mpf(10) ** -28


def test_a_million_users_between_close_ends():
    """CZ's regime: few flips, so that a string on a third value is told from a fake one by nearly everybody."""
    found = worst_delta(FakeUsers(100, 10, "1/100000").reach(10**6), Eps.of("1/2"), 15).value
    assert 0 < found.low <= found.high < found.low * Fraction(1001, 1000)


@pytest.mark.parametrize("n", [2, 10**6])
def test_no_flips_hide_nothing_and_fair_coins_everything(n):
    for d, k in ((2, 1), (3, 3)):
        for eps in ("0", "3"):
            assert worst_delta(FakeUsers(d, k, "0").reach(n), Eps.of(eps)).value.low == 1
            assert worst_delta(FakeUsers(d, k, "1/2").reach(n), Eps.of(eps)).value.high == 0


# Certificates -------------------------------------------------------------------------------------------------------


def checked(certified):
    return kernel.check(certified.certificate_text().encode()).status


@pytest.mark.parametrize(
    ("d", "delta", "verdict"), [(3, "1e-4", "PROVED"), (3, "1e-9", "REFUTED"), (2, "1e-4", "PROVED")]
)
def test_certificates_of_strings(d, delta, verdict):
    found = certify.certify(FakeUsers(d, 4, "1/100"), 1000, "1", delta)
    assert found.verdict == verdict and checked(found) == "accepted"
    added = found.certificate["claim"]["runs"][0]["seen"]["added"]  # all strings but the user's own
    assert added == {"law": "binomial", "n": 4000 if verdict == "PROVED" else 4999, "p": "1/100"}


def test_a_proof_without_a_form_of_certificate_is_undecided():
    system, eps = FakeUsers(3, 1, "1/4"), Eps.of("1/10")
    found, simple = worst_delta(system.reach(300), eps).value, system.reach(300).certified.worst(eps)[0]
    between = (found.high + simple.low) / 2
    assert found.high < between < simple.low
    answer = certify.certify(system, 300, eps, between)
    assert (answer.verdict, answer.certificate) == ("UNDECIDED", None)
    assert answer.reason.startswith("PROVED by a proof that no form of certificate covers: delta is in [")
    below = system.reach(300).attained_certified.worst(eps)[0]
    answer = certify.certify(system, 300, eps, (below.high + found.low) / 2)
    assert below.high < found.low and answer.verdict == "UNDECIDED" and answer.reason.startswith("REFUTED by a proof")
    answer = certify.certify(FakeUsers(2, 1, "1/4"), 300, eps, "1e-30")
    assert answer.verdict == "UNDECIDED" and answer.reason.startswith("REFUTED by a proof")


def test_certificates_at_the_edges_of_flip():
    for eps in ("0", "1"):
        found = certify.certify(FakeUsers(3, 2, "1/2"), 1000, eps, "0")
        assert found.verdict == "PROVED" and checked(found) == "accepted"
    found = certify.certify(FakeUsers(3, 1, "0"), 10**5, "1", "99/100")
    assert found.verdict == "REFUTED" and checked(found) == "accepted"


# The rest of the system ---------------------------------------------------------------------------------------------


def test_the_analyzer():
    """Two users, k = 1, flip = 1/4, d = 2: column sums 3 and 1 of 4 strings give (3/2 - 1/2) 2 and (1/2 - 1/2) 2."""
    assert FakeUsers(2, 1, "1/4").analyze({"10": 2, "11": 1, "00": 1}, 2) == (2, 0)
    system, n = FakeUsers(2, 1, "1/4"), 2
    for x in ("1", "2"):  # unbiased: the mean over one user's outputs, the other user on 1
        mean = [Fraction(0), Fraction(0)]
        for (one, p), (two, q) in product(*(system.randomizer().rows[y].items() for y in (x, "1"))):
            mean = [m + p * q * z for m, z in zip(mean, system.analyze(Counter(one + two), n), strict=True)]
        assert mean == ([1, 0] if x == "1" else [Fraction(1, 2), Fraction(1, 2)])


def test_accuracy_from_the_randomizer():
    """n = 2: the error of the first estimate over all outputs of both users, all datasets."""
    system, n, alpha = FakeUsers(2, 1, "1/4"), 2, Fraction(1)
    rows, squares, misses = system.randomizer().rows, [], []
    for users in product(rows, repeat=n):
        square = miss = Fraction(0)
        for (one, p), (two, q) in product(*(rows[x].items() for x in users)):
            error = system.analyze(Counter(one + two), n)[0] - Fraction(users.count("1"), n)
            square, miss = square + p * q * error**2, miss + p * q * (abs(error) > alpha)
        squares.append(square)
        misses.append(miss)
    found = system.accuracy(n, alpha)
    assert found.rmse.low**2 <= max(squares) <= found.rmse.high**2
    assert found.failure_probability.low <= max(misses) <= found.failure_probability.high < 1
    assert (found.expected_messages.low, found.bits_per_message) == (2, 2)


def test_the_papers_flip():
    """q = (1 - sqrt(1 - 4 c)) / 2 with c = 33/(5 n k) ((e^eps + 1)/(e^eps - 1))^2 ln(4/delta), at 60 digits."""
    n, k, delta = 10**5, 10, Fraction(1, 10**6)
    flip = FakeUsers.paper(n, Eps.of(1), delta, {"d": "3", "k": str(k)})["flip"]
    with mpmath.workdps(60):
        c = mpmath.mpf(33) / (5 * n * k) * mpmath.coth(mpmath.mpf(1) / 2) ** 2 * mpmath.log(4 * 10**6)
        q = (1 - mpmath.sqrt(1 - 4 * c)) / 2
        assert 0 <= real(flip) - q < q / 2**62
    assert worst_delta(FakeUsers(3, k, flip).reach(n), Eps.of(1), 8).value.high < delta
    assert FakeUsers.paper(10, Eps.of(1), delta, {"flip": "1/3"}) == {}


def test_what_is_not_written_out_and_what_says_nothing():
    with pytest.raises(BadInput, match=r"^d: 5: the randomizer's 2\^\(d \(k \+ 1\)\) outputs, k = 2, are written out"):
        FakeUsers(5, 2, "1/4").randomizer()
    with pytest.raises(BadInput, match=r"^flip: 1/2 sends fair coins: "):
        FakeUsers(2, 1, "1/2").analyze({}, 3)
    with pytest.raises(BadInput, match=r"^every bit is 1 with probability 1/2: "):
        FakeUsers(2, 1, "1/2").accuracy(3, None)


def test_the_randomizer_of_two_strings():
    """d = 2, k = 1, flip = 1/4: the real string of 1 is 10, the fake one 00."""
    row = FakeUsers(2, 1, "1/4").randomizer().rows["1"]
    assert row["10", "00"] == Fraction(81, 256) and row["01", "11"] == Fraction(1, 256) and len(list(row.items())) == 16
