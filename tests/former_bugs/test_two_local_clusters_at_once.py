"""A local cluster asked for port 8787, and where another one had it, a warning stood on standard error."""

import socket

from tests import runs
from tests.test_dask import folder, inside, tree

__all__ = ["folder", "tree"]  # fixtures

PORT = 8787  # where Dask's schedulers listen for browsers unless told otherwise


def test_a_local_cluster_says_nothing_where_the_usual_port_is_taken(tree, tmp_path, folder):
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("", PORT))
            held.listen()
        except OSError:
            pass  # somebody else has it: just as well
        asked = ("--dask", "local", "--count", 4, "--milliseconds", 1)
        with runs.started(tmp_path / "a.journal", folder, *asked, **inside(tree)) as process:
            answer, err = runs.ended(process)
    assert answer["digest"] == runs.digest(4) and err == ""
