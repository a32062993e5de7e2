"""From the JSON of Coq's extraction to Python: coq2py.py checked.json ROOT... > checked.py

Curried functions take all their arguments at once; a call of itself at the end of a function, or under a cons, is a loop.
A call with too many or too few arguments is a TypeError of Python's: nothing is accepted by a slip in here about arity.
Trusted: this file, what all programs begin with (prelude.py), ExtractPython.v, and Python.
"""

import builtins
import json
import keyword
import re
import sys
from pathlib import Path

# What stands for a constructor, the test for it, and for its arguments. Other constructors are named tuples.
REP = {
    "True": ("True", "{}", []),
    "False": ("False", "not {}", []),
    "Left": ("True", "{}", []),
    "Right": ("False", "not {}", []),
    "O": ("0", "{} == 0", []),
    "S": ("{} + 1", "{} > 0", ["{} - 1"]),
    "XI": ("2 * {} + 1", "{0} > 1 and {0} & 1", ["{} >> 1"]),
    "XO": ("2 * {}", "not {} & 1", ["{} >> 1"]),
    "XH": ("1", "{} == 1", []),
    "Z0": ("0", "{} == 0", []),
    "Zpos": ("{}", "{} > 0", ["{}"]),
    "Zneg": ("-{}", "{} < 0", ["-{}"]),
    "Nil": ("()", "not {}", []),
    "Cons": ("({}, {})", "{}", ["{}[0]", "{}[1]"]),
    "Pair": ("({}, {})", "{}", ["{}[0]", "{}[1]"]),
    "Some": ("({},)", "{} is not None", ["{}[0]"]),
    "None": ("None", "{} is None", []),
    "Eq": ("0", "{} == 0", []),
    "Lt": ("-1", "{} < 0", []),
    "Gt": ("1", "{} > 0", []),
    "Good": ("({},)", "type({}) is tuple", ["{}[0]"]),
    "Null": ("None", "{} is None", []),
    "Bool": ("{}", "type({}) is bool", ["{}"]),
    "Text": ("{}", "type({}) is str", ["{}"]),
}
TEXTS = {"EmptyString", "String", "Ascii"}  # of which Python's texts are made: no others than constants
COMPARE = {"Eq": "{} == {}", "Lt": "{} < {}", "Gt": "{} > {}"}
PRELUDE = (Path(__file__).parent / "prelude.py").read_text("utf-8")
OWN = compile(PRELUDE, "prelude.py", "exec").co_names
RESERVED = {*keyword.kwlist, *dir(builtins), *OWN, "found", "_"}


def name_of(name):
    name = name.replace("'", "_")
    return name + "_" if name in RESERVED else name


def atomic(text):
    """Whether the expression binds as tightly as a name does."""
    if re.fullmatch(r'\w+|"[^"\\]*"', text):
        return True
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c not in ")]}" and not (c.isalnum() or c in "_."):
            return False
    return True


def fill(template, *args):
    plain = template in ("{}", "({},)", "({}, {})") or re.fullmatch(r"\w+\(.*\)", template)
    text = template.format(*(a if plain or atomic(a) else f"({a})" for a in args))
    if re.fullmatch(r"[-+*() \d]+", text) and args and re.search(r"\d", text):  # a literal
        return str(eval(text))
    return text


def class_of(constructor):
    return "".join(w[0].upper() + w[1:] for w in constructor.removeprefix("Build_").split("_") if w)


# ---- the tree ----
def read(x):
    what = x["what"].removeprefix("expr:")
    if what == "lambda":
        body = read(x["body"])
        if not x["argnames"]:
            return body
        return ("lam", x["argnames"] + body[1], body[2]) if body[0] == "lam" else ("lam", x["argnames"], body)
    if what == "apply":
        return push(read(x["func"]), [read(a) for a in x["args"]])
    if what == "let":
        return "let", x["name"], read(x["nameval"]), read(x["body"])
    if what == "case":
        cases = [(c["pat"], read(c["body"])) for c in x["cases"]]
        return "case", read(x["expr"]), [(p.get("name"), p.get("argnames", []), p["what"][4:], b) for p, b in cases]
    if what == "constructor" and (written := constant(x)) is not None:
        return "text", written
    if what == "constructor":
        return "con", x["name"], [read(a) for a in x["args"]]
    if what == "fix":
        return "fix", [(f["name"], read(f["body"])) for f in x["funcs"]], x["for"]
    return (what, x.get("name"))  # rel, global, exception, dummy


