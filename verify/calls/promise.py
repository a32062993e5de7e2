"""Promises and their certificates, from Python: certify, check, claims, calibrate, compare, table, export, import_."""

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from shufflecert.verify.answers import calibrated, compared, decided, listed
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.calls import given
from shufflecert.verify.calls.given import Asked, EpsValue, Exact, File, Reference
from shufflecert.verify.commands import calibrate as calibration
from shufflecert.verify.commands import compare as comparison
from shufflecert.verify.commands import decide, exchange, options
from shufflecert.verify.commands import table as tables
from shufflecert.verify.compose import interchange
from shufflecert.verify.compose.privacy_loss_distribution import DOTS, INTERVAL, SPARE
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS
from shufflecert.verify.runs import atomic_files


def certify(
    system: Asked,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    view: str = "shuffled",
    *,
    output: File | None = None,
    report: File | None = None,
    force: bool = False,
    paper: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    max_bits: int = MAX_BITS,
    **parameters: Exact,
) -> decided.Certificate:
    """Decide whether delta(eps) <= delta for all neighbouring datasets of n users, both directions: with a certificate.

    Where eps or delta is left out, the least one that is proved is certified, rounded up to three digits. `verdict` is
    PROVED, REFUTED or UNDECIDED, this also where the kernel does not accept the certificate; which is
    `certificate_text()`, and goes to the file `output`. `report` gets a page about it, in HTML. Other arguments as of
    `delta`. Raises BadInput where both are left out, or no finite eps satisfies delta.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> certify(rr, n=2, eps="log(3/2)", delta="9/32").verdict
        'PROVED'
        >>> certify("krr", n=2, eps="log(3/2)", delta="1/4", k=2, gamma="1/2").verdict
        'REFUTED'
    """
    place, page = given.path(output), given.path(report)
    for file in (place, page):
        if file is not None:
            atomic_files.check_new(file, force)
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who, paper, eps, delta)
    note = "" if of.head is None else decide.noted(str(system), of.made, of.question.n, who)
    effort = given.effort(max_work, tolerance)
    told: dict[str, Any] = {"head": of.head, "note": note, "max_bits": max_bits, "handed_on": True}
    found = decide.certified(of.question, eps, delta, effort, place, **told)
    if page is not None:
        decide.report_on(found, place, page, force)
    return found


def check(
    *files: File | bytes | decided.Certificate,
    max_bits: int | None = None,
    max_work: int | None = None,
    verified: bool = False,
    by: str | None = None,
) -> decided.Checked:
    """Re-check certificates: files, the bytes of one, or what `certify` answered.

    `status` is accepted, rejected, undecided or malformed, the gravest of all; `by`: verified (the checker made from
    its proof), kernel (verify/kernel.py) or both, which is the default; the kernel alone with its limits `max_bits` and
    `max_work`. `verified`: the binary that `make coq` builds. Raises BadInput.

        >>> promise = certify("krr", n=2, eps="log(3/2)", delta="9/32", k=2, gamma="1/2")
        >>> check(promise).status, check(b"{}").status
        ('accepted', 'malformed')
    """
    if not files:
        raise BadInput("check: no certificate: expected a file, the bytes of one, or the answer of certify")
    with tempfile.TemporaryDirectory() as folder:
        paths, names = list[Path](), list[str]()
        for number, file in enumerate(files, 1):
            place, name = Path(folder) / f"{number}.json", f"certificate {number}"
            if isinstance(file, str | Path):
                place = Path(file)
                name = str(file)
            else:
                place.write_bytes(file if isinstance(file, bytes) else _text(file).encode())
            paths.append(place)
            names.append(name)
        rows = decide.checked(paths, max_bits, max_work, verified, by)
    return decided.Checked([{**row, "certificate": name} for row, name in zip(rows, names, strict=True)])


def _text(answer: decided.Certificate) -> str:
    if not isinstance(answer, decided.Certificate):
        raise BadInput(f"check: got {type(answer).__name__}: expected a file, bytes, or the answer of certify")
    if answer.found.certificate is None:
        raise BadInput(f"check: {answer.verdict}, without a certificate: {answer.reason}")
    return str(answer.found.certificate_text())


