"""The command's options, from the signatures of the functions: names, types, defaults. Here stands what these lack.

A command is its function: the options are read, the function is called, its answer is printed. What `--help` shows
beside the options is here as well: an example of each command, options in groups, commands by purpose.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import Any, get_args

from typer import Argument, Context, Option

from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import INTERRUPTED, Answer
from shufflecert.verify.answers.compared import SORTS
from shufflecert.verify.calibrate.objective import OBJECTIVES
from shufflecert.verify.commands.exchange import CSV_INTERVAL, TARGETS
from shufflecert.verify.commands.given import PARAM, File, file_of
from shufflecert.verify.compose.composition import DATA
from shufflecert.verify.compose.privacy_loss_distribution import INTERVAL
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import ADJACENCIES
from shufflecert.verify.exact.views import VIEWS
from shufflecert.verify.runs import writing
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import is_file, parameters_of

EXAMPLES = {
    "systems": "shufflecert systems zsum",
    "delta": "shufflecert delta krr -p k=4 -p gamma=1/10 --n 100 --eps 1/2",
    "epsilon": "shufflecert epsilon any_ldp -p eps0=2 --n 10000 --delta 1e-6",
    "accuracy": "shufflecert accuracy poisson -p lam=34 --n 10000 --alpha 20",
    "profile": "shufflecert profile zsum,poisson -p p=0.9966 -p lam=34 --n 10000 --eps 0:2:21 --plot curve.svg",
    "compose": "shufflecert compose zsum -p p=0.9966 --n 10000 --times 7 --delta 1e-6",
    "certify": "shufflecert certify zsum -p p=0.982 --n 2000 --delta 1e-6 -o promise.json",
    "calibrate": "shufflecert calibrate zsum --n 10000 --eps 1 --delta 1e-6 -o least.json",
    "audit": "shufflecert audit my.py:report --inputs 0,1 --claim eps=1,view=local --report audit.html",
    "search": "shufflecert search --denominator 12 --n 2:4 --claim 'delta(n, log(2)) <= delta(n - 1, log(2))'",
    "check": "shufflecert check promise.json",
    "claims": "shufflecert claims 'BC-*'",
    "report": "shufflecert report promise.json -o promise.html",
    "compare": "shufflecert compare histogram --buckets 100 --n 100000 --eps 1 --delta 1e-6",
    "table": "shufflecert table mine.csv --systems zsum --n 10000 --eps 1 --delta 1e-6",
    "export": "shufflecert export zsum -p p=0.9966 --n 10000 --to opendp -o curve.json",
    "import": "shufflecert import pair.csv -o pair.toml",
}
PURPOSES = {
    "Ask": ("delta", "epsilon", "accuracy", "profile", "compose"),
    "Promise": ("certify", "check", "report"),
    "Choose": ("systems", "calibrate", "compare", "table"),
    "Find out": ("audit", "search", "claims"),
    "Hand over": ("export", "import"),
}
GROUPS = {
    "Neighbours and participation": (
        *("view", "others", "adjacency", "reference", "honest", "take_part", "group", "parallel", "data"),
    ),
    "The paper's parameters": ("paper", "promise", "paper_for"),
    "Output": ("output", "force", "json", "csv", "plot", "report", "journal", "folder"),
    "Effort and precision": (
        *("max_work", "tolerance", "max_bits", "digits", "points", "workers", "dask", "patience", "seconds", "dots"),
        *("max_paths", "residual", "step", "range"),
    ),
    "Functions that draw": ("inputs", "deployed", "legacy", "patch", "rng", "each", "strict"),
    "Black boxes": ("black_box", "samples", "find", "confidence", "power", "seed"),
}
QUESTION = "The question"
QUICKER = "--tolerance above 1e-3"
GO_ON = {  # what Ctrl-C says of a command that keeps no journal; the others say it themselves
    "delta": f"no partial result; to go faster fix --others, lower --max-work, or raise {QUICKER}",
    "epsilon": f"no partial result; to go faster fix --others, lower --max-work, or raise {QUICKER}",
    "certify": f"nothing written; to go faster lower --max-work, or raise {QUICKER}",
    "profile": "no partial result; fewer points in --eps, --alpha or --renyi are faster",
    "compose": "no partial result; fewer --digits or --points are faster",
    "audit": "no partial result; fewer --n or --eps, a smaller --large, fewer --samples (black boxes) or"
    " --max-paths are faster",
    "claims": "no partial result; `claims ID ...` settles a few",
    "check": "nothing decided; --max-work limits the kernel's work",
    "report": "nothing written; --max-work limits the kernel's work",
    "export": "nothing written; fewer --dots are faster",
}


FURTHER = {  # below a command's first sentences
    "profile": "With --trade-off what a test of neighbours can do, with --renyi Renyi and zero-concentrated privacy.",
    "compose": "Neighbouring datasets: with --data same, a user holds one input for all runs of a system; with fresh,"
    " inputs may differ from run to run and are fixed beforehand; with adaptive they are chosen on seeing the runs"
    " before.",
    "certify": "Without --eps, or without --delta, the least one that a certificate shows is taken, rounded up to three"
    " digits.",
    "report": "The file needs no network and no script, and carries the certificate; where scripts run, a button"
    " re-checks it. The exit status is that of `check`; of an answer, which nobody checks, 0.",
}
BOX = "With --black-box: "
SYSTEMS = ("SYSTEM[,SYSTEM...]", "Systems, randomizer files, my.py:Mine.")
EACH = ("NAME=VALUE", "A parameter, exact: gamma=3/4; of one of several systems: krr.k=4.")
POINTS = (None, "Write certificates here: one file, a claim for each point.")
OPTIONS = {  # what is shown of each for its value, and what it is; "command.option" where a command means another thing
    "system": (None, "A system (see `systems`), a .toml or .json randomizer file, or my.py:Mine."),
    "profile.system": SYSTEMS,
    "compose.system": SYSTEMS,
    "param": ("NAME=VALUE", "A parameter of the system, exact: p=3/4."),
    "profile.param": EACH,
    "compose.param": EACH,
    "search.param": ("NAME=VALUE", "A parameter; of a system, values too: 1/8:7/8:1/8 or 2,3."),
    "n": ("N", "Number of users."),
    "compose.n": ("N[,N...]", "Number of users, of all systems or of each."),
    "audit.n": ("N", "Numbers of users: 1:20, or 2,5,100; 1:3 unless given."),
    "search.n": ("N", "Up to so many users; of a claim N, or 2:4."),
    "table.n": ("N,...", "Numbers of users (10^3 to 10^9)."),
    "eps": ("E", "eps in nats: 1/2, 0.5 or log(3/2)."),
    "epsilon.eps": ("E", "With --paper: the eps to prescribe for."),
    "accuracy.eps": ("E", "With --paper: the eps to prescribe for."),
    "profile.eps": ("GRID", "LOW:HIGH:COUNT, both ends included, or 1/2,1,log(3)."),
    "compose.eps": ("E", "Asks for delta(E), E in nats."),
    "certify.eps": ("E", "eps in nats; left out, the least that is proved."),
    "audit.eps": ("E", "Where delta is shown: 0:2:5, or 0,1/2,1."),
    "table.eps": ("E,...", "(1/10, 1/4, 1/2, 1, 2)"),
    "delta": ("D", "delta, exact: 1e-6 is 1/1000000."),
    "delta.delta": ("D", "With --paper: the delta to prescribe for."),
    "accuracy.delta": ("D", "With --paper: the delta to prescribe for."),
    "compose.delta": ("D", "Instead of --eps: asks for the smallest eps."),
    "certify.delta": ("D", "delta, exact; left out, the least that is proved."),
    "audit.delta": ("D", "At which eps is shown."),
    "table.delta": ("D,...", "(1e-6, 1e-9, 1e-12)"),
    "view": ("|".join(VIEWS), "What the adversary sees."),
    "others": ("X=COUNT,...", "Only datasets whose other users hold these inputs."),
    "paper": (None, "Use the parameters that the system's paper prescribes for (n, eps, delta)."),
    "promise": ("EPS:DELTA", "With --paper: what to prescribe for."),
    "paper_for": ("E,D", "The parameters that papers prescribe for (E, D), of one run."),
    "adjacency": (
        "replace|add-remove|deletion",
        "Neighbours: one user's input is replaced; a user is added or removed; or holds --reference instead.",
    ),
    "search.adjacency": ("KIND", "Of a claim: replace, add-remove or deletion."),
    "reference": (
        "INPUT|FILE",
        "With deletion: an input, a mixture a=1/2,b=1/2 of inputs, or a file with one row, a law of its own.",
    ),
    "search.reference": ("X", "Of a system, with deletion: the input's place, from 0."),
    "honest": ("H", "At least this many users are honest (all n); the others may be corrupted."),
    "take_part": ("Q", "Each user participates with this probability (1), else sends nothing."),
    "max_work": ("UNITS", "Enumerate datasets up to this estimated work (see docs/trust.md)."),
    "check.max_work": (None, "Work at which the kernel gives up."),
    "report.max_work": (None, "Work at which the kernel gives up."),
    "tolerance": (
        "T",
        "Target relative width of the answer's interval (1e-3), where datasets are too many to enumerate.",
    ),
    "output": (None, "Write this file."),
    "delta.output": (None, "Write certificates of both bounds here."),
    "epsilon.output": (None, "Write certificates of both bounds here."),
    "compose.output": (None, "Write certificates of both bounds here."),
    "profile.output": POINTS,
    "compare.output": POINTS,
    "certify.output": (None, "Write the certificate here."),
    "calibrate.output": (None, "Write the certificate here, the refutation next to it."),
    "audit.output": (None, "Write the claim's certificate here."),
    "search.output": ("FOLDER", "Write the hit's certificates there."),
    "report.output": (None, "Write the report here; FILE.html unless given."),
    "force": (None, "Write over files that exist."),
    "json": (None, "Answer in JSON on standard output."),
    "certify.report": ("FILE", "Write one HTML page about it."),
    "audit.report": ("FILE", "Write the audit as one HTML page."),
    "certify.max_bits": (None, "Precision at which a comparison is undecided."),
    "check.max_bits": (None, "Precision at which the kernel gives up."),
    "systems.name": ("[NAME]", "One system, in full."),
    "accuracy.alpha": ("A", "Also Pr[|error| > A], in the estimate's unit."),
    "trade_off": (None, "The trade-off curve f(alpha) of f-DP instead."),
    "profile.alpha": ("GRID", "With --trade-off: type I errors; 0:1:41 unless given."),
    "renyi": ("GRID", "Renyi divergences of these orders instead: 2:32:31."),
    "profile.csv": ("FILE", "Write the points here."),
    "profile.plot": ("FILE", "Draw the bands here: .png, .svg or .pdf."),
    "times": ("K[,K...]", "How often, all systems or each of them."),
    "data": ("|".join(DATA), "Whether inputs differ from run to run: see above."),
    "group": ("G", "Group privacy: up to G users are replaced."),
    "parallel": (None, "Every user is in one of the systems only: the largest of their deltas."),
    "digits": ("K", "Digits of a composition (5; 4 where dots err more)."),
    "points": ("K", "Dots on curves that need them; the error falls as K^-2."),
    "files": ("CERT...", "Certificate files."),
    "verified": (None, "With the kernel that a theorem is proved of (`make coq` builds it)."),
    "by": (
        "WHO",
        "verified (made from its proof, in Python), kernel (verify/kernel.py), or both of them (the default).",
    ),
    "names": ("[ID...]", "Statements by name; globs such as 'BC-*'."),
    "over": ("NAME[,NAME...]", "What to choose (all noise that is not given)."),
    "objective": ("|".join(OBJECTIVES), "What is to be small (rmse)."),
    "calibrate.alpha": ("A", "With --objective failure: Pr[|error| > A]."),
    "calibrate.rmse_slack": ("S", "RMSE at most S times that of central discrete Laplace noise."),
    "max_rmse": ("R", "RMSE at most R users."),
    "calibrate.max_messages": ("M", "At most M expected messages of a user."),
    "step": ("S", "The grid: multiples of S (2^-64, and 1 for integers)."),
    "range": ("LOW:HIGH", "Only values from LOW to HIGH."),
    "task": ("sum|histogram|mean", "What is estimated."),
    "buckets": ("B", "Buckets of the histogram."),
    "compare.systems": ("A,B,...", "Only these."),
    "compare.rmse_slack": ("S", "How far errors may rise to save messages, where they can."),
    "sort": ("|".join(SORTS), "Order of the rows."),
    "compare.csv": (None, "Write the table here, too."),
    "compare.plot": (None, "Draw what is sorted by: .png, .svg or .pdf."),
    "compare.workers": ("W", "Systems at a time, each in a process of its own."),
    "compare.seconds": ("S", "Time after which a system is given up."),
    "workers": (None, "Processes (one for each core)."),
    "dask": ("tcp://...", "A Dask cluster instead."),
    "patience": ("SECONDS", "With --dask: how long to wait for lost workers to come back (120)."),
    "table.file": ("FILE.csv", "Where the table goes, or is."),
    "table.systems": ("A,B", "These systems (those that are quick)."),
    "table.journal": ("FILE", "The record of what is done (FILE.csv.journal)."),
    "table.check": (None, "Make the certificates of a table's rows again, and re-check them."),
    "certificates": ("FOLDER", "With --check: keep them in this folder."),
    "search.name": ("NAME", "A conjecture, or my.py:NAME; or list, status, resume. With --claim: a system, or none."),
    "journal_file": ("JOURNAL", "For status and resume."),
    "search.claim": ("TEXT", 'Your own: "delta(n, log(2)) <= delta(n - 1, log(2))".'),
    "search.inputs": ("K", "So many inputs."),
    "sends": ("S", "Of a claim: a user sends S messages, or 0:2."),
    "supports": (None, "Of a claim: rows that are uniform over some outputs."),
    "messages": ("M", "Up to so many messages."),
    "search.max_messages": ("L", "Up to so many messages a user."),
    "denominator": ("D", "Weights over up to D."),
    "search.journal": ("FILE", "The record on disk, where a killed search goes on."),
    "search.plot": ("FILE", "A picture of where the counterexamples lie."),
    "report.file": ("FILE", "A certificate, or a --json answer saved to a file."),
    "to": ("|".join(TARGETS), "Who reads it."),
    "interval": ("NATS", f"Between two eps or losses: {INTERVAL}; csv: {CSV_INTERVAL}."),
    "eps_max": ("E", "The last eps; else where delta is 1e-20 or constant."),
    "dots": (None, "How often delta is evaluated, at most."),
    "spare": ("DELTA", "dp-accounting: extra mass at infinity, for errors of its FFT."),
    "optimistic": (None, "dp-accounting: lower bounds."),
    "import.file": ("FILE", "CSV: outcome,p,q or eps,delta; JSON: p and q."),
    "missing": ("refuse|pessimistic", "What to do where a sum is below 1."),
    "binary": (None, "Decimals stand for the doubles nearest to them, bit by bit."),
    "audit.file": (
        "[FILE]",
        "A .toml or .json randomizer file, my.py:name (a Randomizer, or a function f(x, rng)), or a system.",
    ),
    "large": ("N", "The large number of users."),
    "audit.claim": ("eps=E,...", "A claim to decide: eps=1,delta=1e-6,n=100,view=shuffled."),
    "audit.inputs": ("X,...", "A function's or a box's inputs: 0,1."),
    "deployed": (None, "random() as computers have it, floats as they are."),
    "residual": ("R", "Mass of a function's paths that may stay unexplored."),
    "max_paths": ("N", "Paths of a function, for every input."),
    "legacy": (None, "The function takes numpy's RandomState."),
    "each": (None, "What the function returns has several messages: its elements. (yield: always)"),
    "strict": (None, "Refuse a function that is not followed: no law is observed."),
    "patch": ("MODULE.NAME", "Put rng where a module draws from: mylib.mech.random."),
    "rng": ("KIND", "random or numpy: whose source the function takes."),
    "black_box": ("COMMAND", "A command: one JSON line in, one out; or my.py:name."),
    "samples": ("M", BOX + "runs of each input."),
    "find": ("E", BOX + "as many runs as find randomized response of this eps."),
    "confidence": ("C", BOX + "1 - beta."),
    "power": ("P", BOX + "of what is found."),
    "seed": ("S", BOX + "else a fresh one is drawn."),
    "audit.seconds": ("S", "Patience with one answer."),
    "gallery": (None, "The randomizers of the field; FILE names one."),
}
FLAGS = {"output": ("-o", "--output"), "param": ("--param", "-p"), "promise": ("--for",)}  # that have not their name
NEEDED = {"delta": ("eps",), "epsilon": ("delta",), "calibrate": ("eps", "delta"), "compare": ("eps", "delta")}
ARGUMENTS = {"system", "name", "journal_file", "files", "names", "task", "file"}
LISTED = {"param", "patch", "names"}  # given several times, or several
LEAST = {"max_bits": 1, "max_work": 1, "dots": 1, "workers": 1, "patience": 0}  # of those that are integers


def described(name: str, doc: str) -> str:
    """What a command is for: the first sentences of its function, and what else its help says."""
    return "\n\n".join(filter(None, (doc.partition("\n\n")[0], FURTHER.get(name))))


def purpose(name: str) -> str:
    """Under which heading a command is listed."""
    return next(heading for heading, names in PURPOSES.items() if name in names)


def example(name: str) -> str:
    """The line below a command's help."""
    return f"Example: {EXAMPLES[name]}"


