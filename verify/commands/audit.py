"""Audit: everything that can be said of a randomizer, of a function that draws, of a box, of the gallery."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from shufflecert.verify import progress
from shufflecert.verify.answers import audited as answers
from shufflecert.verify.answers import boxed
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.commands import certificates, options
from shufflecert.verify.commands.audit_options import (
    MOST_USERS,
    claimed,
    inputs_of,
    is_function,
    is_python,
    library_of,
    numbers,
    promise_of,
    residual_of,
    table_of,
)
from shufflecert.verify.commands.options import OK, REFUTED, STATUS, Json, MaxWork, Tolerance
from shufflecert.verify.decide.privacy_profile import eps_grid
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import is_file, load, named_values, randomizer_in
from shufflecert.verify.systems.python_file import from_python

VERDICTS = {**STATUS, "contradicted": REFUTED, "HOLDS": OK}
BOX = "With --black-box: "

File = Annotated[
    str | None,
    Argument(
        metavar="[FILE]",
        help="A .toml or .json randomizer file, my.py:name (a Randomizer, or a function f(x, rng)), or a system.",
        show_default=False,
    ),
]
Numbers = Annotated[
    str | None, Option("--n", metavar="N", help="Numbers of users: 1:20, or 2,5,100; 1:3 unless given.")
]
Report = Annotated[Path | None, Option("--report", metavar="FILE", help="Write the audit as one HTML page.")]


def audit(
    file: File = None,
    param: options.Parameters = None,
    n: Numbers = None,
    eps: Annotated[str, Option("--eps", metavar="E", help="Where delta is shown: 0:2:5, or 0,1/2,1.")] = "0:2:5",
    delta: Annotated[str, Option("--delta", metavar="D", help="At which eps is shown.")] = "1e-6",
    large: Annotated[str, Option("--large", metavar="N", help="The large number of users.")] = "10000",
    claim: Annotated[
        str | None,
        Option("--claim", metavar="eps=E,...", help="A claim to decide: eps=1,delta=1e-6,n=100,view=shuffled."),
    ] = None,
    inputs: Annotated[
        str | None, Option("--inputs", metavar="X,...", help="A function's or a box's inputs: 0,1.")
    ] = None,
    deployed: Annotated[bool, Option("--deployed", help="random() as computers have it, floats as they are.")] = False,
    residual: Annotated[
        str, Option("--residual", metavar="R", help="Mass of a function's paths that may stay unexplored.")
    ] = "5e-20",
    max_paths: Annotated[
        str, Option("--max-paths", metavar="N", help="Paths of a function, for every input.")
    ] = "1000000",
    legacy: Annotated[bool, Option("--legacy", help="The function takes numpy's RandomState.")] = False,
    each: Annotated[
        bool, Option("--each", help="What the function returns has several messages: its elements. (yield: always)")
    ] = False,
    strict: Annotated[
        bool, Option("--strict", help="Refuse a function that is not followed: no law is observed.")
    ] = False,
    patch: Annotated[
        list[str] | None,
        Option("--patch", metavar="MODULE.NAME", help="Put rng where a module draws from: mylib.mech.random."),
    ] = None,
    rng: Annotated[
        str | None, Option("--rng", metavar="KIND", help="random or numpy: whose source the function takes.")
    ] = None,
    black_box: Annotated[
        str | None,
        Option("--black-box", metavar="COMMAND", help="A command: one JSON line in, one out; or my.py:name."),
    ] = None,
    samples: Annotated[str | None, Option("--samples", metavar="M", help=BOX + "runs of each input.")] = None,
    find: Annotated[
        str | None, Option("--find", metavar="E", help=BOX + "as many runs as find randomized response of this eps.")
    ] = None,
    confidence: Annotated[str, Option("--confidence", metavar="C", help=BOX + "1 - beta.")] = "0.999",
    power: Annotated[str, Option("--power", metavar="P", help=BOX + "of what is found.")] = "0.9",
    seed: Annotated[str | None, Option("--seed", metavar="S", help=BOX + "else a fresh one is drawn.")] = None,
    seconds: Annotated[str, Option("--seconds", metavar="S", help="Patience with one answer.")] = "10",
    gallery: Annotated[bool, Option("--gallery", help="The randomizers of the field; FILE names one.")] = False,
    output: Annotated[Path | None, Option("-o", "--output", help="Write the claim's certificate here.")] = None,
    report: Report = None,
    force: options.Force = False,
    max_work: MaxWork = None,
    tolerance: Tolerance = None,
    json: Json = False,
) -> int:
    """Everything that can be said of a randomizer on one page: what it promises, whom it betrays, what it costs."""
    if output is not None:
        atomic_files.check_new(output, force)
    if report is not None:
        atomic_files.check_new(report, force)
    given: dict[str, Any] = {"param": param, "n": n, "eps": eps, "delta": delta, "large": large, "claim": claim}
    given |= {"inputs": inputs, "deployed": deployed, "residual": residual, "max_paths": max_paths, "legacy": legacy}
    given |= {"each": each, "strict": strict, "patch": patch, "rng": rng, "black_box": black_box, "samples": samples}
    given |= {"find": find, "confidence": confidence, "power": power, "seed": seed, "seconds": seconds}
    given |= {"gallery": gallery, "output": output, "max_work": max_work, "tolerance": tolerance}
    return _shown(*audited(file, **given), report, json)


def audited(
    file: Any,
    *,
    param: list[str] | None,
    n: str | None,
    eps: str,
    delta: str,
    large: str,
    claim: str | None,
    inputs: Any,
    deployed: bool,
    residual: str,
    max_paths: str,
    legacy: bool,
    each: bool,
    strict: bool,
    patch: list[str] | None,
    rng: str | None,
    black_box: Any,
    samples: str | None,
    find: str | None,
    confidence: str,
    power: str,
    seed: str | None,
    seconds: str,
    gallery: bool,
    output: Path | None,
    max_work: str | None,
    tolerance: str | None,
) -> tuple[Answer, str]:
    """The answer of `audit`, and what it is about. From Python `file` may be a randomizer, a system or a function, and
    `black_box` a function. Raises BadInput.
    """
    if [file is not None and not gallery, black_box is not None, gallery].count(True) != 1:
        raise BadInput("audit: expected one of FILE, --black-box COMMAND, --gallery [NAME]")
    if file is None or gallery:
        refused = {"-o": output, "-p": param, "--deployed": deployed or None, "--patch": patch or None}
        refused |= {"--each": each or None, "--strict": strict or None}
        _refuse("--gallery" if gallery else "--black-box", refused)
    if gallery:
        _refuse("--gallery", {"--claim": claim, "--inputs": inputs, "--n (it takes --large)": n})
    if black_box is None:
        _refuse("FILE", {"--samples": samples, "--find": find, "--seed": seed})
    if black_box is not None:
        what = from_python(black_box) if isinstance(black_box, str) and is_python(black_box) else black_box
        given, library = inputs_of(inputs, what), library_of(rng, legacy)
        if library and isinstance(what, str):
            raise BadInput("--rng, --legacy: for a Python function: expected them left out with a command")
        sized: dict[str, Any] = {"samples": samples, "find": find, "confidence": confidence, "power": power}
        sized["rng"] = library
        tree = _black_box(what, given, n, claimed(claim), seed, seconds, **sized)
        named = black_box if isinstance(black_box, str) else _called(black_box)
        about: Tree = {"system": named, "parameters": {}, "n": n}
        return boxed.BlackBox(about | tree), named
    wanted = Wanted(
        ns=numbers("1:3" if n is None else n),
        eps=eps_grid(eps),
        delta=probability(delta, "delta"),
        large=natural(large, "--large", most=MOST_USERS),
        promise=promise_of(claim),
        effort=Effort(options.tolerance(tolerance), options.work(max_work)),
        output=output,
    )
    if gallery:
        rows = import_module("shufflecert.verify.commands.gallery")
        about = {"system": file or "*", "parameters": {}}
        listed_rows = rows.audited(file, wanted.delta, wanted.large)
        return boxed.Gallery(about | listed_rows), "the gallery"
    assert file is not None
    table = _table(file, param)
    name = file if isinstance(file, str) else _called(file)
    if table is None:
        limits: dict[str, Any] = {"max_paths": natural(max_paths, "--max-paths", most=10**9)}
        limits["library"] = library_of(rng, legacy)
        limits["seconds"] = natural(seconds, "--seconds", most=10**6)
        limits["residual"] = residual_of(residual)
        limits["each"] = each or None
        listed = None if inputs is None else inputs_of(inputs)
        ways = {"patch": tuple(patch or ()), "strict": strict}
        tree, found = _function(file, named_values(param or ()), listed, deployed, wanted, limits, ways)
        tree["sampler"]["patched"] = list(patch or ())
    elif inputs is not None or deployed or legacy or rng or patch or each or strict:
        raise BadInput(
            "--inputs, --deployed, --legacy, --rng, --patch, --each, --strict: for a function in my.py:name, or a box"
        )
    else:
        tree, found = _of_table(name, table, wanted)
    made = file if not isinstance(file, str) else None if is_file(file) else load(file, param or ())
    return answers.Audit(options.about(name, made, wanted.ns, param) | tree, found), name


def _called(thing: Any) -> str:
    """What an object is called in an answer: a system by its name, a function by its own, a table "randomizer"."""
    if isinstance(thing, Randomizer) or hasattr(thing, "randomizer"):
        called: str = import_module("shufflecert.verify.systems.catalogue").name_of(thing)
        return called
    return str(import_module("shufflecert.verify.audit.callables").name_of(thing))


def _table(file: Any, param: list[str] | None) -> tuple[Randomizer, Any] | None:
    """The table that a name or an object stands for, and what its file claims; None for a function."""
    if isinstance(file, str):
        return None if is_function(file) else table_of(file, param)
    made = randomizer_in(file, type(file).__name__)
    if made is None and not callable(file):
        raise BadInput(
            f"{type(file).__name__}: expected a Randomizer, a system, a function f(x, rng), or the name of one"
        )
    return None if made is None else (made, None)


@dataclass(frozen=True)
class Wanted:
    """The options of `audit` that are the same for every randomizer."""

    ns: list[int]
    eps: list[Eps]
    delta: Fraction
    large: int
    promise: Any
    effort: Effort
    output: Path | None

    def audited(self, randomizer: Randomizer, promise: Any, residual: Fraction = Fraction(0), note: str = "") -> Any:
        """The audit of a randomizer, with these options; what takes long is said before it begins."""
        patience, ahead = (
            import_module("shufflecert.verify.audit.patience"),
            import_module("shufflecert.verify.audit.foreseen"),
        )
        expected = ahead.foreseen(randomizer, [*self.ns, self.large], len(self.eps), self.effort.work)
        if expected.seconds > patience.PATIENCE:
            patience.say(f"{expected}; --n and --eps leave some of it out")
        parts = patience.Parts(expected.parts, "--n, --eps and --large leave some of it out, --max-work refuses it")

        def tracked(ns: Any, total: int) -> Iterator[int]:
            for n in progress.track(ns, total):
                parts.begin(f"n = {n}")
                yield n
            parts.begin("the claim and the attack")

        with parts.watched():
            return import_module("shufflecert.verify.audit.audit").audit(
                randomizer,
                self.ns,
                self.eps,
                self.delta,
                promise,
                large=self.large,
                residual=residual,
                effort=self.effort,
                note=note,
                progress=tracked,
            )

    def certificate(self, found: Any) -> str | None:
        """Where the certificate of the claim, or else of the attack, was written."""
        decided = found.verdict or found.attack
        if decided is None or self.output is None:
            return None
        written = certificates.write(decided, self.output)
        certificates.tell(self.output, written.refusal)
        return written.place

    def noted(self, tree: Tree) -> Tree:
        """The answer, and that a certificate was asked for where there is none."""
        written = any((tree[key] or {}).get("certificate") for key in ("claim", "attack"))
        return tree if self.output is None or written else {**tree, "not_written": str(self.output)}


def _refuse(kind: str, given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value is not None:
            raise BadInput(f"{option}: not with {kind}: expected it left out")


def _of_table(name: str, table: tuple[Randomizer, Any], wanted: Wanted) -> tuple[Tree, Any]:
    randomizer, own = table
    found = wanted.audited(randomizer, wanted.promise or own)
    tree = answers.to_json(found, name, None, wanted.certificate(found))
    return wanted.noted(tree), found


def _function(
    asked: Any,
    values: dict[str, str],
    inputs: list[Any] | None,
    deployed: bool,
    wanted: Wanted,
    limits: dict[str, Any],
    ways: dict[str, Any],
) -> tuple[Tree, Any]:
    """Of a function, or of my.py:name, the answer and what is behind it."""
    sampler = import_module("shufflecert.verify.audit.sampler")
    name = asked if isinstance(asked, str) else _called(asked)
    if not isinstance(asked, str):
        if ways["patch"] or values:
            raise BadInput(f"{name}: patch, parameters: of a function in my.py:name: expected them left out")
        inputs = inputs if inputs is not None else inputs_of(None, asked)

    def law(deployed: bool) -> Any:
        with progress.counting("paths") as tick:
            if not isinstance(asked, str):
                return sampler.enumerate_sampler(
                    asked, inputs, deployed=deployed, strict=ways["strict"], tick=tick, **limits
                )
            options = sampler.Options(deployed=deployed, **limits)
            return sampler.enumerate_file(name, values, inputs, options, tick=tick, **ways)

    followed = law(deployed)
    found = wanted.audited(followed.randomizer, wanted.promise, max(followed.residual.values()), followed.note)
    tree = answers.to_json(found, name, followed, wanted.certificate(found))
    if deployed:
        ideal = law(False)
        small = replace(wanted, ns=[1], large=1, promise=None, output=None)
        other = small.audited(ideal.randomizer, None, max(ideal.residual.values()))
        tree["against_ideal"] = answers.compared_json(followed, ideal, {"deployed": found, "ideal": other})
    return wanted.noted(tree), found


def _users_of_box(claim: dict[str, str], n: str | None) -> str | None:
    """How many users' messages are shuffled, None in the local view."""
    users = claim.get("n", n)
    view = claim.get("view", "local" if users is None else "shuffled")
    fits = {"local": users is None, "preshuffle": users in (None, "1"), "shuffled": users is not None}
    if not fits.get(view, False):
        raise BadInput("--claim: view: expected local, preshuffle, or shuffled with the number of users, n=N")
    return "1" if view == "preshuffle" else users


