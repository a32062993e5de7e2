"""The verifier: exact divergences of shuffled protocols, certificates, and the kernel that re-checks them.

It knows no protocol by name; `protocols` holds those, `proofs` the papers' statements.
"""
