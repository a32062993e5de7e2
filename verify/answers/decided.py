"""The answers of delta, epsilon, accuracy and certify: a worst case over all datasets, and a verdict on a promise."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from shufflecert.verify.answers.answer import Answer, about
from shufflecert.verify.bound.bound import WorstDelta, WorstEpsilon
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.decide import answer_json
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.decide.certify import certify as decide
from shufflecert.verify.decide.least_promise import Nearest, least_delta, least_eps, local_epsilon, nearest
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import MOST_USERS, natural, plain, probability, rational
from shufflecert.verify.reduce.presence import given_away
from shufflecert.verify.report import plots, words
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.decided import AccuracyAnswer, CertifyAnswer, DeltaAnswer, EpsilonAnswer
from shufflecert.verify.shapes.numbers import eps_value
from shufflecert.verify.systems.accuracy import Accuracy as FoundAccuracy
from shufflecert.verify.systems.catalogue import name_of
from shufflecert.verify.systems.declare import accuracy_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, REACH = 41, 2  # of a curve beside an answer; times its eps
LITTLE = 2_000_000  # units of work for that curve


@dataclass(frozen=True, repr=False)
class _OfAll(Answer):
    """An answer over all neighbouring datasets; `system` is kept for its picture."""

    system: Randomizer | System | None = None
    draws_at_once: ClassVar[bool] = False

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

    def _eps(self) -> Eps:
        return Eps.of(self.tree["eps"])

    def _mark(self, eps: float) -> plots.Mark:
        return plots.Mark(eps, self.upper_float(), self.words().splitlines()[0].partition(";")[0])


@dataclass(frozen=True, repr=False)
class Delta(_OfAll):
    """The answer of `delta`: the largest delta(eps) over all neighbouring datasets and both directions."""

    shape, value = DeltaAnswer, "delta"

    def words(self) -> str:
        """delta(eps), exactly where it is known so, and its scope."""
        return words.delta_text(self.tree)


@dataclass(frozen=True, repr=False)
class Epsilon(_OfAll):
    """The answer of `epsilon`: the smallest eps that keeps a delta, over all neighbouring datasets, both directions."""

    shape, value = EpsilonAnswer, "epsilon"

    def words(self) -> str:
        """The eps, exactly where it is known so, and its scope."""
        return words.epsilon_text(self.tree)

    def _eps(self) -> Eps:
        if not isinstance(self.upper, Fraction):
            raise BadInput("plot: no finite eps satisfies this delta: expected a larger delta")
        return Eps.of(self.upper)

    def _mark(self, eps: float) -> plots.Mark:
        return plots.Mark(eps, float(Fraction(self.tree["delta"])), self.words().splitlines()[0].partition(";")[0])


@dataclass(frozen=True, repr=False)
class Accuracy(Answer):
    """The answer of `accuracy`: the analyzer's exact error, and what a user sends."""

    shape, value = AccuracyAnswer, "rmse"

    def words(self) -> str:
        """The error, the probability of a larger one, and the messages."""
        return words.accuracy_text(self.tree)


@dataclass(frozen=True, repr=False)
class Certificate(_OfAll):
    """The answer of `certify`: PROVED, REFUTED or UNDECIDED, with a certificate that the kernel re-checks."""

    shape, value = CertifyAnswer, "delta"

    def words(self) -> str:
        """The verdict, its scope, and of a refutation the event."""
        return words.certify_text(self.tree)

    def unaccepted(self, refusal: str, beside: Nearest) -> "Certificate":
        """The answer where the kernel does not accept its certificate with its defaults: UNDECIDED, for `refusal`.

        `beside` is what is decided at the same eps, with a certificate that is accepted.
        """
        reason = f"{self.found.verdict}, but {refusal}"
        undecided = {"verdict": "UNDECIDED", "because": None, "reason": reason, "event": (), "probabilities": None}
        result: Certified = replace(self.found, **undecided)
        kept = {name: value for name, value in self.tree.items() if name != "refutation"}
        tree = kept | answer_json.certify_json(result, None)
        return replace(self, tree=tree | {"nearest": answer_json.nearest_json(result.claim.eps, beside)}, found=result)

    def _eps(self) -> Eps:
        return Eps.of(self.tree["claim"]["eps"])

    def _mark(self, eps: float) -> plots.Mark:
        claim = self.tree["claim"]
        return plots.Mark(
            eps, float(Fraction(claim["delta"])), f"{self.tree['verdict']}: delta = {plain(claim['delta'])}"
        )


