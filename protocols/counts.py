"""What several systems share: counts that are seen with additive noise of one law, alone or one in each bucket."""

from verify.noise import Noise
from verify.reach import Named, Pairs, Reach
from verify.shift import Shift
from verify.window import Product, Reversed, Sums


def count_reach(noise: Noise, by: str, sensitivity: int = 1) -> Reach:
    """s + noise is seen, for an integer s in which neighbours differ by at most `sensitivity`, either way."""
    shifts = [sign * j for j in range(1, sensitivity + 1) for sign in (1, -1)]
    members = [Named(Shift(noise, j), str(max(j, 0)), str(max(-j, 0))) for j in shifts]
    mechanism = {"view": "count", "noise": noise.to_json(), "sensitivity": sensitivity}
    return Reach(Pairs(members), by, sensitivity + 1, mechanism=mechanism)


def histogram_reach(noise: Noise, buckets: int, by: str) -> Reach:
    """c_b + noise is seen for every bucket b; neighbours move one unit from a bucket to another.

    The pair (X + 1, Y) against (X, Y + 1) is its own reverse up to the order of its coordinates.
    """
    up = Sums((noise,), (noise,), 1)
    mechanism = {"view": "histogram", "noise": noise.to_json(), "buckets": buckets}
    pairs = Pairs([Named(Product(up, Reversed(up)), "1", "2")])
    return Reach(pairs, by, buckets, mechanism=mechanism)
