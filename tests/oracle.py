"""The dumbest enumeration: fractions, itertools and nothing of ours, for tests to compare against.

A randomizer is a dict, input label -> {tuple of message labels: probability as a Fraction}; a dataset is a tuple of
input labels; a law is a dict, outcome -> Fraction. Everything is exact. Nothing is fast: keep n and the rows small.
"""

from fractions import Fraction
from itertools import chain, permutations, product
from math import factorial, prod

# Views -------------------------------------------------------------------------------------------------------------


def _gather(weighted):
    """Add up the weights of equal outcomes: (outcome, weight) pairs -> law."""
    law = {}
    for outcome, weight in weighted:
        law[outcome] = law.get(outcome, Fraction(0)) + weight
    return law


def _runs(randomizer, dataset):
    """Every way the users can speak: (their tuples, one per user; product of the tuples' probabilities)."""
    for choice in product(*(randomizer[x].items() for x in dataset)):
        yield tuple(sent for sent, _ in choice), prod((p for _, p in choice), start=Fraction(1))


def permutation_law(randomizer, dataset):
    """Law of the shuffler's output as an ordered tuple: all m messages, under each of m! permutations w.p. 1/m!."""

    def shuffled():
        for tuples, p in _runs(randomizer, dataset):
            line = tuple(chain(*tuples))
            for order in permutations(range(len(line))):
                yield tuple(line[i] for i in order), p / factorial(len(line))

    return _gather(shuffled())


def multiset_law(randomizer, dataset):
    """Law of the shuffled view, sorted tuple -> Pr: sum over all runs of prod_i Pr[R(x_i) = sent_i]."""
    return _gather((tuple(sorted(chain(*tuples))), p) for tuples, p in _runs(randomizer, dataset))


def convolved_law(randomizer, dataset):
    """The same law user by user: Pr_{k+1}[m] = sum over m1 + m2 = m of Pr_k[m1] Pr[R(x_{k+1}) = m2]."""
    law = {(): Fraction(1)}
    for x in dataset:
        law = _gather(
            (tuple(sorted(seen + sent)), p * q) for seen, p in law.items() for sent, q in randomizer[x].items()
        )
    return law


def local_law(randomizer, x):
    """Law of one user's ordered tuple: the row itself."""
    return dict(randomizer[x])


def preshuffle_law(randomizer, x):
    """Law of one user's multiset, as a sorted tuple: Pr[m] = sum over orders of m of Pr[R(x) = order]."""
    return _gather((tuple(sorted(sent)), p) for sent, p in randomizer[x].items())


def view_law(randomizer, dataset, view):
    """Law of what is seen of all users: shuffled one sorted tuple; local and preshuffle one (sorted) tuple per user."""
    if view == "shuffled":
        return convolved_law(randomizer, dataset)
    one_user = {"local": lambda sent: sent, "preshuffle": lambda sent: tuple(sorted(sent))}[view]
    return _gather((tuple(map(one_user, tuples)), p) for tuples, p in _runs(randomizer, dataset))


def neighbours(inputs, n):
    """Every ordered dataset in inputs^n with every dataset that differs from it in exactly one row; both directions."""
    inputs = tuple(inputs)
    for dataset in product(inputs, repeat=n):
        for i in range(n):
            for x in inputs:
                if x != dataset[i]:
                    yield dataset, (*dataset[:i], x, *dataset[i + 1 :])


def pairs_of_laws(randomizer, n, view):
    """(P, Q) for every pair of neighbouring datasets of n users."""
    laws = {dataset: view_law(randomizer, dataset, view) for dataset in product(randomizer, repeat=n)}
    for one, other in neighbours(randomizer, n):
        yield laws[one], laws[other]


# Who is there ------------------------------------------------------------------------------------------------------


ABSENT = object()  # a user who is not there; any other object in a dataset is an input, or a law given as a dict


def _says(randomizer, user):
    return {(): Fraction(1)} if user is ABSENT else user if isinstance(user, dict) else randomizer[user]


def attended_law(randomizer, users, view, take_part=1, extra=()):
    """Law of what is seen of these users, each of whom tosses a coin of bias `take_part` and sends nothing on tails.

    `extra` are messages that others send, known to all. A user is an input, ABSENT, or {input: weight}, drawn first.
    In the shuffled view by the definition: every set of users that take part, one by one; then every draw.
    """
    take_part = Fraction(take_part)

    def runs():
        for coins in product((True, False), repeat=len(users)):
            p = prod((take_part if heads else 1 - take_part for heads in coins), start=Fraction(1))
            if not p:
                continue
            drawn = [user if isinstance(user, dict) else {user: Fraction(1)} for user in users]
            for inputs in product(*(law.items() for law in drawn)):
                q = prod((w for _, w in inputs), start=p)
                rows = [_says(randomizer, x if heads else ABSENT) for heads, (x, _) in zip(coins, inputs, strict=True)]
                for choice in product(*(row.items() for row in rows)):
                    yield tuple(sent for sent, _ in choice), prod((w for _, w in choice), start=q)

    one_user = {"local": lambda sent: sent, "preshuffle": lambda sent: tuple(sorted(sent))}.get(view)
    if one_user:
        return _gather(((*map(one_user, sent), extra), p) for sent, p in runs())
    return _gather((tuple(sorted(chain(*sent, extra))), p) for sent, p in runs())


