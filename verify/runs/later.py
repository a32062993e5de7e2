"""Libraries that take long to be loaded, and are when they are first asked for something."""

from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any


class Later:
    """A module in the place of its import: it is imported with the first name that is asked of it."""

    def __init__(self, name: str):
        self._name = name

    @cached_property
    def _module(self) -> ModuleType:
        return import_module(self._name)

    def __getattr__(self, wanted: str) -> Any:
        return getattr(self._module, wanted)
