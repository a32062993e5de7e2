"""How a system declares its parameters: a dataclass field with a meaning and a reader that checks it.

    @dataclass(frozen=True)
    class Mine(System):
        p: Fraction = parameter("probability of a noise message", probability)

The reader takes (value, name) and returns the exact value or raises BadInput; `verify.exact.rational` has `rational`,
`probability`, `natural`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar

from flint import arb

from verify.enclose.interval import Interval
from verify.errors import BadInput, Undecided
from verify.exact.ball import ball, dyadic, precision
from verify.exact.epsilon import MAX_BITS, Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import shorten
from verify.systems.accuracy import Accuracy
from verify.systems.noise_order import Order


def parameter(
    meaning: str, read: Callable[[object, str], Any], default: Any = MISSING, order: Order | None = None
) -> Any:
    """Declare a parameter: a dataclass field whose value is read exactly when the system is made.

    `order` says how the parameter sets the noise, where it does (`verify.systems.noise_order`).
    """
    return field(default=default, metadata={"meaning": meaning, "read": read, "order": order})


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
    both ends of the ball round to one number.
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


def least_share(eps: Eps, weight: int, parts: int = 1) -> Fraction:
    """The share weight / (weight + e^(eps/parts) - 1), for a number of `weight` values: odds of e^(eps/parts).

    Exact where it is rational, else rounded up to 64 bits.

    Up is more noise: the share of a uniform message, or `weight` = 2 times the probability of a flip.
    """
    if eps.power is not None and parts == 1:
        return weight / (weight + eps.power - 1)

    def value() -> arb:
        power = ball(eps.exponent) if eps.exponent is not None else ball(eps.power or Fraction(1)).log()
        return weight / (weight + (power / parts).exp() - 1)

    return min(prescribed(value, up=True), Fraction(1))


class System(ABC):
    """A shuffled protocol: a randomizer and an analyzer (BC Definition 7).

    Subclasses are frozen dataclasses whose fields are `parameter`s. A system whose pairs of neighbours are known by a
    proof also has

        reduction(n) -> iterator of verify.exact.hockey_stick.Pair

    a set of pairs whose largest delta(eps) is, for every eps, the largest over all neighbouring datasets of n users:
    a second way to every number, which the tests compare with enumeration; and at sizes where nothing is enumerated

        reach(n) -> verify.reduce.reduction.Reduction
        accuracy(n, alpha) -> verify.systems.accuracy.Accuracy
        simultaneous(n) -> verify.enclose.interval.Interval around E max over buckets |estimate - truth|, in users
        share_of(part), arrival(n, users): see verify/systems/population.py
        floor(values, eps) -> a lower bound on the worst delta(eps), a class method: by the values of some parameters,
            whatever the others are; a search passes over what cannot keep a promise
        paper(n, eps, delta, given) -> {parameter: value}, a class method: what the paper prescribes
        from_local(eps0, given) -> {parameter: value}, a class method: what keeps a local eps, for `-p eps0=`

    ALIKE = (first, parameter) where the inputs are so many integers from the first on, and every permutation of them
    only renames messages. SERVES lists the tasks that it solves (`serves`), each with the parameters that it needs:
    "sum k=2", or "histogram d" where d is the number of buckets. Where several parameters are free, WITHIN names the
    system beside whose error few messages are looked for.
    """

    ALIKE: ClassVar[tuple[int, str] | None] = None
    SERVES: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]
            read = declared.metadata["read"]
            object.__setattr__(self, declared.name, read(getattr(self, declared.name), declared.name))

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """The parameters, as text, with which the system solves a task; None where it does not solve it.

        "sum": the number of ones among n bits. "histogram": how many of n users hold each of so many `buckets`.
        """
        for served in cls.SERVES:
            name, *needed = served.split()
            if name == task:
                return {given: value or str(buckets) for given, _, value in (part.partition("=") for part in needed)}
        return None

    def stands_for_all(self, reference: str) -> bool:
        """Whether the pairs of neighbours of which one user holds this input have the largest delta(eps) of all pairs.

        So where there are two inputs, and where all are alike: a permutation that moves x to the reference carries the
        pair of x and y to one with the reference, and the others with it. Raises BadInput for what is no input.
        """
        if self.ALIKE is not None:
            first, many = self.ALIKE
            return is_input(reference, first, first + getattr(self, many) - 1)
        try:
            inputs = self.randomizer().inputs
        except BadInput:
            return False
        return len(inputs) == 2 and reference in inputs

    @abstractmethod
    def randomizer(self) -> Randomizer:
        """The law of one user's messages, for every input."""

    @abstractmethod
    def analyze(self, messages: Mapping[str, int], n: int) -> Any:
        """The protocol's output from the shuffled messages of n users, as a multiset {message: count}."""


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
    if not hasattr(system, "accuracy"):
        raise BadInput(f"{name}: has no analyzer whose error is known: see `shufflecert systems`")
    found: Accuracy = system.accuracy(n, alpha)
    return found


def largest_error_of(system: object, n: int) -> Interval | None:
    """E max over buckets |estimate - truth|, in users; None where a system does not say. Raises as it does."""
    if not hasattr(system, "simultaneous"):
        return None
    found: Interval | None = system.simultaneous(n)
    return found
