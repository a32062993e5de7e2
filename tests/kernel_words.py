"""What the kernel says and where it says it: how each kind of certificate is summed up, long numbers, digests, pipes.

Functions of the kernel, as in tests/kernel_parts.py; tests/kernel_mutants.py runs them against damaged ones.
"""

import io
import json
import re
from collections.abc import Callable
from contextlib import redirect_stderr
from fractions import Fraction
from hashlib import sha256
from types import SimpleNamespace
from typing import Any
from unittest import mock

from tests import scale_seeds
from tests.kernel_battery import HALF, HERE, certificate, pair, proof

PAIRS = r"(at least )?\d+ pairs of neighbouring datasets( of \d+ user\(s\))?"
ENDS = {
    "symmetries": rf"\d+ of {PAIRS} computed(, the others are equivalent)?|there are no neighbouring datasets",
    "event": rf"shown by 1 of {PAIRS}",
    "cover": rf"by \d+ boxes, which hold {PAIRS}",
    "blanket": r"by the blanket; \d+ of \d+ pairs of inputs differ",
    "blocks": r"by [1-9]\d* boxes of blocks of users, for [1-9]\d* pairs of inputs",
    "threshold": "shown by 1 pair",
    "delta": "the largest of all pairs of neighbours|the named pair of neighbours, and all others in [1-9][0-9]* boxes",
}  # by a key of the evidence


def jobs_are_summed_up(k: Any) -> None:
    """What was shown is the end of the line, for the kinds of versions 1 to 3; tests/kernel_parts.py has the others."""
    some = [file.read_bytes() for file in sorted((HERE / "accepted").glob("*.json"))]
    some += [json.dumps(tree).encode() for tree in scale_seeds.seeds()]
    told = set()
    for data in some:
        found = k.check(data, max_work=10**6)
        if found.status == "accepted":
            [end] = ENDS.keys() & json.loads(data)["evidence"].keys()
            assert re.fullmatch(f".*: ({ENDS[end]})", found.reason), found.reason
            told.add(end)
    assert told == set(ENDS)


def long_numbers_are_told(k: Any) -> None:
    """About how much a long number is: seven digits or so, and a digest of its text."""
    for p, q in ((1, 10**90), (10**99 + 7, 3 * 10**98), (10**200, 7), (22 * 10**120, 7 * 10**120 + 1)):
        text = f"{p}/{q}"
        said, log = k.told("delta", text, (p, q)), k.told("eps", text, (p, q, True))
        form = r"delta = (.{20})\.\.\.(.{20}) \(about (\d+)e(-*\d+); (\d+) characters .* (\w{64})\)"
        found = re.fullmatch(form, said)
        assert found
        about, power = int(found[3]), int(found[4].replace("--", ""))
        assert 10**5 <= about < 10**8 and about <= Fraction(p, q) / Fraction(10) ** power < about + 1
        digest = sha256(text.encode()).hexdigest()
        assert (found[1], found[2], found[5], found[6]) == (text[:20], text[-20:], str(len(text)), digest)
        assert "(log of about " in log and "log of" not in k.told("eps", text, (p, q, False))
    assert k.told("eps", "1" * 80, (1, 1)) == "eps = " + "1" * 80
    assert k.told("eps", "1" * 81, (1, 1)).startswith("eps = " + "1" * 20 + "...")


def randomizers_are_told(k: Any) -> None:
    """By the SHA-256 of the sorted JSON without white space, in whatever order the file has the keys."""
    data = certificate(HALF, 1, "0", "1/2", proof(pair("0", "1", {})))
    tree = json.loads(data)
    whole = json.dumps(tree["claim"]["randomizer"], sort_keys=True, separators=(",", ":"))
    words = f"randomizer of 2 inputs with SHA-256 {sha256(whole.encode()).hexdigest()}: "
    turned = [dict(reversed(row.items())) for row in tree["claim"]["randomizer"]["rows"]]
    other = tree | {"claim": tree["claim"] | {"randomizer": {"rows": turned}}}
    assert words in k.check(data).reason and words in k.check(json.dumps(other).encode()).reason


def tries_are_counted(k: Any) -> None:
    """Pairs that are asked again with more bits are counted once, and all pairs by the binomial coefficient."""

    def road(cases: Any, bits: int) -> Any:
        return ((case, (0, int(bits < case), 1)) for case in cases)

    for cases in ([1, 2, 3], [1, 40, 2, 90, 300], [300]):
        assert k.exceeding(road, cases, (1, 2), "at most", k.Budget()) == (None, len(cases))
    for others, laws, pairs in ((3, "abc", 60), (2, ["a", "b", ""], 12), (4, "a", 0), (1, ["", "a"], 2)):
        said = SimpleNamespace(kind="proof", others=others, laws=dict.fromkeys(laws))
        assert k.all_pairs(said) == (pairs, f"{pairs} pairs of neighbouring datasets")
    said = SimpleNamespace(kind="proof", others=10**9, laws=dict.fromkeys("abcd"))
    assert k.all_pairs(said)[1] == f"at least {12 * 10**18} pairs of neighbouring datasets"


def pipes_are_not_waited_for(k: Any) -> None:
    """A named pipe is malformed, one that the shell made is read; nothing is opened here."""

    class File(SimpleNamespace):
        """A path that is a pipe if its name says so, and holds nothing."""

        def __init__(self, name: str) -> None:
            super().__init__(is_fifo=lambda: "pipe" in name, open=lambda _: io.BytesIO())

    with mock.patch.object(k, "Path", File):
        names = {"pipe": True, "/tmp/dev/pipe": True, "/dev/fd/pipe": False, "/proc/1/fd/pipe": False, "plain": False}
        for name, piped in names.items():
            status, reason = k.check_file(name)
            words = "file: expected one that holds its text, not a named pipe"
            assert status == "malformed" and (reason == words) == piped


def machines_may_refuse(k: Any) -> None:
    """No room for the answer, or nobody to read it, is no verdict: status 4, or the lines go nowhere."""
    good, errors = str(HERE / "accepted" / "rr-two.json"), io.StringIO()
    for error in (OSError("no room"), MemoryError()):
        forgotten = mock.Mock()
        with mock.patch.multiple(k, tell=mock.Mock(side_effect=error), forget=forgotten), redirect_stderr(errors):
            assert k.main([good]) == 4 and forgotten.call_count == 1
    assert errors.getvalue() == "kernel.py: OSError: no room\nkernel.py: MemoryError: \n"
    with mock.patch.multiple(k, sys=SimpleNamespace(stdout=None, stderr=None), forget=mock.Mock()):
        assert k.main([good]) == 4
        try:
            k.tell("a line")
        except OSError as error:
            assert str(error) == "standard output is closed"
        else:
            raise AssertionError("nobody reads, and nothing is said")
    for effect in (None, BrokenPipeError()):
        printed, forgotten = mock.Mock(side_effect=effect), mock.Mock()
        with mock.patch.object(k, "forget", forgotten), mock.patch.object(k, "print", printed, create=True):
            k.tell("a line")
        assert printed.call_args == mock.call("a line", flush=True) and forgotten.call_count == (effect is not None)
    machine = mock.Mock(devnull="nowhere", O_WRONLY=1)
    with mock.patch.object(k, "os", machine):
        k.forget()
    assert machine.open.call_args == mock.call("nowhere", 1)
    assert machine.dup2.call_args == mock.call(machine.open.return_value, 1)


WORDS: list[Callable[[Any], None]] = [
    jobs_are_summed_up,
    long_numbers_are_told,
    randomizers_are_told,
    tries_are_counted,
    pipes_are_not_waited_for,
    machines_may_refuse,
]