def delta(question: Question, eps: object, effort: Effort, head: Tree | None = None) -> Delta:
    """The largest delta(eps) over all neighbouring datasets of a question, both directions.

    eps in nats, delta a probability; `lower` and `upper` enclose it, `delta` is exact where it is known so. `head` is
    what its JSON says first. Raises as `verify.bound.choose.bound_of` does.

        >>> rr = Question.of(system("krr", k=2, gamma="1/2"), n=2)
        >>> delta(rr, "log(3/2)", Effort()).upper
        Fraction(9, 32)
    """
    at = Eps.of(eps)
    found = bound_of(question, effort).delta(at)
    tree = _head(head, question) | answer_json.delta_json(found) | _beside(question, found.scope, at)
    return Delta(tree, found, question.protocol)


def epsilon(question: Question, delta: object, effort: Effort, head: Tree | None = None) -> Epsilon:
    """The smallest eps with delta(eps) <= delta for all neighbouring datasets of a question, both directions.

    `lower` and `upper` enclose it, inf where no finite eps is enough; `eps` is exact where it is known so. Errors as of
    `delta`.

        >>> rr = Question.of(system("krr", k=2, gamma="1/2"), view="local")
        >>> epsilon(rr, 0, Effort()).eps
        log(3)
    """
    bound = probability(delta, "delta")
    found = bound_of(question, effort).epsilon(bound)
    tree = _head(head, question) | answer_json.epsilon_json(found, bound) | _beside(question, found.scope, None)
    return Epsilon(tree, found, question.protocol)


def accuracy(
    system: Randomizer | System, n: object, alpha: object = None, *, head: Tree | None = None, name: str | None = None
) -> Accuracy:
    """The analyzer's error, exactly, and what a user sends; with `alpha` also Pr[|error| > alpha]. Raises BadInput."""
    radius = None if alpha is None else rational(alpha, "alpha")
    if radius is not None and radius < 0:
        raise BadInput(f"alpha: {alpha}: expected a rational of at least 0")
    found: FoundAccuracy = accuracy_of(system, name or name_of(system), natural(n, "n", most=MOST_USERS), radius)
    told = head if head is not None else about(system, natural(n, "n", most=MOST_USERS))
    return Accuracy(told | answer_json.accuracy_json(found, radius), found)


def certify(
    question: Question,
    eps: object,
    delta: object,
    effort: Effort,
    *,
    head: Tree | None = None,
    note: str = "",
    max_bits: int = MAX_BITS,
) -> Certificate:
    """Decide whether delta(eps) <= delta for all neighbouring datasets of a question, both directions.

    Where eps or delta is left out, the least one that is proved is certified, rounded up to three digits (`chosen` in
    its JSON says which). Raises BadInput where both are left out, or no finite eps keeps delta.

        >>> rr = Question.of(system("krr", k=2, gamma="1/2"), n=2)
        >>> certify(rr, "log(3/2)", "9/32", Effort()).verdict
        'PROVED'
        >>> certify(rr, "log(3/2)", "1/4", Effort()).verdict
        'REFUTED'
    """
    chosen: Tree = {}
    if eps is None and delta is None:
        raise BadInput(
            "--eps or --delta: missing: give one of them, and the smallest provable value of the other is found"
        )
    if eps is None:
        bound = probability(delta, "delta")
        eps, chosen = _least_eps(question, bound, effort), {"chosen": "eps"}
    elif delta is None:
        delta, chosen = least_delta(bound_of(question, effort).delta(Eps.of(eps))), {"chosen": "delta"}
    asked = question.protocol, question.n
    result = decide(*asked, eps, delta, question.view, note=note, max_bits=max_bits, effort=effort)
    tree = answer_json.certify_json(result, None) | chosen
    if result.verdict == "UNDECIDED" and (decided := nearest(result)) is not None:
        tree["nearest"] = answer_json.nearest_json(result.claim.eps, decided)
    beside = _beside(question, result.worst.scope, result.claim.eps) if result.worst else {"local_epsilon": None}
    return Certificate(_head(head, question) | tree | beside, result, question.protocol)


def _least_eps(question: Question, bound: Fraction, effort: Effort) -> Eps:
    found = bound_of(question, effort).epsilon(bound)
    return least_eps(found, bound, given_away(question.protocol, question.n) if question.view == "shuffled" else None)


def _head(head: Tree | None, question: Question) -> Tree:
    return head if head is not None else about(question.protocol, question.n)


def _beside(question: Question, scope: Any, eps: Eps | None) -> Tree:
    """What is said beside an answer: the local eps, and what the number of messages tells."""
    more = answer_json.messages_json(question.protocol, question.n, question.view, eps)
    return _local(question.protocol, scope) | more


def _local(system: Randomizer | System, scope: Any) -> Tree:
    """The local eps beside the shuffled one, and beside the one of the messages in no order."""
    others = scope.view == "local" or scope.presence.adjacency != "replace" or scope.presence.take_part != 1
    value = None if others else local_epsilon(system)
    return {"local_epsilon": None if value is None else eps_value(value)}


__all__ = ["Accuracy", "Certificate", "Certified", "Delta", "Epsilon", "WorstDelta", "WorstEpsilon"]
