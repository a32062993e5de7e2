"""`rappor`: basic one-time RAPPOR, a noisy one-hot string (Erlingsson, Pihur and Korolova 2014).

A user with value x in 1..d sends one message: the string of d bits that is 1 at position x only, every bit flipped
independently with probability flip. Two inputs differ in two bits: local eps = 2 log((1 - flip) / flip). The analyzer
counts the ones at every position and takes the bias out. `fragmented_rappor` sends the same bits one by one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.rr import FAIR
from shufflecert.protocols.shared.bits import flipped, written
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.one_hot import OneHot
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket, Blankets, event_of
from shufflecert.verify.reduce.reduction import NamedPair, Reduction, Threshold
from shufflecert.verify.systems.accuracy import Accuracy


@dataclass(frozen=True)
class RAPPOR(OneHot):
    """Basic one-time RAPPOR: the one-hot string of x with every bit flipped with probability flip, as one message."""

    REACH = "two-sided: all others on one value (attained) and the privacy blanket (dominating)"

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        self.check_written()
        inputs = range(1, self.d + 1)
        return Randomizer.of({x: {written(y): p for y, p in flipped(self.d, [x], self.flip)} for x in inputs})

    def reach(self, n: int) -> Reduction:
        """Attained: all others on a third value (d >= 3), on the user's, or on the other. Dominating: the blanket.

        With t = (1 - flip) / flip, Pr[R(x) = y] is t^(2 y_x - 1) times what the zero string's flips have, so only bits
        x, x' and that of the others' value z matter. The blanket is c(y) = flip^(w + 1) (1 - flip)^(d - w - 1) for a
        string of w < d ones, where a zero bit belongs to some value, and flip^(d - 1) (1 - flip) for w = d.
        """
        f, d, one, zero = self.flip, self.d, Fraction(1), Fraction(0)
        if f == 0:
            clear = Blanket(Form((), n), ((one, zero),))
            named = NamedPair(clear, "1", "2", {"2": n - 1}, self._event("2", n))
            return Reduction(Blankets.of([(clear, named)]), "no noise", d)
        t, bits = (1 - f) / f, (0, 1)
        chance = {0: 1 - f, 1: f}  # of a bit that flips from 0
        forms = {
            "1": [Category(one, t ** (2 * b - 2 * a), chance[1 - a] * chance[b]) for a in bits for b in bits],
            "2": [Category(t ** (2 * a - 2 * b), one, chance[a] * chance[1 - b]) for a in bits for b in bits],
            "3": [
                Category(t ** (2 * a - 2 * z), t ** (2 * b - 2 * z), chance[a] * chance[b] * chance[1 - z])
                for a in bits
                for b in bits
                for z in bits
            ],
        }
        attained = []
        for z, categories in forms.items():
            if z != "3" or d > 2:
                bound = Blanket(Form.of(categories, n))
                attained.append((bound, NamedPair(bound, "1", "2", {z: n - 1}, self._event(z, n))))
        both = [
            Category(t**2, one, f**2),
            Category(one, t**2, f**2),
            Category(t**2, t**2, f**3 / (1 - f) * (1 - f ** (d - 2))),
            Category(one, one, f * (1 - f) + f ** (d - 1) * (1 - f)),
        ]
        null = Category(zero, zero, 1 - sum((c.w for c in both), zero))
        blanket = Blanket(Form.of([*both, null], n))
        by = "all others on one value (below); the blanket of BBGN Lemma 5.3 (above; proof in verify/CERTIFICATE.md)"
        return Reduction(Blankets.of(attained), by, d, Blankets.of([(blanket, NamedPair(blanket, "1", "2"))]))

    def _event(self, z: str, n: int) -> Callable[[Eps, Fraction], Threshold]:
        return lambda eps, bound: event_of(self.randomizer(), "1", "2", {z: n - 1}).threshold(eps, bound)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for flip = 1/2."""
        ones = (sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.d))
        return Column(n, 1 - self.flip, self.flip).fractions(ones, FAIR)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: s users on the value make its ones Bin(s, 1 - flip) +
        Bin(n - s, flip). Raises BadInput for flip = 1/2."""
        column = Column(n, 1 - self.flip, self.flip)
        return column_accuracy(column, alpha, "the fraction of users on one value", 1, self.d)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """Raises BadInput unless flip is given."""
        if "flip" not in given:
            raise BadInput("flip: the paper prescribes none for the shuffle model: expected one to be given")
        return {}
