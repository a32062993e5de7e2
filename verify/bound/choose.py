"""From a question to a Bound: the single place that chooses among enumeration, a closed form and a cover."""

from dataclasses import replace
from math import isqrt

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.enumeration import Enumeration
from shufflecert.verify.bound.factored import Factored, factored
from shufflecert.verify.bound.in_turn import InTurn
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.exact.neighbours import MAX_WORK, Neighbourhood, unchecked
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import known_reach
from shufflecert.verify.systems.population import unwritten

QUICK, PATIENT = 6_000_000, 30_000_000  # units up to which is enumerated: before a reduction, where it is not near
ENUMERATED = 10**9  # users up to which certificates of enumeration are read
MOST_COORDINATES = 10_000_000  # of a table's points, of which boxes hold a dozen copies: about a gigabyte


def bound_of(question: Question, effort: Effort = Effort()) -> Bound:  # noqa: B008  # it is frozen
    """The Bound of a question: enumeration where that is cheap, or within the effort's `work`; else a closed form that
    the system proves of itself, and where it is not near enumeration, if that takes half a minute, or a cover of its
    table; else a cover of the table.

    With `others` the blanket of these others. Raises BadInput, and TooMuchWork where enumeration alone would tell and
    is too much.
    """
    who, counted = question.presence, question.counted
    if question.others is not None:
        of_others = reach_of(question.randomizer, counted, question.others)
        return ClosedForm(question, effort, replace(of_others, presence=who))
    own, written = question.own, unwritten(question.protocol) is None
    proved = own is not None and own.offers("reach")
    if question.view != "shuffled" or (counted == 1 and (written or not proved)):
        around = _around(question, effort.work or MAX_WORK)
        if question.view != "shuffled" or not proved:
            around.check_work()
        if around.affordable:
            return Enumeration(question, effort, around)
    reach = known_reach(question.protocol, question.n)
    exact = reach is not None and reach.dominating is None
    limit = effort.work or (PATIENT if reach is None else QUICK)

    def affordable(limit: int) -> Neighbourhood | None:
        most = ENUMERATED if reach is None else isqrt(limit)  # two classes have n datasets, of n outcomes
        around = _around(question, limit) if written and question.n <= most else None
        return around if around is not None and around.affordable else None

    if (cheap := affordable(limit)) is not None:
        return Enumeration(question, effort, cheap)
    if reach is not None:
        if reach.table is not None:
            return Covered(question, effort, reach.table, reach, own="slow")
        found = ClosedForm(question, effort, reach)
        if not exact and not effort.work and (longer := affordable(PATIENT)) is not None:
            return InTurn(found, Enumeration(question, effort, longer))
        if (
            exact
            or not written
            or reach.mechanism
            or reach.attained_mechanism
            or _too_large(rows := question.randomizer)
        ):
            return found
        return Covered(question, effort, rows, reach, own="quick")
    if counted == 1:
        _around(question, limit).check_work()
    natural(counted, "n")  # up to 10^9: what is tried takes ever longer
    rows = question.randomizer
    if who.adjacency == "replace" and who.take_part == 1 and (bits := factored(rows, counted)) is not None:
        return Factored(question, effort, replace(bits, presence=who))
    blanket = replace(reach_of(rows, counted), presence=who)
    return ClosedForm(question, effort, blanket) if _too_large(rows) else Covered(question, effort, rows, blanket)


def _too_large(rows: Randomizer) -> bool:
    view = view_of(rows)
    return sum(map(len, view.rows)) * len(view.kept) > MOST_COORDINATES


def _around(question: Question, limit: int) -> Neighbourhood:
    return unchecked(question.randomizer, question.n, question.view, limit, question.presence)
