"""Systems that send a number of [0, 1] with noise of a log-concave density: their answers, and the mean's accuracy."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import inf
from typing import Self

from shufflecert.protocols.any_ldp import as_any, held_in
from shufflecert.protocols.shared.likelihood_orbits import Exchange, Near, closely
from shufflecert.protocols.shared.moved_density import Cell, Moved, moved_bound
from shufflecert.protocols.shared.saddle_point import saddle
from shufflecert.verify.enclose.interval import Interval, exactly, root_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import DIGITS, floor_of, precision, rational
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket, Blankets, Member, event_of
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair, Reduction
from shufflecert.verify.systems.declare import Accuracy, System

FLOAT = 64  # bits of a number as it is sent
ENDS, HELD = ("0", "1"), ("0", "1", "1/2")  # inputs of the user who changes, and of the others who are looked at
BITS, MIXED = 240, 200  # of a cell's mass; the share of uniform noise in it is 2^-MIXED
LOCAL_DELTA = Fraction(1, 1 << 60)  # of what certificates state where no local eps is finite
BY = "others on one input, numbers seen by cells (below); the exchange of a message (above; proof in"


@dataclass(frozen=True)
class Shown:
    """A density as a table of the inputs 0, 1 and 1/2 whose outputs are cells: post-processing, but for rounding.

    Masses are rounded to multiples of 2^-BITS and mixed with 2^-MIXED of a uniform law, which makes ratios smaller than
    the density's: for a law of each user that is 2^-(MIXED - 1) away, at most, in total variation.
    """

    density: Moved

    def law(self, x: str) -> list[Fraction]:
        """The probabilities of the cells."""
        return [*shown_law(self.density, tuple(self.density.shown), x)]

    def table(self, z: str) -> Randomizer:
        """The table of both bounds and z."""
        inputs = sorted({*ENDS, z})
        return Randomizer.of({x: {f"cell {i}": w for i, w in enumerate(self.law(x))} for x in inputs})


class OnOneNumber(Blankets):
    """What datasets attain whose other users hold one number."""

    def narrowed(self, eps: Eps) -> Blankets:
        """The one that a saddle point tells to be the largest."""
        t = float(eps.bounds(64)[1])

        def guess(member: Member) -> float:
            law = [(float(c.w), float(c.a) - t * float(c.b)) for c in member.guide.form.categories]
            found = saddle([law], member.guide.form.n)
            return found[2] if found else -inf

        return Blankets([max(self.members, key=guess)])

    def smallest(
        self, bound: Fraction, within: Fraction | None = None
    ) -> tuple[Fraction, Fraction | None, Found | None]:
        """The smallest eps, of the one that is largest at `within`, to which the datasets come near."""
        return super().smallest(bound) if within is None else self.narrowed(Eps.of(within)).smallest(bound)


@lru_cache(maxsize=48)
def shown_law(density: Moved, cells: tuple[Cell, ...], x: str) -> tuple[Fraction, ...]:
    """The probabilities of cells on input x, rounded and mixed."""
    unit = 1 << BITS
    with precision(2 * BITS):
        found = [Fraction(int(floor_of(density.mass(Fraction(x), cell)) * unit), unit) for cell in cells]
    most = max(range(len(found)), key=found.__getitem__)
    found[most] += 1 - sum(found, Fraction(0))
    mixed = Fraction(1, 1 << MIXED)
    return tuple(mass * (1 - mixed) + mixed / len(cells) for mass in found)


@dataclass(frozen=True)
class NoisyNumber(System):
    """A system whose users send a number of [0, 1] with noise."""

    UNWRITTEN = "real numbers are sent, so there is no table"
    SERVES = ("mean",)
    STATES_MORE = True
    REACH = """two-sided over all real inputs: all others on one number, what is sent seen by cells (attained), and the
    exchange of a message (dominating); about the density, not about the floats that are sent in its place"""

    @property
    @abstractmethod
    def density(self) -> Moved:
        """The density of what is sent."""

    @property
    @abstractmethod
    def variance(self) -> Fraction:
        """The variance of the noise."""

    @property
    @abstractmethod
    def local_private(self) -> tuple[Eps, Fraction]:
        """A local (eps0, delta0) that one message keeps."""

    @abstractmethod
    def alone(self, n: int) -> Family | None:
        """A tighter bound on one user's delta(eps) than (eps0, delta0) of `local_private`; None where there is none."""

    def share_of(self, part: Fraction) -> Self:
        """What a part of the users runs: the same, since the randomizer does not depend on how many they are."""
        return self

    def reach(self, n: int) -> Reduction:
        """By the bound of protocols/shared/moved_density.py, and datasets whose others hold one number, by cells.

        The smallest eps with delta(eps) = 0 is the local one, if there is one: others on 1, "n numbers below 0" has
        likelihood ratio e^eps0 for Laplace noise; for normal noise "n numbers below -c" has one that grows with c.
        """
        shown, eps0, delta0 = Shown(self.density), *self.local_private
        laws = {z: shown.law(z) for z in HELD}
        members = list[Member]()
        for z in HELD if n > 1 else HELD[:1]:
            form = Form.of(
                [Category(p / v, q / v, v) for p, q, v in zip(laws["0"], laws["1"], laws[z], strict=True)], n
            )
            held = {z: n - 1} if n > 1 else {}

            def event(z: str = z, held: Mapping[str, int] = held) -> Event:
                return event_of(shown.table(z), *ENDS, held)

            pair = Near(Blanket(form), Fraction(n, 1 << (MIXED - 1)))
            members.append(Member(pair, NamedPair(pair, *ENDS, held, closely(event)), Blanket(form)))
        mechanism, evidence, of_any = as_any(eps0, delta0, n, lambda worst: shown.table(held_in(worst)))
        by = f"{BY} {type(self.density).__module__.removeprefix('shufflecert.').replace('.', '/')}.py)"
        dominating = Exchange(self.alone(n) or of_any, partial(moved_bound, self.density, n), costly=True)

        def pure() -> tuple[Fraction | None, Fraction | None, Found]:
            nothing = Found(Interval(Fraction(0), Fraction(0)), members[0].named, 1, by="the local eps", exact=eps0)
            if delta0:
                return None, None, Found(nothing.value, members[0].named, 1, by="no local eps is finite")
            ends = eps0.enclosure(DIGITS)
            return Fraction(ends[0]), Fraction(ends[1]), nothing

        return Reduction(
            OnOneNumber(members), by, None, dominating, mechanism, certified=of_any, evidence=evidence, pure=pure
        )

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the mean: that of the messages, numbers as text."""
        return sum((rational(y) * count for y, count in messages.items()), Fraction(0)) / n

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of the mean: the noise's variance over n, for all data. Raises BadInput for alpha: no tail is computed."""
        if alpha is not None:
            raise BadInput("alpha: nothing is known of tails of sums of real numbers here: expected none")
        rmse = root_of(self.variance / n)
        return Accuracy("the mean", rmse, None, exactly(1), FLOAT, "all: the error has one law", Fraction(n))
