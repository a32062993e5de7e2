"""A command as a black box: started once, asked in JSON lines, bounded in time and bytes, ended whatever happens.

    request   {"input": 0, "seed": 5142876306173391}      on its standard input, one line each
    answer    ["a", "b"]   or   "a"                       the messages in order, or one bare message; [] sends nothing

The seed is 53 uniform bits, drawn anew for each request: a box that draws from it alone answers a request always alike.
Up to WINDOW requests are written ahead of the answers, which have to come in order, one line each, and flushed.
"""

import json
import os
import selectors
import shlex
import signal
import subprocess
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice, tee
from random import Random
from time import monotonic

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Messages, label

WINDOW = 1000  # requests
CHUNK = 1 << 16
MAX_LINE = 1 << 20  # bytes
READS = 20  # of what is left on stderr: more than a pipe holds
TAIL = 200  # characters of stderr that are shown
GRACE = 1  # seconds to end after the last answer, before it is ended
SEED_BITS = 53  # what every language's numbers hold
SHORT = 200  # bytes of an answer that is remembered as read
REMEMBERED = 1 << 16
EXPECTED = "expected one line for each request, a list of messages or one message"


@contextmanager
def started(command: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a command, without a shell; it and its process group are killed at the end. Raises BadInput."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"black box {command}: {error}: expected a command as in a shell") from None
    if not words:
        raise BadInput("black box: no command: expected one such as 'python box.py'")
    pipe = subprocess.PIPE
    try:
        child = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"black box {command}: cannot be started: {reason}: expected a command to run") from None
    try:
        yield child
    finally:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
        for stream in (child.stdin, child.stdout, child.stderr):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        child.wait()


def told(command: str, asked: Iterable[int | str], seed: int, seconds: int) -> Generator[Messages, None, None]:
    """The answers of a command to these inputs, in order. Raises BadInput as `converse` and `read` do."""
    what, rng = f"black box {command}", Random(seed)
    known: dict[bytes, Messages] = {}
    ahead, kept = tee(asked)
    requests = (f"{json.dumps({'input': x, 'seed': rng.getrandbits(SEED_BITS)})}\n".encode() for x in ahead)
    with started(command) as child:
        for i, (line, x) in enumerate(zip(converse(child, requests, seconds, what), kept, strict=True), 1):
            if (output := known.get(line)) is None:
                output = read(line, f"{what}: answer {i}, to input {x!r}")
                if len(line) <= SHORT and len(known) < REMEMBERED:
                    known[line] = output
            yield output


