"""The report on an answer that a command gave as JSON: a comparison, a calibration, profiles, or any other.

An answer is no certificate: the report shows what the file says, and says so, once. Certificates that it names are
checked and carried.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import plain, rational, shorten
from shufflecert.verify.report.composition_plot import composition_figure
from shufflecert.verify.report.html import parts
from shufflecert.verify.report.html.audit import audit_sections
from shufflecert.verify.report.html.noise import calibration, comparison
from shufflecert.verify.report.html.page import (
    HUGE,
    Block,
    Code,
    Details,
    Facts,
    Line,
    Page,
    Picture,
    Section,
    Table,
    Text,
    Verdict,
    bars,
    curves,
    embedded,
    interval,
    picture,
    without_plots,
)
from shufflecert.verify.report.html.parts import Tree
from shufflecert.verify.report.words import beside, certify_text, epsilon_lines
from shufflecert.verify.runs import atomic_files

CARRIED = "The certificates that it names are below, with what the kernel says of them now."
ELSEWHERE = "The certificates that it names are files of their own, which shufflecert check re-checks."
CERTIFY = "To have one that anybody can re-check: shufflecert certify ... -o FILE, or -o FILE of the same command."
Check = Callable[[bytes], Sequence[str]]  # the kernel's verdict on a file: (status, reason)
MOST_BYTES = 16 << 20  # of a certificate that a page carries
FEW = 4  # curves whose ends stand in a headline
CURVES = {  # the kind of answer, the key of x, the vertical axis, what the curve is of
    "curves": ("profile", "eps", "delta", "delta as a function of eps of"),
    "trade_off": ("trade-off curve", "alpha", "type II error", "The trade-off curve of f-DP of"),
    "renyi": ("Renyi privacy", "order", "Renyi divergence", "Renyi divergences, in nats, of"),
}
KNOWN = ("delta", "epsilon", "rmse", "verdict", "times", "local", "conjecture")  # one of them is in every other answer
LISTS = ("status", "verdict", "what")  # one of them is in every row of an answer that is a list


def page(
    name: str, data: bytes, tree: Any, made: str, folder: Path | None = None, check: Check | None = None
) -> tuple[str, Page]:
    """The report on an answer, after what kind it is, with certificates that it names and that are in the `folder`.

    `check` is the kernel, without which none are carried. Raises BadInput where it is no answer, or not of its shape.
    """
    try:
        kind, headline, sections = _read(name, tree)
    except RecursionError:
        raise BadInput(f"{name}: nested too deeply: expected a JSON answer") from None
    carried = certificates(tree, folder, check)
    lines = (
        "These are the numbers of an answer, which is no certificate and was not checked again. "
        + (CARRIED if carried else ELSEWHERE if any(_named(tree)) else CERTIFY),
        "Numbers in brackets are a lower and an upper bound, rounded outwards.",
    )
    verdict = Verdict("plain", kind.capitalize(), headline, lines)
    foot = f"Made by {made}. {without_plots()}".strip()
    return kind, Page(
        _title(tree) or f"Report on {name}",
        f"An answer of shufflecert: {kind}",
        verdict,
        [*sections, *carried, _file(name, data)],
        foot,
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
            data = atomic_files.read_whole(folder / name, MOST_BYTES)
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
    asked = {key: said_of.get(key) for key in ("n", "times", "eps", "delta")}
    if isinstance(tree.get("conjecture"), str):
        asked = {}
    said = [shorten(about.replace(",", ", "), 80)]
    for key, value in asked.items():
        if parts.scalar(value):
            said.append(f"{value} times" * (value != 1) if key == "times" else f"{key} = {plain(str(value), 6)}")
    return ", ".join(filter(None, said))


def _read(name: str, tree: Any) -> tuple[str, str, list[Section]]:
    if isinstance(tree, dict) and "task" in tree and "rows" in tree:
        return "comparison", *comparison(name, tree)
    if isinstance(tree, dict) and ("gallery" in tree or ("audit" in tree and "shuffled" in tree)):
        return "audit", *audit_sections(name, tree)
    for key, (kind, *_) in CURVES.items():
        if isinstance(tree, dict) and key in tree:
            return kind, *_curves(name, tree, key)
    if isinstance(tree, dict) and "parameter" in tree and "fails_at" in tree:
        return "calibration", *calibration(name, tree)
    if isinstance(tree, dict) and "conjecture" in tree and isinstance(tree.get("hits"), list):
        return "search", *_search(name, tree)
    if isinstance(tree, dict) and "times" in tree and isinstance(tree.get("scope"), dict):
        drawn = _beside(tree)
        shown = [Section("All runs together", drawn)] if drawn else []
        return "composition", f"{_times(tree)}{_headline(tree)}", [*shown, *parts.sections(tree)]
    if isinstance(tree, dict) and any(key in tree for key in KNOWN):
        return "answer", _headline(tree), parts.sections(tree)
    if isinstance(tree, list) and tree and all(isinstance(row, dict) and any(k in row for k in LISTS) for row in tree):
        return "list", f"{len(tree)} rows.", [Section("The answer", [parts.table("What the answer lists.", tree)])]
    raise BadInput(f"{name}: neither a certificate nor an answer: expected what `certify -o` or a --json answer wrote")


def _headline(tree: Tree) -> str:
    """The first line that the command would print, and for which system; of other answers what has one value."""
    about = (
        f"{parts.shown(tree['system'])}, n = {parts.shown(tree.get('n'))}: " if parts.scalar(tree.get("system")) else ""
    )
    try:
        if "verdict" in tree and "claim" in tree:
            return about + certify_text(dict(tree)).splitlines()[0] + "."
        if "epsilon" in tree and isinstance(tree.get("delta"), str):
            return about + epsilon_lines(dict(tree))[0] + beside(dict(tree)) + "."
        if "eps" in tree and parts.ends(tree.get("delta")):
            value = interval(tree["delta"]["lower"], tree["delta"]["upper"])
            return f"{about}delta({plain(str(tree['eps']))}) = {value}{beside(dict(tree))}."
    except (BadInput, KeyError, TypeError, ValueError, AttributeError):
        pass  # not of this command's shape: what has one value is shown
    return _subject(tree)


def _times(tree: Tree) -> str:
    """How often each system of a composition runs."""
    often = tree["times"] if isinstance(tree["times"], list) else [tree["times"]]
    names = str(tree.get("system")).split(",")
    if len(often) != len(names):
        return ""
    listed = [
        f"{parts.shown(name)} {parts.shown(k)} time{'s' * (k != 1)}" for name, k in zip(names, often, strict=True)
    ]
    return f"{'; '.join(listed)}, seen together. "


def _beside(tree: Tree) -> tuple[Picture, ...]:
    """The profile of all runs, with the answer, and of one run of each system, where these are known by name."""
    caption = "delta as a function of eps of all runs together, and of one run of each system alone, log scale,"
    caption += " computed for this report with the parameters that the answer names. The point is the answer."
    alt = f"delta over eps, falling, of all runs together and of one; {_times(tree)}{_headline(tree)}"
    try:
        return picture(lambda: composition_figure(dict(tree)), alt, caption)
    except (BadInput, Undecided, AttributeError, KeyError, TypeError, ValueError):
        return ()  # not a composition's shape, or too much work for a picture


def _subject(tree: Tree) -> str:
    keys = [key for key in ("system", "n", "eps", "delta", "verdict") if parts.scalar(tree.get(key))]
    said = [f"{key} = {parts.shown(tree[key])}" for key in keys]
    return ", ".join(said) or "See below."


def _file(name: str, data: bytes) -> Section:
    text = Details("Its text", [Code(data.decode("utf-8", "replace")[:20_000], "The answer's text")], printed=False)
    return Section("The answer's file", [embedded(name, data), Facts([("SHA-256", sha256(data).hexdigest())]), text])


# Profiles ---------------------------------------------------------------------------------------------


def _curves(name: str, tree: Tree, key: str) -> tuple[str, list[Section]]:
    found: list[Line] = []
    sections, ends = [], []
    x_name, y_label, what = CURVES[key][1:]
    for i, curve in enumerate(parts.rows(name, tree, key)):
        where = f"{name}: {key}[{i}]"
        label, points = parts.shown(curve.get("system", f"curve {i + 1}")), parts.rows(where, curve, "points")
        x, lower, upper = (_column(f"{where}.points", points, part) for part in (x_name, "lower", "upper"))
        found.append((f"{label} (in part infinite)" if HUGE in upper else label, x, lower, upper))
        ends += [f"{label}: {_first_and_last(points, x_name, y_label)}"] * bool(points)
        rows = [
            [parts.shown(point[x_name]), interval(point["lower"], point["upper"])] for point in points[: parts.MANY]
        ]
        cut = f" (the first {parts.MANY} of them)" * (len(points) > parts.MANY)
        listed = Table(f"{what} {label}.", (x_name, y_label), rows)
        curve = parts.as_given(curve)
        facts = [(parts.NAMES[part], parts.shown(curve[part])) for part in ("parameters", "rho") if curve.get(part)]
        facts += parts.facts(curve["scope"]) if isinstance(curve.get("scope"), dict) else []
        folded = Details(f"{len(points)} points{cut}", [listed], printed=False)
        sections.append(Section(label, [*([Facts(facts)] if facts else []), folded]))
    log = key == "curves"
    caption = f"{what} every system{', log scale' * log}. At every point it lies between the two bounds listed below;"
    caption += " between points the lines are for the eye."
    alt = f"{y_label} over {x_name}: {'; '.join(label for label, *_ in found)}."
    drawn = curves(found, (x_name, y_label), caption, alt, log) or [Text("There is no picture.")]
    headline = f"{'; '.join(ends[:FEW])}{'; ...' * (len(ends) > FEW)}." if ends else f"{what} no system."
    return headline, [Section("The curves", drawn), *sections]


def _first_and_last(points: Sequence[Tree], x_name: str, y_label: str) -> str:
    """The two ends of a curve, in words."""
    ends = [points[0], *points[1:][-1:]]
    said = (f"{interval(one['lower'], one['upper'], 6)} at {x_name} = {plain(str(one[x_name]), 6)}" for one in ends)
    return f"{y_label} is {', and '.join(said)}"


def _column(where: str, points: Sequence[Tree], key: str) -> list[Fraction]:
    """One number of every point, for a picture; an infinite one is larger than any that is drawn."""
    column = []
    for point in points:
        value = point.get(key)
        try:
            column.append(HUGE if value == "inf" else rational(Eps.of(value).enclosure()[0] if key == "eps" else value))
        except BadInput:
            raise BadInput(f"{where}: {key}: {shorten(str(value))}: expected text such as 1/2 or 1e-6") from None
    return column


# Search --------------------------------------------------------------------------------------------------------------


def _search(name: str, tree: Tree) -> tuple[str, list[Section]]:
    hits, statement = parts.rows(name, tree, "hits"), parts.shown(tree.get("statement"))
    cases = f"{parts.shown(tree.get('cases'))} cases"
    if not hits:
        found = f"No counterexample among {cases}" + " so far, not all are decided" * (
            tree.get("verdict") == "unfinished"
        )
        return f"{found}: {statement}", [Section("The search", [Facts(parts.facts(_with_short_space(tree)))])]
    first, many = hits[0], parts.shown(tree.get("hit_count"))
    words = first.get("words")
    said = shorten(words, 1000) if isinstance(words, str) and words else parts.shown(first.get("case"))
    blocks: list[Block] = [Text(said[:1].upper() + said[1:] + ".", strong=True), *_case(first), *_numbers(first)]
    made = first.get("certificates")
    if isinstance(made, list) and made:
        blocks.append(parts.table("Certificates of it, to be re-checked.", made))
    sections = [Section("The smallest counterexample", blocks)]
    if len(hits) > 1:
        listed = [[parts.shown(hit.get("rank")), parts.shown(hit.get("case"))] for hit in hits[: parts.MANY]]
        caption = f"{len(hits)} counterexamples with their ranks in the space, the smallest first."
        sections.append(Section("All that are listed", [Table(caption, ("Rank", "Case"), listed)]))
    rest = {key: value for key, value in tree.items() if key not in ("hits", "statement", "verdict", "conjecture")}
    headline = f"Refuted: {statement} The smallest counterexample of {many} of {cases}: {said.rstrip('.')}."
    return headline, [*sections, Section("The search", [Facts(parts.facts(_with_short_space(rest)))])]


def _with_short_space(tree: Tree) -> Tree:
    """The answer, with many spaces that are searched one after the other only counted: the file lists them."""
    space = tree.get("space")
    listed = space.get("parts") if isinstance(space, dict) else None
    if not isinstance(listed, list) or len(listed) < 3:
        return tree
    kinds = dict.fromkeys(parts.shown(part.get("what")) for part in listed if isinstance(part, dict))
    return {**tree, "space": f"{len(listed)} spaces of {', '.join(kinds)}, one after the other (the file lists them)"}


def _case(hit: Tree) -> list[Block]:
    """A randomizer's table as a matrix."""
    case = hit.get("case")
    if not isinstance(case, dict):
        return []
    rows, send = case.get("rows"), case.get("send")
    if not isinstance(rows, list) or not isinstance(send, list) or len(send) > parts.WIDE:
        return [Facts(parts.facts(case))]
    if not all(isinstance(row, list) and len(row) == len(send) for row in rows):
        return [Facts(parts.facts(case))]
    header = ("Input", *(f"({', '.join(map(str, one))})" if isinstance(one, list) else str(one) for one in send))
    cells = [[str(x), *(f"{w}/{case.get('denominator', 1)}" for w in row)] for x, row in enumerate(rows)]
    return [Table("The randomizer: the probability of each output for each input.", header, cells)]


def _numbers(hit: Tree) -> list[Block]:
    """What the counterexample is about, as bars where several probabilities or eps are compared, and as a list."""
    numbers = hit.get("numbers")
    if not isinstance(numbers, dict):
        return []
    drawn = [(key, found) for key in ("delta", "bound") if (found := parts.number_of(numbers.get(key))) is not None]
    caption = "The exact delta next to what was believed to bound it."
    plain_ones = {key: value for key, value in numbers.items() if key != "table"}
    return [*(bars(drawn, "delta", caption) if len(drawn) > 1 else ()), Facts(parts.facts(plain_ones))]
