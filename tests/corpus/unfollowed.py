"""Samplers that are no functions of x and rng alone: each is refused, with words that name what it does.

`RIGHT` have the same shapes, and their law is known: they are followed. All are randomized response with a lie of 1/4
where nothing else is said.
"""

import contextlib
import decimal
import functools
import itertools
import operator
import os
import random
import secrets
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from time import time as now
from typing import Any

import numpy as np
from numpy.random import default_rng

BITS = (0, 1)
LIE = Fraction(1, 4)
ELSE = "expected all randomness from rng"
STATE = "expected no state that survives a call"


@dataclass(frozen=True)
class Unfollowed:
    """A function, and what its refusal says."""

    function: Callable[[Any, Any], Any]
    says: str
    inputs: tuple[Any, ...] = BITS


@dataclass(frozen=True)
class Followed:
    """A function, and its law by hand."""

    function: Callable[[Any, Any], Any]
    law: Callable[[Any], Mapping[Any, Fraction]]
    inputs: tuple[Any, ...] = BITS


def flip(x, rng):
    return x if rng.random() < 0.75 else 1 - x


def warner(x):
    return {x: 1 - LIE, 1 - x: LIE}


# Refusals that are caught -----------------------------------------------------------------------------------------


def caught(x, rng):
    try:
        return int(rng.laplace(x, 2) > 0)
    except Exception:
        return 0


def caught_bare(x, rng):
    try:
        return int(rng.laplace(x, 2) > 0)
    except:  # noqa: E722
        return 0


def caught_at_the_end(x, rng):
    try:
        rng.normal()
    finally:
        return 0  # noqa: B012


def suppressed(x, rng):
    with contextlib.suppress(Exception):
        rng.gauss(0, 1)
        return x
    return 0


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *given):
        return True


def swallowed_by_with(x, rng):
    with Quiet():
        return int(rng.laplace(x) > 0)
    return 0


def logarithm_caught(x, rng):
    try:
        np.log(rng.random())
    except TypeError:
        return 0
    return x


def refused_in_a_helper(x, rng):
    def noise():
        try:
            return rng.standard_normal()
        except AttributeError:
            return 0

    return x + noise()


def caught_and_raised_anew(x, rng):
    try:
        rng.laplace()
    except Exception as error:
        raise KeyError("other") from error


def wrong_signature_caught(x, rng):
    try:
        rng.random(dtype=np.float32)
    except TypeError:
        return 0
    return x


def asks_for_laplace(x, rng):
    return x if hasattr(rng, "laplace") else 0


def asks_with_a_default(x, rng):
    return x if getattr(rng, "laplace", None) else 0


def asks_for_its_class(x, rng):
    return x if isinstance(rng, np.random.Generator) else 0


def asks_for_its_type(x, rng):
    return x if type(rng) is np.random.Generator else 0


def asks_for_its_name(x, rng):
    return x if rng.__class__.__name__ == "Generator" else 0


def reads_its_text(x, rng):
    return x if "Generator" in repr(rng) else 0


def matches_it(x, rng):
    match rng:
        case np.random.Generator():
            return x
    return 0


# State that outlives a call ---------------------------------------------------------------------------------------

COUNT = 0
MEMO: dict[Any, Any] = {}
KEPT = defaultdict(list)
TABLE = np.zeros(4)
NEXT = itertools.count()


def first_raw(x, rng, seen=[]):  # noqa: B006
    seen.append(x)
    return x if len(seen) == 1 else flip(x, rng)


def hundredth_raw(x, rng):
    global COUNT
    COUNT += 1
    return x if COUNT % 100 == 0 else flip(x, rng)


def permanent(x, rng):
    """RAPPOR's permanent response, that is drawn once and kept."""
    if x not in MEMO:
        MEMO[x] = flip(x, rng)
    return MEMO[x]


def kept_in_a_default_dict(x, rng):
    KEPT[x].append(1)
    return x if len(KEPT[x]) > 50 else flip(x, rng)


def kept_in_an_array(x, rng):
    TABLE[x] += 1
    return x if TABLE[x] > 50 else flip(x, rng)


def counted_by_an_iterator(x, rng):
    return x if next(NEXT) % 100 == 99 else flip(x, rng)


def counted_on_itself(x, rng):
    counted_on_itself.calls = getattr(counted_on_itself, "calls", 0) + 1
    return x if counted_on_itself.calls % 100 == 0 else flip(x, rng)


def enclosed():
    calls = 0

    def counted_in_a_closure(x, rng):
        nonlocal calls
        calls += 1
        return x if calls % 100 == 0 else flip(x, rng)

    return counted_in_a_closure


