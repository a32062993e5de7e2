"""Certificates as the commands handle them: written whole or not at all, checked, and shown on a page.

None is written that the kernel does not accept. It is checked by the kernel, and by the checker that is made from a
proof in Coq, as plain Python and as a binary, alone and beside the kernel: each of these functions takes the bytes of
a certificate file to (status, reason), as `kernel.check` does. A report is one HTML file about a certificate, or about
another command's JSON answer.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from shufflecert.verify import progress
from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.answers.decided import Certificate
from shufflecert.verify.answers.listed import Report
from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.evidence import faintest, too_many
from shufflecert.verify.bound.question import Question
from shufflecert.verify.commands.given import File
from shufflecert.verify.decide.certify import EASIER, Certified, Nearest, farther, larger_accepted, lighter
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps, Tree
from shufflecert.verify.exact.rational import magnitude, plain
from shufflecert.verify.runs import writing
from shufflecert.verify.runs.later import Later
from shufflecert.verify.systems.population import unstated, unwritten

kernel: Any = Later("shufflecert.verify.kernel")  # a fifteenth of a second
BINARY = "shufflecert-kernel"
BUILT = Path(__file__).parent.parent.parent / "proofs" / "coq" / "_build" / BINARY
STATUSES = {"accepted", "rejected", "malformed", "undecided"}
BESIDE = 10**8  # steps of the verified checker beside the kernel, of a whole file: some twenty seconds
MOST_DIGITS = 4000  # of an integer that is read as one


@dataclass(frozen=True)
class Written:
    """Where a certificate was written; None where there is none. `refusal`: what the kernel says of one it refuses.

    `made` is what was decided, with the certificate that takes less work to check, where the first is too much.
    """

    place: str | None
    refusal: str | None = None
    made: Certified | None = None


def write(result: Certified, path: Path | None) -> Written:
    """Write a certificate, if the kernel accepts it with its default limits: else nothing is written.

    Without a `path` it is only asked whether the kernel would. Raises BadInput, and MachineRefused, where the file
    cannot be written: then nothing is.
    """
    if path is not None:
        return write_all([(result, path)])[0]
    made, _, why = _checked(result)
    return Written(None, _refusal(why), made)


def write_all(results: Iterable[tuple[Certified, Path]]) -> list[Written]:
    """As `write`, for several: where one cannot be written no new file is left, but what was written over stays."""
    checked = [(path, *_checked(made)) for made, path in results]
    new = [path for path, _, text, _ in checked if text is not None and not writing.exists(path)]
    try:
        for path, _, text, _ in checked:
            if text is not None:
                writing.write_whole(path, text)
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
    return [Written(None if text is None else str(path), _refusal(why), made) for path, made, text, why in checked]


Of = TypeVar("Of", bound=Answer)
Ask = Callable[[Eps, Fraction], Certified]
Stated = tuple[Tree, str]  # a certificate, and what it states
Tried = Sequence[tuple[Eps, Fraction]] | str  # the (eps, delta) that are tried, or why there are none
End = tuple[str, Tried]  # PROVED or REFUTED, and what is tried
# what a lower end gives way, relatively; an upper one
GIVES = Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 100), Fraction(1, 10)
CLOSE = Fraction(0), *GIVES[:3]
GIVEN_UP = "undecided"  # by the kernel
MANY = 64  # users, of whom datasets that are enumerated are mostly too many
FAINT = Fraction(1, 10**30)  # a delta beyond which a check may be short of memory
ZEROS = Fraction(97, 100), Fraction(9, 10), Fraction(7, 10)  # of those of a faint delta
HARDLY = Fraction(1, 10**4)  # relatively: by so much, what is too much work for check does not become less

Point = tuple[str, Bound | str, Tried]  # how a line names a system; what is known of it, or why none; what is tried


def above(high: Fraction) -> list[Fraction]:
    """An upper bound of delta, and some that are relatively a little larger."""
    return [min(high * (1 + slack), Fraction(1)) for slack in CLOSE]


def enough(high: Fraction, delta: Fraction) -> Tried:
    """An upper bound of the eps of this delta, and some that are relatively a little larger."""
    if high > MAX_EPS:
        return f"it is beyond {MAX_EPS}, the largest eps of a claim"
    return [(Eps.of(min(high * (1 + slack), Fraction(MAX_EPS))), delta) for slack in CLOSE]


def write_points(answer: Of, path: Path, points: Iterable[Point]) -> Of:
    """The answer, with certificates of what is PROVED of systems in one file: the first (eps, delta) of each that is.

    Says how many check accepts, and which points have none; where none has one there is no file.
    """
    made, missing = _each((name, bound, "PROVED", tried) for name, bound, tried in points)
    return _named(answer, path, made, ["one claim" if len(made) == 1 else f"{len(made)} claims"], missing)


def write_ends(answer: Of, path: Path, asked: Bound, ends: Sequence[End]) -> Of:
    """The answer, with certificates of an interval's two ends in one file, and what each states.

    The (eps, delta) of an end are tried one after the other, the closest first. What has no certificate that the
    kernel accepts is said, and not written; where neither end has one there is no file.
    """
    named = {"PROVED": "the upper end", "REFUTED": "the lower end"}
    made, missing = _each((named[verdict], asked, verdict, tried) for verdict, tried in ends)
    return _named(answer, path, made, [f"{tree['verdict']}: {said}" for tree, said in made], missing)


def known(system: Any, n: int) -> Bound | str:
    """The Bound of a system of n users; or why there is none."""
    try:
        return bound_of(Question.of(system, n))
    except (BadInput, Undecided) as error:
        return str(error)


def _each(asked: Iterable[tuple[str, Bound | str, str, Tried]]) -> tuple[list[Stated], list[str]]:
    """The certificates, with what each states, and what has none."""
    made, missing = list[Stated](), list[str]()
    for name, bound, verdict, tried in asked:
        tree, said = (None, bound) if isinstance(bound, str) else _accepted(bound, verdict, tried)
        if tree is None:
            missing.append(f"{name}: {said}")
        else:
            made.append((tree, said))
    return made, missing


def _named(answer: Of, path: Path, made: list[Stated], states: list[str], missing: list[str]) -> Of:
    """The answer with the file of certificates, which is written if there are any."""
    if made:
        writing.write_whole(path, json.dumps([tree for tree, _ in made], indent=1) + "\n")
    file = {"file": str(path) if made else "", "states": states if made else [], "missing": "; ".join(missing)}
    return replace(answer, tree={**answer.tree, "certificate": file})


def _accepted(bound: Bound, verdict: str, tried: Tried) -> tuple[Tree | None, str]:
    """The first certificate with this verdict that the kernel accepts, and what it states; or None, and why."""
    stated = bound.stated
    if refusal := unstated(bound.question.protocol):
        return None, refusal
    if verdict == "PROVED":
        tried = _shown(stated, tried if stated is bound else _eased(stated, tried))
    if isinstance(tried, str):
        return None, tried
    why, heavy = "", list[tuple[Eps, Fraction]]()

    def accepted(eps: Eps, delta: Fraction) -> tuple[Tree, str] | None:
        nonlocal why
        if any(_no_lighter(verdict, (eps, delta), one) for one in heavy):
            return None
        try:
            found = stated.decided(eps, delta)
        except (BadInput, Undecided) as error:
            why = str(error)
            return None
        if found.certificate is None or found.verdict != verdict:
            why = found.reason or found.verdict
            if verdict == "PROVED" and found.holds:
                heavy.append((eps, delta))
            return None
        if too_many(found):
            if (light := lighter(found)) is None:
                why = "the datasets of the others, one by one, are more than a check has the time for"
                heavy.append((eps, delta))
                return None
            found = light
        made, text, refused = _checked(found)
        if text is not None:
            return dict(made.certificate or {}), words.promise_text(verdict, eps, delta)
        why = f"check finds it {refused}"
        if refused and refused.startswith(f"{GIVEN_UP}: too much"):
            heavy.append((eps, delta))
        return None

    for eps, delta in tried:
        if (made := accepted(eps, delta)) is not None:
            return made
    if verdict == "PROVED" and len(tried) > 1:
        name = "delta" if tried[0][0] == tried[1][0] else "eps"
        if (made := larger_accepted(stated, name, *tried[0], accepted)) is not None:
            return made
    return None, why


def _no_lighter(verdict: str, asked: tuple[Eps, Fraction], before: tuple[Eps, Fraction]) -> bool:
    """Whether a claim takes about as much work to be checked as another one, or more: it says as much, or hardly less.

    A claim that is PROVED says more for a smaller eps or delta, one that is REFUTED for a larger one.
    """
    more, less = (asked, before) if verdict == "PROVED" else (before, asked)
    at, near = (Fraction(eps.enclosure()[1]) for eps, _ in (more, less))
    return at <= near * (1 + HARDLY) and more[1] <= less[1] * (1 + HARDLY)


def _eased(bound: Bound, tried: Tried) -> Tried:
    """What is tried of an upper end, no closer than certificates state."""
    if isinstance(tried, str) or not tried[0][1]:
        return tried
    (at, delta), *_ = tried
    if (most := bound.upper(at, enough=delta).high) <= delta:
        return tried
    if all(eps == at for eps, _ in tried):
        return [(at, high) for high in above(most) if high < 1] or "certificates state no delta below 1"
    _, least = bound.epsilon(delta).interval or (None, None)
    return "certificates state no finite eps" if least is None else enough(least, delta)


def _shown(bound: Bound, tried: Tried) -> Tried:
    """What is tried of an upper end of a table's delta, no fainter than the kernel has room for.

    Of a faint one a tenth more makes a certificate hardly shorter: then some of fewer zeros are tried.
    """
    asked, reach = bound.question, bound.reach
    if isinstance(tried, str) or any(eps != tried[0][0] for eps, _ in tried) or not (high := tried[0][1]):
        return tried
    if reach is None or reach.mechanism is not None or high > FAINT or unwritten(asked.protocol) is not None:
        return tried
    least, zeros = faintest(asked), magnitude(1 / high)
    fainter = [Fraction(1, 10 ** int(zeros * share)) for share in ZEROS]
    return [*tried[:2], *((tried[0][0], delta) for delta in fainter)] if high >= least else [(tried[0][0], least)]


def _checked(made: Certified) -> tuple[Certified, str | None, str | None]:
    """(what is decided, the text of its certificate, why it is not accepted), of it or of what is lighter."""
    if made.certificate is None:
        return made, None, None
    if (many := made.claim.question.counted > MANY) and (light := lighter(made)) is not None:
        made = light
    text = made.certificate_text()
    status, reason = kernel.check(text.encode())
    if status == "accepted":
        return made, text, None
    why = f"{status}: {reason}"
    light = None if many or not why.startswith(GIVEN_UP) else lighter(made)
    if light is not None and kernel.check((text := light.certificate_text()).encode()).status == "accepted":
        return light, text, None
    return made, None, why


def _refusal(why: str | None) -> str | None:
    return None if why is None else f"check finds its certificate {why}"


def too_much(refusal: str) -> bool:
    """Whether a refusal says that the kernel gave up, and not that it found something wrong."""
    return refusal.startswith(f"check finds its certificate {GIVEN_UP}")


def first_accepted(
    verdict: str, claims: Iterable[tuple[Eps, Fraction]], ask: Ask, path: Path | None
) -> tuple[Certified, Written] | None:
    """The first of some (eps, delta) of this verdict whose certificate the kernel accepts, and where it is written
    (`write`); `ask` decides one. None where there is none."""
    for claim in claims:
        found = ask(*claim)
        if found.verdict == verdict and found.certificate is not None:
            written = write(found, path)
            if written.refusal is None:
                return written.made or found, written
    return None


def nearest_accepted(made: Certified, ask: Ask, looked: Sequence[Fraction] = ()) -> Nearest:
    """The nearest delta at a claim's eps with the same verdict and a certificate that the kernel accepts.

    Of a few that are tried (`verify.decide.certify.farther`), but those that were `looked` at in vain.
    """
    proved = made.verdict == "PROVED"
    tried = [bound for bound in farther(made.claim.delta, proved) if bound not in looked]
    found = first_accepted(made.verdict, [(made.claim.eps, bound) for bound in tried], ask, None)
    if found is None:
        others = ", ".join(map(plain, sorted({*looked, *tried})))
        none = f"no delta beside it has one either ({others} were tried); " if others else ""
        return Nearest(None, None, f"{none}without a file the verdict is given, by the engine alone")
    bound = found[0].claim.delta
    return Nearest(bound if proved else None, None if proved else bound, EASIER)


def tell(path: Path, refusal: str | None) -> None:
    """Say on standard error, in one line, why a certificate was not written."""
    if refusal is not None:
        print(f"shufflecert: {path}: not written: {refusal}", file=sys.stderr)


class DisagreementError(RuntimeError):
    """Two checkers do not agree on a certificate: one of them is wrong."""


def binary() -> str:
    """The path of the verified kernel: built in this clone, or on the PATH.

    Raises BadInput that tells how to build it.
    """
    found = str(BUILT) if BUILT.is_file() else shutil.which(BINARY)
    if not found:
        raise BadInput(
            "check --verified: expected the verified kernel, which is not built: run `make coq` in a clone of the"
            " project (it wants Debian's packages coq, ocaml-nox, ocaml-findlib and libzarith-ocaml-dev, or the like)"
        )
    return found


def by_binary(command: str, data: bytes) -> tuple[str, str]:
    """What the binary says; "accepted" is what the theorems are about."""
    done = subprocess.run([command, "-"], input=data, capture_output=True, check=False)
    status, _, reason = done.stdout.decode("ascii", "backslashreplace").strip().partition(": ")
    if status not in STATUSES:
        return "undecided", f"the verified kernel ended with status {done.returncode} and said nothing"
    return status, reason


def by_python(data: bytes, **limits: int) -> tuple[str, str]:
    """What the checker that is made from the proof says, as plain Python."""
    status, reason = import_module("shufflecert.verify.checked.decide").verdict(data, **limits)
    return status, reason


def by_both(kernel: Callable[[bytes], tuple[str, str]], data: bytes) -> tuple[str, str]:
    """The verified checker's verdict, and the kernel's beside it; what one of them leaves undecided the other decides.

    What is refused has the kernel's reason. Raises DisagreementError where one accepts what the other rejects or calls
    malformed.
    """
    other, verified = kernel(data), by_python(data, most=BESIDE)
    said = {verified[0], other[0]}
    if "accepted" in said and said & {"rejected", "malformed"}:
        raise DisagreementError(
            f"the verified checker says {verified[0]} ({verified[1]}), verify/kernel.py says {other[0]} ({other[1]}):"
            " one of them is wrong; please report this certificate"
        )
    if "accepted" not in said:
        return verified if other[0] == "undecided" and verified[0] != "undecided" else other
    if verified[0] == "undecided":
        return other[0], f"{other[1]} [verify/kernel.py alone; the verified checker: {verified[1]}]"
    return verified[0], f"{verified[1]} [verify/kernel.py: {other[0]}]"


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
    writing.check_new(path, force)
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
        writing.write_whole(path, html(made))
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
    data = writing.read_whole(file, most)
    path = file.with_suffix(".html") if output is None else Path(output)
    if writing.exists(path) and path.samefile(file):
        raise BadInput(f"{path}: is the file to report on: expected another one for the report")
    return file, data, path


def _tree(file: Path, data: bytes) -> Any:
    """What the file holds, for the eye only: a certificate is read again by the kernel, in its own way."""
    try:
        return json.loads(data.decode("utf-8"), parse_int=lambda text: int(text) if len(text) < MOST_DIGITS else text)
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: byte {error.start}: not UTF-8 text: expected a certificate or a JSON answer") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{file}: not JSON: {error}: expected a certificate or a JSON answer") from None
    except RecursionError:
        raise BadInput(f"{file}: nested too deeply: expected a certificate or a JSON answer") from None


def _is_certificate(tree: Any) -> bool:
    """Also where it is damaged: then the kernel says so."""
    first = tree[0] if isinstance(tree, list) and tree else tree
    return isinstance(first, dict) and ("format" in first or ("claim" in first and "because" in first))
