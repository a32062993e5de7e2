"""The statement of a certificate in words: what it states, and what it does not say."""

from collections.abc import Mapping, Sequence
from typing import Any

from shufflecert.verify.answers.certificate_laws import CertificateTree, Claim, Row, Seen
from shufflecert.verify.answers.page import Block, Facts, Items, Section, Table, Text, interval, number
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import plain, shorten

LETTERS = 90  # of a matrix's header; a quarter of them in one label
WIDE = 12  # columns of a randomizer's matrix
MANY = 40  # rows of a table, and outcomes of an event, that are listed
DATA = {
    "same": "the same in all runs",
    "any": "others from run to run, and may depend on what was seen before",
}
VIEWS = {
    "shuffled": "how many messages of each kind all users sent together, and nothing of who sent which",
    "preshuffle": "for each user, by name, how many messages of each kind that user sent",
    "local": "for each user, by name, that user's messages in order",
}


def statement(read: CertificateTree) -> list[Block]:
    """What a certificate states, for a reader who knows no notation but (eps, delta)."""
    claim = read.claim
    private = "private" in claim.seen.each and not claim.several
    subject = " Then: ".join(_times(_seen(run.seen), run.times) for run in claim.runs)
    if claim.several:
        subject += f" All of this is seen; the two datasets are {DATA[claim.data]}."
    given = f"with eps = {shorten(claim.eps)} and delta = {shorten(claim.delta)}"
    kept = read.verdict == "PROVED"
    apart = "datasets D and D' that differ in one user's data"
    whom = f"For any two {apart} and every event" if kept else f"There are two {apart} and an event"
    if not kept and private:
        whom = f"There is such a randomizer, the one below, with two {apart} and an event"
    promise = (
        f"{whom} E of what is seen{',' if kept else ' with'} Pr[E | D] {'<=' if kept else '>'} e^eps Pr[E | D'] + delta"
    )
    facts = [
        ("eps", _eps(claim.eps)),
        ("delta", number(claim.delta)),
        ("users", ", ".join(str(run.seen.users) for run in claim.runs)),
        ("adjacency", f"{claim.adjacency} ({_changed(claim)})"),
        ("datasets", "all"),
    ]
    if claim.seen.view:
        facts.append(("view", claim.seen.view))
    if read.note:
        facts.append(("note in the file", f"{shorten(read.note, 400)}\n(no part of the statement)"))
    return [Text(subject), Text(f"{promise}, {given}."), Facts(facts)]


def _times(what: str, times: int) -> str:
    return what if times == 1 else f"{times} times: {what}"


def _changed(claim: Claim) -> str:
    """In which way neighbours differ."""
    if claim.adjacency == "add-remove":
        return "one user, counted among the users, is there or absent"
    if isinstance(claim.neighbours, dict):
        mixed = ", ".join(f"{shorten(z)} with {shorten(weight)}" for z, weight in claim.neighbours["deletion"].items())
        return f"one user's data are there, or a reference instead: {mixed}"
    return "one user's data are replaced; the number of users stays"


def _seen(seen: Seen) -> str:
    """What users do, and what is seen of it."""
    each = seen.each
    users = "One user holds" if seen.users == 1 else f"{seen.users} users each hold"
    if "rows" in each:
        said = f"{users} one input and apply the randomizer below to it. What is seen is {VIEWS[seen.view]}."
    elif "private" in each:
        eps0, delta0 = (shorten(str(end)) for end in each["private"])
        said = f"{users} one input and apply a randomizer to it, of which no more is known than that it is (eps0,"
        said += f" delta0)-private by itself, with eps0 = {eps0} and delta0 = {delta0}. What is seen is the outputs of"
        said += " all users, and nothing of whose they are."
    elif "up to" in each:
        plus = f", adds to it a number that is {law_words(each['plus'])}," if "plus" in each else ""
        said = f"{users} an integer from 0 to {each['up to']}{plus} and the sum of all is seen."
    else:
        said = f"{users} one of {_columns(each)} The columns' sums are seen."
    if seen.added:
        said += f" Added to {'it' if 'up to' in each else 'each of them'} is a number that is {law_words(seen.added)}."
    for key, value in (seen.shown or {}).items():
        more = f" Of the sum the remainder by {value} is shown." if key == "mod" else ""
        said += more or f" Of each sum below {value} nothing is shown."
    return said + _crowd(seen)


def _columns(each: Mapping[str, Any]) -> str:
    if "columns" in each:
        laws = "; ".join(f"{shorten(x)}: {', '.join(map(law_words, of))}" for x, of in each["columns"].items())
        return f"{len(each['columns'])} inputs, and adds to every column a number of its own: {laws}."
    number_of = "any number of" if each["one of"] == "any number" else each["one of"]
    held, other = law_words(each["held"]), law_words(each["other"])
    return f"{number_of} columns, and adds to it a number that is {held}, to every other column one that is {other}."


def law_words(law: Mapping[str, Any]) -> str:
    """A LAW of a certificate, in words."""
    name, of = law["law"], law.get("of")
    if name == "finite":
        places = [(k, shorten(p)) for k, p in list(law["p"].items())[:MANY]]
        return places[0][0] if len(places) == 1 else "".join(f"{k} with {p}, " for k, p in places)[:-2]
    if name == "sum":
        return "the sum of " + " and ".join(f"({law_words(one)})" for one in of or [])
    if name == "mixture":
        return ", ".join(f"with probability {shorten(p)} ({law_words(one)})" for p, one in of or [])
    if name == "mod":
        return f"({law_words(of or {})}) modulo {law['by']}"
    return f"{name}, " + ", ".join(f"{key} = {shorten(str(law[key]))}" for key in law if key != "law")


def _crowd(seen: Seen) -> str:
    """Who follows the protocol, and who takes part."""
    said = "" if seen.honest is None else f" At least {seen.honest} users follow the protocol; the others are known."
    share = seen.take_part
    return said + f" Each of them takes part with probability {shorten(share)}, else sends nothing." * (share != "1")


def _eps(eps: str) -> str:
    """eps in nats, and the factor e^eps."""
    try:
        low, high = Eps.of(eps).bounds(128)
    except BadInput:
        return shorten(eps)
    factor = Interval(low, high).enclosure(6)
    return f"{shorten(eps)} (nats), e^eps {'=' if low == high else 'in'} {interval(*factor)}"


def protocol(read: CertificateTree) -> Section:
    """The section on the protocol: the randomizer's table, or the mechanism's parameters."""
    tables = [run.seen.randomizer for run in read.claim.runs]
    blocks: list[Block] = [_matrix(table.rows) or _listed(table.rows) for table in tables if table]
    if read.because.rows:
        blocks.append(_matrix(read.because.rows) or _listed(read.because.rows))
    if not blocks:
        said = "The certificate is about what is seen, without saying who sends which message."
        return Section("The mechanism", [Text(said)])
    return Section("The randomizer" if len(blocks) == 1 else "The randomizers", blocks)


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


def small_print(read: CertificateTree | None) -> Section:
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
    if read is not None and not {"rows", "private"} & {*read.claim.seen.each}:
        step = "That a protocol shows no more than this mechanism: that step is a lemma, proved in the protocol's own"
        lacks.insert(0, f"{step} file of shufflecert, and no part of the certificate.")
    if read is not None and read.verdict == "REFUTED":
        says.append("A refutation says that this claim is false. It does not say that a weaker one is.")
    heads: list[Block] = [Text("A certificate says:"), Items(says), Text("It does not say:"), Items(lacks)]
    return Section("What a certificate says, and what it does not", heads)
