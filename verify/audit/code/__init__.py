"""From a Python function f(x, rng) to its exact law, path by path."""