def going_on(arguments: Sequence[str]) -> str:
    """What was kept of a command that somebody stopped, and what would be quicker; nothing where it says so itself."""
    return GO_ON.get(next((word for word in arguments if word in EXAMPLES), ""), "")


def arrange(command: Any) -> None:
    """Put the options of every command into groups, and leave out the type of a switch, which takes no value."""
    of = {option: heading for heading, options in GROUPS.items() for option in options}
    for one in [command, *command.commands.values()]:
        for option in one.params:
            if hasattr(option, "rich_help_panel") and option.param_type_name == "option":
                asked = one.name == "search" and option.name == "inputs"  # the others' inputs are a function's
                heading = QUESTION if asked else of.get(option.name, QUESTION)
                option.rich_help_panel = heading if one is not command else None
            _untyped(option)
        one.get_help_option = partial(_help_option, one.get_help_option)


def _help_option(made: Callable[[Any], Any], context: Any) -> Any:
    return _untyped(made(context))


def _untyped(option: Any) -> Any:
    """A switch without a type."""
    if getattr(option, "is_flag", False):
        option.display_type_rich = lambda *_, **__: None
    return option


def _known(name: str) -> str:
    """A wrong name is told before what is missing beside it. Raises BadInput."""
    if not is_file(name):
        parameters_of(name)
    elif not writing.exists(file_of(name)):
        raise BadInput(f"{file_of(name)}: no such file")
    return name


