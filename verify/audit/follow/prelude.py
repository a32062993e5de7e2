# ruff: noqa
# mypy: ignore-errors
"""What Python does with iterables and functions, in the subset itself: it is followed as the user's file is.

The text of this file from "# Followed" on is compiled by `library.py` and never run by Python. Names with an underscore
are what the library does for it.
"""

_missing = None  # the library's, as a default of the text: so that this file can be imported

# Followed


def _returned(function, x, rng, each):
    return _sent(function(x, rng), each)


def _yielded(function, x, rng):
    return _sent([v for v in function(x, rng)], True)


def _listed(it):
    return [v for v in it]


def _some(it, most):
    found = []
    for v in it:
        found.append(v)
        if len(found) > most:
            break
    return found


def _then(it, done, before, named):
    return done(*before, [v for v in it], **named)


def _to_dict(it, named):
    made = {}
    for pair in it:
        k, v = [*pair]
        made[k] = v
    made.update(named)
    return made


def _fromkeys(it, value=None, /):
    made = {}
    for k in it:
        made[k] = value
    return made


def _extend(it, held):
    for v in it:
        held.append(v)


def _len(one):
    return _whole(one.__len__())


def _str(one):
    return _text(one.__str__())


def _repr(one):
    return _text(one.__repr__())


def _bool(one):
    return not not one


def _in(held, value, sense):
    return not not held.__contains__(value) if sense else not held.__contains__(value)


def sum(it, /, start=0):
    if isinstance(start, (str, bytes)):
        raise TypeError("sum of text")
    carry = 0.0
    for v in _unordered(it, True):
        carry = _carry(start, v, carry)
        start = start + v
    return _summed(start, carry)


def prod(it, /, *, start=1):
    for v in _unordered(it, True):
        start = start * v
    return start


def any(it, /):
    for v in _unordered(it):
        if v:
            return True
    return False


def all(it, /):
    for v in _unordered(it):
        if not v:
            return False
    return True


def _best(given, key, default, greatest):
    if not given or (len(given) > 1 and default is not _missing):
        raise TypeError("arguments")
    items = given[0] if len(given) == 1 else given
    empty, best, most = True, None, None
    for v in _unordered(items) if key is None else items:
        measured = v if key is None else key(v)
        if empty:
            empty, best, most = False, v, measured
        elif measured > most if greatest else measured < most:
            best, most = v, measured
    if empty:
        if default is _missing:
            raise ValueError("empty")
        return default
    return best


def max(*given, key=None, default=_missing):
    return _best(given, key, default, True)


def min(*given, key=None, default=_missing):
    return _best(given, key, default, False)


def sorted(it, /, *, key=None, reverse=False):
    return _ordered([*(it if key is not None else _unordered(it))], key, reverse, False)


def _ordered(items, key, reverse, in_place):
    return _sorted(items if key is None else [key(v) for v in items], items, reverse, in_place)


def _sort(held, /, *, key=None, reverse=False):
    items = held[:]
    held.clear()
    try:
        made = _ordered(items, key, reverse, True)
    except:
        held[:] = items
        raise
    changed = len(held) > 0
    held[:] = made
    if changed:
        raise ValueError("list modified during sort")


# What yields has its iterators made at once: of `it`, of each of `its`.


def enumerate(iterable, start=0):
    return _enumerate(iterable, _integer(start))


def _enumerate(it, start):
    for v in it:
        yield (start, v)
        start += 1


def zip(*its, strict=False):
    while its:
        row = []
        for it in its:
            v = _next(it, _end)
            if v is _end:
                if strict:
                    if row:
                        raise ValueError("zip")
                    for other in its[1:]:
                        if _next(other, _end) is not _end:
                            raise ValueError("zip")
                return
            row.append(v)
        yield tuple(row)


def map(function, it, /, *its):
    for row in zip(it, *its):
        yield function(*row)


def filter(function, it, /):
    for v in it:
        if v if function is None else function(v):
            yield v


def _reversed(held, i):
    while 0 <= i < len(held):
        yield held[i]
        i -= 1


def reduce(function, it, start=_missing, /):
    for v in it:
        start = v if start is _missing else function(start, v)
    if start is _missing:
        raise TypeError("empty")
    return start


def chain(*later):
    return from_iterable(later)


def from_iterable(it, /):
    for one in it:
        for v in one:
            yield v


def repeat(object, times=_missing):
    return _repeat(object, None if times is _missing else _integer(times))


def _repeat(object, times):
    i = 0
    while times is None or i < times:
        yield object
        if times is not None:
            i += 1


