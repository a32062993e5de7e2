"""numpy's Generator and RandomState, followed: the values are ours, and all else is numpy's own.

Every method first asks a real source of numpy's, from which nothing is taken but the shape, the type and the error;
then the answer is filled with values that are drawn from the path.
"""

from bisect import bisect_right
from collections.abc import Callable, MutableSequence
from copy import copy
from fractions import Fraction
from functools import cache, partial
from math import prod
from operator import index
from typing import Any

import numpy

from shufflecert.verify.audit.rng.draws import Draw, NotFollowed, array_of, exact
from shufflecert.verify.audit.rng.order_statistics import LATTICE
from shufflecert.verify.audit.rng.recording import BRANCHES, Source

SINGLE = 2**24  # of the numbers that numpy draws in float32


class NumpySource(Source):
    """What Generator and RandomState have in common."""

    @staticmethod
    def _numpy() -> Any:
        raise NotImplementedError

    @classmethod
    def _real(cls) -> type:
        return type(cls._numpy())

    # -- numbers -------------------------------------------------------------------------------------------------------

    def _uniforms(self, size: Any, dtype: Any = float) -> Any:
        kind = numpy.dtype(dtype).type
        points = SINGLE if kind is numpy.float32 else LATTICE
        if size is None:
            return self._draw(0.5, points)
        return self._array(lambda: self._draw(kind(0.5), points), size, kind(0.5))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        shape = numpy.shape(self._numpy().uniform(low, high, size))
        if size is None and not shape:
            return self._between(_double(low), _double(high), self._draw(0.5))
        ends = [part.ravel().tolist() for part in _spread(shape, low, high)]
        pairs = iter(zip(*ends, strict=True))

        def one() -> Any:
            start, stop = next(pairs)
            return self._between(numpy.float64(start), numpy.float64(stop), self._draw(numpy.float64(0.5)))

        return self._array(one, shape, numpy.float64(0.5))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        template = self._numpy().binomial(n, p, size)
        return _filled(template, lambda trials, q: self._trials(_whole(trials), self._probability("binomial", q)), n, p)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return _filled(self._numpy().geometric(p, size), lambda q: self._until(self._probability("geometric", q)), p)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        template = self._numpy().multinomial(n, pvals, size)
        if numpy.ndim(pvals) != 1:
            raise NotFollowed("multinomial with several rows of probabilities: expected one")
        shares = [self._probability("multinomial", p) for p in pvals]
        rows, times = template.reshape(-1, len(shares)), _spread(template.shape[:-1], n)[0]
        for row, trials in zip(rows, times.ravel().tolist(), strict=True):
            left, rest = _whole(trials), Fraction(1)
            for i, share in enumerate(shares[:-1]):  # the last one gets what is left, whatever its probability
                row[i] = self._trials(left, min(share / rest, Fraction(1))) if rest > 0 else 0
                left, rest = left - int(row[i]), rest - share
            row[-1] = left
        return template

    def _integers(self, template: Any, low: Any, high: Any, endpoint: bool) -> Any:
        """Uniform in low .. high - 1, or low .. high, of the type and shape of `template`."""
        start, stop = (0, low) if high is None else (low, high)
        if numpy.ndim(template) or isinstance(template, numpy.ndarray):
            scalar = template.dtype.type(1)
            ends = zip(*(part.ravel().tolist() for part in _spread(template.shape, start, stop)), strict=True)
            drawn = [self._integer(_whole(a), _whole(b) - _whole(a) + endpoint, scalar) for a, b in ends]
            if any(isinstance(value, Draw) for value in drawn):
                return array_of(drawn, template.shape, scalar)
            template.ravel()[:] = drawn
            return template
        return self._integer(_whole(start), _whole(stop) - _whole(start) + endpoint, type(template)(1))

    def _integer(self, start: int, many: int, like: Any) -> Any:
        if many <= BRANCHES:
            return type(like)(start + self._below(many))
        return self._many(many, 1).from_start(start, like) if start else self._many(many, like)

    # -- choices and orders --------------------------------------------------------------------------------------------

    def _chosen(self, template: Any, a: Any, size: Any, replace: bool, p: Any, axis: int, shuffle: bool) -> Any:
        source = numpy.array(a)
        n = _whole(source[()]) if source.ndim == 0 else source.shape[axis]
        shape = () if size is None else _shape(size)
        places = numpy.array(self._places(n, prod(shape), replace, p, shuffle), dtype=numpy.int64)
        if source.ndim:
            found = numpy.take(source, places.reshape(shape), axis=axis)
            return found if not isinstance(template, numpy.ndarray) else numpy.asarray(found).reshape(template.shape)
        if not isinstance(template, numpy.ndarray):
            return type(template)(places[0])
        return places.reshape(template.shape).astype(template.dtype)

    def _places(self, n: int, many: int, replace: bool, p: Any, shuffle: bool) -> list[int]:
        if replace:
            if p is None:
                return [self._below(n) for _ in range(many)]
            pick = self._picker(p)
            return [pick() for _ in range(many)]
        if p is not None:
            raise NotFollowed("choice of several with p and without replacement: expected replace=True")
        if not shuffle:
            raise NotFollowed("choice with shuffle=False, whose order is numpy's own: expected shuffle=True")
        pool = list(range(n))
        return [pool.pop(self._below(len(pool))) for _ in range(many)]

    def _picker(self, p: Any) -> Callable[[], int]:
        if not self._deployed:
            return self._weighted(p)
        sums = numpy.cumsum(numpy.asarray(p, dtype=float))
        sums /= sums[-1]
        edges = sums.tolist()
        return lambda: bisect_right(edges, self._draw(0.5))

    def _mixed(self, x: Any, axis: int) -> Any:
        """A copy of an array with its parts along an axis in a uniform order."""
        return numpy.take(x, self._ordered(x.shape[axis]), axis=axis)

    def _shuffled(self, x: MutableSequence[Any], axis: int) -> None:
        if isinstance(x, numpy.ndarray):
            x[...] = self._mixed(x, axis)
            return
        for i in range(len(x) - 1, 0, -1):
            j = self._below(i + 1)
            x[i], x[j] = x[j], x[i]

    def permutation(self, x: Any) -> Any:
        template = self._numpy().permutation(x)
        source = numpy.asarray(x)
        if source.ndim == 0:
            template[...] = self._ordered(len(template))
            return template
        return self._mixed(source, 0)

    def bytes(self, length: int) -> bytes:
        if length < 0:
            raise NotFollowed(f"bytes({length}), of which numpy gives what was in memory: expected a length")
        return bytes(self._below(256) for _ in range(length))

    def _array(self, one: Callable[[], Any], size: Any, like: Any) -> Any:
        if (shape := _shape(size)) == ():
            raise NotFollowed("size=(): expected no size, or another")
        return array_of([one() for _ in range(prod(shape))], shape, like)


