"""Randomizers of which many numbers matter, over all datasets: others in equal blocks, whose likelihood is linear."""
