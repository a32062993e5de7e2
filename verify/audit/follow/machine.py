"""The machine: runs instructions on frames that are data, and stops where an answer of chance is needed.

An instruction is done whole or not at all: it looks at the values on the stack, and takes them off once it has its
result. Where it asks for chance, `Asked` is raised before anything has changed, so that the state before it, with the
answers that it was given so far, is all that the future hangs on.
"""

import builtins
import math
import operator
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from types import FunctionType
from typing import Any, NoReturn

import numpy

from shufflecert.verify.audit.follow.classes import (
    ENUM,
    NOTHING,
    OF_DICTS,
    bare,
    class_of,
    fill,
    filling,
    member_of,
    members,
    of_member,
)
from shufflecert.verify.audit.follow.code import Code
from shufflecert.verify.audit.follow.natives import (
    CAREFUL,
    COMPARISONS,
    EXCEPTIONS,
    METHODS,
    OPERATORS,
    SIZED,
    TURNED,
    UNARY,
    checked,
    exception,
    hashable,
    index,
    is_exception,
    keyed,
    made,
    not_gone_through,
    not_unfolded,
    ordered,
    plain,
    prelude,
    printable,
    same,
    set_of,
    written_in_python,
)
from shufflecert.verify.audit.follow.values import (
    DRAWS,
    MISSING,
    PLAIN,
    SCALARS,
    UNBOUND,
    Bound,
    Cell,
    Class,
    Frame,
    Function,
    Generated,
    Generator,
    Instance,
    Iterator,
    Kept,
    Library,
    Module,
    Native,
    Opaque,
    Partial,
    Refused,
    Super,
    Unbound,
    Unknown,
    View,
    Wrapped,
    kind_name,
    owner,
    parts,
    refuse,
)
from shufflecert.verify.audit.patience import say
from shufflecert.verify.audit.rng.draws import Draws
from shufflecert.verify.audit.rng.recording import Lacks, OtherLibrary, Source
from shufflecert.verify.errors import BadInput

DEEPEST_CALL = 400
LOOK = 16  # instructions between two looks at the clock: one of them may take a second
SOON = 20  # seconds after which something is said
EAGER = frozenset({"it", "iterable"})  # of generators of the prelude: iterators at once
ENDED = 2**62  # where an iterator is that has come to its end, and stays there

ARRAYS = SCALARS | {numpy.ndarray, Draws}
OURS = {"shufflecert"}  # whose calls change nothing


class Asked(BaseException):
    """An instruction needs an answer: one of `weights`, an integer each, or of that many equally probable ones."""

    def __init__(self, question: Hashable, weights: Sequence[int] | int) -> None:
        self.question, self.weights = question, weights


class Asking:
    """What draws and rng put their questions to: the answers of one instruction, in turn."""

    def __init__(self) -> None:
        self.answers: tuple[int, ...] = ()
        self.step = 0

    def choose(self, question: Hashable, count: int, weigh: Callable[[], Sequence[int]] | None = None) -> int:
        if count == 1:
            return 0
        step = self.step
        if step < len(self.answers):
            self.step = step + 1
            return self.answers[step]
        raise Asked(question, count if weigh is None else weigh())


class Thrown(Exception):
    """An exception of the followed program, on its way."""

    def __init__(self, value: Instance) -> None:
        self.value = value


