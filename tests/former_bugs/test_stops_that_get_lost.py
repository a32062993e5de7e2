"""A sampler that never returns was never stopped, where the exception that stops it got lost.

Python drops what is raised in `__del__` and in callbacks of the garbage collector, with a traceback on standard error;
a loop that catches all goes on.
"""

import gc
import signal
import time

import pytest

from verify.audit.black_box.estimate import _called
from verify.audit.code.enumerate_paths import enumerate_sampler
from verify.audit.code.watch import Watch
from verify.errors import BadInput

FASTER = 20  # seconds in one of the test's


class Slow:
    def __del__(self):
        for _ in range(10**5):
            pass


class Endless:
    def __del__(self):
        while True:
            pass


def deletes(x, rng):
    while True:
        Slow()


def ends_late(x, rng):
    Endless()
    return x


def catches(x, rng):
    while True:
        try:
            for _ in range(10**4):
                pass
        except BaseException:
            pass


def catches_inside(x, rng):
    def inside():
        while True:
            try:
                sum(range(1000))
            finally:
                continue  # noqa: B012

    return inside()


def catches_twice(x, rng):
    while True:
        try:
            while True:
                try:  # noqa: SIM105
                    sum(range(1000))
                except BaseException:
                    pass
        except BaseException:
            pass


@pytest.fixture(autouse=True)
def quick_clock(monkeypatch):
    ticks, now = signal.setitimer, time.process_time_ns
    monkeypatch.setattr(signal, "setitimer", lambda which, *seconds: ticks(which, *(s / FASTER for s in seconds)))
    monkeypatch.setattr(time, "process_time_ns", lambda: FASTER * now())


@pytest.mark.parametrize("sampler", [deletes, ends_late, catches, catches_inside, catches_twice])
def test_followed_on_its_paths(sampler, capfd):
    with pytest.raises(BadInput, match="no answer and no question to rng within 2 seconds"):
        enumerate_sampler(sampler, ["a"], seconds=2)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("sampler", [deletes, ends_late, catches, catches_inside, catches_twice])
def test_a_black_box(sampler, capfd):
    with pytest.raises(BadInput, match="no answer within 2 seconds"):
        list(_called(sampler, ["a"], None, 2))
    assert capfd.readouterr().err == ""


def test_ctrl_c_in_a_callback(capfd):
    """It is dropped there, and comes at the next tick of the clock."""

    def interrupt(phase, info):
        if phase == "start":
            gc.callbacks.remove(interrupt)
            signal.raise_signal(signal.SIGINT)

    def collects():
        gc.callbacks.append(interrupt)
        gc.collect()
        while True:
            pass

    with pytest.raises(KeyboardInterrupt), Watch(10**6).watching():
        collects()
    assert capfd.readouterr().err == ""
