"""The algorithms of the gallery as their papers print them, run under every outcome of their coins."""

from fractions import Fraction
from itertools import combinations, product

from shufflecert.protocols.gallery import GALLERY

F = Fraction
ENTRIES = {entry.name: entry for entry in GALLERY}


class Coins:
    """Random choices that follow a path and note which others there are; `chance` is the probability of the path."""

    def __init__(self, path):
        self.path, self.taken, self.untried, self.chance = path, [], [], F(1)

    def draw(self, choices):
        """One of [(value, probability), ...]."""
        choices = [(value, F(p)) for value, p in choices if p]
        assert sum(p for _, p in choices) == 1
        at = len(self.taken)
        if at == len(self.path):
            self.untried += [(*self.taken, i) for i in range(1, len(choices))]
        value, p = choices[self.path[at] if at < len(self.path) else 0]
        self.taken.append(self.path[at] if at < len(self.path) else 0)
        if at == len(self.path):
            self.path = (*self.path, 0)
        self.chance *= p
        return value

    def flip(self, p):
        """True with probability p."""
        return self.draw([(True, F(p)), (False, 1 - F(p))])

    def uniform(self, values):
        values = list(values)
        return self.draw([(value, F(1, len(values))) for value in values])


def law(algorithm, x):
    """{messages: probability} of algorithm(coins, x), over all paths."""
    row, todo = {}, [()]
    while todo:
        coins = Coins(todo.pop())
        sent = algorithm(coins, x)
        sent = tuple(map(str, sent)) if isinstance(sent, list) else (str(sent),)
        row[sent] = row.get(sent, F(0)) + coins.chance
        todo += coins.untried
    return row


def permanent(coins, bits, f):
    """Erlingsson et al., Sec. 2, step 2: every bit 1, 0 or as it is."""
    drawn = [coins.draw([(1, f / 2), (0, f / 2), ("as it is", 1 - f)]) for _ in bits]
    return [b if d == "as it is" else d for d, b in zip(drawn, bits, strict=True)]


def instantaneous(coins, memoized, p, q):
    """Step 3."""
    return "".join(str(int(coins.flip(q if b else p))) for b in memoized)


def basic(x, bits=3):
    return [int(j == int(x) - 1) for j in range(bits)]


BLOOM = {"a": {0, 1}, "b": {2, 3}}


def rappor_one_time(coins, x):
    return "".join(map(str, permanent(coins, basic(x), F(1, 2))))


def rappor_report(coins, x):
    return instantaneous(coins, permanent(coins, basic(x), F(1, 2)), F(1, 2), F(3, 4))


def rappor_chrome(coins, x):
    bits = [int(i in BLOOM[x]) for i in range(4)]
    return instantaneous(coins, permanent(coins, bits, F(3, 4)), F(1, 2), F(3, 4))


def rappor_two_reports(coins, x):
    memoized = permanent(coins, basic(x, 2), F(1, 2))
    return [instantaneous(coins, memoized, F(1, 2), F(3, 4)) for _ in range(2)]


def unary(p, q):
    def encode(coins, x):
        return "".join(str(int(coins.flip(p if b else q))) for b in basic(x))

    return encode


def count_mean_sketch(coins, x):
    j = coins.uniform(range(2))
    v = [-1, -1, -1]
    v[((0, 1), (2, 2))[j][int(x)]] = 1
    odds = F("7.389")
    signs = [s if coins.flip(odds / (odds + 1)) else -s for s in v]
    return f"{j}:" + "".join("+" if s > 0 else "-" for s in signs)


HADAMARD = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))


def hadamard_count_mean_sketch(coins, x):
    j = coins.uniform(range(2))
    v = [0, 0, 0, 0]
    v[((0, 1), (3, 3))[j][int(x)]] = 1
    w = [sum(h * c for h, c in zip(row, v, strict=True)) for row in HADAMARD]
    index = coins.uniform(range(4))
    sign = 1 if coins.flip(F("54.598") / F("55.598")) else -1
    return f"{j},{index}:{sign * w[index]:+d}"


def bit_flip(d):
    def flip(coins, x):
        drawn = coins.uniform(combinations((1, 2, 3), d))
        return " ".join(f"{j}:{int(coins.flip(F(2, 3) if j == int(x) else F(1, 3)))}" for j in drawn)

    return flip