def _each_known(names: str) -> str:
    for name in filter(None, map(str.strip, names.split(","))):
        _known(name)
    return names


def _beginning(incomplete: str) -> list[str]:
    """The systems whose names begin so, for a shell that completes; of a list, after its last comma."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in catalogue.names() if name.startswith(last)]


def _one_of(*values: str) -> Callable[[str], list[str]]:
    """What completes an option that takes one of these."""

    def beginning(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return beginning


def _parameter(context: Context, incomplete: str) -> list[str]:
    """The parameters of the systems that were named, as NAME=."""
    rest = [word for word in context.args if not word.startswith("-")]  # of a line that ends in `-p`
    names = str(context.params.get("system") or "".join(rest[:1]))
    with suppress(BadInput):
        known = [own for name in names.split(",") if name for own in parameters_of(name.strip())]
        return [f"{own}=" for own in dict.fromkeys(known) if own.startswith(incomplete)]
    return []


MORE: dict[str, dict[str, Any]] = {  # how some are completed, and looked at before the rest
    "system": {"autocompletion": _beginning, "callback": _known},
    "profile.system": {"autocompletion": _beginning, "callback": _each_known},
    "compose.system": {"autocompletion": _beginning, "callback": _each_known},
    "param": {"autocompletion": _parameter},
    "search.param": {},
    "view": {"autocompletion": _one_of(*VIEWS)},
    "adjacency": {"autocompletion": _one_of(*ADJACENCIES)},
    "search.adjacency": {},
}


def command(function: Callable[..., Any], called: str) -> Callable[..., int]:
    """The command of a function: its parameters as options, `-p` in the place of a system's, and --json."""
    own = list(signature(function).parameters.values())
    needed = NEEDED.get(called, ())
    own.sort(key=lambda one: one.default is not Parameter.empty and one.name not in needed)
    keywords = [one for one in own if one.kind is Parameter.VAR_KEYWORD]
    options = [_option(one, called, one.name in needed) for one in own if one not in keywords]
    first = sum(one.default is Parameter.empty or one.name in needed for one in own if one not in keywords)
    if keywords:
        of_systems = Parameter(PARAM, Parameter.KEYWORD_ONLY, annotation=list[str] | None, default=None)
        options.insert(first, _option(of_systems, called))
    options.append(_option(Parameter("json", Parameter.KEYWORD_ONLY, annotation=bool, default=False), called))
    several = next((one.name for one in own if one.kind is Parameter.VAR_POSITIONAL), None)

    def run(*, json: bool, **given: Any) -> int:
        listed = given.pop(several) if several else ()
        if not given.get(PARAM, True):
            del given[PARAM]
        if called == "compare" and given["workers"] is None:
            given["workers"] = import_module("shufflecert.verify.runs.executors").processors()
        answer: Answer = function(*listed, **given)
        return shown(answer, json)

    run.__doc__ = described(called, cleandoc(function.__doc__ or ""))
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in options}
    return run


