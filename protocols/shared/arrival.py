"""A user who comes or goes, where s + noise is seen and every user adds a part of the noise: one more user, more noise.

Lemma. Let a user with input j in 0..sensitivity add j + Z to the view, and let the others add s' + Y, for a known
integer s' of their inputs. With the user j + X is seen beside s', X = Y + Z, and Y without; s' shifts both. So the
pairs of neighbours are (j + X, Y) and (Y, j + X) for j = 0, ..., sensitivity, and no others.

Proof. The view is s' + j + Y + Z or s' + Y, with Y and Z independent of each other and of all inputs, and s' is
the same on both sides: subtracting it renames outcomes.
"""

from collections.abc import Mapping
from fractions import Fraction

from shufflecert.protocols.shared.counts import tail_event
from shufflecert.verify import certificate
from shufflecert.verify.enclose.noise_laws import Binomial, Noise
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import NOBODY
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction

MOST = 50  # inputs: none of the pairs stands for another, so all are evaluated
SILENCE = Binomial(1, Fraction(0))  # no noise at all: what nobody adds


def arrival_reach(
    present: Noise, absent: Noise | None, sensitivity: int = 1, others: Mapping[str, int] | None = None
) -> Reduction:
    """The reduction where j + `present` is seen with a user on j, and `absent` (None: nothing) without.

    `others` where there is a table: others' inputs whose sum is 0. Then one message, "1", is counted, the ratio of the
    two laws is monotone, and a certificate is about the table. Raises BadInput for more than MOST inputs.
    """
    if sensitivity >= MOST:
        raise BadInput(
            f"sensitivity: {sensitivity}: who comes or goes is decided for each input: expected below {MOST}"
        )
    without = SILENCE if absent is None else absent
    members: list[NamedPair] = []
    for j in range(sensitivity + 1):
        pair, x = SumPair((present,), (without,), j), str(j)
        tails = [None if others is None else tail_event(pair, "1", back) for back in (False, True)]
        members += [
            NamedPair(pair, x, NOBODY, others, tails[0]),
            NamedPair(pair.reversed(), NOBODY, x, others, tails[1]),
        ]
    mechanism = certificate.presence(present.to_json(), without.to_json(), sensitivity) if others is None else None
    by = "the others only shift both sides (proof in protocols/shared/arrival.py), every input evaluated"
    return Reduction(Pairs(members), by, sensitivity + 1, mechanism=mechanism)
