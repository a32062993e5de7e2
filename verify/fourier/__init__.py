"""Certified Fourier integrals: of the positive part of a sum, and of hockey-stick divergences."""
