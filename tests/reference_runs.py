"""Functions run as they stand, by Python, on the choices of one path of the machine at a time.

On a path every question of chance gets an answer at once, drawn by its weights, and every value that rng gives is
written down. Once the path has ended each draw that was never a number becomes one, of the places that it may still
have; then Python runs the function on a source that gives these values again. It has to call the same methods in the
same order, and to send the same.

A path without draws is run once, since nothing in it could be another the next time, and one with draws up to AGAIN
times, with other numbers each time: so 10,000 sources cost as many runs as they have paths.
"""

import random
import time
from fractions import Fraction
from inspect import isgenerator

import numpy

from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.follow import entry
from shufflecert.verify.audit.messages import sent
from shufflecert.verify.audit.rng.draws import Draw, Draws
from shufflecert.verify.audit.rng.order_statistics import place_of
from shufflecert.verify.audit.rng.source import SOURCES, RandomSource

REALS = {"random.Random": random.Random, "numpy's Generator": numpy.random.Generator}
AGAIN = 5
BY_PLACE = ("choice", "choices", "sample", "shuffle")  # of random.Random: which of what is given


class Chance:
    """Answers every question at once, by its weights; `p` is the probability of all answers so far."""

    def __init__(self, seed, known):
        self.random, self.p = random.Random(f"path {seed}"), Fraction(1)
        self.answers, self.step = (), 0  # what the machine sets
        self.known, self.path = known, ()  # the weights after the answers of a path; the answers so far
        while self.path in known:
            self.answer(known[self.path])
        self.ahead = list(self.path)

    def choose(self, question, count, weigh=None):
        if count == 1:
            return 0
        if self.ahead:
            return self.ahead.pop(0)
        self.known[self.path] = [1] * count if weigh is None else list(weigh())
        return self.answer(self.known[self.path])

    def answer(self, weights):
        found = self.random.choices(range(len(weights)), weights) if sum(weights) < 2**53 else [self.large(weights)]
        self.p *= Fraction(weights[found[0]], sum(weights))
        self.path = (*self.path, found[0])
        return found[0]

    def large(self, weights):
        at = self.random.randrange(sum(weights))
        for i, weight in enumerate(weights):
            at -= weight
            if at < 0:
                return i


class Recorded:
    """The source of one path, and what its methods gave."""

    def __init__(self, source):
        self.source, self.log = source, []

    def drawn(self, m, source, name, args, named):
        by_place = name in BY_PLACE and type(source) is RandomSource and type(args[0]) is not numpy.ndarray
        if not by_place:
            found = DRAWN(m, source, name, args, named)
            held = args[0] if name == "shuffle" else found
            kept = held.copy() if isinstance(held, list | numpy.ndarray | Draws) else held
            self.log.append((name, False, kept))
            return found
        listed, rest = args[0], args[1:]
        places = list(range(len(listed)))
        found = DRAWN(m, source, name, [places, *rest], named)
        self.log.append((name, True, list(places) if name == "shuffle" else found))
        return by_places(name, listed, self.log[-1][2])


DRAWN = library._drawn


def by_places(name, listed, places):
    if name == "shuffle":
        listed[:] = [listed[i] for i in places]
        return None
    return listed[places] if name == "choice" else [listed[i] for i in places]


class Again:
    """A source of random's or numpy's kind that gives what was written down."""

    def __init__(self, library, log):
        self._kind, self._log = REALS[library], iter(log)

    @property
    def __class__(self):
        return self._kind

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(self._kind, name):
            raise AttributeError(name)

        def method(*args, **named):
            recorded, by_place, value = next(self._log)
            assert recorded == name
            if by_place:
                return by_places(name, args[0], value)
            if name == "shuffle":
                args[0][:] = value
                return None
            return value

        return method


class Numbers:
    """Numbers for draws, each of a place that it may still have; `deployed`, so that a number is one of a lattice."""

    def __init__(self, chance):
        self.random, self.cells = chance.random, {}

    def of(self, value):
        if isinstance(value, Draws):
            listed = [self.of(part) for part in value.values.flat]
            return numpy.array(listed, dtype=value.dtype).reshape(value.shape)
        if type(value) is list:
            return list(map(self.of, value))
        if not issubclass(type(value), Draw):
            return value
        place = place_of(value.place)
        if id(place.cell) not in self.cells:
            low, high, many = place.cell.low, place.cell.high, len(place.cell.places)
            found = set()
            while len(found) < many:
                found.add(self.random.randrange(low, high))
            self.cells[id(place.cell)] = sorted(found)
        index = next(i for i, one in enumerate(place.cell.places) if one is place)
        return value._value(self.cells[id(place.cell)][index])


def paths(program, function, library_name, x, seeds, each=False, seconds=None):
    """(what the machine and what Python send, the probability of the path) for each of the sources, until the seconds
    of the processor are over."""
    known, ended, began = {}, {}, time.process_time()
    for seed in seeds:
        if seconds is not None and time.process_time() - began > seconds:
            return
        chance = Chance(seed, known)
        runs, one, drew = ended.get(chance.path, (0, None, True))
        if runs < (AGAIN if drew else 1):
            one, two, drew = path(program, function, library_name, x, chance, each)
            assert one == two, (x, seed)
            ended[chance.path] = runs + 1, one, drew
        yield one, chance.p


def path(program, function, library_name, x, chance, each):
    """What the machine and what Python send on one path, drawn by chance, and whether numbers were drawn for it."""
    source = SOURCES[library_name](chance, True, {}, set())
    held, program.machine.asking = program.machine.asking, chance
    recorded = Recorded(source)
    library._drawn = recorded.drawn
    try:
        program.machine.frames = [entry(program.machine, program.function, x, source, each)]
        with numpy.errstate(all="ignore"):
            one = program.machine.run()
    finally:
        program.machine.asking, library._drawn = held, DRAWN
    numbers = Numbers(chance)
    again = Again(library_name, [(name, by_place, numbers.of(value)) for name, by_place, value in recorded.log])
    with numpy.errstate(all="ignore"):
        value = function(x, again)
        several = isgenerator(value)
        two = sent(list(value) if several else value, each or several)
    assert next(again._log, None) is None, "Python asks less"
    return one, two, bool(numbers.cells)
