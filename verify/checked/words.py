"""A claim in words, from the record that the theorem is about; of a randomizer the SHA-256 of its rows."""

import json
from hashlib import sha256

from verify.checked import program as c


def items(l):
    """The elements of a list of the program's."""
    while l:
        x, l = l
        yield x


def shown(text):
    """A number's text; of a long one its first and last digits, how many it has, and a digest."""
    if len(text) <= 80:
        return text
    return f"{text[:20]}...{text[-20:]} ({len(text)} characters with SHA-256 {sha256(text.encode()).hexdigest()})"


def whole(q):
    """A fraction as text."""
    return str(q.qnum) if q.qden == 1 else f"{q.qnum}/{q.qden}"


def exponent(e):
    """An eps."""
    return shown(whole(e.q)) if isinstance(e, c.Of) else shown(f"log({whole(e.z)})")


def ending(q):
    """An end of an interval: over a power of ten it is a decimal."""
    places = len(str(q.qden)) - 1
    if str(q.qden) != "1" + "0" * places:
        return shown(whole(q))
    digits = str(q.qnum).rjust(places + 1, "0")
    return shown(digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}")


def digest(names, rows):
    """The SHA-256 of the rows as JSON with sorted keys and no space, in ASCII."""
    table = [
        {"input": x, "outputs": [{"p": whole(p), "send": [names.messages[m] for m in items(s)]} for s, p in items(r)]}
        for x, r in zip(names.inputs, items(rows), strict=True)
    ]
    return sha256(json.dumps({"rows": table}, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def promise(eps, delta):
    """What is promised."""
    return f"eps = {exponent(eps)}, delta = {shown(whole(delta))}"


def of_claim(names, claim):
    """The claim about a randomizer."""
    view = {c.Shuffled: "shuffled", c.Preshuffle: "preshuffle", c.Local: "local"}[type(claim.sees)]
    words = f"n = {claim.users}, adjacency = replace, view = {view}, {promise(claim.eps, claim.delta)}, "
    many = len(list(items(claim.rows)))
    return f"{words}randomizer of {many} inputs with SHA-256 {digest(names, claim.rows)}"


def noise(law):
    """A noise law."""
    if isinstance(law, c.Binomial):
        return f"Bin({law.n}, {shown(whole(law.p))})"
    if isinstance(law, c.Poisson):
        return f"Poisson({shown(whole(law.lam))})"
    if isinstance(law, c.NegativeBinomial):
        return f"NB({shown(whole(law.r))}, {shown(whole(law.p))})"
    return f"discrete Laplace noise with q = {shown(whole(law.q))}"


def of_count(count):
    """The claim about a count."""
    words = f"a count + {noise(count.law_of)}, sensitivity = {count.sensitivity}, adjacency = replace, "
    return words + promise(count.count_eps, count.count_delta)


def of_histogram(claim):
    """The claim about a histogram."""
    law, buckets, eps, delta = claim
    return f"a histogram of {buckets} buckets, to each + {noise(law)}, adjacency = replace, {promise(eps, delta)}"


def of_any(claim):
    """The claim about every randomizer with a local eps."""
    local, users, eps, delta = claim
    words = f"any randomizer with finitely many outputs and local eps = {exponent(local)}, n = {users}, "
    return f"{words}adjacency = replace, view = shuffled, {promise(eps, delta)}"


def of_one(names, local, share, claim):
    """That one randomizer, as private as it is said to be, refutes such a claim."""
    words = f"not every randomizer with local eps = {exponent(local)}, local delta = {shown(whole(share))}: "
    return words + of_claim(names, claim)


def by(theorem, words):
    """What a theorem says."""
    return f"by theorem {theorem} of proofs/coq/{words}"
