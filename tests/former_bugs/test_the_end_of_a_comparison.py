"""After its table `compare` now and then wrote a traceback: threads of its processes were still closing their pipes."""

from concurrent.futures import process

from shufflecert.verify.calibrate.comparison import Question, rows


def alive():
    return [thread for thread in process._threads_wakeups if thread.is_alive()]


def test_nothing_of_a_process_is_left_when_its_row_is_there():
    before = alive()
    question = Question.of("sum", 100, 1, "1/100")
    for row in rows(["zsum", "poisson"], question, 1, 60):
        assert row["finished"] and len(alive()) <= len(before) + 1  # the next one's
    assert alive() == before
