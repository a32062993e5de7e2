"""A system by its name, its parameters set so that it satisfies (eps, delta) with the least noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import arb

from shufflecert.verify.calibrate.least_noise import Promise, least_value
from shufflecert.verify.calibrate.objective import Goal, Optimum, Search
from shufflecert.verify.enclose.interval import Ends, Interval, refine, root_of
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System
from shufflecert.verify.exact.rational import dyadic, precision, shorten, text
from shufflecert.verify.systems import catalogue, declare
from shufflecert.verify.systems.catalogue import Kind, is_file, load
from shufflecert.verify.systems.declare import ADDED, RATIO, Accuracy, Grid, Order, accuracy_of
from shufflecert.verify.systems.population import Population, without_presence

USERS = Order(
    Fraction(1), Fraction(MAX_TRIALS), whole=True, lemma="one more user, whose input is known, is post-processing"
)


@dataclass(frozen=True)
class Task:
    """What is to be tuned: a system by name or class, the parameters that are `given` as text, and those to choose,
    `over`; or a table, of which the number of users is chosen.

    `over` empty: all that carry noise and are not given. `step` and `within` set the grid of a single one. `presence`
    states neighbours and participation.
    """

    system: Kind
    given: Mapping[str, str] = field(default_factory=dict)
    over: Sequence[str] = ()
    step: Fraction | None = None
    within: tuple[Fraction, Fraction] | None = None
    presence: Presence = EVERYBODY

    @property
    def name(self) -> str:
        """What the system is called."""
        return catalogue.name_of(self.system) if isinstance(self.system, Randomizer) else catalogue.called(self.system)

    @property
    def chosen(self) -> list[str]:
        """The parameters to choose. Raises BadInput where one has no order of noise, or is given as well."""
        if self.table and [*self.over] != ["n"]:
            known = "a system by name, FILE.py:CLASS, or --over n"
            raise BadInput(f"{self.name[:60]}: a table does not say what its noise is: expected {known}")
        orders = self.orders
        noisy = [name for name, order in orders.items() if order is not None and name not in self.given]
        for name in self.over:
            if name not in orders:
                raise BadInput(f"--over {name[:60]}: not a parameter of {self.name}: expected {_listed(noisy)}")
            if name in self.given:
                raise BadInput(f"--over {name}: it is given as well: expected one of the two")
            if orders[name] is None:
                raise BadInput(f"--over {name}: it carries no noise: expected {_listed(noisy)}")
        if self.over:
            return list(dict.fromkeys(self.over))
        defaults = catalogue.defaults(self.kind) if self.kind else {}
        found = [name for name in noisy if name not in defaults and name != "n" and not _counts(orders[name])]
        if not found:
            raise BadInput(f"{self.name}: nothing to choose: expected --over with one of {_listed(noisy)}")
        return found

    @property
    def table(self) -> bool:
        """Whether it is one randomizer, of which only the number of users is to be chosen."""
        return self.kind is None

    @property
    def kind(self) -> str | type[declare.System] | None:
        """The system by name or class; None for a table."""
        of = self.system
        table = isinstance(of, Randomizer) or (isinstance(of, str) and is_file(of) and ".py:" not in of)
        return None if table else of  # type: ignore[return-value]

    @property
    def orders(self) -> dict[str, Order | None]:
        """The order in which each parameter sets the noise; n among them where the randomizer does not depend on n."""
        if self.kind is None:
            return {"n": USERS if self.presence.honest is None else None}
        known = {name: order and order.among(self.given) for name, order in catalogue.orders(self.kind).items()}
        system = catalogue.system_class(self.kind)
        table = "local" in system.VIEWS or system.OVER_USERS
        if self.presence.adjacency == "add-remove":  # more noise of those who are there tells more of who is
            split = (ADDED.lemma, RATIO.lemma)
            known = {x: replace(one, lemma=None) if one and one.lemma in split else one for x, one in known.items()}
        if self.presence.law:  # a law of its own stays where it is
            known = {x: one and replace(one, lemma=None) for x, one in known.items()}
        return {**known, "n": USERS if table and self.presence.honest is None else None}

    def grids(self) -> dict[str, Grid]:
        """The grid of every parameter that is to be chosen."""
        chosen, orders = self.chosen, self.orders
        if len(chosen) > 1 and (self.step is not None or self.within is not None):
            raise BadInput(f"--step, --range: for one parameter, but {_listed(chosen)} are to be chosen")
        found = {name: Grid.of(order, name, self.step, self.within) for name in chosen if (order := orders[name])}
        for name, grid in found.items():
            if grid.highest is None and grid.order.lemma is None:
                raise BadInput(
                    f"{name}: more of it is not proved to be more private with --adjacency {self.presence.adjacency}:"
                    " expected it alone to be chosen, with `calibrate --range LOW:HIGH`"
                )
        return found

    def make(self, chosen: Mapping[str, Fraction]) -> System:
        """The system with these parameters and the given ones, and the given neighbours and participation."""
        values = {**self.given, **{name: text(value) for name, value in chosen.items()}}
        made: Randomizer | System
        if isinstance(self.system, str):
            made = load(self.system, [f"{name}={value}" for name, value in values.items()])
        else:
            made = self.system if isinstance(self.system, Randomizer) else catalogue.make(self.system, values)
        if isinstance(made, Randomizer) or self.presence != EVERYBODY:
            return Population(made, self.presence)
        return made


@dataclass(frozen=True)
class Tuned:
    """A system whose parameters were chosen so that it satisfies (eps, delta), with how they were found.

    `parameters` are the given and the chosen ones, as text; `promise` is for its n users.
    """

    task: Task
    system: System
    parameters: Mapping[str, str]
    best: Optimum
    promise: Promise

    @property
    def failing(self) -> tuple[System, Promise] | None:
        """The system with less noise, next on the grid or near, that is shown to fail, and the promise it breaks."""
        calibrated = self.best.calibrated
        if calibrated.fails_at is None:
            return None
        if self.best.parameter == "n":
            return self.system, _with(self.promise, int(calibrated.fails_at))
        return self.task.make({**self.best.values, self.best.parameter: calibrated.fails_at}), self.promise


def tune(task: Task, promise: Promise, goal: Goal | None = None, kept_alone: bool = False) -> Tuned:
    """Choose a system's parameters: the least noise that satisfies (eps, delta), or the best values for a goal.

    `kept_alone` as for `least_noise`. Raises BadInput where no value keeps it, or is shown to; and for what `Task`
    refuses.
    """
    grids = task.grids()
    if "n" in grids:
        if len(grids) > 1:
            raise BadInput("--over n: expected n alone, with all parameters given")
        system = task.make({})
        try:
            found = least_value(lambda n: (system, _with(promise, int(n))), grids["n"], promise.delta)
        except BadInput as error:
            raise BadInput(f"{task.name}, n: {error}") from None
        best = Optimum("n", {"n": found.value}, found, None, 1)
        values = catalogue.values(system)
        return Tuned(task, system, values, best, _with(promise, int(found.value)))

    def accuracy(system: Any, alpha: Fraction | None) -> Accuracy:
        return accuracy_of(without_presence(system), task.name, promise.n, alpha)

    floor = catalogue.system_class(task.kind).floor if task.kind and task.presence == EVERYBODY else None
    try:
        best = Search(task.make, grids, promise, goal or Goal(), accuracy, floor).best(kept_alone)
    except BadInput as error:
        raise BadInput(f"{task.name}: {str(error).removeprefix(f'{task.name}: ')}") from None
    system = task.make(best.values)
    return Tuned(task, system, catalogue.values(system), best, promise)


def central_rmse(eps: Eps, parts: int = 1) -> Interval:
    """The root mean square error of discrete Laplace noise of ratio q = e^(-eps/parts): sqrt(2 q) / (1 - q).

    eps > 0, in nats.
    """
    if eps <= Eps.of(0):
        raise BadInput(f"eps: {shorten(str(eps))}: expected eps > 0 to compare with the central discrete Laplace noise")

    def square(bits: int) -> Ends:
        with precision(bits + 32):
            q = (-eps.ball() / parts).exp()
            value: arb = 2 * q / (1 - q) ** 2
            return dyadic(value.lower()), dyadic(value.upper())

    return root_of(refine(square))


def _with(promise: Promise, n: int) -> Promise:
    return replace(promise, n=n)


def _counts(order: Order | None) -> bool:
    """Whether a parameter counts inputs or bins: it belongs to the question, and is chosen only when asked for."""
    return order is not None and order.whole and order.falling


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
