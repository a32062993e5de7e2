"""The commands of `shufflecert`, one file for each journey; `verify.cli` puts them together."""
