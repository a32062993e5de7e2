"""Exchange: export bounds to other libraries, import laws and profiles of theirs."""

import csv
import json
from fractions import Fraction
from hashlib import sha256
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.listed import Exported, Imported
from shufflecert.verify.bound.bound import Curve
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.commands import given
from shufflecert.verify.commands.given import Asked, Exact, File, Reference
from shufflecert.verify.compose import interchange as libraries
from shufflecert.verify.compose.privacy_loss_distribution import DOTS, INTERVAL, SPARE, Grid, WorstCurve, profile_table
from shufflecert.verify.decide.worst_case import MAX_POINTS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, presence_tree
from shufflecert.verify.exact.rational import MAX_TEXT, decimal_above, decimal_text, rational, text
from shufflecert.verify.runs import writing
from shufflecert.verify.systems.randomizer_file import MAX_BYTES

TARGETS = ("dp-accounting", "opendp", "csv")
HEADERS = [["outcome", "p", "q"], ["p", "q"], ["delta", "eps"], ["eps", "lower", "system", "upper"]]
CSV_INTERVAL = "0.01"


@given.arguments_named
def export(
    system: Asked,
    to: str,
    output: File,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact | None = None,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    spare: Exact = SPARE,
    optimistic: bool = False,
    force: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Exported:
    """Write bounds on the privacy profile for dp-accounting, OpenDP or as CSV (to load them: `import`).

    `to` is "dp-accounting", "opendp" or "csv". Raises BadInput. `to_dp_accounting` and `to_opendp` hand over the object
    itself.

        >>> export("krr", "csv", "curve.csv", n=3, interval="1/2", k=2, gamma="1/2").tree["size"]
        4
    """
    who = given.presence(adjacency, reference, honest, take_part)
    if to not in TARGETS:
        raise BadInput(f"--to {to}: expected one of {', '.join(TARGETS)}")
    if optimistic and to != "dp-accounting":
        raise BadInput(f"--optimistic: {to} holds upper bounds: expected --to dp-accounting")
    place = Path(output)
    writing.check_new(place, force)
    of = given.question(system, parameters, n, view, who)
    bound = bound_of(of.question, given.effort(max_work, None))
    curve = WorstCurve.of(bound)
    grid = Grid.of(curve, interval or (CSV_INTERVAL if to == "csv" else INTERVAL), eps_max)
    about = of.head | {"view": view, "by": curve.by, "adjacency": who.adjacency, **presence_tree(who)}
    if to == "csv":
        eps = [Eps.of(rational(interval or CSV_INTERVAL) * i) for i in range(min(grid.last, MAX_POINTS) + 1)]
        if len(eps) > MAX_POINTS:
            raise BadInput(f"--interval: {grid.last + 1} lines: expected at most {MAX_POINTS}, by a longer one")
        found = bound.curve(eps)
        content, size = _listed(about["system"], found), len(eps)
        bounds = "delta between a lower and an upper bound"
    elif to == "opendp":
        points, deltas = profile_table(curve, grid, dots, progress.track)
        content, size = _dump({**words.dated(about), "profile": {"epsilon": points, "delta": deltas}}), len(points)
        bounds = "upper bounds on delta"
    else:
        pld = libraries.arguments(curve, grid, not optimistic, dots, progress.track, spare)
        content, size = _dump({**words.dated(about), "pld": pld}), len(pld["rounded_probability_mass_function"])
        bounds = "lower bounds on delta, of a pair of neighbours" if optimistic else "upper bounds on delta"
    writing.write_whole(place, content)
    end = decimal_above(grid.last * grid.step, 6)
    return Exported({**about, "to": to, "bounds": bounds, "size": size, "eps_max": end, "file": str(place)})


@given.arguments_named
def to_dp_accounting(
    system: Asked,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact = INTERVAL,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    spare: Exact = SPARE,
    optimistic: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Any:
    """A dp_accounting PrivacyLossDistribution whose deltas, composed as well, are upper bounds; or lower ones.

    Over all neighbouring datasets of n users and both directions; `optimistic`: of one pair and its reverse. Its own
    arithmetic is in doubles, which a `spare` mass at infinity covers (`verify.compose.interchange` says how far).
    Raises BadInput where dp-accounting is missing, and as `export` does.

        >>> loss = to_dp_accounting("krr", n=3, interval="1/100", k=2, gamma="1/2")
        >>> bool(loss.get_delta_for_epsilon(0.5) >= delta("krr", n=3, eps="1/2", k=2, gamma="1/2").lower_float())
        True
    """
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who)
    bound = bound_of(of.question, given.effort(max_work, None))
    wanted: dict[str, Any] = {"pessimistic": not optimistic, "eps_max": eps_max, "dots": dots, "spare": spare}
    return libraries.to_dp_accounting(bound, interval, **wanted)


@given.arguments_named
def to_opendp(
    system: Asked,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact = INTERVAL,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Any:
    """An OpenDP PrivacyProfile of upper bounds on delta. Raises BadInput where opendp is missing, and as `export`.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> curve = to_opendp("krr", n=3, interval="1/100", k=2, gamma="1/2")
    >>> curve.delta(epsilon=0.5) >= delta("krr", n=3, eps="1/2", k=2, gamma="1/2").lower_float()
    True
    """
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who)
    bound = bound_of(of.question, given.effort(max_work, None))
    return libraries.to_opendp(bound, interval, eps_max=eps_max, dots=dots)


def import_(
    file: File, output: File, *, missing: str = "refuse", binary: bool = False, force: bool = False
) -> Imported:
    """Two laws, or points of a privacy profile, to a randomizer file with the inputs P and Q (try `--view local`).

    Raises BadInput.

        >>> made = import_("pair.csv", "pair.toml")
        Traceback (most recent call last):
        ...
        shufflecert.verify.errors.BadInput: pair.csv: no such file
    """
    source, place = Path(file), Path(output)
    if place.suffix.lower() not in (".toml", ".json"):
        raise BadInput(f"{place}: expected a .toml or .json file to write")
    writing.check_new(place, force)
    data = writing.read_whole(source, MAX_BYTES)
    try:
        made = _read(source.suffix.lower(), data, missing, binary)
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from None
    tree = _table(made, f"imported from {source.name}")
    content = _dump(tree) if place.suffix.lower() == ".json" else _toml(tree)
    if len(content.encode()) > MAX_BYTES:
        raise BadInput(
            f"{source}: {len(made.messages)} outcomes: expected fewer, a table has at most {MAX_BYTES} bytes"
        )
    writing.write_whole(place, content)
    sizes = {name: len(law) for name, law in made.rows.items()}
    own = {name: text(law[(own,)]) for (name, law), own in zip(made.rows.items(), ("only P", "only Q"), strict=True)}
    answer: dict[str, Any] = {"source": str(source), "files": {str(source): sha256(data).hexdigest()}}
    answer |= {"outcomes": sizes, "missing": own, "file": str(place)}
    return Imported(answer)


def _listed(system: str, curve: Curve) -> str:
    known = [(system, decimal_text(eps.exponent or Fraction(0)), *delta.enclosure()) for eps, delta in curve.points]
    return words.csv_text([("system", "eps", "lower", "upper"), *known])


def _read(suffix: str, data: bytes, missing: str, binary: bool) -> Randomizer:
    try:
        written = data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start}: not UTF-8 text") from None
    if suffix == ".json":
        return _from_json(written, missing, binary)
    if suffix == ".csv":
        return _from_csv(written, missing, binary)
    raise BadInput("unknown kind of file: expected .csv or .json")


