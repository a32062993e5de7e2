"""Tests start commands, which inherit what this process does with Ctrl-C, and its clock."""

import os
import signal

import pytest
from mpmath import workdps

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background of a script
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["SOURCE_DATE_EPOCH"] = "1800000000"  # 15 January 2027: answers hold the date, and two of them are compared

from tests import answers_fit

answers_fit.install()


@pytest.fixture
def sixty_digits():
    """Numbers of mpmath with 60 digits, for tests that compare enclosures with sums by definition."""
    with workdps(60):
        yield
