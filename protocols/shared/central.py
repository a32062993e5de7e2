"""What a server releases: the sum s, and noise of its own, in the arithmetic of an implementation.

The noise X is taken as an unsigned integer of so many `bits`, X mod 2^bits (0: as it is), that modulo `wrap` (0: none),
and the sum s + that modulo `modulo` (0: none). Everybody sees the released number; neighbours differ in s by at most
the sensitivity.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, Self

from flint import fmpz

from shufflecert.verify import certificate
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import NOBODY
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.pairs.windowed import Atoms, WindowPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import System, parameter, whole

MOST_SHIFTS = 50  # shifts that are evaluated one by one, where the largest is not known to be the worst
MOST_BITS = 256


class Windowed(Protocol):
    """A law on the integers that can be enclosed on a window."""

    def window(self, bits: int) -> tuple[int, list[int], list[int], int]:
        """Integer bounds (first, low, high, outside), as `verify.enclose.noise.Noise.window`."""

    def to_json(self) -> dict[str, Any]:
        """The law with its parameters, as a certificate writes it (verify/CERTIFICATE.md)."""


word_size = whole(0, MOST_BITS)


def modulus(value: object, where: str) -> int:
    """A modulus, 2 to 2^256, or 0 for none."""
    found = natural(value, where, least=0, most=2**MOST_BITS)
    if found == 1:
        raise BadInput(f"{where}: 1: expected 0 for none, or at least 2")
    return found


@dataclass(frozen=True)
class Released(WindowPair):
    """The pair of two releases whose sums differ by `by`: P is the law of by + noise, Q of noise, both reduced alike.

    A known s on top of both only renames what is released: it shifts both, or rotates them modulo `modulo`.
    """

    noise: Windowed
    by: int
    bits: int = 0
    modulo: int = 0
    wrap: int = 0

    def reversed(self) -> "Released":
        """The pair in the other direction, shifted back."""
        return Released(self.noise, -self.by, self.bits, self.modulo, self.wrap)

    def at(self, k: int) -> int:
        """The number that is released for s = 0 and noise k."""
        word = k % (1 << self.bits) if self.bits else k
        word = word % self.wrap if self.wrap else word
        return word % self.modulo if self.modulo else word

    def atoms(self, bits: int) -> Atoms:
        """One atom for each number that either law releases with noise in its window."""
        first, low, high, outside = self.noise.window(bits)
        law: dict[int, tuple[int, int]] = {}
        for i, (least, most) in enumerate(zip(low, high, strict=True)):
            place = self.at(first + i)
            held = law.get(place, (0, 0))
            law[place] = held[0] + least, held[1] + most
        moved = {(y + self.by) % self.modulo if self.modulo else y + self.by: ends for y, ends in law.items()}
        seen, none = [*dict.fromkeys([*moved, *law])], (0, 0)
        p, q = ([side.get(y, none) for y in seen] for side in (moved, law))
        ends = [([fmpz(a) for a, _ in side], [fmpz(b + outside) for _, b in side]) for side in (p, q)]
        return Atoms(ends[0], ends[1], (outside, outside), bits)


def central_reach(noise: Windowed, sensitivity: int, bits: int, modulo: int, wrap: int) -> Reduction:
    """The reduction to the noise against its shifts, all of them where numbers are reduced.

    Proof. The other inputs add a known number, which shifts or rotates both releases alike. Without reduction the
    noise is log-concave, and the largest shift stands for all (protocols/shared/counts.py, count_reach).
    """
    reduced = bool(bits or modulo or wrap)
    if reduced and sensitivity > MOST_SHIFTS:
        raise BadInput(f"sensitivity: {sensitivity}: every shift is evaluated: expected at most {MOST_SHIFTS}")
    shifts = range(1, sensitivity + 1) if reduced else (sensitivity,)
    members = []
    for j in shifts:
        pair = Released(noise, j, bits, modulo, wrap)
        members += [NamedPair(pair, str(j), "0"), NamedPair(pair.reversed(), "0", str(j))]
    which = "every shift evaluated" if reduced else "the largest shift is the worst (protocols/shared/counts.py)"
    by = f"the others' sum is a known number; {which} (proof in protocols/shared/central.py)"
    seen = certificate.release(noise.to_json(), sensitivity, bits, wrap, modulo)
    return Reduction(Pairs(members), by, sensitivity + 1, mechanism=seen)


def word_of_noise() -> Any:
    """The parameter `bits`: the noise is an unsigned integer of so many bits."""
    return parameter("the noise as an unsigned integer of so many bits, 0 as it is", word_size, 0)


def modulus_of_sum() -> Any:
    """The parameter `modulo`: what the released sum is reduced by."""
    return parameter("modulus of the released sum, 0 for none", modulus, 0)


def modulus_of_noise() -> Any:
    """The parameter `wrap`: what the noise is reduced by before it is added."""
    return parameter("modulus of the noise after bits, before it is added, 0 for none", modulus, 0)


class Curated(System):
    """A system whose noise is the curator's: users send none of their own, and hold 0 to `sensitivity`."""

    UNWRITTEN = "the curator adds the noise, so there is no randomizer"
    REACH = "exact over all datasets, whatever n: the noise and its shifts, both directions"
    sensitivity: int

    def analyze(self, messages: Mapping[str, int], n: int) -> Any:
        """The released number. Raises BadInput unless it is the one message."""
        return released_number(messages)

    def share_of(self, part: Fraction) -> Self:
        """What is released where only a part of the users is honest: the curator's noise stays whole."""
        return self

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes: one who is absent adds nothing, as one who holds 0 does."""
        reach: Reduction = self.reach(n)
        assert isinstance(reach.attained, Pairs)
        members = [
            replace(
                one,
                source=NOBODY if one.source == "0" else one.source,
                target=NOBODY if one.target == "0" else one.target,
            )
            for one in reach.attained.members
        ]
        return replace(reach, attained=Pairs(members))

    def stands_for_all(self, reference: str) -> bool:
        """The smallest and the largest input do: every shift up to the largest is from or to these."""
        return reference in ("0", str(self.sensitivity))


def released_number(messages: Mapping[str, int]) -> int:
    """The one number that a curator releases. Raises BadInput unless it is the one message."""
    if len(messages) != 1 or set(messages.values()) != {1}:
        raise BadInput("messages: expected one message, the number that the curator releases")
    (released,) = messages
    try:
        return int(released)
    except ValueError:
        raise BadInput(f"messages: {released[:40]!r}: expected an integer") from None


def not_reduced(*moduli: int) -> None:
    """Raise BadInput where numbers are reduced: the error then depends on the range of the sum."""
    if any(moduli):
        raise BadInput("bits, wrap, modulo: the error of a reduced number depends on the range of the sum: expected 0")