def attended_pairs(randomizer, n, view, adjacency="replace", reference=None, take_part=1, extra=(), law=None):
    """(P, Q) for every pair of neighbours: one of n users, the first, is on two inputs, comes or goes, or is deleted.

    By the definitions of the three adjacencies; `reference` is {input: weight}, or {"null": 1}, whose row is `law`.
    """
    inputs, randomizer = list(randomizer), {**randomizer, **({} if law is None else {"null": law})}
    for others in product(inputs, repeat=n - 1):
        laws = {x: attended_law(randomizer, (x, *others), view, take_part, extra) for x in inputs}
        if adjacency == "replace":
            yield from ((laws[x], laws[y]) for x in inputs for y in inputs if x != y)
            continue
        gone = ABSENT if adjacency == "add-remove" else reference
        without = attended_law(randomizer, (gone, *others), view, take_part, extra)
        for x in inputs:
            yield laws[x], without
            yield without, laws[x]


def attended_delta(randomizer, n, t, view="shuffled", **who):
    """The least delta with (log t, delta)-privacy of n users who are there as `who` says (`attended_pairs`)."""
    return max((hockey_stick(P, Q, t) for P, Q in attended_pairs(randomizer, n, view, **who)), default=Fraction(0))


# Divergence --------------------------------------------------------------------------------------------------------


def hockey_stick(P, Q, t):
    """delta = sum over y of max(P(y) - t Q(y), 0), for rational t = e^eps."""
    return sum((max(p - t * Q.get(y, 0), Fraction(0)) for y, p in P.items()), Fraction(0))


def exp_bounds(eps, terms):
    """Rationals (L, U) with L <= e^eps <= U, eps >= 0: the Taylor sum of `terms` terms, and with the geometric bound
    eps^k/k! / (1 - eps/(k + 1)) on its rest, k = terms > eps."""
    assert eps >= 0 and terms > eps
    low, term = Fraction(0), Fraction(1)
    for k in range(terms):
        low += term
        term = term * eps / (k + 1)
    return low, low + term / (1 - Fraction(eps) / (terms + 1))


def sign_with_exp(a, b, eps):
    """The sign of a - b e^eps, decided: -1, 0 or 1. Rational eps > 0 has irrational e^eps, so 0 means a = b = 0."""
    if b == 0 or eps == 0:
        value = a - b
        return (value > 0) - (value < 0)
    terms = 8 + int(2 * eps)
    while terms < 100_000:
        ends = [a - b * end for end in exp_bounds(eps, terms)]
        if min(ends) > 0:
            return 1
        if max(ends) < 0:
            return -1
        terms *= 2
    raise AssertionError("a sign was not decided")


def hockey_stick_parts(P, Q, eps):
    """(A, B) with delta = A - B e^eps for rational eps >= 0: P and Q of the event {y: P(y) > e^eps Q(y)}."""
    event = [y for y, p in P.items() if sign_with_exp(p, Q.get(y, Fraction(0)), eps) > 0]
    return sum((P[y] for y in event), Fraction(0)), sum((Q.get(y, Fraction(0)) for y in event), Fraction(0))


def delta(randomizer, n, t, view="shuffled"):
    """The least delta with (log t, delta)-privacy: max of hockey_stick over pairs of neighbours; rational t >= 1."""
    return max((hockey_stick(P, Q, t) for P, Q in pairs_of_laws(randomizer, n, view)), default=Fraction(0))


def delta_parts(randomizer, n, eps, view="shuffled"):
    """(A, B) with A - B e^eps the least delta at rational eps >= 0, over all pairs of neighbours."""
    best = (Fraction(0), Fraction(0))
    for P, Q in pairs_of_laws(randomizer, n, view):
        a, b = hockey_stick_parts(P, Q, eps)
        if sign_with_exp(a - best[0], b - best[1], eps) > 0:
            best = a, b
    return best


def pure_epsilon_ratio(randomizer, n, view="shuffled"):
    """e^eps of pure privacy: max of P(y)/Q(y) over outcomes and neighbours, at least 1; None where infinite."""
    worst = Fraction(1)
    for P, Q in pairs_of_laws(randomizer, n, view):
        for y, p in P.items():
            if p and not Q.get(y):
                return None
            worst = max(worst, p / Q[y] if p else worst)
    return worst


