"""The command at its edges: files, streams, journals, exit statuses, refusals."""

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from concurrent.futures import process
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

import shufflecert
from shufflecert.verify import kernel
from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.calibrate.comparison import ComparedTask, rows
from shufflecert.verify.commands import decide
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce import privacy_blanket
from shufflecert.verify.runs.journal import Header, create_or_resume, read
from shufflecert.verify.systems import randomizer_file
from tests.former_bugs.test_what_the_machine_refuses import HUNT, WRITERS
from tests.helpers import COMMAND, asked, call, is_one_line

# A randomizer file's own `claim` was read and not checked.


ROW = '\n[[rows]]\ninput = "0"\noutputs = [{send = [], p = "1"}]\n'


@pytest.mark.parametrize(
    ("field", "value"),
    [("n", -1), ("n", 0), ("eps", "'abc'"), ("eps", "'log(0)'"), ("delta", "'7'"), ("delta", "'-1'")],
)
def test_a_bad_claim_is_named(field, value):
    claim = {"n": 10, "eps": "'1/2'", "delta": "'1e-6'"} | {field: value}
    inside = ", ".join(f"{k} = {v}" for k, v in claim.items())
    with pytest.raises(BadInput, match=rf"^claim\.{field}: "):
        randomizer_file.parse(f"claim = {{{inside}}}{ROW}".encode(), ".toml")


# After its table `compare` now and then wrote a traceback: threads of its processes were still closing their pipes.


def alive():
    return [thread for thread in process._threads_wakeups if thread.is_alive()]


def test_nothing_of_a_process_is_left_when_its_row_is_there():
    before = alive()
    question = ComparedTask.of("sum", 100, 1, "1/100")
    for row in rows(["zsum", "poisson"], question, 1, 60):
        assert row["finished"] and len(alive()) <= len(before) + 1  # the next one's
    assert alive() == before


# `-o` onto a link replaced it; of a pipe or a device tests/test_certificate_files.py has it refused before the work.


CLAIM = ("certify", "rr", "-p", "flip=1/4", "--n", 2, "--eps", 0, "--delta", 1, "-o")


def test_a_link_keeps_being_one(tmp_path, capsys):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "file").write_text("old")
    assert call(capsys, *CLAIM, tmp_path / "link", "--force")[0] == 0
    assert (tmp_path / "link").is_symlink() and "shufflecert" in (tmp_path / "file").read_text()


# `table FILE --journal FILE` wrote the table over its journal; a damaged journal was quoted at length.


ASKED = ("--systems", "zsum", "--n", 1000, "--eps", 1, "--delta", "1e-6", "--workers", 1)


@pytest.mark.parametrize("other", ["one.csv", "./one.csv", "sub/../one.csv"])
def test_they_are_two_files(tmp_path, capsys, monkeypatch, other):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, "table", "one.csv", *ASKED, "--journal", other)
    assert (status, out) == (2, "") and is_one_line(err) and "the table and --journal are one file" in err
    assert [p.name for p in tmp_path.iterdir()] == ["sub"]


def test_a_result_that_is_no_text(tmp_path):
    path = tmp_path / "run.journal"
    with create_or_resume(path, Header.of("run", "1", {}, 1)) as journal:
        journal.record(0, '"' + "long " * 1000 + '"', None, 0.0)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE block SET result = CAST(x'ff' || CAST(result AS BLOB) AS TEXT)")
    with pytest.raises(BadInput) as refused, read(path) as journal:
        list(journal.results())
    assert is_one_line(f"shufflecert: {refused.value}\n") and len(str(refused.value)) < len(str(path)) + 60


# Edges of the command: an empty --n, no arguments, terminal escapes in messages, a terminal without Unicode.


def test_no_arguments_show_the_help_and_no_empty_complaint(capsys):
    status, out, err = call(capsys)
    assert status == 2 and "Usage" in out + err
    assert "shufflecert: \n" not in err


def test_labels_that_the_terminal_cannot_show(tmp_path):
    rows = '[[rows]]\ninput="{}"\noutputs=[{{send=["m{}"],p="1"}}]\n'
    (tmp_path / "my.toml").write_text("".join(rows.format(x, x) for x in "\u03b1\u03b2"), encoding="utf-8")
    run = [*COMMAND, "delta", str(tmp_path / "my.toml"), "--n", "1", "--eps", "0"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(run, capture_output=True, env=environment, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "\\u03b1" in done.stdout


# `check` took its exit status from a function that the kernel did not have, and limits of 0 that mean nothing.


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["accepted"], 0),
        (["accepted", "rejected"], 1),
        (["undecided", "accepted"], 3),
        (["rejected", "undecided"], 1),
        (["rejected", "malformed", "undecided"], 2),
    ],
)
def test_the_gravest_status_decides(capsys, monkeypatch, tmp_path, statuses, code):
    monkeypatch.setattr(kernel, "check", lambda data, **_: kernel.Verdict(data.decode(), "as named"))
    monkeypatch.setattr(decide, "_stated", lambda data: {})
    for status in statuses:
        (tmp_path / status).write_text(status)
    assert call(capsys, "check", "--by", "kernel", *(tmp_path / status for status in statuses))[0] == code


