"""Why a damaged kernel that no test notices does no harm: rules for tests/kernel_mutants.py, which does not run these.

A rule names a function, a part of its line and a part of the change. What may be proved is not touched by a limit (the
kernel stops with "undecided" a little earlier or later), by the order in which roads are tried (each of them decides
rightly), or by words; that is what a reason here may say, or that the change computes the same.
"""

LIMIT = "a limit moves: the kernel stops as undecided a little sooner or later, or tries another road first"
WORDS = "words for people change, not the verdict"
RULES = [
    ("", "MAX_BYTES, MAX_DIGITS, MAX_BITS = ", "Constant", LIMIT),
    ("", "MAX_WORK, MAX_MEMORY = ", "", LIMIT),
    ("", "SPARE = 32", "Constant", LIMIT),
    ("", "LITTLE, ENOUGH = ", "", LIMIT),
    ("", "SHARE = ", "Constant", LIMIT),
]


def reason_of(function: str, line: str, change: str) -> str:
    """The reason why this change does no harm, or "" if none is known."""
    for where, text, what, reason in RULES:
        if where == function and text in line and what in change:
            return reason
    return ""
