"""Randomizers whose outputs' differences span a plane, over all datasets: boxes of compositions, sums in 2D."""
