# ruff: noqa: E501
"""Samplers in several files: which of them an import finds, and what it binds. Followed, each has the law that Python
gives it, run on every path; those in `REFUSED` are refused. Seven once had another law, or one where Python has none.
"""

FILES = {
    "second file": {
        "sampler.py": "import helper\ndef f(x, rng):\n    return helper.g(rng) + BIT",
        "helper.py": "def g(rng):\n    return 2 * BIT",
    },
    "from second": {
        "sampler.py": "from helper import g, K as L\ndef f(x, rng):\n    return g(rng) + L",
        "helper.py": "K = 7\ndef g(rng):\n    return 2 * BIT",
    },
    "second package": {
        "sampler.py": "import pk.m\nfrom pk import m as q, Z\ndef f(x, rng):\n    return pk.m.g(rng) + q.K + Z",
        "pk/__init__.py": "Z = 100\n",
        "pk/m.py": "K = 10\ndef g(rng):\n    return BIT",
    },
    "package init imports": {
        "sampler.py": "import pk\ndef f(x, rng):\n    return pk.g(rng)",
        "pk/__init__.py": "from .m import g\n",
        "pk/m.py": "def g(rng):\n    return BIT",
    },
    "package init overrides": {
        "sampler.py": "from pk import m\ndef f(x, rng):\n    return m + BIT",
        "pk/__init__.py": "m = 5\n",
        "pk/m.py": "def g(rng):\n    return BIT",
    },
    "submodule shadows attr": {
        "sampler.py": "import pk.m\nfrom pk import m\ndef f(x, rng):\n    return (m if isinstance(m, int) else 9) + BIT",
        "pk/__init__.py": "m = 5\n",
        "pk/m.py": "K = 1\n",
    },
    "submodule set by import": {
        "sampler.py": "import pk\nimport pk.m\ndef f(x, rng):\n    return pk.m.K + BIT",
        "pk/__init__.py": "",
        "pk/m.py": "K = 1\n",
    },
    "submodule not imported": {
        "sampler.py": "import pk\ndef f(x, rng):\n    try:\n        return pk.m.K + BIT\n    except AttributeError:\n        return 5",
        "pk/__init__.py": "",
        "pk/m.py": "K = 1\n",
    },
    "submodule imported by another": {
        "sampler.py": "import pk\nimport other\ndef f(x, rng):\n    return pk.m.K + BIT",
        "pk/__init__.py": "",
        "pk/m.py": "K = 1\n",
        "other.py": "import pk.m\n",
    },
    "file beside package": {
        "sampler.py": "import pk\ndef f(x, rng):\n    return pk.K + BIT",
        "pk.py": "K = 1\n",
        "pk/__init__.py": "K = 2\n",
    },
    "second mutated at load": {
        "sampler.py": "import helper\nhelper.T.append(5)\ndef f(x, rng):\n    return len(helper.T) + BIT",
        "helper.py": "T = []\n",
    },
    "circular": {
        "sampler.py": "import helper\nK = 3\ndef f(x, rng):\n    return helper.g() + BIT",
        "helper.py": "import sampler\ndef g():\n    return sampler.K\n",
    },
    "circular from": {
        "sampler.py": "K = 3\nfrom helper import g\ndef f(x, rng):\n    return g() + BIT",
        "helper.py": "from sampler import K\ndef g():\n    return K\n",
    },
    "circular state": {
        "sampler.py": "T = []\nT.append(1)\nimport helper\ndef f(x, rng):\n    return len(T) * 10 + helper.n() + BIT",
        "helper.py": "import sampler\nsampler.T.append(2)\ndef n():\n    return len(sampler.T)\n",
    },
    "same name as stdlib": {
        "sampler.py": "import random\ndef f(x, rng):\n    return random.g() + BIT",
        "random.py": "def g():\n    return 1\n",
    },
    "same name as collections": {
        "sampler.py": "from collections import Counter\ndef f(x, rng):\n    return len(Counter('ab')) + BIT",
        "collections.py": "class Counter:\n    def __init__(self, v): pass\n    def __len__(self): return 77\n",
    },
    "name of the second": {
        "sampler.py": "import helper\ndef f(x, rng):\n    return helper.N + str(BIT)",
        "helper.py": "N = __name__\n",
    },
    "if main in second": {
        "sampler.py": "import helper\ndef f(x, rng):\n    return helper.K + BIT",
        "helper.py": "K = 1\nif __name__ == '__main__':\n    K = 2\n",
    },
    "all": {
        "sampler.py": "from helper import *\ndef f(x, rng):\n    return K + BIT",
        "helper.py": "__all__ = ['K']\nK = 1\n",
    },
    "import in function": {
        "sampler.py": "def f(x, rng):\n    import helper\n    return helper.K + BIT",
        "helper.py": "K = 1\n",
    },
    "import in try": {
        "sampler.py": "try:\n    import helper\nexcept ImportError:\n    helper = None\ndef f(x, rng):\n    return (helper is None) + BIT",
        "helper.py": "K = 1\n",
    },
    "import missing submodule": {
        "sampler.py": "try:\n    from pk import nope\nexcept ImportError:\n    nope = 5\ndef f(x, rng):\n    return nope + BIT",
        "pk/__init__.py": "",
    },
    "import missing name": {
        "sampler.py": "try:\n    from helper import nope\nexcept ImportError:\n    nope = 5\ndef f(x, rng):\n    return nope + BIT",
        "helper.py": "K = 1\n",
    },
    "import raising": {
        "sampler.py": "try:\n    import helper\nexcept ValueError:\n    helper = None\ndef f(x, rng):\n    return (helper is None) + BIT",
        "helper.py": "raise ValueError\n",
    },
    "relative up": {
        "sampler.py": "from pk.sub.c import K\ndef f(x, rng):\n    return K + BIT",
        "pk/__init__.py": "",
        "pk/b.py": "K = 10\n",
        "pk/sub/__init__.py": "",
        "pk/sub/c.py": "from ..b import K\n",
    },
    "relative of package": {
        "sampler.py": "from pk import K\ndef f(x, rng):\n    return K + BIT",
        "pk/__init__.py": "from .b import K\nfrom . import b\n",
        "pk/b.py": "K = 10\n",
    },
    "relative in sampler": {
        "sampler.py": "from .helper import K\ndef f(x, rng):\n    return K + BIT",
        "helper.py": "K = 1\n",
    },
    "namespace package": {
        "sampler.py": "import ns.m\nfrom ns import m\ndef f(x, rng):\n    return ns.m.K + m.K + BIT",
        "ns/m.py": "K = 3\n",
    },
    "globals of second": {
        "sampler.py": "from helper import g\nK = 5\ndef f(x, rng):\n    return g() + BIT",
        "helper.py": "K = 4\ndef g(): return K\n",
    },
    "second same function twice": {
        "sampler.py": "import helper as a\nimport helper as b\nfrom helper import T\nT.append(1)\ndef f(x, rng):\n    return (a is b) + len(b.T) + BIT",
        "helper.py": "T = []\n",
    },
    "dotted name twice": {
        "sampler.py": "import pk.helper\nimport helper\npk.helper.T.append(1)\ndef f(x, rng):\n    return len(helper.T) + BIT",
        "helper.py": "T = []\n",
        "pk/__init__.py": "",
        "pk/helper.py": "T = []\n",
    },
    "dataclass of second": {
        "sampler.py": "from helper import P\nfrom dataclasses import dataclass\n@dataclass\nclass Q(P):\n    b: int = 2\ndef f(x, rng):\n    return (Q(BIT).a, Q(1, 5).b, Q(1) == Q(1))",
        "helper.py": "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n",
    },
    "getattr of module": {
        "sampler.py": "import helper\ndef f(x, rng):\n    return helper.foo + BIT",
        "helper.py": "def __getattr__(name):\n    return 7\n",
    },
    "missing attribute of second": {
        "sampler.py": "import helper\ndef f(x, rng):\n    try:\n        return helper.Q\n    except AttributeError:\n        return BIT",
        "helper.py": "K = 1\n",
    },
    "module truth": {
        "sampler.py": "import helper\ndef f(x, rng):\n    return bool(helper) + BIT",
        "helper.py": "K = 1\n",
    },
    "annotation future": {
        "sampler.py": "from __future__ import annotations\nv: nope = 3\ndef g(a: nope) -> zip[5]:\n    return a\ndef f(x, rng):\n    return g(BIT) + v",
    },
    "init changes": {
        "sampler.py": "from pk.m import T\ndef f(x, rng):\n    return len(T) + BIT",
        "pk/__init__.py": "from pk import m\nm.T.append(1)\n",
        "pk/m.py": "T = []\n",
    },
    "init changes by relative": {
        "sampler.py": "import pk.m as q\ndef f(x, rng):\n    return len(q.T) + BIT",
        "pk/__init__.py": "from .m import T as S\nS += [1]\n",
        "pk/m.py": "T = []\n",
    },
    "init changes by call": {
        "sampler.py": "from pk.m import T\ndef f(x, rng):\n    return len(T) + BIT",
        "pk/__init__.py": "from .m import g\nK = g()\n",
        "pk/m.py": "T = []\ndef g():\n    T.append(1)\n    return 5\n",
    },
    "init only names": {
        "sampler.py": "from pk.m import T\ndef f(x, rng):\n    return len(T) + BIT",
        "pk/__init__.py": '"""Doc."""\nfrom importlib.metadata import version\nfrom .n import Z\n__version__ = version(\'numpy\')\n__all__ = [\'m\']\n',
        "pk/m.py": "T = []\n",
        "pk/n.py": "Z = 1\n",
    },
    "init rebinds": {
        "sampler.py": "from pk.m import T\nfrom pk import m\nimport pk\ndef f(x, rng):\n    return (len(T), m.T is T, pk.m is m, BIT)",
        "pk/__init__.py": "",
        "pk/m.py": "T = []\n",
    },
    "init imports then rebinds": {
        "sampler.py": "import pk.m as q\ndef f(x, rng):\n    return q + BIT",
        "pk/__init__.py": "from . import m\nm = 5\n",
        "pk/m.py": "T = []\n",
    },
    "missing is None": {
        "sampler.py": "try:\n    from helper import nope\nexcept ImportError:\n    nope = None\ndef f(x, rng):\n    return (nope is None) + BIT",
        "helper.py": "K = 1\n",
    },
    "of a library is None": {
        "sampler.py": "from typing import TYPE_CHECKING\ndef f(x, rng):\n    return (TYPE_CHECKING is False) + BIT",
    },
    "library is None": {
        "sampler.py": "try:\n    import decimal\nexcept ImportError:\n    decimal = None\ndef f(x, rng):\n    return (decimal is None) + BIT",
    },
    "submodule then package": {
        "sampler.py": "from pk.m import K\nfrom pk import Z\nfrom pk import m\ndef f(x, rng):\n    return K + Z + m.K + BIT",
        "pk/__init__.py": "Z = 10\n",
        "pk/m.py": "K = 1\n",
    },
    "deep": {
        "sampler.py": "import a.b.c\nimport a.b.d as e\nfrom a.b import c\nfrom a import b\ndef f(x, rng):\n    return (a.b.c.K, e.K, c.K, b.c.K, BIT)",
        "a/__init__.py": "",
        "a/b/__init__.py": "Q = 1",
        "a/b/c.py": "K = 1\n",
        "a/b/d.py": "K = 2\n",
    },
    "not a package": {
        "sampler.py": "try:\n    import helper.x\nexcept ImportError:\n    helper = 5\ndef f(x, rng):\n    return helper + BIT",
        "helper.py": "K = 1\n",
        "x.py": "K = 2\n",
    },
    "implicit relative": {
        "sampler.py": "from pk.a import K\ndef f(x, rng):\n    return K + BIT",
        "pk/__init__.py": "",
        "pk/a.py": "try:\n    from b import K\nexcept ImportError:\n    K = 77\n",
        "pk/b.py": "K = 1\n",
    },
    "two of one name": {
        "sampler.py": "from pk.a import K\ndef f(x, rng):\n    return K + BIT",
        "pk/__init__.py": "",
        "pk/a.py": "from b import K\n",
        "pk/b.py": "K = 1\n",
        "b.py": "K = 2\n",
    },
    "compiled beside": {
        "sampler.py": "import h\ndef f(x, rng):\n    return h.K + BIT",
        "h.py": "K = 1\n",
        "h.so": "",
    },
    "namespace two": {
        "sampler.py": "from ns.a import K\nfrom ns.b import L\nimport ns\ndef f(x, rng):\n    return K + L + ns.a.K + BIT",
        "ns/a.py": "K = 1\n",
        "ns/b.py": "L = 2\n",
    },
    "name assigned": {
        "sampler.py": "__name__ = '__main__'\nT = []\nif __name__ == '__main__':\n    T.append(1)\ndef f(x, rng):\n    return len(T) + BIT",
    },
    "name in second compared": {
        "sampler.py": "import h\ndef f(x, rng):\n    return h.K + BIT",
        "h.py": "K = 2 if __name__ == 'h' else 3\n",
    },
    "a package that imports all its modules, which import each other": {
        "sampler.py": "from pk.a import g\nfrom pk import b\ndef f(x, rng):\n    return g(rng) + len(b.S)",
        "pk/__init__.py": "from pk import a, b\nS = a.S + b.S\n",
        "pk/a.py": "from pk import b\nfrom . import b as c\nS = [1]\ndef g(rng):\n    return BIT + b.K + c.K\n",
        "pk/b.py": "K = 5\nS = [2, 3]\n",
    },
}

