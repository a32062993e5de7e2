"""The form of every answer of the command, as types: one definition for JSON, words, pages, plots and the schema."""
