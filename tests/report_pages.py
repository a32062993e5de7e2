"""What tests of reports share: a page that is read, and answers of every kind to make pages of."""

import base64
import html
import json
import re
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

from shufflecert.verify.answers.audited import to_json
from shufflecert.verify.audit.audit import Promise, audit
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests.helpers import call

HERE = Path(__file__).parent
FILES = {kind: sorted((HERE / kind).glob("*.json")) for kind in ("accepted", "rejected", "malformed")}
HOSTILE = (
    "<script>document.title='ran'</script>",
    '"><img src=x onerror="document.title=\'ran\'">',
    "</style></title><h1>PROVED",
    "{{ 7 * 7 }}{% raw %}",
    "\u202eretped\u2066",
    "$\\frac{1}{0}$\x01\ud800",
    "&lt;b&gt;",
)
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Tags with their attributes, and the text that is shown."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.shown, self.open = [], [], []
        self.feed(page)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.shown.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.shown).split())

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def written(capsys, file, output, *more, status=0):
    """The report on a file, read; the command ends with this status and says something on one line of its own."""
    code, out, err = call(capsys, "report", file, "-o", output, *more)
    assert (code, err) == (status, ""), err
    assert out.startswith(f"{output}: report on {file}")
    return Reader(output.read_text(encoding="utf-8"))


def carried(reader):
    """(name, content) of the file that a report carries."""
    (link,) = reader.all("a")
    kind, _, content = link["href"].partition(",")
    assert kind == "data:application/json;base64"
    return link["download"], base64.b64decode(content, validate=True)


def code_blocks(path):
    return [html.unescape(block) for block in re.findall(r"<code>(.*?)</code>", path.read_text("utf-8"), re.S)]


def certificate(tree, view, n, pair, event, eps="1/10", delta="0"):
    """A refutation, true or not: for the numbers beside it that does not matter."""
    rows = json.loads(json.dumps([{"input": x, "outputs": _outputs(row)} for x, row in tree.items()]))
    seen = {"users": n, "view": view, "each": {"rows": rows}}
    claim = {"runs": [{"seen": seen, "times": 1}], "neighbours": "replace", "eps": eps, "delta": delta}
    return {
        "format": "shufflecert certificate",
        "claim": claim,
        "verdict": "REFUTED",
        "because": {"pair": pair, "event": event},
    }


def _outputs(row):
    return [{"send": list(send), "p": str(p)} for send, p in row.items()]


def hostile(names):
    """A certificate whose labels and note are these: `names` are put in the place of the input and message labels."""
    tree = {names[0]: {(names[2],): Fraction(3, 4), (names[3],): Fraction(1, 4)}, names[1]: {(names[3],): Fraction(1)}}
    pair = {"from": names[0], "to": names[1], "others": {names[1]: 1}}
    made = certificate(tree, "shuffled", 2, pair, {"outcomes": [{names[2]: 1, names[3]: 1}]})
    return {**made, "note": names[4]}


DATED = {"version": "0", "date": "2027-01-15T08:00:00Z"}


def comparison(rows):
    return {"task": "sum", "n": 10**4, "eps": "1", "delta": "1/1000000", "buckets": None, "slack": "6/5"} | {
        "adjacency": "replace",
        "rows": rows,
        "unfinished": [],
        **DATED,
    }


def ends(lower, upper=None):
    return {"lower": lower, "upper": upper or lower}


def scope(n, worst=None):
    said = {"adjacency": "replace", "view": "shuffled", "n": n, "datasets": "all", "by": "enumeration", "pairs": 3}
    return said | {"stands_for": None, "two_sided": False, "worst": worst}


ROWS = [
    {
        "system": "zsum",
        "central": False,
        "parameters": {"p": "18410715276690587648/18446744073709551616"},
        "delta": ends("9.99999999912345e-7", "9.99999999923e-7") | {"exact": None},
        "rmse": ends("4.4132345345345", "4.4132345345346"),
        "simultaneous": None,
        "expected_messages": ends("1.9980468"),
        "bits_per_message": 1,
        "bits": ends("1.9980468"),
        "paper": {
            "parameters": {"p": "17/18"},
            "rmse": ends("26.93", "26.94"),
            "expected_messages": ends("13182.22"),
            "ratio": {"rmse": ends("6.1", "6.2"), "expected_messages": ends("6597.55")},
        },
        "note": None,
        "finished": True,
    },
    {
        "system": "blanket_sum",
        "central": True,
        "parameters": {"k": "12", "gamma": "157/1000"},
        "delta": ends("9.1e-7", "9.91e-7") | {"exact": None},
        "rmse": ends("120.123", "120.124"),
        "simultaneous": None,
        "expected_messages": ends("1"),
        "bits_per_message": 4,
        "bits": ends("4"),
        "paper": None,
        "note": "a dominating pair above",
        "finished": True,
    },
]
CALIBRATION = {
    "system": "zsum",
    "n": 2000,
    "target": {"eps": "1", "delta": "1/1000000"},
    "parameter": "p",
    "value": "491/500",
    "decimal": "0.982",
    "fails_at": "983/1000",
    "delta": ends("5.71406689771e-7", "5.71406689772e-7") | {"exact": None},
    "fails": {"delta": ends("1.01961450438e-6", "1.01961450439e-6") | {"exact": None}, "adjacent": True},
    "scope": scope(2000, {"from": "1", "to": "0", "others": {"0": 1999}}),
    "parameters": {"p": "491/500"},
    "search": {"lemma": None, "evaluated": 23, "complete": True, "reason": "all were", "candidates": 1, "points": []}
    | {"step": "1/1000", "from": "0", "to": "1"},
    **dict.fromkeys(("objective", "accuracy", "paper", "local_epsilon")),
    "certificates": [],
    **DATED,
}


def profile(kind, *curves):
    """An answer of `profile` of these systems: (name, points), and more of each."""
    made = [{"system": name, "parameters": {}, "scope": scope(2000), "points": p, **more} for name, p, more in curves]
    return {"system": "several", "n": 2000, kind: made, **DATED}


PROFILE = profile(
    "curves",
    ("zsum", [{"eps": f"{i}/10", **ends(f"1e-{i + 1}", f"2e-{i + 1}")} for i in range(30)], {}),
    ("krr", [{"eps": f"{i}/10", **ends("0")} for i in range(30)], {}),
)


def audit_tree(labels):
    """An audit with leaks, an attack and a claim."""
    a, b, c = labels
    third = Fraction(1, 3)
    r = Randomizer.of({a: {(a, b): third, (b,): 2 * third}, b: {(b,): third, (c,): 2 * third}})
    promise = Promise(2, Eps.of(1), Fraction(1, 10))
    tree = to_json(audit(r, [1, 2], [Eps.of(0), Eps.of(1)], Fraction(1, 10**6), promise, large=9), a)
    return {"system": a, "parameters": {}, "n": [1, 2], **tree, **DATED}
