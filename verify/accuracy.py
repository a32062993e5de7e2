"""What a protocol is good for: the law of its analyzer's error, in certified numbers; and what it costs to send."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from verify.enclosure import NEGLIGIBLE, Enclosure, Ends, refine
from verify.noise import Noise, ball
from verify.number import dyadic, precision


@dataclass(frozen=True)
class Accuracy:
    """The error's law, the largest over the datasets that `datasets` names, and the messages of one user.

    `error_of` says what is estimated, and so the unit of `rmse` and of alpha; `rmse` is the root mean square error,
    `failure_probability` is Pr[|error| > alpha] (None where no alpha was given), `expected_messages` the expected
    number of messages of a user, the largest over inputs, `bits_per_message` the bits that tell messages apart.
    `users`: how many users an error of 1 stands for, 1 for counts and n for fractions of n users; None where the
    estimate does not count users.
    """

    error_of: str
    rmse: Enclosure
    failure_probability: Enclosure | None
    expected_messages: Enclosure
    bits_per_message: int
    datasets: str
    users: Fraction | None = None

    @property
    def rmse_in_users(self) -> Enclosure | None:
        """`rmse` in users, the unit in which systems compare."""
        return None if self.users is None else scaled(self.rmse, self.users)


def scaled(number: Enclosure, factor: Fraction | int) -> Enclosure:
    """A number >= 0 times an exact factor >= 0."""
    return Enclosure(number.low * factor, number.high * factor)


def exactly(number: Fraction | int) -> Enclosure:
    return Enclosure(Fraction(number), Fraction(number))


def root_of(square: Fraction | Enclosure) -> Enclosure:
    """The square root of a number >= 0."""
    value = square if isinstance(square, Enclosure) else exactly(square)

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            low, high = ball(value.low).sqrt(), ball(value.high).sqrt()
            return dyadic(low.lower()), dyadic(high.upper())

    return refine(ends) if value.high else value


def enclose(value: Callable[[], arb]) -> Enclosure:
    """A number >= 0 from a function that computes it as a ball at the precision in force.

    One below 2^-NEGLIGIBLE is enclosed by 0 and that: its digits would fill the memory.
    """

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            result = value()
            if result < arb(2) ** -NEGLIGIBLE and not result.is_zero():
                return Fraction(0), Fraction(1, 1 << NEGLIGIBLE)
            return dyadic(result.lower()), dyadic(result.upper())

    return refine(ends)


def chance(value: Callable[[], arb]) -> Enclosure:
    """`enclose` for a probability: its upper end is at most 1."""
    found = enclose(value)
    return Enclosure(found.low, min(found.high, Fraction(1)))


def misses(noise: Noise, centre: Fraction, radius: Fraction) -> Enclosure:
    """Pr[|X - centre| > radius], two tails of a noise law."""
    above, below = floor_of(centre + radius) + 1, -floor_of(radius - centre) - 1
    return enclose(lambda: noise.survival(above) + noise.cdf(below))


def floor_of(number: Fraction) -> int:
    return number.numerator // number.denominator


def bits_for(messages: int) -> int:
    """Bits that tell so many different messages apart, at least 1."""
    return max(1, (messages - 1).bit_length())