# `calibrate` began with a value of 60 digits, and where no certificate shows what it found it named no way on.


PROMISE = ("--n", "1000", "--eps", "1", "--delta", "1e-6")


def test_the_first_line_has_a_short_value_with_more_noise_and_the_next_has_all_digits(capsys):
    answer = shufflecert.calibrate("duchi", n=1000, eps=1, delta="1e-6")
    told = str(answer)
    short = re.match(r"eps0 = ([0-9.]+); ", told)[1]
    exact = Fraction(answer.to_json()["value"])
    assert len(short) <= 10 and exact - Fraction(1, 10**7) < Fraction(short) <= exact
    assert Fraction(re.search(r"more noise from ([0-9.]+),", told)[1]) == exact
    assert asked(capsys, "certify", "duchi", "-p", f"eps0={short}", *PROMISE)["verdict"] == "PROVED"


def test_without_an_order_of_noise_the_first_line_has_digits_that_go_on(capsys):
    _, told, _ = call(capsys, "calibrate", "zsum", *PROMISE)
    short, whole = re.match(r"p = ([0-9.]+)\.\.\.\n  all its digits: ([0-9.]+)\n", told).groups()
    assert whole.startswith(short) and len(whole) > 24


@pytest.mark.long
def test_a_command_that_writes_a_certificate_is_named_where_there_is_none(capsys, tmp_path):
    answer = ("calibrate", "hadamard_response", "-p", "K=1024", *PROMISE, "-o", tmp_path / "a.json")
    status, told, _ = call(capsys, *answer)
    assert status == 3 and told.startswith("UNDECIDED")
    command = re.search(r"randomizer: shufflecert (.*)$", told, re.M)[1].replace("FILE", str(tmp_path / "b"))
    assert call(capsys, *shlex.split(command))[0] == 0
    assert call(capsys, "check", tmp_path / "b")[0] == 0


# `search own.py:x -o FOLDER` wrote nothing and said nothing: now the answer says why nothing is there.


OWN = """
from shufflecert.verify.search import Conjecture, single_messages

def bits(denominator):
    return single_messages(2, 2, denominator)

def even(case, *, denominator):
    return case.rows[0][0] % 2 == 0

broken = Conjecture("broken", "Weights are even.", bits, even, {"denominator": 3})
whole = Conjecture("whole", "Weights are there.", bits, lambda case, *, denominator: True, {"denominator": 3})
"""


