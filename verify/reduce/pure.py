"""The pure eps of a randomizer at any n, delta(eps) = 0: an end of the numbers of messages below, fewer users above.

Lemma (fewer users). The smallest eps with delta(eps) = 0 does not rise with n. Proof. Who sees the shuffled messages of
m users can add those of n - m more who hold given inputs. So the views of n users, of whom one changes, are made from
those of this one and any m - 1 of the others, by a rule that does not know what the one who changes holds.

So what m <= n users need, found by enumeration, or what one user alone needs, is enough for n users.

Lemma (ends). Order outputs by their numbers of messages, lexicographically, so that sums keep the order. Let t_x be the
largest output of row x and f_x its probability, all outputs that are equal in this order together. With all others on
z, any input, consider the total t_a + (n - 1) t_z. A user on a gives it with probability f_a f_z^(n - 1). With the user
on b no total is larger than t_b + (n - 1) t_z: if t_a = t_b it has probability f_b f_z^(n - 1), if t_a > t_b it has 0.
So eps is at least log(f_a / f_b) in the first case, at every n, and no eps is enough in the second. One of a and b may
be the row of a user who is absent, or on the reference, on which no other user is.

Where both meet, the answer is exact. For `r_gap` (BC Claim 20) they do at four users: log(8/5) at every n >= 4.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from flint import fmpq

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Neighbourhood, changes, unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, NOBODY, Randomizer
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.exact.views import Multiset, View, view_of
from shufflecert.verify.reduce.privacy_blanket import event_of
from shufflecert.verify.reduce.reduction import Found, NamedPair, Threshold

WORK = 200_000  # units up to which fewer users are enumerated: about a second
MOST_USERS = 64  # that are enumerated
MOST_KEPT = 6  # messages up to which ends are looked for by the numbers of two of them, else of one
LARGEST = fmpq(1 << 14_000)  # e^eps; eps is not looked for beyond about 10000
BELOW = "an end of the numbers of messages, the others all on any one input (below)"
HERE = "proofs in verify/reduce/pure.py"
Order = Sequence[tuple[int, int]]  # (message, 1 or -1): by the number of the first, then of the next, up or down


def pure_epsilon(randomizer: Randomizer, n: int) -> tuple[Fraction | None, Fraction | None, Found]:
    """The smallest eps with delta(eps) = 0 for all datasets of n users, both directions: (low, high, what was found).

    As `verify.reduce.reduction.worst_epsilon` answers: both None where no eps is enough, high None where none is shown
    to be. `Found.exact` where the two meet; else low and high are rounded outwards, in nats.
    """
    view = view_of(randomizer)
    least, a, b, order = _below(view)
    worst = _named(randomizer, view, a, b, n, order)
    if least is None:
        return None, None, Found(Interval(Fraction(0), Fraction(1)), worst, 1, by=f"{BELOW}, {HERE}")
    users, most, pairs = _above(randomizer, view, n, least)
    by = f"{BELOW}; what {users} user{'s need' if users > 1 else ' needs'} (above); {HERE}"
    least = min(least, LARGEST)
    exact = Eps.log(rational(least)) if least == most else None
    high = None if most is None or most > LARGEST else Fraction(Eps.log(rational(most)).enclosure(30)[1])
    low = Fraction(Eps.log(rational(least)).enclosure(30)[0])
    return low, high, Found(Interval(Fraction(0), Fraction(1)), worst, pairs, by=by, exact=exact)


def fewer_users(randomizer: Randomizer, n: int) -> Neighbourhood | None:
    """The datasets of the most of 1, 2, 4, ... users, no more than n, that are enumerated in about a second.

    By the lemma of fewer users what bounds all of them bounds all datasets of n users; None where even one is too much.
    """
    found, users = None, 1
    while users <= min(n, MOST_USERS):
        around = unchecked(randomizer, users, "shuffled", WORK, EVERYBODY)
        if not around.affordable:
            break
        found, users = around, 2 * users
    return found


def _below(view: View) -> tuple[fmpq | None, int, int, Order]:
    """(e^eps, a, b, order): what the ends show to be needed, None for no finite eps, and the rows that show it."""
    moves = changes(view)
    best: tuple[fmpq | None, int, int, Order] = fmpq(1), *next(iter(moves), (0, 0)), ()
    for order in _orders(view):
        ends, key = [], _key(order)
        for row in view.rows:
            top = max(map(key, row))
            ends.append((top, sum(weight for sent, weight in row.items() if key(sent) == top)))
        if further := [(a, b) for a, b in moves if ends[a][0] > ends[b][0]]:
            most = max(ends[a][0] for a, _ in further)
            _, a, b = min((ends[b][0], a, b) for a, b in further if ends[a][0] == most)
            return None, a, b, order
        for a, b in moves:
            if best[0] is not None and (ratio := fmpq(ends[a][1], ends[b][1])) > best[0]:
                best = ratio, a, b, order
    return best


def _key(order: Order) -> Callable[[Multiset], tuple[int, ...]]:
    def key(sent: Multiset) -> tuple[int, ...]:
        numbers: dict[int, Any] = dict(sent)
        return tuple(sign * numbers.get(i, 0) for i, sign in order)

    return key


def _orders(view: View) -> Iterator[Order]:
    """Orders of outputs that sums keep: by the number of one message, then of another, up or down."""
    several = 1 < len(view.kept) <= MOST_KEPT
    for chosen in product(view.kept, repeat=2 if several else 1):
        for signs in product((1, -1), repeat=len(chosen)):
            yield list(zip(chosen, signs, strict=True))


def _above(randomizer: Randomizer, view: View, n: int, least: fmpq) -> tuple[int, fmpq | None, int]:
    """(m, e^eps, pairs): what m <= n users need is enough, None where nothing is shown to be, m as few as will do."""
    best: tuple[int, fmpq | None] = 1, _alone(view)
    users, pairs = 2, 1
    while users <= min(n, MOST_USERS) and best[1] != least:
        around = unchecked(randomizer, users, "shuffled", WORK, EVERYBODY)
        if not around.affordable:
            break
        found, more = _enumerated(around)
        pairs += more
        if found is not None and (best[1] is None or found < best[1]):
            best = users, found
        users *= 2
    return *best, pairs


def _alone(view: View) -> fmpq | None:
    """The largest ratio of one output's weights in two rows that change into each other, None where it is infinite."""
    largest = fmpq(1)
    for a, b in changes(view):
        other = view.rows[b]
        for sent, weight in view.rows[a].items():
            if not (below := other.get(sent, 0)):
                return None
            if weight * largest.q > largest.p * below:
                largest = fmpq(weight, below)
    return largest


