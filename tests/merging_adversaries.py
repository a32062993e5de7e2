"""Samplers that try to be merged where they must not be: each hides something that decides what comes."""

import itertools

import numpy as np

TABLE = [0, 1]


def reassigned_variable(x, rng):
    """The loop variable says nothing of where the loop is."""
    count = 0
    for i in (0, 1, 2):
        i = 0
        if rng.random() < 0.5:
            count += i + 1
    return count


def repeated_values(x, rng):
    """The same value at two places of a list."""
    last = None
    for value in [1, 1, 2]:
        if rng.getrandbits(1):
            last = value
            break
    return last


def hidden_iterator(x, rng):
    it = iter([0, 1, 1, 5])
    while rng.random() < 0.5:
        value = next(it, None)
        if value is None:
            return 9
    return next(it, 7)


def generator_local(x, rng):
    squares = (k * k for k in range(5))
    while rng.getrandbits(1):
        if next(squares, None) is None:
            return "end"
    return next(squares, "none")


def library_iterator(x, rng):
    counter = itertools.count()
    while rng.random() < 0.5 and next(counter) < 4:
        pass
    return next(counter)


def aliases(x, rng):
    """Two lists of equal content: in one case they are one list."""
    one = [0]
    two = one if rng.getrandbits(1) else [0]
    coin = rng.getrandbits(1)
    one[0] = 5 + coin
    return two[0]


def aliases_deep(x, rng):
    inner = [0]
    pair = [inner, inner] if rng.getrandbits(1) else [[0], [0]]
    inner = None
    coin = rng.getrandbits(1)
    pair[0][0] = coin + 1
    return tuple(pair[1])


def types_that_are_equal(x, rng):
    value = 1 if rng.getrandbits(1) else True
    if rng.getrandbits(1):
        value = 1.0 if rng.getrandbits(1) else value
    rng.getrandbits(1)
    return str(value)


def signed_zero(x, rng):
    value = 0.0 if rng.getrandbits(1) else -0.0
    rng.getrandbits(1)
    return str(value)


def array_types(x, rng):
    value = np.zeros(2, dtype=np.int64 if rng.getrandbits(1) else np.int8)
    coin = rng.getrandbits(1)
    value += 100
    return (coin, int((value + value)[0]))


def closures(x, rng):
    """Two functions of one code, over different cells."""

    def made(k):
        def inner():
            return k

        return inner

    chosen = made(1) if rng.getrandbits(1) else made(2)
    rng.getrandbits(1)
    return chosen()


def cells_that_change(x, rng):
    count = 0

    def raised():
        nonlocal count
        count += 1
        return count

    while rng.getrandbits(1):
        if raised() > 3:
            break
    return count


def defaults(x, rng):
    def kept(value, seen=[]):  # noqa: B006
        seen.append(value)
        return len(seen)

    while rng.getrandbits(1):
        if kept(1) > 3:
            break
    return kept(0)


def attributes(x, rng):
    def kept():
        return kept.count

    kept.count = 0
    while rng.getrandbits(1):
        kept.count += 1
        if kept.count > 3:
            break
    return kept()


def global_list(x, rng):
    del TABLE[2:]
    while rng.getrandbits(1):
        TABLE.append(1)
        if len(TABLE) > 5:
            break
    found = len(TABLE)
    del TABLE[2:]
    return found


def loop_with_else(x, rng):
    for k in range(3):  # noqa: B007
        if rng.random() < 0.25:
            break
    else:
        return "else"
    while rng.getrandbits(1):
        k += 1
        if k > 3:
            break
    else:
        return (k, "while else")
    return k


def finals(x, rng):
    k = 0
    try:
        while rng.getrandbits(1):
            k += 1
            if k == 3:
                raise ValueError
    except ValueError:
        return rng.getrandbits(1) + 10
    finally:
        k += 1
        if rng.getrandbits(1):
            k += 10
    return k


def handled(x, rng):
    """The exception that is being handled is not among the locals."""
    for _ in range(2):
        try:
            if rng.getrandbits(1):
                raise KeyError(1)
            raise ValueError(2)
        except (KeyError, ValueError) as error:
            if rng.getrandbits(1):
                return type(error).__name__
    return "none"


def walrus(x, rng):
    k = 0
    while (k := k + 1) < 4 and rng.getrandbits(1):
        pass
    return k


def operand(x, rng):
    """What waits on the stack was read before the variable changed."""
    k = x
    return (k, (k := k + rng.getrandbits(1)), rng.getrandbits(1) + k, k := 5)


def accumulated(x, rng):
    return tuple(rng.getrandbits(1) for _ in range(3))


def sorting(x, rng):
    return tuple(sorted((3, 1, 2), key=lambda _: rng.getrandbits(1)))


def mapped(x, rng):
    return sum(map(lambda k: k * rng.getrandbits(1), (1, 2, 4)))


def unresolved(x, rng):
    """What is known of a draw is not what is known of another."""
    u = rng.random()
    assert (u < 0.5) in (True, False)
    rng.getrandbits(1)
    return (rng.getrandbits(1), u < 0.75)


def compared_draws(x, rng):
    """Draws whose order is known, and draws whose order is not."""
    u, v = rng.random(), rng.random()
    if rng.getrandbits(1):
        u, v = min(u, v), max(u, v)
    w = rng.getrandbits(1)
    return (w, u < v)


def same_draw_twice(x, rng):
    u = rng.random()
    v = u if rng.getrandbits(1) else rng.random()
    w = rng.getrandbits(1)
    return (w, (u < 0.5) == (v < 0.5))


def sets(x, rng):
    seen = set()
    for _ in range(3):
        seen.add(rng.randrange(3) * 8)
        if rng.random() < 0.5:
            seen.add(16)
    return tuple(seen)


def attribute_of_rng(x, rng):
    while rng.getrandbits(1):
        rng.seen = getattr(rng, "seen", 0) + 1
        if rng.seen > 2:
            break
    return 1


def recursion(x, rng):
    def down(k):
        if k == 0 or rng.getrandbits(1):
            return k
        return 10 * down(k - 1) + rng.getrandbits(1)

    return down(3)


def mutated_while_iterated(x, rng):
    items = [0, 1]
    for item in items:
        if len(items) < 5 and rng.getrandbits(1):
            items.append(item + 2)
    return tuple(items)


def shared_array(x, rng):
    one = np.zeros(2, dtype=int)
    two = one[:] if rng.getrandbits(1) else np.zeros(2, dtype=int)
    coin = rng.getrandbits(1)
    one[0] = 3
    return (coin, int(two[0]))


def generator_function(x, rng):
    def bits():
        k = 0
        while True:
            k = (k + rng.getrandbits(1)) % 3
            yield k

    found = 0
    for n, k in enumerate(bits()):
        found += k
        if n == 3:
            return found
    return None


def rounds(x, rng):
    """A dead variable is left out of a state, a living one never."""
    first, last = rng.randrange(3), 0
    for k in range(3):
        dead = rng.randrange(4)
        last = dead if k == 1 else last
    return (first if last else 0, last)


def shadowed_sum(x, rng):
    sum = max
    return sum(rng.randrange(3) for _ in range(2))


ADVERSARIES = [made for made in list(globals().values()) if getattr(made, "__module__", "") == __name__]
