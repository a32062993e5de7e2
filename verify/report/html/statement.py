"""The statement of a certificate in words: what it states, and what it does not say."""

from collections.abc import Mapping, Sequence
from typing import Any

from verify.enclose.interval import Interval
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.rational import plain, shorten
from verify.report.html.certificate_laws import Certificate, Claim, Row
from verify.report.html.page import Block, Facts, Items, Section, Table, Text, interval, number

LETTERS = 90  # of a matrix's header; a quarter of them in one label
WIDE = 12  # columns of a randomizer's matrix
MANY = 40  # rows of a table, and outcomes of an event, that are listed
NOISES = {
    "binomial": "binomial, {n} trials of probability {p}",
    "poisson": "Poisson, mean {lam}",
    "negative_binomial": "negative binomial, r = {r}, p = {p}",
    "discrete_laplace": "discrete Laplace, q = {q}",
    "truncated_discrete_laplace": "discrete Laplace, q = {q}, of size at most {bound}",
    "discrete_gaussian": "discrete Gaussian, variance {variance}",
}
SEEN = {
    "count": "s + X is seen: an integer s that depends on the data, and noise X. Neighbouring datasets move s by at"
    " most {sensitivity}.",
    "histogram": "A histogram of {buckets} buckets is seen, every count with noise of its own. Neighbouring datasets"
    " move one unit from a bucket to another one.",
    "correlated": "Two counts are seen, s + Z1 + Z3 and Z2 + Z3: an integer s that depends on the data, Z1 and Z2"
    " geometric with Pr[k] = (1 - q) q^k, q = {q}, and Z3 of the noise law. Neighbouring datasets move s by 1.",
    "correlated histogram": "In each of {buckets} buckets two counts are seen, c + Z1 + Z3 and Z2 + Z3: Z1 and Z2"
    " geometric with Pr[k] = (1 - q) q^k, q = {q}, and Z3 of the noise law. Neighbouring datasets move one unit of c"
    " from a bucket to another one.",
    "strings": "Of {strings} pairs of bits the two sums are seen. All pairs but one hold two independent bits, each 1"
    " with probability {flip}; the user's holds (1, 0) or (0, 1), each bit flipped with probability {flip}."
    " Neighbouring datasets: (1, 0) and (0, 1).",
    "columns": "Each of {users} users holds one of {columns} columns and adds to every column an independent bit, 1"
    " with probability 1 - flip in the column held and flip in the others, flip = {flip}. The columns' sums are seen."
    " Neighbouring datasets: one user moves from a column to another one.",
    "any randomizer": "{users} users each hold one input and apply a randomizer to it, of which no more is known than"
    " that it is (eps0, delta0)-private by itself, with eps0 = {local} and delta0 = {local delta}. What is seen is the"
    " outputs of all users, and nothing of whose they are.",
    "thresholded counts": "{users} users each hold one value and send it with probability {p}, else nothing. Of every"
    " value that is sent at least {k} times it is shown how often, and of the others nothing. Neighbouring datasets"
    " differ in one user.",
    "release": "A server releases s + X, for the sum s of the users' inputs, 0 to {sensitivity} each, and noise X. If"
    " bits = {bits} is above 0, X is first taken modulo 2^bits; if wrap = {wrap} is, then modulo that; if modulo ="
    " {modulo} is, the sum modulo that. Neighbouring datasets differ in one user.",
    "presence": "s + X is seen where a user is there, with an input from 0 to {sensitivity} in s, and s + Y where not."
    " Neighbouring datasets: with this user and without.",
    "sampled": "Of each value it is seen how many messages were kept, each with probability {keep}, and noise of its"
    " own. Neighbouring datasets: one user, alone on a value, moves to another one that nobody holds.",
}
VIEWS = {
    "shuffled": "how many messages of each kind all users sent together, and nothing of who sent which",
    "preshuffle": "for each user, by name, how many messages of each kind that user sent",
    "local": "for each user, by name, that user's messages in order",
}


