"""Writes protocols/gallery/FIELD.md."""

from tests.field import page

page.PAGE.write_text(page.page(), encoding="utf-8")
