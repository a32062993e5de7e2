"""Runs: one record whatever the order, the executor and the kills; no finished block is repeated; nobody is left."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput
from shufflecert.verify.progress import _rate, watched
from shufflecert.verify.runs import run as runs_of_blocks
from shufflecert.verify.runs.executors import Here, Processes, executor_of
from shufflecert.verify.runs.journal import Header, create_or_resume
from shufflecert.verify.runs.run import run
from shufflecert.verify.runs.work import carry_out, sources
from tests import jobs, runs
from tests.helpers import few, is_one_line

SQUARES = sha256(b"[0,1,4,9,16,25,36,49,64,81,100,121]").hexdigest()  # of `square` on 0..11


def in_memory(count):
    return create_or_resume(None, Header.of("any", "1", None, count))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "begun").mkdir()
    return tmp_path / "begun"


class Lossy(Executor):
    """Carries out a drawn part of the calls and loses the others."""

    def __init__(self, fates, width):
        self.fates, self.width = iter(fates), width

    def submit(self, task, /, *args):
        future = Future()
        match next(self.fates, "done"):
            case "died":
                future.set_exception(BrokenExecutor("gone"))
            case "cancelled":
                future.cancel()
                future.set_running_or_notify_cancel()
            case "done":
                future.set_result(task(*args))
        return future


class Stale(Executor):
    """A worker from before the latest change: what is expected of it is not what it has."""

    def submit(self, task, /, job, argument, expected):
        future = Future()
        try:
            future.set_result(task(job, argument, expected[::-1]))
        except Exception as error:
            future.set_exception(error)
        return future


# One record


@few
@given(st.lists(st.sampled_from(["done", "died", "cancelled"]), max_size=40), st.integers(1, 5))
def test_what_is_lost_on_the_way_is_tried_again(fates, width):
    """Every block is tried until it is done; the attempts are the fates that were met."""
    with in_memory(12) as record:
        run(record, "tests.jobs:square", 12, Lossy(fates, width), retries=len(fates))
        assert record.digest() == SQUARES and record.failures() == {}
        attempts = sum(record.attempts().values())
        met = fates + ["done"] * attempts
        assert met[:attempts].count("done") == 12


@pytest.mark.parametrize(
    "make", [Here, lambda: ThreadPoolExecutor(3), lambda: Processes(2), lambda: ProcessPoolExecutor(2)]
)
def test_every_executor_gives_the_same_record(make):
    with in_memory(12) as record, make() as executor:
        run(record, "tests.jobs:square", 12, executor)
        assert record.digest() == SQUARES and set(record.attempts().values()) == {1}
        run(record, "tests.jobs:troubled", 12, executor)  # nothing is left to do
        assert record.digest() == SQUARES


def test_arguments_are_those_of_the_header():
    words = ["a", ["b", 1], {"c": None}]
    with create_or_resume(None, Header.of("any", "1", {"x": 1}, words)) as record:
        for other in (3, words[:2], [*words[:2], {"c": 1}]):
            with pytest.raises(BadInput, match="not those of its header"):
                run(record, "builtins:str", other)
        run(record, "builtins:str", words)
        assert [result for _, result in record.results()] == [str(word) for word in words]


def test_no_blocks_is_a_run():
    with in_memory(0) as record:
        run(record, "tests.jobs:square", 0, progress=watched)
        assert record.digest() == sha256(b"[]").hexdigest()


def test_flight_is_bounded():
    class Counted(ThreadPoolExecutor):
        most = 0
        seen = ()

        def submit(self, *args):
            future = super().submit(*args)
            self.seen = (*(other for other in self.seen if not other.done()), future)
            self.most = max(self.most, len(self.seen))
            return future

    for width, most in ((None, 3), (7, 7)):
        with in_memory(16) as record, Counted(3) as executor:
            run(record, "tests.jobs:counting", 16, executor, width=width)
            assert executor.most == most


def test_one_block_at_a_time_in_a_process():
    """flint's precision belongs to the process, also where an executor has threads."""
    jobs.RUNNING.update(now=0, most=0)
    with in_memory(12) as record, ThreadPoolExecutor(4) as executor:
        run(record, "tests.jobs:counting", 12, executor)
    assert jobs.RUNNING == {"now": 0, "most": 1}


# Jobs that raise


