"""Numbers: a truncated geometric law, the square wave, one signed bit of a random coordinate, and rounded numbers.

Truncated geometric mechanism (Ghosh, Roughgarden and Sundararajan 2012): x + noise z of probability proportional to
alpha^|z|, moved to the nearest of 0..k; inputs that differ by 1 are ln(1/alpha) apart, so 0 and k are k ln(1/alpha).
Square wave (Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020), the discrete one: x of 1..d is sent as y of
1-b..d+b, with probability e^eps / ((2 b + 1) e^eps + d - 1) where |x - y| <= b, else 1 / ((2 b + 1) e^eps + d - 1);
eps. Harmony (Nguyen, Xiao, Yang, Hui, Shin and Shin 2016): of d numbers in [-1, 1] one is drawn uniformly, and its
sign bit is +1 with probability (x_j (e^eps - 1) + e^eps + 1) / (2 e^eps + 2); eps.
NPRR (Waudby-Smith, Wu and Ramdas 2023): a number of [0, 1] is rounded at random to 0, 1/G, .., 1, and is then sent with
probability r, else one of these G + 1 values, uniformly; eps = ln(1 + (G + 1) r / (1 - r)).
"""

from fractions import Fraction
from functools import partial
from itertools import product

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered


def truncated_geometric(k: int, alpha: Fraction) -> Randomizer:
    """The truncated geometric mechanism, with inputs and messages 0..k."""
    inside, end = (1 - alpha) / (1 + alpha), 1 / (1 + alpha)
    return Randomizer.of(
        {x: {y: (end if y in (0, k) else inside) * alpha ** abs(x - y) for y in range(k + 1)} for x in range(k + 1)}
    )


def square_wave(d: int, b: int, power: Fraction) -> Randomizer:
    """The discrete square wave, with inputs 1..d and messages 1-b..d+b. e^eps = `power`."""
    total = (2 * b + 1) * power + d - 1
    return Randomizer.of(
        {x: {y: (power if abs(x - y) <= b else 1) / total for y in range(1 - b, d + b + 1)} for x in range(1, d + 1)}
    )


def harmony(d: int, power: Fraction) -> Randomizer:
    """Harmony, with vectors of d signs as inputs, such as "+1 -1", and messages "j:+1" and "j:-1". e^eps = `power`."""
    ones = {s: (s * (power - 1) + power + 1) / (2 * power + 2) for s in (1, -1)}
    return Randomizer.of(
        {
            " ".join(f"{s:+d}" for s in vector): gathered(
                (f"{j}:{sign}", p / d)
                for j, s in enumerate(vector, 1)
                for sign, p in (("+1", ones[s]), ("-1", 1 - ones[s]))
            )
            for vector in product((1, -1), repeat=d)
        }
    )


def nprr(others: list[Fraction], r: Fraction) -> Randomizer:
    """NPRR with inputs and messages 0..G; others[y] is the probability of y where the input is not sent."""
    listed = range(len(others))
    return Randomizer.of({x: {y: r * (x == y) + (1 - r) * others[y] for y in listed} for x in listed})


THREE = Fraction(3)
HALF, QUARTER, THIRD = Fraction(1, 2), Fraction(1, 4), Fraction(1, 3)
NPRR = (
    "Waudby-Smith, Wu and Ramdas, Nonparametric extensions of randomized response for private confidence sets, ICML"
    " 2023"
)
NPRR_EPS = "ln(1 + (G + 1) r / (1 - r))"

ENTRIES = (
    Entry(
        "truncated_geometric",
        "truncated geometric mechanism",
        "Ghosh, Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, SIAM J. Comput. 41(6),"
        " 2012",
        {"k": "4", "alpha": "1/2"},
        Eps.log(Fraction(16)),
        "k ln(1/alpha)",
        partial(truncated_geometric, 4, Fraction(1, 2)),
        "the source's alpha is for counts that differ by 1; here one user holds the count, and any two of 0..4 may be"
        " exchanged",
    ),
    Entry(
        "square_wave",
        "square wave mechanism, discrete",
        "Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li, Estimating numerical distributions under local differential"
        " privacy, SIGMOD 2020",
        {"d": "5", "b": "1", "e^eps": "3"},
        Eps.log(THREE),
        "eps",
        partial(square_wave, 5, 1, THREE),
        "e^eps is taken as 3; b = 1 is the source's choice for it and d = 5, rounded down",
    ),
    Entry(
        "harmony",
        "Harmony, mean of several numbers",
        "Nguyen, Xiao, Yang, Hui, Shin and Shin, Collecting and analyzing data from smart device users with local"
        " differential privacy, arXiv:1606.05053, 2016",
        {"d": "2", "e^eps": "3"},
        Eps.log(THREE),
        "eps",
        partial(harmony, 2, THREE),
        "e^eps is taken as 3; the inputs are the corners of the square, other vectors have mixtures of their laws",
    ),
    Entry(
        "nprr",
        "nonparametric randomized response",
        f"{NPRR}, Algorithm 1",
        {"G": "2", "r": "2/5"},
        Eps.log(THREE),
        NPRR_EPS,
        partial(nprr, [THIRD] * 3, Fraction(2, 5)),
        "inputs on the grid, 0, 1/2 and 1; those between have mixtures of their laws",
    ),
    Entry(
        "nprr_package",
        "nonparametric randomized response, by the arithmetic of nprr 0.1.4",
        f"{NPRR}; the package nprr 0.1.4, nprr.mechanisms.nprr",
        {"G": "2", "r": "2/5"},
        Eps.log(THREE),
        NPRR_EPS,
        partial(nprr, [QUARTER, HALF, QUARTER], Fraction(2, 5)),
        "the other value is round(u G) / G, u uniform on [0, 1]: both ends have half the probability of the others",
    ),
)
