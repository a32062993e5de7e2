"""The names of a file's functions: which of them are bound, and in which function around."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class Scope:
    """The names of one function: bound in it, declared global or nonlocal, used; and of the functions inside."""

    node: ast.AST
    parent: "Scope | None"
    bound: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    children: "dict[ast.AST, Scope]" = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)
    generator: bool = False
    postponed: bool = False  # whether annotations are text

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, (*FUNCTIONS, *COMPREHENSIONS))


def arguments(given: ast.arguments) -> list[ast.arg]:
    """All that a function takes."""
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [a for a in listed if a is not None]


class Private(ast.NodeTransformer):
    """Names in a class that begin with two underscores get its name in front, as Python gives it to them."""

    def __init__(self) -> None:
        self.owner = ""

    def visit(self, node: ast.AST) -> ast.AST:
        held = self.owner
        if isinstance(node, ast.Global | ast.Nonlocal) and held:
            node.names = [f"_{held}{n}" if n.startswith("__") and not n.endswith("__") else n for n in node.names]
        if isinstance(node, ast.alias):  # what is imported has the name that it has there
            node.asname = node.asname or node.name if "." not in node.name else node.asname
        for key in ("id", "attr", "arg", "rest", "asname" if isinstance(node, ast.alias) else "name"):
            name = getattr(node, key, None)
            private = isinstance(name, str) and name.startswith("__") and not name.endswith("__")
            if private and self.owner and not isinstance(node, ast.keyword):  # which Python leaves as they are
                setattr(node, key, f"_{self.owner}{name}")
                node.told = name  # type: ignore[attr-defined]  # of a function, or a class: its __name__
        if isinstance(node, ast.ClassDef):
            for part in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(part)
            self.owner = getattr(node, "told", node.name).lstrip("_")
            for part in node.body:
                self.visit(part)
        else:
            self.generic_visit(node)
        self.owner = held
        return node


def scope_of(node: ast.AST, parent: Scope | None) -> Scope:
    scope = Scope(node, parent, postponed=_postponed(node) if parent is None else parent.postponed)
    if isinstance(node, FUNCTIONS):
        scope.bound |= {a.arg for a in arguments(node.args)}
        body: Sequence[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else node.body
    elif isinstance(node, COMPREHENSIONS):
        scope.bound.add(".0")
        scope.generator = isinstance(node, ast.GeneratorExp)
        first, *others = node.generators
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        body = [first.target, *first.ifs, *others, *parts]
    else:
        body = node.body  # type: ignore[attr-defined]
    for part in body:
        _visit(part, scope)
    return scope


def _postponed(tree: ast.AST) -> bool:
    futures = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    return any(alias.name == "annotations" for one in futures for alias in one.names)


def _visit(node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        scope.bound.add(node.name)
        for decorator in node.decorator_list:
            _visit(decorator, scope)
        if isinstance(node, ast.ClassDef):
            for base in (*node.bases, *node.keywords):
                _visit(base, scope)
        else:
            _visit_defaults(node.args, scope)
        scope.children[node] = scope_of(node, scope)
    elif isinstance(node, ast.Lambda):
        _visit_defaults(node.args, scope)
        scope.children[node] = scope_of(node, scope)
    elif isinstance(node, COMPREHENSIONS):
        _visit(node.generators[0].iter, scope)
        scope.children[node] = scope_of(node, scope)
    elif isinstance(node, ast.NamedExpr):
        _visit(node.value, scope)
        outer = scope
        while isinstance(outer.node, COMPREHENSIONS) and outer.parent is not None:
            outer.used.add(node.target.id)
            outer = outer.parent
        outer.bound.add(node.target.id)
    elif isinstance(node, ast.AnnAssign):
        if node.simple or node.value is not None:
            _visit(node.target, scope)
        if node.value is not None:
            _visit(node.value, scope)
    else:
        _visit_plain(node, scope)


def _visit_plain(node: ast.AST, scope: Scope) -> None:
    if isinstance(node, ast.Global):
        scope.globals |= set(node.names)
    elif isinstance(node, ast.Nonlocal):
        scope.nonlocals |= set(node.names)
    elif isinstance(node, ast.Name):
        (scope.used if isinstance(node.ctx, ast.Load) else scope.bound).add(node.id)
        if node.id == "super":
            scope.used.add("__class__")
    elif isinstance(node, ast.Import | ast.ImportFrom):
        scope.bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    elif isinstance(node, ast.Yield | ast.YieldFrom):
        scope.generator = True
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        scope.bound.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        scope.bound.add(node.rest)
    for part in ast.iter_child_nodes(node):
        _visit(part, scope)


def _visit_defaults(given: ast.arguments, scope: Scope) -> None:
    for part in (*given.defaults, *given.kw_defaults):
        if part is not None:
            _visit(part, scope)


def settle(scope: Scope, around: set[str]) -> None:
    """Which names are cells, and which are cells of functions around."""
    scope.bound -= scope.globals | scope.nonlocals
    own = scope.bound if scope.is_function else {"__class__"} if isinstance(scope.node, ast.ClassDef) else set()
    for child in scope.children.values():
        settle(child, (around | own) - scope.globals)
    wanted = (scope.used | scope.nonlocals) - scope.globals
    for child in scope.children.values():
        wanted |= child.free
        scope.cells |= child.free & own
    scope.free = {name for name in wanted - own if name in around}
