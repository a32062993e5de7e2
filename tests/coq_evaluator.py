"""A second opinion on proofs/coq/python/coq2py.py: Coq's extracted trees evaluated as they stand.

One argument at a time, with no loops, no arities and no statements. It shares with the translator the table of
constructors, the functions that directives name, and nothing else.
"""

import importlib.util

from shufflecert.verify.checked import program
from tests import verified

FILE = verified.COQ / "python" / "coq2py.py"
SPEC = importlib.util.spec_from_file_location("coq2py", FILE)
coq2py = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(coq2py)


def made(template, n):
    names = [f"a{i}" for i in range(n)]
    return eval(f"lambda {', '.join(names)}: {template.format(*names)}", vars(program))


def curried(function, n):
    return function if n <= 1 else lambda x: curried(lambda *rest: function(x, *rest), n - 1)


BUILD = {name: made(text, text.count("{}")) for name, (text, _, _) in coq2py.REP.items()}
TEST = {name: eval("lambda a: " + text.format("a"), {}) for name, (_, text, _) in coq2py.REP.items()}
TAKE = {name: [eval("lambda a: " + t.format("a"), {}) for t in texts] for name, (_, _, texts) in coq2py.REP.items()}


def class_of(name):
    return getattr(program, coq2py.class_of(name))


class Evaluator:
    """The functions of the program by their names, as the trees define them."""

    def __init__(self, tree):
        self.trees, self.values = {}, {}
        for declared in tree["declarations"]:
            for each in declared.get("fixlist", [declared] if declared["what"] == "decl:term" else []):
                self.trees[each["name"]] = each["value"]

    def __getattr__(self, name):
        if name not in self.trees:
            return getattr(program, name)

        def call(*values):
            function = self.top(name)
            for value in values:
                function = function(value)
            return function

        return call

    def top(self, name):
        if name not in self.values:
            n = name.count("{}")
            self.values[name] = curried(made(name, n), n) if n else self.value(self.trees[name], {})
        return self.values[name]

    def function(self, names, body, env):
        if not names:
            return self.value(body, env)
        return lambda x: self.function(names[1:], body, {**env, names[0]: x})

    def value(self, e, env):
        what = e["what"].removeprefix("expr:")
        if what == "rel":
            return env[e["name"]]
        if what == "global":
            return self.top(e["name"])
        if what == "lambda":
            return self.function(e["argnames"], e["body"], env)
        if what == "apply":
            return self.applied(e, env)
        if what == "let":
            return self.value(e["body"], {**env, e["name"]: self.value(e["nameval"], env)})
        if what == "constructor" and (text := coq2py.constant(e)) is not None:
            return text
        if what == "constructor":
            values = [self.value(a, env) for a in e["args"]]
            return (BUILD[e["name"]] if e["name"] in BUILD else class_of(e["name"]))(*values)
        if what == "fix":
            new = dict(env)
            for f in e["funcs"]:
                new[f["name"]] = self.function(f["body"]["argnames"], f["body"]["body"], new)
            return new[e["funcs"][e["for"]]["name"]]
        return self.chosen(e, env) if what == "case" else None

    def applied(self, e, env):
        name = e["func"].get("name")
        if name in ("{} and {}", "{} or {}") and len(e["args"]) == 2:
            first = self.value(e["args"][0], env)
            return self.value(e["args"][1], env) if first == (name == "{} and {}") else first
        function = self.value(e["func"], env)
        for a in e["args"]:
            function = function(self.value(a, env))
        return function

    def chosen(self, e, env):
        value = self.value(e["expr"], env)
        for case in e["cases"]:
            pattern, name = case["pat"], case["pat"].get("name")
            if pattern["what"] == "pat:wild":
                return self.value(case["body"], env)
            if pattern["what"] == "pat:rel":
                return self.value(case["body"], {**env, name: value})
            if TEST[name](value) if name in TEST else isinstance(value, class_of(name)):
                parts = [take(value) for take in TAKE[name]] if name in TEST else list(value)
                return self.value(case["body"], {**env, **dict(zip(pattern["argnames"], parts, strict=True))})
        raise ValueError("no case")
