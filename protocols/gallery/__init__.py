"""The gallery: randomizers that the field deploys or publishes, each with its citation and the local eps it claims.

They are exact tables of small size, to be audited; no claim is taken as true.
`GALLERY` lists them all; the modules have the functions that build them, for other parameters. `DEPLOYED` lists systems
at the sizes at which they are deployed.
"""

from shufflecert.protocols.gallery import (
    attribution,
    keyvalue,
    rappor,
    reals,
    sketches,
    subset,
    sums,
    systems,
    telemetry,
)
from shufflecert.protocols.gallery.entry import Claim, Entry
from shufflecert.protocols.gallery.systems import DEPLOYED

__all__ = ["DEPLOYED", "GALLERY", "Claim", "Entry"]

GALLERY: tuple[Entry, ...] = (
    *systems.ENTRIES,
    *rappor.ENTRIES,
    *sketches.ENTRIES,
    *telemetry.ENTRIES,
    *subset.ENTRIES,
    *keyvalue.ENTRIES,
    *reals.ENTRIES,
    *sums.ENTRIES,
    *attribution.ENTRIES,
)