def pair_epsilon_ratio(P, Q, delta):
    """The smallest t >= 1 with hockey_stick(P, Q, t) <= delta; None where no t is enough.

    The function of t is convex, decreasing and linear between the ratios P(y)/Q(y). Between two of them it is
    A - B t with A and B summed over the outcomes of larger ratio, so the answer is (A - delta)/B of the right piece.
    """
    if hockey_stick(P, Q, Fraction(1)) <= delta:
        return Fraction(1)
    if sum((p for y, p in P.items() if not Q.get(y)), Fraction(0)) > delta:
        return None
    for right in sorted(ratio for y, p in P.items() if Q.get(y) and (ratio := p / Q[y]) > 1):
        if hockey_stick(P, Q, right) <= delta:
            above = [y for y, p in P.items() if p >= right * Q.get(y, 0)]
            return (sum(P[y] for y in above) - delta) / sum(Q.get(y, Fraction(0)) for y in above)
    raise AssertionError("the last ratio leaves only the outcomes with Q = 0")


def epsilon_ratio(randomizer, n, delta, view="shuffled"):
    """The smallest t = e^eps >= 1 with (eps, delta)-privacy over all pairs of neighbours; None where there is none."""
    worst = Fraction(1)
    for P, Q in pairs_of_laws(randomizer, n, view):
        t = pair_epsilon_ratio(P, Q, delta)
        if t is None:
            return None
        worst = max(worst, t)
    return worst


# Randomizers -------------------------------------------------------------------------------------------------------


def r_gap():
    """Balcer and Cheu, Claim 20: on 0 uniform over {0,1}^4, on 1 uniform over its ten tuples with sum other than 2."""
    cube = list(product("01", repeat=4))
    rest = [bits for bits in cube if bits.count("1") != 2]
    return {"0": {bits: Fraction(1, 16) for bits in cube}, "1": {bits: Fraction(1, 10) for bits in rest}}


def r_infinity():
    """Balcer and Cheu, Claim 19: send (x, 1 - x)."""
    return {"0": {("0", "1"): Fraction(1)}, "1": {("1", "0"): Fraction(1)}}


def rr(flip):
    """Binary randomized response: send x w.p. 1 - flip, else 1 - x."""
    flip = Fraction(flip)
    return {"0": _row({("0",): 1 - flip, ("1",): flip}), "1": _row({("0",): flip, ("1",): 1 - flip})}


def krr(k, gamma):
    """k-ary randomized response: x w.p. 1 - gamma, else uniform over all k: truth 1 - gamma + gamma/k."""
    gamma = Fraction(gamma)
    labels = [str(j) for j in range(k)]
    return {x: _row({(y,): gamma / k + (1 - gamma if x == y else 0) for y in labels}) for x in labels}


def zsum(p):
    """Balcer and Cheu, Figure 1: send x + z ones, z ~ Ber(p)."""
    p = Fraction(p)
    return {str(x): _row({("1",) * x: 1 - p, ("1",) * (x + 1): p}) for x in (0, 1)}


def hist(d, p):
    """Balcer and Cheu, Figure 2: for each j = 1..d send 1[x = j] + z_j copies of j, z_j ~ Ber(p) independent."""
    p = Fraction(p)
    rows = {}
    for x in range(1, d + 1):
        rows[str(x)] = _row(
            {
                tuple(chain(*((str(j),) * (z + (j == x)) for j, z in enumerate(noise, 1)))): _bits(noise, p)
                for noise in product((0, 1), repeat=d)
            }
        )
    return rows


def rappor(d, flip):
    """One message, the d-bit string that is 1 at x only (x = 1..d), every bit flipped independently w.p. flip."""
    return {x: {("".join(bits),): p for bits, p in row.items()} for x, row in _one_hot(d, flip).items()}


def fragmented_rappor(d, flip):
    """The bits of rappor as d messages "j:b", j = 1..d."""
    return {
        x: {tuple(f"{j}:{b}" for j, b in enumerate(bits, 1)): p for bits, p in row.items()}
        for x, row in _one_hot(d, flip).items()
    }


def _one_hot(d, flip):
    flip = Fraction(flip)
    return {
        str(x): _row(
            {
                bits: _bits([(j == x) != (b == "1") for j, b in enumerate(bits, 1)], flip)
                for bits in product("01", repeat=d)
            }
        )
        for x in range(1, d + 1)
    }


def _bits(bits, p):
    return prod((p if bit else 1 - p for bit in bits), start=Fraction(1))


def _row(weights):
    """The row without its outputs of probability zero."""
    assert sum(weights.values()) == 1
    return {sent: p for sent, p in weights.items() if p}
