"""Runs on Dask: a real LocalCluster, and schedulers and workers started on their own, killed in mid-run."""

import json
import logging
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from distributed import Client
from distributed.comm import CommClosedError

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs import executors
from shufflecert.verify.runs.executors import Dask, executor_of
from tests import jobs, runs

ROOT = Path(__file__).parent.parent
COUNT = 24


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources, which nobody edits while a cluster and its client are to agree on them."""
    copy = tmp_path_factory.mktemp("tree")
    for package in ("shufflecert", "verify", "protocols", "proofs", "tests"):
        skip = shutil.ignore_patterns("__pycache__", *(["[!_j]*"] if package == "tests" else []))
        shutil.copytree(ROOT / package, copy / package, ignore=skip)
    return copy


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "begun").mkdir()
    return tmp_path / "begun"


def inside(tree):
    return {"cwd": tree, "env": {**os.environ, "PYTHONPATH": str(tree)}}


def free_port():
    """Below those that a system gives to whoever connects: one of them may be taken while its scheduler is away."""
    while True:
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port := random.randrange(20000, 32000)))
            return port


class Cluster:
    """A scheduler and workers, each a process of its own; all are killed on the way out."""

    def __init__(self, tree, log):
        self.tree, self.log, self.port = tree, log, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.everyone = []

    def start(self, what, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
        process = subprocess.Popen(command, stdout=self.log, stderr=self.log, **inside(self.tree))
        self.everyone.append(process)
        return process

    def scheduler(self):
        return self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def worker(self):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def ready(self, workers):
        """Wait for the scheduler and so many workers, longer than a user would."""
        with Client(self.address, timeout=runs.DEADLINE, set_as_default=False) as client:
            if workers:
                client.wait_for_workers(workers, timeout=runs.DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.everyone:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tree, tmp_path):
    with (tmp_path / "cluster.log").open("w") as log, Cluster(tree, log) as found:
        yield found


def test_a_local_cluster_gives_the_record_of_one_process(tree, tmp_path, folder):
    """By distributed's own Client.get_executor(). It asked for port 8787, where schedulers listen for browsers unless
    told otherwise, and warned where somebody has it, as here."""
    asked = ("--dask", "local", "--count", COUNT, "--milliseconds", 10)
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # somebody else has it: just as well
            held.bind(("", 8787))
            held.listen()
        with runs.started(tmp_path / "a.journal", folder, *asked, **inside(tree)) as process:
            answer, err = runs.ended(process)
    assert answer == {"digest": runs.digest(COUNT), "attempts": [1] * COUNT} and err == ""
    assert jobs.begun(folder) == dict.fromkeys(range(COUNT), 1) and len(jobs.processes(folder)) == 2
    runs.nobody_left(folder)


@pytest.mark.long
def test_workers_scheduler_and_the_run_itself_are_killed_in_mid_run(cluster, tree, tmp_path, folder):
    count, path = 60, tmp_path / "a.journal"
    asked = ("--dask", cluster.address, "--count", count, "--milliseconds", 200)

    def at_least(blocks):
        runs.until(lambda: len(runs.finished(path)) >= blocks, f"{blocks} blocks", process)
        try:
            return runs.kept(folder, path, before)
        finally:
            time.sleep(1 / 2)  # until the scheduler has heard that these results have arrived

    scheduler, crew = cluster.scheduler(), [cluster.worker(), cluster.worker()]
    cluster.ready(2)
    with ExitStack() as stack:
        process = stack.enter_context(runs.started(path, folder, *asked, **inside(tree)))
        before = {}
        before = at_least(3)
        crew[0].kill()
        crew.append(cluster.worker())
        before = at_least(7)
        for each in (scheduler, *crew):
            each.kill()
            each.wait()
        time.sleep(1)
        cluster.scheduler(), cluster.worker(), cluster.worker()
        before = at_least(len(before) + 4)
        runs.kill(process)
        before = runs.kept(folder, path, before)
        assert 11 <= len(before) < count
        process = stack.enter_context(runs.started(path, folder, *asked, **inside(tree)))
        answer, err = runs.ended(process)
    assert answer["digest"] == runs.digest(count) and err == ""
    assert set(runs.kept(folder, path, before)) == set(range(count))


@pytest.mark.long
def test_a_client_that_has_lost_its_way_is_replaced_with_its_calls(cluster, monkeypatch):
    """It says that it connects, for ever, as when its own thread has failed; the scheduler is there all the time."""
    monkeypatch.setattr(executors, "CONNECT", 2)
    cluster.scheduler(), cluster.worker(), cluster.worker()  # one is asleep until the end
    cluster.ready(2)
    with executor_of(dask=cluster.address) as executor:
        lost = executor._client
        call = executor.submit(time.sleep, 3600)
        lost.status = "connecting"
        runs.until(lambda: executor.check() or call.done(), "end of the call")
        assert isinstance(call.exception(), ConnectionError) and executor._client is not lost
        assert executor.submit(divmod, 7, 2).result(runs.DEADLINE) == (3, 1)
        lost.status = "running"
        lost.close()


@pytest.mark.long
def test_a_call_whose_result_is_asked_for_when_the_scheduler_dies_is_not_waited_for(cluster):
    """The client cancels its other calls and connects anew, but of this one it says nothing any more."""
    asked = []

    async def gather(futures, **_):
        asked.append(futures)
        raise CommClosedError

    everyone = cluster.scheduler(), cluster.worker()
    cluster.ready(1)
    with executor_of(dask=cluster.address) as executor:
        executor._client._gather = gather
        call = executor.submit(divmod, 7, 2)
        runs.until(lambda: asked, "question")
        for each in everyone:
            each.kill()
            each.wait()
        assert executor.check() is None and not call.done()
        del executor._client._gather
        cluster.scheduler(), cluster.worker()
        runs.until(lambda: executor.check() or call.done(), "end of the call")
        assert isinstance(call.exception(), ConnectionError)
        assert executor.submit(divmod, 7, 2).result(runs.DEADLINE) == (3, 1)


def test_a_cluster_of_other_sources_is_refused(cluster, tree, tmp_path, folder):
    """A worker that was started before the latest change would give results of its own."""
    stale = tmp_path / "stale"
    shutil.copytree(tree, stale)
    with (stale / "verify" / "exact" / "rational.py").open("a") as file:
        file.write("\n# as of last week\n")
    cluster.scheduler()
    cluster.tree = stale
    cluster.worker()
    cluster.ready(1)
    asked = ("--dask", cluster.address, "--count", 3)
    with runs.started(tmp_path / "a.journal", folder, *asked, **inside(tree)) as process:
        answer, err = runs.ended(process)
    assert answer is None and process.returncode == 2 and err.count("\n") == 1 and "other sources" in err
    assert jobs.begun(folder) == {}


def test_clusters_that_are_not_there(monkeypatch):
    monkeypatch.setattr(executors, "CONNECT", 1)
    for address, word in [
        ("", "not an address"),
        ("localhost", "not an address"),
        ("http://localhost:80", "not an address"),
        ("tcp://localhost:port", "not an address"),
        (f"tcp://127.0.0.1:{free_port()}", "expected a scheduler there"),
    ]:
        with pytest.raises(BadInput, match=word) as caught, executor_of(dask=address):
            pass
        assert "\n" not in str(caught.value)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"pip install 'shufflecert\[dask\]'"), executor_of(dask="tcp://127.0.0.1:1"):
        pass


def test_a_cluster_without_workers_is_refused_and_what_the_connection_logs_is_not_told(cluster, monkeypatch):
    """Now and then an error in a callback of a lost connection was printed between the lines that are meant."""
    cluster.scheduler()
    cluster.ready(0)
    with monkeypatch.context() as patched:
        patched.setattr(executors, "CONNECT", 3)
        with pytest.raises(BadInput, match="no workers"), executor_of(dask=cluster.address):
            pass
    cluster.worker()
    cluster.ready(1)
    executor = Dask(cluster.address)
    try:
        assert not logging.getLogger("tornado.application").isEnabledFor(logging.ERROR)
    finally:
        executor.shutdown()
        logging.getLogger("tornado.application").setLevel(logging.NOTSET)


BELIEF = """
import time

