"""Black boxes that are commands: found out, or ended where they misbehave; nothing is left running.

Everything is seeded: a test that passes once passes always, but for the misbehaving commands, which are timed.
"""

import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from shufflecert.verify.audit.black_box import process
from shufflecert.verify.audit.black_box.estimate import audit
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests.test_black_box import quick, respond

ROOT = Path(__file__).parent.parent
BOX = f"{sys.executable} {ROOT / 'examples' / 'box.py'}"


@pytest.fixture
def box(tmp_path):
    """A command that runs this Python source; `ask` reads one request."""

    def command(source):
        prelude = """
            import json, os, sys, time
            def ask():
                line = sys.stdin.readline()
                return json.loads(line)["input"] if line else sys.exit()
            def say(text):
                sys.stdout.write(text); sys.stdout.flush()
        """
        file = tmp_path / "box file.py"
        file.write_text(textwrap.dedent(prelude) + textwrap.dedent(source), encoding="utf-8")
        return f"{sys.executable} -S '{file}'"

    return command


def test_the_example_is_what_it_claims():
    """Recomputed by hand from the seeds in the requests."""
    found = quick(BOX, eps="log(3)")
    seeds, counts = random.Random(5), [Counter(), Counter()]
    for i in range(4000):
        for x in (0, 1):
            y = respond(x, random.Random(seeds.getrandbits(53)))
            counts[x][str(y)] += i >= 2000
    event = found.by_eps
    (y,) = chain.from_iterable(event.outputs)
    assert event.hits == (counts[int(event.source)][y], counts[int(event.target)][y])
    assert not found.contradicted and found.eps_lower > Eps.of("0.9")
    assert quick(BOX, eps="log(3)") == found


def test_a_leaky_command(box):
    command = box("""
        import random
        while True:
            x = ask()
            bit = x if random.random() < 0.95 else 1 - x  # eps = log(19)
            say(f'["a", {bit}]\\n')
    """)
    found = quick(command, eps="log(3)", seed=None)  # 95% of 2000 against 5%: wrong by chance far below 1e-100
    assert found.contradicted and found.outputs == 2


def test_a_command_may_answer_at_leisure(box):
    """Bare messages, blanks, text that is not ASCII, a last word on stderr, and a box that does not end by itself."""
    command = box("""
        print("starting", file=sys.stderr, flush=True)
        for _ in range(200):
            ask()
            say('  "na\\u00efve" \\n')
        time.sleep(3600)
    """)
    start = time.monotonic()
    assert quick(command, samples=100).by_eps.outputs == (("naïve",),)
    assert time.monotonic() - start < 600  # it is not waited for


