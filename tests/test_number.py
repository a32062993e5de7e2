"""exact/rational.py and exact/epsilon.py against Fractions, mpmath at high precision, and closed forms."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact import epsilon
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.rational import (
    decimals,
    fraction,
    magnitude,
    natural,
    precision,
    probability,
    rational,
    shorten,
    text,
)
from tests.helpers import some
from tests.reference import real

HALF = Fraction(1, 2)


# Reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3/4", Fraction(3, 4)),
        ("6/8", Fraction(3, 4)),
        ("0.75", Fraction(3, 4)),
        ("0.1", Fraction(1, 10)),
        (".5", HALF),
        ("5.", Fraction(5)),
        ("1e-6", Fraction(1, 10**6)),
        ("1.5E+2", Fraction(150)),
        ("+1/2", HALF),
        ("-1/2", -HALF),
        (" 1/2\n", HALF),
        ("1e2000", Fraction(10**2000)),
        ("1e-0002", Fraction(1, 100)),
        ("0." + "3" * 1998, Fraction(int("3" * 1998), 10**1998)),
        (7, Fraction(7)),
        pytest.param(-(10**5000), Fraction(-(10**5000)), id="5001 digits"),
        (Fraction(2, 3), Fraction(2, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (fmpq(2, 3), Fraction(2, 3)),
        (fmpz(5), Fraction(5)),
    ],
)
def test_a_number_is_read_exactly(written, value):
    assert rational(written) == value
    assert type(rational(written)) is Fraction


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "abc", "1/2/3", "1 / 2", "1/-2", "1__000", "0x10", "1e", "e5", ".", "+", "--1", "1.5/2", "1e5/2"),
        *("inf", "nan", "٣/٤", "½", "1\n2", "1/2;", "log(2)", "1,5"),
        *(True, None, [1], (1, 2), 1j, b"1/2", object, Decimal("NaN"), Decimal("Infinity"), arb(1)),
    ],
)
def test_what_is_not_a_number_is_refused(written):
    with pytest.raises(BadInput, match=r"here: .*(not a number|not an exact number)"):
        rational(written, "here")


@pytest.mark.parametrize("value", [0.1, 1.0, -2.5, 1e300])
def test_a_float_is_refused_with_the_fix(value):
    with pytest.raises(BadInput, match=r"here: .* is a float, and floats are not exact: write") as refused:
        rational(value, "here")
    fix = str(refused.value).split('write "')[1].split('"')[0]
    assert float(rational(fix)) == value


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_float_that_is_no_number_is_refused_without_a_fix(value):
    with pytest.raises(BadInput, match=r"here: .* is a float, and floats are not exact: expected a rational such as"):
        rational(value, "here")


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("1/0", "denominator 0"),
        ("0/000", "denominator 0"),
        ("1e999999999", "exponent of at most 2000"),
        ("1e-999999999", "exponent of at most 2000"),
        ("1e2001", "exponent of at most 2000"),
        ("1e" + "9" * 1000, "exponent of at most 2000"),
        ("7" * 2001, "2001 characters: expected at most 2000"),
        ("1/" + "7" * 10**6, "1000002 characters: expected at most 2000"),
        (Decimal("1e999999"), "exponent of at most 2000"),
    ],
)
def test_numbers_that_cost_too_much_are_refused_in_one_short_line(written, complaint):
    with pytest.raises(BadInput, match=complaint) as refused:
        rational(written, "here")
    assert len(str(refused.value)) < 150 and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("read", "bad"),
    [
        (probability, ["-1e-30", "1." + "0" * 30 + "1", 2, "-0.5"]),
        (lambda v, where: natural(v, where), [0, -1, "1.5", "3/2", 10**9 + 1, "1e10"]),
        (lambda v, where: natural(v, where, least=5, most=7), [4, 8, "11/2"]),
    ],
)
def test_ranges(read, bad):
    for value in bad:
        with pytest.raises(BadInput, match=r"here: .*: expected"):
            read(value, "here")


def test_ends_of_the_ranges_are_legal():
    assert [probability(p) for p in ("0", 1, "1e-2000")] == [0, 1, Fraction(1, 10**2000)]
    assert [natural(n, "n") for n in (1, "1e9", "4/2", "3.0")] == [1, 10**9, 2, 3]


def test_text_has_no_limit_and_shorten_keeps_both_ends():
    long = Fraction(10**5000 + 1, 3)
    assert text(long) == "1" + "0" * 4999 + "1/3"
    assert text(Fraction(-6, 4)) == "-3/2" and text(Fraction(8, 4)) == "2"
    assert shorten(long) == "1" + "0" * 19 + "..." + "0000000" + "1/3"
    assert shorten("short") == "short"


# eps ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "exponent", "power"),
    [
        ("1/2", HALF, None),
        ("0.5", HALF, None),
        (HALF, HALF, None),
        (10000, Fraction(10000), None),
        ("log(3/2)", None, Fraction(3, 2)),
        (" log(1.5) ", None, Fraction(3, 2)),
        ("log( 2 )", None, Fraction(2)),
        (0, Fraction(0), Fraction(1)),
        ("log(1)", Fraction(0), Fraction(1)),
    ],
)
def test_eps_is_read(written, exponent, power):
    eps = Eps.of(written)
    assert (eps.exponent, eps.power) == (exponent, power)
    assert Eps.of(eps) is eps and Eps.of(str(eps)) == eps and hash(Eps.of(str(eps))) == hash(eps)


@pytest.mark.parametrize(
    "written",
    [
        *(-1, "-1e-9", "abc", 10001, "log(0)", "log(1/2)", "log(-2)", "log(abc)", "log()", "log(2", "log(1/0)"),
        *("ln2", "inf", "nan", 0.5, float("inf"), None, True, "", "log(log(2))", "1e-9999999"),
    ],
)
def test_bad_eps(written):
    with pytest.raises(BadInput, match="eps: ") as refused:
        Eps.of(written)
    assert "\n" not in str(refused.value)


def dyadic(value):
    """An mpf as the Fraction that it is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * int(mantissa) * Fraction(2) ** exponent


