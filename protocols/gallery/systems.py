"""Systems of the catalogue as randomizers that the field deploys or publishes: tables at a small size, and `DEPLOYED`.

Those have the sizes at which companies deploy them, or for which they are made: no table could be written, and bounds
count outputs in place of listing them. All claim that local eps = eps0.
"""

from fractions import Fraction
from functools import partial

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.protocols.gallery.sketches import SOURCE as SKETCHES
from shufflecert.protocols.gallery.telemetry import DEPLOYED as IN_WINDOWS
from shufflecert.protocols.gallery.telemetry import SOURCE as TELEMETRY
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems import catalogue

KRR = "Kairouz, Oh and Viswanath, Extremal mechanisms for local differential privacy, NIPS 2014; k = 2: Warner 1965"
LOCAL = "Wang, Blocki, Li and Jha, Locally differentially private protocols for frequency estimation, USENIX Sec. 2017"
BINARY = f"{LOCAL}, Sec. 4; Bassily and Smith, Local, private, efficient protocols for succinct histograms, STOC 2015"
SUBSETS = (
    "Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, IEEE Trans."
    " Inf. Theory 64(8), 2018; Wang et al., arXiv:1607.08025, 2016"
)
HADAMARD = (
    "Acharya, Sun and Zhang, Hadamard response: estimating distributions privately, efficiently, and with little"
    " communication, AISTATS 2019"
)
CHROME = (
    "Erlingsson, Pihur and Korolova, RAPPOR, CCS 2014; Chromium, components/rappor, sites: 128 bits, 2 hash functions,"
    " f = 1/2"
)
CHOSEN = "size and eps are chosen here"


def table(system: str, power: Fraction, **given: object) -> Randomizer:
    """The table of a system with e^eps0 = `power`."""
    return catalogue.make(system, _with(Eps.log(power), given)).randomizer()


def _with(eps0: Eps, given: dict[str, object]) -> dict[str, str]:
    return {"eps0": str(eps0), **{name: str(value) for name, value in given.items()}}


def _table(name: str, title: str, source: str, system: str, power: str, note: str, **given: object) -> Entry:
    odds = Fraction(power)
    made, eps0 = partial(table, system, odds, **given), Eps.log(odds)
    return Entry(name, title, source, _with(eps0, given), eps0, "eps", made, note)


def _deployed(
    name: str, title: str, source: str, system: str, eps0: str, note: str = CHOSEN, formula: str = "eps", **more: object
) -> Entry:
    parameters = _with(Eps.of(eps0), more)
    made = partial(catalogue.make, system, parameters)
    return Entry(name, title, source, parameters, Eps.of(eps0), formula, made, note)


ENTRIES = (
    _table("randomized_response", "k-ary randomized response (direct encoding)", KRR, "krr", "3", "", k=4),
    _table(
        "subset_selection",
        "k-subset mechanism (subset selection)",
        SUBSETS,
        "subset_selection",
        "3/2",
        "e^eps is taken as 3/2, so that k = d / (e^eps + 1) is 2",
        d=5,
    ),
    _table("hadamard_response", "Hadamard response", HADAMARD, "hadamard_response", "3", "high-privacy scheme", K=8),
    _table(
        "symmetric_unary_encoding",
        "symmetric unary encoding",
        f"{LOCAL}, Sec. 4",
        "unary_encoding",
        "4",
        "",
        d=3,
        optimized="no",
    ),
    _table("optimal_unary_encoding", "optimal unary encoding", f"{LOCAL}, Sec. 4", "unary_encoding", "3", "", d=3),
    _table(
        "optimal_local_hashing",
        "optimal local hashing",
        f"{LOCAL}, Sec. 4",
        "olh",
        "2",
        "e^eps is taken as 2, so that g = e^eps + 1 is 3; all functions from two values to three",
        d=2,
    ),
    _table("binary_local_hashing", "binary local hashing", BINARY, "olh", "3", "all functions to bits", d=3, g=2),
    _table("d_bit_flip", "Microsoft's dBitFlip, d = 2", f"{TELEMETRY}; {IN_WINDOWS}", "dbitflip", "4", "", k=3, d=2),
    _table(
        "one_bit_flip",
        "Microsoft's dBitFlip, d = 1",
        f"{TELEMETRY}; {IN_WINDOWS}",
        "dbitflip",
        "4",
        "with a single bit a user's own bucket and another's are never sent together",
        k=3,
        d=1,
    ),
)
DEPLOYED = (
    _deployed(
        "count_mean_sketch_emoji",
        "Apple's count mean sketch, for emoji",
        f"{SKETCHES}; deployed with eps = 4, m = 1024, k = 65536",
        "count_mean_sketch",
        "4",
        "hash functions are taken as ideal; flips are rounded to more noise",
        m=1024,
        k=65536,
    ),
    _deployed(
        "rappor_chrome_memoized",
        "Chrome's RAPPOR, the permanent response alone",
        CHROME,
        "bloom_rappor",
        "log(81)",
        "of one report the gallery has rappor_chrome; here a value's hashes do not collide",
        "2 h log((1 - f/2) / (f/2))",
        bits=128,
        hashes=2,
    ),
    _deployed("d_bit_flip_32", "Microsoft's dBitFlip, 32 buckets, all bits", TELEMETRY, "dbitflip", "1", k=32, d=32),
    _deployed("optimal_local_hashing_1024", "optimal local hashing, 1024 values", LOCAL, "olh", "4", d=1024),
    _deployed("binary_local_hashing_1024", "binary local hashing, 1024 values", BINARY, "olh", "4", d=1024, g=2),
    _deployed(
        "optimal_unary_encoding_1024", "optimized unary encoding, 1024 values", LOCAL, "unary_encoding", "4", d=1024
    ),
    _deployed(
        "symmetric_unary_encoding_1024",
        "symmetric unary encoding, 1024 values",
        LOCAL,
        "unary_encoding",
        "4",
        d=1024,
        optimized="no",
    ),
    _deployed("subset_selection_1024", "subset selection, 1024 values", SUBSETS, "subset_selection", "1", d=1024),
    _deployed("hadamard_response_1024", "Hadamard response, K = 1024", HADAMARD, "hadamard_response", "1", K=1024),
)
