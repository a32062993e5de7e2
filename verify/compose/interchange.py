"""Exchange with other libraries (dp-accounting, OpenDP): what is a bound on one side is a bound on the other.

A file for dp-accounting holds under "pld" the arguments of its constructor, masses as lists of [index, mass]:

    import json
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    given = json.load(open("FILE"))["pld"]
    given = {name: dict(value) if isinstance(value, list) else value for name, value in given.items()}
    pld = PrivacyLossDistribution.create_from_rounded_probability(**given)

and one for OpenDP a table of doubles, delta[i] for every epsilon from epsilon[i] to epsilon[i + 1]:

    import bisect, json, opendp.prelude as dp
    dp.enable_features("contrib", "honest-but-curious")
    table = json.load(open("FILE"))["profile"]
    index = lambda epsilon: bisect.bisect_right(table["epsilon"], epsilon) - 1
    profile = dp.new_privacy_profile(lambda epsilon: table["delta"][index(epsilon)])

Their arithmetic is in doubles. dp-accounting's delta for one epsilon is a bound as computed, for a law that was not
composed by FFT: that is off by up to 10^-16 for each of the composed (as we measured for 10 to 1000), up or down, which
a `spare` mass of 10^-15 at infinity covers ten times, but no proof of ours does. Lists of epsilons likewise.
Nothing covers an optimistic law: and its `self_compose` adds `tail_mass_truncation` to the mass at infinity: give it 0.

What is imported becomes a randomizer with the inputs P and Q. Lemma. If P lacks the mass a, and Q the mass b, let P'
have a on an outcome of its own and Q' have b on another. Whatever the missing mass was, laws m/a and m'/b, a map that
leaves the other outcomes alone and sends these two to draws from m/a and m'/b takes (P', Q') to the true (P, Q): a
post-processing of every message, so no delta of the true randomizer, for any number of users, is larger.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from math import isfinite
from typing import Any

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.compose.privacy_loss_distribution import (
    DOTS,
    INTERVAL,
    SPARE,
    Grid,
    Losses,
    WorstCurve,
    attained_losses,
    profile_table,
    worst_losses,
)
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer, check_total, label
from shufflecert.verify.exact.rational import probability, rational
from shufflecert.verify.pairs.connect_the_dots import dominating, mirrored
from shufflecert.verify.progress import Progress

ONLY_P, ONLY_Q = "only P", "only Q"  # outcomes of one law
BITS = 64  # of a power of e that is enclosed


def to_dp_accounting(
    bound: Bound,
    interval: object = INTERVAL,
    *,
    pessimistic: bool = True,
    eps_max: object = None,
    dots: object = DOTS,
    spare: object = SPARE,
) -> Any:
    """A dp_accounting PrivacyLossDistribution whose deltas, composed as well, are upper bounds; or lower ones.

    Pessimistic: over all neighbouring datasets of n users and both directions, so that its two laws are one. Optimistic
    (`pessimistic=False`): of one pair of neighbouring datasets and of its reverse. In which arithmetic: see the
    module's docstring. Arguments: `verify.compose.privacy_loss_distribution`. Raises BadInput where dp-accounting is
    missing, and as verify.decide.worst_case.delta and `Grid.of` do.
    """
    library = _library("dp_accounting.pld.privacy_loss_distribution", "dp-accounting")
    curve = WorstCurve.of(bound)
    given = arguments(curve, Grid.of(curve, interval, eps_max), pessimistic, dots, bound.effort.progress, spare)
    given = {name: dict(value) if isinstance(value, list) else value for name, value in given.items()}
    return library.PrivacyLossDistribution.create_from_rounded_probability(**given)


def arguments(
    curve: WorstCurve,
    grid: Grid,
    pessimistic: bool = True,
    dots: object = DOTS,
    progress: Progress | None = None,
    spare: object = SPARE,
) -> dict[str, Any]:
    """The arguments for dp-accounting's create_from_rounded_probability, masses as lists of (index, mass)."""
    add: Losses | None = None
    if pessimistic:
        remove = worst_losses(curve, grid, dots, progress, spare)
    else:
        remove, add = attained_losses(curve, grid, dots, progress)
    tree = {
        "rounded_probability_mass_function": list(remove.masses.items()),
        "infinity_mass": remove.infinite,
        "value_discretization_interval": remove.interval,
        "pessimistic_estimate": pessimistic,
        "symmetric": add is None,
    }
    if add is None:
        return tree
    masses = list(add.masses.items())
    return {**tree, "rounded_probability_mass_function_add": masses, "infinity_mass_add": add.infinite}


