"""The kernel's status beside the judge's verdict, for certificates of version 2."""

from tests.judge import judge
from verify.kernel import check

MAX_WORK = 10**8  # of the kernel: less than its own, so that ties do not take long
OPEN = ("accepted", "rejected", "undecided")
STATUS = {"true": ("accepted", "undecided"), "false": ("rejected", "undecided"), "malformed": ("malformed",)}


def kernel(data):
    """The kernel's status; an exception that leaves it is one of its own."""
    try:
        return check(data, max_work=MAX_WORK).status
    except Exception as error:  # whatever it is, the kernel must answer
        return f"crashed: {error!r}"


def judged_or_error(data):
    """The judge's verdict, or what a judge with a planted defect raises."""
    try:
        return judge(data)
    except Exception as error:  # a defect may lead anywhere
        return repr(error)


def verdicts(data):
    """The judge's verdict and the kernel's status."""
    return judge(data), kernel(data)


def agree(verdict, status):
    """Whether the two checkers can both be right."""
    return status in STATUS.get(verdict, OPEN)
