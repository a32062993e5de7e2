"""shufflecert decides, with proof, whether a protocol in the shuffle model satisfies differential privacy.

    >>> from shufflecert import certify, check, epsilon
    >>> print(epsilon("krr", n=6, delta="1/100", k=3, gamma="3/10").eps)
    log(15759/2048)
    >>> promise = certify("krr", n=6, eps="1/2", delta="2/5", k=3, gamma="3/10")
    >>> promise.verdict, check(promise).status
    ('PROVED', 'accepted')

Every command is a function of the same name, with the options' names and defaults; a system's parameters are keywords.

Numbers are given exactly: "3/10", "0.3", a Fraction or an integer; a float is refused. eps is in nats, "log(3/2)" too.
Answers hold for all pairs of neighbouring datasets in both directions, and say for which and by what (`scope`).
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

import lazy_loader

HERE = Path(__file__).resolve().parent


class _Checkout:
    """Finds `shufflecert.verify` and its like in a checkout, where they are folders beside this one, not in it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        folder = HERE.parent / name.removeprefix("shufflecert.")
        if name not in ("shufflecert.verify", "shufflecert.protocols", "shufflecert.proofs"):
            return None
        return spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])


if not (HERE / "verify").is_dir():
    sys.meta_path.append(_Checkout)  # type: ignore[arg-type]
_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    return import_module("importlib.metadata").version("shufflecert") if name == "__version__" else _imported(name)
