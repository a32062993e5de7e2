"""Compare: the systems that serve one task, at the least noise that satisfies (eps, delta), in one table."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from shufflecert.verify import progress
from shufflecert.verify.answers import compared as answers
from shufflecert.verify.answers.compared import SORTS
from shufflecert.verify.commands import certificates, options
from shufflecert.verify.commands.options import INTERRUPTED, OK, DeltaOption, EpsOption, Force, Json
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.exact.written import Tree, presence_tree
from shufflecert.verify.runs import atomic_files
from shufflecert.verify.systems.catalogue import load
from shufflecert.verify.systems.population import populated


def compare(
    task: Annotated[str, Argument(metavar="sum|histogram|mean", help="What is estimated.", show_default=False)],
    eps: EpsOption,
    delta: DeltaOption,
    n: options.Users = None,
    buckets: Annotated[str | None, Option("--buckets", metavar="B", help="Buckets of the histogram.")] = None,
    systems: Annotated[str | None, Option("--systems", metavar="A,B,...", help="Only these.")] = None,
    rmse_slack: Annotated[
        str, Option("--rmse-slack", metavar="S", help="How far errors may rise to save messages, where they can.")
    ] = "1.2",
    sort: Annotated[str, Option("--sort", metavar="rmse|messages|bits", help="Order of the rows.")] = "rmse",
    csv: Annotated[Path | None, Option("--csv", help="Write the table here, too.")] = None,
    plot: Annotated[Path | None, Option("--plot", help="Draw what is sorted by: .png, .svg or .pdf.")] = None,
    output: options.Points = None,
    force: Force = False,
    workers: Annotated[
        str | None, Option("--workers", metavar="W", help="Systems at a time, each in a process of its own.")
    ] = None,
    seconds: Annotated[str, Option("--seconds", metavar="S", help="Time after which a system is given up.")] = "900",
    adjacency: options.Adjacency = "replace",
    reference: options.Reference = None,
    honest: options.Honest = None,
    take_part: options.TakePart = None,
    json: Json = False,
) -> int:
    """All systems that serve a task, at the least noise that keeps (eps, delta): errors in users, messages, bits."""
    from shufflecert.verify.runs.executors import processors

    who = options.presence(adjacency, reference, honest, take_part)
    at_once = str(processors()) if workers is None else workers
    files: dict[str, Any] = {"csv": csv, "plot": plot, "output": output, "force": force}
    users = options.users(n, "shuffled")
    chosen: dict[str, Any] = {
        "buckets": buckets,
        "systems": systems,
        "rmse_slack": rmse_slack,
        "sort": sort,
        "seconds": seconds,
    }
    found = compared(task, users, eps, delta, who, at_once, **chosen, **files)
    options.shown(found, json)
    certificates.say(found.certified, json)
    if not found.stopped:
        return OK
    print(f"shufflecert: stopped by Ctrl-C: not finished: {', '.join(found.tree['unfinished'])}", file=sys.stderr)
    return INTERRUPTED


def compared(
    task: str,
    n: int,
    eps: Any,
    delta: Any,
    asked: Presence,
    workers: str | None,
    *,
    buckets: str | None,
    systems: str | None,
    rmse_slack: str,
    sort: str,
    seconds: str,
    csv: Path | None,
    plot: Path | None,
    output: Path | None,
    force: bool,
) -> answers.Comparison:
    """The answer of `compare`; without `workers` all in this process.

    On a terminal a system's row is shown when it is found, the quick first. Of Ctrl-C, rows that were found are kept.
    Raises BadInput.
    """
    from shufflecert.verify.calibrate import comparison

    if asked.law:
        raise BadInput("--reference: a law of its own: expected one for all systems, whose messages differ")
    who = presence_tree(asked) | {"adjacency": asked.adjacency}
    question = comparison.Question.of(task, n, eps, delta, buckets, rmse_slack, **who)
    names = _chosen(systems, comparison.systems(question.task, question.buckets))
    if sort not in SORTS:
        raise BadInput(f"--sort {sort[:40]}: expected one of {', '.join(SORTS)}")
    at_once = None if workers is None else natural(workers, "--workers", most=1024)
    patience = natural(seconds, "--seconds", most=10**7)
    options.check_files(csv, plot, output, force)
    found, stopped = list[Tree](), False
    try:
        for row in progress.told(comparison.rows(names, question, at_once, patience), len(names), answers.line):
            found.append(row)
    except KeyboardInterrupt as stop:
        if stop.args:  # not by Ctrl-C: nobody waits for an answer
            raise
        if not any(row["rmse"] for row in found):
            stop.add_note("no partial result; --seconds S limits each row, --systems A,B compares fewer")
            raise
        left = [name for name in names if name not in {row["system"] for row in found}]
        found += [comparison.empty(name, "stopped by Ctrl-C", finished=False) for name in left]
        stopped = True
    answer = answers.of(question, found, names, sort, stopped)
    if csv is not None:
        atomic_files.write_whole(csv, answer.csv())
    if plot is not None:
        from shufflecert.verify.answers import plots

        plots.save(answer.plot(sort), plot, force)
    if output is not None:
        promised = [(question.eps, question.delta)]
        points = [
            (row["system"], populated(load(row["system"], row["parameters"]), asked), promised)
            for row in answer.tree["rows"]
            if row["parameters"] is not None and not row["central"]
        ]
        answer = replace(answer, certified=tuple(certificates.write_points(output, points, question.n, "shuffled")))
    return answer


def _chosen(systems: str | None, known: list[str]) -> list[str]:
    if systems is None:
        return known
    names = list(dict.fromkeys(name.strip() for name in systems.split(",")))
    for name in names:
        if name not in known:
            raise BadInput(f"--systems {name[:40]!r}: does not serve this task: expected some of {', '.join(known)}")
    return names
