"""Beliefs about pure eps: what shuffling can change at delta = 0, and for whom."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product

from proofs.small import power
from verify.decide.certify import Certified, certify
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import text
from verify.search import Conjecture, Hit, Joined, Supports, Table, Tables, bits, single_messages
from verify.search.conjecture import Parameters

Powers = tuple[Fraction | None, ...]  # e^eps of n = 1, 2, ...; None where infinite


def shuffled_powers(case: Table, users: int) -> Powers:
    """e^eps at delta = 0 of 1, 2, ..., `users` users, shuffled, over all datasets."""
    randomizer = case.randomizer()
    return tuple(power(randomizer, n) for n in range(1, users + 1))


def said(p: Fraction | None) -> str:
    """The eps of a power e^eps in words: "infinite" for None."""
    return "infinite" if p is None else str(Eps.log(p))


def _singles(inputs: int, messages: int, denominator: int, n: int) -> Joined:
    return Joined(
        tuple(single_messages(inputs, m, d) for m in range(1, messages + 1) for d in range(1, denominator + 1))
    )


def _bits(max_messages: int, denominator: int, n: int) -> Joined:
    return Joined(tuple(bits(2, count, d) for count in range(1, max_messages + 1) for d in range(1, denominator + 1)))


# Claim 18, and where it ends -----------------------------------------------------------------------------------------


def _claim_18(case: Table, *, n: int, **_: int) -> bool:
    local = power(case.randomizer(), 1, "local")
    return all(found == local for found in shuffled_powers(case, n))


def _no_gap(case: Table, *, n: int, **_: int) -> bool:
    first, *others = shuffled_powers(case, n)
    return all(found == first for found in others)


def _gap(case: Table, **parameters: int) -> Hit:
    """The gap, with two certificates: one user does not keep what many users keep."""
    found = shuffled_powers(case, parameters["n"])
    users = next(i for i, p in enumerate(found, 1) if p != found[0])
    words = (
        f"each user sends {len(case.send[0])} bits, weights {_weights(case)}: pure eps {said(found[0])} for one user,"
        f" and {said(found[users - 1])} for {users}"
    )
    return Hit(
        words, _numbers(case, found), _beside(case.randomizer(), users, found[users - 1], "one user", "shuffled")
    )


def _beside(randomizer: Randomizer, users: int, kept: Fraction | None, alone: str, view: str) -> dict[str, Certified]:
    """What so many users keep, for one user, called `alone` in a view, and for all of them."""
    assert kept is not None
    eps = Eps.log(kept)
    return {alone: certify(randomizer, 1, eps, 0, view), f"{users} users": certify(randomizer, users, eps, 0)}


def _weights(case: Table) -> str:
    return " and ".join("(" + ", ".join(map(str, row)) + f")/{case.denominator}" for row in case.rows)


def _numbers(case: Table, found: Powers) -> Mapping[str, object]:
    return {"table": case.to_json(), "e^eps": [None if p is None else text(p) for p in found]}


# Datasets do not grow worse ------------------------------------------------------------------------------------------


def _non_increasing(case: Table, *, n: int, **_: int) -> bool:
    found = [Fraction(-1) if p is None else p for p in shuffled_powers(case, n)]
    return all(later <= before or before == -1 for before, later in pairwise(found) if later != -1)


def _settles(case: Table, *, n: int, **_: int) -> bool:
    """Once it is the same for n - 1 and n users, it is for n + 1 as well."""
    found = shuffled_powers(case, n)
    return all(found[i + 1] == found[i] or found[i - 1] != found[i] for i in range(1, len(found) - 1))


def _unsettled(case: Table, **parameters: int) -> Hit:
    found = shuffled_powers(case, parameters["n"])
    words = f"weights {_weights(case)}: pure eps of 1, 2, ... users is {', '.join(map(said, found))}"
    return Hit(words, _numbers(case, found))


# Ordered messages ----------------------------------------------------------------------------------------------------


def _words_of_bits(max_messages: int, denominator: int, n: int) -> Joined:
    parts = []
    for count in range(1, max_messages + 1):
        send = tuple(tuple(word) for word in product("01", repeat=count))
        at = {word: i for i, word in enumerate(send)}
        flips = [dict(zip("01", order, strict=True)) for order in permutations("01")]
        renamings = tuple(tuple(at[tuple(flip[b] for b in word)] for word in send) for flip in flips)
        parts += [Tables(2, send, d, renamings) for d in range(1, denominator + 1)]
    return Joined(tuple(parts))


def _local_gap(case: Table, **parameters: int) -> Hit:
    local, found = power(case.randomizer(), 1, "local"), shuffled_powers(case, parameters["n"])
    used = [(messages, row) for messages, row in zip(case.send, zip(*case.rows, strict=True), strict=True) if any(row)]
    sent = ", ".join(f"{''.join(messages)} with weights {' and '.join(map(str, row))}" for messages, row in used)
    words = f"{sent} of {case.denominator}: local eps {said(local)}, shuffled {', '.join(map(said, found))}"
    users = next(i for i, p in enumerate(found, 1) if p != local)
    return Hit(words, _numbers(case, found), _beside(case.randomizer(), users, found[users - 1], "local", "local"))


# Supports ------------------------------------------------------------------------------------------------------------


def _bit_supports(max_messages: int, n: int) -> Joined:
    return Joined(tuple(Supports(2, bits(2, count, 1).send) for count in range(1, max_messages + 1)))


def _stays_infinite(case: Table, *, n: int, **_: int) -> bool:
    """eps is finite where all datasets have the same outcomes with all others alike: sumsets of the inputs' counts."""
    counts = [{ones for ones, bit in enumerate(row) if bit} for row in case.rows]
    return counts[0] == counts[1] or not any(_finite(counts, users) for users in range(2, n + 1))