def constant(x):
    """The text that constructors write out, with eight bits for each byte; None where they do not."""
    found = b""
    while x.get("name") == "String":
        byte, x = x["args"]
        found += bytes([sum((bit.get("name") == "True") << i for i, bit in enumerate(byte.get("args", [])))])
    return found.decode("ascii") if x.get("name") == "EmptyString" else None


def push(e, args):
    """The tree e, applied to these; names that extraction gives are apart, so nothing is captured."""
    if not args:
        return e
    if e[0] == "app":
        return "app", e[1], e[2] + args
    if e[0] == "lam":
        k = min(len(e[1]), len(args))
        body = e[2] if len(e[1]) <= k else ("lam", e[1][k:], e[2])
        body = push(body, args[k:])
        for x, a in reversed(list(zip(e[1], args))):
            body = ("alias", x, a, body) if a[0] in ("rel", "eta") else ("let", x, a, body)
        return body
    if e[0] == "case" and all(a[0] in ("rel", "eta") for a in args):
        return "case", e[1], [(c, names, kind, push(b, args)) for c, names, kind, b in e[2]]
    return "app", e, args


def children(e):
    kind = e[0]
    if kind in ("lam",):
        return [e[2]]
    if kind in ("let", "alias"):
        return [e[2], e[3]]
    if kind == "case":
        return [e[1]] + [c[3] for c in e[2]]
    if kind == "app":
        return [e[1]] + e[2]
    if kind == "con":
        return e[2]
    if kind == "fix":
        return [b for _, b in e[1]]
    return []


def leaves(e, kind):
    """All names of this kind in the tree, each time."""
    if e[0] == kind:
        return [e[1]]
    return [x for c in children(e) for x in leaves(c, kind)]


def rebuilt(e, f):
    """The tree with f of each of its children."""
    kind = e[0]
    if kind == "lam":
        return kind, e[1], f(e[2])
    if kind in ("let", "alias"):
        return kind, e[1], f(e[2]), f(e[3])
    if kind == "case":
        return kind, f(e[1]), [(c, names, what, f(b)) for c, names, what, b in e[2]]
    if kind == "app":
        return kind, f(e[1]), [f(a) for a in e[2]]
    if kind == "con":
        return kind, e[1], [f(a) for a in e[2]]
    return (kind, [(name, f(b)) for name, b in e[1]], e[2]) if kind == "fix" else e


def put_in(e, values):
    """The tree with others in the place of some: (one, other)."""
    return next((new for old, new in values if e == old), None) or rebuilt(e, lambda x: put_in(x, values))


def owner(e):
    """The name of which it is a field, or a field of a field, or which it is; else None."""
    if e[0] == "case" and len(e[2]) == 1:
        _, names, _, body = e[2][0]
        return owner(e[1]) if body[0] == "rel" and body[1] in names else None
    return e[1] if e[0] == "rel" else None


def lengths(e, names):
    """All lengths in the tree of lists that are these names, or fields of them, each once."""
    mine = e[0] == "app" and e[1] == ("global", "length({})") and owner(e[2][0]) in names
    found = [e] if mine else []
    for c in children(e):
        found += [x for x in lengths(c, names) if x not in found]
    return found


def is_short(e, most=8):
    """Whether it only calls a few functions, all by their names, on names and their fields."""

    def parts(e):
        if e[0] in ("app", "con"):
            return 1 + sum(map(parts, e[2])) if e[0] == "con" or e[1][0] == "global" else most + 1
        return 1 if owner(e) or e[0] == "text" else most + 1

    return parts(e) <= most


