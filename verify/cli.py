"""The command `shufflecert`.

Exit status: 0 proved, accepted or answered; 1 refuted or rejected; 2 bad input; 3 undecided; 4 what the machine
refused, or a defect of this program: nothing was decided. 130 interrupted, 143 terminated.
"""

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import BAD_INPUT, INTERRUPTED, NOT_DONE, OK, UNDECIDED
from shufflecert.verify.commands import (
    audit,
    calibrate,
    certificates,
    compare,
    compose,
    decide,
    exchange,
    options,
    profile,
    search,
    table,
)
from shufflecert.verify.errors import BadInput, MachineRefused, Undecided
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue

KINDS = {BAD_INPUT: "bad input", UNDECIDED: "undecided", NOT_DONE: "not done"}
app = typer.Typer(
    name="shufflecert",
    help="Decides, with proof, whether a shuffle-model protocol satisfies (eps, delta)-differential privacy.",
    no_args_is_help=True,
    add_completion=False,  # its options end the program themselves: `--show-completion` below
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
COMMANDS = (
    decide.systems,
    decide.delta,
    decide.epsilon,
    decide.accuracy,
    profile.profile,
    compose.compose,
    decide.certify,
    calibrate.calibrate,
    audit.audit,
    search.search,
    decide.check,
    decide.claims,
    certificates.report,
    compare.compare,
    table.table,
    exchange.export,
    exchange.import_,
)
for function in COMMANDS:
    called = function.__name__.rstrip("_")  # `import` is no name for a function
    made = app.command(called, epilog=options.example(called), rich_help_panel=options.purpose(called))
    made(options.command(function, called))


def _version(asked: bool) -> None:
    if asked:
        print(f"shufflecert {import_module('importlib.metadata').version('shufflecert')}")
        raise typer.Exit(OK)


FOR_EXAMPLE = {"--eps": "1", "--delta": "1e-6"}  # of an option that must be given
COMPLETE = "_SHUFFLECERT_COMPLETE"  # set by the shell that asks how a line could go on


SHELLS = ("bash", "fish", "powershell", "pwsh", "zsh")


def _install(shell: str | None) -> None:
    if _known(shell, "--install-completion"):
        made = import_module("typer.completion").install
        _, path = made(shell=shell, prog_name="shufflecert", complete_var=COMPLETE)
        print(f"completion for {shell} installed in {path}; it is there in a new terminal")
        raise typer.Exit(OK)


def _completion(shell: str | None) -> None:
    if _known(shell, "--show-completion"):
        script = import_module("typer.completion").get_completion_script
        print(script(prog_name="shufflecert", complete_var=COMPLETE, shell=shell))
        raise typer.Exit(OK)


def _known(shell: str | None, option: str) -> bool:
    """Whether a shell was named. Raises BadInput for one that is not known."""
    if shell is not None and shell not in SHELLS:
        raise BadInput(f"{option} {shell}: expected {', '.join(SHELLS)}")
    return shell is not None


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show it and exit.")
    ] = False,
    completion: Annotated[
        str | None,
        typer.Option(
            "--show-completion",
            metavar="SHELL",
            callback=_completion,
            is_eager=True,
            help="Print what makes the shell complete commands, options and systems, such as for ~/.bashrc.",
        ),
    ] = None,
    install: Annotated[
        str | None,
        typer.Option(
            "--install-completion",
            metavar="SHELL",
            callback=_install,
            is_eager=True,
            help="Let this shell complete them, from the next terminal on.",
        ),
    ] = None,
) -> None:
    """Decides, with proof, whether a shuffle-model protocol satisfies (eps, delta)-differential privacy."""


def main(arguments: list[str] | None = None) -> None:
    """The entry point: whatever goes wrong gets one line on stderr and a status that is not that of a verdict.

    With --json the same is said in JSON on standard output.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        writing.guard()
        with _ended_in_order():
            status = _answered(given)
        sys.stdout.flush()
    except Complaint as problem:
        status = _complain(str(problem), problem.status, "--json" in given)
    except MachineRefused as error:
        status = _complain(str(error), NOT_DONE, "--json" in given)
    sys.exit(status)


class Complaint(Exception):
    """What is to be said of something that went wrong, and the exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end: as with Ctrl-C, other processes are ended and nothing is left half-written."""


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM, and SIGHUP of a terminal that is closed, are `Terminated`, unless somebody has set something else."""
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has one of them
    asked = [number for number in ends if signal.getsignal(number) == signal.SIG_DFL]
    if current_thread() is not main_thread():
        asked = []
    for number in asked:
        signal.signal(number, _terminated)
    try:
        yield
    finally:
        for number in asked:
            signal.signal(number, signal.SIG_DFL)


