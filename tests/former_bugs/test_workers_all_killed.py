"""A run on a cluster whose workers were all killed said nothing, and waited for ever."""

import logging
from contextlib import contextmanager

import pytest

from shufflecert.verify.runs.executors import Dask
from tests import runs
from tests.test_dask import COUNT, cluster, folder, inside, tree

__all__ = ["cluster", "folder", "tree"]  # fixtures


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


def test_what_the_connection_logs_meanwhile_is_not_told(cluster):
    """Now and then an error in a callback of the lost connection was printed between the two lines above."""
    cluster.scheduler()
    cluster.worker()
    cluster.ready(1)
    executor = Dask(cluster.address)
    try:
        assert not logging.getLogger("tornado.application").isEnabledFor(logging.ERROR)
    finally:
        executor.shutdown()
        logging.getLogger("tornado.application").setLevel(logging.NOTSET)