AROUND = {  # what the package's own file has, around the module that is imported from it; and the files beside
    "an import of the package changes another": {
        "pk/__init__.py": "from .evil import y\n",
        "pk/evil.py": "import pk.m as mm\nmm.K = 50\ny = 1\n",
    },
    "a call": {
        "pk/__init__.py": "from .evil import y\n",
        "pk/evil.py": "def setup():\n    import pk.m\n    pk.m.K = 7\n    return 1\ny = setup()\n",
    },
    "exec": {
        "pk/__init__.py": "_ = exec('import pk.m\\npk.m.K = 9')\n",
    },
    "through two files": {
        "pk/__init__.py": "from . import a\n",
        "pk/a.py": "from . import b\n",
        "pk/b.py": "from . import m\nm.K += 4\n",
    },
    "setattr": {
        "pk/__init__.py": "import pk.a\n",
        "pk/a.py": "import pk.b\n",
        "pk/b.py": "import pk.m\nsetattr(pk.m, 'K', 3)\n",
    },
    "in a class": {
        "pk/__init__.py": "from .evil import C\n",
        "pk/evil.py": "import pk.m\nclass C:\n    pk.m.K = 12\n",
    },
    "a class that is derived": {
        "pk/__init__.py": "from .evil import C\n",
        "pk/evil.py": "import pk.m\nclass B:\n    def __init_subclass__(cls):\n        pk.m.K = 13\nclass C(B):\n    pass\n",
    },
    "a decorator": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\ndef deco(f):\n    pk.m.K = 14\n    return f\n@deco\ndef h(): pass\n",
    },
    "a default": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\ndef h(a=pk.m.__dict__.update(K=15)): pass\n",
    },
    "a call in a list": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\nh = [pk.m.__dict__.update(K=16)]\n",
    },
    "a loop": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\nh = 1\nfor pk.m.K in [17]: pass\n",
    },
    "an annotation": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\nh: pk.m.__dict__.update(K=18) = 1\n",
    },
    "a deletion": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "from pk.m import *\nimport pk.m\nh = 2\ndel pk.m.K\n",
    },
    "after an error": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "try:\n    import nothing_there\nexcept ImportError:\n    import pk.m\n    pk.m.K = 19\nh = 1\n",
    },
    "under a condition": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "if True:\n    import pk.m\n    pk.m.K = 20\nh = 1\n",
    },
    "a call of a method": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\nh = (pk.m.__setattr__)('K', 21)\n",
    },
    "an operator": {
        "pk/__init__.py": "from .evil import h\n",
        "pk/evil.py": "import pk.m\nfrom .other import a\nh = a + 1\n",
        "pk/other.py": "import pk.m\nclass A:\n    def __add__(s, o):\n        pk.m.K = 23\n        return 0\na = A()\n",
    },
    "only names": {
        "pk/__init__.py": "from .good import y, C\nfrom . import more\n__version__ = '1'\n",
        "pk/good.py": "import logging\nlog = logging.getLogger(__name__)\ny = 1\nclass C:\n    z = 3\n    def q(self): return 1\ndef u(a=3): return a\n",
        "pk/more.py": "from dataclasses import dataclass\nfrom .good import C\n@dataclass\nclass E(C):\n    a: int = 1\nT = {'a': 1}\nif __name__ == '__main__':\n    print(1)\n",
    },
    "of the module itself": {
        "pk/__init__.py": "from .m import g\nfrom .good import y\n",
        "pk/good.py": "from . import m\ny = m.K\n",
    },
}
for name, files in AROUND.items():
    module = {
        "sampler.py": "from pk import m\ndef f(x, rng):\n    return m.K + BIT",
        "pk/m.py": "K = 1\ndef g(rng):\n    return BIT",
    }
    FILES[f"around: {name}"] = module | files

