"""Certified Fourier integrals of the positive part of a sum of independent draws."""
