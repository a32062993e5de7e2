"""The table of the variation-ratio paper (arXiv 2304.05007): a verdict for each row, and instances of what is false.

docs/reference/mechanisms.md shows them (proofs/mechanisms.py). Betas are those of the authors' repository.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

from flint import arb

from shufflecert.proofs.conjectures.amplification import delta_of
from shufflecert.proofs.conjectures.amplification import variation_ratio as variation_pair
from shufflecert.proofs.literature import broken, collision, table_rows
from shufflecert.proofs.small import exact_delta
from shufflecert.proofs.statement import step
from shufflecert.verify.decide.certify import Certified, certify
from shufflecert.verify.exact.randomizer import Randomizer, gathered
from shufflecert.verify.exact.rational import ball, ceiling_of, floor_of, precision
from shufflecert.verify.runs.writing import write_whole

FALSE, HOLDS, LISTED = "false near eps0 for every n >= 2", "holds", "false as listed"
INSTANCE, HERE = "false for an instance", "valid at the sizes above"
STEPS, BITS = 1024, 96  # of an angle from 0 to pi; of balls


@dataclass(frozen=True)
class Instance:
    """A small table of a row, and their parameters of it: p and q are E but where they are given.

    `power` is e^eps; None: where the bound's pair has its two largest ratios, in the middle of them.
    """

    row: str
    name: str
    table: Randomizer
    E: Fraction
    beta: Fraction
    q: Fraction | None = None
    power: Fraction | None = None
    n: int = 2
    users: int = 2  # 1: who sends n messages

    @property
    def at(self) -> Fraction:
        """e^eps."""
        return self.power or broken(self.table, self.E, self.beta, self.n)[0]

    @property
    def bound(self) -> Fraction:
        """Theirs of delta(eps)."""
        return delta_of(variation_pair(self.n, self.E, self.beta, self.q or self.E), self.at)

    def refuted(self) -> Certified:
        """The claim that the table keeps the bound, decided: REFUTED, with a certificate."""
        found = certify(self.table, self.users, f"log({self.at})", self.bound)
        step(found.verdict == "REFUTED", f"{self.name}: above the bound")
        return found

    def line(self) -> str:
        """The page's row: row of the table, randomizer, eps, exact delta, and the bound that it exceeds (a step)."""
        delta = exact_delta(self.table, self.users, self.at)
        step(delta > self.bound, f"{self.name}: above the bound")
        return f"| {self.row} | {self.name} | {self.at} | {delta} | {self.bound} |"


def three_cells(power: Fraction) -> Randomizer:
    """Laplace noise on 0 and 1: what is sent is at most 0, between, or at least 1."""
    near, far = Fraction(1, 2), 1 / (2 * power)
    low = {"at most 0": near, "between": 1 - near - far, "at least 1": far}
    high = {"at most 0": far, "between": 1 - near - far, "at least 1": near}
    return Randomizer.of({"0": low, "1": high})


def drawn_bit(root: Fraction) -> Randomizer:
    """Sampling RAPPOR, s = 1 of d = 2: one bit of the one-hot string, drawn, and flipped with 1 / (root + 1)."""
    flip = 1 / (root + 1)
    rows = {
        str(x): {f"{j}:{bit}": (flip if (x == j) ^ bit else 1 - flip) / 2 for j in (1, 2) for bit in (0, 1)}
        for x in (1, 2)
    }
    return Randomizer.of(rows)