@pytest.mark.parametrize("executor", [Here(), Processes(2)])
def test_a_job_that_raises_is_a_failure_and_the_run_goes_on(executor, monkeypatch):
    with executor, in_memory(12) as record:
        seen = []
        run(record, "tests.jobs:troubled", 12, executor, progress=lambda found, total, done: map(seen.append, found))
        failures = record.failures()
        assert {number: text.split(":")[0] for number, text in failures.items()} == {
            1: "BadInput",
            2: "Undecided",
            3: "SystemExit",
            **dict.fromkeys(range(4, 8), "BadInput"),
        }
        assert failures[1] == "BadInput: mine.toml: rows: expected a row \\udc80"
        assert "float" in failures[4] and "4300 digits" in failures[5] and "dict" in failures[6]
        assert dict(record.results()) == {n: n * n for n in (0, *range(8, 12))}
        assert {block.number: block.failure for block in seen} == {n: failures.get(n) for n in range(12)}
        # a resume tries them again, and them alone
        run(record, "tests.jobs:repaired", 12, executor)
        assert record.digest() == SQUARES
        assert record.attempts() == {n: 1 + (n in failures) for n in range(12)}


@pytest.mark.parametrize(
    "job", ["", "square", "tests.jobs", "tests.jobs:", "tests.jobs:none", "no.such:f", "tests.jobs:RUNNING", ":f"]
)
def test_a_job_that_is_none_is_refused_before_anything_runs(job):
    with in_memory(3) as record, pytest.raises(BadInput, match="expected module:function"):
        run(record, job, 3)


def test_executors_that_cannot_be():
    for asked, word in [((0, None), "at least 1"), ((-1, None), "at least 1"), ((2, "tcp://a:1"), "both")]:
        with pytest.raises(BadInput, match=word), executor_of(*asked):
            pass
    with executor_of(1) as executor:
        assert isinstance(executor, Here)
    with executor_of(3) as executor:
        assert isinstance(executor, Processes) and executor.width == 3
    with executor_of() as executor:
        assert getattr(executor, "width", 0) == len(os.sched_getaffinity(0))


def test_workers_of_other_sources_are_refused():
    """Where an executor is not of this machine the sources are compared, before the job is even imported."""
    with pytest.raises(BadInput, match="other sources"):
        carry_out("tests.jobs:square", "3", "0" * 64)
    assert carry_out("tests.jobs:square", "3", sources()).result == "9"
    with in_memory(3) as record:
        with pytest.raises(BadInput, match="other sources"):
            run(record, "tests.jobs:square", 3, Stale())
        assert record.attempts() == {}


# Workers that die


@pytest.mark.parametrize("width", [1, 2, 3])
def test_a_worker_that_dies_costs_its_block_one_attempt_and_the_others_none(folder, width):
    arguments = jobs.arguments(folder, 12, 1)
    with create_or_resume(None, jobs.header(folder, 12, 1)) as record, Processes(width) as executor:
        run(record, "tests.jobs:mortal", arguments, executor)
        assert record.digest() == runs.digest(12) and record.failures() == {}
        expected = {number: 2 if number % 5 == 2 else 1 for number in range(12)}
        assert record.attempts() == expected == jobs.begun(folder)


def test_a_block_that_kills_its_workers_is_a_failure_of_its_own(folder):
    arguments = jobs.arguments(folder, 8, 1)
    with create_or_resume(None, jobs.header(folder, 8, 1)) as record, Processes(2) as executor:
        run(record, "tests.jobs:deadly", arguments, executor, retries=2)
        assert list(record.failures()) == [3] and "died 3 times" in record.failures()[3]
        assert record.attempts() == {n: 3 if n == 3 else 1 for n in range(8)} == jobs.begun(folder)
        run(record, "tests.jobs:traced", arguments, executor)
        assert record.digest() == runs.digest(8) and record.attempts()[3] == 4


def test_a_pool_of_the_library_that_breaks_is_said_to_be_broken(folder):
    """Its other blocks are not recorded as failures: the next run, on a new pool, does them."""
    arguments = jobs.arguments(folder, 8, 1)
    with create_or_resume(None, jobs.header(folder, 8, 1)) as record:
        with ProcessPoolExecutor(2) as executor, pytest.raises(BrokenExecutor):
            run(record, "tests.jobs:deadly", arguments, executor)
        assert record.failures() == {} and 3 in record.missing()
        run(record, "tests.jobs:traced", arguments)
        assert record.digest() == runs.digest(8)


