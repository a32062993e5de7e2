"""Search small cases exhaustively: finite spaces, conjectures about their cases, and a hunt that leaves a record."""

from shufflecert.verify.search.claim import Claim
from shufflecert.verify.search.conjecture import Conjecture
from shufflecert.verify.search.exhaust import Record, exhaust
from shufflecert.verify.search.explain import Hit
from shufflecert.verify.search.one import One
from shufflecert.verify.search.spaces import (
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
