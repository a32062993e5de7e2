"""Conjectures: statements about every case of a finite space, with a predicate that decides each case."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import natural, rational
from shufflecert.verify.search.claim import MAX_USERS, Claim
from shufflecert.verify.search.explain import Hit
from shufflecert.verify.search.one import One
from shufflecert.verify.search.spaces import Space, Table

Parameters = Mapping[str, int | str]
RANGE = f"users such as 4, or 2:4 for 2 to 4, up to {MAX_USERS}"


@dataclass(frozen=True)
class Conjecture:
    """A statement about every case of a finite space, decided for each by `holds`.

    `holds` is a claim (`verify.search.claim`) about tables, which is evaluated for many at once, or a function:
    `holds(case, **parameters)` is True or False, nothing else. The cases are those of `space(**parameters)`; `defaults`
    are the parameters, by name, and those that are numbers are names in a claim. `explain(case, **parameters)` tells a
    hit, where the words of `verify.search.explain` will not do.
    """

    name: str
    statement: str
    space: Callable[..., Space]
    holds: str | Callable[..., bool]
    defaults: Parameters = field(default_factory=dict)
    source: str = ""
    explain: Callable[..., Hit] | None = None

    def said(self, parameters: Parameters) -> str:
        """The statement, with these parameters."""
        return self.statement

    def told(self, parameters: Parameters) -> Parameters:
        """The parameters that are worth telling."""
        return parameters

    def text(self, parameters: Parameters) -> str | None:
        """The claim as it is written; None where a function decides."""
        return self.holds if isinstance(self.holds, str) else None

    def claim(self, parameters: Parameters) -> tuple[Claim, list[dict[str, Fraction]]] | None:
        """The claim, and what its names stand for in turn; None where a function decides. Raises BadInput."""
        text = self.text(parameters)
        if text is None:
            return None
        bound = bindings(parameters)
        return Claim.of(text, bound[0]), bound

    def decided(self, case: Any, parameters: Parameters) -> Any:
        """Whether the conjecture holds for one case: True or False, by the engine or by the function."""
        if callable(self.holds):
            return self.holds(case, **parameters)
        asked = self.claim(parameters)
        assert asked is not None
        if not isinstance(case, Table):
            raise BadInput("claim: about a case that is no randomizer: expected a space of tables")
        world = One(case)
        return all(asked[0].holds(world, bound) for bound in asked[1])


def bindings(parameters: Parameters) -> list[dict[str, Fraction]]:
    """What the names of a claim stand for: the parameters that are numbers; n = 2:4 stands for 2, 3 and 4 in turn."""
    known: dict[str, Fraction] = {}
    for name, value in parameters.items():
        if isinstance(value, int) or (name != "n" and _is_number(value)):
            known[name] = rational(value)
    if "n" not in parameters or isinstance(parameters["n"], int):
        return [known]
    return [{**known, "n": Fraction(n)} for n in users_of(str(parameters["n"]))]


def users_of(text: str) -> Sequence[int]:
    """The numbers of users that "4" or "2:4" stands for. Raises BadInput."""
    ends = [natural(end, "n", most=MAX_USERS) for end in text.split(":")]
    if len(ends) > 2 or ends[-1] < ends[0]:
        raise BadInput(f"n: {text}: expected {RANGE}")
    return range(ends[0], ends[-1] + 1)


def _is_number(value: str) -> bool:
    try:
        rational(value)
    except BadInput:
        return False
    return True
