"""`--delta 1` was PROVED without a word: everything keeps (eps, 1), the identity as well."""

import pytest

from tests.helpers import call

BARE = ["rr", "-p", "flip=0", "--n", "3"]  # sends the input itself


@pytest.mark.parametrize("asked", [["certify", "--eps", "0"], ["certify"], ["epsilon"], ["compose", "--times", "2"]])
def test_it_is_said_that_it_promises_nothing(asked, capsys):
    command, *more = asked
    code, out, _ = call(capsys, command, *BARE, *more, "--delta", "1")
    assert code == 0 and "delta = 1 promises nothing" in out
    _, out, _ = call(capsys, command, *BARE, *more, "--delta", "999/1000")
    assert "promises nothing" not in out
