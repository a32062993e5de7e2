"""From the syntax tree of a file to instructions of a stack machine, for the subset of Python that is followed.

An instruction is (name, argument, line). What is not in the subset becomes an instruction that refuses when it is
reached, so that a function may stand in a file with anything that is only defined there. A name is a local, a cell (a
local that a function inside refers to), or global; which locals may still be read at an instruction is worked out, so
that states that differ in others are equal.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from shufflecert.verify.audit.follow.names import FUNCTIONS, Private, Scope, arguments, scope_of, settle

Instruction = tuple[str, Any, int]


@dataclass(eq=False)
class Code:
    """One function's, comprehension's, class's or module's instructions. `live[i]` are the locals that may be read from
    instruction i on; `kind` is "function", "class" or "module"; `binder` is code of Python's that takes the arguments
    of a function, and gives them by name."""

    name: str
    file: str
    line: int
    kind: str = "function"
    binder: Any = None
    generator: bool = False
    instructions: list[Instruction] = field(default_factory=list)
    cells: tuple[str, ...] = ()  # locals that functions inside refer to
    free: tuple[str, ...] = ()  # cells of functions around
    live: list[frozenset[str]] = field(default_factory=list)


def binder(given: ast.arguments) -> Any:
    """The code of a function of Python's that takes these arguments and gives {name: argument}: so what is wrong with
    a call is what Python says of it."""
    names = [a.arg for a in arguments(given)]
    taken = ast.arguments(
        [ast.arg(a.arg) for a in given.posonlyargs],
        [ast.arg(a.arg) for a in given.args],
        given.vararg and ast.arg(given.vararg.arg),
        [ast.arg(a.arg) for a in given.kwonlyargs],
        [None] * len(given.kwonlyargs),
        given.kwarg and ast.arg(given.kwarg.arg),
        [],
    )
    made = ast.Dict([ast.Constant(name) for name in names], [ast.Name(name, ast.Load()) for name in names])
    whole = ast.fix_missing_locations(ast.Expression(ast.Lambda(taken, made)))
    return eval(compile(whole, "", "eval")).__code__


DISPLAYS = {ast.Tuple: tuple, ast.List: list, ast.Set: set}
COMPREHENSIONS = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict, ast.GeneratorExp: None}
OF_ITERABLE = binder(ast.arguments([], [ast.arg(".0")], None, [], [], None, []))


def compiled(tree: ast.Module, file: str) -> Code:
    """The instructions of a whole file."""
    Private().visit(tree)
    scope = scope_of(tree, None)
    settle(scope, set())
    return Compiler(scope, Code("<module>", file, 1, "module")).module(tree.body)


# Instructions ---------------------------------------------------------------------------------------------------------


class Compiler:
    """Writes the instructions of one scope."""

    def __init__(self, scope: Scope, code: Code) -> None:
        self.scope, self.code = scope, code
        self.line = code.line
        self.around: list[tuple[str, Any]] = []  # "loop" (start, breaks), "for", "try", "finally" body, "handler" name
        self.ranges: list[tuple[int, int, int]] = []  # instructions within a try, and its handler
        self.serial = 0

    # -- bodies --------------------------------------------------------------------------------------------------------

    def module(self, body: Sequence[ast.stmt]) -> Code:
        self.body(body)
        return self.finished()

    def finished(self) -> Code:
        self.emit("const", None)
        self.emit("ret")
        self.code.cells = tuple(sorted(self.scope.cells))
        self.code.free = tuple(sorted(self.scope.free))
        self.code.live = _live(self.code.instructions, self.ranges)
        return self.code

    def emit(self, name: str, argument: Any = None) -> int:
        self.code.instructions.append((name, argument, self.line))
        return len(self.code.instructions) - 1

    def here(self) -> int:
        return len(self.code.instructions)

    def patch(self, at: int, target: int | None = None) -> None:
        name, _, line = self.code.instructions[at]
        self.code.instructions[at] = (name, self.here() if target is None else target, line)

    def refuse(self, what: str) -> None:
        self.emit("refuse", what)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.line = statement.lineno
            handler: Callable[[Any], None] | None = getattr(self, f"s_{type(statement).__name__}", None)
            if handler is None:
                self.refuse(f"a statement `{_word(statement)}`")
            else:
                handler(statement)

    # -- names ---------------------------------------------------------------------------------------------------------

    def name(self, name: str, how: str) -> None:
        """how: load, store or delete."""
        scope = self.scope
        if (scope.is_function and name in scope.bound) or name in scope.free - scope.bound:
            self.emit(how, name)
        elif how == "delete":
            self.refuse("`del` of a name outside of functions")
        elif scope.is_function or name in scope.globals:
            self.emit(f"{how}global", name)
        else:
            self.emit(f"{how}name", name)

    def store(self, target: ast.expr) -> None:
        """Takes the value from the stack."""
        if isinstance(target, ast.Name):
            self.name(target.id, "store")
        elif isinstance(target, ast.Attribute):
            self.expr(target.value)
            self.emit("storeattr", target.attr)
        elif isinstance(target, ast.Subscript):
            self.expr(target.value)
            self.expr(target.slice)
            self.emit("storeitem")
            self.emit("pop")
        elif isinstance(target, ast.Tuple | ast.List):
            stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
            self.emit("listed", None if stars else len(target.elts))
            self.emit("unpack", (len(target.elts), stars[0] if stars else None))
            for part in target.elts:
                self.store(part.value if isinstance(part, ast.Starred) else part)
        else:
            self.emit("pop")
            self.refuse(f"an assignment to `{_word(target)}`")

    # -- statements ----------------------------------------------------------------------------------------------------

    def s_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.YieldFrom):
            self.yielding()
            self.for_each(node.value.value, lambda _: (self.emit("yield"), self.emit("pop")))
            return
        self.expr(node.value)
        self.emit("pop")

    def s_Pass(self, node: ast.Pass) -> None:
        pass

    s_Global = s_Nonlocal = s_Pass

    def s_Assign(self, node: ast.Assign) -> None:
        self.expr(node.value)
        for target in node.targets[:-1]:
            self.emit("dup")
            self.store(target)
        self.store(node.targets[-1])

    def annotated(self, node: ast.expr | None, operated: bool = False) -> None:
        """Python up to 3.13 computes an annotation, unless it is told not to, and later ones do not: it must not
        matter. What is `operated` on must not have code for that."""
        if node is None or self.scope.postponed or isinstance(node, ast.Constant):
            return
        if isinstance(node, ast.Name):
            if self.scope.is_function and node.id in self.scope.bound | self.scope.free:
                self.refuse("an annotation with a local name")
                return
            self.name(node.id, "load")
            self.emit("annotation", operated)
        elif isinstance(node, ast.Attribute):
            self.annotated(node.value, True)
            if not self.scope.is_function:
                self.expr(node)
                self.emit("annotation", operated)
        elif isinstance(node, ast.Subscript):
            self.annotated(node.value, True)
            self.annotated(node.slice)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self.annotated(node.left, True)
            self.annotated(node.right, True)
        elif isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self.annotated(part)
        else:
            called = any(isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(node))
            self.refuse("a call in an annotation" if called else "an annotation that computes")

    def s_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None and not isinstance(node.target, ast.Name):
            self.refuse("an annotation of an item or an attribute without a value")
        if self.code.kind == "class" and isinstance(node.target, ast.Name) and node.simple:
            self.emit("field", (node.target.id, _head(node.annotation)))
        if node.value is not None:
            self.expr(node.value)
            self.store(node.target)
        if not self.scope.is_function:  # where Python evaluates it
            self.annotated(node.annotation)

    def s_AugAssign(self, node: ast.AugAssign) -> None:
        target, op = node.target, type(node.op).__name__
        if isinstance(target, ast.Name):
            self.name(target.id, "load")
            self.expr(node.value)
            self.emit("inplace", op)
            self.name(target.id, "store")
        elif isinstance(target, ast.Attribute):
            self.expr(target.value)
            self.emit("dup")
            self.emit("attr", target.attr)
            self.expr(node.value)
            self.emit("inplace", op)
            self.emit("swap")
            self.emit("storeattr", target.attr)
        else:
            self.expr(target.value)
            self.expr(target.slice)
            self.emit("dup2")
            self.emit("item")
            self.expr(node.value)
            self.emit("inplace", op)
            self.emit("under2")
            self.emit("storeitem")
            self.emit("pop")

    def s_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.name(target.id, "delete")
            elif isinstance(target, ast.Subscript):
                self.expr(target.value)
                self.expr(target.slice)
                self.emit("deleteitem")
                self.emit("pop")
            else:
                self.refuse("`del` of an attribute")

    def s_If(self, node: ast.If) -> None:
        self.either(node.test, partial(self.body, node.body), partial(self.body, node.orelse))

    def either(self, test: ast.expr, one: Callable[[], object], other: Callable[[], object]) -> None:
        otherwise = self.unless(test)
        one()
        end = self.emit("jump")
        self.patch(otherwise)
        other()
        self.patch(end)

    def unless(self, test: ast.expr) -> int:
        self.truth(test)
        return self.emit("unless")

    def truth(self, node: ast.expr) -> None:
        """The truth of an expression, for which each of its parts is asked once."""
        if isinstance(node, ast.BoolOp):
            self.e_BoolOp(node, True)
        elif isinstance(node, ast.Compare):
            self.e_Compare(node, True)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.truth(node.operand)
            self.emit("not")
        elif isinstance(node, ast.IfExp):
            self.e_IfExp(node, True)
        else:
            self.expr(node)
            self.emit("truth")

    def s_While(self, node: ast.While) -> None:
        start, breaks = self.here(), list[int]()
        end = self.unless(node.test)
        self.around.append(("loop", (start, breaks)))
        self.body(node.body)
        self.around.pop()
        self.emit("jump", start)
        self.patch(end)
        self.body(node.orelse)
        for at in breaks:
            self.patch(at)

    def s_For(self, node: ast.For) -> None:
        breaks = list[int]()

        def step(start: int) -> None:
            self.store(node.target)
            self.around.append(("for", (start, breaks)))
            self.body(node.body)
            self.around.pop()

        self.for_each(node.iter, step)
        self.body(node.orelse)
        for at in breaks:
            self.patch(at)

    def for_each(self, iterated: ast.expr, step: Callable[[int], object]) -> None:
        """A step for each item, which is on the stack; the step is told where the loop begins."""
        self.expr(iterated)
        self.emit("iter")
        start = self.emit("for")
        step(start)
        self.emit("jump", start)
        self.patch(start)

    def leave(self, node: ast.Break | ast.Continue) -> None:
        """Out of what is around, up to a loop."""
        kept = list(self.around)
        while self.around[-1][0] not in ("loop", "for"):
            self.unwind(self.around.pop())
        kind, (start, breaks) = self.around[-1]
        self.around = kept
        if isinstance(node, ast.Continue):
            self.emit("jump", start)
            return
        if kind == "for":
            self.emit("pop")
        breaks.append(self.emit("jump"))

    s_Break = s_Continue = leave

    def unwind(self, one: tuple[str, Any]) -> None:
        kind, what = one
        if kind == "try":
            self.emit("endtry")
        elif kind == "finally":
            self.emit("endtry")
            self.guarded(what)
        elif kind == "in finally":
            self.refuse("`return`, `break` or `continue` in a `finally`")

    def s_Return(self, node: ast.Return) -> None:
        self.optional(node.value)
        kept = list(self.around)
        while self.around:
            self.unwind(self.around.pop())
        self.around = kept
        self.emit("ret")

    def s_Assert(self, node: ast.Assert) -> None:
        self.truth(node.test)
        end = self.emit("when")
        self.emit("builtin", "AssertionError")
        if node.msg is not None:
            self.expr(node.msg)
        self.emit("call", (int(node.msg is not None), ()))
        self.emit("raise")
        self.patch(end)

    def s_Raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self.expr(node.exc)
            if node.cause is not None:
                self.expr(node.cause)
                self.emit("cause")
            self.emit("raise")
            return
        caught = [(kind, what) for kind, what in self.around if kind in ("handler", "in finally")]
        if not caught or caught[-1][0] == "in finally":  # where another exception may be on its way
            self.refuse("`raise` without an exception outside of `except`")
            return
        self.emit("load", caught[-1][1])
        self.emit("raise")

    def s_Try(self, node: ast.Try) -> None:
        if not node.finalbody:
            self.handled(node)
            return
        last = partial(self.guarded, node.finalbody)
        end, name = self.tried(("finally", node.finalbody), partial(self.handled, node), last)
        last()
        self.emit("load", name)
        self.emit("raise")
        self.patch(end)

    def tried(
        self, around: tuple[str, Any], inside: Callable[[], object], after: Callable[[], object]
    ) -> tuple[int, str]:
        """What is tried, and what follows it; the handler comes next, with the exception under a name of its own.
        Gives the jump over the handler, and this name."""
        at = self.emit("try")
        self.around.append(around)
        inside()
        self.around.pop()
        self.emit("endtry")
        after()
        end = self.emit("jump")
        self.ranges.append((at, self.here(), self.here()))
        self.patch(at)
        self.serial += 1
        self.emit("store", f".{self.serial}")
        return end, f".{self.serial}"

    def guarded(self, body: Sequence[ast.stmt]) -> None:
        self.around.append(("in finally", None))
        self.body(body)
        self.around.pop()

    def handled(self, node: ast.Try) -> None:
        if not node.handlers:
            self.body(node.body)
            return
        end, name = self.tried(("try", None), partial(self.body, node.body), partial(self.body, node.orelse))
        ends = [end]
        for handler in node.handlers:
            self.line = handler.lineno
            other = None
            if handler.type is not None:
                self.emit("load", name)
                self.expr(handler.type)
                self.emit("caught")
                other = self.emit("unless")
            if handler.name:
                self.emit("load", name)
                self.name(handler.name, "store")
            self.around.append(("handler", name))
            self.body([_forgetting(handler)] if handler.name else handler.body)
            self.around.pop()
            ends.append(self.emit("jump"))
            if other is not None:
                self.patch(other)
        self.emit("load", name)
        self.emit("raise")
        for end in ends:
            self.patch(end)

    def s_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.emit("import", (alias.name, None, 0, not alias.asname))
            self.name(alias.asname or alias.name.partition(".")[0], "store")

    def s_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module == "__future__":
            return
        for alias in node.names:
            if alias.name == "*":
                self.refuse("`import *`")
                return
            self.emit("import", (node.module or "", alias.name, node.level))
            self.name(alias.asname or alias.name, "store")

    def s_FunctionDef(self, node: ast.FunctionDef) -> None:
        if getattr(node, "type_params", None):
            self.refuse("a function of types")
        for decorator in node.decorator_list:
            self.expr(decorator)
        for annotation in (node.returns, *(a.annotation for a in arguments(node.args))):
            self.annotated(annotation)
        self.function(node, getattr(node, "told", node.name))
        for decorator in reversed(node.decorator_list):
            self.line = decorator.lineno
            self.emit("call", (1, ()))
        self.name(node.name, "store")

    def s_ClassDef(self, node: ast.ClassDef) -> None:
        if self.scope.is_function:
            self.refuse("a class made in a function")
            return
        if getattr(node, "type_params", None):
            self.refuse("a class of types")
        if node.keywords or len(node.bases) > 1 or any(isinstance(part, ast.Starred) for part in node.bases):
            self.refuse(f"the class {node.name} with a metaclass, or several bases,")
            return
        for decorator in node.decorator_list:
            self.expr(decorator)
        for base in node.bases:
            self.expr(base)
        inner = Compiler(
            self.scope.children[node], Code(getattr(node, "told", node.name), self.code.file, node.lineno, "class")
        )
        self.emit("class", (inner.module(node.body), len(node.bases)))
        for _ in node.decorator_list:
            self.emit("call", (1, ()))
        self.name(node.name, "store")

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef | ast.Lambda, name: str) -> None:
        given = node.args
        for default in given.defaults:
            self.expr(default)
        named = [(a.arg, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
        for _, default in named:
            self.expr(default)
        first = [*getattr(node, "decorator_list", []), node][0]  # where Python says that it begins
        code = Code(name, self.code.file, first.lineno, binder=binder(given))
        inner = Compiler(self.scope.children[node], code)
        code.generator = inner.scope.generator
        if isinstance(node, ast.Lambda):
            inner.expr(node.body)
            inner.emit("ret")
        else:
            inner.body(node.body)
        self.emit("function", (inner.finished(), len(given.defaults), tuple(key for key, _ in named)))

    def comprehension(self, node: Any) -> None:
        """A function of the first iterable, called at once, in which `for` and `if` stand in each other."""
        kind: Any = COMPREHENSIONS[type(node)]
        name = kind.__name__ if kind else "generator"
        code = Code(f"<{name}>", self.code.file, node.lineno, binder=OF_ITERABLE, generator=kind is None)
        inner = Compiler(self.scope.children[node], code)
        body: ast.stmt = _Step(node)
        for one in reversed(node.generators):
            for test in reversed(one.ifs):
                body = ast.If(test, [body], [], lineno=test.lineno)
            iterated = one.iter if one is not node.generators[0] else ast.Name(".0", ast.Load())
            body = ast.For(one.target, iterated, [body], [], lineno=node.lineno)
            if one.is_async:
                self.refuse("`async`")
        if kind:
            inner.emit("made", (kind, 0))
        inner.body([body])
        if kind:
            inner.emit("ret")
        self.emit("function", (inner.finished(), 0, ()))
        self.expr(node.generators[0].iter)
        self.emit("iter")
        self.emit("call", (1, ()))

    e_ListComp = e_SetComp = e_DictComp = e_GeneratorExp = comprehension

    def s__Step(self, step: "_Step") -> None:
        node: Any = step.of
        if isinstance(node, ast.DictComp):
            self.sequence([node.key, node.value], tuple)
        else:
            self.expr(node.elt)
        if isinstance(node, ast.GeneratorExp):
            self.emit("yield")
            self.emit("pop")
        else:
            self.emit("put", len(self.around) + 1)

    # -- expressions ---------------------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> None:
        line = self.line
        self.line = getattr(node, "lineno", line)
        handler: Callable[[Any], None] | None = getattr(self, f"e_{type(node).__name__}", None)
        if handler is None:
            self.refuse(f"`{_word(node)}`")
        else:
            handler(node)
        self.line = line

    def optional(self, node: ast.expr | None) -> None:
        """An expression, or None where there is none."""
        self.expr(ast.Constant(None) if node is None else node)

    def e_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, complex):
            self.refuse("a complex number")
        self.emit("const", node.value)

    def e_Name(self, node: ast.Name) -> None:
        self.name(node.id, "load")

    def e_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.expr(node.value)
        self.emit("dup")
        self.name(node.target.id, "store")

    def e_Attribute(self, node: ast.Attribute) -> None:
        self.expr(node.value)
        self.emit("attr", node.attr)

    def e_Subscript(self, node: ast.Subscript) -> None:
        self.expr(node.value)
        self.expr(node.slice)
        self.emit("item")

    def e_Slice(self, node: ast.Slice) -> None:
        for part in (node.lower, node.upper, node.step):
            self.optional(part)
        self.emit("slice")

    def e_BinOp(self, node: ast.BinOp) -> None:
        self.expr(node.left)
        self.expr(node.right)
        self.emit("binary", type(node.op).__name__)

    def e_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.expr(node.operand)
        if isinstance(node.op, ast.Not):
            self.emit("truth")
            self.emit("not")
        else:
            self.emit("unary", type(node.op).__name__)

    def e_BoolOp(self, node: ast.BoolOp, truth: bool = False) -> None:
        """One of the values; or its `truth`."""
        ends, one = list[int](), self.truth if truth else self.expr
        for part in node.values[:-1]:
            one(part)
            self.emit("dup")
            self.emit("truth", isinstance(part, ast.BoolOp | ast.IfExp))
            ends.append(self.emit("unless" if isinstance(node.op, ast.And) else "when"))
            self.emit("pop")
        one(node.values[-1])
        for end in ends:
            self.patch(end)

    def e_Compare(self, node: ast.Compare, truth: bool = False) -> None:
        """What the last comparison gives that is made; or its `truth`."""
        if ast.unparse(node) == "__name__ == '__main__'" and self.code.kind == "module":
            self.emit("main")
            return
        self.expr(node.left)
        ends = list[int]()
        for i, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            self.expr(right)
            last = i == len(node.ops) - 1
            if not last:
                self.emit("dup")
                self.emit("under2")
            self.emit("compare", type(op).__name__)
            if truth:
                self.emit("truth")
            if not last:
                self.emit("dup")
                self.emit("truth")
                ends.append(self.emit("unless"))
                self.emit("pop")
        if ends:
            end = self.emit("jump")
            for at in ends:
                self.patch(at)
            self.emit("swap")
            self.emit("pop")
            self.patch(end)

    def e_IfExp(self, node: ast.IfExp, truth: bool = False) -> None:
        one = self.truth if truth else self.expr
        self.either(node.test, partial(one, node.body), partial(one, node.orelse))

    def e_Lambda(self, node: ast.Lambda) -> None:
        self.function(node, "<lambda>")

    def yielding(self) -> None:
        """A generator that is left runs what is around its `yield`."""
        if any(kind in ("try", "finally", "in finally") for kind, _ in self.around):
            self.refuse("`yield` within `try`")

    def e_Yield(self, node: ast.Yield) -> None:
        self.yielding()
        self.optional(node.value)
        self.emit("yield")

    def e_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.refuse("the value of `yield from`")

    def display(self, node: ast.Tuple | ast.List | ast.Set) -> None:
        self.sequence(node.elts, DISPLAYS[type(node)])

    e_Tuple = e_List = e_Set = display

    def sequence(self, parts: Sequence[ast.expr], kind: Any) -> None:
        if not any(isinstance(part, ast.Starred) for part in parts):
            for part in parts:
                self.expr(part)
            self.emit("made", (kind, len(parts)))
            return
        self.starred(parts)
        self.emit("made", (kind, None))

    def starred(self, parts: Sequence[ast.expr]) -> None:
        """`[*iterable]`: replaces an iterable on the stack by a list of all its items."""
        self.emit("made", (list, 0))
        for part in parts:
            if isinstance(part, ast.Starred):
                self.expr(part.value)
                self.emit("listed")
                self.emit("extend")
            else:
                self.expr(part)
                self.emit("put", 1)

    def e_Dict(self, node: ast.Dict) -> None:
        self.emit("made", (dict, 0))
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.expr(value)
                self.emit("merged")
            else:
                self.sequence([key, value], tuple)
                self.emit("put" if len(node.keys) == 1 else "paired", 1)

    def e_JoinedStr(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.expr(part.value)
                if part.format_spec is None:
                    self.emit("const", "")
                else:
                    self.expr(part.format_spec)
                self.emit("format", part.conversion)
            else:
                self.expr(part)
        self.emit("joined", len(node.values))

    def e_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not (node.args or node.keywords):
            self.super()
            return
        self.expr(node.func)
        stars = any(isinstance(part, ast.Starred) for part in node.args) or any(k.arg is None for k in node.keywords)
        if not stars:
            for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.expr(part)
            self.emit("call", (len(node.args), tuple(str(keyword.arg) for keyword in node.keywords)))
            return
        alone = len(node.args) == 1 and isinstance(node.args[0], ast.Starred)
        if alone:
            self.expr(node.args[0].value)  # type: ignore[attr-defined]
        else:
            self.starred(node.args)
        self.emit("made", (dict, 0))
        for double, group in groupby(node.keywords, lambda keyword: keyword.arg is None):
            keywords = list(group)
            if not double:
                named: list[ast.expr | None] = [ast.Constant(keyword.arg) for keyword in keywords]
                self.e_Dict(ast.Dict(named, [keyword.value for keyword in keywords]))
                self.emit("merged", "once")
            for keyword in keywords if double else ():
                self.expr(keyword.value)
                self.emit("merged", "once")
        if alone:  # which Python goes through once it has all the others
            self.emit("swap")
            self.emit("listed")
            self.emit("made", (list, None))
            self.emit("swap")
        self.emit("callstars")

    def super(self) -> None:
        """`super()` in a method: the class that it stands in, and its first argument."""
        node, scope = self.scope.node, self.scope
        first = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][:1] if isinstance(node, FUNCTIONS) else []
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in first]
        of_class = scope.parent is not None and isinstance(scope.parent.node, ast.ClassDef)
        if not first or not of_class or "super" in scope.bound or any(type(one.ctx) is not ast.Load for one in names):
            self.refuse("`super()` that does not stand in a method, or whose first argument is another in it,")
            return
        self.name("__class__", "load")
        self.name(first[0], "load")
        self.emit("super")


class _Step(ast.stmt):
    """What a comprehension does in its innermost loop."""

    def __init__(self, of: Any) -> None:
        super().__init__(lineno=of.lineno)
        self.of = of


def _forgetting(handler: ast.ExceptHandler) -> ast.stmt:
    """The body of a handler whose exception has a name, which is gone once it is left, in whatever way: as Python has
    it, `try: body` with `finally: name = None; del name`."""
    line, name = handler.lineno, handler.name or ""
    gone = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None), lineno=line),
        ast.Delete([ast.Name(name, ast.Del())], lineno=line),
    ]
    return ast.Try(handler.body, [], [], gone, lineno=line)


def _head(node: ast.expr) -> tuple[str, ...]:
    """The names, with dots between, of which an annotation is, or is an item, also where it is text; () of others."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _head(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return ()
    if isinstance(node, ast.Subscript):
        return _head(node.value)
    if isinstance(node, ast.Attribute):
        return (*_head(node.value), node.attr)
    return (node.id,) if isinstance(node, ast.Name) else ()