def test_a_worker_killed_from_outside(tmp_path, folder):
    path = tmp_path / "a.journal"
    with runs.started(path, folder, "--workers", 2, "--milliseconds", 100) as process:
        for count in (4, 12, 20):
            runs.until(lambda count=count: len(jobs.begun(folder)) >= count, f"{count} blocks")
            victims = [found for found in jobs.processes(folder) if runs.alive(found)]
            os.kill(random.choice(victims), signal.SIGKILL)
        answer, err = runs.ended(process)
    assert answer["digest"] == runs.digest(40) and err == ""
    assert 40 <= sum(answer["attempts"]) <= 43 and max(answer["attempts"]) <= 4
    runs.nobody_left(folder)


# Runs that die


@pytest.mark.parametrize(
    ("width", "seed"),
    [
        (1, 0),
        (2, 1),
        *(pytest.param(width, seed, marks=pytest.mark.long) for width in (1, 2, 3) for seed in range(2, 12)),
    ],
)
def test_killed_at_any_moment_it_repeats_nothing_and_ends_with_the_same_record(tmp_path, folder, width, seed):
    path, before, chance = tmp_path / "a.journal", {}, random.Random(seed)
    arguments = ("--workers", width, "--milliseconds", 10, "--count", 40)
    kills = 0
    while len(before) < 40:
        with runs.started(path, folder, *arguments) as process:
            if kills < 3:
                # a moment between two beginnings, or before the first one
                more = chance.choice([0, 1, 3, 7])
                goal = len(list(folder.iterdir())) + more
                runs.until(
                    lambda goal=goal, process=process: (
                        len(list(folder.iterdir())) >= goal or process.poll() is not None
                    ),
                    f"{goal} blocks",
                )
                time.sleep(chance.random() / (20 if more else 3))
                runs.kill(process)
                kills += 1
                runs.nobody_left(folder)
            else:
                answer, err = runs.ended(process)
                assert answer["digest"] == runs.digest(40) and err == ""
        counts, before = jobs.begun(folder), runs.kept(folder, path, before)
        assert len(set(counts) - set(before)) <= width, "more was lost than what was in flight"
    assert max(jobs.begun(folder).values()) <= kills + 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.journal", "begun"]


