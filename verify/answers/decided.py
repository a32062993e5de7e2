"""The answers of delta, epsilon, accuracy, certify and check: a worst case over all datasets, a verdict."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NotRequired, TypedDict

from shufflecert.verify.answers import plots, words
from shufflecert.verify.answers.answer import (
    CHECKED,
    About,
    Answer,
    CertificateFile,
    Dated,
    DeltaValue,
    Ends,
    EpsValue,
    Listing,
    NumberOfMessages,
    Promised,
    Scope,
    Verdict,
    scope_tree,
)
from shufflecert.verify.answers.words import Lines
from shufflecert.verify.bound.bound import WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Question
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.decide.certify import Nearest as Decidable
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree, delta_value, exactly
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import fraction, plain, shorten, text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, REACH = 41, 2  # of a curve beside an answer; times its eps
LITTLE = 2_000_000  # units of work for that curve


@dataclass(frozen=True, repr=False)
class _OfAll(Answer):
    """An answer over all neighbouring datasets; `system` is kept for its picture."""

    system: Randomizer | System | None = None
    draws_at_once: ClassVar[bool] = False
    caption: ClassVar[str] = "delta as a function of eps, log scale. The point is the answer."

    def plot(self) -> "Figure":
        """The privacy profile around the answer, which is marked."""
        if self.system is None:
            raise BadInput("plot: an answer that was read from a file: expected `profile` of its system")
        at, scope = Fraction(self._eps().enclosure()[1]), self.tree["scope"]
        last = REACH * at if at else Fraction(2)
        grid = [Eps.of(last * i / (POINTS - 1)) for i in range(POINTS)]
        found = bound_of(Question.of(self.system, scope["n"], scope["view"])).within(LITTLE).curve(grid)
        ends = [[float(Fraction(value.enclosure()[end])) for _, value in found.points] for end in (0, 1)]
        band = plots.Band(self.tree["system"], [float(Fraction(e.enclosure()[0])) for e in grid], *ends)
        title = f"{scope['view']} view, n = {scope['n']}"
        return plots.bands_figure([band], "eps (nats)", "delta", title, marks=[self._mark(float(at))])

    def pictures(self) -> list[tuple[Callable[[], "Figure"], str]]:
        """None on a page: it would be a new computation."""
        return []

    def _eps(self) -> Eps:
        return Eps.of(self.tree["eps"])

    def _mark(self, eps: float) -> plots.Mark:
        return plots.Mark(eps, self.upper_float(), self.words().splitlines()[0].partition(";")[0])


class DeltaAnswer(About):
    """The answer of `delta`: the largest delta(eps) over all neighbouring datasets."""

    eps: str
    delta: DeltaValue
    local_epsilon: EpsValue | None
    scope: Scope
    number_of_messages: NotRequired[NumberOfMessages]
    certificate: NotRequired[CertificateFile]


@dataclass(frozen=True, repr=False)
class Delta(_OfAll):
    """The answer of `delta`: the largest delta(eps) over all neighbouring datasets and both directions."""

    shape, value, keys = DeltaAnswer, "delta", ("eps", "local_epsilon")

    def lines(self, wide: int) -> Lines:
        """delta(eps), exactly where it is known so, and its scope."""
        value, scope = self.tree["delta"], words.scope_lines(self.tree["scope"])
        head = f"delta({plain(self.tree['eps'])}) {words.known(value, most='1')}{words.beside(self.tree)}"
        return [head, *words.exactly(value), *scope, *words.messages_lines(self.tree)]


class EpsilonAnswer(About):
    """The answer of `epsilon`: the smallest eps that keeps a delta over all neighbouring datasets."""

    delta: str
    epsilon: EpsValue
    local_epsilon: EpsValue | None
    scope: Scope
    number_of_messages: NotRequired[NumberOfMessages]
    certificate: NotRequired[CertificateFile]


@dataclass(frozen=True, repr=False)
class Epsilon(_OfAll):
    """The answer of `epsilon`: the smallest eps that keeps a delta, over all neighbouring datasets, both directions."""

    shape, value, keys = EpsilonAnswer, "epsilon", ("epsilon", "local_epsilon")

    def lines(self, wide: int) -> Lines:
        """The eps, exactly where it is known so, and its scope."""
        head, *more = words.epsilon_lines(self.tree)
        scope = words.scope_lines(self.tree["scope"])
        return [head + words.beside(self.tree), *more, *scope, *words.messages_lines(self.tree)]

    def _eps(self) -> Eps:
        if not isinstance(self.upper, Fraction):
            raise BadInput("plot: no finite eps satisfies this delta: expected a larger delta")
        return Eps.of(self.upper)

    def _mark(self, eps: float) -> plots.Mark:
        return plots.Mark(eps, float(Fraction(self.tree["delta"])), self.words().splitlines()[0].partition(";")[0])


class AccuracyAnswer(About):
    """The answer of `accuracy`: the analyzer's error, and what a user sends."""

    error_of: str
    alpha: str | None
    rmse: Ends
    failure_probability: Ends | None
    expected_messages: Ends
    bits_per_message: int
    datasets: str


