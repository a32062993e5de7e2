"""The order of the rooms, exactness on the way to a verdict, and the length of files; read from the sources."""

import ast
import re
import sys
import tokenize
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

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
MOST_FILES = 18  # in a room; `commands` has one for each command
LONG = 800  # lines of a file; of these, more
MOST_LINES = {
    "kernel.py": 1766,
    "program.py": 2800,  # made from the proofs
    "code.py": 1000,
    "library.py": 1200,
    "machine.py": 1200,
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
    "bound.guess",
    "bound.real",
    "bound.search",
    "bound.table",
    "bound.lattice_guess",
    "checked.blocks",
    "checked.decide",
    "checked.hints",
    "compose.event_guess",
)  # their one user tries all of it exactly
WORDS = (
    "bound.block",
    "bound.lattice",
    "bound.law",
    "search.arrays",
    "search.chunks",
    "search.exhaust",
)  # arrays of 64-bit integers; that these hold is proved there
FLOATS = {"float", "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "pow", "isclose", "fsum"}
INEXACT = {"numpy", "scipy", "mpmath", "cmath", "random", "statistics"}


def imports(file, late=True):
    """Every module that a file imports, wherever in it, by full name; names imported from a package included.

    The packages of this project have one root: there is no other way to them.

    What `import_module` is given as a text counts as well, if `late`.
    """
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif late and isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            found |= {part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)}
    assert not {name.partition(".")[0] for name in found} & {"verify", "protocols", "proofs"}, file
    return found


def package(name):
    """The package of this project that a module belongs to, else the top of its name."""
    return name.removeprefix("shufflecert.").partition(".")[0]


def modules(file, late=True):
    """The modules of `verify` that a file imports."""
    named = {name.removeprefix(OURS) for name in imports(file, late) if name.startswith(OURS)}
    return {module for module in VERIFY if any(name == module or name.startswith(f"{module}.") for name in named)}


def room(module):
    return module.partition(".")[0]


def sources(*packages):
    return [file for package in packages for file in sorted((ROOT / package).rglob("*.py"))]


def test_every_module_has_its_room():
    assert set().union(*ORDER) == {room(module) for module in VERIFY}


def test_every_room_stands_in_the_pages_table():
    """In the order of imports: a room of an earlier line is named before those of later ones."""
    table = re.findall(r"^\| (`.*?`) \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    named = [name.removesuffix(".py").rstrip("/") for cell in table for name in re.findall(r"`([\w/.]+)`", cell)]
    levels = [next(i for i, line in enumerate(ORDER) if name in line) for name in named]
    assert sorted(named) == sorted(set().union(*ORDER)) and levels == sorted(levels)


@pytest.mark.parametrize("name", sorted(VERIFY))
def test_rooms_import_one_way(name):
    level = next(i for i, line in enumerate(ORDER) if room(name) in line)
    earlier = set().union(*ORDER[:level])
    assert {room(module) for module in modules(VERIFY[name])} <= earlier | {room(name)}


@pytest.mark.parametrize("name", sorted(set().union(*ORDER)))
def test_no_circles_in_a_room(name):
    inside = {module: modules(VERIFY[module], late=False) for module in VERIFY if room(module) == name}
    TopologicalSorter(inside).prepare()


@pytest.mark.parametrize("folder", sorted({file.parent for file in VERIFY.values()} - {ROOT / "verify" / "commands"}))
def test_rooms_are_small(folder):
    assert len([file for file in folder.glob("*.py") if file.stem != "__init__"]) <= MOST_FILES


def test_the_kernel_stands_alone():
    assert {name.split(".")[0] for name in imports(VERIFY["kernel"])} <= sys.stdlib_module_names
    users = {name for name, file in VERIFY.items() if "kernel" in modules(file)}
    assert {room(name) for name in users} <= {"commands"}


@pytest.mark.parametrize(("folder", "others"), [("verify", ("proofs",)), ("protocols", ("proofs",))])
def test_packages_import_one_way(folder, others):
    for file in sources(folder):
        known = {"commands"} & {*file.parts}  # the door hands over what was asked for
        assert not {*map(package, imports(file))} & {*others, "tests"} or known, file


def test_one_place_of_verify_names_the_package_of_systems():
    naming = {name for name, file in VERIFY.items() if "protocols" in {*map(package, imports(file))}}
    assert {room(name) for name in naming} <= {"systems", "commands"}


@pytest.mark.parametrize("name", sorted(VERIFY))
def test_no_float_on_the_way_to_a_verdict(name):
    if room(name) in DOOR or name.startswith(FLOATS_ARE_THE_SUBJECT) or name in FLOATS_GUESS:
        return
    file = VERIFY[name]
    assert not {module.split(".")[0] for module in imports(file)} & (INEXACT - {"numpy" if name in WORDS else ""})
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float | complex), f"{name}:{node.lineno}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FLOATS, f"{name}:{node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
            assert node.attr not in FLOATS, f"{name}:{node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            assert not FLOATS & {alias.name for alias in node.names}, f"{name}:{node.lineno}"


def test_guesses_in_floats_are_asked_by_what_proves_them():
    users = {name for name, file in VERIFY.items() if modules(file) & {*FLOATS_GUESS}}
    assert users <= {
        *FLOATS_GUESS,
        "bound.block",
        "bound.cover",
        "bound.columns",
        "bound.evidence",
        "bound.lattice",
        "bound.law",
        "commands.verified",
        "compose.certified",
        "compose.event_tree",
        "compose.accountant",
    }


def test_no_true_division_of_integers_in_the_kernel():
    """`/` between integers makes a float; two lines of `dots` divide fractions."""
    with VERIFY["kernel"].open("rb") as file:
        divisions = [t for t in tokenize.tokenize(file.readline) if t.type == tokenize.OP and t.string in ("/", "/=")]
    assert len({t.start[0] for t in divisions}) <= 2


@pytest.mark.parametrize("file", sources("verify", "protocols", "proofs"), ids=lambda f: f.relative_to(ROOT).as_posix())
def test_files_are_short(file):
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES.get(file.name, LONG)


@pytest.mark.parametrize("file", sources("tests"), ids=lambda f: f.relative_to(ROOT).as_posix())
def test_files_of_tests_are_short_and_import_what_is_there(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONG
    for node in ast.walk(ast.parse(text)):  # also what a function imports when it is called
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tests":
            home = ROOT.joinpath(*node.module.split("."))
            for name in (alias.name for alias in node.names):
                there = (home / name).is_dir() or (home / f"{name}.py").is_file()
                assert there or re.search(rf"^(?=\S).*\b{name}\b", source(home), re.M), f"{home}: no {name}"


def source(home):
    return (home / "__init__.py" if home.is_dir() else home.with_suffix(".py")).read_text(encoding="utf-8")
