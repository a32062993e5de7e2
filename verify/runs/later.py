"""Libraries that take long to be loaded, and are when they are first asked for something."""

from importlib import import_module
from typing import Any


class Later:
    """A module in the place of its import: it is imported with the first name that is asked of it."""

    def __init__(self, name: str):
        self.name = name

    def __getattr__(self, wanted: str) -> Any:
        return getattr(import_module(self.name), wanted)