class Machine:
    """Runs frames. While a file is loaded (`loading`) nothing is frozen yet; then what is `kept` cannot change."""

    def __init__(self, library: Any, seconds: int = 10) -> None:
        self.library = library  # verify.audit.follow.library
        self.frames: list[Frame] = []
        self.asking = Asking()
        self.loader: Any = None  # verify.audit.follow.load.Loader
        self.loading = False
        self.held: list[Any] = []  # the stack of the frame that calls
        self.viewed = False  # whether a dict or a set was ever looped over
        self.kept = Kept()
        self.assumed: set[str] = set()
        self.seconds = seconds
        self.raised = ""  # where the last exception was
        self.do: dict[str, Callable[[Frame, Any], None]] = {
            name[3:]: getattr(self, name) for name in dir(self) if name.startswith("do_")
        }

    # -- running -------------------------------------------------------------------------------------------------------

    def run(self, answers: tuple[int, ...] = ()) -> Any:
        """What the first frame returns. Raises Asked, Thrown or Refused; `answers` are the first instruction's."""
        frames, do, asking = self.frames, self.do, self.asking
        asking.answers, asking.step = answers, 0
        steps, until, told = 0, time.process_time() + self.seconds, time.monotonic() + SOON
        while True:
            frame = frames[-1]
            at = frame.at
            name, argument, _ = frame.code.instructions[at]
            frame.at = at + 1
            try:
                if name == "ret":
                    done, value = self.returned(frame)
                    if done:
                        return value
                else:
                    do[name](frame, argument)
            except Asked:
                frame.at = at
                raise
            except Thrown as thrown:
                frame.at = at
                self.raised = self.where(frame, at)
                self.unwind(thrown.value)
            except BadInput as error:
                raise self.placed(error, frame, at) from None
            except Lacks as error:
                raise OtherLibrary(f"{self.where(frame, at)}: raises AttributeError: {error}") from None
            except (MemoryError, RecursionError):
                raise self.placed(Refused("what is too large, or too deep, is not followed"), frame, at) from None
            except Exception as error:
                frame.at = at
                self.raised = self.where(frame, at)
                try:
                    self.unwind(exception(error))
                except BadInput as refused:
                    raise self.placed(refused, frame, at) from None
            if asking.answers:
                asking.answers, asking.step = (), 0
            steps += 1
            if not steps % LOOK:
                if time.process_time() > until:
                    message = f"no answer and no question to rng within {self.seconds} seconds"
                    raise self.placed(BadInput(message), frame, at)
                if time.monotonic() > told:  # others have the processor
                    told = math.inf
                    say(
                        f"{self.where(frame, at)}: no answer and no question to rng for {SOON} s: it is stopped once it"
                        f" has had the processor for {self.seconds} s"
                    )

    def where(self, frame: Frame, at: int) -> str:
        """The line of the user's file, also where the prelude is at work."""
        for one in [frame, *reversed(self.frames)]:
            if one.code.file:
                line = one.code.instructions[at if one is frame else max(one.at - 1, 0)][2]
                return f"{one.code.file.rpartition('/')[2]}:{line}"
        return ""

    def placed(self, error: BadInput, frame: Frame, at: int) -> BadInput:
        where = self.where(frame, at)
        return type(error)(f"{where}: {error}" if where else str(error))

    def unwind(self, value: Instance) -> None:
        """On to the handler of an exception; raises Thrown where there is none."""
        while self.frames:
            frame = self.frames[-1]
            if frame.blocks:
                target, height = frame.blocks.pop()
                del frame.stack[height:]
                frame.stack.append(value)
                frame.at = target
                return
            self.frames.pop()
            if frame.of is not None:
                frame.of.frame, frame.of.running = None, not frame.code.file
                if value.kind.is_a(EXCEPTIONS["StopIteration"]):
                    if not frame.code.file:
                        refuse(f"StopIteration within {frame.code.name}")
                    value = made("RuntimeError")
        raise Thrown(value)

    def throw(self, kind: str, *args: Any) -> NoReturn:
        raise Thrown(made(kind, *args))

    def frozen(self, value: Any) -> bool:
        return not self.loading and id(owner(value) if type(value) is numpy.ndarray else value) in self.kept.numbers

    def may_change(self, value: Any) -> None:
        """Refuses to change what was made while the file was loaded, or an input."""
        if self.frozen(value):
            refuse(f"a change of {kind_name(value)} that was there before the call", "no state that survives a call")

    def may_shrink(self, held: Any) -> None:
        """Refuses to take from a dict or a set that is looped over: what the loop goes on with hangs on how Python
        keeps what it has."""
        met, waiting = set[int](), [*self.frames, self.held] if self.viewed else []
        while waiting:
            one: Any = waiting.pop()
            if id(one) in met or self.frozen(one):
                continue
            met.add(id(one))
            waiting += parts(one) or ()
            if type(one) is Iterator and type(one.of) is View and one.of.of is held and 0 <= one.at < ENDED:
                refuse(f"a change of {kind_name(held)} that is looped over", "a loop over list(...) of it")

    # -- calls ---------------------------------------------------------------------------------------------------------

    def call(self, frame: Frame, function: Any, args: Sequence[Any], named: dict[str, Any]) -> None:
        """Leaves the value on the frame's stack, now or once the function that is called returns."""
        kind = type(function)
        if kind is Function:
            self.enter(function, args, named)
        elif kind is Native:
            function.call(self, frame, list(args), named)
        elif kind is Bound:
            self.call(frame, function.what, (function.of, *args), named)
        elif kind is Class:
            self.construct(frame, function, args, named)
        elif kind is Partial:
            self.call(frame, function.function, (*function.args, *args), {**function.named, **named})
        elif isinstance(function, type):
            self.library.construct(self, frame, function, list(args), named)
        elif kind is Instance and (found := function.kind.find("__call__")) is not UNBOUND:
            self.enter(found, (function, *args), named)
        elif kind is Unknown and self.loading and function.name.partition(".")[0] in OURS:
            frame.stack.append(Unknown(function.name))  # a table that is made beside the function
        elif isinstance(function, Opaque | Source):
            refuse(f"a call of {kind_name(function)}", "what stands in this file, or is on the list (RANDOMIZER.md)")
        else:
            self.throw("TypeError")

    def enter(self, function: Any, args: Sequence[Any], named: dict[str, Any]) -> Any:
        """Opens the frame of a user's function; what it returns comes later."""
        if type(function) is not Function:
            refuse(f"{kind_name(function)} as a method")
        if len(self.frames) >= DEEPEST_CALL:
            refuse(f"a recursion deeper than {DEEPEST_CALL} calls")
        frame = self.opened(function, args, named)
        if function.code.generator:
            made = Generator(frame)
            frame.of = made
            self.frames[-1].stack.append(made)
        else:
            self.frames.append(frame)
        return UNBOUND

    def opened(self, function: Function, args: Sequence[Any], named: dict[str, Any]) -> Frame:
        code = function.code
        binder = FunctionType(code.binder, {}, "", function.defaults)
        binder.__kwdefaults__ = function.named
        try:
            names = binder(*args, **named)
        except TypeError:
            self.throw("TypeError") if code.file else refuse(f"{code.name} of these arguments")
        if code.generator and not code.file:
            names |= {name: self.iterator(names[name]) for name in EAGER & names.keys()}
            if "its" in names:
                names["its"] = [self.iterator(one) for one in names["its"]]
        cells = {key: function.cells[key] for key in code.free}
        cells |= {key: Cell(names.pop(key, UNBOUND)) for key in code.cells}
        return Frame(code, function.module, names=names, cells=cells)

    def construct(self, frame: Frame, kind: Class, args: Sequence[Any], named: dict[str, Any]) -> None:
        if kind.is_a(ENUM):
            frame.stack.append(member_of(kind, args, named))
            return
        made, found = Instance(kind), kind.find("__init__")
        if is_exception(kind):
            for name in ("__init__", "args"):
                if kind.find(name) is not UNBOUND:
                    refuse(f"an exception with {name} of its own")
            if named:
                refuse("an exception with keywords")
            made.attributes["args"] = tuple(args)
            frame.stack.append(made)
        elif type(found) is Generated:
            fill(made, found.of, args, named)
            after = kind.find("__post_init__")
            if found.of.find("__post_init__") is UNBOUND or (type(after) is Function and after.code.generator):
                frame.stack.append(made)
            else:
                self.enter(after, (made,), {})
                self.frames[-1].made = (made, False)
        elif found is not UNBOUND:
            if type(found) is Function and found.code.generator:
                self.throw("TypeError")
            self.enter(found, (made, *args), named)
            self.frames[-1].made = (made, True)
        elif args or named:
            self.throw("TypeError")
        else:
            frame.stack.append(made)

    def returned(self, frame: Frame) -> tuple[bool, Any]:
        """Closes the frame; whether it was the last one, and its value."""
        value = frame.stack.pop()
        self.frames.pop()
        if frame.code.kind == "class":
            value = class_of(frame)
        elif frame.of is None and frame.made is not None:
            made, returns_nothing = frame.made
            if value is not None and returns_nothing:
                self.throw("TypeError")
            value = made
        if frame.of is not None:
            again = frame.made or (not frame.code.file and len(frame.names.get("its", ())) > 1)
            frame.of.frame, frame.of.running = None, bool(again)
            for asker in self.frames[-2:]:  # over next()
                if again and asker.of is not None and not asker.code.file:
                    asker.made = True
            self.exhausted(self.frames[-1])
            return False, None
        if not self.frames:
            return True, value
        self.frames[-1].stack.append(value)
        return False, None

    def exhausted(self, frame: Frame) -> None:
        """A generator has ended: what asked it for more goes on."""
        name, argument, _ = frame.code.instructions[frame.at - 1]
        if name == "for":
            frame.stack.pop()
            frame.at = argument
        elif name == "next":
            default = frame.stack.pop()
            frame.stack.pop()
            if default is MISSING:
                self.unwind(made("StopIteration"))
            else:
                frame.stack.append(default)
        else:
            raise AssertionError(name)

    def step(self, frame: Frame, iterated: Any) -> tuple[bool, Any]:
        """The next item, or that there is none; a generator is entered, and then there is neither."""
        if type(iterated) is Generator:
            if iterated.frame is None:
                if iterated.running:
                    refuse("an iterator of Python's that goes on after an exception, or its end,")
                self.exhausted(frame)
                return False, UNBOUND
            if iterated.running:
                self.throw("ValueError")
            self.may_change(iterated)
            if len(self.frames) >= DEEPEST_CALL:
                refuse(f"a recursion deeper than {DEEPEST_CALL} calls")
            if iterated.frame.at:
                iterated.frame.stack.append(None)  # the value of `yield`
            iterated.running = True
            self.frames.append(iterated.frame)
            return False, UNBOUND
        if type(iterated) is not Iterator:
            if isinstance(iterated, Opaque):
                refuse(f"a loop over {kind_name(iterated)}", "a list, a tuple or a generator")
            self.throw("TypeError")
        self.may_change(iterated)
        of, at, keys = iterated.of, iterated.at, iterated.keys
        if keys is not None and at < ENDED:
            if at < 0 or len(of.of) != len(keys):
                iterated.at = -1  # so it stays
                self.throw("RuntimeError")
            if keys not in (tuple(of.of), tuple(of.of)[::-1]):
                refuse("a dict whose keys change while it is looped over", "a loop over list(...) of it")
        if at >= len(of if keys is None else keys):
            iterated.at = ENDED
            self.exhausted(frame)
            return False, UNBOUND
        value = of[at] if keys is None else of.at(keys[at])
        iterated.at = at + 1
        return True, value

    # -- instructions: names -------------------------------------------------------------------------------------------

    def do_refuse(self, frame: Frame, what: str) -> None:
        refuse(what)

    def do_const(self, frame: Frame, value: Any) -> None:
        frame.stack.append(value)

    def do_load(self, frame: Frame, name: str) -> None:
        """A local, which is in a cell where functions inside refer to it, or one of a function around."""
        value = frame.names.get(name, UNBOUND)
        if value is UNBOUND and name in frame.cells:
            value = frame.cells[name].value
        if value is UNBOUND:
            self.unbound(frame, name)
        frame.stack.append(value)

    def do_store(self, frame: Frame, name: str) -> None:
        if (cell := frame.cells.get(name)) is None:
            frame.names[name] = frame.stack.pop()
        else:
            self.may_change(cell)
            cell.value = frame.stack.pop()

    def do_delete(self, frame: Frame, name: str) -> None:
        self.do_load(frame, name)
        frame.stack.pop()
        if (cell := frame.cells.get(name)) is None:
            del frame.names[name]
        else:
            self.may_change(cell)
            cell.value = UNBOUND

    def unbound(self, frame: Frame, name: str) -> NoReturn:
        if name in frame.code.free and frame.code.name in ("<list>", "<set>", "<dict>"):
            refuse("a name without a value in a comprehension, of which Python 3.12 says another thing")
        self.throw("NameError" if name in frame.code.free else "UnboundLocalError")

    def do_loadglobal(self, frame: Frame, name: str) -> None:
        names = frame.module.names
        if name in names:
            frame.stack.append(names[name])
        else:
            self.do_builtin(frame, name)

    def do_loadname(self, frame: Frame, name: str) -> None:
        if frame.code.kind == "class" and name in frame.names:
            frame.stack.append(frame.names[name])
        else:
            self.do_loadglobal(frame, name)

    def do_builtin(self, frame: Frame, name: str) -> None:
        found = self.library.BUILTINS.get(name, UNBOUND)
        if self.loading and found is UNBOUND:
            if name == "__name__" and frame.module.name:
                found = frame.module.name
            elif hasattr(builtins, name):
                found = Unknown(name)
        if found is UNBOUND:
            refuse(f"the name {name}", "one of this file, or of the list (RANDOMIZER.md)")
        frame.stack.append(found)

    def do_storeglobal(self, frame: Frame, name: str) -> None:
        if not self.loading:
            refuse(f"an assignment to the global {name}", "no state that survives a call")
        frame.module.names[name] = frame.stack.pop()

    def do_storename(self, frame: Frame, name: str) -> None:
        if frame.code.kind == "class":
            if name in frame.names and frame.names[".base"] is ENUM:
                refuse(f"an Enum that gives {name} twice")
            frame.names[name] = frame.stack.pop()
        else:
            self.do_storeglobal(frame, name)

    def do_field(self, frame: Frame, what: tuple[str, tuple[str, ...]]) -> None:
        """A name with an annotation: a field of a dataclass, if this is not a ClassVar."""
        name, head = what
        found = frame.names.get(head[0], frame.module.names.get(head[0])) if head else None
        for part in head[1:]:
            found = Unknown(f"{found.name}.{part}") if isinstance(found, Library | Unknown) else None
        told = found.name.rpartition(".")[2] if type(found) is Unknown else ""
        if told in ("InitVar", "KW_ONLY"):
            refuse(f"the field {name} of {told}")
        if told != "ClassVar":
            frame.made = [*dict.fromkeys([*(frame.made or []), name])]

    def do_main(self, frame: Frame, _: Any) -> None:
        """`__name__ == "__main__"`, of a file that is imported."""
        if "__name__" in frame.module.names:
            refuse("a __name__ of its own")
        frame.stack.append(False)

    def do_annotation(self, frame: Frame, operated: bool) -> None:
        value = frame.stack.pop()
        known = isinstance(value, Class | Unknown | Library | Module | type) or value is None
        if operated and (not known or (type(value) is Unknown and "a class with" in value.name)):
            refuse(f"an annotation with {kind_name(value)}")

    def do_import(self, frame: Frame, what: Sequence[Any]) -> None:
        frame.stack.append(self.library.imported(self, frame, *what))

    # -- instructions: the stack ---------------------------------------------------------------------------------------

    def do_pop(self, frame: Frame, _: Any) -> None:
        frame.stack.pop()

    def do_dup(self, frame: Frame, _: Any) -> None:
        frame.stack.append(frame.stack[-1])

    def do_dup2(self, frame: Frame, _: Any) -> None:
        frame.stack.extend(frame.stack[-2:])

    def do_swap(self, frame: Frame, _: Any) -> None:
        frame.stack[-2:] = frame.stack[:-3:-1]

    def do_under2(self, frame: Frame, _: Any) -> None:
        frame.stack.insert(-2, frame.stack.pop())

    def replace(self, frame: Frame, taken: int, value: Any) -> None:
        del frame.stack[-taken:]
        frame.stack.append(value)

    # -- instructions: operators ---------------------------------------------------------------------------------------

    def do_binary(self, frame: Frame, op: str) -> None:
        left, right = frame.stack[-2:]
        if type(left) is Instance or type(right) is Instance:
            self.by_method(frame, op, left, right, METHODS[op], "r" + METHODS[op])
            return
        if left is None and right is None:
            self.throw("TypeError")
        self.replace(frame, 2, self.combined(op, left, right))

    def combined(self, op: str, left: Any, right: Any) -> Any:
        kinds = type(left), type(right)
        if not PLAIN.issuperset(kinds):
            for value in (left, right):
                if isinstance(value, Opaque | type):
                    if op == "BitOr" and self.loading and not (type(value) is Unknown and value.own):
                        return Unknown("a type")  # int | None
                    refuse(f"an operator on {kind_name(value)}")
                plain(value)
        if op in CAREFUL or not SIZED.isdisjoint(kinds):
            special = self.library.guarded(self, op, left, right)
            if special is not UNBOUND:
                return special
        return checked(OPERATORS[op](left, right))

    def ask(self, frame: Frame, taken: int, one: Instance, name: str, *given: Any) -> None:
        """Enters a method of an object, with what is taken from the stack; TypeError where there is none."""
        found = one.kind.find(name)
        if found is UNBOUND:
            self.throw("TypeError")
        del frame.stack[-taken:]
        self.enter(found, (one, *given), {})

    def by_method(self, frame: Frame, op: str, left: Any, right: Any, name: str, other: str) -> None:
        kinds, both = (type(left), type(right)), type(left) is type(right) is Instance
        text, power = op == "Mod" and kinds[0] in (str, bytes), op == "Pow" and Fraction in kinds
        if text or power or View in kinds or not ARRAYS.isdisjoint(kinds):  # these do not leave it to the object
            refuse(f"an operator on {kind_name(left)} and {kind_name(right)}")
        if both and left.kind is not right.kind and right.kind.is_a(left.kind):
            refuse(f"an operator on {kind_name(left)} and {kind_name(right)}, whose class is derived from it")
        turned = not (both and left.kind is right.kind) or op in COMPARISONS  # whether the right one is asked, too
        for one, method, given in ((left, name, right), (right, other, left))[: 1 + turned]:
            found = one.kind.find(f"__{method}__") if type(one) is Instance else UNBOUND
            if found is not UNBOUND and type(found) is not Generated:
                self.ask(frame, 2, one, f"__{method}__", given)
                return
            if type(found) is Generated and type(given) is Instance and given.kind is one.kind:
                break
        if op in ("Eq", "NotEq"):
            equal = left == right
            self.replace(frame, 2, equal if op == "Eq" else not equal)
            return
        if type(left) is Instance and type(right) is Instance:
            refuse(f"an operator that {left.kind.name} does not define")
        self.throw("TypeError")

    def do_inplace(self, frame: Frame, op: str) -> None:
        left, right = frame.stack[-2:]
        kind, other = type(left), type(right)
        if kind not in (list, dict, set, numpy.ndarray):
            if kind is Instance and left.kind.find(f"__i{METHODS[op]}__") is not UNBOUND:
                refuse("an operator in place of an object")
            self.do_binary(frame, op)
            return
        self.may_change(left)
        if kind is set:
            self.may_shrink(left)
        if kind is numpy.ndarray:
            if other in DRAWS or other is Draws or op in ("Pow", "MatMult"):
                refuse("this operator in place of an array", "a new array")
        elif other in ARRAYS or (kind is dict and other is not dict):
            refuse(
                f"an operator in place of {kind_name(left)} and {kind_name(right)}", "list(...) around it, or dict(...)"
            )
        elif kind is list and op == "Add" and (right := self.sequence(right)) is None:
            refuse("`+=` of a list with what is no list or tuple", "list(...) around it")
        plain(right)
        self.library.foresee(op, left, right)
        self.replace(frame, 2, checked(getattr(operator, "i" + METHODS[op])(left, right)))

    def do_unary(self, frame: Frame, op: str) -> None:
        value = frame.stack[-1]
        if type(value) is Instance:
            self.ask(frame, 1, value, f"__{UNARY[op].__name__}__")
            return
        if isinstance(value, Opaque):
            refuse(f"an operator on {kind_name(value)}")
        plain(value)
        self.replace(frame, 1, checked(UNARY[op](value)))

    def do_compare(self, frame: Frame, op: str) -> None:
        left, right = frame.stack[-2:]
        if op in ("Is", "IsNot"):
            self.replace(frame, 2, same(left, right) is (op == "Is"))
        elif op in ("In", "NotIn"):
            self.contains(frame, left, right, op == "In")
        elif type(left) is Instance or type(right) is Instance:
            for one in (left, right) if op == "NotEq" else ():
                alone = type(one) is Instance and one.kind.find("__ne__") is UNBOUND
                if alone and type(one.kind.find("__eq__")) not in (Unbound, Generated):
                    refuse("`!=` where __eq__ alone is defined", "`not ... == ...`")
            self.by_method(frame, op, left, right, METHODS[op], TURNED[op])
        else:
            for value, other in ((left, right), (right, left)):
                named = type(value) in (Class, Function) or isinstance(value, type)
                if named and op in ("Eq", "NotEq") and type(other) is not numpy.ndarray and type(other) is not Draws:
                    self.replace(frame, 2, (left is right) is (op == "Eq"))
                    return
                if type(value) is View:
                    refuse("a comparison of a dict's views", "list(...) or set(...) of them")
                if isinstance(value, Opaque):
                    refuse(f"a comparison of {kind_name(value)}")
                plain(value)
                not_unfolded(value)
            self.replace(frame, 2, checked(COMPARISONS[op](left, right)))

    def contains(self, frame: Frame, value: Any, held: Any, sense: bool) -> None:
        held = bare(held)
        if type(held) is View:
            held = held.of.keys() if held.kind == "keys" else held.listed()
        elif type(held) is Instance:
            if held.kind.find("__contains__") is UNBOUND:
                refuse(f"`in` of {kind_name(held)}")
            del frame.stack[-2:]
            self.enter(prelude("_in"), (held, value, sense), {})
            return
        elif type(held) is Class and type(value) is Instance and value.kind is held and held.is_a(ENUM):
            held = (value,)
        elif isinstance(held, Opaque):
            refuse(f"`in` of {kind_name(held)}", "a list")
        else:
            plain(held)
        if type(value) is not int:
            not_gone_through(held)
            not_unfolded(held)
        if not isinstance(value, Opaque):
            plain(value)
        elif type(value) not in (Instance, Function, Class):
            refuse(f"`in` for {kind_name(value)}")
        self.replace(frame, 2, (value in held) is sense)

    def do_truth(self, frame: Frame, again: bool | None) -> None:
        """`again`: of what `and`, `or` or `if` gave, which Python 3.12 asks once more, and 3.11 does not."""
        value = bare(frame.stack[-1])
        kind = type(value)
        if kind is bool:
            return
        if kind is Instance:
            for name in ("__bool__", "__len__"):
                found = value.kind.find(name)
                if found is not UNBOUND:
                    if again:
                        refuse(f"the truth of {kind_name(value)} that is asked twice", "a name for it")
                    if name == "__bool__":
                        self.ask(frame, 1, value, name)
                    else:
                        frame.stack.pop()
                        frame.at -= 1  # the length is asked for its truth
                        self.enter(prelude("_len"), (value,), {})
                    return
            self.replace(frame, 1, True)
        elif kind is View:
            self.replace(frame, 1, bool(value.of))
        elif isinstance(value, Unknown | Iterator | Partial | Wrapped):
            refuse(f"the truth of {kind_name(value)}")
        elif isinstance(value, Opaque | Source | type):
            self.replace(frame, 1, True)
        else:
            plain(value)
            self.replace(frame, 1, bool(value))

    def do_not(self, frame: Frame, _: Any) -> None:
        value = frame.stack[-1]
        if type(value) is not bool:
            self.throw("TypeError")
        frame.stack[-1] = not value

    # -- instructions: control -----------------------------------------------------------------------------------------

    def do_jump(self, frame: Frame, target: int) -> None:
        frame.at = target

    def do_unless(self, frame: Frame, target: int) -> None:
        self.do_not(frame, None)
        self.do_when(frame, target)

    def do_when(self, frame: Frame, target: int) -> None:
        value = frame.stack.pop()
        if type(value) is not bool:
            self.throw("TypeError")
        if value:
            frame.at = target

    def do_iter(self, frame: Frame, _: Any) -> None:
        self.replace(frame, 1, self.iterator(frame.stack[-1]))

    def iterator(self, value: Any) -> Any:
        value = bare(value)
        kind = type(value)
        if kind in (Iterator, Generator):
            return value
        self.viewed |= kind in (dict, View, set, frozenset)
        if kind in (list, tuple, str, bytes, range, numpy.str_):
            if kind is range and value and value.index(value[-1]) > sys.maxsize:
                refuse("a range of more items than a machine's word counts")
            return Iterator(value)
        if kind is Class and value.is_a(ENUM):
            return Iterator([*dict.fromkeys(members(value).values())])
        if kind is dict:
            return Iterator(View(value, "keys"), 0, tuple(value))
        if kind is View:
            return Iterator(value, 0, tuple(value.of))
        if kind in (set, frozenset):
            return Iterator(View(value, "keys"), 0, ordered(value))
        if kind is Instance:
            found = value.kind.find("__iter__")
            if type(found) is not Function or not found.code.generator:
                refuse(f"a loop over {kind_name(value)}", "an __iter__ that yields, or a list")
            made = Generator(self.opened(found, (value,), {}))
            made.frame.of = made  # type: ignore[union-attr]
            return made
        if kind is numpy.ndarray or kind is Draws:
            plain(value)
            if not value.ndim:
                self.throw("TypeError")
            return Iterator(value)
        if isinstance(value, Opaque | Source):
            refuse(f"a loop over {kind_name(value)}", "a list, a tuple, a dict or a generator")
        return iter(value)  # which raises

    def do_for(self, frame: Frame, _: int) -> None:
        found, value = self.step(frame, frame.stack[-1])
        if found:
            frame.stack.append(value)

    def do_next(self, frame: Frame, _: Any) -> None:
        """next(iterator, default), both on the stack (UNBOUND where there is none)."""
        found, value = self.step(frame, frame.stack[-2])
        if found:
            self.replace(frame, 2, value)

    def do_yield(self, frame: Frame, _: Any) -> None:
        value = frame.stack.pop()
        self.frames.pop()
        assert frame.of is not None
        frame.of.running = False
        asker = self.frames[-1]
        if asker.code.instructions[asker.at - 1][0] == "next":
            del asker.stack[-2:]
        asker.stack.append(value)

    def do_try(self, frame: Frame, target: int) -> None:
        frame.blocks.append((target, len(frame.stack)))

    def do_endtry(self, frame: Frame, _: Any) -> None:
        frame.blocks.pop()

    def do_raise(self, frame: Frame, _: Any) -> None:
        value = frame.stack.pop()
        if type(value) is Class and is_exception(value):
            self.construct(frame, value, (), {})
            value = frame.stack.pop()
        if type(value) is not Instance or not is_exception(value.kind):
            if isinstance(value, Opaque):
                refuse(f"raise of {kind_name(value)}")
            self.throw("TypeError")
        raise Thrown(value)

    def do_cause(self, frame: Frame, _: Any) -> None:
        """`raise ... from` this."""
        cause = frame.stack.pop()
        kind = cause.kind if type(cause) is Instance else cause
        if cause is not None and not (type(kind) is Class and is_exception(kind)):
            self.throw("TypeError")

    def do_caught(self, frame: Frame, _: Any) -> None:
        """Whether an exception, below on the stack, is of a class or of one of several."""
        value, kinds = frame.stack[-2:]
        listed = kinds if type(kinds) is tuple else (kinds,)
        if not all(type(kind) is Class and is_exception(kind) for kind in listed):
            refuse("`except` of what is no exception on the list")
        self.replace(frame, 2, any(value.kind.is_a(kind) for kind in listed))

    # -- instructions: containers --------------------------------------------------------------------------------------

    def taken(self, frame: Frame, count: int) -> list[Any]:
        if not count:
            return []
        taken = frame.stack[-count:]
        del frame.stack[-count:]
        return taken

    def do_made(self, frame: Frame, what: tuple[Any, int | None]) -> None:
        """A tuple, list or set of so many values, or of those in a list; or an empty dict."""
        kind, count = what
        values = frame.stack[-1] if count is None else frame.stack[len(frame.stack) - count :]
        made = set_of(values, count is None) if kind is set else kind(values)
        del frame.stack[len(frame.stack) - (1 if count is None else count) :]
        frame.stack.append(made)

    def do_paired(self, frame: Frame, depth: int) -> None:
        """One of several pairs of a dict's display, of which Python looks at the keys once it has more."""
        keyed(frame.stack[-1][0])
        self.do_put(frame, depth)

    def do_put(self, frame: Frame, depth: int) -> None:
        """Into a list, a set, or a dict, which gets a pair."""
        value, held = frame.stack[-1], frame.stack[-1 - depth]
        if type(held) is list:
            held.append(value)
        elif type(held) is set:
            hashable(value)
            held.add(value)
        else:
            hashable(value[0])
            held[value[0]] = value[1]
        frame.stack.pop()

    def do_merged(self, frame: Frame, once: str | None) -> None:
        more = bare(frame.stack[-1])
        if type(more) is not dict:
            refuse("`**` of what is no dict")
        if once and more.keys() & frame.stack[-2].keys():
            refuse("a keyword that is given twice, for which Python 3.11 raises another thing in a handler,")
        frame.stack[-2].update(more)
        frame.stack.pop()

    def do_extend(self, frame: Frame, _: Any) -> None:
        frame.stack[-2].extend(frame.stack[-1])
        frame.stack.pop()

    def sequence(self, value: Any) -> Any:
        """What can be looked at as a sequence at once; None of generators, iterators and objects."""
        value = bare(value)
        kind = type(value)
        if kind in (list, tuple, str, bytes, range, numpy.str_):
            not_gone_through(value)
            return value
        if kind is Instance and value.kind.find("__len__") is not UNBOUND:
            refuse(f"a list of {kind_name(value)}, whose length Python asks,", "a loop")
        if isinstance(value, Opaque) and kind is not View:
            return None
        made = self.iterator(value)
        return list(made.of) if made.keys is None else [made.of.at(key) for key in made.keys]

    def do_listed(self, frame: Frame, most: int | None) -> None:
        """Something iterable as a sequence; of generators no more than one item beyond `most` is asked."""
        value = frame.stack[-1]
        made = self.sequence(value)
        if made is not None:
            self.replace(frame, 1, made)
        else:
            frame.stack.pop()
            if most is None:
                self.enter(prelude("_listed"), (value,), {})
            else:
                self.enter(prelude("_some"), (value, most), {})

    def do_unpack(self, frame: Frame, what: tuple[int, int | None]) -> None:
        count, star = what
        values = list(frame.stack[-1])
        if star is None:
            if len(values) != count:
                self.throw("ValueError")
        else:
            after = count - star - 1
            if len(values) < count - 1:
                self.throw("ValueError")
            values = [*values[:star], values[star : len(values) - after], *values[len(values) - after :]]
        frame.stack.pop()
        frame.stack.extend(reversed(values))

    def do_slice(self, frame: Frame, _: Any) -> None:
        start, stop, step = frame.stack[-3:]
        self.replace(frame, 3, slice(start, stop, step))

    def do_item(self, frame: Frame, _: Any) -> None:
        held, key = frame.stack[-2:]
        if type(held) is Instance:
            self.ask(frame, 2, held, "__getitem__", key)
            return
        self.replace(frame, 2, self.item(held, key))

    def item(self, held: Any, key: Any) -> Any:
        kind = type(held)
        if kind is Class and held.is_a(ENUM) and type(key) is str:
            return members(held)[key]
        if isinstance(held, type) or kind is Unknown:
            if self.loading and not (kind is Unknown and held.own):
                return Unknown(held.name if kind is Unknown else "a type")  # list[int]
            refuse(f"an item of {kind_name(held)}")
        if kind is dict:
            hashable(key)
            return held[key]
        index(key)
        if kind in (list, tuple, str, bytes, range):
            return held[key]
        if kind is numpy.ndarray or kind is Draws:
            plain(held)
            found = held[key]
            return found if type(found) in DRAWS or isinstance(found, Draws) else checked(found)
        plain(held)
        return checked(held[key])

    def do_storeitem(self, frame: Frame, _: Any) -> None:
        value, held, key = frame.stack[-3:]
        if type(held) is Instance:
            self.ask(frame, 3, held, "__setitem__", key, value)
            return
        self.may_change(held)
        if type(held) is dict:
            hashable(key)
            held[key] = value
        elif type(held) is list:
            index(key)
            if type(key) is slice:
                listed = self.sequence(value)
                if listed is None:
                    refuse("an assignment to a slice of what is no list", "list(...) around it")
                value = list(listed)
            held[key] = value
        elif type(held) is numpy.ndarray:
            index(key)
            plain(value)
            if type(value) in DRAWS or isinstance(value, Draws):
                refuse("a draw that is put into an array", "a list of draws")
            held[key] = value
        elif isinstance(held, Draws):
            refuse(f"an assignment to an item of {kind_name(held)}")
        else:
            plain(held)
            held[key] = value  # which raises
        self.replace(frame, 3, None)

    def do_deleteitem(self, frame: Frame, _: Any) -> None:
        held, key = frame.stack[-2:]
        if type(held) is Instance:
            self.ask(frame, 2, held, "__delitem__", key)
            return
        self.may_change(held)
        if type(held) not in (dict, list):
            refuse(f"`del` of an item of {kind_name(held)}")
        if type(held) is dict:
            self.may_shrink(held)
            hashable(key)
        else:
            index(key)
        del held[key]
        self.replace(frame, 2, None)

    # -- instructions: text --------------------------------------------------------------------------------------------

    def do_format(self, frame: Frame, conversion: int) -> None:
        value, spec = frame.stack[-2:]
        if type(value) is Instance:
            refuse(f"text of {kind_name(value)}")
        printable(value, conversion == 114)
        if spec.endswith("n"):
            refuse("a number written as the machine's language has it")
        if spec and type(value) is Fraction:
            refuse("a Fraction in a format, which Python has from 3.12 on")
        if conversion != -1:
            value = str(value) if conversion == 115 else repr(value) if conversion == 114 else ascii(value)
        self.replace(frame, 2, format(value, spec))

    def do_joined(self, frame: Frame, count: int) -> None:
        frame.stack.append("".join(self.taken(frame, count)))

    # -- instructions: functions and classes ---------------------------------------------------------------------------

    def do_function(self, frame: Frame, what: tuple[Code, int, tuple[str, ...]]) -> None:
        code, count, names = what
        named = dict(zip(names, self.taken(frame, len(names)), strict=True))
        defaults = tuple(self.taken(frame, count))
        cells = {name: frame.cells[name] for name in code.free}
        frame.stack.append(Function(code, frame.module, defaults, named, cells))

    def do_class(self, frame: Frame, what: tuple[Code, int]) -> None:
        code, count = what
        bases = self.taken(frame, count)
        inner = Frame(code, frame.module, cells={name: Cell(UNBOUND) for name in code.cells})
        inner.names[".base"] = bases[0] if bases else None
        self.frames.append(inner)

    def do_call(self, frame: Frame, what: tuple[int, tuple[str, ...]]) -> None:
        count, names = what
        size = count + len(names) + 1
        stack = frame.stack
        base = len(stack) - size
        function = stack[base]
        args, named = stack[base + 1 : base + 1 + count], dict(zip(names, stack[base + 1 + count :], strict=True))
        self.invoke(frame, base, function, args, named)

    def do_callstars(self, frame: Frame, _: Any) -> None:
        function, args, named = frame.stack[-3:]
        if not all(type(key) is str for key in named):
            self.throw("TypeError")
        self.invoke(frame, len(frame.stack) - 3, function, args, named)

    def invoke(self, frame: Frame, base: int, function: Any, args: Sequence[Any], named: dict[str, Any]) -> None:
        """The arguments stay on the stack until nothing can be asked any more."""
        held = self.held = frame.stack
        frame.stack = []
        try:
            self.call(frame, function, args, named)
        except BaseException:
            frame.stack, self.held = held, []
            raise
        result = frame.stack
        frame.stack, self.held = held, []
        del held[base:]
        held.extend(result)

    def do_attr(self, frame: Frame, name: str) -> None:
        value = frame.stack[-1]
        kind = type(value)
        if kind is Instance or kind is Class:
            self.of_object(frame, value, name)
            return
        if kind is Super:
            self.of_super(frame, value, name)
            return
        if kind is Module:
            if name not in value.names:
                refuse(f"{name} of {value.name}, which is not there")
            found = value.names[name]
        elif kind is Library:
            found = value.names.get(name, Unknown(f"{value.name}.{name}"))
        else:
            found = self.library.attribute(self, value, name)
        self.replace(frame, 1, found)

    def do_super(self, frame: Frame, _: Any) -> None:
        kind, one = frame.stack[-2:]
        if "super" in frame.module.names or type(kind) is not Class or type(one) not in (Instance, Class):
            refuse(f"super() of {kind_name(one)}")
        if not (one.kind if type(one) is Instance else one).is_a(kind):
            self.throw("TypeError")
        self.replace(frame, 2, Super(kind, one))

    def of_super(self, frame: Frame, value: Super, name: str) -> None:
        base = value.kind.base
        found = UNBOUND if base is None else base.find(name)
        if type(found) is Generated and name == "__init__":
            self.replace(frame, 1, Bound(filling(found), value.of))
        elif found is UNBOUND and name == "__init__":
            self.replace(frame, 1, Bound(NOTHING, value.of))
        elif found is UNBOUND or type(found) is Generated or is_exception(value.kind):
            refuse(f"{name} of super()")
        else:
            self.bound(frame, value.of, name, found)

    def of_object(self, frame: Frame, value: Any, name: str) -> None:
        kind = value.kind if type(value) is Instance else value
        if kind.python is not None:
            if frame.code.file and name.startswith("_") and name not in ("__class__", "__name__"):
                refuse(f"{name} of {kind_name(value)}")
            of_member(value, name)
            if name in OF_DICTS and name not in kind.attributes and (held := bare(value)) is not value:
                self.replace(frame, 1, self.library.attribute(self, held, name))
                return
        if type(value) is Instance and name in value.attributes:
            self.replace(frame, 1, value.attributes[name])
            return
        found = kind.find(name)
        if name in ("__doc__", "__module__", "__qualname__"):
            refuse(f"{name} of {kind_name(value)}")
        if found is UNBOUND:
            if name == "__name__" and type(value) is Class:
                found = kind.name
            elif name == "__class__" and type(value) is Instance:
                found = kind
            elif is_exception(kind) or name.startswith("__"):
                refuse(f"{name} of {kind_name(value)}")
            else:
                self.throw("AttributeError")
        self.bound(frame, value, name, found)

    def bound(self, frame: Frame, value: Any, name: str, found: Any) -> None:
        """What an object, or a class, has as its attribute of this name where it finds this in a class."""
        kind = value.kind if type(value) is Instance else value
        if type(found) is Wrapped:
            if found.kind == "property" and type(value) is Instance:
                frame.stack.pop()
                self.enter(found.what, (value,), {})
                return
            if found.kind not in ("staticmethod", "classmethod"):
                refuse(f"{found.kind} of a class")
            found = found.what if found.kind == "staticmethod" else Bound(found.what, kind)
        elif type(found) is Function and type(value) is Instance:
            if not found.code.file and kind.python is None:
                refuse(f"{found.code.name} of Python's as a method")
            found = Bound(found, value)
        elif type(found) is Native and type(value) is Instance and written_in_python(found):
            refuse(f"{found.name} as a method")
        elif type(found) is Partial and type(value) is Instance:
            refuse("a partial as a method, which Python 3.14 calls in another way")
        self.replace(frame, 1, found)

    def do_storeattr(self, frame: Frame, name: str) -> None:
        value, held = frame.stack[-2:]
        if type(held) is Function and self.loading:
            if name.startswith("__") and name not in ("__name__", "__doc__", "__wrapped__"):
                refuse(f"an assignment to {name} of {kind_name(held)}")
            held.attributes[name] = value
        elif type(held) is Instance:
            self.may_change(held)
            args = name in ("args", "msg") and is_exception(held.kind)
            if held.kind.python is not None:
                if frame.code.file:
                    refuse(f"an assignment to {name} of {kind_name(held)}")
            elif type(held.kind.find(name)) is Wrapped or name.startswith("__") or args:
                refuse(f"an assignment to {name} of {kind_name(held)}")
            made = held.kind.dataclass()
            if made is not None and made.given is not None and made.given.get("frozen"):
                if held.kind is not made:
                    refuse(f"an assignment to {name} of {kind_name(held)}, whose class is derived from a frozen one")
                self.throw("FrozenInstanceError")
            held.attributes[name] = value
        else:
            refuse(f"an assignment to an attribute of {kind_name(held)}", "an object of a class of this file")
        del frame.stack[-2:]
