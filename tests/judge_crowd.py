"""The judge of version 4: who is there, from verify/CERTIFICATE.md alone; every pair of neighbours, in Fractions.

Nothing is left out: all users' draws are multiplied out, symmetries are checked and not used, and a threshold is an
event among the outcomes. For small certificates only.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import comb

from tests import judge, judge_cover
from tests.judge import _decimal, _fields, _label, _list, _multiset, _permutation, _rational, _rows, demand, sign
from tests.judge_scale import check_hints, histograms, integer, natural

KEYS = ("randomizer", "adjacency", "view", "n", "honest", "take part", "datasets", "eps", "delta")
MAX_WORK = 300_000  # outcomes of all pairs


@dataclass(frozen=True)
class Crowd:
    """What is claimed: `laws` of a user by input, None's where a user may be gone; outcomes are tuples, or counts."""

    rows: tuple
    laws: dict
    gone: dict | None
    view: str
    honest: int
    eps: tuple
    delta: Fraction
    check: object

    def answer(self, bits):
        return self.check(self)

    @property
    def ends(self):
        """All ordered pairs of ends."""
        if self.gone is None:
            return list(permutations(self.laws, 2))
        return [pair for x in self.laws for pair in ((x, None), (None, x))]

    @property
    def others(self):
        """All multisets of the others' inputs."""
        if self.view != "shuffled":
            return [()]
        outcomes = {y for law in [*self.laws.values(), self.gone or {}] for y in law}
        work = comb(self.honest + len(outcomes) - 1, self.honest) if self.honest <= 100 else MAX_WORK
        if work * comb(self.honest + len(self.laws) - 2, self.honest - 1) * len(self.ends) >= MAX_WORK:
            raise judge.TooBigError
        return combinations_with_replacement(sorted(self.laws), self.honest - 1)

    def law(self, end):
        return self.gone if end is None else self.laws[end]

    def pair(self, start, end, others):
        """(P, Q)."""
        if self.view != "shuffled":
            return self.law(start), self.law(end)
        if len(others) > 100:
            raise judge.TooBigError
        around = {(0,) * len(judge.messages_of(self.rows)): Fraction(1)}
        for z in others:
            around = judge._times(around, self.laws[z])
            if len(around) > MAX_WORK:
                raise judge.TooBigError
        return judge._times(around, self.law(start)), judge._times(around, self.law(end))

    def divergence(self, start, end, others):
        """(A, B) with delta(eps) = A - B e^eps."""
        P, Q = self.pair(start, end, others)
        event = [y for y, p in P.items() if y not in Q or sign(p, Q[y], self.eps, 0) > 0]
        return sum((P[y] for y in event), Fraction(0)), sum((Q.get(y, Fraction(0)) for y in event), Fraction(0))


def parse(top):
    """The top level of a version 4 certificate, with its format, version and note checked -> what it states."""
    crowd = claimed(top)
    read = {"PROVED": proved, "REFUTED": refuted}[top["verdict"]]
    return replace(crowd, check=read(top["evidence"], crowd))


def claimed(top):
    """What a certificate of version 4 or 8 claims, without its evidence."""
    claim = _fields(top["claim"], *KEYS, optional=("reference",))
    rows, view = _rows(_fields(claim["randomizer"], "rows")["rows"]), claim["view"]
    demand(view in ("shuffled", "preshuffle", "local"), "view")
    demand(claim["adjacency"] in ("replace", "add-remove", "deletion") and claim["datasets"] == "all", "adjacency")
    demand(("reference" in claim) == (claim["adjacency"] == "deletion"), "reference")
    n, honest, share = natural(claim["n"]), natural(claim["honest"]), _rational(claim["take part"])
    demand(honest <= n and 0 < share <= 1, "honest, take part")
    eps, delta = judge._eps(claim["eps"]), _rational(claim["delta"])
    demand(delta <= 1, "delta")
    labels = judge.messages_of(rows)
    nothing = () if view == "local" else (0,) * len(labels)
    laws = {
        x: mixed([(share, judge.row_law(out, view, labels)), (1 - share, {nothing: Fraction(1)})]) for x, out in rows
    }
    gone = {nothing: Fraction(1)} if claim["adjacency"] == "add-remove" else None
    if claim["adjacency"] == "deletion":
        reference = claim["reference"]
        demand(isinstance(reference, dict) and set(reference) <= set(laws), "reference")
        weights = {z: _rational(weight) for z, weight in reference.items()}
        demand(all(0 < w <= 1 for w in weights.values()) and sum(weights.values()) == 1, "weights")
        gone = mixed([(weight, laws[z]) for z, weight in weights.items()])
    demand(top["verdict"] in ("PROVED", "REFUTED"), "verdict")
    demand(isinstance(top["evidence"], dict), "evidence")
    return Crowd(rows, laws, gone, view, honest, eps, delta, None)


def mixed(parts):
    """The mixture of laws with these weights."""
    law = {}
    for weight, other in parts:
        for y, p in other.items():
            if weight:
                law[y] = law.get(y, Fraction(0)) + weight * p
    return law


def pair_of(tree, crowd):
    """(from, to, the others' inputs)."""
    _fields(tree, "from", "to", *(["others"] if crowd.view == "shuffled" else []))
    start, end = (None if tree[key] is None else _label(tree[key]) for key in ("from", "to"))
    demand((start, end) in crowd.ends, "ends")
    if crowd.view != "shuffled":
        return start, end, ()
    others = _multiset(tree["others"], list(crowd.laws))
    demand(sum(others.values()) == crowd.honest - 1, "the number of others")
    if crowd.honest > 100:
        raise judge.TooBigError
    return start, end, tuple(sorted(x for x, count in others.items() for _ in range(count)))


