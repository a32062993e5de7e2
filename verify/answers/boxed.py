"""The answers of audit of what is only run, a black box, and of the field's randomizers, the gallery."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from shufflecert.verify.answers.answer import About, Answer, Ends, Promised, columns
from shufflecert.verify.answers.audited import Kept
from shufflecert.verify.answers.words import Grid, Lines, counted, interval
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.exact.rational import decimal_above, decimal_below, decimal_text, plain, shorten, text

if TYPE_CHECKING:
    from shufflecert.verify.audit.black_box.estimate import BlackBox as Box
    from shufflecert.verify.audit.black_box.estimate import Event

SHOWN = 20  # outputs of an event


ShownBy = TypedDict(
    "ShownBy",
    {
        "from": str,
        "to": str,
        "event": list[list[str]],
        "outputs": int,
        "counts": dict[str, int],
        "probability": dict[str, dict[str, str]],
    },
)  # the event that shows a bound, and how often it was seen


class AtLeastEps(TypedDict):
    """A lower bound on eps."""

    delta: str
    lower: str
    shown_by: ShownBy


class AtLeastDelta(TypedDict):
    """A lower bound on delta."""

    eps: str
    lower: str
    shown_by: ShownBy


class Detectable(TypedDict):
    """What so many runs find."""

    power: str
    leak: str | None
    randomized_response: str | None


class BlackBoxAnswer(About):
    """The answer of `audit --black-box`: lower bounds at a stated confidence."""

    black_box: str
    rng: str | None
    inputs: list[Any]
    view: str
    others: Any
    samples: int
    confidence: str
    seed: Any
    outputs: int
    claim: Promised | None
    verdict: Literal["contradicted", "not contradicted"] | None
    epsilon: AtLeastEps
    delta: list[AtLeastDelta]
    detectable: Detectable
    statement: str


@dataclass(frozen=True, repr=False)
class BlackBox(Answer):
    """The answer of `audit --black-box`: lower bounds at a stated confidence."""

    called = "audit"
    shape, keys = BlackBoxAnswer, ("black_box", "detectable")

    def lines(self, wide: int) -> Lines:
        """The bounds, the events that show them, and what so many runs find."""
        tree = self.tree
        (at, eps), sure = (tree["delta"][0], tree["epsilon"]), f"at confidence {tree['confidence']}"
        shown = f"delta({plain(at['eps'])}) >= {_down(at['lower'])}"
        if claim := tree["claim"]:
            compared = f"{'>' if tree['verdict'] == 'contradicted' else 'against the claimed'} {plain(claim['delta'])}"
            head = f"{tree['verdict']} {sure}: {shown} {compared}"
        else:
            head = f"{sure}: {shown}"
        others = f", the others: {tree['n'] - 1} on {tree['others']}" if tree["others"] is not None else ""
        source = f" of {tree['rng']}" if tree.get("rng") else ""
        lines: Lines = [
            head,
            f"  eps({plain(eps['delta'])}) >= {_down(eps['lower'])}",
            f"  {tree['view']} view, n = {tree['n']}{others}, seed {tree['seed']}{source}",
            f"  {tree['samples']} runs on each of {len(tree['inputs'])} inputs,"
            f" {counted(tree['outputs'], 'different output')}: one half chose the event, the other measured it",
        ]
        by = {"delta": at["shown_by"], "eps": eps["shown_by"]}
        if by["delta"] == by["eps"]:
            by = {"both": by["delta"]}
        lines += [f"  event for {name}: {_event_text(event)}" for name, event in by.items()]
        can = tree["detectable"]
        least = [] if can["leak"] is None else [f"an event of probability {can['leak']} that the other input never has"]
        if can["randomized_response"] is not None:
            least.append(f"randomized response with eps = {can['randomized_response']}")
        found = " or ".join(least) or "nothing, however large: more samples are needed"
        lines += [
            f"  what so many runs find with power {can['power']}, once an event is picked that shows it:",
            f"    {found}",
        ]
        return [*lines, *(f"  {part}" for part in tree["statement"].split("; ", 1))]


class GalleryRow(TypedDict):
    """One randomizer of the field: what is claimed of it, and what it keeps. None: not counted, or without end."""

    name: str
    title: str
    source: str
    parameters: dict[str, Any]
    inputs: int | None
    messages: int | None
    claimed: dict[str, str] | None
    verdict: str | None
    by_rounding: NotRequired[Ends]
    others_claims: list[dict[str, str]]
    local: Kept
    preshuffle: Kept
    shuffled: Tree
    note: str | None


class GalleryAnswer(About):
    """The answer of `audit --gallery`."""

    gallery: list[GalleryRow]
    delta: str


@dataclass(frozen=True, repr=False)
class Gallery(Answer):
    """The answer of `audit --gallery`: a row for each randomizer of the field."""

    called = "audit"
    shape, keys = GalleryAnswer, ("gallery", "delta")

    def lines(self, wide: int) -> Lines:
        """A table: what is claimed, and what is kept."""
        answer = self.tree
        shown = f"shuffled, n = {answer['n']}, delta = {plain(answer['delta'])}"
        header, rows = ("randomizer", "claimed eps", "actual eps", "claim", shown), list[list[str]]()
        for row in answer["gallery"]:
            claimed = "nothing" if row["claimed"] is None else shorten(row["claimed"]["epsilon"], 24)
            if row["claimed"] is not None and row["claimed"]["delta"] != "0":
                claimed += f" at {row['claimed']['delta']}"
            shuffled = "no bound" if "refused" in row["shuffled"] else _eps(row["shuffled"])
            rows.append([row["name"], claimed, _eps(row["local"]["epsilon"]), verdict(row), shuffled])
        notes = (
            [f"{row['name']}: {row['title']}; {row['source']}" for row in answer["gallery"]] if len(rows) == 1 else []
        )
        notes += [f"  {row['note']}" for row in answer["gallery"] if len(rows) == 1 and row["note"]]
        return [Grid("Local eps claimed and actual; eps of the shuffled view.", header, rows, ""), *notes]

    def headline(self) -> str:
        """How many claims hold."""
        verdicts = [row["verdict"] for row in self.tree["gallery"] if row["verdict"] is not None]
        held = f"{verdicts.count('PROVED')} of {len(verdicts)} claims of a local eps hold"
        return f"{len(self.tree['gallery'])} randomizers of the field: {held}."

    def rows(self) -> list[Tree]:
        """A row for each randomizer."""
        return [
            {"name": row["name"], "verdict": row["verdict"], **columns({"local": row["local"]["epsilon"]}, ["local"])}
            for row in self.tree["gallery"]
        ]


def to_json(found: "Box") -> dict[str, Any]:
    """The answer as the command prints it; bounds are rounded outwards."""
    view = "local" if found.n is None else "preshuffle" if found.n == 1 else "shuffled"
    verdict = ("contradicted" if found.contradicted else "not contradicted") if found.claimed else None
    can = found.detectable
    return {
        "black_box": found.what,
        "rng": found.rng,
        "inputs": list(found.inputs),
        "view": view,
        "n": found.n or 1,
        "others": found.others if (found.n or 1) > 1 else None,
        "samples": found.samples,
        "confidence": decimal_text(found.confidence),
        "seed": found.seed,
        "outputs": found.outputs,
        "claim": {"eps": str(found.eps), "delta": text(found.delta)} if found.claimed else None,
        "verdict": verdict,
        "epsilon": {
            "delta": text(found.delta),
            "lower": found.eps_lower.enclosure()[0],
            "shown_by": _event_tree(found.by_eps),
        },
        "delta": [
            {
                "eps": str(found.eps),
                "lower": decimal_below(found.delta_lower),
                "shown_by": _event_tree(found.by_delta),
            }
        ],
        "detectable": {
            "power": decimal_text(can.power),
            "leak": None if can.leak is None else decimal_above(can.leak, 3),
            "randomized_response": None if can.eps is None else can.eps.enclosure(4)[1],
        },
        "statement": _statement(found, verdict),
    }


def _statement(found: "Box", verdict: str | None) -> str:
    sure = f"with probability at least {decimal_text(found.confidence)} over independent runs all these bounds hold"
    if verdict == "contradicted":
        return f"{sure}: a statistical finding, not a certificate"
    return f"{sure}; not finding is not proving: an event that was not looked at, or a rarer one, may still leak more"


def _event_tree(event: "Event") -> dict[str, Any]:
    return {
        "from": event.source,
        "to": event.target,
        "event": [list(output) for output in event.outputs[:SHOWN]],
        "outputs": len(event.outputs),
        "counts": {"from": event.hits[0], "to": event.hits[1], "of": event.of},
        "probability": {
            "from": {"lower": decimal_below(event.low)},
            "to": {"upper": decimal_above(event.high)},
        },
    }


def _event_text(event: dict[str, Any]) -> str:
    shown = "; ".join(f"({', '.join(output)})" for output in event["event"][:5])
    more = "; ..." if event["outputs"] > 5 else ""
    counts = event["counts"]
    return (
        f"one user on {event['from']} against {event['to']}: {counted(event['outputs'], 'output')}: "
        f"{shorten(shown, 200)}{more}: {counts['from']} against {counts['to']} of {counts['of']} runs"
    )


def _down(written: str) -> str:
    return decimal_below(Fraction(written), 12)


def verdict(row: Tree) -> str:
    """The verdict on what an entry claims; where 2^-40 more eps would keep it, it fails by rounding."""
    return f"{row['verdict'] or '-'}{', by rounding' if 'by_rounding' in row else ''}"


def _eps(value: Tree) -> str:
    if value["exact"] == "inf":
        return "infinite"
    if value["upper"] == "inf":
        return (
            "no bound"
            if Fraction(value["lower"]) == 0
            else f"more than {interval({**value, 'upper': value['lower']}, 5)}"
        )
    return shorten(value["exact"], 24) if value["exact"] and len(value["exact"]) <= 24 else interval(value, 5)
