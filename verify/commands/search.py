"""Search: hunt a counterexample through a finite space, or leave the record that it holds none."""

import glob
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from json import loads
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from shufflecert.verify.answers.searched import Conjectures, Search, Status
from shufflecert.verify.commands import certificates, options
from shufflecert.verify.commands.options import OK, REFUTED, UNDECIDED, Force, Json, MaxWork, Patience
from shufflecert.verify.decide.certify import Certified
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.written import Tree
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.load import named_values

STATUS = {"refuted": REFUTED, "exhausted": OK, "unfinished": UNDECIDED}


def search(
    name: Annotated[
        str | None,
        Argument(
            metavar="NAME",
            help="A conjecture, or my.py:NAME; or list, status, resume. With --claim: a system, or none.",
            show_default=False,
        ),
    ] = None,
    journal_file: Annotated[
        Path | None, Argument(metavar="JOURNAL", help="For status and resume.", show_default=False)
    ] = None,
    claim: Annotated[
        str | None,
        Option("--claim", metavar="TEXT", help='Your own: "delta(n, log(2)) <= delta(n - 1, log(2))".'),
    ] = None,
    param: Annotated[
        list[str] | None,
        Option("--param", "-p", metavar="NAME=VALUE", help="A parameter; of a system, values too: 1/8:7/8:1/8 or 2,3."),
    ] = None,
    n: Annotated[str | None, Option("--n", metavar="N", help="Up to so many users; of a claim N, or 2:4.")] = None,
    inputs: Annotated[str | None, Option("--inputs", metavar="K", help="So many inputs.")] = None,
    sends: Annotated[
        str | None, Option("--sends", metavar="S", help="Of a claim: a user sends S messages, or 0:2.")
    ] = None,
    supports: Annotated[
        bool, Option("--supports", help="Of a claim: rows that are uniform over some outputs.")
    ] = False,
    adjacency: Annotated[
        str | None, Option("--adjacency", metavar="KIND", help="Of a claim: replace, add-remove or deletion.")
    ] = None,
    reference: Annotated[
        str | None, Option("--reference", metavar="X", help="Of a system, with deletion: the input's place, from 0.")
    ] = None,
    messages: Annotated[str | None, Option("--messages", metavar="M", help="Up to so many messages.")] = None,
    max_messages: Annotated[
        str | None, Option("--max-messages", metavar="L", help="Up to so many messages a user.")
    ] = None,
    denominator: Annotated[str | None, Option("--denominator", metavar="D", help="Weights over up to D.")] = None,
    journal: Annotated[
        Path | None, Option("--journal", metavar="FILE", help="The record on disk, where a killed search goes on.")
    ] = None,
    workers: Annotated[int | None, Option("--workers", min=1, help="Processes (one for each core).")] = None,
    dask: Annotated[str | None, Option("--dask", metavar="tcp://...", help="A Dask cluster instead.")] = None,
    patience: Patience = None,
    plot: Annotated[
        Path | None, Option("--plot", metavar="FILE", help="A picture of where the counterexamples lie.")
    ] = None,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="FOLDER", help="Write the hit's certificates there.")
    ] = None,
    force: Force = False,
    max_work: MaxWork = None,
    json: Json = False,
) -> int:
    """Hunt a counterexample: the smallest one with certificates, or a finite space that holds none, with a digest."""
    if name == "list":
        return options.shown(Conjectures(conjectures()), json)
    named = {"n": n, "inputs": inputs, "messages": messages, "max_messages": max_messages, "denominator": denominator}
    own = {"sends": sends, "adjacency": adjacency, "reference": reference, "supports": "yes" if supports else None}
    where = {"workers": workers, "dask": dask, **options.patient(patience, dask)}
    files: dict[str, Any] = {"journal": journal, "plot": plot, "output": output, "force": force}
    answer = searched(name, journal_file, claim, named_values(param or ()), named, own, where, max_work, **files)
    options.shown(answer, json)
    return STATUS[answer.tree["verdict"]] if isinstance(answer, Search) else OK


def searched(
    name: str | None,
    journal_file: Path | None,
    claim: str | None,
    given: dict[str, str],
    named: Mapping[str, str | None],
    own: dict[str, str | None],
    where: Mapping[str, Any],
    max_work: str | None,
    *,
    journal: Path | None,
    plot: Path | None,
    output: Path | None,
    force: bool,
) -> Search | Status:
    """The answer of `search`: `named` are options of every search, `own` those of a claim. Raises BadInput."""
    if name in ("status", "resume") and journal_file is None:
        raise BadInput(f"search {name}: expected the journal of a search: shufflecert search {name} FILE")
    if name == "status" and journal_file is not None:
        return Status(_status(journal_file))
    if name not in ("status", "resume") and journal_file is not None:
        raise BadInput(f"{journal_file}: expected --journal FILE, or search resume FILE")
    system = {}
    if claim is not None:
        if name in ("status", "resume"):
            raise BadInput(f"search {name}: takes what its journal says: expected no --claim")
        system = {"system": name or "", "parameters": " ".join(f"{key}={value}" for key, value in given.items())}
        if given and not name:
            raise BadInput("-p: expected the name of a system with a claim: shufflecert search krr -p k=3 --claim ...")
        name, given = "claim", {}
    elif name is None:
        raise BadInput('search: expected --claim "...", the name of a conjecture (search list), status or resume')
    own = {"claim": claim, **own, **system}
    if claim is None and (unfit := [option for option, value in own.items() if value is not None]):
        raise BadInput(f"--{unfit[0]}: expected only with --claim")
    for option, value in {**named, **own}.items():
        if value is not None:
            if option in given:
                raise BadInput(f"--{option.replace('_', '-')}: given with -p {option} as well: expected one of them")
            given[option] = value
    if named["max_messages"] is not None and claim is not None:
        raise BadInput("--max-messages: with a claim expected --sends, such as --sends 0:2")
    if plot is not None:
        import_module("shufflecert.verify.answers.plots").check_plot(plot, force)
    if name == "resume" and journal_file is not None:
        if given or journal is not None:
            raise BadInput("search resume: takes what its journal says: expected no parameters")
        _check_folder(output, _told(journal_file)["name"], force)
        with _goes_on(journal_file):
            found = _resumed(journal_file, where)
    else:
        _check_folder(output, name, force)
        with _goes_on(journal):
            found = _hunted(name, given, journal, options.work(max_work), where)
    tree = _tree(found, output)
    answer = Search(tree, found)
    if plot is not None and found.where:
        import_module("shufflecert.verify.answers.plots").save(answer.plot(), plot, force)
    elif plot is not None:
        told = f"nothing drawn to {plot}: no counterexample that is a table was found"
        tree["unwritten"] = "; ".join(filter(None, (tree["unwritten"], told)))
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
    atomic_files.check_folder(folder)
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
        name = f"{Path(path + '.py').resolve()}:{attribute}"
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
    atomic_files.make_folder(folder)
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