@dataclass(frozen=True, repr=False)
class Accuracy(Answer):
    """The answer of `accuracy`: the analyzer's exact error, and what a user sends."""

    shape, value, keys = AccuracyAnswer, "rmse", ("rmse", "error_of")

    def lines(self, wide: int) -> Lines:
        """The error, the probability of a larger one, and the messages."""
        tree = self.tree
        lines: Lines = [f"error of {tree['error_of']}: root mean square {words.interval(tree['rmse'])}"]
        if tree["failure_probability"]:
            failure = f"Pr[|error| > {plain(tree['alpha'])}]" if tree["alpha"] else "Pr[failure]"
            lines.append(f"  {failure} = {words.interval(tree['failure_probability'])}")
        messages, bits = words.interval(tree["expected_messages"]), words.counted(tree["bits_per_message"], "bit")
        return [
            *lines,
            f"  messages per user: {messages} expected, {bits} each",
            f"  n = {tree['n']}, {tree['datasets']}",
        ]


class Nearest(TypedDict):
    """For an UNDECIDED claim: the nearest deltas at its eps that are proved, and refuted, and what decides more."""

    proved: Promised | None
    refuted: Promised | None
    more: str


class Refutation(TypedDict):
    """The event that breaks a promise, and its probabilities on the two datasets."""

    pair: NotRequired[Tree]
    event: NotRequired[list[Any]]
    threshold: NotRequired[Tree]
    delta: NotRequired[Tree]
    others: NotRequired[Any]
    P: Ends
    Q: Ends


class Decided(TypedDict):
    """A verdict on a promise, with what shows it."""

    verdict: Verdict
    claim: Promised
    delta: DeltaValue | None
    scope: Scope | None
    certificate: str | None
    states: NotRequired[str]
    reason: NotRequired[str]
    nearest: NotRequired[Nearest]
    refutation: NotRequired[Refutation]


class CertifyAnswer(Decided, About):
    """The answer of `certify`: whether a promise is kept; `chosen` names what was not given, and was chosen."""

    chosen: NotRequired[Literal["eps", "delta"]]
    local_epsilon: EpsValue | None
    number_of_messages: NotRequired[NumberOfMessages]


@dataclass(frozen=True, repr=False)
class Certificate(_OfAll):
    """The answer of `certify`: PROVED, REFUTED or UNDECIDED, with a certificate that the kernel re-checks."""

    shape, value, keys = CertifyAnswer, "delta", ("verdict", "claim", "local_epsilon")

    def lines(self, wide: int) -> Lines:
        """The verdict, its scope, and of a refutation the event."""
        return decided_lines(self.tree)

    def unwritten(self, refusal: str) -> "Certificate":
        """The answer where its certificate is too much for the kernel's defaults: what is proved is proved, without."""
        found = replace(self.found, because=None, reason=refusal)
        return replace(self, tree=self.tree | {"reason": refusal}, found=found)

    def unaccepted(self, refusal: str, beside: Decidable) -> "Certificate":
        """The answer where the kernel does not accept its certificate with its defaults: UNDECIDED, for `refusal`.

        `beside` is what is decided at the same eps, with a certificate that is accepted.
        """
        reason = f"{self.found.verdict}, but {refusal}"
        undecided = {"verdict": "UNDECIDED", "because": None, "reason": reason, "event": (), "probabilities": None}
        result: Certified = replace(self.found, **undecided)
        kept = {name: value for name, value in self.tree.items() if name != "refutation"}
        tree = kept | certified_tree(result, None)
        return replace(self, tree=tree | {"nearest": nearest_tree(result.claim.eps, beside)}, found=result)

    def _eps(self) -> Eps:
        return Eps.of(self.tree["claim"]["eps"])

    def _mark(self, eps: float) -> plots.Mark:
        claim = self.tree["claim"]
        return plots.Mark(
            eps, float(fraction(claim["delta"])), f"{self.tree['verdict']}: delta = {plain(claim['delta'])}"
        )


class CheckedClaim(TypedDict):
    """What an accepted certificate states: the promise, and of what."""

    eps: str
    delta: str
    adjacency: str
    datasets: str
    view: str | None
    n: int | None


class CheckRow(Dated):
    """The kernel on one certificate; `verdict` and `claim` are what an accepted one states."""

    certificate: str
    status: Literal["accepted", "rejected", "malformed", "undecided"]
    reason: str
    verdict: Literal["PROVED", "REFUTED"] | None
    claim: CheckedClaim | None


