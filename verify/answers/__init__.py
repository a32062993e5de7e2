"""Answers as objects: one for each command, from which JSON, words, pages, pictures and tables are made."""
