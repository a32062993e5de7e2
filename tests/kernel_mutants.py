"""Damage verify/kernel.py in many small ways and count how often its tests notice: make mutants

`python -m tests.kernel_mutants 10` runs every tenth of them, and 10 3 every tenth from the fourth on.

In which ways, tests/kernel_damage.py says. The tests are the checks of tests/kernel_checks.py, the parts of
tests/kernel_parts.py, kernel_files.py, kernel_blocks.py and kernel_words.py, and certificates one by one. What lines
each test reaches is recorded on the sound kernel; a mutant is run, in a process of its own, on those that reach its
statement, the cheap ones first. To crash, or to take far more processor time or memory, is to be noticed too.

What nobody notices is written to KERNEL_SURVIVORS.md: those that change nothing, with the reason that
tests/kernel_harmless.py states, and the others.
"""

import ast
import gc
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from tests import kernel_battery, kernel_checks, scale_mutants, scale_seeds
from tests.kernel_blocks import BLOCKS
from tests.kernel_damage import SOURCE, Mutant, mutants, places, stale_rules, variants
from tests.kernel_files import FILES
from tests.kernel_harmless import rule_of
from tests.kernel_parts import PARTS
from tests.kernel_words import WORDS
from verify import kernel

HERE = Path(__file__).parent
SECONDS, TIMES, MEMORY = 2, 20, 3 * 2**30  # a test may take two seconds and 20 times what the sound kernel takes
QUICK = 10**7  # work of a version 2 certificate that mutants are tried on


@cache
def scale() -> list[tuple[bytes, str]]:
    """Certificates of versions 2 and 4, changed ones among these, and what the sound kernel says of each."""
    from tests.presence_cases import crowds

    trees = (json.dumps(tree).encode() for tree in [*scale_seeds.seeds(), *crowds(range(20_000, 20_008))])
    tried = [*trees, *(data for _, data in scale_mutants.mutants(7, 150))]
    verdicts = ((data, kernel.check(data, max_work=QUICK).status) for data in tried)
    return [(data, status) for data, status in verdicts if status != "undecided"]


class Test(NamedTuple):
    """A test by name: it raises or says False where it notices. `lines` of the kernel it reaches, `cost` in seconds."""

    name: str
    passes: Callable[[Any], bool]
    lines: frozenset[int] = frozenset()
    cost: float = 0


def told(data: bytes, status: str, work: int, k: Any) -> bool:
    """Whether the kernel says this of the certificate."""
    found: str = k.check(data, max_work=work).status
    return found == status


def tests() -> list[Test]:
    """tests/kernel_checks.py, the parts at few bits, certificates of later versions that must be told as before.

    That what is said of those is right is what tests/test_scale_mutants.py shows, against the second checker.
    """
    found = []
    for name, data, status in kernel_battery.BATTERY:
        work = kernel_battery.QUICK if status == "undecided" else kernel.MAX_WORK
        found.append(Test(name, partial(told, data, status, work)))
    for check in [*kernel_checks.CHECKS, *WORDS, *PARTS, *FILES, *BLOCKS]:
        found.append(Test(check.__name__, lambda k, check=check: check(k) is None))
    return found + [Test("scale", partial(told, data, status, QUICK)) for data, status in scale()]


def noticed(k: ModuleType) -> str | None:
    """The first test that notices, if any."""
    for test in tests():
        try:
            if not test.passes(k):
                return test.name
        except BaseException as error:
            return f"{test.name}: {error!r}"
    return None


def measured(source: str) -> list[Test]:
    """The tests with the lines that they reach and what they cost, the cheap ones first; all pass."""
    code, lines, found = compile(source, NAME, "exec"), set[int](), []

    def entered(frame: FrameType, _event: str, _what: Any) -> Any:
        return reached if frame.f_code.co_filename == NAME else None

    def reached(frame: FrameType, _event: str, _what: Any) -> Any:
        lines.add(frame.f_lineno)
        return reached

    sys.settrace(entered)
    exec(code, ModuleType(NAME).__dict__)
    sys.settrace(None)
    always = frozenset(lines)  # what runs before any test
    for test in tests():
        spent = list[float]()
        for tracing in (False, True):  # what it keeps of the sound kernel's answers is computed the first time
            module = ModuleType(NAME)
            exec(code, module.__dict__)
            begun = time.process_time()
            sys.settrace(entered if tracing else None)
            passed = test.passes(module)
            sys.settrace(None)
            assert passed, f"the sound kernel fails {test.name}"
            spent.append(time.process_time() - begun)
        found.append(test._replace(lines=always.union(lines), cost=spent[0]))
        lines.clear()
    return sorted(found, key=lambda test: test.cost)


NAME = "damaged_kernel"


def load(tree: ast.Module) -> ModuleType:
    """The module of a tree."""
    module = ModuleType(NAME)
    exec(compile(tree, NAME, "exec"), module.__dict__)
    return module


class LateError(BaseException):
    """A test took far longer than it does."""


