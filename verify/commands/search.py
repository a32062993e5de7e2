"""Search: hunt a counterexample through a finite space, or leave the record that it holds none."""

import glob
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from json import loads
from pathlib import Path
from typing import Any

from shufflecert.verify.answers import plots
from shufflecert.verify.answers.searched import Conjectures, Search, Status
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.given import Exact, File
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.runs import writing
from shufflecert.verify.systems.catalogue import named_values


@given.arguments_named
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
    """Hunt a counterexample: the smallest one with certificates, or a finite space that holds none, with a digest.

    To a conjecture of the library, to my.py:NAME, or to a claim of your own; with `journal` a search that was stopped
    goes on. A claim is text, evaluated exactly for every randomizer of a space (`verify.search.claim` has its
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
    named = given.texts(n=n, inputs=inputs, messages=messages, max_messages=max_messages, denominator=denominator)
    own = given.texts(sends=sends, adjacency=adjacency, reference=reference) | {"supports": "yes" if supports else None}
    where = {"workers": workers, "dask": dask, **given.patient(patience, dask)}
    told = named_values(given.parameters(parameters))
    finished, record, picture, folder = map(given.path, (journal_file, journal, plot, output))
    if name in ("status", "resume") and finished is None:
        raise BadInput(f"search {name}: expected the journal of a search: shufflecert search {name} FILE")
    if name == "status" and finished is not None:
        return Status(_status(finished))
    if name not in ("status", "resume") and finished is not None:
        raise BadInput(f"{finished}: expected --journal FILE, or search resume FILE")
    system = {}
    if claim is not None:
        if name in ("status", "resume"):
            raise BadInput(f"search {name}: takes what its journal says: expected no --claim")
        system = {"system": name or "", "parameters": " ".join(f"{key}={value}" for key, value in told.items())}
        if told and not name:
            raise BadInput("-p: expected the name of a system with a claim: shufflecert search krr -p k=3 --claim ...")
        name, told = "claim", {}
    elif name is None:
        raise BadInput('search: expected --claim "...", the name of a conjecture (search list), status or resume')
    own = {"claim": claim, **own, **system}
    if claim is None and (unfit := [option for option, value in own.items() if value is not None]):
        raise BadInput(f"--{unfit[0]}: expected only with --claim")
    for option, value in {**named, **own}.items():
        if value is not None:
            if option in told:
                raise BadInput(f"--{option.replace('_', '-')}: given with -p {option} as well: expected one of them")
            told[option] = value
    if named["max_messages"] is not None and claim is not None:
        raise BadInput("--max-messages: with a claim expected --sends, such as --sends 0:2")
    if picture is not None:
        plots.check_plot(picture, force)
    if name == "resume" and finished is not None:
        if told or record is not None:
            raise BadInput("search resume: takes what its journal says: expected no parameters")
        _check_folder(folder, _told(finished)["name"], force)
        with _goes_on(finished):
            found = _resumed(finished, where)
    else:
        _check_folder(folder, name, force)
        with _goes_on(record):
            found = _hunted(name, told, record, given.work(given.text(max_work)), where)
    tree = _tree(found, folder)
    answer = Search(tree, found)
    if picture is not None and found.where:
        plots.save(answer.plot(), picture, force)
    elif picture is not None:
        said = f"nothing drawn to {picture}: no counterexample that is a table was found"
        tree["unwritten"] = "; ".join(filter(None, (tree["unwritten"], said)))
    return answer


@contextmanager
def _goes_on(place: Path | None) -> Iterator[None]:
    """Tell whoever stops a search how to go on."""
    try:
        yield
    except KeyboardInterrupt as stop:
        kept = place is not None and place.is_file()
        stop.add_note(
            f"what was finished is kept: shufflecert search resume {shlex.quote(str(place))} goes on"
            if kept
            else "no partial result; with --journal FILE a search can be resumed"
        )
        raise


def _check_folder(folder: Path | None, name: str, force: bool) -> None:
    """Raises, before any work, where the certificates of a hit could not be written, or would replace some."""
    if folder is None:
        return
    writing.check_folder(folder)
    present = sorted(folder.glob(f"{glob.escape(_plain(name))}-[0-9]*.json")) if folder.is_dir() else []
    if present and not force:
        raise BadInput(f"{present[0]}: exists: expected a folder without it, or --force to write over it")


def _plain(name: str) -> str:
    """A conjecture's own name, also where it is my.py:NAME."""
    conjecture: str = import_module("shufflecert.proofs.conjectures").by_name(name).name
    return conjecture


