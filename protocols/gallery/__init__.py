"""The gallery: randomizers that the field deploys or publishes, each with its citation and the local eps it claims.

They are exact tables of small size, to be audited; none is a system of `protocols`, and no claim is taken as true.
`GALLERY` lists them all; the modules have the functions that build them, for other parameters. `DEPLOYED` lists systems
at the sizes at which they are deployed.
"""

from shufflecert.protocols.gallery import (
    attribution,
    hashing,
    keyvalue,
    rappor,
    reals,
    sketches,
    subset,
    sums,
    telemetry,
    unary,
)
from shufflecert.protocols.gallery.deployed import DEPLOYED, Deployed
from shufflecert.protocols.gallery.entry import Claim, Entry

__all__ = ["DEPLOYED", "GALLERY", "Claim", "Deployed", "Entry"]

GALLERY: tuple[Entry, ...] = (
    *rappor.ENTRIES,
    *unary.ENTRIES,
    *sketches.ENTRIES,
    *telemetry.ENTRIES,
    *subset.ENTRIES,
    *hashing.ENTRIES,
    *keyvalue.ENTRIES,
    *reals.ENTRIES,
    *sums.ENTRIES,
    *attribution.ENTRIES,
)
