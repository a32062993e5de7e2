"""`rappor`: basic one-time RAPPOR, a noisy one-hot string (Erlingsson, Pihur and Korolova 2014).

A user with value x in 1..d sends one message: the string of d bits that is 1 at position x only, every bit flipped
independently with probability flip. Two inputs differ in two bits: local eps = 2 log((1 - flip) / flip). The analyzer
counts the ones at every position and takes the bias out. `fragmented_rappor` sends the same bits one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from protocols.parameters import System, parameter
from protocols.rr import flip_probability, unflipped
from verify.errors import BadInput
from verify.number import natural
from verify.randomizer import Randomizer

Bits = tuple[int, ...]
MAX_WRITTEN = 12  # d up to which the 2^d strings of every input are written out


def length(value: object, where: str) -> int:
    """The number of bits in a string, 2 to 10^6."""
    return natural(value, where, least=2, most=10**6)


def noisy_one_hot(d: int, flip: Fraction) -> dict[int, dict[Bits, Fraction]]:
    """{x: {bits: flip^w (1 - flip)^(d - w)}}, where w bits differ from the one-hot string of x.

    Raises BadInput for d > 12.
    """
    if d > MAX_WRITTEN:
        raise BadInput(f"d: {d}: the randomizer's d 2^d outputs are written out for d <= {MAX_WRITTEN} only")
    strings = list(product((0, 1), repeat=d))
    return {x: {bits: _chance(bits, x, flip) for bits in strings} for x in range(1, d + 1)}


def _chance(bits: Bits, x: int, flip: Fraction) -> Fraction:
    flipped = sum(bit != (j == x) for j, bit in enumerate(bits, 1))
    return flip**flipped * (1 - flip) ** (len(bits) - flipped)


@dataclass(frozen=True)
class RAPPOR(System):
    """Basic one-time RAPPOR: the one-hot string of x with every bit flipped with probability flip, as one message."""

    d: int = parameter("number of bits, the inputs are 1..d", length)
    flip: Fraction = parameter("probability that a bit is flipped, at most 1/2", flip_probability)

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        rows = noisy_one_hot(self.d, self.flip)
        return Randomizer.of({x: {"".join(map(str, bits)): p for bits, p in row.items()} for x, row in rows.items()})

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d, `unflipped`. Raises BadInput for flip = 1/2."""
        ones = (sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.d))
        return tuple(unflipped(count, n, self.flip) for count in ones)
