"""A claim in words, from the record that the theorem is about; of a randomizer the SHA-256 of its rows."""

import json
from hashlib import sha256

from shufflecert.verify.checked import program as c


def items(l):
    """The elements of a list of the program's."""
    while l:
        x, l = l
        yield x


def cons(found):
    """A list of the program's."""
    made = ()
    for x in reversed(list(found)):
        made = (x, made)
    return made


def whole(q):
    """A fraction as text."""
    return str(q.qnum) if q.qden == 1 else f"{q.qnum}/{q.qden}"


def quoted(text):
    """A text as JSON; of a long one its first and last characters, how many it has, and a digest."""
    if len(text) > 80:
        text = f"{text[:20]}...{text[-20:]} of {len(text)} characters with SHA-256 {sha256(text.encode()).hexdigest()}"
    return json.dumps(text)


def exponent(e):
    """An eps."""
    return quoted(whole(e.q) if isinstance(e, c.Of) else f"log({whole(e.z)})")


def digest(names, rows):
    """The SHA-256 of the rows as JSON with sorted keys and no space, in ASCII."""
    inputs, messages = names
    called = [*items(messages)]
    table = [
        {"input": x, "outputs": [{"p": whole(p), "send": [called[m] for m in items(s)]} for s, p in items(r)]}
        for x, r in zip(items(inputs), items(rows), strict=True)
    ]
    return sha256(json.dumps(table, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def claimed(eps, delta, seen, neighbours="replace"):
    """What is claimed of what is seen."""
    return f"eps = {exponent(eps)}, delta = {quoted(whole(delta))}, neighbours: {neighbours}; 1 time seen: {{{seen}}}"


def seen_of_crowd(names, crowd):
    """What is seen of a randomizer, and who is there."""
    view = {c.Shuffled: "shuffled", c.Preshuffle: "preshuffle", c.Local: "local"}[type(crowd.shown_as)]
    rows = f"{len(list(items(crowd.each)))} rows with SHA-256 {digest(names, crowd.each)}"
    seen = f'"users": {crowd.all_users}'
    if crowd.honest != crowd.all_users:
        seen += f', "honest": {crowd.honest}'
    if crowd.takes.qnum != crowd.takes.qden:
        seen += f', "take part": {quoted(whole(crowd.takes))}'
    return seen + f', "view": "{view}", "each": {{"rows": {rows}}}'


def neighbours_of(names, crowd):
    """Which datasets are neighbours."""
    if isinstance(crowd.changes, c.Deletion):
        called = [*items(names[0])]
        weights = (f"{quoted(called[x])}: {quoted(whole(w))}" for x, w in items(crowd.changes.weights))
        return '{"deletion": {' + ", ".join(weights) + "}}"
    return "replace" if isinstance(crowd.changes, c.Replace) else "add-remove"


def of_crowd(names, crowd):
    """The claim about a randomizer, and who is there."""
    return claimed(crowd.crowd_eps, crowd.crowd_delta, seen_of_crowd(names, crowd), neighbours_of(names, crowd))


def of_runs(neighbours, seen, claim):
    """The claim about several runs: how neighbours differ, what is seen in each and how often."""
    words = f"eps = {exponent(claim.runs_eps)}, delta = {quoted(whole(claim.runs_delta))}"
    words += f", neighbours: {neighbours}, data: {'same' if claim.same_pairs else 'any'}"
    return words + "".join(f"; {times} time{'s' * (times > 1)} seen: {{{one}}}" for times, one in seen)


def noise(law):
    """A noise law."""
    if isinstance(law, c.Binomial):
        return f'{{"law": "binomial", "n": {law.n}, "p": {quoted(whole(law.p))}}}'
    if isinstance(law, c.Poisson):
        return f'{{"law": "poisson", "lam": {quoted(whole(law.lam))}}}'
    if isinstance(law, c.NegativeBinomial):
        return f'{{"law": "negative binomial", "r": {quoted(whole(law.r))}, "p": {quoted(whole(law.p))}}}'
    return f'{{"law": "discrete Laplace", "q": {quoted(whole(law.q))}}}'


def seen_of_number(claim):
    """What is seen of a number from 0 to its sensitivity, of every user, with noise."""
    plus = f', "plus": {number_law(claim.each_adds[0])}' if claim.each_adds else ""
    seen = f'"users": {claim.number_users}, "each": {{"up to": {claim.largest}{plus}}}'
    if claim.once_added:
        seen += f', "added": {number_law(claim.once_added[0])}'
    if claim.shown_mod:
        seen += f', "shown": {{"mod": {claim.shown_mod[0]}}}'
    return seen


def one_changes(comes):
    """How neighbours differ, of numbers and columns."""
    return "add-remove" if comes else "replace"


def of_number(claim):
    """The claim about a number."""
    return claimed(claim.number_eps, claim.number_delta, seen_of_number(claim), one_changes(claim.arrives))


def number_law(law):
    """A law of numbers."""
    if isinstance(law, c.Noise):
        return noise(law.x)
    if isinstance(law, c.Bell):
        b = law.b
        if isinstance(b, c.Gaussian):
            return f'{{"law": "discrete Gaussian", "variance": {quoted(whole(b.v))}}}'
        return f'{{"law": "discrete Laplace", "q": {quoted(whole(b.q))}, "bound": {b.bound}}}'
    if isinstance(law, c.Mod):
        return f'{{"law": "mod", "by": {law.m}, "of": {number_law(law.l)}}}'
    if isinstance(law, c.Finite):
        return '{"law": "finite", "p": {' + ", ".join(f'"{k}": {quoted(whole(w))}' for k, w in items(law.p)) + "}}"
    if isinstance(law, c.Sum):
        return '{"law": "sum", "of": [' + ", ".join(map(number_law, items(law.of))) + "]}"
    parts = (f"[{quoted(whole(w))}, {number_law(one)}]" for w, one in items(law.of))
    return '{"law": "mixture", "of": [' + ", ".join(parts) + "]}"


def seen_of_columns(claim, size, inputs):
    """What is seen of independent columns."""
    laws = [number_law(law) for law in items(claim.number_laws)]
    if isinstance(claim.draws, c.Table):
        rows = (f"[{', '.join(laws[i] for i in items(row))}]" for row in items(claim.draws.inputs))
        listed = (f"{quoted(x)}: {row}" for x, row in zip(items(inputs.in_turn), rows, strict=True))
        each = f'"columns": {{{", ".join(listed)}}}'
    else:
        many = size[0] if size else '"any number"'
        each = f'"one of": {many}, "held": {laws[claim.draws.held]}, "other": {laws[claim.draws.other]}'
    seen = f'"users": {claim.column_users}, "each": {{{each}}}'
    if claim.added_law is not None:
        seen += f', "added": {laws[claim.added_law[0]]}'
    if claim.shown_from is not None:
        seen += f', "shown": {{"from": {claim.shown_from[0]}}}'
    return seen


def of_columns(claim, size, inputs):
    """The claim about independent columns."""
    seen = seen_of_columns(claim, size, inputs)
    return claimed(claim.columns_eps, claim.columns_delta, seen, one_changes(claim.arriving))


def seen_of_any(local, share, users):
    """What is seen of any randomizer with a local eps and delta."""
    return f'"users": {users}, "each": {{"private": [{exponent(local)}, {quoted(whole(share))}]}}'


def of_any(claim):
    """The claim about every randomizer with a local eps and delta."""
    return claimed(claim[3], claim[4], seen_of_any(*claim[:3]))


def of_one(local, share, claim):
    """The claim about all randomizers that one of them refutes."""
    return of_any((local, share, claim.users, claim.eps, claim.delta))


def by(theorem, words):
    """What a theorem says."""
    return f"by theorem {theorem} of proofs/coq/{words}"
