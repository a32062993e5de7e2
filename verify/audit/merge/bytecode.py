"""What stands on the stack of a running Python function, instruction by instruction, and which of its locals matter.

An abstract interpretation of CPython's bytecode. A stack slot is described by a symbol, a claim about it that holds
whenever the instruction is about to run: "the object that local n is now", "constant i", "the iterator of ...".
A claim about a local dies where the local is stored; where two ways meet, only what both claim survives; whatever is
not understood is OTHER. So a symbol is never wrong, at worst OTHER. `live` are the locals that may be read before they
are stored again, along every edge of control flow, those to exception handlers among them.
"""

import dis
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Any

Symbol = tuple[Any, ...]
Stack = tuple[Symbol, ...]
OTHER: Symbol = ("other",)
NULL: Symbol = ("null",)
STILL = {"RESUME", "NOP", "CACHE", "EXTENDED_ARG", "COPY_FREE_VARS", "MAKE_CELL", "PRECALL", "KW_NAMES"}
POPS = {  # (popped, pushed) of what leaves nothing to be told
    "POP_TOP": (1, 0),
    "UNARY_NOT": (1, 1),
    "UNARY_NEGATIVE": (1, 1),
    "UNARY_POSITIVE": (1, 1),
    "UNARY_INVERT": (1, 1),
    "BINARY_OP": (2, 1),
    "BINARY_SUBSCR": (2, 1),
    "COMPARE_OP": (2, 1),
    "IS_OP": (2, 1),
    "CONTAINS_OP": (2, 1),
    "STORE_SUBSCR": (3, 0),
    "DELETE_SUBSCR": (2, 0),
    "STORE_DEREF": (1, 0),
    "LOAD_ATTR": (1, 1),
    "LOAD_CLOSURE": (0, 1),
    "LOAD_ASSERTION_ERROR": (0, 1),
    "RETURN_GENERATOR": (0, 1),
    "YIELD_VALUE": (1, 1),
    "LIST_APPEND": (1, 0),
    "SET_ADD": (1, 0),
    "MAP_ADD": (2, 0),
    "LIST_EXTEND": (1, 0),
    "LIST_TO_TUPLE": (1, 1),
    "IMPORT_NAME": (2, 1),
    "IMPORT_FROM": (0, 1),
}
BUILDS = {"BUILD_TUPLE": 1, "BUILD_LIST": 1, "BUILD_SET": 1, "BUILD_MAP": 2, "BUILD_STRING": 1, "BUILD_SLICE": 1}
ENDS = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}
FORBIDDEN = {  # state that no frame shows, or that this module says nothing of
    "STORE_GLOBAL",
    "DELETE_GLOBAL",
    "STORE_ATTR",
    "DELETE_ATTR",
    "STORE_NAME",
    "DELETE_NAME",
    "LOAD_NAME",
    "LOAD_CLASSDEREF",
    "DELETE_DEREF",
    "LOAD_BUILD_CLASS",
    "IMPORT_STAR",
    "SETUP_ANNOTATIONS",
    "GET_AWAITABLE",
    "GET_AITER",
    "GET_ANEXT",
    "BEFORE_ASYNC_WITH",
}
SINGLE = (None, True, False, Ellipsis)  # constants that `is` may be asked of


class NotUnderstood(Exception):
    """No claim is made about this code or object: nothing is merged here."""


@dataclass(frozen=True)
class Point:
    """An instruction, the stack before it, and the locals that are read after it."""

    offset: int
    name: str
    count: int  # its argument
    value: Any  # what the argument stands for
    stack: Stack
    live: frozenset[str]


_KNOWN: dict[
    int, tuple[CodeType, dict[int, Point] | NotUnderstood]
] = {}  # by identity: equal code can differ in tables


def points(code: CodeType) -> dict[int, Point]:
    """Of every instruction that can be reached, by its offset; raises NotUnderstood."""
    if id(code) not in _KNOWN:
        try:
            _KNOWN[id(code)] = code, _points(code)
        except NotUnderstood as error:
            _KNOWN[id(code)] = code, error
    found = _KNOWN[id(code)][1]
    if isinstance(found, NotUnderstood):
        raise found
    return found


def _points(code: CodeType) -> dict[int, Point]:
    listed = list(dis.get_instructions(code))
    if bad := FORBIDDEN & {i.opname for i in listed}:
        raise NotUnderstood(f"{code.co_name}: {min(bad)}")
    handlers = [(e.start, e.end, e.target, e.depth + e.lasti) for e in dis.Bytecode(code).exception_entries]  # type: ignore[attr-defined]
    stacks = _stacks(listed, handlers)
    live = _live(listed, handlers)
    for i in listed:
        if i.opname == "IS_OP" and i.offset in stacks:
            constants = [code.co_consts[s[1]] for s in stacks[i.offset][-2:] if s[0] == "const"]
            if not any(value is one for value in constants for one in SINGLE):
                raise NotUnderstood(f"{code.co_name}: is")
    found = {
        i.offset: Point(i.offset, i.opname, i.arg or 0, i.argval, stacks[i.offset], live[i.offset])
        for i in listed
        if i.offset in stacks
    }
    for i, following in pairwise(listed):
        if i.opname == "PRECALL" and i.offset in found:  # which calls by itself once it is specialised
            found[i.offset] = found[following.offset]
    return found


def at(code: CodeType, offset: int) -> Point:
    """The instruction that a frame executes: f_lasti may stand in the cache entries behind it."""
    found = points(code)
    while offset >= 0 and offset not in found:
        offset -= 2
    if offset < 0:
        raise NotUnderstood(f"{code.co_name}: no instruction")
    return found[offset]


