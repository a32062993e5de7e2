"""Journals: what is recorded is what is read, whatever the order; corruption, other files, other headers."""

import hashlib
import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput, MachineRefused
from shufflecert.verify.runs import journal
from shufflecert.verify.runs.journal import Header, create_or_resume, read
from shufflecert.verify.runs.work import canonical, digest
from tests.helpers import few, random_cases, refused

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
HEADER = Header.of("table", "1", {"eps": "1/2", "n": [10, 100]}, 30)


def sha(tree):
    """The digest, written down once more from its definition."""
    return hashlib.sha256(json.dumps(tree, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def filled(path, header=HEADER, numbers=range(20)):
    with create_or_resume(path, header) as record:
        for number in numbers:
            record.record(number, canonical({"delta": f"1/{10**number}", "n": number}), None, 1)
    return path


def contents(path):
    with read(path) as record:
        return dict(record.results())


# Canonical JSON
@few
@given(JSON)
def test_canonical_is_json_with_one_text_for_each_value(value):
    text = canonical(value)
    assert text.isascii() and json.loads(text) == value and canonical(json.loads(text)) == text
    if isinstance(value, dict):
        assert canonical(dict(reversed(value.items()))) == text
    assert digest(text) == sha(value)


@pytest.mark.parametrize(
    "value",
    [0.5, float("nan"), b"1", {1: "a"}, {"a": {2}}, [object()], 10**5000, ["a", [1.0]]],
    ids=lambda value: type(value).__name__,
)
def test_canonical_refuses_what_is_not_exact_or_not_json(value):
    refused(lambda: canonical(value, "here"), "here", "expected")


# What is recorded
@few
@given(st.lists(JSON, max_size=8), st.data())
def test_digest_and_results_depend_on_neither_order_nor_failures(results, data):
    """Against hashlib over json.dumps of the whole list."""
    with create_or_resume(None, Header.of("any", "1", None, len(results))) as record:
        steps = [(number, failed) for number in range(len(results)) for failed in range(data.draw(st.integers(1, 3)))]
        done = set()
        for number, again in data.draw(st.permutations(steps)):
            if again:
                record.record(number, None, "BadInput: no", 1)
            else:
                record.record(number, canonical(results[number]), None, 1)
                done.add(number)
            assert record.finished() == sorted(done)
            assert record.missing() == [n for n in range(len(results)) if n not in done]
            assert not done & set(record.failures())
        assert list(record.results()) == list(enumerate(results))
        assert record.failures() == {} and record.digest() == sha(results)


def test_attempts_add_up_and_a_result_stays():
    with create_or_resume(None, HEADER) as record:
        record.record(3, None, "ValueError: no", 1, attempts=2)
        record.record(4, None, "ValueError: never", 1)
        record.record(3, '"yes"', None, 1)
        record.record(3, '"other"', None, 1)
        record.record(3, None, "ValueError: late", 1)
        assert list(record.results()) == [(3, "yes")] and record.failures() == {4: "ValueError: never"}
        assert record.attempts() == {3: 3, 4: 1}
        refused(record.digest, "29 of 30 blocks missing")
        for number in (-1, 30):
            refused(lambda number=number: record.record(number, "1", None, 1), f"block {number}")


def test_a_file_says_the_same_when_it_is_opened_again(tmp_path):
    path = filled(tmp_path / "a.journal")
    assert [file.name for file in tmp_path.iterdir()] == ["a.journal"]
    expected = {number: {"delta": f"1/{10**number}", "n": number} for number in range(20)}
    assert contents(path) == expected
    assert [file.name for file in tmp_path.iterdir()] == ["a.journal"], "a reader leaves nothing behind"
    with create_or_resume(path, HEADER) as record:
        assert record.missing() == list(range(20, 30)) and dict(record.results()) == expected
        for number in record.missing():
            record.record(number, str(number), None, 1)
    with read(path) as record:
        assert record.digest() == sha([*expected.values(), *range(20, 30)]) and record.header == HEADER
        refused(lambda: record.record(0, "1", None, 1), "readonly")


def test_header_digest_is_that_of_its_definition():
    arguments = [["zsum", 10], ["krr", 20]]
    header = Header.of("t", "2", {"b": 1, "a": None}, arguments)
    assert header.blocks == 2 and header.arguments == sha(arguments)
    assert header.digest == sha(["t", "2", {"a": None, "b": 1}, 2, sha(arguments)])
    assert Header.of("t", "2", {"a": None, "b": 1}, arguments) == header
    assert Header.of("t", "2", {}, 2).arguments == ""
    refused(lambda: Header.of("t", "2", {"a": 0.1}, 2), "parameters", "float")
    refused(lambda: Header.of("t", "2", {}, [0.1]), "arguments", "float")
    refused(lambda: Header.of("t", "2", {}, -1), "blocks: -1")


def test_status_counts_and_measures_the_latest_session(monkeypatch):
    now = [1000]
    monkeypatch.setattr(journal.time, "time", lambda: now[0])
    with create_or_resume(None, HEADER) as record:
        empty = record.status()
        assert (empty.total, empty.done, empty.failed, empty.rate, empty.left, empty.last) == (
            30,
            0,
            0,
            None,
            None,
            None,
        )
        for number in range(10):
            now[0] += 4
            record.record(number, "1", None, 3)
        record.record(10, None, "ValueError: no", 100)
        status = record.status()
        assert (status.done, status.failed, status.spent, status.last) == (10, 1, 30, 1040)
        assert status.rate == 10 / 40 and status.left == 20 * 4
        # the next session, a day later, is twice as fast
        now[0] += 86400
        record._session = now[0]
        for number in range(10, 15):
            now[0] += 2
            record.record(number, "1", None, 1)
        status = record.status()
        assert (status.done, status.failed, status.spent, status.last) == (15, 0, 35, now[0])
        assert status.rate == 5 / 10 and status.left == 15 * 2


# Other headers, other files
@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Header.of("search", "1", {"eps": "1/2", "n": [10, 100]}, 30), ("name: table there", "expected search")),
        (Header.of("table", "2", {"eps": "1/2", "n": [10, 100]}, 30), ("version: 1 there", "expected 2")),
        (Header.of("table", "1", {"eps": "1/3", "n": [10, 100]}, 30), ('eps: "1/2" there', 'expected "1/3"')),
        (Header.of("table", "1", {"eps": "1/2", "n": [10]}, 30), ("n: [10,100] there", "expected [10]")),
        (Header.of("table", "1", {"eps": "1/2"}, 30), ("n: [10,100] there", "expected nothing")),
        (Header.of("table", "1", [1], 30), ("parameter eps: ", "expected nothing")),
        (Header.of("table", "1", {"eps": "1/2", "n": [10, 100]}, 31), ("blocks: 30 there", "expected 31")),
        (Header.of("table", "1", {"eps": "1/2", "n": [10, 100]}, list(range(30))), ("arguments: ", "there")),
    ],
)
def test_another_header_is_refused_by_what_differs(tmp_path, other, words):
    path = filled(tmp_path / "a.journal")
    before = path.read_bytes()
    refused(lambda: create_or_resume(path, other), str(path), *words)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["a.journal"]


