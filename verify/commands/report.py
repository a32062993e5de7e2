"""Report: one HTML file about a certificate, or about another command's JSON answer."""

import json as trees
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from verify.commands.decide import CHECKED
from verify.commands.options import OK, Force, Json
from verify.errors import BadInput
from verify.report import words
from verify.runs import atomic_files


def report(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A certificate, or a --json answer saved to a file.", show_default=False),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write the report here; FILE.html unless given.", show_default=False),
    ] = None,
    force: Force = False,
    max_work: Annotated[int | None, typer.Option(min=1, help="Work at which the kernel gives up.")] = None,
    json: Json = False,
) -> int:
    """Write one HTML file about a certificate, with what the kernel finds now, or about another command's answer.

    The file needs no network and no script, and carries the certificate; where scripts run, a button re-checks it. The
    exit status is that of `check`; of an answer, which nobody checks, 0.
    """
    from verify.report.html import answer as of_answer  # what the other commands need not wait for
    from verify.report.html import certificate as of_certificate
    from verify.report.html.page import html

    kernel = import_module("verify.kernel")
    data = atomic_files.read_whole(file, kernel.MAX_BYTES)
    path = file.with_suffix(".html") if output is None else output
    if atomic_files.exists(path) and path.samefile(file):
        raise BadInput(f"{path}: is the file to report on: expected another one for the report")
    atomic_files.check_new(path, force)
    tree = _tree(file, data)
    version, when = words.version(), words.now().strftime("%-d %B %Y, %H:%M UTC")
    if _is_certificate(tree):
        # the bytes that are checked are the bytes that the report carries, whatever happens to the file
        limit = {} if max_work is None else {"max_work": max_work}
        status, reason = kernel.check(data, **limit)
        digest = sha256(Path(str(kernel.__file__)).read_bytes()).hexdigest()
        checked = of_certificate.Checked(status, reason, digest, version, when, max_work)
        made = of_certificate.page(file.name, data, checked)
        answer = {"file": str(file), "kind": "certificate", "status": status, "reason": reason, "report": str(path)}
    else:
        kind, made = of_answer.page(file.name, data, tree, f"shufflecert {version}, {when}")
        answer = {"file": str(file), "kind": kind, "status": None, "reason": None, "report": str(path)}
    atomic_files.write_whole(path, html(made))
    answer["files"] = {str(file): sha256(data).hexdigest()}
    words.show(answer, _words, json)
    return CHECKED[answer["status"]] if answer["status"] else OK


def _words(answer: dict[str, Any]) -> str:
    found = f"{answer['status']}: {answer['reason']}" if answer["status"] else "an answer; nothing was checked"
    return f"{answer['report']}: report on {answer['file']} ({answer['kind']})\n  {found}"


def _tree(file: Path, data: bytes) -> Any:
    """What the file holds, for the eye only: a certificate is read again by the kernel, in its own way."""
    try:
        return trees.loads(data.decode("utf-8"), parse_int=str, parse_float=str)
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: byte {error.start}: not UTF-8 text: expected a certificate or a JSON answer") from None
    except trees.JSONDecodeError as error:
        raise BadInput(f"{file}: not JSON: {error}: expected a certificate or a JSON answer") from None
    except RecursionError:
        raise BadInput(f"{file}: nested too deeply: expected a certificate or a JSON answer") from None


def _is_certificate(tree: Any) -> bool:
    """Also where it is damaged: then the kernel says so."""
    return isinstance(tree, dict) and ("format" in tree or ("claim" in tree and "evidence" in tree))
