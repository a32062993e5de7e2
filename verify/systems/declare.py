"""What a system declares: its parameters, the direction in which each adds noise, its accuracy, and what it knows.

    @dataclass(frozen=True)
    class Mine(System):
        p: Fraction = parameter("probability of a noise message", probability)

A parameter is a dataclass field with a meaning and a reader that checks it. The reader takes (value, name) and returns
the exact value or raises BadInput; `verify.exact.rational` has `rational`, `probability`, `natural`; `whole` makes one.
Its `Order`, where it has one, says which values are more noise; a `Grid` of them is what calibration searches.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import Any, ClassVar

from flint import arb, fmpz

from shufflecert.verify.enclose.interval import Interval, enclose, scaled
from shufflecert.verify.enclose.noise_laws import Noise
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Law, Randomizer
from shufflecert.verify.exact.rational import decimals, dyadic, natural, precision, shorten
from shufflecert.verify.exact.views import VIEWS

FINEST, LEAST = Fraction(1, 1 << 64), Fraction(1, 1 << 256)  # steps: where none is asked for; that can be asked for
LONGEST = 80  # digits of a decimal that is written in full
Synonyms = Mapping[str, Mapping[str, str]]  # a name that the field has for a system, and the parameters that it fixes


@dataclass(frozen=True)
class Order:
    """How a parameter sets the noise: between `low` and `high` larger values are more noise; with `falling` they are
    less.

    `high` is None where there is no end. `open_ends`: `low` and `high` themselves are no values. `whole`: values are
    integers. `lemma` says why more noise never has a larger delta(eps), for every eps; None where that is not proved,
    and may be false. `unless` names parameters that, where they are given, leave it unproved.
    """

    low: Fraction
    high: Fraction | None
    falling: bool = False
    open_ends: bool = False
    whole: bool = False
    lemma: str | None = None
    unless: tuple[str, ...] = ()

    def among(self, given: Collection[str]) -> "Order":
        """The order where these parameters are given: without its lemma, if they take it away."""
        return self if set(given).isdisjoint(self.unless) else replace(self, lemma=None)

    @property
    def finest(self) -> Fraction:
        """The step of the grid where none is asked for: 1 for integers, else 2^-64."""
        return Fraction(1) if self.whole else FINEST


@dataclass(frozen=True)
class Grid:
    """The values of a parameter that are tried: multiples of `step`, by level; a higher level is more noise.

    `highest` is None where there is no end.
    """

    order: Order
    step: Fraction
    lowest: int
    highest: int | None

    @classmethod
    def of(
        cls, order: Order, name: str, step: Fraction | None = None, within: tuple[Fraction, Fraction] | None = None
    ) -> "Grid":
        """The multiples of `step` between the order's ends, and in `within`. Raises BadInput where there are none."""
        unit = order.finest if step is None else step
        if unit <= 0 or (order.whole and unit.denominator > 1):
            raise BadInput(f"step: {shorten(unit)}: expected a positive {'integer' if order.whole else 'rational'}")
        if unit < LEAST:  # a search by balls of so many bits would go on bit by bit
            raise BadInput(f"step: {shorten(unit)}: expected at least 2^-256")
        low, high = order.low, order.high
        least, most = ceil(low / unit), None if high is None else floor(high / unit)
        if order.open_ends:
            least += least * unit == low
            most = None if most is None or high is None else most - (most * unit == high)
        if within is not None:
            start, end = within
            if start > end:
                raise BadInput(f"range: {shorten(start)}:{shorten(end)} is reversed: expected LOW:HIGH")
            if start < low or (high is not None and end > high):
                raise BadInput(f"range: {shorten(start)}:{shorten(end)}: {_domain(order, name)}")
            least = max(least, ceil(start / unit))
            most = floor(end / unit) if most is None else min(most, floor(end / unit))
        if most is not None and least > most:
            raise BadInput(f"{name}: no multiple of {shorten(unit)} in the range: expected a smaller step or more room")
        if order.falling:
            if most is None:
                raise BadInput(f"{name}: without an end: expected a range LOW:HIGH")
            return cls(order, unit, -most, -least)
        return cls(order, unit, least, most)

    def value(self, level: int) -> Fraction:
        """The parameter's value at a level."""
        return abs(level) * self.step if self.order.falling else level * self.step

    def decimal(self, value: Fraction) -> str:
        """A value in decimals: exactly where that takes few digits, else to 30 digits, rounded to more noise."""
        lower, upper = decimals(value, value, LONGEST)
        if lower == upper:
            return lower
        return decimals(value, value)[0 if self.order.falling else 1]

    @property
    def quiet(self) -> int:
        """The level of no noise, from which distances are measured: at or below the lowest."""
        end = self.order.high if self.order.falling else self.order.low
        assert end is not None
        level = -ceil(end / self.step) if self.order.falling else floor(end / self.step)
        return min(level, self.lowest)

    @property
    def size(self) -> int | None:
        """The number of values; None where there is no end."""
        return None if self.highest is None else self.highest - self.lowest + 1