def _from_json(written: str, missing: str, binary: bool) -> Randomizer:
    try:
        tree = json.loads(written, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, BadInput) else BadInput(f"not JSON: {error}") from None
    if not isinstance(tree, dict) or set(tree) != {"p", "q"}:
        raise BadInput('expected {"p": ..., "q": ...}')
    for name, law in tree.items():
        if not isinstance(law, dict | list):
            raise BadInput(f'{name}: expected {{"outcome": "probability", ...}} or a list of probabilities')
    return libraries.from_pmfs(tree["p"], tree["q"], missing, binary)


def _from_csv(written: str, missing: str, binary: bool) -> Randomizer:
    try:
        header, *rows = list(csv.reader(StringIO(written))) or [[]]
    except csv.Error as error:
        raise BadInput(f"not CSV: {error}") from None
    names = [name.strip() for name in header]
    if sorted(names) not in HEADERS:
        raise BadInput(f"line 1: {','.join(names)[:60]}: expected the header outcome,p,q or p,q or eps,delta")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) != len(names):
            raise BadInput(f"line {line}: {len(row)} values: expected {len(names)}")
        for name, value in zip(names, row, strict=True):
            number = name not in ("outcome", "system") and binary and "/" not in value
            columns[name].append(_nearest(value, f"line {line}: {name}") if number else value.strip())
    if not columns[names[0]]:
        raise BadInput("only a header: expected rows below it")
    if "eps" in columns:
        if len(set(columns.get("system", []))) > 1:
            raise BadInput("several systems: expected the points of one")
        lower, upper = (columns.get(name, columns.get("delta", [])) for name in ("lower", "upper"))
        _falling(columns["eps"], lower, upper)
        return libraries.from_profile(zip(columns["eps"], upper, strict=True), binary)
    outcomes = columns.get("outcome", [str(i) for i in range(len(columns["p"]))])
    if len(set(outcomes)) < len(outcomes):
        twice = next(o for i, o in enumerate(outcomes) if o in outcomes[:i])
        raise BadInput(f"{twice!r} stands in two lines: expected each outcome once")
    p, q = (dict(zip(outcomes, columns[name], strict=True)) for name in "pq")
    return libraries.from_pmfs(p, q, missing, binary)


