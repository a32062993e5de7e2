"""Exact finite laws: rational probabilities that sum to exactly 1, kept as integers over one denominator."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Generic, TypeVar

from flint import fmpq, fmpz, fmpz_poly

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import natural, probability, rational, shorten

T = TypeVar("T", bound=Hashable)
S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True)
class Law(Generic[T]):
    """A finite law: Pr[outcome] = weights[outcome] / denominator, exactly; outcomes of probability 0 are absent.

    Build one with `Law.of`, which checks that the probabilities sum to 1. Nothing is renormalised.
    """

    weights: Mapping[T, fmpz]
    denominator: fmpz

    @classmethod
    def of(cls, probabilities: Mapping[T, object], where: str = "law") -> "Law[T]":
        """A law from exact probabilities (text, int, Fraction).

        Raises BadInput outside [0, 1] or for a sum other than 1.
        """
        exact = {outcome: probability(p, f"{where}: {outcome!r}") for outcome, p in probabilities.items()}
        check_total(exact.values(), where)
        denominator = lcm(*(p.denominator for p in exact.values()))
        weights = {o: fmpz(p.numerator * (denominator // p.denominator)) for o, p in exact.items() if p}
        return cls(weights, fmpz(denominator))

    def __getitem__(self, outcome: T) -> Fraction:
        return rational(fmpq(self.weights.get(outcome, fmpz(0)), self.denominator))

    def __iter__(self) -> Iterator[T]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def items(self) -> Iterator[tuple[T, Fraction]]:
        """Every outcome with its probability, as an exact fraction."""
        return ((outcome, self[outcome]) for outcome in self.weights)

    def times(self, other: "Law[S]") -> "Law[tuple[T, S]]":
        """The law of the pair (X, Y), for X of this law and an independent Y of the other."""
        weights = {(x, y): v * w for x, v in self.weights.items() for y, w in other.weights.items()}
        return Law(weights, self.denominator * other.denominator)


def gathered(weights: Iterable[tuple[S, Fraction]]) -> dict[S, Fraction]:
    """{outcome: weight}: the weights of equal outcomes are summed, outcomes stand in the order of their first."""
    law: dict[S, Fraction] = {}
    for outcome, weight in weights:
        law[outcome] = law.get(outcome, Fraction(0)) + weight
    return law


def check_total(probabilities: Iterable[Fraction], where: str) -> None:
    """Raise BadInput unless the probabilities sum to exactly 1; the message shows how far from 1 a sum near it is."""
    total = sum(probabilities, Fraction(0))
    if total != 1:
        sign, size = ("-", 1 - total) if total < 1 else ("+", total - 1)
        shown = f"1 {sign} {shorten(size)}" if size < Fraction(1, 100) else shorten(total)
        raise BadInput(f"{where}: the probabilities sum to {shown}: expected exactly 1")


def shift(law: Law[int], by: int) -> Law[int]:
    """The law of X + by."""
    return Law({outcome + by: weight for outcome, weight in law.weights.items()}, law.denominator)


def plus(law: Law[int], other: Law[int]) -> Law[int]:
    """The law of X + Y for independent X and Y: a product of polynomials."""
    low, product = min(law) + min(other), _polynomial(law) * _polynomial(other)
    weights = {low + k: c for k, c in enumerate(product.coeffs()) if c}
    return Law(weights, law.denominator * other.denominator)


def copies(law: Law[int], n: int) -> Law[int]:
    """The law of X_1 + ... + X_n for n >= 0 independent copies of X: a power of a polynomial."""
    low = n * min(law)
    weights = {low + k: c for k, c in enumerate((_polynomial(law) ** n).coeffs()) if c}
    return Law(weights, law.denominator**n)


def plus_vectors(law: Law[tuple[int, ...]], other: Law[tuple[int, ...]]) -> Law[tuple[int, ...]]:
    """The law of X + Y, coordinate by coordinate, for independent integer vectors X and Y of one length."""
    weights: dict[tuple[int, ...], fmpz] = {}
    for x, v in law.weights.items():
        for y, w in other.weights.items():
            total = tuple(a + b for a, b in zip(x, y, strict=True))
            weights[total] = weights.get(total, 0) + v * w
    return Law(weights, law.denominator * other.denominator)


def _polynomial(law: Law[int]) -> fmpz_poly:
    low, high = min(law), max(law)
    return fmpz_poly([law.weights.get(k, fmpz(0)) for k in range(low, high + 1)])


def bernoulli(p: object) -> Law[int]:
    """The law of one biased coin: 1 with probability p, else 0. Raises BadInput for p outside [0, 1]."""
    exact = probability(p, "p")
    return Law.of({0: 1 - exact, 1: exact})


def binomial(n: int, p: object) -> Law[int]:
    """The binomial law Bin(n, p): Pr[k] = C(n, k) p^k (1-p)^(n-k), for n >= 0."""
    return copies(bernoulli(p), natural(n, "n", least=0))
