"""Answers for people: words, plots, pages."""