@dataclass
class Client:
    calls: int = 0
    answers: dict[Any, Any] = field(default_factory=dict)

    def counted_on_an_object(self, x, rng):
        self.calls += 1
        return x if self.calls % 100 == 0 else flip(x, rng)

    def remembered_by_an_object(self, x, rng):
        return self.answers.setdefault(x, flip(x, rng))


class Shared:
    calls = 0

    @classmethod
    def counted_on_a_class(cls, x, rng):
        cls.calls += 1
        return x if cls.calls % 100 == 0 else flip(x, rng)


@functools.lru_cache(None)
def kept_coin(rng):
    return rng.random() < 0.5


def one_coin_for_two(x, rng):
    return x if kept_coin(rng) == kept_coin(rng) else 0


def sets_a_module(x, rng):
    np.secret = x
    return flip(x, rng)


def leftovers():
    unused = [0, 1] * 50

    def uses_up_a_list(x, rng):
        return x if not unused else unused.pop() ^ x

    return uses_up_a_list


def generated():
    def numbers():
        yield from range(100)

    given = numbers()

    def uses_up_a_generator(x, rng):
        return x if next(given, None) is None else flip(x, rng)

    return uses_up_a_generator


# Chance that is not rng's -----------------------------------------------------------------------------------------

OWN = random.Random(5)
SYSTEM = random.SystemRandom()


def by_secrets(x, rng):
    return x if secrets.randbelow(20) == 0 else flip(x, rng)


def by_secrets_on_a_rare_path(x, rng):
    if rng.random() < 0.001 and secrets.randbelow(20) == 0:
        return x
    return rng.randrange(2)


def by_urandom(x, rng):
    return x if os.urandom(1)[0] < 13 else flip(x, rng)


def by_urandom_in_a_map(x, rng):
    return x if next(map(os.urandom, [1]))[0] < 13 else flip(x, rng)


def by_a_uuid(x, rng):
    return x if uuid.uuid4().int % 20 == 0 else flip(x, rng)


def by_the_system(x, rng):
    return x if random.SystemRandom().random() < 0.05 else flip(x, rng)


def by_a_system_made_before(x, rng):
    return x if SYSTEM.random() < 0.05 else flip(x, rng)


def by_numpy(x, rng):
    return x if np.random.default_rng().random() < 0.05 else flip(x, rng)


def by_numpy_s_own_name(x, rng):
    return x if default_rng().random() < 0.05 else flip(x, rng)


def by_numpy_s_global(x, rng):
    return x if np.random.rand() < 0.05 else flip(x, rng)


def by_the_global(x, rng):
    return x if random.random() < 0.05 else flip(x, rng)


def by_a_stream_of_its_own(x, rng):
    return x if OWN.random() < 0.05 else flip(x, rng)


def by_the_clock(x, rng):
    return x if time.time_ns() % 20 == 0 else flip(x, rng)


def by_the_clock_s_own_name(x, rng):
    return x if int(now() * 1e6) % 20 == 0 else flip(x, rng)


def by_an_import(x, rng):
    from time import perf_counter_ns as ticks

    return x if ticks() % 20 == 0 else flip(x, rng)


def by_the_date(x, rng):
    return x if datetime.now().microsecond % 20 == 0 else flip(x, rng)


def by_an_address(x, rng):
    return x if id(object()) % 4096 == 16 else flip(x, rng)


def by_a_hash(x, rng):
    return x if hash("yes") % 20 == 0 else flip(x, rng)


def by_the_order_of_a_set(x, rng):
    return x if next(iter({"yes", "no", "perhaps"})) == "no" else flip(x, rng)


def by_the_order_of_a_made_set(x, rng):
    return x if list(set(["yes", "no", "perhaps"]))[0] == "no" else flip(x, rng)  # noqa: RUF015


def by_the_order_of_a_comprehension(x, rng):
    return x if list({c for c in "abcdef"})[0] == "a" else flip(x, rng)  # noqa: RUF015


def by_the_order_of_keys(x, rng):
    return x if list({"yes": 1, "no": 2}.keys() | {"q": 1}.keys())[0] == "no" else flip(x, rng)  # noqa: RUF015


def by_a_part_of_an_address(x, rng):
    return x if str(object())[-2] == "0" else flip(x, rng)


def by_the_process(x, rng):
    return x if os.getpid() % 20 == 0 else flip(x, rng)


def by_the_environment(x, rng):
    return x if "HIDDEN" in os.environ else flip(x, rng)


def by_a_file(x, rng):
    with open("/dev/urandom", "rb") as file:  # noqa: PTH123
        return x if file.read(1)[0] < 13 else flip(x, rng)