def read(line: bytes, where: str) -> Messages:
    """The messages that an answer holds, as labels. Raises BadInput."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput(f"{where}: {_shown(line)} is not JSON: {EXPECTED}") from None
    if isinstance(answer, dict) or answer is None:
        raise BadInput(f"{where}: {_shown(line)} is no list of messages: {EXPECTED}")
    return tuple(label(message, where) for message in (answer if isinstance(answer, list) else [answer]))


def converse(child: "subprocess.Popen[bytes]", requests: Iterable[bytes], seconds: int, what: str) -> Iterator[bytes]:
    """The lines that answer the requests, in their order. Errors begin with `what`.

    Raises BadInput where no answer comes for `seconds`, or more lines than requests, or one over MAX_LINE, or where
    the box ends before the last one.
    """
    assert child.stdin and child.stdout and child.stderr
    stdin, stdout, stderr = child.stdin.fileno(), child.stdout.fileno(), child.stderr.fileno()
    asked, more = iter(requests), True
    waiting: deque[bytes] = deque()  # not yet answered; the last of them may stand in `unsent`
    unsent, rest, errors = bytearray(), b"", b""
    unsent_lines = received = 0
    with selectors.DefaultSelector() as ready:
        for stream in (stdin, stdout, stderr):
            os.set_blocking(stream, False)
        ready.register(stdout, selectors.EVENT_READ)
        ready.register(stderr, selectors.EVENT_READ)
        writing = False
        last = monotonic()
        while True:
            if more and len(waiting) <= WINDOW // 2:
                last = last if waiting else monotonic()
                batch = list(islice(asked, wanted := WINDOW - len(waiting)))
                more = len(batch) == wanted
                waiting.extend(batch)
                unsent += b"".join(batch)
                unsent_lines += len(batch)
            if not waiting and not more:
                break
            if not more and not unsent and not child.stdin.closed:
                child.stdin.close()  # a reader that buffers answers when it sees the end
            if unsent and not writing:
                ready.register(stdin, selectors.EVENT_WRITE)
                writing = True
            found = {key.fd for key, _ in ready.select(max(0, last + seconds - monotonic()))}
            if stderr in found:
                errors, ended = _tail(stderr, errors)
                if ended:
                    ready.unregister(stderr)
            if stdin in found:
                try:
                    written = os.write(stdin, unsent[:CHUNK])
                    unsent_lines -= unsent.count(b"\n", 0, written)
                    del unsent[:written]
                except BrokenPipeError:
                    unsent.clear()  # it may have answered before it went: what it wrote is read first
                if not unsent:
                    ready.unregister(stdin)
                    writing = False
            if stdout in found:
                data = os.read(stdout, CHUNK)
                if not data:
                    raise BadInput(_ended(child, what, received, waiting[0], stderr, errors))
                *lines, rest = (rest + data).split(b"\n")
                if len(lines) > len(waiting) - unsent_lines:
                    raise BadInput(f"{what}: more lines than requests, after {received} answers: {EXPECTED}")
                if max(map(len, (*lines, rest))) > MAX_LINE:
                    raise BadInput(
                        f"{what}: {_asked(received, waiting[0])}: a line of over {MAX_LINE} bytes: {EXPECTED}"
                    )
                for line in lines:
                    yield line
                    waiting.popleft()
                    received += 1
                if lines:
                    last = monotonic()
            if monotonic() - last > seconds:
                raise BadInput(
                    f"{what}: {_asked(received, waiting[0])}: no answer within {seconds} seconds{_said(errors)}: "
                    f"{EXPECTED}, flushed"
                )
    child.stdin.close()
    if rest or _more(child):
        raise BadInput(f"{what}: more output than the answers to its {received} requests: {EXPECTED}")


def _tail(stderr: int, errors: bytes) -> tuple[bytes, bool]:
    """The end of what was said so far, and whether that is all."""
    data = os.read(stderr, CHUNK)
    return (errors + data)[-4 * TAIL :], not data


def _more(child: "subprocess.Popen[bytes]") -> bool:
    """Whether it writes anything else, within GRACE seconds from the end of its input."""
    assert child.stdout and child.stderr
    until = monotonic() + GRACE
    with selectors.DefaultSelector() as ready:
        for stream in (child.stdout, child.stderr):
            ready.register(stream, selectors.EVENT_READ)
        while (left := until - monotonic()) > 0:
            for key, _ in ready.select(left):
                data = os.read(key.fd, CHUNK)
                if key.fd == child.stdout.fileno():
                    return bool(data)
                if not data:
                    ready.unregister(key.fd)
    return False


def _ended(child: "subprocess.Popen[bytes]", what: str, received: int, asked: bytes, stderr: int, errors: bytes) -> str:
    try:
        status = child.wait(GRACE)
        how = f"ended with exit status {status}" if status >= 0 else f"was ended by signal {-status}"
    except subprocess.TimeoutExpired:
        how = "closed its output"
    with suppress(BlockingIOError):
        for _ in range(READS):
            errors, _ = _tail(stderr, errors)
    return f"{what}: {_asked(received, asked)}: it {how} after {received} answers{_said(errors)}: {EXPECTED}"


def _asked(received: int, line: bytes) -> str:
    return f"request {received + 1}, {line.decode().strip()[:80]}"


def _said(errors: bytes) -> str:
    said = " ".join(errors.decode(errors="replace").split())[-TAIL:]
    return f", saying {said!r}" if said else ""


def _shown(line: bytes) -> str:
    return ascii(line[:60].decode(errors="replace")) + ("..." if len(line) > 60 else "")
