"""Sums in the shuffle model: several messages a user, private once they are mixed with those of others.

Cheu, Smith, Ullman, Zeber and Zhilyaev (2019): a bit is sent as it is with probability 1 - lam/n, else replaced by a
fair coin; a vector of bits bit by bit, tagged; a real x in [0, 1] as r bits whose number of ones is x r rounded at
random, each of them treated so. Balle, Bell, Gascon and Nissim (2020), recursive protocol: the digits of x for the
precisions p_1, ..., p_m, tagged, digit i by randomized response over its p_i values (the last, which takes what is
left, over p_m + 1), truth with 1 - gamma_i, else uniform. Split and mix (Ishai, Kushilevitz, Ostrovsky and Sahai 2006;
Balle et al. 2020; Ghazi, Manurangsi, Pagh and Velingker 2020): x as shares that are uniform but for their sum x mod q.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

from shufflecert.protocols.gallery.entry import Claim, Entry
from shufflecert.protocols.shared.bits import Bits, independent
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered

CHEU = "Cheu, Smith, Ullman, Zeber and Zhilyaev, Distributed differential privacy via shuffling, EUROCRYPT 2019"
BALLE = "Balle, Bell, Gascon and Nissim, Private summation in the multi-message shuffle model, CCS 2020"
SHUFFLED = "none: (eps, delta) in the shuffled view only"
WARNER = "Warner 1965, composed over the messages"


def bit(share: Fraction) -> Randomizer:
    """The bit of Cheu et al., with inputs 0 and 1; `share` = lam/n is the probability of a fair coin."""
    return Randomizer.of({x: {x: 1 - share / 2, 1 - x: share / 2} for x in (0, 1)})


def bit_vector(d: int, share: Fraction) -> Randomizer:
    """The bit vector of Cheu et al.: inputs are strings of d bits, sent as d messages "j:0" or "j:1"."""
    return Randomizer.of(
        {
            "".join(map(str, x)): {tuple(f"{j}:{b}" for j, b in enumerate(y, 1)): p for y, p in _noisy(x, share)}
            for x in product((0, 1), repeat=d)
        }
    )


def real(steps: int, r: int, share: Fraction) -> Randomizer:
    """The real sum of Cheu et al.: inputs "i/steps" for i = 0..steps, r messages in the source's order."""
    rows = {}
    for i in range(steps + 1):
        whole, left = divmod(i * r, steps)
        below = tuple(int(j < whole) for j in range(r))
        above = tuple(int(j < whole + 1) for j in range(r))
        rounded = ((below, 1 - Fraction(left, steps)), (above, Fraction(left, steps)))
        rows[f"{i}/{steps}"] = gathered((y, chance * p) for x, chance in rounded if chance for y, p in _noisy(x, share))
    return Randomizer.of(rows)


def digits(inputs: Iterable[int], precisions: Sequence[int], gammas: Sequence[Fraction]) -> Randomizer:
    """`inputs` i = 0..q stand for "i/q", q the product of the precisions; messages "j:digit".

    1 is written like the largest number below it, with a last digit that is larger by one.
    """
    q = prod(precisions)
    values = [*precisions[:-1], precisions[-1] + 1]
    rows = {}
    for i in inputs:
        left, own = min(i, q - 1), list[int]()
        for p in reversed(precisions):
            left, digit = divmod(left, p)
            own.insert(0, digit)
        own[-1] += int(i == q)
        laws = [
            [g / k + (1 - g if y == x else 0) for y in range(k)] for x, k, g in zip(own, values, gammas, strict=True)
        ]
        rows[f"{i}/{q}"] = {
            tuple(f"{j}:{y}" for j, y in enumerate(sent, 1)): prod(law[y] for law, y in zip(laws, sent, strict=True))
            for sent in product(*map(range, values))
        }
    return Randomizer.of(rows)


def split(steps: int, shares: int, q: int) -> Randomizer:
    """Inputs "i/steps" for i = 0..steps; `shares` messages of 0..q-1 whose sum is i mod q."""
    free = list(product(range(q), repeat=shares - 1))
    return Randomizer.of(
        {
            f"{i}/{steps}": {(*first, (i - sum(first)) % q): Fraction(1, len(free)) for first in free}
            for i in range(steps + 1)
        }
    )


def _noisy(bits: Sequence[int], share: Fraction) -> list[tuple[Bits, Fraction]]:
    return list(independent([1 - share / 2 if b else share / 2 for b in bits]))


SHARE = Fraction(1, 4)
ODDS = (1 - SHARE / 2) / (SHARE / 2)  # of a bit's truth: 7 to 1

ENTRIES = (
    Entry(
        "cheu_bit",
        "sum of bits",
        f"{CHEU}, R^0/1",
        {"lam/n": "1/4"},
        None,
        SHUFFLED,
        partial(bit, SHARE),
        "lam/n is the source's lam at some n; the promise holds for lam of order log(1/delta) / eps^2",
        (Claim(Eps.log(ODDS), "ln(2n/lam - 1)", WARNER),),
    ),
    Entry(
        "cheu_vector",
        "sum of vectors of bits",
        f"{CHEU}, R^0/1 for every coordinate",
        {"d": "2", "lam/n": "1/4"},
        None,
        SHUFFLED,
        partial(bit_vector, 2, SHARE),
        "",
        (Claim(Eps.log(ODDS**2), "d ln(2n/lam - 1)", WARNER),),
    ),
    Entry(
        "cheu_real",
        "sum of real numbers",
        f"{CHEU}, protocol for bounded real sums",
        {"r": "3", "lam/n": "1/4", "inputs": "0, 1/2, 1"},
        None,
        SHUFFLED,
        partial(real, 2, 3, SHARE),
        "the source takes r of order eps sqrt(n)",
        (Claim(Eps.log(ODDS**3), "r ln(2n/lam - 1)", WARNER),),
    ),
    Entry(
        "three_digit_sum",
        "three-message split of a real number into digits",
        f"{BALLE}, recursive protocol",
        {"p": "2, 2, 2", "gamma": "1/2, 1/2, 1/2", "inputs": "0, 5/8, 7/8, 1"},
        None,
        SHUFFLED,
        partial(digits, (0, 5, 7, 8), (2, 2, 2), (Fraction(1, 2),) * 3),
        "1 is written with a last digit of 2",
        (Claim(Eps.log(Fraction(36)), "sum of ln(1 + k_i (1 - gamma_i) / gamma_i), k_i digits", WARNER),),
    ),
    Entry(
        "split_and_mix",
        "three-message split of a real number into shares",
        f"Ishai, Kushilevitz, Ostrovsky and Sahai, Cryptography from anonymity, FOCS 2006; second protocol of {BALLE}",
        {"shares": "3", "q": "5", "inputs": "0, 1/2, 1"},
        None,
        "none: the shuffled shares show no more than the sum, up to 2^-sigma",
        partial(split, 2, 3, 5),
        "without the noise that makes the sum private: the sum itself is not hidden, at any n",
    ),
)