def by_a_thread(x, rng):
    found = []
    thread = threading.Thread(target=found.append, args=(x,))
    thread.start()
    return flip(x, rng) if found else x


def by_memory(x, rng):
    return x if np.empty(1)[0] > 0 else flip(x, rng)


def by_code_from_text(x, rng):
    return x if eval("__import__('secrets').randbelow(20)") == 0 else flip(x, rng)


def by_a_name(x, rng):
    return x if operator.attrgetter("token_" + "bytes")(secrets)(1)[0] < 13 else flip(x, rng)


def by_what_is_below(x, rng):
    return x if flip.__globals__["secrets"].randbelow(20) == 0 else flip(x, rng)


def given_by_default(x, rng, other=secrets.randbelow):
    return x if other(20) == 0 else flip(x, rng)


by_a_partial = functools.partial(lambda other, x, rng: x if other(20) == 0 else flip(x, rng), secrets.randbelow)
by_a_partial.__name__ = "by_a_partial"  # type: ignore[attr-defined]


def text_of_an_address(x, rng):
    return str(object())


class Bare:
    """Objects without a text or a hash of their own."""

    def __init__(self, n=0):
        self.n = n


BARE = Bare()


def text_of_a_function(x, rng):
    return x if f"{flip}"[-2] == "0" else flip(x, rng)


def text_of_a_function_s_list(x, rng):
    return x if str([flip])[-3] == "0" else flip(x, rng)


def text_by_a_percent_sign(x, rng):
    return x if ("%s" % flip)[-2] == "0" else flip(x, rng)  # noqa: UP031


def written(value):
    return f"{value}"


def text_by_another_function(x, rng):
    return x if written(flip)[-2] == "0" else flip(x, rng)


def text_of_a_lambda(x, rng):
    held = lambda: 0  # noqa: E731
    return x if f"{held}"[-2] == "0" else flip(x, rng)


def text_of_an_object(x, rng):
    return x if f"{BARE}"[-2] == "0" else flip(x, rng)


def text_of_an_object_s_list(x, rng):
    return x if "{}".format([BARE])[-3] == "0" else flip(x, rng)  # noqa: UP032


def text_of_an_own_class(x, rng):
    class Own:
        pass

    return x if f"{Own()}"[-2] == "0" else flip(x, rng)


def set_of_objects(x, rng):
    return x if next(iter(set([Bare(0), Bare(1)]))).n else flip(x, rng)


def display_of_objects(x, rng):
    one, other = Bare(0), Bare(1)
    return x if [v.n for v in {one, other}][0] else flip(x, rng)  # noqa: RUF015


def set_of_functions(x, rng):
    for call in {flip, written}:
        return x if call is flip else flip(x, rng)


CONTEXT = decimal.Context()


def kept_on_rng(x, rng):
    rng.calls = getattr(rng, "calls", 0) + 1
    return x if rng.calls % 2 == 0 else flip(x, rng)


def kept_in_a_context(x, rng):
    CONTEXT.prec += 1
    return x if CONTEXT.prec % 50 == 0 else flip(x, rng)


def address_by_a_field(x, rng):
    return x if "{.__hash__}".format("a")[-2] == "0" else flip(x, rng)


def address_of_a_method(x, rng):
    return x if f"{[].append}"[-2] == "0" else flip(x, rng)