def claims(names: str | Iterable[str] | None = None) -> listed.Claims:
    """Settle papers' statements: what was checked, over what range, the verdict and the evidence.

    `names` are those of statements, or globs such as "BC-*"; all unless given. Raises BadInput for an unknown one.

        >>> claims("BC-claim-19")[0]["verdict"]
        'proved'
    """
    chosen = [names] if isinstance(names, str) else list(names or ["*"])
    return listed.Claims(decide.settled(chosen))


def calibrate(
    system: Asked,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    *,
    over: str | Sequence[str] | None = None,
    objective: str | None = None,
    alpha: Exact | None = None,
    rmse_slack: Exact | None = None,
    max_rmse: Exact | None = None,
    max_messages: Exact | None = None,
    step: Exact | None = None,
    range: str | None = None,
    output: File | None = None,
    force: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    tolerance: Exact | None = None,
    **parameters: Exact,
) -> calibrated.Calibration:
    """The least noise of a system that satisfies (eps, delta) for n users, next to a value that is shown to fail.

    `over` names what to choose (all noise that is not among the `parameters`); an object has all its parameters, those
    in `over` are chosen anew, and of a table only "n". `range` is "LOW:HIGH"; `output` gets the certificate, and the
    failing one beside it. Raises BadInput where no value satisfies (eps, delta).

        >>> calibrate("krr", n=1, eps="log(3)", delta=0, k=2).parameters["gamma"]
        '1/2'
        >>> calibrate(system("krr", k=2, gamma="1/3"), eps="1/2", delta="1e-3", over="n").parameters["gamma"]
        '1/3'
    """
    who = given.presence(adjacency, reference, honest, take_part)
    effort = given.effort(max_work, tolerance)
    of, told = given.tuned(system, parameters, given.text(over))
    aim = given.texts(objective=objective, alpha=alpha, slack=rmse_slack, most_rmse=max_rmse, within=range)
    aim |= given.texts(most_messages=max_messages, step=step, over=over)
    promised = given.needed(eps, "eps", "1"), given.needed(delta, "delta", '"1e-6"')
    return calibration.calibrated(of, told, given.text(n), *promised, who, effort, given.path(output), force, **aim)


def compare(
    task: str,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    buckets: Exact | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    rmse_slack: Exact = "1.2",
    sort: str = "rmse",
    csv: File | None = None,
    plot: File | None = None,
    output: File | None = None,
    force: bool = False,
    workers: Exact | None = None,
    seconds: Exact = 900,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
) -> compared.Comparison:
    """All systems that serve a task, "sum", "histogram" or "mean", at the least noise that satisfies (eps, delta).

    `systems` are some of them. With `workers`, so many at a time, each has a process of its own, and is given up after
    so many `seconds`; else all are found one after the other in this process. `output` is a file for certificates, a
    claim for each system. Raises BadInput.

        >>> found = compare("sum", n=10, eps="log(2)", delta="1e-6", systems=["discrete_laplace"])
        >>> found.rows()[0]["rmse_upper"]
        2.0
    """
    who = given.presence(adjacency, reference, honest, take_part)
    asked = given.texts(buckets=buckets, systems=systems, rmse_slack=rmse_slack, seconds=seconds)
    asked |= given.paths(csv=csv, plot=plot, output=output) | {"sort": sort, "force": force}
    promised = given.needed(eps, "eps", "1"), given.needed(delta, "delta", '"1e-6"')
    return comparison.compared(task, given.users(n, "shuffled"), *promised, who, given.text(workers), **asked)


def table(
    file: File,
    systems: str | Sequence[str] | None = None,
    n: Exact | Sequence[Exact] | None = None,
    eps: EpsValue | Sequence[EpsValue] | None = None,
    delta: Exact | Sequence[Exact] | None = None,
    *,
    journal: File | None = None,
    workers: int | None = None,
    dask: str | None = None,
    patience: int | None = None,
    check: bool = False,
    certificates: File | None = None,
    max_work: Exact | None = None,
    force: bool = False,
) -> listed.Table | listed.TableChecked:
    """Certified parameters for systems x n x eps x delta, as CSV; goes on where it was stopped. Raises BadInput.

    `check`: the certificates of a table's rows are made again, and re-checked; `certificates` is a folder for them.

        >>> table("mine.csv", "poisson", n=100, eps=1, delta="1e-6", workers=1).tree["rows"]
        1
    """
    chosen = given.texts(systems=systems, users=n, eps=eps, deltas=delta)
    if check:
        return tables.checked(Path(file), chosen, given.path(certificates), given.text(max_work), force)
    if certificates is not None:
        raise BadInput("certificates: expected with check=True: a table is made without them")
    where = {"workers": workers, "dask": dask, **options.patient(patience, dask)}
    return tables.made(Path(file), chosen, given.path(journal), where, force)


