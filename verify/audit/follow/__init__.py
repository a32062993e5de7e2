"""Tier 1: a function followed in a subset of Python in which every operation has a meaning that is defined here."""
