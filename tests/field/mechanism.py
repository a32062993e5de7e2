"""What a row of the page is about: one object of a library, how it is called, and where its randomness comes in."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from shufflecert.verify.audit.observe.patch import places, put
from shufflecert.verify.audit.rng.recording import Source
from shufflecert.verify.exact.epsilon import Eps

SEEDS = 8  # of a hash that takes 2^63 of them: the seed is public, and chosen without looking at the data
MANY = 2**60
FEWER = f"seed one of {SEEDS} instead of 2^63"
MODULES = {  # what is imported to see whether a library is there
    "hll-py": "hll_py",
    "insurance-fairness-ldp": "insurance_fairness_ldp",
    "ldp-hierarchical-mechanism": "hierarchical_mechanism_LDP",
    "ldp-toolbox": "ldp_toolbox",
    "multi-freq-ldpy": "multi_freq_ldpy",
    "pure-ldp": "pure_ldp",
}
LIBRARIES = (
    "diffprivlib", "hll-py", "insurance-fairness-ldp", "ldp-hierarchical-mechanism", "ldp-toolbox", "multi-freq-ldpy",
    "opendp", "privadjust", "pure-ldp", "trasgodp",
)  # fmt: skip
PURE, INSIDE = "pure", "inside"


@dataclass(frozen=True)
class Mechanism:
    """One object of a library: what it claims (local eps, delta = 0), what it holds (the doubles that decide), where
    its randomness comes in, and what there is to say."""

    library: str
    name: str
    seam: str
    claimed: Eps
    holds: str
    function: Callable[[Any, Any], Any]
    native: Callable[[Any, Any], Any]  # the same, drawing from the library's own source: (x, a RandomState)
    inputs: tuple[Any, ...]
    remark: str = ""
    says: str = ""  # the claim as the library puts it, where that is not the number
    compiled: bool = False  # by numba, at its first call: a matter of seconds
    last: tuple[int, int] | None = None  # the last Python on which the library's code runs
    only_here: bool = True  # what its own source draws can be compared with the law (not of 2^63 seeds)

    @property
    def key(self) -> str:
        return f"{self.library}: {self.name}, eps = {decimal(self.claimed)}"


def decimal(eps: Eps) -> str:
    return str(eps) if eps.exponent is None or eps.exponent.denominator == 1 else repr(float(eps.exponent))


def followed_through(
    library: str,
    name: str,
    call: Callable[[Any], Any],
    patches: str,
    claimed: Any,
    inputs: Sequence[Any],
    holds: str = "",
    *,
    seeds: bool = False,
    **said: Any,
) -> Mechanism:
    """A mechanism whose modules draw from a source of their own: `patches` are the names that `--patch` would take.

    `seeds`: a hash is drawn from 2^63, here from a few.
    """
    found = places(patches.split())

    def function(x: Any, rng: Any) -> Any:
        with put(rng, found), few_seeds():
            return plain(call(x))

    def native(x: Any, rng: Any) -> Any:
        return (plain(call(x)),)

    remark = "; ".join(filter(None, (FEWER if seeds else "", said.pop("remark", ""))))
    seam = ", ".join(f"`{'.'.join(short(patch))}`" for patch in patches.split())
    return Mechanism(
        library,
        name,
        seam,
        Eps.of(claimed),
        holds,
        function,
        native,
        tuple(inputs),
        remark,
        compiled=any(place.compiled for place in found),
        only_here=not seeds,
        **said,
    )


def short(patch: str) -> list[str]:
    """The module's own name, and what it calls its source."""
    parts = patch.split(".")
    return parts[-3:] if parts[-2:] == ["np", "random"] else parts[-2:]


@contextmanager
def few_seeds() -> Iterator[None]:
    """A number below 2^60 or more is one of SEEDS."""
    whole = Source._many

    def fewer(self: Source, n: int, like: Any) -> Any:
        return whole(self, SEEDS if n >= MANY else n, like)

    Source._many = fewer  # type: ignore[method-assign]
    try:
        yield
    finally:
        Source._many = whole  # type: ignore[method-assign]


def plain(sent: Any) -> Any:
    """Arrays, lists and zips as tuples, so that they can be counted."""
    if isinstance(sent, str):
        return str(sent)
    if hasattr(sent, "tolist"):
        sent = sent.tolist()
    if isinstance(sent, str):
        return sent
    return tuple(map(plain, sent)) if hasattr(sent, "__iter__") else int(sent)


def present(library: str) -> bool:
    return find_spec(MODULES.get(library, library)) is not None


def read(value: float) -> Fraction:
    """A float as the decimal that it is written as."""
    return Fraction(repr(float(value)))
