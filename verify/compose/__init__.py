"""Composition: many rounds, several systems, groups of users; privacy loss distributions for other accountants."""