def one_bit_mean(coins, x):
    e = F(3)
    return int(coins.flip(1 / (e + 1) + F(int(x), 4) * (e - 1) / (e + 1)))


def randomized_response(coins, x):
    # Warner's way: the truth with probability (e^eps - 1) / (e^eps + k - 1), else any of the k
    return x if coins.flip(F(3 - 1, 3 + 4 - 1)) else coins.uniform("0123")


def subset_selection(coins, x):
    # Wang et al. 2016: x is in the subset with probability w e^eps / (w e^eps + k - w); the rest is uniform
    others = [y for y in range(1, 6) if y != int(x)]
    if coins.flip(2 * F(3, 2) / (2 * F(3, 2) + 5 - 2)):
        chosen = {int(x), coins.uniform(others)}
    else:
        chosen = set(coins.uniform(combinations(others, 2)))
    return " ".join(map(str, sorted(chosen)))


def hadamard_response(coins, x):
    # a column where row x of the matrix of order 8 is +1 with probability e^eps / (e^eps + 1), else one where it is -1
    row = [sum(a * b for a, b in zip(bits(int(x)), bits(y), strict=True)) % 2 for y in range(8)]
    wanted = 0 if coins.flip(F(3, 4)) else 1
    return coins.uniform([y for y in range(8) if row[y] == wanted])


def bits(number):
    return number & 1, number >> 1 & 1, number >> 2 & 1


POINTS = [v for v in product(range(3), repeat=3) if any(v) and next(c for c in v if c) == 1]


def projective_geometry_response(coins, x):
    own = tuple(map(int, x))
    orthogonal = [v for v in POINTS if sum(a * b for a, b in zip(own, v, strict=True)) % 3 == 0]
    rest = [v for v in POINTS if v not in orthogonal]
    assert (len(POINTS), len(orthogonal)) == (13, 4)  # (q^t - 1) / (q - 1) and (q^(t-1) - 1) / (q - 1)
    good = coins.flip(F(2 * 4, 2 * 4 + 9))
    return "".join(map(str, coins.uniform(orthogonal if good else rest)))


def optimal_local_hashing(coins, x):
    table = [coins.uniform(range(3)) for _ in range(2)]
    own = table[int(x) - 1]
    y = own if coins.flip(F(1, 2)) else coins.uniform([z for z in range(3) if z != own])  # p = e^eps / (e^eps + 2)
    return ",".join(map(str, table)) + f":{y}"


def binary_local_hashing(coins, x):
    table = [coins.uniform((0, 1)) for _ in range(3)]
    own = table[int(x) - 1]
    return ",".join(map(str, table)) + f":{own if coins.flip(F(3, 4)) else 1 - own}"


def priv_kv(coins, x):
    """Ye et al., Algorithms 2 and 3. A value m uniform in [-1, 1] is rounded to a fair sign."""
    key, value = x.split(":") if x != "none" else (None, None)
    j = coins.uniform("12")
    rounded = 1 if coins.flip(F(1 + int(value), 2) if j == key else F(1, 2)) else -1
    star = rounded if coins.flip(F(3, 4)) else -rounded
    truth = coins.flip(F(3, 4))
    return f"{j}:{star:+d}" if truth == (j == key) else f"{j}:none"


def pckv_ue(coins, x):
    """Gu et al., Algorithm 2, d = 1 key and a dummy key, 2; a = 1/2, b = 1/3, p = 3/4."""
    k, v = (2, coins.uniform((1, -1))) if x == "none" else (int(x.split(":")[0]), int(x.split(":")[1]))
    y = [coins.draw([(1, F(1, 6)), (-1, F(1, 6)), (0, F(2, 3))]) for _ in range(2)]
    y[k - 1] = coins.draw([(v, F(3, 8)), (-v, F(1, 8)), (0, F(1, 2))])
    return "".join({1: "+", -1: "-", 0: "0"}[c] for c in y)


def truncated_geometric(coins, x):
    # x plus two-sided geometric noise, clamped: the two tails beyond 0 and 4 are geometric series
    a, x = F(1, 2), int(x)
    weight = (1 - a) / (1 + a)
    noise = [(z, weight * a ** abs(z)) for z in range(-x + 1, 4 - x)]
    below, above = weight * a**x / (1 - a), weight * a ** (4 - x) / (1 - a)
    return coins.draw([(0, below), *((x + z, p) for z, p in noise), (4, above)])


