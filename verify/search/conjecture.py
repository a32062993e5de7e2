"""Conjectures: statements about every case of a finite space, with a predicate that decides each case.

The claim of one of them is a parameter (`OWN`): what `shufflecert search --claim` asks, and over which space.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import ADJACENCIES
from shufflecert.verify.exact.rational import natural, rational, text
from shufflecert.verify.search.claim import MAX_USERS, Claim
from shufflecert.verify.search.explain import Hit
from shufflecert.verify.search.one import One
from shufflecert.verify.search.spaces import (
    Grid,
    Joined,
    Space,
    Supports,
    Systems,
    Table,
    several_messages,
    single_messages,
)

Parameters = Mapping[str, int | str]
RANGE = f"users such as 4, or 2:4 for 2 to 4, up to {MAX_USERS}"
MOST_INPUTS, MOST_MESSAGES, MOST_SENT, MOST_OUTPUTS = 6, 8, 6, 24
MOST_VALUES = 100_000  # of a parameter's grid
DEFAULTS: Parameters = {
    "claim": "",
    "n": "2",
    "inputs": 2,
    "messages": 2,
    "denominator": 12,
    "sends": "1",
    "adjacency": "replace",
    "supports": "no",
    "system": "",
    "parameters": "",
    "reference": "",
}


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


@dataclass(frozen=True)
class _Own(Conjecture):
    """The conjecture of a claim that is given: its statement is the claim."""

    def text(self, parameters: Parameters) -> str:
        """The claim as it was given."""
        return str(parameters["claim"])

    def said(self, parameters: Parameters) -> str:
        """The claim, and for how many users."""
        users = users_of(str(parameters["n"]))
        n = str(users[0]) if len(users) == 1 else f"{users[0]}, ..., {users[-1]}"
        return f"{' '.join(self.text(parameters).split())}, for n = {n}"

    def told(self, parameters: Parameters) -> Parameters:
        """The question as JSON, without the claim and without options that its space does not use."""
        unused = {"claim", *(("inputs", "messages", "denominator", "sends") if parameters["system"] else ())}
        unused |= {"denominator"} if parameters["supports"] == "yes" else set()
        usual = ("replace", "no", "")
        return {key: value for key, value in parameters.items() if key not in unused and value not in usual}


def space_of(
    claim: str,
    n: str,
    inputs: int,
    messages: int,
    denominator: int,
    sends: str,
    adjacency: str,
    supports: str,
    system: str,
    parameters: str,
    reference: str,
) -> Space:
    """The space that a claim is about, smaller randomizers first. Raises BadInput."""
    bindings({"n": n})
    if adjacency not in ADJACENCIES:
        raise BadInput(f"adjacency: {adjacency}: expected one of {', '.join(ADJACENCIES)}")
    if system:
        return _of_system(system, parameters, adjacency, reference)
    if reference:
        raise BadInput("reference: the first input, in spaces of all randomizers: expected only with a system")
    natural(inputs, "inputs", least=2, most=MOST_INPUTS)
    natural(messages, "messages", least=1, most=MOST_MESSAGES)
    least, most = _ends(sends)
    outputs = several_messages(2, messages, least, most, 1).send
    if len(outputs) > MOST_OUTPUTS:
        raise BadInput(f"sends: {len(outputs)} outputs: expected at most {MOST_OUTPUTS}: fewer messages")
    if supports == "yes":
        if adjacency != "replace":
            raise BadInput("supports: expected users who replace each other")
        return Supports(inputs, outputs)
    denominators = range(1, denominator + 1)
    if (least, most) == (1, 1):
        kinds = range(1, messages + 1)
        return Joined(tuple(single_messages(inputs, m, d, adjacency) for m in kinds for d in denominators))
    return Joined(tuple(several_messages(inputs, messages, least, most, d, adjacency) for d in denominators))


def _ends(sends: str) -> tuple[int, int]:
    ends = [natural(end, "sends", least=0, most=MOST_SENT) for end in sends.split(":")]
    if len(ends) > 2 or ends[-1] < ends[0] or not ends[-1]:
        raise BadInput(f"sends: {sends}: expected how many messages a user sends, such as 2, or 0:2 for 0 to 2")
    return ends[0], ends[-1]


def _of_system(name: str, parameters: str, adjacency: str, reference: str) -> Systems:
    """The randomizers of a system, for all values of its parameters: "k=3 gamma=1/8:7/8:1/8"."""
    grid = {key: values_of(key, value) for key, _, value in (one.partition("=") for one in parameters.split())}
    place = natural(reference or 0, "reference", least=0)
    return Systems(name, Grid(f"{name}, for all values of its parameters", grid), adjacency, place)


def values_of(key: str, written: str) -> list[str]:
    """The values that a parameter takes: "3", "1/8,1/4", or "1/8:7/8:1/8" from, to and step. Raises BadInput."""
    found: list[str] = []
    for part in written.split(","):
        ends = part.split(":")
        if len(ends) == 1:
            found.append(part)
            continue
        numbers = [rational(end, key) for end in ends]
        step = numbers[2] if len(ends) > 2 else Fraction(1)
        count = (numbers[1] - numbers[0]) // step + 1 if step > 0 else 0
        if len(ends) > 3 or not 0 < count <= MOST_VALUES:
            raise BadInput(f"{key}: {part}: expected first:last, or first:last:step with a positive step")
        found += [text(numbers[0] + i * step) for i in range(int(count))]
    return found


OWN = _Own("claim", "a claim of your own", space_of, "", DEFAULTS)
