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
from importlib import import_module
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated, NoReturn

import typer

from verify.commands import audit, calibrate, compare, compose, decide, exchange, profile, report, search, table
from verify.commands.options import BAD_INPUT, INTERRUPTED, NOT_DONE, OK, UNDECIDED
from verify.errors import BadInput, MachineRefused, Undecided
from verify.runs import streams

app = typer.Typer(
    name="shufflecert",
    help="Decides, with proof, whether a shuffle-model protocol keeps its differential privacy promise.",
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
    report.report,
    compare.compare,
    table.table,
    exchange.export,
    exchange.import_,
)
for command in COMMANDS:
    app.command(command.__name__.rstrip("_").replace("_", "-"))(command)  # `import` is no name for a function


def _version(asked: bool) -> None:
    if asked:
        print(f"shufflecert {import_module('importlib.metadata').version('shufflecert')}")
        raise typer.Exit(OK)


COMPLETE = "_SHUFFLECERT_COMPLETE"  # set by the shell that asks how a line could go on


def _completion(shell: str | None) -> None:
    if shell is not None:
        expected = ("bash", "fish", "powershell", "pwsh", "zsh")
        if shell not in expected:
            raise BadInput(f"--show-completion {shell}: expected {', '.join(expected)}")
        script = import_module("typer.completion").get_completion_script
        print(script(prog_name="shufflecert", complete_var=COMPLETE, shell=shell))
        raise typer.Exit(OK)


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit.")
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
) -> None:
    """Decides, with proof, whether a shuffle-model protocol keeps its differential privacy promise."""


def main(arguments: list[str] | None = None) -> None:
    """The entry point: whatever goes wrong gets one line on stderr and a status that is not that of a verdict."""
    try:
        streams.guard()
        with _ended_in_order():
            status = _answered(arguments)
        sys.stdout.flush()
    except MachineRefused as error:
        status = _complain(str(error), NOT_DONE)
    sys.exit(status)


class Terminated(KeyboardInterrupt):
    """Somebody asked the process to end: as with Ctrl-C, other processes are ended and nothing is left half-written."""


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """SIGTERM, and SIGHUP of a terminal that is closed, are `Terminated`, unless somebody has set something else."""
    asked = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
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


def _answered(arguments: list[str] | None) -> int:
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except BadInput as error:
        return _complain(str(error), BAD_INPUT)
    except Undecided as error:
        return _complain(f"undecided: {error}", UNDECIDED)
    except (KeyboardInterrupt, EOFError) as stop:
        return _stopped(stop)
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
        return _complain("the code that was asked about ended the program: expected it to return", BAD_INPUT)
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of the argument parser, whichever package that lives in
            return _complain(error.format_message(), BAD_INPUT)
        traceback.print_exc()
        return _complain(f"a defect of this program, nothing was decided: {type(error).__name__}: {error}", NOT_DONE)


def _run(arguments: list[str]) -> int:
    """Without the parser's own main(), which makes the statuses of verdicts out of closed pipes."""
    command = typer.main.get_command(app)
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


def _stopped(stop: BaseException) -> int:
    """What was asked may have left a note: how to go on."""
    how, status = ("terminated", 128 + stop.args[0]) if isinstance(stop, Terminated) else ("interrupted", INTERRUPTED)
    return _complain(": ".join([how, *getattr(stop, "__notes__", ())]), status)


def _complain(message: str, status: int) -> int:
    """One line on stderr, without what would move a terminal's cursor. The parser's own help comes with no message."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(message.split()))
    if line:
        print(f"shufflecert: {line}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