def arrows(t, aliases):
    """The types of the arguments, as far as there are arrows."""
    if t["what"] == "type:arrow":
        return [t["left"], *arrows(t["right"], aliases)]
    return arrows(aliases[t["name"]], aliases) if t["what"] == "type:glob" and t["name"] in aliases else []


def ends(e):
    """The trees at the ends of a function's branches."""
    if e[0] == "case":
        return [x for c in e[2] for x in ends(c[3])]
    if e[0] in ("let", "alias"):
        return ends(e[3])
    return ends(e[2][1]) if both(e) else [e]


def both(e):
    """Whether it is an `and` or an `or`, whose second half is then a function's end."""
    return e[0] == "app" and e[1] in (("global", "{} and {}"), ("global", "{} or {}")) and len(e[2]) == 2


def jumps(e, head, arity, under_cons=True):
    """How often the tree ends in a call of head with so many arguments."""
    return sum(x[0] == "app" and x[1] == head and len(x[2]) == arity for x in tails(e, under_cons))


def tails(e, under_cons=True):
    """All trees at the ends, in loops within and under a cons too."""
    found = []
    for x in ends(e):
        x = x[2][1] if under_cons and x[0] == "con" and x[1] == "Cons" else x
        found += tails(x[1][1][0][1][2], under_cons) if inlined(x) else [x]
    return found


def inlined(x):
    """Whether it is a local function that is only ever called at its own ends: a loop within."""
    if not (x[0] == "app" and x[1][0] == "fix" and len(x[1][1]) == 1):
        return False
    name, body = x[1][1][0]
    head = ("rel", name)
    return (
        body[0] == "lam"
        and len(body[1]) == len(x[2])
        and (jumps(body[2], head, len(x[2]), False) == leaves(body, "rel").count(name))
    )


