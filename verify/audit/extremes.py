"""A quick test for an infinite pure eps at any number of users, without enumeration."""

from collections import Counter
from collections.abc import Mapping

from shufflecert.verify.exact.randomizer import Randomizer

MOST = 10**6  # scalar products that are looked at


def infinite_for_all(randomizer: Randomizer) -> bool:
    """Whether pure eps is infinite for every number of users, by one of some linear functions of the counts.

    Let w have a larger largest value on the outputs of x than on those of y. Where all others hold y, n users with one
    on x can reach a value that n users on y never do. Tried: the number of messages, of each kind of message, and the
    scalar products with the counts of each output; and their opposites.
    """
    sent = {x: [Counter(send) for send in law] for x, law in randomizer.rows.items()}
    kinds = [{m: 1} for m in randomizer.messages]
    outputs = {frozenset(send.items()): send for listed in sent.values() for send in listed}
    weights: list[Mapping[str, int]] = [dict.fromkeys(randomizer.messages, 1), *kinds, *outputs.values()]
    if len(weights) * sum(map(len, sent.values())) > MOST:
        weights = weights[: 1 + len(kinds)]
    for w in weights:
        values = [[sum(w.get(m, 0) * k for m, k in send.items()) for send in listed] for listed in sent.values()]
        if len({max(row) for row in values}) > 1 or len({min(row) for row in values}) > 1:
            return True
    return False
