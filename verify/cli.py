"""The command `shufflecert`.

Exit status: 0 proved, accepted or answered; 1 refuted or rejected; 2 bad input; 3 undecided.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from verify import answers
from verify.certify import Certified
from verify.certify import certify as decide
from verify.errors import BadInput, Undecided
from verify.load import Target, load
from verify.noise import MAX_TRIALS
from verify.number import MAX_BITS, Eps, natural, probability, rational
from verify.worst import delta as worst_delta
from verify.worst import epsilon as worst_epsilon

OK, REFUTED, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
STATUS = {"PROVED": OK, "REFUTED": REFUTED, "UNDECIDED": UNDECIDED}
CHECKED = {"malformed": BAD_INPUT, "rejected": REFUTED, "undecided": UNDECIDED, "accepted": OK}  # the gravest first

app = typer.Typer(
    name="shufflecert",
    help="Decides, with proof, whether a shuffle-model protocol keeps its differential privacy promise.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

System = Annotated[
    str,
    typer.Argument(
        help="A system (see `systems`), a .toml or .json randomizer file, or my.py:Mine.", show_default=False
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="A parameter of the system, exact: p=3/4."),
]
Users = Annotated[str | None, typer.Option("--n", metavar="N", help="Number of users.")]
EpsOption = Annotated[
    str, typer.Option("--eps", metavar="E", help="eps in nats: 1/2, 0.5 or log(3/2).", show_default=False)
]
DeltaOption = Annotated[
    str, typer.Option("--delta", metavar="D", help="delta, exact: 1e-6 is 1/1000000.", show_default=False)
]
ViewOption = Annotated[str, typer.Option("--view", metavar="shuffled|local|preshuffle", help="What is seen.")]
MaxWork = Annotated[
    str | None,
    typer.Option("--max-work", metavar="UNITS", help="Enumerate datasets up to this estimate (see the README)."),
]
Paper = Annotated[
    bool, typer.Option("--paper", help="The parameters that the system's paper prescribes for (n, eps, delta).")
]
Others = Annotated[
    str | None,
    typer.Option("--others", metavar="X=COUNT,...", help="Only datasets whose other users hold these inputs."),
]
PaperEps = Annotated[str | None, typer.Option("--eps", metavar="E", help="With --paper: the eps to prescribe for.")]
PaperDelta = Annotated[
    str | None, typer.Option("--delta", metavar="D", help="With --paper: the delta to prescribe for.")
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON on standard output.")]


def _version(asked: bool) -> None:
    if asked:
        print(f"shufflecert {import_module('importlib.metadata').version('shufflecert')}")
        raise typer.Exit(OK)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit.")
    ] = False,
) -> None:
    """Decides, with proof, whether a shuffle-model protocol keeps its differential privacy promise."""


@app.command()
def systems(json: Json = False) -> int:
    """List the systems: parameters, views, source."""
    rows = import_module("protocols.catalogue").describe()
    answers.show(rows, answers.systems_table, json)
    return OK


@app.command()
def delta(
    system: System,
    eps: EpsOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    others: Others = None,
    paper: Paper = False,
    delta: PaperDelta = None,
    max_work: MaxWork = None,
    json: Json = False,
) -> int:
    """delta(eps), the largest over all neighbouring datasets and both directions: exact, or enclosed."""
    users = _users(n, view)
    made = load(system, param or (), _target(paper, users, eps, delta))
    found = worst_delta(made, users, eps, view, others=_others(others), max_work=_work(max_work), progress=_track)
    answers.show(answers.delta_json(found, system), answers.delta_text, json, _values(made) if paper else None)
    return OK


@app.command()
def epsilon(
    system: System,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    others: Others = None,
    paper: Paper = False,
    eps: PaperEps = None,
    max_work: MaxWork = None,
    json: Json = False,
) -> int:
    """The smallest eps for this delta, over all neighbouring datasets and both directions: exact, or enclosed."""
    bound, users = probability(delta, "delta"), _users(n, view)
    made = load(system, param or (), _target(paper, users, eps, delta))
    found = worst_epsilon(made, users, bound, view, others=_others(others), max_work=_work(max_work), progress=_track)
    answers.show(
        answers.epsilon_json(found, system, bound), answers.epsilon_text, json, _values(made) if paper else None
    )
    return OK


@app.command()
def accuracy(
    system: System,
    param: Parameters = None,
    n: Users = None,
    alpha: Annotated[
        str | None, typer.Option("--alpha", metavar="A", help="Also Pr[|error| > A], in the estimate's unit.")
    ] = None,
    paper: Paper = False,
    eps: PaperEps = None,
    delta: PaperDelta = None,
    json: Json = False,
) -> int:
    """The analyzer's error, exactly, and what a user sends: RMSE, failure probability, expected messages."""
    users = _users(n, "shuffled")
    made = load(system, param or (), _target(paper, users, eps, delta))
    radius = None if alpha is None else rational(alpha, "alpha")
    if radius is not None and radius < 0:
        raise BadInput(f"alpha: {alpha}: expected a rational of at least 0")
    if not hasattr(made, "accuracy"):
        raise BadInput(f"{system}: has no analyzer whose error is known: see `shufflecert systems`")
    found = made.accuracy(users, radius)
    answer = answers.accuracy_json(found, system, users, radius)
    answers.show(answer, answers.accuracy_text, json, _values(made) if paper else None)
    return OK


