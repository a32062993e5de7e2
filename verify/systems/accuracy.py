"""The accuracy of a protocol: certified numbers about its analyzer's error, and what a user has to send."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from shufflecert.verify.enclose.interval import Interval, enclose, scaled
from shufflecert.verify.enclose.noise_laws import Noise


@dataclass(frozen=True)
class Accuracy:
    """The largest error over the datasets that `datasets` names, and the messages of one user.

    `error_of` says what is estimated, and so the unit of `rmse` and of alpha; `rmse` is the root mean square error,
    `failure_probability` is Pr[|error| > alpha] (None where no alpha was given), `expected_messages` the expected
    number of messages of a user, the largest over inputs, `bits_per_message` the bits that tell messages apart.
    `users`: how many users an error of 1 stands for, 1 for counts and n for fractions of n users; None where the
    estimate does not count users.
    """

    error_of: str
    rmse: Interval
    failure_probability: Interval | None
    expected_messages: Interval
    bits_per_message: int
    datasets: str
    users: Fraction | None = None

    @property
    def rmse_in_users(self) -> Interval | None:
        """The root mean square error in users, the unit in which systems compare; None where there is no such unit."""
        return None if self.users is None else scaled(self.rmse, self.users)


def misses(noise: Noise, centre: Fraction, radius: Fraction) -> Interval:
    """The probability Pr[|X - centre| > radius], two tails of a noise law."""
    above, below = floor(centre + radius) + 1, -floor(radius - centre) - 1
    return enclose(lambda: noise.survival(above) + noise.cdf(below))


def bits_for(messages: int) -> int:
    """The number of bits that tell so many different messages apart, at least 1."""
    return max(1, (messages - 1).bit_length())
