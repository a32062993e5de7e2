"""Papers' statements as executable checks, one paper per file."""