BAD = {
    "hangs": ("ask(); time.sleep(3600)", r"request 1, \{.input.: 0, .*no answer within 1 seconds.* flushed"),
    "hangs later": ("[(ask(), say('1\\n')) for _ in range(7)]; time.sleep(3600)", "request 8, .*no answer within 5"),
    "drips": (
        "while True: say('1'); time.sleep(0.01)",
        "request 1, .*no answer within 1 seconds",
    ),
    "chatters": (
        "while True: sys.stderr.write('still thinking ' * 100)",
        "no answer within 5 seconds, saying '.*thinking'",
    ),
    "dies": (
        "ask(); say('1\\n'); sys.exit('out of luck')",
        "request 2, .*exit status 1 after 1 .* saying 'out of luck'",
    ),
    "dies at once": ("sys.exit(7)", "request 1, .*ended with exit status 7 after 0 answers"),
    "is killed": ("ask(); os.kill(os.getpid(), 9)", "was ended by signal 9"),
    "raises": ("ask(); 1 / 0", "exit status 1 .*ZeroDivisionError: division by zero'"),
    "closes its output": ("ask(); os.close(1); time.sleep(3600)", "closed its output after 0 answers"),
    "stops in a line": ("ask(); say('1')", "ended with exit status 0 after 0 answers"),
    "floods a line": ("ask()\nwhile True: say('x' * 65536)", "request 1, .*a line of over 1048576 bytes"),
    "floods lines": ("while True: say('1\\n' * 1000)", "more lines than requests"),
    "speaks first": ("say('ready\\n'); ask(); say('1\\n')", "more lines than requests, after 0|'ready' is not JSON"),
    "says more": ("[(ask(), say('1\\n')) for _ in range(200)]; say('2')", "more output than the answers to its 200"),
    "is not JSON": ("ask(); say('yes\\n')", "answer 1, to input 0: 'yes' is not JSON"),
    "is not UTF-8": ("ask(); sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "is not JSON"),
    "says nothing": ("ask(); say('\\n')", "answer 1, to input 0: '' is not JSON"),
    "sends a float": ("ask(); say('0.5\\n')", "0.5 is not a label"),
    "sends NaN": ("ask(); say('[NaN]\\n')", "nan is not a label"),
    "sends a truth": ("ask(); say('true\\n')", "True is not a label"),
    "sends null": ("ask(); say('null\\n')", "'null' is no list of messages"),
    "sends a table": ("ask(); say('{\"a\": 1}\\n')", "is no list of messages"),
    "nests": ("ask(); say('[[1]]\\n')", r"answer 1, to input 0: \[1\] is not a label"),
    "nests deeply": ("ask(); say('[' * 500000 + '\\n')", "is not JSON"),
    "long number": ("ask(); say('9' * 5000 + '\\n')", "is not JSON"),
    "long text": ("ask(); say('\"' + 'a' * 5000 + '\"\\n')", "is not a label"),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.sampled(4)
def test_bad_commands(what, box):
    source, reason = BAD[what]
    asked = re.search(r"within (\d+)", reason)  # long enough for what is to be said before, on a busy machine too
    start, patience = time.monotonic(), int(asked[1]) if asked else 300
    with pytest.raises(BadInput, match=f"^black box .*{reason}") as error:
        quick(box(source), samples=100, seconds=patience)
    assert time.monotonic() - start < 600  # what sleeps is not waited for
    assert len(str(error.value)) < 900 and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "no command"),
        ("   ", "no command"),
        ("echo 'open", "No closing quotation"),
        ("/no/such/command --here", "cannot be started: No such file"),
        (str(ROOT), "cannot be started: Permission denied"),
        ("a\0b", "cannot be started"),
        ("true", "ended with exit status 0 after 0 answers"),
        ("yes 1", "more lines than requests"),
        ("cat", "is no list of messages"),
    ],
)
def test_what_is_no_box(command, reason):
    with pytest.raises(BadInput, match=f"black box.*{reason}"):
        quick(command, seconds=300)


def test_a_flood_on_stderr_stops_nobody(box):
    command = box("""
        while True:
            x = ask()
            sys.stderr.write("noise " * 20000)
            say(f"{x}\\n")
    """)
    assert quick(command, samples=50).outputs == 2


def gone(pid):
    """Whether the process has ended; a zombie that its new parent has not yet buried counts."""
    for _ in range(6000):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


CHILDREN = """
    import subprocess
    other = subprocess.Popen(["sleep", "300"])
    with open(FILE, "w") as file:
        file.write(f"{os.getpid()} {other.pid}")
    ask()
    time.sleep(300)
"""


def test_nothing_is_left_running(box, tmp_path):
    pids = tmp_path / "pids"
    with pytest.raises(BadInput, match="no answer within 5 seconds"):
        quick(box(CHILDREN.replace("FILE", repr(str(pids)))), seconds=5)
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_nothing_is_left_running_after_an_interruption(box, tmp_path):
    pids = tmp_path / "pids"
    command = box(CHILDREN.replace("FILE", repr(str(pids))))
    source = (
        "from shufflecert.verify.audit.black_box.estimate import audit; "
        f"audit({command!r}, (0, 1), samples=100, confidence='0.9')"
    )
    running = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT, stderr=subprocess.PIPE)
    for _ in range(3000):
        if pids.exists() and len(pids.read_text().split()) == 2:
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=300)
    assert b"KeyboardInterrupt" in error
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_a_box_that_buffers_is_told_so(box):
    """It answers everything, and all of it only at the end of its input."""
    command = box("""
        answers = [f"{json.loads(line)['input']}\\n" for line in sys.stdin]
        say("".join(answers))
    """)
    with pytest.raises(BadInput, match=r"no answer within 1 seconds.*flushed"):
        quick(command, seconds=1)


def test_requests_go_ahead_of_answers(box):
    """A window is answered in one go: nobody waits for each other."""
    command = box(f"""
        while True:
            answers = [f"{{ask()}}\\n" for _ in range({process.WINDOW} // 2)]
            say("".join(answers))
    """)
    assert quick(command, samples=process.WINDOW).outputs == 2


def test_bools_and_numbers_of_numpy_are_the_integers_that_they_are():
    """As `enumerate_sampler` takes them."""
    import numpy

    def answers(x, rng):
        return bool(x), numpy.int64(x), numpy.bool_(x)

    found = audit(answers, [0, 1], samples=20, confidence="0.9", seed=1)
    assert found.by_delta.outputs in ((("(0, 0, 0)",),), (("(1, 1, 1)",),))
