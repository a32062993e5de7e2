"""Exact finite laws, and randomizers: for every input an exact law over tuples of messages (BC Definition 7).

A law's probabilities are rational and sum to exactly 1, kept as integers over one denominator. With a randomizer goes
who there is: which datasets are neighbours, how many users are honest, and who takes part.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Generic, Protocol, TypeVar

from flint import fmpq, fmpz, fmpz_poly

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import MOST_USERS, natural, probability, rational, shorten, text

T = TypeVar("T", bound=Hashable)
S = TypeVar("S", bound=Hashable)
Messages = tuple[str, ...]
MAX_LABEL = 1000
NOBODY = ""  # the row that only the user who changes may be on: absent, or the reference; no label of an input is empty
ADJACENCIES = ("replace", "add-remove", "deletion")


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


@dataclass(frozen=True)
class Randomizer:
    """A randomizer as a table: rows[x][m] = Pr[R(x) = m], m an ordered tuple of messages, () where nothing is sent.

    Inputs and messages are labels: strings, and integers that stand for their decimal text. Build one with
    `Randomizer.of`.

        >>> rr = Randomizer.of({"yes": {"y": "3/4", "n": "1/4"}, "no": {"y": "1/4", "n": "3/4"}})
        >>> rr.inputs, rr.messages
        (('yes', 'no'), ('y', 'n'))
    """

    rows: Mapping[str, Law[Messages]]

    @classmethod
    def of(cls, rows: Mapping[Any, Mapping[Any, object]]) -> "Randomizer":
        """A randomizer from {input: {messages: probability}}, where messages is a tuple of labels or one bare label.

        Raises BadInput for no inputs, a row that does not sum to exactly 1, a negative or floating-point probability,
        a label that is not text or an integer, and labels that coincide once written as text.
        """
        listed = [(x, [(m if isinstance(m, tuple) else (m,), p) for m, p in row.items()]) for x, row in rows.items()]
        return cls.build(listed)

    @classmethod
    def build(cls, rows: Sequence[tuple[object, Sequence[tuple[Sequence[object], object]]]]) -> "Randomizer":
        """A randomizer from a list of (input, list of (messages, probability)).

        Raises BadInput as `Randomizer.of` does, and names the place as rows[i].outputs[j].
        """
        if not rows:
            raise BadInput("rows: none: expected at least one input")
        laws: dict[str, Law[Messages]] = {}
        for i, (given, outputs) in enumerate(rows):
            x = label(given, f"rows[{i}].input")
            if x in laws:
                raise BadInput(f"rows[{i}].input: {x!r} has a row already: expected each input once")
            law: dict[Messages, Fraction] = {}
            for j, (messages, p) in enumerate(outputs):
                place = f"rows[{i}].outputs[{j}]"
                send = tuple(label(m, f"{place}.send") for m in messages)
                if send in law:
                    raise BadInput(f"{place}.send: {list(send)} stands in this row already: expected each output once")
                law[send] = probability(p, f"{place}.p")
            laws[x] = Law.of(law, f"rows[{i}].outputs of input {x!r}")
        return cls(laws)

    @property
    def at_most_one_message(self) -> bool:
        """Whether no output is more than one message."""
        return all(len(sent) <= 1 for law in self.rows.values() for sent in law)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The labels of all inputs, in the order of the rows."""
        return tuple(x for x in self.rows if x != NOBODY)

    @property
    def messages(self) -> tuple[str, ...]:
        """Every label that some input sends with positive probability, in order of appearance."""
        return tuple(dict.fromkeys(m for law in self.rows.values() for send in law for m in send))

    @property
    def single_message(self) -> bool:
        """Whether every output is exactly one message (BC Definition 7)."""
        return all(len(send) == 1 for law in self.rows.values() for send in law)

    def to_json(self) -> dict[str, Any]:
        """The table as a certificate writes it (verify/CERTIFICATE.md)."""
        rows = [
            {"input": x, "outputs": [{"send": list(send), "p": text(p)} for send, p in law.items()]}
            for x, law in self.rows.items()
        ]
        return {"rows": rows}

    def expected_messages(self, x: object) -> Fraction:
        """The expected number of messages of a user with input x, exactly."""
        law = self.rows[label(x, "input")]
        return sum((p * len(send) for send, p in law.items()), Fraction(0))


def label(value: object, where: str) -> str:
    """The name of an input or a message as text; integers stand for their decimal text.

    Raises BadInput for other values.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, int) and whole and abs(value) < 10 ** (MAX_LABEL - 1):
        return str(value)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_LABEL or not value.isprintable():
        shown = "an integer so long" if whole else ascii(value)[:60]  # Python writes no more than 4300 digits
        raise BadInput(
            f"{where}: {shown} is not a label: expected printable text of 1 to {MAX_LABEL} characters, or an integer"
        )
    return value


class System(Protocol):
    """Anything that states its randomizer; the systems of `protocols` say more (`verify.systems.declare.System`)."""

    def randomizer(self) -> Randomizer:
        """The law of one user's messages, for every input."""


def randomizer_of(system: Randomizer | System) -> Randomizer:
    """The randomizer itself, or the one that a system states."""
    return system if isinstance(system, Randomizer) else system.randomizer()


