"""Audits of black boxes: bounds recomputed from the seed, leaks found, honest boxes left alone, bad ones ended.

Everything is seeded: a test that passes once passes always, but for the misbehaving commands, which are timed.
"""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from contextlib import suppress
from fractions import Fraction as F
from itertools import chain
from math import log
from pathlib import Path

import pytest
from scipy.stats import binomtest

from tests import oracle
from verify.audit.black_box import estimate, process
from verify.audit.black_box.answer import to_json, words
from verify.audit.black_box.estimate import audit
from verify.errors import BadInput, TooMuchWork
from verify.exact.epsilon import Eps

ROOT = Path(__file__).parent.parent
BOX = f"{sys.executable} {ROOT / 'examples' / 'box.py'}"


def respond(x, rng):
    """Binary randomized response with eps = log(3)."""
    return x if rng.random() < 0.75 else 1 - x


def two_messages(x, rng):
    return (respond(x, rng), rng.choice("ab"))


def leaky(x, rng):
    """Like `respond`, but 1 is sent in clear now and then."""
    return "secret" if x == 1 and rng.random() < 0.01 else respond(x, rng)


def quick(sampler, inputs=(0, 1), **given):
    return audit(sampler, inputs, **{"samples": 4000, "confidence": "0.999", "seed": 5, **given})


def test_bounds_recomputed_from_the_seed():
    """The second half alone, run again by hand; scipy's exact intervals, (1 - confidence) / 4 on each side."""
    found = quick(respond, eps="1/2", delta="1/100")
    rng = random.Random(5)
    runs = [[respond(x, rng) for x in (0, 1)] for _ in range(4000)]
    counts = [Counter(str(run[x]) for run in runs[2000:]) for x in (0, 1)]
    for event in (found.by_delta, found.by_eps):
        (y,) = chain.from_iterable(event.outputs)
        hits = tuple(counts[int(x)][y] for x in (event.source, event.target))
        assert event.hits == hits and event.of == 2000
        p, q = (binomtest(k, 2000).proportion_ci(1 - 0.001 / 2, "exact") for k in hits)
        assert float(event.low) == pytest.approx(p.low, rel=1e-9)
        assert float(event.high) == pytest.approx(q.high, rel=1e-9)
    low, high = float(found.by_eps.low), float(found.by_eps.high)
    assert float(found.delta_lower) == pytest.approx(low - 1.6487212707001282 * high, rel=1e-9)
    assert log(found.eps_lower.power) == pytest.approx(log((low - 0.01) / high), rel=1e-9)
    assert found.contradicted


def test_an_honest_sampler_is_left_alone():
    """At confidence 0.999 each of 8 audits may contradict with probability 0.001; these seeds do not."""
    found = [quick(respond, eps="log(3)", seed=seed, samples=1000) for seed in range(8)]
    assert not any(one.contradicted for one in found)
    assert all(one.eps_lower < Eps.log(F(3)) for one in found)
    assert all(one.eps_lower > Eps.of("0.5") for one in found)


@pytest.mark.parametrize("seed", range(3))
def test_a_leak_is_found(seed):
    """Pr[secret | 1] = 0.01 against 0: with 10^4 measured runs 100 +- 10 hits, and 32 are enough."""
    found = audit(leaky, (0, 1), samples=20_000, confidence="0.999", eps="log(3)", seed=seed)
    assert found.contradicted
    assert ("secret",) in found.by_delta.outputs and (found.by_delta.source, found.by_delta.target) == ("1", "0")
    assert found.detectable.leak < F(1, 100)


def test_the_event_is_not_measured_where_it_was_chosen():
    """200 outputs, no leak: an event chosen by luck holds 0.7 to 0.3 in its own half, and its luck ends there.

    Each audit contradicts with probability at most 0.1, all 20 are independent: 12 or more do with one below 1e-7.
    """

    def uniform(x, rng):
        return rng.randrange(200)

    found = [quick(uniform, samples=400, confidence="0.9", eps=0, seed=seed) for seed in range(20)]
    assert sum(one.contradicted for one in found) < 12
    assert all(len(one.by_delta.outputs) > 1 for one in found)


