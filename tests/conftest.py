"""Tests start commands, which inherit what this process does with Ctrl-C, and its clock."""

import gc
import os
import signal
from collections import Counter

import pytest
from hypothesis import settings
from mpmath import workdps

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a job in the background of a script
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["SOURCE_DATE_EPOCH"] = "1800000000"  # 15 January 2027: answers hold the date, and two of them are compared

from shufflecert.verify.answers import page
from shufflecert.verify.bound import choose
from shufflecert.verify.compose import components
from tests import answers_fit, browser, helpers, verified

gc.disable()  # until all is collected: what tests are made of stays, and looking for cycles in it takes seconds
answers_fit.install()
settings.register_profile("suite", helpers.random_cases(100))  # no test fails by the time of a case
settings.load_profile("suite")


DEAREST = ["readme", "coq", "checked_runs", "docs", "dask", "cover", "written_certificates", "exchange_out", "proofs"]
DEAREST += ["workers", "calls", "checked", "coq_page", "kernel_attack", "compose_certificates", "field_mechanisms"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The files that take longest begin, so that no process waits for another at the end (`--no-loadscope-reorder`).

    Of the cases of a test that is `sampled(k)` one in k is in `make test`; the others are long. It is the first of the
    first k, the second of the next, and so on: every value of a parameter that turns with the cases has its turn.
    """
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in DEAREST)
    seen = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark and not item.get_closest_marker("long"):
            rounds, place = divmod(seen[item.function], mark.args[0])
            seen[item.function] += 1
            if place != rounds % mark.args[0]:
                item.add_marker("long")


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture
def sixty_digits():
    """Numbers of mpmath with 60 digits, for tests that compare enclosures with sums by definition."""
    with workdps(60):
        yield


@pytest.fixture
def reduced_systems(monkeypatch):
    """Nothing of a system that is composed is enumerated where a reduction is known."""
    monkeypatch.setattr(components, "SMALL", 1)
    monkeypatch.setattr(components, "MIDDLING", 1)


@pytest.fixture
def reduced_tables(monkeypatch):
    """Nothing is enumerated: what is asked of a small number of users is answered as of a large one."""
    monkeypatch.setattr(choose, "QUICK", 1)
    monkeypatch.setattr(choose, "PATIENT", 1)


@pytest.fixture
def no_matplotlib(monkeypatch):
    """Reports are made without matplotlib."""
    monkeypatch.setattr(page, "find_spec", lambda name: None)


@pytest.fixture(scope="session")
def verified_kernel():
    """The verified kernel is built."""
    return verified.build()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """A browser with a profile of its own. Skips where there is none."""
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    opened = browser.Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