@pytest.mark.parametrize("bits", [64, 200, 1000])
@pytest.mark.parametrize("exponent", ["1/10", "1", "7/3", "1e-30", "1e-300", "123.456", "10000"])
def test_bounds_hold_e_to_the_eps_tightly(exponent, bits):
    low, high = Eps.of(exponent).bounds(bits)
    with mpmath.workprec(bits + 2000):
        x = Fraction(exponent)
        truth = dyadic(mpmath.exp(real(x)))
    error = truth / 2 ** (bits + 1900)
    assert low - error <= truth <= high + error
    assert 0 < high - low < low / 2**bits


def test_bounds_of_a_logarithm_are_exact():
    assert Eps.of("log(7/3)").bounds(64) == (Fraction(7, 3), Fraction(7, 3))


@pytest.mark.parametrize("power", ["3/2", "2", "1e2000", "1." + "0" * 1000 + "1", "1000000/999999"])
@pytest.mark.parametrize("digits", [5, 30])
def test_eps_as_decimals(power, digits):
    lower, upper = (Fraction(end) for end in Eps.of(f"log({power})").enclosure(digits))
    with mpmath.workdps(4000):
        x = Fraction(power)
        truth = dyadic(mpmath.log(real(x)))
    assert lower <= truth <= upper
    assert upper - lower < truth / 10 ** (digits - 2)


def test_rational_eps_as_decimals_is_itself():
    assert Eps.of("1/8").enclosure() == ("0.125", "0.125")
    assert Eps.of("1/3").enclosure(5) == ("0.33333", "0.33334")


def test_order_of_eps():
    # log(2) = 0.69314718055994530941..., log(3/2) = 0.405465..., e = 2.718281828459045235...
    ascending = ["0", "2/5", "log(3/2)", "0.69314718055994530941", "log(2)", "0.69314718055994530942"]
    ascending += ["log(2.718281828459045235)", "1", "log(2.718281828459045236)", "2"]
    eps = [Eps.of(e) for e in ascending]
    for i, left in enumerate(eps):
        for j, right in enumerate(eps):
            assert (left < right, left <= right, left == right) == (i < j, i <= j, i == j)


def test_an_order_that_is_not_decided_is_not_false(monkeypatch):
    monkeypatch.setattr(epsilon, "MAX_BITS", 64)
    with pytest.raises(Undecided):
        assert Eps.of("0.6931471805599453094172321214581765680755001343602552") < Eps.of("log(2)")


# A - B e^eps ---------------------------------------------------------------------------------------------------------


def value(a, b, eps, denominator=1):
    return Delta(fmpz(a), fmpz(b), fmpz(denominator), Eps.of(eps))


def test_a_difference_of_1e_300_from_zero_is_seen():
    with mpmath.workdps(400):
        floor = int(mpmath.floor(mpmath.e * mpmath.mpf(10) ** 300))  # floor / 10^300 < e < (floor + 1) / 10^300
    below, above = (value(floor + i, 10**300, 1, 10**300) for i in (0, 1))
    assert (below.sign(), above.sign()) == (-1, 1)
    assert below < 0 < above and below < above and below != 0
    for close in (below, above):
        with pytest.raises(Undecided, match="64 bits"):
            close.sign(max_bits=64)
    assert value(3, 1, 1).sign(max_bits=64) == 1