def four() -> Iterator[Instance]:
    """Instances with E = 4."""
    E, root = Fraction(4), Fraction(2)
    listed = {name: (table, beta) for name, table, power, beta in table_rows() if power == E}
    for row, name in (
        ("general RR on d options, d >= 3", "general RR, d = 3"),
        ("binary RR (RAPPOR) on d options", "RAPPOR, d = 2"),
        ("k-subset on d options, d >= 3", "2-subset of 4"),
        ("local hash with length l", "local hash, l = 3, d = 2"),
        ("Hadamard response (K, s)", "Hadamard response, K = 4"),
        ("(d, s)-collision with length l > 2s", "collision, s = 1, l = 3"),
    ):
        yield Instance(row, name, listed[name][0], E, listed[name][1])
    for row, name, cells, size, beta in (
        ("piecewise for [-1, 1]", "s = e^(eps/2) = 2", 3, 1, 1 - 1 / root),
        ("Hadamard response (K, s, B > 1)", "K = 8, s = 2, B = 2", 8, 2, Fraction(2 * 3, 2 * 4 + 6)),
        ("k-subset exponential on s in d options", "s = 2, d = 5, k = 1", 5, 2, Fraction(3 * 2, 4 * 2 + 3)),
        ("wheel on s in d options", "s = 1, p = 1/4", 4, 1, Fraction(3, 4) / (1 + Fraction(3, 4))),
        ("PCKV-GRR on s in d keys", "s = 1, d = 2", 4, 1, Fraction(3, 4 + 3)),
    ):
        yield Instance(row, name, collision(cells, size, E), E, beta)
    for row in ("Laplace for [0, 1]", "metric privacy: Laplace"):
        name = "three cells" + (", d01 = dmax = log(4)" if "metric" in row else "")
        yield Instance(row, name, three_cells(E), E, 1 - 1 / root)
    bit = (root - 1) / (2 * (root + 1))
    yield Instance("sampling RAPPOR on s in d options", "s = 1, d = 2", drawn_bit(root), E, bit, power=Fraction(1))


def with_blanket(flip: Fraction) -> Randomizer:
    """Cheu et al. for d = 2: a one-hot string, and one of zeros for a blanket, with every bit flipped with `flip`."""

    def law(string: str) -> list[tuple[str, Fraction]]:
        ways = product("01", repeat=len(string))
        one = Fraction(1)
        return [
            ("".join(sent), prod((flip if a != b else 1 - flip for a, b in zip(string, sent, strict=True)), start=one))
            for sent in ways
        ]

    return Randomizer.of(
        {x: gathered((tuple(sorted((y, z))), w * v) for y, w in law(x) for z, v in law("00")) for x in ("10", "01")}
    )


def nearer(E: Fraction, cut: Fraction, own: bool, up: bool) -> Fraction:
    """The probability that planar Laplace noise on x (on x' where not `own`) is nearer to x by cut log(E), from above
    or from below; log(E) is the distance of x and x'.

    The noise has density e^-r / (2 pi) at the distance r. With d = log(E), c = cut d, in polar coordinates about x the
    region is r <= (d^2 - c^2) / (2 (c - d cos(phi))), phi from the direction away from x', or everything where d
    cos(phi) >= c; about x' it is r >= (d^2 - c^2) / (2 (d cos(phi) - c)), phi from the direction of x, where d cos(phi)
    > c. Given phi, r > R has probability (1 + R) e^-R: what is integrated falls in phi.
    """
    with precision(BITS):
        d, total = ball(E).log(), arb(0)
        c = ball(cut) * d
        for i in range(STEPS):
            apart = d * (arb.pi() * (i if up else i + 1) / STEPS).cos() - c
            if apart < 0:
                beyond = (d**2 - c**2) / (2 * -apart)
                total += 1 - (1 + beyond) * (-beyond).exp() if own else arb(0)
            elif apart > 0:
                beyond = (d**2 - c**2) / (2 * apart)
                total += arb(1) if own else (1 + beyond) * (-beyond).exp()
            else:
                total += arb(int(own or up))
        ends = total / STEPS
        return ceiling_of(ends) if up else floor_of(ends)


def planar(E: Fraction, cut: Fraction, power: Fraction) -> Instance:
    """Planar Laplace noise on two points at distance log(E): whether it is nearer to x by cut log(E), or not.

    The two probabilities are rounded towards each other, which is a randomized response of that answer: what is seen is
    post-processing of the noise. beta is the total variation, the probability of the half-plane of x less that of the
    other, rounded up.
    """
    first, second = nearer(E, cut, own=True, up=False), nearer(E, cut, own=False, up=True)
    first, second = Fraction(int(first * 1000), 1000), Fraction(int(second * 10000) + 1, 10000)
    beta = Fraction(int((2 * nearer(E, Fraction(0), own=True, up=True) - 1) * 1000) + 1, 1000)
    rows = {"x": {"near": first, "not": 1 - first}, "x'": {"near": second, "not": 1 - second}}
    name = f"d01 = dmax = log({E}), nearer to x by {cut} of that, or not"
    return Instance("metric privacy: planar Laplace", name, Randomizer.of(rows), E, beta, power=power)


