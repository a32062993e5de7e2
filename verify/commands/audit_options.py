"""Readers of the options of `audit`: promises, numbers of users, inputs."""

import ast
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from shufflecert.verify.commands import given
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural, probability, rational
from shufflecert.verify.exact.views import VIEWS
from shufflecert.verify.systems import randomizer_file
from shufflecert.verify.systems.catalogue import from_python, load, named_values, randomizer_in

MOST_USERS, MOST_NUMBERS = 10**9, 100


def claimed(claim: str | None) -> dict[str, str]:
    """A promise "eps=1,delta=1e-6,n=100,view=local" as {name: text}. Raises BadInput for anything else."""
    found = named_values(filter(None, (claim or "").split(",")), "--claim")
    if claim is not None and ("eps" not in found or set(found) - {"eps", "delta", "n", "view"}):
        raise BadInput(f"--claim {claim}: expected eps=E and any of delta=D, n=N, view={'|'.join(VIEWS)}")
    return found


def promise_of(claim: str | None) -> Any:
    """The promise that --claim states; None where it is not given. Raises BadInput."""
    if claim is None:
        return None
    found = claimed(claim)
    view = found.get("view", "shuffled" if "n" in found else "local")
    if view not in VIEWS:
        raise BadInput(f"--claim {claim}: view: expected one of {', '.join(VIEWS)}")
    n = given.users(found.get("n"), view)
    promise = import_module("shufflecert.verify.audit.audit").Promise
    return promise(n, Eps.of(found["eps"]), probability(found.get("delta", "0"), "--claim delta"), view)


def numbers(text: str) -> list[int]:
    """The numbers that a text names: "1:20", every number from 1 to 20, or "2,5,100"; rising."""
    first, colon, last = text.partition(":")
    if not colon:
        return sorted({natural(part, "n", most=MOST_USERS) for part in text.split(",")})
    low, high = natural(first, "n", most=MOST_USERS), natural(last, "n", most=MOST_USERS)
    if not low <= high < low + MOST_NUMBERS:
        raise BadInput(f"n: {text}: expected FIRST:LAST with at most {MOST_NUMBERS} numbers of users")
    return list(range(low, high + 1))


def inputs_of(text: Any, function: Any = None) -> list[Any]:
    """The inputs that "0,1" names: integers where they are written so, else text; or the function's own `inputs`.

    From Python they may be a sequence.
    """
    listed: list[Any] = import_module("shufflecert.verify.audit.callables").listed_inputs(
        text if text is not None else getattr(function, "inputs", None)
    )
    return listed


def library_of(rng: str | None, legacy: bool) -> str | None:
    """The library whose source of randomness a function takes; None where it is to be found out."""
    known = {"random": "random.Random", "numpy": "numpy's Generator"}
    if rng is not None and (legacy or rng not in known):
        raise BadInput(f"--rng {rng}: expected random or numpy, without --legacy")
    return "numpy's RandomState" if legacy else known.get(str(rng))


def residual_of(text: str) -> Fraction:
    """The probability that may stay unexplored. Raises BadInput."""
    found = rational(text, "--residual")
    if not 0 <= found < 1:
        raise BadInput(f"--residual: {text}: expected a probability below 1")
    return found


def is_python(name: str) -> bool:
    """Whether a name is my.py:name."""
    return ".py:" in name and " " not in name


def definition(name: str) -> ast.FunctionDef | None:
    """The `def` at the top of its file that my.py:name is, which is then not run; None where it is something else."""
    path, _, attribute = name.partition(".py:")
    if not is_python(name):
        return None
    try:
        tree = ast.parse(Path(path + ".py").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == attribute]
    return found[0] if len(found) == 1 else None


def check_takes_rng(name: str, function: Any) -> None:
    """Raises BadInput for a function, or its `def`, with one argument: as is one that draws from a module."""
    if isinstance(function, ast.FunctionDef):
        given = function.args
        alone = len(given.posonlyargs) + len(given.args) == 1 and not given.vararg and not given.kwonlyargs
    else:
        kinds = list[Any]()
        with suppress(TypeError, ValueError):  # of a builtin nothing is known
            kinds = [one.kind for one in signature(function).parameters.values()]
        alone = kinds in ([Parameter.POSITIONAL_OR_KEYWORD], [Parameter.POSITIONAL_ONLY])
    if alone:
        raise BadInput(
            f"{name}: takes one argument: expected f(x, rng); of one that draws from a module, write rng as its second"
            " argument, unused, and --patch MODULE.NAME puts rng where it draws"
        )


def table_of(name: str, param: list[str]) -> tuple[Randomizer, Any] | None:
    """The randomizer of a name, and what its file claims; None where the name is a function's."""
    if is_python(name):
        found = from_python(name, named_values(param))
        randomizer = randomizer_in(found, name)
        if randomizer is None and not callable(found):
            raise BadInput(
                f"{name}: expected a function f(x, rng), a Randomizer, or an object whose randomizer() is one"
            )
        return None if randomizer is None else (randomizer, None)
    if not name.lower().endswith((".toml", ".json")):
        made = load(name, param)
        return (made if isinstance(made, Randomizer) else made.randomizer()), None
    if param:
        raise BadInput(f"{name}: a randomizer file has no parameters: got {', '.join(param)}")
    randomizer, spec = randomizer_file.load(name)
    claim = spec.claim
    if claim is None:
        return randomizer, None
    promise = import_module("shufflecert.verify.audit.audit").Promise
    return randomizer, promise(claim.n, Eps.of(claim.eps), probability(claim.delta, "claim.delta"))
