"""Beliefs about which datasets are the worst, and how delta moves with n and with the noise."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from shufflecert.proofs.conjectures.pure import _singles
from shufflecert.proofs.small import exact_delta, value_of
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.bound.enumeration import cases
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import MAX_WORK, Neighbours, neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import text
from shufflecert.verify.search import Compositions, Conjecture, Grid, Hit, Joined, several_messages, single_messages

POWERS = tuple(map(Fraction, ("1", "5/4", "3/2", "2")))  # e^eps
AMOUNTS = "(0, log(5/4), log(3/2), log(2))"
OTHERS_EQUAL = (
    "all(delta(m, e) <= max(d.delta(e) for d in datasets(m) if d.kinds <= 1)"
    f" for m in range(2, n + 1) for e in {AMOUNTS})"
)


def worst_of(
    randomizer: Randomizer, n: int, power: Fraction, among: Callable[[Neighbours], bool]
) -> tuple[Fraction, Fraction, Neighbours | None]:
    """(delta over all neighbouring datasets, over those of `among`, the worst datasets), exactly, at e^eps = power."""
    eps, whole, part, worst = Eps.log(power), Fraction(-1), Fraction(-1), None
    for case in cases(neighbourhood(randomizer, n, "shuffled", MAX_WORK)):
        value = value_of(case.pair.delta(eps), power)
        if value > whole:
            whole, worst = value, case.neighbours
        if among(case.neighbours):
            part = max(part, value)
    return whole, part, worst


def _held(neighbours: Neighbours) -> dict[str, int]:
    return {x: count for x, count in (neighbours.others or {}).items() if count}


def _equal(neighbours: Neighbours) -> bool:
    return len(_held(neighbours)) <= 1


def _third(neighbours: Neighbours) -> bool:
    return not {neighbours.source, neighbours.target} & set(_held(neighbours)) and _equal(neighbours)


# Others --------------------------------------------------------------------------------------------------------------


def _beaten(
    what: str, randomizer: Randomizer, n: int, power: Fraction, whole: Fraction, part: Fraction, worst: Any
) -> Hit:
    """The worst datasets are not those that were thought so: a claim that these keep is refuted by others."""
    others = ", ".join(f"{count} on {x}" for x, count in _held(worst).items())
    words = (
        f"{what}, n = {n}, e^eps = {power}: delta = {text(whole)} for one user on {worst.source} against {worst.target}"
        f" and the others {others}; {text(part)} where the belief looks"
    )
    refuted = certify(randomizer, n, Eps.log(power), part)
    numbers = {"n": n, "e^eps": text(power), "delta": text(whole), "believed": text(part)}
    return Hit(words, numbers, {f"delta is more than {text(part)}": refuted})


def _binaries(denominator: int, n: int, gap: str = "") -> Joined:
    return Joined(tuple(single_messages(2, 2, d) for d in range(1, denominator + 1)))


def _sent(sends: int, denominator: int, n: int) -> Joined:
    """Two inputs, and users who send so many bits, in no order."""
    return Joined(tuple(several_messages(2, 2, sends, sends, d) for d in range(1, denominator + 1)))


def _krr(case: dict[str, str], k: int) -> tuple[Randomizer, int, Fraction]:
    return KRR(k, Fraction(case["gamma"])).randomizer(), int(case["n"]), Fraction(case["e^eps"])


def _krr_grid(k: int, n: int, denominator: int) -> Grid:
    gammas = [text(Fraction(i, denominator)) for i in range(1, denominator)]
    users, powers = [str(i) for i in range(2, n + 1)], [text(power) for power in (*POWERS, Fraction(3))]
    return Grid(f"{k}-ary randomized response", {"n": users, "gamma": gammas, "e^eps": powers})


def _third_is_worst(case: dict[str, str], *, k: int, **_: int) -> bool:
    whole, part, _worst = worst_of(*_krr(case, k), _third)
    return whole <= max(part, Fraction(0))


def _no_third(case: dict[str, str], **parameters: int) -> Hit:
    randomizer, n, power = _krr(case, parameters["k"])
    whole, part, worst = worst_of(randomizer, n, power, _third)
    what = f"k = {parameters['k']}, gamma = {case['gamma']}"
    return _beaten(what, randomizer, n, power, whole, max(part, Fraction(0)), worst)


def _others(n: int, flip: str, power: str) -> Compositions:
    return Compositions(n - 1, 2)


def _rr_at(counts: tuple[int, int], n: int, flip: str, power: str) -> Fraction:
    """Exactly delta, the larger direction, of randomized response with so many others on 0 and on 1."""
    case = next(
        case
        for case in cases(neighbourhood(RR(Fraction(flip)).randomizer(), n, "shuffled", MAX_WORK))
        if _agrees(case.neighbours, counts)
    )
    return value_of(case.pair.delta(Eps.log(Fraction(power))), Fraction(power))


def _agrees(neighbours: Neighbours, counts: tuple[int, int]) -> bool:
    held = neighbours.others or {}
    return {held.get("0", 0), held.get("1", 0)} == set(counts)


def _no_worse(case: tuple[int, int], *, n: int, flip: str, power: str) -> bool:
    return _rr_at(case, n, flip, power) <= _rr_at((n - 1, 0), n, flip, power)


# What shuffling is worth ---------------------------------------------------------------------------------------------


def _noise_grid(n: int, denominator: int) -> Grid:
    ps = [text(Fraction(i, denominator)) for i in range(-(-denominator // 2), denominator - 1)]
    values = {
        "n": [str(i) for i in range(1, n + 1)],
        "p": ps,
        "e^eps": [text(power) for power in (*POWERS, Fraction(3))],
    }
    return Grid("zsum, and p one step of the grid larger", values)


def _zsum(case: dict[str, str], denominator: int) -> tuple[Fraction, Fraction, Fraction]:
    """(delta at p, at the next p, the next p)."""
    n, p, power = int(case["n"]), Fraction(case["p"]), Fraction(case["e^eps"])
    more = p + Fraction(1, denominator)
    at, later = (exact_delta(ZSum(q).randomizer(), n, power) for q in (p, more))
    return at, later, more


def _monotone(case: dict[str, str], *, denominator: int, **_: int) -> bool:
    at, later, _more = _zsum(case, denominator)
    return at <= later


def _not_monotone(case: dict[str, str], **parameters: int) -> Hit:
    at, later, more = _zsum(case, parameters["denominator"])
    n, eps = int(case["n"]), Eps.log(Fraction(case["e^eps"]))
    words = (
        f"n = {n}, e^eps = {case['e^eps']}: delta = {text(at)} at p = {case['p']}, and less, {text(later)}, with less"
        f" noise, at p = {text(more)}"
    )
    certificates = {
        f"p = {case['p']}": certify(ZSum(Fraction(case["p"])).randomizer(), n, eps, later),
        f"p = {text(more)}": certify(ZSum(more).randomizer(), n, eps, later),
    }
    return Hit(words, {"delta": text(at), "later": text(later)}, certificates)


CONJECTURES = (
    Conjecture(
        "others-equal-binary",
        "Two inputs, two messages: some of the worst neighbouring datasets have all other users on one input.",
        _binaries,
        OTHERS_EQUAL,
        {"denominator": 60, "n": 4},
    ),
    Conjecture(
        "pure-eps-others-equal",
        "Each user sends some bits: the pure eps of n users is attained where all others hold one input.",
        _sent,
        "all(epsilon(m) == max(d.epsilon(0) for d in datasets(m) if d.kinds == 1) for m in range(3, n + 1))",
        {"sends": 3, "denominator": 7, "n": 5},
    ),
    Conjecture(
        "delta-is-convex-in-n",
        "Two inputs, two messages: delta(log(2)) is convex in the number of users.",
        _binaries,
        "all(delta(m - 1, log(2)) + delta(m + 1, log(2)) >= 2 * delta(m, log(2)) for m in range(2, n))",
        {"denominator": 60, "n": 6},
    ),
    Conjecture(
        "blanket-gap",
        "Two inputs, two messages, up to n users: the privacy blanket is above delta(log(2)) by at most gap.",
        _binaries,
        "all(blanket(m, log(2)) - delta(m, log(2)) <= gap for m in range(1, n + 1))",
        {"denominator": 60, "n": 6, "gap": "15899772/418195493"},
        "Balle, Bell, Gascon & Nissim 2019, Section 5, is the bound",
    ),
    Conjecture(
        "others-equal",
        "One message a user: among the worst neighbouring datasets are some whose other users all hold one input.",
        _singles,
        OTHERS_EQUAL,
        {"inputs": 2, "messages": 3, "denominator": 4, "n": 3},
    ),
    Conjecture(
        "third-value-krr",
        "k-ary randomized response: the worst is a pair of inputs with all other users on a third value.",
        _krr_grid,
        _third_is_worst,
        {"k": 3, "n": 5, "denominator": 8},
        explain=_no_third,
    ),
    Conjecture(
        "rr-others-agree",
        "Binary randomized response: no dataset of others is worse than all of them on one input.",
        _others,
        _no_worse,
        {"n": 8, "flip": "1/3", "power": "1"},
    ),
    Conjecture(
        "local-eps-plus-log-n",
        "One message a user: where n shuffled users keep (eps, delta), one user keeps (eps + log(n), delta) locally.",
        _singles,
        f"all(local_delta(e + log(m)) <= delta(m, e) for m in range(2, n + 1) for e in {AMOUNTS})",
        {"inputs": 2, "messages": 3, "denominator": 4, "n": 4},
        "Cheu, Smith, Ullman, Zeber & Zhilyaev 2019, Theorem 6.2",
    ),
    Conjecture(
        "zsum-monotone",
        "Balcer & Cheu's binary sum: delta does not fall when p grows from 1/2 to 1, that is, with less noise.",
        _noise_grid,
        _monotone,
        {"n": 6, "denominator": 12},
        explain=_not_monotone,
    ),
)