def instances() -> tuple[Instance, ...]:
    """Exact counterexamples for two messages: one for each row that is false for some randomizer."""
    flip = Fraction(1, 3)
    row, p, q = "several messages: Cheu et al., flip f", (1 - flip) ** 2 / flip**2, (1 - flip) / flip
    name = "f = 1/3, d = 2, a user and a blanket's message"
    blanket = Instance(row, name, with_blanket(flip), p, 1 - 2 * flip, q, Fraction(41, 20), users=1)
    return (*four(), planar(Fraction(20), Fraction(177, 200), Fraction(81, 5)), blanket)


ROWS = (
    ("general mechanisms", HOLDS, "`LIT-general`"),
    ("Laplace for [0, 1]", FALSE, "`LIT-table`"),
    ("Duchi et al. for [-1, 1]^d", HOLDS, "`LIT-general`"),
    ("Harmony for [-1, 1]^d", HOLDS, "`LIT-general`"),
    ("piecewise for [-1, 1]", INSTANCE, "below"),
    ("randomized response on {0, 1}", HOLDS, "`LIT-general`"),
    ("general RR on d options, d >= 3", FALSE, "`LIT-table`"),
    ("binary RR (RAPPOR) on d options", FALSE, "`LIT-table`"),
    ("k-subset on d options, d >= 3", FALSE, "`LIT-table`"),
    ("local hash with length l", FALSE, "`LIT-table`, for E^(n-1) (1-c)^n > 1, c the chance of a collision"),
    ("Hadamard response (K, s)", FALSE, "`LIT-table`, for K = 2s"),
    ("Hadamard response (K, s, B > 1)", INSTANCE, "below"),
    ("sampling RAPPOR on s in d options", INSTANCE, "below: its beta is less than the total variation of one message"),
    ("k-subset exponential on s in d options", INSTANCE, "below"),
    ("wheel on s in d options", INSTANCE, "below"),
    ("PrivKV on s in d keys", HERE, "the lines above; no counterexample at n <= 3; not proved"),
    ("PCKV-GRR on s in d keys", INSTANCE, "below"),
    ("(d, s)-collision with length l > 2s", FALSE, "`LIT-table`"),
    ("metric privacy: general mechanisms", HOLDS, "`metric`"),
    ("metric privacy: Laplace", INSTANCE, "below: for d01 = dmax it is the row on [0, 1]"),
    ("metric privacy: planar Laplace", INSTANCE, "below: for d01 = dmax, by a region of the plane"),
    ("metric privacy: WitchHat", LISTED, "`hat`: its beta is 0 at d01 = F m, for all B"),
    ("several messages: Balcer et al., coin p", HOLDS, "`left_over`"),
    ("several messages: Balcer et al., uniform coin", HOLDS, "`left_over`"),
    ("several messages: Cheu et al., flip f", INSTANCE, "below"),
    ("several messages: balls into bins", HOLDS, "`left_over`, where the special bins of two values are apart"),
    ("several messages: mixDUMP", HOLDS, "`left_over`, with x = 1 - f, y = f/(d-1), r = 1/d"),
)