class Run:
    """The kernel's tree and tests, read once; every mutant is made and tried in a child that is forked from here."""

    def __init__(self, source: str) -> None:
        self.lines, self.tree = source.splitlines(), ast.parse(source)
        self.codes = [compile(ast.Module([part], []), NAME, "exec") for part in self.tree.body]
        self.places = places(self.tree)
        self.mutants = mutants(self.places)
        self.tests = measured(source)

    def passes(self, mutant: Mutant) -> bool:
        """Whether all tests that reach the mutant pass with it; the tree is damaged from now on."""

        def late(*_: Any) -> None:
            raise LateError

        parent, field, index, *_, top = place = self.places[mutant.node]
        _, other = list(variants(place.node()))[mutant.variant]
        if index is None:
            setattr(parent, field, other)
        else:
            getattr(parent, field)[index] = other
        changed = ast.fix_missing_locations(ast.Module([self.tree.body[top]], []))
        module = ModuleType(NAME)
        signal.signal(signal.SIGPROF, late)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        for code in [*self.codes[:top], compile(changed, NAME, "exec"), *self.codes[top + 1 :]]:
            exec(code, module.__dict__)
        for test in self.tests:
            if not mutant.lines or not test.lines.isdisjoint(mutant.lines):
                signal.setitimer(signal.ITIMER_PROF, SECONDS + TIMES * test.cost)
                if not test.passes(module):
                    return False
        return True

    def shown(self, mutant: Mutant) -> str:
        """Its line."""
        return self.lines[mutant.line - 1].strip()

    def reason(self, mutant: Mutant) -> str:
        """Why it does no harm, if that is known."""
        rule = rule_of(mutant.function, self.shown(mutant), mutant.change)
        return rule[3] if rule else ""

    def fate(self, number: int) -> str:
        """What becomes of a mutant, run in a child of this process: "alive", "noticed" or "late"; a reason: not run."""
        if reason := self.reason(self.mutants[number]):
            return reason
        pid = os.fork()
        if pid:
            return {0: "alive", 256: "noticed"}.get(os.waitpid(pid, 0)[1], "late")
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
            os._exit(0 if self.passes(self.mutants[number]) else 1)
        except LateError:
            os._exit(2)
        except BaseException:
            os._exit(1)

    def fates(self, numbers: Iterable[int]) -> Iterator[tuple[Mutant, str]]:
        """Those with these numbers, two at a time."""
        global running
        running = self
        gc.freeze()
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
            yield from zip((self.mutants[i] for i in numbers), pool.map(fate, numbers, chunksize=4), strict=True)


running: Run
BAR = "\\|"  # within a cell of a table


def fate(number: int) -> str:
    """For the pool, whose processes have the run since they were forked."""
    return running.fate(number)


def page(run: Run, fates: list[tuple[Mutant, str]]) -> str:
    """KERNEL_SURVIVORS.md: how many were noticed, and the lines of those that were not, harmless ones by reason."""
    number, left, reasons = Counter(fate for _, fate in fates), list[str](), dict[str, list[str]]()
    for mutant, fate in fates:
        if fate not in ("noticed", "late"):
            cells = (mutant.function, f"`{run.shown(mutant)}`", mutant.change)
            row = f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
            (left if fate == "alive" else reasons.setdefault(fate, [])).append(row)
    seen = number["noticed"] + number["late"]
    text = [
        "# Mutants of the kernel that no test notices",
        "",
        "Written by `make mutants` (tests/kernel_mutants.py): `verify/kernel.py` is damaged in one place at a time.",
        f"Of {len(run.mutants)} such mutants {len(fates)} were tried. {len(fates) - seen - len(left)} are harmless,",
        f"for a reason that is stated. Of the others {seen} were noticed ({number['late']} by time or memory alone),",
        f"which is {100 * seen / (seen + len(left)):.1f} %, and {len(left)} are left.",
    ]
    table = ["", "| function | line | change |", "|---|---|---|"]
    text += ["", "## Left", *(table if left else ["", "None."]), *left]
    for reason in sorted(reasons):
        text += ["", f"## Harmless: {reason}", *table, *reasons[reason]]
    return "\n".join(text) + "\n"


def main() -> None:
    """The command: every so many, from one on."""
    if os.environ.get("PYTHONHASHSEED") != "0":  # so that sets are walked in the same order every time
        os.execve(
            sys.executable, [sys.executable, "-m", __spec__.name, *sys.argv[1:]], os.environ | {"PYTHONHASHSEED": "0"}
        )
    assert not (stale := stale_rules()), f"rules of tests/kernel_harmless.py without a mutant: {stale}"
    run = Run(SOURCE.read_text())
    step, start = (*map(int, sys.argv[1:]), *(1, 0)[len(sys.argv) - 1 :])
    found = []
    for mutant, fate in run.fates(range(len(run.mutants))[start::step]):
        found.append((mutant, fate))
        if fate == "alive":
            print(f"{len(found)}: {mutant.line} {mutant.function}: {mutant.change}", file=sys.stderr, flush=True)
    written = page(run, found)
    (HERE / "KERNEL_SURVIVORS.md").write_text(written)
    print(written)


if __name__ == "__main__":
    main()
