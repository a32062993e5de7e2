"""Why a damaged kernel that no test notices does no harm: rules for tests/kernel_mutants.py."""

RULES: list[tuple[str, str, str, str]] = []  # function, part of the line, part of the change, reason


def reason_of(function: str, line: str, change: str) -> str:
    """The reason why this change does no harm, or "" if none is known."""
    for where, text, what, reason in RULES:
        if where in ("", function) and text in line and what in change:
            return reason
    return ""
