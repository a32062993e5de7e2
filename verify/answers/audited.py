"""The answers of audit: of a randomizer or code, of a black box, of the gallery."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shufflecert.verify.answers.answer import Answer, columns
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.report import audit_text, gallery_text, plots
from shufflecert.verify.shapes import audited
from shufflecert.verify.shapes.common import Tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Audit(Answer):
    """The answer of `audit` for a randomizer, a system, or a function: what it keeps, and whom it betrays."""

    shape = audited.AuditAnswer

    def words(self) -> str:
        """One page of text."""
        return audit_text.words(self.tree)

    def rows(self) -> list[Tree]:
        """A row for each number of users that was looked at: pure eps, and eps at delta."""
        kept = [users for users in (*self.tree["shuffled"], self.tree["large"]) if "refused" not in users]
        return [{"n": users["n"], **columns(users, ("epsilon", "epsilon_at_delta"))} for users in kept]

    def plot(self) -> "Figure":
        """eps at the audit's delta, over the numbers of users."""
        found = [row for row in self.rows() if row["epsilon_at_delta_upper"] < float("inf")]
        if len(found) < 2:
            raise BadInput("plot: fewer than two numbers of users with a finite eps: expected more of them")
        ends = ([row[f"epsilon_at_delta_{end}"] for row in found] for end in ("lower", "upper"))
        band = plots.Band(self.tree["audit"], [float(row["n"]) for row in found], *ends)
        return plots.bands_figure([band], "users", "eps at the audit's delta", "shuffled view")


@dataclass(frozen=True, repr=False)
class BlackBox(Answer):
    """The answer of `audit --black-box`: lower bounds at a stated confidence."""

    shape = audited.BlackBoxAnswer

    def words(self) -> str:
        """The bounds, the events that show them, and what so many runs find."""
        said: str = import_module("shufflecert.verify.audit.black_box.answer").words(self.tree)
        return said


@dataclass(frozen=True, repr=False)
class Gallery(Answer):
    """The answer of `audit --gallery`: a row for each randomizer of the field."""

    shape = audited.GalleryAnswer

    def words(self) -> str:
        """A table: what is claimed, and what is kept."""
        return gallery_text.words(self.tree)

    def rows(self) -> list[Tree]:
        """A row for each randomizer."""
        return [
            {"name": row["name"], "verdict": row["verdict"], **columns({"local": row["local"]["epsilon"]}, ["local"])}
            for row in self.tree["gallery"]
        ]


def audit(
    randomizer: Randomizer,
    ns: Sequence[int] = (1, 2, 3),
    eps: Sequence[object] = (0, "1/2", 1, "3/2", 2),
    delta: object = "1e-6",
    promise: Any = None,
    *,
    large: int = 10_000,
    head: Tree | None = None,
    name: str = "randomizer",
    **options: Any,
) -> Audit:
    """Everything that can be said of a randomizer: what it keeps in every view, whom it betrays, what it costs.

    `ns`: numbers of users; delta is shown at `eps`, and eps at `delta`; `promise` is a claim to decide. `options` are
    those of `verify.audit.audit.audit`. Raises BadInput.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> audit(rr.randomizer(), ns=[1, 2], large=10).local.eps
        log(3)
    """
    at = [Eps.of(one) for one in eps]
    users = [natural(n, "n") for n in ns]
    engine, audit_json = (
        import_module("shufflecert.verify.audit.audit"),
        import_module("shufflecert.verify.audit.answer"),
    )
    found = engine.audit(randomizer, users, at, probability(delta, "delta"), promise, large=large, **options)
    tree = audit_json.to_json(found, name)
    return Audit((head or {"system": name, "parameters": {}, "n": users}) | tree, found)
