"""The page of any answer: its first line, what else it says, its tables and pictures, all of its values, the file.

An answer is no certificate: the page shows what the file says, and says so, once. Certificates that it names are
checked and carried.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from shufflecert.verify.answers import profiled, words
from shufflecert.verify.answers.answer import Answer, Listing
from shufflecert.verify.answers.page import (
    SHOWN,
    Block,
    Code,
    Details,
    Facts,
    Items,
    Page,
    Picture,
    Section,
    Table,
    Verdict,
    embedded,
    interval,
    picture,
    without_plots,
)
from shufflecert.verify.answers.schema import ANSWERS
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.exact.rational import plain, shorten
from shufflecert.verify.runs import writing

CARRIED = "The certificates that it names are below, with what the kernel says of them now."
ELSEWHERE = "The certificates that it names are files of their own, which shufflecert check re-checks."
CERTIFY = "To have one that anybody can re-check: shufflecert certify ... -o FILE, or -o FILE of the same command."
NO_ANSWER = "neither a certificate nor an answer: expected what `certify -o` or a --json answer wrote"
Check = Callable[[bytes], Sequence[str]]  # the kernel's verdict on a file: (status, reason)
MOST_BYTES = 16 << 20  # of a certificate that a page carries
MANY, WIDE = 500, 10**6  # rows of a table; columns of text, which a page does not count
NAMES = {
    "n": "users",
    "delta": "delta(eps)",
    "rmse": "root mean square error",
    "simultaneous": "mean largest error",
    "expected_messages": "messages per user",
    "bits_per_message": "bits per message",
    "bits": "bits per user",
    "stands_for": "pairs that these stand for",
    "pairs": "pairs evaluated",
    "by": "how",
    "times": "repetitions",
    "rho": "rho of zero-concentrated privacy",
    "most_rmse": "root mean square error at most",
    "most_messages": "messages at most",
}


def answer_of(name: str, tree: Any) -> Answer:
    """The answer that a JSON tree is. Raises BadInput for one that is none, or not of its form."""
    first = tree[0] if isinstance(tree, list) and tree else tree
    for kind in [one for several in ANSWERS.values() for one in several] if isinstance(first, dict) else []:
        fits = any if kind is profiled.Profile else all
        if fits(key in first for key in kind.keys) and issubclass(kind, Listing) == isinstance(tree, list):
            try:
                msgspec.convert(tree, kind.shape)
            except (msgspec.ValidationError, RecursionError) as error:
                raise BadInput(f"{name}: {error}: expected what a command wrote with --json") from None
            return kind(tree)
    raise BadInput(f"{name}: {NO_ANSWER}")


def page(name: str, data: bytes, answer: Answer, folder: Path | None = None, check: Check | None = None) -> Page:
    """The report on an answer, with certificates that it names and that are in the `folder`.

    `check` is the kernel, without which none are carried. Raises BadInput where a number in it is none.
    """
    try:
        headline, sections = answer.headline(), _sections(answer)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, RecursionError) as error:
        raise BadInput(f"{name}: {error}: expected what a command wrote with --json") from None
    carried = certificates(answer.tree, folder, check)
    lines = (
        "These are the numbers of an answer, which is no certificate and was not checked again. "
        + (CARRIED if carried else ELSEWHERE if any(_named(answer.tree)) else CERTIFY),
        "Numbers in brackets are a lower and an upper bound, rounded outwards.",
    )
    text = Details("Its text", [Code(data.decode("utf-8", "replace")[:20_000], "The answer's text")], printed=False)
    file = Section("The answer's file", [embedded(name, data), Facts([("SHA-256", sha256(data).hexdigest())]), text])
    return Page(
        _title(answer.tree) or f"Report on {name}",
        "An answer of shufflecert" + f": {answer.called}" * (answer.called != Answer.called),
        Verdict("plain", answer.called.capitalize(), headline, lines),
        [*sections, *carried, file],
        f"Made by shufflecert {words.version()}, {words.minute()}. {without_plots()}".strip(),
    )


def certificates(tree: Any, folder: Path | None, check: Check | None) -> list[Section]:
    """The certificates that an answer names, if they lie beside it: what the kernel says, and the files themselves.

    Only names without a folder are followed, and only what the kernel takes for a certificate is carried: an answer may
    be anybody's.
    """
    blocks = list[Block]()
    if folder is None or check is None:
        return []
    for name in dict.fromkeys(_named(tree)):
        if Path(name).name != name or not (folder / name).is_file():
            continue
        try:
            data = writing.read_whole(folder / name, MOST_BYTES)
        except BadInput:
            continue
        status, reason = check(data)
        if status != "malformed":
            blocks += [Facts([(name, f"{status}: {reason}")]), embedded(name, data)]
    return [Section("Certificates", blocks)] if blocks else []


def _named(tree: Any) -> Iterator[str]:
    """The names of certificate files anywhere in an answer."""
    if isinstance(tree, list):
        for one in tree:
            yield from _named(one)
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == "certificate":
                found = value.get("file") if isinstance(value, dict) else value
                yield from [found] if isinstance(found, str) and found else []
            else:
                yield from _named(value)


def _title(tree: Any) -> str:
    """What an answer is about, in a line: which protocol or task, users, and the promise that was asked about."""
    if not isinstance(tree, dict):
        return ""
    about = next((tree[key] for key in ("system", "task", "conjecture", "audit", "gallery") if key in tree), None)
    if not isinstance(about, str):
        return ""
    target: Tree = next((tree[key] for key in ("target", "claim") if isinstance(tree.get(key), dict)), {})
    inner = target.get("claim")
    promised: Tree = inner if isinstance(inner, dict) else target
    said_of = {**tree, **{key: promised[key] for key in ("eps", "delta") if key in promised}}
    said_of |= {"n": target["n"]} if "n" in target else {}
    said = [shorten(about.replace(",", ", "), 80)]
    for key in () if "conjecture" in tree else ("n", "times", "eps", "delta"):
        value = said_of.get(key)
        if isinstance(value, str | int):
            said.append(f"{value} times" * (value != 1) if key == "times" else f"{key} = {plain(str(value), 6)}")
    return ", ".join(filter(None, said))


# What it says, and all of its values ---------------------------------------------------------------------------------


def _sections(answer: Answer) -> list[Section]:
    """The lines and tables of an answer, its pictures, then a section for every part of its JSON."""
    blocks, said, captions = list[Block](), list[str](), set[str]()
    for line in answer.lines(WIDE)[1:]:
        if isinstance(line, words.Grid):
            if said and said[-1].rstrip(":").lower() == line.caption.rstrip(".").lower():
                said.pop()
            blocks += [Items(said)] if said else []
            said = []
            wide = len(line.header)
            rows = [[*row, *["-"] * (wide - len(row))] for row in line.rows[:MANY]]
            blocks.append(Table(line.caption, line.header, rows))
            captions.add(line.caption)
        elif line.startswith("    ") and said:
            said[-1] += f"{' ' if said[-1].endswith(':') else '; '}{line.strip()}"
        elif line.strip() not in {"", *captions} and not line.startswith("  exactly "):  # whole among the values
            said.append(line.strip())
    blocks += [Items(said)] if said else []
    parts = [Section("In words", blocks)] if blocks else []
    drawn = [one for draw, caption in answer.pictures() for one in _picture(answer, draw, caption)]
    parts += [Section("Pictures" if len(drawn) > 1 else "The picture", drawn)] if drawn else []
    return parts + _values(answer.tree)


def _picture(answer: Answer, draw: Callable[[], Any], caption: str) -> tuple[Picture, ...]:
    try:
        return picture(draw, f"{caption} {answer.headline()}", caption)
    except (BadInput, Undecided):
        return ()  # there is none, or it is too much work


def _values(tree: Any) -> list[Section]:
    """What has a single value first, then a section for every part."""
    if isinstance(tree, list):
        return [Section("All values", [_table("What the answer lists.", tree)])]
    tree = _as_given(tree)
    parts = {key: value for key, value in tree.items() if isinstance(value, dict | list) and value and not _ends(value)}
    asked = {"delta": "delta that is asked for"} if isinstance(tree.get("delta"), str) else {}
    plain = [(asked.get(key) or _name(key), shown(value)) for key, value in tree.items() if key not in parts]
    sections = [Section("The answer", [Facts(plain)])] if plain else []
    return sections + [Section(_name(key).capitalize(), [_part(_name(key), value)]) for key, value in parts.items()]


def _part(heading: str, value: Any) -> Block:
    if isinstance(value, dict):
        value = _as_given(value)
        worst, around = value.get("worst"), value.get("adjacency")
        if isinstance(worst, dict) and isinstance(around, str):
            value = {**value, "worst": words.worst_text(around, worst)}
        return Facts([(_name(key), shown(item)) for key, item in value.items()])
    if all(isinstance(row, dict) for row in value):
        return Details(f"{len(value)} rows", [_table(heading.capitalize(), list(map(_as_given, value)))], printed=False)
    return Items([shown(item) for item in value[:MANY]])


def _table(caption: str, rows: Sequence[Tree]) -> Table:
    """Rows of an answer as a table, cut where they are many."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    more = f" The first {MANY} of {len(rows)} rows." if len(rows) > MANY else ""
    return Table(caption + more, list(map(_name, keys)), [[shown(row.get(key)) for key in keys] for row in rows[:MANY]])


