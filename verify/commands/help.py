"""What `--help` shows beside the options: an example of each command, options in groups, commands by purpose."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

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


MORE = {  # below a command's first sentences
    "profile": "With --trade-off what a test of neighbours can do, with --renyi Renyi and zero-concentrated privacy.",
    "compose": "Neighbouring datasets: with --data same, a user holds one input for all runs of a system; with fresh,"
    " inputs may differ from run to run and are fixed beforehand; with adaptive they are chosen on seeing the runs"
    " before.",
    "certify": "Without --eps, or without --delta, the least one that a certificate shows is taken, rounded up to three"
    " digits.",
    "report": "The file needs no network and no script, and carries the certificate; where scripts run, a button"
    " re-checks it. The exit status is that of `check`; of an answer, which nobody checks, 0.",
}


def text(name: str, doc: str) -> str:
    """What a command is for: the first sentences of its function, and what else its help says."""
    return "\n\n".join(filter(None, (doc.partition("\n\n")[0], MORE.get(name))))


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


__all__ = ["EXAMPLES", "arrange", "example", "going_on", "purpose"]
