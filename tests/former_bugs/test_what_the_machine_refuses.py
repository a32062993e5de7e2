"""A full disk, a closed output, `| head`: these ended with a traceback and with exit status 1, which means refuted, and
of the kernel by itself rejected; and it waited for a named pipe."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.helpers import COMMAND, call, is_one_line

HERE = Path(__file__).parent.parent
KERNEL = (sys.executable, "-I", "-S", str(HERE.parent / "verify" / "kernel.py"))
FALSE = str(HERE / "rejected" / "rr-n.json")
REFUTED = ("certify", "rr", "-p", "flip=1/4", "--n", "2", "--eps", "0", "--delta", "0")  # delta(0) is 3/8
EXAMPLE = str(HERE / "accepted" / "tiny.json")
OURS = {REFUTED: 1, ("check", EXAMPLE): 0, ("certify", "--help"): 0, ("search", "list"): 0}
ANSWERS = {(*COMMAND, *words): status for words, status in OURS.items()}
ANSWERS |= {(*KERNEL, EXAMPLE): 0, (*KERNEL, EXAMPLE, FALSE): 1}
LONG = [*ANSWERS][1:4]
EVERY = [pytest.param(line, marks=[pytest.mark.long] * (line in LONG), id=" ".join(line[-2:])) for line in ANSWERS]


def closing(*numbers):
    def close():
        for number in numbers:
            os.close(number)

    return close


def run(arguments, program=COMMAND, **options):
    return subprocess.run([*program, *arguments], text=True, check=False, stdin=subprocess.DEVNULL, **options)


def is_told(done):
    """What the machine refuses is 4, in one line; of the kernel 1 means rejected."""
    err = done.stderr.replace("kernel.py: ", "shufflecert: ", 1)
    return done.returncode == 4 and is_one_line(err)


def few_bytes():
    """The file system takes no file of more than 4096 bytes from this process: as on a disk that is nearly full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize("line", EVERY)
def test_a_full_disk_takes_no_answer(line):
    with Path("/dev/full").open("w") as full:
        done = run((), line, stdout=full, stderr=subprocess.PIPE)
    assert is_told(done) and "No space left" in done.stderr


