"""Search small cases exhaustively: finite spaces, conjectures about their cases, and a hunt that leaves a record."""

from verify.search.claim import Claim
from verify.search.conjecture import Conjecture
from verify.search.exhaust import Record, exhaust
from verify.search.explain import Hit
from verify.search.one import One
from verify.search.spaces import (
    Compositions,
    Grid,
    Joined,
    Space,
    Supports,
    Systems,
    Table,
    Tables,
    bits,
    several_messages,
    single_messages,
)

__all__ = [
    "Claim",
    "Compositions",
    "Conjecture",
    "Grid",
    "Hit",
    "Joined",
    "One",
    "Record",
    "Space",
    "Supports",
    "Systems",
    "Table",
    "Tables",
    "bits",
    "exhaust",
    "several_messages",
    "single_messages",
]
