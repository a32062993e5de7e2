"""The table of certified parameters: systems x n x eps x delta, one calibrated value a row, and the factor it saves.

A row is a function of its cell alone: cells are the blocks of a run (verify/runs/run.py), which can be interrupted,
resumed, and carried out by any executor. Every row's certificates can be made again from the row (`certificates`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import Task, Tuned, tune
from shufflecert.verify.decide.certify import Certified, certify
from shufflecert.verify.enclose.interval import Interval, exactly, quotient
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.randomizer import System
from shufflecert.verify.exact.rational import natural, probability, shorten, text
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import named_values
from shufflecert.verify.systems.declare import accuracy_of

JOB = "shufflecert.verify.calibrate.parameter_table:row"
USERS = tuple(str(10**k) for k in range(3, 10))
EPS = ("1/10", "1/4", "1/2", "1", "2")
DELTAS = ("1e-6", "1e-9", "1e-12")
# The parameter that is calibrated, and the others, so that a row has one number. A row of the first six is a matter of
# a second; of the others, whose worst datasets are searched for, of seconds to minutes.
SYSTEMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "zsum": ("p", {}),
    "hist": ("p", {"d": "100"}),
    "poisson": ("lam", {}),
    "negative_binomial": ("r", {"p": "9/10"}),
    "correlated": ("r", {"q": "99/100", "p": "9/10"}),
    "poisson_hist": ("lam", {"buckets": "100"}),
    "rr": ("flip", {}),
    "krr": ("gamma", {"k": "10"}),
    "fake_users": ("flip", {"d": "100", "k": "1"}),
}
QUICK = tuple(SYSTEMS)[:6]
COLUMNS = (
    *("system", "given", "n", "eps", "delta", "parameter", "value", "decimal", "fails_at", "adjacent"),
    *("delta_lower", "delta_upper", "rmse_lower", "rmse_upper", "messages_lower", "messages_upper"),
    *("paper", "noise_factor_lower", "noise_factor_upper", "rmse_factor_lower", "rmse_factor_upper", "note"),
)
Row = dict[str, str]


def cells(
    systems: Sequence[str] = QUICK,
    users: Sequence[str] = USERS,
    eps: Sequence[str] = EPS,
    deltas: Sequence[str] = DELTAS,
) -> list[list[str]]:
    """The cells [system, n, eps, delta] of all rows, as text.

    Raises BadInput for a system without rows, and bad numbers.
    """
    for system in systems:
        _known(system)
    for value in users:
        natural(value, "n")
    for value in eps:
        Eps.of(value)
    for value in deltas:
        if not 0 < probability(value, "delta") < 1:
            raise BadInput(f"delta: {value}: expected a probability above 0 and below 1")
    return [list(cell) for cell in product(systems, users, eps, deltas)]


def _known(system: str) -> None:
    if system not in SYSTEMS:
        raise BadInput(f"{system[:60]!r}: has no rows in the table: expected some of {', '.join(SYSTEMS)}")


def row(cell: Sequence[str]) -> Row:
    """The row of one cell; only its `note` says something where no value satisfies (eps, delta)."""
    system, n, eps, delta = cell
    promise, (parameter, given) = Promise.of(n, eps, delta), SYSTEMS[system]
    start = {
        "system": system,
        "given": " ".join(f"{name}={value}" for name, value in given.items()),
        "n": n,
        "eps": eps,
        "delta": delta,
        "parameter": parameter,
    }
    blank = dict.fromkeys(COLUMNS, "") | start
    try:
        found = tune(Task(system, given, [parameter]), promise)
    except (BadInput, TooMuchWork, Undecided) as error:
        return blank | {"note": str(error)}
    return blank | _answer(found) | _paper(found)


def stated(cell: Mapping[str, str]) -> list[tuple[str, System, Promise]]:
    """What a row states: ("PROVED", the system with the value, the promise), and "REFUTED" of `fails_at`.

    Raises BadInput, which names the row, where it can be none of this command's.
    """
    found = list[tuple[str, System, Promise]]()
    try:
        _known(cell["system"])
        promise = Promise.of(cell["n"], cell["eps"], cell["delta"])
        for verdict, column in (("PROVED", "value"), ("REFUTED", "fails_at")):
            if cell[column]:
                chosen = f"{cell['parameter']}={cell[column]}"
                values = named_values([*cell["given"].split(), chosen], "given:")
                found.append((verdict, catalogue.make(cell["system"], values), promise))
    except BadInput as error:
        raise BadInput(f"{' '.join(describe(cell).split())}: {error}") from None
    return found


def certificates(
    of: Iterable[tuple[str, System, Promise]], max_work: int | None = None
) -> Iterator[tuple[str, Certified]]:
    """The certificates of what a row `stated`, decided from scratch, with its verdicts."""
    for verdict, system, promise in of:
        yield verdict, certify(system, promise.n, promise.eps, promise.delta, effort=Effort(work=max_work))


def _answer(found: Tuned) -> Row:
    calibrated, accuracy = found.best.calibrated, found.best.accuracy
    rmse = None if accuracy is None else accuracy.rmse_in_users
    grid = calibrated.grid
    return {
        "value": text(calibrated.value),
        "decimal": grid.decimal(calibrated.value),
        "fails_at": "" if calibrated.fails_at is None else text(calibrated.fails_at),
        "adjacent": "yes" if calibrated.adjacent else "no",
        **_ends("delta", calibrated.worst.delta),
        **_ends("rmse", rmse),
        **_ends("messages", None if accuracy is None else accuracy.expected_messages),
    }


def _paper(found: Tuned) -> Row:
    """What the paper prescribes for the promise, and how many times the noise and the error that is."""
    name, promise = found.best.parameter, found.promise
    try:
        values = catalogue.prescribe(found.task.name, found.task.given, promise.n, promise.eps, promise.delta)
        theirs = catalogue.make(found.task.name, values)
        error = accuracy_of(theirs, found.task.name, promise.n).rmse_in_users
    except BadInput as refusal:
        return {"note": f"paper: {str(refusal).removeprefix('--paper: ')}"}
    paper, grid = Fraction(values[name]), found.best.calibrated.grid
    quiet = grid.order.high if grid.order.falling else grid.order.low
    assert quiet is not None and found.best.accuracy is not None
    mine = found.best.accuracy.rmse_in_users
    times = None if mine is None or error is None else quotient(error, mine)
    factor = abs(paper - quiet) / abs(found.best.calibrated.value - quiet)
    return {"paper": text(paper), **_ends("noise_factor", exactly(factor)), **_ends("rmse_factor", times)}


def _ends(name: str, value: Delta | Interval | None) -> Row:
    """Two columns, outward, to 12 digits."""
    low, high = ("", "") if value is None else value.enclosure(12)
    return {f"{name}_lower": low, f"{name}_upper": high}


def describe(cell: Mapping[str, str]) -> str:
    """A row's claim in words."""
    eps, delta = shorten(cell["eps"]), shorten(cell["delta"])
    return f"{cell['system']} {cell['given']} n={cell['n']} eps={eps} delta={delta}".replace("  ", " ")