REFUSED = [
    *(Unfollowed(f, "laplace") for f in (caught, caught_bare, swallowed_by_with, caught_and_raised_anew)),
    Unfollowed(caught_at_the_end, "normal"),
    Unfollowed(suppressed, "gauss"),
    Unfollowed(refused_in_a_helper, "standard_normal"),
    Unfollowed(logarithm_caught, ""),
    Unfollowed(wrong_signature_caught, ""),
    *(
        Unfollowed(f, "")
        for f in (
            asks_for_laplace,
            asks_with_a_default,
            asks_for_its_class,
            asks_for_its_type,
            asks_for_its_name,
            reads_its_text,
            matches_it,
        )
    ),
    *(
        Unfollowed(f, STATE)
        for f in (
            first_raw,
            hundredth_raw,
            permanent,
            kept_in_a_default_dict,
            kept_in_an_array,
            counted_on_itself,
            enclosed(),
            Client().counted_on_an_object,
            Client().remembered_by_an_object,
            Shared.counted_on_a_class,
            leftovers(),
        )
    ),
    Unfollowed(counted_by_an_iterator, ELSE),
    Unfollowed(generated(), ELSE),
    Unfollowed(one_coin_for_two, "in a cache"),
    Unfollowed(sets_a_module, "sets numpy.secret"),
    *(
        Unfollowed(f, ELSE)
        for f in (
            by_secrets,
            by_secrets_on_a_rare_path,
            by_urandom,
            by_urandom_in_a_map,
            by_a_uuid,
            by_the_system,
            by_a_system_made_before,
            by_numpy,
            by_numpy_s_own_name,
            by_numpy_s_global,
            by_the_global,
            by_a_stream_of_its_own,
            by_the_clock,
            by_the_clock_s_own_name,
            by_an_import,
            by_the_date,
            by_an_address,
            by_the_process,
            by_the_environment,
            by_a_file,
            by_a_thread,
            by_memory,
            by_code_from_text,
            by_a_name,
            given_by_default,
            by_a_partial,
        )
    ),
    Unfollowed(kept_on_rng, "sets or deletes rng.calls"),
    Unfollowed(kept_in_a_context, "CONTEXT.prec"),
    Unfollowed(by_a_hash, "hash()"),
    Unfollowed(by_the_order_of_a_set, "another in every process"),
    Unfollowed(by_the_order_of_a_made_set, "another in every process"),
    Unfollowed(by_the_order_of_a_comprehension, "another in every process"),
    Unfollowed(by_the_order_of_keys, "another in every process"),
    Unfollowed(set_of_functions, "another in every process"),
    Unfollowed(by_a_part_of_an_address, "object()"),
    Unfollowed(by_what_is_below, "__globals__"),
    Unfollowed(text_of_an_address, "object()"),
    *(
        Unfollowed(f, "address")
        for f in (
            text_of_a_function,
            text_of_a_function_s_list,
            text_by_a_percent_sign,
            text_by_another_function,
            text_of_a_lambda,
            text_of_an_object,
            text_of_an_object_s_list,
            text_of_an_own_class,
            set_of_objects,
            display_of_objects,
            address_by_a_field,
            address_of_a_method,
        )
    ),
]


# Right ones of these shapes ---------------------------------------------------------------------------------------


def tries_a_list(x, rng):
    """An IndexError is its own, as everything that lists and dictionaries raise."""
    try:
        return (1 - x, x, x)[rng.randrange(4)]
    except IndexError:
        return x


def raises_its_own(x, rng):
    try:
        if rng.random() < 0.25:
            raise ValueError
        return x
    except ValueError:
        return 1 - x


def cleans_up(x, rng):
    try:
        return flip(x, rng)
    finally:
        del x


@functools.lru_cache(None)
def thresholds(k):
    return tuple(Fraction(i, k) for i in range(k))


def remembers_a_table(x, rng):
    return 1 - x if rng.random() < thresholds(4)[1] else x


def counts_within(x, rng):
    calls, memo = 0, {}
    for _ in range(3):
        calls += 1
        memo[calls] = x
    return flip(memo[calls], rng)


def takes_rng_by_default(x, rng=None):
    if rng is None:
        rng = np.random.default_rng()
    return flip(x, rng)


def sorted_set(x, rng):
    answers = sorted(set(["no", "yes"]))
    return answers[flip(x, rng)]


def set_of_numbers(x, rng):
    return next(iter(set([flip(x, rng)])))


def seeded_table(x, rng):
    """A public permutation from a fixed seed is the same in every call."""
    one, other = random.Random(7), random.Random(7)
    return flip(x, rng) if one.random() == other.random() else x


@dataclass(frozen=True)
class Settings:
    lie: Fraction = LIE

    def respond(self, x, rng):
        return 1 - x if rng.random() < self.lie else x


def importing(x, rng):
    from fractions import Fraction as F

    return 1 - x if rng.random() < F(1, 4) else x


def partial_with_a_number(lie, x, rng):
    return 1 - x if rng.random() < lie else x


with_a_lie = functools.partial(partial_with_a_number, LIE)
with_a_lie.__name__ = "with_a_lie"  # type: ignore[attr-defined]


def writes_and_calls(x, rng):
    def coin():
        return flip(x, rng)

    return int(f"{coin()}") + len(sorted("", key=lambda c: c))


RIGHT = [
    *(
        Followed(f, warner)
        for f in (
            tries_a_list,
            raises_its_own,
            cleans_up,
            remembers_a_table,
            counts_within,
            takes_rng_by_default,
            set_of_numbers,
            seeded_table,
            Settings().respond,
            importing,
            with_a_lie,
            writes_and_calls,
        )
    ),
    Followed(sorted_set, lambda x: {("no", "yes")[y]: p for y, p in warner(x).items()}),
]