def proved(evidence, crowd):
    """What the evidence of a PROVED certificate states, as a function of the claim."""
    if "blanket" in evidence:
        check_hints(evidence)
        demand(crowd.view == "shuffled", "view")
        return blanket
    if "cover" in evidence:
        demand(crowd.view == "shuffled", "view")
        tree = judge_cover.read(_fields(evidence, "cover")["cover"], list(crowd.laws))
        return lambda s: cover(s, tree)
    _fields(evidence, "symmetries", "worst")
    messages = judge.messages_of(crowd.rows)
    symmetries = [_fields(symmetry, "inputs", "messages") for symmetry in _list(evidence["symmetries"])]
    moves = [(_permutation(s["inputs"], list(crowd.laws)), _permutation(s["messages"], messages)) for s in symmetries]
    demand((evidence["worst"] is None) == (not crowd.ends), "worst")
    if evidence["worst"] is None:
        return lambda s: all(is_symmetry(s, *move) for move in moves)
    worst = _fields(evidence["worst"], "pair", "delta")
    ends = _fields(worst["delta"], "lower", "upper")
    lower, upper, named = _decimal(ends["lower"]), _decimal(ends["upper"]), pair_of(worst["pair"], crowd)

    def holds(s):
        most = min(s.delta, upper)
        return (
            all(is_symmetry(s, *move) for move in moves)
            and sign(*s.divergence(*named), s.eps, lower) >= 0
            and all(sign(*s.divergence(*e, group), s.eps, most) <= 0 for group in s.others for e in s.ends)
        )

    return holds


def refuted(evidence, crowd):
    """What the evidence of a REFUTED certificate states, as a function of the claim."""
    if "threshold" in evidence:
        _fields(evidence, "pair", "threshold")
        demand(crowd.view == "shuffled", "view")
        stated = _fields(evidence["threshold"], "weights", "above")
        labels = judge.messages_of(crowd.rows)
        demand(isinstance(stated["weights"], dict) and set(stated["weights"]) <= set(labels), "weights")
        weights, above = {label: integer(w) for label, w in stated["weights"].items()}, integer(stated["above"])

        def chosen(y):
            return sum(weights.get(label, 0) * count for label, count in zip(labels, y, strict=True)) > above

    else:
        _fields(evidence, "pair", "event")
        chosen = set(judge._event(evidence["event"], crowd.rows, crowd.view)).__contains__
    named = pair_of(evidence["pair"], crowd)

    def holds(s):
        a, b = (sum((p for y, p in law.items() if chosen(y)), Fraction(0)) for law in s.pair(*named))
        return sign(a, b, s.eps, s.delta) > 0

    return holds


def is_symmetry(s, inputs, messages):
    """Whether moving inputs and messages so leaves all laws as they are, that of null too."""
    labels = judge.messages_of(s.rows)

    def moved(y):
        if s.view == "local":
            return tuple(messages.get(label, label) for label in y)
        counts = {messages.get(label, label): count for label, count in zip(labels, y, strict=True)}
        return tuple(counts.get(label, 0) for label in labels)

    pairs = [(law, s.laws[inputs.get(x, x)]) for x, law in s.laws.items()] + [(s.gone or {}, s.gone or {})]
    return all({moved(y): p for y, p in law.items()} == other for law, other in pairs)


def cover(s, tree):
    """Whether every box's corner, the least of the compositions that it holds, keeps delta with every pair of ends."""
    kinds = judge_cover.alike(s.laws)
    boxes = {}
    for others in s.others:
        counts = tuple(sum(z in kind for z in others) for kind in kinds)
        path, node = "", tree
        while node is not None:
            more = counts[next(i for i, kind in enumerate(kinds) if node[0] in kind)] > node[1]
            path, node = path + "01"[more], node[2 + more]
        boxes.setdefault(path, []).append(counts)
    for held in boxes.values():
        corner = map(min, *held, held[0])
        group = [kind[0] for kind, count in zip(kinds, corner, strict=True) for _ in range(count)]
        if any(sign(*s.divergence(*ends, group), s.eps, s.delta) > 0 for ends in s.ends):
            return False
    return True


def blanket(s):
    """Whether the lemma's bound is at most delta for every pair of ends."""
    outcomes = {y for law in [*s.laws.values(), s.gone or {}] for y in law}
    least = {y: min(law.get(y, Fraction(0)) for law in s.laws.values()) for y in outcomes}
    for start, end in s.ends:
        u, v = s.law(start), s.law(end)
        draws, pairs = {(Fraction(0), Fraction(0)): 1 - sum(least.values())}, []
        for y, c in least.items():
            a, b = u.get(y, Fraction(0)), v.get(y, Fraction(0))
            if c:
                draws[a / c, b / c] = draws.get((a / c, b / c), Fraction(0)) + c
            else:
                pairs.append((a, b))
        pairs += [(p * a / s.honest, p * b / s.honest) for p, a, b in histograms(draws, s.honest)]
        event = [(a, b) for a, b in pairs if sign(a, b, s.eps, 0) > 0]
        if sign(sum(a for a, _ in event), sum(b for _, b in event), s.eps, s.delta) > 0:
            return False
    return True