@dataclass(frozen=True)
class Presence:
    """Neighbours and participation: which datasets are neighbours, how many users are honest, and who takes part.

    A user who is absent sends nothing. Neighbours differ in one user, who follows the protocol:

        replace       on one of two inputs; n users on either side
        add-remove    on an input, or absent; n users with that one, n - 1 without
        deletion      on an input, or on the `reference`; n users on either side. That is a mixture of inputs {input:
                      weight}, or a law of its own: the one row of a `Randomizer`, or one that the system names

    and all others are on any inputs. At least `honest` of the n users follow the protocol, that one among them; each
    of them takes part with probability `take_part`, independently of all else, and is absent otherwise. The others
    send whatever they like, and are known to who looks.

    Lemma. The worst is that of exactly `honest` users and nobody else. Proof. What the others send is independent of
    the honest users' messages, since nobody sees these before the shuffler, and its law is the same on both sides. So
    what is seen is a function of the honest users' shuffled messages and of an independent variable: by the data
    processing inequality no divergence is larger than that of the honest users alone, whichever they are and
    whatever inputs they hold; and it is reached where the others send nothing. Likewise a further honest user only
    adds independent messages: h honest users dominate h + 1.

    Lemma. A user who takes part with probability q has the row q R(x) + (1 - q) [nothing]: messages are all that is
    seen of a user, and who takes part is drawn independently of everything. A reference takes part as a user does.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> delta(populated(rr, Presence.of(take_part="1/2")), n=1, eps=0).upper
        Fraction(1, 4)
    """

    adjacency: str = "replace"
    reference: tuple[tuple[str, Fraction], ...] = ()
    honest: int | None = None
    take_part: Fraction = Fraction(1)
    law: tuple[tuple[Messages, Fraction], ...] = ()  # of a reference that is no input

    @classmethod
    def of(
        cls,
        adjacency: str = "replace",
        reference: "Mapping[str, object] | Randomizer | str | None" = None,
        honest: object = None,
        take_part: object = 1,
    ) -> "Presence":
        """From texts or numbers; `reference` is an input, {input: weight}, or a randomizer with one row, its law.

        Raises BadInput for what does not fit.
        """
        if adjacency not in ADJACENCIES:
            raise BadInput(f"adjacency: {shorten(adjacency)}: expected one of {', '.join(ADJACENCIES)}")
        if (adjacency == "deletion") != (reference is not None):
            given = "none: expected" if reference is None else "given without deletion: expected only there"
            raise BadInput(f"reference: {given} the input that takes the place of a deleted user's")
        law: tuple[tuple[Messages, Fraction], ...] = ()
        if isinstance(reference, Randomizer):
            if len(reference.inputs) != 1:
                raise BadInput(f"reference: {len(reference.inputs)} rows: expected one, the law of the reference")
            ((reference, row),) = reference.rows.items()
            law = tuple(row.items())
        weights = {reference: 1} if isinstance(reference, str) else dict(reference or {})
        mixture = Law.of(weights, "reference") if weights else None
        share = rational(take_part, "take-part")
        if not 0 < share <= 1:
            raise BadInput(f"take-part: {shorten(share)}: expected a probability above 0, at most 1")
        followers = None if honest is None else natural(honest, "honest", most=MOST_USERS)
        return cls(adjacency, tuple(mixture.items()) if mixture else (), followers, share, law)

    def counted(self, n: int) -> int:
        """How many of n users count: those who are honest. Raises BadInput where there are not so many."""
        if self.honest is not None and self.honest > n:
            raise BadInput(f"honest: {self.honest}: expected at most the n = {n} users")
        return self.honest or n

    def rows(self, randomizer: Randomizer, law: Law[Messages] | None = None) -> Randomizer:
        """The randomizer of a user who may be absent, with the row of absence or of the reference as NOBODY's.

        `law` is the reference's where it is no input. Raises BadInput where it is one, or else is no input.
        """
        q, absent = self.take_part, Law[Messages]({(): fmpz(1)}, fmpz(1))
        rows = {x: _mixture([(q, law), (1 - q, absent)]) for x, law in randomizer.rows.items()}
        for z, _ in self.reference:
            if law is not None and z in rows:
                raise BadInput(f"reference: {shorten(z)!r} is an input: expected another name for a law of its own")
            if law is None and z not in rows:
                known = ", ".join(randomizer.inputs)
                raise BadInput(f"reference: {shorten(z)!r} is no input: expected one of {shorten(known)}")
        if self.adjacency == "add-remove":
            rows[NOBODY] = absent
        elif law is not None:
            rows[NOBODY] = _mixture([(q, law), (1 - q, absent)])
        elif self.adjacency == "deletion":
            rows[NOBODY] = _mixture([(weight, rows[z]) for z, weight in self.reference])
        return Randomizer(rows)


EVERYBODY = Presence()


def presence_tree(who: Presence) -> dict[str, Any]:
    """Neighbours and participation, as JSON: what differs from everybody's being there and honest."""
    reference = {z: text(weight) for z, weight in who.reference}
    named = {"reference": reference or None, "honest": who.honest}
    share = {} if who.take_part == 1 else {"take_part": text(who.take_part)}
    return {name: value for name, value in named.items() if value is not None} | share


def _mixture(parts: Sequence[tuple[Fraction, Law[Messages]]]) -> Law[Messages]:
    """The law that is each of the given ones with its probability."""
    if len(parts) == 1 or parts[0][0] == 1:
        return parts[0][1]
    return Law.of(gathered((sent, weight * p) for weight, law in parts for sent, p in law.items()))