def _domain(order: Order, name: str) -> str:
    end = "" if order.high is None else f" and at most {shorten(order.high)}"
    return (
        f"expected {name} of at least {shorten(order.low)}{end}, where {'less' if order.falling else 'more'} is noise"
    )


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


def parameter(
    meaning: str, read: Callable[[object, str], Any], default: Any = MISSING, order: Order | None = None
) -> Any:
    """Declare a parameter: a dataclass field whose value is read exactly when the system is made.

    `order` says how the parameter sets the noise, where it does (`Order`).
    """
    return field(default=default, metadata={"meaning": meaning, "read": read, "order": order})


def whole(least: int, most: int) -> Callable[[object, str], int]:
    """A reader of a whole number from `least` to `most`: `natural` between these."""
    return partial(natural, least=least, most=most)


# How the parameters of several systems order their noise. BITS: of binomial noise, where p and 1 - p are alike.
BITS = Order(Fraction(1, 2), Fraction(1), falling=True)
FLIPS = Order(
    Fraction(0),
    Fraction(1, 2),
    lemma="flips with f' > f are flips with f and then, of each bit that is sent, with (f' - f) / (1 - 2f)",
)
UNIFORM = Order(
    Fraction(0),
    Fraction(1),
    lemma="gamma' > gamma is gamma and then, for each message, a uniform one with (gamma' - gamma) / (1 - gamma)",
)
ADDED = Order(Fraction(0), None, open_ends=True, lemma="a larger value adds independent noise")
RATIO = Order(
    Fraction(0),
    Fraction(1),
    open_ends=True,
    lemma="NB(r, p') is NB(r, p) and independent noise for p' > p: ((1 - pz) / (1 - p'z))^r has no coefficient below 0",
)
FEWER = "with fewer, the inputs are some of those with more, and messages about the rest are dropped"
INPUTS = "inputs of a smaller range are inputs of a larger one"


def counted(low: int, high: int, lemma: str | None = None) -> Order:
    """The order of a parameter that is a number of inputs or bins, low..high: fewer of them need less noise."""
    return Order(Fraction(low), Fraction(high), falling=True, whole=True, lemma=lemma)


def prescribed(value: Callable[[], arb], up: bool) -> Fraction:
    """Round a positive number, computed as a ball at the precision in force, to 64 significant bits, up or down.

    Papers' parameters are irrational; this is what can be deployed. The rounding is certain: precision grows until
    both bounds of the ball round to one number.
    """
    bits = 128
    while bits <= MAX_BITS:
        with precision(bits):
            ball = value()
            low, high = dyadic(ball.lower()), dyadic(ball.upper())
        if low > 0:
            size = floor(low).bit_length() if low >= 1 else 1 - floor(1 / low).bit_length()
            unit = Fraction(2) ** (size - 64)
            ends = {(ceil if up else floor)(end / unit) for end in (low, high)}
            if len(ends) == 1:
                return ends.pop() * unit
        bits *= 2
    raise Undecided(f"a prescribed parameter at {MAX_BITS} bits")


def rational_root(power: Fraction, parts: int) -> Fraction | None:
    """The root of a positive rational, where that is rational."""
    ends = [int(fmpz(end).root(parts)) for end in (power.numerator, power.denominator)]
    root = Fraction(*ends)
    return root if root**parts == power else None


