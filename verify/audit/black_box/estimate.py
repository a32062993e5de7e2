"""A sampler that is only run: lower bounds on delta(eps) and eps(delta) that hold at a stated confidence.

Every input is run `samples` times. The first half of the runs chooses, for each of two questions, an ordered pair of
inputs and an event E, a set of outputs; the second half measures it. Given the first half, the number of runs of the
second in which E holds is binomial, so that with exact bounds p <= Pr[E | one input] and q >= Pr[E | the other]

    delta(eps) >= p - e^eps q,        eps(delta) >= log((p - delta) / q),

and all four of these p, q hold together with probability at least `confidence`
(verify/audit/black_box/clopper_pearson.py). This takes the runs to be independent and alike. It proves no promise: an
event that was not looked at may still break it.
"""

import secrets
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, redirect_stdout, suppress
from dataclasses import dataclass
from fractions import Fraction
from inspect import isgenerator
from itertools import chain, islice, repeat
from math import inf
from random import Random
from statistics import NormalDist
from typing import Any

from shufflecert.verify.audit.black_box.clopper_pearson import (
    E_BITS,
    POWER,
    Detectable,
    delta_bound,
    detectable,
    eps_bound,
    lower,
    read_confidence,
    share,
    upper,
)
from shufflecert.verify.audit.black_box.process import SEED_BITS, told
from shufflecert.verify.audit.callables import checked, place_of
from shufflecert.verify.audit.messages import Names, label_of, sent
from shufflecert.verify.audit.watch import Stopped, Watch
from shufflecert.verify.errors import BadInput, TooMuchWork, exception_text
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, label
from shufflecert.verify.exact.rational import natural, probability
from shufflecert.verify.progress import Progress

Given = Any  # an integer or text to a command
Counts = Counter[int]  # of outputs, by their place in the list of those that were seen
Function = Callable[[Any, Any], object]

SECONDS = 10  # for one answer
MOST_SECONDS = 86_400
MOST_INPUTS = 200
MOST_USERS = 10**6
MOST_RUNS = 10**9
MOST_OUTPUTS = 10**6
MOST_HELD = 10**8  # characters of different outputs
STEPS = 200  # of the progress bar, at least
TRIED = 3  # runs of every input, to find out which library's source a function is written for


@dataclass(frozen=True)
class Event:
    """An event, and what the second half of the runs says about it: `hits` under (source, target), of `of` runs each.

    Pr[event | source] >= low and Pr[event | target] <= high, each with probability at least 1 - beta.
    """

    source: str
    target: str
    outputs: tuple[Messages, ...]
    hits: tuple[int, int]
    of: int
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class BlackBox:
    """What runs show about a sampler: at the stated confidence delta(eps) >= delta_lower and eps(delta) >= eps_lower.

    n is None for one user whose messages are seen in order (the local view); else the sorted messages of n users, all
    but one on `others`. `samples` runs of each of `inputs`; `outputs` different ones were seen. `claimed` is whether
    (eps, delta) is a claim; `contradicted` whether delta_lower
    contradicts it. `by_delta` and `by_eps` are the events that show the two bounds. `rng` is the source that a Python
    function was given, None for a command.
    """

    what: str
    inputs: tuple[str, ...]
    n: int | None
    others: str
    samples: int
    confidence: Fraction
    seed: int
    outputs: int
    claimed: bool
    eps: Eps
    delta: Fraction
    by_delta: Event
    by_eps: Event
    detectable: Detectable
    rng: str | None = None

    @property
    def delta_lower(self) -> Fraction:
        """A lower bound on delta(eps), a probability, at the stated confidence."""
        return delta_bound(self.by_delta.low, self.by_delta.high, self.eps)

    @property
    def eps_lower(self) -> Eps:
        """A lower bound on eps(delta), in nats, at the stated confidence."""
        return eps_bound(self.by_eps.low, self.by_eps.high, self.delta)

    @property
    def contradicted(self) -> bool:
        """Whether the lower bound on delta contradicts the claim."""
        return self.claimed and self.delta_lower > self.delta