class GeneratorSource(NumpySource):
    """As numpy's Generator."""

    KEPT = "random, uniform, integers, choice, shuffle, permutation, permuted, binomial, geometric, multinomial, bytes"

    @staticmethod
    def _numpy() -> Any:
        return _generator()

    def random(self, size: Any = None, dtype: Any = float, out: Any = None) -> Any:
        if out is not None:
            raise NotFollowed("random(out=...): expected a size")
        self._numpy().random(size, dtype)
        return self._uniforms(size, dtype)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = "int64", endpoint: bool = False
    ) -> Any:
        template = self._numpy().integers(low, high, size, dtype, endpoint)
        return self._integers(template, low, high, bool(endpoint))

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        template = self._numpy().choice(a, size, replace, p, axis, shuffle)
        return self._chosen(template, a, size, replace, p, axis, shuffle)

    def shuffle(self, x: MutableSequence[Any], axis: int = 0) -> None:
        self._numpy().shuffle(copy(x), axis)
        self._shuffled(x, axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        if numpy.ndim(x) == 0:
            return super().permutation(x)
        self._numpy().permutation(x, axis)
        return self._mixed(numpy.asarray(x), axis)

    def permuted(self, x: Any, axis: Any = None, out: Any = None) -> Any:
        if out is not None:
            raise NotFollowed("permuted(out=...): expected the answer taken as it is returned")
        template = self._numpy().permuted(x, axis=axis)
        source = numpy.array(x)
        if axis is None:
            return source.ravel()[self._ordered(source.size)].reshape(template.shape)
        return numpy.apply_along_axis(partial(self._mixed, axis=0), axis, source)


class LegacySource(NumpySource):
    """As numpy's RandomState: `randint` leaves out its upper end; and the names of the module `numpy.random`."""

    KEPT = (
        "random, random_sample, rand, randint, uniform, choice, shuffle, permutation, "
        "binomial, geometric, multinomial, bytes"
    )

    @staticmethod
    def _numpy() -> Any:
        return _random_state()

    def random_sample(self, size: Any = None) -> Any:
        self._numpy().random_sample(size)
        return self._uniforms(size)

    random = random_sample

    def rand(self, *shape: int) -> Any:
        return self.random_sample(shape or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        return self._integers(self._numpy().randint(low, high, size, dtype), low, high, False)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        return self._chosen(self._numpy().choice(a, size, replace, p), a, size, replace, p, 0, True)

    def shuffle(self, x: MutableSequence[Any]) -> None:
        self._numpy().shuffle(copy(x))
        self._shuffled(x, 0)


def made_ready() -> None:
    """Makes numpy's own sources, from which shapes, types and errors are taken, while numpy.random is numpy's own."""
    _generator(), _random_state()


@cache
def _generator() -> Any:
    """A source from which no value is ever taken."""
    return numpy.random.Generator(numpy.random.PCG64(0))


@cache
def _random_state() -> Any:
    return numpy.random.RandomState(0)


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(map(index, numpy.ravel(size).tolist()))


def _spread(shape: Any, *given: Any) -> list[Any]:
    """Parameters as arrays of this shape."""
    return [numpy.broadcast_to(numpy.asarray(part), shape) for part in given]


def _filled(template: Any, one: Callable[..., int], *given: Any) -> Any:
    """A number, or an array of them, one for each element of the parameters."""
    if not isinstance(template, numpy.ndarray):
        return type(template)(one(*(numpy.asarray(part)[()] for part in given)))
    rows = zip(*(part.ravel() for part in _spread(template.shape, *given)), strict=True)
    template.ravel()[:] = [one(*row) for row in rows]
    return template


def _whole(value: Any) -> int:
    """An integer, also one written 3.0, which numpy takes for 3."""
    number = exact(value)
    if number.denominator != 1:
        raise NotFollowed(f"{value!r} where numpy rounds to an integer: expected an integer")
    return int(number)


def _double(value: Any) -> float:
    return float(value)
