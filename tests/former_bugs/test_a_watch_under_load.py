"""A function was told to give no answer within 10 seconds, where it was others who had the processor meanwhile."""

import pytest

from verify.audit.code import watch as watches


@pytest.mark.parametrize(("busy", "ticks"), [(True, 4), (False, 3 * watches.HOLD + 1)])
def test_seconds_in_which_others_work_hardly_count(monkeypatch, busy, ticks):
    """The clock ticks each second; the process has all of it, or nothing. The first tick sees where it stands."""
    watch, seen = watches.Watch(3), []
    monkeypatch.setattr(watches.time, "process_time_ns", lambda: len(seen) * 10**9 if busy else 0)
    with pytest.raises(watches.Stopped):
        while True:
            seen.append(0)
            watch._look(0, None)
    assert len(seen) == ticks and watch.stopped


def test_who_goes_on_is_not_stopped():
    watch = watches.Watch(1)
    for _ in range(50):
        watch.runs += 1
        watch._look(0, None)
    assert not watch.stopped