class Program:
    def __init__(self, tree):
        self.made = {d["name"]: d["constructors"] for d in tree["declarations"] if d["what"] == "decl:ind"}
        self.classes, self.fields, self.aliases, self.defs, self.types = {}, {}, {}, {}, {}
        for d in tree["declarations"]:
            if d["what"] == "decl:ind":
                for c in d["constructors"]:
                    self.classes[c["name"]] = (len(c["argtypes"]), len(d["constructors"]))
            elif d["what"] == "decl:type":
                self.aliases[d["name"]] = d["value"]
            for x in d.get("fixlist", [d] if d["what"] == "decl:term" else []):
                if "{" not in x["name"]:
                    self.types[x["name"]] = x["type"]
                    self.defs[x["name"]] = read(x["value"])
        for e in self.defs.values():
            self.name_fields(e)
        self.defs = {name: self.eta(name, e) for name, e in self.defs.items()}
        self.short = {}
        for name, e in self.defs.items():
            self.defs[name] = e = self.written_out(e)
            if e[0] == "lam" and is_short(e[2]) and len({*leaves(e[2], "rel")}) == len(leaves(e[2], "rel")):
                self.short[name] = e

    def name_fields(self, e):
        for c, names, kind, _ in e[2] if e[0] == "case" else []:
            if kind == "constructor":
                known = self.fields.setdefault(c, [None] * len(names))
                for i, x in enumerate(names):
                    if x != "_" and not known[i]:
                        known[i] = name_of(re.sub(r"\d+$", "", x) or x)
        for c in children(e):
            self.name_fields(c)

    def fields_of(self, c):
        known = self.fields.get(c) or [None] * self.classes[c][0]
        return [x if x and x not in known[:i] else f"{x or 'field'}{i}" for i, x in enumerate(known)]

    def written_out(self, e):
        """The tree with short functions, which have each of their arguments once, written where they are called."""
        e = rebuilt(e, self.written_out)
        if e[0] == "app" and e[1][0] == "global" and e[1][1] in self.short:
            _, names, body = self.short[e[1][1]]
            if len(e[2]) == len(names):
                return put_in(body, [(("rel", x), a) for x, a in zip(names, e[2])])
        return e

    def arity(self, name):
        return len(self.defs[name][1]) if self.defs[name][0] == "lam" else 0

    def wants(self, e, n):
        """Names for n more arguments, if e can take them at once and computes nothing before; else None."""
        if e[0] == "lam":
            return e[1][:n] if len(e[1]) >= n else None
        if e[0] == "fix":
            return self.wants(e[1][e[2]][1], n)
        if e[0] == "case":
            found = [self.wants(c[3], n) for c in e[2]]
            if e[1][0] != "rel" or None in found:
                return None
            return next((f for f in found if f), [])
        return [] if e[0] == "global" or e[0] == "app" and self.is_value(e) else None

    def is_value(self, e):
        """Whether nothing is computed when it is."""
        if e[0] == "app":
            return (
                e[1][0] == "global"
                and "{" not in e[1][1]
                and all(map(self.is_value, e[2]))
                and (len(e[2]) < len(arrows(self.types[e[1][1]], self.aliases)))
            )
        if e[0] == "case":
            return len(e[2]) == 1 and e[2][0][3][0] == "rel" and self.is_value(e[1])
        return e[0] in ("rel", "global", "lam", "text") or e[0] == "con" and all(map(self.is_value, e[2]))

    def eta(self, name, e):
        n = len(arrows(self.types[name], self.aliases))
        params, body = (e[1], e[2]) if e[0] == "lam" else ([], e)
        more = self.wants(body, n - len(params)) if n > len(params) else None
        if more is None:
            return e
        more = [x if x not in params else x + "_" for x in more] or [f"x{i}" for i in range(n - len(params))]
        return "lam", params + more, push(body, [("eta", x) for x in more])

    def write(self, roots):
        need, todo = set(), list(roots)
        while todo:
            name = todo.pop()
            if name not in need:
                need.add(name)
                todo += [x for x in leaves(self.defs[name], "global") if x in self.defs]
        out, cons = [], set()
        for name in self.defs:
            if name in need:
                cons |= constructors(self.defs[name])
                e = self.defs[name]
                params, body = (e[1], e[2]) if e[0] == "lam" else ([], e)
                kinds = [len(arrows(t, self.aliases)) for t in arrows(self.types[name], self.aliases)]
                f = Function(self)
                f.define(name_of(name), params, body, ("global", name), {}, kinds) if params else f.constant(
                    name_of(name), body
                )
                out += ["", ""] * bool(params) + f.lines
        seen, todo = set(), [self.types[name] for name in need]
        while todo:
            t = todo.pop()
            todo += [x for x in t.values() if isinstance(x, dict)] + t.get("args", [])
            if t["what"] == "type:glob" and t["name"] not in seen:
                seen.add(t["name"])
                todo += [self.aliases[t["name"]]] if t["name"] in self.aliases else []
                todo += [x for c in self.made.get(t["name"], []) for x in c["argtypes"]]
        said = {c["name"] for t in seen for c in self.made.get(t, [])}
        named = [c for c in self.classes if c not in REP and c not in TEXTS and (c in said or c in cons)]
        assert len({*map(class_of, named)}) == len(named), "two constructors have one name"
        classes = []
        for c in named:
            classes += ["", "", f"class {class_of(c)}(NamedTuple):"]
            classes += [f"    {f}: Any" for f in self.fields_of(c)] or ["    pass"]
        return PRELUDE + "\n".join(classes + out) + "\n"


def constructors(e):
    own = {e[1]} if e[0] == "con" else {c[0] for c in e[2] if c[2] == "constructor"} if e[0] == "case" else set()
    assert not own & TEXTS, "a text is taken apart"
    return own.union(*map(constructors, children(e)))