def _enumerated(around: Neighbourhood) -> tuple[fmpq | None, int]:
    """(the largest ratio of the probabilities of an outcome, None where it is infinite; the pairs that were looked at).

    Of all pairs of neighbours.
    """
    largest, pairs = fmpq(1), 0
    for case in around.cases(around.representatives()):
        pairs += 1
        for p, q in zip(case.pair.p, case.pair.q, strict=True):
            if p * largest.q > largest.p * q:
                if not q:
                    return None, pairs
                largest = fmpq(p, q)
    return largest, pairs


def _named(randomizer: Randomizer, view: View, a: int, b: int, n: int, order: Order) -> NamedPair | None:
    """The datasets of the ends; the event is that the total is the largest in this order, which weights write."""
    if a == b:
        return None
    source, target = view.inputs[a], view.inputs[b]
    held = target if source == NOBODY else source
    others = {held: n - 1} if n > 1 else {}
    large = 1 + max((count for row in view.rows for sent in row for _, count in sent), default=0)  # outweighs the next
    weights = {view.messages[i][0]: sign * large**k for k, (i, sign) in enumerate(order[::-1])}
    own, other = (max(sum(weights.get(m, 0) for m in sent) for sent in randomizer.rows[x]) for x in (source, held))
    threshold = Threshold(weights, own + (n - 1) * other - 1)
    return NamedPair(event_of(randomizer, source, target, others), source, target, others, lambda _, __: threshold)