def test_every_ordered_pair_is_looked_at():
    def odd(x, rng):
        return 1 if x == 2 and rng.random() < 0.2 else 0

    found = quick(odd, inputs=(0, 1, 2, 3), delta="0", eps=3)
    assert found.contradicted and found.by_delta.source == "2" and found.by_delta.outputs == (("1",),)


def test_messages_in_order_or_shuffled():
    views = [oracle.multiset_law(oracle.rr(F(1, 4)), (x, "0", "0")) for x in "01"]
    exact = oracle.hockey_stick(*views, 1)
    found = quick(respond, n=3, samples=20_000)
    assert found.outputs == 4 and all(y in views[0] for y in found.by_delta.outputs)
    assert exact - F(1, 20) < found.delta_lower < exact
    others = quick(respond, n=3, others=1)
    views = [oracle.multiset_law(oracle.rr(F(1, 4)), (x, "1", "1")) for x in "01"]
    assert F(0) < others.delta_lower < oracle.hockey_stick(*views, 1)
    assert quick(two_messages).outputs == 4
    assert quick(lambda x, rng: rng.choice([("a", "b"), ("b", "a")])).outputs == 2
    assert quick(lambda x, rng: rng.choice([("a", "b"), ("b", "a")]), n=1).outputs == 1
    assert quick(lambda x, rng: ()).by_delta.outputs == ((),)


def test_the_answer_in_json_and_words():
    found = quick(leaky, eps="log(3)", delta="1e-9", samples=20_000)
    tree = json.loads(json.dumps(to_json(found)))
    assert tree["verdict"] == "contradicted" and tree["claim"] == {"eps": "log(3)", "delta": "1/1000000000"}
    assert F(tree["delta"][0]["lower"]) <= found.delta_lower < F(tree["delta"][0]["lower"]) + F(1, 10**20)
    shown = tree["delta"][0]["shown_by"]
    assert (shown["from"], shown["to"], shown["event"]) == ("1", "0", [["secret"]])
    assert F(shown["probability"]["from"]["lower"]) <= found.by_delta.low
    assert F(shown["probability"]["to"]["upper"]) >= found.by_delta.high
    assert "not a certificate" in words(tree) and "REFUTED" not in words(tree)
    honest = to_json(quick(respond, eps=2))
    assert honest["verdict"] == "not contradicted" and "not finding is not proving" in words(honest)
    assert to_json(quick(respond))["verdict"] is None
    assert "nothing, however large" in words(to_json(quick(respond, samples=4)))


def test_the_same_seed_the_same_answer():
    assert quick(respond) == quick(respond)
    assert quick(respond, seed=6) != quick(respond)
    unseeded = quick(respond, seed=None)
    assert quick(respond, seed=unseeded.seed) == unseeded


def test_progress():
    seen = []

    def progress(items, total):
        for i, item in enumerate(items):
            seen.append((i, total))
            yield item

    assert quick(respond, progress=progress) == quick(respond)
    assert [i for i, _ in seen] == list(range(seen[0][1])) and len(seen) >= 100


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"samples": 1}, "samples"),
        ({"samples": "many"}, "samples"),
        ({"confidence": "1"}, "confidence"),
        ({"confidence": 0.99}, "confidence: .* float"),
        ({"eps": "-1"}, "eps"),
        ({"delta": "2"}, "delta"),
        ({"n": 0}, "n: "),
        ({"seed": -1}, "seed"),
        ({"seconds": 0}, "seconds"),
        ({"power": "1"}, "power"),
        ({"inputs": (0,)}, "inputs: 0: expected from 2"),
        ({"inputs": (0, "0")}, "inputs: 0, 0: .* each once"),
        ({"inputs": (0, 1.5)}, "inputs: 1.5 is not a label"),
        ({"others": ""}, "others"),
    ],
)
def test_bad_questions(given, reason):
    with pytest.raises(BadInput, match=reason):
        quick(respond, **given)
    with pytest.raises(TooMuchWork, match="runs in all"):
        quick(respond, samples=10**8, n=100)