def _finite(counts: Sequence[set[int]], users: int) -> bool:
    """Whether one user's input never changes which numbers of 1s can be seen, whatever the others hold."""
    for ones in range(users):
        others = {0}
        for x in (1,) * ones + (0,) * (users - 1 - ones):
            others = {a + b for a in others for b in counts[x]}
        if {a + b for a in others for b in counts[0]} != {a + b for a in others for b in counts[1]}:
            return False
    return True


def _made_finite(case: Table, **parameters: int) -> Hit:
    """The supports with all their outputs equally likely: infinite eps for one user, finite eps for more."""
    rows = [[(send, f"1/{sum(row)}") for send, bit in zip(case.send, row, strict=True) if bit] for row in case.rows]
    randomizer = Randomizer.build([(str(x), row) for x, row in enumerate(rows)])
    counts = [{ones for ones, bit in enumerate(row) if bit} for row in case.rows]
    users = next(n for n in range(2, parameters["n"] + 1) if _finite(counts, n))
    kept = power(randomizer, users)
    shown = " and ".join("{" + ", ".join(map(str, sorted(count))) + "}" for count in counts)
    words = (
        f"{len(case.send) - 1} bits with {shown} of them 1, all as likely: pure eps infinite for one user, and"
        f" {said(kept)} for {users}"
    )
    certificates = _beside(randomizer, users, kept, "one user", "shuffled")
    return Hit(words, {"supports": [sorted(count) for count in counts], "users": users}, certificates)


SINGLES: Parameters = {"inputs": 2, "messages": 3, "denominator": 5, "n": 4}
BITS: Parameters = {"max_messages": 4, "denominator": 6, "n": 4}

CONJECTURES = (
    Conjecture(
        "claim-18",
        "One message a user: the pure eps of n shuffled users is the local eps, for every n.",
        _singles,
        _claim_18,
        SINGLES,
        "Balcer & Cheu 2020, Claim 18 (which says: at most)",
    ),
    Conjecture(
        "preshuffle-gap",
        "Each user sends some bits: the pure eps of n shuffled users is that of one user's bits, shuffled.",
        _bits,
        _no_gap,
        BITS,
        "Balcer & Cheu 2020, Section 4: Claim 20 is a counterexample found by hand",
        explain=_gap,
    ),
    Conjecture(
        "multi-message-gap",
        "Each user sends a word of bits: the pure eps of n shuffled users is the local eps.",
        _words_of_bits,
        _claim_18,
        {"max_messages": 2, "denominator": 3, "n": 3},
        "Balcer & Cheu 2020, Claim 18 without its condition; Claim 19 is a counterexample found by hand",
        explain=_local_gap,
    ),
    Conjecture(
        "pure-eps-falls",
        "The pure eps of n shuffled users does not grow with n.",
        _bits,
        _non_increasing,
        {"max_messages": 3, "denominator": 4, "n": 5},
        "One more user whose input is known is post-processing",
    ),
    Conjecture(
        "pure-eps-settles",
        "Once the pure eps of n shuffled users stops falling it stays what it is.",
        _bits,
        _settles,
        {"max_messages": 4, "denominator": 5, "n": 6},
        explain=_unsettled,
    ),
    Conjecture(
        "infinite-stays",
        "Each user sends some bits: where one user's pure eps is infinite, so is that of n shuffled users.",
        _bit_supports,
        _stays_infinite,
        {"max_messages": 5, "n": 4},
        "Balcer & Cheu 2020, Claim 20 is a counterexample found by hand",
        explain=_made_finite,
    ),
)