def _black_box(
    what: Any,
    inputs: list[Any],
    n: str | None,
    claim: dict[str, str],
    seed: str | None,
    seconds: str,
    *,
    samples: str | None,
    find: str | None,
    confidence: str,
    power: str,
    rng: str | None,
) -> Tree:
    box, bounds = (
        import_module("shufflecert.verify.audit.black_box.estimate"),
        import_module("shufflecert.verify.audit.black_box.clopper_pearson"),
    )
    eps, delta, users = claim.get("eps"), claim.get("delta"), _users_of_box(claim, n)
    if samples is None:
        if find is None:
            raise BadInput("--black-box: no --samples: expected the runs of each input, or --find EPS to plan them")
        certain, strength = bounds.read_confidence(confidence), bounds.read_confidence(power, "power")
        at, bound = Eps.of(eps or 0), probability(delta or 0, "delta")
        samples = str(bounds.plan(*bounds.randomized_response(Eps.of(find, "--find")), at, bound, certain, strength))
    found = box.audit(
        what,
        inputs,
        samples=samples,
        confidence=confidence,
        eps=eps,
        delta=delta,
        n=users,
        seed=seed,
        seconds=seconds,
        power=power,
        rng=rng,
        progress=progress.track,
    )
    return boxed.to_json(found)


def write_page(answer: Answer, name: str, report: Path) -> None:
    """Write the page about an audit, with its certificate and what the kernel says of that."""
    check = import_module("shufflecert.verify.kernel").check
    atomic_files.write_whole(report, answer.html(f"Audit of {name}", "audit.json", check))


def _shown(answer: Answer, name: str, report: Path | None, json: bool) -> int:
    """Print the answer, write the report; the status is the claim's."""
    if report is not None:
        write_page(answer, name, report)
    options.shown(answer, json)
    claim = answer.tree.get("claim") or {}
    verdict = answer.tree.get("verdict", claim.get("verdict"))
    return VERDICTS.get(str(verdict), OK)
