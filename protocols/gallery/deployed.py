"""Systems at the sizes at which companies deploy them, or for which they are made: no table could be written.

What an `Entry` is for a table, a `Deployed` is for a system: its bounds count outputs in place of listing them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.gallery.hashing import SOURCE as HASHING
from shufflecert.protocols.gallery.sketches import SOURCE as SKETCHES
from shufflecert.protocols.gallery.telemetry import SOURCE as TELEMETRY
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import System

CHOSEN = "size and eps are chosen here"
RAPPOR = "Erlingsson, Pihur and Korolova, RAPPOR, CCS 2014"


@dataclass(frozen=True)
class Deployed:
    """A system with parameters, as text, and the local eps that its source claims for them."""

    name: str
    title: str
    source: str
    system: str
    parameters: Mapping[str, str]
    claimed_local_eps: Eps
    claim_formula: str = "eps"
    note: str = ""

    def made(self) -> System:
        """The system."""
        return catalogue.load(self.system, self.parameters)


DEPLOYED = (
    Deployed(
        "count_mean_sketch_emoji",
        "Apple's count mean sketch, for emoji",
        f"{SKETCHES}; deployed with eps = 4, m = 1024, k = 65536",
        "count_mean_sketch",
        {"eps0": "4", "m": "1024", "k": "65536"},
        Eps.of(4),
        note="hash functions are taken as ideal; flips are rounded to more noise",
    ),
    Deployed(
        "rappor_chrome_memoized",
        "Chrome's RAPPOR, the permanent response alone",
        f"{RAPPOR}; Chromium, components/rappor, sites: 128 bits, 2 hash functions, f = 1/2",
        "bloom_rappor",
        {"eps0": "log(81)", "bits": "128", "hashes": "2"},
        Eps.log(Fraction(81)),
        "2 h log((1 - f/2) / (f/2))",
        "of one report the gallery has rappor_chrome; here a value's hashes do not collide",
    ),
    Deployed(
        "d_bit_flip_32",
        "Microsoft's dBitFlip, 32 buckets, all bits",
        TELEMETRY,
        "dbitflip",
        {"eps0": "1", "k": "32", "d": "32"},
        Eps.of(1),
        note=CHOSEN,
    ),
    *(
        Deployed(
            f"{name}_1024",
            f"{title}, 1024 values",
            HASHING,
            system,
            {"eps0": "4", "d": "1024", **more},
            Eps.of(4),
            note=CHOSEN,
        )
        for name, title, system, more in (
            ("optimal_local_hashing", "optimal local hashing", "olh", {}),
            ("binary_local_hashing", "binary local hashing", "olh", {"g": "2"}),
            ("optimal_unary_encoding", "optimized unary encoding", "unary_encoding", {}),
            ("symmetric_unary_encoding", "symmetric unary encoding", "unary_encoding", {"optimized": "no"}),
        )
    ),
    Deployed(
        "subset_selection_1024",
        "subset selection, 1024 values",
        "Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, 2018",
        "subset_selection",
        {"eps0": "1", "d": "1024"},
        Eps.of(1),
        note=CHOSEN,
    ),
    Deployed(
        "hadamard_response_1024",
        "Hadamard response, K = 1024",
        "Acharya, Sun and Zhang, Hadamard response: estimating distributions privately, AISTATS 2019",
        "hadamard_response",
        {"eps0": "1", "K": "1024"},
        Eps.of(1),
        note=CHOSEN,
    ),
)