class Function:
    """Writes one function of Python's. env: of a name of Coq's, (what stands for it, how many arguments it takes)."""

    def __init__(self, program, depth=0, used=()):
        self.program, self.depth, self.used = program, depth, set(used)
        self.lines, self.loops, self.moving, self.buffered = [], [], None, False

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def fresh(self, name):
        name = base = name_of(name)
        k = 1
        while name in self.used:
            k, name = k + 1, f"{base}_{k + 1}"
        self.used.add(name)
        if self.moving is not None:
            self.moving.add(name)
        return name

    def bind(self, name, env, arity=None):
        py = self.fresh(name)
        return py, {**env, name: (py, arity)}

    def constant(self, name, body):
        self.emit(f"{name} = {self.expr(body, {})}")

    def define(self, py, params, body, head, env, kinds=(), capture=""):
        """def py(params): with a loop for its calls of itself (head)."""
        kinds = list(kinds) + [0] * len(params)
        names = []
        for x, k in zip(params, kinds):
            name, env = self.bind(x, env, k or None)
            names.append(name)
        self.emit(f"def {py}({', '.join(names)}{capture}):")
        self.depth += 1
        total = jumps(body, head, len(params))
        if total:
            self.buffered = total > jumps(body, head, len(params), False)
            if self.buffered:
                self.emit("found = []")
            self.loop(head, names, body, env)
        else:
            self.tail(body, env, None)
        self.depth -= 1

    def loop(self, head, names, body, env):
        calls = [x for x in tails(body) if x[0] == "app" and x[1] == head and len(x[2]) == len(names)]
        moved = {
            n
            for i, n in enumerate(names)
            if any(a[i][0] != "rel" or env.get(a[i][1], "?")[0] != n for _, _, a in calls)
        }
        before, self.moving = self.moving, moved | (self.moving or set())
        self.loops.append((head, names, env))
        self.emit("for _ in budget.steps:")
        self.depth += 1
        self.tail(body, env, None)
        if self.lines[-1] == "    " * self.depth + "continue":
            self.lines.pop()
        self.depth -= 1
        self.emit("else:")
        self.emit("    raise OutOfSteps")
        self.loops.pop()
        self.moving = before

    # ---- statements: k is None where the value is returned, or the name that it is given to ----
    def end(self, text, k):
        if k:
            self.emit(f"{k} = {text}")
        else:
            self.emit(f"return onto(found, {text})" if self.buffered else f"return {text}")

    def lands(self, x, env):
        """Of the call x of a loop that this is in, how many loops out, from 1; else 0."""
        for back, (head, names, of) in enumerate(reversed(self.loops[-2:]), 1):
            if (
                x[0] == "app"
                and x[1] == head
                and len(x[2]) == len(names)
                and (head[0] == "global" or env.get(head[1]) == of.get(head[1]))
            ):
                return back
        return 0

    def jump(self, x, env):
        """Writes such a call, and whether it was one."""
        back = self.lands(x, env)
        if back:
            names = self.loops[-back][1]
            values = [self.expr(a, env) for a in x[2]]
            moves = [(n, v) for n, v in zip(names, values) if n != v]
            if moves:
                self.emit(", ".join(n for n, _ in moves) + " = " + ", ".join(v for _, v in moves))
            self.emit("continue" if back == 1 else "break")
        return back > 0

    def tail(self, e, env, k):
        if e[0] == "let":
            self.tail(e[3], self.let(e[1], e[2], env), k)
        elif e[0] == "alias":
            self.tail(e[3], {**env, e[1]: self.known(e[2], env)}, k)
        elif e[0] == "case" and not self.projection(e, env):
            self.case(e, env, k)
        elif (
            k is None
            and e[0] == "con"
            and e[1] == "Cons"
            and self.buffered
            and e[2][1][0] == "app"
            and any(e[2][1][1] == head for head, _, _ in self.loops[-1:])
            and len(e[2][1][2]) == len(self.loops[-1][1])
        ):
            self.emit(f"found.append({self.expr(e[2][0], env)})")
            self.jump(e[2][1], env)
        elif k is None and self.jump(e, env):
            pass
        elif k is None and both(e) and (any(self.lands(x, env) for x in ends(e)) or self.lazily(e, env) is None):
            first = self.expr(e[2][0], env)
            self.emit(f"if {fill('not {}', first)}:" if e[1][1] == "{} and {}" else f"if {first}:")
            self.depth += 1
            self.end(str(e[1][1] == "{} or {}"), k)
            self.depth -= 1
            self.tail(e[2][1], env, k)
        elif k is None and inlined(e):
            name, (_, params, body) = e[1][1][0]
            names = []
            for x, a in zip(params, e[2]):
                if a[0] == "eta":
                    names.append(self.known(a, env)[0])
                    env = {**env, x: (names[-1], None)}
                else:
                    value = self.expr(a, env)
                    py, env = self.bind(x, env)
                    self.emit(f"{py} = {value}")
                    names.append(py)
            outer = bool(self.loops)
            self.loop(("rel", name), names, body, {**env, name: ("", 0)})
            if outer:
                self.emit("continue")
        else:
            self.end(self.expr(e, env), k)

    def let(self, name, e, env):
        if e[0] == "lam":
            py, new = self.bind(name, env, len(e[1]))
            text = self.function(e[1], e[2], env, py)
            if text != py:
                self.emit(f"{py} = {text}")
            return new
        if e[0] == "case" and not self.projection(e, env) or e[0] in ("let", "alias"):
            py, new = self.bind(name, env)
            self.tail(e, env, py)
            return new
        text = self.expr(e, env)
        py, new = self.bind(name, env)
        self.emit(f"{py} = {text}")
        return new

    def case(self, e, env, k):
        cases, scrutinee = e[2], e[1]
        if scrutinee[0] == "app" and scrutinee[1] == ("global", "compare({}, {})"):
            a, b = (self.expr(x, env) for x in scrutinee[2])
            tests = {c: fill(t, a, b) for c, t in COMPARE.items()}
        else:
            s = self.expr(scrutinee, env)
            yes = {"True": s, "Left": s, "False": fill("not {}", s), "Right": fill("not {}", s)}
            if len(cases) > 1 and cases[0][0] not in yes and not re.fullmatch(r"\w+", s):
                s_name = self.fresh("t")
                self.emit(f"{s_name} = {s}")
                s = s_name
            tests = yes if cases[0][0] in yes else None
        used = set(self.used)
        for i, (c, names, kind, body) in enumerate(cases):
            last = i == len(cases) - 1
            new = env
            if not last:
                test = tests[c] if tests else fill(REP[c][1], s) if c in REP else f"isinstance({s}, {class_of(c)})"
                self.emit(f"{'elif' if k and i else 'if'} {test}:")
            elif k and i:
                self.emit("else:")
            inside = not last or (k and i)
            self.depth += bool(inside)
            at = len(self.lines)
            saved, self.used = self.used, set(used)
            if kind == "constructor" and names and body == ("con", c, [("rel", x) for x in names]):
                new, body = {**env, names[0]: (s, None)}, ("rel", names[0])  # it is what was looked at
            elif kind == "constructor" and names:
                new, body = self.take(c, names, s, body, env)
            elif kind == "rel":
                new = {**env, c: (s, None)}
            self.tail(body, new, k)
            if len(self.lines) == at:
                self.emit("pass")
            self.used |= saved
            self.depth -= bool(inside)

    def take(self, c, names, s, body, env):
        """Gives names to the arguments of a constructor."""
        rels = leaves(body, "rel")
        wanted = [x != "_" and x in rels for x in names]
        if c in ("Cons", "Pair") and all(wanted) or c not in REP and all(wanted) and len(names) > 1:
            pattern = []
            for x in names:
                if (
                    body[0] == "case"
                    and body[1] == ("rel", x)
                    and [p[0] for p in body[2]] == ["Pair"]
                    and rels.count(x) == 1
                    and ("_" not in body[2][0][1])
                    and not self.projection(body, env)
                ):
                    _, parts, _, body = body[2][0]
                    got = []
                    for y in parts:
                        py, env = self.bind(y, env)
                        got.append(py)
                    pattern.append(f"({got[0]}, {got[1]})")
                else:
                    py, env = self.bind(x, env)
                    pattern.append(py)
            self.emit(f"{', '.join(pattern)} = {s}")
            return env, body
        if sum(wanted) > 1 and not re.fullmatch(r"[\w.]+", s):
            t = self.fresh("t")
            self.emit(f"{t} = {s}")
            s = t
        for i, (x, w) in enumerate(zip(names, wanted)):
            if w:
                value = fill(REP[c][2][i], s) if c in REP else fill("{}." + self.program.fields_of(c)[i], s)
                if value == s:
                    env = {**env, x: (s, None)}
                else:
                    py, env = self.bind(x, env)
                    self.emit(f"{py} = {value}")
        return env, body

    def projection(self, e, env):
        """Of a match that only takes one field of a record, how it is written."""
        if e[0] != "case" or len(e[2]) != 1:
            return None
        c, names, kind, body = e[2][0]
        if kind != "constructor" or body[0] != "rel" or body[1] not in names:
            return None
        i = names.index(body[1])
        return REP[c][2][i] if c in REP else "{}." + self.program.fields_of(c)[i]

    # ---- expressions; what must come before is written ----
    def known(self, e, env):
        if e[0] == "eta":
            return env.get(e[1], (name_of(e[1]), None))
        return env[e[1]]

    def lazily(self, e, env):
        """The expression, or None where it needs statements."""
        at, used = len(self.lines), set(self.used)
        text = self.expr(e, env)
        if len(self.lines) == at:
            return text
        del self.lines[at:]
        self.used = used
        return None

    def expr(self, e, env):
        kind = e[0]
        if kind in ("rel", "eta"):
            return self.known(e, env)[0]
        if kind == "let":
            return self.expr(e[3], self.let(e[1], e[2], env))
        if kind == "alias":
            return self.expr(e[3], {**env, e[1]: self.known(e[2], env)})
        if kind == "text":
            return json.dumps(e[1])
        if kind == "con":
            args = [self.expr(a, env) for a in e[2]]
            return fill(REP[e[1]][0], *args) if e[1] in REP else f"{class_of(e[1])}({', '.join(args)})"
        if kind == "lam":
            return self.function(e[1], e[2], env)
        if kind == "global":
            return self.call(e, [], env)
        if kind == "app":
            return self.call(e[1], e[2], env)
        if kind == "fix":
            for name, _ in e[1]:
                _, env = self.bind(name, env)
            for name, body in e[1]:
                env[name] = (env[name][0], len(body[1]))
            for name, body in e[1]:
                self.inner(env[name][0], body[1], body[2], env, ("rel", name))
            return env[e[1][e[2]][0]][0]
        if kind == "case":
            shape = self.projection(e, env)
            if shape:
                return fill(shape, self.expr(e[1], env))
            if len(e[2]) == 1:
                s = self.expr(e[1], env)
                new, body = self.take(e[2][0][0], e[2][0][1], s, e[2][0][3], env)
                return self.expr(body, new)
            if len(e[2]) == 2 and not e[2][0][1]:
                c, s = e[2][0][0], self.lazily(e[1], env)
                if (
                    s
                    and (c in REP or re.fullmatch(r"[\w.]+", s))
                    and not any(n != "_" for n in e[2][1][1])
                    and "rel" not in (e[2][0][2], e[2][1][2])
                ):
                    a, b = self.lazily(e[2][0][3], env), self.lazily(e[2][1][3], env)
                    if a and b and len(a) + len(b) + len(s) < 90:
                        test = fill(REP[c][1], s) if c in REP else f"isinstance({s}, {class_of(c)})"
                        return f"({a} if {test} else {b})"
            t = self.fresh("t")
            self.case(e, env, t)
            return t
        return "None"  # never used

    def inner(self, py, params, body, env, head=None):
        """A function within, which keeps what changes in a loop around it."""
        free = {env[x][0] for x in leaves(body, "rel") + leaves(body, "eta") if x in env and x not in params} - {py}
        kept = sorted(free & (self.moving or set()))
        f = Function(self.program, self.depth, self.used)
        f.define(py, params, body, head, env, capture="".join([", *"] + [f", {x}={x}" for x in kept]) if kept else "")
        self.lines += f.lines

    def function(self, params, body, env, py=None):
        """A lambda, or the name of a function that is written; lengths that are the same at each call are taken once."""
        for x in lengths(body, env.keys() - {*params}):
            many = self.fresh("many")
            self.emit(f"{many} = {self.expr(x, env)}")
            body, env = put_in(body, [(x, ("rel", many))]), {**env, many: (many, None)}
        f = Function(self.program, self.depth, self.used)
        new, names = env, []
        for x in params:
            name, new = f.bind(x, new)
            names.append(name)
        text = f.expr(body, new)
        free = {env[x][0] for x in leaves(body, "rel") + leaves(body, "eta") if x in env and x not in params}
        kept = sorted(free & (self.moving or set()))
        if not f.lines:
            return f"(lambda {', '.join(names + ['*'] * bool(kept) + [f'{x}={x}' for x in kept])}: {text})"
        py = py or self.fresh("f")
        self.inner(py, params, body, env)
        return py

    def argument(self, e, n, env):
        """An argument that is a function of n, as one of Python's of n at once."""
        if e[0] == "lam" and len(e[1]) != n:
            return (
                self.function(e[1][:n], push(("lam", e[1][n:], e[2]), []), env)
                if len(e[1]) > n
                else self.spread(e, n, env)
            )
        if e[0] in ("rel", "eta") and self.known(e, env)[1] in (None, n) or e[0] == "lam":
            return self.expr(e, env)
        head, given = (e[1], len(e[2])) if e[0] == "app" else (e, 0)
        if head[0] == "global" and "{" in head[1]:
            return self.spread(e, n, env) if head[1].count("{}") == given + n else self.expr(e, env)
        if head[0] == "global" and self.program.arity(head[1]) > given and (given or self.program.arity(head[1]) != n):
            return self.spread(e, n, env)
        if head[0] == "rel" and self.known(head, env)[1] not in (None, given, given + n):
            return self.spread(e, n, env)
        return self.expr(e, env)

    def spread(self, e, n, env):
        if e[0] == "app":  # what it is given is computed once
            args = []
            for a in e[2]:
                if a[0] not in ("rel", "eta", "global", "lam"):
                    env = self.let(f"a{len(args)}", a, env)
                    a = ("rel", f"a{len(args)}")
                args.append(a)
            e = ("app", e[1], args)
        xs = [f"x{i}" for i in range(n)]
        return self.function(xs, push(e, [("rel", x) for x in xs]), env)

    def call(self, head, args, env):
        if head[0] == "global" and "{" in head[1]:
            n = head[1].count("{}")
            if len(args) < n:
                return self.spread(push(head, args), n - len(args), env)
            word = re.fullmatch(r"\{\} (and|or) \{\}", head[1])
            if word and self.lazily(args[1], env) is None:
                t = self.fresh("t")
                self.tail(args[0], env, t)
                self.emit(f"if {'not ' * (word[1] == 'or')}{t}:")
                self.depth += 1
                self.tail(args[1], env, t)
                self.depth -= 1
                return t
            text = fill(head[1], *(self.expr(a, env) for a in args[:n]))
            return text if len(args) == n else f"({text})({', '.join(self.expr(a, env) for a in args[n:])})"
        if head[0] == "global":
            n, py = self.program.arity(head[1]), name_of(head[1])
            kinds = [
                len(arrows(t, self.program.aliases)) for t in arrows(self.program.types[head[1]], self.program.aliases)
            ]
        else:
            n = self.known(head, env)[1] if head[0] in ("rel", "eta") else len(args)
            n, kinds, py = len(args) if n is None else n, [], self.expr(head, env)
        if not args:
            return py
        if len(args) < n:
            return self.spread(("app", head, args), n - len(args), env)
        texts = [self.argument(a, k, env) if k else self.expr(a, env) for a, k in zip(args, kinds + [0] * len(args))]
        text = f"{py}({', '.join(texts[:n])})"
        return text if len(args) == n else f"{text}({', '.join(texts[n:])})"


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    with open(sys.argv[1]) as file:  # noqa: PTH123
        program = Program(json.load(file))
    sys.stdout.write(program.write(sys.argv[2:]))