def test_true_is_not_one(tmp_path):
    path = filled(tmp_path / "a.journal", Header.of("table", "1", {"exact": True}, 30))
    refused(lambda: create_or_resume(path, Header.of("table", "1", {"exact": 1}, 30)), "exact: true there: expected 1")


def done_to(path, statement):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


def journal_after(statement, numbers=range(20)):
    """What makes a journal and does this to it."""
    return lambda path: done_to(filled(path, numbers=numbers), statement)


def failures_smeared(path):
    with create_or_resume(path, HEADER) as record:
        for number in range(30):
            record.record(number, None, "ValueError: " + "no " * 20, 1)
    smear(path)


def torn(path):
    filled(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def smeared(path):
    filled(path, numbers=range(30))
    smear(path)


def smear(path):
    content = bytearray(path.read_bytes())
    content[-900:-100] = bytes(800)
    path.write_bytes(content)


NOT_JOURNALS = {
    "text": (lambda path: path.write_text("[[rows]]\ninput = 1\n" * 100), "journal"),
    "bytes": (lambda path: path.write_bytes(bytes(range(256)) * 20), "journal"),
    "another database": (lambda path: done_to(path, "CREATE TABLE block (number INTEGER)"), "not a journal"),
    "newer": (journal_after("PRAGMA user_version = 2"), "format 2"),
    "two headers": (journal_after("INSERT INTO header SELECT * FROM header"), "corrupt"),
    "an altered header": (
        journal_after("UPDATE header SET parameters = replace(parameters, '1/2', '1/3')", numbers=[]),
        "corrupt",
    ),
    "an altered result": (
        journal_after("""UPDATE block SET result = replace(result, '1/1000"', '1/1001"') WHERE number = 3"""),
        "corrupt: block 3",
    ),
    "a result in another place": (journal_after("UPDATE block SET number = 25 WHERE number = 3"), "corrupt: block 25"),
    "torn": (torn, "corrupt"),
    "smeared": (smeared, "corrupt"),
}


@pytest.mark.parametrize("kind", NOT_JOURNALS)
def test_what_is_no_sound_journal_is_refused_and_left_alone(tmp_path, kind):
    make, word = NOT_JOURNALS[kind]
    path = tmp_path / "a.journal"
    make(path)
    before = path.read_bytes()
    refused(lambda: create_or_resume(path, HEADER), str(path), word)
    refused(lambda: contents(path), str(path), word)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["a.journal"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("sound") / "a.journal")


def test_a_smeared_page_is_refused_where_no_result_is_on_it(tmp_path):
    path = tmp_path / "a.journal"
    failures_smeared(path)
    refused(lambda: create_or_resume(path, HEADER), "corrupt")


def test_where_the_damage_is_no_text_it_is_told_in_one_line(sound, tmp_path):
    """SQLite quotes a damaged page of names in its message, which was a traceback where that is not UTF-8."""
    path, content = tmp_path / "a.journal", sound.read_bytes()
    told = 0
    for place in range(3900, 4096):
        path.write_bytes(content[:place] + bytes([content[place] ^ 128]) + content[place + 1 :])
        try:
            with create_or_resume(path, HEADER) as record:
                list(record.results())
        except BadInput as error:
            assert "\n" not in str(error)
            told += "utf-8" in str(error)
    assert told


@settings(random_cases(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_flipped_bit_passes_for_a_result(sound, tmp_path, data):
    """A file with a few bits flipped is refused, or every result that it gives was recorded."""
    path, recorded = tmp_path / "a.journal", contents(sound)
    content = bytearray(sound.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        # blocks' rows are at the ends of pages
        place = data.draw(st.integers(0, len(content) - 1) | st.integers(len(content) - 4096, len(content) - 1))
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    try:
        with create_or_resume(path, HEADER) as record:
            found = list(record.results())
    except BadInput as error:
        assert "\n" not in str(error)
    else:
        assert len(dict(found)) == len(found) and dict(found).items() <= recorded.items()


def test_places_where_no_journal_can_be(tmp_path):
    refused(lambda: create_or_resume(tmp_path, HEADER), "not a regular file")
    refused(lambda: create_or_resume(tmp_path / "missing" / "a.journal", HEADER), "not a directory")
    refused(lambda: read(tmp_path / "a.journal"), "no such file")
    refused(lambda: read(tmp_path), "no such file")
    empty = tmp_path / "empty"
    empty.touch()  # what a process leaves that is killed at once
    refused(lambda: read(empty), "empty")
    assert contents(filled(empty)) != {}
    assert [file.name for file in tmp_path.iterdir()] == ["empty"]


def test_a_link_is_followed(tmp_path):
    path, link = tmp_path / "a.journal", tmp_path / "link"
    link.symlink_to(path)
    filled(link)
    assert link.is_symlink() and contents(path) == contents(link) != {}
    with create_or_resume(path, HEADER):
        refused(lambda: create_or_resume(link, HEADER), "in use")


def test_a_journal_on_a_full_disk(tmp_path):
    """SQLite's own word for it came as bad input; a page limit stands for the disk."""
    with create_or_resume(tmp_path / "a.journal", Header.of("some", "1", {}, 9)) as journal:
        pages = journal._database.execute("PRAGMA page_count").fetchone()[0]
        journal._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(MachineRefused, match="full"):
            journal.record(0, "x" * 10**6, None, 0.0)
