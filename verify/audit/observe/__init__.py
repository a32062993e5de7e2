"""Tier 2: a function run as it stands, path by path, on a source that answers for every path; its law is observed."""