def test_ctrl_c_is_the_parents_alone():
    """Workers never see the terminal's SIGINT, not even while they start; the parent's mask is as it was."""
    program = """if True:
        import signal
        from tests.jobs import masked
        from shufflecert.verify.runs.executors import Processes
        with Processes(2) as executor:
            print([executor.submit(masked).result() for _ in range(2)], masked())
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=runs.DEADLINE)
    assert (found.stdout, found.stderr) == ("[True, True] False\n", "")


@pytest.mark.parametrize("width", [pytest.param(1, marks=pytest.mark.long), 2])
def test_ctrl_c_ends_at_once_with_one_line_and_nobody_left(tmp_path, folder, width):
    """As on a terminal, where the signal reaches every process of the group."""
    path, count = tmp_path / "a.journal", 30  # so many that a busy machine does not finish them before it is told
    with runs.started(path, folder, "--workers", width, "--milliseconds", 100, "--count", count) as process:
        runs.until(lambda: runs.finished(path), "finished block")
        os.killpg(process.pid, signal.SIGINT)
        answer, err = runs.ended(process)
    assert (answer, err, process.returncode) == (None, "interrupted\n", 130)
    runs.nobody_left(folder)
    before = runs.kept(folder, path, {})
    assert 0 < len(before) < count
    with runs.started(path, folder, "--workers", width, "--milliseconds", 100, "--count", count) as process:
        answer, err = runs.ended(process)
    assert answer["digest"] == runs.digest(count) and err == ""
    assert set(runs.kept(folder, path, before)) == set(range(count))


def test_ctrl_c_kills_blocks_that_would_take_long(tmp_path, folder):
    path = tmp_path / "a.journal"
    with runs.started(path, folder, "--workers", 2, "--milliseconds", 3_600_000) as process:
        runs.until(lambda: len(jobs.begun(folder)) == 2, "two blocks")
        os.killpg(process.pid, signal.SIGINT)
        assert runs.ended(process) == (None, "interrupted\n") and process.returncode == 130  # before its deadline
    runs.nobody_left(folder)


def test_a_second_run_of_the_same_journal_is_refused(tmp_path, folder):
    path = tmp_path / "a.journal"
    with runs.started(path, folder, "--workers", 1, "--milliseconds", 3_600_000) as first:
        runs.until(lambda: len(jobs.begun(folder)) == 1, "block")
        with runs.started(path, folder, "--workers", 1, "--milliseconds", 3_600_000) as second:
            answer, err = runs.ended(second)
        assert answer is None and second.returncode == 2 and err.count("\n") == 1
        assert f"in use by process {first.pid}" in err


# What is shown


def test_the_bar_on_a_terminal_shows_done_rate_time_left_and_failures(tmp_path, folder):
    path = tmp_path / "a.journal"
    shown = runs.screen(path, folder, "--workers", 1, "--milliseconds", 60, "--count", 20, "--job", "picky")
    assert re.search(r"\b1\d/20\b", shown) and re.search(r"\b\d+\.\d/s", shown) and re.search(r"0:00:0\d", shown)
    assert "1 failed" in shown and "1 of 20 blocks missing" in shown
    # a resume begins where the last run ended
    shown = runs.screen(path, folder, "--workers", 1, "--milliseconds", 60, "--count", 20, "--job", "mended")
    assert set(re.findall(r"\d+/20", shown)) == {"19/20", "20/20"}


@pytest.mark.parametrize(
    ("speed", "shown"),
    [(None, ""), (12.34, "12.3/s"), (1, "1.0/s"), (0.5, "30.0/min"), (1 / 1200, "3.0/h"), (1 / 36000, "0.1/h")],
)
def test_rates_are_in_a_unit_that_reads(speed, shown):
    assert _rate(speed) == shown


def test_no_bar_in_a_pipe_and_every_block_is_passed_on(capsys):
    found = [runs_of_blocks.Block(number, None) for number in range(5)]
    assert list(watched(iter(found), 9, 4)) == found and capsys.readouterr() == ("", "")


# A worker executed the script that asked a second time; one that was being started said so when the run_script was
# ended.


COMPARE = """
print("once", flush=True)
from shufflecert import compare
found = compare("sum", n=100, eps="1", delta="1e-3", systems=["discrete_laplace", "poisson"]{more})
print([row["rmse_upper"] is not None for row in found.rows()])
"""
SEARCH = """
print("once", flush=True)
from shufflecert import search
print(search("claim-18", messages=2, denominator=3, workers=2).verdict)
"""
# As `shufflecert search` is ended at the moment at which a worker has been started and waits for its work.
ENDED = """
import os
from multiprocessing import util

start = util.spawnv_passfds


def started(path, arguments, passed):
    found = start(path, arguments, passed)
    if "spawn_main" in "".join(map(os.fsdecode, arguments)):
        os.kill(os.getpid(), {number})
    return found


util.spawnv_passfds = started
from shufflecert.verify.cli import main

main({arguments})
"""


def run_script(folder, text):
    (folder / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, str(folder / "script.py")],
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)],
    )


@pytest.mark.parametrize(
    "text",
    [pytest.param(COMPARE.format(more=""), marks=pytest.mark.long), COMPARE.format(more=", workers=2"), SEARCH],
)
def test_a_plain_script_runs_once(tmp_path, text):
    done = run_script(tmp_path, text)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[0] == "once" and done.stdout.splitlines()[1:] in (["[True, True]"], ["exhausted"])


HUNT = ["search", "preshuffle-gap", "--max-messages", "3", "--denominator", "9", "--workers", "2"]
SUMS = ["compare", "sum", "--n", "1000", "--eps", "1", "--delta", "1e-6", "--workers", "2"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("arguments", [HUNT, SUMS], ids=lambda arguments: arguments[0])
@pytest.mark.sampled(6)
def test_a_worker_that_is_being_started_says_nothing(tmp_path, number, arguments):
    """The pipe to it was closed before its work was written: "EOFError: Ran out of input"."""
    done = run_script(tmp_path, ENDED.format(number=int(number), arguments=arguments))
    assert done.returncode == 128 + number and done.stdout == "" and is_one_line(done.stderr), done.stderr
