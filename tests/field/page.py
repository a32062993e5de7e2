"""protocols/gallery/FIELD.md: the rows, and what there is to say about them."""

from fractions import Fraction
from functools import cache
from importlib.metadata import version
from pathlib import Path

import mpmath

from shufflecert.protocols.gallery import GALLERY, Entry
from shufflecert.verify.exact.rational import text
from tests.field import boxes, of_diffprivlib, of_multi_freq_ldpy, of_others, of_pure_ldp
from tests.field.boxes import Boxed
from tests.field.found import DIGITS, Ratio, defined, followed, said, signed, worst_ratio
from tests.field.mechanism import Mechanism, decimal, present
from tests.reference import real

PAGE = Path(__file__).resolve().parents[2] / "protocols" / "gallery" / "FIELD.md"
FOLLOWED = {
    "pure-ldp": of_pure_ldp.mechanisms,
    "multi-freq-ldpy": of_multi_freq_ldpy.mechanisms,
    "ldp-toolbox": of_others.of_ldp_toolbox,
    "ldp-hierarchical-mechanism": of_others.of_hierarchical,
    "diffprivlib": of_diffprivlib.mechanisms,
    "insurance-fairness-ldp": of_others.of_insurance,
    "privadjust": of_others.of_privadjust,
    "trasgodp": of_others.of_trasgodp,
}
DEFINED = (
    "attribution_reporting_event", "ipa_padding", "ipa_padding_of_ten", "nprr_package", "rappor_google_client",
)  # fmt: skip
NEEDS = {"ldp-hierarchical-mechanism": "pure-ldp"}


def mechanisms() -> list[Mechanism]:
    """Of the libraries that are installed."""
    there = {library for library in FOLLOWED if present(library) and present(NEEDS.get(library, library))}
    return [mechanism for library, make in FOLLOWED.items() if library in there for mechanism in make()]


def named(library: str) -> str:
    return f"{library} {version(library)}"


@cache
def row(mechanism: Mechanism) -> tuple[str, ...]:
    """Its line of the page."""
    laws = [followed(mechanism, deployed) for deployed in (False, True)]
    written, run = (signed(worst_ratio(law), mechanism.claimed) for law in laws)
    claimed = f"{decimal(mechanism.claimed)}{f' ({mechanism.says})' if mechanism.says else ''}"
    return mechanism.name, mechanism.seam, claimed, mechanism.holds, written, run, said(mechanism), mechanism.remark


def boxed_row(box: Boxed, samples: int = boxes.SAMPLES) -> tuple[str, ...]:
    """Its line of the table of what is run; `contradicted` at CONFIDENCE, of `samples` runs of each input."""
    found = "contradicted" if box.run(samples).contradicted else "not contradicted"
    surplus = "" if box.ratio is None else signed(Ratio(box.ratio, box.ratio), box.claimed)
    return named(box.library), box.name, decimal(box.claimed), surplus, found, box.remark


def entries() -> list[Entry]:
    """What the gallery builds from the definition, or the arithmetic, of code that is not installed."""
    return [entry for entry in GALLERY if entry.name in DEFINED]


def entry_row(entry: Entry) -> tuple[str, ...]:
    bound = f" at {text(entry.claimed_delta)}" if entry.claimed_delta else ""
    set_to = ", ".join(f"{name} = {value}" for name, value in entry.parameters.items())
    claimed, kept, said_of_it = defined(entry)
    return f"`{entry.name}`", entry.source, set_to, f"{claimed}{bound}", kept, said_of_it, entry.note


def conversions() -> list[tuple[str, ...]]:
    """What pure-ldp's RAPPORClient.convert_eps_to_f gives back, per hash function: 2 k log((1 - f/2) / (f/2))."""
    client = of_pure_ldp.pure_ldp()["frequency_oracles"].RAPPORClient(0.5, 4, [])
    return [(str(eps), repr(f := client.convert_eps_to_f(eps)), given(f, 1), given(f, 2)) for eps in (1, 3, 6, 12)]


def given(f: float, k: int) -> str:
    if not f:
        return "infinite"
    half = Fraction(repr(f)) / 2
    with mpmath.workdps(DIGITS):
        return str(mpmath.nstr(2 * k * mpmath.log(real((1 - half) / half)), 5))


