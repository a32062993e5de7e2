"""docs/reference/mechanisms.md: mechanisms that people deploy, what is true of them, and what bounds of others say.

`python -m proofs.mechanisms` writes the page, and `python -m proofs.mechanisms FOLDER` the certificates of what is
false in the table of others. Bounds of others are computed by their papers' formulas: the divergence
of the pair of two counts (proofs/conjectures/amplification.py), which for any n is a multinomial form (`counts`).
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, prod
from pathlib import Path
from textwrap import fill

from proofs.conjectures.amplification import delta_of
from proofs.conjectures.amplification import variation_ratio as variation_pair
from proofs.literature import broken, collision, table_rows
from proofs.small import exact_delta
from proofs.statement import step
from verify.decide.certify import Certified, certify
from verify.decide.worst_case import epsilon
from verify.enclose.smallest_epsilon import smallest_eps
from verify.exact.epsilon import Eps
from verify.exact.law import gathered
from verify.exact.randomizer import Randomizer
from verify.reduce.multinomial_form import Category, Form
from verify.reduce.privacy_blanket import Bound
from verify.runs.atomic_files import write_whole
from verify.systems import catalogue
from verify.systems.declare import System

FILE = Path(__file__).parent.parent / "docs" / "reference" / "mechanisms.md"
DELTA = Fraction(1, 10**6)
DIGITS = 6  # that are shown, rounded outwards
WIDE = 120  # characters of a line of the page
SIZES, LOCAL = (10**4, 10**6), ("1", "2", "4")
BELOW, VALID, WITHIN, NONE = "**below the truth**", "valid here", "within our interval", "-"


@dataclass(frozen=True)
class Mechanism:
    """A row of the page: a system at the size at which it is deployed, and its beta in the variation-ratio table.

    `beta` is of E = e^eps0 and the system; None where the table has no row for it.
    """

    title: str
    system: str
    given: str = ""
    beta: Callable[[Fraction, System], Fraction] | None = None

    def parameters(self, eps0: str) -> dict[str, str]:
        """The parameters of the system, with a local eps."""
        return {"eps0": eps0, **dict(part.split("=") for part in self.given.split())}

    def command(self, eps0: str) -> str:
        """The system and its parameters as on the command line."""
        return " ".join([self.system, *(f"-p {name}={value}" for name, value in self.parameters(eps0).items())])


def _subset(power: Fraction, system: System) -> Fraction:
    d, k = system.d, system.size  # type: ignore[attr-defined]
    both = comb(d - 2, k - 2) if k > 1 else 0
    return (power - 1) * (comb(d - 1, k - 1) - both) / (power * comb(d - 1, k - 1) + comb(d - 1, k))


def _one_minus_root(power: Fraction, system: System) -> Fraction:
    return 1 - 1 / Fraction(system.root)  # type: ignore[attr-defined]


def _rappor(power: Fraction, system: System) -> Fraction:
    a, b = system.chances  # type: ignore[attr-defined]
    return Fraction((a - b) / (a + b))


def _half(power: Fraction, system: System) -> Fraction:
    return (power - 1) / (2 * power + 2)


def _general(power: Fraction, system: System) -> Fraction:
    return (power - 1) / (power + 1)


def _hashed(power: Fraction, system: System) -> Fraction:
    size: int = system.size  # type: ignore[attr-defined]
    return (power - 1) / (power + size - 1)


def _padded(power: Fraction, system: System) -> Fraction:
    """Their d counts the dummy keys."""
    length, keys = system.l, system.d + system.l  # type: ignore[attr-defined]
    return Fraction(length * (power - 1) / (length * (power - 1) + 2 * keys))


def _half_the_keys(power: Fraction, system: System) -> Fraction:
    """For users with half of the keys: two of them may have none in common. eps1 = eps2; of two the larger."""
    root = 1 / Fraction(system.flip) - 1  # type: ignore[attr-defined]
    return (root - 1) * (2 * root + 3) / (2 * (root + 1) ** 2)


MECHANISMS = (
    Mechanism("GRR, 100 values", "krr", "k=100", lambda power, _: (power - 1) / (power + 99)),
    Mechanism("Hadamard response, K = 1024", "hadamard_response", "K=1024", _half),
    Mechanism("OLH, 1024 values", "olh", "d=1024", _hashed),
    Mechanism("BLH, 1024 values", "BLH", "d=1024", _hashed),
    Mechanism("subset selection, 1024 values", "subset_selection", "d=1024", _subset),
    Mechanism("OUE, 1024 bits", "OUE", "d=1024"),
    Mechanism("SUE (RAPPOR), 1024 bits", "SUE", "d=1024", _rappor),
    Mechanism("count mean sketch, m = 1024, k = 65536", "count_mean_sketch", "m=1024 k=65536"),
    Mechanism("piecewise", "piecewise", "", _one_minus_root),
    Mechanism("square wave", "square_wave"),
    Mechanism("Duchi et al., one number", "duchi", "", _general),
    Mechanism("PrivUnit, cap 1 / (e^eps0 + 1)", "priv_unit", "dim=1024"),
    Mechanism("Laplace on [0, 1]", "laplace", "", _one_minus_root),
    Mechanism("RAPPOR's Bloom filter, 128 bits, 2 hashes", "bloom_rappor", "bits=128 hashes=2"),
    Mechanism("dBitFlip, 32 buckets, 16 bits", "dbitflip", "k=32 d=16"),
    Mechanism("PrivKV, 100 keys", "priv_kv", "d=100", _half_the_keys),
    Mechanism("PCKV-GRR, 100 keys, padded to 5", "pckv_grr", "d=100 l=5", _padded),
)
SIGMAS = ("1", "2")  # of normal noise: it has no local eps, and so no line among those


def counts(n: int, x: Fraction, y: Fraction, r: Fraction) -> Form:
    """The pair of two counts as a form: others fall left or right with probability r each, the user with x and y.

    P - t Q is the mean of l(Y_i) over n draws from (r, r, 1 - 2r), l the user's ratio to that in each place.
    """
    rest, same = 1 - 2 * r, (1 - x - y)
    places = [Category(x / r, y / r, r), Category(y / r, x / r, r)]
    return Form.of([*places, *([Category(same / rest, same / rest, rest)] if rest else [])], n)


def eps_of(form: Form) -> tuple[Fraction, Fraction]:
    """The smallest eps of a form at DELTA, enclosed."""
    bound = Bound(form)
    low, high = smallest_eps(lambda eps: bound.enclosure(eps, 7, DELTA / 2**64), DELTA, 6)
    assert high is not None
    return low, high


def power_of(system: System, eps0: str) -> Fraction:
    """E = e^eps0 as the system rounds it."""
    return Fraction(getattr(system, "ratio", 0)) or Eps.of(eps0).bounds(128)[0]


def variation_ratio(mechanism: Mechanism, system: System, eps0: str, n: int) -> tuple[Fraction, Fraction] | None:
    """What the variation-ratio bound says, with the table's beta and p = q = E; None where it has no row."""
    if mechanism.beta is None:
        return None
    power = power_of(system, eps0)
    alpha = mechanism.beta(power, system) / (power - 1)
    return eps_of(counts(n, power * alpha, alpha, alpha))


