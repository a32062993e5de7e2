"""Report: one HTML file about a certificate, or about another command's JSON answer."""

import json as trees
from hashlib import sha256
from pathlib import Path
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.answers.decided import Certificate
from shufflecert.verify.answers.listed import Report
from shufflecert.verify.commands.certificates import kernel
from shufflecert.verify.commands.given import File
from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs import atomic_files

MOST_DIGITS = 4000  # of an integer that is read as one


def report(file: File | Answer, output: File | None = None, force: bool = False, max_work: int | None = None) -> Report:
    """Write one HTML file about a certificate, with what the kernel finds now, or about another command's answer.

    `file` may be an answer itself: of one that holds a certificate it is a report on that. The report is written to
    `output`; FILE.html unless given. Raises BadInput for what is neither, and for a report that exists.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> report(certify(rr, n=2, eps="log(3/2)", delta="9/32"), "rr.html").status
        'accepted'
        >>> check("rr.html").status
        'malformed'
    """
    from shufflecert.verify.answers import answer_page, certificate_page  # what the other commands need not wait for
    from shufflecert.verify.answers.page import html

    name, data, path = _read(file, output, kernel.MAX_BYTES)
    atomic_files.check_new(path, force)
    tree = _tree(name, data)
    found: dict[str, Any] = {"kind": "certificate", "status": None, "reason": None}
    with progress.busy(f"checking {name}"):
        if _is_certificate(tree):
            # the bytes that are checked are the bytes that the report carries, whatever happens to the file
            status, reason = kernel.check(data, **({} if max_work is None else {"max_work": max_work}))
            checker = sha256(Path(str(kernel.__file__)).read_bytes()).hexdigest()
            checked = certificate_page.Checked(status, reason, checker, words.version(), words.minute(), max_work)
            made = certificate_page.page(name.name, data, checked)
            found |= {"status": status, "reason": reason}
        else:
            answer = answer_page.answer_of(name.name, tree)
            made = answer_page.page(name.name, data, answer, name.parent, kernel.check)
            found["kind"] = answer.called
        atomic_files.write_whole(path, html(made))
    return Report({"file": str(name)} | found | {"report": str(path), "files": {str(name): sha256(data).hexdigest()}})


def _read(about: str | Path | Answer, output: str | Path | None, most: int) -> tuple[Path, bytes, Path]:
    """(the name of what is reported on, its bytes, where the report goes)"""
    if isinstance(about, Answer):
        if output is None:
            raise BadInput("report: an answer has no file's name: expected output='report.html'")
        if isinstance(about, Certificate) and about.found is not None and about.found.certificate is not None:
            return Path("certificate.json"), about.found.certificate_text().encode(), Path(output)
        return Path("answer.json"), about.text().encode(), Path(output)
    file = Path(about)
    data = atomic_files.read_whole(file, most)
    path = file.with_suffix(".html") if output is None else Path(output)
    if atomic_files.exists(path) and path.samefile(file):
        raise BadInput(f"{path}: is the file to report on: expected another one for the report")
    return file, data, path


def _tree(file: Path, data: bytes) -> Any:
    """What the file holds, for the eye only: a certificate is read again by the kernel, in its own way."""
    try:
        return trees.loads(data.decode("utf-8"), parse_int=lambda text: int(text) if len(text) < MOST_DIGITS else text)
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: byte {error.start}: not UTF-8 text: expected a certificate or a JSON answer") from None
    except trees.JSONDecodeError as error:
        raise BadInput(f"{file}: not JSON: {error}: expected a certificate or a JSON answer") from None
    except RecursionError:
        raise BadInput(f"{file}: nested too deeply: expected a certificate or a JSON answer") from None


def _is_certificate(tree: Any) -> bool:
    """Also where it is damaged: then the kernel says so."""
    first = tree[0] if isinstance(tree, list) and tree else tree
    return isinstance(first, dict) and ("format" in first or ("claim" in first and "because" in first))
