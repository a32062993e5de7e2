"""From what a user names to a randomizer: a system of `protocols`, a randomizer file, or an object in a Python file."""

import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any

from shufflecert.verify.errors import BadInput, exception_text, meant
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.systems import declare, randomizer_file
from shufflecert.verify.systems.python_file import from_python

Kind = str | type[declare.System] | Randomizer  # a system by name, or its class; or a table, which has no parameters


@dataclass(frozen=True)
class Target:
    """What a paper's parameters are asked for: n users who are promised (eps, delta)."""

    n: int
    eps: Eps
    delta: Fraction


def load(name: str, parameters: Iterable[str] = (), paper: Target | None = None) -> Randomizer | System:
    """The system or randomizer that a name means: `zsum` with ("p=3/4",), `my.toml`, `my.json`, or `my.py:Mine`.

    Only a .py file named so is executed. With `paper`, parameters that are not given are those that the system's paper
    prescribes for that target.

        >>> load("krr", ["k=2", "gamma=1/2"])
        KRR(k=2, gamma=Fraction(1, 2))
    """
    values = named_values(parameters)
    if paper is not None and is_file(name):
        raise BadInput(f"--paper: {name} is no system of a paper: expected one that `shufflecert systems` lists")
    if name.partition(".py:")[2]:
        return _randomizer(name, values)
    if name.lower().endswith(".py"):
        raise BadInput(f"{name}: a Python file: expected {name}:FUNCTION to audit, or {name}:CLASS, a system")
    if name.lower().endswith((".toml", ".json")) or "/" in name:
        if values:
            raise BadInput(f"{name}: a randomizer file has no parameters: got {', '.join(values)}")
        return randomizer_file.load(name)[0]
    from shufflecert.verify.systems import catalogue  # and with it every system

    if paper is not None:
        values = catalogue.prescribe(name, values, paper.n, paper.eps, paper.delta)
    return catalogue.load(name, values)


def load_each(
    names: str, parameters: Iterable[str] = (), paper: Target | None = None
) -> list[tuple[str, Randomizer | System]]:
    """Several systems, named "zsum,poisson", each with its name; `p=3/4` is for all that have a p, `zsum.p=3/4` for
    one.

    A system may stand several times. Raises BadInput as `load` does, and for a parameter that no system has.
    """
    listed, given = [name.strip() for name in names.split(",")], named_values(parameters)
    if not all(listed):
        raise BadInput(f"{names[:60]!r}: expected names of systems with commas between them")
    owned = {name: parameters_of(name) for name in listed}
    mine: dict[str, dict[str, str]] = {name: {} for name in listed}
    for key, value in sorted(given.items(), key=lambda item: "." in item[0]):  # what is for one comes last, and counts
        name, dot, own = key.rpartition(".")
        takers = [name] if dot else [system for system in mine if key in owned[system]]
        if not takers or any(taker not in mine for taker in takers):
            known = ", ".join(f"{name}.{own}" for name in mine for own in owned[name]) or "none"
            hint = meant(own, [parameter for names in owned.values() for parameter in names])
            raise BadInput(f"-p {key}: no such parameter{hint}: expected one of {known}")
        for taker in takers:
            mine[taker][own] = value
    return [(name, load(name, [f"{key}={value}" for key, value in mine[name].items()], paper)) for name in listed]


def derived(name: str, parameters: Iterable[str], paper: bool) -> str:
    """Where the parameters that an answer shows are from: the paper, or an eps0 that was given; "" for neither."""
    if paper:
        return "the paper's"
    given = named_values(parameters)
    if is_file(name) or "eps0" not in given:
        return ""
    from shufflecert.verify.systems import catalogue

    return "" if "eps0" in catalogue.orders(name) else f"of eps0 = {given['eps0']}, rounded to more noise"


def is_file(name: str) -> bool:
    """Whether a name is that of a file and not of a system."""
    return ".py:" in name or name.lower().endswith((".toml", ".json")) or "/" in name


def parameters_of(name: str) -> tuple[str, ...]:
    """The names of a system's parameters, or of a class's in a Python file, which is executed; none of other files."""
    if name.partition(".py:")[2]:
        found = from_python(name, made=False)
        return tuple(signature(found).parameters) if isinstance(found, type) else ()
    if is_file(name):
        return ()
    from shufflecert.verify.systems import catalogue

    return catalogue.parameters(name)


def named_values(parameters: Iterable[str], option: str = "-p") -> dict[str, str]:
    """The texts "name=value" as {name: value}, each name once. Raises BadInput for anything else."""
    values: dict[str, str] = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadInput(f"{option} {text}: expected NAME=VALUE")
        if name in values:
            raise BadInput(f"{option} {text}: {name} is given twice")
        values[name] = value
    return values


def randomizer_in(found: Any, name: str) -> Randomizer | None:
    """The Randomizer that an object is, or that its randomizer() gives; None where it is something else.

    Raises BadInput, with one line, where randomizer() fails.
    """
    try:
        if callable(getattr(found, "randomizer", None)):
            with redirect_stdout(sys.stderr):
                found = found.randomizer()
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    except (Exception, SystemExit) as error:
        raise BadInput(f"{name}: {exception_text(error)}") from error
    return found if isinstance(found, Randomizer) else None


def _randomizer(name: str, values: Mapping[str, str]) -> Randomizer:
    found = from_python(name, values)
    randomizer = randomizer_in(found, name)
    if randomizer is None:
        hint = "; a function f(x, rng) is for `shufflecert audit`" if callable(found) else ""
        raise BadInput(f"{name}: expected a Randomizer, or a class or object whose randomizer() is one{hint}")
    return randomizer
