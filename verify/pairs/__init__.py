"""Pairs of laws (P, Q) at any size: noise against its shift, pairs on windows, copies, dominating pairs, powers."""