def _word(node: ast.AST) -> str:
    return {"With": "with", "AsyncFunctionDef": "async def", "Await": "await", "TryStar": "except*"}.get(
        type(node).__name__, type(node).__name__.lower()
    )


def _targets(instructions: Sequence[Instruction], at: int) -> Iterator[int]:
    name, argument, _ = instructions[at]
    if name in ("jump", "unless", "when", "for", "try"):
        yield argument
    if name not in ("jump", "ret", "raise", "refuse"):
        yield at + 1


def _live(instructions: Sequence[Instruction], ranges: Sequence[tuple[int, int, int]]) -> list[frozenset[str]]:
    """The locals that may be read from each instruction on, exceptions and all."""
    live = [frozenset[str]()] * (len(instructions) + 1)
    handlers: list[list[int]] = [[] for _ in instructions]
    for start, end, target in ranges:
        for at in range(start, end):
            handlers[at].append(target)
    changed = True
    while changed:
        changed = False
        for at in range(len(instructions) - 1, -1, -1):
            name, argument, _ = instructions[at]
            after = frozenset[str]().union(*(live[to] for to in _targets(instructions, at)))
            if name in ("store", "delete"):
                after -= {argument}
            after = after.union(*(live[to] for to in handlers[at]))
            if name in ("load", "delete"):
                after |= {argument}
            if after != live[at]:
                live[at] = after
                changed = True
    for at, (name, argument, _) in enumerate(instructions):
        if name == "for":  # a generator that runs is asked from the next instruction, and may end
            live[at + 1] |= live[argument]
    return live[:-1]