def clones(eps0: str, n: int) -> tuple[Fraction, Fraction]:
    """What stronger clones say, with p = 1 / (E + 1): the bound of `any_ldp`."""
    power = Eps.of(eps0).bounds(128)[1]
    share = 1 / (power + 1)
    return eps_of(counts(n, power * share, share, share))


def verdict(bound: tuple[Fraction, Fraction], ours: tuple[Fraction, Fraction]) -> str:
    """Whether a bound is one, by what is known of the truth."""
    return BELOW if bound[1] < ours[0] else VALID if bound[0] >= ours[1] else WITHIN


@dataclass(frozen=True)
class Line:
    """A line of the page: eps at delta = 10^-6, ours between ends, others' with their verdicts."""

    mechanism: Mechanism
    eps0: str
    n: int
    ours: tuple[Fraction, Fraction]
    variation: tuple[Fraction, Fraction] | None
    clones: tuple[Fraction, Fraction]

    def cells(self) -> list[str]:
        """The cells of the table."""
        found = [self.mechanism.title, self.eps0, f"10^{len(str(self.n)) - 1}"]
        found += [decimal(self.ours[0], up=False), decimal(self.ours[1], up=True)]
        for bound in (self.variation, self.clones):
            shown = NONE if bound is None else f"{decimal(bound[1], up=True)}: {verdict(bound, self.ours)}"
            found.append(shown)
        return found

    def refutation(self) -> str | None:
        """The command that refutes the variation-ratio bound where it is below the truth."""
        if self.variation is None or verdict(self.variation, self.ours) != BELOW:
            return None
        asked = f"--n {self.n} --eps {decimal(self.variation[1], up=True)} --delta 1e-6"
        return f"shufflecert certify {self.mechanism.command(self.eps0)} {asked} -o refuted.json"