def statement(read: Certificate) -> list[Block]:
    """What a certificate states, for a reader who knows no notation but (eps, delta)."""
    claim = read.claim
    if claim.mechanism:
        subject = _seen(claim.mechanism)
    else:
        users = "One user holds" if claim.n == 1 else f"{claim.n} users each hold"
        subject = f"{users} one input and apply the randomizer below to it. What is seen is {VIEWS[claim.view]}."
        subject += _crowd(claim)
    given = f"with eps = {shorten(claim.eps)} and delta = {shorten(claim.delta)}"
    apart = "neighbouring datasets D and D'" if claim.mechanism else "datasets D and D' that differ in one user's data"
    kept = read.verdict == "PROVED"
    whom = f"For any two {apart} and every event" if kept else f"There are two {apart} and an event"
    if not kept and claim.mechanism and claim.mechanism["view"] == "any randomizer":
        whom = f"There is such a randomizer, the one below, with two {apart} and an event"
    promise = (
        f"{whom} E of what is seen{',' if kept else ' with'} Pr[E | D] {'<=' if kept else '>'} e^eps Pr[E | D'] + delta"
    )
    facts = [
        ("eps", _eps(claim.eps)),
        ("delta", number(claim.delta)),
        ("adjacency", f"{claim.adjacency} ({_changed(claim)})"),
        ("datasets", claim.datasets),
        ("view", claim.view or str((claim.mechanism or {}).get("view"))),
    ]
    if not claim.mechanism:
        facts.insert(2, ("users", str(claim.n)))
    if read.note:
        facts.append(("note in the file", f"{shorten(read.note, 400)}\n(no part of the statement)"))
    return [Text(subject), Text(f"{promise}, {given}."), Facts(facts)]


def _changed(claim: Claim) -> str:
    """In which way neighbours differ."""
    if claim.adjacency == "add-remove":
        return "one user, counted among the users, is there or absent"
    if claim.adjacency == "deletion":
        mixed = ", ".join(f"{shorten(z)} with {shorten(weight)}" for z, weight in (claim.reference or {}).items())
        return f"one user's data are there, or a reference instead: {mixed}"
    return "one user's data are replaced; the number of users stays"


def _crowd(claim: Claim) -> str:
    """Who follows the protocol, and who takes part."""
    said = "" if claim.honest is None else f" At least {claim.honest} users follow the protocol; the others are known."
    share = claim.take_part
    return said + f" Each of them takes part with probability {shorten(share)}, else sends nothing." * (share != "1")


def _seen(mechanism: Mapping[str, Any]) -> str:
    known = {key: shorten(str(value)) for key, value in mechanism.items()}
    return SEEN[mechanism["view"]].format_map(known)


def _eps(eps: str) -> str:
    """eps in nats, and the factor e^eps."""
    try:
        low, high = Eps.of(eps).bounds(128)
    except BadInput:
        return shorten(eps)
    factor = Interval(low, high).enclosure(6)
    return f"{shorten(eps)} (nats), e^eps {'=' if low == high else 'in'} {interval(*factor)}"


def protocol(read: Certificate) -> Section:
    """The section on the protocol: the randomizer's table, or the mechanism's parameters."""
    claim = read.claim
    if claim.mechanism:
        facts = []
        for key, value in claim.mechanism.items():
            if isinstance(value, Mapping):
                value = NOISES[value["law"]].format_map({k: shorten(str(v)) for k, v in value.items()})
            facts.append((key, str(value)))
        said = "The certificate is about what is seen, without saying who sends which message."
        if not read.evidence.randomizer:
            return Section("The mechanism", [Text(said), Facts(facts)])
    table = claim.randomizer or read.evidence.randomizer
    rows = table.rows if table else []
    return Section("The randomizer", [_matrix(rows) or _listed(rows)])


