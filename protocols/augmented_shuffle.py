"""`augmented_shuffle`: users send their values, the shuffler samples them and adds dummies (Murakami et al. 2024).

An input is one of d values. The shuffler keeps each message with probability beta, and adds of every value as many
dummies as a draw Z of its own: Z ~ Bin(coins, 1/2) (their SBin-Shuffle), or geometric, Pr[Z = k] = (1 - q) q^k (their
S1Geo). The view is a histogram whose count of value b is

    Bin(c_b, beta) + Z_b,   c_b the number of users on b.

Source: arXiv 2504.07362. The shuffler is trusted to do so; users add no noise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpz

from shufflecert.protocols.shared.arrival import SILENCE
from shufflecert.protocols.shared.counts import radius
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import Ends, exactly, refine, root_of
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Binomial, Noise, geometric
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import natural, probability, rational, shorten, text
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import Accuracy, Order, System, bits_for, counted, parameter, whole

FEWER = Order(
    Fraction(0), Fraction(1), falling=True, lemma="what is kept with beta' < beta is kept with beta, then beta'/beta"
)
MORE = Order(Fraction(0), Fraction(10**9), whole=True, lemma="more coins add independent noise")


def ratio_of(value: object, where: str) -> Fraction:
    """The ratio of geometric dummies, at least 0 and below 1."""
    number = rational(value, where)
    if not 0 <= number < 1:
        raise BadInput(f"{where}: {shorten(number)}: expected a rational of at least 0 and below 1")
    return number


@dataclass(frozen=True)
class AugmentedShuffle(System):
    """Sampling with probability beta, and dummies of every value: binomial (coins) or geometric (q)."""

    UNWRITTEN = "the dummies are the shuffler's, so there is no randomizer"
    REACH = "exact over all datasets, whatever n >= 2: all others on third values are worst, and known"

    d: int = parameter("number of values, the inputs are 1..d", whole(3, 10**6), order=counted(3, 10**6))
    beta: Fraction = parameter("probability that a message is kept", probability, order=FEWER)
    coins: int = parameter(
        "number of fair coins whose heads are a value's dummies; 0: none", whole(0, 10**9), 0, order=MORE
    )
    q: Fraction = parameter("ratio of geometric dummies; 0: none", ratio_of, Fraction(0))

    @property
    def dummies(self) -> Noise:
        """The law of a value's dummies. Raises BadInput where both kinds are given."""
        if self.coins and self.q:
            raise BadInput("coins, q: both given: expected binomial or geometric dummies")
        return geometric(self.q) if self.q else Binomial(self.coins, Fraction(1, 2)) if self.coins else SILENCE

    def reach(self, n: int) -> Reduction:
        """The pair of a user on a or b alone, the same for all n: (Ber(beta) + Z, Z') against (Z, Ber(beta) + Z').

        Proof. Counts of other values have the same law on both sides and are independent of these two: they drop out.
        The i others on a, and j on b, add Bin(i, beta) and Bin(j, beta), independent of all else, to both sides: that
        is post-processing of the pair of i = j = 0, which so dominates, and is attained where all others hold a third
        value (d >= 3). Exchanging a and b reverses it, so that both directions are here.
        """
        one = SumPair((self.dummies, Binomial(1, self.beta)), (self.dummies,))
        held = {"3": n - 1} if n > 1 else {}
        by = "others on a or b only add what is independent (proof in protocols/augmented_shuffle.py, reach)"
        own, other = certificate.coin(text(self.beta)), certificate.constant(0)
        mechanism = certificate.columns(2, own, other, noise=self.dummies.to_json())
        pairs = Pairs([NamedPair(Product(one, Reversed(one)), "1", "2", held)])
        return Reduction(pairs, by, self.d, mechanism=mechanism)

    def share_of(self, part: Fraction) -> "AugmentedShuffle":
        """What is done to the messages of a part of the users: the same, by the shuffler."""
        return self

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the number of users on each value: (count - E Z) / beta.

        Raises BadInput for beta = 0.
        """
        if not self.beta:
            raise BadInput("beta: 0 keeps no message: expected beta > 0 to estimate anything")
        return tuple((messages.get(str(b), 0) - self.dummies.mean) / self.beta for b in range(1, self.d + 1))

    def _beyond(self, users: int, alpha: Fraction, bits: int) -> Ends:
        """Ends around Pr[|Bin(n, beta) + Z - n beta - E Z| > alpha beta]; what no window holds may lie there."""
        law = Window.of(Binomial(users, self.beta), bits).plus(Window.of(self.dummies, bits))
        centre, most = users * self.beta + self.dummies.mean, alpha * self.beta
        far = [i for i in range(len(law.low)) if abs(law.first + i - centre) > most]
        ends = [int(sum((side[i] for i in far), fmpz(0))) for side in (law.low, law.high)]
        return Fraction(ends[0], 1 << bits), Fraction(ends[1] + law.outside, 1 << bits)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """Of one value's count, for the worst data: variance (c beta (1 - beta) + Var Z) / beta^2, largest for c = n.

        With alpha, Pr[|error| > alpha] for these data. Raises BadInput for beta = 0, and for a negative alpha.
        """
        users = natural(n, "n", most=MAX_TRIALS)
        if not self.beta:
            raise BadInput("beta: 0 keeps no message: expected beta > 0 to estimate anything")
        failure = None if alpha is None else refine(lambda bits: self._beyond(users, radius(alpha), bits))
        square = (users * self.beta * (1 - self.beta) + self.dummies.variance) / self.beta**2
        sent = 1 + self.d * self.dummies.mean / users
        worst = "all users on the value that is counted"
        rmse, messages = root_of(square), exactly(sent)
        return Accuracy(
            "the number of users on one value", rmse, failure, messages, bits_for(self.d), worst, Fraction(1)
        )