def metric() -> str:
    """The row of general mechanisms with metric privacy: p = e^d01, q = e^dmax >= p, beta = (p - 1)/(p + 1).

    Metric privacy, general mechanisms (`metric`): the two laws u, v of the user differ by a ratio of p at most, and
    others' are at least max(u, v)/q. This is the blanket of the proof of any randomizer, which goes through with q in
    the place of its second E: outputs are split into ratios p, 1/p and 1, and the mean of q (1 - t), on mass w/q of the
    blanket, is that of q (1 - t/p) and q (1/p - t), each on mass w p/(q (p + 1)), with less mass at 0. The two values
    enclose q (1 - t) and 0, so the law is larger in convex order: the pair of two counts with x = p/(p + 1), y =
    1/(p + 1), r = p/(q (p + 1)), which is the row. e^d01 stands for the two inputs that are compared, not for all.
    """
    from sympy import Symbol, simplify

    p, q, t, w = (Symbol(name, positive=True) for name in "pqtw")
    mass = w * p / (q * (p + 1))
    step(simplify(mass * (q * (1 - t / p) + q * (1 / p - t)) - w / q * q * (1 - t)) == 0, "the means are equal")
    step(simplify(2 * mass - w / q - w * (p - 1) / (q * (p + 1))) == 0, "2 p/(p + 1) >= 1: mass is taken from 0")
    step(simplify(q * (1 - t) - q * (1 / p - t) - q * (p - 1) / p) == 0, "q (1/p - t) <= q (1 - t), as p >= 1")
    step(simplify(q * (1 - t / p) - q * (p - t) / p) == 0, "q (1 - t/p) >= 0 up to t = p, where delta is 0")
    x, r = p / (p + 1), p / (q * (p + 1))
    step(simplify((x - t * x / p) / r - q * (1 - t / p)) == 0, "L of the pair, to the left")
    step(simplify((x / p - t * x) / r - q * (1 / p - t)) == 0, "L of the pair, to the right")
    return said(metric)


def hat() -> str:
    """The row of WitchHat: beta = 2 (e^m - e^(d/F) + d/F - m) / (F (e^m - 1) + 2 B), d = d01.

    WitchHat (`hat`): the beta that is listed falls as d01 grows, and is 0 at d01 = F m. There the bound says for one
    user that delta is 0 at eps = 0, which is that the two laws are one: but then no two inputs at that distance, where
    the density has fallen to its least, are told apart by it at all. A beta has to be at least the total variation of
    one message, which grows with the distance. What was meant is not known, so there is no instance.
    """
    from sympy import Symbol, diff, exp, simplify

    d, F, m, B = (Symbol(name, positive=True) for name in "dFmB")
    beta = 2 * (exp(m) - exp(d / F) + d / F - m) / (F * (exp(m) - 1) + 2 * B)
    step(simplify(beta.subs(d, F * m)) == 0, "beta = 0 at d = F m")
    slope = -2 * (exp(d / F) - 1) / (F * (F * (exp(m) - 1) + 2 * B))
    step(simplify(diff(beta, d) - slope) == 0, "its slope is negative")
    return said(hat)


def said(function: Callable[..., object]) -> str:
    """The argument in a docstring, after its first paragraph."""
    return " ".join((function.__doc__ or "").split("\n\n")[1].split())


def left_over() -> str:
    """Rows of several messages where the bound's pair determines what is seen.

    What blankets and the user send left and right has the law of the pair of two counts. Who sends neither has one
    law, the same for blankets and the user, so given the counts what is seen is drawn from a law that is the same
    under P and Q: post-processing. Balcer et al.: a coin shows 1 with probability p; with r = min(p, 1-p) right and
    left are r each of 0 and of 1, what is left over is the likelier one, and the user is never left over. Balls into
    bins: left and right are the special bins of x and of x', d/s = 1/r; inside of them all is uniform, and the user
    is never left over. mixDUMP: x and x' themselves; left over are the other d - 2 values, uniform for dummies and
    for the user. What users send besides hides more. Cheu et al. differ: of two bits (0, 0) or (1, 1) is left over,
    which the user sends with equal probability, others not.
    """
    return said(left_over)


def write_refutations(folder: Path) -> list[Path]:
    """The certificates of all instances, as files of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = list[Path]()
    for i, one in enumerate(instances(), 1):
        made = one.refuted()
        assert made.certificate is not None
        found.append(folder / f"instance-{i}.json")
        write_whole(found[-1], json.dumps(made.certificate))
    return found
