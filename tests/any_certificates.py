"""Claims about any randomizer, and their certificates."""

import json

from shufflecert.verify.decide.certify import certify
from shufflecert.verify.systems import catalogue


def any_ldp(eps0, share="0"):
    """The system of all (eps0, share)-private randomizers."""
    return catalogue.system("any_ldp", eps0=eps0, local_delta=share)


CLAIMS = [
    # eps0, local_delta, n, eps, delta, verdict
    ("4", "0", 10_000, "1/5", "11/10000", "PROVED"),
    ("4", "0", 10_000, "1/5", "1/1000", "REFUTED"),
    ("log(3)", "0", 12, "1/2", "1/20", "PROVED"),
    ("log(3)", "0", 12, "1/2", "1/45", "REFUTED"),
    ("log(3)", "1/1000", 12, "log(2)", "1/20", "PROVED"),
    ("log(3)", "1/100", 12, "log(2)", "1/50", "REFUTED"),
    ("log(3)", "1/100", 12, "log(3)", "1/100", "PROVED"),
    ("1", "1/100", 12, "2", "1/101", "REFUTED"),
    ("1", "1/100", 1, "1/2", "1/5", "REFUTED"),
    ("1", "0", 1, "1/2", "3/10", "PROVED"),
    ("1", "0", 12, "1", "0", "PROVED"),
    ("log(3)", "1/100", 12, "log(2)", "353/1000", "PROVED"),  # near the bound
    ("log(5)", "1/100", 5, "log(3/2)", "367/1000", "PROVED"),
    ("1", "0", 12, "log(2)", "67/10000", "PROVED"),
    ("1", "1/100", 5, "log(2)", "198/1000", "PROVED"),
    ("0", "0", 30, "0", "0", "PROVED"),
    ("8", "0", 50, "1", "1/10", "REFUTED"),
    ("2", "0", 10**6, "1/2", "1/1000000", "PROVED"),  # the sum of all draws is below 0 for sure, as good as
]


def small():
    """Small certificates as trees, both verdicts."""
    for eps0, share, n, eps, most, _ in CLAIMS:
        if n <= 12:
            yield json.loads(certify(any_ldp(eps0, share), n, eps, most).certificate_text())