def _name(key: str) -> str:
    return NAMES.get(key, key.replace("_", " ") if key.isidentifier() else key)  # a file keeps its name


def _as_given(tree: Tree) -> Tree:
    """An answer whose parameters are those that were given: a local eps, and what it set as rounded to more noise."""
    given, made = tree.get("given"), tree.get("parameters")
    if isinstance(given, dict) and isinstance(made, dict):
        merged: Any = _merged(given, made)
    elif isinstance(given, list) and isinstance(made, list):
        merged = [_merged(*both) for both in zip(given, made, strict=True)]
    else:
        return tree
    return {key: merged if key == "parameters" else value for key, value in tree.items() if key != "given"}


def _merged(given: Tree, made: Tree) -> Tree:
    return {**given, **{f"{key}, which keeps it": value for key, value in made.items() if key not in given}}


def shown(value: Any) -> str:
    """Any part of an answer, on one line: enclosures as intervals, objects as names and values."""
    if value is None or value == {} or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _ends(value):
        exact = value.get("exact")
        if isinstance(exact, dict) and exact.keys() == {"A", "B"}:
            exact = f"{_kept(str(exact['A']))} - {_kept(str(exact['B']))} e^eps"
        text = interval(value["lower"], value["upper"], SHOWN)
        text += f", exactly {_kept(exact)}" if isinstance(exact, str) else ""
        more = {key: item for key, item in value.items() if key not in ("lower", "upper", "exact") and item is not None}
        return f"{text} ({shown(more)})" if more else text
    if isinstance(value, dict):
        return ", ".join(f"{_name(key)} = {shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "; ".join(map(shown, value[:MANY]))
    return str(value) if _whole(str(value)) else shorten(str(value), 200)


def _kept(exact: str) -> str:
    """An exact value, a fraction or its logarithm: whole where the page shows a part of it, and folds it."""
    return exact if _whole(exact.removeprefix("log(").removesuffix(")")) else shorten(exact, 120)


def _whole(text: str) -> bool:
    """Whether a text is a fraction, of which a page shows a part, and carries all."""
    return len(text) <= 4000 and text.replace("/", "", 1).isdigit() and "/" in text


def _ends(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value lies between two ends."""
    return isinstance(value, dict) and all(isinstance(value.get(end), str) for end in ("lower", "upper"))