def _falling(eps: list[Any], lower: list[Any], upper: list[Any]) -> None:
    """Raises BadInput where delta is larger, for certain, at a larger eps: no mechanism has such a profile."""
    rows = [
        (Eps.of(x if isinstance(x, str) else Fraction(x), "eps").bounds(128)[1], x, *map(_as_exact, ends))
        for x, *ends in zip(eps, lower, upper, strict=True)
    ]
    rows.sort(key=lambda row: row[0])
    for (before, at, _, high), (after, later, low, _) in pairwise(rows):
        if low > high:
            said = "two deltas" if before == after else "rises in eps"
            raise BadInput(f"delta {said}: from eps = {at} to {later}: expected a profile, which falls")


def _as_exact(value: Any) -> Fraction:
    return rational(value, "delta") if isinstance(value, str) else Fraction(value)


def _nearest(value: str, where: str) -> float:
    number = rational(value, where)
    return number.numerator / number.denominator


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(tree := dict(pairs)) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise BadInput(f"{twice!r} stands twice in one object: expected each key once")
    return tree


def _table(made: Randomizer, note: str) -> dict[str, Any]:
    rows = []
    for name, law in made.rows.items():
        outputs = [{"send": list(send), "p": text(p)} for send, p in law.items()]
        if (longest := max(len(output["p"]) for output in outputs)) > MAX_TEXT:
            raise BadInput(f"{name}: a probability of {longest} characters: expected at most {MAX_TEXT}")
        rows.append({"input": name, "outputs": outputs})
    return {"note": note, "rows": rows}


def _toml(tree: dict[str, Any]) -> str:
    """A label's JSON string, with what is printable as it is, is a TOML string too."""
    lines = [f"note = {json.dumps(tree['note'], ensure_ascii=False)}"]
    for row in tree["rows"]:
        lines += ["", "[[rows]]", f'input = "{row["input"]}"', "outputs = ["]
        for output in row["outputs"]:
            send = ", ".join(json.dumps(label, ensure_ascii=False) for label in output["send"])
            lines.append(f'  {{send = [{send}], p = "{output["p"]}"}},')
        lines.append("]")
    return "\n".join(lines) + "\n"


def _dump(tree: dict[str, Any]) -> str:
    return json.dumps(tree, allow_nan=False) + "\n"