def audit(
    sampler: str | Function,
    inputs: Sequence[Given],
    *,
    samples: object,
    confidence: object,
    eps: object = None,
    delta: object = None,
    n: object = None,
    others: Given | None = None,
    seed: object = None,
    seconds: object = SECONDS,
    power: object = POWER,
    rng: str | None = None,
    progress: Progress | None = None,
) -> BlackBox:
    """Run a command (verify/audit/black_box/process.py has its protocol) or a Python function f(x, rng) on each input.

    `samples` runs of each input, half of them to choose by; eps is the claim's, or else 0 with no claim made; delta is
    the claim's, or else 0. With n the output is the multiset of n users' messages, one user on the input and the others
    on `others` (the first input). Inputs are handed over as they are given. The same seed gives the same answer where
    the sampler draws from its rng, or from the seeds of its requests, alone; without one a fresh one is drawn, and
    recorded. A function's rng is a random.Random, or numpy's Generator where it takes another one's methods; or what
    `rng` names, one of SOURCES. `progress(items, total)` as `verify.progress.track`.

    Raises BadInput, naming the run, for a sampler that fails, takes over `seconds` for one answer, or answers with
    something else than messages, and for over MOST_OUTPUTS different outputs; TooMuchWork for over MOST_RUNS runs.
    """
    runs = natural(samples, "samples", least=2, most=MOST_RUNS)
    certain = read_confidence(confidence)
    bound, allowed = Eps.of(0 if eps is None else eps), probability(0 if delta is None else delta, "delta")
    users = None if n is None else natural(n, "n", most=MOST_USERS)
    wanted, patience = read_confidence(power, "power"), natural(seconds, "seconds", most=MOST_SECONDS)
    names = [label(x, "inputs") if isinstance(x, str | int | float) else label_of(x, "inputs") for x in inputs]
    if len(set(names)) != len(names) or not 2 <= len(names) <= MOST_INPUTS:
        raise BadInput(f"inputs: {', '.join(names)[:80] or 'none'}: expected from 2 to {MOST_INPUTS}, each once")
    if (total := runs * len(names) * (users or 1)) > MOST_RUNS:
        raise TooMuchWork(f"samples: {total} runs in all: expected at most {MOST_RUNS}")
    start = secrets.randbits(SEED_BITS) if seed is None else natural(seed, "seed", least=0, most=2**SEED_BITS - 1)
    rest = inputs[0] if others is None else others
    asked = [x for given in inputs for x in (given, *([rest] * ((users or 1) - 1)))]
    first = runs // 2
    requests = chain.from_iterable(repeat(asked, runs))
    if isinstance(sampler, str):
        library, running = None, told(sampler, requests, start, patience)
    else:
        library = rng or _library(checked(sampler), inputs, patience)
        running = _called(sampler, requests, source(library, start), patience)
    with closing(running) as said:
        chosen, measured, seen = _count(_outputs(said, users), len(names), first, runs, progress)
    beta = share(certain)
    picks = _choose(chosen, len(seen), first, beta, bound, allowed)
    events = [_measure(measured, names, seen, pick, runs - first, beta) for pick in picks]
    return BlackBox(
        what=sampler if isinstance(sampler, str) else place_of(sampler),
        inputs=tuple(names),
        n=users,
        others=label_of(rest, "others"),
        samples=runs,
        confidence=certain,
        seed=start,
        outputs=len(seen),
        claimed=eps is not None,
        eps=bound,
        delta=allowed,
        by_delta=max(events, key=lambda event: delta_bound(event.low, event.high, bound)),
        by_eps=max(events, key=lambda event: eps_bound(event.low, event.high, allowed)),
        detectable=detectable(runs - first, bound, allowed, certain, wanted),
        rng=library,
    )


def source(library: str, seed: int) -> Any:
    """A library's own source of randomness."""
    if library == "random.Random":
        return Random(seed)
    import numpy

    if library == "numpy's Generator":
        return numpy.random.default_rng(seed)
    if library == "numpy's RandomState":
        return numpy.random.RandomState(seed % 2**32)
    raise BadInput(f"rng: {library}: expected random.Random, numpy's Generator or numpy's RandomState")


def _library(function: Function, inputs: Sequence[Given], seconds: int) -> str:
    """Which source a function can be run with: random.Random, or else numpy's Generator."""
    for library in ("random.Random", "numpy's Generator"):
        try:
            for _ in _called(function, [x for x in inputs for _ in range(TRIED)], source(library, 0), seconds):
                pass
        except BadInput:
            continue
        return library
    return "random.Random"