def to_opendp(
    bound: Bound,
    interval: object = INTERVAL,
    *,
    eps_max: object = None,
    dots: object = DOTS,
) -> Any:
    """An OpenDP PrivacyProfile: delta(epsilon) is `profile_table`'s bound at the last grid point up to epsilon.

    Over all neighbouring datasets of n users, both directions. OpenDP wants its features "contrib" and
    "honest-but-curious" enabled for a profile that it did not make. Raises BadInput where it is missing or they are not
    enabled, and as `to_dp_accounting` does.
    """
    library = _library("opendp.prelude", "opendp")
    curve = WorstCurve.of(bound)
    points, deltas = profile_table(curve, Grid.of(curve, interval, eps_max), dots, bound.effort.progress)

    def delta(epsilon: float) -> float:
        if not epsilon >= 0:
            raise ValueError(f"epsilon: {epsilon}: expected a number of at least 0")
        return deltas[bisect_right(points, epsilon) - 1]

    try:
        return library.new_privacy_profile(delta)
    except library.OpenDPException as error:
        raise BadInput(f"opendp: {str(error).strip()}") from None


def from_pmfs(
    p: Mapping[Any, object] | Sequence[object],
    q: Mapping[Any, object] | Sequence[object],
    missing: str = "refuse",
    binary: bool = False,
) -> Randomizer:
    """A randomizer with the inputs P and Q, which sends one message, the outcome, by these probabilities.

    {outcome: probability}, or a sequence for the outcomes 0, 1, ...; exact text, integers and Fractions, with `binary`
    floats as well: the binary fractions that they are. What is missing from a sum of 1 is refused, or with
    missing="pessimistic" put where it tells most (the lemma of the module's docstring): the randomizer is exact where
    nothing is missing, and bounds every completion from above where something is. Raises BadInput for other numbers,
    sums above 1, and as Randomizer.build does.
    """
    if missing not in ("refuse", "pessimistic"):
        raise BadInput(f"missing: {missing!r}: expected refuse or pessimistic")
    rows = []
    for name, given, own in (("P", p, ONLY_P), ("Q", q, ONLY_Q)):
        listed = given.items() if isinstance(given, Mapping) else enumerate(given)
        law = [(label(o, name), probability(_exact(w, f"{name}: {o!r}", binary), f"{name}: {o!r}")) for o, w in listed]
        lacking = 1 - sum((w for _, w in law), Fraction(0))
        if missing == "refuse" and lacking > 0:
            try:
                check_total([1 - lacking], name)
            except BadInput as error:
                raise BadInput(f"{error}, or missing = pessimistic") from None
        if lacking > 0:
            if any(o in (ONLY_P, ONLY_Q) for o, _ in law):
                raise BadInput(f"{name}: {ONLY_P!r}, {ONLY_Q!r}: expected other names of outcomes")
            law.append((own, lacking))
        check_total((w for _, w in law), name)
        rows.append((name, [((o,), w) for o, w in law]))
    return Randomizer.build(rows)


def from_profile(points: Iterable[tuple[object, object]], binary: bool = False) -> Randomizer:
    """A randomizer with the inputs P and Q whose privacy profile bounds that of a mechanism known at some points.

    `points` are (eps in nats, an upper bound on its delta(eps)), over all neighbours and both directions. They are
    connected (verify.pairs.connect_the_dots), so that it is an upper bound between them and composed as well. Numbers
    as for `from_pmfs`. Raises BadInput for other numbers, and for points that are no bound.
    """
    known = []
    for i, (eps, delta) in enumerate(points):
        x = Eps.of(_exact(eps, f"points[{i}]: eps", binary), f"points[{i}]: eps").bounds(BITS)[1]
        known.append((x, probability(_exact(delta, f"points[{i}]: delta", binary), f"points[{i}]: delta")))
    return _randomizer(dominating(mirrored(known)))


