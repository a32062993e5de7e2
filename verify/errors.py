"""The errors that users see, each in one line.

The command turns `BadInput` into exit status 2, `Undecided` into 3, and `MachineRefused` into 4.
"""


class BadInput(ValueError):
    """The question cannot be asked this way: what, where, and what was expected, in one line."""


class TooMuchWork(BadInput):
    """The answer would take more work than was allowed; the message holds the estimate."""


class Undecided(ArithmeticError):
    """A comparison that the allowed precision does not settle. Never to be read as false."""


class MachineRefused(Exception):
    """The machine refused its part: no space on the disk, no memory, nowhere to print. Nothing was decided."""