def _called(function: Function, asked: Iterable[Given], rng: Any, seconds: int) -> Generator[Messages, None, None]:
    """What a Python function returns, run after run, on one stream of random numbers; it prints to standard error."""
    watch, names, each = Watch(seconds), Names(), getattr(function, "each", False) is True
    with watch.watching():
        for x in asked:
            where = f"run {watch.runs + 1}, on input {x!r}"
            try:
                with redirect_stdout(sys.stderr), suppress(Stopped):  # which may get lost: `watch.stopped` tells
                    output: Any = function(x, rng)
                    several = isgenerator(output)
                    output = list(output) if several else output
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                raise BadInput(f"{where}: raised {exception_text(error)[:200]}: expected a message") from None
            watch.runs += 1
            try:
                if watch.stopped:
                    raise BadInput(f"no answer within {seconds} seconds: expected one")
                messages = names.messages(sent(output, each or several))
            except BadInput as error:
                raise BadInput(f"{where}: {error}") from None
            yield messages


def _outputs(said: Iterator[Messages], users: int | None) -> Iterator[Messages]:
    """One output for each run: the messages in order, or those of all users, sorted."""
    if users is None:
        yield from said
    while users is not None and (parts := tuple(islice(said, users))):
        yield tuple(sorted(chain.from_iterable(parts)))


def _count(
    outputs: Iterator[Messages], width: int, first: int, runs: int, progress: Progress | None
) -> tuple[list[Counts], list[Counts], list[Messages]]:
    """How often every input gave every output, in the first runs and in the others, and what the outputs are."""
    halves = [Counts() for _ in range(width)], [Counts() for _ in range(width)]
    places: dict[Messages, int] = {}
    held, batch = 0, -(-runs // STEPS)
    starts = range(0, runs, batch)
    for begin in progress(starts, len(starts)) if progress else starts:
        for i in range(begin, min(begin + batch, runs)):
            for counts in halves[i >= first]:
                output = next(outputs)
                if (place := places.get(output)) is None:
                    place = places[output] = len(places)
                    held += sum(map(len, output), len(output))
                    if place >= MOST_OUTPUTS or held > MOST_HELD:
                        raise BadInput(
                            f"run {i + 1}: over {place} different outputs, {held} characters: "
                            f"expected at most {MOST_OUTPUTS} and {MOST_HELD}, such as rounded ones"
                        )
                counts[place] += 1
    next(outputs, None)  # the end, where a command is heard whether it has more to say
    return *halves, list(places)


def _choose(
    chosen: list[Counts], outputs: int, m: int, beta: Fraction, eps: Eps, delta: Fraction
) -> list[tuple[int, int, list[int]]]:
    """For each question the inputs (source, target) and the outputs of the event with the best bound in these counts.

    Events are the outputs most typical of the source, up to some place. Any choice is sound: here floats suffice.
    """
    import numpy as np

    places = [np.fromiter(counts, int, len(counts)) for counts in chosen]
    times = [np.fromiter(counts.values(), float, len(counts)) for counts in chosen]
    z = -NormalDist().inv_cdf(max(float(beta), 1e-300))
    power = float(min(eps.bounds(E_BITS)[1], Fraction(10) ** 300))

    def bound(hits: Any, way: int) -> Any:  # Wilson's, as a guess of Clopper and Pearson's
        return (hits + z * z / 2 + way * z * np.sqrt(hits * (m - hits) / m + z * z / 4)) / (m + z * z)

    best: list[tuple[float, int, int, list[int]]] = [(-inf, 0, 1, [])] * 2
    for b, others in enumerate(places):
        target = np.zeros(outputs)
        target[others] = times[b]
        for a, own in enumerate(places):
            if a == b:
                continue
            ratio = (times[a] + 0.5) / (target[own] + 0.5)
            order = np.argsort(-ratio, kind="stable")
            low, high = bound(np.cumsum(times[a][order]), -1), bound(np.cumsum(target[own][order]), 1)
            for i, score in enumerate((low - power * high, (low - float(delta)) / high)):
                if score[at := int(np.argmax(score))] > best[i][0]:
                    best[i] = float(score[at]), a, b, own[order[: at + 1]].tolist()
    return [pick[1:] for pick in best]


def _measure(
    measured: list[Counts],
    names: Sequence[str],
    seen: list[Messages],
    pick: tuple[int, int, list[int]],
    m: int,
    beta: Fraction,
) -> Event:
    a, b, places = pick
    hits = sum(measured[a][place] for place in places), sum(measured[b][place] for place in places)
    event = tuple(seen[place] for place in places)
    return Event(names[a], names[b], event, hits, m, lower(hits[0], m, beta), upper(hits[1], m, beta))