def raises(x, rng):
    raise ZeroDivisionError("by nothing")


def hangs(x, rng):
    while True:
        with suppress(Exception):
            time.sleep(0.01)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raises, "run 1, on input 0: raised ZeroDivisionError: by nothing"),
        (lambda x, rng: sys.exit(3), "raised SystemExit"),
        (lambda x, rng: [x], "run 1, on input 0: sends a list, which cannot be hashed"),
        (lambda x, rng: rng.random(), "sends a float"),
        (lambda x, rng: None, "returns None"),
        (lambda x: x, "cannot be called with an input and a source"),
        (None, "cannot be called"),
        (hangs, "run 1, on input 0: no answer within 1 seconds"),
    ],
)
def test_bad_functions(function, reason):
    with pytest.raises(BadInput, match=reason):
        quick(function, seconds=1)


def test_too_many_outputs(monkeypatch):
    monkeypatch.setattr(estimate, "MOST_OUTPUTS", 100)
    with pytest.raises(BadInput, match="run 51: over 100 different outputs"):
        quick(lambda x, rng: rng.getrandbits(62))
    monkeypatch.setattr(estimate, "MOST_HELD", 1000)
    with pytest.raises(BadInput, match="characters: expected"):
        quick(lambda x, rng: str(rng.getrandbits(62)) * 10)


# Commands ------------------------------------------------------------------------------------------------------------


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
        time.sleep(60)
    """)
    start = time.monotonic()
    assert quick(command, samples=100).by_eps.outputs == (("naïve",),)
    assert time.monotonic() - start < 15


BAD = {
    "hangs": ("ask(); time.sleep(60)", r"request 1, \{.input.: 0, .*no answer within 1 seconds.* flushed"),
    "hangs later": ("[(ask(), say('1\\n')) for _ in range(7)]; time.sleep(60)", "request 8, .*no answer within 1"),
    "drips": (
        "while True: say('1'); time.sleep(0.01)",
        "request 1, .*no answer within 1 seconds",
    ),
    "chatters": (
        "while True: sys.stderr.write('still thinking ' * 100)",
        "no answer within 1 seconds, saying '.*thinking'",
    ),
    "dies": (
        "ask(); say('1\\n'); sys.exit('out of luck')",
        "request 2, .*exit status 1 after 1 .* saying 'out of luck'",
    ),
    "dies at once": ("sys.exit(7)", "request 1, .*ended with exit status 7 after 0 answers"),
    "is killed": ("ask(); os.kill(os.getpid(), 9)", "was ended by signal 9"),
    "raises": ("ask(); 1 / 0", "exit status 1 .*ZeroDivisionError: division by zero'"),
    "closes its output": ("ask(); os.close(1); time.sleep(60)", "closed its output after 0 answers"),
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
def test_bad_commands(what, box):
    source, reason = BAD[what]
    start = time.monotonic()
    with pytest.raises(BadInput, match=f"^black box .*{reason}") as error:
        quick(box(source), samples=100, seconds=1)
    assert time.monotonic() - start < 8
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
        quick(command, seconds=1)


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
    for _ in range(100):
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
    with pytest.raises(BadInput, match="no answer within 1 seconds"):
        quick(box(CHILDREN.replace("FILE", repr(str(pids)))), seconds=1)
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_nothing_is_left_running_after_an_interruption(box, tmp_path):
    pids = tmp_path / "pids"
    command = box(CHILDREN.replace("FILE", repr(str(pids))))
    source = (
        f"from verify.audit.black_box.estimate import audit; audit({command!r}, (0, 1), samples=100, confidence='0.9')"
    )
    running = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT, stderr=subprocess.PIPE)
    for _ in range(200):
        if pids.exists() and len(pids.read_text().split()) == 2:
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=20)
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
    assert found.by_delta.outputs in ((("0", "0", "0"),), (("1", "1", "1"),))