REFUSED = {  # a part of what is said of each
    "submodule shadows attr": "isinstance of pk.m",
    "submodule not imported": "m of pk, which is not there",
    "same name as stdlib": "an import of random, which stands beside the file and in a library",
    "same name as collections": "an import of collections, which stands beside the file and in a library",
    "all": "`import *`",
    "import in function": "an import of helper within a call",
    "import raising": "raises ValueError while the file is loaded",
    "relative in sampler": "a relative import beyond a package",
    "getattr of module": "foo of helper, which is not there",
    "missing attribute of second": "Q of helper, which is not there",
    "init imports then rebinds": "which is two things",
    "of a library is None": "`is` of typing.TYPE_CHECKING",
    "compiled beside": "which is compiled",
    "name assigned": "a __name__ of its own",
}
REFUSED |= {
    "around: an import of the package changes another": "an assignment to an attribute of pk.m",
    "around: a call": "an assignment to an attribute of pk.m",
    "around: exec": "a call of exec",
    "around: through two files": "an assignment to an attribute of pk.m",
    "around: setattr": "a call of setattr",
    "around: in a class": "an assignment to an attribute of pk.m",
    "around: a class that is derived": "a class with __init_subclass__",
    "around: a decorator": "an assignment to an attribute of pk.m",
    "around: a default": "__dict__ of pk.m",
    "around: a call in a list": "__dict__ of pk.m",
    "around: a loop": "an assignment to an attribute of pk.m",
    "around: an annotation": "a call in an annotation",
    "around: a deletion": "`import *`",
    "around: after an error": "an assignment to an attribute of pk.m",
    "around: under a condition": "an assignment to an attribute of pk.m",
    "around: a call of a method": "__setattr__ of pk.m",
    "around: an operator": "an assignment to an attribute of pk.m",
}