def square_wave(coins, x):
    near = [int(x) - 1, int(x), int(x) + 1]
    far = [y for y in range(0, 7) if y not in near]
    return coins.uniform(near if coins.flip(F(3 * 3, 3 * 3 + 4)) else far)


def harmony(coins, x):
    vector, e = [int(s) for s in x.split()], F(3)
    j = coins.uniform((0, 1))
    return f"{j + 1}:{'+1' if coins.flip((vector[j] * (e - 1) + e + 1) / (2 * e + 2)) else '-1'}"


def blanket_bit(coins, b):
    """Cheu et al.'s R^0/1 with lam/n = 1/4."""
    return coins.uniform((0, 1)) if coins.flip(F(1, 4)) else b


def cheu_bit(coins, x):
    return blanket_bit(coins, int(x))


def cheu_vector(coins, x):
    return [f"{j}:{blanket_bit(coins, int(b))}" for j, b in enumerate(x, 1)]


def cheu_real(coins, x):
    value, r = F(x), 3
    mu = -(-value * r // 1)  # the ceiling
    p = value * r - mu + 1
    return [blanket_bit(coins, 1 if i < mu else int(coins.flip(p)) if i == mu else 0) for i in range(1, r + 1)]


def three_digit_sum(coins, x):
    own = [0, 0, 0]
    left = F(x)
    for i in range(3):  # greedily, every digit as large as it may be
        largest = 2 if i == 2 else 1
        own[i] = min(largest, left * 2 ** (i + 1) // 1)
        left -= F(own[i], 2 ** (i + 1))
    assert left == 0
    return [
        f"{i + 1}:{d if coins.flip(F(1, 2)) else coins.uniform(range(3 if i == 2 else 2))}" for i, d in enumerate(own)
    ]


def split_and_mix(coins, x):
    total = int(F(x) * 2)
    shares = [coins.uniform(range(5)), coins.uniform(range(5))]
    return [*shares, (total - sum(shares)) % 5]


def on_a_grid(other):
    def rounded(coins, x):
        return x if coins.flip(F(2, 5)) else other(coins)

    return rounded


def rounded_uniform(coins):
    """round(2 u), u uniform on [0, 1]: 0 below 1/4, 2 above 3/4."""
    return ("0", "1", "1", "2")[coins.uniform(range(4))]


def rappor_google_client(coins, x):
    """A bit of the memoized response is noise where 7 bits of the HMAC are below 128 f, and then its eighth bit."""
    memoized = []
    for i in range(4):
        noise = coins.flip(F(sum(bits < F(3, 10) * 128 for bits in range(128)), 128))
        memoized.append(coins.uniform((0, 1)) if noise else int(i in BLOOM[x]))
        memoized[i] = int(coins.flip(F(3, 4) if memoized[i] else F(1, 2)))
    return "".join(map(str, memoized))


def one_of_several_outputs(coins, x):
    flip = 3 / (3 + F("1202604.284") - 1)
    return coins.uniform(("none", "0", "1")) if coins.flip(flip) else x


def padded(r, n):
    """Two-sided geometric noise around n, drawn again until it is in 0..2n: proportional to r^|z - n| there."""

    def add(coins, x):
        total = sum(r ** abs(z - n) for z in range(2 * n + 1))
        return int(x) + coins.draw([(z, r ** abs(z - n) / total) for z in range(2 * n + 1)])

    return add


R_5 = F("0.006737947")

ALGORITHMS = {
    "nprr": on_a_grid(lambda coins: coins.uniform("012")),
    "nprr_package": on_a_grid(rounded_uniform),
    "attribution_reporting_event": one_of_several_outputs,
    "ipa_padding": padded(F(1, 2), 6),
    "ipa_padding_of_ten": padded(R_5, 12),
    "symmetric_unary_encoding": unary(F(2, 3), F(1, 3)),
    "optimal_unary_encoding": unary(F(1, 2), F(1, 4)),
    "d_bit_flip": bit_flip(2),
    "one_bit_flip": bit_flip(1),
} | {name: globals()[name] for name in ENTRIES if name in globals()}
