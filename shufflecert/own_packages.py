"""Finds the packages `verify`, `protocols` and `proofs` of this project, where a user's own files have such names too.

A script that stands beside a `protocols.py` would find that one. So ours are imported here, before anything else asks
for them, from the folder that holds `shufflecert`. Raises ImportError where another module has the name already: two
cannot have it in one process.

For `python -m shufflecert` Ctrl-C, while the package is imported, ends the process as the command does.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import TracebackType

FOLDER = Path(__file__).resolve().parent.parent


def load() -> None:
    """Import them. Raises ImportError, with the file that has the name."""
    for name in ("proofs", "protocols", "verify"):
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        if module is not None and (file is None or not Path(file).resolve().is_relative_to(FOLDER)):
            raise ImportError(f"{file or name} is imported as {name!r}, as a package of shufflecert is: rename it")
    sys.path.insert(0, str(FOLDER))
    try:
        for name in ("proofs", "protocols", "verify"):
            import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


def interrupted(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """A `sys.excepthook`: one line and status 130 with Ctrl-C, and Python's own words for whatever else is raised."""
    if not issubclass(kind, KeyboardInterrupt):
        return sys.__excepthook__(kind, error, at)
    print("shufflecert: interrupted", file=sys.stderr)
    sys.exit(130)


if sys.argv[:1] == ["-m"] and "shufflecert" in sys.orig_argv:  # before __main__ is reached
    sys.excepthook = interrupted
load()
