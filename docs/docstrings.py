"""Docstrings are plain text with formulas: what Markdown would read as emphasis, links or tags stays as it is."""

import re

import griffe

CODE = re.compile(r"(`[^`]*`)")  # indented blocks are left alone as well
SPECIAL = re.compile(r"[*\[\]<>_]")


def escaped(found):
    """A character, so that Markdown shows it."""
    return "&lt;" if found[0] == "<" else "\\" + found[0]


def plain(text):
    """The text with Markdown's characters escaped, but for code."""
    lines, shown = [], False
    for line in text.splitlines():
        shown = bool(line) and (shown or line.startswith(">>> "))  # an example that nothing stands out from
        line = "    " * shown + line
        pieces = CODE.split(line)
        if not line.startswith("    "):
            pieces[::2] = [SPECIAL.sub(escaped, piece) for piece in pieces[::2]]
        lines.append("".join(pieces))
    return "\n".join(lines)


class PlainText(griffe.Extension):
    """Escapes each docstring as it is read."""

    def on_object(self, *, obj, **_):
        """Escape the docstring of a module, class, function or attribute."""
        if obj.docstring and not obj.is_alias:
            obj.docstring.value = plain(obj.docstring.value)