HEAD = """\
# The field's mechanisms, audited as they are

What {count} public libraries claim, and what their unmodified objects keep. These are facts of the versions that are
named, for the parameters that are named; every row is derived anew by `tests/test_field_mechanisms.py`, and this page
is written by `python -m tests.field`.

## Observed on every path: the exact law

Local eps at delta = 0. All of these libraries are in the second tier of an audit
([verify/RANDOMIZER.md](../../verify/RANDOMIZER.md#followed-or-observed)):
their code is run as it stands, and the law is that of every path that was observed; assumed is that the functions
keep no state and draw from this source alone. The enumerating source (`verify/audit`) is put where the library takes
its randomness from, by names that `shufflecert audit --patch` takes (shortened here), or by the library's own
parameter. "As written" reads every double as the decimal that it is written as, and `random()` as uniform on [0, 1);
"deployed", doubles are what they are and `random()` is a multiple of 2^-53. Both columns are the exact local eps
minus the claimed one, to two digits: above 0 the claim is broken, by so much. The verdict is the certifier's, on both
laws. *Broken by rounding*: the claim would be kept if every probability were 2^-50 off, in the direction that helps.
What is **broken** beyond that is shown by an event: one output, and its probability on two inputs.
"""

KNOWN = """\
The bug that LDP-Auditor found in `UEClient` before 1.2.0 (pure-LDP's issue 11; Arcolezi and Gambs, arXiv:2309.01597),
the user's own bit was 1 with probability p + (1 - p) q, is mended. Its four lines, followed to the end, keep
eps = 1.6803 (SUE) and 1.5514 (OUE) where 1 is claimed. pure-ldp has no subset selection.
"""

RUN = """\
## Run, not followed

OpenDP draws inside its compiled library, ldp-toolbox's thresholded histogram encoding takes Laplace noise, hll-py one
of 2^64 numbers. {samples} runs of each input, at confidence 1 - 10^-9: not contradicted is not proved. "Definition -
claimed": the eps of what they do, for the doubles that they hold, minus what they claim (OpenDP's `map(1)`, others'
`epsilon`); below 0, the claim is rounded up, as it should be.
"""

FROM_DEFINITIONS = """\
## From their definitions

What cannot be installed beside the others is not copied: google/rappor's client is of Python 2, attribution reporting
is in a browser, IPA is in Rust, the package nprr wants a numpy before 2. Their exact tables, as the gallery builds them
(`shufflecert audit --gallery NAME`), in the local view:
"""

CONVERTED = """\
## pure-ldp's conversion of eps to f

`RAPPORClient.convert_eps_to_f(eps)` rounds f to two digits and does not ask for k, the number of hash functions. The
local eps of RAPPOR as it is defined (its client above is worse), for the f that it returns:
"""

NOT = """\
## What they need

pure-ldp imports scikit-learn and statsmodels without asking for them (its RAPPOR server uses nothing of statsmodels;
where that is missing, an empty module stands in), and hands text to xxhash, which refuses text from version 4 on.
diffprivlib cannot be imported next to scikit-learn 1.9: `sklearn.tree._tree` has no `DOUBLE` any more.
`tests/field/requirements.txt` has what is installed without its own requirements: ldp-toolbox asks for a cluster and a
web server, privadjust for a database, and ldp-hierarchical-mechanism and trasgoDP for versions of scikit-learn,
statsmodels and numpy that do not go together with the others.

## Not followed

`HEClient` of pure-ldp, `HE_Client` of multi-freq-ldpy and ldp-toolbox's histogram encoding draw Laplace noise and send
floats; trasgoDP's numerical columns likewise. diffprivlib's `Laplace` and `Geometric` take logarithms of their draws.
privateAB and ornl-presto draw inside PyTorch. `audit --black-box` runs such mechanisms, where they send what is finite.
"""

TITLES = "mechanism | source of randomness | claimed eps | holds | as written | deployed | verdict | remark"
DEFINED_TITLES = "entry | source | parameters | claimed eps | kept eps | verdict | note"
RUN_TITLES = "library | mechanism | claimed eps | definition - claimed | found | remark"


def table(head: str, rows: list[tuple[str, ...]]) -> str:
    titles = [title.strip() for title in head.split("|")]
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page() -> str:
    listed, run = mechanisms(), boxes.boxes()
    libraries = list(dict.fromkeys(m.library for m in listed))
    parts = [HEAD.format(count=len({*libraries, *(box.library for box in run)}))]
    for library in libraries:
        parts += [f"### {named(library)}\n", table(TITLES, [row(m) for m in listed if m.library == library])]
        parts += [KNOWN] if library == "pure-ldp" else []
    parts += [RUN.format(samples=boxes.SAMPLES), table(RUN_TITLES, [boxed_row(box) for box in run])]
    parts += [FROM_DEFINITIONS, table(DEFINED_TITLES, [entry_row(entry) for entry in entries()])]
    parts += [CONVERTED, table("eps | f | eps kept, k = 1 | eps kept, k = 2", conversions()), NOT]
    return "\n".join(parts)
