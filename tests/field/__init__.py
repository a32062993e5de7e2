"""The field's own mechanisms, as they are, under the enumerating source. `python -m tests.field` writes the page.

`mechanism` says what a row is, `found` what is found of it, `page` how protocols/gallery/FIELD.md shows it; the other
modules have the mechanisms, library by library. tests/test_field_mechanisms.py derives every row anew.
"""