def export(
    system: Asked,
    to: str,
    output: File,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact | None = None,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    spare: Exact = SPARE,
    optimistic: bool = False,
    force: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> listed.Exported:
    """Write bounds on the privacy profile for "dp-accounting", "opendp" or as "csv". Raises BadInput.

    `to_dp_accounting` and `to_opendp` hand over the object itself.

        >>> export("krr", "csv", "curve.csv", n=3, interval="1/2", k=2, gamma="1/2").tree["size"]
        4
    """
    who = given.presence(adjacency, reference, honest, take_part)
    asked: dict[str, Any] = {"n": n, "view": view, "interval": interval, "eps_max": eps_max, "dots": dots}
    asked |= {"spare": spare, "optimistic": optimistic, "force": force, "max_work": given.text(max_work)}
    asked |= {"param": given.parameters(parameters)}
    named: Any = str(system) if isinstance(system, str | Path) else given.system_of(system, parameters)
    return exchange.exported(named, to, Path(output), who, **asked)


def import_(
    file: File, output: File, *, missing: str = "refuse", binary: bool = False, force: bool = False
) -> listed.Imported:
    """Two laws, or points of a privacy profile, to a randomizer file with the inputs P and Q. Raises BadInput.

    >>> made = import_("pair.csv", "pair.toml")
    Traceback (most recent call last):
    ...
    shufflecert.verify.errors.BadInput: pair.csv: no such file
    """
    return exchange.imported(Path(file), Path(output), missing, binary, force)


def to_dp_accounting(
    system: Asked,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact = INTERVAL,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    spare: Exact = SPARE,
    optimistic: bool = False,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Any:
    """A dp_accounting PrivacyLossDistribution whose deltas, composed as well, are upper bounds; or lower ones.

    Over all neighbouring datasets of n users and both directions; `optimistic`: of one pair and its reverse. Its own
    arithmetic is in doubles, which a `spare` mass at infinity covers (`verify.compose.interchange` says how far).
    Raises BadInput where dp-accounting is missing, and as `export` does.

        >>> loss = to_dp_accounting("krr", n=3, interval="1/100", k=2, gamma="1/2")
        >>> bool(loss.get_delta_for_epsilon(0.5) >= delta("krr", n=3, eps="1/2", k=2, gamma="1/2").lower_float())
        True
    """
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who)
    bound = bound_of(of.question, given.effort(max_work, None))
    wanted: dict[str, Any] = {"pessimistic": not optimistic, "eps_max": eps_max, "dots": dots, "spare": spare}
    return interchange.to_dp_accounting(bound, interval, **wanted)


def to_opendp(
    system: Asked,
    n: Exact | None = None,
    view: str = "shuffled",
    *,
    interval: Exact = INTERVAL,
    eps_max: Exact | None = None,
    dots: int = DOTS,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
    max_work: Exact | None = None,
    **parameters: Exact,
) -> Any:
    """An OpenDP PrivacyProfile of upper bounds on delta. Raises BadInput where opendp is missing, and as `export`.

    >>> import opendp.prelude as dp
    >>> dp.enable_features("contrib", "honest-but-curious")
    >>> curve = to_opendp("krr", n=3, interval="1/100", k=2, gamma="1/2")
    >>> curve.delta(epsilon=0.5) >= delta("krr", n=3, eps="1/2", k=2, gamma="1/2").lower_float()
    True
    """
    who = given.presence(adjacency, reference, honest, take_part)
    of = given.question(system, parameters, n, view, who)
    bound = bound_of(of.question, given.effort(max_work, None))
    return interchange.to_opendp(bound, interval, eps_max=eps_max, dots=dots)