def test_a_counterexample_without_certificates_says_so(capsys, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    folder = tmp_path / "hits"
    for name, status, why in (("broken", 1, "has no `explain`"), ("whole", 0, "no counterexample")):
        code, out, _ = call(capsys, "search", f"{tmp_path}/own.py:{name}", "-o", folder, "--workers", 1)
        assert code == status and f"nothing written to {folder}: " in out and why in out
        answer = asked(capsys, "search", f"{tmp_path}/own.py:{name}", "-o", folder, "--workers", 1, status=status)
        assert why in answer["unwritten"] and not folder.exists()


def test_certificates_that_are_written_need_no_word(capsys, tmp_path):
    line = ("search", "preshuffle-gap", "--max-messages", 2, "--denominator", 5, "--workers", 1)
    answer = asked(capsys, *line, "-o", tmp_path / "hits", status=1)
    assert answer["unwritten"] is None and len(list((tmp_path / "hits").iterdir())) == 2
    assert asked(capsys, *line, status=1)["unwritten"] is None
    status, out, _ = call(capsys, *line)
    assert status == 1 and "no certificates written; add -o FOLDER" in out and json.dumps("nothing") not in out


# Refusals of a table that is too large, and of continuous noise, that sent their reader to what refuses as well.


def response(k):
    """The truth with weight 2, anything else with weight 1: local eps log(2)."""
    return {x: {y: Fraction(1 + (x == y), k + 1) for y in range(k)} for x in range(k)}


def test_a_large_table_is_sent_to_its_local_eps(monkeypatch, capsys):
    monkeypatch.setattr(privacy_blanket, "MAX_WORK", 1)
    with pytest.raises(TooMuchWork, match=r"any_ldp -p eps0=0\.693148, its local eps") as refused:
        privacy_blanket.reach_of(Randomizer.of(response(5)), 100)
    assert "shufflecert systems" in str(refused.value)
    assert call(capsys, "epsilon", "any_ldp", "-p", "eps0=0.693148", "--n", "100", "--delta", "1e-6")[0] == 0


def test_a_large_table_without_a_local_eps_is_not(monkeypatch):
    monkeypatch.setattr(privacy_blanket, "MAX_WORK", 1)
    rows = response(5) | {0: {0: Fraction(1)}}
    with pytest.raises(TooMuchWork, match="shufflecert systems") as refused:
        privacy_blanket.reach_of(Randomizer.of(rows), 100)
    assert "any_ldp" not in str(refused.value)


def test_continuous_noise_is_not_sent_to_a_black_box_as_it_is():
    with pytest.raises(
        BadInput, match=r"rng.gauss is not followed: it is continuous noise.* discrete noise"
    ) as refused:
        enumerate_sampler(lambda x, rng: rng.gauss(x, 1), [0, 1])
    assert "with --black-box a number that is rounded" in str(refused.value)


# `certify -o` and `audit -o` replaced a file without a word: a certificate of PROVED became one of REFUTED.


WRITTEN = {name: next(word for word in words if word.startswith("a.")) for name, words in WRITERS.items()
           if name not in ("search", "journal")}  # fmt: skip


@pytest.fixture
def folder_of_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.csv").write_text("p,q\n1/2,1/3\n1/2,2/3\n")
    return tmp_path


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.sampled(3)
def test_a_file_that_is_there_is_replaced_by_force_only(folder_of_there, capsys, name):
    file = folder_of_there / WRITTEN[name]
    file.write_text("before")
    status, out, err = call(capsys, *WRITERS[name])
    assert (status, out) == (2, "") and is_one_line(err) and "exists" in err and "--force" in err
    assert file.read_text() == "before" and len(list(folder_of_there.iterdir())) == 2
    assert call(capsys, *WRITERS[name], "--force")[0] in (0, 1) and file.read_bytes() != b"before"


def test_the_certificates_of_a_search(folder_of_there, capsys):
    """A folder that is missing is made; a certificate in it is left alone."""
    hunt = (*HUNT, "2", "--denominator", "5", "-o", folder_of_there / "new" / "folder")
    assert call(capsys, *hunt)[0] == 1
    made = sorted((folder_of_there / "new" / "folder").iterdir())
    assert [path.name for path in made] == ["preshuffle-gap-1.json", "preshuffle-gap-2.json"]
    made[0].write_text("before")
    status, out, err = call(capsys, *hunt)
    assert (status, out) == (2, "") and is_one_line(err) and "--force" in err and made[0].read_text() == "before"
    assert call(capsys, *hunt, "--force")[0] == 1 and made[0].read_text() != "before"


def test_a_search_that_finds_nothing_makes_no_folder(folder_of_there, capsys):
    assert call(capsys, *HUNT, "1", "--denominator", "3", "-o", folder_of_there / "new")[0] == 0
    assert not (folder_of_there / "new").exists()


def test_the_certificates_of_a_table(folder_of_there, capsys):
    assert call(capsys, *WRITERS["table"])[0] == 0
    (folder_of_there / "new").mkdir()
    there = folder_of_there / "new" / "poisson-1-refuted.json"
    there.write_text("before")
    check = ("table", "a.csv", "--check", "--certificates", folder_of_there / "new")
    assert call(capsys, *check)[0] == 2 and there.read_text() == "before" and len(list(there.parent.iterdir())) == 1
    assert call(capsys, *check, "--force")[0] == 0 and there.read_text() != "before"
    assert sorted(path.name for path in there.parent.iterdir()) == ["poisson-1-proved.json", "poisson-1-refuted.json"]


# Ctrl-C in the first third of a second, while the command was loaded, printed Python's traceback.


ROOT = Path(__file__).parent.parent.parent
HOOK = """
import sys


class Stops:
    def find_spec(self, name, path=None, target=None):
        if name == "shufflecert.verify.answers.decided":
            raise KeyboardInterrupt


sys.meta_path.insert(0, Stops())
"""
CONSOLE = "from shufflecert.verify.entry import main; main()"  # what the script of the console does


def run(folder, *arguments):
    """Python, where asking for a module of the command is as Ctrl-C at that moment."""
    (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    path = os.pathsep.join([str(folder), str(ROOT)])
    command = [sys.executable, *arguments, "systems"]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, "PYTHONPATH": path}
    )


@pytest.mark.parametrize("arguments", [("-c", CONSOLE), ("-m", "shufflecert")], ids=["console", "module"])
def test_an_interrupt_while_the_command_is_loaded_is_one_line(tmp_path, arguments):
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "shufflecert: interrupted\n")


def test_the_library_leaves_interrupts_to_its_user(tmp_path):
    done = run(tmp_path, "-c", "from shufflecert import epsilon")
    assert done.stderr.endswith("KeyboardInterrupt\n") and "Traceback" in done.stderr


def test_the_script_of_the_console_is_this_one():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'shufflecert = "shufflecert.verify.entry:main"' in text
