"""Pairs of laws (P, Q) at any size: noise against its own shift, pairs on windows, copies, dominating pairs."""
