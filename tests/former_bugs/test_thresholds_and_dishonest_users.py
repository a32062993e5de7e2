"""Messages of dishonest users lift a value over the threshold; `--honest` answered as if they could send none."""

import pytest

from tests.helpers import call


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_a_threshold_wants_all_users_honest(capsys, adjacency):
    """Twenty messages of theirs, and one user's own shows with probability p = 0.105: delta >= 0.105, not 6.5e-15."""
    asks = ["delta", "sample_and_threshold", "-p", "p=0.105", "-p", "k=20", "--n", "1000", "--eps", "1"]
    code, _, err = call(capsys, *asks, "--adjacency", adjacency, "--honest", "900")
    assert code == 2 and "lift any value over the threshold" in err and err.count("\n") == 1
    code, out, _ = call(capsys, *asks, "--adjacency", adjacency, "--honest", "1000")
    assert code == 0 and ("6.4799" if adjacency == "add-remove" else "[6.4962") in out