def _hunted(name: str, given: Mapping[str, str], place: Path | None, most: int | None, where: Mapping[str, Any]) -> Any:
    if ".py:" in name:  # workers may have another working directory
        path, _, attribute = name.partition(".py:")
        name = f"{writing.followed(Path(path + '.py'))}:{attribute}"
    library = import_module("shufflecert.proofs.conjectures")
    conjecture = library.by_name(name)
    parameters = import_module("shufflecert.verify.search.exhaust").parameters_of(conjecture, given)
    limit = {} if most is None else {"max_size": most}
    return library.hunt(conjecture, name, parameters, place=place, **limit, **where)


def _resumed(place: Path, where: Mapping[str, Any]) -> Any:
    told, library = _told(place), import_module("shufflecert.proofs.conjectures")
    name, parameters = told["name"], told["parameters"]
    return library.hunt(library.by_name(name), name, parameters, place=place, max_size=10**30, **where)


def _told(place: Path) -> Tree:
    """What the header of a search's journal says."""
    with import_module("shufflecert.verify.runs.journal").read(place) as kept:
        if kept.header.name != "search":
            raise BadInput(f"{place}: a journal of {kept.header.name}: expected one of a search")
        told: Tree = loads(kept.header.parameters)
        return told


def _tree(found: Any, folder: Path | None) -> Tree:
    """The contract's keys, and the smallest hit with its certificates."""
    smallest, unwritten = found.smallest(), None
    hits = [{"rank": rank, "case": _case(case)} for rank, case in found.hits]
    if smallest is not None:
        hits[0] |= {"words": smallest.words, "numbers": dict(smallest.numbers)}
        made = list(smallest.certificates.values())
        files = _written(made, folder, found.conjecture.name)
        hits[0]["certificates"] = [
            {"of": of, "verdict": one.verdict, "file": file}
            for of, one, file in zip(smallest.certificates, made, files, strict=True)
        ]
    if folder is not None and not any(one["file"] for hit in hits[:1] for one in hit.get("certificates", ())):
        unwritten = f"nothing written to {folder}: {_without_certificates(found)}"
    return {
        "conjecture": found.conjecture.name,
        "statement": found.conjecture.said(found.parameters),
        "parameters": dict(found.conjecture.told(found.parameters)),
        "n": found.parameters.get("n"),
        "verdict": found.verdict,
        "hits": hits,
        "hit_count": found.hit_count,
        "space": found.conjecture.space(**found.parameters).describe(),
        "cases": found.cases,
        "failures": [{"rank": rank, "reason": reason} for rank, reason in found.failures],
        "digest": found.digest,
        "alone": found.alone,
        "where": dict(found.where),
        "unwritten": unwritten,
    }


def _without_certificates(found: Any) -> str:
    """Why there is no certificate that a search could write."""
    if not found.hits:
        return "no counterexample was found"
    if found.conjecture.explain is None and callable(found.conjecture.holds):
        return f"the conjecture {found.conjecture.name} has no `explain`, which makes certificates of a counterexample"
    return "no certificate of the smallest counterexample was found"


def _case(case: Any) -> Any:
    return case.to_json() if hasattr(case, "to_json") else case


def _written(made: Sequence[Certified], folder: Path | None, name: str) -> list[str | None]:
    if folder is None:
        return [None for _ in made]
    writing.make_folder(folder)
    places = [folder / f"{name}-{i}.json" for i in range(1, len(made) + 1)]
    written = certificates.write_all(zip(made, places, strict=True))
    for path, one in zip(places, written, strict=True):
        certificates.tell(path, one.refusal)
    return [one.place for one in written]


def conjectures() -> list[Tree]:
    """What is known of each conjecture of the library."""
    return [
        {
            "name": one.name,
            "statement": one.statement,
            "source": one.source,
            "parameters": dict(one.defaults),
            "ranks": one.space(**one.defaults).size,
        }
        for one in import_module("shufflecert.proofs.conjectures").library().values()
    ]


def _status(place: Path) -> Tree:
    told = _told(place)
    with import_module("shufflecert.verify.runs.journal").read(place) as kept:
        status = kept.status()
    names = ("total", "done", "failed", "spent", "rate", "left", "running")
    return {"search": told["name"], "parameters": told["parameters"], **{name: getattr(status, name) for name in names}}