def _matrix(rows: Sequence[Row]) -> Table | None:
    """Inputs by outputs, whichever are fewer beside each other; None where both are many."""
    laws = {row.input: {tuple(output.send): output.p for output in row.outputs} for row in rows}
    outputs = list(dict.fromkeys(send for law in laws.values() for send in law))
    if min(len(laws), len(outputs)) > WIDE or max(len(laws), len(outputs)) > MANY:
        return None
    caption = f"The probability of each output for each input: {len(laws)} inputs, {len(outputs)} outputs."
    named = [messages(send) for send in outputs] if len(outputs) <= WIDE else [f"on {shorten(x)}" for x in laws]
    if sum(map(len, named)) > LETTERS or max(map(len, [*named, *laws])) > LETTERS // 4:
        return None
    if len(outputs) <= WIDE:
        cells = [[shorten(x), *(_probability(law.get(send)) for send in outputs)] for x, law in laws.items()]
        return Table(caption, ("Input", *named), cells)
    cells = [[messages(send), *(_probability(law.get(send)) for law in laws.values())] for send in outputs]
    return Table(caption, ("Output", *named), cells)


def _probability(p: str | None) -> str:
    """A decimal where it is one of few digits, else a fraction, whole."""
    shown = "0" if p is None else plain(p, 6)
    return shown if p is None or "..." not in shown else p


def _listed(rows: Sequence[Row]) -> Table:
    outputs = [(shorten(row.input), messages(output.send), number(output.p)) for row in rows for output in row.outputs]
    size = f"{len(rows)} inputs, {len(outputs)} outputs"
    listed = f", the first {MANY} of them listed: the whole table is in the certificate" * (len(outputs) > MANY)
    caption = f"What a user with each input sends, and with what probability ({size}{listed})."
    return Table(caption, ("Input", "Sends", "Probability"), outputs[:MANY])


def messages(sent: Sequence[str]) -> str:
    """A tuple of messages, in words."""
    return "(" + ", ".join(shorten(message) for message in sent) + ")" if sent else "nothing"


def small_print(read: Certificate | None) -> Section:
    """The section on what an accepted certificate proves, and what it does not."""
    says = [
        "It is a mathematical statement, in exact arithmetic: about the table or the mechanism in the file, for all"
        " pairs of neighbouring datasets and in both directions. No probability in it was estimated from samples.",
        "An accepted certificate is as good as the kernel and the Python that ran it; nothing else has to be trusted.",
    ]
    lacks = [
        "That the software in use implements this randomizer or mechanism, with good randomness and nothing rounded.",
        "That the shuffler, where there is one, really forgets who sent what, and that messages carry nothing else:"
        " addresses, times, lengths.",
        "That as many users took part, and followed the protocol, as the statement says: users who send nothing, or are"
        " controlled by whoever looks, hide nobody. To count on fewer, certify for fewer.",
        "Anything about other neighbours than those of the statement (others are: one user's data replaced, a user"
        " added or removed, groups), about a user"
        " who takes part more than once, or about other releases of the same data: these add up.",
        "Anything about accuracy, and about other eps or delta. eps and delta themselves are a choice, not a proof that"
        " they are small enough.",
        "What the note in the file says, or what this page adds: its pictures, and numbers said to be the engine's.",
    ]
    if read is not None and read.claim.mechanism and read.claim.mechanism["view"] != "any randomizer":
        step = "That a protocol shows no more than this mechanism: that step is a lemma, proved in the protocol's own"
        lacks.insert(0, f"{step} file of shufflecert, and no part of the certificate.")
    if read is not None and read.verdict == "REFUTED":
        says.append("A refutation says that this claim is false. It does not say that a weaker one is.")
    heads: list[Block] = [Text("A certificate says:"), Items(says), Text("It does not say:"), Items(lacks)]
    return Section("What a certificate says, and what it does not", heads)
