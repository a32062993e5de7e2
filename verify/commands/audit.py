"""Audit: everything that can be said of a randomizer, of a function that draws, of a box, of the gallery."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from shufflecert.verify import progress
from shufflecert.verify.answers import audited as answers
from shufflecert.verify.answers import boxed
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.audit_options import (
    MOST_USERS,
    check_takes_rng,
    claimed,
    definition,
    inputs_of,
    is_python,
    library_of,
    numbers,
    promise_of,
    residual_of,
    table_of,
)
from shufflecert.verify.commands.certificates import kernel
from shufflecert.verify.commands.given import Asked, EpsValue, Exact, File, Sampler
from shufflecert.verify.decide.worst_case import eps_grid
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps, Tree
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import from_python, is_file, load, named_values, randomizer_in

Paged = TypeVar("Paged", bound=Answer)


@given.arguments_named
def audit(
    file: Asked | Sampler | None = None,
    *,
    n: Exact | Sequence[Exact] | None = None,
    eps: str | Sequence[EpsValue] = "0:2:5",
    delta: Exact = "1e-6",
    large: Exact = 10_000,
    claim: str | Mapping[str, EpsValue] | None = None,
    inputs: str | Sequence[int | str] | None = None,
    deployed: bool = False,
    residual: Exact = "5e-20",
    max_paths: Exact = 10**6,
    legacy: bool = False,
    each: bool = False,
    strict: bool = False,
    patch: Sequence[str] | None = None,
    rng: str | None = None,
    black_box: str | Sampler | None = None,
    samples: Exact | None = None,
    find: EpsValue | None = None,
    confidence: Exact = "0.999",
    power: Exact = "0.9",
    seed: Exact | None = None,
    seconds: Exact = 10,
    gallery: bool = False,
    output: File | None = None,
    report: File | None = None,
    force: bool = False,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    **parameters: Exact,
) -> answers.Audit | boxed.BlackBox | boxed.Gallery:
    """Everything that can be said of a randomizer on one page: what it promises, whom it betrays, what it costs.

    `file` is a function f(x, rng) or "my.py:f", whose law is found, a randomizer, a file of one, or a system;
    `black_box` a command or a function that is only run; `gallery` the field's. `n` are numbers of users ("1:3");
    `claim` is a promise to decide, "eps=1,delta=1e-6,n=100" or {"eps": 1, "view": "local"}. `output` gets the claim's
    certificate, `report` a page. What the other options mean `shufflecert audit --help` says. Raises BadInput.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> audit(rr, n=[1, 2], large=10).local.eps
        log(3)
        >>> def fair(x, rng): return x if rng.randrange(4) else 1 - x
        >>> audit(fair, inputs=[0, 1], n=1, large=2).local.eps
        log(3)
    """
    place, page = given.new_files(force, output, report)
    if parameters and not isinstance(file, str | Path):
        raise BadInput(f"{', '.join(parameters)}: expected with a name; an object has its parameters")
    file = str(file) if isinstance(file, Path) else file
    param = given.parameters(parameters)
    promised = ",".join(f"{k}={v}" for k, v in claim.items()) if isinstance(claim, Mapping) else claim
    listed_n, find, samples = given.text(n), given.text(find), given.text(samples)
    if [file is not None and not gallery, black_box is not None, gallery].count(True) != 1:
        raise BadInput("audit: expected one of FILE, --black-box COMMAND, --gallery [NAME]")
    if file is None or gallery:
        refused: dict[str, Any] = {"-o": output, "-p": param or None, "--deployed": deployed or None}
        refused |= {"--patch": patch or None, "--each": each or None, "--strict": strict or None}
        _refuse("--gallery" if gallery else "--black-box", refused)
    if gallery:
        _refuse("--gallery", {"--claim": promised, "--inputs": inputs, "--n (it takes --large)": listed_n})
    if black_box is None:
        _refuse("FILE", {"--samples": samples, "--find": find, "--seed": seed})
    if black_box is not None:
        what = from_python(black_box) if isinstance(black_box, str) and is_python(black_box) else black_box
        listed, library = inputs_of(inputs, what), library_of(rng, legacy)
        if library and isinstance(what, str):
            raise BadInput("--rng, --legacy: for a Python function: expected them left out with a command")
        sized: dict[str, Any] = {"samples": samples, "find": find, **given.texts(confidence=confidence, power=power)}
        sized["rng"] = library
        tree = _black_box(what, listed, listed_n, claimed(promised), given.text(seed), given.written(seconds), **sized)
        named = black_box if isinstance(black_box, str) else _called(black_box)
        about: Tree = {"system": named, "parameters": {}, "n": listed_n}
        return _paged(boxed.BlackBox(about | tree), named, page)
    wanted = Wanted(
        ns=numbers("1:3" if listed_n is None else listed_n),
        eps=eps_grid(str(given.text(eps))),
        delta=probability(delta, "delta"),
        large=natural(large, "--large", most=MOST_USERS),
        promise=promise_of(promised),
        effort=given.effort(max_work, tolerance).silent,
        output=place,
    )
    if gallery:
        rows = import_module("shufflecert.verify.commands.gallery")
        about = {"system": file or "*", "parameters": {}}
        listed_rows = rows.audited(file, wanted.delta, wanted.large)
        return _paged(boxed.Gallery(about | listed_rows), "the gallery", page)
    assert file is not None
    table = _table(file, param)
    name = file if isinstance(file, str) else _called(file)
    if table is None:
        limits: dict[str, Any] = {"max_paths": natural(max_paths, "--max-paths", most=10**9)}
        limits["library"] = library_of(rng, legacy)
        limits["seconds"] = natural(seconds, "--seconds", most=10**6)
        limits["residual"] = residual_of(given.written(residual))
        limits["each"] = each or None
        own = None if inputs is None else inputs_of(inputs)
        ways = {"patch": tuple(patch or ()), "strict": strict}
        tree, found = _function(file, named_values(param), own, deployed, wanted, limits, ways)
        tree["sampler"]["patched"] = list(patch or ())
    elif inputs is not None or deployed or legacy or rng or patch or each or strict:
        raise BadInput(
            "--inputs, --deployed, --legacy, --rng, --patch, --each, --strict: for a function in my.py:name, or a box"
        )
    else:
        tree, found = _of_table(name, table, wanted)
    made = file if not isinstance(file, str) else None if is_file(file) else load(file, param)
    return _paged(answers.Audit(given.about(name, made, wanted.ns, param) | tree, found), name, page)


def _paged(answer: Paged, name: str, page: Path | None) -> Paged:
    """The answer, and where one is asked for a page about it, with its certificate and what the kernel says of that."""
    if page is not None:
        writing.write_whole(page, answer.html(f"Audit of {name}", "audit.json", kernel.check))
    return answer


def assert_private(
    f: Asked | Sampler,
    eps: EpsValue,
    delta: Exact = 0,
    n: Exact | None = None,
    *,
    inputs: str | Sequence[int | str] | None = None,
    view: str | None = None,
    **asked: Any,
) -> answers.Audit:
    """For a test: raises AssertionError, with the audit in words, unless (eps, delta) is proved of a function.

    Of n users' shuffled messages; without `n` of one user's message, as it is sent (`view`: another one). `f` is a
    function f(x, rng), a randomizer, a system or a name; `asked` are options of `audit`. A function that could not be
    followed is run on every path instead: then the claim holds if it keeps no state and draws from rng alone, and
    `strict=True` refuses it. Returns the audit. Raises BadInput.

        >>> def report(x, rng): return x if rng.randrange(4) else 1 - x
        >>> assert_private(report, eps="log(3)", inputs=[0, 1]).local.eps
        log(3)
        >>> assert_private(report, eps=1, inputs=[0, 1])
        Traceback (most recent call last):
        ...
        AssertionError: report: claim is broken...
    """
    claim: dict[str, Any] = {"eps": eps, "delta": given.written(delta)}
    claim |= {} if n is None else {"n": given.written(n)}
    claim |= {} if view is None else {"view": view}
    found = audit(f, claim=claim, inputs=inputs, **{"n": 1, "large": 1, "eps": "0", **asked})
    assert isinstance(found, answers.Audit)
    if found.exit_status:
        raise AssertionError(str(found))
    return found


def _called(thing: Any) -> str:
    """What an object is called in an answer: a system by its name, a function by its own, a table "randomizer"."""
    if isinstance(thing, Randomizer) or hasattr(thing, "randomizer"):
        return catalogue.name_of(thing)
    return str(import_module("shufflecert.verify.audit.callables").name_of(thing))


def _table(file: Any, param: list[str]) -> tuple[Randomizer, Any] | None:
    """The table that a name or an object stands for, and what its file claims; None for a function."""
    if isinstance(file, str):
        return None if definition(file) is not None else table_of(file, param)
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
        patience = import_module("shufflecert.verify.audit.patience")
        auditing = import_module("shufflecert.verify.audit.audit")
        expected = auditing.foreseen(randomizer, [*self.ns, self.large], len(self.eps), self.effort.work)
        if expected.seconds > patience.PATIENCE:
            patience.say(f"{expected}; --n and --eps leave some of it out")
        parts = patience.Parts(expected.parts, "--n, --eps and --large leave some of it out, --max-work refuses it")

        def tracked(ns: Any, total: int) -> Iterator[int]:
            for n in progress.track(ns, total):
                parts.begin(f"n = {n}")
                yield n
            parts.begin("the claim and the attack")

        with parts.watched():
            return auditing.audit(
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
    check_takes_rng(name, definition(name) if isinstance(asked, str) else asked)
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
