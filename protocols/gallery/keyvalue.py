"""Key-value pairs: which keys a user has, and for each a value in [-1, 1].

PrivKV's local perturbation protocol (Ye, Hu, Meng and Zheng 2019): draw a key j of 1..d uniformly. If the user has it,
its value is rounded at random to +1 or -1 without bias and flipped with probability 1 / (e^eps2 + 1), and the pair is
sent with probability e^eps1 / (e^eps1 + 1), else "none"; if not, "none" is sent with that probability, else a made-up
value that is treated alike. It claims eps1 + eps2, by composition.

PCKV-UE (Gu, Li, Cheng, Xiong and Cao 2020), padded to one pair: a user's pair (k, v), or for a user without keys the
dummy key d + 1 with a fair sign, is a vector of d + 1 signs. Coordinate k is v with probability a p, -v with a (1 - p),
else 0; every other is +1 or -1 with b/2 each, else 0. It claims max(eps2, eps1 + ln(2 / (1 + e^-eps2))) where
eps1 = ln(a (1 - b) / (b (1 - a))), eps2 = ln(p / (1 - p)), and shows that this is PrivKV's budget as well. Best for
a = 1/2, b = 2 / (e^eps + 3), p = e^eps / (e^eps + 1).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

from shufflecert.protocols.gallery.entry import Claim, Entry, at_odds
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered

PRIV_KV = "Ye, Hu, Meng and Zheng, PrivKV: key-value data collection with local differential privacy, IEEE S&P 2019"
PCKV = (
    "Gu, Li, Cheng, Xiong and Cao, PCKV: locally differentially private correlated key-value data collection with"
    " optimized utility, USENIX Sec. 2020"
)
SIGNS = ("+1", "-1")


def priv_kv(d: int, power_1: Fraction, power_2: Fraction) -> Randomizer:
    """Users with one key of 1..d or none: inputs "j:+1", "j:-1" and "none"; one message "j:+1", "j:-1" or "j:none".

    e^eps1 = `power_1`, e^eps2 = `power_2`.
    """
    pair, sign = at_odds(power_1), at_odds(power_2)
    sent = {v: {w: pair * (sign if v == w else 1 - sign) for w in SIGNS} | {"none": 1 - pair} for v in SIGNS}
    sent["none"] = {w: (1 - pair) / 2 for w in SIGNS} | {"none": pair}
    inputs = [(k, v) for k in range(1, d + 1) for v in SIGNS] + [(0, "none")]
    return Randomizer.of(
        {
            f"{k}:{v}" if k else v: {
                f"{j}:{w}": p / d for j in range(1, d + 1) for w, p in sent[v if j == k else "none"].items()
            }
            for k, v in inputs
        }
    )


def pckv_ue(d: int, power: Fraction) -> Randomizer:
    """Inputs "k:+1", "k:-1" for k = 1..d and "none"; one message of d + 1 characters of "+-0". e^eps = `power`."""
    rows = {f"{k}:{v}1": gathered(_signs(d + 1, k, v, power)) for k in range(1, d + 1) for v in "+-"}
    dummy = [(y, w / 2) for v in "+-" for y, w in _signs(d + 1, d + 1, v, power)]
    return Randomizer.of(rows | {"none": gathered(dummy)})


def _signs(length: int, k: int, v: str, power: Fraction) -> Iterator[tuple[str, Fraction]]:
    a, b, p = Fraction(1, 2), 2 / (power + 3), at_odds(power)
    own = {v: a * p, "-" if v == "+" else "+": a * (1 - p), "0": 1 - a}
    other = {"+": b / 2, "-": b / 2, "0": 1 - b}
    for y in product("+-0", repeat=length):
        yield "".join(y), prod(((own if i == k else other)[c] for i, c in enumerate(y, 1)), start=Fraction(1))


def correlated(power_1: Fraction, power_2: Fraction) -> Eps:
    """PCKV's budget: max(eps2, eps1 + ln(2 / (1 + e^-eps2)))."""
    return Eps.log(max(power_2, power_1 * 2 / (1 + 1 / power_2)))


THREE = Fraction(3)
CORRELATED = "max(eps2, eps1 + ln(2 / (1 + e^-eps2)))"

ENTRIES = (
    Entry(
        "priv_kv",
        "PrivKV's local perturbation protocol",
        f"{PRIV_KV}, Algorithm 3",
        {"keys": "2", "values": "-1, +1", "e^eps1": "3", "e^eps2": "3"},
        Eps.log(THREE * THREE),
        "eps1 + eps2",
        partial(priv_kv, 2, THREE, THREE),
        "users hold one pair or none; e^eps1 and e^eps2 are taken as 3; values between -1 and +1 have mixtures of their"
        " laws",
        (Claim(correlated(THREE, THREE), CORRELATED, PCKV),),
    ),
    Entry(
        "pckv_ue",
        "PCKV-UE",
        f"{PCKV}, Algorithm 2",
        {"keys": "1", "l": "1", "a": "1/2", "b": "1/3", "p": "3/4", "e^eps1": "2", "e^eps2": "3"},
        correlated(Fraction(2), THREE),
        CORRELATED,
        partial(pckv_ue, 1, THREE),
        "one key, which a user has or not; e^eps is taken as 3",
    ),
)