def least_share(eps: Eps, weight: int, parts: int = 1) -> Fraction:
    """The share weight / (weight + e^(eps/parts) - 1), for a number of `weight` values: odds of e^(eps/parts).

    Exact where it is rational, else rounded up to 64 bits.

    Up is more noise: the share of a uniform message, or `weight` = 2 times the probability of a flip.
    """
    if eps.power is not None and (root := rational_root(eps.power, parts)) is not None:
        return weight / (weight + root - 1)

    def value() -> arb:
        return weight / (weight + (eps.ball() / parts).exp() - 1)

    return min(prescribed(value, up=True), Fraction(1))


class System(ABC):
    """A shuffled protocol: a randomizer and an analyzer (BC Definition 7).

    Subclasses are frozen dataclasses whose fields are `parameter`s. What a system must have is `analyze`, and either
    `randomizer` or `unwritten`; all else it may have, and where it has not, what stands here answers.

    UNWRITTEN: why there is no table of its randomizer, whatever the parameters are; of VIEWS, the views in which it is
    seen, then only the shuffled one is left. REACH: how far answers go for many users, and why. ALIKE = (first,
    parameter) where the inputs are so many integers from the first on, and every permutation of them only renames
    messages.
    NULLS names references that are no inputs, and have a law (`reference_law`). SERVES lists the tasks that it solves
    (`serves`), each with the parameters that it needs: "sum k=2", or "histogram d" where d is the number of buckets.
    LOCAL names the parameter that `-p eps0=`, a local eps, stands for (`from_local`); "" where there is none.
    SYNONYMS are other names that the field has for it, in any case, each with the parameters that it fixes.
    STATES_MORE where certificates without a table claim more than the system keeps; a calibration asks for none.
    OVER_USERS where the law of one user does not depend on n though no table says so. Where several parameters are
    free, WITHIN names the system beside whose error few messages are looked for.
    """

    UNWRITTEN: ClassVar[str] = ""
    VIEWS: ClassVar[tuple[str, ...]] = VIEWS
    REACH: ClassVar[str] = """two-sided: all others equal (attained) and the privacy blanket of the randomizer
    (dominating)"""
    ALIKE: ClassVar[tuple[int, str] | None] = None
    NULLS: ClassVar[tuple[str, ...]] = ()
    SERVES: ClassVar[tuple[str, ...]] = ()
    LOCAL: ClassVar[str] = ""
    SYNONYMS: ClassVar[Synonyms] = {}
    local_as_given: ClassVar[str] = ""  # of a system: the local eps that set LOCAL, as it was written
    OVER_USERS: ClassVar[bool] = False
    STATES_MORE: ClassVar[bool] = False
    WITHIN: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        if cls.UNWRITTEN:
            cls.VIEWS = ("shuffled",)

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            read = declared.metadata["read"]
            object.__setattr__(self, declared.name, read(getattr(self, declared.name), declared.name))

    @classmethod
    def offers(cls, name: str) -> bool:
        """Whether the system has a method of its own in the place of the one of this name here."""
        return next(base for base in cls.__mro__ if name in vars(base)) is not System

    def unwritten(self) -> str | None:
        """Why no table of the randomizer is written out, in one line; None where `randomizer` returns it."""
        name = type(self).__module__.rpartition(".")[2]
        return f"{name}: {self.UNWRITTEN}: expected the shuffled view" if self.UNWRITTEN else None

    def check_written(self) -> None:
        """Raise BadInput where no table of the randomizer is written out."""
        if reason := self.unwritten():
            raise BadInput(reason)

    def randomizer(self) -> Randomizer:
        """The law of one user's messages, for every input. Raises BadInput where it is `unwritten`."""
        self.check_written()
        raise NotImplementedError(f"{type(self).__name__}: has neither a randomizer nor a reason why it is unwritten")

    @abstractmethod
    def analyze(self, messages: Mapping[str, int], n: int) -> Any:
        """The protocol's output from the shuffled messages of n users, as a multiset {message: count}."""

    def reduction(self, n: int) -> Iterator[Pair] | None:
        """Pairs whose largest delta(eps) is, for every eps, the largest over all neighbouring datasets of n users.

        A second way to every number, which the tests compare with enumeration.
        """
        return None

    def reach(self, n: int) -> Any:
        """What a proof says of n users, however many: a `verify.reduce.reduction.Reduction`, or None."""
        return None

    def arrival(self, n: int, users: int) -> Any:
        """As `reach`, where one user comes or goes: n of all `users` are honest, that one among them."""
        return None

    def share_of(self, part: Fraction) -> "System | None":
        """The system of this part of all users, where these add the noise together, or where none of them does.

        None where nothing is proved of fewer users. A system with a table is the same for any number of users.
        """
        return self if "local" in self.VIEWS else None

    @property
    def local_epsilon(self) -> Eps | None:
        """The pure eps of one user's messages where no table shows it, in nats; None where no finite one is kept."""
        return None

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy | None:
        """The law of the analyzer's error among n users; `alpha` is an error whose probability is asked for."""
        return None

    def simultaneous(self, n: int) -> Interval | None:
        """The expectation of the largest error over all buckets, |estimate - truth|, in users."""
        return None

    @classmethod
    def floor(cls, values: Mapping[str, Fraction], eps: Eps) -> Fraction:
        """A lower bound on the worst delta(eps) by some parameters' values, whatever the others are.

        A search passes over what cannot satisfy (eps, delta).
        """
        return Fraction(0)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> Mapping[str, Fraction] | None:
        """What the paper prescribes for n users and (eps, delta): {parameter: value}."""
        return None

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The value of the parameter LOCAL that keeps a local eps, beside the parameters that are given as text."""
        raise NotImplementedError(f"{cls.__name__}: no parameter is set by a local eps")

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """The parameters, as text, with which the system solves a task; None where it does not solve it.

        "sum": the number of ones among n bits. "histogram": how many of n users hold each of so many `buckets`.
        "mean": that of numbers of a range, with an error that is a share of the range.
        """
        for served in cls.SERVES:
            name, *needed = served.split()
            if name == task:
                return {given: value or str(buckets) for given, _, value in (part.partition("=") for part in needed)}
        return None

    def deletion(self, n: int, reference: str) -> Any:
        """As `reach`, where one user is deleted, and on this reference instead: an input, or one that has a law here.

        Raises BadInput for what is neither.
        """
        return self.reach(n) if self.stands_for_all(reference) else None

    def reference_law(self, name: str) -> Law[tuple[str, ...]]:
        """The law of one of the references in NULLS. Raises BadInput where it is not written out."""
        self.check_written()
        raise NotImplementedError(f"{type(self).__name__}: has no law for {name}")

    def stands_for_all(self, reference: str) -> bool:
        """Whether the pairs of neighbours of which one user holds this input have the largest delta(eps) of all pairs.

        So where there are two inputs, and where all are alike: a permutation that moves x to the reference carries the
        pair of x and y to one with the reference, and the others with it. Raises BadInput for what is no input.
        """
        if self.ALIKE is not None:
            first, many = self.ALIKE
            return is_input(reference, first, first + getattr(self, many) - 1)
        inputs = () if self.unwritten() else self.randomizer().inputs
        return len(inputs) == 2 and reference in inputs


def is_input(reference: str, first: int, last: int) -> bool:
    """Whether a label is one of the integers first, ..., last. Raises BadInput where it is not."""
    number = int(reference) if reference.isascii() and reference.isdigit() and len(reference) < 20 else first - 1
    if first <= number <= last and str(number) == reference:
        return True
    raise BadInput(f"reference: {shorten(reference)!r} is no input: expected an integer from {first} to {last}")


def accuracy_of(system: object, name: str, n: int, alpha: Fraction | None = None) -> Accuracy:
    """The law of a system's error among n users. Raises BadInput where it has no analyzer whose error is known.

    A root mean square error is in users where the estimate is not:

        >>> print(accuracy(system("krr", k=2, gamma="1/2"), "krr", n=4).rmse_in_users)
        [1.73205080756, 1.73205080757]
    """
    found = system.accuracy(n, alpha) if isinstance(system, System) else None
    if found is None:
        raise BadInput(f"{name}: has no analyzer whose error is known: see `shufflecert systems`")
    return found
