"""What code keeps, and what is false, from Python: audit, search, and a test for a suite of one's own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shufflecert.verify.answers import audited, boxed
from shufflecert.verify.answers.searched import Conjectures, Search, Status
from shufflecert.verify.calls import given
from shufflecert.verify.calls.given import Asked, EpsValue, Exact, File, Sampler
from shufflecert.verify.commands import audit as audits
from shufflecert.verify.commands import options
from shufflecert.verify.commands.search import conjectures, searched
from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs import atomic_files


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
) -> audited.Audit | boxed.BlackBox | boxed.Gallery:
    """Everything that can be said of a randomizer: what it keeps in every view, whom it betrays, what it costs.

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
    for place in (output, report):
        if place is not None:
            atomic_files.check_new(Path(place), force)
    promise = ",".join(f"{k}={v}" for k, v in claim.items()) if isinstance(claim, Mapping) else claim
    asked = given.texts(large=large, delta=delta, residual=residual, max_paths=max_paths, samples=samples, find=find)
    asked |= given.texts(confidence=confidence, power=power, seed=seed, seconds=seconds, n=n, eps=eps)
    asked |= given.texts(max_work=max_work, tolerance=tolerance)
    asked |= {"claim": promise, "inputs": inputs, "deployed": deployed, "legacy": legacy, "each": each}
    asked |= {"strict": strict, "patch": list(patch or ()) or None, "rng": rng, "black_box": black_box}
    asked |= {"gallery": gallery, "output": given.path(output), "param": given.parameters(parameters) or None}
    if parameters and not isinstance(file, str | Path):
        raise BadInput(f"{', '.join(parameters)}: expected with a name; an object has its parameters")
    found, name = audits.audited(str(file) if isinstance(file, Path) else file, **asked)
    if report is not None:
        audits.write_page(found, name, Path(report))
    return found  # type: ignore[return-value]  # one of the three


def assert_private(
    f: Asked | Sampler,
    eps: EpsValue,
    delta: Exact = 0,
    n: Exact | None = None,
    *,
    inputs: str | Sequence[int | str] | None = None,
    view: str | None = None,
    **asked: Any,
) -> audited.Audit:
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
    assert isinstance(found, audited.Audit)
    if audits.VERDICTS[found.tree["claim"]["verdict"]] != options.OK:
        raise AssertionError(str(found))
    return found


def search(
    name: str | None = None,
    journal_file: File | None = None,
    *,
    claim: str | None = None,
    n: Exact | None = None,
    inputs: Exact | None = None,
    sends: Exact | None = None,
    supports: bool = False,
    adjacency: str | None = None,
    reference: Exact | None = None,
    messages: Exact | None = None,
    max_messages: Exact | None = None,
    denominator: Exact | None = None,
    journal: File | None = None,
    workers: int | None = None,
    dask: str | None = None,
    patience: int | None = None,
    plot: File | None = None,
    output: File | None = None,
    force: bool = False,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Search | Status | Conjectures:
    """Hunt a counterexample to a conjecture of the library, to my.py:NAME, or to a claim of your own.

    The smallest hit with its certificates, or the record that the space holds none; with `journal` a search that was
    stopped goes on. A claim is text, evaluated exactly for every randomizer of a space (`verify.search.claim` has its
    grammar), and its space is given by n, inputs, messages, denominator, sends, adjacency, supports; or by the name of
    a system with its `parameters`, k=3, gamma="1/8:7/8:1/8". `name` may be "list", or "status" and "resume" with a
    journal. Raises BadInput, and TooMuchWork for a space of more than `max_work` ranks.

        >>> search("preshuffle-gap", max_messages=2, denominator=2, workers=1).verdict
        'exhausted'
        >>> found = search(claim="delta(n, 0) < delta(n - 1, 0)", denominator=3, workers=1)
        >>> found.verdict, found.cases
        ('refuted', 8)
    """
    if name == "list":
        return Conjectures(conjectures())
    asked = given.texts(n=n, inputs=inputs, messages=messages, max_messages=max_messages, denominator=denominator)
    of_claim = given.texts(sends=sends, adjacency=adjacency, reference=reference)
    of_claim["supports"] = "yes" if supports else None
    where = {"workers": workers, "dask": dask, **options.patient(patience, dask)}
    files = given.paths(journal=journal, plot=plot, output=output) | {"force": force}
    told = dict(one.split("=", 1) for one in given.parameters(parameters))
    place = given.path(journal_file)
    return searched(name, place, claim, told, asked, of_claim, where, given.text(max_work), **files)
