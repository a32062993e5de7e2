"""An object in a Python file: the file is executed, with the modules beside it at hand."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import invalidate_caches
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any

from shufflecert.verify.errors import BadInput, exception_text

OURS = "shufflecert"
NAME = "a_randomizer_in_python"  # of the module that a file is executed as


class Anew(SourceFileLoader):
    """Compiles its file: compiled code that is kept is out of date where the file was changed within a second."""

    def get_code(self, fullname: str) -> CodeType:
        """The code as it stands in the file."""
        return self.source_to_code(self.get_data(self.path), self.path)


def from_python(name: str, values: Mapping[str, str] | None = None, *, made: bool = True) -> Any:
    """The object that `my.py:name` names; of a class, if `made`, an object with these parameters. The file is executed.

    It finds the modules beside it, as under `python my.py`. What it prints goes to standard error. Raises BadInput,
    with one line, for whatever goes wrong in it.
    """
    path, _, attribute = name.partition(".py:")
    file, given = Path(path + ".py"), dict(values or {})
    if not file.is_file():
        raise BadInput(f"{file}: no such file")
    module_spec = spec_from_file_location(NAME, file, loader=Anew(NAME, str(file)))
    assert module_spec is not None and module_spec.loader is not None
    module = module_from_spec(module_spec)
    sys.modules[module.__name__] = module  # where dataclasses look for postponed annotations
    try:
        with redirect_stdout(sys.stderr), beside(file.resolve().parent):
            module_spec.loader.exec_module(module)
            if not hasattr(module, attribute):
                raise BadInput(f"there is no {attribute!r} in it")
            found: Any = getattr(module, attribute)
            if isinstance(found, type) and made:
                return found(**given)
        if given:
            raise BadInput(f"{attribute} takes no parameters: got {', '.join(given)}")
        return found
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BadInput(f"{file}:{attribute}: {exception_text(error)}") from error


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Let a file find the modules beside it while it is executed, also where others of their names were imported.

    No compiled code of theirs is written. The folder stays the last place where modules are looked for, so that
    functions can import from it later.
    """
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    names -= {*sys.stdlib_module_names, NAME, OURS}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] in names and not Path(file).is_relative_to(folder):
            del sys.modules[name]
    while str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    invalidate_caches()
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = kept
        sys.path.remove(str(folder))
        sys.path.append(str(folder))