def _terminated(number: int, _: FrameType | None) -> NoReturn:
    raise Terminated(number)


def _answered(arguments: list[str]) -> int:
    try:
        return _run(arguments)
    except BadInput as error:
        raise Complaint(str(error), BAD_INPUT) from None
    except Undecided as error:
        raise Complaint(f"undecided: {error}", UNDECIDED) from None
    except (KeyboardInterrupt, EOFError) as stop:
        raise _stopped(stop, arguments) from None
    except MachineRefused:
        raise
    except MemoryError:
        raise MachineRefused("out of memory: expected a smaller question, or a smaller --max-work") from None
    except BrokenExecutor as error:
        raise MachineRefused(f"a process of its own ended before its work: {error}") from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise MachineRefused(f"{where}{error.strerror or type(error).__name__}") from None
    except SystemExit:
        raise Complaint("the code that was asked about ended the program: expected it to return", BAD_INPUT) from None
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the argument parser, whichever package that lives in
            said = error.format_message()
            raise Complaint(said + _where(said, arguments), BAD_INPUT) from None
        traceback.print_exc()
        raise Complaint(
            f"a defect of this program, nothing was decided: {type(error).__name__}: {error}", NOT_DONE
        ) from None


def _where(message: str, arguments: list[str]) -> str:
    """How what was meant is given, after the parser's own words; which commands take options on neighbours."""
    if message.startswith("Got unexpected extra argument") and "=" in message:
        return ": expected parameters as -p NAME=VALUE"
    if message.startswith("Missing option '--") and (name := message.split("'")[1]) in FOR_EXAMPLE:
        return f" For example {name} {FOR_EXAMPLE[name]}"
    if message.startswith("Missing ") and arguments and arguments[0] in options.EXAMPLES:
        return f" For example: {options.EXAMPLES[arguments[0]]}"
    if message.startswith("No such command '") and (name := message.split("'")[1]) in catalogue.names():
        return f" {name} is a system: a question is `shufflecert epsilon {name} ...`; `systems {name}` describes it"
    asked = message.removeprefix("No such option: ").partition(" ")[0]
    if asked == "--system":
        return ": the system is the first argument, as in: shufflecert epsilon krr ..."
    if asked not in ("--adjacency", "--reference", "--honest", "--take-part"):
        return ""
    commands = "delta, epsilon, certify, profile, compose, calibrate, compare and export"
    return f": {commands} take options on neighbours and participation"


@cache
def _parser() -> Any:
    """The commands with their options, made once: they are the same for every line."""
    command = typer.main.get_command(app)
    options.arrange(command)
    return command


def _run(arguments: list[str]) -> int:
    """Without the parser's own main(), which makes the statuses of verdicts out of closed pipes."""
    command = _parser()
    if COMPLETE in os.environ:
        import_module("typer.completion").completion_init()
        with suppress(SystemExit):
            command._main_shell_completion({}, "shufflecert")
        return OK
    try:
        with command.make_context("shufflecert", arguments) as context:
            return int(command.invoke(context) or OK)
    except typer.Exit as done:
        return done.exit_code


def _stopped(stop: BaseException, arguments: list[str]) -> Complaint:
    """What was asked may have left a note: how to go on."""
    how, status = ("terminated", 128 + stop.args[0]) if isinstance(stop, Terminated) else ("interrupted", INTERRUPTED)
    notes = getattr(stop, "__notes__", None) or filter(None, [options.going_on(arguments)])
    return Complaint(": ".join([how, *notes]), status)


def _complain(message: str, status: int, as_json: bool) -> int:
    """One line on stderr, without what would move a terminal's cursor. The parser's own help comes with no message."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if line:
        print(f"shufflecert: {line}", file=sys.stderr)
    if line and as_json:
        kind = KINDS.get(status, "interrupted")
        with suppress(BadInput, MachineRefused, OSError):  # nowhere to print, which may be what went wrong
            words.show({"error": {"kind": kind, "message": line, "status": status}}, lambda _: "", True)
    return status


if __name__ == "__main__":
    main()
