"""`symmetric_rappor`: one-hot bits flipped symmetrically (IETF draft-wang-ppm-differential-privacy).

The client randomization of the Prio draft. A user with value x in 1..d flips every bit of the one-hot string of x
independently with probability flip; the servers of Prio add the strings up, so that what is seen are the d sums. With
c_j users on j the sum of column j is

    Bin(c_j, 1 - flip) + Bin(n - c_j, flip),   independently for all j,

which is what `fragmented_rappor` shows once shuffled: here nobody shuffles, and the sums are all there is. Local eps =
2 log((1 - flip) / flip); `-p eps0=` takes that in the place of flip.
"""

from dataclasses import dataclass

from protocols.fragmented_rappor import FragmentedRAPPOR


@dataclass(frozen=True)
class SymmetricRAPPOR(FragmentedRAPPOR):
    """Symmetric RAPPOR of one-hot strings, summed by servers that show nothing else."""

    SERVES = ()  # `fragmented_rappor` stands for it where systems are compared