def count(start=0, step=1):
    return _count(_number(start), _number(step))


def _count(start, step):
    while True:
        yield start
        start += step


def accumulate(iterable, func=None, *, initial=None):
    total = _missing
    if initial is not None:
        total = initial
        yield total
    for v in iterable:
        if total is _missing:
            total = v
        elif func is None:
            total = total + v
        else:
            total = func(total, v)
        yield total


def takewhile(holds, it, /):
    for v in it:
        if not holds(v):
            return
        yield v


def _islice(it, start, stop, step):
    i = 0
    while stop is None or i < stop:
        v = _next(it, _end)
        if v is _end:
            return
        if i >= start and (i - start) % step == 0:
            yield v
        i += 1


def islice(it, /, *ends):
    if not ends or len(ends) > 3:
        raise TypeError("islice")
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    start, step = 0 if start is None else start, 1 if step is None else step
    for end in (start, 0 if stop is None else stop, _integer(step) - 1):
        if _integer(end) < 0:
            raise ValueError("islice")
    return _islice(it, start, stop if stop is None or stop > start else start, step)


def _product(*its, repeat=1):
    if _integer(repeat) < 0:
        raise ValueError("product")
    return _filled("product", held=[[*it] for it in its] if repeat else [], r=repeat)


def _combinations(iterable, r):
    return _filled("combinations", r=_integer(r), held=[*iterable])


def _permutations(iterable, r=None):
    return _filled("permutations", r=None if r is None else _integer(r), held=[*iterable])


def itemgetter(key, /, *keys):
    if not keys:
        return lambda held: held[key]
    return lambda held: (held[key], *[held[k] for k in keys])


# Dicts that know what to give for a key that they do not have.


class defaultdict:
    def __init__(self, default_factory=None, /, *given, **named):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("factory")
        self.default_factory = default_factory
        self._held = dict(*given, **named)

    def __getitem__(self, key):
        found = self._held.get(key, _missing)
        if found is _missing:
            if self.default_factory is None:
                raise KeyError(key)
            found = self.default_factory()
            self._held[key] = found
        return found

    def __setitem__(self, key, value):
        self._held[key] = value

    def __delitem__(self, key):
        del self._held[key]

    def __eq__(self, other):
        return self._held == _bare(other)

    def update(self, *given, **named):
        self._held.update(*given, **named)


class Counter:
    def __init__(self, iterable=None, /, **named):
        self._held = {}
        self._add(iterable, named, 1)

    def __getitem__(self, key):
        return self._held.get(key, 0)

    def __setitem__(self, key, value):
        self._held[key] = value

    def __delitem__(self, key):
        if key in self._held:
            del self._held[key]

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return self._held == _bare(other)
        for a, b in ((self, other), (other, self)):
            for k in a:
                if self[k] != other[k]:
                    return False
        return True

    def _add(self, given, named, sign):
        held = self._held
        for more in (_bare(given), named):
            if more is None:
                continue
            if not isinstance(more, dict):
                for k in more:
                    held[k] = held.get(k, 0) + sign
            elif sign < 0:
                for k, many in more.items():
                    held[k] = held.get(k, 0) - many
            elif held:
                for k, many in more.items():
                    held[k] = many + held.get(k, 0)
            else:
                held.update(more)

    def update(self, iterable=None, /, **named):
        self._add(iterable, named, 1)

    def subtract(self, iterable=None, /, **named):
        self._add(iterable, named, -1)

    def most_common(self, n=None):
        if n is not None and _integer(n) <= 0:
            return []
        for many in self._held.values() if n is not None else ():
            _number(many)
        ordered = sorted(self._held.items(), key=lambda pair: pair[1], reverse=True)
        return ordered if n is None else ordered[:n]

    def elements(self):
        return _elements(self._held.items())

    def total(self):
        return sum(self._held.values())

    def _with(self, other, combine, sign):
        others, made = _counter(other), Counter()
        for k, many in self._held.items():
            found = combine(many, others.get(k, 0))
            if found > 0:
                made[k] = found
        for k, many in others.items() if sign else ():
            if k not in self._held and (many > 0 if sign > 0 else many < 0):
                made[k] = many if sign > 0 else 0 - many
        return made

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b, 1)

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b, -1)

    def __or__(self, other):
        return self._with(other, lambda a, b: b if a < b else a, 1)

    def __and__(self, other):
        return self._with(other, lambda a, b: a if a < b else b, 0)


def _elements(it):
    for k, many in it:
        for _ in range(_integer(many)):
            yield k
