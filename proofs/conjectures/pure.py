"""Beliefs about pure eps: what shuffling can change at delta = 0, and for whom."""

from itertools import permutations, product

from shufflecert.verify.search import Conjecture, Joined, Supports, Tables, bits, single_messages
from shufflecert.verify.search.conjecture import Parameters


def _singles(inputs: int, messages: int, denominator: int, n: int) -> Joined:
    return Joined(
        tuple(single_messages(inputs, m, d) for m in range(1, messages + 1) for d in range(1, denominator + 1))
    )


def _bits(max_messages: int, denominator: int, n: int) -> Joined:
    return Joined(tuple(bits(2, count, d) for count in range(1, max_messages + 1) for d in range(1, denominator + 1)))


def _words_of_bits(max_messages: int, denominator: int, n: int) -> Joined:
    parts = []
    for count in range(1, max_messages + 1):
        send = tuple(tuple(word) for word in product("01", repeat=count))
        at = {word: i for i, word in enumerate(send)}
        flips = [dict(zip("01", order, strict=True)) for order in permutations("01")]
        renamings = tuple(tuple(at[tuple(flip[b] for b in word)] for word in send) for flip in flips)
        parts += [Tables(2, send, d, renamings) for d in range(1, denominator + 1)]
    return Joined(tuple(parts))


def _bit_supports(max_messages: int, n: int) -> Joined:
    return Joined(tuple(Supports(2, bits(2, count, 1).send) for count in range(1, max_messages + 1)))


SINGLES: Parameters = {"inputs": 2, "messages": 3, "denominator": 5, "n": 4}
BITS: Parameters = {"max_messages": 4, "denominator": 6, "n": 4}

CONJECTURES = (
    Conjecture(
        "claim-18",
        "One message a user: the pure eps of n shuffled users is the local eps, for every n.",
        _singles,
        "all(epsilon(m) == local_epsilon() for m in range(1, n + 1))",
        SINGLES,
        "Balcer & Cheu 2020, Claim 18 (which says: at most)",
    ),
    Conjecture(
        "preshuffle-gap",
        "Each user sends some bits: the pure eps of n shuffled users is that of one user's bits, shuffled.",
        _bits,
        "all(epsilon(m) == epsilon(1) for m in range(2, n + 1))",
        BITS,
        "Balcer & Cheu 2020, Section 4: Claim 20 is a counterexample found by hand",
    ),
    Conjecture(
        "multi-message-gap",
        "Each user sends a word of bits: the pure eps of n shuffled users is the local eps.",
        _words_of_bits,
        "all(epsilon(m) == local_epsilon() for m in range(1, n + 1))",
        {"max_messages": 2, "denominator": 3, "n": 3},
        "Balcer & Cheu 2020, Claim 18 without its condition; Claim 19 is a counterexample found by hand",
    ),
    Conjecture(
        "pure-eps-falls",
        "The pure eps of n shuffled users does not grow with n.",
        _bits,
        "all(epsilon(m) <= epsilon(m - 1) for m in range(2, n + 1))",
        {"max_messages": 3, "denominator": 4, "n": 5},
        "One more user whose input is known is post-processing",
    ),
    Conjecture(
        "pure-eps-settles",
        "Once the pure eps of n shuffled users stops falling it stays what it is.",
        _bits,
        "all(epsilon(m + 1) == epsilon(m) or epsilon(m - 1) != epsilon(m) for m in range(2, n))",
        {"max_messages": 4, "denominator": 5, "n": 6},
    ),
    Conjecture(
        "infinite-stays",
        "Each user sends some bits: where one user's pure eps is infinite, so is that of n shuffled users.",
        _bit_supports,
        "epsilon(1) < inf or all(epsilon(m) == inf for m in range(2, n + 1))",
        {"max_messages": 5, "n": 4},
        "Balcer & Cheu 2020, Claim 20 is a counterexample found by hand",
    ),
)