def _option(one: Parameter, called: str, needed: bool = False) -> Parameter:
    """A parameter as an option, or as an argument."""
    kind, empty = _type(one, needed), one.default is Parameter.empty
    name = f"{called}.{one.name}" if f"{called}.{one.name}" in OPTIONS else one.name
    shown, said = OPTIONS[name]
    told: dict[str, Any] = {"metavar": shown, "help": said} | MORE.get(name, MORE.get(one.name, {}))
    if kind in (int, int | None):
        told["min"] = LEAST[one.name]
    default = ... if needed or empty else one.default
    if isinstance(default, int) and kind is str:
        default = str(default)
    if one.name in ARGUMENTS:
        made = Argument(default, show_default=False, **told)
    else:
        made = Option(default, *FLAGS.get(one.name, (f"--{one.name.replace('_', '-')}",)), **told)
    return Parameter(one.name, Parameter.KEYWORD_ONLY, default=made, annotation=kind)


def _type(one: Parameter, needed: bool) -> Any:
    """How an option is read: switches, whole numbers, names of files, lists; all else is text that the function reads.

    What may be left out is None then.
    """
    if one.kind is Parameter.VAR_POSITIONAL:
        return list[Path]
    if one.name in LISTED:
        return list[str] | None
    if one.annotation in (bool, int, int | None):
        return one.annotation
    kind = Path if {*get_args(one.annotation)} - {type(None), Answer} == {*get_args(File)} else str
    return kind | None if one.default is None and not needed else kind


def shown(answer: Answer, json: bool) -> int:
    """Print an answer, as JSON or in words; its exit status."""
    words.show(answer.tree, lambda _: answer.words(), json)
    if answer.stopped:
        print(f"shufflecert: stopped by Ctrl-C: {answer.left()}", file=sys.stderr)
        return INTERRUPTED
    return answer.exit_status