@app.command()
def certify(
    system: System,
    eps: EpsOption,
    delta: DeltaOption,
    param: Parameters = None,
    n: Users = None,
    view: ViewOption = "shuffled",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the certificate here.")] = None,
    paper: Paper = False,
    max_work: MaxWork = None,
    max_bits: Annotated[int, typer.Option(min=1, help="Precision at which a comparison is undecided.")] = MAX_BITS,
    json: Json = False,
) -> int:
    """Decide whether the system keeps (eps, delta), and write a certificate that `check` re-checks."""
    if output is not None:
        answers.check_writable(output)
    users = _users(n, view)
    made = load(system, param or (), _target(paper, users, eps, delta))
    values = _values(made)
    note = " ".join([system, *(f"-p {name}={value}" for name, value in values.items()), f"--n {users}"])
    result = decide(
        made,
        users,
        eps,
        delta,
        view,
        note=note,
        max_work=_work(max_work),
        max_bits=max_bits,
        progress=_track,
    )
    written = _write(result, output)
    answers.show(answers.certify_json(result, system, written), answers.certify_text, json, values if paper else None)
    return STATUS[result.verdict]


@app.command()
def check(
    certificates: Annotated[
        list[Path], typer.Argument(metavar="CERT...", help="Certificate files.", show_default=False)
    ],
    max_bits: Annotated[int | None, typer.Option(min=1, help="Precision at which the kernel gives up.")] = None,
    max_work: Annotated[int | None, typer.Option(min=1, help="Work at which the kernel gives up.")] = None,
    json: Json = False,
) -> int:
    """Re-check certificates with the kernel (the same as `python3 -I -S verify/kernel.py CERT...`)."""
    kernel = import_module("verify.kernel")
    limits = {k: v for k, v in (("max_bits", max_bits), ("max_work", max_work)) if v is not None}
    verdicts = [(str(path), kernel.check_file(path, **limits)) for path in certificates]
    rows = [{"certificate": path, "status": verdict.status, "reason": verdict.reason} for path, verdict in verdicts]
    answers.show(rows, answers.check_text, json)
    statuses = {verdict.status for _, verdict in verdicts}
    return next(code for status, code in CHECKED.items() if status in statuses)


@app.command()
def claims(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Statements by name; globs such as 'BC-*'.")
    ] = None,
    json: Json = False,
) -> int:
    """Settle papers' statements: what was checked, over what range, the verdict and the evidence."""
    proofs = import_module("proofs.statement")
    chosen = proofs.select(names or ["*"])
    settled = [proofs.to_json(proofs.settle(statement)) for statement in _track(chosen, len(chosen))]
    answers.show(settled, answers.claims_text, json)
    return OK


def _users(n: str | None, view: str) -> int:
    if n is None and view == "shuffled":
        raise BadInput("--n: missing: expected the number of users")
    return natural("1" if n is None else n, "n", most=MAX_TRIALS)


def _target(paper: bool, n: int, eps: str | None, delta: str | None) -> Target | None:
    if not paper:
        return None
    for name, value in (("eps", eps), ("delta", delta)):
        if value is None:
            raise BadInput(f"--paper: no --{name}: expected the {name} that the parameters are to promise")
    return Target(n, Eps.of(eps), probability(delta, "delta"))


def _values(system: object) -> dict[str, str]:
    """A system's parameters as text; {} for a randomizer file's."""
    return import_module("protocols.catalogue").values(system)  # type: ignore[no-any-return]


def _others(text: str | None) -> dict[str, int] | None:
    """{input: count} of "a=9000,b=999"."""
    if text is None:
        return None
    counts: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, equals, count = item.rpartition("=")
        if not equals or name in counts:
            raise BadInput(f"--others {item}: expected INPUT=COUNT, every input once")
        counts[name] = natural(count, f"--others {name}", least=0, most=MAX_TRIALS)
    return counts


def _work(text: str | None) -> int | None:
    return None if text is None else natural(text, "--max-work", most=10**30)


def _track(items: Iterable[Any], total: int) -> Iterable[Any]:
    """A progress bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty() or total < 2:
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, total=total, description="", console=Console(stderr=True), transient=True)


def _write(result: Certified, output: Path | None) -> str | None:
    if output is None or result.certificate is None:
        return None
    answers.write_whole(output, result.certificate_text())
    return str(output)


def main(arguments: list[str] | None = None) -> None:
    """The entry point: bad input gets one line on stderr and a status, never a traceback."""
    try:
        status = app(args=arguments, standalone_mode=False)
    except BadInput as error:
        status = _complain(str(error), BAD_INPUT)
    except Undecided as error:
        status = _complain(f"undecided: {error}", UNDECIDED)
    except (KeyboardInterrupt, EOFError):
        status = _complain("interrupted", 130)
    except BrokenPipeError:
        sys.stderr.close()
        status = OK
    except Exception as error:  # a usage error of the argument parser, whichever package that lives in
        if not hasattr(error, "format_message"):
            raise
        status = _complain(error.format_message(), BAD_INPUT)
    sys.exit(int(status or 0))


def _complain(message: str, status: int) -> int:
    """One line on stderr, without what would move a terminal's cursor. The parser's own help comes with no message."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if line:
        print(f"shufflecert: {line}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