@dataclass(frozen=True, repr=False)
class Checked(Listing):
    """The answer of `check`: a row for each certificate, with its status and what it states or why not."""

    shape, keys = list[CheckRow], ("certificate", "status", "claim")

    def lines(self, wide: int) -> Lines:
        """One line for each certificate."""
        return [f"{row['certificate']}: {row['status']}: {row['reason']}" for row in self.tree]

    @property
    def status(self) -> str:
        """The gravest status among them: accepted where all are."""
        found = {row["status"] for row in self.tree}
        return next(status for status in CHECKED if status in found)

    @property
    def exit_status(self) -> int:
        """The command's exit status, of the gravest."""
        return CHECKED[self.status]

    @property
    def reason(self) -> str:
        """What the kernel says of the first that has this status."""
        return next(str(row["reason"]) for row in self.tree if row["status"] == self.status)


def nearest_tree(eps: Eps, found: Decidable) -> Tree:
    """What is decided beside a claim that is not, as JSON."""
    sides = {"proved": found.proved, "refuted": found.refuted}
    promised = {side: None if d is None else {"eps": str(eps), "delta": text(d)} for side, d in sides.items()}
    return {**promised, "more": found.more}


def certified_tree(result: Certified, written: str | None) -> Tree:
    """A verdict as JSON; `written` is the file that the certificate went to."""
    answer: Tree = {
        "verdict": result.verdict,
        "claim": {"eps": str(result.claim.eps), "delta": text(result.claim.delta)},
        "delta": delta_value(result.worst.delta) if result.worst else None,
        "scope": scope_tree(result.worst.scope) if result.worst else None,
        "certificate": written,
    }
    if stated := _private_claim(result):
        answer["states"] = stated
    if result.verdict == "UNDECIDED":
        answer["reason"] = result.reason
    if result.certificate and result.probabilities:
        p, q = map(exactly, result.probabilities)
        because = result.certificate["because"]
        answer["refutation"] = {"pair": because["pair"], "event": because["event"]["outcomes"], "P": p, "Q": q}
    return answer


def _private_claim(result: Certified) -> str | None:
    """What a certificate is about in the place of the system: any randomizer with this local promise."""
    if result.certificate is None:
        return None
    (run, *_) = result.certificate["claim"]["runs"]
    local = run["seen"]["each"].get("private")
    if local is None:
        return None
    eps0, delta0 = (shorten(str(end), 24) for end in local)
    private = f"{eps0}-private" if delta0 == "0" else f"({eps0}, {delta0})-private"
    if result.verdict == "PROVED":
        return f"any {private} randomizer (any_ldp), of which this is one"
    return f"not every {private} randomizer (any_ldp) satisfies it: shown by what these inputs of this one send"


def decided_lines(answer: Tree) -> Lines:
    """A verdict in words, with its scope and, of a refutation, the event."""
    claim = answer["claim"]
    eps, delta = plain(claim["eps"]), plain(claim["delta"])
    if answer["verdict"] == "UNDECIDED":
        found, value = answer.get("nearest"), answer["delta"]
        inside = value and Fraction(value["lower"]) <= fraction(claim["delta"]) < Fraction(value["upper"])
        between = f"delta({eps}) is in {words.interval(value)}, and {delta} as well" if found and inside else ""
        return [f"UNDECIDED: {between or answer['reason']}", *words.nearest_lines(found)]
    sign, shown = "<=" if answer["verdict"] == "PROVED" else ">", f"{words.known(answer['delta'], most='1')} "
    if sign == ">" and not words.rationals(answer["delta"])[0]:
        shown = ""  # an event shows it, and no more than that is known of the lower bound
    lines: Lines = [f"{answer['verdict']}: delta({eps}) {shown}{sign} {delta}{words.beside(answer)}"]
    if name := answer.get("chosen"):
        one = f"the least {name} that a certificate shows, rounded up"
        if answer["certificate"] and answer.get("reason"):
            one = f"the least of a few that were tried with a certificate; {answer['reason']}"
        lines.append(f"  {name} = {plain(claim[name])} is {one}")
    lines += [*words.promises_nothing(claim["delta"]), *words.scope_lines(answer["scope"])]
    if "refutation" in answer:
        event = answer["refutation"]["event"]
        shown = "; ".join(map(outcome_text, event[:5])) + ("; ..." if len(event) > 5 else "")
        lines.append(f"  event: {words.counted(len(event), 'outcome')}: {shown}")
        p, q = (words.interval(answer["refutation"][name]) for name in "PQ")
        lines.append(f"  of probability {p} against {q}")
    lines += words.messages_lines(answer)
    stated = f", about {answer['states']}" if "states" in answer else ""
    if answer["certificate"]:
        return [*lines, f"  certificate: {answer['certificate']} (check accepts it){stated}"]
    why = f": {answer['reason']}" if answer.get("reason") else "; add -o cert.json"
    return [*lines, f"  no certificate written{why}"]


def outcome_text(outcome: Any) -> str:
    """An outcome in words: how often each message is seen, or one user's messages in order."""
    if isinstance(outcome, dict):
        return " + ".join(f"{count} x {message}" for message, count in outcome.items()) or "nothing"
    return "(" + ", ".join(map(str, outcome)) + ")"


__all__ = ["Accuracy", "Certificate", "Certified", "Delta", "Epsilon", "WorstDelta", "WorstEpsilon"]