@pytest.mark.parametrize("eps", [0, "1/3", "log(3/2)"])
def test_values_of_one_eps_are_compared_exactly(eps):
    assert value(1, 0, eps, 3) == Fraction(1, 3) and value(1, 0, eps, 3) != Fraction(1, 2)
    assert value(2, 4, eps, 6) == value(1, 2, eps, 3)
    assert value(0, 0, eps).sign() == 0
    assert Fraction(7, 5) == value(7, 2, eps, 5).A and Fraction(2, 5) == value(7, 2, eps, 5).B
    difference = value(7, 2, eps, 5).minus(value(1, 1, eps, 2))
    assert (Fraction(9, 10), Fraction(-1, 10)) == (difference.A, difference.B)


def test_where_e_to_the_eps_is_rational_zero_is_decided():
    assert value(3, 2, "log(3/2)").sign() == 0 and value(3, 2, "log(3/2)") == 0
    assert value(1, 1, 0).sign() == 0


def test_two_eps_are_not_compared():
    with pytest.raises(ValueError, match="one eps"):
        value(1, 1, 1).minus(value(1, 1, 2))


def test_enclosure_of_a_value_against_mpmath():
    # 2 - 5/7 e^(1/3), and one that nearly cancels: e - 2.71828182845904523536028747135266249775724 > 0
    for a, b, eps, denominator in [
        (14, 5, "1/3", 7),
        (-271828182845904523536028747135266249775724, -(10**41), 1, 10**41),
    ]:
        lower, upper = (Fraction(end) for end in value(a, b, eps, denominator).enclosure())
        with mpmath.workdps(200):
            power = mpmath.exp(mpmath.mpf(1) / 3) if eps == "1/3" else mpmath.e
            truth = (a - b * dyadic(power)) / denominator
        assert 0 < lower < truth < upper < lower * (1 + Fraction(1, 10**28))


def test_exact_decimals_are_equal_to_the_digit():
    assert value(5, 0, "1/3", 8).enclosure() == ("0.625", "0.625")
    assert value(2, 1, "log(3/2)", 1).enclosure() == ("0.5", "0.5")
    assert str(value(2, 1, "log(3/2)")) == "0.5"
    assert str(value(1, 0, 0, 3)) == "[0.333333333333, 0.333333333334]"


fractions = st.builds(
    lambda p, q, e: Fraction(p, q) * Fraction(10) ** e,
    st.integers(-(10**40), 10**40),
    st.integers(1, 10**20),
    st.integers(-60, 60),
)


@some
@given(fractions, st.integers(1, 35))
def test_decimals_round_outwards_and_no_further_than_a_unit(x, digits):
    lower, upper = decimals(x, x, digits)
    low, high = Fraction(lower), Fraction(upper)
    assert low <= x <= high
    assert (low == high) == (low == x == high)
    for end in (lower, upper):  # no more figures than asked for
        assert len(end.lstrip("-").split("e")[0].replace(".", "").strip("0")) <= digits
    assert high - low <= abs(x) * Fraction(10) ** (1 - digits)


@some
@given(st.integers(-(10**12), 10**12), st.integers(-80, 80))
def test_decimals_of_a_decimal_are_equal(figures, exponent):
    x = Fraction(figures) * Fraction(10) ** exponent
    lower, upper = decimals(x, x, 13)
    assert lower == upper and Fraction(lower) == x


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        ("9999/10000", "0.999 1"),
        ("99999", "9.99e4 1e5"),
        ("1/10000", "0.0001 0.0001"),
        ("1e-5", "1e-5 1e-5"),
        ("120", "120 120"),
        ("1234", "1.23e3 1.24e3"),
        ("-1/3", "-0.334 -0.333"),
        ("0", "0 0"),
    ],
)
def test_how_decimals_look(x, shown):
    assert " ".join(decimals(Fraction(x), Fraction(x), 3)) == shown


def test_precision_is_restored_even_after_an_exception():
    before = ctx.prec
    Eps.of("1/7").bounds(777)
    Eps.of("log(7)").enclosure()
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError), precision(999):
        assert ctx.prec == 999
        _ = 1 // 0
    assert ctx.prec == before


@pytest.mark.parametrize("k", [-5000, -1, 0, 1, 23, 5000])
def test_magnitudes_are_those_of_numbers_that_python_does_not_write(k):
    """Deltas below 10^-4300, whose digits Python counts by no text: `delta -o` of them once ended with an error."""
    assert magnitude(Fraction(10) ** k) == k
    assert magnitude(Fraction(10) ** k * Fraction(999, 100)) == k
    assert magnitude(Fraction(10) ** k * Fraction(999, 1000)) == k - 1


def test_fractions_are_read_as_they_are_written():
    """Of more digits than Python reads: what is said of a certificate once ended with an error."""
    for number in (HALF, Fraction(-7), Fraction(10**5000 + 1, 3**9000), Fraction(0)):
        assert fraction(text(number)) == number
