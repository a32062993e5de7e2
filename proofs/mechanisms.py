"""docs/reference/mechanisms.md: mechanisms that people deploy, what is true of them, and what bounds of others say.

`python -m shufflecert.proofs.mechanisms` writes the page, and with a FOLDER the certificates of what is false in the
table of others. Bounds of others are computed by their papers' formulas: the divergence of the pair of two counts
(proofs/conjectures/amplification.py), which for any n is a multinomial form (`counts`).
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb
from pathlib import Path
from textwrap import fill

from shufflecert.proofs.variation_table import FALSE, ROWS, hat, instances, left_over, metric, write_refutations
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.enclose.interval import smallest_eps
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.multinomial_form import Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket
from shufflecert.verify.runs.writing import write_whole
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import System

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
    bound = Blanket(form)
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
            low, high = epsilon(catalogue.make("gaussian", {"sigma": sigma}), n, DELTA).interval or (None, None)
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
            system = catalogue.make(mechanism.system, mechanism.parameters(eps0))
            for n in SIZES:
                low, high = epsilon(system, n, DELTA).interval or (None, None)
                assert low is not None and high is not None
                yield Line(
                    mechanism, eps0, n, (low, high), variation_ratio(mechanism, system, eps0, n), general[eps0, n]
                )


# The page ----------------------------------------------------------------------------------------------------------

HEAD = """# Mechanisms that people deploy

The smallest eps at delta = 10^-6 of n users whose messages are shuffled, with what others' bounds say of it. Ours is an
interval: real datasets below, a proof for all datasets above (`shufflecert epsilon SYSTEM ...`). *Variation-ratio*:
Wang et al., VLDB 2024 (arXiv 2304.05007), with the beta of their table. *Stronger clones*: Feldman, McMillan and
Talwar, SODA 2023, with p = 1/(e^eps0 + 1), which is the bound of `any_ldp` for every eps0-private randomizer. Both are
computed by their formulas, to all digits shown, rounded up. The verdict compares them with our interval: a bound
that is {below} does not hold there; one that is "{valid}" is at least our upper bound;
"{within}" is between the bounds. A mechanism without a row in their table has "{none}". The page is made by
`python -m shufflecert.proofs.mechanisms`.

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
Every row that is false, but for WitchHat's, has an instance of two messages, decided over all datasets: delta is exact,
and more than the bound. `python -m shufflecert.proofs.mechanisms FOLDER` writes their REFUTED certificates, which
`shufflecert check` accepts. Most are two inputs whose likely outputs are apart, both users on one of them, and the
event that both messages are likely.

| row | instance | e^eps | delta | the bound |
|---|---|---|---|---|
"""
METRIC_HEAD = """
Of the rows of metric privacy, where e^d01 is the largest ratio of the two inputs that are compared and e^dmax that of
any two:

"""
LEFT_HEAD = """
Of the rows that hold for several messages (`left_over` in `proofs/variation_table.py`):

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
    parts += [METRIC_HEAD, fill(metric(), WIDE), "\n\n", fill(hat(), WIDE), "\n"]
    return "".join([*parts, LEFT_HEAD, fill(left_over(), WIDE), "\n"])


if __name__ == "__main__":
    if sys.argv[1:]:
        write_refutations(Path(sys.argv[1]))
    else:
        write_whole(FILE, page())
