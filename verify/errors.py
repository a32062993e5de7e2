"""What can go wrong, in one line each. The command turns `BadInput` into exit status 2 and `Undecided` into 3."""


class BadInput(ValueError):
    """The question cannot be asked this way: what, where, and what was expected, in one line."""


class TooMuchWork(BadInput):
    """The answer would take more work than was allowed; the message holds the estimate."""


class Undecided(ArithmeticError):
    """A comparison that the allowed precision does not settle. Never to be read as false."""
