"""The console's entry: from its first moment on, Ctrl-C ends the command with one line and status 130."""

import sys
from importlib import import_module

INTERRUPTED = 130


def main() -> None:
    """Load the command, which takes a third of a second, and run it; `verify.cli.main` says what is raised."""
    try:
        import_module("shufflecert.verify.cli").main()
    except KeyboardInterrupt:
        print("shufflecert: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
