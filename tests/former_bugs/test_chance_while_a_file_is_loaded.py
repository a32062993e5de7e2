"""SEED = secrets.randbelow(2) at the top of a file gave the law of the constant that came up.

What is drawn without a seed, read from a clock or an address, or ordered by hashes while a file is loaded is refused;
what is the same in every process is not.
"""

import pytest

from verify.audit.code.at_load import check
from verify.errors import BadInput

TOP = """import datetime, os, random, secrets, time, uuid
import numpy as np
RNG = np.random.default_rng()
K = {source}
def f(x, rng):
    return x if K or rng.random() < 0.75 else 1 - x
"""
REFUSED = {
    "secrets.randbelow(2)": "os.urandom",
    "random.random() < 0.5": "without a seed",
    "(random.seed(), random.random() < 0.5)[1]": "without a seed",
    "int(time.time()) % 2": "time.time",
    "next(map(os.urandom, [1]))[0] % 2": "os.urandom",
    "datetime.datetime.now().second % 2": "datetime.now",
    "RNG.random() < 0.5": "numpy.random's random without a seed",
    "np.random.rand() < 0.5": "numpy.random.rand without a seed",
    "hash('a') % 2": "hash()",
    "id(f'{time}') // 16 % 2": "id()",
    "open('/dev/urandom', 'rb').read(1)[0] % 2": "/dev/urandom",
    "list({'a', 'b'})[0] == 'a'": "another in every process",
    "[c for c in set('ab')][0] == 'a'": "another in every process",
    "str(object())": "the global K",
}
QUICK = [
    "secrets.randbelow(2)",
    "int(time.time()) % 2",
    "np.random.rand() < 0.5",
    "list({'a', 'b'})[0] == 'a'",
    "str(object())",
]
RIGHT = """(
    random.Random(7).random(),
    (random.seed(7), random.random()),
    np.random.default_rng(7).random(),
    (time, RNG, {'a', 'b'}, sorted({'a', 'b'}), lambda: time.time()),
)"""


def file(tmp_path, source):
    path = tmp_path / "mine.py"
    path.write_text(TOP.replace("{source}", source))
    return f"{path}:f"


@pytest.mark.parametrize("source", [pytest.param(s, marks=() if s in QUICK else pytest.mark.long) for s in REFUSED])
def test_refused(tmp_path, source):
    with pytest.raises(BadInput) as caught:
        check(file(tmp_path, source), {}, ())
    assert REFUSED[source] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_right(tmp_path):
    check(file(tmp_path, RIGHT), {}, ())