from shufflecert.verify.search import Conjecture, Grid


def pairs(most):
    return Grid("pairs", {name: [str(i) for i in range(most)] for name in "ab"})


def holds(case, *, most):
    time.sleep(0.0003)
    return int(case["a"]) * int(case["b"]) != 9021


BELIEF = Conjecture("mine", "no product is 9021", pairs, holds, {"most": 130})
"""


@pytest.mark.long
def test_a_search_on_a_cluster_whose_worker_is_killed_has_the_record_of_one_process(cluster, tree, tmp_path):
    """9021 = 93 * 97 = 97 * 93, and no other product of two numbers below 130."""
    (tmp_path / "my.py").write_text(BELIEF)
    journal = tmp_path / "a.journal"
    search = [sys.executable, "-m", "shufflecert.verify.cli", "search"]
    asked = [*search, f"{tmp_path}/my.py:BELIEF", "--json"]
    cluster.scheduler()
    crew = [cluster.worker(), cluster.worker()]
    cluster.ready(2)
    here = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **inside(tree)}
    with subprocess.Popen([*asked, "--dask", cluster.address, "--journal", str(journal)], **here) as process:
        runs.until(lambda: len(runs.finished(journal)) >= 1, "a block")
        crew[0].kill()
        out, err = process.communicate(timeout=runs.DEADLINE)
    answer = json.loads(out)
    assert (process.returncode, err) == (1, "")
    assert [hit["case"] for hit in answer["hits"]] == [{"a": "93", "b": "97"}, {"a": "97", "b": "93"}]
    alone = subprocess.run([*asked, "--workers", "1"], check=False, **here)
    assert json.loads(alone.stdout)["digest"] == answer["digest"]


# A run on a cluster whose workers were all killed said nothing, and waited for ever.


@contextmanager
def all_workers_killed(cluster, tree, path, folder, *more):
    """A run whose two workers are killed in mid-run: the process."""
    cluster.scheduler()
    crew = [cluster.worker(), cluster.worker()]
    cluster.ready(2)
    asked = ("--dask", cluster.address, "--count", COUNT, "--milliseconds", 200, *more)
    with runs.started(path, folder, *asked, **inside(tree)) as process:
        runs.until(lambda: len(runs.finished(path)) >= 3, "three blocks")
        for worker in crew:
            worker.kill()
            worker.wait()
        yield process


def test_a_run_whose_workers_are_all_gone_says_so_and_ends(cluster, tree, tmp_path, folder):
    """Without a word it waited for ever. After its patience the run ends; what was done is kept."""
    path = tmp_path / "a.journal"
    with all_workers_killed(cluster, tree, path, folder, "--patience", 4) as process:
        answer, err = runs.ended(process)
    said, ended = err.splitlines()
    assert answer is None and process.returncode == 2
    assert said == f"dask {cluster.address}: no workers: waiting up to 4 seconds for new ones"
    assert ended.startswith(f"dask {cluster.address}: no workers for 4 seconds: expected them back")
    assert 3 <= len(runs.kept(folder, path, {})) < COUNT


@pytest.mark.long
def test_a_run_whose_workers_are_all_gone_goes_on_with_new_ones(cluster, tree, tmp_path, folder):
    with all_workers_killed(cluster, tree, tmp_path / "a.journal", folder, "--patience", 600) as process:
        said = process.stderr.readline()
        assert said == f"dask {cluster.address}: no workers: waiting up to 600 seconds for new ones\n"
        cluster.worker()
        answer, err = runs.ended(process)
    assert answer["digest"] == runs.digest(COUNT) and err == f"dask {cluster.address}: goes on\n"