def from_opendp(profile: Any, eps: Iterable[object]) -> Randomizer:
    """A randomizer that bounds an OpenDP PrivacyProfile at these eps, by `from_profile`.

    The profile's delta there is taken as it is, bit by bit.
    """
    at = [rational(e, "eps") for e in eps]
    nearest = [e.numerator / e.denominator for e in at]
    return from_profile([(e, profile.delta(e)) for e in nearest], binary=True)


def from_dp_accounting(pld: Any) -> tuple[Randomizer, Randomizer]:
    """Two randomizers (remove, add), with inputs P and Q, from a pessimistic dp_accounting PrivacyLossDistribution.

    The pair (P, Q) dominates every pair whose delta(eps) is, for all eps, at most what the law of losses states (or at
    most 1 - e^eps, below which there is no delta). P has the law's masses, as the binary fractions that they are, and Q
    the mass e^-loss P, rounded down. Where P's masses do not sum to 1, or Q's to more, the least losses give way, one
    outcome has what is left of P, and Q's is cut: a true curve is convex in e^eps and 1 at e^eps = 0, so it lies below
    the chord from there to the next loss that is kept. Raises BadInput for a law that is optimistic or has masses that
    are negative or no numbers.
    """
    return _stated(pld, "remove"), _stated(pld, "add")


def _stated(pld: Any, way: str) -> Randomizer:
    try:
        law = getattr(pld, f"_pmf_{way}")
        dense = hasattr(law, "_probs")
        listed = enumerate(law._probs, law._lower_loss) if dense else law._loss_probs.items()
        step, infinite, upper = law._discretization, law._infinity_mass, law._pessimistic_estimate
    except AttributeError:
        raise BadInput(f"{way}: expected a PrivacyLossDistribution of dp-accounting") from None
    if not upper:
        raise BadInput(f"{way}: an optimistic estimate: expected a pessimistic one, whose delta is an upper bound")
    masses = {int(i): probability(_exact(w, f"{way}[{i}]", True), f"{way}[{i}]") for i, w in listed if w}
    left = 1 - probability(_exact(infinite, f"{way}: infinity_mass", True), f"{way}: infinity_mass")
    width = rational(_exact(step, f"{way}: interval", True))
    p, q, rest = {ONLY_P: 1 - left}, {}, Fraction(1)
    for i in sorted(masses, reverse=True):
        mass = left if i == min(masses) else min(masses[i], left)
        share = mass * _power_below(-i * width)
        if share > rest:
            mass, share = left, rest
        p[f"loss {i}"], q[f"loss {i}"], left, rest = mass, share, left - mass, rest - share
        if not left:
            break
    return from_pmfs(p, {**q, ONLY_Q: rest})


def _power_below(exponent: Fraction) -> Fraction:
    """A multiple of a power of two at most e^exponent, closer than a part in 2^(BITS - 1)."""
    low, high = Eps.of(abs(exponent)).bounds(BITS)
    if exponent >= 0:
        return low
    scale = 1 << BITS + high.numerator.bit_length() - high.denominator.bit_length()
    return Fraction(scale * high.denominator // high.numerator, scale)


def _randomizer(pair: Pair) -> Randomizer:
    p, q = ([Fraction(int(w), int(pair.denominator)) for w in law] for law in (pair.p, pair.q))
    return from_pmfs(p, q)


def _exact(number: object, where: str, binary: bool) -> object:
    if not (binary and isinstance(number, float)):
        return number
    if not isfinite(number):
        raise BadInput(f"{where}: {number}: expected a finite number")
    return Fraction(number)


def _library(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"{package}: not installed: expected `pip install 'shufflecert[exchange]'`") from None
