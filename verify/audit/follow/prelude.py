# ruff: noqa
# mypy: ignore-errors
"""What Python does with iterables and functions, in the subset itself: it is followed as the user's file is.

The text of this file from "# Followed" on is compiled by `library.py` and never run by Python. Names with an underscore
are what the library does for it.
"""

_missing = None  # the library's, as a default of the text: so that this file can be imported

# Followed


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
    for one in later:
        for v in one:
            yield v


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
    for end in (start, 0 if stop is None else stop, step - 1):
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