@pytest.mark.parametrize("line", EVERY)
def test_a_reader_that_has_gone_is_no_failure(line):
    read, write = os.pipe()
    os.close(read)
    done = run((), line, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (ANSWERS[line], "")


def test_a_closed_output_is_told_before_any_work(tmp_path):
    done = run([*REFUTED, "-o", str(tmp_path / "c.json")], preexec_fn=closing(1), stderr=subprocess.PIPE)
    assert is_told(done) and list(tmp_path.iterdir()) == []
    done = run([FALSE], KERNEL, preexec_fn=closing(1), stderr=subprocess.PIPE)
    assert is_told(done) and "standard output is closed" in done.stderr


@pytest.mark.parametrize("numbers", [(0, 2), (2,), (0,)])
@pytest.mark.sampled(3)
def test_what_cannot_be_complained_of_changes_no_answer(tmp_path, numbers):
    done = run(REFUTED, preexec_fn=closing(*numbers), stdout=subprocess.PIPE)
    assert done.returncode == 1 and done.stdout.startswith("REFUTED: delta(0)")
    bad = run(["delta", "nothing"], preexec_fn=closing(*numbers), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert (bad.returncode, bad.stdout) == (2, "")
    with Path("/dev/full").open("w") as full:
        assert run(["delta", "nothing"], stdout=subprocess.PIPE, stderr=full).returncode == 2


def test_nothing_but_the_kernel_of_the_answer_is_written_where_all_streams_are_closed(tmp_path):
    """The first file that is opened would become standard output, and the answer would be written into it."""
    done = run([*REFUTED, "-o", str(tmp_path / "c.json")], preexec_fn=closing(0, 1, 2))
    assert done.returncode == 4 and list(tmp_path.iterdir()) == []


BITS = ("rr", "-p", "flip=1/4")
ONE = (*BITS, "--n", "1", "--large", "2")
HUNT = ("search", "preshuffle-gap", "--workers", "1", "--max-messages")
CELL = ("--systems", "poisson", "--n", "1000", "--eps", "1", "--delta", "1e-6")
WRITERS = {
    "certify": (*REFUTED, "-o", "a.json"),
    "calibrate": ("calibrate", "rr", "--n", "3", "--eps", "1", "--delta", "1/10", "-o", "a.json"),
    "audit": ("audit", *ONE, "--claim", "eps=0,delta=1/8", "-o", "a.json"),
    "audit's page": ("audit", *ONE, "--report", "a.html"),
    "report": ("report", EXAMPLE, "-o", "a.html"),
    "profile": ("profile", *BITS, "--n", "3", "--eps", "0,1", "--csv", "a.csv"),
    "picture": ("profile", *BITS, "--n", "3", "--eps", "0,1", "--plot", "a.svg"),
    "compare": ("compare", "sum", "--systems", "poisson", "--n", "9", "--eps", "1", "--delta", "0.1", "--csv", "a.csv"),
    "export": ("export", *BITS, "--n", "3", "--to", "csv", "--eps-max", "1", "-o", "a.csv"),
    "import": ("import", "two.csv", "-o", "a.toml"),
    "table": ("table", "a.csv", *CELL, "--workers", "1"),
    "search": (*HUNT, "2", "--denominator", "5", "-o", "folder"),
    "journal": (*HUNT, "1", "--journal", "a.journal"),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.sampled(6)
def test_a_full_disk_takes_no_file(tmp_path, name):
    (tmp_path / "two.csv").write_text("p,q\n1/2,1/3\n1/2,2/3\n")
    (tmp_path / "here").mkdir()
    arguments = [str(tmp_path / word) if word == "two.csv" else word for word in WRITERS[name]]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent), "MPLCONFIGDIR": str(tmp_path)}
    done = run(arguments, cwd=tmp_path / "here", preexec_fn=few_bytes, env=environment, capture_output=True)
    assert (done.returncode, done.stdout) == (4, "") and is_one_line(done.stderr), done.stderr
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("name", ["certify", "calibrate", "audit's page", "report", "profile", "import", "journal"])
def test_a_name_of_300_characters(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text("p,q\n1/2,1/3\n1/2,2/3\n")
    arguments = [f"{'a' * 300}{word[1:]}" if word.startswith("a.") else word for word in WRITERS[name]]
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (4, "") and is_one_line(err) and "File name too long" in err
    assert [path.name for path in tmp_path.iterdir()] == ["two.csv"]


@pytest.mark.parametrize("command", ["delta", "check", "report", "import", "audit", "table"])
def test_a_name_of_300_characters_to_read(tmp_path, capsys, command):
    suffix = {"import": ".csv", "report": ".json", "check": ".json", "table": ".csv"}.get(command, ".toml")
    more = {"delta": ("--n", 2, "--eps", 1), "import": ("-o", tmp_path / "t.toml"), "table": ("--check",)}
    status, out, err = call(capsys, command, tmp_path / ("a" * 300 + suffix), *more.get(command, ()))
    assert status in (2, 4) and "File name too long" in out + err and (command == "check" or is_one_line(err))


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_who_is_asked_to_end_leaves_nothing(tmp_path, number):
    """`search` with two processes ended with "leaked semaphore objects" once it was terminated."""
    arguments = ("search", "preshuffle-gap", "--max-messages", "3", "--denominator", "9", "--workers", "2")
    journal = tmp_path / "a.journal"
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--journal", str(journal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # though these tests run under nohup
    )
    try:
        while b"\x00" not in (journal.read_bytes() if journal.exists() else b"") and process.poll() is None:
            time.sleep(1 / 200)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert (process.returncode, out) == (128 + number, "") and is_one_line(err)
    assert f"shufflecert search resume {journal} goes on" in err


def test_the_kernel_does_not_wait_for_a_named_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    done = run([str(tmp_path / "pipe.json")], KERNEL, stdout=subprocess.PIPE, timeout=300)
    assert done.returncode == 2 and "malformed: file: " in done.stdout and "named pipe" in done.stdout


@pytest.mark.parametrize("command", [KERNEL, [*COMMAND, "check"]], ids=["kernel", "check"])
def test_the_pipe_of_a_shell_is_read(command):
    """It can be read once, and `check` wanted to read it again."""
    read, write = os.pipe()
    os.write(write, Path(EXAMPLE).read_bytes())
    os.close(write)
    done = run([f"/dev/fd/{read}"], command, pass_fds=(read,), stdout=subprocess.PIPE, timeout=300)
    os.close(read)
    assert done.returncode == 0 and ": accepted: " in done.stdout


def test_no_memory(tmp_path):
    """A file of 60 MiB, which is read, where the process may have 40."""
    (tmp_path / "long.json").write_bytes(b" " * 60 * 2**20)
    limit = (40 * 2**20, 40 * 2**20)
    little = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, limit)}
    done = run([str(tmp_path / "long.json")], KERNEL, capture_output=True, **little)
    assert is_told(done) and "MemoryError" in done.stderr
