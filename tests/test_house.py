"""The order of the rooms, exactness on the way to a verdict, and the length of files; read from the sources.

Each test lists all that is wrong, not the first of it.
"""

import ast
import re
import sys
import tokenize
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERIFY = {
    ".".join(file.relative_to(ROOT / "verify").with_suffix("").parts): file
    for file in sorted((ROOT / "verify").rglob("*.py"))
    if file.stem != "__init__"
}

OURS = "shufflecert.verify."

# A room imports only from rooms in earlier lines, and from itself; inside a room no circles.
ORDER = [
    {"errors", "kernel", "progress", "checked"},
    {"exact", "runs"},
    {"certificate"},
    {"enclose"},
    {"systems", "pairs", "fourier"},
    {"reduce"},
    {"bound"},
    {"decide"},
    {"compose"},
    {"calibrate", "audit", "search"},
    {"answers"},
    {"commands"},
    {"cli"},
    {"entry"},
]
MOST_FILES = 20  # in a room; `commands` has one for each command
LONG = 800  # lines of a file; of these, more
MOST_LINES = {
    "kernel.py": 1766,
    "program.py": 7700,  # made from the proofs: the checkers, and what reads certificates for them
    "code.py": 840,
    "library.py": 975,
    "machine.py": 1175,
}
DOOR = {"cli", "commands", "answers"}  # these show verdicts and reach none
FLOATS_ARE_THE_SUBJECT = (
    "audit.follow",
    "audit.observe",
    "audit.rng",
    "audit.black_box",
    "audit.messages",
    "audit.patience",
)
FLOATS_GUESS = (
    "bound.box_blocks",
    "bound.groups",
    "bound.guess",
    "bound.real",
    "bound.search",
    "bound.table",
    "pairs.lattice_guess",
    "checked.blocks",
    "checked.decide",
    "checked.hints",
    "compose.guess",
)  # their one user tries all of it exactly
WORDS = (
    "bound.block",
    "pairs.lattice",
    "bound.law",
    "search.arrays",
    "search.chunks",
    "search.exhaust",
)  # arrays of 64-bit integers; that these hold is proved there
FLOATS = {"float", "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "pow", "isclose", "fsum"}
INEXACT = {"numpy", "scipy", "mpmath", "cmath", "random", "statistics"}
PROVE_GUESSES = {
    "bound.block",
    "bound.cover",
    "bound.columns",
    "bound.evidence",
    "pairs.lattice",
    "bound.law",
    "commands.certificates",
    "compose.boxes",
    "compose.certified",
    "compose.event_tree",
    "compose.accountant",
    "compose.assignments",
}


@cache
def source(file):
    return file.read_text(encoding="utf-8")


@cache
def nodes(file):
    return [*ast.walk(ast.parse(source(file)))]


@cache
def imported(file):
    """What is imported by statements, and by calls."""
    found, called = set(), set()
    for node in nodes(file):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            found |= {home, *(f"{home}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and (by := getattr(node.func, "id", "")) in ("import_module", "Later"):
            named = {part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
            called |= {name for name in named if by == "import_module" or str(name).startswith("shufflecert.")}
    return found, called


def imports(file, late=True):
    """Every module that a file imports, wherever in it, by full name; names imported from a package included.

    What `import_module` is given as a text counts as well, if `late`, and modules of ours that are `Later`.
    """
    found, called = imported(file)
    return found | called if late else found


def package(name):
    """The package of this project that a module belongs to, else the top of its name."""
    return name.removeprefix("shufflecert.").partition(".")[0]


@cache
def modules(file, late=True):
    """The modules of `verify` that a file imports."""
    named = {name.removeprefix(OURS) for name in imports(file, late) if name.startswith(OURS)}
    return {".".join(name.split(".")[:k]) for name in named for k in (1, 2, 3, 4)} & VERIFY.keys()


def room(module):
    return module.partition(".")[0]


def sources(*packages):
    return [file for package in packages for file in sorted((ROOT / package).rglob("*.py"))]


def test_rooms():
    """Every module has one, named in the page's table in the order of imports; few files in each, and no circles."""
    assert set().union(*ORDER) == {room(module) for module in VERIFY}
    table = re.findall(r"^\| (`.*?`) \|", source(ROOT / "CONTRIBUTING.md"), re.M)
    named = [name.removesuffix(".py").rstrip("/") for cell in table for name in re.findall(r"`([\w/.]+)`", cell)]
    levels = [next(i for i, line in enumerate(ORDER) if name in line) for name in named]
    assert sorted(named) == sorted(set().union(*ORDER)) and levels == sorted(levels)
    circles = []
    for name in set().union(*ORDER):
        inside = {module: modules(VERIFY[module], late=False) for module in VERIFY if room(module) == name}
        try:
            TopologicalSorter(inside).prepare()
        except CycleError as error:
            circles.append(error.args[1])
    assert not circles
    folders = {file.parent for file in VERIFY.values()} - {ROOT / "verify" / "commands"}
    assert not [one for one in folders if len({*one.glob("*.py")} - {one / "__init__.py"}) > MOST_FILES]


def test_packages_and_rooms_import_one_way():
    """By the one root that they have; the kernel nothing of ours, and one place alone names the package of systems."""
    wrong = []
    for file in sources("verify", "protocols", "proofs"):
        known = {"commands"} & {*file.parts}  # the door hands over what was asked for
        others = {"tests"} if "proofs" in file.relative_to(ROOT).parts[:1] else {"proofs", "tests"}
        wrong += [file] if {*map(package, imports(file))} & others and not known else []
        tops = {name.partition(".")[0] for name in imports(file)}
        relative = any(name.startswith(".") for name in imports(file, late=False))
        wrong += [(file, "by another root")] if relative or tops & {"verify", "protocols", "proofs"} else []
    for name, file in VERIFY.items():
        level = next(i for i, line in enumerate(ORDER) if room(name) in line)
        late = {room(module) for module in modules(file)} - set().union(*ORDER[:level]) - {room(name)}
        wrong += [(name, late)] if late else []
    assert not wrong
    assert {name.split(".")[0] for name in imports(VERIFY["kernel"])} <= sys.stdlib_module_names
    assert {room(name) for name, file in VERIFY.items() if "kernel" in modules(file)} <= {"commands"}
    naming = {name for name, file in VERIFY.items() if "protocols" in {*map(package, imports(file))}}
    assert {room(name) for name in naming} <= {"systems", "commands"}


def inexact(name, file):
    """Where a module computes with floats."""
    yield from {module.split(".")[0] for module in imports(file)} & (INEXACT - {"numpy" if name in WORDS else ""})
    for node in nodes(file):
        of_math = isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "math" and node.attr in FLOATS
        called = isinstance(node, ast.Call) and getattr(node.func, "id", "") in FLOATS
        number = isinstance(node, ast.Constant) and isinstance(node.value, float | complex)
        if of_math or called or number:
            yield f"{name}:{node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            yield from FLOATS & {alias.name for alias in node.names}


def test_no_float_on_the_way_to_a_verdict():
    """Guesses in floats are asked by what proves them; `/` between integers makes a float, and two lines of the
    kernel's `dots` divide fractions."""
    free = {name for name in VERIFY if room(name) in DOOR or name.startswith(FLOATS_ARE_THE_SUBJECT)}
    wrong = [one for name, file in VERIFY.items() if name not in {*free, *FLOATS_GUESS} for one in inexact(name, file)]
    assert not wrong
    users = {name for name, file in VERIFY.items() if modules(file) & {*FLOATS_GUESS}}
    assert users <= {*FLOATS_GUESS, *PROVE_GUESSES}
    with VERIFY["kernel"].open("rb") as file:
        divisions = [t for t in tokenize.tokenize(file.readline) if t.type == tokenize.OP and t.string in ("/", "/=")]
    assert len({t.start[0] for t in divisions}) <= 2


FROM_TESTS = re.compile(r"^ *from (tests[\w.]*) import (\([^)]*\)|.*)", re.M)


@cache
def at_margin(file):
    """The words of all lines that are not indented."""
    return {word for line in source(file).splitlines() if line[:1].strip() for word in re.findall(r"\w+", line)}


def test_files_are_short_and_tests_import_what_is_there():
    """Also what a function imports when it is called."""
    long = {file: len(source(file).splitlines()) for file in sources("verify", "protocols", "proofs", "tests")}
    assert not {file: lines for file, lines in long.items() if lines > MOST_LINES.get(file.name, LONG)}
    missing, read = [], 0
    for module, listed in (found for file in sources("tests") for found in FROM_TESTS.findall(source(file))):
        home = ROOT.joinpath(*module.split("."))
        said = at_margin(home / "__init__.py" if home.is_dir() else home.with_suffix(".py"))
        for name in re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"#.*|[()]", "", listed)):
            there = (home / name).is_dir() or (home / f"{name}.py").is_file()
            missing += [] if there or name in said else [f"{home}: no {name}"]
            read += 1
    assert not missing and read > 500