def names(symbol: Symbol) -> set[str]:
    """The locals that a symbol speaks of."""
    if symbol[0] in ("local", "deref"):
        return {symbol[1]}
    return set[str]().union(*(names(part) for part in symbol if isinstance(part, tuple)))


def _stacks(listed: list[dis.Instruction], handlers: list[tuple[int, int, int, int]]) -> dict[int, Stack]:
    after = {i.offset: j.offset for i, j in pairwise(listed)}
    by_offset = {i.offset: i for i in listed}
    stacks: dict[int, Stack] = {listed[0].offset: ()}
    waiting = [listed[0].offset]

    def meet(offset: int, stack: Stack) -> None:
        old = stacks.get(offset)
        if old is None:
            new = stack
        elif len(old) != len(stack):
            raise NotUnderstood("the stack has two depths")
        else:
            new = tuple(a if a == b else OTHER for a, b in zip(old, stack, strict=True))
        if new != old:
            stacks[offset] = new
            waiting.append(offset)

    while waiting:
        offset = waiting.pop()
        i, stack = by_offset[offset], stacks[offset]
        for start, end, target, depth in handlers:
            if start <= offset < end:
                meet(target, (OTHER,) * (depth + 1))
        on, jumped = _step(i, stack)
        if on is not None:
            meet(after[offset], on)
        if jumped is not None:
            meet(i.argval, jumped)
    return stacks


def _step(i: dis.Instruction, stack: Stack) -> tuple[Stack | None, Stack | None]:
    """The stack after an instruction, and where it jumps to; None where it does not get there."""
    name, count = i.opname, i.arg or 0
    if name in ENDS:
        return None, None
    if name in ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"):
        return None, stack
    if name.startswith("POP_JUMP_"):
        return stack[:-1], stack[:-1]
    if name in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"):
        return stack[:-1], stack
    if name == "FOR_ITER":
        return (*stack, OTHER), stack[:-1]
    if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs:
        raise NotUnderstood(name)
    return _straight(i, name, count, stack), None


def _straight(i: dis.Instruction, name: str, count: int, stack: Stack) -> Stack:
    if name in STILL:
        return stack
    if name in ("LOAD_FAST", "LOAD_DEREF"):
        return (*stack, ("local" if name == "LOAD_FAST" else "deref", i.argval))
    if name == "LOAD_CONST":
        return (*stack, ("const", count))
    if name == "LOAD_GLOBAL":
        return (*stack, *((NULL,) if count & 1 else ()), ("global", i.argval))
    if name == "PUSH_NULL":
        return (*stack, NULL)
    if name in ("STORE_FAST", "DELETE_FAST"):
        rest = stack[:-1] if name == "STORE_FAST" else stack
        return tuple(OTHER if i.argval in names(s) else s for s in rest)
    if name == "COPY":
        return (*stack, stack[-count])
    if name == "SWAP":
        return (*stack[:-count], stack[-1], *stack[-count + 1 : -1], stack[-count])
    if name == "LOAD_METHOD":
        return (*stack[:-1], ("method", stack[-1], i.argval), ("self", stack[-1]))
    if name == "GET_ITER":
        return (*stack[:-1], ("iterator", stack[-1]))
    if name == "CALL":
        return (*stack[: -count - 2], _called(stack[-count - 2 :]))
    if name == "MAKE_FUNCTION":
        return (*stack[: -1 - count.bit_count()], ("function", stack[-1]))
    if name == "BINARY_OP" and all(s[0] in ("local", "deref", "const", "binary") for s in stack[-2:]):
        return (*stack[:-2], ("binary", count, *stack[-2:]))
    if name in BUILDS:
        many = count * BUILDS[name]
        return (*(stack[:-many] if many else stack), OTHER)
    if name == "UNPACK_SEQUENCE":
        return (*stack[:-1], *(OTHER,) * count)
    if name in POPS:
        popped, pushed = POPS[name]
        return (*(stack[:-popped] if popped else stack), *(OTHER,) * pushed)
    return (OTHER,) * (len(stack) + dis.stack_effect(i.opcode, i.arg, jump=False))


def _called(part: Stack) -> Symbol:
    """What a call gives: a draw of rng.random(), a generator of an expression, what was picked for a name."""
    first, second, *given = part
    if first[0] == "method" and first[2] == "random" and not given:
        return ("random", first[1])
    if first == NULL and second[0] == "const" and len(given) == 1:
        return ("picked", second, given[0])
    if first[0] == "function" and second[0] == "iterator" and not given:
        return ("generator", first[1])
    return OTHER


def _live(listed: list[dis.Instruction], handlers: list[tuple[int, int, int, int]]) -> dict[int, frozenset[str]]:
    """Of every instruction, the locals that are read after it before they are stored."""
    after = {i.offset: j.offset for i, j in pairwise(listed)}
    before: dict[int, frozenset[str]] = {i.offset: frozenset() for i in listed}
    behind = dict(before)
    changed = True
    while changed:
        changed = False
        for i in reversed(listed):
            ways = [i.argval] if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs else []
            if i.opname not in ENDS and i.opname not in ("JUMP_FORWARD", "JUMP_BACKWARD") and i.offset in after:
                ways.append(after[i.offset])
            ways += [target for start, end, target, _ in handlers if start <= i.offset < end]
            out = frozenset[str]().union(*(before[way] for way in ways))
            into = out
            if i.opname == "STORE_FAST":
                caught = [before[target] for start, end, target, _ in handlers if start <= i.offset < end]
                into = (out - {i.argval}).union(*caught)
            elif i.opname in ("LOAD_FAST", "LOAD_CLOSURE", "DELETE_FAST"):  # `del` raises where nothing is bound
                into = out | {i.argval}
            if out != behind[i.offset] or into != before[i.offset]:
                behind[i.offset], before[i.offset], changed = out, into, True
    return behind
