"""Search small cases exhaustively: finite spaces, conjectures about their cases, and a hunt that leaves a record."""

from verify.search.conjecture import Conjecture
from verify.search.exhaust import Record, exhaust
from verify.search.explain import Hit
from verify.search.spaces import Compositions, Grid, Joined, Space, Supports, Table, Tables, bits, single_messages

__all__ = [
    "Compositions",
    "Conjecture",
    "Grid",
    "Hit",
    "Joined",
    "Record",
    "Space",
    "Supports",
    "Table",
    "Tables",
    "bits",
    "exhaust",
    "single_messages",
]