def normal_lines() -> list[str]:
    """The lines of normal noise, computed."""
    found = list[str]()
    for sigma in SIGMAS:
        for n in SIZES:
            low, high = epsilon(catalogue.load("gaussian", {"sigma": sigma}), n, DELTA).interval or (None, None)
            assert low is not None and high is not None
            shown = f"10^{len(str(n)) - 1} | {decimal(low, up=False)} | {decimal(high, up=True)}"
            found.append(f"| Gaussian on [0, 1] | {sigma} | {shown} |")
    return found


def decimal(value: Fraction, up: bool) -> str:
    """A positive number with DIGITS digits, rounded."""
    places = DIGITS
    while value * 10**places < 10 ** (DIGITS - 1):
        places += 1
    scaled = value * 10**places
    return str(Decimal(-((-scaled) // 1) if up else scaled // 1).scaleb(-places))


def lines() -> Iterator[Line]:
    """All lines, computed."""
    general = {(eps0, n): clones(eps0, n) for eps0 in LOCAL for n in SIZES}
    for mechanism in MECHANISMS:
        for eps0 in LOCAL:
            system = catalogue.load(mechanism.system, mechanism.parameters(eps0))
            for n in SIZES:
                low, high = epsilon(system, n, DELTA).interval or (None, None)
                assert low is not None and high is not None
                yield Line(
                    mechanism, eps0, n, (low, high), variation_ratio(mechanism, system, eps0, n), general[eps0, n]
                )


# The table of the variation-ratio paper ------------------------------------------------------------------------------

FALSE, HOLDS, OPEN = "false near eps0 for every n >= 2", "holds", "not decided"
INSTANCE, HERE = "false for an instance", "valid at the sizes above"


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
        """As on the page."""
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
        return [
            ("".join(sent), prod(flip if a != b else 1 - flip for a, b in zip(string, sent, strict=True)))
            for sent in ways
        ]

    return Randomizer.of(
        {
            x: gathered((tuple(sorted((y, z))), w * v) for y, w in law(x) for z, v in law("00")) for x in ("10", "01")
        }
    )


def instances() -> tuple[Instance, ...]:
    """Exact counterexamples for two messages: one for each row that is false."""
    flip = Fraction(1, 3)
    row, p, q = "several messages: Cheu et al., flip f", (1 - flip) ** 2 / flip**2, (1 - flip) / flip
    name = "f = 1/3, d = 2, a user and a blanket's message"
    return (*four(), Instance(row, name, with_blanket(flip), p, 1 - 2 * flip, q, Fraction(41, 20), users=1))


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
    ("metric privacy: general mechanisms", OPEN, "for d01 = dmax it holds (`LIT-general`)"),
    ("metric privacy: Laplace", INSTANCE, "below: for d01 = dmax it is the row on [0, 1]"),
    ("metric privacy: planar Laplace", OPEN, "the ratio e^d01 is that of a null set: the argument below says nothing"),
    ("metric privacy: WitchHat", OPEN, "its density was not looked at"),
    ("several messages: Balcer et al., coin p", HOLDS, "`left_over`"),
    ("several messages: Balcer et al., uniform coin", HOLDS, "`left_over`"),
    ("several messages: Cheu et al., flip f", INSTANCE, "below"),
    ("several messages: balls into bins", HOLDS, "`left_over`, where the special bins of two values are apart"),
    ("several messages: mixDUMP", HOLDS, "`left_over`, with x = 1 - f, y = f/(d-1), r = 1/d"),
)


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
    return " ".join((left_over.__doc__ or "").split("\n\n")[1].split())


# The page ----------------------------------------------------------------------------------------------------------

HEAD = """# Mechanisms that people deploy

The smallest eps at delta = 10^-6 of n users whose messages are shuffled, with what others' bounds say of it. Ours is an
interval: real datasets below, a proof for all datasets above (`shufflecert epsilon SYSTEM ...`). *Variation-ratio*:
Wang et al., VLDB 2024 (arXiv 2304.05007), with the beta of their table. *Stronger clones*: Feldman, McMillan and
Talwar, SODA 2023, with p = 1/(e^eps0 + 1), which is the bound of `any_ldp` for every eps0-private randomizer. Both are
computed by their formulas, to all digits shown, rounded up. The verdict compares them with our interval: a bound
that is {below} does not hold there; one that is "{valid}" is at least our upper bound;
"{within}" is between the bounds. A mechanism without a row in their table has "{none}". The page is made by
`python -m proofs.mechanisms`.

Densities are meant as such: of the floats that are sent in their place see
[what is deployed](../recipes/audit-deployed.md).

| mechanism | eps0 | n | eps at least | eps at most | variation-ratio | stronger clones, `any_ldp` |
|---|---|---|---|---|---|---|
"""
NORMAL_HEAD = """
Normal noise has no finite local eps: neither bound of others says anything.

| mechanism | sigma | n | eps at least | eps at most |
|---|---|---|---|---|
"""
BELOW_HEAD = """
## Bounds that are below the truth

Each command answers REFUTED and writes a certificate that `shufflecert check` accepts (status 1, for refuted). Where
the mechanism has no table, the certificate is about any eps0-private randomizer, and shows this one.

"""
TABLE_HEAD = """
## The rows of the variation-ratio table

What the check of each row found; betas as in the authors' repository (wangsw/PrivacyAmplification, README).
"{false}" says that for e^eps just below e^eps0 the bound is smaller than what n users
on one input attain (`shufflecert claims LIT-table`); at the sizes above it may still hold, and mostly does. It never
comes with a warning of where.

| row | verdict | shown by |
|---|---|---|
"""
INSTANCE_HEAD = """
Every row that is false has an instance of two messages, decided over all datasets: delta is exact, and more than the
bound. `python -m proofs.mechanisms FOLDER` writes their REFUTED certificates, which `shufflecert check` accepts. Most
are two inputs whose likely outputs are apart, both users on one of them, and the event that both messages are likely.

| row | instance | e^eps | delta | the bound |
|---|---|---|---|---|
"""
LEFT_HEAD = """
Of the rows that hold for several messages (`left_over` in `proofs/mechanisms.py`):

"""


def page() -> str:
    """The page, computed."""
    found = list(lines())
    body = "\n".join(f"| {' | '.join(line.cells())} |" for line in found)
    refuted = "\n".join(f"    {command}" for line in found if (command := line.refutation()))
    table = "\n".join(f"| {' | '.join(row)} |" for row in ROWS)
    parts = [
        HEAD.format(below=BELOW, valid=VALID, within=WITHIN, none=NONE),
        body,
        "\n",
        NORMAL_HEAD,
        "\n".join(normal_lines()),
        "\n",
        BELOW_HEAD,
        refuted,
        "\n",
    ]
    below = "\n".join(one.line() for one in instances())
    parts += [TABLE_HEAD.format(false=FALSE), table, "\n", INSTANCE_HEAD, below, "\n"]
    return "".join([*parts, LEFT_HEAD, fill(left_over(), WIDE), "\n"])


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


if __name__ == "__main__":
    if sys.argv[1:]:
        write_refutations(Path(sys.argv[1]))
    else:
        write_whole(FILE, page())
