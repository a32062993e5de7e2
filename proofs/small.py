"""Finite families to try a statement on: randomizers with small weights, and the shuffler spelled out."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations_with_replacement, permutations, product
from math import factorial, prod

from flint import Ordering, fmpz_mpoly_ctx

from shufflecert.proofs.statement import StepFailed
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import MAX_WORK
from shufflecert.verify.exact.randomizer import Messages, Randomizer, System, gathered
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.search import single_messages

Column = tuple[int, ...]  # the weights of one message, one for every input
Dataset = tuple[str, ...]
Words = Mapping[Messages, Fraction]  # the probability of every ordered output
Shuffle = Callable[[Sequence[Messages]], Iterator[Messages]]  # the users' outputs to equally likely ordered outputs


def families(inputs: int, messages: int, most: int) -> Iterator[tuple[Column, ...]]:
    """Every single-message randomizer with so many inputs, at most `messages` messages, and a denominator up to `most`.

    The denominator is the least common one of all probabilities. Up to the names of messages and of inputs each
    randomizer comes exactly once, as the sorted columns of its integer weights: they sum to (denominator, ...,
    denominator).
    """
    spaces = [
        single_messages(inputs, m, denominator) for denominator in range(1, most + 1) for m in range(1, messages + 1)
    ]
    for space in spaces:
        for table in filter(None, map(space.case, range(space.size))):
            yield tuple(sorted(zip(*table.rows, strict=True)))


def randomizer(columns: Iterable[Column]) -> Randomizer:
    """The single-message randomizer with these columns of weights."""
    rows = list(zip(*columns, strict=True))
    return Randomizer.of({x: {y: Fraction(w, sum(row)) for y, w in enumerate(row) if w} for x, row in enumerate(rows)})


def power(given: Randomizer, n: int, view: str = "shuffled", delta: Fraction = Fraction(0)) -> Fraction | None:
    """e^eps for the smallest eps with that delta for n users, by the engine over all datasets; None where infinite."""
    eps = epsilon(given, n, delta, view).eps
    return eps.power if eps is not None else None


def exact_delta(given: Randomizer | System, n: int, t: Fraction, view: str = "shuffled") -> Fraction:
    """delta(ln t) of n users by the engine over all datasets, exactly. Raises StepFailed where they are too many."""
    found = delta(given, n, Eps.log(t), view, effort=Effort(work=MAX_WORK)).delta
    if not isinstance(found, Delta):
        raise StepFailed(f"n = {n}: expected few enough datasets to enumerate")
    return value_of(found, t)


def value_of(found: Delta, t: Fraction) -> Fraction:
    """A - B e^eps, a rational at e^eps = t."""
    return found.A - found.B * t


def unordered(law: Iterable[tuple[Messages, Fraction]]) -> dict[Messages, Fraction]:
    """The law of the messages up to their order: sorted, with the weights of equal ones summed."""
    return gathered((tuple(sorted(sent)), p) for sent, p in law)


def pure_power(columns: Sequence[Column], n: int) -> Fraction | None:
    """e^eps of n shuffled users at delta = 0, by the definition and without the engine; None where it is infinite.

    Over all neighbouring datasets, the largest quotient of two coefficients of f_a G and f_b G, G the product of the
    other users' polynomials, with integer weights. A monomial is one exponent: n + 1 to the number of the message.
    """
    rows = [_packed(row, n + 1) for row in zip(*columns, strict=True)]
    above, below = 1, 1
    for others in combinations_with_replacement(rows, n - 1):
        products = [_product(row, others) for row in rows]
        for P, Q in permutations(products, 2):
            for monomial, p in P.items():
                q = Q.get(monomial, 0)
                if q == 0:
                    return None
                if p * below > above * q:
                    above, below = p, q
    return Fraction(above, below)


def _packed(row: Sequence[int], base: int) -> dict[int, int]:
    return {base**y: weight for y, weight in enumerate(row) if weight}


def _product(row: dict[int, int], others: Iterable[dict[int, int]]) -> dict[int, int]:
    for other in others:
        longer: dict[int, int] = {}
        for (i, p), (j, q) in product(row.items(), other.items()):
            longer[i + j] = longer.get(i + j, 0) + p * q
        row = longer
    return row


def shuffler(sent: Sequence[Messages]) -> Iterator[Messages]:
    """BC Definition 7: concatenate all message vectors, then apply every permutation of that."""
    return permutations(tuple(chain(*sent)))


def users_permuted(sent: Sequence[Messages]) -> Iterator[Messages]:
    """BC's analyzer A_L, first step: every permutation of the tuple of the users' outputs, here read as one vector."""
    return (tuple(chain(*order)) for order in permutations(sent))


def ordered_law(given: Randomizer, dataset: Dataset, shuffle: Shuffle = shuffler) -> Words:
    """The law of the ordered output on a dataset, by enumeration of what every user sends and of every permutation."""
    shares: list[tuple[Messages, Fraction]] = []
    for run in product(*(list(given.rows[x].items()) for x in dataset)):
        outputs = Counter(shuffle([send for send, _ in run]))
        share = prod((p for _, p in run), start=Fraction(1)) / outputs.total()
        shares += [(output, times * share) for output, times in outputs.items()]
    return gathered(shares)


def spread_law(given: Randomizer, dataset: Dataset) -> Words:
    """The product of the users' polynomials, every multiset's probability spread evenly over its distinct orders."""
    view = view_of(given)
    ring = fmpz_mpoly_ctx.get([f"z{i}" for i in range(len(view.messages))], Ordering.lex)
    row = {}
    for x, weights in zip(view.inputs, view.rows, strict=True):
        row[x] = ring.from_dict({tuple(dict(m).get(i, 0) for i in range(ring.nvars())): w for m, w in weights.items()})
    law: dict[Messages, Fraction] = {}
    for exponents, weight in prod((row[x] for x in dataset), start=ring.constant(1)).to_dict().items():
        tokens = tuple(chain(*(message * e for message, e in zip(view.messages, exponents, strict=True))))
        orders = factorial(len(tokens)) // prod(map(factorial, exponents))
        share = Fraction(int(weight), view.denominator ** len(dataset) * orders)
        law |= dict.fromkeys(permutations(tokens), share)
    return law


def neighbouring(inputs: Sequence[str], n: int) -> Iterator[tuple[Dataset, Dataset]]:
    """Every ordered dataset of n rows, with every dataset that differs from it in exactly one row (BC Section 2)."""
    for dataset in product(inputs, repeat=n):
        for i, x in product(range(n), inputs):
            if x != dataset[i]:
                yield dataset, (*dataset[:i], x, *dataset[i + 1 :])


def hockey_stick(P: Words, Q: Words, t: Fraction) -> Fraction:
    """sum over y of max(P(y) - t Q(y), 0)."""
    return sum((max(p - t * Q.get(y, Fraction(0)), Fraction(0)) for y, p in P.items()), Fraction(0))


def largest_gap(P: Words, Q: Words, t: Fraction) -> Fraction:
    """max over all events T of P(T) - t Q(T), by trying every one of them: 2^outcomes."""
    gaps = [Fraction(0)]
    for y in {**P, **Q}:
        gain = P.get(y, Fraction(0)) - t * Q.get(y, Fraction(0))
        gaps += [gap + gain for gap in gaps]
    return max(gaps)
