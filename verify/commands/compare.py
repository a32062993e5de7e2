"""Compare: the systems that serve one task, at the least noise that satisfies (eps, delta), in one table."""

from collections.abc import Sequence
from operator import itemgetter

from shufflecert.verify import progress
from shufflecert.verify.answers import compared as answers
from shufflecert.verify.answers.compared import SORTS
from shufflecert.verify.commands import certificates, given
from shufflecert.verify.commands.given import EpsValue, Exact, File, Reference
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.exact.randomizer import presence_tree
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.runs import writing
from shufflecert.verify.systems.catalogue import make
from shufflecert.verify.systems.population import populated


def compare(
    task: str,
    n: Exact | None = None,
    eps: EpsValue | None = None,
    delta: Exact | None = None,
    buckets: Exact | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    rmse_slack: Exact = "1.2",
    sort: str = "rmse",
    csv: File | None = None,
    plot: File | None = None,
    output: File | None = None,
    force: bool = False,
    workers: Exact | None = None,
    seconds: Exact = 900,
    adjacency: str = "replace",
    reference: Reference | None = None,
    honest: Exact | None = None,
    take_part: Exact | None = None,
) -> answers.Comparison:
    """All systems that serve a task, at the least noise that keeps (eps, delta): errors in users, messages, bits.

    A task is "sum", "histogram" or "mean"; `systems` are some of them. With `workers`, so many at a time, each has a
    process of its own, and is given up after so many `seconds`; else all are found one after the other in this process.
    `output` is a file for certificates, a claim for each system. Raises BadInput.

        >>> found = compare("sum", n=10, eps="log(2)", delta="1e-6", systems=["discrete_laplace"])
        >>> found.rows()[0]["rmse_upper"]
        2.0
    """
    asked, users = given.presence(adjacency, reference, honest, take_part), given.users(n, "shuffled")
    eps, delta = given.needed(eps, "eps", "1"), given.needed(delta, "delta", '"1e-6"')
    from shufflecert.verify.calibrate import comparison

    if asked.law:
        raise BadInput("--reference: a law of its own: expected one for all systems, whose messages differ")
    who = presence_tree(asked) | {"adjacency": asked.adjacency}
    question = comparison.ComparedTask.of(task, users, eps, delta, given.text(buckets), given.text(rmse_slack), **who)
    names = _chosen(given.text(systems), comparison.systems(question.task, question.buckets))
    if sort not in SORTS:
        raise BadInput(f"--sort {sort[:40]}: expected one of {', '.join(SORTS)}")
    at_once = None if workers is None else natural(workers, "--workers", most=1024)
    patience = natural(seconds, "--seconds", most=10**7)
    table, picture, place = given.outputs(csv, plot, output, force)
    found, stopped = list[Tree](), False
    left = progress.Left(comparison.foreseen(names, question), at_once or 1)
    try:
        rows = comparison.rows(names, question, at_once, patience)
        for row in progress.told(rows, answers.line, left, itemgetter("system")):
            found.append(row)
    except KeyboardInterrupt as stop:
        if stop.args:  # not by Ctrl-C: nobody waits for an answer
            raise
        if not any(row["rmse"] for row in found):
            stop.add_note("no partial result; --seconds S limits each row, --systems A,B compares fewer")
            raise
        missing = [name for name in names if name not in {row["system"] for row in found}]
        found += [comparison.empty(name, "stopped by Ctrl-C", finished=False) for name in missing]
        stopped = True
    answer = answers.of(question, found, names, sort, stopped)
    if table is not None:
        writing.write_whole(table, answer.csv())
    if picture is not None:
        from shufflecert.verify.answers import plots

        plots.save(answer.plot(sort), picture, force)
    if place is not None:
        promised = [(question.eps, question.delta)]
        present = [row for row in answer.tree["rows"] if row["parameters"] is not None and not row["central"]]
        named = ((row["system"], populated(make(row["system"], row["parameters"]), asked)) for row in present)
        points = ((name, certificates.known(system, question.n), promised) for name, system in named)
        answer = certificates.write_points(answer, place, points)
    return answer


def _chosen(systems: str | None, known: list[str]) -> list[str]:
    if systems is None:
        return known
    names = list(dict.fromkeys(name.strip() for name in systems.split(",")))
    for name in names:
        if name not in known:
            raise BadInput(f"--systems {name[:40]!r}: does not serve this task: expected some of {', '.join(known)}")
    return names
