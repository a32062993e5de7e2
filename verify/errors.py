"""The errors that users see, each in one line.

The command turns `BadInput` into exit status 2, `Undecided` into 3, and `MachineRefused` into 4.
"""

from collections.abc import Collection
from difflib import get_close_matches


class BadInput(ValueError):
    """The question cannot be asked this way: what, where, and what was expected, in one line.

    A float, for one, is no exact number:

        >>> system("krr", k=3, gamma=0.3)
        Traceback (most recent call last):
        shufflecert.verify.errors.BadInput: krr: gamma = 0.3 is a float, and floats are not exact: write "0.3"
    """


class TooMuchWork(BadInput):
    """The answer would take more work than was allowed; the message holds the estimate.

    Where nothing but enumeration is left, `max_work` limits it:

        >>> rr = Randomizer.of({0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}})
        >>> privacy_profile(rr, n=1000, max_work=10)
        Traceback (most recent call last):
        shufflecert.verify.errors.TooMuchWork: n = 1000: enumeration would take about 9.1e6 units: ...
    """


class Undecided(ArithmeticError):
    """A comparison that the allowed precision does not settle. Never to be read as false.

    An interval says nothing about a bound inside it:

        >>> Interval(Fraction(0), Fraction(1)).against(Fraction(1, 2))
        Traceback (most recent call last):
        shufflecert.verify.errors.Undecided: the value lies in [0, 1], and the bound as well
    """


class MachineRefused(Exception):
    """The machine refused its part: no space on the disk, no memory, nowhere to print. Nothing was decided."""


def meant(given: str, known: Collection[str]) -> str:
    """The question which of the known names was meant, for a line that refuses one; "" where none is close."""
    of = {name.lower(): name for name in reversed(list(known))}
    if "eps0" in of and given.lower() in ("e", "eps", "epsilon", "epsilon0", "eps_0", "local_eps"):
        return " (did you mean eps0? It is the local eps)"
    close = get_close_matches(given.lower(), of, 1)
    return f" (did you mean {of[close[0]]}?)" if close else ""


def exception_text(error: BaseException) -> str:
    """What somebody's exception says, with its kind, even where it fails to say it."""
    try:
        said = str(error)
    except Exception:
        said = "(what it says cannot be read)"
    return f"{type(error).__name__}: {said}".removesuffix(": ")
